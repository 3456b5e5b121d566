//! Documents in a folder, or one file alone: the [`Source`] for what is on disk.

use std::ffi::OsString;
use std::fs::{self, DirEntry, File, FileType, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rayon::prelude::*;

use super::decode::decode;
use super::rules::{Node, Rules, Selection, is_mark};
use super::{Entry, Listing, Reading, Source};
use crate::error::{Error, Result, plain};
use crate::model::{Skip, SkipReason, Stat};

/// The files under a folder, or one file. Symbolic links are not followed, and nothing is ever written.
#[derive(Clone, Debug)]
pub struct Files {
    root: PathBuf,
    name: String,
    selection: Selection,
    max_file_size: u64,
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
        let Some(name) = root.to_str().map(str::to_string) else {
            return Err(Error::Name { path: root });
        };
        Ok(Files {
            root,
            name,
            selection: Selection::default(),
            max_file_size,
        })
    }

    /// The files under `root` that `selection` lets in.
    ///
    /// # Errors
    ///
    /// As [`Files::new`], and [`Error::Pattern`] for a pattern that cannot be read.
    pub fn selected(root: &Path, selection: &Selection) -> Result<Self> {
        selection.check()?;
        Ok(Files {
            selection: selection.clone(),
            ..Files::new(root, selection.max_file_size())?
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

    /// Lists a root that is a file: it was named, so only its size can leave it out.
    fn list_file(&self, metadata: &Metadata) -> Listing {
        let name = self.root.file_name().unwrap_or_default();
        let mut listing = Listing::default();
        let size = metadata.len();
        match name.to_str() {
            None => {
                let skip = Skip::new(name.to_string_lossy(), SkipReason::NameNotUtf8);
                listing.skips.push(skip);
            }
            // A pipe or a device may never end.
            Some(name) if !metadata.is_file() => {
                listing.skips.push(Skip::new(name, SkipReason::Special));
            }
            Some(name) if size > self.max_file_size => {
                let skip = too_large(name.into(), size, self.max_file_size);
                listing.skips.push(skip);
            }
            Some(name) => listing.entries.push(Entry {
                path: name.to_string(),
                stat: stat(metadata),
            }),
        }
        listing
    }
}

impl Source for Files {
    fn root(&self) -> &str {
        &self.name
    }

    fn list(&self) -> Result<Listing> {
        self.list_for(&Nobody)
    }

    fn read(&self, entry: &Entry) -> Reading {
        match read(&self.base().join(&entry.path), self.max_file_size) {
            Ok((bytes, stat)) => {
                let count = bytes.len() as u64;
                let skip = |skip| Reading::Skip {
                    skip,
                    stat: Some(stat),
                    bytes: count,
                };
                if count > self.max_file_size {
                    return skip(too_large(entry.path.clone(), stat.size, self.max_file_size));
                }
                match decode(bytes) {
                    Ok(text) => Reading::Text {
                        text,
                        stat,
                        bytes: count,
                    },
                    Err(reason) => skip(Skip::new(&*entry.path, reason)),
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Reading::Gone,
            Err(error) => Reading::Skip {
                skip: unreadable(entry.path.clone(), &error),
                stat: None,
                bytes: 0,
            },
        }
    }
}

/// Who is told which folders are looked into, in no order and by several threads.
pub(super) trait Visitor: Sync {
    /// `folder` is about to be listed.
    fn enter(&self, folder: &str);

    /// `folder` was listed: by these rules, or none when it is left out for what is in it.
    fn leave(&self, folder: &str, rules: Option<&Rules>);
}

/// One who does not want to know.
struct Nobody;

impl Visitor for Nobody {
    fn enter(&self, _: &str) {}
    fn leave(&self, _: &str, _: Option<&Rules>) {}
}

/// A folder still to be listed, and the rules of the one around it.
struct Folder {
    path: String,
    rules: Rules,
}

/// What was found in some folders.
#[derive(Default)]
struct Found {
    listing: Listing,
    folders: Vec<Folder>,
}

impl Files {
    /// Lists what there is, level by level: the folders of each are read on all cores, as most of the time goes into questions to the file system.
    pub(super) fn list_for(&self, visitor: &dyn Visitor) -> Result<Listing> {
        let metadata = fs::metadata(&self.root).map_err(|error| self.unreachable(error))?;
        if !metadata.is_dir() {
            return Ok(self.list_file(&metadata));
        }
        visitor.enter("");
        let children = children(&self.root).map_err(|error| self.unreachable(error))?;
        let top = Folder {
            path: String::new(),
            rules: Rules::of_user().selecting(&self.root, &self.selection)?,
        };
        let Found {
            mut listing,
            folders: mut level,
        } = self.look(&top, children, visitor);
        while !level.is_empty() {
            let enter = |folder| self.enter(folder, visitor);
            let found: Vec<Found> = level.into_par_iter().map(enter).collect();
            level = Vec::new();
            for found in found {
                listing.entries.extend(found.listing.entries);
                listing.skips.extend(found.listing.skips);
                level.extend(found.folders);
            }
        }
        listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        listing.skips.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    fn enter(&self, folder: Folder, visitor: &dyn Visitor) -> Found {
        visitor.enter(&folder.path);
        let reason = match children(&self.root.join(&folder.path)) {
            // The folder has gone since its parent was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::default(),
            Err(error) => unreadable(folder.path, &error),
            Ok(children) if children.iter().any(|child| is_mark(&child.name)) => {
                visitor.leave(&folder.path, None);
                Skip::new(folder.path, SkipReason::Vendored)
            }
            Ok(children) => return self.look(&folder, children, visitor),
        };
        let mut found = Found::default();
        found.listing.skips.push(reason);
        found
    }

    fn look(&self, folder: &Folder, children: Vec<Child>, visitor: &dyn Visitor) -> Found {
        let holds = |name: &str| children.iter().any(|child| child.name == name);
        let rules = folder.rules.within(&self.root, &folder.path, holds);
        visitor.leave(&folder.path, Some(&rules));
        let mut found = Found::default();
        for child in children {
            let name = child.name.to_string_lossy();
            let path = match &*folder.path {
                "" => name.into_owned(),
                folder => format!("{folder}/{name}"),
            };
            if child.name.to_str().is_none() {
                let skip = Skip::new(path, SkipReason::NameNotUtf8);
                found.listing.skips.push(skip);
                continue;
            }
            match child.entry.file_type() {
                Ok(kind) if kind.is_dir() => match rules.skip(&path, Node::Folder) {
                    Some(reason) => found.listing.skips.push(Skip::new(path, reason)),
                    None => found.folders.push(Folder {
                        path,
                        rules: rules.clone(),
                    }),
                },
                Ok(kind) => match self.file(path, kind, &child.entry, &rules) {
                    Some(Ok(entry)) => found.listing.entries.push(entry),
                    Some(Err(skip)) => found.listing.skips.push(skip),
                    None => {}
                },
                Err(error) => found.listing.skips.push(unreadable(path, &error)),
            }
        }
        found
    }

    /// What a file is to a listing; nothing when it has gone.
    fn file(
        &self,
        path: String,
        kind: FileType,
        entry: &DirEntry,
        rules: &Rules,
    ) -> Option<Result<Entry, Skip>> {
        let reason = match rules.skip(&path, Node::File) {
            None if kind.is_symlink() => Some(SkipReason::Link),
            None if !kind.is_file() => Some(SkipReason::Special),
            reason => reason,
        };
        if let Some(reason) = reason {
            return Some(Err(Skip::new(path, reason)));
        }
        match entry.metadata() {
            Ok(metadata) if metadata.len() > self.max_file_size => {
                Some(Err(too_large(path, metadata.len(), self.max_file_size)))
            }
            Ok(metadata) => Some(Ok(Entry {
                path,
                stat: stat(&metadata),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(Err(unreadable(path, &error))),
        }
    }
}

/// A name in a folder. Asked through its entry, it costs no way down from the root.
struct Child {
    name: OsString,
    entry: DirEntry,
}

/// What is in a folder. A listing that breaks off is an error as a whole: what it did not come to would be taken for deleted.
fn children(folder: &Path) -> io::Result<Vec<Child>> {
    let found = fs::read_dir(folder)?.map(|entry| {
        let entry = entry?;
        Ok(Child {
            name: entry.file_name(),
            entry,
        })
    });
    found.collect()
}

/// Reads a file up to one byte more than `limit`, with the size and time it had when it was opened.
///
/// What changes meanwhile may be half of one text and half of another, so it is read again; a file that never rests is taken as it was read last, and
/// looks different the next time.
fn read(path: &Path, limit: u64) -> io::Result<(Vec<u8>, Stat)> {
    const TRIES: usize = 3;
    let mut tries = 1;
    loop {
        let file = File::open(path)?;
        let before = stat(&file.metadata()?);
        let room = usize::try_from(before.size.min(limit)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(room + 1);
        (&file)
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)?;
        if tries == TRIES || stat(&file.metadata()?) == before {
            return Ok((bytes, before));
        }
        tries += 1;
    }
}

fn stat(metadata: &Metadata) -> Stat {
    // A file system without times gives the epoch: such a file is told by its size and, once that differs, its hash.
    let time = metadata.modified().unwrap_or(UNIX_EPOCH);
    Stat {
        size: metadata.len(),
        mtime_ns: nanoseconds(time),
    }
}

/// Nanoseconds since 1970, negative before.
pub(crate) fn nanoseconds(time: SystemTime) -> i64 {
    let clamp = |nanoseconds: u128| i64::try_from(nanoseconds).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => clamp(after.as_nanos()),
        Err(before) => -clamp(before.duration().as_nanos()),
    }
}

fn unreadable(path: String, error: &io::Error) -> Skip {
    Skip::new(path, SkipReason::Unreadable).with_detail(plain(error))
}

fn too_large(path: String, size: u64, limit: u64) -> Skip {
    Skip::new(path, SkipReason::TooLarge).with_detail(format!("{size} bytes, the limit is {limit}"))
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn files_keep_the_promises_of_a_source() {
        let (_, source, root) = listing(&[
            ("a/b.md", b"tea"),
            ("a.md", b"\xef\xbb\xbfmilk"),
            ("a-b.md", b""),
            ("latin.md", b"caf\xe9"),
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
            matches!(source.read(&listing.entries[0]), Reading::Text { text, .. } if text == "tea")
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
            "cannot read `/nowhere/at/all`: no such file or directory; nothing was changed in the index"
        );
    }
}
