//! Watching a source: its files on this disk, and what is elsewhere from time to time.

use std::ops::ControlFlow;
use std::time::Duration;

use excerpt_index::{Error, Index, Stop, Watching};

use crate::error::ServiceResult;
use crate::remote::{RemoteState, now};
use crate::target::Syncable;

/// How often to retry an index that another process writes, or a source that it fetches.
const LOCK_RETRY: Duration = Duration::from_millis(500);

impl Syncable {
    /// Updates the index from the source and keeps it up to date until `stop` stops it or `told`,
    /// which receives the events, cancels: see [`Index::watch`]. A source that is not on this disk
    /// is fetched every five minutes, a little earlier or later so that not everyone asks at once,
    /// and less and less often while it cannot be reached.
    ///
    /// # Errors
    ///
    /// As [`Index::watch`].
    pub fn watch(
        &self,
        index: &mut Index,
        stop: &Stop,
        mut told: impl FnMut(Watching) -> ControlFlow<()>,
    ) -> ServiceResult<()> {
        if self.remote_state().is_none() {
            return Ok(index.watch(&self.root, &self.options, stop, told)?);
        }
        let (mut is_first, mut is_told) = (true, false);
        while !stop.is_stopped() {
            let progress = |progress| match stop.is_stopped() {
                true => ControlFlow::Break(()),
                false => told(Watching::Progress(progress)),
            };
            let opened = self.open();
            let synced =
                opened.and_then(|opened| index.sync_source(&*opened, &self.options, progress));
            let (pause, flow) = match synced {
                Ok(report) => {
                    is_told = false;
                    (self.pause(), told(Watching::Synced(report)))
                }
                // What stops this process may also stop git.
                Err(_) if stop.is_stopped() => break,
                Err(Error::Locked { .. }) => (LOCK_RETRY, ControlFlow::Continue(())),
                Err(error @ (Error::Source { .. } | Error::Vanished { .. })) if !is_first => {
                    let flow = match std::mem::replace(&mut is_told, true) {
                        true => ControlFlow::Continue(()),
                        false => told(Watching::Waiting(error)),
                    };
                    (self.pause(), flow)
                }
                Err(error) => return Err(error.into()),
            };
            is_first = false;
            if flow.is_break() {
                break;
            }
            stop.wait(pause);
        }
        Ok(())
    }

    /// The time until the next attempt, give or take a tenth.
    fn pause(&self) -> Duration {
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
