//! The HTTP API in this process, which `excerpt.Index` uses for what is on this machine.

use std::path::PathBuf;
use std::time::Duration;

use excerpt::{LocalOptions, LocalReply};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::Class;

/// How often signals are looked for.
const TURN: Duration = Duration::from_millis(50);

/// Answers the requests of the HTTP API for a folder or for collections.
#[pyclass(frozen, module = "excerpt._excerpt", name = "LocalServer")]
pub(crate) struct PyLocalServer {
    /// `None` once it is being dropped.
    server: Option<excerpt::LocalServer>,
    /// The process that its threads are in.
    process: u32,
    #[pyo3(get)]
    notes: Vec<String>,
    /// Whether the index is only read.
    #[pyo3(get)]
    is_stored: bool,
}

#[pymethods]
impl PyLocalServer {
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        collections: Vec<String>,
        library: bool,
        index: Option<PathBuf>,
        sync: bool,
    ) -> PyResult<Self> {
        let mut options = LocalOptions::default();
        (options.path, options.index) = (path, index);
        (options.collections, options.library) = (collections, library);
        options.sync = sync;
        let server = py.detach(|| excerpt::LocalServer::start(options));
        let server = server.map_err(|error| failed(py, &error))?;
        Ok(PyLocalServer {
            notes: server.notes().to_vec(),
            is_stored: server.is_stored(),
            server: Some(server),
            process: std::process::id(),
        })
    }

    /// The status and the body of the answer to a request.
    #[pyo3(signature = (method, address, body=None))]
    fn request<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        address: &str,
        body: Option<Vec<u8>>,
    ) -> PyResult<(u16, Bound<'py, PyBytes>)> {
        let Some(server) = self.own() else {
            let message = "this index was opened before a fork: open it in this process";
            return Err(Class::Index.error(py, message));
        };
        let pending = server.request(method, address, body);
        let mut pending = pending.map_err(|error| failed(py, &error))?;
        loop {
            let waited = py.detach(|| pending.wait(TURN));
            match waited.map_err(|error| failed(py, &error))? {
                Some(LocalReply { status, body }) => return Ok((status, PyBytes::new(py, &body))),
                None => py.check_signals()?,
            }
        }
    }

    /// Ends it, and what it is doing.
    fn close(&self, py: Python<'_>) {
        if let Some(server) = self.own() {
            py.detach(|| server.close());
        }
    }
}

impl PyLocalServer {
    /// The server, in the process that started it: in a fork of it, its threads are gone.
    fn own(&self) -> Option<&excerpt::LocalServer> {
        let is_here = self.process == std::process::id();
        self.server.as_ref().filter(|_| is_here)
    }
}

impl Drop for PyLocalServer {
    fn drop(&mut self) {
        let server = self.server.take();
        match self.process == std::process::id() {
            // Its end takes time, and what waits for it may need the lock of the interpreter.
            true => Python::attach(|py| py.detach(|| drop(server))),
            false => std::mem::forget(server),
        }
    }
}

/// An error with its causes, but for one that the text before it already names.
fn failed(py: Python<'_>, error: &anyhow::Error) -> PyErr {
    let mut message = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        let named = text.split(" (os error ").next().unwrap_or(&text);
        if message.is_empty() {
            message = text;
        } else if !message.to_lowercase().ends_with(&named.to_lowercase()) {
            message = format!("{message}: {text}");
        }
    }
    Class::Index.error(py, message)
}
