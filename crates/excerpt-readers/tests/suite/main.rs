//! All tests of the crate that need only what is public, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod mutated;
mod office;
mod pdf;
mod pdf_maker;
mod spec;
