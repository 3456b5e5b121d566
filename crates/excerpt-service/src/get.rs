//! `get`: documents, or parts of them, as indexed. The targets of every face are resolved here.
//!
//! A target is a path, and may end in lines (`path:10-20`) or a section (`path#name`); or it is the
//! beginning of a chunk's id. The path may be in quotes, as answers for models write it, and may
//! follow the name of its collection: `name › path`, `name: path` or `excerpt://name/path`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use excerpt_index::{
    Collection, DocumentText, Error, Index, ListOptions, OpenOptions, ReadOptions, Target,
};
use globset::GlobBuilder;
use serde::{Deserialize, Serialize};

use crate::changed::Changed;
use crate::error::{ServiceError, ServiceResult};
use crate::hit::ShowPaths;
use crate::scope::{Scope, VisibleSource};
use crate::target::{
    Fragment, IndexChoice, Paths, check_length, in_collection, is_id, parsed, resource_parts,
};
use crate::text::address::unquoted;
use crate::text::budget::beginning;

/// A request to read documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GetRequest {
    /// What is read: paths, `path:10-20`, `path#section`, or ids of chunks.
    pub targets: Vec<String>,
    /// Only from these collections. Default: from everything that is visible.
    pub collections: Vec<String>,
    /// How many chunks to add before and after those that contain the target. Default: only the
    /// target itself.
    pub neighbours: Option<usize>,
    /// Whether to add the links in what is read, and those that lead to it. Default: no.
    pub links: bool,
}

impl GetRequest {
    /// The options to read a target from any source.
    fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.neighbours = self.neighbours;
        options.links = self.links;
        options
    }
}

/// A document, or a part of one.
#[derive(Clone, Debug, Serialize)]
pub struct ReadDocument {
    /// The text. Its paths are those inside the source.
    #[serde(flatten)]
    pub document: DocumentText,
    /// The collection that the document was read from, if any.
    pub collection: Option<String>,
}

impl ReadDocument {
    /// How the file of the document has changed since it was indexed; `None` if it has not.
    #[must_use]
    pub fn changed(&self) -> Option<Changed> {
        let document = &self.document;
        let (size, modified) = (document.size, document.modified);
        Changed::since(&document.source, &document.path, size, modified)
    }

    /// The document with its paths, and those of its links, as `paths` shows them.
    #[must_use]
    pub fn shown(&self, paths: &impl ShowPaths) -> DocumentText {
        let mut document = self.document.clone();
        let root = &self.document.source;
        if paths.root(root).is_none() {
            document.source = PathBuf::new();
        }
        let shown = |path: &str| paths.target(self.collection.as_deref(), root, path);
        let cited = |citation: &str, path: &str| match citation.strip_prefix(path) {
            Some(lines) => format!("{}{lines}", shown(path)),
            None => citation.to_string(),
        };
        document.citation = cited(&document.citation, &self.document.path);
        document.path = shown(&self.document.path);
        let Some(links) = &mut document.links else {
            return document;
        };
        for link in &mut links.outgoing {
            if let Some(path) = &mut link.path {
                let citation = link.citation.as_deref();
                link.citation = citation.map(|citation| cited(citation, path));
                if link.target == *path {
                    link.target = shown(path);
                }
                *path = shown(path);
            }
        }
        for link in &mut links.incoming {
            link.path = shown(&link.path);
        }
        document
    }
}

/// Where the targets of a request are looked up.
trait Lookup {
    /// Whether something has this path as it is, although it looks like a path with a part.
    fn exists(&self, source: Option<&str>, path: &str) -> bool;

    /// Whether there is a collection of this name.
    fn has_collection(&self, name: &str) -> bool;

    /// Reads a document or a part of it, from the source of this name if one is given.
    fn document(
        &mut self,
        source: Option<&str>,
        path: &str,
        part: Fragment,
    ) -> ServiceResult<ReadDocument>;

    /// Reads the chunk whose id begins like this; `None` if there is none, and that a document is
    /// missing says more.
    fn chunk(&mut self, source: Option<&str>, id: &str) -> ServiceResult<Option<ReadDocument>>;
}

/// Reads a target.
fn read(lookup: &mut dyn Lookup, given: &str) -> ServiceResult<ReadDocument> {
    check_length(given)?;
    let (source, rest) = source_of(lookup, given);
    let source = source.as_deref();
    let found = read_in(lookup, source, &rest);
    match unquoted(&rest).filter(|_| found.is_err()) {
        Some(rest) => read_in(lookup, source, &rest),
        None => found,
    }
}

/// The name of the source in a target, and the rest.
fn source_of(lookup: &dyn Lookup, given: &str) -> (Option<String>, String) {
    if let Some((name, path)) = resource_parts(given) {
        return (Some(name), path);
    }
    // A document may have a name of this form.
    let plain = parsed(given, |path| lookup.exists(None, path)).map_or(given, |(path, _)| path);
    if let Some((name, path)) = in_collection(given)
        && !lookup.exists(None, plain)
    {
        return (Some(name.to_string()), path.to_string());
    }
    if let Some((name, rest)) = given.split_once(": ")
        && lookup.has_collection(name)
    {
        return (Some(name.to_string()), rest.to_string());
    }
    (None, given.to_string())
}

/// Reads a target from the source of this name, or from any. A document comes before a chunk whose
/// id begins like its name.
fn read_in(
    lookup: &mut dyn Lookup,
    source: Option<&str>,
    given: &str,
) -> ServiceResult<ReadDocument> {
    let (path, part) = parsed(given, |path| lookup.exists(source, path))?;
    let error = match lookup.document(source, path, part) {
        Err(error) if is_id(given) && is_missing(&error) => error,
        found => return found,
    };
    lookup.chunk(source, given)?.ok_or(error)
}

fn is_missing(error: &ServiceError) -> bool {
    matches!(
        error,
        ServiceError::NoDocument { .. }
            | ServiceError::IsFolder { .. }
            | ServiceError::Index(Error::UnknownDocument { .. })
    )
}

/// The target for a part of the document at `path`.
fn target(path: &str, part: Fragment) -> Target {
    match part {
        Fragment::Whole => Target::document(path),
        Fragment::Lines(first, last) => Target::lines_from(path, first, last),
        Fragment::Section(section) => Target::section(path, section),
    }
}

/// Reads the targets of a user, who may read everything: each from the index that serves it, which
/// is opened once.
pub struct TargetReader<'a> {
    request: &'a GetRequest,
    choice: &'a IndexChoice,
    indexes: HashMap<PathBuf, Index>,
}

impl<'a> TargetReader<'a> {
    /// A reader for the targets of `request`. The first of its collections, if there is one, is the
    /// one that they are in.
    #[must_use]
    pub fn new(request: &'a GetRequest, choice: &'a IndexChoice) -> Self {
        TargetReader {
            request,
            choice,
            indexes: HashMap::new(),
        }
    }

    /// The targets, with each pattern replaced by the documents that it matches.
    ///
    /// # Errors
    ///
    /// When a pattern is invalid or matches nothing.
    pub fn targets(&mut self) -> ServiceResult<Vec<String>> {
        let mut targets = Vec::new();
        for target in &self.request.targets {
            match self.matching(target)? {
                Some(matching) => targets.extend(matching),
                None => targets.push(target.clone()),
            }
        }
        Ok(targets)
    }

    /// Reads a target.
    ///
    /// # Errors
    ///
    /// When there is no such document, lines, section or chunk.
    pub fn read(&mut self, target: &str) -> ServiceResult<ReadDocument> {
        read(self, target)
    }

    /// The documents that a pattern matches, as shown to the user; `None` if `given` is not a
    /// pattern. File names can contain brackets and braces, too.
    fn matching(&mut self, given: &str) -> ServiceResult<Option<Vec<String>>> {
        check_length(given)?;
        let exists = |path: &str| Path::new(path).exists();
        let names_one = match parsed(given, exists) {
            Ok((path, part)) => exists(path) || part != Fragment::Whole,
            Err(_) => true,
        };
        let is_pattern = given.contains(['*', '?', '[', '{']);
        if names_one || !is_pattern || !self.request.collections.is_empty() {
            return Ok(None);
        }
        let pattern = GlobBuilder::new(given).literal_separator(true).build();
        let pattern = pattern.map_err(|error| ServiceError::InvalidPattern {
            pattern: given.to_string(),
            error: error.to_string(),
        })?;
        let pattern = pattern.compile_matcher();
        let plain = given.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let folder = plain.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let folder = Path::new(if folder.is_empty() { "/" } else { folder });
        let place = self.choice.locate(folder)?;
        let paths = Paths::from_here(Some(folder));
        let mut options = ListOptions::default();
        options.source = Some(place.root.clone());
        options.path = place.path;
        let documents = self.index(place.index)?.documents(&options)?.into_iter();
        let shown = documents.map(|document| paths.shown(&place.root, &document.path));
        let matching: Vec<String> = shown.filter(|path| pattern.is_match(path)).collect();
        match matching.is_empty() {
            true if given.contains(['*', '?']) => Err(ServiceError::NoMatch {
                pattern: given.to_string(),
            }),
            true => Ok(None),
            false => Ok(Some(matching)),
        }
    }

    fn index(&mut self, dir: PathBuf) -> ServiceResult<&mut Index> {
        Ok(match self.indexes.entry(dir) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let index = Index::open(entry.key(), OpenOptions::default())?;
                entry.insert(index)
            }
        })
    }

    /// The place of a document by its path, and the name of its collection if it was named.
    fn place(&self, source: Option<&str>, path: &str) -> ServiceResult<DocumentPlace> {
        let named = self.request.collections.first();
        if let Some(name) = named.map(String::as_str).or(source) {
            let library = self.choice.library()?;
            let found = Collection::named_in(&library, name)?;
            return Ok(DocumentPlace {
                index: library,
                root: found.root,
                inside: path.to_string(),
                collection: Some(found.name),
            });
        }
        let path = Path::new(path);
        let (folder, rest) = existing(path)?;
        let place = self.choice.locate(&folder)?;
        let inside = [place.path, rest].into_iter().flatten();
        let inside = inside.collect::<Vec<_>>().join("/");
        let name = path.file_name().unwrap_or_default();
        Ok(DocumentPlace {
            index: place.index,
            root: place.root,
            inside: match inside.is_empty() {
                // The source is a single file, whose path is its name.
                true => name.to_string_lossy().into_owned(),
                false => inside,
            },
            collection: None,
        })
    }
}

/// Where a document of the user is.
struct DocumentPlace {
    index: PathBuf,
    root: PathBuf,
    inside: String,
    collection: Option<String>,
}

impl Lookup for TargetReader<'_> {
    fn exists(&self, _: Option<&str>, path: &str) -> bool {
        Path::new(path).exists()
    }

    fn has_collection(&self, name: &str) -> bool {
        let library = self.choice.library();
        let all = library.map(|library| Collection::all_in(&library).unwrap_or_default());
        all.is_ok_and(|all| all.iter().any(|known| known.name == name))
    }

    fn document(
        &mut self,
        source: Option<&str>,
        path: &str,
        part: Fragment,
    ) -> ServiceResult<ReadDocument> {
        let place = self.place(source, path)?;
        let options = self.request.options().source(&place.root);
        let paths = Paths::from_here(None);
        let DocumentPlace {
            index,
            root,
            inside,
            collection,
        } = place;
        let shown = |path: &str| paths.address(collection.as_deref(), &root, path);
        let is_folder = match collection {
            Some(_) => root.join(&inside).is_dir(),
            None => Path::new(path).is_dir(),
        };
        let target = target(&inside, part);
        match self.index(index)?.get(&target, &options) {
            Ok(document) => Ok(ReadDocument {
                document,
                collection,
            }),
            Err(Error::UnknownDocument { .. }) if is_folder => Err(ServiceError::IsFolder {
                path: path.to_string(),
            }),
            Err(Error::UnknownDocument { closest, .. }) => Err(Error::UnknownDocument {
                path: path.to_string(),
                closest: closest.map(|closest| shown(&closest)),
            }
            .into()),
            Err(error) => Err(error.with_paths(shown).into()),
        }
    }

    fn chunk(&mut self, source: Option<&str>, id: &str) -> ServiceResult<Option<ReadDocument>> {
        let place = self.place(source, id)?;
        let options = self.request.options();
        let index = self.index(place.index)?;
        let chunk = Target::chunk(id);
        let document = match index.get(&chunk, &options.clone().source(&place.root)) {
            Err(Error::UnknownChunk { .. }) => index.get(&chunk, &options)?,
            found => found?,
        };
        Ok(Some(ReadDocument {
            document,
            collection: place.collection,
        }))
    }
}

/// The part of a path that exists, and the rest: a document may be in the index and no longer on
/// disk.
fn existing(path: &Path) -> ServiceResult<(PathBuf, Option<String>)> {
    let absolute = std::path::absolute(path)?;
    let folder = absolute
        .ancestors()
        .find(|folder| folder.exists())
        .unwrap_or(Path::new("/"));
    let rest = absolute.strip_prefix(folder).ok().and_then(Path::to_str);
    let rest = rest.filter(|rest| !rest.is_empty());
    Ok((folder.to_path_buf(), rest.map(str::to_string)))
}

/// The result for one target of a request within a [`Scope`].
#[derive(Debug)]
pub struct GetItem {
    /// The target as it was given.
    pub target: String,
    /// What was read.
    pub read: ServiceResult<ReadDocument>,
}

impl Scope {
    /// Reads targets from what is visible. An error in one does not affect the others.
    ///
    /// # Errors
    ///
    /// When a collection does not exist, or nothing that is visible is indexed.
    pub fn get(&self, index: &Index, request: &GetRequest) -> ServiceResult<Vec<GetItem>> {
        let sources = self.selected(index, &request.collections)?;
        let targets = request.targets.iter();
        let items = targets.map(|target| GetItem {
            read: self.read_target(index, &sources, target, &request.options()),
            target: target.clone(),
        });
        Ok(items.collect())
    }

    /// Reads a target from the one of `sources` that contains it.
    ///
    /// # Errors
    ///
    /// When none of them has such a document, lines, section or chunk.
    pub fn read_target(
        &self,
        index: &Index,
        sources: &[VisibleSource],
        target: &str,
        options: &ReadOptions,
    ) -> ServiceResult<ReadDocument> {
        let mut lookup = InScope {
            scope: self,
            index,
            sources,
            options,
        };
        read(&mut lookup, target)
    }

    /// Reads the whole document with the address `uri`, one of those that
    /// [`resource_uri`](crate::resource_uri) makes; `None` if there is none.
    #[must_use]
    pub fn read_resource(&self, index: &Index, uri: &str) -> Option<ReadDocument> {
        let (name, path) = resource_parts(uri).filter(|(_, path)| !path.starts_with('/'))?;
        let sources = self.indexed(index, self.sources().ok()?).ok()?;
        let mut lookup = InScope {
            scope: self,
            index,
            sources: &sources,
            options: &ReadOptions::default(),
        };
        let read = lookup.document(Some(&name), &path, Fragment::Whole);
        read.ok()
    }
}

/// Looks targets up in some visible sources.
struct InScope<'a> {
    scope: &'a Scope,
    index: &'a Index,
    sources: &'a [VisibleSource],
    options: &'a ReadOptions,
}

impl<'a> InScope<'a> {
    /// The sources of this name, or all.
    fn named(&self, name: Option<&str>) -> impl Iterator<Item = &'a VisibleSource> {
        let sources = self.sources.iter();
        sources.filter(move |seen| name.is_none_or(|name| seen.name == name))
    }

    fn reading(&self, seen: &VisibleSource) -> ReadOptions {
        let mut options = self.scope.reading(seen);
        options.neighbours = self.options.neighbours;
        options.links = self.options.links;
        options
    }

    /// Whether there are documents below `path`, a path inside the sources.
    fn is_folder(&self, source: Option<&str>, path: &str) -> ServiceResult<bool> {
        let Some(below) = self.scope.below(Some(path)) else {
            return Ok(false);
        };
        for seen in self.named(source) {
            let options = ListOptions::default().source(&seen.root);
            let options = options.path(&below).limit(1);
            if !self.index.documents(&options)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Lookup for InScope<'_> {
    fn exists(&self, source: Option<&str>, path: &str) -> bool {
        let path = self.scope.inward(path);
        // A failure is that of the reading that follows.
        path.is_ok_and(|path| {
            let mut all = self.named(source);
            all.any(|seen| {
                let options = self.scope.reading(seen);
                self.index.has_document(&path, &options).unwrap_or_default()
            })
        })
    }

    fn has_collection(&self, name: &str) -> bool {
        let mut sources = self.sources.iter();
        sources.any(|seen| seen.collection_name() == Some(name))
    }

    fn document(
        &mut self,
        source: Option<&str>,
        path: &str,
        part: Fragment,
    ) -> ServiceResult<ReadDocument> {
        let inside = self.scope.inward(path)?;
        let target = target(&inside, part);
        let outward = |path: &str| self.scope.outward(path).to_string();
        let mut found = Vec::new();
        let (mut closest, mut skipped) = (None, None);
        for seen in self.named(source) {
            match self.index.get(&target, &self.reading(seen)) {
                Ok(document) => found.push((seen, document)),
                Err(Error::UnknownDocument { closest: close, .. }) => closest = closest.or(close),
                Err(error @ Error::Skipped { .. }) => skipped = skipped.or(Some(error)),
                Err(error) => return Err(error.with_paths(outward).into()),
            }
        }
        if let (Some(error), true) = (skipped, found.is_empty()) {
            return Err(error.with_paths(outward).into());
        }
        // A document that is also in a collection is read from the folder, unless the collection is
        // named.
        if found.len() > 1 && found[0].0.collection.is_none() {
            found.truncate(1);
        }
        let path = path.to_string();
        match found.len() {
            0 if self.is_folder(source, &inside)? => Err(ServiceError::IsFolder { path }),
            0 => Err(ServiceError::NoDocument {
                path,
                closest: closest.map(|close| outward(&close)),
            }),
            1 => {
                let (seen, document) = found.remove(0);
                let collection = seen.collection_name().map(str::to_string);
                Ok(ReadDocument {
                    document,
                    collection,
                })
            }
            _ => {
                let names = found.iter().map(|(seen, _)| seen.collection_name());
                Err(ServiceError::InSeveral {
                    path,
                    collections: names.map(|name| name.map(str::to_string)).collect(),
                })
            }
        }
    }

    fn chunk(&mut self, source: Option<&str>, id: &str) -> ServiceResult<Option<ReadDocument>> {
        for seen in self.named(source) {
            match self.index.get(&Target::chunk(id), &self.reading(seen)) {
                Ok(document) => {
                    let collection = seen.collection_name().map(str::to_string);
                    return Ok(Some(ReadDocument {
                        document,
                        collection,
                    }));
                }
                Err(Error::UnknownChunk { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }
}

/// As much of a text as an answer has room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentPart<'t> {
    /// The beginning of the text: whole chunks, or if these would leave much of the room unused,
    /// whole lines, or a part of a line that is too long.
    pub text: &'t str,
    /// The last line of the document that is shown.
    pub last: usize,
    /// The lines of the rest as a target names them, `:10-20` or `:10.80-20`; `None` if there is no
    /// rest.
    pub rest: Option<String>,
}

impl<'t> DocumentPart<'t> {
    /// The part of `document` that takes at most `room` tokens.
    #[must_use]
    pub fn of(document: &'t DocumentText, room: usize) -> Self {
        let (first, last) = document.span.lines;
        let text = beginning_of_chunks(document, room);
        if text.len() == document.text.len() {
            return DocumentPart {
                text,
                last,
                rest: None,
            };
        }
        let ended = text.matches('\n').count();
        let begun = text.rsplit('\n').next().unwrap_or_default();
        let begun = begun.chars().count();
        let column = if ended == 0 { document.column } else { 1 } + begun;
        let rest = match column {
            1 => format!(":{}-{last}", first + ended),
            _ => format!(":{}.{column}-{last}", first + ended),
        };
        DocumentPart {
            text,
            last: match begun {
                0 => first + ended.saturating_sub(1),
                _ => first + ended,
            },
            rest: Some(rest),
        }
    }

    /// The longest text that `rest` can be for `document`.
    #[must_use]
    pub fn longest_rest(document: &DocumentText) -> String {
        let (_, last) = document.span.lines;
        format!(":{last}.{}-{last}", document.text.len())
    }
}

/// As many whole chunks of a text as fit into `room`, or if these would leave much of it unused, as
/// many lines.
fn beginning_of_chunks(document: &DocumentText, room: usize) -> &str {
    let text = &*document.text;
    let begun = beginning(text, room);
    if begun.len() == text.len() {
        return text;
    }
    let start = document.span.bytes.start;
    let ends = document.chunks.iter();
    let ends = ends.map(|chunk| chunk.span.bytes.end.saturating_sub(start));
    // A chunk that ends within a line is followed by the rest of that line.
    let at_end = |end: usize| match begun.as_bytes().get(end) {
        Some(b'\n') => Some(end + 1),
        _ => begun.get(..end)?.ends_with('\n').then_some(end),
    };
    match ends.filter_map(at_end).max() {
        Some(end) if end > begun.len() / 2 => &begun[..end],
        _ => begun,
    }
}
