//! An object store that remembers when it was reached: [`ListedSource`].

use std::path::{Path, PathBuf};

use excerpt_index::{
    Entries, Entry, Error, ObjectOrigin, ObjectSource, Origin, Reading, Selection, Source, SourceId,
};

use super::RemoteState;

/// The objects of a store. Each complete listing is recorded in the [`RemoteState`], and so is each
/// failure.
pub(super) struct ListedSource {
    objects: ObjectSource,
    index: PathBuf,
    origin: Origin,
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
            record(index, &origin, |state| state.failed(error));
        }
        Ok(ListedSource {
            objects: opened?,
            index: index.to_path_buf(),
            origin,
        })
    }
}

fn record(index: &Path, origin: &Origin, change: impl FnOnce(&mut RemoteState)) {
    let mut state = RemoteState::of_origin(index, origin);
    change(&mut state);
    state.keep(index, origin);
}

impl Source for ListedSource {
    fn id(&self) -> &SourceId {
        self.objects.id()
    }

    fn entries(&self) -> Result<Entries<'_>, Error> {
        let mut count: usize = 0;
        let mut entries = self.objects.entries()?;
        let mut is_over = false;
        Ok(Box::new(std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let next = entries.next();
            match &next {
                Some(Ok(_)) => count += 1,
                Some(Err(error)) => {
                    is_over = true;
                    record(&self.index, &self.origin, |state| state.failed(error));
                }
                None => {
                    is_over = true;
                    record(&self.index, &self.origin, |state| {
                        state.reached();
                        state.objects = Some(count);
                    });
                }
            }
            next
        })))
    }

    fn expect(&self, entries: &[&Entry]) {
        self.objects.expect(entries);
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.objects.read(entry)
    }
}
