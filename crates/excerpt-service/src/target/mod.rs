//! What a request of the user works on: the index that serves a path or a collection
//! ([`IndexTarget`]), and the display of its paths.

mod fragment;
mod paths;
mod resource;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use excerpt_index::{
    Collection, Error, Filter, Index, IndexEntry, LIBRARY, Located, OpenOptions, Origin, Progress,
    Source, SyncOptions, SyncReport,
};

pub(crate) use fragment::{Fragment, check_length, is_id, parsed};
pub use paths::{Paths, absolute, in_collection, plain_path};
pub(crate) use resource::resource_parts;
pub use resource::{SCHEME, resource_uri};

use crate::config::{Configuration, EmbeddingChoice, unused};
use crate::error::{ServiceError, ServiceResult};
use crate::remote::{self, RemoteState};

/// The environment variable that names an index.
pub const INDEX_VARIABLE: &str = "EXCERPT_INDEX";

/// The choice of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexChoice {
    /// The folder of the index. Default: one for each project, in the user's data folder.
    pub folder: Option<PathBuf>,
}

impl IndexChoice {
    /// The index that serves `path`, and the part of it at `path`.
    pub fn locate(&self, path: &Path) -> ServiceResult<Located> {
        Ok(excerpt_index::locate(
            path,
            &data()?,
            self.folder.as_deref(),
        )?)
    }

    /// The index that collections are added to.
    pub fn library(&self) -> ServiceResult<PathBuf> {
        match &self.folder {
            Some(index) => Ok(std::path::absolute(index)?),
            None => Ok(data()?.join(LIBRARY)),
        }
    }

    /// Whether a flag names an index, and not only the environment.
    pub fn is_given(&self) -> bool {
        self.folder.is_some() && *self != IndexChoice::of_environment()
    }

    /// The index in the directory `index`.
    pub fn of(index: PathBuf) -> Self {
        IndexChoice {
            folder: Some(index),
        }
    }

    /// The index that is set in the environment, if any.
    pub fn of_environment() -> Self {
        IndexChoice {
            folder: std::env::var_os(INDEX_VARIABLE).map(PathBuf::from),
        }
    }

    /// All indexes in the user's data folder.
    pub fn all() -> ServiceResult<Vec<IndexEntry>> {
        Ok(IndexEntry::all(&data()?))
    }

    /// The index with this directory, or of this folder, which may no longer exist. What is no path
    /// can be the name of the directory.
    pub fn entry(named: &Path) -> ServiceResult<IndexEntry> {
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
                let named = named.to_path_buf();
                Err(match collection_of(&all, &root) {
                    Some((collection, index)) => ServiceError::IsCollection {
                        named,
                        collection,
                        index: (*index != data.join(LIBRARY)).then(|| index.clone()),
                    },
                    None => ServiceError::NoIndexOf { named },
                })
            }
            1 => Ok(found.remove(0)),
            _ => Err(ServiceError::SeveralIndexes {
                named: named.to_path_buf(),
                indexes: found.into_iter().map(|entry| entry.index).collect(),
            }),
        }
    }
}

/// A note about a project's file that does not apply to a place, because the index covers more.
pub(crate) fn unused_in(place: &Located) -> Option<String> {
    let path = place.path.as_ref()?;
    unused(&place.root, &place.root.join(path))
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

/// The name of the collection at `root`, and the last of the indexes that have it.
fn collection_of<'e>(indexes: &'e [IndexEntry], root: &Path) -> Option<(String, &'e PathBuf)> {
    let mut found = indexes
        .iter()
        .filter_map(|entry| Some((collection_at(entry, root)?, &entry.index)));
    found.next_back()
}

/// The user's data folder.
pub(crate) fn data() -> ServiceResult<PathBuf> {
    let base = etcetera::choose_base_strategy()
        .map_err(|error| ServiceError::NoDataFolder(Box::new(error)))?;
    let data = base.data_dir().join("excerpt");
    // The names in these folders reveal what is indexed.
    for folder in [&data, &data.join("indexes")] {
        excerpt_index::make_folder_private(folder);
    }
    Ok(data)
}

/// The choice of collections instead of a folder.
#[derive(Clone, Debug, Default)]
pub struct CollectionChoice {
    /// Some collections, by name. Default: none.
    pub names: Vec<String>,
    /// All collections of the library. Default: no.
    pub library: bool,
}

impl CollectionChoice {
    /// Whether collections are selected instead of a folder.
    pub fn are_meant(&self) -> bool {
        self.library || !self.names.is_empty()
    }
}

/// What a request works on: an index, or a part of it.
#[derive(Debug)]
pub struct IndexTarget {
    /// The index directory.
    pub index: PathBuf,
    /// The sources to sync.
    pub sources: Vec<Syncable>,
    /// The place of the folder or file, if one was given.
    pub place: Option<Located>,
    /// The filter for a search.
    pub filter: Filter,
    /// The path inside the source, if a folder or file was given.
    pub path: Option<String>,
    /// Whether a flag includes what ignore files exclude, in all sources.
    pub no_ignore: bool,
    /// The configuration of the folder, or for collections.
    pub configuration: Configuration,
    /// Messages about settings of its sources that were ignored.
    pub notes: Vec<String>,
    /// Whether the index is only read: it was named by its own directory.
    pub is_stored: bool,
}

/// A source with the options to sync it.
#[derive(Debug)]
pub struct Syncable {
    /// The index directory.
    pub index: PathBuf,
    /// The root of the source.
    pub root: PathBuf,
    /// How it is synced.
    pub options: SyncOptions,
    /// The collection that it is, if any.
    pub collection: Option<Collection>,
}

impl Syncable {
    /// The source in its current state.
    ///
    /// # Errors
    ///
    /// When it cannot be reached.
    pub fn open(&self) -> Result<Box<dyn Source>, Error> {
        remote::opened(
            &self.index,
            &Origin::of(&self.root),
            &self.options.selection,
        )
    }

    /// Syncs the source that was opened, and records how that has ended.
    ///
    /// # Errors
    ///
    /// Those of [`Index::sync_source`].
    pub(crate) fn sync_opened(
        &self,
        index: &mut Index,
        source: &dyn Source,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<SyncReport, Error> {
        let report = index.sync_source(source, &self.options, progress);
        RemoteState::synced(&self.index, &self.root, &report);
        report
    }

    /// What is known about the source if it is not on this disk: when it was reached, and when it
    /// is tried again.
    #[must_use]
    pub fn remote_state(&self) -> Option<RemoteState> {
        RemoteState::of(&self.index, &self.root)
    }

    /// Whether it is worthwhile to look for changes: always on this disk, and elsewhere from time
    /// to time.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.remote_state().is_none_or(|state| state.is_due())
    }
}

impl IndexTarget {
    /// The target for `path`, unless collections are selected.
    pub fn of(
        path: &Path,
        collections: &CollectionChoice,
        index: &IndexChoice,
        embedding: &EmbeddingChoice,
    ) -> ServiceResult<IndexTarget> {
        match collections.are_meant() {
            true => IndexTarget::of_collections(collections, index, embedding),
            false => IndexTarget::of_path(path, index, embedding),
        }
    }

    /// The target for the contents of the index in the directory `dir`. Nothing is synced, and no
    /// document is read from the indexed folders, which may be gone. The index must cover one
    /// folder and any collections, or only collections.
    ///
    /// # Errors
    ///
    /// When there is no index, it cannot be read, or it has several folders.
    pub fn stored(dir: &Path, embedding: &EmbeddingChoice) -> ServiceResult<IndexTarget> {
        let dir = std::path::absolute(dir)?;
        let mut folders = Index::open(&dir, OpenOptions::reading())?.roots()?;
        let collections = Collection::all_in(&dir)?;
        folders.retain(|root| collections.iter().all(|known| known.root != *root));
        let place = match &folders[..] {
            [] => None,
            [root] => {
                let mut place = Located::of_index(&dir);
                place.root.clone_from(root);
                Some(place)
            }
            _ => {
                return Err(ServiceError::SeveralFolders {
                    index: dir,
                    folders,
                });
            }
        };
        let filter = Filter::default();
        Ok(IndexTarget {
            filter: match &place {
                Some(place) => filter.source(&place.root),
                None => filter,
            },
            index: dir,
            sources: Vec::new(),
            place,
            path: None,
            no_ignore: false,
            configuration: Configuration::of_user(embedding)?,
            notes: Vec::new(),
            is_stored: true,
        })
    }

    /// The display of its paths, if the user typed `path`.
    pub fn paths(&self, path: &Path) -> Paths {
        Paths::from_here(self.place.is_some().then_some(path))
    }

    /// The same target, including what ignore files exclude if `no_ignore` is set.
    pub fn without_ignore_files(mut self, no_ignore: bool) -> IndexTarget {
        self.no_ignore = no_ignore;
        if no_ignore {
            for source in &mut self.sources {
                source.options.selection.ignore_files = Some(false);
            }
        }
        self
    }

    /// Its index, created if there is none.
    pub fn create(&self) -> Result<Index, Error> {
        match &self.place {
            Some(place) => Index::open_at(place),
            None => Index::open(&self.index, OpenOptions::create()),
        }
    }

    fn of_path(
        path: &Path,
        index: &IndexChoice,
        embedding: &EmbeddingChoice,
    ) -> ServiceResult<IndexTarget> {
        let place = index.locate(path)?;
        let mut filter = Filter::default().source(&place.root);
        filter.path.clone_from(&place.path);
        // If the root is also a collection, its options apply.
        let known = Collection::all_in(&place.index)?;
        let known = known.iter().find(|known| known.root == place.root);
        let configuration = Configuration::of_source(&place.root, known, embedding)?;
        let mut options = match known {
            Some(known) => configuration.options_of(known),
            None => configuration.options(),
        };
        options.first.clone_from(&place.path);
        let mut notes = configuration.notes.clone();
        notes.extend(unused_in(&place));
        Ok(IndexTarget {
            index: place.index.clone(),
            sources: vec![Syncable {
                index: place.index.clone(),
                root: place.root.clone(),
                options,
                collection: known.cloned(),
            }],
            filter,
            path: place.path.clone(),
            no_ignore: false,
            place: Some(place),
            notes,
            is_stored: false,
            configuration,
        })
    }

    fn of_collections(
        named: &CollectionChoice,
        index: &IndexChoice,
        embedding: &EmbeddingChoice,
    ) -> ServiceResult<IndexTarget> {
        let index = index.library()?;
        let all = Collection::all_in(&index)?;
        let mut names = Vec::new();
        for name in &named.names {
            names.push(Collection::named_in(&index, name)?.name);
        }
        let is_meant = |known: &&Collection| named.library || names.contains(&known.name);
        let mut sources = Vec::new();
        let mut presets = Vec::new();
        let mut notes = Vec::new();
        for collection in all.iter().filter(is_meant) {
            let mut configuration = Configuration::read(&collection.root, embedding)?;
            notes.append(&mut configuration.notes);
            presets.push(configuration.preset_of(collection));
            sources.push(Syncable {
                index: index.clone(),
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
            notes,
            is_stored: false,
        })
    }
}
