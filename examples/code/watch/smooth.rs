//! Removes waves and outliers from readings.

use std::collections::VecDeque;

/// The median of the last readings.
///
/// A mean would follow a single wrong reading a little; a median of five ignores up to two of them.
/// The price is a delay: in rising water, the median of five readings is the level of two readings
/// ago.
pub struct Median {
    size: usize,
    last: VecDeque<f64>,
}

impl Median {
    /// A median of up to `size` readings. A size of 0 counts as 1.
    pub fn new(size: usize) -> Median {
        let size = size.max(1);
        Median {
            size,
            last: VecDeque::with_capacity(size),
        }
    }

    /// Adds a reading and returns the median of those that are there.
    pub fn push(&mut self, level: f64) -> f64 {
        if self.last.len() == self.size {
            self.last.pop_front();
        }
        self.last.push_back(level);
        let mut sorted: Vec<f64> = self.last.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_wrong_readings_of_five_do_not_count() {
        let mut median = Median::new(5);
        let levels = [4.0, 4.01, 9.9, 4.02, 9.9].map(|level| median.push(level));
        assert_eq!(levels[4], 4.02);
    }
}
