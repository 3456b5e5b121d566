//! Documents in Arrow record batches, split into chunks in Arrow record batches.
//!
//! A [`BatchChunker`] turns a batch with one document a row into a batch with one chunk a row:
//! the columns of the document are repeated for each of its chunks, and the columns of
//! [`chunk_fields`] are added. With the feature `embed`, a `BatchEmbedder` adds the vectors. Both
//! are pure: a batch that is processed again gives the same rows with the same ids.
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{RecordBatch, StringArray};
//! use excerpt_arrow::{BatchChunker, DocumentColumns, Stop};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = Arc::new(StringArray::from(vec!["# Tea\n\nGreen or black.\n"])) as _;
//! let path = Arc::new(StringArray::from(vec!["tea.md"])) as _;
//! let batch = RecordBatch::try_from_iter([("text", text), ("path", path)])?;
//!
//! let columns = DocumentColumns { path: Some("path".to_string()), ..DocumentColumns::default() };
//! let chunker = BatchChunker::new(excerpt_chunk::Chunker::default(), columns);
//! let chunks = chunker.chunk(&batch, &Stop::default())?;
//! assert_eq!(chunks.num_rows(), 1);
//! assert!(chunks.schema().field_with_name("trail").is_ok());
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod chunk;
mod columns;
#[cfg(feature = "embed")]
mod embed;
mod error;
mod schema;
mod texts;

pub use chunk::{BatchChunker, LARGEST_TEXT, Stop};
pub use columns::ChunkColumns;
#[cfg(feature = "embed")]
pub use embed::BatchEmbedder;
pub use error::{BatchError, with_sources};
pub use schema::{DocumentColumns, SCHEMA_VERSION, chunk_fields};
