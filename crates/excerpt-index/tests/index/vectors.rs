//! Vectors are updated with the texts, and nothing is embedded unnecessarily.

use std::fs;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use excerpt_chunk::{Config, ContextParts};
use excerpt_index::{
    Answer, Channels, EmbedError, Embedder, Filter, Index, Note, OpenOptions, Query, Ranking,
    Stage, StaticTable, SyncOptions, SyncReport, Vectors, quiet,
};

use crate::fixture::{World, age, by_keywords, paths};
use crate::formats::{FORMATS, old};

/// The built-in embedder under another name, which records what it embeds.
struct Counting {
    table: StaticTable,
    identity: String,
    embedded: Mutex<Vec<String>>,
}

impl Counting {
    fn new(identity: &str) -> Arc<Self> {
        Arc::new(Counting {
            table: StaticTable::built_in().unwrap(),
            identity: identity.into(),
            embedded: Mutex::default(),
        })
    }

    /// The texts that it has embedded since the last call.
    fn embedded(&self) -> Vec<String> {
        std::mem::take(&mut self.embedded.lock().unwrap())
    }

    fn open(self: &Arc<Self>, world: &World) -> Index {
        world.open().with_embedder(Some(self.clone()))
    }

    /// Syncs, and returns how many texts were embedded.
    fn sync(self: &Arc<Self>, world: &World) -> usize {
        let report = self.report(world, |_| ControlFlow::Continue(()));
        assert!(report.complete && report.without_vectors.is_none());
        self.embedded().len()
    }

    fn report(
        self: &Arc<Self>,
        world: &World,
        progress: impl FnMut(excerpt_index::Progress) -> ControlFlow<()>,
    ) -> SyncReport {
        let mut index = self.open(world);
        index.sync(&world.root(), &world.options, progress).unwrap()
    }

    fn ask(self: &Arc<Self>, world: &World, query: &Query) -> Answer {
        self.open(world).search(query).unwrap()
    }
}

impl Embedder for Counting {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.table.dimensions()
    }

    fn max_input(&self) -> usize {
        self.table.max_input()
    }

    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError> {
        let mut embedded = self.embedded.lock().unwrap();
        embedded.extend(texts.iter().map(ToString::to_string));
        self.table.embed_documents(texts, vectors)
    }

    fn embed_query(&self, pieces: &[(&str, f32)]) -> Result<Vec<f32>, EmbedError> {
        self.table.embed_query(pieces)
    }
}

/// A query that only the vectors answer.
fn by_vectors(query: &str) -> Query {
    let mut ranking = Ranking::default();
    ranking.channels = Channels::Vectors;
    Query::new(query).ranking(ranking)
}

const BREAD: &str = "# Bread\n\nKnead the dough, and let it rise in a warm kitchen before it is baked in the oven.\n";
const SHIP: &str =
    "# Ship\n\nThe captain steers the vessel through the storm towards the harbour.\n";
const MONEY: &str =
    "# Money\n\nThe bank lends money, and the borrower pays interest on the loan each year.\n";

fn three() -> World {
    World::new()
        .file("bread.md", BREAD)
        .file("ship.md", SHIP)
        .file("deep/money.md", MONEY)
}

/// A document with this number of chunks, each on a different topic.
fn long(sections: usize) -> String {
    let section = |number| {
        let filler =
            format!("Section {number} tells of matter {number} at some length. ").repeat(40);
        format!("## Part {number}\n\n{filler}\n\n")
    };
    format!(
        "# Long\n\n{}",
        (0..sections).map(section).collect::<String>()
    )
}

/// A world with this number of documents of one chunk.
fn many(count: usize) -> World {
    let world = World::new();
    for number in 0..count {
        world.write(
            &format!("{number}.md"),
            format!("# Note {number}\n\nText of note {number}.\n"),
        );
    }
    world
}

fn without_vectors(answer: &Answer) -> Option<&str> {
    answer.notes.iter().find_map(|note| match note {
        Note::WithoutVectors { reason } => Some(&**reason),
        Note::NoVectors => Some("there are none yet"),
        _ => None,
    })
}

#[test]
fn a_question_in_other_words_finds_its_document() {
    let world = three();
    let report = world.sync();
    assert_eq!(report.without_vectors, None);
    for (question, path) in [
        ("cooking loaves", "bread.md"),
        ("sailor on a boat", "ship.md"),
        ("debt and finance", "deep/money.md"),
    ] {
        assert!(
            world.search(question).documents.is_empty(),
            "no word of it is there"
        );
        let answer = world.ask(&Query::new(question));
        assert_eq!(paths(&answer)[0], path, "{question}");
        assert!(answer.vectors && without_vectors(&answer).is_none());
        let explanation = &answer.documents[0].chunks[0].explanation;
        assert!(explanation.keywords.is_none() && explanation.vectors.is_some());
    }
    let vectors = world.open().status().unwrap().vectors;
    assert_eq!((vectors.behind, vectors.refused), (0, 0));
    let built_in = StaticTable::built_in().unwrap();
    assert_eq!(vectors.embedder.as_deref(), Some(built_in.identity()));
}

#[test]
fn vectors_can_be_switched_off() {
    let world = three();
    let mut index = world.open().with_embedder(None);
    let report = index.sync(&world.root(), &world.options, quiet).unwrap();
    assert_eq!(report.without_vectors, None);
    assert!(!world.index_dir().join("vectors").exists());
    let answer = index.search(&Query::new("captain")).unwrap();
    assert_eq!(paths(&answer), ["ship.md"]);
    assert_eq!(without_vectors(&answer), Some("they are switched off"));
    // If they are switched off, no note mentions them.
    assert_eq!(index.search(&by_keywords("captain")).unwrap().notes, []);
}

#[test]
fn unchanged_texts_are_not_embedded_again() {
    let embedder = Counting::new("a");
    let mut world = three();
    assert_eq!(embedder.sync(&world), 3);
    assert_eq!(embedder.sync(&world), 0, "a second sync");
    age(&world.root().join("ship.md"), Duration::from_secs(60));
    assert_eq!(embedder.sync(&world), 0, "a file of another time");
    world.options = SyncOptions::default().chunking(Config {
        max: Config::default().max + 1,
        ..Config::default()
    });
    let report = embedder.report(&world, quiet);
    assert_eq!(report.recut, 3);
    assert!(
        embedder.embedded().is_empty(),
        "cut again into the same chunks"
    );
    world.write("copy.md", "");
    embedder.sync(&world);
    world.remove("ship.md");
    assert_eq!(embedder.sync(&world), 0, "a document less");
    world.write("ship.md", SHIP);
    assert_eq!(embedder.sync(&world), 0, "a document that comes back");
    assert_eq!(
        paths(&embedder.ask(&world, &by_vectors("sailor on a boat")))[0],
        "ship.md"
    );
}

#[test]
fn a_moved_document_is_embedded_again_only_where_its_path_is() {
    let embedder = Counting::new("a");
    let mut world = three();
    let rename = |from: &str, to: &str| {
        fs::rename(world.root().join(from), world.root().join(to)).unwrap();
    };
    embedder.sync(&world);
    rename("ship.md", "boat.md");
    assert_eq!(embedder.sync(&world), 1);
    rename("boat.md", "ship.md");
    assert_eq!(embedder.sync(&world), 0);
    world.options = SyncOptions::default().chunking(Config {
        context: ContextParts::DEFAULT.without(ContextParts::PATH),
        ..Config::default()
    });
    assert_eq!(embedder.sync(&world), 3);
    fs::rename(world.root().join("ship.md"), world.root().join("boat.md")).unwrap();
    assert_eq!(embedder.sync(&world), 0);
    assert_eq!(
        paths(&embedder.ask(&world, &by_vectors("sailor")))[0],
        "boat.md"
    );
}

#[test]
fn equal_chunks_are_embedded_once() {
    let mut world = World::new().file("a.md", SHIP).file("b/c.md", SHIP);
    world.options = SyncOptions::default().chunking(Config {
        context: ContextParts::NONE,
        ..Config::default()
    });
    let embedder = Counting::new("a");
    assert_eq!(embedder.sync(&world), 1);
    let answer = embedder.ask(&world, &by_vectors("sailor on a boat"));
    assert_eq!(paths(&answer), ["a.md", "b/c.md"]);
    world.remove("a.md");
    assert_eq!(embedder.sync(&world), 0);
    let answer = embedder.ask(&world, &by_vectors("sailor on a boat"));
    assert_eq!(paths(&answer), ["b/c.md"]);
}

#[test]
fn a_change_embeds_the_chunks_that_changed() {
    let embedder = Counting::new("a");
    let text = long(12);
    let world = three().file("long.md", &text);
    let all = embedder.sync(&world);
    assert!(all > 10, "{all}");
    world.write("long.md", text.replacen("matter 7 ", "moment 7 ", 1));
    embedder.report(&world, quiet);
    let embedded = embedder.embedded();
    assert!(
        (1..=3).contains(&embedded.len()),
        "{} of {all}",
        embedded.len()
    );
    assert!(embedded.iter().any(|text| text.contains("moment 7 ")));
    world.assert_like_fresh();
}

#[test]
fn another_embedder_embeds_everything_and_the_first_again_what_was_not_kept() {
    let (first, second) = (Counting::new("a"), Counting::new("b"));
    let world = three();
    assert_eq!(first.sync(&world), 3);
    // The vectors of one embedder are not used for the other.
    let answer = second.ask(&world, &Query::new("sailor on a boat"));
    assert!(!answer.vectors && without_vectors(&answer).is_some());
    // Until the second one is complete, all vectors of the first are kept.
    let stop = |progress: excerpt_index::Progress| match progress.stage {
        Stage::Vectors => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    assert!(!second.report(&world, stop).complete);
    assert_eq!(first.sync(&world), 0);
    assert!(first.ask(&world, &Query::new("sailor on a boat")).vectors);
    // The sync of the first one removed the vectors that only the second one had.
    second.embedded();
    assert_eq!(second.sync(&world), 3);
    assert_eq!(
        paths(&second.ask(&world, &Query::new("sailor on a boat")))[0],
        "ship.md"
    );
    let status = second.open(&world).status().unwrap();
    assert_eq!(status.vectors.embedder.as_deref(), Some("b"));
    assert_eq!(first.sync(&world), 3);
}

#[test]
fn removed_documents_are_not_found() {
    let world = three();
    world.sync();
    world.remove("ship.md");
    // Even while the vectors still contain it.
    let mut index = world.open().with_embedder(None);
    index.sync(&world.root(), &world.options, quiet).unwrap();
    let found = |query: &Query| paths(&world.ask(query)).contains(&"ship.md");
    assert!(!found(&by_vectors("sailor on a boat")));
    world.sync();
    assert!(!found(&by_vectors("sailor on a boat")));
    let notes = world.ask(&by_vectors("sailor on a boat")).notes;
    assert!(matches!(notes[..], [Note::Absent(_)]), "{notes:?}");
}

#[test]
fn documents_changed_since_are_reported_without_vectors() {
    let world = three();
    world.sync();
    world.write("ship.md", "# Pigs\n\nThey live in a sty.\n");
    let mut index = world.open().with_embedder(None);
    index.sync(&world.root(), &world.options, quiet).unwrap();
    let answer = world.ask(&Query::new("captain"));
    assert_eq!(
        answer.notes.last(),
        Some(&Note::VectorsBehind { documents: 1 })
    );
    assert!(!paths(&answer).contains(&"ship.md"), "{:?}", paths(&answer));
    assert_eq!(paths(&world.ask(&Query::new("pigs")))[0], "ship.md");
    assert_eq!(world.open().status().unwrap().vectors.behind, 1);
    world.sync();
    assert_eq!(world.open().status().unwrap().vectors.behind, 0);
}

#[test]
fn a_small_folder_is_not_crowded_out_by_nearer_chunks() {
    let world = many(0).file("rare/z.md", BREAD);
    for number in 0..1_500 {
        world.write(
            &format!("many/{number}.md"),
            format!("# Boat {number}\n\nA sailor on a boat, number {number}.\n"),
        );
    }
    world.sync();
    let query = by_vectors("sailor on a boat");
    let everywhere = world.ask(&query);
    assert!(
        paths(&everywhere)
            .iter()
            .all(|path| path.starts_with("many/"))
    );
    let inside = |filter| query.clone().within(filter);
    let rare = world.ask(&inside(Filter::default().path("rare")));
    assert_eq!(paths(&rare), ["rare/z.md"]);
    let document = world.ask(&inside(Filter::default().path("many/7.md")));
    assert_eq!(paths(&document), ["many/7.md"]);
    let nowhere = world.ask(&inside(Filter::default().path("ra")));
    assert!(nowhere.documents.is_empty());
}

#[test]
fn a_source_is_searched_alone_by_vectors_too() {
    let (world, other) = (three(), World::new().file("far.md", MONEY));
    world.sync();
    let mut index = world.open();
    index.sync(&other.root(), &world.options, quiet).unwrap();
    let filter = Filter::default().source(other.root());
    let answer = index
        .search(&by_vectors("sailor on a boat").within(filter))
        .unwrap();
    assert_eq!(paths(&answer), ["far.md"]);
}

/// Damages the file of vectors, and asserts that searches work without it and report it, and that
/// the next sync repairs it without embedding.
fn is_repaired_after(damage: impl Fn(&std::path::Path)) {
    let embedder = Counting::new("a");
    let world = three();
    embedder.sync(&world);
    let before = fs::read(world.index_dir().join("vectors")).unwrap();
    damage(&world.index_dir().join("vectors"));
    let index = embedder.open(&world);
    let answer = index.search(&Query::new("captain")).unwrap();
    assert_eq!(paths(&answer), ["ship.md"]);
    assert!(!answer.vectors);
    assert_eq!(without_vectors(&answer), Some("there are none yet"));
    let status = index.status().unwrap();
    assert_eq!(
        (status.vectors.embedder, status.vectors.behind),
        (None, status.documents)
    );
    assert_eq!(embedder.sync(&world), 0);
    let after = fs::read(world.index_dir().join("vectors")).unwrap();
    assert!(before == after, "the file is as it was");
    let answer = index.search(&Query::new("sailor on a boat")).unwrap();
    assert_eq!(paths(&answer)[0], "ship.md");
    assert!(answer.vectors);
}

#[test]
fn missing_vectors_are_rebuilt() {
    is_repaired_after(|file| fs::remove_file(file).unwrap());
}

#[test]
fn truncated_vectors_are_rebuilt() {
    for part in [0, 7, 20, 40, 90] {
        is_repaired_after(|file| {
            let bytes = fs::read(file).unwrap();
            fs::write(file, &bytes[..bytes.len() * part / 100]).unwrap();
        });
    }
    is_repaired_after(|file| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() - 1]).unwrap();
    });
}

#[test]
fn vectors_with_trailing_bytes_are_rebuilt() {
    is_repaired_after(|file| {
        let mut bytes = fs::read(file).unwrap();
        bytes.extend([0; 32]);
        fs::write(file, bytes).unwrap();
    });
}

#[test]
fn vectors_with_a_flipped_bit_are_rebuilt() {
    for part in [0, 5, 10, 30, 60, 80, 99] {
        is_repaired_after(|file| {
            let mut bytes = fs::read(file).unwrap();
            let at = bytes.len() * part / 100;
            bytes[at] ^= 0x10;
            fs::write(file, bytes).unwrap();
        });
    }
}

#[test]
fn meaningless_vectors_are_rebuilt() {
    is_repaired_after(|file| fs::write(file, "no vectors at all").unwrap());
    is_repaired_after(|file| fs::write(file, [0xFF; 4096]).unwrap());
    is_repaired_after(|file| {
        fs::write(file, [b"EXCRPTV\x01".as_slice(), &[0xFF; 512]].concat()).unwrap();
    });
}

#[test]
fn vectors_of_another_store_are_not_used() {
    let other = World::new().file("a.md", BREAD).file("b.md", SHIP);
    Counting::new("a").sync(&other);
    is_repaired_after(|file| {
        fs::copy(other.index_dir().join("vectors"), file).unwrap();
    });
}

#[test]
fn an_open_index_sees_the_vectors_of_another_process() {
    let world = three();
    world.sync();
    let reader = Index::open(&world.index_dir(), OpenOptions::default()).unwrap();
    reader.search(&Query::new("captain")).unwrap();
    world.write(
        "pigs.md",
        "# Pigs\n\nThe farmer feeds his pigs in the sty.\n",
    );
    world.sync();
    let answer = reader
        .search(&Query::new("agriculture, livestock"))
        .unwrap();
    assert_eq!(paths(&answer)[0], "pigs.md");
    assert_eq!(without_vectors(&answer), None);
}

/// The database is unchanged; only the vectors differ.
#[test]
fn an_open_index_sees_a_change_of_embedder() {
    let (first, second) = (Counting::new("a"), Counting::new("b"));
    let world = three();
    first.sync(&world);
    let (as_first, as_second) = (first.open(&world), second.open(&world));
    assert!(as_first.search(&Query::new("sailor")).unwrap().vectors);
    assert!(!as_second.search(&Query::new("sailor")).unwrap().vectors);
    second.sync(&world);
    assert!(as_second.search(&Query::new("sailor")).unwrap().vectors);
    let answer = as_first.search(&Query::new("sailor")).unwrap();
    assert!(!answer.vectors && without_vectors(&answer).is_some());
}

#[test]
fn an_index_of_a_format_without_vectors_gets_them_at_the_next_sync() {
    const WITHOUT_VECTORS: usize = 2;
    let world = old(FORMATS[WITHOUT_VECTORS - 1]);
    let mut index = Index::open(&world.index_dir(), OpenOptions::default()).unwrap();
    let answer = index.search(&Query::new("degrees")).unwrap();
    assert_eq!(paths(&answer).len(), 2);
    assert!(without_vectors(&answer).is_some());
    let report = index.sync(&world.root(), &world.options, quiet).unwrap();
    assert_eq!((report.recut, report.read), (3, 3));
    let answer = index.search(&Query::new("a hot drink")).unwrap();
    assert!(without_vectors(&answer).is_none());
    assert!(!paths(&answer).is_empty());
    world.assert_like_fresh();
}

#[test]
fn an_interrupted_sync_keeps_its_vectors() {
    let embedder = Counting::new("a");
    let world = many(900);
    let mut told = 0;
    let stop = |progress: excerpt_index::Progress| match progress.stage {
        Stage::Vectors => {
            told += 1;
            match told {
                3 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
        _ => ControlFlow::Continue(()),
    };
    let report = embedder.report(&world, stop);
    assert!(!report.complete);
    let first = embedder.embedded().len();
    assert!(first > 0 && first < 900, "{first}");
    let behind = embedder.open(&world).status().unwrap().vectors.behind;
    assert!(behind > 0 && behind < 900, "{behind}");
    let answer = embedder.ask(&world, &Query::new("note 1"));
    assert!(answer.vectors);
    assert!(
        answer
            .notes
            .contains(&Note::VectorsBehind { documents: behind })
    );
    assert_eq!(embedder.sync(&world), 900 - first);
    assert_eq!(embedder.open(&world).status().unwrap().vectors.behind, 0);
}

#[test]
fn progress_of_vectors_reaches_its_total() {
    let world = many(300);
    let mut last = None;
    let watch = |progress: excerpt_index::Progress| {
        if progress.stage == Stage::Vectors {
            assert!(last.is_none_or(|done| done <= progress.done));
            assert_eq!(progress.total, 300);
            last = Some(progress.done);
        }
        ControlFlow::Continue(())
    };
    let mut index = world.open();
    index.sync(&world.root(), &world.options, watch).unwrap();
    assert_eq!(last, Some(300));
}

/// The same files in another folder that shares the index.
#[test]
fn a_second_checkout_embeds_only_differences_and_is_searched_alone() {
    let world = three();
    let embedder = Counting::new("one");
    assert!(embedder.sync(&world) > 0);
    let other = three();
    let sync_other = || {
        let mut index = embedder.open(&world);
        let report = index.sync(&other.root(), &other.options, quiet).unwrap();
        assert!(report.complete);
        embedder.embedded().len()
    };
    let texts = world.open().status().unwrap().text_bytes;
    assert_eq!(sync_other(), 0);
    assert_eq!(world.open().status().unwrap().text_bytes, texts);
    other.write("only-here.md", "# Only here\n\nA zeppelin.\n");
    assert_eq!(sync_other(), 1);
    let query =
        |root: &std::path::Path| by_keywords("zeppelin").within(Filter::default().source(root));
    assert!(world.ask(&query(&world.root())).documents.is_empty());
    assert_eq!(paths(&world.ask(&query(&other.root()))), ["only-here.md"]);
    // A file that one loses stays in the other.
    other.remove("only-here.md");
    let before = world.open().fingerprint().unwrap();
    world.sync();
    assert_eq!(world.open().fingerprint().unwrap(), before);
}
