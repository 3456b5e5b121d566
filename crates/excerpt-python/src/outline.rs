//! [`PyOutline`]: the blocks of a document, as its reader sees them.

use excerpt_chunk::PlainName;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use crate::chunking::counted;
use crate::fields::{of_fields, remade};
use crate::sequence::{Subscript, found, items, iterator};

/// The blocks of a document, in order: a sequence.
#[pyclass(frozen, sequence, eq, hash, module = "excerpt", name = "Outline")]
#[derive(PartialEq, Eq, Hash)]
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

    #[staticmethod]
    fn _made(
        blocks: Vec<Py<PyBlock>>,
        language: Option<String>,
        fallbacks: Vec<String>,
    ) -> PyOutline {
        PyOutline {
            blocks: blocks.iter().map(|block| block.get().clone()).collect(),
            language,
            fallbacks,
        }
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let blocks = slf.as_any().try_iter()?.collect::<PyResult<Vec<_>>>()?;
        let fields = (blocks, &this.language, &this.fallbacks).into_pyobject(py)?;
        remade(slf.as_any(), &fields)
    }

    fn __repr__(&self) -> String {
        format!("<Outline: {}>", counted(self.blocks.len(), "block"))
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

of_fields!(PyBlock {
    kind: String,
    level: Option<u8>,
    name: Option<String>,
    language: Option<String>,
    lines: (usize, usize),
});
