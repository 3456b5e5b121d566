//! Lists of the contents of an index: the documents and their folders.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// What to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListOptions {
    /// The root of the only source to list. Default: all.
    pub source: Option<PathBuf>,
    /// A path inside a source: a document, or a folder with everything under it. Compared by whole
    /// segments. Default: everything.
    pub path: Option<String>,
    /// How many entries to list. Default: all.
    pub limit: Option<usize>,
    /// The order of documents. Default: by path.
    pub order: ListOrder,
}

impl ListOptions {
    /// Sets the root of the only source to list.
    #[must_use]
    pub fn source(self, root: impl Into<PathBuf>) -> Self {
        ListOptions {
            source: Some(root.into()),
            ..self
        }
    }

    /// Sets the document or folder to list.
    #[must_use]
    pub fn path(self, path: impl Into<String>) -> Self {
        ListOptions {
            path: Some(path.into()),
            ..self
        }
    }

    /// Sets how many entries to list.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        ListOptions {
            limit: Some(limit),
            ..self
        }
    }

    /// Sets the order of documents.
    #[must_use]
    pub fn order(self, order: ListOrder) -> Self {
        ListOptions { order, ..self }
    }
}

/// The order of a list of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListOrder {
    /// By source and path.
    #[default]
    Path,
    /// Most recently changed first, by the date of [`DocumentEntry::changed`].
    Recent,
}

/// A document in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DocumentEntry {
    /// The root of its source; empty where it must not be shown.
    #[serde(skip_serializing_if = "is_hidden")]
    pub source: PathBuf,
    /// Its path inside the source.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// The size of its file in bytes.
    pub size: u64,
    /// When its file was last changed, in seconds since 1970.
    pub modified: i64,
    /// The date by which [`ListOrder::Recent`] orders it; `None` in another order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<ChangeDate>,
    /// How many chunks it has.
    pub chunks: usize,
    /// How it is parsed: `markdown`, `text` or `code`.
    pub syntax: String,
    /// Its language, if its name determines one.
    pub language: Option<&'static str>,
}

/// When a document was last changed, as far as can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ChangeDate {
    /// In seconds since 1970.
    pub at: i64,
    /// Where the date is from.
    pub from: DateFrom,
}

/// Where the date of a change is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DateFrom {
    /// The file, which says when it was written here.
    File,
    /// The front matter or the name of the document.
    Document,
    /// The last commit of a file that has not changed since.
    Commit,
}

/// A folder in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FolderEntry {
    /// The root of its source; empty where it must not be shown.
    #[serde(skip_serializing_if = "is_hidden")]
    pub source: PathBuf,
    /// Its path inside the source; empty for the root itself.
    pub path: String,
    /// How many documents are directly in it.
    pub documents: usize,
    /// How many are in it and in all folders under it.
    pub documents_under: usize,
}

/// Whether the root of a source must not be shown.
pub(crate) fn is_hidden(root: &Path) -> bool {
    root.as_os_str().is_empty()
}

/// A warning about a document, or about a chunk of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warned {
    /// The path of the document inside its source.
    pub path: String,
    /// The first and the last line of the chunk; `None` for the whole document.
    pub lines: Option<(usize, usize)>,
    /// The warning.
    pub warning: String,
}
