//! How many of the nearest chunks are found in real text: the sources of the dependencies in
//! cargo's registry.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Store;
use super::blocks::ChunkReader;
use super::vectors::Key;
use crate::embed::{Embedder, StaticTable, Vectors};
use crate::model::ChunkKey;
use crate::store::snapshot::QueryVector;
use crate::{Index, OpenOptions, SyncOptions};

/// How many chunks a search requests per question.
const DEPTH: usize = 100;
/// How many of the nearest should be among them.
const NEAREST: usize = 10;
const QUESTIONS: usize = 150;
/// The bytes of text to index.
const BYTES: u64 = 8 << 20;

/// The folders of the dependencies from the registry, by name.
fn packages() -> Vec<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let foreign = packages.filter(|package| !package["source"].is_null());
    let manifests = foreign.map(|package| Path::new(package["manifest_path"].as_str().unwrap()));
    let mut folders: Vec<PathBuf> = manifests
        .map(|manifest| manifest.parent().unwrap().into())
        .collect();
    folders.sort();
    folders
}

/// Copies the texts of a folder, and returns their size in bytes.
fn copy(from: &Path, to: &Path) -> u64 {
    fs::create_dir_all(to).unwrap();
    let entries = fs::read_dir(from).unwrap().map(Result::unwrap);
    let copied = entries.map(|entry| {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        let is_text = path
            .extension()
            .is_some_and(|end| end == "rs" || end == "md");
        match path.is_dir() {
            true => copy(&path, &to),
            false if is_text => fs::copy(path, to).unwrap(),
            false => 0,
        }
    });
    copied.sum()
}

/// The first documentation line or heading that could be a question.
fn question(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim);
    let mut lines = lines.filter_map(|line| {
        let marks = ["/// ", "//! ", "# ", "## "];
        marks.iter().find_map(|mark| line.strip_prefix(mark))
    });
    lines.find_map(|line| {
        let sentence = line.split(". ").next()?;
        let words = sentence.split_whitespace();
        let words = words.filter(|word| word.contains(char::is_alphabetic));
        (4..=14).contains(&words.count()).then(|| sentence.into())
    })
}

/// A chunk, with its vector from the embedder and as stored.
struct Exact {
    key: ChunkKey,
    numbers: Vec<f32>,
    kept: Vec<f32>,
}

fn exact(store: &Store, table: &StaticTable) -> Vec<Exact> {
    let mut all = Vec::new();
    for document in store.database.chunk_counts().unwrap().into_keys() {
        let stored = store.database.document(document).unwrap().unwrap();
        let text = store.database.text(stored.text).unwrap();
        let chunks = store.database.chunks(document).unwrap();
        let inputs = chunks.iter().map(|chunk| chunk.embedded(&text).unwrap());
        let inputs: Vec<_> = inputs.collect();
        let inputs: Vec<&str> = inputs.iter().map(|input| &**input).collect();
        let mut vectors = Vectors::new(table.dimensions());
        table.embed_documents(&inputs, &mut vectors).unwrap();
        for (chunk, numbers) in chunks.iter().zip(vectors.iter()) {
            let key = Key::new(table.identity(), &chunk.input.0);
            let kept = |bytes: &[u8]| -> Vec<f32> {
                let bytes = bytes.iter().map(|byte| byte.cast_signed());
                bytes.map(f32::from).collect()
            };
            all.push(Exact {
                key: ChunkKey {
                    document,
                    ordinal: chunk.ordinal as u64,
                },
                numbers: numbers.to_vec(),
                kept: store.database.vector(key, kept).unwrap().unwrap().unwrap(),
            });
        }
    }
    all
}

/// The share of the nearest that are found. Of several equally near ones, any counts.
fn found(all: &[Exact], query: &[f32], hits: &[ChunkKey], of: fn(&Exact) -> &[f32]) -> f64 {
    let cosine = |exact: &Exact| {
        let numbers = of(exact);
        let square: f32 = numbers.iter().map(|number| number * number).sum();
        let dot: f32 = numbers.iter().zip(query).map(|(a, b)| a * b).sum();
        dot / square.sqrt().max(f32::MIN_POSITIVE)
    };
    let near: Vec<f32> = all.iter().map(cosine).collect();
    let mut sorted = near.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let last = sorted[NEAREST - 1] - 1e-6;
    let nearest = all.iter().zip(near).filter(|(_, near)| *near >= last);
    let found = nearest.filter(|(exact, _)| hits.contains(&exact.key));
    found.count().min(NEAREST) as f64 / NEAREST as f64
}

#[test]
fn nearly_all_of_the_nearest_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let (texts, index_dir) = (dir.path().join("texts"), dir.path().join("index"));
    let mut bytes = 0;
    for package in packages() {
        if bytes < BYTES {
            bytes += copy(&package, &texts.join(package.file_name().unwrap()));
        }
    }
    let mut index = Index::open(&index_dir, OpenOptions::create()).unwrap();
    let go_on = |_| ControlFlow::Continue(());
    index.sync(&texts, &SyncOptions::default(), go_on).unwrap();
    drop(index);

    let (table, store) = (
        StaticTable::built_in().unwrap(),
        Store::open(&index_dir).unwrap(),
    );
    let all = exact(&store, &table);
    assert!(all.len() >= 5_000, "{} chunks", all.len());
    let mut paths = Vec::new();
    let collect = |path: &str| paths.push(path.to_string());
    store.database.each_path(None, collect).unwrap();
    let read = |path: &String| question(&fs::read_to_string(texts.join(path)).ok()?);
    let questions: Vec<String> = paths.iter().filter_map(read).collect();
    let step = (questions.len() / QUESTIONS).max(1);
    let questions: Vec<&String> = questions.iter().step_by(step).take(QUESTIONS).collect();
    assert!(questions.len() >= 100, "{} questions", questions.len());

    let (codes, chunks) = (
        store.codes(&table).unwrap(),
        ChunkReader::of(&store.database),
    );
    let (mut of_numbers, mut of_kept) = (0.0, 0.0);
    for question in &questions {
        let query = table.embed_query(&[(question, 1.0)]).unwrap();
        let near = codes.nearest(&query, None, DEPTH);
        let vector = QueryVector {
            embedder: table.identity().to_string(),
            numbers: query.clone(),
            floor: None,
        };
        let nearest = store.nearest(&vector, &chunks, near, DEPTH, true).unwrap();
        let scores: Vec<f32> = nearest.iter().map(|candidate| candidate.score).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "best first");
        let keys = nearest.iter().take(NEAREST);
        let keys: Vec<ChunkKey> = keys.map(|candidate| candidate.key).collect();
        of_numbers += found(&all, &query, &keys, |exact| &exact.numbers);
        of_kept += found(&all, &query, &keys, |exact| &exact.kept);
    }
    let [of_numbers, of_kept] = [of_numbers, of_kept].map(|sum| sum / questions.len() as f64);
    assert!(of_kept >= 0.98, "{of_kept} of the nearest by what is kept");
    assert!(of_numbers >= 0.98, "{of_numbers} of the nearest");
}
