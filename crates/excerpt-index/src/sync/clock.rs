//! The time of a sync.

use std::time::Instant;

use crate::model::Stat;

/// When the sync began.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    pub(super) instant: Instant,
    nanoseconds: i64,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Clock {
            instant: Instant::now(),
            nanoseconds: Stat::now(),
        }
    }

    pub(super) fn seconds(self) -> i64 {
        self.nanoseconds / 1_000_000_000
    }

    /// The time now, in seconds since 1970: that of the start and what has passed since, so that a
    /// sync never ends before it began.
    pub(super) fn later(self) -> i64 {
        let passed = i64::try_from(self.instant.elapsed().as_secs()).unwrap_or(i64::MAX);
        self.seconds().saturating_add(passed)
    }

    /// Whether a file that still has this size and time will still have this text.
    pub(super) fn is_settled(self, stat: Stat) -> bool {
        stat.is_settled(self.nanoseconds)
    }
}
