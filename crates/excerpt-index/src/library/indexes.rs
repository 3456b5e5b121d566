//! The indexes in the user's data folder: their sources, their sizes, and their removal.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::locate;
use crate::fs::lock::WriteLock;
use crate::fs::{disk, layout};
use crate::model::{Collection, Error, Result};
use crate::source::Origin;
use crate::store::generation::{exists, was_index};
use crate::store::{Store, StoreError, noted_roots};

/// An index on disk.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct IndexEntry {
    /// The index directory.
    pub index: PathBuf,
    /// The roots of its sources.
    pub roots: Vec<PathBuf>,
    /// Whether a root still exists.
    pub is_there: bool,
    /// How many documents it contains; `None` if its database cannot be read.
    pub documents: Option<usize>,
    /// The bytes it takes on disk.
    pub disk_bytes: u64,
    /// When it was last checked for changes, in seconds since 1970.
    pub used: Option<i64>,
}

impl IndexEntry {
    /// The indexes in the user's data folder `data`, by directory: those that
    /// [`locate`](crate::library::locate()) finds, and the library.
    #[must_use]
    pub fn all(data: &Path) -> Vec<IndexEntry> {
        let folders = fs::read_dir(locate::indexes(data));
        let folders = folders.into_iter().flatten().flatten();
        let mut dirs: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        dirs.push(data.join(LIBRARY));
        dirs.retain(|dir| is_index(dir));
        dirs.sort();
        dirs.into_iter().map(IndexEntry::of).collect()
    }

    /// The index in the directory `index`.
    #[must_use]
    pub fn of(index: PathBuf) -> IndexEntry {
        let documents = Store::open(&index).and_then(|store| {
            let count = || -> Result<usize, StoreError> {
                let mut documents = 0;
                for source in store.database.sources()? {
                    documents += store.database.document_count(Some(&source.id), "")?;
                }
                Ok(documents)
            };
            count().map_err(|fault| fault.at(&index))
        });
        let roots = noted_roots(&index);
        IndexEntry {
            is_there: roots.iter().any(|root| Origin::of(root).exists()),
            documents: documents.ok(),
            disk_bytes: disk::bytes_in(&index),
            used: used(&index),
            roots,
            index,
        }
    }

    /// Whether there is, or was, an index in the directory `dir`.
    #[must_use]
    pub fn is_in(dir: &Path) -> bool {
        is_index(dir)
    }

    /// Removes the index from its directory, and the directory if nothing else is in it. The files
    /// that were indexed stay.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] when there is none, [`Error::Given`] when it contains texts that exist
    /// nowhere else, [`Error::Locked`] while another process writes it, and when a file cannot be
    /// removed.
    pub fn remove(&self) -> Result<()> {
        let dir = &self.index;
        if !is_index(dir) {
            return Err(Error::NotFound { path: dir.clone() });
        }
        let lock = WriteLock::acquire(dir)?;
        let texts = texts(dir)?;
        if !texts.is_empty() {
            return Err(Error::Given { names: texts });
        }
        let entries = fs::read_dir(dir).map_err(Error::io(dir))?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_ours = name.to_str().is_some_and(|name| is_part(dir, name));
            if is_ours && name != layout::LOCK {
                disk::remove(&entry.path()).map_err(Error::io(&entry.path()))?;
            }
        }
        // Last, so that no other process can begin an index before.
        disk::remove(&dir.join(layout::LOCK)).map_err(Error::io(dir))?;
        drop(lock);
        // It stays if it contains anything else.
        let _ = fs::remove_dir(dir);
        Ok(())
    }
}

/// The folder of the library in the user's data folder.
pub const LIBRARY: &str = "library";

fn is_index(dir: &Path) -> bool {
    // A folder with anything else may only happen to have a file of the same name.
    exists(dir) || (was_index(dir) && layout::holds_index_alone(dir))
}

/// The names of the texts that were added to the index in `dir`, and of the files in their folder
/// that no collection names. An unreadable list of collections may name such a text, so it is an
/// error.
fn texts(dir: &Path) -> Result<Vec<String>> {
    let collections = Collection::all_in(dir)?.into_iter();
    let named = collections.filter(|collection| collection.given);
    let mut names: Vec<String> = named.map(|collection| collection.name).collect();
    let folders = fs::read_dir(dir.join(layout::TEXTS)).into_iter().flatten();
    for folder in folders.flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        if !is_empty(&folder.path()) && !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Whether what is called `name` in the index directory `dir` belongs to the index: a file where
/// the index has a file, and a folder that contains nothing but parts of an index.
fn is_part(dir: &Path, name: &str) -> bool {
    let path = dir.join(name);
    let Ok(found) = fs::symlink_metadata(&path) else {
        return false;
    };
    if name == layout::REMOTES {
        return found.is_dir();
    }
    let is_folder = name == layout::TEXTS || layout::is_folder(name);
    match found.is_dir() {
        true if name == layout::LEXICAL => path.join("meta.json").is_file() || is_empty(&path),
        true => is_folder && (name == layout::TEXTS || layout::holds_index_alone(&path)),
        false => layout::is_ours(name) && !is_folder,
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// When a process last took the lock of the index, which each sync does.
fn used(index: &Path) -> Option<i64> {
    let lock = fs::metadata(index.join(layout::LOCK)).ok()?;
    let modified: SystemTime = lock.modified().ok()?;
    let since = modified.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(dir: &Path) {
        drop(Store::create(dir).unwrap());
    }

    #[test]
    fn a_folder_that_has_a_name_of_ours_is_no_index() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["repository", "lexical", "vectors", "given", "generation-1"] {
            let work = dir.path().join(format!("with-{name}"));
            fs::create_dir_all(work.join(name)).unwrap();
            fs::write(work.join(name).join("mine.md"), "mine").unwrap();
            fs::write(work.join("notes.md"), "mine").unwrap();
            assert!(!IndexEntry::is_in(&work), "{name}");
        }
    }

    #[test]
    fn only_parts_of_the_index_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        index(dir);
        let mine = [
            "repository/a.md",
            "vectors/a.md",
            "lexical/a.md",
            "generation-7/a.md",
            "notes.md",
        ];
        for path in mine {
            let path = dir.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "mine").unwrap();
        }
        IndexEntry::of(dir.to_path_buf()).remove().unwrap();
        for path in mine {
            assert!(dir.join(path).exists(), "{path}");
        }
        assert!(!dir.join(layout::DATABASE).exists());
    }

    #[test]
    fn texts_that_no_collection_names_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        index(dir);
        fs::create_dir_all(dir.join("given/lesson")).unwrap();
        fs::write(dir.join("given/lesson/lesson.md"), "learned").unwrap();
        let error = IndexEntry::of(dir.to_path_buf()).remove().unwrap_err();
        assert!(matches!(error, Error::Given { names } if names == ["lesson"]));
        assert!(dir.join("given/lesson/lesson.md").exists());
    }
}
