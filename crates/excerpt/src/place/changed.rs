//! Whether a document is still as it was indexed.

use std::path::Path;
use std::time::UNIX_EPOCH;

/// What became of the file of a document after it had been indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    /// It is no longer there.
    Gone,
    /// It is another one.
    Other,
}

impl Changed {
    /// What became of the document at `path`, whose file had this size and time (in seconds since 1970); none when it is as it was.
    pub(crate) fn since(source: &Path, path: &str, size: u64, modified: i64) -> Option<Changed> {
        let file = match source.is_file() {
            true => source.to_path_buf(),
            false => source.join(path),
        };
        let Ok(file) = std::fs::metadata(file) else {
            return Some(Changed::Gone);
        };
        let now = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let is_same = file.len() == size && now.as_secs().cast_signed() == modified;
        (!is_same).then_some(Changed::Other)
    }

    /// The same in words, of a document that is shown as `path`.
    pub(crate) fn told(self, path: &str) -> String {
        match self {
            Changed::Gone => {
                format!("`{path}` is no longer there: this is what was indexed of it")
            }
            Changed::Other => {
                format!("`{path}` was changed after it had been indexed: run `excerpt sync`")
            }
        }
    }
}
