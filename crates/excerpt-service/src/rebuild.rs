//! Rebuilding an index from its sources.

use std::path::PathBuf;

use excerpt_index::{Collection, Index, Located, Origin};

use crate::config::{Configuration, EmbeddingChoice};
use crate::error::{ServiceError, ServiceResult};
use crate::target::Syncable;
use crate::update::{SyncObserver, sync};

/// What happens while an index is rebuilt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RebuildNote {
    /// The list of collections was damaged: this many were recovered by name, without their
    /// settings and attributes.
    CollectionsRecovered(usize),
    /// The source at this root no longer exists, and is no longer in the index.
    SourceGone(PathBuf),
    /// A setting in the configuration of a source is ignored.
    Configuration(String),
}

/// Rebuilds the index at `place` from its collections and all other sources that it names, and
/// returns their roots. If it no longer names any, it is rebuilt from the source of `place`, if
/// that has one. A source that no longer exists is skipped. `note` receives what happens.
///
/// # Errors
///
/// Those of [`Index::rebuild`] and of a sync, and when a configuration is invalid: then the index
/// stays as it was.
pub fn rebuild(
    place: &Located,
    choice: &EmbeddingChoice,
    observer: &mut dyn SyncObserver,
    note: &mut dyn FnMut(RebuildNote),
) -> ServiceResult<Vec<PathBuf>> {
    let mut rebuilt = Vec::new();
    let were_lost = Collection::all_in(&place.index).is_err();
    Index::rebuild(&place.index, |mut index, roots| {
        let collections = Collection::all_in(&place.index)?;
        if were_lost {
            note(RebuildNote::CollectionsRecovered(collections.len()));
        }
        for root in sources(place, roots, &collections) {
            if !Origin::of(&root).exists() {
                note(RebuildNote::SourceGone(root));
                continue;
            }
            let mut configuration = Configuration::read(&root, choice)?;
            let ignored = std::mem::take(&mut configuration.notes).into_iter();
            ignored.map(RebuildNote::Configuration).for_each(&mut *note);
            index = configuration.embedding.given_to(index)?;
            let source = syncable(place, root, &collections, &configuration);
            sync(&mut index, &source, None, observer)?;
            rebuilt.push(source.root);
        }
        Ok::<_, ServiceError>(index)
    })?;
    Ok(rebuilt)
}

/// The roots of the sources to rebuild from.
fn sources(place: &Located, roots: &[PathBuf], collections: &[Collection]) -> Vec<PathBuf> {
    let collections = collections.iter().map(|known| &known.root);
    let mut all: Vec<PathBuf> = roots.iter().chain(collections).cloned().collect();
    all.sort();
    all.dedup();
    // The library, like an index that is named, has no source of its own.
    if all.is_empty() && place.root != place.index {
        all.push(place.root.clone());
    }
    all
}

fn syncable(
    place: &Located,
    root: PathBuf,
    collections: &[Collection],
    configuration: &Configuration,
) -> Syncable {
    let collection = collections.iter().find(|known| known.root == root);
    Syncable {
        options: match collection {
            Some(collection) => configuration.options_of(collection),
            None => configuration.options(),
        },
        collection: collection.cloned(),
        index: place.index.clone(),
        root,
    }
}
