//! How large a text is: [`Unit`], and the running measure from which every size is a difference of two sums.

use std::fmt;
use std::str::FromStr;

use crate::config::{ConfigError, serialised_as_text};
use crate::span::count_chars;

serialised_as_text!(Unit);

/// What sizes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Characters (Unicode scalar values).
    Chars,
    /// Tokens, estimated as a quarter of the characters, rounded down.
    Tokens,
}

impl Unit {
    /// How many of the unit one token is taken for: what turns the defaults, which are in tokens, into the unit.
    pub(crate) fn per_token(self) -> usize {
        match self {
            Unit::Chars => 4,
            Unit::Tokens => 1,
        }
    }

    /// How many grains make one of the unit. A grain is what the plan adds up: here a character.
    pub(crate) fn grains(self) -> usize {
        match self {
            Unit::Chars => 1,
            Unit::Tokens => 4,
        }
    }

    /// The size of `text` in the unit.
    ///
    /// ```
    /// use excerpt_chunk::Unit;
    ///
    /// assert_eq!(Unit::Tokens.measure("hello world"), 2);
    /// assert_eq!(Unit::Chars.measure("naïve"), 5);
    /// ```
    #[must_use]
    pub fn measure(self, text: &str) -> usize {
        grains(text) / self.grains()
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Chars => "chars",
            Unit::Tokens => "tokens",
        })
    }
}

impl FromStr for Unit {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        match text {
            "chars" => Ok(Unit::Chars),
            "tokens" => Ok(Unit::Tokens),
            _ => Err(ConfigError {
                field: "unit",
                value: text.to_string(),
                expected: "`chars` or `tokens`".into(),
            }),
        }
    }
}

/// The size of `text` in grains, the unit in which the plan adds up.
pub(crate) fn grains(text: &str) -> usize {
    count_chars(text.as_bytes())
}

/// The size of everything before a place in a text, for places asked in ascending order: each byte is counted once.
pub(crate) struct Ruler<'a> {
    text: &'a [u8],
    offset: usize,
    total: usize,
}

impl<'a> Ruler<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Ruler {
            text: text.as_bytes(),
            offset: 0,
            total: 0,
        }
    }

    /// The grains before `offset`, which is not before the last one asked for.
    pub(crate) fn at(&mut self, offset: usize) -> usize {
        self.total += count_chars(&self.text[self.offset..offset]);
        self.offset = offset;
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_a_quarter_of_the_characters() {
        assert_eq!(Unit::Tokens.measure("hello world"), 2);
        assert_eq!(Unit::Tokens.measure(""), 0);
        assert_eq!(Unit::Chars.measure("漢字"), 2);
    }

    #[test]
    fn the_ruler_sums_what_lies_before() {
        let text = "héllo wörld";
        let mut ruler = Ruler::new(text);
        assert_eq!(ruler.at(0), 0);
        assert_eq!(ruler.at(3), 2);
        assert_eq!(ruler.at(text.len()), 11);
    }
}
