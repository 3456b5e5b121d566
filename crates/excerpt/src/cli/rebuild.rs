//! `excerpt doctor --rebuild`: an index made again from its sources.

use std::path::PathBuf;

use excerpt_index::{Index, Place};

use crate::cli::place;
use crate::cli::project::{Configuration, EmbeddingArgs};
use crate::output::say;

/// Makes the index at `place` again, from all sources that it names, and the one that is meant. Returns their roots.
///
/// A source that the index names and that is not there any more has nothing to be made from; it is told, and left out.
pub(super) fn rebuild(place: &Place, args: &EmbeddingArgs) -> anyhow::Result<Vec<PathBuf>> {
    let mut made = Vec::new();
    Index::rebuild(&place.index, |mut index, roots| {
        let others = roots.iter().filter(|root| **root != place.root);
        for root in [&place.root].into_iter().chain(others) {
            if *root != place.root && !root.exists() {
                say(&format!(
                    "note: `{}` is not there and no longer in the index: run `excerpt sync` on it when it is",
                    root.display()
                ));
                continue;
            }
            let configuration = Configuration::read(root, args)?;
            index = configuration.embedding.given_to(index)?;
            place::sync(&mut index, root, &place::options(&configuration), None)?;
            made.push(root.clone());
        }
        Ok::<_, anyhow::Error>(index)
    })?;
    Ok(made)
}
