//! User configuration before it is completed: [`Settings`] has every field of [`Config`], each
//! optional.

use serde::{Deserialize, Serialize};

use crate::config::{Atomic, Config, ContextParts, Levels, Overlap, Strategy};
use crate::preset::Preset;
use crate::size::Unit;

/// The fields of a [`Config`] that a user set. Fields that are not set come from the preset and are
/// adjusted to those that are: a larger `target` raises `max`, a smaller `max` lowers `target`, and
/// `min` stays well below. A `delimiter` implies its strategy and a `min` of 0: it splits at every
/// match, unless small parts are to be joined.
///
/// ```
/// use excerpt_chunk::Settings;
///
/// let said = Settings { target: Some(800), ..Settings::default() };
/// assert_eq!(said.config().max, 800);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The source of fields that are not set. Default: [`Preset::Auto`].
    pub preset: Option<Preset>,
    /// [`Config::strategy`].
    pub strategy: Option<Strategy>,
    /// [`Config::unit`]. The defaults of all sizes are in tokens; in characters they are four times
    /// as large.
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
    /// [`Config::continuation_marker`].
    pub continuation_marker: Option<String>,
    /// [`Config::overview`].
    pub overview: Option<usize>,
    /// [`Config::per_entry`].
    pub per_entry: Option<bool>,
}

impl Settings {
    /// These settings; where a field is not set, that of `other`. A delimiter that is set implies
    /// its strategy, so that of `other` does not count.
    #[must_use]
    pub fn or(self, other: Settings) -> Settings {
        let strategy = match self.delimiter {
            Some(_) => None,
            None => other.strategy,
        };
        Settings {
            preset: self.preset.or(other.preset),
            strategy: self.strategy.or(strategy),
            unit: self.unit.or(other.unit),
            target: self.target.or(other.target),
            max: self.max.or(other.max),
            min: self.min.or(other.min),
            overlap: self.overlap.or(other.overlap),
            levels: self.levels.or(other.levels),
            delimiter: self.delimiter.or(other.delimiter),
            include_delimiter: self.include_delimiter.or(other.include_delimiter),
            atomic: self.atomic.or(other.atomic),
            context: self.context.or(other.context),
            complete_sentences: self.complete_sentences.or(other.complete_sentences),
            continuation_marker: self.continuation_marker.or(other.continuation_marker),
            overview: self.overview.or(other.overview),
            per_entry: self.per_entry.or(other.per_entry),
        }
    }

    /// Completes the settings. A contradiction in them remains, to be reported by
    /// [`Chunker::new`](crate::Chunker::new).
    #[must_use]
    pub fn config(&self) -> Config {
        let preset = self.preset.unwrap_or_default();
        let base = preset.config(self.unit.unwrap_or(Unit::Tokens));
        let delimited = self.delimiter.as_ref().map(|_| Strategy::Delimiter);
        let (target, max) = match (self.target, self.max) {
            (Some(target), Some(max)) => (target, max),
            (Some(target), None) => (target, base.max.max(target)),
            (None, Some(max)) => (base.target.min(max), max),
            (None, None) => (base.target, base.max),
        };
        // A smaller target scales down the sizes that depend on it.
        let scaled = |size: usize| size * target.min(base.target) / base.target;
        let overlap = match base.overlap {
            Overlap::Size(size) => Overlap::Size(scaled(size)),
            percent => percent,
        };
        let strategy = self.strategy.or(delimited).unwrap_or(base.strategy);
        let obeys = strategy == Strategy::Delimiter && self.delimiter.is_some();
        let min = if obeys { 0 } else { scaled(base.min) };
        Config {
            strategy,
            unit: base.unit,
            target,
            max,
            min: self.min.unwrap_or(min),
            overlap: self.overlap.unwrap_or(overlap),
            levels: self.levels.or(base.levels),
            delimiter: self.delimiter.clone(),
            include_delimiter: self.include_delimiter.unwrap_or(base.include_delimiter),
            atomic: self.atomic.unwrap_or(base.atomic),
            context: self.context.unwrap_or(base.context),
            complete_sentences: self.complete_sentences.unwrap_or(base.complete_sentences),
            continuation_marker: self
                .continuation_marker
                .clone()
                .or(base.continuation_marker),
            overview: self.overview.or(base.overview.map(|size| size.max(max))),
            per_entry: self.per_entry.unwrap_or(base.per_entry),
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
    fn a_preset_gives_what_is_not_said() {
        for (name, target, max) in [
            ("brain", 256, 512),
            ("docs", 125, 250),
            ("resources", 500, 800),
            ("memory", 400, 400),
        ] {
            let said = Settings {
                preset: name.parse().ok(),
                ..Settings::default()
            };
            let config = said.config();
            assert_eq!((config.target, config.max), (target, max), "{name}");
            assert!(crate::Chunker::new(config).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_delimiter_replaces_a_strategy_that_another_source_sets() {
        let flags = Settings {
            delimiter: Some("^-$".into()),
            ..Settings::default()
        };
        let file = Settings {
            strategy: Some(Strategy::Markdown),
            ..Settings::default()
        };
        let both = flags.clone().or(file.clone());
        assert_eq!(both.config().strategy, Strategy::Delimiter);
        assert_eq!(both.or(file.clone()).config().min, 0);
        assert_eq!(file.or(flags).config().strategy, Strategy::Markdown);
    }

    #[test]
    fn a_delimiter_says_the_strategy() {
        let said = Settings {
            delimiter: Some("^-$".into()),
            ..Settings::default()
        };
        assert_eq!(said.config().strategy, Strategy::Delimiter);
        assert_eq!(said.config().min, 0);
        let joining = Settings {
            min: Some(20),
            ..said.clone()
        };
        assert_eq!(joining.config().min, 20);
        let other = Settings {
            strategy: Some(Strategy::Markdown),
            ..said
        };
        assert_eq!(other.config().min, 50);
    }
}
