//! `add`: makes a folder, a file or a text a collection. A user may add anything, an agent only
//! what its [`Scope`] allows.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use excerpt_chunk::Chunking;
use excerpt_index::{
    Collection, Encoding, Error, FileText, Index, OpenOptions, Origin, Source, SyncOptions,
    SyncReport, includes, read_named,
};
use serde::{Deserialize, Serialize};

use crate::addition::Addition;
use crate::check_file::check_file;
use crate::chunk::{check_bounds, split_until};
use crate::config::{Configuration, EmbeddingChoice};
use crate::contents::Contents;
use crate::engine::EngineWriter;
use crate::error::{ServiceError, ServiceResult};
use crate::named_files::{ReadText, SkipCounts, each_document};
use crate::remote;
use crate::remote::part::{RemotePart, name_of, version_of};
use crate::scope::{Scope, VisibleSource};
use crate::target::{IndexChoice, Syncable};
use crate::text::shown;
use crate::update::{SyncObserver, patiently, sync, sync_opened};

/// What is added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddInput {
    /// A folder or file, by its path: of a user, from the working directory; of an agent, inside
    /// the folders that it may read. A user may also give the address of a git repository or of an
    /// object store.
    Path(String),
    /// A text.
    Text(String),
}

/// A request to add something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AddRequest {
    /// What is added.
    pub input: AddInput,
    /// Its name, attributes and settings.
    #[serde(flatten)]
    pub addition: Addition,
    /// What is added of a git repository or an object store, if the path is its address.
    #[serde(flatten)]
    pub part: RemotePart,
    /// Whether it replaces the collection of the same folder or file, or the text of the same name.
    /// Default: no.
    #[serde(default)]
    pub replace: bool,
}

/// What was added.
#[derive(Debug, Serialize)]
pub struct AddReply {
    /// The collection.
    pub collection: Collection,
    /// What the index contains of it now.
    pub contents: Contents,
    /// Its sync; `None` if the text was there before and nothing was added.
    pub report: Option<SyncReport>,
    /// Whether what was there before has the requested attributes and settings.
    pub is_same: bool,
    /// Messages about settings that were ignored.
    pub notes: Vec<String>,
}

/// A request to change the settings and attributes of a collection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditRequest {
    /// Its name.
    pub name: String,
    /// What is changed: see [`Addition::apply_to`].
    pub changes: Addition,
}

impl EditRequest {
    /// Changes the collection in the library of a user, and syncs it.
    ///
    /// # Errors
    ///
    /// When there is no such collection, or nothing to change, and those of the index.
    pub fn edit(
        &self,
        choice: &IndexChoice,
        embedding: &EmbeddingChoice,
        observer: &mut dyn SyncObserver,
    ) -> ServiceResult<AddReply> {
        let library = choice.library()?;
        let known = Collection::named_in(&library, &self.name)?;
        let mut changed = known.clone();
        self.changes.apply_to(&mut changed);
        if changed == known {
            return Err(ServiceError::NothingToChange { name: known.name });
        }
        self.changes.check_title(&known.root, &known.name)?;
        let configuration = Configuration::read(&known.root, embedding)?;
        let embedding = Configuration::of_user(embedding)?.embedding;
        let mut index = embedding.given_to(Index::open(&library, OpenOptions::default())?)?;
        let collection =
            patiently(|| index.edit(&known.name, |known| self.changes.apply_to(known)))?;
        let reply = synced(&mut index, collection, (&configuration, None), observer)?;
        Ok(AddReply {
            notes: configuration.notes,
            ..reply
        })
    }
}

/// What would be added.
#[derive(Debug, Serialize)]
pub struct AddPreview {
    /// The collection.
    pub collection: Collection,
    /// Whether it has the same text already, so that nothing would be added.
    pub is_kept: bool,
    /// How many documents it would have.
    pub documents: usize,
    /// How many chunks they would have.
    pub chunks: usize,
    /// How many files and folders would be skipped.
    pub skipped: usize,
    /// How many of the documents are too large for a preview, so that their chunks are not counted.
    pub too_large: usize,
}

/// A document that would be added, and how it would be split.
#[derive(Debug)]
pub struct PreviewedDocument<'a> {
    /// The path inside the source.
    pub path: &'a str,
    /// Its chunks.
    pub chunking: &'a Chunking<'a>,
    /// How many documents there may still be, with this one.
    pub left: usize,
}

/// A request that was checked.
#[derive(Debug)]
pub struct PreparedAddition {
    /// The folder or file; `None` for a text.
    root: Option<PathBuf>,
    /// The text; empty without one.
    text: String,
    /// The collection that is wanted.
    pub collection: Collection,
    /// How it is synced.
    pub options: SyncOptions,
    /// The name of the file that a text is kept in, whose extension determines the syntax.
    pub file: String,
    /// The configuration that applies to it.
    pub configuration: Configuration,
    is_named: bool,
    replaces: bool,
}

impl PreparedAddition {
    /// A user's request, checked.
    ///
    /// # Errors
    ///
    /// When there is no such file, it would be skipped, or a text has no name.
    pub fn of_user(
        request: &AddRequest,
        embedding: &EmbeddingChoice,
    ) -> ServiceResult<PreparedAddition> {
        let origin = match &request.input {
            AddInput::Text(_) => None,
            AddInput::Path(path) => request.part.of(path)?,
        };
        let root = match (&request.input, &origin) {
            (AddInput::Text(_), _) => None,
            (AddInput::Path(_), Some(origin)) => Some(PathBuf::from(origin.to_string())),
            (AddInput::Path(path), None) => {
                let real = Path::new(path).canonicalize();
                Some(real.map_err(|error| ServiceError::Unreadable {
                    path: path.clone(),
                    error,
                })?)
            }
        };
        let adjust = |collection: Collection| {
            Ok(match &origin {
                Some(origin) => of_remote(collection, request, origin),
                None => collection,
            })
        };
        let shown = match &request.input {
            AddInput::Path(path) => path,
            AddInput::Text(_) => "",
        };
        PreparedAddition::of(
            request,
            (root.as_deref(), shown),
            adjust,
            |root| match root {
                None => Configuration::of_user(embedding),
                Some(root) => Configuration::read(root, embedding),
            },
        )
    }

    /// `shown` is the folder or file in errors. `adjust` makes the collection that is added of the
    /// one that was requested. `read` reads the configuration of the folder or file, or without one
    /// that of the user.
    fn of(
        request: &AddRequest,
        (root, shown): (Option<&Path>, &str),
        adjust: impl FnOnce(Collection) -> ServiceResult<Collection>,
        read: impl FnOnce(Option<&Path>) -> ServiceResult<Configuration>,
    ) -> ServiceResult<PreparedAddition> {
        let addition = &request.addition;
        let text = match &request.input {
            AddInput::Path(_) => String::new(),
            AddInput::Text(text) => text.clone(),
        };
        if let Some(root) = root {
            addition.check_title(root, shown)?;
        }
        let collection = adjust(addition.collection(root)?)?;
        let configuration = read(root)?;
        let options = configuration.options_of(&collection);
        let file = addition.file_name(&collection);
        match root {
            None => Addition::check_text(&file, &text, &options.selection)?,
            Some(root) if root.is_file() => check_file(shown, root, &options.selection)?,
            Some(_) => {}
        }
        Ok(PreparedAddition {
            root: root.map(Path::to_path_buf),
            text,
            options,
            file,
            configuration,
            is_named: addition.name.is_some(),
            replaces: request.replace,
            collection,
        })
    }

    /// Adds it to the library of a user.
    ///
    /// # Errors
    ///
    /// When the name is taken, or the folder or file is a collection already, and those of the
    /// index.
    pub fn add(
        self,
        choice: &IndexChoice,
        embedding: &EmbeddingChoice,
        observer: &mut dyn SyncObserver,
    ) -> ServiceResult<AddReply> {
        let embedding = Configuration::of_user(embedding)?.embedding;
        let index = Index::open(&choice.library()?, OpenOptions::create())?;
        let mut index = embedding.given_to(index)?;
        let remote = self
            .root
            .as_deref()
            .filter(|root| Origin::of(root).is_remote());
        // Others may be fetching into a clone that is there.
        let fetches_first = remote.is_some_and(|root| !remote::has_clone(index.dir(), root));
        let added = self.added(&mut index, observer);
        if let (Err(_), Some(root)) = (&added, remote) {
            let all = Collection::all_in(index.dir()).unwrap_or_default();
            let is_known = all.iter().any(|known| known.root == root);
            match fetches_first {
                _ if is_known => {}
                // The error says more than one of removing it.
                true => drop(remote::forget(index.dir(), root, &all)),
                false => remote::forget_state(index.dir(), root),
            }
        }
        added
    }

    fn added(&self, index: &mut Index, observer: &mut dyn SyncObserver) -> ServiceResult<AddReply> {
        let wanted = &self.collection;
        // What cannot be reached is not added. An object store was only reached when it has listed
        // an object.
        let fetched = match &self.root {
            Some(root) if Origin::of(root).is_remote() => {
                let source = self.syncable(index.dir(), root);
                let opened = patiently(|| source.open())?;
                if let Origin::Objects(_) = Origin::of(root) {
                    opened.entries()?.next().transpose()?;
                }
                Some(opened)
            }
            _ => None,
        };
        let collection = patiently(|| match (&self.root, self.replaces) {
            (None, true) => index.replace_text(wanted.clone(), &self.file, &self.text),
            (None, false) => index.add_text(wanted.clone(), &self.file, &self.text),
            (Some(_), true) => index.replace(wanted.clone()).map(|()| wanted.clone()),
            (Some(_), false) => index.add(wanted.clone()).map(|()| wanted.clone()),
        })?;
        let name = collection.name.clone();
        let is_remote = fetched.is_some();
        let added = synced(index, collection, (&self.configuration, fetched), observer);
        // What was not reached to its end, and has nothing that can be found, was not added.
        if let Err(ServiceError::Index(Error::Source { .. })) = &added
            && is_remote
            && !self.replaces
        {
            // The error says more than one of taking it back.
            let _ = patiently(|| index.remove(&name));
        }
        added
    }

    fn syncable(&self, index: &Path, root: &Path) -> Syncable {
        Syncable {
            index: index.to_path_buf(),
            root: root.to_path_buf(),
            options: self.options.clone(),
            collection: None,
        }
    }

    /// Gives every document that would be added to `prepare`, several at a time, and what that
    /// makes of each to `visit`, by path, with the number of documents from this one to the last.
    /// Returns how many files and folders would be skipped.
    ///
    /// # Errors
    ///
    /// Those of reading the files, and of `visit`.
    pub fn each_document<T: Send, E: From<ServiceError>>(
        &self,
        prepare: &(dyn Fn(ReadText) -> T + Sync),
        visit: &mut dyn FnMut(T, usize) -> Result<(), E>,
    ) -> Result<SkipCounts, E> {
        let Some(root) = &self.root else {
            let text = ReadText {
                path: Some(self.file.clone()),
                source_path: Some(self.file.clone()),
                file: FileText::plain(self.text.clone(), Encoding::default()),
            };
            return visit(prepare(text), 1).map(|()| SkipCounts::new());
        };
        // A repository is fetched into a folder that does not stay.
        let folder = tempfile::tempdir().map_err(ServiceError::NoTemporaryFolder)?;
        let source = self.syncable(folder.path(), root);
        let source = source.open().map_err(ServiceError::from)?;
        each_document(
            (&*source, &self.options.selection),
            &|_| true,
            &str::to_string,
            prepare,
            visit,
        )
    }

    /// Splits what would be added until `stop` is set, gives each document to `each`, and stores
    /// nothing. The names of collections are those of the index in `dir`.
    ///
    /// # Errors
    ///
    /// When adding it would fail, a text is too large to be shown, or `stop` is set, and those of
    /// reading the files.
    fn preview(
        self,
        dir: &Path,
        stop: &AtomicBool,
        mut each: impl FnMut(PreviewedDocument<'_>),
    ) -> ServiceResult<AddPreview> {
        let chunker = excerpt_grammars::chunker(self.options.chunking.clone())?;
        let (collection, is_kept) = match self.replaced(dir)? {
            Some(_) if self.replaces => (self.collection.clone(), false),
            _ => self.expected(dir)?,
        };
        let mut preview = AddPreview {
            is_kept,
            documents: 0,
            chunks: 0,
            skipped: 0,
            too_large: 0,
            collection,
        };
        let title = preview.collection.attributes.title.clone();
        let skipped = self.each_document(&|text| text, &mut |text, left| {
            let path = text.source_path.as_deref().unwrap_or_default();
            let document = text.file.document(path);
            let document = match &title {
                Some(title) => document.with_title(title),
                None => document,
            };
            preview.documents += 1;
            match check_bounds(&text.file.text, &self.options.chunking) {
                // The other documents of a folder are shown.
                Err(_) if self.root.is_some() => {
                    preview.too_large += 1;
                    return Ok(());
                }
                checked => checked?,
            }
            let chunking = &split_until(stop, &chunker, &text.file, &document)?;
            preview.chunks += chunking.chunks.len();
            each(PreviewedDocument {
                path,
                chunking,
                left,
            });
            Ok::<_, ServiceError>(())
        })?;
        preview.skipped = skipped.into_values().sum();
        Ok(preview)
    }

    fn replaced(&self, dir: &Path) -> ServiceResult<Option<Collection>> {
        replaced(dir, self.root.as_deref(), &self.collection)
    }

    /// The collection that contains the text already, with the same title and the name that it has
    /// or would get.
    fn kept<'c>(&self, all: &'c [Collection]) -> Option<&'c Collection> {
        let wanted = &self.collection;
        let is_name = |name: &str| match name.strip_prefix(&*wanted.name) {
            Some("") => true,
            Some(rest) => {
                let number = rest.strip_prefix('-');
                number.is_some_and(|number| number.parse::<usize>().is_ok())
            }
            None => false,
        };
        let limit = self.text.len() as u64;
        let has_text = |known: &Collection| {
            read_named(&known.root, limit).is_ok_and(|kept| kept == self.text.as_bytes())
        };
        let mut given = all.iter().filter(|known| known.given);
        given.find(|known| {
            is_name(&known.name)
                && known.attributes.title == wanted.attributes.title
                && has_text(known)
        })
    }

    /// The collection that adding it would result in, and whether it already exists with the same
    /// text; an error if adding it would fail.
    fn expected(&self, dir: &Path) -> ServiceResult<(Collection, bool)> {
        let all = Collection::all_in(dir)?;
        let mut wanted = self.collection.clone();
        match &self.root {
            None => {
                if let Some(known) = self.kept(&all) {
                    return Ok((known.clone(), true));
                }
            }
            Some(root) => {
                if let Some(known) = all.iter().find(|known| known.root == *root) {
                    return Err(ServiceError::Index(Error::RootTaken {
                        name: known.name.clone(),
                        root: root.clone(),
                    }));
                }
            }
        }
        // A text that is added without a name gets a free one.
        let needs_its_name = self.root.is_some() || self.is_named || self.replaces;
        if needs_its_name {
            check_free(&all, &wanted)?;
        }
        if self.root.is_none() {
            wanted.name = Collection::free_in(dir, &wanted.name)?;
        }
        Ok((wanted, false))
    }

    /// Makes it a collection of the index; `Err` with the collection that has the text already.
    fn stored(
        self,
        index: &mut Index,
        dir: &Path,
    ) -> ServiceResult<Result<Collection, Collection>> {
        let known = match self.replaces {
            true => self.replaced(dir)?,
            false => None,
        };
        let wanted = self.collection.clone();
        if self.root.is_none() {
            if !self.replaces {
                let all = Collection::all_in(dir)?;
                if let Some(known) = self.kept(&all) {
                    return Ok(Err(known.clone()));
                }
                if self.is_named {
                    check_free(&all, &wanted)?;
                }
                return Ok(Ok(index.add_text(wanted, &self.file, &self.text)?));
            }
            return Ok(Ok(match known {
                Some(known) => index.edit_text(&known.name, &self.text, |known| {
                    *known = in_place_of(known, wanted);
                })?,
                None => index.replace_text(wanted, &self.file, &self.text)?,
            }));
        }
        Ok(Ok(match known {
            Some(known) => index.edit(&known.name, |known| *known = in_place_of(known, wanted))?,
            None => index.add(wanted.clone()).map(|()| wanted)?,
        }))
    }
}

/// What adding `wanted` would replace: the collection of the same file or folder, or the text of
/// the same name.
fn replaced(
    dir: &Path,
    root: Option<&Path>,
    wanted: &Collection,
) -> ServiceResult<Option<Collection>> {
    let all = Collection::all_in(dir)?.into_iter();
    let mut same = all.filter(|known| match root {
        Some(root) => known.root == *root,
        None => known.given && known.name == wanted.name,
    });
    Ok(same.next())
}

/// Checks that no collection has the name of `wanted`.
fn check_free(all: &[Collection], wanted: &Collection) -> ServiceResult<()> {
    match all.iter().find(|known| known.name == wanted.name) {
        Some(known) => Err(ServiceError::Index(Error::NameTaken {
            name: known.name.clone(),
            root: known.root.clone(),
        })),
        None => Ok(()),
    }
}

/// The collection that an agent adds in the place of `known`: only the owner decides which files
/// are left out.
fn in_place_of(known: &Collection, mut added: Collection) -> Collection {
    added.selection = known.selection.clone();
    added
}

/// What is added of a repository: its name, and its version for a search, are those of the part.
fn of_remote(mut collection: Collection, request: &AddRequest, origin: &Origin) -> Collection {
    if request.addition.name.is_none() {
        collection.name = Collection::name_for(Path::new(&name_of(origin).replace('/', "-")));
    }
    if collection.attributes.versions.is_empty() {
        let version = version_of(origin).map(str::to_string);
        collection.attributes.versions.extend(version);
    }
    collection
}

/// Syncs a collection of a user that was added or edited, from `fetched` if it was opened already.
///
/// # Errors
///
/// Those of the index.
fn synced(
    index: &mut Index,
    collection: Collection,
    (configuration, fetched): (&Configuration, Option<Box<dyn Source>>),
    observer: &mut dyn SyncObserver,
) -> ServiceResult<AddReply> {
    let source = Syncable {
        index: index.dir().to_path_buf(),
        root: collection.root.clone(),
        options: configuration.options_of(&collection),
        collection: None,
    };
    let report = patiently(|| match &fetched {
        Some(fetched) => sync_opened(index, (&source, &**fetched), None, observer),
        None => sync(index, &source, None, observer),
    })?;
    Ok(AddReply {
        contents: Contents::of(index, &source.root)?,
        collection,
        report: Some(report),
        is_same: true,
        notes: Vec::new(),
    })
}

impl Scope {
    /// An agent's request, checked.
    ///
    /// # Errors
    ///
    /// When its name is invalid, there is no such file in the folders that may be read, it would be
    /// skipped, or a text has no name.
    pub fn prepared(&self, request: &AddRequest) -> ServiceResult<PreparedAddition> {
        // What a part shows must not grow by itself.
        if !self.shows_what_is_added() {
            return Err(ServiceError::NothingReadable);
        }
        if let Some(name) = &request.addition.name {
            check_name(name)?;
        }
        let root = match &request.input {
            AddInput::Path(path) => Some(self.allowed(path)?),
            AddInput::Text(_) => None,
        };
        let root = root.as_deref();
        let name = root.and_then(Path::file_name).unwrap_or_default();
        let adjust = |wanted: Collection| match request.replace {
            true => match replaced(&self.index, root, &wanted)? {
                Some(known) => Ok(in_place_of(&known, wanted)),
                None => Ok(wanted),
            },
            false => Ok(wanted),
        };
        let shown = name.to_string_lossy();
        PreparedAddition::of(request, (root, &shown), adjust, |root| {
            self.configuration(root)
        })
    }

    /// Shows what would be added, until `stop` is set: see [`PreparedAddition`].
    ///
    /// # Errors
    ///
    /// When adding it would fail, a text is too large to be shown, or `stop` is set, and those of
    /// reading the files.
    pub fn preview(
        &self,
        prepared: PreparedAddition,
        stop: &AtomicBool,
        each: impl FnMut(PreviewedDocument<'_>),
    ) -> ServiceResult<AddPreview> {
        prepared.preview(&self.index, stop, each)
    }

    /// Adds something to the index, so that it can be searched at once.
    ///
    /// # Errors
    ///
    /// When the name is taken, or the folder or file is a collection already, and those of the
    /// index.
    pub fn add(
        &self,
        writer: &mut EngineWriter,
        prepared: PreparedAddition,
    ) -> ServiceResult<AddReply> {
        let wanted = prepared.collection.clone();
        let collection = match prepared.stored(writer.index()?, &self.index)? {
            Ok(collection) => collection,
            Err(known) => {
                let is_same =
                    known.attributes == wanted.attributes && known.chunking == wanted.chunking;
                return Ok(AddReply {
                    contents: Contents::of(writer.index()?, &known.root)?,
                    collection: known,
                    report: None,
                    is_same,
                    notes: Vec::new(),
                });
            }
        };
        let seen = VisibleSource {
            name: collection.name.clone(),
            root: collection.root.clone(),
            collection: Some(collection.clone()),
        };
        let report = writer.sync(&seen, |_| false)?;
        Ok(AddReply {
            contents: Contents::of(writer.index()?, &seen.root)?,
            collection,
            report: Some(report),
            is_same: true,
            notes: Vec::new(),
        })
    }

    /// Changes a visible collection. Its documents are split again by the next sync. Whether
    /// anything was changed is [`AddReply::is_same`].
    ///
    /// # Errors
    ///
    /// When there is no such collection, and those of the index.
    pub fn edit(
        &self,
        writer: &mut EngineWriter,
        request: &EditRequest,
    ) -> ServiceResult<AddReply> {
        let known = self.collection(&request.name)?;
        let mut changed = known.clone();
        request.changes.apply_to(&mut changed);
        request.changes.check_title(&known.root, &known.name)?;
        excerpt_grammars::chunker(changed.chunking.config())?;
        let index = writer.index()?;
        let collection =
            patiently(|| index.edit(&known.name, |known| request.changes.apply_to(known)))?;
        Ok(AddReply {
            contents: Contents::of(index, &collection.root)?,
            is_same: changed == known,
            collection,
            report: None,
            notes: Vec::new(),
        })
    }

    /// What the index contains of a visible collection.
    ///
    /// # Errors
    ///
    /// When there is no such collection, and those of the index.
    pub fn contents(&self, index: &Index, name: &str) -> ServiceResult<Contents> {
        let known = self.collection(name)?;
        Ok(Contents::of(index, &known.root)?)
    }

    /// The visible collection of this name.
    pub(crate) fn collection(&self, name: &str) -> ServiceResult<Collection> {
        let chosen = self.chosen(&[name.to_string()])?;
        let known = chosen.into_iter().find_map(|seen| seen.collection);
        known.ok_or_else(|| ServiceError::NoCollection {
            name: shown(name),
            names: Vec::new(),
        })
    }

    /// The file or folder at `path`, if it is below a folder that may be read after links are
    /// resolved.
    fn allowed(&self, path: &str) -> ServiceResult<PathBuf> {
        let roots = &self.readable;
        if roots.is_empty() {
            return Err(ServiceError::NothingReadable);
        }
        let mut places = roots.iter().map(|root| (root, root.join(path)));
        // Only the owner may add what the rules of the folder exclude, such as a file with keys.
        let found = places.find_map(|(root, place)| {
            let found = Scope::real(root, &place)?;
            includes(root, &found).then_some(found)
        });
        // The error does not reveal whether the file exists elsewhere.
        found.ok_or_else(|| ServiceError::NotReadable {
            path: path.to_string(),
        })
    }
}

/// Rejects a name that is not valid for a collection as it is.
fn check_name(name: &str) -> ServiceResult<()> {
    if name.trim().is_empty() {
        return Err(ServiceError::EmptyName);
    }
    let closest = Collection::name_for(Path::new(&name.replace(['/', '\\'], "-")));
    match closest == name {
        true => Ok(()),
        false => Err(ServiceError::InvalidName {
            name: shown(name),
            closest,
        }),
    }
}
