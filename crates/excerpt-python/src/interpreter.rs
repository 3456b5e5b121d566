//! Which interpreter the module is loaded in.

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
