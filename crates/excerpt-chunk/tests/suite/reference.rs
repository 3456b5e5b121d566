//! The tests that a design document for a resource library lists under "Testing Plan", in our
//! terms. If its texts contradict its thresholds (a document under twice `min` is never split),
//! `min` is small.

use excerpt_chunk::{Chunker, Chunking, Config, Document, Overlap, Sizer as _, Strategy, Unit};

/// The defaults of that document: 500 tokens, at most 800, at least 100.
fn defaults() -> Config {
    Config {
        target: 500,
        max: 800,
        min: 100,
        ..Config::default()
    }
}

fn cut(text: &str, config: Config) -> Chunking<'_> {
    Chunker::new(config).unwrap().chunk(&Document::new(text))
}

fn breadcrumbs(chunking: &Chunking<'_>) -> Vec<String> {
    let chunks = chunking.chunks.iter();
    chunks.map(|chunk| chunk.breadcrumb()).collect()
}

mod token_estimation {
    use super::*;

    #[test]
    fn tokens_are_a_quarter_of_the_characters() {
        assert_eq!(Unit::Tokens.size("hello world").unwrap(), 2);
    }

    #[test]
    fn an_empty_text_has_no_tokens() {
        assert_eq!(Unit::Tokens.size("").unwrap(), 0);
    }
}

mod strategy_detection {
    use super::*;

    /// A `min` so small that none of the texts counts as small.
    fn sensitive() -> Config {
        Config {
            min: 2,
            ..defaults()
        }
    }

    #[test]
    fn a_small_document_stays_whole() {
        let chunking = cut("Short doc", defaults());
        assert_eq!(chunking.strategy, Strategy::Whole);
        assert_eq!(
            chunking.reason,
            "detected: 2 tokens, under twice `min` (100)"
        );
    }

    #[test]
    fn three_headings_are_markdown() {
        let text = "# Title\n\n## Section 1\n\nContent\n\n## Section 2\n\nMore";
        let chunking = cut(text, sensitive());
        assert_eq!(chunking.strategy, Strategy::Markdown);
        assert_eq!(chunking.reason, "detected: 3 headings");
    }

    #[test]
    fn an_extracted_text_is_not_what_its_file_is_named() {
        let text = "# Title\n\nThe text of a page, which has one heading.\n";
        let document = Document::new(text).with_path("page.pdf");
        let reason = |document| Chunker::new(sensitive()).unwrap().chunk(document).reason;
        let extracted = document.extracted_as("markdown");
        let expected = "detected: Markdown extracted from the file";
        assert_eq!(reason(&extracted), expected);
        let named = document.with_language("markdown");
        assert_eq!(reason(&named), "detected: Markdown as named");
    }

    #[test]
    fn three_rule_lines_are_delimiters() {
        let text = "Part 1\n\n---\n\nPart 2\n\n---\n\nPart 3\n\n---\n\nPart 4";
        let chunking = cut(text, sensitive());
        assert_eq!(chunking.strategy, Strategy::Delimiter);
        assert_eq!(chunking.reason, "detected: 3 lines of dashes");
        let texts: Vec<_> = chunking.chunks.iter().map(|chunk| chunk.text).collect();
        assert_eq!(texts.concat().matches("Part").count(), 4);
    }

    #[test]
    fn everything_else_is_split_near_the_target() {
        let text = "A".repeat(2000);
        assert_eq!(cut(&text, defaults()).strategy, Strategy::Fixed);
    }

    #[test]
    fn nothing_inside_a_fence_counts() {
        let headings = "```\n# a\n# b\n# c\n```\n\nSome words to be long enough.";
        assert_eq!(cut(headings, sensitive()).strategy, Strategy::Fixed);
        let rules = "```\n---\n\n---\n\n---\n```\n\nSome words to be long enough.";
        assert_eq!(cut(rules, sensitive()).strategy, Strategy::Fixed);
    }
}

mod header_chunking {
    use super::*;

    fn headers() -> Config {
        Config {
            strategy: Strategy::Headers,
            min: 1,
            ..defaults()
        }
    }

    #[test]
    fn sections_are_chunks_with_their_trail() {
        let text = "# Title\n\nIntro\n\n## Section 1\n\nContent 1\n\n## Section 2\n\nContent 2";
        let chunking = cut(text, headers());
        let expected = ["Title", "Title > Section 1", "Title > Section 2"];
        assert_eq!(breadcrumbs(&chunking), expected);
        assert_eq!(chunking.chunks[0].text, "# Title\n\nIntro");
        assert_eq!(chunking.chunks[1].text, "## Section 1\n\nContent 1");
    }

    #[test]
    fn a_level_not_chosen_does_not_split() {
        let text = "# Title\n\n## A\n\n### A.1\n\nContent\n\n## B\n\nContent";
        let config = Config {
            levels: Some("2".parse().unwrap()),
            ..headers()
        };
        let chunking = cut(text, config);
        assert_eq!(chunking.chunks.len(), 3);
        assert_eq!(chunking.chunks[1].text, "## A\n\n### A.1\n\nContent");
    }

    #[test]
    fn the_trail_is_complete() {
        let text = "# L1\n\n## L2\n\n### L3\n\nContent";
        let chunking = cut(text, headers());
        assert_eq!(breadcrumbs(&chunking).last().unwrap(), "L1 > L2 > L3");
    }
}

mod fixed_size_chunking {
    use super::*;

    fn fixed(target: usize) -> Config {
        Config {
            strategy: Strategy::Fixed,
            target,
            min: 1,
            ..defaults()
        }
    }

    #[test]
    fn a_long_text_is_split() {
        let text = "word ".repeat(500);
        let chunking = cut(&text, fixed(200));
        assert!(chunking.chunks.len() >= 2);
        assert!(chunking.chunks.iter().all(|chunk| chunk.size.total <= 200));
    }

    #[test]
    fn chunks_overlap() {
        let text = "word ".repeat(500);
        let config = Config {
            overlap: Overlap::Size(50),
            ..fixed(200)
        };
        let chunking = cut(&text, config);
        for chunk in &chunking.chunks[1..] {
            assert!((30..=50).contains(&chunk.size.overlap), "{:?}", chunk.size);
            assert!(chunk.is_continuation());
        }
    }

    #[test]
    fn raw_positions_are_exact() {
        let text = "0123456789".repeat(600);
        let config = Config {
            complete_sentences: false,
            overlap: Overlap::Size(50),
            ..fixed(500)
        };
        let chunking = cut(&text, config);
        let spans = chunking.chunks.iter().map(|chunk| {
            let from = chunk
                .overlap
                .as_ref()
                .map_or(chunk.span.bytes.start, |overlap| overlap.bytes.start);
            (from / 4, chunk.span.bytes.end / 4)
        });
        let spans: Vec<_> = spans.collect();
        assert_eq!(spans, [(0, 500), (450, 950), (900, 1400), (1350, 1500)]);
    }
}

mod oversized_handling {
    use super::*;

    #[test]
    fn a_section_over_the_limit_is_split() {
        let text = format!("# Title\n\n## Big Section\n\n{}", "Content. ".repeat(500));
        let config = Config {
            strategy: Strategy::Headers,
            target: 200,
            max: 200,
            ..defaults()
        };
        let chunking = cut(&text, config);
        assert!(chunking.chunks.len() > 2);
        assert_eq!(chunking.summary().oversized, 0);
        let last = chunking.chunks.last().unwrap();
        assert_eq!(last.breadcrumb(), "Title > Big Section");
        assert_eq!(
            last.title().unwrap(),
            format!("Big Section (part {})", last.part.count)
        );
        assert!(last.is_continuation());
    }
}

mod undersized_handling {
    use super::*;

    #[test]
    fn sections_under_min_are_joined() {
        let text = "# Title\n\n## A\n\nTiny\n\n## B\n\nAlso tiny\n\n## C\n\nTiny too";
        let config = Config {
            strategy: Strategy::Headers,
            ..defaults()
        };
        let chunking = cut(text, config);
        assert!(chunking.chunks.len() < 4);
        let sections: Vec<_> = chunking
            .chunks
            .iter()
            .flat_map(|chunk| &chunk.sections)
            .collect();
        assert_eq!(sections.len(), 3, "{sections:?}");
    }
}

mod sentence_boundary {
    use super::*;

    #[test]
    fn chunks_end_with_sentences() {
        let text = "First sentence. Second sentence. Third sentence. Fourth sentence.";
        let config = Config {
            strategy: Strategy::Fixed,
            target: 10,
            min: 1,
            complete_sentences: true,
            ..defaults()
        };
        let chunking = cut(text, config);
        assert!(chunking.chunks.len() > 1);
        for chunk in &chunking.chunks {
            assert!(chunk.text.ends_with('.'), "{}", chunk.text);
        }
    }
}
