//! How candidates become a ranking, as a configuration says it: [`Ranking`], with a bound and a weight for all that has a say.

use serde::{Deserialize, Serialize};

/// How candidates are ranked. All defaults are those that `docs/ranking.md` measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Ranking {
    /// Where candidates come from. Default: both.
    pub channels: Channels,
    /// How the two are put together. Default: convex.
    pub fusion: Fusion,
    /// The share of the vectors in the score of prose, from 0 to 1. Default: 0.25.
    pub vectors_in_prose: f32,
    /// The share of the vectors in the score of source code, from 0 to 1. Default: 0.4.
    pub vectors_in_code: f32,
    /// The constant of [`Fusion::Rrf`]. Default: 60.
    pub rrf_k: f32,
    /// What else has a say.
    pub signals: Signals,
}

impl Default for Ranking {
    fn default() -> Self {
        Ranking {
            channels: Channels::Both,
            fusion: Fusion::Convex,
            vectors_in_prose: 0.25,
            vectors_in_code: 0.4,
            rrf_k: 60.0,
            signals: Signals::default(),
        }
    }
}

/// Where candidates come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Channels {
    /// From the keyword index and from the vectors.
    #[default]
    Both,
    /// From the keyword index alone.
    Keywords,
    /// From the vectors alone.
    Vectors,
}

/// How the candidates of two channels are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Fusion {
    /// The weighted sum of the scores, each as a share of the way from the channel's floor to its best (Bruch, Gai, Ingber, *An analysis of fusion
    /// functions for hybrid retrieval*, 2023).
    #[default]
    Convex,
    /// The weighted sum of `1 / (k + rank)` (Cormack, Clarke, Büttcher, *Reciprocal rank fusion outperforms Condorcet*, 2009).
    Rrf,
}

/// What has a say besides the words and the vectors. Each multiplies a chunk's score; 1 switches it off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Signals {
    /// The chunk holds every word of the query, in its text, place or path. Default: 1.1.
    pub all_words: f32,
    /// The document is named `README` or `index`. Default: 1.
    pub index_document: f32,
    /// For each word of the query that is a word of the path. Default: 1, as the path is searched too.
    pub path_word: f32,
    /// The chunk defines a name of several words that are all in the query, or of one word of a query that has hardly others. Default: 2.
    pub definition: f32,
    /// The document is prose, and the query has a name as source code writes them: `parseConfig`, `parse_config`. Default: 0.6.
    pub prose_for_a_name: f32,
    /// The document is prose, and most documents of the index are source code. Default: 0.95.
    pub prose_among_code: f32,
    /// The most that a document gains whose other chunks are good as well. Default: 1.
    pub coherence: f32,
    /// For each better chunk of the same document, where chunks are ranked alone: prose. Default: 1.
    pub saturation_in_prose: f32,
    /// The same for source code. Default: 0.5.
    pub saturation_in_code: f32,
    /// The file holds tests, examples or benchmarks, and the query asks for none. Default: 0.6.
    pub test: f32,
    /// The file is generated. Default: 0.5.
    pub generated: f32,
    /// The file comes from elsewhere. Default: 0.5.
    pub vendored: f32,
    /// How much of its score a dated document keeps in the end, however old: 1 does not look at dates. Default: 1.
    pub recency: f32,
    /// The days after which half of what [`Signals::recency`] takes is gone. Default: 30.
    pub half_life: f32,
    /// How many ranks all signals together may lift a chunk; none for no bound. Default: 10.
    pub most_ranks: Option<usize>,
}

impl Default for Signals {
    fn default() -> Self {
        Signals {
            all_words: 1.1,
            index_document: 1.0,
            path_word: 1.0,
            definition: 2.0,
            prose_for_a_name: 0.6,
            prose_among_code: 0.95,
            coherence: 1.0,
            saturation_in_prose: 1.0,
            saturation_in_code: 0.5,
            test: 0.6,
            generated: 0.5,
            vendored: 0.5,
            recency: 1.0,
            half_life: 30.0,
            most_ranks: Some(10),
        }
    }
}

impl Signals {
    /// None has a say.
    #[must_use]
    pub fn none() -> Self {
        Signals {
            all_words: 1.0,
            index_document: 1.0,
            path_word: 1.0,
            definition: 1.0,
            prose_for_a_name: 1.0,
            prose_among_code: 1.0,
            coherence: 1.0,
            saturation_in_prose: 1.0,
            saturation_in_code: 1.0,
            test: 1.0,
            generated: 1.0,
            vendored: 1.0,
            recency: 1.0,
            half_life: 30.0,
            most_ranks: None,
        }
    }
}
