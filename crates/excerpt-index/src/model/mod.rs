//! The nouns of the crate: queries and how they are ranked, answers, syncs, collections, lists, the
//! status of an index, and errors.

mod answer;
mod collection;
mod count;
mod error;
mod fingerprint;
mod id;
mod list;
mod path;
mod question;
mod ranking;
mod selection;
mod state;
mod summary;
mod sync;

pub use answer::{
    AlsoIn, Answer, Channel, DocumentHits, Explanation, Hit, Note, SignalShare, Snippet,
};
pub use collection::Collection;
pub(crate) use count::{counted, either, seconds};
pub use error::plain;
pub use error::{Error, Result};
pub(crate) use fingerprint::Fingerprint;
pub use id::SourceId;
pub(crate) use id::{ChunkKey, DocumentId, Revision};
pub(crate) use list::is_hidden;
pub use list::{ChangeDate, DateFrom, DocumentEntry, FolderEntry, ListOptions, ListOrder, Warned};
pub use path::{PathRange, is_at_or_below};
pub(crate) use path::{segments, with_folders};
pub use question::{Filter, Query, Rank};
pub use ranking::{Channels, FieldWeights, Fusion, Ranking, RankingPreset, Signals};
pub use selection::{Secret, Secrets, Selection};
pub use state::{
    ActiveWriter, Building, Check, IndexedFiles, Keywords, LastSync, NextVectors, SourceStatus,
    Status, VectorStatus,
};
pub use summary::{Domain, Newest, SourceSummary, Topic};
pub use sync::{
    Attributes, Encoding, Limits, Progress, Provenance, Skip, SkipReason, Stage, Stat, SyncOptions,
    SyncReport, Version,
};
