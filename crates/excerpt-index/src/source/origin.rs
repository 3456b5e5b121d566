//! Where a source is: [`Origin`].

use std::path::{Path, PathBuf};

use super::GitOrigin;

/// Where a source is, as the root of its collection says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A folder or a file on this disk.
    Disk(PathBuf),
    /// Files of a git repository that is fetched.
    Git(GitOrigin),
}

impl Origin {
    /// The origin with this root. What is no address is a path.
    #[must_use]
    pub fn of(root: &Path) -> Origin {
        let address = root.to_str().filter(|_| !root.is_absolute());
        match address.and_then(|address| address.parse().ok()) {
            Some(origin) => Origin::Git(origin),
            None => Origin::Disk(root.to_path_buf()),
        }
    }

    /// Whether it may exist: of what is not on this disk, nobody knows without asking.
    #[must_use]
    pub fn exists(&self) -> bool {
        match self {
            Origin::Disk(path) => path.exists(),
            Origin::Git(_) => true,
        }
    }

    /// Whether it is not on this disk.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        !matches!(self, Origin::Disk(_))
    }
}
