//! [`PyChunkingIterator`]: many documents, split on all cores.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};
use std::time::Duration;
use std::vec::IntoIter;

use pyo3::exceptions::{PyRuntimeError, PyStopIteration, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyString, PyTuple};
use rayon::prelude::*;

use crate::chunking::{GivenDocument, PyChunking, SplitText};
use crate::splitter::{NotSplit, Splitter};
use crate::text::{check_size, path_of, text_of};
use crate::work::{Threads, interruptible};

/// How many documents are split at a time, and how many bytes of text.
const DOCUMENTS: usize = 512;
const BYTES: usize = 8 << 20;

/// How long to wait before looking again whether another thread is done.
const TURN: Duration = Duration::from_millis(1);

/// The documents of `Chunker.chunk_many`, split.
#[pyclass(frozen, module = "excerpt", name = "ChunkingIterator")]
pub(crate) struct PyChunkingIterator {
    splitter: Py<Splitter>,
    threads: Threads,
    state: Mutex<State>,
    /// The thread that is advancing it.
    owner: Mutex<Option<ThreadId>>,
}

struct State {
    documents: Py<PyIterator>,
    /// What was split and not yet returned.
    ready: IntoIter<SplitText>,
    /// What is wrong with the document after these.
    failure: Option<PyErr>,
    /// How many documents were taken.
    taken: usize,
    has_ended: bool,
}

impl PyChunkingIterator {
    pub(crate) fn new(
        splitter: &Bound<'_, Splitter>,
        threads: Threads,
        documents: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        // The characters of a text and the keys of a dictionary are no documents.
        let is_single = documents.is_instance_of::<PyString>()
            || documents.is_instance_of::<PyBytes>()
            || documents.is_instance_of::<PyDict>();
        if is_single {
            let kind = documents.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "documents is of type {kind}, expected an iterable of documents: `chunk` splits a single one"
            )));
        }
        Ok(PyChunkingIterator {
            splitter: splitter.clone().unbind(),
            threads,
            state: Mutex::new(State {
                documents: documents.try_iter()?.unbind(),
                ready: Vec::new().into_iter(),
                failure: None,
                taken: 0,
                has_ended: false,
            }),
            owner: Mutex::default(),
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
        let splitter = self.splitter.get();
        let split: Vec<Result<SplitText, NotSplit>> = match &splitter.sizer {
            Some(_) => {
                let mut split = Vec::with_capacity(given.len());
                for given in given {
                    split.push(SplitText::whole(splitter, given));
                    if split.last().is_some_and(Result::is_err) {
                        break;
                    }
                }
                split
            }
            None => {
                // The pool belongs to this process, which the iterator may have been forked into.
                let pool = self.threads.pool(py)?;
                let work = interruptible(py, |stop| {
                    pool.install(|| {
                        let given = given.into_par_iter();
                        let split = given.map(|given| SplitText::until(splitter, given, stop));
                        split.collect()
                    })
                });
                // What was taken is lost, so nothing comes after it.
                work.inspect_err(|_| state.has_ended = true)?
            }
        };
        let mut ready = Vec::with_capacity(split.len());
        for split in split {
            match split {
                Ok(split) => ready.push(split),
                Err(error) => {
                    state.failure = Some(error.into_python(py));
                    state.has_ended = true;
                    break;
                }
            }
        }
        state.ready = ready.into_iter();
        Ok(())
    }

    /// The state, once no other thread is advancing the iterator.
    fn turn(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        let own = Some(thread::current().id());
        loop {
            match self.state.try_lock() {
                Ok(state) => return Ok(state),
                Err(TryLockError::Poisoned(state)) => return Ok(state.into_inner()),
                // The source of the documents has asked for the next one of these.
                Err(TryLockError::WouldBlock) if *self.owner() == own => {
                    let message = "the iterator is already being advanced";
                    return Err(PyValueError::new_err(message));
                }
                // Who is splitting needs the lock of the interpreter to finish.
                Err(TryLockError::WouldBlock) => {
                    py.detach(|| thread::sleep(TURN));
                    py.check_signals()?;
                }
            }
        }
    }

    fn owner(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn advance(&self, py: Python<'_>, state: &mut State) -> PyResult<Option<PyChunking>> {
        let chunking = |split| PyChunking::new(self.splitter.bind(py), split);
        if let Some(next) = state.ready.next() {
            return Ok(Some(chunking(next)));
        }
        while !state.has_ended {
            self.fill(py, state)?;
            if let Some(next) = state.ready.next() {
                return Ok(Some(chunking(next)));
            }
        }
        state.failure.take().map_or(Ok(None), Err)
    }
}

#[pymethods]
impl PyChunkingIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyChunking>> {
        let mut state = self.turn(py)?;
        *self.owner() = Some(thread::current().id());
        let next = self.advance(py, &mut state);
        *self.owner() = None;
        next.map_err(|error| not_the_end(py, error))
    }

    /// Does not visit what another thread is advancing, which is in use anyway.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Ok(state) = self.state.try_lock() {
            visit.call(&state.documents)?;
        }
        visit.call(&self.splitter)
    }
}

/// An error as an iterator may raise it: `StopIteration` of a function of the user, such as a
/// sizer, would end the iteration without a trace. In a generator, Python does the same.
fn not_the_end(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyStopIteration>(py) {
        return error;
    }
    let raised = PyRuntimeError::new_err("a sizer or `__fspath__` raised StopIteration");
    raised.set_cause(py, Some(error));
    raised
}

/// A document in an iterable: a text, a pair of text and path, or a dictionary.
fn document_of(item: &Bound<'_, PyAny>, number: usize) -> PyResult<GivenDocument> {
    let py = item.py();
    let name = format!("document {number}");
    let named = |field: &str| format!("the {field} of {name}");
    let plain = |text: Bound<'_, PyAny>| -> PyResult<GivenDocument> {
        let text = text_of(&text, &named("text"))?;
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
        document.path = (!path.is_none())
            .then(|| path_of(&path, &named("path")))
            .transpose()?;
        return Ok(document);
    }
    if let Ok(fields) = item.cast::<PyDict>() {
        let Some(text) = fields.get_item("text")? else {
            return Err(PyTypeError::new_err(format!("{name} has no \"text\"")));
        };
        let mut document = plain(text)?;
        for (key, value) in fields {
            let key = text_of(&key, &format!("a key of {name}"))?;
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
                    "path" => path_of(&value, &named("path"))?,
                    key => text_of(&value, &named(key))?,
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
