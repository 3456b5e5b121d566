//! Days in flags: `2026-10-05`, `yesterday`, `7d`, `last week`.

use excerpt_index::Days;

/// The first day that `text` names, in the format of the index. Other text is returned unchanged:
/// the index reports what is wrong with it.
pub(super) fn first(text: &str) -> Result<String, String> {
    Ok(Days::named(text).map_or_else(|| text.to_string(), Days::first))
}

/// The last day that `text` names.
pub(super) fn last(text: &str) -> Result<String, String> {
    Ok(Days::named(text).map_or_else(|| text.to_string(), Days::last))
}
