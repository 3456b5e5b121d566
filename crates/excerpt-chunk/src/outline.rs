//! The structure of a document: an [`Outline`] is a tree of spans that every format is turned into.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::document::DocumentInfo;

/// What a part of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// The whole document.
    Document,
    /// A heading with everything under it.
    Section,
    /// A heading line.
    Heading,
    /// A paragraph of prose.
    Paragraph,
    /// A list.
    List,
    /// An item of a list.
    Item,
    /// A block quote.
    Quote,
    /// A code block, or a block of lines in source text.
    Code,
    /// A table.
    Table,
    /// A block of HTML.
    Html,
    /// A horizontal rule.
    Rule,
    /// A footnote's definition.
    Footnote,
    /// Link definitions.
    Definitions,
    /// Metadata at the start of a document.
    FrontMatter,
    /// Several of these.
    Mixed,
}
