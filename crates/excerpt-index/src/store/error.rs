//! What goes wrong inside a store, without the path of its index: [`StoreError::at`] adds it.

use std::fs::File;
use std::io;
use std::path::Path;

use rusqlite::{ErrorCode, ffi};
use tantivy::TantivyError;
use tantivy::directory::error::OpenWriteError;

use crate::fs::layout;
use crate::model::Error;

/// An error of a backend, or one that is an [`Error`] already.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error(transparent)]
    Told(#[from] Error),
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    #[error(transparent)]
    Keywords(#[from] TantivyError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A value in the store that excerpt never writes.
    #[error("{0}")]
    Value(&'static str),
    /// The database lacks what a derived file names, although the two have the same revision.
    #[error("a match that the database does not contain")]
    Torn,
}

impl StoreError {
    /// The error with the index directory in it.
    pub(crate) fn at(self, dir: &Path) -> Error {
        let damaged = match &self {
            StoreError::Database(error)
                if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) =>
            {
                is_writable(&dir.join(layout::DATABASE))
            }
            StoreError::Database(error) => is_damage(error),
            StoreError::Json(_) | StoreError::Value(_) | StoreError::Torn => true,
            StoreError::Told(_) | StoreError::Keywords(_) | StoreError::Io(_) => false,
        };
        match self {
            StoreError::Told(error) => error,
            fault if damaged => Error::damaged(&dir.join(layout::DATABASE), fault),
            fault if fault.is_full() => Error::Full { path: dir.into() },
            fault => Error::Store {
                path: dir.to_path_buf(),
                source: Box::new(fault),
            },
        }
    }
}

impl StoreError {
    /// Whether the disk was full.
    fn is_full(&self) -> bool {
        let is_full = |error: &io::Error| {
            use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
            matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
        };
        match self {
            StoreError::Database(error) => {
                error.sqlite_error_code() == Some(ErrorCode::DiskFull)
                    || error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE)
            }
            StoreError::Io(error) => is_full(error),
            StoreError::Keywords(TantivyError::IoError(error)) => is_full(error),
            StoreError::Keywords(TantivyError::OpenWriteError(OpenWriteError::IoError {
                io_error,
                ..
            })) => is_full(io_error),
            // The threads of tantivy pass on only the text of an error.
            StoreError::Keywords(error) => {
                cfg!(unix) && error.to_string().contains("(os error 28)")
            }
            _ => false,
        }
    }
}

/// Whether the operating system allows writing to a file. If it does and SQLite still does not, the
/// file is marked as writable by later versions only.
fn is_writable(path: &Path) -> bool {
    File::options().append(true).open(path).is_ok()
}

/// Whether SQLite fails because of the contents of the file. Our statements are constant and fit
/// what we write, so one that cannot be prepared, violates a constraint or meets another type shows
/// damage just as an unreadable page does.
fn is_damage(error: &rusqlite::Error) -> bool {
    use ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, FileLockingProtocolFailed,
        NoLargeFileSupport, OperationAborted, OperationInterrupted, OutOfMemory, PermissionDenied,
        ReadOnly, SystemIoFailure,
    };
    let is_outside = matches!(
        error.sqlite_error_code(),
        Some(
            CannotOpen
                | DatabaseBusy
                | DatabaseLocked
                | DiskFull
                | FileLockingProtocolFailed
                | NoLargeFileSupport
                | OperationAborted
                | OperationInterrupted
                | OutOfMemory
                | PermissionDenied
                | ReadOnly
                | SystemIoFailure
        )
    );
    !is_outside
}
