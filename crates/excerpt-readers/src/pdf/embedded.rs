//! What embedded fonts know about the text of their glyphs.

use super::glyphs::STRINGS;
use super::object::{Lexer, PdfToken};

/// The names of the codes in the clear text of a Type 1 font.
pub(super) fn names_of_type1(font: &[u8]) -> Vec<(u8, String)> {
    let mut names = Vec::new();
    let mark = b"/Encoding";
    let Some(start) = super::file::find(font, mark) else {
        return names;
    };
    let mut lexer = Lexer::new(font, start + mark.len());
    while let Some(token) = lexer.token() {
        match token {
            PdfToken::Word(b"dup") => {
                if let (Some(PdfToken::Number(code)), Some(PdfToken::Name(name))) =
                    (lexer.token(), lexer.token())
                    && (0.0..256.0).contains(&code)
                {
                    names.push((code as u8, String::from_utf8_lossy(&name).into_owned()));
                }
            }
            PdfToken::Word(b"def" | b"readonly" | b"StandardEncoding" | b"eexec") => break,
            _ => (),
        }
        if names.len() > 1024 {
            break;
        }
    }
    names
}

/// Reads numbers, the high byte first.
#[derive(Clone, Copy)]
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn u8(self, at: usize) -> Option<usize> {
        self.0.get(at).map(|byte| usize::from(*byte))
    }

    fn u16(self, at: usize) -> Option<usize> {
        self.number(at, 2)
    }

    fn number(self, at: usize, length: usize) -> Option<usize> {
        let bytes = self.0.get(at..at.checked_add(length)?)?;
        Some(
            bytes
                .iter()
                .fold(0, |number, byte| (number << 8) | usize::from(*byte)),
        )
    }

    fn from(self, at: usize) -> Option<Bytes<'b>> {
        self.0.get(at..).map(Bytes)
    }
}

/// The names of the codes of a font in the Compact Font Format: Adobe's note 5176.
pub(super) fn names_of_cff(font: &[u8]) -> Option<Vec<(u8, String)>> {
    let font = Bytes(font);
    let names = CffIndex::read(font, font.u8(2)?)?;
    let tops = CffIndex::read(font, names.end)?;
    let strings = CffIndex::read(font, tops.end)?;
    let top = Top::read(tops.get(0)?);
    if top.is_composite {
        return None;
    }
    let name_of = |id: usize| match id.checked_sub(391) {
        Some(at) => strings
            .get(at)
            .map(|name| String::from_utf8_lossy(name).into_owned()),
        None => STRINGS.split(' ').nth(id).map(str::to_string),
    };
    let count = CffIndex::read(font, top.glyphs)?.count;
    let ids = charset(font, top.charset, count)?;
    let mut named = Vec::new();
    match top.encoding {
        // The standard encoding, which needs no names, and the expert one.
        0 | 1 => (),
        at => {
            let format = font.u8(at)?;
            let length = font.u8(at + 1)?;
            let mut glyph = 1_usize;
            for entry in 0..length {
                let (first, left) = match format & 127 {
                    0 => (font.u8(at + 2 + entry)?, 0),
                    _ => (font.u8(at + 2 + 2 * entry)?, font.u8(at + 3 + 2 * entry)?),
                };
                for code in first..=first + left {
                    let id = ids.get(glyph.wrapping_sub(1)).copied();
                    if let (Ok(code), Some(name)) = (u8::try_from(code), id.and_then(name_of)) {
                        named.push((code, name));
                    }
                    glyph += 1;
                }
            }
        }
    }
    Some(named)
}

/// The identifiers of the names of all glyphs but the first one.
fn charset(font: Bytes<'_>, at: usize, count: usize) -> Option<Vec<usize>> {
    if at <= 2 {
        return Some((1..count).collect());
    }
    let format = font.u8(at)?;
    let mut ids = Vec::new();
    let mut at = at + 1;
    while ids.len() + 1 < count {
        let first = font.u16(at)?;
        let (left, length) = match format {
            0 => (0, 2),
            1 => (font.u8(at + 2)?, 3),
            _ => (font.u16(at + 2)?, 4),
        };
        ids.extend(first..=first + left);
        at += length;
    }
    Some(ids)
}

/// A list of strings.
struct CffIndex<'b> {
    bytes: Bytes<'b>,
    start: usize,
    count: usize,
    width: usize,
    end: usize,
}

impl<'b> CffIndex<'b> {
    fn read(bytes: Bytes<'b>, start: usize) -> Option<CffIndex<'b>> {
        let count = bytes.u16(start)?;
        let mut index = CffIndex {
            bytes,
            start,
            count,
            width: 1,
            end: start + 2,
        };
        if count > 0 {
            index.width = bytes.u8(start + 2)?;
            if !(1..=4).contains(&index.width) {
                return None;
            }
            index.end = index.data().checked_add(index.offset(count)?)?;
        }
        Some(index)
    }

    /// One before the first string: offsets count from 1.
    fn data(&self) -> usize {
        self.start + 2 + (self.count + 1) * self.width
    }

    fn offset(&self, at: usize) -> Option<usize> {
        self.bytes
            .number(self.start + 3 + at * self.width, self.width)
    }

    fn get(&self, at: usize) -> Option<&'b [u8]> {
        if at >= self.count {
            return None;
        }
        let (from, to) = (self.offset(at)?, self.offset(at + 1)?);
        let data = self.data();
        self.bytes
            .0
            .get(data.checked_add(from)?..data.checked_add(to)?)
    }
}

/// What is needed of the top dictionary.
#[derive(Default)]
struct Top {
    charset: usize,
    encoding: usize,
    glyphs: usize,
    is_composite: bool,
}

impl Top {
    fn read(bytes: &[u8]) -> Top {
        let mut top = Top::default();
        let mut last = 0_i64;
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            at += 1;
            let next = |offset: usize| bytes.get(at + offset).map_or(0, |byte| i64::from(*byte));
            let first = i64::from(byte);
            match byte {
                12 => {
                    top.is_composite |= next(0) == 30;
                    at += 1;
                }
                15 => top.charset = last.max(0) as usize,
                16 => top.encoding = last.max(0) as usize,
                17 => top.glyphs = last.max(0) as usize,
                28 => {
                    last = i64::from(((next(0) << 8) | next(1)) as i16);
                    at += 2;
                }
                29 => {
                    let number = (next(0) << 24) | (next(1) << 16) | (next(2) << 8) | next(3);
                    last = i64::from(number as i32);
                    at += 4;
                }
                30 => {
                    while let Some(byte) = bytes.get(at).copied() {
                        at += 1;
                        if byte & 15 == 15 || byte >> 4 == 15 {
                            break;
                        }
                    }
                }
                32..=246 => last = first - 139,
                247..=250 => {
                    last = (first - 247) * 256 + next(0) + 108;
                    at += 1;
                }
                251..=254 => {
                    last = -(first - 251) * 256 - next(0) - 108;
                    at += 1;
                }
                _ => (),
            }
        }
        top
    }
}

/// The character of each glyph of a TrueType font, in the order of the glyphs.
pub(super) fn texts_of_glyphs(font: &[u8]) -> Vec<(u16, char)> {
    let mut texts = unicode_table(Bytes(font)).unwrap_or_default();
    texts.sort_unstable();
    texts.dedup_by_key(|(glyph, _)| *glyph);
    texts
}

fn unicode_table(font: Bytes<'_>) -> Option<Vec<(u16, char)>> {
    let count = font.u16(4)?;
    let entries = (0..count).map(|entry| 12 + 16 * entry);
    let mut found = entries.filter(|at| font.0.get(*at..at + 4) == Some(b"cmap"));
    let table = font.from(font.number(found.next()? + 8, 4)?)?;
    let mut best = None;
    for entry in 0..table.u16(2)? {
        let at = 4 + 8 * entry;
        let rank = match (table.u16(at)?, table.u16(at + 2)?) {
            (3, 10) => 3,
            (3, 1) => 2,
            (0, _) => 1,
            _ => continue,
        };
        if best.is_none_or(|(other, _)| other < rank) {
            best = Some((rank, table.number(at + 4, 4)?));
        }
    }
    let table = table.from(best?.1)?;
    let mut texts = Vec::new();
    let mut all = 0;
    let mut push = |glyph: usize, code: usize| {
        let c = u32::try_from(code).ok().and_then(char::from_u32);
        if let (Ok(glyph @ 1..), Some(c)) = (u16::try_from(glyph), c) {
            texts.push((glyph, c));
        }
    };
    match table.u16(0)? {
        4 => {
            let length = table.u16(6)? / 2;
            let ends = 14;
            let starts = ends + 2 * length + 2;
            let (deltas, offsets) = (starts + 2 * length, starts + 4 * length);
            for segment in 0..length {
                let at = 2 * segment;
                let (start, end) = (table.u16(starts + at)?, table.u16(ends + at)?);
                let (delta, offset) = (table.u16(deltas + at)?, table.u16(offsets + at)?);
                for code in start..=end.min(0xfffe) {
                    all += 1;
                    if all > 1 << 17 {
                        return Some(texts);
                    }
                    let glyph = match offset {
                        0 => (code + delta) & 0xffff,
                        _ => {
                            let glyph = table.u16(offsets + at + offset + 2 * (code - start));
                            match glyph.unwrap_or(0) {
                                0 => 0,
                                glyph => (glyph + delta) & 0xffff,
                            }
                        }
                    };
                    push(glyph, code);
                }
            }
        }
        12 => {
            for group in 0..table.number(12, 4)?.min(1 << 16) {
                let at = 16 + 12 * group;
                let (start, end) = (table.number(at, 4)?, table.number(at + 4, 4)?);
                let glyph = table.number(at + 8, 4)?;
                for code in start..=end.min(start.saturating_add(0xffff)) {
                    all += 1;
                    if all > 1 << 17 || glyph + (code - start) > 0xffff {
                        break;
                    }
                    push(glyph + (code - start), code);
                }
            }
        }
        _ => (),
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_of_a_type1_font_is_read() {
        let font = b"%!PS\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n\
            dup 65 /alpha put\ndup 12 /fi put\nreadonly def\ndup 1 /no put";
        let names = names_of_type1(font);
        assert_eq!(names, [(65, "alpha".to_string()), (12, "fi".to_string())]);
        assert!(names_of_type1(b"/Encoding StandardEncoding def").is_empty());
    }

    #[test]
    fn a_font_that_is_cut_off_has_no_names() {
        assert_eq!(names_of_cff(&[1, 0, 4, 1]), None);
        assert!(texts_of_glyphs(&[0, 1, 0, 0, 0, 9]).is_empty());
    }
}
