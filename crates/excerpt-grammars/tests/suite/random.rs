//! Any bytes, any splice of samples, any detail: an outline that tiles, and no panic.

use excerpt_chunk::Document;
use excerpt_grammars::languages;
use proptest::prelude::*;

use crate::cases::random_cases;
use crate::outlines::kept;
use crate::samples::sample;

/// `text` cut to the range that two numbers stand for.
fn part(text: &str, from: usize, to: usize) -> &str {
    let place = |at: usize| text.floor_char_boundary(at % (text.len() + 1));
    let (from, to) = (place(from), place(to));
    &text[from.min(to)..from.max(to)]
}

/// What is hard to read.
const MARKS: [&str; 22] = [
    "{",
    "}",
    "(",
    ")",
    "\"",
    "'",
    "`",
    "/*",
    "*/",
    "#",
    "\n",
    "\r\n",
    "\0",
    "\t",
    "é",
    "👩‍👩‍👧‍👦",
    "<<EOF\n",
    "\"\"\"",
    "<script>",
    "\u{feff}",
    ";",
    "    ",
];

proptest! {
    #![proptest_config(random_cases(600))]

    #[test]
    fn spliced_samples_are_outlined(
        language in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        cuts in prop::array::uniform4(any::<usize>()),
        marks in prop::collection::vec(prop::sample::select(&MARKS[..]), 0..6),
        detail in 0..600usize,
    ) {
        let all: Vec<&str> = languages().collect();
        let language = *language.get(&all);
        let (_, first) = sample(language);
        let second = *other.get(&all);
        let (_, second) = sample(second);
        let [a, b, c, d] = cuts;
        let text = format!("{}{}{}", part(&first, a, b), marks.concat(), part(&second, c, d));
        kept(&Document::new(&text).with_language(language), detail);
    }

    #[test]
    fn truncated_samples_are_outlined(
        language in any::<prop::sample::Index>(),
        end in any::<usize>(),
        detail in 0..300usize,
    ) {
        let all: Vec<&str> = languages().collect();
        let language = *language.get(&all);
        let (_, text) = sample(language);
        kept(&Document::new(part(&text, 0, end)).with_language(language), detail);
    }

    #[test]
    fn any_characters_are_outlined(
        language in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        text in "\\PC{0,60}",
        detail in 0..100usize,
    ) {
        let all: Vec<&str> = languages().collect();
        let language = *language.get(&all);
        let bytes = String::from_utf8_lossy(&bytes);
        kept(&Document::new(&format!("{text}{bytes}")).with_language(language), detail);
    }
}
