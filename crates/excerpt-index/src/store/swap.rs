//! Putting a new index in the place of an old one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{DATABASE, LEXICAL, Store, codes};
use crate::error::{Error, Result};
use crate::lock::WriteLock;

/// The folder inside an index directory in which a new one is made.
pub(crate) const ASIDE: &str = "rebuild";

impl Store {
    /// The roots of the sources, as far as they can be read.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let sources = self.truth.sources().unwrap_or_default();
        sources
            .into_iter()
            .map(|(_, root, _)| root.into())
            .collect()
    }

    /// Closes the store, with all that the truth holds in its one file.
    pub(crate) fn close(self) -> Result<()> {
        self.truth.close()
    }
}

/// Puts the index in `aside`, which nobody has open, in the place of the one in `dir`.
///
/// One rename exchanges the truth. What is derived from it follows; whoever looks in between finds files of another truth, which are not used. A file that
/// holds what has not been written to the old database goes first: SQLite would write it to the new one.
pub(crate) fn replace(dir: &Path, aside: &Path, _lock: &WriteLock) -> Result<()> {
    for end in ["-wal", "-shm"] {
        let path = dir.join(format!("{DATABASE}{end}"));
        absent(fs::remove_file(&path)).map_err(Error::io(&path))?;
    }
    let database = dir.join(DATABASE);
    fs::rename(aside.join(DATABASE), &database).map_err(Error::io(&database))?;
    let lexical = dir.join(LEXICAL);
    absent(fs::remove_dir_all(&lexical)).map_err(Error::io(&lexical))?;
    for name in [LEXICAL, codes::FILE] {
        let path = dir.join(name);
        absent(fs::rename(aside.join(name), &path)).map_err(Error::io(&path))?;
    }
    Ok(())
}

/// What is not there need not be moved.
fn absent(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
