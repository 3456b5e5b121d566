//! Why a file that was named is not indexed.

use std::path::Path;

use anyhow::bail;
use excerpt_index::{Files, Reading, Secret, Selection, Skip, SkipReason, Source as _};

/// Why the file or folder that is shown as `shown` is not indexed, and how to have it.
pub(crate) fn not_indexed(shown: &str, skip: &Skip) -> String {
    let detail = skip.detail.as_ref().map(|detail| format!(" ({detail})"));
    let advice = match skip.reason {
        SkipReason::Binary => ": excerpt reads text files only",
        SkipReason::TooLarge => ": raise `max_file_size` in `[files]` of your excerpt.toml",
        SkipReason::LeftOut => ": change `include` or `ignore` in `[files]` of excerpt.toml",
        SkipReason::Ignored => ": --no-ignore includes it",
        SkipReason::NotUtf8 => ": convert it to UTF-8",
        SkipReason::Secret => {
            return format!(
                "`{shown}` {}{}: {}",
                skip.reason,
                detail.unwrap_or_default(),
                Secret::ADVICE
            );
        }
        _ => "",
    };
    format!(
        "`{shown}` is not indexed: {}{}{advice}",
        skip.reason,
        detail.unwrap_or_default()
    )
}

/// Refuses the file at `root`, shown as `shown`, if it would be skipped.
pub(crate) fn check_file(shown: &str, root: &Path, selection: &Selection) -> anyhow::Result<()> {
    let files = Files::selected(root, selection)?;
    let listing = files.list()?;
    let read = listing.entries.first().map(|entry| files.read(entry));
    let skip = match read {
        Some(Reading::Skip { skip, .. }) => Some(skip),
        _ => listing.skips.into_iter().next(),
    };
    match skip {
        Some(skip) => bail!("{}", not_indexed(shown, &skip)),
        None => Ok(()),
    }
}
