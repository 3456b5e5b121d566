//! Files that contain keys or passwords: recognised by their names ([`named`]) and by their texts
//! ([`found`]).
//!
//! A text counts as a secret because of its structure, never because of a word in it. A private key
//! has to decode; a token has to have the right length and randomness. Source code and
//! documentation that only name a format, or show a placeholder, stay in the index.

mod name;
mod text;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use name::named;
pub(crate) use text::found;

/// Changes with the rules, so that documents indexed by an older version are checked again.
pub(crate) const VERSION: u32 = 1;

/// What happens to files that contain keys or passwords.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
