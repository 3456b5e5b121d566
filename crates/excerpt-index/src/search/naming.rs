//! How well a name or a title matches the words of a query.

use std::collections::HashSet;
use std::str::Chars;

use twox_hash::XxHash3_64;

use crate::analysis::Analyzer;

/// File names that say nothing about their content: the name of the folder does.
const PLAIN_NAMES: [&str; 6] = ["__init__", "index", "lib", "main", "mod", "readme"];

/// The terms of a query with their weights.
pub(super) struct Naming<'a> {
    /// In the order of the query, so that sums depend only on the content.
    weights: Vec<(&'a str, f32)>,
    total: f32,
}

impl<'a> Naming<'a> {
    /// `weights` are those of the terms, in the same order: a rarer one says more.
    pub(super) fn new(terms: &'a [String], weights: &[Option<f32>]) -> Self {
        let weights = weights.iter().map(|weight| weight.unwrap_or(0.0));
        let weights: Vec<(&str, f32)> = terms.iter().map(|term| &**term).zip(weights).collect();
        Naming {
            total: weights.iter().map(|(_, weight)| weight).sum(),
            weights,
        }
    }

    /// From 0 for a title without any word of the query to 1 for one with the same words: the share
    /// of the query in the title times the share of the title in the query.
    pub(super) fn title(&self, analyzer: &Analyzer, title: &str) -> f32 {
        match self.may_match(title) {
            true => self.shared(analyzer, title).fit(self.total),
            false => 0.0,
        }
    }

    /// The same for a name that is defined in source code: a half of it, and a half for a name of
    /// several words that are all in the query.
    pub(super) fn definition(&self, analyzer: &Analyzer, name: &str) -> f32 {
        let own = name.rsplit(['.', ':']).next().unwrap_or(name);
        if !self.may_match(own) {
            return 0.0;
        }
        let shared = self.shared(analyzer, own);
        let is_whole = shared.terms > 1 && shared.count == shared.terms;
        let whole = if is_whole { 1.0 } else { 0.0 };
        (shared.fit(self.total) + whole) / 2.0
    }

    /// What the words and parts of words in `text` share with the query.
    fn shared(&self, analyzer: &Analyzer, text: &str) -> Shared {
        let mut is_shared = vec![false; self.weights.len()];
        // Hashes are compared faster than sets of strings are made.
        let mut hashes = Vec::new();
        let mut terms = analyzer.terms(text);
        while let Some(term) = terms.advance() {
            if term.positions > 1 {
                continue;
            }
            hashes.push(XxHash3_64::oneshot(term.text.as_bytes()));
            for (shared, (own, _)) in is_shared.iter_mut().zip(&self.weights) {
                *shared |= *own == term.text;
            }
        }
        hashes.sort_unstable();
        hashes.dedup();
        let shared = self.weights.iter().zip(is_shared);
        let shared = shared.filter_map(|((_, weight), shared)| shared.then_some(weight));
        Shared {
            count: shared.clone().count(),
            weight: shared.sum(),
            terms: hashes.len(),
        }
    }

    /// Whether a word in `text` may be a term of the query, by its first two letters, which
    /// stemming keeps, except for the `y` of `dying`.
    fn may_match(&self, text: &str) -> bool {
        let mut before = ' ';
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            // Between a letter of ASCII and a small one, no word begins.
            let is_inside = before.is_ascii_alphabetic() && c.is_ascii_lowercase();
            let begins = c.is_alphanumeric() && !is_inside;
            before = c;
            if begins && self.may_begin(c, rest.clone().next()) {
                return true;
            }
        }
        false
    }

    /// Whether a term may begin with this letter, and with the next one if a term has two.
    fn may_begin(&self, first: char, next: Option<char>) -> bool {
        let is_first = |own| own == Some(first.to_ascii_lowercase());
        let is_next = |own: char| {
            next.is_none_or(|next| {
                let next = next.to_ascii_lowercase();
                !next.is_ascii_alphanumeric() || next == 'y' || next == own
            })
        };
        let mut terms = self.weights.iter().map(|(term, _)| term.chars());
        let may = |mut own: Chars<'_>| is_first(own.next()) && own.next().is_none_or(is_next);
        !first.is_ascii() || terms.any(may)
    }
}

/// What a text shares with a query.
struct Shared {
    /// How many terms, and their weight.
    count: usize,
    weight: f32,
    /// How many different terms the text has.
    terms: usize,
}

impl Shared {
    /// The share of the query, of this total weight, times the share of the text.
    fn fit(&self, total: f32) -> f32 {
        match self.count {
            0 => 0.0,
            _ if total <= 0.0 => 0.0,
            count => self.weight / total * (count as f32 / self.terms as f32),
        }
    }
}

/// The name of a document without its ending, or that of its folder if that says more.
pub(super) fn file_name(path: &str) -> &str {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_plain = |name: &&str| stem.eq_ignore_ascii_case(name);
    match PLAIN_NAMES.iter().any(is_plain) {
        true => folder.rsplit('/').next().unwrap_or_default(),
        false => stem,
    }
}

/// The terms of the words and parts of words in `text`, without duplicates.
pub(super) fn stems(analyzer: &Analyzer, text: &str) -> HashSet<String> {
    let mut terms = analyzer.terms(text);
    let mut stems = HashSet::new();
    while let Some(term) = terms.advance() {
        if term.positions == 1 {
            stems.insert(term.text.to_string());
        }
    }
    stems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Purpose;

    fn of<T>(terms: &[(&str, f32)], look: impl FnOnce(&Naming<'_>, &Analyzer) -> T) -> T {
        let names: Vec<String> = terms.iter().map(|(term, _)| term.to_string()).collect();
        let weights: Vec<Option<f32>> = terms.iter().map(|(_, weight)| Some(*weight)).collect();
        let naming = Naming::new(&names, &weights);
        look(&naming, &Analyzer::new(Purpose::Query))
    }

    #[test]
    fn a_title_matches_by_both_shares() {
        of(&[("green", 3.0), ("tea", 1.0)], |naming, analyzer| {
            assert_eq!(naming.title(analyzer, "Green tea"), 1.0);
            assert_eq!(naming.title(analyzer, "Tea"), 0.25);
            assert_eq!(
                naming.title(analyzer, "Green coffee beans roasted"),
                0.75 / 4.0
            );
            assert_eq!(naming.title(analyzer, "Coffee"), 0.0);
            assert_eq!(naming.title(analyzer, ""), 0.0);
        });
    }

    #[test]
    fn a_definition_with_all_its_words_matches_best() {
        of(&[("boil", 1.0), ("water", 1.0)], |naming, analyzer| {
            assert_eq!(naming.definition(analyzer, "boil_water"), 1.0);
            assert_eq!(naming.definition(analyzer, "Kettle::boilWater"), 1.0);
            assert_eq!(naming.definition(analyzer, "water"), 0.25);
            assert_eq!(naming.definition(analyzer, "kettle"), 0.0);
        });
    }

    #[test]
    fn words_that_do_not_occur_anywhere_match_nothing() {
        of(&[("tea", 0.0)], |naming, analyzer| {
            assert_eq!(naming.title(analyzer, "Tea"), 0.0);
        });
    }

    #[test]
    fn a_title_matches_wherever_the_word_begins() {
        let terms = ["die", "caf", "x", "serv", "入門", "codec"].map(|term| (term, 1.0));
        let matching = [
            "dying",
            "dies",
            "Café",
            "x",
            "an X",
            "HTTPServer",
            "a-server",
            "servé",
            "a.x.b",
            "Docker入門",
            "base64codec",
        ];
        of(&terms, |naming, analyzer| {
            for title in matching {
                let terms = stems(analyzer, title);
                let shares = naming.weights.iter().any(|(term, _)| terms.contains(*term));
                assert_eq!(naming.title(analyzer, title) > 0.0, shares, "{title}");
            }
            assert!(naming.title(analyzer, "dying") > 0.0);
            assert_eq!(naming.title(analyzer, "sent xylophones"), 0.0);
        });
    }

    #[test]
    fn a_plain_file_is_named_by_its_folder() {
        assert_eq!(file_name("src/green_tea.rs"), "green_tea");
        assert_eq!(file_name("src/tea/mod.rs"), "tea");
        assert_eq!(file_name("tea/README.md"), "tea");
        assert_eq!(file_name("README.md"), "");
        assert_eq!(file_name("tea/.env"), "");
    }
}
