//! Damage and rebuilds: what is wrong with the files of an index, and rebuilding it from its
//! sources as a separate generation that replaces the old one when it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fs::lock::WriteLock;
use crate::fs::{disk, layout};
use crate::index::{Index, OpenOptions};
use crate::library::Collections;
use crate::model::{Error, Result};
use crate::store::{Store, faults, generation, noted_roots};

impl Index {
    /// What is wrong with the files of the index in `dir`, without reading its database. Each fault
    /// is an [`Error::Damaged`], although the index may still answer, for example from a copy.
    #[must_use]
    pub fn faults(dir: &Path) -> Vec<Error> {
        let mut found = faults(dir);
        found.extend(Collections::faults(dir));
        found
    }

    /// Rebuilds the index in `dir`, whatever state it is in. `fill` receives a new, empty index and
    /// the roots of the sources that the old one names in its database or next to it; the index
    /// that `fill` returns replaces the old one. Until then the old one is unchanged and answers as
    /// well as it can. A process that has it open switches to the new one with its next search.
    ///
    /// The list of collections and the stored texts are repaired first, from what is left of them.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while another process writes; [`Error::NotFound`], [`Error::Foreign`] and
    /// [`Error::Newer`] when `dir` contains no index that this version may replace; and any error
    /// of `fill`, which leaves the old index in place.
    pub fn rebuild<E: From<Error>>(
        dir: &Path,
        fill: impl FnOnce(Index, &[PathBuf]) -> Result<Index, E>,
    ) -> Result<(), E> {
        if let Err(error @ (Error::NotFound { .. } | Error::Foreign { .. } | Error::Newer { .. })) =
            Store::open(dir)
            && !(matches!(error, Error::NotFound { .. }) && generation::was_index(dir))
        {
            return Err(error.into());
        }
        let lock = WriteLock::acquire(dir)?;
        let database = Store::remains(dir);
        Collections::recover(dir, database.as_ref(), &lock)?;
        if let Some(database) = &database {
            Collections::read(dir)?.restore(dir, None, database)?;
        }
        let given = dir.join(layout::TEXTS);
        if fs::symlink_metadata(&given).is_ok_and(|it| !it.is_dir()) {
            disk::remove(&given).map_err(Error::io(&given))?;
        }
        let mut roots = noted_roots(dir);
        if roots.is_empty() {
            roots = database
                .map(|database| database.any_roots())
                .unwrap_or_default();
        }
        let aside = dir.join(layout::ANEW);
        // Left by a rebuild that was interrupted.
        disk::remove(&aside).map_err(Error::io(&aside))?;
        let index = fill(Index::open(&aside, OpenOptions::create())?, &roots)?;
        Ok(index.serve_from(dir, &lock)?)
    }
}
