//! What an index remembers: sources, documents, chunks and their vectors. The engines that do it
//! are below, in `local/`; everything above sees the types of this folder only.

mod candidate;
pub(crate) mod catalog;
mod compress;
#[cfg(test)]
mod conformance;
mod error;
pub(crate) mod facet;
mod identity;
pub(crate) mod ledger;
mod link;
mod local;
mod period;
mod record;
pub(crate) mod snapshot;
mod stored;

pub(crate) use candidate::{ById, Candidate, Candidates, Documents, LexicalQuery, idf};
pub(crate) use error::StoreError;
pub(crate) use identity::identity;
pub(crate) use link::{LinkForm, LinkRow, joined};
pub use local::silence_recovered_panics;
pub(crate) use local::{
    CacheKey, Database, NumberCache, Repair, Store, faults, generation, noted_roots,
};
pub(crate) use period::{Period, dates_of};
pub(crate) use record::{Change, Described, Known, Record, SkipRow, Twin};
pub(crate) use stored::{
    Counts, Features, Listed, RECORDS, StoredChunk, StoredDocument, StoredSource,
};
