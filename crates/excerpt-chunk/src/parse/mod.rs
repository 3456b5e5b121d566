//! From text to [`Outline`]: one file or folder per format. A format identifies the parts; where to
//! split is decided elsewhere.

mod accent;
mod adornment;
mod asciidoc;
mod beginning;
mod closings;
pub(crate) mod comments;
mod csv;
pub(crate) mod delimited;
mod diff;
mod encoded;
pub(crate) mod fences;
pub(crate) mod formats;
mod front_matter;
mod header;
mod latex;
mod limits;
mod lines;
mod log;
mod mail;
mod man;
mod markdown;
mod marks;
mod mediawiki;
mod org;
mod org_links;
mod paths;
mod prose;
mod reader;
mod rst;
mod rst_fields;
mod rst_links;
mod sections;
mod subtitles;
mod texts;
mod titles;
#[cfg(feature = "front-matter")]
mod yaml;

use std::fmt;

use crate::document::Document;
#[cfg(test)]
use crate::outline::Kind;
use crate::outline::Outline;
#[cfg(test)]
use crate::record::PlainName;
use crate::text::without_byte_order_mark;

use asciidoc::AsciiDoc;
use csv::Csv;
use diff::Diff;
use latex::Latex;
pub use lines::Lines;
use log::Log;
use mail::Mail;
use man::Man;
pub use markdown::Markdown;
use mediawiki::MediaWiki;
use org::Org;
pub use prose::Prose;
pub use rst::ReStructuredText;
use subtitles::Subtitles;

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
    /// The outline of `document`. Every text has one. Parts of at most `detail` bytes will not be
    /// split, so a parser may omit everything inside them except named definitions.
    fn parse(&self, document: &Document<'_>, detail: usize) -> Outline;
}

/// A language, and how it was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The name of the language, in lower case, such as `rust`.
    pub language: &'static str,
    /// How it was detected, as a phrase that follows "detected": `by its ending`.
    pub by: &'static str,
}

/// Reads source code and data with their grammars. Grammars are large, so they are passed to a
/// chunker from outside.
pub trait CodeParser: Parser + fmt::Debug + Send + Sync {
    /// The language of `document` if it is one of those that this parser reads.
    fn detect(&self, document: &Document<'_>) -> Option<Detected>;
}

/// The offset after a byte order mark.
fn body_start(text: &str) -> usize {
    text.len() - without_byte_order_mark(text).len()
}

/// The outline as lines `kind [label] first line`, indented by depth.
#[cfg(test)]
fn drawn(parser: &dyn Parser, text: &str) -> String {
    let outline = parser.parse(&Document::new(text), 0);
    let mut drawing = String::new();
    for (index, node) in outline.nodes.iter().enumerate().skip(1) {
        let mut depth = 0;
        let mut at = index;
        while outline.nodes[at].parent != 0 {
            at = outline.nodes[at].parent();
            depth += 1;
        }
        let first = text[node.span.clone()].trim().lines().next();
        let label = node.label.as_deref().map(|label| format!(" [{label}]"));
        drawing += &format!(
            "{}{:?}{} {}\n",
            "  ".repeat(depth),
            node.kind,
            label.unwrap_or_default(),
            first.unwrap_or_default()
        );
    }
    drawing
}

/// The outline as lines `kind [label] lines of text`, without the text of sections.
#[cfg(test)]
fn listed(parser: &dyn Parser, text: &str) -> String {
    let outline = parser.parse(&Document::new(text), 0);
    let mut listing = String::new();
    for node in outline.nodes.iter().skip(1) {
        let label = node.label.as_deref().map(|label| format!(" [{label}]"));
        let label = label.unwrap_or_default();
        let lines: Vec<_> = text[node.span.clone()].trim_end().lines().collect();
        let shown = match node.kind {
            Kind::Section => format!(" {}", node.level),
            _ => format!(" {}", lines.join(" / ")),
        };
        listing += &format!("{:?}{label}{shown}\n", node.kind);
    }
    listing
}

/// The targets of the links in a text, and how they are written.
#[cfg(test)]
fn links_of(parser: &dyn Parser, text: &str) -> Vec<(String, String)> {
    let outline = parser.parse(&Document::new(text), 0);
    let links = outline.info.links.iter();
    links
        .map(|link| {
            (
                link.target.to_string(),
                text[link.bytes.clone()].to_string(),
            )
        })
        .collect()
}

/// The kinds of the links in a text.
#[cfg(test)]
fn kinds_of_links(parser: &dyn Parser, text: &str) -> Vec<String> {
    let outline = parser.parse(&Document::new(text), 0);
    let kinds = outline.info.links.iter().map(|link| link.kind);
    kinds.map(|kind| PlainName(kind).to_string()).collect()
}
