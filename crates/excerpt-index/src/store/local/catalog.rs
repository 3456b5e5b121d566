//! [`LocalCatalog`]: the [`Catalog`] of a [`Store`].

use std::collections::BTreeMap;

use excerpt_chunk::Hash;
use rusqlite::Transaction;

use super::Store;
use super::blocks::ChunkReader;
use super::database::Database;
use crate::model::{DocumentId, Skip, SkipReason, SourceId, SourceSummary};
use crate::store::catalog::{Catalog, VisitWarned};
use crate::store::{
    Counts, LinkForm, LinkRow, Listed, SkipRow, StoreError, StoredChunk, StoredDocument,
    StoredSource,
};

/// One state of the database.
pub(crate) struct LocalCatalog<'a> {
    database: &'a Database,
    _state: Transaction<'a>,
}

impl Store {
    /// The documents in their current state.
    pub(crate) fn catalog(&self) -> Result<LocalCatalog<'_>, StoreError> {
        Ok(LocalCatalog {
            database: &self.database,
            _state: self.database.snapshot()?,
        })
    }
}

impl Catalog for LocalCatalog<'_> {
    fn sources(&self) -> Result<Vec<StoredSource>, StoreError> {
        self.database.sources()
    }

    fn document_count(&self, source: Option<&SourceId>, path: &str) -> Result<usize, StoreError> {
        self.database.document_count(source, path)
    }

    fn counts(&self, source: Option<&SourceId>, path: &str) -> Result<Counts, StoreError> {
        self.database.counts(source, path)
    }

    fn stale_count(
        &self,
        source: &SourceId,
        identity: Hash,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.database.stale_count(source, identity, limit)
    }

    fn summary(&self, source: &SourceId) -> Result<Option<SourceSummary>, StoreError> {
        self.database.summary(source)
    }

    fn skips(&self, source: &SourceId) -> Result<Vec<SkipRow>, StoreError> {
        self.database.skips(source)
    }

    fn skip_counts(&self, source: &SourceId) -> Result<BTreeMap<SkipReason, usize>, StoreError> {
        self.database.skip_counts(source)
    }

    fn document(&self, id: DocumentId) -> Result<Option<StoredDocument>, StoreError> {
        self.database.document(id)
    }

    fn documents_at(
        &self,
        source: Option<&SourceId>,
        path: &str,
    ) -> Result<Vec<StoredDocument>, StoreError> {
        match source {
            Some(source) => Ok(self
                .database
                .document_at(source, path)?
                .into_iter()
                .collect()),
            None => self.database.documents_at(path),
        }
    }

    fn text(&self, hash: Hash) -> Result<String, StoreError> {
        self.database.text(hash)
    }

    fn chunks(&self, document: DocumentId) -> Result<Vec<StoredChunk>, StoreError> {
        self.database.chunks(document)
    }

    fn chunks_between(
        &self,
        first: [u8; 16],
        last: [u8; 16],
    ) -> Result<Vec<(StoredDocument, StoredChunk)>, StoreError> {
        let (mut found, chunks) = (Vec::new(), ChunkReader::of(self.database));
        for key in self.database.chunks_between(first, last)? {
            let document = self.database.document(key.document)?;
            found.extend(document.zip(chunks.chunk(key)?));
        }
        Ok(found)
    }

    fn chunk_at(&self, document: DocumentId, offset: usize) -> Result<Option<Hash>, StoreError> {
        self.database.chunk_at(document, offset)
    }

    fn links_of(&self, document: DocumentId) -> Result<Vec<LinkRow>, StoreError> {
        self.database.links_of(document)
    }

    fn links_to(
        &self,
        source: &SourceId,
        target: &str,
        form: LinkForm,
    ) -> Result<Vec<(DocumentId, LinkRow)>, StoreError> {
        self.database.links_to(source, target, form)
    }

    fn skip_at(&self, source: Option<&SourceId>, path: &str) -> Result<Option<Skip>, StoreError> {
        self.database.skip_at(source, path)
    }

    fn each_path(
        &self,
        source: Option<&SourceId>,
        visit: &mut dyn FnMut(&str),
    ) -> Result<(), StoreError> {
        self.database.each_path(source, visit)
    }

    fn each_listed(
        &self,
        source: Option<&SourceId>,
        path: &str,
        limit: Option<usize>,
        visit: &mut dyn FnMut(Listed),
    ) -> Result<(), StoreError> {
        self.database.each_listed(source, path, limit, visit)
    }

    fn chunk_count(&self, document: DocumentId) -> Result<usize, StoreError> {
        self.database.chunk_count(document)
    }

    fn each_facet(
        &self,
        name: &str,
        visit: &mut dyn FnMut(DocumentId, &str),
    ) -> Result<(), StoreError> {
        self.database.each_facet(name, visit)
    }

    fn each_warned(&self, source: &SourceId, visit: VisitWarned<'_>) -> Result<(), StoreError> {
        self.database.each_warned(source, visit)
    }
}
