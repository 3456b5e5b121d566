//! Which words of a query may be misspelt. Such a word, if it occurs nowhere in what is searched, is
//! replaced by the nearest one that does: see
//! [`Survey::meant`](crate::store::snapshot::Survey::meant).

use crate::embed::StaticTable;

/// How many letters a word must have for one of them to be wrong, and for two.
const ONE: usize = 5;
const TWO: usize = 9;

/// How many letters of a word may be wrong: 0 for a word that is in the vocabulary of the built-in
/// table, and for what has other characters than letters.
pub(super) fn most_edits(written: &str) -> u8 {
    let letters = written.chars().count();
    if letters < ONE || !written.chars().all(char::is_alphabetic) {
        return 0;
    }
    let is_word = StaticTable::shared().is_some_and(|table| table.has_word(written));
    match is_word {
        true => 0,
        false => 1 + u8::from(letters >= TWO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_no_word_may_be_misspelt() {
        for (word, edits) in [
            ("pause", 0),
            ("Pause", 0),
            ("pasue", 1),
            ("cofnig", 1),
            ("configuartion", 2),
            ("tokn", 0),
            ("v1betas", 0),
            ("a_letter", 0),
        ] {
            assert_eq!(most_edits(word), edits, "{word}");
        }
    }
}
