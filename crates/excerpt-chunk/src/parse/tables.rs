//! What formats have in common whose tables are split at their lines.

use crate::outline::OutlineBuilder;

/// Sets how many lines of a `table` without nodes for its rows are its header. An outline keeps
/// this number as the level of the node.
pub(super) fn set_header(builder: &mut OutlineBuilder<'_>, table: usize, lines: usize) {
    builder.level(table, u8::try_from(lines).unwrap_or(0));
}
