//! The blocks of a document as a flat list: an outline as its reader sees it.

use std::sync::Arc;

use serde::Serialize;

use crate::outline::{Kind, Node, Outline};
use crate::span::LineIndex;

/// A block of a document: a heading, a paragraph, a list, a table, a definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Block {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The level of a heading: 1 to 6, and up to 24 in formats that have more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The title of a heading, or what a definition or key is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// The language of a code block that names one, or of source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Arc<str>>,
    /// The first and the last line, counted from 1.
    pub lines: (usize, usize),
}

impl Outline {
    /// The blocks of the outline of `text`, in order: everything that is in no other block, and the
    /// definitions inside definitions.
    ///
    /// ```
    /// use excerpt_chunk::{Document, Kind, Markdown, Parser};
    ///
    /// let text = "# Tea\n\nGreen or black.\n\n```sh\nboil water\n```\n";
    /// let blocks = Markdown.parse(&Document::new(text), 0).blocks(text);
    /// assert_eq!((blocks[0].kind, blocks[0].level), (Kind::Heading, Some(1)));
    /// assert_eq!((blocks[2].language.as_deref(), blocks[2].lines), (Some("sh"), (5, 7)));
    /// ```
    #[must_use]
    pub fn blocks(&self, text: &str) -> Vec<Block> {
        let index = LineIndex::new(text);
        let blocks = self.nodes.iter().enumerate().skip(1);
        let blocks = blocks.filter(|(_, node)| self.is_listed(node));
        blocks
            .filter_map(|(at, node)| {
                let part = &text[node.span.clone()];
                let start = node.span.end - part.trim_start().len();
                let end = node.span.start + part.trim_end().len();
                (start < end).then(|| self.block_at(at, index.span(start..end).lines))
            })
            .collect()
    }

    fn block_at(&self, at: usize, lines: (usize, usize)) -> Block {
        let node = &self.nodes[at];
        let label = || node.label.clone();
        Block {
            kind: node.kind,
            level: (node.kind == Kind::Heading && node.level > 0).then_some(node.level),
            // The title of a heading is the label of its section.
            name: match node.kind {
                Kind::Heading if node.parent() + 1 == at => self.nodes[node.parent()].label.clone(),
                Kind::Heading => None,
                Kind::Code => None,
                _ => label(),
            },
            language: match node.kind {
                Kind::Code => label().or_else(|| self.language.clone()),
                kind if kind.is_code() => self.language.clone(),
                _ => None,
            },
            lines,
        }
    }

    /// Whether a node is one of the blocks. Sections are what follows their headings.
    fn is_listed(&self, node: &Node) -> bool {
        let outermost = |kind| matches!(kind, Kind::Document | Kind::Section);
        let mut around = &self.nodes[node.parent()];
        if node.kind == Kind::Section {
            return false;
        }
        if outermost(around.kind) {
            return true;
        }
        // The definition below its comments has no name of its own.
        if !node.kind.is_definition() || node.label.is_none() {
            return false;
        }
        while around.kind.is_code() {
            around = &self.nodes[around.parent()];
        }
        outermost(around.kind)
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Document;
    use crate::parse::{Markdown, Parser};

    #[test]
    fn the_block_list_has_type_level_language_and_lines_of_every_block() {
        let text = "---\na: 1\n---\n# Notes\n\nSome *words*\nhere.\n\n## Code: it\n\n```ts\nlet a;\n\n```\n\n    plain\n\n- one\n- two\n\n  more\n\n| a |\n|---|\n| b |\n\n> quoted\n\n***\n\nUnder\n=====\n";
        let blocks = Markdown.parse(&Document::new(text), 0).blocks(text);
        let json: Vec<String> = blocks
            .iter()
            .map(|block| serde_json::to_string(block).unwrap())
            .collect();
        assert_eq!(
            json,
            [
                r#"{"type":"front_matter","lines":[1,3]}"#,
                r#"{"type":"heading","level":1,"name":"Notes","lines":[4,4]}"#,
                r#"{"type":"paragraph","lines":[6,7]}"#,
                r#"{"type":"heading","level":2,"name":"Code: it","lines":[9,9]}"#,
                r#"{"type":"code","language":"ts","lines":[11,14]}"#,
                r#"{"type":"code","lines":[16,16]}"#,
                r#"{"type":"list","lines":[18,21]}"#,
                r#"{"type":"table","lines":[23,25]}"#,
                r#"{"type":"quote","lines":[27,27]}"#,
                r#"{"type":"rule","lines":[29,29]}"#,
                r#"{"type":"heading","level":1,"name":"Under","lines":[31,32]}"#,
            ]
        );
    }
}
