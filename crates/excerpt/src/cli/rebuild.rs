//! `excerpt doctor --rebuild`: an index made again from its sources.

use std::path::PathBuf;

use excerpt_index::{Collection, Index, Place};

use crate::output::{counted, say};
use crate::place::project::{Configuration, EmbeddingArgs};
use crate::place::{self, Syncable};

/// Makes the index at `place` again, from its collections and all other sources that it names, and returns their roots. Where it no longer says what it held,
/// that is the source that is meant.
///
/// A source that is not there any more has nothing to be made from; it is told, and left out.
pub(super) fn rebuild(place: &Place, args: &EmbeddingArgs) -> anyhow::Result<Vec<PathBuf>> {
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
                    "note: `{}` is not there and no longer in the index: run `excerpt sync` on it when it is",
                    root.display()
                ));
                continue;
            }
            let configuration = Configuration::read(&root, args)?.told();
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
            place::sync(&mut index, &source, None)?;
            made.push(source.root);
        }
        Ok::<_, anyhow::Error>(index)
    })?;
    Ok(made)
}
