//! Measures: CPU time on inputs that are meant to be slow, at a size and at four times the size. A
//! growth of about 4 is linear, 16 quadratic. Then one line of 100 MB, with and without spaces: CPU
//! time, and peak memory on top of the text.
//!
//! Corpus: generated; nothing is random. Also measured are text-splitter, and pulldown-cmark alone,
//! the parser of both, with its events only counted. The larger size is skipped if the smaller one
//! takes longer than a second.
//!
//! Command: `cargo run --release --bin hostile`

use excerpt_benches::{LIMIT, chunker, peak_memory, timed};
use excerpt_chunk::Document;
use pulldown_cmark::{Options, Parser};
use serde_json::json;
use text_splitter::MarkdownSplitter;

type Shape = (&'static str, fn(usize) -> String);
type Cut<'a> = &'a dyn Fn(&str) -> usize;

const SHAPES: [Shape; 17] = [
    ("no white space", |k| "x".repeat(100_000 * k)),
    ("one line of words", |k| {
        "lorem ipsum dolor ".repeat(6_000 * k)
    }),
    ("a huge table", |k| {
        let head = "# T\n\n| a | b | c |\n|---|---|---|\n".to_string();
        head + &lines(2_500 * k, |i| {
            format!("| row {i} | value {i} | some text |\n")
        })
    }),
    ("a huge fence", |k| {
        let body = lines(6_000 * k, |i| format!("{{\"k{i}\": {i}}},\n"));
        format!("# T\n\n```json\n{body}```\n")
    }),
    ("deeper and deeper quotes", |k| {
        let deepest = 250 * k;
        lines(4_000, |i| {
            format!("{} level {i}\n", ">".repeat(i * deepest / 4_000))
        })
    }),
    ("deeper and deeper lists", |k| {
        lines(120 * k, |i| format!("{}- item {i}\n", "  ".repeat(i % 120)))
    }),
    ("lists nested in one line", |k| {
        "- ".repeat(5_000 * k) + "x\n"
    }),
    ("quotes nested in one line", |k| {
        ">".repeat(5_000 * k) + "x\n"
    }),
    ("nested lists, then blank lines", |k| {
        "- ".repeat(2_500 * k) + "x" + &"\n".repeat(50_000 * k)
    }),
    ("headings without text", |k| {
        lines(6_000 * k, |i| format!("{} h{i}\n\n", "#".repeat(i % 6 + 1)))
    }),
    ("emoji", |k| "👩‍👩‍👧‍👦🏳️‍🌈".repeat(4_000 * k)),
    ("flags", |k| "🇫🇷🇩🇪".repeat(6_000 * k)),
    ("combining marks", |k| {
        "e\u{301}\u{302}\u{303}".repeat(15_000 * k)
    }),
    ("chinese", |k| {
        "漢字仮名交じり文を分割する。".repeat(5_000 * k)
    }),
    ("opening brackets", |k| "[".repeat(25_000 * k) + "a"),
    ("opening parentheses of links", |k| {
        "[a](".repeat(10_000 * k)
    }),
    ("emphasis that never closes", |k| {
        "*a _b ".repeat(15_000 * k)
    }),
];

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn main() {
    let chunker = chunker();
    let splitter = MarkdownSplitter::new(LIMIT);
    let excerpt = |text: &str| {
        let document = Document::new(text).with_path("x.md");
        chunker.chunk(&document).chunks.len()
    };
    let text_splitter = |text: &str| splitter.chunks(text).count();
    let parser = |text: &str| {
        let tables = Parser::new_ext(text, Options::ENABLE_TABLES);
        tables.into_offset_iter().count()
    };
    let subjects: [(&str, Cut<'_>); 3] = [
        ("excerpt", &excerpt),
        ("text-splitter", &text_splitter),
        ("pulldown-cmark alone", &parser),
    ];
    for (name, shape) in SHAPES {
        for (subject, cut) in subjects {
            let (small, large) = (shape(4), shape(16));
            let seconds = |text: &str| {
                let mut rounds: Vec<f64> = Vec::new();
                while rounds.len() < 5 && rounds.iter().sum::<f64>() < 1.0 {
                    rounds.push(timed(|| cut(text)).1.as_secs_f64());
                }
                rounds.into_iter().fold(f64::INFINITY, f64::min)
            };
            let first = seconds(&small);
            let second = (first < 1.0).then(|| seconds(&large));
            let line = json!({
                "shape": name,
                "subject": subject,
                "bytes": [small.len(), large.len()],
                "milliseconds": [Some(milliseconds(first)), second.map(milliseconds)],
                "growth": second.map(|second| (second / first * 10.0).round() / 10.0),
            });
            println!("{line}");
        }
    }
    for (name, unit) in [
        ("100 MB of words in one line", "lorem ipsum "),
        ("100 MB without white space", "x"),
    ] {
        let text = unit.repeat(100_000_000 / unit.len());
        peak_memory();
        let before = peak_memory();
        let (chunks, time) = timed(|| excerpt(&text));
        let line = json!({
            "shape": name,
            "subject": "excerpt",
            "chunks": chunks,
            "seconds": (time.as_secs_f64() * 100.0).round() / 100.0,
            "peak_memory_beside_the_text_megabytes": peak_memory().saturating_sub(before) / 1_000_000,
        });
        println!("{line}");
    }
}

fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e5).round() / 100.0
}
