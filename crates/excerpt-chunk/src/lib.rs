//! Splits Markdown, text and source code into chunks at natural boundaries.
//!
//! ```
//! use excerpt_chunk::{Chunker, Document};
//!
//! let text = "# Guide\n\n## Install\n\nRun the installer.\n\n## Use\n\nAsk a question.\n";
//! let chunking = Chunker::default().chunk(&Document::new(text).with_path("guide.md"));
//! for chunk in &chunking.chunks {
//!     println!("lines {:?}: {}", chunk.span.lines, chunk.text);
//! }
//! ```
//!
//! A [`Chunk`] is a verbatim slice of the text. Its place (headings, path, title) is stored next to
//! it as its [`Context`], and its bytes and lines are exact. Sizes are 400 tokens of four
//! characters unless a [`Config`] or a [`Preset`] says otherwise.
//!
//! # Embedding
//!
//! Embed [`Chunk::embedded`]: the context in front of the overlap and the text. [`Sizes::total`] is
//! the sum of the sizes of its parts, which is within [`Config::max`]. To store or send chunks,
//! turn them into flat rows of plain columns with [`Chunking::records`].
//!
//! ```
//! # use excerpt_chunk::{Chunker, Document};
//! # fn embed(input: &str) -> [f32; 2] { [input.len() as f32, 1.0] }
//! # let text = "# Guide\n\nRun the installer.\n";
//! let chunking = Chunker::default().chunk(&Document::new(text).with_path("guide.md"));
//! for chunk in &chunking.chunks {
//!     let vector = embed(&chunk.embedded(text));
//!     println!("{}: {vector:?}", chunk.id);
//! }
//! for row in chunking.records(text) {
//!     assert_eq!(row.embedded(), "guide.md\nGuide\n# Guide\n\nRun the installer.");
//! }
//! ```
//!
//! To measure in the tokens of your embedder, write a [`Sizer`] and call
//! [`Chunker::chunk_with`]. The five [`Unit`]s are built in.
//!
//! # Features
//!
//! | feature | default | without it |
//! | --- | --- | --- |
//! | `front-matter` | yes | the fields of front matter are not read, and a [`Warning`] says so |
//! | `regex` | yes | [`Config::delimiter`] is a [`ConfigError`] |
//! | `toml` | yes | there is no `settings_from_toml`; [`settings_from_json`] remains |
//! | `tokens` | no | [`Unit::Cl100k`] and [`Unit::O200k`] are a [`ConfigError`] |
//!
//! # How it works
//!
//! A [`Parser`] turns a [`Document`] into an [`Outline`], a tree of spans that is the same for
//! every format. One plan over that tree decides where to split. [`FIELDS`] is the table of all
//! options. Grammars for source code are in the crate `excerpt-grammars`
//! ([`Chunker::with_code_parser`]); without them, code is split at its lines.
//!
//! Nothing here reads files, asks for the time or keeps state: the same bytes and configuration
//! give the same chunks everywhere.

#![forbid(unsafe_code)]

/// Increased whenever the same text and configuration give different chunks. Documents that were
/// split by another version must be split again.
pub const VERSION: u32 = 20;

mod alias;
mod assembly;
mod atom;
mod block;
mod bounds;
mod chunk;
mod chunker;
mod closest;
mod config;
mod day;
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
#[cfg(feature = "schema")]
mod schema;
mod settings;
mod size;
mod span;
mod split;
mod text;
#[cfg(any(feature = "front-matter", feature = "toml"))]
mod toml_value;

pub use alias::{fields_named, snake_case};
pub use block::Block;
pub use chunk::{
    Chunk, Chunking, Context, Cut, Hash, Hasher, Part, Sizes, Strength, Summary, Warning,
    embedded_text,
};
pub use chunker::Chunker;
pub use closest::closest;
pub use config::{Atomic, Config, ContextParts, Levels, Overlap, Strategy};
pub use day::dates;
pub use document::{Document, DocumentInfo, Link, LinkKind, Syntax, file_ending};
pub use error::ConfigError;
pub use fields::{ConfigField, FIELDS, Values};
#[cfg(feature = "toml")]
pub use file::{FileError, settings_from_toml};
pub use json::settings_from_json;
pub use outline::{Definition, Import, Kind, Node, Outline, OutlineBuilder};
pub use parse::{CodeParser, Detected, Lines, Markdown, Parser, Prose, ReStructuredText};
pub use preset::Preset;
pub use record::{ChunkRecord, PlainName};
pub use settings::Settings;
pub use size::{SizeError, Sizer, Unit};
pub use span::{LineIndex, Span};
pub use text::{is_fence, without_byte_order_mark};
