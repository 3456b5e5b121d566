//! What can be wrong with a configuration.

/// A field of a [`Config`](crate::Config) that cannot be used: which, what was given, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` is `{value}`, expected {expected}")]
#[non_exhaustive]
pub struct ConfigError {
    /// The field's name.
    pub field: &'static str,
    /// What was given.
    pub value: String,
    /// What would have been accepted.
    pub expected: String,
}
