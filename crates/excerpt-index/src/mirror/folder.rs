//! A folder as the destination of a mirror: [`MirrorFolder`].

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use super::manifest::MANIFEST;
use super::{Creation, LARGEST, MirrorTarget, ObjectMetadata, ObjectStamp};
use crate::fs::open::{stat, stat_of};
use crate::model::Stat;

/// Where a file is written before it gets its name. A source skips it, since its name starts with
/// a dot.
pub(super) const UNFINISHED: &str = ".excerpt-mirror";

/// The file in it that a mirror has locked while it runs.
const LOCK: &str = "lock";

/// How many bytes of a file are read at a time.
const PART: usize = 64 << 10;

/// How the names of unfinished files begin.
const PREFIX: &str = "unfinished-";

/// A folder on this disk. It keeps no metadata of its files.
#[derive(Debug)]
pub struct MirrorFolder {
    root: PathBuf,
    lock: Mutex<Option<File>>,
}

impl MirrorFolder {
    /// The folder at `root`, which is made when the first file is written.
    #[must_use]
    pub fn new(root: &Path) -> MirrorFolder {
        MirrorFolder {
            root: root.to_path_buf(),
            lock: Mutex::default(),
        }
    }

    /// The file at a path. No part of it is a link, which could lead anywhere.
    fn file(&self, path: &str) -> io::Result<PathBuf> {
        let mut file = self.root.clone();
        for name in path.split('/') {
            // On some systems, a name such as `C:` is more than a name.
            let mut parts = Path::new(name).components();
            let is_plain = matches!(parts.next(), Some(Component::Normal(part)) if part == name);
            if !is_plain || parts.next().is_some() || (cfg!(windows) && name.contains(':')) {
                return Err(invalid("invalid file name", io::ErrorKind::InvalidInput));
            }
            file.push(name);
            if file.is_symlink() {
                let error = "a symbolic link is in the way";
                return Err(invalid(error, io::ErrorKind::NotADirectory));
            }
        }
        Ok(file)
    }

    /// The bytes in a file that has no name yet.
    fn unfinished(&self, file: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
        let folder = self.root.join(UNFINISHED);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => invalid(
                    "a file exists where a folder is needed",
                    io::ErrorKind::NotADirectory,
                ),
                _ => error,
            })?;
        }
        let mut unfinished = readable(&folder)?;
        unfinished.write_all(bytes)?;
        Ok(unfinished)
    }
}

/// What tells that a file has the same bytes.
fn stamp(stat: Stat) -> String {
    let Stat {
        size,
        mtime_ns,
        inode,
        ctime_ns,
    } = stat;
    let (inode, ctime_ns) = (inode.unwrap_or_default(), ctime_ns.unwrap_or_default());
    format!("{size} {mtime_ns} {inode} {ctime_ns}")
}

fn invalid(reason: &'static str, kind: io::ErrorKind) -> io::Error {
    io::Error::new(kind, reason)
}

/// A temporary file that others may read, as far as the user's mask allows it.
#[cfg(unix)]
fn readable(folder: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = fs::Permissions::from_mode(0o666);
    tempfile::Builder::new()
        .prefix(PREFIX)
        .permissions(permissions)
        .tempfile_in(folder)
}

#[cfg(not(unix))]
fn readable(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)
}

impl MirrorTarget for MirrorFolder {
    fn name(&self) -> String {
        self.root.display().to_string()
    }

    fn read(&self, path: &str, part: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let file = self.file(path)?;
        match fs::symlink_metadata(&file) {
            Ok(found) if found.len() > LARGEST => Err(io::ErrorKind::FileTooLarge.into()),
            Ok(found) if found.is_file() => {
                let mut file = BufReader::with_capacity(PART, File::open(file)?);
                loop {
                    let bytes = file.fill_buf()?;
                    if bytes.is_empty() {
                        return Ok(true);
                    }
                    part(bytes);
                    let read = bytes.len();
                    file.consume(read);
                }
            }
            Ok(_) => Err(invalid(
                "what is there is not a file",
                io::ErrorKind::IsADirectory,
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn stamps(&self, paths: &[&str]) -> io::Result<HashMap<String, ObjectStamp>> {
        // What was changed shortly before the manifest was stored may look the same and differ.
        let stored = stat(&self.root.join(MANIFEST)).map_or(0, |manifest| manifest.mtime_ns);
        let mut stamps = HashMap::new();
        for path in paths {
            let looked = self.file(path).and_then(fs::symlink_metadata);
            let is_file = match looked {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                looked => looked.is_ok_and(|found| found.is_file()),
            };
            let found = is_file.then(|| stat(&self.root.join(path)).ok()).flatten();
            let settled = found.filter(|found| found.is_settled(stored));
            stamps.insert((*path).to_string(), settled.map(stamp));
        }
        Ok(stamps)
    }

    fn create(&self, path: &str, bytes: &[u8], _: &ObjectMetadata) -> io::Result<Creation> {
        let file = self.file(path)?;
        match self.unfinished(&file, bytes)?.persist_noclobber(&file) {
            Ok(file) => Ok(Creation::Created(stat_of(&file).ok().map(stamp))),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(Creation::Exists)
            }
            Err(error) => Err(error.error),
        }
    }

    fn replace(&self, path: &str, bytes: &[u8], _: &ObjectMetadata) -> io::Result<ObjectStamp> {
        let file = self.file(path)?;
        let file = self.unfinished(&file, bytes)?.persist(&file)?;
        Ok(stat_of(&file).ok().map(stamp))
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        let file = self.file(path)?;
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // The folders that were made for it, unless they have something else.
        let mut folder = file.parent();
        while let Some(empty) = folder.filter(|folder| *folder != self.root)
            && fs::remove_dir(empty).is_ok()
        {
            folder = empty.parent();
        }
        Ok(())
    }

    fn keeps_metadata(&self) -> bool {
        false
    }

    fn begin(&self) -> io::Result<()> {
        let folder = self.root.join(UNFINISHED);
        fs::create_dir_all(&folder)?;
        if !fs::symlink_metadata(&folder)?.is_dir() {
            let error = format!("something that is not a folder has the name `{UNFINISHED}`");
            return Err(io::Error::other(error));
        }
        let lock = File::create(folder.join(LOCK))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => io::Error::other("another process is mirroring there"),
            TryLockError::Error(error) => error,
        })?;
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some(lock);
        self.clear()
    }

    fn end(&self) -> io::Result<()> {
        self.clear()?;
        let folder = self.root.join(UNFINISHED);
        fs::remove_file(folder.join(LOCK))?;
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
        // Something else may have put something there.
        let _ = fs::remove_dir(folder);
        Ok(())
    }
}

impl MirrorFolder {
    /// Removes the files that this or an interrupted mirror has not finished.
    fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.root.join(UNFINISHED))? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}
