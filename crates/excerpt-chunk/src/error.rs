//! Configuration errors.

/// A field of a [`Config`](crate::Config) that cannot be used: its name, the value given, and what
/// was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` is `{value}`, expected {expected}")]
#[non_exhaustive]
pub struct ConfigError {
    /// The field's name.
    pub field: &'static str,
    /// What was given.
    pub value: String,
    /// The values that would be accepted.
    pub expected: String,
}
