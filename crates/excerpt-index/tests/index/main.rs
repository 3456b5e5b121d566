//! What an index promises, seen from outside.

mod failures;
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot build its world has failed"
)]

mod fixture;
mod search;
mod sync;
