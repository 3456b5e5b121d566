//! Links, pipes, devices and folders in place of configuration files and named files. The test
//! runner ends a test that hangs.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::fixture::Project;

/// A line that must not appear in any message.
const OUTSIDE: &str = "outside = of all\n";

fn tea() -> Project {
    let project = Project::new().file("green.md", "# Green tea\n\nEighty degrees.\n");
    std::fs::write(outside(&project), OUTSIDE).unwrap();
    project
}

fn outside(project: &Project) -> std::path::PathBuf {
    project.path("").parent().unwrap().join("outside.toml")
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Checks what commands report about an `excerpt.toml` that is not a regular file.
#[track_caller]
fn refused(project: &Project, why: &str) {
    for command in [&["search", "tea"][..], &["sync"], &["chunk", "green.md"]] {
        project.run(command).fails(&format!(
            "excerpt: cannot read `[folder]/project/excerpt.toml`: {why}"
        ));
    }
}

#[test]
fn a_link_in_place_of_excerpt_toml_shows_no_line_of_its_target() {
    let project = tea();
    symlink(outside(&project), project.path("excerpt.toml")).unwrap();
    refused(&project, "it is a symbolic link, expected a regular file");
}

#[test]
fn a_link_to_a_device_in_place_of_excerpt_toml_is_not_followed() {
    let project = tea();
    symlink("/dev/zero", project.path("excerpt.toml")).unwrap();
    refused(&project, "it is a symbolic link, expected a regular file");
}

#[test]
fn a_named_pipe_in_place_of_excerpt_toml_is_not_waited_for() {
    let project = tea();
    pipe(&project.path("excerpt.toml"));
    refused(&project, "it is a named pipe, expected a regular file");
}

#[test]
fn a_folder_in_place_of_excerpt_toml_is_named() {
    let project = tea();
    std::fs::create_dir(project.path("excerpt.toml")).unwrap();
    refused(&project, "it is a folder, expected a regular file");
}

#[test]
fn an_excerpt_toml_of_more_than_a_mebibyte_is_named_with_the_limit() {
    let project = tea().file("excerpt.toml", "#\n".repeat(1 << 20));
    refused(&project, "it has 2097152 bytes, but the limit is 1048576");
}

#[test]
fn an_excerpt_toml_that_is_not_text_is_named() {
    let project = tea().file("excerpt.toml", b"\xff\xfe\xfd");
    refused(&project, "it is not UTF-8");
}

#[test]
fn the_users_own_file_may_be_a_link() {
    let project = tea().own_file("");
    let own = project.settings().join("excerpt/excerpt.toml");
    std::fs::write(outside(&project), "[search]\nchannels = \"keywords\"\n").unwrap();
    std::fs::remove_file(&own).unwrap();
    symlink(outside(&project), &own).unwrap();
    let run = project.run(&["search", "tea"]).ok();
    assert!(
        run.stderr.trim_end().ends_with("keywords"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_file_given_to_chunk_may_be_a_link_but_not_a_pipe_or_device() {
    let project = tea();
    symlink(project.path("green.md"), project.path("link.md")).unwrap();
    let run = project.run(&["chunk", "link.md", "--format", "text"]).ok();
    assert!(run.stdout.contains("Eighty degrees."), "{}", run.stdout);
    pipe(&project.path("pipe.md"));
    let why = "expected a regular file, or `-` for standard input";
    project.run(&["chunk", "pipe.md"]).fails(&format!(
        "excerpt: cannot read `pipe.md`: it is a named pipe, {why}"
    ));
    project.run(&["chunk", "/dev/zero"]).fails(&format!(
        "excerpt: cannot read `/dev/zero`: it is a device, {why}"
    ));
}

#[test]
fn a_pipe_in_place_of_an_ignore_file_or_git_is_listed_and_not_waited_for() {
    for name in [".gitignore", ".ignore", ".git"] {
        let project = tea();
        pipe(&project.path(name));
        let run = project.run(&["search", "tea"]).ok();
        assert!(run.stdout.contains("green.md"), "{}", run.stdout);
        let run = project.run(&["status", "--skips"]).ok();
        let line = run.stdout.lines().find(|line| line.contains(name));
        let line = line.unwrap_or_else(|| panic!("{}", run.stdout));
        assert!(line.contains("not a regular file"), "{line}");
    }
}

#[test]
fn a_question_set_that_is_a_link_shows_no_line_of_its_target() {
    let project = tea().file("set/corpus/a.md", "tea");
    symlink(outside(&project), project.path("set/queries.jsonl")).unwrap();
    project.run(&["eval", "set"]).fails(
        "excerpt: cannot read `set/queries.jsonl`: it is a symbolic link, expected a regular file",
    );
}
