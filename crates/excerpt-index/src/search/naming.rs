//! How well a name or a title matches the words of a query.

use std::collections::HashSet;

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
            true => self.fit(&stems(analyzer, title)),
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
        let parts = stems(analyzer, own);
        let is_whole = parts.len() > 1 && self.shared(&parts).count() == parts.len();
        let whole = if is_whole { 1.0 } else { 0.0 };
        (self.fit(&parts) + whole) / 2.0
    }

    fn fit(&self, stems: &HashSet<String>) -> f32 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let shared = self.shared(stems);
        let (count, sum) = shared.fold((0, 0.0), |(count, sum), weight| (count + 1, sum + weight));
        match count {
            0 => 0.0,
            count => sum / self.total * (count as f32 / stems.len() as f32),
        }
    }

    /// The weights of the terms that are among `stems`.
    fn shared(&self, stems: &HashSet<String>) -> impl Iterator<Item = f32> {
        let shared = self
            .weights
            .iter()
            .filter(|(term, _)| stems.contains(*term));
        shared.map(|(_, weight)| *weight)
    }

    /// Whether a word in `text` may be a term of the query, by its first letter, which stemming
    /// keeps.
    fn may_match(&self, text: &str) -> bool {
        let mut before = ' ';
        text.chars().any(|c| {
            let begins = c.is_alphanumeric() && (!before.is_alphanumeric() || c.is_uppercase());
            before = c;
            let first = c.to_ascii_lowercase();
            begins
                && (!c.is_ascii() || self.weights.iter().any(|(term, _)| term.starts_with(first)))
        })
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
    fn a_plain_file_is_named_by_its_folder() {
        assert_eq!(file_name("src/green_tea.rs"), "green_tea");
        assert_eq!(file_name("src/tea/mod.rs"), "tea");
        assert_eq!(file_name("tea/README.md"), "tea");
        assert_eq!(file_name("README.md"), "");
        assert_eq!(file_name("tea/.env"), "");
    }
}
