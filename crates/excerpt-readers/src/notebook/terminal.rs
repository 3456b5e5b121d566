//! What a program has printed for a terminal.

use std::borrow::Cow;

/// Text without the escape sequences of a terminal, and of a line that was written over and over,
/// as by a progress bar, the last state.
pub(super) fn without_escapes(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for line in text.split('\n') {
        let line = line.trim_end_matches('\r');
        let line = line.rsplit('\r').next().unwrap_or_default();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\u{1b}' => skip_escape(&mut chars),
                c if is_plain(c) => kept.push(c),
                _ => (),
            }
        }
        kept.push('\n');
    }
    kept.pop();
    Cow::Owned(kept)
}

/// The rest of an escape sequence: ECMA-48, 5.4.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if chars.next_if_eq(&'[').is_some() {
        while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    }
    chars.next_if(|c| matches!(c, '@'..='~'));
}
