//! A cache of numbers by key, in a SQLite file of its own: what a model has computed is kept for
//! the next question, in this process and in others.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params};

use crate::fs::disk;

/// What identifies an entry.
pub(crate) type CacheKey = [u8; 16];

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS kept (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    numbers BLOB NOT NULL
) STRICT;
";

/// How large the entries may become, in bytes. The oldest quarter makes room for others.
const MOST: i64 = 256 << 20;

/// How long a statement waits for another process.
const PATIENCE: Duration = Duration::from_millis(200);

/// Numbers by key. An entry may be gone at any time: nothing depends on one.
pub(crate) struct NumberCache {
    connection: Mutex<Connection>,
}

impl NumberCache {
    /// The cache in the file at `path`, which is created if it does not exist. Without a path, or
    /// if the file cannot be used, it is in memory; `None` if that is not possible either.
    pub(crate) fn open(path: Option<&Path>) -> Option<NumberCache> {
        let on_disk = path.and_then(|path| on_disk(path).ok());
        let connection = on_disk.or_else(|| in_memory().ok())?;
        Some(NumberCache {
            connection: Mutex::new(connection),
        })
    }

    /// The numbers of each key; `None` for one that is not here.
    pub(crate) fn get(&self, keys: &[CacheKey]) -> Vec<Option<Vec<f32>>> {
        let connection = self.connection();
        let found = keys.iter().map(|key| read(&connection, key).ok().flatten());
        found.collect()
    }

    /// Adds an entry. If that fails, as on a full disk, it is not kept.
    pub(crate) fn put(&self, key: CacheKey, numbers: &[f32]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let connection = self.connection();
        let sql = "INSERT OR REPLACE INTO kept (key, numbers) VALUES (?1, ?2)";
        let put = connection
            .prepare_cached(sql)
            .and_then(|mut put| put.execute(params![key, bytes]));
        if put.is_ok() {
            let _ = make_room(&connection, MOST);
        }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(connection: &Connection, key: &CacheKey) -> rusqlite::Result<Option<Vec<f32>>> {
    let mut get = connection.prepare_cached("SELECT numbers FROM kept WHERE key = ?1")?;
    let bytes: Option<Vec<u8>> = get.query_row([key], |row| row.get(0)).optional()?;
    let numbers = |bytes: Vec<u8>| -> Option<Vec<f32>> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        let numbers: Vec<f32> = numbers.iter().map(|n| f32::from_le_bytes(*n)).collect();
        (rest.is_empty() && numbers.iter().all(|n| n.is_finite())).then_some(numbers)
    };
    Ok(bytes.and_then(numbers))
}

/// Removes the oldest quarter of the entries if they are larger than `most` bytes.
fn make_room(connection: &Connection, most: i64) -> rusqlite::Result<()> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    if pages * number("page_size")? <= most {
        return Ok(());
    }
    let sql = "DELETE FROM kept WHERE id IN (SELECT id FROM kept ORDER BY id LIMIT (SELECT max(count(*) / 4, 1) FROM kept))";
    connection.execute(sql, []).map(|_| ())
}

fn in_memory() -> rusqlite::Result<Connection> {
    prepared(Connection::open_in_memory()?)
}

/// The file at `path`, created again if it is damaged.
fn on_disk(path: &Path) -> rusqlite::Result<Connection> {
    match opened(path) {
        Err(error) if is_unreadable(&error) => {
            for ending in ["", "-wal", "-shm"] {
                let mut file = path.as_os_str().to_owned();
                file.push(ending);
                let _ = disk::remove(&PathBuf::from(file));
            }
            opened(path)
        }
        opened => opened,
    }
}

fn opened(path: &Path) -> rusqlite::Result<Connection> {
    if let Some(folder) = path.parent() {
        let _ = disk::create_dir_all(folder);
    }
    // SQLite gives the files that it creates next to it the same mode.
    let _ = disk::create_new(path);
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // After a power failure, the last entries may be gone.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    prepared(connection)
}

fn prepared(connection: Connection) -> rusqlite::Result<Connection> {
    connection.execute_batch(TABLE)?;
    Ok(connection)
}

/// Whether the file is no database, or a damaged one.
fn is_unreadable(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const KEY: CacheKey = [7; 16];

    #[test]
    fn what_was_put_is_there_for_the_next_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache/kept.db");
        let cache = NumberCache::open(Some(&path)).unwrap();
        assert_eq!(cache.get(&[KEY]), [None]);
        cache.put(KEY, &[1.5, -2.0]);
        cache.put([8; 16], &[]);
        let other = NumberCache::open(Some(&path)).unwrap();
        assert_eq!(
            other.get(&[[9; 16], KEY, [8; 16]]),
            [None, Some(vec![1.5, -2.0]), Some(Vec::new())]
        );
        assert!(disk::is_private(&path));
    }

    #[test]
    fn a_file_that_is_no_cache_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.db");
        fs::write(
            &path,
            "no database, but a text that is long enough to be one",
        )
        .unwrap();
        NumberCache::open(Some(&path)).unwrap().put(KEY, &[1.0]);
        let cache = NumberCache::open(Some(&path)).unwrap();
        assert_eq!(cache.get(&[KEY]), [Some(vec![1.0])]);
    }

    #[test]
    fn a_place_that_cannot_be_used_is_replaced_by_memory() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "a text").unwrap();
        let below = file.join("kept.db");
        for path in [None, Some(&*below)] {
            let cache = NumberCache::open(path).unwrap();
            cache.put(KEY, &[1.0]);
            assert_eq!(cache.get(&[KEY]), [Some(vec![1.0])]);
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "a text");
    }

    #[test]
    fn the_oldest_make_room() {
        let cache = NumberCache::open(None).unwrap();
        for key in 0..40 {
            cache.put([key; 16], &[0.5; 1000]);
        }
        let connection = cache.connection();
        make_room(&connection, 40 * 4000).unwrap();
        drop(connection);
        let there = |key: u8| cache.get(&[[key; 16]])[0].is_some();
        assert!((0..10).all(|key| !there(key)) && (10..40).all(there));
    }

    #[test]
    fn damaged_numbers_are_not_there() {
        let cache = NumberCache::open(None).unwrap();
        cache.put(KEY, &[f32::NAN]);
        let sql = "INSERT INTO kept (key, numbers) VALUES (?1, x'010203')";
        cache.connection().execute(sql, [[1_u8; 16]]).unwrap();
        assert_eq!(cache.get(&[KEY, [1; 16]]), [None, None]);
    }
}
