//! All tests of the crate that read whole files, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(feature = "office")]
mod mutated;
#[cfg(feature = "office")]
mod office;
