//! The links of documents in the database.

use rusqlite::{Row, Transaction, params};

use super::database::Database;
use super::sum;
use crate::model::{DocumentId, SourceId};
use crate::store::{LinkForm, LinkRow, StoreError};

/// Stores the links and labels of a document, replacing those that it had.
pub(super) fn put_links(
    transaction: &Transaction<'_>,
    document: DocumentId,
    links: &[LinkRow],
) -> Result<(), StoreError> {
    transaction
        .prepare_cached("DELETE FROM link WHERE document = ?1")?
        .execute([document])?;
    let mut insert = transaction.prepare_cached(
        "INSERT OR IGNORE INTO link (document, start, target, section, form) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for link in links {
        let start = i64::try_from(link.start).unwrap_or(i64::MAX);
        insert.execute(params![
            document,
            start,
            link.target,
            link.section,
            link.form as i64
        ])?;
    }
    Ok(())
}

impl Database {
    /// The links and labels of a document, in the order of its text.
    pub(crate) fn links_of(&self, document: DocumentId) -> Result<Vec<LinkRow>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT start, target, section, form FROM link WHERE document = ?1 ORDER BY start",
        )?;
        let rows = select.query_map([document], |row| link(row, 0))?;
        let links = rows.collect::<Result<_, _>>()?;
        let sql = "SELECT links_sum FROM document WHERE id = ?1";
        let kept: Option<i64> = self
            .connection
            .query_row(sql, [document], |row| row.get(0))?;
        match kept == Some(sum::of_links(&self.connection, document)?) {
            true => Ok(links),
            false => Err(sum::DIFFERENT),
        }
    }

    /// The links of a form in a source to `target`, or the labels of this name, each with the id of
    /// the document that contains it.
    pub(crate) fn links_to(
        &self,
        source: &SourceId,
        target: &str,
        form: LinkForm,
    ) -> Result<Vec<(DocumentId, LinkRow)>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT document, start, target, section, form FROM link CROSS JOIN document ON document.id = link.document
             WHERE target = ?2 AND form = ?3 AND source = ?1",
        )?;
        let rows = select.query_map(params![self.row(source)?, target, form as i64], |row| {
            Ok((row.get(0)?, link(row, 1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn link(row: &Row<'_>, first: usize) -> rusqlite::Result<LinkRow> {
    let (start, form): (i64, i64) = (row.get(first)?, row.get(first + 3)?);
    Ok(LinkRow {
        start: usize::try_from(start)
            .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(first, start))?,
        target: row.get(first + 1)?,
        section: row.get(first + 2)?,
        form: LinkForm::of(form)
            .ok_or(rusqlite::Error::IntegralValueOutOfRange(first + 3, form))?,
    })
}
