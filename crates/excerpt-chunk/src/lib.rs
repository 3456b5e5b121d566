//! Text in, chunks out.
//!
//! A [`Parser`] turns a [`Document`] into an [`Outline`], a tree of spans that is the same for
//! every format. One plan over that tree decides where to split. A [`Chunk`] is a verbatim slice of
//! the document, with its place stored next to it.
//!
//! Nothing here reads files, asks for the time or keeps state: the same bytes and configuration
//! give the same chunks everywhere.
//!
//! ```
//! use excerpt_chunk::{Chunker, Document};
//!
//! let text = "# Guide\n\n## Install\n\nRun the installer.\n\n## Use\n\nAsk a question.\n";
//! let chunking = Chunker::default().chunk(&Document::new(text).with_path("guide.md"));
//! for chunk in &chunking.chunks {
//!     assert_eq!(chunk.text, &text[chunk.span.bytes.clone()]);
//! }
//! ```

#![forbid(unsafe_code)]

/// Increased whenever the same text and configuration give different chunks. Documents that were
/// split by another version must be split again.
pub const VERSION: u32 = 6;

mod alias;
mod assembly;
mod atom;
mod block;
mod bounds;
mod chunk;
mod chunker;
mod closest;
mod config;
mod delimiter;
mod document;
mod error;
mod fields;
#[cfg(feature = "toml")]
mod file;
mod flatten;
mod imports;
mod json;
mod landmark;
mod measure;
mod naive;
mod named;
mod outline;
mod pack;
mod parse;
mod preset;
mod price;
mod reading;
mod record;
mod settings;
mod size;
mod span;
mod split;

pub use alias::fields_named;
pub use block::Block;
pub use chunk::{
    Chunk, Chunking, Context, Cut, Hash, Part, Sizes, Strength, Summary, Warning, embedded_text,
};
pub use chunker::Chunker;
pub use closest::closest;
pub use config::{Atomic, Config, ContextParts, Levels, Overlap, Strategy};
pub use document::{Document, DocumentInfo, Link, LinkKind, Syntax, dates};
pub use error::ConfigError;
pub use fields::{ConfigField, FIELDS, Values};
#[cfg(feature = "toml")]
pub use file::{FileError, settings_from_toml};
pub use json::settings_from_json;
pub use outline::{Definition, Import, Kind, Node, Outline, OutlineBuilder};
pub use parse::{CodeParser, Detected, Lines, Markdown, Parser, Prose};
pub use preset::Preset;
pub use record::ChunkRecord;
pub use settings::Settings;
pub use size::{SizeError, Sizer, Unit};
pub use span::{LineIndex, Span};
