//! Lists of the contents of an index: its documents, their folders and their warnings.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::analysis::{days, language};
use crate::model::{
    ChangeDate, DateFrom, DocumentEntry, DocumentId, FolderEntry, ListOptions, ListOrder, SourceId,
    Warned, segments,
};
use crate::source::Origin;
use crate::source::commits::{Commit, Commits};
use crate::store::catalog::Catalog;
use crate::store::facet::{DATE, TAG};
use crate::store::{Listed, StoreError};

/// The source to list, if one is named.
fn source(options: &ListOptions) -> Option<SourceId> {
    options.source.as_deref().map(SourceId::from)
}

/// The warnings of the last splitting of the documents of a source, by path and line.
pub(crate) fn warnings(
    catalog: &dyn Catalog,
    source: &SourceId,
) -> Result<Vec<Warned>, StoreError> {
    let mut warned = Vec::new();
    catalog.each_warned(source, &mut |path, lines, json| {
        let warnings: Vec<String> = serde_json::from_str(json)?;
        warned.extend(warnings.into_iter().map(|warning| Warned {
            path: path.clone(),
            lines,
            warning,
        }));
        Ok(())
    })?;
    Ok(warned)
}

/// How many documents there are, whatever the limit.
pub(crate) fn document_count(
    catalog: &dyn Catalog,
    options: &ListOptions,
) -> Result<usize, StoreError> {
    let path = segments(options.path.as_deref().unwrap_or_default());
    catalog.document_count(source(options).as_ref(), &path)
}

/// The same, and how many chunks they have.
pub(crate) fn counts(
    catalog: &dyn Catalog,
    options: &ListOptions,
) -> Result<(usize, usize), StoreError> {
    let path = segments(options.path.as_deref().unwrap_or_default());
    let counts = catalog.counts(source(options).as_ref(), &path)?;
    Ok((counts.documents, counts.chunks))
}

/// The tags with their counts, the most frequent first.
pub(crate) fn tags(
    catalog: &dyn Catalog,
    options: &ListOptions,
) -> Result<Vec<(String, usize)>, StoreError> {
    let path = segments(options.path.as_deref().unwrap_or_default());
    let mut documents = HashSet::new();
    catalog.each_listed(source(options).as_ref(), &path, None, &mut |document| {
        documents.insert(document.id);
    })?;
    let mut counts = HashMap::<String, usize>::new();
    catalog.each_facet(TAG, &mut |document, tag| {
        if documents.contains(&document) {
            *counts.entry(tag.to_string()).or_default() += 1;
        }
    })?;
    let mut tags: Vec<_> = counts.into_iter().collect();
    tags.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(tags)
}

/// The documents.
pub(crate) fn documents(
    catalog: &dyn Catalog,
    options: &ListOptions,
) -> Result<Vec<DocumentEntry>, StoreError> {
    let path = segments(options.path.as_deref().unwrap_or_default());
    let is_recent = options.order == ListOrder::Recent;
    let limit = options.limit.filter(|_| !is_recent);
    let mut listed = Vec::new();
    catalog.each_listed(source(options).as_ref(), &path, limit, &mut |document| {
        listed.push((document, None));
    })?;
    if is_recent {
        date(catalog, &mut listed, options.limit)?;
    }
    let entries = listed.into_iter().map(|(document, changed)| {
        Ok(DocumentEntry {
            chunks: catalog.chunk_count(document.id)?,
            language: language(&document.path),
            source: document.source.path().into(),
            path: document.path,
            title: document.title,
            size: document.stat.size,
            modified: document.stat.seconds(),
            changed,
            syntax: document.syntax,
        })
    });
    entries.collect()
}

/// Dates documents, and keeps as many of them as wanted, the newest first. Commits are read
/// when they are asked for: a commit changes the date of a document without changing its file,
/// so that a sync has no reason to look at it.
fn date(
    catalog: &dyn Catalog,
    listed: &mut Vec<(Listed, Option<ChangeDate>)>,
    limit: Option<usize>,
) -> Result<(), StoreError> {
    /// How long git may take for all sources that are listed. What it has read by then is used.
    const PATIENCE: Duration = Duration::from_secs(2);
    let end = Instant::now() + PATIENCE;
    let days = own_days(catalog)?;
    let most = limit.unwrap_or(usize::MAX);
    let commits = commits(listed, most, end);
    for (document, changed) in &mut *listed {
        let commits = commits.get(&document.source);
        let commit = commits.and_then(|commits| commits.of_file(&document.path));
        *changed = Some(change_date(document, commit, days.get(&document.id)));
    }
    listed.sort_by_key(|(document, changed)| {
        let is_file = changed.is_some_and(|changed| changed.from == DateFrom::File);
        let exact = is_file.then_some(document.stat.mtime_ns);
        Reverse((changed.map(|changed| changed.at), exact))
    });
    listed.truncate(most);
    Ok(())
}

/// The days since 1970 that documents give as their own dates; of several dates, the last one.
fn own_days(catalog: &dyn Catalog) -> Result<HashMap<DocumentId, i64>, StoreError> {
    let mut dated: HashMap<DocumentId, i64> = HashMap::new();
    catalog.each_facet(DATE, &mut |document, date| {
        if let Some(day) = days::since_1970(date) {
            let known = dated.entry(document).or_insert(day);
            *known = day.max(*known);
        }
    })?;
    Ok(dated)
}

/// The commits of the listed documents, at most `most` of each source, as far as git has read them
/// by `end`.
fn commits(
    listed: &[(Listed, Option<ChangeDate>)],
    most: usize,
    end: Instant,
) -> HashMap<SourceId, Commits> {
    let mut sources: BTreeMap<&SourceId, HashSet<&str>> = BTreeMap::new();
    for (document, _) in listed {
        let paths = sources.entry(&document.source).or_default();
        paths.insert(&document.path);
    }
    sources
        .into_iter()
        .filter_map(|(source, paths)| {
            let commits = Commits::of(source.path(), most, |path| paths.contains(path), end)?;
            Some((source.clone(), commits))
        })
        .collect()
}

/// When a document was changed, by its last commit, by the day since 1970 that it gives itself, or
/// else by its file.
fn change_date(document: &Listed, commit: Option<Commit>, day: Option<&i64>) -> ChangeDate {
    /// The seconds of a day.
    const DAY: i64 = 86_400;
    let day = day.map(|day| day * DAY);
    // Of a document in a git repository, the source gives the time of its last commit.
    let is_committed = document.stat.is_of_tag()
        && document.stat.mtime_ns != 0
        && matches!(Origin::of(document.source.path()), Origin::Git(_));
    let commit = commit.or(is_committed.then_some(Commit::At(document.stat.seconds())));
    let (at, from) = match (commit, day) {
        (Some(Commit::At(at)), _) => (at, DateFrom::Commit),
        (Some(Commit::Before(at)), day) => match day.filter(|day| *day < at) {
            Some(day) => (day, DateFrom::Document),
            None => (at, DateFrom::Commit),
        },
        (None, Some(day)) => (day, DateFrom::Document),
        _ => (document.stat.seconds(), DateFrom::File),
    };
    ChangeDate { at, from }
}

/// The folders that contain documents, by source and path, each folder before those under it.
pub(crate) fn folders(
    catalog: &dyn Catalog,
    options: &ListOptions,
) -> Result<Vec<FolderEntry>, StoreError> {
    let path = segments(options.path.as_deref().unwrap_or_default());
    // Ordered by segments, a folder comes before what is under it, which comes before the next
    // sibling.
    let mut folders: BTreeMap<(SourceId, Vec<String>), (usize, usize)> = BTreeMap::new();
    catalog.each_listed(source(options).as_ref(), &path, None, &mut |document| {
        let mut segments: Vec<String> = document.path.split('/').map(str::to_string).collect();
        let mut is_own = true;
        while segments.pop().is_some() && (is_own || segments.join("/").len() >= path.len()) {
            let counts = folders
                .entry((document.source.clone(), segments.clone()))
                .or_default();
            counts.0 += usize::from(is_own);
            counts.1 += 1;
            is_own = false;
        }
    })?;
    let entries = folders
        .into_iter()
        .map(|((source, segments), counts)| FolderEntry {
            source: source.path().into(),
            path: segments.join("/"),
            documents: counts.0,
            documents_under: counts.1,
        });
    let limit = options.limit.unwrap_or(usize::MAX);
    Ok(entries.take(limit).collect())
}
