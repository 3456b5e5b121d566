//! Comparing what a mirror has written with what is there now: by its stamp, and where that
//! differs, by its bytes.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::ops::ControlFlow;

use super::manifest::Written;
use super::run::is_of_path;
use super::{MirrorTarget, ObjectStamp, hash, workers};

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
    let mut failure = None;
    let read = |at: usize| (at, claims[at].read(target, &stamps));
    let Ok(()) = workers::each(
        doubtful.into_iter().map(Ok::<_, Infallible>),
        &read,
        |(at, there)| {
            match there {
                Ok(there) => found[at] = Some(there),
                Err(error) => {
                    failure.get_or_insert(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        },
    );
    match failure {
        None => Ok(found.into_iter().flatten().collect()),
        Some(error) => Err(error),
    }
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
        match hash(target, self.path) {
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
