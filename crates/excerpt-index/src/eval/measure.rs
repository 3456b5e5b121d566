//! The measures of a ranking whose correct answers are known.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The names of all measures, in the order in which they are shown.
///
/// - `recall@k`: the share of the answers that are among the best k chunks.
/// - `ndcg@10`: the same, weighted by rank (Järvelin, Kekäläinen, *Cumulated gain-based evaluation
///   of IR techniques*, 2002), with binary relevance.
/// - `mrr@10`: one over the rank of the first answer, 0 beyond 10. `accuracy@1`: whether the first
///   chunk is an answer.
/// - `files@5`: the share of the documents with an answer among those of the best 5 chunks.
/// - `coverage@5`, `precision@5`, `iou@5`: the share of the answers' characters that are in the
///   best 5 chunks; the share of these chunks' characters that belong to answers; and the
///   characters of both over those of either. `coverage@8000`: coverage by the first 8,000
///   characters, best chunks first.
/// - `kept@1`: whether the first chunk is not marked as a weak match. `weak@1`, the only one of a
///   question without an answer: whether it is, or nothing is found.
pub const MEASURES: [&str; 14] = [
    "recall@1",
    "recall@5",
    "recall@10",
    "recall@20",
    "ndcg@10",
    "mrr@10",
    "accuracy@1",
    "files@5",
    "coverage@5",
    "precision@5",
    "iou@5",
    "coverage@8000",
    KEPT,
    WEAK,
];

/// Of a question with an answer.
pub(super) const KEPT: &str = "kept@1";
/// Of a question without one.
pub(super) const WEAK: &str = "weak@1";

/// The character budget of `coverage@8000`.
pub(super) const BUDGET: usize = 8_000;

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The path of the document.
    pub path: String,
    /// Its characters, half open; `None` for the whole document.
    pub chars: Option<Range<usize>>,
}

/// When a chunk counts as an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Rule {
    /// When the two overlap by at least half of the shorter one.
    #[default]
    Half,
    /// When the two share at least one character.
    Any,
}

impl Rule {
    fn answers(self, chunk: &Passage, answer: &Passage) -> bool {
        if chunk.path != answer.path {
            return false;
        }
        let (Some(chunk), Some(answer)) = (&chunk.chars, &answer.chars) else {
            return true;
        };
        let shared = shared(chunk, answer);
        match self {
            Rule::Any => shared > 0,
            Rule::Half => shared > 0 && 2 * shared >= chunk.len().min(answer.len()),
        }
    }
}

/// The rank of the first of `ranked` that is one of `answers`, from 1.
pub(super) fn rank(ranked: &[Passage], answers: &[Passage], rule: Rule) -> Option<usize> {
    let right = |chunk: &Passage| answers.iter().any(|answer| rule.answers(chunk, answer));
    ranked.iter().position(right).map(|rank| rank + 1)
}

/// The measures of `ranked`, best first, against `answers`, of which there is at least one.
pub(super) fn scores(ranked: &[Passage], answers: &[Passage], rule: Rule) -> BTreeMap<String, f64> {
    let mut scores = rank_scores(ranked, answers, rule);
    if let Some(passages) = Characters::of(answers.iter()) {
        scores.extend(character_scores(ranked, &passages));
    }
    scores
        .into_iter()
        .map(|(name, score)| (name.to_string(), score))
        .collect()
}

/// The measures of which chunks and documents contain the answers.
fn rank_scores(ranked: &[Passage], answers: &[Passage], rule: Rule) -> BTreeMap<&'static str, f64> {
    // For each answer, the rank of the first chunk that contains it, from 0.
    let first = answers
        .iter()
        .filter_map(|answer| ranked.iter().position(|chunk| rule.answers(chunk, answer)));
    let first: Vec<usize> = first.collect();
    let count = answers.len() as f64;
    let recall = |k: usize| first.iter().filter(|rank| **rank < k).count() as f64 / count;
    let best = first.iter().min().copied();
    let reciprocal = best.filter(|rank| *rank < 10);
    let (wanted, found) = (files(answers), files(&ranked[..ranked.len().min(5)]));
    let found = wanted.intersection(&found).count() as f64;
    BTreeMap::from([
        ("recall@1", recall(1)),
        ("recall@5", recall(5)),
        ("recall@10", recall(10)),
        ("recall@20", recall(20)),
        ("ndcg@10", ndcg(&first, answers.len(), 10)),
        (
            "mrr@10",
            reciprocal.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
        ),
        ("accuracy@1", f64::from(u8::from(best == Some(0)))),
        ("files@5", found / wanted.len() as f64),
    ])
}

/// The documents of passages.
fn files(passages: &[Passage]) -> BTreeSet<&str> {
    passages.iter().map(|passage| &*passage.path).collect()
}

/// The measures of how many characters of the answers are found, and how many others.
fn character_scores(ranked: &[Passage], answers: &Characters<'_>) -> [(&'static str, f64); 4] {
    let size = answers.size() as f64;
    let best = &ranked[..ranked.len().min(5)];
    let spent = read(best) as f64;
    let covered = answers.covered(best.iter()) as f64;
    let precision = if spent > 0.0 { covered / spent } else { 0.0 };
    let within = within(ranked, BUDGET);
    [
        ("coverage@5", covered / size),
        ("precision@5", precision),
        ("iou@5", covered / (spent + size - covered)),
        (
            "coverage@8000",
            answers.covered(within.iter()) as f64 / size,
        ),
    ]
}

/// Each rank counts once, however many answers a chunk contains.
fn ndcg(first: &[usize], answers: usize, k: usize) -> f64 {
    let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let ranks: BTreeSet<usize> = first.iter().copied().filter(|rank| *rank < k).collect();
    // Not with `sum`, which is -0 for an empty list.
    let reached = ranks
        .into_iter()
        .map(gain)
        .fold(0.0, |sum, gain| sum + gain);
    let ideal: f64 = (0..answers.min(k)).map(gain).sum();
    reached / ideal
}

/// How many characters there are to read in `ranked`.
pub(super) fn read(ranked: &[Passage]) -> usize {
    let chars = ranked.iter().filter_map(|chunk| chunk.chars.as_ref());
    chars.map(ExactSizeIterator::len).sum()
}

/// The best chunks up to `budget` characters, the last one truncated.
fn within(ranked: &[Passage], budget: usize) -> Vec<Passage> {
    let mut left = budget;
    let mut read = Vec::new();
    for chunk in ranked {
        let Some(chars) = &chunk.chars else { continue };
        if left == 0 {
            break;
        }
        let end = chars.end.min(chars.start + left);
        left -= end - chars.start;
        read.push(Passage {
            path: chunk.path.clone(),
            chars: Some(chars.start..end),
        });
    }
    read
}

fn shared(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

/// The characters of passages, by document, each once.
struct Characters<'a>(BTreeMap<&'a str, Vec<Range<usize>>>);

impl<'a> Characters<'a> {
    /// Those of `passages`; `None` if one of them is a whole document.
    fn of(passages: impl Iterator<Item = &'a Passage>) -> Option<Self> {
        let mut ranges: BTreeMap<&str, Vec<Range<usize>>> = BTreeMap::new();
        for passage in passages {
            ranges
                .entry(&passage.path)
                .or_default()
                .push(passage.chars.clone()?);
        }
        Some(Characters(
            ranges
                .into_iter()
                .map(|(path, ranges)| (path, merged(ranges)))
                .collect(),
        ))
    }

    fn size(&self) -> usize {
        self.0.values().flatten().map(ExactSizeIterator::len).sum()
    }

    /// How many of them are in `chunks`.
    fn covered<'b>(&self, chunks: impl Iterator<Item = &'b Passage>) -> usize {
        let Some(chunks) = Characters::of(chunks) else {
            return 0;
        };
        let pairs = chunks
            .0
            .iter()
            .filter_map(|(path, chunks)| Some((chunks, self.0.get(path)?)));
        pairs
            .map(|(chunks, own)| {
                chunks
                    .iter()
                    .flat_map(|chunk| own.iter().map(move |own| shared(chunk, own)))
                    .sum::<usize>()
            })
            .sum()
    }
}

/// `ranges` in order, those that touch as one.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(path: &str, chars: Range<usize>) -> Passage {
        Passage {
            path: path.to_string(),
            chars: Some(chars),
        }
    }

    fn whole(path: &str) -> Passage {
        Passage {
            path: path.to_string(),
            chars: None,
        }
    }

    #[test]
    fn ranks_are_scored() {
        let ranked = [
            passage("a", 0..100),
            passage("b", 0..100),
            passage("a", 100..200),
            passage("c", 0..100),
        ];
        let answers = [passage("a", 120..180), passage("c", 90..300)];
        let scores = scores(&ranked, &answers, Rule::Half);
        // The first answer stands at rank 3; of the second the chunk holds 10 of 100 characters.
        assert_eq!((scores["recall@1"], scores["recall@5"]), (0.0, 0.5));
        assert_eq!(scores["mrr@10"], 1.0 / 3.0);
        assert_eq!(scores["accuracy@1"], 0.0);
        assert_eq!(scores["files@5"], 1.0);
        let ideal = 1.0 + 1.0 / 3f64.log2();
        assert!((scores["ndcg@10"] - 0.5 / ideal).abs() < 1e-12);
        assert_eq!(scores["coverage@5"], 70.0 / 270.0);
        assert_eq!(scores["precision@5"], 70.0 / 400.0);
        assert_eq!(scores["iou@5"], 70.0 / (400.0 + 270.0 - 70.0));
    }

    #[test]
    fn any_shared_character_is_enough_by_the_other_rule() {
        let ranked = [passage("c", 0..100)];
        let answers = [passage("c", 99..300)];
        assert_eq!(scores(&ranked, &answers, Rule::Half)["recall@1"], 0.0);
        assert_eq!(scores(&ranked, &answers, Rule::Any)["recall@1"], 1.0);
        let apart = [passage("c", 100..300)];
        assert_eq!(scores(&ranked, &apart, Rule::Any)["recall@1"], 0.0);
    }

    #[test]
    fn a_whole_document_is_answered_by_any_of_its_chunks_and_has_no_characters() {
        let scores = scores(
            &[passage("b", 0..1), passage("a", 5..9)],
            &[whole("a")],
            Rule::Half,
        );
        assert_eq!(scores["mrr@10"], 0.5);
        assert!(!scores.contains_key("coverage@5"));
    }

    #[test]
    fn nothing_found_is_zero() {
        let scores = scores(&[], &[passage("a", 0..10)], Rule::Half);
        assert!(
            scores.values().all(|score| score.to_bits() == 0),
            "{scores:?}"
        );
        // All but those that look at marks.
        assert_eq!(scores.len(), MEASURES.len() - 2);
        assert!(scores.keys().all(|name| MEASURES.contains(&&**name)));
    }

    #[test]
    fn what_is_read_ends_with_the_budget() {
        let ranked = [passage("a", 0..7_000), passage("a", 6_000..9_000)];
        let scores = scores(&ranked, &[passage("a", 0..10_000)], Rule::Any);
        // 7,000 characters and 1,000 more, which are the same as those before.
        assert_eq!(scores["coverage@8000"], 0.7);
        assert_eq!(scores["coverage@5"], 0.9);
        assert_eq!(scores["precision@5"], 0.9);
    }

    #[test]
    fn one_chunk_with_all_answers_is_one_rank() {
        let answers = [passage("a", 0..10), passage("a", 20..30)];
        let scores = scores(&[passage("a", 0..30)], &answers, Rule::Half);
        assert_eq!(scores["recall@1"], 1.0);
        assert!(scores["ndcg@10"] < 1.0);
    }
}
