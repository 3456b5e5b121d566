//! Whether a document is still as it was indexed.

use std::path::Path;
use std::time::UNIX_EPOCH;

/// What one should know of the document at `path`, whose file had this size and time (in seconds since 1970) when it was indexed, and is no longer so.
pub(crate) fn changed(source: &Path, path: &str, size: u64, modified: i64) -> Option<String> {
    let file = match source.is_file() {
        true => source.to_path_buf(),
        false => source.join(path),
    };
    let Ok(file) = std::fs::metadata(file) else {
        return Some(format!(
            "`{path}` is no longer there: this is what was indexed of it"
        ));
    };
    let now = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let is_same = file.len() == size && now.as_secs().cast_signed() == modified;
    let changed = || format!("`{path}` was changed after it had been indexed: run `excerpt sync`");
    (!is_same).then(changed)
}
