//! What the size of a text is: a [`Sizer`] measures texts, and a [`Unit`] is one that is built in.

use std::error::Error;

use crate::named::named;
use crate::span::count_chars;

/// Measures texts: a tokenizer of your own, for example, or a [`Unit`].
///
/// The sizes of a [`Config`](crate::Config) count what its sizer counts. Pass a sizer to
/// [`Chunker::chunk_with`](crate::Chunker::chunk_with).
///
/// A sizer keeps three promises:
///
/// - The same text always has the same size.
/// - The empty text has size 0. Marks that an embedder adds around every input, such as `[CLS]`,
///   are not counted; subtract them from `max` instead.
/// - A part of a text is not larger than the text, or hardly.
///
/// Sizes need not add up where a text is divided. The plan estimates with the sum over the words of
/// the text; then each chunk is measured as a whole, and what is too large is split again. So no
/// chunk exceeds `max`, but the more the sum over the words differs from the size of the whole, the
/// fewer chunks are close to `target`. Each word is measured once, and the text of each chunk a few
/// times.
///
/// ```
/// use std::error::Error;
/// use excerpt_chunk::{Chunker, Config, Document, Sizer};
///
/// /// Counts words.
/// struct Words;
///
/// impl Sizer for Words {
///     fn unit(&self) -> &str {
///         "words"
///     }
///
///     fn size(&self, text: &str) -> Result<usize, Box<dyn Error + Send + Sync>> {
///         Ok(text.split_whitespace().count())
///     }
/// }
///
/// let config = Config { target: 3, max: 3, min: 0, ..Config::default() };
/// let document = Document::new("One, two, three. Four, five, six.");
/// let chunking = Chunker::new(config)?.chunk_with(&document, &Words)?;
/// assert_eq!(chunking.chunks[0].text, "One, two, three.");
/// assert_eq!((&*chunking.unit, chunking.chunks[0].size.total), ("words", 3));
/// # Ok::<(), Box<dyn Error>>(())
/// ```
pub trait Sizer {
    /// What is counted, in the plural: `tokens`. It is shown to people, as
    /// [`Chunking::unit`](crate::Chunking::unit).
    fn unit(&self) -> &str;

    /// The size of `text`.
    ///
    /// # Errors
    ///
    /// Whatever prevents the measurement. It ends the chunking of the document with
    /// [`SizeError::Failed`].
    fn size(&self, text: &str) -> Result<usize, Box<dyn Error + Send + Sync>>;
}

/// A sizer behind a pointer is a sizer.
macro_rules! sizer_behind {
    ($($pointer:ty),+) => {$(
        impl<S: Sizer + ?Sized> Sizer for $pointer {
            fn unit(&self) -> &str {
                (**self).unit()
            }

            fn size(&self, text: &str) -> Result<usize, Box<dyn Error + Send + Sync>> {
                (**self).size(text)
            }
        }
    )+};
}

sizer_behind!(&S, Box<S>, std::sync::Arc<S>);

/// Why a text cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SizeError {
    /// The sizer failed.
    #[error("a text of {bytes} bytes cannot be measured")]
    Failed {
        /// The length of the text.
        bytes: usize,
        /// The error of the sizer.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The size is one that a text cannot have: the empty text has size 0, and no other more than a
    /// 256th of [`usize::MAX`], so that sizes can be added up.
    #[error("the size of a text of {bytes} bytes is {size} {unit}, expected at most {most}")]
    Impossible {
        /// The length of the text.
        bytes: usize,
        /// The size that was returned.
        size: usize,
        /// What the sizer counts.
        unit: String,
        /// The largest possible size.
        most: usize,
    },
}

named!(Unit, "unit",
    "chars" => Chars,
    "tokens" => Tokens,
    "cjk-tokens" => CjkTokens,
    "cl100k" => Cl100k,
    "o200k" => O200k,
);

/// The unit of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Characters (Unicode scalar values).
    Chars,
    /// Tokens, estimated as a quarter of the characters, rounded down.
    Tokens,
    /// Tokens, estimated as a quarter of the characters, where each Chinese, Japanese or Korean
    /// character counts as one token.
    CjkTokens,
    /// Real tokens of the encoding `cl100k_base`. Needs the feature `tokens`.
    Cl100k,
    /// Real tokens of the encoding `o200k_base`. Needs the feature `tokens`.
    O200k,
}

impl Unit {
    /// How many units a token corresponds to: it converts the defaults, which are in tokens.
    pub(crate) fn per_token(self) -> usize {
        match self {
            Unit::Chars => 4,
            _ => 1,
        }
    }

    /// How many grains make one unit.
    pub(crate) fn grains(self) -> usize {
        match self {
            Unit::Chars | Unit::Cl100k | Unit::O200k => 1,
            Unit::Tokens | Unit::CjkTokens => 4,
        }
    }

    /// Whether this build can measure the unit: it needs no tokenizer, or has it.
    pub(crate) fn is_available(self) -> bool {
        !matches!(self, Unit::Cl100k | Unit::O200k) || cfg!(feature = "tokens")
    }

    /// The grains of `text`.
    pub(crate) fn count(self, text: &str) -> usize {
        match self {
            Unit::Chars | Unit::Tokens => count_chars(text.as_bytes()),
            Unit::CjkTokens => count_weighted(text),
            Unit::Cl100k | Unit::O200k => real::count(self, text),
        }
    }
}

/// Fails only without the feature `tokens`, for the units that need it.
///
/// ```
/// use excerpt_chunk::{Sizer, Unit};
///
/// assert_eq!(Unit::Tokens.size("hello world")?, 2);
/// assert_eq!(Unit::Chars.size("naïve")?, 5);
/// assert_eq!(Unit::CjkTokens.size("漢字")?, 2);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
impl Sizer for Unit {
    fn unit(&self) -> &str {
        self.name()
    }

    fn size(&self, text: &str) -> Result<usize, Box<dyn Error + Send + Sync>> {
        match self.is_available() {
            true => Ok(self.count(text) / self.grains()),
            false => Err(format!("{self}: {NO_TOKENIZERS}").into()),
        }
    }
}

/// Why a unit of real tokens cannot be used.
pub(crate) const NO_TOKENIZERS: &str = "this build has no tokenizers (the feature `tokens`)";

/// The weight of a Chinese, Japanese or Korean character relative to others.
const CJK_WEIGHT: usize = 4;

pub(crate) fn weight(char: char) -> usize {
    let cjk = matches!(u32::from(char),
        0x1100..=0x11FF | 0x2E80..=0x9FFF | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF);
    if cjk { CJK_WEIGHT } else { 1 }
}

fn count_weighted(text: &str) -> usize {
    // Characters encoded in one or two bytes are none of them.
    let wide = text.bytes().any(|byte| byte >= 0xE0);
    match wide {
        false => count_chars(text.as_bytes()),
        true => text.chars().map(weight).sum(),
    }
}

/// Tokens as the tokenizers count them.
#[cfg(feature = "tokens")]
pub(crate) mod real {
    use super::Unit;

    fn tokenizer(unit: Unit) -> &'static bpe_openai::Tokenizer {
        match unit {
            Unit::Cl100k => bpe_openai::cl100k_base(),
            _ => bpe_openai::o200k_base(),
        }
    }

    pub(crate) fn count(unit: Unit, text: &str) -> usize {
        tokenizer(unit).count(text)
    }

    pub(crate) fn words(unit: Unit, text: &str) -> Vec<(usize, usize)> {
        let tokenizer = tokenizer(unit);
        let mut ends = Vec::with_capacity(text.len() / 4);
        let (mut end, mut tokens) = (0, 0);
        for word in tokenizer.split(text) {
            end += word.len();
            tokens += tokenizer.bpe.count(word.as_bytes());
            ends.push((end, tokens));
        }
        ends
    }
}

/// Without the tokenizers, their units are refused before anything is measured.
#[cfg(not(feature = "tokens"))]
pub(crate) mod real {
    use super::Unit;

    pub(crate) fn count(_: Unit, text: &str) -> usize {
        Unit::Tokens.count(text) / Unit::Tokens.grains()
    }

    pub(crate) fn words(_: Unit, text: &str) -> Vec<(usize, usize)> {
        vec![(text.len(), text.len() / 4)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(unit: Unit, text: &str) -> usize {
        unit.size(text).unwrap()
    }

    #[test]
    fn tokens_are_a_quarter_of_the_characters() {
        assert_eq!(size(Unit::Tokens, "hello world"), 2);
        assert_eq!(size(Unit::Tokens, ""), 0);
        assert_eq!(size(Unit::Chars, "漢字"), 2);
    }

    #[test]
    fn cjk_characters_weigh_a_token() {
        assert_eq!(size(Unit::CjkTokens, "漢字かなカナ한글"), 8);
        assert_eq!(size(Unit::CjkTokens, "four letters"), 3);
        assert_eq!(size(Unit::CjkTokens, "é€😀x"), 1);
    }

    #[cfg(feature = "tokens")]
    #[test]
    fn real_tokens_are_those_of_the_tokenizer() {
        assert_eq!(size(Unit::O200k, "hello world"), 2);
    }

    #[cfg(not(feature = "tokens"))]
    #[test]
    fn real_tokens_without_a_tokenizer_are_an_error() {
        let error = Unit::O200k.size("hello world").unwrap_err();
        assert_eq!(
            error.to_string(),
            "o200k: this build has no tokenizers (the feature `tokens`)"
        );
    }

    #[test]
    fn a_sizer_behind_a_pointer_is_a_sizer() {
        let sizers: [Box<dyn Sizer>; 2] = [
            Box::new(&Unit::Chars),
            Box::new(std::sync::Arc::new(Unit::Tokens)),
        ];
        let sizes =
            sizers.map(|sizer| (sizer.unit().to_string(), sizer.size("hello world").unwrap()));
        assert_eq!(
            sizes,
            [("chars".to_string(), 11), ("tokens".to_string(), 2)]
        );
    }
}
