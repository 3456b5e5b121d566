//! The columns of documents and of chunks.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema};

use crate::error::BatchError;

/// The version of the columns of chunks, as `excerpt.schema` in the metadata of a schema. It is
/// increased when a column is renamed, removed or changes its type; not when one is added.
pub const SCHEMA_VERSION: u32 = 1;

/// The key of [`SCHEMA_VERSION`] in the metadata of a schema.
pub(crate) const VERSION_KEY: &str = "excerpt.schema";

/// The column that says why a document could not be split.
pub(crate) const ERROR: &str = "error";

/// The column with the text of a chunk.
pub(crate) const TEXT: &str = "text";

/// What precedes the name of a column of the document that a column of the chunk also has.
const OF_DOCUMENT: &str = "document_";

/// The columns of a batch of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentColumns {
    /// The text: of any string type, or binary with UTF-8. Default: `text`.
    pub text: String,
    /// The path, which determines the syntax, and is part of the context and of the ids. Default:
    /// none.
    pub path: Option<String>,
    /// What the ids of chunks are derived from in place of the path: strings, binary or whole
    /// numbers. Default: the path.
    pub id: Option<String>,
    /// The title, overriding the text. Default: none.
    pub title: Option<String>,
    /// The language, overriding the path and the text. Default: none.
    pub language: Option<String>,
}

impl Default for DocumentColumns {
    fn default() -> Self {
        DocumentColumns {
            text: "text".to_string(),
            path: None,
            id: None,
            title: None,
            language: None,
        }
    }
}

/// The type of a column of chunks.
#[derive(Clone, Copy)]
pub(crate) enum ColumnType {
    /// A string.
    Text,
    /// A whole number. It is signed, because not every engine has others.
    Number,
    /// A list of strings.
    Texts,
}

/// The columns of chunks: the fields of [`ChunkRecord`](excerpt_chunk::ChunkRecord).
pub(crate) const COLUMNS: [(&str, ColumnType); 35] = [
    ("id", ColumnType::Text),
    ("hash", ColumnType::Text),
    ("path", ColumnType::Text),
    ("title", ColumnType::Text),
    ("ordinal", ColumnType::Number),
    ("part", ColumnType::Number),
    ("parts", ColumnType::Number),
    ("start_byte", ColumnType::Number),
    ("end_byte", ColumnType::Number),
    ("start_char", ColumnType::Number),
    ("end_char", ColumnType::Number),
    ("start_line", ColumnType::Number),
    ("end_line", ColumnType::Number),
    ("place", ColumnType::Text),
    ("trail", ColumnType::Texts),
    ("sections", ColumnType::Texts),
    ("defines", ColumnType::Texts),
    ("modules", ColumnType::Texts),
    ("imports", ColumnType::Texts),
    ("dates", ColumnType::Texts),
    ("kind", ColumnType::Text),
    ("name", ColumnType::Text),
    ("language", ColumnType::Text),
    ("signature", ColumnType::Text),
    ("unit", ColumnType::Text),
    ("size", ColumnType::Number),
    ("text_size", ColumnType::Number),
    ("header_size", ColumnType::Number),
    ("overlap_size", ColumnType::Number),
    ("cut", ColumnType::Text),
    ("cut_reason", ColumnType::Text),
    ("warnings", ColumnType::Texts),
    ("header", ColumnType::Text),
    ("overlap", ColumnType::Text),
    (TEXT, ColumnType::Text),
];

/// The columns of chunks, in order: those of [`ChunkRecord`](excerpt_chunk::ChunkRecord), of type
/// `Utf8`, `Int64` or `List<Utf8>`, and `error`, which says why a document could not be split. All
/// may be null: in the row of such a document, the others are.
#[must_use]
pub fn chunk_fields() -> Vec<FieldRef> {
    let columns = COLUMNS.iter().map(|(name, kind)| {
        let kind = match kind {
            ColumnType::Text => DataType::Utf8,
            ColumnType::Number => DataType::Int64,
            ColumnType::Texts => DataType::List(item()),
        };
        Arc::new(Field::new(*name, kind, true))
    });
    let error = Arc::new(Field::new(ERROR, DataType::Utf8, true));
    columns.chain([error]).collect()
}

/// The items of a list.
pub(crate) fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Utf8, true))
}

/// A column of the documents that is repeated for each chunk: its place in their batch, and the
/// field that it becomes.
pub(crate) struct Kept {
    pub(crate) at: usize,
    field: FieldRef,
}

/// The columns of the documents that are kept: all but the text, and the path, which is a column
/// of the chunks as well.
///
/// # Errors
///
/// When two columns would have the same name.
pub(crate) fn kept(input: &Schema, columns: &DocumentColumns) -> Result<Vec<Kept>, BatchError> {
    let of_chunks = |name: &str| name == ERROR || COLUMNS.iter().any(|(known, _)| *known == name);
    let mut kept: Vec<Kept> = Vec::new();
    for (at, field) in input.fields().iter().enumerate() {
        let is_path = field.name() == "path" && columns.path.as_deref() == Some("path");
        if *field.name() == columns.text || is_path {
            continue;
        }
        let field = match of_chunks(field.name()) {
            true => {
                let name = format!("{OF_DOCUMENT}{}", field.name());
                Arc::new(field.as_ref().clone().with_name(name))
            }
            false => Arc::clone(field),
        };
        if kept.iter().any(|other| other.field.name() == field.name()) {
            let name = field.name().clone();
            return Err(BatchError::SameName { name });
        }
        kept.push(Kept { at, field });
    }
    Ok(kept)
}

/// The schema of the chunks of documents.
pub(crate) fn of_chunks(kept: &[Kept]) -> Schema {
    let kept = kept.iter().map(|kept| Arc::clone(&kept.field));
    let fields: Vec<FieldRef> = kept.chain(chunk_fields()).collect();
    let version = (VERSION_KEY.to_string(), SCHEMA_VERSION.to_string());
    Schema::new(fields).with_metadata(HashMap::from([version]))
}
