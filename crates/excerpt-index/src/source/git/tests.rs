//! Commits of real repositories, which the program `git` makes.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::*;
use crate::source::Files;
use crate::source::conformance::conforms;
use crate::{Index, OpenOptions, SyncOptions, SyncReport};

/// A working tree with its repository.
pub(super) struct Repo {
    folder: tempfile::TempDir,
}

impl Repo {
    pub(super) fn new() -> Repo {
        Repo::in_format("sha1")
    }

    /// With ids in this format.
    pub(super) fn in_format(format: &str) -> Repo {
        let repo = Repo {
            folder: tempfile::tempdir().unwrap(),
        };
        let format = format!("--object-format={format}");
        repo.git(["init", "-q", "-b", "main", &format]);
        repo
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(self.folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.folder.path().join(".git/none"))
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@a")])
            .envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@a")]);
        command
    }

    pub(super) fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        self.git_with(arguments, b"")
    }

    /// What git prints, given some input.
    fn git_with<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        input: &[u8],
    ) -> String {
        let mut command = self.command();
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{command:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    }

    pub(super) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits everything, also what is ignored.
    pub(super) fn commit(&self) -> String {
        self.git(["add", "-A", "-f"]);
        self.git(["commit", "-q", "--allow-empty", "-m", "state"]);
        self.git(["rev-parse", "HEAD"])
    }

    /// A commit of a tree with these rows, which git itself would perhaps not write.
    fn commit_of(&self, rows: &[(&str, &[u8], &str)]) -> String {
        let mut tree = Vec::new();
        for (mode, name, id) in rows {
            tree.extend_from_slice(mode.as_bytes());
            tree.push(b' ');
            tree.extend_from_slice(name);
            tree.push(0);
            let bytes = (0..id.len()).step_by(2);
            tree.extend(bytes.map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
        }
        let literally = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"];
        let tree = self.git_with(literally, &tree);
        self.git(["commit-tree", "-m", "state", &tree])
    }

    fn open(&self, revision: &str, under: Option<&str>) -> Result<GitCommit> {
        self.selected(revision, under, &Selection::default())
    }

    fn selected(
        &self,
        revision: &str,
        under: Option<&str>,
        selection: &Selection,
    ) -> Result<GitCommit> {
        let repository = self.path().join(".git");
        GitCommit::open("repo".into(), &repository, revision, under, selection)
    }
}

const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n";

/// A repository with something of every kind.
fn mixed() -> Repo {
    let repo = Repo::new();
    repo.write("a.md", "# A\n\nGreen tea.\n");
    repo.write("docs/b.md", "# B\n\nBlack tea.\n");
    repo.write("docs/deep/c.md", "# C\n");
    repo.write("docs.md", "# Beside the folder\n");
    repo.write("pointer.md", POINTER);
    repo.write("binary.md", b"\0\0");
    repo.write("picture.png", b"\x89PNG");
    repo.write("large.md", "x".repeat(3 << 20));
    repo.write(".gitignore", "left/\n*.log\n!docs/kept.log\n");
    repo.write("left/out.md", "# Out\n");
    repo.write("app.log", "# Log\n");
    repo.write("docs/kept.log", "# Kept\n");
    repo.write("docs/.ignore", "private.md\n");
    repo.write("docs/private.md", "# Private\n");
    repo.write(".hidden/h.md", "# Hidden\n");
    repo.write("vendor/v.md", "# Vendored\n");
    repo.write("cache/CACHEDIR.TAG", "");
    repo.write("cache/c.md", "# Cached\n");
    repo.write(".env", "TOKEN=1\n");
    repo.write("with\nnewline.md", "# Newline\n");
    repo
}

fn listed(source: &dyn Source) -> (Vec<String>, BTreeSet<(String, SkipReason)>) {
    let listing = source.list().unwrap();
    let entries = listing.entries.into_iter().map(|entry| entry.path);
    let skips = listing
        .skips
        .into_iter()
        .map(|skip| (skip.path, skip.reason));
    (entries.collect(), skips.collect())
}

fn sync(index: &mut Index, source: &dyn Source) -> SyncReport {
    let go_on = |_| ControlFlow::Continue(());
    index
        .sync_source(source, &SyncOptions::default(), go_on)
        .unwrap()
}

/// The fingerprint of a fresh index of a source.
fn fresh(source: &dyn Source) -> Hash {
    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(dir.path(), OpenOptions::create()).unwrap();
    sync(&mut index, source);
    index.fingerprint().unwrap()
}

/// A source that remembers what was read.
struct Recorded<'a> {
    source: &'a GitCommit,
    read: Mutex<Vec<String>>,
}

impl Recorded<'_> {
    fn of(source: &GitCommit) -> Recorded<'_> {
        let read = Mutex::default();
        Recorded { source, read }
    }

    fn read(self) -> Vec<String> {
        let mut read = self.read.into_inner().unwrap();
        read.sort();
        read
    }
}

/// The name of the state that a source has.
fn cursor(source: &dyn Source) -> String {
    source.entries().unwrap().cursor().unwrap().to_string()
}

impl Source for Recorded<'_> {
    fn id(&self) -> &SourceId {
        self.source.id()
    }

    fn entries(&self) -> Result<Entries<'_>> {
        self.source.entries()
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.read.lock().unwrap().push(entry.path.clone());
        self.source.read(entry)
    }
}

#[test]
fn a_commit_keeps_the_promises_of_a_source() {
    let repo = mixed();
    repo.commit();
    conforms(&repo.open("HEAD", None).unwrap());
    conforms(&repo.open("main", Some("docs/")).unwrap());
}

#[test]
fn a_commit_has_the_documents_of_its_working_tree() {
    let repo = mixed();
    repo.commit();
    let commit = repo.open("HEAD", None).unwrap();
    let files = Files::selected(&repo.path(), &Selection::default()).unwrap();
    let (paths, skips) = listed(&commit);
    let (expected, mut expected_skips) = listed(&files);
    assert_eq!(paths, expected);
    expected_skips.remove(&(".git".to_string(), SkipReason::Hidden));
    assert_eq!(skips, expected_skips);
    assert!(paths.contains(&"with\nnewline.md".to_string()));
    for path in [
        "left",
        "app.log",
        "docs/private.md",
        "vendor",
        "cache",
        ".env",
        "large.md",
    ] {
        assert!(skips.iter().any(|(skipped, _)| skipped == path), "{path}");
    }

    let only = Selection {
        include: vec!["docs/".to_string()],
        ignore: vec!["deep/".to_string()],
        ..Selection::default()
    };
    let files = Files::selected(&repo.path(), &only).unwrap();
    let commit = repo.selected("HEAD", None, &only).unwrap();
    assert_eq!(listed(&commit).0, listed(&files).0);
}

#[test]
fn links_submodules_and_pointers_are_skipped_by_name() {
    let repo = mixed();
    let commit = repo.commit();
    let row = |mode: &str, id: &str, path: &str| {
        repo.git([
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("{mode},{id},{path}"),
        ]);
    };
    let target = repo.git_with(["hash-object", "-w", "--stdin"], b"/etc/passwd");
    row("120000", &target, "link.md");
    row("160000", &commit, "module");
    repo.git(["commit", "-q", "-m", "state"]);
    let source = repo.open("HEAD", None).unwrap();
    let (paths, skips) = listed(&source);
    assert!(skips.contains(&("link.md".to_string(), SkipReason::Link)));
    assert!(skips.contains(&("module".to_string(), SkipReason::Submodule)));
    assert!(paths.contains(&"pointer.md".to_string()));

    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(dir.path(), OpenOptions::create()).unwrap();
    let report = sync(&mut index, &source);
    for reason in [
        SkipReason::Submodule,
        SkipReason::LfsPointer,
        SkipReason::Link,
    ] {
        assert_eq!(report.skipped[&reason], 1, "{reason}");
    }
}

#[test]
fn a_new_commit_is_read_where_it_differs() {
    let repo = mixed();
    repo.commit();
    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(dir.path(), OpenOptions::create()).unwrap();
    sync(&mut index, &repo.open("HEAD", None).unwrap());

    repo.write("added.md", "# Added\n");
    repo.write("docs/b.md", "# B\n\nWhite tea.\n");
    repo.git(["mv", "docs/deep/c.md", "moved.md"]);
    repo.git(["rm", "-q", "docs.md"]);
    repo.commit();
    let next = repo.open("HEAD", None).unwrap();
    let recorded = Recorded::of(&next);
    let report = sync(&mut index, &recorded);
    assert_eq!(recorded.read(), ["added.md", "docs/b.md", "moved.md"]);
    assert_eq!((report.added, report.changed, report.removed), (2, 1, 2));
    assert_eq!(index.fingerprint().unwrap(), fresh(&next));

    let again = Recorded::of(&next);
    sync(&mut index, &again);
    assert!(again.read().is_empty());
}

#[test]
fn a_changed_rule_applies_to_its_folder() {
    let repo = mixed();
    repo.commit();
    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(dir.path(), OpenOptions::create()).unwrap();
    sync(&mut index, &repo.open("HEAD", None).unwrap());
    let states: [(&str, Option<&str>); 5] = [
        ("docs/.ignore", Some("b.md\n")),
        ("docs/deep/CACHEDIR.TAG", Some("")),
        (".gitignore", Some("a.md\n")),
        ("docs/deep/CACHEDIR.TAG", None),
        (".gitignore", None),
    ];
    for (path, text) in states {
        match text {
            Some(text) => repo.write(path, text),
            None => fs::remove_file(repo.path().join(path)).unwrap(),
        }
        repo.commit();
        let next = repo.open("HEAD", None).unwrap();
        sync(&mut index, &next);
        assert_eq!(index.fingerprint().unwrap(), fresh(&next), "{path}");
    }
}

#[test]
fn another_history_leads_to_the_same_index_as_a_fresh_one() {
    let repo = mixed();
    repo.commit();
    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(dir.path(), OpenOptions::create()).unwrap();
    let first = repo.open("HEAD", None).unwrap();
    sync(&mut index, &first);

    // The branch starts again, and the former commit is gone.
    repo.git(["checkout", "-q", "--orphan", "other"]);
    repo.write("a.md", "# A\n\nAnother history.\n");
    repo.git(["rm", "-q", "-r", "-f", "docs"]);
    repo.commit();
    repo.git(["branch", "-q", "-D", "main"]);
    repo.git(["reflog", "expire", "--expire=now", "--all"]);
    repo.git(["gc", "-q", "--prune=now"]);
    let next = repo.open("other", None).unwrap();
    assert_eq!(next.changes(&cursor(&first)).unwrap(), None);
    sync(&mut index, &next);
    assert_eq!(index.fingerprint().unwrap(), fresh(&next));

    // Other rules for what is listed.
    let only = Selection {
        ignore: vec!["a.md".to_string()],
        ..Selection::default()
    };
    let selected = repo.selected("other", None, &only).unwrap();
    assert_eq!(selected.changes(&cursor(&next)).unwrap(), None);
}

#[test]
fn names_that_git_would_not_write_are_skipped() {
    let repo = Repo::new();
    let id = repo.git_with(["hash-object", "-w", "--stdin"], b"# Tea\n");
    let inner = repo.commit_of(&[("100644", b"x.md", &id)]);
    let folder = repo.git(["rev-parse", &format!("{inner}^{{tree}}")]);
    let commit = repo.commit_of(&[
        ("100644", b"z.md", &id),
        ("100644", b"a.md", &id),
        ("100644", b"a.md", &id),
        ("100644", b"Case.md", &id),
        ("100644", b"case.md", &id),
        ("100644", b"bad\xff.md", &id),
        ("40000", b"..", &folder),
        ("40000", b".", &folder),
        ("40000", b".git", &folder),
        ("100644", b"a.md/b.md", &id),
    ]);
    let source = repo.open(&commit, None).unwrap();
    let (paths, skips) = listed(&source);
    assert_eq!(paths, ["Case.md", "a.md", "a.md/b.md", "case.md", "z.md"]);
    let reasons: Vec<SkipReason> = skips.iter().map(|(_, reason)| *reason).collect();
    assert!(reasons.contains(&SkipReason::NameNotUtf8), "{skips:?}");
    assert!(reasons.contains(&SkipReason::Special), "{skips:?}");
    conforms(&source);
}

#[test]
fn nothing_that_a_repository_configures_runs() {
    let repo = mixed();
    let first = repo.commit();
    repo.write(".gitattributes", "* filter=x diff=x\n");
    repo.write("a.md", "# A\n\nOolong tea.\n");
    let next = repo.commit();
    let run = repo.path().join("run");
    let script = repo.path().join(".git/script");
    fs::write(
        &script,
        format!("#!/bin/sh\necho ran >> '{}'\n", run.display()),
    )
    .unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let script = script.to_str().unwrap();
    let settings = [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "credential.helper",
        "diff.external",
        "diff.x.textconv",
        "filter.x.smudge",
        "filter.x.process",
        "filter.x.clean",
        "gpg.program",
        "uploadpack.packObjectsHook",
    ];
    for name in settings {
        repo.git(["config", name, script]);
    }
    for name in [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
    ] {
        let hook = repo.path().join(".git/hooks").join(name);
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::copy(script, hook).unwrap();
    }
    repo.write(".git/info/attributes", "* filter=x diff=x\n");
    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(dir.path(), OpenOptions::create()).unwrap();
    // Our own commands may have run it.
    fs::remove_file(&run).unwrap_or_default();
    let first = repo.open(&first, None).unwrap();
    sync(&mut index, &first);
    let next = repo.open(&next, None).unwrap();
    next.changes(&cursor(&first)).unwrap().unwrap();
    sync(&mut index, &next);
    assert!(!run.exists());
}

#[test]
fn what_does_not_exist_is_an_error() {
    let repo = mixed();
    repo.commit();
    for revision in ["nowhere", "-h", "--help", "HEAD:a.md", ""] {
        let error = repo.open(revision, None).unwrap_err().to_string();
        let expected = format!("cannot read `repo`: it has no commit `{revision}`");
        assert_eq!(error, expected);
    }
    for folder in ["nowhere", "a.md"] {
        let error = repo.open("HEAD", Some(folder)).unwrap_err().to_string();
        let expected = format!("cannot read `repo`: it has no folder `{folder}`");
        assert_eq!(error, expected);
    }
    let outside = repo.open("HEAD", Some("../docs"));
    assert!(matches!(outside, Err(Error::Source { .. })));
    let selection = Selection::default();
    let nowhere = Path::new("/nowhere.git");
    let error = GitCommit::open("repo".into(), nowhere, "HEAD", None, &selection);
    assert!(matches!(error, Err(Error::Source { .. })));
}

#[test]
fn a_tree_without_end_is_refused_and_a_deep_one_listed() {
    let repo = Repo::new();
    let id = repo.git_with(["hash-object", "-w", "--stdin"], b"# Tea\n");
    let tree_of = |commit: String| repo.git(["rev-parse", &format!("{commit}^{{tree}}")]);
    let mut tree = tree_of(repo.commit_of(&[("100644", b"x.md", &id)]));
    // 10^9 files.
    for _ in 0..9 {
        let names: Vec<String> = (0..10).map(|name| name.to_string()).collect();
        let rows: Vec<_> = names
            .iter()
            .map(|name| ("40000", name.as_bytes(), &*tree))
            .collect();
        tree = tree_of(repo.commit_of(&rows));
    }
    let bomb = repo.git(["commit-tree", "-m", "state", &tree]);
    let mut bomb = repo.open(&bomb, None).unwrap();
    bomb.objects.most_files = 50_000;
    let error = bomb.list().unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot read `repo`: the commit has more than 50000 files"
    );

    bomb.objects.most_files = usize::MAX;
    bomb.objects.longest = 4 << 20;
    let error = bomb.list().unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot read `repo`: the paths of the commit are too long"
    );

    let mut tree = tree_of(repo.commit_of(&[("100644", b"x.md", &id)]));
    for _ in 0..60 {
        let rows = [("40000", &b"folder"[..], &*tree), ("100644", b"y.md", &id)];
        tree = tree_of(repo.commit_of(&rows));
    }
    let deep = repo.git(["commit-tree", "-m", "state", &tree]);
    assert_eq!(listed(&repo.open(&deep, None).unwrap()).0.len(), 61);
}
