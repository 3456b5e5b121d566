//! [`Index`]: the operations that the command line and the MCP server call.

mod clone;
mod collections;
mod list;
mod mirror;
mod open;
mod read;
mod rebuild;
mod watch;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use excerpt_chunk::Hash;

use self::open::OpenIndex;
use crate::embed::{Embedder, StaticTable};
use crate::fs::lock::WriteLock;
use crate::model::{
    ActiveWriter, Answer, Check, LastSync, Progress, Query, Result, Skip, SkipReason,
    SourceSummary, Status, SyncOptions, SyncReport,
};
use crate::rerank::Reranker;
use crate::source::{Files, Source};

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

/// An index on disk. It answers any number of threads at once, in this process and in others, while
/// one writes.
pub struct Index {
    dir: PathBuf,
    options: OpenOptions,
    /// The embedder; `None` when vectors are switched off.
    embedder: Option<Arc<dyn Embedder>>,
    /// Reorders the hits of searches.
    reranker: Option<Arc<Reranker>>,
    /// Open ones that no thread is using, the one used last at the end.
    idle: Mutex<Vec<OpenIndex>>,
}

impl Index {
    /// Opens the index in `dir`. If its keyword index is out of date, missing or damaged, and no
    /// other process writes, it is repaired first.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`](crate::Error::NotFound) when there is no index and `create` is not set;
    /// [`Error::NotAnIndex`](crate::Error::NotAnIndex), [`Error::Foreign`](crate::Error::Foreign),
    /// [`Error::Newer`](crate::Error::Newer) and [`Error::Damaged`](crate::Error::Damaged) when the
    /// contents of `dir` cannot be used.
    pub fn open(dir: &Path, options: OpenOptions) -> Result<Self> {
        let embedder: Arc<dyn Embedder> = Arc::new(StaticTable::built_in()?);
        Ok(Index {
            dir: dir.to_path_buf(),
            options,
            embedder: Some(embedder),
            reranker: None,
            idle: Mutex::new(vec![OpenIndex::open(dir, options)?]),
        })
    }

    /// Sets the embedder for chunks and queries. With `None`, search uses keywords only, and the
    /// vectors in the index are kept. Default: the built-in [`StaticTable`].
    #[must_use]
    pub fn with_embedder(self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Index { embedder, ..self }
    }

    /// Sets the model that reorders the hits of searches. Default: none.
    #[must_use]
    pub fn with_reranker(self, reranker: Option<Arc<Reranker>>) -> Self {
        Index { reranker, ..self }
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
    /// [`Error::Locked`](crate::Error::Locked) while another process writes;
    /// [`Error::Source`](crate::Error::Source) when the root cannot be read;
    /// [`Error::Vanished`](crate::Error::Vanished) when too many of its documents are gone, in
    /// which case nothing is changed;
    /// [`Error::UnknownCollection`](crate::Error::UnknownCollection) when the options are those
    /// of a collection that was removed.
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
        self.with(|open| open.sync_source(source, options, self.embedder(), &mut progress))
    }

    /// How many documents of the source at `root` were split with other settings than these. A sync
    /// splits them again.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn stale(&self, root: &Path, options: &SyncOptions) -> Result<usize> {
        self.current(|open| open.stale(root, options))
    }

    /// Searches what is indexed.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyQuery`](crate::Error::EmptyQuery) for a query without a word,
    /// [`Error::UnknownSource`](crate::Error::UnknownSource) for a filter on an unknown source, and
    /// as [`Ranking::check`].
    ///
    /// [`Ranking::check`]: crate::Ranking::check
    pub fn search(&self, query: &Query) -> Result<Answer> {
        self.with(|open| open.search(query, self.embedder(), self.reranker.as_deref()))
    }

    /// The contents and the state of the index, read from the store itself.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn status(&self) -> Result<Status> {
        self.current(|open| open.status())
    }

    /// The process that is writing the index now, which may be this one; `None` if none is, or that
    /// cannot be found out.
    #[must_use]
    pub fn writer(&self) -> Option<ActiveWriter> {
        WriteLock::writer(&self.dir)
    }

    /// The last sync of the source at `root`; `None` until the first one starts to write.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn last_sync(&self, root: &Path) -> Result<Option<LastSync>> {
        self.current(|open| open.last_sync(root))
    }

    /// What the last complete sync of the source at `root` found; `None` before the first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn summary(&self, root: &Path) -> Result<Option<SourceSummary>> {
        self.current(|open| open.summary(root))
    }

    /// The roots of the sources in the index.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn roots(&self) -> Result<Vec<PathBuf>> {
        self.current(|open| open.roots())
    }

    /// Switches to the current state: what other processes have written since the index was opened,
    /// and a new generation if there is one.
    ///
    /// # Errors
    ///
    /// As [`Index::open`].
    pub fn refresh(&self) -> Result<()> {
        self.current(|open| open.refresh())
    }

    /// The mean size of a chunk with its context, in the unit of the configuration; 0 without
    /// chunks.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn mean_size(&self) -> Result<f64> {
        self.current(|open| open.mean_size())
    }

    /// How many documents are searchable: those of which the keyword index has the current version.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn searched(&self) -> Result<usize> {
        self.current(|open| open.searched())
    }

    /// What the last complete sync of the source at `root` skipped, by path.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`](crate::Error::UnknownSource) when the index has no such source.
    pub fn skips(&self, root: &Path) -> Result<Vec<Skip>> {
        self.current(|open| open.skips(root))
    }

    /// How much the last complete sync of the source at `root` skipped, by reason.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`](crate::Error::UnknownSource) when the index has no such source.
    pub fn skip_counts(&self, root: &Path) -> Result<BTreeMap<SkipReason, usize>> {
        self.current(|open| open.skip_counts(root))
    }

    /// A hash over all documents and chunks: equal for two indexes with the same content, however
    /// they were built.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn fingerprint(&self) -> Result<Hash> {
        self.current(|open| open.fingerprint())
    }

    /// A mark of the indexed state. It changes whenever the documents, or what the last sync found
    /// in a source, may have changed. Its cost depends on the number of sources, not on the number
    /// of documents.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn state_hash(&self) -> Result<Hash> {
        self.current(|open| open.state_hash())
    }

    /// Reads the whole database, including every text, and compares the keyword index with it chunk
    /// by chunk.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`](crate::Error::Damaged), and when the store cannot be read.
    pub fn check(&self) -> Result<Check> {
        self.current(|open| open.check())
    }

    /// The folder of the keyword index, which is derived from the database: without it, the next
    /// sync builds it again.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn keywords_folder(&self) -> Result<PathBuf> {
        self.current(|open| Ok(open.store.lexical_folder()))
    }

    /// Serves this index, built in a folder inside the index directory `home`, in place of the one
    /// served there.
    pub(crate) fn serve_from(self, home: &Path, lock: &WriteLock) -> Result<()> {
        let mut idle = self.idle.into_inner().unwrap_or_default();
        let last = idle.pop();
        // The others are closed.
        drop(idle);
        match last {
            Some(open) => open.serve_from(home, lock),
            None => OpenIndex::open(&self.dir, self.options)?.serve_from(home, lock),
        }
    }

    /// Its directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Calls `work` with the index in its current state.
    fn current<T>(&self, work: impl FnOnce(&mut OpenIndex) -> Result<T>) -> Result<T> {
        // If it is gone or was replaced by something else, opening it again says so.
        let mut last = self.idle().pop();
        last.take_if(|open| open.store.refresh().is_err());
        self.lend(last, work)
    }

    /// Calls `work` with the index as one that no other thread uses meanwhile.
    fn with<T>(&self, work: impl FnOnce(&mut OpenIndex) -> Result<T>) -> Result<T> {
        let last = self.idle().pop();
        self.lend(last, work)
    }

    fn lend<T>(
        &self,
        open: Option<OpenIndex>,
        work: impl FnOnce(&mut OpenIndex) -> Result<T>,
    ) -> Result<T> {
        let mut open = open.map_or_else(|| self.opened(), Ok)?;
        let done = work(&mut open);
        self.idle().push(open);
        done
    }

    fn idle(&self) -> MutexGuard<'_, Vec<OpenIndex>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self) -> Result<OpenIndex> {
        let options = OpenOptions {
            create: false,
            ..self.options
        };
        OpenIndex::open(&self.dir, options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Index>();
    }
}
