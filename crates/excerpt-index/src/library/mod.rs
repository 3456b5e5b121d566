//! What there is besides one index: the collections of an index (`collections.rs`), the index that
//! serves a path (`locate.rs`), and all indexes of a user (`indexes.rs`).

mod collections;
mod indexes;
mod locate;

pub(crate) use collections::{Collections, is_same, name_of};
pub use indexes::{IndexEntry, LIBRARY};
pub use locate::{Located, includes, locate};
