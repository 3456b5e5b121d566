//! Source code and data, read by their grammars.
//!
//! [`Grammars`] is the parser of code that a chunker is given: it tells the language of a document and turns its text into an
//! [`Outline`](excerpt_chunk::Outline) with functions, classes, keys and all else that has a name. What is known of a language is data:
//! a row in the table with its names and endings, and a folder `languages/<name>` with a file that says what the kinds of nodes in its
//! syntax tree mean. This is the only crate that links grammars, and no type of theirs leaves it.
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

/// Raised whenever the same text gives another outline.
pub const VERSION: u32 = 3;

pub use detect::languages;
pub use modules::module_path;
pub use read::Grammars;

/// A chunker that reads source code and data by all grammars of this build.
///
/// # Errors
///
/// Those of [`Chunker::new`](excerpt_chunk::Chunker::new).
pub fn chunker(config: Config) -> Result<Chunker, ConfigError> {
    Ok(Chunker::new(config)?.with_code_parser(Arc::new(Grammars)))
}
