//! Adding, replacing and removing collections.

use excerpt_chunk::Hash;

use super::Index;
use crate::fs::lock::WriteLock;
use crate::fs::{disk, layout};
use crate::library::{Collections, is_same, name_of};
use crate::model::{Collection, Error, Result};

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
    pub fn add_text(
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
    /// As [`Index::add_text`], and [`Error::NameTaken`] when the collection of that name is not
    /// such a text.
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
        let file = match known.find(|known| is_same(&known.name, &collection.name)) {
            Some(known) => {
                collection.name.clone_from(&known.name);
                known.given_file()?
            }
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
        let folder = self.dir().join(layout::TEXTS).join(&collection.name);
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
        let documents = self.with(|open| open.forget(name, &lock))?;
        let collection = match (&known, documents) {
            (Ok(collection), _) => collection,
            (Err(_), Some(documents)) => return Ok(documents),
            (Err(_), None) => return Err(all.unknown(name)),
        };
        all.collections
            .retain(|known| known.name != collection.name);
        all.write(self.dir())?;
        if collection.given {
            let folder = self.dir().join(layout::TEXTS).join(&collection.name);
            disk::remove(&folder).map_err(Error::io(&folder))?;
        }
        Ok(documents.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::index::OpenOptions;

    #[test]
    fn an_edit_keeps_what_has_changed_meanwhile() {
        let dir = tempfile::tempdir().unwrap();
        let notes = dir.path().join("notes");
        fs::create_dir(&notes).unwrap();
        let open = || Index::open(&dir.path().join("index"), OpenOptions::create()).unwrap();
        let (mut one, mut other) = (open(), open());
        one.add(Collection::new("notes", &notes)).unwrap();
        one.add_text(Collection::new("tea", "."), "tea.md", "Green.\n")
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
}
