//! The documents that are being split, recorded before splitting starts: a process that crashes on
//! one leaves a record of it.
//!
//! A [`Journal`] is a small file in the index directory with a slot for each document that is being
//! split. It is not synced to disk, since it has to survive the process, not the machine. A
//! document that the last process left is a *suspect* to the next one ([`Journal::open`]). The
//! process may have been killed for another reason, so a suspect is split once more: alone, and
//! after everything else is written. If the process crashes on it again, it is a *culprit*, and is
//! not split until it changes.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use excerpt_chunk::Hash;

use crate::fs::{disk, layout};
use crate::model::SourceId;

/// A slot: the key of a document, and how often a process has crashed on it. A free slot is all
/// zeros.
const SLOT: usize = 17;

/// More slots than there are splitting threads. A longer file is not ours.
const MOST_SLOTS: usize = 4096;

/// What a crashed process has recorded about a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// It was being split, alone or together with others.
    Suspect,
    /// A process crashed on it twice, the second time while nothing else was being split.
    Culprit,
}

/// The journal of one sync. If the system refuses to create the file, nothing is recorded.
#[derive(Debug)]
pub(crate) struct Journal {
    file: Option<File>,
    left: HashMap<Hash, Verdict>,
    slots: Mutex<Slots>,
}

#[derive(Debug)]
struct Slots {
    free: Vec<u64>,
    /// How many slots there are, including those that the last process left: they are kept until
    /// all of them are handled.
    count: u64,
}

/// The key of a document: its source and its path.
pub(crate) fn key(source: &SourceId, path: &str) -> Hash {
    Hash::of(format!("{source}\0{path}").as_bytes())
}

impl Journal {
    /// Reads what the last process left in the index directory `dir`. The caller holds the lock of
    /// the index.
    pub(crate) fn open(dir: &Path) -> Self {
        let path = dir.join(layout::JOURNAL);
        let _ = disk::clear(&path);
        let bytes = std::fs::read(&path).unwrap_or_default();
        let left = verdicts(&bytes);
        let file = disk::open_or_create(&path).ok();
        if let Some(file) = file.as_ref().filter(|_| left.is_empty()) {
            let _ = file.set_len(0);
        }
        let count = match left.is_empty() {
            true => 0,
            false => bytes.len().div_ceil(SLOT) as u64,
        };
        Journal {
            file,
            left,
            slots: Mutex::new(Slots {
                free: Vec::new(),
                count,
            }),
        }
    }

    /// What the last process has recorded about the document with this key.
    pub(crate) fn verdict(&self, key: Hash) -> Option<Verdict> {
        self.left.get(&key).copied()
    }

    /// Records that a document is being split, until the entry is dropped.
    pub(crate) fn enter(&self, key: Hash) -> Occupied<'_> {
        let slot = self.with_slots(|slots| {
            slots.free.pop().unwrap_or_else(|| {
                slots.count += 1;
                slots.count - 1
            })
        });
        let mut bytes = [0; SLOT];
        bytes[..16].copy_from_slice(&key.0);
        bytes[16] = 1 + u8::from(self.verdict(key) == Some(Verdict::Suspect));
        self.write(slot, &bytes);
        Occupied {
            journal: self,
            slot,
        }
    }

    /// Clears what the last process left: every suspect has been split, every culprit skipped.
    pub(crate) fn clear(self) {
        let _ = self.file.map(|file| file.set_len(0));
    }

    fn write(&self, slot: u64, bytes: &[u8; SLOT]) {
        // If the journal cannot be written, for example on a full disk, documents are split all the
        // same.
        let _ = self
            .file
            .as_ref()
            .map(|file| write_at(file, bytes, slot * SLOT as u64));
    }

    fn with_slots<T>(&self, work: impl FnOnce(&mut Slots) -> T) -> T {
        work(
            &mut self
                .slots
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner()),
        )
    }
}

/// A document that is being split.
pub(crate) struct Occupied<'a> {
    journal: &'a Journal,
    slot: u64,
}

impl Drop for Occupied<'_> {
    fn drop(&mut self) {
        self.journal.write(self.slot, &[0; SLOT]);
        self.journal.with_slots(|slots| slots.free.push(self.slot));
    }
}

fn verdicts(bytes: &[u8]) -> HashMap<Hash, Verdict> {
    if bytes.len() > SLOT * MOST_SLOTS {
        return HashMap::new();
    }
    let mut left = HashMap::new();
    for slot in bytes.chunks_exact(SLOT) {
        let (key, deaths) = slot.split_at(16);
        let verdict = match deaths {
            [1] => Verdict::Suspect,
            [2] => Verdict::Culprit,
            _ => continue,
        };
        let mut hash = Hash([0; 16]);
        hash.0.copy_from_slice(key);
        let known = left.entry(hash).or_insert(verdict);
        *known = verdict.max(*known);
    }
    left
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, at).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_dies_over_is_a_suspect_and_then_a_culprit() {
        let dir = tempfile::tempdir().unwrap();
        let notes = SourceId::from("/notes");
        let (tea, milk) = (key(&notes, "tea.md"), key(&notes, "milk.md"));
        let dies_over = |documents: &[Hash]| {
            let journal = Journal::open(dir.path());
            // A process that crashes drops nothing.
            documents
                .iter()
                .for_each(|key| std::mem::forget(journal.enter(*key)));
        };
        let verdicts = || {
            let journal = Journal::open(dir.path());
            [tea, milk].map(|key| journal.verdict(key))
        };
        drop(Journal::open(dir.path()).enter(tea));
        assert_eq!(verdicts(), [None, None]);
        dies_over(&[tea, milk]);
        assert_eq!(verdicts(), [Some(Verdict::Suspect); 2]);
        Journal::open(dir.path()).clear();
        dies_over(&[milk]);
        dies_over(&[milk]);
        assert_eq!(verdicts(), [None, Some(Verdict::Culprit)]);
    }

    #[test]
    fn a_slot_is_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(dir.path());
        for _ in 0..3 {
            let _first = journal.enter(key(&"".into(), "a"));
            let _second = journal.enter(key(&"".into(), "b"));
        }
        let file = std::fs::read(dir.path().join(layout::JOURNAL)).unwrap();
        assert_eq!(file, [0; 2 * SLOT]);
    }

    #[test]
    fn a_file_of_nonsense_accuses_nobody() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(layout::JOURNAL), [7; 1000]).unwrap();
        assert!(Journal::open(dir.path()).left.is_empty());
        std::fs::remove_file(dir.path().join(layout::JOURNAL)).unwrap();
        std::fs::create_dir(dir.path().join(layout::JOURNAL)).unwrap();
        drop(Journal::open(dir.path()).enter(key(&"".into(), "a")));
    }
}
