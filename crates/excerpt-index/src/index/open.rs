//! [`OpenIndex`]: an index as one thread at a time has it open.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use excerpt_chunk::Hash;

use super::OpenOptions;
use crate::analysis::days;
use crate::embed::Embedder;
use crate::fs::layout;
use crate::fs::lock::WriteLock;
use crate::library::Collections;
use crate::model::{
    Answer, Building, Check, Error, Fingerprint, IndexedFiles, LastSync, Note, Progress, Query,
    Result, Skip, SkipReason, SourceId, SourceSummary, Stage, Status, SyncOptions, SyncReport,
};
use crate::read::sources;
use crate::rerank::Reranker;
use crate::search::ParsedQuery;
use crate::source::Source;
use crate::store::catalog::Catalog;
use crate::store::generation::Base;
use crate::store::{Repair, Store, StoreError};
use crate::sync::{Clock, Sync, identity};

/// A connection to the database of an index, with its derived files.
pub(super) struct OpenIndex {
    pub(super) store: Store,
    /// What this process repairs.
    repair: Repair,
}

impl OpenIndex {
    /// Opens the index in `home`.
    pub(super) fn open(home: &Path, options: OpenOptions) -> Result<Self> {
        let store = match options.create {
            true => Store::create(home)?,
            false => Store::open(home)?,
        };
        let mut open = OpenIndex {
            store,
            repair: Repair {
                reads_only: options.reads_only,
                ..Repair::default()
            },
        };
        open.refresh()?;
        Ok(open)
    }
}

impl OpenIndex {
    pub(super) fn stale(&self, root: &Path, options: &SyncOptions) -> Result<usize> {
        let identity = identity(options);
        self.listed(|catalog| catalog.stale_count(&root.into(), identity, usize::MAX))
    }

    pub(super) fn search(
        &mut self,
        query: &Query,
        embedder: Option<&dyn Embedder>,
        reranker: Option<&Reranker>,
    ) -> Result<Answer> {
        query.ranking.check()?;
        let at = self.at();
        let answer = self.repair.read(&mut self.store, |store| {
            let parsed = ParsedQuery::of(query)?;
            let snapshot = store.snapshot(&query.filter)?;
            parsed.answer(&snapshot, embedder, reranker, days::today())
        });
        let (mut answer, behind) = answer.map_err(at)?;
        answer.notes.extend(behind);
        if std::mem::take(&mut self.repair.has_rebuilt) {
            answer.notes.push(Note::Rebuilt);
        }
        Ok(answer)
    }

    pub(super) fn status(&self) -> Result<Status> {
        self.read_status().map_err(self.at())
    }

    pub(super) fn last_sync(&self, root: &Path) -> Result<Option<LastSync>> {
        self.listed(|catalog| sources::last_sync(catalog, &root.into()))
    }

    pub(super) fn summary(&self, root: &Path) -> Result<Option<SourceSummary>> {
        self.listed(|catalog| sources::summary(catalog, &root.into()))
    }

    pub(super) fn roots(&self) -> Result<Vec<PathBuf>> {
        let sources = self.listed(|catalog| catalog.sources())?.into_iter();
        Ok(sources.map(|source| source.id.path().into()).collect())
    }

    pub(super) fn mean_size(&self) -> Result<f64> {
        self.read_mean_size().map_err(self.at())
    }

    pub(super) fn searched(&self) -> Result<usize> {
        self.store.followed().map_err(self.at())
    }

    pub(super) fn skips(&self, root: &Path) -> Result<Vec<Skip>> {
        let rows = self.listed(|catalog| catalog.skips(&root.into()))?;
        Ok(rows.into_iter().map(|row| row.skip).collect())
    }

    pub(super) fn skip_counts(&self, root: &Path) -> Result<BTreeMap<SkipReason, usize>> {
        self.listed(|catalog| catalog.skip_counts(&root.into()))
    }

    pub(super) fn fingerprint(&self) -> Result<Hash> {
        let mut digest = Fingerprint::default();
        self.store
            .database
            .each_value(|value| digest.add(value))
            .map_err(self.at())?;
        Ok(digest.end())
    }

    pub(super) fn state_hash(&self) -> Result<Hash> {
        self.read_state_hash().map_err(self.at())
    }

    pub(super) fn check(&self) -> Result<Check> {
        self.compare().map_err(self.at())
    }

    pub(super) fn refresh(&mut self) -> Result<()> {
        let at = self.at();
        self.repair
            .bring_up_to_date(&mut self.store)
            .map(drop)
            .map_err(at)
    }

    fn read_status(&self) -> Result<Status, StoreError> {
        let sources = sources::states(&self.store.catalog()?)?;
        Ok(Status {
            documents: sources.iter().map(|source| source.documents).sum(),
            chunks: sources.iter().map(|source| source.chunks).sum(),
            sources,
            text_bytes: self.store.database.text_bytes()?,
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
        let catalog = aside.catalog()?;
        Ok(Some(Building {
            documents: sources::counts(&catalog, &base.source)?.documents,
            remaining: catalog.stale_count(&base.source, base.identity, usize::MAX)?,
            root: base.source.path().into(),
        }))
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

    fn read_state_hash(&self) -> Result<Hash, StoreError> {
        let database = &self.store.database;
        let mut digest = Fingerprint::default();
        digest.add(database.id()?.as_bytes());
        digest.add(&database.rev()?.0.to_le_bytes());
        for source in database.sources()? {
            digest.add(source.id.as_str().as_bytes());
            digest.add_option(source.name.as_deref().map(str::as_bytes));
            let last = source.last_sync;
            digest.add_option(last.map(|last| last.started.to_le_bytes()));
            let finished = last.and_then(|last| last.finished);
            digest.add_option(finished.map(i64::to_le_bytes));
        }
        Ok(digest.end())
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

    /// What `list` makes of one state of the index.
    pub(super) fn listed<T>(
        &self,
        list: impl FnOnce(&dyn Catalog) -> Result<T, StoreError>,
    ) -> Result<T> {
        let at = self.at();
        let catalog = self.store.catalog().map_err(&at)?;
        list(&catalog).map_err(at)
    }

    pub(super) fn at(&self) -> impl Fn(StoreError) -> Error + use<> {
        let dir = self.store.home().to_path_buf();
        move |fault| fault.at(&dir)
    }

    pub(super) fn base(
        &self,
        source: &SourceId,
        options: &SyncOptions,
    ) -> Result<Option<Base>, StoreError> {
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

    pub(super) fn serve_from(self, home: &Path, lock: &WriteLock) -> Result<()> {
        let at = self.at();
        self.store.serve_from(home, lock).map_err(at)
    }

    pub(super) fn sync_source(
        &mut self,
        source: &dyn Source,
        options: &SyncOptions,
        embedder: Option<&dyn Embedder>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<SyncReport> {
        let lock = WriteLock::acquire(self.store.home())?;
        let mut noted = None;
        let progress = &mut |so_far: Progress| {
            if so_far.stage == Stage::Cut {
                let progress = IndexedFiles {
                    indexed: so_far.listed.saturating_sub(so_far.total - so_far.done),
                    listed: so_far.listed,
                };
                if noted.replace(progress) != Some(progress) {
                    lock.note(progress);
                }
            }
            progress(so_far)
        };
        let mut rebuilt = self.store.refresh_locked(&lock).map_err(self.at())?;
        rebuilt |= embedder.is_some() && self.store.has_unusable_codes();
        self.repair.has_rebuilt |= rebuilt;
        self.store.tidy(&lock).map_err(self.at())?;
        Collections::repair(self.store.home(), &lock)?;
        let dir = self.store.home();
        let root = Some(source.id().path());
        let collections = Collections::read(dir)?;
        // An index that is rebuilt has no list yet, and a list that was lost says nothing.
        if let Some(name) = &options.name
            && dir.join(layout::COLLECTIONS).exists()
        {
            collections.check_known(name, source.id().path())?;
        }
        collections.restore(dir, root, &self.store.database)?;
        match self.base(source.id(), options).map_err(self.at())? {
            Some(base) => self.renew(&lock, &base, source, options, embedder, progress),
            None => {
                let abandoned = self.store.abandon(&lock, source.id());
                abandoned.map_err(self.at())?;
                let at = self.at();
                let home = self.store.home().to_path_buf();
                let mut ledger = self.store.ledger(&lock);
                let (told, clock) = (progress, Clock::start());
                let sync = Sync::new(&mut ledger, &home, source, options, embedder, told, clock)?;
                let report = sync.run().map_err(at)?;
                self.repair.is_hurried = !report.complete;
                Ok(report)
            }
        }
    }

    /// Splits a source again in a separate generation: the current one serves until the new one is
    /// complete.
    fn renew(
        &mut self,
        lock: &WriteLock,
        base: &Base,
        source: &dyn Source,
        options: &SyncOptions,
        embedder: Option<&dyn Embedder>,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<SyncReport> {
        let mut aside = self.store.aside(lock, base).map_err(self.at())?;
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

    /// Removes the documents of the collection `name` and returns their number; `None` when there
    /// is no source of that name.
    pub(super) fn forget(&mut self, name: &str, lock: &WriteLock) -> Result<Option<usize>> {
        let at = self.at();
        self.forget_source(name, lock).map_err(at)
    }

    fn forget_source(&mut self, name: &str, lock: &WriteLock) -> Result<Option<usize>, StoreError> {
        self.store.refresh_locked(lock)?;
        let sources = self.store.database.sources()?;
        let mut named = sources
            .iter()
            .filter(|source| source.name.as_deref() == Some(name));
        let Some(source) = named.next() else {
            return Ok(None);
        };
        let documents = self.store.database.document_count(Some(&source.id), "")?;
        self.store.database.remove_source(&source.id)?;
        let noted = self.store.note_roots();
        let done = noted.and_then(|()| self.store.catch_up_entirely(lock));
        match done.map_err(self.at()) {
            // The documents are gone. The next sync does the rest.
            Ok(()) | Err(Error::Full { .. }) => Ok(Some(documents)),
            Err(error) => Err(error.into()),
        }
    }
}
