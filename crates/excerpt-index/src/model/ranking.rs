//! How candidates become a ranking, as a configuration says it: [`Ranking`], with a bound and a
//! weight for all that has a say.

use serde::{Deserialize, Serialize};

use super::{Error, Result};

/// How candidates are ranked. All defaults are those that `docs/ranking.md` measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Ranking {
    /// Where candidates come from. Default: both.
    pub channels: Channels,
    /// How the two are merged. Default: convex.
    pub fusion: Fusion,
    /// The share of the vectors in the score of prose, from 0 to 1. Default: 0.3.
    pub vectors_in_prose: f32,
    /// The share of the vectors in the score of source code, from 0 to 1. Default: 0.4.
    pub vectors_in_code: f32,
    /// The constant of [`Fusion::Rrf`]. Default: 60.
    pub rrf_k: f32,
    /// Chunks whose score is below this share of the best one's are no hits, from 0 to 1. Default:
    /// 0, every chunk that was found may be one.
    pub min_share: f32,
    /// Whether a hit has only the sentences or statements around the evidence as its text, in place
    /// of the whole chunk. Default: no.
    pub precise: bool,
    /// What a word counts for in each field of the keyword index.
    pub fields: FieldWeights,
    /// The signals.
    pub signals: Signals,
}

impl Ranking {
    /// Checks that every number is in a reasonable range.
    ///
    /// # Errors
    ///
    /// [`Error::Ranking`] for the first that is not.
    pub fn check(&self) -> Result<()> {
        let (fields, signals) = (&self.fields, &self.signals);
        let weight = ("a weight from 0 to 10", 0.0, 10.0);
        let share = ("a share from 0 to 1", 0.0, 1.0);
        let factor = ("a factor from 0.01 to 10", 0.01, 10.0);
        let numbers = [
            ("vectors_in_prose", self.vectors_in_prose, share),
            ("vectors_in_code", self.vectors_in_code, share),
            (
                "rrf_k",
                self.rrf_k,
                ("a number from 0 to 1000", 0.0, 1000.0),
            ),
            ("min_share", self.min_share, share),
            ("fields.text", fields.text, weight),
            ("fields.headings", fields.headings, weight),
            ("fields.names", fields.names, weight),
            ("fields.path", fields.path, weight),
            ("fields.defined", fields.defined, weight),
            ("all_words", signals.all_words, factor),
            ("sequence", signals.sequence, factor),
            ("index_document", signals.index_document, factor),
            ("path_word", signals.path_word, factor),
            ("definition", signals.definition, factor),
            ("prose_for_a_name", signals.prose_for_a_name, factor),
            ("prose_among_code", signals.prose_among_code, factor),
            ("prose_for_a_question", signals.prose_for_a_question, factor),
            ("heading", signals.heading, factor),
            ("file_name", signals.file_name, factor),
            ("neighbours", signals.neighbours, share),
            ("coherence_in_prose", signals.coherence_in_prose, share),
            ("coherence_in_code", signals.coherence_in_code, share),
            ("saturation_in_prose", signals.saturation_in_prose, factor),
            ("saturation_in_code", signals.saturation_in_code, factor),
            ("test", signals.test, factor),
            ("generated", signals.generated, factor),
            ("vendored", signals.vendored, factor),
            ("recency", signals.recency, share),
            (
                "half_life",
                signals.half_life,
                ("a number of days from 1 to 36500", 1.0, 36_500.0),
            ),
            ("date", signals.date, ("a number from 0 to 10", 0.0, 10.0)),
        ];
        for (setting, found, (expected, least, most)) in numbers {
            // NaN is in no range.
            if !(least..=most).contains(&found) {
                return Err(Error::Ranking {
                    setting,
                    found: found.to_string(),
                    expected,
                });
            }
        }
        Ok(())
    }
}

impl Default for Ranking {
    fn default() -> Self {
        Ranking {
            channels: Channels::Both,
            fusion: Fusion::Convex,
            vectors_in_prose: 0.3,
            vectors_in_code: 0.4,
            rrf_k: 60.0,
            min_share: 0.0,
            precise: false,
            fields: FieldWeights::default(),
            signals: Signals::default(),
        }
    }
}

/// A ranking by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RankingPreset {
    /// The defaults of [`Ranking`].
    #[default]
    Default,
    /// For the documentation of projects: reciprocal ranks, of which the vectors count for 0.6,
    /// with a factor of 1.25 for a README or index and of 1.15 for each word of the query in the
    /// path, and no other signal.
    Docs,
}

impl RankingPreset {
    /// All of them, by name.
    pub const NAMES: [&str; 2] = ["default", "docs"];

    /// The ranking of this name.
    #[must_use]
    pub fn ranking(self) -> Ranking {
        match self {
            RankingPreset::Default => Ranking::default(),
            RankingPreset::Docs => Ranking {
                channels: Channels::Both,
                fusion: Fusion::Rrf,
                vectors_in_prose: 0.6,
                vectors_in_code: 0.6,
                rrf_k: 60.0,
                min_share: 0.0,
                precise: false,
                fields: FieldWeights::default(),
                signals: Signals {
                    index_document: 1.25,
                    path_word: 1.15,
                    ..Signals::none()
                },
            },
        }
    }
}

/// Where candidates come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// How the candidates of two channels are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Fusion {
    /// The weighted sum of the scores, each scaled from the channel's floor to its best (Bruch,
    /// Gai, Ingber, *An analysis of fusion functions for hybrid retrieval*, 2023).
    #[default]
    Convex,
    /// The weighted sum of `1 / (k + rank)` (Cormack, Clarke, Büttcher, *Reciprocal rank fusion
    /// outperforms Condorcet*, 2009).
    Rrf,
}

/// What a match of a word adds to the BM25 score of a chunk, by the field that it is in, from 0 to
/// 10. A word in several fields counts in each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct FieldWeights {
    /// The text of the chunk. Default: 1.
    pub text: f32,
    /// The title of the document and the headings above the chunk. Default: 1.
    pub headings: f32,
    /// The headings and names inside the chunk, which are in its text as well. Default: 0.75.
    pub names: f32,
    /// The path, which is that of many other chunks, too. Default: 0.75.
    pub path: f32,
    /// A name that the chunk's source code defines, divided by the number of words of the query: a
    /// word among others is less likely meant as a name. Default: 2.
    pub defined: f32,
}

impl Default for FieldWeights {
    fn default() -> Self {
        FieldWeights {
            text: 1.0,
            headings: 1.0,
            names: 0.75,
            path: 0.75,
            defined: 2.0,
        }
    }
}

/// The signals. A factor multiplies a chunk's score, and 1 switches it off; of a share, 0 does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Signals {
    /// The chunk contains every word of the query, in its text, place or path. Default: 1.3.
    pub all_words: f32,
    /// The chunk is source code and contains the words of the query in the same sequence, at least
    /// two thirds of them, as the source of a message does: the maximum, for all of them.
    /// Default: 4.
    pub sequence: f32,
    /// The nearest heading matches the query: the maximum, for one with exactly the words of the
    /// query. Default: 1.5.
    pub heading: f32,
    /// The name of the file matches the query: the maximum, as for [`Signals::heading`].
    /// Default: 1.5.
    pub file_name: f32,
    /// The document is named `README` or `index`. Default: 1.
    pub index_document: f32,
    /// For each word of the query that is a word of the path. Default: 1, since the path is also
    /// searched.
    pub path_word: f32,
    /// Source code defines a name that matches the query: the maximum, for a name of several words
    /// that are all the words of the query. Or a heading of prose is a name as written in source
    /// code that the query contains. Default: 2.
    pub definition: f32,
    /// The document is prose, and the query contains a name as written in source code:
    /// `parseConfig`, `parse_config`. Default: 1.
    pub prose_for_a_name: f32,
    /// The document is prose, the index has more source code than prose, and the query contains
    /// no such name. Default: 1.5.
    pub prose_among_code: f32,
    /// The same, and the query is asked as a question: it ends with a question mark, or begins as
    /// in English, with `how do`, `what` or `is there`. Multiplies
    /// [`Signals::prose_among_code`]. Default: 2.
    pub prose_for_a_question: f32,
    /// The share of the better one of the two chunks next to it that is added to a chunk's score.
    /// Default: 0.1.
    pub neighbours: f32,
    /// The share of the scores of a document's other good chunks that its best chunk gains: all of
    /// it from the second best, a half from the third, a third from the fourth. In prose.
    /// Default: 0.1.
    pub coherence_in_prose: f32,
    /// The same for source code. Default: 0.3.
    pub coherence_in_code: f32,
    /// For each better chunk of the same document, if chunks are ranked individually: prose.
    /// Default: 1.
    pub saturation_in_prose: f32,
    /// The same for source code. Default: 0.9.
    pub saturation_in_code: f32,
    /// The file contains tests, examples or benchmarks, and the query does not ask for them.
    /// Default: 0.6.
    pub test: f32,
    /// The file is generated. Default: 0.7.
    pub generated: f32,
    /// The file is third-party or legacy code. Default: 0.7.
    pub vendored: f32,
    /// The share of its score that a dated document keeps however old it is; 1 ignores dates.
    /// Default: 1.
    pub recency: f32,
    /// The days after which a document has lost half of what [`Signals::recency`] can take.
    /// Default: 30.
    pub half_life: f32,
    /// The part of the best score that is added to a chunk of the day, week, month or year that the
    /// query asks about, as in `on 5 October`: with 1, these rank above all others. 0 does not look
    /// for days. Default: 1.
    pub date: f32,
}

impl Default for Signals {
    fn default() -> Self {
        Signals {
            all_words: 1.3,
            sequence: 4.0,
            heading: 1.5,
            file_name: 1.5,
            index_document: 1.0,
            path_word: 1.0,
            definition: 2.0,
            prose_for_a_name: 1.0,
            prose_among_code: 1.5,
            prose_for_a_question: 2.0,
            neighbours: 0.1,
            coherence_in_prose: 0.1,
            coherence_in_code: 0.3,
            saturation_in_prose: 1.0,
            saturation_in_code: 0.9,
            test: 0.6,
            generated: 0.7,
            vendored: 0.7,
            recency: 1.0,
            half_life: 30.0,
            date: 1.0,
        }
    }
}

impl Signals {
    /// All signals switched off.
    #[must_use]
    pub fn none() -> Self {
        Signals {
            all_words: 1.0,
            sequence: 1.0,
            heading: 1.0,
            file_name: 1.0,
            index_document: 1.0,
            path_word: 1.0,
            definition: 1.0,
            prose_for_a_name: 1.0,
            prose_among_code: 1.0,
            prose_for_a_question: 1.0,
            neighbours: 0.0,
            coherence_in_prose: 0.0,
            coherence_in_code: 0.0,
            saturation_in_prose: 1.0,
            saturation_in_code: 1.0,
            test: 1.0,
            generated: 1.0,
            vendored: 1.0,
            recency: 1.0,
            half_life: 30.0,
            date: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(change: impl FnOnce(&mut Ranking)) -> String {
        let mut ranking = Ranking::default();
        change(&mut ranking);
        ranking.check().unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_can_be_used() {
        assert!(Ranking::default().check().is_ok());
        let none = Ranking {
            signals: Signals::none(),
            ..Ranking::default()
        };
        assert!(none.check().is_ok());
    }

    #[test]
    fn a_number_out_of_range_is_named() {
        assert_eq!(
            fault(|ranking| ranking.vectors_in_prose = 1.5),
            "`vectors_in_prose` is `1.5`, expected a share from 0 to 1"
        );
        assert_eq!(
            fault(|ranking| ranking.signals.test = 0.0),
            "`test` is `0`, expected a factor from 0.01 to 10"
        );
        assert_eq!(
            fault(|ranking| ranking.signals.half_life = f32::INFINITY),
            "`half_life` is `inf`, expected a number of days from 1 to 36500"
        );
        assert_eq!(
            fault(|ranking| ranking.rrf_k = f32::NAN),
            "`rrf_k` is `NaN`, expected a number from 0 to 1000"
        );
    }
}
