//! What goes wrong inside a store, before it is known which index it was.

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;
use tantivy::TantivyError;

use crate::error::Error;

/// An error of a backend, or one that is already told in our words.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error(transparent)]
    Told(#[from] Error),
    #[error(transparent)]
    Truth(#[from] rusqlite::Error),
    #[error(transparent)]
    Keywords(#[from] TantivyError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A value in the store that we would never write.
    #[error("{0}")]
    Value(&'static str),
}

impl Fault {
    /// Names the index.
    pub(crate) fn at(self, dir: &Path) -> Error {
        let damaged = match &self {
            Fault::Truth(error) => matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ),
            Fault::Json(_) | Fault::Value(_) => true,
            Fault::Told(_) | Fault::Keywords(_) | Fault::Io(_) => false,
        };
        match self {
            Fault::Told(error) => error,
            fault if damaged => Error::Damaged {
                path: dir.join(super::DATABASE),
                source: Box::new(fault),
            },
            fault => Error::Store {
                path: dir.to_path_buf(),
                source: Box::new(fault),
            },
        }
    }
}
