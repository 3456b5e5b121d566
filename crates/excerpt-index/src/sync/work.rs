//! What each thread of a sync does: reading one document and splitting it.

use std::sync::atomic::{AtomicBool, Ordering};

use excerpt_chunk::Hash;
use rayon::prelude::*;

use super::clock::Clock;
use super::cut::{Extracted, ProvenText, Split, Splitter};
use super::journal::Journal;
use super::plan::Step;
use crate::model::{DocumentId, Encoding, Provenance, Selection, Skip, SkipReason, Stat};
use crate::source::{Entry, Reading, Source};
use crate::store::{Known, Record, SkipRow, StoreError, Twin};

/// A sync that is never stopped.
static NEVER: AtomicBool = AtomicBool::new(false);

/// What the index has that a step needs.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// The text, if it may be split again.
    pub(super) text: Option<ProvenText>,
    /// A document of another source that may be the same as the one to read.
    pub(super) twin: Option<Box<Twin>>,
}

/// What a document that is stored was before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Was {
    /// It was not in the index.
    Absent,
    /// Its text was another one.
    Different,
    /// Its text is the same, and was split with other settings.
    SplitOtherwise,
}

/// The result of a step.
pub(super) enum Outcome {
    /// It is to be stored.
    Put {
        record: Box<Record>,
        was: Was,
        /// Whether its chunks are those of its twin.
        is_shared: bool,
    },
    /// The text is unchanged, but the file's size, times or inode differ.
    Same {
        id: DocumentId,
        stat: Stat,
        settled: bool,
        encoding: Encoding,
    },
    /// Skipped because of its contents; its document is removed, unless the file cannot be read.
    Skipped {
        known: Option<Known>,
        skip: SkipRow,
    },
    Gone(Option<Known>),
    /// Not done: the sync was stopped.
    Remaining,
}

/// What every thread needs to split documents.
pub(super) struct Work<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) cutter: &'a Splitter,
    pub(super) journal: &'a Journal,
    pub(super) selection: &'a Selection,
    pub(super) identity: Hash,
    pub(super) clock: Clock,
    /// Whether the sync must stop.
    pub(super) ended: &'a AtomicBool,
    /// Set when a document is not as it was listed: then the listing does not name the state that
    /// is kept of it.
    pub(super) has_moved: &'a AtomicBool,
}

impl Work<'_> {
    /// Processes documents on all cores, and returns the results in their order. Of the first
    /// `assured` ones, all that are not large are processed even if the sync must stop.
    pub(super) fn look_at_all(
        &self,
        steps: Vec<Step>,
        before: Vec<Before>,
        assured: usize,
    ) -> Vec<Result<(Outcome, Option<u64>), StoreError>> {
        let steps = steps.into_par_iter().zip(before).enumerate();
        let looked = steps.map(|(number, (step, before))| {
            let is_assured = number < assured && !step.is_large(&self.selection.readers);
            self.look(step, before, is_assured)
        });
        looked.collect()
    }

    /// Processes one document. Returns the number of bytes read, if the file was read. An assured
    /// document is processed even if the sync must stop.
    fn look(
        &self,
        step: Step,
        before: Before,
        is_assured: bool,
    ) -> Result<(Outcome, Option<u64>), StoreError> {
        let ended = if is_assured { &NEVER } else { self.ended };
        if ended.load(Ordering::Relaxed) {
            return Ok((Outcome::Remaining, None));
        }
        match step {
            Step::Read { entry, known } => self.read(&entry, (known, before), ended),
            Step::Recut { known } => {
                const UNREAD: StoreError = StoreError::Value("a text to split that was not read");
                let text = before.text.ok_or(UNREAD)?;
                Ok((self.recut(known, text, ended)?, None))
            }
        }
    }

    /// Splits a stored text again.
    fn recut(
        &self,
        known: Known,
        text: ProvenText,
        ended: &AtomicBool,
    ) -> Result<Outcome, StoreError> {
        let stat = known.stat;
        let cut = match self.withheld(&known.path, &text.file.text) {
            Some(skip) => Split::Skip(skip),
            None => self.record(&known.path, (text, stat), known.hash, ended)?,
        };
        let was = (Was::SplitOtherwise, false);
        Ok(self.outcome(cut, Some(known), stat, was))
    }

    /// Reads a file, and splits its text if it has changed. Returns the number of bytes read, too.
    fn read(
        &self,
        entry: &Entry,
        (known, before): (Option<Known>, Before),
        ended: &AtomicBool,
    ) -> Result<(Outcome, Option<u64>), StoreError> {
        let reading = self.source.read(entry);
        if !reading.is_of(&entry.version) {
            self.has_moved.store(true, Ordering::Relaxed);
        }
        match reading {
            Reading::Bytes {
                bytes,
                version,
                provenance,
            } => {
                let (count, stat) = (bytes.len() as u64, version.stored());
                let contents = (bytes, provenance, stat);
                let outcome =
                    self.look_at_contents(&entry.path, contents, (known, before), ended)?;
                Ok((outcome, Some(count)))
            }
            Reading::Skip {
                skip,
                version,
                bytes,
            } => {
                let stat = version.map(|version| version.stored());
                let skip = self.skip_row(skip, stat);
                Ok((Outcome::Skipped { known, skip }, stat.map(|_| bytes)))
            }
            Reading::Gone => Ok((Outcome::Gone(known), None)),
        }
    }

    /// Finds the text in the bytes of a file, unless they are those that are known, and splits it.
    fn look_at_contents(
        &self,
        path: &str,
        (bytes, provenance, stat): (Vec<u8>, Provenance, Stat),
        (known, before): (Option<Known>, Before),
        ended: &AtomicBool,
    ) -> Result<Outcome, StoreError> {
        let text = match self.selection.readers.choose(path).reader(&bytes) {
            None => self.selection.text(path, bytes),
            Some(chosen) => {
                let extracted = Some((chosen.version, Hash::of(&bytes)));
                let is_same = known
                    .as_ref()
                    .is_some_and(|known| known.extracted == extracted);
                let kept = before.text.filter(|_| is_same);
                let _entry = self.journal.enter(path);
                let read = || self.cutter.extract(path, bytes, self.selection, ended);
                let allowed = |kept: ProvenText| match self.withheld(path, &kept.file.text) {
                    Some(skip) => Extracted::Skip(skip),
                    None => Extracted::Text(kept.file),
                };
                match kept.map_or_else(read, allowed) {
                    Extracted::Text(text) => Ok(text),
                    Extracted::Skip(skip) => Err(skip),
                    Extracted::Cancelled => return Ok(Outcome::Remaining),
                }
            }
        };
        match text {
            Ok(file) => {
                let text = ProvenText { file, provenance };
                self.compare(path, (text, stat), (known, before.twin), ended)
            }
            Err(skip) => Ok(Outcome::Skipped {
                known,
                skip: self.skip_row(skip, Some(stat)),
            }),
        }
    }

    /// The skip of a document that was indexed before its secrets were recognised.
    fn withheld(&self, path: &str, text: &str) -> Option<Skip> {
        let secret = self.selection.withholds(path, text)?;
        Some(Skip::new(path, SkipReason::Secret).with_detail(secret))
    }

    fn same(&self, known: &Known, stat: Stat, encoding: Encoding) -> Outcome {
        Outcome::Same {
            id: known.id,
            stat,
            settled: self.is_settled(stat),
            encoding,
        }
    }

    /// A file with this metadata that is skipped.
    fn skip_row(&self, skip: Skip, stat: Option<Stat>) -> SkipRow {
        SkipRow {
            reader: self.selection.readers.choose(&skip.path).version(),
            skip,
            stat,
            settled: stat.is_some_and(|stat| self.is_settled(stat)),
        }
    }

    /// Splits the text of a file unless it is the known one, split with the same settings, or that
    /// of its twin.
    fn compare(
        &self,
        path: &str,
        (text, stat): (ProvenText, Stat),
        (known, twin): (Option<Known>, Option<Box<Twin>>),
        ended: &AtomicBool,
    ) -> Result<Outcome, StoreError> {
        let (hash, encoding) = (Hash::of(text.file.text.as_bytes()), text.file.encoding);
        let extraction = text.file.extraction.as_ref();
        let extracted = extraction.map(|it| (it.version.clone(), it.file));
        // A change of the provenance alone needs a new record.
        let is_record_same = |known: &Known| {
            known.identity == self.identity
                && known.extracted == extracted
                && (text.provenance.is_empty() || known.stat == stat)
        };
        let was = match &known {
            Some(known) if known.hash == hash && is_record_same(known) => {
                return Ok(self.same(known, stat, encoding));
            }
            Some(known) if known.hash == hash => Was::SplitOtherwise,
            Some(_) => Was::Different,
            None => Was::Absent,
        };
        let twin = twin.filter(|twin| twin.record.hash == hash);
        let shared = twin.map_or(Ok(None), |twin| self.cutter.shared(*twin, &text))?;
        if let Some(mut record) = shared {
            self.complete(&mut record, stat, encoding);
            let shared = Split::Record(Box::new(record));
            return Ok(self.outcome(shared, known, stat, (was, true)));
        }
        let cut = self.record(path, (text, stat), hash, ended)?;
        Ok(self.outcome(cut, known, stat, (was, false)))
    }

    fn record(
        &self,
        path: &str,
        (text, stat): (ProvenText, Stat),
        hash: Hash,
        ended: &AtomicBool,
    ) -> Result<Split, StoreError> {
        let _entry = self.journal.enter(path);
        let encoding = text.file.encoding;
        let mut cut = self.cutter.cut(path, text, hash, ended)?;
        if let Split::Record(record) = &mut cut {
            self.complete(record, stat, encoding);
        }
        Ok(cut)
    }

    /// Adds what is known about the file of a document.
    fn complete(&self, record: &mut Record, stat: Stat, encoding: Encoding) {
        record.stat = stat;
        record.encoding = encoding;
        record.settled = self.is_settled(stat);
    }

    /// The result for a document that was split, or skipped while it was split.
    fn outcome(
        &self,
        cut: Split,
        known: Option<Known>,
        stat: Stat,
        (was, is_shared): (Was, bool),
    ) -> Outcome {
        match cut {
            Split::Record(mut record) => {
                record.id = known.map(|known| known.id);
                Outcome::Put {
                    record,
                    was,
                    is_shared,
                }
            }
            Split::Skip(skip) => Outcome::Skipped {
                known,
                skip: self.skip_row(skip, Some(stat)),
            },
            Split::Cancelled => Outcome::Remaining,
        }
    }

    fn is_settled(&self, stat: Stat) -> bool {
        self.clock.is_settled(stat)
    }
}
