//! Which files of a folder are documents: a [`Selection`].

use std::fmt;

use excerpt_readers::Readers;
use serde::{Deserialize, Serialize};

/// Which files of a folder are documents, in addition to the rules that apply everywhere. Patterns
/// are written as in a `.gitignore` in the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Selection {
    /// If not empty, only files that match one of these are documents.
    pub include: Vec<String>,
    /// What matches one of these is excluded.
    pub ignore: Vec<String>,
    /// The size in bytes above which a file is skipped; `None` for 2 MiB of plain text, and 64 MiB
    /// of what a reader reads.
    pub max_file_size: Option<u64>,
    /// Whether `.gitignore`, `.ignore` and git's own exclude files apply; `None` for yes.
    pub ignore_files: Option<bool>,
    /// What happens to files that contain keys or passwords; `None` to skip them.
    pub secrets: Option<Secrets>,
    /// What reads files that are not plain text. It is not stored, since it may name programs to
    /// run: only the user's own configuration sets it.
    #[serde(skip)]
    pub readers: Readers,
}

/// What happens to files that contain keys or passwords.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Secrets {
    /// They are skipped.
    #[default]
    Skip,
    /// They are indexed like any other file.
    Index,
}

/// The evidence that a file contains a secret, without the secret itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Secret {
    /// Its name.
    Named,
    /// Part of its text.
    Found {
        /// The kind of secret, such as `GitHub token`.
        kind: &'static str,
        /// The line where it starts, from 1.
        line: usize,
    },
}

impl Secret {
    /// How to index files with secrets, for the end of a message.
    pub const ADVICE: &'static str =
        "to index such files, set `secrets = \"index\"` in `[files]` of your own excerpt.toml";
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Secret::Named => f.write_str("by its name"),
            Secret::Found { kind, line } => write!(f, "{kind} on line {line}"),
        }
    }
}
