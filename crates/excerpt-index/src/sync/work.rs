//! What each thread of a sync does: reading one document and splitting it.

use std::sync::atomic::{AtomicBool, Ordering};

use excerpt_chunk::Hash;
use rayon::prelude::*;

use super::clock::Clock;
use super::cut::{ProvenText, Split, Splitter};
use super::journal::{Journal, key};
use super::plan::Step;
use crate::model::{DocumentId, Encoding, Selection, Skip, SkipReason, Stat};
use crate::source::{Entry, Reading, Source};
use crate::store::{Known, Record, SkipRow, StoreError, Twin};

/// A sync that is never stopped.
static NEVER: AtomicBool = AtomicBool::new(false);

/// What the index has that a step needs.
pub(super) enum Before {
    /// The text to split again.
    Text(ProvenText),
    /// A document of another source that may be the same as the one to read.
    Twin(Option<Box<Twin>>),
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
}

/// The text of a file, and the state of the file that it was read from.
struct FileText {
    text: ProvenText,
    encoding: Encoding,
    stat: Stat,
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
            let is_assured = number < assured && !step.is_large();
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
        match (step, before) {
            (Step::Read { entry, known }, before) => {
                let twin = match before {
                    Before::Twin(twin) => twin,
                    Before::Text(_) => None,
                };
                self.read(&entry, (known, twin), ended)
            }
            (Step::Recut { known }, Before::Text(text)) => {
                Ok((self.recut(known, text, ended)?, None))
            }
            (Step::Recut { .. }, Before::Twin(_)) => {
                Err(StoreError::Value("a text to split that was not read"))
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
        // It may have been indexed before its secrets were recognised.
        let cut = match self.selection.withholds(&known.path, &text.text) {
            Some(secret) => {
                let skip = Skip::new(&*known.path, SkipReason::Secret);
                Split::Skip(skip.with_detail(secret))
            }
            None => {
                let encoding = known.encoding;
                let text = FileText {
                    text,
                    encoding,
                    stat,
                };
                self.record(&known.path, text, known.hash, ended)?
            }
        };
        let was = (Was::SplitOtherwise, false);
        Ok(self.outcome(cut, Some(known), stat, was))
    }

    /// Reads a file, and splits its text if it has changed. Returns the number of bytes read, too.
    fn read(
        &self,
        entry: &Entry,
        (known, twin): (Option<Known>, Option<Box<Twin>>),
        ended: &AtomicBool,
    ) -> Result<(Outcome, Option<u64>), StoreError> {
        match self.source.read(entry) {
            Reading::Text {
                text,
                encoding,
                version,
                bytes,
                provenance,
            } => {
                let stat = version.stored();
                let text = ProvenText { text, provenance };
                let text = FileText {
                    text,
                    encoding,
                    stat,
                };
                let outcome = self.compare(&entry.path, text, (known, twin), ended)?;
                Ok((outcome, Some(bytes)))
            }
            Reading::Skip {
                skip,
                version,
                bytes,
            } => {
                let stat = version.map(|version| version.stored());
                let settled = stat.is_some_and(|stat| self.is_settled(stat));
                let skip = SkipRow {
                    skip,
                    stat,
                    settled,
                };
                Ok((Outcome::Skipped { known, skip }, stat.map(|_| bytes)))
            }
            Reading::Gone => Ok((Outcome::Gone(known), None)),
        }
    }

    /// Splits the text of a file unless it is the known one, split with the same settings, or that
    /// of its twin.
    fn compare(
        &self,
        path: &str,
        text: FileText,
        (known, twin): (Option<Known>, Option<Box<Twin>>),
        ended: &AtomicBool,
    ) -> Result<Outcome, StoreError> {
        let stat = text.stat;
        let hash = Hash::of(text.text.text.as_bytes());
        // A change of the provenance alone needs a new record.
        let is_record_same = |known: &Known| {
            known.identity == self.identity
                && (text.text.provenance.is_empty() || known.stat == stat)
        };
        let was = match &known {
            Some(known) if known.hash == hash && is_record_same(known) => {
                return Ok(Outcome::Same {
                    id: known.id,
                    stat,
                    settled: self.is_settled(stat),
                    encoding: text.encoding,
                });
            }
            Some(known) if known.hash == hash => Was::SplitOtherwise,
            Some(_) => Was::Different,
            None => Was::Absent,
        };
        let twin = twin.filter(|twin| twin.record.hash == hash);
        let shared = twin.map_or(Ok(None), |twin| self.cutter.shared(*twin, &text.text))?;
        if let Some(mut record) = shared {
            self.complete(&mut record, text.stat, text.encoding);
            let shared = Split::Record(Box::new(record));
            return Ok(self.outcome(shared, known, stat, (was, true)));
        }
        let cut = self.record(path, text, hash, ended)?;
        Ok(self.outcome(cut, known, stat, (was, false)))
    }

    fn record(
        &self,
        path: &str,
        text: FileText,
        hash: Hash,
        ended: &AtomicBool,
    ) -> Result<Split, StoreError> {
        let _entry = self.journal.enter(key(self.source.id(), path));
        let mut cut = self.cutter.cut(path, text.text, hash, ended)?;
        if let Split::Record(record) = &mut cut {
            self.complete(record, text.stat, text.encoding);
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
                skip: SkipRow {
                    skip,
                    stat: Some(stat),
                    settled: self.is_settled(stat),
                },
            },
            Split::Cancelled => Outcome::Remaining,
        }
    }

    fn is_settled(&self, stat: Stat) -> bool {
        self.clock.is_settled(stat)
    }
}
