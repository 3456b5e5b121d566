//! The guarantees of an index, through its public interface.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot build its world has failed"
)]

mod clock;
mod clones;
mod collections;
mod crowd;
mod damage;
mod failures;
mod fixture;
mod floors;
mod formats;
mod generations;
#[cfg(unix)]
mod hostile_files;
mod limits;
mod losses;
mod mirror;
mod own_code;
mod part;
mod quality;
mod ranking;
mod readers;
mod reading;
mod roads;
mod search;
mod secrets;
mod sources;
mod sync;
mod tokens;
mod vectors;
mod watch;
