//! Which words of a query may be misspelt. Such a word, if it occurs nowhere in what is searched,
//! is replaced by the nearest one that does: see
//! [`Survey::meant`](crate::store::snapshot::Survey::meant).

use crate::embed::StaticTable;

/// How many letters a word must have for one of them to be wrong, and for two.
const ONE: usize = 5;
const TWO: usize = 9;

/// The most letters: each of them is replaced by every other one, and nobody types longer words.
const MOST: usize = 40;

/// How many letters of a word may be wrong: 0 for a word that is in the vocabulary of the built-in
/// table. `None` for a short or very long one, and for what has other characters than letters.
pub(super) fn edits(written: &str) -> Option<u8> {
    let letters = written.chars().count();
    if !(ONE..=MOST).contains(&letters) || !written.chars().all(char::is_alphabetic) {
        return None;
    }
    Some(match is_word(written) {
        true => 0,
        false => 1 + u8::from(letters >= TWO),
    })
}

/// Whether a word is in the vocabulary of the built-in table.
pub(super) fn is_word(written: &str) -> bool {
    StaticTable::shared().is_some_and(|table| table.has_word(written))
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_what_is_no_word_may_be_misspelt() {
        for (word, edits) in [
            ("pause", Some(0)),
            ("Pause", Some(0)),
            ("pasue", Some(1)),
            ("cofnig", Some(1)),
            ("configuartion", Some(2)),
            ("tokn", None),
            (&"pasue".repeat(9), None),
            ("v1betas", None),
            ("a_letter", None),
        ] {
            assert_eq!(super::edits(word), edits, "{word}");
        }
    }
}
