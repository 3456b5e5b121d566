//! For any bytes, any splice of samples and any detail, the outline covers the text, and nothing
//! panics.

use excerpt_chunk::{Config, ContextParts, Document, Preset, Strategy, Unit};
use excerpt_grammars::{chunker, languages};
use proptest::prelude::*;

use crate::cases::random_cases;
use crate::kept as promises;
use crate::outlines::kept;
use crate::samples::sample;

/// The range of `text` selected by two numbers.
fn part(text: &str, from: usize, to: usize) -> &str {
    let place = |at: usize| text.floor_char_boundary(at % (text.len() + 1));
    let (from, to) = (place(from), place(to));
    &text[from.min(to)..from.max(to)]
}

/// Texts that are hard to parse.
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

#[test]
fn a_combining_mark_is_never_split_from_its_character() {
    for text in [
        ";\u{747}true)",
        "a = 1;\u{747}true)",
        "ab;\u{301}\u{302} c = 2;\u{301}\n{\u{301}}\u{301}",
        "<b>\u{301}</b>\u{301}\"\u{301}a\"\u{301}:\u{301} 1",
    ] {
        for language in languages() {
            let document = Document::new(text).with_language(language);
            kept(&document, 0);
            for max in 1..16 {
                let config = Config {
                    strategy: Strategy::Code,
                    context: ContextParts::NONE,
                    target: max,
                    max,
                    min: 0,
                    ..Preset::Code.config(Unit::Chars)
                };
                promises::kept(&chunker(config).unwrap(), &document);
            }
        }
    }
}

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
