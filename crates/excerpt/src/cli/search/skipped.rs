//! The note about skipped files, shown if nothing was found.

use std::collections::BTreeMap;

use excerpt_index::{Index, Secret, Skip, SkipReason};

use crate::output::thousands;
use crate::place::{Paths, Target};

/// The maximum number of reasons that are named.
const REASONS: usize = 3;

/// The files that were skipped where the search was done, and how to include them; `None` if there are none.
pub(super) fn skipped(index: &Index, target: &Target, paths: &Paths) -> Option<String> {
    let mut counts: BTreeMap<SkipReason, (usize, String)> = BTreeMap::new();
    for source in &target.sources {
        // A source that was never synced has not skipped anything yet.
        let skips = index.skips(&source.root).unwrap_or_default();
        for skip in skips.iter().filter(|skip| concerns(target, skip)) {
            let shown = paths.shown(&source.root, &skip.path);
            if target.path.as_deref() == Some(&*skip.path) || source.root.is_file() {
                return Some(alone(&shown, skip));
            }
            counts.entry(skip.reason).or_insert((0, shown)).0 += 1;
        }
    }
    // Files of these kinds are rarely the ones that are wanted.
    counts.retain(|reason, _| !matches!(reason, SkipReason::Hidden | SkipReason::Vendored));
    if counts.is_empty() {
        return None;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let named = counts
        .iter()
        .take(REASONS)
        .map(|(reason, (count, example))| {
            let such = if *count == 1 { "" } else { "such as " };
            format!("{} {reason} ({such}`{example}`)", thousands(*count))
        });
    let named = named.collect::<Vec<_>>().join(", ");
    Some(format!(
        "not searched: {named}; `excerpt status --skips` lists them all"
    ))
}

fn concerns(target: &Target, skip: &Skip) -> bool {
    let Some(path) = &target.path else {
        return true;
    };
    let below = |folder: &str, path: &str| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(path, &skip.path) || below(&skip.path, path)
}

/// The note about a file or folder that was named.
fn alone(shown: &str, skip: &Skip) -> String {
    let detail = skip.detail.as_ref().map(|detail| format!(" ({detail})"));
    let advice = match skip.reason {
        SkipReason::Binary => ": excerpt reads text files only",
        SkipReason::TooLarge => ": raise `max_file_size` in `[files]` of your excerpt.toml",
        SkipReason::LeftOut => ": change `include` or `ignore` in `[files]` of excerpt.toml",
        SkipReason::NotUtf8 => ": convert it to UTF-8",
        SkipReason::Secret => {
            return format!(
                "`{shown}` {}{}: {}",
                skip.reason,
                detail.unwrap_or_default(),
                Secret::ADVICE
            );
        }
        _ => "",
    };
    format!(
        "`{shown}` is not indexed: {}{}{advice}",
        skip.reason,
        detail.unwrap_or_default()
    )
}
