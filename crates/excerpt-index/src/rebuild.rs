//! Making a whole index again from its sources: aside, in a folder of its own, and put in place of the old one when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::index::{Index, OpenOptions};
use crate::lock::WriteLock;
use crate::store::{self, Store};

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
        let old = match Store::open(dir) {
            Ok(store) => Some(store),
            Err(Error::Damaged { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let lock = WriteLock::acquire(dir)?;
        let roots = old.as_ref().map(Store::roots).unwrap_or_default();
        if let Some(old) = old {
            // What cannot be written to its file any more will not be missed.
            let _ = old.close();
        }
        let aside = dir.join(store::ASIDE);
        // What a rebuild left that was ended.
        removed(&aside)?;
        let index = fill(Index::open(&aside, OpenOptions::create())?, &roots)?;
        index.close()?;
        store::replace(dir, &aside, &lock)?;
        removed(&aside)?;
        Ok(())
    }
}

/// Removes a folder, if it is there.
fn removed(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(folder)(error)),
        _ => Ok(()),
    }
}
