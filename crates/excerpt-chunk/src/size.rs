//! The size of a text: [`Unit`] is what is counted, and a [`Sizer`] measures the parts of one text.
//!
//! The plan adds up *grains*, the fractions of a unit: characters, or tokens if they are real. A
//! text is traversed once, and every size is the difference of two sums. Real tokens are not
//! additive at the edges of a part, so the results of such sums are measured again.

use std::ops::Range;

use crate::named::named;
use crate::span::count_chars;

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

    /// The size of `text` in the unit.
    ///
    /// ```
    /// use excerpt_chunk::Unit;
    ///
    /// assert_eq!(Unit::Tokens.measure("hello world"), 2);
    /// assert_eq!(Unit::Chars.measure("naïve"), 5);
    /// assert_eq!(Unit::CjkTokens.measure("漢字"), 2);
    /// ```
    #[must_use]
    pub fn measure(self, text: &str) -> usize {
        self.count(text) / self.grains()
    }

    /// The grains of `text`.
    fn count(self, text: &str) -> usize {
        match self {
            Unit::Chars | Unit::Tokens => count_chars(text.as_bytes()),
            Unit::CjkTokens => count_weighted(text),
            Unit::Cl100k | Unit::O200k => real::count(self, text),
        }
    }
}

/// The weight of a Chinese, Japanese or Korean character relative to others.
const CJK_WEIGHT: usize = 4;

fn weight(char: char) -> usize {
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

/// Measures one text and its parts.
pub(crate) struct Sizer<'a> {
    pub(crate) text: &'a str,
    unit: Unit,
    /// For real tokens: where each word of the tokenizer ends, and the number of tokens up to
    /// there.
    words: Vec<(usize, usize)>,
}

impl<'a> Sizer<'a> {
    pub(crate) fn new(text: &'a str, unit: Unit) -> Self {
        let words = match unit {
            Unit::Cl100k | Unit::O200k => real::words(unit, text),
            _ => Vec::new(),
        };
        Sizer { text, unit, words }
    }

    /// Whether sums of sizes are exact.
    pub(crate) fn is_additive(&self) -> bool {
        !matches!(self.unit, Unit::Cl100k | Unit::O200k)
    }

    /// The grains of another text.
    pub(crate) fn of(&self, other: &str) -> usize {
        self.unit.count(other)
    }

    /// The grains of a part of the text: exact if they are additive.
    pub(crate) fn between(&self, range: Range<usize>) -> usize {
        match self.is_additive() {
            true => self.unit.count(&self.text[range]),
            false => self.tokens_before(range.end) - self.tokens_before(range.start),
        }
    }

    /// The exact grains of a part of the text. Tokens are counted again only at its edges.
    pub(crate) fn exact(&self, range: Range<usize>) -> usize {
        /// How many words at an edge may be tokenized differently without the surrounding text.
        const EDGE: usize = 4;
        if self.is_additive() {
            return self.between(range);
        }
        let first = self.words.partition_point(|(end, _)| *end <= range.start) + EDGE;
        let last = self.words.partition_point(|(end, _)| *end <= range.end);
        let last = last.saturating_sub(EDGE).max(first);
        // How white space is tokenized depends on what follows, so no measured part may end with
        // it.
        let parts = |(end, _): &&(usize, usize)| {
            self.text.is_char_boundary(*end) && !self.text[..*end].ends_with(char::is_whitespace)
        };
        let inner = self.words.get(first..last).unwrap_or_default();
        let (Some(&(from, before)), Some(&(to, until))) =
            (inner.iter().find(parts), inner.iter().rev().find(parts))
        else {
            return self.of(&self.text[range]);
        };
        self.of(&self.text[range.start..from])
            + (until - before)
            + self.of(&self.text[to..range.end])
    }

    /// Whether the part of the text is at most `max` grains.
    pub(crate) fn fits(&self, range: Range<usize>, max: usize) -> bool {
        match self.unit {
            // A grain is one to four bytes, so characters must be counted only between these
            // bounds.
            Unit::Chars | Unit::Tokens => {
                range.len() <= max || (range.len() <= 4 * max && self.between(range) <= max)
            }
            Unit::CjkTokens => range.len() <= 4 * max && self.between(range) <= max,
            Unit::Cl100k | Unit::O200k => self.between(range) <= max,
        }
    }

    /// The offset `count` grains after `start`, on a character boundary, at most `end`.
    pub(crate) fn skip(&self, start: usize, end: usize, count: usize) -> usize {
        match self.unit {
            Unit::Chars | Unit::Tokens => self.skip_chars(start, end, count),
            Unit::CjkTokens => {
                let mut left = count;
                let chars = self.text[start..end].char_indices();
                let mut rest = chars.skip_while(|(_, char)| {
                    let fits = weight(*char) <= left;
                    left = left.saturating_sub(weight(*char));
                    fits
                });
                rest.next().map_or(end, |(offset, _)| start + offset)
            }
            Unit::Cl100k | Unit::O200k => {
                let wanted = self.tokens_before(start) + count;
                let word = self.words.partition_point(|(_, tokens)| *tokens <= wanted);
                let reach = word.checked_sub(1).map_or(0, |word| self.words[word].0);
                // Inside a long word, a token is assumed to be two bytes.
                let reach = if reach <= start {
                    start + 2 * count
                } else {
                    reach
                };
                self.text.ceil_char_boundary(reach.min(end))
            }
        }
    }

    fn skip_chars(&self, start: usize, end: usize, count: usize) -> usize {
        // A byte holds at most one character, so the next `count` bytes are never too many.
        let mut at = start;
        let mut left = count;
        while left > 0 && at < end {
            let reach = self.text.ceil_char_boundary((at + left).min(end));
            left = left.saturating_sub(count_chars(&self.text.as_bytes()[at..reach]));
            at = reach;
        }
        at
    }

    /// How many tokens begin before `offset`; inside a word, tokens are assumed to be equally long.
    fn tokens_before(&self, offset: usize) -> usize {
        let word = self.words.partition_point(|(end, _)| *end < offset);
        let (start, before) = word.checked_sub(1).map_or((0, 0), |word| self.words[word]);
        match self.words.get(word) {
            Some((end, tokens)) => {
                before + ((tokens - before) * (offset - start)).div_ceil((end - start).max(1))
            }
            None => before,
        }
    }

    /// A measure that moves along the text.
    pub(crate) fn ruler(&'a self) -> Ruler<'a> {
        Ruler {
            sizer: self,
            offset: 0,
            total: 0,
        }
    }
}

/// The size of everything before a position in a text, for positions in ascending order: each byte
/// is counted once.
pub(crate) struct Ruler<'a> {
    sizer: &'a Sizer<'a>,
    offset: usize,
    total: usize,
}

impl Ruler<'_> {
    /// The grains before `offset`, which is not before the previous one.
    pub(crate) fn at(&mut self, offset: usize) -> usize {
        self.total += self.sizer.between(self.offset..offset);
        self.offset = offset;
        self.total
    }
}

/// Tokens as the tokenizers count them.
#[cfg(feature = "tokens")]
mod real {
    use super::Unit;

    fn tokenizer(unit: Unit) -> &'static bpe_openai::Tokenizer {
        match unit {
            Unit::Cl100k => bpe_openai::cl100k_base(),
            _ => bpe_openai::o200k_base(),
        }
    }

    pub(super) fn count(unit: Unit, text: &str) -> usize {
        tokenizer(unit).count(text)
    }

    pub(super) fn words(unit: Unit, text: &str) -> Vec<(usize, usize)> {
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
mod real {
    use super::Unit;

    pub(super) fn count(_: Unit, text: &str) -> usize {
        Unit::Tokens.count(text) / Unit::Tokens.grains()
    }

    pub(super) fn words(_: Unit, text: &str) -> Vec<(usize, usize)> {
        vec![(text.len(), text.len() / 4)]
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
    fn cjk_characters_weigh_a_token() {
        assert_eq!(Unit::CjkTokens.measure("漢字かなカナ한글"), 8);
        assert_eq!(Unit::CjkTokens.measure("four letters"), 3);
        assert_eq!(Unit::CjkTokens.measure("é€😀x"), 1);
    }

    #[test]
    fn the_ruler_sums_what_lies_before() {
        let text = "héllo wörld";
        let sizer = Sizer::new(text, Unit::Tokens);
        let mut ruler = sizer.ruler();
        assert_eq!(ruler.at(0), 0);
        assert_eq!(ruler.at(3), 2);
        assert_eq!(ruler.at(text.len()), 11);
    }

    #[test]
    fn a_skip_takes_as_much_as_fits() {
        let text = "aé漢字x";
        let chars = Sizer::new(text, Unit::Chars);
        assert_eq!(chars.skip(0, text.len(), 3), 6);
        let weighted = Sizer::new(text, Unit::CjkTokens);
        assert_eq!(weighted.skip(0, text.len(), 5), 3);
        assert_eq!(weighted.skip(0, text.len(), 6), 6);
        assert_eq!(weighted.skip(3, text.len(), 100), text.len());
    }

    #[cfg(feature = "tokens")]
    #[test]
    fn real_tokens_are_those_of_the_tokenizer() {
        assert_eq!(Unit::O200k.measure("hello world"), 2);
        let text = "# Title\n\nSome words, and some more.  \n\n- an item\n- 漢字 🇫🇷\n".repeat(20);
        let sizer = Sizer::new(&text, Unit::O200k);
        for start in (0..text.len())
            .filter(|at| text.is_char_boundary(*at))
            .step_by(7)
        {
            for length in [5, 40, 300] {
                let end = text.ceil_char_boundary((start + length).min(text.len()));
                assert_eq!(
                    sizer.exact(start..end),
                    Unit::O200k.measure(&text[start..end]),
                    "{start}..{end}"
                );
            }
        }
    }
}
