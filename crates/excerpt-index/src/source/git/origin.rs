//! A part of a remote repository at a branch, tag or commit: [`GitOrigin`].

use std::fmt;
use std::path::{Path, PathBuf};

use excerpt_chunk::Hash;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::{GitAddressError, GitReference, GitRemote};
use crate::model::{SourceId, segments};

/// What is escaped in the parts of an id.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'#').add(b'%').add(b' ');

/// Files of a remote repository: those of a branch, tag or commit, or of one folder of it.
///
/// It is written as one text, which is the [id](GitOrigin::id) of the source and the root of its
/// collection: the address of the repository, and what differs from the default in the form
/// `#branch=main#under=docs`. A `#`, `%`, space or control character in these is percent-encoded.
///
/// ```
/// use excerpt_index::GitOrigin;
///
/// let origin: GitOrigin = "https://host/owner/repo.git#tag=v1#under=docs".parse().unwrap();
/// assert_eq!(origin.remote().to_string(), "https://host/owner/repo.git");
/// assert_eq!(origin.to_string(), "https://host/owner/repo.git#tag=v1#under=docs");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitOrigin {
    remote: GitRemote,
    /// What of the repository is read.
    pub reference: GitReference,
    /// The folder; empty for all of it.
    pub under: String,
}

impl GitOrigin {
    /// What `reference` names of a repository, below the folder `under` if there is one.
    #[must_use]
    pub fn new(remote: GitRemote, reference: GitReference, under: Option<&str>) -> GitOrigin {
        GitOrigin {
            remote,
            reference,
            under: segments(under.unwrap_or_default()),
        }
    }

    /// The repository.
    #[must_use]
    pub fn remote(&self) -> &GitRemote {
        &self.remote
    }

    /// The id of the source.
    #[must_use]
    pub fn id(&self) -> SourceId {
        self.to_string().into()
    }

    /// The folder of its clone inside the index directory `index`. All origins in a repository
    /// share one.
    #[must_use]
    pub fn clone_in(&self, index: &Path) -> PathBuf {
        let address = Hash::of(self.remote.to_string().as_bytes());
        index
            .join(crate::fs::layout::REMOTES)
            .join(address.to_string())
    }

    /// The address of a web page that shows lines of the document at `path` as of a commit: see
    /// [`GitRemote::permalink`].
    #[must_use]
    pub fn permalink(&self, commit: &str, path: &str, lines: (usize, usize)) -> Option<String> {
        match &*self.under {
            "" => self.remote.permalink(commit, path, lines),
            under => {
                let path = format!("{under}/{path}");
                self.remote.permalink(commit, &path, lines)
            }
        }
    }
}

impl fmt::Display for GitOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.remote)?;
        let escaped = |text| utf8_percent_encode(text, ESCAPED);
        match &self.reference {
            GitReference::Default => {}
            GitReference::Branch(name) => write!(f, "#branch={}", escaped(name))?,
            GitReference::Tag(name) => write!(f, "#tag={}", escaped(name))?,
            GitReference::Commit(id) => write!(f, "#commit={}", escaped(id))?,
        }
        match &*self.under {
            "" => Ok(()),
            under => write!(f, "#under={}", escaped(under)),
        }
    }
}

impl std::str::FromStr for GitOrigin {
    type Err = GitAddressError;

    /// Reads what [`GitOrigin`] is displayed as.
    ///
    /// # Errors
    ///
    /// Those of [`GitRemote::parse`], and [`GitAddressError::Fragment`].
    fn from_str(text: &str) -> Result<GitOrigin, GitAddressError> {
        let mut parts = text.split('#');
        let address = parts.next().unwrap_or_default();
        // A path may be that of a folder.
        if Path::new(address).is_absolute() {
            return Err(GitAddressError::Unknown);
        }
        let remote = GitRemote::parse(address)?;
        let mut origin = GitOrigin::new(remote, GitReference::Default, None);
        for part in parts {
            let (name, value) = part.split_once('=').ok_or(GitAddressError::Fragment)?;
            let value = percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| GitAddressError::Fragment)?.into_owned();
            match name {
                "branch" => origin.reference = GitReference::Branch(value),
                "tag" => origin.reference = GitReference::Tag(value),
                "commit" => origin.reference = GitReference::Commit(value),
                "under" => origin.under = segments(&value),
                _ => return Err(GitAddressError::Fragment),
            }
        }
        Ok(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_read_as_it_is_written() {
        for (reference, under) in [
            (GitReference::Default, ""),
            (GitReference::Branch("a#b=c %d".into()), "docs/with #"),
            (GitReference::Tag("v1.2".into()), ""),
            (GitReference::Commit("c0ffee".into()), "docs"),
        ] {
            for address in ["git@host:o/r.git", "https://host/o/r", "file:///srv/a%23b"] {
                let remote = GitRemote::parse(address).unwrap();
                let origin = GitOrigin::new(remote, reference.clone(), Some(under));
                let read: GitOrigin = origin.to_string().parse().unwrap();
                assert_eq!(read, origin);
            }
        }
        for text in [
            "https://host/r#main",
            "https://host/r#x=y",
            "-x",
            "/notes",
            "",
        ] {
            assert!(text.parse::<GitOrigin>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_repository_is_cloned_once_for_all_its_branches() {
        let origin = |text: &str| text.parse::<GitOrigin>().unwrap();
        let folder = |text: &str| origin(text).clone_in(Path::new("/index"));
        let main = folder("https://host/r#branch=main");
        assert_eq!(main, folder("https://host/r#tag=v1#under=docs"));
        assert_ne!(main, folder("https://host/r2"));
    }
}
