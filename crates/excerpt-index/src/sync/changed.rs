//! Syncs of sources that tell what has changed: only that part is compared with what is known.

use std::collections::HashSet;

use excerpt_chunk::Hash;
use excerpt_readers::Readers;

use super::plan::{self, KnownDocuments, Plan, Terms};
use super::summary;
use crate::model::{PathRange, SkipReason, SourceId, is_at_or_below, with_folders};
use crate::source::{Changes, Entries};
use crate::store::ledger::{Ledger, Registered};
use crate::store::{Known, SkipRow, StoreError};

/// What is kept of a sync: the settings of `identity` that documents were split with, the version
/// of the readers that have read them, the number of `documents`, and the version of summaries,
/// since all must be the same for documents outside of later changes; and the `cursor` of the
/// source, empty if it has none.
pub(super) fn kept(
    cursor: Option<&str>,
    documents: usize,
    identity: Hash,
    readers: &Readers,
) -> String {
    let cursor = cursor.unwrap_or_default();
    let (readers, summary) = (version_of(readers), summary::VERSION);
    format!("{identity} {readers} {documents} {summary} {cursor}")
}

/// Whether the readers are those of the last complete sync.
pub(super) fn has_same_readers(before: &Registered, readers: &Readers) -> bool {
    let kept = before.cursor.as_deref();
    let version = kept.and_then(|kept| kept.split(' ').nth(1));
    version == Some(&version_of(readers).to_string())
}

/// Whether the summary that is kept was made as one is now.
pub(super) fn has_same_summaries(before: &Registered) -> bool {
    let kept = before.cursor.as_deref();
    let version = kept.and_then(|kept| kept.split(' ').nth(3));
    version == Some(&summary::VERSION.to_string())
}

fn version_of(readers: &Readers) -> Hash {
    Hash::of(readers.version().as_bytes())
}

/// What has changed in a source, which has these `entries` now, since the last sync; `None` if
/// everything is to be compared.
pub(super) fn changes(
    ledger: &dyn Ledger,
    source: &SourceId,
    entries: &Entries<'_>,
    before: &Registered,
    terms: &Terms<'_>,
) -> Result<Option<Changes>, StoreError> {
    // What could not be read, or is kept as it was before.
    let is_open = |row: &SkipRow| {
        let reason = row.skip.reason;
        matches!(reason, SkipReason::Unreadable | SkipReason::Quarantined)
    };
    if terms.retry || !terms.trusts || before.skips.iter().any(is_open) {
        return Ok(None);
    }
    let kept = before.cursor.as_deref().unwrap_or_default();
    let mut parts = kept.splitn(5, ' ');
    let identity = parts.next().unwrap_or_default();
    let documents = parts.nth(1).unwrap_or_default();
    let is_same = identity == terms.identity.to_string() && terms.has_same_readers;
    let since = parts.nth(1).filter(|since| is_same && !since.is_empty());
    let Some(since) = since else {
        return Ok(None);
    };
    // A database may have lost some.
    let count = ledger.catalog()?.document_count(Some(source), "")?;
    match documents == count.to_string() {
        true => Ok(entries.changes(since)?),
        false => Ok(None),
    }
}

/// The plan for what has changed. Everything else stays as it is.
pub(super) fn plan(
    ledger: &dyn Ledger,
    source: &SourceId,
    changes: Changes,
    before: &[SkipRow],
    terms: &Terms<'_>,
) -> Result<Plan, StoreError> {
    let paths: HashSet<&str> = changes.paths.iter().map(String::as_str).collect();
    let known = known_in(ledger, source, &paths, &changes.ranges)?;
    let catalog = ledger.catalog()?;
    let first = terms.first.unwrap_or_default();
    let is_first = |known: &&Known| is_at_or_below(first, &known.path);
    let others = catalog.document_count(Some(source), "")? - known.len();
    let first_others = match first {
        "" => others,
        _ => catalog.document_count(Some(source), first)? - known.iter().filter(is_first).count(),
    };
    // A folder that is skipped as a whole is above what has changed in it.
    let above: HashSet<&str> = paths.iter().flat_map(|path| with_folders(path)).collect();
    let is_changed = |row: &&SkipRow| {
        let path = &*row.skip.path;
        let is_at = above.contains(path) || with_folders(path).any(|path| paths.contains(path));
        is_at || changes.ranges.iter().any(|range| range.contains(path))
    };
    let (within, outside): (Vec<&SkipRow>, Vec<_>) = before.iter().partition(is_changed);
    let within: Vec<SkipRow> = within.into_iter().cloned().collect();
    let listed = changes.listing.into_entries();
    let mut plan = plan::plan(known.into_iter().map(Ok), listed, &within, terms)?;
    // Those that were read and then skipped are listed, too.
    let read = |row: &&&SkipRow| row.stat.is_some();
    let skipped = outside.iter().filter(read);
    plan.listed += others + skipped.clone().count();
    let is_first = |row: &&&SkipRow| is_at_or_below(first, &row.skip.path);
    plan.first_listed += first_others + skipped.filter(is_first).count();
    plan.known += others;
    plan.unchanged += others;
    plan.skips.extend(outside.into_iter().cloned());
    Ok(plan)
}

/// The known documents at some paths and under them, and in some ranges, by path.
fn known_in(
    ledger: &dyn Ledger,
    source: &SourceId,
    paths: &HashSet<&str>,
    ranges: &[PathRange],
) -> Result<Vec<Known>, StoreError> {
    let mut all = Vec::new();
    for path in paths {
        let is_inside = with_folders(path)
            .skip(1)
            .any(|folder| paths.contains(folder));
        if !is_inside {
            all.extend(ledger.known_at(source, path)?);
        }
    }
    for range in ranges {
        for known in KnownDocuments::new(ledger, source, range.clone()) {
            all.push(known?);
        }
    }
    all.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    // A path may be in a range, too.
    all.dedup_by(|a, b| a.id == b.id);
    Ok(all)
}
