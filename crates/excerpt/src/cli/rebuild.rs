//! `excerpt doctor --rebuild`: rebuilds an index from its sources.

use std::path::PathBuf;

use excerpt_index::{Collection, Index, Located};
use excerpt_service::text::counted;
use excerpt_service::{Syncable, sync};

use crate::cli::choice::{EmbeddingArgs, configuration};
use crate::output::say;
use crate::progress::Bar;

/// Rebuilds the index at `place` from its collections and all other sources that it names, and
/// returns their roots. If it no longer names any, it is rebuilt from the source of `place`.
///
/// A source that no longer exists is reported and skipped.
pub(super) fn rebuild(place: &Located, args: &EmbeddingArgs) -> anyhow::Result<Vec<PathBuf>> {
    let mut made = Vec::new();
    let were_lost = Collection::all_in(&place.index).is_err();
    Index::rebuild(&place.index, |mut index, roots| {
        let collections = Collection::all_in(&place.index)?;
        if were_lost {
            say(&format!(
                "note: the list of collections was damaged: {} recovered by name, without their settings and attributes",
                counted(collections.len(), "collection")
            ));
        }
        let mut all: Vec<PathBuf> = roots.to_vec();
        all.extend(collections.iter().map(|known| known.root.clone()));
        all.sort();
        all.dedup();
        if all.is_empty() {
            all.push(place.root.clone());
        }
        for root in all {
            if !root.exists() {
                say(&format!(
                    "note: `{}` does not exist and is no longer in the index: run `excerpt sync` on it when it is back",
                    root.display()
                ));
                continue;
            }
            let configuration = configuration(&root, args)?;
            let collection = collections.iter().find(|known| known.root == root);
            let source = Syncable {
                options: match collection {
                    Some(collection) => configuration.options_of(collection),
                    None => configuration.options(),
                },
                collection: collection.cloned(),
                root,
            };
            index = configuration.embedding.given_to(index)?;
            sync(&mut index, &source, None, &mut Bar::new())?;
            made.push(source.root);
        }
        Ok::<_, anyhow::Error>(index)
    })?;
    Ok(made)
}
