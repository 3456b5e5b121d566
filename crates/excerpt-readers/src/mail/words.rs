//! Encoded words in the fields of a header: RFC 2047.

use std::borrow::Cow;

/// How an encoded word begins: `=?utf-8?q?`.
pub(super) fn beginning(text: &[u8]) -> Option<&[u8]> {
    let mut parts = text.strip_prefix(b"=?")?.splitn(3, |byte| *byte == b'?');
    let (charset, encoding, _) = (parts.next()?, parts.next()?, parts.next()?);
    let is_named = !charset.is_empty() && charset.iter().all(u8::is_ascii_graphic);
    let is_encoding = matches!(encoding, b"q" | b"Q" | b"b" | b"B");
    (is_named && is_encoding).then(|| &text[..charset.len() + "=??q?".len()])
}

/// A header in which each encoded word is one with those that go on with it: many programs divide
/// them inside of characters.
pub(super) fn joined(header: &[u8]) -> Cow<'_, [u8]> {
    let mut joined = Vec::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(start) = find(header, at, b"=?") {
        let Some(word) = beginning(&header[start..]) else {
            at = start + 2;
            continue;
        };
        at = start + word.len();
        while let Some(end) = find(header, at, b"?=") {
            let after = header[end + 2..].trim_ascii_start();
            let is_more = beginning(after).is_some_and(|next| next.eq_ignore_ascii_case(word));
            if !is_more {
                at = end + 2;
                break;
            }
            joined.extend_from_slice(&header[kept..end]);
            kept = header.len() - after.len() + word.len();
            at = kept;
        }
    }
    if joined.is_empty() {
        return Cow::Borrowed(header);
    }
    joined.extend_from_slice(&header[kept..]);
    Cow::Owned(joined)
}

/// Where a mark is, at or after a position.
fn find(text: &[u8], from: usize, mark: &[u8; 2]) -> Option<usize> {
    let mut windows = text[from..].windows(2);
    windows
        .position(|window| window == mark)
        .map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_go_on_are_one() {
        let joined = |header: &str| String::from_utf8(joined(header.as_bytes()).into_owned());
        for (header, expected) in [
            (
                "Subject: =?utf-8?q?Caf=C3?=\r\n =?UTF-8?Q?=A9?= =?utf-8?q?_x?= y\r\n",
                "Subject: =?utf-8?q?Caf=C3=A9_x?= y\r\n",
            ),
            (
                "From: =?utf-8?b?w6k=?= =?utf-8?b?w6k=?= <a@b>\n",
                "From: =?utf-8?b?w6k=w6k=?= <a@b>\n",
            ),
            // Others are apart.
            (
                "=?utf-8?q?a?= b =?utf-8?q?c?= =?utf-8?b?ZA==?= =?latin1?b?ZA==?=",
                "=?utf-8?q?a?= b =?utf-8?q?c?= =?utf-8?b?ZA==?= =?latin1?b?ZA==?=",
            ),
            ("a =? b ?= =?utf-8?q?c", "a =? b ?= =?utf-8?q?c"),
        ] {
            assert_eq!(joined(header).unwrap(), expected);
        }
    }
}
