//! What is read from a store by path, by link and as lists: [`Catalog`].

use std::collections::BTreeMap;

use excerpt_chunk::Hash;

use super::{
    Counts, LinkForm, LinkRow, Listed, SkipRow, StoreError, StoredChunk, StoredDocument,
    StoredSource,
};
use crate::model::{DocumentId, Skip, SkipReason, SourceId, SourceSummary};

/// Receives the path, the lines and the warnings, as JSON, of a document or of a chunk.
pub(crate) type VisitWarned<'a> =
    &'a mut dyn FnMut(String, Option<(usize, usize)>, &str) -> Result<(), StoreError>;

/// The sources and documents of an index, in one consistent state. Every function fails when the
/// engine does or what it reads is damaged, and with [`Error::UnknownSource`] for a source that
/// the index does not have, unless it says otherwise.
///
/// [`Error::UnknownSource`]: crate::Error::UnknownSource
pub(crate) trait Catalog {
    /// The sources, by id.
    fn sources(&self) -> Result<Vec<StoredSource>, StoreError>;

    /// How many documents there are at or under `path`, in a source or in all.
    fn document_count(&self, source: Option<&SourceId>, path: &str) -> Result<usize, StoreError>;

    /// The same, and how many chunks they have.
    fn counts(&self, source: Option<&SourceId>, path: &str) -> Result<Counts, StoreError>;

    /// How many documents of a source were split with other settings than those of `identity`, up
    /// to `limit`; none for a source that the index does not have.
    fn stale_count(
        &self,
        source: &SourceId,
        identity: Hash,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// What the last complete sync of a source found; `None` before the first.
    fn summary(&self, source: &SourceId) -> Result<Option<SourceSummary>, StoreError>;

    /// What the last complete sync of a source skipped, by path.
    fn skips(&self, source: &SourceId) -> Result<Vec<SkipRow>, StoreError>;

    /// How many it skipped, by reason.
    fn skip_counts(&self, source: &SourceId) -> Result<BTreeMap<SkipReason, usize>, StoreError>;

    /// A document.
    fn document(&self, id: DocumentId) -> Result<Option<StoredDocument>, StoreError>;

    /// The documents at `path`, in one source or in all, by source.
    fn documents_at(
        &self,
        source: Option<&SourceId>,
        path: &str,
    ) -> Result<Vec<StoredDocument>, StoreError>;

    /// A text.
    fn text(&self, hash: Hash) -> Result<String, StoreError>;

    /// The chunks of a document, in order.
    fn chunks(&self, document: DocumentId) -> Result<Vec<StoredChunk>, StoreError>;

    /// The chunks with ids from `first` to `last`, with their documents; only a few of them, since
    /// the caller looks for a single one.
    fn chunks_between(
        &self,
        first: [u8; 16],
        last: [u8; 16],
    ) -> Result<Vec<(StoredDocument, StoredChunk)>, StoreError>;

    /// The id of the chunk of a document that contains the byte at `offset`, or of the next one.
    fn chunk_at(&self, document: DocumentId, offset: usize) -> Result<Option<Hash>, StoreError>;

    /// The links and labels of a document, in the order of its text.
    fn links_of(&self, document: DocumentId) -> Result<Vec<LinkRow>, StoreError>;

    /// The links of a form in a source to `target`, or the labels of this name, each with the id of
    /// the document that contains it.
    fn links_to(
        &self,
        source: &SourceId,
        target: &str,
        form: LinkForm,
    ) -> Result<Vec<(DocumentId, LinkRow)>, StoreError>;

    /// What was skipped at `path` or above it, in one source or in all.
    fn skip_at(&self, source: Option<&SourceId>, path: &str) -> Result<Option<Skip>, StoreError>;

    /// Calls `visit` with the path of every document of a source, or of all.
    fn each_path(
        &self,
        source: Option<&SourceId>,
        visit: &mut dyn FnMut(&str),
    ) -> Result<(), StoreError>;

    /// Calls `visit` with the documents at or under `path`, in a source or in all, by source and
    /// path; at most `limit` of them.
    fn each_listed(
        &self,
        source: Option<&SourceId>,
        path: &str,
        limit: Option<usize>,
        visit: &mut dyn FnMut(Listed),
    ) -> Result<(), StoreError>;

    /// How many chunks a document has.
    fn chunk_count(&self, document: DocumentId) -> Result<usize, StoreError>;

    /// Calls `visit` with each document that has a facet of this name, and its value, document by
    /// document.
    fn each_facet(
        &self,
        name: &str,
        visit: &mut dyn FnMut(DocumentId, &str),
    ) -> Result<(), StoreError>;

    /// Calls `visit` for each document of a source that has warnings, and for each such chunk.
    fn each_warned(&self, source: &SourceId, visit: VisitWarned<'_>) -> Result<(), StoreError>;
}
