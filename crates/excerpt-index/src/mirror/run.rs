//! Carrying out the [`Plan`] of a mirror: first what is removed, then what is written, so that a
//! document can take the place of a folder or of another spelling of its name.

use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use excerpt_chunk::Hash;

use super::manifest::{Manifest, Written};
use super::plan::Plan;
use super::{
    ConflictReason, Creation, MirrorConflict, MirrorReport, MirrorStep, MirrorTarget,
    ObjectMetadata, hash, workers,
};
use crate::model::SourceId;
use crate::store::StoreError;
use crate::store::catalog::Catalog;

/// How often the manifest is stored while a mirror runs. If the mirror is interrupted, what it has
/// written since is compared again.
const CHECKPOINT: Duration = Duration::from_secs(30);

/// An object to write.
struct Write {
    path: String,
    bytes: Vec<u8>,
    metadata: ObjectMetadata,
    written: Written,
    owned: Owned,
}

/// An object to remove.
struct Removal {
    path: String,
    owned: Owned,
}

/// What the manifest had about a path before this mirror.
struct Owned {
    /// What the mirror has written there, or may have.
    own: Vec<Written>,
    /// Whether a document is known to be there.
    is_known: bool,
}

impl Owned {
    fn has(&self, content: Hash) -> bool {
        self.own.iter().any(|own| own.content == content)
    }

    /// The conflict with something that the mirror has not written.
    fn conflict(&self) -> Outcome {
        Outcome::Conflict(match self.own.is_empty() {
            true => ConflictReason::Foreign,
            false => ConflictReason::Changed,
        })
    }
}

/// What has become of a path.
enum Outcome {
    Written {
        written: Written,
        bytes: usize,
    },
    /// It was there already.
    Same(Written),
    Removed,
    /// There was nothing to remove.
    Absent,
    Conflict(ConflictReason),
}

/// The result of one path.
type Done = (String, io::Result<Outcome>);

/// Writes and removes what the plan says.
pub(super) fn run(
    catalog: &dyn Catalog,
    (target, manifest): (&dyn MirrorTarget, Manifest),
    plan: Plan,
    overwrites: bool,
    on_step: &mut dyn FnMut(MirrorStep),
) -> Result<MirrorReport, StoreError> {
    if plan.writes.is_empty() && plan.removals.is_empty() && plan.stamps.is_empty() {
        return Ok(plan.report);
    }
    let before = manifest.clone();
    let mut run = Run {
        target,
        manifest,
        source: plan.source.clone(),
        report: plan.report.clone(),
        failure: None,
        checkpoint: Instant::now(),
        on_step,
    };
    for (path, stamp) in &plan.stamps {
        if let Some(written) = run.manifest.documents.get_mut(path) {
            written.stamp = Some(stamp.clone());
        }
    }
    target.begin().map_err(|error| run.failed(error))?;
    let worked = run.work(catalog, &plan, (&before, overwrites));
    run.end(worked)
}

struct Run<'a> {
    target: &'a dyn MirrorTarget,
    manifest: Manifest,
    source: SourceId,
    report: MirrorReport,
    /// The first error of the destination.
    failure: Option<io::Error>,
    checkpoint: Instant,
    on_step: &'a mut dyn FnMut(MirrorStep),
}

impl Run<'_> {
    /// Does the work. `before` is the manifest as it was found.
    fn work(
        &mut self,
        catalog: &dyn Catalog,
        plan: &Plan,
        (before, overwrites): (&Manifest, bool),
    ) -> Result<(), StoreError> {
        self.record_intent(catalog, plan)?;
        let removals = plan.removals.iter().map(|path| {
            Ok(Removal {
                path: path.clone(),
                owned: owned(before, path),
            })
        });
        self.each(removals, &|target, removal: Removal| {
            removal.done(target, overwrites)
        })?;
        let writes = plan.writes.iter().filter_map(|planned| {
            let object = plan.object(catalog, planned).transpose()?;
            Some(object.map(|(bytes, metadata)| Write {
                path: planned.path.clone(),
                written: written(planned.key, &bytes),
                owned: owned(before, &planned.path),
                bytes,
                metadata,
            }))
        });
        self.each(writes, &|target, write: Write| {
            write.done(target, overwrites)
        })
    }

    /// Records at the destination what is about to be written.
    fn record_intent(&mut self, catalog: &dyn Catalog, plan: &Plan) -> Result<(), StoreError> {
        for write in &plan.writes {
            if let Some((bytes, _)) = plan.object(catalog, write)? {
                let pending = self.manifest.pending.entry(write.path.clone());
                let (pending, written) = (pending.or_default(), written(write.key, &bytes));
                if !pending.iter().any(|own| own.is_same(&written)) {
                    pending.push(written);
                }
            }
        }
        let stored = self.manifest.write(self.target, &self.source);
        stored.map_err(|error| self.failed(error))
    }

    /// Does each job, and notes what has come of it. After an error of the destination, no more are
    /// begun.
    fn each<J: Send>(
        &mut self,
        jobs: impl Iterator<Item = Result<J, StoreError>>,
        work: &(impl Fn(&dyn MirrorTarget, J) -> Done + Sync),
    ) -> Result<(), StoreError> {
        let target = self.target;
        workers::each(jobs, &|job| work(target, job), |(path, outcome)| {
            self.note(path, outcome);
            if self.failure.is_none() && self.checkpoint.elapsed() > CHECKPOINT {
                self.failure = self.manifest.write(self.target, &self.source).err();
                self.checkpoint = Instant::now();
            }
            match self.failure {
                None => ControlFlow::Continue(()),
                Some(_) => ControlFlow::Break(()),
            }
        })
    }

    fn note(&mut self, path: String, outcome: io::Result<Outcome>) {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                self.failure.get_or_insert(error);
                return;
            }
        };
        let manifest = &mut self.manifest;
        manifest.pending.remove(&path);
        match outcome {
            Outcome::Written { written, bytes } => {
                self.report.written += 1;
                self.report.bytes_written += bytes as u64;
                manifest.documents.insert(path.clone(), written);
                (self.on_step)(MirrorStep::Write(path));
            }
            Outcome::Same(written) => {
                self.report.unchanged += 1;
                manifest.documents.insert(path, written);
            }
            Outcome::Removed => {
                self.report.removed += 1;
                manifest.documents.remove(&path);
                (self.on_step)(MirrorStep::Remove(path));
            }
            Outcome::Absent => drop(manifest.documents.remove(&path)),
            Outcome::Conflict(reason) => {
                self.report.conflicts.push(MirrorConflict { path, reason });
            }
        }
    }

    fn failed(&self, source: io::Error) -> StoreError {
        super::failed(self.target, source)
    }

    /// Stores what was done, whether or not that was everything.
    fn end(mut self, worked: Result<(), StoreError>) -> Result<MirrorReport, StoreError> {
        let stored = self.manifest.write(self.target, &self.source);
        let ended = stored.and(self.target.end());
        worked?;
        let failure = self.failure.take();
        failure
            .map_or(ended, Err)
            .map_err(|error| self.failed(error))?;
        self.report.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(self.report)
    }
}

fn written(key: Hash, bytes: &[u8]) -> Written {
    Written {
        key,
        content: Hash::of(bytes),
        found: false,
        stamp: None,
    }
}

fn owned(before: &Manifest, path: &str) -> Owned {
    Owned {
        own: before.own(path),
        is_known: before.documents.contains_key(path),
    }
}

/// The result for a path. One where there can be no object does not end the mirror: the manifest
/// has shown that others can be written.
fn of_path(path: String, outcome: io::Result<Outcome>) -> Done {
    let outcome = match outcome {
        Err(error) if is_of_path(&error) => Ok(Outcome::Conflict(ConflictReason::Unstorable(
            error.to_string(),
        ))),
        Err(error) => Err(io::Error::new(error.kind(), format!("`{path}`: {error}"))),
        outcome => outcome,
    };
    (path, outcome)
}

/// Whether an error is that of a path, and not of the destination.
pub(super) fn is_of_path(error: &io::Error) -> bool {
    use io::ErrorKind::{
        InvalidFilename, InvalidInput, IsADirectory, NotADirectory, PermissionDenied,
    };
    matches!(
        error.kind(),
        InvalidFilename | InvalidInput | IsADirectory | NotADirectory | PermissionDenied
    )
}

impl Write {
    fn done(self, target: &dyn MirrorTarget, overwrites: bool) -> Done {
        let outcome = self.outcome(target, overwrites);
        of_path(self.path, outcome)
    }

    fn outcome(&self, target: &dyn MirrorTarget, overwrites: bool) -> io::Result<Outcome> {
        let Write {
            path,
            bytes,
            metadata,
            written,
            owned,
        } = self;
        let done = |stamp| Outcome::Written {
            written: Written {
                stamp,
                ..written.clone()
            },
            bytes: bytes.len(),
        };
        let known = match owned.is_known {
            true => hash(target, path)?,
            false => None,
        };
        let there = match known {
            None => match target.create(path, bytes, metadata)? {
                Creation::Created(stamp) => return Ok(done(stamp)),
                Creation::Exists => hash(target, path)?,
            },
            known => known,
        };
        let Some(there) = there else {
            // There is something, and nobody may see it.
            return Ok(Outcome::Conflict(ConflictReason::Foreign));
        };
        let is_own = owned.own.iter().any(|own| own.is_same(written));
        if is_own && there == written.content {
            return Ok(Outcome::Same(written.clone()));
        }
        if owned.has(there) || overwrites {
            return Ok(done(target.replace(path, bytes, metadata)?));
        }
        Ok(match there == written.content {
            true => Outcome::Same(Written {
                found: true,
                ..written.clone()
            }),
            false => owned.conflict(),
        })
    }
}

impl Removal {
    fn done(self, target: &dyn MirrorTarget, overwrites: bool) -> Done {
        let outcome = self.outcome(target, overwrites);
        of_path(self.path, outcome)
    }

    fn outcome(&self, target: &dyn MirrorTarget, overwrites: bool) -> io::Result<Outcome> {
        let there = match hash(target, &self.path) {
            // Something else has taken its place.
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => None,
            there => there?,
        };
        match there {
            None => Ok(Outcome::Absent),
            Some(there) if self.owned.has(there) || (overwrites && self.owned.is_known) => {
                target.remove(&self.path)?;
                Ok(Outcome::Removed)
            }
            // It was there before the mirror, or was never written: it is no longer of concern.
            Some(_) if self.owned.own.is_empty() || !self.owned.is_known => Ok(Outcome::Absent),
            Some(_) => Ok(self.owned.conflict()),
        }
    }
}
