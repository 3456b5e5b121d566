//! The command line.

use std::ffi::OsString;

use excerpt::Invocation;
use pyo3::prelude::*;

/// Runs a command, with the name of the program as the first argument, and returns the code to exit
/// with. `program` is what starts it again.
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
