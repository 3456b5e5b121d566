//! The state of the sources of an index.

use crate::model::{LastSync, SourceId, SourceStatus, SourceSummary};
use crate::store::catalog::Catalog;
use crate::store::{Counts, StoreError, StoredSource};

/// The state of each source, by id.
pub(crate) fn states(catalog: &dyn Catalog) -> Result<Vec<SourceStatus>, StoreError> {
    let sources = catalog.sources()?.into_iter();
    sources.map(|source| state(catalog, source)).collect()
}

fn state(catalog: &dyn Catalog, source: StoredSource) -> Result<SourceStatus, StoreError> {
    let counts = catalog.counts(Some(&source.id), "")?;
    Ok(SourceStatus {
        root: source.id.path().into(),
        documents: counts.documents,
        chunks: counts.chunks,
        last_sync: source.last_sync,
        skipped: catalog.skip_counts(&source.id)?,
        summary: catalog.summary(&source.id)?,
        name: source.name,
    })
}

/// How many documents and chunks a source has; none for an unknown source.
pub(crate) fn counts(catalog: &dyn Catalog, source: &SourceId) -> Result<Counts, StoreError> {
    match find(catalog, source)? {
        Some(known) => catalog.counts(Some(&known.id), ""),
        None => Ok(Counts::default()),
    }
}

/// The last sync of a source; `None` for an unknown source, and until a sync starts to write.
pub(crate) fn last_sync(
    catalog: &dyn Catalog,
    source: &SourceId,
) -> Result<Option<LastSync>, StoreError> {
    Ok(find(catalog, source)?.and_then(|known| known.last_sync))
}

/// What the last complete sync of a source found; `None` for an unknown source, and before the
/// first.
pub(crate) fn summary(
    catalog: &dyn Catalog,
    source: &SourceId,
) -> Result<Option<SourceSummary>, StoreError> {
    match find(catalog, source)? {
        Some(known) => catalog.summary(&known.id),
        None => Ok(None),
    }
}

fn find(catalog: &dyn Catalog, source: &SourceId) -> Result<Option<StoredSource>, StoreError> {
    let mut sources = catalog.sources()?.into_iter();
    Ok(sources.find(|known| known.id == *source))
}
