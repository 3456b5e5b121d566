//! Which chunks are found, in which order, and how they are shown.

use std::fmt::Write;

use excerpt_index::{
    Channels, Error, Filter, Hit, Note, Query, Rank, Ranking, ReadOptions, Target, quiet,
};

use crate::fixture::{World, by_keywords, paths};

#[test]
fn chunks_with_every_word_come_first() {
    let world = World::new()
        .file(
            "both.md",
            "a kettle by the harbour, where the boats lie and the tea is made",
        )
        .file(
            "one.md",
            "a kettle and another kettle, which stand on the stove all day",
        )
        .file(
            "other.md",
            "the harbour, and behind it another harbour for the larger ships",
        );
    world.sync();
    let answer = world.search("kettle harbour");
    assert_eq!(paths(&answer)[0], "both.md");
    assert_eq!((answer.documents.len(), answer.documents_total), (3, 3));
    let complete: Vec<bool> = answer.chunks().map(|hit| hit.all_words).collect();
    assert_eq!(complete, [true, false, false]);
}

#[test]
fn an_absent_word_does_not_empty_the_answer_and_is_named() {
    let world = World::new().file("tea.md", "green tea");
    world.sync();
    let answer = world.search("green Elephants");
    assert_eq!(paths(&answer), ["tea.md"]);
    assert_eq!(answer.notes, [Note::Absent(vec!["Elephants".into()])]);
    assert!(world.search("elephants").documents.is_empty());
}

#[test]
fn a_misspelt_word_is_replaced_and_named() {
    let world = World::new()
        .file("tea.md", "Pause before you pour the kettle.")
        .file("cup.md", "Cups have a pack size of twelve.");
    world.sync();
    let respelled = |query: &str| {
        let answer = world.search(query);
        let notes = answer.notes.iter().map(ToString::to_string);
        (paths(&answer).join(" "), notes.collect::<Vec<_>>())
    };
    let replaced =
        |meant: &str, written: &str| vec![format!("searched for `{meant}` instead of `{written}`")];
    for (query, meant) in [("pasue", "pause"), ("Ketle", "kettle")] {
        let (found, notes) = respelled(query);
        assert_eq!(
            (found, notes),
            ("tea.md".to_string(), replaced(meant, query))
        );
    }
    let (found, notes) = respelled("packsize");
    assert_eq!(
        (found, notes),
        ("cup.md".to_string(), replaced("pack size", "packsize"))
    );
    // With many such words, the question is not about what is here.
    let query = "pasue ketle befroe puor cupps twelev";
    let (_, notes) = respelled(query);
    let all = query.replace(' ', "`, `");
    assert_eq!(notes, [format!("not found: `{all}`")]);
    // A word that is only not used here, a short one, and a name.
    for query in ["battle", "cpus", "k8s"] {
        let (_, notes) = respelled(query);
        assert_eq!(notes, [format!("not found: `{query}`")]);
    }
}

#[test]
fn a_word_that_is_not_found_is_named_once() {
    let world = World::new().file("tea.md", "緑茶。");
    world.sync();
    let answer = world.search("緑茶 紅茶館 green_pots9");
    let absent = ["紅茶館", "green", "pots9"].map(String::from);
    assert_eq!(answer.notes, [Note::Absent(absent.to_vec())]);
}

#[test]
fn identifiers_are_found_by_their_parts_and_as_a_whole() {
    let world = World::new()
        .file("a.rs", "fn parseHTTPConfig() {}\n")
        .file("b.rs", "fn parse_http_config() {}\n")
        .file("c.rs", "fn parse() { config() }\n");
    world.sync();
    let answer = world.search("parseHTTPConfig");
    assert_eq!(paths(&answer), ["a.rs", "b.rs", "c.rs"]);
    assert_eq!(
        paths(&world.search("http config")),
        ["a.rs", "b.rs", "c.rs"]
    );
    let hit = &world.search("parseHTTPConfig").documents[0].chunks[0].clone();
    let mark = hit.snippet.marks[0].clone();
    assert_eq!(&hit.snippet.text[mark], "parseHTTPConfig");
}

#[test]
fn a_definition_ranks_above_its_uses() {
    let uses: String = (0..12)
        .map(|at| format!("let lists_{at} = list(listing, &mut Listing::of(lists));\n"))
        .collect();
    let world = World::new()
        .file("a_uses.rs", format!("fn run() {{\n{uses}}}\n"))
        .file("b_lists.rs", "struct ListListing;\nfn lists() { list() }\n")
        .file(
            "listing.md",
            "# Listing\n\nA listing lists what is listed.\n",
        )
        .file(
            "z.rs",
            format!(
                "/// What a folder holds.\nstruct Listing {{ {} }}\n",
                "other: u8, ".repeat(30)
            ),
        );
    world.sync();
    for query in ["Listing", "listing", "struct Listing", "`Listing`"] {
        let answer = world.search(query);
        assert_eq!(paths(&answer)[0], "z.rs", "{query}");
        assert_eq!(answer.documents[0].chunks[0].defines, ["Listing"]);
    }
}

#[test]
fn scripts_without_spaces_are_found() {
    let world = World::new()
        .file("a.md", "この文書は全文検索の設計を説明します。")
        .file("b.md", "猫が好きです。")
        .file("c.md", "전체 텍스트 검색");
    world.sync();
    assert_eq!(paths(&world.search("検索")), ["a.md"]);
    assert_eq!(paths(&world.search("猫")), ["b.md"]);
    assert_eq!(paths(&world.search("검색")), ["c.md"]);
}

#[test]
fn words_of_the_path_count() {
    let world = World::new()
        .file("billing/overview.md", "How it works.")
        .file("other/overview.md", "How it works.");
    world.sync();
    assert_eq!(
        paths(&world.search("billing overview"))[0],
        "billing/overview.md"
    );
}

#[test]
fn a_path_is_compared_by_whole_segments() {
    let world = World::new()
        .file("docs/a.md", "green tea")
        .file("docs/deep/b.md", "green tea")
        .file("docs2/c.md", "green tea")
        .file("docs.md", "green tea");
    world.sync();
    assert_eq!(
        paths(&world.search_in("docs", "tea")),
        ["docs/a.md", "docs/deep/b.md"]
    );
    assert_eq!(
        paths(&world.search_in("./docs/deep/", "tea")),
        ["docs/deep/b.md"]
    );
    assert_eq!(paths(&world.search_in("docs/a.md", "tea")), ["docs/a.md"]);
    assert!(world.search_in("doc", "tea").documents.is_empty());
    assert_eq!(world.search_in("docs", "tea").documents_total, 2);
}

#[test]
fn a_small_folder_is_not_crowded_out() {
    let mut world = World::new().file("rare/z.md", format!("tea {}", "filler ".repeat(200)));
    for number in 0..300 {
        world = world.file(&format!("many/{number}.md"), "tea tea tea");
    }
    world.sync();
    assert_eq!(paths(&world.search_in("rare", "tea")), ["rare/z.md"]);
    let mut query = by_keywords("tea");
    query.limit = 301;
    assert_eq!(world.ask(&query).documents.len(), 301);
}

#[test]
fn a_source_can_be_searched_alone() {
    let (world, other) = (
        World::new().file("a.md", "green tea"),
        World::new().file("b.md", "green tea"),
    );
    world.sync();
    let mut index = world.open();
    index.sync(&other.root(), &world.options, quiet).unwrap();
    let search = |filter| index.search(&by_keywords("tea").within(filter));
    assert_eq!(
        paths(&search(Filter::default().source(other.root())).unwrap()),
        ["b.md"]
    );
    assert_eq!(search(Filter::default()).unwrap().documents.len(), 2);
    let both = Filter::default().source(other.root()).source(world.root());
    assert_eq!(search(both).unwrap().documents.len(), 2);
    let error = search(Filter::default().source("/elsewhere")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`/elsewhere` is not in the index (indexed: `"),
        "{error}"
    );
}

#[test]
fn a_hit_is_a_place_to_open() {
    let world = World::new().file(
        "guide/tea.md",
        "# Tea\n\nBoil water.\nPour it over the leaves.\n",
    );
    world.sync();
    let answer = world.search("leaf pouring");
    let hit = answer.chunks().next().unwrap();
    let (first, last) = hit.span.lines;
    assert_eq!(hit.citation, format!("guide/tea.md:{first}-{last}"));
    let marked: Vec<&str> = hit
        .snippet
        .marks
        .iter()
        .map(|mark| &hit.snippet.text[mark.clone()])
        .collect();
    assert_eq!(marked, ["Pour"]);
    let document = world
        .open()
        .get(&Target::document("guide/tea.md"), &ReadOptions::default())
        .unwrap();
    assert_eq!(&document.text[hit.span.bytes.clone()], hit.text);
    let line = document.text.lines().nth(hit.snippet.line - 1).unwrap();
    assert!(line.contains(hit.snippet.text.lines().next().unwrap()));
}

#[test]
fn equal_hits_are_ordered_by_path() {
    let mut world = World::new();
    for name in ["d", "b", "a", "c", "e", "f", "g"] {
        world = world.file(&format!("{name}.md"), "the same tea");
    }
    world.sync();
    assert_eq!(
        paths(&world.search("tea")),
        ["a.md", "b.md", "c.md", "d.md", "e.md"]
    );
    // Later changes result in other ids but in the same order.
    world.write("a.md", "something else");
    world.sync();
    world.write("a.md", "the same tea");
    world.sync();
    assert_eq!(
        paths(&world.search("tea")),
        ["a.md", "b.md", "c.md", "d.md", "e.md"]
    );
}

#[test]
fn chunks_can_be_ranked_individually() {
    let mut long = String::from("# Long\n");
    for number in 0..60 {
        write!(
            long,
            "\n## Part {number}\n\n{} tea {number}.\n",
            "Some words of filler stand here. ".repeat(20)
        )
        .unwrap();
    }
    let world = World::new().file("long.md", &long).file("short.md", "tea");
    world.sync();
    let answer = world.ask(&by_keywords("tea").rank(Rank::Chunks).limit(4));
    assert!(
        answer
            .documents
            .iter()
            .all(|document| document.chunks.len() == 1)
    );
    assert_eq!(answer.documents.len(), 4.min(answer.chunks_total));
    let ranks: Vec<usize> = answer.chunks().map(|hit| hit.rank).collect();
    assert!(ranks.is_sorted());
    let documents = world.ask(&by_keywords("tea").per_document(2));
    assert_eq!(documents.documents.len(), 2);
    assert!(
        documents
            .documents
            .iter()
            .all(|document| document.chunks.len() <= 2)
    );
}

#[test]
fn a_query_without_words_is_an_error() {
    let world = World::new().file("a.md", "to be or not to be");
    world.sync();
    let error = world.open().search(&by_keywords("?!")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the query `?!` contains no words: give at least one letter or digit"
    );
    assert_eq!(paths(&world.search("to be")), ["a.md"]);
}

#[test]
fn a_huge_query_is_answered() {
    let world = World::new().file("a.md", "green tea");
    world.sync();
    let mut query = String::from("tea ");
    for number in 0..150_000 {
        write!(query, "word{number} ").unwrap();
    }
    let answer = world.search(&query);
    assert_eq!(paths(&answer), ["a.md"]);
    assert!(
        answer
            .notes
            .iter()
            .any(|note| matches!(note, Note::Shortened { .. }))
    );
}

#[test]
fn an_empty_index_answers_nothing() {
    let world = World::new();
    assert!(world.search("tea").documents.is_empty());
    world.sync();
    let answer = world.search("tea");
    assert!(answer.documents.is_empty() && !answer.notes.contains(&Note::Rebuilt));
}

#[test]
fn a_document_is_read_whole_or_by_lines() {
    let world = World::new().file("docs/a.md", "one\ntwo\nthree\n");
    world.sync();
    let index = world.open();
    let get = |target| index.get(&target, &ReadOptions::default());
    let whole = get(Target::document("docs/a.md")).unwrap();
    assert_eq!((&*whole.text, whole.lines_total), ("one\ntwo\nthree\n", 3));
    let part = get(Target::lines("./docs/a.md", 2, 3)).unwrap();
    assert_eq!((&*part.text, part.span.lines), ("two\nthree\n", (2, 3)));
    let end = get(Target::lines("docs/a.md", 3, 99)).unwrap();
    assert_eq!(end.text, "three\n");
    let error = get(Target::lines("docs/a.md", 7, 9)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid line range `7-9` for `docs/a.md`: it has 3 lines"
    );
    let error = get(Target::document("docs/b.md")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`docs/b.md` is not in the index, did you mean `docs/a.md`?"
    );
    let error = get(Target::document("a.md")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a.md` is not in the index, did you mean `docs/a.md`?"
    );
}

#[test]
fn a_path_in_two_sources_needs_its_source() {
    let (world, other) = (
        World::new().file("a.md", "one"),
        World::new().file("a.md", "two"),
    );
    world.sync();
    let mut index = world.open();
    index.sync(&other.root(), &world.options, quiet).unwrap();
    assert!(matches!(
        index.get(&Target::document("a.md"), &ReadOptions::default()),
        Err(Error::AmbiguousDocument { .. })
    ));
    let there = ReadOptions::default().source(other.root());
    let document = index.get(&Target::document("a.md"), &there).unwrap();
    assert_eq!(document.text, "two");
}

#[test]
fn a_phrase_matches_as_a_whole() {
    let world = World::new()
        .file("green.md", "# Tea\n\nGreen tea is made of fresh leaves.\n")
        .file(
            "garden.md",
            "The garden is green, and tea is served there.\n",
        )
        .file("code.rs", "fn green_tea_leaves() {}\n")
        .file("title.md", "# Green tea\n\nAn infusion.\n");
    world.sync();
    let found = |query: &str| -> Vec<String> {
        // Both channels: the phrase also applies to hits of the vectors.
        let answer = world.ask(&Query::new(query));
        let mut paths: Vec<String> = paths(&answer).into_iter().map(str::to_string).collect();
        paths.sort();
        paths
    };
    assert_eq!(found("\"green tea\""), ["code.rs", "green.md", "title.md"]);
    assert_eq!(
        found("leaves \"green tea\""),
        ["code.rs", "green.md", "title.md"]
    );
    assert_eq!(found("\"tea is served\" \"garden is\""), ["garden.md"]);
    assert_eq!(found("green tea").len(), 4);
}

#[test]
fn an_absent_phrase_does_not_empty_the_answer_and_is_named() {
    let world = World::new().file("green.md", "green leaves, and tea of them");
    world.sync();
    let answer = world.search("the \"green tea\"");
    assert_eq!(paths(&answer), ["green.md"]);
    assert_eq!(answer.notes, [Note::Scattered(vec!["green tea".into()])]);
    assert_eq!(
        answer.notes[0].to_string(),
        "phrase not found: `green tea`; searched for its words instead"
    );
}

#[test]
fn an_excluded_word_is_in_no_hit() {
    let world = World::new()
        .file("black.md", "Black tea with milk.")
        .file("green.md", "Green tea, never with sugar.")
        .file("milkTea.md", "A tea.");
    world.sync();
    let answer = world.ask(&Query::new("tea -milk"));
    assert_eq!(paths(&answer), ["green.md"]);
    let answer = world.ask(&Query::new("tea -sugar -milk"));
    assert!(answer.documents.is_empty());
    let error = world.open().search(&by_keywords("-milk")).unwrap_err();
    assert!(matches!(error, Error::EmptyQuery { .. }));
}

#[test]
fn hits_that_are_probably_no_answer_are_marked() {
    let world = World::new()
        .file(
            "tea.md",
            "# Tea\n\nGreen tea wants water of 80 degrees and draws two minutes.\n",
        )
        .file(
            "ships.md",
            "# Harbour\n\nThe ferry leaves at noon from the northern pier.\n",
        );
    world.sync();
    let weak = |query: &str| -> Vec<bool> {
        let answer = world.ask(&Query::new(query));
        answer.chunks().map(|hit| hit.weak).collect()
    };
    assert_eq!(
        weak("how hot should the water for green tea be"),
        [false, true]
    );
    assert_eq!(weak("when does the ferry leave"), [false, true]);
    assert_eq!(weak("invoice for the quarterly taxes"), [true, true]);
}

/// Personal notes, each about one topic.
fn household() -> World {
    let notes = [
        "# Mimi\n\nThe vet prescribed prednisolone for the cat, 5 mg every morning with food, for ten days. If she vomits, halve it.\n",
        "# Volvo\n\nOil change due at 120,000 km. Winter tyres are in the cellar, pressure 2.3 bar in front and 2.1 behind.\n",
        "# Boiler\n\nWhen the radiators stay cold, top up the water until the gauge shows 1.5 bar. The service company is Huber.\n",
        "# Sourdough\n\n500 g flour, 350 g water, 10 g salt, 100 g starter. Bake 45 minutes at 230 degrees with steam.\n",
        "# Papers\n\nMy passport expires in March 2029. The renewal costs 75 euros, bring a photo to the town hall.\n",
        "# Flat\n\nThe rent is 890 euros, due on the third of each month. Notice is given three months ahead in writing.\n",
        "# Router\n\nThe guest network has no password but is slow. Restart it by holding the button for ten seconds.\n",
        "# Garden\n\nTomatoes go out after the middle of May. Water them at the root in the evening.\n",
        "# Anna\n\nBorn on 4 June. Likes hiking, detective novels and dark chocolate; allergic to hazelnuts.\n",
        "# Bicycle\n\nThe chain was replaced in April. Inner tubes are 28 inch with a Presta valve.\n",
    ];
    let notes = notes.iter().enumerate();
    let world = notes.fold(World::new(), |world, (number, note)| {
        world.file(&format!("{number}.md"), note)
    });
    world.sync();
    world
}

#[test]
fn a_question_that_shares_no_word_with_any_note_finds_only_weak_matches() {
    let world = household();
    let questions = [
        "what happened last week",
        "what did we talk about last night",
        "what is on television tonight",
        "who is visiting us",
        "where can I park downtown",
        "how many islands has Greece",
        "why do birds sing",
        "who discovered penicillin",
        "treatment of migraine",
        "rules of poker",
        "drum lessons for children",
        "text of the hymn",
        "theatre tickets for Saturday",
        "hockey scores",
        "binomial theorem",
        "influenza",
        "restaurants nearby",
        "vacuum cleaner manual",
    ];
    for question in questions {
        for query in [Query::new(question), by_keywords(question)] {
            let answer = world.ask(&query);
            let mut hits = answer.chunks();
            assert!(hits.all(|hit| hit.weak), "{question}: {answer:?}");
        }
    }
}

#[test]
fn an_answer_that_shares_few_words_with_its_question_is_not_weak() {
    let world = household();
    let questions = [
        ("cat medicine dose", "0.md"),
        ("pills for the cat", "0.md"),
        ("air in the car wheels in winter", "1.md"),
        ("identity document renewal fee", "4.md"),
        ("wireless network for visitors", "6.md"),
        ("what nuts should Anna avoid", "8.md"),
    ];
    let mut weak = Vec::new();
    for (question, path) in questions {
        let answer = world.ask(&Query::new(question));
        let best = answer.chunks().next().unwrap();
        assert_eq!(&*best.path, path, "{question}: {best:?}");
        weak.extend(best.weak.then_some(question));
    }
    // `medicine` and `dose` are in no document, and `cat` alone is little evidence.
    assert!(
        weak.iter().all(|weak| *weak == "cat medicine dose"),
        "{weak:?}"
    );
}

/// An agent's memory with dated entries, and daily notes.
fn dated() -> World {
    let filler = "The harbour has boats, and each of them has a name. ".repeat(60);
    let memory = format!(
        "# Memory\n\nWhat is worth keeping. {filler}\n\n## 2026-01-30\n\nThe gauge reads too high. {filler}\n\n\
         ## 2026-02-15\n\nThe gauge was levelled again. {filler}\n"
    );
    let mut world = World::new().file("MEMORY.md", memory);
    for (day, text) in [
        ("2026-02-03", "Rain all day. Wrote letters."),
        ("2026-02-04", "Met the harbour master about the lamp."),
        ("2026-02-05", "Painted the door of the shed."),
    ] {
        world = world.file(&format!("notes/{day}.md"), format!("# A day\n\n{text}\n"));
    }
    world.file(
        "guide.md",
        "# Guide\n\nHow we talk about a day: what did happen, and what did we decide.\n",
    )
}

#[test]
fn a_date_selects_the_chunks_of_that_day() {
    let world = dated();
    world.sync();
    let found = |since: Option<&str>, until: Option<&str>, rank| {
        let mut query = Query::new("what about the gauge of the harbour")
            .limit(20)
            .rank(rank);
        query.per_document = 20;
        query.filter.dated = (since.map(str::to_string), until.map(str::to_string));
        let answer = world.ask(&query);
        let found = answer.chunks().filter(|hit| hit.path == "MEMORY.md");
        found.map(headings).collect::<Vec<_>>()
    };
    let whole = found(None, None, Rank::Chunks).len();
    for rank in [Rank::Documents, Rank::Chunks] {
        for (since, until, day) in [
            (Some("2026-02-10"), None, "2026-02-15"),
            (None, Some("2026-01-30"), "2026-01-30"),
        ] {
            let chunks = found(since, until, rank);
            let is_of_day = |headings: &Vec<String>| headings.contains(&day.to_string());
            assert!(
                !chunks.is_empty() && chunks.iter().all(is_of_day),
                "{chunks:?}"
            );
        }
        // What comes before the first dated heading has no date.
        assert!(found(Some("2026-01"), Some("2026-02"), rank).len() < whole);
        assert!(found(Some("2026-03"), None, rank).is_empty());
    }
}

fn headings(hit: &Hit) -> Vec<String> {
    hit.trail.iter().chain(&hit.sections).cloned().collect()
}

#[test]
fn a_day_in_a_question_ranks_its_notes_first() {
    let world = dated();
    world.sync();
    for (question, first) in [
        ("what did happen on 4 February 2026", "notes/2026-02-04.md"),
        (
            "what did we decide on February 5, 2026?",
            "notes/2026-02-05.md",
        ),
        ("what did we do on 2026-02-03", "notes/2026-02-03.md"),
    ] {
        let answer = world.ask(&Query::new(question));
        let best = &answer.documents[0];
        assert_eq!(
            (&*best.path, best.chunks[0].weak),
            (first, false),
            "{question}"
        );
        let said = answer
            .notes
            .iter()
            .find(|note| matches!(note, Note::Dated { .. }));
        let said = said.map(ToString::to_string);
        assert!(said.is_some(), "{:?}", answer.notes);
        if question.ends_with("2026-02-03") {
            assert_eq!(said.unwrap(), "documents of 2026-02-03 come first");
        }
        let mut absent = answer.notes.iter();
        assert!(
            !absent.any(|note| note.to_string().contains("`February`")),
            "{:?}",
            answer.notes
        );
        // It is a signal, not a filter.
        assert!(answer.documents.len() > 1);
        let share: f32 = best.chunks[0]
            .explanation
            .signals
            .iter()
            .map(|signal| signal.share)
            .sum();
        let channels = [
            best.chunks[0].explanation.keywords,
            best.chunks[0].explanation.vectors,
        ];
        let own: f32 = channels.iter().flatten().map(|channel| channel.share).sum();
        assert!((share + own - best.chunks[0].score).abs() < 1e-5);
    }
    let entry = world.ask(&Query::new("the gauge on 30 January 2026").rank(Rank::Chunks));
    let entry = headings(&entry.documents[0].chunks[0]);
    assert!(entry.contains(&"2026-01-30".to_string()), "{entry:?}");
    let answer = world.ask(&Query::new("what did we decide on 1 May 2020"));
    assert_eq!(answer.documents[0].path, "guide.md");
    let mut ranking = Ranking::default();
    ranking.signals.date = 0.0;
    let answer = world.ask(&Query::new("what did we decide on 4 February 2026").ranking(ranking));
    assert_eq!(answer.documents[0].path, "guide.md");
}

#[test]
fn a_chunk_of_the_asked_day_ranks_above_a_document_with_many_good_ones() {
    let filler = "The gulls decide nothing. ".repeat(70);
    let page = format!(
        "# What we decide\n\nWhat did we decide about the lamp. {filler}\n\n## Lamp\n\nWhat did we decide about the lamp. {filler}\n\n\
         ## Lamps\n\nWhat did we decide about the lamps. {filler}\n"
    );
    let world = World::new()
        .file("decisions.md", page)
        .file("notes/2026-02-04.md", "# A day\n\nRain.\n");
    world.sync();
    let answer = world.search("what did we decide about the lamp on 4 February 2026");
    assert_eq!(answer.documents[0].path, "notes/2026-02-04.md");
}

#[test]
fn days_before_or_after_another_come_first_too() {
    let world = dated();
    world.sync();
    for (question, days, note) in [
        (
            "what happened before 4 February 2026",
            ["2026-01-30", "2026-02-03"].as_slice(),
            "`before 4 February 2026` is read as 2026-02-03 or earlier: documents of that time come \
             first",
        ),
        (
            "what happened between 4 and 5 February 2026",
            &["2026-02-04", "2026-02-05"],
            "`between 4 and 5 February 2026` is read as 2026-02-04 to 2026-02-05: documents of that \
             time come first",
        ),
        (
            "what happened after 4 February 2026 and before 10 February 2026",
            &["2026-02-05"],
            "`after 4 February 2026 and before 10 February 2026` is read as 2026-02-05 to 2026-02-09: \
             documents of that time come first",
        ),
    ] {
        let answer = world.ask(&Query::new(question).rank(Rank::Chunks).limit(20));
        let is_of_time = |hit: &Hit| {
            let text = format!("{} {:?}", hit.path, headings(hit));
            days.iter().any(|day| text.contains(day))
        };
        let of_time: Vec<bool> = answer.chunks().map(is_of_time).collect();
        assert!(of_time.is_sorted_by(|before, after| before >= after));
        // It is a preference, not a filter.
        assert!(
            of_time.contains(&true) && of_time.contains(&false),
            "{question}"
        );
        let notes: Vec<String> = answer.notes.iter().map(ToString::to_string).collect();
        assert!(notes.iter().any(|said| said == note), "{notes:?}");
    }
}

#[test]
fn a_day_is_noted_only_if_something_of_it_was_found() {
    let world = World::new()
        .file("notes/2026-02-04.md", "# A day\n\nRain.\n")
        .file("guide.md", "# Guide\n\nWhat we decide.\n");
    world.sync();
    let dated = |query: &Query| {
        let answer = world.ask(query);
        let mut notes = answer.notes.iter();
        notes.any(|note| matches!(note, Note::Dated { .. }))
    };
    assert!(dated(&Query::new("what did we decide on 4 February 2026")));
    // No chunk of that day contains the phrase.
    let phrase = "\"what we decide\" on 4 February 2026";
    assert!(!dated(&Query::new(phrase)));
}

#[test]
fn the_date_of_the_front_matter_counts_beside_that_of_the_name() {
    let world = World::new()
        .file(
            "posts/2025-12-24-slug/index.md",
            "---\ndate: 2026-01-05\n---\n# Kettle\n\nThe kettle sings.\n",
        )
        .file(
            "2026-01-31-post.md",
            "---\ndate: 2026-02-10\n---\n# Kettle\n\nThe kettle hums.\n",
        );
    world.sync();
    for (since, until, path) in [
        ("2026-01-01", "2026-01-10", "posts/2025-12-24-slug/index.md"),
        ("2026-02-01", "2026-02-28", "2026-01-31-post.md"),
        ("2026-01-31", "2026-01-31", "2026-01-31-post.md"),
    ] {
        let mut query = Query::new("kettle");
        query.filter.dated = (Some(since.to_string()), Some(until.to_string()));
        assert_eq!(paths(&world.ask(&query)), [path]);
    }
}

#[test]
fn mails_commits_and_entries_of_a_log_are_found_by_their_days() {
    let filler = "The harbour has boats, and each of them has a name. ".repeat(40);
    let mail = |day: &str, text: &str| {
        format!(
            "From ann Thu Jan  1 00:00:00 2026\nFrom: ann@example.org\nDate: {day} Feb 2026 03:04:05 +0000\nSubject: Lamp\n\n{text} {filler}\n\n"
        )
    };
    let entry = |day: &str, text: &str| format!("2026-02-{day} 03:04:05 INFO {text} {filler}\n");
    let both = |part: &dyn Fn(&str, &str) -> String, what: &str| {
        [
            part("03", &format!("{what} is lit")),
            part("04", &format!("{what} is out")),
        ]
        .concat()
    };
    let world = World::new()
        .file("letters.mbox", both(&mail, "The lamp of the letters"))
        .file("lamp.log", both(&entry, "The lamp of the log"))
        .file(
            "post.md",
            "+++\ndate = 2026-02-04\n+++\n# Lamp\n\nThe lamp of the post is out.\n",
        )
        .file(
            "note.md",
            "# 4 February 2026\n\nThe lamp of the note is out.\n",
        );
    world.sync();
    let mut query = Query::new("lamp").limit(20);
    query.filter.dated = (
        Some("2026-02-04".to_string()),
        Some("2026-02-04".to_string()),
    );
    let answer = world.ask(&query);
    let mut found: Vec<_> = paths(&answer);
    found.sort_unstable();
    assert_eq!(found, ["lamp.log", "letters.mbox", "note.md", "post.md"]);
    for hit in answer.chunks() {
        assert!(
            hit.text.contains("is out") || !hit.text.contains("is lit"),
            "{}",
            hit.text
        );
    }
    let answer = world.ask(&Query::new(
        "was the lamp of the letters lit on 3 February 2026",
    ));
    assert!(
        answer.documents[0].chunks[0]
            .text
            .contains("letters is lit")
    );
    world.assert_like_fresh();
}

#[test]
fn a_filter_by_date_orders_by_what_is_within_it() {
    let filler = "And so on. ".repeat(110);
    let mut journal = String::from("# Journal\n");
    for number in 0..300 {
        let (month, day) = (number / 28 + 1, number % 28 + 1);
        let text = match (month, day) {
            (9, 14) => "The lighthouse has a lantern.",
            (9, _) => "Bread, butter and cheese.",
            _ => "Repaired the lantern of the lighthouse.",
        };
        journal += &format!("\n## 2026-{month:02}-{day:02}\n\n{text} {filler}\n");
    }
    let world = World::new().file("journal.md", journal);
    world.sync();
    let mut query = Query::new("repaired the lantern of the lighthouse").rank(Rank::Chunks);
    query.ranking.channels = Channels::Vectors;
    query.filter.dated = (Some("2026-09".to_string()), Some("2026-09".to_string()));
    let answer = world.ask(&query);
    let best = answer.chunks().next().unwrap();
    let days = headings(best);
    assert!(days.contains(&"2026-09-14".to_string()), "{days:?}");
    assert!(best.score > 0.0);
}

#[test]
fn folded_copies_leave_room_for_others() {
    let licence =
        "Permission is granted, free of charge, to any person who obtains a copy of this kettle.\n";
    let mut world = World::new();
    for number in 0..150 {
        world = world.file(&format!("part-{number}/LICENCE.md"), licence);
    }
    for number in 0..4 {
        let text = format!(
            "# Note {number}\n\nWe asked a person of the harbour, number {number}, about permission to use {number} kettles at the pier; the answer was rather long.\n"
        );
        world = world.file(&format!("note-{number}.md"), text);
    }
    world.sync();
    let mut query = by_keywords("permission person copy kettle");
    query.fold_copies = true;
    assert_eq!(world.ask(&query).documents.len(), 5);
}

#[test]
fn hits_below_a_share_of_the_best_score_are_left_out_of_any_number_of_candidates() {
    let mut world = World::new();
    for number in 0..400 {
        let rest = "The water is poured at once. ".repeat(number % 7);
        let text = format!("# Note {number}\n\nKettle {number} boils. {rest}\n");
        world = world.file(&format!("note-{number}.md"), text);
    }
    world.sync();
    for rank in [Rank::Documents, Rank::Chunks] {
        for fold_copies in [false, true] {
            for limit in [1, 5, 50, 1000] {
                let mut query = by_keywords("kettle 7 boils");
                (query.rank, query.fold_copies, query.limit) = (rank, fold_copies, limit);
                let all: Vec<f32> = world.ask(&query).chunks().map(|hit| hit.score).collect();
                for share in [0.3, 0.99, 1.0] {
                    query.ranking.min_share = share;
                    let kept: Vec<f32> = world.ask(&query).chunks().map(|hit| hit.score).collect();
                    assert!(!kept.is_empty());
                    assert!(kept.iter().all(|score| *score >= all[0] * share));
                    assert!(kept.len() <= limit.min(all.len()).max(1));
                }
            }
        }
    }
}
