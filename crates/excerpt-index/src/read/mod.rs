//! Reading from an index: a [`Target`] is a document, some lines or a section of it, or a chunk. It
//! is read as one continuous [`DocumentText`], with its neighbours and its [`Links`] on request.

mod closest;
mod links;
pub(crate) mod list;
mod reader;
pub(crate) mod sources;
mod target;

use std::path::PathBuf;

use excerpt_chunk::{Hash, Span};
use serde::Serialize;
use serde_json::{Map, Value};

pub(crate) use closest::Closest;
pub(crate) use links::ENDINGS;
use links::Resolver;
pub use links::{Incoming, Links, Outgoing};
pub(crate) use reader::Reader;
pub use target::Target;
use target::ids;

use crate::model::{Encoding, SourceId, is_at_or_below, is_hidden, segments};
use crate::source::{Extraction, FileText};
use crate::store::StoredChunk;

/// How targets are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The root of the source of the targets; without it, only one source may have such a document.
    /// Default: none.
    pub source: Option<PathBuf>,
    /// A path inside the source, compared by whole segments: everything outside of it is treated as
    /// not indexed. Default: none.
    pub under: Option<String>,
    /// How many chunks to add before and after those that contain the target; with 0, only these,
    /// but whole. Default: none, only the target itself.
    pub neighbours: Option<usize>,
    /// Whether to resolve the links in what is read and the links to it. Default: no.
    pub links: bool,
}

impl ReadOptions {
    /// Sets the root of the source of the targets.
    #[must_use]
    pub fn source(self, root: impl Into<PathBuf>) -> Self {
        ReadOptions {
            source: Some(root.into()),
            ..self
        }
    }

    /// Sets the document or folder that reading is limited to.
    #[must_use]
    pub fn under(self, path: impl Into<String>) -> Self {
        ReadOptions {
            under: Some(path.into()),
            ..self
        }
    }

    /// Sets how many chunks to add before and after.
    #[must_use]
    pub fn neighbours(self, neighbours: usize) -> Self {
        ReadOptions {
            neighbours: Some(neighbours),
            ..self
        }
    }

    /// Requests the links.
    #[must_use]
    pub fn links(self) -> Self {
        ReadOptions {
            links: true,
            ..self
        }
    }

    /// Whether a document may be read.
    pub(crate) fn holds(&self, source: &SourceId, path: &str) -> bool {
        let here = self.source.as_deref();
        here.is_none_or(|here| here == source.path()) && self.reaches(path)
    }

    /// Whether the path is at or under the one that reading is limited to.
    pub(crate) fn reaches(&self, path: &str) -> bool {
        let under = self.under.as_deref().map(segments);
        under.is_none_or(|under| is_at_or_below(&under, path))
    }
}

/// The text of a document, or a part of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DocumentText {
    /// The root of its source; empty where it must not be shown.
    #[serde(skip_serializing_if = "is_hidden")]
    pub source: PathBuf,
    /// Its path inside the source.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// Its first heading.
    pub first_heading: Option<String>,
    /// Its front matter.
    pub metadata: Map<String, Value>,
    /// What its source knows about it, such as its last commit.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub provenance: Map<String, Value>,
    /// The size of its file in bytes, when it was indexed.
    pub size: u64,
    /// When its file was last changed, in seconds since 1970, as of when it was indexed.
    pub modified: i64,
    /// The encoding of its file; `span` refers to the text in UTF-8.
    pub encoding: Encoding,
    /// Where the text begins in a file that is not text, such as `page=12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The place to open: `path:first-last`.
    pub citation: String,
    /// The place of `text` in the document.
    pub span: Span,
    /// The character of its first line where `text` starts, from 1.
    #[serde(skip)]
    pub column: usize,
    /// How many lines the whole document has.
    pub lines_total: usize,
    /// The text, byte for byte.
    pub text: String,
    /// How a reader has extracted the whole text; `None` for plain text.
    #[serde(skip)]
    pub extraction: Option<Extraction>,
    /// The chunks that contain some of the text, in order.
    pub chunks: Vec<ChunkPlace>,
    /// The links, if requested.
    pub links: Option<Links>,
}

impl DocumentText {
    /// The text, and how its file holds it.
    #[must_use]
    pub fn into_file(self) -> FileText {
        FileText {
            text: self.text,
            encoding: self.encoding,
            // The places are those of the whole text.
            extraction: self.extraction.map(|extraction| Extraction {
                places: extraction.places.without_prefix(self.span.bytes.start),
                ..extraction
            }),
        }
    }
}

/// The place of a chunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ChunkPlace {
    /// The id of the chunk.
    pub id: Hash,
    /// The position among the document's chunks, from 0.
    pub ordinal: usize,
    /// The place in the document.
    pub span: Span,
    /// The headings or scopes that enclose the chunk, outermost first.
    pub trail: Vec<String>,
}

impl From<StoredChunk> for ChunkPlace {
    fn from(chunk: StoredChunk) -> Self {
        ChunkPlace {
            id: chunk.id,
            ordinal: chunk.ordinal,
            span: chunk.span,
            trail: chunk.trail,
        }
    }
}

/// The place to open: what [`Target`] names.
pub(crate) fn citation(path: &str, span: &Span, place: Option<&str>) -> String {
    let (first, last) = span.lines;
    match place {
        Some(place) => format!("{path}#{place}"),
        None => format!("{path}:{first}-{last}"),
    }
}
