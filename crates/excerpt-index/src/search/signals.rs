//! Evidence other than the words and the vectors: each factor of [`Signals`] that applies to a
//! chunk is a line of its explanation.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use chrono::NaiveDate;
use serde_json::Value;

use super::fusion::Scored;
use super::query::Words;
use crate::analysis::{Analyzer, Purpose, name};
use crate::model::{DocumentId, SignalShare, Signals};
use crate::store::{Features, StoredDocument, dates_of};

/// How many of a document's chunks count for its coherence.
const SPEAKING: usize = 3;

/// Words of a path that indicate tests and examples.
const TEST: [&str; 20] = [
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "docs",
    "e2e",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "sample",
    "samples",
    "spec",
    "specs",
    "test",
    "tests",
];
/// Words of a path that indicate generated files.
const GENERATED: [&str; 7] = [
    "bundle",
    "gen",
    "generated",
    "min",
    "pb",
    "pb2",
    "snapshots",
];
/// Words of a path that indicate third-party or legacy code.
const VENDORED: [&str; 8] = [
    "deprecated",
    "external",
    "externals",
    "legacy",
    "thirdparty",
    "third",
    "vendor",
    "vendored",
];

/// The terms of [`TEST`], [`GENERATED`] and [`VENDORED`].
static KINDS: LazyLock<[HashSet<String>; 3]> = LazyLock::new(|| {
    let kinds = [TEST.as_slice(), &GENERATED, &VENDORED];
    kinds.map(|kind| stems(&mut Analyzer::new(Purpose::Query), &kind.join(" ")))
});

/// The properties of a query that the signals use.
pub(super) struct SignalInput<'a> {
    words: &'a Words,
    analyzer: Analyzer,
    /// The terms of the query.
    terms: HashSet<&'a str>,
    /// Whether it asks for tests, for generated files, for vendored files.
    wants: [bool; 3],
    /// Whether it contains a name as written in source code.
    names_something: bool,
    /// Whether most of the searched documents are source code.
    among_code: bool,
    /// The day of the search.
    today: NaiveDate,
}

impl<'a> SignalInput<'a> {
    pub(super) fn new(words: &'a Words, among_code: bool, today: NaiveDate) -> Self {
        let terms: HashSet<&str> = words.required.iter().map(|term| &**term).collect();
        let wants = KINDS
            .each_ref()
            .map(|kind| kind.iter().any(|stem| terms.contains(&**stem)));
        SignalInput {
            words,
            analyzer: Analyzer::new(Purpose::Query),
            wants,
            terms,
            names_something: words.text.split_whitespace().any(is_name),
            among_code,
            today,
        }
    }

    /// The signals of a single chunk, in a fixed order.
    pub(super) fn of_chunk(
        &mut self,
        found: &Scored,
        features: &Features,
        document: &StoredDocument,
        signals: &Signals,
    ) -> Vec<Factor> {
        let mut list = Vec::new();
        add(&mut list, "all words", found.all_words, signals.all_words);
        let defined = signals.definition != 1.0 && self.defined_in(features);
        add(&mut list, "definition", defined, signals.definition);
        if signals.recency != 1.0
            && let Some(day) = day_of(document, features)
        {
            let age = (self.today - day).num_days().max(0) as f32;
            let left = 0.5_f32.powf(age / signals.half_life.max(f32::MIN_POSITIVE));
            let factor = signals.recency + (1.0 - signals.recency) * left;
            add(&mut list, "recency", true, factor);
        }
        list
    }

    /// The signals of all chunks of a document, in a fixed order.
    pub(super) fn of_document(
        &mut self,
        document: &StoredDocument,
        signals: &Signals,
    ) -> Vec<Factor> {
        let mut list = Vec::new();
        let is_index = is_index(&document.path);
        add(
            &mut list,
            "index document",
            is_index,
            signals.index_document,
        );
        if signals.path_word != 1.0 {
            let path = stems(&mut self.analyzer, &document.path);
            let required = self.words.required.iter();
            let in_path = required.filter(|term| path.contains(*term)).count();
            let in_path = i32::try_from(in_path).unwrap_or(i32::MAX);
            let factor = signals.path_word.powi(in_path);
            add(&mut list, "path words", in_path > 0, factor);
        }
        match document.is_code() {
            true => self.of_code(document, signals, &mut list),
            false => self.of_prose(signals, &mut list),
        }
        list
    }

    /// Adds the signals of prose.
    fn of_prose(&self, signals: &Signals, list: &mut Vec<Factor>) {
        let for_a_name = self.names_something;
        add(
            list,
            "prose, for a name",
            for_a_name,
            signals.prose_for_a_name,
        );
        let among_code = self.among_code;
        add(
            list,
            "prose among code",
            among_code,
            signals.prose_among_code,
        );
    }

    /// Adds the signals of code of kinds that the query does not ask for.
    fn of_code(&self, document: &StoredDocument, signals: &Signals, list: &mut Vec<Factor>) {
        let kinds = [TEST.as_slice(), &GENERATED, &VENDORED];
        let factors = [
            ("test or example", signals.test),
            ("generated", signals.generated),
            ("vendored or legacy", signals.vendored),
        ];
        let of_path = words_of(&document.path);
        for ((words, wanted), (name, factor)) in kinds.iter().zip(self.wants).zip(factors) {
            let mut of_path = of_path.iter();
            let has_one = of_path.any(|word| words.contains(&&**word));
            add(list, name, !wanted && has_one, factor);
        }
    }

    /// Whether the chunk defines a name in the query: one of several words that are all in the
    /// query, or a single word if the query has hardly any others.
    fn defined_in(&mut self, features: &Features) -> bool {
        let mut defines = features.defines.iter();
        defines.any(|defined| {
            if !self.may_name(defined) {
                return false;
            }
            let parts = stems(&mut self.analyzer, defined);
            match parts.len() {
                0 => false,
                1 => self.terms.len() <= 2 && self.words.names.contains(&name(defined)),
                _ => parts.iter().all(|part| self.terms.contains(&**part)),
            }
        })
    }

    /// Whether the first part of a name can be a term of the query, by its first letter, which
    /// stemming keeps.
    fn may_name(&self, defined: &str) -> bool {
        let Some(first) = defined.chars().find(|c| c.is_alphanumeric()) else {
            return false;
        };
        let first = first.to_ascii_lowercase();
        !first.is_ascii() || self.terms.iter().any(|term| term.starts_with(first))
    }
}

/// A signal and its factor.
pub(super) type Factor = (&'static str, f32);

fn add(list: &mut Vec<Factor>, name: &'static str, applies: bool, factor: f32) {
    if applies && factor != 1.0 {
        list.push((name, factor));
    }
}

/// Multiplies a chunk's score, and adds the change to its explanation.
pub(super) fn apply(found: &mut Scored, name: &'static str, factor: f32) {
    let share = found.score * (factor - 1.0);
    found.score += share;
    found.explanation.signals.push(SignalShare {
        name,
        factor,
        share,
    });
}

/// Raises the scores of chunks whose documents have other good chunks.
pub(super) fn cohere(found: &mut [Scored], most: f32) {
    if most == 1.0 {
        return;
    }
    let mut scores: HashMap<DocumentId, Vec<f32>> = HashMap::new();
    for found in found.iter() {
        scores
            .entry(found.key.document)
            .or_default()
            .push(found.score);
    }
    let sums: HashMap<DocumentId, f32> = scores
        .into_iter()
        .map(|(document, mut scores)| {
            scores.sort_by(|a, b| b.total_cmp(a));
            (document, scores.iter().take(SPEAKING).sum())
        })
        .collect();
    let best = sums.values().copied().fold(0.0, f32::max);
    if best <= 0.0 {
        return;
    }
    for found in found {
        let share = sums[&found.key.document] / best;
        apply(found, "coherence", 1.0 + (most - 1.0) * share);
    }
}

/// A document scores at most a little more than its best chunk: see `group.rs`.
const ABOVE_DOCUMENTS: f32 = 1.2;

/// Chunks of the day that the question asks about come first: with a `part` of 1, each gains a
/// little more than the best score of a document.
pub(super) fn favour(found: &mut [Scored], part: f32) {
    let scores = found.iter().map(|found| found.score);
    let best = scores.fold(0.0, f32::max);
    let gain = part * ABOVE_DOCUMENTS * if best > 0.0 { best } else { 1.0 };
    for found in found.iter_mut().filter(|found| found.is_of_asked_day) {
        let factor = match found.score > 0.0 {
            true => 1.0 + gain / found.score,
            false => 1.0,
        };
        found.score += gain;
        found.explanation.signals.push(SignalShare {
            name: DATE,
            factor,
            share: gain,
        });
    }
}

/// The name of the signal for chunks of the day that the question asks about.
pub(super) const DATE: &str = "date";

/// Limits the gain by signals, so that it lifts a chunk past at most `most` chunks without signals.
/// `before` has all scores without signals.
pub(super) fn bound(found: &mut [Scored], before: &[f32], most: usize) {
    let mut sorted = before.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    for (found, own) in found.iter_mut().zip(before) {
        let rank = sorted.partition_point(|score| score > own);
        let Some(limit) = rank.checked_sub(most).and_then(|rank| sorted.get(rank)) else {
            continue;
        };
        if found.score > *limit {
            let factor = limit / found.score;
            apply(found, "bound", factor);
        }
    }
}

/// Whether a word of a query is a name as written in source code: of several words, without a
/// blank.
fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let bytes = word.as_bytes();
    let mut pairs = bytes.iter().zip(bytes.iter().skip(1));
    word.contains('_')
        || word.contains("::")
        || pairs.any(|(before, after)| before.is_ascii_lowercase() && after.is_ascii_uppercase())
}

/// Whether a document is a `README` or an index of its folder, by its name.
fn is_index(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file
        .split('.')
        .find(|part| !part.is_empty())
        .unwrap_or(file);
    ["readme", "index"]
        .iter()
        .any(|name| stem.eq_ignore_ascii_case(name))
}

/// The words of a path, in lower case, with names of tests in parts: `FooTest.java`, `foo.test.ts`,
/// `foo_test.go`.
fn words_of(path: &str) -> Vec<String> {
    let parts = path.split(|c: char| !c.is_alphanumeric());
    parts.flat_map(camel).collect()
}

/// The words of `fooBarTest`, in lower case.
fn camel(part: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in part.chars() {
        if before.is_lowercase() && c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

/// The terms of the words and parts of words in `text`, without duplicates.
fn stems(analyzer: &mut Analyzer, text: &str) -> HashSet<String> {
    let mut terms = analyzer.terms(text);
    let mut stems = HashSet::new();
    while let Some(term) = terms.advance() {
        if term.positions == 1 {
            stems.insert(term.text.to_string());
        }
    }
    stems
}

/// The last day that a chunk is dated. A document that says it is evergreen has none.
fn day_of(document: &StoredDocument, chunk: &Features) -> Option<NaiveDate> {
    let evergreen = document.metadata.get("evergreen").and_then(Value::as_bool);
    let dates = dates_of(document, chunk).filter(|_| evergreen != Some(true));
    dates.filter_map(|date| date.parse().ok()).max()
}
