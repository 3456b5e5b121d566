//! Working trees and clones of one repository: each has an index of its own, which shows nothing of another one, and begins as a copy of it, so that what
//! both have is neither cut nor embedded twice. One index for all would let the documents of one checkout slow the scan of another and shift what is rare.
//!
//! Which repository a folder belongs to is only what the folder says, so the copy keeps a document only where the folder holds the same text.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use excerpt_chunk::Hash;
use rayon::prelude::*;

use crate::disk;
use crate::error::Result;
use crate::index::{Index, OpenOptions};
use crate::locate::Place;
use crate::lock::WriteLock;
use crate::source::{Entry, Files, Reading, Selection, Source as _};
use crate::store::generation::exists;
use crate::store::{Change, Fault, Known, Store, Truth};

/// The file in an index directory that names the repository.
pub(crate) const REPOSITORY: &str = "repository";

/// How many documents are compared at once.
const PAGE: usize = 4096;

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
    let mut copy = store.copied(&place.index)?;
    copy.truth.adopt(&place.root.to_string_lossy())?;
    keep_equal(&copy.truth, &place.root)?;
    // The words of what was removed go, too.
    let _done = copy.catch_up(&lock, &mut |_, _| ControlFlow::Continue(()))?;
    copy.serve_from(&place.index, &lock)
}

/// Removes what the folder at `root` does not hold as it is.
fn keep_equal(truth: &Truth, root: &Path) -> Result<(), Fault> {
    let files = Files::selected(root, &Selection::default())?;
    let is_equal = |known: &Known| {
        let entry = Entry {
            path: known.path.clone(),
            stat: known.stat,
        };
        match files.read(&entry) {
            Reading::Text { text, .. } => Hash::of(text.as_bytes()) == known.hash,
            _ => false,
        }
    };
    for source in truth.sources()? {
        let mut last = None;
        loop {
            let page = truth.known(source.id, last.as_deref(), PAGE)?;
            let Some(end) = page.last() else {
                break;
            };
            last = Some(end.path.clone());
            let others = page.par_iter().filter(|known| !is_equal(known));
            let removals = others.map(|known| Change::Remove { id: known.id });
            truth.apply(source.id, &removals.collect::<Vec<_>>())?;
        }
    }
    Ok(())
}
