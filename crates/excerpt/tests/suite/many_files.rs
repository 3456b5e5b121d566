//! A real folder of thousands of files: the sources of the dependencies, where cargo has them.

use std::path::PathBuf;
use std::process::Command;

use crate::fixture::Project;

/// The folder that holds the sources of the dependencies from the registry.
fn registry() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let foreign = packages
        .iter()
        .find(|package| !package["source"].is_null())
        .unwrap();
    let manifest = PathBuf::from(foreign["manifest_path"].as_str().unwrap());
    manifest.ancestors().nth(2).unwrap().to_path_buf()
}

#[test]
fn a_second_search_of_thousands_of_files_reads_none_of_them() {
    let project = Project::new();
    let folder = registry();
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
