//! Whether a document is still as it was indexed.

use std::path::Path;

use excerpt_index::stat_below;

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

    /// The same in words, of a document that is called `name`, quotes included.
    pub(crate) fn told(self, name: &str) -> String {
        match self {
            Changed::Gone => {
                format!("{name} is no longer there: this is what was indexed of it")
            }
            Changed::Other => {
                format!("{name} was changed after it had been indexed: run `excerpt sync`")
            }
        }
    }
}
