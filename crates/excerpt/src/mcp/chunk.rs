//! `chunk`: shows how a document or a text is split, and stores nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use excerpt_chunk::{Chunk, Chunking, FIELDS, Settings};
use excerpt_service::text::address::address;
use excerpt_service::text::budget::{beginning, bounded, shortened};
use excerpt_service::text::{counted, one_line};
use excerpt_service::{ChunkRequest, ServiceResult, TextToSplit};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::annotations::reads;
use super::arguments::{default_tokens, read_chunking, read_tokens, schema};
use super::names::quoted;
use super::reply::{Form, Reply};
use super::shared::Shared;

pub(super) const NAME: &str = "chunk";

/// What to split and how, and how the chunks are shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChunkArguments {
    /// A document; or give `text`.
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    text: Option<String>,
    /// For the syntax of `text`.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    collection: Vec<String>,
    #[serde(default, deserialize_with = "read_chunking")]
    #[schemars(schema_with = "chunking")]
    chunking: Settings,
    #[serde(default)]
    offset: usize,
    #[serde(default = "default_tokens", deserialize_with = "read_tokens")]
    max_tokens: usize,
    #[serde(default)]
    format: Form,
}

pub(super) fn tool() -> Tool {
    let description = "Preview how a document or text is split. Stores nothing.";
    Tool::new(NAME, description, schema::<ChunkArguments>())
        .with_title("Chunk")
        .with_annotations(reads())
}

/// Fields of a chunking configuration that work and are not named to a model, which pays for each
/// that is.
const UNNAMED: [&str; 6] = [
    "complete_sentences",
    "context",
    "continuation_marker",
    "include_delimiter",
    "overview",
    "unit",
];

/// The schema of a chunking configuration: its fields, with the type and value that each has by
/// default, and the values of those with names.
fn chunking(_: &mut SchemaGenerator) -> Schema {
    let named = FIELDS.iter().filter(|field| !UNNAMED.contains(&field.name));
    let fields: Map<String, Value> = named
        .map(|field| (field.name.to_string(), field.schema()))
        .collect();
    json_schema!({"type": "object", "properties": fields})
}

impl Shared {
    pub(super) async fn chunk(
        self: &Arc<Self>,
        arguments: ChunkArguments,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let room = Room {
            offset: arguments.offset,
            tokens: arguments.max_tokens,
            form: arguments.format,
        };
        let (name, collections) = (arguments.name, arguments.collection);
        let said = arguments.chunking;
        match (arguments.path, arguments.text) {
            (Some(_), Some(_)) => bail!("`path` and `text` are both given: omit one"),
            (None, None) => {
                bail!("`path` or `text` is missing, expected a document here or a text")
            }
            (None, Some(text)) => {
                let shared = Arc::clone(self);
                let split = move |stop: &AtomicBool| {
                    let text = shared.scope.text_to_split(text, name, said)?;
                    preview(&text, stop, room)
                };
                Ok(self.engine.split(split).await?)
            }
            (Some(path), None) => {
                let shared = Arc::clone(self);
                let request = ChunkRequest {
                    path,
                    collections,
                    chunking: said,
                };
                let asked = request.clone();
                let on_disk = move |stop: &AtomicBool| {
                    let text = shared.scope.file_to_split(&asked)?;
                    text.map(|text| preview(&text, stop, room)).transpose()
                };
                // A document that does not exist, or exists several times, is reported as
                // everywhere else.
                if let Some(reply) = self.engine.split(on_disk).await? {
                    return Ok(reply);
                }
                let indexed = self.read(context, move |shared, index| {
                    let text = shared.scope.document_to_split(index, &request);
                    text.map_err(|error| shared.explained(error, index))
                });
                let text = indexed.await?;
                let split = move |stop: &AtomicBool| preview(&text, stop, room);
                Ok(self.engine.split(split).await?)
            }
        }
    }
}

fn preview(text: &TextToSplit, stop: &AtomicBool, room: Room) -> ServiceResult<Reply> {
    text.split(stop, |chunking| {
        let (said, data) = described(text.path.as_deref(), chunking, room);
        Reply::of(room.form, said, &data)
    })
}

/// Which chunks are shown.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// The first chunk.
    pub(super) offset: usize,
    /// The maximum number of tokens.
    pub(super) tokens: usize,
    pub(super) form: Form,
}

/// How a text is split, as text and as data. The form that is sent stays within the room. As text
/// it has a line for each chunk; as data it also has the texts of the chunks, if there is room.
pub(super) fn described(
    path: Option<&str>,
    chunking: &Chunking<'_>,
    room: Room,
) -> (String, Value) {
    /// The room for the line about what is omitted.
    const HOW: usize = 50;
    let path = path.map(bounded);
    let summary = chunking.summary();
    let sizes = match summary.chunks {
        0 | 1 => String::new(),
        _ => format!(
            ", mean {}, {} to {}",
            summary.mean, summary.smallest, summary.largest
        ),
    };
    let head = format!(
        "{} · {} {} · {} ({}) · {}{sizes}",
        path.as_deref().map_or("the text".into(), address),
        chunking.size,
        chunking.unit,
        chunking.strategy,
        chunking.reason,
        counted(summary.chunks, "chunk"),
    );
    let mut text = one_line(&head) + "\n";
    for warning in &chunking.warnings {
        text += &one_line(&format!("warning: {warning}"));
        text.push('\n');
    }
    let mut data = json!({
        "path": path,
        "strategy": chunking.strategy,
        "reason": chunking.reason,
        "unit": chunking.unit,
        "size": chunking.size,
        "chunks": [],
        "summary": summary,
        "warnings": chunking.warnings,
    });
    let form = room.form;
    let mut left = room.tokens.saturating_sub(HOW + form.tokens(&text, &data));
    let mut chunks: Vec<Value> = Vec::new();
    let wanted = chunking.chunks.get(room.offset..).unwrap_or_default();
    for chunk in wanted {
        let (line, entry) = entry(chunk);
        let taken = form.tokens(&line, &entry) + 1;
        if !chunks.is_empty() && taken > left {
            break;
        }
        left = left.saturating_sub(taken);
        text += &line;
        chunks.push(entry);
    }
    let omitted = wanted.len() - chunks.len();
    let next = room.offset + chunks.len();
    let texts = match form {
        Form::Text => 0,
        Form::Json => with_texts(&mut chunks, wanted, left),
    };
    data["chunks"] = chunks.into();
    let left_out = [
        (texts > 0).then(|| format!("{texts} of the texts")),
        match omitted {
            0 => None,
            1 => Some("the last chunk".to_string()),
            omitted => Some(format!("the last {}", counted(omitted, "chunk"))),
        },
    ];
    let left_out: Vec<String> = left_out.into_iter().flatten().collect();
    if !left_out.is_empty() {
        let mut how = format!("{} left out: raise `max_tokens`", left_out.join(" and "));
        if omitted > 0 {
            how += &format!(", or go on with `offset` {next}");
            text += &format!("… {how}\n");
        }
        data["truncated"] = json!({"texts": texts, "omitted": omitted, "how": how});
    }
    (text, data)
}

/// A chunk as a line of text, and as data without its text.
fn entry(chunk: &Chunk<'_>) -> (String, Value) {
    let (first, last) = chunk.span.lines;
    let place = match &chunk.place {
        Some(place) => address(&bounded(place)).into_owned(),
        None => format!("lines {first}-{last}"),
    };
    let line = format!(
        "{} · {place} · {} · {} · {}",
        chunk.ordinal,
        chunk.size.total,
        quoted(&chunk.breadcrumb()),
        chunk.cut.reason
    );
    let trail = chunk.context.trail.iter().map(|title| shortened(title));
    let mut entry = json!({
        "ordinal": chunk.ordinal,
        "lines": [first, last],
        "bytes": [chunk.span.bytes.start, chunk.span.bytes.end],
        "tokens": chunk.size.total,
        "kind": chunk.kind,
        "trail": trail.collect::<Vec<_>>(),
        "cut": {"reason": chunk.cut.reason},
    });
    let of_code = [
        ("name", &chunk.name),
        ("language", &chunk.language),
        ("signature", &chunk.context.signature),
    ];
    for (field, text) in of_code {
        if let Some(text) = text {
            entry[field] = shortened(text).into();
        }
    }
    if let Some(place) = &chunk.place {
        entry["place"] = shortened(place).into();
    }
    (one_line(&line) + "\n", entry)
}

/// Adds the texts of the shown chunks: complete if there is room, otherwise the beginning of each
/// that fits into its share. Returns how many are incomplete.
fn with_texts(shown: &mut [Value], chunks: &[Chunk<'_>], room: usize) -> usize {
    /// The tokens of the shortest useful beginning of a text, and of the field's name.
    const WORTH: usize = 12;
    const FIELD: usize = 4;
    let mut left = room;
    let mut not_whole = 0;
    let count = shown.len();
    let begun = count.min(room / (WORTH + FIELD));
    let size = |text: &str| Form::Json.tokens("", &text) + FIELD;
    let needed = chunks.iter().take(count);
    let needed: usize = needed.map(|chunk| size(chunk.text)).sum();
    for (at, (entry, chunk)) in shown.iter_mut().zip(chunks).enumerate() {
        let share = match needed <= room {
            true => left,
            false => left.checked_div(begun.saturating_sub(at)).unwrap_or(0),
        };
        let text = match size(chunk.text) <= share {
            true => chunk.text,
            false if share < WORTH + FIELD => "",
            false => beginning(chunk.text, share - FIELD),
        };
        not_whole += usize::from(text.len() < chunk.text.len());
        if text.is_empty() && !chunk.text.is_empty() {
            continue;
        }
        left = left.saturating_sub(size(text));
        entry["text"] = text.into();
    }
    not_whole
}
