//! What is asked: a [`Query`], within a [`Filter`].

use std::path::PathBuf;

use serde::Serialize;

use crate::search::Ranking;

/// A question to an index.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Query {
    /// The words to search for.
    pub text: String,
    /// Where to search. Default: everywhere.
    pub filter: Filter,
    /// How many documents (or chunks, by [`Query::rank`]) to answer with, at most 1,000. Default: 5.
    pub limit: usize,
    /// How many chunks to show of one document. Default: 3.
    pub per_document: usize,
    /// What is ranked. Default: documents.
    pub rank: Rank,
    /// How it is ranked.
    pub ranking: Ranking,
}

impl Query {
    /// A question with every setting at its default.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Query {
            text: text.into(),
            filter: Filter::default(),
            limit: 5,
            per_document: 3,
            rank: Rank::Documents,
            ranking: Ranking::default(),
        }
    }

    /// Sets where to search.
    #[must_use]
    pub fn within(self, filter: Filter) -> Self {
        Query { filter, ..self }
    }

    /// Sets how many documents (or chunks) to answer with.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        Query { limit, ..self }
    }

    /// Sets how many chunks to show of one document.
    #[must_use]
    pub fn per_document(self, per_document: usize) -> Self {
        Query {
            per_document,
            ..self
        }
    }

    /// Sets what is ranked.
    #[must_use]
    pub fn rank(self, rank: Rank) -> Self {
        Query { rank, ..self }
    }

    /// Sets how it is ranked.
    #[must_use]
    pub fn ranking(self, ranking: Ranking) -> Self {
        Query { ranking, ..self }
    }
}

/// What a search ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Rank {
    /// Documents, each with its best chunks.
    Documents,
    /// Chunks alone: a document may come more than once.
    Chunks,
}

/// The part of an index that is searched. All conditions hold together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// The roots of the sources to search; none for all.
    pub sources: Vec<PathBuf>,
    /// The names of the collections to search; none for all sources.
    pub collections: Vec<String>,
    /// A path inside a source: the document itself, or a folder with all under it. Compared by whole segments.
    pub path: Option<String>,
    /// Tags that a document must have, each of them, whatever their case.
    pub tags: Vec<String>,
    /// What a document must be, such as `doc` or `script`: one of these.
    pub kinds: Vec<String>,
    /// What a document must be written in, such as `rust` or `markdown`: one of these.
    pub languages: Vec<String>,
    /// The version that a document must be about; one that names no version is not left out. How well the versions fit has a say in the rank.
    pub version: Option<String>,
    /// The first and the last day (`YYYY-MM-DD`, `YYYY-MM` or `YYYY`) that a document may be dated; one without a date is left out.
    pub dated: (Option<String>, Option<String>),
    /// Fields of the front matter, each with the value that a document must have there.
    pub fields: Vec<(String, String)>,
}

impl Filter {
    /// Only the source at `root`; called several times, the sources at any of these.
    #[must_use]
    pub fn source(mut self, root: impl Into<PathBuf>) -> Self {
        self.sources.push(root.into());
        self
    }

    /// Only the document or folder at `path`.
    #[must_use]
    pub fn path(self, path: impl Into<String>) -> Self {
        Filter {
            path: Some(path.into()),
            ..self
        }
    }
}
