//! The files of an index directory. They are private to their user whatever the umask, they are
//! replaced atomically, and only regular files are read: a folder, a FIFO, a device or a link in
//! place of one counts as damage.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The start and the end of the names of incomplete files; between them is a random part.
const TEMPORARY: (&str, &str) = (".excerpt-", ".new");

/// Creates a folder and its missing parents, with mode 0700.
pub(crate) fn create_dir_all(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| *above != Path::new("")) {
        create_dir_all(above)?;
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode::FOLDER);
    match builder.create(path) {
        // Another process was faster.
        Err(_) if path.is_dir() => Ok(()),
        Err(error) => Err(error),
        #[cfg(unix)]
        Ok(()) => fs::set_permissions(path, permissions(mode::FOLDER)),
        #[cfg(not(unix))]
        Ok(()) => Ok(()),
    }
}

/// Whether the disk of a folder has less free space than a small change of an index needs.
#[cfg(unix)]
pub(crate) fn is_without_room(folder: &Path) -> bool {
    const NEEDED: u64 = 1 << 20;
    rustix::fs::statvfs(folder)
        .is_ok_and(|found| found.f_bavail.saturating_mul(found.f_frsize) < NEEDED)
}

#[cfg(not(unix))]
pub(crate) fn is_without_room(_: &Path) -> bool {
    false
}

/// Creates a file that does not exist yet, for writing, with mode 0600.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    created(private().write(true).create_new(true).open(path)?)
}

/// Opens a file for reading and writing; creates it with mode 0600 if it does not exist.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = private();
    options.read(true).write(true).create(true).truncate(false);
    created(options.open(path)?)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode::FILE);
    options
}

/// Sets the mode of a file that may just have been created: a umask can also remove permissions of
/// its user.
fn created(file: File) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata()?.permissions().mode();
        if mode & mode::ALL != mode::FILE {
            // Another user's file is left as it is.
            let _ = file.set_permissions(permissions(mode::FILE));
        }
    }
    Ok(file)
}

/// The content of a regular file; `None` if `path` does not exist.
///
/// # Errors
///
/// [`io::ErrorKind::InvalidData`] for what is not a regular file, or not UTF-8.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    match is_regular(path)? {
        None => Ok(None),
        Some(true) => fs::read_to_string(path).map(Some),
        Some(false) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "not a regular file",
        )),
    }
}

/// Whether `path` is a regular file; `None` if it does not exist. Links are not followed.
pub(crate) fn is_regular(path: &Path) -> io::Result<Option<bool>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata.is_file())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether `path` exists and is not a regular file.
pub(crate) fn is_obstructed(path: &Path) -> bool {
    matches!(is_regular(path), Ok(Some(false)))
}

/// The bytes that the files in a folder and below take.
pub(crate) fn bytes_in(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_path_buf()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        // A file that a writer removes meanwhile is not counted.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                Ok(metadata) => bytes += metadata.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

/// Removes `path`, whatever it is.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes `path` if it is not a regular file.
pub(crate) fn clear(path: &Path) -> io::Result<()> {
    match is_obstructed(path) {
        true => remove(path),
        false => Ok(()),
    }
}

/// Replaces the file at `path` with one that has these bytes. A reader sees the old content or the
/// new one, even after a power failure.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    create_dir_all(folder)?;
    let (prefix, suffix) = TEMPORARY;
    // Under a name that no other process uses.
    let mut file = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(suffix)
        .tempfile_in(folder)?;
    #[cfg(unix)]
    file.as_file().set_permissions(permissions(mode::FILE))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    clear(path)?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Like [`replace`], but without waiting for the disk: for files that can be derived again. Two
/// processes that write one at once may leave neither of the two contents.
pub(crate) fn replace_derived(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_derived_by(path, |file| file.write_all(bytes))
}

/// [`replace_derived`], with what `write` writes.
pub(crate) fn replace_derived_by(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let unfinished = unfinished(path);
    clear(&unfinished)?;
    let mut file = open_or_create(&unfinished)?;
    file.set_len(0)?;
    write(&mut file)?;
    drop(file);
    clear(path)?;
    fs::rename(unfinished, path)
}

/// The name of the file at `path` while [`replace_derived`] writes it.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(TEMPORARY.1);
    name.into()
}

/// The name of a complete file, from its name until then.
pub(crate) fn finished(name: &str) -> &str {
    name.strip_suffix(TEMPORARY.1).unwrap_or(name)
}

/// Whether a file was left by a process that was killed while writing it.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

/// Waits until the entries of a folder are on the disk. Where a folder cannot be opened, as on
/// Windows, the system takes care of that.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(path)?.sync_all(),
        false => Ok(()),
    }
}

/// Makes a file private, or a folder with all its contents, the folder itself last. Skips files of
/// other users and files that are removed meanwhile.
#[cfg(unix)]
pub(crate) fn make_private(path: &Path) {
    let kind = fs::symlink_metadata(path).map(|metadata| metadata.file_type());
    match kind {
        Ok(kind) if kind.is_dir() => {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                make_private(&entry.path());
            }
            restrict(path, mode::FOLDER);
        }
        Ok(kind) if kind.is_file() => restrict(path, mode::FILE),
        _ => {}
    }
}

#[cfg(not(unix))]
pub(crate) fn make_private(_: &Path) {}

/// Makes a folder private, but not its contents. On systems without modes it does nothing.
pub fn make_folder_private(folder: &Path) {
    #[cfg(unix)]
    if !is_private(folder) && fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir()) {
        restrict(folder, mode::FOLDER);
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Whether `path` is private to its user; true if it does not exist.
#[cfg(unix)]
pub(crate) fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::symlink_metadata(path);
    metadata.map_or(true, |it| it.permissions().mode() & mode::OTHERS == 0)
}

#[cfg(not(unix))]
pub(crate) fn is_private(_: &Path) -> bool {
    true
}

#[cfg(unix)]
fn restrict(path: &Path, mode: u32) {
    if !is_private(path) {
        // On a read-only disk, or for another user's files, there is nothing to do.
        let _ = fs::set_permissions(path, permissions(mode));
    }
}

#[cfg(unix)]
fn permissions(mode: u32) -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(mode)
}

#[cfg(unix)]
mod mode {
    pub(super) const FOLDER: u32 = 0o700;
    pub(super) const FILE: u32 = 0o600;
    /// The permissions of group and others.
    pub(super) const OTHERS: u32 = 0o077;
    pub(super) const ALL: u32 = 0o777;
}

/// Whether `file` is the one that is at `path` now. Where the system cannot tell, a file that is
/// open cannot be replaced.
#[cfg(unix)]
pub(crate) fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |it: &fs::Metadata| (it.dev(), it.ino());
    let (open, named) = (file.metadata(), fs::symlink_metadata(path));
    matches!((&open, &named), (Ok(open), Ok(named)) if id(open) == id(named))
}

#[cfg(not(unix))]
pub(crate) fn is_same(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for replace in [replace, replace_derived] {
            replace(&path, b"first").unwrap();
            let open = File::open(&path).unwrap();
            replace(&path, b"second").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"second");
            assert_eq!(io::read_to_string(open).unwrap(), "first");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn what_lies_in_the_place_of_a_file_makes_room() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for replace in [replace, replace_derived] {
            fs::create_dir_all(path.join("folder")).unwrap();
            fs::create_dir_all(unfinished(&path)).unwrap();
            assert!(read(&path).is_err());
            replace(&path, b"text").unwrap();
            assert_eq!(read(&path).unwrap().as_deref(), Some("text"));
            remove(&path).unwrap();
            remove(&unfinished(&path)).unwrap();
            assert_eq!(read(&path).unwrap(), None);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let [path, outside] = ["file", "outside"].map(|name| dir.path().join(name));
        fs::write(&outside, "mine").unwrap();
        for replace in [replace, replace_derived] {
            std::os::unix::fs::symlink(&outside, &path).unwrap();
            assert!(read(&path).is_err());
            replace(&path, b"text").unwrap();
            assert_eq!(fs::read(&outside).unwrap(), b"mine");
            remove(&path).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_made_private_is_so_all_the_way_down() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("a");
        fs::create_dir_all(root.join("b")).unwrap();
        fs::write(root.join("b/c"), "").unwrap();
        let mode = |path: &str, mode| {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(dir.path().join(path), mode).unwrap();
        };
        mode("a", 0o755);
        mode("a/b", 0o777);
        mode("a/b/c", 0o666);
        make_private(&root);
        for path in ["a", "a/b", "a/b/c"] {
            assert!(is_private(&dir.path().join(path)), "{path}");
        }
        assert_eq!(fs::metadata(root.join("b/c")).unwrap().len(), 0);
    }
}
