//! [`PyOutline`]: the blocks of a document, as its reader sees them.

use excerpt_chunk::PlainName;
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::sequence::{Subscript, items, iterator};

/// The blocks of a document, in order: a sequence of `Block`.
#[pyclass(frozen, sequence, module = "excerpt", name = "Outline")]
pub(crate) struct PyOutline {
    pub(crate) blocks: Vec<PyBlock>,
    /// The language, if it is source code.
    #[pyo3(get)]
    pub(crate) language: Option<String>,
    /// What could not be read as it was expected, and what was done instead.
    #[pyo3(get)]
    pub(crate) fallbacks: Vec<String>,
}

impl PyOutline {
    pub(crate) fn of(outline: &excerpt_chunk::Outline, text: &str) -> Self {
        let blocks = outline.blocks(text).into_iter().map(|block| PyBlock {
            kind: PlainName(block.kind).to_string(),
            level: block.level,
            name: block.name.as_deref().map(str::to_string),
            language: block.language.as_deref().map(str::to_string),
            lines: block.lines,
        });
        PyOutline {
            blocks: blocks.collect(),
            language: outline.language().map(str::to_string),
            fallbacks: outline.fallbacks().to_vec(),
        }
    }
}

#[pymethods]
impl PyOutline {
    fn __len__(&self) -> usize {
        self.blocks.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: Subscript<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let blocks = &self.blocks;
        items(py, &index, blocks.len(), |at| blocks[at].clone())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let blocks = &self.blocks;
        iterator(py, blocks.len(), |at| blocks[at].clone())
    }

    fn __repr__(&self) -> String {
        format!("<Outline: {} blocks>", self.blocks.len())
    }
}

/// A block of a document: a heading, a paragraph, a list, a table, a definition.
#[pyclass(frozen, get_all, eq, hash, module = "excerpt", name = "Block")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyBlock {
    /// What it is.
    kind: String,
    /// The level of a heading: 1 to 6, and up to 24 in formats that have more.
    level: Option<u8>,
    /// The title of a heading, or what a definition is called.
    name: Option<String>,
    /// The language of a code block that names one, or of source code.
    language: Option<String>,
    /// The first and the last line, counted from 1.
    lines: (usize, usize),
}

#[pymethods]
impl PyBlock {
    fn __repr__(&self) -> String {
        let (first, last) = self.lines;
        let name = self.name.as_deref().unwrap_or_default();
        let shown = format!("<Block lines {first}-{last}: {} {name}", self.kind);
        shown.trim_end().to_string() + ">"
    }
}
