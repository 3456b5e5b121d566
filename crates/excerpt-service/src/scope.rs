//! What a server may show: some sources, or a folder inside them. Every path of every tool is
//! translated here, in both directions.
//!
//! Paths are relative to the source, or to the part of it that is served.

use std::path::{Path, PathBuf};

use excerpt_index::{
    Collection, Filter, Index, ListOptions, OpenOptions, Ranking, ReadOptions, SyncOptions,
    is_at_or_below,
};

use crate::access::Grant;
use crate::config::{Configuration, EmbeddingChoice};
use crate::error::{ServiceError, ServiceResult};
use crate::hit::ShowPaths;
use crate::target::{CollectionChoice, IndexTarget, Syncable, plain_path};
use crate::text::shown;

/// The bounds of a server, fixed when it starts.
pub struct Scope {
    /// The index directory.
    pub index: PathBuf,
    served: ServedSources,
    /// The path inside the source that paths are relative to, if a part of a source is served.
    base: String,
    /// The path inside each source outside of which nothing is visible.
    under: String,
    /// The only sources of what is served that are visible, by name; `None` for all.
    only: Option<Vec<String>>,
    /// Whether the states of the sources are hidden, because a client sees only a part of them.
    hides_states: bool,
    /// The folders that `add` may read: those that were named, or else the one that is served.
    pub readable: Vec<PathBuf>,
    embedding: EmbeddingChoice,
    /// The ranking when it was made, which applies while the configuration is invalid.
    ranking: Ranking,
}

/// What is served.
#[derive(Clone)]
enum ServedSources {
    /// A folder or file.
    Root(PathBuf),
    /// Collections, by name.
    Named(Vec<String>),
    /// All collections.
    Library,
}

/// A visible source.
#[derive(Clone, Debug)]
pub struct VisibleSource {
    /// Its name in the address of a resource.
    pub name: String,
    /// Its root.
    pub root: PathBuf,
    /// The collection that it is, if any.
    pub collection: Option<Collection>,
}

impl VisibleSource {
    /// Whether its path is the same as when it was added or first served: no link has replaced it
    /// or a folder above it.
    pub fn is_in_place(&self) -> bool {
        let real = self.root.canonicalize();
        real.is_ok_and(|real| real == self.root)
    }

    /// The options to sync it, from the configuration of its folder and from its collection.
    pub fn options(&self, configuration: &Configuration) -> SyncOptions {
        match &self.collection {
            Some(known) => configuration.options_of(known),
            None => configuration.options(),
        }
    }

    /// The name of its collection, which the tools use.
    pub fn collection_name(&self) -> Option<&str> {
        self.collection.as_ref().map(|known| &*known.name)
    }
}

/// What a scope is limited to.
#[derive(Debug)]
pub struct ScopeBounds<'a> {
    /// The collections that are served instead of a folder.
    pub collections: &'a CollectionChoice,
    /// The path inside what is served outside of which nothing is visible. Default: none.
    pub under: Option<&'a str>,
    /// The folders that may be added from; if empty, the one that is served.
    pub roots: &'a [PathBuf],
    /// The embedder.
    pub embedding: &'a EmbeddingChoice,
}

impl Scope {
    /// The scope of `target` within `bounds`.
    ///
    /// # Errors
    ///
    /// When there is nothing at the path of the bounds.
    pub fn of(target: &IndexTarget, bounds: &ScopeBounds<'_>) -> ServiceResult<Scope> {
        let path = target.path.clone().unwrap_or_default();
        let served = match &target.place {
            Some(place) => ServedSources::Root(place.root.clone()),
            None if bounds.collections.library => ServedSources::Library,
            None => ServedSources::Named(bounds.collections.names.clone()),
        };
        let base = base(&served, &path).to_string();
        let under = match bounds.under {
            Some(given) => bound(target, &served, given)?,
            None => path,
        };
        Ok(Scope {
            index: target.index.clone(),
            embedding: bounds.embedding.clone(),
            ranking: target.configuration.ranking.clone(),
            readable: readable(&served, &under, bounds.roots),
            served,
            base,
            under,
            only: None,
            hides_states: false,
        })
    }

    /// The part of it that `grant` shows: never more than it shows itself.
    ///
    /// # Errors
    ///
    /// When the folder of the grant is not a path inside what is served.
    pub fn narrowed(&self, grant: &Grant) -> ServiceResult<Scope> {
        let invalid = |under: &str| ServiceError::InvalidBound {
            under: under.to_string(),
        };
        let under = match &grant.under {
            None => self.under.clone(),
            Some(given) => {
                let path = plain_path(given).ok_or_else(|| invalid(given))?;
                let path = joined(&self.base, &path);
                self.below(Some(&path)).ok_or_else(|| invalid(given))?
            }
        };
        Ok(Scope {
            index: self.index.clone(),
            served: self.served.clone(),
            base: self.base.clone(),
            only: match grant.collections.is_empty() {
                true => self.only.clone(),
                false => {
                    let both = grant.collections.iter();
                    let both = both.filter(|name| self.shows(name)).cloned();
                    Some(both.collect())
                }
            },
            readable: self.readable.clone(),
            hides_states: self.hides_states || grant.under.is_some(),
            under,
            embedding: self.embedding.clone(),
            ranking: self.ranking.clone(),
        })
    }

    /// Whether a source of this name is visible, if it is served.
    fn shows(&self, name: &String) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(name))
    }

    /// Whether a whole folder is served.
    fn is_whole_root(&self) -> bool {
        matches!(&self.served, ServedSources::Root(_)) && self.is_whole()
    }

    /// Whether everything that is served is visible, and the sources as a whole.
    pub fn is_whole(&self) -> bool {
        self.under.is_empty() && self.only.is_none()
    }

    /// Whether collections that are added to the index become visible.
    pub fn shows_what_is_added(&self) -> bool {
        self.is_whole_root() || (matches!(self.served, ServedSources::Library) && self.is_whole())
    }

    /// Whether it is a part of what a server serves.
    pub fn is_narrowed(&self) -> bool {
        self.only.is_some() || self.hides_states
    }

    /// Whether a client may know of the sources as a whole, such as when they were synced.
    pub fn shows_states(&self) -> bool {
        !self.hides_states
    }

    /// The folder that notes may be written to: the one that is served, directly or as a
    /// collection.
    pub fn writable(&self) -> ServiceResult<Option<(VisibleSource, PathBuf)>> {
        let is_one = match &self.served {
            _ if self.only.is_some() => self.sources()?.len() == 1,
            ServedSources::Root(_) => true,
            ServedSources::Named(names) => names.len() == 1,
            ServedSources::Library => false,
        };
        let first = self.sources()?.into_iter().next();
        let Some(seen) = first.filter(|seen| is_one && seen.root.is_dir()) else {
            return Ok(None);
        };
        let folder = seen.root.join(&self.under);
        Ok(folder.is_dir().then_some((seen, folder)))
    }

    /// Whether `add` may have made this collection: an index may be shared with other folders.
    fn may_be_added(&self, known: &Collection) -> bool {
        let mut readable = self.readable.iter();
        known.given || readable.any(|root| known.root.starts_with(root))
    }

    /// The sources that are visible now. For a whole folder, these include the collections of its
    /// index from the folders that `add` may read.
    pub fn sources(&self) -> ServiceResult<Vec<VisibleSource>> {
        let all = Collection::all_in(&self.index)?;
        let mut sources = Vec::new();
        if let ServedSources::Root(root) = &self.served {
            sources.push(self.root_source(root, &all));
        }
        let is_meant = |known: &&Collection| match &self.served {
            ServedSources::Root(root) => {
                self.under.is_empty() && known.root != *root && self.may_be_added(known)
            }
            ServedSources::Named(names) => names.contains(&known.name),
            ServedSources::Library => true,
        };
        for known in all.iter().filter(is_meant) {
            sources.push(VisibleSource {
                name: known.name.clone(),
                root: known.root.clone(),
                collection: Some(known.clone()),
            });
        }
        sources.retain(|seen| self.shows(&seen.name));
        Ok(sources)
    }

    /// The served folder `root`. Its name is that of no collection unless it is one.
    fn root_source(&self, root: &Path, all: &[Collection]) -> VisibleSource {
        let collection = all.iter().find(|known| known.root == *root).cloned();
        let is_taken = |name: &str| all.iter().any(|known| known.name == name);
        let name = match &collection {
            Some(known) => known.name.clone(),
            None => {
                let mut name = Collection::name_for(&root.join(&self.base));
                while is_taken(&name) {
                    name.push('_');
                }
                name
            }
        };
        VisibleSource {
            name,
            root: root.to_path_buf(),
            collection,
        }
    }

    /// The visible sources; only the collections in `chosen` if any are named.
    pub fn chosen(&self, chosen: &[String]) -> ServiceResult<Vec<VisibleSource>> {
        match chosen_of(self.sources()?, chosen) {
            // Of which sources a client may know is not known without the index.
            Err(ServiceError::NoCollection { name, .. }) if !self.shows_states() => {
                let names = Vec::new();
                Err(ServiceError::NoCollection { name, names })
            }
            found => found,
        }
    }

    /// The configuration for the folder or file `root`, or without one the user's own. An error is
    /// not shown, since it may quote a file outside of what is served.
    ///
    /// # Errors
    ///
    /// [`ServiceError::InvalidConfiguration`].
    pub fn configuration(&self, root: Option<&Path>) -> ServiceResult<Configuration> {
        let read = match root {
            Some(root) => Configuration::read(root, &self.embedding),
            None => Configuration::of_user(&self.embedding),
        };
        read.map_err(|_| ServiceError::InvalidConfiguration)
    }

    /// A source with the options to sync it.
    ///
    /// # Errors
    ///
    /// [`ServiceError::InvalidConfiguration`].
    pub(crate) fn syncable(&self, seen: &VisibleSource) -> ServiceResult<Syncable> {
        let configuration = self.configuration(Some(&seen.root))?;
        Ok(Syncable {
            index: self.index.clone(),
            root: seen.root.clone(),
            options: seen.options(&configuration),
            collection: seen.collection.clone(),
        })
    }

    /// The ranking of a search of `sources`, by the configuration as it is now.
    pub(crate) fn ranking(&self, sources: &[VisibleSource]) -> Ranking {
        let configured = self.configured_ranking(sources);
        configured.unwrap_or_else(|_| self.ranking.clone())
    }

    fn configured_ranking(&self, sources: &[VisibleSource]) -> ServiceResult<Ranking> {
        let choice = &self.embedding;
        let configuration = match &self.served {
            ServedSources::Root(root) => {
                let all = Collection::all_in(&self.index)?;
                let known = all.iter().find(|known| known.root == *root);
                Configuration::of_source(root, known, choice)?
            }
            _ => {
                let known = sources.iter().filter_map(|seen| seen.collection.as_ref());
                let presets = known.map(|known| {
                    let configuration = Configuration::read(&known.root, choice)?;
                    Ok(configuration.preset_of(known))
                });
                let presets = presets.collect::<ServiceResult<Vec<_>>>()?;
                Configuration::of_collections(&presets, choice)?
            }
        };
        Ok(configuration.ranking)
    }

    /// Those of `sources` that the index contains.
    pub fn indexed(
        &self,
        index: &Index,
        sources: Vec<VisibleSource>,
    ) -> ServiceResult<Vec<VisibleSource>> {
        let roots = index.roots()?;
        let mut indexed = Vec::new();
        for seen in sources {
            if roots.contains(&seen.root) && self.has_a_part(index, &seen)? {
                indexed.push(seen);
            }
        }
        Ok(indexed)
    }

    /// Whether a client may know of a source: one that sees only a part of each knows of those of
    /// which there is one.
    fn has_a_part(&self, index: &Index, seen: &VisibleSource) -> ServiceResult<bool> {
        if self.shows_states() {
            return Ok(true);
        }
        let options = ListOptions::default().source(&seen.root).path(&self.under);
        Ok(!index.documents(&options.limit(1))?.is_empty())
    }

    /// The visible sources, only the collections in `chosen` if any are named. One of which there
    /// is no visible part is as unknown as one that does not exist.
    ///
    /// # Errors
    ///
    /// When a collection does not exist.
    pub fn known(&self, index: &Index, chosen: &[String]) -> ServiceResult<Vec<VisibleSource>> {
        match self.shows_states() {
            true => self.chosen(chosen),
            false => chosen_of(self.indexed(index, self.sources()?)?, chosen),
        }
    }

    /// The visible sources that the index contains; only the collections in `chosen` if any are
    /// named.
    ///
    /// # Errors
    ///
    /// When a collection does not exist, or nothing is left.
    pub fn selected(&self, index: &Index, chosen: &[String]) -> ServiceResult<Vec<VisibleSource>> {
        let sources = self.indexed(index, self.known(index, chosen)?)?;
        match sources.is_empty() {
            true => Err(ServiceError::NothingIndexed),
            false => Ok(sources),
        }
    }

    /// Whether everything in the index is visible, so that statements about the whole index may be
    /// shown.
    pub fn is_all_of(&self, index: &Index) -> ServiceResult<bool> {
        let sources = self.sources()?;
        let is_seen = |root: &PathBuf| sources.iter().any(|seen| seen.root == *root);
        Ok(self.is_whole() && index.roots()?.iter().all(is_seen))
    }

    /// The path inside a source for `given`, whether or not it is inside the bounds: an index read
    /// with [`Scope::reading`] or [`Scope::filter`] shows nothing outside.
    pub fn inward(&self, given: &str) -> ServiceResult<String> {
        let absolute = match &self.served {
            // A client of a server must not learn where on the machine it is.
            ServedSources::Root(root) if !self.is_narrowed() => Path::new(given)
                .strip_prefix(root)
                .ok()
                .and_then(Path::to_str),
            _ => None,
        };
        let path = match absolute {
            Some(path) => plain_path(path),
            None => plain_path(given).map(|path| joined(&self.base, &path)),
        };
        path.ok_or_else(|| ServiceError::NotAPath {
            path: given.to_string(),
        })
    }

    /// A path inside a source as shown.
    pub fn outward<'p>(&self, path: &'p str) -> &'p str {
        match path.strip_prefix(&*self.base) {
            Some(rest) if !self.base.is_empty() => rest.trim_start_matches('/'),
            _ => path,
        }
    }

    /// The options to read a source.
    pub fn reading(&self, seen: &VisibleSource) -> ReadOptions {
        ReadOptions::default().source(&seen.root).under(&self.under)
    }

    /// The path to list or search below `path`, which comes from [`Scope::inward`]; `None` if it is
    /// outside.
    pub fn below(&self, path: Option<&str>) -> Option<String> {
        let Some(path) = path else {
            return Some(self.under.clone());
        };
        if is_at_or_below(&self.under, path) {
            return Some(path.to_string());
        }
        is_at_or_below(path, &self.under).then(|| self.under.clone())
    }

    /// The filter to search `sources` below `path`.
    pub fn filter(&self, sources: &[VisibleSource], path: String) -> Filter {
        let filter = Filter::default();
        let filter = sources
            .iter()
            .fold(filter, |filter, seen| filter.source(&seen.root));
        match path.is_empty() {
            true => filter,
            false => filter.path(path),
        }
    }

    /// The file or folder at `path` on disk, if it is inside `root` (a path without links) after
    /// all links are resolved.
    pub fn real(root: &Path, path: &Path) -> Option<PathBuf> {
        let path = path.canonicalize().ok()?;
        path.starts_with(root).then_some(path)
    }
}

/// A citation does not name its collection, which has a field of its own.
impl ShowPaths for Scope {
    fn root<'r>(&self, _: &'r Path) -> Option<&'r Path> {
        None
    }

    fn source_path<'p>(&self, _: &'p str) -> Option<&'p str> {
        None
    }

    fn path(&self, _: &Path, path: &str) -> String {
        self.outward(path).to_string()
    }

    fn target(&self, _: Option<&str>, _: &Path, path: &str) -> String {
        self.outward(path).to_string()
    }
}

/// The path that paths are relative to. The path of a single file is its name.
fn base<'p>(served: &ServedSources, path: &'p str) -> &'p str {
    match served {
        ServedSources::Root(root) if !path.is_empty() && root.join(path).is_file() => {
            path.rsplit_once('/').map_or("", |(folder, _)| folder)
        }
        _ => path,
    }
}

/// The path inside each source that a bound means, as it was given.
///
/// # Errors
///
/// When it is invalid, or there is nothing.
fn bound(target: &IndexTarget, served: &ServedSources, given: &str) -> ServiceResult<String> {
    let Some(path) = plain_path(given) else {
        let under = given.to_string();
        return Err(ServiceError::InvalidBound { under });
    };
    let under = joined(target.path.as_deref().unwrap_or_default(), &path);
    if !is_there(target, served, &under) {
        let under = given.to_string();
        return Err(ServiceError::EmptyBound { under });
    }
    Ok(under)
}

/// The folders that `add` may read: `roots`, or else the served one. One that does not exist is
/// ignored.
fn readable(served: &ServedSources, under: &str, roots: &[PathBuf]) -> Vec<PathBuf> {
    let readable = match (served, roots.is_empty()) {
        (ServedSources::Root(root), true) if root.is_dir() => vec![root.join(under)],
        _ => roots.to_vec(),
    };
    let readable = readable.into_iter();
    readable
        .filter_map(|root| root.canonicalize().ok())
        .collect()
}

/// Whether a served source contains something at the path `under`: on disk or in the index, where
/// added texts and sources that cannot be read at the moment are found.
fn is_there(target: &IndexTarget, served: &ServedSources, under: &str) -> bool {
    if let ServedSources::Root(root) = served {
        return root.join(under).exists();
    }
    let roots = || target.sources.iter().map(|source| &source.root);
    if under.is_empty() || roots().any(|root| root.join(under).exists()) {
        return true;
    }
    let Ok(index) = Index::open(&target.index, OpenOptions::reading()) else {
        return false;
    };
    roots().any(|root| {
        let options = ListOptions::default().source(root).path(under).limit(1);
        let documents = index.documents(&options);
        documents.is_ok_and(|documents| !documents.is_empty())
    })
}

fn joined(base: &str, path: &str) -> String {
    match (base.is_empty(), path.is_empty()) {
        (true, _) => path.to_string(),
        (_, true) => base.to_string(),
        (false, false) => format!("{base}/{path}"),
    }
}

/// Those of the visible `sources` that are `chosen`, all if none are named.
fn chosen_of(
    mut sources: Vec<VisibleSource>,
    chosen: &[String],
) -> ServiceResult<Vec<VisibleSource>> {
    if chosen.is_empty() {
        return Ok(sources);
    }
    let is_known = |name: &&String| sources.iter().any(|seen| seen.name == **name);
    if let Some(name) = chosen.iter().find(|name| !is_known(name)) {
        let names = sources.iter().filter_map(VisibleSource::collection_name);
        return Err(ServiceError::NoCollection {
            name: shown(name),
            names: names.map(str::to_string).collect(),
        });
    }
    sources.retain(|seen| chosen.contains(&seen.name));
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(base: &str, under: &str) -> Scope {
        Scope {
            index: PathBuf::new(),
            served: ServedSources::Root("/r".into()),
            base: base.to_string(),
            under: under.to_string(),
            only: None,
            hides_states: false,
            readable: Vec::new(),
            embedding: EmbeddingChoice::default(),
            ranking: Ranking::default(),
        }
    }

    #[test]
    fn paths_are_relative_to_what_is_served() {
        let scope = scope("docs", "docs/guide");
        assert_eq!(scope.inward("guide/a.md").unwrap(), "docs/guide/a.md");
        assert_eq!(scope.inward("./guide//a.md").unwrap(), "docs/guide/a.md");
        assert_eq!(
            scope.inward("/r/docs/guide/a.md").unwrap(),
            "docs/guide/a.md"
        );
        assert_eq!(scope.outward("docs/guide/a.md"), "guide/a.md");
        for outside in [
            "../a.md",
            "guide/../../a.md",
            "/etc/passwd",
            "/r2/a.md",
            "/r/../etc",
            "a\0",
        ] {
            assert!(scope.inward(outside).is_err(), "{outside}");
        }
    }

    #[test]
    fn bounds_are_whole_segments() {
        let scope = scope("", "docs/guide");
        assert_eq!(scope.below(None).as_deref(), Some("docs/guide"));
        assert_eq!(scope.below(Some("docs")).as_deref(), Some("docs/guide"));
        assert_eq!(
            scope.below(Some("docs/guide/a")).as_deref(),
            Some("docs/guide/a")
        );
        assert_eq!(scope.below(Some("docs/guide2")), None);
        assert_eq!(scope.below(Some("doc")), None);
    }
}
