//! The files of a commit, without those that the rules of a source exclude.

use std::io;
use std::ops::Range;

use super::objects::{Blob, Objects};
use crate::fs::open::{CONFIGURATION_LIMIT, FileKind, Refused};
use crate::model::{Selection, Skip, SkipReason, Version};
use crate::source::rules::{IgnoreFiles, MARKS, PathKind, Rules};
use crate::source::{Entry, Listing};

/// A name in the tree of a commit.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TreeNode {
    /// The path below the part that is listed.
    path: Box<str>,
    kind: NodeKind,
    id: Box<str>,
    /// In bytes; 0 for what is no file, or is not in the repository.
    size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NodeKind {
    File,
    Link,
    Submodule,
}

/// Lists the files of a tree.
///
/// # Errors
///
/// When git fails, or the ignore files have too many patterns.
pub(super) fn listing(
    objects: &Objects,
    tree: &str,
    rules: Rules,
    selection: &Selection,
) -> io::Result<Listing> {
    let mut listing = Listing::default();
    let mut nodes = Vec::new();
    each_node(objects, tree, &mut |node| match node {
        Ok(node) => nodes.push(node),
        Err(skip) => listing.skips.push(skip),
    })?;
    // A tree that git would not write may have its names in another order, or twice.
    nodes.sort_unstable();
    nodes.dedup_by(|a, b| a.path == b.path);
    let mut walk = Walk {
        objects,
        nodes: &nodes,
        selection,
        listing,
        folders: vec![Folder {
            path: String::new(),
            nodes: 0..nodes.len(),
            rules,
        }],
    };
    while let Some(folder) = walk.folders.pop() {
        walk.list(&folder)?;
    }
    let mut listing = walk.listing;
    listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.skips.sort_by(|a, b| a.path.cmp(&b.path));
    // A name that is shown in another form may be that of a document.
    let entries = &listing.entries;
    let is_entry = |path: &str| entries.binary_search_by(|entry| (*entry.path).cmp(path));
    listing.skips.retain(|skip| is_entry(&skip.path).is_err());
    Ok(listing)
}

/// The blobs of the files in a tree on which the rules depend.
///
/// # Errors
///
/// When git fails.
pub(super) fn ignore_files(objects: &Objects, tree: &str) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    each_node(objects, tree, &mut |node| {
        let Ok(node) = node else {
            return;
        };
        let name = node.path.rsplit('/').next().unwrap_or_default();
        if node.kind == NodeKind::File && Rules::depend_on(name) {
            files.push(node.id.into());
        }
    })?;
    Ok(files)
}

/// Calls `visit` with each name in a tree that is no folder, or with why it is skipped.
fn each_node(
    objects: &Objects,
    tree: &str,
    visit: &mut dyn FnMut(Result<TreeNode, Skip>),
) -> io::Result<()> {
    let (mut count, mut bytes, mut problem) = (0, 0, None);
    let list = ["ls-tree", "-r", "-z", "-l", "--full-tree", tree];
    objects.each_word(&list, &mut |line| {
        count += 1;
        bytes += line.len() as u64;
        match node(line) {
            _ if bytes > objects.longest => {
                problem = Some("the paths of the commit are too long".to_string());
            }
            _ if count > objects.most_files => {
                let most = objects.most_files;
                problem = Some(format!("the commit has more than {most} files"));
            }
            Some(node) => visit(node),
            None => problem = Some("unexpected output from `git ls-tree`".to_string()),
        }
        problem.is_none()
    })?;
    problem.map_or(Ok(()), |problem| Err(io::Error::other(problem)))
}

/// A line of `git ls-tree -l`: `<mode> <type> <id> <size>`, a tab, and the path.
fn node(line: &[u8]) -> Option<Result<TreeNode, Skip>> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let head = std::str::from_utf8(&line[..tab]).ok()?;
    let words: Vec<&str> = head.split_ascii_whitespace().collect();
    let [mode, _, id, size] = words[..] else {
        return None;
    };
    let kind = match mode {
        "120000" => NodeKind::Link,
        "160000" => NodeKind::Submodule,
        _ => NodeKind::File,
    };
    let Ok(path) = std::str::from_utf8(&line[tab + 1..]) else {
        let path = String::from_utf8_lossy(&line[tab + 1..]);
        return Some(Err(Skip::new(path, SkipReason::NameNotUtf8)));
    };
    let is_plain = |name: &str| !matches!(name, "" | "." | "..");
    if !path.split('/').all(is_plain) {
        let names = path.split('/').map(|name| match is_plain(name) {
            true => name.to_string(),
            false => format!("%{}", name.replace('.', "2E")),
        });
        let path = names.collect::<Vec<_>>().join("/");
        return Some(Err(Skip::new(path, SkipReason::Special)));
    }
    Some(Ok(TreeNode {
        path: path.into(),
        kind,
        id: id.into(),
        size: size.parse().unwrap_or(0),
    }))
}

/// A folder still to be listed, and the rules of its parent.
struct Folder {
    path: String,
    /// Which of the nodes are below it.
    nodes: Range<usize>,
    rules: Rules,
}

/// Applies the rules, folder by folder.
struct Walk<'a> {
    objects: &'a Objects,
    nodes: &'a [TreeNode],
    selection: &'a Selection,
    listing: Listing,
    folders: Vec<Folder>,
}

impl Walk<'_> {
    fn list(&mut self, folder: &Folder) -> io::Result<()> {
        let nodes = &self.nodes[folder.nodes.clone()];
        let prefix = match &*folder.path {
            "" => String::new(),
            path => format!("{path}/"),
        };
        let child = |name: &str| {
            let path = format!("{prefix}{name}");
            let found = nodes.binary_search_by(|node| (*node.path).cmp(&*path));
            found.ok().map(|at| &nodes[at])
        };
        let holds = |name: &str| child(name).is_some();
        if !prefix.is_empty() && MARKS.iter().any(|mark| holds(mark)) {
            let skip = Skip::new(&*folder.path, SkipReason::Vendored);
            self.listing.skips.push(skip);
            return Ok(());
        }
        let read = |name: &str| self.ignore_file(child(name));
        let files = IgnoreFiles::Tree(&read);
        let (rules, refused) = folder.rules.within(&files, &folder.path, holds);
        if rules.are_too_many() {
            return Err(io::Error::other(
                "its ignore files contain too many patterns",
            ));
        }
        let mut at = folder.nodes.start;
        while at < folder.nodes.end {
            let node = &self.nodes[at];
            let name = &node.path[prefix.len()..];
            let Some(end) = name.find('/') else {
                at += 1;
                if !refused.iter().any(|skip| *skip.path == *node.path) {
                    self.add(node, &rules);
                }
                continue;
            };
            let inner = &node.path[..prefix.len() + end];
            let rest = &self.nodes[at..folder.nodes.end];
            // `0` comes after `/`: what begins with the name of the folder, but is not in it, comes
            // before or after all that is.
            let end = format!("{inner}0");
            let until = at + rest.partition_point(|node| *node.path < *end);
            match rules.skipped(inner, PathKind::Folder) {
                Some(skip) => self.listing.skips.push(skip),
                None => self.folders.push(Folder {
                    path: inner.to_string(),
                    nodes: at..until,
                    rules: rules.clone(),
                }),
            }
            at = until;
        }
        self.listing.skips.extend(refused);
        Ok(())
    }

    /// Adds a file, or why it is skipped.
    fn add(&mut self, node: &TreeNode, rules: &Rules) {
        let path = &*node.path;
        let limit = self.selection.max_size_of(path);
        let refused = match node.kind {
            NodeKind::Link => Some(Refused::Kind(FileKind::Link)),
            NodeKind::File if node.size > limit => {
                let size = node.size;
                Some(Refused::TooLarge { size, limit })
            }
            _ => None,
        };
        let skip = match node.kind {
            NodeKind::Submodule => Some(Skip::new(path, SkipReason::Submodule)),
            _ => rules.skipped(path, PathKind::File),
        };
        match skip.or_else(|| refused?.skip(path)) {
            Some(skip) => self.listing.skips.push(skip),
            None => self.listing.entries.push(Entry {
                path: path.to_string(),
                version: Version::Tag {
                    tag: node.id.to_string(),
                    size: node.size,
                    changed: None,
                },
            }),
        }
    }

    /// The text of an ignore file.
    fn ignore_file(&self, node: Option<&TreeNode>) -> Result<String, Refused> {
        let node = node.ok_or(Refused::Missing)?;
        if node.kind != NodeKind::File {
            return Err(Refused::Kind(FileKind::Link));
        }
        match self.objects.blob(&node.id, CONFIGURATION_LIMIT)? {
            Blob::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Blob::TooLarge(size) => Err(Refused::TooLarge {
                size,
                limit: CONFIGURATION_LIMIT,
            }),
            Blob::Missing => Err(Refused::Missing),
        }
    }
}
