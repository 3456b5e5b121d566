//! Which interpreter the module is loaded in, and its lock.

use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// Checks that this is the main interpreter: what the module keeps belongs to one interpreter.
///
/// # Errors
///
/// `ImportError` in any other.
pub(crate) fn check_main() -> PyResult<()> {
    // SAFETY: a module is initialised by a thread that is attached to an interpreter, which is all
    // that both functions need.
    let id = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    match id {
        0 => Ok(()),
        _ => Err(PyImportError::new_err(
            "excerpt cannot be used in a subinterpreter: use a process of its own",
        )),
    }
}

/// How many [`Locked`] there are, and whether the interpreter [`ENDS`].
static CALLS: AtomicU32 = AtomicU32::new(0);

const ENDS: u32 = 1 << 31;

/// The thread on which the interpreter ends. It has the lock, and runs what else was registered.
static ENDING: OnceLock<ThreadId> = OnceLock::new();

/// How often the end of calls is looked for.
const TURN: Duration = Duration::from_millis(1);

/// The lock of the interpreter, held by this thread until it is dropped.
///
/// For what other libraries call through the C interface of Arrow. They may have released the lock
/// on a thread on which our own code is running further up, as when `chunk_many` reads an iterator
/// that reads a stream of ours. pyo3 takes it for held there, and would not acquire it.
///
/// They also call from threads of their own, even while the interpreter ends, when a thread that
/// waits for the lock never gets it. So it is not given out to them any more from then on, and the
/// interpreter waits for those who have it.
pub(crate) struct Locked {
    before: ffi::PyGILState_STATE,
    /// It belongs to this thread.
    of_thread: PhantomData<*const ()>,
}

impl Locked {
    /// `None` once the interpreter ends, except on the thread on which it does.
    pub(crate) fn new() -> Option<Locked> {
        // SAFETY: it can be called at any time.
        let is_there = || unsafe { ffi::Py_IsInitialized() } != 0;
        let is_ending = || ENDING.get() == Some(&thread::current().id()) && is_there();
        let begin = |calls| (calls & ENDS == 0 || is_ending()).then_some(calls + 1);
        update(begin).ok()?;
        // SAFETY: any thread may call it while there is an interpreter, whether it has the lock or
        // not, and the interpreter waits for this call before it ends. pyo3 asks no more before it
        // attaches a thread of another library.
        let before = unsafe { ffi::PyGILState_Ensure() };
        Some(Locked {
            before,
            of_thread: PhantomData,
        })
    }

    /// Runs `work` without the lock, which what `work` waits for may need.
    ///
    /// Returns the lock again, or `None` once the interpreter ends.
    pub(crate) fn without<T>(self, work: impl FnOnce() -> T + Send) -> (T, Option<Locked>)
    where
        T: Send,
    {
        match self.before {
            ffi::PyGILState_STATE::PyGILState_LOCKED => {
                let done = Python::attach(|py| py.detach(work));
                (done, Some(self))
            }
            ffi::PyGILState_STATE::PyGILState_UNLOCKED => {
                drop(self);
                (work(), Locked::new())
            }
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: it is what `PyGILState_Ensure` returned on this thread, and inner ones have been
        // dropped before.
        unsafe { ffi::PyGILState_Release(self.before) }
        // None are left after a fork, even if this one led to it.
        let _ = update(|calls| (calls & !ENDS > 0).then(|| calls - 1));
    }
}

fn update(change: impl Fn(u32) -> Option<u32>) -> Result<u32, u32> {
    CALLS.fetch_update(Ordering::AcqRel, Ordering::Acquire, change)
}

/// Prepares for the end of the interpreter: from now on, no other thread gets a [`Locked`], and
/// when this returns, none has one.
///
/// # Errors
///
/// That of a signal handler, such as `KeyboardInterrupt`, which ends the wait.
#[pyfunction]
fn before_end(py: Python<'_>) -> PyResult<()> {
    let _ = ENDING.set(thread::current().id());
    CALLS.fetch_or(ENDS, Ordering::AcqRel);
    while CALLS.load(Ordering::Acquire) != ENDS {
        py.detach(|| thread::sleep(TURN));
        py.check_signals()?;
    }
    Ok(())
}

/// The threads that were calling are not in the new process.
#[pyfunction]
fn after_fork() {
    CALLS.store(0, Ordering::Release);
}

/// Has the interpreter call what must happen at its end and after a fork.
///
/// # Errors
///
/// Those of the modules that register it.
pub(crate) fn register(py: Python<'_>) -> PyResult<()> {
    py.import("atexit")?
        .call_method1("register", (wrap_pyfunction!(before_end, py)?,))?;
    // Windows has no forks.
    if let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? {
        let after = [("after_in_child", wrap_pyfunction!(after_fork, py)?)];
        register.call((), Some(&after.into_py_dict(py)?))?;
    }
    Ok(())
}
