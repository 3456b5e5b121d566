//! Code in Markdown: a fenced block that is too large for a chunk is read by the grammar of the
//! language it names, so that it is split between its functions and statements.

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Graft, Kind, LineMap, Outline};
use crate::parse::CodeParser;
use crate::text::is_fence;

/// Adds to `outline` what `code` finds in its fenced blocks that do not fit in a chunk. A block
/// that names no language, or cannot be read in that language, remains one block of lines.
pub(crate) fn read(
    outline: &mut Outline,
    document: &Document<'_>,
    code: &dyn CodeParser,
    detail: usize,
    fits: impl Fn(Range<usize>) -> bool,
) {
    let text = document.text();
    let large = |node: usize| {
        let node = &outline.nodes[node];
        node.kind == Kind::Code && !fits(without_space_after(text, node.span.clone()))
    };
    let blocks = (1..outline.nodes.len()).filter(|node| large(*node));
    let grafts = blocks.filter_map(|node| {
        let block = &outline.nodes[node];
        let language = block.label.as_deref()?;
        let body = body(text, block.span.clone())?;
        let block = document.block(body.clone()).with_language(language);
        code.detect(&block)?;
        let inner = code.parse(&block, detail);
        inner.fallbacks.is_empty().then_some(Graft {
            node,
            kind: Kind::Statement,
            lines: LineMap::starting_at(body.start),
            outline: inner,
        })
    });
    let grafts = grafts.collect();
    outline.graft(grafts);
}

fn without_space_after(text: &str, span: Range<usize>) -> Range<usize> {
    span.start..span.start + text[span.clone()].trim_end().len()
}

/// The lines between the fences of a block; `None` if other marks, such as those of a quote,
/// precede them.
fn body(text: &str, block: Range<usize>) -> Option<Range<usize>> {
    let written = text[block.clone()].trim_end();
    let opening = written.trim_start_matches(['\n', '\r']);
    let line = memchr::memchr(b'\n', opening.as_bytes())?;
    if !is_fence(opening[..line].trim_start_matches(' ')) {
        return None;
    }
    let start = written.len() - opening.len() + line + 1;
    let closing = memchr::memrchr(b'\n', written.as_bytes()).map_or(0, |newline| newline + 1);
    let end = match is_fence(written[closing..].trim_start_matches(' ')) {
        true => closing,
        false => written.len(),
    };
    (start < end).then(|| block.start + start..block.start + end)
}
