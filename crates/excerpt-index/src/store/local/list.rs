//! Lists of documents, and the summary of a source.

use rusqlite::{OptionalExtension, Row, params};

use super::database::Database;
use super::read;
use super::sum::{self, STAT};
use crate::model::SourceSummary;
use crate::model::{DocumentId, SourceId, Stat};
use crate::store::Listed;
use crate::store::StoreError;

impl Database {
    /// Calls `visit` with the documents at or under `path`, in a source or in all; at most `limit`
    /// of them.
    pub(crate) fn each_listed(
        &self,
        source: Option<&SourceId>,
        path: &str,
        limit: Option<usize>,
        mut visit: impl FnMut(Listed),
    ) -> Result<(), StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {}, document.sum, root, document.id, {STAT}, stat_sum
             FROM source CROSS JOIN document ON document.source = source.id
             WHERE {}
             ORDER BY root, path LIMIT ?3",
            sum::DOCUMENT.replace("source,", "document.source,"),
            read::within(source, path)
        ))?;
        let limit = limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let mut rows = select.query(params![self.row_of(source)?, path, limit])?;
        // The columns of a document are followed by their checksum.
        const BEHIND: usize = sum::DOCUMENT_COLUMNS + 1;
        while let Some(row) = rows.next()? {
            sum::check(row, sum::DOCUMENT_COLUMNS)?;
            visit(Listed {
                source: row.get(BEHIND)?,
                id: row.get(BEHIND + 1)?,
                path: row.get(1)?,
                title: row.get(3)?,
                first_heading: row.get(4)?,
                stat: stat(row, BEHIND + 2)?,
                syntax: row.get(6)?,
            });
        }
        Ok(())
    }

    /// The metadata that the file of a document had when it was indexed.
    pub(crate) fn stat(&self, document: DocumentId) -> Result<Stat, StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {STAT}, stat_sum FROM document WHERE id = ?1"
        ))?;
        select.query_row([document], |row| Ok(stat(row, 0)))?
    }

    /// How many chunks a document has.
    pub(crate) fn chunk_count(&self, document: DocumentId) -> Result<usize, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT coalesce(sum(count), 0) FROM block WHERE document = ?1")?;
        let count: i64 = select.query_row([document], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Calls `visit` with the path, the lines and the warnings, as JSON, of each document of a
    /// source that has any, and of each such chunk.
    pub(crate) fn each_warned(
        &self,
        source: &SourceId,
        mut visit: impl FnMut(String, Option<(usize, usize)>, &str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT id, path, warnings FROM document WHERE source = ?1
             AND (warnings <> '[]' OR EXISTS (SELECT 1 FROM block WHERE document = document.id AND warned))
             ORDER BY path",
        )?;
        let mut rows = select.query([self.row(source)?])?;
        while let Some(row) = rows.next()? {
            let path: String = row.get(1)?;
            let warnings = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
            if warnings != "[]" {
                visit(path.clone(), None, warnings)?;
            }
            self.each_warned_chunk(row.get(0)?, |lines, warnings| {
                visit(path.clone(), Some(lines), warnings)
            })?;
        }
        Ok(())
    }

    /// The summary from the last sync of a source; `None` until the first is complete.
    pub(crate) fn summary(&self, source: &SourceId) -> Result<Option<SourceSummary>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT summary FROM source WHERE id = ?1")?;
        let found: Option<Option<String>> = select
            .query_row([self.row(source)?], |row| row.get(0))
            .optional()?;
        match found.flatten() {
            Some(json) => Ok(Some(serde_json::from_str(&json)?)),
            None => Ok(None),
        }
    }
}

/// The metadata of a file, from the columns of [`sum::STAT`] and their checksum.
fn stat(row: &Row<'_>, first: usize) -> Result<Stat, StoreError> {
    match sum::is_stat_sound(row, first)? {
        true => Ok(read::stat(row, first)?),
        false => Err(sum::DIFFERENT),
    }
}
