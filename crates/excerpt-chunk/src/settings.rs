//! What a user said about the cut, before it is completed: [`Settings`] has every field of [`Config`], each said or not.

use serde::{Deserialize, Serialize};

use crate::config::{Atomic, Config, ContextParts, Levels, Overlap, Strategy};
use crate::size::Unit;

/// The fields of a [`Config`] that a user named. What was not said comes from defaults that make room for what was: a larger
/// `target` raises `max`, a smaller `max` lowers `target`, and `min` stays well below.
///
/// ```
/// use excerpt_chunk::Settings;
///
/// let said = Settings { target: Some(800), ..Settings::default() };
/// assert_eq!(said.config().max, 800);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// [`Config::strategy`].
    pub strategy: Option<Strategy>,
    /// [`Config::unit`]. The defaults of all sizes are in tokens; in characters they are four times as large.
    pub unit: Option<Unit>,
    /// [`Config::target`].
    pub target: Option<usize>,
    /// [`Config::max`].
    pub max: Option<usize>,
    /// [`Config::min`].
    pub min: Option<usize>,
    /// [`Config::overlap`].
    pub overlap: Option<Overlap>,
    /// [`Config::levels`].
    pub levels: Option<Levels>,
    /// [`Config::delimiter`].
    pub delimiter: Option<String>,
    /// [`Config::include_delimiter`].
    pub include_delimiter: Option<bool>,
    /// [`Config::atomic`].
    pub atomic: Option<Atomic>,
    /// [`Config::context`].
    pub context: Option<ContextParts>,
    /// [`Config::complete_sentences`].
    pub complete_sentences: Option<bool>,
}

impl Settings {
    /// Completes what was said. A contradiction in it stays, for [`Chunker::new`](crate::Chunker::new) to name.
    #[must_use]
    pub fn config(&self) -> Config {
        let default = Config::with_unit(self.unit.unwrap_or(Unit::Tokens));
        let delimited = self.delimiter.is_some();
        let strategy = self.strategy.unwrap_or(match delimited {
            true => Strategy::Delimiter,
            false => default.strategy,
        });
        let (target, max) = match (self.target, self.max) {
            (Some(target), Some(max)) => (target, max),
            (Some(target), None) => (target, default.max.max(target)),
            (None, Some(max)) => (default.target.min(max), max),
            (None, None) => (default.target, default.max),
        };
        Config {
            strategy,
            unit: default.unit,
            target,
            max,
            min: self.min.unwrap_or(default.min.min(target / 8)),
            overlap: self.overlap.unwrap_or(default.overlap),
            levels: self.levels.or(default.levels),
            delimiter: self.delimiter.clone(),
            include_delimiter: self.include_delimiter.unwrap_or(default.include_delimiter),
            atomic: self.atomic.unwrap_or(default.atomic),
            context: self.context.unwrap_or(default.context),
            complete_sentences: self
                .complete_sentences
                .unwrap_or(default.complete_sentences),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_said_is_the_default() {
        assert_eq!(Settings::default().config(), Config::default());
    }

    #[test]
    fn sizes_not_said_make_room_for_those_that_were() {
        let max = Settings {
            max: Some(100),
            ..Settings::default()
        };
        let config = max.config();
        assert_eq!((config.target, config.max, config.min), (100, 100, 12));
        let chars = Settings {
            unit: Some(Unit::Chars),
            ..Settings::default()
        };
        assert_eq!(chars.config().max, 1600);
    }

    #[test]
    fn a_delimiter_says_the_strategy() {
        let said = Settings {
            delimiter: Some("^-$".into()),
            ..Settings::default()
        };
        assert_eq!(said.config().strategy, Strategy::Delimiter);
    }
}
