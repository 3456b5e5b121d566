//! What is wrong with a whole batch. What is wrong with one document is in its row.

use arrow_schema::ArrowError;

/// Why a batch cannot be processed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A column does not exist.
    #[error("there is no column `{name}`: the columns are {}", listed(.known))]
    NoColumn {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A column has a type that cannot be read here.
    #[error("the column `{name}` is of type {found}, expected {expected}")]
    ColumnType {
        /// The name of the column.
        name: String,
        /// Its type.
        found: String,
        /// The types that can be read.
        expected: &'static str,
    },
    /// Two columns have a name that is given.
    #[error("there are two columns `{name}`: rename one of them")]
    Twice {
        /// The name.
        name: String,
    },
    /// Two columns of the result have the same name.
    #[error("the result would have two columns `{name}`: rename the one in the documents")]
    SameName {
        /// The name.
        name: String,
    },
    /// The result does not fit into one batch.
    #[error("the chunks of this batch have more than 2 GiB of text: use smaller batches")]
    TooLarge,
    /// A column that is repeated for each chunk does not fit into one batch.
    #[error(
        "the column `{name}`, repeated for each chunk, has more than 2 GiB: leave it out, or use smaller batches"
    )]
    ColumnTooLarge {
        /// The name of the column.
        name: String,
    },
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// The embedder failed.
    #[cfg(feature = "embed")]
    #[error("the texts cannot be embedded")]
    Embed(#[from] excerpt_index::EmbedError),
    /// Arrow failed.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match shown.is_empty() {
        true => "none".to_string(),
        false => shown.join(", "),
    }
}

/// An error with its causes, in one line.
#[must_use]
pub fn with_sources(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        message += &format!(": {error}");
        source = error.source();
    }
    message
}
