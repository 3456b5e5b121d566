//! Which index a command works on, and bringing it in step before an answer.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::ValueEnum;
use etcetera::BaseStrategy as _;
use excerpt_index::{Error, Index, OpenOptions, Place, Progress, SyncOptions, SyncReport};

use crate::cli::progress::Bar;
use crate::cli::project::Configuration;

/// How long an answer waits for a check of an index that was complete before.
const PATIENCE: Duration = Duration::from_secs(2);

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

/// The index at `place`, in step as far as `mode` asks. What the answer should know comes as notes.
pub(crate) fn opened(
    place: &Place,
    mode: SyncMode,
    configuration: &Configuration,
) -> anyhow::Result<(Index, Vec<String>)> {
    let embedding = match mode {
        SyncMode::Always => configuration.embedding.clone(),
        _ => configuration.embedding.for_questions(),
    };
    if mode == SyncMode::Never {
        let index = Index::open(&place.index, OpenOptions::default())?;
        return Ok((embedding.given_to(index)?, Vec::new()));
    }
    let index = Index::open(&place.index, OpenOptions::create())?;
    let mut index = embedding.given_to(index)?;
    let complete = was_complete(&index, &place.root)?;
    let patience = (mode == SyncMode::Auto && complete).then_some(PATIENCE);
    let notes = match sync(&mut index, &place.root, &options(configuration), patience) {
        Ok(report) if report.complete => Vec::new(),
        Ok(_) => vec![
            "not all changes are searched yet: run `excerpt sync` to take up the rest".to_string(),
        ],
        Err(error @ Error::Locked { .. }) if mode == SyncMode::Auto => {
            vec![format!("answered from an older state: {error}")]
        }
        Err(error) => return Err(error.into()),
    };
    Ok((index, notes))
}

/// How documents are to be cut.
pub(crate) fn options(configuration: &Configuration) -> SyncOptions {
    SyncOptions::default().chunking(configuration.chunking.config())
}

fn was_complete(index: &Index, root: &Path) -> Result<bool, Error> {
    let status = index.status()?;
    let source = status.sources.iter().find(|source| source.root == root);
    let last = source.and_then(|source| source.last_sync);
    Ok(last.is_some_and(|last| last.finished.is_some()))
}

/// Brings `index` in step with the files at `root`, with a bar on a terminal, within `patience` if there is a bound.
pub(crate) fn sync(
    index: &mut Index,
    root: &Path,
    options: &SyncOptions,
    patience: Option<Duration>,
) -> Result<SyncReport, Error> {
    let bar = Bar::new();
    let started = Instant::now();
    let progress = |progress: Progress| {
        bar.show(progress);
        match patience {
            Some(patience) if started.elapsed() > patience => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let report = index.sync(root, options, progress);
    bar.clear();
    report
}
