//! Lists of the contents of an index: its documents and their folders.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use excerpt_chunk::{CodeParser as _, Document};
use excerpt_grammars::Grammars;
use serde::Serialize;

use crate::commits::{Commit, Commits};
use crate::days;
use crate::error::Result;
use crate::index::Index;
use crate::search::segments;
use crate::store::facet::DATE;
use crate::store::{Fault, Listed, Order};

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
#[non_exhaustive]
pub struct ChangeDate {
    /// In seconds since 1970.
    pub at: i64,
    /// Where the date is from.
    pub from: DateFrom,
}

/// Where the date of a change is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

impl Index {
    /// The warnings of the last splitting of the documents of the source at `root`, by path and
    /// line.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`](crate::Error::UnknownSource) when the index has no such source.
    pub fn warnings(&self, root: &Path) -> Result<Vec<Warned>> {
        let source = self.source(root)?;
        let mut warned = Vec::new();
        let read = self.store.truth.each_warned(source, |path, lines, json| {
            let warnings: Vec<String> = serde_json::from_str(json)?;
            warned.extend(warnings.into_iter().map(|warning| Warned {
                path: path.clone(),
                lines,
                warning,
            }));
            Ok(())
        });
        read.map_err(self.at())?;
        Ok(warned)
    }

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

    /// How many documents there are, whatever the limit.
    ///
    /// # Errors
    ///
    /// As [`Index::documents`].
    pub fn count(&self, options: &ListOptions) -> Result<usize> {
        let sources = match self.listed_source(options)? {
            Some(source) => vec![source],
            None => {
                let sources = self.store.truth.sources().map_err(self.at())?;
                sources.into_iter().map(|source| source.id).collect()
            }
        };
        let path = segments(options.path.as_deref().unwrap_or_default());
        let mut count = 0;
        for source in sources {
            let documents = self.store.truth.documents_under(source, &path);
            count += documents.map_err(self.at())?.len();
        }
        Ok(count)
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
        let path = segments(options.path.as_deref().unwrap_or_default());
        let is_recent = options.order == ListOrder::Recent;
        let limit = options.limit.filter(|_| !is_recent);
        let mut listed = Vec::new();
        truth.each_listed(source, &path, Order::Path, limit, |document| {
            listed.push((document, None));
        })?;
        if is_recent {
            self.date(&mut listed, options.limit)?;
        }
        let entries = listed.into_iter().map(|(document, changed)| {
            Ok(DocumentEntry {
                chunks: truth.chunk_count(document.id)?,
                language: language(&document.path),
                source: document.root.into(),
                path: document.path,
                title: document.title,
                size: document.stat.size,
                modified: document.stat.seconds(),
                changed,
                syntax: document.syntax,
            })
        });
        entries.collect()
    }

    /// Dates documents, and keeps as many of them as wanted, the newest first. Commits are read
    /// when they are asked for: a commit changes the date of a document without changing its file,
    /// so that a sync has no reason to look at it.
    fn date(
        &self,
        listed: &mut Vec<(Listed, Option<ChangeDate>)>,
        limit: Option<usize>,
    ) -> Result<(), Fault> {
        /// The seconds of a day.
        const DAY: i64 = 86_400;
        /// How long git may take for all sources. What it has read by then is used.
        const PATIENCE: Duration = Duration::from_secs(2);
        let end = Instant::now() + PATIENCE;
        let mut dated: HashMap<i64, i64> = HashMap::new();
        self.store.truth.each_facet(DATE, |document, date| {
            // Of several dates, the last one.
            if let Some(day) = days::since_1970(date) {
                let known = dated.entry(document).or_insert(day);
                *known = day.max(*known);
            }
        })?;
        let most = limit.unwrap_or(usize::MAX);
        let mut sources: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (document, _) in &*listed {
            let paths = sources.entry(&document.root).or_default();
            paths.insert(&document.path);
        }
        let commits: HashMap<String, Commits> = sources
            .iter()
            .filter_map(|(root, paths)| {
                let commits = Commits::of(Path::new(root), most, |path| paths.contains(path), end)?;
                Some((root.to_string(), commits))
            })
            .collect();
        for (document, changed) in &mut *listed {
            let commits = commits.get(&document.root);
            let commit = commits.and_then(|commits| commits.of_file(&document.path));
            let day = dated.get(&document.id).map(|day| day * DAY);
            let (at, from) = match (commit, day) {
                (Some(Commit::At(at)), _) => (at, DateFrom::Commit),
                (Some(Commit::Before(at)), day) => match day.filter(|day| *day < at) {
                    Some(day) => (day, DateFrom::Document),
                    None => (at, DateFrom::Commit),
                },
                (None, Some(day)) => (day, DateFrom::Document),
                _ => (document.stat.seconds(), DateFrom::File),
            };
            *changed = Some(ChangeDate { at, from });
        }
        listed.sort_by_key(|(document, changed)| {
            let is_file = changed.is_some_and(|changed| changed.from == DateFrom::File);
            let exact = is_file.then_some(document.stat.mtime_ns);
            Reverse((changed.map(|changed| changed.at), exact))
        });
        listed.truncate(most);
        Ok(())
    }

    fn list_folders(
        &self,
        source: Option<i64>,
        options: &ListOptions,
    ) -> Result<Vec<FolderEntry>, Fault> {
        let path = segments(options.path.as_deref().unwrap_or_default());
        // Ordered by segments, a folder comes before what is under it, which comes before the next
        // sibling.
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
