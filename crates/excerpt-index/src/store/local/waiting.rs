//! [`Waiting`]: an entry of the keyword index between the thread that adds it and those that
//! analyze it. tantivy lets ten thousand wait, however large they are; with a [`Room`], their bytes
//! are limited, too.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tantivy::TantivyDocument;
use tantivy::schema::Document;

/// How long an entry waits for room. Then it is added nevertheless: if the threads that analyze
/// have failed, that is when tantivy says so.
const PATIENCE: Duration = Duration::from_secs(1);

/// The room that waiting entries share.
pub(super) struct Room {
    bytes: usize,
    /// How many bytes wait.
    taken: Mutex<usize>,
    left: Condvar,
}

impl Room {
    /// Room for this many bytes, and the rest of the entry that they end in.
    pub(super) fn new(bytes: usize) -> Arc<Room> {
        Arc::new(Room {
            bytes,
            taken: Mutex::new(0),
            left: Condvar::new(),
        })
    }

    /// Waits until there is room for an entry, which has this many `bytes`.
    pub(super) fn admit(self: &Arc<Room>, entry: TantivyDocument, bytes: usize) -> Waiting {
        let is_full = |taken: &mut usize| *taken >= self.bytes;
        let waited = self
            .left
            .wait_timeout_while(self.taken(), PATIENCE, is_full);
        let (mut taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *taken += bytes;
        drop(taken);
        Waiting {
            entry,
            bytes,
            room: Arc::clone(self),
        }
    }

    fn taken(&self) -> MutexGuard<'_, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An entry, which takes room until it is dropped.
pub(super) struct Waiting {
    entry: TantivyDocument,
    bytes: usize,
    room: Arc<Room>,
}

impl Document for Waiting {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.entry.iter_fields_and_values()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.room.taken() -= self.bytes;
        self.room.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::thread;

    use super::*;

    #[test]
    fn an_entry_waits_until_there_is_room() {
        let room = Room::new(10);
        let first = room.admit(TantivyDocument::new(), 4);
        let large = room.admit(TantivyDocument::new(), 100);
        assert_eq!(*room.taken(), 104);
        thread::scope(|scope| {
            let (start, started) = sync_channel(0);
            let next = scope.spawn({
                let room = &room;
                move || {
                    start.send(()).unwrap();
                    let next = room.admit(TantivyDocument::new(), 1);
                    (*room.taken(), next)
                }
            });
            started.recv().unwrap();
            drop(first);
            drop(large);
            let (taken, _) = next.join().unwrap();
            assert_eq!(taken, 1, "it did not wait");
        });
        assert_eq!(*room.taken(), 0);
    }
}
