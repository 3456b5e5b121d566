//! `chunk`: how a document or a text is cut; nothing is stored.

use std::sync::Arc;

use anyhow::bail;
use excerpt_chunk::{Chunking, Document, Settings};
use excerpt_index::{Index, ReadOptions};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::budget::{self, tokens};
use super::reply::Reply;
use super::search::reads;
use super::{Shared, object};
use crate::place::project::Configuration;
use crate::wire::Cut;

pub(super) const NAME: &str = "chunk";

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A document, or give `text`"},
            "text": {"type": "string"},
            "name": {"type": "string", "description": "Tells the syntax of `text`: a.md, b.rs"},
            "collection": {"type": "string"},
            "chunking": chunking(),
        },
        "additionalProperties": false,
    });
    let output = json!({
        "type": "object",
        "properties": {
            "path": {"type": ["string", "null"]},
            "strategy": {"type": "string"},
            "reason": {"type": "string"},
            "chunks": {"type": "array", "items": {"type": "object"}},
            "summary": {"type": "object"},
            "warnings": {"type": "array"},
        },
        "required": ["strategy", "reason", "chunks", "summary", "warnings"],
    });
    let description = "Preview how a text would be cut into chunks. Stores nothing.";
    Tool::new(NAME, description, object(input))
        .with_title("Chunk")
        .with_raw_output_schema(object(output))
        .with_annotations(reads())
}

/// The schema of a configuration of the cut.
pub(super) fn chunking() -> Value {
    json!({
        "type": "object",
        "description": "preset (auto, brain, docs, resources, code, memory), strategy (auto, markdown, headers, delimiter, fixed, code, whole), target, max, min, overlap, levels, delimiter, include_delimiter, unit …",
    })
}

impl Shared {
    pub(super) async fn chunk(
        self: &Arc<Self>,
        arguments: &mut Arguments,
        context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let path = arguments.text("path")?;
        let text = arguments.text("text")?;
        let name = arguments.text("name")?;
        let collection = arguments.text("collection")?;
        let said = arguments.chunking()?;
        match (path, text) {
            (Some(_), Some(_)) => bail!("`path` and `text` are both given: leave one out"),
            (None, None) => {
                bail!("`path` or `text` is missing, expected a document here or a text")
            }
            (None, Some(text)) => {
                let shared = Arc::clone(self);
                let cut = move || {
                    let own = Configuration::of_user(&shared.options.embedding)?.chunking;
                    preview(said.or(own), name.as_deref(), &text)
                };
                tokio::task::spawn_blocking(cut).await?
            }
            (Some(path), None) => {
                self.read(context, move |shared, index| {
                    shared.preview_document(index, &path, collection.as_deref(), said)
                })
                .await
            }
        }
    }

    /// The cut of a document as it is indexed: what the index leaves out is not read.
    fn preview_document(
        &self,
        index: &mut Index,
        path: &str,
        collection: Option<&str>,
        said: Settings,
    ) -> anyhow::Result<Reply> {
        let sources = self.scope.chosen(collection)?;
        let sources = self.scope.indexed(index, sources)?;
        if sources.is_empty() {
            return self.nothing_indexed(index);
        }
        let (seen, document) = self.read_target(index, &sources, path, &ReadOptions::default())?;
        let configuration = Configuration::read(&seen.root, &self.options.embedding)?.chunking;
        let own = seen.collection.map(|known| known.chunking);
        let settings = said.or(own.unwrap_or_default()).or(configuration);
        preview(
            settings,
            Some(self.scope.outward(&document.path)),
            &document.text,
        )
    }
}

fn preview(settings: Settings, path: Option<&str>, text: &str) -> anyhow::Result<Reply> {
    let chunker = excerpt_grammars::chunker(settings.config())?;
    let document = Document::new(text);
    let document = path.map_or(document, |path| document.with_path(path));
    let chunking = chunker.chunk(&document);
    let cut = Cut {
        path,
        summary: Some(chunking.summary()),
        chunking: &chunking,
    };
    Ok(Reply::of(
        described(path, &chunking),
        serde_json::to_value(cut)?,
    ))
}

/// The cut in words, one line a chunk.
pub(super) fn described(path: Option<&str>, chunking: &Chunking<'_>) -> String {
    let summary = chunking.summary();
    let mut text = format!(
        "{} · {} {} · {} ({}) · {} chunks, mean {}, {} to {}\n",
        path.unwrap_or("the text"),
        chunking.size,
        chunking.unit,
        chunking.strategy,
        chunking.reason,
        summary.chunks,
        summary.mean,
        summary.smallest,
        summary.largest
    );
    for warning in &chunking.warnings {
        text += &format!("warning: {warning}\n");
    }
    for chunk in &chunking.chunks {
        let (first, last) = chunk.span.lines;
        let line = format!(
            "{} · lines {first}-{last} · {} · {} · {}",
            chunk.ordinal,
            chunk.tokens.total,
            chunk.breadcrumb(),
            chunk.cut.reason
        );
        text += &line.replace(char::is_control, " ");
        text.push('\n');
        if tokens(&text) > budget::DEFAULT {
            text += "… the others are left out here\n";
            break;
        }
    }
    text
}
