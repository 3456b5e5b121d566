//! What requests need from the machine they are sent from. Tests replace it, so that none of them
//! sleeps.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

/// A clock, sleep, random numbers, and the environment.
pub(crate) trait Machine: Send + Sync {
    /// The time since some fixed moment.
    fn now(&self) -> Duration;

    fn sleep(&self, time: Duration);

    /// A random number from 0 to 1.
    fn chance(&self) -> f64;

    /// The value of an environment variable, if it is set to text.
    fn variable(&self, name: &str) -> Option<String>;
}

/// The real machine.
pub(crate) struct ThisMachine {
    started: Instant,
}

impl ThisMachine {
    pub(crate) fn new() -> ThisMachine {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_time_chance_and_an_environment() {
        let machine = ThisMachine::new();
        let drawn: Vec<f64> = (0..100).map(|_| machine.chance()).collect();
        assert!(drawn.iter().all(|drawn| (0.0..1.0).contains(drawn)));
        assert!(drawn.iter().any(|drawn| *drawn < 0.5) && drawn.iter().any(|drawn| *drawn >= 0.5));
        machine.sleep(Duration::ZERO);
        assert!(machine.now() <= machine.now());
        assert!(machine.variable("CARGO_MANIFEST_DIR_OF_NOBODY").is_none());
        assert!(machine.variable("PATH").is_some());
    }
}
