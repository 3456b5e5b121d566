//! The configured model that reorders hits: one on disk, an endpoint, or none.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use etcetera::BaseStrategy as _;
use excerpt_index::{Error, RerankEndpoint, RerankOptions, Reranker};
use serde_json::{Value, json};

use super::embedding::{HTTP, NONE, ONNX, text, timeout, whole};
use super::fields::{FieldType, FieldValue, Fields, Table};
use crate::error::{ServiceError, ServiceResult};

/// The name of the configuration table.
pub(crate) const TABLE: &str = "rerank";

/// The fields of the configuration table.
pub(crate) const FIELDS: &Fields<'_> = &[
    ("provider", FieldType::OneOf(&[ONNX, HTTP, NONE])),
    ("candidates", FieldType::Whole(200)),
    ("share", FieldType::Number),
    ("wait", FieldType::Number),
    ("path", FieldType::Text),
    ("pooling", FieldType::OneOf(&["mean", "cls"])),
    ("query_prefix", FieldType::Text),
    ("document_prefix", FieldType::Text),
    ("max_input", FieldType::Whole(1 << 20)),
    ("url", FieldType::Text),
    ("model", FieldType::Text),
    ("timeout", FieldType::Number),
    ("requests_per_minute", FieldType::Whole(1_000_000)),
    ("key_variable", FieldType::Text),
];

/// The fields that a project may set: they choose no model, and raise no limit of the user.
pub(crate) const HARMLESS: [&str; 1] = ["share"];
pub(crate) const ALLOWED: &str = "`share` and `provider = \"none\"`";

/// How long a search may wait for the model, in seconds.
const LONGEST_WAIT: f64 = 10.0;

/// The name of the file where what the model has computed is kept, with its format.
const CACHE: &str = "reranked-1.db";

/// The model that reorders hits.
#[derive(Clone, Debug)]
pub struct Reranking {
    reranker: Option<Arc<Reranker>>,
    /// The settings in effect.
    settings: Value,
    provider: &'static str,
}

impl Reranking {
    /// The model that a configuration table selects; without a provider, none.
    pub(crate) fn of(table: &Table) -> ServiceResult<Reranking> {
        let provider = table.entry("provider");
        let (provider, name) = match provider.and_then(|entry| Some((entry, entry.value.as_str()?)))
        {
            Some((entry, HTTP)) => (entry, HTTP),
            Some((entry, ONNX)) => (entry, ONNX),
            Some(_) => return Ok(Reranking::default()),
            None => {
                // A table with a model is meant to use it.
                const OPTIONS: [&str; 3] = ["candidates", "share", "wait"];
                let chooses = |field: &&String| !OPTIONS.contains(&field.as_str());
                return match table.0.keys().find(chooses) {
                    Some(field) => Err(table.0[field].fault(format!(
                        "`{field}` is set without a `provider`, expected `provider = \"{ONNX}\"` or `\"{HTTP}\"` next to it"
                    ))),
                    None => Ok(Reranking::default()),
                };
            }
        };
        let options = options(table)?;
        let (reranker, mut settings) = match name {
            HTTP => endpoint(table, provider, &options)?,
            _ => on_disk(table, provider, &options)?,
        };
        if let Value::Object(settings) = &mut settings {
            settings.insert("provider".to_string(), name.into());
            settings.insert("candidates".to_string(), options.candidates.into());
            settings.insert("share".to_string(), json!(options.share));
            settings.insert("wait".to_string(), options.wait.as_secs_f64().into());
        }
        Ok(Reranking {
            reranker: Some(Arc::new(reranker)),
            settings,
            provider: name,
        })
    }

    /// The model; `None` if hits are not reordered.
    pub fn reranker(&self) -> Option<Arc<Reranker>> {
        self.reranker.clone()
    }

    /// The name of the provider in the configuration.
    pub fn provider(&self) -> &'static str {
        self.provider
    }

    /// The settings in effect, as in the configuration; never the key itself.
    pub fn settings(&self) -> Value {
        self.settings.clone()
    }
}

impl Default for Reranking {
    fn default() -> Self {
        Reranking {
            reranker: None,
            settings: json!({ "provider": NONE }),
            provider: NONE,
        }
    }
}

fn options(table: &Table) -> ServiceResult<RerankOptions> {
    let mut options = RerankOptions::default();
    let said = |field: &str| table.entry(field).map(|entry| &entry.value);
    if let Some(candidates) = said("candidates").and_then(whole) {
        options.candidates = candidates;
    }
    if let Some(share) = said("share").and_then(Value::as_f64) {
        options.share = share as f32;
    }
    if let Some(entry) = table.entry("wait") {
        options.wait = wait(entry)?;
    }
    options.cache = cache_file();
    options.check().map_err(|error| placed(table, error))?;
    Ok(options)
}

fn wait(entry: &FieldValue) -> ServiceResult<Duration> {
    let seconds = entry.value.as_f64();
    let seconds = seconds.filter(|seconds| *seconds <= LONGEST_WAIT);
    let wait = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    wait.ok_or_else(|| {
        entry.fault(format!(
            "`wait` is `{}`, expected a number of seconds up to {LONGEST_WAIT}",
            entry.value
        ))
    })
}

/// The file of the user where what a model has computed is kept.
fn cache_file() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.cache_dir().join("excerpt").join(CACHE))
}

/// A model behind an endpoint, and its settings.
fn endpoint(
    table: &Table,
    provider: &FieldValue,
    options: &RerankOptions,
) -> ServiceResult<(Reranker, Value)> {
    let needed = |field: &str, expected: &str| {
        let entry = table.entry(field).map(|entry| text(&entry.value));
        entry.ok_or_else(|| {
            provider.fault(format!(
                "`{field}` is missing, expected {expected} next to `provider = \"{HTTP}\"`"
            ))
        })
    };
    let url = needed("url", "the address of an endpoint")?;
    let model = needed("model", "the name of a model")?;
    let mut endpoint = RerankEndpoint::new(url, model);
    let said = |field: &str| table.entry(field).map(|entry| &entry.value);
    if let Some(most) = said("max_input").and_then(whole) {
        endpoint.max_input = most;
    }
    if let Some(entry) = table.entry("timeout") {
        endpoint.timeout = timeout(entry)?;
    }
    let rate = said("requests_per_minute").and_then(Value::as_u64);
    endpoint.requests_per_minute = rate.and_then(|rate| u32::try_from(rate).ok());
    endpoint.key_variable = said("key_variable").map(text);
    let settings = json!({
        "url": endpoint.url,
        "model": endpoint.model,
        "max_input": endpoint.max_input,
        "timeout": endpoint.timeout.as_secs_f64(),
        "requests_per_minute": endpoint.requests_per_minute,
        "key_variable": endpoint.key_variable,
    });
    let reranker = Reranker::by_endpoint(endpoint, options.clone());
    Ok((reranker.map_err(|error| placed(table, error))?, settings))
}

/// A model on disk, and its settings.
#[cfg(feature = "onnx")]
fn on_disk(
    table: &Table,
    provider: &FieldValue,
    options: &RerankOptions,
) -> ServiceResult<(Reranker, Value)> {
    let model = super::embedding::model::of(table, provider)?;
    let settings = model.settings();
    let load = move || Ok(model.loaded()? as Arc<dyn excerpt_index::Embedder>);
    let reranker = Reranker::by_vectors(load, options.clone());
    Ok((reranker.map_err(|error| placed(table, error))?, settings))
}

#[cfg(not(feature = "onnx"))]
fn on_disk(
    _: &Table,
    provider: &FieldValue,
    _: &RerankOptions,
) -> ServiceResult<(Reranker, Value)> {
    Err(provider.fault(super::embedding::WITHOUT_MODELS))
}

/// An error about an option, with its position.
fn placed(table: &Table, error: Error) -> ServiceError {
    let entry = match &error {
        Error::Ranking { setting, .. } => table.entry(setting),
        _ => None,
    };
    match entry {
        Some(entry) => entry.fault(error),
        None => error.into(),
    }
}
