//! Where a document is split, one behaviour per test.

use std::sync::Arc;

use excerpt_chunk::{
    Chunker, CodeParser, Config, ContextParts, Detected, Document, Outline, OutlineBuilder,
    Overlap, Parser, Preset, Unit,
};

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
fn a_heading_without_text_stays_with_the_next_one() {
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
fn a_row_over_the_limit_is_split_between_its_cells_and_their_sentences() {
    let long = "The quay stands dry at noon. The sill is high, and the ebb is low.";
    let table = format!("| place | why |\n|---|---|\n| quay by the mole | {long} |\n");
    let head = "| place | why |\n|---|---|\n| quay by the mole |";
    assert_eq!(cut(&table, 80), [head, &format!("{long} |")]);
    let (first, second) = long.split_at(long.find("The sill").unwrap());
    assert_eq!(
        cut(&table, 50),
        [head, first.trim_end(), &format!("{second} |")]
    );
}

/// A parser that finds no structure.
#[derive(Debug)]
struct Blind;

impl Parser for Blind {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        OutlineBuilder::new(document.text(), 0).finish()
    }
}

impl CodeParser for Blind {
    fn detect(&self, _: &Document<'_>) -> Option<Detected> {
        let (language, by) = ("none", "by itself");
        Some(Detected { language, by })
    }
}

#[test]
fn a_text_without_structure_is_split() {
    let line = "A line that nobody understands.";
    let text = format!("{line}\n{line}\n{line}\n");
    let config = Config {
        target: 40,
        max: 40,
        min: 1,
        context: ContextParts::NONE,
        ..Preset::Auto.config(Unit::Chars)
    };
    let chunker = Chunker::new(config).unwrap();
    let chunker = chunker.with_code_parser(Arc::new(Blind));
    let chunks = chunker.chunk(&Document::new(&text)).chunks;
    let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text).collect();
    assert_eq!(texts, [line, line, line]);
}

#[test]
fn a_row_inserted_into_a_long_table_changes_only_chunks_near_it() {
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

#[test]
fn a_later_part_of_a_text_without_headings_has_the_continuation_marker() {
    let text = "Some words that go on and on, without any heading. ".repeat(200);
    for complete_sentences in [true, false] {
        let config = Config {
            complete_sentences,
            ..Preset::Resources.config(Unit::Tokens)
        };
        let document = Document::new(&text).with_path("words.txt");
        let chunks = Chunker::new(config).unwrap().chunk(&document).chunks;
        assert!(chunks.len() > 3);
        for (index, chunk) in chunks.iter().enumerate() {
            let expected = match index {
                0 => "words.txt\n",
                _ => "words.txt\n[continued...]\n",
            };
            assert_eq!(chunk.context.header, expected);
            assert_eq!(chunk.warnings, []);
        }
    }
}

#[test]
fn each_day_of_a_journal_has_its_own_chunks() {
    let days = "# Log\n\n## 2026-01-30\n\n- Tea.\n\n### Later\n\n- Rain.\n\n## 2026-02-15\n\n- Snow.\n\n## Notes\n\n- Wind.\n";
    let chunker = Chunker::new(Config::default()).unwrap();
    let chunking = chunker.chunk(&Document::new(days));
    let starts = chunking.chunks.iter().map(|chunk| {
        let line = chunk.text.lines().next().unwrap_or_default();
        (line, chunk.dates.join(" "))
    });
    let expected = [
        ("# Log", "2026-01-30"),
        ("## 2026-02-15", "2026-02-15"),
        ("## Notes", ""),
    ];
    let expected = expected.map(|(line, dates)| (line, dates.to_string()));
    assert_eq!(starts.collect::<Vec<_>>(), expected);
    let count = |text: String| chunker.chunk(&Document::new(&text)).chunks.len();
    let in_words = days.replace("2026-01-30", "30 January 2026");
    let in_words = in_words.replace("2026-02-15", "Sunday, 15 Feb 2026");
    assert_eq!(count(in_words), 3);
    assert_eq!(count(days.replace("02-15", "01-30")), 1);
    assert_eq!(count(days.replace("## 2026-02-15", "## Context")), 1);
    assert_eq!(count(days.replace("## 2026", "## Week 5, 2026")), 3);
    assert_eq!(count(days.replace("## 2026", "## Monday, 2026")), 3);
    // Other headings do not split a small text.
    assert_eq!(count(days.replace("2026", "Day")), 1);
    assert_eq!(count(days.replace("## 2026", "## 1.2.0, 2026")), 1);
}

#[test]
fn a_chunk_has_the_days_of_its_mails_commits_and_entries() {
    let config = Config {
        max: 40,
        target: 40,
        min: 0,
        overlap: Overlap::Size(0),
        ..Config::default()
    };
    let chunker = Chunker::new(config).unwrap();
    let check = |path: &str, text: &str, expected: &[&str]| {
        let chunking = chunker.chunk(&Document::new(text).with_path(path));
        let chunks = chunking.chunks.iter();
        let mut found: Vec<_> = chunks.map(|chunk| chunk.dates.join(" ")).collect();
        assert!(found.len() > expected.len(), "{path}");
        found.dedup();
        assert_eq!(found, expected, "{path}");
        let mut all = Vec::new();
        for date in expected.iter().flat_map(|dates| dates.split_whitespace()) {
            if !all.contains(&date) {
                all.push(date);
            }
        }
        assert_eq!(chunking.document.dates, all, "{path}");
    };
    let words = "The boats stay in the harbour, and each of them has a name of its own. ";
    let mail = |date: &str, text: &str| {
        format!(
            "From ann Sat Jan 31 03:04:05 2026\nFrom: ann@example.org\nSubject: Boats\n{date}\n{text}\n\n"
        )
    };
    let mailbox = [
        mail("", words),
        mail("Date: Sun, 1 Feb 2026 03:04:05 +0000\n", &words.repeat(2)),
        mail("Date: soon\n", words),
    ];
    check(
        "a.mbox",
        &mailbox.concat(),
        &["2026-01-31", "2026-02-01", "2026-01-31"],
    );
    let commit = |date: &str| {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        format!("commit {hash}\nAuthor: Ann <a@b.c>\n{date}\n    {words}\n\n{diff}")
    };
    let commits = [
        commit("Date:   Sat Jan 31 03:04:05 2026 +0000\n"),
        commit(""),
        commit("AuthorDate: 2026-02-01 03:04:05 +0000\n"),
    ];
    check(
        "a.patch",
        &commits.concat(),
        &["2026-01-31", "", "2026-02-01"],
    );
    let log = format!(
        "2026-01-31T23:59:59Z INFO {words}\n23:59:59 INFO again\n2026-02-01T00:00:00Z INFO {words}\n2026-02-01T00:00:01Z INFO {words}\n"
    );
    check("a.log", &log, &["2026-01-31", "2026-02-01"]);
}
