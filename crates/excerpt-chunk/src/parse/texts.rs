//! The texts of an outline in which a format has links.

use std::ops::Range;

use crate::outline::{Kind, Outline};

/// The blocks that contain no others, except for code and front matter, in the order of the text.
pub(super) fn texts(outline: &Outline) -> Vec<Range<usize>> {
    let nodes = &outline.nodes;
    let is_leaf = |index: usize| nodes[index].end() == index + 1;
    let leaves = (0..nodes.len()).filter(|index| is_leaf(*index));
    let is_text = |kind| !matches!(kind, Kind::Code | Kind::FrontMatter);
    let texts = leaves.filter(|index| is_text(nodes[*index].kind()));
    texts.map(|index| nodes[index].span()).collect()
}
