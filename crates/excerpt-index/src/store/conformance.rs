//! The contract of a [`Store`], checked by its tests.

use std::ops::ControlFlow;
use std::sync::Arc;

use excerpt_chunk::{Chunker, Document, Hash};

use super::ledger::Followed;
use super::{Change, Documents, LexicalQuery, Record, Store, StoredDocument};
use crate::embed::Embedder;
use crate::fs::lock::WriteLock;
use crate::model::{Attributes, Keywords, Revision, SourceId, Stat};

/// Asserts the contract of a store that `open` opens and that is empty at first. `lock` is the
/// right to write it.
pub(crate) fn conforms(open: &dyn Fn() -> Store, lock: &WriteLock, embedder: &dyn Embedder) {
    let mut store = open();
    assert_eq!(store.database.rev().unwrap(), Revision(0));
    assert_eq!(
        store.keywords().unwrap(),
        Keywords::InStep,
        "nothing to lack"
    );

    let [source, other] = ["/notes", "/other"].map(SourceId::from);
    for source in [&source, &other, &source] {
        store.database.ensure_source(source, None).unwrap();
    }
    let sources = store.database.sources().unwrap().into_iter();
    let sources: Vec<SourceId> = sources.map(|source| source.id).collect();
    assert_eq!(sources, [source.clone(), other.clone()]);

    put_and_read(&store, &source, &other);
    follow(&mut store, lock, embedder);
    ask(&store, &source, embedder);
    change(&mut store, lock, &source, embedder);
    remove(&mut store, lock, &source, embedder);

    let rev = store.database.rev().unwrap();
    drop(store);
    let store = open();
    assert_eq!(store.database.rev().unwrap(), rev);
    assert_eq!(store.keywords().unwrap(), Keywords::InStep);
    assert_eq!(found(&store, "black", None), ["folder/b.md"]);
}

fn record(path: &str, text: &str) -> Box<Record> {
    let document = Document::new(text).with_path(path);
    let chunking = Chunker::default().chunk(&document);
    let (hash, identity) = (Hash::of(text.as_bytes()), Hash::of(b"settings"));
    let attributes = Attributes::default();
    Box::new(Record::new(&document, &chunking, hash, identity, &attributes, None).unwrap())
}

fn put(store: &Store, source: &SourceId, path: &str, text: &str) {
    let mut record = record(path, text);
    let before = store.database.documents_at(path).unwrap();
    record.id = before.first().map(|document| document.id);
    let changes = [Change::Put(record)];
    store.database.apply(source, &changes).unwrap();
}

fn only(store: &Store, path: &str) -> StoredDocument {
    let mut found = store.database.documents_at(path).unwrap();
    assert_eq!(found.len(), 1, "{path}");
    found.remove(0)
}

/// Records are read as written, each change has the next `rev`, and a batch is applied completely
/// or not at all.
fn put_and_read(store: &Store, source: &SourceId, other: &SourceId) {
    let texts = [
        ("a.md", "# A\n\nGreen tea.\n"),
        ("folder/b.md", "# B\n\nBlack tea.\n"),
    ];
    let changes = texts.map(|(path, text)| Change::Put(record(path, text)));
    store.database.apply(source, &changes).unwrap();
    put(store, other, "o.md", "# O\n\nWhite tea.\n");
    assert_eq!(store.database.rev().unwrap(), Revision(3));
    for (path, text) in texts {
        let document = only(store, path);
        assert_eq!(store.database.text(document.text).unwrap(), text);
        let chunks = store.database.chunks(document.id).unwrap();
        let own: String = chunks.iter().map(|chunk| &text[chunk.bytes()]).collect();
        assert_eq!(own.trim(), text.trim());
    }
    let known = store.database.known(source, None, 10).unwrap();
    let paths: Vec<&str> = known.iter().map(|known| &*known.path).collect();
    assert_eq!(paths, ["a.md", "folder/b.md"], "by path, of one source");
    let behind = store.database.known(source, Some("a.md"), 10).unwrap();
    assert_eq!(behind.len(), 1);
}

/// Updates all derived files, and asserts that nothing is left to do.
fn follow(store: &mut Store, lock: &WriteLock, embedder: &dyn Embedder) {
    assert_ne!(store.keywords().unwrap(), Keywords::InStep);
    let mut go_on = |_, _| ControlFlow::Continue(());
    let mut untold = |_, _| panic!("there is nothing to do");
    assert!(store.catch_up(lock, &mut go_on).unwrap().is_continue());
    assert!(store.catch_up(lock, &mut untold).unwrap().is_continue());
    for told in [&mut go_on as &mut dyn FnMut(_, _) -> _, &mut untold] {
        assert_eq!(
            store.embed(lock, embedder, told).unwrap(),
            Followed::Complete
        );
    }
    assert_eq!(store.keywords().unwrap(), Keywords::InStep);
    assert_eq!(store.unfollowed().unwrap(), 0);
    assert!(store.is_whole().unwrap());
}

/// The paths of the chunks that contain a word, best first.
fn found(store: &Store, word: &str, documents: Option<&Documents>) -> Vec<String> {
    let wanted = LexicalQuery {
        required: &[word.to_string()],
        optional: &[],
        names: &[],
        phrases: &[],
        excluded: &[],
        limit: 10,
    };
    let searched = store.lexical().unwrap().searched(documents).unwrap();
    let candidates = searched.candidates(&wanted).unwrap();
    let paths = candidates.chunks.iter().map(|candidate| {
        let document = store.database.document(candidate.key.document);
        let document = document.unwrap().unwrap();
        assert_eq!(document.rev, candidate.rev);
        document.path
    });
    paths.collect()
}

/// The paths of the chunks nearest to a word, nearest first.
fn near(
    store: &Store,
    word: &str,
    embedder: &dyn Embedder,
    within: Option<&Documents>,
) -> Vec<String> {
    let numbers = embedder.embed_query(&[(word, 1.0)]).unwrap();
    let near = store.codes(embedder).unwrap().nearest(&numbers, within, 10);
    let nearest = store
        .nearest(embedder.identity(), &numbers, near, 10, true)
        .unwrap();
    let paths = nearest.iter().map(|candidate| {
        let document = store.database.document(candidate.key.document);
        document.unwrap().unwrap().path
    });
    paths.collect()
}

/// Both channels find everything, and nothing outside of a filter.
fn ask(store: &Store, source: &SourceId, embedder: &dyn Embedder) {
    let mut all = found(store, "tea", None);
    all.sort();
    assert_eq!(all, ["a.md", "folder/b.md", "o.md"]);
    assert_eq!(found(store, "black", None), ["folder/b.md"]);
    assert_eq!(near(store, "black tea", embedder, None)[0], "folder/b.md");
    let ids = store.database.documents_under(source, "folder").unwrap();
    let within: Documents = ids.into_iter().collect();
    assert_eq!(
        near(store, "green tea", embedder, Some(&within)),
        ["folder/b.md"]
    );
    let within = Arc::new(within);
    assert_eq!(found(store, "tea", Some(&within)), ["folder/b.md"]);
    let none = Documents::default();
    assert!(near(store, "tea", embedder, Some(&none)).is_empty());
    assert!(found(store, "tea", Some(&Arc::new(none))).is_empty());
}

/// A document keeps its id while its path stays; a touch does not change it; a reader sees the
/// state of one moment.
fn change(store: &mut Store, lock: &WriteLock, source: &SourceId, embedder: &dyn Embedder) {
    let before = only(store, "a.md");
    let stat = Stat {
        size: 7,
        mtime_ns: 9,
        inode: Some(u64::MAX),
        ctime_ns: Some(11),
    };
    let (id, rev) = (before.id, store.database.rev().unwrap());
    let touch = Change::Touch {
        id,
        stat,
        settled: true,
        encoding: crate::model::Encoding::default(),
    };
    store.database.apply(source, &[touch]).unwrap();
    let known = store.database.known(source, None, 1).unwrap().remove(0);
    assert_eq!((known.stat, known.settled), (stat, true));
    assert_eq!(store.database.rev().unwrap(), rev);
    assert_eq!(store.keywords().unwrap(), Keywords::InStep);

    let reader = Store::open(store.home()).unwrap();
    let snapshot = reader.database.snapshot().unwrap();
    assert_eq!(only(&reader, "a.md").text, before.text);
    put(store, source, "a.md", "# A\n\nOolong tea.\n");
    put(store, source, "c.md", "# C\n\nJasmine tea.\n");
    assert_eq!(only(&reader, "a.md").text, before.text, "as at the begin");
    assert_eq!(
        reader.database.text(before.text).unwrap(),
        "# A\n\nGreen tea.\n"
    );
    drop(snapshot);
    let after = only(&reader, "a.md");
    assert_eq!((after.id, after.rev), (id, rev.next()));
    assert!(
        reader.database.text(before.text).is_err(),
        "nobody has it any more"
    );
    drop(reader);

    assert_eq!(store.keywords().unwrap(), Keywords::Behind);
    assert_eq!(
        (store.unfollowed().unwrap(), store.followed().unwrap()),
        (2, 2)
    );
    assert!(!store.is_whole().unwrap());
    follow(store, lock, embedder);
    assert!(found(store, "green", None).is_empty());
    assert_eq!(found(store, "oolong", None), ["a.md"]);
    assert_eq!(near(store, "jasmine", embedder, None)[0], "c.md");
}

/// Removed documents are no longer found, and are reported to derived files.
fn remove(store: &mut Store, lock: &WriteLock, source: &SourceId, embedder: &dyn Embedder) {
    let (id, rev) = (only(store, "folder/b.md").id, store.database.rev().unwrap());
    store
        .database
        .apply(source, &[Change::Remove { id }])
        .unwrap();
    assert_eq!(store.database.removed(rev).unwrap(), [id]);
    assert!(store.database.document(id).unwrap().is_none());
    assert!(store.database.chunks(id).unwrap().is_empty());
    follow(store, lock, embedder);
    assert!(found(store, "black", None).is_empty());
    assert!(!near(store, "black tea", embedder, None).contains(&"folder/b.md".to_string()));
    put(store, source, "folder/b.md", "# B\n\nBlack tea.\n");
    assert_ne!(only(store, "folder/b.md").id, id, "another document");
    follow(store, lock, embedder);
    assert_eq!(found(store, "black", None), ["folder/b.md"]);
}
