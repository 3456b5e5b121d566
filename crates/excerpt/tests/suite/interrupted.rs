//! Every command that writes is killed at moments spread over its whole run, more than two hundred
//! times. The index that is left opens and answers, contains each document in its old or its new
//! state, and equals an undisturbed one after the next sync.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use excerpt_index::{Error, Filter, Index, OpenOptions, Query, ReadOptions, Target};

use crate::fixture::Project;

const FILES: usize = 24;

/// How often each kind of command is killed.
const KILLS: usize = 42;

/// The path of a file, and its text in a version.
fn file(number: usize, version: usize) -> (String, String) {
    let paragraph = format!("Paragraph of file {number} in version{version}, to search for.\n\n");
    let text = format!("# File {number}\n\n{}", paragraph.repeat(20 + number));
    (format!("folder{}/file{number}.md", number % 5), text)
}

/// A folder whose files change, and its index.
struct Work {
    project: Project,
    index: PathBuf,
    /// The documents that the index contained last.
    held: BTreeMap<String, String>,
    /// How long the command takes after it visibly begins, measured on the last run that was not
    /// killed.
    whole: Duration,
    round: usize,
    killed: usize,
}

impl Work {
    fn new() -> Self {
        let project = Project::new();
        let index = project.data().join("killed");
        let work = Work {
            project,
            index,
            held: BTreeMap::new(),
            whole: Duration::from_millis(300),
            round: 0,
            killed: 0,
        };
        work.fill(0);
        work
    }

    /// Writes the files of a round: most stay the same, some change, some are added or removed.
    fn fill(&self, round: usize) {
        for number in 0..FILES {
            let version = if number % 3 == 0 { round } else { 0 };
            let (path, text) = file(number, version);
            match (number + round).is_multiple_of(11) {
                true => drop(fs::remove_file(self.project.path(&path))),
                false => self.project.write(&path, text),
            }
        }
    }

    /// The current files.
    fn files(&self) -> BTreeMap<String, String> {
        let paths = (0..FILES).map(|number| file(number, 0).0);
        let read = |path: String| Some((fs::read_to_string(self.project.path(&path)).ok()?, path));
        let files = paths.filter_map(read);
        files.map(|(text, path)| (path, text)).collect()
    }

    fn run(&self, args: &[&str]) {
        let index = self.index.to_str().unwrap();
        self.project.run(&[args, &["--index", index]].concat()).ok();
    }

    /// Starts the binary, waits until it `begins`, and kills it at a moment that differs from round
    /// to round. Returns whether it was still running.
    fn killed(&mut self, args: &[&str], begins: impl Fn(&Path, &Child) -> bool) -> bool {
        self.round += 1;
        assert!(self.round < 2_000, "{} were killed", self.killed);
        let index = self.index.to_str().unwrap();
        let args = [args, &["--index", index]].concat();
        let mut command = self.project.command(&args);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let mut has_ended = false;
        while !has_ended && !begins(&self.index, &child) {
            has_ended = child.try_wait().unwrap().is_some();
        }
        let begun = Instant::now();
        let share = (self.round as f64 * 0.618_034).fract();
        let moment = self.whole.mul_f64(share);
        while !has_ended && begun.elapsed() < moment {
            has_ended = child.try_wait().unwrap().is_some();
            std::thread::sleep(Duration::from_micros(100));
        }
        if !has_ended {
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        assert!(status.success() || status.code().is_none(), "{status}");
        let completed = status.success();
        if completed {
            self.whole = begun.elapsed();
        } else {
            self.killed += 1;
        }
        !completed
    }

    /// Asserts that the index opens, contains each document in its old or its new state, and finds
    /// it.
    fn look(&mut self) {
        let now = self.files();
        let index = match Index::open(&self.index, OpenOptions::default()) {
            Err(Error::NotFound { .. }) => return assert!(self.held.is_empty()),
            opened => opened.unwrap(),
        };
        let check = index.check().unwrap();
        let keywords = index.status().unwrap().keywords;
        assert!(check.is_sound(), "{check:?}, {keywords:?}");
        let mut found = BTreeMap::new();
        for number in 0..FILES {
            let (path, _) = file(number, 0);
            let text = match index.get(&Target::document(&*path), &ReadOptions::default()) {
                Err(Error::UnknownDocument { .. }) => None,
                document => Some(document.unwrap().text),
            };
            let allowed = [self.held.get(&path), now.get(&path)];
            assert!(allowed.contains(&text.as_ref()), "{path}: {text:?}");
            if let Some(text) = text {
                found.insert(path, text);
            }
        }
        for (path, text) in &found {
            let query = Query::new("paragraph of a file").within(Filter::default().path(path));
            let answer = index.search(&query).unwrap();
            assert!(!answer.documents.is_empty(), "{path}");
            assert!(answer.chunks().all(|hit| text.contains(&hit.text)));
        }
        self.held = found;
    }

    /// Completes the sync, and asserts that the index equals that of an undisturbed sync.
    fn complete(&mut self) {
        // A file that was being split at two kills in a row is skipped until it changes.
        self.run(&["sync", "--retry"]);
        let undisturbed = self.project.data().join("undisturbed");
        let _ = fs::remove_dir_all(&undisturbed);
        let args = ["sync", "--index", undisturbed.to_str().unwrap()];
        self.project.run(&args).ok();
        let open = |dir| Index::open(dir, OpenOptions::default()).unwrap();
        let (killed, undisturbed) = (open(&self.index), open(&undisturbed));
        assert!(killed.check().unwrap().is_sound());
        assert_eq!(killed.check().unwrap(), undisturbed.check().unwrap());
        assert_eq!(
            killed.fingerprint().unwrap(),
            undisturbed.fingerprint().unwrap()
        );
        self.held = self.files();
    }

    /// Whether to complete the sync in this round.
    fn is_due(&self) -> bool {
        self.killed.is_multiple_of(6)
    }
}

/// Whether a process has begun to write: its id is in the lock file.
fn holds_lock(index: &Path, child: &Child) -> bool {
    let holder = fs::read_to_string(index.join("lock")).unwrap_or_default();
    holder.lines().next() == Some(&*child.id().to_string())
}

#[test]
fn a_killed_first_sync_is_completed() {
    let mut work = Work::new();
    while work.killed < KILLS {
        if work.killed(&["sync"], holds_lock) {
            work.look();
            if work.is_due() {
                work.complete();
            }
        }
        fs::remove_dir_all(&work.index).unwrap();
        work.held.clear();
    }
}

#[test]
fn a_killed_refresh_leaves_each_document_old_or_new() {
    let mut work = Work::new();
    work.complete();
    while work.killed < KILLS {
        work.fill(work.round + 1);
        let was_killed = work.killed(&["sync"], holds_lock);
        work.look();
        if was_killed && work.is_due() {
            work.complete();
        }
    }
    work.complete();
}

#[test]
fn a_killed_change_of_settings_is_completed() {
    let mut work = Work::new();
    work.complete();
    while work.killed < KILLS {
        let file = format!("[chunking]\ntarget = {}\n", 100 + 20 * (work.round % 7));
        work.project.write("excerpt.toml", file);
        let was_killed = work.killed(&["sync"], holds_lock);
        work.look();
        if was_killed && work.is_due() {
            work.complete();
        }
    }
    work.complete();
}

#[test]
fn a_killed_rebuild_leaves_the_old_index_or_the_new() {
    let mut work = Work::new();
    work.complete();
    while work.killed < KILLS {
        work.fill(work.round + 1);
        let was_killed = work.killed(&["doctor", "--rebuild"], holds_lock);
        work.look();
        if was_killed && work.is_due() {
            work.complete();
        }
    }
    work.complete();
}

/// The statements that create an index of the first format, with the files of round 0 under
/// `/notes`.
const FORMAT_1: &str = include_str!("../../../excerpt-index/tests/formats/v1.sql");

#[test]
fn a_killed_upgrade_is_completed() {
    let mut work = Work::new();
    for number in 0..FILES {
        let _ = fs::remove_file(work.project.path(&file(number, 0).0));
    }
    let root = work.project.path("").canonicalize().unwrap();
    let root = root.to_str().unwrap().trim_end_matches('/').to_string();
    while work.killed < KILLS {
        let _ = fs::remove_dir_all(&work.index);
        fs::create_dir_all(&work.index).unwrap();
        let old = rusqlite::Connection::open(work.index.join("excerpt.db")).unwrap();
        old.execute_batch(FORMAT_1).unwrap();
        old.execute("UPDATE source SET root = ?1", [&root]).unwrap();
        drop(old);
        for (path, text) in format_files() {
            work.project.write(path, text);
        }
        // It upgrades before it writes anything else.
        let begins = |index: &Path, _: &Child| index.join("excerpt.db-wal").exists();
        if work.killed(&["sync"], begins) {
            let index = Index::open(&work.index, OpenOptions::default()).unwrap();
            for (path, text) in format_files() {
                assert_eq!(
                    index
                        .get(&Target::document(path), &ReadOptions::default())
                        .unwrap()
                        .text,
                    text
                );
            }
            drop(index);
            if work.is_due() {
                work.complete();
            }
        }
    }
}

/// The documents of an index of an older format.
fn format_files() -> [(&'static str, &'static str); 3] {
    [
        (
            "guide/tea.md",
            include_str!("../../../excerpt-index/tests/formats/notes/guide/tea.md"),
        ),
        (
            "kettle.rs",
            include_str!("../../../excerpt-index/tests/formats/notes/kettle.rs"),
        ),
        (
            "milk.txt",
            include_str!("../../../excerpt-index/tests/formats/notes/milk.txt"),
        ),
    ]
}
