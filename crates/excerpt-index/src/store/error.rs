//! What goes wrong inside a store, without the path of its index: [`StoreError::at`] adds it.

use std::error;
use std::fs::File;
use std::io;
use std::path::Path;

use crate::fs::disk::is_without_room;
use crate::fs::layout;
use crate::model::Error;

/// An error of a store, or one that is an [`Error`] already.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error(transparent)]
    Told(#[from] Error),
    /// The engine that holds the data failed.
    #[error("{error}")]
    Engine {
        cause: Cause,
        #[source]
        error: Box<dyn error::Error + Send + Sync>,
    },
    /// An engine failed over files that are derived from the data, and can be rebuilt.
    #[error("{error}")]
    Derived {
        cause: Cause,
        #[source]
        error: Box<dyn error::Error + Send + Sync>,
    },
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

/// Why an engine failed, as far as the reaction depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The contents of its files.
    Damage,
    /// The files may not be written.
    ReadOnly,
    /// The disk is full.
    Full,
    /// The file is of another program.
    Foreign,
    /// Something outside of its files.
    Outside,
}

impl StoreError {
    /// The error with the index directory in it.
    pub(crate) fn at(self, dir: &Path) -> Error {
        let damaged = match &self {
            // If the system allows writing and the engine does not, the file is marked as writable
            // by later versions only.
            StoreError::Engine { cause, .. } if *cause == Cause::ReadOnly => {
                is_writable(&dir.join(layout::DATABASE))
            }
            StoreError::Engine { cause, .. } => matches!(cause, Cause::Damage | Cause::Foreign),
            StoreError::Json(_) | StoreError::Value(_) | StoreError::Torn => true,
            StoreError::Told(_) | StoreError::Derived { .. } | StoreError::Io(_) => false,
        };
        match self {
            StoreError::Told(error) => error,
            fault if damaged => Error::damaged(&dir.join(layout::DATABASE), fault),
            fault if fault.is_full() || fault.is_of_full(dir) => Error::Full { path: dir.into() },
            fault => Error::Store {
                path: dir.to_path_buf(),
                source: Box::new(fault),
            },
        }
    }

    /// Whether the files of this index could not be derived because the disk was full. The threads
    /// of the engine do not always pass on why they ended.
    fn is_of_full(&self, dir: &Path) -> bool {
        matches!(self, StoreError::Derived { .. }) && is_without_room(dir)
    }

    /// Whether the disk was full.
    fn is_full(&self) -> bool {
        match self {
            StoreError::Engine { cause, .. } | StoreError::Derived { cause, .. } => {
                *cause == Cause::Full
            }
            StoreError::Io(error) => is_full(error),
            _ => false,
        }
    }
}

/// Whether the disk was full.
pub(super) fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Whether the operating system allows writing to a file.
fn is_writable(path: &Path) -> bool {
    File::options().append(true).open(path).is_ok()
}
