//! From text to [`Outline`]: one file a format. A format says what the parts are; where to cut is decided elsewhere.

pub(crate) mod delimited;
pub(crate) mod fences;
mod front_matter;
mod lines;
mod markdown;
mod prose;

use std::fmt;

use crate::document::Document;
use crate::outline::Outline;

pub use lines::Lines;
pub use markdown::Markdown;
pub use prose::Prose;

/// Turns a text into its structure.
///
/// ```
/// use excerpt_chunk::{Document, Kind, Markdown, Parser};
///
/// let outline = Markdown.parse(&Document::new("# Title\n\nText.\n"), 0);
/// let kinds: Vec<Kind> = outline.nodes().iter().map(|node| node.kind()).collect();
/// assert_eq!(kinds, [Kind::Document, Kind::Section, Kind::Heading, Kind::Paragraph]);
/// ```
pub trait Parser {
    /// The outline of `document`. Any text has one. What is at most `detail` bytes large will not be cut inside, so that a parser need not
    /// say what is in it but for what has a name.
    fn parse(&self, document: &Document<'_>, detail: usize) -> Outline;
}

/// A language, and what told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The name of the language, in lower case, such as `rust`.
    pub language: &'static str,
    /// What told it, as it follows on "detected": `by its ending`.
    pub by: &'static str,
}

/// Reads source code and data by their grammars. Grammars weigh much, so that they are given to a chunker from outside.
pub trait CodeParser: Parser + fmt::Debug + Send + Sync {
    /// The language of `document` if it is one of those that this parser reads.
    fn detect(&self, document: &Document<'_>) -> Option<Detected>;
}

/// The offset behind a byte order mark.
fn body_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}
