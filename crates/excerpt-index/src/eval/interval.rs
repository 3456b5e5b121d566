//! Means with confidence intervals: the range to expect for other questions of the same kind.

use serde::Serialize;

/// How often the questions are resampled.
const DRAWS: usize = 1_000;
/// The share of the means inside the interval.
const INSIDE: f64 = 0.95;

/// A mean and its 95 % interval, by the percentile bootstrap (Efron, *Bootstrap methods: another
/// look at the jackknife*, 1979): the same scores always give the same interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The number of scores.
    pub count: usize,
}

impl Interval {
    /// The mean of `scores`; `None` without any.
    pub(super) fn of_mean(scores: &[f64]) -> Option<Self> {
        let count = scores.len();
        if count == 0 {
            return None;
        }
        let mean = |sum: f64| sum / count as f64;
        let mut random = fastrand::Rng::with_seed(0);
        let mut means: Vec<f64> = (0..DRAWS)
            .map(|_| mean((0..count).map(|_| scores[random.usize(..count)]).sum()))
            .collect();
        means.sort_by(f64::total_cmp);
        let outside = ((1.0 - INSIDE) / 2.0 * DRAWS as f64) as usize;
        Some(Interval {
            mean: mean(scores.iter().sum()),
            low: means[outside],
            high: means[DRAWS - 1 - outside],
            count,
        })
    }

    /// Whether zero is outside: for a mean of differences, that it is more than chance.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_leave_no_doubt() {
        let interval = Interval::of_mean(&[0.5; 20]).unwrap();
        assert_eq!(
            (interval.mean, interval.low, interval.high),
            (0.5, 0.5, 0.5)
        );
        assert_eq!(Interval::of_mean(&[]), None);
    }

    #[test]
    fn a_difference_is_clear_when_zero_lies_outside() {
        let clear = |scores: &[f64]| Interval::of_mean(scores).unwrap().is_clear();
        assert!(clear(&[0.1, 0.2, 0.3]));
        assert!(clear(&[-0.1, -0.2, -0.3]));
        assert!(!clear(&[0.0, 0.0]));
        assert!(!clear(&[-0.5, 0.6, -0.4, 0.5]));
    }

    #[test]
    fn more_scores_leave_less_doubt() {
        let scores = |count: usize| -> Vec<f64> { (0..count).map(|at| (at % 2) as f64).collect() };
        let width = |count| {
            let interval = Interval::of_mean(&scores(count)).unwrap();
            assert!(interval.low <= interval.mean && interval.mean <= interval.high);
            interval.high - interval.low
        };
        // The deviation of a mean of n coins is 1 / (2 √n), and 95 % lie within 1.96 deviations on
        // either side.
        assert!((width(100) - 0.196).abs() < 0.03, "{}", width(100));
        assert!((width(400) - 0.098).abs() < 0.02, "{}", width(400));
    }
}
