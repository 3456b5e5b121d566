//! `remove`: collections of a library, or an index.

use std::path::{Path, PathBuf};

use excerpt_index::{Collection, Index, OpenOptions};
use serde::{Deserialize, Serialize};

use crate::engine::EngineWriter;
use crate::error::{ServiceError, ServiceResult};
use crate::remote::forget;
use crate::scope::Scope;
use crate::target::IndexChoice;
use crate::update::patiently;

/// A request to remove collections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveRequest {
    /// Their names.
    pub names: Vec<String>,
}

/// A collection that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemovedCollection {
    /// Its name.
    pub name: String,
    /// How many documents it had.
    pub documents: usize,
}

/// An index that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemovedIndex {
    /// Its directory.
    pub index: PathBuf,
    /// The size that it had on disk, in bytes.
    pub disk_bytes: u64,
}

impl RemoveRequest {
    /// Removes the collections one by one, and gives each to `removed`.
    ///
    /// # Errors
    ///
    /// When there is no such collection, and those of the index and of `removed`. The collections
    /// before are removed.
    pub fn remove<E: From<ServiceError>>(
        &self,
        choice: &IndexChoice,
        mut removed: impl FnMut(RemovedCollection) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut index = self.opened(choice)?;
        for name in &self.names {
            let known = Collection::named_in(index.dir(), name).map_err(ServiceError::from)?;
            let documents = patiently(|| index.remove(name)).map_err(ServiceError::from)?;
            let others = Collection::all_in(index.dir()).map_err(ServiceError::from)?;
            forget(index.dir(), &known.root, &others).map_err(ServiceError::from)?;
            removed(RemovedCollection {
                name: name.clone(),
                documents,
            })?;
        }
        Ok(())
    }

    fn opened(&self, choice: &IndexChoice) -> ServiceResult<Index> {
        let library = choice.library()?;
        if !library.exists() {
            // Without a library, every name is unknown.
            for name in &self.names {
                Collection::named_in(&library, name)?;
            }
        }
        Ok(Index::open(&library, OpenOptions::default())?)
    }
}

impl Scope {
    /// Removes a visible collection.
    ///
    /// # Errors
    ///
    /// When there is no such collection, and those of the index.
    pub fn remove(&self, writer: &mut EngineWriter, name: &str) -> ServiceResult<usize> {
        let known = self.collection(name)?;
        let index = writer.index()?;
        let documents = patiently(|| index.remove(&known.name))?;
        let others = Collection::all_in(&self.index)?;
        forget(&self.index, &known.root, &others)?;
        Ok(documents)
    }
}

/// Removes the index with this directory, or of this folder.
///
/// # Errors
///
/// When there is none, or several, and when another process uses it.
pub fn remove_index(named: &Path) -> ServiceResult<RemovedIndex> {
    let entry = IndexChoice::entry(named)?;
    patiently(|| entry.remove())?;
    Ok(RemovedIndex {
        index: entry.index,
        disk_bytes: entry.disk_bytes,
    })
}
