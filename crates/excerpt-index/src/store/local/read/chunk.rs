//! Queries about chunks.

use std::collections::BTreeMap;

use excerpt_chunk::{Hash, Span};
use rusqlite::{OptionalExtension, Row, ToSql, params};

use super::{hash, size, unsigned};
use crate::model::{ChunkKey, DocumentId, Revision};
use crate::store::local::database::Database;
use crate::store::local::sql::signed;
use crate::store::local::sum::{self, CHUNK};
use crate::store::{Features, StoreError, StoredChunk};

impl Database {
    /// The chunks of a document, in order.
    pub(crate) fn chunks(&self, document: DocumentId) -> Result<Vec<StoredChunk>, StoreError> {
        let chunks = self.chunks_where("document = ?1 ORDER BY ordinal", params![document])?;
        let mut select = self
            .connection
            .prepare_cached("SELECT chunks_sum FROM document WHERE id = ?1")?;
        let kept: Option<Option<i64>> =
            select.query_row([document], |row| row.get(0)).optional()?;
        match kept {
            // A document that was just removed has none.
            None if chunks.is_empty() => Ok(chunks),
            Some(Some(kept)) if kept == sum::of_chunks(&self.connection, document)? => Ok(chunks),
            _ => Err(StoreError::Value(
                "chunks that do not belong to their document",
            )),
        }
    }

    /// One chunk of a document.
    pub(crate) fn chunk(&self, key: ChunkKey) -> Result<Option<StoredChunk>, StoreError> {
        let condition = "document = ?1 AND ordinal = ?2";
        let place = params![key.document, signed(key.ordinal)];
        Ok(self.chunks_where(condition, place)?.pop())
    }

    /// The keys of chunks with ids from `first` to `last`; only a few
    /// of them, since the caller looks for a single one.
    pub(crate) fn chunks_between(
        &self,
        first: [u8; 16],
        last: [u8; 16],
    ) -> Result<Vec<ChunkKey>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT document, ordinal FROM chunk WHERE id BETWEEN ?1 AND ?2 LIMIT 8",
        )?;
        let rows = select.query_map([&first[..], &last[..]], |row| {
            Ok(ChunkKey {
                document: row.get(0)?,
                ordinal: unsigned(row, 1)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The id of the chunk of a document that contains the byte at `offset`, or of the next one.
    pub(crate) fn chunk_at(
        &self,
        document: DocumentId,
        offset: usize,
    ) -> Result<Option<Hash>, StoreError> {
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        let condition = "document = ?1 AND end > ?2 ORDER BY ordinal LIMIT 1";
        let found = self
            .chunks_where(condition, params![document, offset])?
            .pop();
        Ok(found.map(|chunk| chunk.id))
    }

    /// The properties of a chunk that affect its rank.
    pub(crate) fn features(&self, key: ChunkKey) -> Result<Option<Features>, StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {CHUNK}, sum FROM chunk WHERE document = ?1 AND ordinal = ?2"
        ))?;
        let mut rows = select.query(params![key.document, signed(key.ordinal)])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        sum::check(row, sum::CHUNK_COLUMNS)?;
        let column = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
        let list = |at| -> Result<Vec<String>, StoreError> {
            Ok(match column(at)? {
                "[]" => Vec::new(),
                list => serde_json::from_str(list)?,
            })
        };
        Ok(Some(Features {
            defines: list(21)?,
            trail: list(8)?,
            sections: list(9)?,
        }))
    }

    fn chunks_where(
        &self,
        condition: &'static str,
        values: &[&dyn ToSql],
    ) -> Result<Vec<StoredChunk>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached(&format!("SELECT {CHUNK}, sum FROM chunk WHERE {condition}"))?;
        let mut rows = select.query(values)?;
        let mut chunks = Vec::new();
        while let Some(row) = rows.next()? {
            chunks.push(stored(row)?);
        }
        Ok(chunks)
    }

    /// How many chunks each document has, and its `rev`, by id.
    pub(crate) fn chunk_counts(
        &self,
    ) -> Result<BTreeMap<DocumentId, (Revision, usize)>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT document.id, rev, count(chunk.ordinal) FROM document LEFT JOIN chunk ON chunk.document = document.id
             GROUP BY document.id",
        )?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, size(row, 2)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// The chunk in a row, with the columns of [`CHUNK`] and its checksum.
fn stored(row: &Row<'_>) -> Result<StoredChunk, StoreError> {
    sum::check(row, sum::CHUNK_COLUMNS)?;
    let list = |column| -> Result<Vec<String>, StoreError> {
        let json = row.get_ref(column)?.as_str();
        Ok(serde_json::from_str(json.map_err(rusqlite::Error::from)?)?)
    };
    let start = size(row, 3)?;
    let overlap_start: Option<i64> = row.get(7)?;
    let overlap_start = overlap_start.and_then(|start| usize::try_from(start).ok());
    Ok(StoredChunk {
        ordinal: size(row, 1)?,
        id: hash(row, 2)?,
        span: Span {
            bytes: start..size(row, 4)?,
            lines: (size(row, 5)?, size(row, 6)?),
        },
        trail: list(8)?,
        sections: list(9)?,
        header: row.get(10)?,
        kind: row.get(11)?,
        language: row.get(13)?,
        tokens: size(row, 14)?,
        defines: list(21)?,
        input: row.get(22)?,
        embedded_from: overlap_start.unwrap_or(start),
    })
}
