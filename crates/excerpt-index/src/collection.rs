//! The collections of an index: what was added to it by name, each with its own chunking, files and
//! attributes. They are stored in a plain file next to the database, and texts added without a file
//! are stored as files in the index, so that everything else can be rebuilt from them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use excerpt_chunk::{Hash, Settings};
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::lock::WriteLock;
use crate::model::{Attributes, SyncOptions};
use crate::source::{Files, Selection};
use crate::store::Truth;

/// The file with the collections of an index.
pub(crate) const FILE: &str = "collections.json";

/// A copy, for when the first is lost.
pub(crate) const COPY: &str = "collections.copy.json";

/// The name that a file which cannot be repaired is renamed to.
pub(crate) const DAMAGED: &str = "collections.json.damaged";

/// The folder of the texts that were added without a file.
pub(crate) const GIVEN: &str = "given";

/// The longest name of a collection, in bytes, so that it fits into a file name.
const LONGEST_NAME: usize = 100;

/// A named part of an index: a folder, a file, or a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// The folder or file, by its absolute path.
    pub root: PathBuf,
    /// How its documents are split: the settings that were given when it was added.
    pub chunking: Settings,
    /// Which of its files are documents.
    pub selection: Selection,
    /// Attributes of all its documents.
    pub attributes: Attributes,
    /// Whether it is a text that is stored in the index itself.
    pub given: bool,
    /// The hash of such a text, which shows damage to its file and finds the text in the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Hash>,
}

impl Collection {
    /// The folder or file at `root`, under a name.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Collection {
            name: name.into(),
            root: root.into(),
            ..Collection::default()
        }
    }

    /// The options to sync it with, for [`Index::sync`]. Settings that were not given when it was
    /// added come from `chunking` and `selection`.
    #[must_use]
    pub fn options(&self, chunking: Settings, selection: Selection) -> SyncOptions {
        SyncOptions {
            chunking: self.chunking.clone().or(chunking).config(),
            selection: self.selection.clone().or(selection),
            name: Some(self.name.clone()),
            attributes: self.attributes.clone(),
            ..SyncOptions::default()
        }
    }

    /// The collections of the index in `dir`, by name; empty when there is no index.
    ///
    /// # Errors
    ///
    /// When the list of them cannot be read.
    pub fn all_in(dir: &Path) -> Result<Vec<Collection>> {
        Ok(Collections::read(dir)?.collections)
    }

    /// The collection `name` of the index in `dir`.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`], and when the list of them cannot be read.
    pub fn named_in(dir: &Path, name: &str) -> Result<Collection> {
        Collections::read(dir)?.named(name).cloned()
    }

    /// The name that a text gets when it is added to the index in `dir` as `wanted`.
    ///
    /// # Errors
    ///
    /// When the list of collections cannot be read.
    pub fn free_in(dir: &Path, wanted: &str) -> Result<String> {
        Ok(Collections::read(dir)?.free(&name_of(wanted)))
    }

    /// Checks that it can be indexed, and makes its root an absolute path without links.
    fn check(&mut self) -> Result<()> {
        let files = Files::selected(&self.root, &self.selection)?;
        self.root = files.path().to_path_buf();
        excerpt_grammars::chunker(self.chunking.config())?;
        Ok(())
    }

    /// The name of the file with its text.
    ///
    /// # Errors
    ///
    /// [`Error::NameTaken`] when it is not a text that is stored in the index itself.
    fn given_file(&self) -> Result<String> {
        if !self.given {
            return Err(Error::NameTaken {
                name: self.name.clone(),
                root: self.root.clone(),
            });
        }
        let file = self.root.file_name().unwrap_or_default();
        Ok(file.to_string_lossy().into_owned())
    }

    /// A name for the folder or file at `root`, derived from its path.
    #[must_use]
    pub fn name_for(root: &Path) -> String {
        let mut parts = root.components().filter_map(|part| match part {
            Component::Normal(part) => part.to_str(),
            _ => None,
        });
        name_of(parts.next_back().unwrap_or_default())
    }
}

/// `text` as a name: letters, digits, and punctuation that needs no quotes.
pub(crate) fn name_of(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        match c {
            '.' | '_' => name.push(c),
            c if c.is_alphanumeric() => name.push(c),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    match name.trim_matches(['-', '.']) {
        "" => "collection".to_string(),
        name => name.to_string(),
    }
}

/// The collections of one index.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Collections {
    pub(crate) collections: Vec<Collection>,
}

/// The file that they are stored in.
#[derive(Serialize, Deserialize)]
struct Kept {
    collections: serde_json::Value,
    /// The hash of `collections` as JSON without spaces; `None` in a file of an older version.
    #[serde(default)]
    sum: Option<String>,
}

impl Collections {
    /// Reads those of the index in `dir`. If the file is lost or damaged, they come from its copy.
    ///
    /// # Errors
    ///
    /// When neither can be read.
    pub(crate) fn read(dir: &Path) -> Result<Self> {
        let first = Self::read_file(&dir.join(FILE));
        if let Ok(Some(all)) = first {
            return Ok(all);
        }
        match Self::read_file(&dir.join(COPY)) {
            Ok(Some(all)) => Ok(all),
            _ => Ok(first?.unwrap_or_default()),
        }
    }

    /// Reads a file with collections; `None` if it does not exist.
    fn read_file(path: &Path) -> Result<Option<Self>> {
        let text = match disk::read(path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(Error::damaged(path, error));
            }
            Err(error) => return Err(Error::io(path)(error)),
        };
        let damaged = |error: serde_json::Error| Error::damaged(path, error);
        let kept: Kept = serde_json::from_str(&text).map_err(damaged)?;
        if kept.sum.is_some() && kept.sum != Some(sum(&kept.collections)) {
            return Err(Error::damaged(path, "its checksum does not match"));
        }
        let collections = serde_json::from_value(kept.collections).map_err(damaged)?;
        Ok(Some(Collections { collections }))
    }

    /// Stores them, replacing what was stored before. A process that is killed meanwhile leaves one
    /// or the other.
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(FILE);
        let damaged = |error: serde_json::Error| Error::damaged(&path, error);
        let collections = serde_json::to_value(&self.collections).map_err(damaged)?;
        let kept = Kept {
            sum: Some(sum(&collections)),
            collections,
        };
        let text = serde_json::to_string_pretty(&kept).map_err(damaged)?;
        for path in [&path, &dir.join(COPY)] {
            disk::replace(path, text.as_bytes()).map_err(Error::io(path))?;
        }
        Ok(())
    }

    /// Rewrites the file, or its copy, if one of them is lost or damaged and the other is not.
    pub(crate) fn repair(dir: &Path, _lock: &WriteLock) -> Result<()> {
        let [first, copy] = [FILE, COPY].map(|name| Self::read_file(&dir.join(name)));
        match (first, copy) {
            (Ok(None), Ok(None)) => Ok(()),
            (Ok(Some(first)), Ok(Some(copy))) if first == copy => Ok(()),
            (Ok(Some(all)), _) | (_, Ok(Some(all))) => all.write(dir),
            _ => Ok(()),
        }
    }

    /// Recovers what is left when neither the file nor its copy can be read: the names and roots in
    /// the database, and the stored texts.
    pub(crate) fn recover(dir: &Path, truth: Option<&Truth>, lock: &WriteLock) -> Result<()> {
        if Self::read(dir).is_ok() {
            return Self::repair(dir, lock);
        }
        let mut all = Collections::default();
        let given = dir.join(GIVEN);
        let given = given.canonicalize().unwrap_or(given);
        for (name, root) in truth.map(Truth::named_roots).unwrap_or_default() {
            let mut collection = Collection::new(name, root);
            collection.given = collection.root.starts_with(&given);
            let _ = all.add(collection);
        }
        let folders = fs::read_dir(&given).into_iter().flatten().flatten();
        for folder in folders {
            let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
            for file in files.filter(|file| file.file_type().is_ok_and(|kind| kind.is_file())) {
                let name = all.free(&name_of(&folder.file_name().to_string_lossy()));
                let mut collection = Collection::new(name, file.path());
                collection.given = true;
                // One that the database names exists already.
                let _ = all.add(collection);
            }
        }
        let path = dir.join(FILE);
        let aside = dir.join(DAMAGED);
        disk::remove(&aside).map_err(Error::io(&aside))?;
        let _ = fs::rename(&path, &aside);
        all.write(dir)
    }

    /// Restores the files of stored texts from the database where they are lost or damaged: all of
    /// them, or the one at `root`.
    pub(crate) fn restore(&self, dir: &Path, root: Option<&Path>, truth: &Truth) -> Result<()> {
        for (collection, hash) in self.damaged_texts(root) {
            let Ok(text) = truth.text(hash) else { continue };
            let given = dir.join(GIVEN);
            for folder in [&*given, collection.root.parent().unwrap_or(&given)] {
                if fs::symlink_metadata(folder).is_ok_and(|it| !it.is_dir()) {
                    disk::remove(folder).map_err(Error::io(folder))?;
                }
            }
            let path = &collection.root;
            disk::replace(path, text.as_bytes()).map_err(Error::io(path))?;
        }
        Ok(())
    }

    /// The collections whose stored text is no longer in its file, with the hash of the text: among
    /// all, or only the one at `root`.
    fn damaged_texts(&self, root: Option<&Path>) -> Vec<(&Collection, Hash)> {
        let all = self.collections.iter();
        let meant = all.filter(|known| root.is_none_or(|root| known.root == root));
        let with_text = meant.filter_map(|known| Some((known, known.text?)));
        let damaged = with_text.filter(|(known, hash)| {
            let text = disk::read(&known.root).ok().flatten();
            text.is_none_or(|text| Hash::of(text.as_bytes()) != *hash)
        });
        damaged.collect()
    }

    /// What is wrong with the files of the collections and with the stored texts.
    pub(crate) fn faults(dir: &Path) -> Vec<Error> {
        let [path, copy] = [FILE, COPY].map(|name| dir.join(name));
        let [first, second] = [&path, &copy].map(|path| Self::read_file(path));
        let is_missing = matches!((&first, &second), (Ok(None), Ok(Some(_))));
        let mut faults: Vec<Error> = [first.err(), second.err()].into_iter().flatten().collect();
        if is_missing {
            faults.push(Error::damaged(&path, "it is missing"));
        }
        let all = Self::read(dir).unwrap_or_default();
        let texts = all.damaged_texts(None).into_iter();
        faults.extend(
            texts.map(|(known, _)| Error::damaged(&known.root, "its checksum does not match")),
        );
        faults
    }

    /// The collection of that name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`] with the existing names.
    pub(crate) fn named(&self, name: &str) -> Result<&Collection> {
        let mut all = self.collections.iter();
        let found = all.find(|collection| collection.name.to_lowercase() == name.to_lowercase());
        found.ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn unknown(&self, name: &str) -> Error {
        let names = self.collections.iter().map(|known| known.name.clone());
        Error::UnknownCollection {
            name: name.to_string(),
            names: names.collect(),
        }
    }

    /// Adds a collection whose name and root no other has.
    ///
    /// # Errors
    ///
    /// [`Error::NameTaken`], [`Error::RootTaken`], and [`Error::CollectionName`] for an invalid
    /// name.
    pub(crate) fn add(&mut self, collection: Collection) -> Result<()> {
        let name = &collection.name;
        if name.is_empty() || *name != name_of(name) {
            return Err(Error::CollectionName {
                name: name.clone(),
                closest: name_of(name),
            });
        }
        let mut known = self.collections.iter();
        if let Some(known) = known.find(|known| known.root == collection.root) {
            return Err(Error::RootTaken {
                name: known.name.clone(),
                root: known.root.clone(),
            });
        }
        let mut known = self.collections.iter();
        if let Some(known) = known.find(|known| known.name == *name) {
            return Err(Error::NameTaken {
                name: known.name.clone(),
                root: known.root.clone(),
            });
        }
        self.collections.push(collection);
        self.collections.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }

    /// Puts a collection in the place of the one with the same root, or adds it if there is none.
    ///
    /// # Errors
    ///
    /// As [`Collections::add`]; then nothing is changed.
    fn replace(&mut self, collection: Collection) -> Result<()> {
        let mut others = self.clone();
        others
            .collections
            .retain(|known| known.root != collection.root);
        others.add(collection)?;
        *self = others;
        Ok(())
    }

    /// A name like `wanted` that is not taken.
    pub(crate) fn free(&self, wanted: &str) -> String {
        let taken: BTreeSet<&str> = self.collections.iter().map(|known| &*known.name).collect();
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        let mut names = [wanted.to_string()].into_iter().chain(numbered);
        names
            .find(|name| !taken.contains(&**name))
            .unwrap_or_default()
    }
}

impl Index {
    /// Adds a collection. Its documents are indexed by the next [`sync`](Index::sync) of its root
    /// with its [`options`](Collection::options).
    ///
    /// # Errors
    ///
    /// [`Error::Source`] when its root cannot be read, [`Error::NameTaken`], [`Error::RootTaken`],
    /// [`Error::CollectionName`], [`Error::Pattern`], [`Error::Config`] when its chunking settings
    /// are invalid, and [`Error::Locked`].
    pub fn add(&mut self, collection: Collection) -> Result<()> {
        self.put(collection, Collections::add)
    }

    /// Puts a collection, with its name, settings and attributes, in the place of the one with the
    /// same root; adds it if there is none. Its documents are indexed by the next
    /// [`sync`](Index::sync), as with [`Index::add`], and answer as before until all of them are.
    ///
    /// # Errors
    ///
    /// As [`Index::add`].
    pub fn replace(&mut self, collection: Collection) -> Result<()> {
        self.put(collection, Collections::replace)
    }

    /// Changes the collection `name` by `change`, which gets its current state: what another
    /// process changes meanwhile is not lost. The next [`sync`](Index::sync) applies it, as with
    /// [`Index::replace`].
    ///
    /// # Errors
    ///
    /// As [`Index::add`], and [`Error::UnknownCollection`]; then nothing is changed.
    pub fn edit(&mut self, name: &str, change: impl FnOnce(&mut Collection)) -> Result<Collection> {
        let _lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        let mut collection = all.named(name)?.clone();
        all.collections
            .retain(|known| known.name != collection.name);
        change(&mut collection);
        collection.check()?;
        all.add(collection.clone())?;
        all.write(self.dir())?;
        Ok(collection)
    }

    fn put(
        &mut self,
        mut collection: Collection,
        put: impl FnOnce(&mut Collections, Collection) -> Result<()>,
    ) -> Result<()> {
        collection.check()?;
        let _lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        put(&mut all, collection)?;
        all.write(self.dir())
    }

    /// Adds a text that is not in a file. It is stored in the index as the file `file`, which
    /// becomes the root of `collection`. A name that is taken gets a number.
    ///
    /// # Errors
    ///
    /// As [`Index::add`], and when the file cannot be written.
    pub fn give(
        &mut self,
        mut collection: Collection,
        file: &str,
        text: &str,
    ) -> Result<Collection> {
        let _lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        collection.name = all.free(&name_of(&collection.name));
        self.keep(&mut all, collection, file, text)
    }

    /// Puts a text, with its settings and attributes, in the place of the one that was added under
    /// the same name, whose file it gets; adds it if there is no collection of that name.
    ///
    /// # Errors
    ///
    /// As [`Index::give`], and [`Error::NameTaken`] when the collection of that name is not such a
    /// text.
    pub fn replace_text(
        &mut self,
        mut collection: Collection,
        file: &str,
        text: &str,
    ) -> Result<Collection> {
        let _lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        collection.name = name_of(&collection.name);
        let mut known = all.collections.iter();
        let file = match known.find(|known| known.name == collection.name) {
            Some(known) => known.given_file()?,
            None => file.to_string(),
        };
        self.keep(&mut all, collection, &file, text)
    }

    /// Puts a text in the place of the one that was added as the collection `name`, and changes the
    /// collection as [`Index::edit`] does, except for its name and root.
    ///
    /// # Errors
    ///
    /// As [`Index::replace_text`], and [`Error::UnknownCollection`].
    pub fn edit_text(
        &mut self,
        name: &str,
        text: &str,
        change: impl FnOnce(&mut Collection),
    ) -> Result<Collection> {
        let _lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        let known = all.named(name)?.clone();
        let file = known.given_file()?;
        let mut collection = known.clone();
        change(&mut collection);
        collection.name = known.name;
        self.keep(&mut all, collection, &file, text)
    }

    /// Stores a text as the file `file` of its collection.
    fn keep(
        &self,
        all: &mut Collections,
        mut collection: Collection,
        file: &str,
        text: &str,
    ) -> Result<Collection> {
        excerpt_grammars::chunker(collection.chunking.config())?;
        let folder = self.dir().join(GIVEN).join(&collection.name);
        let path = folder.join(name_of(file));
        // A process that is killed after this leaves a file that does not match its hash: the next
        // sync restores it from the database.
        disk::replace(&path, text.as_bytes()).map_err(Error::io(&path))?;
        let path = path.canonicalize().map_err(Error::io(&path))?;
        collection.root = path;
        collection.given = true;
        collection.text = Some(Hash::of(text.as_bytes()));
        all.replace(collection.clone())?;
        all.write(self.dir())?;
        Ok(collection)
    }

    /// Removes a collection with all its documents, and returns their number. The files that it was
    /// made from are kept, except for a text stored in the index.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`], [`Error::Locked`], and when the store cannot be written.
    pub fn remove(&mut self, name: &str) -> Result<usize> {
        let lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        let known = all.named(name).cloned();
        let name = known.as_ref().map_or(name, |known| &known.name);
        // A removal that was interrupted between the two steps continues here.
        let documents = self.forget(name, &lock).map_err(self.at())?;
        let collection = match (&known, documents) {
            (Ok(collection), _) => collection,
            (Err(_), Some(documents)) => return Ok(documents),
            (Err(_), None) => return Err(all.unknown(name)),
        };
        all.collections
            .retain(|known| known.name != collection.name);
        all.write(self.dir())?;
        if collection.given {
            let folder = self.dir().join(GIVEN).join(&collection.name);
            disk::remove(&folder).map_err(Error::io(&folder))?;
        }
        Ok(documents.unwrap_or(0))
    }
}

/// The checksum of a list of collections.
fn sum(collections: &serde_json::Value) -> String {
    Hash::of(collections.to_string().as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::OpenOptions;

    #[test]
    fn names_are_made_of_paths_and_titles() {
        let of = |path: &str| Collection::name_for(Path::new(path));
        assert_eq!(of("/home/u/My notes"), "My-notes");
        assert_eq!(of("/"), "collection");
        assert_eq!(name_of("How to: deploy?"), "How-to-deploy");
        assert_eq!(name_of("語".repeat(50).as_str()).len(), 99);
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(
            Collections::read(dir.path()).unwrap(),
            Collections::default()
        );
        let mut all = Collections::default();
        let mut notes = Collection::new("notes", "/n");
        notes.attributes.tags = vec!["daily".to_string()];
        notes.chunking.target = Some(200);
        notes.selection.ignore = vec!["drafts/".to_string()];
        all.add(notes).unwrap();
        all.add(Collection::new("api", "/a")).unwrap();
        all.write(dir.path()).unwrap();
        let read = Collections::read(dir.path()).unwrap();
        assert_eq!(read, all);
        assert_eq!(read.collections[0].name, "api");
        for name in [FILE, COPY] {
            fs::write(dir.path().join(name), "").unwrap();
            assert_eq!(Collections::read(dir.path()).is_ok(), name == FILE);
        }
        all.write(dir.path()).unwrap();
        let text = fs::read_to_string(dir.path().join(FILE)).unwrap();
        fs::write(dir.path().join(FILE), text.replace("/n", "/m")).unwrap();
        assert_eq!(Collections::read(dir.path()).unwrap(), all);
        fs::remove_file(dir.path().join(FILE)).unwrap();
        assert_eq!(Collections::read(dir.path()).unwrap(), all);
        assert_eq!(read.named("notes").unwrap().chunking.target, Some(200));
    }

    #[test]
    fn an_edit_keeps_what_has_changed_meanwhile() {
        let dir = tempfile::tempdir().unwrap();
        let notes = dir.path().join("notes");
        fs::create_dir(&notes).unwrap();
        let open = || Index::open(&dir.path().join("index"), OpenOptions::create()).unwrap();
        let (mut one, mut other) = (open(), open());
        one.add(Collection::new("notes", &notes)).unwrap();
        one.give(Collection::new("tea", "."), "tea.md", "Green.\n")
            .unwrap();
        for name in ["notes", "tea"] {
            let set = |known: &mut Collection| known.selection.ignore = vec!["drafts/".to_string()];
            other.edit(name, set).unwrap();
            let tag = |known: &mut Collection| known.attributes.tags = vec!["daily".to_string()];
            let edited = match name {
                "notes" => one.edit(name, tag).unwrap(),
                _ => one.edit_text(name, "Black.\n", tag).unwrap(),
            };
            assert_eq!(edited.selection.ignore, ["drafts/"]);
            assert_eq!(edited, Collection::named_in(one.dir(), name).unwrap());
        }
        let tea = Collection::named_in(one.dir(), "tea").unwrap();
        assert_eq!(fs::read_to_string(&tea.root).unwrap(), "Black.\n");
        assert_eq!(tea.text, Some(Hash::of(b"Black.\n")));
    }

    #[test]
    fn a_name_is_given_once_and_is_plain() {
        let mut all = Collections::default();
        all.add(Collection::new("notes", "/n")).unwrap();
        let refused = |all: &mut Collections, name: &str, root: &str| {
            all.add(Collection::new(name, root))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused(&mut all, "notes", "/m"),
            "collection `notes` already exists for `/n`: choose another name with `--name`, or run `excerpt remove notes` first"
        );
        assert_eq!(
            refused(&mut all, "other", "/n"),
            "`/n` is already the collection `notes`: search it with `-c notes`, change it with `excerpt edit notes`, or add it again with `--replace`"
        );
        assert_eq!(
            refused(&mut all, "a/b", "/m"),
            "invalid collection name `a/b`: try `a-b`"
        );
        assert_eq!(all.free("notes"), "notes-2");
        assert_eq!(all.free("other"), "other");
        let unknown = all.named("note").unwrap_err().to_string();
        assert_eq!(unknown, "unknown collection `note`, expected `notes`");
    }
}
