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
use crate::store::{Known, Record, SkipRow, StoreError};

/// A sync that is never stopped.
static NEVER: AtomicBool = AtomicBool::new(false);

/// The result of a step.
pub(super) enum Outcome {
    Added(Box<Record>),
    Changed(Box<Record>),
    Recut(Box<Record>),
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
        texts: Vec<Option<ProvenText>>,
        assured: usize,
    ) -> Vec<Result<(Outcome, Option<u64>), StoreError>> {
        let steps = steps.into_par_iter().zip(texts).enumerate();
        let looked = steps.map(|(number, (step, text))| {
            let is_assured = number < assured && !step.is_large();
            self.look(step, text, is_assured)
        });
        looked.collect()
    }

    /// Processes one document. Returns the number of bytes read, if the file was read. An assured
    /// document is processed even if the sync must stop.
    fn look(
        &self,
        step: Step,
        text: Option<ProvenText>,
        is_assured: bool,
    ) -> Result<(Outcome, Option<u64>), StoreError> {
        let ended = if is_assured { &NEVER } else { self.ended };
        if ended.load(Ordering::Relaxed) {
            return Ok((Outcome::Remaining, None));
        }
        match step {
            Step::Read { entry, known } => self.read(&entry, known, ended),
            Step::Recut { known } => {
                let text = text.unwrap_or_default();
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
        Ok(self.outcome(cut, Some(known), stat, Outcome::Recut))
    }

    /// Reads a file, and splits its text if it has changed. Returns the number of bytes read, too.
    fn read(
        &self,
        entry: &Entry,
        known: Option<Known>,
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
                let outcome = self.compare(&entry.path, text, known, ended)?;
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

    /// Splits the text of a file unless it is the known one, split with the same settings.
    fn compare(
        &self,
        path: &str,
        text: FileText,
        known: Option<Known>,
        ended: &AtomicBool,
    ) -> Result<Outcome, StoreError> {
        let stat = text.stat;
        let hash = Hash::of(text.text.text.as_bytes());
        // Of the provenance, only a new record is made.
        let is_record_same = |known: &Known| {
            known.identity == self.identity
                && (text.text.provenance.is_empty() || known.stat == stat)
        };
        let became = match &known {
            Some(known) if known.hash == hash && is_record_same(known) => {
                return Ok(Outcome::Same {
                    id: known.id,
                    stat,
                    settled: self.is_settled(stat),
                    encoding: text.encoding,
                });
            }
            Some(known) if known.hash == hash => Outcome::Recut,
            Some(_) => Outcome::Changed,
            None => Outcome::Added,
        };
        let cut = self.record(path, text, hash, ended)?;
        Ok(self.outcome(cut, known, stat, became))
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
            record.stat = text.stat;
            record.encoding = text.encoding;
            record.settled = self.is_settled(text.stat);
        }
        Ok(cut)
    }

    /// The result for a document that was split, or skipped while it was split.
    fn outcome(
        &self,
        cut: Split,
        known: Option<Known>,
        stat: Stat,
        became: impl FnOnce(Box<Record>) -> Outcome,
    ) -> Outcome {
        match cut {
            Split::Record(mut record) => {
                record.id = known.map(|known| known.id);
                became(record)
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
