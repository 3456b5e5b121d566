//! Rows of chunks as columns.

use std::fmt::{Display, Write as _};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Schema;
use excerpt_chunk::{Chunk, Chunking, PlainName};

use crate::error::BatchError;
use crate::schema::{COLUMNS, ColumnType, TEXT, item, of_chunks};

/// A column while it is written.
enum Column {
    Text(StringBuilder),
    Number(Int64Builder),
    Texts(ListBuilder<StringBuilder>),
}

/// About how many bytes of text a row has.
const ROW: usize = 1024;

/// The columns of [`chunk_fields`](crate::chunk_fields), while rows are added.
pub struct ChunkColumns {
    columns: Vec<Column>,
    errors: StringBuilder,
    rows: usize,
    /// The bytes of all strings.
    bytes: usize,
}

impl Default for ChunkColumns {
    fn default() -> Self {
        Self::for_texts(0)
    }
}

impl ChunkColumns {
    /// Without rows, and with room for the texts of documents of `bytes` bytes.
    #[must_use]
    pub fn for_texts(bytes: usize) -> Self {
        let columns = COLUMNS.iter().map(|(name, kind)| match kind {
            ColumnType::Text if *name == TEXT => {
                Column::Text(StringBuilder::with_capacity(bytes / ROW, bytes))
            }
            ColumnType::Text => Column::Text(StringBuilder::new()),
            ColumnType::Number => Column::Number(Int64Builder::new()),
            ColumnType::Texts => {
                Column::Texts(ListBuilder::new(StringBuilder::new()).with_field(item()))
            }
        });
        ChunkColumns {
            columns: columns.collect(),
            errors: StringBuilder::new(),
            rows: 0,
            bytes: 0,
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The bytes of the texts so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds the chunks of a document, a row each. `source` is its text.
    ///
    /// # Errors
    ///
    /// [`BatchError::TooLarge`] when a column would have more than 2 GiB.
    pub fn add(&mut self, chunking: &Chunking<'_>, source: &str) -> Result<(), BatchError> {
        for (chunk, chars) in chunking.chunks.iter().zip(chunking.chars(source)) {
            let overlap = chunk.overlap.as_ref();
            let overlap = overlap.and_then(|overlap| source.get(overlap.bytes.clone()));
            let overlap = overlap.unwrap_or_default();
            self.reserve(strings(chunking, chunk, overlap))?;
            let mut row = Row {
                columns: self.columns.iter_mut(),
            };
            row.add(chunking, chunk, chars, overlap);
            self.errors.append_null();
            self.rows += 1;
        }
        Ok(())
    }

    /// Counts the bytes of strings that are about to be added. No column can have more than all of
    /// them together.
    fn reserve(&mut self, bytes: usize) -> Result<(), BatchError> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes > i32::MAX as usize {
            true => Err(BatchError::TooLarge),
            false => Ok(()),
        }
    }

    /// Adds the row of a document that could not be split.
    ///
    /// # Errors
    ///
    /// [`BatchError::TooLarge`] when a column would have more than 2 GiB.
    pub fn add_error(&mut self, path: Option<&str>, error: &str) -> Result<(), BatchError> {
        self.reserve(path.map_or(0, str::len) + error.len())?;
        for ((name, _), column) in COLUMNS.iter().zip(&mut self.columns) {
            match column {
                Column::Text(column) if *name == "path" => column.append_option(path),
                Column::Text(column) => column.append_null(),
                Column::Number(column) => column.append_null(),
                Column::Texts(column) => column.append_null(),
            }
        }
        self.errors.append_value(error);
        self.rows += 1;
        Ok(())
    }

    /// The rows as a batch; afterwards there are none.
    ///
    /// # Errors
    ///
    /// Those of Arrow.
    pub fn take(&mut self) -> Result<RecordBatch, BatchError> {
        let columns = self.arrays();
        Ok(RecordBatch::try_new(Arc::new(Self::schema()), columns)?)
    }

    /// The schema of such a batch.
    #[must_use]
    pub fn schema() -> Schema {
        of_chunks(&[])
    }

    /// The columns; afterwards there are no rows.
    pub(crate) fn arrays(&mut self) -> Vec<ArrayRef> {
        (self.rows, self.bytes) = (0, 0);
        let columns = self.columns.iter_mut().map(|column| match column {
            Column::Text(column) => Arc::new(column.finish()) as ArrayRef,
            Column::Number(column) => Arc::new(column.finish()),
            Column::Texts(column) => Arc::new(column.finish()),
        });
        let columns: Vec<ArrayRef> = columns.collect();
        let errors: ArrayRef = Arc::new(self.errors.finish());
        columns.into_iter().chain([errors]).collect()
    }
}

/// How many bytes the strings of a chunk have, at least.
fn strings(chunking: &Chunking<'_>, chunk: &Chunk<'_>, overlap: &str) -> usize {
    /// The id, the hash, and words such as the kind.
    const FIXED: usize = 256;
    let context = &chunk.context;
    let maybe = |text: &Option<Arc<str>>| text.as_deref().map_or(0, str::len);
    let all = |texts: &[Arc<str>]| texts.iter().map(|text| text.len()).sum::<usize>();
    let single = [
        &context.path,
        &context.title,
        &chunk.name,
        &chunk.language,
        &context.signature,
    ];
    let lists = [
        &context.trail,
        &chunk.sections,
        &chunk.defines,
        &context.module_path,
        &context.imports,
    ];
    FIXED
        + FIXED * (chunk.dates.len() + chunk.warnings.len())
        + chunk.text.len()
        + overlap.len()
        + chunk.place.as_deref().map_or(0, str::len)
        + context.header.len()
        + chunking.unit.len()
        + chunk.cut.reason.len()
        + single.into_iter().map(maybe).sum::<usize>()
        + lists.into_iter().map(|texts| all(texts)).sum::<usize>()
}

/// A row that is being written: the columns that it has no value in yet, in order.
struct Row<'c> {
    columns: std::slice::IterMut<'c, Column>,
}

impl Row<'_> {
    /// Adds the values of a chunk: those of [`ChunkRecord`](excerpt_chunk::ChunkRecord), in the
    /// order of its fields.
    fn add(
        &mut self,
        chunking: &Chunking<'_>,
        chunk: &Chunk<'_>,
        chars: Range<usize>,
        overlap: &str,
    ) {
        let (context, sizes) = (&chunk.context, chunk.size);
        let (bytes, lines) = (&chunk.span.bytes, chunk.span.lines);
        self.shown(chunk.id);
        self.shown(chunk.hash);
        self.maybe(context.path.as_deref());
        self.maybe(context.title.as_deref());
        self.number(chunk.ordinal);
        self.number(chunk.part.index);
        self.number(chunk.part.count);
        self.number(bytes.start);
        self.number(bytes.end);
        self.number(chars.start);
        self.number(chars.end);
        self.number(lines.0);
        self.number(lines.1);
        self.maybe(chunk.place.as_deref());
        self.texts(&context.trail);
        self.texts(&chunk.sections);
        self.texts(&chunk.defines);
        self.texts(&context.module_path);
        self.texts(&context.imports);
        self.texts(&chunk.dates);
        self.shown(PlainName(chunk.kind));
        self.maybe(chunk.name.as_deref());
        self.maybe(chunk.language.as_deref());
        self.maybe(context.signature.as_deref());
        self.text(&chunking.unit);
        self.number(sizes.total);
        self.number(sizes.text);
        self.number(sizes.context);
        self.number(sizes.overlap);
        self.shown(PlainName(chunk.cut.strength));
        self.text(&chunk.cut.reason);
        self.shown_each(&chunk.warnings);
        self.text(&context.header);
        self.text(overlap);
        self.text(chunk.text);
    }

    fn text(&mut self, text: &str) {
        self.maybe(Some(text));
    }

    fn maybe(&mut self, text: Option<&str>) {
        if let Some(Column::Text(column)) = self.columns.next() {
            column.append_option(text);
        }
    }

    fn shown(&mut self, value: impl Display) {
        if let Some(Column::Text(column)) = self.columns.next() {
            // What was written before a value is the beginning of it.
            let _ = write!(column, "{value}");
            column.append_value("");
        }
    }

    fn number(&mut self, number: usize) {
        if let Some(Column::Number(column)) = self.columns.next() {
            column.append_value(i64::try_from(number).unwrap_or(i64::MAX));
        }
    }

    fn texts(&mut self, texts: &[impl AsRef<str>]) {
        if let Some(Column::Texts(column)) = self.columns.next() {
            for text in texts {
                column.values().append_value(text);
            }
            column.append(true);
        }
    }

    fn shown_each(&mut self, values: &[impl Display]) {
        if let Some(Column::Texts(column)) = self.columns.next() {
            for value in values {
                let _ = write!(column.values(), "{value}");
                column.values().append_value("");
            }
            column.append(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array as _;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use excerpt_chunk::{ChunkRecord, Chunker, Document};
    use serde_json::Value as Json;

    use super::*;

    const SOURCE: &str = "# Täe 漢字\n\nGreen or black.\n\n## 2026-01-31\n\nWhite, too.\n";

    fn split() -> Chunking<'static> {
        let chunker = Chunker::new(excerpt_chunk::Config {
            target: 8,
            max: 20,
            min: 1,
            ..excerpt_chunk::Config::default()
        });
        let document = Document::new(SOURCE).with_path("food/tea.md");
        let mut chunking = chunker.unwrap().chunk(&document);
        assert!(chunking.chunks.len() > 1);
        chunking.chunks[1].place = Some("page=2".into());
        chunking
    }

    #[test]
    fn the_columns_are_the_fields_of_a_record() {
        let chunking = split();
        let records: Vec<ChunkRecord> = chunking.records(SOURCE).collect();
        let mut columns = ChunkColumns::default();
        columns.add(&chunking, SOURCE).unwrap();
        let batch = columns.take().unwrap();
        assert!(columns.is_empty());
        assert_eq!(batch.num_rows(), records.len());
        for (row, record) in records.iter().enumerate() {
            let Ok(Json::Object(fields)) = serde_json::to_value(record) else {
                panic!("a record is an object");
            };
            assert_eq!(fields.len() + 1, batch.num_columns());
            let written = serde_json::to_string(record).unwrap();
            let places = COLUMNS.map(|(name, _)| written.find(&format!("\"{name}\":")));
            assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
            for (name, value) in fields {
                let column = batch
                    .column_by_name(&name)
                    .expect("a column for each field");
                let found = match value {
                    Json::Null => Json::from(column.is_valid(row)),
                    Json::String(_) => column.as_string::<i32>().value(row).into(),
                    Json::Number(_) => column.as_primitive::<Int64Type>().value(row).into(),
                    Json::Array(_) => {
                        let list = column.as_list::<i32>().value(row);
                        let texts = list.as_string::<i32>().iter().flatten();
                        texts.map(Json::from).collect()
                    }
                    _ => panic!("{name} is of no plain type"),
                };
                let expected = if value.is_null() {
                    Json::from(false)
                } else {
                    value
                };
                assert_eq!(found, expected, "{name}");
            }
        }
    }

    #[test]
    fn a_document_that_cannot_be_split_has_a_row_with_its_path() {
        let mut columns = ChunkColumns::default();
        columns.add_error(Some("a.md"), "the text is null").unwrap();
        let batch = columns.take().unwrap();
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            let says = ["path", "error"].contains(&&**field.name());
            assert_eq!(column.is_valid(0), says, "{}", field.name());
        }
    }
}
