//! [`Splitter`]: what a chunker splits documents with, and why it may not.

use std::sync::Arc;

use excerpt_arrow::with_sources;
use excerpt_chunk::SizeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Class;
use crate::sizer::{self, PySizer};

/// What splits documents: an object of Python, to which a chunker and what it has split refer.
#[pyclass(frozen, module = "excerpt._excerpt")]
pub(crate) struct Splitter {
    pub(crate) chunker: excerpt_chunk::Chunker,
    pub(crate) sizer: Option<Arc<PySizer>>,
    /// The settings as given.
    pub(crate) settings: Py<PyDict>,
}

impl Splitter {
    /// The arguments of `Chunker` that make the same one in another process.
    pub(crate) fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arguments = self.settings.bind(py).copy()?;
        if let Some(sizer) = &self.sizer {
            arguments.set_item("sizer", sizer.given.bind(py))?;
        }
        Ok(arguments)
    }
}

#[pymethods]
impl Splitter {
    /// Shows the garbage collector what it refers to: a sizer may refer to the owner of the
    /// chunker. No class here can be cleared, which is not needed: what cannot be changed is in a
    /// cycle only with something that can.
    ///
    /// A sizer that others own, too, such as a stream, is not visited: its references would be
    /// counted once for each owner, and the collector would free what is in use.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.settings)?;
        match &self.sizer {
            Some(sizer) if Arc::strong_count(sizer) == 1 => sizer.traverse(&visit),
            _ => Ok(()),
        }
    }
}

/// Why a document was not split.
pub(crate) enum NotSplit {
    /// The sizer failed.
    Size(SizeError),
    /// It was stopped.
    Stopped,
}

impl NotSplit {
    /// The error to raise.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyErr {
        let error = match self {
            NotSplit::Stopped => return Class::Text.error(py, "stopped"),
            NotSplit::Size(error) => error,
        };
        // What the function of the user has raised is raised once.
        sizer::take_raised();
        match error {
            SizeError::Failed { source, bytes } => match source.downcast::<PyErr>() {
                Ok(raised) => *raised,
                Err(source) => {
                    let error = SizeError::Failed { source, bytes };
                    Class::Text.error(py, with_sources(&error))
                }
            },
            error => Class::Text.error(py, with_sources(&error)),
        }
    }
}
