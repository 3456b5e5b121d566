//! Which index a command works on, and bringing it in step before an answer.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::ValueEnum;
use etcetera::BaseStrategy as _;
use excerpt_index::{Error, Index, OpenOptions, Place, Progress, Stage, SyncOptions, SyncReport};

use crate::cli::background;
use crate::cli::embedding::Embedding;
use crate::cli::progress::Bar;
use crate::cli::project::Configuration;

/// The choice of the index, shared by all commands that use one.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct IndexArgs {
    /// The folder of the index [default: one for each project, in the user's data folder]
    #[arg(
        long,
        value_name = "FOLDER",
        env = "EXCERPT_INDEX",
        hide_env_values = true
    )]
    index: Option<PathBuf>,
}

impl IndexArgs {
    /// The index that serves `path`, and what of it is meant.
    pub(crate) fn locate(&self, path: &Path) -> anyhow::Result<Place> {
        let base = etcetera::choose_base_strategy()
            .context("cannot find the user's data folder: name an index with `--index`")?;
        let data = base.data_dir().join("excerpt");
        Ok(excerpt_index::locate(path, &data, self.index.as_deref())?)
    }
}

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
        /// Whether nothing but vectors is left, and the last try to get some failed.
        is_stuck: bool,
    },
    /// Another process writes the index.
    Locked(Error),
}

/// The index at `place`, in step as far as `mode` asks; by [`SyncMode::Auto`] as far as there is time in `wait`.
pub(crate) fn opened(
    place: &Place,
    mode: SyncMode,
    wait: Duration,
    configuration: &Configuration,
) -> anyhow::Result<Opened> {
    let embedding = match mode {
        SyncMode::Always => configuration.embedding.clone(),
        _ => configuration.embedding.for_questions(),
    };
    if mode == SyncMode::Never {
        let index = Index::open(&place.index, OpenOptions::default())?;
        let index = embedding.given_to(index)?;
        return Ok(Opened { index, lag: None });
    }
    let index = Index::open(&place.index, OpenOptions::create())?;
    let mut index = embedding.given_to(index)?;
    let is_bounded =
        mode == SyncMode::Auto && (background::is_possible() || was_complete(&index, &place.root)?);
    let hurry = is_bounded.then(|| Hurry {
        end: Instant::now() + wait,
        wait,
        asks_elsewhere: matches!(embedding, Embedding::Http(_)),
    });
    let lag = match sync(&mut index, &place.root, &options(configuration), hurry) {
        Ok(report) if report.complete => None,
        Ok(report) => Some(Lag::Rest {
            listed: report.listed,
            remaining: report.remaining,
            is_stuck: report.remaining == 0 && index.status()?.vectors.failure.is_some(),
        }),
        Err(error @ Error::Locked { .. }) if mode == SyncMode::Auto => Some(Lag::Locked(error)),
        Err(error) => return Err(error.into()),
    };
    Ok(Opened { index, lag })
}

/// How documents are to be cut.
pub(crate) fn options(configuration: &Configuration) -> SyncOptions {
    SyncOptions::default().chunking(configuration.chunking.config())
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

    /// Whether a stage is to be broken off.
    fn ends(self, progress: Progress) -> bool {
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

/// Brings `index` in step with the files at `root`, with a bar on a terminal, as far as a hurry allows.
pub(crate) fn sync(
    index: &mut Index,
    root: &Path,
    options: &SyncOptions,
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
    let report = index.sync(root, options, progress);
    bar.clear();
    report
}
