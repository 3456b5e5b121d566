//! [`SourceSummary`]: what a source is about, for a reader who does not know it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a source is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SourceSummary {
    /// How many documents it has.
    pub documents: usize,
    /// The size of their files in bytes.
    pub bytes: u64,
    /// How many documents there are of each language, or of each syntax for those without a
    /// language.
    pub languages: BTreeMap<String, usize>,
    /// The top-level folders, those with the most documents first, at most 50.
    pub domains: Vec<Domain>,
    /// How many top-level folders there are.
    pub domains_total: usize,
    /// The first headings of READMEs and index files, those nearest to the root first, at most 50,
    /// without those that [`is_date`](crate::is_date).
    pub topics: Vec<Topic>,
    /// How many such headings there are.
    pub topics_total: usize,
    /// The most recently changed documents, at most 10.
    pub newest: Vec<Newest>,
}

/// A top-level folder; under a folder called `domains`, each of its subfolders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// How many documents are under it.
    pub documents: usize,
}

/// The topic that a README or an index file names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Topic {
    /// Its path inside the source.
    pub path: String,
    /// Its first heading.
    pub heading: String,
}

/// A recently changed document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Newest {
    /// Its path inside the source.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// When its file was last changed, in seconds since 1970.
    pub modified: i64,
}
