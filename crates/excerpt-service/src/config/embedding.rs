//! The configured embedder: the built-in table, an endpoint, a model on disk, or none.

#[cfg(feature = "onnx")]
pub(super) mod model;

use std::sync::Arc;
use std::time::Duration;

use excerpt_index::{Error, HttpEmbedder, HttpOptions, Index};
use serde_json::{Value, json};

use super::fields::{FieldType, FieldValue, Fields, Table};
use crate::error::{ServiceError, ServiceResult};
#[cfg(feature = "onnx")]
use model::ModelOnDisk;

/// The name of the configuration table.
pub(crate) const TABLE: &str = "embedding";

/// The fields of the configuration table.
pub(crate) const FIELDS: &Fields<'_> = &[
    ("provider", FieldType::OneOf(&[BUILT_IN, HTTP, ONNX, NONE])),
    ("path", FieldType::Text),
    ("pooling", FieldType::OneOf(&["mean", "cls"])),
    ("url", FieldType::Text),
    ("model", FieldType::Text),
    ("dimensions", FieldType::Whole(MOST)),
    ("send_dimensions", FieldType::Truth),
    ("query_prefix", FieldType::Text),
    ("document_prefix", FieldType::Text),
    ("max_input", FieldType::Whole(MOST)),
    ("batch_texts", FieldType::Whole(MOST)),
    ("batch_characters", FieldType::Whole(MOST)),
    ("timeout", FieldType::Number),
    ("retries", FieldType::Whole(100)),
    ("requests_per_minute", FieldType::Whole(1_000_000)),
    ("key_variable", FieldType::Text),
];

const BUILT_IN: &str = "built-in";
pub(super) const HTTP: &str = "http";
pub(super) const ONNX: &str = "onnx";
pub(super) const NONE: &str = "none";

/// The fault of a model on disk in a program without the feature for it.
#[cfg(not(feature = "onnx"))]
pub(super) const WITHOUT_MODELS: &str =
    "this excerpt was built without models on disk: build it with the feature `onnx`";

/// What the table of a project may set.
pub(crate) const ALLOWED: &str = "`provider = \"built-in\"` or `\"none\"`";

/// The fields of a model on disk alone.
const OF_MODEL: [&str; 2] = ["path", "pooling"];

/// The maximum of any number.
const MOST: u64 = 1 << 24;

/// The maximum timeout of a request, in seconds.
const LONGEST: f64 = 3600.0;

/// The limits of requests while a user waits for an answer. The retries are for the documents that
/// are embedded before it: a query is never retried.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(10);
const QUESTION_RETRIES: u32 = 1;

/// The embedder.
#[derive(Clone, Debug, Default)]
pub enum Embedding {
    /// The built-in table.
    #[default]
    BuiltIn,
    /// None: there are no vectors.
    None,
    /// An endpoint.
    Http(Box<HttpOptions>),
    /// A model on disk.
    #[cfg(feature = "onnx")]
    Onnx(Arc<ModelOnDisk>),
}

impl Embedding {
    /// The embedder that a configuration table selects; without a provider, the built-in one.
    pub(crate) fn of(table: &Table) -> ServiceResult<Embedding> {
        let Some(provider) = table.entry("provider") else {
            // A table with an address is not meant to select the built-in embedder.
            return match table.0.first_key_value() {
                Some((field, entry)) => {
                    let provider = match OF_MODEL.contains(&&**field) {
                        true => ONNX,
                        false => HTTP,
                    };
                    Err(entry.fault(format!(
                        "`{field}` is set without a `provider`, expected `provider = \"{provider}\"` next to it"
                    )))
                }
                None => Ok(Embedding::BuiltIn),
            };
        };
        match provider.value.as_str() {
            Some(HTTP) => http(table, provider).map(|options| Embedding::Http(Box::new(options))),
            #[cfg(feature = "onnx")]
            Some(ONNX) => model::of(table, provider).map(|model| Embedding::Onnx(Arc::new(model))),
            #[cfg(not(feature = "onnx"))]
            Some(ONNX) => Err(provider.fault(WITHOUT_MODELS)),
            Some(NONE) => Ok(Embedding::None),
            _ => Ok(Embedding::BuiltIn),
        }
    }

    /// Whether vectors come from an endpoint or a model, and so may take any time.
    pub fn takes_long(&self) -> bool {
        !matches!(self, Embedding::BuiltIn | Embedding::None)
    }

    /// Whether the identity of the embedder is known: that of a model is only when it can be
    /// loaded.
    pub fn is_known(&self) -> bool {
        match self {
            #[cfg(feature = "onnx")]
            Embedding::Onnx(model) => model.loaded().is_ok(),
            _ => true,
        }
    }

    /// The name of the provider in the configuration.
    pub fn provider(&self) -> &'static str {
        match self {
            Embedding::BuiltIn => BUILT_IN,
            Embedding::None => NONE,
            Embedding::Http(_) => HTTP,
            #[cfg(feature = "onnx")]
            Embedding::Onnx(_) => ONNX,
        }
    }

    /// The settings in effect, as in the configuration; never the key itself.
    pub fn settings(&self) -> Value {
        match self {
            Embedding::Http(options) => json!({
                "provider": HTTP,
                "url": options.url,
                "model": options.model,
                "dimensions": options.dimensions,
                "send_dimensions": options.send_dimensions,
                "query_prefix": options.query_prefix,
                "document_prefix": options.document_prefix,
                "max_input": options.max_input,
                "batch_texts": options.batch_texts,
                "batch_characters": options.batch_characters,
                "timeout": options.timeout.as_secs_f64(),
                "retries": options.retries,
                "requests_per_minute": options.requests_per_minute,
                "key_variable": options.key_variable,
            }),
            #[cfg(feature = "onnx")]
            Embedding::Onnx(model) => model.settings(),
            Embedding::BuiltIn | Embedding::None => json!({ "provider": self.provider() }),
        }
    }

    /// The same, with the limits of requests while a user waits for an answer.
    pub fn for_questions(&self) -> Embedding {
        match self {
            Embedding::Http(options) => {
                let mut options = options.clone();
                options.timeout = options.timeout.min(QUESTION_TIMEOUT);
                options.retries = options.retries.min(QUESTION_RETRIES);
                Embedding::Http(options)
            }
            other => other.clone(),
        }
    }

    /// Gives an index its embedder.
    pub fn given_to(&self, index: Index) -> Result<Index, Error> {
        Ok(match self {
            Embedding::BuiltIn => index,
            Embedding::None => index.with_embedder(None),
            Embedding::Http(options) => {
                let embedder = HttpEmbedder::new(options.as_ref().clone())?;
                index.with_embedder(Some(Arc::new(embedder)))
            }
            #[cfg(feature = "onnx")]
            Embedding::Onnx(model) => index.with_embedder(Some(model.loaded()?)),
        })
    }
}

/// Checks that a table of a project names no endpoint and no model: a cloned project must not
/// choose who reads the user's texts, or what the user's machine runs. `allowed` is what it may
/// set, and `own` is the file where such a choice belongs.
pub(crate) fn check_project(
    table: &Table,
    harmless: &[&str],
    allowed: &str,
    own: &str,
) -> ServiceResult<()> {
    for (field, entry) in &table.0 {
        let is_harmless = harmless.contains(&&**field)
            || (field == "provider" && entry.value != HTTP && entry.value != ONNX);
        if !is_harmless {
            let choice = match entry.value == ONNX || OF_MODEL.contains(&&**field) {
                true => "which model your machine runs",
                false => "where your texts and questions are sent",
            };
            return Err(entry.fault(format!(
                "a project's file cannot set `{field}`, only {allowed}: its author would choose {choice}; to use it, set it in `{own}`"
            )));
        }
    }
    Ok(())
}

fn http(table: &Table, provider: &FieldValue) -> ServiceResult<HttpOptions> {
    let needed = |field: &str, expected: &str| {
        let entry = table.entry(field).map(|entry| &entry.value);
        entry.ok_or_else(|| {
            provider.fault(format!(
                "`{field}` is missing, expected {expected} next to `provider = \"{HTTP}\"`"
            ))
        })
    };
    let url = needed("url", "the address of an endpoint")?;
    let model = needed("model", "the name of a model")?;
    let dimensions = needed("dimensions", "how many numbers a vector has")?;
    let dimensions = whole(dimensions).unwrap_or_default();
    let mut options = HttpOptions::new(text(url), text(model), dimensions);
    set_optional(table, &mut options);
    if let Some(entry) = table.entry("timeout") {
        options.timeout = timeout(entry)?;
    }
    match HttpEmbedder::new(options.clone()) {
        Ok(_) => Ok(options),
        Err(error) => Err(placed(table, error)),
    }
}

/// Sets the options that need not be given, except the timeout.
fn set_optional(table: &Table, options: &mut HttpOptions) {
    let said = |field: &str| table.entry(field).map(|entry| &entry.value);
    if let Some(truth) = said("send_dimensions").and_then(Value::as_bool) {
        options.send_dimensions = truth;
    }
    let texts = [
        ("query_prefix", &mut options.query_prefix),
        ("document_prefix", &mut options.document_prefix),
    ];
    for (field, option) in texts {
        if let Some(value) = said(field) {
            *option = text(value);
        }
    }
    let numbers = [
        ("max_input", &mut options.max_input),
        ("batch_texts", &mut options.batch_texts),
        ("batch_characters", &mut options.batch_characters),
    ];
    for (field, option) in numbers {
        if let Some(number) = said(field).and_then(whole) {
            *option = number;
        }
    }
    let small = |field| {
        let number = said(field).and_then(Value::as_u64);
        number.and_then(|number| u32::try_from(number).ok())
    };
    options.retries = small("retries").unwrap_or(options.retries);
    options.requests_per_minute = small("requests_per_minute");
    options.key_variable = said("key_variable").map(text);
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

pub(super) fn whole(value: &Value) -> Option<usize> {
    value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok())
}

pub(super) fn timeout(entry: &FieldValue) -> ServiceResult<Duration> {
    let seconds = entry.value.as_f64().filter(|seconds| *seconds <= LONGEST);
    let timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    timeout.ok_or_else(|| {
        entry.fault(format!(
            "`timeout` is `{}`, expected a number of seconds up to {LONGEST}",
            entry.value
        ))
    })
}

/// An error about an option, with its position.
fn placed(table: &Table, error: Error) -> ServiceError {
    let entry = match &error {
        Error::Embedder { setting, .. } => table.entry(setting),
        _ => None,
    };
    match entry {
        Some(entry) => entry.fault(error),
        None => error.into(),
    }
}
