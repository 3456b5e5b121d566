//! All tests of the crate, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod attacks;
#[path = "../../../excerpt-chunk/tests/suite/cases.rs"]
mod cases;
mod content;
mod cuts;
mod fences;
mod growth;
mod imports;
#[path = "../../../excerpt-chunk/tests/suite/kept.rs"]
mod kept;
#[path = "../../../excerpt-chunk/tests/suite/manual.rs"]
mod manual;
mod outlines;
mod random;
mod real;
mod reference;
mod samples;
mod sources;
mod spec;
mod units;
mod usage;
