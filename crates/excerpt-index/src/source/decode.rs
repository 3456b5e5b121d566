//! From bytes to text: UTF-8, or UTF-16 with a byte order mark. Nothing is replaced: other files are skipped.

use crate::model::{Encoding, SkipReason};

/// How far into a file a NUL byte makes it binary: as far as git looks.
const PROBE: usize = 8 << 10;

/// The text of a file and its encoding, or why it has none. UTF-8 is kept byte for byte, including a byte order mark.
///
/// # Errors
///
/// The reason, when the bytes are not text: neither UTF-8 nor UTF-16 with a byte order mark, or binary.
pub fn decode(bytes: Vec<u8>) -> Result<(String, Encoding), SkipReason> {
    let (text, encoding) = match *bytes {
        [0xFF, 0xFE, ref rest @ ..] => (utf16(rest, u16::from_le_bytes), Encoding::Utf16Le),
        [0xFE, 0xFF, ref rest @ ..] => (utf16(rest, u16::from_be_bytes), Encoding::Utf16Be),
        _ if bytes[..bytes.len().min(PROBE)].contains(&0) => return Err(SkipReason::Binary),
        _ => {
            let text = String::from_utf8(bytes).map_err(|_| SkipReason::NotUtf8);
            (text, Encoding::Utf8)
        }
    };
    Ok((text?, encoding))
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
        assert_eq!(decode(little).unwrap(), (text.clone(), Encoding::Utf16Le));
        assert_eq!(decode(big).unwrap(), (text, Encoding::Utf16Be));
    }

    #[test]
    fn what_is_not_text_is_named_and_not_repaired() {
        assert_eq!(decode(b"caf\xe9".to_vec()), Err(SkipReason::NotUtf8));
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
