//! A small JSON file that only its user can read, changed by one process at a time.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{ServiceError, ServiceResult};

/// A file with a `T`. What was read is kept until the file changes.
#[derive(Debug)]
pub(super) struct PrivateFile<T> {
    path: PathBuf,
    read: Mutex<Option<(Stamp, Arc<T>)>>,
}

/// What changes with a file: it is always replaced as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

impl<T: Default + Serialize + DeserializeOwned> PrivateFile<T> {
    pub(super) fn at(path: PathBuf) -> Self {
        PrivateFile {
            path,
            read: Mutex::default(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is in the file now; the default if there is none.
    ///
    /// # Errors
    ///
    /// When others than its user can read the file, or it cannot be read.
    pub(super) fn read(&self) -> ServiceResult<Arc<T>> {
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                *known = None;
                return Ok(Arc::default());
            }
            Err(error) => return Err(self.unreadable(error)),
        };
        // A pipe would be waited for.
        if !metadata.is_file() {
            return Err(self.unreadable(io::Error::other("it is not a file")));
        }
        let stamp = stamp(&metadata);
        if let Some((before, read)) = &*known
            && *before == stamp
        {
            return Ok(Arc::clone(read));
        }
        check_private(&self.path, &metadata)?;
        let text = fs::read_to_string(&self.path).map_err(|error| self.unreadable(error))?;
        let read =
            serde_json::from_str(&text).map_err(|error| ServiceError::InvalidAccessFile {
                path: self.path.clone(),
                reason: error.to_string(),
            })?;
        let read = Arc::new(read);
        *known = Some((stamp, Arc::clone(&read)));
        Ok(read)
    }

    /// Changes what is in the file.
    ///
    /// # Errors
    ///
    /// Those of `change`, and when the file cannot be read or written. It is unchanged then.
    pub(super) fn change<R>(
        &self,
        change: impl FnOnce(&mut T) -> ServiceResult<R>,
    ) -> ServiceResult<R>
    where
        T: Clone,
    {
        let folder = self.path.parent().filter(|path| *path != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        let made = !folder.exists();
        fs::create_dir_all(folder).map_err(|error| self.unwritable(error))?;
        if made {
            excerpt_index::make_folder_private(folder);
        }
        // Two changes at the same time would lose one of them.
        let lock = self.lock_file().map_err(|error| self.unwritable(error))?;
        lock.lock().map_err(|error| self.unwritable(error))?;
        let mut value = T::clone(&*self.read()?);
        let result = change(&mut value)?;
        let write = || {
            // A temporary file is private to its user.
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer_pretty(&mut file, &value)?;
            file.write_all(b"\n")?;
            file.as_file().sync_all()?;
            file.persist(&self.path)?;
            io::Result::Ok(())
        };
        write().map_err(|error| self.unwritable(error))?;
        Ok(result)
    }

    /// The file that is locked while this one is changed. It is never one of another's.
    fn lock_file(&self) -> io::Result<fs::File> {
        let name = self.path.file_name().unwrap_or_default();
        let name = format!(".{}.lock", name.to_string_lossy());
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            options.mode(0o600).custom_flags(flags.bits().cast_signed());
        }
        options.open(self.path.with_file_name(name))
    }

    fn unreadable(&self, error: io::Error) -> ServiceError {
        ServiceError::Unreadable {
            path: self.path.display().to_string(),
            error,
        }
    }

    fn unwritable(&self, error: io::Error) -> ServiceError {
        ServiceError::Unwritable {
            path: self.path.clone(),
            error,
        }
    }
}

fn stamp(metadata: &fs::Metadata) -> Stamp {
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let inode = 0;
    Stamp {
        modified: metadata.modified().ok(),
        length: metadata.len(),
        inode,
    }
}

/// Checks that only its user can read or write a file.
fn check_private(path: &Path, metadata: &fs::Metadata) -> ServiceResult<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        const OTHERS: u32 = 0o077;
        if metadata.permissions().mode() & OTHERS != 0 {
            return Err(ServiceError::NotPrivate {
                path: path.to_path_buf(),
            });
        }
    }
    #[cfg(not(unix))]
    let _ = (path, metadata);
    Ok(())
}
