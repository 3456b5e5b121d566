//! Where a source is: [`Origin`].

use std::fmt;
use std::path::{Path, PathBuf};

use excerpt_chunk::Hash;

use super::{GitOrigin, ObjectOrigin};

/// Where a source is, as the root of its collection says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A folder or a file on this disk.
    Disk(PathBuf),
    /// Files of a git repository that is fetched.
    Git(GitOrigin),
    /// Objects of an object store.
    Objects(ObjectOrigin),
}

impl Origin {
    /// The origin with this root. What is no address is a path.
    #[must_use]
    pub fn of(root: &Path) -> Origin {
        let address = root.to_str().filter(|_| !root.is_absolute());
        let git = address.and_then(|address| Some(Origin::Git(address.parse().ok()?)));
        let objects = || address.and_then(|address| Some(Origin::Objects(address.parse().ok()?)));
        git.or_else(objects)
            .unwrap_or_else(|| Origin::Disk(root.to_path_buf()))
    }

    /// Whether it may exist: of what is not on this disk, nobody knows without asking.
    #[must_use]
    pub fn exists(&self) -> bool {
        match self {
            Origin::Disk(path) => path.exists(),
            Origin::Git(_) | Origin::Objects(_) => true,
        }
    }

    /// Its address without the part of it that is read: that of a repository, or that of the
    /// objects.
    #[must_use]
    pub fn address(&self) -> String {
        match self {
            Origin::Git(origin) => origin.remote().to_string(),
            Origin::Disk(_) | Origin::Objects(_) => self.to_string(),
        }
    }

    /// The file inside the index directory `index` where a program keeps what it knows about this
    /// origin besides its contents.
    #[must_use]
    pub fn state_in(&self, index: &Path) -> PathBuf {
        let id = Hash::of(self.to_string().as_bytes());
        let name = format!("{id}.json");
        index.join(crate::fs::layout::REMOTES).join(name)
    }

    /// Whether it is not on this disk.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        !matches!(self, Origin::Disk(_))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Disk(path) => path.display().fmt(f),
            Origin::Git(origin) => origin.fmt(f),
            Origin::Objects(origin) => origin.fmt(f),
        }
    }
}
