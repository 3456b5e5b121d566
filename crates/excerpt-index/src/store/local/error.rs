//! The errors of SQLite and tantivy as those of a store.

use rusqlite::{ErrorCode, ffi};
use tantivy::TantivyError;
use tantivy::directory::error::OpenWriteError;

use crate::store::error::{Cause, StoreError, is_full};

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let is_shared_memory_full =
            error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE);
        let cause = match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => Cause::ReadOnly,
            Some(ErrorCode::DiskFull) => Cause::Full,
            _ if is_shared_memory_full => Cause::Full,
            Some(ErrorCode::NotADatabase) => Cause::Foreign,
            _ if is_damage(&error) => Cause::Damage,
            _ => Cause::Outside,
        };
        let error = Box::new(error);
        StoreError::Engine { cause, error }
    }
}

impl From<TantivyError> for StoreError {
    fn from(error: TantivyError) -> Self {
        let is_full = match &error {
            TantivyError::IoError(error) => is_full(error),
            TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => {
                is_full(io_error)
            }
            // The threads of tantivy pass on only the text of an error.
            error => cfg!(unix) && error.to_string().contains("(os error 28)"),
        };
        let cause = match is_full {
            true => Cause::Full,
            false => Cause::Damage,
        };
        let error = Box::new(error);
        StoreError::Derived { cause, error }
    }
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
