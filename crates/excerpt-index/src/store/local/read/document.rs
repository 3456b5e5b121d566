//! Queries about documents.

use std::sync::LazyLock;

use excerpt_chunk::Hash;
use rusqlite::{OptionalExtension, Row, params};

use super::{encoding, hash, size, stat, within};
use crate::model::{DocumentId, Revision, SourceId};
use crate::store::StoredDocument;
use crate::store::compress::decompressed;
use crate::store::facet::StoredMetadata;
use crate::store::local::database::Database;
use crate::store::local::sum::{self, DOCUMENT, STAT};
use crate::store::{ById, Documents, RECORDS, StoreError};

/// How much more source code than prose there is.
pub(in crate::store::local) struct CodeBalance {
    /// The `rev` at which it was read.
    rev: Revision,
    /// In all documents; read when it is first needed, as what follows.
    all: Option<i64>,
    /// In each document: less than 0 for prose.
    each: Option<ById<DocumentId, i64>>,
}

/// How much a document counts for: its size in bytes, since many tiny files such as the inputs of
/// tests are not most of what is written, and of a large one only so much, since it is seldom
/// written by hand, or not text. Records are neither code nor prose.
static BALANCE: LazyLock<String> = LazyLock::new(|| {
    let records = RECORDS.join("', '");
    format!(
        "CASE WHEN syntax IN ('{records}') THEN 0 \
         WHEN syntax = 'code' THEN min(size, 65536) ELSE -min(size, 65536) END"
    )
});

/// The columns of a document, up to its checksum, those of its source, and those of its file. With
/// a join instead of the subqueries, SQLite would prepare it again for each document.
fn select(condition: &str) -> String {
    format!(
        "SELECT {DOCUMENT}, sum, id, (SELECT root FROM source WHERE source.id = document.source) AS root,
                (SELECT name FROM source WHERE source.id = document.source), {STAT}, stat_sum
         FROM document {condition}"
    )
}

impl Database {
    /// A document.
    pub(crate) fn document(&self, id: DocumentId) -> Result<Option<StoredDocument>, StoreError> {
        let mut select = self.connection.prepare_cached(&select("WHERE id = ?1"))?;
        let found = select.query_row([id], |row| Ok(document(row))).optional()?;
        found.transpose()
    }

    /// The documents at `path`, one per source, by source.
    pub(crate) fn documents_at(&self, path: &str) -> Result<Vec<StoredDocument>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached(&select("WHERE path = ?1 ORDER BY root"))?;
        let mut rows = select.query([path])?;
        let mut documents = Vec::new();
        while let Some(row) = rows.next()? {
            documents.push(document(row)?);
        }
        // If SQLite's index of paths is damaged, a document may exist although the index does not
        // name it.
        let sql = "SELECT count(*) FROM document NOT INDEXED WHERE path = ?1";
        let count = || self.connection.query_row(sql, [path], |row| size(row, 0));
        if documents.is_empty() && count()? > 0 {
            return Err(StoreError::Value(
                "a document that is not found by its path",
            ));
        }
        Ok(documents)
    }

    /// The document at `path` in a source.
    pub(crate) fn document_at(
        &self,
        source: &SourceId,
        path: &str,
    ) -> Result<Option<StoredDocument>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached(&select("WHERE source = ?1 AND path = ?2"))?;
        let found = select
            .query_row(params![self.row(source)?, path], |row| Ok(document(row)))
            .optional()?;
        found.transpose()
    }

    /// The ids of the documents at or under `path` in a source.
    pub(crate) fn documents_under(
        &self,
        source: &SourceId,
        path: &str,
    ) -> Result<Vec<DocumentId>, StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT id FROM document WHERE {} ORDER BY path",
            within(Some(source), path)
        ))?;
        let rows = select.query_map(params![self.row(source)?, path], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Calls `visit` with the path of every document of a source, or of all.
    pub(crate) fn each_path(
        &self,
        source: Option<&SourceId>,
        mut visit: impl FnMut(&str),
    ) -> Result<(), StoreError> {
        let sql = "SELECT path FROM document WHERE ?1 IS NULL OR source = ?1 ORDER BY path";
        let mut select = self.connection.prepare_cached(sql)?;
        let mut rows = select.query([self.row_of(source)?])?;
        while let Some(row) = rows.next()? {
            let path = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            visit(path);
        }
        Ok(())
    }

    /// A text.
    pub(crate) fn text(&self, hash: Hash) -> Result<String, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT bytes, zstd FROM text WHERE hash = ?1")?;
        let (bytes, zstd): (usize, Vec<u8>) =
            select.query_row([&hash.0[..]], |row| Ok((size(row, 0)?, row.get(1)?)))?;
        let text = decompressed(&zstd, bytes);
        let text = text.ok_or(StoreError::Value("a text that cannot be decompressed"))?;
        if Hash::of(&text) != hash {
            return Err(StoreError::Value("a text whose checksum does not match"));
        }
        String::from_utf8(text).map_err(|_| StoreError::Value("a text that is not UTF-8"))
    }

    /// Whether there is more source code than prose in these documents, or in all.
    pub(crate) fn is_mostly_code(&self, documents: Option<&Documents>) -> Result<bool, StoreError> {
        let rev = self.rev()?;
        let mut known = self.code.borrow_mut();
        let known = match known.take().filter(|balance| balance.rev == rev) {
            Some(balance) => known.insert(balance),
            None => known.insert(CodeBalance {
                rev,
                all: None,
                each: None,
            }),
        };
        let balance = match documents {
            None => match known.all {
                Some(all) => all,
                None => *known.all.insert(self.code_balance()?),
            },
            Some(some) => {
                let each = match &known.each {
                    Some(each) => each,
                    None => known.each.insert(self.code_balances()?),
                };
                some.iter().filter_map(|id| each.get(id)).sum()
            }
        };
        Ok(balance > 0)
    }

    fn code_balance(&self) -> Result<i64, StoreError> {
        let sql = format!("SELECT coalesce(sum({}), 0) FROM document", *BALANCE);
        Ok(self.connection.query_row(&sql, [], |row| row.get(0))?)
    }

    fn code_balances(&self) -> Result<ById<DocumentId, i64>, StoreError> {
        let sql = format!("SELECT id, {} FROM document", *BALANCE);
        let mut select = self.connection.prepare(&sql)?;
        let balances = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(balances.collect::<Result<_, _>>()?)
    }
}

fn document(row: &Row<'_>) -> Result<StoredDocument, StoreError> {
    // The columns of a document are followed by their checksum.
    const BEHIND: usize = sum::DOCUMENT_COLUMNS + 1;
    sum::check(row, sum::DOCUMENT_COLUMNS)?;
    let metadata = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
    let metadata = StoredMetadata::of_json(metadata)?;
    Ok(StoredDocument {
        path: row.get(1)?,
        text: hash(row, 2)?,
        title: row.get(3)?,
        first_heading: row.get(4)?,
        metadata: metadata.merged,
        provenance: metadata.provenance,
        extraction: metadata.extraction,
        syntax: row.get(6)?,
        rev: row.get(11)?,
        encoding: encoding(row, 15)?,
        id: row.get(BEHIND)?,
        source: row.get(BEHIND + 1)?,
        collection: row.get(BEHIND + 2)?,
        stat: match sum::is_stat_sound(row, BEHIND + 3)? {
            true => Some(stat(row, BEHIND + 3)?),
            false => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    /// A search runs a query per candidate hundreds of times.
    #[test]
    fn a_question_about_a_document_is_prepared_once() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::create(&dir.path().join("excerpt.db")).unwrap();
        database.ensure_source(&"/notes".into(), None).unwrap();
        for id in 1..5 {
            assert!(database.document(DocumentId(id)).unwrap().is_none());
        }
        let sql = select("WHERE id = ?1");
        let select = database.connection.prepare_cached(&sql).unwrap();
        assert_eq!(select.get_status(StatementStatus::Run), 4);
        assert_eq!(select.get_status(StatementStatus::RePrepare), 0);
    }
}
