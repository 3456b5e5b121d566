//! Candidates by document: a document is as good as its best chunk, and a little better for more good ones.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::store::{Candidate, Candidates};

/// What the second and third best chunk of a document add to the score of the best, as shares of their own scores: together at
/// most 15 %, so that they decide between documents that are nearly as good, and never lift many middling chunks over a good one.
const BONUS: [f32; 2] = [0.10, 0.05];

/// The candidates of one document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub(super) document: u64,
    pub(super) rev: u64,
    pub(super) score: f32,
    /// Whether one of them holds every word.
    pub(super) complete: bool,
    /// The ordinal of the best.
    pub(super) ordinal: u64,
    /// Their places among all candidates, best first.
    pub(super) chunks: Vec<usize>,
}

impl Group {
    fn new(index: usize, candidate: &Candidate, complete: bool) -> Self {
        Group {
            document: candidate.document,
            rev: candidate.rev,
            score: candidate.score,
            complete,
            ordinal: candidate.ordinal,
            chunks: vec![index],
        }
    }

    /// Best first: what holds every word comes before what does not, whatever the scores.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let by_words = other.complete.cmp(&self.complete);
        by_words.then_with(|| other.score.total_cmp(&self.score))
    }

    /// Whether the order of the two is not decided by their scores.
    pub(super) fn ties(&self, other: &Self) -> bool {
        self.order(other) == Ordering::Equal
    }
}

/// One group a document, best first.
pub(super) fn by_document(candidates: &Candidates) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for (index, candidate) in candidates.chunks.iter().enumerate() {
        match places.get(&candidate.document) {
            Some(place) => {
                let group = &mut groups[*place];
                // Behind the chunks with every word may come one with a higher score: it adds no more than the best would.
                let best = candidates.chunks[group.chunks[0]].score;
                let bonus = BONUS.get(group.chunks.len() - 1).copied().unwrap_or(0.0);
                group.score += bonus * candidate.score.min(best);
                group.chunks.push(index);
            }
            None => {
                places.insert(candidate.document, groups.len());
                groups.push(Group::new(index, candidate, index < candidates.complete));
            }
        }
    }
    groups.sort_by(Group::order);
    groups
}

/// One group a chunk, best first.
pub(super) fn by_chunk(candidates: &Candidates) -> Vec<Group> {
    let chunks = candidates.chunks.iter().enumerate();
    chunks
        .map(|(index, candidate)| Group::new(index, candidate, index < candidates.complete))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(scores: &[(u64, f32)], complete: usize) -> Candidates {
        let chunks = scores
            .iter()
            .enumerate()
            .map(|(ordinal, (document, score))| Candidate {
                document: *document,
                ordinal: ordinal as u64,
                rev: 1,
                score: *score,
            });
        Candidates {
            chunks: chunks.collect(),
            complete,
            chunks_total: scores.len(),
            documents_total: 0,
        }
    }

    fn order(groups: &[Group]) -> Vec<u64> {
        groups.iter().map(|group| group.document).collect()
    }

    #[test]
    fn more_good_chunks_decide_between_equals() {
        let groups = by_document(&candidates(&[(1, 8.0), (2, 8.0), (2, 7.0)], 3));
        assert_eq!(order(&groups), [2, 1]);
        assert_eq!(groups[0].chunks, [1, 2]);
    }

    #[test]
    fn many_middling_chunks_do_not_outdo_a_good_one() {
        let mut scores = vec![(1, 10.0)];
        scores.extend([(2, 8.0); 50]);
        assert_eq!(order(&by_document(&candidates(&scores, 51))), [1, 2]);
    }

    #[test]
    fn a_document_with_every_word_comes_first() {
        let groups = by_document(&candidates(&[(1, 2.0), (2, 9.0), (1, 8.0)], 1));
        assert_eq!(order(&groups), [1, 2]);
        assert!(groups[0].score < 2.3);
    }
}
