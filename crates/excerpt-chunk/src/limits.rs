//! What bounds a plan: the configured sizes in grains, and what the strategy makes of them.

use crate::config::{ContextParts, Levels};

/// What bounds the walk and the plan, in grains.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) target: usize,
    pub(crate) max: usize,
    pub(crate) min: usize,
    pub(crate) overlap: usize,
    /// The heading levels with a mandatory cut before them.
    pub(crate) levels: Levels,
    /// Whether a heading right behind another one goes with it, mandatory cut or not.
    pub(crate) leads: bool,
    /// Whether a cut before each item of a top-level list, and behind the list, is mandatory.
    pub(crate) entries: bool,
    /// The size of the first chunk, where it has one of its own.
    pub(crate) overview: Option<usize>,
    /// The size of the continuation marker.
    pub(crate) marker: usize,
    /// Whether pieces between mandatory cuts that are under `min` may join a neighbour.
    pub(crate) join: bool,
    /// Whether code blocks, tables and sentences larger than `max` are kept whole.
    pub(crate) keep: bool,
    pub(crate) context: ContextParts,
    /// The size of the header line with the path; 0 without.
    pub(crate) path: usize,
    pub(crate) include_delimiter: bool,
    pub(crate) grain: Grain,
}

/// How far the walk goes down where it need not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// To blocks and list items.
    Block,
    /// To sentences.
    Sentence,
    /// Not by the outline at all, but to raw positions.
    Raw,
    /// Not at all: everything is one piece if it fits.
    Whole,
}
