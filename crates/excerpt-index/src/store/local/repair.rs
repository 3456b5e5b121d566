//! [`Repair`]: when a keyword index that is out of date, missing or damaged is repaired. It is
//! derived from the database, so nothing is lost by building it again.

use super::Store;
use crate::model::{Error, Keywords, Note};
use crate::store::StoreError;

/// What one process repairs, and what it has repaired.
#[derive(Debug, Default)]
pub(crate) struct Repair {
    /// Whether another process repairs the index: then nothing is written here.
    pub(crate) reads_only: bool,
    /// Whether the last sync was cancelled: then the next answer does not wait for the keyword
    /// index either.
    pub(crate) is_hurried: bool,
    /// Whether a derived file was built again since this was last asked.
    pub(crate) has_rebuilt: bool,
}

impl Repair {
    /// Picks up what other processes have written, and updates the keyword index if this process
    /// may. Returns a note if it may not.
    ///
    /// # Errors
    ///
    /// When the database cannot be read, or the keyword index cannot be written although nothing is
    /// in the way.
    pub(crate) fn bring_up_to_date(
        &mut self,
        store: &mut Store,
    ) -> Result<Option<Note>, StoreError> {
        if store.refresh()? == Keywords::InStep {
            return Ok(None);
        }
        if self.is_hurried || self.reads_only {
            return Ok(Some(Note::Behind { holder: None }));
        }
        match store.update_keywords() {
            Ok(rebuilt) => {
                self.has_rebuilt |= rebuilt;
                Ok(None)
            }
            Err(StoreError::Told(Error::Locked { holder, .. })) => {
                Ok(Some(Note::Behind { holder }))
            }
            // An index that is read-only, or on a full disk, answers from what it has.
            Err(StoreError::Told(Error::Io { .. } | Error::Full { .. })) => {
                Ok(Some(Note::Behind { holder: None }))
            }
            Err(StoreError::Derived { .. }) if store.lexical().is_some() => {
                Ok(Some(Note::Behind { holder: None }))
            }
            Err(fault) => Err(fault),
        }
    }

    /// The result of `read` from the current state of a store, which is repaired as far as `read`
    /// finds it damaged, with a note if it could not be brought up to date.
    ///
    /// # Errors
    ///
    /// Those of `read` that no repair helps against, and as [`Repair::bring_up_to_date`].
    pub(crate) fn read<T>(
        &mut self,
        store: &mut Store,
        read: impl Fn(&Store) -> Result<T, StoreError>,
    ) -> Result<(T, Option<Note>), StoreError> {
        let mut behind = self.bring_up_to_date(store)?;
        let mut found = read(store);
        // A file of the keyword index was damaged after it was last read in full: repair it and
        // read again. If its files show no damage, rebuild it anyway. If it still names something
        // that the database lacks, the database has lost it.
        if matches!(found, Err(StoreError::Derived { .. } | StoreError::Torn)) {
            store.distrust();
            self.is_hurried = false;
            behind = self.bring_up_to_date(store)?;
            found = read(store);
        }
        let is_damaged = matches!(found, Err(StoreError::Derived { .. }));
        if is_damaged && !self.reads_only && store.discard().is_ok() {
            behind = self.bring_up_to_date(store)?;
            found = read(store);
        }
        Ok((found?, behind))
    }
}
