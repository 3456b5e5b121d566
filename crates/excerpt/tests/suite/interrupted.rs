//! A sync that is killed at any moment, and run again, gives the index of one that was not disturbed.

use std::process::Stdio;
use std::time::{Duration, Instant};

use excerpt_index::{Index, OpenOptions};

use crate::fixture::Project;

const FILES: usize = 300;

/// The files as they are in round `round`: most stay, some change, some come and go.
fn fill(project: &Project, round: usize) {
    for file in 0..FILES {
        let path = format!("folder{}/file{file}.md", file % 7);
        if (file + round).is_multiple_of(11) {
            let _ = std::fs::remove_file(project.path(&path));
            continue;
        }
        let version = if file % 3 == 0 { round } else { 0 };
        let paragraph = format!(
            "Paragraph of file {file} in version {version}, with some words to search for.\n\n"
        );
        project.write(
            &path,
            format!("# File {file}\n\n{}", paragraph.repeat(20 + file % 30)),
        );
    }
}

#[test]
fn a_killed_sync_leaves_an_index_that_the_next_one_completes() {
    let project = Project::new();
    let index = project.data().join("killed");
    let args = ["sync", "--index", index.to_str().unwrap()];
    fill(&project, 0);
    let started = Instant::now();
    project
        .run(&[
            "sync",
            "--index",
            project.data().join("timed").to_str().unwrap(),
        ])
        .ok();
    let whole = started.elapsed();
    let mut killed = 0;
    for round in 0..24 {
        fill(&project, round);
        let mut child = project
            .command(&args)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The moment is meant to differ from run to run: any of them must do.
        let moment = whole.mul_f64(f64::from(round as u32 + 1) / 25.0);
        let deadline = Instant::now() + moment;
        while Instant::now() < deadline && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        if index.join("excerpt.db").exists() {
            // What is there answers, however far the sync came.
            let run = project.run(&[
                "search",
                "paragraph",
                "--sync",
                "never",
                "--index",
                index.to_str().unwrap(),
            ]);
            assert!(
                run.code < Some(2) || run.stderr.contains("run `excerpt sync`"),
                "{run:?}"
            );
        }
    }
    assert!(killed >= 10, "{killed} of 24 were killed");
    project.run(&args).ok();
    let undisturbed = project.data().join("undisturbed");
    project
        .run(&["sync", "--index", undisturbed.to_str().unwrap()])
        .ok();
    let open = |dir| Index::open(dir, OpenOptions::default()).unwrap();
    let (killed, undisturbed) = (open(&index), open(&undisturbed));
    assert_eq!(
        killed.fingerprint().unwrap(),
        undisturbed.fingerprint().unwrap()
    );
    assert!(killed.check().unwrap().is_sound());
    assert_eq!(killed.check().unwrap(), undisturbed.check().unwrap());
}
