//! The Python package `excerpt`. This is its compiled part: it converts types, releases the lock of
//! the interpreter while it works, and raises errors. What is written in Python is in
//! `python/excerpt/`.

mod batch;
mod chunk;
mod chunker;
mod chunking;
mod command;
mod embedder;
mod error;
mod fields;
mod interpreter;
mod many;
mod outline;
mod sequence;
mod server;
mod settings;
mod sizer;
mod splitter;
mod text;
mod work;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The compiled part of the package `excerpt`.
#[pymodule]
mod _excerpt {
    #[pymodule_export]
    use crate::batch::chunk_schema;
    #[pymodule_export]
    use crate::chunk::{PyChunk, PyContext, PyCut, PyPart, PySizes, PySpan};
    #[pymodule_export]
    use crate::chunker::PyChunker;
    #[pymodule_export]
    use crate::chunking::PyChunking;
    #[pymodule_export]
    use crate::command::main;
    #[pymodule_export]
    use crate::embedder::PyEmbedder;
    #[pymodule_export]
    use crate::many::PyChunkingIterator;
    #[pymodule_export]
    use crate::outline::{PyBlock, PyOutline};
    #[pymodule_export]
    use crate::server::PyLocalServer;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::interpreter::check_main()?;
        crate::interpreter::register(module.py())?;
        excerpt_index::silence_recovered_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
