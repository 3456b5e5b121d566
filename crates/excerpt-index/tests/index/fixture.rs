//! A temporary folder of documents and an index of it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use excerpt_index::{
    Answer, Channels, Filter, Index, OpenOptions, Query, Ranking, SyncOptions, SyncReport, quiet,
};

/// A folder `notes` and an index directory `index` next to it. Files are an hour old unless they
/// are [`touched`](World::touched).
pub(crate) struct World {
    dir: tempfile::TempDir,
    pub(crate) options: SyncOptions,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("notes")).unwrap();
        World {
            dir,
            options: SyncOptions::default(),
        }
    }

    /// The folder of documents.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("notes")
    }

    /// The index directory.
    pub(crate) fn index_dir(&self) -> PathBuf {
        self.dir.path().join("index")
    }

    /// A second index directory.
    pub(crate) fn other_dir(&self) -> PathBuf {
        self.dir.path().join("other")
    }

    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    /// Writes a file with a modification time of an hour ago.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        self.touched(path, content);
        age(&self.root().join(path), Duration::from_secs(3600));
    }

    /// Writes a file with the current modification time.
    pub(crate) fn touched(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    pub(crate) fn open(&self) -> Index {
        Index::open(&self.index_dir(), OpenOptions::create()).unwrap()
    }

    pub(crate) fn sync(&self) -> SyncReport {
        self.try_sync().unwrap()
    }

    pub(crate) fn try_sync(&self) -> excerpt_index::Result<SyncReport> {
        self.open().sync(&self.root(), &self.options, quiet)
    }

    pub(crate) fn search(&self, query: &str) -> Answer {
        self.ask(&by_keywords(query))
    }

    pub(crate) fn search_in(&self, path: &str, query: &str) -> Answer {
        self.ask(&by_keywords(query).within(Filter::default().path(path)))
    }

    pub(crate) fn ask(&self, query: &Query) -> Answer {
        self.open().search(query).unwrap()
    }

    /// Asserts that the index equals that of an undisturbed sync.
    pub(crate) fn assert_like_fresh(&self) {
        let index = self.open();
        assert!(index.check().unwrap().is_sound(), "{:?}", index.check());
        let dir = tempfile::tempdir().unwrap();
        let mut fresh = Index::open(&dir.path().join("fresh"), OpenOptions::create()).unwrap();
        fresh.sync(&self.root(), &self.options, quiet).unwrap();
        assert_eq!(index.fingerprint().unwrap(), fresh.fingerprint().unwrap());
    }
}

/// A query that only the keyword index answers.
pub(crate) fn by_keywords(query: &str) -> Query {
    let mut ranking = Ranking::default();
    ranking.channels = Channels::Keywords;
    Query::new(query).ranking(ranking)
}

/// Sets a file's time to `age` ago.
pub(crate) fn age(path: &Path, age: Duration) {
    set_time(path, SystemTime::now() - age);
}

pub(crate) fn set_time(path: &Path, time: SystemTime) {
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

/// The paths of the documents of an answer, in order.
pub(crate) fn paths(answer: &Answer) -> Vec<&str> {
    answer
        .documents
        .iter()
        .map(|document| &*document.path)
        .collect()
}
