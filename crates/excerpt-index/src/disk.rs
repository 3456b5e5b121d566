//! The files of an index directory. They are private to their user whatever the umask says, they are replaced as a whole, and only regular files are
//! read: a folder, a FIFO, a device or a link that lies in the place of one counts as damage.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How the names of files begin and end that are not complete yet, besides the random part between.
const TEMPORARY: (&str, &str) = (".excerpt-", ".new");

/// Makes a folder and those above it that are missing, with mode 0700.
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

/// Creates a file that does not exist yet, to be written, with mode 0600.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    created(private().write(true).create_new(true).open(path)?)
}

/// Opens a file to be read and written; creates it with mode 0600 if it does not exist.
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

/// A file that may just have been created, with the mode that it ought to have: a umask can take from its user, too.
fn created(file: File) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata()?.permissions().mode();
        if mode & mode::ALL != mode::FILE {
            // The file of another user stays as it is.
            let _ = file.set_permissions(permissions(mode::FILE));
        }
    }
    Ok(file)
}

/// The content of a regular file; none if nothing lies at `path`.
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

/// Whether a regular file lies at `path`; none if nothing does. Links are not followed.
pub(crate) fn is_regular(path: &Path) -> io::Result<Option<bool>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata.is_file())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether something other than a regular file lies at `path`.
pub(crate) fn is_obstructed(path: &Path) -> bool {
    matches!(is_regular(path), Ok(Some(false)))
}

/// Removes what lies at `path`, whatever it is.
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

/// Removes what lies in the place of a regular file and is none.
pub(crate) fn clear(path: &Path) -> io::Result<()> {
    match is_obstructed(path) {
        true => remove(path),
        false => Ok(()),
    }
}

/// Puts a file with these bytes in place of what lies at `path`. A reader sees the old content or the new one, also after a power failure.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    create_dir_all(folder)?;
    let (prefix, suffix) = TEMPORARY;
    // Under a name that no other process has.
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

/// Puts a file in place of what lies at `path`, as [`replace`], without waiting for the disk: for what is derived, and written by the holder of the lock.
pub(crate) fn replace_derived(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = unfinished(path);
    clear(&unfinished)?;
    let mut file = open_or_create(&unfinished)?;
    file.set_len(0)?;
    file.write_all(bytes)?;
    drop(file);
    clear(path)?;
    fs::rename(unfinished, path)
}

/// What the file at `path` is called while [`replace_derived`] writes it.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(TEMPORARY.1);
    name.into()
}

/// The name of a file that is complete, from the name that it may have until then.
pub(crate) fn finished(name: &str) -> &str {
    name.strip_suffix(TEMPORARY.1).unwrap_or(name)
}

/// Whether a file was left by a process that ended while it wrote.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

/// Waits until the entries of a folder are on the disk. Where a folder cannot be opened, as on Windows, the system sees to it.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(path)?.sync_all(),
        false => Ok(()),
    }
}

/// Makes a file private, or a folder and all in it, the folder itself last. Files of other users, and those that vanish meanwhile, stay as they are.
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

/// Makes a folder private, and nothing in it; on systems without modes, it stays as it is.
pub fn make_folder_private(folder: &Path) {
    #[cfg(unix)]
    if !is_private(folder) && fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir()) {
        restrict(folder, mode::FOLDER);
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Whether only its user may use what lies at `path`; true if nothing does.
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
        // On a disk that may only be read, or among the files of another user, there is nothing to be done.
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
    /// What the group and others may do.
    pub(super) const OTHERS: u32 = 0o077;
    pub(super) const ALL: u32 = 0o777;
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
