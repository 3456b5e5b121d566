//! Checksums over the rows of the database. SQLite detects an invalid page, but not a flipped bit
//! that turns one word, number or hash into another. So each row that contributes to an answer has
//! the XXH3 of its values, which is compared when the row is read.
//!
//! | sum | of | compared |
//! | --- | --- | --- |
//! | `document.sum` | the stored document, except its file's metadata, and the three checksums below | with every read |
//! | `document.chunks_sum` | the checksums of its [blocks](super::blocks) of chunks, in order, so that none is missing | when all chunks are read |
//! | `document.facets_sum` | its facets | for a hit of a search that filters by facets |
//! | `document.links_sum` | its links | when its links are read |
//! | `document.stat_sum` | the metadata of its file | when it is shown; a sync reads a file whose checksum differs |
//! | `block.sum` | the chunks of a block, with their document and their place in it | with every read |
//! | `vector.sum` | the vector with its key | with every read |
//! | `source.sum` | the source, with its summary | once for each search or read |
//! | `source.skips_sum` | what the last sync skipped | when it is read |
//!
//! Texts need none, since they are stored under their hashes. `excerpt doctor` compares all of
//! them.

use rusqlite::types::{FromSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql, params};
use twox_hash::XxHash3_64;

use crate::model::DocumentId;
use crate::store::StoreError;

/// The columns that a document's checksum covers. A migration that changes one of them in existing
/// rows calls [`fill`] afterwards.
pub(super) const DOCUMENT: &str = "source, path, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev,
    chunks_sum, facets_sum, links_sum, encoding";
pub(super) const DOCUMENT_COLUMNS: usize = 16;

/// The columns that the checksum of a file's metadata covers.
pub(super) const STAT: &str = "size, mtime_ns, inode, ctime_ns";
const STAT_COLUMNS: usize = 4;

/// The columns that the checksum of a block of chunks covers.
pub(super) const BLOCK: &str = "document, first, count, warned, hashes, bytes, zstd";
pub(super) const BLOCK_COLUMNS: usize = 7;

/// The columns that a source's checksum covers.
pub(super) const SOURCE: &str = "id, root, name, started, finished, summary, skips_sum";
pub(super) const SOURCE_COLUMNS: usize = 7;

/// The fault of a row that does not match its checksum.
pub(super) const DIFFERENT: StoreError = StoreError::Value("a row whose checksum does not match");

/// A checksum over values, one after the other.
#[derive(Default)]
pub(super) struct Sum(Vec<u8>);

impl Sum {
    pub(super) fn add(&mut self, value: ValueRef<'_>) {
        let number;
        let (kind, bytes): (u8, &[u8]) = match value {
            ValueRef::Null => (0, &[]),
            ValueRef::Integer(value) => {
                number = value.to_le_bytes();
                (1, &number)
            }
            ValueRef::Real(value) => {
                number = value.to_le_bytes();
                (2, &number)
            }
            ValueRef::Text(bytes) => (3, bytes),
            ValueRef::Blob(bytes) => (4, bytes),
        };
        self.0.push(kind);
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
    }

    /// The checksum as a SQLite integer.
    pub(super) fn end(self) -> i64 {
        XxHash3_64::oneshot(&self.0).cast_signed()
    }
}

/// The checksum over values that are about to be written.
pub(super) fn of_values(values: &[&dyn ToSql]) -> Result<i64, StoreError> {
    let mut sum = Sum::default();
    for value in values {
        match value.to_sql()? {
            ToSqlOutput::Borrowed(value) => sum.add(value),
            ToSqlOutput::Owned(value) => sum.add((&value).into()),
            _ => return Err(StoreError::Value("a value of an unknown type")),
        }
    }
    Ok(sum.end())
}

/// The checksum over the first `columns` of a row.
pub(super) fn of_row(row: &Row<'_>, columns: usize) -> Result<i64, StoreError> {
    let mut sum = Sum(Vec::with_capacity(1024));
    for column in 0..columns {
        sum.add(row.get_ref(column)?);
    }
    Ok(sum.end())
}

/// Compares the first `columns` of a row with the checksum in the one that follows.
pub(super) fn check(row: &Row<'_>, columns: usize) -> Result<(), StoreError> {
    match row.get::<_, Option<i64>>(columns)? == Some(of_row(row, columns)?) {
        true => Ok(()),
        false => Err(DIFFERENT),
    }
}

/// The checksum over all rows of a query with one parameter.
fn of_rows(connection: &Connection, sql: &str, id: impl ToSql) -> Result<i64, StoreError> {
    let mut select = connection.prepare_cached(sql)?;
    let columns = select.column_count();
    let mut rows = select.query([id])?;
    let mut sum = Sum::default();
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            sum.add(row.get_ref(column)?);
        }
    }
    Ok(sum.end())
}

/// The checksum over the checksums of the blocks of a document.
pub(super) fn of_chunks(connection: &Connection, document: DocumentId) -> Result<i64, StoreError> {
    let sql = "SELECT sum FROM block WHERE document = ?1 ORDER BY first";
    of_rows(connection, sql, document)
}

/// The checksum over the facets of a document.
pub(super) fn of_facets(connection: &Connection, document: DocumentId) -> Result<i64, StoreError> {
    let sql = "SELECT name, value FROM facet WHERE document = ?1 ORDER BY name, value";
    of_rows(connection, sql, document)
}

/// The checksum over the links of a document.
pub(super) fn of_links(connection: &Connection, document: DocumentId) -> Result<i64, StoreError> {
    let sql = "SELECT start, target, section, form FROM link WHERE document = ?1 ORDER BY start";
    of_rows(connection, sql, document)
}

/// The checksum over what the last sync of a source skipped.
pub(super) fn of_skips(connection: &Connection, source: i64) -> Result<i64, StoreError> {
    let sql = "SELECT path, reason, detail FROM skip WHERE source = ?1 ORDER BY path, rowid";
    of_rows(connection, sql, source)
}

/// Whether the columns of [`STAT`], from `first` on, match the checksum that follows them.
pub(super) fn is_stat_sound(row: &Row<'_>, first: usize) -> rusqlite::Result<bool> {
    let mut sum = Sum::default();
    for column in first..first + STAT_COLUMNS {
        sum.add(row.get_ref(column)?);
    }
    Ok(row.get::<_, Option<i64>>(first + STAT_COLUMNS)? == Some(sum.end()))
}

/// Writes the checksums of a document whose chunks, facets and links are written.
pub(super) fn seal_document(connection: &Connection, id: DocumentId) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE document SET chunks_sum = ?2, facets_sum = ?3, links_sum = ?4 WHERE id = ?1",
        )?
        .execute(params![
            id,
            of_chunks(connection, id)?,
            of_facets(connection, id)?,
            of_links(connection, id)?
        ])?;
    let sql = format!("SELECT {DOCUMENT} FROM document WHERE id = ?1");
    let sum = of_rows(connection, &sql, id)?;
    connection
        .prepare_cached("UPDATE document SET sum = ?2 WHERE id = ?1")?
        .execute(params![id, sum])?;
    Ok(())
}

/// Writes the checksum over what a sync of a source skipped, and that of the source.
pub(super) fn seal_skips(connection: &Connection, id: i64) -> Result<(), StoreError> {
    let skips = of_skips(connection, id)?;
    connection
        .prepare_cached("UPDATE source SET skips_sum = ?2 WHERE id = ?1")?
        .execute([id, skips])?;
    seal_source(connection, id)
}

/// Writes the checksum of a changed source.
pub(super) fn seal_source(connection: &Connection, id: i64) -> Result<(), StoreError> {
    let sql = format!("SELECT {SOURCE} FROM source WHERE id = ?1");
    let sum = of_rows(connection, &sql, id)?;
    connection
        .prepare_cached("UPDATE source SET sum = ?2 WHERE id = ?1")?
        .execute([id, sum])?;
    Ok(())
}

/// The ids that a query returns.
pub(super) fn ids<T: FromSql>(connection: &Connection, sql: &str) -> Result<Vec<T>, StoreError> {
    let mut select = connection.prepare(sql)?;
    let ids = select.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Writes the checksums of all rows, for a database that has none yet.
pub(super) fn fill(connection: &Connection) -> Result<(), StoreError> {
    for source in ids(connection, "SELECT id FROM source")? {
        seal_skips(connection, source)?;
    }
    for document in ids::<DocumentId>(connection, "SELECT id FROM document")? {
        let stat = format!("SELECT {STAT} FROM document WHERE id = ?1");
        let stat = of_rows(connection, &stat, document)?;
        connection.execute(
            "UPDATE document SET stat_sum = ?2 WHERE id = ?1",
            params![document, stat],
        )?;
        seal_document(connection, document)?;
    }
    for vector in ids::<i64>(connection, "SELECT rowid FROM vector")? {
        let sql = "SELECT key, numbers, refused FROM vector WHERE rowid = ?1";
        let sum = of_rows(connection, sql, vector)?;
        connection
            .prepare_cached("UPDATE vector SET sum = ?2 WHERE rowid = ?1")?
            .execute([vector, sum])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::{ChunkKey, PathRange, SyncOptions};
    use crate::store::local::Store;
    use crate::store::local::blocks::ChunkReader;
    use crate::{Index, OpenOptions, quiet};

    /// A store of one document with a facet and a link.
    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let (root, index) = (dir.path().join("notes"), dir.path().join("index"));
        fs::create_dir(&root).unwrap();
        let text = "---\ntags: [green]\n---\n# Tea\n\nSee [milk](milk.md).\n";
        fs::write(root.join("tea.md"), text).unwrap();
        fs::write(root.join("photo.md"), "a\0b").unwrap();
        let mut made = Index::open(&index, OpenOptions::create()).unwrap();
        made.sync(&root, &SyncOptions::default(), quiet).unwrap();
        drop(made);
        let store = Store::open(&index).unwrap();
        store
            .database
            .connection
            .pragma_update(None, "foreign_keys", false)
            .unwrap();
        (dir, store)
    }

    /// Changes every column of a table that a checksum covers, one after the other: `read` must
    /// report each.
    fn notices(table: &str, columns: &[&str], read: impl Fn(&Store) -> Result<(), StoreError>) {
        let (_dir, store) = store();
        let connection = &store.database.connection;
        for column in columns {
            read(&store).unwrap();
            let transaction = connection.unchecked_transaction().unwrap();
            let sql =
                format!("SELECT type FROM pragma_table_info('{table}') WHERE name = '{column}'");
            let kind: String = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
            let other = match &*kind {
                "INTEGER" => format!("coalesce({column}, 0) + 1"),
                "BLOB" => format!("substr({column}, 2) || x'00'"),
                _ => format!("coalesce({column}, '') || 'x'"),
            };
            let other = match &*kind {
                "BLOB" => format!("CAST({other} AS BLOB)"),
                _ => other,
            };
            let sql = format!("UPDATE {table} SET {column} = {other}");
            assert!(connection.execute(&sql, []).unwrap() > 0, "{table}");
            let seen = read(&store);
            assert!(
                matches!(seen, Err(StoreError::Value(_) | StoreError::Engine { .. })),
                "{table}.{column}: {seen:?}"
            );
            transaction.rollback().unwrap();
        }
    }

    fn names(columns: &'static str) -> Vec<&'static str> {
        columns.split(',').map(str::trim).collect()
    }

    #[test]
    fn a_row_with_any_value_changed_is_not_read() {
        let first = DocumentId(1);
        let document = names(DOCUMENT);
        assert_eq!(document.len(), DOCUMENT_COLUMNS);
        notices("document", &document, |store| {
            store.database.document(first).map(drop)
        });
        // The key identifies the row: with another one, it is another row, or none.
        let block = names(BLOCK);
        assert_eq!(block.len(), BLOCK_COLUMNS);
        notices("block", &block[2..], |store| {
            let key = ChunkKey {
                document: first,
                ordinal: 0,
            };
            ChunkReader::of(&store.database).chunk(key).map(drop)
        });
        notices("block", &block, |store| {
            store.database.chunks(first).map(drop)
        });
        let source = names(SOURCE);
        assert_eq!(source.len(), SOURCE_COLUMNS);
        notices("source", &source, |store| {
            store.database.sources().map(drop)
        });
        notices("vector", &["key", "numbers"], |store| {
            store.database.check_vectors()
        });
        notices("skip", &["path", "reason", "detail"], |store| {
            let source = store.database.sources()?.remove(0);
            store.database.skips(&source.id).map(drop)
        });
        notices("facet", &["name", "value", "document"], |store| {
            store.database.check_facets(first)
        });
        let link = ["document", "start", "target", "section", "form"];
        notices("link", &link, |store| {
            store.database.links_of(first).map(drop)
        });
        notices("document", &names(STAT), |store| {
            store.database.stat(first).map(drop)
        });
        notices("text", &["bytes", "zstd"], |store| {
            store.database.verify_all()
        });
    }

    #[test]
    fn a_file_whose_size_and_time_were_damaged_is_read_again() {
        let (dir, store) = store();
        let source = store.database.sources().unwrap().remove(0);
        let known = || {
            store
                .database
                .known(&source.id, &PathRange::default(), 10)
                .unwrap()
                .remove(0)
        };
        let connection = &store.database.connection;
        connection
            .execute("UPDATE document SET settled = 1", [])
            .unwrap();
        assert!(known().settled);
        connection
            .execute("UPDATE document SET mtime_ns = mtime_ns + 1", [])
            .unwrap();
        assert!(!known().settled);
        let index = dir.path().join("index");
        let mut index = Index::open(&index, OpenOptions::default()).unwrap();
        index
            .sync(source.id.path(), &SyncOptions::default(), quiet)
            .unwrap();
        assert!(index.check().unwrap().is_sound());
    }

    #[test]
    fn what_is_damaged_is_repaired_even_if_it_has_not_changed() {
        let dir = tempfile::tempdir().unwrap();
        let [root, index] = ["notes", "index"].map(|name| dir.path().join(name));
        fs::create_dir(&root).unwrap();
        let path = |number: usize| root.join(format!("{number}.md"));
        let write = |number: usize, age: u64| {
            fs::write(path(number), format!("# Note {number}\n")).unwrap();
            let file = fs::File::options().append(true).open(path(number));
            let time = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            file.unwrap().set_modified(time).unwrap();
        };
        (0..2_000).for_each(|number| write(number, 1_000 + number as u64));
        let sync = || {
            let mut index = Index::open(&index, OpenOptions::create()).unwrap();
            let options = SyncOptions::default();
            (
                index.sync(&root, &options, quiet).unwrap(),
                index.check().is_ok_and(|check| check.is_sound()),
            )
        };
        assert_eq!(sync().0.added, 2_000);
        let damage = |path: &str| {
            let store = Store::open(&index).unwrap();
            let sql = "UPDATE document SET mtime_ns = mtime_ns + 1 WHERE path = ?1";
            store.database.connection.execute(sql, [path]).unwrap();
        };
        damage("1999.md");
        assert!(!sync().1);
        // One of the newest is gone: the summary needs all documents.
        fs::remove_file(path(0)).unwrap();
        let (report, is_sound) = sync();
        assert_eq!((report.removed, report.read, is_sound), (1, 1, true));
    }
}
