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

/// Starts a sync and kills it after `moment`. Returns how long it ran if it ended before.
fn killed_after(project: &Project, args: &[&str], moment: Duration) -> Option<Duration> {
    let started = Instant::now();
    let mut child = project.command(args).stdout(Stdio::null()).spawn().unwrap();
    while started.elapsed() < moment {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return Some(started.elapsed());
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    let ended = child.wait().unwrap().success();
    ended.then(|| started.elapsed())
}

#[test]
fn a_killed_sync_leaves_an_index_that_the_next_one_completes() {
    let project = Project::new();
    let index = project.data().join("killed");
    let args = ["sync", "--index", index.to_str().unwrap()];
    let search = ["search", "paragraph", "--sync", "never", "--index", args[2]];
    let mut killed = 0;
    // How long a sync takes, as far as is known: the last that ended says it.
    let mut whole = Duration::from_secs(1);
    for round in 0.. {
        assert!(round < 200, "{killed} of {round} were killed");
        fill(&project, round);
        // The moments are spread over the sync, and differ from run to run: any of them must do.
        let share = (round as f64 * 0.618_034 + 0.3).fract();
        match killed_after(&project, &args, whole.mul_f64(share)) {
            Some(time) => whole = time,
            None => killed += 1,
        }
        if index.join("excerpt.db").exists() {
            // What is there answers, however far the sync came.
            let run = project.run(&search);
            assert!(
                run.code < Some(2) || run.stderr.contains("run `excerpt sync`"),
                "{run:?}"
            );
        }
        if killed == 10 {
            break;
        }
    }
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
