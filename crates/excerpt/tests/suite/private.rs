//! An index is private: folders have mode 0700 and files 0600, whatever the umask.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fixture::{Project, Run};

fn project() -> Project {
    Project::new()
        .repository()
        .file("tea.md", "# Tea\n\nGreen tea.\n")
        .file("more/milk.md", "# Milk\n\nFresh milk.\n")
}

/// Runs the binary under a umask.
fn run(project: &Project, umask: &str, args: &[&str]) -> Run {
    let like = project.command(args);
    let mut command = Command::new("sh");
    let script = format!("umask {umask}; exec \"$@\"");
    command.args(["-c", &script, "sh"]);
    command.arg(like.get_program()).args(args);
    command.current_dir(project.path(""));
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(std::process::Stdio::null());
    project.outcome(&mut command)
}

/// Everything at and below a path, with its mode.
fn modes(path: &Path) -> Vec<(PathBuf, u32)> {
    let metadata = fs::symlink_metadata(path).unwrap();
    let mut found = vec![(path.to_path_buf(), metadata.permissions().mode() & 0o777)];
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            found.extend(modes(&entry.unwrap().path()));
        }
    }
    found
}

fn assert_private(path: &Path) {
    let found = modes(path);
    assert!(found.len() > 8, "{found:?}");
    for (path, mode) in found {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{} has mode {mode:o}", path.display());
    }
}

fn loosen(path: &Path) {
    for (path, _) in modes(path) {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// Runs every command that writes files.
fn all_work(project: &Project, umask: &str) {
    let given = project.path("said.txt");
    fs::write(&given, "Cocoa is hot.\n").unwrap();
    run(project, umask, &["sync"]).ok();
    project.write("excerpt.toml", "[chunking]\ntarget = 150\n");
    run(project, umask, &["sync"]).ok();
    run(project, umask, &["doctor", "--rebuild"]).ok();
    run(project, umask, &["add", "more", "--tags", "milk"]).ok();
    let script = format!("umask {umask}; exec \"$@\" < said.txt");
    let like = project.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(like.get_program());
    command
        .args(["add", "-", "--title", "Cocoa"])
        .current_dir(project.path(""));
    command.envs(
        like.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    project.outcome(&mut command).ok();
}

#[test]
fn every_file_of_an_index_is_private_whatever_the_umask() {
    for umask in ["000", "022", "277"] {
        let project = project();
        all_work(&project, umask);
        assert_private(&project.data().join("excerpt"));
        let library = project.data().join("excerpt/library");
        assert!(library.join("given").is_dir() && library.join("collections.json").is_file());
    }
}

#[test]
fn the_next_command_makes_an_index_private() {
    let project = project();
    all_work(&project, "022");
    let data = project.data().join("excerpt");
    loosen(&data);
    run(&project, "022", &["search", "tea", "--sync", "never"]).ok();
    run(
        &project,
        "022",
        &["search", "milk", "--library", "--sync", "never"],
    )
    .ok();
    assert_private(&data);
}

#[test]
fn other_files_keep_their_modes() {
    let project = project();
    let index = project.path("mine");
    let args = ["sync", "tea.md", "--index", index.to_str().unwrap()];
    fs::create_dir(&index).unwrap();
    run(&project, "022", &args).ok();
    assert_private(&index);
    project.write("mine/photo.jpg", "x");
    loosen(&index);
    run(&project, "022", &args).ok();
    let mode = |path: &str| fs::metadata(index.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("photo.jpg")), (0o755, 0o644));
    assert_eq!((mode("excerpt.db"), mode("lexical")), (0o600, 0o700));
}
