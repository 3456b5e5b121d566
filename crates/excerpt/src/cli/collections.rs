//! The collections of the library, as `excerpt list` shows them.

use excerpt_index::{ActiveWriter, Collection};
use excerpt_service::ListedCollection;
use excerpt_service::text::counted;
use owo_colors::Style;
use serde::Serialize;

use crate::cli::status::state;
use crate::output::{Output, SCHEMA};

/// A collection as JSON.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    #[serde(flatten)]
    listed: &'a ListedCollection,
}

/// Prints collections. `writer` is the process that is writing their index.
pub(super) fn print(
    output: &mut Output,
    (collections, writer): (&[ListedCollection], Option<&ActiveWriter>),
    json: bool,
) -> anyhow::Result<()> {
    for listed in collections {
        if json {
            output.json(&Line {
                schema: SCHEMA,
                listed,
            })?;
            continue;
        }
        let ListedCollection {
            collection,
            documents,
            chunks,
            status,
        } = listed;
        let name = output.styled(&collection.name, Style::new().bold());
        output.line(format!(
            "{name}: {} in {}, {}",
            counted(*documents, "document"),
            counted(*chunks, "chunk"),
            state(status.as_ref(), writer)
        ))?;
        let root = match collection.given {
            true => "an added text".to_string(),
            false => collection.root.display().to_string(),
        };
        let said = said(collection);
        output.line(output.safe(&format!("    {root}{said}")))?;
    }
    Ok(())
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
