//! The documents of a source, written to another place: one file or object a document.
//!
//! A [`Manifest`] at the destination records what a mirror has written there, and beforehand what
//! it is about to write. So nothing is written twice, nothing is removed or replaced that something
//! else wrote, and a mirror that was interrupted goes on. What the manifest says is compared with
//! what is there: see [`compare`].

mod compare;
mod folder;
mod manifest;
#[cfg(feature = "objects")]
mod objects;
mod plan;
mod run;
mod workers;

use std::collections::HashMap;
use std::io;

use excerpt_chunk::{Hash, Hasher};
use serde::Serialize;

use crate::model::{Error, SourceId};
use crate::store::StoreError;
use crate::store::catalog::Catalog;
use manifest::Manifest;
use plan::Plan;

pub use folder::MirrorFolder;

/// What is said about an object besides its bytes: names and values.
pub type ObjectMetadata = Vec<(&'static str, String)>;

/// What a place says about an object without its bytes, such as an ETag, or the size and the times
/// of a file: as long as it is the same, so are the bytes. `None` if nothing tells.
pub type ObjectStamp = Option<String>;

/// What has become of an object that was to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Creation {
    /// It was written.
    Created(ObjectStamp),
    /// There was something at its path, which was left as it is.
    Exists,
}

/// The most bytes that are compared with those of a document. No document has more.
const LARGEST: u64 = 256 << 20;

/// A place that a mirror is written to. May be called from several threads at once.
pub trait MirrorTarget: Sync {
    /// Its address or path, for messages.
    fn name(&self) -> String;

    /// Calls `part` with the bytes at a path, part by part. Returns whether there is something.
    ///
    /// # Errors
    ///
    /// When the place cannot be reached, as for all that follow; of the kind
    /// [`FileTooLarge`](io::ErrorKind::FileTooLarge) when there is more than any document has.
    fn read(&self, path: &str, part: &mut dyn FnMut(&[u8])) -> io::Result<bool>;

    /// The stamps of what is at some paths. A path at which there is nothing is left out.
    ///
    /// # Errors
    ///
    /// When the place cannot tell about all of them.
    fn stamps(&self, paths: &[&str]) -> io::Result<HashMap<String, ObjectStamp>>;

    /// Writes bytes to a path, whole or not at all, unless there is something.
    ///
    /// # Errors
    ///
    /// Of the kinds [`InvalidInput`](io::ErrorKind::InvalidInput) and
    /// [`NotADirectory`](io::ErrorKind::NotADirectory) when there can be nothing at this path.
    fn create(&self, path: &str, bytes: &[u8], metadata: &ObjectMetadata) -> io::Result<Creation>;

    /// Writes bytes to a path, in place of what is there.
    ///
    /// # Errors
    ///
    /// As [`MirrorTarget::create`].
    fn replace(
        &self,
        path: &str,
        bytes: &[u8],
        metadata: &ObjectMetadata,
    ) -> io::Result<ObjectStamp>;

    /// Removes what is at a path, if anything.
    ///
    /// # Errors
    ///
    /// When the place cannot be reached.
    fn remove(&self, path: &str) -> io::Result<()>;

    /// Whether it keeps the metadata of an object. Default: yes.
    fn keeps_metadata(&self) -> bool {
        true
    }

    /// Prepares for writing. By default, nothing happens.
    ///
    /// # Errors
    ///
    /// When the place cannot be written.
    fn begin(&self) -> io::Result<()> {
        Ok(())
    }

    /// Removes what was only needed for writing. By default, nothing happens.
    ///
    /// # Errors
    ///
    /// As [`MirrorTarget::begin`].
    fn end(&self) -> io::Result<()> {
        Ok(())
    }
}

/// The hash of the bytes at a path of a destination; `None` if there is nothing. They are not held
/// in memory: anybody may have put them there.
///
/// # Errors
///
/// As [`MirrorTarget::read`].
fn hash(target: &dyn MirrorTarget, path: &str) -> io::Result<Option<Hash>> {
    let mut hasher = Hasher::default();
    match target.read(path, &mut |part| hasher.update(part)) {
        // It is none that a mirror wrote: no text has a NUL.
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Ok(Some(Hash::of(b"\0too large")))
        }
        is_there => Ok(is_there?.then(|| hasher.finalize())),
    }
}

/// How a source is mirrored.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct MirrorOptions {
    /// Whether a document in Markdown or plain text that does not begin with `---` gets front
    /// matter with its path, domain, title and commit. Default: no.
    pub front_matter: bool,
    /// Whether documents that the index no longer has are removed: only if its source was reached.
    /// Default: no.
    pub removes: bool,
    /// Whether what something else wrote or changed is replaced or removed, too: then the bytes of
    /// each object are compared. Default: no.
    pub overwrites: bool,
    /// Whether nothing is written, and it is only told what would be. Default: no.
    pub is_dry_run: bool,
}

/// What a mirror does, step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MirrorStep {
    /// A document is written, or would be.
    Write(String),
    /// A document is removed, or would be.
    Remove(String),
}

/// What a mirror did.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct MirrorReport {
    /// Documents that were written; without those that were there already.
    pub written: usize,
    /// Their bytes.
    pub bytes_written: u64,
    /// Documents that were removed.
    pub removed: usize,
    /// Documents for which there was nothing to do.
    pub unchanged: usize,
    /// What was left as it is, by path.
    pub conflicts: Vec<MirrorConflict>,
}

/// A path of the destination that a mirror has left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MirrorConflict {
    /// The path.
    pub path: String,
    /// Why.
    pub reason: ConflictReason,
}

/// Why a mirror leaves something as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConflictReason {
    /// There is something at the path that the mirror did not write.
    #[error("not written by this mirror")]
    Foreign,
    /// The mirror wrote it, and something has changed it since.
    #[error("modified since the last mirror")]
    Changed,
    /// The destination can have nothing at the path.
    #[error("cannot be stored: {0}")]
    Unstorable(String),
}

/// Mirrors a source to `target`, and calls `on_step` for each step.
///
/// # Errors
///
/// [`Error::Mirror`] when the destination cannot be read or written, and [`Error::OtherMirror`]
/// when it has the mirror of another source.
pub(crate) fn mirror(
    catalog: &dyn Catalog,
    source: &SourceId,
    target: &dyn MirrorTarget,
    options: MirrorOptions,
    on_step: &mut dyn FnMut(MirrorStep),
) -> Result<MirrorReport, StoreError> {
    let manifest = Manifest::read(target).map_err(|error| failed(target, error))?;
    if let Some(other) = manifest.source.as_ref().filter(|other| *other != source) {
        return Err(StoreError::Told(Error::OtherMirror {
            destination: target.name(),
            mirrored: other.to_string(),
        }));
    }
    let plan = Plan::of(catalog, source, (target, &manifest), options)?;
    if options.is_dry_run {
        return Ok(plan.told(on_step));
    }
    run::run(
        catalog,
        (target, manifest),
        plan,
        options.overwrites,
        on_step,
    )
}

/// The error when a destination cannot be read or written.
fn failed(target: &dyn MirrorTarget, source: io::Error) -> StoreError {
    StoreError::Told(Error::Mirror {
        destination: target.name(),
        source,
    })
}
