//! Inputs that are meant to be slow, each so large that an algorithm which is not linear would take
//! minutes instead of a moment. No time is asserted. `pack.rs` counts the comparisons of the plan;
//! the benches measure times.

use excerpt_chunk::{Chunker, Config, ContextParts, Document, Preset, Strategy, Unit};

use crate::promises::kept;

fn config() -> Config {
    Config {
        target: 1600,
        max: 1600,
        context: ContextParts::NONE,
        ..Preset::Auto.config(Unit::Chars)
    }
}

fn cuts(text: &str) {
    cuts_as("x.md", text);
}

/// Splits `text` as the format that `path` names.
fn cuts_as(path: &str, text: &str) {
    kept(&Document::new(text).with_path(path), &config());
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn a_text_without_white_space() {
    cuts(&"x".repeat(3_000_000));
}

#[test]
fn words_in_one_line() {
    cuts(&"lorem ipsum dolor ".repeat(200_000));
}

#[test]
fn a_sentence_that_never_ends() {
    cuts(&"lorem, e.g. ipsum\n".repeat(200_000));
}

#[test]
fn a_huge_table() {
    let rows = lines(60_000, |i| format!("| row {i} | value {i} |\n"));
    cuts(&format!("# T\n\n| a | b |\n|---|---|\n{rows}"));
}

#[test]
fn a_huge_fence() {
    let body = lines(100_000, |i| format!("{{\"k{i}\": {i}}},\n"));
    cuts(&format!("# T\n\n```json\n{body}```\n"));
}

#[test]
fn labels_of_restructuredtext_without_a_blank_line() {
    cuts_as("x.rst", &lines(200_000, |i| format!(".. _label{i}: x\n")));
    cuts_as("x.rst", &".. _`a`: x\n".repeat(200_000));
    cuts_as("x.rst", &"..\n.. [1] a\n".repeat(200_000));
}

#[test]
fn quotes_in_quotes() {
    cuts(&(">".repeat(100_000) + "x\n"));
    cuts(&lines(2_000, |i| format!("{} level {i}\n", ">".repeat(i))));
}

#[test]
fn lists_in_lists() {
    cuts(&("- ".repeat(100_000) + "x\n"));
    cuts(&lines(1_500, |i| {
        format!("{}- item {i}\n", " ".repeat(2 * i))
    }));
}

#[test]
fn lists_in_lists_before_blank_lines() {
    cuts(&("- ".repeat(40_000) + "x" + &"\n".repeat(1_000_000)));
}

#[test]
fn headings_without_text() {
    cuts(&lines(100_000, |i| {
        format!("{} h{i}\n\n", "#".repeat(i % 6 + 1))
    }));
}

#[test]
fn headings_in_a_document_kept_whole() {
    let text = lines(100_000, |i| format!("## h{i}\n\n"));
    let config = Config {
        strategy: Strategy::Whole,
        target: text.len(),
        max: text.len(),
        ..config()
    };
    let chunker = Chunker::new(config).unwrap();
    let chunks = chunker.chunk(&Document::new(&text)).chunks;
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].sections.len(), 100_000);
}

#[test]
fn graphemes_of_many_characters() {
    cuts(&"👩‍👩‍👧‍👦🏳️‍🌈".repeat(40_000));
    cuts(&"🇫🇷🇩🇪".repeat(40_000));
    cuts(&"e\u{301}\u{302}\u{303}".repeat(100_000));
}

#[test]
fn brackets_that_never_close() {
    cuts(&"[".repeat(100_000));
    cuts(&"[a](".repeat(50_000));
    cuts(&"*a _b ".repeat(50_000));
}

#[test]
fn marks_that_never_close() {
    for (path, mark) in [
        ("x.tex", "\\begin{verbatim} "),
        ("x.tex", "\\begin{tabular}\n"),
        ("x.tex", "\\begin{x}\n"),
        ("x.tex", "\\section{"),
        ("x.tex", "$$"),
        ("x.tex", "\\["),
        ("x.tex", "\\def\\a{"),
        ("x.wiki", "{{"),
        ("x.wiki", "{|\n"),
        ("x.wiki", "[["),
        ("x.wiki", "<pre>"),
        ("x.wiki", "<pre "),
        ("x.wiki", "<!--"),
        ("x.man", ".de x\n"),
        ("x.man", ".Bl\n.It\n"),
        ("x.man", ".RS\n"),
        ("x.man", ".nf\n"),
    ] {
        cuts_as(path, &mark.repeat(100_000));
    }
    cuts_as("x.wiki", &("*".repeat(200_000) + "\n").repeat(3));
    cuts_as("x.wiki", &format!("={}=\n", "[[".repeat(100_000)));
    cuts_as("x.man", &format!(".SH {}\n", "\\[".repeat(100_000)));
}

#[test]
fn a_text_of_nothing_but_blocks_is_read_as_lines() {
    let text = "#\n".repeat(1 << 20);
    let chunker = Chunker::new(config()).unwrap();
    let chunking = chunker.chunk(&Document::new(&text).with_path("x.md"));
    let warnings: Vec<String> = chunking.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["fallback: too many blocks to be read as Markdown: read as lines"]
    );
    let few = "# a\n\n".repeat(50_000);
    let chunking = chunker.chunk(&Document::new(&few).with_path("x.md"));
    assert_eq!(chunking.warnings, []);
}

#[test]
fn blocks_of_asciidoc_that_are_never_closed() {
    let cuts = |text: &str| {
        kept(&Document::new(text).with_path("x.adoc"), &config());
    };
    let count = 20_000;
    for line in [
        "----",
        "====",
        "--",
        "|===",
        "////",
        "+",
        "[[a]]",
        ".Title",
        ":a: \\",
        "* a",
        "a::",
        "<<a",
        "link:a[",
        "|===\n.9+|a",
    ] {
        cuts(&format!("{line}\n").repeat(count));
        cuts(&format!("{line}\n\n").repeat(count));
    }
    cuts(&lines(10_000, |i| format!("{}\n", "=".repeat(i % 400 + 4))));
    cuts(&lines(1_500, |i| format!("{} a\n+\n", "*".repeat(i + 1))));
    cuts(&("link:".repeat(count) + &"<<".repeat(count) + &"a[".repeat(count)));
    cuts(&format!("== {}\n", "*a _b [c] ".repeat(count)));
    cuts(&format!("== {}\n", "*a [[b `c".repeat(100)).repeat(1_000));
}

#[test]
fn blocks_of_org_that_are_never_closed() {
    let cuts = |text: &str| {
        kept(&Document::new(text).with_path("x.org"), &config());
    };
    let count = 20_000;
    for line in [
        "#+BEGIN_SRC",
        "#+BEGIN: a",
        ":A:",
        "\\begin{a}",
        "- a",
        "[fn:1] a",
        "| a",
        "#+NAME: a",
        "[[a",
        "* [[a",
    ] {
        cuts(&format!("{line}\n").repeat(count));
        cuts(&format!("{line}\n\n").repeat(count));
    }
    cuts(&format!("* {}\n", "*a [[b =c".repeat(100)).repeat(1_000));
    cuts(&lines(50_000, |i| format!("#+BEGIN_a{i}\n")));
    cuts(
        &(lines(20_000, |i| format!("#+BEGIN_a{i}\n"))
            + &lines(20_000, |i| format!("#+END_a{i}\n"))),
    );
    cuts(&lines(1_500, |i| {
        format!("{}- item {i}\n", " ".repeat(2 * i))
    }));
    cuts(&("- ".repeat(40_000) + "x" + &"\n".repeat(1_000_000)));
}

/// Splits `text` at a delimiter that is asked for.
fn cuts_at(delimiter: &str, text: &str) {
    let config = Config {
        strategy: Strategy::Delimiter,
        delimiter: Some(delimiter.to_string()),
        ..config()
    };
    let chunker = Chunker::new(config).unwrap();
    let chunking = chunker.chunk(&Document::new(text).with_path("x.md"));
    assert!(!chunking.chunks.is_empty());
}

#[test]
fn an_underline_that_consists_of_delimiters() {
    cuts_at("=", &format!("T\n{}\n", "=".repeat(1_000_000)));
    cuts_at("-", &format!("T\n{}\n", "-".repeat(1_000_000)));
    let nested = "- ".repeat(40_000) + "x" + &"\n".repeat(1_000_000);
    cuts_at("=", &format!("T\n=\n\n{nested}"));
}

#[test]
fn delimiters_of_blank_lines_before_a_block() {
    let blank = "\n".repeat(1_000_000);
    cuts_at("\\n\\n", &format!("{blank}```\nx\n```\n"));
    cuts_at("\\n\\n", &format!("one\n{blank}| a |\n|---|\n| b |\n"));
    cuts_at("\\n\\n", &format!("```\nx\n```\n{blank}"));
}
