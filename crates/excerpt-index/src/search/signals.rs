//! What has a say besides the words and the vectors: each [`Signals`] factor that applies to a chunk, as a line of its explanation.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use tantivy::tokenizer::TextAnalyzer;

use super::fusion::Found;
use super::query::Words;
use super::ranking::Signals;
use crate::model::SignalShare;
use crate::store::{Features, Purpose, StoredDocument, analyzer, name};

/// How many of a document's chunks speak for it.
const SPEAKING: usize = 3;

/// Words of a path that say: a try of the code, not the code.
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
/// Words of a path that say: made by a program.
const GENERATED: [&str; 7] = [
    "bundle",
    "gen",
    "generated",
    "min",
    "pb",
    "pb2",
    "snapshots",
];
/// Words of a path that say: made elsewhere, or no longer in use.
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
    kinds.map(|kind| stems(&mut analyzer(Purpose::Query), &kind.join(" ")))
});

/// What a query says to the signals.
pub(super) struct Asked<'a> {
    words: &'a Words,
    analyzer: TextAnalyzer,
    /// The terms of the query.
    terms: HashSet<&'a str>,
    /// Whether it asks for tests, for what is generated, for what is vendored.
    wants: [bool; 3],
    /// Whether it has a name as source code writes them.
    names_something: bool,
    /// Whether most of what is searched is code.
    among_code: bool,
    /// The day of the search, in days since 1970.
    today: f32,
}

impl<'a> Asked<'a> {
    pub(super) fn new(words: &'a Words, among_code: bool, today: f32) -> Self {
        let terms: HashSet<&str> = words.required.iter().map(|term| &**term).collect();
        let wants = KINDS
            .each_ref()
            .map(|kind| kind.iter().any(|stem| terms.contains(&**stem)));
        Asked {
            words,
            analyzer: analyzer(Purpose::Query),
            wants,
            terms,
            names_something: words.text.split_whitespace().any(is_name),
            among_code,
            today,
        }
    }

    /// The signals of a chunk by itself, in a fixed order.
    pub(super) fn of_chunk(
        &mut self,
        found: &Found,
        features: &Features,
        signals: &Signals,
    ) -> Vec<Factor> {
        let mut list = Vec::new();
        add(&mut list, "all words", found.all_words, signals.all_words);
        let defined = signals.definition != 1.0 && self.defined_in(features);
        add(&mut list, "definition", defined, signals.definition);
        list
    }

    /// The signals of all chunks of a document, in a fixed order.
    pub(super) fn of_document(
        &mut self,
        document: &StoredDocument,
        signals: &Signals,
    ) -> Vec<Factor> {
        let mut list = Vec::new();
        let mut add = |name, applies, factor| add(&mut list, name, applies, factor);
        let file = document.path.rsplit('/').next().unwrap_or(&document.path);
        let stem = file
            .split('.')
            .find(|part| !part.is_empty())
            .unwrap_or(file);
        let is_index = ["readme", "index"]
            .iter()
            .any(|name| stem.eq_ignore_ascii_case(name));
        add("index document", is_index, signals.index_document);
        if signals.path_word != 1.0 {
            let path = stems(&mut self.analyzer, &document.path);
            let required = self.words.required.iter();
            let in_path = required.filter(|term| path.contains(*term)).count();
            let in_path = i32::try_from(in_path).unwrap_or(i32::MAX);
            add("path words", in_path > 0, signals.path_word.powi(in_path));
        }
        let prose = !document.is_code();
        add(
            "prose, for a name",
            prose && self.names_something,
            signals.prose_for_a_name,
        );
        add(
            "prose among code",
            prose && self.among_code,
            signals.prose_among_code,
        );
        if document.is_code() {
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
                add(name, !wanted && has_one, factor);
            }
        }
        if signals.recency != 1.0
            && let Some(day) = day_of(document)
        {
            let age = (self.today - day).max(0.0);
            let left = 0.5_f32.powf(age / signals.half_life.max(f32::MIN_POSITIVE));
            add(
                "recency",
                true,
                signals.recency + (1.0 - signals.recency) * left,
            );
        }
        list
    }

    /// Whether the chunk defines what the query names: a name of several words that are all in the query, or a word of a query that has hardly others.
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

    /// Whether the first part of a name could be a term of the query, by its first letter, which a stem keeps.
    fn may_name(&self, defined: &str) -> bool {
        let Some(first) = defined.chars().find(|c| c.is_alphanumeric()) else {
            return false;
        };
        let first = first.to_ascii_lowercase();
        !first.is_ascii() || self.terms.iter().any(|term| term.starts_with(first))
    }
}

/// A signal and what it multiplies a score by.
pub(super) type Factor = (&'static str, f32);

fn add(list: &mut Vec<Factor>, name: &'static str, applies: bool, factor: f32) {
    if applies && factor != 1.0 {
        list.push((name, factor));
    }
}

/// Multiplies a chunk's score, and writes down what that changes.
pub(super) fn apply(found: &mut Found, name: &'static str, factor: f32) {
    let share = found.score * (factor - 1.0);
    found.score += share;
    found.explanation.signals.push(SignalShare {
        name,
        factor,
        share,
    });
}

/// Chunks gain by other good chunks of their document.
pub(super) fn cohere(found: &mut [Found], most: f32) {
    if most == 1.0 {
        return;
    }
    let mut scores: HashMap<u64, Vec<f32>> = HashMap::new();
    for found in found.iter() {
        scores.entry(found.document).or_default().push(found.score);
    }
    let sums: HashMap<u64, f32> = scores
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
        let share = sums[&found.document] / best;
        apply(found, "coherence", 1.0 + (most - 1.0) * share);
    }
}

/// Takes back what lifts a chunk over more than `most` chunks that no signal touches. `before` holds all scores without signals.
pub(super) fn bound(found: &mut [Found], before: &[f32], most: usize) {
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

/// Whether a word of a query is written as source code writes names: of several words, without a blank.
fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let bytes = word.as_bytes();
    let mut pairs = bytes.iter().zip(bytes.iter().skip(1));
    word.contains('_')
        || word.contains("::")
        || pairs.any(|(before, after)| before.is_ascii_lowercase() && after.is_ascii_uppercase())
}

/// The words of a path, in lower case. Ways to write a test that are not words are, by their parts: `FooTest.java`, `foo.test.ts`, `foo_test.go`.
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

/// The terms of the words and parts of words in `text`, each once.
fn stems(analyzer: &mut TextAnalyzer, text: &str) -> HashSet<String> {
    let mut stream = analyzer.token_stream(text);
    let mut terms = HashSet::new();
    stream.process(&mut |token| {
        if token.position_length == 1 {
            terms.insert(token.text.clone());
        }
    });
    terms
}

/// The day of a dated document, in days since 1970: of its front matter or of its path. What is said to be evergreen has none.
fn day_of(document: &StoredDocument) -> Option<f32> {
    if document
        .metadata
        .get("evergreen")
        .and_then(serde_json::Value::as_bool)
        == Some(true)
    {
        return None;
    }
    let dated = document.metadata.get("date").and_then(|date| date.as_str());
    dated.and_then(day_in).or_else(|| day_in(&document.path))
}

/// The last `YYYY-MM-DD` in a text, in days since 1970 (Hinnant, *chrono-compatible low-level date algorithms*).
pub(crate) fn day_in(text: &str) -> Option<f32> {
    let bytes = text.as_bytes();
    let windows = bytes.windows(10).enumerate().rev();
    windows.into_iter().find_map(|(at, window)| {
        let number = |from: usize, to: usize| -> Option<i64> {
            let digits = window.get(from..to)?;
            let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
            std::str::from_utf8(digits).ok()?.parse().ok()
        };
        let alone = |at: Option<&u8>| at.is_none_or(|byte| !byte.is_ascii_digit());
        if window[4] != b'-' || window[7] != b'-' || !alone(bytes.get(at + 10)) {
            return None;
        }
        if at > 0 && !alone(bytes.get(at - 1)) {
            return None;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
        Some(days as f32)
    })
}
