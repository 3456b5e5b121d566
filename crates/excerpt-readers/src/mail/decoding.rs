//! Which mail is decoded, and which is text as it is.

use std::borrow::Cow;

use excerpt_chunk::{Document, Syntax};
use mail_parser::decoders::charsets::map::charset_decoder;

use super::mailbox::{Raw, lines, messages};
use super::uuencode::begins_file;
use super::words::beginning;

/// The fields that people read, in which words may be encoded.
const READ: [&str; 4] = ["from", "to", "cc", "subject"];

/// Whether some of the mail cannot be read as it is: words of a field or a body are encoded, a
/// message has parts or HTML, or a text has a file in it.
pub(crate) fn needs_decoding(bytes: &[u8]) -> bool {
    messages(bytes).any(|raw| has_encoded_header(&raw) || has_file(raw.body()))
}

/// Whether a file whose name says nothing is mail, by its beginning, that cannot be read as it is.
pub(crate) fn is_encoded_mail(bytes: &[u8]) -> bool {
    /// How much of a file is looked at, in bytes.
    const BEGINNING: usize = 1 << 14;
    let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(BEGINNING)]);
    Document::new(&beginning).read_as() == Syntax::Mail && needs_decoding(bytes)
}

/// Whether the header of a message has encoded words, or says that its body is to be decoded.
fn has_encoded_header(raw: &Raw<'_>) -> bool {
    raw.fields().any(|(name, value)| {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        if is("content-transfer-encoding") {
            let encoding = first_word(value);
            encoding.eq_ignore_ascii_case(b"base64")
                || encoding.eq_ignore_ascii_case(b"quoted-printable")
        } else if is("content-type") {
            let value = value.to_ascii_lowercase();
            let begins = |kind: &str| value.starts_with(kind.as_bytes());
            begins("multipart/")
                || begins("message/")
                || begins("text/html")
                || has_other_characters(&value, raw.body())
        } else {
            READ.into_iter().any(is) && has_encoded_word(value)
        }
    })
}

/// Whether a field has an encoded word.
fn has_encoded_word(value: &[u8]) -> bool {
    (0..value.len()).any(|at| beginning(&value[at..]).is_some())
}

/// Whether a body is in a character set, named by its type in lower case, that is not read as plain
/// text: another one than UTF-8, with bytes or escapes that mean something else in it.
fn has_other_characters(kind: &[u8], body: &[u8]) -> bool {
    const KNOWN: [&[u8]; 5] = [b"utf-8", b"utf8", b"us-ascii", b"ascii", b""];
    const ESCAPE: u8 = 0x1b;
    let Some(name) = charset(kind) else {
        return false;
    };
    let is_escaped = || name.starts_with(b"utf-7") || name.starts_with(b"hz-");
    let is_other = |byte: &u8| !byte.is_ascii() || *byte == ESCAPE;
    !KNOWN.contains(&name) && (is_escaped() || body.iter().any(is_other))
}

/// The header of a message in UTF-8. Other characters, which it should have encoded, are read in
/// the character set of the text, or in that of most Western mail.
pub(super) fn header_in_utf8<'a>(raw: &Raw<'a>) -> Cow<'a, [u8]> {
    let header = raw.header();
    if str::from_utf8(header).is_ok() {
        return Cow::Borrowed(header);
    }
    let is_type = |name: &[u8]| name.eq_ignore_ascii_case(b"content-type");
    let mut kinds = raw.fields().filter(|(name, _)| is_type(name));
    let kind = kinds.next().map(|(_, value)| value.to_ascii_lowercase());
    let named = kind.as_deref().and_then(charset);
    let named = named.filter(|name| !name.starts_with(b"utf"));
    let decoder = named.and_then(charset_decoder);
    let text = decoder.map_or_else(|| in_western(header), |decoder| decoder(header));
    Cow::Owned(text.into_bytes())
}

/// Text in windows-1252, which extends ISO 8859-1.
pub(super) fn in_western(bytes: &[u8]) -> String {
    match charset_decoder(b"windows-1252") {
        Some(decoder) => decoder(bytes),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The character set that a type in lower case names.
fn charset(kind: &[u8]) -> Option<&[u8]> {
    const PARAMETER: &[u8] = b"charset=";
    let mut starts = kind.windows(PARAMETER.len());
    let start = starts.position(|part| part == PARAMETER)?;
    let name = kind[start + PARAMETER.len()..].trim_ascii_start();
    Some(first_word(name.strip_prefix(b"\"").unwrap_or(name)))
}

/// A value up to the space, the quote or the semicolon after it.
fn first_word(value: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b';' | b'"');
    &value[..value.iter().position(is_end).unwrap_or(value.len())]
}

/// Whether a text has a file in it.
fn has_file(body: &[u8]) -> bool {
    let mut lines = lines(body).peekable();
    while let Some(line) = lines.next() {
        if begins_file(line, lines.peek().copied()) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_that_cannot_be_read_as_it_is_is_decoded() {
        for mail in [
            "Subject: a\nContent-Transfer-Encoding: base64\n\nYQ==\n",
            "content-transfer-encoding:QUOTED-PRINTABLE\r\n\r\n=41\r\n",
            "Content-Transfer-Encoding: base64 (as mail)\n\nYQ==\n",
            "Subject: a\nContent-Type:\n multipart/mixed; boundary=b\n\n--b\n\nTea\n--b--\n",
            "Subject: a\nContent-Type: Text/HTML; charset=us-ascii\n\n<p>Tea</p>\n",
            "Content-Type: message/rfc822\n\nSubject: b\n\nTea\n",
            "Subject: A =?utf-8?q?caf=C3=A9?=\n\nTea\n",
            "Subject: =?utf-8?Q?A caf=C3=A9?=\n\nTea\n",
            "From:\n =?utf-8?q?Ren=C3=A9e?= <r@example.org>\n\nTea\n",
            "Subject: a\nContent-Type: text/plain; charset=\"koi8-r\"\n\n\u{444}\n",
            "Content-Type: text/plain;\n charset=iso-2022-jp; format=flowed\n\n\u{1b}$B$3\u{1b}(B\n",
            "Content-Type: text/plain; charset=utf-7\n\nCaf+AOk-\n",
            "Subject: a\n\nbegin 644 a.png\n#86)C\n`\nend\n",
            // The second message of a mailbox.
            "From a 03:04\nSubject: a\n\nTea\n\nFrom b 03:05\nSubject: =?utf-8?b?YQ==?=\n\nTea\n",
            "\u{feff}Subject: =?utf-8?b?YQ==?=\n\nTea\n",
        ] {
            assert!(needs_decoding(mail.as_bytes()), "{mail}");
        }
    }

    #[test]
    fn other_mail_is_text() {
        for mail in [
            "",
            "Content-Transfer-Encoding: 8bit\n\nbase64\n",
            "Subject: quoted-printable\n\na\n",
            "Content-Type: text/plain; charset=utf-8\n\nCaf\u{e9}\n",
            "Content-Type: text/plain; charset=iso-8859-1\n\nCafe\n",
            "Content-Type: text/plain; charset=\"US-ASCII\"; format=flowed\n\nCafe\n",
            "Subject: What =? and ?= mean\nX-Note: =?utf-8?q?a?=\n\nTea\n",
            // A text that shows a header.
            "Subject: a\n\nContent-Type: multipart/mixed; boundary=b\n\n--b\n",
            "Subject: a\n\nSubject: =?utf-8?b?YQ==?=\n",
            "Subject: a\n\nbegin 644 words\nof a text.\n",
        ] {
            assert!(!needs_decoding(mail.as_bytes()), "{mail}");
        }
    }
}
