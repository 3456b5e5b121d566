//! Source code and data, read with their grammars.
//!
//! [`Grammars`] is the code parser for a chunker: it detects the language of a document and turns
//! its text into an [`Outline`](excerpt_chunk::Outline) with functions, classes, keys and
//! everything else that has a name. What is known about a language is data: a row in the table with
//! its names and extensions, and a folder `languages/<name>` with a file that gives the meaning of
//! the node kinds in its syntax tree. This is the only crate that links grammars, and none of their
//! types are part of its interface.
//!
//! ```
//! # #[cfg(feature = "rust")] {
//! use excerpt_chunk::{CodeParser, Document, Parser};
//! use excerpt_grammars::Grammars;
//!
//! let document = Document::new("/// Adds.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n").with_path("src/sum.rs");
//! let detected = Grammars.detect(&document).expect("the ending tells it");
//! assert_eq!((detected.language, detected.by), ("rust", "by its ending"));
//! let outline = Grammars.parse(&document, 0);
//! assert_eq!(&*outline.definitions()[0].name, "add");
//! # }
//! ```

#![deny(unsafe_code)]

mod anatomy;
mod bounded;
mod content;
mod detect;
mod draft;
mod gap;
mod grammar;
mod hazard;
mod imports;
mod knowledge;
mod label;
mod modules;
mod path;
mod read;
mod table;
mod walk;

use std::sync::Arc;

use excerpt_chunk::{Chunker, Config, ConfigError};

/// Increased whenever the same text gives a different outline.
pub const VERSION: u32 = 5;

pub use detect::languages;
pub use modules::module_path;
pub use read::Grammars;

/// A chunker that reads source code and data with all grammars of this build.
///
/// # Errors
///
/// The same as for [`Chunker::new`](excerpt_chunk::Chunker::new).
pub fn chunker(config: Config) -> Result<Chunker, ConfigError> {
    Ok(Chunker::new(config)?.with_code_parser(Arc::new(Grammars)))
}
