//! [`Splitter`]: what a chunker splits documents with, and why it may not.

use std::sync::Arc;

use excerpt_arrow::with_sources;
use excerpt_chunk::SizeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Class;
use crate::sizer::{self, PySizer};

/// What splits documents.
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
