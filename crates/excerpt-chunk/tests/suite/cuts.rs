//! Where a document is cut, one behaviour each.

use excerpt_chunk::{Chunker, Config, ContextParts, Document, Preset, Unit};

/// The texts of the chunks of at most `max` characters.
fn cut(text: &str, max: usize) -> Vec<&str> {
    let config = Config {
        target: max,
        max,
        min: 1,
        context: ContextParts::NONE,
        ..Preset::Auto.config(Unit::Chars)
    };
    let chunker = Chunker::new(config).unwrap();
    let document = Document::new(text).with_path("a.md");
    let chunks = chunker.chunk(&document).chunks;
    chunks.into_iter().map(|chunk| chunk.text).collect()
}

#[test]
fn a_heading_without_text_goes_with_the_next_one() {
    let text = "Some words before it.\n\n## Part\n\n## Chapter\n\nThe words of the chapter.\n";
    assert_eq!(
        cut(text, 60),
        [
            "Some words before it.",
            "## Part\n\n## Chapter\n\nThe words of the chapter."
        ]
    );
}
