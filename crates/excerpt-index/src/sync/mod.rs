//! Bringing an index up to date with a source: list, compare (`plan.rs`), read and split
//! (`work.rs`), apply.
//!
//! A file whose size, times and inode are unchanged is not read, unless it was changed so shortly
//! before it was last read that a later change could look the same (`clock.rs`). When the clock has
//! gone back since the last sync, all files are read. A file that was read is recognised by the
//! hash of its text; only a different text, or a different configuration, is split again. Documents
//! are applied in batches, each in one transaction: a sync that is cancelled at any moment leaves
//! each document either in its old state or in its new one, and the next sync continues from there.

mod changed;
mod clock;
mod cut;
mod deadline;
mod journal;
mod plan;
mod summary;
#[cfg(test)]
mod tests;
mod work;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use excerpt_chunk::Hash;

use crate::cores::scope_on_all_cores;
use crate::embed::Embedder;
use crate::model::{
    Error, LastSync, PathRange, Progress, Result, Selection, Skip, SkipReason, SourceId,
    SourceSummary, Stage, SyncOptions, SyncReport,
};
use crate::source::{Entries, FileText, SECRETS_VERSION, Source};
use crate::store::ledger::{Finished, Followed, Ledger, Registered, TwinRequest};
use crate::store::{self, Change, SkipRow, StoreError};
pub(crate) use clock::Clock;
use cut::{ProvenText, Splitter};
use journal::{Journal, Verdict};
use plan::{BATCH_DOCUMENTS, KnownDocuments, Plan, Step, Terms, batch};
use summary::Description;
use work::{Before, Outcome, Was, Work};

/// After how many batches the keyword index is updated, so that a search during a long sync finds
/// new documents.
const BATCHES_BETWEEN_COMMITS: usize = 16;

/// The number of documents from which a source may not lose more than half without confirmation: of
/// fewer, a user may well delete that many.
const MANY: usize = 50;

/// How many documents a sync splits however little time it has, unless they are large, so that
/// there is something to answer from.
const ASSURED: usize = 16;

/// How often progress is reported while a batch is being split, and the caller can cancel.
const TURN: Duration = Duration::from_millis(20);

/// Progress that is not shown.
pub fn quiet(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// One sync of one source.
pub(crate) struct Sync<'a> {
    ledger: &'a mut dyn Ledger,
    source: &'a dyn Source,
    name: Option<String>,
    cutter: Splitter,
    journal: Journal,
    selection: &'a Selection,
    first: Option<&'a str>,
    identity: Hash,
    retry: bool,
    accepts_removals: bool,
    embedder: Option<&'a dyn Embedder>,
    progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    clock: Clock,
    /// Whether stored sizes and times are meaningful: a clock that was set back may have produced
    /// the same time twice.
    trusts: bool,
    /// Whether everything is compared, whatever the source says has changed.
    compares_all: bool,
    /// Whether a document was not as it was listed when it was read.
    has_moved: AtomicBool,
    report: SyncReport,
}

impl<'a> Sync<'a> {
    /// Prepares a sync that begins now, by the `clock`. `home` is the index directory, where it
    /// notes what it is about to split.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] when the chunking options are invalid.
    pub(crate) fn new(
        ledger: &'a mut dyn Ledger,
        home: &Path,
        source: &'a dyn Source,
        options: &'a SyncOptions,
        embedder: Option<&'a dyn Embedder>,
        progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
        clock: Clock,
    ) -> Result<Self> {
        let identity = identity(options);
        let journal = Journal::open(home, source.id());
        Ok(Sync {
            ledger,
            source,
            cutter: Splitter::new(options, identity)?,
            journal,
            selection: &options.selection,
            first: options.first.as_deref(),
            identity,
            retry: options.retry,
            accepts_removals: options.accept_removals,
            name: options.name.clone(),
            embedder,
            progress,
            clock,
            trusts: true,
            compares_all: false,
            has_moved: AtomicBool::new(false),
            report: SyncReport::default(),
        })
    }

    /// Runs it.
    pub(crate) fn run(mut self) -> Result<SyncReport, StoreError> {
        let is_complete = match self.pass() {
            // What is damaged outside of the changes is repaired when everything is compared.
            Err(StoreError::Value(_)) if !self.compares_all => {
                self.compares_all = true;
                // What the first pass has applied stays counted; what it left is found again.
                self.report.remaining = 0;
                self.report.skipped.clear();
                self.has_moved.store(false, Ordering::Relaxed);
                self.pass()?
            }
            passed => passed?,
        };
        Ok(self.finish(is_complete))
    }

    /// Brings the index up to date, and returns whether that came to its end.
    fn pass(&mut self) -> Result<bool, StoreError> {
        if self.progress(Stage::List, 0, 0).is_break() {
            return Ok(false);
        }
        let entries = self.source.entries()?;
        let cursor = entries.cursor().map(str::to_string);
        let source = self.source.id();
        let known = self.ledger.register(source, self.name.as_deref())?;
        let last = known.last_sync;
        self.trusts = last.is_none_or(|last| last.started <= self.clock.seconds());
        let mut plan = self.plan(source, entries, &known)?;
        // An index that started as a copy does not reflect this source yet.
        if !self.accepts_removals && last.is_some() {
            self.check_loss(&plan)?;
        }
        let is_same = plan.is_empty();
        let description = Description::begin(&*self.ledger.catalog()?, source, &known, &plan)?;
        if !is_same {
            self.ledger.start_sync(source, self.clock.seconds())?;
        }
        let applied = self.apply(source, &mut plan)?;
        // Documents that were split become searchable, even if the rest has to wait.
        let indexed = self.index()?;
        if applied.is_break() || indexed.is_break() {
            return Ok(false);
        }
        let has_moved = self.has_moved.load(Ordering::Relaxed);
        let cursor = cursor.filter(|_| !has_moved);
        let documents = match is_same {
            true => plan.known,
            false => self.ledger.catalog()?.document_count(Some(source), "")?,
        };
        let readers = &self.selection.readers;
        let kept = changed::kept(cursor.as_deref(), documents, self.identity, readers);
        let summary = description.end(&*self.ledger.catalog()?, source, documents)?;
        self.complete(&known, plan.skips, &kept, summary)?;
        Ok(true)
    }

    /// Ends a sync that covered the whole source in the state that `cursor` describes. `summary` is
    /// that of the source, unless the one it has still holds.
    fn complete(
        &mut self,
        known: &Registered,
        mut skips: Vec<SkipRow>,
        cursor: &str,
        summary: Option<SourceSummary>,
    ) -> Result<(), StoreError> {
        skips.sort_by(|a, b| a.skip.path.cmp(&b.skip.path));
        for row in &skips {
            *self.report.skipped.entry(row.skip.reason).or_default() += 1;
        }
        let finished = Finished {
            sync: LastSync {
                started: self.clock.seconds(),
                finished: Some(self.clock.later()),
            },
            skips: (skips != known.skips).then_some(&skips),
            summary: summary.as_ref(),
            cursor: Some(cursor),
        };
        self.ledger.finish_sync(self.source.id(), &finished)
    }

    /// Makes the documents that were split searchable by keywords, and by vectors if the caller has
    /// time for them.
    fn index(&mut self) -> Result<ControlFlow<()>, StoreError> {
        let followed = self.index_words()?;
        self.report.remaining += self.ledger.behind()?;
        match followed {
            ControlFlow::Continue(()) => match self.embed()? {
                ControlFlow::Continue(()) => self.merge_words(),
                ControlFlow::Break(()) => Ok(ControlFlow::Break(())),
            },
            ControlFlow::Break(()) => Ok(followed),
        }
    }

    fn finish(mut self, complete: bool) -> SyncReport {
        if self.first.is_none() {
            self.report.first_remaining = self.report.remaining;
        }
        if complete {
            self.journal.clear();
        }
        self.report.complete = complete;
        self.report.seconds = self.clock.instant.elapsed().as_secs_f64();
        self.report
    }

    fn progress(&mut self, stage: Stage, done: usize, total: usize) -> ControlFlow<()> {
        let listed = self.report.listed;
        (self.progress)(Progress {
            stage,
            done,
            total,
            listed,
        })
    }

    /// Compares what there is, or what has changed, with the known documents, and sets aside what
    /// may crash.
    fn plan(
        &mut self,
        source: &SourceId,
        entries: Entries<'_>,
        known: &Registered,
    ) -> Result<Plan, StoreError> {
        let terms = Terms {
            identity: self.identity,
            trusts: self.trusts,
            retry: self.retry,
            first: self.first,
            readers: &self.selection.readers,
            has_same_readers: changed::has_same_readers(known, &self.selection.readers),
        };
        let (ledger, before) = (&*self.ledger, &known.skips[..]);
        let changes = match self.compares_all {
            true => None,
            false => changed::changes(ledger, source, &entries, known, &terms)?,
        };
        let mut plan = match changes {
            Some(changes) => changed::plan(ledger, source, changes, before, &terms)?,
            None => {
                let all = KnownDocuments::new(ledger, source, PathRange::default());
                plan::plan(all, entries, before, &terms)?
            }
        };
        self.report.listed = plan.listed;
        self.report.first_listed = plan.first_listed;
        self.report.unchanged = plan.unchanged;
        self.judge(&mut plan);
        plan.order(self.first, &self.selection.readers);
        Ok(plan)
    }

    /// Separates the documents on which the last process may have crashed, and skips those on which
    /// it certainly has. Their indexed state stays: processes are also killed for other reasons,
    /// and nothing may be lost by that.
    fn judge(&self, plan: &mut Plan) {
        if self.retry {
            return;
        }
        let verdict = |step: &Step| self.journal.verdict(step.path());
        let culprits = plan
            .steps
            .extract_if(.., |step| verdict(step) == Some(Verdict::Culprit));
        for step in culprits.collect::<Vec<_>>() {
            let (path, stat) = match step {
                Step::Read { entry, .. } => (entry.path, entry.version.stored()),
                Step::Recut { known } => (known.path, known.stat),
            };
            let reader = self.selection.readers.choose(&path).version();
            let skip = Skip::new(path, SkipReason::Quarantined)
                .with_detail("excerpt ended twice while reading or splitting it");
            plan.skips.push(SkipRow {
                reader,
                skip,
                stat: Some(stat),
                settled: self.clock.is_settled(stat),
            });
        }
        plan.suspects = plan
            .steps
            .extract_if(.., |step| verdict(step).is_some())
            .collect();
    }

    /// Stops a sync that would empty a source or remove more than half of many documents, possibly
    /// because of a mistake or a missing disk. Documents that a rule excludes, or that are
    /// elsewhere in the source with the same name and size, do not count as lost.
    ///
    /// In that case nothing at all is applied, since answers would otherwise mix two states of a
    /// source, such as two branches.
    fn check_loss(&self, plan: &Plan) -> Result<(), StoreError> {
        let vanished = plan.vanished.len();
        if vanished == 0 {
            return Ok(());
        }
        let documents = plan.known;
        let is_empty = self.report.listed == 0 && plan.removals.len() == documents;
        let is_loss = |lost: usize| documents >= MANY && lost * 2 > documents;
        if is_empty || (is_loss(vanished) && is_loss(vanished - plan.moved())) {
            let path = self.source.id().path().into();
            return Err(StoreError::Told(Error::Vanished {
                path,
                vanished,
                documents,
            }));
        }
        Ok(())
    }

    /// Executes the plan, batch by batch.
    fn apply(&mut self, source: &SourceId, plan: &mut Plan) -> Result<ControlFlow<()>, StoreError> {
        for removals in plan.removals.chunks(BATCH_DOCUMENTS) {
            let changes: Vec<Change> = removals
                .iter()
                .map(|id| Change::Remove { id: *id })
                .collect();
            self.ledger.apply(source, &changes)?;
            self.report.removed += removals.len();
        }
        let total = plan.steps.len() + plan.suspects.len();
        match self.apply_steps(source, plan, total)? {
            ControlFlow::Continue(done) => self.apply_suspects(source, plan, (done, total)),
            ControlFlow::Break(()) => Ok(ControlFlow::Break(())),
        }
    }

    /// Processes all steps except the suspects, and returns how many those were. The changes of one
    /// batch are written while the next one is split.
    fn apply_steps(
        &mut self,
        source: &SourceId,
        plan: &mut Plan,
        total: usize,
    ) -> Result<ControlFlow<(), usize>, StoreError> {
        let mut done = 0;
        let mut steps = std::mem::take(&mut plan.steps).into_iter().peekable();
        let mut last = CutBatch::default();
        for batch_number in 0.. {
            let batch = batch(&mut steps, &self.selection.readers);
            if batch.is_empty() && last.done == 0 {
                break;
            }
            let write = |ledger: &mut dyn Ledger| ledger.apply(source, &last.changes);
            let assured = if batch_number == 0 { ASSURED } else { 0 };
            let next = self.cut((batch, assured), &mut plan.skips, (done, total), write)?;
            done += last.done;
            last = next;
            if last.was_ended || self.must_stop(batch_number, (done, total))? {
                self.ledger.apply(source, &last.changes)?;
                self.leave(&last, (done, total), plan.first);
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(done))
    }

    /// Whether the caller cancels after this batch. Every now and then, the keyword index is
    /// updated.
    fn must_stop(
        &mut self,
        batch_number: usize,
        (done, total): (usize, usize),
    ) -> Result<bool, StoreError> {
        if batch_number == 0 {
            return Ok(false);
        }
        Ok(self.progress(Stage::Cut, done, total).is_break()
            || (batch_number.is_multiple_of(BATCHES_BETWEEN_COMMITS)
                && self.index_words()?.is_break()))
    }

    /// Notes what remains after the `last` batch. The `first` steps are for documents that come
    /// first.
    fn leave(&mut self, last: &CutBatch, (done, total): (usize, usize), first: usize) {
        self.report.remaining = total - done - last.done;
        // Any documents of an interrupted batch may be missing.
        let through = match last.was_ended {
            true => done,
            false => done + last.done,
        };
        self.report.first_remaining = first.saturating_sub(through);
    }

    /// Processes the suspects one at a time, so that a crash affects nothing else.
    fn apply_suspects(
        &mut self,
        source: &SourceId,
        plan: &mut Plan,
        (mut done, total): (usize, usize),
    ) -> Result<ControlFlow<()>, StoreError> {
        for suspect in std::mem::take(&mut plan.suspects) {
            if self.index_words()?.is_break() {
                self.report.remaining = total - done;
                return Ok(ControlFlow::Break(()));
            }
            let batch = (vec![suspect], 0);
            let cut = self.cut(batch, &mut plan.skips, (done, total), |_| Ok(()))?;
            self.ledger.apply(source, &cut.changes)?;
            done += cut.done;
            if cut.was_ended {
                self.report.remaining = total - done;
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Reads and splits a batch on all cores, and returns the changes in the order of the steps.
    /// Meanwhile this thread does its `work` on the ledger, and then repeatedly checks whether to
    /// continue. `progress` has the number of completed steps and their total.
    fn cut(
        &mut self,
        (batch, assured): (Vec<Step>, usize),
        skips: &mut Vec<SkipRow>,
        progress: (usize, usize),
        work: impl FnOnce(&mut dyn Ledger) -> Result<(), StoreError>,
    ) -> Result<CutBatch, StoreError> {
        let before = self.before(&batch)?;
        self.source.expect(&plan::read_in(&batch));
        let ended = AtomicBool::new(false);
        let look = Work {
            source: self.source,
            cutter: &self.cutter,
            journal: &self.journal,
            selection: self.selection,
            identity: self.identity,
            clock: self.clock,
            ended: &ended,
            has_moved: &self.has_moved,
        };
        let (ledger, on_progress) = (&mut *self.ledger, &mut self.progress);
        let (done, total) = progress;
        let so_far = Progress {
            stage: Stage::Cut,
            done,
            total,
            listed: self.report.listed,
        };
        let mut outcomes = Vec::new();
        scope_on_all_cores(|scope| {
            let (finished, finish) = sync_channel::<()>(0);
            let (look, outcomes) = (&look, &mut outcomes);
            scope.spawn(move |_| {
                *outcomes = look.look_at_all(batch, before, assured);
                drop(finished);
            });
            let worked = work(ledger);
            wait(&finish, || {
                if worked.is_err() || on_progress(so_far).is_break() {
                    ended.store(true, Ordering::Relaxed);
                }
            });
            worked
        })?;
        self.tally(outcomes, skips)
    }

    /// What the ledger, which one thread reads, has for each step of a batch.
    fn before(&self, batch: &[Step]) -> Result<Vec<Before>, StoreError> {
        let read = plan::read_in(batch);
        let requests: Vec<TwinRequest<'_>> = read
            .iter()
            .map(|entry| TwinRequest {
                path: &entry.path,
                stat: entry.version.stored(),
            })
            .collect();
        let twins = self
            .ledger
            .twins(self.source.id(), self.identity, &requests)?;
        let (mut twins, texts) = (twins.into_iter(), self.kept_texts(batch)?);
        let steps = batch.iter().zip(texts);
        let before = steps.map(|(step, text)| Before {
            text,
            twin: match step {
                Step::Read { .. } => twins.next().flatten().map(Box::new),
                Step::Recut { .. } => None,
            },
        });
        Ok(before.collect())
    }

    /// The texts of a batch that may be split again, with the provenance of their documents.
    fn kept_texts(&self, batch: &[Step]) -> Result<Vec<Option<ProvenText>>, StoreError> {
        let kept = batch.iter().filter_map(Step::kept);
        let hashes: Vec<Hash> = kept.clone().map(|known| known.hash).collect();
        let catalog = self.ledger.catalog()?;
        let documents = kept.map(|known| {
            // A plain file is known without its document.
            let is_more = known.stat.is_of_tag() || known.extracted.is_some();
            let document = is_more.then(|| catalog.document(known.id));
            Ok((known.encoding, document.transpose()?.flatten()))
        });
        let documents = documents.collect::<Result<Vec<_>, StoreError>>()?;
        let kept = self.ledger.texts(&hashes)?;
        if kept.len() != hashes.len() {
            return Err(StoreError::Value("texts that are missing"));
        }
        let kept = kept.into_iter().zip(documents);
        let mut kept = kept.map(|(text, (encoding, document))| {
            let (provenance, extraction) = document
                .map(|document| (document.provenance, document.extraction))
                .unwrap_or_default();
            ProvenText {
                file: FileText {
                    text,
                    encoding,
                    extraction,
                },
                provenance,
            }
        });
        let texts = batch
            .iter()
            .map(|step| step.kept().and_then(|_| kept.next()));
        Ok(texts.collect())
    }

    /// Counts the results of a batch, and collects the changes.
    fn tally(
        &mut self,
        outcomes: Vec<Result<(Outcome, Option<u64>), StoreError>>,
        skips: &mut Vec<SkipRow>,
    ) -> Result<CutBatch, StoreError> {
        let mut cut = CutBatch::default();
        for outcome in outcomes {
            let (outcome, bytes) = outcome?;
            if let Outcome::Remaining = outcome {
                cut.was_ended = true;
                continue;
            }
            cut.done += 1;
            if let Some(bytes) = bytes {
                self.report.read += 1;
                self.report.bytes_read += bytes;
            }
            cut.changes.extend(self.count(outcome, skips));
        }
        Ok(cut)
    }

    /// Counts the result of a step, and returns the resulting change.
    fn count(&mut self, outcome: Outcome, skips: &mut Vec<SkipRow>) -> Option<Change> {
        let report = &mut self.report;
        match outcome {
            Outcome::Put {
                record,
                was,
                is_shared,
            } => {
                *match was {
                    Was::Absent => &mut report.added,
                    Was::Different => &mut report.changed,
                    Was::SplitOtherwise => &mut report.recut,
                } += 1;
                report.shared += usize::from(is_shared);
                Some(Change::Put(record))
            }
            Outcome::Same {
                id,
                stat,
                settled,
                encoding,
            } => {
                report.unchanged += 1;
                Some(Change::Touch {
                    id,
                    stat,
                    settled,
                    encoding,
                })
            }
            Outcome::Skipped { known, skip } => {
                let unreadable = skip.skip.reason == SkipReason::Unreadable;
                skips.push(skip);
                report.unchanged += usize::from(unreadable && known.is_some());
                known.filter(|_| !unreadable).map(|known| {
                    report.removed += 1;
                    Change::Remove { id: known.id }
                })
            }
            // For remote sources, only a listing shows that a document was removed.
            Outcome::Gone(Some(known)) if known.stat.is_of_tag() => {
                report.unchanged += 1;
                None
            }
            Outcome::Gone(known) => known.map(|known| {
                report.removed += 1;
                Change::Remove { id: known.id }
            }),
            Outcome::Remaining => None,
        }
    }

    fn index_words(&mut self) -> Result<ControlFlow<()>, StoreError> {
        let mut on_progress = counted(self.progress, Stage::Keywords, self.report.listed);
        self.ledger.index_words(&mut on_progress)
    }

    /// Merges the parts of the keyword index, if the caller has time for it.
    fn merge_words(&mut self) -> Result<ControlFlow<()>, StoreError> {
        let listed = self.report.listed;
        let merged = self
            .ledger
            .merge_words(&mut counted(self.progress, Stage::Merge, listed))?;
        match merged {
            // If it turned out to be damaged, it is made again.
            ControlFlow::Continue(()) => self.index_words(),
            ControlFlow::Break(()) => Ok(ControlFlow::Break(())),
        }
    }

    /// Computes the vectors of the chunks. An error of the embedder is reported and stored:
    /// keywords find the chunks meanwhile, and the next sync continues from there.
    fn embed(&mut self) -> Result<ControlFlow<()>, StoreError> {
        let Some(embedder) = self.embedder else {
            return Ok(ControlFlow::Continue(()));
        };
        let mut on_progress = counted(self.progress, Stage::Vectors, self.report.listed);
        Ok(match self.ledger.embed(embedder, &mut on_progress)? {
            Followed::Complete => ControlFlow::Continue(()),
            Followed::Broken => ControlFlow::Break(()),
            Followed::Failed(error) => {
                self.report.without_vectors = Some(error.to_string());
                ControlFlow::Continue(())
            }
        })
    }
}

/// Passes the numbers of a stage to `progress`.
fn counted(
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    stage: Stage,
    listed: usize,
) -> impl FnMut(usize, usize) -> ControlFlow<()> {
    move |done, total| {
        progress(Progress {
            stage,
            done,
            total,
            listed,
        })
    }
}

/// Waits until the sender of `finish` is dropped, and calls `turn` every now and then.
fn wait(finish: &Receiver<()>, mut turn: impl FnMut()) {
    loop {
        // If this is a thread of the pool itself, it may have to split the batch.
        let timeout = match rayon::yield_now() {
            Some(rayon::Yield::Executed) => Duration::ZERO,
            _ => TURN,
        };
        if finish.recv_timeout(timeout) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        turn();
    }
}

/// The result of a batch.
#[derive(Default)]
struct CutBatch {
    changes: Vec<Change>,
    /// The number of completed steps.
    done: usize,
    /// Whether the sync was interrupted before all were completed.
    was_ended: bool,
}

/// The [identity](store::identity) of what a document's chunks, and its presence in the index,
/// depend on apart from its text and path.
pub(crate) fn identity(options: &SyncOptions) -> Hash {
    // All are plain data, so serialization never fails.
    let config = serde_json::to_string(&options.chunking).unwrap_or_default();
    let title = serde_json::to_string(&options.attributes.title).unwrap_or_default();
    let attributes = serde_json::to_string(&options.attributes).unwrap_or_default();
    let (chunk, grammars) = (excerpt_chunk::VERSION, excerpt_grammars::VERSION);
    let secrets = match options.selection.skips_secrets() {
        true => SECRETS_VERSION,
        false => 0,
    };
    let splitting = format!(
        "{chunk} {grammars} {config} {title} {}",
        options.limits.chunks
    );
    store::identity(&splitting, &format!("{attributes} {secrets}"))
}
