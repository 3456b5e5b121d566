//! The limits of an outline, so that a text of nothing but marks does not fill the memory.

/// How many nodes may be open around another one; what is deeper belongs to what is around it, or
/// is a paragraph.
pub(super) const DEEPEST: usize = 24;

/// How many nodes an outline of any text may have.
const MOST_NODES: usize = 1 << 20;

/// How many bytes of text there are for each node, at least, in an outline of more nodes.
const BYTES_A_NODE: usize = 16;

/// How many nodes the outline of `text` may have.
pub(super) fn most_nodes(text: &str) -> usize {
    MOST_NODES.max(text.len() / BYTES_A_NODE)
}
