//! [`PyChunking`]: the chunks of one document. It keeps the text as Python has it, and each chunk
//! is converted when it is asked for.

use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{LazyLock, OnceLock};

use excerpt_arrow::Stop;
use excerpt_chunk::Document;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyIterator, PyString, PyTuple};
use self_cell::self_cell;

use crate::chunk::PyChunk;
use crate::sequence::{Subscript, found, items, iterator};
use crate::splitter::{NotSplit, Splitter};

type Split<'a> = excerpt_chunk::Chunking<'a>;

self_cell!(
    /// A document, and how it was split.
    pub(crate) struct SplitText {
        owner: GivenDocument,
        #[covariant]
        dependent: Split,
    }
);

/// A document to be split, as Python has it.
pub(crate) struct GivenDocument {
    pub(crate) text: PyBackedStr,
    pub(crate) path: Option<PyBackedStr>,
    pub(crate) title: Option<PyBackedStr>,
    pub(crate) language: Option<PyBackedStr>,
    pub(crate) id: Option<PyBackedStr>,
}

impl GivenDocument {
    pub(crate) fn document(&self) -> Document<'_> {
        let mut document = Document::new(&self.text);
        if let Some(path) = &self.path {
            document = document.with_path(path);
        }
        if let Some(title) = &self.title {
            document = document.with_title(title);
        }
        if let Some(language) = &self.language {
            document = document.with_language(language);
        }
        if let Some(id) = &self.id {
            document = document.with_id(id);
        }
        document
    }
}

/// The chunks of a document, in the order of its text: a sequence.
///
/// Two are equal if the same document was split into the same chunks. A chunking and its chunks can
/// be pickled if the chunker can: the text and the settings are stored, and the text is split again
/// where they are read, so a chunk alone takes as much as its document.
#[pyclass(frozen, sequence, module = "excerpt", name = "Chunking")]
pub(crate) struct PyChunking {
    split: SplitText,
    splitter: Py<Splitter>,
    /// The characters of each chunk, once they are asked for.
    chars: OnceLock<Vec<Range<usize>>>,
}

impl SplitText {
    /// Splits a document on this thread, to the end.
    pub(crate) fn whole(splitter: &Splitter, given: GivenDocument) -> Result<Self, NotSplit> {
        SplitText::try_new(given, |given| match &splitter.sizer {
            Some(sizer) => {
                let chunking = splitter.chunker.chunk_with(&given.document(), sizer);
                chunking.map_err(NotSplit::Size)
            }
            None => Ok(splitter.chunker.chunk(&given.document())),
        })
    }

    /// Splits a document unless it is stopped.
    pub(crate) fn until(
        splitter: &Splitter,
        given: GivenDocument,
        stop: &Stop,
    ) -> Result<Self, NotSplit> {
        if stop.load(Ordering::Relaxed) {
            return Err(NotSplit::Stopped);
        }
        SplitText::try_new(given, |given| {
            let chunking = splitter.chunker.try_chunk(&given.document(), stop);
            chunking.ok_or(NotSplit::Stopped)
        })
    }
}

impl PyChunking {
    /// What `splitter` has split.
    pub(crate) fn new(splitter: &Bound<'_, Splitter>, split: SplitText) -> Self {
        PyChunking {
            split,
            splitter: splitter.clone().unbind(),
            chars: OnceLock::new(),
        }
    }

    /// The text of the document.
    pub(crate) fn text(&self) -> &str {
        &self.split.borrow_owner().text
    }

    pub(crate) fn get(&self) -> &Split<'_> {
        self.split.borrow_dependent()
    }

    /// The characters of the chunk at `ordinal`.
    pub(crate) fn chars(&self, ordinal: usize) -> Range<usize> {
        let chars = || self.get().chars(self.text()).collect();
        self.chars.get_or_init(chars)[ordinal].clone()
    }
}

#[pymethods]
impl PyChunking {
    /// The text of the document.
    #[getter(text)]
    fn py_text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, self.text())
    }

    /// The path of the document.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.split.borrow_owner().path.as_deref()
    }

    /// The strategy that was used.
    #[getter]
    fn strategy(&self) -> &'static str {
        self.get().strategy.name()
    }

    /// Why this strategy.
    #[getter]
    fn reason(&self) -> &str {
        &self.get().reason
    }

    /// What the sizes count.
    #[getter]
    fn unit(&self) -> &str {
        &self.get().unit
    }

    /// The size of the whole text, in `unit`.
    #[getter]
    fn size(&self) -> usize {
        self.get().size
    }

    /// The bytes in no chunk, as pairs of start and end.
    #[getter]
    fn gaps(&self) -> Vec<(usize, usize)> {
        let gaps = self.get().gaps.iter();
        gaps.map(|gap| (gap.start, gap.end)).collect()
    }

    /// Warnings about the document as a whole.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let warnings = self.get().warnings.iter();
        warnings.map(ToString::to_string).collect()
    }

    /// The title of the document: from its front matter, or its first heading.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.get().document.title.as_deref()
    }

    /// What the front matter of the document says, or the header of its format.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_json(py, &self.get().document.metadata)
    }

    /// All chunks, as a list.
    #[getter]
    fn chunks(slf: &Bound<'_, Self>) -> Vec<PyChunk> {
        let count = slf.get().get().chunks.len();
        (0..count).map(|at| PyChunk::new(slf, at)).collect()
    }

    /// The chunks as flat rows, with the columns of `chunk_schema()` but `error`.
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let records: Vec<_> = self.get().records(self.text()).collect();
        of_json(py, &records)
    }

    /// The page of `excerpt chunk --format html` for this document.
    fn to_html(&self, py: Python<'_>) -> String {
        let name = self.path().unwrap_or("(text)");
        let chunker = &self.splitter.get().chunker;
        py.detach(|| excerpt::preview(name, self.text(), self.get(), chunker.config()))
    }

    /// The page of `to_html()`, to look at: a notebook shows it, and `.open()` opens it in a
    /// browser.
    fn show<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("excerpt._preview")?.getattr("Preview")?;
        class.call1((self.to_html(py),))
    }

    /// The page, in a frame: a notebook shows it.
    fn _repr_html_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.show(py)?.call_method0("_repr_html_")
    }

    fn __len__(&self) -> usize {
        self.get().chunks.len()
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        index: Subscript<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = slf.get().get().chunks.len();
        items(slf.py(), &index, count, |at| PyChunk::new(slf, at))
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        let count = slf.get().get().chunks.len();
        iterator(slf.py(), count, |at| PyChunk::new(slf, at))
    }

    /// The place of the first equal item, from `start` to before `stop`; `ValueError` if there is
    /// none.
    #[pyo3(signature = (value, start=0, stop=None, /))]
    fn index<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: Option<isize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        found(slf.py(), "index", (slf, value, start, stop))
    }

    /// How many items are equal to this one.
    #[pyo3(signature = (value, /))]
    fn count<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        found(slf.py(), "count", (slf, value))
    }

    /// Whether the same document was split into the same chunks.
    fn __eq__(&self, other: &Self) -> bool {
        let (own, others) = (self.get(), other.get());
        let same_text = self.text() == other.text() && self.path() == other.path();
        let same_way = own.strategy == others.strategy && own.unit == others.unit;
        let records = own.records(self.text());
        same_text && same_way && records.eq(others.records(other.text()))
    }

    fn __hash__(&self) -> u64 {
        static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        HASHER.hash_one((self.text(), self.path()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.splitter)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let this = slf.get();
        let given = this.split.borrow_owner();
        let named = PyDict::new(py);
        let values = [
            ("path", &given.path),
            ("title", &given.title),
            ("language", &given.language),
            ("id", &given.id),
        ];
        for (name, value) in values {
            if let Some(value) = value {
                named.set_item(name, &**value)?;
            }
        }
        let arguments = this.splitter.get().arguments(py)?;
        let build = py.import("excerpt._pickle")?.getattr("chunking")?;
        Ok((build, (arguments, &*given.text, named).into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        let count = counted(self.get().chunks.len(), "chunk");
        let (strategy, unit, size) = (self.strategy(), &self.get().unit, self.get().size);
        match self.path() {
            Some(path) => {
                format!("<Chunking of {path:?}: {count}, {size} {unit}, {strategy}>")
            }
            None => format!("<Chunking: {count}, {size} {unit}, {strategy}>"),
        }
    }
}

/// A value as Python has it, by way of JSON.
pub(crate) fn of_json<'py>(
    py: Python<'py>,
    value: &impl serde::Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let written = serde_json::to_string(value);
    let written =
        written.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (written,))
}

/// `1 chunk`, `2 chunks`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
