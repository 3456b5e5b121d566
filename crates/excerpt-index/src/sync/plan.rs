//! The [`Plan`] of a sync, and its steps.

use std::collections::HashMap;
use std::iter::Peekable;

use excerpt_chunk::{CodeParser as _, Document};
use excerpt_grammars::Grammars;

use crate::model::{Skip, SkipReason};
use crate::source::Entry;
use crate::store::{Database, Known, SkipRow, StoreError};

/// How much is read and split before it is written, while the same amount is being split: a killed
/// sync loses at most twice as much, which also bounds its memory.
pub(super) const BATCH_DOCUMENTS: usize = 256;
const BATCH_BYTES: u64 = 8 << 20;

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
    pub(super) removals: Vec<i64>,
    /// Those of them that have disappeared, by file name and size: no skip explains their absence.
    pub(super) vanished: Vec<(String, u64)>,
    /// What is skipped.
    pub(super) skips: Vec<SkipRow>,
}

/// A document to process.
pub(super) enum Step {
    /// The file is new or looks different.
    Read { entry: Entry, known: Option<Known> },
    /// The text is the same, but the configuration has changed.
    Recut { known: Known },
}

impl Plan {
    /// Removes a document that was not listed, unless it is where the listing failed.
    pub(super) fn remove(&mut self, known: Known, left_out: &Exclusions<'_>) {
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

    /// Orders the steps: those in the folder or file `first` before all others.
    pub(super) fn order(&mut self, first: Option<&str>) {
        let is_first = |step: &Step| first.is_some() && lies_in(first, step.path());
        self.first = self.steps.iter().filter(|step| is_first(step)).count();
        self.steps
            .sort_by_cached_key(|step| (!is_first(step), step.turn()));
    }

    /// How many of the documents that have disappeared are new ones elsewhere, by name and size.
    pub(super) fn moved(&self) -> usize {
        let mut appeared: HashMap<(&str, u64), usize> = HashMap::new();
        for step in &self.steps {
            if let Step::Read { entry, known: None } = step {
                let name = entry.path.rsplit('/').next().unwrap_or_default();
                *appeared.entry((name, entry.stat.size)).or_default() += 1;
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

/// Whether `path` is the folder or file `part` of a source, or is inside it. `None` is the whole
/// source.
pub(super) fn lies_in(part: Option<&str>, path: &str) -> bool {
    let Some(part) = part else { return true };
    let rest = path.strip_prefix(part);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The steps of the next batch.
pub(super) fn batch(steps: &mut Peekable<std::vec::IntoIter<Step>>) -> Vec<Step> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < BATCH_DOCUMENTS
        && let Some(step) =
            steps.next_if(|step| batch.is_empty() || bytes + step.size() <= BATCH_BYTES)
    {
        bytes += step.size();
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
    pub(super) fn turn(&self) -> (bool, bool, usize) {
        let path = self.path();
        let named = Document::new("").with_path(path);
        (
            self.is_large(),
            Grammars.detect(&named).is_some(),
            path.matches('/').count(),
        )
    }

    /// Whether it takes as long as many.
    pub(super) fn is_large(&self) -> bool {
        self.size() > LARGE
    }

    /// The memory that it will take.
    pub(super) fn size(&self) -> u64 {
        match self {
            Step::Read { entry, .. } => entry.stat.size,
            Step::Recut { known } => known.stat.size,
        }
    }
}

/// The known documents of a source, by path, read in pages.
pub(super) struct KnownDocuments<'a> {
    database: &'a Database,
    source: i64,
    page: Peekable<std::vec::IntoIter<Known>>,
    last: Option<String>,
    ended: bool,
}

impl<'a> KnownDocuments<'a> {
    pub(super) fn new(database: &'a Database, source: i64) -> Self {
        KnownDocuments {
            database,
            source,
            page: Vec::new().into_iter().peekable(),
            last: None,
            ended: false,
        }
    }

    /// The next one, if it satisfies the condition.
    pub(super) fn next_if(
        &mut self,
        wanted: impl Fn(&Known) -> bool,
    ) -> Result<Option<Known>, StoreError> {
        if self.page.peek().is_none() && !self.ended {
            let page = self
                .database
                .known(self.source, self.last.as_deref(), PAGE)?;
            self.ended = page.len() < PAGE;
            self.last = page.last().map(|known| known.path.clone());
            self.page = page.into_iter().peekable();
        }
        Ok(self.page.next_if(wanted))
    }
}

/// What a listing skipped, and why. The indexed state of a path that could not be read stays.
pub(super) struct Exclusions<'a>(HashMap<&'a str, SkipReason>);

impl<'a> Exclusions<'a> {
    pub(super) fn of(skips: &'a [Skip]) -> Self {
        let skips = skips.iter();
        Exclusions(skips.map(|skip| (&*skip.path, skip.reason)).collect())
    }

    /// Why `path`, or a folder that contains it, was skipped.
    fn at(&self, path: &str) -> Option<SkipReason> {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        let mut paths = folders.chain([path]);
        paths.find_map(|path| self.0.get(path).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
