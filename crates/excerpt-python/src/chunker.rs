//! [`PyChunker`]: a configuration that splits texts and batches.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::chunking::{GivenDocument, PyChunking, SplitText, of_json};
use crate::error::Class;
use crate::many::PyChunkingIterator;
use crate::outline::PyOutline;
use crate::settings::settings_of;
use crate::sizer::PySizer;
use crate::splitter::Splitter;
use crate::text::{check_size, path_of, text_of};
use crate::work::{Threads, interruptible};

/// The longest text that is split without a look at signals, in bytes: some milliseconds.
const SHORT: usize = 256 << 10;

/// Splits documents with one configuration.
///
/// The settings are those of the command line and of `excerpt.toml`. Sizes are in tokens of four
/// characters unless `unit` or `sizer` says otherwise; a size counts the context, the overlap and
/// the text together.
///
/// - `preset`: where settings come from that are not given. Default: `auto`, 400 tokens by the kind
///   of content.
/// - `sizer`: a function that returns the size of a text, or a tokenizer of `tokenizers`,
///   `tiktoken` or `transformers`: sizes count what it counts. A tokenizer in Rust is fast enough
///   for most uses; one in Python is what takes the time.
/// - `target`, `max`, `min`: the size to aim at, the limit that no chunk exceeds, and the size
///   below which chunks are joined.
/// - `overlap`: how much of the previous chunk is repeated, in the unit of the sizes or as `"15%"`.
///
/// Raises `ConfigError`, which names what is unknown, wrong or contradictory. A chunker can be
/// pickled if its sizer can, and any number of threads may use it.
#[pyclass(frozen, module = "excerpt", name = "Chunker")]
pub(crate) struct PyChunker {
    pub(crate) splitter: Py<Splitter>,
}

#[pymethods]
impl PyChunker {
    #[new]
    #[pyo3(signature = (preset=None, *, sizer=None, **settings))]
    fn new(
        py: Python<'_>,
        preset: Option<Bound<'_, PyAny>>,
        sizer: Option<Bound<'_, PyAny>>,
        settings: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let said = settings.unwrap_or_else(|| PyDict::new(py));
        if let Some(preset) = preset {
            said.set_item("preset", preset)?;
        }
        let settings = settings_of(&said)?;
        let chunker = excerpt_grammars::chunker(settings.config())
            .map_err(|error| Class::Config.error(py, error.to_string()))?;
        let sizer = sizer.map(|sizer| PySizer::new(&sizer)).transpose()?;
        let splitter = Splitter {
            chunker,
            sizer,
            settings: said.unbind(),
        };
        Ok(PyChunker {
            splitter: Py::new(py, splitter)?,
        })
    }

    /// The settings, completed.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_json(py, self.splitter.get().chunker.config())
    }

    /// The settings that were given.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let settings = self.splitter.get().settings.bind(py);
        let copy = py.import("copy")?.call_method1("deepcopy", (settings,))?;
        Ok(copy.cast_into()?)
    }

    /// The tokenizer or function that was given.
    #[getter]
    fn sizer<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let sizer = self.splitter.get().sizer.as_ref();
        sizer.map(|sizer| sizer.given.bind(py).clone())
    }

    /// Split a text.
    ///
    /// `path` determines the syntax, and is part of the context and of the ids of the chunks.
    /// `language` overrides the syntax: a language of source code, `markdown`, or `text` (prose, in
    /// which headings are found, too). `id` is what the ids are derived from instead. The
    /// interpreter's lock is released meanwhile, and Ctrl-C ends it.
    ///
    /// Raises `TypeError` if the text is not a `str`, and `TextError` for a lone surrogate or a
    /// text of more than 256 MiB. An error that a sizer raises is passed on.
    #[pyo3(signature = (text, path=None, *, language=None, title=None, id=None))]
    fn chunk(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        path: Option<&Bound<'_, PyAny>>,
        language: Option<&Bound<'_, PyAny>>,
        title: Option<&Bound<'_, PyAny>>,
        id: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyChunking> {
        let given = given(text, path, language, title, id)?;
        check_size(py, &given.text)?;
        let splitter = self.splitter.get();
        let split = match (&splitter.sizer, given.text.len()) {
            // A sizer is a function in Python, which raises what signals raise.
            (Some(_), _) => SplitText::whole(splitter, given),
            (None, ..SHORT) => py.detach(|| SplitText::whole(splitter, given)),
            (None, _) => interruptible(py, |stop| SplitText::until(splitter, given, stop))?,
        };
        let split = split.map_err(|error| error.into_python(py))?;
        Ok(PyChunking::new(self.splitter.bind(py), split))
    }

    /// Split many documents on all cores, or on `threads`, in order.
    ///
    /// A document is a text, a pair of text and path, or a dictionary with `text` and perhaps
    /// `path`, `title`, `language` and `id`. Some hundred are taken and split at a time. An
    /// error in one is raised after the documents before it are returned. With a sizer, one thread
    /// is used.
    ///
    /// Raises `TypeError` for a single document, which `chunk` splits, and `ValueError` for a wrong
    /// number of threads.
    #[pyo3(signature = (documents, *, threads=None))]
    fn chunk_many(
        &self,
        documents: &Bound<'_, PyAny>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyChunkingIterator> {
        let threads = Threads::new(threads)?;
        PyChunkingIterator::new(self.splitter.bind(documents.py()), threads, documents)
    }

    /// The blocks of a text: headings, paragraphs, lists, tables, definitions.
    ///
    /// `path` and `language` determine the syntax, as for `chunk`, which raises the same.
    #[pyo3(signature = (text, path=None, *, language=None))]
    fn outline(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        path: Option<&Bound<'_, PyAny>>,
        language: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyOutline> {
        let given = given(text, path, language, None, None)?;
        check_size(py, &given.text)?;
        let chunker = &self.splitter.get().chunker;
        interruptible(py, |stop| {
            let outline = chunker.outline_until(&given.document(), stop);
            PyOutline::of(&outline, &given.text)
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.splitter)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let arguments = slf.get().splitter.get().arguments(py)?;
        let build = py.import("excerpt._pickle")?.getattr("chunker")?;
        Ok((build, PyTuple::new(py, [arguments])?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let settings = self.splitter.get().settings.bind(py).iter();
        let mut shown = settings
            .map(|(name, value)| Ok(format!("{name}={}", value.repr()?)))
            .collect::<PyResult<Vec<_>>>()?;
        if let Some(sizer) = &self.splitter.get().sizer {
            shown.push(format!("sizer={}", sizer.given.bind(py).repr()?));
        }
        Ok(format!("Chunker({})", shown.join(", ")))
    }
}

/// A document to split.
fn given(
    text: &Bound<'_, PyAny>,
    path: Option<&Bound<'_, PyAny>>,
    language: Option<&Bound<'_, PyAny>>,
    title: Option<&Bound<'_, PyAny>>,
    id: Option<&Bound<'_, PyAny>>,
) -> PyResult<GivenDocument> {
    let named = |value: Option<&Bound<'_, PyAny>>, name: &str| {
        value.map(|value| text_of(value, name)).transpose()
    };
    let text = text_of(text, "text")?;
    Ok(GivenDocument {
        path: path.map(|path| path_of(path, "path")).transpose()?,
        title: named(title, "title")?,
        language: named(language, "language")?,
        id: named(id, "id")?,
        text,
    })
}
