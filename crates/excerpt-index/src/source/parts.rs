//! Names for the states of files: one hash for each part of a listing, so that it is known of two
//! states which parts differ.
//!
//! A part ends before a path whose hash says so. So a file that is added, changed or removed
//! changes the hashes of the one or two parts that it is in, and of no others.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use excerpt_chunk::Hash;
use rayon::prelude::*;

use super::{Changes, Entry};
use crate::cores::on_all_cores;
use crate::model::{Fingerprint, PathRange, Skip};

/// How many documents a part has on average.
const SIZE: u64 = 256;

/// If more than one in this many parts differs, everything is compared, which needs no memory for
/// the documents that are known.
const SHARE: usize = 8;

/// Up to this many parts may differ in any case.
const FEW: usize = 8;

/// The length of a name.
const NAME: usize = 32;

/// The parts of a listing, in the order of paths.
#[derive(Debug)]
pub(super) struct Parts(Vec<ListedPart>);

#[derive(Debug)]
struct ListedPart {
    entries: Range<usize>,
    skips: Range<usize>,
    name: String,
}

impl Parts {
    /// The parts of a listing, of which both are in the order of paths. `begun` is when it was
    /// begun, in nanoseconds since 1970.
    pub(super) fn of(entries: &[&Entry], skips: &[Skip], begun: i64) -> Parts {
        let starts = || {
            let starts = entries.par_iter().enumerate();
            let starts = starts.filter(|(at, entry)| *at > 0 && is_start(&entry.path));
            starts.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let mut starts = on_all_cores(starts);
        if !(entries.is_empty() && skips.is_empty()) {
            starts.insert(0, 0);
        }
        let ends = starts.iter().skip(1).copied().chain([entries.len()]);
        let mut skip = 0;
        let mut parts = Vec::with_capacity(starts.len());
        for (start, end) in starts.iter().copied().zip(ends) {
            let first = skip;
            skip = match entries.get(end) {
                Some(next) => skips.partition_point(|skip| skip.path < next.path),
                None => skips.len(),
            };
            parts.push((start..end, first..skip));
        }
        let parts = parts
            .into_par_iter()
            .map(|(of_entries, of_skips)| ListedPart {
                name: name(
                    &entries[of_entries.clone()],
                    &skips[of_skips.clone()],
                    begun,
                ),
                entries: of_entries,
                skips: of_skips,
            });
        Parts(on_all_cores(|| parts.collect()))
    }

    /// Their names, one after the other.
    pub(super) fn names(&self) -> String {
        self.0.iter().map(|part| &*part.name).collect()
    }

    /// What differs from a state with other `names`, for these parts of a listing; `None` if that
    /// is too much, or they are not names.
    pub(super) fn differing(
        &self,
        entries: &[&Entry],
        skips: &[Skip],
        names: &str,
    ) -> Option<Changes> {
        let (names, rest) = names.as_bytes().as_chunks::<NAME>();
        let numbers: HashMap<&[u8], usize> = names
            .iter()
            .enumerate()
            .map(|(number, name)| (&name[..], number))
            .collect();
        let numbered = self.0.iter().enumerate();
        let same: Vec<(usize, usize)> = numbered
            .filter_map(|(number, part)| Some((number, *numbers.get(part.name.as_bytes())?)))
            .collect();
        let most = self.0.len().max(names.len());
        if !rest.is_empty() || most - same.len() > FEW.max(most / SHARE) {
            return None;
        }
        let mut changes = Changes::default();
        // The numbers of the next part, among these and among those, if no part differs.
        let mut next = (0, 0);
        for found in same.into_iter().chain([(self.0.len(), names.len())]) {
            if found.0 < next.0 || found.1 < next.1 {
                return None;
            }
            if found != next {
                self.add(&mut changes, (entries, skips), next.0..found.0);
            }
            next = (found.0 + 1, found.1 + 1);
        }
        Some(changes)
    }

    /// Adds some parts in a row, and what may have been around and between them.
    fn add(&self, changes: &mut Changes, listing: (&[&Entry], &[Skip]), parts: Range<usize>) {
        let before = parts.start.checked_sub(1);
        let last = before.and_then(|part| self.0[part].paths(listing).1);
        let first = self.0.get(parts.end);
        let first = first.and_then(|part| part.paths(listing).0);
        changes.ranges.push(PathRange {
            after: last.map(str::to_string),
            before: first.map(str::to_string),
        });
        for part in &self.0[parts] {
            let entries = listing.0[part.entries.clone()].iter().copied();
            changes.listing.entries.extend(entries.cloned());
            let skips = &listing.1[part.skips.clone()];
            changes.listing.skips.extend_from_slice(skips);
        }
    }
}

impl ListedPart {
    /// Its first and its last path.
    fn paths<'l>(
        &self,
        (entries, skips): (&[&'l Entry], &'l [Skip]),
    ) -> (Option<&'l str>, Option<&'l str>) {
        let entries = &entries[self.entries.clone()];
        let skips = &skips[self.skips.clone()];
        let entry = |entry: Option<&&'l Entry>| entry.map(|entry| &*entry.path);
        let skip = |skip: Option<&'l Skip>| skip.map(|skip| &*skip.path);
        let first = [entry(entries.first()), skip(skips.first())];
        let last = [entry(entries.last()), skip(skips.last())];
        (
            first.into_iter().flatten().min(),
            last.into_iter().flatten().max(),
        )
    }
}

/// Whether a part starts with this path.
fn is_start(path: &str) -> bool {
    // Which hash this is does not matter: where another one is used, everything is compared once.
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish().is_multiple_of(SIZE)
}

/// The name of a part. One with a file that may still change and look the same has a name that no
/// later listing gives.
fn name(entries: &[&Entry], skips: &[Skip], begun: i64) -> String {
    let mut name = Fingerprint::default();
    name.add(&(entries.len() as u64).to_le_bytes());
    for Entry { path, version } in entries {
        let stat = version.stored();
        let numbers = [
            stat.size.to_le_bytes(),
            stat.mtime_ns.to_le_bytes(),
            stat.inode.unwrap_or_default().to_le_bytes(),
            stat.ctime_ns.unwrap_or_default().to_le_bytes(),
        ];
        name.add(path.as_bytes());
        name.add(numbers.as_flattened());
        if !stat.is_settled(begun) {
            name.add(&begun.to_le_bytes());
        }
    }
    for skip in skips {
        name.add(skip.path.as_bytes());
        name.add(skip.reason.name().as_bytes());
        name.add(skip.detail.as_deref().unwrap_or_default().as_bytes());
    }
    let name: Hash = name.end();
    name.to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{SkipReason, Stat};
    use crate::source::Listing;

    /// Files with their sizes; those of size 0 are skipped.
    type Sizes = BTreeMap<String, u64>;

    fn listing(files: &Sizes) -> Listing {
        let mut listing = Listing::default();
        for (path, size) in files {
            let stat = Stat {
                size: *size,
                ..Stat::default()
            };
            match size {
                0 => listing.skips.push(Skip::new(&**path, SkipReason::Ignored)),
                _ => listing.entries.push(Entry {
                    path: path.clone(),
                    version: stat.into(),
                }),
            }
        }
        listing
    }

    fn parts(files: &Sizes) -> Parts {
        let listing = listing(files);
        Parts::of(&entries(&listing), &listing.skips, i64::MAX)
    }

    fn entries(listing: &Listing) -> Vec<&Entry> {
        listing.entries.iter().collect()
    }

    /// What differs from the state `before`, if that is not too much.
    fn differing(before: &Sizes, after: &Sizes) -> Option<Changes> {
        let listing = listing(after);
        let names = parts(before).names();
        parts(after).differing(&entries(&listing), &listing.skips, &names)
    }

    #[test]
    fn what_is_not_in_a_range_is_the_same() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut few, mut none) = (0, 0);
        for round in 0..300 {
            let most = [0, 3, 300, 6_000][round % 4];
            let path = |random: &mut fastrand::Rng| {
                format!("{}/{}.md", random.usize(..9), random.usize(..=most * 2))
            };
            let before: Sizes = (0..most)
                .map(|_| (path(&mut random), random.u64(..20)))
                .collect();
            let mut after = before.clone();
            for _ in 0..random.usize(..4) {
                after.insert(path(&mut random), random.u64(..20));
                let gone = path(&mut random);
                let gone = after.range(gone..).next().map(|(path, _)| path.clone());
                let run = random.usize(..3) * random.usize(..200);
                let gone = gone.map(|gone| after.range(gone..).take(run + 1));
                let gone: Vec<String> = gone
                    .into_iter()
                    .flatten()
                    .map(|(path, _)| path.clone())
                    .collect();
                after.retain(|path, _| !gone.contains(path));
            }
            let Some(changes) = differing(&before, &after) else {
                none += 1;
                continue;
            };
            let is_in = |path: &str| changes.ranges.iter().any(|range| range.contains(path));
            let part = |sizes: &Sizes, wanted: bool| -> Sizes {
                let sizes = sizes.iter().filter(|(path, _)| is_in(path) == wanted);
                sizes.map(|(path, size)| (path.clone(), *size)).collect()
            };
            assert_eq!(part(&before, false), part(&after, false));
            assert_eq!(changes.listing, listing(&part(&after, true)));
            few += usize::from(changes.listing.entries.len() * 3 < after.len());
        }
        assert!(few > 70 && none == 0, "{few} {none}");
    }

    #[test]
    fn if_much_differs_everything_is_compared() {
        let files = |size| (0..6_000).map(move |n| (format!("{n}.md"), size));
        let before: Sizes = files(1).collect();
        assert_eq!(differing(&before, &files(2).collect()), None);
        assert_eq!(differing(&before, &Sizes::new()), None);
        assert_eq!(differing(&Sizes::new(), &before), None);
        assert!(differing(&Sizes::new(), &files(1).take(300).collect()).is_some());
    }

    #[test]
    fn names_that_are_damaged_lead_to_no_changes() {
        let files: Sizes = (0..3_000).map(|n| (format!("{n}.md"), 1)).collect();
        let (parts, listing) = (parts(&files), listing(&files));
        let names = parts.names();
        let (first, rest) = names.split_at(NAME);
        let differing = |names: &str| parts.differing(&entries(&listing), &listing.skips, names);
        assert_eq!(differing(&names), Some(Changes::default()));
        for damaged in [
            &names[1..],
            &format!("{rest}{first}"),
            "x",
            &"x".repeat(9_999 * NAME),
        ] {
            assert_eq!(differing(damaged), None);
        }
    }
}
