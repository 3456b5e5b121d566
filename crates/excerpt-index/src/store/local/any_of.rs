//! [`AnyOf`]: a disjunction whose scores do not depend on the order in which the scores of its
//! terms are added.
//!
//! Floating-point addition rounds at each step, and tantivy adds in an order that depends on which
//! chunks share a segment. Here each score is first rounded to a multiple of 2⁻³²: sums of these
//! below 2²⁰ are exact in an `f64`, and the total score of all terms of a query, in every field, is
//! far less.

use tantivy::Score;
use tantivy::query::{BooleanWeight, EnableScoring, Occur, Query, ScoreCombiner, Scorer, Weight};

/// Matches what any of several queries matches. Its score is the sum of theirs, once it is [on the
/// grid](on_grid): where a segment has only one of the terms, tantivy returns the score of that
/// term unchanged.
#[derive(Debug)]
pub(super) struct AnyOf(pub(super) Vec<Box<dyn Query>>);

impl Clone for AnyOf {
    fn clone(&self) -> Self {
        AnyOf(self.0.iter().map(|query| query.box_clone()).collect())
    }
}

impl Query for AnyOf {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let weights = self.0.iter();
        let weights = weights.map(|query| Ok((Occur::Should, query.weight(scoring)?)));
        Ok(Box::new(BooleanWeight::with_minimum_number_should_match(
            weights.collect::<tantivy::Result<_>>()?,
            1,
            scoring.is_scoring_enabled(),
            Box::new(ExactSum::default),
        )))
    }
}

/// A sum of scores on the grid.
#[derive(Clone, Copy, Debug, Default)]
struct ExactSum(f64);

impl ScoreCombiner for ExactSum {
    fn update<S: Scorer>(&mut self, scorer: &mut S) {
        self.0 += on_grid(scorer.score());
    }

    fn clear(&mut self) {
        self.0 = 0.0;
    }

    fn score(&self) -> Score {
        self.0 as Score
    }
}

/// A score rounded to a multiple of 2⁻³². A sum of such scores keeps its value as a [`Score`]: one
/// that is small enough to have finer digits is already a multiple.
pub(super) fn on_grid(score: Score) -> f64 {
    // From here up to twice as much, the values of an `f64` are the multiples of 2⁻³².
    const START: f64 = (1_u64 << 20) as f64;
    (f64::from(score) + START) - START
}

#[cfg(test)]
mod tests {
    use tantivy::query::{ConstScorer, EmptyScorer};

    use super::*;

    fn sum(scores: &[Score]) -> Score {
        let mut sum = ExactSum::default();
        for score in scores {
            sum.update(&mut ConstScorer::new(EmptyScorer, *score));
        }
        sum.score()
    }

    /// Scores of many magnitudes.
    fn scores(random: &mut fastrand::Rng, count: usize) -> Vec<Score> {
        let exponents = [-30.0, -20.0, -9.0, -1.0, 3.0, 9.0_f32];
        let score = |_| random.f32() * exponents[random.usize(..exponents.len())].exp2();
        (0..count).map(score).collect()
    }

    #[test]
    fn a_sum_of_scores_does_not_depend_on_their_order() {
        let mut random = fastrand::Rng::with_seed(0);
        let mut differed = false;
        for _ in 0..200 {
            let mut scores = scores(&mut random, 300);
            let (before, plain) = (sum(&scores), scores.iter().sum::<Score>());
            random.shuffle(&mut scores);
            assert_eq!(sum(&scores), before);
            differed |= scores.iter().sum::<Score>() != plain;
            assert!((before - plain).abs() < before * 1e-4);
        }
        assert!(differed, "the plain sum is not put to the test");
    }

    #[test]
    fn a_score_alone_is_the_sum_of_one() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut changed = false;
        for score in scores(&mut random, 2000) {
            let alone = on_grid(score) as Score;
            assert_eq!(sum(&[score]), alone);
            assert_eq!(on_grid(alone) as Score, alone);
            changed |= alone != score;
        }
        assert!(changed, "none is off the grid");
        for _ in 0..500 {
            let sum = sum(&scores(&mut random, 3));
            assert_eq!(on_grid(sum) as Score, sum);
        }
    }
}
