//! A project in a temporary folder, with an index of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder with files, next to a folder for the user's data.
pub(crate) struct Project {
    folder: TempDir,
}

/// The result of a run of the binary.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Project {
    pub(crate) fn new() -> Self {
        let project = Project {
            folder: TempDir::new().unwrap(),
        };
        std::fs::create_dir(project.path("")).unwrap();
        project
    }

    /// Makes the folder a git repository.
    pub(crate) fn repository(self) -> Self {
        let git = Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(self.path(""))
            .status()
            .unwrap();
        assert!(git.success());
        self
    }

    /// A path in the project's folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("project").join(path)
    }

    /// The user's data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The user's configuration folder.
    pub(crate) fn settings(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// Writes the user's own `excerpt.toml`.
    pub(crate) fn own_file(self, content: &str) -> Self {
        let folder = self.settings().join("excerpt");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("excerpt.toml"), content).unwrap();
        self
    }

    /// Writes a file.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    /// Writes a file after the project was set up.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// The binary, run in the project's folder and without the settings of the real user.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_excerpt"));
        command
            .args(args)
            .current_dir(self.path(""))
            .env_remove("EXCERPT_INDEX")
            .env_remove("EXCERPT_EMBEDDING_CONFIG")
            .env("EXCERPT_BACKGROUND", "0")
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.settings())
            .env_remove("XDG_CACHE_HOME")
            .env("XDG_DATA_HOME", self.data())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the binary until it exits.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.outcome(&mut self.command(args))
    }

    /// Runs a command until it exits.
    pub(crate) fn outcome(&self, command: &mut Command) -> Run {
        Run::of(command.output().unwrap(), self.folder.path())
    }

    /// Runs the binary with `input` on its standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Run {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Run::of(child.wait_with_output().unwrap(), self.folder.path())
    }
}

impl Run {
    fn of(output: std::process::Output, folder: &Path) -> Self {
        let folder = folder.canonicalize().unwrap();
        let plain = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(folder.to_str().unwrap(), "[folder]")
        };
        Run {
            stdout: plain(output.stdout),
            stderr: plain(output.stderr),
            code: output.status.code(),
        }
    }

    /// Checks that the run succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Checks that the run failed with exactly this message.
    #[track_caller]
    pub(crate) fn fails(self, message: &str) {
        assert_eq!((self.stderr.trim_end(), self.code), (message, Some(2)));
        assert_eq!(self.stdout, "");
    }

    /// Standard output, parsed as one JSON value per line.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}
