//! Clones and worktrees of one repository: each has its own index, which starts with the contents
//! of another one's.

use std::path::Path;

use serde_json::Value;

use crate::fixture::Project;

/// Some files, in a repository with an origin.
fn clone(project: &Project, name: &str, origin: &str, files: &[(&str, &str)]) {
    for (path, text) in files {
        project.write(&format!("{name}/{path}"), text);
    }
    git(project, name, &["init", "--quiet"]);
    git(project, name, &["remote", "add", "origin", origin]);
}

fn git(project: &Project, name: &str, args: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=me", "-c", "user.email=me@host"]);
    let status = command.args(args).current_dir(project.path(name)).status();
    assert!(status.unwrap().success());
}

const TEA: (&str, &str) = ("tea.md", "# Tea\n\nGreen tea wants 80 degrees.\n");
const MILK: (&str, &str) = ("milk.md", "# Milk\n\nFresh milk.\n");

fn sync(project: &Project, name: &str) -> Value {
    let run = project.run(&["sync", name, "--json"]).ok();
    run.json().remove(0)
}

fn found(project: &Project, name: &str, query: &str) -> Vec<String> {
    let lines = project
        .run(&["search", query, name, "--json", "--channels", "keywords"])
        .json();
    let text = |line: &Value| line["text"].as_str().unwrap().to_string();
    lines.iter().map(text).collect()
}

fn indexes(project: &Project) -> usize {
    let folder = project.data().join("excerpt/indexes");
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_clone_starts_with_the_contents_of_another_and_stays_separate() {
    let project = Project::new();
    clone(
        &project,
        "one",
        "https://host/tea.git",
        &[TEA, MILK, ("old.md", "Old coffee.\n")],
    );
    let first = sync(&project, "one");
    assert_eq!((&first["added"], &first["read"]), (&3.into(), &3.into()));

    let changed = ("milk.md", "# Milk\n\nSour cream.\n");
    clone(
        &project,
        "two",
        "https://host/tea.git",
        &[TEA, changed, ("new.md", "New cocoa.\n")],
    );
    let second = sync(&project, "two");
    let counts = ["unchanged", "changed", "added", "removed", "read"].map(|name| &second[name]);
    assert_eq!(counts, [1, 0, 2, 0, 3].map(Value::from).each_ref());
    assert_eq!(second["complete"], true);
    assert_eq!(indexes(&project), 2);

    // Each finds its own documents, and none of the other's.
    assert_eq!(found(&project, "one", "fresh sour").len(), 1);
    assert!(found(&project, "one", "fresh sour")[0].contains("Fresh milk"));
    assert!(found(&project, "two", "fresh sour")[0].contains("Sour cream"));
    assert!(found(&project, "two", "coffee").is_empty());
    assert!(found(&project, "one", "cocoa").is_empty());
    assert_eq!(
        found(&project, "two", "degrees"),
        found(&project, "one", "degrees")
    );
    project.run(&["doctor", "two"]).ok();
    project.run(&["doctor", "one"]).ok();
}

#[test]
fn a_worktree_starts_with_the_contents_of_the_repository_and_stays_separate() {
    let project = Project::new();
    for (path, text) in [TEA, MILK] {
        project.write(&format!("repo/{path}"), text);
    }
    git(&project, "repo", &["init", "--quiet"]);
    git(&project, "repo", &["add", "."]);
    git(&project, "repo", &["commit", "--quiet", "-m", "tea"]);
    assert_eq!(sync(&project, "repo")["added"], 2);
    let other = project.path("other");
    let add = [
        "worktree",
        "add",
        "--quiet",
        "-b",
        "other",
        other.to_str().unwrap(),
    ];
    git(&project, "repo", &add);
    project.write("other/milk.md", "# Milk\n\nSour cream.\n");
    let second = sync(&project, "other");
    let counts = ["unchanged", "changed", "added", "removed"].map(|name| &second[name]);
    assert_eq!(counts, [1, 0, 1, 0].map(Value::from).each_ref());
    assert_eq!(indexes(&project), 2);
    assert!(found(&project, "repo", "fresh sour")[0].contains("Fresh milk"));
    assert!(found(&project, "other", "fresh sour")[0].contains("Sour cream"));
    assert_eq!(sync(&project, "repo")["unchanged"], 2);
}

#[test]
fn a_repository_of_another_origin_starts_empty() {
    let project = Project::new();
    clone(&project, "one", "https://host/tea.git", &[TEA]);
    sync(&project, "one");
    clone(&project, "fork", "https://elsewhere/tea.git", &[TEA]);
    assert_eq!(sync(&project, "fork")["added"], 1);
}

#[test]
fn a_clone_without_another_one_to_copy_is_indexed_from_scratch() {
    let project = Project::new();
    clone(&project, "one", "https://host/tea.git", &[TEA]);
    sync(&project, "one");
    let indexes = std::fs::read_dir(project.data().join("excerpt/indexes")).unwrap();
    let index = indexes.map(|entry| entry.unwrap().path()).next().unwrap();
    let damage = |index: &Path| std::fs::write(index.join("excerpt.db"), "x".repeat(9_999));
    damage(&index).unwrap();
    clone(&project, "two", "https://host/tea.git", &[TEA]);
    assert_eq!(sync(&project, "two")["added"], 1);
    assert_eq!(found(&project, "two", "degrees").len(), 1);
}
