//! A search of a part answers as if nothing else existed: documents elsewhere change no hit, no
//! score and no note.

use std::fmt::Write;

use excerpt_index::{Answer, Filter, Query, Rank};

use crate::fixture::World;

const WORDS: [&str; 12] = [
    "harbour", "kettle", "lantern", "meadow", "orchard", "pebble", "quarry", "ribbon", "saddle",
    "thicket", "valley", "willow",
];

/// A few words that depend only on `seed`.
fn sentence(seed: usize, length: usize) -> String {
    let words = (0..length).map(|at| WORDS[(seed * 7 + at * at * (seed % 5 + 1)) % WORDS.len()]);
    words.collect::<Vec<_>>().join(" ")
}

/// Prose and source code, all of it in `pub`; the prose has a tag.
fn world() -> World {
    let mut world = World::new();
    for n in 0..9 {
        let (title, own) = (sentence(n, 2), sentence(n + 3, 12));
        let note = format!("---\ntags: [open]\n---\n# {title}\n\n{own}.\n");
        world = world.file(&format!("pub/{n}.md"), note);
        let code = format!(
            "/// {}\nfn {}() {{}}\n",
            sentence(n + 1, 6),
            sentence(n, 2).replace(' ', "_")
        );
        world = world.file(&format!("pub/{n}.rs"), code);
    }
    world
}

/// The same among many other documents, which contain every word, and some that do not occur in
/// `pub`.
fn world_among_others() -> World {
    let mut world = world();
    for n in 0..40 {
        let mut code = String::new();
        for line in 0..n {
            let _ = writeln!(
                code,
                "// {} xylophone {}",
                sentence(line, 3 + n % 9),
                sentence(n, 30)
            );
            let _ = writeln!(code, "fn harbour_kettle_{n}_{line}() {{ zephyr() }}");
        }
        world = world.file(&format!("public/{n}.rs"), code);
        world = world.file(&format!("secret/{n}.rs"), "fn harbour_kettle() {}\n");
    }
    world
}

/// The whole content of an answer.
fn told(answer: &Answer) -> String {
    let mut told = format!(
        "{:?} {} {}\n",
        answer.notes, answer.chunks_total, answer.documents_total
    );
    for hit in answer.chunks() {
        let channels = [&hit.explanation.keywords, &hit.explanation.vectors];
        let channels = channels.map(|channel| {
            channel
                .as_ref()
                .map(|channel| (channel.rank, format!("{:.4}", channel.score)))
        });
        let _ = writeln!(
            told,
            "{} {:.4} {:.4} {} {channels:?} {:?}",
            hit.citation,
            hit.score,
            hit.coverage,
            hit.weak,
            hit.explanation
                .signals
                .iter()
                .map(|signal| signal.name)
                .collect::<Vec<_>>()
        );
    }
    told
}

#[test]
fn documents_elsewhere_change_nothing() {
    let (alone, among) = (world(), world_among_others());
    alone.sync();
    among.sync();
    let in_pub = Filter::default().path("pub");
    let mut open = Filter::default();
    open.tags = vec!["open".to_string()];
    let open_in_pub = open.clone().path("pub");
    let questions = [
        "harbour",
        "where is the kettle by the harbour",
        "xylophone",
        "kettle xylophone zephyr",
        "harbour_kettle",
        "\"kettle xylophone\" harbour",
        "\"lantern pebble\" valley -willow",
        "meadow orchard ribbon saddle thicket",
    ];
    for question in questions {
        for filter in [in_pub.clone(), open_in_pub.clone(), open.clone()] {
            for rank in [Rank::Documents, Rank::Chunks] {
                let query = Query::new(question).rank(rank).limit(50);
                let asked = query.clone().within(filter.clone());
                let [alone, among] = [&alone, &among].map(|world| told(&world.ask(&asked)));
                assert_eq!(alone, among, "{question} within {filter:?}");
            }
        }
        // Everything, with and without a filter.
        let query = Query::new(question).limit(50);
        let bound = query.clone().within(in_pub.clone());
        assert_eq!(
            told(&alone.ask(&query)),
            told(&alone.ask(&bound)),
            "{question}"
        );
    }
}
