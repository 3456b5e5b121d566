//! The bounds of a plan: the configured sizes in grains, adjusted for the strategy.

use crate::config::{ContextParts, Levels};

/// The bounds of the walk and the plan, in grains.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub(crate) target: usize,
    pub(crate) max: usize,
    pub(crate) min: usize,
    pub(crate) overlap: usize,
    /// The heading levels with a mandatory split before them.
    pub(crate) levels: Levels,
    /// Whether a split is mandatory after each day of a journal, so that a chunk has no other dates
    /// than those of what it says.
    pub(crate) days: bool,
    /// Whether a heading directly after another one stays with it, despite a mandatory split.
    pub(crate) leads: bool,
    /// Whether a split is mandatory before each item of a top-level list, and after the list.
    pub(crate) entries: bool,
    /// The size of the first chunk, if it has a limit of its own.
    pub(crate) overview: Option<usize>,
    /// The size of the continuation marker.
    pub(crate) marker: usize,
    /// Whether parts between mandatory splits that are below `min` may join a neighbour.
    pub(crate) join: bool,
    /// Whether code blocks, tables and sentences larger than `max` are kept whole.
    pub(crate) keep: bool,
    pub(crate) context: ContextParts,
    /// The size of the header line with the path; 0 without a path.
    pub(crate) path: usize,
    pub(crate) include_delimiter: bool,
    pub(crate) grain: Grain,
}

/// How far the walk descends where it need not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// To blocks and list items.
    Block,
    /// To sentences.
    Sentence,
    /// Ignores the outline and splits at raw positions.
    Raw,
    /// Does not descend: everything is one chunk if it fits.
    Whole,
}
