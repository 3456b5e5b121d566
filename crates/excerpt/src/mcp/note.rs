//! `note`: writes a Markdown file with front matter into the inbox.

use std::sync::Arc;

use chrono::Local;
use excerpt_service::NoteRequest;
use excerpt_service::text::address::address;
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::add::writes;
use super::arguments::Arguments;
use super::reply::{Form, Reply, with_notes};
use super::shared::{Shared, object};
use super::told::told;

pub(super) const NAME: &str = "note";

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "content": {"type": "string", "description": "Markdown"},
            "path": {"type": "string", "description": "Folder or file name in the inbox"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "format": Form::schema(),
        },
        "required": ["title", "content"],
        "additionalProperties": false,
    });
    let description = "Write a note to the inbox as a new Markdown file. Never overwrites.";
    Tool::new(NAME, description, object(input))
        .with_title("Note")
        .with_annotations(writes())
}

impl Shared {
    pub(super) async fn note(
        self: &Arc<Self>,
        arguments: &mut Arguments,
        _context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let request = NoteRequest {
            title: arguments.text("title")?.unwrap_or_default(),
            content: arguments.text("content")?.unwrap_or_default(),
            path: arguments.text("path")?.unwrap_or_default(),
            tags: arguments.texts("tags")?,
        };
        let form = arguments.form()?;
        let shared = Arc::clone(self);
        self.engine
            .write(move |writer| {
                let day = Local::now().format("%F").to_string();
                let inbox = &shared.options.inbox;
                let reply = request.write(&shared.scope, inbox, &day, writer)?;
                let mut notes = Vec::new();
                if let Some(error) = &reply.unsynced {
                    notes.push(format!("not searchable yet: {}", told(error)));
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
