//! What the values of options are read by, each with an error that says what is expected.

use std::num::NonZeroUsize;

/// A whole number of at least one.
pub(super) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let expected = |_| "expected a whole number of at least 1".to_string();
    text.parse().map_err(expected)
}

/// A number of bytes.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let expected = |_| "expected a whole number of bytes".to_string();
    text.parse().map_err(expected)
}

/// A number.
pub(super) fn number(text: &str) -> Result<f32, String> {
    let expected = |_| "expected a number, such as 0.5".to_string();
    text.parse().map_err(expected)
}
