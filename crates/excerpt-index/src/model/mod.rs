//! The types of the public interface: queries, answers, syncs, and the status of an index.

mod answer;
mod question;
mod state;
mod sync;

pub use answer::{
    AlsoIn, Answer, Channel, DocumentHits, Explanation, Hit, Note, SignalShare, Snippet,
};
pub use question::{Filter, Query, Rank};
pub use state::{
    Building, Check, Keywords, LastSync, NextVectors, SourceStatus, Status, VectorStatus,
};
pub use sync::{
    Attributes, Encoding, Limits, Progress, Skip, SkipReason, Stage, Stat, SyncOptions, SyncReport,
};
