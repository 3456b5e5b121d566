//! The words that may be meant by a misspelt one.
//!
//! The keyword index has stems, and an edit at the end of a word changes its stem: `createt` has
//! the stem `createt`, and `creates` has `creat`. So it is not the stem of the misspelt word that
//! is compared with those of the index: every word that is one edit away is made, and its stem is
//! looked up. Most of them are no words, but hardly any of these has a stem that occurs.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::{Analyzer, Purpose};

/// The stems of the words that are one edit away from `word`, each with those words: a letter is
/// left out, added, replaced, or swapped with the next one. The first letter stays.
pub(super) fn near_stems(word: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut stems: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let near = near_words(word);
    let analyzer = Analyzer::new(Purpose::Query);
    let mut terms = analyzer.terms(&near);
    while let Some(term) = terms.advance() {
        let near = &near[term.bytes.clone()];
        let words = stems.entry(term.text.to_string()).or_default();
        words.insert(near.to_string());
    }
    stems
}

/// The words themselves, in lower case, with a blank after each.
fn near_words(word: &str) -> String {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let mut near = String::new();
    let mut add = |start: &[char], middle: &[char], end: &[char]| {
        near.extend([start, middle, end].into_iter().flatten());
        near.push(' ');
    };
    for at in 1..=word.len() {
        let (start, end) = word.split_at(at);
        if let [first, rest @ ..] = end {
            add(start, &[], rest);
            if let [second, rest @ ..] = rest {
                add(start, &[*second, *first], rest);
            }
        }
        for letter in 'a'..='z' {
            add(start, &[letter], end);
            if let [_, rest @ ..] = end {
                add(start, &[letter], rest);
            }
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_edit_is_undone() {
        let is_near = |typo: &str, stem: &str, word: &str| {
            let stems = near_stems(typo);
            stems.get(stem).is_some_and(|words| words.contains(word))
        };
        for (typo, stem, word) in [
            ("createt", "creat", "creates"),
            ("packign", "pack", "packing"),
            ("wathces", "watch", "watches"),
            ("wrning", "warn", "warning"),
            ("relatoed", "relat", "related"),
            ("Ketle", "kettl", "kettle"),
            ("caféss", "cafe", "cafés"),
        ] {
            assert!(is_near(typo, stem, word), "{typo}");
        }
        assert!(!is_near("battle", "kettl", "kettle"), "the first letter");
        assert!(!is_near("createtd", "creat", "creates"), "two edits");
        assert!(near_stems("").is_empty());
    }
}
