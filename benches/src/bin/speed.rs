//! Measures: megabytes of Markdown split per CPU second, in process, on one thread, from parsing to
//! finished chunks.
//!
//! Corpus: the files of a list, read beforehand; `benches/corpus` prints one. Compared with
//! text-splitter (its chunks as slices, which is its fastest method) and, as a lower bound,
//! pulldown-cmark alone with its events only counted. The same with real tokens, 400 of o200k:
//! text-splitter counts them with tiktoken-rs, which is slow, and so gets only every tenth file;
//! the lower bound is the tokenizer of excerpt alone. Rounds alternate, so that a disturbance
//! affects all; the median round counts. No randomness.
//!
//! Command: `benches/corpus /tmp/corpus > /tmp/list && cargo run --release --bin speed /tmp/list`;
//! a second argument names one subject to run alone, for a profiler.

use std::cell::LazyCell;

use excerpt_benches::{LIMIT, TOKENS, chunker, files, peak_memory, spread, timed, token_chunker};
use excerpt_chunk::{Chunker, Document, Sizer as _, Unit};
use pulldown_cmark::{Options, Parser};
use serde_json::json;
use text_splitter::{ChunkConfig, MarkdownSplitter};

const ROUNDS: usize = 9;

type Cut<'a> = dyn Fn(&str, &str) -> usize + 'a;

/// What is measured.
struct Subject<'a> {
    name: &'static str,
    /// The limit of its pieces.
    unit: Option<&'static str>,
    /// It gets one of this many files.
    every: usize,
    /// Splits a file, given by path and text, and returns the number of pieces.
    cut: Box<Cut<'a>>,
}

fn main() {
    let files = files();
    let chunker = chunker();
    let splitter = MarkdownSplitter::new(LIMIT);
    // Created on first use, so that their tables do not count as memory of the others in the first
    // round.
    let token_chunker = LazyCell::new(token_chunker);
    let token_splitter = LazyCell::new(|| {
        let sizer = tiktoken_rs::o200k_base().expect("the tables are built in");
        MarkdownSplitter::new(ChunkConfig::new(TOKENS).with_sizer(sizer))
    });
    let cut = |chunker: &Chunker, path: &str, text: &str| {
        let document = Document::new(text).with_path(path);
        chunker.chunk(&document).chunks.len()
    };
    let parser = |_: &str, text: &str| {
        let tables = Parser::new_ext(text, Options::ENABLE_TABLES);
        tables.into_offset_iter().count()
    };
    let (characters, tokens) = (Some("1600 characters"), Some("400 tokens of o200k"));
    let mut subjects = vec![
        Subject {
            name: "excerpt",
            unit: characters,
            every: 1,
            cut: Box::new(|path, text| cut(&chunker, path, text)),
        },
        Subject {
            name: "text-splitter",
            unit: characters,
            every: 1,
            cut: Box::new(|_, text| splitter.chunks(text).count()),
        },
        Subject {
            name: "pulldown-cmark alone",
            unit: None,
            every: 1,
            cut: Box::new(parser),
        },
        Subject {
            name: "excerpt, tokens",
            unit: tokens,
            every: 1,
            cut: Box::new(|path, text| cut(&token_chunker, path, text)),
        },
        Subject {
            name: "bpe-openai alone",
            unit: None,
            every: 1,
            cut: Box::new(|_, text| Unit::O200k.size(text).expect("the tables are built in")),
        },
        Subject {
            name: "text-splitter, tokens",
            unit: tokens,
            every: 10,
            cut: Box::new(|_, text| token_splitter.chunks(text).count()),
        },
    ];
    if let Some(alone) = std::env::args().nth(2) {
        subjects.retain(|subject| subject.name == alone);
    }
    let mut times = vec![Vec::new(); subjects.len()];
    let mut pieces = vec![0; subjects.len()];
    let mut memory = vec![0; subjects.len()];
    for round in 0..ROUNDS {
        for (index, subject) in subjects.iter().enumerate() {
            peak_memory();
            let (count, time) = timed(|| {
                let counts = files.iter().step_by(subject.every);
                let counts =
                    counts.map(|(path, text)| (subject.cut)(path.to_str().unwrap_or(""), text));
                counts.sum::<usize>()
            });
            times[index].push(time);
            if round == 0 {
                pieces[index] = count;
                memory[index] = peak_memory();
            }
        }
    }
    for (index, subject) in subjects.iter().enumerate() {
        let share: Vec<_> = files.iter().step_by(subject.every).collect();
        let bytes: usize = share.iter().map(|(_, text)| text.len()).sum();
        let [median, slowest, fastest] =
            spread(&times[index]).map(|time| (bytes as f64 / 1e5 / time).round() / 10.0);
        let line = json!({
            "subject": subject.name,
            "limit": subject.unit,
            "files": share.len(),
            "megabytes": bytes as f64 / 1e6,
            "rounds": ROUNDS,
            "pieces": pieces[index],
            "megabytes_per_cpu_second": median,
            "slowest_and_fastest_round": [slowest, fastest],
            "peak_memory_megabytes": memory[index] / 1_000_000,
        });
        println!("{line}");
    }
}
