//! What an index promises, seen from outside.

mod failures;
mod fixture;
mod search;
mod sync;
