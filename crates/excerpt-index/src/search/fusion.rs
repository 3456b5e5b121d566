//! Merges two lists of candidates. The score of a chunk depends on its own ranks and scores and on
//! the best and the floor of each list, not on the order of the lists.

use crate::model::{Channel, ChunkKey, Explanation, Fusion, Ranking, Revision};
use crate::store::{ById, Candidate, Candidates};

/// The rank after which the chunks of a list add nothing to a score, however many are requested.
pub(super) const DEPTH: usize = 100;

/// A chunk found by one channel or both.
#[derive(Clone, Debug)]
pub(super) struct Scored {
    pub(super) key: ChunkKey,
    /// The state of its document that it was found in.
    pub(super) rev: Revision,
    /// Whether it contains every word.
    pub(super) all_words: bool,
    /// The share of the [sequences](super::query::Words::sequences) of the question that it
    /// contains.
    pub(super) in_sequence: f32,
    /// Its score, which is the sum of the shares in its explanation.
    pub(super) score: f32,
    pub(super) explanation: Explanation,
    /// Whether it is dated in the time that the question asks about.
    pub(super) is_of_asked_day: bool,
}

/// The chunks of both lists, each with its ranks and scores in the channels, but without a final
/// score.
pub(super) fn united(lexical: &Candidates, vectors: &[Candidate]) -> Vec<Scored> {
    let mut found: Vec<Scored> = Vec::new();
    let mut places: ById<ChunkKey, usize> = ById::default();
    let mut place = |candidate: &Candidate, all_words: bool, found: &mut Vec<Scored>| {
        *places.entry(candidate.key).or_insert_with(|| {
            found.push(Scored {
                key: candidate.key,
                rev: candidate.rev,
                all_words,
                in_sequence: lexical
                    .in_sequence
                    .get(&candidate.key)
                    .copied()
                    .unwrap_or(0.0),
                score: 0.0,
                explanation: Explanation::default(),
                is_of_asked_day: false,
            });
            found.len() - 1
        })
    };
    let mut ranks = Ranks::default();
    for (candidate, all_words) in by_keyword_score(lexical) {
        let place = place(&candidate, all_words, &mut found);
        found[place].explanation.keywords = Some(ranks.next(&candidate));
    }
    let mut ranks = Ranks::default();
    for candidate in by_vector_score(vectors) {
        let place = place(&candidate, false, &mut found);
        found[place].explanation.vectors = Some(ranks.next(&candidate));
    }
    found
}

/// The candidates of the keyword index by score, each with whether it contains every word.
fn by_keyword_score(lexical: &Candidates) -> Vec<(Candidate, bool)> {
    let chunks = lexical.chunks.iter().enumerate();
    let mut ranked: Vec<(Candidate, bool)> = chunks
        .map(|(place, candidate)| (*candidate, place < lexical.complete))
        .collect();
    ranked.sort_by(|(a, _), (b, _)| a.order(b));
    ranked
}

/// The candidates of the vectors, best first.
fn by_vector_score(vectors: &[Candidate]) -> Vec<Candidate> {
    let mut vectors = vectors.to_vec();
    vectors.sort_by(Candidate::order);
    vectors
}

/// The ranks of a list. Equal scores share a rank, so that ranks depend only on the scores.
#[derive(Default)]
struct Ranks {
    seen: usize,
    rank: usize,
    last: Option<f32>,
}

impl Ranks {
    /// The rank and score of the next candidate of a list, best first.
    fn next(&mut self, candidate: &Candidate) -> Channel {
        self.seen += 1;
        if self.last.replace(candidate.score) != Some(candidate.score) {
            self.rank = self.seen;
        }
        Channel {
            rank: self.rank,
            score: candidate.score,
            share: 0.0,
        }
    }
}

/// The range of a list's scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    best: f32,
    floor: f32,
}

impl Scale {
    /// The range for the keyword index: BM25 begins at zero.
    pub(super) fn of_keywords(lexical: &Candidates) -> Scale {
        let scores = lexical.chunks.iter().map(|candidate| candidate.score);
        Scale {
            best: scores.fold(0.0, f32::max),
            floor: 0.0,
        }
    }

    /// The range for the vectors: any two texts have some similarity, so the last score of the list
    /// is the floor.
    pub(super) fn of_vectors(vectors: &[Candidate]) -> Scale {
        let vectors = by_vector_score(vectors);
        let score = |rank: usize| vectors.get(rank).map(|candidate| candidate.score);
        Scale {
            best: score(0).unwrap_or(0.0),
            floor: score(DEPTH.min(vectors.len()).saturating_sub(1)).unwrap_or(0.0),
        }
    }

    /// From 0 at or below the floor to 1 at the best.
    fn part(self, score: f32) -> f32 {
        let width = self.best - self.floor;
        // If all scores are equal, all are the best.
        if width <= 0.0 {
            return 1.0;
        }
        ((score - self.floor) / width).max(0.0)
    }
}

/// Computes the score of a chunk, with the weight `share` for the vectors.
pub(super) fn score(
    found: &mut Scored,
    keywords: Scale,
    vectors: Scale,
    share: f32,
    ranking: &Ranking,
) {
    let Explanation {
        keywords: lexical,
        vectors: semantic,
        ..
    } = &mut found.explanation;
    let parts = [(lexical, keywords, 1.0 - share), (semantic, vectors, share)];
    found.score = 0.0;
    for (channel, scale, weight) in parts {
        let Some(channel) = channel else { continue };
        let part = match ranking.fusion {
            Fusion::Convex => scale.part(channel.score),
            Fusion::Rrf => 1.0 / (ranking.rrf_k + channel.rank as f32),
        };
        channel.share = weight * part;
        found.score += channel.share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::DocumentId;

    fn candidate(document: u64, score: f32) -> Candidate {
        Candidate {
            key: ChunkKey {
                document: DocumentId(document),
                ordinal: 0,
            },
            path_hash: document,
            rev: Revision(1),
            score,
        }
    }

    fn keywords(scores: &[(u64, f32)]) -> Candidates {
        Candidates {
            chunks: scores
                .iter()
                .map(|(document, score)| candidate(*document, *score))
                .collect(),
            chunks_total: scores.len(),
            documents_total: scores.len(),
            ..Candidates::default()
        }
    }

    fn scored(
        lexical: &Candidates,
        vectors: &[Candidate],
        ranking: &Ranking,
        share: f32,
    ) -> Vec<(u64, f32)> {
        let scales = (Scale::of_keywords(lexical), Scale::of_vectors(vectors));
        let mut found = united(lexical, vectors);
        found
            .iter_mut()
            .for_each(|found| score(found, scales.0, scales.1, share, ranking));
        let mut scored: Vec<_> = found
            .iter()
            .map(|found| (found.key.document.0, found.score))
            .collect();
        scored.sort_by_key(|(document, _)| *document);
        scored
    }

    #[test]
    fn convex_is_the_weighted_sum_of_the_shares() {
        let lexical = keywords(&[(1, 8.0), (2, 4.0)]);
        let vectors = [candidate(2, 0.9), candidate(3, 0.5), candidate(4, 0.1)];
        let scored = scored(&lexical, &vectors, &Ranking::default(), 0.25);
        let expected = [(1, 0.75), (2, 0.375 + 0.25), (3, 0.125), (4, 0.0)];
        for ((document, score), (wanted, expected)) in scored.iter().zip(expected) {
            assert_eq!(*document, wanted);
            assert!((score - expected).abs() < 1e-6, "{document}: {score}");
        }
    }

    #[test]
    fn rrf_is_the_weighted_sum_over_the_ranks() {
        let ranking = Ranking {
            fusion: Fusion::Rrf,
            ..Ranking::default()
        };
        let lexical = keywords(&[(1, 8.0), (2, 4.0)]);
        let scored = scored(&lexical, &[candidate(2, 0.9)], &ranking, 0.6);
        assert!((scored[0].1 - 0.4 / 61.0).abs() < 1e-9);
        assert!((scored[1].1 - (0.4 / 62.0 + 0.6 / 61.0)).abs() < 1e-8);
    }

    #[test]
    fn more_is_better_in_both_channels() {
        for fusion in [Fusion::Convex, Fusion::Rrf] {
            let ranking = Ranking {
                fusion,
                ..Ranking::default()
            };
            let lexical = keywords(&[(1, 8.0), (2, 4.0), (3, 1.0)]);
            let vectors = [candidate(1, 0.9), candidate(2, 0.5), candidate(3, -0.4)];
            let scored = scored(&lexical, &vectors, &ranking, 0.5);
            assert!(
                scored[0].1 > scored[1].1 && scored[1].1 > scored[2].1,
                "{scored:?}"
            );
        }
    }

    #[test]
    fn neither_the_order_nor_the_depth_of_a_list_changes_a_score() {
        let mut lexical = keywords(&[(1, 8.0), (2, 4.0), (3, 2.0)]);
        let vectors: Vec<_> = (1..400)
            .map(|n| candidate(n, 1.0 - n as f32 / 1000.0))
            .collect();
        let ranking = Ranking::default();
        let first = scored(&lexical, &vectors, &ranking, 0.3);
        lexical.chunks.reverse();
        let reversed: Vec<_> = vectors.iter().rev().copied().collect();
        let turned = scored(&lexical, &reversed, &ranking, 0.3);
        assert_eq!(first, turned);
        let fewer = scored(&lexical, &vectors[..DEPTH], &ranking, 0.3);
        assert_eq!(first[..DEPTH], fewer[..]);
        assert!(first[DEPTH..].iter().all(|(_, score)| *score == 0.0));
    }

    #[test]
    fn it_does_not_matter_which_list_comes_first() {
        let ranking = Ranking {
            fusion: Fusion::Rrf,
            ..Ranking::default()
        };
        let (one, other) = ([(1, 8.0), (2, 4.0), (3, 1.0)], [(3, 0.9), (4, 0.2)]);
        let vectors = |list: &[(u64, f32)]| -> Vec<Candidate> {
            list.iter()
                .map(|(document, score)| candidate(*document, *score))
                .collect()
        };
        let first = scored(&keywords(&one), &vectors(&other), &ranking, 0.3);
        let second = scored(&keywords(&other), &vectors(&one), &ranking, 0.7);
        for ((document, score), (same, turned)) in first.iter().zip(&second) {
            assert_eq!(document, same);
            assert!(
                (score - turned).abs() < 1e-8,
                "{document}: {score} {turned}"
            );
        }
    }

    #[test]
    fn cosines_below_zero_are_worth_the_least() {
        let vectors = [candidate(1, -0.1), candidate(2, -0.3), candidate(3, -0.9)];
        let scored = scored(&Candidates::default(), &vectors, &Ranking::default(), 1.0);
        assert_eq!((scored[0], scored[2]), ((1, 1.0), (3, 0.0)));
        assert!(scored[1].1 > 0.0 && scored[1].1 < 1.0, "{scored:?}");
    }

    #[test]
    fn equals_are_all_the_best() {
        let scored = scored(
            &keywords(&[(1, 2.0), (2, 2.0)]),
            &[],
            &Ranking::default(),
            0.3,
        );
        assert_eq!(scored, [(1, 0.7), (2, 0.7)]);
    }
}
