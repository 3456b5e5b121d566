//! What has a say besides the words and the vectors: each [`Signals`] factor that applies to a chunk, as a line of its explanation.

use std::collections::{HashMap, HashSet};

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

/// What a query says to the signals.
pub(super) struct Asked<'a> {
    words: &'a Words,
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
        let asks = |list: &[&str]| {
            let mut stems = list.iter().flat_map(|word| stems(word));
            stems.any(|stem| terms.contains(&*stem))
        };
        Asked {
            words,
            wants: [asks(&TEST), asks(&GENERATED), asks(&VENDORED)],
            terms,
            names_something: words.text.split_whitespace().any(is_name),
            among_code,
            today,
        }
    }

    /// The signals of a chunk by itself, in a fixed order.
    pub(super) fn of_chunk(
        &self,
        found: &Found,
        document: &StoredDocument,
        features: &Features,
        signals: &Signals,
    ) -> Vec<(&'static str, f32)> {
        let mut list = Vec::new();
        let mut add = |name, applies: bool, factor: f32| {
            if applies && factor != 1.0 {
                list.push((name, factor));
            }
        };
        add("all words", found.all_words, signals.all_words);
        let file = document.path.rsplit('/').next().unwrap_or(&document.path);
        let stem = file
            .split('.')
            .find(|part| !part.is_empty())
            .unwrap_or(file);
        let is_index = ["readme", "index"]
            .iter()
            .any(|name| stem.eq_ignore_ascii_case(name));
        add("index document", is_index, signals.index_document);
        let path: HashSet<String> = stems(&document.path).collect();
        let in_path = self
            .words
            .required
            .iter()
            .filter(|term| path.contains(*term));
        let in_path = i32::try_from(in_path.count()).unwrap_or(i32::MAX);
        add("path words", in_path > 0, signals.path_word.powi(in_path));
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
        add("definition", self.defined_in(features), signals.definition);
        if document.is_code() {
            let kinds = [TEST.as_slice(), &GENERATED, &VENDORED];
            let factors = [
                ("test or example", signals.test),
                ("generated", signals.generated),
                ("vendored or legacy", signals.vendored),
            ];
            for ((words, wanted), (name, factor)) in kinds.iter().zip(self.wants).zip(factors) {
                add(name, !wanted && has_word(&document.path, words), factor);
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
    fn defined_in(&self, features: &Features) -> bool {
        features.defines.iter().any(|defined| {
            let parts: HashSet<String> = stems(defined).collect();
            match parts.len() {
                0 => false,
                1 => self.terms.len() <= 2 && self.words.names.contains(&name(defined)),
                _ => parts.iter().all(|part| self.terms.contains(&**part)),
            }
        })
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

fn has_word(path: &str, words: &[&str]) -> bool {
    let mut parts = path.split(|c: char| !c.is_alphanumeric());
    // Ways to write a test that are not words: `FooTest.java`, `foo.test.ts` and `foo_test.go` are, by their parts.
    parts.any(|part| {
        let part_words = camel(part);
        part_words.iter().any(|word| words.contains(&&**word))
    })
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

/// The terms of the words and parts of words in `text`.
fn stems(text: &str) -> impl Iterator<Item = String> + use<> {
    let mut analyzer = analyzer(Purpose::Query);
    let mut stream = analyzer.token_stream(text);
    let mut terms = Vec::new();
    stream.process(&mut |token| {
        if token.position_length == 1 {
            terms.push(token.text.clone());
        }
    });
    terms.into_iter()
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
fn day_in(text: &str) -> Option<f32> {
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
