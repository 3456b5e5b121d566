//! `add`: makes a file, a folder or a text a collection of the served index. It reads only below
//! the folders that are allowed.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use excerpt_chunk::Settings;
use excerpt_service::text::address::address;
use excerpt_service::text::{budget, counted};
use excerpt_service::{
    AddInput, AddPreview, AddReply, AddRequest, Addition, Contents, DocumentType, PreparedAddition,
    PreviewedDocument, RemotePart, Scope, ServiceResult,
};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::annotations::writes;
use super::arguments::{default_tokens, object, read_chunking, read_tokens, schema};
use super::chunk::{Room, described};
use super::reply::{Form, Reply, with_notes};
use super::shared::Shared;

pub(super) const NAME: &str = "add";

/// The maximum number of documents in a preview.
const SHOWN: usize = 20;

/// What to add and how, and how the answer is shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AddArguments {
    /// A file or folder; or give `content`.
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<DocumentType>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    versions: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    /// Of the collection.
    #[serde(default)]
    name: Option<String>,
    /// As in `chunk`.
    #[serde(default, deserialize_with = "read_chunking")]
    #[schemars(schema_with = "object")]
    chunking: Settings,
    /// Store nothing.
    #[serde(default)]
    preview: bool,
    /// Replace what has the same path or name.
    #[serde(default)]
    replace: bool,
    #[serde(default = "default_tokens", deserialize_with = "read_tokens")]
    max_tokens: usize,
    #[serde(default)]
    format: Form,
}

pub(super) fn tool() -> Tool {
    let description = "Add a file, a folder or a text to the index as a collection.";
    Tool::new(NAME, description, schema::<AddArguments>())
        .with_title("Add")
        .with_annotations(writes().destructive(true))
}

impl Shared {
    pub(super) async fn add(
        self: &Arc<Self>,
        arguments: AddArguments,
        _context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let (form, is_preview) = (arguments.format, arguments.preview);
        let (most, replace) = (arguments.max_tokens, arguments.replace);
        let input = match (arguments.path, arguments.content) {
            (Some(_), Some(_)) => bail!("`path` and `content` are both given: omit one"),
            (None, None) => {
                bail!("`path` or `content` is missing, expected a file or folder, or a text")
            }
            (Some(path), None) => AddInput::Path(path),
            (None, Some(content)) => AddInput::Text(content),
        };
        let addition = Addition {
            name: arguments.name,
            kind: arguments.kind,
            title: arguments.title,
            versions: arguments.versions,
            tags: arguments.tags,
            chunking: arguments.chunking,
            ..Addition::default()
        };
        let prepared = self.scope.prepared(&AddRequest {
            input,
            addition,
            part: RemotePart::default(),
            replace,
        })?;
        let shared = Arc::clone(self);
        if is_preview {
            let room = Room {
                offset: 0,
                tokens: most,
                form,
            };
            let split = move |stop: &AtomicBool| preview(&shared.scope, prepared, stop, room);
            return Ok(self.engine.split(split).await?);
        }
        let added = self
            .engine
            .write(move |writer| shared.scope.add(writer, prepared));
        Ok(report(form, &added.await?))
    }
}

/// The answer about what was added.
fn report(form: Form, reply: &AddReply) -> Reply {
    let name = &reply.collection.name;
    let Contents {
        documents, chunks, ..
    } = &reply.contents;
    let mut notes = Vec::new();
    let text = match &reply.report {
        Some(report) => {
            notes = shown_warnings(&reply.contents);
            if let Some(reason) = &report.without_vectors {
                notes.push(format!("without vectors: {reason}"));
            }
            let skipped: usize = report.skipped.values().sum();
            if skipped > 0 {
                notes.push(format!("{} skipped", counted(skipped, "file")));
            }
            format!(
                "added `{name}`: {} in {}; search it with `collection`\n",
                counted(*documents, "document"),
                counted(*chunks, "chunk")
            )
        }
        None => {
            if !reply.is_same {
                notes.push(
                    "its type, versions, tags and chunking stay as they are: to change them, set `replace`"
                        .to_string(),
                );
            }
            format!(
                "`{name}` already has this text; nothing was added; search it with `collection`\n"
            )
        }
    };
    let data = json!({
        "collection": name,
        "stored": reply.report.is_some(),
        "documents": documents,
        "chunks": chunks,
        "notes": notes,
    });
    Reply::of(form, with_notes(text, &notes), &data)
}

/// The warnings about documents, as notes.
fn shown_warnings(contents: &Contents) -> Vec<String> {
    /// How many are shown.
    const MOST: usize = 3;
    let (mut notes, more) = contents.first_warnings(MOST, |path| address(path).into_owned());
    if more > 0 {
        notes.push(format!("{} more", counted(more, "warning")));
    }
    notes
}

/// The documents of a preview, as far as there is room.
struct PreviewText {
    text: String,
    cuts: Vec<Value>,
    left: usize,
    is_full: bool,
    room: Room,
}

impl PreviewText {
    /// The room for the lines about the whole.
    const UNDER: usize = 60;

    fn add(&mut self, document: PreviewedDocument<'_>) {
        self.is_full |= !self.cuts.is_empty() && self.left < budget::LEAST;
        if self.cuts.len() >= SHOWN || self.is_full {
            return;
        }
        // Each document gets a share of the room, and at least enough to be useful.
        let share = self.left / document.left.clamp(1, SHOWN - self.cuts.len());
        let room = Room {
            tokens: share.max(2 * budget::LEAST),
            ..self.room
        };
        let (said, data) = described(Some(document.path), document.chunking, room);
        self.left = self.left.saturating_sub(room.form.tokens(&said, &data));
        self.text += &said;
        self.text.push('\n');
        self.cuts.push(data);
    }
}

/// What would be stored, and how it would be split.
fn preview(
    scope: &Scope,
    prepared: PreparedAddition,
    stop: &AtomicBool,
    room: Room,
) -> ServiceResult<Reply> {
    let mut shown = PreviewText {
        text: String::new(),
        cuts: Vec::new(),
        left: room.tokens.saturating_sub(PreviewText::UNDER),
        is_full: false,
        room,
    };
    let AddPreview {
        collection,
        is_kept,
        documents,
        chunks,
        skipped,
        too_large,
    } = scope.preview(prepared, stop, |document| shown.add(document))?;
    let mut notes = Vec::new();
    if skipped > 0 {
        notes.push(format!(
            "{} would be skipped",
            counted(skipped, "file or folder")
        ));
    }
    if too_large > 0 {
        notes.push(format!(
            "{} too large to be split here: the chunks are not counted",
            counted(too_large, "document")
        ));
    }
    if documents > shown.cuts.len() {
        let all = counted(documents, "document");
        notes.push(match shown.cuts.len() {
            1 => format!("the first of {all} is shown"),
            count => format!("the first {count} of {all} are shown"),
        });
    }
    if is_kept {
        notes.push(format!(
            "`{}` already has this text: nothing would be added",
            collection.name
        ));
    }
    let text = shown.text
        + &format!(
            "nothing was stored; `{}` would have {} in {}\n",
            collection.name,
            counted(documents, "document"),
            counted(chunks, "chunk")
        );
    let data = json!({
        "collection": collection.name,
        "stored": false,
        "documents": documents,
        "chunks": chunks,
        "preview": shown.cuts,
        "notes": notes,
    });
    Ok(Reply::of(room.form, with_notes(text, &notes), &data))
}
