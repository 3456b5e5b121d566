//! [`LocalLedger`]: the writer of a [`Store`], for as long as its lock is held.

use std::ops::ControlFlow;

use excerpt_chunk::Hash;

use super::Store;
use super::merging::Merging;
use crate::embed::Embedder;
use crate::fs::lock::WriteLock;
use crate::model::{PathRange, SourceId};
use crate::store::catalog::Catalog;
use crate::store::ledger::{Finished, Followed, Ledger, OnProgress, Registered, TwinRequest};
use crate::store::{Change, Known, StoreError, Twin};

/// A store that this process may write.
pub(crate) struct LocalLedger<'a> {
    store: &'a mut Store,
    lock: &'a WriteLock,
    /// Segments of the keyword index that are being merged.
    merging: Option<Merging>,
}

impl Store {
    /// The writer, for the holder of the lock.
    pub(crate) fn ledger<'a>(&'a mut self, lock: &'a WriteLock) -> LocalLedger<'a> {
        LocalLedger {
            store: self,
            lock,
            merging: None,
        }
    }
}

impl Ledger for LocalLedger<'_> {
    fn register(
        &mut self,
        source: &SourceId,
        name: Option<&str>,
    ) -> Result<Registered, StoreError> {
        let database = &self.store.database;
        database.ensure_source(source, name)?;
        self.store.note_roots()?;
        Ok(Registered {
            last_sync: database.last_sync(source)?,
            skips: database.skips(source)?,
            cursor: database.cursor(source)?,
            has_summary: database.summary(source)?.is_some(),
        })
    }

    fn known(
        &self,
        source: &SourceId,
        range: &PathRange,
        limit: usize,
    ) -> Result<Vec<Known>, StoreError> {
        self.store.database.known(source, range, limit)
    }

    fn known_at(&self, source: &SourceId, path: &str) -> Result<Vec<Known>, StoreError> {
        self.store.database.known_at(source, path)
    }

    fn catalog(&self) -> Result<Box<dyn Catalog + '_>, StoreError> {
        Ok(Box::new(self.store.catalog()?))
    }

    fn texts(&self, hashes: &[Hash]) -> Result<Vec<String>, StoreError> {
        let texts = hashes.iter().map(|hash| self.store.database.text(*hash));
        texts.collect()
    }

    fn twins(
        &self,
        source: &SourceId,
        identity: Hash,
        requests: &[TwinRequest<'_>],
    ) -> Result<Vec<Option<Twin>>, StoreError> {
        self.store.database.twins(source, identity, requests)
    }

    fn start_sync(&mut self, source: &SourceId, started: i64) -> Result<(), StoreError> {
        self.store.database.start_sync(source, started)
    }

    fn apply(&mut self, source: &SourceId, changes: &[Change]) -> Result<(), StoreError> {
        self.store.database.apply(source, changes)
    }

    fn index_words(&mut self, on_progress: OnProgress<'_>) -> Result<ControlFlow<()>, StoreError> {
        // There is one writer at a time.
        self.merging = None;
        self.store.catch_up(self.lock, on_progress)
    }

    fn embed(
        &mut self,
        embedder: &dyn Embedder,
        on_progress: OnProgress<'_>,
    ) -> Result<Followed, StoreError> {
        // One thread merges, and the cores that it leaves compute vectors. That is worth while only
        // after a large change: otherwise there are few vectors to compute.
        if self.store.is_unmerged {
            self.merging = self.store.start_merging()?;
        }
        self.store
            .embed(self.lock, embedder, self.merging.as_mut(), on_progress)
    }

    fn merge_words(&mut self, on_progress: OnProgress<'_>) -> Result<ControlFlow<()>, StoreError> {
        self.store.merge(self.merging.take(), on_progress)
    }

    fn behind(&self) -> Result<usize, StoreError> {
        self.store.unfollowed()
    }

    fn finish_sync(
        &mut self,
        source: &SourceId,
        finished: &Finished<'_>,
    ) -> Result<(), StoreError> {
        self.store.database.finish_sync(source, finished)
    }
}
