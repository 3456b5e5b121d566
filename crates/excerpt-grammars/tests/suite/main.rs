//! The tests of the whole crate, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod growth;
mod outlines;
mod random;
mod reference;
mod samples;
mod sources;
