//! Changes to the database. Each function is one transaction: a process that is killed leaves all
//! of it or nothing.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, named_params, params};

use super::blocks;
use super::database::Database;
use super::lexical::Seal;
use super::link::put_links;
use super::sum;
use super::vectors::Key;
use crate::model::LastSync;
use crate::model::{DocumentId, Encoding, Revision, SourceId, Stat};
use crate::store::StoreError;
use crate::store::ledger::Finished;
use crate::store::local::sql::signed;
use crate::store::record::{Change, Record, SkipRow};

/// How many tombstones are kept for a keyword index that is restored from an older copy; with more
/// of them, it is rebuilt.
const TOMBSTONES: i64 = 10_000;

impl Database {
    /// Starts a change. It waits for its turn before it reads, so what it has read cannot change
    /// before it writes.
    pub(super) fn change(&self) -> Result<Transaction<'_>, StoreError> {
        let behavior = TransactionBehavior::Immediate;
        Ok(Transaction::new_unchecked(&self.connection, behavior)?)
    }

    /// Ends a change. SQLite may write its log into the database meanwhile.
    pub(super) fn commit(&self, transaction: Transaction<'_>) -> Result<(), StoreError> {
        self.sealed(|| Ok(transaction.commit()?))
    }

    /// Creates a source unless it exists. `name` is that of its collection.
    pub(crate) fn ensure_source(
        &self,
        source: &SourceId,
        name: Option<&str>,
    ) -> Result<(), StoreError> {
        // What gets a new checksum below must match its old one.
        self.sources()?;
        if let Some(row) = self.find_row(source)? {
            if self.has_name(row, name)? {
                return Ok(());
            }
            let transaction = self.change()?;
            let rename = "UPDATE source SET name = ?2 WHERE id = ?1";
            transaction.execute(rename, params![row, name])?;
            sum::seal_source(&transaction, row)?;
            return self.commit(transaction);
        }
        let transaction = self.change()?;
        transaction.execute(
            "INSERT INTO source (root, name) VALUES (?1, ?2)",
            params![source, name],
        )?;
        sum::seal_skips(&transaction, transaction.last_insert_rowid())?;
        self.commit(transaction)
    }

    fn has_name(&self, row: i64, name: Option<&str>) -> Result<bool, StoreError> {
        let sql = "SELECT name IS ?2 FROM source WHERE id = ?1";
        let named = params![row, name];
        Ok(self.connection.query_row(sql, named, |row| row.get(0))?)
    }

    /// Makes this the store of the source `adopted` only, with the documents of the source that has
    /// most of them. Whether each exists there with the same text is still to be checked.
    pub(crate) fn adopt(&self, adopted: &SourceId) -> Result<(), StoreError> {
        let mut sources = self.sources()?;
        let mut counted = Vec::new();
        for source in sources.drain(..) {
            counted.push((self.document_count(Some(&source.id), "")?, source.id));
        }
        counted.sort_unstable();
        let Some((_, kept)) = counted.pop() else {
            return Ok(());
        };
        for (_, other) in counted {
            self.remove_source(&other)?;
        }
        let kept = self.row(&kept)?;
        let transaction = self.change()?;
        transaction.execute(
            "UPDATE source SET root = ?2, name = NULL, started = NULL, finished = NULL, summary = NULL WHERE id = ?1",
            params![kept, adopted],
        )?;
        transaction.execute("UPDATE document SET settled = 0", [])?;
        transaction.execute("DELETE FROM skip", [])?;
        sum::seal_skips(&transaction, kept)?;
        self.commit(transaction)
    }

    /// Removes a source with all its documents.
    pub(crate) fn remove_source(&self, removed: &SourceId) -> Result<(), StoreError> {
        let source = self.row(removed)?;
        let transaction = self.change()?;
        put_cursor(&transaction, removed, None)?;
        let mut rev: Revision =
            transaction.query_row("SELECT value FROM meta WHERE key = 'rev'", [], |row| {
                row.get(0)
            })?;
        let documents: Vec<DocumentId> = {
            let mut select = transaction.prepare("SELECT id FROM document WHERE source = ?1")?;
            let ids = select.query_map([source], |row| row.get(0))?;
            ids.collect::<Result<_, _>>()?
        };
        for id in documents {
            rev = rev.next();
            remove(&transaction, id, rev)?;
        }
        transaction.execute("DELETE FROM skip WHERE source = ?1", [source])?;
        transaction.execute("DELETE FROM source WHERE id = ?1", [source])?;
        transaction.execute("UPDATE meta SET value = ?1 WHERE key = 'rev'", [rev])?;
        self.commit(transaction)
    }

    /// Records that a sync of the source has started to write: until it has finished, it counts as
    /// interrupted.
    pub(crate) fn start_sync(&self, source: &SourceId, started: i64) -> Result<(), StoreError> {
        let row = self.row(source)?;
        let transaction = self.change()?;
        transaction
            .prepare_cached("UPDATE source SET started = ?2, finished = NULL WHERE id = ?1")?
            .execute(params![row, started])?;
        put_cursor(&transaction, source, None)?;
        sum::seal_source(&transaction, row)?;
        self.commit(transaction)
    }

    /// Records that a sync has covered the whole source.
    pub(crate) fn finish_sync(
        &self,
        source: &SourceId,
        finished: &Finished<'_>,
    ) -> Result<(), StoreError> {
        let row = self.row(source)?;
        let transaction = self.change()?;
        if let Some(summary) = finished.summary {
            let json = serde_json::to_string(summary)?;
            let set = "UPDATE source SET summary = ?2 WHERE id = ?1";
            transaction.execute(set, params![row, json])?;
        }
        let LastSync {
            started,
            finished: ended,
        } = finished.sync;
        transaction.execute(
            "UPDATE source SET started = ?2, finished = ?3 WHERE id = ?1",
            params![row, started, ended],
        )?;
        let mark = finished.cursor.map(|cursor| (finished.sync, cursor));
        put_cursor(&transaction, source, mark)?;
        match finished.skips {
            Some(skips) => {
                put_skips(&transaction, row, skips)?;
                sum::seal_skips(&transaction, row)?;
            }
            None => sum::seal_source(&transaction, row)?,
        }
        self.commit(transaction)
    }

    /// Applies changes to the documents of a source.
    pub(crate) fn apply(&self, source: &SourceId, changes: &[Change]) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        let source = self.row(source)?;
        let transaction = self.change()?;
        let mut rev: Revision =
            transaction.query_row("SELECT value FROM meta WHERE key = 'rev'", [], |row| {
                row.get(0)
            })?;
        for change in changes {
            apply_one(&transaction, source, change, &mut rev)?;
        }
        transaction.execute("UPDATE meta SET value = ?1 WHERE key = 'rev'", [rev])?;
        self.commit(transaction)
    }

    /// Removes tombstones that the keyword index, which is up to date with `rev`, no longer needs.
    pub(crate) fn prune(&self, rev: Revision) -> Result<(), StoreError> {
        let count: i64 =
            self.connection
                .query_row("SELECT count(*) FROM tombstone", [], |row| row.get(0))?;
        if count <= TOMBSTONES {
            return Ok(());
        }
        let transaction = self.change()?;
        transaction.execute("DELETE FROM tombstone WHERE rev <= ?1", [rev])?;
        transaction.execute("UPDATE meta SET value = ?1 WHERE key = 'pruned'", [rev])?;
        self.commit(transaction)
    }

    /// Stores the seal of the keyword index, once its files are known to be sound.
    pub(crate) fn set_lexical_seal(&self, seal: &Seal) -> Result<(), StoreError> {
        let transaction = self.change()?;
        let sql = "INSERT OR REPLACE INTO meta VALUES (?1, ?2)";
        let metadata = seal.metadata.map(|hash| hash.0);
        transaction.execute(sql, params!["seal", metadata])?;
        let ends = serde_json::to_string(&seal.ends)?;
        transaction.execute(sql, params!["seal_ends", ends])?;
        self.commit(transaction)
    }
}

impl Database {
    /// Stores vectors, and what the embedder rejected, with its reasons.
    pub(super) fn put_vectors(
        &self,
        vectors: &[(Key, Vec<i8>)],
        refused: &[(Key, String)],
    ) -> Result<(), StoreError> {
        let transaction = self.change()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO vector (key, numbers, refused, sum) VALUES (?1, ?2, ?3, ?4)",
            )?;
            let mut insert = |key: &Key, numbers: Option<Vec<u8>>, refused: Option<&str>| {
                let sum = sum::of_values(&[&key.0, &numbers, &refused])?;
                insert.execute(params![&key.0[..], numbers, refused, sum])?;
                Ok::<_, StoreError>(())
            };
            for (key, numbers) in vectors {
                let numbers: Vec<u8> = numbers
                    .iter()
                    .map(|number| number.cast_unsigned())
                    .collect();
                insert(key, Some(numbers), None)?;
            }
            for (key, reason) in refused {
                insert(key, None, Some(reason))?;
            }
        }
        self.commit(transaction)
    }

    /// Removes all vectors except those of this embedder that a chunk uses. The vectors of other
    /// embedders go, too: nothing says whose they are, and they would stay for ever.
    pub(super) fn keep_vectors_in_use(&self, embedder: &str) -> Result<(), StoreError> {
        let transaction = self.change()?;
        {
            let mut in_use = HashSet::new();
            blocks::each_input(&transaction, |input| {
                in_use.insert(Key::new(embedder, input).0);
            })?;
            let mut keys = transaction.prepare("SELECT key FROM vector")?;
            let mut keys = keys.query([])?;
            let mut unused: Vec<Vec<u8>> = Vec::new();
            while let Some(row) = keys.next()? {
                let key: &[u8] = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
                if !<[u8; 16]>::try_from(key).is_ok_and(|key| in_use.contains(&key)) {
                    unused.push(key.to_vec());
                }
            }
            let mut delete = transaction.prepare("DELETE FROM vector WHERE key = ?1")?;
            for key in unused {
                delete.execute([key])?;
            }
        }
        self.commit(transaction)
    }

    /// Stores why the embedder returned no vectors at the last sync, or that it did.
    pub(super) fn set_failure(&self, failure: Option<&str>) -> Result<(), StoreError> {
        let transaction = self.change()?;
        match failure {
            Some(failure) => transaction.execute(
                "INSERT OR REPLACE INTO meta VALUES ('vectors_failure', ?1)",
                [failure],
            ),
            None => transaction.execute("DELETE FROM meta WHERE key = 'vectors_failure'", []),
        }?;
        self.commit(transaction)
    }
}

/// Replaces the list of what a source skips.
fn put_skips(
    transaction: &Transaction<'_>,
    source: i64,
    skips: &[SkipRow],
) -> Result<(), StoreError> {
    transaction.execute("DELETE FROM skip WHERE source = ?1", [source])?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO skip (source, path, reason, detail, settled, size, mtime_ns, inode, ctime_ns, reader)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for row in skips {
        insert.execute(params![
            source,
            row.skip.path,
            row.skip.reason.name(),
            row.skip.detail,
            row.settled,
            row.stat.map(|stat| signed(stat.size)),
            row.stat.map(|stat| stat.mtime_ns),
            row.stat.and_then(inode),
            row.stat.and_then(|stat| stat.ctime_ns),
            row.reader,
        ])?;
    }
    Ok(())
}

/// Replaces the cursor of a source, with the sync that it is of: a version of excerpt that knows no
/// cursors leaves it when it writes.
fn put_cursor(
    transaction: &Transaction<'_>,
    source: &SourceId,
    cursor: Option<(LastSync, &str)>,
) -> Result<(), StoreError> {
    let key = cursor_key(source);
    match cursor {
        Some(cursor) => transaction.execute(
            "INSERT OR REPLACE INTO meta VALUES (?1, ?2)",
            params![key, serde_json::to_string(&cursor)?],
        ),
        None => transaction.execute("DELETE FROM meta WHERE key = ?1", [key]),
    }?;
    Ok(())
}

/// The key of the cursor of a source in the table `meta`.
pub(super) fn cursor_key(source: &SourceId) -> String {
    format!("cursor {source}")
}

/// Applies a change to a document of a source. Unless it only touches the document, it gets the
/// next `rev`.
fn apply_one(
    transaction: &Transaction<'_>,
    source: i64,
    change: &Change,
    rev: &mut Revision,
) -> Result<(), StoreError> {
    match change {
        Change::Touch {
            id,
            stat,
            settled,
            encoding,
        } => touch(transaction, *id, *stat, *settled, *encoding),
        Change::Put(record) => {
            *rev = rev.next();
            put(transaction, source, record, *rev)
        }
        Change::Remove { id } => {
            *rev = rev.next();
            remove(transaction, *id, *rev)
        }
    }
}

/// Stores what has changed of a file whose text is the same.
fn touch(
    transaction: &Transaction<'_>,
    id: DocumentId,
    stat: Stat,
    settled: bool,
    encoding: Encoding,
) -> Result<(), StoreError> {
    let mut update = transaction.prepare_cached(
        "UPDATE document SET size = ?2, mtime_ns = ?3, inode = ?4, ctime_ns = ?5, settled = ?6, stat_sum = ?7 WHERE id = ?1",
    )?;
    update.execute(params![
        id,
        signed(stat.size),
        stat.mtime_ns,
        inode(stat),
        stat.ctime_ns,
        settled,
        stat_sum(stat)?
    ])?;
    let mut update = transaction
        .prepare_cached("UPDATE document SET encoding = ?2 WHERE id = ?1 AND encoding <> ?2")?;
    if update.execute(params![id, encoding.name()])? > 0 {
        sum::seal_document(transaction, id)?;
    }
    Ok(())
}

/// Stores a document with its text, chunks and links, in place of what was stored at its path.
fn put(
    transaction: &Transaction<'_>,
    source: i64,
    record: &Record,
    rev: Revision,
) -> Result<(), StoreError> {
    put_text(transaction, record)?;
    let before = match record.id {
        Some(id) => text_of(transaction, id)?,
        None => None,
    };
    let id = put_document(transaction, source, record, rev)?;
    transaction
        .prepare_cached("DELETE FROM block WHERE document = ?1")?
        .execute([id])?;
    put_facets(transaction, id, &record.facets)?;
    blocks::put(transaction, id, &record.chunks, true)?;
    put_links(transaction, id, &record.links)?;
    sum::seal_document(transaction, id)?;
    match before {
        Some(hash) if hash != record.hash.0 => drop_text(transaction, &hash),
        _ => Ok(()),
    }
}

/// Stores a text unless another document has it, too.
fn put_text(transaction: &Transaction<'_>, record: &Record) -> Result<(), StoreError> {
    let mut text = transaction
        .prepare_cached("INSERT OR IGNORE INTO text (hash, bytes, zstd) VALUES (?1, ?2, ?3)")?;
    text.execute(params![
        &record.hash.0[..],
        length(record.bytes),
        record.zstd
    ])?;
    Ok(())
}

/// Stores the row of a document, and returns its id.
fn put_document(
    transaction: &Transaction<'_>,
    source: i64,
    record: &Record,
    rev: Revision,
) -> Result<DocumentId, StoreError> {
    // A document keeps its id while its path stays, so that the keyword index can replace its
    // chunks.
    let mut document = transaction.prepare_cached(
        "INSERT INTO document (source, path, size, mtime_ns, inode, ctime_ns, stat_sum, settled, text, title, first_heading, metadata, syntax,
                               strategy, reason, warnings, identity, rev, encoding)
         VALUES (:source, :path, :size, :mtime_ns, :inode, :ctime_ns, :stat_sum, :settled, :text, :title, :first_heading, :metadata, :syntax,
                 :strategy, :reason, :warnings, :identity, :rev, :encoding)
         ON CONFLICT (source, path) DO UPDATE SET
             size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode, ctime_ns = excluded.ctime_ns,
             stat_sum = excluded.stat_sum, settled = excluded.settled, text = excluded.text,
             title = excluded.title, first_heading = excluded.first_heading, metadata = excluded.metadata,
             syntax = excluded.syntax, strategy = excluded.strategy, reason = excluded.reason, warnings = excluded.warnings,
             identity = excluded.identity, rev = excluded.rev, encoding = excluded.encoding
         RETURNING id",
    )?;
    let id = document.query_row(
        named_params! {
            ":source": source,
            ":path": record.path,
            ":size": signed(record.stat.size),
            ":mtime_ns": record.stat.mtime_ns,
            ":inode": inode(record.stat),
            ":ctime_ns": record.stat.ctime_ns,
            ":stat_sum": stat_sum(record.stat)?,
            ":settled": record.settled,
            ":text": &record.hash.0[..],
            ":title": record.title,
            ":first_heading": record.first_heading,
            ":metadata": record.metadata,
            ":syntax": record.syntax,
            ":strategy": record.strategy,
            ":reason": record.reason,
            ":warnings": record.warnings,
            ":identity": &record.identity.0[..],
            ":rev": rev,
            ":encoding": record.encoding.name(),
        },
        |row| row.get(0),
    )?;
    Ok(id)
}

/// Replaces the facets of a document.
fn put_facets(
    transaction: &Transaction<'_>,
    document: DocumentId,
    facets: &BTreeSet<(String, String)>,
) -> Result<(), StoreError> {
    transaction
        .prepare_cached("DELETE FROM facet WHERE document = ?1")?
        .execute([document])?;
    let mut facet = transaction
        .prepare_cached("INSERT INTO facet (name, value, document) VALUES (?1, ?2, ?3)")?;
    for (name, value) in facets {
        facet.execute(params![name, value, document])?;
    }
    Ok(())
}

fn remove(transaction: &Transaction<'_>, id: DocumentId, rev: Revision) -> Result<(), StoreError> {
    let text = text_of(transaction, id)?;
    transaction
        .prepare_cached("DELETE FROM document WHERE id = ?1")?
        .execute([id])?;
    let mut tombstone = transaction
        .prepare_cached("INSERT OR REPLACE INTO tombstone (document, rev) VALUES (?1, ?2)")?;
    tombstone.execute(params![id, rev])?;
    text.map_or(Ok(()), |hash| drop_text(transaction, &hash))
}

fn text_of(
    transaction: &Transaction<'_>,
    document: DocumentId,
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut select = transaction.prepare_cached("SELECT text FROM document WHERE id = ?1")?;
    Ok(select.query_row([document], |row| row.get(0)).optional()?)
}

/// Removes a text unless another document has it, too.
fn drop_text(transaction: &Transaction<'_>, hash: &[u8]) -> Result<(), StoreError> {
    let mut delete = transaction.prepare_cached(
        "DELETE FROM text WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM document WHERE text = ?1)",
    )?;
    delete.execute([hash])?;
    Ok(())
}

/// A length as a SQLite integer. Texts are far smaller than its limit.
fn length(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The checksum over the columns of [`sum::STAT`].
fn stat_sum(stat: Stat) -> Result<i64, StoreError> {
    sum::of_values(&[
        &signed(stat.size),
        &stat.mtime_ns,
        &inode(stat),
        &stat.ctime_ns,
    ])
}

/// An inode as a SQLite integer with the same bits, since a file system may use all of them.
fn inode(stat: Stat) -> Option<i64> {
    stat.inode.map(u64::cast_signed)
}
