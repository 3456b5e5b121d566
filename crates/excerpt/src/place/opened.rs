//! An [`Index`] that is ready to answer, in step as far as there is time, and what keeps it from being so.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use excerpt_index::{Error, Index, Keywords, OpenOptions, Progress, Stage, SyncReport};

use super::{Syncable, Target, background};
use crate::output::say;
use crate::progress::Bar;

/// Whether the index is brought in step with the files before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SyncMode {
    /// Yes, but the answer does not wait for long, nor for another process.
    Auto,
    /// Yes, to the end.
    Always,
    /// No.
    Never,
}

/// An index that is ready to answer.
pub(crate) struct Opened {
    pub(crate) index: Index,
    /// What keeps it from being in step.
    pub(crate) lag: Option<Lag>,
}

/// Why an answer comes from an index that is not in step.
pub(crate) enum Lag {
    /// There was no time for all of it.
    Rest {
        /// The files that are to be searched.
        listed: usize,
        /// Those of them that are not searched as they are.
        remaining: usize,
        /// Files of the same sources that were not asked for, and are not indexed as they are.
        elsewhere: usize,
        /// Whether nothing but vectors is left, and the last try to get some failed.
        is_stuck: bool,
    },
    /// Documents are being cut anew by other settings, and meanwhile the old state serves.
    Aside {
        /// How many are still to be cut.
        remaining: usize,
    },
    /// The index is left as it is: another process writes it, there is no room, or too many documents are gone from the source.
    Unwritten(Error),
}

/// How long one who waits for another process waits before looking again.
const TURN: Duration = Duration::from_millis(20);

/// The index of `target`, in step as far as `mode` asks; by [`SyncMode::Auto`] as far as there is time in `wait`.
pub(crate) fn opened(target: &Target, mode: SyncMode, wait: Duration) -> anyhow::Result<Opened> {
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
        let hurry = is_bounded.then_some(Hurry {
            end,
            wait,
            asks_elsewhere,
        });
        let mut synced = sync(&mut index, source, hurry);
        // Who makes the index is about to have something to search: an answer without it would be none.
        while matches!(synced, Err(Error::Locked { .. }))
            && mode == SyncMode::Auto
            && Instant::now() < end
            && index.searched()? == 0
        {
            std::thread::sleep(TURN);
            synced = sync(&mut index, source, hurry);
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

/// Whether there is an older state to answer from, even if each document has changed since.
fn has_something_to_search(index: &Index) -> bool {
    let status = index.status();
    status.is_ok_and(|status| status.documents > 0 && status.keywords != Keywords::Missing)
}

fn was_complete(index: &Index, root: &Path) -> Result<bool, Error> {
    let last = index.last_sync(root)?;
    Ok(last.is_some_and(|last| last.finished.is_some()))
}

/// A sync that somebody waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hurry {
    /// When the answer is due.
    end: Instant,
    /// How long that is from the begin.
    wait: Duration,
    /// Whether vectors come from elsewhere, and so may take any time.
    asks_elsewhere: bool,
}

impl Hurry {
    /// The parts of the wait that are left when cutting ends, and when the writing of keywords does, which is followed by a commit. Measured on 12,000
    /// files of source code: cutting and writing take about the same time, a commit some 0.2 seconds.
    const CUT: f64 = 0.6;
    const KEYWORDS: f64 = 0.2;

    /// One who begins to wait now.
    pub(crate) fn of(wait: Duration, asks_elsewhere: bool) -> Self {
        Hurry {
            end: Instant::now() + wait,
            wait,
            asks_elsewhere,
        }
    }

    /// Whether a stage is to be broken off.
    pub(crate) fn ends(self, progress: Progress) -> bool {
        let left = match progress.stage {
            // What was listed is compared in no time; without it, nothing is known.
            Stage::List => return false,
            Stage::Cut => Hurry::CUT,
            Stage::Keywords => Hurry::KEYWORDS,
            _ if self.asks_elsewhere => return true,
            _ => 0.0,
        };
        Instant::now() + self.wait.mul_f64(left) >= self.end
    }
}

/// Does what needs the right to write, and waits for a moment where another process has it: who keeps an index in step behind the answers of a server has
/// it for a short time, again and again.
///
/// # Errors
///
/// Those of `work`, and [`Error::Locked`] when the other process goes on.
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

/// Brings `index` in step with a source, with a bar on a terminal, as far as a hurry allows.
pub(crate) fn sync(
    index: &mut Index,
    source: &Syncable,
    hurry: Option<Hurry>,
) -> Result<SyncReport, Error> {
    let bar = Bar::new();
    let progress = |progress: Progress| {
        bar.show(progress);
        match hurry {
            Some(hurry) if hurry.ends(progress) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let report = index.sync(&source.root, &source.options, progress);
    bar.clear();
    report
}
