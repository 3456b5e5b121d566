//! Delimiters: those that are asked for, and those that `auto` finds.

use excerpt_chunk::{Chunking, Document, Strategy, settings_from_toml};

use crate::promises::kept;

/// The text, split at a delimiter that was given.
fn at<'a>(delimiter: &str, path: &'a str, text: &'a str) -> Chunking<'a> {
    let settings = format!("[chunking]\ndelimiter = '{delimiter}'\n");
    let config = settings_from_toml(&settings).unwrap().config();
    kept(&Document::new(text).with_path(path), &config)
}

fn texts<'a>(chunking: &Chunking<'a>) -> Vec<&'a str> {
    chunking.chunks.iter().map(|chunk| chunk.text).collect()
}

fn trails(chunking: &Chunking<'_>) -> Vec<String> {
    let chunks = chunking.chunks.iter();
    chunks.map(|chunk| chunk.breadcrumb()).collect()
}

#[test]
fn a_delimiter_that_was_asked_for_splits_at_headings() {
    for path in ["a.md", "a.txt", "a"] {
        let text = "# T\n\nintro\n\n## a\n\ntext of a\n\n## b\n\ntext of b\n";
        let chunking = at("^## ", path, text);
        let expected = ["# T\n\nintro", "a\n\ntext of a", "b\n\ntext of b"];
        assert_eq!(texts(&chunking), expected, "{path}");
        assert_eq!(trails(&chunking), ["T", "T > a", "T > b"], "{path}");
        let bare = at("^## ", path, "# T\n## a\n## b\n");
        assert_eq!(texts(&bare), ["# T", "a", "b"], "{path}");
    }
}

#[test]
fn a_delimiter_that_was_asked_for_splits_directly_below_a_line_of_text() {
    for path in ["a.md", "a.txt", "a"] {
        let text = "one\n---\ntwo\n-----\nthree\n";
        let chunking = at("^---+$", path, text);
        assert_eq!(texts(&chunking), ["one", "two", "three"], "{path}");
        assert_eq!(trails(&chunking), ["", "", ""], "no entry is a heading");
        assert_eq!(chunking.document.title, None);
        let windows = text.replace('\n', "\r\n");
        assert_eq!(texts(&at("^---+\\r?$", path, &windows)).len(), 3);
    }
    let text = "# Log\n\nmade tea\n===\n\ndrank it\n===\nwashed up\n";
    let chunking = at("^===$", "log.md", text);
    assert_eq!(
        texts(&chunking),
        ["# Log\n\nmade tea", "drank it", "washed up"]
    );
    assert_eq!(trails(&chunking), ["Log", "Log", "Log"]);
}

#[test]
fn a_delimiter_that_was_asked_for_splits_in_lists_quotes_and_html() {
    let text = "- a\n- b\n\n> c\n> d\n\n<p>\ne\n</p>\n";
    let chunking = at("^(- |> |<p>)", "a.md", text);
    assert_eq!(texts(&chunking), ["a", "b", "c", "d", "e\n</p>"]);
}

#[test]
fn fences_tables_and_front_matter_are_exempt_from_delimiters() {
    let text = "---\ntitle: T\n---\none\n\n```\n---\n```\n\n| a |\n|---|\n| --- |\n\n---\n\ntwo\n";
    let chunking = at("---", "a.md", text);
    assert_eq!(chunking.chunks.len(), 2, "{:?}", texts(&chunking));
    assert_eq!(texts(&chunking)[1], "two");
}

#[test]
fn small_parts_join_where_a_smallest_size_was_asked_for_too() {
    let settings = "[chunking]\ndelimiter = '^---$'\nmin = 20\n";
    let config = settings_from_toml(settings).unwrap().config();
    let chunking = kept(&Document::new("one\n\n---\n\ntwo\n"), &config);
    assert_eq!(chunking.chunks.len(), 1);
}

/// The strategy that `auto` chooses for a text long enough to be split.
fn detected(path: &str, text: &str) -> Strategy {
    let config = settings_from_toml("[chunking]\nmin = 2\n")
        .unwrap()
        .config();
    kept(&Document::new(text).with_path(path), &config).strategy
}

#[test]
fn auto_never_takes_the_underlines_of_restructuredtext_for_delimiters() {
    for mark in ["=", "-", "*"] {
        for over in [false, true] {
            let mut text = String::new();
            for title in ["Usage", "The second part", "A third one"] {
                let line = mark.repeat(title.len());
                let above = if over {
                    format!("{line}\n")
                } else {
                    String::new()
                };
                text += &format!("{above}{title}\n{line}\n\nSome words below the title.\n\n");
            }
            for path in ["usage.rst", "usage.txt", "USAGE"] {
                assert_ne!(detected(path, &text), Strategy::Delimiter, "{path}: {text}");
                let windows = text.replace('\n', "\r\n");
                assert_ne!(detected(path, &windows), Strategy::Delimiter, "{path}");
            }
        }
    }
}

#[test]
fn auto_never_takes_the_blocks_of_asciidoc_for_delimiters() {
    let blocks = [
        "[source,sh]\n----\nmake\n----\n",
        "----\nmake\n----\n",
        ".An example\n====\nIt is one.\n====\n",
        "****\nA note at the side.\n****\n",
        "NOTE: see below.\n\n====\nFirst.\n\nSecond.\n====\n",
    ];
    for block in blocks {
        let text = format!("Some words.\n\n{block}\n").repeat(3);
        for path in ["guide.adoc", "guide.asciidoc", "guide.txt", "GUIDE"] {
            assert_ne!(
                detected(path, &text),
                Strategy::Delimiter,
                "{path}: {block}"
            );
        }
    }
    let spaced = "Some words.\n\n----\n\nmake\n\n----\n\n".repeat(3);
    assert_ne!(detected("guide.adoc", &spaced), Strategy::Delimiter);
}

#[test]
fn auto_splits_at_the_kind_of_rule_line_that_it_counted() {
    let text = "one\n\n---\n\ntwo\n\n===\n\nthree\n\n===\n\nfour\n\n===\n\nfive\n";
    let config = settings_from_toml("[chunking]\nmin = 1\n")
        .unwrap()
        .config();
    let chunking = kept(&Document::new(text).with_path("a.txt"), &config);
    assert_eq!(chunking.reason, "detected: 3 lines of equals signs");
    assert_eq!(chunking.chunks.len(), 4);
}

#[test]
fn auto_splits_at_html_anchors() {
    let text = "first\n\n<a name=\"x\"></a>\n\nsecond\n\n<a name=\"y\"></a>\n\nthird\n\n<a name=\"z\"></a>\n\nfourth\n";
    let config = settings_from_toml("[chunking]\nmin = 1\n")
        .unwrap()
        .config();
    let chunking = kept(&Document::new(text).with_path("a.txt"), &config);
    assert_eq!(chunking.reason, "detected: 3 HTML anchors");
    assert_eq!(chunking.chunks.len(), 4);
}

#[test]
fn the_strategy_alone_splits_at_any_rule_line_where_there_is_no_better() {
    let settings = "[chunking]\nstrategy = 'delimiter'\nmin = 0\n";
    let config = settings_from_toml(settings).unwrap().config();
    let text = "one\n---\ntwo\n---\nthree\n";
    let chunking = kept(&Document::new(text).with_path("a.txt"), &config);
    assert_eq!(texts(&chunking), ["one", "two", "three"]);
}

#[test]
fn a_blank_line_after_a_fence_a_table_or_front_matter_is_a_delimiter() {
    let blocks = ["```\nx\n```", "| a |\n|---|\n| b |", "---\ntitle: T\n---"];
    for block in blocks {
        let text = format!("{block}\n\nNext");
        let chunking = at("\\n\\n", "a.md", &text);
        assert_eq!(texts(&chunking), [block, "Next"]);
        let windows = text.replace('\n', "\r\n");
        assert_eq!(at("\\r\\n\\r\\n", "a.md", &windows).chunks.len(), 2);
    }
}

#[test]
fn a_blank_line_inside_a_fence_is_no_delimiter() {
    let text = "One\n\n```\nx\n\ny\n```\n\nTwo";
    let chunking = at("\\n\\n", "a.md", text);
    assert_eq!(texts(&chunking), ["One", "```\nx\n\ny\n```", "Two"]);
}

#[test]
fn a_delimiter_splits_whatever_strategy_a_file_sets() {
    let file = settings_from_toml("[chunking]\nstrategy = 'markdown'\n").unwrap();
    let flags = settings_from_toml("[chunking]\ndelimiter = '^===$'\n").unwrap();
    let config = flags.or(file).config();
    let chunking = kept(&Document::new("one\n\n===\n\ntwo\n"), &config);
    assert_eq!(texts(&chunking), ["one", "two"]);
}
