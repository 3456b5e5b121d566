//! Why a file that was named is not indexed.

use std::path::Path;

use excerpt_index::{Files, Reading, Selection, Skip, SkipReason, Source as _};

use crate::error::{ServiceError, ServiceResult};

/// Why the file or folder that is shown as `shown` is not indexed.
#[must_use]
pub fn not_indexed(shown: &str, skip: &Skip) -> String {
    let is = match skip.reason {
        SkipReason::Secret => "",
        _ => "is not indexed: ",
    };
    let detail = skip.detail.as_ref().map(|detail| format!(" ({detail})"));
    let detail = detail.unwrap_or_default();
    format!("`{shown}` {is}{}{detail}", skip.reason)
}

/// Checks that the file at `root` would be indexed.
///
/// # Errors
///
/// [`ServiceError::NotIndexed`], with the file as `shown`, if it would be skipped.
pub fn check_file(shown: &str, root: &Path, selection: &Selection) -> ServiceResult<()> {
    let files = Files::selected(root, selection)?;
    let listing = files.list()?;
    let read = listing.entries.first().map(|entry| files.read(entry));
    let skip = match read {
        Some(Reading::Skip { skip, .. }) => Some(skip),
        _ => listing.skips.into_iter().next(),
    };
    match skip {
        Some(skip) => Err(ServiceError::NotIndexed {
            file: shown.to_string(),
            skip,
        }),
        None => Ok(()),
    }
}
