//! [`BatchChunker`]: a batch of documents becomes a batch of chunks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use arrow_select::concat::concat;
use arrow_select::take::take;
use excerpt_chunk::{Chunker, Document, Sizer};
use rayon::prelude::*;

use crate::columns::ChunkColumns;
use crate::error::{BatchError, with_sources};
use crate::schema::{DocumentColumns, kept, of_chunks};
use crate::texts::{NoText, TextUse, Texts};

/// The largest text that is split, in bytes: 256 MiB.
pub const LARGEST_TEXT: usize = 256 << 20;

/// Set to stop what is running: it ends with [`BatchError::Stopped`].
pub type Stop = AtomicBool;

/// Splits the documents of batches, each on the threads of the pool that it is called in.
///
/// The columns of a document are repeated for each of its chunks. Its text is left out, and a
/// column that has the name of one of [`chunk_fields`](crate::chunk_fields) is called `document_`
/// and that name. A document without text has no chunk. One that cannot be split has a row in which
/// only `error` and `path` say something of the chunk: one whose text is null or not UTF-8, or has
/// more than [`LARGEST_TEXT`] bytes.
#[derive(Clone)]
pub struct BatchChunker {
    chunker: Chunker,
    columns: DocumentColumns,
    sizer: Option<Arc<dyn Sizer + Send + Sync>>,
}

/// The columns of the documents.
struct Columns {
    text: Texts,
    path: Option<Texts>,
    id: Option<Texts>,
    title: Option<Texts>,
    language: Option<Texts>,
}

impl BatchChunker {
    /// Splits the documents in `columns` with `chunker`.
    #[must_use]
    pub fn new(chunker: Chunker, columns: DocumentColumns) -> Self {
        BatchChunker {
            chunker,
            columns,
            sizer: None,
        }
    }

    /// The same, but measures with `sizer`: the sizes of the configuration count what it counts. A
    /// document that it fails on has a row with the error.
    #[must_use]
    pub fn with_sizer(self, sizer: Arc<dyn Sizer + Send + Sync>) -> Self {
        BatchChunker {
            sizer: Some(sizer),
            ..self
        }
    }

    /// Whether it measures with a sizer of its own.
    #[must_use]
    pub fn has_sizer(&self) -> bool {
        self.sizer.is_some()
    }

    /// The schema of the chunks of documents with the schema `documents`.
    ///
    /// # Errors
    ///
    /// When a column is missing or has another type, or two of the result would have the same name.
    pub fn schema(&self, documents: &Schema) -> Result<SchemaRef, BatchError> {
        let columns = &self.columns;
        let named = [
            (&columns.path, TextUse::Name),
            (&columns.id, TextUse::Key),
            (&columns.title, TextUse::Name),
            (&columns.language, TextUse::Name),
        ];
        for (name, of_use) in named {
            if let Some(name) = name {
                of_use.check(documents, name)?;
            }
        }
        TextUse::Text.check(documents, &columns.text)?;
        Ok(Arc::new(of_chunks(&kept(documents, columns)?)))
    }

    /// Splits the documents of a batch. The chunks are in the order of the documents.
    ///
    /// # Errors
    ///
    /// When a column is missing or has another type, the result is too large, or it was stopped.
    pub fn chunk(&self, batch: &RecordBatch, stop: &Stop) -> Result<RecordBatch, BatchError> {
        let schema = self.schema(batch.schema_ref())?;
        let columns = self.columns_of(batch)?;
        let rows = 0..batch.num_rows();
        let part = |mut part: SplitRows, row: usize| {
            part.add(self, &columns, row, stop)?;
            Ok::<_, BatchError>(part)
        };
        // A sizer of a user may have a lock that all threads would wait for.
        let is_alone = self.sizer.is_some() || rayon::current_num_threads() == 1;
        let parts: Vec<SplitRows> = match is_alone {
            true => {
                let bytes = columns.text.total(batch.num_rows()).min(LARGEST_TEXT);
                vec![
                    rows.into_iter()
                        .try_fold(SplitRows::for_texts(bytes), part)?,
                ]
            }
            false => {
                let parts = rows.into_par_iter().try_fold(SplitRows::default, part);
                parts.collect::<Result<_, BatchError>>()?
            }
        };
        if stop.load(Ordering::Relaxed) {
            return Err(BatchError::Stopped);
        }
        let (documents, chunks) = joined(parts)?;
        let documents = UInt64Array::from(documents);
        let repeated = |at: usize| -> Result<ArrayRef, BatchError> {
            take(batch.column(at), &documents, None).map_err(|error| match error {
                ArrowError::OffsetOverflowError(_) => BatchError::ColumnTooLarge {
                    name: batch.schema_ref().field(at).name().clone(),
                },
                error => error.into(),
            })
        };
        let kept = kept(batch.schema_ref(), &self.columns)?;
        let kept: Result<Vec<ArrayRef>, BatchError> =
            kept.iter().map(|kept| repeated(kept.at)).collect();
        let columns = kept?.into_iter().chain(chunks).collect();
        Ok(RecordBatch::try_new(schema, columns)?)
    }

    fn columns_of(&self, batch: &RecordBatch) -> Result<Columns, BatchError> {
        let names = &self.columns;
        let named = |name: &Option<String>, of_use: TextUse| {
            let name = name.as_ref();
            let read = name.map(|name| Texts::of(batch, name, of_use));
            read.transpose()
        };
        Ok(Columns {
            text: Texts::of(batch, &names.text, TextUse::Text)?,
            path: named(&names.path, TextUse::Name)?,
            id: named(&names.id, TextUse::Key)?,
            title: named(&names.title, TextUse::Name)?,
            language: named(&names.language, TextUse::Name)?,
        })
    }
}

/// The chunks of some documents that follow one another.
#[derive(Default)]
struct SplitRows {
    chunks: ChunkColumns,
    /// The row of the document of each chunk.
    documents: Vec<u64>,
}

impl SplitRows {
    /// No chunks, and room for those of texts of `bytes` bytes.
    fn for_texts(bytes: usize) -> Self {
        SplitRows {
            chunks: ChunkColumns::for_texts(bytes),
            documents: Vec::new(),
        }
    }

    /// Adds the chunks of the document in a row, or why there are none.
    fn add(
        &mut self,
        by: &BatchChunker,
        columns: &Columns,
        row: usize,
        stop: &Stop,
    ) -> Result<(), BatchError> {
        if stop.load(Ordering::Relaxed) {
            return Err(BatchError::Stopped);
        }
        match columns.checked(row) {
            Ok(text) => self.split(by, columns, text, row, stop)?,
            Err(error) => self.fail(columns, row, &error)?,
        }
        self.documents.resize(self.chunks.len(), row as u64);
        Ok(())
    }

    fn fail(&mut self, columns: &Columns, row: usize, error: &str) -> Result<(), BatchError> {
        let path = columns.path.as_ref().and_then(|path| path.lossy(row));
        self.chunks.add_error(path.as_deref(), error)
    }

    fn split(
        &mut self,
        by: &BatchChunker,
        columns: &Columns,
        text: &str,
        row: usize,
        stop: &Stop,
    ) -> Result<(), BatchError> {
        let of = |column: &'_ Option<Texts>| {
            let text = column.as_ref().and_then(|column| column.lossy(row));
            text.map(|text| text.into_owned())
        };
        let path = of(&columns.path);
        let id = columns.id.as_ref().and_then(|column| column.key(row));
        let (title, language) = (of(&columns.title), of(&columns.language));
        let mut document = Document::new(text);
        if let Some(path) = &path {
            document = document.with_path(path);
        }
        if let Some(id) = &id {
            document = document.with_id(id);
        }
        if let Some(title) = &title {
            document = document.with_title(title);
        }
        if let Some(language) = &language {
            document = document.with_language(language);
        }
        match &by.sizer {
            Some(sizer) => match by.chunker.chunk_with(&document, sizer) {
                Ok(chunking) => self.chunks.add(&chunking, text),
                Err(error) => self.fail(columns, row, &with_sources(&error)),
            },
            None => match by.chunker.try_chunk(&document, stop) {
                Some(chunking) => self.chunks.add(&chunking, text),
                None => Err(BatchError::Stopped),
            },
        }
    }
}

impl Columns {
    /// The text in a row.
    ///
    /// # Errors
    ///
    /// Why it cannot be split.
    fn checked(&self, row: usize) -> Result<&str, String> {
        let text = self.text.get(row).map_err(|error| match error {
            NoText::Null => "the text is null".to_string(),
            NoText::NotUtf8(at) => format!("the text is not UTF-8 from byte {at} on"),
        })?;
        match text.len() {
            ..=LARGEST_TEXT => Ok(text),
            size => Err(format!(
                "the text has {size} bytes, expected at most {LARGEST_TEXT}: divide it first"
            )),
        }
    }
}

/// The rows of documents and the columns of chunks of all parts.
fn joined(mut parts: Vec<SplitRows>) -> Result<(Vec<u64>, Vec<ArrayRef>), BatchError> {
    if let [part] = &mut *parts {
        let documents = std::mem::take(&mut part.documents);
        return Ok((documents, part.chunks.arrays()));
    }
    let bytes: usize = parts.iter().map(|part| part.chunks.bytes()).sum();
    if bytes > i32::MAX as usize {
        return Err(BatchError::TooLarge);
    }
    let documents: Vec<u64> = parts
        .iter_mut()
        .flat_map(|part| std::mem::take(&mut part.documents))
        .collect();
    let mut columns: Vec<Vec<ArrayRef>> = Vec::new();
    if parts.is_empty() {
        parts.push(SplitRows::default());
    }
    for part in &mut parts {
        for (at, array) in part.chunks.arrays().into_iter().enumerate() {
            match columns.get_mut(at) {
                Some(column) => column.push(array),
                None => columns.push(vec![array]),
            }
        }
    }
    let columns = columns.into_iter().map(|arrays| {
        let arrays: Vec<&dyn Array> = arrays.iter().map(|array| &**array).collect();
        concat(&arrays)
    });
    Ok((documents, columns.collect::<Result<_, _>>()?))
}
