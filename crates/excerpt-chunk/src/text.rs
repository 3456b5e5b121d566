//! What every reader of a text must agree on.

/// The text after its byte order mark, if it has one.
#[must_use]
pub fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Whether a line, from its first mark on, opens or closes a fenced block of code.
#[must_use]
pub fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}
