//! Reads objects of a git repository: [`Objects`].

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The longest output of git, in bytes: a listing may have long paths.
const LONGEST: u64 = 256 << 20;

/// How many files a tree may list. A tree can name the same tree many times, and so on at each
/// level, so that a small repository can have any number of files.
const MOST_FILES: usize = 2_000_000;

/// The longest word of an output that is read word by word, in bytes: longer ones are parted.
const WORD: u64 = 1 << 20;

/// How much of what git says about an error is kept, in bytes.
const SAID: u64 = 4 << 10;

/// The folder that git runs in. It must not be one that others can write to: an empty entry in
/// `PATH` stands for it.
pub(super) const WORKING_FOLDER: &str = "/";

/// The objects of a git folder. It is only read: nothing in its configuration, and no hook, filter
/// or attribute, runs a command, and nothing is fetched.
#[derive(Debug)]
pub(super) struct Objects {
    folder: PathBuf,
    /// The longest output that is read, in bytes.
    pub(super) longest: u64,
    /// How many files a tree may list.
    pub(super) most_files: usize,
    /// Readers that no thread is using.
    idle: Mutex<Vec<Reader>>,
}

/// The contents of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Blob {
    Bytes(Vec<u8>),
    /// It is larger than the limit: this many bytes.
    TooLarge(u64),
    /// The repository does not have it, or it is no blob.
    Missing,
}

impl Objects {
    pub(super) fn new(folder: &Path) -> Objects {
        Objects {
            folder: folder.to_path_buf(),
            longest: LONGEST,
            most_files: MOST_FILES,
            idle: Mutex::default(),
        }
    }

    /// The output of git with these arguments.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or with what it says when it fails.
    pub(super) fn ask(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        let (status, output, said) = self.run(arguments)?;
        match status.success() {
            true => Ok(output),
            false => Err(io::Error::other(said)),
        }
    }

    /// Calls `visit` with each word of git's output, which ends with a NUL, until it returns false.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or with what it says when it fails.
    pub(super) fn each_word(
        &self,
        arguments: &[&str],
        visit: &mut dyn FnMut(&[u8]) -> bool,
    ) -> io::Result<()> {
        let Running {
            mut child,
            output,
            said,
        } = self.start(arguments)?;
        let mut output = BufReader::new(output);
        let mut word = Vec::new();
        loop {
            word.clear();
            let read = output.by_ref().take(WORD).read_until(0, &mut word)?;
            if read == 0 {
                break;
            }
            if !visit(word.strip_suffix(&[0]).unwrap_or(&word)) {
                child.kill()?;
                child.wait()?;
                return Ok(());
            }
        }
        match child.wait()?.success() {
            true => Ok(()),
            false => Err(io::Error::other(text_of(said))),
        }
    }

    /// Those of these objects that the repository does not have.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or fails.
    pub(super) fn missing(&self, ids: &[String]) -> io::Result<Vec<String>> {
        let arguments = ["cat-file", "--batch-check=%(objectname)"];
        let mut command = self.git(&arguments);
        let output = command
            .stdin(lines_of(ids)?)
            .stderr(Stdio::piped())
            .output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(io::Error::other(said.trim().to_string()));
        }
        let lines = String::from_utf8_lossy(&output.stdout);
        let missing = lines
            .lines()
            .filter_map(|line| line.strip_suffix(" missing"));
        Ok(missing.map(str::to_string).collect())
    }

    /// The git folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether git says yes to a question, by how it ends.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub(super) fn is_so(&self, arguments: &[&str]) -> io::Result<bool> {
        let (status, ..) = self.run(arguments)?;
        Ok(status.success())
    }

    /// The id of the object that a revision names; `None` if there is none.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub(super) fn named(&self, revision: &str) -> io::Result<Option<String>> {
        let arguments = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            revision,
        ];
        let (status, output, said) = self.run(&arguments)?;
        // Without a message, nothing is wrong with the repository itself.
        match (status.success(), said.is_empty()) {
            (true, _) => Ok(Some(String::from_utf8_lossy(&output).trim().to_string())),
            (false, true) => Ok(None),
            (false, false) => Err(io::Error::other(said)),
        }
    }

    /// The id of the tree of the folder `under` in a commit; `None` if there is no such folder.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub(super) fn tree(&self, commit: &str, under: &str) -> io::Result<Option<String>> {
        let Some(id) = self.named(&format!("{commit}:{under}"))? else {
            return Ok(None);
        };
        let kind = self.ask(&["cat-file", "-t", &id])?;
        Ok(kind.starts_with(b"tree").then_some(id))
    }

    /// Runs git. Returns how it ended, its output, and what it said.
    fn run(&self, arguments: &[&str]) -> io::Result<(ExitStatus, Vec<u8>, String)> {
        let Running {
            mut child,
            output,
            said,
        } = self.start(arguments)?;
        let mut bytes = Vec::new();
        let read = output.take(self.longest + 1).read_to_end(&mut bytes);
        let is_too_long = bytes.len() as u64 > self.longest;
        if is_too_long {
            child.kill()?;
        }
        let status = child.wait()?;
        read?;
        match is_too_long {
            true => Err(io::Error::other("too much output from git")),
            false => Ok((status, bytes, text_of(said))),
        }
    }

    fn start(&self, arguments: &[&str]) -> io::Result<Running> {
        let mut child = started(self.git(arguments).stderr(Stdio::piped()))?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let said = child.stderr.take();
        // What it says is read meanwhile, so that it never waits for that.
        let said = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = said.map(|mut said| {
                let _ = said.by_ref().take(SAID).read_to_end(&mut text);
                io::copy(&mut said, &mut io::sink())
            });
            text
        });
        Ok(Running {
            child,
            output,
            said,
        })
    }

    /// A blob, of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// When git cannot be run or ends.
    pub(super) fn blob(&self, id: &str, limit: u64) -> io::Result<Blob> {
        let idle = self.idle().pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => Reader::start(self.git(&["cat-file", "--batch"]))?,
        };
        let blob = reader.read(id, limit)?;
        // After one that was too large, the rest of it is still in the pipe.
        if !matches!(blob, Blob::TooLarge(_)) {
            self.idle().push(reader);
        }
        Ok(blob)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn git(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.env_clear();
        for name in ["PATH", "SystemRoot", "TMP", "TEMP"] {
            command.envs(std::env::var_os(name).map(|value| (OsString::from(name), value)));
        }
        let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
        command
            .env("GIT_DIR", &self.folder)
            .envs([
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", nowhere),
                ("GIT_ATTR_NOSYSTEM", "1"),
                ("GIT_OPTIONAL_LOCKS", "0"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_NO_LAZY_FETCH", "1"),
                ("GIT_NO_REPLACE_OBJECTS", "1"),
                ("GIT_ALLOW_PROTOCOL", ""),
                ("GIT_LITERAL_PATHSPECS", "1"),
                ("LC_ALL", "C"),
            ])
            .current_dir(WORKING_FOLDER)
            .args(["--no-pager", "-c", "core.fsmonitor=false"])
            .args(["-c", "core.hooksPath=/dev/null"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }
}

/// Git while it runs.
struct Running {
    child: Child,
    output: ChildStdout,
    /// Reads what it says about errors.
    said: JoinHandle<Vec<u8>>,
}

/// A file with these lines, as the input of git.
pub(super) fn lines_of(lines: &[String]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    for line in lines {
        writeln!(file, "{line}")?;
    }
    file.rewind()?;
    Ok(file)
}

fn text_of(said: JoinHandle<Vec<u8>>) -> String {
    let said = said.join().unwrap_or_default();
    String::from_utf8_lossy(&said).trim().to_string()
}

pub(super) fn started(command: &mut Command) -> io::Result<Child> {
    let unstarted =
        |error: io::Error| io::Error::new(error.kind(), format!("cannot run `git`: {error}"));
    command.spawn().map_err(unstarted)
}

/// `git cat-file --batch`, which reads one object after the other.
#[derive(Debug)]
struct Reader {
    child: Child,
    ids: ChildStdin,
    objects: BufReader<ChildStdout>,
}

impl Reader {
    fn start(mut command: Command) -> io::Result<Reader> {
        let mut child = started(command.stdin(Stdio::piped()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (ids, objects) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Reader {
            child,
            ids,
            objects: BufReader::new(objects),
        })
    }

    fn read(&mut self, id: &str, limit: u64) -> io::Result<Blob> {
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Blob::Missing);
        }
        self.ids.write_all(format!("{id}\n").as_bytes())?;
        self.ids.flush()?;
        let mut head = String::new();
        self.objects.read_line(&mut head)?;
        // `<id> <type> <size>`, or `<id> missing`.
        let words: Vec<&str> = head.split_whitespace().collect();
        let [_, kind, size] = words[..] else {
            return match words.last() {
                Some(&"missing") => Ok(Blob::Missing),
                _ => Err(io::Error::other("`git cat-file` exited unexpectedly")),
            };
        };
        let size: u64 = size.parse().map_err(io::Error::other)?;
        if size > limit {
            return Ok(Blob::TooLarge(size));
        }
        let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
        self.objects.read_exact(&mut bytes)?;
        self.objects.read_exact(&mut [0])?;
        match kind {
            "blob" => Ok(Blob::Bytes(bytes)),
            _ => Ok(Blob::Missing),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // It would end by itself once nobody can write to it, unless it is writing a large object.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
