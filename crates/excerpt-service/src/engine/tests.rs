//! What ends a job of the writer thread, and what does not end the thread.

use std::fs;

use excerpt_index::{Entries, Entry, Files, Reading, Selection, SourceId};
use tempfile::TempDir;

use super::*;
use crate::config::EmbeddingChoice;
use crate::scope::ScopeBounds;
use crate::target::{CollectionChoice, IndexChoice};

/// A folder with a note, and an engine for it.
pub(super) fn engine() -> (TempDir, PathBuf, Arc<Engine>) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("notes");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("tea.md"), "Green tea.\n").unwrap();
    let index = dir.path().join("index");
    let engine = started(&root, &CollectionChoice::default(), &index);
    (dir, root, engine)
}

/// An engine for the collections of the index in a directory.
pub(super) fn library_engine(index: &Path) -> Arc<Engine> {
    let collections = CollectionChoice {
        library: true,
        ..CollectionChoice::default()
    };
    started(Path::new("."), &collections, index)
}

/// An engine for what these arguments choose.
fn started(root: &Path, collections: &CollectionChoice, index: &Path) -> Arc<Engine> {
    let (index, embedding) = (IndexChoice::of(index.into()), EmbeddingChoice::default());
    let target = IndexTarget::of(root, collections, &index, &embedding).unwrap();
    let bounds = ScopeBounds {
        collections,
        under: None,
        roots: &[],
        embedding: &embedding,
    };
    let scope = Arc::new(Scope::of(&target, &bounds).unwrap());
    Arc::new(Engine::start(target, scope, SyncMode::Auto).unwrap())
}

/// A source that a fault of the program makes unreadable.
struct Poisoned(SourceId);

impl Source for Poisoned {
    fn id(&self) -> &SourceId {
        &self.0
    }

    fn entries(&self) -> Result<Entries<'_>, Error> {
        panic!("a poisoned source")
    }

    fn read(&self, _: &Entry) -> Reading {
        Reading::Gone
    }
}

fn synced(engine: &Engine, root: &Path, source: Arc<dyn Source>) -> CheckEnd {
    let end = engine.synced(root, source, SyncRequest::default());
    end.expect("the writer thread is there")
}

#[test]
fn what_was_not_listed_is_not_found_by_its_words() {
    let (_dir, _, engine) = engine();
    let lag = |listed| {
        let end = CheckEnd::Rest {
            listed,
            remaining: 0,
            aside: false,
        };
        end.lag(&engine.scope).map(|lag| lag.to_string())
    };
    assert!(lag(3).unwrap().starts_with("all files can be found"));
    // It was interrupted, by a request that writes.
    assert!(lag(0).unwrap().starts_with("indexing is not finished"));
}

#[test]
fn a_sync_that_panics_has_failed_and_the_next_one_works() {
    let (_dir, root, engine) = engine();
    for failures in 1..3 {
        let end = synced(&engine, &root, Arc::new(Poisoned((&*root).into())));
        let is_reported =
            matches!(&end, CheckEnd::Failed(error) if matches!(**error, ServiceError::Panicked));
        assert!(is_reported, "{end:?}");
        assert_eq!(engine.state().borrow().sources[&root].failures, failures);
    }
    let files = Files::selected(&root, &Selection::default()).unwrap();
    let end = synced(&engine, &root, Arc::new(files));
    assert!(matches!(end, CheckEnd::Complete), "{end:?}");
    engine.end();
}

#[test]
fn a_write_that_panics_is_an_error_and_the_next_one_works() {
    let (_dir, _, engine) = engine();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.unwrap();
    let write = |is_faulty: bool| {
        let written = engine.write(move |writer| {
            assert!(!is_faulty, "a fault");
            writer.sync_all()
        });
        runtime.block_on(written)
    };
    assert!(matches!(write(true), Err(ServiceError::Panicked)));
    assert!(write(false).is_ok());
    engine.end();
    assert!(matches!(write(false), Err(ServiceError::ShuttingDown)));
}
