//! Inputs that are meant to be slow or deep. No time is asserted: an algorithm that is not linear
//! would take far too long, and a recursive one would overflow the stack.

use excerpt_chunk::{Document, Preset, Unit, Warning};
use excerpt_grammars::{chunker, languages};

use crate::outlines::kept;
use crate::samples::sample;

/// The size in bytes of a text with errors everywhere.
const SIZE: usize = 10_000;

fn in_all(text: &str) {
    for language in languages() {
        kept(&Document::new(text).with_language(language), 400);
    }
}

#[test]
fn brackets_in_brackets() {
    for bracket in ["(", "[", "{"] {
        in_all(&bracket.repeat(100_000));
    }
    for bracket in ["<div>", "if (a) {", "((a) => ", "- "] {
        in_all(&bracket.repeat(SIZE / bracket.len()));
    }
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("{\"a\":", "}")] {
        let depth = SIZE / (open.len() + close.len());
        in_all(&(open.repeat(depth) + &close.repeat(depth)));
    }
}

#[test]
fn brackets_that_never_opened() {
    in_all(&"};".repeat(SIZE / 2));
    in_all(&"end ".repeat(SIZE / 4));
}

#[test]
fn signs_and_quotes() {
    for sign in ["/-", "+*", "\"", "'", "$", "|", "<<A\n", "${", "#"] {
        in_all(&sign.repeat(SIZE / sign.len()));
    }
}

#[test]
fn one_long_line() {
    in_all(&"x".repeat(10 * SIZE));
    in_all(&"a, ".repeat(SIZE));
    in_all(&"a = 1; ".repeat(SIZE));
    in_all(&format!("x = \"{}\"", "y ".repeat(5 * SIZE)));
}

#[test]
fn white_space_and_nothing() {
    in_all("");
    in_all("\n");
    in_all("\u{feff}");
    in_all(&" ".repeat(10 * SIZE));
    in_all(&"\n".repeat(10 * SIZE));
    in_all(&"\0".repeat(SIZE));
}

#[test]
fn comments_without_end() {
    in_all(&"// a\n# b\n-- c\n".repeat(SIZE / 13));
    in_all(&"/*".repeat(SIZE / 2));
}

#[test]
fn samples_again_and_again() {
    for language in languages() {
        let (_, text) = sample(language);
        let text = text.repeat(100_000 / text.len());
        kept(&Document::new(&text).with_language(language), 1_600);
        kept(&Document::new(&text).with_language(language), 0);
    }
}

#[test]
fn a_text_that_is_too_large_is_read_as_lines() {
    let text = "a = 1\n".repeat(1_500_000);
    let outline = kept(&Document::new(&text).with_language("python"), 1_600);
    assert_eq!(outline.language(), Some("python"));
    assert_eq!(
        outline.fallbacks(),
        ["too large to be read as python: read as lines"]
    );
}

#[test]
fn more_lines_than_a_scanner_counts_are_read_as_lines() {
    let text = |lines: usize| "key:\n  - value\n".repeat(lines / 2);
    let fallbacks = |text: &str| {
        let outline = kept(&Document::new(text).with_language("yaml"), 1_600);
        outline.fallbacks().to_vec()
    };
    assert_eq!(fallbacks(&text(32_766)), [""; 0]);
    assert_eq!(
        fallbacks(&text(32_770)),
        ["not safe to be read as yaml: read as lines"]
    );
}

#[test]
fn chunks_of_unparsable_code_have_its_language() {
    let text = "a line of text, which is no data at all\n".repeat(200);
    let chunker = chunker(Preset::Code.config(Unit::Chars)).unwrap();
    let chunking = chunker.chunk(&Document::new(&text).with_path("data.json"));
    let [Warning::Fallback(note)] = &chunking.warnings[..] else {
        panic!("{:?}", chunking.warnings);
    };
    assert_eq!(note, "could not be read as json: read as lines");
    assert!(chunking.chunks.len() > 1);
    let mut languages = chunking.chunks.iter().map(|chunk| &chunk.language);
    assert!(languages.all(|language| language.as_deref() == Some("json")));
}
