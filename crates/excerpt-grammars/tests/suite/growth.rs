//! Inputs made to be slow or deep. No time is asserted: what is not linear does not end while somebody waits, and what recurses overflows
//! the stack.

use excerpt_chunk::Document;
use excerpt_grammars::languages;

use crate::outlines::kept;
use crate::samples::sample;

fn in_all(text: &str) {
    for language in languages() {
        kept(&Document::new(text).with_language(language), 400);
    }
}

#[test]
fn brackets_in_brackets() {
    for bracket in ["(", "[", "{", "<div>", "if (a) {", "((a) => "] {
        in_all(&bracket.repeat(100_000 / bracket.len()));
    }
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("{\"a\":", "}")] {
        in_all(&(open.repeat(10_000) + &close.repeat(10_000)));
    }
}

#[test]
fn one_long_line() {
    in_all(&"x".repeat(300_000));
    in_all(&"a, ".repeat(50_000));
    in_all(&"a = 1; ".repeat(20_000));
    in_all(&format!("x = \"{}\"", "y ".repeat(100_000)));
}

#[test]
fn white_space_and_nothing() {
    in_all("");
    in_all("\n");
    in_all("\u{feff}");
    in_all(&" ".repeat(300_000));
    in_all(&"\n".repeat(300_000));
    in_all(&"\0".repeat(100_000));
}

#[test]
fn comments_without_end() {
    in_all(&"// a\n# b\n-- c\n".repeat(10_000));
    in_all(&"/*".repeat(50_000));
}

#[test]
fn samples_again_and_again() {
    for language in languages() {
        let (_, text) = sample(language);
        let text = text.repeat(300_000 / text.len());
        kept(&Document::new(&text).with_language(language), 1_600);
        kept(&Document::new(&text).with_language(language), 0);
    }
}

#[test]
fn too_large_a_text_is_read_as_lines() {
    let text = "a = 1\n".repeat(1_500_000);
    let outline = kept(&Document::new(&text).with_language("python"), 1_600);
    assert_eq!(outline.language(), None);
}
