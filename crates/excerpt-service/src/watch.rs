//! Watching sources: their files on this disk, and what is elsewhere from time to time.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use excerpt_index::{Error, Index, Stop, Watching};

use crate::error::{ServiceError, ServiceResult};
use crate::remote::{RemoteState, now};
use crate::target::{IndexTarget, Syncable};

/// How often to retry an index that another process writes, or a source that it fetches.
const LOCK_RETRY: Duration = Duration::from_millis(500);

/// How often to retry a folder that could not be reached at the start.
const RETRY: Duration = Duration::from_secs(5);

impl IndexTarget {
    /// Watches all its sources until `stop` or `on_event` ends it: see [`Syncable::watch`].
    /// Each has a thread of its own. Of several sources, one that cannot be reached does not affect
    /// the others.
    ///
    /// # Errors
    ///
    /// As [`Syncable::watch`].
    pub fn watch(
        &self,
        stop: &Stop,
        on_event: impl FnMut(&Syncable, Watching) -> ControlFlow<()> + Send,
    ) -> ServiceResult<()> {
        let on_event = Mutex::new(on_event);
        let is_only = self.sources.len() == 1;
        std::thread::scope(|scope| {
            let watched = self.sources.iter().map(|source| {
                let on_event = |event| match (&event, on_event.lock()) {
                    // It is the watch of another source that writes.
                    (Watching::Waiting(Error::Locked { holder, .. }), _)
                        if *holder == Some(std::process::id()) =>
                    {
                        ControlFlow::Continue(())
                    }
                    (_, Ok(mut on_event)) => on_event(source, event),
                    (_, Err(_)) => ControlFlow::Break(()),
                };
                scope.spawn(move || {
                    // One that has ended for good ends them all, also by a panic.
                    let _stops = StopOnDrop(stop);
                    self.watch_one(source, is_only, stop, on_event)
                })
            });
            let watched: Vec<_> = watched.collect();
            let ended = watched.into_iter().map(|watched| match watched.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            ended.fold(Ok(()), Result::and)
        })
    }

    fn watch_one(
        &self,
        source: &Syncable,
        is_only: bool,
        stop: &Stop,
        mut on_event: impl FnMut(Watching) -> ControlFlow<()>,
    ) -> ServiceResult<()> {
        let mut index = self.writable()?;
        let mut is_reported = false;
        while !stop.is_stopped() {
            match source.watch(&mut index, stop, &mut on_event) {
                // It was removed. What is added again, perhaps with other settings, is for the
                // next watch.
                Err(ServiceError::Index(error @ Error::UnknownCollection { .. })) if !is_only => {
                    if on_event(Watching::Waiting(error)).is_break() {
                        break;
                    }
                    while !stop.is_stopped() {
                        stop.wait(RETRY);
                    }
                }
                Err(ServiceError::Index(error @ Error::Source { .. })) if !is_only => {
                    let is_known = std::mem::replace(&mut is_reported, true);
                    if !is_known && on_event(Watching::Waiting(error)).is_break() {
                        break;
                    }
                    stop.wait(match source.remote_state() {
                        Some(_) => source.pause(),
                        None => RETRY,
                    });
                }
                ended => return ended,
            }
        }
        Ok(())
    }
}

/// Stops a watch when it is dropped.
struct StopOnDrop<'a>(&'a Stop);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Syncable {
    /// Updates the index from the source and keeps it current until `stop` ends it or `on_event`,
    /// which receives the events, cancels: see [`Index::watch`]. A source that is not on this disk
    /// is fetched every five minutes, a little earlier or later so that not everyone asks at once,
    /// and less and less often while it cannot be reached.
    ///
    /// # Errors
    ///
    /// As [`Index::watch`], and when a source that is not on this disk, and was never synced,
    /// cannot be reached.
    pub fn watch(
        &self,
        index: &mut Index,
        stop: &Stop,
        mut on_event: impl FnMut(Watching) -> ControlFlow<()>,
    ) -> ServiceResult<()> {
        if self.remote_state().is_none() {
            return Ok(index.watch(&self.root, &self.options, stop, on_event)?);
        }
        let last = index.last_sync(&self.root)?;
        let mut was_reached = last.is_some_and(|last| last.finished.is_some());
        let mut is_reported = false;
        // What was fetched and could not be synced yet.
        let mut fetched = None;
        while !stop.is_stopped() {
            let progress = |progress| match stop.is_stopped() {
                true => ControlFlow::Break(()),
                false => on_event(Watching::Progress(progress)),
            };
            let opened = fetched.take().map_or_else(|| self.open(), Ok);
            let synced = opened.and_then(|opened| {
                let synced = self.sync_opened(index, &*opened, progress);
                if let Err(Error::Locked { .. }) = &synced {
                    fetched = Some(opened);
                }
                synced
            });
            let (pause, flow) = match synced {
                Ok(report) => {
                    (is_reported, was_reached) = (false, true);
                    (self.pause(), on_event(Watching::Synced(report)))
                }
                // What stops this process may also stop git.
                Err(_) if stop.is_stopped() => break,
                Err(Error::Locked { .. }) => (LOCK_RETRY, ControlFlow::Continue(())),
                Err(error @ (Error::Source { .. } | Error::Vanished { .. })) if was_reached => {
                    let flow = match std::mem::replace(&mut is_reported, true) {
                        true => ControlFlow::Continue(()),
                        false => on_event(Watching::Waiting(error)),
                    };
                    (self.pause(), flow)
                }
                Err(error) => return Err(error.into()),
            };
            if flow.is_break() {
                break;
            }
            stop.wait(pause);
        }
        Ok(())
    }

    /// The time until the next attempt, give or take a tenth.
    pub(crate) fn pause(&self) -> Duration {
        let next = self
            .remote_state()
            .map_or(0, |state| RemoteState::next(&state));
        let left = u64::try_from(next.saturating_sub(now()))
            .unwrap_or(0)
            .max(1);
        let share = 0.9 + 0.2 * f64::from(jitter()) / f64::from(u16::MAX);
        Duration::from_secs(left).mul_f64(share)
    }
}

/// Some number. It need not be unpredictable, only different from process to process.
fn jitter() -> u16 {
    use std::hash::{BuildHasher as _, RandomState};
    let hash = RandomState::new().hash_one(now());
    u16::try_from(hash & 0xffff).unwrap_or(0)
}
