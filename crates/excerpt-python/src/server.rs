//! The HTTP API in this process, which `excerpt.Index` uses for what is on this machine.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
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
    server: Mutex<Option<Arc<excerpt::LocalServer>>>,
    #[pyo3(get)]
    notes: Vec<String>,
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
            server: Mutex::new(Some(Arc::new(server))),
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
        let Some(server) = self.current() else {
            return Err(Class::Index.error(py, "the index is closed"));
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
        let server = self
            .server
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        py.detach(|| drop(server));
    }
}

impl PyLocalServer {
    /// The server, unless it was closed. The lock is not held while the server works: who waits
    /// for it has the lock of the interpreter.
    fn current(&self) -> Option<Arc<excerpt::LocalServer>> {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        server.clone()
    }
}

fn failed(py: Python<'_>, error: &anyhow::Error) -> PyErr {
    Class::Index.error(py, format!("{error:#}"))
}
