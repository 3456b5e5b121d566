//! The writer thread of an [`Engine`](super::Engine).

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use excerpt_index::{Error, Index, Progress, Source, Stage, SyncReport};

use super::progress::CheckEnd;
use super::{FIRST, Job, PAUSE, PAUSES, SLICE, SyncJob, TURN, WriterState};
use crate::error::{ServiceError, ServiceResult};
use crate::remote::RemoteState;
use crate::scope::{Scope, VisibleSource};
use crate::target::{IndexTarget, Syncable};
use crate::update::{SyncRequest, TimeBudget};

/// The state of the writer thread that is not shared.
pub struct EngineWriter {
    target: IndexTarget,
    scope: Arc<Scope>,
    writer_state: Arc<WriterState>,
    index: Option<Index>,
    /// Whether nothing has been searchable yet.
    is_first: bool,
    /// Syncs that were broken off, in the order in which they go on.
    unfinished: VecDeque<SyncJob>,
}

impl EngineWriter {
    pub(super) fn of(
        target: IndexTarget,
        scope: Arc<Scope>,
        writer_state: Arc<WriterState>,
    ) -> EngineWriter {
        EngineWriter {
            target,
            scope,
            writer_state,
            index: None,
            is_first: true,
            unfinished: VecDeque::new(),
        }
    }

    pub(super) fn work(&mut self, todo: &Receiver<Job>) {
        // When a check is due, and the earliest time for the next one.
        let (mut due, mut earliest) = (None, Instant::now());
        loop {
            let job = match due {
                _ if !self.unfinished.is_empty() => todo.recv_timeout(Duration::ZERO),
                None => todo.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => todo.recv_timeout(Instant::max(at, Instant::now()) - Instant::now()),
            };
            match job {
                Ok(Job::Write(work)) => work(self),
                Ok(Job::Check) => due = Some(due.unwrap_or(earliest)),
                Ok(Job::Sync(job)) => {
                    self.writer_state.queued.fetch_sub(1, Ordering::SeqCst);
                    self.sync_job(job);
                }
                Err(RecvTimeoutError::Timeout) => match self.unfinished.pop_front() {
                    Some(job) => self.sync_job(job),
                    None => {
                        let begin = Instant::now();
                        due = self.check().map(|pause| Instant::now() + pause);
                        earliest = Instant::now() + PAUSE.max(PAUSES * begin.elapsed());
                    }
                },
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.writer_state.stop.load(Ordering::SeqCst) {
                return;
            }
        }
    }

    /// Records that a write begins, which nothing need be interrupted for any longer.
    pub(super) fn begins_write(&self) {
        self.writer_state.urgent.fetch_sub(1, Ordering::SeqCst);
    }

    /// Does some work, in which a panic is an error: the thread goes on, and the index, which may
    /// not be as the work left it, is opened again.
    ///
    /// # Errors
    ///
    /// Those of `work`, and [`ServiceError::Panicked`].
    pub(super) fn caught<T, E: From<ServiceError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|_| {
            self.index = None;
            Err(ServiceError::Panicked.into())
        })
    }

    /// Syncs a source that is followed. One that takes long is interrupted for the others, and goes
    /// on after them.
    fn sync_job(&mut self, job: SyncJob) {
        let root = job.root.clone();
        self.writer_state.state.send_modify(|state| {
            state.is_checking = true;
            state.syncing = Some(root.clone());
        });
        let end = self.caught(|writer| writer.synced_job(&job));
        let end = end.unwrap_or_else(|error| {
            // After an error, the index is opened again.
            self.index = None;
            CheckEnd::Failed(Arc::new(error))
        });
        let goes_on = matches!(end, CheckEnd::Rest { .. }) && !self.writer_state.end_syncs();
        self.writer_state.ended(&root, end.clone());
        match goes_on {
            true => self.unfinished.push_back(job),
            // The thread that follows the source may have ended.
            false => drop(job.done.send(end)),
        }
        let is_idle =
            self.unfinished.is_empty() && self.writer_state.queued.load(Ordering::SeqCst) == 0;
        self.writer_state.state.send_modify(|state| {
            state.is_checking = !is_idle;
            state.syncing = None;
            state.progress = None;
            state.checked += 1;
        });
    }

    fn synced_job(&mut self, job: &SyncJob) -> ServiceResult<CheckEnd> {
        let sources = self.scope.sources()?;
        // A collection that was removed meanwhile must not come back.
        let Some(seen) = sources.into_iter().find(|seen| seen.root == job.root) else {
            return Ok(CheckEnd::Complete);
        };
        let takes_long = self.target.configuration.embedding.takes_long();
        self.is_first &= self.index()?.searched()? == 0;
        let budget = self.is_first.then(|| TimeBudget::of(FIRST, takes_long));
        let begun = Instant::now();
        let writer_state = Arc::clone(&self.writer_state);
        let waiting = self.unfinished.len();
        let breaks_off = |progress: Progress| {
            writer_state
                .state
                .send_modify(|state| state.progress = Some(progress));
            let others = waiting + writer_state.queued.load(Ordering::SeqCst);
            // A merge that gives way begins again, and would never end if each gave way to another.
            let gives_way = others > 0 && progress.stage != Stage::Merge;
            writer_state.urgent.load(Ordering::SeqCst) > 0
                || (gives_way && begun.elapsed() > SLICE)
                || budget.is_some_and(|budget| budget.ends(progress))
        };
        match self.sync_with(&seen, &*job.source, job.request, breaks_off) {
            Ok(report) => Ok(ended(&report)),
            Err(error) if is_locked(&error) => Ok(CheckEnd::Waiting),
            Err(error) => Err(error),
        }
    }

    /// The index, created if there is none.
    pub fn index(&mut self) -> ServiceResult<&mut Index> {
        // An index that was deleted is created again.
        let kept = self.index.take();
        let kept = kept.and_then(|index| index.refresh().ok().map(|()| index));
        let index = match kept {
            Some(index) => index,
            None => {
                let index = self.target.create()?;
                self.target.configuration.embedding.given_to(index)?
            }
        };
        Ok(self.index.insert(index))
    }

    /// Checks all visible sources for changes. Returns the pause before the check is continued, if
    /// it is not complete.
    fn check(&mut self) -> Option<Duration> {
        let ended = self.caught(Self::check_all).unwrap_or_else(|error| {
            // After an error, the index is opened again.
            self.index = None;
            CheckEnd::Failed(Arc::new(error))
        });
        let pause = match ended {
            CheckEnd::Rest { .. } => Some(TURN),
            CheckEnd::Waiting => Some(PAUSE),
            CheckEnd::Complete | CheckEnd::Failed(_) => None,
        };
        let is_done = pause.is_none();
        self.writer_state.state.send_modify(|state| {
            state.is_checking = !is_done;
            state.progress = None;
            state.checked += 1;
            state.ended = Some(ended);
        });
        pause
    }

    fn check_all(&mut self) -> ServiceResult<CheckEnd> {
        let takes_long = self.target.configuration.embedding.takes_long();
        self.is_first &= self.index()?.searched()? == 0;
        let budget = self.is_first.then(|| TimeBudget::of(FIRST, takes_long));
        self.is_first = false;
        let mut ended = CheckEnd::Complete;
        for seen in self.scope.sources()? {
            if !self.is_due(&seen)? {
                continue;
            }
            let writer_state = Arc::clone(&self.writer_state);
            let report = self.sync(&seen, |progress| {
                writer_state
                    .state
                    .send_modify(|state| state.progress = Some(progress));
                writer_state.urgent.load(Ordering::SeqCst) > 0
                    || budget.is_some_and(|budget| budget.ends(progress))
            });
            let report = match report {
                Ok(report) => report,
                Err(error) if is_locked(&error) => return Ok(CheckEnd::Waiting),
                // An error in one collection does not affect the others.
                Err(error) if seen.collection.is_some() => {
                    ended = CheckEnd::Failed(Arc::new(error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let end = self::ended(&report);
            if let CheckEnd::Rest { .. } = end {
                return Ok(end);
            }
        }
        Ok(ended)
    }

    /// Whether to look for changes of a source in a check: of a remote one, only from time to time
    /// once it has been indexed.
    fn is_due(&mut self, seen: &VisibleSource) -> ServiceResult<bool> {
        let last = self.index()?.last_sync(&seen.root)?;
        let was_complete = last.is_some_and(|last| last.finished.is_some());
        let state = RemoteState::of(&self.scope.index, &seen.root);
        Ok(!was_complete || state.is_none_or(|state| state.is_due()))
    }

    /// Syncs a source until `breaks_off` returns true or the process is about to exit. The message
    /// of an error does not contain the source's root.
    pub fn sync(
        &mut self,
        seen: &VisibleSource,
        breaks_off: impl Fn(Progress) -> bool,
    ) -> ServiceResult<SyncReport> {
        let synced = self.sync_source(seen, breaks_off);
        synced.map_err(|error| not_synced(seen, error))
    }

    fn sync_source(
        &mut self,
        seen: &VisibleSource,
        breaks_off: impl Fn(Progress) -> bool,
    ) -> ServiceResult<SyncReport> {
        let source = self.scope.syncable(seen)?;
        self.index()?;
        in_place(seen)?;
        self.sync_opened(&source, &*source.open()?, breaks_off)
    }

    /// Syncs a source that was opened. The message of an error does not contain its root.
    fn sync_with(
        &mut self,
        seen: &VisibleSource,
        opened: &dyn Source,
        request: SyncRequest,
        breaks_off: impl Fn(Progress) -> bool,
    ) -> ServiceResult<SyncReport> {
        let sync = || {
            let mut source = self.scope.syncable(seen)?;
            source.options.retry = request.retry;
            source.options.accept_removals = request.accept_removals;
            in_place(seen)?;
            self.sync_opened(&source, opened, breaks_off)
        };
        sync().map_err(|error| not_synced(seen, error))
    }

    fn sync_opened(
        &mut self,
        source: &Syncable,
        opened: &dyn Source,
        breaks_off: impl Fn(Progress) -> bool,
    ) -> ServiceResult<SyncReport> {
        let writer_state = Arc::clone(&self.writer_state);
        let progress = |progress: Progress| match writer_state.end_syncs() || breaks_off(progress) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        Ok(source.sync_opened(self.index()?, opened, progress)?)
    }

    /// Syncs all visible sources completely.
    pub fn sync_all(&mut self) -> ServiceResult<()> {
        for seen in self.scope.sources()? {
            self.sync(&seen, |_| false)?;
        }
        self.writer_state.state.send_modify(|state| {
            state.checked += 1;
            state.ended = Some(CheckEnd::Complete);
        });
        Ok(())
    }
}

/// How a sync has ended.
fn ended(report: &SyncReport) -> CheckEnd {
    // Only vectors are missing, because the endpoint does not respond: the next check retries them.
    let is_stuck = report.remaining == 0 && report.without_vectors.is_some();
    match report.complete || is_stuck {
        true => CheckEnd::Complete,
        false => CheckEnd::Rest {
            listed: report.listed,
            remaining: report.remaining,
            aside: report.aside,
        },
    }
}

/// Checks that no link has taken the place of a source.
fn in_place(seen: &VisibleSource) -> ServiceResult<()> {
    match seen.root.exists() && !seen.is_in_place() {
        true => Err(ServiceError::Replaced {
            name: seen.name.clone(),
        }),
        false => Ok(()),
    }
}

/// An error of a source, in whose message its root is not named.
fn not_synced(seen: &VisibleSource, error: ServiceError) -> ServiceError {
    match is_locked(&error) {
        true => error,
        false => ServiceError::NotSynced {
            name: seen.name.clone(),
            root: seen.root.clone(),
            error: Box::new(error),
        },
    }
}

/// Whether another process is writing.
fn is_locked(error: &ServiceError) -> bool {
    matches!(error, ServiceError::Index(Error::Locked { .. }))
}
