//! Whether a file that was named would be indexed.

use std::path::Path;

use excerpt_index::{Files, Reading, Selection, Source as _};

use crate::error::{ServiceError, ServiceResult};

/// Checks that the file at `root` would be indexed.
///
/// # Errors
///
/// [`ServiceError::NotIndexed`], with the file as `shown`, if it would be skipped.
pub(crate) fn check_file(shown: &str, root: &Path, selection: &Selection) -> ServiceResult<()> {
    let files = Files::selected(root, selection)?;
    let listing = files.list()?;
    let read = listing
        .entries
        .first()
        .map(|entry| (files.read(entry), &entry.path));
    let skip = match read {
        Some((Reading::Skip { skip, .. }, _)) => Some(skip),
        Some((Reading::Bytes { bytes, .. }, path)) => selection.text(path, bytes).err(),
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
