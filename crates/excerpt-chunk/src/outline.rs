//! The structure of a document: an [`Outline`] is a tree of spans that every format is turned into.

use std::fmt;
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
    /// The start of a document that is an overview of others.
    Overview,
    /// Several of these.
    Mixed,
}

impl Kind {
    /// What the kind is called in a sentence.
    fn noun(self) -> &'static str {
        match self {
            Kind::Document => "document",
            Kind::Section => "section",
            Kind::Heading => "heading",
            Kind::Paragraph => "paragraph",
            Kind::List => "list",
            Kind::Item => "list item",
            Kind::Quote => "quote",
            Kind::Code => "code block",
            Kind::Table => "table",
            Kind::Html => "HTML block",
            Kind::Rule => "rule",
            Kind::Footnote => "footnote",
            Kind::Definitions => "link definition",
            Kind::FrontMatter => "front matter",
            Kind::Overview => "overview",
            Kind::Mixed => "block",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

/// A part of a document, with what is known of it.
///
/// A node's children tile it: the first begins where it begins, each reaches up to the next (blank lines belong to what they follow),
/// the last ends where it ends.
#[derive(Clone, Debug)]
pub struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
    /// The level of a section or heading, 1 to 6; else 0.
    pub(crate) level: u8,
    /// The title of a section, the language of a code block.
    pub(crate) label: Option<Arc<str>>,
    pub(crate) parent: usize,
    /// The index of the first node that is not in this one's subtree.
    pub(crate) end: usize,
}

/// The structure of a document: its nodes in document order, parents before children. Node 0 is the document.
#[derive(Clone, Debug)]
pub struct Outline {
    pub(crate) nodes: Vec<Node>,
    /// The places where a cut is mandatory because a delimiter stands there, in order, disjoint.
    pub(crate) delimiters: Vec<Range<usize>>,
    pub(crate) info: DocumentInfo,
    /// What could not be read as it seems to have been meant.
    pub(crate) fallbacks: Vec<String>,
}

impl Node {
    /// The bytes of the node.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The level of a section or heading, 1 to 6; else 0.
    #[must_use]
    pub fn level(&self) -> u8 {
        self.level
    }

    /// The title of a section, the language of a code block.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The index of the node around it; the document is its own parent.
    #[must_use]
    pub fn parent(&self) -> usize {
        self.parent
    }
}

impl Outline {
    /// The nodes in document order, parents before children. The first is the document.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the document says of itself.
    #[must_use]
    pub fn info(&self) -> &DocumentInfo {
        &self.info
    }
}

/// Makes an [`Outline`] from nodes opened and closed in document order.
pub(crate) struct Builder<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    open: Vec<usize>,
    /// Where the last closed node ended, as its parser saw it.
    closed_at: usize,
}

impl<'a> Builder<'a> {
    /// Begins the outline of `text` from byte `start` on.
    pub(crate) fn new(text: &'a str, start: usize) -> Self {
        let document = Node {
            span: start..text.len(),
            kind: Kind::Document,
            level: 0,
            label: None,
            parent: 0,
            end: 0,
        };
        // Real Markdown has a node for every 150 bytes or so.
        let mut nodes = Vec::with_capacity(text.len() / 128 + 1);
        nodes.push(document);
        Builder {
            text,
            nodes,
            open: vec![0],
            closed_at: start,
        }
    }

    /// The innermost open node.
    pub(crate) fn current(&self) -> &Node {
        &self.nodes[self.open[self.open.len() - 1]]
    }

    /// Opens a node at `start`, or at the start of its line if a sibling stands before it.
    pub(crate) fn open(&mut self, kind: Kind, start: usize) -> usize {
        let parent = self.open[self.open.len() - 1];
        let index = self.nodes.len();
        let start = if index == parent + 1 {
            self.nodes[parent].span.start
        } else {
            let floor = self.nodes[index - 1].span.start;
            let line = memchr::memrchr(b'\n', &self.text.as_bytes()[floor..start]);
            line.map_or(start, |newline| floor + newline + 1)
        };
        self.nodes.push(Node {
            span: start..start,
            kind,
            level: 0,
            label: None,
            parent,
            end: index + 1,
        });
        self.open.push(index);
        index
    }

    /// Labels the innermost open node.
    pub(crate) fn label_current(&mut self, label: Arc<str>) {
        let index = self.open[self.open.len() - 1];
        self.nodes[index].label = Some(label);
    }

    /// The node that `open` returned.
    pub(crate) fn node(&mut self, index: usize) -> &mut Node {
        &mut self.nodes[index]
    }

    /// Closes the innermost open node, which its parser saw end at `end`.
    pub(crate) fn close(&mut self, end: usize) {
        if let Some(index) = self.open.pop() {
            self.nodes[index].end = self.nodes.len();
            self.closed_at = self.closed_at.max(end);
        }
    }

    /// Opens and closes a node without children.
    pub(crate) fn leaf(&mut self, kind: Kind, span: Range<usize>) -> usize {
        let index = self.open(kind, span.start);
        self.close(span.end);
        index
    }

    /// Where the last closed node ended.
    pub(crate) fn closed_at(&self) -> usize {
        self.closed_at
    }

    /// Closes what is open and makes the children of each node tile it.
    pub(crate) fn finish(mut self) -> Outline {
        while self.open.len() > 1 {
            self.close(self.text.len());
        }
        self.nodes[0].end = self.nodes.len();
        for index in 1..self.nodes.len() {
            let Node { parent, end, .. } = self.nodes[index];
            self.nodes[index].span.end = if end == self.nodes[parent].end {
                self.nodes[parent].span.end
            } else {
                self.nodes[end].span.start
            };
        }
        Outline {
            nodes: self.nodes,
            delimiters: Vec::new(),
            info: DocumentInfo::default(),
            fallbacks: Vec::new(),
        }
    }
}
