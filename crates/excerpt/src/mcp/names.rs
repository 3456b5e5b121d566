//! Names from outside, such as paths, titles, headings and tags, in a line of the server: none of
//! them can end the line, be mistaken for another part of it, or contain invisible characters.

use excerpt_service::text::budget::{begun, shortened};
use excerpt_service::text::one_line;

/// A title: the beginning of a text on one line, in double quotes, with quotes and backslashes in
/// it escaped by a backslash.
pub(super) fn quoted(text: &str) -> String {
    in_quotes(&shortened(text))
}

/// The headings around a place, outermost first, quoted as a title by [`quoted`].
pub(super) fn quoted_trail(trail: &str) -> String {
    const LONGEST: usize = 200;
    in_quotes(&begun(trail, LONGEST))
}

fn in_quotes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in one_line(text).chars() {
        if matches!(char, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(char);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_quotes_does_not_end_early() {
        assert_eq!(
            quoted("a \"b\" \\\n\u{2028}c"),
            "\"a \\\"b\\\" \\\\\u{fffd}\u{fffd}c\""
        );
        assert_eq!(quoted(&"x".repeat(200)).chars().count(), 103);
    }
}
