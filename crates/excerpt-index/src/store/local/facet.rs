//! Queries about facets.

use std::collections::HashSet;

use super::database::Database;
use super::sum;
use crate::model::DocumentId;
use crate::store::facet::DATE;
use crate::store::{Documents, Period, StoreError};

impl Database {
    /// The ids of the documents with a facet of this name that has one of the values.
    pub(crate) fn with_facet(
        &self,
        name: &str,
        values: &[String],
    ) -> Result<HashSet<DocumentId>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT document FROM facet WHERE name = ?1 AND value = ?2")?;
        let mut documents = HashSet::new();
        for value in values {
            let rows = select.query_map([name, value], |row| row.get::<_, DocumentId>(0))?;
            documents.extend(rows.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(documents)
    }

    /// The documents with a date in a period.
    pub(crate) fn dated(&self, period: &Period) -> Result<Documents, StoreError> {
        let mut dated = Documents::default();
        self.each_facet(DATE, |document, date| {
            if period.contains(date) {
                dated.insert(document);
            }
        })?;
        Ok(dated)
    }

    /// Compares the facets of a document with their checksum.
    pub(crate) fn check_facets(&self, document: DocumentId) -> Result<(), StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT facets_sum FROM document WHERE id = ?1")?;
        let kept: Option<i64> = select.query_row([document], |row| row.get(0))?;
        match kept == Some(sum::of_facets(&self.connection, document)?) {
            true => Ok(()),
            false => Err(sum::DIFFERENT),
        }
    }

    /// Calls `visit` with each document that has a facet of this name, and its value, document by
    /// document.
    pub(crate) fn each_facet(
        &self,
        name: &str,
        mut visit: impl FnMut(DocumentId, &str),
    ) -> Result<(), StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT document, value FROM facet WHERE name = ?1 ORDER BY document",
        )?;
        let mut rows = select.query([name])?;
        while let Some(row) = rows.next()? {
            visit(
                row.get(0)?,
                row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?,
            );
        }
        Ok(())
    }
}
