//! An index whose endpoint fails: keyword search still works, the failure is reported, and a later
//! sync continues from there.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{HttpEmbedder, HttpOptions};
use crate::endpoint::server::{DIMENSIONS, Reply, Request, Server, vectors};
use crate::{Answer, Index, Note, OpenOptions, Query, SyncOptions, SyncReport, quiet};

/// A folder `notes` with this many documents, and an index next to it.
struct World {
    dir: tempfile::TempDir,
    documents: usize,
}

impl World {
    fn new(documents: usize) -> World {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("notes")).unwrap();
        for number in 0..documents {
            let text = format!("# Note {number}\n\nText of note {number}.\n");
            fs::write(dir.path().join(format!("notes/{number}.md")), text).unwrap();
        }
        World { dir, documents }
    }

    fn open(&self, url: &str, change: impl FnOnce(&mut HttpOptions)) -> Index {
        let mut options = HttpOptions::new(url, "words", DIMENSIONS);
        options.retries = 0;
        change(&mut options);
        let embedder = HttpEmbedder::new(options).unwrap();
        let index = Index::open(&self.dir.path().join("index"), OpenOptions::create()).unwrap();
        index.with_embedder(Some(Arc::new(embedder)))
    }

    fn sync(&self, index: &mut Index) -> SyncReport {
        let root = self.dir.path().join("notes");
        let report = index.sync(&root, &SyncOptions::default(), quiet).unwrap();
        assert!(report.complete);
        report
    }

    /// Syncs and searches with an endpoint that fails with a message containing `words`, and again
    /// with one that works.
    fn fails(url: &str, change: impl FnOnce(&mut HttpOptions), words: &str) {
        let world = World::new(3);
        let mut index = world.open(url, change);
        let report = world.sync(&mut index);
        assert_eq!(report.added, 3);
        let reason = report.without_vectors.unwrap();
        assert!(reason.contains(words), "{reason}");
        let status = index.status().unwrap().vectors;
        assert_eq!((status.behind, status.refused), (3, 0));
        assert_eq!(status.failure, Some(reason));
        let answer = index.search(&Query::new("note 1")).unwrap();
        assert_eq!(answer.documents[0].path, "1.md");
        assert!(!answer.vectors);
        assert!(
            matches!(&*answer.notes, [Note::WithoutVectors { reason }] if reason.contains(words)),
            "{:?}",
            answer.notes
        );

        let server = Server::new(vectors);
        let mut index = world.open(&server.url(), |_| {});
        assert_eq!(world.sync(&mut index).without_vectors, None);
        let status = index.status().unwrap().vectors;
        assert_eq!((status.behind, status.failure), (0, None));
        let answer = index.search(&Query::new("note 1")).unwrap();
        assert!(answer.vectors && answer.notes.is_empty());
    }
}

/// An address where nothing listens.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

#[test]
fn an_endpoint_that_is_down() {
    World::fails(&nobody(), |_| {}, "nothing is listening");
}

#[test]
fn an_endpoint_that_is_too_slow() {
    let server = Server::always(Reply::Silence);
    let hurry = |options: &mut HttpOptions| options.timeout = Duration::from_millis(50);
    World::fails(&server.url(), hurry, "time");
}

#[test]
fn an_endpoint_with_vectors_of_another_length() {
    let server = Server::new(vectors);
    let more = |options: &mut HttpOptions| options.dimensions = DIMENSIONS + 1;
    World::fails(&server.url(), more, "8");
}

#[test]
fn an_endpoint_that_answers_with_an_error() {
    let broken = json!({ "error": { "message": "the model is not loaded" } });
    let server = Server::always(Reply::json(500, &broken));
    World::fails(&server.url(), |_| {}, "the model is not loaded");
}

#[test]
fn an_endpoint_that_breaks_off_or_talks_nonsense() {
    for reply in [
        Reply::Nothing,
        Reply::Noise,
        Reply::Torn("{\"data\": []}".into(), 5),
    ] {
        let server = Server::always(reply);
        World::fails(&server.url(), |_| {}, "no vectors from `http-words-8-");
    }
    let server = Server::always(Reply::text(200, "welcome"));
    World::fails(&server.url(), |_| {}, "no vectors from `http-words-8-");
}

/// Rejects each request with a text of note 7 or 11.
fn picky(asked: &Request) -> Reply {
    let is_bad = |text: &&str| text.contains("note 7.") || text.contains("note 11.");
    match asked.input().iter().any(is_bad) {
        true => Reply::json(400, &json!({ "error": { "message": "not this one" } })),
        false => vectors(asked),
    }
}

/// An endpoint that answers this many requests and then goes down.
fn tiring(left: &Arc<AtomicUsize>) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    let left = Arc::clone(left);
    move |asked: &Request| match left.load(Ordering::Relaxed) {
        0 => Reply::text(503, "down for maintenance"),
        requests => {
            left.store(requests - 1, Ordering::Relaxed);
            vectors(asked)
        }
    }
}

fn vectors_of(answer: &Answer, path: &str) -> bool {
    let mut chunks = answer.chunks().filter(|hit| hit.path == path);
    chunks.any(|hit| hit.explanation.vectors.is_some())
}

#[test]
fn what_is_refused_is_counted_and_the_rest_has_its_vectors() {
    let (server, world) = (Server::new(picky), World::new(40));
    let mut index = world.open(&server.url(), |_| {});
    let report = world.sync(&mut index);
    assert_eq!(report.without_vectors, None);
    let status = index.status().unwrap().vectors;
    assert_eq!(
        (status.behind, status.refused, status.failure),
        (0, 2, None)
    );
    assert!(status.refusal.unwrap().contains("not this one"));
    let answer = index.search(&Query::new("text of note").limit(40)).unwrap();
    assert!(answer.vectors);
    assert_eq!(answer.documents.len(), 40, "keywords find those as well");
    for number in 0..40 {
        let has_vectors = vectors_of(&answer, &format!("{number}.md"));
        assert_eq!(has_vectors, ![7, 11].contains(&number), "{number}");
    }

    // They are not requested again.
    let before = server.asked().len();
    world.sync(&mut index);
    assert_eq!(server.asked().len(), before);
    fs::write(world.dir.path().join("notes/new.md"), "# New\n\nA text.\n").unwrap();
    world.sync(&mut index);
    assert_eq!(server.inputs()[before..].concat().len(), 1);
}

#[test]
fn a_sync_goes_on_where_the_endpoint_went_down() {
    let world = World::new(600);
    let left = Arc::new(AtomicUsize::new(10));
    let server = Server::new(tiring(&left));
    let mut index = world.open(&server.url(), |_| {});
    let report = world.sync(&mut index);
    assert!(report.without_vectors.unwrap().contains("maintenance"));
    let behind = index.status().unwrap().vectors.behind;
    assert!(behind > 0 && behind < world.documents, "{behind}");
    let found = |answer: &Answer| answer.documents[0].path.clone();
    let answer = index.search(&Query::new("note 599")).unwrap();
    assert_eq!(found(&answer), "599.md");
    assert!(matches!(&*answer.notes, [Note::WithoutVectors { .. }]));

    left.store(1, Ordering::Relaxed);
    let answer = index.search(&Query::new("note 599")).unwrap();
    assert!(answer.vectors);
    assert_eq!(answer.notes, [Note::VectorsBehind { documents: behind }]);
    assert_eq!(found(&answer), "599.md");

    let before = server.asked().len();
    left.store(usize::MAX, Ordering::Relaxed);
    assert_eq!(world.sync(&mut index).without_vectors, None);
    assert_eq!(index.status().unwrap().vectors.behind, 0);
    let again = server.inputs()[before..].concat();
    assert_eq!(again.len(), behind, "no text of those that were done");
    assert_eq!(again.iter().collect::<BTreeSet<_>>().len(), behind);
}

#[test]
fn the_vectors_that_are_there_serve_until_those_of_an_endpoint_are_complete() {
    let world = World::new(600);
    let built_in = || Index::open(&world.dir.path().join("index"), OpenOptions::create()).unwrap();
    world.sync(&mut built_in());
    let held = built_in().status().unwrap().vectors;
    let left = Arc::new(AtomicUsize::new(10));
    let server = Server::new(tiring(&left));
    let mut index = world.open(&server.url(), |_| {});
    let ask = |index: &mut Index| index.search(&Query::new("note 599")).unwrap();
    let notes = |answer: &Answer| match &*answer.notes {
        [
            Note::FormerVectors {
                embedder,
                documents,
                failure,
            },
        ] => {
            assert_eq!(Some(embedder), held.embedder.as_ref());
            (*documents, failure.clone())
        }
        notes => panic!("{notes:?}"),
    };
    // Before any request to the endpoint, and after it went down midway.
    let answer = ask(&mut index);
    assert!(answer.vectors && server.asked().is_empty());
    assert_eq!(notes(&answer), (600, None));
    world.sync(&mut index);
    let answer = ask(&mut index);
    assert!(answer.vectors);
    assert!(answer.chunks().any(|hit| hit.explanation.vectors.is_some()));
    let (documents, failure) = notes(&answer);
    assert!(documents > 0 && documents < 600, "{documents}");
    assert!(failure.unwrap().contains("maintenance"));
    let status = index.status().unwrap().vectors;
    assert_eq!((status.embedder, status.behind), (held.embedder.clone(), 0));
    assert_eq!(status.next.unwrap().behind, documents);

    // Switching back finds everything unchanged; going on embeds only the rest.
    let answer = ask(&mut built_in());
    assert!(answer.vectors && answer.notes.is_empty());
    let before = server.asked().len();
    left.store(usize::MAX, Ordering::Relaxed);
    assert_eq!(world.sync(&mut index).without_vectors, None);
    assert_eq!(server.inputs()[before..].concat().len(), documents);
    let status = index.status().unwrap().vectors;
    assert!(status.embedder.unwrap().starts_with("http-"));
    assert_eq!((status.behind, status.next), (0, None));
    assert!(ask(&mut index).notes.is_empty());
}

#[test]
fn switching_back_to_the_built_in_vectors_keeps_no_others() {
    let world = World::new(30);
    let built_in = || Index::open(&world.dir.path().join("index"), OpenOptions::create()).unwrap();
    world.sync(&mut built_in());
    let server = Server::new(tiring(&Arc::new(AtomicUsize::new(1))));
    let mut index = world.open(&server.url(), |options| options.batch_texts = 4);
    world.sync(&mut index);
    assert!(index.status().unwrap().vectors.next.is_some());
    world.sync(&mut built_in());
    assert_eq!(built_in().status().unwrap().vectors.next, None);
}
