//! The nearest chunks to a vector. For each number of each chunk's vector, two bits are kept: its
//! sign and whether it is large. They are in a memory-mapped file next to the database, which is
//! derived from it and disposable.
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
//! | 32 each | a document's id, its `rev`, the hash of its path, and how many chunks it has |
//! | `dimensions / 64` × 8 each | the signs of a chunk, in the order of documents and ordinals: that of number *i* is bit *i* % 64 of word *i* / 64 |
//! | the same | which of a chunk's numbers are large |

mod compare;
mod write;

use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tantivy::Directory as _;
use tantivy::directory::{MmapDirectory, OwnedBytes};
use twox_hash::XxHash3_64;

use self::compare::{Sought, Table, at_most, farthest, width};
use super::collect::keep_best;
use crate::fs::{disk, layout};
use crate::model::{ChunkKey, DocumentId, Revision};
use crate::store::Documents;
use crate::store::StoreError;

pub(super) use self::compare::code;
pub(super) use self::write::{ChangedCodes, write};

const MAGIC: [u8; 8] = *b"EXCRPTV\x02";
const WORD: usize = size_of::<u64>();
const GROUP: usize = 4 * WORD;
/// How many bytes at the start the checksum does not cover: those up to its end.
const UNSUMMED: usize = 2 * WORD;
const SHORT: StoreError = StoreError::Value("a truncated file of vectors");

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

/// What the codes are derived from, and up to which `rev`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// The id of the database.
    pub(crate) store: String,
    /// The identity of the embedder.
    pub(crate) embedder: String,
    /// How many numbers its vectors have.
    pub(crate) dimensions: usize,
    /// The state of the index that they have caught up with.
    pub(crate) rev: Revision,
}

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

/// The position of the codes of a document.
struct Position {
    document: DocumentId,
    rev: Revision,
    path_hash: u64,
    codes: Range<usize>,
}

impl Position {
    /// A chunk of the document.
    fn near(&self, ordinal: u64) -> Near {
        Near {
            key: ChunkKey {
                document: self.document,
                ordinal,
            },
            path_hash: self.path_hash,
            rev: self.rev,
        }
    }
}

/// The codes on disk.
pub(crate) struct Codes {
    sum: u64,
    stamp: Stamp,
    bytes: OwnedBytes,
    /// The documents, in order.
    groups: Vec<Position>,
    /// The number of all codes.
    total: usize,
    /// The offset of the signs.
    from: usize,
}

impl Codes {
    /// Opens the file `name` in the index directory `dir`; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Anything that makes it unusable; a rebuild repairs it.
    pub(super) fn open(dir: &Path, name: &str) -> Result<Option<Codes>, StoreError> {
        if disk::is_regular(&dir.join(name))? != Some(true) {
            return Ok(None);
        }
        let directory = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
        let file = directory
            .open_read(Path::new(name))
            .map_err(tantivy::TantivyError::from)?;
        Codes::read(file.read_bytes()?).map(Some)
    }

    fn read(bytes: OwnedBytes) -> Result<Codes, StoreError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(StoreError::Value("a file of vectors in another format"));
        }
        let numbers = Numbers(&bytes);
        let sum = numbers.long(WORD)?;
        if bytes.get(UNSUMMED..).map(XxHash3_64::oneshot) != Some(sum) {
            return Err(StoreError::Value("a damaged file of vectors"));
        }
        let at = UNSUMMED + WORD;
        let end = at.checked_add(numbers.size(UNSUMMED)?).ok_or(SHORT)?;
        let stamp: Stamp = serde_json::from_slice(bytes.get(at..end).ok_or(SHORT)?)?;
        let (groups, total) = numbers.groups(end)?;
        let from = end + WORD + groups.len() * GROUP;
        let length = total.checked_mul(2 * width(stamp.dimensions) * WORD);
        if length.and_then(|length| length.checked_add(from)) != Some(bytes.len()) {
            return Err(SHORT);
        }
        Ok(Codes {
            sum,
            stamp,
            bytes,
            groups,
            total,
            from,
        })
    }

    /// Their checksum, which identifies them.
    pub(super) fn sum(&self) -> u64 {
        self.sum
    }

    /// What they are derived from, and up to which `rev`.
    pub(crate) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.total
    }

    /// All groups, by document.
    #[cfg(test)]
    pub(super) fn groups(&self) -> std::collections::BTreeMap<DocumentId, Group> {
        let groups = self.groups.iter().map(|place| {
            let codes = place.codes.clone();
            let bytes = codes.flat_map(|at| [self.signs(at), self.large(at)]);
            let words = bytes.flat_map(|bytes| bytes.as_chunks().0);
            let words = words.map(|word| u64::from_le_bytes(*word)).collect();
            let Position { rev, path_hash, .. } = *place;
            let group = Group {
                rev,
                path_hash,
                words,
            };
            (place.document, group)
        });
        groups.collect()
    }

    fn signs(&self, code: usize) -> &[u8] {
        self.all_signs(code..code + 1)
    }

    fn all_signs(&self, codes: Range<usize>) -> &[u8] {
        let bytes = width(self.stamp.dimensions) * WORD;
        &self.bytes[self.from + codes.start * bytes..self.from + codes.end * bytes]
    }

    fn large(&self, code: usize) -> &[u8] {
        self.signs(self.total + code)
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
        let wanted = Sought::new(query);
        let distances = self.distances(&wanted, documents);
        let farthest = farthest(&distances, wanted.most(), limit * SECOND_LOOK);
        let mut found = self.scored(query, documents, &distances, farthest);
        keep_best(&mut found, limit, |(a, left), (b, right)| {
            let place = |near: &Near| (near.path_hash, near.key.ordinal);
            b.total_cmp(a).then_with(|| place(left).cmp(&place(right)))
        });
        found.into_iter().map(|(_, near)| near).collect()
    }

    /// The positions of the codes of `documents`, or of all.
    fn positions<'a>(
        &'a self,
        documents: Option<&'a Documents>,
    ) -> impl Iterator<Item = &'a Position> {
        self.groups.iter().filter(move |place| {
            documents.is_none_or(|documents| documents.contains(&place.document))
        })
    }

    /// How much the signs of each chunk of `documents` differ from those that are wanted.
    fn distances(&self, wanted: &Sought, documents: Option<&Documents>) -> Vec<u16> {
        let mut distances: Vec<u16> = Vec::new();
        match documents {
            None => wanted.differences(self.all_signs(0..self.total), &mut distances),
            Some(_) => {
                for place in self.positions(documents) {
                    wanted.differences(self.all_signs(place.codes.clone()), &mut distances);
                }
            }
        }
        distances
    }

    /// The chunks of `documents` that differ by at most `farthest`, with their rough cosines.
    /// `distances` are those of all chunks of `documents`.
    fn scored(
        &self,
        query: &[f32],
        documents: Option<&Documents>,
        distances: &[u16],
        farthest: u16,
    ) -> Vec<(f32, Near)> {
        let table = Table::new(query);
        let mut found = Vec::new();
        let mut positions = self.positions(documents);
        // The position of the next chunk, and the number of the first chunk there.
        let (mut position, mut first) = (positions.next(), 0);
        for number in at_most(farthest, distances) {
            while let Some(place) = position
                && number - first >= place.codes.len()
            {
                first += place.codes.len();
                position = positions.next();
            }
            if let Some(place) = position {
                let ordinal = number - first;
                let code = place.codes.start + ordinal;
                let score = table.near(self.signs(code), self.large(code));
                found.push((score, place.near(ordinal as u64)));
            }
        }
        found
    }
}

/// The numbers in a file of codes.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn long(&self, at: usize) -> Result<u64, StoreError> {
        let bytes = self.0.get(at..).and_then(<[u8]>::first_chunk);
        Ok(u64::from_le_bytes(*bytes.ok_or(SHORT)?))
    }

    fn size(&self, at: usize) -> Result<usize, StoreError> {
        usize::try_from(self.long(at)?).map_err(|_| SHORT)
    }

    /// The groups, whose number is `at`, and how many codes they have together.
    fn groups(&self, mut at: usize) -> Result<(Vec<Position>, usize), StoreError> {
        let count = self.size(at)?;
        at += WORD;
        let mut groups = Vec::with_capacity(count.min(self.0.len() / GROUP));
        let mut total: usize = 0;
        for _ in 0..count {
            let first = total;
            total = total.checked_add(self.size(at + 3 * WORD)?).ok_or(SHORT)?;
            groups.push(Position {
                document: DocumentId(self.long(at)?),
                rev: Revision(self.long(at + WORD)?),
                path_hash: self.long(at + 2 * WORD)?,
                codes: first..total,
            });
            at += GROUP;
        }
        Ok((groups, total))
    }
}

/// The [sum](Codes::sum) of the codes in the index directory `dir`, if there are any, without
/// reading them.
pub(super) fn sum_in(dir: &Path) -> Option<u64> {
    let mut bytes = [0; UNSUMMED];
    let path = dir.join(layout::CODES);
    disk::is_regular(&path).ok()?.filter(|is| *is)?;
    File::open(path).ok()?.read_exact(&mut bytes).ok()?;
    let (words, _) = bytes.as_chunks();
    Some(u64::from_le_bytes(words[1]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const DIMENSIONS: usize = 100;

    fn stamp() -> Stamp {
        Stamp {
            store: "store".into(),
            embedder: "embedder".into(),
            dimensions: DIMENSIONS,
            rev: Revision(7),
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
        write(&dir.join(layout::CODES), &stamp(), None, changes).unwrap();
    }

    #[test]
    fn what_changed_takes_its_place_among_what_stayed() {
        let dir = tempfile::tempdir().unwrap();
        write_all(
            dir.path(),
            &groups(&[(1, 4), (3, 2), (4, 0), (7, 1), (9, 3)]),
        );
        let before = Codes::open(dir.path(), layout::CODES).unwrap().unwrap();
        let [new, grown, shrunk] = [(2, 3), (3, 5), (9, 0)].map(|document| groups(&[document]));
        let changed = new.into_iter().chain(grown).chain(shrunk).collect();
        // Removes one, and one that never existed.
        let changes = changes(dir.path(), &changed, &[7, 8]);
        let path = dir.path().join(layout::CODES);
        write(&path, &stamp(), Some(&before), changes).unwrap();
        let after = Codes::open(dir.path(), layout::CODES).unwrap().unwrap();
        let expected = groups(&[(1, 4), (2, 3), (3, 5), (4, 0), (9, 0)]);
        assert_eq!(after.groups(), expected);
    }

    fn written(groups: &BTreeMap<DocumentId, Group>) -> Codes {
        let dir = tempfile::tempdir().unwrap();
        write_all(dir.path(), groups);
        Codes::open(dir.path(), layout::CODES).unwrap().unwrap()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Codes::open(dir.path(), layout::CODES).unwrap().is_none());
        assert_eq!(sum_in(dir.path()), None);
        for documents in [vec![], vec![(3, 2)], vec![(1, 4), (2, 0), (9, 1)]] {
            let groups = groups(&documents);
            write_all(dir.path(), &groups);
            let codes = Codes::open(dir.path(), layout::CODES).unwrap().unwrap();
            assert_eq!((codes.stamp(), &codes.groups()), (&stamp(), &groups));
            assert_eq!(sum_in(dir.path()), Some(codes.sum()));
        }
    }

    #[test]
    fn a_file_with_any_byte_changed_or_missing_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        write_all(dir.path(), &groups(&[(1, 3), (2, 1)]));
        let bytes = std::fs::read(dir.path().join(layout::CODES)).unwrap();
        assert!(Codes::read(OwnedBytes::new(bytes.clone())).is_ok());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(Codes::read(OwnedBytes::new(changed)).is_err(), "byte {at}");
            let short = bytes[..at].to_vec();
            assert!(Codes::read(OwnedBytes::new(short)).is_err(), "{at} bytes");
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
            assert!(Codes::read(OwnedBytes::new(bytes)).is_err(), "{body:?}");
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

    #[test]
    fn a_sign_of_a_large_number_counts_more() {
        let wanted = Sought::new(&[0.1, -0.1, 0.9, -0.1]);
        let signs: [u64; 5] = [0b0101, 0b0100, 0b0111, 0b0001, 0b1010];
        let mut found = Vec::new();
        wanted.differences(&signs.map(u64::to_le_bytes).concat(), &mut found);
        assert_eq!(found, [0, 1, 1, 3, 6]);
        assert!(wanted.most() >= 6);
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
