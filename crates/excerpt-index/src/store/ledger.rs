//! What a sync tells a store, and asks it: [`Ledger`].

use std::ops::ControlFlow;

use excerpt_chunk::Hash;

use super::catalog::Catalog;
use super::{Change, Known, SkipRow, StoreError, Twin};
use crate::embed::{EmbedError, Embedder};
use crate::model::{LastSync, PathRange, SourceId, SourceSummary, Stat};

/// Receives how many of how many documents are done, and may cancel: what is done by then is kept.
pub(crate) type OnProgress<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;

/// The one writer of an index. What it writes is complete or absent, however the process ends.
pub(crate) trait Ledger {
    /// Makes a source known, as the collection `name` if it is one, and returns its state.
    ///
    /// # Errors
    ///
    /// When the engine fails, as for all that follow.
    fn register(&mut self, source: &SourceId, name: Option<&str>)
    -> Result<Registered, StoreError>;

    /// The documents of a source in a range of paths, by path, at most `limit`.
    fn known(
        &self,
        source: &SourceId,
        range: &PathRange,
        limit: usize,
    ) -> Result<Vec<Known>, StoreError>;

    /// The document of a source at `path`, and those under it, by path.
    fn known_at(&self, source: &SourceId, path: &str) -> Result<Vec<Known>, StoreError>;

    /// The documents as they are now, with what has been applied.
    fn catalog(&self) -> Result<Box<dyn Catalog + '_>, StoreError>;

    /// The text of each hash, in their order, duplicates included.
    fn texts(&self, hashes: &[Hash]) -> Result<Vec<String>, StoreError>;

    /// For each document of `source` that is about to be read, its twin in another source, if there
    /// is one whose chunks depend on the same settings as those of `identity`.
    fn twins(
        &self,
        source: &SourceId,
        identity: Hash,
        requests: &[TwinRequest<'_>],
    ) -> Result<Vec<Option<Twin>>, StoreError>;

    /// Records that a sync, which began at `started` (in seconds since 1970), is about to write:
    /// until it has finished, it counts as interrupted.
    fn start_sync(&mut self, source: &SourceId, started: i64) -> Result<(), StoreError>;

    /// Applies changes to the documents of a source: all of them or none.
    fn apply(&mut self, source: &SourceId, changes: &[Change]) -> Result<(), StoreError>;

    /// Makes the changed documents searchable by their words.
    fn index_words(&mut self, on_progress: OnProgress<'_>) -> Result<ControlFlow<()>, StoreError>;

    /// Computes the vectors of the changed chunks.
    fn embed(
        &mut self,
        embedder: &dyn Embedder,
        on_progress: OnProgress<'_>,
    ) -> Result<Followed, StoreError>;

    /// Merges the parts that [`Ledger::index_words`] has left: a search has to look into each.
    /// `tell` counts nothing. If it cancels and many parts are left, returns
    /// [`ControlFlow::Break`]: then the next sync tries again.
    fn merge_words(&mut self, on_progress: OnProgress<'_>) -> Result<ControlFlow<()>, StoreError>;

    /// How many documents are not searchable in their current version.
    fn behind(&self) -> Result<usize, StoreError>;

    /// Records that a sync has covered the whole source.
    fn finish_sync(&mut self, source: &SourceId, finished: &Finished<'_>)
    -> Result<(), StoreError>;
}

/// A document whose twin is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwinRequest<'a> {
    pub(crate) path: &'a str,
    /// The metadata of the file. A twin has the same size.
    pub(crate) stat: Stat,
}

/// The state of a source before a sync.
#[derive(Debug)]
pub(crate) struct Registered {
    /// The last sync that wrote; `None` before the first.
    pub(crate) last_sync: Option<LastSync>,
    /// What the last complete sync skipped, by path.
    pub(crate) skips: Vec<SkipRow>,
    /// The [`Finished::cursor`] of the last sync, if it was complete.
    pub(crate) cursor: Option<String>,
    /// Whether there is a summary of the source.
    pub(crate) has_summary: bool,
}

/// What a complete sync leaves behind.
pub(crate) struct Finished<'a> {
    pub(crate) sync: LastSync,
    /// Replaces the list of what is skipped; `None` if it is the same.
    pub(crate) skips: Option<&'a [SkipRow]>,
    /// What the source is about; `None` if that is the same.
    pub(crate) summary: Option<&'a SourceSummary>,
    /// Names the state of the source that the index has; `None` if it cannot be named.
    pub(crate) cursor: Option<&'a str>,
}

/// How an update of vectors ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// Every chunk has its vector, or is known to have none.
    Complete,
    /// It was cancelled.
    Broken,
    /// The embedder returned no vectors.
    Failed(EmbedError),
}
