//! Splitting one document within limits: a document that takes too long, or has too many chunks, is
//! skipped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use excerpt_chunk::{Chunker, CodeParser as _, Hash};
use excerpt_grammars::Grammars;
use excerpt_readers::Choice;

use crate::model::{
    Attributes, Limits, Provenance, Result, Selection, Skip, SkipReason, SyncOptions, counted,
    seconds,
};
use crate::source::FileText;
use crate::store::{Described, Record, StoreError, Twin};
use crate::sync::deadline::{self, Lost};

/// A document that takes longer is slow: its time counts towards the limit for all slow documents.
/// Every document may take at least this long.
const SLOW: Duration = Duration::from_secs(1);

/// More than the time that a converter has for a file: it ends by itself.
const CONVERTED: Duration = Duration::from_secs(90);

/// Splits documents with the options of a sync.
pub(crate) struct Splitter {
    settings: Arc<Splitting>,
    limits: Limits,
    /// The time left for slow documents, in microseconds.
    slow_left: AtomicU64,
}

struct Splitting {
    chunker: Chunker,
    attributes: Attributes,
    identity: Hash,
    most_chunks: usize,
}

/// A text, and what its source knows about the document.
#[derive(Debug, Default)]
pub(crate) struct ProvenText {
    pub(crate) file: FileText,
    pub(crate) provenance: Provenance,
}

/// The result for a document.
pub(crate) enum Split {
    Record(Box<Record>),
    Skip(Skip),
    /// The sync was cancelled.
    Cancelled,
}

/// The result of reading a file.
pub(crate) enum Extracted {
    Text(FileText),
    Skip(Skip),
    /// The sync was cancelled.
    Cancelled,
}

impl Splitter {
    /// Splits with these `options`; `identity` is their identity.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) when the chunking configuration is invalid.
    pub(crate) fn new(options: &SyncOptions, identity: Hash) -> Result<Self> {
        let limits = options.limits;
        Ok(Splitter {
            settings: Arc::new(Splitting {
                chunker: excerpt_grammars::chunker(options.chunking.clone())?,
                attributes: options.attributes.clone(),
                identity,
                most_chunks: limits.chunks,
            }),
            limits,
            slow_left: AtomicU64::new(microseconds(limits.slow_time)),
        })
    }

    /// Splits the document at `path`, unless `cancelled` is set first. `hash` is that of `text`.
    pub(crate) fn cut(
        &self,
        path: &str,
        text: ProvenText,
        hash: Hash,
        cancelled: &AtomicBool,
    ) -> Result<Split, StoreError> {
        let (settings, own) = (Arc::clone(&self.settings), path.to_string());
        let cut = self.limited(cancelled, move |stop| settings.cut(&own, &text, hash, stop));
        cut.unwrap_or_else(|lost| {
            let lost = self.lost(path, "splitting", lost);
            Ok(lost.map_or(Split::Cancelled, Split::Skip))
        })
    }

    /// The record of a document whose twin has the same text, if it can be made without splitting.
    pub(crate) fn shared(
        &self,
        twin: Twin,
        text: &ProvenText,
    ) -> Result<Option<Record>, StoreError> {
        let known = Described {
            attributes: &self.settings.attributes,
            provenance: &text.provenance,
            extraction: text.file.extraction.as_ref(),
            language: None,
        };
        Record::of_twin(twin, &text.file.text, self.settings.identity, &known)
    }

    /// The text of a file that a reader reads, unless `cancelled` is set first.
    pub(crate) fn extract(
        &self,
        path: &str,
        bytes: Vec<u8>,
        selection: &Selection,
        cancelled: &AtomicBool,
    ) -> Extracted {
        let is_converted = matches!(selection.readers.choose(path), Choice::Converter(_));
        let (selection, own) = (selection.clone(), path.to_string());
        let work = move |stop: &AtomicBool| selection.text_until(&own, bytes, stop);
        let read = match is_converted {
            // A program has a limit of its own, and its time is not that of a slow document.
            true => deadline::run(CONVERTED, cancelled, work).map_err(|lost| (lost, CONVERTED)),
            false => self.limited(cancelled, work),
        };
        match read {
            Ok(Ok(text)) => Extracted::Text(text),
            Ok(Err(skip)) => Extracted::Skip(skip),
            Err(lost) => match self.lost(path, "reading", lost) {
                Some(skip) => Extracted::Skip(skip),
                None => Extracted::Cancelled,
            },
        }
    }

    /// Does the work for one document within what time is left, or says what the limit was.
    fn limited<T: Send + 'static>(
        &self,
        cancelled: &AtomicBool,
        work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    ) -> std::result::Result<T, (Lost, Duration)> {
        let slow_left = Duration::from_micros(self.slow_left.load(Ordering::Relaxed));
        let limit = self.limits.time.min(slow_left.max(SLOW));
        let begun = Instant::now();
        let done = deadline::run(limit, cancelled, work);
        let taken = begun.elapsed();
        if taken > SLOW {
            let less = |left: u64| Some(left.saturating_sub(microseconds(taken)));
            let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
            let _ = self.slow_left.fetch_update(set, fetch, less);
        }
        done.map_err(|lost| (lost, limit))
    }

    /// The skip of a document for which some `work` was not done within its limit; `None` if it was
    /// cancelled.
    fn lost(&self, path: &str, work: &str, (lost, limit): (Lost, Duration)) -> Option<Skip> {
        let detail = match lost {
            Lost::Cancelled => return None,
            Lost::Late if limit < self.limits.time => format!(
                "{work} it took more than {}, and slow documents have already used the {} that a sync allows for all of them",
                seconds(limit),
                seconds(self.limits.slow_time)
            ),
            Lost::Late => format!("{work} it took more than {}", seconds(limit)),
            Lost::Failed => format!("{work} it failed, which is a bug in excerpt"),
        };
        let skip = Skip::new(path, SkipReason::Quarantined);
        Some(skip.with_detail(detail))
    }
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl Splitting {
    fn cut(
        &self,
        path: &str,
        ProvenText { file, provenance }: &ProvenText,
        hash: Hash,
        stop: &AtomicBool,
    ) -> Result<Split, StoreError> {
        let mut document = file.document(path);
        if let Some(title) = &self.attributes.title {
            document = document.with_title(title);
        }
        let Some(chunking) = self.chunker.try_chunk(&document, stop) else {
            return Ok(Split::Cancelled);
        };
        let (chunks, most) = (chunking.chunks.len(), self.most_chunks);
        if chunks > most {
            let skip = Skip::new(path, SkipReason::TooManyChunks);
            let detail = format!("{}, the limit is {most}", counted(chunks, "chunk"));
            return Ok(Split::Skip(skip.with_detail(detail)));
        }
        let detected = Grammars.detect(&document);
        let language = detected.map(|detected| detected.language);
        let known = Described {
            attributes: &self.attributes,
            provenance,
            extraction: file.extraction.as_ref(),
            language,
        };
        let record = Record::new(&document, &chunking, hash, self.identity, &known)?;
        Ok(Split::Record(Box::new(record)))
    }
}
