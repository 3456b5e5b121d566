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

mod clone;
mod closest;
mod collection;
mod commits;
mod cut;
mod days;
mod deadline;
mod disk;
mod embed;
mod error;
pub mod eval;
mod git;
mod index;
mod indexes;
mod journal;
mod list;
mod locate;
mod lock;
mod model;
mod open;
mod read;
mod rebuild;
mod search;
mod source;
mod store;
mod summary;
mod sync;
mod watch;

pub use collection::Collection;
pub use days::Days;
pub use disk::make_folder_private;
pub use embed::{EmbedError, Embedder, HttpCheck, HttpEmbedder, HttpOptions, StaticTable, Vectors};
pub use error::{Error, Result};
pub use excerpt_chunk::{Config, Settings};
pub use index::{Index, OpenOptions};
pub use indexes::{IndexEntry, LIBRARY};
pub use list::{ChangeDate, DateFrom, DocumentEntry, FolderEntry, ListOptions, ListOrder, Warned};
pub use locate::{Place, includes, locate};
pub use model::{
    AlsoIn, Answer, Attributes, Building, Channel, Check, DocumentHits, Encoding, Explanation,
    Filter, Hit, Keywords, LastSync, Limits, NextVectors, Note, Progress, Query, Rank, SignalShare,
    Skip, SkipReason, Snippet, SourceStatus, Stage, Stat, Status, SyncOptions, SyncReport,
    VectorStatus,
};
pub use open::{
    CONFIGURATION_LIMIT, Kind as FileKind, Refused, read_below, read_named, stat_below,
};
pub use read::{ChunkPlace, DocumentText, Incoming, Links, Outgoing, ReadOptions, Target};
pub use search::{Channels, Fusion, Ranking, RankingPreset, Signals};
pub use source::{Entry, Files, Listing, Reading, Secret, Secrets, Selection, Source, decode};
pub use store::hush_mended_panics;
pub use summary::{Domain, Newest, Summary, Topic, is_date};
pub use sync::quiet;
pub use watch::{Stop, Watching};
