//! Whether a file has changed since it was indexed.

use std::path::Path;

use excerpt_index::stat_below;

/// How the file of a document has changed since it was indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    /// It no longer exists.
    Gone,
    /// Its size or time differs.
    Other,
}

impl Changed {
    /// How the document at `path` has changed, whose file had this size and time (in seconds since
    /// 1970); `None` if it has not.
    pub(crate) fn since(source: &Path, path: &str, size: u64, modified: i64) -> Option<Changed> {
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

    /// A message about the document `name`, which is already quoted.
    pub(crate) fn told(self, name: &str) -> String {
        match self {
            Changed::Gone => {
                format!("{name} no longer exists: this is its indexed text")
            }
            Changed::Other => {
                format!("{name} has changed since it was indexed: run `excerpt sync`")
            }
        }
    }
}
