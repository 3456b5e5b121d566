//! The generations of an index. While documents are split again with other settings, the old state
//! serves: the new one is built in a folder of its own that starts as a copy, and replaces the old
//! one atomically when it is complete.
//!
//! The first generation is in the index directory itself; a later one is in a folder that
//! [`POINTER`] names. A folder that no pointer names was left by a process that ended between two
//! steps, and is removed by the next writer.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use excerpt_chunk::Hash;
use rusqlite::Connection;
use rusqlite::backup::Backup;
use serde::{Deserialize, Serialize};

use super::Store;
use crate::fs::disk;
use crate::fs::layout::{
    self, ANEW, ASIDE, BASE, DATABASE, GENERATION, LEXICAL, POINTER, ROOTS, is_ours,
};
use crate::fs::lock::WriteLock;
use crate::model::{Result, Revision, SourceId};
use crate::store::StoreError;

/// What a generation is built from and for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Base {
    /// The `rev` of the generation that it is a copy of.
    pub(crate) rev: Revision,
    /// The source that is split again.
    #[serde(rename = "root")]
    pub(crate) source: SourceId,
    /// The identity of the settings that it is split with, as in the identity of a document.
    pub(crate) identity: Hash,
}

/// The folder of the generation that is served from the index directory `home`: the one that the
/// pointer names. If the pointer is lost or damaged, it is the latest existing one: a generation
/// gets its number when it is complete.
pub(crate) fn served(home: &Path) -> PathBuf {
    let is_there =
        |dir: &PathBuf| disk::is_regular(&dir.join(DATABASE)).is_ok_and(|is| is.is_some());
    let dir = match named(home) {
        Named::Folder(name) => home.join(name),
        Named::First => home.to_path_buf(),
        Named::Nothing => latest(home).map_or_else(|| home.to_path_buf(), |name| home.join(name)),
    };
    if is_there(&dir) {
        return dir;
    }
    let latest = latest(home).map(|name| home.join(name)).filter(is_there);
    latest.unwrap_or_else(|| home.to_path_buf())
}

/// The contents of the pointer in an index directory.
enum Named {
    Folder(String),
    /// There is no pointer: the first generation is in the index directory itself.
    First,
    /// It is invalid.
    Nothing,
}

fn named(home: &Path) -> Named {
    match disk::read(&home.join(POINTER)) {
        Ok(Some(name)) if number(&name).is_some() => Named::Folder(name),
        Ok(None) => Named::First,
        _ => Named::Nothing,
    }
}

/// The number of the generation in the folder `name`, if it is one.
fn number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(GENERATION)?;
    let number = digits.parse().ok()?;
    (digits == u64::to_string(&number)).then_some(number)
}

/// The folder of the latest generation in an index directory, by its name.
fn latest(home: &Path) -> Option<String> {
    let entries = fs::read_dir(home).ok()?.flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter_map(|name| Some((number(&name)?, name)))
        .max()
        .map(|(_, name)| name)
}

/// What is wrong with the pointer of an index directory.
pub(crate) fn pointer_fault(home: &Path) -> Option<&'static str> {
    match named(home) {
        Named::Nothing => Some("it names no generation of the index"),
        Named::Folder(name) if served(home) != home.join(&name) => {
            Some("it names a generation that is not there")
        }
        Named::First if served(home) != home => Some("it is missing"),
        _ => None,
    }
}

/// Whether there is an index in `home`.
pub(crate) fn exists(home: &Path) -> bool {
    served(home).join(DATABASE).symlink_metadata().is_ok()
}

/// Whether something in the folder `home` shows that there is or was an index.
pub(crate) fn was_index(home: &Path) -> bool {
    // The lock, the database and the files next to it may belong to any program; a copy may be in
    // progress.
    let says_nothing = [layout::LOCK, ASIDE, ANEW];
    let names = |name: &str| {
        is_ours(name)
            && !says_nothing.contains(&name)
            && !name.starts_with(DATABASE)
            && !disk::is_temporary(name)
    };
    let mut entries = fs::read_dir(home).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().to_str().is_some_and(names))
}

impl Store {
    /// The generation that is being built, if it is based on the one that is served.
    pub(crate) fn building(&self) -> Result<Option<(Base, Store)>, StoreError> {
        let dir = self.home.join(ASIDE);
        let Ok(Some(text)) = disk::read(&dir.join(BASE)) else {
            return Ok(None);
        };
        let Ok(base) = serde_json::from_str::<Base>(&text) else {
            return Ok(None);
        };
        if base.rev != self.database.rev()? {
            return Ok(None);
        }
        // A damaged one is started again.
        Ok(Store::at(&self.home, &dir).ok().map(|store| (base, store)))
    }

    /// A generation to build for `base`: the one started before, or a copy of this one.
    pub(crate) fn aside(&self, _lock: &WriteLock, base: &Base) -> Result<Store, StoreError> {
        if let Some((begun, store)) = self.building()?
            && begun == *base
        {
            return Ok(store);
        }
        let dir = self.copy_to(&self.home)?;
        disk::replace(&dir.join(BASE), serde_json::to_string(base)?.as_bytes())?;
        Ok(Store::at(&self.home, &dir)?)
    }

    /// A copy of this generation, for the index directory `home`.
    pub(crate) fn copied(&self, home: &Path) -> Result<Store, StoreError> {
        let dir = self.copy_to(home)?;
        Ok(Store::at(home, &dir)?)
    }

    /// Copies this generation into the index directory `home` as one that is being built.
    fn copy_to(&self, home: &Path) -> Result<PathBuf, StoreError> {
        let dir = home.join(ASIDE);
        disk::remove(&dir)?;
        disk::create_dir_all(&dir)?;
        {
            disk::create_new(&dir.join(DATABASE))?;
            let mut copy = Connection::open(dir.join(DATABASE))?;
            let backup = Backup::new(&self.database.connection, &mut copy)?;
            backup.run_to_completion(1 << 16, Duration::ZERO, None)?;
        }
        let lexical = self.dir.join(LEXICAL);
        if lexical.is_dir() {
            disk::create_dir_all(&dir.join(LEXICAL))?;
            for entry in fs::read_dir(&lexical)? {
                let entry = entry?;
                copied(&entry.path(), &dir.join(LEXICAL).join(entry.file_name()))?;
            }
        }
        for name in [layout::CODES, layout::NEWER_CODES] {
            if self.dir.join(name).is_file() {
                copied(&self.dir.join(name), &dir.join(name))?;
            }
        }
        Ok(dir)
    }

    /// Serves the generation that was built, in place of this one.
    pub(crate) fn swap(&mut self, lock: &WriteLock, aside: Store) -> Result<(), StoreError> {
        let dir = aside.dir.clone();
        drop(aside);
        let next = serve(&self.home, &dir)?;
        *self = Store::at(&self.home, &next)?;
        self.tidy(lock)
    }

    /// Serves this store, built in a folder inside the index directory `home`, in place of the one
    /// served there.
    pub(crate) fn serve_from(self, home: &Path, lock: &WriteLock) -> Result<(), StoreError> {
        let dir = self.dir.clone();
        self.database.close()?;
        // Until now it had the file of an index on its own.
        disk::remove(&dir.join(ROOTS))?;
        let next = serve(home, &dir)?;
        let store = Store::at(home, &next)?;
        store.note_roots()?;
        store.tidy(lock)
    }

    /// Discards what is being built for a source: it is no longer needed.
    pub(crate) fn abandon(&self, _lock: &WriteLock, source: &SourceId) -> Result<(), StoreError> {
        match self.building()? {
            Some((base, _)) if base.source == *source => Ok(disk::remove(&self.home.join(ASIDE))?),
            _ => Ok(()),
        }
    }

    /// Whether this is the generation that is being built.
    pub(super) fn is_aside(&self) -> bool {
        self.dir == self.home.join(ASIDE)
    }

    /// Removes what is left of generations that are no longer served, and repairs the pointer.
    pub(crate) fn tidy(&self, _lock: &WriteLock) -> Result<(), StoreError> {
        if pointer_fault(&self.home).is_some() && !self.is_aside() {
            let pointer = self.home.join(POINTER);
            match self.dir.file_name().and_then(|name| name.to_str()) {
                Some(name) if self.dir != self.home => disk::replace(&pointer, name.as_bytes())?,
                _ => disk::remove(&pointer)?,
            }
        }
        for entry in fs::read_dir(&self.home)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.unwrap_or_default();
            let is_old = name.starts_with(GENERATION) && path != self.dir;
            // The first generation has no folder of its own.
            let parts = [DATABASE, LEXICAL, layout::CODES];
            let is_part = parts.iter().any(|part| name.starts_with(part));
            let is_temporary = disk::is_temporary(name) && is_from_before(&path);
            if is_old || is_temporary || (is_part && self.dir != self.home) {
                // If another process still reads it, it is removed the next time.
                let _ = disk::remove(&path);
            }
        }
        // The next sync writes it again.
        disk::clear(&self.home.join(layout::JOURNAL))?;
        // A rebuild holds the lock of this index, so what is there now was left behind.
        let _ = disk::remove(&self.home.join(ANEW));
        if self.building()?.is_none() {
            disk::remove(&self.home.join(ASIDE))?;
        }
        Ok(())
    }
}

/// Whether a file was last written so long ago that no process can still be writing it.
fn is_from_before(path: &Path) -> bool {
    const LONG: Duration = Duration::from_secs(3600);
    let modified = fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LONG))
}

/// Names the generation in `dir`, which no process has open, as the one that is served from `home`,
/// and returns its new folder. Each step is on the disk before the next one starts: whenever the
/// power fails, the pointer names an existing generation.
fn serve(home: &Path, dir: &Path) -> Result<PathBuf, StoreError> {
    File::options()
        .write(true)
        .open(dir.join(DATABASE))?
        .sync_all()?;
    disk::sync_folder(dir)?;
    let numbers = fs::read_dir(home)?.filter_map(|entry| number(entry.ok()?.file_name().to_str()?));
    let last = numbers.filter(|number| *number < u64::MAX).max();
    let name = format!("{GENERATION}{}", last.unwrap_or(1) + 1);
    let next = home.join(&name);
    disk::remove(&next)?;
    fs::rename(dir, &next)?;
    disk::sync_folder(home)?;
    disk::replace(&home.join(POINTER), name.as_bytes())?;
    Ok(next)
}

/// Makes `to` a hard link to `from`, or a copy where that is not possible: a file of the keyword
/// index is never changed, only replaced.
fn copied(from: &Path, to: &Path) -> io::Result<()> {
    let name = from.file_name().and_then(|name| name.to_str());
    // The lock of tantivy is the only file that is opened for writing.
    if name.is_some_and(|name| name.ends_with(".lock")) {
        return Ok(());
    }
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))?;
    disk::make_private(to);
    Ok(())
}
