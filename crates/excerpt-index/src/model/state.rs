//! What an index says of itself: its [`Status`], and what a [`Check`] finds.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::SkipReason;
use crate::summary::Summary;

/// What an index holds and how it is.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// The sources, by root.
    pub sources: Vec<SourceStatus>,
    /// How many documents it holds.
    pub documents: usize,
    /// How many chunks it holds.
    pub chunks: usize,
    /// The bytes of text it holds; what two documents share counts once.
    pub text_bytes: u64,
    /// The bytes it takes on disk.
    pub disk_bytes: u64,
    /// The state of the keyword index.
    pub keywords: Keywords,
    /// The state of the vectors.
    pub vectors: VectorStatus,
    /// What is being made anew by other settings, while the old state serves.
    pub building: Option<Building>,
}

/// A source that is being cut anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Building {
    /// Where the source is.
    pub root: PathBuf,
    /// How many documents it has.
    pub documents: usize,
    /// How many of them are still to be cut.
    pub remaining: usize,
}

/// The state of the vectors of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VectorStatus {
    /// The embedder whose vectors there are; none when there are none.
    pub embedder: Option<String>,
    /// How many documents changed since and lack theirs.
    pub behind: usize,
    /// Those that another embedder makes, to take their place when each document has some; none when none are being made.
    pub next: Option<NextVectors>,
    /// How many texts the embedder refuses: only keywords find them.
    pub refused: usize,
    /// The reason that it gave for one of them.
    pub refusal: Option<String>,
    /// Why the last sync got no vectors; none when it did.
    pub failure: Option<String>,
}

/// Vectors that are being made while those of another embedder serve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NextVectors {
    /// The embedder that makes them.
    pub embedder: String,
    /// How many documents lack theirs.
    pub behind: usize,
}

/// What an index holds of one source.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SourceStatus {
    /// The name of the collection; none for a folder that was never added.
    pub name: Option<String>,
    /// Where the source is.
    pub root: PathBuf,
    /// How many documents of it the index holds.
    pub documents: usize,
    /// How many chunks.
    pub chunks: usize,
    /// The last sync; none while the first one has not begun to write.
    pub last_sync: Option<LastSync>,
    /// What was skipped, by reason; a skipped folder counts once. [`Index::skips`](crate::Index::skips) lists them.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// What the last complete sync saw of it; none before the first.
    pub summary: Option<Summary>,
}

/// The last sync of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LastSync {
    /// When it began, in seconds since 1970.
    pub started: i64,
    /// When it ended, in seconds since 1970; none when it was interrupted or is under way.
    pub finished: Option<i64>,
}

/// The state of the keyword index, which is derived from the rest and can always be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Keywords {
    /// It holds every change.
    InStep,
    /// It lacks the latest changes.
    Behind,
    /// It is missing or cannot be read.
    Missing,
}

/// What a comparison of the keyword index with the rest found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Documents in the index.
    pub documents: usize,
    /// Chunks in the index.
    pub chunks: usize,
    /// Documents of which the keyword index lacks chunks, or holds too many.
    pub differing: usize,
    /// Documents that only the keyword index knows.
    pub surplus: usize,
}

impl Check {
    /// Whether the keyword index holds exactly what the rest holds.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.differing == 0 && self.surplus == 0
    }
}
