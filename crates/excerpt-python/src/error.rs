//! The errors of the package, which are classes in `_errors.py`.

use excerpt_arrow::{BatchError, with_sources};
use pyo3::prelude::*;

/// An error class of the package.
#[derive(Clone, Copy)]
pub(crate) enum Class {
    /// Settings that are unknown, wrong or contradict each other.
    Config,
    /// A text that cannot be split.
    Text,
    /// A batch whose columns are not as expected.
    Batch,
    /// A model that cannot be read, or fails.
    Model,
    /// An index that cannot be opened or used.
    Index,
}

impl Class {
    /// An error of this class with a message.
    pub(crate) fn error(self, py: Python<'_>, message: impl Into<String>) -> PyErr {
        let name = match self {
            Class::Config => "ConfigError",
            Class::Text => "TextError",
            Class::Batch => "BatchError",
            Class::Model => "ModelError",
            Class::Index => "IndexFailure",
        };
        let raise = || {
            let class = py.import("excerpt._errors")?.getattr(name)?;
            class.call1((message.into(),))
        };
        match raise() {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    }
}

/// The error of a batch.
pub(crate) fn of_batch(py: Python<'_>, error: &BatchError) -> PyErr {
    let class = match error {
        BatchError::Embed(_) => Class::Model,
        _ => Class::Batch,
    };
    class.error(py, with_sources(error))
}
