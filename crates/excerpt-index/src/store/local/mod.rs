//! The store on this disk: the [`Database`], a SQLite database, and the [`Lexical`] index in
//! tantivy, which is derived from it and kept up to date.
//!
//! A change is first committed to the database under the next `rev`. [`Store::catch_up`] then
//! updates the keyword index with everything that changed after the `rev` of its own last commit.
//! It is never filled in any other way, so the same code handles a process that ends between the
//! two commits, a keyword index that was removed, and the first sync.

mod any_of;
mod blocks;
mod cache;
mod catalog;
mod codes;
mod collect;
mod database;
mod derived;
mod error;
mod facet;
pub(crate) mod generation;
mod guard;
mod keywords;
mod ledger;
mod lexical;
mod link;
mod list;
mod merging;
mod places;
mod read;
#[cfg(test)]
mod recall;
mod repair;
mod respelling;
mod schema;
mod seal;
mod snapshot;
mod sql;
mod statistics;
mod sum;
mod tokenizer;
mod vectors;
mod waiting;
mod write;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::StoreError;
use crate::analysis;
use crate::fs::disk;
use crate::fs::layout::{self, DATABASE, LEXICAL, ROOTS};
use crate::fs::lock::WriteLock;
use crate::model::{Error, Keywords, Result, Revision};

pub(crate) use cache::{CacheKey, NumberCache};
use codes::Codes;
pub(crate) use database::Database;
pub use guard::silence_recovered_panics;
pub(crate) use lexical::Lexical;
use lexical::{Merges, Stamp, Trust};
pub(crate) use repair::Repair;

/// How many ids of changed documents are in memory at once while the keyword index is updated.
const PAGE: usize = 256;

/// How often to retry when a writer may be replacing something.
const LOOKS: usize = 3;

/// Database and keyword index of one index directory.
pub(crate) struct Store {
    pub(crate) database: Database,
    /// The index directory.
    home: PathBuf,
    /// The folder of this generation of it.
    dir: PathBuf,
    /// `None` while it is missing, damaged, or derived from something else.
    lexical: Option<Lexical>,
    /// Whether a large change of this process has left segments of it to merge.
    is_unmerged: bool,
    /// `None` while they are missing, damaged, or derived from something else.
    codes: Option<Codes>,
    /// Whether the seal of the keyword index is not trusted.
    distrusted: bool,
}

impl Store {
    /// Opens the index in `dir`, or creates it.
    ///
    /// # Errors
    ///
    /// [`Error::NotAnIndex`] for a folder with other contents, and as [`Database::create`].
    pub(crate) fn create(home: &Path) -> Result<Self> {
        let dir = generation::served(home);
        let database = dir.join(DATABASE);
        let is_new = disk::is_regular(&database)
            .map_err(Error::io(&database))?
            .is_none();
        if is_new {
            disk::create_dir_all(home).map_err(Error::io(home))?;
            // The remains of an index without its database may stay: they are rebuilt. Another
            // process may have started to create the index meanwhile.
            if !layout::holds_index_alone(home)
                && disk::is_regular(&database).is_ok_and(|is| is.is_none())
            {
                return Err(Error::NotAnIndex { path: home.into() });
            }
        }
        let opened = database_in(home, &dir, || Database::create(&database))?;
        let store = Store::new(home, &dir, opened)?;
        if is_new {
            make_private(home);
        }
        Ok(store)
    }

    /// Opens the index in `dir`.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] when there is none, and as [`Database::open`].
    pub(crate) fn open(home: &Path) -> Result<Self> {
        if !generation::exists(home) {
            return Err(match generation::was_index(home) {
                true => Error::damaged(&home.join(DATABASE), "it is missing"),
                false => Error::NotFound { path: home.into() },
            });
        }
        // The generation that was just named may be gone when it is opened: then another one is
        // named.
        let mut opened = Store::at(home, &generation::served(home));
        for _ in 1..LOOKS {
            if opened.is_ok() {
                break;
            }
            opened = Store::at(home, &generation::served(home));
        }
        opened
    }

    /// The generation in the folder `dir`.
    fn at(home: &Path, dir: &Path) -> Result<Self> {
        let database = dir.join(DATABASE);
        Store::new(
            home,
            dir,
            database_in(home, dir, || Database::open(&database))?,
        )
    }

    fn new(home: &Path, dir: &Path, database: Database) -> Result<Self> {
        let mut store = Store {
            database,
            home: home.to_path_buf(),
            dir: dir.to_path_buf(),
            lexical: None,
            is_unmerged: false,
            codes: None,
            distrusted: false,
        };
        if !disk::is_private(&store.dir.join(DATABASE)) {
            make_private(home);
        }
        let checks = [Database::check_revisions, Database::verify_if_changed];
        for check in checks {
            check(&store.database).map_err(|fault| fault.at(dir))?;
        }
        store.load().map_err(|fault| fault.at(dir))?;
        store.load_codes().map_err(|fault| fault.at(dir))?;
        Ok(store)
    }

    /// The index directory.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The folder of the keyword index.
    pub(crate) fn lexical_folder(&self) -> PathBuf {
        self.dir.join(LEXICAL)
    }

    /// The keyword index, if there is one to search.
    pub(crate) fn lexical(&self) -> Option<&Lexical> {
        self.lexical.as_ref()
    }

    /// The state of the keyword index.
    pub(crate) fn keywords(&self) -> Result<Keywords, StoreError> {
        let rev = self.database.rev()?;
        Ok(match &self.lexical {
            Some(lexical) if lexical.stamp().rev == rev => Keywords::InStep,
            // An index without documents is up to date.
            None if rev == Revision::default() => Keywords::InStep,
            Some(_) => Keywords::Behind,
            None => Keywords::Missing,
        })
    }

    /// How many documents the keyword index does not have in their current version.
    pub(crate) fn unfollowed(&self) -> Result<usize, StoreError> {
        self.database.changed_count(self.followed_rev())
    }

    /// How many it has in their current version.
    pub(crate) fn followed(&self) -> Result<usize, StoreError> {
        self.database.unchanged_count(self.followed_rev())
    }

    fn followed_rev(&self) -> Revision {
        let lexical = self.lexical.as_ref();
        lexical.map_or(Revision::default(), |lexical| lexical.stamp().rev)
    }

    /// Picks up what another process may have changed.
    pub(crate) fn refresh(&mut self) -> Result<Keywords, StoreError> {
        let is_served = self.is_aside() || generation::served(&self.home) == self.dir;
        if !is_served || !self.database.is_in_place() {
            *self = Store::open(&self.home)?;
        }
        // There may be space on the disk again.
        if self.database.is_frozen()
            && let Ok(database) = Database::open_to_write(&self.dir.join(DATABASE))
        {
            self.database = database;
        }
        if self.keywords()? != Keywords::InStep {
            let reloaded = self
                .lexical
                .as_mut()
                .is_some_and(|lexical| lexical.reload().is_ok());
            if !reloaded || !self.fits()? {
                self.load()?;
            }
        }
        self.refresh_codes()?;
        self.keywords()
    }

    /// Treats the keyword index as possibly damaged: its files are read in full before it is used
    /// again.
    pub(crate) fn distrust(&mut self) {
        self.lexical = None;
        self.distrusted = true;
    }

    /// Discards the keyword index: it is rebuilt, whatever the state of its files.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while another process writes.
    pub(crate) fn discard(&mut self) -> Result<(), StoreError> {
        let _lock = WriteLock::acquire(&self.dir)?;
        self.lexical = None;
        Ok(disk::remove(&self.lexical_folder())?)
    }

    /// Whether every existing derived file is up to date, so that everything it names is in the
    /// database.
    pub(crate) fn is_whole(&self) -> Result<bool, StoreError> {
        let rev = self.database.rev()?;
        let lexical = self.lexical.as_ref().map(|lexical| lexical.stamp().rev);
        let codes = self.codes.as_ref().map(|codes| codes.stamp().rev);
        Ok([lexical, codes].iter().flatten().all(|held| *held == rev))
    }

    /// Opens the keyword index, if it can be used.
    ///
    /// A writer removes files that its last commit no longer needs, perhaps the very ones that are
    /// read here, so this retries before treating the index as damaged.
    fn load(&mut self) -> Result<(), StoreError> {
        for _ in 0..LOOKS {
            self.lexical = None;
            let path = self.lexical_folder();
            if !path.is_dir() {
                return Ok(());
            }
            let trust = match self.distrusted {
                true => Trust::Nothing,
                false => Trust::Sealed,
            };
            let seal = self.database.lexical_seal()?;
            if let Ok(lexical) = Lexical::open(&path, &seal, trust) {
                self.lexical = Some(lexical);
                self.distrusted = false;
                break;
            }
        }
        if !self.fits()? || !self.holds_all()? {
            self.lexical = None;
        }
        Ok(())
    }

    /// Whether the keyword index has the chunks that its stamp implies. tantivy has no checksum
    /// over its list of files; as long as that is sealed, it is right.
    fn holds_all(&self) -> Result<bool, StoreError> {
        let Some(lexical) = self.lexical.as_ref().filter(|lexical| !lexical.is_sealed()) else {
            return Ok(true);
        };
        let rev = lexical.stamp().rev;
        let Ok(held) = lexical.chunk_counts() else {
            return Ok(false);
        };
        let database = self.database.chunk_counts()?;
        let mut followed = database.iter().filter(|(_, (changed, _))| *changed <= rev);
        Ok(followed.all(|(document, (changed, chunks))| {
            let found = held.get(&(*document, *changed));
            found.copied().unwrap_or_default() == *chunks
        }))
    }

    /// The database of the index in `home`, in whatever state, if SQLite can open it.
    pub(crate) fn remains(home: &Path) -> Option<Database> {
        let dir = generation::served(home);
        let database = dir.join(DATABASE);
        let is_there = disk::is_regular(&database).is_ok_and(|is| is == Some(true));
        let open = || Database::open(&database);
        is_there
            .then(|| database_in(home, &dir, open).ok())
            .flatten()
    }

    /// Writes the roots of the sources to a file next to the database.
    pub(crate) fn note_roots(&self) -> Result<(), StoreError> {
        let sources = self.database.sources()?.into_iter();
        let roots: Vec<String> = sources
            .map(|source| source.id.as_str().to_string())
            .collect();
        let json = serde_json::to_string_pretty(&roots)?;
        let path = self.home.join(ROOTS);
        match disk::read(&path) {
            Ok(Some(kept)) if kept == json => Ok(()),
            _ => Ok(disk::replace(&path, json.as_bytes())?),
        }
    }

    /// Whether the keyword index belongs to this database and can be updated from its current
    /// state.
    fn fits(&self) -> Result<bool, StoreError> {
        let Some(lexical) = &self.lexical else {
            return Ok(false);
        };
        let stamp = lexical.stamp();
        let range = self.database.pruned()?..=self.database.rev()?;
        Ok(stamp.store == self.database.id()?
            && stamp.analysis == analysis::VERSION
            && range.contains(&stamp.rev))
    }

    /// Updates the keyword index, if this process may write. Returns whether it was lost and has
    /// been rebuilt.
    pub(crate) fn update_keywords(&mut self) -> Result<bool, StoreError> {
        let lock = WriteLock::acquire(&self.home)?;
        let lost = self.refresh_locked(&lock)?;
        self.catch_up_entirely(&lock)?;
        Ok(lost)
    }

    /// Updates the keyword index from the database, and merges what that leaves.
    pub(crate) fn catch_up_entirely(&mut self, lock: &WriteLock) -> Result<(), StoreError> {
        let mut go_on = |_, _| ControlFlow::Continue(());
        let _done = self.catch_up(lock, &mut go_on)?;
        let _merged = self.merge(None, &mut go_on)?;
        Ok(())
    }

    /// Refreshes once the lock is held, since the previous holder may have changed everything.
    /// Returns whether the keyword index is lost: it existed once and does not exist now.
    pub(crate) fn refresh_locked(&mut self, _lock: &WriteLock) -> Result<bool, StoreError> {
        let missing = self.refresh()? == Keywords::Missing;
        if self.database.is_frozen() {
            let path = self.home.clone();
            return Err(StoreError::Told(Error::Full { path }));
        }
        // What is about to be written would make the damage look like a change of ours.
        self.database.verify_if_changed()?;
        Ok(missing && self.database.lexical_seal()?.metadata.is_some())
    }

    /// Updates the keyword index from the database, and rebuilds it if that fails. `progress`
    /// receives how many of how many documents are done, and may cancel: what is done by then is
    /// kept. What a large change leaves is [to be merged](merging).
    pub(crate) fn catch_up(
        &mut self,
        _lock: &WriteLock,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, StoreError> {
        let path = self.lexical_folder();
        let target = self.database.rev()?;
        let stamp = self.lexical.as_ref().map(Lexical::stamp);
        if stamp.is_some_and(|stamp| stamp.rev == target) {
            return Ok(ControlFlow::Continue(()));
        }
        // Damaged data must not get into new files, and tantivy aborts the process on some of it,
        // so what may be merged is read before anything is written.
        let seal = self.database.lexical_seal()?;
        let sound = match stamp.map(|stamp| stamp.rev) {
            Some(rev) => {
                let trust = match self.merges_since(rev)? {
                    Merges::Small => Trust::SealedButSmall,
                    _ => Trust::Nothing,
                };
                Lexical::open(&path, &seal, trust).ok()
            }
            None => None,
        };
        let mut lexical = match sound {
            Some(lexical) => lexical,
            None => {
                // Once the keyword index is rebuilt, nothing would show what the database has lost.
                if self.database.lexical_seal()?.metadata.is_some() {
                    self.database.verify()?;
                }
                Lexical::create(&path, self.stamp(Revision::default())?)?
            }
        };
        let (stamp, flow) = match self.follow(&lexical, progress) {
            // It can be read but not written: a rebuild repairs that, too, unless nothing is wrong
            // with what is there.
            Err(fault @ StoreError::Derived { .. }) => {
                if let Ok(sound) = Lexical::open(&path, &seal, Trust::Nothing) {
                    self.lexical = Some(sound);
                    return Err(fault);
                }
                lexical = Lexical::create(&path, self.stamp(Revision::default())?)?;
                self.follow(&lexical, progress)?
            }
            followed => followed?,
        };
        lexical.reload()?;
        self.database.set_lexical_seal(&lexical.seal(&path)?)?;
        self.database.prune(stamp.rev)?;
        self.lexical = Some(lexical);
        Ok(flow)
    }

    /// How segments are merged when the keyword index catches up from `rev`.
    fn merges_since(&self, rev: Revision) -> Result<Merges, StoreError> {
        let changed = self.database.changed_count(rev)?;
        let removed = self.database.removed(rev)?.len();
        Ok(Merges::of_change(changed + removed))
    }

    /// Writes what changed after the stamp of `lexical`, and returns its new stamp.
    fn follow(
        &mut self,
        lexical: &Lexical,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<(Stamp, ControlFlow<()>), StoreError> {
        let target = self.database.rev()?;
        let mut rev = lexical.stamp().rev;
        let mut flow = ControlFlow::Continue(());
        let (mut done, total) = (0, self.database.changed_count(rev)?);
        let removed = self.database.removed(rev)?;
        let merges = Merges::of_change(total + removed.len());
        self.is_unmerged |= merges == Merges::Later;
        let mut writer = lexical.writer(merges)?;
        for document in removed {
            writer.remove(document);
        }
        loop {
            let page = self.database.changed(rev, PAGE)?;
            if page.is_empty() {
                rev = target;
                break;
            }
            for (id, changed) in page {
                if let Some(document) = self.database.document(id)? {
                    writer.put(
                        &document,
                        &self.database.text(document.text)?,
                        &self.database.chunks(id)?,
                    )?;
                }
                rev = changed;
                done += 1;
            }
            flow = progress(done, total);
            if flow.is_break() {
                break;
            }
        }
        let stamp = self.stamp(rev)?;
        writer.commit(&stamp)?;
        // A cancelled sync does not wait for small segments to be merged: a later writer does that.
        if flow.is_continue() {
            writer.finish()?;
        }
        Ok((stamp, flow))
    }

    fn stamp(&self, rev: Revision) -> Result<Stamp, StoreError> {
        Ok(Stamp {
            store: self.database.id()?,
            analysis: analysis::VERSION,
            rev,
        })
    }

    /// The size of the index on disk in bytes.
    pub(crate) fn disk_bytes(&self) -> u64 {
        disk::bytes_in(&self.home)
    }
}

/// What is wrong with the files of the index in `home`, as far as that is visible without reading
/// the database.
pub(crate) fn faults(home: &Path) -> Vec<Error> {
    let mut faults = Vec::new();
    let mut found = |path: &Path, what: &'static str| faults.push(Error::damaged(path, what));
    if let Some(what) = generation::pointer_fault(home) {
        found(&home.join(layout::POINTER), what);
    }
    let dir = generation::served(home);
    let files = ["", "-wal", "-shm", "-seal"].map(|end| dir.join(format!("{DATABASE}{end}")));
    let beside = [layout::CODES, layout::NEWER_CODES, layout::NEXT_CODES];
    let beside = beside.map(|name| dir.join(name));
    let own =
        [layout::LOCK, ROOTS, layout::REPOSITORY, layout::JOURNAL].map(|name| home.join(name));
    for path in files.iter().chain(&beside).chain(&own) {
        if disk::is_obstructed(path) {
            found(path, "it is not a regular file");
        }
    }
    let roots = home.join(ROOTS);
    if let Ok(Some(json)) = disk::read(&roots)
        && serde_json::from_str::<Vec<PathBuf>>(&json).is_err()
    {
        found(&roots, "it is no list of sources");
    }
    let folders = [layout::ASIDE, layout::ANEW, layout::TEXTS];
    let folders = folders.map(|name| home.join(name));
    for path in folders.iter().chain([&dir.join(LEXICAL)]) {
        if fs::symlink_metadata(path).is_ok_and(|it| !it.is_dir()) {
            found(path, "it is not a folder");
        }
    }
    faults
}

/// The roots of the sources in the file next to the database; empty if it cannot be read.
pub(crate) fn noted_roots(home: &Path) -> Vec<PathBuf> {
    let json = disk::read(&home.join(ROOTS)).ok().flatten();
    let roots = json.and_then(|json| serde_json::from_str(&json).ok());
    roots.unwrap_or_default()
}

/// Makes the index in `home` private, including the folder itself unless it contains other files.
fn make_private(home: &Path) {
    let is_ours = |name: &str| layout::is_ours(name);
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_ours) {
            disk::make_private(&entry.path());
        }
    }
    if layout::holds_index_alone(home) {
        disk::make_folder_private(home);
    }
}

/// Opens the database in the folder `dir` of the index directory `home`. A database that seems to
/// be foreign or missing was ours if other parts of an index are there.
fn database_in(
    home: &Path,
    dir: &Path,
    open: impl FnOnce() -> Result<Database>,
) -> Result<Database> {
    let database = dir.join(DATABASE);
    let was_ours = || generation::was_index(home);
    for end in ["", "-wal", "-shm", "-journal"] {
        let path = dir.join(format!("{DATABASE}{end}"));
        if disk::is_obstructed(&path) {
            return Err(match was_ours() {
                true => Error::damaged(&path, "it is not a regular file"),
                false => Error::Foreign { path },
            });
        }
    }
    // SQLite treats a file without a whole page as new and removes the log next to it.
    let is_empty = fs::metadata(&database).is_ok_and(|file| file.len() < 512);
    if is_empty && dir.join(LEXICAL).is_dir() {
        return Err(Error::damaged(&database, "it is empty"));
    }
    match open() {
        Err(Error::Foreign { path }) if was_ours() => Err(Error::damaged(
            &path,
            "its first page is not that of an index",
        )),
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::StaticTable;
    use crate::model::Filter;
    use crate::store::catalog::Catalog;
    use crate::store::conformance::{TestStore, conforms};
    use crate::store::ledger::Ledger;
    use crate::store::snapshot::Snapshot;

    struct Local<'a> {
        store: Store,
        lock: &'a WriteLock,
    }

    impl TestStore for Local<'_> {
        fn ledger(&mut self) -> Box<dyn Ledger + '_> {
            self.store.refresh().unwrap();
            Box::new(self.store.ledger(self.lock))
        }

        fn catalog(&self) -> Box<dyn Catalog + '_> {
            Box::new(self.store.catalog().unwrap())
        }

        fn snapshot<'a>(&'a self, filter: &'a Filter) -> Box<dyn Snapshot + 'a> {
            Box::new(self.store.snapshot(filter).unwrap())
        }
    }

    #[test]
    fn the_local_store_keeps_the_promises_of_a_store() {
        let dir = tempfile::tempdir().unwrap();
        let lock = WriteLock::acquire(dir.path()).unwrap();
        let open = || Local {
            store: Store::create(dir.path()).unwrap(),
            lock: &lock,
        };
        conforms(&open, &StaticTable::built_in().unwrap());
    }
}
