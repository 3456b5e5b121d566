//! [`Derived`]: the folder of files that are derived from the database, written without waiting for
//! the disk.
//!
//! What a process has written is there when it ends, however it ends. After a power failure it may
//! not be: the seal of the keyword index and the checksum of the codes show that, and both are
//! rebuilt. Waiting for the disk would take twenty waits per changed file, longer than everything
//! else.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory,
    TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

use crate::fs::disk;
use crate::store::StoreError;

/// A folder whose files are read like those of [`MmapDirectory`].
#[derive(Clone, Debug)]
pub(super) struct Derived {
    dir: PathBuf,
    files: MmapDirectory,
    /// Whether nothing is written any more.
    is_closed: Arc<AtomicBool>,
    /// The names of the files that were created.
    created: Arc<Mutex<Vec<PathBuf>>>,
}

impl Derived {
    /// The folder `dir`, which exists.
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        let files = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
        Ok(Derived {
            dir: dir.to_path_buf(),
            files,
            is_closed: Arc::default(),
            created: Arc::default(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.dir
    }

    /// The names of the files that were created through this or a clone of it.
    pub(super) fn created(&self) -> Vec<PathBuf> {
        self.lock_created().clone()
    }

    fn lock_created(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.created.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes everything fail that is still written through this or a clone of it.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }
}

fn check_open(is_closed: &AtomicBool) -> io::Result<()> {
    match is_closed.load(Ordering::SeqCst) {
        true => Err(io::Error::other("the folder is closed")),
        false => Ok(()),
    }
}

/// A file that is written once.
struct Unsynced {
    file: File,
    is_closed: Arc<AtomicBool>,
}

impl Write for Unsynced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check_open(&self.is_closed)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TerminatingWrite for Unsynced {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.file.flush()
    }
}

impl Directory for Derived {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let created =
            check_open(&self.is_closed).and_then(|()| disk::create_new(&self.dir.join(path)));
        match created {
            Ok(file) => {
                self.lock_created().push(path.to_path_buf());
                Ok(BufWriter::new(Box::new(Unsynced {
                    file,
                    is_closed: Arc::clone(&self.is_closed),
                })))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_path_buf()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_path_buf())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        check_open(&self.is_closed)?;
        disk::replace_derived(&self.dir.join(path), bytes)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let path = self.dir.join(&lock.filepath);
        let file = disk::clear(&path).and_then(|()| disk::open_or_create(&path));
        match file {
            Ok(_) => self.files.acquire_lock(lock),
            // Where no file can be created, no process removes one that is about to be opened
            // either.
            Err(error) if is_for_readers(lock) && is_refused(&error) => {
                Ok(DirectoryLock::from(Box::new(())))
            }
            Err(error) => Err(LockError::wrap_io_error(error)),
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

/// Whether it is the lock that a reader takes while it opens the files of a commit.
fn is_for_readers(lock: &Lock) -> bool {
    lock.filepath == META_LOCK.filepath
}

/// Whether the folder is read-only.
fn is_refused(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, StorageFull};
    matches!(
        error.kind(),
        PermissionDenied | ReadOnlyFilesystem | StorageFull
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_once() {
        let dir = tempfile::tempdir().unwrap();
        let derived = Derived::open(dir.path()).unwrap();
        let mut file = derived.open_write(Path::new("a")).unwrap();
        file.write_all(b"text").unwrap();
        file.terminate().unwrap();
        assert_eq!(derived.atomic_read(Path::new("a")).unwrap(), b"text");
        assert!(matches!(
            derived.open_write(Path::new("a")),
            Err(OpenWriteError::FileAlreadyExists(_))
        ));
    }
}
