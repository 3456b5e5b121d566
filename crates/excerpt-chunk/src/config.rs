//! The chunking options: [`Config`], the types of its fields, and their validation.
//!
//! Every field is spelled the same in Rust, on the command line, in JSON and in configuration
//! files.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::delimiter::Delimiter;
use crate::error::ConfigError;
use crate::named::{named, serialised_as_text};
use crate::size::{NO_TOKENIZERS, Unit};

/// The largest size that can be configured, more than any text has: sizes are multiplied by small
/// numbers, which must not overflow.
const LARGEST: usize = 4_000_000_000;

/// How a document is split, and how large its chunks may be.
///
/// Sizes are in [`Config::unit`] and count everything a reader gets: context, overlap and text.
///
/// ```
/// use excerpt_chunk::{Chunker, Config, Strategy};
///
/// let config = Config { strategy: Strategy::Headers, target: 200, ..Config::default() };
/// assert!(Chunker::new(config).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where splits may fall. Default: [`Strategy::Auto`].
    pub strategy: Strategy,
    /// What `target`, `max`, `min` and `overlap` count. Default: [`Unit::Tokens`].
    pub unit: Unit,
    /// The size to aim at. Default: 400 tokens.
    pub target: usize,
    /// The size that no chunk exceeds, unless it has the warning
    /// [`Oversized`](crate::Warning::Oversized). Default: 400 tokens.
    pub max: usize,
    /// The size of a chunk's text below which it is too small: it is joined with a neighbour if the
    /// strategy allows it. Default: 50 tokens.
    pub min: usize,
    /// How much of the text before a chunk is repeated in front of it, in whole sentences or
    /// blocks. Default: none.
    pub overlap: Overlap,
    /// The heading levels before which a split is mandatory. Default: 2 and 3 for
    /// [`Strategy::Headers`], none for the others.
    pub levels: Option<Levels>,
    /// The regular expression at which [`Strategy::Delimiter`] splits (multi-line: `^` and `$`
    /// match at line ends). Needs the feature `regex`. Default: the kind of rule line that the
    /// document uses.
    pub delimiter: Option<String>,
    /// Whether a delimiter is part of the chunk that it opens, or excluded and listed in
    /// [`Chunking::gaps`](crate::Chunking::gaps). Default: excluded.
    pub include_delimiter: bool,
    /// What happens to a code block, table or sentence larger than `max`. Default:
    /// [`Atomic::Split`].
    pub atomic: Atomic,
    /// Which parts of its place a chunk carries as counted context. Default: path, title, trail and
    /// lead.
    pub context: ContextParts,
    /// Text added to the context of a chunk that continues what the previous one began. Default:
    /// none.
    pub continuation_marker: Option<String>,
    /// The limit of the text of the first chunk of an overview document (a file named `README` or
    /// `index`); its context comes on top. This chunk holds the start of the document, whatever the
    /// other sizes and levels. Default: no such chunk.
    pub overview: Option<usize>,
    /// Whether each item of a top-level list and each section is a separate chunk, however small;
    /// in source code each top-level definition that fits, and the imports. Default: no.
    pub per_entry: bool,
    /// Whether [`Strategy::Fixed`] splits at sentences rather than at raw positions. Default: at
    /// sentences.
    pub complete_sentences: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            strategy: Strategy::Auto,
            unit: Unit::Tokens,
            target: 400,
            max: 400,
            min: 50,
            overlap: Overlap::Size(0),
            levels: None,
            delimiter: None,
            include_delimiter: false,
            atomic: Atomic::Split,
            context: ContextParts::DEFAULT,
            continuation_marker: None,
            overview: None,
            per_entry: false,
            complete_sentences: true,
        }
    }
}

impl Config {
    /// The same configuration with its sizes, so far in tokens, converted to `unit`: four times as
    /// large in characters.
    #[must_use]
    pub(crate) fn in_unit(self, unit: Unit) -> Self {
        let scale = unit.per_token();
        Config {
            unit,
            target: self.target * scale,
            max: self.max * scale,
            min: self.min * scale,
            overlap: match self.overlap {
                Overlap::Size(size) => Overlap::Size(size * scale),
                percent => percent,
            },
            overview: self.overview.map(|size| size * scale),
            ..self
        }
    }

    /// The overlap as a size in [`Config::unit`].
    #[must_use]
    pub fn overlap_size(&self) -> usize {
        match self.overlap {
            Overlap::Size(size) => size,
            Overlap::Percent(percent) => self.target * usize::from(percent) / 100,
        }
    }

    /// The levels with mandatory splits before their headings, including the default of the
    /// strategy.
    pub(crate) fn mandatory_levels(&self, strategy: Strategy) -> Levels {
        if self.per_entry {
            return Levels::ALL;
        }
        let default = match strategy {
            Strategy::Headers => Levels::new([2, 3]),
            _ => Levels::NONE,
        };
        match strategy {
            Strategy::Headers | Strategy::Markdown => self.levels.unwrap_or(default),
            _ => Levels::NONE,
        }
    }

    /// Checks that the fields are consistent, and compiles the delimiter.
    pub(crate) fn validate(&self) -> Result<Option<Delimiter>, ConfigError> {
        let wrong = |field, value: String, expected: String| {
            Err(ConfigError {
                field,
                value,
                expected,
            })
        };
        // Each chunk may repeat it.
        const MARKER: usize = 200;
        if let Some(marker) = &self.continuation_marker
            && marker.chars().nth(MARKER).is_some()
        {
            let begun = marker.chars().take(20).collect::<String>() + "…";
            let expected = format!("at most {MARKER} characters");
            return wrong("continuation_marker", begun, expected);
        }
        if !self.unit.is_available() {
            let expected = format!("chars, tokens or cjk-tokens: {NO_TOKENIZERS}");
            return wrong("unit", self.unit.to_string(), expected);
        }
        if self.max == 0 {
            return wrong("max", "0".into(), "a size of at least 1".into());
        }
        let largest = [self.max, self.overview.unwrap_or(0)];
        for (field, size) in ["max", "overview"].into_iter().zip(largest) {
            if size > LARGEST {
                let expected = format!("a size of at most {LARGEST}");
                return wrong(field, size.to_string(), expected);
            }
        }
        if self.target == 0 || self.target > self.max {
            let expected = format!("a size from 1 to `max` ({})", self.max);
            return wrong("target", self.target.to_string(), expected);
        }
        if self.min >= self.target {
            let expected = format!("a size below `target` ({})", self.target);
            return wrong("min", self.min.to_string(), expected);
        }
        if self.overlap_size() >= self.target {
            let expected = format!("a size below `target` ({})", self.target);
            return wrong("overlap", self.overlap.to_string(), expected);
        }
        if let Some(overview) = self.overview.filter(|size| *size < self.max) {
            let expected = format!("a size of `max` ({}) or more", self.max);
            return wrong("overview", overview.to_string(), expected);
        }
        let Some(pattern) = &self.delimiter else {
            return Ok(None);
        };
        match Delimiter::new(pattern) {
            Ok(delimiter) => Ok(Some(delimiter)),
            Err(expected) => wrong("delimiter", pattern.clone(), expected),
        }
    }
}

/// Where the splits of a document may fall. All but [`Naive`](Strategy::Naive) are constraints on
/// one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// Chosen by content: `whole`, `markdown`, `delimiter`, `fixed` or `code`, with the reason in
    /// the result.
    Auto,
    /// At the blocks of Markdown, preferably at headings.
    Markdown,
    /// Like `markdown`, with a mandatory split before each heading of the chosen levels; sections
    /// below `min` join a sibling.
    Headers,
    /// With a mandatory split at each match of a regular expression; parts below `min` join a
    /// neighbour.
    Delimiter,
    /// Near `target`, at sentences (or, without `complete_sentences`, at raw positions).
    Fixed,
    /// At the definitions and statements of source code, and at the keys of data: what fits stays
    /// whole.
    Code,
    /// Not at all, unless the document exceeds `max`.
    Whole,
    /// At line ends as soon as `max` is reached: the plain packer, for comparison.
    Naive,
}

named!(Strategy, "strategy",
    "auto" => Auto,
    "markdown" => Markdown,
    "headers" => Headers,
    "delimiter" => Delimiter,
    "fixed" => Fixed,
    "code" => Code,
    "whole" => Whole,
    "naive" => Naive,
);

/// The amount of text repeated in front of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "OverlapValue", into = "OverlapValue")]
pub enum Overlap {
    /// A size in [`Config::unit`].
    Size(usize),
    /// A share of `target`, 0 to 99.
    Percent(u8),
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "no overlap, expected a size such as `80`, or a share of `target` from `0%` to `99%`"
)]
enum OverlapValue {
    Size(usize),
    Text(String),
}

impl TryFrom<OverlapValue> for Overlap {
    type Error = ConfigError;

    fn try_from(value: OverlapValue) -> Result<Self, ConfigError> {
        match value {
            OverlapValue::Size(size) => Ok(Overlap::Size(size)),
            OverlapValue::Text(text) => text.parse(),
        }
    }
}

impl From<Overlap> for OverlapValue {
    fn from(overlap: Overlap) -> Self {
        match overlap {
            Overlap::Size(size) => OverlapValue::Size(size),
            Overlap::Percent(_) => OverlapValue::Text(overlap.to_string()),
        }
    }
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Overlap::Size(size) => write!(f, "{size}"),
            Overlap::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

impl FromStr for Overlap {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let wrong = || ConfigError {
            field: "overlap",
            value: text.to_string(),
            expected: "a size such as `80`, or a share of `target` from `0%` to `99%`".into(),
        };
        match text.strip_suffix('%') {
            Some(number) => match number.trim().parse() {
                Ok(percent) if percent < 100 => Ok(Overlap::Percent(percent)),
                _ => Err(wrong()),
            },
            None => text.parse().map(Overlap::Size).map_err(|_| wrong()),
        }
    }
}

/// A set of heading levels, 1 to 6. A deeper level counts as 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct Levels(u8);

impl Levels {
    /// No level.
    pub const NONE: Levels = Levels(0);
    /// All six levels.
    pub const ALL: Levels = Levels::new([1, 2, 3, 4, 5, 6]);

    /// The set of `levels`, each from 1 to 6; other values never match.
    #[must_use]
    pub const fn new<const N: usize>(levels: [u8; N]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < N {
            bits |= 1 << (levels[i] & 7);
            i += 1;
        }
        Levels(bits)
    }

    /// Whether `level` is in the set.
    #[must_use]
    pub fn contains(self, level: u8) -> bool {
        level > 0 && self.0 & (1 << level.min(6)) != 0
    }
}

impl TryFrom<Vec<u8>> for Levels {
    type Error = ConfigError;

    fn try_from(levels: Vec<u8>) -> Result<Self, ConfigError> {
        let mut set = Levels::NONE;
        for level in levels {
            if !(1..=6).contains(&level) {
                return Err(ConfigError {
                    field: "levels",
                    value: level.to_string(),
                    expected: "heading levels from 1 to 6, such as `2,3`".into(),
                });
            }
            set.0 |= 1 << level;
        }
        Ok(set)
    }
}

impl From<Levels> for Vec<u8> {
    fn from(levels: Levels) -> Self {
        (1..=6).filter(|level| levels.contains(*level)).collect()
    }
}

impl FromStr for Levels {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let numbers: Result<Vec<u8>, _> = text.split(',').map(|part| part.trim().parse()).collect();
        let wrong = || ConfigError {
            field: "levels",
            value: text.to_string(),
            expected: "heading levels from 1 to 6, such as `2,3`".into(),
        };
        Levels::try_from(numbers.map_err(|_| wrong())?).map_err(|_| wrong())
    }
}

/// What happens to a code block, a table or a sentence that is larger than `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// It is split at the best place inside: rows, lines, words.
    Split,
    /// It is kept whole, with the warning `oversized`.
    Keep,
}

named!(Atomic, "atomic", "split" => Split, "keep" => Keep);

/// The parts of a chunk's place that are counted and embedded with it, as a set.
///
/// Every chunk has the complete [`Context`](crate::Context); this set chooses which parts count
/// towards its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextParts(u8);

impl ContextParts {
    /// Nothing: a chunk's size is that of its overlap and text.
    pub const NONE: ContextParts = ContextParts(0);
    /// The document's path.
    pub const PATH: ContextParts = ContextParts(1);
    /// The document's title.
    pub const TITLE: ContextParts = ContextParts(2);
    /// The headings (or scopes) around the chunk.
    pub const TRAIL: ContextParts = ContextParts(4);
    /// What a part needs to be understood alone: the header row of a table.
    pub const LEAD: ContextParts = ContextParts(8);
    /// The parts that are counted by default.
    pub const DEFAULT: ContextParts = ContextParts(15);
    /// The document's domain: its first folder.
    pub const DOMAIN: ContextParts = ContextParts(16);
    /// All of them.
    pub const ALL: ContextParts = ContextParts(31);

    pub(crate) const NAMES: [(&'static str, ContextParts); 5] = [
        ("path", ContextParts::PATH),
        ("title", ContextParts::TITLE),
        ("trail", ContextParts::TRAIL),
        ("lead", ContextParts::LEAD),
        ("domain", ContextParts::DOMAIN),
    ];

    /// The set without `other`.
    #[must_use]
    pub fn without(self, other: ContextParts) -> Self {
        ContextParts(self.0 & !other.0)
    }

    /// Whether every part of `other` is in the set.
    #[must_use]
    pub fn contains(self, other: ContextParts) -> bool {
        self.0 & other.0 == other.0
    }
}

serialised_as_text!(ContextParts);

impl fmt::Display for ContextParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ContextParts::ALL => f.write_str("all"),
            ContextParts::NONE => f.write_str("none"),
            parts => {
                let chosen = Self::NAMES.iter().filter(|(_, part)| parts.contains(*part));
                let names: Vec<&str> = chosen.map(|(name, _)| *name).collect();
                f.write_str(&names.join(","))
            }
        }
    }
}

impl FromStr for ContextParts {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let mut set = ContextParts::NONE;
        for name in text.split(',').map(str::trim) {
            let part = match name {
                "all" => Some(ContextParts::ALL),
                "none" => Some(ContextParts::NONE),
                _ => Self::NAMES
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, part)| *part),
            };
            let Some(part) = part else {
                return Err(ConfigError {
                    field: "context",
                    value: text.to_string(),
                    expected: "`all`, `none`, or some of `path,title,trail,lead,domain`".into(),
                });
            };
            set.0 |= part.0;
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(config: Config) -> String {
        config.validate().unwrap_err().to_string()
    }

    #[test]
    fn min_must_be_below_target() {
        let config = Config {
            min: 500,
            ..Config::default()
        };
        assert_eq!(
            error(config),
            "`min` is `500`, expected a size below `target` (400)"
        );
    }

    #[test]
    fn target_must_not_exceed_max() {
        let config = Config {
            target: 500,
            ..Config::default()
        };
        assert_eq!(
            error(config),
            "`target` is `500`, expected a size from 1 to `max` (400)"
        );
    }

    #[test]
    fn overlap_must_be_below_target() {
        let config = Config {
            overlap: Overlap::Size(400),
            ..Config::default()
        };
        assert_eq!(
            error(config),
            "`overlap` is `400`, expected a size below `target` (400)"
        );
    }

    #[test]
    fn a_delimiter_that_does_not_compile_is_named() {
        let config = Config {
            delimiter: Some("(".into()),
            ..Config::default()
        };
        let expected = match cfg!(feature = "regex") {
            true => "a regular expression: unclosed group",
            false => "none: this build has no regular expressions (the feature `regex`)",
        };
        assert_eq!(
            error(config),
            format!("`delimiter` is `(`, expected {expected}")
        );
    }

    #[test]
    fn field_types_read_what_they_write() {
        assert_eq!("15%".parse(), Ok(Overlap::Percent(15)));
        assert_eq!("80".parse(), Ok(Overlap::Size(80)));
        assert!("100%".parse::<Overlap>().is_err());
        assert!("0,2".parse::<Levels>().is_err());
        assert_eq!(Vec::from("3,2".parse::<Levels>().unwrap()), [2, 3]);
        let parts: ContextParts = "trail,path".parse().unwrap();
        assert_eq!(parts.to_string(), "path,trail");
    }

    #[test]
    fn a_config_survives_json() {
        let config = Config {
            overlap: Overlap::Percent(15),
            levels: Some("2,3".parse().unwrap()),
            ..Config::default()
        };
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<Config>(&json).unwrap(), config);
    }
}
