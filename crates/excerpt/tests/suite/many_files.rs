//! A real folder of thousands of files: sources of the dependencies, copied from cargo's registry.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fixture::Project;

/// How many files are enough.
const FILES: usize = 8_000;

/// The folders of the dependencies in the registry, those that are searched for first.
fn packages() -> Vec<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let foreign = packages.filter(|package| !package["source"].is_null());
    let manifests =
        foreign.map(|package| PathBuf::from(package["manifest_path"].as_str().unwrap()));
    let mut folders: Vec<PathBuf> = manifests
        .map(|manifest| manifest.parent().unwrap().to_path_buf())
        .collect();
    let name = |folder: &PathBuf| folder.file_name().unwrap().to_str().unwrap().to_string();
    folders.sort_by_key(|folder| (!name(folder).starts_with("regex"), name(folder)));
    folders
}

/// Copies all files below `from`, and returns how many.
fn copy(from: &Path, to: &Path) -> usize {
    fs::create_dir_all(to).unwrap();
    let mut count = 0;
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            count += copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).unwrap();
            // With the original times: a file that was just written is read again.
            let time = entry.metadata().unwrap().modified().unwrap();
            File::options()
                .write(true)
                .open(to)
                .unwrap()
                .set_modified(time)
                .unwrap();
            count += 1;
        }
    }
    count
}

#[test]
fn a_second_search_of_thousands_of_files_reads_none_of_them() {
    let project = Project::new();
    let folder = project.path("packages");
    let mut count = 0;
    for package in packages() {
        if count < FILES {
            count += copy(&package, &folder.join(package.file_name().unwrap()));
        }
    }
    let folder = folder.to_str().unwrap();
    let first = project
        .run(&["search", "parse a regular expression", folder])
        .ok();
    assert!(first.stdout.contains("regex"), "{}", first.stdout);
    let report = &project.run(&["sync", folder, "--json"]).ok().json()[0];
    let unchanged = report["unchanged"].as_u64().unwrap();
    assert!(unchanged >= 5_000, "{unchanged} documents");
    assert_eq!(report["read"], 0);
    let second = project
        .run(&["search", "parse a regular expression", folder])
        .ok();
    assert_eq!(second.stdout, first.stdout);
}
