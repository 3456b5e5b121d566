//! What a listing of a folder finds: a [`FolderContents`] for each folder in it, and the
//! [`FoundTree`] of all of them in the order of paths.

use std::ops::Range;
use std::sync::Arc;

use super::rules::Rules;
use super::{Entry, ListItem};
use crate::model::{Result, Skip};

/// A folder that was listed.
#[derive(Clone)]
pub(super) struct KnownFolder {
    /// The rules inside it.
    pub(super) rules: Rules,
    pub(super) contents: Arc<FolderContents>,
}

/// What is directly in a folder, each in the order of paths.
#[derive(Debug, Default)]
pub(super) struct FolderContents {
    pub(super) entries: Vec<Entry>,
    pub(super) skips: Vec<Skip>,
    /// The paths of the folders in it that are listed, too.
    pub(super) folders: Vec<String>,
}

impl FolderContents {
    pub(super) fn skipped(skips: impl IntoIterator<Item = Skip>) -> Self {
        FolderContents {
            skips: skips.into_iter().collect(),
            ..FolderContents::default()
        }
    }

    /// Whether a document or a folder has this path.
    pub(super) fn names(&self, path: &str) -> bool {
        let document = self
            .entries
            .binary_search_by(|entry| (*entry.path).cmp(path));
        document.is_ok() || self.folders.iter().any(|folder| folder == path)
    }

    pub(super) fn sort(&mut self) {
        let (entries, folders) = (&mut self.entries, &mut self.folders);
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        folders.sort_unstable_by(|a, b| inside(a).cmp(inside(b)));
        // A folder that changes while it is read may name something twice.
        entries.dedup_by(|a, b| a.path == b.path);
        folders.dedup();
    }
}

/// How the paths of all files in a folder begin.
fn inside(folder: &str) -> impl Iterator<Item = u8> {
    folder.bytes().chain([b'/'])
}

/// A folder that was found.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) listed: KnownFolder,
    /// Which of all that were found are directly in it.
    pub(super) below: Range<usize>,
}

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct FoundTree {
    folders: Vec<Arc<FolderContents>>,
    /// The documents in the order of paths: each time several of one folder.
    runs: Vec<(usize, Range<usize>)>,
    /// What is skipped, in the order of paths.
    pub(super) skips: Vec<Skip>,
}

impl FoundTree {
    /// What is in one folder alone.
    pub(super) fn of(contents: FolderContents) -> Self {
        FoundTree {
            runs: vec![(0, 0..contents.entries.len())],
            skips: contents.skips.clone(),
            folders: vec![Arc::new(contents)],
        }
    }

    /// Puts what was found in order. That of the root comes first.
    pub(super) fn in_order(found: &[Found]) -> Self {
        /// What is still to come of a folder.
        struct Open {
            folder: usize,
            next: usize,
            folders: Range<usize>,
        }
        let mut tree = FoundTree::default();
        let mut open: Vec<Open> = Vec::new();
        let mut entered = Some(0);
        loop {
            if let Some(folder) = entered {
                open.push(Open {
                    folder,
                    next: 0,
                    folders: found[folder].below.clone(),
                });
            }
            let Some(last) = open.last_mut() else {
                break;
            };
            entered = last.folders.next();
            let entries = &found[last.folder].listed.contents.entries;
            let end = match entered {
                Some(next) => {
                    let is_before = |file: &Entry| file.path.bytes().lt(inside(&found[next].path));
                    last.next + entries[last.next..].partition_point(is_before)
                }
                None => entries.len(),
            };
            if end > last.next {
                tree.runs.push((last.folder, last.next..end));
                last.next = end;
            }
            if entered.is_none() {
                open.pop();
            }
        }
        let folders = found.iter().map(|found| Arc::clone(&found.listed.contents));
        tree.folders = folders.collect();
        let skips = tree.folders.iter().flat_map(|contents| &contents.skips);
        tree.skips = skips.cloned().collect();
        tree.skips.sort_by(|a, b| a.path.cmp(&b.path));
        tree
    }

    /// The documents in the order of paths.
    pub(super) fn documents(&self) -> Vec<&Entry> {
        let runs = self.runs.iter();
        let documents =
            runs.flat_map(|(folder, range)| &self.folders[*folder].entries[range.clone()]);
        documents.collect()
    }

    /// What was found, one after the other.
    pub(super) fn items(self: &Arc<Self>) -> impl Iterator<Item = Result<ListItem>> + use<> {
        let skips = (0..self.skips.len()).map({
            let tree = Arc::clone(self);
            move |at| ListItem::Skip(tree.skips[at].clone())
        });
        let documents = (0..self.runs.len()).flat_map({
            let tree = Arc::clone(self);
            move |run| {
                let (folder, range) = tree.runs[run].clone();
                let contents = Arc::clone(&tree.folders[folder]);
                range.map(move |at| ListItem::Document(contents.entries[at].clone()))
            }
        });
        skips.chain(documents).map(Ok)
    }
}
