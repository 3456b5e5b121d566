//! The database: one SQLite file with everything that cannot be derived from the rest. This file
//! opens it; `write.rs` changes it and `read/` queries it.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use excerpt_chunk::Hash;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::read::CodeBalance;
use super::schema::{APPLICATION_ID, FORMAT, migrate};
use super::{seal, sum};
use crate::fs::disk;
use crate::model::{Error, Result, Revision};
use crate::store::error::{Cause, StoreError};

/// How long a statement waits for another process. Readers never wait in WAL mode; writers hold the
/// lock of the index.
const PATIENCE: Duration = Duration::from_secs(10);

/// The number of pages in the log at which they are written into the database: with SQLite's
/// default of 1,000, a large sync writes the same pages again and again.
const CHECKPOINT: i64 = 16_384;

/// The database of an index.
pub(crate) struct Database {
    // Closed first: with the last connection to a database, SQLite writes its log into it.
    pub(super) connection: Connection,
    closing: Closing,
    path: PathBuf,
    /// What distinguishes its file from another one with the same name.
    file: Option<(u64, u64)>,
    is_frozen: bool,
    /// The documents that are source code, as last read.
    pub(super) code: RefCell<Option<CodeBalance>>,
}

/// Renews the [`seal`] of a database once it is closed, if nothing but that changes the file.
struct Closing {
    path: PathBuf,
    renews: bool,
}

impl Closing {
    fn of(path: &Path) -> Self {
        Closing {
            path: path.to_path_buf(),
            renews: false,
        }
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        if self.renews {
            seal::keep(&self.path, seal::current(&self.path).as_deref());
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let has_written = self.connection.total_changes() > 0;
        self.closing.renews = has_written && seal::is_intact(&self.path);
        // A process that only reads leaves the file as it is, so that its seal holds.
        let config = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        let _ = self.connection.set_db_config(config, !has_written);
    }
}

impl Database {
    /// Opens the database at `path`, or creates it.
    ///
    /// # Errors
    ///
    /// [`Error::Foreign`], [`Error::Newer`] and [`Error::Damaged`] for a file that is not an index
    /// of ours.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        or_frozen(path, Database::make(path))
    }

    fn make(path: &Path) -> Result<Self> {
        // SQLite gives the files that it creates next to it the same mode.
        match disk::create_new(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(StoreError::from(error).at(path.parent().unwrap_or(path)));
            }
            _ => {}
        }
        let database = open(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )?;
        match database.mark(path)? {
            Mark::Ours(FORMAT) => {}
            Mark::Ours(_) | Mark::Blank => database.migrate(path)?,
            Mark::Foreign => return Err(Error::Foreign { path: path.into() }),
        }
        Ok(database)
    }

    /// Opens the database at `path`, which exists. On a full disk, SQLite cannot create the file
    /// through which processes coordinate reads and writes: then the database is read as it is.
    ///
    /// # Errors
    ///
    /// As [`Database::create`].
    pub(crate) fn open(path: &Path) -> Result<Self> {
        or_frozen(path, Database::open_to_write(path))
    }

    /// Whether its file is still where it was opened.
    pub(crate) fn is_in_place(&self) -> bool {
        self.file.is_some() && self.file == file(&self.path)
    }

    /// Whether it is read-only because the disk was full.
    pub(crate) fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// Opens the database at `path` for reading and writing.
    ///
    /// # Errors
    ///
    /// As [`Database::create`], and [`Error::Full`].
    pub(crate) fn open_to_write(path: &Path) -> Result<Self> {
        let database = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        match database.mark(path)? {
            Mark::Ours(FORMAT) => Ok(database),
            Mark::Ours(_) => database.migrate(path).map(|()| database),
            // A writer was killed before it had created the tables.
            Mark::Blank => Err(Error::NotFound {
                path: path.parent().unwrap_or(path).into(),
            }),
            Mark::Foreign => Err(Error::Foreign { path: path.into() }),
        }
    }

    /// Reads the whole database and checks that its pages and rows are consistent.
    pub(crate) fn verify(&self) -> Result<(), StoreError> {
        let sql = "PRAGMA quick_check(1)";
        let found: String = self.connection.query_row(sql, [], |row| row.get(0))?;
        match &*found {
            "ok" => Ok(()),
            _ => Err(StoreError::Value("inconsistent pages")),
        }
    }

    /// Checks that no change has a later revision than the last one.
    pub(crate) fn check_revisions(&self) -> Result<(), StoreError> {
        let sql = "SELECT max(coalesce((SELECT max(rev) FROM document), 0), coalesce((SELECT max(rev) FROM tombstone), 0))";
        let last: Revision = self.connection.query_row(sql, [], |row| row.get(0))?;
        match last <= self.rev()? && self.pruned()? <= self.rev()? {
            true => Ok(()),
            false => Err(StoreError::Value("a revision after the last one")),
        }
    }

    /// Reads everything and checks that SQLite finds its pages and indexes sound, and that every
    /// row and text matches its checksum.
    pub(crate) fn verify_all(&self) -> Result<(), StoreError> {
        self.verify_structure()?;
        for source in self.sources()? {
            self.skips(&source.id)?;
        }
        for id in sum::ids(&self.connection, "SELECT id FROM document")? {
            self.document(id)?;
            self.stat(id)?;
            self.chunks(id)?;
            self.links_of(id)?;
            self.check_facets(id)?;
        }
        for row in sum::ids::<i64>(&self.connection, "SELECT rowid FROM text")? {
            let sql = "SELECT hash FROM text WHERE rowid = ?1";
            let hash = self.connection.query_row(sql, [row], |row| row.get(0))?;
            self.text(Hash(hash))?;
        }
        self.check_vectors()
    }

    /// Checks that SQLite finds its pages and indexes sound, unless the database is as excerpt left
    /// it.
    pub(crate) fn verify_if_changed(&self) -> Result<(), StoreError> {
        if seal::is_intact(&self.path) {
            return Ok(());
        }
        // What happens to it from now on is not covered.
        let state = seal::current(&self.path);
        self.verify_structure()?;
        if !self.is_frozen {
            seal::keep(&self.path, state.as_deref());
        }
        Ok(())
    }

    /// Renews the seal after `change`, unless something else has changed the file before.
    pub(super) fn sealed<E>(&self, change: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let was_intact = self.is_in_place() && seal::is_intact(&self.path);
        change()?;
        if was_intact && !seal::is_intact(&self.path) {
            seal::keep(&self.path, seal::current(&self.path).as_deref());
        }
        Ok(())
    }

    fn verify_structure(&self) -> Result<(), StoreError> {
        for sql in ["PRAGMA integrity_check(1)", "PRAGMA foreign_key_check"] {
            let mut check = self.connection.prepare(sql)?;
            let mut rows = check.query([])?;
            if let Some(row) = rows.next()?
                && row.get_ref(0)?.as_str().ok() != Some("ok")
            {
                return Err(StoreError::Value("inconsistent pages"));
            }
        }
        self.check_revisions()
    }

    /// Closes the database with all its contents in a single file.
    pub(crate) fn close(self) -> Result<()> {
        let empty = || {
            self.connection
                .pragma(None, "wal_checkpoint", "TRUNCATE", |_| Ok(()))
        };
        self.sealed(empty)
            .map_err(|error| not_ours(&self.path, error))
    }

    /// Whose database it is, at one moment: another process may be about to create it.
    fn mark(&self, path: &Path) -> Result<Mark> {
        let number = |sql: &str| {
            self.connection
                .query_row(sql, [], |row| row.get::<_, i64>(0))
        };
        let read = || {
            let _snapshot = self.connection.unchecked_transaction()?;
            let mark = number("PRAGMA application_id")?;
            let format = number("PRAGMA user_version")?;
            let is_blank = mark == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0;
            // A newer version is recorded twice, a damaged header shows it once.
            let is_newer = mark == APPLICATION_ID
                && format > FORMAT
                && number("SELECT value FROM meta WHERE key = 'format'").ok() == Some(format);
            Ok((mark, format, is_blank, is_newer))
        };
        match patient(read).map_err(|error| not_ours(path, error))? {
            (APPLICATION_ID, format @ 1..=FORMAT, ..) => Ok(Mark::Ours(format)),
            (APPLICATION_ID, found, _, true) => Err(Error::Newer {
                path: path.into(),
                found,
                known: FORMAT,
            }),
            (APPLICATION_ID, ..) => Err(Error::damaged(path, "an unknown format")),
            (_, _, true, _) => Ok(Mark::Blank),
            _ => Ok(Mark::Foreign),
        }
    }

    fn migrate(&self, path: &Path) -> Result<()> {
        migrate(&self.connection).map_err(|fault| not_ours(path, fault))
    }
}

/// What distinguishes the file at `path` from a later one at that path. The file is not opened for
/// that: closing it would release the locks of this process.
#[cfg(unix)]
fn file(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn file(path: &Path) -> Option<(u64, u64)> {
    path.is_file().then_some((0, 0))
}

/// Whose a database is.
enum Mark {
    /// Ours, in this format.
    Ours(i64),
    /// Nobody's yet: it has no application id and no tables.
    Blank,
    Foreign,
}

/// Opens the file at `path`. Its pages are read one by one, as SQLite does by default, and not
/// mapped into memory: the rows of a search are all over the file, and the system reads far more
/// around each page of a mapping, on some machines megabytes.
fn open(path: &Path, flags: OpenFlags) -> Result<Database> {
    let open = || {
        let connection =
            Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(PATIENCE)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)?;
        // Text may have been removed because of its contents.
        connection.pragma_update(None, "secure_delete", true)?;
        // The application id is read before the first write, so that a foreign database is not
        // switched to WAL.
        let mark =
            connection.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0))?;
        if mark == APPLICATION_ID || fs::metadata(path).is_ok_and(|file| file.len() == 0) {
            connection.pragma_update(None, "journal_mode", "wal")?;
            // A commit survives the end of the process. After a power failure the last commits may
            // be lost, but never half of one; the next sync finds their changes again.
            connection.pragma_update(None, "synchronous", "normal")?;
        }
        Ok(Database {
            connection,
            closing: Closing::of(path),
            path: path.to_path_buf(),
            file: file(path),
            is_frozen: false,
            code: RefCell::default(),
        })
    };
    patient(open).map_err(|error| not_ours(path, error))
}

/// Retries an operation on a database while another process blocks it: SQLite waits by itself in
/// most cases, but not when several processes create a database at once.
fn patient<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    const TURN: Duration = Duration::from_millis(5);
    let end = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && Instant::now() < end => thread::sleep(TURN),
            done => return done,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// The opened database, or the database as it is where nothing can be written next to it, because
/// the disk is full or permission is missing.
fn or_frozen(path: &Path, opened: Result<Database>) -> Result<Database> {
    let is_refused = match &opened {
        Err(Error::Full { .. }) => true,
        Err(Error::Store { .. } | Error::Io { .. }) => !is_writable(path),
        _ => false,
    };
    let Some(name) = path.to_str().filter(|_| is_refused) else {
        return opened;
    };
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    let has_log = fs::metadata(&wal).is_ok_and(|file| file.len() > 0);
    match (has_log, &opened) {
        (false, _) => frozen(path, name, Wal::Empty).or(opened),
        // On a full disk, another process may be about to write the log. Without permission, none
        // can.
        (true, Err(Error::Full { .. })) => opened,
        (true, _) => frozen(path, name, Wal::Read).or(opened),
    }
}

/// Whether files can be created next to a database.
fn is_writable(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    tempfile::tempfile_in(folder).is_ok()
}

/// How to treat the log of a read-only database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wal {
    /// There is none.
    Empty,
    /// It is read into the memory of this process.
    Read,
}

fn frozen(path: &Path, name: &str, log: Wal) -> Result<Database> {
    let escaped = name.replace('%', "%25").replace('?', "%3f");
    let how = match log {
        Wal::Empty => "immutable=1",
        Wal::Read => "vfs=unix-none",
    };
    let uri = format!("file:{}?{how}", escaped.replace('#', "%23"));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags);
    let connection = connection.map_err(|error| not_ours(path, error))?;
    if log == Wal::Read {
        let exclusive = connection.pragma_update(None, "locking_mode", "exclusive");
        exclusive.map_err(|error| not_ours(path, error))?;
    }
    let database = Database {
        connection,
        closing: Closing::of(path),
        path: path.to_path_buf(),
        file: file(path),
        is_frozen: true,
        code: RefCell::default(),
    };
    match database.mark(path)? {
        Mark::Ours(FORMAT) => Ok(database),
        _ => Err(Error::Full { path: path.into() }),
    }
}

/// Distinguishes a file that was never a database from a broken one.
fn not_ours(path: &Path, error: impl Into<StoreError>) -> Error {
    match error.into() {
        StoreError::Engine {
            cause: Cause::Foreign,
            ..
        } => Error::Foreign { path: path.into() },
        fault => fault.at(path.parent().unwrap_or(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_database_bears_our_mark_and_opens_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("excerpt.db");
        drop(Database::create(&path).unwrap());
        let database = Database::open(&path).unwrap();
        assert!(matches!(database.mark(&path).unwrap(), Mark::Ours(FORMAT)));
        let mode: String = database
            .connection
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn closing_seals_its_own_changes_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("excerpt.db");
        let written = |name: &str| {
            let database = Database::create(&path).unwrap();
            database.verify_if_changed().unwrap();
            database.ensure_source(&name.into(), None).unwrap();
            database
        };
        drop(written("/notes"));
        assert!(seal::is_intact(&path));
        let database = written("/more");
        let times = fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
        let file = fs::File::options().append(true).open(&path).unwrap();
        file.set_times(times).unwrap();
        drop(database);
        assert!(!seal::is_intact(&path));
        Database::open(&path).unwrap().verify_if_changed().unwrap();
        assert!(seal::is_intact(&path));
    }

    #[test]
    fn a_writer_that_ended_at_once_leaves_nothing_in_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("excerpt.db");
        let blank = Connection::open(&path).unwrap();
        blank.pragma_update(None, "journal_mode", "wal").unwrap();
        drop(blank);
        assert!(matches!(Database::open(&path), Err(Error::NotFound { .. })));
        assert!(Database::create(&path).is_ok());
    }

    #[test]
    fn a_file_of_another_program_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("excerpt.db");
        fs::write(&path, "no database at all, but long enough to be looked at by SQLite as one, it hopes; no database at all").unwrap();
        assert!(matches!(
            Database::create(&path),
            Err(Error::Foreign { .. })
        ));
        fs::remove_file(&path).unwrap();
        let other = Connection::open(&path).unwrap();
        other
            .execute_batch("CREATE TABLE bookmark (url TEXT)")
            .unwrap();
        drop(other);
        let before = fs::read(&path).unwrap();
        assert!(matches!(
            Database::create(&path),
            Err(Error::Foreign { .. })
        ));
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_newer_format_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("excerpt.db");
        let database = Database::create(&path).unwrap();
        database
            .connection
            .pragma_update(None, "user_version", FORMAT + 1)
            .unwrap();
        let sql = "UPDATE meta SET value = ?1 WHERE key = 'format'";
        database.connection.execute(sql, [FORMAT + 1]).unwrap();
        drop(database);
        let error = Database::open(&path).err().unwrap();
        assert_eq!(
            error.to_string(),
            format!(
                "`{}` has format {}, but this version of excerpt reads formats up to {FORMAT}: update excerpt",
                path.display(),
                FORMAT + 1
            )
        );
    }
}
