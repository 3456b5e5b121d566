//! The nouns that cross borders: what is asked, what is answered, how a source is brought in step, and what an index says of itself.

mod answer;
mod question;
mod state;
mod sync;

pub use answer::{Answer, Channel, DocumentHits, Explanation, Hit, Note, SignalShare, Snippet};
pub use question::{Filter, Query, Rank};
pub use state::{
    Building, Check, Keywords, LastSync, NextVectors, SourceStatus, Status, VectorStatus,
};
pub use sync::{
    Attributes, Encoding, Limits, Progress, Skip, SkipReason, Stage, Stat, SyncOptions, SyncReport,
};
