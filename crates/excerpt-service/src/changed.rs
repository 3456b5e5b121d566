//! Whether a file has changed since it was indexed.

use std::path::Path;

use excerpt_index::{Origin, stat_below};

/// How the file of a document has changed since it was indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It no longer exists.
    Gone,
    /// Its size or time differs.
    Other,
}

impl Changed {
    /// How the document at `path` has changed, whose file had this size and time (in seconds since
    /// 1970); `None` if it has not, or is not on this disk.
    pub fn since(source: &Path, path: &str, size: u64, modified: i64) -> Option<Changed> {
        if Origin::of(source).is_remote() {
            return None;
        }
        let found = match source.is_file() {
            true => source.parent().zip(source.file_name()?.to_str()),
            false => Some((source, path)),
        };
        let Some(now) = found.and_then(|(folder, path)| stat_below(folder, path)) else {
            return Some(Changed::Gone);
        };
        let is_same = now.size == size && now.seconds() == modified;
        (!is_same).then_some(Changed::Other)
    }
}
