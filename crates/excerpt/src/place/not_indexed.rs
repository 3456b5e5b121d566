//! Why a file that was named is not indexed.

use std::path::Path;

use anyhow::bail;
use excerpt_index::{Files, Reading, Secret, Selection, Skip, SkipReason, Source as _};

/// Who named the file, which decides what can be done about it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asker<'a> {
    /// A search in its folder.
    Search,
    /// A search in the collection of this name.
    Collection(&'a str),
    /// `excerpt add`.
    Add,
    /// An agent, which has no options for this.
    Agent,
}

impl Asker<'_> {
    /// How to index a file that was skipped for this reason.
    fn advice(self, reason: SkipReason) -> Option<String> {
        let advice = match (reason, self) {
            (SkipReason::Binary, _) => "excerpt reads text files only",
            (SkipReason::NotUtf8, _) => "convert it to UTF-8",
            (SkipReason::TooLarge, Asker::Search) => {
                "raise `max_file_size` in `[files]` of your excerpt.toml"
            }
            (SkipReason::TooLarge, Asker::Collection(name)) => {
                return Some(format!(
                    "raise it with `excerpt edit {name} --max-file-size`"
                ));
            }
            (SkipReason::TooLarge, Asker::Add) => "raise it with `--max-file-size`",
            (SkipReason::TooLarge, Asker::Agent) => {
                "ask the user to raise `max_file_size` in `[files]` of their excerpt.toml"
            }
            (SkipReason::LeftOut, Asker::Search) => {
                "change `include` or `ignore` in `[files]` of excerpt.toml"
            }
            (SkipReason::LeftOut, Asker::Collection(name)) => {
                return Some(format!(
                    "change the patterns with `excerpt edit {name}`, or in `[files]` of excerpt.toml"
                ));
            }
            (SkipReason::LeftOut, Asker::Add) => {
                "change `--include` or `--ignore`, or `[files]` of excerpt.toml"
            }
            (SkipReason::LeftOut, Asker::Agent) => {
                "ask the user to change `include` or `ignore` in `[files]` of excerpt.toml"
            }
            (SkipReason::Ignored, Asker::Agent) => {
                "ask the user to set `ignore_files = false` in `[files]` of excerpt.toml"
            }
            (SkipReason::Ignored, _) => "--no-ignore includes it",
            (SkipReason::Secret, _) => Secret::ADVICE,
            _ => return None,
        };
        Some(advice.to_string())
    }
}

/// Why the file or folder that is shown as `shown` is not indexed, and how to index it.
pub(crate) fn not_indexed(shown: &str, skip: &Skip, asker: Asker<'_>) -> String {
    let is = match skip.reason {
        SkipReason::Secret => "",
        _ => "is not indexed: ",
    };
    let detail = skip.detail.as_ref().map(|detail| format!(" ({detail})"));
    let advice = asker.advice(skip.reason);
    let advice = advice.map(|advice| format!(": {advice}"));
    format!(
        "`{shown}` {is}{}{}{}",
        skip.reason,
        detail.unwrap_or_default(),
        advice.unwrap_or_default()
    )
}

/// Refuses the file at `root`, shown as `shown`, if it would be skipped.
pub(crate) fn check_file(
    shown: &str,
    root: &Path,
    selection: &Selection,
    asker: Asker<'_>,
) -> anyhow::Result<()> {
    let files = Files::selected(root, selection)?;
    let listing = files.list()?;
    let read = listing.entries.first().map(|entry| files.read(entry));
    let skip = match read {
        Some(Reading::Skip { skip, .. }) => Some(skip),
        _ => listing.skips.into_iter().next(),
    };
    match skip {
        Some(skip) => bail!("{}", not_indexed(shown, &skip, asker)),
        None => Ok(()),
    }
}
