//! What an index remembers: sources, documents, chunks and their vectors. The engines that do it are
//! below, in `local/`; everything above sees the types of this folder only.

mod candidate;
mod compress;
#[cfg(test)]
mod conformance;
mod error;
pub(crate) mod facet;
mod link;
mod local;
mod record;
mod stored;

pub(crate) use candidate::{Candidate, Candidates, Documents, LexicalQuery, idf};
pub(crate) use error::StoreError;
pub(crate) use link::LinkRow;
pub use local::silence_recovered_panics;
pub(crate) use local::{
    Codes, Database, Followed, Searched, Store, faults, generation, noted_roots,
};
pub(crate) use record::{Change, Known, Record, SkipRow};
pub(crate) use stored::{
    Counts, Features, Listed, Order, StoredChunk, StoredDocument, StoredSource,
};
