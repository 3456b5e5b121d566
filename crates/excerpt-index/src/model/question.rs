//! A search request: a [`Query`], within a [`Filter`].

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::Ranking;

/// A search request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Query {
    /// The words to search for. Only the first [`Query::LONGEST`] characters are read, and the
    /// answer says so if there are more.
    pub text: String,
    /// Where to search. Default: everywhere.
    pub filter: Filter,
    /// How many documents (or chunks, see [`Query::rank`]) to return, at most 1,000. Default: 5.
    pub limit: usize,
    /// How many chunks to return per document. Default: 3.
    pub per_document: usize,
    /// What to rank. Default: documents.
    pub rank: Rank,
    /// Whether a near-copy or a translation of a better hit is folded into it: see
    /// [`DocumentHits::also_in`]. Default: no.
    ///
    /// [`DocumentHits::also_in`]: crate::DocumentHits::also_in
    pub fold_copies: bool,
    /// How to rank.
    pub ranking: Ranking,
    /// How long to wait for the model that reorders the hits, if there is one. Default: as its
    /// [`RerankOptions`](crate::RerankOptions) say.
    pub rerank_wait: Option<Duration>,
}

impl Query {
    /// How many characters of a question are read. A question has few; this limits the cost of a
    /// pasted file.
    pub const LONGEST: usize = 4_000;

    /// A query with default settings.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Query {
            text: text.into(),
            filter: Filter::default(),
            limit: 5,
            per_document: 3,
            rank: Rank::Documents,
            fold_copies: false,
            ranking: Ranking::default(),
            rerank_wait: None,
        }
    }

    /// Sets where to search.
    #[must_use]
    pub fn within(self, filter: Filter) -> Self {
        Query { filter, ..self }
    }

    /// Sets how many documents (or chunks) to return.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        Query { limit, ..self }
    }

    /// Sets how many chunks to return per document.
    #[must_use]
    pub fn per_document(self, per_document: usize) -> Self {
        Query {
            per_document,
            ..self
        }
    }

    /// Sets what to rank.
    #[must_use]
    pub fn rank(self, rank: Rank) -> Self {
        Query { rank, ..self }
    }

    /// Sets whether a near-copy or a translation of a better hit is folded into it.
    #[must_use]
    pub fn fold_copies(self, fold_copies: bool) -> Self {
        Query {
            fold_copies,
            ..self
        }
    }

    /// Sets how to rank.
    #[must_use]
    pub fn ranking(self, ranking: Ranking) -> Self {
        Query { ranking, ..self }
    }

    /// Sets how long to wait for the model that reorders the hits.
    #[must_use]
    pub fn rerank_wait(self, wait: Duration) -> Self {
        Query {
            rerank_wait: Some(wait),
            ..self
        }
    }
}

/// What a search ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Rank {
    /// Documents, each with its best chunks.
    Documents,
    /// Chunks only: a document may occur more than once.
    Chunks,
}

/// The part of an index to search. All conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filter {
    /// The roots of the sources to search; empty for all.
    pub sources: Vec<PathBuf>,
    /// The names of the collections to search; empty for all sources.
    pub collections: Vec<String>,
    /// A path inside a source: a document, or a folder with everything under it. Compared by whole
    /// segments.
    pub path: Option<String>,
    /// Tags that a document must have, all of them, ignoring case.
    pub tags: Vec<String>,
    /// Types, such as `doc` or `script`: a document must have one of them.
    pub kinds: Vec<String>,
    /// Languages, such as `rust` or `markdown`: a document must be in one of them.
    pub languages: Vec<String>,
    /// The version that a document must be about. Documents that name no version are included. How
    /// well the versions match affects the rank.
    pub version: Option<String>,
    /// The first and the last date (`YYYY-MM-DD`, `YYYY-MM` or `YYYY`) that a document may have.
    /// Documents without a date are excluded.
    pub dated: (Option<String>, Option<String>),
    /// Fields of the front matter, each with the value that a document must have.
    pub fields: Vec<(String, String)>,
}

impl Filter {
    /// Searches only the source at `root`; called more than once, all of these sources.
    #[must_use]
    pub fn source(mut self, root: impl Into<PathBuf>) -> Self {
        self.sources.push(root.into());
        self
    }

    /// Searches only the document or folder at `path`.
    #[must_use]
    pub fn path(self, path: impl Into<String>) -> Self {
        Filter {
            path: Some(path.into()),
            ..self
        }
    }
}
