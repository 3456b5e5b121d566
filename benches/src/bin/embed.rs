//! Measures: texts of 400 tokens that the built-in embedder embeds per CPU second, on one thread;
//! the tokenizer alone, as the part that depends on the script of the text; and the time to read
//! the table, which a program does once at the start.
//!
//! Corpus: the files of a list, concatenated and split after the word that completes 400 tokens.
//! Rounds alternate; the median round counts. No randomness.
//!
//! Command: `benches/corpus /tmp/corpus > /tmp/list && cargo run --release --bin embed /tmp/list`;
//! a second argument limits the megabytes to embed, for a profiler that counts instructions.

use excerpt_benches::{files, spread, timed};
use excerpt_index::{Embedder, StaticTable, Vectors};
use serde_json::json;

const ROUNDS: usize = 9;

/// The number of tokens of a text: the target size of a chunk.
const TOKENS: usize = 400;

/// How often the table is read for one measurement.
const STARTS: u32 = 20;

fn main() {
    let most = std::env::args().nth(2).map_or(20.0, |megabytes| {
        megabytes.parse().expect("megabytes are a number")
    });
    let table = StaticTable::built_in().expect("the table is whole");
    let texts = texts(&table, (most * 1e6) as usize);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();

    let mut vectors = Vectors::new(table.dimensions());
    let mut tokens = Vec::new();
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        vectors.clear();
        let (done, time) = timed(|| table.embed_documents(&texts, &mut vectors));
        done.expect("the built-in embedder refuses nothing");
        times[0].push(time);
        let ((), time) = timed(|| {
            for text in &texts {
                tokens.clear();
                table.tokenize(text, &mut tokens);
            }
        });
        times[1].push(time);
        let ((), time) = timed(|| {
            for _ in 0..STARTS {
                StaticTable::built_in().expect("the table is whole");
            }
        });
        times[2].push(time / STARTS);
    }
    let [embed, tokenize, start] = times.map(|times| spread(&times));
    for (work, times) in [("embed", embed), ("tokenize", tokenize)] {
        let [median, slowest, fastest] = times.map(|time| (texts.len() as f64 / time).round());
        let line = json!({
            "work": work,
            "texts": texts.len(),
            "tokens": TOKENS,
            "megabytes": bytes as f64 / 1e6,
            "rounds": ROUNDS,
            "texts_per_cpu_second": median,
            "slowest_and_fastest_round": [slowest, fastest],
        });
        println!("{line}");
    }
    let [median, slowest, fastest] = start.map(|time| (time * 1e6).round());
    let line = json!({
        "work": "start",
        "rounds": ROUNDS,
        "cpu_microseconds": median,
        "slowest_and_fastest_round": [slowest, fastest],
    });
    println!("{line}");
}

/// Texts of [`TOKENS`] tokens, or more if the last word has several, from all files; about `most`
/// bytes in total.
fn texts(table: &StaticTable, most: usize) -> Vec<String> {
    let mut texts = Vec::new();
    let (mut text, mut tokens) = (String::new(), Vec::new());
    let mut bytes = 0;
    for (_, file) in files() {
        for word in file.split_inclusive([' ', '\n']) {
            table.tokenize(word, &mut tokens);
            text.push_str(word);
            if tokens.len() >= TOKENS {
                tokens.clear();
                bytes += text.len();
                texts.push(std::mem::take(&mut text));
            }
            if bytes > most {
                return texts;
            }
        }
    }
    texts
}
