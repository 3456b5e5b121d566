//! Queries about vectors.

use rusqlite::OptionalExtension;

use super::size;
use crate::store::StoreError;
use crate::store::local::database::Database;
use crate::store::local::sum;
use crate::store::local::vectors::Key;

impl Database {
    /// The result of `look` on the numbers of a vector: `Some(None)` when the embedder rejected the
    /// string, `None` when there is no such vector.
    pub(in crate::store::local) fn vector<T>(
        &self,
        key: Key,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<Option<T>>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT key, numbers, refused, sum FROM vector WHERE key = ?1")?;
        let mut rows = select.query([&key.0[..]])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        sum::check(row, 3)?;
        let numbers = row.get_ref(1)?.as_blob_or_null();
        Ok(Some(numbers.map_err(rusqlite::Error::from)?.map(look)))
    }

    /// Compares every vector with its checksum.
    pub(in crate::store::local) fn check_vectors(&self) -> Result<(), StoreError> {
        let sql = "SELECT key, numbers, refused, sum FROM vector";
        let mut select = self.connection.prepare(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            sum::check(row, 3)?;
        }
        Ok(())
    }

    /// Why the embedder returned no vectors at the last sync; `None` when it did.
    pub(crate) fn failure(&self) -> Result<Option<String>, StoreError> {
        let sql = "SELECT value FROM meta WHERE key = 'vectors_failure'";
        Ok(self
            .connection
            .query_row(sql, [], |row| row.get(0))
            .optional()?)
    }

    /// How many strings the embedder rejected, with the reason for one of them.
    pub(crate) fn refused(&self) -> Result<(usize, Option<String>), StoreError> {
        let sql = "SELECT count(*), max(refused) FROM vector WHERE refused IS NOT NULL";
        let found = self
            .connection
            .query_row(sql, [], |row| Ok((size(row, 0)?, row.get(1)?)));
        Ok(found?)
    }
}
