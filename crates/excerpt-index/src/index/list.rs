//! Lists of the contents of an index: its documents and their folders.

use std::path::Path;

use super::Index;
use crate::model::{DocumentEntry, FolderEntry, ListOptions, Result, Warned};
use crate::read::list;

impl Index {
    /// The warnings of the last splitting of the documents of the source at `root`, by path and
    /// line.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`](crate::Error::UnknownSource) when the index has no such source.
    pub fn warnings(&self, root: &Path) -> Result<Vec<Warned>> {
        self.current(|open| open.listed(|catalog| list::warnings(catalog, &root.into())))
    }

    /// The documents.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`](crate::Error::UnknownSource) when the index has no such source.
    pub fn documents(&self, options: &ListOptions) -> Result<Vec<DocumentEntry>> {
        self.current(|open| open.listed(|catalog| list::documents(catalog, options)))
    }

    /// The folders that contain documents, by source and path, each folder before those under it.
    ///
    /// # Errors
    ///
    /// As [`Index::documents`].
    pub fn folders(&self, options: &ListOptions) -> Result<Vec<FolderEntry>> {
        self.current(|open| open.listed(|catalog| list::folders(catalog, options)))
    }

    /// The tags of the documents with how many documents have each, the most frequent first.
    ///
    /// # Errors
    ///
    /// As [`Index::documents`].
    pub fn tags(&self, options: &ListOptions) -> Result<Vec<(String, usize)>> {
        self.current(|open| open.listed(|catalog| list::tags(catalog, options)))
    }

    /// How many documents there are, whatever the limit.
    ///
    /// # Errors
    ///
    /// As [`Index::documents`].
    pub fn document_count(&self, options: &ListOptions) -> Result<usize> {
        self.current(|open| open.listed(|catalog| list::document_count(catalog, options)))
    }

    /// The same, and how many chunks they have.
    ///
    /// # Errors
    ///
    /// As [`Index::documents`].
    pub fn counts(&self, options: &ListOptions) -> Result<(usize, usize)> {
        self.current(|open| open.listed(|catalog| list::counts(catalog, options)))
    }
}
