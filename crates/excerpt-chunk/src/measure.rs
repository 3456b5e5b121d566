//! Measuring one text: a [`Measure`] gives the sizes of its parts, in a built-in unit or as a
//! [`Sizer`] counts.
//!
//! The plan adds up *grains*, the fractions of a unit: characters, or the units of a tokenizer. A
//! text is traversed once, and every size is the difference of two sums. The sizes of a tokenizer
//! are not additive at the edges of a part, so the results of such sums are measured again.
//!
//! A sizer may fail, and the plan asks for sizes everywhere. So the first failure is kept, every
//! size after it is 0 without asking again, and [`Measure::verified`] discards what was built from
//! them.

use std::cell::OnceCell;
use std::ops::Range;

use crate::size::{SizeError, Sizer, Unit, real, weight};
use crate::span::count_chars;

/// The largest size of a text. Sums and products of sizes up to it do not overflow.
const LARGEST: usize = usize::MAX >> 8;

/// The longest part of a text that a sizer measures to add up sizes, in bytes. Longer parts are
/// fewer calls; shorter ones are closer to the sizes inside a long word.
const LONGEST: usize = 64;

/// The length of the parts whose characters are counted once, in bytes.
const BLOCK: usize = 128;

/// What measures.
#[derive(Clone, Copy)]
enum By<'a> {
    Unit(Unit),
    Sizer(&'a dyn Sizer),
}

/// Measures one text and its parts.
pub(crate) struct Measure<'a> {
    pub(crate) text: &'a str,
    by: By<'a>,
    /// If sizes are not additive: where each word ends, and the size of everything up to there.
    words: Vec<(usize, usize)>,
    chars: Chars,
    failure: OnceCell<SizeError>,
}

/// How the characters of a part of the text are counted.
enum Chars {
    /// Each byte is one.
    Ascii,
    /// The number of characters before each [`BLOCK`] of bytes.
    Before(Vec<usize>),
    /// They are not what sizes count.
    Unknown,
}

impl Chars {
    fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Chars::Ascii;
        }
        let mut total = 0;
        let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
            let before = total;
            total += count_chars(block);
            before
        });
        Chars::Before(blocks.collect())
    }

    /// The characters in `range` of `text`; `None` if they are not known.
    fn between(&self, text: &str, range: Range<usize>) -> Option<usize> {
        let bytes = text.as_bytes();
        match self {
            Chars::Ascii => Some(range.len()),
            Chars::Before(_) if range.len() <= 2 * BLOCK => Some(count_chars(&bytes[range])),
            Chars::Before(before) => {
                let until = |offset: usize| {
                    let block = (offset / BLOCK).min(before.len() - 1);
                    before[block] + count_chars(&bytes[block * BLOCK..offset])
                };
                Some(until(range.end) - until(range.start))
            }
            Chars::Unknown => None,
        }
    }
}

impl<'a> Measure<'a> {
    /// In a unit that this build can measure.
    pub(crate) fn in_unit(text: &'a str, unit: Unit) -> Self {
        let words = match unit {
            Unit::Cl100k | Unit::O200k => real::words(unit, text),
            _ => Vec::new(),
        };
        let chars = match unit {
            Unit::Chars | Unit::Tokens => Chars::of(text),
            Unit::CjkTokens if text.is_ascii() => Chars::Ascii,
            _ => Chars::Unknown,
        };
        Measure {
            text,
            by: By::Unit(unit),
            words,
            chars,
            failure: OnceCell::new(),
        }
    }

    /// As `sizer` counts.
    pub(crate) fn with(text: &'a str, sizer: &'a dyn Sizer) -> Result<Self, SizeError> {
        if let size @ 1.. = asked(sizer, "")? {
            return Err(impossible(sizer, "", size, 0));
        }
        let mut words = Vec::with_capacity(text.len() / 8);
        let (mut end, mut total) = (0, 0);
        while end < text.len() {
            let start = end;
            end = word_end(text, start);
            total += asked(sizer, &text[start..end])?;
            if total > LARGEST {
                return Err(impossible(sizer, &text[..end], total, LARGEST));
            }
            words.push((end, total));
        }
        Ok(Measure {
            text,
            by: By::Sizer(sizer),
            words,
            chars: Chars::Unknown,
            failure: OnceCell::new(),
        })
    }

    /// `built` from the sizes measured so far.
    ///
    /// # Errors
    ///
    /// The first failure of the sizer.
    pub(crate) fn verified<T>(self, built: T) -> Result<T, SizeError> {
        match self.failure.into_inner() {
            Some(failure) => Err(failure),
            None => Ok(built),
        }
    }

    /// The name of what is counted.
    pub(crate) fn unit(&self) -> &str {
        match &self.by {
            By::Unit(unit) => unit.name(),
            By::Sizer(sizer) => sizer.unit(),
        }
    }

    /// How many grains make one unit.
    pub(crate) fn grains(&self) -> usize {
        match self.by {
            By::Unit(unit) => unit.grains(),
            By::Sizer(_) => 1,
        }
    }

    /// How many bytes are not larger than `grains`, or hardly: of `cjk-tokens`, three bytes may
    /// weigh four.
    pub(crate) fn certain_bytes(&self, grains: usize) -> usize {
        match self.by {
            By::Unit(_) => grains,
            // Nothing is known of what a byte weighs.
            By::Sizer(_) => 0,
        }
    }

    /// Whether sums of sizes are exact.
    pub(crate) fn is_additive(&self) -> bool {
        !matches!(self.by, By::Unit(Unit::Cl100k | Unit::O200k) | By::Sizer(_))
    }

    /// The size of the whole text, in units.
    pub(crate) fn whole(&self) -> usize {
        self.exact(0..self.text.len()) / self.grains()
    }

    /// The grains of another text.
    pub(crate) fn of(&self, other: &str) -> usize {
        match self.by {
            By::Unit(unit) => unit.count(other),
            By::Sizer(sizer) => self.kept(sizer, other),
        }
    }

    /// The size of `other`, or 0 once the sizer has failed.
    fn kept(&self, sizer: &dyn Sizer, other: &str) -> usize {
        if other.is_empty() || self.failure.get().is_some() {
            return 0;
        }
        asked(sizer, other).unwrap_or_else(|failure| {
            self.failure.get_or_init(|| failure);
            0
        })
    }

    /// The grains of a part of the text: exact if they are additive.
    pub(crate) fn between(&self, range: Range<usize>) -> usize {
        if let Some(chars) = self.chars.between(self.text, range.clone()) {
            return chars;
        }
        match self.by {
            By::Unit(unit) if self.is_additive() => unit.count(&self.text[range]),
            _ => self.sum_before(range.end) - self.sum_before(range.start),
        }
    }

    /// The exact grains of a part of the text. Tokens are counted again only at its edges.
    pub(crate) fn exact(&self, range: Range<usize>) -> usize {
        /// How many words at an edge may be tokenized differently without the surrounding text.
        const EDGE: usize = 4;
        match self.by {
            By::Unit(_) if self.is_additive() => return self.between(range),
            By::Unit(_) => {}
            By::Sizer(sizer) => return self.kept(sizer, &self.text[range]),
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
        match self.by {
            // A grain is one to four bytes, so characters must be counted only between these
            // bounds.
            By::Unit(Unit::Chars | Unit::Tokens) => {
                range.len() <= max || (range.len() <= 4 * max && self.between(range) <= max)
            }
            By::Unit(Unit::CjkTokens) => range.len() <= 4 * max && self.between(range) <= max,
            By::Unit(Unit::Cl100k | Unit::O200k) | By::Sizer(_) => self.between(range) <= max,
        }
    }

    /// The offset `count` grains after `start`, on a character boundary, at most `end`.
    pub(crate) fn skip(&self, start: usize, end: usize, count: usize) -> usize {
        match self.by {
            By::Unit(Unit::Chars | Unit::Tokens) => self.skip_chars(start, end, count),
            By::Unit(Unit::CjkTokens) => {
                let mut left = count;
                let chars = self.text[start..end].char_indices();
                let mut rest = chars.skip_while(|(_, char)| {
                    let fits = weight(*char) <= left;
                    left = left.saturating_sub(weight(*char));
                    fits
                });
                rest.next().map_or(end, |(offset, _)| start + offset)
            }
            By::Unit(Unit::Cl100k | Unit::O200k) | By::Sizer(_) => {
                let wanted = self.sum_before(start) + count;
                let word = self.words.partition_point(|(_, sum)| *sum <= wanted);
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
            left = left.saturating_sub(self.between(at..reach));
            at = reach;
        }
        at
    }

    /// The sum of the sizes of the words before `offset`; inside a word, all bytes are assumed to
    /// weigh the same.
    fn sum_before(&self, offset: usize) -> usize {
        let word = self.words.partition_point(|(end, _)| *end < offset);
        let (start, before) = word.checked_sub(1).map_or((0, 0), |word| self.words[word]);
        match self.words.get(word) {
            Some((end, sum)) => {
                before + ((sum - before) * (offset - start)).div_ceil((end - start).max(1))
            }
            None => before,
        }
    }

    /// A measure that moves along the text.
    pub(crate) fn ruler(&'a self) -> Ruler<'a> {
        Ruler {
            measure: self,
            offset: 0,
            total: 0,
        }
    }
}

/// The size of `text` by `sizer`.
fn asked(sizer: &dyn Sizer, text: &str) -> Result<usize, SizeError> {
    let size = sizer.size(text).map_err(|source| SizeError::Failed {
        bytes: text.len(),
        source,
    })?;
    match size <= LARGEST {
        true => Ok(size),
        false => Err(impossible(sizer, text, size, LARGEST)),
    }
}

fn impossible(sizer: &dyn Sizer, text: &str, size: usize, most: usize) -> SizeError {
    SizeError::Impossible {
        bytes: text.len(),
        size,
        unit: sizer.unit().to_string(),
        most,
    }
}

/// Where the word at `start` ends. It begins with the white space before it, as tokenizers divide
/// texts, and is at most [`LONGEST`] bytes.
fn word_end(text: &str, start: usize) -> usize {
    let most = text.floor_char_boundary((start + LONGEST).min(text.len()));
    let part = &text[start..most];
    let word = part.trim_start();
    let end = word.find(char::is_whitespace).unwrap_or(word.len());
    most - word.len() + end
}

/// The size of everything before a position in a text, for positions in ascending order: each byte
/// is counted once.
pub(crate) struct Ruler<'a> {
    measure: &'a Measure<'a>,
    offset: usize,
    total: usize,
}

impl Ruler<'_> {
    /// The grains before `offset`, which is not before the previous one.
    pub(crate) fn at(&mut self, offset: usize) -> usize {
        self.total += self.measure.between(self.offset..offset);
        self.offset = offset;
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ruler_sums_what_lies_before() {
        let text = "héllo wörld";
        let measure = Measure::in_unit(text, Unit::Tokens);
        let mut ruler = measure.ruler();
        assert_eq!(ruler.at(0), 0);
        assert_eq!(ruler.at(3), 2);
        assert_eq!(ruler.at(text.len()), 11);
    }

    #[test]
    fn characters_are_counted_between_any_two_places() {
        let mixed = "aé漢😀\n".repeat(60);
        for text in [&*mixed, &"ascii ".repeat(120), ""] {
            let measure = Measure::in_unit(text, Unit::Chars);
            let places: Vec<usize> = (0..=text.len())
                .filter(|at| text.is_char_boundary(*at))
                .collect();
            for (index, start) in places.iter().enumerate() {
                for (chars, end) in places[index..].iter().enumerate() {
                    assert_eq!(measure.between(*start..*end), chars, "{start}..{end}");
                }
            }
        }
    }

    #[test]
    fn a_skip_takes_as_much_as_fits() {
        let text = "aé漢字x";
        let chars = Measure::in_unit(text, Unit::Chars);
        assert_eq!(chars.skip(0, text.len(), 3), 6);
        let weighted = Measure::in_unit(text, Unit::CjkTokens);
        assert_eq!(weighted.skip(0, text.len(), 5), 3);
        assert_eq!(weighted.skip(0, text.len(), 6), 6);
        assert_eq!(weighted.skip(3, text.len(), 100), text.len());
    }

    #[test]
    fn a_sizer_measures_words_with_the_space_before_them() {
        let text = "one  two\n\nthree ";
        let ends = |text: &str| {
            let mut ends = vec![0];
            while ends[ends.len() - 1] < text.len() {
                ends.push(word_end(text, ends[ends.len() - 1]));
            }
            ends
        };
        assert_eq!(ends(text), [0, 3, 8, 15, 16]);
        assert_eq!(ends(&"漢".repeat(22)), [0, 63, 66]);
        assert_eq!(ends(&" ".repeat(70)), [0, 64, 70]);
    }

    #[cfg(feature = "tokens")]
    #[test]
    fn tokens_counted_at_the_edges_are_those_of_the_part() {
        let text = "# Title\n\nSome words, and some more.  \n\n- an item\n- 漢字 🇫🇷\n".repeat(20);
        let measure = Measure::in_unit(&text, Unit::O200k);
        for start in (0..text.len())
            .filter(|at| text.is_char_boundary(*at))
            .step_by(7)
        {
            for length in [5, 40, 300] {
                let end = text.ceil_char_boundary((start + length).min(text.len()));
                assert_eq!(
                    measure.exact(start..end),
                    Unit::O200k.size(&text[start..end]).unwrap(),
                    "{start}..{end}"
                );
            }
        }
    }
}
