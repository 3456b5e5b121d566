//! The state of an index: its [`Status`], and the result of a [`Check`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SkipReason;
use super::SourceSummary;

/// The contents and the state of an index.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// The sources, by root.
    pub sources: Vec<SourceStatus>,
    /// How many documents it contains.
    pub documents: usize,
    /// How many chunks it contains.
    pub chunks: usize,
    /// The bytes of text it contains; text shared by two documents counts once.
    pub text_bytes: u64,
    /// The bytes it takes on disk.
    pub disk_bytes: u64,
    /// The state of the keyword index.
    pub keywords: Keywords,
    /// The state of the vectors.
    pub vectors: VectorStatus,
    /// The re-split with other settings that is under way while the old state serves.
    pub building: Option<Building>,
}

impl Status {
    /// Leaves out the sources whose root is not `chosen`: what it says of documents is then about
    /// the others, and the size of the text is that of their files. The size on disk, the keyword
    /// index and the vectors are those of the index.
    pub fn narrow(&mut self, chosen: impl Fn(&Path) -> bool) {
        self.sources.retain(|source| chosen(&source.root));
        self.building = self.building.take().filter(|it| chosen(&it.root));
        let sources = self.sources.iter();
        self.documents = sources.clone().map(|source| source.documents).sum();
        self.chunks = sources.clone().map(|source| source.chunks).sum();
        let summaries = sources.filter_map(|source| source.summary.as_ref());
        self.text_bytes = summaries.map(|summary| summary.bytes).sum();
    }
}

/// A source that is being split again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Building {
    /// The root of the source.
    pub root: PathBuf,
    /// How many documents it has.
    pub documents: usize,
    /// How many of them are still to be split.
    pub remaining: usize,
}

/// The state of the vectors of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VectorStatus {
    /// The embedder of the vectors; `None` when there are none.
    pub embedder: Option<String>,
    /// How many documents have changed since and lack their vectors.
    pub behind: usize,
    /// The vectors of another embedder that replace these once every document has some; `None` when
    /// none are being computed.
    pub next: Option<NextVectors>,
    /// How many texts the embedder rejects: they are found by keywords only.
    pub refused: usize,
    /// The reason it gave for one of them.
    pub refusal: Option<String>,
    /// Why the last sync got no vectors; `None` when it did.
    pub failure: Option<String>,
}

/// Vectors that are being computed while those of another embedder serve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NextVectors {
    /// The embedder that computes them.
    pub embedder: String,
    /// How many documents still lack theirs.
    pub behind: usize,
}

/// The state of one source.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SourceStatus {
    /// The name of the collection; `None` for a folder that was never added.
    pub name: Option<String>,
    /// The root of the source.
    pub root: PathBuf,
    /// How many documents of it are in the index.
    pub documents: usize,
    /// How many chunks.
    pub chunks: usize,
    /// The last sync; `None` until the first one starts to write.
    pub last_sync: Option<LastSync>,
    /// What was skipped, by reason; a skipped folder counts once.
    /// [`Index::skips`](crate::Index::skips) lists them.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// What the last complete sync found; `None` before the first.
    pub summary: Option<SourceSummary>,
}

/// The last sync of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LastSync {
    /// When it started, in seconds since 1970.
    pub started: i64,
    /// When it ended, in seconds since 1970; `None` when it was interrupted or is still running.
    pub finished: Option<i64>,
}

/// A process that is writing an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ActiveWriter {
    /// Its id, if that is known.
    pub process: Option<u32>,
    /// How far its sync has come; `None` before it has listed the files, and if it does something
    /// else.
    pub progress: Option<IndexedFiles>,
}

/// How far the sync of a source has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IndexedFiles {
    /// How many of the files are indexed in their current state.
    pub indexed: usize,
    /// How many files the source lists.
    pub listed: usize,
}

/// The state of the keyword index, which is derived from the database and can always be rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Keywords {
    /// It is up to date.
    InStep,
    /// It lacks the latest changes.
    Behind,
    /// It is missing or cannot be read.
    Missing,
}

/// The result of comparing the keyword index with the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Documents in the index.
    pub documents: usize,
    /// Chunks in the index.
    pub chunks: usize,
    /// Documents of which the keyword index lacks chunks or has too many.
    pub differing: usize,
    /// Documents that are only in the keyword index.
    pub surplus: usize,
}

impl Check {
    /// Whether the keyword index matches the database exactly.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.differing == 0 && self.surplus == 0
    }
}
