//! Source code and data read as lines. A block begins at an unindented line after a blank line.

use crate::document::Document;
use crate::outline::{Kind, Outline, OutlineBuilder};
use crate::parse::{Parser, body_start, prose};

/// Reads a text as blocks of lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines;

impl Lines {
    /// The outline of a document that has too many `parts` to be read as `format`.
    pub(super) fn instead(document: &Document<'_>, parts: &str, format: &str) -> Outline {
        let mut outline = Lines.parse(document, 0);
        outline.fall_back(format!(
            "too many {parts} to be read as {format}: read as lines"
        ));
        outline
    }
}

impl Parser for Lines {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let text = document.text();
        let start = body_start(text);
        let mut builder = OutlineBuilder::new(text, start);
        let unindented = |line: &str| !line.starts_with([' ', '\t']);
        for block in prose::blocks(text, start, unindented) {
            builder.leaf(Kind::Code, block);
        }
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_indented_line_goes_on_with_its_block() {
        let outline = Lines.parse(&Document::new("def f():\n    a\n\n    b\n\ndef g():\n"), 0);
        let spans: Vec<_> = outline.nodes[1..]
            .iter()
            .map(|node| node.span.clone())
            .collect();
        assert_eq!(spans, [0..23, 23..32]);
    }
}
