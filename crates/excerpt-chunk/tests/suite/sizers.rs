//! Sizers of one's own: the limits are theirs, whatever they count, and what they fail at is an
//! error.

use std::cell::Cell;
use std::error::Error;
use std::io;

use excerpt_chunk::{
    Chunker, Chunking, Config, Document, Overlap, Preset, SizeError, Sizer, Strategy, Unit,
};
use proptest::prelude::*;

use crate::cases::random_cases;
use crate::kept::checked;
use crate::promises::{any_config, any_text};

type Size = Result<usize, Box<dyn Error + Send + Sync>>;

/// Counts with a function.
struct Counter<F>(F);

impl<F: Fn(&str) -> Size> Sizer for Counter<F> {
    fn unit(&self) -> &str {
        "units"
    }

    fn size(&self, text: &str) -> Size {
        (self.0)(text)
    }
}

/// A tokenizer: a token is a run of up to four letters or digits, with the space before it, or any
/// other single character. Tokens differ where a text is divided.
fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let from = if first == ' ' { 1 } else { 0 };
        let word = rest[from..].chars().take(4);
        let word: usize = word
            .take_while(|char| char.is_alphanumeric())
            .map(char::len_utf8)
            .sum();
        let token = if word > 0 {
            from + word
        } else {
            first.len_utf8()
        };
        rest = &rest[token..];
        count += 1;
    }
    count
}

/// Sizes that add up, fall short of the sum, and exceed it; and units smaller than a byte.
fn counters() -> Vec<(&'static str, Box<dyn Sizer>)> {
    vec![
        ("tokens", Box::new(Counter(|text: &str| Ok(tokens(text))))),
        (
            "words",
            Box::new(Counter(|text: &str| Ok(text.split_whitespace().count()))),
        ),
        (
            "lines",
            Box::new(Counter(|text: &str| Ok(text.lines().count()))),
        ),
        ("bits", Box::new(Counter(|text: &str| Ok(8 * text.len())))),
        (
            "squares",
            Box::new(Counter(|text: &str| Ok(text.len() * text.len() / 50))),
        ),
        ("nothing", Box::new(Counter(|_: &str| Ok(0)))),
    ]
}

fn kept<'a>(config: &Config, document: &Document<'a>, sizer: &dyn Sizer) -> Chunking<'a> {
    let chunker = Chunker::new(config.clone()).unwrap();
    let chunking = checked(config, sizer, document, || {
        chunker.chunk_with(document, sizer).unwrap()
    });
    assert_eq!(chunking.size, sizer.size(document.text()).unwrap());
    chunking
}

const GUIDE: &str = "# Guide\n\nSome words before the first section.\n\n## Install\n\nRun the installer, and wait for it to end. Then restart the machine.\n\n## Use\n\nAsk a question: the answer names the document and its lines.\n";

#[test]
fn a_tokenizer_of_ones_own_sets_the_limits() {
    let config = Config {
        target: 24,
        max: 24,
        min: 4,
        ..Config::default()
    };
    let sizer = Counter(|text: &str| Ok(tokens(text)));
    let document = Document::new(GUIDE).with_path("guide.md");
    let chunking = kept(&config, &document, &sizer);
    assert_eq!((&*chunking.unit, chunking.size), ("units", tokens(GUIDE)));
    assert!(chunking.chunks.len() > 2, "{}", chunking.chunks.len());
    let full = chunking.summary().largest;
    assert!((18..=24).contains(&full), "the largest has {full} of 24");
}

#[test]
fn a_unit_as_a_sizer_gives_the_chunks_of_the_unit() {
    for preset in [Preset::Auto, Preset::Docs, Preset::Memory] {
        let config = Config {
            target: 90,
            max: 120,
            min: 20,
            overlap: Overlap::Size(0),
            overview: None,
            ..preset.config(Unit::Chars)
        };
        let chunker = Chunker::new(config).unwrap();
        let document = Document::new(GUIDE).with_path("guide.md");
        let json = |chunking: &Chunking<'_>| serde_json::to_string_pretty(chunking).unwrap();
        let by_sizer = chunker.chunk_with(&document, &Unit::Chars).unwrap();
        assert_eq!(json(&by_sizer), json(&chunker.chunk(&document)));
    }
}

proptest! {
    #![proptest_config(random_cases(300))]

    #[test]
    fn guarantees_hold_for_any_sizer(text in any_text(), config in any_config(), path in prop::sample::select(vec!["a.md", "b/c.txt"])) {
        let document = Document::new(&text).with_path(path);
        for (_, sizer) in counters() {
            kept(&config, &document, &sizer);
        }
    }
}

#[test]
fn a_failure_at_any_call_is_the_error_of_the_chunking() {
    let strategies = [
        Strategy::Auto,
        Strategy::Markdown,
        Strategy::Fixed,
        Strategy::Naive,
    ];
    for strategy in strategies {
        let config = Config {
            strategy,
            target: 24,
            max: 24,
            min: 4,
            overlap: Overlap::Size(6),
            ..Config::default()
        };
        let chunker = Chunker::new(config).unwrap();
        let document = Document::new(GUIDE).with_path("guide.md");
        let calls = Cell::new(0);
        let failing_at = |call: usize| {
            calls.set(0);
            let sizer = Counter(|text: &str| {
                calls.set(calls.get() + 1);
                match calls.get() == call {
                    true => Err(io::Error::other("the tokenizer is gone").into()),
                    false => Ok(tokens(text)),
                }
            });
            chunker
                .chunk_with(&document, &sizer)
                .map(|chunking| chunking.chunks.len())
        };
        let whole = failing_at(0).unwrap();
        let all = calls.get();
        assert!(whole > 1 && all > 40, "{all} calls");
        for call in 1..=all {
            let Err(SizeError::Failed { source, .. }) = failing_at(call) else {
                panic!("call {call} of {all} failed without an error");
            };
            assert_eq!(source.to_string(), "the tokenizer is gone");
            assert_eq!(calls.get(), call, "nothing is asked after a failure");
        }
    }
}

#[test]
fn a_failure_says_how_much_could_not_be_measured() {
    let sizer = Counter(|text: &str| match text.contains("wait") {
        true => Err("unknown word".into()),
        false => Ok(text.len()),
    });
    let error = Chunker::default()
        .chunk_with(&Document::new(GUIDE), &sizer)
        .unwrap_err();
    assert_eq!(error.to_string(), "a text of 5 bytes cannot be measured");
    assert_eq!(error.source().unwrap().to_string(), "unknown word");
}

#[test]
fn sizes_that_no_text_can_have_are_errors() {
    let error = |sizer: &dyn Sizer| {
        let chunking = Chunker::default().chunk_with(&Document::new(GUIDE), sizer);
        chunking.unwrap_err().to_string()
    };
    // A tokenizer that puts two marks around every text.
    let marks = Counter(|text: &str| Ok(text.split_whitespace().count() + 2));
    assert_eq!(
        error(&marks),
        "the size of a text of 0 bytes is 2 units, expected at most 0"
    );
    let endless = Counter(|text: &str| Ok(if text.is_empty() { 0 } else { usize::MAX }));
    assert_eq!(
        error(&endless),
        format!(
            "the size of a text of 1 bytes is {} units, expected at most {}",
            usize::MAX,
            usize::MAX / 256
        )
    );
    // Each is possible, the sum is not.
    let large = Counter(|text: &str| Ok(if text.is_empty() { 0 } else { usize::MAX >> 9 }));
    assert!(error(&large).starts_with("the size of a text of 13 bytes is "));
}
