//! What an embedder needs from the machine it runs on. Tests replace it, so that none of them
//! sleeps.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

/// A clock, sleep, random numbers, and the environment.
pub(super) trait Machine: Send + Sync {
    /// The time since some fixed moment.
    fn now(&self) -> Duration;

    fn sleep(&self, time: Duration);

    /// A random number from 0 to 1.
    fn chance(&self) -> f64;

    /// The value of an environment variable, if it is set to text.
    fn variable(&self, name: &str) -> Option<String>;
}

/// The real machine.
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
        // Each has its own random keys: enough to keep two programs from sending requests in
        // lockstep.
        let drawn = RandomState::new().hash_one(0_u8);
        (drawn >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}
