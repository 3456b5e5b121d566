//! [`PyChunkingIterator`]: many documents, split on all cores.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::vec::IntoIter;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString, PyTuple};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::chunker::{Splitter, check_size};
use crate::chunking::{GivenDocument, PyChunking};
use crate::error::{Class, with_sources};
use crate::text::{path_of, text_of};
use crate::work::interruptible;

/// How many documents are split at a time, and how many bytes of text.
const DOCUMENTS: usize = 512;
const BYTES: usize = 8 << 20;

/// Splits the documents of an iterable, some hundred at a time, and returns them in order.
#[pyclass(frozen, module = "excerpt", name = "ChunkingIterator")]
pub(crate) struct PyChunkingIterator {
    splitter: Splitter,
    pool: Arc<ThreadPool>,
    state: Mutex<State>,
}

struct State {
    documents: Py<PyIterator>,
    /// What was split and not yet returned.
    ready: IntoIter<PyChunking>,
    /// What is wrong with the document after these.
    failure: Option<PyErr>,
    /// How many documents were taken.
    taken: usize,
    has_ended: bool,
}

impl PyChunkingIterator {
    pub(crate) fn new(
        splitter: Splitter,
        pool: Arc<ThreadPool>,
        documents: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        Ok(PyChunkingIterator {
            splitter,
            pool,
            state: Mutex::new(State {
                documents: documents.try_iter()?.unbind(),
                ready: Vec::new().into_iter(),
                failure: None,
                taken: 0,
                has_ended: false,
            }),
        })
    }

    /// Splits the next documents.
    fn fill(&self, py: Python<'_>, state: &mut State) -> PyResult<()> {
        let mut given = Vec::new();
        let mut bytes = 0;
        let mut documents = state.documents.bind(py).clone();
        while given.len() < DOCUMENTS && bytes < BYTES && state.failure.is_none() {
            let Some(item) = documents.next() else {
                state.has_ended = true;
                break;
            };
            match item.and_then(|item| document_of(&item, state.taken)) {
                Ok(document) => {
                    bytes += document.text.len();
                    state.taken += 1;
                    given.push(document);
                }
                Err(error) => {
                    state.failure = Some(error);
                    state.has_ended = true;
                }
            }
        }
        let splitter = &self.splitter;
        let split = match &splitter.sizer {
            Some(_) => {
                let split = given.into_iter().map(|given| splitter.split_here(given));
                split.collect::<Result<Vec<_>, _>>()
            }
            None => interruptible(py, |stop| {
                self.pool.install(|| {
                    let given = given.into_par_iter();
                    let split = given.map(|given| splitter.split_until(given, stop));
                    split.collect::<Result<Vec<_>, _>>()
                })
            })?,
        };
        let split = split.map_err(|error| match error.into_python(py) {
            Some(error) => error,
            None => Class::Text.error(py, "stopped"),
        })?;
        state.ready = split.into_iter();
        Ok(())
    }
}

#[pymethods]
impl PyChunkingIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyChunking>> {
        // Another thread that is splitting needs the lock of the interpreter to finish.
        let mut state = loop {
            match self.state.try_lock() {
                Ok(state) => break state,
                Err(std::sync::TryLockError::Poisoned(state)) => break state.into_inner(),
                Err(std::sync::TryLockError::WouldBlock) => {
                    py.detach(|| drop(self.state.lock().unwrap_or_else(PoisonError::into_inner)));
                }
            }
        };
        if let Some(next) = state.ready.next() {
            return Ok(Some(next));
        }
        while !state.has_ended {
            self.fill(py, &mut state)?;
            if let Some(next) = state.ready.next() {
                return Ok(Some(next));
            }
        }
        match state.failure.take() {
            Some(error) => Err(error),
            None => Ok(None),
        }
    }
}

/// A document in an iterable: a text, a pair of text and path, or a dictionary.
fn document_of(item: &Bound<'_, PyAny>, number: usize) -> PyResult<GivenDocument> {
    let py = item.py();
    let name = format!("document {number}");
    let plain = |text: Bound<'_, PyAny>| -> PyResult<GivenDocument> {
        let text = text_of(&text, &format!("the text of {name}"))?;
        check_size(py, &text)?;
        Ok(GivenDocument {
            text,
            path: None,
            title: None,
            language: None,
            id: None,
        })
    };
    if item.is_instance_of::<PyString>() {
        return plain(item.clone());
    }
    if let Ok(pair) = item.cast::<PyTuple>()
        && pair.len() == 2
    {
        let mut document = plain(pair.get_item(0)?)?;
        let path = pair.get_item(1)?;
        document.path = (!path.is_none()).then(|| path_of(&path)).transpose()?;
        return Ok(document);
    }
    if let Ok(fields) = item.cast::<PyDict>() {
        let Some(text) = fields.get_item("text")? else {
            return Err(PyTypeError::new_err(format!("{name} has no \"text\"")));
        };
        let mut document = plain(text)?;
        for (key, value) in fields {
            let key = text_of(&key, "a key")?;
            let slot = match &*key {
                "text" => continue,
                "path" => &mut document.path,
                "title" => &mut document.title,
                "language" => &mut document.language,
                "id" => &mut document.id,
                other => {
                    return Err(PyTypeError::new_err(format!(
                        "{name} has the unknown key {other:?}, expected text, path, title, language or id"
                    )));
                }
            };
            if !value.is_none() {
                *slot = Some(match &*key {
                    "path" => path_of(&value)?,
                    key => text_of(&value, key)?,
                });
            }
        }
        return Ok(document);
    }
    let kind = item.get_type().name()?;
    let message = format!(
        "{name} is of type {kind}, expected a str, a pair of text and path, or a dict with \"text\""
    );
    Err(PyTypeError::new_err(message))
}

/// Why a document was not split.
pub(crate) enum NotSplit {
    /// The sizer failed.
    Size(excerpt_chunk::SizeError),
    /// It was stopped.
    Stopped,
}

impl NotSplit {
    /// The error to raise; `None` if it was stopped.
    pub(crate) fn into_python(self, py: Python<'_>) -> Option<PyErr> {
        match self {
            NotSplit::Stopped => None,
            NotSplit::Size(excerpt_chunk::SizeError::Failed { source, bytes }) => {
                match source.downcast::<PyErr>() {
                    // What the function of the user has raised.
                    Ok(raised) => Some(*raised),
                    Err(source) => {
                        let error = excerpt_chunk::SizeError::Failed { source, bytes };
                        Some(Class::Text.error(py, with_sources(&error)))
                    }
                }
            }
            NotSplit::Size(error) => Some(Class::Text.error(py, with_sources(&error))),
        }
    }
}
