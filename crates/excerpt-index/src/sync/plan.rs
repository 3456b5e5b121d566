//! The [`Plan`] of a sync: two streams in the order of paths, what there is and what is known, and
//! what to do about each difference. No file is read here, and nothing is written.

use std::collections::HashMap;
use std::iter::Peekable;

use excerpt_chunk::{CodeParser as _, Document, Hash};
use excerpt_grammars::Grammars;
use excerpt_readers::{Choice, Readers};

use crate::model::{
    DocumentId, Error, PathRange, Result, Skip, SkipReason, SourceId, is_at_or_below, with_folders,
};
use crate::source::{Entry, ListItem};
use crate::store::ledger::Ledger;
use crate::store::{Known, SkipRow, StoreError};

/// How much is read and split before it is written, while the same amount is being split: a killed
/// sync loses at most twice as much, which also bounds its memory.
pub(super) const BATCH_DOCUMENTS: usize = 256;
const BATCH_BYTES: u64 = 4 << 20;

/// The size above which a file is processed after all others, since it takes as long as many.
const LARGE: u64 = 64 << 10;

/// How many known documents are compared at once.
const PAGE: usize = 4096;

/// The work of a sync.
#[derive(Default)]
pub(super) struct Plan {
    /// Files to read, and texts to split again, by path.
    pub(super) steps: Vec<Step>,
    /// Those on which a process may have crashed.
    pub(super) suspects: Vec<Step>,
    /// How many of the steps are for documents that come first.
    pub(super) first: usize,
    /// Documents to remove.
    pub(super) removals: Vec<DocumentId>,
    /// Those of them that have disappeared, by file name and size: no skip explains their absence.
    pub(super) vanished: Vec<(String, u64)>,
    /// What is skipped.
    pub(super) skips: Vec<SkipRow>,
    /// How many documents are known, and how many of them have not changed.
    pub(super) known: usize,
    pub(super) unchanged: usize,
    /// How many documents are listed, and how many of them come first.
    pub(super) listed: usize,
    pub(super) first_listed: usize,
}

/// What a plan depends on besides the two streams.
pub(super) struct Terms<'a> {
    /// The settings that documents are to be split with.
    pub(super) identity: Hash,
    /// Whether stored sizes and times are meaningful.
    pub(super) trusts: bool,
    /// Whether what was skipped because of its contents is tried again.
    pub(super) retry: bool,
    /// The folder or file whose documents come first.
    pub(super) first: Option<&'a str>,
    /// What reads files that are not plain text.
    pub(super) readers: &'a Readers,
    /// Whether they are the same as at the last sync.
    pub(super) has_same_readers: bool,
}

impl Terms<'_> {
    /// Whether a file has the same size, times and inode as when it was last read.
    fn is_same(&self, known: &Known, entry: &Entry) -> bool {
        let is_same = known.stat == entry.version.stored();
        self.trusts && known.settled && is_same && self.is_read_alike(known)
    }

    /// Whether a document was read as its file would be read now. A reader may have declined a file
    /// because of its contents, and another version of it may not.
    fn is_read_alike(&self, known: &Known) -> bool {
        match (&known.extracted, self.readers.choose(&known.path)) {
            (None, Choice::Reader(..)) => self.has_same_readers,
            (None, choice) => !matches!(choice, Choice::Converter(_)),
            (Some((version, _)), choice) => choice.version().as_ref() == Some(version),
        }
    }

    /// Whether a document comes first; without a `first` folder or file, all do.
    fn is_first(&self, path: &str) -> bool {
        self.first.is_none_or(|first| is_at_or_below(first, path))
    }

    /// Whether what was skipped before can be skipped again without reading it.
    fn still_holds(&self, row: &SkipRow, known: Option<&Known>, entry: &Entry) -> bool {
        let reader = self.readers.choose(&entry.path).version();
        let holds = row.still_holds(entry.version.stored(), reader.as_deref());
        let is_settled = self.trusts && !self.retry && holds;
        is_settled && (known.is_none() || row.skip.reason == SkipReason::Quarantined)
    }
}

/// Compares what is `listed` with the documents that are `known` and with what was skipped
/// `before`. Both streams are ordered by path, so one pass over both finds the differences.
///
/// # Errors
///
/// Those of the two streams, and when what is listed is not in order: otherwise documents would be
/// removed that exist.
pub(super) fn plan(
    known: impl Iterator<Item = Result<Known, StoreError>>,
    listed: impl Iterator<Item = Result<ListItem>>,
    before: &[SkipRow],
    terms: &Terms<'_>,
) -> Result<Plan, StoreError> {
    let mut merge = Merge {
        plan: Plan::default(),
        known: known.peekable(),
        gone: Vec::new(),
        before: before.iter().map(|row| (&*row.skip.path, row)).collect(),
        terms,
        last: String::new(),
    };
    let mut skips = Vec::new();
    for listed in listed {
        match listed? {
            ListItem::Document(entry) => merge.add(entry)?,
            ListItem::Skip(skip) => skips.push(skip),
        }
    }
    merge.end(skips)
}

/// One pass over what is listed and what is known.
struct Merge<'a, K: Iterator<Item = Result<Known, StoreError>>> {
    plan: Plan,
    /// The known documents that are still to be compared.
    known: Peekable<K>,
    /// Those that were not listed.
    gone: Vec<Known>,
    /// What was skipped before, by path.
    before: HashMap<&'a str, &'a SkipRow>,
    terms: &'a Terms<'a>,
    /// The path that was listed last.
    last: String,
}

impl<K: Iterator<Item = Result<Known, StoreError>>> Merge<'_, K> {
    /// Adds a listed document.
    fn add(&mut self, entry: Entry) -> Result<(), StoreError> {
        if self.plan.listed > 0 && entry.path <= self.last {
            return Err(StoreError::Told(Error::Unordered { path: entry.path }));
        }
        self.last.clone_from(&entry.path);
        self.plan.listed += 1;
        self.plan.first_listed += usize::from(self.terms.is_first(&entry.path));
        while let Some(missing) = self.next_known(|path| *path < *entry.path)? {
            self.gone.push(missing);
        }
        let known = self.next_known(|path| *path == *entry.path)?;
        self.compare(entry, known);
        Ok(())
    }

    /// Decides what to do about a listed document.
    fn compare(&mut self, entry: Entry, known: Option<Known>) {
        let (plan, terms) = (&mut self.plan, self.terms);
        let skipped = self.before.get(&*entry.path);
        let is_same = known
            .as_ref()
            .is_some_and(|known| terms.is_same(known, &entry));
        match (known, skipped) {
            (Some(known), _) if is_same && known.identity == terms.identity => plan.unchanged += 1,
            (known, Some(row)) if terms.still_holds(row, known.as_ref(), &entry) => {
                plan.skips.push((*row).clone());
            }
            (Some(known), _) if is_same => plan.steps.push(Step::Recut { known }),
            (known, _) => plan.steps.push(Step::Read { entry, known }),
        }
    }

    /// The next known document, if its path is `wanted`. An error is the next one whatever is
    /// wanted, so that it is not passed over.
    fn next_known(&mut self, wanted: impl Fn(&str) -> bool) -> Result<Option<Known>, StoreError> {
        let next = self.known.next_if(|next| {
            next.as_ref()
                .map_or(true, |known: &Known| wanted(&known.path))
        });
        let next = next.transpose()?;
        self.plan.known += usize::from(next.is_some());
        Ok(next)
    }

    /// Ends the plan: what was not listed is removed, unless it is among the `skips` because it
    /// could not be read.
    fn end(mut self, skips: Vec<Skip>) -> Result<Plan, StoreError> {
        while let Some(missing) = self.next_known(|_| true)? {
            self.gone.push(missing);
        }
        let Merge { mut plan, gone, .. } = self;
        let left_out = Exclusions::of(&skips);
        for missing in gone {
            plan.remove(missing, &left_out);
        }
        let skips = skips.into_iter().map(|skip| SkipRow {
            skip,
            stat: None,
            settled: false,
            reader: None,
        });
        plan.skips.extend(skips);
        Ok(plan)
    }
}

/// A document to process.
pub(super) enum Step {
    /// The file is new or looks different.
    Read { entry: Entry, known: Option<Known> },
    /// The text is the same, but the configuration has changed.
    Recut { known: Known },
}

/// The entries that steps read.
pub(super) fn read_in(steps: &[Step]) -> Vec<&Entry> {
    let read = steps.iter().filter_map(|step| match step {
        Step::Read { entry, .. } => Some(entry),
        Step::Recut { .. } => None,
    });
    read.collect()
}

impl Plan {
    /// Removes a document that was not listed, unless it is where the listing failed.
    fn remove(&mut self, known: Known, left_out: &Exclusions<'_>) {
        match left_out.at(&known.path) {
            Some(SkipReason::Unreadable) => return,
            Some(_) => {}
            None => {
                let name = known.path.rsplit('/').next().unwrap_or_default();
                self.vanished.push((name.to_string(), known.stat.size));
            }
        }
        self.removals.push(known.id);
    }

    /// Whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// How many documents it is about.
    pub(super) fn size(&self) -> usize {
        self.steps.len() + self.suspects.len() + self.removals.len()
    }

    /// Orders the steps: those in the folder or file `first` before all others.
    pub(super) fn order(&mut self, first: Option<&str>, readers: &Readers) {
        let is_first = |step: &Step| first.is_some_and(|first| is_at_or_below(first, step.path()));
        self.first = self.steps.iter().filter(|step| is_first(step)).count();
        self.steps
            .sort_by_cached_key(|step| (!is_first(step), step.turn(readers)));
    }

    /// How many of the documents that have disappeared are new ones elsewhere, by name and size.
    pub(super) fn moved(&self) -> usize {
        let mut appeared: HashMap<(&str, u64), usize> = HashMap::new();
        for step in &self.steps {
            if let Step::Read { entry, known: None } = step {
                let name = entry.path.rsplit('/').next().unwrap_or_default();
                *appeared.entry((name, entry.version.size())).or_default() += 1;
            }
        }
        let mut moved = 0;
        for (name, size) in &self.vanished {
            if let Some(left) = appeared.get_mut(&(&**name, *size))
                && *left > 0
            {
                *left -= 1;
                moved += 1;
            }
        }
        moved
    }
}

/// The steps of the next batch.
pub(super) fn batch(
    steps: &mut Peekable<std::vec::IntoIter<Step>>,
    readers: &Readers,
) -> Vec<Step> {
    let mut batch = Vec::new();
    let mut bytes: u64 = 0;
    // What a source says about sizes may be anything.
    let with = |bytes: u64, step: &Step| bytes.saturating_add(step.size(readers));
    while batch.len() < BATCH_DOCUMENTS
        && let Some(step) =
            steps.next_if(|step| batch.is_empty() || with(bytes, step) <= BATCH_BYTES)
    {
        bytes = with(bytes, &step);
        batch.push(step);
    }
    batch
}

impl Step {
    pub(super) fn path(&self) -> &str {
        match self {
            Step::Read { entry, .. } => &entry.path,
            Step::Recut { known } => &known.path,
        }
    }

    /// The order that helps the first answer: small files before large ones, prose before code and
    /// data, files near the top before deeper ones. Equal steps stay in the order of their paths.
    pub(super) fn turn(&self, readers: &Readers) -> (bool, bool, usize) {
        let path = self.path();
        let named = Document::new("").with_path(path);
        (
            self.is_large(readers),
            Grammars.detect(&named).is_some(),
            path.matches('/').count(),
        )
    }

    /// Whether it takes as long as many.
    pub(super) fn is_large(&self, readers: &Readers) -> bool {
        self.size(readers) > LARGE
    }

    /// The document, if its text may be split as it is stored: that of a file which is the same
    /// does not have to be extracted again.
    pub(super) fn kept(&self) -> Option<&Known> {
        match self {
            Step::Read { known, .. } => known.as_ref().filter(|known| known.extracted.is_some()),
            Step::Recut { known } => Some(known),
        }
    }

    /// The memory that it will take. What is packed, or converted by a program, may be much larger
    /// than its file.
    pub(super) fn size(&self, readers: &Readers) -> u64 {
        const PACKED: u64 = 1 << 20;
        let size = match self {
            Step::Read { entry, .. } => entry.version.size(),
            Step::Recut { known } => known.stat.size,
        };
        match readers.choose(self.path()) {
            Choice::Converter(_) => size.max(PACKED),
            Choice::Reader(format, _) if format.is_packed() => size.max(PACKED),
            _ => size,
        }
    }
}

/// The known documents of a source, by path, read in pages.
pub(super) struct KnownDocuments<'a> {
    ledger: &'a dyn Ledger,
    source: &'a SourceId,
    page: std::vec::IntoIter<Known>,
    /// The paths of those that have not been read.
    left: PathRange,
    ended: bool,
}

impl<'a> KnownDocuments<'a> {
    /// Those in a range of paths.
    pub(super) fn new(ledger: &'a dyn Ledger, source: &'a SourceId, range: PathRange) -> Self {
        KnownDocuments {
            ledger,
            source,
            page: Vec::new().into_iter(),
            left: range,
            ended: false,
        }
    }
}

impl Iterator for KnownDocuments<'_> {
    type Item = Result<Known, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.as_slice().is_empty() && !self.ended {
            let page = match self.ledger.known(self.source, &self.left, PAGE) {
                Ok(page) => page,
                Err(error) => return Some(Err(error)),
            };
            self.ended = page.len() < PAGE;
            self.left.after = page.last().map(|known| known.path.clone());
            self.page = page.into_iter();
        }
        self.page.next().map(Ok)
    }
}

/// What a listing skipped, and why. The indexed state of a path that could not be read stays.
struct Exclusions<'a>(HashMap<&'a str, SkipReason>);

impl<'a> Exclusions<'a> {
    fn of(skips: &'a [Skip]) -> Self {
        let skips = skips.iter();
        Exclusions(skips.map(|skip| (&*skip.path, skip.reason)).collect())
    }

    /// Why `path`, or a folder that contains it, was skipped.
    fn at(&self, path: &str) -> Option<SkipReason> {
        // The outermost decides: what is below it was not looked at.
        let found = with_folders(path).filter_map(|path| self.0.get(path).copied());
        found.last()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::btree_map;
    use proptest::prelude::*;

    use excerpt_readers::Converter;

    use super::*;
    use crate::model::{Encoding, Stat};
    use crate::source::Listing;

    #[test]
    fn what_lies_under_an_unreadable_folder_stays() {
        let skips = [
            Skip::new("a/b", SkipReason::Unreadable),
            Skip::new("c", SkipReason::Ignored),
        ];
        let left_out = Exclusions::of(&skips);
        for path in ["a/b", "a/b/c/d.md"] {
            assert_eq!(left_out.at(path), Some(SkipReason::Unreadable));
        }
        assert_eq!(left_out.at("c/d.md"), Some(SkipReason::Ignored));
        for path in ["a/bc.md", "a"] {
            assert_eq!(left_out.at(path), None);
        }
    }

    /// A document with this size, and whether it was split with the current settings.
    fn known(path: &str, (size, is_current): (u64, bool)) -> Known {
        Known {
            id: DocumentId(path.len() as u64),
            path: path.to_string(),
            stat: stat(size),
            settled: true,
            encoding: Encoding::default(),
            extracted: None,
            hash: Hash::of(b""),
            identity: identity(is_current),
        }
    }

    fn stat(size: u64) -> Stat {
        Stat {
            size,
            ..Stat::default()
        }
    }

    fn identity(is_current: bool) -> Hash {
        Hash::of(if is_current { b"current" } else { b"former!" })
    }

    fn planned(
        known_documents: &BTreeMap<String, (u64, bool)>,
        listed: &BTreeMap<String, u64>,
        skips: &[Skip],
    ) -> Plan {
        let known_documents = known_documents.iter();
        let known_documents = known_documents.map(|(path, state)| Ok(known(path, *state)));
        let entries = listed.iter().map(|(path, size)| Entry {
            path: path.clone(),
            version: stat(*size).into(),
        });
        let listing = Listing {
            entries: entries.collect(),
            skips: skips.to_vec(),
        };
        let terms = Terms {
            identity: identity(true),
            trusts: true,
            retry: false,
            first: None,
            readers: &Readers::default(),
            has_same_readers: true,
        };
        plan(known_documents, listing.into_entries(), &[], &terms).unwrap()
    }

    proptest! {
        #[test]
        fn each_document_is_kept_split_or_removed_once(
            known_documents in btree_map("[ab]/[a-d]{1,2}", (0_u64..3, any::<bool>()), 0..12),
            listed in btree_map("[ab]/[a-d]{1,2}", 0_u64..3, 0..12),
            is_unreadable in any::<bool>(),
        ) {
            let listed: BTreeMap<_, _> = match is_unreadable {
                true => listed.into_iter().filter(|(path, _)| !path.starts_with("b/")).collect(),
                false => listed,
            };
            let skips = [Skip::new("b", SkipReason::Unreadable)];
            let plan = planned(&known_documents, &listed, if is_unreadable { &skips } else { &[] });
            let steps: Vec<&str> = plan.steps.iter().map(Step::path).collect();
            prop_assert!(steps.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(steps.len() + plan.unchanged, listed.len());
            for (path, size) in &listed {
                let expected = match known_documents.get(path) {
                    Some((known, true)) if known == size => None,
                    Some((known, false)) if known == size => Some(false),
                    _ => Some(true),
                };
                let step = plan.steps.iter().find(|step| step.path() == path);
                let is_read = step.map(|step| matches!(step, Step::Read { .. }));
                prop_assert_eq!(is_read, expected, "{}", path);
            }
            let is_gone = |path: &&String| {
                !(listed.contains_key(*path) || is_unreadable && path.starts_with("b/"))
            };
            let gone = known_documents.keys().filter(is_gone).count();
            prop_assert_eq!(plan.removals.len(), gone);
            prop_assert_eq!(plan.vanished.len(), gone);
        }
    }

    fn read(path: &str, size: u64) -> Step {
        let (path, version) = (path.to_string(), stat(size).into());
        Step::Read {
            entry: Entry { path, version },
            known: None,
        }
    }

    #[test]
    fn what_a_program_converts_may_be_large() {
        let converter = Converter::new("*.rec", "cat {}").unwrap();
        let (none, converters) = (Readers::default(), Readers::with(vec![converter]));
        let is_large = |path, readers| read(path, 1_000).is_large(readers);
        assert!(!is_large("a.md", &converters));
        assert!(is_large("a.rec", &converters) && !is_large("a.rec", &none));
    }

    #[test]
    fn sizes_beyond_all_bounds_make_small_batches() {
        let steps: Vec<Step> = ["a", "b", "c"].map(|path| read(path, u64::MAX)).into();
        let mut steps = steps.into_iter().peekable();
        let batches = [(); 4].map(|()| batch(&mut steps, &Readers::default()).len());
        assert_eq!(batches, [1, 1, 1, 0]);
        let steps = vec![read("a", 1), read("b", u64::MAX)];
        let mut steps = steps.into_iter().peekable();
        assert_eq!(batch(&mut steps, &Readers::default()).len(), 1);
    }

    #[test]
    fn an_error_in_the_middle_is_the_error_of_the_plan() {
        let known = [Ok(known("a", (1, true))), Err(StoreError::Torn)];
        let terms = Terms {
            identity: identity(true),
            trusts: true,
            retry: false,
            first: None,
            readers: &Readers::default(),
            has_same_readers: true,
        };
        let planned = plan(known.into_iter(), std::iter::empty(), &[], &terms);
        assert!(matches!(planned, Err(StoreError::Torn)));
    }

    #[test]
    fn a_listing_that_fails_or_is_not_in_order_removes_nothing() {
        let terms = Terms {
            identity: identity(true),
            trusts: true,
            retry: false,
            first: None,
            readers: &Readers::default(),
            has_same_readers: true,
        };
        let entry = |path: &str| {
            let (path, version) = (path.to_string(), stat(1).into());
            Ok(ListItem::Document(Entry { path, version }))
        };
        let failed = || {
            Err(Error::NotFound {
                path: "remote".into(),
            })
        };
        for listed in [
            vec![entry("a"), failed()],
            vec![entry("b"), entry("a")],
            vec![entry("a"), entry("a")],
        ] {
            let known = [Ok(known("a", (1, true))), Ok(known("c", (1, true)))];
            let planned = plan(known.into_iter(), listed.into_iter(), &[], &terms);
            assert!(matches!(planned, Err(StoreError::Told(_))));
        }
    }
}
