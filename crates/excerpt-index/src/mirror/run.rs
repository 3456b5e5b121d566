//! Carrying out the [`Plan`] of a mirror.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::time::{Duration, Instant};

use excerpt_chunk::Hash;

use super::manifest::{Manifest, Written};
use super::plan::Plan;
use super::{
    ConflictReason, MirrorConflict, MirrorReport, MirrorStep, MirrorTarget, ObjectMetadata,
};
use crate::model::{Error, SourceId};
use crate::store::StoreError;
use crate::store::catalog::Catalog;

/// How many objects are written at a time: that is also how many texts are held in memory, and as
/// many again wait for their turn.
const WRITERS: usize = 16;

/// How often the manifest is stored while a mirror runs. What was written since is compared again
/// if the mirror is interrupted.
const CHECKPOINT: Duration = Duration::from_secs(30);

/// Something to do at the destination.
enum Task {
    Write {
        bytes: Vec<u8>,
        metadata: ObjectMetadata,
        written: Written,
    },
    Remove,
}

struct Job {
    path: String,
    task: Task,
    /// The hashes of what the mirror has written there, or may have.
    own: BTreeSet<Hash>,
    /// Whether the mirror has certainly written there.
    is_known: bool,
}

/// What has become of a job.
enum Outcome {
    Written {
        written: Written,
        bytes: usize,
    },
    /// It was there already.
    Same(Written),
    Removed,
    Conflict(ConflictReason),
}

/// Writes and removes what the plan says.
pub(super) fn run(
    catalog: &dyn Catalog,
    (target, manifest): (&dyn MirrorTarget, Manifest),
    plan: Plan,
    overwrites: bool,
    told: &mut dyn FnMut(MirrorStep),
) -> Result<MirrorReport, StoreError> {
    if plan.writes.is_empty() && plan.removals.is_empty() {
        return Ok(plan.report);
    }
    let mut run = Run {
        target,
        manifest,
        source: plan.source.clone(),
        report: plan.report.clone(),
        failure: None,
        checkpoint: Instant::now(),
        told,
    };
    target.begin().map_err(|error| run.failed(error))?;
    run.announce(catalog, &plan)?;
    run.work(catalog, &plan, overwrites)?;
    run.end()
}

struct Run<'a> {
    target: &'a dyn MirrorTarget,
    manifest: Manifest,
    source: SourceId,
    report: MirrorReport,
    /// The first error of the destination.
    failure: Option<io::Error>,
    checkpoint: Instant,
    told: &'a mut dyn FnMut(MirrorStep),
}

impl Run<'_> {
    /// Notes at the destination what is about to be written.
    fn announce(&mut self, catalog: &dyn Catalog, plan: &Plan) -> Result<(), StoreError> {
        for write in &plan.writes {
            if let Some((bytes, _)) = plan.object(catalog, write)? {
                let pending = self.manifest.pending.entry(write.path.clone());
                pending.or_default().insert(Hash::of(&bytes));
            }
        }
        self.store()
    }

    /// Gives the work to threads, and collects what becomes of it.
    fn work(
        &mut self,
        catalog: &dyn Catalog,
        plan: &Plan,
        overwrites: bool,
    ) -> Result<(), StoreError> {
        let target = self.target;
        let (give, jobs) = sync_channel::<Job>(WRITERS);
        let (done, outcomes) = channel();
        let jobs = Mutex::new(jobs);
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                let (jobs, done) = (&jobs, done.clone());
                scope.spawn(move || work_off(target, jobs, &done, overwrites));
            }
            drop(done);
            let mut given = Ok(());
            for write in &plan.writes {
                let object = match plan.object(catalog, write) {
                    Ok(Some(object)) => object,
                    Ok(None) => continue,
                    Err(error) => {
                        given = Err(error);
                        break;
                    }
                };
                let (bytes, metadata) = object;
                let written = Written {
                    key: write.key,
                    content: Hash::of(&bytes),
                };
                let task = Task::Write {
                    bytes,
                    metadata,
                    written,
                };
                if give.send(self.job(&write.path, task)).is_err() || !self.collect(&outcomes) {
                    break;
                }
            }
            for path in &plan.removals {
                let job = self.job(path, Task::Remove);
                if given.is_err() || self.failure.is_some() || give.send(job).is_err() {
                    break;
                }
            }
            drop(give);
            for (path, outcome) in outcomes {
                self.note(path, outcome);
            }
            given
        })
    }

    fn job(&self, path: &str, task: Task) -> Job {
        let known = self.manifest.documents.get(path);
        let pending = self.manifest.pending.get(path).into_iter().flatten();
        let known_content = known.map(|written| written.content);
        Job {
            path: path.to_string(),
            task,
            own: pending.copied().chain(known_content).collect(),
            is_known: known.is_some(),
        }
    }

    /// Notes what has been done by now. Returns whether to go on.
    fn collect(&mut self, outcomes: &Receiver<(String, io::Result<Outcome>)>) -> bool {
        for (path, outcome) in outcomes.try_iter() {
            self.note(path, outcome);
        }
        if self.failure.is_none() && self.checkpoint.elapsed() > CHECKPOINT {
            self.failure = self.manifest.write(self.target, &self.source).err();
            self.checkpoint = Instant::now();
        }
        self.failure.is_none()
    }

    fn note(&mut self, path: String, outcome: io::Result<Outcome>) {
        let manifest = &mut self.manifest;
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                self.failure.get_or_insert(error);
                return;
            }
        };
        manifest.pending.remove(&path);
        match outcome {
            Outcome::Written { written, bytes } => {
                self.report.written += 1;
                self.report.bytes_written += bytes as u64;
                manifest.documents.insert(path.clone(), written);
                (self.told)(MirrorStep::Write(path));
            }
            Outcome::Same(written) => {
                self.report.unchanged += 1;
                manifest.documents.insert(path, written);
            }
            Outcome::Removed => {
                self.report.removed += 1;
                manifest.documents.remove(&path);
                (self.told)(MirrorStep::Remove(path));
            }
            Outcome::Conflict(reason) => {
                // From now on, it is not the mirror's.
                manifest.documents.remove(&path);
                self.report.conflicts.push(MirrorConflict { path, reason });
            }
        }
    }

    fn store(&mut self) -> Result<(), StoreError> {
        let stored = self.manifest.write(self.target, &self.source);
        stored.map_err(|error| self.failed(error))
    }

    fn failed(&self, source: io::Error) -> StoreError {
        StoreError::Told(Error::Mirror {
            destination: self.target.name(),
            source,
        })
    }

    /// Stores what was done, whether or not that was everything.
    fn end(mut self) -> Result<MirrorReport, StoreError> {
        let stored = self.store();
        let ended = self.target.end();
        if let Some(failure) = self.failure.take() {
            return Err(self.failed(failure));
        }
        stored?;
        ended.map_err(|error| self.failed(error))?;
        self.report.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(self.report)
    }
}

/// Takes jobs until there are no more.
fn work_off(
    target: &dyn MirrorTarget,
    jobs: &Mutex<Receiver<Job>>,
    done: &Sender<(String, io::Result<Outcome>)>,
    overwrites: bool,
) {
    loop {
        let job = jobs.lock().map(|jobs| jobs.recv());
        let Ok(Ok(job)) = job else {
            return;
        };
        let path = job.path.clone();
        if done.send((path, job.done(target, overwrites))).is_err() {
            return;
        }
    }
}

impl Job {
    fn done(self, target: &dyn MirrorTarget, overwrites: bool) -> io::Result<Outcome> {
        let path = self.path.clone();
        let done = match self.task {
            Task::Write { .. } => self.written(target, overwrites),
            Task::Remove => self.removed(target, overwrites),
        };
        use io::ErrorKind::{InvalidFilename, InvalidInput, IsADirectory, NotADirectory};
        match done {
            Err(error)
                if matches!(
                    error.kind(),
                    InvalidFilename | InvalidInput | IsADirectory | NotADirectory
                ) =>
            {
                let reason = error.to_string().replace(&path, "it");
                Ok(Outcome::Conflict(ConflictReason::Unstorable(reason)))
            }
            done => done,
        }
    }

    fn written(self, target: &dyn MirrorTarget, overwrites: bool) -> io::Result<Outcome> {
        let Task::Write {
            bytes,
            metadata,
            written,
        } = self.task
        else {
            return Ok(Outcome::Removed);
        };
        let count = bytes.len();
        let there = match self.is_known {
            true => target.hash(&self.path)?,
            false => None,
        };
        let done = Outcome::Written {
            written,
            bytes: count,
        };
        let there = match there {
            Some(there) => Some(there),
            None if target.create(&self.path, bytes.clone(), &metadata)? => return Ok(done),
            None => target.hash(&self.path)?,
        };
        let is_own = there.is_none_or(|there| self.own.contains(&there));
        match (there == Some(written.content), is_own || overwrites) {
            // Its metadata may be other.
            (true, _) if !self.is_known => Ok(Outcome::Same(written)),
            (true, _) | (false, true) => {
                target.replace(&self.path, bytes, &metadata)?;
                Ok(done)
            }
            (false, false) => Ok(Outcome::Conflict(match self.is_known {
                true => ConflictReason::Changed,
                false => ConflictReason::Foreign,
            })),
        }
    }

    fn removed(self, target: &dyn MirrorTarget, overwrites: bool) -> io::Result<Outcome> {
        let there = target.hash(&self.path)?;
        let is_own = there.is_none_or(|there| self.own.contains(&there));
        match is_own || (overwrites && self.is_known) {
            true => target.remove(&self.path).map(|()| Outcome::Removed),
            // What was only about to be written was never there, and this is something else.
            false if !self.is_known => Ok(Outcome::Conflict(ConflictReason::Foreign)),
            false => Ok(Outcome::Conflict(ConflictReason::Changed)),
        }
    }
}
