//! Evidence other than the words and the vectors: each factor of [`Signals`] that applies to a
//! chunk is a line of its explanation.

use std::collections::HashSet;
use std::sync::LazyLock;

use chrono::NaiveDate;
use excerpt_chunk::Document;
use serde_json::Value;

use super::fusion::Scored;
use super::naming::{Naming, file_name, stems};
use super::query::Words;
use crate::analysis::{Analyzer, Purpose, asks, name};
use crate::model::{ChunkKey, DocumentId, SignalShare, Signals};
use crate::store::{ById, Features, StoredDocument, dates_of};

/// The parts of [`Signals::coherence_in_code`] for the second best chunk of a document, the third
/// and the fourth.
const PARTS: [f32; 3] = [1.0, 1.0 / 2.0, 1.0 / 3.0];

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
    kinds.map(|kind| stems(&Analyzer::new(Purpose::Query), &kind.join(" ")))
});

/// The share of the [sequences](Words::sequences) of a question that source code must contain for
/// it to count as the source of a copied text. A smaller share occurs wherever the same is talked
/// about.
const COPIED: f32 = 2.0 / 3.0;

/// The power of that share in the factor: a text that contains the whole question was copied, and
/// one that contains most of it may only be similar.
const WHOLE: i32 = 4;

/// The properties of a query that the signals use.
pub(super) struct SignalInput<'a> {
    words: &'a Words,
    analyzer: Analyzer,
    naming: Naming<'a>,
    /// Whether it asks for tests, for generated files, for vendored files.
    wants: [bool; 3],
    /// What it contains that is [a name as written in source code](is_name), in the form in which
    /// names are compared.
    names: Vec<String>,
    /// Whether it is asked as a question.
    asks: bool,
    /// What it names with a container.
    members: Vec<Member<'a>>,
    /// The share of the question that is the name of one that a candidate defines.
    found_member: f32,
    /// Whether there is more source code than prose in the searched documents.
    among_code: bool,
    /// The day of the search.
    today: NaiveDate,
}

impl<'a> SignalInput<'a> {
    /// `weights` says how rare each term of the query is, as in a
    /// [survey](crate::store::snapshot::Survey::weights).
    pub(super) fn new(
        words: &'a Words,
        weights: &[Option<f32>],
        among_code: bool,
        today: NaiveDate,
    ) -> Self {
        let wants = KINDS
            .each_ref()
            .map(|kind| words.required.iter().any(|term| kind.contains(term)));
        let names = words.text.split_whitespace().filter(|word| is_name(word));
        let analyzer = Analyzer::new(Purpose::Query);
        let naming = Naming::new(&words.required, weights);
        let members = words.text.split_whitespace().filter_map(member);
        let members = members.map(|(container, name)| Member {
            share: naming.title(&analyzer, &format!("{container} {name}")),
            container,
            name,
        });
        let members = members.collect();
        SignalInput {
            words,
            analyzer,
            naming,
            wants,
            names: names.map(name).collect(),
            asks: asks(&words.text),
            members,
            found_member: 0.0,
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
        let is_copied = document.is_code() && found.in_sequence >= COPIED;
        let factor = 1.0 + (signals.sequence - 1.0) * found.in_sequence.powi(WHOLE);
        add(&mut list, "sequence", is_copied, factor);
        let nearest = features.trail.iter().next_back();
        let nearest = nearest.into_iter().chain(features.sections.first());
        let nearest: Vec<&str> = nearest.map(|heading| &**heading).collect();
        self.add_match(&mut list, "heading", &nearest.join(" "), signals.heading);
        if signals.definition != 1.0 {
            let fit = match document.is_code() {
                true => {
                    let defines = features.defines.iter();
                    let fits =
                        defines.map(|defined| self.naming.definition(&self.analyzer, defined));
                    let fit = fits.fold(0.0, f32::max);
                    // Of a question that is a name, its container alone is not what is asked for.
                    match self.member(features, document) {
                        Some(member) => fit.max(member),
                        None => fit * (1.0 - self.found_member / 2.0),
                    }
                }
                false => self.described(features),
            };
            let factor = 1.0 + (signals.definition - 1.0) * fit;
            add(&mut list, "definition", fit > 0.0, factor);
        }
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

    /// The share of the question that is the name of a member with its container, as in
    /// `Kettle::boil`, if the chunk defines it: the container is around the definition, beside it,
    /// or the file.
    fn member(&self, features: &Features, document: &StoredDocument) -> Option<f32> {
        let has = |texts: &[String], wanted: &str| {
            texts.iter().any(|text| {
                let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.any(|word| word.eq_ignore_ascii_case(wanted))
            })
        };
        let defined = self.members.iter().filter(|member| {
            let container = member.container;
            has(&features.defines, member.name)
                && (has(&features.trail, container)
                    || has(&features.sections, container)
                    || has(&features.defines, container)
                    || file_name(&document.path).eq_ignore_ascii_case(container))
        });
        defined.map(|member| member.share).reduce(f32::max)
    }

    /// Looks for the [members](Self::member) among all candidates.
    pub(super) fn find_members<'f>(
        &mut self,
        chunks: impl Iterator<Item = (&'f StoredDocument, &'f Features)>,
    ) {
        if !self.members.is_empty() {
            let code = chunks.filter(|(document, _)| document.is_code());
            let found = code.filter_map(|(document, features)| self.member(features, document));
            self.found_member = found.fold(0.0, f32::max);
        }
    }

    /// How well a heading of prose matches that contains a name in the question: it describes what
    /// has that name.
    fn described(&self, features: &Features) -> f32 {
        if self.names.is_empty() {
            return 0.0;
        }
        let headings = features.trail.iter().next_back().into_iter();
        let named = headings.chain(&features.sections).filter(|heading| {
            let mut words = heading.split_whitespace().map(name);
            words.any(|word| self.names.contains(&word))
        });
        let fits = named.map(|heading| self.naming.title(&self.analyzer, heading));
        fits.fold(0.0, f32::max)
    }

    /// The signals of all chunks of a document, in a fixed order.
    pub(super) fn of_document(
        &mut self,
        document: &StoredDocument,
        signals: &Signals,
    ) -> Vec<Factor> {
        let mut list = Vec::new();
        self.add_match(
            &mut list,
            "file name",
            file_name(&document.path),
            signals.file_name,
        );
        let is_index = Document::new("").with_path(&document.path).is_overview();
        add(
            &mut list,
            "index document",
            is_index,
            signals.index_document,
        );
        if signals.path_word != 1.0 {
            let path = stems(&self.analyzer, &document.path);
            let required = self.words.required.iter();
            let in_path = required.filter(|term| path.contains(*term)).count();
            let in_path = i32::try_from(in_path).unwrap_or(i32::MAX);
            let factor = signals.path_word.powi(in_path);
            add(&mut list, "path words", in_path > 0, factor);
        }
        match document.is_code() {
            true => self.of_code(document, signals, &mut list),
            false if document.is_records() => {}
            false => self.of_prose(signals, &mut list),
        }
        list
    }

    /// Adds the signals of prose: a question in plain words is rather about it, one with a name
    /// about source code.
    fn of_prose(&self, signals: &Signals, list: &mut Vec<Factor>) {
        let for_a_name = !self.names.is_empty();
        add(
            list,
            "prose, for a name",
            for_a_name,
            signals.prose_for_a_name,
        );
        let among_code = self.among_code && !for_a_name;
        add(
            list,
            "prose among code",
            among_code,
            signals.prose_among_code,
        );
        add(
            list,
            "prose, for a question",
            among_code && self.asks,
            signals.prose_for_a_question,
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
        let mut has_one = [false; 3];
        each_word(&document.path, |word| {
            for (has_one, words) in has_one.iter_mut().zip(kinds) {
                *has_one |= words.contains(&word);
            }
        });
        for ((has_one, wanted), (name, factor)) in has_one.into_iter().zip(self.wants).zip(factors)
        {
            add(list, name, !wanted && has_one, factor);
        }
    }

    /// Adds the factor for a title, by how well it matches the query: `most` at best.
    fn add_match(&mut self, list: &mut Vec<Factor>, name: &'static str, title: &str, most: f32) {
        if most != 1.0 {
            let fit = self.naming.title(&self.analyzer, title);
            add(list, name, fit > 0.0, 1.0 + (most - 1.0) * fit);
        }
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

/// Adds to a chunk's score, and to its explanation.
pub(super) fn gain(found: &mut Scored, name: &'static str, share: f32) {
    let factor = match found.score > 0.0 {
        true => 1.0 + share / found.score,
        false => 1.0,
    };
    found.score += share;
    found.explanation.signals.push(SignalShare {
        name,
        factor,
        share,
    });
}

/// Adds a `share` of the better one of the two chunks next to it to the score of each chunk: what
/// is around an answer is often about the same.
pub(super) fn add_neighbours(found: &mut [Scored], share: f32) {
    if share == 0.0 {
        return;
    }
    let scores = found.iter().map(|found| (found.key, found.score));
    let scores: ById<ChunkKey, f32> = scores.collect();
    for found in found {
        let next_to = |ordinal: Option<u64>| {
            let document = found.key.document;
            scores
                .get(&ChunkKey {
                    document,
                    ordinal: ordinal?,
                })
                .copied()
        };
        let ordinal = found.key.ordinal;
        let before = next_to(ordinal.checked_sub(1));
        let after = next_to(ordinal.checked_add(1));
        let better = before.into_iter().chain(after).fold(0.0, f32::max);
        if better > 0.0 {
            gain(found, "neighbours", share * better);
        }
    }
}

/// Adds a share of the scores of a document's next chunks to its best one: a document about the
/// question has several chunks about it. `found` is in order, best first, and `share_of` says which
/// share a document's are.
pub(super) fn cohere(found: &mut [Scored], share_of: impl Fn(&Scored) -> f32) {
    let mut best: ById<DocumentId, (usize, usize, f32)> = ById::default();
    for (place, found) in found.iter().enumerate() {
        let (_, others, sum) = best.entry(found.key.document).or_insert((place, 0, 0.0));
        if *others > 0 {
            *sum += PARTS.get(*others - 1).copied().unwrap_or(0.0) * found.score;
        }
        *others += 1;
    }
    for (place, _, sum) in best.into_values() {
        let share = share_of(&found[place]) * sum;
        if share > 0.0 {
            gain(&mut found[place], "coherence", share);
        }
    }
}

/// How much more a chunk of the day gains than the best score, so that no other is equal.
const ABOVE: f32 = 1.01;

/// Chunks of the day that the question asks about come first: with a `part` of 1, each gains a
/// little more than the best score.
pub(super) fn favour(found: &mut [Scored], part: f32) {
    let scores = found.iter().map(|found| found.score);
    let best = scores.fold(0.0, f32::max);
    let most = part * if best > 0.0 { best * ABOVE } else { 1.0 };
    for found in found.iter_mut().filter(|found| found.is_of_asked_day) {
        gain(found, DATE, most);
    }
}

/// The name of the signal for chunks of the day that the question asks about.
pub(super) const DATE: &str = "date";

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

/// A name in a question with what contains it, as in `Kettle::boil`.
struct Member<'a> {
    container: &'a str,
    name: &'a str,
    /// The share of the question that both are, by how rare its words are.
    share: f32,
}

/// The container and the name in a word of a query, as in `Kettle::boil`, `Kettle.boil()`,
/// `Kettle#boil` or `kettle->boil`.
fn member(word: &str) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word = word.trim_matches(|c: char| !is_part(c));
    let parts = ["::", "->", ".", "#"].into_iter();
    let parts = parts.filter_map(|separator| word.rsplit_once(separator));
    let (before, name) = parts.max_by_key(|(before, _)| before.len())?;
    let container = before.rsplit(|c: char| !is_part(c)).next()?;
    let is_named = !container.is_empty() && !name.is_empty() && name.chars().all(is_part);
    is_named.then_some((container, name))
}

/// Calls `visit` with each word of a path, in lower case, with names of tests in parts:
/// `FooTest.java`, `foo.test.ts`, `foo_test.go`.
fn each_word(path: &str, mut visit: impl FnMut(&str)) {
    let mut word = String::new();
    let mut before = ' ';
    for c in path.chars().chain([' ']) {
        let is_inside = c.is_alphanumeric();
        if (!is_inside || (before.is_lowercase() && c.is_uppercase())) && !word.is_empty() {
            visit(&word);
            word.clear();
        }
        if is_inside {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
}

/// The last day that a chunk is dated. A document that says it is evergreen has none.
fn day_of(document: &StoredDocument, chunk: &Features) -> Option<NaiveDate> {
    let evergreen = document.metadata.get("evergreen").and_then(Value::as_bool);
    let dates = dates_of(document, chunk);
    let days = dates.iter().filter_map(|date| date.parse().ok());
    days.max().filter(|_| evergreen != Some(true))
}
