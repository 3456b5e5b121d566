//! The guarantees on real text by others: the Markdown, Rust and TOML files of the pinned
//! dependencies. None of it is stored.

use std::path::{Path, PathBuf};
use std::process::Command;

use excerpt_chunk::{Config, ContextParts, Document, Overlap, Preset, Strategy, Unit};

use crate::promises::kept;

/// The sources of all dependencies, as cargo stores them.
pub(crate) fn dependency_files(endings: &[&str]) -> Vec<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let foreign = packages
        .iter()
        .filter(|package| !package["source"].is_null());
    let mut files = Vec::new();
    for package in foreign {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        collect(manifest.parent().unwrap(), endings, &mut files);
    }
    files.sort();
    files
}

pub(crate) fn collect(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap().flatten() {
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            collect(&path, endings, files);
        } else if ending.is_some_and(|ending| endings.contains(&ending)) {
            files.push(path);
        }
    }
}

/// Checks the guarantees on every `step`-th file of the dependencies, and returns their number.
fn promises_hold(endings: &[&str], step: usize, configs: &[Config]) -> usize {
    let files = dependency_files(endings);
    let mut checked = 0;
    for file in files.iter().step_by(step) {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        // The checks are linear, but large files show no more than small ones.
        if text.len() > 200_000 {
            continue;
        }
        let path = file.to_str().unwrap();
        let config = &configs[checked % configs.len()];
        kept(&Document::new(&text).with_path(path), config);
        checked += 1;
    }
    checked
}

fn configs() -> Vec<Config> {
    let default = Config::default();
    vec![
        default.clone(),
        Config {
            overlap: Overlap::Percent(20),
            ..default.clone()
        },
        Config {
            strategy: Strategy::Headers,
            target: 125,
            max: 250,
            min: 25,
            ..default.clone()
        },
        Config {
            strategy: Strategy::Fixed,
            overlap: Overlap::Size(50),
            ..default.clone()
        },
        Config {
            max: 60,
            target: 40,
            min: 5,
            context: ContextParts::TRAIL,
            ..default.clone()
        },
        Preset::Auto.config(Unit::Chars),
        Config {
            strategy: Strategy::Naive,
            overlap: Overlap::Size(80),
            ..default
        },
    ]
}

/// The guarantees of the presets on the Markdown of another folder, such as real memory files.
/// `memory` also has tests of its criteria.
#[test]
fn guarantees_hold_for_the_folder_in_excerpt_corpus() {
    let Some(folder) = std::env::var_os("EXCERPT_CORPUS") else {
        eprintln!("skipped: EXCERPT_CORPUS names no folder");
        return;
    };
    let mut files = Vec::new();
    collect(Path::new(&folder), &["md", "txt"], &mut files);
    assert!(!files.is_empty(), "no text in {folder:?}");
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        for preset in [Preset::Brain, Preset::Docs, Preset::Resources] {
            let document = Document::new(&text).with_path(file.to_str().unwrap());
            kept(&document, &preset.config(Unit::Tokens));
        }
    }
}

#[test]
fn guarantees_hold_for_the_markdown_of_the_dependencies() {
    let checked = promises_hold(&["md"], 1, &configs());
    assert!(checked > 100, "{checked} files");
}

#[test]
fn guarantees_hold_for_the_sources_of_the_dependencies() {
    let checked = promises_hold(&["rs", "toml"], 1, &configs());
    assert!(checked > 300, "{checked} files");
}
