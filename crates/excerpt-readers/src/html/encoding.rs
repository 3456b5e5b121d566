//! The characters of a page: its encoding is declared, or is UTF-8.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far into a file its encoding may be declared.
const DECLARED: usize = 4096;

/// The text of a page, by its byte order mark, by what it declares, or as UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[length..]).0;
    }
    let wide = match bytes {
        [b'<', 0, ..] => Some(UTF_16LE),
        [0, b'<', ..] => Some(UTF_16BE),
        _ => None,
    };
    if let Some(wide) = wide {
        return wide.decode_without_bom_handling(bytes).0;
    }
    let declared = declared(&bytes[..bytes.len().min(DECLARED)]);
    // A text that is valid UTF-8 is UTF-8 whatever it declares, except for encodings that consist
    // of ASCII characters.
    let is_ascii = declared.is_some_and(|declared| !declared.is_ascii_compatible());
    if !is_ascii && let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let encoding = declared.unwrap_or(WINDOWS_1252);
    encoding.decode_without_bom_handling(bytes).0
}

/// The encoding that `<meta charset>`, `<meta content>` or the XML declaration names.
fn declared(begin: &[u8]) -> Option<&'static Encoding> {
    let begin = begin.to_ascii_lowercase();
    let names = [&b"charset"[..], b"encoding"];
    names.iter().find_map(|name| {
        let mut rest = &begin[..];
        while let Some(at) = rest.windows(name.len()).position(|bytes| bytes == *name) {
            rest = &rest[at + name.len()..];
            if let Some(encoding) = value(rest).and_then(Encoding::for_label) {
                // What declares itself in ASCII is not UTF-16.
                let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
                return Some(if is_wide { UTF_8 } else { encoding });
            }
        }
        None
    })
}

/// The value after the name of an attribute.
fn value(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let rest = match rest {
        [b'"' | b'\'', rest @ ..] => rest,
        rest => rest,
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte);
    let end = rest.iter().position(|byte| !is_name(byte));
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_the_one_that_is_declared() {
        for (bytes, text) in [
            (&b"caf\xc3\xa9"[..], "café"),
            (b"caf\xe9", "café"),
            (b"\xef\xbb\xbfcaf\xc3\xa9", "café"),
            (b"\xff\xfec\0a\0f\0\xe9\0", "café"),
            (b"<\0b\0>\0\xe9\0", "<b>é"),
            (
                b"<meta charset=\"iso-8859-2\">\xb1",
                "<meta charset=\"iso-8859-2\">ą",
            ),
            (
                b"<meta content='text/html; charset=koi8-r'>\xc1",
                "<meta content='text/html; charset=koi8-r'>а",
            ),
            (
                b"<?xml encoding='cp1251'?>\xe0",
                "<?xml encoding='cp1251'?>а",
            ),
            (b"<meta charset=utf-16>\xc3\xa9", "<meta charset=utf-16>é"),
            (
                b"<meta charset=iso-8859-1>\xc3\xa9",
                "<meta charset=iso-8859-1>é",
            ),
            (
                b"<meta charset=iso-2022-jp>\x1b$B$\"",
                "<meta charset=iso-2022-jp>あ",
            ),
            (b"<meta charset=unknown>\xe9", "<meta charset=unknown>é"),
        ] {
            assert_eq!(decode(bytes), text);
        }
    }
}
