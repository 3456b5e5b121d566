//! Texts that are longer than a model reads, split into windows.

/// Splits a text into windows of at most `most` characters that end after white space where
/// possible. Windows of only white space are omitted.
pub(super) fn windows(text: &str, most: usize) -> Vec<&str> {
    let mut windows = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(most) {
        let space = rest[..end].char_indices().rfind(|(_, c)| c.is_whitespace());
        let space = space.map(|(at, c)| at + c.len_utf8());
        // Unless that would make the window less than half full.
        let end = space.filter(|at| *at > end / 2).unwrap_or(end);
        let (window, behind) = rest.split_at(end);
        windows.push(window);
        rest = behind;
    }
    windows.push(rest);
    windows.retain(|window| !window.trim().is_empty());
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_behind_white_space_unless_it_is_far_away() {
        assert_eq!(windows("abc def", 7), ["abc def"]);
        assert_eq!(windows("abc def", 6), ["abc ", "def"]);
        assert_eq!(windows("a bcdefgh", 4), ["a bc", "defg", "h"]);
        assert_eq!(windows("ä\u{3000}öü", 3), ["ä\u{3000}", "öü"]);
        assert_eq!(windows(&"🦀".repeat(5), 2), ["🦀🦀", "🦀🦀", "🦀"]);
        assert_eq!(windows("abcd         efgh", 4), ["abcd", " efg", "h"]);
        assert!(windows(" \n ", 2).is_empty());
        assert!(windows("", 2).is_empty());
    }
}
