//! Batches, tables and streams of Arrow, from any library that has the Arrow C interface.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use excerpt_arrow::{BatchChunker, BatchEmbedder, BatchError, ChunkColumns, DocumentColumns, Stop};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatch, PyRecordBatchReader, PySchema, PyTable};

use crate::chunker::PyChunker;
use crate::embedder::PyEmbedder;
use crate::error::of_batch;
use crate::interpreter::Locked;
use crate::sizer;
use crate::work::{check_threads, interruptible, pool};

/// The columns of chunks, as a schema of Arrow with their version in its metadata.
#[pyfunction]
pub(crate) fn chunk_schema() -> PySchema {
    PySchema::new(Arc::new(ChunkColumns::schema()))
}

/// What turns batches into other batches.
#[derive(Clone)]
struct Step {
    work: Work,
    threads: Option<usize>,
}

#[derive(Clone)]
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

    fn on(&self, py: Python<'_>, batch: &RecordBatch) -> PyResult<RecordBatch> {
        let done = match self.work.calls_python() {
            true => {
                let done = self.work.run(batch, &Stop::default());
                sizer::take_raised().map_or(Ok(()), Err)?;
                done
            }
            false => {
                // The pool belongs to this process, which a stream may have been forked into.
                let pool = pool(py, self.threads)?;
                interruptible(py, |stop| pool.install(|| self.work.run(batch, stop)))?
            }
        };
        done.map_err(|error| of_batch(py, &error))
    }
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
        let (batch, locked) = locked.without(|| input.next());
        let batch = match batch? {
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
            Ok(done) => done.map_err(|error| {
                let text = error.to_string().replace('\0', " ");
                ArrowError::ExternalError(text.into())
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
    let given = batch.extract::<PyRecordBatch>().map_err(|error| {
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
    while let Some(batch) = py.detach(|| input.next()) {
        let batch = batch.map_err(|error| of_batch(py, &error.into()))?;
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

fn reader_of(stream: &Bound<'_, PyAny>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    let reader = stream.extract::<PyRecordBatchReader>().map_err(|error| {
        let advice = ", such as that of pyarrow, Polars or DuckDB: any with the Arrow C interface";
        wrong(stream, "a table or a stream", advice, error)
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
    if is_expected {
        return error;
    }
    let kind = given.get_type().name();
    let kind = kind.map_or_else(|_| "?".to_string(), |kind| kind.to_string());
    PyTypeError::new_err(format!(
        "this is of type {kind}, expected {expected}{advice}"
    ))
}

/// `result` as an object of the library that `given` is of.
fn like<'py>(given: &Bound<'py, PyAny>, result: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    py.import("excerpt._arrow")?
        .call_method1("like", (given, result))
}

#[pymethods]
impl PyChunker {
    /// Splits the documents of a record batch.
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
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = columns(text, path, id, title, language);
        batch_of(batch, &self.step(columns, threads)?)
    }

    /// Splits the documents of a table.
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
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = columns(text, path, id, title, language);
        table_of(table, &self.step(columns, threads)?)
    }

    /// Splits the documents of a stream of record batches, batch by batch as they are asked for.
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
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = columns(text, path, id, title, language);
        stream_of(stream, self.step(columns, threads)?)
    }

    /// The schema that the chunks of documents with the schema `documents` have.
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
        let known: PySchema = documents.extract()?;
        let schema = self.step(columns, None)?.schema(known.as_ref());
        let schema = schema.map_err(|error| of_batch(py, &error))?;
        like(
            documents,
            PySchema::new(schema).into_pyobject(py)?.into_any(),
        )
    }
}

impl PyChunker {
    fn step(&self, columns: DocumentColumns, threads: Option<usize>) -> PyResult<Step> {
        let chunker = BatchChunker::new(self.splitter.chunker.clone(), columns);
        let chunker = match &self.splitter.sizer {
            Some(sizer) => chunker.with_sizer(Arc::clone(sizer) as _),
            None => chunker,
        };
        check_threads(threads)?;
        Ok(Step {
            work: Work::Chunk(Box::new(chunker)),
            threads,
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
    /// Adds the vectors of the texts of a record batch.
    #[pyo3(signature = (batch, text=None, *, into="vector", threads=None))]
    fn embed_batch<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        text: Option<String>,
        into: &str,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        batch_of(batch, &self.step(text, into, threads)?)
    }

    /// Adds the vectors of the texts of a table.
    #[pyo3(signature = (table, text=None, *, into="vector", threads=None))]
    fn embed_table<'py>(
        &self,
        table: &Bound<'py, PyAny>,
        text: Option<String>,
        into: &str,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        table_of(table, &self.step(text, into, threads)?)
    }

    /// Adds the vectors of the texts of a stream of record batches, batch by batch.
    #[pyo3(signature = (stream, text=None, *, into="vector", threads=None))]
    fn embed_stream<'py>(
        &self,
        stream: &Bound<'py, PyAny>,
        text: Option<String>,
        into: &str,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        stream_of(stream, self.step(text, into, threads)?)
    }
}

impl PyEmbedder {
    fn step(&self, text: Option<String>, into: &str, threads: Option<usize>) -> PyResult<Step> {
        let embedder = BatchEmbedder::new(Arc::clone(&self.embedder), text, into.to_string());
        check_threads(threads)?;
        Ok(Step {
            work: Work::Embed(embedder),
            threads,
        })
    }
}
