//! The note about skipped files, shown if nothing was found or there is nothing.

use std::collections::BTreeMap;

use excerpt_index::{Index, Skip, SkipReason, is_at_or_below};
use excerpt_service::text::thousands;
use excerpt_service::{IndexTarget, Paths};

use crate::cli::messages::{Asker, excluded};

/// The maximum number of reasons that are named.
const REASONS: usize = 3;

/// The files that were skipped where the search was done, and how to include them; `None` if there
/// are none.
pub(crate) fn skipped(index: &Index, target: &IndexTarget, paths: &Paths) -> Option<String> {
    let mut counts: BTreeMap<SkipReason, (usize, String, Option<String>)> = BTreeMap::new();
    for source in &target.sources {
        // A source that was never synced has not skipped anything yet.
        let skips = index.skips(&source.root).unwrap_or_default();
        for skip in skips.iter().filter(|skip| concerns(target, skip)) {
            let shown = paths.shown(&source.root, &skip.path);
            if target.path.as_deref() == Some(&*skip.path) || source.root.is_file() {
                let collection = source.collection.as_ref();
                let asker = match collection.filter(|_| target.place.is_none()) {
                    Some(known) => Asker::Collection(&known.name),
                    None => Asker::Search,
                };
                return Some(excluded(&shown, skip, asker));
            }
            let first = (0, shown, skip.detail.clone());
            counts.entry(skip.reason).or_insert(first).0 += 1;
        }
    }
    // Files of these kinds are rarely the ones that are wanted.
    counts.retain(|reason, _| !matches!(reason, SkipReason::Hidden | SkipReason::Vendored));
    if counts.is_empty() {
        return None;
    }
    Some(summary(counts, &status(target)))
}

/// The command that shows the state of what was searched.
fn status(target: &IndexTarget) -> String {
    /// How many collections are named.
    const NAMED: usize = 3;
    let all = target.sources.iter().filter(|_| target.place.is_none());
    let names = all.filter_map(|source| source.collection.as_ref());
    let names: Vec<&str> = names.map(|known| &*known.name).collect();
    match names.len() {
        0 => "excerpt status".to_string(),
        1..=NAMED => format!("excerpt status -c {}", names.join(" -c ")),
        _ => "excerpt status --library".to_string(),
    }
}

/// The numbers of skipped files, most first, with an example of each reason. `status` is the
/// command that shows the state of what was searched.
fn summary(counts: BTreeMap<SkipReason, (usize, String, Option<String>)>, status: &str) -> String {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, (count, ..))| std::cmp::Reverse(*count));
    let named = counts
        .iter()
        .take(REASONS)
        .map(|(reason, (count, example, detail))| {
            let such = if *count == 1 { "" } else { "such as " };
            let rule = detail.as_ref().filter(|_| *reason == SkipReason::Ignored);
            let rule = rule.map_or(String::new(), |rule| format!(", by {rule}"));
            format!("{} {reason} ({such}`{example}`{rule})", thousands(*count))
        });
    let named = named.collect::<Vec<_>>().join(", ");
    let mut named_reasons = counts.iter().take(REASONS);
    let is_ignored = named_reasons.any(|(reason, _)| *reason == SkipReason::Ignored);
    let advice = if is_ignored {
        "; --no-ignore includes what is ignored"
    } else {
        ""
    };
    format!("not searched: {named}; `{status} --skips` lists them all{advice}")
}

fn concerns(target: &IndexTarget, skip: &Skip) -> bool {
    let Some(path) = &target.path else {
        return true;
    };
    is_at_or_below(path, &skip.path) || is_at_or_below(&skip.path, path)
}
