//! The help and the documentation: every command and flag is in the help, and the short help fits
//! on a screen.

use std::collections::HashMap;

use crate::fixture::Project;

const COMMANDS: [&str; 9] = [
    "search", "chunk", "sync", "status", "get", "list", "mcp", "eval", "doctor",
];

/// The lines of a short help that name a flag, except for `--help` itself.
fn flags(help: &str) -> Vec<&str> {
    let names = help
        .lines()
        .filter_map(|line| line.trim_start().split_once("--"));
    let names = names.filter(|(before, _)| before.is_empty() || before.starts_with('-'));
    let names = names.map(|(_, rest)| rest.split(' ').next().unwrap());
    names.filter(|name| *name != "help").collect()
}

#[test]
fn the_short_help_fits_a_screen() {
    let project = Project::new();
    for command in COMMANDS {
        let help = project.run(&[command, "-h"]).ok().stdout;
        assert!(help.lines().count() <= 30, "{command}: {help}");
        let flags = flags(&help);
        assert!((1..=8).contains(&flags.len()), "{command}: {flags:?}");
    }
}

#[test]
fn every_field_of_a_configuration_is_a_flag_of_chunk() {
    let project = Project::new();
    let help = project.run(&["chunk", "--help"]).ok().stdout;
    let fields = serde_json::to_value(excerpt_chunk::Config::default()).unwrap();
    for field in fields.as_object().unwrap().keys() {
        let flag = format!("--{}", field.replace('_', "-"));
        assert!(help.contains(&flag), "{flag}");
    }
}

#[test]
fn the_program_names_its_commands() {
    let project = Project::new();
    let help = project.run(&["--help"]).ok().stdout;
    for command in COMMANDS {
        assert!(help.contains(&format!("  {command} ")), "{command}: {help}");
    }
    assert_eq!(project.run(&[]).code, Some(2));
}

/// The test files, by module name, with their contents.
fn tests() -> Vec<(String, String)> {
    let mut folders = vec![std::path::PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/.."
    ))];
    let mut tests = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                // A module and its tests may be files of a folder with its name.
                let is_of_folder = path.ends_with("mod.rs") || path.ends_with("tests.rs");
                let named = match is_of_folder {
                    true => path.parent().unwrap(),
                    false => &path,
                };
                let module = named.file_stem().unwrap().to_str().unwrap().to_string();
                tests.push((module, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    tests
}

/// Whether a file contains a test of this name, as a function or as a row of a macro.
fn has_test(text: &str, name: &str) -> bool {
    text.contains(&format!("fn {name}(")) || text.contains(&format!("{name}: \""))
}

#[test]
fn each_promise_names_an_existing_test() {
    let page = include_str!("../../../../docs/guide/security.md");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let rows = rows.filter(|row| !row.contains("---") && !row.starts_with("| promise"));
    let tests = tests();
    for row in rows {
        let cell = row.rsplit('|').nth(1).unwrap();
        let named: Vec<(&str, &str)> = cell
            .split('`')
            .filter_map(|name| name.split_once("::"))
            .collect();
        assert!(!named.is_empty(), "{row}");
        for (module, name) in named {
            let mut tests = tests.iter();
            let is_there = tests.any(|(file, text)| file == module && has_test(text, name));
            assert!(is_there, "{module}::{name}");
        }
    }
}

#[test]
fn each_requirement_names_an_existing_test() {
    let page = include_str!("../../../../docs/references.md");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = HashMap::new();
    let mut rows = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [_, _, _, cell, state] = cells[..] else {
            continue;
        };
        let named: Vec<(&str, &str)> = cell
            .split('`')
            .filter_map(|name| name.split_once("::"))
            .collect();
        assert!(!state.starts_with("met") || !named.is_empty(), "{row}");
        for (path, name) in named {
            let text = files.entry(path).or_insert_with(|| {
                std::fs::read_to_string(root.join(path))
                    .unwrap_or_else(|error| panic!("{path}: {error}"))
            });
            assert!(has_test(text, name), "{path}::{name}");
        }
        rows += 1;
    }
    assert!(rows > 100, "{rows}");
}
