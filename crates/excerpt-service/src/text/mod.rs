//! Text for people and models: which characters are hidden, how much of a text fits into a budget
//! of tokens, what may not be named, and numbers in words.

pub mod address;
pub mod budget;
pub mod visible;

use std::path::{MAIN_SEPARATOR, Path};

use excerpt_index::{Skip, SkipReason};

use budget::begun;
use visible::characters;

/// A text on one line: each hidden character, line ends among them, is replaced by U+FFFD.
#[must_use]
pub fn one_line(text: &str) -> String {
    let shown = characters(text).map(|(_, char, is_hidden)| match is_hidden {
        true => '\u{fffd}',
        false => char,
    });
    shown.collect()
}

/// The beginning of a value of a request, to be repeated in an error.
#[must_use]
pub fn shown(text: &str) -> String {
    const MOST: usize = 80;
    one_line(&begun(text, MOST))
}

/// Why the file or folder that is shown as `shown` is not indexed.
#[must_use]
pub fn not_indexed(shown: &str, skip: &Skip) -> String {
    let is = match skip.reason {
        SkipReason::Secret => "",
        _ => "is not indexed: ",
    };
    format!("`{shown}` {is}{}", reason(skip))
}

/// Why something is skipped, with the details.
pub(crate) fn reason(skip: &Skip) -> String {
    match &skip.detail {
        Some(detail) => format!("{} ({detail})", skip.reason),
        None => skip.reason.to_string(),
    }
}

/// A message with the root of a source replaced by the name of that source.
#[must_use]
pub fn without_root(message: &str, root: &Path, name: &str) -> String {
    // The root of a file system is part of every path.
    if root.parent().is_none() {
        return message.to_string();
    }
    let root = root.to_string_lossy();
    let message = message.replace(&format!("{root}{MAIN_SEPARATOR}"), "");
    message.replace(&*root, name)
}

/// What was skipped, the most frequent reason first: `12 ignored, 1 binary`.
#[must_use]
pub fn skip_counts<'c>(counts: impl IntoIterator<Item = (&'c SkipReason, &'c usize)>) -> String {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let said = counts
        .iter()
        .map(|(reason, count)| format!("{} {reason}", thousands(**count)));
    said.collect::<Vec<_>>().join(", ")
}

/// A number with thousands separators.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 chunk`, `2 chunks`; `1 file or folder`, `2 files or folders`.
#[must_use]
pub fn counted(number: usize, noun: &str) -> String {
    let (plural, either) = if number == 1 {
        ("", " or ")
    } else {
        ("s", "s or ")
    };
    format!(
        "{} {}{plural}",
        thousands(number),
        noun.replace(" or ", either)
    )
}

/// What is said of one thing, or of any other number of them: `is`, `are`.
#[must_use]
pub fn either<'w>(number: usize, one: &'w str, other: &'w str) -> &'w str {
    match number {
        1 => one,
        _ => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
        assert_eq!(counted(1, "file or folder"), "1 file or folder");
        assert_eq!(counted(2_000, "file or folder"), "2,000 files or folders");
        assert_eq!(counted(1, "chunk"), "1 chunk");
    }
}
