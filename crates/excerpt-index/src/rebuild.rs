//! Making a whole index again from its sources: aside, as a generation of its own that takes the place of the old one when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::index::{Index, OpenOptions};
use crate::lock::WriteLock;
use crate::store::Store;
use crate::store::generation::ANEW;

impl Index {
    /// Makes the index in `dir` again, whatever state it is in. `fill` gets a new, empty index and the roots of the sources that the old one names, as
    /// far as they can still be read in it; the index that it gives back takes the place of the old one. Until then the old one stays as it is, and
    /// answers as well as it can. Whoever has it open goes over to the new one with the next question.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while another process writes; [`Error::NotFound`], [`Error::Foreign`] and [`Error::Newer`] when what is there is no index
    /// that this version may replace; and whatever `fill` meets, which leaves the old one in place.
    pub fn rebuild<E: From<Error>>(
        dir: &Path,
        fill: impl FnOnce(Index, &[PathBuf]) -> Result<Index, E>,
    ) -> Result<(), E> {
        let roots = match Store::open(dir) {
            Ok(old) => old.roots(),
            Err(Error::Damaged { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let lock = WriteLock::acquire(dir)?;
        let aside = dir.join(ANEW);
        // What a rebuild left that was ended.
        match fs::remove_dir_all(&aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io(&aside)(error).into());
            }
            _ => {}
        }
        let index = fill(Index::open(&aside, OpenOptions::create())?, &roots)?;
        Ok(index.serve_from(dir, &lock)?)
    }
}
