//! The collections of the library, as `excerpt list` shows them.

use std::path::Path;

use excerpt_index::{Collection, Index, OpenOptions, SourceStatus};
use excerpt_service::text::counted;
use owo_colors::Style;
use serde::Serialize;

use crate::cli::status::synced;
use crate::output::{Output, SCHEMA};

/// A collection as JSON.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(flatten)]
    collection: &'a Collection,
    documents: usize,
    chunks: usize,
    status: Option<&'a SourceStatus>,
}

/// Prints the collections of the index in `library`, and returns whether there are any.
pub(super) fn print(output: &mut Output, library: &Path, json: bool) -> anyhow::Result<bool> {
    let collections = Collection::all_in(library)?;
    if collections.is_empty() {
        return Ok(false);
    }
    let status = Index::open(library, OpenOptions::default())?.status()?;
    for collection in &collections {
        let mut sources = status.sources.iter();
        let source = sources.find(|source| source.name.as_ref() == Some(&collection.name));
        let (documents, chunks) = source.map_or((0, 0), |it| (it.documents, it.chunks));
        if json {
            output.json(&Line {
                schema: SCHEMA,
                collection,
                documents,
                chunks,
                status: source,
            })?;
            continue;
        }
        let name = output.styled(&collection.name, Style::new().bold());
        output.line(format!(
            "{name}: {} in {}, {}",
            counted(documents, "document"),
            counted(chunks, "chunk"),
            synced(source.and_then(|source| source.last_sync))
        ))?;
        let root = match collection.given {
            true => "an added text".to_string(),
            false => collection.root.display().to_string(),
        };
        let said = said(collection);
        output.line(output.safe(&format!("    {root}{said}")))?;
    }
    Ok(true)
}

/// The options that were given when the collection was added.
fn said(collection: &Collection) -> String {
    let attributes = &collection.attributes;
    let mut said = Vec::new();
    said.extend(attributes.kind.clone());
    said.extend(attributes.title.as_ref().map(|title| format!("“{title}”")));
    let versions = attributes.versions.iter();
    said.extend(versions.map(|version| format!("version {version}")));
    said.extend(attributes.tags.iter().map(|tag| format!("#{tag}")));
    let preset = collection.chunking.preset;
    said.extend(preset.map(|preset| format!("preset {}", preset.name())));
    said.iter().map(|said| format!(" · {said}")).collect()
}
