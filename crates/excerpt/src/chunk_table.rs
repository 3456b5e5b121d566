//! Chunks as a table in a binary form, as data tools read it: an Arrow stream, or a Parquet file.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};
use std::sync::Arc;

use anyhow::bail;
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_select::concat::concat_batches;
use excerpt_arrow::{BatchError, ChunkColumns};
use excerpt_chunk::Chunking;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// How many bytes of texts, and rows, a batch of several documents has at most.
const BATCH_BYTES: usize = 8 << 20;
const BATCH_ROWS: usize = 8192;

/// The form of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableForm {
    Arrow,
    Parquet,
}

/// The chunks of one document as rows of the table.
pub(crate) struct DocumentRows {
    batch: RecordBatch,
    /// The bytes of their texts.
    bytes: usize,
}

impl DocumentRows {
    /// The chunks of a document, whose text is `source`.
    ///
    /// # Errors
    ///
    /// When a column would be larger than Arrow allows.
    pub(crate) fn new(chunking: &Chunking<'_>, source: &str) -> Result<Self, BatchError> {
        let mut rows = ChunkColumns::default();
        rows.add(chunking, source)?;
        let bytes = rows.bytes();
        let batch = rows.take()?;
        Ok(DocumentRows { batch, bytes })
    }
}

/// A table of chunks that is written to standard output, with the columns of
/// [`excerpt_arrow::chunk_fields`].
pub(crate) struct ChunkTable {
    writer: Writer,
    /// What is not written yet, with its rows and the bytes of its texts.
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

enum Writer {
    Arrow(Box<StreamWriter<BufWriter<Stdout>>>),
    Parquet(Box<ArrowWriter<BufWriter<Stdout>>>),
}

impl ChunkTable {
    /// Begins a table.
    ///
    /// # Errors
    ///
    /// When standard output is a terminal, or cannot be written to.
    pub(crate) fn begin(form: TableForm) -> anyhow::Result<ChunkTable> {
        let output = io::stdout();
        if output.is_terminal() {
            let (name, file) = match form {
                TableForm::Arrow => ("arrow", "chunks.arrow"),
                TableForm::Parquet => ("parquet", "chunks.parquet"),
            };
            bail!("`--format {name}` is not for a terminal: write it to a file, `> {file}`");
        }
        let output = BufWriter::new(output);
        let schema = ChunkColumns::schema();
        let writer = match form {
            TableForm::Arrow => Writer::Arrow(Box::new(StreamWriter::try_new(output, &schema)?)),
            TableForm::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
                let properties = Some(properties.build());
                let writer = ArrowWriter::try_new(output, Arc::new(schema), properties)?;
                Writer::Parquet(Box::new(writer))
            }
        };
        Ok(ChunkTable {
            writer,
            batches: Vec::new(),
            rows: 0,
            bytes: 0,
        })
    }

    /// Adds the chunks of a document.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    pub(crate) fn add(&mut self, rows: DocumentRows) -> anyhow::Result<()> {
        let count = rows.batch.num_rows();
        let is_full = self.bytes + rows.bytes > BATCH_BYTES || self.rows + count > BATCH_ROWS;
        if is_full && self.rows > 0 {
            self.write()?;
        }
        self.rows += count;
        self.bytes += rows.bytes;
        self.batches.push(rows.batch);
        Ok(())
    }

    /// Writes the rest, and the end of the table.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        if self.rows > 0 {
            self.write()?;
        }
        let mut output = match self.writer {
            Writer::Arrow(mut writer) => {
                writer.finish()?;
                writer.into_inner()?
            }
            Writer::Parquet(writer) => writer.into_inner()?,
        };
        Ok(output.flush()?)
    }

    /// Writes the rows so far as a batch.
    fn write(&mut self) -> anyhow::Result<()> {
        let batch = concat_batches(&Arc::new(ChunkColumns::schema()), &self.batches)?;
        (self.rows, self.bytes) = (0, 0);
        self.batches.clear();
        match &mut self.writer {
            Writer::Arrow(writer) => writer.write(&batch)?,
            Writer::Parquet(writer) => writer.write(&batch)?,
        }
        Ok(())
    }
}
