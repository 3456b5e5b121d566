//! Work without the lock of the interpreter: on a pool of threads, and so that Ctrl-C ends it.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use excerpt_arrow::Stop;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How often signals are looked for.
const TURN: Duration = Duration::from_millis(50);

/// Runs `work` without the lock of the interpreter. When a signal handler raises an error, such as
/// `KeyboardInterrupt`, `stop` is set, and the error is raised once the work has ended.
///
/// # Errors
///
/// That of the signal handler.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> T + Send,
) -> PyResult<T> {
    let stop = Stop::new(false);
    std::thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        let stop = &stop;
        let worker = scope.spawn(move || {
            let _done = done;
            work(stop)
        });
        let mut ended = Some(ended);
        let mut raised = None;
        while let Some(waiting) = ended.take() {
            // The other end is dropped when the work is done, or has panicked.
            let waited = py.detach(move || (waiting.recv_timeout(TURN), waiting));
            if let (Err(RecvTimeoutError::Timeout), waiting) = waited {
                ended = Some(waiting);
                if raised.is_none()
                    && let Err(error) = py.check_signals()
                {
                    stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
        }
        let result = worker.join();
        match (raised, result) {
            (_, Err(panic)) => std::panic::resume_unwind(panic),
            (Some(error), Ok(_)) => Err(error),
            (None, Ok(result)) => Ok(result),
        }
    })
}

/// A pool of threads, for the process that made it: after a fork, its threads are gone.
struct Pool {
    process: u32,
    pool: Arc<ThreadPool>,
}

/// The pool with all cores. It is only locked by a thread that has the lock of the interpreter, and
/// so has who forks: no other thread can hold it then.
static ALL_CORES: Mutex<Option<Pool>> = Mutex::new(None);

/// Checks a number of threads.
///
/// # Errors
///
/// `ValueError` for 0 or too many.
pub(crate) fn check_threads(threads: Option<usize>) -> PyResult<()> {
    const MOST: usize = 1024;
    match threads {
        Some(threads) if !(1..=MOST).contains(&threads) => Err(PyValueError::new_err(format!(
            "`threads` is {threads}, expected 1 to {MOST}"
        ))),
        _ => Ok(()),
    }
}

/// A pool of `threads`, by default as many as there are cores.
///
/// # Errors
///
/// `ValueError` for 0 or too many, and `RuntimeError` when threads cannot be started.
pub(crate) fn pool(_: Python<'_>, threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    check_threads(threads)?;
    let built = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok::<_, PyErr>(Arc::new(pool))
    };
    match threads {
        Some(threads) => built(threads),
        None => {
            let mut kept = ALL_CORES.lock().unwrap_or_else(PoisonError::into_inner);
            let process = std::process::id();
            if let Some(known) = &*kept
                && known.process == process
            {
                return Ok(Arc::clone(&known.pool));
            }
            let pool = built(0)?;
            let new = Pool {
                process,
                pool: Arc::clone(&pool),
            };
            // The threads of another process cannot be ended: it is left as it is.
            std::mem::forget(kept.replace(new));
            Ok(pool)
        }
    }
}
