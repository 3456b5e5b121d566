//! Syncs of sources that tell what has changed: only that part is compared with what is known.

use std::collections::HashSet;

use excerpt_chunk::Hash;

use super::plan::{self, Plan, Terms};
use crate::model::{Result, SkipReason, SourceId, is_at_or_below, with_folders};
use crate::source::{Changes, Source};
use crate::store::ledger::{Ledger, Registered};
use crate::store::{Known, SkipRow, StoreError};

/// The cursor to keep for documents that were split with the settings of `identity`: documents
/// outside of later changes must have been split with the same ones.
pub(super) fn cursor(source: &dyn Source, identity: Hash) -> Option<String> {
    let cursor = source.cursor()?;
    Some(format!("{identity} {cursor}"))
}

/// What has changed since the last sync; `None` if everything is to be compared.
pub(super) fn changes(
    source: &dyn Source,
    before: &Registered,
    terms: &Terms<'_>,
) -> Result<Option<Changes>> {
    let is_unreadable = |row: &SkipRow| row.skip.reason == SkipReason::Unreadable;
    if terms.retry || !terms.trusts || before.skips.iter().any(is_unreadable) {
        return Ok(None);
    }
    let known = before
        .cursor
        .as_deref()
        .and_then(|cursor| cursor.split_once(' '));
    match known {
        Some((identity, since)) if identity == terms.identity.to_string() => source.changes(since),
        _ => Ok(None),
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
    let known = known_at(ledger, source, &paths)?;
    let catalog = ledger.catalog()?;
    let first = terms.first.unwrap_or_default();
    let is_first = |known: &&Known| is_at_or_below(first, &known.path);
    let others = catalog.document_count(Some(source), "")? - known.len();
    let first_others =
        catalog.document_count(Some(source), first)? - known.iter().filter(is_first).count();
    // A folder that is skipped as a whole is above what has changed in it.
    let above: HashSet<&str> = paths.iter().flat_map(|path| with_folders(path)).collect();
    let is_changed = |row: &&SkipRow| {
        let path = &*row.skip.path;
        above.contains(path) || with_folders(path).any(|path| paths.contains(path))
    };
    let (within, outside): (Vec<&SkipRow>, Vec<_>) = before.iter().partition(is_changed);
    let within: Vec<SkipRow> = within.into_iter().cloned().collect();
    let listed = changes.listing.into_entries();
    let mut plan = plan::plan(known.into_iter().map(Ok), listed, &within, terms)?;
    plan.skips.extend(outside.into_iter().cloned());
    plan.known += others;
    plan.unchanged += others;
    plan.listed += others;
    plan.first_listed += first_others;
    Ok(plan)
}

/// The known documents at some paths and under them, by path.
fn known_at(
    ledger: &dyn Ledger,
    source: &SourceId,
    paths: &HashSet<&str>,
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
    all.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(all)
}
