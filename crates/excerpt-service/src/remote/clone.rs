//! The clones of git repositories in an index directory, and how they are fetched.

use std::collections::BTreeSet;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use excerpt_index::{Error, GitCommit, GitOrigin, GitReference, Origin, Selection};

use super::{RemoteState, locked};

/// The clones that this process is fetching into.
static FETCHING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Notified when one of them is free again.
static FETCHED: Condvar = Condvar::new();

/// The right of a thread to fetch into a clone. The threads of a process wait for each other, since
/// several collections may share a clone; other processes are kept out by a file.
struct Turn<'c>(&'c Path);

impl<'c> Turn<'c> {
    /// Waits for the threads of this process that fetch into `clone`.
    fn wait_for(clone: &'c Path) -> Turn<'c> {
        let mut fetching = Turn::fetching();
        while !fetching.insert(clone.to_path_buf()) {
            let free = FETCHED.wait(fetching);
            fetching = free.unwrap_or_else(PoisonError::into_inner);
        }
        Turn(clone)
    }

    fn fetching() -> MutexGuard<'static, BTreeSet<PathBuf>> {
        FETCHING.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        Turn::fetching().remove(self.0);
        FETCHED.notify_all();
    }
}

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
    let turn = Turn::wait_for(&clone);
    let lock = locked(&clone.with_extension("lock")).map_err(|error| match error {
        TryLockError::WouldBlock => Error::Locked {
            path: index.to_path_buf(),
            holder: None,
            progress: None,
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
    drop(turn);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn the_threads_of_a_process_fetch_into_a_clone_one_after_the_other() {
        let dir = tempfile::tempdir().unwrap();
        let (clone, other) = (dir.path().join("clone"), dir.path().join("other"));
        let is_taken = AtomicBool::new(false);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    for _ in 0..100 {
                        let _turn = Turn::wait_for(&clone);
                        assert!(!is_taken.swap(true, Ordering::SeqCst));
                        std::thread::yield_now();
                        is_taken.store(false, Ordering::SeqCst);
                    }
                });
            }
        });
        // Another clone is not waited for.
        let _one = Turn::wait_for(&clone);
        let _another = Turn::wait_for(&other);
    }

    #[test]
    fn several_collections_of_a_repository_are_fetched_at_the_same_time() {
        let dir = tempfile::tempdir().unwrap();
        let origin = Origin::of(Path::new("file:///nowhere/to/be/found.git"));
        let Origin::Git(origin) = origin else {
            panic!("{origin:?} is no repository");
        };
        std::thread::scope(|threads| {
            let fetch = || {
                for _ in 0..5 {
                    let fetched = fetched(dir.path(), &origin, &Selection::default());
                    assert!(matches!(fetched, Err(Error::Source { .. })), "{fetched:?}");
                }
            };
            threads.spawn(fetch);
            threads.spawn(fetch);
        });
    }
}
