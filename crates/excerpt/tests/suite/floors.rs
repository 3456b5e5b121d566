//! The modules of the crate are floors: each imports only from those below it. Read from the `use`
//! declarations and paths of the sources, without their tests.

use std::path::Path;

use crate::own_code;

/// From the ground up.
const FLOORS: [&str; 12] = [
    "invocation",
    "output",
    "scores",
    "label",
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

fn sources() -> Vec<(String, String)> {
    own_code::sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
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
        for line in text.lines() {
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
