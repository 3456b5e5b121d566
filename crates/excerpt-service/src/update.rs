//! An [`Index`] that is ready to answer, updated as far as time permits, and the reason if it is
//! not up to date.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use excerpt_index::{
    ActiveWriter, Error, Index, Keywords, OpenOptions, Origin, Progress, Source, Stage, SyncReport,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ServiceResult;
use crate::target::{IndexTarget, Syncable};

/// Whether the index is updated before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// Yes, but the answer waits neither long nor for another process.
    #[default]
    Auto,
    /// Yes, completely.
    Always,
    /// No.
    Never,
}

/// A request to update an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SyncRequest {
    /// Whether files that were skipped because of their contents are read again. Default: no.
    pub retry: bool,
    /// Whether documents are removed that no longer exist, however many. Default: no.
    pub accept_removals: bool,
}

/// An index that is ready to answer.
pub struct Opened {
    /// The index.
    pub index: Index,
    /// Why it is not up to date.
    pub lag: Option<Lag>,
    /// The sources that could not be synced, if there are others.
    pub unsynced: Vec<SyncFailure>,
}

/// A source that could not be synced.
pub struct SyncFailure {
    /// The name of the collection that it is, if any.
    pub collection: Option<String>,
    /// Why.
    pub error: Error,
}

/// Follows the syncs of a request, to show their progress.
pub trait SyncObserver {
    /// The sync of a source has got this far.
    fn progress(&mut self, progress: Progress);

    /// The sync of a source has ended.
    fn ended(&mut self);

    /// Another process, perhaps this one, has been writing the index for a while. Whether to wait
    /// on; called again and again while it writes. Default: no.
    fn waits_for(&mut self, _: &ActiveWriter) -> bool {
        false
    }
}

/// Follows nothing.
impl SyncObserver for () {
    fn progress(&mut self, _: Progress) {}

    fn ended(&mut self) {}
}

/// Why an answer comes from an index that is not up to date.
pub enum Lag {
    /// There was not enough time.
    Rest {
        /// The files to be searched.
        listed: usize,
        /// Those of them whose current state is not indexed.
        remaining: usize,
        /// Other files of the same sources whose current state is not indexed.
        elsewhere: usize,
        /// Whether only vectors are missing, and the last attempt to get them failed.
        is_stuck: bool,
    },
    /// Documents are being split again with other settings, and the old state is served meanwhile.
    Aside {
        /// How many are still to be split.
        remaining: usize,
    },
    /// The index was not changed: another process is writing, the disk is full, the source cannot
    /// be read, or too many of its documents are missing.
    Unwritten(SyncFailure),
}

/// The interval of attempts while another process is writing.
const TURN: Duration = Duration::from_millis(20);

/// How an index is updated before it answers.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// Whether it is.
    pub mode: SyncMode,
    /// How long an answer waits with [`SyncMode::Auto`].
    pub wait: Duration,
    /// Whether the caller sees to it that a sync that is interrupted goes on; otherwise the first
    /// sync of a source is completed, however long it takes.
    pub goes_on: bool,
}

/// The files that a sync has left for later.
#[derive(Clone, Copy, Default)]
struct Remaining {
    listed: usize,
    here: usize,
    elsewhere: usize,
}

/// The index of `target`, updated as `update` requires.
///
/// # Errors
///
/// Those of the index, unless an older state can answer.
pub fn opened(
    target: &IndexTarget,
    update: Update,
    observer: &mut dyn SyncObserver,
) -> ServiceResult<Opened> {
    let mode = update.mode;
    let embedding = match mode {
        SyncMode::Always => target.configuration.embedding.clone(),
        _ => target.configuration.embedding.for_questions(),
    };
    let index = match mode {
        SyncMode::Never => Index::open(&target.index, OpenOptions::default())?,
        _ => target.create()?,
    };
    let mut opened = Opened {
        index: embedding
            .given_to(index)?
            .with_reranker(target.configuration.rerank.reranker()),
        lag: None,
        unsynced: Vec::new(),
    };
    if mode == SyncMode::Never {
        return Ok(opened);
    }
    let has_others = target.sources.len() > 1;
    let budget = TimeBudget::of(update.wait, embedding.takes_long());
    let mut rest: Option<Remaining> = None;
    for source in &target.sources {
        let is_bounded = mode == SyncMode::Auto
            && (update.goes_on || was_complete(&opened.index, &source.root)?);
        let within = is_bounded.then_some(budget);
        // An answer does not wait for a network.
        let is_remote = Origin::of(&source.root).is_remote();
        if mode == SyncMode::Auto && is_remote && was_complete(&opened.index, &source.root)? {
            continue;
        }
        let index = &mut opened.index;
        match synced_in_turn(index, source, (mode, budget, within), observer) {
            Ok(report) if report.complete => {}
            Ok(report) if report.aside => {
                let remaining = report.remaining;
                opened.lag = Some(Lag::Aside { remaining });
                return Ok(opened);
            }
            Ok(report) => {
                let rest = rest.get_or_insert_default();
                rest.listed += report.first_listed;
                rest.here += report.first_remaining;
                rest.elsewhere += report.remaining.saturating_sub(report.first_remaining);
            }
            Err(error @ (Error::Source { .. } | Error::Vanished { .. })) if has_others => {
                opened.unsynced.push(source.unsynced(error));
            }
            Err(error) if mode == SyncMode::Auto && older_state_answers(&error, source, index) => {
                opened.lag = Some(Lag::Unwritten(source.unsynced(error)));
                return Ok(opened);
            }
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(rest) = rest {
        let is_complete = rest.here + rest.elsewhere == 0;
        opened.lag = Some(Lag::Rest {
            listed: rest.listed,
            remaining: rest.here,
            elsewhere: rest.elsewhere,
            is_stuck: is_complete && opened.index.status()?.vectors.failure.is_some(),
        });
    }
    Ok(opened)
}

impl Syncable {
    /// It could not be synced because of an error.
    fn unsynced(&self, error: Error) -> SyncFailure {
        SyncFailure {
            collection: self.collection.as_ref().map(|known| known.name.clone()),
            error,
        }
    }
}

/// Syncs a source. If another process is writing, waits for it while there is nothing to search:
/// the process that creates the index will soon have something, and without it there is no answer.
fn synced_in_turn(
    index: &mut Index,
    source: &Syncable,
    (mode, budget, within): (SyncMode, TimeBudget, Option<TimeBudget>),
    observer: &mut dyn SyncObserver,
) -> Result<SyncReport, Error> {
    loop {
        let synced = sync(index, source, within, observer);
        let waits = matches!(synced, Err(Error::Locked { .. }))
            && mode == SyncMode::Auto
            && Instant::now() < budget.end
            && index.searched()? == 0;
        if !waits {
            return synced;
        }
        std::thread::sleep(TURN);
    }
}

/// Whether an answer comes from an older state after this error of a source.
fn older_state_answers(error: &Error, source: &Syncable, index: &Index) -> bool {
    match error {
        Error::Locked { .. } | Error::Vanished { .. } => true,
        Error::Source { .. } => was_complete(index, &source.root).unwrap_or(false),
        Error::Full { .. } | Error::Io { .. } | Error::Store { .. } => {
            has_something_to_search(index)
        }
        _ => false,
    }
}

/// Whether there is an older state to answer from, even if every document has changed since.
fn has_something_to_search(index: &Index) -> bool {
    let status = index.status();
    status.is_ok_and(|status| status.documents > 0 && status.keywords != Keywords::Missing)
}

fn was_complete(index: &Index, root: &Path) -> Result<bool, Error> {
    let last = index.last_sync(root)?;
    Ok(last.is_some_and(|last| last.finished.is_some()))
}

/// The deadline of a sync for which an answer waits.
#[derive(Clone, Copy, Debug)]
pub struct TimeBudget {
    /// When the answer is due.
    end: Instant,
    /// The whole time from the start.
    wait: Duration,
    /// Whether vectors come from an endpoint or a model, and so may take any time.
    takes_long: bool,
}

impl TimeBudget {
    /// The shares of the wait that are left when splitting ends, and when writing the keywords
    /// ends, before the commit. On 12,000 files of source code, splitting and writing take about
    /// the same time, and a commit about 0.2 seconds.
    const CUT: f64 = 0.6;
    const KEYWORDS: f64 = 0.2;

    /// A deadline that starts now.
    pub fn of(wait: Duration, takes_long: bool) -> Self {
        TimeBudget {
            end: Instant::now() + wait,
            wait,
            takes_long,
        }
    }

    /// Whether a stage must be interrupted.
    pub fn ends(self, progress: Progress) -> bool {
        let left = match progress.stage {
            // Comparing the listing takes hardly any time, and without it nothing is known.
            Stage::List => return false,
            Stage::Cut => TimeBudget::CUT,
            Stage::Keywords => TimeBudget::KEYWORDS,
            Stage::Vectors if self.takes_long => return true,
            _ => 0.0,
        };
        Instant::now() + self.wait.mul_f64(left) >= self.end
    }
}

/// How long a change of an index waits for another process that is writing it.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs `work`, which needs the write lock, and retries for a moment if another process has it: a
/// server takes it often, and briefly.
///
/// # Errors
///
/// Those of `work`, and [`Error::Locked`] if the other process keeps the lock.
pub fn patiently<T>(mut work: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let end = Instant::now() + PATIENCE;
    loop {
        match work() {
            Err(Error::Locked { .. }) if Instant::now() < end => std::thread::sleep(TURN),
            done => return done,
        }
    }
}

/// Syncs a source after other processes that are writing the index, for as long as the observer
/// [waits](SyncObserver::waits_for) for them.
///
/// # Errors
///
/// Those of [`sync`], and [`Error::Locked`] if the observer does not wait.
pub(crate) fn sync_after_others(
    index: &mut Index,
    source: &Syncable,
    observer: &mut dyn SyncObserver,
) -> Result<SyncReport, Error> {
    loop {
        // Not at every turn: a source that is not on this disk is fetched first.
        let synced = patiently(|| sync(index, source, None, observer));
        if !matches!(synced, Err(Error::Locked { .. })) {
            return synced;
        }
        while let Some(writer) = index.writer() {
            if !observer.waits_for(&writer) {
                return synced;
            }
            std::thread::sleep(TURN);
        }
    }
}

/// Syncs a source until the deadline, if there is one.
///
/// # Errors
///
/// Those of [`Index::sync`].
pub fn sync(
    index: &mut Index,
    source: &Syncable,
    budget: Option<TimeBudget>,
    observer: &mut dyn SyncObserver,
) -> Result<SyncReport, Error> {
    let opened = source.open()?;
    sync_opened(index, (source, &*opened), budget, observer)
}

/// Syncs a source that was opened, as [`sync`] does.
///
/// # Errors
///
/// Those of [`Index::sync_source`].
pub(crate) fn sync_opened(
    index: &mut Index,
    (source, opened): (&Syncable, &dyn Source),
    budget: Option<TimeBudget>,
    observer: &mut dyn SyncObserver,
) -> Result<SyncReport, Error> {
    let progress = |progress: Progress| {
        observer.progress(progress);
        match budget {
            Some(budget) if budget.ends(progress) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let report = source.sync_opened(index, opened, progress);
    observer.ended();
    report
}
