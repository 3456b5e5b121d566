//! From text to [`Outline`]: one file a format. A format says what the parts are; where to cut is decided elsewhere.

pub(crate) mod delimited;
mod front_matter;
mod lines;
mod markdown;
mod prose;

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
/// let outline = Markdown.parse(&Document::new("# Title\n\nText.\n"));
/// let kinds: Vec<Kind> = outline.nodes().iter().map(|node| node.kind()).collect();
/// assert_eq!(kinds, [Kind::Document, Kind::Section, Kind::Heading, Kind::Paragraph]);
/// ```
pub trait Parser {
    /// The outline of `document`. Any text has one.
    fn parse(&self, document: &Document<'_>) -> Outline;
}

/// The offset behind a byte order mark.
fn body_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}
