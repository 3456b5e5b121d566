//! What each thread of a sync does: reading one document and splitting it.

use std::sync::atomic::{AtomicBool, Ordering};

use excerpt_chunk::Hash;

use super::clock::Clock;
use super::cut::{Split, Splitter};
use super::journal::{Journal, key};
use super::plan::Step;
use crate::model::{DocumentId, Encoding, Selection, Skip, SkipReason, Stat};
use crate::source::{Reading, Source};
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

impl Work<'_> {
    /// Processes one document. Returns the number of bytes read, if the file was read. An assured
    /// document is processed even if the sync must stop.
    pub(super) fn look(
        &self,
        step: Step,
        text: Option<String>,
        is_assured: bool,
    ) -> Result<(Outcome, Option<u64>), StoreError> {
        let ended = if is_assured { &NEVER } else { self.ended };
        if ended.load(Ordering::Relaxed) {
            return Ok((Outcome::Remaining, None));
        }
        let (entry, known) = match step {
            Step::Read { entry, known } => (entry, known),
            Step::Recut { known } => {
                let (text, stat) = (text.unwrap_or_default(), known.stat);
                // It may have been indexed before its secrets were recognised.
                let encoding = known.encoding;
                let cut = match self.selection.withholds(&known.path, &text) {
                    Some(secret) => {
                        let skip = Skip::new(&*known.path, SkipReason::Secret);
                        Split::Skip(skip.with_detail(secret))
                    }
                    None => self.record(&known.path, (text, encoding), known.hash, stat, ended)?,
                };
                return Ok((self.outcome(cut, Some(known), stat, Outcome::Recut), None));
            }
        };
        let (text, encoding, stat, bytes) = match self.source.read(&entry) {
            Reading::Text {
                text,
                encoding,
                version,
                bytes,
            } => (text, encoding, version.stored(), bytes),
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
                return Ok((Outcome::Skipped { known, skip }, stat.map(|_| bytes)));
            }
            Reading::Gone => return Ok((Outcome::Gone(known), None)),
        };
        let hash = Hash::of(text.as_bytes());
        let outcome = match known {
            Some(known) if known.hash == hash && known.identity == self.identity => Outcome::Same {
                id: known.id,
                stat,
                settled: self.is_settled(stat),
                encoding,
            },
            Some(known) => {
                let became = match known.hash == hash {
                    true => Outcome::Recut,
                    false => Outcome::Changed,
                };
                let cut = self.record(&entry.path, (text, encoding), hash, stat, ended)?;
                self.outcome(cut, Some(known), stat, became)
            }
            None => {
                let cut = self.record(&entry.path, (text, encoding), hash, stat, ended)?;
                self.outcome(cut, None, stat, Outcome::Added)
            }
        };
        Ok((outcome, Some(bytes)))
    }

    fn record(
        &self,
        path: &str,
        (text, encoding): (String, Encoding),
        hash: Hash,
        stat: Stat,
        ended: &AtomicBool,
    ) -> Result<Split, StoreError> {
        let _entry = self.journal.enter(key(self.source.id(), path));
        let mut cut = self.cutter.cut(path, text, hash, ended)?;
        if let Split::Record(record) = &mut cut {
            record.stat = stat;
            record.encoding = encoding;
            record.settled = self.is_settled(stat);
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
