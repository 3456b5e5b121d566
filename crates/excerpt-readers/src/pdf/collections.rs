//! The glyphs of Adobe's collections of characters for Chinese, Japanese and Korean.
//!
//! Their tables are large. But each collection numbers the characters of a national standard in the
//! order of that standard, and these are the encodings of the web, which are known anyway. Glyphs
//! that were added later, variants above all, have no text here.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK};

/// The first glyph, and the codes of the first and the last one, of two bytes each. Codes go on
/// from row to row; each that can be in the standard has a glyph.
type Range = (u16, u16, u16);

/// Adobe-GB1: GB 2312.
const GB1: &[Range] = &[
    (96, 0xa1a1, 0xa1fe),
    (190, 0xa2b1, 0xa2e2),
    (240, 0xa2e5, 0xa2ee),
    (250, 0xa2f1, 0xa2fc),
    (262, 0xa3a1, 0xa4f3),
    (439, 0xa5a1, 0xa5f6),
    (525, 0xa6a1, 0xa6b8),
    (549, 0xa6c1, 0xa6d8),
    (602, 0xa7a1, 0xa7c1),
    (635, 0xa7d1, 0xa7f1),
    (668, 0xa8a1, 0xa8ba),
    (700, 0xa8c5, 0xa8e9),
    (738, 0xa9a4, 0xa9ef),
    (940, 0xb0a1, 0xd7f9),
    (4695, 0xd8a1, 0xf7fe),
];

/// Adobe-CNS1: Big Five, with some ideographs moved to where they belong by their strokes.
const CNS1: &[Range] = &[
    (99, 0xa140, 0xa158),
    (128, 0xa15d, 0xa3bb),
    (595, 0xa440, 0xacfd),
    (2431, 0xacfe, 0xacfe),
    (2007, 0xad40, 0xafcf),
    (2432, 0xafd0, 0xbbc7),
    (4309, 0xbbc8, 0xbe51),
    (4308, 0xbe52, 0xbe52),
    (4696, 0xbe53, 0xc1aa),
    (5222, 0xc1ab, 0xc2ca),
    (5221, 0xc2cb, 0xc2cb),
    (5411, 0xc2cc, 0xc360),
    (5496, 0xc361, 0xc3b8),
    (5551, 0xc3b9, 0xc3b9),
    (5550, 0xc3ba, 0xc3ba),
    (5552, 0xc3bb, 0xc455),
    (5495, 0xc456, 0xc456),
    (5642, 0xc457, 0xc67e),
    (5996, 0xc940, 0xc949),
    (6006, 0xc94b, 0xc96b),
    (6040, 0xc96c, 0xc9bd),
    (6039, 0xc9be, 0xc9be),
    (6088, 0xc9bf, 0xc9ec),
    (6135, 0xc9ed, 0xcaf6),
    (6134, 0xcaf7, 0xcaf7),
    (6302, 0xcaf8, 0xd6cb),
    (8788, 0xd6cc, 0xd6cc),
    (8143, 0xd6cd, 0xd779),
    (8889, 0xd77a, 0xd77a),
    (8251, 0xd77b, 0xdade),
    (8142, 0xdadf, 0xdadf),
    (8789, 0xdae0, 0xdba6),
    (8890, 0xdba7, 0xddfb),
    (9289, 0xddfd, 0xe8a2),
    (10927, 0xe8a3, 0xe975),
    (11074, 0xe976, 0xeb5a),
    (11362, 0xeb5b, 0xebf0),
    (10926, 0xebf1, 0xebf1),
    (11478, 0xebf2, 0xecdd),
    (11073, 0xecde, 0xecde),
    (11615, 0xecdf, 0xeda9),
    (11720, 0xedaa, 0xeeea),
    (12308, 0xeeeb, 0xeeeb),
    (11942, 0xeeec, 0xf055),
    (11719, 0xf056, 0xf056),
    (12140, 0xf057, 0xf0ca),
    (11361, 0xf0cb, 0xf0cb),
    (12222, 0xf0cc, 0xf162),
    (12309, 0xf163, 0xf16a),
    (12640, 0xf16b, 0xf16b),
    (12317, 0xf16c, 0xf267),
    (12783, 0xf268, 0xf268),
    (12470, 0xf269, 0xf2c2),
    (12527, 0xf2c3, 0xf374),
    (12641, 0xf375, 0xf465),
    (12784, 0xf466, 0xf4b4),
    (12526, 0xf4b5, 0xf4b5),
    (12829, 0xf4b6, 0xf4fc),
    (12901, 0xf4fd, 0xf662),
    (12900, 0xf663, 0xf663),
    (13095, 0xf664, 0xf976),
    (13586, 0xf977, 0xf9c3),
    (13585, 0xf9c4, 0xf9c4),
    (13629, 0xf9c5, 0xf9c5),
    (13641, 0xf9c6, 0xf9c6),
    (13630, 0xf9c7, 0xf9d1),
    (13642, 0xf9d2, 0xf9d5),
];

/// Adobe-Japan1: JIS X 0208, without the frames of its row 8.
const JAPAN1: &[Range] = &[(633, 0xa1a1, 0xa7fe), (1125, 0xb0a1, 0xf4a4)];

/// Adobe-Korea1: KS X 1001.
const KOREA1: &[Range] = &[
    (101, 0xa1a1, 0xacfe),
    (1086, 0xb0a1, 0xc8fe),
    (3436, 0xcaa1, 0xfdfe),
];

/// The character of each glyph of a collection, in the order of the glyphs.
pub(super) fn texts_of_glyphs(ordering: &[u8]) -> Vec<(u16, char)> {
    let (parts, encoding): (_, &'static Encoding) = match ordering {
        b"GB1" => (GB1, GBK),
        b"CNS1" => (CNS1, BIG5),
        b"Japan1" => (JAPAN1, EUC_JP),
        b"Korea1" => (KOREA1, EUC_KR),
        _ => return Vec::new(),
    };
    let mut texts: Vec<(u16, char)> = Vec::new();
    let halves: &[(u16, u16, u32)] = match ordering {
        b"Japan1" => &[(1, 95, 0x20), (231, 325, 0x20), (327, 389, 0xff61)],
        b"GB1" => &[(1, 95, 0x20), (814, 907, 0x20)],
        b"CNS1" => &[(1, 95, 0x20), (13_648, 13_742, 0x20)],
        _ => &[(1, 95, 0x20), (8094, 8190, 0x20)],
    };
    for (first, last, code) in halves {
        let codes = (*first..=*last).zip(*code..);
        texts.extend(codes.filter_map(|(glyph, code)| Some((glyph, char::from_u32(code)?))));
    }
    let is_big = ordering == b"CNS1";
    for (first, from, to) in parts {
        let mut glyph = *first;
        for code in *from..=*to {
            let bytes = code.to_be_bytes();
            let is_cell = match bytes[1] {
                0x40..=0x7e => is_big,
                cell => (0xa1..=0xfe).contains(&cell),
            };
            if !is_cell {
                continue;
            }
            let (text, _) = encoding.decode_without_bom_handling(&bytes);
            let mut chars = text.chars();
            let c = match (chars.next(), chars.next()) {
                (Some(c), None) if c != char::REPLACEMENT_CHARACTER => Some(c),
                _ => None,
            };
            match c {
                Some(c) if ordering != b"Korea1" || !is_twice(c) => texts.push((glyph, c)),
                // What is not in the standard has no glyph in these two.
                _ if matches!(ordering, b"Japan1" | b"Korea1") => continue,
                _ => (),
            }
            glyph = glyph.saturating_add(1);
        }
    }
    texts.sort_by_key(|(glyph, _)| *glyph);
    texts.dedup_by_key(|(glyph, _)| *glyph);
    texts
}

/// What KS X 1001 has for another reading of the same ideograph, or for no letter at all, and what
/// was added to it later.
fn is_twice(c: char) -> bool {
    matches!(
        c,
        '\u{f900}'..='\u{fa0b}' | '\u{3164}' | '\u{20ac}' | '\u{ae}' | '\u{327e}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_are_numbered_as_in_the_collections() {
        let text = |ordering: &str, glyph: u16| {
            let texts = texts_of_glyphs(ordering.as_bytes());
            let at = texts.binary_search_by_key(&glyph, |(glyph, _)| *glyph);
            at.ok().map(|at| texts[at].1)
        };
        for (ordering, glyph, c) in [
            ("Japan1", 34, 'A'),
            ("Japan1", 843, 'あ'),
            ("Japan1", 1010, 'ヶ'),
            ("Japan1", 1125, '亜'),
            ("Japan1", 4089, '腕'),
            ("Japan1", 4090, '弌'),
            ("Japan1", 7477, '瑤'),
            ("GB1", 940, '啊'),
            ("GB1", 4694, '座'),
            ("GB1", 4695, '亍'),
            ("CNS1", 595, '一'),
            ("CNS1", 5995, '籲'),
            ("CNS1", 5996, '乂'),
            ("Korea1", 1086, '가'),
            ("Korea1", 3435, '힝'),
            ("Korea1", 3436, '伽'),
        ] {
            assert_eq!(text(ordering, glyph), Some(c), "{ordering} {glyph}");
        }
        assert_eq!(text("Identity", 34), None);
    }
}
