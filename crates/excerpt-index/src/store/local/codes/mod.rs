//! The nearest chunks to a vector. For each number of each chunk's vector, two bits are kept: its
//! sign and whether it is large. They are in two memory-mapped files next to the database, which
//! are derived from it and disposable: one of all documents, and a small one of those that have
//! changed since, so that a change does not write everything again.
//!
//! A search first compares the signs of all chunks (how many differ, with more weight for the
//! query's large numbers), then scores the best of them again (the query's numbers with the signs
//! of the chunk, with more weight for its large ones), and leaves the best of those to be compared
//! with the exact vectors in the database.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `EXCRPTV` and the format, 2 |
//! | 8 | the checksum of all that follows (XXH3), little-endian like all other numbers |
//! | 8 | the length of the stamp |
//! | | the [`Stamp`] in JSON, padded with spaces to a multiple of 8 |
//! | 8 | the number of groups |
//! | 32 each | a document's id, its `rev` (0 if it was removed), the hash of its path, and how many chunks it has |
//! | `dimensions / 64` × 8 each | the signs of a chunk, in the order of documents and ordinals: that of number *i* is bit *i* % 64 of word *i* / 64 |
//! | the same | which of a chunk's numbers are large |

mod compare;
mod file;
mod write;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use self::compare::{Least, Sought, Table};
use self::file::{CodeFile, Position, around, sum_of};
use super::collect::keep_best;
use crate::fs::layout;
#[cfg(test)]
use crate::model::DocumentId;
use crate::model::{ChunkKey, Revision};
use crate::store::Documents;
use crate::store::StoreError;

pub(super) use self::compare::code;
pub(crate) use self::file::Stamp;
pub(super) use self::write::{ChangedCodes, write};

/// How many chunks are scored again for each that is compared exactly. Of the ten nearest of
/// 114,000 chunks, 99.8 % are among this many with 10 and 99.9 % with 20; with the number of
/// differing bits alone it is 98.5 % and 99.5 % (sources of 1,000 packages, 181 questions from
/// them). The second pass loses none that the first one finds.
const SECOND_LOOK: usize = 20;
/// How many are compared exactly, unless more are wanted.
const EXACT: usize = 100;
/// How much more a large number counts than another one: about the ratio of the means of both parts
/// of a bell curve, split at its mean.
const LARGE: u32 = 3;

/// The codes of a document's chunks.
#[cfg(test)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) rev: Revision,
    /// The [hash](super::collect::path_hash) of the document's path.
    pub(super) path_hash: u64,
    /// The [codes](code) of the chunks, one after the other.
    pub(super) words: Vec<u64>,
}

/// A chunk with a near code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    pub(crate) key: ChunkKey,
    /// The hash of its document's path.
    pub(crate) path_hash: u64,
    /// The state of the document that it was taken from.
    pub(crate) rev: Revision,
}

/// The codes on disk.
pub(crate) struct Codes {
    /// The name of the file with those of all documents.
    name: &'static str,
    all: Arc<CodeFile>,
    /// Those of the documents that have changed since.
    newer: Option<CodeFile>,
    sums: Sums,
    /// The number of all codes.
    total: usize,
}

/// The checksums of the files that are there, which identify them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sums {
    all: Option<u64>,
    newer: Option<u64>,
}

impl Sums {
    /// Those of the codes `name` in the index directory `dir`, without reading them.
    pub(super) fn of(dir: &Path, name: &str) -> Sums {
        let newer = newer_name(name).and_then(|name| sum_of(&dir.join(name)));
        Sums {
            all: sum_of(&dir.join(name)),
            newer,
        }
    }
}

/// The name of the file with what has changed since the codes `name`, which only those that serve
/// have.
fn newer_name(name: &str) -> Option<&'static str> {
    (name == layout::CODES).then_some(layout::NEWER_CODES)
}

impl Codes {
    /// Opens the codes `name` in the index directory `dir`; `None` if there are none. A file that
    /// is open in `before` is not read again.
    ///
    /// # Errors
    ///
    /// Anything that makes them unusable; a rebuild repairs it.
    pub(super) fn open(
        dir: &Path,
        name: &'static str,
        before: Option<&Codes>,
    ) -> Result<Option<Codes>, StoreError> {
        let sums = Sums::of(dir, name);
        // First the newer ones: they are of no use without those that they are newer than, which
        // are complete alone.
        let newer = newer_name(name).map(|name| CodeFile::open(dir, name));
        let newer = newer.and_then(|newer| newer.unwrap_or_default());
        let same = before.filter(|before| before.name == name && sums.all == Some(before.all.sum));
        let all = match same {
            Some(before) => Some(Arc::clone(&before.all)),
            None => CodeFile::open(dir, name)?.map(Arc::new),
        };
        let Some(all) = all else {
            return Ok(None);
        };
        let mut codes = Codes {
            name,
            newer: newer.filter(|newer| newer.stamp.since == Some(all.sum)),
            all,
            sums,
            total: 0,
        };
        codes.total = codes.runs(None).iter().map(|run| run.codes().len()).sum();
        Ok(Some(codes))
    }

    /// The checksums of their files.
    pub(super) fn sums(&self) -> Sums {
        self.sums
    }

    /// What they are derived from, and up to which `rev`.
    pub(crate) fn stamp(&self) -> &Stamp {
        &self.newer.as_ref().unwrap_or(&self.all).stamp
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.total
    }

    /// All groups, by document.
    #[cfg(test)]
    pub(super) fn groups(&self) -> std::collections::BTreeMap<DocumentId, Group> {
        let mut groups = std::collections::BTreeMap::new();
        for run in self.runs(None) {
            for place in run.groups.iter().filter(|place| !place.is_removed()) {
                let codes = place.codes.clone();
                let bytes = codes.flat_map(|at| [run.file.signs(at), run.file.large(at)]);
                let words = bytes.flat_map(|bytes| bytes.as_chunks().0);
                let words = words.map(|word| u64::from_le_bytes(*word)).collect();
                let Position { rev, path_hash, .. } = *place;
                let group = Group {
                    rev,
                    path_hash,
                    words,
                };
                groups.insert(place.document, group);
            }
        }
        groups
    }

    /// The chunks whose vectors are probably the nearest to `query`, among `documents` if given:
    /// `limit` or [`EXACT`] of them, to be compared exactly.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        documents: Option<&Documents>,
        limit: usize,
    ) -> Vec<Near> {
        let limit = limit.max(EXACT);
        let runs = self.runs(documents);
        let wanted = Sought::new(query);
        let (mut least, mut first) = (Least::new(limit * SECOND_LOOK), 0);
        for run in &runs {
            let codes = run.codes();
            wanted.compare(run.file.all_signs(codes.clone()), first, &mut least);
            first += codes.len();
        }
        let mut found = Self::scored(query, &runs, least.numbers());
        keep_best(&mut found, limit, |(a, left), (b, right)| {
            let place = |near: &Near| (near.path_hash, near.key.ordinal);
            b.total_cmp(a).then_with(|| place(left).cmp(&place(right)))
        });
        found.into_iter().map(|(_, near)| near).collect()
    }

    /// The codes of `documents`, or of all: those that have not changed first.
    fn runs<'a>(&'a self, documents: Option<&Documents>) -> Vec<Run<'a>> {
        let mut runs = Vec::new();
        let mut same = &self.all.groups[..];
        let newer = self.newer.as_ref().map(|file| (file, &file.groups[..]));
        for changed in newer.iter().flat_map(|(_, groups)| *groups) {
            let (before, after) = around(same, changed.document);
            runs.extend(Run::of(&self.all, before));
            same = after;
        }
        runs.extend(Run::of(&self.all, same));
        // A document that was removed has no codes there.
        runs.extend(newer.and_then(|(file, groups)| Run::of(file, groups)));
        match documents {
            None => runs,
            Some(documents) => {
                let runs = runs.into_iter();
                runs.flat_map(|run| run.within(documents)).collect()
            }
        }
    }

    /// The chunks with these numbers, counted through some runs, with their rough cosines.
    fn scored(query: &[f32], runs: &[Run<'_>], numbers: Vec<usize>) -> Vec<(f32, Near)> {
        let table = Table::new(query);
        let mut found = Vec::with_capacity(numbers.len());
        let mut near = numbers.into_iter().peekable();
        // The number of the first chunk of a run.
        let mut first = 0;
        for run in runs {
            let codes = run.codes();
            let mut groups = run.groups;
            while let Some(number) = near.next_if(|number| number - first < codes.len()) {
                let code = codes.start + number - first;
                groups = from_code(groups, code);
                let Some(place) = groups.first() else { break };
                let score = table.near(run.file.signs(code), run.file.large(code));
                found.push((score, place.near((code - place.codes.start) as u64)));
            }
            first += codes.len();
        }
        found
    }
}

/// The documents from the one on that has this code. It is looked for in steps that double: the
/// codes that are asked for are few, and near each other compared with all of them.
fn from_code(groups: &[Position], code: usize) -> &[Position] {
    let is_before = |place: &Position| place.codes.end <= code;
    let mut step = 1;
    while groups.get(step).is_some_and(is_before) {
        step *= 2;
    }
    let (start, end) = (step / 2, groups.len().min(step + 1));
    &groups[start + groups[start..end].partition_point(is_before)..]
}

/// Documents of a file whose codes are next to each other.
#[derive(Clone, Copy)]
struct Run<'a> {
    file: &'a CodeFile,
    /// There is at least one.
    groups: &'a [Position],
}

impl<'a> Run<'a> {
    /// `None` if there are no documents.
    fn of(file: &'a CodeFile, groups: &'a [Position]) -> Option<Self> {
        (!groups.is_empty()).then_some(Run { file, groups })
    }

    /// The parts of it that are of `documents`.
    fn within(self, documents: &Documents) -> impl Iterator<Item = Run<'a>> {
        let is_within = |place: &Position| documents.contains(&place.document);
        let parts = self
            .groups
            .chunk_by(move |a, b| is_within(a) == is_within(b));
        let parts = parts.filter(move |part| part.first().is_some_and(is_within));
        parts.filter_map(move |part| Run::of(self.file, part))
    }

    fn codes(&self) -> Range<usize> {
        let ends = self.groups.first().zip(self.groups.last());
        ends.map_or(0..0, |(first, last)| first.codes.start..last.codes.end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tantivy::directory::OwnedBytes;
    use twox_hash::XxHash3_64;

    use super::compare::width;
    use super::file::MAGIC;
    use super::*;

    const DIMENSIONS: usize = 100;

    fn stamp() -> Stamp {
        Stamp {
            store: "store".into(),
            embedder: "embedder".into(),
            dimensions: DIMENSIONS,
            rev: Revision(7),
            since: None,
        }
    }

    /// A vector that depends only on its number.
    fn vector(number: u64) -> Vec<f32> {
        let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..DIMENSIONS).map(|_| next()).collect()
    }

    fn bytes(numbers: &[f32]) -> Vec<i8> {
        numbers
            .iter()
            .map(|number| (number * 254.0) as i8)
            .collect()
    }

    fn little_endian(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Groups of these documents, with this many chunks each.
    fn groups(documents: &[(u64, u64)]) -> BTreeMap<DocumentId, Group> {
        let of = |(document, chunks): &(u64, u64)| {
            let words =
                (0..*chunks).flat_map(|ordinal| code(&bytes(&vector(document * 1000 + ordinal))));
            let group = Group {
                rev: Revision(document + 1),
                path_hash: document + 2,
                words: words.collect(),
            };
            (DocumentId(*document), group)
        };
        documents.iter().map(of).collect()
    }

    fn changes(dir: &Path, groups: &BTreeMap<DocumentId, Group>, removed: &[u64]) -> ChangedCodes {
        let removed = removed.iter().map(|id| DocumentId(*id));
        let mut changes = ChangedCodes::new(dir, removed).unwrap();
        // In another order than they are written.
        for (document, group) in groups.iter().rev() {
            let codes: Vec<&[u64]> = group.words.chunks(2 * width(DIMENSIONS)).collect();
            let put = changes.put(*document, group.rev, group.path_hash, &codes);
            put.unwrap();
        }
        changes
    }

    fn write_all(dir: &Path, groups: &BTreeMap<DocumentId, Group>) {
        let changes = changes(dir, groups, &[]);
        write(dir, layout::CODES, &stamp(), None, changes).unwrap();
    }

    #[test]
    fn what_changed_takes_its_place_among_what_stayed() {
        let dir = tempfile::tempdir().unwrap();
        write_all(
            dir.path(),
            &groups(&[(1, 4), (3, 2), (4, 0), (7, 1), (9, 3)]),
        );
        let before = Codes::open(dir.path(), layout::CODES, None)
            .unwrap()
            .unwrap();
        let [new, grown, shrunk] = [(2, 3), (3, 5), (9, 0)].map(|document| groups(&[document]));
        let changed = new.into_iter().chain(grown).chain(shrunk).collect();
        // Removes one, and one that never existed.
        let changes = changes(dir.path(), &changed, &[7, 8]);
        write(dir.path(), layout::CODES, &stamp(), Some(&before), changes).unwrap();
        let after = Codes::open(dir.path(), layout::CODES, None)
            .unwrap()
            .unwrap();
        let expected = groups(&[(1, 4), (2, 3), (3, 5), (4, 0), (9, 0)]);
        assert_eq!(after.groups(), expected);
    }

    /// Few changes are in a file of their own until there are too many; then all are in one again.
    #[test]
    fn few_changes_do_not_write_everything_again() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let documents: Vec<(u64, u64)> = (1..=200).map(|document| (document, 2)).collect();
        let mut expected = groups(&documents);
        write_all(dir, &expected);
        let all = std::fs::read(dir.join(layout::CODES)).unwrap();
        let query = vector(3);
        let mut were_separate = 0;
        let mut codes = Codes::open(dir, layout::CODES, None).unwrap().unwrap();
        // Replaced, replaced again, removed, come back, added; always with another vector.
        for (turn, document) in [5, 5, 9, 9, 300, 17, 300, 4, 200].into_iter().enumerate() {
            let rev = Revision(1000 + turn as u64);
            let is_removed = matches!(turn, 2 | 6);
            let mut changed = groups(&[(document + 1000 * turn as u64, 3)]);
            let (_, mut group) = changed.pop_first().unwrap();
            group.rev = rev;
            let (changed, removed) = match is_removed {
                true => (BTreeMap::new(), vec![document]),
                false => (BTreeMap::from([(DocumentId(document), group)]), Vec::new()),
            };
            expected.remove(&DocumentId(document));
            expected.extend(changed.clone());
            let stamp = Stamp { rev, ..stamp() };
            let changes = changes(dir, &changed, &removed);
            write(dir, layout::CODES, &stamp, Some(&codes), changes).unwrap();
            let next = Codes::open(dir, layout::CODES, Some(&codes))
                .unwrap()
                .unwrap();
            let is_separate = dir.join(layout::NEWER_CODES).exists();
            assert_eq!(
                is_separate,
                std::fs::read(dir.join(layout::CODES)).unwrap() == all
            );
            assert_eq!(is_separate, Arc::ptr_eq(&next.all, &codes.all));
            were_separate += usize::from(is_separate);
            codes = next;
            assert_eq!(codes.stamp().rev, rev);
            assert_eq!(codes.groups(), expected);
            let chunks: usize = expected.values().map(|group| group.words.len()).sum();
            assert_eq!(codes.len(), chunks / (2 * width(DIMENSIONS)));
            // What is near is what would be if all were in one file.
            let keys = |codes: &Codes, documents: Option<&Documents>| {
                let found = codes.nearest(&query, documents, 150);
                let mut found: Vec<_> = found.iter().map(|near| (near.key, near.rev)).collect();
                found.sort();
                found
            };
            let whole = written(&expected);
            assert_eq!(keys(&codes, None), keys(&whole, None));
            let some = Documents::from_iter([4, 5, 9, 10, 300].map(DocumentId));
            assert_eq!(keys(&codes, Some(&some)), keys(&whole, Some(&some)));
            if !is_separate {
                break;
            }
        }
        assert!((4..9).contains(&were_separate), "{were_separate}");
    }

    #[test]
    fn newer_codes_are_only_used_with_those_that_they_are_newer_than() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let documents: Vec<(u64, u64)> = (1..=100).map(|document| (document, 1)).collect();
        write_all(dir, &groups(&documents));
        let before = Codes::open(dir, layout::CODES, None).unwrap().unwrap();
        let changes = changes(dir, &groups(&[(101, 1)]), &[]);
        write(dir, layout::CODES, &stamp(), Some(&before), changes).unwrap();
        let newer = std::fs::read(dir.join(layout::NEWER_CODES)).unwrap();
        let opened = || Codes::open(dir, layout::CODES, None).unwrap().unwrap();
        assert_eq!(opened().len(), 101);
        // A damaged file is none.
        std::fs::write(dir.join(layout::NEWER_CODES), &newer[1..]).unwrap();
        assert_eq!(opened().groups(), groups(&documents));
        // The other file was replaced, and this one came back.
        write_all(dir, &groups(&[(1, 1), (2, 1)]));
        assert!(!dir.join(layout::NEWER_CODES).exists());
        std::fs::write(dir.join(layout::NEWER_CODES), &newer).unwrap();
        assert_eq!(opened().len(), 2);
    }

    fn written(groups: &BTreeMap<DocumentId, Group>) -> Codes {
        let dir = tempfile::tempdir().unwrap();
        write_all(dir.path(), groups);
        Codes::open(dir.path(), layout::CODES, None)
            .unwrap()
            .unwrap()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        assert!(
            Codes::open(dir.path(), layout::CODES, None)
                .unwrap()
                .is_none()
        );
        let none = Sums {
            all: None,
            newer: None,
        };
        assert_eq!(Sums::of(dir.path(), layout::CODES), none);
        for documents in [vec![], vec![(3, 2)], vec![(1, 4), (2, 0), (9, 1)]] {
            let groups = groups(&documents);
            write_all(dir.path(), &groups);
            let codes = Codes::open(dir.path(), layout::CODES, None)
                .unwrap()
                .unwrap();
            assert_eq!((codes.stamp(), &codes.groups()), (&stamp(), &groups));
            assert_eq!(Sums::of(dir.path(), layout::CODES), codes.sums());
            assert!(codes.sums() != none);
        }
    }

    #[test]
    fn a_file_with_any_byte_changed_or_missing_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        write_all(dir.path(), &groups(&[(1, 3), (2, 1)]));
        let bytes = std::fs::read(dir.path().join(layout::CODES)).unwrap();
        assert!(CodeFile::read(OwnedBytes::new(bytes.clone())).is_ok());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(
                CodeFile::read(OwnedBytes::new(changed)).is_err(),
                "byte {at}"
            );
            let short = bytes[..at].to_vec();
            assert!(
                CodeFile::read(OwnedBytes::new(short)).is_err(),
                "{at} bytes"
            );
        }
    }

    /// The checksum is right, but the contents are invalid.
    #[test]
    fn numbers_out_of_bounds_are_told() {
        let json = serde_json::to_vec(&stamp()).unwrap();
        let stamp_of = |length: u64| [length.to_le_bytes().as_slice(), &json].concat();
        let counts = |numbers: &[u64]| -> Vec<u8> {
            let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
            [stamp_of(json.len() as u64), numbers.collect()].concat()
        };
        for body in [
            vec![],
            stamp_of(u64::MAX),
            stamp_of(json.len() as u64 + 1),
            stamp_of(json.len() as u64),
            counts(&[u64::MAX]),
            counts(&[1, 2, 3, 4]),
            counts(&[1, 2, 3, 4, u64::MAX]),
            counts(&[2, 1, 1, 1, u64::MAX, 2, 1, 1, u64::MAX]),
            counts(&[1, 2, 3, 4, 1, 0]),
        ] {
            let sum = XxHash3_64::oneshot(&body).to_le_bytes();
            let bytes = [MAGIC.as_slice(), &sum, &body].concat();
            assert!(CodeFile::read(OwnedBytes::new(bytes)).is_err(), "{body:?}");
        }
    }

    #[test]
    fn a_code_is_the_signs_and_which_numbers_are_large() {
        let mut numbers = vec![0; 70];
        (numbers[1], numbers[2], numbers[64], numbers[69]) = (50, -1, 100, -100);
        assert_eq!(code(&numbers), [2, 1, 2, 1 + (1 << 5)]);
        assert_eq!(code(&[-1, 1, 0]), [2, 3]);
        assert_eq!(code(&[0; 3]), [0, 0]);
    }

    /// `pulp` uses a set of instructions only if the feature for it is on.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_instructions_of_the_processor_are_used() {
        use std::arch::is_x86_feature_detected as has;
        let has_avx2 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2");
        let has_avx2 = has_avx2 && has!("lzcnt") && has!("popcnt");
        let used = pulp::Arch::new();
        assert!(!has_avx2 || !matches!(used, pulp::Arch::Scalar), "{used:?}");
    }

    #[test]
    fn a_sign_of_a_large_number_counts_more() {
        let wanted = Sought::new(&[0.1, -0.1, 0.9, -0.1]);
        let signs: [u64; 5] = [0b0101, 0b0100, 0b0111, 0b0001, 0b1010];
        let signs = signs.map(u64::to_le_bytes).concat();
        for (room, expected) in [(1, 0..1), (2, 0..3), (3, 0..3), (4, 0..4), (9, 0..5)] {
            let mut least = Least::new(room);
            wanted.compare(&signs, 7, &mut least);
            let expected: Vec<usize> = expected.map(|number| number + 7).collect();
            assert_eq!(least.numbers(), expected);
        }
    }

    #[test]
    fn the_table_sums_the_numbers_under_signs_and_sizes() {
        let (query, other) = (vector(1), bytes(&vector(2)));
        let words = code(&other);
        let (signs, large) = words.split_at(width(DIMENSIONS));
        let near = Table::new(&query).near(&little_endian(signs), &little_endian(large));
        let mean: f32 = other.iter().map(|n| f32::from(*n).abs()).sum::<f32>() / other.len() as f32;
        let rough = |number: &i8| {
            let size = if f32::from(*number).abs() > mean {
                LARGE as f32
            } else {
                1.0
            };
            if *number > 0 { size } else { -size }
        };
        let rough: Vec<f32> = other.iter().map(rough).collect();
        let length = rough
            .iter()
            .map(|number| number * number)
            .sum::<f32>()
            .sqrt();
        let dot: f32 = query.iter().zip(&rough).map(|(a, b)| a * b).sum();
        assert!(
            (near - dot / length).abs() < 1e-4,
            "{near} {}",
            dot / length
        );
    }

    #[test]
    fn the_nearest_is_found_among_many_and_in_its_document_alone() {
        let documents: Vec<(u64, u64)> = (1..=500).map(|document| (document, 8)).collect();
        let codes = written(&groups(&documents));
        for (document, ordinal) in [(1, 0), (250, 3), (500, 7)] {
            let query = vector(document * 1000 + ordinal);
            let expected = Near {
                key: ChunkKey {
                    document: DocumentId(document),
                    ordinal,
                },
                path_hash: document + 2,
                rev: Revision(document + 1),
            };
            assert!(codes.nearest(&query, None, 1).contains(&expected));
            assert_eq!(codes.nearest(&query, None, 1).len(), EXACT);
            let found = codes.nearest(
                &query,
                Some(&Documents::from_iter([DocumentId(document)])),
                100,
            );
            assert_eq!(found.len(), 8);
            assert!(found.contains(&expected));
            assert!(
                found
                    .iter()
                    .all(|near| near.key.document == DocumentId(document))
            );
            let elsewhere = Documents::from_iter([DocumentId(document + 1000)]);
            assert!(codes.nearest(&query, Some(&elsewhere), 100).is_empty());
        }
    }

    #[test]
    fn the_document_of_a_code_is_found_from_any_one_before() {
        let sizes = [0, 1, 3, 0, 0, 2, 1, 7, 0, 1, 1, 1, 5, 0];
        let mut start = 0;
        let groups = sizes.iter().zip(0..).map(|(size, id)| {
            start += size;
            Position {
                document: DocumentId(id),
                rev: Revision(1),
                path_hash: 0,
                codes: start - size..start,
            }
        });
        let groups: Vec<Position> = groups.collect();
        for code in 0..sizes.iter().sum() {
            let place = |groups: &[Position]| from_code(groups, code)[0].document;
            let expected = groups.iter().find(|place| place.codes.contains(&code));
            let expected = expected.unwrap().document;
            for from in 0..=expected.0 as usize {
                assert_eq!(place(&groups[from..]), expected);
            }
        }
        assert!(from_code(&groups, 22).is_empty());
    }

    #[test]
    fn as_many_are_found_as_there_are() {
        let codes = written(&groups(&[(1, 2), (2, 0), (3, 1)]));
        assert_eq!(codes.nearest(&vector(5), None, 100).len(), 3);
        assert_eq!(codes.nearest(&vector(5), None, 0).len(), 3);
        assert!(
            written(&groups(&[]))
                .nearest(&vector(5), None, 9)
                .is_empty()
        );
    }
}
