//! The seal of the database: what its file looked like when excerpt last wrote to it.
//!
//! The [checksums](super::sum) of rows cover what is read, not the way to it: a bit that flips in
//! one of SQLite's own indexes hides a row from a query. SQLite finds that by comparing each index
//! with its table, which takes too long for every question. So this is done when something other
//! than excerpt may have changed the file: when it was copied, restored or damaged, or when a
//! process was killed while it wrote.
//!
//! The seal may be lost or out of date: then the database is checked once more than needed. Where
//! the system has neither inodes nor ctimes, a change that keeps size and time is not noticed.

use std::path::{Path, PathBuf};

use crate::fs::{disk, open};

/// What is added to the path of a database for that of its seal.
const ENDING: &str = "-seal";

/// The current state of the file of a database, as it is written to its seal; `None` when there is
/// no such file. The file is not opened for that: closing it would release the locks of this
/// process.
pub(super) fn current(database: &Path) -> Option<String> {
    let stat = open::stat(database).ok()?;
    Some(format!("{stat:?}\n"))
}

/// Whether the database is as excerpt left it.
pub(super) fn is_intact(database: &Path) -> bool {
    let kept = disk::read(&path(database)).ok().flatten();
    kept.is_some() && kept == current(database)
}

/// Records `state` as one in which the database is sound. Where nothing can be written, it is
/// checked each time.
pub(super) fn keep(database: &Path, state: Option<&str>) {
    if let Some(state) = state {
        let _ = disk::replace_derived(&path(database), state.as_bytes());
    }
}

fn path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(ENDING);
    path.into()
}
