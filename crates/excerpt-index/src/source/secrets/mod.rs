//! Files that hold keys or passwords: recognised by their names ([`named`]) and by their texts ([`found`]).
//!
//! A text counts as a secret for its structure, never for a word in it. A private key has to decode, a token has to have the length and the randomness of
//! one. Source code and documentation that name a format, or show a placeholder of it, stay in the index.

mod name;
mod text;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use name::named;
pub(crate) use text::found;

/// Changes with what is recognised, so that documents indexed by an older version are looked at again.
pub(crate) const VERSION: u32 = 1;

/// What happens to files that hold keys or passwords.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Secrets {
    /// They are skipped.
    #[default]
    Skip,
    /// They are indexed as any other file.
    Index,
}

/// What says that a file holds a secret, without the secret itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Secret {
    /// Its name.
    Named,
    /// A part of its text.
    Found {
        /// What it is, such as `GitHub token`.
        kind: &'static str,
        /// The line that it begins on, from 1.
        line: usize,
    },
}

impl Secret {
    /// What lets files with secrets in, for the end of a message.
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
