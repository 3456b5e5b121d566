//! Damage that a rebuild heals: what is wrong with the files of an index, and making it again from its sources, aside, as a generation of its own that
//! takes the place of the old one when it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use crate::collection::{self, Collections};
use crate::disk;
use crate::error::{Error, Result};
use crate::index::{Index, OpenOptions};
use crate::lock::WriteLock;
use crate::store::generation::{self, ANEW};
use crate::store::{Store, faults, noted_roots};

impl Index {
    /// What is wrong with the files of the index in `dir`, without a look into its database: each is an [`Error::Damaged`], though the index may answer all the
    /// same, as from a copy.
    #[must_use]
    pub fn faults(dir: &Path) -> Vec<Error> {
        let mut found = faults(dir);
        found.extend(Collections::faults(dir));
        found
    }

    /// Makes the index in `dir` again, whatever state it is in. `fill` gets a new, empty index and the roots of the sources that the old one names, in its
    /// database or beside it; the index that it gives back takes the place of the old one. Until then the old one stays as it is, and
    /// answers as well as it can. Whoever has it open goes over to the new one with the next question.
    ///
    /// The list of collections, and the texts that were given, are repaired first, from what there is of them.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while another process writes; [`Error::NotFound`], [`Error::Foreign`] and [`Error::Newer`] when what is there is no index
    /// that this version may replace; and whatever `fill` meets, which leaves the old one in place.
    pub fn rebuild<E: From<Error>>(
        dir: &Path,
        fill: impl FnOnce(Index, &[PathBuf]) -> Result<Index, E>,
    ) -> Result<(), E> {
        if let Err(error @ (Error::NotFound { .. } | Error::Foreign { .. } | Error::Newer { .. })) =
            Store::open(dir)
            && !(matches!(error, Error::NotFound { .. }) && generation::was_index(dir))
        {
            return Err(error.into());
        }
        let lock = WriteLock::acquire(dir)?;
        let truth = Store::remains(dir);
        Collections::recover(dir, truth.as_ref(), &lock)?;
        if let Some(truth) = &truth {
            Collections::read(dir)?.restore(dir, None, truth)?;
        }
        let given = dir.join(collection::GIVEN);
        if fs::symlink_metadata(&given).is_ok_and(|it| !it.is_dir()) {
            disk::remove(&given).map_err(Error::io(&given))?;
        }
        let mut roots = noted_roots(dir);
        if roots.is_empty() {
            roots = truth.map(|truth| truth.any_roots()).unwrap_or_default();
        }
        let aside = dir.join(ANEW);
        // What a rebuild left that was ended.
        disk::remove(&aside).map_err(Error::io(&aside))?;
        let index = fill(Index::open(&aside, OpenOptions::create())?, &roots)?;
        Ok(index.serve_from(dir, &lock)?)
    }
}
