//! The prices of a plan, whose sum is minimised: the cost of a split at its place, and the cost of
//! a chunk.
//!
//! Tuned over 1,875 files of real Markdown, all together, for full chunks, whole sections and reuse
//! after an edit at the same time (`benches/runs` has the curve); the prices for source code over
//! 33 MB of Python, Rust and TypeScript. Lower prices for inner splits (rows, lines, sentences)
//! split blocks just to fill chunks; higher prices for blocks leave chunks half empty.

// Splits between the blocks of a document.

pub(crate) const HEADING: f32 = 0.0;
pub(crate) const RULE: f32 = 0.05;
pub(crate) const BLOCK: f32 = 0.2;
pub(crate) const ITEM: f32 = 0.45;
/// After a code block: the text that follows may well refer to it.
pub(crate) const AFTER_CODE: f32 = 0.5;
/// Added between the blocks of a section that fits in a chunk, and before a section inside one that
/// fits.
pub(crate) const WHOLE_SECTION: f32 = 1.2;
pub(crate) const WHOLE_PARENT: f32 = 0.4;
/// Added inside an item or a quote.
pub(crate) const NESTED: f32 = 0.7;
/// Added between a line ending in `:` and what it introduces.
pub(crate) const LEAD_IN: f32 = 1.0;
pub(crate) const ROW: f32 = 2.0;
/// Between the cells of a row that must be split.
pub(crate) const CELL: f32 = 4.0;
pub(crate) const LINE: f32 = 2.5;
pub(crate) const LINE_AFTER_BLANK: f32 = 1.5;
pub(crate) const SENTENCE: f32 = 2.0;
/// Between the sentences of what is no paragraph: a cell, a value of data, a comment.
pub(crate) const INNER_SENTENCE: f32 = 6.0;
/// Between the lines of a sentence that does not fit: they may be those of a list.
pub(crate) const INNER_LINE: f32 = 8.0;
pub(crate) const WORD: f32 = 12.0;
pub(crate) const GRAPHEME: f32 = 14.0;
/// In source code: added for each level of depth, so that a function is split between its own
/// statements before theirs.
pub(crate) const DEPTH: f32 = 0.5;
/// The most that depth adds: if everything is deep, depth says nothing.
pub(crate) const DEEPEST: f32 = 4.0;
/// Between two definitions, or at a blank line before or after one.
pub(crate) const DEFINITION: f32 = 0.1;
/// Between statements, at a blank line.
pub(crate) const AFTER_BLANK: f32 = 0.3;
pub(crate) const STATEMENT: f32 = 1.0;
/// How much cheaper a split after imports is: they say little about what happens to follow them.
pub(crate) const AFTER_IMPORTS: f32 = 1.0;
/// Between statements on one line: more than through text that belongs together,
pub(crate) const SAME_LINE: f32 = 40.0;
/// unless the line must be split anyway, and better here than between two words.
pub(crate) const LONG_LINE: f32 = 11.0;
/// Between sentences, if sentences are the unit of splitting.
pub(crate) const PLAIN_SENTENCE: f32 = 0.25;

// Chunks.

/// Multiplied by the square of the distance from the target, relative to it.
pub(crate) const FILL: f64 = 4.0;
/// A chunk below `min`.
pub(crate) const DUST: f64 = 4.0;
/// A heading inside a chunk, by level; deeper ones count as the last.
const BURIED: [f64; 7] = [0.0, 2.0, 0.4, 0.1, 0.05, 0.03, 0.03];
/// What a heading of this level costs inside a chunk; nothing at level 0.
pub(crate) fn buried(level: u8) -> f64 {
    BURIED[usize::from(level).min(BURIED.len() - 1)]
}
/// A split through text that belongs together.
pub(crate) const GLUE: f64 = 30.0;
/// A chunk that ends with the comments of a definition, but does not begin with them. If a
/// definition and its comments fit no chunk together, the comments are better off alone.
pub(crate) const OTHERS_COMMENT: f64 = 30.0;
/// Joining two parts across a mandatory split.
pub(crate) const JOIN: f64 = 0.5;
/// How much cheaper a split at a landmark is.
pub(crate) const LANDMARK: f64 = 0.8;
