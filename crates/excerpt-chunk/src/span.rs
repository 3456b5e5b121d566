//! Positions in a text. Byte ranges are authoritative; lines, characters and UTF-16 units are
//! derived from them here, and only here.

use std::ops::Range;

use memchr::memchr_iter;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// A part of a document: its bytes and, derived from them, its lines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The bytes, half open, always on character boundaries.
    pub bytes: Range<usize>,
    /// The first and the last line that contain a byte of the span, counted from 1. A line ends
    /// with `\n`.
    pub lines: (usize, usize),
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut span = serializer.serialize_struct("Span", 2)?;
        span.serialize_field("bytes", &[self.bytes.start, self.bytes.end])?;
        span.serialize_field("lines", &[self.lines.0, self.lines.1])?;
        span.end()
    }
}

/// The line starts of a text, from which all other coordinates are derived.
///
/// Built in one pass over the text; finding a line then takes O(log lines). Byte offsets count
/// everything, including a byte order mark and carriage returns.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Finds the lines of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1));
        LineIndex { text, starts }
    }

    /// The number of lines; a last line without a line end counts.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.starts.last() {
            Some(last) if *last == self.text.len() => self.starts.len() - 1,
            _ => self.starts.len(),
        }
    }

    /// Whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The line, counted from 1, that contains the byte at `offset`.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// The bytes of lines `first` to `last` (from 1, inclusive), including line ends; lines beyond
    /// the end are empty.
    #[must_use]
    pub fn lines(&self, first: usize, last: usize) -> Range<usize> {
        let start = |line: usize| {
            let found = self.starts.get(line.saturating_sub(1));
            found.copied().unwrap_or(self.text.len())
        };
        let from = start(first);
        from..start(last.saturating_add(1)).max(from)
    }

    /// The span of `bytes`.
    #[must_use]
    pub fn span(&self, bytes: Range<usize>) -> Span {
        let first = self.line(bytes.start);
        let last = self.line(bytes.end.max(bytes.start + 1) - 1);
        Span {
            bytes,
            lines: (first, last),
        }
    }

    /// The number of characters (Unicode scalar values) before the byte at `offset`. Linear in
    /// `offset`.
    #[must_use]
    pub fn char_offset(&self, offset: usize) -> usize {
        count_chars(&self.text.as_bytes()[..offset])
    }

    /// The number of UTF-16 code units before the byte at `offset`. Linear in `offset`.
    #[must_use]
    pub fn utf16_offset(&self, offset: usize) -> usize {
        let bytes = &self.text.as_bytes()[..offset];
        // A scalar value outside the basic plane takes four bytes in UTF-8 and two units in UTF-16.
        count_chars(bytes) + bytes.iter().filter(|byte| **byte >= 0xF0).count()
    }
}

/// The lines of spans requested in ascending order: each byte is read once, and no lines are
/// stored.
pub(crate) struct LineRuler<'a> {
    text: &'a [u8],
    offset: usize,
    line: usize,
}

impl<'a> LineRuler<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        LineRuler {
            text: text.as_bytes(),
            offset: 0,
            line: 1,
        }
    }

    /// The span of `bytes`, which is not empty and begins at or after the end of the previous one;
    /// and, if it is not empty, the span from `before` to where `bytes` begins.
    pub(crate) fn spans(&mut self, before: usize, bytes: Range<usize>) -> (Option<Span>, Span) {
        let overlap = (before < bytes.start).then(|| {
            let last = self.line(bytes.start - 1);
            let first = last - newlines(&self.text[before..bytes.start - 1]);
            Span {
                bytes: before..bytes.start,
                lines: (first, last),
            }
        });
        let lines = (self.line(bytes.start), self.line(bytes.end - 1));
        (overlap, Span { bytes, lines })
    }

    /// The line of the byte at `offset`, which is not before the previous one.
    fn line(&mut self, offset: usize) -> usize {
        self.line += newlines(&self.text[self.offset..offset]);
        self.offset = offset;
        self.line
    }
}

/// The characters before positions requested in ascending order: each byte is counted once.
pub(crate) struct CharRuler<'a> {
    text: &'a [u8],
    offset: usize,
    chars: usize,
}

impl<'a> CharRuler<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        CharRuler {
            text: text.as_bytes(),
            offset: 0,
            chars: 0,
        }
    }

    /// The number of characters before the byte at `offset`, which is not before the previous one.
    pub(crate) fn at(&mut self, offset: usize) -> usize {
        self.chars += self.text.get(self.offset..offset).map_or(0, count_chars);
        self.offset = offset;
        self.chars
    }
}

fn newlines(bytes: &[u8]) -> usize {
    memchr_iter(b'\n', bytes).count()
}

/// The number of characters in valid UTF-8: the number of bytes that do not continue one.
pub(crate) fn count_chars(bytes: &[u8]) -> usize {
    // Blocks of at most 255 bytes keep the inner sum in a byte, so it is computed on whole vectors.
    let blocks = bytes.chunks(255);
    blocks
        .map(|block| {
            let starts = block.iter().map(|byte| u8::from((*byte as i8) >= -0x40));
            usize::from(starts.fold(0u8, u8::wrapping_add))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one_and_end_with_a_newline() {
        let index = LineIndex::new("a\r\nb\n\nc");
        assert_eq!(index.len(), 4);
        assert_eq!(index.span(0..3).lines, (1, 1));
        assert_eq!(index.span(0..4).lines, (1, 2));
        assert_eq!(index.span(5..6).lines, (3, 3));
        assert_eq!(index.span(6..7).lines, (4, 4));
        assert_eq!(index.lines(2, 3), 3..6);
        assert_eq!(index.lines(9, 12), 7..7);
    }

    #[test]
    fn a_last_line_end_opens_no_line() {
        assert_eq!(LineIndex::new("a\n").len(), 1);
        assert_eq!(LineIndex::new("").len(), 0);
        assert!(LineIndex::new("").is_empty());
    }

    #[test]
    fn lines_found_in_order_are_those_of_the_index() {
        let text = "a\r\nb\n\ncd\ne";
        let index = LineIndex::new(text);
        let mut ruler = LineRuler::new(text);
        for (before, bytes) in [(0, 0..1), (0, 3..5), (3, 6..8), (7, 8..9), (9, 9..10)] {
            let (overlap, span) = ruler.spans(before, bytes.clone());
            let expected = (before < bytes.start).then(|| index.span(before..bytes.start));
            assert_eq!((overlap, span), (expected, index.span(bytes)));
        }
    }

    #[test]
    fn characters_and_utf16_units_are_exact() {
        let text = "\u{feff}né\t😀x\0漢";
        let index = LineIndex::new(text);
        for (chars, (offset, _)) in text.char_indices().enumerate() {
            assert_eq!(index.char_offset(offset), chars);
            assert_eq!(
                index.utf16_offset(offset),
                text[..offset].encode_utf16().count()
            );
        }
    }

    #[test]
    fn characters_are_counted_across_blocks() {
        let text = "aé漢😀".repeat(300);
        assert_eq!(count_chars(text.as_bytes()), text.chars().count());
    }
}
