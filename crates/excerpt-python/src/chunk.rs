//! [`PyChunk`] and its parts.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use excerpt_chunk::PlainName;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::chunking::{PyChunking, of_json};
use crate::fields::{of_fields, remade};

/// A passage of a document: a verbatim slice, with its place and the reason for the split before
/// it.
#[pyclass(frozen, module = "excerpt", name = "Chunk")]
pub(crate) struct PyChunk {
    chunking: Py<PyChunking>,
    at: usize,
}

impl PyChunk {
    pub(crate) fn new(chunking: &Bound<'_, PyChunking>, at: usize) -> Self {
        PyChunk {
            chunking: chunking.clone().unbind(),
            at,
        }
    }

    fn get(&self) -> &excerpt_chunk::Chunk<'_> {
        &self.chunking.get().get().chunks[self.at]
    }

    fn span_of(&self, span: &excerpt_chunk::Span, chars: std::ops::Range<usize>) -> PySpan {
        PySpan {
            bytes: (span.bytes.start, span.bytes.end),
            chars: (chars.start, chars.end),
            lines: span.lines,
        }
    }
}

#[pymethods]
impl PyChunk {
    /// The text: that of the document at `span`.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, self.get().text)
    }

    /// The text to embed: the header of the context, then the overlap, then the text.
    #[getter]
    fn embedded(&self) -> String {
        let text = self.chunking.get().text();
        self.get().embedded(text).into_owned()
    }

    /// 32 hexadecimal digits that identify the chunk: the same after an edit elsewhere.
    #[getter]
    fn id(&self) -> String {
        self.get().id.to_string()
    }

    /// The hash of the text alone, as 32 hexadecimal digits.
    #[getter]
    fn hash(&self) -> String {
        self.get().hash.to_string()
    }

    /// The position among the chunks of the document, from 0.
    #[getter]
    fn ordinal(&self) -> usize {
        self.get().ordinal
    }

    /// The place of the text in the document.
    #[getter]
    fn span(&self) -> PySpan {
        self.span_of(&self.get().span, self.chunking.get().chars(self.at))
    }

    /// The first and the last line, counted from 1.
    #[getter]
    fn lines(&self) -> (usize, usize) {
        self.get().span.lines
    }

    /// The text before the chunk that is repeated in front of it; empty if nothing is.
    #[getter]
    fn overlap(&self) -> &str {
        let overlap = self.get().overlap.as_ref();
        let text = overlap.and_then(|span| self.chunking.get().text().get(span.bytes.clone()));
        text.unwrap_or_default()
    }

    /// The place of the chunk in its document, in words.
    #[getter]
    fn context(&self) -> PyContext {
        PyContext::of(&self.get().context)
    }

    /// The headings or scopes around the chunk, outermost first.
    #[getter]
    fn trail(&self) -> Vec<String> {
        strings(&self.get().context.trail)
    }

    /// The trail as one line, `Guide > Install > Linux`.
    #[getter]
    fn breadcrumb(&self) -> String {
        self.get().breadcrumb()
    }

    /// The innermost heading, with ` (part n)` if its section was divided.
    #[getter]
    fn title(&self) -> Option<String> {
        self.get().title()
    }

    /// The headings or definitions that begin inside the chunk.
    #[getter]
    fn sections(&self) -> Vec<String> {
        strings(&self.get().sections)
    }

    /// The names that source code defines here.
    #[getter]
    fn defines(&self) -> Vec<String> {
        strings(&self.get().defines)
    }

    /// What the chunk consists of: `section`, `function` and so on.
    #[getter]
    fn kind(&self) -> String {
        PlainName(self.get().kind).to_string()
    }

    /// The name of the definition, in source code.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.get().name.as_deref()
    }

    /// The language, for source code.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.get().language.as_deref()
    }

    /// The dates in the file name and the headings, and those of mails, commits and entries of a
    /// log, each `YYYY-MM-DD`.
    #[getter]
    fn dates(&self) -> Vec<String> {
        self.get().dates.clone()
    }

    /// The sizes, in the unit of the chunking.
    #[getter]
    fn size(&self) -> PySizes {
        let sizes = self.get().size;
        PySizes {
            text: sizes.text,
            context: sizes.context,
            overlap: sizes.overlap,
            total: sizes.total,
        }
    }

    /// Which part it is of what was divided because of its size.
    #[getter]
    fn part(&self) -> PyPart {
        let part = self.get().part;
        PyPart {
            index: part.index,
            count: part.count,
        }
    }

    /// The split before the chunk.
    #[getter]
    fn cut(&self) -> PyCut {
        let cut = &self.get().cut;
        PyCut {
            strength: PlainName(cut.strength).to_string(),
            reason: cut.reason.clone(),
        }
    }

    /// Warnings about the chunk.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        strings(&self.get().warnings)
    }

    /// The chunk as a flat row, with the columns of `chunk_schema()` but `error`; `title` is that
    /// of the document.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let chunking = self.chunking.get();
        let chars = chunking.chars(self.at);
        let record = chunking.get().record(self.get(), chunking.text(), chars);
        of_json(py, &record)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let get = py.import("operator")?.getattr("getitem")?;
        Ok((get, (self.chunking.bind(py), self.at).into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        let chunk = self.get();
        let (first, last) = chunk.span.lines;
        let mut place = chunk.breadcrumb();
        if place.is_empty() {
            place = PlainName(chunk.kind).to_string();
        }
        format!("<Chunk {}: lines {first}-{last}, {place}>", chunk.ordinal)
    }

    fn __eq__(&self, other: &Self) -> bool {
        let (own, others) = (self.get(), other.get());
        let same_place = own.span == others.span && own.ordinal == others.ordinal;
        same_place && own.id == others.id && own.text == others.text
    }

    fn __hash__(&self) -> u64 {
        static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        HASHER.hash_one((self.id(), self.get().ordinal))
    }

    fn __str__<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text(py)
    }
}

/// A place in a text. Starts are counted from 0, and ends are the place after the last.
#[pyclass(frozen, get_all, eq, hash, module = "excerpt", name = "Span")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PySpan {
    /// The bytes of the text in UTF-8: start and end.
    bytes: (usize, usize),
    /// The characters, as Python counts them: `text[start:end]` is the text of the chunk.
    chars: (usize, usize),
    /// The first and the last line, counted from 1.
    lines: (usize, usize),
}

#[pymethods]
impl PySpan {
    fn __repr__(&self) -> String {
        let ((first, last), (start, end)) = (self.lines, self.chars);
        format!("<Span: lines {first}-{last}, characters {start}:{end}>")
    }
}

/// The place of a chunk in its document, in words. It is never part of the text.
#[pyclass(frozen, get_all, eq, hash, module = "excerpt", name = "Context")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyContext {
    /// The path of the document.
    path: Option<String>,
    /// The first folder of the path.
    domain: Option<String>,
    /// The title of the document.
    title: Option<String>,
    /// The headings or scopes around the chunk, outermost first.
    trail: Vec<String>,
    /// What a later part needs to be understood alone: the header rows of a table.
    lead: Option<String>,
    /// The modules that the chunk is part of, in source code.
    module_path: Vec<String>,
    /// The signature of the definition that the chunk continues, in source code.
    signature: Option<String>,
    /// The imports that the chunk uses, in source code.
    imports: Vec<String>,
    /// The text that is embedded in front of the chunk.
    header: String,
}

impl PyContext {
    fn of(context: &excerpt_chunk::Context) -> Self {
        let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().map(str::to_string);
        PyContext {
            path: text(&context.path),
            domain: text(&context.domain),
            title: text(&context.title),
            trail: strings(&context.trail),
            lead: text(&context.lead),
            module_path: strings(&context.module_path),
            signature: text(&context.signature),
            imports: strings(&context.imports),
            header: context.header.clone(),
        }
    }
}

#[pymethods]
impl PyContext {
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "they are the fields")]
    fn _made(
        path: Option<String>,
        domain: Option<String>,
        title: Option<String>,
        trail: Vec<String>,
        lead: Option<String>,
        module_path: Vec<String>,
        signature: Option<String>,
        imports: Vec<String>,
        header: String,
    ) -> PyContext {
        PyContext {
            path,
            domain,
            title,
            trail,
            lead,
            module_path,
            signature,
            imports,
            header,
        }
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let this = slf.get();
        let fields = (
            &this.path,
            &this.domain,
            &this.title,
            &this.trail,
            &this.lead,
            &this.module_path,
            &this.signature,
            &this.imports,
            &this.header,
        );
        remade(slf.as_any(), &fields.into_pyobject(slf.py())?)
    }

    fn __repr__(&self) -> String {
        format!("<Context {:?}>", self.header)
    }
}

/// The sizes of the parts of a chunk, in the unit of the chunking.
#[pyclass(frozen, get_all, eq, hash, module = "excerpt", name = "Sizes")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PySizes {
    /// The size of the text.
    text: usize,
    /// The size of the header.
    context: usize,
    /// The size of the overlap.
    overlap: usize,
    /// The size of the three together.
    total: usize,
}

#[pymethods]
impl PySizes {
    fn __repr__(&self) -> String {
        let PySizes {
            text,
            context,
            overlap,
            total,
        } = self;
        format!("<Sizes: {total} = text {text}, context {context}, overlap {overlap}>")
    }
}

/// Which part of something that was divided because of its size; 1 of 1 if it was not.
#[pyclass(frozen, get_all, eq, hash, module = "excerpt", name = "Part")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyPart {
    /// The position, from 1.
    index: usize,
    /// How many parts there are.
    count: usize,
}

#[pymethods]
impl PyPart {
    fn __repr__(&self) -> String {
        format!("<Part {} of {}>", self.index, self.count)
    }
}

/// The split before a chunk.
#[pyclass(frozen, get_all, eq, hash, module = "excerpt", name = "Cut")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyCut {
    /// How natural it is: `heading`, `sentence` and so on.
    strength: String,
    /// The same in words.
    reason: String,
}

#[pymethods]
impl PyCut {
    fn __repr__(&self) -> String {
        format!("<Cut: {}>", self.reason)
    }
}

of_fields!(PySpan {
    bytes: (usize, usize),
    chars: (usize, usize),
    lines: (usize, usize),
});
of_fields!(PySizes {
    text: usize,
    context: usize,
    overlap: usize,
    total: usize,
});
of_fields!(PyPart {
    index: usize,
    count: usize,
});
of_fields!(PyCut {
    strength: String,
    reason: String,
});

fn strings(list: &[impl ToString]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}
