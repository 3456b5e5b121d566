//! Sources that are not on this disk: how they are reached, and what is remembered of it in a
//! [`RemoteState`].

mod clone;
#[cfg(feature = "objects")]
mod listed;
pub(crate) mod part;
pub(crate) mod push;
mod state;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use excerpt_index::{Collection, Error, Files, Origin, Selection, Source};

pub use self::state::{RemoteState, now};

/// The source at `origin`, for the index in the directory `index`. A git repository is fetched; an
/// object store is asked when its entries are.
///
/// # Errors
///
/// [`Error::Source`] when it cannot be reached, or has no such commit or folder, and
/// [`Error::Locked`] while another process fetches it.
pub(crate) fn opened(
    index: &Path,
    origin: &Origin,
    selection: &Selection,
) -> Result<Box<dyn Source>, Error> {
    Ok(match origin {
        Origin::Disk(path) => Box::new(Files::selected(path, selection)?),
        Origin::Git(origin) => Box::new(clone::fetched(index, origin, selection)?),
        #[cfg(feature = "objects")]
        Origin::Objects(objects) => {
            Box::new(listed::ListedSource::open(index, objects, selection)?)
        }
        origin => {
            return Err(Error::Source {
                path: origin.to_string().into(),
                source: io::Error::other("this program was built without object stores"),
            });
        }
    })
}

/// Removes what is kept about the removed source with this root in the index directory `index`: its
/// state, and its clone unless one of the `others` uses it.
///
/// # Errors
///
/// When the clone cannot be removed.
pub(crate) fn forget(index: &Path, root: &Path, others: &[Collection]) -> io::Result<()> {
    forget_state(index, root);
    let Origin::Git(origin) = Origin::of(root) else {
        return Ok(());
    };
    let clone = origin.clone_in(index);
    let uses_it = |other: &Collection| match Origin::of(&other.root) {
        Origin::Git(other) => other.clone_in(index) == clone,
        _ => false,
    };
    if others.iter().any(uses_it) {
        return Ok(());
    }
    let _ = fs::remove_file(clone.with_extension("lock"));
    match clone.exists() {
        true => fs::remove_dir_all(&clone),
        false => Ok(()),
    }
}

/// Removes the state of the source with this root in the index directory `index`, but not its
/// clone.
pub(crate) fn forget_state(index: &Path, root: &Path) {
    let origin = Origin::of(root);
    if origin.is_remote() {
        let _ = fs::remove_file(origin.state_in(index));
    }
}

/// Whether the index directory `index` has a clone of the repository at `root`.
pub(crate) fn has_clone(index: &Path, root: &Path) -> bool {
    match Origin::of(root) {
        Origin::Git(origin) => origin.clone_in(index).exists(),
        _ => false,
    }
}

/// Takes the lock at `path`, which ends with the file or the process.
///
/// # Errors
///
/// When another process has it, or the file cannot be made.
pub(crate) fn locked(path: &Path) -> Result<File, TryLockError> {
    let folder = path.parent().unwrap_or(path);
    folder_made(folder).map_err(TryLockError::Error)?;
    let file = File::create(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

/// Makes the folder for what is kept about remote sources.
fn folder_made(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    excerpt_index::make_folder_private(folder);
    Ok(())
}
