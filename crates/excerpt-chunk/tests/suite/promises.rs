//! What every chunking keeps, whatever the text and the configuration.

use excerpt_chunk::{
    Atomic, Chunker, Chunking, Config, ContextParts, Document, Kind, Overlap, Strategy, Syntax,
    Unit, Warning,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use proptest::test_runner::RngSeed;
use unicode_segmentation::GraphemeCursor;

/// Cuts `document` and checks all promises on the result.
pub(crate) fn kept<'a>(document: &Document<'a>, config: &Config) -> Chunking<'a> {
    let chunker = Chunker::new(config.clone()).unwrap();
    let chunking = chunker.chunk(document);
    verbatim(document.text(), &chunking);
    complete(document.text(), &chunking);
    within_limits(&chunking, config);
    on_graphemes(document.text(), &chunking);
    explained(&chunking);
    let again = chunker.chunk(document);
    assert_eq!(
        serde_json::to_string(&chunking).unwrap(),
        serde_json::to_string(&again).unwrap(),
        "the same twice"
    );
    chunking
}

fn verbatim(text: &str, chunking: &Chunking<'_>) {
    for chunk in &chunking.chunks {
        assert_eq!(chunk.text, &text[chunk.span.bytes.clone()]);
        assert!(!chunk.text.trim().is_empty(), "a chunk holds text");
        let lines = |bytes: &std::ops::Range<usize>| {
            let before = |end: usize| text[..end].matches('\n').count() + 1;
            (before(bytes.start), before(bytes.end - 1))
        };
        if text.len() < 4000 && text.is_char_boundary(chunk.span.bytes.end - 1) {
            assert_eq!(chunk.span.lines, lines(&chunk.span.bytes));
        }
    }
}

fn complete(text: &str, chunking: &Chunking<'_>) {
    let own = chunking.chunks.iter().map(|chunk| chunk.span.bytes.clone());
    let mut parts: Vec<_> = own.chain(chunking.gaps.iter().cloned()).collect();
    parts.sort_by_key(|part| part.start);
    let mut end = 0;
    for part in parts {
        assert_eq!(part.start, end, "every byte once");
        end = part.end;
    }
    assert_eq!(end, text.len(), "every byte");
    for gap in &chunking.gaps {
        let blank = text[gap.clone()]
            .trim_start_matches('\u{feff}')
            .trim()
            .is_empty();
        assert!(
            blank || chunking.strategy == Strategy::Delimiter,
            "lost: {:?}",
            &text[gap.clone()]
        );
    }
    for (chunk, before) in chunking.chunks.iter().skip(1).zip(&chunking.chunks) {
        assert!(before.span.bytes.end <= chunk.span.bytes.start, "in order");
    }
    for chunk in &chunking.chunks {
        if let Some(overlap) = &chunk.overlap {
            assert_eq!(overlap.bytes.end, chunk.span.bytes.start);
            assert!(!overlap.bytes.is_empty());
        }
    }
}

fn within_limits(chunking: &Chunking<'_>, config: &Config) {
    for chunk in &chunking.chunks {
        let oversized = chunk.warnings.iter().find_map(|warning| match warning {
            Warning::Oversized { reason } => Some(*reason),
            _ => None,
        });
        let overlap = chunk
            .overlap
            .clone()
            .map_or(0, |overlap| overlap.bytes.len());
        let size = chunk.tokens;
        let max = match config.overview {
            Some(overview) if chunk.kind == Kind::Overview => overview,
            _ => config.max,
        };
        assert!(
            size.total <= max || oversized.is_some(),
            "{size:?} over {max} with {overlap} bytes of overlap",
        );
        assert!(size.context <= max / 4, "context {size:?}");
        assert_eq!(size.text, config.unit.measure(chunk.text));
        assert_eq!(size.context, config.unit.measure(&chunk.context.header));
        match oversized {
            None => {}
            Some("one grapheme larger than the limit") => {
                assert_eq!(boundaries(chunk.text), 0, "{:?}", chunk.text);
            }
            Some(_) => assert_eq!(config.atomic, Atomic::Keep),
        }
    }
}

/// How many grapheme boundaries are inside `text`.
fn boundaries(text: &str) -> usize {
    let inner = (1..text.len()).filter(|at| text.is_char_boundary(*at));
    inner.filter(|at| is_grapheme_boundary(text, *at)).count()
}

fn is_grapheme_boundary(text: &str, at: usize) -> bool {
    GraphemeCursor::new(at, text.len(), true)
        .is_boundary(text, 0)
        .unwrap()
}

fn on_graphemes(text: &str, chunking: &Chunking<'_>) {
    for chunk in &chunking.chunks {
        let overlap = chunk.overlap.iter().map(|overlap| overlap.bytes.start);
        for at in overlap.chain([chunk.span.bytes.start, chunk.span.bytes.end]) {
            assert!(
                is_grapheme_boundary(text, at),
                "cut inside a grapheme at {at} of {text:?}"
            );
        }
    }
}

fn explained(chunking: &Chunking<'_>) {
    assert_ne!(chunking.strategy, Strategy::Auto);
    assert!(!chunking.reason.is_empty());
    let ids: std::collections::HashSet<_> = chunking.chunks.iter().map(|chunk| chunk.id).collect();
    assert_eq!(ids.len(), chunking.chunks.len(), "ids differ");
    for (ordinal, chunk) in chunking.chunks.iter().enumerate() {
        assert_eq!(chunk.ordinal, ordinal);
        assert!(!chunk.cut.reason.is_empty());
        assert!(chunk.part.index >= 1 && chunk.part.index <= chunk.part.count);
    }
}

/// Pieces that mean something to a parser.
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

/// Characters that are hard to cut between.
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
    fn any_text()(pieces in prop::collection::vec(prop_oneof![
        4 => "[a-z]{1,12}",
        2 => prop::sample::select(&MARKS[..]).prop_map(str::to_string),
        2 => prop::sample::select(&CLUSTERS[..]).prop_map(str::to_string),
        1 => "\\PC{0,20}",
    ], 0..60)) -> String {
        pieces.concat()
    }
}

/// The units that this build has.
fn units() -> Vec<Unit> {
    let real = [Unit::O200k, Unit::Cl100k];
    let estimates = [Unit::Chars, Unit::Tokens, Unit::CjkTokens];
    let real = real.into_iter().filter(|_| cfg!(feature = "tokens"));
    estimates.into_iter().chain(real).collect()
}

prop_compose! {
    /// Any configuration that is accepted.
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

/// The same random cases on every run; `EXCERPT_SEED` gives others, `EXCERPT_CASES` more.
fn random_cases() -> ProptestConfig {
    let number = |name| {
        std::env::var(name)
            .ok()
            .and_then(|value| value.parse().ok())
    };
    ProptestConfig {
        cases: number("EXCERPT_CASES").map_or(1500, |cases: u64| cases as u32),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(number("EXCERPT_SEED").unwrap_or(2026)),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(random_cases())]

    #[test]
    fn promises_hold_for_any_text_and_configuration(
        text in any_text(),
        config in any_config(),
        path in prop::sample::select(vec![None, Some("a.md"), Some("b/some/long/path/notes.txt"), Some("c.rs"), Some("d/README.md")]),
    ) {
        let document = Document::new(&text);
        let document = path.map_or(document, |path| document.with_path(path));
        kept(&document, &config);
    }

    #[test]
    fn promises_hold_for_arbitrary_characters(text in "\\PC*", config in any_config()) {
        kept(&Document::new(&text).with_syntax(Syntax::Markdown), &config);
    }

    #[test]
    fn an_edit_behind_a_cut_changes_no_id_before_the_last_chunk_it_touches(
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
