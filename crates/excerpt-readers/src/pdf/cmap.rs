//! Maps from the codes of a font to text or to glyphs: ISO 32000-1, 9.7.5 and 9.10.3.

use super::object::{Lexer, Object, PdfToken};

/// How many entries a map may have: twice as many as a font can have glyphs.
const MOST: usize = 1 << 17;

/// A map as a stream of the file has it.
#[derive(Debug, Default)]
pub(super) struct CMap {
    /// The text of ranges of codes, in the order of their first codes.
    texts: Vec<(u32, u32, Text)>,
    /// The glyphs of ranges of codes, in the order of their first codes.
    glyphs: Vec<(u32, u32, u32)>,
    /// Which codes there are: how many bytes, the first and the last one.
    spaces: Vec<(usize, u32, u32)>,
}

/// What the first code of a range means; the codes after it count on.
#[derive(Debug)]
enum Text {
    Char(u32),
    String(Box<str>),
}

impl CMap {
    pub(super) fn parse(source: &[u8]) -> CMap {
        let mut map = CMap::default();
        let mut lexer = Lexer::new(source, 0);
        while let Some(token) = lexer.token() {
            match token {
                PdfToken::Word(b"begincodespacerange") => map.parse_spaces(&mut lexer),
                PdfToken::Word(b"beginbfchar") => map.parse_texts(&mut lexer, CMapLines::Chars),
                PdfToken::Word(b"beginbfrange") => map.parse_texts(&mut lexer, CMapLines::Ranges),
                PdfToken::Word(b"begincidchar") => map.parse_glyphs(&mut lexer, CMapLines::Chars),
                PdfToken::Word(b"begincidrange") => map.parse_glyphs(&mut lexer, CMapLines::Ranges),
                _ => (),
            }
            if map.texts.len() + map.glyphs.len() > MOST {
                break;
            }
        }
        map.texts.sort_by_key(|(first, ..)| *first);
        map.glyphs.sort_by_key(|(first, ..)| *first);
        map
    }

    fn parse_spaces(&mut self, lexer: &mut Lexer<'_>) {
        while let Some(PdfToken::String(first)) = lexer.token() {
            let Some(PdfToken::String(last)) = lexer.token() else {
                return;
            };
            if (1..=4).contains(&first.len()) && self.spaces.len() < 1000 {
                self.spaces.push((first.len(), code(&first), code(&last)));
            }
        }
    }

    fn parse_texts(&mut self, lexer: &mut Lexer<'_>, lines: CMapLines) {
        while self.texts.len() <= MOST {
            let Some((first, last)) = lines.next(lexer) else {
                return;
            };
            let Some(object) = lexer.object() else {
                return;
            };
            match object {
                Object::String(string) => self.add(first, last, &string),
                Object::Array(strings) => {
                    for (code, string) in (first..=last).zip(strings.iter()) {
                        if let Some(string) = string.string() {
                            self.add(code, code, string);
                        }
                    }
                }
                _ => (),
            }
        }
    }

    fn add(&mut self, first: u32, last: u32, string: &[u8]) {
        let text = utf16(string);
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (None | Some('\0' | '\u{fffd}'), None) => (),
            (Some(c), None) => self.texts.push((first, last, Text::Char(c.into()))),
            _ => self.texts.push((first, last, Text::String(text.into()))),
        }
    }

    fn parse_glyphs(&mut self, lexer: &mut Lexer<'_>, lines: CMapLines) {
        while self.glyphs.len() <= MOST {
            let Some((first, last)) = lines.next(lexer) else {
                return;
            };
            let Some(PdfToken::Number(glyph)) = lexer.token() else {
                return;
            };
            self.glyphs.push((first, last, glyph as u32));
        }
    }

    /// How much memory it takes, about.
    pub(super) fn size(&self) -> usize {
        32 * self.texts.len() + 12 * self.glyphs.len()
    }

    /// Whether it maps codes to text.
    pub(super) fn has_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Adds the text of a code; whether there is one.
    pub(super) fn push_text(&self, code: u32, to: &mut String) -> bool {
        let after = self.texts.partition_point(|(first, ..)| *first <= code);
        let found = after.checked_sub(1).and_then(|at| self.texts.get(at));
        let Some((first, _, text)) = found.filter(|(_, last, _)| code <= *last) else {
            return false;
        };
        let offset = code - first;
        let counted = |c: u32| c.checked_add(offset).and_then(char::from_u32);
        match text {
            Text::Char(c) => match counted(*c) {
                Some(c) => to.push(c),
                None => return false,
            },
            Text::String(text) => {
                let mut chars = text.chars();
                let last = chars.next_back().and_then(|c| counted(c.into()));
                to.push_str(chars.as_str());
                to.extend(last);
            }
        }
        true
    }

    pub(super) fn glyph(&self, code: u32) -> u32 {
        let after = self.glyphs.partition_point(|(first, ..)| *first <= code);
        let found = after.checked_sub(1).and_then(|at| self.glyphs.get(at));
        match found {
            Some((first, last, glyph)) if code <= *last => glyph.wrapping_add(code - first),
            _ => 0,
        }
    }

    /// How many bytes the next code has.
    pub(super) fn length(&self, bytes: &[u8]) -> usize {
        let fits = |(length, first, last): &&(usize, u32, u32)| {
            bytes.get(..*length).is_some_and(|bytes| {
                // Each byte is in its range.
                let range = first.to_be_bytes().into_iter().zip(last.to_be_bytes());
                let range = range.skip(4 - length);
                let mut pairs = bytes.iter().zip(range);
                pairs.all(|(byte, (first, last))| (first..=last).contains(byte))
            })
        };
        match self.spaces.iter().find(fits) {
            Some((length, ..)) => *length,
            None => self
                .spaces
                .iter()
                .map(|(length, ..)| *length)
                .min()
                .unwrap_or(2),
        }
    }
}

/// Whether each entry has one code, or a first and a last one.
#[derive(Clone, Copy)]
enum CMapLines {
    Chars,
    Ranges,
}

impl CMapLines {
    /// The codes of the next entry.
    fn next(self, lexer: &mut Lexer<'_>) -> Option<(u32, u32)> {
        let mut next = || match lexer.token() {
            Some(PdfToken::String(string)) => Some(code(&string)),
            _ => None,
        };
        let first = next()?;
        match self {
            CMapLines::Chars => Some((first, first)),
            CMapLines::Ranges => Some((first, next()?)),
        }
    }
}

pub(super) fn code(bytes: &[u8]) -> u32 {
    let bytes = bytes.iter().take(4);
    bytes.fold(0, |code, byte| (code << 8) | u32::from(*byte))
}

/// Text in UTF-16, the high byte first.
pub(super) fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks(2).map(|unit| match unit {
        [high, low] => u16::from_be_bytes([*high, *low]),
        [one] => u16::from(*one),
        _ => 0,
    });
    let chars = char::decode_utf16(units);
    chars
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(map: &CMap, code: u32) -> Option<String> {
        let mut text = String::new();
        map.push_text(code, &mut text).then_some(text)
    }

    #[test]
    fn codes_are_mapped_to_text() {
        let map = CMap::parse(
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange \
            2 beginbfchar <0003> <0020> <0004> <00660069> endbfchar \
            2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<0061> <D83DDE00>] endbfrange \
            beginbfrange <00000100> <FFFFFFFF> <0100> endbfrange",
        );
        assert_eq!(text(&map, 3).as_deref(), Some(" "));
        assert_eq!(text(&map, 4).as_deref(), Some("fi"));
        assert_eq!(text(&map, 0x12).as_deref(), Some("C"));
        assert_eq!(text(&map, 0x13), None);
        assert_eq!(text(&map, 0x21).as_deref(), Some("😀"));
        assert_eq!(text(&map, 0xffff_ffff), None);
        assert_eq!(map.length(&[0, 1]), 2);
    }

    #[test]
    fn codes_of_different_lengths_are_told_apart() {
        let map = CMap::parse(
            b"begincodespacerange <00> <80> <8140> <9FFC> endcodespacerange \
            begincidrange <20> <7e> 1 <8140> <8150> 600 endcidrange",
        );
        assert_eq!(map.length(b"a"), 1);
        assert_eq!(map.length(&[0x81, 0x40]), 2);
        assert_eq!(map.glyph(0x21), 2);
        assert_eq!(map.glyph(0x8142), 602);
        assert_eq!(map.glyph(0x9000), 0);
    }
}
