//! What every face needs before it calls an index: the index that serves a path or a collection
//! ([`IndexTarget`]), its configuration (`project.rs`, `embedding.rs`), and its update within the
//! time that an answer has (`opened.rs`, `background.rs`).

mod addition;
pub(crate) mod background;
mod changed;
mod contents;
pub(crate) mod embedding;
mod fields;
mod not_indexed;
mod opened;
mod paths;
pub(crate) mod project;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use etcetera::BaseStrategy as _;
use excerpt_index::{
    Collection, Error, Filter, Index, IndexEntry, LIBRARY, Located, OpenOptions, SyncOptions,
};

pub(crate) use addition::{Addition, DocumentType, check_secrets};
pub(crate) use changed::Changed;
pub(crate) use contents::Contents;
pub(crate) use not_indexed::{Asker, check_file, not_indexed};
pub(crate) use opened::{Lag, Opened, SyncMode, TimeBudget, opened, patiently, sync};
pub(crate) use paths::{Paths, absolute, in_collection};
use project::{Configuration, EmbeddingArgs};

/// The variable that names an index.
const VARIABLE: &str = "EXCERPT_INDEX";

/// The choice of the index, shared by all commands that use one.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct IndexArgs {
    /// The folder of the index [default: one for each project, in the user's data folder]
    #[arg(
        long,
        value_name = "FOLDER",
        env = VARIABLE,
        hide_env_values = true
    )]
    index: Option<PathBuf>,
}

impl IndexArgs {
    /// The index that serves `path`, and the part of it at `path`.
    pub(crate) fn locate(&self, path: &Path) -> anyhow::Result<Located> {
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
            None => Ok(data()?.join(LIBRARY)),
        }
    }

    /// Whether a flag names an index, and not only the environment.
    pub(crate) fn is_given(&self) -> bool {
        self.index.is_some() && self.index != IndexArgs::of_environment().index
    }

    /// The index in the directory `index`.
    pub(crate) fn of(index: PathBuf) -> Self {
        IndexArgs { index: Some(index) }
    }

    /// The index that is set in the environment, if any.
    pub(crate) fn of_environment() -> Self {
        IndexArgs {
            index: std::env::var_os(VARIABLE).map(PathBuf::from),
        }
    }

    /// All indexes in the user's data folder.
    pub(crate) fn all() -> anyhow::Result<Vec<IndexEntry>> {
        Ok(IndexEntry::all(&data()?))
    }

    /// The index with this directory, or of this folder, which may no longer exist. What is no path
    /// can be the name of the directory.
    pub(crate) fn entry(named: &Path) -> anyhow::Result<IndexEntry> {
        if IndexEntry::is_in(named) {
            return Ok(IndexEntry::of(std::path::absolute(named)?));
        }
        let absolute = std::path::absolute(named)?;
        let root = named.canonicalize().unwrap_or(absolute);
        let is_path = named.symlink_metadata().is_ok();
        let data = data()?;
        let is_meant = |entry: &IndexEntry| {
            let is_named = !is_path && entry.index.file_name() == Some(named.as_os_str());
            is_named || is_index_of(entry, &root, &data)
        };
        let all = IndexEntry::all(&data);
        let mut found = all.clone();
        found.retain(is_meant);
        match found.len() {
            0 => {
                if let Some(command) = removal(&all, &root, &data) {
                    bail!("`{}` is a collection: `{command}`", named.display());
                }
                bail!(
                    "there is no index of `{}`: `excerpt list --indexes` shows all",
                    named.display()
                )
            }
            1 => Ok(found.remove(0)),
            _ => {
                let found = found.iter().map(|entry| entry.index.display());
                let found: Vec<String> = found.map(|index| format!("`{index}`")).collect();
                bail!(
                    "`{}` is in several indexes: name one of {}",
                    named.display(),
                    found.join(", ")
                )
            }
        }
    }
}

/// Whether an index is that of the folder `root`, and does not only contain it as a collection.
fn is_index_of(entry: &IndexEntry, root: &Path, data: &Path) -> bool {
    if entry.index == data.join(LIBRARY) || !entry.roots.iter().any(|known| known == root) {
        return false;
    }
    let located = excerpt_index::locate(root, data, None);
    located.is_ok_and(|place| place.index == entry.index) || collection_at(entry, root).is_none()
}

/// The name of the collection at `root`, if the index has one there.
fn collection_at(entry: &IndexEntry, root: &Path) -> Option<String> {
    let all = Collection::all_in(&entry.index).unwrap_or_default();
    let known = all.into_iter().find(|known| known.root == root)?;
    Some(known.name)
}

/// The command that removes the collection at `root` from one of the indexes.
fn removal(indexes: &[IndexEntry], root: &Path, data: &Path) -> Option<String> {
    let mut found = indexes
        .iter()
        .filter_map(|entry| Some((collection_at(entry, root)?, &entry.index)));
    let (name, index) = found.next_back()?;
    Some(match *index == data.join(LIBRARY) {
        true => format!("excerpt remove {name}"),
        false => format!("excerpt remove {name} --index {}", index.display()),
    })
}

fn data() -> anyhow::Result<PathBuf> {
    let base = etcetera::choose_base_strategy()
        .context("cannot find the user's data folder: name an index with `--index`")?;
    let data = base.data_dir().join("excerpt");
    // The names in these folders reveal what is indexed.
    for folder in [&data, &data.join("indexes")] {
        excerpt_index::make_folder_private(folder);
    }
    Ok(data)
}

/// The choice of collections instead of a folder.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct CollectionArgs {
    /// A collection added by `excerpt add`, instead of a folder; repeatable
    #[arg(long = "collection", short = 'c', value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// All collections added by `excerpt add`
    #[arg(long, conflicts_with = "names", hide_short_help = true)]
    pub(crate) library: bool,
}

impl CollectionArgs {
    /// Whether collections are selected instead of a folder.
    pub(crate) fn are_meant(&self) -> bool {
        self.library || !self.names.is_empty()
    }
}

/// What a command works on: an index, or a part of it.
pub(crate) struct IndexTarget {
    pub(crate) index: PathBuf,
    /// The sources to sync.
    pub(crate) sources: Vec<Syncable>,
    /// The place of the folder or file, if one was given.
    pub(crate) place: Option<Located>,
    /// The filter for a search.
    pub(crate) filter: Filter,
    /// The path inside the source, if a folder or file was given.
    pub(crate) path: Option<String>,
    /// Whether a flag includes what ignore files exclude, in all sources.
    pub(crate) no_ignore: bool,
    pub(crate) configuration: Configuration,
}

/// A source with the options to sync it.
pub(crate) struct Syncable {
    pub(crate) root: PathBuf,
    pub(crate) options: SyncOptions,
    /// The collection that it is, if any.
    pub(crate) collection: Option<Collection>,
}

impl IndexTarget {
    /// The target for `path`, unless collections are selected.
    pub(crate) fn of(
        path: &Path,
        collections: &CollectionArgs,
        index: &IndexArgs,
        embedding: &EmbeddingArgs,
    ) -> anyhow::Result<IndexTarget> {
        match collections.are_meant() {
            true => IndexTarget::of_collections(collections, index, embedding),
            false => IndexTarget::of_path(path, index, embedding),
        }
    }

    /// The display of its paths, if the user typed `path`.
    pub(crate) fn paths(&self, path: &Path) -> Paths {
        Paths::from_here(self.place.is_some().then_some(path))
    }

    /// The same target, including what ignore files exclude if `no_ignore` is set.
    pub(crate) fn without_ignore_files(mut self, no_ignore: bool) -> IndexTarget {
        self.no_ignore = no_ignore;
        if no_ignore {
            for source in &mut self.sources {
                source.options.selection.ignore_files = Some(false);
            }
        }
        self
    }

    /// Its index, created if there is none.
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
    ) -> anyhow::Result<IndexTarget> {
        let place = index.locate(path)?;
        let mut filter = Filter::default().source(&place.root);
        filter.path.clone_from(&place.path);
        // If the root is also a collection, its options apply.
        let known = Collection::all_in(&place.index)?;
        let known = known.iter().find(|known| known.root == place.root);
        let configuration = Configuration::of_source(&place.root, known, embedding)?.told();
        let mut options = match known {
            Some(known) => configuration.options_of(known),
            None => configuration.options(),
        };
        options.first.clone_from(&place.path);
        Ok(IndexTarget {
            index: place.index.clone(),
            sources: vec![Syncable {
                root: place.root.clone(),
                options,
                collection: known.cloned(),
            }],
            filter,
            path: place.path.clone(),
            no_ignore: false,
            place: Some(place),
            configuration,
        })
    }

    fn of_collections(
        named: &CollectionArgs,
        index: &IndexArgs,
        embedding: &EmbeddingArgs,
    ) -> anyhow::Result<IndexTarget> {
        let index = index.library()?;
        let all = Collection::all_in(&index)?;
        let mut names = Vec::new();
        for name in &named.names {
            names.push(Collection::named_in(&index, name)?.name);
        }
        let is_meant = |known: &&Collection| named.library || names.contains(&known.name);
        let mut sources = Vec::new();
        let mut presets = Vec::new();
        for collection in all.iter().filter(is_meant) {
            let configuration = Configuration::read(&collection.root, embedding)?.told();
            presets.push(configuration.preset_of(collection));
            sources.push(Syncable {
                root: collection.root.clone(),
                options: configuration.options_of(collection),
                collection: Some(collection.clone()),
            });
        }
        let mut filter = Filter::default();
        filter.collections = names;
        Ok(IndexTarget {
            configuration: Configuration::of_collections(&presets, embedding)?,
            index,
            sources,
            filter,
            path: None,
            no_ignore: false,
            place: None,
        })
    }
}
