//! Which interpreter the module is loaded in, and its lock.

use std::marker::PhantomData;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

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

/// The lock of the interpreter, held by this thread until it is dropped.
///
/// For what other libraries call through the C interface of Arrow. They may have released the lock
/// on a thread on which our own code is running further up, as when `chunk_many` reads an iterator
/// that reads a stream of ours. pyo3 takes it for held there, and would not acquire it.
pub(crate) struct Locked {
    before: ffi::PyGILState_STATE,
    /// It belongs to this thread.
    of_thread: PhantomData<*const ()>,
}

impl Locked {
    pub(crate) fn new() -> Locked {
        // SAFETY: any thread may call it while there is an interpreter, whether it has the lock or
        // not. pyo3 asks no more before it attaches a thread of another library.
        let before = unsafe { ffi::PyGILState_Ensure() };
        Locked {
            before,
            of_thread: PhantomData,
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: it is what `PyGILState_Ensure` returned on this thread, and inner ones have been
        // dropped before.
        unsafe { ffi::PyGILState_Release(self.before) }
    }
}
