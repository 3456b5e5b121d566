//! Texts and paths as Python has them.

use excerpt_arrow::LARGEST_TEXT;
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};

use crate::error::Class;

/// The text in `value`, without a copy where Python keeps it as UTF-8. `name` is what it is called
/// in errors.
///
/// # Errors
///
/// `TypeError` if it is no `str`, `TextError` if it has a lone surrogate.
pub(crate) fn text_of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<PyBackedStr> {
    let py = value.py();
    let Ok(text) = value.cast::<PyString>() else {
        let kind = value.get_type().name()?;
        let advice = match value.is_instance_of::<PyBytes>() {
            true => ": decode it first, for example with `.decode(\"utf-8\")`",
            false => "",
        };
        let message = format!("{name} is of type {kind}, expected str{advice}");
        return Err(PyTypeError::new_err(message));
    };
    PyBackedStr::try_from(text.clone()).map_err(|error| {
        match error.is_instance_of::<PyUnicodeEncodeError>(py) {
            true => {
                let at = error.value(py).getattr("start");
                let at = at.map_or_else(|_| "?".to_string(), |at| at.to_string());
                Class::Text.error(
                    py,
                    format!(
                        "{name} has a lone surrogate at position {at}, which is no character: replace it, for example with `.encode(\"utf-8\", \"replace\").decode()`"
                    ),
                )
            }
            false => error,
        }
    })
}

/// The path in `value`: a `str`, or an object with `__fspath__`. `name` is what it is called in
/// errors.
///
/// # Errors
///
/// `TypeError` if it is neither.
pub(crate) fn path_of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<PyBackedStr> {
    let py = value.py();
    let path = match value.is_instance_of::<PyString>() {
        false if value.hasattr("__fspath__")? => {
            py.import("os")?.call_method1("fspath", (value,))?
        }
        _ => value.clone(),
    };
    text_of(&path, name).map_err(|error| match path.is_instance_of::<PyString>() {
        true => error,
        false => {
            let kind = path.get_type().name();
            let kind = kind.map_or_else(|_| "?".to_string(), |kind| kind.to_string());
            PyTypeError::new_err(format!(
                "{name} is of type {kind}, expected a str or a path"
            ))
        }
    })
}

/// Checks that a text is not too large.
///
/// # Errors
///
/// `TextError` if it is.
pub(crate) fn check_size(py: Python<'_>, text: &str) -> PyResult<()> {
    let size = text.len();
    match size <= LARGEST_TEXT {
        true => Ok(()),
        false => Err(Class::Text.error(
            py,
            format!("the text has {size} bytes, expected at most {LARGEST_TEXT}: divide it first"),
        )),
    }
}
