//! `add`: makes a file, a folder or a text a collection of the served index. What it is made of is read below the folders that are allowed, and nowhere else.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use excerpt_chunk::Document;
use excerpt_index::{Collection, Files, Reading, Source as _, SyncOptions, includes};
use rmcp::model::{Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::arguments::{Arguments, shown};
use super::chunk::{chunking, described};
use super::reply::{Reply, texts, with_notes};
use super::scope::{Scope, Seen};
use super::{Shared, object};
use crate::output::counted;
use crate::place::project::Configuration;
use crate::place::{Addition, Kind};
use crate::wire::Cut;

pub(super) const NAME: &str = "add";

/// How many documents a preview shows.
const SHOWN: usize = 20;

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A file or folder, or give `content`"},
            "content": {"type": "string"},
            "type": {"type": "string", "enum": ["doc", "script"]},
            "title": {"type": "string"},
            "versions": {"type": "array", "items": {"type": "string"}},
            "tags": {"type": "array", "items": {"type": "string"}},
            "name": {"type": "string", "description": "Of the collection"},
            "chunking": chunking(),
            "preview": {"type": "boolean", "description": "Only show what would be stored"},
        },
        "additionalProperties": false,
    });
    let output = json!({
        "type": "object",
        "properties": {
            "collection": {"type": "string"},
            "stored": {"type": "boolean"},
            "documents": {"type": "integer"},
            "chunks": {"type": "integer"},
            "preview": {"type": "array", "items": {"type": "object"}},
            "notes": texts(),
        },
        "required": ["collection", "stored", "documents", "chunks", "notes"],
    });
    let description = "Add a file, a folder or a text as a collection, cut and tagged as you say; it can be searched at once.";
    Tool::new(NAME, description, object(input))
        .with_title("Add")
        .with_raw_output_schema(object(output))
        .with_annotations(writes())
}

/// What is said of a tool that adds and changes nothing else.
pub(super) fn writes() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .idempotent(false)
        .open_world(false)
}

/// What is added.
enum Given {
    File(PathBuf),
    Text(String),
}

impl Shared {
    pub(super) async fn add(
        self: &Arc<Self>,
        arguments: &mut Arguments,
        _context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let path = arguments.text("path")?;
        let content = arguments.text("content")?;
        let kind = arguments.word("type", &["doc", "script"])?;
        let addition = Addition {
            name: arguments.text("name")?,
            kind: kind.map(|kind| match kind {
                "script" => Kind::Script,
                _ => Kind::Doc,
            }),
            title: arguments.text("title")?,
            versions: arguments.texts("versions")?,
            tags: arguments.texts("tags")?,
            chunking: arguments.chunking()?,
            ..Addition::default()
        };
        let is_preview = arguments.truth("preview")?;
        let given = match (path, content) {
            (Some(_), Some(_)) => bail!("`path` and `content` are both given: leave one out"),
            (None, None) => {
                bail!("`path` or `content` is missing, expected a file or folder, or a text")
            }
            (Some(path), None) => Given::File(self.allowed(&path)?),
            (None, Some(content)) => Given::Text(content),
        };
        if let Given::Text(_) = &given
            && addition.name.is_none()
            && addition.title.is_none()
        {
            bail!("a text has no name: give `name` or `title`");
        }
        if let Given::File(root) = &given
            && addition.title.is_some()
            && root.is_dir()
        {
            bail!("`title` names one document, and `path` is a folder: leave it out");
        }
        let root = match &given {
            Given::File(root) => Some(&**root),
            Given::Text(_) => None,
        };
        let collection = addition.collection(root)?;
        let configuration = match root {
            Some(root) => Configuration::read(root, &self.options.embedding)?,
            None => Configuration::of_user(&self.options.embedding)?,
        };
        let options = configuration.options_of(&collection);
        let file = addition.file_name(&collection);
        if is_preview {
            let cut = move || preview(&collection, &given, &file, &options);
            return tokio::task::spawn_blocking(cut).await?;
        }
        self.keeper
            .write(move |writer| {
                let index = writer.index()?;
                let collection = match &given {
                    Given::Text(text) => index.give(collection, &file, text)?,
                    Given::File(_) => {
                        index.add(collection.clone())?;
                        collection
                    }
                };
                let seen = Seen {
                    name: collection.name.clone(),
                    root: collection.root.clone(),
                    collection: Some(collection),
                };
                let report = writer.sync(&seen, |_| false)?;
                let documents = report.added + report.changed + report.unchanged;
                let status = writer.index()?.status()?;
                let mut sources = status.sources.iter();
                let source = sources.find(|source| source.root == seen.root);
                let chunks = source.map_or(0, |source| source.chunks);
                let mut notes = Vec::new();
                if let Some(reason) = report.without_vectors {
                    notes.push(format!("without vectors: {reason}"));
                }
                let skipped: usize = report.skipped.values().sum();
                if skipped > 0 {
                    notes.push(format!("{} skipped", counted(skipped, "file")));
                }
                let text = format!(
                    "added `{}`: {} in {}; search it with `collection`\n",
                    seen.name,
                    counted(documents, "document"),
                    counted(chunks, "chunk")
                );
                let data = json!({
                    "collection": seen.name,
                    "stored": true,
                    "documents": documents,
                    "chunks": chunks,
                    "notes": notes,
                });
                Ok(Reply::of(with_notes(text, &notes), data))
            })
            .await
    }

    /// The file or folder that `path` means, if it lies below a folder that may be read, links followed.
    fn allowed(&self, path: &str) -> anyhow::Result<PathBuf> {
        let roots = &self.scope.readable;
        if roots.is_empty() {
            bail!(
                "no folder may be read from here: give the text as `content`, or start the server with `--allow-root FOLDER`"
            );
        }
        let mut places = roots.iter().map(|root| (root, root.join(path)));
        // What the rules of the folder leave out, such as a file with keys, is for its owner to add.
        let found = places.find_map(|(root, place)| {
            let found = Scope::real(root, &place)?;
            includes(root, &found).then_some(found)
        });
        // Whether there is such a file elsewhere is not told.
        found.with_context(|| {
            format!(
                "there is no `{}` below the folders that may be read: name a path inside of them, or give the text as `content`",
                shown(path)
            )
        })
    }
}

/// What would be stored, and how it would be cut.
fn preview(
    collection: &Collection,
    given: &Given,
    file: &str,
    options: &SyncOptions,
) -> anyhow::Result<Reply> {
    let chunker = excerpt_grammars::chunker(options.chunking.clone())?;
    let (mut documents, mut chunks) = (0, 0);
    let mut text = String::new();
    let mut cuts: Vec<Value> = Vec::new();
    let mut cut = |path: &str, content: &str| -> anyhow::Result<()> {
        let document = Document::new(content).with_path(path);
        let title = collection.attributes.title.as_deref();
        let document = match title {
            Some(title) => document.with_title(title),
            None => document,
        };
        let chunking = chunker.chunk(&document);
        documents += 1;
        chunks += chunking.chunks.len();
        if cuts.len() < SHOWN {
            text += &described(Some(path), &chunking);
            text.push('\n');
            cuts.push(serde_json::to_value(Cut {
                path: Some(path),
                summary: Some(chunking.summary()),
                chunking: &chunking,
            })?);
        }
        Ok(())
    };
    let mut notes = Vec::new();
    match given {
        Given::Text(content) => cut(file, content)?,
        Given::File(root) => {
            let files = Files::selected(root, &options.selection)?;
            let listing = files.list()?;
            let mut skipped = listing.skips.len();
            for entry in &listing.entries {
                match files.read(entry) {
                    Reading::Text { text, .. } => cut(&entry.path, &text)?,
                    _ => skipped += 1,
                }
            }
            if skipped > 0 {
                notes.push(format!(
                    "{} would be skipped",
                    counted(skipped, "file or folder")
                ));
            }
        }
    }
    if documents > SHOWN {
        notes.push(format!(
            "the first {SHOWN} of {} are shown",
            counted(documents, "document")
        ));
    }
    text += &format!(
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
        "preview": cuts,
        "notes": notes,
    });
    Ok(Reply::of(with_notes(text, &notes), data))
}
