//! The parts of a score: each signal applies where it should and nowhere else, and the score is the
//! sum of its parts.

use std::collections::BTreeMap;
use std::path::Path;

use excerpt_index::{
    Answer, Channels, FieldWeights, Fusion, Hit, Index, OpenOptions, Query, Rank, Ranking,
    RankingPreset, Signals, SyncOptions, quiet,
};

use crate::fixture::{World, paths};

/// A ranking by keywords alone, with only the signals that `set` enables.
fn only(set: impl FnOnce(&mut Signals)) -> Ranking {
    let mut ranking = Ranking::default();
    ranking.channels = Channels::Keywords;
    ranking.signals = Signals::none();
    set(&mut ranking.signals);
    ranking
}

/// The factor of the signal `name` on the best chunk of each document found.
fn factors(
    world: &World,
    query: &str,
    name: &str,
    set: impl FnOnce(&mut Signals),
) -> BTreeMap<String, Option<f32>> {
    world.sync();
    let answer = world.ask(&Query::new(query).limit(50).ranking(only(set)));
    let documents = answer.documents.iter().map(|document| {
        let hit = &document.chunks[0];
        assert_adds_up(hit);
        (document.path.clone(), factor(hit, name))
    });
    documents.collect()
}

fn factor(hit: &Hit, name: &str) -> Option<f32> {
    let mut signals = hit.explanation.signals.iter();
    signals
        .find(|signal| signal.name == name)
        .map(|signal| signal.factor)
}

fn assert_adds_up(hit: &Hit) {
    let explanation = &hit.explanation;
    let channels = [explanation.keywords, explanation.vectors];
    let channels: f32 = channels.iter().flatten().map(|channel| channel.share).sum();
    let signals: f32 = explanation.signals.iter().map(|signal| signal.share).sum();
    let sum = channels + signals;
    assert!((sum - hit.score).abs() < 1e-4, "{sum}: {hit:?}");
}

fn assert_factors(found: &BTreeMap<String, Option<f32>>, expected: &[(&str, Option<f32>)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (path, wanted) in expected {
        let close = match (found[*path], *wanted) {
            (Some(factor), Some(wanted)) => (factor - wanted).abs() < 1e-4,
            (factor, wanted) => factor.is_none() && wanted.is_none(),
        };
        assert!(close, "{path}: {:?}, expected {wanted:?}", found[*path]);
    }
}

/// The path of the best document for "tea", when a word counts in one field alone.
fn best_by(world: &World, set: impl FnOnce(&mut FieldWeights)) -> String {
    let mut ranking = only(|_| ());
    let fields = &mut ranking.fields;
    (fields.text, fields.headings, fields.names) = (0.0, 0.0, 0.0);
    (fields.path, fields.defined) = (0.0, 0.0);
    set(fields);
    let answer = world.ask(&Query::new("tea").ranking(ranking));
    paths(&answer)[0].to_string()
}

#[test]
fn a_word_counts_by_its_field() {
    let prose = World::new()
        .file("text.md", "Nothing but tea.\n")
        .file("headings.md", "# Tea\n\nNothing else.\n")
        .file("tea.md", "Nothing at all.\n");
    prose.sync();
    assert_eq!(
        best_by(&prose, |fields| fields.headings = 1.0),
        "headings.md"
    );
    assert_eq!(best_by(&prose, |fields| fields.path = 1.0), "tea.md");
    let code = World::new()
        .file("calls.rs", "fn pot() {\n    tea();\n    tea();\n}\n")
        .file("names.rs", "fn tea() {}\n");
    code.sync();
    assert_eq!(best_by(&code, |fields| fields.defined = 1.0), "names.rs");
}

#[test]
fn all_words() {
    let world = World::new()
        .file("both.md", "green tea")
        .file("one.md", "green grass");
    let found = factors(&world, "green tea", "all words", |s| s.all_words = 1.1);
    assert_factors(&found, &[("both.md", Some(1.1)), ("one.md", None)]);
}

#[test]
fn sequence() {
    let message = "the tea pot is too hot to hold";
    let world = World::new()
        .file("copied.rs", format!("fn a() {{ fail(\"{message}\"); }}\n"))
        .file(
            "partly.rs",
            "fn b() { fail(\"the tea pot is too hot to touch\"); }\n",
        )
        .file("alike.rs", "fn d() { fail(\"the tea pot is empty\"); }\n")
        .file(
            "about.rs",
            "fn c() { fail(\"hold the hot pot of tea\"); }\n",
        )
        .file("prose.md", message);
    let found = factors(&world, message, "sequence", |s| s.sequence = 1.6);
    let expected = [
        ("copied.rs", Some(1.6)),
        ("partly.rs", Some(1.0 + 0.6 * (5.0_f32 / 6.0).powi(4))),
        ("alike.rs", None),
        ("about.rs", None),
        ("prose.md", None),
    ];
    assert_factors(&found, &expected);
}

#[test]
fn a_few_words_are_no_sequence() {
    let world = World::new().file("pot.rs", "fn pot() { fail(\"green tea pot\"); }\n");
    let found = factors(&world, "green tea pot", "sequence", |s| s.sequence = 1.6);
    assert_factors(&found, &[("pot.rs", None)]);
}

#[test]
fn the_definition_of_a_member() {
    let world = World::new()
        .file(
            "kettle.rs",
            "struct Kettle;\n\nimpl Kettle {\n    fn boil(&self) {}\n}\n",
        )
        .file(
            "lid.rs",
            "impl Lid for Kettle {\n    fn open(&self) {}\n}\n",
        )
        .file(
            "pot.rs",
            "struct Pot;\n\nimpl Pot {\n    fn boil(&self) {}\n}\n",
        );
    for question in [
        "Kettle::boil",
        "where is `Kettle.boil()` defined?",
        "Kettle#boil",
    ] {
        let found = factors(&world, question, "definition", |s| s.definition = 2.0);
        assert_eq!(found["kettle.rs"], Some(2.0), "{question}");
        let others = ["lid.rs", "pot.rs"].map(|path| found[path].unwrap_or(1.0));
        assert!(others.iter().all(|factor| *factor < 1.5), "{question}");
    }
    // Where nothing has both names, each counts as ever.
    let found = factors(&world, "Kettle::pour", "definition", |s| s.definition = 2.0);
    let only = factors(&world, "Kettle pour", "definition", |s| s.definition = 2.0);
    assert_eq!(found, only);
}

#[test]
fn index_document() {
    let world = World::new()
        .file("README.md", "tea")
        .file("docs/index.md", "tea")
        .file("docs/reindex.md", "tea")
        .file("index/other.md", "tea");
    let set = |s: &mut Signals| s.index_document = 1.25;
    assert_factors(
        &factors(&world, "tea", "index document", set),
        &[
            ("README.md", Some(1.25)),
            ("docs/index.md", Some(1.25)),
            ("docs/reindex.md", None),
            ("index/other.md", None),
        ],
    );
}

#[test]
fn path_words() {
    let world = World::new()
        .file("billing/overview.md", "tea")
        .file("billing/other.md", "tea billing")
        .file("other.md", "tea billing overview");
    let set = |s: &mut Signals| s.path_word = 1.15;
    assert_factors(
        &factors(&world, "billing overview of the tea", "path words", set),
        &[
            ("billing/overview.md", Some(1.15 * 1.15)),
            ("billing/other.md", Some(1.15)),
            ("other.md", None),
        ],
    );
}

#[test]
fn headings_and_file_names() {
    let world = World::new()
        .file("kettles/green_tea.md", "# Notes\n\ntea")
        .file("kettles/README.md", "# Green tea\n\ntea")
        .file("cups.md", "# Cups\n\ngreen tea, and much else");
    let of = |name| {
        let set = |s: &mut Signals| (s.heading, s.file_name) = (1.2, 1.5);
        factors(&world, "green tea", name, set)
    };
    assert_factors(
        &of("heading"),
        &[
            ("kettles/green_tea.md", None),
            ("kettles/README.md", Some(1.2)),
            ("cups.md", None),
        ],
    );
    assert_factors(
        &of("file name"),
        &[
            ("kettles/green_tea.md", Some(1.5)),
            ("kettles/README.md", None),
            ("cups.md", None),
        ],
    );
    // Such a file is named by its folder.
    let found = factors(&world, "kettles", "file name", |s| s.file_name = 1.5);
    assert_eq!(found["kettles/README.md"], Some(1.5));
}

#[test]
fn definition() {
    let world = World::new()
        .file("defines.rs", "fn parse_http_config() {}\n")
        .file("uses.rs", "fn run() { parse_http_config() }\n")
        .file("listing.rs", "struct Listing;\n")
        .file("tea.md", "```rust\nfn parse_http_config() {}\n```\n");
    let of = |query| {
        let mut found = factors(&world, query, "definition", |s| s.definition = 2.0);
        // A sample in prose defines nothing.
        assert_eq!(found.remove("tea.md").flatten(), None);
        found
    };
    let both = [("defines.rs", Some(2.0)), ("uses.rs", None)];
    assert_factors(&of("parse the http config"), &both);
    assert_factors(&of("parse_http_config"), &both);
    // Two of three words, which are the whole query.
    assert_factors(
        &of("parse http"),
        &[("defines.rs", Some(1.0 + 1.0 / 3.0)), ("uses.rs", None)],
    );
    assert_factors(&of("`Listing`"), &[("listing.rs", Some(1.5))]);
    // In a longer query, a single word says less.
    let longer = of("parse the listing config")["listing.rs"].unwrap();
    assert!((1.0..1.4).contains(&longer), "{longer}");
}

#[test]
fn a_heading_that_is_a_name_defines_it() {
    let world = World::new()
        .file("alone.md", "# `max_size`\n\nOf a pot.\n")
        .file("longer.md", "# The max_size option\n\nOf a cup.\n")
        .file(
            "inside.md",
            "Pots.\n\n# Tea\n\nGreen.\n\n# max_size\n\nOf a can.\n",
        )
        .file("uses.md", "# Kettles\n\nThey have a max_size.\n")
        .file("words.md", "# Max size\n\nOf a kettle.\n");
    let of = |query| factors(&world, query, "definition", |s| s.definition = 2.0);
    let expected = [
        ("alone.md", Some(2.0)),
        ("longer.md", Some(1.5)),
        ("inside.md", Some(2.0)),
        ("uses.md", None),
        ("words.md", None),
    ];
    assert_factors(&of("what is MAX_SIZE?"), &expected);
    // It is only a part of the question.
    let part = of("kettles with a max_size")["alone.md"].unwrap();
    assert!((1.1..1.9).contains(&part), "{part}");
    // Not a name as written in source code.
    assert!(of("max size").values().all(Option::is_none));
}

#[test]
fn prose_among_code() {
    let mut world = World::new()
        .file("tea.md", "A pot of tea.\n")
        .file("tea.rs", "fn tea() {}\n");
    let set = |s: &mut Signals| s.prose_among_code = 0.7;
    let name = "prose among code";
    let none = [("tea.md", None), ("tea.rs", None)];
    assert_factors(&factors(&world, "tea", name, set), &none);
    // There is more code, though fewer documents are code; records are neither.
    world = world
        .file("other.rs", "fn other() {}\n")
        .file("tests/1.txt", "1")
        .file("tests/2.txt", "2")
        .file("values.csv", "a,b\n1,2\n3,4\n5,6\n7,8\n");
    let found = factors(&world, "tea", name, set);
    assert_factors(&found, &[("tea.md", Some(0.7)), ("tea.rs", None)]);
}

#[test]
fn prose_for_a_question() {
    let world = World::new()
        .file("tea.md", "Tea is hot.\n")
        .file("tea.rs", "fn tea() { boil(); pour(); }\n");
    let name = "prose, for a question";
    let of = |query| factors(&world, query, name, |s| s.prose_for_a_question = 0.7);
    for asked in ["how hot is tea?", "what is tea", "can I boil tea"] {
        assert_factors(&of(asked), &[("tea.md", Some(0.7)), ("tea.rs", None)]);
    }
    for other in ["how tea is poured", "tea", "what is `pour_tea`?"] {
        assert_factors(&of(other), &[("tea.md", None), ("tea.rs", None)]);
    }
}

#[test]
fn prose_for_a_name() {
    let world = World::new()
        .file("a.md", "What makeTea does: it makes tea.")
        .file("a.rs", "fn makeTea() {}\n");
    let name = "prose, for a name";
    let of = |query| factors(&world, query, name, |s| s.prose_for_a_name = 0.7);
    assert_factors(&of("makeTea"), &[("a.md", Some(0.7)), ("a.rs", None)]);
    assert_factors(&of("make tea"), &[("a.md", None), ("a.rs", None)]);
}

#[test]
fn tests_and_generated_or_legacy_code() {
    let code = "fn tea() {}\n";
    let world = World::new()
        .file("src/tea.rs", code)
        .file("tests/tea.rs", code)
        .file("src/teaTest.java", "class teaTest { void tea() {} }\n")
        .file("src/tea_pb2.py", "def tea(): pass\n")
        .file("legacy/tea.rs", code)
        .file("src/contest.rs", code)
        .file("tests/tea.md", "tea");
    let set = |s: &mut Signals| (s.test, s.generated, s.vendored) = (0.6, 0.5, 0.4);
    let with = |query, name, low: &[(&str, f32)]| {
        let found = factors(&world, query, name, set);
        let expected = found.keys().map(|path| {
            let low = low.iter().find(|(known, _)| known == path);
            (&**path, low.map(|(_, factor)| *factor))
        });
        assert_eq!(found.len(), 7);
        assert_factors(&found, &expected.collect::<Vec<_>>());
    };
    let tests = [("tests/tea.rs", 0.6), ("src/teaTest.java", 0.6)];
    with("tea", "test or example", &tests);
    with("tea", "generated", &[("src/tea_pb2.py", 0.5)]);
    with("tea", "vendored or legacy", &[("legacy/tea.rs", 0.4)]);
    // A question about tests is not affected.
    with("tests of tea", "test or example", &[]);
    with("legacy tea", "vendored or legacy", &[]);
}

#[test]
fn recency() {
    let dated = |date: &str| format!("---\ndate: {date}\n---\n\ntea\n");
    let world = World::new()
        .file("old.md", dated("2000-01-01"))
        .file("2000-01-01-note.md", "tea")
        .file("future.md", dated("2999-01-01"))
        .file("never.md", "tea")
        .file("no-date-2000-13-01.md", "tea")
        .file(
            "evergreen.md",
            "---\ndate: 2000-01-01\nevergreen: true\n---\n\ntea\n",
        );
    let set = |s: &mut Signals| s.recency = 0.8;
    assert_factors(
        &factors(&world, "tea", "recency", set),
        &[
            ("old.md", Some(0.8)),
            ("2000-01-01-note.md", Some(0.8)),
            ("future.md", None),
            ("never.md", None),
            ("no-date-2000-13-01.md", None),
            ("evergreen.md", None),
        ],
    );
}

#[test]
fn recency_follows_dated_headings() {
    let world = World::new().file(
        "MEMORY.md",
        format!(
            "# Memory\n\n## 2000-01-01\n\ntea {0}\n\n## 2999-01-01\n\ntea {0}\n",
            "of the harbour ".repeat(200)
        ),
    );
    world.sync();
    let query = Query::new("tea").ranking(only(|s| s.recency = 0.8));
    let answer = world.ask(&query.rank(Rank::Chunks));
    let of = |day: &str| {
        let day = day.to_string();
        let mut hits = answer.chunks();
        let hit = hits.find(|hit| hit.trail.contains(&day) || hit.sections.contains(&day));
        factor(hit.unwrap(), "recency")
    };
    assert_eq!(of("2000-01-01"), Some(0.8));
    assert_eq!(of("2999-01-01"), None);
}

/// A document with this number of chunks, all about tea.
fn long(sections: usize) -> String {
    let section = |number| {
        let words = format!("Words of filler number {number} stand here. ").repeat(60);
        format!("## Part {number}\n\nTea. {words}\n\n")
    };
    (0..sections).map(section).collect()
}

#[test]
fn coherence() {
    let world = World::new()
        .file("long.md", long(4))
        .file("short.md", "tea");
    let set = |s: &mut Signals| s.coherence_in_prose = 0.1;
    let found = factors(&world, "tea", "coherence", set);
    // At most a tenth of one, a half and a third of its own score.
    let most = 1.0 + 0.1 * (1.0 + 1.0 / 2.0 + 1.0 / 3.0) + 1e-4;
    assert!(
        (1.05..most).contains(&found["long.md"].unwrap()),
        "{found:?}"
    );
    assert_eq!(found["short.md"], None);
    let found = factors(&world, "tea", "coherence", |s| s.coherence_in_code = 0.1);
    assert!(found.values().all(Option::is_none));
}

#[test]
fn neighbours() {
    let world = World::new()
        .file("long.md", long(3))
        .file("short.md", "tea");
    world.sync();
    let ranking = only(|s| s.neighbours = 0.1);
    let query = Query::new("tea or filler").rank(Rank::Chunks).limit(50);
    let answer = world.ask(&query.ranking(ranking));
    let mut lifted = 0;
    for hit in answer.chunks() {
        assert_adds_up(hit);
        let is_next =
            |other: &Hit| other.path == hit.path && other.ordinal.abs_diff(hit.ordinal) == 1;
        let factor = factor(hit, "neighbours");
        assert_eq!(factor.is_some(), answer.chunks().any(is_next), "{hit:?}");
        lifted += usize::from(factor.is_some_and(|factor| factor > 1.0));
    }
    assert!(lifted >= 3, "{lifted}");
}

#[test]
fn saturation() {
    let world = World::new()
        .file("long.md", long(4))
        .file("code.rs", "fn tea() {}\n".repeat(400));
    world.sync();
    let ask = |rank| {
        let ranking = only(|s| (s.saturation_in_prose, s.saturation_in_code) = (0.9, 0.5));
        world.ask(&Query::new("tea").rank(rank).limit(50).ranking(ranking))
    };
    let answer = ask(Rank::Chunks);
    for (path, factor) in [("long.md", 0.9_f32), ("code.rs", 0.5)] {
        let mut hits: Vec<&Hit> = answer.chunks().filter(|hit| hit.path == path).collect();
        assert!(hits.len() > 2, "{path}: {}", hits.len());
        let of = |hit: &Hit| self::factor(hit, "saturation").unwrap_or(1.0);
        hits.sort_by(|a, b| of(b).total_cmp(&of(a)));
        for (place, hit) in (0..).zip(hits) {
            assert_adds_up(hit);
            assert!(
                (of(hit) - factor.powi(place)).abs() < 1e-4,
                "{path} {place}"
            );
        }
    }
    let answer = ask(Rank::Documents);
    assert!(
        answer
            .chunks()
            .all(|hit| factor(hit, "saturation").is_none())
    );
}

/// The ranking `docs`: reciprocal ranks with a weight of 0.6 for the vectors, a factor of 1.25 for
/// an index document and of 1.15 for each word of the query in the path.
#[test]
fn docs_by_name_is_the_formula_exactly() {
    let world = World::new()
        .file(
            "projects/README.md",
            "# Projects\n\nAll projects of the harbour.\n",
        )
        .file(
            "projects/harbour.md",
            "# Harbour\n\nA project of ships and cranes.\n",
        )
        .file(
            "notes/tea.md",
            "# Tea\n\nProjects come and go, tea stays.\n",
        )
        .file(
            "notes/ships.md",
            "# Ships\n\nThe vessels that lie in port.\n",
        );
    world.sync();
    let ranking = RankingPreset::Docs.ranking();
    let query = Query::new("projects of the harbour").ranking(ranking);
    let answer = world.ask(&query.limit(10).rank(Rank::Chunks));
    assert_eq!(answer.documents.len(), 4);
    let mut scores = Vec::new();
    for hit in answer.chunks() {
        let reciprocal = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / (60.0 + rank as f32));
        let rank = |channel: Option<excerpt_index::Channel>| channel.map(|channel| channel.rank);
        let fused = 0.4 * reciprocal(rank(hit.explanation.keywords))
            + 0.6 * reciprocal(rank(hit.explanation.vectors));
        let boost = match &*hit.path {
            "projects/README.md" => 1.25 * 1.15,
            "projects/harbour.md" => 1.15 * 1.15,
            _ => 1.0,
        };
        let by_hand = fused * boost;
        assert!(
            (hit.score - by_hand).abs() < 1e-6,
            "{}: {by_hand}",
            hit.path
        );
        scores.push(hit.score);
    }
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert_eq!(paths(&answer)[0], "projects/README.md");
    // Each rank occurs once per channel.
    for of in [
        |hit: &Hit| hit.explanation.keywords,
        |hit: &Hit| hit.explanation.vectors,
    ] {
        let mut ranks: Vec<usize> = answer.chunks().filter_map(of).map(|c| c.rank).collect();
        ranks.sort_unstable();
        assert!(ranks.iter().copied().eq(1..=ranks.len()), "{ranks:?}");
    }
}

/// Asserts that in each channel, and overall, higher scores rank higher.
fn assert_order(answer: &Answer) {
    for of in [
        |hit: &Hit| hit.explanation.keywords,
        |hit: &Hit| hit.explanation.vectors,
    ] {
        let mut channel: Vec<_> = answer.chunks().filter_map(of).collect();
        channel.sort_by_key(|channel| channel.rank);
        assert!(
            channel.is_sorted_by(|a, b| a.score >= b.score),
            "{channel:?}"
        );
        assert!(channel.iter().all(|channel| channel.share >= 0.0));
    }
    let documents = &answer.documents;
    assert!(documents.is_sorted_by(|a, b| a.score >= b.score));
    for document in documents {
        assert!(document.chunks.is_sorted_by(|a, b| a.score >= b.score));
    }
}

#[test]
fn a_score_is_the_sum_of_its_explanation() {
    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(&dir.path().join("index"), OpenOptions::create()).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in [sources.join("src"), sources.join("../../docs")] {
        let root = folder.canonicalize().unwrap();
        index.sync(&root, &SyncOptions::default(), quiet).unwrap();
    }
    let mut all = Ranking::default();
    all.signals.index_document = 1.25;
    all.signals.path_word = 1.15;
    all.signals.coherence_in_prose = 0.3;
    all.signals.neighbours = 0.3;
    all.signals.recency = 0.9;
    all.signals.saturation_in_prose = 0.9;
    let mut by_ranks = all.clone();
    by_ranks.fusion = Fusion::Rrf;
    let mut by_vectors = all.clone();
    by_vectors.channels = Channels::Vectors;
    let questions = [
        "how is the keyword index kept up to date",
        "Store",
        "parse front matter date",
        "what happens when a file cannot be read",
        "tests of the http embedder",
        "zxqv unknown words",
    ];
    let mut hits = 0;
    for ranking in [Ranking::default(), all, by_ranks, by_vectors] {
        for (question, rank) in questions
            .iter()
            .flat_map(|question| [(question, Rank::Documents), (question, Rank::Chunks)])
        {
            let query = Query::new(*question).rank(rank).limit(30);
            let answer = index.search(&query.ranking(ranking.clone())).unwrap();
            answer.chunks().for_each(assert_adds_up);
            assert_order(&answer);
            hits += answer.chunks().count();
        }
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn projects_finds_the_overview_in_two_trees() {
    let of_harbour = World::new()
        .file(
            "projects/README.md",
            "# Overview\n\nWhat we build in the harbour, and who builds it.\n",
        )
        .file(
            "projects/crane.md",
            "# Crane\n\nA project of the north pier, one of many projects.\n",
        )
        .file(
            "notes/list.md",
            "# List\n\nProjects: crane, projects of the pier, old projects, new projects.\n",
        )
        .file(
            "notes/tea.md",
            "# Tea\n\nProjects come and go, tea stays.\n",
        );
    let of_handbook = World::new()
        .file("README.md", "# Handbook\n\nStart here.\n")
        .file(
            "projects/README.md",
            "# Overview\n\nThe work that is under way.\n",
        )
        .file(
            "projects/site.md",
            "# Site\n\nThe projects of the web team.\n",
        )
        .file(
            "people/projects.md",
            "# Who works on which projects\n\nProjects and people.\n",
        )
        .file("people/index.md", "# People\n\nProjects need people.\n")
        .file(
            "old/done.md",
            "# Done\n\nProjects that ended: all projects of last year.\n",
        );
    for world in [of_harbour, of_handbook] {
        world.sync();
        let query = Query::new("projects").ranking(RankingPreset::Docs.ranking());
        let answer = world.ask(&query.limit(10));
        assert_eq!(
            paths(&answer)[0],
            "projects/README.md",
            "{:?}",
            paths(&answer)
        );
    }
}
