//! Working trees and clones of one repository: each has an index of its own, which shows nothing of another one, and begins as a copy of it, so that what
//! both have is neither cut nor embedded twice. One index for all would let the documents of one checkout slow the scan of another and shift what is rare.

use std::fs;
use std::path::Path;

use crate::disk;
use crate::error::Result;
use crate::index::{Index, OpenOptions};
use crate::locate::Place;
use crate::lock::WriteLock;
use crate::store::generation::exists;
use crate::store::{Fault, Store};

/// The file in an index directory that names the repository.
pub(crate) const REPOSITORY: &str = "repository";

impl Index {
    /// Opens the index of a place, or makes it. That of a working tree begins with what the index of another one of the same repository holds, or of a
    /// clone, if there is one beside it: the first sync reads every file and cuts what differs.
    ///
    /// # Errors
    ///
    /// As [`Index::open`].
    pub fn open_at(place: &Place) -> Result<Index> {
        let Some(repository) = &place.repository else {
            return Index::open(&place.index, OpenOptions::create());
        };
        if !exists(&place.index) {
            begin(place, repository);
        }
        let index = Index::open(&place.index, OpenOptions::create())?;
        let kept = place.index.join(REPOSITORY);
        if disk::read(&kept).ok().flatten().as_ref() != Some(repository) {
            // Where it cannot be written, as on a full disk, the next one is tried again.
            let _ = disk::replace(&kept, repository.as_bytes());
        }
        Ok(index)
    }
}

/// Copies the index of another checkout, if one can be had. Without it, all is only made anew.
fn begin(place: &Place, repository: &str) {
    let beside = place.index.parent().map(fs::read_dir);
    for entry in beside.into_iter().flatten().flatten().flatten() {
        let home = entry.path();
        let named = || disk::read(&home.join(REPOSITORY)).ok().flatten();
        let is_same = || named().is_some_and(|named| named == repository);
        if home != place.index && is_same() && copy(&home, place).is_ok() {
            return;
        }
    }
}

fn copy(from: &Path, place: &Place) -> Result<(), Fault> {
    let _unchanged = WriteLock::acquire(from)?;
    let store = Store::open(from)?;
    disk::create_dir_all(&place.index)?;
    let lock = WriteLock::acquire(&place.index)?;
    let copy = store.copied(&place.index)?;
    copy.truth.adopt(&place.root.to_string_lossy())?;
    copy.serve_from(&place.index, &lock)
}
