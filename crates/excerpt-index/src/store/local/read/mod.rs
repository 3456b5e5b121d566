//! Queries to the database: here those about the index as a whole, and in the other files those
//! about its sources, documents and vectors; those about chunks are where their blocks are.

mod document;
mod source;
mod twin;
mod vector;

use std::ops::Range;

use excerpt_chunk::Hash;
use rusqlite::types::ValueRef;
use rusqlite::{DropBehavior, OptionalExtension, Row, Transaction, params};

use super::blocks;
use super::database::Database;
use super::lexical::Seal;
use crate::model::{DocumentId, Encoding, Revision, SourceId};
use crate::store::StoreError;

pub(super) use document::CodeBalance;
pub(super) use source::stat;

/// The condition that a document is in the source `?1`, or in any if there is none, and at or under
/// the path `?2`, or anywhere if that is empty.
///
/// Its bounds are those of the index of sources and paths: a condition for all cases at once would
/// make every query read all documents.
pub(super) fn within(source: Option<&SourceId>, path: &str) -> String {
    let source = match source {
        Some(_) => "source = ?1",
        None => "?1 IS NULL",
    };
    let path = match path {
        "" => "?2 = ''",
        _ => "path >= ?2 AND path < ?2 || '0' AND (path = ?2 OR path > ?2 || '/')",
    };
    format!("{source} AND {path}")
}

impl Database {
    /// A snapshot of the current state until it is dropped: all queries see the same state.
    pub(crate) fn snapshot(&self) -> Result<Transaction<'_>, StoreError> {
        let mut snapshot = self.connection.unchecked_transaction()?;
        snapshot.set_drop_behavior(DropBehavior::Commit);
        // Every result names the root of a source.
        self.sources()?;
        Ok(snapshot)
    }

    /// The unique id of this store.
    pub(crate) fn id(&self) -> Result<String, StoreError> {
        let sql = "SELECT lower(hex(value)) FROM meta WHERE key = 'store'";
        let mut select = self.connection.prepare_cached(sql)?;
        Ok(select.query_row([], |row| row.get(0))?)
    }

    /// The `rev` of the latest change.
    pub(crate) fn rev(&self) -> Result<Revision, StoreError> {
        self.number("rev")
    }

    /// The `rev` up to which tombstones have been removed.
    pub(crate) fn pruned(&self) -> Result<Revision, StoreError> {
        self.number("pruned")
    }

    fn number(&self, key: &str) -> Result<Revision, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        Ok(select.query_row([key], |row| row.get(0))?)
    }

    /// The seal of the keyword index, as it was last known to be sound.
    pub(crate) fn lexical_seal(&self) -> Result<Seal, StoreError> {
        let sql = "SELECT value FROM meta WHERE key = ?1";
        let mut select = self.connection.prepare_cached(sql)?;
        let metadata = select.query_row(["seal"], |row| hash(row, 0)).optional()?;
        let ends = select.query_row(["seal_ends"], |row| row.get::<_, String>(0));
        // An older version wrote none.
        let ends = ends.optional()?.unwrap_or_else(|| "{}".to_string());
        let ends = serde_json::from_str(&ends)?;
        Ok(Seal { metadata, ends })
    }

    /// The ids of documents changed after `rev`, in the order of change, at most `limit`, each with
    /// its `rev`.
    pub(crate) fn changed(
        &self,
        rev: Revision,
        limit: usize,
    ) -> Result<Vec<(DocumentId, Revision)>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT id, rev FROM document WHERE rev > ?1 ORDER BY rev LIMIT ?2")?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = select.query_map(params![rev, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many documents of a source were split with other settings than those of
    /// `identity`, up to `most`.
    pub(crate) fn stale_count(
        &self,
        source: &SourceId,
        identity: Hash,
        most: usize,
    ) -> Result<usize, StoreError> {
        // By two ranges of the index: for one condition with OR, SQLite reads all of it.
        let mut select = self.connection.prepare_cached(
            "WITH own AS (SELECT id FROM source WHERE root = ?1)
             SELECT count(*) FROM (
                 SELECT 1 FROM document WHERE source = (SELECT id FROM own) AND identity < ?2
                 UNION ALL
                 SELECT 1 FROM document WHERE source = (SELECT id FROM own) AND identity > ?2
                 LIMIT ?3)",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Ok(select.query_row(params![source, &identity.0[..], most], |row| size(row, 0))?)
    }

    /// How many documents were changed after `rev`.
    pub(crate) fn changed_count(&self, rev: Revision) -> Result<usize, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT count(*) FROM document WHERE rev > ?1")?;
        Ok(select.query_row([rev], |row| size(row, 0))?)
    }

    /// How many documents have not been changed after `rev`.
    pub(crate) fn unchanged_count(&self, rev: Revision) -> Result<usize, StoreError> {
        // SQLite counts a whole table by its pages, and few documents have changed.
        let sql = "SELECT (SELECT count(*) FROM document) - (SELECT count(*) FROM document WHERE rev > ?1)";
        let mut select = self.connection.prepare_cached(sql)?;
        Ok(select.query_row([rev], |row| size(row, 0))?)
    }

    /// The ids of documents removed after `rev`.
    pub(crate) fn removed(&self, rev: Revision) -> Result<Vec<DocumentId>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT document FROM tombstone WHERE rev > ?1")?;
        let rows = select.query_map([rev], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The bytes of all texts.
    pub(crate) fn text_bytes(&self) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(sum(bytes), 0) FROM text";
        Ok(self.connection.query_row(sql, [], |row| unsigned(row, 0))?)
    }

    /// Calls `visit` with every value of the content of the index, in an order that depends on the
    /// content alone: not on row ids, times or the history of the index.
    pub(crate) fn each_value(&self, mut visit: impl FnMut(&[u8])) -> Result<(), StoreError> {
        const DOCUMENTS: &str = "
            SELECT document.id, path, text, encoding, title, first_heading, metadata, syntax, strategy, reason, warnings, identity
            FROM source JOIN document ON source = source.id ORDER BY root, path";
        const LINKS: &str =
            "SELECT start, target, section, form FROM link WHERE document = ?1 ORDER BY start";
        let mut documents = self.connection.prepare(DOCUMENTS)?;
        let mut links = self.connection.prepare(LINKS)?;
        let columns = documents.column_count();
        let mut rows = documents.query([])?;
        while let Some(row) = rows.next()? {
            let document = row.get(0)?;
            each_column(row, 1..columns, &mut visit)?;
            for chunk in self.chunk_rows(document)? {
                visit(&blocks::content(&chunk)?);
            }
            let columns = links.column_count();
            let mut rows = links.query([document])?;
            while let Some(row) = rows.next()? {
                each_column(row, 0..columns, &mut visit)?;
            }
        }
        Ok(())
    }
}

/// Calls `visit` with the values in some columns of a row.
fn each_column(
    row: &Row<'_>,
    columns: Range<usize>,
    visit: &mut impl FnMut(&[u8]),
) -> Result<(), StoreError> {
    for column in columns {
        match row.get_ref(column)? {
            ValueRef::Null => visit(b"\0"),
            ValueRef::Integer(number) => visit(&number.to_le_bytes()),
            ValueRef::Real(number) => visit(&number.to_le_bytes()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => visit(bytes),
        }
    }
    Ok(())
}

/// An encoding by its name.
fn encoding(row: &Row<'_>, column: usize) -> rusqlite::Result<Encoding> {
    let name: String = row.get(column)?;
    Encoding::of_name(&name).ok_or_else(|| {
        rusqlite::Error::InvalidColumnType(column, "encoding".into(), rusqlite::types::Type::Text)
    })
}

pub(super) fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<Hash> {
    row.get(column).map(Hash)
}

pub(super) fn size(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    let value: i64 = row.get(column)?;
    usize::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}
