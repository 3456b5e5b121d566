//! Lists of the contents of an index: its documents and their folders.

use std::collections::BTreeMap;
use std::path::PathBuf;

use excerpt_chunk::{CodeParser as _, Document};
use excerpt_grammars::Grammars;
use serde::Serialize;

use crate::error::Result;
use crate::index::Index;
use crate::search::segments;
use crate::store::{Fault, Order};

/// What to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListOptions {
    /// The root of the only source to list. Default: all.
    pub source: Option<PathBuf>,
    /// A path inside a source: a document, or a folder with everything under it. Compared by whole segments. Default: everything.
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
    /// Most recently changed first.
    Recent,
}

/// A document in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DocumentEntry {
    /// The root of its source.
    pub source: PathBuf,
    /// Its path inside the source.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// The size of its file in bytes.
    pub size: u64,
    /// When its file was last changed, in seconds since 1970.
    pub modified: i64,
    /// How many chunks it has.
    pub chunks: usize,
    /// How it is parsed: `markdown`, `text` or `code`.
    pub syntax: String,
    /// Its language, if its name determines one.
    pub language: Option<&'static str>,
}

/// A folder in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FolderEntry {
    /// The root of its source.
    pub source: PathBuf,
    /// Its path inside the source; empty for the root itself.
    pub path: String,
    /// How many documents are directly in it.
    pub documents: usize,
    /// How many are in it and in all folders under it.
    pub documents_under: usize,
}

impl Index {
    /// The documents.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`](crate::Error::UnknownSource) when the index has no such source.
    pub fn documents(&self, options: &ListOptions) -> Result<Vec<DocumentEntry>> {
        let source = self.listed_source(options)?;
        self.list_documents(source, options).map_err(self.at())
    }

    /// The folders that contain documents, by source and path, each folder before those under it.
    ///
    /// # Errors
    ///
    /// As [`Index::documents`].
    pub fn folders(&self, options: &ListOptions) -> Result<Vec<FolderEntry>> {
        let source = self.listed_source(options)?;
        self.list_folders(source, options).map_err(self.at())
    }

    fn listed_source(&self, options: &ListOptions) -> Result<Option<i64>> {
        let root = options.source.as_deref();
        root.map(|root| self.source(root)).transpose()
    }

    fn list_documents(
        &self,
        source: Option<i64>,
        options: &ListOptions,
    ) -> Result<Vec<DocumentEntry>, Fault> {
        let truth = &self.store.truth;
        let _snapshot = truth.snapshot()?;
        let order = match options.order {
            ListOrder::Path => Order::Path,
            ListOrder::Recent => Order::Recent,
        };
        let path = segments(options.path.as_deref().unwrap_or_default());
        let mut listed = Vec::new();
        truth.each_listed(source, &path, order, options.limit, |document| {
            listed.push(document);
        })?;
        let entries = listed.into_iter().map(|document| {
            Ok(DocumentEntry {
                chunks: truth.chunk_count(document.id)?,
                language: language(&document.path),
                source: document.root.into(),
                path: document.path,
                title: document.title,
                size: document.stat.size,
                modified: document.stat.seconds(),
                syntax: document.syntax,
            })
        });
        entries.collect()
    }

    fn list_folders(
        &self,
        source: Option<i64>,
        options: &ListOptions,
    ) -> Result<Vec<FolderEntry>, Fault> {
        let path = segments(options.path.as_deref().unwrap_or_default());
        // Ordered by segments, a folder comes before what is under it, which comes before the next sibling.
        let mut folders: BTreeMap<(String, Vec<String>), (usize, usize)> = BTreeMap::new();
        let truth = &self.store.truth;
        truth.each_listed(source, &path, Order::Path, None, |document| {
            let mut segments: Vec<String> = document.path.split('/').map(str::to_string).collect();
            let mut is_own = true;
            while segments.pop().is_some() && (is_own || segments.join("/").len() >= path.len()) {
                let counts = folders
                    .entry((document.root.clone(), segments.clone()))
                    .or_default();
                counts.0 += usize::from(is_own);
                counts.1 += 1;
                is_own = false;
            }
        })?;
        let entries = folders
            .into_iter()
            .map(|((root, segments), counts)| FolderEntry {
                source: root.into(),
                path: segments.join("/"),
                documents: counts.0,
                documents_under: counts.1,
            });
        let limit = options.limit.unwrap_or(usize::MAX);
        Ok(entries.take(limit).collect())
    }
}

/// The language that a document's name determines.
pub(crate) fn language(path: &str) -> Option<&'static str> {
    let detected = Grammars.detect(&Document::new("").with_path(path))?;
    Some(detected.language)
}
