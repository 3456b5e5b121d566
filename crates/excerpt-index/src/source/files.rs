//! Documents in a folder, or a single file: the [`Source`] for files on disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::found::{FolderContents, Found, FoundTree, KnownFolder};
use super::ignores::MOST_PATTERNS_IN_ALL;
use super::parts::Parts;
use super::rules::{IgnoreFiles, PathKind, Rules, is_mark};
use super::secrets;
use super::{Entries, Entry, Reading, Source};
use crate::cores::on_all_cores;
use crate::fs::open::{Child, FileKind, Look, OpenFolder, Refused};
use crate::model::{
    Error, Fingerprint, Provenance, Result, Secret, Selection, Skip, SkipReason, SourceId, Stat,
    plain,
};

/// The files under a folder, or a single file. Symbolic links are not followed, and nothing is ever
/// written.
#[derive(Clone, Debug)]
pub struct Files {
    root: PathBuf,
    id: SourceId,
    selection: Selection,
    /// The folder that was listed last: files are read from this one.
    listed: Arc<Mutex<Option<Listed>>>,
}

/// A folder that was listed.
#[derive(Clone, Debug)]
struct Listed {
    path: PathBuf,
    /// [`Look::identity`].
    identity: Option<(u64, u64)>,
}

impl Files {
    /// The files under `root`, up to a size in bytes.
    ///
    /// # Errors
    ///
    /// When `root` does not exist or cannot be reached, or its absolute path is not UTF-8.
    pub fn new(root: &Path, max_file_size: u64) -> Result<Self> {
        let unreachable = |source| Error::Source {
            path: root.to_path_buf(),
            source,
        };
        let root = root.canonicalize().map_err(unreachable)?;
        let Some(id) = root.to_str().map(SourceId::from) else {
            return Err(Error::Name { path: root });
        };
        Ok(Files {
            root,
            id,
            selection: Selection {
                max_file_size: Some(max_file_size),
                ..Selection::default()
            },
            listed: Arc::default(),
        })
    }

    /// The files under `root` that `selection` includes.
    ///
    /// # Errors
    ///
    /// As [`Files::new`], and [`Error::Pattern`] for an invalid pattern.
    pub fn selected(root: &Path, selection: &Selection) -> Result<Self> {
        selection.check()?;
        Ok(Files {
            selection: selection.clone(),
            ..Files::new(root, 0)?
        })
    }

    /// The folder or file, by its absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    fn unreachable(&self, source: io::Error) -> Error {
        Error::Source {
            path: self.root.clone(),
            source,
        }
    }

    /// The folder that paths are relative to.
    pub(super) fn base(&self) -> &Path {
        match self.root.parent() {
            Some(folder) if self.root.is_file() => folder,
            _ => &self.root,
        }
    }

    /// Opens the folder at `path` to list it or its contents.
    fn open(&self, path: &Path) -> io::Result<OpenFolder> {
        let folder = OpenFolder::open_itself(path)?;
        let listed = Listed {
            path: path.to_path_buf(),
            identity: folder.look_at_itself()?.identity,
        };
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(listed);
        Ok(folder)
    }

    /// The folder that was listed last. All reading threads need it, so the lock is released at
    /// once.
    fn listed(&self) -> Option<Listed> {
        let listed = self.listed.lock();
        listed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens the folder that was listed, and not one that has replaced it, for example through a
    /// link above it.
    fn open_again(&self) -> io::Result<OpenFolder> {
        let Some(listed) = self.listed() else {
            return OpenFolder::open_itself(self.base());
        };
        let folder = OpenFolder::open_itself(&listed.path)?;
        match folder.look_at_itself()?.identity == listed.identity {
            true => Ok(folder),
            false => Err(io::Error::other(
                "the folder was replaced after it was listed",
            )),
        }
    }

    /// Lists a root that is a file: it was named, so only its size or secrets in it can exclude it.
    fn list_file(&self) -> Result<FolderContents> {
        let unreachable = |error| self.unreachable(error);
        let (Some(folder), Some(name)) = (self.root.parent(), self.root.file_name()) else {
            return Err(unreachable(io::ErrorKind::NotADirectory.into()));
        };
        let folder = self.open(folder).map_err(unreachable)?;
        let Look { kind, stat, .. } = folder.try_look(name).map_err(unreachable)?;
        let mut listing = FolderContents::default();
        match name.to_str() {
            None => {
                let skip = Skip::new(name.to_string_lossy(), SkipReason::NameNotUtf8);
                listing.skips.push(skip);
            }
            // A pipe or a device may never end.
            Some(name) if kind != FileKind::File => {
                listing.skips.extend(Refused::Kind(kind).skip(name));
            }
            Some(name) if self.selection.skips_secrets() && secrets::named(name) => {
                listing.skips.push(secret_by_name(name));
            }
            Some(name) if self.is_too_large(name, stat.size) => {
                listing.skips.extend(self.too_large(name, stat.size));
            }
            Some(name) => listing.entries.push(Entry {
                path: name.to_string(),
                version: stat.into(),
            }),
        }
        Ok(listing)
    }

    fn is_too_large(&self, path: &str, size: u64) -> bool {
        // No limit is lower than that of plain text, and most files are below it.
        size > self.selection.max_file_size() && size > self.selection.max_size_of(path)
    }

    fn too_large(&self, path: &str, size: u64) -> Option<Skip> {
        let limit = self.selection.max_size_of(path);
        Refused::TooLarge { size, limit }.skip(path)
    }
}

impl Source for Files {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn entries(&self) -> Result<Entries<'_>> {
        self.entries_for(&Nobody)
    }

    fn read(&self, entry: &Entry) -> Reading {
        let not_read = |skip| Reading::Skip {
            skip,
            version: None,
            bytes: 0,
        };
        // Without the folder nothing is known, least of all that a file is gone.
        let folder = match self.open_again() {
            Ok(folder) => folder,
            Err(error) => return not_read(unreadable(entry.path.clone(), &error)),
        };
        let file = folder.file(&entry.path);
        let limit = self.selection.max_size_of(&entry.path);
        let read = file.and_then(|file| Ok(file.read(limit)?));
        let (bytes, stat) = match read {
            Ok(read) => read,
            Err(refused) => return refused.skip(&*entry.path).map_or(Reading::Gone, not_read),
        };
        let (count, version) = (bytes.len() as u64, Some(stat.into()));
        match count > limit {
            true => {
                self.too_large(&entry.path, stat.size.max(count))
                    .map_or(Reading::Gone, |skip| Reading::Skip {
                        skip,
                        version,
                        bytes: count,
                    })
            }
            false => Reading::Bytes {
                bytes,
                version: stat.into(),
                provenance: Provenance::default(),
            },
        }
    }
}

/// Receives the folders as they are listed, in no order and from several threads.
pub(super) trait Visitor: Sync {
    /// `folder` is about to be listed, unless it is returned as it was listed before.
    fn enter(&self, folder: &str) -> Option<KnownFolder>;

    /// `folder`, as it was `opened`, was listed; `None` when it is excluded because of its contents.
    fn leave(&self, folder: &str, opened: &OpenFolder, listed: Option<&KnownFolder>);
}

/// A visitor that ignores everything.
struct Nobody;

impl Visitor for Nobody {
    fn enter(&self, _: &str) -> Option<KnownFolder> {
        None
    }
    fn leave(&self, _: &str, _: &OpenFolder, _: Option<&KnownFolder>) {}
}

/// A folder still to be listed, and the rules of its parent.
struct Folder {
    path: String,
    rules: Rules,
}

impl Files {
    /// Lists everything, with the name of its state.
    pub(super) fn entries_for(&self, visitor: &dyn Visitor) -> Result<Entries<'static>> {
        let begun = Stat::now();
        let tree = Arc::new(self.found_for(visitor)?);
        let (rules, parts) = (
            self.rules(),
            Parts::of(&tree.documents(), &tree.skips, begun),
        );
        let cursor = format!("{rules} {}", parts.names());
        let items = tree.items();
        let changes = move |since: &str| {
            let since = since.split_once(' ');
            let names = since.filter(|(before, _)| *before == rules);
            let names = names.map(|(_, names)| names);
            Ok(names.and_then(|names| parts.differing(&tree.documents(), &tree.skips, names)))
        };
        Ok(Entries::new(items).with_cursor(cursor, changes))
    }

    /// Names the rules for what is listed, and for what is skipped because of its contents.
    fn rules(&self) -> String {
        let mut rules = Fingerprint::default();
        rules.add(&serde_json::to_vec(&self.selection).unwrap_or_default());
        rules.add(&self.selection.max_file_size().to_le_bytes());
        rules.end().to_string()
    }

    /// Finds everything.
    fn found_for(&self, visitor: &dyn Visitor) -> Result<FoundTree> {
        let unreachable = |error| self.unreachable(error);
        let metadata = fs::symlink_metadata(&self.root).map_err(unreachable)?;
        if !metadata.is_dir() {
            return Ok(FoundTree::of(self.list_file()?));
        }
        let root = self.open(&self.root).map_err(unreachable)?;
        let known = visitor.enter("");
        let listed = || -> Result<KnownFolder> {
            let listed = root.listed("").map_err(|refused| match refused {
                Refused::Io(error) => unreachable(error),
                refused => unreachable(io::Error::other(refused)),
            });
            let (_, children) = listed?;
            let top = Folder {
                path: String::new(),
                rules: Rules::of_user().selecting(&self.root, &self.selection)?,
            };
            Ok(self.look(&top, &root, children, visitor))
        };
        let listed = known.map_or_else(listed, Ok)?;
        let rules = listed.rules.clone();
        let top = Found {
            path: String::new(),
            listed,
            below: 0..0,
        };
        let found = self.found_below(&root, &rules, top, visitor)?;
        Ok(FoundTree::in_order(&found))
    }

    /// Finds what is below the folder `top`, level by level: those of each level are read on all
    /// cores, since most of the time is spent in file system calls.
    fn found_below(
        &self,
        root: &OpenFolder,
        rules: &Rules,
        top: Found,
        visitor: &dyn Visitor,
    ) -> Result<Vec<Found>> {
        let mut all = vec![top];
        let mut listed = 0;
        while listed < all.len() {
            let mut level = Vec::new();
            let next = all.len();
            for Found { listed, below, .. } in &mut all[listed..] {
                let start = next + level.len();
                level.extend(listed.contents.folders.iter().map(|path| Folder {
                    path: path.clone(),
                    rules: listed.rules.clone(),
                }));
                *below = start..next + level.len();
            }
            listed = next;
            let enter = |folder| self.enter(root, folder, visitor);
            let found: Vec<Found> = on_all_cores(|| level.into_par_iter().map(enter).collect());
            all.extend(found);
            if rules.are_too_many() {
                let said =
                    format!("its ignore files contain more than {MOST_PATTERNS_IN_ALL} patterns");
                return Err(self.unreachable(io::Error::other(said)));
            }
        }
        Ok(all)
    }

    fn enter(&self, root: &OpenFolder, folder: Folder, visitor: &dyn Visitor) -> Found {
        let known = visitor.enter(&folder.path);
        let listed = known.unwrap_or_else(|| self.listed_folder(root, &folder, visitor));
        Found {
            path: folder.path,
            listed,
            below: 0..0,
        }
    }

    fn listed_folder(
        &self,
        root: &OpenFolder,
        folder: &Folder,
        visitor: &dyn Visitor,
    ) -> KnownFolder {
        let skip = match root.listed(&folder.path) {
            Ok((opened, children)) if children.iter().any(|child| is_mark(&child.name)) => {
                visitor.leave(&folder.path, &opened, None);
                Some(Skip::new(&*folder.path, SkipReason::Vendored))
            }
            Ok((opened, children)) => return self.look(folder, &opened, children, visitor),
            // The folder was removed after its parent was read.
            Err(Refused::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err(refused) => refused.skip(&*folder.path),
        };
        KnownFolder {
            rules: folder.rules.clone(),
            contents: Arc::new(FolderContents::skipped(skip)),
        }
    }

    fn look(
        &self,
        folder: &Folder,
        opened: &OpenFolder,
        children: Vec<Child>,
        visitor: &dyn Visitor,
    ) -> KnownFolder {
        let holds = |name: &str| children.iter().any(|child| child.name == name);
        let (rules, refused) =
            folder
                .rules
                .within(&IgnoreFiles::Folder(opened), &folder.path, holds);
        let mut contents = FolderContents::default();
        for child in children {
            let name = child.name.to_string_lossy();
            let path = match &*folder.path {
                "" => name.into_owned(),
                folder => format!("{folder}/{name}"),
            };
            if child.name.to_str().is_none() {
                let skip = Skip::new(path, SkipReason::NameNotUtf8);
                contents.skips.push(skip);
                continue;
            }
            // Ignore files that should apply but were not read are reported below.
            if refused.iter().any(|skip| skip.path == path) {
                continue;
            }
            if child.kind != FileKind::Folder {
                match self.file(&path, &child, opened, &rules) {
                    Some(Ok(entry)) => contents.entries.push(entry),
                    Some(Err(skip)) => contents.skips.push(skip),
                    None => {}
                }
                continue;
            }
            match rules.skipped(&path, PathKind::Folder) {
                Some(skip) => contents.skips.push(skip),
                None => contents.folders.push(path),
            }
        }
        contents.skips.extend(refused);
        contents.sort();
        let listed = KnownFolder {
            rules,
            contents: Arc::new(contents),
        };
        visitor.leave(&folder.path, opened, Some(&listed));
        listed
    }

    /// The entry or skip of a file; nothing when it is gone.
    fn file(
        &self,
        path: &str,
        child: &Child,
        folder: &OpenFolder,
        rules: &Rules,
    ) -> Option<Result<Entry, Skip>> {
        if let Some(skip) = rules.skipped(path, PathKind::File) {
            return Some(Err(skip));
        }
        let look = match child.kind {
            FileKind::File => folder.try_look(&child.name),
            other => return Refused::Kind(other).skip(path).map(Err),
        };
        match look {
            Ok(look) if look.kind != FileKind::File => Refused::Kind(look.kind).skip(path).map(Err),
            Ok(look) if self.is_too_large(path, look.stat.size) => {
                self.too_large(path, look.stat.size).map(Err)
            }
            Ok(look) => Some(Ok(Entry {
                path: path.to_string(),
                version: look.stat.into(),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(Err(unreadable(path.to_string(), &error))),
        }
    }
}

fn unreadable(path: String, error: &io::Error) -> Skip {
    Skip::new(path, SkipReason::Unreadable).with_detail(plain(error))
}

fn secret_by_name(path: impl Into<String>) -> Skip {
    Skip::new(path, SkipReason::Secret).with_detail(Secret::Named)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::source::Listing;
    use crate::source::conformance::conforms;

    fn listing(files: &[(&str, &[u8])]) -> (Listing, Files, tempfile::TempDir) {
        let root = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let source = Files::new(root.path(), 100).unwrap();
        (source.list().unwrap(), source, root)
    }

    fn paths(listing: &Listing) -> Vec<&str> {
        listing.entries.iter().map(|entry| &*entry.path).collect()
    }

    fn skips(listing: &Listing) -> Vec<(&str, SkipReason)> {
        listing
            .skips
            .iter()
            .map(|skip| (&*skip.path, skip.reason))
            .collect()
    }

    #[test]
    fn entries_are_ordered_by_the_bytes_of_their_paths() {
        let (listing, ..) = listing(&[
            ("a/b.md", b""),
            ("a.md", b""),
            ("a-b.md", b""),
            ("Z.md", b""),
        ]);
        assert_eq!(paths(&listing), ["Z.md", "a-b.md", "a.md", "a/b.md"]);
    }

    fn write(root: &Path, path: &str, bytes: &[u8], age: Duration) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        let file = fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    fn cursor(source: &Files) -> String {
        source.entries().unwrap().cursor().unwrap().to_string()
    }

    #[test]
    fn a_state_has_one_name() {
        let root = tempfile::tempdir().unwrap();
        let old = Duration::from_secs(60);
        let write = |path: &str, bytes: &[u8]| write(root.path(), path, bytes, old);
        write("a.md", b"a");
        write("b/c.md", b"c");
        write(".d", b"");
        let source = Files::new(root.path(), 100).unwrap();
        let mut names = vec![cursor(&source)];
        assert_eq!(cursor(&source), names[0]);
        let changes: [(&str, &[u8]); 4] = [
            ("a.md", b"ab"),
            ("b/d.md", b""),
            (".gitignore", b"e.md\n"),
            ("e.md", b""),
        ];
        for (path, bytes) in changes {
            write(path, bytes);
            names.push(cursor(&source));
        }
        fs::remove_file(root.path().join("a.md")).unwrap();
        names.push(cursor(&source));
        let selection = Selection {
            max_file_size: Some(1),
            ..Selection::default()
        };
        names.push(cursor(&Files::selected(root.path(), &selection).unwrap()));
        let different: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(different.len(), names.len());
    }

    #[test]
    fn a_state_in_which_a_file_may_change_unnoticed_has_no_lasting_name() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a.md", b"a", Duration::from_secs(60));
        let source = Files::new(root.path(), 100).unwrap();
        assert_eq!(cursor(&source), cursor(&source));
        write(root.path(), "b.md", b"b", Duration::ZERO);
        let first = cursor(&source);
        assert_ne!(cursor(&source), first);
        let entries = source.entries().unwrap();
        let changes = entries.changes(&first).unwrap().unwrap();
        assert_eq!(paths(&changes.listing), ["a.md", "b.md"]);
    }

    #[test]
    fn the_changes_since_a_state_are_the_parts_that_differ() {
        let root = tempfile::tempdir().unwrap();
        let old = Duration::from_secs(60);
        let name = |number: usize| format!("{}/{number}.md", number % 17);
        for number in 0..4_000 {
            write(root.path(), &name(number), b"", old);
        }
        let source = Files::new(root.path(), 100).unwrap();
        let before = cursor(&source);
        assert_eq!(source.entries().unwrap().changes("unknown").unwrap(), None);
        write(root.path(), "3/new.md", b"new", old);
        fs::remove_file(root.path().join(name(1_000))).unwrap();
        let entries = source.entries().unwrap();
        let changes = entries.changes(&before).unwrap().unwrap();
        let listed = paths(&changes.listing);
        assert!(
            listed.contains(&"3/new.md") && listed.len() < 2_000,
            "{}",
            listed.len()
        );
        let is_in = |path: &str| changes.ranges.iter().any(|range| range.contains(path));
        assert!(is_in(&name(1_000)) && listed.iter().all(|path| is_in(path)));
        let outside = source.list().unwrap().entries;
        let outside = outside.iter().filter(|entry| !is_in(&entry.path)).count();
        assert_eq!(outside + listed.len(), 4_000);
        let selection = Selection {
            max_file_size: Some(1),
            ..Selection::default()
        };
        let other = Files::selected(root.path(), &selection).unwrap();
        assert_eq!(other.entries().unwrap().changes(&before).unwrap(), None);
    }

    #[test]
    fn files_keep_the_promises_of_a_source() {
        let (_, source, root) = listing(&[
            ("a/b.md", b"tea"),
            ("a.md", b"\xef\xbb\xbfmilk"),
            ("a-b.md", b""),
            ("broken.md", b"caf\x81"),
            ("deep/er/and/deeper.txt", b"water"),
            (".env", b"KEY=1"),
            ("large.md", &[b'x'; 101]),
        ]);
        conforms(&source);
        conforms(&Files::new(&root.path().join("a.md"), 100).unwrap());
    }

    #[test]
    fn every_skip_has_its_reason() {
        let (listing, ..) = listing(&[
            (".gitignore", b"*.log\nbuild/\n"),
            ("a.md", b"a"),
            ("b.log", b""),
            ("build/x/c.md", b""),
            (".hidden/d.md", b""),
            ("node_modules/e/f.md", b""),
            ("out/CACHEDIR.TAG", b""),
            ("out/g.md", b""),
            ("index/excerpt.db", b""),
            ("h.png", b""),
            (".env", b""),
            ("large.md", &[b'x'; 101]),
        ]);
        assert_eq!(paths(&listing), ["a.md"]);
        assert_eq!(
            skips(&listing),
            [
                (".env", SkipReason::Secret),
                (".gitignore", SkipReason::Hidden),
                (".hidden", SkipReason::Hidden),
                ("b.log", SkipReason::Ignored),
                ("build", SkipReason::Ignored),
                ("h.png", SkipReason::Binary),
                ("index", SkipReason::Vendored),
                ("large.md", SkipReason::TooLarge),
                ("node_modules", SkipReason::Vendored),
                ("out", SkipReason::Vendored),
            ]
        );
        let large = listing
            .skips
            .iter()
            .find(|skip| skip.path == "large.md")
            .unwrap();
        assert_eq!(large.detail.as_deref(), Some("101 bytes, the limit is 100"));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_odd_names_are_skipped() {
        use std::os::unix::ffi::OsStrExt;
        let (_, source, root) = listing(&[("a.md", b"a")]);
        std::os::unix::fs::symlink(root.path().join("a.md"), root.path().join("b.md")).unwrap();
        std::os::unix::fs::symlink(root.path(), root.path().join("loop")).unwrap();
        let odd = root.path().join(std::ffi::OsStr::from_bytes(b"\xff.md"));
        let odd = fs::write(odd, "").is_ok();
        let listing = source.list().unwrap();
        assert_eq!(paths(&listing), ["a.md"]);
        let mut expected = vec![("b.md", SkipReason::Link), ("loop", SkipReason::Link)];
        expected.extend(odd.then_some(("\u{fffd}.md", SkipReason::NameNotUtf8)));
        assert_eq!(skips(&listing), expected);
    }

    #[test]
    fn a_file_can_be_the_root() {
        let (_, _, root) = listing(&[(".notes", b"tea")]);
        let source = Files::new(&root.path().join(".notes"), 100).unwrap();
        let listing = source.list().unwrap();
        assert_eq!(paths(&listing), [".notes"]);
        assert!(
            matches!(source.read(&listing.entries[0]), Reading::Bytes { bytes, .. } if bytes == b"tea")
        );
    }

    #[test]
    fn what_vanishes_before_it_is_read_is_gone() {
        let (listing, source, root) = listing(&[("a.md", b"a")]);
        fs::remove_file(root.path().join("a.md")).unwrap();
        assert_eq!(source.read(&listing.entries[0]), Reading::Gone);
    }

    #[test]
    fn a_missing_root_is_an_error() {
        let error = Files::new(Path::new("/nowhere/at/all"), 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot read `/nowhere/at/all`: no such file or directory"
        );
    }

    /// Replaces `docs` with a link to a folder outside when it is about to be listed.
    #[cfg(unix)]
    struct Swapping<'a> {
        root: &'a Path,
        outside: &'a Path,
    }

    #[cfg(unix)]
    impl Visitor for Swapping<'_> {
        fn enter(&self, folder: &str) -> Option<KnownFolder> {
            if folder == "docs" {
                fs::remove_dir_all(self.root.join(folder)).unwrap();
                std::os::unix::fs::symlink(self.outside, self.root.join(folder)).unwrap();
            }
            None
        }

        fn leave(&self, _: &str, _: &OpenFolder, _: Option<&KnownFolder>) {}
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_becomes_a_link_before_it_is_listed_shows_no_name_of_what_it_leads_to() {
        let (_, source, root) = listing(&[("a.md", b"a"), ("docs/b.md", b"b")]);
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("private.md"), "").unwrap();
        let swapping = Swapping {
            root: root.path(),
            outside: outside.path(),
        };
        let tree = source.found_for(&swapping).unwrap();
        let found: Vec<&str> = tree.documents().iter().map(|entry| &*entry.path).collect();
        assert_eq!(found, ["a.md"]);
        let skips = tree.skips.iter();
        let skips: Vec<_> = skips.map(|skip| (&*skip.path, skip.reason)).collect();
        assert_eq!(skips, [("docs", SkipReason::Link)]);
    }
}
