//! Where documents come from. A [`Source`] lists what it has as [`Entries`] and reads the bytes of
//! one [`Entry`] at a time; [`Selection::text`](crate::Selection::text) finds the text in them. A
//! source knows nothing about the contents of an index.

mod added;
pub(crate) mod commits;
#[cfg(test)]
pub(crate) mod conformance;
mod decode;
mod files;
mod found;
mod git;
mod ignores;
mod objects;
mod origin;
mod parts;
mod rules;
mod secrets;
mod signal;
mod text;
mod watch;

use crate::model::{PathRange, Provenance, Result, Skip, SourceId, Version};

pub(crate) use added::AddedFrontMatter;
pub use decode::decode;
pub(crate) use decode::encode;
pub use files::Files;
pub use git::{GitAddressError, GitCommit, GitFetchError, GitOrigin, GitReference, GitRemote};
#[cfg(feature = "objects")]
pub(crate) use objects::Put;
pub use objects::{ObjectAddressError, ObjectOrigin, ObjectService};
#[cfg(feature = "objects")]
pub use objects::{ObjectFolder, ObjectSource};
pub use origin::Origin;
pub(crate) use rules::{PathKind, Rules};
pub(crate) use secrets::VERSION as SECRETS_VERSION;
pub use signal::{ChangeSignal, Wakeup};
pub use text::{Extraction, FileText};
pub(crate) use text::{document, place};
pub use watch::{Watched, pause_after};

/// A place with documents.
pub trait Source: Send + Sync {
    /// The id of the source in an index.
    fn id(&self) -> &SourceId;

    /// What the source has at the moment: its documents, ordered by the bytes of their paths, and
    /// between them, in any order, what it skips. A sync does not keep them all in memory.
    ///
    /// # Errors
    ///
    /// When the source as a whole cannot be reached, at first or later: then nothing is concluded
    /// from what was listed. A part that cannot be reached is a skip with
    /// [`SkipReason::Unreadable`](crate::SkipReason::Unreadable).
    fn entries(&self) -> Result<Entries<'_>>;

    /// All entries at once. It takes about a hundred bytes of memory per document.
    ///
    /// # Errors
    ///
    /// Those of [`Source::entries`].
    fn list(&self) -> Result<Listing> {
        let mut listing = Listing::default();
        for listed in self.entries()? {
            match listed? {
                ListItem::Document(entry) => listing.entries.push(entry),
                ListItem::Skip(skip) => listing.skips.push(skip),
            }
        }
        Ok(listing)
    }

    /// Says which entries will be read next, so that a source that is far away can ask for them
    /// together. What was expected before and not read is no longer. By default, nothing happens.
    fn expect(&self, _entries: &[&Entry]) {}

    /// The contents of one entry. A problem with an entry is a [`Reading`], too.
    fn read(&self, entry: &Entry) -> Reading;
}

/// The contents of a source, one after the other, and the name of their state.
pub struct Entries<'a> {
    items: Box<dyn Iterator<Item = Result<ListItem>> + 'a>,
    state: Option<NamedState<'a>>,
}

/// The state of a source that has names for its states.
struct NamedState<'a> {
    cursor: String,
    changes: Box<ChangesSince<'a>>,
}

/// What has changed since the state with this name.
type ChangesSince<'a> = dyn Fn(&str) -> Result<Option<Changes>> + 'a;

impl<'a> Entries<'a> {
    /// The contents, in the order that [`Source::entries`] promises.
    pub fn new(items: impl Iterator<Item = Result<ListItem>> + 'a) -> Self {
        Entries {
            items: Box::new(items),
            state: None,
        }
    }

    /// Names the state that is listed and that [`Source::read`] reads. The name also depends on the
    /// rules for what is listed, and no later state may have the same. `changes` tells what has
    /// changed since the state with another name; `None` if that is not known: then a sync compares
    /// everything.
    #[must_use]
    pub fn with_cursor(
        self,
        cursor: String,
        changes: impl Fn(&str) -> Result<Option<Changes>> + 'a,
    ) -> Self {
        let changes = Box::new(changes);
        Entries {
            state: Some(NamedState { cursor, changes }),
            ..self
        }
    }

    /// The name of the state. Where a later sync finds the same, nothing has changed; where it
    /// finds another, it asks for the [changes](Entries::changes) since this one. `None` if the
    /// source has no such names.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.state.as_ref().map(|state| &*state.cursor)
    }

    /// What has changed since the state that a cursor names; `None` if that is not known.
    ///
    /// # Errors
    ///
    /// When the source cannot be reached.
    pub fn changes(&self, since: &str) -> Result<Option<Changes>> {
        match &self.state {
            Some(state) if state.cursor == since => Ok(Some(Changes::default())),
            Some(state) => (state.changes)(since),
            None => Ok(None),
        }
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<ListItem>;

    fn next(&mut self) -> Option<Self::Item> {
        self.items.next()
    }
}

/// A part of the contents of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListItem {
    /// A candidate document.
    Document(Entry),
    /// Something that is skipped.
    Skip(Skip),
}

/// The contents of a source as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The candidate documents, ordered by the bytes of their paths.
    pub entries: Vec<Entry>,
    /// What is skipped.
    pub skips: Vec<Skip>,
}

impl Listing {
    /// Its parts, one after the other.
    #[must_use]
    pub fn into_entries<'a>(self) -> Entries<'a> {
        let skips = self.skips.into_iter().map(ListItem::Skip);
        let documents = self.entries.into_iter().map(ListItem::Document);
        Entries::new(skips.chain(documents).map(Ok))
    }
}

/// What differs between two states of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The paths of documents and folders where something may be different, including what no
    /// longer exists.
    pub paths: Vec<String>,
    /// Ranges of paths of which the same is true, in order and apart from each other.
    pub ranges: Vec<PathRange>,
    /// What there is now, at these paths and under them, and in these ranges.
    pub listing: Listing,
}

/// A candidate document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path inside the source, with `/` between its segments.
    pub path: String,
    /// Its version.
    pub version: Version,
}

/// The result of reading one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Its contents.
    Bytes {
        /// The bytes of the file.
        bytes: Vec<u8>,
        /// The version of what was read; it may have changed since the listing.
        version: Version,
        /// What the source knows about the document besides its text: see [`Provenance`].
        provenance: Provenance,
    },
    /// It is skipped because of its contents.
    Skip {
        /// The path and the reason.
        skip: Skip,
        /// The version of what was read; `None` when it cannot be read at all.
        version: Option<Version>,
        /// How many bytes were read.
        bytes: u64,
    },
    /// It was removed after the listing.
    Gone,
}

impl Reading {
    /// Whether it is what was listed with this version. What has a tag never differs from it.
    pub(crate) fn is_of(&self, listed: &Version) -> bool {
        match self {
            _ if matches!(listed, Version::Tag { .. }) => true,
            Reading::Bytes { version, .. } => version == listed,
            Reading::Skip { version, .. } => version.as_ref() == Some(listed),
            Reading::Gone => false,
        }
    }
}
