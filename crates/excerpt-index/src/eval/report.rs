//! The scores of an index over a set of questions, and the differences between two of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::interval::Interval;
use super::measure::{MEASURES, Rule, WEAK};
use super::set::LeftOut;

/// The scores of an index over a set of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The name of the set.
    pub set: String,
    /// When a chunk counted as an answer.
    pub rule: Rule,
    /// How many documents were searched.
    pub documents: usize,
    /// How many chunks they were split into.
    pub chunks: usize,
    /// The mean size of the chunks with their context, in the unit of the configuration.
    pub mean_size: f64,
    /// The questions, in the order of the set.
    pub questions: Vec<ScoredQuestion>,
    /// The answers that cannot be found because their documents are not indexed.
    pub left_out: Vec<LeftOut>,
}

/// A question with its scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoredQuestion {
    /// The id of the question in its set.
    pub id: String,
    /// The query.
    pub query: String,
    /// Its label in the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The rank of the first chunk that answers it, from 1; `None` if none was found.
    pub rank: Option<usize>,
    /// Each of the [`MEASURES`] that applies to it, from 0 to 1. Character measures need answers
    /// that are passages; a question without an answer has `weak@1` alone.
    pub scores: BTreeMap<String, f64>,
}

/// The differences between two reports, over the questions in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// How many questions are in both, by id and query.
    pub common: usize,
    /// The ids of those that are only in the first.
    pub only_first: Vec<String>,
    /// The ids of those that are only in the second.
    pub only_second: Vec<String>,
    /// The measures of the common questions, by name; without those that none of them has.
    pub measures: BTreeMap<String, Difference>,
}

/// A measure in two reports, over the questions in both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The mean in the first.
    pub first: f64,
    /// The mean in the second.
    pub second: f64,
    /// The mean improvement per question from the first to the second, with its interval.
    pub gain: Interval,
}

impl Report {
    /// The mean of a measure over all questions that have it, with its interval; `None` if there is
    /// none.
    #[must_use]
    pub fn mean(&self, measure: &str) -> Option<Interval> {
        let scores = self.questions.iter();
        let scores = scores.filter_map(|question| question.score(measure));
        Interval::of_mean(&scores.collect::<Vec<_>>())
    }

    /// The labels of the questions, in order, each once.
    #[must_use]
    pub fn categories(&self) -> Vec<Option<&str>> {
        let labels = self.questions.iter();
        let labels: BTreeSet<_> = labels
            .map(|question| question.category.as_deref())
            .collect();
        labels.into_iter().collect()
    }

    /// Only the questions with this label.
    #[must_use]
    pub fn of_category(&self, category: Option<&str>) -> Report {
        let questions = self.questions.iter();
        let questions = questions.filter(|question| question.category.as_deref() == category);
        Report {
            questions: questions.cloned().collect(),
            ..self.clone()
        }
    }

    /// The improvement from this report to `other`.
    #[must_use]
    pub fn compare(&self, other: &Report) -> Comparison {
        let (first, second) = (self.by_question(), other.by_question());
        let pairs: Vec<_> = first
            .iter()
            .filter_map(|(question, one)| Some((one, second.get(question)?)))
            .collect();
        let measured = MEASURES.iter().filter_map(|measure| {
            let scores = pairs.iter();
            let scores =
                scores.filter_map(|(one, two)| Some((one.score(measure)?, two.score(measure)?)));
            Some((
                measure.to_string(),
                Difference::of(&scores.collect::<Vec<_>>())?,
            ))
        });
        Comparison {
            common: pairs.len(),
            only_first: missing(self, &second),
            only_second: missing(other, &first),
            measures: measured.collect(),
        }
    }

    fn by_question(&self) -> BTreeMap<(&str, &str), &ScoredQuestion> {
        let questions = self.questions.iter();
        questions
            .map(|question| ((&*question.id, &*question.query), question))
            .collect()
    }
}

impl ScoredQuestion {
    /// Whether a document answers it.
    #[must_use]
    pub fn is_answerable(&self) -> bool {
        !self.scores.contains_key(WEAK)
    }

    fn score(&self, measure: &str) -> Option<f64> {
        self.scores.get(measure).copied()
    }
}

impl Difference {
    /// The difference between `pairs` of scores; `None` without any.
    fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let gains: Vec<f64> = pairs.iter().map(|(first, second)| second - first).collect();
        let gain = Interval::of_mean(&gains)?;
        let mean = |sum: f64| sum / pairs.len() as f64;
        Some(Difference {
            first: mean(pairs.iter().map(|(first, _)| first).sum()),
            second: mean(pairs.iter().map(|(_, second)| second).sum()),
            gain,
        })
    }
}

/// The ids of the questions of `report` that are not in `other`.
fn missing(report: &Report, other: &BTreeMap<(&str, &str), &ScoredQuestion>) -> Vec<String> {
    let questions = report.questions.iter();
    questions
        .filter(|question| !other.contains_key(&(&*question.id, &*question.query)))
        .map(|question| question.id.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(questions: &[(&str, &str, f64)]) -> Report {
        let questions = questions.iter().map(|(id, query, score)| ScoredQuestion {
            id: id.to_string(),
            query: query.to_string(),
            category: (*score > 0.5).then(|| "good".to_string()),
            rank: None,
            scores: BTreeMap::from([("ndcg@10".to_string(), *score)]),
        });
        Report {
            set: "tea".to_string(),
            rule: Rule::Half,
            documents: 1,
            chunks: 2,
            mean_size: 30.0,
            questions: questions.collect(),
            left_out: Vec::new(),
        }
    }

    #[test]
    fn differences_are_taken_question_by_question() {
        let first = report(&[("1", "a", 0.1), ("2", "b", 0.5), ("3", "c", 1.0)]);
        let second = report(&[("4", "d", 0.0), ("2", "b", 0.7), ("1", "a", 0.3)]);
        let comparison = first.compare(&second);
        assert_eq!(comparison.common, 2);
        assert_eq!(comparison.only_first, ["3"]);
        assert_eq!(comparison.only_second, ["4"]);
        let difference = comparison.measures["ndcg@10"];
        assert!((difference.gain.mean - 0.2).abs() < 1e-12 && difference.gain.is_clear());
        assert_eq!((difference.first, difference.second), (0.3, 0.5));
        assert_eq!(comparison.measures.len(), 1);
    }

    #[test]
    fn a_question_asked_in_other_words_is_another_one() {
        let comparison = report(&[("1", "a", 0.1)]).compare(&report(&[("1", "b", 0.1)]));
        assert_eq!(comparison.common, 0);
        assert!(comparison.measures.is_empty());
    }

    #[test]
    fn a_category_is_a_part_of_the_questions() {
        let report = report(&[("1", "a", 0.1), ("2", "b", 0.7), ("3", "c", 0.9)]);
        assert_eq!(report.categories(), [None, Some("good")]);
        let good = report.of_category(Some("good"));
        assert_eq!(good.mean("ndcg@10").unwrap().mean, 0.8);
        assert_eq!(good.mean("recall@1"), None);
    }
}
