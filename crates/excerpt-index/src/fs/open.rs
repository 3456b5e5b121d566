//! Opening files in a folder whose contents are not trusted: an [`OpenFolder`] is held open, and
//! everything below it is reached from its handle, one name at a time.
//!
//! No symbolic link below the folder is followed, a named pipe does not block, and a device is not
//! read. A file is opened once: its handle is checked to be that of a regular file, and the bytes
//! are read from the same handle. So the file that was checked is the file that is read, even if it
//! is replaced meanwhile. Outside Unix there are no such handles: there, every name is checked
//! before and after it is opened, which leaves a moment in between.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

use crate::model::{Skip, SkipReason, Stat, plain};

#[cfg(not(unix))]
use by_path as system;
#[cfg(unix)]
use unix as system;

/// The size in bytes above which a configuration file is not read: `excerpt.toml`, an ignore file,
/// a file of git.
pub const CONFIGURATION_LIMIT: u64 = 1 << 20;

/// The bytes of the file at `path` below `folder`, at most `limit`. `path` has `/` between its
/// segments.
///
/// Symbolic links on the way to `folder` are followed, but none below it.
///
/// # Errors
///
/// When it is not a regular file of at most `limit` bytes that is reached through folders only.
pub fn read_below(folder: &Path, path: &str, limit: u64) -> Result<Vec<u8>, Refused> {
    OpenFolder::open(folder)?.read(path, limit)
}

/// The bytes of a file that the user has named, at most `limit`. Symbolic links are followed.
///
/// # Errors
///
/// When it is not a regular file of at most `limit` bytes. A named pipe or a device is rejected
/// without waiting for it.
pub fn read_named(path: &Path, limit: u64) -> Result<Vec<u8>, Refused> {
    let look = || system::follow(path);
    OpenFile::checked(look, || system::open_file(path))?.bytes(limit)
}

/// The metadata of the regular file at `path` below `folder`; `None` when there is none. Links
/// are handled as by [`read_below`].
#[must_use]
pub fn stat_below(folder: &Path, path: &str) -> Option<Stat> {
    let file = OpenFolder::open(folder).ok()?.file(path).ok()?;
    Some(file.stat)
}

/// The metadata of what is at `path`, with links followed.
pub(crate) fn stat(path: &Path) -> io::Result<Stat> {
    Ok(system::follow(path)?.stat)
}

/// The metadata of an open file.
pub(crate) fn stat_of(file: &File) -> io::Result<Stat> {
    Ok(system::look_at(file)?.stat)
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// It does not exist.
    #[error("no such file or directory")]
    Missing,
    /// It is not a regular file.
    #[error("it is {0}, expected a regular file")]
    Kind(FileKind),
    /// A folder on the way to it, given by its path, is a symbolic link.
    #[error("`{0}` is a symbolic link, expected a folder")]
    Way(String),
    /// It is larger than the limit.
    #[error("it has {size} bytes, but the limit is {limit}")]
    TooLarge {
        /// Its size in bytes; the file may be larger if it is growing.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// It is an ignore file with too many or too complex patterns.
    #[error("it has too many or too complex patterns, the limit is {0}")]
    Patterns(usize),
    /// The error of the operating system.
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
}

impl Refused {
    /// The skip of `path` for this reason; `None` when nothing exists there.
    pub(crate) fn skip(self, path: impl Into<String>) -> Option<Skip> {
        let path = path.into();
        let skip = |reason| Skip::new(&*path, reason);
        Some(match self {
            Refused::Missing => return None,
            Refused::Kind(FileKind::Link) => skip(SkipReason::Link),
            Refused::Kind(FileKind::Folder) => {
                skip(SkipReason::Special).with_detail(FileKind::Folder)
            }
            Refused::Kind(_) => skip(SkipReason::Special),
            Refused::Way(at) if at == path => skip(SkipReason::Link),
            Refused::Way(at) => {
                skip(SkipReason::Link).with_detail(format!("`{at}` is a symbolic link"))
            }
            Refused::TooLarge { size, limit } => skip(SkipReason::TooLarge)
                .with_detail(format!("{size} bytes, the limit is {limit}")),
            Refused::Patterns(limit) => skip(SkipReason::TooLarge).with_detail(format!(
                "too many or too complex patterns, the limit is {limit}"
            )),
            Refused::Io(error) => skip(SkipReason::Unreadable).with_detail(plain(&error)),
        })
    }
}

/// What is at a path, without following a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device, or something of an unknown kind.
    Device,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileKind::File => "a regular file",
            FileKind::Folder => "a folder",
            FileKind::Link => "a symbolic link",
            FileKind::Pipe => "a named pipe",
            FileKind::Socket => "a socket",
            FileKind::Device => "a device",
        })
    }
}

/// What the system reports about a path or an open file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) kind: FileKind,
    pub(crate) stat: Stat,
    /// What distinguishes it from everything else that exists at the moment: its device and inode,
    /// where the system has them.
    pub(crate) identity: Option<(u64, u64)>,
}

/// A name in a folder.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) name: OsString,
    pub(crate) kind: FileKind,
}

/// A folder that is held open.
#[derive(Debug)]
pub(crate) struct OpenFolder {
    handle: system::Folder,
    path: PathBuf,
}

impl OpenFolder {
    /// The folder at `path`. Symbolic links are followed: the caller trusts the path.
    pub(crate) fn open(path: &Path) -> Result<OpenFolder, Refused> {
        match system::Folder::open(path, LinkPolicy::Follow) {
            Ok(handle) => Ok(OpenFolder::of(handle, path.to_path_buf())),
            Err(error) => Err(match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refused::Missing,
                _ => error.into(),
            }),
        }
    }

    /// The folder at `path`, which is not a symbolic link itself.
    pub(crate) fn open_itself(path: &Path) -> io::Result<OpenFolder> {
        let handle = system::Folder::open(path, LinkPolicy::Refuse)?;
        Ok(OpenFolder::of(handle, path.to_path_buf()))
    }

    fn of(handle: system::Folder, path: PathBuf) -> OpenFolder {
        OpenFolder { handle, path }
    }

    /// Its path when it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder at `path` below it; the folder itself when `path` is empty.
    pub(crate) fn folder(&self, path: &str) -> Result<OpenFolder, Refused> {
        self.folder_for(Access::LookUp, path)
    }

    /// The folder at `path` below it, as [`OpenFolder::folder`], and its entries. A listing that
    /// fails midway is an error as a whole: the entries it did not reach would be taken for
    /// deleted.
    pub(crate) fn listed(&self, path: &str) -> Result<(OpenFolder, Vec<Child>), Refused> {
        let folder = self.folder_for(Access::List, path)?;
        let children = folder.handle.children()?;
        Ok((folder, children))
    }

    fn folder_for(&self, access: Access, path: &str) -> Result<OpenFolder, Refused> {
        // In one step where the system can; whatever is in the way is found step by step.
        if path.contains('/')
            && path.split('/').all(|name| check_name(name).is_ok())
            && let Some(handle) = self.handle.folder_below(path, access)
        {
            return Ok(OpenFolder::of(handle, self.path.join(path)));
        }
        let mut folder = None;
        let mut end = 0;
        for name in path.split('/').filter(|_| !path.is_empty()) {
            end += name.len();
            let access = match end == path.len() {
                true => access,
                false => Access::LookUp,
            };
            let next = folder.as_ref().unwrap_or(self).step(name, access);
            folder = Some(next.map_err(|refused| match refused {
                Refused::Kind(FileKind::Link) => Refused::Way(path[..end].to_string()),
                // A file in place of a folder: the path no longer exists.
                Refused::Kind(_) => Refused::Missing,
                other => other,
            })?);
            end += 1;
        }
        match folder {
            Some(folder) => Ok(folder),
            None => Ok(OpenFolder::of(
                self.handle.folder(".", access)?,
                self.path.clone(),
            )),
        }
    }

    fn step(&self, name: &str, access: Access) -> Result<OpenFolder, Refused> {
        check_name(name)?;
        let opened = self.handle.folder(name, access);
        let opened = opened.map(|handle| OpenFolder::of(handle, self.path.join(name)));
        opened.map_err(|error| match (error.kind(), self.look(name)) {
            (io::ErrorKind::NotFound, _) => Refused::Missing,
            (_, Some(look)) if look.kind != FileKind::Folder => Refused::Kind(look.kind),
            _ => error.into(),
        })
    }

    /// The regular file at `path` below it.
    pub(crate) fn file(&self, path: &str) -> Result<OpenFile, Refused> {
        let inner;
        let (folder, name) = match path.rsplit_once('/') {
            None => (self, path),
            Some(("", _)) => return Err(Refused::Missing),
            Some((around, name)) => {
                inner = self.folder(around)?;
                (&inner, name)
            }
        };
        check_name(name)?;
        // Even opening a device may have effects, so something known not to be a file is not
        // opened.
        let look = || folder.handle.look(OsStr::new(name));
        OpenFile::checked(look, || folder.handle.file(name))
    }

    /// The bytes of the regular file at `path` below it, at most `limit`.
    pub(crate) fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, Refused> {
        self.file(path)?.bytes(limit)
    }

    /// The text of a configuration file at `path` below it. Bytes that are not UTF-8 are replaced.
    pub(crate) fn configuration(&self, path: &str) -> Result<String, Refused> {
        let bytes = self.read(path, CONFIGURATION_LIMIT)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What has this `name` in the folder; `None` when nothing has, or when that cannot be
    /// determined.
    pub(crate) fn look(&self, name: impl AsRef<OsStr>) -> Option<Look> {
        self.handle.look(name.as_ref()).ok()
    }

    /// Like [`OpenFolder::look`], but returns the error.
    pub(crate) fn try_look(&self, name: impl AsRef<OsStr>) -> io::Result<Look> {
        self.handle.look(name.as_ref())
    }

    /// What the system reports about the folder itself.
    pub(crate) fn look_at_itself(&self) -> io::Result<Look> {
        self.handle.look_at_itself()
    }
}

/// Checks that a name leads to an entry of a folder and nowhere else.
fn check_name(name: &str) -> Result<(), Refused> {
    match name {
        "" | "." | ".." => Err(Refused::Missing),
        _ => Ok(()),
    }
}

/// How to handle a symbolic link at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkPolicy {
    Follow,
    Refuse,
}

/// What a folder is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// To reach what is in it by name, which Linux allows without permission to list it.
    LookUp,
    /// To list it, too.
    List,
}

/// A regular file that was opened.
#[derive(Debug)]
pub(crate) struct OpenFile {
    file: File,
    stat: Stat,
}

impl OpenFile {
    /// The file that `open` opens, after a check with `look`.
    fn checked(
        look: impl Fn() -> io::Result<Look>,
        open: impl FnOnce() -> io::Result<File>,
    ) -> Result<OpenFile, Refused> {
        let check = |look: Look| match look.kind {
            FileKind::File => Ok(look.stat),
            other => Err(Refused::Kind(other)),
        };
        let missing = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refused::Missing,
            _ => error.into(),
        };
        check(look().map_err(missing)?)?;
        let file = open().map_err(|error| {
            // What has replaced it since says more than the resulting error.
            let kind = look().map(|look| look.kind);
            match kind {
                Ok(kind) if kind != FileKind::File => Refused::Kind(kind),
                _ => missing(error),
            }
        })?;
        let stat = check(system::look_at(&file)?)?;
        Ok(OpenFile { file, stat })
    }

    /// Its bytes, at most `limit`.
    fn bytes(self, limit: u64) -> Result<Vec<u8>, Refused> {
        let too_large = |size| Err(Refused::TooLarge { size, limit });
        if self.stat.size > limit {
            return too_large(self.stat.size);
        }
        let (bytes, _) = self.read(limit)?;
        match bytes.len() as u64 {
            size if size > limit => too_large(size),
            _ => Ok(bytes),
        }
    }

    /// Its bytes, up to one more than `limit`, and its metadata when they were read.
    ///
    /// If the file changes meanwhile, the bytes may be half of one text and half of another, so it
    /// is read again. If it keeps changing, the last read counts, and its metadata will differ the
    /// next time.
    pub(crate) fn read(mut self, limit: u64) -> io::Result<(Vec<u8>, Stat)> {
        const TRIES: usize = 3;
        let mut tries = 1;
        loop {
            let before = self.stat;
            let room = usize::try_from(before.size.min(limit)).unwrap_or(0);
            let mut bytes = Vec::with_capacity(room + 1);
            (&self.file)
                .take(limit.saturating_add(1))
                .read_to_end(&mut bytes)?;
            self.stat = system::look_at(&self.file)?.stat;
            if tries == TRIES || self.stat == before {
                return Ok((bytes, before));
            }
            self.file.rewind()?;
            tries += 1;
        }
    }
}

/// The handles of Unix.
#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags};

    use super::{Access, Child, FileKind, LinkPolicy, Look};
    use crate::model::Stat;

    #[cfg(any(target_os = "linux", target_os = "android"))]
    const LOOK_UP: OFlags = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const LOOK_UP: OFlags = OFlags::RDONLY;

    /// How a folder is opened.
    fn flags(access: Access) -> OFlags {
        let access = match access {
            Access::LookUp => LOOK_UP,
            Access::List => OFlags::RDONLY,
        };
        access.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC)
    }

    /// Opening a named pipe must not wait for its other end, and a terminal must not become the
    /// controlling terminal.
    const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);

    #[derive(Debug)]
    pub(super) struct Folder(OwnedFd);

    impl Folder {
        pub(super) fn open(path: &Path, links: LinkPolicy) -> io::Result<Folder> {
            let flags = match links {
                LinkPolicy::Follow => flags(Access::LookUp),
                LinkPolicy::Refuse => flags(Access::LookUp).union(OFlags::NOFOLLOW),
            };
            Ok(Folder(fs::open(path, flags, Mode::empty())?))
        }

        pub(super) fn folder(&self, name: &str, access: Access) -> io::Result<Folder> {
            let flags = flags(access).union(OFlags::NOFOLLOW);
            Ok(Folder(fs::openat(&self.0, name, flags, Mode::empty())?))
        }

        /// The folder at a path of several names, if no link is in the way. `None` also where the
        /// system has no such call.
        #[cfg(target_os = "linux")]
        pub(super) fn folder_below(&self, path: &str, access: Access) -> Option<Folder> {
            use fs::ResolveFlags;
            let resolve = ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS);
            let opened = fs::openat2(&self.0, path, flags(access), Mode::empty(), resolve);
            opened.ok().map(Folder)
        }

        #[cfg(not(target_os = "linux"))]
        pub(super) fn folder_below(&self, _: &str, _: Access) -> Option<Folder> {
            None
        }

        pub(super) fn file(&self, name: &str) -> io::Result<File> {
            let flags = FILE.union(OFlags::NOFOLLOW);
            Ok(fs::openat(&self.0, name, flags, Mode::empty())?.into())
        }

        pub(super) fn look(&self, name: &OsStr) -> io::Result<Look> {
            let found = fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(look(&found))
        }

        pub(super) fn look_at_itself(&self) -> io::Result<Look> {
            look_at(&self.0)
        }

        /// The entries of a folder that was opened to be listed.
        pub(super) fn children(&self) -> io::Result<Vec<Child>> {
            let mut children = Vec::new();
            let mut listed = Dir::new(self.0.try_clone()?)?;
            listed.rewind();
            for entry in listed {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                let kind = match entry.file_type() {
                    // Not every file system reports the type here.
                    FileType::Unknown => match self.look(name) {
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        looked => looked?.kind,
                    },
                    known => kind(known),
                };
                children.push(Child {
                    name: name.to_os_string(),
                    kind,
                });
            }
            Ok(children)
        }
    }

    /// What is at a path, with links followed.
    pub(super) fn follow(path: &Path) -> io::Result<Look> {
        Ok(look(&fs::statat(CWD, path, AtFlags::empty())?))
    }

    pub(super) fn open_file(path: &Path) -> io::Result<File> {
        Ok(fs::open(path, FILE, Mode::empty())?.into())
    }

    pub(super) fn look_at(open: impl AsFd) -> io::Result<Look> {
        Ok(look(&fs::fstat(open)?))
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_lossless,
        reason = "the types of these fields differ between systems"
    )]
    fn look(found: &fs::Stat) -> Look {
        let nanoseconds = |seconds: i64, nanoseconds: i64| {
            let seconds = seconds.saturating_mul(1_000_000_000);
            seconds.saturating_add(nanoseconds)
        };
        let inode = found.st_ino as u64;
        Look {
            kind: kind(FileType::from_raw_mode(found.st_mode as _)),
            stat: Stat {
                size: u64::try_from(found.st_size).unwrap_or(0),
                mtime_ns: nanoseconds(found.st_mtime as i64, found.st_mtime_nsec as i64),
                inode: Some(inode),
                ctime_ns: Some(nanoseconds(
                    found.st_ctime as i64,
                    found.st_ctime_nsec as i64,
                )),
            },
            identity: Some((found.st_dev as u64, inode)),
        }
    }

    fn kind(found: FileType) -> FileKind {
        match found {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Folder,
            FileType::Symlink => FileKind::Link,
            FileType::Fifo => FileKind::Pipe,
            FileType::Socket => FileKind::Socket,
            FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
                FileKind::Device
            }
        }
    }
}

/// The closest approximation where there are no folder handles.
#[cfg(not(unix))]
mod by_path {
    use std::ffi::OsStr;
    use std::fs::{self, File, Metadata};
    use std::io;
    use std::path::{Path, PathBuf};
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::{Access, Child, FileKind, LinkPolicy, Look};
    use crate::model::Stat;

    #[derive(Debug)]
    pub(super) struct Folder(PathBuf);

    impl Folder {
        pub(super) fn open(path: &Path, links: LinkPolicy) -> io::Result<Folder> {
            let found = match links {
                LinkPolicy::Follow => fs::metadata(path)?,
                LinkPolicy::Refuse => fs::symlink_metadata(path)?,
            };
            match found.is_dir() {
                true => Ok(Folder(path.to_path_buf())),
                false => Err(io::ErrorKind::NotADirectory.into()),
            }
        }

        pub(super) fn folder(&self, name: &str, _: Access) -> io::Result<Folder> {
            Folder::open(&self.0.join(name), LinkPolicy::Refuse)
        }

        pub(super) fn folder_below(&self, _: &str, _: Access) -> Option<Folder> {
            None
        }

        pub(super) fn file(&self, name: &str) -> io::Result<File> {
            let path = self.0.join(name);
            let file = File::open(&path)?;
            match fs::symlink_metadata(&path)?.is_file() {
                true => Ok(file),
                false => Err(io::Error::other("it was replaced while it was opened")),
            }
        }

        pub(super) fn look(&self, name: &OsStr) -> io::Result<Look> {
            Ok(look(&fs::symlink_metadata(self.0.join(name))?))
        }

        pub(super) fn look_at_itself(&self) -> io::Result<Look> {
            Ok(look(&fs::symlink_metadata(&self.0)?))
        }

        pub(super) fn children(&self) -> io::Result<Vec<Child>> {
            let children = fs::read_dir(&self.0)?.map(|entry| {
                let entry = entry?;
                Ok(Child {
                    name: entry.file_name(),
                    kind: kind(entry.file_type()?),
                })
            });
            children.collect()
        }
    }

    pub(super) fn follow(path: &Path) -> io::Result<Look> {
        Ok(look(&fs::metadata(path)?))
    }

    pub(super) fn open_file(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(super) fn look_at(open: &File) -> io::Result<Look> {
        Ok(look(&open.metadata()?))
    }

    fn look(found: &Metadata) -> Look {
        // A file system without times returns the epoch: a change to such a file is detected by its
        // size and then by its hash.
        let time = found.modified().unwrap_or(UNIX_EPOCH);
        Look {
            kind: kind(found.file_type()),
            stat: Stat {
                size: found.len(),
                mtime_ns: nanoseconds(time),
                ..Stat::default()
            },
            identity: None,
        }
    }

    /// Nanoseconds since 1970, negative before.
    fn nanoseconds(time: SystemTime) -> i64 {
        let clamp = |nanoseconds: u128| i64::try_from(nanoseconds).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => clamp(after.as_nanos()),
            Err(before) => -clamp(before.duration().as_nanos()),
        }
    }

    fn kind(found: fs::FileType) -> FileKind {
        match found {
            found if found.is_symlink() => FileKind::Link,
            found if found.is_dir() => FileKind::Folder,
            found if found.is_file() => FileKind::File,
            _ => FileKind::Device,
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// What is said of a file that `swap` replaces after it was looked at, and before it is opened.
    fn swapped(swap: impl Fn(&Path)) -> Refused {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        fs::write(&path, "tea").unwrap();
        let folder = OpenFolder::open(dir.path()).unwrap();
        let look = || folder.handle.look(OsStr::new("a.md"));
        let open = || {
            fs::remove_file(&path).unwrap();
            swap(&path);
            folder.handle.file("a.md")
        };
        OpenFile::checked(look, open).unwrap_err()
    }

    #[test]
    fn what_takes_the_place_of_a_file_while_it_is_opened_is_not_read() {
        let kind = |refused| match refused {
            Refused::Kind(kind) => kind,
            other => panic!("{other}"),
        };
        let link = swapped(|path| symlink("/etc/hostname", path).unwrap());
        assert_eq!(kind(link), FileKind::Link);
        let folder = swapped(|path| fs::create_dir(path).unwrap());
        assert_eq!(kind(folder), FileKind::Folder);
        let pipe = swapped(|path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        });
        assert_eq!(kind(pipe), FileKind::Pipe);
        let socket = swapped(|path| {
            drop(std::os::unix::net::UnixListener::bind(path).unwrap());
        });
        assert_eq!(kind(socket), FileKind::Socket);
        assert!(matches!(swapped(|_| {}), Refused::Missing));
    }

    #[test]
    fn a_file_that_is_replaced_after_it_was_opened_is_read_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.md"), "tea").unwrap();
        let folder = OpenFolder::open(dir.path()).unwrap();
        let file = folder.file("a.md").unwrap();
        fs::remove_file(dir.path().join("a.md")).unwrap();
        symlink("/dev/zero", dir.path().join("a.md")).unwrap();
        let (bytes, _) = file.read(100).unwrap();
        assert_eq!(bytes, b"tea");
    }

    #[test]
    fn a_listing_says_of_a_file_what_the_open_file_says() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.md"), "tea").unwrap();
        let folder = OpenFolder::open(dir.path()).unwrap();
        let listed = folder.look("a.md").unwrap().stat;
        assert_eq!(listed, folder.file("a.md").unwrap().stat);
        assert!(listed.inode.is_some() && listed.ctime_ns.is_some());
        let modified = fs::metadata(dir.path().join("a.md")).unwrap();
        let modified = modified.modified().unwrap();
        let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(i128::from(listed.mtime_ns), since.as_nanos() as i128);
    }
}
