//! What a mirror has written: the [`Manifest`] at its destination.

use std::collections::BTreeMap;
use std::io;

use excerpt_chunk::Hash;
use serde::{Deserialize, Serialize};

use super::{MirrorTarget, ObjectStamp};
use crate::model::SourceId;

/// Its path. A source skips it, since its name starts with a dot.
pub(super) const MANIFEST: &str = ".excerpt-mirror.json";

/// Its format.
const VERSION: u32 = 1;

/// An object at the destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    /// What the bytes and the metadata of the object are made of: as long as it is the same,
    /// nothing is written.
    pub(super) key: Hash,
    /// The hash of the bytes: what has another one was written by something else.
    pub(super) content: Hash,
    /// Whether the object was there with the same bytes before the mirror: it is not the mirror's
    /// to replace or remove.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) found: bool,
    /// What tells at the next mirror that these are still its bytes, without reading it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stamp: ObjectStamp,
}

impl Written {
    /// Whether both are the same version of a document.
    pub(super) fn is_same(&self, other: &Written) -> bool {
        (self.key, self.content) == (other.key, other.content)
    }
}

/// What a mirror has written, and what it was about to write when it was last interrupted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    version: u32,
    /// The id of the source; `None` before the first document.
    pub(super) source: Option<SourceId>,
    /// The objects of the documents, by path.
    pub(super) documents: BTreeMap<String, Written>,
    /// What may have been written, by path: one for each mirror that was interrupted.
    pub(super) pending: BTreeMap<String, Vec<Written>>,
}

impl Manifest {
    /// That of a destination; empty if it has none.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(super) fn read(target: &dyn MirrorTarget) -> io::Result<Manifest> {
        let mut bytes = Vec::new();
        if !target.read(MANIFEST, &mut |part| bytes.extend_from_slice(part))? {
            return Ok(Manifest::default());
        }
        let invalid = |reason: &str| {
            io::Error::other(format!(
                "the manifest `{MANIFEST}` {reason}; delete it to start over: identical files are kept, and other files are not touched"
            ))
        };
        let manifest: Manifest =
            serde_json::from_slice(&bytes).map_err(|_| invalid("is damaged"))?;
        match manifest.version {
            VERSION => Ok(manifest),
            _ => Err(invalid("was written by another version of excerpt")),
        }
    }

    /// Stores it at the destination, as the mirror of `source`.
    ///
    /// # Errors
    ///
    /// When the destination cannot be written.
    pub(super) fn write(&mut self, target: &dyn MirrorTarget, source: &SourceId) -> io::Result<()> {
        self.version = VERSION;
        self.source = Some(source.clone());
        let bytes = serde_json::to_vec(self).map_err(io::Error::other)?;
        target.replace(MANIFEST, &bytes, &Vec::new()).map(drop)
    }

    /// What the mirror has written to a path, or may have.
    pub(super) fn own(&self, path: &str) -> Vec<Written> {
        let known = self.documents.get(path).filter(|known| !known.found);
        let pending = self.pending.get(path).into_iter().flatten();
        known.into_iter().chain(pending).cloned().collect()
    }
}
