//! `/v1/chunk`: how a document or a text is split. Nothing is stored.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::http::Method;
use axum::http::StatusCode;
use axum::response::Response;
use excerpt_chunk::{Settings, fields_named, settings_from_json};
use excerpt_service::other_names::arguments;
use excerpt_service::{ChunkRequest, SplitDocument, TextToSplit};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::Operation;
use crate::http::call::{Call, of_bytes, written_after};
use crate::http::names::in_form;
use crate::http::problem::ProblemDetails;
use crate::output::split;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::POST, "/v1/chunk", "chunk", chunk)
            .said("Chunks", "Show how a text or a document is split")
            .description("Nothing is stored. The answer is that of `excerpt chunk --format json`. What is not set comes from the settings of the document's collection, or of the server's user.")
            .body::<ChunkBody>()
            .json::<SplitDocuments<'static>>(200)
            .problems(&[404, 409]),
    ]
}

/// What is split, and how: `text` or `path`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["text"]}, {"required": ["path"]}]))]
#[expect(
    dead_code,
    reason = "it only describes the body, which is read field by field"
)]
struct ChunkBody {
    /// A text.
    #[schemars(with = "String", default)]
    text: Option<String>,
    /// The name of a file, whose extension determines the syntax of `text`.
    name: Option<String>,
    /// A document, or a part of one, as `/v1/documents/{target}` names it.
    #[schemars(with = "String", default)]
    path: Option<String>,
    /// The collection that the document is in, if several have it.
    collections: Option<Vec<String>>,
    #[schemars(flatten)]
    settings: Settings,
}

/// Documents that were split.
#[derive(JsonSchema)]
#[expect(
    dead_code,
    reason = "it only describes the answer, whose parts are in `split`"
)]
struct SplitDocuments<'a> {
    /// The version of this form.
    schema: u32,
    documents: Vec<SplitDocument<'a>>,
}

/// Takes a text out of the body.
fn text(body: &mut Map<String, Value>, field: &str) -> Result<Option<String>, ProblemDetails> {
    match body.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ProblemDetails::field(
            field,
            format!("`{field}` is not a string"),
        )),
    }
}

fn texts(body: &mut Map<String, Value>, field: &str) -> Result<Vec<String>, ProblemDetails> {
    match body.remove(field) {
        None => Ok(Vec::new()),
        Some(value) => serde_json::from_value(value).map_err(|_| {
            ProblemDetails::field(field, format!("`{field}` is not a list of strings"))
        }),
    }
}

/// The settings in the rest of the body.
fn settings(body: &Map<String, Value>) -> Result<Settings, ProblemDetails> {
    settings_from_json(body).map_err(|message| {
        // They are fields of the body itself.
        let message = message.replace(" in `chunking`,", ",");
        let status = match message.starts_with("unknown field") {
            true => StatusCode::BAD_REQUEST,
            false => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let field = message.split('`').nth(1).unwrap_or_default();
        ProblemDetails::of_field(status, field, &*message)
    })
}

/// The fields of the body besides the settings.
const FIELDS: [&str; 4] = ["text", "path", "name", "collections"];

/// The body with our names in place of other ones, and the settings in `chunking`, where MCP has
/// them, with those in the body itself.
///
/// # Errors
///
/// When a field is given twice.
fn named(body: Map<String, Value>) -> Result<Map<String, Value>, ProblemDetails> {
    let mut all = Map::new();
    let mut add = |name: String, field: String, value: Value| match all.insert(field, value) {
        None => Ok(()),
        Some(_) => {
            let detail = format!("`{name}` is given twice: omit one");
            Err(ProblemDetails::field(&name, detail))
        }
    };
    for (name, value) in body {
        match value {
            Value::Object(chunking) if name == "chunking" => {
                for (name, value) in chunking {
                    add(name.clone(), name, value)?;
                }
            }
            value => {
                let is_ours = FIELDS.contains(&&*name) || !fields_named(&name).is_empty();
                let ours = arguments(&name).find(|ours| !is_ours && FIELDS.contains(ours));
                let field = ours.unwrap_or(&name).to_string();
                let value = in_form(&field, value);
                add(name, field, value)?;
            }
        }
    }
    Ok(all)
}

async fn chunk(mut call: Call) -> Result<Response, ProblemDetails> {
    let mut body = named(call.json().await?)?;
    let (given, path) = (text(&mut body, "text")?, text(&mut body, "path")?);
    // What is `null` is not given, also here, but its name must be known.
    body.retain(|field, value| !(value.is_null() && ["name", "collections"].contains(&&**field)));
    let name = text(&mut body, "name")?;
    let collections = texts(&mut body, "collections")?;
    let chunking = settings(&body)?;
    let body = match (given, path) {
        (Some(_), Some(_)) => {
            let detail = "`text` and `path` are both given: omit one";
            return Err(ProblemDetails::field("path", detail));
        }
        (None, None) => {
            let detail = "`text` or `path` is missing: give a text, or the path of a document";
            return Err(ProblemDetails::field("text", detail));
        }
        (Some(text), None) => {
            let tenant = Arc::clone(&call.tenant);
            let work = move |stop: &AtomicBool| {
                split(&tenant.scope.text_to_split(text, name, chunking)?, stop)
            };
            call.server.engine.split(work).await?
        }
        (None, Some(path)) => {
            let request = ChunkRequest {
                path,
                collections,
                chunking,
            };
            let (tenant, asked) = (Arc::clone(&call.tenant), request.clone());
            let on_disk = move |stop: &AtomicBool| {
                let text = tenant.scope.file_to_split(&asked)?;
                text.map(|text| split(&text, stop)).transpose()
            };
            match call.server.engine.split(on_disk).await? {
                Some(body) => body,
                // One that does not exist, or exists several times, is reported as everywhere else.
                None => {
                    let work = move |_: &_, tenant: &crate::http::tenant::Tenant, index: &_| {
                        Ok(tenant.scope.document_to_split(index, &request)?)
                    };
                    let text = call.answer(work).await?;
                    let work = move |stop: &AtomicBool| split(&text, stop);
                    call.server.engine.split(work).await?
                }
            }
        }
    };
    Ok(of_bytes(StatusCode::OK, body))
}

fn split(text: &TextToSplit, stop: &AtomicBool) -> Result<Vec<u8>, ProblemDetails> {
    text.split(stop, |chunking| {
        let path = text.path.as_deref();
        let document = SplitDocument {
            path,
            source_path: path,
            encoding: text.file.encoding,
            chunking,
            summary: chunking.summary(),
        };
        let body = split::begin().into_bytes();
        let mut body = written_after(body, &document)?;
        body.extend([split::END_OF_DOCUMENT, split::END].concat());
        Ok(body)
    })?
}
