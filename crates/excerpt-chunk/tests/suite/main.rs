//! All tests of the crate, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cases;
mod corpus;
mod cuts;
mod delimiters;
mod fields;
mod formats;
mod growth;
mod kept;
mod manual;
mod memory;
mod promises;
mod reference;
mod sizers;
mod spec;
mod whole;
