//! [`PyChunker`]: a configuration that splits texts and batches.

use std::sync::Arc;

use excerpt_arrow::LARGEST_TEXT;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::chunking::{GivenDocument, PyChunking, of_json};
use crate::error::Class;
use crate::many::PyChunkingIterator;
use crate::outline::PyOutline;
use crate::settings::settings_of;
use crate::sizer::PySizer;
use crate::splitter::{Splitter, traverse};
use crate::text::{path_of, text_of};
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
    pub(crate) splitter: Arc<Splitter>,
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
        Ok(PyChunker {
            splitter: Arc::new(Splitter {
                chunker,
                sizer,
                settings: said.unbind(),
            }),
        })
    }

    /// The settings, completed.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_json(py, self.splitter.chunker.config())
    }

    /// The settings that were given.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let settings = self.splitter.settings.bind(py);
        let copy = py.import("copy")?.call_method1("deepcopy", (settings,))?;
        Ok(copy.cast_into()?)
    }

    /// The tokenizer or function that was given.
    #[getter]
    fn sizer<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let sizer = self.splitter.sizer.as_ref();
        sizer.map(|sizer| sizer.given.bind(py).clone())
    }

    /// Split a text.
    ///
    /// `path` determines the syntax, and is part of the context and of the ids of the chunks.
    /// `language` overrides the syntax: a language of source code, `markdown`, or `text` (prose, in
    /// which headings are found, too). `id` is what the ids are derived from instead. The
    /// interpreter's lock is released meanwhile, and Ctrl-C ends it.
    ///
    /// Raises `TypeError` for what is no `str`, and `TextError` for a lone surrogate or a text of
    /// more than 256 MiB. What a sizer raises is raised.
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
        let splitter = &self.splitter;
        let split = match (&splitter.sizer, given.text.len()) {
            // A sizer is a function in Python, which raises what signals raise.
            (Some(_), _) => PyChunking::whole(splitter, given),
            (None, ..SHORT) => py.detach(|| PyChunking::whole(splitter, given)),
            (None, _) => interruptible(py, |stop| PyChunking::until(splitter, given, stop))?,
        };
        split.map_err(|error| error.into_python(py))
    }

    /// Split many documents on all cores, or on `threads`, in order.
    ///
    /// A document is a text, a pair of text and path, or a dictionary with `text` and perhaps
    /// `path`, `title`, `language` and `id`. Some hundred are taken and split at a time. What is
    /// wrong with one is raised after those before it. With a sizer, one thread is used.
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
        PyChunkingIterator::new(Arc::clone(&self.splitter), threads, documents)
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
        let chunker = &self.splitter.chunker;
        interruptible(py, |stop| {
            let outline = chunker.outline_until(&given.document(), stop);
            PyOutline::of(&outline, &given.text)
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        traverse(&self.splitter, &visit)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let arguments = slf.get().splitter.arguments(py)?;
        let build = py.import("excerpt._pickle")?.getattr("chunker")?;
        Ok((build, PyTuple::new(py, [arguments])?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let settings = self.splitter.settings.bind(py).iter();
        let mut shown = settings
            .map(|(name, value)| Ok(format!("{name}={}", value.repr()?)))
            .collect::<PyResult<Vec<_>>>()?;
        if let Some(sizer) = &self.splitter.sizer {
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
