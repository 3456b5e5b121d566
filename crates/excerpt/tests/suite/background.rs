//! Answers that do not wait for the whole folder, and the sync that continues in the background.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::fixture::{Project, Run};

/// More files than a sync reads in one batch.
const FILES: usize = 600;

fn many() -> Project {
    let project = Project::new().file("README.md", "# Welcome\n\nThe kettle is on the left.\n");
    for file in 1..FILES {
        let text = format!("# Note {file}\n\nWater for cup {file}.\n");
        project.write(&format!("notes/{file}.md"), text);
    }
    project
}

/// A search that does not wait at all, with or without a background sync.
fn hurried(project: &Project, background: &str) -> Run {
    let args = ["search", "kettle", "--channels", "keywords", "--wait", "0"];
    let mut command = project.command(&args);
    project
        .outcome(command.env("EXCERPT_BACKGROUND", background))
        .ok()
}

/// Waits until `done`, for as long as a slow machine may need.
fn until(mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < Duration::from_secs(120), "still not");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_first_answer_does_not_wait_for_all_files_and_the_rest_follows_in_the_background() {
    let project = many();
    let run = hurried(&project, "1");
    assert!(
        run.stdout.starts_with("README.md:1-3 · Welcome"),
        "{}",
        run.stdout
    );
    let indexed = run.stderr.split_once("note: ").unwrap().1;
    let (indexed, rest) = indexed.split_once(' ').unwrap();
    assert!(
        (1..600).contains(&indexed.parse().unwrap()),
        "{}",
        run.stderr
    );
    assert_eq!(
        rest,
        "of 600 files are indexed so far; the rest is indexed in the background\n"
    );
    assert!(
        run.stderr.contains(&format!(" of {indexed} document")),
        "{}",
        run.stderr
    );
    until(|| {
        let status = &project.run(&["status", "--json"]).ok().json()[0];
        !status["sources"][0]["last_sync"]["finished"].is_null()
    });
    // Once a sync gets the lock, no other process is writing.
    until(|| project.run(&["sync"]).code == Some(0));
    let status = &project.run(&["status", "--json"]).ok().json()[0];
    assert_eq!(status["documents"], FILES);
    assert_eq!(status["vectors"]["behind"], 0);
    let run = project.run(&["search", "kettle"]).ok();
    assert!(!run.stderr.contains("note:"), "{}", run.stderr);
}

#[test]
fn a_first_search_without_a_background_sync_waits_until_it_is_complete() {
    let project = many();
    let run = hurried(&project, "0");
    assert!(!run.stderr.contains("note:"), "{}", run.stderr);
    let status = &project.run(&["status", "--json"]).ok().json()[0];
    assert_eq!(status["documents"], FILES);
}

#[test]
fn a_search_of_an_indexed_folder_answers_from_its_current_state() {
    let project = many();
    project.run(&["sync"]).ok();
    for file in 1..FILES {
        project.write(
            &format!("notes/{file}.md"),
            format!("# Note {file}\n\nTea.\n"),
        );
    }
    let run = hurried(&project, "0");
    let note = run.stderr.lines().last().unwrap();
    assert!(
        note.ends_with(" of 600 files are indexed so far; run `excerpt sync` to index the rest"),
        "{note}"
    );
    project.run(&["sync"]).ok();
    let run = project.run(&["search", "kettle"]).ok();
    assert!(!run.stderr.contains("note:"), "{}", run.stderr);
}

#[test]
fn a_search_during_a_sync_answers_and_starts_no_other_sync() {
    let project = many();
    project.run(&["sync"]).ok();
    project.write("new.md", "# New\n\nAnother kettle.\n");
    let indexes = std::fs::read_dir(project.data().join("excerpt/indexes")).unwrap();
    let index = indexes.map(|entry| entry.unwrap().path()).next().unwrap();
    let lock = File::options()
        .read(true)
        .write(true)
        .open(index.join("lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let run = hurried(&project, "1");
    assert!(run.stdout.starts_with("README.md:1-3"), "{}", run.stdout);
    let notes: Vec<_> = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("note: "))
        .collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("note: answered from an older state: the index in `"));
    drop(lock);
    let status = &project.run(&["status", "--json"]).ok().json()[0];
    assert_eq!(status["documents"], FILES);
}

#[test]
fn a_background_sync_keeps_what_only_one_collection_leaves_out() {
    let ignored = |name: &str| format!("The hidden kettle of {name}.\n");
    let mut project = Project::new();
    for name in ["a", "b"] {
        project = project
            .file(&format!("{name}/.ignore"), "hidden.md\n")
            .file(&format!("{name}/hidden.md"), ignored(name));
    }
    project.run(&["add", "a", "--no-ignore"]).ok();
    project.run(&["add", "b"]).ok();
    for file in 1..FILES {
        project.write(&format!("b/{file}.md"), format!("Water for cup {file}.\n"));
    }
    let search = ["search", "kettle", "--library", "--wait", "0"];
    let mut command = project.command(&search);
    let run = project.outcome(command.env("EXCERPT_BACKGROUND", "1")).ok();
    assert!(run.stderr.contains("in the background"), "{}", run.stderr);
    let listed = || project.run(&["list", "--json"]).ok().json();
    until(|| {
        let b = &listed()[1];
        b["documents"].as_u64() >= Some(FILES as u64 - 1)
            && !b["status"]["last_sync"]["finished"].is_null()
    });
    let of = |name: &str| {
        let args = ["list", "--documents", "-c", name];
        project.run(&args).ok().stdout.contains("hidden.md")
    };
    assert_eq!((of("a"), of("b")), (true, false));
}

/// The index of a folder that is locked as by another process, which has indexed a part of it.
fn written(project: &Project) -> File {
    let indexes = std::fs::read_dir(project.data().join("excerpt/indexes")).unwrap();
    let index = indexes.map(|entry| entry.unwrap().path()).next().unwrap();
    locked(&index)
}

/// The same of this index.
fn locked(index: &std::path::Path) -> File {
    let mut options = File::options();
    let lock = options.read(true).write(true).open(index.join("lock"));
    let mut lock = lock.unwrap();
    lock.lock().unwrap();
    lock.set_len(0).unwrap();
    lock.write_all(b"5117\n 188 681\n").unwrap();
    lock
}

/// A project whose first sync was interrupted.
fn begun() -> Project {
    let project = many();
    hurried(&project, "0");
    for file in 1..FILES {
        let text = format!("# Note {file}\n\nWater for cup {file}, and for the next.\n");
        project.write(&format!("notes/{file}.md"), text);
    }
    let run = hurried(&project, "0");
    assert!(run.stderr.contains("indexed so far"), "{}", run.stderr);
    project
}

#[cfg(unix)]
#[test]
fn what_another_process_indexes_is_not_reported_as_unfinished() {
    let project = begun();
    let before = project.run(&["status"]).ok().stdout;
    assert!(before.contains("did not finish: run `excerpt sync`"));
    let lock = written(&project);
    let status = project.run(&["status"]).ok().stdout;
    assert!(
        status.contains("being indexed by another process: 188 of 681 files\n"),
        "{status}"
    );
    assert!(!status.contains("excerpt sync"), "{status}");
    let status = &project.run(&["status", "--json"]).ok().json()[0];
    assert_eq!(status["writer"]["process"], 5117);
    assert_eq!(status["writer"]["progress"]["listed"], 681);
    let doctor = project.run(&["doctor"]).ok().stdout;
    assert!(
        doctor.contains("being indexed by another process: 188 of 681 files\n"),
        "{doctor}"
    );
    assert!(!doctor.contains("excerpt sync"), "{doctor}");
    let search = hurried(&project, "1").stderr;
    assert!(
        search.ends_with(
            "note: 188 of 681 files are indexed so far; another process is indexing the rest\n"
        ),
        "{search}"
    );
    drop(lock);
}

#[cfg(unix)]
#[test]
fn what_another_process_writes_is_reported_with_how_far_it_is() {
    let project = Project::new().file("notes/tea.md", "# Tea\n\nGreen.\n");
    let notes = project.path("notes");
    let add = ["add", notes.to_str().unwrap()];
    project.run(&add).ok();
    // A collection whose first sync has not ended.
    let library = project.data().join("excerpt/library");
    let other = excerpt_index::Collection::new("other", project.path("notes/tea.md"));
    let options = excerpt_index::OpenOptions::default();
    let mut index = excerpt_index::Index::open(&library, options).unwrap();
    index.add(other).unwrap();
    drop(index);
    let list = project.run(&["list"]).ok().stdout;
    assert!(
        list.contains("never synced: run `excerpt sync`\n"),
        "{list}"
    );
    let lock = locked(&library);
    let list = project.run(&["list"]).ok().stdout;
    assert!(
        list.contains("being indexed by another process: 188 of 681 files\n"),
        "{list}"
    );
    assert_eq!(list.matches("synced just now\n").count(), 1, "{list}");
    for args in [
        &["remove", "notes"][..],
        &["add", notes.to_str().unwrap(), "--replace"],
        &[
            "doctor",
            notes.to_str().unwrap(),
            "--rebuild",
            "--index",
            library.to_str().unwrap(),
        ],
    ] {
        let run = project.run(args);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(
            run.stderr.ends_with(
                "is being written by process 5117 (188 of 681 files so far): try again when it has finished\n"
            ),
            "{args:?}: {}",
            run.stderr
        );
    }
    drop(lock);
}

#[cfg(unix)]
#[test]
fn a_sync_waits_for_the_one_of_another_process() {
    let project = begun();
    let lock = written(&project);
    let mut sync = project.command(&["sync"]);
    let mut sync = sync.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(sync.stderr.take().unwrap());
    let mut note = String::new();
    stderr.read_line(&mut note).unwrap();
    assert_eq!(
        note,
        "note: another process is indexing: 188 of 681 files so far; waiting until it has finished\n"
    );
    assert!(sync.try_wait().unwrap().is_none());
    drop(lock);
    let done = sync.wait_with_output().unwrap();
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!((rest.as_str(), done.status.code()), ("", Some(0)));
    let status = &project.run(&["status", "--json"]).ok().json()[0];
    assert_eq!(status["documents"], FILES);
    assert!(!status["sources"][0]["last_sync"]["finished"].is_null());
    assert_eq!(status["writer"], serde_json::Value::Null);
}

#[cfg(unix)]
#[test]
fn a_running_sync_says_how_far_it_has_come() {
    let project = many();
    let mut sync = project.command(&["sync"]).spawn().unwrap();
    let mut progress = None;
    until(|| {
        let run = project.run(&["status", "--json"]);
        let writer = run.json().first().map(|status| status["writer"].clone());
        let found = writer.filter(|writer| !writer["progress"].is_null());
        progress = progress.take().or(found);
        progress.is_some() || sync.try_wait().unwrap().is_some()
    });
    // On a fast machine it may have ended before anyone looked.
    if let Some(writer) = progress {
        assert_eq!(writer["process"], sync.id());
        assert_eq!(writer["progress"]["listed"], FILES);
    }
    assert!(sync.wait().unwrap().success());
}
