//! The documents that are being split, recorded before splitting starts: a process that crashes on
//! one leaves a record of it.
//!
//! A [`Journal`] is a small file in the index directory with a slot for each document that is being
//! split. It is not synced to disk, since it has to survive the process, not the machine. A
//! document that the last process left is a *suspect* to the next one ([`Journal::open`]). The
//! process may have been killed for another reason, so a suspect is split once more: alone, and
//! after everything else is written. If the process crashes on it again, it is a *culprit*, and is
//! not split until it changes. All sources of an index share the file, and the sync of one leaves
//! the records of the others as they are.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use excerpt_chunk::Hash;

use crate::fs::{disk, layout};
use crate::model::SourceId;

/// The beginning of the file. Another file is read as an empty one.
const HEADER: &[u8; 8] = b"cutting2";

/// A slot: the hashes of a source and of a path in it, and how often a process has crashed on this
/// document. A free slot is all zeros.
const SLOT: usize = 33;

/// More slots than there are splitting threads. A longer file is not ours.
const MOST_SLOTS: usize = 4096;

/// How many records of crashed processes are kept; the oldest ones are dropped. A source that is
/// never synced again would keep its own for ever.
const MOST_LEFT: usize = 1024;

/// What a crashed process has recorded about a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// It was being split, alone or together with others.
    Suspect,
    /// A process crashed on it twice, the second time while nothing else was being split.
    Culprit,
}

/// The journal of the sync of one source. If the system refuses to create the file, nothing is
/// recorded.
#[derive(Debug)]
pub(crate) struct Journal {
    file: Option<File>,
    source: Hash,
    /// What the last processes have left about documents of this source, by path.
    left: HashMap<Hash, Verdict>,
    /// What they have left about other sources.
    others: Vec<Record>,
    slots: Mutex<Slots>,
}

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    source: Hash,
    path: Hash,
    verdict: Verdict,
}

#[derive(Debug)]
struct Slots {
    free: Vec<u64>,
    /// How many slots there are, including those that the last processes left: those of a source
    /// are kept until all of its documents are handled.
    count: u64,
}

impl Journal {
    /// Reads what the last processes left in the index directory `dir`, for a sync of `source`. The
    /// caller holds the lock of the index.
    pub(crate) fn open(dir: &Path, source: &SourceId) -> Self {
        let path = dir.join(layout::JOURNAL);
        let _ = disk::clear(&path);
        let bytes = std::fs::read(&path).unwrap_or_default();
        let records = records(&bytes);
        let source = Hash::of(source.as_str().as_bytes());
        let (own, others): (Vec<Record>, _) =
            records.iter().partition(|record| record.source == source);
        let journal = Journal {
            file: disk::open_or_create(&path).ok(),
            source,
            left: own.iter().map(|it| (it.path, it.verdict)).collect(),
            others,
            slots: Mutex::new(Slots {
                free: Vec::new(),
                count: records.len() as u64,
            }),
        };
        journal.rewrite(&records);
        journal
    }

    /// What the last processes have recorded about the document at this path.
    pub(crate) fn verdict(&self, path: &str) -> Option<Verdict> {
        self.left.get(&Hash::of(path.as_bytes())).copied()
    }

    /// Records that a document is being split, until the entry is dropped.
    pub(crate) fn enter(&self, path: &str) -> Occupied<'_> {
        let slot = self.with_slots(|slots| {
            slots.free.pop().unwrap_or_else(|| {
                slots.count += 1;
                slots.count - 1
            })
        });
        let record = Record {
            source: self.source,
            path: Hash::of(path.as_bytes()),
            verdict: match self.verdict(path) {
                Some(_) => Verdict::Culprit,
                None => Verdict::Suspect,
            },
        };
        self.write(slot, &record.bytes());
        Occupied {
            journal: self,
            slot,
        }
    }

    /// Removes what the last processes left about this source: every suspect has been split, every
    /// culprit skipped.
    pub(crate) fn clear(self) {
        self.rewrite(&self.others);
    }

    /// Replaces all slots by these records. A process that is killed meanwhile leaves some of them
    /// twice.
    fn rewrite(&self, records: &[Record]) {
        let Some(file) = &self.file else { return };
        let slots = records.iter().flat_map(Record::bytes);
        let bytes: Vec<u8> = HEADER.iter().copied().chain(slots).collect();
        let _ = write_at(file, &bytes, 0).and_then(|()| file.set_len(bytes.len() as u64));
    }

    fn write(&self, slot: u64, bytes: &[u8; SLOT]) {
        // If the journal cannot be written, for example on a full disk, documents are split all the
        // same.
        let at = HEADER.len() as u64 + slot * SLOT as u64;
        let _ = self.file.as_ref().map(|file| write_at(file, bytes, at));
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

impl Record {
    fn of(slot: &[u8]) -> Option<Self> {
        let (source, rest) = slot.split_first_chunk()?;
        let (path, deaths) = rest.split_first_chunk()?;
        Some(Record {
            source: Hash(*source),
            path: Hash(*path),
            verdict: match deaths {
                [1] => Verdict::Suspect,
                [2] => Verdict::Culprit,
                _ => return None,
            },
        })
    }

    fn bytes(&self) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        bytes[..16].copy_from_slice(&self.source.0);
        bytes[16..32].copy_from_slice(&self.path.0);
        bytes[32] = match self.verdict {
            Verdict::Suspect => 1,
            Verdict::Culprit => 2,
        };
        bytes
    }

    fn document(&self) -> (Hash, Hash) {
        (self.source, self.path)
    }
}

/// The last record of each document, oldest first: a process writes its own after those that it
/// found. The later one of two is never the milder one.
fn records(bytes: &[u8]) -> Vec<Record> {
    let slots = bytes.strip_prefix(HEADER).unwrap_or_default();
    if slots.len() > SLOT * MOST_SLOTS {
        return Vec::new();
    }
    let all = slots.chunks_exact(SLOT).filter_map(Record::of);
    let all: Vec<Record> = all.collect();
    let mut last: Vec<Record> = Vec::new();
    let mut seen = HashSet::new();
    for record in all.iter().rev() {
        if last.len() < MOST_LEFT && seen.insert(record.document()) {
            last.push(*record);
        }
    }
    last.reverse();
    last
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

    /// A process that splits these documents, and crashes: it drops nothing.
    fn dies_over(dir: &Path, source: &SourceId, paths: &[&str]) {
        let journal = Journal::open(dir, source);
        paths
            .iter()
            .for_each(|path| std::mem::forget(journal.enter(path)));
    }

    #[test]
    fn what_a_process_dies_over_is_a_suspect_and_then_a_culprit() {
        let dir = tempfile::tempdir().unwrap();
        let notes = SourceId::from("/notes");
        let dies_over = |paths: &[&str]| dies_over(dir.path(), &notes, paths);
        let verdicts = || {
            let journal = Journal::open(dir.path(), &notes);
            ["tea.md", "milk.md"].map(|path| journal.verdict(path))
        };
        drop(Journal::open(dir.path(), &notes).enter("tea.md"));
        assert_eq!(verdicts(), [None, None]);
        dies_over(&["tea.md", "milk.md"]);
        assert_eq!(verdicts(), [Some(Verdict::Suspect); 2]);
        Journal::open(dir.path(), &notes).clear();
        dies_over(&["milk.md"]);
        dies_over(&["milk.md"]);
        assert_eq!(verdicts(), [None, Some(Verdict::Culprit)]);
    }

    #[test]
    fn a_source_clears_its_own_records() {
        let dir = tempfile::tempdir().unwrap();
        let (notes, code) = (SourceId::from("/notes"), SourceId::from("/code"));
        dies_over(dir.path(), &notes, &["a.md"]);
        dies_over(dir.path(), &code, &["a.md", "b.rs"]);
        Journal::open(dir.path(), &notes).clear();
        assert_eq!(Journal::open(dir.path(), &notes).verdict("a.md"), None);
        dies_over(dir.path(), &code, &["b.rs"]);
        let journal = Journal::open(dir.path(), &code);
        let verdicts = ["a.md", "b.rs"].map(|path| journal.verdict(path));
        assert_eq!(verdicts, [Some(Verdict::Suspect), Some(Verdict::Culprit)]);
        journal.clear();
        assert!(slots(dir.path()).is_empty());
    }

    #[test]
    fn the_oldest_records_are_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let (notes, code) = (SourceId::from("/notes"), SourceId::from("/code"));
        dies_over(dir.path(), &notes, &["old.md"]);
        let paths: Vec<String> = (0..MOST_LEFT).map(|number| number.to_string()).collect();
        let paths: Vec<&str> = paths.iter().map(|path| &**path).collect();
        dies_over(dir.path(), &code, &paths);
        assert_eq!(Journal::open(dir.path(), &notes).verdict("old.md"), None);
        let journal = Journal::open(dir.path(), &code);
        assert_eq!(journal.verdict("0"), Some(Verdict::Suspect));
        assert_eq!(slots(dir.path()).len(), MOST_LEFT * SLOT);
    }

    fn slots(dir: &Path) -> Vec<u8> {
        let file = std::fs::read(dir.join(layout::JOURNAL)).unwrap();
        file.strip_prefix(HEADER).unwrap().to_vec()
    }

    #[test]
    fn a_slot_is_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(dir.path(), &"".into());
        for _ in 0..3 {
            let _first = journal.enter("a");
            let _second = journal.enter("b");
        }
        assert_eq!(slots(dir.path()), [0; 2 * SLOT]);
    }

    #[test]
    fn a_file_of_nonsense_accuses_nobody() {
        let dir = tempfile::tempdir().unwrap();
        for nonsense in [[7; 1000], [1; 1000], [2; 1000]] {
            std::fs::write(dir.path().join(layout::JOURNAL), nonsense).unwrap();
            let journal = Journal::open(dir.path(), &"".into());
            assert!(journal.left.is_empty() && journal.others.is_empty());
            assert!(slots(dir.path()).is_empty());
        }
        std::fs::remove_file(dir.path().join(layout::JOURNAL)).unwrap();
        std::fs::create_dir(dir.path().join(layout::JOURNAL)).unwrap();
        drop(Journal::open(dir.path(), &"".into()).enter("a"));
    }
}
