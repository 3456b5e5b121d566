//! What an index contains of a source that was added or edited.

use std::path::Path;

use excerpt_index::{Error, Index, ListOptions, Warned};
use serde::Serialize;

/// The documents of a source, and the warnings of their splitting.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Contents {
    /// How many documents it has.
    pub documents: usize,
    /// How many chunks they have.
    pub chunks: usize,
    /// The warnings.
    pub warnings: Vec<Warned>,
}

impl Contents {
    /// Those of the source at `root`; none if it was never synced.
    pub fn of(index: &Index, root: &Path) -> Result<Contents, Error> {
        let of_source = ListOptions::default().source(root);
        let (documents, chunks) = match index.counts(&of_source) {
            Err(Error::UnknownSource { .. }) => return Ok(Contents::default()),
            counts => counts?,
        };
        Ok(Contents {
            documents,
            chunks,
            warnings: index.warnings(root)?,
        })
    }

    /// The first warnings, at most `most`, as lines with the path as `shown`, and how many more
    /// there are.
    pub fn first_warnings(
        &self,
        most: usize,
        shown: impl Fn(&str) -> String,
    ) -> (Vec<String>, usize) {
        let first = self.warnings.iter().take(most);
        let lines = first.map(|warned| {
            let lines = warned.lines.map(|(first, last)| format!(":{first}-{last}"));
            let path = shown(&warned.path);
            format!("{path}{}: {}", lines.unwrap_or_default(), warned.warning)
        });
        (lines.collect(), self.warnings.len().saturating_sub(most))
    }
}
