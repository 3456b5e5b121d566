//! From text to [`Outline`]: one file a format. A format says what the parts are; where to cut is decided elsewhere.

pub(crate) mod delimited;
mod front_matter;
mod markdown;
mod prose;
mod source;

use crate::document::Document;
use crate::outline::Outline;

pub(crate) use markdown::Markdown;
pub(crate) use prose::Prose;
pub(crate) use source::Source;

/// Turns a text into its structure.
pub(crate) trait Parser {
    /// The outline of `document`. Any text has one.
    fn parse(&self, document: &Document<'_>) -> Outline;
}

/// The offset behind a byte order mark.
fn body_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}
