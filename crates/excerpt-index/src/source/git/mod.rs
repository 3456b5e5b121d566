//! Documents in a commit of a git repository: the [`Source`] [`GitCommit`]. They are read from the
//! database of objects; there is no working tree.

mod fetch;
mod history;
mod objects;
mod origin;
mod remote;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::HashSet;
use std::io;
use std::path::Path;

use excerpt_chunk::Hash;

pub use self::fetch::GitFetchError;
use self::history::LastCommits;
use self::objects::{Blob, Objects};
pub use self::origin::GitOrigin;
pub use self::remote::{GitAddressError, GitReference, GitRemote};
use super::rules::Rules;
use super::{Changes, Entries, Entry, Listing, Reading, Source};
use crate::fs::open::Refused;
use crate::model::{
    Error, Provenance, Result, Selection, Skip, SkipReason, SourceId, Version, with_folders,
};

/// How the file starts that stands for one in Git LFS, and how large such a file can be:
/// <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/";
const LFS_LIMIT: usize = 1024;

/// The version of the rules for what is listed and read. Increase it when they change: then the
/// next sync compares everything.
const RULES: u32 = 2;

/// The files of a commit, or those below one of its folders.
///
/// Ignore files in the commit apply as they do in a folder. Symbolic links are not followed, and
/// submodules and pointers of Git LFS are skipped. Nothing that the repository configures runs.
#[derive(Debug)]
pub struct GitCommit {
    id: SourceId,
    objects: Objects,
    /// The id of the commit.
    commit: String,
    /// The folder; empty for all of it.
    under: String,
    /// The id of its tree.
    tree: String,
    selection: Selection,
    cursor: String,
    /// Whether it tells what has changed since another commit.
    is_comparable: bool,
}

impl GitCommit {
    /// The files that `selection` includes of the commit that `revision` names in the git folder
    /// `repository` (a bare repository, or the `.git` of a working tree), below the folder `under`
    /// if there is one. `id` identifies the source in an index, whatever the commit.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] when there is no such repository, revision or folder, or when `git` cannot
    /// be run, and [`Error::Pattern`] for an invalid pattern.
    pub fn open(
        id: SourceId,
        repository: &Path,
        revision: &str,
        under: Option<&str>,
        selection: &Selection,
    ) -> Result<GitCommit> {
        selection.check()?;
        let at = |error| unreachable(&id, error);
        let repository = repository.canonicalize().map_err(at)?;
        let objects = Objects::new(&repository);
        let under = under.unwrap_or_default().trim_matches('/').to_string();
        let commit = objects
            .named(&format!("{revision}^{{commit}}"))
            .map_err(at)?;
        let commit = commit.ok_or_else(|| at(missing("commit", revision)))?;
        let tree = objects.tree(&commit, &under).map_err(at)?;
        let tree = tree.ok_or_else(|| at(missing("folder", &under)))?;
        Ok(GitCommit {
            cursor: format!("{commit} {}", of_rules(&under, selection)),
            id,
            objects,
            commit,
            under,
            tree,
            selection: selection.clone(),
            is_comparable: true,
        })
    }

    /// The id of the commit.
    #[must_use]
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// The git folder.
    pub(super) fn repository(&self) -> &Path {
        self.objects.folder()
    }

    /// The ignore files that the repository does not have.
    pub(super) fn missing_ignore_files(&self) -> io::Result<Vec<String>> {
        self.objects
            .missing(&tree::ignore_files(&self.objects, &self.tree)?)
    }

    /// The documents that the repository does not have.
    pub(super) fn missing_documents(&self) -> io::Result<Vec<String>> {
        let entries = self.blobs()?.entries.into_iter();
        let blobs = entries.filter_map(|entry| match entry.version {
            Version::Tag { tag, .. } => Some(tag),
            Version::Stat(_) => None,
        });
        self.objects.missing(&blobs.collect::<Vec<_>>())
    }

    /// Makes the next sync compare everything, instead of what has changed since the last one.
    pub fn forget_cursors(&mut self) {
        self.is_comparable = false;
    }

    /// A file with these bytes, unless it is skipped.
    fn contents(entry: &Entry, bytes: Vec<u8>) -> Reading {
        let version = entry.version.clone();
        let provenance = match &version {
            Version::Tag { tag, .. } => history::provenance(tag),
            Version::Stat(_) => Provenance::default(),
        };
        match bytes.len() < LFS_LIMIT && bytes.starts_with(LFS) {
            true => Reading::Skip {
                skip: Skip::new(&*entry.path, SkipReason::LfsPointer),
                version: Some(version),
                bytes: bytes.len() as u64,
            },
            false => Reading::Bytes {
                bytes,
                version,
                provenance,
            },
        }
    }

    /// What there is, with the blobs of the files as their tags.
    fn blobs(&self) -> io::Result<Listing> {
        let rules = Rules::of_tree().selecting(Path::new(""), &self.selection);
        let rules = rules.map_err(io::Error::other)?;
        tree::listing(&self.objects, &self.tree, rules, &self.selection)
    }

    /// Completes entries by their last commits.
    fn dated(&self, mut listing: Listing) -> io::Result<Listing> {
        let (objects, entries) = (&self.objects, &mut listing.entries);
        let commits = LastCommits::of(objects, &self.commit, &self.under, entries)?;
        for entry in entries {
            commits.complete(entry);
        }
        Ok(listing)
    }

    /// What has changed since the state that a cursor names.
    fn changes(&self, since: &str) -> Result<Option<Changes>> {
        let Some((commit, rules)) = since.split_once(' ') else {
            return Ok(None);
        };
        let is_same = rules == of_rules(&self.under, &self.selection).to_string();
        if !is_same || !self.is_comparable {
            return Ok(None);
        }
        let at = |error| unreachable(&self.id, error);
        let Some(mut paths) = self.differing(commit).map_err(at)? else {
            return Ok(None);
        };
        // The folder of a file that decides what is listed may differ as a whole.
        for path in &mut paths {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if Rules::depend_on(name) {
                *path = folder.to_string();
            }
        }
        if paths.iter().any(String::is_empty) {
            return Ok(None);
        }
        let mut listing = self.blobs().map_err(at)?;
        let changed: HashSet<&str> = paths.iter().map(String::as_str).collect();
        let is_changed = |path: &str| with_folders(path).any(|path| changed.contains(path));
        listing.entries.retain(|entry| is_changed(&entry.path));
        // A folder that is skipped as a whole is above what has changed in it.
        let above: HashSet<&str> = paths.iter().flat_map(|path| with_folders(path)).collect();
        let is_listed = |path: &str| is_changed(path) || above.contains(path);
        listing.skips.retain(|skip| is_listed(&skip.path));
        let listing = self.dated(listing).map_err(at)?;
        Ok(Some(Changes {
            paths,
            listing,
            ..Changes::default()
        }))
    }

    /// The paths that commits have touched since another one in the history, or that differ from
    /// it; `None` if it is not in the history, or does not have the folder.
    fn differing(&self, since: &str) -> io::Result<Option<Vec<String>>> {
        let (objects, under) = (&self.objects, &*self.under);
        let commit = objects.named(&format!("{since}^{{commit}}"))?;
        let Some(commit) = commit else {
            return Ok(None);
        };
        let Some(before) = objects.tree(&commit, under)? else {
            return Ok(None);
        };
        let Some(mut touched) = history::touched(objects, &commit, &self.commit, under)? else {
            return Ok(None);
        };
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--no-renames",
            "--name-only",
            "--end-of-options",
        ];
        let output = objects.ask(&[&arguments[..], &[&before, &self.tree]].concat())?;
        let paths = output
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty());
        touched.extend(paths.map(|path| String::from_utf8_lossy(path).into_owned()));
        Ok(Some(touched.into_iter().collect()))
    }
}

/// A mark of the part of a commit that is listed, and of the rules for it.
fn of_rules(under: &str, selection: &Selection) -> Hash {
    let rules = serde_json::to_vec(&(RULES, under, selection)).unwrap_or_default();
    Hash::of(&rules)
}

fn missing(what: &str, name: &str) -> io::Error {
    io::Error::other(format!("it has no {what} `{name}`"))
}

fn unreachable(id: &SourceId, source: io::Error) -> Error {
    Error::Source {
        path: id.path().into(),
        source,
    }
}

impl Source for GitCommit {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn entries(&self) -> Result<Entries<'_>> {
        // Nothing is listed until it is needed: a sync may ask for the changes instead.
        let listing = || self.blobs().and_then(|listing| self.dated(listing));
        let listing = std::iter::once_with(listing);
        let entries = listing.flat_map(|listing| match listing {
            Ok(listing) => listing.into_entries(),
            Err(error) => Entries::new(std::iter::once(Err(unreachable(&self.id, error)))),
        });
        let changes = |since: &str| self.changes(since);
        Ok(Entries::new(entries).with_cursor(self.cursor.clone(), changes))
    }

    fn read(&self, entry: &Entry) -> Reading {
        let Version::Tag { tag, .. } = &entry.version else {
            return Reading::Gone;
        };
        let limit = self.selection.max_size_of(&entry.path);
        let refused = match self.objects.blob(history::blob(tag), limit) {
            Ok(Blob::Bytes(bytes)) => return GitCommit::contents(entry, bytes),
            // What a commit has cannot go away.
            Ok(Blob::Missing) => Refused::Io(io::Error::other("the repository lacks its contents")),
            Ok(Blob::TooLarge(size)) => Refused::TooLarge { size, limit },
            Err(error) => Refused::Io(error),
        };
        let skip = refused.skip(&*entry.path);
        skip.map_or(Reading::Gone, |skip| Reading::Skip {
            skip,
            version: None,
            bytes: 0,
        })
    }
}
