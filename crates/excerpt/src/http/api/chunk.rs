//! `/v1/chunk`: how a document or a text is split. Nothing is stored.

use std::sync::Arc;

use axum::http::Method;
use axum::http::StatusCode;
use axum::response::Response;
use excerpt_chunk::{Settings, Strategy, Unit, settings_from_json};
use excerpt_service::{ChunkRequest, ServiceError, SplitDocument, TextToSplit};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::Operation;
use crate::http::call::{Call, of_bytes, written_after};
use crate::http::limits::{MOST_CHUNKS, SPLIT_LIMIT};
use crate::http::problem::ProblemDetails;
use crate::http::server::Server;
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

async fn chunk(mut call: Call) -> Result<Response, ProblemDetails> {
    let mut body: Map<String, Value> = call.json().await?;
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
            let split = move || split(&tenant.scope.text_to_split(text, name, chunking)?);
            on_thread(&call.server, split).await?
        }
        (None, Some(path)) => {
            let request = ChunkRequest {
                path,
                collections,
                chunking,
            };
            let (tenant, asked) = (Arc::clone(&call.tenant), request.clone());
            let on_disk = on_thread(&call.server, move || {
                Ok(tenant.scope.file_to_split(&asked)?)
            })
            .await?;
            match on_disk {
                Some(text) => on_thread(&call.server, move || split(&text)).await?,
                // One that does not exist, or exists several times, is reported as everywhere else.
                None => {
                    let work = move |_: &_, tenant: &crate::http::tenant::Tenant, index: &_| {
                        split(&tenant.scope.document_to_split(index, &request)?)
                    };
                    call.answer(work).await?
                }
            }
        }
    };
    Ok(of_bytes(StatusCode::OK, body))
}

/// Runs `work` on a thread for blocking work, in turn.
async fn on_thread<T: Send + 'static>(
    server: &Server,
    work: impl FnOnce() -> Result<T, ProblemDetails> + Send + 'static,
) -> Result<T, ProblemDetails> {
    let turn = Arc::clone(&server.splits).acquire_owned().await.ok();
    // The turn ends with the work, also if nobody waits for it any longer.
    let work = move || {
        let _turn = turn;
        work()
    };
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| ProblemDetails::from(ServiceError::NoAnswer(error)))?
}

/// Checks that the answer has an end: it repeats the text, with a place for each chunk.
fn check_size(text: &TextToSplit) -> Result<(), ProblemDetails> {
    let refused = |field: &str, detail: String| {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Err(ProblemDetails::of_field(status, field, detail))
    };
    if text.file.text.len() > SPLIT_LIMIT {
        let detail = format!("a text of more than {SPLIT_LIMIT} bytes is not split here");
        return refused("text", detail);
    }
    let config = text.settings.config();
    let characters = match config.unit {
        Unit::Chars => config.target,
        _ => config.target.saturating_mul(4),
    };
    // A delimiter may be found after every few characters.
    let characters = match config.strategy {
        Strategy::Delimiter => characters.min(8),
        _ => characters,
    };
    if text.file.text.len() / characters.max(1) > MOST_CHUNKS {
        let detail = format!("this would give more than {MOST_CHUNKS} chunks: raise `target`");
        return refused("target", detail);
    }
    Ok(())
}

fn split(text: &TextToSplit) -> Result<Vec<u8>, ProblemDetails> {
    check_size(text)?;
    text.split(|chunking| {
        let path = text.path.as_deref();
        let document = SplitDocument {
            path,
            source_path: path,
            encoding: text.file.encoding,
            places: text.file.places(chunking),
            chunking,
            summary: chunking.summary(),
        };
        let body = split::begin().into_bytes();
        let mut body = written_after(body, &document)?;
        body.extend([split::END_OF_DOCUMENT, split::END].concat());
        Ok(body)
    })?
}
