//! Checks of the guarantees of every chunking. The tests of `excerpt-grammars` include this file,
//! too.

use std::collections::HashSet;

use excerpt_chunk::{Atomic, Chunker, Chunking, Config, Document, Kind, Sizer, Strategy, Warning};
use unicode_segmentation::GraphemeCursor;

/// Splits `document` and checks all guarantees on the result.
pub(crate) fn kept<'a>(chunker: &Chunker, document: &Document<'a>) -> Chunking<'a> {
    checked(chunker.config(), &chunker.config().unit, document, || {
        chunker.chunk(document)
    })
}

/// Checks all guarantees on what `chunk` returns for `document`, with the sizes of `sizer`.
pub(crate) fn checked<'a>(
    config: &Config,
    sizer: &dyn Sizer,
    document: &Document<'a>,
    chunk: impl Fn() -> Chunking<'a>,
) -> Chunking<'a> {
    let chunking = chunk();
    verbatim(document.text(), &chunking);
    complete(document.text(), &chunking);
    within_limits(&chunking, config, sizer);
    on_graphemes(document.text(), &chunking);
    explained(&chunking);
    let again = chunk();
    assert_eq!(
        serde_json::to_string(&chunking).unwrap(),
        serde_json::to_string(&again).unwrap(),
        "the same twice"
    );
    chunking
}

fn verbatim(text: &str, chunking: &Chunking<'_>) {
    let mut counted = 0;
    let mut line = 1;
    for chunk in &chunking.chunks {
        let bytes = chunk.span.bytes.clone();
        assert_eq!(chunk.text, &text[bytes.clone()]);
        assert!(!chunk.text.trim().is_empty(), "a chunk holds text");
        let mut line_of = |at: usize| {
            let between = &text.as_bytes()[counted..at];
            line += between.iter().filter(|byte| **byte == b'\n').count();
            counted = at;
            line
        };
        let lines = (line_of(bytes.start), line_of(bytes.end - 1));
        assert_eq!(chunk.span.lines, lines);
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

fn within_limits(chunking: &Chunking<'_>, config: &Config, sizer: &dyn Sizer) {
    let measured = |text: &str| sizer.size(text).unwrap();
    for chunk in &chunking.chunks {
        let oversized = chunk.warnings.iter().find_map(|warning| match warning {
            Warning::Oversized { reason } => Some(*reason),
            _ => None,
        });
        let overlap = chunk
            .overlap
            .clone()
            .map_or(0, |overlap| overlap.bytes.len());
        let size = chunk.size;
        let max = match config.overview {
            // The limit of its text; the context comes on top.
            Some(overview) if chunk.kind == Kind::Overview => overview + size.context,
            _ => config.max,
        };
        assert!(
            size.total <= max || oversized.is_some(),
            "{size:?} over {max} with {overlap} bytes of overlap",
        );
        assert!(size.context <= max / 4, "context {size:?}");
        assert_eq!(size.text, measured(chunk.text));
        assert_eq!(size.context, measured(&chunk.context.header));
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
    let ids: HashSet<_> = chunking.chunks.iter().map(|chunk| chunk.id).collect();
    assert_eq!(ids.len(), chunking.chunks.len(), "ids differ");
    for (ordinal, chunk) in chunking.chunks.iter().enumerate() {
        assert_eq!(chunk.ordinal, ordinal);
        assert!(!chunk.cut.reason.is_empty());
        assert!(chunk.part.index >= 1 && chunk.part.index <= chunk.part.count);
    }
}
