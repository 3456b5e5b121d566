//! The fonts of a PDF: from the codes of a string to text and widths. ISO 32000-1, 9.5 to 9.10.

use std::rc::Rc;

use super::cmap::{CMap, code, utf16};
use super::collections;
use super::embedded;
use super::file::File;
use super::glyphs;
use super::object::{Dict, Object};
use crate::reader::ReadError;

/// How much of an embedded font is unpacked to find the texts of its glyphs.
const MOST_OF_FONT: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct Font {
    kind: FontKind,
    to_unicode: Option<Rc<CMap>>,
    pub(super) is_bold: bool,
    pub(super) is_monospaced: bool,
    pub(super) is_vertical: bool,
    /// From the units of its widths to those of text.
    scale: f64,
    /// How large a letter of the size 1 looks.
    pub(super) em: f64,
}

#[derive(Debug)]
enum FontKind {
    /// Codes of one byte.
    Simple {
        texts: Vec<Option<Box<str>>>,
        widths: Vec<f64>,
    },
    /// Codes of several bytes.
    Composite {
        codes: Codes,
        /// The text of each glyph, of an embedded font or a collection.
        texts: Vec<(u16, char)>,
        widths: Vec<(u32, u32, f64)>,
        default_width: f64,
    },
}

/// What codes of several bytes mean.
#[derive(Debug)]
enum Codes {
    /// The number of a glyph.
    Glyphs,
    /// Text in UTF-16.
    Utf16,
    /// Text in an encoding for Chinese, Japanese or Korean.
    Encoded(&'static encoding_rs::Encoding),
    Map(CMap),
}

/// A glyph that is shown.
#[derive(Debug)]
pub(super) struct Glyph {
    /// How far it moves, for a size of 1.
    pub(super) width: f64,
    /// Whether its code is the one byte that spaces words.
    pub(super) is_space: bool,
}

impl Font {
    pub(super) fn read(file: &File<'_>, dict: &Dict) -> Result<Font, ReadError> {
        let kind = file.value(dict, "Subtype")?;
        let to_unicode = match file.value(dict, "ToUnicode")? {
            Object::Stream(stream) => {
                let map = CMap::parse(&file.unpacked(&stream)?.unwrap_or_default());
                file.take(map.size())?;
                Some(Rc::new(map)).filter(|map| map.has_texts())
            }
            _ => None,
        };
        match kind.name() {
            Some(b"Type0") => Font::composite(file, dict, to_unicode),
            kind => Font::simple(file, dict, kind.unwrap_or_default(), to_unicode),
        }
    }

    fn simple(
        file: &File<'_>,
        dict: &Dict,
        kind: &[u8],
        to_unicode: Option<Rc<CMap>>,
    ) -> Result<Font, ReadError> {
        let descriptor = file.value(dict, "FontDescriptor")?;
        let none = Dict::default();
        let descriptor = descriptor.dict().unwrap_or(&none);
        let name = font_name(file, dict)?;
        let is_type3 = kind == b"Type3";
        let widths = simple_widths(file, dict, descriptor, &name)?;
        let texts = simple_texts(file, dict, descriptor, &name, kind)?;
        let (mut scale, mut em) = (0.001, 1.0);
        if is_type3 {
            let numbers = |key: &str| -> Result<Vec<f64>, ReadError> {
                let array = file.value(dict, key)?;
                let array = array.array().unwrap_or_default().iter().take(6);
                let numbers = array.map(|number| Ok(file.get(number)?.number().unwrap_or(0.0)));
                numbers.collect()
            };
            let (matrix, bounds) = (numbers("FontMatrix")?, numbers("FontBBox")?);
            scale = matrix.first().map_or(0.001, |scale| scale.abs());
            let height = match (bounds.get(1), bounds.get(3), matrix.get(3)) {
                (Some(bottom), Some(top), Some(scale)) => ((top - bottom) * scale).abs(),
                _ => 0.0,
            };
            let shown = widths.iter().filter(|width| **width > 0.0);
            let average = shown.clone().sum::<f64>() / shown.count().max(1) as f64;
            em = match height * 0.9 {
                em if em > 0.0 && em.is_finite() => em,
                _ => average * scale * 2.0,
            };
        }
        let shown: Vec<f64> = widths
            .iter()
            .copied()
            .filter(|width| *width > 0.0)
            .collect();
        let is_even = shown.len() > 8 && shown.iter().all(|width| (width - shown[0]).abs() < 1.0);
        let (is_bold, is_monospaced) = style(descriptor, &name);
        Ok(Font {
            kind: FontKind::Simple { texts, widths },
            to_unicode,
            is_bold,
            is_monospaced: is_monospaced || is_even,
            is_vertical: false,
            scale,
            em,
        })
    }

    fn composite(
        file: &File<'_>,
        dict: &Dict,
        to_unicode: Option<Rc<CMap>>,
    ) -> Result<Font, ReadError> {
        let descendants = file.value(dict, "DescendantFonts")?;
        let descendant = match descendants.array() {
            Some([first, ..]) => file.get(first)?,
            _ => descendants.clone(),
        };
        let none = Dict::default();
        let descendant = descendant.dict().unwrap_or(&none);
        let descriptor = file.value(descendant, "FontDescriptor")?;
        let descriptor = descriptor.dict().unwrap_or(&none);
        let encoding = file.value(dict, "Encoding")?;
        let mut is_vertical = encoding.name().is_some_and(|name| name.ends_with(b"-V"));
        let codes = match &encoding {
            Object::Name(name) => predefined(name),
            Object::Stream(stream) => {
                is_vertical = file.value(&stream.dict, "WMode")?.integer() == Some(1);
                let map = CMap::parse(&file.unpacked(stream)?.unwrap_or_default());
                file.take(map.size())?;
                Codes::Map(map)
            }
            _ => Codes::Glyphs,
        };
        let info = file.value(descendant, "CIDSystemInfo")?;
        let ordering = match info.dict() {
            Some(info) => file.value(info, "Ordering")?,
            None => Object::Null,
        };
        let ordering = ordering.string().unwrap_or_default();
        let mut texts = Vec::new();
        if to_unicode.is_none()
            && let Object::Stream(stream) = file.value(descriptor, "FontFile2")?
            && let Some(font) = file.unpacked_up_to(&stream, MOST_OF_FONT)?
        {
            texts = embedded::texts_of_glyphs(&font);
        }
        if to_unicode.is_none() && texts.is_empty() {
            texts = collections::texts_of_glyphs(ordering);
        }
        file.take(texts.len() * size_of::<(u16, char)>())?;
        let name = font_name(file, dict)?;
        let (is_bold, is_monospaced) = style(descriptor, &name);
        let default_width = file.value(descendant, "DW")?.number().unwrap_or(1000.0);
        Ok(Font {
            kind: FontKind::Composite {
                codes,
                texts,
                widths: composite_widths(file, descendant)?,
                default_width,
            },
            to_unicode,
            is_bold,
            is_monospaced,
            is_vertical,
            scale: 0.001,
            em: 1.0,
        })
    }

    /// Whether a string has at least this many glyphs.
    pub(super) fn has_glyphs(&self, mut bytes: &[u8], count: usize) -> bool {
        let mut text = String::new();
        (0..count).all(|_| {
            let is_there = !bytes.is_empty();
            let (_, length) = self.next(bytes, &mut text);
            bytes = bytes.get(length..).unwrap_or_default();
            is_there
        })
    }

    /// The first glyph of a string, whose text is added, and how many bytes it takes.
    pub(super) fn next(&self, bytes: &[u8], text: &mut String) -> (Glyph, usize) {
        match &self.kind {
            FontKind::Simple { texts, widths } => {
                let byte = bytes.first().copied().unwrap_or_default();
                let index = usize::from(byte);
                let map = self.to_unicode.as_ref();
                if !map.is_some_and(|map| map.push_text(byte.into(), text)) {
                    text.push_str(
                        texts
                            .get(index)
                            .and_then(Option::as_deref)
                            .unwrap_or_default(),
                    );
                }
                let width = widths.get(index).copied().unwrap_or_default();
                let glyph = Glyph {
                    width: width * self.scale,
                    is_space: byte == b' ',
                };
                (glyph, 1)
            }
            FontKind::Composite {
                codes,
                texts,
                widths,
                default_width,
            } => {
                let length = codes.length(bytes).clamp(1, bytes.len().max(1));
                let bytes = bytes.get(..length).unwrap_or_default();
                let code = code(bytes);
                let glyph = match codes {
                    Codes::Map(map) => map.glyph(code),
                    _ => code,
                };
                let map = self.to_unicode.as_ref();
                if !map.is_some_and(|map| map.push_text(code, text)) {
                    match codes {
                        Codes::Utf16 => text.push_str(&utf16(bytes)),
                        Codes::Encoded(encoding) => {
                            let (decoded, _) = encoding.decode_without_bom_handling(bytes);
                            text.push_str(&decoded);
                        }
                        Codes::Glyphs | Codes::Map(_) => {
                            let found =
                                texts.binary_search_by_key(&glyph, |(glyph, _)| (*glyph).into());
                            let found = found.ok().and_then(|at| texts.get(at));
                            text.extend(found.map(|(_, c)| *c));
                        }
                    }
                }
                let after = widths.partition_point(|(first, ..)| *first <= glyph);
                let range = after.checked_sub(1).and_then(|at| widths.get(at));
                let width = match (codes, range) {
                    (Codes::Utf16 | Codes::Encoded(_), _) if code < 0x80 => 500.0,
                    (Codes::Utf16 | Codes::Encoded(_), _) => *default_width,
                    (_, Some((_, last, width))) if glyph <= *last => *width,
                    _ => *default_width,
                };
                let width = if self.is_vertical { -1000.0 } else { width };
                let glyph = Glyph {
                    width: width * self.scale,
                    is_space: bytes == b" ",
                };
                (glyph, length)
            }
        }
    }
}

impl Codes {
    fn length(&self, bytes: &[u8]) -> usize {
        match self {
            Codes::Glyphs => 2,
            Codes::Utf16 => match bytes.first() {
                Some(0xd8..=0xdb) => 4,
                _ => 2,
            },
            Codes::Encoded(encoding) => match bytes.first() {
                Some(0..=0x80) => 1,
                Some(0xa0..=0xdf) if *encoding == encoding_rs::SHIFT_JIS => 1,
                Some(0x8e) if *encoding == encoding_rs::EUC_JP => 2,
                _ => 2,
            },
            Codes::Map(map) => map.length(bytes),
        }
    }
}

fn predefined(name: &[u8]) -> Codes {
    let name = String::from_utf8_lossy(name);
    let has = |part: &str| name.contains(part);
    if has("UCS2") || has("UTF16") {
        Codes::Utf16
    } else if has("RKSJ") {
        Codes::Encoded(encoding_rs::SHIFT_JIS)
    } else if has("GB") {
        Codes::Encoded(encoding_rs::GBK)
    } else if has("B5") || has("HKscs") {
        Codes::Encoded(encoding_rs::BIG5)
    } else if has("KSC") {
        Codes::Encoded(encoding_rs::EUC_KR)
    } else if name == "EUC-H" || name == "EUC-V" {
        Codes::Encoded(encoding_rs::EUC_JP)
    } else {
        Codes::Glyphs
    }
}

/// The name of the font without the mark of a subset: `ABCDEF+Times`.
fn font_name(file: &File<'_>, dict: &Dict) -> Result<String, ReadError> {
    let name = file.value(dict, "BaseFont")?;
    let name = String::from_utf8_lossy(name.name().unwrap_or_default()).into_owned();
    Ok(match name.split_once('+') {
        Some((_, name)) => name.to_string(),
        None => name,
    })
}

/// Whether it is bold, and whether all its letters are of one width.
fn style(descriptor: &Dict, name: &str) -> (bool, bool) {
    let flags = descriptor.get("Flags").integer().unwrap_or(0);
    let name = name.to_ascii_lowercase();
    let weight = descriptor.get("FontWeight").number().unwrap_or(0.0);
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let bold = [
        "bold",
        "black",
        "heavy",
        "demi",
        "cmbx",
        "cmssbx",
        "sfbx",
        "ecbx",
        "-bd",
        "nimbusromno9l-medi",
        "nimbussanl-bold",
    ];
    let monospaced = [
        "courier",
        "mono",
        "consol",
        "menlo",
        "cmtt",
        "cmsltt",
        "sftt",
        "ectt",
        "typewriter",
        "inconsolata",
        "nimbusmon",
        "lmtt",
        "txtt",
        "fixed",
        "luxi",
        "letter gothic",
    ];
    (
        weight >= 600.0 || flags & (1 << 18) != 0 || has(&bold),
        flags & 1 != 0 || has(&monospaced),
    )
}

fn simple_widths(
    file: &File<'_>,
    dict: &Dict,
    descriptor: &Dict,
    name: &str,
) -> Result<Vec<f64>, ReadError> {
    let mut widths = vec![0.0; 256];
    let given = file.value(dict, "Widths")?;
    if let Some(given) = given.array() {
        let missing = descriptor.get("MissingWidth").number().unwrap_or(0.0);
        widths.fill(missing);
        let first = file.value(dict, "FirstChar")?.index().unwrap_or(0);
        for (width, given) in widths.iter_mut().skip(first).zip(given) {
            *width = file.get(given)?.number().unwrap_or(missing);
        }
        return Ok(widths);
    }
    // One of the fonts that are always there.
    let is_bold = name.contains("Bold");
    let table = match name {
        name if name.contains("Courier") => None,
        name if name.contains("Times") || name.contains("Serif") || name.contains("Roman") => {
            Some(&glyphs::SERIF)
        }
        _ => Some(&glyphs::SANS),
    };
    for (at, width) in widths.iter_mut().enumerate() {
        *width = match table {
            None => 600.0,
            Some(table) => {
                let ascii = at.checked_sub(0x20).and_then(|at| table.get(at));
                let regular = ascii.map_or(500.0, |width| f64::from(*width));
                if is_bold && at != 0x20 {
                    regular * 1.06
                } else {
                    regular
                }
            }
        };
    }
    Ok(widths)
}

fn composite_widths(file: &File<'_>, descendant: &Dict) -> Result<Vec<(u32, u32, f64)>, ReadError> {
    let mut widths = Vec::new();
    let array = file.value(descendant, "W")?;
    let mut values = array.array().unwrap_or_default().iter();
    file.spend(values.len())?;
    while let Some(first) = values.next() {
        let first = file.get(first)?.index().unwrap_or(0) as u32;
        let Some(second) = values.next() else { break };
        match file.get(second)? {
            Object::Array(list) => {
                file.spend(list.len())?;
                for (glyph, width) in (first..=0xffff).zip(list.iter()) {
                    let width = file.get(width)?.number().unwrap_or(0.0);
                    widths.push((glyph, glyph, width));
                }
            }
            last => {
                let last = last.index().unwrap_or(0) as u32;
                let Some(width) = values.next() else { break };
                let width = file.get(width)?.number().unwrap_or(0.0);
                widths.push((first, last, width));
            }
        }
    }
    widths.sort_by_key(|(first, ..)| *first);
    file.take(widths.len() * size_of::<(u32, u32, f64)>())?;
    Ok(widths)
}

/// The text of each code.
fn simple_texts(
    file: &File<'_>,
    dict: &Dict,
    descriptor: &Dict,
    name: &str,
    kind: &[u8],
) -> Result<Vec<Option<Box<str>>>, ReadError> {
    let encoding = file.value(dict, "Encoding")?;
    let base = match &encoding {
        Object::Name(_) => encoding.clone(),
        Object::Dict(encoding) => file.value(encoding, "BaseEncoding")?,
        _ => Object::Null,
    };
    let mut texts: Vec<Option<Box<str>>> = vec![None; 256];
    let is_symbol = name.starts_with("Symbol") && base == Object::Null;
    let is_dingbats = name.contains("Dingbats") && base == Object::Null;
    let is_truetype = kind == b"TrueType";
    for (code, text) in (0..=255_u8).zip(&mut texts) {
        *text = match base.name() {
            Some(b"MacRomanEncoding") => decoded(encoding_rs::MACINTOSH, code),
            Some(b"WinAnsiEncoding") => decoded(encoding_rs::WINDOWS_1252, code),
            _ if is_symbol => glyphs::symbol(code).map(Box::from),
            _ if is_dingbats && code > 0x20 => Some("•".into()),
            None if is_truetype => decoded(encoding_rs::WINDOWS_1252, code),
            _ => glyphs::standard(code).map(Box::from),
        };
    }
    if base == Object::Null {
        for (code, name) in built_in_names(file, descriptor)? {
            if let Some(text) = texts.get_mut(usize::from(code)) {
                *text = glyphs::text_of(&name).map(Box::from);
            }
        }
    }
    let Object::Dict(encoding) = &encoding else {
        return Ok(texts);
    };
    let differences = file.value(encoding, "Differences")?;
    let mut named: Vec<(usize, String)> = Vec::new();
    let mut code = 0_usize;
    let items = differences.array().unwrap_or_default();
    file.spend(items.len())?;
    for item in items.iter().take(1024) {
        match file.get(item)? {
            Object::Number(number) => code = number.clamp(0.0, 256.0) as usize,
            Object::Name(name) => {
                if code < 256 {
                    named.push((code, String::from_utf8_lossy(&name).into_owned()));
                }
                code += 1;
            }
            _ => (),
        }
    }
    // Names that are only numbers, of fonts that were converted: often they are the codes.
    let numbered = |(_, name): &&(usize, String)| number_in(name).is_some();
    let are_numbers = named.iter().filter(numbered).count() * 2 > named.len();
    for (code, name) in named {
        let by_number = || number_in(&name).and_then(of_code);
        let text = match glyphs::text_of(&name) {
            Some(text) => Some(Box::from(text)),
            None if are_numbers => by_number(),
            None => None,
        };
        if let Some(slot) = texts.get_mut(code) {
            *slot = text;
        }
    }
    Ok(texts)
}

/// The number of a name such as `a65` or `g65`.
fn number_in(name: &str) -> Option<u8> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    match name.len() - digits.len() {
        1..=2 => digits.parse().ok(),
        _ => None,
    }
}

/// The text of a code without any encoding: ASCII and, below it, the ligatures of TeX.
fn of_code(code: u8) -> Option<Box<str>> {
    match code {
        11 => Some("ff".into()),
        12 => Some("fi".into()),
        13 => Some("fl".into()),
        14 => Some("ffi".into()),
        15 => Some("ffl".into()),
        0x20.. => decoded(encoding_rs::WINDOWS_1252, code),
        _ => None,
    }
}

fn decoded(encoding: &'static encoding_rs::Encoding, code: u8) -> Option<Box<str>> {
    if code < 0x20 {
        return None;
    }
    let bytes = [code];
    let (text, _) = encoding.decode_without_bom_handling(&bytes);
    Some(match text.chars().next()? {
        '\u{a0}' => " ".into(),
        '\u{ad}' => "-".into(),
        c if c.is_control() => "•".into(),
        _ => text.into(),
    })
}

/// The names of the codes that the embedded font itself has.
fn built_in_names(file: &File<'_>, descriptor: &Dict) -> Result<Vec<(u8, String)>, ReadError> {
    if let Object::Stream(stream) = file.value(descriptor, "FontFile")? {
        // The encoding is in the part in clear text at the beginning.
        let font = file.unpacked_up_to(&stream, 64 << 10)?;
        return Ok(embedded::names_of_type1(&font.unwrap_or_default()));
    }
    if let Object::Stream(stream) = file.value(descriptor, "FontFile3")?
        && file.value(&stream.dict, "Subtype")?.name() == Some(b"Type1C")
    {
        let font = file.unpacked_up_to(&stream, MOST_OF_FONT)?;
        return Ok(embedded::names_of_cff(&font.unwrap_or_default()).unwrap_or_default());
    }
    Ok(Vec::new())
}
