//! The guarantees of every outline, and its printed form.

use excerpt_chunk::{Document, Outline, Parser};
use excerpt_grammars::Grammars;

/// Reads `document` and checks the guarantees of its outline.
pub(crate) fn kept(document: &Document<'_>, detail: usize) -> Outline {
    let outline = Grammars.parse(document, detail);
    let text = document.text();
    let nodes = outline.nodes();
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    assert_eq!(nodes[0].span(), bom..text.len(), "the document is whole");
    let mut ends: Vec<usize> = nodes.iter().map(|node| node.span().start).collect();
    for (index, node) in nodes.iter().enumerate().skip(1) {
        let span = node.span();
        assert!(node.parent() < index, "parents stand before children");
        assert!(span.start <= span.end, "{span:?} is backwards");
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        let reached = &mut ends[node.parent()];
        assert_eq!(
            span.start,
            *reached,
            "children tile: {:?} {:?}",
            node.kind(),
            node.label()
        );
        *reached = span.end;
    }
    for (index, node) in nodes.iter().enumerate() {
        let leaf = nodes
            .get(index + 1)
            .is_none_or(|next| next.parent() != index);
        assert!(
            leaf || ends[index] == node.span().end,
            "the last child reaches the end"
        );
    }
    let mut before = 0;
    for definition in outline.definitions() {
        assert!(definition.node >= before, "definitions are in order");
        before = definition.node;
        assert!(!definition.name.is_empty());
        assert!(text.get(definition.signature.clone()).is_some());
        let span = nodes[definition.node].span();
        assert!(
            span.start <= definition.signature.start && definition.signature.end <= span.end,
            "a signature stands in its definition"
        );
    }
    for import in outline.imports() {
        assert!(text.get(import.span.clone()).is_some());
    }
    outline
}

/// The outline as text: glue, kind, label, lines, and definition of each node, indented by depth.
pub(crate) fn drawn(text: &str, outline: &Outline) -> String {
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let nodes = outline.nodes();
    let mut depths = vec![0; nodes.len()];
    let mut drawing = String::new();
    let mut definitions = outline.definitions().iter().peekable();
    for (index, node) in nodes.iter().enumerate().skip(1) {
        let depth = depths[node.parent()];
        depths[index] = depth + 1;
        let span = node.span();
        let written = text[span.clone()].trim_end().len();
        let first = line_of(
            span.start + (text[span.clone()].len() - text[span.clone()].trim_start().len()),
        );
        let last = line_of(span.start + written);
        let glue = if node.is_glued() { "~" } else { "" };
        drawing += &format!("{}{glue}{}", "  ".repeat(depth), node.kind());
        if let Some(label) = node.label() {
            drawing += &format!(" [{label}]");
        }
        drawing += &match first == last {
            true => format!(" {first}"),
            false => format!(" {first}-{last}"),
        };
        if let Some(definition) = definitions.next_if(|definition| definition.node == index) {
            let signature = text[definition.signature.clone()].split_whitespace();
            let signature: Vec<&str> = signature.collect();
            drawing += &format!(" {}: {}", definition.name, signature.join(" "));
        }
        drawing.push('\n');
    }
    for import in outline.imports() {
        drawing += &format!(
            "import {}: {}\n",
            line_of(import.span.start),
            import.names.join(", ")
        );
    }
    drawing
}
