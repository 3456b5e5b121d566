//! An [`OpenFolder`] stays open while files are written into it, so that nothing is written into
//! whatever replaces it, or a folder above it, in the meantime.

use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(unix)]
use std::os::fd::OwnedFd;

#[cfg(unix)]
use rustix::fs::{Mode, OFlags, mkdirat, open, openat};

/// See the module. Systems other than Unix have no such handles: there, the folder is looked up
/// again for each file.
pub(crate) struct OpenFolder {
    #[cfg(unix)]
    handle: OwnedFd,
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

#[cfg(unix)]
impl OpenFolder {
    /// The flags to open a folder without following a link.
    const PLAIN: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);

    /// The folder `path` below `root`, created if it does not exist. A link in the path is an
    /// error, even one that leads inside.
    pub(crate) fn made(root: &Path, path: &Path) -> io::Result<OpenFolder> {
        let mut handle = open(root, OpenFolder::PLAIN, Mode::empty())?;
        for part in path.components() {
            let part = part.as_os_str();
            match mkdirat(&handle, part, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            handle = openat(&handle, part, OpenFolder::PLAIN, Mode::empty())?;
        }
        Ok(OpenFolder { handle })
    }

    /// Creates a new file in it.
    pub(crate) fn new_file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(&self.handle, name, flags, Mode::from_raw_mode(0o666))?;
        Ok(File::from(file))
    }
}

#[cfg(not(unix))]
impl OpenFolder {
    /// The folder `path` below `root`, created if it does not exist.
    pub(crate) fn made(root: &Path, path: &Path) -> io::Result<OpenFolder> {
        let path = root.join(path);
        std::fs::create_dir_all(&path)?;
        Ok(OpenFolder { path })
    }

    /// Creates a new file in it.
    pub(crate) fn new_file(&self, name: &str) -> io::Result<File> {
        File::create_new(self.path.join(name))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::io::ErrorKind;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_is_made_and_no_link_followed() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let root = root.path();
        let folder = OpenFolder::made(root, Path::new("a/b")).unwrap();
        folder.new_file("x.md").unwrap();
        assert!(root.join("a/b/x.md").is_file());
        let twice = OpenFolder::made(root, Path::new("a/b"))
            .unwrap()
            .new_file("x.md");
        assert_eq!(twice.unwrap_err().kind(), ErrorKind::AlreadyExists);
        symlink(outside.path(), root.join("out")).unwrap();
        symlink(root.join("a"), root.join("in")).unwrap();
        for link in ["out", "out/deep", "in/b"] {
            assert!(OpenFolder::made(root, Path::new(link)).is_err(), "{link}");
        }
        symlink(outside.path().join("y.md"), root.join("a/y.md")).unwrap();
        let link = OpenFolder::made(root, Path::new("a"))
            .unwrap()
            .new_file("y.md");
        assert_eq!(link.unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_takes_the_place_of_a_folder_is_not_written_to() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let root = root.path();
        let folder = OpenFolder::made(root, Path::new("a/b")).unwrap();
        fs::rename(root.join("a"), root.join("moved")).unwrap();
        fs::create_dir(outside.path().join("b")).unwrap();
        symlink(outside.path(), root.join("a")).unwrap();
        folder.new_file("x.md").unwrap();
        assert!(root.join("moved/b/x.md").is_file());
        assert_eq!(fs::read_dir(outside.path().join("b")).unwrap().count(), 0);
    }
}
