//! How the chunks of a document are stored: in blocks of [`BLOCK`], since the rows of neighbours
//! have much in common. A block has the hashes of its chunks as they are, so that they can be
//! looked through, and everything else compressed.
//!
//! | bytes of the compressed part, for each chunk | what |
//! | --- | --- |
//! | 4 | the length of its fields, little-endian |
//! | | its [`ChunkFields`] in MessagePack |

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use excerpt_chunk::{Hash, Span};
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::database::Database;
use super::read::size;
use super::sql::signed;
use super::sum;
use crate::model::{ChunkKey, DocumentId, Revision};
use crate::store::compress::{Level, compressed, decompressed};
use crate::store::record::ChunkRow;
use crate::store::{ById, Features, StoreError, StoredChunk};

/// How many chunks share a block, except for the last one of a document. With twice as many, chunks
/// would take 4 % less, and reading a single one twice as long. It is part of the format.
pub(super) const BLOCK: usize = 16;

/// The bytes of a hash.
const HASH: usize = 16;
/// The hashes of a chunk: its id, that of its text, and that of its embedded text.
const HASHES: usize = 3 * HASH;
/// The bytes of a length.
const LENGTH: usize = 4;

/// How many bytes of blocks are kept.
const MOST_KEPT: usize = 16 << 20;

const UNREADABLE: StoreError = StoreError::Value("chunks that cannot be read");

/// What is stored of a chunk besides its hashes. Lists and warnings are JSON.
#[derive(Serialize, Deserialize)]
struct ChunkFields<'a> {
    bytes: (usize, usize),
    lines: (usize, usize),
    overlap_start: Option<usize>,
    trail: &'a str,
    sections: &'a str,
    defines: &'a str,
    header: &'a str,
    kind: &'a str,
    name: Option<&'a str>,
    language: Option<&'a str>,
    tokens: usize,
    part: (usize, usize),
    strength: &'a str,
    cut: &'a str,
    warnings: &'a str,
    #[serde(default = "nothing")]
    dates: &'a str,
}

/// The list of a field that older formats lack.
fn nothing() -> &'static str {
    "[]"
}

impl<'a> ChunkFields<'a> {
    fn of(row: &'a ChunkRow) -> Self {
        ChunkFields {
            bytes: (row.bytes.start, row.bytes.end),
            lines: row.lines,
            overlap_start: row.overlap_start,
            trail: &row.trail,
            sections: &row.sections,
            defines: &row.defines,
            header: &row.header,
            kind: &row.kind,
            name: row.name.as_deref(),
            language: row.language.as_deref(),
            tokens: row.tokens,
            part: row.part,
            strength: &row.strength,
            cut: &row.cut,
            warnings: &row.warnings,
            dates: &row.dates,
        }
    }
}

/// A chunk in a block.
struct PackedChunk<'a> {
    ordinal: usize,
    hashes: [Hash; 3],
    fields: ChunkFields<'a>,
}

impl PackedChunk<'_> {
    fn stored(&self) -> Result<StoredChunk, StoreError> {
        let fields = &self.fields;
        let [id, _, input] = self.hashes;
        let Features {
            defines,
            trail,
            sections,
            ..
        } = self.features()?;
        Ok(StoredChunk {
            ordinal: self.ordinal,
            id,
            span: Span {
                bytes: fields.bytes.0..fields.bytes.1,
                lines: fields.lines,
            },
            trail,
            sections,
            defines,
            kind: fields.kind.to_string(),
            language: fields.language.map(str::to_string),
            tokens: fields.tokens,
            embedded_from: fields.overlap_start.unwrap_or(fields.bytes.0),
            header: fields.header.to_string(),
            input,
        })
    }

    fn features(&self) -> Result<Features, StoreError> {
        Ok(Features {
            defines: list(self.fields.defines)?,
            trail: list(self.fields.trail)?,
            sections: list(self.fields.sections)?,
            dates: list(self.fields.dates)?,
        })
    }

    fn row(&self) -> ChunkRow {
        let fields = &self.fields;
        let [id, hash, input] = self.hashes;
        ChunkRow {
            id,
            bytes: fields.bytes.0..fields.bytes.1,
            lines: fields.lines,
            overlap_start: fields.overlap_start,
            trail: fields.trail.to_string(),
            sections: fields.sections.to_string(),
            defines: fields.defines.to_string(),
            header: fields.header.to_string(),
            kind: fields.kind.to_string(),
            name: fields.name.map(str::to_string),
            language: fields.language.map(str::to_string),
            tokens: fields.tokens,
            part: fields.part,
            strength: fields.strength.to_string(),
            cut: fields.cut.to_string(),
            hash,
            warnings: fields.warnings.to_string(),
            dates: fields.dates.to_string(),
            input,
        }
    }
}

fn list(json: &str) -> Result<Vec<String>, StoreError> {
    Ok(match json {
        "[]" => Vec::new(),
        json => serde_json::from_str(json)?,
    })
}

/// A block that was read.
struct ChunkBlock {
    first: usize,
    hashes: Vec<u8>,
    fields: Vec<u8>,
}

impl ChunkBlock {
    /// The block in a row, with the columns of [`sum::BLOCK`] and its checksum.
    fn of_row(row: &Row<'_>) -> Result<Self, StoreError> {
        sum::check(row, sum::BLOCK_COLUMNS)?;
        let hashes: Vec<u8> = row.get(4)?;
        if Some(hashes.len()) != size(row, 2)?.checked_mul(HASHES) {
            return Err(UNREADABLE);
        }
        let zstd = row.get_ref(6)?.as_blob().map_err(rusqlite::Error::from)?;
        Ok(ChunkBlock {
            first: size(row, 1)?,
            hashes,
            fields: decompressed(zstd, size(row, 5)?).ok_or(UNREADABLE)?,
        })
    }

    fn bytes(&self) -> usize {
        self.hashes.len() + self.fields.len()
    }

    /// Its chunks, in order.
    fn chunks(&self) -> impl Iterator<Item = Result<PackedChunk<'_>, StoreError>> {
        let mut rest = &*self.fields;
        let (all, _) = self.hashes.as_chunks::<HASHES>();
        let all = all.iter().zip(self.first..);
        all.map(move |(hashes, ordinal)| unpacked(ordinal, hashes, next(&mut rest)?))
    }

    /// One of them; the others are passed over.
    fn chunk(&self, ordinal: usize) -> Result<Option<PackedChunk<'_>>, StoreError> {
        let (all, _) = self.hashes.as_chunks::<HASHES>();
        let at = ordinal.checked_sub(self.first);
        let Some((at, hashes)) = at.and_then(|at| Some((at, all.get(at)?))) else {
            return Ok(None);
        };
        let mut rest = &*self.fields;
        for _ in 0..at {
            next(&mut rest)?;
        }
        unpacked(ordinal, hashes, next(&mut rest)?).map(Some)
    }
}

fn unpacked<'a>(
    ordinal: usize,
    hashes: &[u8; HASHES],
    fields: &'a [u8],
) -> Result<PackedChunk<'a>, StoreError> {
    let (hashes, _) = hashes.as_chunks::<HASH>();
    Ok(PackedChunk {
        ordinal,
        hashes: [0, 1, 2].map(|at| Hash(hashes[at])),
        fields: rmp_serde::from_slice(fields).map_err(|_| UNREADABLE)?,
    })
}

/// The fields of the next chunk.
fn next<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], StoreError> {
    let (length, behind) = rest.split_first_chunk::<LENGTH>().ok_or(UNREADABLE)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| UNREADABLE)?;
    let (fields, behind) = behind.split_at_checked(length).ok_or(UNREADABLE)?;
    *rest = behind;
    Ok(fields)
}

/// The hashes of a chunk in the order in which a block has them.
#[derive(Clone, Copy)]
enum ChunkHash {
    Id = 0,
    Input = 2,
}

/// One of the hashes of each chunk of a block.
fn each(hashes: &[u8], which: ChunkHash) -> impl Iterator<Item = &[u8; HASH]> {
    let (all, _) = hashes.as_chunks::<HASH>();
    all.iter().skip(which as usize).step_by(HASHES / HASH)
}

/// Everything that is stored of a chunk but the hash of its embedded text, as bytes.
pub(super) fn content(row: &ChunkRow) -> Result<Vec<u8>, StoreError> {
    let mut bytes = [row.id.0, row.hash.0].concat();
    append(&mut bytes, row)?;
    Ok(bytes)
}

fn append(bytes: &mut Vec<u8>, row: &ChunkRow) -> Result<(), StoreError> {
    let written = rmp_serde::encode::write(bytes, &ChunkFields::of(row));
    written.map_err(|_| StoreError::Value("a chunk that cannot be stored"))
}

/// Stores the chunks of a document that has none. Without a checksum, they are read as damaged.
pub(super) fn put(
    transaction: &Transaction<'_>,
    document: DocumentId,
    chunks: &[ChunkRow],
    is_sound: bool,
) -> Result<(), StoreError> {
    let mut insert = transaction.prepare_cached(&format!(
        "INSERT INTO block ({}, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        sum::BLOCK
    ))?;
    for (rows, first) in chunks.chunks(BLOCK).zip((0_u64..).step_by(BLOCK)) {
        let (mut hashes, mut fields) = (Vec::new(), Vec::new());
        for row in rows {
            hashes.extend([row.id, row.hash, row.input].iter().flat_map(|hash| hash.0));
            let start = fields.len();
            fields.extend([0; LENGTH]);
            append(&mut fields, row)?;
            let length = u32::try_from(fields.len() - start - LENGTH)
                .map_err(|_| StoreError::Value("a chunk that is too large"))?;
            fields[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
        }
        let first = signed(first);
        let count = signed(rows.len() as u64);
        let is_warned = rows.iter().any(|row| row.warnings != "[]");
        let bytes = signed(fields.len() as u64);
        let zstd = compressed(&fields, Level::Fast)?;
        let sum = sum::of_values(&[
            &document, &first, &count, &is_warned, &hashes, &bytes, &zstd,
        ])?;
        let sum = is_sound.then_some(sum);
        insert.execute(params![
            document, first, count, is_warned, hashes, bytes, zstd, sum
        ])?;
    }
    Ok(())
}

impl Database {
    /// The chunks of a document, in order.
    pub(crate) fn chunks(&self, document: DocumentId) -> Result<Vec<StoredChunk>, StoreError> {
        self.each_packed(document, |chunk| chunk.stored())
    }

    /// What is stored of the chunks of a document, in order.
    pub(super) fn chunk_rows(&self, document: DocumentId) -> Result<Vec<ChunkRow>, StoreError> {
        self.each_packed(document, |chunk| Ok(chunk.row()))
    }

    fn each_packed<T>(
        &self,
        document: DocumentId,
        mut read: impl FnMut(&PackedChunk<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut chunks = Vec::new();
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {}, sum FROM block WHERE document = ?1 ORDER BY first",
            sum::BLOCK
        ))?;
        let mut rows = select.query([document])?;
        while let Some(row) = rows.next()? {
            for chunk in ChunkBlock::of_row(row)?.chunks() {
                chunks.push(read(&chunk?)?);
            }
        }
        let mut select = self
            .connection
            .prepare_cached("SELECT chunks_sum FROM document WHERE id = ?1")?;
        let kept: Option<Option<i64>> =
            select.query_row([document], |row| row.get(0)).optional()?;
        match kept {
            // A document that was just removed has none.
            None if chunks.is_empty() => Ok(chunks),
            Some(Some(kept)) if kept == sum::of_chunks(&self.connection, document)? => Ok(chunks),
            _ => Err(StoreError::Value(
                "chunks that do not belong to their document",
            )),
        }
    }

    /// The block that starts with the chunk `first`.
    fn block(&self, first: ChunkKey) -> Result<Option<ChunkBlock>, StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {}, sum FROM block WHERE document = ?1 AND first = ?2",
            sum::BLOCK
        ))?;
        let mut rows = select.query(params![first.document, signed(first.ordinal)])?;
        rows.next()?.map(ChunkBlock::of_row).transpose()
    }

    /// The id of the chunk of a document that contains the byte at `offset`, or of the next one.
    pub(crate) fn chunk_at(
        &self,
        document: DocumentId,
        offset: usize,
    ) -> Result<Option<Hash>, StoreError> {
        let chunks =
            self.each_packed(document, |chunk| Ok((chunk.fields.bytes.1, chunk.hashes)))?;
        let found = chunks.into_iter().find(|(end, _)| *end > offset);
        Ok(found.map(|(_, [id, ..])| id))
    }

    /// The keys of chunks with ids from `first` to `last`; only a few of them, since the caller
    /// looks for a single one.
    pub(crate) fn chunks_between(
        &self,
        first: [u8; HASH],
        last: [u8; HASH],
    ) -> Result<Vec<ChunkKey>, StoreError> {
        const FEW: usize = 8;
        let sql = "SELECT document, first, hashes FROM block";
        let mut select = self.connection.prepare_cached(sql)?;
        let mut rows = select.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let document = row.get(0)?;
            let start: u64 = size(row, 1)? as u64;
            let hashes = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            let ids = each(hashes, ChunkHash::Id).zip(start..);
            let those = ids.filter(|(id, _)| (&first..=&last).contains(id));
            found.extend(those.map(|(_, ordinal)| ChunkKey { document, ordinal }));
            if found.len() >= FEW {
                break;
            }
        }
        found.truncate(FEW);
        Ok(found)
    }

    /// How many chunks each document has, and its `rev`, by id.
    pub(crate) fn chunk_counts(
        &self,
    ) -> Result<BTreeMap<DocumentId, (Revision, usize)>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT id, rev, coalesce(sum(count), 0) FROM document LEFT JOIN block ON document = id GROUP BY id",
        )?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, size(row, 2)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Calls `visit` with the lines and the warnings, as JSON, of each chunk of a document that has
    /// any.
    pub(super) fn each_warned_chunk(
        &self,
        document: DocumentId,
        mut visit: impl FnMut((usize, usize), &str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {}, sum FROM block WHERE document = ?1 AND warned ORDER BY first",
            sum::BLOCK
        ))?;
        let mut rows = select.query([document])?;
        while let Some(row) = rows.next()? {
            for chunk in ChunkBlock::of_row(row)?.chunks() {
                let PackedChunk { fields, .. } = chunk?;
                if fields.warnings != "[]" {
                    visit(fields.lines, fields.warnings)?;
                }
            }
        }
        Ok(())
    }
}

/// Reads single chunks. The blocks that were read are kept: a search asks for several chunks of a
/// block, and for a chunk more than once.
pub(crate) struct ChunkReader<'d> {
    database: &'d Database,
    /// By their first chunks.
    kept: RefCell<ById<ChunkKey, Option<Rc<ChunkBlock>>>>,
    /// The bytes of those that are kept.
    bytes: Cell<usize>,
}

impl<'d> ChunkReader<'d> {
    pub(crate) fn of(database: &'d Database) -> Self {
        ChunkReader {
            database,
            kept: RefCell::default(),
            bytes: Cell::default(),
        }
    }

    /// One chunk of a document.
    pub(crate) fn chunk(&self, key: ChunkKey) -> Result<Option<StoredChunk>, StoreError> {
        self.packed(key, |chunk| chunk.stored())
    }

    /// The properties of a chunk that affect its rank.
    pub(crate) fn features(&self, key: ChunkKey) -> Result<Option<Features>, StoreError> {
        self.packed(key, |chunk| chunk.features())
    }

    /// The hash of the embedded text of a chunk.
    pub(super) fn input(&self, key: ChunkKey) -> Result<Option<[u8; HASH]>, StoreError> {
        let at = usize::try_from(key.ordinal % BLOCK as u64).unwrap_or(usize::MAX);
        let block = self.block(key)?;
        let input = |block: &ChunkBlock| each(&block.hashes, ChunkHash::Input).nth(at).copied();
        Ok(block.as_deref().and_then(input))
    }

    fn packed<T>(
        &self,
        key: ChunkKey,
        read: impl FnOnce(&PackedChunk<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let Some(block) = self.block(key)? else {
            return Ok(None);
        };
        let ordinal = usize::try_from(key.ordinal).unwrap_or(usize::MAX);
        let chunk = block.chunk(ordinal)?;
        chunk.map(|chunk| read(&chunk)).transpose()
    }

    /// The block of a chunk.
    fn block(&self, key: ChunkKey) -> Result<Option<Rc<ChunkBlock>>, StoreError> {
        let first = ChunkKey {
            document: key.document,
            ordinal: key.ordinal - key.ordinal % BLOCK as u64,
        };
        let mut kept = self.kept.borrow_mut();
        if let Some(block) = kept.get(&first) {
            return Ok(block.clone());
        }
        let block = self.database.block(first)?.map(Rc::new);
        let bytes = block.as_ref().map_or(0, |block| block.bytes());
        if self.bytes.get() + bytes > MOST_KEPT {
            kept.clear();
            self.bytes.set(0);
        }
        if bytes <= MOST_KEPT {
            self.bytes.set(self.bytes.get() + bytes);
            kept.insert(first, block.clone());
        }
        Ok(block)
    }
}

/// Calls `visit` with the hash of the embedded text of each chunk.
pub(super) fn each_input(
    transaction: &Transaction<'_>,
    mut visit: impl FnMut(&[u8; HASH]),
) -> Result<(), StoreError> {
    let mut select = transaction.prepare("SELECT hashes FROM block")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let hashes = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        each(hashes, ChunkHash::Input).for_each(&mut visit);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SyncOptions;
    use crate::store::local::Store;
    use crate::{Index, OpenOptions, quiet};

    /// A store of one document with three blocks of chunks, the last of which is not full.
    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let (root, index) = (dir.path().join("notes"), dir.path().join("index"));
        std::fs::create_dir(&root).unwrap();
        let chapter = |number| format!("# Chapter {number}\n\n{}\n", "Some words. ".repeat(140));
        let text: String = (0..2 * BLOCK + 3).map(chapter).collect();
        std::fs::write(root.join("book.md"), text).unwrap();
        let mut made = Index::open(&index, OpenOptions::create()).unwrap();
        made.sync(&root, &SyncOptions::default(), quiet).unwrap();
        drop(made);
        (dir, Store::open(&index).unwrap())
    }

    #[test]
    fn each_chunk_is_found_by_its_place_its_id_and_its_bytes() {
        let (_dir, store) = store();
        let database = &store.database;
        let document = DocumentId(1);
        let chunks = database.chunks(document).unwrap();
        let rows = database.chunk_rows(document).unwrap();
        let single = ChunkReader::of(database);
        assert!(chunks.len() > 2 * BLOCK && chunks.len() % BLOCK != 0);
        assert_eq!(chunks.len(), rows.len());
        assert_eq!(database.chunk_count(document).unwrap(), chunks.len());
        for ((ordinal, chunk), row) in (0..).zip(&chunks).zip(&rows) {
            let key = ChunkKey { document, ordinal };
            let one = single.chunk(key).unwrap().unwrap();
            assert_eq!((one.ordinal as u64, one.id), (ordinal, chunk.id));
            assert_eq!((&one.span, &one.trail), (&chunk.span, &chunk.trail));
            let features = single.features(key).unwrap().unwrap();
            assert_eq!(features.sections, chunk.sections);
            assert_eq!(single.input(key).unwrap(), Some(chunk.input.0));
            assert_eq!((row.id, row.input), (chunk.id, chunk.input));
            let found = database.chunks_between(chunk.id.0, chunk.id.0).unwrap();
            assert_eq!(found, [key]);
            let middle = (chunk.bytes().start + chunk.bytes().end) / 2;
            assert_eq!(database.chunk_at(document, middle).unwrap(), Some(chunk.id));
        }
        for ordinal in [chunks.len() as u64, 999, u64::MAX] {
            let key = ChunkKey { document, ordinal };
            assert!(single.chunk(key).unwrap().is_none());
            assert_eq!(single.input(key).unwrap(), None);
        }
    }

    #[test]
    fn what_is_shorter_than_stated_is_not_read() {
        let (_dir, store) = store();
        let database = &store.database;
        let sql = format!("SELECT {}, sum FROM block", sum::BLOCK);
        let mut select = database.connection.prepare(&sql).unwrap();
        let mut rows = select.query([]).unwrap();
        let whole = ChunkBlock::of_row(rows.next().unwrap().unwrap()).unwrap();
        for length in 0..whole.fields.len() {
            let block = ChunkBlock {
                first: 0,
                hashes: whole.hashes.clone(),
                fields: whole.fields[..length].to_vec(),
            };
            assert!(block.chunks().any(|chunk| chunk.is_err()));
            assert!(block.chunk(BLOCK - 1).is_err());
        }
    }
}
