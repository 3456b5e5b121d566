//! The modules of the crate are floors: each imports only from those below it. Read from the `use`
//! declarations and paths of the sources, without their tests.

use std::fs;
use std::path::Path;

/// From the ground up.
const FLOORS: [&str; 11] = [
    "invocation",
    "output",
    "scores",
    "progress",
    "table",
    "chunk_table",
    "page",
    "served",
    "mcp",
    "http",
    "cli",
];

/// The files above all floors.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// The sources, each with its path below `src` and its text without tests.
fn sources() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut files) = (vec![src.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let own = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            let path = path.strip_prefix(&src).unwrap();
            files.push((path.to_str().unwrap().replace('\\', "/"), own.to_string()));
        }
    }
    files
}

/// The module at the top that a file belongs to.
fn module(path: &str) -> &str {
    let first = path.split('/').next().unwrap();
    first.strip_suffix(".rs").unwrap_or(first)
}

fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| *floor == name)
}

#[test]
fn each_module_is_a_floor() {
    for (path, _) in sources() {
        assert!(
            ROOTS.contains(&&*path) || floor(module(&path)).is_some(),
            "{path}"
        );
    }
}

#[test]
fn imports_run_down() {
    let mut up = Vec::new();
    for (path, text) in sources() {
        let is_comment = |line: &&str| line.trim_start().starts_with("//");
        for line in text.lines().filter(|line| !is_comment(line)) {
            for import in line.split("crate::").skip(1) {
                let name = import.split(|c: char| !c.is_alphanumeric() && c != '_');
                let name = floor(name.into_iter().next().unwrap_or_default());
                let is_down = name.is_some() && name <= floor(module(&path));
                if !is_down && !ROOTS.contains(&&*path) {
                    up.push(format!("{path}: {line}"));
                }
            }
        }
    }
    assert!(up.is_empty(), "{}", up.join("\n"));
}
