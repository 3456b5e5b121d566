//! One writer: a [`WriteLock`] is the right to change an index. The operating system releases it
//! when the process ends, however it ends.
//!
//! The locked file says who writes, and how far a sync has come: the id of the process on the first
//! line, and on the second one the numbers of files, while there are some.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::{disk, layout};
use crate::model::{ActiveWriter, Error, IndexedFiles, Result};

/// The right to change an index, held until it is dropped.
///
/// Its file is removed only together with the index. A process that opened the old file before and
/// locks it after that finds that the file is not the one in the folder any more, and tries again.
#[derive(Debug)]
pub(crate) struct WriteLock {
    file: File,
}

impl WriteLock {
    /// Takes the lock of the index in `dir`.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] when another process, or another handle of this one, holds it.
    pub(crate) fn acquire(dir: &Path) -> Result<Self> {
        let path = dir.join(layout::LOCK);
        // What is not a regular file cannot be locked by anyone.
        disk::clear(&path).map_err(Error::io(&path))?;
        let mut file = loop {
            let mut file = disk::open_or_create(&path).map_err(Error::io(&path))?;
            match file.try_lock() {
                Ok(()) if disk::is_same(&file, &path) => break file,
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if is_only_looked_at(&file) => {}
                Err(TryLockError::WouldBlock) => {
                    let ActiveWriter { process, progress } = writer(&mut file);
                    return Err(Error::Locked {
                        path: dir.to_path_buf(),
                        holder: process,
                        progress,
                    });
                }
                Err(TryLockError::Error(error)) => return Err(Error::io(&path)(error)),
            }
        };
        // On a full disk the lock is held all the same, without the id of its process.
        let _ = sign(&mut file);
        Ok(WriteLock { file })
    }

    /// Notes how far the sync has come that holds the lock. The line has always the same length, so
    /// that a reader never sees a part of an earlier one.
    pub(crate) fn note(&self, progress: IndexedFiles) {
        let IndexedFiles { indexed, listed } = progress;
        let line = format!("{indexed:>20} {listed:>20}\n");
        let mut file = &self.file;
        // Nothing depends on it.
        let _ = file
            .seek(SeekFrom::Start(signature().len() as u64))
            .and_then(|_| file.write_all(line.as_bytes()));
    }

    /// The process that holds the lock of the index in `dir`; `None` if none does, or that cannot
    /// be found out.
    pub(crate) fn writer(dir: &Path) -> Option<ActiveWriter> {
        let path = dir.join(layout::LOCK);
        if !disk::is_regular(&path).ok()?? {
            return None;
        }
        let mut file = File::open(&path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(writer(&mut file)),
            _ => None,
        }
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        let _ = self.file.set_len(signature().len() as u64);
    }
}

/// Whether no one holds the lock, and another process has just [looked](WriteLock::writer) at it.
fn is_only_looked_at(file: &File) -> bool {
    file.try_lock_shared().is_ok() && file.unlock().is_ok()
}

/// What the process that holds the lock has written to its file.
fn writer(file: &mut File) -> ActiveWriter {
    let mut text = String::new();
    let read = file.take(64).read_to_string(&mut text);
    let mut words = text.split_whitespace().filter(|_| read.is_ok());
    let process = words.next().and_then(|word| word.parse().ok());
    let mut number = || words.next()?.parse().ok();
    let progress = match (number(), number()) {
        (Some(indexed), Some(listed)) => Some(IndexedFiles { indexed, listed }),
        _ => None,
    };
    ActiveWriter { process, progress }
}

/// The first line of a lock that this process holds.
fn signature() -> String {
    format!("{}\n", std::process::id())
}

fn sign(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(signature().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_is_told_who_the_first_is() {
        let dir = tempfile::tempdir().unwrap();
        let lock = WriteLock::acquire(dir.path()).unwrap();
        let error = WriteLock::acquire(dir.path()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the index in `{}` is being written by process {}",
                dir.path().display(),
                std::process::id()
            )
        );
        drop(lock);
        assert!(WriteLock::acquire(dir.path()).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_says_who_writes_and_how_far_that_has_come() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(WriteLock::writer(dir.path()), None);
        let lock = WriteLock::acquire(dir.path()).unwrap();
        let mut expected = ActiveWriter {
            process: Some(std::process::id()),
            progress: None,
        };
        assert_eq!(WriteLock::writer(dir.path()).as_ref(), Some(&expected));
        for (indexed, listed) in [(1_000, 2_000), (7, 9)] {
            let progress = IndexedFiles { indexed, listed };
            lock.note(progress);
            expected.progress = Some(progress);
            assert_eq!(WriteLock::writer(dir.path()).as_ref(), Some(&expected));
        }
        let error = WriteLock::acquire(dir.path()).unwrap_err();
        let holder = expected.process;
        assert!(matches!(error, Error::Locked { holder: found, .. } if found == holder));
        drop(lock);
        assert_eq!(WriteLock::writer(dir.path()), None);
        let text = std::fs::read_to_string(dir.path().join(layout::LOCK)).unwrap();
        assert_eq!(text, signature());
    }

    #[cfg(unix)]
    #[test]
    fn who_looks_at_a_lock_does_not_hold_it() {
        let dir = tempfile::tempdir().unwrap();
        drop(WriteLock::acquire(dir.path()).unwrap());
        let looked = File::open(dir.path().join(layout::LOCK)).unwrap();
        looked.lock_shared().unwrap();
        let (started, starts) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let acquired = scope.spawn(|| {
                started.send(()).unwrap();
                WriteLock::acquire(dir.path()).is_ok()
            });
            starts.recv().unwrap();
            drop(looked);
            assert!(acquired.join().unwrap());
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_whose_file_was_replaced_is_not_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(layout::LOCK);
        let old = disk::open_or_create(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(!disk::is_same(&old, &path));
        let new = disk::open_or_create(&path).unwrap();
        assert!(!disk::is_same(&old, &path) && disk::is_same(&new, &path));
    }
}
