//! Queries about sources.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rusqlite::{OptionalExtension, Row, ToSql, params};

use super::{encoding, hash, size, unsigned, within};
use crate::model::{Error, LastSync, PathRange, Skip, SkipReason, SourceId, Stat, with_folders};
use crate::store::Counts;
use crate::store::StoreError;
use crate::store::StoredSource;
use crate::store::facet::StoredMetadata;
use crate::store::local::database::Database;
use crate::store::local::sum::{self, SOURCE, STAT};
use crate::store::local::write::cursor_key;
use crate::store::record::{Known, SkipRow};

impl Database {
    /// The row of a source.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`] when there is none.
    pub(in crate::store::local) fn row(&self, source: &SourceId) -> Result<i64, StoreError> {
        if let Some(row) = self.find_row(source)? {
            return Ok(row);
        }
        let sources = self.sources()?.into_iter();
        Err(StoreError::Told(Error::UnknownSource {
            path: source.path().into(),
            sources: sources.map(|source| source.id.path().into()).collect(),
        }))
    }

    /// The source, which must exist.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`] when there is none.
    pub(crate) fn known_source(&self, source: SourceId) -> Result<SourceId, StoreError> {
        self.row(&source).map(|_| source)
    }

    pub(in crate::store::local) fn find_row(
        &self,
        source: &SourceId,
    ) -> Result<Option<i64>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT id FROM source WHERE root = ?1")?;
        Ok(select.query_row([source], |row| row.get(0)).optional()?)
    }

    /// The row of a source, if one is named.
    pub(in crate::store::local) fn row_of(
        &self,
        source: Option<&SourceId>,
    ) -> Result<Option<i64>, StoreError> {
        source.map(|source| self.row(source)).transpose()
    }

    /// The sources, by root.
    pub(crate) fn sources(&self) -> Result<Vec<StoredSource>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached(&format!("SELECT {SOURCE}, sum FROM source ORDER BY root"))?;
        let mut rows = select.query([])?;
        let mut sources = Vec::new();
        while let Some(row) = rows.next()? {
            sum::check(row, sum::SOURCE_COLUMNS)?;
            let (started, finished): (Option<i64>, _) = (row.get(3)?, row.get(4)?);
            sources.push(StoredSource {
                id: row.get(1)?,
                name: row.get(2)?,
                last_sync: started.map(|started| LastSync { started, finished }),
            });
        }
        Ok(sources)
    }

    /// The roots of the sources, damaged or not, as far as SQLite returns them.
    pub(crate) fn any_roots(&self) -> Vec<PathBuf> {
        let read = || {
            let mut select = self.connection.prepare("SELECT root FROM source")?;
            let rows = select.query_map([], |row| row.get::<_, String>(0))?;
            Ok::<_, rusqlite::Error>(rows.flatten().map(PathBuf::from).collect())
        };
        read().unwrap_or_default()
    }

    /// The names and roots of the collections, damaged or not, as far as SQLite returns them.
    pub(crate) fn named_roots(&self) -> Vec<(String, PathBuf)> {
        let sql = "SELECT name, root FROM source WHERE name IS NOT NULL";
        let read = || {
            let mut select = self.connection.prepare(sql)?;
            let rows =
                select.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?.into())))?;
            Ok::<_, rusqlite::Error>(rows.flatten().collect())
        };
        read().unwrap_or_default()
    }

    /// The last sync of a source; `None` until the first one starts to write.
    pub(crate) fn last_sync(&self, source: &SourceId) -> Result<Option<LastSync>, StoreError> {
        let sql = "SELECT started, finished FROM source WHERE id = ?1";
        let mut select = self.connection.prepare_cached(sql)?;
        Ok(select.query_row([self.row(source)?], |row| {
            let (started, finished): (Option<i64>, _) = (row.get(0)?, row.get(1)?);
            Ok(started.map(|started| LastSync { started, finished }))
        })?)
    }

    /// The [`cursor`](crate::store::ledger::Finished::cursor) of the last sync of a source, if it
    /// was complete.
    pub(crate) fn cursor(&self, source: &SourceId) -> Result<Option<String>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        let kept: Option<String> = select
            .query_row([cursor_key(source)], |row| row.get(0))
            .optional()?;
        // Without a readable one, the whole source is listed.
        let kept = kept.and_then(|json| serde_json::from_str::<(LastSync, String)>(&json).ok());
        let last = self.last_sync(source)?;
        Ok(kept.and_then(|(sync, cursor)| (Some(sync) == last).then_some(cursor)))
    }

    /// The documents of a source in a range of paths, by path, at most `limit`.
    pub(crate) fn known(
        &self,
        source: &SourceId,
        range: &PathRange,
        limit: usize,
    ) -> Result<Vec<Known>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.known_where(
            // A blob is greater than any text.
            "source = ?1 AND path > coalesce(?2, '') AND path < coalesce(?4, x'')",
            params![self.row(source)?, range.after, limit, range.before],
        )
    }

    /// The document of a source at `path`, and those under it, by path.
    pub(crate) fn known_at(&self, source: &SourceId, path: &str) -> Result<Vec<Known>, StoreError> {
        self.known_where(
            &within(Some(source), path),
            params![self.row(source)?, path, -1],
        )
    }

    /// The documents on which a condition over `?1` and `?2` holds, by path, at most `?3`.
    fn known_where(
        &self,
        condition: &str,
        values: &[&dyn ToSql],
    ) -> Result<Vec<Known>, StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT id, path, {STAT}, stat_sum, settled, text, identity, encoding,
                    CASE encoding WHEN 'extracted' THEN metadata END FROM document
             WHERE {condition} ORDER BY path LIMIT ?3",
        ))?;
        let rows = select.query_map(values, |row| {
            // A file whose stored metadata is damaged is read again.
            let is_sound = sum::is_stat_sound(row, 2)?;
            let metadata: Option<String> = row.get(11)?;
            let metadata = metadata.and_then(|json| StoredMetadata::of_json(&json).ok());
            let extraction = metadata.and_then(|metadata| metadata.extraction);
            Ok(Known {
                id: row.get(0)?,
                path: row.get(1)?,
                stat: stat(row, 2)?,
                settled: is_sound && row.get(7)?,
                hash: hash(row, 8)?,
                identity: hash(row, 9)?,
                encoding: encoding(row, 10)?,
                extracted: extraction.map(|extraction| (extraction.version, extraction.file)),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What was skipped in a source, by path.
    pub(crate) fn skips(&self, source: &SourceId) -> Result<Vec<SkipRow>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT path, reason, detail, size, mtime_ns, inode, ctime_ns, settled, reader FROM skip WHERE source = ?1 ORDER BY path, rowid",
        )?;
        let source = self.row(source)?;
        self.check_skips(source)?;
        let mut rows = select.query([source])?;
        let mut skips = Vec::new();
        while let Some(row) = rows.next()? {
            let reason: String = row.get(1)?;
            let size: Option<u64> = row
                .get::<_, Option<i64>>(3)?
                .and_then(|size| u64::try_from(size).ok());
            let mtime_ns: Option<i64> = row.get(4)?;
            let (inode, ctime_ns) = (inode(row, 5)?, row.get(6)?);
            skips.push(SkipRow {
                skip: Skip {
                    path: row.get(0)?,
                    reason: SkipReason::of_name(&reason)
                        .ok_or(StoreError::Value("an unknown skip reason"))?,
                    detail: row.get(2)?,
                },
                stat: size.zip(mtime_ns).map(|(size, mtime_ns)| Stat {
                    size,
                    mtime_ns,
                    inode,
                    ctime_ns,
                }),
                settled: row.get(7)?,
                reader: row.get(8)?,
            });
        }
        Ok(skips)
    }

    /// Compares what was skipped in a source with its checksum.
    fn check_skips(&self, source: i64) -> Result<(), StoreError> {
        let kept = "SELECT skips_sum FROM source WHERE id = ?1";
        let kept: Option<i64> = self
            .connection
            .query_row(kept, [source], |row| row.get(0))?;
        match kept == Some(sum::of_skips(&self.connection, source)?) {
            true => Ok(()),
            false => Err(sum::DIFFERENT),
        }
    }

    /// What was skipped at `path` or above it, in one source or in all.
    pub(crate) fn skip_at(
        &self,
        source: Option<&SourceId>,
        path: &str,
    ) -> Result<Option<Skip>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT path, reason, detail FROM skip
             WHERE source IN (SELECT id FROM source WHERE ?1 IS NULL OR id = ?1) AND path = ?2 LIMIT 1",
        )?;
        let source = self.row_of(source)?;
        for row in sum::ids(&self.connection, "SELECT id FROM source")? {
            if source.is_none_or(|source| source == row) {
                self.check_skips(row)?;
            }
        }
        for path in with_folders(path) {
            let mut rows = select.query(params![source, path])?;
            if let Some(row) = rows.next()? {
                let reason: String = row.get(1)?;
                return Ok(Some(Skip {
                    path: row.get(0)?,
                    reason: SkipReason::of_name(&reason)
                        .ok_or(StoreError::Value("an unknown skip reason"))?,
                    detail: row.get(2)?,
                }));
            }
        }
        Ok(None)
    }

    /// How much was skipped in a source, by reason.
    pub(crate) fn skip_counts(
        &self,
        source: &SourceId,
    ) -> Result<BTreeMap<SkipReason, usize>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT reason, count(*) FROM skip WHERE source = ?1 GROUP BY reason",
        )?;
        let source = self.row(source)?;
        self.check_skips(source)?;
        let mut rows = select.query([source])?;
        let mut counts = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let reason: String = row.get(0)?;
            let reason =
                SkipReason::of_name(&reason).ok_or(StoreError::Value("an unknown skip reason"))?;
            counts.insert(reason, size(row, 1)?);
        }
        Ok(counts)
    }

    /// How many documents and chunks there are at or under `path` in a source, or in all.
    pub(crate) fn counts(
        &self,
        source: Option<&SourceId>,
        path: &str,
    ) -> Result<Counts, StoreError> {
        let mut chunks = self.connection.prepare_cached(&format!(
            "SELECT coalesce(sum(count), 0) FROM document CROSS JOIN block ON block.document = document.id WHERE {}",
            within(source, path)
        ))?;
        let documents = self.document_count(source, path)?;
        let source = self.row_of(source)?;
        let chunks = chunks.query_row(params![source, path], |row| size(row, 0))?;
        Ok(Counts { documents, chunks })
    }

    /// How many documents there are at or under `path` in a source, or in all.
    pub(crate) fn document_count(
        &self,
        source: Option<&SourceId>,
        path: &str,
    ) -> Result<usize, StoreError> {
        let mut documents = self.connection.prepare_cached(&format!(
            "SELECT count(*) FROM document WHERE {}",
            within(source, path)
        ))?;
        Ok(documents.query_row(params![self.row_of(source)?, path], |row| size(row, 0))?)
    }
}

/// The metadata of a file, from the columns of [`sum::STAT`].
pub(in crate::store::local) fn stat(row: &Row<'_>, first: usize) -> rusqlite::Result<Stat> {
    Ok(Stat {
        size: unsigned(row, first)?,
        mtime_ns: row.get(first + 1)?,
        inode: inode(row, first + 2)?,
        ctime_ns: row.get(first + 3)?,
    })
}

/// An inode, stored as the signed number with the same bits.
fn inode(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    let kept: Option<i64> = row.get(column)?;
    Ok(kept.map(i64::cast_unsigned))
}
