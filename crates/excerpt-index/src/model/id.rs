//! The ids by which one index knows its contents. Apart from that of a source, none of them means
//! anything in another index.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A source: for a folder or a file, its absolute path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct SourceId(Arc<str>);

impl SourceId {
    /// The id as it is stored and shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder or file that it names.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(self.as_str())
    }
}

impl From<&str> for SourceId {
    fn from(id: &str) -> Self {
        SourceId(id.into())
    }
}

impl From<String> for SourceId {
    fn from(id: String) -> Self {
        SourceId(id.into())
    }
}

impl From<SourceId> for String {
    fn from(id: SourceId) -> Self {
        id.as_str().to_string()
    }
}

/// A path that is not UTF-8 names no source: its id contains a NUL, which no path does.
impl From<&Path> for SourceId {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(path) => path.into(),
            None => format!("{}\0", path.to_string_lossy()).into(),
        }
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A document. It keeps its id while it stays at its path, and no other document ever gets the same
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DocumentId(pub(crate) u64);

/// A state of the index: each changed or removed document increases it by one. 0 is the state of an
/// index that never had a document.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub(crate) struct Revision(pub(crate) u64);

impl Revision {
    /// The state after one more change.
    pub(crate) fn next(self) -> Self {
        Revision(self.0 + 1)
    }
}

/// A chunk: its document, and its position among the chunks of the document, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChunkKey {
    pub(crate) document: DocumentId,
    pub(crate) ordinal: u64,
}
