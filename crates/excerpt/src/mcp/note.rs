//! `note`: writes a Markdown file with front matter into the inbox.

use std::sync::Arc;

use chrono::Local;
use excerpt_service::NoteRequest;
use excerpt_service::text::address::address;
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::annotations::writes;
use super::arguments::schema;
use super::messages::service_error;
use super::reply::{Form, Reply, with_notes};
use super::shared::Shared;

pub(super) const NAME: &str = "note";

/// The note, and how the answer is shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoteArguments {
    title: String,
    /// Markdown
    content: String,
    /// Folder or file name in the inbox.
    #[serde(default)]
    path: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    format: Form,
}

pub(super) fn tool() -> Tool {
    let description = "Write a note to the inbox as a new Markdown file. Never overwrites.";
    Tool::new(NAME, description, schema::<NoteArguments>())
        .with_title("Note")
        .with_annotations(writes())
}

impl Shared {
    pub(super) async fn note(
        self: &Arc<Self>,
        arguments: NoteArguments,
        _context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let request = NoteRequest {
            title: arguments.title,
            content: arguments.content,
            path: arguments.path,
            tags: arguments.tags,
        };
        let form = arguments.format;
        let shared = Arc::clone(self);
        self.engine
            .write(move |writer| {
                let day = Local::now().format("%F").to_string();
                let inbox = &shared.rights.inbox;
                let reply = request.write(&shared.scope, inbox, &day, writer)?;
                let mut notes = Vec::new();
                if let Some(error) = &reply.unsynced {
                    notes.push(format!("not searchable yet: {}", service_error(error)));
                } else if !reply.is_searchable {
                    notes.push(
                        "the folder's ignore rules exclude this file from the index: it is saved but not searchable"
                            .to_string(),
                    );
                }
                let mut data = serde_json::to_value(&reply)?;
                data["notes"] = json!(notes);
                let (_, lines) = reply.citation.split_at(reply.path.len());
                let text = format!("saved as {}{lines}\n", address(&reply.path));
                Ok(Reply::of(form, with_notes(text, &notes), &data))
            })
            .await
    }
}
