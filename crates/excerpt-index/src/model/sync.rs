//! A sync: its [`SyncOptions`], its [`Progress`], its [`SyncReport`], and each skipped file or
//! folder as a [`Skip`].

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime};

use excerpt_chunk::{Config, Hash};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Selection;

/// The options of a sync.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SyncOptions {
    /// How documents are split.
    pub chunking: Config,
    /// Which files are documents.
    pub selection: Selection,
    /// The name of the collection; `None` for a folder that was never added.
    pub name: Option<String>,
    /// Attributes of all documents.
    pub attributes: Attributes,
    /// The limits on one document.
    pub limits: Limits,
    /// Whether files that were skipped because of their contents are read again although they have
    /// not changed. Default: no.
    pub retry: bool,
    /// Whether documents that no longer exist are removed, however many they are. Default: no, and
    /// a sync stops with [`Error::Vanished`](crate::Error::Vanished) when the source has lost all
    /// of them, or more than half of at least 50.
    pub accept_removals: bool,
    /// The folder or file, by its path inside the source, whose documents are indexed before all
    /// others.
    pub first: Option<String>,
}

/// The limits on one document. A document that exceeds them is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many chunks it may have. Default: 50,000, about five times what the largest files have
    /// with the usual settings.
    pub chunks: usize,
    /// How long reading or splitting it may take. Default: 20 seconds, about thirty times what the
    /// largest files take: only a bug in excerpt takes that long.
    pub time: Duration,
    /// How long all documents of a sync that take more than a second may take in total. After that,
    /// no document may take more than a second. Default: a minute.
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
    /// Sets how documents are split.
    #[must_use]
    pub fn chunking(self, chunking: Config) -> Self {
        SyncOptions { chunking, ..self }
    }

    /// Sets which files are documents.
    #[must_use]
    pub fn selection(self, selection: Selection) -> Self {
        SyncOptions { selection, ..self }
    }

    /// Sets the limits on one document.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        SyncOptions { limits, ..self }
    }

    /// Sets whether files that were skipped because of their contents are read again.
    #[must_use]
    pub fn retry(self, retry: bool) -> Self {
        SyncOptions { retry, ..self }
    }

    /// Sets whether documents that no longer exist are removed, however many they are.
    #[must_use]
    pub fn accept_removals(self, accept_removals: bool) -> Self {
        SyncOptions {
            accept_removals,
            ..self
        }
    }

    /// Sets attributes of all documents.
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

/// What a user states about documents. It takes precedence over what their own front matter states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Attributes {
    /// The type of the documents, such as `doc` or `script`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The title, for a single document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The versions they are about, as written: `3.12`, `3.x`, `>=2.1`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// Tags to filter by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// The progress of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// How many documents are done.
    pub done: usize,
    /// How many there are to do in this stage; 0 while unknown.
    pub total: usize,
    /// How many files the source lists; 0 while unknown.
    pub listed: usize,
}

/// A stage of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The source is listed and compared with the index.
    List,
    /// Changed documents are read and split.
    Cut,
    /// The keyword index is updated.
    Keywords,
    /// Changed documents are embedded.
    Vectors,
    /// Parts of the keyword index are merged. Nothing is counted.
    Merge,
}

/// The result of a sync.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SyncReport {
    /// Documents that were not in the index before.
    pub added: usize,
    /// Documents whose text has changed.
    pub changed: usize,
    /// Documents with the same text that were split again because the configuration has changed.
    pub recut: usize,
    /// Documents among these three that are the same in another source, and were not split: their
    /// chunks were copied.
    pub shared: usize,
    /// Documents that have not changed.
    pub unchanged: usize,
    /// Documents that are no longer in the source and were removed.
    pub removed: usize,
    /// Files that were read.
    pub read: usize,
    /// The bytes that were read.
    pub bytes_read: u64,
    /// What was skipped, by reason; a skipped folder counts once.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// How many files the source lists.
    pub listed: usize,
    /// How many of them are not yet searchable in their current version because the sync was
    /// cancelled: the next one continues with them.
    pub remaining: usize,
    /// How many of the listed files are in [`SyncOptions::first`].
    pub first_listed: usize,
    /// How many of those may not be searchable in their current version.
    pub first_remaining: usize,
    /// Why chunks lack vectors; `None` when all have theirs, or when vectors are switched off.
    pub without_vectors: Option<String>,
    /// Whether documents were split again with other settings, in a separate generation: the old
    /// one serves until the new one is complete.
    pub aside: bool,
    /// Whether the sync was completed.
    pub complete: bool,
    /// How long it took.
    pub seconds: f64,
}

/// A file or folder of a source that is not in the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skip {
    /// Its path inside the source; bytes that are not UTF-8 are shown as `�`.
    pub path: String,
    /// Why it was skipped.
    pub reason: SkipReason,
    /// Details of the reason, such as the error of the operating system.
    pub detail: Option<String>,
}

impl Skip {
    /// A skip without details.
    pub fn new(path: impl Into<String>, reason: SkipReason) -> Self {
        Skip {
            path: path.into(),
            reason,
            detail: None,
        }
    }

    /// Adds details of the reason.
    #[must_use]
    pub fn with_detail(self, detail: impl ToString) -> Self {
        Skip {
            detail: Some(detail.to_string()),
            ..self
        }
    }
}

/// The encoding of a file. Places in a document refer to its text in UTF-8, whatever the encoding
/// of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8: a place in the text is a place in the file.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-16, little endian, with a byte order mark that is not part of the text.
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16, big endian, with a byte order mark that is not part of the text.
    #[serde(rename = "utf-16be")]
    Utf16Be,
    /// Windows-1252, which includes the printable characters of Latin-1: what a file is taken for
    /// that is text and not UTF-8.
    #[serde(rename = "windows-1252")]
    Windows1252,
    /// None: the file is not text, and a reader has extracted the text from it.
    #[serde(rename = "extracted")]
    Extracted,
}

impl Encoding {
    /// The name, as it is stored and as programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Utf16Be => "utf-16be",
            Encoding::Windows1252 => "windows-1252",
            Encoding::Extracted => "extracted",
        }
    }

    /// The encoding of that name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let all = [
            Encoding::Utf8,
            Encoding::Utf16Le,
            Encoding::Utf16Be,
            Encoding::Windows1252,
            Encoding::Extracted,
        ];
        all.into_iter().find(|encoding| encoding.name() == name)
    }
}

/// Why a file or folder is not in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// A pattern of the user excludes it.
    LeftOut,
    /// A rule in `.gitignore`, `.ignore` or git's own exclude files excludes it.
    Ignored,
    /// Its name begins with a dot.
    Hidden,
    /// It is a folder of third-party code or of generated files.
    Vendored,
    /// Its name or its text shows that it contains keys or passwords.
    Secret,
    /// It is not text.
    Binary,
    /// It is a document that needs a reader, which this build does not have.
    NoReader,
    /// Its reader found no text in it, because it is damaged, protected, or has only images.
    NotRead,
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
    /// It is an object whose key is not that of a file: a part of it is empty, `.` or `..`, or it
    /// has a control character.
    UnusableKey,
    /// It stands for another git repository.
    Submodule,
    /// It stands for a file in Git LFS, which is not in the repository itself.
    LfsPointer,
    /// It has more chunks than [`Limits::chunks`].
    TooManyChunks,
    /// Splitting it took longer than [`Limits`] allow, failed, or ended the process twice. It is
    /// retried when it changes, or with [`SyncOptions::retry`].
    Quarantined,
    /// It cannot be read. What the index already contains of it is kept.
    Unreadable,
}

impl SkipReason {
    const NAMES: [(SkipReason, &'static str, &'static str); 19] = [
        (SkipReason::LeftOut, "left_out", "excluded by a pattern"),
        (SkipReason::Ignored, "ignored", "ignored"),
        (SkipReason::Hidden, "hidden", "hidden"),
        (SkipReason::Vendored, "vendored", "vendored or generated"),
        (SkipReason::Secret, "secret", "may contain secrets"),
        (SkipReason::Binary, "binary", "binary"),
        (SkipReason::NoReader, "no_reader", "no reader"),
        (SkipReason::NotRead, "not_read", "no text extracted"),
        (SkipReason::TooLarge, "too_large", "too large"),
        (SkipReason::NotUtf8, "not_utf8", "not UTF-8"),
        (
            SkipReason::NameNotUtf8,
            "name_not_utf8",
            "name is not UTF-8",
        ),
        (SkipReason::Link, "link", "symbolic link"),
        (SkipReason::Special, "special", "not a regular file"),
        (SkipReason::UnusableKey, "unusable_key", "unusable key"),
        (SkipReason::Submodule, "submodule", "git submodule"),
        (SkipReason::LfsPointer, "lfs_pointer", "in Git LFS"),
        (
            SkipReason::TooManyChunks,
            "too_many_chunks",
            "too many chunks",
        ),
        (SkipReason::Quarantined, "quarantined", "quarantined"),
        (SkipReason::Unreadable, "unreadable", "unreadable"),
    ];

    /// The name, as it is stored and as programs read it.
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

/// How long before a moment a file must have been changed to be [settled](Stat::is_settled): two
/// seconds is the coarsest time that a file system in use keeps (FAT), and clocks of servers differ
/// a little.
const SLACK_NS: i64 = 2_000_000_000;

/// The metadata of a file, from which a sync sees that it may have changed: as long as all of this
/// is the same, the file is not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// The size in bytes.
    pub size: u64,
    /// The modification time, in nanoseconds since 1970. A program can set it to any time.
    pub mtime_ns: i64,
    /// Its inode number, which a file that replaces it does not have; `None` where the system has
    /// no such numbers.
    pub inode: Option<u64>,
    /// When its contents, name or permissions last changed, in nanoseconds since 1970. No program
    /// can set it; `None` where the system does not keep it.
    pub ctime_ns: Option<i64>,
}

/// What tells whether a document has changed: as long as its version is the same, it is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// The metadata of a file.
    Stat(Stat),
    /// A name for these contents and no others.
    Tag {
        /// The id of a git object, the ETag of an HTTP resource, or the like.
        tag: String,
        /// The size in bytes.
        size: u64,
        /// When the document was last changed, in seconds since 1970, if the source knows.
        changed: Option<i64>,
    },
}

impl Version {
    /// The size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Version::Stat(stat) => stat.size,
            Version::Tag { size, .. } => *size,
        }
    }

    /// The version as a store keeps it: a tag as its hash, with a time that no file has.
    pub(crate) fn stored(&self) -> Stat {
        let (tag, size, changed) = match self {
            Version::Stat(stat) => return *stat,
            Version::Tag { tag, size, changed } => (tag, *size, changed.unwrap_or(0)),
        };
        let mut hash = [0; 8];
        hash.copy_from_slice(&Hash::of(tag.as_bytes()).0[..8]);
        Stat {
            size,
            mtime_ns: changed.saturating_mul(1_000_000_000),
            inode: Some(u64::from_le_bytes(hash)),
            ctime_ns: Some(Stat::OF_TAG),
        }
    }
}

impl From<Stat> for Version {
    fn from(stat: Stat) -> Self {
        Version::Stat(stat)
    }
}

impl Stat {
    /// The time in place of which a tag is stored.
    const OF_TAG: i64 = i64::MIN;

    /// Whether it stands for a tag. Its only time is that of the last change, or 0.
    pub(crate) fn is_of_tag(self) -> bool {
        self.ctime_ns == Some(Stat::OF_TAG)
    }

    /// The present moment, in nanoseconds since 1970.
    pub(crate) fn now() -> i64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let nanoseconds = since.unwrap_or_default().as_nanos();
        i64::try_from(nanoseconds).unwrap_or(i64::MAX)
    }

    /// Whether a file that has this size and these times at a moment, in nanoseconds since 1970,
    /// and still has them later, has the same text. One that was changed shortly before may change
    /// again and look the same.
    pub(crate) fn is_settled(self, moment: i64) -> bool {
        self.is_of_tag() || self.mtime_ns.saturating_add(SLACK_NS) < moment
    }

    /// The modification time in whole seconds since 1970; 0 if there is none.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.mtime_ns.div_euclid(1_000_000_000)
    }
}

/// What a source knows about a document besides its text, such as its last commit. Each value is
/// also a field to filter by.
pub type Provenance = Map<String, Value>;
