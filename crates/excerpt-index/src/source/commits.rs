//! When the files of a working tree were last committed, for a list of what changed last: in a
//! fresh clone, all files have the time of the clone.
//!
//! The program `git` reads the history. It gets a git folder of ours, with the objects and the list
//! of files of the repository but without its configuration and hooks: those may name commands, and
//! the author of a folder must not choose what runs when it is listed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

use crate::fs::git::Repository;
use crate::fs::open::OpenFolder;

/// How many commits are read.
const COMMITS: &str = "50000";

/// The longest list of files, in bytes.
const LONGEST: usize = 16 << 20;

/// The arguments that list the tracked files which differ from what was committed.
const STATUS: [&str; 6] = [
    "status",
    "--porcelain",
    "-z",
    "--untracked-files=no",
    "--no-renames",
    "--ignore-submodules=all",
];

/// What git knows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commit {
    /// It is as it was committed, at this time in seconds since 1970.
    At(i64),
    /// It differs from what was committed.
    Changed,
    /// It was committed at this time or before: older commits were not read.
    Before(i64),
}

/// What git knows of the files under a root.
#[derive(Debug, Default)]
pub(crate) struct Commits {
    /// The files that it tracks, by path below the root; `None` for those whose commit was not
    /// read.
    files: HashMap<String, Option<Commit>>,
    /// The time of the oldest commit that was read.
    oldest: Option<i64>,
}

/// A commit with the files that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The first line of its message.
    pub(crate) subject: String,
    /// The files below the root.
    pub(crate) paths: Vec<String>,
    /// Whether it also changed files that are not below the root.
    pub(crate) is_elsewhere: bool,
}

/// The commits of a working tree, newest first, without merges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct History {
    /// The commit that it is at.
    pub(crate) head: String,
    pub(crate) changes: Vec<Change>,
}

impl History {
    /// The history of the working tree that `root` is in, as far as it can be read until `end`.
    /// `None` without a repository or without git.
    pub(crate) fn of(root: &Path, end: Instant) -> Option<History> {
        let tree = Tree::around(root)?;
        let log = [
            "log",
            "-z",
            "--format=%x01%s",
            "--name-only",
            "--no-merges",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-show-signature",
            "--full-diff",
            "--max-count",
            COMMITS,
            &tree.head,
        ];
        let mut changes: Vec<Change> = Vec::new();
        each(tree.git(&log), end, |word| {
            if let Some(subject) = word.strip_prefix('\u{1}') {
                changes.push(Change {
                    subject: subject.to_string(),
                    paths: Vec::new(),
                    is_elsewhere: false,
                });
            } else if let Some(change) = changes.last_mut() {
                match tree.below(word.trim_start_matches('\n')) {
                    Some(path) => change.paths.push(path.to_string()),
                    None => change.is_elsewhere = true,
                }
            }
            ControlFlow::Continue(())
        })?;
        Some(History {
            head: tree.head.clone(),
            changes,
        })
    }
}

impl Commits {
    /// What git knows of the files under `root`, read until `most` of those for which `is_wanted`
    /// have a commit: they are the newest. `None` without a repository or without git, or if there
    /// is not even time for a list of the files until `end`.
    pub(crate) fn of(
        root: &Path,
        most: usize,
        is_wanted: impl Fn(&str) -> bool,
        end: Instant,
    ) -> Option<Commits> {
        let tree = Tree::around(root)?;
        let mut commits = Commits::default();
        for path in tree.files(end, &["ls-files", "-z", "--full-name"], 0)? {
            commits.files.insert(path, None);
        }
        // Two letters and a space before the path say how it differs.
        for path in tree.files(end, &STATUS, 3)? {
            commits.files.insert(path, Some(Commit::Changed));
        }
        tree.log(end, most, is_wanted, &mut commits)?;
        Some(commits)
    }

    /// What git knows of a file; `None` for one that it does not track.
    pub(crate) fn of_file(&self, path: &str) -> Option<Commit> {
        let known = *self.files.get(path)?;
        known.or(self.oldest.map(Commit::Before))
    }
}

/// A working tree, and a git folder of ours to read it with.
struct Tree {
    ours: tempfile::TempDir,
    /// Its folder.
    root: PathBuf,
    /// The part of it that is read; empty for all of it.
    part: String,
    /// Where its objects, its list of files and the ends of a shallow history are.
    objects: PathBuf,
    index: PathBuf,
    shallow: PathBuf,
    head: String,
}

impl Tree {
    /// The working tree that `root` is in.
    fn around(root: &Path) -> Option<Tree> {
        let (folder, repository) = root.ancestors().find_map(|folder| {
            let open = OpenFolder::open(folder).ok()?;
            Some((folder, Repository::of(&open).ok()??))
        })?;
        let head = repository.head()?;
        let ours = tempfile::tempdir().ok()?;
        for name in ["objects", "refs"] {
            fs::create_dir(ours.path().join(name)).ok()?;
        }
        let (version, format) = match head.len() {
            40 => (0, ""),
            _ => (1, "[extensions]\n\tobjectformat = sha256\n"),
        };
        let config =
            format!("[core]\n\trepositoryformatversion = {version}\n\tbare = false\n{format}");
        fs::write(ours.path().join("config"), config).ok()?;
        fs::write(ours.path().join("HEAD"), format!("{head}\n")).ok()?;
        let part = root.strip_prefix(folder).ok()?.to_str()?;
        Some(Tree {
            ours,
            root: folder.to_path_buf(),
            part: match cfg!(windows) {
                true => part.replace('\\', "/"),
                false => part.to_string(),
            },
            objects: repository.objects()?,
            index: repository.own.join("index"),
            shallow: repository.common.join("shallow"),
            head,
        })
    }

    fn git(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.env_clear();
        for name in ["PATH", "SystemRoot", "TMP", "TEMP"] {
            command.envs(std::env::var_os(name).map(|value| (OsString::from(name), value)));
        }
        command
            .envs([
                ("GIT_DIR", self.ours.path()),
                ("GIT_OBJECT_DIRECTORY", &self.objects),
                ("GIT_INDEX_FILE", &self.index),
                ("GIT_SHALLOW_FILE", &self.shallow),
                ("GIT_WORK_TREE", &self.root),
            ])
            .envs([
                ("GIT_CONFIG_NOSYSTEM", "1"),
                (
                    "GIT_CONFIG_GLOBAL",
                    if cfg!(windows) { "NUL" } else { "/dev/null" },
                ),
                ("GIT_ATTR_NOSYSTEM", "1"),
                ("GIT_OPTIONAL_LOCKS", "0"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_NO_LAZY_FETCH", "1"),
                ("GIT_ALLOW_PROTOCOL", ""),
                ("GIT_LITERAL_PATHSPECS", "1"),
                ("LC_ALL", "C"),
            ])
            .current_dir(self.ours.path())
            .args([
                "--no-pager",
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.hooksPath=/dev/null",
            ])
            .args(arguments);
        if !self.part.is_empty() {
            command.args(["--", &self.part]);
        }
        command
    }

    /// The path of a file below the root.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(&*self.part)?;
        match (self.part.is_empty(), rest.strip_prefix('/')) {
            (true, _) => Some(path),
            (false, Some(rest)) => Some(rest),
            // The root is a file.
            (false, None) => path.rsplit('/').next().filter(|_| rest.is_empty()),
        }
    }

    /// The paths below the root in the output of git, without as many bytes before each; `None` if
    /// it fails or there are too many.
    fn files(&self, end: Instant, arguments: &[&str], before: usize) -> Option<Vec<String>> {
        let mut files = Vec::new();
        let mut size = 0;
        let ended = each(self.git(arguments), end, |entry| {
            size += entry.len();
            let path = entry.get(before..).and_then(|path| self.below(path));
            files.extend(path.map(str::to_string));
            match size > LONGEST {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        (ended == Ended::Complete).then_some(files)
    }

    /// Reads the history from its newest commit on.
    fn log(
        &self,
        end: Instant,
        most: usize,
        is_wanted: impl Fn(&str) -> bool,
        commits: &mut Commits,
    ) -> Option<()> {
        let log = [
            "log",
            "-z",
            "--format=%x01%ct",
            "--name-only",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-show-signature",
            "--max-count",
            COMMITS,
            &self.head,
        ];
        let (mut time, mut found) = (None, 0);
        each(self.git(&log), end, |word| {
            if let Some(seconds) = word.strip_prefix('\u{1}') {
                time = seconds.parse().ok();
                return ControlFlow::Continue(());
            }
            // The first path of a commit begins a line.
            let path = self.below(word.trim_start_matches('\n'));
            if let (Some(path), Some(time)) = (path, time)
                && let Some(known @ None) = commits.files.get_mut(path)
            {
                *known = Some(Commit::At(time));
                found += usize::from(is_wanted(path));
            }
            match found < most {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
        commits.oldest = time;
        Some(())
    }
}

/// How the output of a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Complete,
    /// By the caller, or because the time was up.
    Stopped,
}

/// Runs a program and calls `visit` with each word of its output; words end with a NUL. `None` if
/// it cannot be run or fails.
fn each(
    mut command: Command,
    end: Instant,
    mut visit: impl FnMut(&str) -> ControlFlow<()>,
) -> Option<Ended> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.ok()?;
    let output = piped(&mut child)?;
    let mut rest = Vec::new();
    let ended = loop {
        // Output that is waiting already is received even without any time left.
        let left = end.checked_duration_since(Instant::now());
        let Some(Ok(bytes)) = left.map(|left| output.recv_timeout(left)) else {
            break Ended::Stopped;
        };
        // Nothing more comes.
        if bytes.is_empty() {
            break Ended::Complete;
        }
        rest.extend(bytes);
        let flow = visit_words(&mut rest, &mut visit);
        if flow.is_break() || rest.len() > LONGEST {
            break Ended::Stopped;
        }
    };
    if ended == Ended::Stopped {
        let _ = child.kill();
    }
    let status = child.wait().ok()?;
    (ended == Ended::Stopped || status.success()).then_some(ended)
}

/// Takes the complete words out of `bytes` and calls `visit` with each of them, until it breaks.
fn visit_words(
    bytes: &mut Vec<u8>,
    visit: &mut impl FnMut(&str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut read = 0;
    let mut flow = ControlFlow::Continue(());
    while flow.is_continue()
        && let Some(length) = bytes[read..].iter().position(|byte| *byte == 0)
    {
        let word = String::from_utf8_lossy(&bytes[read..read + length]);
        read += length + 1;
        flow = visit(&word);
    }
    bytes.drain(..read);
    flow
}

/// The output of a program as it comes, and at its end nothing.
fn piped(child: &mut Child) -> Option<Receiver<Vec<u8>>> {
    let mut output = child.stdout.take()?;
    let (sender, receiver) = sync_channel(16);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = output.read(&mut buffer).unwrap_or(0);
            if sender.send(buffer[..count].to_vec()).is_err() || count == 0 {
                return;
            }
        }
    });
    Some(receiver)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn git(folder: &Path, time: &str, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .env("GIT_COMMITTER_DATE", time)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .current_dir(folder)
            .status();
        assert!(status.unwrap().success());
    }

    fn write(folder: &Path, path: &str, text: &str) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn files_have_the_time_of_their_last_commit() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        git(dir, "", &["init", "--quiet"]);
        let commit = |time: &str| {
            git(dir, time, &["add", "."]);
            git(dir, time, &["commit", "--quiet", "-m", "x"]);
        };
        for name in ["a.md", "docs/b ü.md", "docs/c.md", "gone.md"] {
            write(dir, name, name);
        }
        commit("@1000 +0000");
        write(dir, "docs/b ü.md", "again");
        fs::remove_file(dir.join("gone.md")).unwrap();
        commit("@2000 +0000");
        write(dir, "docs/c.md", "not committed");
        write(dir, "gone.md", "here again");
        // Commands of the repository do not run.
        let trap = dir.join("trap");
        for name in [
            "core.fsmonitor",
            "gpg.program",
            "core.pager",
            "filter.x.clean",
        ] {
            let command = format!("touch {}", trap.display());
            git(dir, "", &["config", name, &command]);
        }
        git(dir, "", &["config", "log.showSignature", "true"]);
        write(dir, ".git/info/attributes", "*.md filter=x\n");
        let end = Instant::now() + Duration::from_secs(60);
        let read = |root: &Path, most| Commits::of(root, most, |_| true, end).unwrap();
        let all = read(dir, usize::MAX);
        assert_eq!(all.of_file("a.md"), Some(Commit::At(1000)));
        assert_eq!(all.of_file("docs/b ü.md"), Some(Commit::At(2000)));
        assert_eq!(all.of_file("docs/c.md"), Some(Commit::Changed));
        assert_eq!(all.of_file("gone.md"), None);
        assert_eq!(all.of_file("new.md"), None);
        let docs = read(&dir.join("docs"), usize::MAX);
        assert_eq!(docs.of_file("b ü.md"), Some(Commit::At(2000)));
        let file = read(&dir.join("a.md"), usize::MAX);
        assert_eq!(file.of_file("a.md"), Some(Commit::At(1000)));
        let newest = read(dir, 1);
        assert_eq!(newest.of_file("a.md"), Some(Commit::Before(2000)));
        assert!(!trap.exists());
    }

    #[test]
    fn a_history_has_subjects_and_files() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        git(dir, "", &["init", "--quiet"]);
        let commit = |message: &str| {
            git(dir, "@1000 +0000", &["add", "."]);
            git(dir, "@1000 +0000", &["commit", "--quiet", "-m", message]);
        };
        write(dir, "docs/b ü.md", "b");
        write(dir, "docs/c.md", "c");
        commit("Write of tea\n\nAnd more.");
        write(dir, "a.md", "a");
        write(dir, "docs/c.md", "again");
        commit("Write again");
        let end = Instant::now() + Duration::from_secs(60);
        let read = |root: &Path| {
            let changes = History::of(root, end).unwrap().changes.into_iter();
            let changes: Vec<_> = changes
                .map(|it| (it.subject, it.paths.join(", "), it.is_elsewhere))
                .collect();
            changes
        };
        let again = |paths: &str, elsewhere| ("Write again".into(), paths.into(), elsewhere);
        let of_tea = |paths: &str| ("Write of tea".into(), paths.into(), false);
        assert_eq!(
            read(dir),
            [
                again("a.md, docs/c.md", false),
                of_tea("docs/b ü.md, docs/c.md")
            ]
        );
        assert_eq!(
            read(&dir.join("docs")),
            [again("c.md", true), of_tea("b ü.md, c.md")]
        );
        assert!(History::of(&dir.join(".git"), end).is_none_or(|it| it.changes.is_empty()));
    }

    #[test]
    fn a_repository_that_borrows_objects_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        git(dir, "", &["init", "--quiet"]);
        write(dir, "a.md", "a");
        git(dir, "", &["add", "."]);
        git(dir, "@1000 +0000", &["commit", "--quiet", "-m", "x"]);
        let end = Instant::now() + Duration::from_secs(60);
        let is_read = || Commits::of(dir, 1, |_| true, end).is_some();
        assert!(is_read());
        let alternates = dir.join(".git/objects/info/alternates");
        for other in [
            "//host/share",
            "\"//host/share\"",
            "/\\host/share",
            "/tmp/other",
        ] {
            write(dir, ".git/objects/info/alternates", other);
            assert!(!is_read(), "{other}");
        }
        fs::remove_file(&alternates).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/hostname", &alternates).unwrap();
            assert!(!is_read());
        }
    }

    #[test]
    fn without_a_repository_there_are_no_commits() {
        let dir = tempfile::tempdir().unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        let is_none = || Commits::of(dir.path(), 1, |_| true, end).is_none();
        assert!(is_none());
        fs::create_dir(dir.path().join(".git")).unwrap();
        assert!(is_none());
        git(dir.path(), "", &["init", "--quiet"]);
        assert!(is_none());
    }
}
