//! [`PyEmbedder`]: vectors of texts, by the built-in table or a model on disk.

use std::path::PathBuf;
use std::sync::Arc;

use excerpt_arrow::with_sources;
use excerpt_index::{OnnxEmbedder, OnnxOptions, StaticTable, Vectors};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error::Class;
use crate::text::text_of;
use crate::work::interruptible;

/// How many texts are embedded before signals are looked for.
const AT_ONCE: usize = 64;

/// Turns texts into vectors: by the built-in table, or by a model on disk.
///
/// `model` is a folder with `model.onnx` and `tokenizer.json`, as model hubs lay them out, or a
/// model in it. Raises `ModelError` when it cannot be read. An embedder can be pickled, and any
/// number of threads may use it.
#[pyclass(frozen, module = "excerpt", name = "Embedder")]
pub(crate) struct PyEmbedder {
    pub(crate) embedder: Arc<dyn excerpt_index::Embedder>,
    model: Option<PathBuf>,
}

#[pymethods]
impl PyEmbedder {
    #[new]
    #[pyo3(signature = (model=None))]
    fn new(py: Python<'_>, model: Option<PathBuf>) -> PyResult<Self> {
        let opened = py.detach(|| -> Result<Arc<dyn excerpt_index::Embedder>, _> {
            Ok(match &model {
                None => Arc::new(StaticTable::built_in()?),
                Some(folder) => Arc::new(OnnxEmbedder::new(OnnxOptions::new(folder))?),
            })
        });
        let embedder = opened
            .map_err(|error: excerpt_index::Error| Class::Model.error(py, with_sources(&error)))?;
        Ok(PyEmbedder { embedder, model })
    }

    /// How many numbers a vector has.
    #[getter]
    fn dimensions(&self) -> usize {
        self.embedder.dimensions()
    }

    /// Everything that a vector depends on besides its text: vectors with the same identity can be
    /// compared.
    #[getter]
    fn identity(&self) -> &str {
        self.embedder.identity()
    }

    /// The vectors of some texts, each a list of `dimensions` numbers.
    ///
    /// They have length 1, but for those of the built-in table, which are 0 for a text without
    /// words. Raises `TypeError` if a text is not a `str`, `TextError` for a lone surrogate, and
    /// `ModelError` when the model fails.
    fn embed(&self, py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f32>>> {
        // The characters of a text are no texts.
        let is_single = texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>();
        let listed = texts.extract::<Vec<Bound<'_, PyAny>>>().ok();
        let Some(texts) = listed.filter(|_| !is_single) else {
            let kind = texts.get_type().name()?;
            let message = format!("texts is of type {kind}, expected a list of texts");
            return Err(PyTypeError::new_err(message));
        };
        let texts = texts.iter().map(|text| text_of(text, "a text"));
        let texts = texts.collect::<PyResult<Vec<_>>>()?;
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let embedded = interruptible(py, |stop| {
            let mut all = Vec::with_capacity(texts.len());
            for texts in texts.chunks(AT_ONCE) {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                let mut vectors = Vectors::new(self.embedder.dimensions());
                self.embedder.embed_documents(texts, &mut vectors)?;
                all.extend(vectors.iter().map(<[f32]>::to_vec));
            }
            Ok(all)
        })?;
        embedded.map_err(|error: excerpt_index::EmbedError| {
            Class::Model.error(py, with_sources(&error))
        })
    }

    /// The vector of a question, to compare with those of texts by their dot product.
    ///
    /// Raises what `embed` raises.
    fn embed_query(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
        let text = text_of(text, "text")?;
        let vector = py.detach(|| self.embedder.embed_query(&[(&*text, 1.0)]));
        vector.map_err(|error| Class::Model.error(py, with_sources(&error)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Option<PathBuf>,)) {
        let class = slf.get_type().into_any();
        (class, (slf.get().model.clone(),))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Embedder {}, {} dimensions>",
            self.identity(),
            self.dimensions()
        )
    }
}
