//! Batches, tables and streams of Arrow, from any library that has the Arrow C interface.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use excerpt_arrow::{BatchChunker, BatchEmbedder, BatchError, ChunkColumns, DocumentColumns, Stop};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::{PyArray, PyArrayReader, PyRecordBatch, PyRecordBatchReader, PySchema, PyTable};

use crate::chunker::PyChunker;
use crate::embedder::PyEmbedder;
use crate::error::{Class, of_batch};
use crate::interpreter::{Locked, raise_soon};
use crate::sizer;
use crate::work::{Threads, interruptible};

/// The columns of chunks as a schema of Arrow, `pyarrow.schema(chunk_schema())`.
///
/// Its metadata has the version of the columns as `excerpt.schema`. All columns are of type string,
/// int64 or list of strings, and all may be null: in the row of a document that cannot be split,
/// only `path` and `error` are not.
#[pyfunction]
pub(crate) fn chunk_schema() -> PySchema {
    PySchema::new(Arc::new(ChunkColumns::schema()))
}

/// What turns batches into other batches.
struct Step {
    work: Work,
    threads: Threads,
}

enum Work {
    Chunk(Box<BatchChunker>),
    Embed(BatchEmbedder),
}

impl Work {
    fn run(&self, batch: &RecordBatch, stop: &Stop) -> Result<RecordBatch, BatchError> {
        match self {
            Work::Chunk(chunker) => chunker.chunk(batch, stop),
            Work::Embed(embedder) => embedder.embed(batch, stop),
        }
    }

    /// Whether it calls functions in Python, which must be on this thread.
    fn calls_python(&self) -> bool {
        match self {
            Work::Chunk(chunker) => chunker.has_sizer(),
            Work::Embed(_) => false,
        }
    }
}

impl Step {
    fn schema(&self, input: &Schema) -> Result<SchemaRef, BatchError> {
        match &self.work {
            Work::Chunk(chunker) => chunker.schema(input),
            Work::Embed(embedder) => embedder.schema(input),
        }
    }

    fn on(&self, py: Python<'_>, batch: &RecordBatch) -> Result<RecordBatch, Ended> {
        let done = match self.work.calls_python() {
            true => {
                let done = self.work.run(batch, &Stop::default());
                match sizer::take_raised() {
                    Some(raised) => return Err(Ended::Failed(raised)),
                    None => done,
                }
            }
            false => {
                // The pool belongs to this process, which a stream may have been forked into.
                let pool = self.threads.pool(py).map_err(Ended::Failed)?;
                let done = interruptible(py, |stop| pool.install(|| self.work.run(batch, stop)));
                done.map_err(Ended::Signal)?
            }
        };
        done.map_err(|error| Ended::Failed(of_batch(py, &error)))
    }
}

/// Why a batch has no result.
enum Ended {
    Failed(PyErr),
    /// A signal handler has raised this, such as `KeyboardInterrupt`.
    Signal(PyErr),
}

impl From<Ended> for PyErr {
    fn from(ended: Ended) -> PyErr {
        match ended {
            Ended::Failed(error) | Ended::Signal(error) => error,
        }
    }
}

/// What reading from another library returns. It may hand over something else than its schema says,
/// over which the library of Arrow panics: an error of the caller, not of this package.
///
/// # Errors
///
/// When it panics.
fn checked<T>(read: impl FnOnce() -> T) -> Result<T, ArrowError> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| {
        let message = "the data is not as its schema says: the types or the number of its columns \
                       differ";
        ArrowError::SchemaError(message.to_string())
    })
}

/// The error for input that cannot be read.
fn unreadable(py: Python<'_>, error: &ArrowError) -> PyErr {
    let text = match error {
        ArrowError::CDataInterface(text) | ArrowError::SchemaError(text) => text.clone(),
        error => error.to_string(),
    };
    // Libraries in Python write a whole traceback, whose last line says what was raised.
    let raised = text
        .split_once("Python exception: ")
        .map(|(_, trace)| trace.trim_end());
    let raised = raised.and_then(|trace| trace.lines().next_back());
    let reason = raised.unwrap_or(&text);
    Class::Batch.error(py, format!("the input cannot be read: {reason}"))
}

/// A stream whose batches are turned into others when they are asked for.
struct Stepped {
    /// `None` only while it is dropped, as the step.
    input: Option<Box<dyn RecordBatchReader + Send>>,
    step: Option<Step>,
    schema: SchemaRef,
}

impl Iterator for Stepped {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let ends = || {
            Some(Err(ArrowError::ComputeError(
                "Python is shutting down".to_string(),
            )))
        };
        let Some(locked) = Locked::new() else {
            return ends();
        };
        // What is behind the input may need the lock on a thread of its own.
        let input = self.input.as_mut()?;
        let (batch, locked) = locked.without(|| checked(|| input.next()));
        let batch = match batch.transpose()?.flatten() {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error)),
        };
        let Some(_locked) = locked else {
            return ends();
        };
        let step = self.step.as_ref()?;
        // Who asks may be no Rust: a panic would end the process there.
        let done = catch_unwind(AssertUnwindSafe(|| {
            Python::attach(|py| step.on(py, &batch))
        }));
        Some(match done {
            // As text: what asks may have released the lock when it writes the error or drops it.
            // A string of C ends at a NUL character.
            Ok(done) => done.map_err(|ended| {
                let text = PyErr::to_string(match &ended {
                    Ended::Failed(error) | Ended::Signal(error) => error,
                });
                // What asks takes it for an error of its data, with which a program may go on.
                if let Ended::Signal(raised) = ended {
                    raise_soon(raised);
                }
                ArrowError::ExternalError(text.replace('\0', " ").into())
            }),
            Err(_) => Err(ArrowError::ComputeError(
                "a batch made it panic".to_string(),
            )),
        })
    }
}

impl Drop for Stepped {
    fn drop(&mut self) {
        let (input, step) = (self.input.take(), self.step.take());
        let locked = Locked::new().and_then(|locked| locked.without(|| drop(input)).1);
        match locked {
            Some(_locked) => drop(step),
            // There is nobody left to drop objects in Python.
            None => std::mem::forget(step),
        }
    }
}

impl RecordBatchReader for Stepped {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// A batch, turned into another one, of the library that `batch` is of.
fn batch_of<'py>(batch: &Bound<'py, PyAny>, step: &Step) -> PyResult<Bound<'py, PyAny>> {
    let py = batch.py();
    let given = checked(|| batch.extract::<PyRecordBatch>());
    let given = given
        .map_err(|error| unreadable(py, &error))?
        .map_err(|error| {
            let advice = match batch.hasattr("__arrow_c_stream__") {
                Ok(true) => ": for a table or a stream there is a method of its own",
                _ => ", such as that of pyarrow: any with the Arrow C interface",
            };
            wrong(batch, "a record batch", advice, error)
        })?;
    let done = step.on(py, given.as_ref())?;
    like(
        batch,
        PyRecordBatch::new(done).into_pyobject(py)?.into_any(),
    )
}

/// A table, turned into another one, of the library that `table` is of.
fn table_of<'py>(table: &Bound<'py, PyAny>, step: &Step) -> PyResult<Bound<'py, PyAny>> {
    let py = table.py();
    let mut input = reader_of(table)?;
    let schema = step.schema(&input.schema());
    let schema = schema.map_err(|error| of_batch(py, &error))?;
    let mut batches = Vec::new();
    // What is behind the table may need the lock of the interpreter on a thread of its own.
    while let Some(batch) = py.detach(|| checked(|| input.next()).transpose()) {
        let batch = batch.flatten().map_err(|error| unreadable(py, &error))?;
        batches.push(step.on(py, &batch)?);
    }
    let done = PyTable::try_new(batches, schema)?;
    like(table, done.into_pyobject(py)?.into_any())
}

/// A stream, turned into another one.
fn stream_of<'py>(stream: &Bound<'py, PyAny>, step: Step) -> PyResult<Bound<'py, PyAny>> {
    let py = stream.py();
    let input = reader_of(stream)?;
    let schema = step.schema(&input.schema());
    let schema = schema.map_err(|error| of_batch(py, &error))?;
    let stepped = Stepped {
        input: Some(input),
        step: Some(step),
        schema,
    };
    let done = PyRecordBatchReader::new(Box::new(stepped));
    like(stream, done.into_pyobject(py)?.into_any())
}

fn reader_of(given: &Bound<'_, PyAny>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    let py = given.py();
    let stream = py
        .import("excerpt._arrow")?
        .call_method1("readable", (given,))?;
    let reader = checked(|| stream.extract::<PyRecordBatchReader>());
    let reader = reader
        .map_err(|error| unreadable(py, &error))?
        .map_err(|error| {
            let advice =
                ", such as that of pyarrow, Polars or DuckDB: any with the Arrow C interface";
            wrong(given, "a table or a stream", advice, error)
        })?;
    reader.into_reader()
}

/// The error for an object that has no Arrow data. What it raised itself is raised.
fn wrong(given: &Bound<'_, PyAny>, expected: &str, advice: &str, error: PyErr) -> PyErr {
    let method = match expected {
        "a record batch" => "__arrow_c_array__",
        _ => "__arrow_c_stream__",
    };
    let is_expected = given.hasattr(method).unwrap_or(false);
    let py = given.py();
    match is_expected && !is_column(given) {
        // What the object itself raises has a traceback.
        true if error.is_instance_of::<PyValueError>(py) && error.traceback(py).is_none() => {
            let text = error.value(py).to_string();
            let text = text.trim_start_matches("C Data interface error: ");
            let advice = py
                .import("excerpt._arrow")
                .and_then(|module| module.call_method1("advice", (given,))?.extract::<String>());
            let text = format!("{text}{}", advice.unwrap_or_default());
            unreadable(py, &ArrowError::CDataInterface(text))
        }
        true => error,
        false if is_expected => of_other_type(given, expected, ": give the table that it is in"),
        false => of_other_type(given, expected, advice),
    }
}

fn of_other_type(given: &Bound<'_, PyAny>, expected: &str, advice: &str) -> PyErr {
    let kind = given.get_type().name();
    let kind = kind.map_or_else(|_| "?".to_string(), |kind| kind.to_string());
    PyTypeError::new_err(format!(
        "this is of type {kind}, expected {expected}{advice}"
    ))
}

/// Whether an object with Arrow data has those of a single column.
fn is_column(given: &Bound<'_, PyAny>) -> bool {
    let of_stream = || {
        let reader = given.extract::<PyArrayReader>().ok()?;
        Some(reader.field_ref().ok()?.data_type().clone())
    };
    let of_array = given.extract::<PyArray>();
    let kind = of_array.map(|array| array.field().data_type().clone());
    let kind = kind.ok().or_else(of_stream);
    kind.is_some_and(|kind| !matches!(kind, DataType::Struct(_)))
}

/// `result` as an object of the library that `given` is of.
fn like<'py>(given: &Bound<'py, PyAny>, result: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    py.import("excerpt._arrow")?
        .call_method1("like", (given, result))
}

#[pymethods]
impl PyChunker {
    /// Split the documents of a record batch, one a row, into a batch with one chunk a row.
    ///
    /// The arguments name columns: `text` of any string type or binary with UTF-8, the others also
    /// of whole numbers, and `id` of any binary type, such as UUIDs. The other columns are repeated
    /// for each chunk, with `document_` in front of a name that a column of chunks has, and those
    /// of `chunk_schema()` are added. A document without text has no row. One that cannot be split
    /// has a row with `error`: one whose text is null, not UTF-8 or larger than 256 MiB, or on
    /// which the sizer fails. The same batch gives the same rows.
    ///
    /// Any object with the Arrow C interface is taken. The result is of the same library for
    /// pyarrow, and otherwise an object with that interface.
    ///
    /// Raises `BatchError` for columns that are missing, have the wrong type or a name that occurs
    /// twice, for input that cannot be read, and for a result of more than 2 GiB, and `TypeError`
    /// if `batch` is not a record batch.
    #[pyo3(signature = (batch, text="text", path=None, id=None, *, title=None, language=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn chunk_batch<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        text: &str,
        path: Option<String>,
        id: Option<String>,
        title: Option<String>,
        language: Option<String>,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = columns(text, path, id, title, language);
        batch_of(batch, &self.step(columns, threads)?)
    }

    /// Split the documents of a table, as `chunk_batch` does.
    ///
    /// The result is a table of pyarrow, Polars or pandas if `table` is of one of these, and
    /// otherwise one with the Arrow C interface. The columns are checked before anything is split.
    /// A column of type `Null` of Polars is returned as one of strings, and an index of pandas
    /// without a name is left out. Raises what `chunk_batch` raises.
    #[pyo3(signature = (table, text="text", path=None, id=None, *, title=None, language=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn chunk_table<'py>(
        &self,
        table: &Bound<'py, PyAny>,
        text: &str,
        path: Option<String>,
        id: Option<String>,
        title: Option<String>,
        language: Option<String>,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = columns(text, path, id, title, language);
        table_of(table, &self.step(columns, threads)?)
    }

    /// Split the documents of a stream of record batches, each batch when it is asked for.
    ///
    /// The result is a stream with the Arrow C interface, of pyarrow if `stream` is. What is wrong
    /// with the columns is raised at once, as `chunk_batch` does, and what is wrong with a batch
    /// when it is read.
    #[pyo3(signature = (stream, text="text", path=None, id=None, *, title=None, language=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments")]
    fn chunk_stream<'py>(
        &self,
        stream: &Bound<'py, PyAny>,
        text: &str,
        path: Option<String>,
        id: Option<String>,
        title: Option<String>,
        language: Option<String>,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = columns(text, path, id, title, language);
        stream_of(stream, self.step(columns, threads)?)
    }

    /// The schema that the chunks of documents with this schema have.
    ///
    /// Raises `BatchError` for columns that are missing, have the wrong type or a name that occurs
    /// twice, and `TypeError` if `documents` is not a schema.
    #[pyo3(signature = (documents, text="text", path=None, id=None, *, title=None, language=None))]
    fn schema<'py>(
        &self,
        documents: &Bound<'py, PyAny>,
        text: &str,
        path: Option<String>,
        id: Option<String>,
        title: Option<String>,
        language: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = documents.py();
        let columns = columns(text, path, id, title, language);
        let known = documents.extract::<PySchema>().map_err(|_| {
            let advice = match documents.hasattr("schema") {
                Ok(true) => ": give its `schema`",
                _ => ", such as that of pyarrow: any with the Arrow C interface",
            };
            of_other_type(documents, "a schema", advice)
        })?;
        let schema = self.step(columns, None)?.schema(known.as_ref());
        let schema = schema.map_err(|error| of_batch(py, &error))?;
        like(
            documents,
            PySchema::new(schema).into_pyobject(py)?.into_any(),
        )
    }
}

impl PyChunker {
    fn step(&self, columns: DocumentColumns, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Step> {
        let chunker = BatchChunker::new(self.splitter.get().chunker.clone(), columns);
        let chunker = match &self.splitter.get().sizer {
            Some(sizer) => chunker.with_sizer(Arc::clone(sizer) as _),
            None => chunker,
        };
        Ok(Step {
            work: Work::Chunk(Box::new(chunker)),
            threads: Threads::new(threads)?,
        })
    }
}

fn columns(
    text: &str,
    path: Option<String>,
    id: Option<String>,
    title: Option<String>,
    language: Option<String>,
) -> DocumentColumns {
    DocumentColumns {
        text: text.to_string(),
        path,
        id,
        title,
        language,
    }
}

#[pymethods]
impl PyEmbedder {
    /// Add the vectors of the texts of a record batch as the column `into`, a list of float32 of
    /// fixed size.
    ///
    /// `text` is the column to embed. By default that is the header, the overlap and the text of
    /// chunks together. It is null where there is no text.
    ///
    /// Raises `BatchError` for columns that are missing, have the wrong type or exist already, and
    /// for input that cannot be read, and `ModelError` when the model fails.
    #[pyo3(signature = (batch, text=None, *, into="vector", threads=None))]
    fn embed_batch<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        text: Option<String>,
        into: &str,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        batch_of(batch, &self.step(text, into, threads)?)
    }

    /// Add the vectors of the texts of a table, as `embed_batch` does.
    #[pyo3(signature = (table, text=None, *, into="vector", threads=None))]
    fn embed_table<'py>(
        &self,
        table: &Bound<'py, PyAny>,
        text: Option<String>,
        into: &str,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        table_of(table, &self.step(text, into, threads)?)
    }

    /// Add the vectors of the texts of a stream of record batches, each batch when it is asked for.
    ///
    /// What is wrong with the columns is raised at once, and what is wrong with a batch when it is
    /// read.
    #[pyo3(signature = (stream, text=None, *, into="vector", threads=None))]
    fn embed_stream<'py>(
        &self,
        stream: &Bound<'py, PyAny>,
        text: Option<String>,
        into: &str,
        threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        stream_of(stream, self.step(text, into, threads)?)
    }
}

impl PyEmbedder {
    fn step(
        &self,
        text: Option<String>,
        into: &str,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Step> {
        let embedder = BatchEmbedder::new(Arc::clone(&self.embedder), text, into.to_string());
        Ok(Step {
            work: Work::Embed(embedder),
            threads: Threads::new(threads)?,
        })
    }
}
