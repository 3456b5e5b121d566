//! Paths in lines: none of them can end the line, be mistaken for another part of it, or contain
//! invisible characters.

use std::borrow::Cow;

use super::visible::{characters, has_hidden};

/// A path in a line: unchanged if it consists of letters, digits, spaces and marks without a
/// meaning in our lines, otherwise as a JSON string with hidden characters as `\uXXXX`.
/// [`unquoted`] reads it.
#[must_use]
pub fn address(path: &str) -> Cow<'_, str> {
    if is_plain(path) {
        return Cow::Borrowed(path);
    }
    let json = serde_json::Value::from(path).to_string();
    Cow::Owned(escaped_json(&json).into_owned())
}

/// A path, or a text that begins with one, in backticks unless it is already in quotes.
#[must_use]
pub fn ticked(target: &str) -> String {
    match target.starts_with('"') {
        true => target.to_string(),
        false => format!("`{target}`"),
    }
}

/// A text that begins with a path in quotes, as [`address`] writes it, without the quotes; `None`
/// if it does not begin with one.
#[must_use]
pub fn unquoted(target: &str) -> Option<String> {
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

/// JSON with its hidden characters as `\uXXXX`. They occur only in strings.
#[must_use]
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    if !has_hidden(json) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::new();
    for (_, char, is_hidden) in characters(json) {
        match is_hidden {
            true => {
                let mut units = [0; 2];
                for unit in char.encode_utf16(&mut units) {
                    shown += &format!("\\u{unit:04x}");
                }
            }
            false => shown.push(char),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_is_the_same_value() {
        let value = serde_json::json!({"a\u{202e}": "\n\x1b\x7f\u{9b}\u{2028}\u{e0041}né"});
        let json = value.to_string();
        let shown = escaped_json(&json);
        assert_eq!(
            shown,
            r#"{"a\u202e":"\n\u001b\u007f\u009b\u2028\udb40\udc41né"}"#
        );
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read, value);
    }

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
}
