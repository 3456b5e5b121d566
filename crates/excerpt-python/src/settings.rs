//! Keyword arguments as chunking settings.

use excerpt_chunk::{Settings, settings_from_json};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};

use crate::error::Class;

/// The settings in keyword arguments, with the fields of a configuration file. `None` is the same
/// as not given.
///
/// # Errors
///
/// `ConfigError`, which names what is unknown, wrong or contradictory.
pub(crate) fn settings_of(said: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let py = said.py();
    let written = py.import("excerpt._settings")?;
    let written: String = written.call_method1("dumps", (said,))?.extract()?;
    let said: Map<String, Value> = serde_json::from_str(&written)
        .map_err(|error| Class::Config.error(py, error.to_string()))?;
    settings_from_json(&said).map_err(|message| {
        // They are the arguments of a call here, and no table of a file, and there are no tables of
        // tokens.
        let message = message.replace(" in `chunking`,", ",");
        Class::Config.error(py, message.replace(", cl100k, o200k", ""))
    })
}
