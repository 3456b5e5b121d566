//! Measures: CPU seconds from a folder of memory files to an index: read, split, store. With the
//! preset `memory`, and with the plain packer that it replaces (`semantic = false`), than which it
//! may be a tenth slower. Also without the index: read, split.
//!
//! Corpus: the folder in the first argument, which should contain only Markdown; without one, 2,000
//! memory files generated from those of the chunker's tests: seven of ten are daily notes, two are
//! curated files, one is about people. Each consists of sections chosen by a fixed rule, with its
//! number in every paragraph, so that few chunks are equal. Each round stores into an empty folder.
//! Rounds alternate; the median round counts.
//!
//! Command: `cargo run --release --bin memory [FOLDER]`

use std::fs;
use std::path::{Path, PathBuf};

use excerpt_benches::{spread, timed};
use excerpt_chunk::{Chunker, Config, Document, Preset, Strategy, Unit};
use excerpt_index::{Index, OpenOptions, SyncOptions, quiet};
use serde_json::json;
use tempfile::TempDir;

const ROUNDS: usize = 7;
const FILES: usize = 2000;
const SOURCES: [&str; 3] = [
    include_str!("../../../crates/excerpt-chunk/tests/memory/MEMORY.md"),
    include_str!("../../../crates/excerpt-chunk/tests/memory/2026-01-31.md"),
    include_str!("../../../crates/excerpt-chunk/tests/memory/people.md"),
];

/// The measured function, which returns the number of chunks for a configuration.
type Work<'a> = &'a dyn Fn(&Config) -> usize;

fn main() {
    let made = TempDir::new().expect("a temporary folder");
    let folder = match std::env::args().nth(1) {
        Some(folder) => PathBuf::from(folder),
        None => {
            make(made.path());
            made.path().to_path_buf()
        }
    };
    let mut files = Vec::new();
    collect(&folder, &mut files);
    let bytes: u64 = files
        .iter()
        .filter_map(|file| file.metadata().ok())
        .map(|file| file.len())
        .sum();
    let memory = Preset::Memory.config(Unit::Tokens);
    let naive = Config {
        strategy: Strategy::Naive,
        ..memory.clone()
    };
    let works: [(&str, Work<'_>); 2] = [
        ("read, cut", &|config| cut(&folder, &files, config)),
        ("read, cut, store", &|config| store(&folder, config)),
    ];
    for (work, run) in works {
        let configs = [&memory, &naive];
        let mut times = [Vec::new(), Vec::new()];
        let mut chunks = [0; 2];
        for _ in 0..ROUNDS {
            for (subject, config) in configs.iter().enumerate() {
                let (count, time) = timed(|| run(config));
                times[subject].push(time);
                chunks[subject] = count;
            }
        }
        let rounded = |time: f64| (time * 1e3).round() / 1e3;
        let [memory, naive] = times.map(|times| spread(&times));
        let line = json!({
            "work": work,
            "files": files.len(),
            "megabytes": bytes as f64 / 1e6,
            "chunks": { "memory": chunks[0], "naive": chunks[1] },
            "cpu_seconds": { "memory": rounded(memory[0]), "naive": rounded(naive[0]) },
            "fastest_round": { "memory": rounded(memory[2]), "naive": rounded(naive[2]) },
            "ratio": rounded(memory[0] / naive[0]),
        });
        println!("{line}");
    }
}

fn cut(folder: &Path, files: &[PathBuf], config: &Config) -> usize {
    let chunker = Chunker::new(config.clone()).expect("the configuration is valid");
    let counts = files.iter().map(|file| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let path = file.strip_prefix(folder).unwrap_or(file);
        let document = Document::new(&text).with_path(path.to_str().unwrap_or(""));
        chunker.chunk(&document).chunks.len()
    });
    counts.sum()
}

fn store(folder: &Path, config: &Config) -> usize {
    let dir = TempDir::new().expect("a temporary folder");
    let mut index =
        Index::open(&dir.path().join("index"), OpenOptions::create()).expect("an empty index");
    let options = SyncOptions::default().chunking(config.clone());
    index
        .sync(folder, &options, quiet)
        .expect("the folder is synced");
    index.status().expect("the index has a status").chunks
}

/// The Markdown files that a sync also finds, without hidden ones.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = folder.read_dir().expect("the folder can be read");
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            files.push(path);
        }
    }
}

/// Writes the memory files for a run without a folder.
fn make(folder: &Path) {
    let [curated, daily, people] = SOURCES.map(sections);
    let mut drawn: usize = 2026;
    for number in 0..FILES {
        let mut text = format!("# Note {number}\n\n");
        let sections = match number % 10 {
            0 => &people,
            1 | 2 => &curated,
            _ => &daily,
        };
        for _ in 0..4 + number % 7 {
            drawn = drawn
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let section = sections[(drawn >> 33) % sections.len()];
            text += &section.replace(".\n", &format!(", as in note {number}.\n"));
        }
        let path = folder.join(format!("{}/note-{number}.md", number % 12));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
}

/// The sections of the second level.
fn sections(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    starts.push(text.len());
    starts
        .windows(2)
        .map(|pair| &text[pair[0]..pair[1]])
        .collect()
}
