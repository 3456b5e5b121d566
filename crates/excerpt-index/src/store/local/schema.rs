//! The tables of the database, and the migrations from each format to the next.

use excerpt_chunk::Hash;
use rusqlite::{Connection, Row, Transaction, TransactionBehavior};

use super::blocks;
use super::read::{hash, size};
use super::sum::{self, Sum};
use crate::store::StoreError;
use crate::store::record::ChunkRow;

/// The application id of our SQLite files: `xcrp`.
pub(super) const APPLICATION_ID: i64 = 0x7863_7270;

/// The newest format: the number of [`MIGRATIONS`].
pub(super) const FORMAT: i64 = MIGRATIONS.len() as i64;

/// The statements that migrate format `i` to format `i + 1`. A released one is never edited.
const MIGRATIONS: [&str; 11] = [
    FORMAT_1, FORMAT_2, FORMAT_3, FORMAT_4, FORMAT_5, FORMAT_6, FORMAT_7, FORMAT_8, FORMAT_9,
    FORMAT_10, FORMAT_11,
];

/// The first format with checksums.
const WITH_SUMS: usize = 5;

/// The first format with [blocks] of chunks.
const WITH_BLOCKS: usize = 7;

/// Times of syncs are seconds, times of files nanoseconds, since 1970. `settled` is 1 when the size
/// and time of a file can be trusted: it was last changed well before it was read. Every change of
/// a document gets the next `rev`; a removed document leaves a tombstone with it until the keyword
/// index is certainly up to date.
const FORMAT_1: &str = "
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    root TEXT NOT NULL UNIQUE,
    started INTEGER,
    finished INTEGER
) STRICT;

CREATE TABLE text (
    hash BLOB PRIMARY KEY,
    bytes INTEGER NOT NULL,
    zstd BLOB NOT NULL
) STRICT;

CREATE TABLE document (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source INTEGER NOT NULL REFERENCES source (id),
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    text BLOB NOT NULL REFERENCES text (hash),
    title TEXT,
    first_heading TEXT,
    metadata TEXT NOT NULL,
    syntax TEXT NOT NULL,
    strategy TEXT NOT NULL,
    reason TEXT NOT NULL,
    warnings TEXT NOT NULL,
    identity BLOB NOT NULL,
    rev INTEGER NOT NULL,
    UNIQUE (source, path)
) STRICT;
CREATE INDEX document_by_rev ON document (rev);
CREATE INDEX document_by_text ON document (text);

CREATE TABLE chunk (
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    id BLOB NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    overlap_start INTEGER,
    trail TEXT NOT NULL,
    sections TEXT NOT NULL,
    header TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT,
    language TEXT,
    tokens INTEGER NOT NULL,
    part INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    strength TEXT NOT NULL,
    cut TEXT NOT NULL,
    hash BLOB NOT NULL,
    warnings TEXT NOT NULL,
    PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE skip (
    source INTEGER NOT NULL REFERENCES source (id),
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT,
    size INTEGER,
    mtime_ns INTEGER,
    settled INTEGER NOT NULL
) STRICT;
CREATE INDEX skip_by_source ON skip (source, path);

CREATE TABLE tombstone (
    document INTEGER PRIMARY KEY,
    rev INTEGER NOT NULL
) STRICT;
CREATE INDEX tombstone_by_rev ON tombstone (rev);

INSERT INTO meta VALUES ('store', randomblob(16)), ('rev', 0), ('pruned', 0);
";

/// The names that a chunk defines. Older chunks have none, and are created again: they were split
/// by another version.
const FORMAT_2: &str = "
ALTER TABLE chunk ADD COLUMN defines TEXT NOT NULL DEFAULT '[]';
";

/// The vectors: for each embedded string, its `numbers` as signed bytes, or why the embedder
/// `refused` it. The `input` of a chunk is the hash of its embedded text; the key is that hash with
/// the embedder's identity. Older chunks have none, so all documents are split again.
const FORMAT_3: &str = "
ALTER TABLE chunk ADD COLUMN input BLOB NOT NULL DEFAULT x'';
UPDATE document SET identity = zeroblob(16);

CREATE TABLE vector (
    key BLOB PRIMARY KEY,
    numbers BLOB,
    refused TEXT
) STRICT, WITHOUT ROWID;
";

/// A source may be a collection: it then has a `name`; `summary` is the summary from its last sync,
/// as JSON. A `facet` is a value to filter by. A `link` leads from the byte `start` of a document
/// to the document at the path `target` of the same source, whether that exists or not, and to a
/// `section` of it, as written after `#`; if it is `wiki`, to the document with this name, in lower
/// case. Older documents have neither, so all are split again.
const FORMAT_4: &str = "
ALTER TABLE source ADD COLUMN name TEXT;
ALTER TABLE source ADD COLUMN summary TEXT;
CREATE UNIQUE INDEX source_by_name ON source (name);
UPDATE document SET identity = zeroblob(16);
CREATE INDEX document_by_identity ON document (source, identity);

CREATE TABLE facet (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    PRIMARY KEY (name, value, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX facet_by_document ON facet (document);

CREATE TABLE link (
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    target TEXT NOT NULL,
    section TEXT,
    wiki INTEGER NOT NULL,
    PRIMARY KEY (document, start)
) STRICT, WITHOUT ROWID;

-- Vectors in the order in which they come: by their keys, which are hashes, each of a batch would change another page.
ALTER TABLE vector RENAME TO vector_before;
CREATE TABLE vector (
    key BLOB PRIMARY KEY,
    numbers BLOB,
    refused TEXT
) STRICT;
INSERT INTO vector SELECT key, numbers, refused FROM vector_before;
DROP TABLE vector_before;

CREATE INDEX link_by_target ON link (target);
";

/// The encoding of a document's file; its `inode`, as the signed number with the same bits, and its
/// `ctime_ns`, both null where the system has none. For older files none of this is known, so all
/// are read once more. And the [checksums](super::sum) over rows: those of existing rows are
/// written by [`migrate`].
const FORMAT_5: &str = "
ALTER TABLE document ADD COLUMN encoding TEXT NOT NULL DEFAULT 'utf-8';
ALTER TABLE document ADD COLUMN inode INTEGER;
ALTER TABLE document ADD COLUMN ctime_ns INTEGER;
UPDATE document SET settled = 0;
ALTER TABLE skip ADD COLUMN inode INTEGER;
ALTER TABLE skip ADD COLUMN ctime_ns INTEGER;
UPDATE skip SET settled = 0;
ALTER TABLE document ADD COLUMN chunks_sum INTEGER;
ALTER TABLE document ADD COLUMN facets_sum INTEGER;
ALTER TABLE document ADD COLUMN links_sum INTEGER;
ALTER TABLE document ADD COLUMN stat_sum INTEGER;
ALTER TABLE document ADD COLUMN sum INTEGER;
ALTER TABLE chunk ADD COLUMN sum INTEGER;
ALTER TABLE vector ADD COLUMN sum INTEGER;
ALTER TABLE source ADD COLUMN skips_sum INTEGER;
ALTER TABLE source ADD COLUMN sum INTEGER;
";

/// What would have read a skipped file. Readers read some files that older versions took for source
/// code, so all are read once more.
const FORMAT_6: &str = "
ALTER TABLE skip ADD COLUMN reader TEXT;
UPDATE skip SET settled = 0;
UPDATE document SET settled = 0;
";

/// [Blocks](blocks) of chunks in place of a row for each: the `count` chunks of a document from the
/// ordinal `first` on, with their `hashes`, and the rest of them in `zstd`, which takes `bytes`
/// without compression; `warned` is 1 if a chunk has warnings. [`fill_blocks`] moves existing
/// chunks. And an index of the documents that are source code, which each search counts.
const FORMAT_7: &str = "
CREATE TABLE block (
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    warned INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    zstd BLOB NOT NULL,
    sum INTEGER,
    PRIMARY KEY (document, first)
) STRICT;

CREATE INDEX document_of_code ON document (syntax) WHERE syntax = 'code';
";

/// Indexes to count all chunks and bytes by: without them, that reads the whole database.
const FORMAT_8: &str = "
CREATE INDEX block_by_count ON block (document, count);
CREATE INDEX text_by_bytes ON text (bytes);
";

/// An index to weigh code against prose by, in place of one for code alone.
const FORMAT_9: &str = "
DROP INDEX document_of_code;
CREATE INDEX document_by_syntax ON document (syntax, size);
";

/// The [form](crate::store::LinkForm) of a link: also by a label; and the labels themselves, as
/// links that lead nowhere. Their `section` is the label as written.
const FORMAT_10: &str = "
ALTER TABLE link RENAME COLUMN wiki TO form;
";

/// The dates of a chunk, as the last of its fields in a [block](blocks). Older chunks have none,
/// and are created again: they were split by another version.
const FORMAT_11: &str = "";

/// Migrates the database from any format to the newest, all or nothing. Processes that try it at
/// once wait for each other: the second finds nothing left to do.
pub(super) fn migrate(connection: &Connection) -> Result<(), StoreError> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let from = transaction.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))?;
    // A process that waited for another must not write the same again: that would interfere with
    // the steps of the process that continues to write.
    if from == FORMAT {
        return Ok(());
    }
    let done = usize::try_from(from).unwrap_or(0);
    for statements in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(statements)?;
    }
    if done < WITH_BLOCKS {
        fill_blocks(&transaction, done >= WITH_SUMS)?;
    }
    if done < WITH_SUMS {
        sum::fill(&transaction)?;
    }
    // What a migration asks for may be that files are compared that have not changed.
    transaction.execute("DELETE FROM meta WHERE key GLOB 'cursor *'", [])?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    // This distinguishes a damaged header from a newer format.
    transaction.execute(
        "INSERT OR REPLACE INTO meta VALUES ('format', ?1)",
        [FORMAT],
    )?;
    Ok(transaction.commit()?)
}

/// The columns of a chunk up to format 6, which had a row for each.
const COLUMNS: &str =
    "document, ordinal, id, start, end, first_line, last_line, overlap_start, trail, sections, header, kind, name, language,
    tokens, part, parts, strength, cut, hash, warnings, defines, input";
const COLUMN_COUNT: usize = 23;

/// Moves the chunks of a database of format 6 into blocks, and seals their documents if the
/// database has checksums. What does not match its checksum stays damaged.
fn fill_blocks(transaction: &Transaction<'_>, has_sums: bool) -> Result<(), StoreError> {
    for document in sum::ids(transaction, "SELECT id FROM document")? {
        let mut is_sound = true;
        let mut chunks = Vec::new();
        let mut sums = Sum::default();
        {
            let mut select = transaction.prepare_cached(&format!(
                "SELECT {COLUMNS}, sum FROM chunk WHERE document = ?1 ORDER BY ordinal"
            ))?;
            let mut rows = select.query([document])?;
            while let Some(row) = rows.next()? {
                is_sound &= !has_sums || sum::check(row, COLUMN_COUNT).is_ok();
                sums.add(row.get_ref(COLUMN_COUNT)?);
                match chunk_row(row) {
                    Ok(chunk) => chunks.push(chunk),
                    Err(_) => is_sound = false,
                }
            }
        }
        if has_sums {
            let columns = sum::DOCUMENT;
            let sql = format!("SELECT {columns}, sum, chunks_sum FROM document WHERE id = ?1");
            let mut select = transaction.prepare_cached(&sql)?;
            let mut rows = select.query([document])?;
            if let Some(row) = rows.next()? {
                let kept: Option<i64> = row.get(sum::DOCUMENT_COLUMNS + 1)?;
                is_sound &= kept == Some(sums.end());
                is_sound &= sum::check(row, sum::DOCUMENT_COLUMNS).is_ok();
            }
        }
        blocks::put(transaction, document, &chunks, is_sound)?;
        if has_sums && is_sound {
            sum::seal_document(transaction, document)?;
        }
    }
    Ok(transaction.execute_batch("DROP TABLE chunk")?)
}

/// The chunk in a row with [`COLUMNS`]. The oldest have no hash of what is embedded.
fn chunk_row(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    let overlap_start = row.get::<_, Option<i64>>(7)?;
    let input: Vec<u8> = row.get(22)?;
    Ok(ChunkRow {
        id: hash(row, 2)?,
        bytes: size(row, 3)?..size(row, 4)?,
        lines: (size(row, 5)?, size(row, 6)?),
        overlap_start: overlap_start.and_then(|start| usize::try_from(start).ok()),
        trail: row.get(8)?,
        sections: row.get(9)?,
        dates: "[]".to_string(),
        header: row.get(10)?,
        kind: row.get(11)?,
        name: row.get(12)?,
        language: row.get(13)?,
        tokens: size(row, 14)?,
        part: (size(row, 15)?, size(row, 16)?),
        strength: row.get(17)?,
        cut: row.get(18)?,
        hash: hash(row, 19)?,
        warnings: row.get(20)?,
        defines: row.get(21)?,
        input: Hash(input.try_into().unwrap_or_default()),
    })
}
