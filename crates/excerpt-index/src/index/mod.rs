//! [`Index`]: the operations that the command line and the MCP server call.

mod clone;
mod collections;
mod list;
mod read;
mod rebuild;
mod watch;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use excerpt_chunk::Hash;
use sha2::{Digest, Sha256};

use crate::analysis::days;
use crate::embed::{Embedder, StaticTable};
use crate::fs::lock::WriteLock;
use crate::library::Collections;
use crate::model::{
    Answer, Building, Check, Error, LastSync, Note, Progress, Query, Result, Skip, SourceId,
    SourceStatus, SourceSummary, Status, SyncOptions, SyncReport,
};
use crate::search::ParsedQuery;
use crate::source::{Files, Source};
use crate::store::generation::Base;
use crate::store::{Repair, Store, StoreError};
use crate::sync::{Clock, Sync, identity};

pub use watch::{Stop, Watching};

/// How an index is opened.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Whether to create the index if there is none. Default: no.
    pub create: bool,
    /// Whether another process repairs files that are out of date, missing or damaged: then this
    /// one only reports them. Default: no.
    pub reads_only: bool,
}

impl OpenOptions {
    /// Creates the index if there is none.
    #[must_use]
    pub fn create() -> Self {
        OpenOptions {
            create: true,
            ..OpenOptions::default()
        }
    }

    /// Reads an index that another process keeps up to date.
    #[must_use]
    pub fn reading() -> Self {
        OpenOptions {
            reads_only: true,
            ..OpenOptions::default()
        }
    }
}

/// An index on disk.
///
/// Any number of indexes may read the same directory, in this process and in others, while one
/// writes. You can send an `Index` to another thread, but not share it between threads: open one
/// for each.
pub struct Index {
    pub(crate) store: Store,
    /// The embedder; `None` when vectors are switched off.
    embedder: Option<Arc<dyn Embedder>>,
    /// What this process repairs.
    repair: Repair,
}

impl Index {
    /// Opens the index in `dir`. If its keyword index is out of date, missing or damaged, and no
    /// other process writes, it is repaired first.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] when there is no index and `create` is not set; [`Error::NotAnIndex`],
    /// [`Error::Foreign`], [`Error::Newer`] and [`Error::Damaged`] when the contents of `dir`
    /// cannot be used.
    pub fn open(dir: &Path, options: OpenOptions) -> Result<Self> {
        let store = match options.create {
            true => Store::create(dir)?,
            false => Store::open(dir)?,
        };
        let mut index = Index {
            store,
            embedder: Some(Arc::new(StaticTable::built_in()?)),
            repair: Repair {
                reads_only: options.reads_only,
                ..Repair::default()
            },
        };
        index.refresh()?;
        Ok(index)
    }

    /// Sets the embedder for chunks and queries. With `None`, search uses keywords only, and the
    /// vectors in the index are kept. Default: the built-in [`StaticTable`].
    #[must_use]
    pub fn with_embedder(self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Index { embedder, ..self }
    }

    /// The embedder; `None` when vectors are switched off.
    #[must_use]
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.embedder.as_deref()
    }

    /// Updates the index from the folder (or file) at `root`. `progress` receives the progress and
    /// may cancel the sync: what is done by then is kept, and the next sync continues from there. A
    /// sync that is cancelled while it splits documents still updates the keyword index, so that
    /// the new chunks are searchable, unless it is cancelled again there.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while another process writes; [`Error::Source`] when the root cannot be
    /// read; [`Error::Vanished`] when too many of its documents are gone, in which case nothing is
    /// changed.
    pub fn sync(
        &mut self,
        root: &Path,
        options: &SyncOptions,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<SyncReport> {
        self.sync_source(
            &Files::selected(root, &options.selection)?,
            options,
            progress,
        )
    }

    /// Updates the index from a source, as [`Index::sync`] does from a folder.
    ///
    /// # Errors
    ///
    /// As [`Index::sync`].
    pub fn sync_source(
        &mut self,
        source: &dyn Source,
        options: &SyncOptions,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<SyncReport> {
        let lock = WriteLock::acquire(self.store.home())?;
        let mut rebuilt = self.store.refresh_locked(&lock).map_err(self.at())?;
        rebuilt |= self.embedder.is_some() && self.store.has_unusable_codes();
        self.repair.has_rebuilt |= rebuilt;
        self.store.tidy(&lock).map_err(self.at())?;
        Collections::repair(self.dir(), &lock)?;
        let dir = self.dir();
        let root = Some(source.id().path());
        Collections::read(dir)?.restore(dir, root, &self.store.database)?;
        match self.base(source.id(), options).map_err(self.at())? {
            Some(base) => self.renew(&lock, &base, source, options, &mut progress),
            None => {
                let abandoned = self.store.abandon(&lock, source.id());
                abandoned.map_err(self.at())?;
                let at = self.at();
                let embedder = self.embedder.as_deref();
                let home = self.dir().to_path_buf();
                let mut ledger = self.store.ledger(&lock);
                let (told, clock) = (&mut progress, Clock::start());
                let sync = Sync::new(&mut ledger, &home, source, options, embedder, told, clock)?;
                let report = sync.run().map_err(at)?;
                self.repair.is_hurried = !report.complete;
                Ok(report)
            }
        }
    }

    /// What a re-split of a source starts from; `None` when all its documents were
    /// split with these settings.
    fn base(&self, source: &SourceId, options: &SyncOptions) -> Result<Option<Base>, StoreError> {
        let identity = identity(options);
        let database = &self.store.database;
        let is_stale = database.stale_count(source, identity, 1)? > 0;
        let rev = database.rev()?;
        Ok(is_stale.then(|| Base {
            rev,
            source: source.clone(),
            identity,
        }))
    }

    /// Splits a source again in a separate generation: the current one serves until the new one is
    /// complete.
    fn renew(
        &mut self,
        lock: &WriteLock,
        base: &Base,
        source: &dyn Source,
        options: &SyncOptions,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<SyncReport> {
        let mut aside = self.store.aside(lock, base).map_err(self.at())?;
        let embedder = self.embedder.as_deref();
        let (home, clock) = (aside.home().to_path_buf(), Clock::start());
        let mut ledger = aside.ledger(lock);
        let sync = Sync::new(
            &mut ledger,
            &home,
            source,
            options,
            embedder,
            progress,
            clock,
        )?;
        let mut report = sync.run().map_err(self.at())?;
        report.aside = true;
        if report.complete {
            let at = self.at();
            self.store.swap(lock, aside).map_err(at)?;
        }
        Ok(report)
    }

    /// How many documents of the source at `root` were split with other settings than these. A sync
    /// splits them again.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn stale(&self, root: &Path, options: &SyncOptions) -> Result<usize> {
        let count = self
            .store
            .database
            .stale_count(&root.into(), identity(options), usize::MAX);
        count.map_err(self.at())
    }

    /// Searches what is indexed.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyQuery`] for a query without a word, [`Error::UnknownSource`] for a filter on
    /// an unknown source, and as [`Ranking::check`].
    ///
    /// [`Ranking::check`]: crate::Ranking::check
    pub fn search(&mut self, query: &Query) -> Result<Answer> {
        query.ranking.check()?;
        let (at, embedder) = (self.at(), self.embedder.as_deref());
        let answer = self.repair.read(&mut self.store, |store| {
            let parsed = ParsedQuery::of(query)?;
            let snapshot = store.snapshot(&query.filter)?;
            parsed.answer(&snapshot, embedder, days::today())
        });
        let (mut answer, behind) = answer.map_err(at)?;
        answer.notes.extend(behind);
        if std::mem::take(&mut self.repair.has_rebuilt) {
            answer.notes.push(Note::Rebuilt);
        }
        Ok(answer)
    }

    /// The contents and the state of the index, read from the store itself.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn status(&self) -> Result<Status> {
        self.read_status().map_err(self.at())
    }

    fn read_status(&self) -> Result<Status, StoreError> {
        let database = &self.store.database;
        let mut sources = Vec::new();
        for source in database.sources()? {
            let counts = database.counts(&source.id)?;
            sources.push(SourceStatus {
                name: source.name,
                root: source.id.path().into(),
                documents: counts.documents,
                chunks: counts.chunks,
                last_sync: source.last_sync,
                skipped: database.skip_counts(&source.id)?,
                summary: database.summary(&source.id)?,
            });
        }
        Ok(Status {
            documents: sources.iter().map(|source| source.documents).sum(),
            chunks: sources.iter().map(|source| source.chunks).sum(),
            sources,
            text_bytes: database.text_bytes()?,
            disk_bytes: self.store.disk_bytes(),
            keywords: self.store.keywords()?,
            vectors: self.store.vectors()?,
            building: self.building()?,
        })
    }

    fn building(&self) -> Result<Option<Building>, StoreError> {
        let Some((base, aside)) = self.store.building()? else {
            return Ok(None);
        };
        let database = &aside.database;
        let documents = match database.has_source(&base.source)? {
            true => database.counts(&base.source)?.documents,
            false => 0,
        };
        Ok(Some(Building {
            documents,
            remaining: database.stale_count(&base.source, base.identity, usize::MAX)?,
            root: base.source.path().into(),
        }))
    }

    /// The last sync of the source at `root`; `None` until the first one starts to write.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn last_sync(&self, root: &Path) -> Result<Option<LastSync>> {
        let database = &self.store.database;
        let source = root.into();
        let read = || match database.has_source(&source)? {
            true => database.last_sync(&source),
            false => Ok(None),
        };
        read().map_err(self.at())
    }

    /// What the last complete sync of the source at `root` found; `None` before the first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn summary(&self, root: &Path) -> Result<Option<SourceSummary>> {
        let database = &self.store.database;
        let source = root.into();
        let read = || match database.has_source(&source)? {
            true => database.summary(&source),
            false => Ok(None),
        };
        read().map_err(self.at())
    }

    /// The roots of the sources in the index.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn roots(&self) -> Result<Vec<PathBuf>> {
        let sources = self.store.database.sources().map_err(self.at())?;
        Ok(sources
            .into_iter()
            .map(|source| source.id.path().into())
            .collect())
    }

    /// Switches to the current state: what other processes have written since the index was opened,
    /// and a new generation if there is one.
    ///
    /// # Errors
    ///
    /// As [`Index::open`].
    pub fn refresh(&mut self) -> Result<()> {
        let at = self.at();
        self.repair
            .bring_up_to_date(&mut self.store)
            .map(drop)
            .map_err(at)
    }

    /// The mean size of a chunk with its context, in the unit of the configuration; 0 without
    /// chunks.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn mean_size(&self) -> Result<f64> {
        self.read_mean_size().map_err(self.at())
    }

    fn read_mean_size(&self) -> Result<f64, StoreError> {
        let database = &self.store.database;
        let (mut chunks, mut sum) = (0, 0);
        for document in database.chunk_counts()?.into_keys() {
            for chunk in database.chunks(document)? {
                chunks += 1;
                sum += chunk.tokens;
            }
        }
        Ok(sum as f64 / f64::from(chunks.max(1)))
    }

    /// How many documents are searchable: those of which the keyword index has the current version.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn searched(&self) -> Result<usize> {
        self.store.followed().map_err(self.at())
    }

    /// What the last complete sync of the source at `root` skipped, by path.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`] when the index has no such source.
    pub fn skips(&self, root: &Path) -> Result<Vec<Skip>> {
        let rows = self.store.database.skips(&self.source(root)?);
        let rows = rows.map_err(self.at())?.into_iter();
        Ok(rows.map(|row| row.skip).collect())
    }

    /// The id of the source at `root`.
    pub(crate) fn source(&self, root: &Path) -> Result<SourceId> {
        let source = self.store.database.known_source(root.into());
        source.map_err(self.at())
    }

    /// A hash over all documents and chunks: equal for two indexes with the same content, however
    /// they were built.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn fingerprint(&self) -> Result<Hash> {
        let mut digest = Fingerprint::default();
        self.store
            .database
            .each_value(|value| digest.add(value))
            .map_err(self.at())?;
        Ok(digest.end())
    }

    /// A mark of the indexed state. It changes whenever the documents, or what the last sync found
    /// in a source, may have changed. Its cost depends on the number of sources, not on the number
    /// of documents.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn state_hash(&self) -> Result<Hash> {
        self.read_state_hash().map_err(self.at())
    }

    fn read_state_hash(&self) -> Result<Hash, StoreError> {
        let database = &self.store.database;
        let sources = database.sources()?.into_iter();
        let sources = sources.map(|source| (source.id, source.name, source.last_sync));
        let state = (database.id()?, database.rev()?, sources.collect::<Vec<_>>());
        Ok(Hash::of(format!("{state:?}").as_bytes()))
    }

    /// Reads the whole database, including every text, and compares the keyword index with it chunk
    /// by chunk.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], and when the store cannot be read.
    pub fn check(&self) -> Result<Check> {
        self.compare().map_err(self.at())
    }

    fn compare(&self) -> Result<Check, StoreError> {
        self.store.database.verify_all()?;
        let database = self.store.database.chunk_counts()?;
        let mut keywords = match self.store.lexical() {
            Some(lexical) => lexical.chunk_counts()?,
            None => Default::default(),
        };
        let mut check = Check {
            documents: database.len(),
            ..Check::default()
        };
        for (document, (rev, chunks)) in database {
            check.chunks += chunks;
            let held = keywords.remove(&(document, rev)).unwrap_or(0);
            check.differing += usize::from(held != chunks);
        }
        check.surplus = keywords.len();
        Ok(check)
    }

    /// Serves this index, built in a folder inside the index directory `home`, in place of the one
    /// served there.
    pub(crate) fn serve_from(self, home: &Path, lock: &WriteLock) -> Result<()> {
        let at = self.at();
        self.store.serve_from(home, lock).map_err(at)
    }

    /// Its directory.
    pub(crate) fn dir(&self) -> &Path {
        self.store.home()
    }

    /// Removes the documents of the collection `name` and returns their number; `None` when there
    /// is no source of that name.
    pub(crate) fn forget(
        &mut self,
        name: &str,
        lock: &WriteLock,
    ) -> Result<Option<usize>, StoreError> {
        self.store.refresh_locked(lock)?;
        let sources = self.store.database.sources()?;
        let mut named = sources
            .iter()
            .filter(|source| source.name.as_deref() == Some(name));
        let Some(source) = named.next() else {
            return Ok(None);
        };
        let documents = self.store.database.counts(&source.id)?.documents;
        self.store.database.remove_source(&source.id)?;
        self.store.note_roots()?;
        let _ = self
            .store
            .catch_up(lock, &mut |_, _| ControlFlow::Continue(()))?;
        Ok(Some(documents))
    }

    pub(crate) fn at(&self) -> impl Fn(StoreError) -> Error + use<> {
        let dir = self.store.home().to_path_buf();
        move |fault| fault.at(&dir)
    }
}

/// A hash over a list of values that keeps them apart.
#[derive(Default)]
struct Fingerprint(Sha256);

impl Fingerprint {
    fn add(&mut self, value: &[u8]) {
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
    }

    fn end(self) -> Hash {
        let mut short = [0; 16];
        short.copy_from_slice(&self.0.finalize()[..16]);
        Hash(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_may_go_to_another_thread() {
        fn sendable<T: Send>() {}
        sendable::<Index>();
    }

    #[test]
    fn values_are_hashed_one_by_one() {
        let hash = |values: &[&str]| {
            let mut digest = Fingerprint::default();
            values.iter().for_each(|value| digest.add(value.as_bytes()));
            digest.end()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }
}
