//! Chunks as a table in a binary form, as data tools read it: an Arrow stream, or a Parquet file.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};
use std::sync::Arc;

use anyhow::bail;
use arrow_ipc::writer::StreamWriter;
use excerpt_arrow::ChunkColumns;
use excerpt_chunk::Chunking;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// After how many bytes of texts, or rows, a batch is written.
const BATCH_BYTES: usize = 8 << 20;
const BATCH_ROWS: usize = 8192;

/// The form of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableForm {
    Arrow,
    Parquet,
}

/// A table of chunks that is written to standard output, with the columns of
/// [`excerpt_arrow::chunk_fields`].
pub(crate) struct ChunkTable {
    writer: Writer,
    rows: ChunkColumns,
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
            rows: ChunkColumns::default(),
        })
    }

    /// Adds the chunks of a document, whose text is `source`.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    pub(crate) fn add(&mut self, chunking: &Chunking<'_>, source: &str) -> anyhow::Result<()> {
        self.rows.add(chunking, source)?;
        match self.rows.bytes() >= BATCH_BYTES || self.rows.len() >= BATCH_ROWS {
            true => self.write(),
            false => Ok(()),
        }
    }

    /// Writes the rest, and the end of the table.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        if !self.rows.is_empty() {
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
        let batch = self.rows.take()?;
        match &mut self.writer {
            Writer::Arrow(writer) => writer.write(&batch)?,
            Writer::Parquet(writer) => writer.write(&batch)?,
        }
        Ok(())
    }
}
