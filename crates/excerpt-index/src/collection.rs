//! The collections of an index: what was added to it by name, each with its own cut, files and attributes. They are kept in one plain file beside the
//! database, and texts given without a file in files of ours, so that all else can be made again from them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use excerpt_chunk::Settings;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::index::Index;
use crate::lock::WriteLock;
use crate::model::{Attributes, SyncOptions};
use crate::source::{Files, Selection};

/// The file with the collections of an index.
pub(crate) const FILE: &str = "collections.json";

/// The folder of the texts that were given without a file.
pub(crate) const GIVEN: &str = "given";

/// The longest name of a collection, in bytes: a file name has room for it.
const LONGEST_NAME: usize = 100;

/// A part of an index with a name: a folder, a file, or a text that was given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Collection {
    /// What it is called.
    pub name: String,
    /// The folder or file, by its absolute path.
    pub root: PathBuf,
    /// How its documents are cut, as far as it was said when it was added.
    pub chunking: Settings,
    /// Which of its files are documents.
    pub selection: Selection,
    /// What is said of all its documents.
    pub attributes: Attributes,
    /// Whether the text was given, and lies in the index itself.
    pub given: bool,
}

impl Collection {
    /// The folder or file at `root` under a name.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Collection {
            name: name.into(),
            root: root.into(),
            ..Collection::default()
        }
    }

    /// How it is brought in step by [`Index::sync`]. What was not said of the cut and the files when it was added comes from `chunking` and `selection`.
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

    /// The collections of the index in `dir`, by name; none when there is no index.
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

    /// The name that a text gets that is given to the index in `dir` under the name `wanted`.
    ///
    /// # Errors
    ///
    /// When the list of collections cannot be read.
    pub fn free_in(dir: &Path, wanted: &str) -> Result<String> {
        Ok(Collections::read(dir)?.free(&name_of(wanted)))
    }

    /// A name for what is at `root`, made of the path.
    #[must_use]
    pub fn name_for(root: &Path) -> String {
        let mut parts = root.components().filter_map(|part| match part {
            Component::Normal(part) => part.to_str(),
            _ => None,
        });
        name_of(parts.next_back().unwrap_or_default())
    }
}

/// What `text` is as a name: letters, digits and marks that need no quotes.
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Collections {
    pub(crate) collections: Vec<Collection>,
}

impl Collections {
    /// Reads those of the index in `dir`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is not one of ours.
    pub(crate) fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::io(&path)(error)),
        };
        serde_json::from_str(&text).map_err(|source| Error::Collections { path, source })
    }

    /// Keeps them, in place of what was kept before; a process that ends meanwhile leaves one or the other.
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|source| Error::Collections {
            path: dir.join(FILE),
            source,
        })?;
        replace(&dir.join(FILE), text.as_bytes())
    }

    /// The collection of that name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`] with the names that there are.
    pub(crate) fn named(&self, name: &str) -> Result<&Collection> {
        let mut all = self.collections.iter();
        let found = all.find(|collection| collection.name == name);
        found.ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn unknown(&self, name: &str) -> Error {
        let names = self.collections.iter().map(|known| known.name.clone());
        Error::UnknownCollection {
            name: name.to_string(),
            names: names.collect(),
        }
    }

    /// Adds a collection under a name that no other has.
    ///
    /// # Errors
    ///
    /// [`Error::NameTaken`], and [`Error::CollectionName`] for what is no name.
    pub(crate) fn add(&mut self, collection: Collection) -> Result<()> {
        let name = &collection.name;
        if name.is_empty() || *name != name_of(name) {
            return Err(Error::CollectionName {
                name: name.clone(),
                closest: name_of(name),
            });
        }
        let taken = |known: &&Collection| known.name == *name || known.root == collection.root;
        if let Some(known) = self.collections.iter().find(taken) {
            return Err(Error::NameTaken {
                name: known.name.clone(),
                root: known.root.clone(),
            });
        }
        self.collections.push(collection);
        self.collections.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }

    /// A name like `wanted` that no collection has.
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
    /// Adds a collection. Its documents come with the next [`sync`](Index::sync) of its root by its [`options`](Collection::options).
    ///
    /// # Errors
    ///
    /// [`Error::Source`] when its root cannot be read, [`Error::NameTaken`], [`Error::CollectionName`], [`Error::Pattern`], [`Error::Config`] when it
    /// cannot be cut like that, and [`Error::Locked`].
    pub fn add(&mut self, mut collection: Collection) -> Result<()> {
        let files = Files::selected(&collection.root, &collection.selection)?;
        collection.root = files.path().to_path_buf();
        excerpt_grammars::chunker(collection.chunking.config())?;
        let _lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        all.add(collection)?;
        all.write(self.dir())
    }

    /// Adds a text that is in no file. It is kept as the file `file` in the index; `collection` says all but its root, which becomes that of the file. A
    /// name that another collection has gets a number.
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
        let lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        collection.name = all.free(&name_of(&collection.name));
        let folder = self.dir().join(GIVEN).join(&collection.name);
        let path = folder.join(name_of(file));
        replace(&path, text.as_bytes())?;
        let path = path.canonicalize().map_err(Error::io(&path))?;
        collection.root = path;
        collection.given = true;
        all.add(collection.clone())?;
        all.write(self.dir())?;
        drop(lock);
        Ok(collection)
    }

    /// Removes a collection with all its documents; the files that it was made of stay, but for a text that was given. Returns how many documents that
    /// were.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`], [`Error::Locked`], and when the store cannot be written.
    pub fn remove(&mut self, name: &str) -> Result<usize> {
        let lock = WriteLock::acquire(self.dir())?;
        let mut all = Collections::read(self.dir())?;
        let known = all.named(name).cloned();
        // What was cut off between the two is taken up here.
        let documents = self.forget(name, &lock).map_err(self.at())?;
        let collection = match (known, documents) {
            (Ok(collection), _) => collection,
            (Err(_), Some(documents)) => return Ok(documents),
            (Err(unknown), None) => return Err(unknown),
        };
        all.collections.retain(|known| known.name != name);
        all.write(self.dir())?;
        if collection.given {
            let folder = self.dir().join(GIVEN).join(&collection.name);
            fs::remove_dir_all(&folder).map_err(Error::io(&folder))?;
        }
        Ok(documents.unwrap_or(0))
    }
}

/// Writes a file in place of another: whoever reads it finds all of one of them.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let mut aside = tempfile::NamedTempFile::new_in(folder).map_err(Error::io(folder))?;
    let written = aside
        .write_all(bytes)
        .and_then(|()| aside.as_file().sync_all());
    written.map_err(Error::io(path))?;
    aside
        .persist(path)
        .map_err(|error| Error::io(path)(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(read.named("notes").unwrap().chunking.target, Some(200));
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
            "`notes` is the collection of `/n` already: give another `--name`, or `excerpt remove notes` first"
        );
        assert!(refused(&mut all, "other", "/n").contains("`notes` is the collection of `/n`"));
        assert_eq!(
            refused(&mut all, "a/b", "/m"),
            "`a/b` cannot be a collection's name: try `a-b`"
        );
        assert_eq!(all.free("notes"), "notes-2");
        assert_eq!(all.free("other"), "other");
        let unknown = all.named("note").unwrap_err().to_string();
        assert_eq!(unknown, "there is no collection `note`, only `notes`");
    }
}
