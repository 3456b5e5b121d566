//! Which interpreter the module is loaded in, and its lock.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

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

thread_local! {
    /// How many of them are on this thread.
    static OWN: Cell<u32> = const { Cell::new(0) };
}

/// How often the end of calls is looked for.
const TURN: Duration = Duration::from_millis(1);
/// How long they are waited for: a sizer may wait for something that never happens.
const LONGEST: Duration = Duration::from_secs(5);

/// The lock of the interpreter, held by this thread until it is dropped.
///
/// For what other libraries call through the C interface of Arrow. They may have released the lock
/// on a thread on which our own code is running further up, as when `chunk_many` reads an iterator
/// that reads a stream of ours. pyo3 takes it for held there, and would not acquire it.
///
/// They also call from threads of their own, even while the interpreter ends, when a thread that
/// waits for the lock never gets it. So it is not given out to them any more from then on, and the
/// interpreter waits for those who have it, and for those who work
/// [without](Locked::without) it for a while.
pub(crate) struct Locked {
    before: ffi::PyGILState_STATE,
    /// It belongs to this thread.
    of_thread: PhantomData<*const ()>,
}

impl Locked {
    /// `None` once the interpreter ends, except on threads of Python that it waits for.
    pub(crate) fn new() -> Option<Locked> {
        let ends = count() & ENDS != 0;
        if ends && !is_of_python() {
            uncount();
            return None;
        }
        // SAFETY: any thread may call it while there is an interpreter, whether it has the lock or
        // not, and the interpreter waits for this call before it ends. pyo3 asks no more before it
        // attaches a thread of another library.
        let before = unsafe { ffi::PyGILState_Ensure() };
        let locked = Locked {
            before,
            of_thread: PhantomData,
        };
        (!ends || !is_left_behind()).then_some(locked)
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
                let uncounted = Uncounted::new();
                let done = Python::attach(|py| py.detach(work));
                drop(uncounted);
                (done, Some(self))
            }
            ffi::PyGILState_STATE::PyGILState_UNLOCKED => {
                // What it calls may wait for the lock on its own, as the readers of pyarrow do, and
                // a thread that waits when the interpreter ends never comes back.
                count();
                drop(self);
                let done = work();
                let locked = Locked::new();
                uncount();
                (done, locked)
            }
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: it is what `PyGILState_Ensure` returned on this thread, and inner ones have been
        // dropped before.
        unsafe { ffi::PyGILState_Release(self.before) }
        uncount();
    }
}

/// Adds a call of this thread; returns what there was before.
fn count() -> u32 {
    // At the end of a thread, there is nothing to count any more.
    let _ = OWN.try_with(|own| own.set(own.get() + 1));
    CALLS.fetch_add(1, Ordering::AcqRel)
}

fn uncount() {
    let _ = OWN.try_with(|own| own.set(own.get().saturating_sub(1)));
    CALLS.fetch_sub(1, Ordering::AcqRel);
}

/// While it lives, a call of this thread is not counted: it waits for something else.
struct Uncounted;

impl Uncounted {
    fn new() -> Uncounted {
        uncount();
        Uncounted
    }
}

impl Drop for Uncounted {
    fn drop(&mut self) {
        count();
    }
}

/// Whether this thread is one of Python, and the interpreter has not ended.
fn is_of_python() -> bool {
    // SAFETY: both can be called at any time.
    unsafe { ffi::Py_IsInitialized() != 0 && !ffi::PyGILState_GetThisThreadState().is_null() }
}

/// Whether the interpreter ends without waiting for this thread, which has the lock.
fn is_left_behind() -> bool {
    let is_daemon = Python::attach(|py| {
        let thread = py.import("threading")?.call_method0("current_thread")?;
        thread.getattr("daemon")?.extract::<bool>()
    });
    is_daemon.unwrap_or(true)
}

/// Has the main thread raise an error as soon as it runs Python again, for one that cannot be
/// raised where it came up.
pub(crate) fn raise_soon(error: PyErr) {
    extern "C" fn raise(error: *mut c_void) -> c_int {
        // SAFETY: it is the box below, which is handed over once.
        let error = unsafe { Box::from_raw(error.cast::<PyErr>()) };
        Python::attach(|py| error.restore(py));
        -1
    }
    let error = Box::into_raw(Box::new(error));
    // SAFETY: any thread may call it, and the interpreter calls the function once, with its lock.
    if unsafe { ffi::Py_AddPendingCall(Some(raise), error.cast()) } != 0 {
        // Too many calls are waiting.
        // SAFETY: it was not handed over.
        drop(unsafe { Box::from_raw(error) });
    }
}

/// Prepares for the end of the interpreter: from now on, no thread that it does not wait for gets a
/// [`Locked`], and when this returns, none has one, except if one keeps it for too long.
///
/// # Errors
///
/// That of a signal handler, such as `KeyboardInterrupt`, which ends the wait.
#[pyfunction]
fn before_end(py: Python<'_>) -> PyResult<()> {
    CALLS.fetch_or(ENDS, Ordering::AcqRel);
    let end = Instant::now() + LONGEST;
    while CALLS.load(Ordering::Acquire) & !ENDS > OWN.get() && Instant::now() < end {
        py.detach(|| thread::sleep(TURN));
        py.check_signals()?;
    }
    Ok(())
}

/// Only this thread is in the new process.
#[pyfunction]
fn after_fork() {
    CALLS.store(OWN.get(), Ordering::Release);
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
