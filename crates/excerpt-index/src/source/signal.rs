//! How a watch tells a thread that files may have changed.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long it must be quiet before the next listing: a save or a checkout causes many events.
const QUIET: Duration = Duration::from_millis(100);

/// The longest wait for that.
const LONGEST: Duration = Duration::from_secs(1);

/// Rings when files may have changed, or when the watch is stopped.
#[derive(Debug, Default)]
pub struct ChangeSignal {
    state: Mutex<Rung>,
    changed: Condvar,
}

/// When it rang since the last listing.
#[derive(Clone, Copy, Debug, Default)]
struct Rung {
    /// The first and the last time.
    times: Option<(Instant, Instant)>,
    is_ended: bool,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// Files may have changed.
    Changed,
    /// The time is up.
    Late,
    /// The watch is stopped.
    Ended,
}

impl ChangeSignal {
    /// Signals that files may have changed.
    pub fn notify(&self) {
        let now = Instant::now();
        let mut state = self.state();
        state.times = Some((state.times.map_or(now, |(first, _)| first), now));
        self.changed.notify_all();
    }

    /// Signals that the watch is stopped.
    pub fn end(&self) {
        self.state().is_ended = true;
        self.changed.notify_all();
    }

    /// Whether the watch is stopped.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.state().is_ended
    }

    /// Waits until files may have changed and it has been quiet since, but at most `patience` for
    /// the first event.
    pub fn wait(&self, patience: Duration) -> Wakeup {
        let begun = Instant::now();
        let due = |times: Option<(Instant, Instant)>| match times {
            Some((first, last)) => (last + QUIET).min(first + LONGEST),
            None => begun + patience,
        };
        let mut state = self.state();
        loop {
            if state.is_ended {
                return Wakeup::Ended;
            }
            let left = due(state.times).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return match state.times.take() {
                    Some(_) => Wakeup::Changed,
                    None => Wakeup::Late,
                };
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for this long, unless the watch is stopped.
    pub fn pause(&self, time: Duration) {
        let is_going_on = |state: &mut Rung| !state.is_ended;
        let state = self.state();
        let waited = self.changed.wait_timeout_while(state, time, is_going_on);
        drop(waited);
    }

    /// Locks its state even if a thread panicked while holding it: it is consistent at any moment.
    fn state(&self) -> MutexGuard<'_, Rung> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEADLINE: Duration = Duration::from_secs(120);

    #[test]
    fn a_bell_waits_for_quiet_but_not_for_ever() {
        let signal = ChangeSignal::default();
        assert_eq!(signal.wait(Duration::ZERO), Wakeup::Late);
        signal.notify();
        assert_eq!(signal.wait(DEADLINE), Wakeup::Changed);
        assert_eq!(signal.wait(Duration::ZERO), Wakeup::Late);
        // The first ring was long ago, the last one is recent.
        let now = Instant::now();
        if let Some(first) = now.checked_sub(LONGEST) {
            signal.state().times = Some((first, now + DEADLINE));
            assert_eq!(signal.wait(DEADLINE), Wakeup::Changed);
        }
        signal.notify();
        signal.end();
        assert_eq!(signal.wait(DEADLINE), Wakeup::Ended);
        signal.pause(DEADLINE);
    }
}
