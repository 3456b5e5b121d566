//! Where documents come from. A [`Source`] gives a [`Listing`] of what it has and the text of one [`Entry`] at a time; it
//! knows nothing of what an index already holds.

#[cfg(test)]
pub(crate) mod conformance;
mod decode;
mod files;
mod ignores;
mod rules;
mod secrets;
mod watch;

use crate::error::Result;
use crate::model::{Encoding, Skip, Stat};

pub use decode::decode;
pub use files::Files;
pub use rules::Selection;
pub(crate) use rules::{Node, Rules};
pub(crate) use secrets::VERSION as SECRETS_VERSION;
pub use secrets::{Secret, Secrets};
pub(crate) use watch::{Bell, Watched, Woken};

/// A place with documents.
pub trait Source: Send + Sync {
    /// What names the source in an index: for a folder, its absolute path.
    fn root(&self) -> &str;

    /// What the source has at the moment, ordered by path.
    ///
    /// # Errors
    ///
    /// When the source as a whole cannot be reached. A part that cannot be reached is a skip with
    /// [`SkipReason::Unreadable`](crate::SkipReason::Unreadable).
    fn list(&self) -> Result<Listing>;

    /// The text of one entry. What goes wrong with one entry is a [`Reading`] too.
    fn read(&self, entry: &Entry) -> Reading;
}

/// What a source has. It takes about a hundred bytes of memory for each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The documents to be, ordered by path, byte by byte.
    pub entries: Vec<Entry>,
    /// What is left out.
    pub skips: Vec<Skip>,
}

/// A document to be: its path, and how it looks from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path inside the source, with `/` between its segments.
    pub path: String,
    /// The size and time.
    pub stat: Stat,
}

/// What reading one entry gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The text.
    Text {
        /// The text, in UTF-8.
        text: String,
        /// What the file is encoded in.
        encoding: Encoding,
        /// The size and time of what was read; it may have changed since the listing.
        stat: Stat,
        /// How many bytes were read.
        bytes: u64,
    },
    /// It is left out for what is in it.
    Skip {
        /// The path and the reason.
        skip: Skip,
        /// The size and time of what was read; none when it cannot be read at all.
        stat: Option<Stat>,
        /// How many bytes were read.
        bytes: u64,
    },
    /// It has vanished since the listing.
    Gone,
}
