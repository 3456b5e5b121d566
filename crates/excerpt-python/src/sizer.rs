//! A tokenizer or a function of the user as a sizer.

use std::cell::Cell;
use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use excerpt_chunk::Sizer;
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::error::Class;

/// The longest text whose size is kept, in bytes: a word.
const LONGEST_KEPT: usize = 64;
/// How many sizes are kept.
const MOST_KEPT: usize = 1 << 16;

thread_local! {
    /// What a sizer has raised on this thread that ends everything.
    static RAISED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// What a sizer has raised on this thread that is no `Exception`, such as `KeyboardInterrupt`.
pub(crate) fn take_raised() -> Option<PyErr> {
    RAISED.take()
}

/// A function in Python that returns the size of a text.
pub(crate) struct PySizer {
    /// What the user gave: a function, or an object that encodes texts.
    pub(crate) given: Py<PyAny>,
    size: Py<PyAny>,
    unit: String,
    /// The sizes of words: the same ones are measured again and again.
    kept: Mutex<HashMap<String, usize>>,
}

impl PySizer {
    /// # Errors
    ///
    /// `TypeError` when it can neither be called nor encode texts.
    pub(crate) fn new(given: &Bound<'_, PyAny>) -> PyResult<Arc<PySizer>> {
        let adapted = given.py().import("excerpt._sizer")?;
        let (size, unit) = adapted.call_method1("sizer", (given,))?.extract()?;
        Ok(Arc::new(PySizer {
            given: given.clone().unbind(),
            size,
            unit,
            kept: Mutex::default(),
        }))
    }

    /// Shows the garbage collector what it refers to.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.given)?;
        visit.call(&self.size)
    }
}

impl Sizer for PySizer {
    fn unit(&self) -> &str {
        &self.unit
    }

    fn size(&self, text: &str) -> Result<usize, Box<dyn Error + Send + Sync>> {
        // Nothing more is asked of it until that is raised.
        if let Some(raised) = RAISED.take() {
            RAISED.set(Some(raised));
            return Err("interrupted".into());
        }
        let is_kept = text.len() <= LONGEST_KEPT;
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if is_kept && let Some(size) = kept().get(text) {
            return Ok(*size);
        }
        let size = Python::attach(|py| {
            let size = self.size.bind(py).call1((text,));
            let size = size.and_then(|size| checked(&size, text));
            size.inspect_err(|error| {
                // `KeyboardInterrupt` and the like are about the program, and not about the text.
                if !error.is_instance_of::<PyException>(py) {
                    RAISED.set(Some(error.clone_ref(py)));
                }
            })
        })?;
        if is_kept {
            let mut kept = kept();
            if kept.len() < MOST_KEPT {
                kept.insert(text.to_string(), size);
            }
        }
        Ok(size)
    }
}

/// The size that a sizer has returned for a text.
///
/// # Errors
///
/// `TypeError` if it is no whole number, and `TextError` if no text has this size.
fn checked(size: &Bound<'_, PyAny>, text: &str) -> PyResult<usize> {
    let py = size.py();
    let expected = "expected a whole number from 0";
    let is_whole = size.hasattr("__index__")?;
    match size.extract::<usize>() {
        // All sizes of chunks would be too large.
        Ok(count) if count > 0 && text.is_empty() => Err(Class::Text.error(
            py,
            format!(
                "the sizer returned {count} for the empty text, expected 0: do not count special tokens, such as those at the beginning and the end"
            ),
        )),
        Ok(count) => Ok(count),
        Err(_) => {
            let shown = size.repr()?;
            let message = format!("the sizer returned {shown}, {expected}");
            Err(match is_whole {
                true => Class::Text.error(py, message),
                false => PyTypeError::new_err(message),
            })
        }
    }
}
