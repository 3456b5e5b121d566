//! The folders of the crate are floors: each imports only from those below it. Read from the `use`
//! declarations and paths of the sources, without their tests.

use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up.
const FLOORS: [&str; 16] = [
    "model", "cores", "fs", "analysis", "endpoint", "embed", "source", "store", "library", "read",
    "mirror", "rerank", "search", "sync", "index", "eval",
];

/// What no file outside of the local store may name, and the one that uses it as a library of
/// tokenizers.
const ENGINES: [&str; 2] = ["rusqlite::", "tantivy::"];
const TOKENIZERS: &str = "analysis/stems.rs";

/// The sources, each with its path below `src` and its text without tests.
fn sources() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&src, &mut files);
    let texts = files.into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let own = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let path = path.strip_prefix(&src).unwrap();
        (path.to_str().unwrap().replace('\\', "/"), own.to_string())
    });
    let texts: Vec<_> = texts.collect();
    let for_tests: Vec<String> = texts.iter().flat_map(modules_for_tests).collect();
    let mut texts = texts;
    texts.retain(|(path, _)| !for_tests.contains(path));
    texts
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}

/// The files of the modules that a file declares for tests only.
fn modules_for_tests((path, text): &(String, String)) -> Vec<String> {
    let folder = match path.rsplit_once('/') {
        Some((folder, "mod.rs")) => format!("{folder}/"),
        Some((folder, name)) => format!("{folder}/{}/", name.trim_end_matches(".rs")),
        None => String::new(),
    };
    let declared = text.split("#[cfg(test)]\n").skip(1);
    let names = declared.filter_map(|rest| {
        let line = rest.lines().next()?;
        let name = line.strip_suffix(';')?.split_once("mod ")?.1;
        Some(format!("{folder}{name}.rs"))
    });
    names.collect()
}

/// The code of a text, without its comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn each_folder_is_a_floor() {
    for (path, _) in sources() {
        let folder = path.split_once('/').map(|(folder, _)| folder);
        let is_known = folder.is_none_or(|folder| FLOORS.contains(&folder));
        assert!(is_known && (folder.is_some() || path == "lib.rs"), "{path}");
    }
}

#[test]
fn imports_run_down() {
    let floor = |name: &str| FLOORS.iter().position(|floor| *floor == name);
    let mut up = Vec::new();
    for (path, text) in sources() {
        let Some((folder, _)) = path.split_once('/') else {
            continue;
        };
        for line in code(&text) {
            for import in line.split("crate::").skip(1) {
                let name = import.split(|c: char| !c.is_alphanumeric() && c != '_');
                let name = name.into_iter().next().unwrap_or_default();
                let is_down = floor(name) <= floor(folder) && floor(name).is_some();
                if !is_down {
                    up.push(format!("{path}: {line}"));
                }
            }
        }
    }
    assert!(up.is_empty(), "{}", up.join("\n"));
}

#[test]
fn engines_stay_in_the_local_store() {
    let mut outside = Vec::new();
    for (path, text) in sources() {
        if path.starts_with("store/local/") || path == TOKENIZERS {
            continue;
        }
        let mut named = code(&text).filter(|line| ENGINES.iter().any(|name| line.contains(name)));
        outside.extend(named.next().map(|line| format!("{path}: {line}")));
    }
    assert!(outside.is_empty(), "{}", outside.join("\n"));
}
