//! Mirroring a source to another place.

use std::path::Path;

use super::Index;
use crate::mirror::{self, MirrorOptions, MirrorReport, MirrorStep, MirrorTarget};
use crate::model::Result;

impl Index {
    /// Writes each document of the source at `root`, as the index has it, to `target`, and calls
    /// `on_step` for each step. Only what has changed since the last mirror is written, and nothing
    /// that something else wrote is replaced or removed, unless the options say so.
    ///
    /// # Errors
    ///
    /// [`Error::Mirror`](crate::Error::Mirror) when the destination cannot be read or written:
    /// what was written until then stays, and the next mirror goes on;
    /// [`Error::OtherMirror`](crate::Error::OtherMirror) when it has the mirror of another source;
    /// and [`Error::UnknownSource`](crate::Error::UnknownSource) when the index has no such source.
    pub fn mirror(
        &self,
        root: &Path,
        target: &dyn MirrorTarget,
        options: MirrorOptions,
        mut on_step: impl FnMut(MirrorStep),
    ) -> Result<MirrorReport> {
        self.current(|open| {
            open.listed(|catalog| {
                mirror::mirror(catalog, &root.into(), target, options, &mut on_step)
            })
        })
    }
}
