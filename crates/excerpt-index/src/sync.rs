//! Bringing an index in step with a source: list, compare, plan, apply.
//!
//! A file whose size and time are as they were is not read, unless it was changed so shortly before it was last read that a
//! later change could look the same. Where the clock has gone back since the last sync, all are read. What is read is told by the hash of its text; only another text, or another configuration,
//! is cut again. Documents are applied in batches, each one transaction, so that a sync that is ended at any moment leaves each
//! document as it was or as it is, and the next one goes on from there.

use std::collections::{BTreeSet, HashMap};
use std::iter::Peekable;
use std::ops::ControlFlow;
use std::time::{Instant, SystemTime};

use excerpt_chunk::{CodeParser as _, Document, Hash};
use excerpt_grammars::Grammars;
use rayon::prelude::*;

use crate::cut::Cutter;
use crate::embed::Embedder;
use crate::error::Result;
use crate::lock::WriteLock;
use crate::model::{Progress, Skip, SkipReason, Stage, Stat, SyncOptions, SyncReport};
use crate::source::{Entry, Listing, Reading, Source};
use crate::store::{Change, Fault, Followed, Known, Record, SkipRow, Store, Truth};
use crate::summary::Summary;

/// A file changed less than this before it was read may change again and look the same: two seconds is the coarsest time that
/// a file system in use keeps (FAT), and clocks of servers differ a little.
const SLACK_NS: i64 = 2_000_000_000;

/// How much is read and cut before it is written, while as much is cut already: twice that is what a killed sync loses at most, and a bound to its memory.
const BATCH_DOCUMENTS: usize = 256;
const BATCH_BYTES: u64 = 8 << 20;

/// The bytes above which a file is looked at after all others: it takes the time of many.
const LARGE: u64 = 64 << 10;

/// After how many batches the keyword index follows, so that a search during a long sync finds what is there.
const BATCHES_BETWEEN_COMMITS: usize = 16;

/// How many known documents are compared at once.
const PAGE: usize = 4096;

/// Progress that nobody looks at.
pub fn quiet(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// One sync of one source.
pub(crate) struct Sync<'a> {
    store: &'a mut Store,
    lock: &'a WriteLock,
    source: &'a dyn Source,
    name: Option<String>,
    cutter: Cutter,
    identity: Hash,
    retry: bool,
    embedder: Option<&'a dyn Embedder>,
    progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    clock: Clock,
    /// Whether sizes and times that were kept say anything: a clock that has gone back may have given the same time twice.
    trusts: bool,
    report: SyncReport,
}

/// What is to be done.
#[derive(Default)]
struct Plan {
    /// Files to read, and texts to cut again, by path.
    steps: Vec<Step>,
    /// Documents to remove.
    removals: Vec<i64>,
    /// What is left out.
    skips: Vec<SkipRow>,
}

/// A document to be looked at.
enum Step {
    /// The file is new or looks different.
    Read { entry: Entry, known: Option<Known> },
    /// The text is as it was, and the configuration another one.
    Recut { known: Known },
}

/// What became of a step.
enum Outcome {
    Added(Box<Record>),
    Changed(Box<Record>),
    Recut(Box<Record>),
    /// The same text under another look.
    Same {
        id: i64,
        stat: Stat,
        settled: bool,
    },
    /// Left out for what is in it; the document that was there goes, unless the file cannot be read.
    Skipped {
        known: Option<Known>,
        skip: SkipRow,
    },
    Gone(Option<Known>),
}

impl<'a> Sync<'a> {
    /// Prepares a sync.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) when documents cannot be cut as the options say.
    pub(crate) fn new(
        store: &'a mut Store,
        lock: &'a WriteLock,
        source: &'a dyn Source,
        options: &SyncOptions,
        embedder: Option<&'a dyn Embedder>,
        progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self> {
        let identity = identity(options);
        Ok(Sync {
            store,
            lock,
            source,
            cutter: Cutter::new(options, identity)?,
            identity,
            retry: options.retry,
            name: options.name.clone(),
            embedder,
            progress,
            clock: Clock::start(),
            trusts: true,
            report: SyncReport::default(),
        })
    }

    /// Runs it.
    pub(crate) fn run(mut self) -> Result<SyncReport, Fault> {
        if self.tell(Stage::List, 0, 0).is_break() {
            return Ok(self.finish(false));
        }
        let mut listing = self.source.list()?;
        // The order is promised, but a source that breaks the promise must not remove documents.
        listing.entries.sort_by(|a, b| a.path.cmp(&b.path));
        listing.entries.dedup_by(|a, b| a.path == b.path);
        let source = self
            .store
            .truth
            .ensure_source(self.source.root(), self.name.as_deref())?;
        let last = self.store.truth.last_sync(source)?;
        self.trusts = last.is_none_or(|last| last.started <= self.clock.seconds());
        let before = self.store.truth.skips(source)?;
        let mut plan = self.plan(source, listing, &before)?;
        self.report.removed = plan.removals.len();
        if !plan.steps.is_empty() || !plan.removals.is_empty() {
            self.store.truth.start_sync(source, self.clock.seconds())?;
        }
        let applied = self.apply(source, &mut plan)?;
        // What was cut is to be found by its words, even if the rest has to wait.
        let followed = self.catch_up()?;
        self.report.remaining += self.store.unfollowed()?;
        if applied.is_break() || followed.is_break() || self.embed()?.is_break() {
            return Ok(self.finish(false));
        }
        plan.skips.sort_by(|a, b| a.skip.path.cmp(&b.skip.path));
        for row in &plan.skips {
            *self.report.skipped.entry(row.skip.reason).or_default() += 1;
        }
        Summary::keep(&self.store.truth, source)?;
        let skips = (plan.skips != before).then_some(&plan.skips[..]);
        self.store.truth.finish_sync(
            source,
            self.clock.seconds(),
            Clock::start().seconds(),
            skips,
        )?;
        Ok(self.finish(true))
    }

    fn finish(mut self, complete: bool) -> SyncReport {
        self.report.complete = complete;
        self.report.seconds = self.clock.instant.elapsed().as_secs_f64();
        self.report
    }

    fn tell(&mut self, stage: Stage, done: usize, total: usize) -> ControlFlow<()> {
        (self.progress)(Progress { stage, done, total })
    }

    /// Compares the listing with what is known: both are ordered by path, so one pass over both tells them apart.
    fn plan(&mut self, source: i64, listing: Listing, before: &[SkipRow]) -> Result<Plan, Fault> {
        self.report.listed = listing.entries.len();
        let kept = Unreachable::of(&listing.skips);
        let looked_into: HashMap<&str, &SkipRow> =
            before.iter().map(|row| (&*row.skip.path, row)).collect();
        let mut plan = Plan::default();
        let mut known = KnownDocuments::new(&self.store.truth, source);
        for entry in listing.entries {
            while let Some(vanished) = known.next_if(|known| known.path < entry.path)? {
                plan.remove(vanished, &kept);
            }
            let found = known.next_if(|known| known.path == entry.path)?;
            match (found, looked_into.get(&*entry.path)) {
                (Some(known), _) if self.trusts && known.settled && known.stat == entry.stat => {
                    match known.identity == self.identity {
                        true => self.report.unchanged += 1,
                        false => plan.steps.push(Step::Recut { known }),
                    }
                }
                (None, Some(row)) if self.trusts && !self.retry && row.still_holds(entry.stat) => {
                    plan.skips.push((*row).clone());
                }
                (known, _) => plan.steps.push(Step::Read { entry, known }),
            }
        }
        while let Some(vanished) = known.next_if(|_| true)? {
            plan.remove(vanished, &kept);
        }
        plan.steps.sort_by_cached_key(Step::turn);
        plan.skips
            .extend(listing.skips.into_iter().map(|skip| SkipRow {
                skip,
                stat: None,
                settled: false,
            }));
        Ok(plan)
    }

    /// Does what the plan says, batch by batch.
    fn apply(&mut self, source: i64, plan: &mut Plan) -> Result<ControlFlow<()>, Fault> {
        for removals in plan.removals.chunks(BATCH_DOCUMENTS) {
            let changes: Vec<Change> = removals
                .iter()
                .map(|id| Change::Remove { id: *id })
                .collect();
            self.store.truth.apply(source, &changes)?;
        }
        let total = plan.steps.len();
        let mut done = 0;
        let mut steps = std::mem::take(&mut plan.steps).into_iter().peekable();
        // What was cut, and of how many steps, is written while the next batch is cut.
        let (mut changes, mut written) = (Vec::new(), 0);
        for batch_number in 0.. {
            let batch = batch(&mut steps);
            let count = batch.len();
            if count == 0 && written == 0 {
                break;
            }
            let next = self.cut(batch, &mut plan.skips, |truth| {
                truth.apply(source, &changes)
            })?;
            done += written;
            (changes, written) = (next, count);
            if batch_number == 0 {
                continue;
            }
            let is_broken = self.tell(Stage::Cut, done, total).is_break()
                || (batch_number % BATCHES_BETWEEN_COMMITS == 0 && self.catch_up()?.is_break());
            if is_broken {
                self.store.truth.apply(source, &changes)?;
                self.report.remaining = total - done - written;
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Reads and cuts a batch on all cores, and gives the changes in the order of the steps. Meanwhile this thread does its `work` on the truth.
    fn cut(
        &mut self,
        batch: Vec<Step>,
        skips: &mut Vec<SkipRow>,
        work: impl FnOnce(&Truth) -> Result<(), Fault>,
    ) -> Result<Vec<Change>, Fault> {
        // Texts to be cut again come from the database, which one thread reads.
        let texts = batch.iter().map(|step| match step {
            Step::Recut { known } => self.store.truth.text(known.hash).map(Some),
            Step::Read { .. } => Ok(None),
        });
        let texts: Vec<Option<String>> = texts.collect::<Result<_, _>>()?;
        let look = Work {
            source: self.source,
            cutter: &self.cutter,
            identity: self.identity,
            started_ns: self.clock.nanoseconds,
        };
        let mut outcomes = Vec::new();
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                let steps = batch.into_par_iter().zip(texts);
                outcomes = steps.map(|(step, text)| look.look(step, text)).collect();
            });
            work(&self.store.truth)
        })?;
        let mut changes = Vec::new();
        for outcome in outcomes {
            let (outcome, bytes) = outcome?;
            if let Some(bytes) = bytes {
                self.report.read += 1;
                self.report.bytes_read += bytes;
            }
            changes.extend(self.count(outcome, skips));
        }
        Ok(changes)
    }

    /// Counts what became of a step, and gives the change that follows from it.
    fn count(&mut self, outcome: Outcome, skips: &mut Vec<SkipRow>) -> Option<Change> {
        let report = &mut self.report;
        match outcome {
            Outcome::Added(record) => {
                report.added += 1;
                Some(Change::Put(record))
            }
            Outcome::Changed(record) => {
                report.changed += 1;
                Some(Change::Put(record))
            }
            Outcome::Recut(record) => {
                report.recut += 1;
                Some(Change::Put(record))
            }
            Outcome::Same { id, stat, settled } => {
                report.unchanged += 1;
                Some(Change::Touch { id, stat, settled })
            }
            Outcome::Skipped { known, skip } => {
                let unreadable = skip.skip.reason == SkipReason::Unreadable;
                skips.push(skip);
                known.filter(|_| !unreadable).map(|known| {
                    report.removed += 1;
                    Change::Remove { id: known.id }
                })
            }
            Outcome::Gone(known) => known.map(|known| {
                report.removed += 1;
                Change::Remove { id: known.id }
            }),
        }
    }

    fn catch_up(&mut self) -> Result<ControlFlow<()>, Fault> {
        let progress = &mut self.progress;
        self.store.catch_up(self.lock, &mut |done, total| {
            progress(Progress {
                stage: Stage::Keywords,
                done,
                total,
            })
        })
    }
}

impl Sync<'_> {
    /// Gives the chunks their vectors. What keeps the embedder from it is reported and kept: keywords find the chunks meanwhile, and the next sync
    /// goes on from there.
    fn embed(&mut self) -> Result<ControlFlow<()>, Fault> {
        let Some(embedder) = self.embedder else {
            return Ok(ControlFlow::Continue(()));
        };
        let progress = &mut self.progress;
        let stage = Stage::Vectors;
        let mut tell = |done, total| progress(Progress { stage, done, total });
        Ok(match self.store.embed(self.lock, embedder, &mut tell)? {
            Followed::Complete => ControlFlow::Continue(()),
            Followed::Broken => ControlFlow::Break(()),
            Followed::Failed(error) => {
                self.report.without_vectors = Some(error.to_string());
                ControlFlow::Continue(())
            }
        })
    }
}

impl Plan {
    /// Removes a document that was not listed, unless it lies where the listing could not look.
    fn remove(&mut self, known: Known, kept: &Unreachable) {
        if !kept.holds(&known.path) {
            self.removals.push(known.id);
        }
    }
}

/// The next steps, as many as are written at once.
fn batch(steps: &mut Peekable<std::vec::IntoIter<Step>>) -> Vec<Step> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < BATCH_DOCUMENTS
        && let Some(step) =
            steps.next_if(|step| batch.is_empty() || bytes + step.size() <= BATCH_BYTES)
    {
        bytes += step.size();
        batch.push(step);
    }
    batch
}

impl Step {
    fn path(&self) -> &str {
        match self {
            Step::Read { entry, .. } => &entry.path,
            Step::Recut { known } => &known.path,
        }
    }

    /// When its turn is, for one who waits for the first answer: small files before large ones, what is written for people before code and data, what
    /// stands on top before what lies deep. Equals stay in the order of their paths.
    fn turn(&self) -> (bool, bool, usize) {
        let path = self.path();
        let named = Document::new("").with_path(path);
        (
            self.size() > LARGE,
            Grammars.detect(&named).is_some(),
            path.matches('/').count(),
        )
    }

    /// How much memory it will take.
    fn size(&self) -> u64 {
        match self {
            Step::Read { entry, .. } => entry.stat.size,
            Step::Recut { known } => known.stat.size,
        }
    }
}

/// What every thread needs to cut documents.
struct Work<'a> {
    source: &'a dyn Source,
    cutter: &'a Cutter,
    identity: Hash,
    started_ns: i64,
}

impl Work<'_> {
    /// Looks at one document. Returns the bytes that were read, if the file was.
    fn look(&self, step: Step, text: Option<String>) -> Result<(Outcome, Option<u64>), Fault> {
        let (entry, known) = match step {
            Step::Read { entry, known } => (entry, known),
            Step::Recut { known } => {
                let (text, stat) = (text.unwrap_or_default(), known.stat);
                let cut = self.record(&known.path, text, known.hash, stat)?;
                return Ok((self.outcome(cut, Some(known), stat, Outcome::Recut), None));
            }
        };
        let (text, stat, bytes) = match self.source.read(&entry) {
            Reading::Text { text, stat, bytes } => (text, stat, bytes),
            Reading::Skip { skip, stat, bytes } => {
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
            },
            Some(known) => {
                let became = match known.hash == hash {
                    true => Outcome::Recut,
                    false => Outcome::Changed,
                };
                let cut = self.record(&entry.path, text, hash, stat)?;
                self.outcome(cut, Some(known), stat, became)
            }
            None => {
                let cut = self.record(&entry.path, text, hash, stat)?;
                self.outcome(cut, None, stat, Outcome::Added)
            }
        };
        Ok((outcome, Some(bytes)))
    }

    fn record(
        &self,
        path: &str,
        text: String,
        hash: Hash,
        stat: Stat,
    ) -> Result<Result<Box<Record>, Skip>, Fault> {
        let mut cut = self.cutter.cut(path, text, hash)?;
        if let Ok(record) = &mut cut {
            record.stat = stat;
            record.settled = self.is_settled(stat);
        }
        Ok(cut)
    }

    /// What became of a document that was cut, or left out over that.
    fn outcome(
        &self,
        cut: Result<Box<Record>, Skip>,
        known: Option<Known>,
        stat: Stat,
        became: impl FnOnce(Box<Record>) -> Outcome,
    ) -> Outcome {
        match cut {
            Ok(mut record) => {
                record.id = known.map(|known| known.id);
                became(record)
            }
            Err(skip) => Outcome::Skipped {
                known,
                skip: SkipRow {
                    skip,
                    stat: Some(stat),
                    settled: self.is_settled(stat),
                },
            },
        }
    }

    /// Whether a file that still has this size and time will still have this text.
    fn is_settled(&self, stat: Stat) -> bool {
        stat.mtime_ns.saturating_add(SLACK_NS) < self.started_ns
    }
}

/// The documents of a source that are known, by path, a page at a time.
struct KnownDocuments<'a> {
    truth: &'a Truth,
    source: i64,
    page: Peekable<std::vec::IntoIter<Known>>,
    last: Option<String>,
    ended: bool,
}

impl<'a> KnownDocuments<'a> {
    fn new(truth: &'a Truth, source: i64) -> Self {
        KnownDocuments {
            truth,
            source,
            page: Vec::new().into_iter().peekable(),
            last: None,
            ended: false,
        }
    }

    /// The next one, if it is as wanted.
    fn next_if(&mut self, wanted: impl Fn(&Known) -> bool) -> Result<Option<Known>, Fault> {
        if self.page.peek().is_none() && !self.ended {
            let page = self.truth.known(self.source, self.last.as_deref(), PAGE)?;
            self.ended = page.len() < PAGE;
            self.last = page.last().map(|known| known.path.clone());
            self.page = page.into_iter().peekable();
        }
        Ok(self.page.next_if(wanted))
    }
}

/// The paths that could not be looked at: what is known of them stays.
struct Unreachable(BTreeSet<String>);

impl Unreachable {
    fn of(skips: &[Skip]) -> Self {
        let unreadable = skips
            .iter()
            .filter(|skip| skip.reason == SkipReason::Unreadable);
        Unreachable(unreadable.map(|skip| skip.path.clone()).collect())
    }

    /// Whether `path`, or a folder around it, could not be looked at.
    fn holds(&self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        folders.chain([path]).any(|path| self.0.contains(path))
    }
}

/// When the sync began.
#[derive(Clone, Copy)]
struct Clock {
    instant: Instant,
    nanoseconds: i64,
}

impl Clock {
    fn start() -> Self {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Clock {
            instant: Instant::now(),
            nanoseconds: i64::try_from(now.as_nanos()).unwrap_or(i64::MAX),
        }
    }

    fn seconds(self) -> i64 {
        self.nanoseconds / 1_000_000_000
    }
}

/// What a document's chunks depend on besides its text and path.
pub(crate) fn identity(options: &SyncOptions) -> Hash {
    // Both are plain data: their JSON never fails.
    let config = serde_json::to_string(&options.chunking).unwrap_or_default();
    let attributes = serde_json::to_string(&options.attributes).unwrap_or_default();
    let (chunk, grammars) = (excerpt_chunk::VERSION, excerpt_grammars::VERSION);
    Hash::of(format!("{chunk} {grammars} {config} {attributes}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_under_an_unreadable_folder_stays() {
        let skips = [
            Skip::new("a/b", SkipReason::Unreadable),
            Skip::new("c", SkipReason::Ignored),
        ];
        let kept = Unreachable::of(&skips);
        assert!(kept.holds("a/b") && kept.holds("a/b/c/d.md"));
        assert!(!kept.holds("a/bc.md") && !kept.holds("a") && !kept.holds("c/d.md"));
    }

    #[test]
    fn the_identity_follows_the_cut_and_what_is_said_of_the_documents() {
        let own = SyncOptions::default();
        let mut cut = own.clone();
        cut.chunking.target = 300;
        let mut tagged = own.clone();
        tagged.attributes.tags.push("a".to_string());
        assert_eq!(identity(&own), identity(&SyncOptions::default()));
        assert_ne!(identity(&own), identity(&cut));
        assert_ne!(identity(&own), identity(&tagged));
    }

    #[test]
    fn a_clock_that_has_gone_back_makes_a_sync_read_everything() {
        let dir = tempfile::tempdir().unwrap();
        let (root, index) = (dir.path().join("notes"), dir.path().join("index"));
        let file = root.join("tea.md");
        let hour_ago = SystemTime::now() - std::time::Duration::from_secs(3600);
        let write = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let file = std::fs::File::options().write(true).open(&file);
            file.unwrap().set_modified(hour_ago).unwrap();
        };
        let sync = || {
            let mut index = crate::Index::open(&index, crate::OpenOptions::create()).unwrap();
            index.sync(&root, &SyncOptions::default(), quiet).unwrap()
        };
        std::fs::create_dir(&root).unwrap();
        write("green");
        sync();
        write("black");
        assert_eq!(sync().read, 0);
        // The last sync was in the future.
        let store = Store::open(&index).unwrap();
        let later = Clock::start().seconds() + 3600;
        let truth = store.truth;
        let source = truth.source(root.canonicalize().unwrap().to_str().unwrap());
        let source = source.unwrap().unwrap();
        truth.start_sync(source, later).unwrap();
        drop(truth);
        assert_eq!(sync().changed, 1);
        assert_eq!(sync().read, 0);
    }
}
