//! How much of a model's attention an answer takes, and how it is kept within that.

use excerpt_chunk::Unit;
use serde_json::Value;

/// The tokens that an answer may take when nothing is said, and the range that can be asked for.
pub(super) const DEFAULT: usize = 4_000;
pub(super) const LEAST: usize = 100;
pub(super) const MOST: usize = 100_000;

/// The tokens of a text, as near as can be told without the model's own tokenizer: a quarter of its characters, and more for those of East Asia. Counted
/// is what it takes in JSON, which some clients give to the model.
pub(super) fn tokens(text: &str) -> usize {
    let is_escaped = |byte: &u8| matches!(byte, b'\n' | b'\t' | b'"' | b'\\');
    let escaped = text.bytes().filter(is_escaped).count();
    Unit::CjkTokens.measure(text) + escaped / 4 + 1
}

/// The first lines of a text that take at most so many tokens, and how many lines that are; of a first line that is too long, the beginning.
pub(super) fn beginning(text: &str, tokens: usize) -> (&str, usize) {
    let (mut end, mut lines) = (0, 0);
    for line in text.split_inclusive('\n') {
        if self::tokens(&text[..end + line.len()]) > tokens {
            break;
        }
        end += line.len();
        lines += 1;
    }
    if lines > 0 {
        return (&text[..end], lines);
    }
    let mut bytes = text
        .char_indices()
        .map(|(at, _)| at)
        .skip(tokens.saturating_mul(3));
    let mut end = bytes.next().unwrap_or(text.len());
    // Letters that take a token each are fewer.
    while end > 0 && self::tokens(&text[..end]) > tokens + tokens / 2 + 1 {
        end = text.floor_char_boundary(end - end.div_ceil(4));
    }
    (&text[..end], 0)
}

/// The tokens of what is made of numbers, names and marks, in which words are short.
pub(super) fn dense(text: &str) -> usize {
    2 * tokens(text)
}

/// The tokens of what is for programs, as JSON.
pub(super) fn of_data(data: &Value) -> usize {
    3 * tokens(&data.to_string()) / 2
}

/// A name that may be long, as far as a line has room for it.
pub(super) fn shortened(name: &str) -> String {
    const MOST: usize = 100;
    let mut short: String = name.chars().take(MOST).collect();
    if name.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_the_end_of_a_line() {
        let text = "one line\nanother line\nthe last\n";
        assert_eq!(beginning(text, 6), ("one line\nanother line\n", 2));
        assert_eq!(beginning(text, 100), (text, 3));
        assert_eq!(beginning("a line that is too long", 2), ("a line", 0));
        assert_eq!(beginning("", 2), ("", 0));
        let long = "語".repeat(90);
        assert!((15..=31).contains(&beginning(&long, 20).0.chars().count()));
    }
}
