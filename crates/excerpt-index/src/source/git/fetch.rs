//! Fetches a git repository into a clone of ours.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::GitCommit;
use super::objects::{Objects, WORKING_FOLDER, lines_of, started};
use super::remote::{GitReference, GitRemote};
use crate::model::seconds;

/// How long a remote may say nothing before it is given up. Default: 60 seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// How git fetches: only what is named.
const FETCH: [&str; 6] = [
    "fetch",
    "--progress",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
];

/// How git says that a repository and its remote have ids in different formats.
const OTHER_IDS: &str = "mismatched algorithms";

/// How often it is seen whether git has ended.
const TICK: Duration = Duration::from_millis(100);

/// How long git may take to end when it is asked to.
#[cfg(unix)]
const GRACE: Duration = Duration::from_secs(2);

/// How much of what git says is kept, in bytes.
const SAID: usize = 16 << 10;

/// The transports that git may use. A user may allow fewer of them.
const PROTOCOLS: [&str; 5] = ["file", "git", "http", "https", "ssh"];

/// The variables that name another repository, as in a hook, or a window that asks for a password.
const REMOVED: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ASKPASS",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DEFAULT_HASH",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "SSH_ASKPASS",
];

/// Why a repository was not fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitFetchError {
    /// The clone cannot be written, or git cannot be run.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The remote needs a user name or a password, and no credential helper has one.
    #[error("it needs credentials, and {}", asked(helpers))]
    Credentials {
        /// The credential helpers that were asked.
        helpers: Vec<String>,
    },
    /// The remote has said nothing for too long.
    #[error("it did not answer for {}", seconds(*patience))]
    Silent {
        /// How long that was.
        patience: Duration,
    },
    /// Git reports another error.
    #[error("it cannot be fetched: {message}")]
    Failed {
        /// The last error that git reports.
        message: String,
    },
}

fn asked(helpers: &[String]) -> String {
    match helpers {
        [] => "no credential helper is configured for git".to_string(),
        helpers => format!(
            "git's credential helper `{}` has none that it accepts",
            helpers.join("`, `")
        ),
    }
}

impl GitRemote {
    /// Fetches `reference` into the bare repository `clone`, which is created if it does not exist,
    /// and returns the id of the commit. Git does the network part as its user knows it, with the
    /// user's credential helpers, proxies and keys, but never asks for anything in a terminal or a
    /// window: only an ssh command or a helper of the user's own could. A fetch that fails or is
    /// killed changes no reference.
    ///
    /// # Errors
    ///
    /// When the remote cannot be reached, needs other credentials, has no such reference, or says
    /// nothing for a minute.
    pub fn fetch(&self, reference: &GitReference, clone: &Path) -> Result<String, GitFetchError> {
        self.fetch_within(PATIENCE, reference, clone)
    }

    fn fetch_within(
        &self,
        patience: Duration,
        reference: &GitReference,
        clone: &Path,
    ) -> Result<String, GitFetchError> {
        std::fs::create_dir_all(clone)?;
        let clone = &clone.canonicalize()?;
        self.init(patience, clone, "sha1")?;
        let names = format!("+{}:{}", reference.there(), reference.here());
        // Of the history, only the commits and trees are read: see `GitRemote::complete`.
        let options = [
            "--force",
            "--update-shallow",
            "--filter=blob:none",
            "--",
            self.address(),
            &names,
        ];
        let fetch = [&FETCH[..], &options].concat();
        match self.run(patience, clone, &fetch) {
            // A clone has the ids of its remote, and only the remote knows which.
            Err(GitFetchError::Failed { message }) if message.contains(OTHER_IDS) => {
                let is_sha256 = message.contains("server sha256");
                let format = if is_sha256 { "sha256" } else { "sha1" };
                std::fs::remove_dir_all(clone)?;
                std::fs::create_dir(clone)?;
                self.init(patience, clone, format)?;
                self.run(patience, clone, &fetch)?;
            }
            done => done?,
        }
        let commit = format!("{}^{{commit}}", reference.here());
        let commit = Objects::new(clone).named(&commit)?;
        let there = reference.there();
        commit.ok_or_else(|| self.failed(&format!("`{there}` is not a commit")))
    }

    /// Creates the clone, with ids in this format, or completes one of which a part is missing.
    fn init(&self, patience: Duration, clone: &Path, format: &str) -> Result<(), GitFetchError> {
        let format = format!("--object-format={format}");
        let mut init = vec!["init", "--quiet", "--bare", "--template="];
        if !clone.join("config").exists() {
            init.push(&format);
        }
        self.run(patience, clone, &init)
    }

    /// Fetches the files of a commit that are documents. Where the server can filter,
    /// [`GitRemote::fetch`] leaves the contents of all files there, so that nothing else of a long
    /// history comes.
    ///
    /// # Errors
    ///
    /// As [`GitRemote::fetch`], and when git cannot read the clone.
    pub fn complete(&self, commit: &GitCommit) -> Result<(), GitFetchError> {
        let clone = commit.repository();
        // What is a document depends on the ignore files.
        self.fetch_blobs(clone, commit, &commit.missing_ignore_files()?)?;
        self.fetch_blobs(clone, commit, &commit.missing_documents()?)
    }

    /// Fetches single blobs of a commit, or everything from a server that gives no single objects.
    fn fetch_blobs(
        &self,
        clone: &Path,
        commit: &GitCommit,
        blobs: &[String],
    ) -> Result<(), GitFetchError> {
        if blobs.is_empty() {
            return Ok(());
        }
        let Err(error) = self.fetch_only(clone, blobs) else {
            return Ok(());
        };
        let everything = format!("+{}:refs/excerpt/everything", commit.commit());
        let options = [
            "--refetch",
            "--no-filter",
            "--",
            self.address(),
            &everything,
        ];
        let refetch = [&FETCH[..], &options].concat();
        match error {
            GitFetchError::Failed { .. } => {
                let refetched = self.run(PATIENCE, clone, &refetch);
                refetched.map_err(|_| error)
            }
            error => Err(error),
        }
    }

    fn fetch_only(&self, clone: &Path, blobs: &[String]) -> Result<(), GitFetchError> {
        let alone = ["-c", "fetch.negotiationAlgorithm=noop"];
        let options = ["--filter=blob:none", "--stdin", "--", self.address()];
        let fetch = [&alone[..], &FETCH, &options].concat();
        self.run_with(PATIENCE, clone, &fetch, lines_of(blobs)?.into())
    }

    /// Runs git until it ends or says nothing for too long.
    fn run(
        &self,
        patience: Duration,
        clone: &Path,
        arguments: &[&str],
    ) -> Result<(), GitFetchError> {
        self.run_with(patience, clone, arguments, Stdio::null())
    }

    /// The same, with an input.
    fn run_with(
        &self,
        patience: Duration,
        clone: &Path,
        arguments: &[&str],
        input: Stdio,
    ) -> Result<(), GitFetchError> {
        let mut command = git(clone, arguments);
        if !has_ssh_command(clone) {
            command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes");
        }
        let mut child = started(command.stdin(input).stderr(Stdio::piped()))?;
        let lines = child.stderr.take().map(spoken);
        let mut said = Vec::new();
        let mut sign = Sign::of_life(clone);
        while let Some(lines) = &lines {
            match lines.recv_timeout(TICK) {
                Ok(bytes) => {
                    said.extend(bytes);
                    sign.seen = Instant::now();
                }
                Err(RecvTimeoutError::Disconnected) => break,
                // A program that it has started may keep the pipe open.
                Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_some() => {
                    said.extend(lines.try_iter().flatten());
                    break;
                }
                Err(RecvTimeoutError::Timeout) if sign.is_over(patience) => {
                    stop(&mut child);
                    return Err(GitFetchError::Silent { patience });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let kept = said.len().saturating_sub(SAID);
            said.drain(..kept);
        }
        match child.wait()?.success() {
            true => Ok(()),
            false => Err(self.error(clone, &String::from_utf8_lossy(&said))),
        }
    }

    /// The error in what git said.
    fn error(&self, clone: &Path, said: &str) -> GitFetchError {
        let no_prompt = [
            "could not read Username",
            "could not read Password",
            "Authentication failed",
        ];
        if no_prompt.iter().any(|words| said.contains(words)) {
            return GitFetchError::Credentials {
                helpers: helpers(clone, self.address()),
            };
        }
        let lines = said.split(['\n', '\r']).map(str::trim);
        let mut errors = lines.filter_map(|line| {
            let kinds = ["fatal: ", "error: ", "ERR ", "ssh: "];
            kinds.iter().find_map(|kind| line.strip_prefix(kind))
        });
        let mut message = errors.next_back().or(said.trim().lines().next_back());
        // What ssh says about it comes before.
        if message.is_some_and(|message| message.starts_with("Could not read from remote")) {
            let lines = said.lines().map(str::trim);
            let before = lines.take_while(|line| !line.contains("Could not read from remote"));
            let before = before.filter(|line| !line.is_empty()).last();
            message = before.or(message);
        }
        self.failed(&with_reason(said, message.unwrap_or_default()))
    }

    fn failed(&self, message: &str) -> GitFetchError {
        GitFetchError::Failed {
            message: message.replace(self.address(), &self.to_string()),
        }
    }
}

/// A message of git with the line after it, if that has the reason: one that ends with a colon
/// announces it.
fn with_reason(said: &str, message: &str) -> String {
    let after = message
        .ends_with(':')
        .then(|| said.split_once(message))
        .flatten();
    let reason =
        after.and_then(|(_, after)| after.lines().map(str::trim).find(|it| !it.is_empty()));
    match reason {
        Some(reason) => format!("{message} {reason}"),
        None => message.to_string(),
    }
}

/// When git was last seen to do something: it says so, or the objects of the clone grow.
struct Sign<'a> {
    clone: &'a Path,
    seen: Instant,
    bytes: u64,
}

impl Sign<'_> {
    fn of_life(clone: &Path) -> Sign<'_> {
        Sign {
            clone,
            seen: Instant::now(),
            bytes: 0,
        }
    }

    /// Whether there was none for that long.
    fn is_over(&mut self, patience: Duration) -> bool {
        if self.seen.elapsed() < patience {
            return false;
        }
        let folders = ["objects", "objects/pack"].map(|folder| self.clone.join(folder));
        let entries = folders.iter().filter_map(|folder| folder.read_dir().ok());
        let sizes = entries
            .flatten()
            .flatten()
            .filter_map(|entry| entry.metadata().ok());
        let bytes = sizes.map(|metadata| metadata.len()).sum();
        if bytes <= self.bytes {
            return true;
        }
        (self.bytes, self.seen) = (bytes, Instant::now());
        false
    }
}

/// Whether the user has configured how git runs ssh.
fn has_ssh_command(clone: &Path) -> bool {
    let is_set = |name| std::env::var_os(name).is_some();
    let configured = || {
        let mut config = git(clone, &["config", "--get", "core.sshCommand"]);
        config.status().is_ok_and(|status| status.success())
    };
    is_set("GIT_SSH_COMMAND") || is_set("GIT_SSH") || configured()
}

/// The user's credential helper for an address. Of a command with arguments, or for a shell, the
/// rest is not shown: it may contain a password.
fn helpers(clone: &Path, address: &str) -> Vec<String> {
    let arguments = ["config", "--get-urlmatch", "credential.helper", address];
    let output = git(clone, &arguments).stdout(Stdio::piped()).output();
    let output = output.map(|output| output.stdout).unwrap_or_default();
    let names = String::from_utf8_lossy(&output);
    let names = names.lines().filter(|name| !name.is_empty());
    let shown = names.map(|name| match name.starts_with('!') {
        true => "a shell command",
        false => name.split_whitespace().next().unwrap_or_default(),
    });
    shown.map(str::to_string).collect()
}

/// Git in a clone of ours, with the configuration of its user.
fn git(clone: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    for name in REMOVED {
        command.env_remove(name);
    }
    command
        .envs([
            ("GIT_TERMINAL_PROMPT", "0"),
            ("SSH_ASKPASS_REQUIRE", "never"),
            ("GCM_INTERACTIVE", "never"),
            ("LC_ALL", "C"),
        ])
        .env(
            "GIT_ALLOW_PROTOCOL",
            protocols(std::env::var_os("GIT_ALLOW_PROTOCOL")),
        )
        .env("GIT_DIR", clone)
        .current_dir(WORKING_FOLDER)
        .args(["--no-pager", "-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.askPass="])
        .args(["-c", "fetch.recurseSubmodules=false", "-c", "gc.auto=0"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The transports, of those that the user allows.
fn protocols(allowed: Option<OsString>) -> String {
    let allowed = allowed.map(|allowed| allowed.to_string_lossy().into_owned());
    let is_allowed = |name: &&str| match &allowed {
        Some(allowed) => allowed.split(':').any(|allowed| allowed == *name),
        None => true,
    };
    let names = PROTOCOLS.into_iter().filter(is_allowed);
    names.collect::<Vec<_>>().join(":")
}

/// What a program says, as it comes.
fn spoken(mut from: ChildStderr) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(16);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 4 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Ends git. Asked to, it also ends the programs that it has started.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};
        let asked = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let asked = asked.is_some_and(|git| kill_process(git, Signal::TERM).is_ok());
        let end = Instant::now() + GRACE;
        while asked && Instant::now() < end && matches!(child.try_wait(), Ok(None)) {
            std::thread::sleep(TICK);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Write as _;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::OwnedFd;
    use std::thread;

    use super::*;
    use crate::source::Source as _;
    use crate::source::git::tests::Repo;

    /// Answers each connection with `answer`, on a port of its own.
    fn server(answer: impl Fn(TcpStream) + Send + 'static) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || listener.incoming().flatten().for_each(answer));
        port
    }

    /// Answers each request with this text.
    fn says(answer: &'static str) -> u16 {
        server(move |mut stream| {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer.as_bytes());
        })
    }

    /// Serves the repositories of a folder, as `git daemon` does.
    fn daemon(folder: &Path) -> u16 {
        let folder = folder.to_path_buf();
        server(move |stream| {
            let output = stream.try_clone().unwrap();
            let mut git = Command::new("git");
            git.args(["daemon", "--inetd", "--export-all", "--informative-errors"])
                .arg(format!("--base-path={}", folder.display()))
                .stdin(OwnedFd::from(stream))
                .stdout(OwnedFd::from(output))
                .stderr(Stdio::null());
            let child = git.spawn();
            thread::spawn(|| child.map(|mut child| child.wait()));
        })
    }

    fn fetch(
        address: &str,
        reference: &GitReference,
        clone: &Path,
    ) -> Result<String, GitFetchError> {
        let remote = GitRemote::parse(address).unwrap();
        remote.fetch_within(Duration::from_secs(20), reference, clone)
    }

    #[test]
    fn every_reference_is_fetched_over_every_local_transport() {
        let repo = Repo::new();
        repo.write("a.md", "# A\n");
        let first = repo.commit();
        repo.git(["tag", "-a", "v1", "-m", "first"]);
        repo.git(["branch", "side/b"]);
        repo.write("a.md", "# B\n");
        let second = repo.commit();
        repo.git(["config", "uploadpack.allowAnySHA1InWant", "true"]);
        let path = repo.path();
        let port = daemon(path.parent().unwrap());
        let name = path.file_name().unwrap().to_str().unwrap();
        for address in [
            path.to_str().unwrap().to_string(),
            format!("file://{}", path.display()),
            format!("git://127.0.0.1:{port}/{name}"),
        ] {
            let clone = tempfile::tempdir().unwrap();
            let fetch = |reference| fetch(&address, &reference, clone.path());
            assert_eq!(fetch(GitReference::Default).unwrap(), second, "{address}");
            assert_eq!(fetch(GitReference::Tag("v1".into())).unwrap(), first);
            assert_eq!(fetch(GitReference::Branch("side/b".into())).unwrap(), first);
            assert_eq!(fetch(GitReference::Commit(first.clone())).unwrap(), first);
            let missing = fetch(GitReference::Branch("nowhere".into())).unwrap_err();
            assert!(matches!(missing, GitFetchError::Failed { .. }), "{missing}");
            assert!(
                missing.to_string().contains("refs/heads/nowhere"),
                "{missing}"
            );
            // What was fetched is still there.
            let kept = Objects::new(clone.path())
                .named("refs/excerpt/default")
                .unwrap();
            assert_eq!(kept.as_ref(), Some(&second));
        }
    }

    /// The blobs that a clone has.
    fn blobs(clone: &Path) -> Vec<String> {
        let objects = Objects::new(clone);
        let list = ["cat-file", "--batch-all-objects", "--batch-check"];
        let output = objects.ask(&list).unwrap();
        let lines = String::from_utf8(output).unwrap();
        let blobs = lines.lines().filter(|line| line.contains(" blob "));
        let mut ids: Vec<String> = blobs.map(|line| line[..40].to_string()).collect();
        ids.sort();
        ids
    }

    #[test]
    fn of_a_long_history_only_the_documents_of_a_commit_come() {
        let repo = Repo::new();
        for state in 0..5 {
            repo.write("a.md", format!("# State {state}\n"));
            repo.write("ignored.md", format!("# Ignored {state}\n"));
            repo.write("docs/b.md", "# B\n");
            repo.write(".gitignore", "ignored.md\n");
            repo.commit();
        }
        let address = format!("file://{}", repo.path().display());
        let remote = GitRemote::parse(&address).unwrap();
        let selection = crate::model::Selection::default();
        for filters in ["true", "false"] {
            repo.git(["config", "uploadpack.allowFilter", filters]);
            let clone = tempfile::tempdir().unwrap();
            let commit = remote.fetch(&GitReference::Default, clone.path()).unwrap();
            let open =
                || GitCommit::open("repo".into(), clone.path(), &commit, None, &selection).unwrap();
            remote.complete(&open()).unwrap();
            let listing = open().list().unwrap();
            let paths: Vec<&str> = listing.entries.iter().map(|entry| &*entry.path).collect();
            assert_eq!(paths, ["a.md", "docs/b.md"]);
            for entry in &listing.entries {
                let read = open().read(entry);
                assert!(
                    matches!(read, crate::source::Reading::Bytes { .. }),
                    "{read:?}"
                );
            }
            assert_eq!(open().missing_documents().unwrap(), [""; 0]);
            match filters {
                "true" => assert_eq!(
                    blobs(clone.path()).len(),
                    3,
                    "two documents, one ignore file"
                ),
                _ => assert_eq!(blobs(clone.path()).len(), 12, "all of the history"),
            }
        }
    }

    #[test]
    fn a_repository_with_long_ids_is_fetched() {
        let long = Repo::in_format("sha256");
        long.write("a.md", "# A\n");
        let commit = long.commit();
        assert_eq!(commit.len(), 64);
        let short = Repo::new();
        short.write("b.md", "# B\n");
        let other = short.commit();
        let clone = tempfile::tempdir().unwrap();
        // What is at an address may be replaced.
        for (repo, commit) in [(&long, &commit), (&short, &other), (&long, &commit)] {
            let address = repo.path().to_str().unwrap().to_string();
            for _ in 0..2 {
                let fetched = fetch(&address, &GitReference::Default, clone.path());
                assert_eq!(fetched.as_ref().unwrap(), commit);
            }
        }
        let selection = crate::model::Selection::default();
        let id = "repo".into();
        let opened = GitCommit::open(id, clone.path(), &commit, None, &selection).unwrap();
        let remote = GitRemote::of_folder(&long.path()).unwrap();
        remote.complete(&opened).unwrap();
        crate::source::conformance::conforms(&opened);
    }

    #[test]
    fn a_user_may_allow_fewer_transports() {
        assert_eq!(protocols(None), "file:git:http:https:ssh");
        assert_eq!(protocols(Some("ssh:ext:https".into())), "https:ssh");
        assert_eq!(protocols(Some(OsString::new())), "");
    }

    #[test]
    fn a_rewritten_branch_replaces_the_former_one() {
        let repo = Repo::new();
        repo.write("a.md", "# A\n");
        repo.commit();
        let clone = tempfile::tempdir().unwrap();
        let address = repo.path().to_str().unwrap().to_string();
        fetch(&address, &GitReference::Default, clone.path()).unwrap();
        repo.write("a.md", "# Rewritten\n");
        repo.git(["add", "-A"]);
        repo.git(["commit", "-q", "--amend", "-m", "state"]);
        let next = repo.git(["rev-parse", "HEAD"]);
        let fetched = fetch(&address, &GitReference::Default, clone.path()).unwrap();
        assert_eq!(fetched, next);
    }

    #[test]
    fn a_remote_that_fails_says_why() {
        let clone = tempfile::tempdir().unwrap();
        let cases = [
            ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "403"),
            (
                "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                "not found",
            ),
            ("HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n", "500"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhello", "HEAD"),
            ("garbage\r\n\r\n", ""),
        ];
        for (answer, expected) in cases {
            let port = says(answer);
            let address = format!("http://me:word@127.0.0.1:{port}/repo");
            let error = fetch(&address, &GitReference::Default, clone.path()).unwrap_err();
            assert!(matches!(error, GitFetchError::Failed { .. }), "{error}");
            let error = error.to_string();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains("word"), "{error}");
        }
    }

    #[test]
    fn the_reason_on_the_next_line_is_part_of_the_error() {
        let clone = tempfile::tempdir().unwrap();
        // A port where nothing listens any longer.
        let port = {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap().port()
        };
        let address = format!("git://127.0.0.1:{port}/repo");
        let error = fetch(&address, &GitReference::Default, clone.path()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("refused"), "{error}");
    }

    #[test]
    fn nothing_asks_for_credentials() {
        let port = says(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
        let clone = tempfile::tempdir().unwrap();
        let address = format!("http://127.0.0.1:{port}/repo");
        let error = fetch(&address, &GitReference::Default, clone.path()).unwrap_err();
        let message = error.to_string();
        assert!(
            matches!(error, GitFetchError::Credentials { .. }),
            "{message}"
        );
        assert!(message.contains("credential helper"), "{message}");
    }

    #[test]
    fn a_silent_remote_is_given_up() {
        let port = server(|stream| {
            // Kept open, without a word.
            thread::spawn(move || {
                let mut stream = stream;
                let _ = io::copy(&mut stream, &mut io::sink());
            });
        });
        let clone = tempfile::tempdir().unwrap();
        let remote = GitRemote::parse(&format!("git://127.0.0.1:{port}/repo")).unwrap();
        let patience = Duration::from_millis(300);
        let error = remote.fetch_within(patience, &GitReference::Default, clone.path());
        assert!(
            matches!(error, Err(GitFetchError::Silent { .. })),
            "{error:?}"
        );
    }
}
