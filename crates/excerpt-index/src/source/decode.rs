//! From bytes to text: UTF-8, UTF-16 with a byte order mark, or Windows-1252 where the bytes look
//! like text in it. Nothing is replaced: other files are skipped.

use encoding_rs::WINDOWS_1252;

use crate::model::{Encoding, SkipReason};

/// How far into a file a NUL byte makes it binary: as far as git looks.
const PROBE: usize = 8 << 10;

/// How files begin that are no text although their bytes may look like it: PDF, PostScript and RTF.
const MARKS: [&[u8]; 3] = [b"%PDF-", b"%!PS-Adobe", b"{\\rtf"];

/// The text of a file and its encoding, or why it has none. UTF-8 is kept byte for byte, including
/// a byte order mark.
///
/// # Errors
///
/// The reason, when the bytes are not text: binary, or in none of these encodings.
pub fn decode(bytes: Vec<u8>) -> Result<(String, Encoding), SkipReason> {
    let (text, encoding) = match *bytes {
        [0xFF, 0xFE, ref rest @ ..] => (utf16(rest, u16::from_le_bytes), Encoding::Utf16Le),
        [0xFE, 0xFF, ref rest @ ..] => (utf16(rest, u16::from_be_bytes), Encoding::Utf16Be),
        _ if bytes[..bytes.len().min(PROBE)].contains(&0) => return Err(SkipReason::Binary),
        _ if MARKS.iter().any(|mark| bytes.starts_with(mark)) => return Err(SkipReason::Binary),
        _ => match String::from_utf8(bytes) {
            Ok(text) => (Ok(text), Encoding::Utf8),
            Err(error) => (windows_1252(error.as_bytes()), Encoding::Windows1252),
        },
    };
    Ok((text?, encoding))
}

/// The bytes of a text in an encoding: the opposite of [`decode`]. `None` if the encoding lacks one
/// of its characters.
pub(crate) fn encode(text: &str, encoding: Encoding) -> Option<Vec<u8>> {
    let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
        let units = text.encode_utf16().flat_map(bytes);
        mark.into_iter().chain(units).collect()
    };
    match encoding {
        Encoding::Utf8 => Some(text.as_bytes().to_vec()),
        Encoding::Utf16Le => Some(utf16([0xFF, 0xFE], u16::to_le_bytes)),
        Encoding::Utf16Be => Some(utf16([0xFE, 0xFF], u16::to_be_bytes)),
        Encoding::Extracted => None,
        Encoding::Windows1252 => {
            let (bytes, _, has_unmappable) = WINDOWS_1252.encode(text);
            (!has_unmappable).then(|| bytes.into_owned())
        }
    }
}

/// Text of a language written with Latin letters: most bytes are ASCII, and none is a control
/// character or undefined. In an encoding of several bytes a character, such as Shift JIS or GBK,
/// at least every other byte is not ASCII, and Cyrillic or Greek text in one byte has more of them
/// still.
fn windows_1252(bytes: &[u8]) -> Result<String, SkipReason> {
    let is_control = |byte: u8| byte.is_ascii_control() && !b"\t\n\r\x0c".contains(&byte);
    let is_undefined = |byte: u8| [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(&byte);
    let is_wrong = |byte: &u8| is_control(*byte) || is_undefined(*byte);
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic());
    let others = bytes.iter().filter(|byte| !byte.is_ascii());
    // UTF-8 with a broken character somewhere is not to be read as something else.
    let (mut broken, mut whole) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        broken += usize::from(!chunk.invalid().is_empty());
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
    }
    if whole >= broken || bytes.iter().any(is_wrong) || others.count() * 2 > letters.count() {
        return Err(SkipReason::NotUtf8);
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Ok(text.into_owned())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, SkipReason> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    if !odd.is_empty() {
        return Err(SkipReason::NotUtf8);
    }
    let decoded = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    let text: Result<String, _> = decoded.collect();
    match text {
        Ok(text) if text.contains('\0') => Err(SkipReason::Binary),
        Ok(text) => Ok(text),
        Err(_) => Err(SkipReason::NotUtf8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_kept_byte_for_byte() {
        let text = "\u{feff}né\r\n漢";
        let utf8 = |text: &str| (text.to_string(), Encoding::Utf8);
        assert_eq!(decode(text.as_bytes().to_vec()).unwrap(), utf8(text));
        assert_eq!(decode(vec![]).unwrap(), utf8(""));
    }

    #[test]
    fn utf16_with_a_mark_is_decoded() {
        let text = "né 漢 😀\n";
        let little: Vec<u8> = [0xFF, 0xFE]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        let big: Vec<u8> = [0xFE, 0xFF]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
            .collect();
        let text = text.to_string();
        for (bytes, encoding) in [(little, Encoding::Utf16Le), (big, Encoding::Utf16Be)] {
            assert_eq!(encode(&text, encoding), Some(bytes.clone()));
            assert_eq!(decode(bytes).unwrap(), (text.clone(), encoding));
        }
    }

    #[test]
    fn western_text_in_one_byte_a_character_is_read() {
        let read = |bytes: &[u8]| {
            let (text, encoding) = decode(bytes.to_vec()).unwrap();
            assert_eq!(encode(&text, encoding).as_deref(), Some(bytes));
            (text, encoding)
        };
        let western = |text: &str| (text.to_string(), Encoding::Windows1252);
        assert_eq!(read(b"caf\xe9"), western("café"));
        assert_eq!(
            read(b"\x93Viele Gr\xfc\xdfe aus K\xf6ln\x94 \x96 5 \x80\r\n"),
            western("“Viele Grüße aus Köln” – 5 €\r\n")
        );
    }

    #[test]
    fn what_is_not_text_is_named_and_not_repaired() {
        // Shift JIS, KOI8-R, and UTF-8 with a broken character among controls.
        for bytes in [
            &b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g"[..],
            b"\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2",
            b"text \xc3( \x01\x02",
            b"undefined \x81 byte",
            "na\u{ef}ve caf\u{e9}"
                .as_bytes()
                .strip_suffix(b"\xa9")
                .unwrap(),
        ] {
            assert_eq!(decode(bytes.to_vec()), Err(SkipReason::NotUtf8));
        }
        for bytes in [
            &b"%PDF-1.7\n1 0 obj\n"[..],
            b"%!PS-Adobe-3.0\n",
            b"{\\rtf1 a}",
        ] {
            assert_eq!(decode(bytes.to_vec()), Err(SkipReason::Binary));
        }
        assert_eq!(decode(b"\xff\xfea".to_vec()), Err(SkipReason::NotUtf8));
        assert_eq!(
            decode(b"\xff\xfe\x00\xd8".to_vec()),
            Err(SkipReason::NotUtf8)
        );
        assert_eq!(decode(b"ELF\0\x01".to_vec()), Err(SkipReason::Binary));
    }

    #[test]
    fn a_nul_far_inside_a_text_does_not_matter() {
        let mut bytes = vec![b'a'; PROBE];
        bytes.push(0);
        assert!(decode(bytes).is_ok());
    }
}
