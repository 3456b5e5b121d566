//! Text in, chunks out.
//!
//! A [`Document`] is turned by a [`Parser`] into an [`Outline`], a tree of spans that is the same for every format; one plan over that tree
//! decides where to cut; a [`Chunk`] is a verbatim slice of the document with its place kept beside it. Nothing here
//! reads files, asks the time or keeps state: the same bytes and configuration give the same chunks everywhere.
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

/// Raised whenever the same text and configuration give other chunks: what was cut by another version is to be cut again.
pub const VERSION: u32 = 4;

mod alias;
mod assembly;
mod atom;
mod chunk;
mod chunker;
mod closest;
mod config;
mod document;
mod error;
mod file;
mod flatten;
mod imports;
mod landmark;
mod limits;
mod naive;
mod named;
mod outline;
mod pack;
mod parse;
mod preset;
mod price;
mod reading;
mod settings;
mod size;
mod span;
mod split;

pub use chunk::{Chunk, Chunking, Context, Cut, Hash, Part, Sizes, Strength, Summary, Warning};
pub use chunker::Chunker;
pub use closest::closest;
pub use config::{Atomic, Config, ContextParts, Levels, Overlap, Strategy};
pub use document::{Document, DocumentInfo, Link, LinkKind, Syntax};
pub use error::ConfigError;
pub use file::{FileError, settings_from_json, settings_from_toml};
pub use outline::{Definition, Import, Kind, Node, Outline, OutlineBuilder};
pub use parse::{CodeParser, Detected, Lines, Markdown, Parser, Prose};
pub use preset::Preset;
pub use settings::Settings;
pub use size::Unit;
pub use span::{LineIndex, Span};
