//! Sources that are not on this disk: they are fetched before they are read, and what happened is
//! kept as a [`RemoteState`].

pub(crate) mod push;
pub(crate) mod repository;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use excerpt_index::{Collection, Error, GitCommit, GitOrigin, GitReference, Origin, Selection};
use serde::{Deserialize, Serialize};

/// How often changes of a remote source are looked for, in seconds.
pub(crate) const INTERVAL: i64 = 5 * 60;

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// The longest time between two attempts to reach a source, in seconds.
const LONGEST_PAUSE: i64 = 60 * 60;

/// What is known about a source that is not on this disk. Times are in seconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RemoteState {
    /// Its address, without a password.
    pub address: String,
    /// The commit that was read last.
    pub commit: Option<String>,
    /// When it was last reached.
    pub reached: Option<i64>,
    /// When it was last tried.
    pub tried: Option<i64>,
    /// Why it could not be reached the last time.
    pub failure: Option<String>,
    /// How often in a row it could not be reached.
    pub failures: u32,
    /// When everything was last compared, and not only what had changed since.
    pub compared: Option<i64>,
}

impl RemoteState {
    /// That of the source with this root in the index directory `index`; `None` if it is on this
    /// disk.
    #[must_use]
    pub fn of(index: &Path, root: &Path) -> Option<RemoteState> {
        match Origin::of(root) {
            Origin::Git(origin) => Some(RemoteState::of_origin(index, &origin)),
            _ => None,
        }
    }

    /// What is lost or cannot be read is as if the source had never been tried.
    fn of_origin(index: &Path, origin: &GitOrigin) -> RemoteState {
        let text = fs::read_to_string(origin.state_in(index)).unwrap_or_default();
        RemoteState {
            address: origin.remote().to_string(),
            ..serde_json::from_str(&text).unwrap_or_default()
        }
    }

    /// When it is tried again without being asked to.
    #[must_use]
    pub fn next(&self) -> i64 {
        let Some(tried) = self.tried else {
            return 0;
        };
        let doublings = self.failures.min(8);
        let pause = match doublings {
            0 => INTERVAL,
            _ => (30_i64 << doublings).min(LONGEST_PAUSE),
        };
        tried.saturating_add(pause)
    }

    /// Whether it is time to try it again. A clock that was set back does not delay it for long.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let now = now();
        now >= self.next() || self.tried.is_some_and(|tried| tried > now)
    }

    /// Whether everything is to be compared this time, as once a day: whatever was missed before is
    /// found then.
    fn compares_everything(&mut self) -> bool {
        let now = now();
        let is_late = self
            .compared
            .is_none_or(|at| !(at..at + DAY).contains(&now));
        if is_late {
            self.compared = Some(now);
        }
        is_late
    }

    /// Records an attempt to reach the source.
    fn record(&mut self, result: &Result<GitCommit, Error>) {
        let now = now();
        self.tried = Some(now);
        match result {
            Ok(commit) => {
                self.reached = Some(now);
                self.commit = Some(commit.commit().to_string());
                self.failure = None;
                self.failures = 0;
            }
            Err(error) => {
                self.failure = Some(match error {
                    Error::Source { source, .. } => source.to_string(),
                    error => error.to_string(),
                });
                self.failures = self.failures.saturating_add(1);
            }
        }
    }

    /// Keeps it for other processes. It is only a memory: if it cannot be written, the source is
    /// tried again earlier.
    fn keep(&self, path: &Path) {
        let written = path.parent().map(|folder| {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer(&mut file, self)?;
            file.persist(path)?;
            io::Result::Ok(())
        });
        drop(written);
    }
}

/// Fetches the repository of `origin` into its clone in the index directory `index`. A commit that
/// is there already is not fetched again.
///
/// # Errors
///
/// [`Error::Source`] when it cannot be reached, or has no such commit or folder, and
/// [`Error::Locked`] while another process fetches it.
pub(crate) fn fetched(
    index: &Path,
    origin: &GitOrigin,
    selection: &Selection,
) -> Result<GitCommit, Error> {
    let clone = origin.clone_in(index);
    let unwritable = |source| Error::Io {
        path: clone.clone(),
        source,
    };
    let lock = locked(&clone).map_err(|error| match error {
        TryLockError::WouldBlock => Error::Locked {
            path: index.to_path_buf(),
            holder: None,
        },
        TryLockError::Error(source) => unwritable(source),
    })?;
    let mut state = RemoteState::of_origin(index, origin);
    let mut opened = opened(origin, &clone, selection);
    state.record(&opened);
    if let Ok(commit) = &mut opened
        && state.compares_everything()
    {
        commit.forget_cursors();
    }
    state.keep(&origin.state_in(index));
    drop(lock);
    opened
}

/// Removes what is kept about the removed source with this root in the index directory `index`: its
/// state, and its clone unless one of the `others` uses it.
///
/// # Errors
///
/// When the clone cannot be removed.
pub(crate) fn forget(index: &Path, root: &Path, others: &[Collection]) -> io::Result<()> {
    let Origin::Git(origin) = Origin::of(root) else {
        return Ok(());
    };
    let clone = origin.clone_in(index);
    let uses_it = |other: &Collection| match Origin::of(&other.root) {
        Origin::Git(other) => other.clone_in(index) == clone,
        _ => false,
    };
    let _ = fs::remove_file(origin.state_in(index));
    if others.iter().any(uses_it) || !clone.exists() {
        return Ok(());
    }
    let _ = fs::remove_file(clone.with_extension("lock"));
    fs::remove_dir_all(&clone)
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

/// Takes the lock of a clone, which ends with the file or the process.
fn locked(clone: &Path) -> Result<File, TryLockError> {
    let folder = clone.parent().unwrap_or(clone);
    fs::create_dir_all(folder).map_err(TryLockError::Error)?;
    excerpt_index::make_folder_private(folder);
    let path = clone.with_extension("lock");
    let file = File::create(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_fails_is_tried_less_and_less_often() {
        let mut state = RemoteState::default();
        assert!(state.is_due());
        let pauses = (0..12).map(|failures| {
            state.failures = failures;
            state.tried = Some(1_000);
            state.next() - 1_000
        });
        let pauses: Vec<i64> = pauses.collect();
        assert_eq!(pauses[0], INTERVAL);
        assert!(pauses[1..].is_sorted() && pauses[1] == 60, "{pauses:?}");
        assert_eq!(pauses[11], LONGEST_PAUSE);
        state.tried = Some(now() + 1_000_000);
        assert!(state.is_due(), "the clock was set back");
    }
}
