//! The tests of the whole crate, in one binary.

mod corpus;
mod promises;
mod reference;
