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

#[test]
fn a_row_inserted_into_a_long_table_changes_chunks_near_it_and_no_others() {
    let mut rows: Vec<String> = (0..5000)
        .map(|row| format!("| item {row} | {} |\n", "x".repeat(row % 23)))
        .collect();
    let head = "| name | what it is |\n| --- | --- |\n";
    let before = format!("{head}{}", rows.concat());
    rows.insert(2500, "| one more | x |\n".to_string());
    let after = format!("{head}{}", rows.concat());
    let (before, after) = (cut(&before, 400), cut(&after, 400));
    let forward = before.iter().zip(&after);
    let same_before = forward.take_while(|(a, b)| a == b).count();
    let backward = before.iter().rev().zip(after.iter().rev());
    let same_behind = backward.take_while(|(a, b)| a == b).count();
    let changed = after.len().saturating_sub(same_before + same_behind);
    assert!(after.len() > 250, "{}", after.len());
    assert!((1..=12).contains(&changed), "{changed} of {}", after.len());
}
