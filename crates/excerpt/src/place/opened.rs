//! An [`Index`] that is ready to answer, updated as far as time permits, and the reason if it is
//! not up to date.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use excerpt_index::{Error, Index, Keywords, OpenOptions, Progress, Stage, SyncReport};

use super::{IndexTarget, Syncable, background};
use crate::output::say;
use crate::progress::Bar;

/// Whether the index is updated before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SyncMode {
    /// Yes, but the answer waits neither long nor for another process.
    Auto,
    /// Yes, completely.
    Always,
    /// No.
    Never,
}

/// An index that is ready to answer.
pub(crate) struct Opened {
    pub(crate) index: Index,
    /// Why it is not up to date.
    pub(crate) lag: Option<Lag>,
}

/// Why an answer comes from an index that is not up to date.
pub(crate) enum Lag {
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
    /// The index was not changed: another process is writing, the disk is full, or too many
    /// documents are missing from the source.
    Unwritten(Error),
}

/// The interval of attempts while another process is writing.
const TURN: Duration = Duration::from_millis(20);

/// The index of `target`, updated as `mode` requires; with [`SyncMode::Auto`], as far as possible
/// within `wait`.
pub(crate) fn opened(
    target: &IndexTarget,
    mode: SyncMode,
    wait: Duration,
) -> anyhow::Result<Opened> {
    let embedding = match mode {
        SyncMode::Always => target.configuration.embedding.clone(),
        _ => target.configuration.embedding.for_questions(),
    };
    if mode == SyncMode::Never {
        let index = Index::open(&target.index, OpenOptions::default())?;
        let index = embedding.given_to(index)?;
        return Ok(Opened { index, lag: None });
    }
    let index = target.create()?;
    let mut index = embedding.given_to(index)?;
    let end = Instant::now() + wait;
    let asks_elsewhere = embedding.asks_elsewhere();
    let mut rest = None;
    for source in &target.sources {
        let is_bounded = mode == SyncMode::Auto
            && (background::is_possible() || was_complete(&index, &source.root)?);
        let budget = is_bounded.then_some(TimeBudget {
            end,
            wait,
            asks_elsewhere,
        });
        let mut synced = sync(&mut index, source, budget);
        // The process that creates the index will soon have something to search; without it, there
        // is no answer.
        while matches!(synced, Err(Error::Locked { .. }))
            && mode == SyncMode::Auto
            && Instant::now() < end
            && index.searched()? == 0
        {
            std::thread::sleep(TURN);
            synced = sync(&mut index, source, budget);
        }
        match synced {
            Ok(report) if report.complete => {}
            Ok(report) if report.aside => {
                let remaining = report.remaining;
                let lag = Some(Lag::Aside { remaining });
                return Ok(Opened { index, lag });
            }
            Ok(report) => {
                let (listed, remaining, elsewhere) = rest.unwrap_or((0, 0, 0));
                rest = Some((
                    listed + report.first_listed,
                    remaining + report.first_remaining,
                    elsewhere + report.remaining.saturating_sub(report.first_remaining),
                ));
            }
            Err(error @ Error::Locked { .. }) if mode == SyncMode::Auto => {
                let lag = Some(Lag::Unwritten(error));
                return Ok(Opened { index, lag });
            }
            Err(error @ (Error::Full { .. } | Error::Io { .. } | Error::Store { .. }))
                if mode == SyncMode::Auto && has_something_to_search(&index) =>
            {
                let lag = Some(Lag::Unwritten(error));
                return Ok(Opened { index, lag });
            }
            Err(error @ (Error::Source { .. } | Error::Vanished { .. }))
                if target.sources.len() > 1 =>
            {
                say(&format!("note: {error}"));
            }
            Err(error @ Error::Vanished { .. }) if mode == SyncMode::Auto => {
                let lag = Some(Lag::Unwritten(error));
                return Ok(Opened { index, lag });
            }
            Err(error) => return Err(error.into()),
        }
    }
    let lag = match rest {
        None => None,
        Some((listed, remaining, elsewhere)) => Some(Lag::Rest {
            listed,
            remaining,
            elsewhere,
            is_stuck: remaining + elsewhere == 0 && index.status()?.vectors.failure.is_some(),
        }),
    };
    Ok(Opened { index, lag })
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
pub(crate) struct TimeBudget {
    /// When the answer is due.
    end: Instant,
    /// The whole time from the start.
    wait: Duration,
    /// Whether vectors come from an endpoint, and so may take any time.
    asks_elsewhere: bool,
}

impl TimeBudget {
    /// The shares of the wait that are left when splitting ends, and when writing the keywords
    /// ends, before the commit. On 12,000 files of source code, splitting and writing take about
    /// the same time, and a commit about 0.2 seconds.
    const CUT: f64 = 0.6;
    const KEYWORDS: f64 = 0.2;

    /// A deadline that starts now.
    pub(crate) fn of(wait: Duration, asks_elsewhere: bool) -> Self {
        TimeBudget {
            end: Instant::now() + wait,
            wait,
            asks_elsewhere,
        }
    }

    /// Whether a stage must be interrupted.
    pub(crate) fn ends(self, progress: Progress) -> bool {
        let left = match progress.stage {
            // Comparing the listing takes hardly any time, and without it nothing is known.
            Stage::List => return false,
            Stage::Cut => TimeBudget::CUT,
            Stage::Keywords => TimeBudget::KEYWORDS,
            _ if self.asks_elsewhere => return true,
            _ => 0.0,
        };
        Instant::now() + self.wait.mul_f64(left) >= self.end
    }
}

/// Runs `work`, which needs the write lock, and retries for a moment if another process has it: a
/// server takes it often, and briefly.
///
/// # Errors
///
/// Those of `work`, and [`Error::Locked`] if the other process keeps the lock.
pub(crate) fn patiently<T>(mut work: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    const PATIENCE: Duration = Duration::from_secs(3);
    let end = Instant::now() + PATIENCE;
    loop {
        match work() {
            Err(Error::Locked { .. }) if Instant::now() < end => std::thread::sleep(TURN),
            done => return done,
        }
    }
}

/// Syncs a source with a progress bar on a terminal, until the deadline if there is one.
pub(crate) fn sync(
    index: &mut Index,
    source: &Syncable,
    budget: Option<TimeBudget>,
) -> Result<SyncReport, Error> {
    let bar = Bar::new();
    let progress = |progress: Progress| {
        bar.show(progress);
        match budget {
            Some(budget) if budget.ends(progress) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let report = index.sync(&source.root, &source.options, progress);
    bar.clear();
    report
}
