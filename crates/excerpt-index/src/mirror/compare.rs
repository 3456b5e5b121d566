//! Comparing what a mirror has written with what is there now: by its stamp, and where that
//! differs, by its bytes.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::manifest::Written;
use super::run::{WRITERS, is_of_path};
use super::{MirrorTarget, ObjectStamp};

/// A path, and what the manifest says is there.
pub(super) struct Claim<'m> {
    pub(super) path: &'m str,
    pub(super) written: &'m Written,
    /// Whether the bytes are compared, whatever the stamp is.
    pub(super) is_read: bool,
}

/// What is at the path of a [`Claim`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum There {
    /// The bytes that were written. With their stamp, if the manifest has another one.
    Same(ObjectStamp),
    /// Other bytes.
    Changed,
    Nothing,
    /// Something that cannot be compared, and why.
    Unreadable(String),
}

/// What is at the paths of some claims, in their order.
///
/// # Errors
///
/// When the destination cannot be reached, or does not tell what it has.
pub(super) fn compare(target: &dyn MirrorTarget, claims: &[Claim<'_>]) -> io::Result<Vec<There>> {
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    let paths: Vec<&str> = claims.iter().map(|claim| claim.path).collect();
    let stamps = target.stamps(&paths)?;
    let mut found: Vec<Option<There>> = claims.iter().map(|claim| claim.at_once(&stamps)).collect();
    let doubtful: Vec<usize> = (0..claims.len())
        .filter(|at| found[*at].is_none())
        .collect();
    let read = in_turn(&doubtful, |at| claims[at].read(target, &stamps))?;
    for (at, there) in read {
        found[at] = Some(there);
    }
    Ok(found.into_iter().flatten().collect())
}

impl Claim<'_> {
    /// What the stamps tell; `None` if the bytes must be compared.
    fn at_once(&self, stamps: &HashMap<String, ObjectStamp>) -> Option<There> {
        match stamps.get(self.path) {
            None => Some(There::Nothing),
            Some(stamp) => {
                let is_same = stamp.is_some() && *stamp == self.written.stamp;
                (is_same && !self.is_read).then_some(There::Same(None))
            }
        }
    }

    /// What the bytes tell.
    fn read(
        &self,
        target: &dyn MirrorTarget,
        stamps: &HashMap<String, ObjectStamp>,
    ) -> io::Result<There> {
        match target.hash(self.path) {
            // What was changed after it was listed has another stamp the next time.
            Ok(Some(content)) if content == self.written.content => {
                let stamp = stamps.get(self.path).cloned().flatten();
                let known = self.written.stamp.as_ref();
                Ok(There::Same(stamp.filter(|stamp| known != Some(stamp))))
            }
            Ok(Some(_)) => Ok(There::Changed),
            Ok(None) => Ok(There::Nothing),
            Err(error) if is_of_path(&error) => Ok(There::Unreadable(error.to_string())),
            Err(error) => Err(io::Error::new(
                error.kind(),
                format!("`{}`: {error}", self.path),
            )),
        }
    }
}

/// Does some work for each number, several at a time. After an error, no more is begun.
fn in_turn<T: Send>(
    numbers: &[usize],
    work: impl Fn(usize) -> io::Result<T> + Sync,
) -> io::Result<Vec<(usize, T)>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Ok(Vec::with_capacity(numbers.len())));
    let locked = || done.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..numbers.len().min(WRITERS) {
            scope.spawn(|| {
                while let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(*number);
                    let mut done = locked();
                    match (&mut *done, result) {
                        (Ok(done), Ok(result)) => done.push((*number, result)),
                        (Ok(_), Err(error)) => *done = Err(error),
                        (Err(_), _) => return,
                    }
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}
