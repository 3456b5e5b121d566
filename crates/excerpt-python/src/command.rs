//! The command line.

use std::ffi::OsString;

use excerpt::Invocation;
use pyo3::prelude::*;

/// Run a command of the command line, and return the code to exit with.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, program: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    let invocation = Invocation {
        program,
        arguments,
        // The allocator is that of the Python process.
        save_memory: || (),
    };
    py.detach(|| excerpt::run(invocation))
}
