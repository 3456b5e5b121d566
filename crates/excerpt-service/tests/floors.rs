//! The service knows no face: no command line, no protocol, no terminal. Its folders are floors,
//! each of which imports only from those below it. Read from the sources, without their tests.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../excerpt-index/tests/index/own_code.rs"]
mod own_code;

use std::fs;
use std::path::Path;

/// The folders from the ground up.
const FLOORS: [&str; 8] = [
    "text", "config", "remote", "target", "access", "scope", "update", "engine",
];

/// What only a face may name.
const OF_FACES: [&str; 9] = [
    "anyhow::",
    "clap::",
    "rmcp::",
    "print!(",
    "println!(",
    "eprintln!(",
    "dbg!(",
    "stdout()",
    "stderr()",
];

/// The dependencies that only a face may have.
const DEPENDENCIES: [&str; 5] = ["anyhow", "clap", "indicatif", "owo-colors", "rmcp"];

fn sources() -> Vec<(String, String)> {
    own_code::sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

#[test]
fn no_face_is_known() {
    for (path, text) in sources() {
        for name in OF_FACES {
            assert!(!text.contains(name), "{path} names `{name}`");
        }
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    for name in DEPENDENCIES {
        assert!(!manifest.contains(&format!("\n{name}.")), "{name}");
    }
}

#[test]
fn imports_between_folders_run_down() {
    let floor = |name: &str| FLOORS.iter().position(|floor| *floor == name);
    let mut up = Vec::new();
    for (path, text) in sources() {
        let Some((folder, _)) = path.split_once('/') else {
            continue;
        };
        assert!(floor(folder).is_some(), "{path}");
        for line in text.lines() {
            for import in line.split("crate::").skip(1) {
                let name = import.split(|c: char| !c.is_alphanumeric() && c != '_');
                let name = name.into_iter().next().unwrap_or_default();
                // Errors name what each of them is about.
                if name != "error" && floor(name).is_none_or(|name| Some(name) > floor(folder)) {
                    up.push(format!("{path}: {line}"));
                }
            }
        }
    }
    assert!(up.is_empty(), "{}", up.join("\n"));
}
