//! Real sources: those of our dependencies.

use std::path::{Path, PathBuf};
use std::process::Command;

use excerpt_chunk::{CodeParser, Document, Syntax};
use excerpt_grammars::Grammars;

use crate::outlines::kept;

/// The number of bytes read for each extension.
const ENOUGH: usize = 400_000;

/// The folders of our dependencies, sorted.
fn packages() -> Vec<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    // Only one key of the large output is needed.
    let metadata = String::from_utf8(output.stdout).unwrap();
    let manifests = metadata.split("\"manifest_path\":\"").skip(1);
    let mut folders: Vec<PathBuf> = manifests
        .filter_map(|rest| Path::new(rest.split('"').next()?).parent())
        .map(Path::to_path_buf)
        .filter(|folder| {
            !folder.starts_with(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap())
        })
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

/// All files of our dependencies, sorted.
pub(crate) fn files() -> Vec<PathBuf> {
    files_below(packages())
}

/// All files below `folders`, sorted.
pub(crate) fn files_below(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut todo = folders;
    todo.reverse();
    while let Some(folder) = todo.pop() {
        let entries = std::fs::read_dir(&folder).unwrap();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for entry in entries {
            if entry.is_dir() {
                todo.push(entry);
            } else {
                files.push(entry);
            }
        }
    }
    files
}

/// The extensions whose language in these packages is known.
const KNOWN: [(&str, &str, &[&str]); 14] = [
    ("rust", "rs", &["rust"]),
    ("toml", "toml", &["toml"]),
    ("c", "c", &["c"]),
    ("c", "h", &["c", "cpp"]),
    ("cpp", "cpp", &["cpp"]),
    ("json", "json", &["json"]),
    ("yaml", "yml", &["yaml"]),
    ("yaml", "yaml", &["yaml"]),
    ("python", "py", &["python"]),
    ("bash", "sh", &["bash"]),
    ("html", "html", &["html"]),
    ("css", "css", &["css"]),
    ("javascript", "js", &["javascript"]),
    ("go", "go", &["go"]),
];

#[test]
fn source_files_are_detected_and_parsed_and_prose_is_not() {
    let built: Vec<&str> = excerpt_grammars::languages().collect();
    let mut read: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let (mut told, mut prose, mut fallen) = (0, 0, 0);
    for file in files() {
        let path = file.to_str().unwrap();
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let document = Document::new(&text).with_path(path);
        let detected = Grammars.detect(&document).map(|detected| detected.language);
        let ending = file
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        if Syntax::of_path(path) != Syntax::Code {
            let name = file.file_name().unwrap().to_str().unwrap();
            if matches!(ending, "md" | "txt" | "rst") || name.to_uppercase() == name {
                let script = text.starts_with("#!") || name == "BUILD";
                assert!(
                    detected.is_none() || script,
                    "{path} is prose, not {detected:?}"
                );
                prose += 1;
            }
            continue;
        }
        let mut known = KNOWN.iter();
        if let Some((language, _, expected)) = known.find(|(_, known, _)| *known == ending)
            && built.contains(language)
        {
            assert!(
                detected.is_some_and(|found| expected.contains(&found)),
                "{path}: {detected:?}"
            );
            told += 1;
        }
        let size = read.entry(ending.to_string()).or_default();
        if detected.is_some() && *size < ENOUGH {
            *size += text.len();
            let outline = kept(&document, 1_600);
            fallen += usize::from(!outline.fallbacks().is_empty());
        }
    }
    assert!(told > 1_000 && prose > 100, "{told} sources, {prose} texts");
    assert!(fallen * 50 < told, "{fallen} of {told} read as lines");
    println!("{told} sources told, {prose} texts left alone, {fallen} read as lines");
}
