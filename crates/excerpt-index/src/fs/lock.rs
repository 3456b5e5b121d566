//! One writer: a [`WriteLock`] is the right to change an index. The operating system releases it
//! when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use super::{disk, layout};
use crate::model::{Error, Result};

/// The right to change an index, held until it is dropped.
///
/// Its file is removed only together with the index. A process that opened the old file before and
/// locks it after that finds that the file is not the one in the folder any more, and tries again.
#[derive(Debug)]
pub(crate) struct WriteLock {
    _file: File,
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
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Locked {
                        path: dir.to_path_buf(),
                        holder: holder(&mut file),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(Error::io(&path)(error)),
            }
        };
        // On a full disk the lock is held all the same, without the id of its process.
        let _ = sign(&mut file);
        Ok(WriteLock { _file: file })
    }
}

/// The process that holds the lock, from the id that it wrote.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn sign(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
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
                "the index in `{}` is being written by process {}: wait for it to finish, or stop it",
                dir.path().display(),
                std::process::id()
            )
        );
        drop(lock);
        assert!(WriteLock::acquire(dir.path()).is_ok());
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
