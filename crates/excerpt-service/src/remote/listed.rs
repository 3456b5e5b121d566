//! An object store that remembers when it was reached: [`ListedSource`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use excerpt_index::{
    Entries, Entry, Error, ObjectOrigin, ObjectSource, Origin, Reading, Selection, SkipReason,
    Source, SourceId,
};

use super::RemoteState;

/// The objects of a store. Each complete listing is recorded in the [`RemoteState`], and so is a
/// failure.
pub(super) struct ListedSource {
    objects: ObjectSource,
    index: PathBuf,
    origin: Origin,
    /// Whether an object could not be read.
    is_failing: AtomicBool,
}

impl ListedSource {
    /// That of `objects`, for the index in the directory `index`.
    ///
    /// # Errors
    ///
    /// As [`ObjectSource::open`].
    pub(super) fn open(
        index: &Path,
        objects: &ObjectOrigin,
        selection: &Selection,
    ) -> Result<ListedSource, Error> {
        let origin = Origin::Objects(objects.clone());
        let opened = ObjectSource::open(objects, selection);
        if let Err(error) = &opened {
            RemoteState::record(index, &origin, |state| state.failed(error));
        }
        Ok(ListedSource {
            objects: opened?,
            index: index.to_path_buf(),
            origin,
            is_failing: AtomicBool::new(false),
        })
    }

    fn record(&self, change: impl FnOnce(&mut RemoteState)) {
        RemoteState::record(&self.index, &self.origin, change);
    }
}

impl Source for ListedSource {
    fn id(&self) -> &SourceId {
        self.objects.id()
    }

    fn entries(&self) -> Result<Entries<'_>, Error> {
        let mut entries = self.objects.entries()?;
        let mut is_over = false;
        Ok(Entries::new(std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let next = entries.next();
            match &next {
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    is_over = true;
                    self.record(|state| state.failed(error));
                }
                None => {
                    is_over = true;
                    self.record(RemoteState::reached);
                }
            }
            next
        })))
    }

    fn expect(&self, entries: &[&Entry]) {
        self.objects.expect(entries);
    }

    fn read(&self, entry: &Entry) -> Reading {
        let reading = self.objects.read(entry);
        if let Reading::Skip { skip, .. } = &reading
            && skip.reason == SkipReason::Unreadable
            && !self.is_failing.swap(true, Ordering::Relaxed)
        {
            let reason = skip.detail.clone().unwrap_or_default();
            let source = io::Error::other(format!("`{}` cannot be read: {reason}", skip.path));
            let path = self.objects.id().path().into();
            self.record(|state| state.failed(&Error::Source { path, source }));
        }
        reading
    }
}
