//! How a source is brought in step, and what came of it: [`SyncOptions`], [`Progress`], a [`SyncReport`] and what was left out, each a [`Skip`].

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use excerpt_chunk::Config;
use serde::{Deserialize, Serialize};

use crate::source::Selection;

/// What a sync does and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SyncOptions {
    /// How documents are cut.
    pub chunking: Config,
    /// Which files are documents.
    pub selection: Selection,
    /// The name of the collection that the source is; none for a folder that was never added.
    pub name: Option<String>,
    /// What is said of all documents.
    pub attributes: Attributes,
    /// What one document may take.
    pub limits: Limits,
    /// Whether files that were left out for what is in them are looked at again, though they have not changed. Default: no.
    pub retry: bool,
    /// Whether documents that are no longer there are removed, however many they are. Default: no, and a sync stops with
    /// [`Error::Vanished`](crate::Error::Vanished) when the source has none left, or lacks more than half of at least 50.
    pub accept_removals: bool,
}

/// What one document may take. One that takes more is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many chunks it may fall into. Default: 50,000, some five times what the largest files fall into by the usual settings.
    pub chunks: usize,
    /// How long it may take to be split. Default: 20 seconds, some thirty times what the largest files take: only a bug of ours takes so long.
    pub time: Duration,
    /// How long all documents of a sync that take more than a second may take together. When it is used up, no document may take more than a second.
    /// Default: a minute.
    pub slow_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            chunks: 50_000,
            time: Duration::from_secs(20),
            slow_time: Duration::from_secs(60),
        }
    }
}

impl SyncOptions {
    /// Sets how documents are cut.
    #[must_use]
    pub fn chunking(self, chunking: Config) -> Self {
        SyncOptions { chunking, ..self }
    }

    /// Sets which files are documents.
    #[must_use]
    pub fn selection(self, selection: Selection) -> Self {
        SyncOptions { selection, ..self }
    }

    /// Sets what one document may take.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        SyncOptions { limits, ..self }
    }

    /// Sets whether files that were left out for what is in them are looked at again.
    #[must_use]
    pub fn retry(self, retry: bool) -> Self {
        SyncOptions { retry, ..self }
    }

    /// Sets whether documents that are no longer there are removed, however many they are.
    #[must_use]
    pub fn accept_removals(self, accept_removals: bool) -> Self {
        SyncOptions {
            accept_removals,
            ..self
        }
    }

    /// Sets what is said of all documents.
    #[must_use]
    pub fn attributes(self, attributes: Attributes) -> Self {
        SyncOptions { attributes, ..self }
    }

    /// Sets the size in bytes above which a file is skipped.
    #[must_use]
    pub fn max_file_size(mut self, max_file_size: u64) -> Self {
        self.selection.max_file_size = Some(max_file_size);
        self
    }
}

/// What a user says of documents, beside what they say of themselves, and before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Attributes {
    /// What the documents are, such as `doc` or `script`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The title, of a document that stands alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The versions that they are about, as written: `3.12`, `3.x`, `>=2.1`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// Words to filter by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// How far a sync is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What it is at.
    pub stage: Stage,
    /// How many documents are done.
    pub done: usize,
    /// How many there are to do in this stage; 0 while that is not known.
    pub total: usize,
}

/// A stage of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The source is listed and compared with the index.
    List,
    /// What changed is read and cut.
    Cut,
    /// The keyword index is brought in step.
    Keywords,
    /// What changed is embedded.
    Vectors,
}

/// What a sync did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SyncReport {
    /// Documents that were not in the index before.
    pub added: usize,
    /// Documents whose text is another one.
    pub changed: usize,
    /// Documents with the same text that were cut again, as the configuration is another one.
    pub recut: usize,
    /// Documents that are as they were.
    pub unchanged: usize,
    /// Documents that are no longer in the source and were removed.
    pub removed: usize,
    /// Files that were read.
    pub read: usize,
    /// The bytes that were read.
    pub bytes_read: u64,
    /// What was skipped, by reason; a skipped folder counts once.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// Files that the source lists.
    pub listed: usize,
    /// Those of them that are not searched as they are, since the sync was broken off: the next one takes them up.
    pub remaining: usize,
    /// Why chunks lack vectors; none when all have theirs, or are not to have any.
    pub without_vectors: Option<String>,
    /// Whether documents were cut anew by other settings, aside: what was there before is served until all of it is complete.
    pub aside: bool,
    /// Whether the sync ran to its end.
    pub complete: bool,
    /// How long it took.
    pub seconds: f64,
}

/// A file or folder of a source that is not in the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skip {
    /// Its path inside the source; what is not UTF-8 in it is shown as `�`.
    pub path: String,
    /// Why it was skipped.
    pub reason: SkipReason,
    /// The reason in more words, such as the error of the operating system.
    pub detail: Option<String>,
}

impl Skip {
    /// A skip without more words.
    pub fn new(path: impl Into<String>, reason: SkipReason) -> Self {
        Skip {
            path: path.into(),
            reason,
            detail: None,
        }
    }

    /// Adds the reason in more words.
    #[must_use]
    pub fn with_detail(self, detail: impl ToString) -> Self {
        Skip {
            detail: Some(detail.to_string()),
            ..self
        }
    }
}

/// What the text of a file is encoded in. Places in a document count its text in UTF-8, whatever that of the file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8: a place in the text is a place in the file.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-16, little endian, with a byte order mark that is no part of the text.
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16, big endian, with a byte order mark that is no part of the text.
    #[serde(rename = "utf-16be")]
    Utf16Be,
}

impl Encoding {
    /// The name, as it is kept and as programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Utf16Be => "utf-16be",
        }
    }

    /// The encoding of that name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let all = [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be];
        all.into_iter().find(|encoding| encoding.name() == name)
    }
}

/// Why a file or folder is not in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// A pattern of the user's own leaves it out.
    LeftOut,
    /// The rules of `.gitignore`, `.ignore` and git's own excludes leave it out.
    Ignored,
    /// Its name begins with a dot.
    Hidden,
    /// It is a folder of code from elsewhere, or one that can be made again.
    Vendored,
    /// Its name or its text says that it holds keys or passwords.
    Secret,
    /// It is not text.
    Binary,
    /// It is larger than [`Selection::max_file_size`].
    TooLarge,
    /// Its text is neither UTF-8 nor UTF-16 with a byte order mark.
    NotUtf8,
    /// Its name is not UTF-8.
    NameNotUtf8,
    /// It is a symbolic link.
    Link,
    /// It is a device, a pipe or a socket.
    Special,
    /// It falls into more chunks than [`Limits::chunks`].
    TooManyChunks,
    /// Splitting it took longer than [`Limits`] allow, failed, or ended the process twice. It is tried again when it changes, or by [`SyncOptions::retry`].
    Quarantined,
    /// It cannot be read. What the index holds of it stays.
    Unreadable,
}

impl SkipReason {
    const NAMES: [(SkipReason, &'static str, &'static str); 14] = [
        (SkipReason::LeftOut, "left_out", "excluded by a pattern"),
        (SkipReason::Ignored, "ignored", "ignored"),
        (SkipReason::Hidden, "hidden", "hidden"),
        (SkipReason::Vendored, "vendored", "vendored or generated"),
        (SkipReason::Secret, "secret", "may contain secrets"),
        (SkipReason::Binary, "binary", "binary"),
        (SkipReason::TooLarge, "too_large", "too large"),
        (SkipReason::NotUtf8, "not_utf8", "not UTF-8"),
        (
            SkipReason::NameNotUtf8,
            "name_not_utf8",
            "name is not UTF-8",
        ),
        (SkipReason::Link, "link", "symbolic link"),
        (SkipReason::Special, "special", "not a regular file"),
        (
            SkipReason::TooManyChunks,
            "too_many_chunks",
            "too many chunks",
        ),
        (SkipReason::Quarantined, "quarantined", "quarantined"),
        (SkipReason::Unreadable, "unreadable", "unreadable"),
    ];

    /// The name, as it is kept and as programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(reason, ..)| *reason == self);
        found.map_or("", |(_, name, _)| name)
    }

    /// The reason of that name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, known, _)| *known == name);
        found.map(|(reason, ..)| *reason)
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::NAMES.iter().find(|(reason, ..)| reason == self);
        f.write_str(found.map_or("", |(.., words)| words))
    }
}

/// How a file looks from outside, by which a sync sees that it may have changed: as long as all of this is the same, it is not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change, in nanoseconds since 1970. A program can set it to any time.
    pub mtime_ns: i64,
    /// Its number on the file system, which a file that takes its place does not have; none where the system has no such numbers.
    pub inode: Option<u64>,
    /// The time when its text, name or rights last changed, in nanoseconds since 1970. No program can set it; none where the system does not keep it.
    pub ctime_ns: Option<i64>,
}

impl Stat {
    /// The time of the last change, in whole seconds since 1970.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.mtime_ns.div_euclid(1_000_000_000)
    }
}
