//! The clones of git repositories in an index directory, and how they are fetched.

use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};

use excerpt_index::{Error, GitCommit, GitOrigin, GitReference, Origin, Selection};

use super::{RemoteState, locked};

/// Fetches the repository of `origin` into its clone in the index directory `index`. A commit that
/// is there already is not fetched again.
///
/// # Errors
///
/// [`Error::Source`] when it cannot be reached, or has no such commit or folder, and
/// [`Error::Locked`] while another process fetches it.
pub(super) fn fetched(
    index: &Path,
    origin: &GitOrigin,
    selection: &Selection,
) -> Result<GitCommit, Error> {
    let whole = Origin::Git(origin.clone());
    let clone = origin.clone_in(index);
    let unwritable = |source| Error::Io {
        path: clone.clone(),
        source,
    };
    let lock = locked(&clone.with_extension("lock")).map_err(|error| match error {
        TryLockError::WouldBlock => Error::Locked {
            path: index.to_path_buf(),
            holder: None,
        },
        TryLockError::Error(source) => unwritable(source),
    })?;
    let mut state = RemoteState::of_origin(index, &whole);
    let mut opened = opened(origin, &clone, selection);
    match &mut opened {
        Ok(commit) => {
            state.reached();
            state.commit = Some(commit.commit().to_string());
            if state.compares_everything() {
                commit.forget_cursors();
            }
        }
        Err(error) => state.failed(error),
    }
    state.keep(index, &whole);
    drop(lock);
    opened
}

fn opened(origin: &GitOrigin, clone: &Path, selection: &Selection) -> Result<GitCommit, Error> {
    let unreachable = |error| Error::Source {
        path: PathBuf::from(origin.to_string()),
        source: io::Error::other(error),
    };
    let open = |commit: &str| {
        let under = Some(&*origin.under).filter(|under| !under.is_empty());
        let commit = GitCommit::open(origin.id(), clone, commit, under, selection)?;
        origin.remote().complete(&commit).map_err(unreachable)?;
        Ok(commit)
    };
    if let GitReference::Commit(id) = &origin.reference
        && clone.is_dir()
        && let Ok(commit) = open(id)
    {
        return Ok(commit);
    }
    let commit = origin.remote().fetch(&origin.reference, clone);
    open(&commit.map_err(unreachable)?)
}
