//! The built-in embedder has the same tokens as the reference tokenizer. The reference runs during
//! the test in the Python at `EXCERPT_PYTHON`, which needs the packages of
//! `models/static/tokens-requirements.txt`. Its results are not stored.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use excerpt_index::StaticTable;

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/static");

const SKIPPED: &str = "skipped: EXCERPT_PYTHON names no Python with the package `tokenizers`";

/// The minimum number of real texts, and of those with characters beyond ASCII, for a meaningful
/// test.
const TEXTS: usize = 20_000;
const BEYOND_ASCII: usize = 5_000;

/// Lines of only ASCII are sampled: one in this many, and at most this many.
const EVERY: usize = 40;
const ENOUGH: usize = 40_000;

/// Larger files are generated tables.
const LARGEST: u64 = 200_000;

/// Longer lines were not written by hand. The tokens of a long text are those of its parts.
const LONGEST: usize = 4_000;

#[test]
fn real_texts_have_the_tokens_of_the_reference() {
    let Some(reference) = Reference::new() else {
        eprintln!("{SKIPPED}");
        return;
    };
    let texts = real_texts();
    let beyond = texts.iter().filter(|text| !text.is_ascii()).count();
    println!("{} texts, {beyond} beyond ASCII", texts.len());
    assert!(texts.len() >= TEXTS, "{} texts are too few", texts.len());
    assert!(beyond >= BEYOND_ASCII, "{beyond} beyond ASCII are too few");
    reference.agrees(&texts);
}

#[test]
fn every_character_has_the_tokens_of_the_reference_alone_and_within_a_word() {
    let Some(reference) = Reference::new() else {
        eprintln!("{SKIPPED}");
        return;
    };
    let characters: Vec<char> = ('\0'..=char::MAX).filter(|c| *c != '\n').collect();
    let texts = characters.chunks(32).map(|characters| {
        let words = characters.iter().map(|c| format!("{c} tea{c}pot "));
        words.collect()
    });
    reference.agrees(&texts.collect::<Vec<String>>());
}

#[test]
fn characters_in_odd_company_have_the_tokens_of_the_reference() {
    let Some(reference) = Reference::new() else {
        eprintln!("{SKIPPED}");
        return;
    };
    // Chosen by a fixed rule from blocks with context-dependent characters: marks, letters that
    // decompose, Hangul, separators.
    let blocks: [(u32, u32); 12] = [
        (0x00, 0x7F),
        (0x80, 0x24F),
        (0x2B0, 0x3FF),
        (0x400, 0x5FF),
        (0x600, 0x6FF),
        (0x900, 0xDFF),
        (0x1100, 0x11FF),
        (0x1E00, 0x206F),
        (0x3000, 0x30FF),
        (0xAC00, 0xACFF),
        (0xF900, 0xFFFF),
        (0x1D100, 0x1D1FF),
    ];
    let mut drawn = 2026_u64;
    let mut draw = |below: u32| {
        drawn = drawn
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((drawn >> 33) as u32) % below
    };
    let mut character = || {
        let (from, to) = blocks[draw(blocks.len() as u32) as usize];
        let drawn = char::from_u32(from + draw(to - from + 1));
        drawn.filter(|c| *c != '\n').unwrap_or('a')
    };
    let texts = (0..40_000).map(|number| (0..1 + number % 12).map(|_| character()).collect());
    reference.agrees(&texts.collect::<Vec<String>>());
}

#[test]
fn the_tokens_of_a_text_are_those_of_its_lines() {
    let table = StaticTable::built_in().unwrap();
    for file in ["README.md", "train.py", "sources.txt"] {
        let text = fs::read_to_string(Path::new(MODELS).join(file)).unwrap();
        let (mut whole, mut lines) = (Vec::new(), Vec::new());
        table.tokenize(&text, &mut whole);
        for line in text.lines() {
            table.tokenize(line, &mut lines);
        }
        assert_eq!(whole, lines, "{file}");
    }
}

/// The reference tokenizer, and ours.
struct Reference {
    python: PathBuf,
    table: StaticTable,
}

impl Reference {
    fn new() -> Option<Reference> {
        let python = std::env::var_os("EXCERPT_PYTHON")?;
        let table = StaticTable::built_in().unwrap();
        Some(Reference {
            python: python.into(),
            table,
        })
    }

    /// Asserts that both produce the same tokens for each text of one line.
    fn agrees(&self, texts: &[String]) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(texts.join("\n").as_bytes()).unwrap();
        let output = Command::new(&self.python)
            .arg(format!("{MODELS}/tokens_reference.py"))
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/table/table.bin"))
            .arg(file.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let expected = String::from_utf8(output.stdout).unwrap();
        assert_eq!(expected.lines().count(), texts.len());
        let mut found = Vec::new();
        for (text, expected) in texts.iter().zip(expected.lines()) {
            found.clear();
            self.table.tokenize(text, &mut found);
            let expected: Vec<u32> = serde_json::from_str(expected).unwrap();
            assert_eq!(
                self.words(&found),
                self.words(&expected),
                "ours, and those of the reference, of {text:?}"
            );
        }
    }

    fn words(&self, tokens: &[u32]) -> Vec<&str> {
        tokens
            .iter()
            .map(|token| self.table.token(*token))
            .collect()
    }
}

/// Lines from the sources of our dependencies and of the packages in the folder `EXCERPT_SOURCES`,
/// without duplicates: all that have a character beyond ASCII, and some of the others.
fn real_texts() -> Vec<String> {
    let mut folders = dependencies();
    folders.extend(std::env::var_os("EXCERPT_SOURCES").map(PathBuf::from));
    let mut files = Vec::new();
    for folder in folders {
        collect(&folder, &mut files);
    }
    let mut texts = Vec::new();
    let mut met = HashSet::new();
    let (mut lines, mut plain) = (0, 0);
    for file in files {
        let Ok(text) = fs::read_to_string(file) else {
            continue;
        };
        for line in text.split('\n').filter(|line| line.len() <= LONGEST) {
            lines += 1;
            let wanted = match line.is_ascii() {
                true => lines % EVERY == 0 && plain < ENOUGH && !line.trim().is_empty(),
                false => true,
            };
            if wanted && met.insert(line.to_string()) {
                plain += usize::from(line.is_ascii());
                texts.push(line.to_string());
            }
        }
    }
    texts
}

/// The folders of our dependencies.
fn dependencies() -> Vec<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let foreign = packages.filter(|package| !package["source"].is_null());
    let manifests = foreign.map(|package| package["manifest_path"].as_str().unwrap());
    manifests
        .map(|manifest| Path::new(manifest).parent().unwrap().to_path_buf())
        .collect()
}

/// All files below a folder that are not too large, sorted.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap();
    let mut entries: Vec<fs::DirEntry> = entries.map(Result::unwrap).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(&entry.path(), files);
        } else if kind.is_file() && entry.metadata().unwrap().len() <= LARGEST {
            files.push(entry.path());
        }
    }
}
