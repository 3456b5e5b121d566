//! The breakdown of a score: the share of each channel and each signal, rounded so that the shown
//! shares add up.

use std::fmt;

use excerpt_index::{Fusion, Hit, Ranking};

use crate::output::columns;

/// The note that all hits have a lower score than the requested one.
pub(crate) fn too_low(least: Option<f32>, best: impl fmt::Display) -> String {
    let least = least.unwrap_or_default();
    format!("no hit has a score of at least {least}: the best one has {best}")
}

/// How scores are formatted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scores {
    decimals: usize,
}

impl Scores {
    /// The format for a ranking: the sums of [`Fusion::Rrf`] are about a hundredth of the others.
    pub(crate) fn of(ranking: &Ranking) -> Scores {
        Scores {
            decimals: match ranking.fusion {
                Fusion::Rrf => 4,
                _ => 2,
            },
        }
    }

    /// A score.
    pub(crate) fn shown(self, score: f32) -> String {
        format!("{score:.0$}", self.decimals)
    }

    /// A score with one digit more, as below its parts.
    pub(crate) fn precise(self, score: f32) -> String {
        format!("{score:.0$}", self.decimals + 1)
    }

    /// The parts of a hit's score, one per line, and the score below them.
    pub(crate) fn lines(self, hit: &Hit) -> Vec<String> {
        let parts = &hit.explanation;
        let channels = [
            ("keywords", "BM25", parts.keywords),
            ("vectors", "cosine", parts.vectors),
        ];
        let channels = channels.into_iter().filter_map(|(name, unit, channel)| {
            let channel = channel?;
            let detail = format!("rank {}, {unit} {:.2}", channel.rank, channel.score);
            Some((name, detail, channel.share))
        });
        let signals = parts
            .signals
            .iter()
            .map(|signal| (signal.name, format!("× {:.2}", signal.factor), signal.share));
        let parts: Vec<(&str, String, f32)> = channels.chain(signals).collect();
        let shares = self.shares(parts.iter().map(|(.., share)| *share));
        let width = |of: fn(&(&str, String, f32)) -> usize| parts.iter().map(of).max();
        let names = width(|(name, ..)| columns(name))
            .unwrap_or(0)
            .max("score".len());
        let details = width(|(_, detail, _)| columns(detail)).unwrap_or(0);
        let sum = ("score", String::new(), self.precise(hit.score));
        let lines = parts.iter().zip(shares);
        let lines = lines.map(|((name, detail, _), share)| (*name, detail.clone(), share));
        let lines: Vec<_> = lines.chain([sum]).collect();
        let numbers = lines.iter().map(|(.., number)| number.len()).max();
        let numbers = numbers.unwrap_or(0);
        let line = |(name, detail, number): &(&str, String, String)| {
            let gap = " ".repeat(details - columns(detail));
            format!("{name:<names$}  {detail}{gap}  {number:>numbers$}")
        };
        lines.iter().map(line).collect()
    }

    /// Shares rounded so that they add up to their rounded sum: each is the increase of the rounded
    /// sum.
    fn shares(self, shares: impl Iterator<Item = f32>) -> Vec<String> {
        let decimals = self.decimals + 1;
        let unit = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
        let mut sum = 0.0;
        let shown = shares.map(|share| {
            let before = (sum * unit).round();
            sum += f64::from(share);
            // Avoids `-0`.
            let grown = (sum * unit).round() - before + 0.0;
            format!("{:.decimals$}", grown / unit)
        });
        shown.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_shares_add_up() {
        let scores = Scores::of(&Ranking::default());
        let shown = scores.shares([0.3333, 0.3333, 0.3333, -0.00004].into_iter());
        assert_eq!(shown, ["0.333", "0.334", "0.333", "0.000"]);
    }
}
