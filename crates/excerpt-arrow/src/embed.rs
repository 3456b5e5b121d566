//! [`BatchEmbedder`]: a batch of texts gets a column of vectors.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::RecordBatch;
use arrow_array::builder::{FixedSizeListBuilder, Float32Builder};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use excerpt_index::{Embedder, embed_each};

use crate::chunk::Stop;
use crate::error::BatchError;
use crate::texts::{TextUse, Texts};

/// The key of the identity of the embedder in the metadata of a schema.
const EMBEDDER_KEY: &str = "excerpt.embedder";

/// How many texts are embedded between two looks at whether to stop.
const AT_ONCE: usize = 64;

/// The columns that are embedded together when no column is named: those of a chunk.
const PARTS: [&str; 3] = ["header", "overlap", "text"];

/// Adds vectors to batches.
#[derive(Clone)]
pub struct BatchEmbedder {
    embedder: Arc<dyn Embedder>,
    /// The column with the texts; `None` for the header, overlap and text of chunks.
    text: Option<String>,
    /// The column that the vectors become.
    into: String,
}

impl BatchEmbedder {
    /// Embeds the texts in the column `text` into the column `into`. Without a column, that is the
    /// text to embed of each chunk: its header, its overlap and its text.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>, text: Option<String>, into: String) -> Self {
        BatchEmbedder {
            embedder,
            text,
            into,
        }
    }

    /// The schema with the column of vectors: a list of `Float32` of fixed size, which is null
    /// where there is no text, or the embedder refuses it.
    ///
    /// # Errors
    ///
    /// When a column is missing or has no texts, or the column of the vectors exists.
    pub fn schema(&self, input: &Schema) -> Result<SchemaRef, BatchError> {
        for name in self.names() {
            TextUse::Text.check(input, name)?;
        }
        if input.field_with_name(&self.into).is_ok() {
            let name = self.into.clone();
            return Err(BatchError::SameName { name });
        }
        let vector = Field::new(&self.into, self.kind(), true);
        let fields = input.fields().iter().cloned().chain([Arc::new(vector)]);
        let mut metadata: HashMap<String, String> = input.metadata().clone();
        metadata.insert(
            EMBEDDER_KEY.to_string(),
            self.embedder.identity().to_string(),
        );
        Ok(Arc::new(
            Schema::new(fields.collect::<Vec<_>>()).with_metadata(metadata),
        ))
    }

    fn kind(&self) -> DataType {
        let item = Arc::new(Field::new("item", DataType::Float32, true));
        DataType::FixedSizeList(item, self.dimensions())
    }

    fn dimensions(&self) -> i32 {
        i32::try_from(self.embedder.dimensions()).unwrap_or(i32::MAX)
    }

    /// The batch with the vectors of its texts.
    ///
    /// # Errors
    ///
    /// When a column is missing or has no texts, the column of the vectors exists, the embedder
    /// fails, or it was stopped.
    pub fn embed(&self, batch: &RecordBatch, stop: &Stop) -> Result<RecordBatch, BatchError> {
        let schema = self.schema(batch.schema_ref())?;
        let texts = self.texts(batch)?;
        let mut column = FixedSizeListBuilder::new(Float32Builder::new(), self.dimensions());
        for texts in texts.chunks(self.embedder.at_once().min(AT_ONCE)) {
            if stop.load(Ordering::Relaxed) {
                return Err(BatchError::Stopped);
            }
            self.add_vectors(texts, &mut column)?;
        }
        let columns = batch.columns().iter().cloned();
        let columns = columns.chain([Arc::new(column.finish()) as _]).collect();
        Ok(RecordBatch::try_new(schema, columns)?)
    }

    /// Adds the vectors of some texts; null for one that is null or refused by the embedder.
    fn add_vectors(
        &self,
        texts: &[Option<String>],
        column: &mut FixedSizeListBuilder<Float32Builder>,
    ) -> Result<(), BatchError> {
        let rows = texts.iter().enumerate();
        let given = rows.filter_map(|(row, text)| Some((row, text.as_deref()?)));
        let (rows, given): (Vec<usize>, Vec<&str>) = given.unzip();
        let mut found: Vec<Option<Vec<f32>>> = vec![None; texts.len()];
        embed_each(&*self.embedder, &given, |text, vector| {
            found[rows[text]] = vector.ok().map(<[f32]>::to_vec);
        })?;
        for vector in found {
            match vector {
                Some(vector) => {
                    column.values().append_slice(&vector);
                    column.append(true);
                }
                None => {
                    column.values().append_nulls(self.embedder.dimensions());
                    column.append(false);
                }
            }
        }
        Ok(())
    }

    /// The columns of the texts.
    fn names(&self) -> Vec<&str> {
        match &self.text {
            Some(name) => vec![name],
            None => PARTS.to_vec(),
        }
    }

    /// The texts to embed; `None` where there is none.
    fn texts(&self, batch: &RecordBatch) -> Result<Vec<Option<String>>, BatchError> {
        let names = self.names().into_iter();
        let columns = names.map(|name| Texts::of(batch, name, TextUse::Text));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let text = |row: usize| {
            let parts = columns.iter().map(|column| column.lossy(row));
            parts
                .collect::<Option<Vec<_>>>()
                .map(|parts| parts.concat())
        };
        Ok((0..batch.num_rows()).map(text).collect())
    }
}
