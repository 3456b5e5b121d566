//! The generations of an index. While documents are cut anew by other settings, the old state serves: the new one is built aside, in a folder of its own
//! that begins as a copy, and is swapped in at once when it is complete.
//!
//! The first generation lies in the index directory itself; a later one in a folder that [`POINTER`] names. What no pointer names is rubbish, left by
//! a process that ended between two steps, and removed by the next writer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use excerpt_chunk::Hash;
use rusqlite::Connection;
use rusqlite::backup::Backup;
use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::{DATABASE, LEXICAL, Store, codes};
use crate::collection::replace;
use crate::error::{Error, Result};
use crate::lock::WriteLock;

/// The file that names the folder of the generation that is served.
pub(crate) const POINTER: &str = "excerpt.generation";

/// The folder of a generation that is being built.
pub(super) const ASIDE: &str = "aside";

/// The folder of an index that is made again from its sources.
pub(crate) const ANEW: &str = "anew";

/// The beginning of the name of each other folder.
const FOLDER: &str = "generation-";

/// The file in [`ASIDE`] that says what it is built from; written last, so that without it the copy is not complete.
const BASE: &str = "base.json";

/// What a generation is built from, and for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Base {
    /// The `rev` of the generation that it is a copy of.
    pub(crate) rev: i64,
    /// The root of the source that is cut anew.
    pub(crate) root: String,
    /// The settings that it is cut by, as a document's identity has them.
    pub(crate) identity: Hash,
}

/// The folder of the generation that is served from the index directory `home`.
pub(crate) fn served(home: &Path) -> Result<PathBuf> {
    let pointer = home.join(POINTER);
    match fs::read_to_string(&pointer) {
        Ok(name) if name.starts_with(FOLDER) && !name.contains(['/', '\\']) => {
            let dir = home.join(name);
            // One that somebody took away is made again where the first one was.
            let is_there = dir.join(DATABASE).is_file();
            Ok(if is_there { dir } else { home.to_path_buf() })
        }
        Ok(_) => Err(Error::damaged(&pointer, "it names no folder of ours")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(home.to_path_buf()),
        Err(error) => Err(Error::io(&pointer)(error)),
    }
}

/// Whether there is an index in `home`.
pub(crate) fn exists(home: &Path) -> bool {
    served(home).is_ok_and(|dir| dir.join(DATABASE).is_file())
}

impl Store {
    /// The generation that is built aside, if it goes on from the one that is served.
    pub(crate) fn building(&self) -> Result<Option<(Base, Store)>, Fault> {
        let dir = self.home.join(ASIDE);
        let Ok(text) = fs::read_to_string(dir.join(BASE)) else {
            return Ok(None);
        };
        let Ok(base) = serde_json::from_str::<Base>(&text) else {
            return Ok(None);
        };
        if base.rev != self.truth.rev()? {
            return Ok(None);
        }
        Ok(Some((base, Store::at(&self.home, &dir)?)))
    }

    /// A generation to be built for `base`: the one begun before, or a copy of this one.
    pub(crate) fn aside(&self, _lock: &WriteLock, base: &Base) -> Result<Store, Fault> {
        if let Some((begun, store)) = self.building()?
            && begun == *base
        {
            return Ok(store);
        }
        let dir = self.copy_to(&self.home)?;
        replace(&dir.join(BASE), serde_json::to_string(base)?.as_bytes())?;
        Ok(Store::at(&self.home, &dir)?)
    }

    /// A copy of this generation, to be served from the index directory `home`.
    pub(crate) fn copied(&self, home: &Path) -> Result<Store, Fault> {
        let dir = self.copy_to(home)?;
        Ok(Store::at(home, &dir)?)
    }

    /// Copies this generation into the index directory `home`, aside.
    fn copy_to(&self, home: &Path) -> Result<PathBuf, Fault> {
        let dir = home.join(ASIDE);
        remove(&dir)?;
        fs::create_dir_all(&dir)?;
        {
            let mut copy = Connection::open(dir.join(DATABASE))?;
            let backup = Backup::new(&self.truth.connection, &mut copy)?;
            backup.run_to_completion(1 << 16, Duration::ZERO, None)?;
        }
        let lexical = self.dir.join(LEXICAL);
        if lexical.is_dir() {
            fs::create_dir(dir.join(LEXICAL))?;
            for entry in fs::read_dir(&lexical)? {
                let entry = entry?;
                copied(&entry.path(), &dir.join(LEXICAL).join(entry.file_name()))?;
            }
        }
        if self.dir.join(codes::FILE).is_file() {
            copied(&self.dir.join(codes::FILE), &dir.join(codes::FILE))?;
        }
        Ok(dir)
    }

    /// Serves the generation that was built aside, in place of this one.
    pub(crate) fn swap(&mut self, lock: &WriteLock, aside: Store) -> Result<(), Fault> {
        let dir = aside.dir.clone();
        // Its last connection writes the log into the database.
        drop(aside);
        let next = serve(&self.home, &dir)?;
        *self = Store::at(&self.home, &next)?;
        self.tidy(lock)
    }

    /// The roots of the sources, as far as they can be read.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let sources = self.truth.sources().unwrap_or_default();
        sources
            .into_iter()
            .map(|source| source.root.into())
            .collect()
    }

    /// Serves this store, made in a folder inside the index directory `home`, in place of whatever is served there.
    pub(crate) fn serve_from(self, home: &Path, lock: &WriteLock) -> Result<(), Fault> {
        let dir = self.dir.clone();
        self.truth.close()?;
        let next = serve(home, &dir)?;
        Store::at(home, &next)?.tidy(lock)
    }

    /// Gives up what is built aside for the source at `root`: it is no longer asked for.
    pub(crate) fn abandon(&self, _lock: &WriteLock, root: &str) -> Result<(), Fault> {
        match self.building()? {
            Some((base, _)) if base.root == root => Ok(remove(&self.home.join(ASIDE))?),
            _ => Ok(()),
        }
    }

    /// Whether this is the generation that is being built.
    pub(super) fn is_aside(&self) -> bool {
        self.dir == self.home.join(ASIDE)
    }

    /// Removes what generations have left that are no longer served.
    pub(crate) fn tidy(&self, _lock: &WriteLock) -> Result<(), Fault> {
        for entry in fs::read_dir(&self.home)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.unwrap_or_default();
            let is_old = name.starts_with(FOLDER) && path != self.dir;
            // The first generation has no folder of its own.
            let parts = [DATABASE, LEXICAL, codes::FILE];
            let is_part = parts.iter().any(|part| name.starts_with(part));
            if is_old || (is_part && self.dir != self.home) {
                // Where another process still reads it, it goes the next time.
                let _ = remove(&path);
            }
        }
        // One that is made anew holds the lock of this index: what is there now was left.
        let _ = remove(&self.home.join(ANEW));
        if self.building()?.is_none() {
            remove(&self.home.join(ASIDE))?;
        }
        Ok(())
    }
}

/// Names the generation in `dir`, which nobody has open, as the one that is served from `home`, and returns where it lies then.
fn serve(home: &Path, dir: &Path) -> Result<PathBuf, Fault> {
    let numbers = fs::read_dir(home)?.filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.to_str()?.strip_prefix(FOLDER)?.parse().ok()
    });
    let name = format!("{FOLDER}{}", numbers.max().unwrap_or(1_u64) + 1);
    let next = home.join(&name);
    fs::rename(dir, &next)?;
    replace(&home.join(POINTER), name.as_bytes())?;
    Ok(next)
}

/// Makes `to` the same file as `from`, or one like it where that cannot be: a file of the keyword index is never changed, only replaced.
fn copied(from: &Path, to: &Path) -> io::Result<()> {
    let name = from.file_name().and_then(|name| name.to_str());
    // The lock of tantivy is the one file that is opened to be written.
    if name.is_some_and(|name| name.ends_with(".lock")) {
        return Ok(());
    }
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
