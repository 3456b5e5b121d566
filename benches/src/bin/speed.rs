//! Measures: megabytes of Markdown cut per CPU second, in process, on one thread: parse, cut, chunks made.
//!
//! Corpus: the files of a list, each read before; `benches/corpus` makes one. Rivals: text-splitter (its chunks as slices, which is its fastest
//! verb) and, as the floor, pulldown-cmark alone with its events only counted. Rounds alternate, so that a disturbance hits all; the
//! median round counts. No randomness.
//!
//! Command: `benches/corpus /tmp/corpus > /tmp/list && cargo run --release --bin speed /tmp/list`; a second argument names one subject
//! to run alone, for a profiler.

use excerpt_benches::{LIMIT, chunker, files, peak_memory, timed};
use excerpt_chunk::Document;
use pulldown_cmark::{Options, Parser};
use serde_json::json;
use text_splitter::MarkdownSplitter;

const ROUNDS: usize = 9;

fn main() {
    let files = files();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let chunker = chunker();
    let splitter = MarkdownSplitter::new(LIMIT);
    let excerpt = |path: &str, text: &str| {
        let document = Document::new(text).with_path(path);
        chunker.chunk(&document).chunks.len()
    };
    let text_splitter = |_: &str, text: &str| splitter.chunks(text).count();
    let parser = |_: &str, text: &str| {
        let tables = Parser::new_ext(text, Options::ENABLE_TABLES);
        tables.into_offset_iter().count()
    };
    let mut subjects: Vec<(&str, &dyn Fn(&str, &str) -> usize)> = vec![
        ("excerpt", &excerpt),
        ("text-splitter", &text_splitter),
        ("pulldown-cmark alone", &parser),
    ];
    if let Some(alone) = std::env::args().nth(2) {
        subjects.retain(|(name, _)| *name == alone);
    }
    let mut times = vec![Vec::new(); subjects.len()];
    let mut pieces = vec![0; subjects.len()];
    let mut memory = vec![0; subjects.len()];
    for _ in 0..ROUNDS {
        for (subject, (_, cut)) in subjects.iter().enumerate() {
            peak_memory();
            let (count, time) = timed(|| {
                let counts = files.iter();
                let counts = counts.map(|(path, text)| cut(path.to_str().unwrap_or(""), text));
                counts.sum::<usize>()
            });
            times[subject].push(time.as_secs_f64());
            pieces[subject] = count;
            memory[subject] = peak_memory();
        }
    }
    for (subject, (name, _)) in subjects.iter().enumerate() {
        let mut times = times[subject].clone();
        times.sort_by(f64::total_cmp);
        let speed = |time: f64| (bytes as f64 / 1e5 / time).round() / 10.0;
        let line = json!({
            "subject": name,
            "files": files.len(),
            "megabytes": bytes as f64 / 1e6,
            "pieces": pieces[subject],
            "megabytes_per_cpu_second": speed(times[ROUNDS / 2]),
            "slowest_and_fastest_round": [speed(times[ROUNDS - 1]), speed(times[0])],
            "peak_memory_megabytes": memory[subject] / 1_000_000,
        });
        println!("{line}");
    }
}
