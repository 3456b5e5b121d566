//! Syncs of a whole index, and what ends them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::SystemTime;

use excerpt_chunk::Config;

use super::*;
use crate::fs::lock::WriteLock;
use crate::model::{Provenance, Stat};
use crate::source::{Entry, ListItem, Reading};
use crate::store::catalog::Catalog;
use crate::store::ledger::OnProgress;
use crate::store::{Known, Store, Twin};

#[test]
fn the_identity_follows_the_cut_and_what_is_said_of_the_documents() {
    let own = SyncOptions::default();
    let mut cut = own.clone();
    cut.chunking.target = 300;
    let mut tagged = own.clone();
    tagged.attributes.tags.push("a".to_string());
    assert_eq!(identity(&own), identity(&SyncOptions::default()));
    assert_ne!(identity(&own), identity(&cut));
    assert_ne!(identity(&own), identity(&tagged));
    let mut open = own.clone();
    open.selection.secrets = Some(crate::Secrets::Index);
    assert_ne!(identity(&own), identity(&open));
}

/// A source whose texts cannot be read before it is opened.
struct Gate {
    id: SourceId,
    documents: usize,
    is_open: AtomicBool,
}

impl Source for Gate {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn entries(&self) -> Result<Entries<'_>> {
        let entries = (0..self.documents).map(|number| {
            Ok(ListItem::Document(Entry {
                path: format!("{number:05}.md"),
                version: Stat::default().into(),
            }))
        });
        Ok(Entries::new(entries))
    }

    fn read(&self, entry: &Entry) -> Reading {
        while !self.is_open.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        Reading::Bytes {
            bytes: entry.path.clone().into_bytes(),
            version: entry.version.clone(),
            provenance: Provenance::default(),
        }
    }
}

fn sync_of(
    source: &dyn Source,
    index: &Path,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> SyncReport {
    sync_by(source, index, &SyncOptions::default(), progress)
}

fn sync_by(
    source: &dyn Source,
    index: &Path,
    options: &SyncOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> SyncReport {
    let mut store = Store::create(index).unwrap();
    let lock = WriteLock::acquire(index).unwrap();
    let clock = Clock::start();
    let mut ledger = store.ledger(&lock);
    let sync = Sync::new(&mut ledger, index, source, options, None, progress, clock);
    sync.unwrap().run().unwrap()
}

#[test]
fn a_sync_ends_in_the_middle_of_a_batch_and_the_next_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let gate = Gate {
        id: "/gate".into(),
        documents: 200,
        is_open: AtomicBool::new(false),
    };
    let mut calls = 0;
    let report = sync_of(&gate, dir.path(), &mut |progress| {
        if progress.stage != Stage::Cut {
            return ControlFlow::Continue(());
        }
        calls += 1;
        // A second call shows that the first one's result was received.
        gate.is_open.store(calls > 1, Ordering::Relaxed);
        ControlFlow::Break(())
    });
    assert!(!report.complete);
    assert!(
        report.added < 200 && report.added + report.remaining == 200,
        "{report:?}"
    );
    let rest = sync_of(&gate, dir.path(), &mut quiet);
    assert!(rest.complete);
    assert_eq!(rest.added, report.remaining);
}

#[test]
fn a_sync_without_time_to_merge_leaves_it_to_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let sync_until = |end: Option<Stage>, documents| {
        let source = Gate {
            id: "/gate".into(),
            documents,
            is_open: AtomicBool::new(true),
        };
        sync_of(
            &source,
            dir.path(),
            &mut |progress| match Some(progress.stage) == end {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            },
        )
    };
    let is_in_many_parts = || {
        let store = Store::open(dir.path()).unwrap();
        let lexical = store.lexical().unwrap();
        // A process that opens it does not have to read it.
        assert!(lexical.is_sealed());
        lexical.has_many_segments()
    };
    // Each writes a part or two.
    let mut documents = 0;
    while documents == 0 || !is_in_many_parts() {
        documents += 300;
        assert!(!sync_until(Some(Stage::Keywords), documents).complete);
    }
    let files = || -> BTreeSet<OsString> {
        let folder = Store::open(dir.path()).unwrap().lexical_folder();
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    let report = sync_until(Some(Stage::Merge), documents);
    assert_eq!((report.complete, report.remaining), (false, 0));
    assert!(is_in_many_parts());
    // Another one that is given up leaves nothing behind.
    let before = files();
    assert!(!sync_until(Some(Stage::Merge), documents).complete);
    assert!(files().is_subset(&before));
    assert!(sync_until(None, documents).complete);
    assert!(!is_in_many_parts());
    // There is nothing to merge.
    assert!(sync_until(Some(Stage::Merge), documents).complete);
}

#[test]
fn a_document_that_ended_the_process_is_cut_once_more_and_then_quarantined() {
    let dir = tempfile::tempdir().unwrap();
    let open = |documents| Gate {
        id: "/gate".into(),
        documents,
        is_open: AtomicBool::new(true),
    };
    let dies_over = |path: &str| {
        let journal = Journal::open(dir.path(), &"/gate".into());
        std::mem::forget(journal.enter(path));
    };
    sync_of(&open(0), dir.path(), &mut quiet);
    dies_over("00000.md");
    let report = sync_of(&open(1), dir.path(), &mut quiet);
    assert_eq!((report.added, report.skipped.len()), (1, 0));
    dies_over("00001.md");
    dies_over("00001.md");
    let report = sync_of(&open(3), dir.path(), &mut quiet);
    assert_eq!(
        (report.added, report.skipped[&SkipReason::Quarantined]),
        (1, 1)
    );
    let store = Store::open(dir.path()).unwrap();
    let source = SourceId::from("/gate");
    let skips = store.database.skips(&source).unwrap();
    let detail = skips[0].skip.detail.as_deref();
    assert_eq!(
        detail,
        Some("excerpt ended twice while reading or splitting it")
    );
    drop(store);
    // It is skipped until it changes, and its indexed state stays.
    let report = sync_of(&open(3), dir.path(), &mut quiet);
    assert_eq!((report.unchanged, report.read), (2, 0));
    dies_over("00000.md");
    dies_over("00000.md");
    let options = SyncOptions::default().chunking(Config {
        target: 100,
        ..Config::default()
    });
    let report = sync_by(&open(3), dir.path(), &options, &mut quiet);
    assert_eq!((report.recut, report.removed), (1, 0), "{report:?}");
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(
        store.database.counts(Some(&source), "").unwrap().documents,
        2
    );
}

#[test]
fn a_document_stays_quarantined_when_another_source_is_synced_first() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = ["/first", "/second"].map(|id| Gate {
        id: id.into(),
        documents: 2,
        is_open: AtomicBool::new(true),
    });
    for _ in 0..2 {
        assert!(sync_of(&first, dir.path(), &mut quiet).complete);
        let journal = Journal::open(dir.path(), second.id());
        std::mem::forget(journal.enter("00001.md"));
    }
    sync_of(&first, dir.path(), &mut quiet);
    let report = sync_of(&second, dir.path(), &mut quiet);
    assert_eq!(
        (report.added, report.skipped[&SkipReason::Quarantined]),
        (1, 1)
    );
}

/// A source without its first document.
struct Later(Gate);

impl Source for Later {
    fn id(&self) -> &SourceId {
        self.0.id()
    }

    fn entries(&self) -> Result<Entries<'_>> {
        Ok(Entries::new(self.0.entries()?.skip(1)))
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.0.read(entry)
    }
}

type Stored<T> = Result<T, StoreError>;

/// A ledger in which something is damaged that the first pass of a sync finds at its end.
struct Damaged<'a> {
    inner: &'a mut dyn Ledger,
    is_found: bool,
}

impl Ledger for Damaged<'_> {
    fn register(&mut self, source: &SourceId, name: Option<&str>) -> Stored<Registered> {
        self.inner.register(source, name)
    }

    fn known(&self, source: &SourceId, range: &PathRange, limit: usize) -> Stored<Vec<Known>> {
        self.inner.known(source, range, limit)
    }

    fn known_at(&self, source: &SourceId, path: &str) -> Stored<Vec<Known>> {
        self.inner.known_at(source, path)
    }

    fn catalog(&self) -> Stored<Box<dyn Catalog + '_>> {
        self.inner.catalog()
    }

    fn texts(&self, hashes: &[Hash]) -> Stored<Vec<String>> {
        self.inner.texts(hashes)
    }

    fn twins(
        &self,
        source: &SourceId,
        identity: Hash,
        requests: &[TwinRequest<'_>],
    ) -> Stored<Vec<Option<Twin>>> {
        self.inner.twins(source, identity, requests)
    }

    fn start_sync(&mut self, source: &SourceId, started: i64) -> Stored<()> {
        self.inner.start_sync(source, started)
    }

    fn apply(&mut self, source: &SourceId, changes: &[Change]) -> Stored<()> {
        self.inner.apply(source, changes)
    }

    fn index_words(&mut self, on_progress: OnProgress<'_>) -> Stored<ControlFlow<()>> {
        self.inner.index_words(on_progress)
    }

    fn embed(&mut self, embedder: &dyn Embedder, on_progress: OnProgress<'_>) -> Stored<Followed> {
        self.inner.embed(embedder, on_progress)
    }

    fn merge_words(&mut self, on_progress: OnProgress<'_>) -> Stored<ControlFlow<()>> {
        self.inner.merge_words(on_progress)
    }

    /// One document is behind in each pass.
    fn behind(&self) -> Stored<usize> {
        Ok(1)
    }

    fn finish_sync(&mut self, source: &SourceId, finished: &Finished<'_>) -> Stored<()> {
        match std::mem::replace(&mut self.is_found, true) {
            true => self.inner.finish_sync(source, finished),
            false => Err(StoreError::Value("damaged")),
        }
    }
}

#[test]
fn a_second_pass_counts_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let gate = |documents| Gate {
        id: "/gate".into(),
        documents,
        is_open: AtomicBool::new(true),
    };
    sync_of(&gate(3), dir.path(), &mut quiet);
    let journal = Journal::open(dir.path(), &"/gate".into());
    std::mem::forget(journal.enter("00003.md"));
    let journal = Journal::open(dir.path(), &"/gate".into());
    std::mem::forget(journal.enter("00003.md"));
    let (mut store, lock) = (
        Store::open(dir.path()).unwrap(),
        WriteLock::acquire(dir.path()).unwrap(),
    );
    let mut ledger = Damaged {
        inner: &mut store.ledger(&lock),
        is_found: false,
    };
    let (source, options, mut quiet) = (Later(gate(4)), SyncOptions::default(), quiet);
    let clock = Clock::start();
    let sync = Sync::new(
        &mut ledger,
        dir.path(),
        &source,
        &options,
        None,
        &mut quiet,
        clock,
    );
    let report = sync.unwrap().run().unwrap();
    assert!(ledger.is_found && report.complete);
    assert_eq!((report.removed, report.remaining), (1, 1), "{report:?}");
    assert_eq!(report.skipped[&SkipReason::Quarantined], 1);
}

#[test]
fn a_clock_that_has_gone_back_makes_a_sync_read_everything() {
    let dir = tempfile::tempdir().unwrap();
    let (root, index) = (dir.path().join("notes"), dir.path().join("index"));
    let file = root.join("tea.md");
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let sync = || {
        let mut index = crate::Index::open(&index, crate::OpenOptions::create()).unwrap();
        index.sync(&root, &SyncOptions::default(), quiet).unwrap()
    };
    std::fs::create_dir(&root).unwrap();
    std::fs::write(&file, "green").unwrap();
    let open = std::fs::File::options().write(true).open(&file);
    open.unwrap().set_modified(hour_ago).unwrap();
    sync();
    assert_eq!(sync().read, 0);
    // The last sync was in the future.
    let store = Store::open(&index).unwrap();
    let later = Clock::start().seconds() + 3600;
    let database = store.database;
    let source = database.known_source(root.canonicalize().unwrap().as_path().into());
    database.start_sync(&source.unwrap(), later).unwrap();
    drop(database);
    assert_eq!(sync().read, 1);
    assert_eq!(sync().read, 0);
}
