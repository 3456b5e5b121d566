//! Questions to the truth.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;

use excerpt_chunk::{Hash, Span};
use rusqlite::types::ValueRef;
use rusqlite::{DropBehavior, OptionalExtension, Row, Transaction, params, params_from_iter};
use serde_json::{Map, Value};

use super::collect::Documents;
use super::compress::decompressed;
use super::fault::Fault;
use super::record::{Known, SkipRow, input};
use super::truth::{Code, Truth};
use super::vectors::Key;
use crate::error::Error;
use crate::model::{LastSync, Skip, SkipReason, Stat};

/// A document as the truth has it, without its text.
#[derive(Clone, Debug)]
pub(crate) struct StoredDocument {
    pub(crate) id: i64,
    pub(crate) source: i64,
    pub(crate) root: String,
    /// The name of the collection that the source is.
    pub(crate) collection: Option<String>,
    pub(crate) path: String,
    pub(crate) title: Option<String>,
    pub(crate) first_heading: Option<String>,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) syntax: String,
    pub(crate) text: Hash,
    pub(crate) rev: i64,
}

/// A source as the truth has it.
#[derive(Clone, Debug)]
pub(crate) struct StoredSource {
    pub(crate) id: i64,
    pub(crate) root: String,
    /// The name of the collection that it is.
    pub(crate) name: Option<String>,
    pub(crate) last_sync: Option<LastSync>,
}

/// A chunk as the truth has it, without its text.
#[derive(Clone, Debug)]
pub(crate) struct StoredChunk {
    pub(crate) ordinal: usize,
    pub(crate) id: Hash,
    pub(crate) span: Span,
    pub(crate) trail: Vec<String>,
    pub(crate) sections: Vec<String>,
    pub(crate) defines: Vec<String>,
    pub(crate) kind: String,
    pub(crate) language: Option<String>,
    pub(crate) tokens: usize,
    /// Where the text begins that is embedded: that of the overlap, if there is one.
    pub(crate) embedded_from: usize,
    pub(crate) header: String,
    pub(crate) input: Vec<u8>,
}

/// Counts over the documents of a source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) documents: usize,
    pub(crate) chunks: usize,
}

/// What of a chunk has a say in its rank.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    pub(crate) defines: Vec<String>,
}

impl StoredDocument {
    /// Whether it is source code.
    pub(crate) fn is_code(&self) -> bool {
        self.syntax == "code"
    }
}

/// With a join in place of the inner question, SQLite would prepare it anew for each document.
const DOCUMENT: &str = "
    SELECT id, (SELECT root FROM source WHERE source.id = document.source) AS root, path, title, first_heading, metadata,
           text, rev, syntax, (SELECT name FROM source WHERE source.id = document.source), source
    FROM document";

impl Truth {
    /// Holds the state of this moment until it is dropped: all questions see the same, and none has to see to it for itself.
    pub(crate) fn snapshot(&self) -> Result<Transaction<'_>, Fault> {
        let mut snapshot = self.connection.unchecked_transaction()?;
        snapshot.set_drop_behavior(DropBehavior::Commit);
        Ok(snapshot)
    }

    /// The id that tells this store from every other.
    pub(crate) fn id(&self) -> Result<String, Fault> {
        let sql = "SELECT lower(hex(value)) FROM meta WHERE key = 'store'";
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// The `rev` of the latest change.
    pub(crate) fn rev(&self) -> Result<i64, Fault> {
        self.number("rev")
    }

    /// The `rev` up to which tombstones have been forgotten.
    pub(crate) fn pruned(&self) -> Result<i64, Fault> {
        self.number("pruned")
    }

    fn number(&self, key: &str) -> Result<i64, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        Ok(select.query_row([key], |row| row.get(0))?)
    }

    /// The hash over the files of the keyword index when they were last known to be sound.
    pub(crate) fn seal(&self) -> Result<Option<Hash>, Fault> {
        let select =
            self.connection
                .query_row("SELECT value FROM meta WHERE key = 'seal'", [], |row| {
                    hash(row, 0)
                });
        Ok(select.optional()?)
    }

    /// The id of the source at `root`.
    pub(crate) fn source(&self, root: &str) -> Result<Option<i64>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT id FROM source WHERE root = ?1")?;
        Ok(select.query_row([root], |row| row.get(0)).optional()?)
    }

    /// The id of the source that must be at `root`.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSource`] when there is none.
    pub(crate) fn source_at(&self, root: &Path) -> Result<i64, Fault> {
        let sources = self.sources()?;
        let mut all = sources.iter();
        let found = all.find(|source| root.as_os_str() == &*source.root);
        let unknown = || Error::UnknownSource {
            path: root.to_path_buf(),
            sources: sources.iter().map(|source| (&source.root).into()).collect(),
        };
        Ok(found.ok_or_else(unknown)?.id)
    }

    /// The sources, by root.
    pub(crate) fn sources(&self) -> Result<Vec<StoredSource>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT id, root, started, finished, name FROM source ORDER BY root")?;
        let rows = select.query_map([], |row| {
            let started: Option<i64> = row.get(2)?;
            let finished = row.get(3)?;
            Ok(StoredSource {
                id: row.get(0)?,
                root: row.get(1)?,
                name: row.get(4)?,
                last_sync: started.map(|started| LastSync { started, finished }),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The last sync of a source; none while the first one has not begun to write.
    pub(crate) fn last_sync(&self, source: i64) -> Result<Option<LastSync>, Fault> {
        let sql = "SELECT started, finished FROM source WHERE id = ?1";
        Ok(self.connection.query_row(sql, [source], |row| {
            let (started, finished): (Option<i64>, _) = (row.get(0)?, row.get(1)?);
            Ok(started.map(|started| LastSync { started, finished }))
        })?)
    }

    /// The documents of a source behind the path `after`, by path, at most `limit`.
    pub(crate) fn known(
        &self,
        source: i64,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Known>, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT id, path, size, mtime_ns, settled, text, identity FROM document
             WHERE source = ?1 AND (?2 IS NULL OR path > ?2) ORDER BY path LIMIT ?3",
        )?;
        let rows = select.query_map(
            params![source, after, i64::try_from(limit).unwrap_or(i64::MAX)],
            |row| {
                Ok(Known {
                    id: row.get(0)?,
                    path: row.get(1)?,
                    stat: Stat {
                        size: unsigned(row, 2)?,
                        mtime_ns: row.get(3)?,
                    },
                    settled: row.get(4)?,
                    hash: hash(row, 5)?,
                    identity: hash(row, 6)?,
                })
            },
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What was left out of a source, by path.
    pub(crate) fn skips(&self, source: i64) -> Result<Vec<SkipRow>, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT path, reason, detail, size, mtime_ns, settled FROM skip WHERE source = ?1 ORDER BY path, rowid",
        )?;
        let mut rows = select.query([source])?;
        let mut skips = Vec::new();
        while let Some(row) = rows.next()? {
            let reason: String = row.get(1)?;
            let size: Option<u64> = row
                .get::<_, Option<i64>>(3)?
                .and_then(|size| u64::try_from(size).ok());
            let mtime_ns: Option<i64> = row.get(4)?;
            skips.push(SkipRow {
                skip: Skip {
                    path: row.get(0)?,
                    reason: SkipReason::of_name(&reason)
                        .ok_or(Fault::Value("an unknown reason of a skip"))?,
                    detail: row.get(2)?,
                },
                stat: size
                    .zip(mtime_ns)
                    .map(|(size, mtime_ns)| Stat { size, mtime_ns }),
                settled: row.get(5)?,
            });
        }
        Ok(skips)
    }

    /// How much was left out of a source, by reason.
    pub(crate) fn skip_counts(&self, source: i64) -> Result<BTreeMap<SkipReason, usize>, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT reason, count(*) FROM skip WHERE source = ?1 GROUP BY reason",
        )?;
        let mut rows = select.query([source])?;
        let mut counts = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let reason: String = row.get(0)?;
            let reason =
                SkipReason::of_name(&reason).ok_or(Fault::Value("an unknown reason of a skip"))?;
            counts.insert(reason, size(row, 1)?);
        }
        Ok(counts)
    }

    /// The ids of documents changed after `rev`, in the order of change, at most `limit`, each with its `rev`.
    pub(crate) fn changed(&self, rev: i64, limit: usize) -> Result<Vec<(i64, i64)>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT id, rev FROM document WHERE rev > ?1 ORDER BY rev LIMIT ?2")?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = select.query_map([rev, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many documents of the source at `root` were cut by other settings than `identity` says, as far as `most`.
    pub(crate) fn stale_count(
        &self,
        root: &str,
        identity: Hash,
        most: usize,
    ) -> Result<usize, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT count(*) FROM (
                 SELECT 1 FROM document JOIN source ON source.id = source
                 WHERE root = ?1 AND (identity < ?2 OR identity > ?2) LIMIT ?3)",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Ok(select.query_row(params![root, &identity.0[..], most], |row| size(row, 0))?)
    }

    /// How many documents were changed after `rev`.
    pub(crate) fn changed_count(&self, rev: i64) -> Result<usize, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT count(*) FROM document WHERE rev > ?1")?;
        Ok(select.query_row([rev], |row| size(row, 0))?)
    }

    /// How many documents have not been changed after `rev`.
    pub(crate) fn unchanged_count(&self, rev: i64) -> Result<usize, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT count(*) FROM document WHERE rev <= ?1")?;
        Ok(select.query_row([rev], |row| size(row, 0))?)
    }

    /// The ids of documents removed after `rev`.
    pub(crate) fn removed(&self, rev: i64) -> Result<Vec<i64>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT document FROM tombstone WHERE rev > ?1")?;
        let rows = select.query_map([rev], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A document.
    pub(crate) fn document(&self, id: i64) -> Result<Option<StoredDocument>, Fault> {
        let mut select = self
            .connection
            .prepare_cached(&format!("{DOCUMENT} WHERE id = ?1"))?;
        let found = select.query_row([id], |row| Ok(document(row))).optional()?;
        found.transpose()
    }

    /// The documents at `path`, one a source, by root.
    pub(crate) fn documents_at(&self, path: &str) -> Result<Vec<StoredDocument>, Fault> {
        let mut select = self
            .connection
            .prepare_cached(&format!("{DOCUMENT} WHERE path = ?1 ORDER BY root"))?;
        let mut rows = select.query([path])?;
        let mut documents = Vec::new();
        while let Some(row) = rows.next()? {
            documents.push(document(row)?);
        }
        Ok(documents)
    }

    /// The document at `path` in a source.
    pub(crate) fn document_at(
        &self,
        source: i64,
        path: &str,
    ) -> Result<Option<StoredDocument>, Fault> {
        let mut select = self
            .connection
            .prepare_cached(&format!("{DOCUMENT} WHERE source = ?1 AND path = ?2"))?;
        let found = select
            .query_row(params![source, path], |row| Ok(document(row)))
            .optional()?;
        found.transpose()
    }

    /// Calls `visit` with the path of every document of a source, or of all.
    pub(crate) fn each_path(
        &self,
        source: Option<i64>,
        mut visit: impl FnMut(&str),
    ) -> Result<(), Fault> {
        let sql = "SELECT path FROM document WHERE ?1 IS NULL OR source = ?1 ORDER BY path";
        let mut select = self.connection.prepare_cached(sql)?;
        let mut rows = select.query([source])?;
        while let Some(row) = rows.next()? {
            let path = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            visit(path);
        }
        Ok(())
    }

    /// The chunks of a document, in order.
    pub(crate) fn chunks(&self, document: i64) -> Result<Vec<StoredChunk>, Fault> {
        self.chunks_where("document = ?1 ORDER BY ordinal", &[document])
    }

    /// One chunk of a document.
    pub(crate) fn chunk(&self, document: i64, ordinal: u64) -> Result<Option<StoredChunk>, Fault> {
        let ordinal = i64::try_from(ordinal).unwrap_or(i64::MAX);
        let condition = "document = ?1 AND ordinal = ?2";
        Ok(self.chunks_where(condition, &[document, ordinal])?.pop())
    }

    /// Where the chunks are whose ids lie from `first` to `last`, as document and ordinal, a few at most: more tell nothing new to one who looks for a
    /// single one.
    pub(crate) fn chunks_between(
        &self,
        first: [u8; 16],
        last: [u8; 16],
    ) -> Result<Vec<(i64, u64)>, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT document, ordinal FROM chunk WHERE id BETWEEN ?1 AND ?2 LIMIT 8",
        )?;
        let rows = select.query_map([&first[..], &last[..]], |row| {
            Ok((row.get(0)?, unsigned(row, 1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The id of the chunk of a document that holds the byte at `offset`, or of the next one.
    pub(crate) fn chunk_at(&self, document: i64, offset: usize) -> Result<Option<Hash>, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT id FROM chunk WHERE document = ?1 AND end > ?2 ORDER BY ordinal LIMIT 1",
        )?;
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        let found = select.query_row([document, offset], |row| hash(row, 0));
        Ok(found.optional()?)
    }

    /// What of a chunk has a say in its rank.
    pub(crate) fn features(&self, document: u64, ordinal: u64) -> Result<Option<Features>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT defines FROM chunk WHERE document = ?1 AND ordinal = ?2")?;
        let place = [document, ordinal].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let mut rows = select.query(place)?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let defines = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        Ok(Some(Features {
            defines: match defines {
                "[]" => Vec::new(),
                defines => serde_json::from_str(defines)?,
            },
        }))
    }

    fn chunks_where(
        &self,
        condition: &'static str,
        numbers: &[i64],
    ) -> Result<Vec<StoredChunk>, Fault> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT ordinal, id, start, end, first_line, last_line, trail, sections, kind, language, tokens, defines, header, input,
                    coalesce(overlap_start, start)
             FROM chunk WHERE {condition}"
        ))?;
        let mut rows = select.query(params_from_iter(numbers))?;
        let mut chunks = Vec::new();
        while let Some(row) = rows.next()? {
            chunks.push(StoredChunk {
                ordinal: size(row, 0)?,
                id: hash(row, 1)?,
                span: Span {
                    bytes: size(row, 2)?..size(row, 3)?,
                    lines: (size(row, 4)?, size(row, 5)?),
                },
                trail: serde_json::from_str(
                    row.get_ref(6)?.as_str().map_err(rusqlite::Error::from)?,
                )?,
                sections: serde_json::from_str(
                    row.get_ref(7)?.as_str().map_err(rusqlite::Error::from)?,
                )?,
                kind: row.get(8)?,
                language: row.get(9)?,
                tokens: size(row, 10)?,
                defines: serde_json::from_str(
                    row.get_ref(11)?.as_str().map_err(rusqlite::Error::from)?,
                )?,
                header: row.get(12)?,
                input: row.get(13)?,
                embedded_from: size(row, 14)?,
            });
        }
        Ok(chunks)
    }

    /// What `look` sees in the numbers of a vector: nothing inside when the embedder refused the string, nothing at all when it is not there.
    pub(super) fn vector<T>(
        &self,
        key: Key,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<Option<T>>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT numbers FROM vector WHERE key = ?1")?;
        let found = select.query_row([&key.0[..]], |row| {
            Ok(row.get_ref(0)?.as_blob_or_null()?.map(look))
        });
        Ok(found.optional()?)
    }

    /// What `look` sees in the numbers of a chunk's vector; nothing when there are none.
    pub(super) fn vector_of<T>(
        &self,
        embedder: &str,
        document: u64,
        ordinal: u64,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT input FROM chunk WHERE document = ?1 AND ordinal = ?2")?;
        let place = [document, ordinal].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let key = select.query_row(place, |row| {
            let input = row.get_ref(0)?.as_blob()?;
            Ok(Key::new(embedder, input))
        });
        match key.optional()? {
            Some(key) => Ok(self.vector(key, look)?.flatten()),
            None => Ok(None),
        }
    }

    /// Whether most of these documents are source code, of all when none are given. What is code is read once for each `rev`.
    pub(crate) fn mostly_code(&self, documents: Option<&Documents>) -> Result<bool, Fault> {
        let rev = self.rev()?;
        let mut known = self.code.borrow_mut();
        if known.as_ref().is_none_or(|code| code.rev != rev) {
            *known = Some(self.read_code(rev)?);
        }
        let Some(code) = &*known else {
            return Ok(false);
        };
        Ok(match documents {
            None => 2 * code.documents.len() > code.total,
            Some(some) => {
                let among = some.iter().filter(|id| code.documents.contains(id)).count();
                2 * among > some.len()
            }
        })
    }

    fn read_code(&self, rev: i64) -> Result<Code, Fault> {
        let mut code = Code {
            rev,
            total: 0,
            documents: Documents::default(),
        };
        let mut select = self
            .connection
            .prepare_cached("SELECT id, syntax = 'code' FROM document")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            code.total += 1;
            if row.get(1)? {
                code.documents.insert(row.get::<_, i64>(0)?.unsigned_abs());
            }
        }
        Ok(code)
    }

    /// Why the embedder gave no vectors at the last sync; none when it did.
    pub(crate) fn failure(&self) -> Result<Option<String>, Fault> {
        let sql = "SELECT value FROM meta WHERE key = 'vectors_failure'";
        Ok(self
            .connection
            .query_row(sql, [], |row| row.get(0))
            .optional()?)
    }

    /// How many strings the embedder refused, with the reason for one of them.
    pub(crate) fn refused(&self) -> Result<(usize, Option<String>), Fault> {
        let sql = "SELECT count(*), max(refused) FROM vector WHERE refused IS NOT NULL";
        let found = self
            .connection
            .query_row(sql, [], |row| Ok((size(row, 0)?, row.get(1)?)));
        Ok(found?)
    }

    /// The ids of the documents at `path` or under it, in a source.
    pub(crate) fn documents_under(&self, source: i64, path: &str) -> Result<Vec<i64>, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT id FROM document WHERE source = ?1 AND (?2 = '' OR path = ?2 OR (path > ?2 || '/' AND path < ?2 || '0'))",
        )?;
        let rows = select.query_map(params![source, path], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The ids of the documents that have a facet of that name with one of the values.
    pub(crate) fn with_facet(&self, name: &str, values: &[String]) -> Result<HashSet<i64>, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT document FROM facet WHERE name = ?1 AND value = ?2")?;
        let mut documents = HashSet::new();
        for value in values {
            let rows = select.query_map([name, value], |row| row.get::<_, i64>(0))?;
            documents.extend(rows.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(documents)
    }

    /// Calls `visit` with each document that has a facet of that name, and its value, document by document.
    pub(crate) fn each_facet(
        &self,
        name: &str,
        mut visit: impl FnMut(i64, &str),
    ) -> Result<(), Fault> {
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

    /// A text.
    pub(crate) fn text(&self, hash: Hash) -> Result<String, Fault> {
        let mut select = self
            .connection
            .prepare_cached("SELECT bytes, zstd FROM text WHERE hash = ?1")?;
        let (bytes, zstd): (usize, Vec<u8>) =
            select.query_row([&hash.0[..]], |row| Ok((size(row, 0)?, row.get(1)?)))?;
        let text = decompressed(&zstd, bytes);
        let text = text.ok_or(Fault::Value("a text that cannot be decompressed"))?;
        if Hash::of(&text) != hash {
            return Err(Fault::Value("a text that is not what was kept"));
        }
        String::from_utf8(text).map_err(|_| Fault::Value("a text that is not UTF-8"))
    }

    /// How many documents and chunks a source has.
    pub(crate) fn counts(&self, source: i64) -> Result<Counts, Fault> {
        let mut documents = self
            .connection
            .prepare_cached("SELECT count(*) FROM document WHERE source = ?1")?;
        let mut chunks = self.connection.prepare_cached(
            "SELECT count(*) FROM chunk JOIN document ON document.id = chunk.document WHERE source = ?1",
        )?;
        Ok(Counts {
            documents: documents.query_row([source], |row| size(row, 0))?,
            chunks: chunks.query_row([source], |row| size(row, 0))?,
        })
    }

    /// The bytes of all texts.
    pub(crate) fn text_bytes(&self) -> Result<u64, Fault> {
        let sql = "SELECT coalesce(sum(bytes), 0) FROM text";
        Ok(self.connection.query_row(sql, [], |row| unsigned(row, 0))?)
    }

    /// How many chunks each document has, and its `rev`, by id.
    pub(crate) fn chunk_counts(&self) -> Result<BTreeMap<u64, (i64, usize)>, Fault> {
        let mut select = self.connection.prepare_cached(
            "SELECT document.id, rev, count(chunk.ordinal) FROM document LEFT JOIN chunk ON chunk.document = document.id
             GROUP BY document.id",
        )?;
        let rows = select.query_map([], |row| {
            Ok((unsigned(row, 0)?, (row.get(1)?, size(row, 2)?)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Calls `visit` with every value that the content of the index consists of, in an order that depends on nothing else: not
    /// on row ids, times or the way it came to be.
    pub(crate) fn each_value(&self, mut visit: impl FnMut(&[u8])) -> Result<(), Fault> {
        const VALUES: &str = "
            SELECT path, text, title, first_heading, metadata, syntax, strategy, reason, document.warnings, identity,
                   ordinal, chunk.id, start, end, first_line, last_line, overlap_start, trail, sections, header, kind, chunk.name,
                   language, tokens, part, parts, strength, cut, chunk.hash, chunk.warnings, defines
            FROM source JOIN document ON source = source.id LEFT JOIN chunk ON document = document.id
            ORDER BY root, path, ordinal";
        const LINKS: &str = "
            SELECT path, start, target, section, wiki
            FROM source JOIN document ON source = source.id JOIN link ON document = document.id
            ORDER BY root, path, start";
        for sql in [VALUES, LINKS] {
            let mut select = self.connection.prepare(sql)?;
            let columns = select.column_count();
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                for column in 0..columns {
                    match row.get_ref(column)? {
                        ValueRef::Null => visit(b"\0"),
                        ValueRef::Integer(number) => visit(&number.to_le_bytes()),
                        ValueRef::Real(number) => visit(&number.to_le_bytes()),
                        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => visit(bytes),
                    }
                }
            }
        }
        Ok(())
    }
}

impl StoredChunk {
    /// The bytes of the chunk in its document's text.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.span.bytes.clone()
    }

    /// What is embedded of it, from its document's text.
    pub(crate) fn embedded<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        let own = text.get(self.embedded_from..self.span.bytes.end)?;
        Some(input(&self.header, own))
    }
}

fn document(row: &Row<'_>) -> Result<StoredDocument, Fault> {
    Ok(StoredDocument {
        id: row.get(0)?,
        root: row.get(1)?,
        path: row.get(2)?,
        title: row.get(3)?,
        first_heading: row.get(4)?,
        metadata: serde_json::from_str(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?)?,
        text: hash(row, 6)?,
        rev: row.get(7)?,
        syntax: row.get(8)?,
        collection: row.get(9)?,
        source: row.get(10)?,
    })
}

fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<Hash> {
    row.get(column).map(Hash)
}

fn size(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    let value: i64 = row.get(column)?;
    usize::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    /// What a search asks for each candidate, it asks hundreds of times.
    #[test]
    fn a_question_about_a_document_is_prepared_once() {
        let dir = tempfile::tempdir().unwrap();
        let truth = Truth::create(&dir.path().join("excerpt.db")).unwrap();
        truth.ensure_source("/notes", None).unwrap();
        for id in 1..5 {
            assert!(truth.document(id).unwrap().is_none());
        }
        let sql = format!("{DOCUMENT} WHERE id = ?1");
        let select = truth.connection.prepare_cached(&sql).unwrap();
        assert_eq!(select.get_status(StatementStatus::Run), 4);
        assert_eq!(select.get_status(StatementStatus::RePrepare), 0);
    }
}
