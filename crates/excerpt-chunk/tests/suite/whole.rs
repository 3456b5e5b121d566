//! What is kept whole, and what goes with it.

use excerpt_chunk::{Atomic, Chunker, Config, ContextParts, Document, Preset, Unit, Warning};

use crate::promises::kept;

/// The preset `memory` with at most `max` tokens, without overlap.
fn memory(max: usize) -> Config {
    Config {
        target: max,
        max,
        min: 5,
        overlap: excerpt_chunk::Overlap::Size(0),
        ..Preset::Memory.config(Unit::Tokens)
    }
}

fn fence(lines: usize) -> String {
    format!("```sh\n{}```\n", "echo one more line of it\n".repeat(lines))
}

fn table(rows: usize) -> String {
    let rows = "| a cell | another cell |\n".repeat(rows);
    format!("| one | two |\n|-----|-----|\n{rows}")
}

#[test]
fn a_block_kept_whole_over_the_limit_has_its_trail_in_its_context() {
    for lines in 1..40 {
        for (block, what) in [(fence(lines), "code block"), (table(lines), "table")] {
            let text = format!("# Notes\n\n## Import\n\nHow it runs.\n\n{block}\n");
            let chunking = kept(&Document::new(&text).with_path("a.md"), &memory(100));
            let holder = chunking
                .chunks
                .iter()
                .find(|chunk| chunk.text.contains("another cell") || chunk.text.contains("echo"));
            let holder = holder.unwrap();
            let header = &holder.context.header;
            assert!(header.contains("Notes"), "{lines} lines: {header:?}");
            assert!(
                !holder.warnings.contains(&Warning::ContextShortened),
                "{lines} lines of a {what}"
            );
            assert!(holder.text.contains(block.trim()), "the {what} is whole");
        }
    }
}

#[test]
fn a_block_kept_whole_keeps_its_heading() {
    let heading =
        "## A heading that is as long as headings of some length are, and then some words";
    for lines in 1..40 {
        let text = format!("# Notes\n\n{heading}\n\n{}", fence(lines));
        let chunking = kept(&Document::new(&text).with_path("a.md"), &memory(100));
        let holder = chunking.chunks.last().unwrap();
        assert!(holder.text.contains(heading), "{lines} lines");
    }
}

/// A paragraph of `size` characters, in sentences of 50 or as one.
fn paragraph(size: usize, sentences: bool) -> String {
    let end = if sentences { ". " } else { ", " };
    let sentence = format!("The words of this sentence go on and on for it{end}");
    let mut text = sentence.repeat(size / sentence.len() + 1);
    text.truncate(size - 1);
    text.replace(['.', ','], if sentences { "." } else { "," })
        .trim_end()
        .to_string()
        + "."
}

#[test]
fn a_remainder_of_one_word_does_not_stand_alone_below_a_heading() {
    let split = |max| Config {
        atomic: Atomic::Split,
        ..memory(max)
    };
    let auto = |max| Config {
        target: max,
        max,
        min: 5,
        ..Config::default()
    };
    for size in (300..440).chain(700..840) {
        for sentences in [true, false] {
            for between in [" ", "\n\n"] {
                let text = format!(
                    "# Notes\n\n## Garden\n\n{}{between}Done.\n\n## Next\n\nDone.\n",
                    paragraph(size, sentences)
                );
                for config in [memory(100), split(100), auto(100)] {
                    let chunking = kept(&Document::new(&text).with_path("a.md"), &config);
                    for chunk in &chunking.chunks {
                        assert!(!chunk.text.ends_with("Garden"), "{size} {sentences}");
                        assert_ne!(chunk.text, "Done.", "{size} {sentences} {config:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_word_between_a_heading_and_a_block_kept_whole_goes_with_both() {
    let text = format!(
        "## Import\n\nSee:\n\n{}\nDone.\n\n## Next\n\nMore.\n",
        fence(40)
    );
    let chunking = kept(&Document::new(&text).with_path("a.md"), &memory(100));
    let texts: Vec<&str> = chunking.chunks.iter().map(|chunk| chunk.text).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].starts_with("## Import") && texts[0].ends_with("Done."));
}

#[test]
fn a_sentence_over_the_limit_ends_before_a_letter_in_lower_case_too() {
    let text = "## Log\n\n".to_string()
        + &"went to the market. bought what was on the list, e.g. apples at no. 7. ".repeat(10);
    let chunking = kept(&Document::new(&text).with_path("a.md"), &memory(50));
    assert!(chunking.chunks.len() > 3);
    for chunk in &chunking.chunks {
        assert_eq!(chunk.warnings, [], "{}", chunk.text);
        assert!(
            chunk.text.ends_with("7.") || chunk.text.ends_with("market."),
            "{}",
            chunk.text
        );
    }
    // Where the sentence fits, it is one.
    let text = "One is here. Then it ended. then went on. ".repeat(20);
    let chunking = Chunker::new(memory(50))
        .unwrap()
        .chunk(&Document::new(&text))
        .chunks;
    assert!(chunking.len() > 3);
    assert!(chunking.iter().all(|chunk| !chunk.text.starts_with("then")));
}

#[test]
fn an_overview_of_2000_characters_is_one_chunk() {
    let words = "Some words about the projects are here.\n\n## Part\n\n";
    for (size, chunks) in [(1_999, 1), (2_000, 1), (2_001, 2), (2_100, 2)] {
        let text = "# Projects\n\n".to_string() + &words.repeat(50);
        let text = text[..size - 1].to_string() + ".";
        let document = Document::new(&text).with_path("projects/README.md");
        let chunking = kept(&document, &Preset::Docs.config(Unit::Tokens));
        assert_eq!(chunking.chunks.len(), chunks, "{size} characters");
    }
}

/// A paragraph of `size` characters in a script without spaces.
fn unspaced(sentence: &str, size: usize) -> String {
    sentence.chars().cycle().take(size).collect()
}

/// Scripts that are written without spaces, and text that has none.
const UNSPACED: [&str; 4] = [
    "这个句子里没有空格，它很长。",
    "この文には空白がない。とても長い。",
    "ประโยคนี้ไม่มีช่องว่างและยาวมาก",
    "bm8gc3BhY2UgaW4gdGhpcyB0ZXh0",
];

#[test]
fn paragraphs_without_spaces_are_split_between_them() {
    let config = Config {
        target: 400,
        max: 400,
        min: 50,
        context: ContextParts::NONE,
        ..Config::default()
    };
    for sentence in UNSPACED {
        let one = unspaced(sentence, 1000);
        let text = format!("{one}\n\n{one}\n");
        let chunking = kept(&Document::new(&text).with_path("a.md"), &config);
        let texts: Vec<&str> = chunking.chunks.iter().map(|chunk| chunk.text).collect();
        assert_eq!(texts, [&*one, &*one]);
    }
}

#[test]
fn a_paragraph_without_spaces_is_not_kept_with_the_one_before_it() {
    for sentence in UNSPACED {
        let one = unspaced(sentence, 300);
        let text = format!("## Log\n\n{one}\n\n{one}\n\n{one}\n");
        let chunking = kept(&Document::new(&text).with_path("a.md"), &memory(100));
        assert_eq!(chunking.chunks.len(), 3, "{sentence}");
        for chunk in &chunking.chunks {
            assert_eq!(chunk.warnings, [], "{sentence}");
        }
    }
}

#[test]
fn a_short_word_of_a_script_without_spaces_does_not_stand_alone() {
    for word in ["谢谢。", "未完待续", "終わり", "ขอบคุณ"] {
        for size in 360..420 {
            let text = format!("## Log\n\n{}\n\n{word}\n", unspaced(UNSPACED[0], size));
            let chunking = kept(&Document::new(&text).with_path("a.md"), &memory(100));
            for chunk in &chunking.chunks {
                assert_ne!(chunk.text, word, "{size}");
            }
        }
    }
}
