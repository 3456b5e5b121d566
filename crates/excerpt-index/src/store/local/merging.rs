//! [`Merging`]: merges segments of the keyword index while other work goes on.
//!
//! A change adds segments. Small changes merge small ones at once, which takes a moment. All others
//! are merged here: after a large change, and after many small ones. Nobody has to wait for that,
//! since it can be given up at any moment, and then nothing has changed.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use tantivy::FutureResult;

use super::Store;
use super::derived::Derived;
use super::lexical::{Lexical, Merges, Seal, Trust, Writer};
use crate::fs::disk;
use crate::store::StoreError;

/// How often a caller that waits for a merge is asked whether to go on.
const TURN: Duration = Duration::from_millis(20);

/// A merge that has been started. Dropping it gives it up.
pub(crate) struct Merging {
    files: Derived,
    /// Disconnected once it has ended.
    end: Receiver<()>,
    is_sealed: bool,
    _writer: Writer,
    /// The keyword index in `files`.
    lexical: Lexical,
}

impl Merging {
    /// Starts the largest merge that is due in the folder of a keyword index; `None` if none is.
    ///
    /// # Errors
    ///
    /// [`StoreError::Value`] when the files are damaged. All are read before, since what is damaged
    /// must not get into new ones.
    fn start(files: Derived, seal: &Seal) -> Result<Option<Self>, StoreError> {
        let lexical = Lexical::open_in(&files, seal, Trust::Nothing)?;
        let Some(due) = lexical.due_merge()? else {
            return Ok(None);
        };
        let mut writer = lexical.writer(Merges::Asked)?;
        let (start, started) = sync_channel(1);
        let (ended, end) = sync_channel::<()>(0);
        let wait = move || {
            // The segments stay if it fails, as with the merges of any other writer.
            let _ = started.recv().map(FutureResult::wait);
            drop(ended);
        };
        thread::Builder::new().name("merge".into()).spawn(wait)?;
        // Once there is a thread that waits for its end.
        let _ = start.send(writer.start_merge(&due));
        Ok(Some(Merging {
            files,
            end,
            is_sealed: false,
            _writer: writer,
            lexical,
        }))
    }

    /// Waits at most this long, and returns whether it has ended.
    fn wait(&self, timeout: Duration) -> bool {
        self.end.recv_timeout(timeout) == Err(RecvTimeoutError::Disconnected)
    }
}

impl Drop for Merging {
    /// Waits until it has ended: at its next write, if it is not done. Otherwise it would still
    /// write when others may. What it has written for nothing is removed.
    fn drop(&mut self) {
        self.files.close();
        let _ = self.end.recv();
        if let Ok(named) = self.lexical.files() {
            let created = self.files.created().into_iter();
            for name in created.filter(|name| !named.contains(name)) {
                let _ = disk::remove(&self.files.path().join(name));
            }
        }
    }
}

impl Store {
    /// Starts to merge what changes have left in the keyword index, if there is enough of it: once
    /// after each large change, and as long as there are too many segments. A keyword index that
    /// turns out to be damaged is removed.
    pub(crate) fn start_merging(&mut self) -> Result<Option<Merging>, StoreError> {
        let is_unmerged = std::mem::take(&mut self.is_unmerged);
        let Some(lexical) = &self.lexical else {
            return Ok(None);
        };
        let is_wanted = is_unmerged || lexical.has_many_segments();
        if !is_wanted || lexical.due_merge()?.is_none() {
            return Ok(None);
        }
        let folder = self.lexical_folder();
        let seal = self.database.lexical_seal()?;
        match Derived::open(&folder).and_then(|files| Merging::start(files, &seal)) {
            Ok(started) => Ok(started),
            Err(StoreError::Value(_)) => {
                self.lexical = None;
                disk::remove(&folder)?;
                Ok(None)
            }
            // Nothing depends on it.
            Err(_) => Ok(None),
        }
    }

    /// Seals the keyword index again if the merge has ended: until then, each process that opens it
    /// has to read it. Returns whether it has.
    pub(super) fn seal_merged(&self, merging: &mut Merging) -> Result<bool, StoreError> {
        let has_ended = merging.wait(Duration::ZERO);
        if has_ended && !merging.is_sealed {
            self.seal_keywords()?;
            merging.is_sealed = true;
        }
        Ok(has_ended)
    }

    fn seal_keywords(&self) -> Result<(), StoreError> {
        match &self.lexical {
            Some(lexical) => {
                let seal = lexical.seal(&self.lexical_folder())?;
                Ok(self.database.set_lexical_seal(&seal)?)
            }
            None => Ok(()),
        }
    }

    /// Merges until nothing more is due, beginning with `merging`, and asks `progress` meanwhile
    /// whether to go on. If not, the merge is given up; [`ControlFlow::Break`] says that the next
    /// sync must make up for it.
    pub(crate) fn merge(
        &mut self,
        merging: Option<Merging>,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, StoreError> {
        let mut next = match merging {
            Some(merging) => Some(merging),
            None => self.start_merging()?,
        };
        while let Some(mut merging) = next {
            let mut flow = ControlFlow::Continue(());
            while flow.is_continue() && !self.seal_merged(&mut merging)? {
                flow = progress(0, 0);
                if flow.is_continue() {
                    merging.wait(TURN);
                }
            }
            drop(merging);
            let before = self.segments();
            if let Some(lexical) = &mut self.lexical {
                lexical.reload()?;
            }
            if flow.is_break() {
                // It may have ended at the last moment.
                self.seal_keywords()?;
                let is_much_left = self
                    .lexical
                    .as_ref()
                    .is_some_and(Lexical::has_many_segments);
                return Ok(if is_much_left {
                    flow
                } else {
                    ControlFlow::Continue(())
                });
            }
            // One that failed is not tried again at once.
            next = match self.segments() < before {
                true => self.start_merging()?,
                false => None,
            };
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The number of segments of the keyword index.
    fn segments(&self) -> usize {
        self.lexical.as_ref().map_or(0, Lexical::segments)
    }
}
