//! The values of the fields of a message, whose words may be encoded.

use std::borrow::Cow;

/// The value of a field on one line, with its encoded words decoded where their text is known.
pub(super) fn decoded(value: &str) -> Cow<'_, str> {
    let value = value.trim();
    if !value.contains("=?") && !value.contains(['\n', '\r']) {
        return value.into();
    }
    let mut shown = String::with_capacity(value.len());
    let mut was_encoded = false;
    let mut words = value.split_whitespace();
    let mut next = words.next();
    while let Some(word) = next {
        let mut written = word.to_string();
        let mut encoded = EncodedWord::of(word);
        next = words.next();
        // A character may begin in one word and end in the next one.
        while let (Some(encoded), Some(word)) = (&mut encoded, next)
            && let Some(more) = EncodedWord::of(word)
            && more.charset == encoded.charset
        {
            encoded.bytes.extend(more.bytes);
            written.extend([" ", word]);
            next = words.next();
        }
        let decoded = encoded.and_then(EncodedWord::text);
        // White space between two encoded words is no part of the value.
        let is_apart = !was_encoded || decoded.is_none();
        if is_apart && !shown.is_empty() {
            shown.push(' ');
        }
        was_encoded = decoded.is_some();
        shown.push_str(&decoded.unwrap_or(written));
    }
    shown.into()
}

/// An encoded word: `=?utf-8?q?na=C3=AFve?=`.
struct EncodedWord {
    /// Its name in lower case.
    charset: String,
    bytes: Vec<u8>,
}

impl EncodedWord {
    fn of(word: &str) -> Option<Self> {
        let inner = word.strip_prefix("=?")?.strip_suffix("?=")?;
        let mut parts = inner.splitn(3, '?');
        let (charset, encoding, text) = (parts.next()?, parts.next()?, parts.next()?);
        let bytes = match encoding {
            "q" | "Q" => quoted(text)?,
            "b" | "B" => base64(text)?,
            _ => return None,
        };
        Some(EncodedWord {
            charset: charset.split('*').next()?.to_ascii_lowercase(),
            bytes,
        })
    }

    fn text(self) -> Option<String> {
        match &*self.charset {
            "utf-8" | "utf8" | "us-ascii" | "ascii" => String::from_utf8(self.bytes).ok(),
            "iso-8859-1" | "latin1" => Some(self.bytes.into_iter().map(char::from).collect()),
            _ => None,
        }
    }
}

fn quoted(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'_' => b' ',
            b'=' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        });
    }
    Some(decoded)
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_decoded_where_it_is_safe() {
        assert_eq!(decoded(" Caf=?utf-8?q?=C3=A9?= "), "Caf=?utf-8?q?=C3=A9?=");
        assert_eq!(decoded("=?utf-8?Q?a_b?= =?UTF-8?B?Yw==?= d"), "a bc d");
        assert_eq!(decoded("=?iso-8859-1?q?=E9?="), "é");
        assert_eq!(decoded("=?koi8-r?q?=E9?="), "=?koi8-r?q?=E9?=");
        assert_eq!(decoded("=?utf-8?q?=E9?="), "=?utf-8?q?=E9?=");
        let unknown = "=?koi8-r?q?=E9?= =?koi8-r?q?=E9?= a";
        assert_eq!(decoded(unknown), unknown);
        let divided = "=?utf-8?q?caf=C3?=\r\n =?UTF-8?B?qXM=?= b";
        assert_eq!(decoded(divided), "caf\u{e9}s b");
    }
}
