//! Work without the lock of the interpreter: on a pool of threads, and so that Ctrl-C ends it.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use excerpt_arrow::Stop;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
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
    /// `None` only while it is dropped.
    pool: Option<Arc<ThreadPool>>,
}

impl Pool {
    fn new(threads: usize) -> PyResult<Pool> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Pool {
            process: std::process::id(),
            pool: Some(Arc::new(pool)),
        })
    }

    /// The pool, in the process that made it.
    fn own(&self) -> Option<&Arc<ThreadPool>> {
        let is_here = self.process == std::process::id();
        self.pool.as_ref().filter(|_| is_here)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // The threads of another process cannot be ended: it is left as it is.
        if self.process != std::process::id() {
            std::mem::forget(self.pool.take());
        }
    }
}

/// A pool that is built when it is first needed, and again after a fork. It is only locked by a
/// thread that has the lock of the interpreter, and so has a thread that forks: no other thread can
/// hold it then.
type Kept = Mutex<Option<Pool>>;

/// The pool with all cores.
static ALL_CORES: Kept = Mutex::new(None);

/// The threads that work is done on: as many as were given, by default as many as there are cores.
pub(crate) struct Threads {
    given: Option<usize>,
    /// The pool if a number was given.
    own: Kept,
}

impl Threads {
    /// # Errors
    ///
    /// `TypeError` for a number that is not whole, and `ValueError` for one that is too small or
    /// too large.
    pub(crate) fn new(given: Option<&Bound<'_, PyAny>>) -> PyResult<Threads> {
        const MOST: usize = 1024;
        let number = |given: &Bound<'_, PyAny>| {
            let shown = given.repr()?;
            if !given.hasattr("__index__")? {
                let message = format!("`threads` is {shown}, expected a whole number");
                return Err(PyTypeError::new_err(message));
            }
            let number = given.extract::<usize>().ok();
            let number = number.filter(|number| (1..=MOST).contains(number));
            let message = format!("`threads` is {shown}, expected 1 to {MOST}");
            number.ok_or_else(|| PyValueError::new_err(message))
        };
        Ok(Threads {
            given: given.map(number).transpose()?,
            own: Mutex::new(None),
        })
    }

    /// The pool of these threads, in this process.
    ///
    /// # Errors
    ///
    /// `RuntimeError` when threads cannot be started.
    pub(crate) fn pool(&self, _: Python<'_>) -> PyResult<Arc<ThreadPool>> {
        let (kept, threads) = match self.given {
            Some(threads) => (&self.own, threads),
            None => (&ALL_CORES, 0),
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = kept.as_ref().and_then(Pool::own) {
            return Ok(Arc::clone(pool));
        }
        let built = Pool::new(threads)?;
        let pool = built.own().map(Arc::clone);
        *kept = Some(built);
        pool.ok_or_else(|| PyRuntimeError::new_err("the process has been forked"))
    }
}
