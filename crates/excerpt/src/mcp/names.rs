//! Names from outside, such as paths, titles, headings and tags, in a line of the server: none of
//! them can end the line, be mistaken for another part of it, or contain invisible characters.

use std::borrow::Cow;

use excerpt_service::text::budget::{begun, shortened};
use excerpt_service::text::one_line;

use crate::output::escaped_json;

/// A title: the beginning of a text on one line, in double quotes, with quotes and backslashes in
/// it escaped by a backslash.
pub(super) fn quoted(text: &str) -> String {
    in_quotes(&shortened(text))
}

/// The headings around a place, outermost first, quoted as a title by [`quoted`].
pub(super) fn quoted_trail(trail: &[String], between: &str) -> String {
    const LONGEST: usize = 200;
    in_quotes(&begun(&trail.join(between), LONGEST))
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

/// A path in a line: unchanged if it consists of letters, digits, spaces and marks without a
/// meaning in our lines, otherwise as a JSON string with hidden characters as `\uXXXX`.
/// [`unquoted`] reads it.
pub(super) fn address(path: &str) -> Cow<'_, str> {
    if is_plain(path) {
        return Cow::Borrowed(path);
    }
    let json = serde_json::Value::from(path).to_string();
    Cow::Owned(escaped_json(&json).into_owned())
}

/// A path, or a text that begins with one, in backticks unless it is already in quotes.
pub(super) fn ticked(target: &str) -> String {
    match target.starts_with('"') {
        true => target.to_string(),
        false => format!("`{target}`"),
    }
}

/// A text that begins with a path in quotes, as [`address`] writes it, without the quotes; `None`
/// if it does not begin with one.
pub(super) fn unquoted(target: &str) -> Option<String> {
    let mut strings = serde_json::Deserializer::from_str(target).into_iter::<String>();
    let path = strings.next().filter(|_| target.starts_with('"'))?.ok()?;
    Some(path + &target[strings.byte_offset()..])
}

fn is_plain(path: &str) -> bool {
    let is_mark = |char| "-_./ +@=~,()[]{}!&'#%$".contains(char);
    // Systems that decompose accented letters write the accents after them.
    let is_accent = |char| ('\u{300}'..='\u{36f}').contains(&char) && char != '\u{34f}';
    let mut chars = path.chars();
    chars.all(|char| char.is_alphanumeric() || is_mark(char) || is_accent(char))
        && !path.contains("  ")
        && path.trim() == path
        && !path.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_path_is_unchanged() {
        for path in [
            "docs/größe 1.md",
            "app/[slug]/(a)/p+q.tsx",
            "u\u{308}.md",
            "日本/語.md",
        ] {
            assert_eq!(address(path), path);
        }
    }

    #[test]
    fn a_path_in_quotes_is_read_back() {
        for (path, shown) in [
            ("a\nb", r#""a\nb""#),
            ("a:1-3 · x", r#""a:1-3 · x""#),
            ("\"a\\", r#""\"a\\""#),
            ("a\u{202e}b", r#""a\u202eb""#),
            ("\u{e0041}", r#""\udb40\udc41""#),
            ("a  b", "\"a  b\""),
            ("a\u{85}`", r#""a\u0085`""#),
        ] {
            assert_eq!(address(path), shown);
            let target = format!("{shown}:7-9");
            assert_eq!(unquoted(&target), Some(format!("{path}:7-9")));
        }
        assert_eq!(unquoted("a\"b\""), None);
        assert_eq!(unquoted("\"a"), None);
        assert_eq!(unquoted("7"), None);
    }

    #[test]
    fn a_name_in_quotes_does_not_end_early() {
        assert_eq!(
            quoted("a \"b\" \\\n\u{2028}c"),
            "\"a \\\"b\\\" \\\\\u{fffd}\u{fffd}c\""
        );
        assert_eq!(quoted(&"x".repeat(200)).chars().count(), 103);
    }
}
