//! What is known about a source that is not on this disk: [`RemoteState`].

use std::fs;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use excerpt_index::{Error, Origin, SyncReport};
use serde::{Deserialize, Serialize};

use super::folder_made;

/// How often changes of a remote source are looked for, in seconds.
pub(crate) const INTERVAL: i64 = 5 * 60;

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// The longest time between two attempts to reach a source, in seconds.
const LONGEST_PAUSE: i64 = 60 * 60;

/// What is known about a source that is not on this disk. Times are in seconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RemoteState {
    /// Its address, without a password.
    pub address: String,
    /// Of a git repository: the commit that was read last.
    pub commit: Option<String>,
    /// Of an object store: how many documents the last complete listing had.
    pub objects: Option<usize>,
    /// When it was last reached.
    pub reached: Option<i64>,
    /// When it was last tried.
    pub tried: Option<i64>,
    /// Why it could not be reached the last time.
    pub failure: Option<String>,
    /// How often in a row it could not be reached.
    pub failures: u32,
    /// When everything was last compared, and not only what had changed since.
    pub compared: Option<i64>,
}

impl RemoteState {
    /// That of the source with this root in the index directory `index`; `None` if it is on this
    /// disk.
    #[must_use]
    pub fn of(index: &Path, root: &Path) -> Option<RemoteState> {
        let origin = Origin::of(root);
        origin
            .is_remote()
            .then(|| RemoteState::of_origin(index, &origin))
    }

    /// What is lost or cannot be read is as if the source had never been tried.
    pub(super) fn of_origin(index: &Path, origin: &Origin) -> RemoteState {
        let text = fs::read_to_string(origin.state_in(index)).unwrap_or_default();
        RemoteState {
            address: origin.address(),
            ..serde_json::from_str(&text).unwrap_or_default()
        }
    }

    /// When it is tried again without being asked to.
    #[must_use]
    pub fn next(&self) -> i64 {
        let Some(tried) = self.tried else {
            return 0;
        };
        let doublings = self.failures.min(8);
        let pause = match doublings {
            0 => INTERVAL,
            _ => (30_i64 << doublings).min(LONGEST_PAUSE),
        };
        tried.saturating_add(pause)
    }

    /// Whether it is time to try it again. A clock that was set back does not delay it for long.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let now = now();
        now >= self.next() || self.tried.is_some_and(|tried| tried > now)
    }

    /// Whether everything is to be compared this time, as once a day: whatever was missed before is
    /// found then.
    pub(super) fn compares_everything(&mut self) -> bool {
        let now = now();
        let is_late = self
            .compared
            .is_none_or(|at| !(at..at + DAY).contains(&now));
        if is_late {
            self.compared = Some(now);
        }
        is_late
    }

    /// Records that the source was reached.
    pub(super) fn reached(&mut self) {
        let now = now();
        self.tried = Some(now);
        self.reached = Some(now);
        self.failure = None;
        self.failures = 0;
    }

    /// Records that the source could not be reached.
    pub(super) fn failed(&mut self, error: &Error) {
        self.tried = Some(now());
        self.failure = Some(match error {
            Error::Source { source, .. } => source.to_string(),
            error => error.to_string(),
        });
        self.failures = self.failures.saturating_add(1);
    }

    /// Changes what is kept about an origin.
    pub(super) fn record(index: &Path, origin: &Origin, change: impl FnOnce(&mut RemoteState)) {
        let mut state = RemoteState::of_origin(index, origin);
        change(&mut state);
        state.keep(index, origin);
    }

    /// Records how a sync of the source with this root has ended.
    pub(crate) fn synced(index: &Path, root: &Path, report: &Result<SyncReport, Error>) {
        let origin = Origin::of(root);
        if !origin.is_remote() {
            return;
        }
        match report {
            Err(error @ Error::Vanished { .. }) => {
                RemoteState::record(index, &origin, |state| state.failed(error));
            }
            Ok(report) if matches!(origin, Origin::Objects(_)) && report.complete => {
                RemoteState::record(index, &origin, |state| state.objects = Some(report.listed));
            }
            _ => {}
        }
    }

    /// Keeps it for other processes. It is only a memory: if it cannot be written, the source is
    /// tried again earlier.
    pub(super) fn keep(&self, index: &Path, origin: &Origin) {
        let path = origin.state_in(index);
        let written = path.parent().map(|folder| {
            folder_made(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer(&mut file, self)?;
            file.persist(&path)?;
            io::Result::Ok(())
        });
        drop(written);
    }
}

/// The seconds since 1970.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_fails_is_tried_less_and_less_often() {
        let mut state = RemoteState::default();
        assert!(state.is_due());
        let pauses = (0..12).map(|failures| {
            state.failures = failures;
            state.tried = Some(1_000);
            state.next() - 1_000
        });
        let pauses: Vec<i64> = pauses.collect();
        assert_eq!(pauses[0], INTERVAL);
        assert!(pauses[1..].is_sorted() && pauses[1] == 60, "{pauses:?}");
        assert_eq!(pauses[11], LONGEST_PAUSE);
        state.tried = Some(now() + 1_000_000);
        assert!(state.is_due(), "the clock was set back");
    }
}
