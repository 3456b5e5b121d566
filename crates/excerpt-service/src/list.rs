//! `list`: the collections, folders and documents, and the latest changes.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use excerpt_index::{
    Collection, DocumentEntry, FolderEntry, Index, ListOptions, ListOrder, OpenOptions,
    SourceStatus,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ServiceError, ServiceResult};
use crate::overview::Overview;
use crate::scope::{Scope, VisibleSource};
use crate::target::IndexTarget;

/// A request for a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListRequest {
    /// What is listed.
    pub what: ListKind,
    /// Only in this folder. Default: everything.
    pub path: Option<String>,
    /// Only in these collections. Default: in everything that is visible.
    pub collections: Vec<String>,
    /// How many documents are needed. Other lists are complete. Default: all.
    pub limit: Option<usize>,
}

/// What is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListKind {
    /// The documents that were changed last, newest first.
    #[default]
    Recent,
    /// The folders with documents.
    Folders,
    /// All documents, by path.
    Documents,
    /// The collections.
    Collections,
    /// What the documents are about.
    Summary,
}

/// A list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListReply {
    /// Documents, and how many there are in all.
    Documents(Vec<ListedDocument>, usize),
    /// Folders.
    Folders(Vec<ListedFolder>),
    /// Collections.
    Collections(Vec<ListedCollection>),
    /// A summary, and the documents that were changed last; `None` if there are no documents.
    Summary(Option<(Overview, Vec<ListedDocument>)>),
}

/// A document in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedDocument {
    /// Its collection, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The document.
    #[serde(flatten)]
    pub entry: DocumentEntry,
}

impl ListedDocument {
    /// The document with its path as `scope` shows it.
    #[must_use]
    pub fn within(mut self, scope: &Scope) -> ListedDocument {
        self.entry.path = scope.outward(&self.entry.path).to_string();
        self.entry.source = PathBuf::new();
        self
    }
}

/// A folder in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedFolder {
    /// Its collection, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The folder.
    #[serde(flatten)]
    pub entry: FolderEntry,
}

impl ListedFolder {
    /// The folder with its path as `scope` shows it.
    #[must_use]
    pub fn within(mut self, scope: &Scope) -> ListedFolder {
        self.entry.path = scope.outward(&self.entry.path).to_string();
        self.entry.source = PathBuf::new();
        self
    }
}

/// A collection in a list.
#[derive(Clone, Debug, Serialize)]
pub struct ListedCollection {
    /// The collection.
    #[serde(flatten)]
    pub collection: Collection,
    /// How many documents of it are visible.
    pub documents: usize,
    /// How many chunks it has.
    pub chunks: usize,
    /// The state of its source; `None` if it was never synced, or not all of it is visible.
    pub status: Option<SourceStatus>,
}

/// The collections of the index in `library`.
///
/// # Errors
///
/// Those of the index.
pub fn collections(library: &Path) -> ServiceResult<Vec<ListedCollection>> {
    let collections = Collection::all_in(library)?;
    if collections.is_empty() {
        return Ok(Vec::new());
    }
    let status = Index::open(library, OpenOptions::default())?.status()?;
    let listed = collections.into_iter().map(|collection| {
        let mut sources = status.sources.iter();
        let source = sources.find(|source| source.name.as_ref() == Some(&collection.name));
        let (documents, chunks) = source.map_or((0, 0), |it| (it.documents, it.chunks));
        ListedCollection {
            collection,
            documents,
            chunks,
            status: source.cloned(),
        }
    });
    Ok(listed.collect())
}

impl IndexTarget {
    /// Lists the documents or folders of the target, whose path and collections the request has
    /// chosen. The list is in parts, one for each source; with `is_joined`, in one, so that the
    /// latest changes are those of all sources.
    ///
    /// # Errors
    ///
    /// Those of the index.
    pub fn list(&self, request: &ListRequest, is_joined: bool) -> ServiceResult<Vec<ListReply>> {
        let index = Index::open(&self.index, OpenOptions::default())?;
        let mut options = ListOptions::default();
        options.path.clone_from(&self.path);
        let sources = match is_joined {
            true => vec![None],
            false => {
                let sources = self.sources.iter();
                sources.map(|source| Some(&source.root)).collect()
            }
        };
        let mut parts = Vec::new();
        for source in sources {
            options.source = source.cloned();
            if request.what == ListKind::Folders {
                let folders = index.folders(&options)?.into_iter();
                let folders = folders.map(|entry| ListedFolder {
                    collection: self.collection_at(&entry.source),
                    entry,
                });
                parts.push(ListReply::Folders(folders.collect()));
                continue;
            }
            if request.what == ListKind::Recent {
                options.limit = request.limit;
                options.order = ListOrder::Recent;
            }
            let documents = index.documents(&options)?.into_iter();
            let documents = documents.map(|entry| ListedDocument {
                collection: self.collection_at(&entry.source),
                entry,
            });
            let documents: Vec<_> = documents.collect();
            let count = documents.len();
            parts.push(ListReply::Documents(documents, count));
        }
        Ok(parts)
    }

    /// The name of the collection at `root`, if collections are listed.
    fn collection_at(&self, root: &Path) -> Option<String> {
        let mut sources = self.sources.iter().filter(|_| self.place.is_none());
        let source = sources.find(|source| source.root == root)?;
        source.collection.as_ref().map(|known| known.name.clone())
    }
}

impl Scope {
    /// Lists what is visible.
    ///
    /// # Errors
    ///
    /// When a collection does not exist, nothing that is visible is indexed, or there is nothing at
    /// the path of the request, and those of the index.
    pub fn list(&self, index: &Index, request: &ListRequest) -> ServiceResult<ListReply> {
        let inside = request.path.as_ref().map(|path| self.inward(path));
        let inside = inside.transpose()?;
        let sources = self.known(index, &request.collections)?;
        let indexed = self.indexed(index, sources.clone())?;
        if indexed.is_empty() && request.what != ListKind::Collections {
            return Err(ServiceError::NothingIndexed);
        }
        let Some(below) = self.below(inside.as_deref()) else {
            return Err(ServiceError::NothingThere);
        };
        let options = ListOptions::default().path(&below);
        let reply = match request.what {
            ListKind::Recent | ListKind::Documents => {
                let mut first = options.clone();
                first.limit = request.limit;
                if request.what == ListKind::Recent {
                    first = first.order(ListOrder::Recent);
                }
                let total = count(index, &indexed, &options)?;
                ListReply::Documents(documents(index, &indexed, &first)?, total)
            }
            ListKind::Folders => ListReply::Folders(folders(index, &indexed, &options)?),
            ListKind::Summary => ListReply::Summary(summary(index, &indexed, &below)?),
            ListKind::Collections => {
                let shown = match self.shows_states() {
                    true => sources,
                    false => indexed,
                };
                ListReply::Collections(self.visible_collections(index, &shown)?)
            }
        };
        let is_empty = match &reply {
            ListReply::Documents(documents, _) => documents.is_empty(),
            ListReply::Folders(folders) => folders.is_empty(),
            ListReply::Collections(_) => false,
            ListReply::Summary(summary) => summary.is_none(),
        };
        match is_empty && inside.is_some() {
            true => Err(ServiceError::NothingThere),
            false => Ok(reply),
        }
    }

    fn visible_collections(
        &self,
        index: &Index,
        sources: &[VisibleSource],
    ) -> ServiceResult<Vec<ListedCollection>> {
        let below = self.below(None).unwrap_or_default();
        let roots = index.roots()?;
        let mut listed = Vec::new();
        for seen in sources {
            let Some(collection) = &seen.collection else {
                continue;
            };
            let options = ListOptions::default().path(&below).source(&seen.root);
            let (mut documents, mut chunks) = (0, 0);
            if roots.contains(&seen.root) {
                (documents, chunks) = index.counts(&options)?;
            }
            listed.push(ListedCollection {
                collection: collection.clone(),
                documents,
                chunks,
                status: None,
            });
        }
        Ok(listed)
    }
}

/// The documents of several sources in one list.
fn documents(
    index: &Index,
    sources: &[VisibleSource],
    options: &ListOptions,
) -> ServiceResult<Vec<ListedDocument>> {
    let mut all = Vec::new();
    for seen in sources {
        let documents = index.documents(&options.clone().source(&seen.root))?;
        all.extend(documents.into_iter().map(|entry| ListedDocument {
            collection: seen.collection_name().map(str::to_string),
            entry,
        }));
    }
    if options.order == ListOrder::Recent {
        all.sort_by_key(|listed| Reverse(listed.entry.changed.map(|changed| changed.at)));
    }
    Ok(all)
}

fn folders(
    index: &Index,
    sources: &[VisibleSource],
    options: &ListOptions,
) -> ServiceResult<Vec<ListedFolder>> {
    let mut all = Vec::new();
    for seen in sources {
        let folders = index.folders(&options.clone().source(&seen.root))?;
        all.extend(folders.into_iter().map(|entry| ListedFolder {
            collection: seen.collection_name().map(str::to_string),
            entry,
        }));
    }
    Ok(all)
}

/// What several sources contain below a path, and the newest documents there; `None` if there are
/// no documents.
fn summary(
    index: &Index,
    sources: &[VisibleSource],
    below: &str,
) -> ServiceResult<Option<(Overview, Vec<ListedDocument>)>> {
    /// How many of the newest documents it names.
    const NEWEST: usize = 5;
    let mut overview = Overview::of(index, sources, below);
    overview.add_tags(index, sources, below)?;
    if overview.documents == 0 {
        return Ok(None);
    }
    let newest = ListOptions::default().path(below).limit(NEWEST);
    let newest = newest.order(ListOrder::Recent);
    let mut newest = documents(index, sources, &newest)?;
    newest.truncate(NEWEST);
    Ok(Some((overview, newest)))
}

/// How many documents there are in several sources.
fn count(index: &Index, sources: &[VisibleSource], options: &ListOptions) -> ServiceResult<usize> {
    let mut count = 0;
    for seen in sources {
        count += index.document_count(&options.clone().source(&seen.root))?;
    }
    Ok(count)
}
