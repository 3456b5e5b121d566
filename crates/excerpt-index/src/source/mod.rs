//! Where documents come from. A [`Source`] returns a [`Listing`] of what it has and the text of one
//! [`Entry`] at a time; it knows nothing about the contents of an index.

pub(crate) mod commits;
#[cfg(test)]
pub(crate) mod conformance;
mod decode;
mod files;
mod ignores;
mod rules;
mod secrets;
mod watch;

use crate::model::{Encoding, Result, Skip, SourceId, Stat};

pub use decode::decode;
pub use files::Files;
pub(crate) use rules::{PathKind, Rules};
pub(crate) use secrets::VERSION as SECRETS_VERSION;
pub(crate) use watch::{ChangeSignal, Wakeup, Watched};

/// A place with documents.
pub trait Source: Send + Sync {
    /// The id of the source in an index.
    fn id(&self) -> &SourceId;

    /// What the source has at the moment, ordered by path.
    ///
    /// # Errors
    ///
    /// When the source as a whole cannot be reached. A part that cannot be reached is a skip with
    /// [`SkipReason::Unreadable`](crate::SkipReason::Unreadable).
    fn list(&self) -> Result<Listing>;

    /// The text of one entry. A problem with an entry is a [`Reading`], too.
    fn read(&self, entry: &Entry) -> Reading;
}

/// The contents of a source. It takes about a hundred bytes of memory per file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The candidate documents, ordered by the bytes of their paths.
    pub entries: Vec<Entry>,
    /// What is skipped.
    pub skips: Vec<Skip>,
}

/// A candidate document: its path and its metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path inside the source, with `/` between its segments.
    pub path: String,
    /// Its metadata.
    pub stat: Stat,
}

/// The result of reading one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The text.
    Text {
        /// The text, in UTF-8.
        text: String,
        /// The encoding of the file.
        encoding: Encoding,
        /// The metadata of what was read; it may have changed since the listing.
        stat: Stat,
        /// How many bytes were read.
        bytes: u64,
    },
    /// It is skipped because of its contents.
    Skip {
        /// The path and the reason.
        skip: Skip,
        /// The metadata of what was read; `None` when it cannot be read at all.
        stat: Option<Stat>,
        /// How many bytes were read.
        bytes: u64,
    },
    /// It was removed after the listing.
    Gone,
}
