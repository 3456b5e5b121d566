//! Which index a command works on, and bringing it in step before an answer.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::ValueEnum;
use etcetera::BaseStrategy as _;
use excerpt_index::{
    Collection, Error, Filter, Index, OpenOptions, Place, Progress, Stage, SyncOptions, SyncReport,
};

use crate::cli::background;
use crate::cli::embedding::Embedding;
use crate::cli::progress::Bar;
use crate::cli::project::{Configuration, EmbeddingArgs};
use crate::output::say;

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
        Ok(excerpt_index::locate(
            path,
            &data()?,
            self.index.as_deref(),
        )?)
    }

    /// The index that collections are added to.
    pub(crate) fn library(&self) -> anyhow::Result<PathBuf> {
        match &self.index {
            Some(index) => Ok(std::path::absolute(index)?),
            None => Ok(data()?.join("library")),
        }
    }
}

fn data() -> anyhow::Result<PathBuf> {
    let base = etcetera::choose_base_strategy()
        .context("cannot find the user's data folder: name an index with `--index`")?;
    Ok(base.data_dir().join("excerpt"))
}

/// The choice of collections, in place of a folder.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct CollectionArgs {
    /// A collection that was added by `excerpt add`, in place of a folder; may be given several times
    #[arg(long = "collection", short = 'c', value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// All collections that were added by `excerpt add`
    #[arg(long, conflicts_with = "names", hide_short_help = true)]
    pub(crate) library: bool,
}

impl CollectionArgs {
    /// Whether collections are meant, and no folder.
    pub(crate) fn are_meant(&self) -> bool {
        self.library || !self.names.is_empty()
    }
}

/// What a command works on: an index, and the part of it that is meant.
pub(crate) struct Target {
    pub(crate) index: PathBuf,
    /// What is to be in step.
    pub(crate) sources: Vec<Syncable>,
    /// Where it is, if a folder or file is meant.
    place: Option<Place>,
    /// What is searched.
    pub(crate) filter: Filter,
    /// The path inside the source, where a folder or file is meant.
    pub(crate) path: Option<String>,
    pub(crate) configuration: Configuration,
}

/// A source, and how it is brought in step.
pub(crate) struct Syncable {
    pub(crate) root: PathBuf,
    pub(crate) options: SyncOptions,
    /// What it was added as.
    pub(crate) collection: Option<Collection>,
}

impl Target {
    /// What `path` means, unless collections are named.
    pub(crate) fn of(
        path: &Path,
        collections: &CollectionArgs,
        index: &IndexArgs,
        embedding: &EmbeddingArgs,
    ) -> anyhow::Result<Target> {
        match collections.are_meant() {
            true => Target::of_collections(collections, index, embedding),
            false => Target::of_path(path, index, embedding),
        }
    }

    /// Its index, made if there is none.
    pub(crate) fn create(&self) -> Result<Index, Error> {
        match &self.place {
            Some(place) => Index::open_at(place),
            None => Index::open(&self.index, OpenOptions::create()),
        }
    }

    fn of_path(
        path: &Path,
        index: &IndexArgs,
        embedding: &EmbeddingArgs,
    ) -> anyhow::Result<Target> {
        let place = index.locate(path)?;
        let configuration = Configuration::read(&place.root, embedding)?;
        let mut filter = Filter::default().source(&place.root);
        filter.path.clone_from(&place.path);
        // A root that was added as a collection stays what it is.
        let known = Collection::all_in(&place.index)?;
        let known = known.iter().find(|known| known.root == place.root);
        let options = match known {
            Some(known) => configuration.options_of(known),
            None => configuration.options(),
        };
        Ok(Target {
            index: place.index.clone(),
            sources: vec![Syncable {
                root: place.root.clone(),
                options,
                collection: known.cloned(),
            }],
            filter,
            path: place.path.clone(),
            place: Some(place),
            configuration,
        })
    }

    fn of_collections(
        named: &CollectionArgs,
        index: &IndexArgs,
        embedding: &EmbeddingArgs,
    ) -> anyhow::Result<Target> {
        let index = index.library()?;
        let all = Collection::all_in(&index)?;
        for name in &named.names {
            Collection::named_in(&index, name)?;
        }
        let is_meant = |known: &&Collection| named.library || named.names.contains(&known.name);
        let mut sources = Vec::new();
        for collection in all.iter().filter(is_meant) {
            let configuration = Configuration::read(&collection.root, embedding)?;
            sources.push(Syncable {
                root: collection.root.clone(),
                options: configuration.options_of(collection),
                collection: Some(collection.clone()),
            });
        }
        let mut filter = Filter::default();
        filter.collections.clone_from(&named.names);
        Ok(Target {
            // What a project says of ranking and vectors holds for its own index alone.
            configuration: Configuration::of_user(embedding)?,
            index,
            sources,
            filter,
            path: None,
            place: None,
        })
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
    /// Documents are being cut anew by other settings, and meanwhile the old state serves.
    Aside {
        /// How many are still to be cut.
        remaining: usize,
    },
    /// The index cannot be written: by another process that writes it, or for want of room.
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
    let mut rest = None;
    for source in &target.sources {
        let is_bounded = mode == SyncMode::Auto
            && (background::is_possible() || was_complete(&index, &source.root)?);
        let hurry = is_bounded.then_some(Hurry {
            end,
            wait,
            asks_elsewhere: matches!(embedding, Embedding::Http(_)),
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
                let (listed, remaining) = rest.unwrap_or((0, 0));
                rest = Some((listed + report.listed, remaining + report.remaining));
            }
            Err(error @ Error::Locked { .. }) if mode == SyncMode::Auto => {
                let lag = Some(Lag::Unwritten(error));
                return Ok(Opened { index, lag });
            }
            Err(error @ (Error::Full { .. } | Error::Io { .. } | Error::Store { .. }))
                if mode == SyncMode::Auto && index.searched().is_ok_and(|count| count > 0) =>
            {
                let lag = Some(Lag::Unwritten(error));
                return Ok(Opened { index, lag });
            }
            Err(error @ Error::Source { .. }) if target.sources.len() > 1 => {
                say(&format!("note: {error}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    let lag = match rest {
        None => None,
        Some((listed, remaining)) => Some(Lag::Rest {
            listed,
            remaining,
            is_stuck: remaining == 0 && index.status()?.vectors.failure.is_some(),
        }),
    };
    Ok(Opened { index, lag })
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
