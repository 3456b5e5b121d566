//! The threads that parallel work runs on. They are those of rayon's pool, which does not survive a
//! fork: in the child its threads are gone, and waiting for them would never end. So a process that
//! was forked from one that has used the pool has a pool of its own.

use std::panic::resume_unwind;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

static RAYON: Forkable<ThreadPool> = Forkable::new();

/// A pool of a library, of which there is one in a program. It does not survive a fork.
pub(crate) struct Forkable<P: 'static> {
    /// The process that the library's pool belongs to; 0 before it is used.
    owner: AtomicU32,
    /// The pool of a forked process. It is only locked after a fork.
    own: Mutex<Option<(u32, &'static P)>>,
}

impl<P: Sync> Forkable<P> {
    pub(crate) const fn new() -> Forkable<P> {
        Forkable {
            owner: AtomicU32::new(0),
            own: Mutex::new(None),
        }
    }

    /// The pool of this process, made with `build`, if it was forked from one that has used the
    /// library's. `None` if the library's can be used, or if `build` fails.
    pub(crate) fn after_fork(&self, build: impl FnOnce() -> Option<P>) -> Option<&'static P> {
        let process = process::id();
        let owner = (self.owner).compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed);
        if owner.is_ok() || owner == Err(process) {
            return None;
        }
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        match *own {
            Some((known, pool)) if known == process => Some(pool),
            _ => {
                let pool: &P = Box::leak(Box::new(build()?));
                *own = Some((process, pool));
                Some(pool)
            }
        }
    }
}

/// Runs `work`, the parallel parts of which share all cores.
pub fn on_all_cores<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match forked() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Runs `work` on this thread, and what it spawns on all cores, until both are done.
pub fn scope_on_all_cores<'scope, R>(work: impl FnOnce(&Scope<'scope>) -> R) -> R {
    match forked() {
        Some(pool) => pool.in_place_scope(work),
        None => rayon::in_place_scope(work),
    }
}

/// Runs `elsewhere` on a thread of its own and `here` on this one, until both are done. The pool is
/// not used: its threads may be busy for long, and an answer does not wait for them.
pub(crate) fn beside<A: Send, B>(
    elsewhere: impl Fn() -> A + Sync,
    here: impl FnOnce() -> B,
) -> (A, B) {
    thread::scope(|scope| {
        let started = thread::Builder::new().spawn_scoped(scope, &elsewhere);
        let here = here();
        let elsewhere = match started {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system refuses another thread.
            Err(_) => elsewhere(),
        };
        (elsewhere, here)
    })
}

/// The pool of this process, if it is not rayon's. A thread of any pool stays in that.
fn forked() -> Option<&'static ThreadPool> {
    if rayon::current_thread_index().is_some() {
        return None;
    }
    RAYON.after_fork(|| ThreadPoolBuilder::new().build().ok())
}
