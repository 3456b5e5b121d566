//! What an embedder needs of the machine that it runs on. Tests have a machine of their own, so that none of them sleeps.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

/// A clock, sleep, chance, and the environment.
pub(super) trait Machine: Send + Sync {
    /// The time that has passed since some moment.
    fn now(&self) -> Duration;

    fn sleep(&self, time: Duration);

    /// A number from 0 up to 1, by chance.
    fn chance(&self) -> f64;

    /// What an environment variable holds, when it is set to text.
    fn variable(&self, name: &str) -> Option<String>;
}

/// The machine as it is.
pub(super) struct ThisMachine {
    started: Instant,
}

impl ThisMachine {
    pub(super) fn new() -> ThisMachine {
        ThisMachine {
            started: Instant::now(),
        }
    }
}

impl Machine for ThisMachine {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }

    fn chance(&self) -> f64 {
        // Each has keys of its own by chance: enough to keep two programs from asking in step.
        let drawn = RandomState::new().hash_one(0_u8);
        (drawn >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}
