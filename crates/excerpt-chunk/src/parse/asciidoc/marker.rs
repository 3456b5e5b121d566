//! What opens the items of lists.

use crate::parse::adornment::adornment;
use crate::parse::asciidoc::line::is_comment;

/// What opens an item. Items of one kind, one after the other, are a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// `*`, `**` or `-`.
    Bullet(char, usize),
    /// `.` or `..`.
    Dots(usize),
    Digit,
    Letter {
        is_upper: bool,
    },
    Roman {
        is_upper: bool,
    },
    Callout,
    /// `term::`, with this mark.
    Term(char, usize),
}

/// What kind of item a line opens, if any, and whether it has text on this line.
pub(super) fn marker(text: &str) -> Option<(Marker, bool)> {
    let first = text.chars().next()?;
    let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    if !rest.is_empty() {
        let bare = word.strip_suffix('.').unwrap_or_default();
        let numeral = word.strip_suffix(')').unwrap_or_default();
        let is_numeral =
            |digits: &str| !numeral.is_empty() && numeral.chars().all(|char| digits.contains(char));
        let is_callout = word
            .strip_prefix('<')
            .and_then(|word| word.strip_suffix('>'));
        let is_number =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let marker = match first {
            '*' => adornment(word).map(|_| Marker::Bullet('*', word.len())),
            '-' | '•' => (word.len() == first.len_utf8()).then_some(Marker::Bullet(first, 1)),
            '.' => adornment(word).map(|_| Marker::Dots(word.len())),
            '<' => is_callout
                .is_some_and(|word| word == "." || is_number(word))
                .then_some(Marker::Callout),
            _ if is_number(bare) => Some(Marker::Digit),
            _ if bare.len() == 1 && first.is_ascii_alphabetic() => Some(Marker::Letter {
                is_upper: first.is_ascii_uppercase(),
            }),
            _ if is_numeral("ivx") => Some(Marker::Roman { is_upper: false }),
            _ if is_numeral("IVX") => Some(Marker::Roman { is_upper: true }),
            _ => None,
        };
        if let Some(marker) = marker {
            return Some((marker, true));
        }
    }
    term(text)
}

/// The marker of an item of a description list: `term:: text`, and whether there is text.
fn term(text: &str) -> Option<(Marker, bool)> {
    if is_comment(text) || text.starts_with("//") {
        return None;
    }
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b':', b';', bytes.get(at..)?) {
        let start = at + found;
        let mark = bytes[start];
        let count = bytes[start..]
            .iter()
            .take_while(|byte| **byte == mark)
            .count();
        let end = start + count;
        let rest = &text[end..];
        if count >= 2 && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
            let most = if mark == b':' { 4 } else { 2 };
            return Some((
                Marker::Term(char::from(mark), count.min(most)),
                !rest.is_empty(),
            ));
        }
        at = end;
    }
    None
}
