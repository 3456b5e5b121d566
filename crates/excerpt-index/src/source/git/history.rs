//! The last commit of each file: [`LastCommits`].

use std::collections::{HashMap, HashSet};
use std::io;

use chrono::DateTime;
use serde_json::Value;

use super::objects::Objects;
use crate::model::{Provenance, Version};
use crate::source::Entry;

/// A commit, as far as a document shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Commit {
    id: String,
    /// When it was committed, in seconds since 1970.
    time: i64,
    author: String,
}

/// The commits that made files what they are: for each path, the last one in the history of a
/// commit in which the file became the blob that it is.
#[derive(Debug, Default)]
pub(super) struct LastCommits {
    commits: Vec<Commit>,
    of_path: HashMap<String, usize>,
}

impl LastCommits {
    /// Those of `entries`, whose tags are blobs and whose paths are below the folder `under`. A
    /// file that only a merge has put together has none.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub(super) fn of(
        objects: &Objects,
        commit: &str,
        under: &str,
        entries: &[Entry],
    ) -> io::Result<LastCommits> {
        let blobs = entries.iter().filter_map(|entry| match &entry.version {
            Version::Tag { tag, .. } => Some((&*entry.path, &**tag)),
            Version::Stat(_) => None,
        });
        let mut wanted: HashMap<&str, &str> = blobs.collect();
        let mut last = LastCommits::default();
        let log = [
            "log",
            "-z",
            "--format=%x01%H %ct %an",
            "--raw",
            "--root",
            "--no-abbrev",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-show-signature",
            "--end-of-options",
            commit,
        ];
        let mut blob: Option<String> = None;
        let mut current = None;
        objects.each_word(&log, &mut |word| {
            let word = &*String::from_utf8_lossy(word);
            // What follows the head of a commit begins on a line of its own.
            let word = word.strip_prefix('\n').unwrap_or(word);
            if let Some(blob) = blob.take() {
                let path = below(word, under).filter(|path| wanted.get(path) == Some(&&*blob));
                if let Some(path) = path {
                    wanted.remove(path);
                    last.commits.extend(current.take());
                    let at = last.commits.len().saturating_sub(1);
                    last.of_path.insert(path.to_string(), at);
                }
            } else if let Some(head) = word.strip_prefix('\u{1}') {
                current = commit_of(head);
            } else if let Some(change) = word.strip_prefix(':') {
                // `<mode> <mode> <blob> <blob> <letter>`; the path comes next.
                blob = change.split(' ').nth(3).map(str::to_string);
            }
            !wanted.is_empty()
        })?;
        Ok(last)
    }

    /// Adds the commit of a document to the tag of its entry.
    pub(super) fn complete(&self, entry: &mut Entry) {
        let at = self.of_path.get(&entry.path);
        let Some(commit) = at.and_then(|at| self.commits.get(*at)) else {
            return;
        };
        if let Version::Tag { tag, changed, .. } = &mut entry.version {
            let Commit { id, time, author } = commit;
            *tag = format!("{tag} {id} {time} {author}");
            *changed = Some(*time);
        }
    }
}

/// The paths below `under` that the commits after `since` name, until `commit`; `None` if `since`
/// is not in its history.
pub(super) fn touched(
    objects: &Objects,
    since: &str,
    commit: &str,
    under: &str,
) -> io::Result<Option<HashSet<String>>> {
    // A commit that is no longer in the history, or that was never there.
    if !objects.is_so(&[
        "merge-base",
        "--is-ancestor",
        "--end-of-options",
        since,
        commit,
    ])? {
        return Ok(None);
    }
    let log = [
        "log",
        "-z",
        "--format=",
        "--name-only",
        "--root",
        "--no-renames",
        "--no-ext-diff",
        "--no-show-signature",
        "--end-of-options",
        &format!("{since}..{commit}"),
    ];
    let mut paths = HashSet::new();
    objects.each_word(&log, &mut |word| {
        let word = String::from_utf8_lossy(word);
        let path = below(word.trim_start_matches('\n'), under);
        paths.extend(path.filter(|path| !path.is_empty()).map(str::to_string));
        true
    })?;
    Ok(Some(paths))
}

/// What the tag of an entry says about the commit of its document.
pub(super) fn provenance(tag: &str) -> Provenance {
    let mut provenance = Provenance::default();
    let Some(commit) = tag.split_once(' ').and_then(|(_, head)| commit_of(head)) else {
        return provenance;
    };
    let mut put = |name: &str, value: String| {
        provenance.insert(name.to_string(), Value::String(value));
    };
    put("commit", commit.id);
    put("author", commit.author);
    if let Some(time) = DateTime::from_timestamp(commit.time, 0) {
        put("committed", time.format("%Y-%m-%dT%H:%M:%SZ").to_string());
    }
    provenance
}

/// The blob in the tag of an entry.
pub(super) fn blob(tag: &str) -> &str {
    tag.split_once(' ').map_or(tag, |(blob, _)| blob)
}

fn commit_of(head: &str) -> Option<Commit> {
    let mut words = head.splitn(3, ' ');
    Some(Commit {
        id: words.next()?.to_string(),
        time: words.next()?.parse().ok()?,
        author: words.next().unwrap_or_default().to_string(),
    })
}

/// A path of the repository below the folder `under`.
fn below<'p>(path: &'p str, under: &str) -> Option<&'p str> {
    match under {
        "" => Some(path),
        under => path.strip_prefix(under)?.strip_prefix('/'),
    }
}
