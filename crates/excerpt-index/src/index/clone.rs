//! Working trees and clones of one repository. Each has an index of its own that shows nothing of
//! the others, but starts as a copy of one of them, so that common documents are not split and
//! embedded twice. With one index for all, the documents of one checkout would slow searches in
//! another and change how rare its words are.
//!
//! A folder only claims to belong to a repository, so the copy keeps a document only if the folder
//! contains the same text.

use std::fs;
use std::path::Path;

use excerpt_chunk::Hash;
use rayon::prelude::*;

use crate::cores::on_all_cores;
use crate::fs::lock::WriteLock;
use crate::fs::{disk, layout};
use crate::index::{Index, OpenOptions};
use crate::library::Located;
use crate::model::{PathRange, Result, Selection};
use crate::source::{Entry, Files, Reading, Source as _};
use crate::store::generation::exists;
use crate::store::{Change, Database, Known, Store, StoreError};

/// How many documents are compared at once.
const PAGE: usize = 4096;

impl Index {
    /// Opens the index of a place, or creates it. For a working tree, a new index starts as a copy
    /// of the index of another working tree or clone of the same repository, if there is one next
    /// to it: the first sync reads every file and splits those that differ.
    ///
    /// # Errors
    ///
    /// As [`Index::open`].
    pub fn open_at(place: &Located) -> Result<Index> {
        let Some(repository) = &place.repository else {
            return Index::open(&place.index, OpenOptions::create());
        };
        if !exists(&place.index) {
            begin(place, repository);
        }
        let index = Index::open(&place.index, OpenOptions::create())?;
        let kept = place.index.join(layout::REPOSITORY);
        if disk::read(&kept).ok().flatten().as_ref() != Some(repository) {
            // If it cannot be written, for example on a full disk, the next open tries again.
            let _ = disk::replace(&kept, repository.as_bytes());
        }
        Ok(index)
    }
}

/// Copies the index of another checkout, if there is one. Without it, everything is indexed from
/// scratch.
fn begin(place: &Located, repository: &str) {
    let beside = place.index.parent().map(fs::read_dir);
    for entry in beside.into_iter().flatten().flatten().flatten() {
        let home = entry.path();
        let named = || disk::read(&home.join(layout::REPOSITORY)).ok().flatten();
        let is_same = || named().is_some_and(|named| named == repository);
        if home != place.index && is_same() && copy(&home, place).is_ok() {
            return;
        }
    }
}

fn copy(from: &Path, place: &Located) -> Result<(), StoreError> {
    let _unchanged = WriteLock::acquire(from)?;
    let store = Store::open(from)?;
    disk::create_dir_all(&place.index)?;
    let lock = WriteLock::acquire(&place.index)?;
    let mut copy = store.copied(&place.index)?;
    copy.database.adopt(&place.root.as_path().into())?;
    keep_equal(&copy.database, &place.root)?;
    // The words of the removed documents are removed, too.
    copy.catch_up_entirely(&lock)?;
    copy.serve_from(&place.index, &lock)
}

/// Removes the documents that the folder at `root` does not contain with the same text.
fn keep_equal(database: &Database, root: &Path) -> Result<(), StoreError> {
    let files = Files::selected(root, &Selection::default())?;
    let is_equal = |known: &Known| {
        let entry = Entry {
            path: known.path.clone(),
            version: known.stat.into(),
        };
        let Reading::Bytes { bytes, .. } = files.read(&entry) else {
            return false;
        };
        match &known.extracted {
            Some((_, file)) => Hash::of(&bytes) == *file,
            None => {
                let text = Selection::default().text(&entry.path, bytes);
                text.is_ok_and(|read| Hash::of(read.text.as_bytes()) == known.hash)
            }
        }
    };
    for source in database.sources()? {
        let mut left = PathRange::default();
        loop {
            let page = database.known(&source.id, &left, PAGE)?;
            let Some(end) = page.last() else {
                break;
            };
            left.after = Some(end.path.clone());
            let removals: Vec<Change> = on_all_cores(|| {
                let others = page.par_iter().filter(|known| !is_equal(known));
                others
                    .map(|known| Change::Remove { id: known.id })
                    .collect()
            });
            database.apply(&source.id, &removals)?;
        }
    }
    Ok(())
}
