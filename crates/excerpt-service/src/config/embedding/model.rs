//! A model on disk, loaded when it is first needed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use excerpt_index::{Error, OnnxEmbedder, OnnxOptions, Pooling};
use serde_json::{Value, json};

use super::{ONNX, placed, text, whole};
use crate::config::fields::{FieldValue, Table};
use crate::error::ServiceResult;

/// A model on disk, which everything that has the same configuration shares.
#[derive(Debug)]
pub struct ModelOnDisk {
    options: OnnxOptions,
    loaded: Mutex<Option<Arc<OnnxEmbedder>>>,
}

impl ModelOnDisk {
    /// The folder of the model.
    pub fn folder(&self) -> &Path {
        &self.options.folder
    }

    /// The embedder. A model that cannot be loaded is tried again the next time.
    ///
    /// # Errors
    ///
    /// Those of [`OnnxEmbedder::new`].
    pub fn loaded(&self) -> Result<Arc<OnnxEmbedder>, Error> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(embedder) = &*loaded {
            return Ok(Arc::clone(embedder));
        }
        let embedder = Arc::new(OnnxEmbedder::new(self.options.clone())?);
        *loaded = Some(Arc::clone(&embedder));
        Ok(embedder)
    }

    /// The settings, as in the configuration; `null` is what the files of the model say.
    pub(in crate::config) fn settings(&self) -> Value {
        json!({
            "provider": ONNX,
            "path": self.options.folder,
            "pooling": self.options.pooling.map(Pooling::name),
            "query_prefix": self.options.query_prefix,
            "document_prefix": self.options.document_prefix,
            "max_input": self.options.max_input,
        })
    }
}

/// The model that a configuration table names. Nothing of it is read yet.
pub(in crate::config) fn of(table: &Table, provider: &FieldValue) -> ServiceResult<ModelOnDisk> {
    let said = |field: &str| table.entry(field).map(|entry| &entry.value);
    let Some(path) = table.entry("path") else {
        return Err(provider.fault(format!(
            "`path` is missing, expected the folder of a model next to `provider = \"{ONNX}\"`"
        )));
    };
    let mut options = OnnxOptions::new(absolute(path));
    options.pooling = match said("pooling").and_then(Value::as_str) {
        Some("cls") => Some(Pooling::Cls),
        Some(_) => Some(Pooling::Mean),
        None => None,
    };
    options.query_prefix = said("query_prefix").map(text);
    options.document_prefix = said("document_prefix").map(text);
    options.max_input = said("max_input").and_then(whole);
    options.check().map_err(|error| placed(table, error))?;
    Ok(ModelOnDisk {
        options,
        loaded: Mutex::default(),
    })
}

/// A path in a configuration file: relative to the folder of the file, or to the home of the user
/// after `~/`.
fn absolute(entry: &FieldValue) -> PathBuf {
    let path = text(&entry.value);
    let home = path.strip_prefix("~/");
    match home.zip(etcetera::home_dir().ok()) {
        Some((rest, home)) => home.join(rest),
        None => entry.folder().join(path),
    }
}
