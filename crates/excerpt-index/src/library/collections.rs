//! The collections of an index: what was added to it by name, each with its own chunking, files and
//! attributes. They are stored in a plain file next to the database, and texts added without a file
//! are stored as files in the index, so that everything else can be rebuilt from them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path};

use excerpt_chunk::Hash;
use serde::{Deserialize, Serialize};

use crate::fs::lock::WriteLock;
use crate::fs::{disk, layout};
use crate::model::{Collection, Error, Result};
use crate::source::{Files, Origin};
use crate::store::Database;

/// The longest name of a collection, in bytes, so that it fits into a file name.
const LONGEST_NAME: usize = 100;

impl Collection {
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
    pub(crate) fn check(&mut self) -> Result<()> {
        if Origin::of(&self.root).is_remote() {
            self.selection.check()?;
        } else {
            let files = Files::selected(&self.root, &self.selection)?;
            self.root = files.path().to_path_buf();
        }
        excerpt_grammars::chunker(self.chunking.config())?;
        Ok(())
    }

    /// The name of the file with its text.
    ///
    /// # Errors
    ///
    /// [`Error::NameTaken`] when it is not a text that is stored in the index itself.
    pub(crate) fn given_file(&self) -> Result<String> {
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

/// Whether two names are the same to a user, and to a file system that ignores case.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
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
struct CollectionsFile {
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
        let first = Self::read_file(&dir.join(layout::COLLECTIONS));
        if let Ok(Some(all)) = first {
            return Ok(all);
        }
        match Self::read_file(&dir.join(layout::COLLECTIONS_COPY)) {
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
        let kept: CollectionsFile = serde_json::from_str(&text).map_err(damaged)?;
        if kept.sum.is_some() && kept.sum != Some(sum(&kept.collections)) {
            return Err(Error::damaged(path, "its checksum does not match"));
        }
        let collections = serde_json::from_value(kept.collections).map_err(damaged)?;
        let mut all = Collections { collections };
        all.follow(path.parent().unwrap_or(path));
        Ok(Some(all))
    }

    /// Finds stored texts in the index in `dir` when it was moved, or restored at another place:
    /// their roots are paths of the place where they were added.
    fn follow(&mut self, dir: &Path) {
        // The folder of the index may be reached by a link, but none inside it is followed.
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
        let given = dir.join(layout::TEXTS);
        for collection in self.collections.iter_mut().filter(|known| known.given) {
            let is_elsewhere = !collection.root.starts_with(&given);
            let file = collection.root.file_name();
            let folder = collection.root.parent().and_then(Path::file_name);
            if let (true, Some(folder), Some(file)) = (is_elsewhere, folder, file) {
                collection.root = given.join(folder).join(file);
            }
        }
    }

    /// Stores them, replacing what was stored before. A process that is killed meanwhile leaves one
    /// or the other.
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(layout::COLLECTIONS);
        let damaged = |error: serde_json::Error| Error::damaged(&path, error);
        let collections = serde_json::to_value(&self.collections).map_err(damaged)?;
        let kept = CollectionsFile {
            sum: Some(sum(&collections)),
            collections,
        };
        let text = serde_json::to_string_pretty(&kept).map_err(damaged)?;
        for path in [&path, &dir.join(layout::COLLECTIONS_COPY)] {
            disk::replace(path, text.as_bytes()).map_err(Error::io(path))?;
        }
        Ok(())
    }

    /// Rewrites the file, or its copy, if one of them is lost or damaged and the other is not.
    pub(crate) fn repair(dir: &Path, _lock: &WriteLock) -> Result<()> {
        let [first, copy] = [layout::COLLECTIONS, layout::COLLECTIONS_COPY]
            .map(|name| Self::read_file(&dir.join(name)));
        match (first, copy) {
            (Ok(None), Ok(None)) => Ok(()),
            (Ok(Some(first)), Ok(Some(copy))) if first == copy => Ok(()),
            (Ok(Some(all)), _) | (_, Ok(Some(all))) => all.write(dir),
            _ => Ok(()),
        }
    }

    /// Recovers what is left when neither the file nor its copy can be read: the names and roots in
    /// the database, and the stored texts.
    pub(crate) fn recover(dir: &Path, database: Option<&Database>, lock: &WriteLock) -> Result<()> {
        if Self::read(dir).is_ok() {
            return Self::repair(dir, lock);
        }
        let mut all = Collections::default();
        let given = dir.join(layout::TEXTS);
        let given = given.canonicalize().unwrap_or(given);
        for (name, root) in database.map(Database::named_roots).unwrap_or_default() {
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
        let path = dir.join(layout::COLLECTIONS);
        let aside = dir.join(layout::DAMAGED_COLLECTIONS);
        disk::remove(&aside).map_err(Error::io(&aside))?;
        let _ = fs::rename(&path, &aside);
        all.write(dir)
    }

    /// Restores the files of stored texts from the database where they are lost or damaged: all of
    /// them, or the one at `root`.
    pub(crate) fn restore(
        &self,
        dir: &Path,
        root: Option<&Path>,
        database: &Database,
    ) -> Result<()> {
        for (collection, hash) in self.damaged_texts(root) {
            let Ok(text) = database.text(hash) else {
                continue;
            };
            let given = dir.join(layout::TEXTS);
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
        let [path, copy] =
            [layout::COLLECTIONS, layout::COLLECTIONS_COPY].map(|name| dir.join(name));
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
        let all = || self.collections.iter();
        let exact = all().find(|collection| collection.name == name);
        // An older version could give two collections names that differ only in case.
        let found = exact.or_else(|| all().find(|collection| is_same(&collection.name, name)));
        found.ok_or_else(|| self.unknown(name))
    }

    /// Checks that the collection of that name, perhaps renamed since, was not removed.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCollection`] when no collection has this root.
    pub(crate) fn check_known(&self, name: &str, root: &Path) -> Result<()> {
        match self.collections.iter().any(|known| known.root == root) {
            true => Ok(()),
            false => Err(self.unknown(name)),
        }
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
        if let Some(known) = known.find(|known| is_same(&known.name, name)) {
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
    pub(crate) fn replace(&mut self, collection: Collection) -> Result<()> {
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
        let taken = self.collections.iter();
        let taken: BTreeSet<String> = taken.map(|known| known.name.to_lowercase()).collect();
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        let mut names = [wanted.to_string()].into_iter().chain(numbered);
        names
            .find(|name| !taken.contains(&name.to_lowercase()))
            .unwrap_or_default()
    }
}

/// The checksum of a list of collections.
fn sum(collections: &serde_json::Value) -> String {
    Hash::of(collections.to_string().as_bytes()).to_string()
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
    fn added_texts_are_found_after_the_index_was_moved() {
        let places = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| places.path().join(name));
        fs::create_dir(&old).unwrap();
        let old = old.canonicalize().unwrap();
        let mut all = Collections::default();
        let file = Path::new("lesson/lesson.md");
        let mut lesson = Collection::new("lesson", old.join(layout::TEXTS).join(file));
        lesson.given = true;
        all.add(lesson).unwrap();
        all.add(Collection::new("notes", "/n")).unwrap();
        all.write(&old).unwrap();
        assert_eq!(Collections::read(&old).unwrap(), all);
        fs::rename(&old, &new).unwrap();
        let read = Collections::read(&new).unwrap();
        let new = new.canonicalize().unwrap();
        let roots: Vec<&Path> = read.collections.iter().map(|known| &*known.root).collect();
        let given = new.join(layout::TEXTS).join(file);
        assert_eq!(roots, [&*given, Path::new("/n")]);
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
        for name in [layout::COLLECTIONS, layout::COLLECTIONS_COPY] {
            fs::write(dir.path().join(name), "").unwrap();
            assert_eq!(
                Collections::read(dir.path()).is_ok(),
                name == layout::COLLECTIONS
            );
        }
        all.write(dir.path()).unwrap();
        let text = fs::read_to_string(dir.path().join(layout::COLLECTIONS)).unwrap();
        fs::write(
            dir.path().join(layout::COLLECTIONS),
            text.replace("/n", "/m"),
        )
        .unwrap();
        assert_eq!(Collections::read(dir.path()).unwrap(), all);
        fs::remove_file(dir.path().join(layout::COLLECTIONS)).unwrap();
        assert_eq!(Collections::read(dir.path()).unwrap(), all);
        assert_eq!(read.named("notes").unwrap().chunking.target, Some(200));
    }

    #[test]
    fn of_two_names_that_differ_in_case_the_exact_one_is_meant() {
        let of = |name: &str| Collection::new(name, format!("/{name}"));
        let all = Collections {
            collections: vec![of("Notes"), of("notes")],
        };
        for name in ["Notes", "notes"] {
            assert_eq!(all.named(name).unwrap().name, name);
        }
        assert_eq!(all.named("NOTES").unwrap().name, "Notes");
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
            "collection `notes` already exists for `/n`"
        );
        assert_eq!(
            refused(&mut all, "other", "/n"),
            "`/n` is already the collection `notes`"
        );
        assert_eq!(
            refused(&mut all, "a/b", "/m"),
            "invalid collection name `a/b`: try `a-b`"
        );
        assert!(refused(&mut all, "Notes", "/m").starts_with("collection `notes` already exists"));
        assert_eq!(all.free("Notes"), "Notes-2");
        assert_eq!(all.free("notes"), "notes-2");
        assert_eq!(all.free("other"), "other");
        let unknown = all.named("note").unwrap_err().to_string();
        assert_eq!(unknown, "unknown collection `note`, expected `notes`");
    }
}
