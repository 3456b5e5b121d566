//! Lists of documents, and the summary of a source.

use rusqlite::{OptionalExtension, Row, params};

use super::fault::Fault;
use super::truth::Truth;
use crate::model::Stat;

/// In which order documents are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// By source and path.
    Path,
    /// The last changed first.
    Recent,
}

/// A document in a list.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) id: i64,
    pub(crate) root: String,
    pub(crate) path: String,
    pub(crate) title: Option<String>,
    pub(crate) first_heading: Option<String>,
    pub(crate) stat: Stat,
    pub(crate) syntax: String,
}

impl Truth {
    /// Calls `visit` with the documents at `path` or under it, in a source or in all; with no more than `limit`.
    pub(crate) fn each_listed(
        &self,
        source: Option<i64>,
        path: &str,
        order: Order,
        limit: Option<usize>,
        mut visit: impl FnMut(Listed),
    ) -> Result<(), Fault> {
        let order = match order {
            Order::Path => "root, path",
            Order::Recent => "mtime_ns DESC, root, path",
        };
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT document.id, root, path, title, first_heading, size, mtime_ns, syntax
             FROM document JOIN source ON source.id = document.source
             WHERE (?1 IS NULL OR source = ?1) AND (?2 = '' OR path = ?2 OR (path > ?2 || '/' AND path < ?2 || '0'))
             ORDER BY {order} LIMIT ?3"
        ))?;
        let limit = limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let mut rows = select.query(params![source, path, limit])?;
        while let Some(row) = rows.next()? {
            visit(Listed {
                id: row.get(0)?,
                root: row.get(1)?,
                path: row.get(2)?,
                title: row.get(3)?,
                first_heading: row.get(4)?,
                stat: stat(row, 5)?,
                syntax: row.get(7)?,
            });
        }
        Ok(())
    }

    /// The size and time that the file of a document had when it was indexed.
    pub(crate) fn stat(&self, document: i64) -> Result<Stat, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT size, mtime_ns FROM document WHERE id = ?1")?;
        Ok(select.query_row([document], |row| stat(row, 0))?)
    }

    /// How many chunks a document has.
    pub(crate) fn chunk_count(&self, document: i64) -> Result<usize, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT count(*) FROM chunk WHERE document = ?1")?;
        let count: i64 = select.query_row([document], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// What the last sync of a source saw, as JSON; none before the first was complete.
    pub(crate) fn summary(&self, source: i64) -> Result<Option<String>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT summary FROM source WHERE id = ?1")?;
        let found = select.query_row([source], |row| row.get(0)).optional()?;
        Ok(found.flatten())
    }

    /// Whether a source has changed since its summary was made.
    pub(crate) fn summary_is_due(&self, source: i64) -> Result<bool, Fault> {
        // A sync that writes says first that it has not finished.
        let sql = "SELECT summary IS NULL OR finished IS NULL FROM source WHERE id = ?1";
        Ok(self.connection.query_row(sql, [source], |row| row.get(0))?)
    }

    /// Keeps the summary of a source.
    pub(crate) fn set_summary(&self, source: i64, summary: &str) -> Result<(), Fault> {
        let mut update = self
            .connection
            .prepare_cached("UPDATE source SET summary = ?2 WHERE id = ?1")?;
        update.execute(params![source, summary])?;
        Ok(())
    }
}

fn stat(row: &Row<'_>, first: usize) -> rusqlite::Result<Stat> {
    let size: i64 = row.get(first)?;
    Ok(Stat {
        size: size.unsigned_abs(),
        mtime_ns: row.get(first + 1)?,
    })
}
