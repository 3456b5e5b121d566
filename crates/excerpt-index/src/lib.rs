//! An index that is kept up to date with its sources, and search over it.
//!
//! A [`Source`] lists documents and returns their text; [`Index::sync`] splits changed documents
//! into chunks and stores them; a [`Query`] returns [`Hit`]s grouped by document, each with a place
//! you can open. [`locate()`] finds the index that serves a path.
//!
//! ```
//! use excerpt_index::{Index, OpenOptions, Query, SyncOptions, quiet};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("excerpt-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(folder.join("notes"))?;
//! std::fs::write(folder.join("notes/tea.md"), "# Tea\n\nGreen tea wants water of 80 degrees.\n")?;
//!
//! let mut index = Index::open(&folder.join("index"), OpenOptions::create())?;
//! index.sync(&folder.join("notes"), &SyncOptions::default(), quiet)?;
//!
//! let answer = index.search(&Query::new("how hot is the water"))?;
//! assert_eq!(&*answer.documents[0].path, "tea.md");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod analysis;
mod cores;
mod embed;
mod endpoint;
pub mod eval;
mod fs;
mod index;
mod library;
mod mirror;
mod model;
mod read;
mod rerank;
mod search;
mod source;
mod store;
mod sync;

pub use analysis::days::Days;
pub use analysis::is_date;
pub use cores::{on_all_cores, scope_on_all_cores};
pub use embed::{
    EmbedError, Embedder, HttpCheck, HttpEmbedder, HttpOptions, StaticTable, Vectors, embed_each,
};
#[cfg(feature = "onnx")]
pub use embed::{OnnxEmbedder, OnnxOptions, Pooling};
pub use excerpt_chunk::{Config, Settings};
pub use fs::disk::make_folder_private;
pub use fs::open::{CONFIGURATION_LIMIT, FileKind, Refused, read_below, read_named, stat_below};
pub use index::{Index, OpenOptions, Stop, Watching};
pub use library::{IndexEntry, LIBRARY, Located, includes, locate};
pub use mirror::{
    ConflictReason, Creation, MirrorConflict, MirrorFolder, MirrorOptions, MirrorReport,
    MirrorStep, MirrorTarget, ObjectMetadata, ObjectStamp,
};
pub use model::{
    ActiveWriter, AlsoIn, Answer, Attributes, Building, ChangeDate, Channel, Channels, Check,
    Collection, DateFrom, DocumentEntry, DocumentHits, Domain, Encoding, Error, Explanation,
    FieldWeights, Filter, FolderEntry, Fusion, Hit, IndexedFiles, Keywords, LastSync, Limits,
    ListOptions, ListOrder, Newest, NextVectors, Note, PathRange, Progress, Provenance, Query,
    Rank, Ranking, RankingPreset, Result, Secret, Secrets, Selection, SignalShare, Signals, Skip,
    SkipReason, Snippet, SourceId, SourceStatus, SourceSummary, Stage, Stat, Status, SyncOptions,
    SyncReport, Topic, VectorStatus, Version, Warned, is_at_or_below, plain as plain_error,
};
pub use read::{ChunkPlace, DocumentText, Incoming, Links, Outgoing, ReadOptions, Target};
pub use rerank::{RerankEndpoint, RerankOptions, Reranker};
pub use source::{
    ChangeSignal, Changes, Entries, Entry, Extraction, FileText, Files, GitAddressError, GitCommit,
    GitFetchError, GitOrigin, GitReference, GitRemote, ListItem, Listing, Origin, Reading, Source,
    Wakeup, Watched, decode, pause_after,
};
pub use source::{ObjectAddressError, ObjectOrigin, ObjectService};
#[cfg(feature = "objects")]
pub use source::{ObjectFolder, ObjectSource};
pub use store::silence_recovered_panics;
pub use sync::quiet;
