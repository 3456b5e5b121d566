//! The guarantees of every chunking, for any text and any configuration.

use excerpt_chunk::{
    Atomic, Chunker, Chunking, Config, ContextParts, Document, Overlap, Strategy, Syntax, Unit,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use crate::cases::random_cases;
use crate::kept;

/// Splits `document` by `config` and checks all guarantees on the result.
pub(crate) fn kept<'a>(document: &Document<'a>, config: &Config) -> Chunking<'a> {
    kept::kept(&Chunker::new(config.clone()).unwrap(), document)
}

/// Pieces with a meaning for a parser.
const MARKS: [&str; 28] = [
    "# H\n",
    "## Two\n",
    "### Three\n\n",
    "\n",
    "\n\n",
    "\r\n",
    "- item\n",
    "  - nested\n",
    "1. one\n",
    "> quote\n",
    "```rust\n",
    "```\n",
    "~~~\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    "---\n",
    "***\n",
    "===\n",
    "<div>\n",
    "</div>\n",
    "[^1]: note\n",
    "[a]: /b\n",
    "    code\n",
    "---\ntitle: T\n---\n",
    "+++\n",
    "Sentence one. Sentence two! ",
    "e.g. this. ",
    "list:\n",
    "<a name=\"x\">\n",
];

/// Characters that are hard to split between.
const CLUSTERS: [&str; 18] = [
    " ",
    " ",
    "\t",
    ". ",
    "! ",
    "é",
    "漢字。",
    "👩‍👩‍👧‍👦",
    "🇫🇷🇩🇪",
    "e\u{301}",
    " \u{301}",
    "\u{feff}",
    "\0",
    "\u{600} ",
    "\u{200d}",
    "\u{3000}",
    "각",
    "。\u{301}",
];

prop_compose! {
    /// A text of pieces that mean something to a parser, or are hard to split.
    pub(crate) fn any_text()(pieces in prop::collection::vec(prop_oneof![
        4 => "[a-z]{1,12}",
        2 => prop::sample::select(&MARKS[..]).prop_map(str::to_string),
        2 => prop::sample::select(&CLUSTERS[..]).prop_map(str::to_string),
        1 => "\\PC{0,20}",
    ], 0..60)) -> String {
        pieces.concat()
    }
}

/// The units that are available in this build.
fn units() -> Vec<Unit> {
    let real = [Unit::O200k, Unit::Cl100k];
    let estimates = [Unit::Chars, Unit::Tokens, Unit::CjkTokens];
    let real = real.into_iter().filter(|_| cfg!(feature = "tokens"));
    estimates.into_iter().chain(real).collect()
}

prop_compose! {
    /// Any valid configuration.
    pub(crate) fn any_config()(
        strategy in prop::sample::select(vec![
            Strategy::Auto, Strategy::Markdown, Strategy::Headers, Strategy::Delimiter, Strategy::Fixed, Strategy::Code, Strategy::Whole, Strategy::Naive,
        ]),
        unit in prop::sample::select(units()),
        max in prop_oneof![1usize..40, 20usize..300],
        target in 0.01f64..=1.0,
        min in 0.0f64..1.0,
        overlap in prop_oneof![Just(0.0), 0.0f64..1.0],
        percent in any::<bool>(),
        levels in prop::sample::select(vec![None, Some("1,2"), Some("2,3"), Some("1,2,3,4,5,6")]),
        delimiter in prop::sample::select(vec![None, Some("^---$"), Some("\\n\\n\\n"), Some("[a-m]+"), Some("^## ")]),
        include_delimiter in any::<bool>(),
        keep in any::<bool>(),
        marker in 0..8usize,
        overview in prop_oneof![Just(None), (0usize..300).prop_map(Some)],
        context in prop::sample::select(vec![ContextParts::ALL, ContextParts::DEFAULT, ContextParts::NONE, ContextParts::TRAIL, ContextParts::PATH]),
        complete_sentences in any::<bool>(),
    ) -> Config {
        let target = ((max as f64 * target) as usize).max(1);
        let overlap_size = ((target as f64 * overlap) as usize).min(target - 1);
        Config {
            strategy,
            unit,
            max,
            target,
            min: ((target as f64 * min) as usize).min(target - 1),
            overlap: if percent { Overlap::Percent((overlap * 99.0) as u8) } else { Overlap::Size(overlap_size) },
            levels: levels.map(|levels| levels.parse().unwrap()),
            delimiter: delimiter.map(str::to_string),
            include_delimiter,
            atomic: if keep { Atomic::Keep } else { Atomic::Split },
            context,
            complete_sentences,
            continuation_marker: (marker % 2 == 0).then(|| "[continued...]".to_string()),
            overview: overview.map(|more| max + more),
            per_entry: marker > 5,
        }
    }
}

proptest! {
    #![proptest_config(random_cases(1500))]

    #[test]
    fn guarantees_hold_for_any_text_and_configuration(
        text in any_text(),
        config in any_config(),
        path in prop::sample::select(vec![None, Some("a.md"), Some("b/some/long/path/notes.txt"), Some("c.rs"), Some("d/README.md")]),
    ) {
        let document = Document::new(&text);
        let document = path.map_or(document, |path| document.with_path(path));
        kept(&document, &config);
    }

    #[test]
    fn guarantees_hold_for_arbitrary_characters(text in "\\PC*", config in any_config()) {
        kept(&Document::new(&text).with_syntax(Syntax::Markdown), &config);
    }

    #[test]
    fn an_edit_after_a_split_changes_no_id_before_the_last_chunk_that_it_touches(
        sections in prop::collection::vec("[a-z ]{20,80}", 3..8),
        edit in "[a-z ]{1,30}",
    ) {
        let text = |texts: &[String]| texts.iter().enumerate().map(|(i, text)| format!("## Section {i}\n\nx{text}\n\n")).collect::<String>();
        let config = Config { strategy: Strategy::Headers, min: 1, ..Config::default() };
        let chunker = Chunker::new(config).unwrap();
        let before = text(&sections);
        let mut edited = sections.clone();
        edited[1] = format!("{}{edit}z", edited[1]);
        let after = text(&edited);
        let ids = |text: &str| chunker.chunk(&Document::new(text)).chunks.iter().map(|chunk| chunk.id).collect::<Vec<_>>();
        let (old, new) = (ids(&before), ids(&after));
        prop_assert_eq!(old.len(), new.len());
        for (index, (old, new)) in old.iter().zip(&new).enumerate() {
            prop_assert_eq!(old == new, index != 1);
        }
    }
}

/// A plan with less room than the limit may call a text too large that fits: its context must fit,
/// too.
#[cfg(feature = "tokens")]
#[test]
fn a_text_that_fits_after_all_leaves_no_more_room_for_its_context() {
    let config = Config {
        strategy: Strategy::Naive,
        unit: Unit::Cl100k,
        target: 1,
        max: 12,
        min: 0,
        continuation_marker: Some("[continued...]".to_string()),
        ..Config::default()
    };
    kept(
        &Document::new("jtbvfdgavfagagbjiq").with_path("a.md"),
        &config,
    );
}
