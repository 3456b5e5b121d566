//! `mirror`: the documents of a collection, written to a folder or an object store.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use excerpt_index::{
    Error, MirrorFolder, MirrorOptions, MirrorReport, MirrorStep, MirrorTarget, Origin, SkipReason,
};
use serde::{Deserialize, Serialize};

use crate::config::EmbeddingChoice;
use crate::error::{ServiceError, ServiceResult};
use crate::remote;
use crate::remote::part::RemotePart;
use crate::target::{CollectionChoice, IndexChoice, IndexTarget};
use crate::text::counted;
use crate::update::{SyncObserver, patiently, sync};

/// A request to mirror a collection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MirrorRequest {
    /// The name of the collection.
    pub collection: String,
    /// The address of an object store, or the path of a folder.
    pub destination: String,
    /// The endpoint of an object store. Default: the one that the environment names, or else that
    /// of the provider.
    pub endpoint: Option<String>,
    /// Whether documents without front matter get some. Default: no.
    pub front_matter: bool,
    /// Whether what something else wrote is replaced or removed. Default: no.
    pub overwrite: bool,
    /// Whether nothing is written. Default: no.
    pub dry_run: bool,
}

/// What a mirror did.
#[derive(Debug, Serialize)]
pub struct MirrorReply {
    /// The collection.
    pub collection: String,
    /// The address or the absolute path of the destination.
    pub destination: String,
    /// What was done, or would be.
    #[serde(flatten)]
    pub report: MirrorReport,
    /// Why the collection is not up to date, so that nothing was removed; `None` if it is.
    #[serde(serialize_with = "as_text")]
    pub outdated: Option<Error>,
}

fn as_text<S: serde::Serializer>(error: &Option<Error>, to: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(Error::to_string).serialize(to)
}

impl MirrorRequest {
    /// Updates the collection in the library of a user, and mirrors it. Calls `on_step` for each
    /// step. If the collection cannot be updated, what the index has is mirrored, and nothing is
    /// removed.
    ///
    /// # Errors
    ///
    /// When there is no such collection, the destination is none or overlaps with it, another
    /// process mirrors to it, and those of [`Index::mirror`](excerpt_index::Index::mirror).
    pub fn mirror(
        &self,
        choice: &IndexChoice,
        embedding: &EmbeddingChoice,
        observer: &mut dyn SyncObserver,
        on_step: impl FnMut(MirrorStep),
    ) -> ServiceResult<MirrorReply> {
        let named = CollectionChoice {
            names: vec![self.collection.clone()],
            library: false,
        };
        let target = IndexTarget::of(Path::new("."), &named, choice, embedding)?;
        let source = target.sources.first().ok_or(ServiceError::EmptyName)?;
        let destination = RemotePart::destination(&self.destination, self.endpoint.as_deref())?;
        if overlap(&Origin::of(&source.root), &destination) {
            return Err(ServiceError::MirrorInSource {
                destination: destination.to_string(),
            });
        }
        let _lock = locked(&target.index, &destination)?;
        let place = opened(&destination)?;
        let mut index = target.writable()?;
        let synced = patiently(|| sync(&mut index, source, None, observer));
        let (is_complete, outdated) = match synced {
            Ok(report) => match report.skipped.get(&SkipReason::Unreadable) {
                // A file on this disk may be unreadable for good.
                Some(count) if Origin::of(&source.root).is_remote() => {
                    let reason = format!("{} could not be read", counted(*count, "document"));
                    let error = Error::Source {
                        path: source.root.clone(),
                        source: io::Error::other(reason),
                    };
                    (false, Some(error))
                }
                _ => (report.complete, None),
            },
            Err(error @ (Error::Source { .. } | Error::Vanished { .. } | Error::Locked { .. })) => {
                (false, Some(error))
            }
            Err(error) => return Err(error.into()),
        };
        let mut options = MirrorOptions::default();
        options.front_matter = self.front_matter;
        options.removes = is_complete;
        options.overwrites = self.overwrite;
        options.is_dry_run = self.dry_run;
        let mirrored = index.mirror(&source.root, &*place, options, on_step);
        let (report, outdated) = match (mirrored, outdated) {
            // Of what was never reached, there is nothing to mirror.
            (Err(Error::UnknownSource { .. }), Some(outdated)) => return Err(outdated.into()),
            (report, outdated) => (report?, outdated),
        };
        Ok(MirrorReply {
            collection: self.collection.clone(),
            destination: destination.to_string(),
            report,
            outdated,
        })
    }
}

/// Makes sure that no other process of this library mirrors to the same place, until the lock is
/// dropped.
fn locked(index: &Path, destination: &Origin) -> ServiceResult<File> {
    let path = destination.state_in(index).with_extension("lock");
    remote::locked(&path).map_err(|error| match error {
        TryLockError::WouldBlock => ServiceError::MirrorLocked {
            destination: destination.to_string(),
        },
        TryLockError::Error(source) => Error::Io { path, source }.into(),
    })
}

/// Opens a destination for writing.
fn opened(destination: &Origin) -> ServiceResult<Box<dyn MirrorTarget>> {
    match destination {
        Origin::Disk(folder) => Ok(Box::new(MirrorFolder::new(folder))),
        #[cfg(feature = "objects")]
        Origin::Objects(objects) => {
            let opened = excerpt_index::ObjectFolder::open(objects);
            let failed = |source| Error::Mirror {
                destination: objects.to_string(),
                source,
            };
            Ok(Box::new(opened.map_err(failed)?))
        }
        other => Err(ServiceError::NotADestination {
            address: other.to_string(),
        }),
    }
}

/// Whether a mirror at `destination` would be a part of its source, or the source a part of it.
fn overlap(source: &Origin, destination: &Origin) -> bool {
    match (source, destination) {
        (Origin::Disk(source), Origin::Disk(destination)) => {
            source.starts_with(destination) || destination.starts_with(source)
        }
        (Origin::Objects(source), Origin::Objects(destination)) => source.overlaps(destination),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_not_inside_its_source_nor_around_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let disk = |path: &str| Origin::Disk(root.join(path));
        assert!(overlap(&disk("notes"), &disk("notes")));
        assert!(overlap(&disk("notes"), &disk("notes/a/b")));
        assert!(overlap(&disk("notes/a"), &disk("notes")));
        assert!(!overlap(&disk("notes"), &disk("notes-mirror")));
        let objects = |address: &str| Origin::Objects(address.parse().unwrap());
        assert!(overlap(&objects("s3://a/x"), &objects("s3://a")));
        assert!(overlap(&objects("s3://a"), &objects("s3://a/x")));
        assert!(!overlap(&objects("s3://a/x"), &objects("s3://a/xy")));
        assert!(!overlap(&objects("s3://a/x"), &objects("gs://a/x")));
        assert!(!overlap(&disk("notes"), &objects("s3://a")));
    }
}
