//! The nearest chunks to a vector: the signs of each chunk's numbers, one bit each, in one file beside the truth that is mapped into memory,
//! derived from the truth and disposable.
//!
//! A search looks at all codes (by the bits that differ), at the better ones again (by the question's numbers under the signs), and leaves the best
//! to be compared number by number with what the truth holds.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `EXCRPTV` and the format, 1 |
//! | 8 | the sum of all that follows (XXH3), little-endian as all other numbers |
//! | 8 | the length of the stamp |
//! | | the [`Stamp`] in JSON, filled with blanks to a multiple of 8 |
//! | 8 | how many groups there are |
//! | 24 each | a document's id, its `rev`, and how many chunks it has |
//! | `dimensions / 64` × 8 each | the code of a chunk, in the order of documents and ordinals; the sign of number *i* is bit *i* % 64 of word *i* / 64 |

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tantivy::Directory as _;
use tantivy::directory::{MmapDirectory, OwnedBytes};
use twox_hash::XxHash3_64;

use super::fault::Fault;

/// The file inside an index directory.
pub(super) const FILE: &str = "vectors";

const MAGIC: [u8; 8] = *b"EXCRPTV\x01";
const WORD: usize = size_of::<u64>();
const GROUP: usize = 3 * WORD;
/// How many bytes the sum is not of: what stands before its end.
const UNSUMMED: usize = 2 * WORD;

/// How many chunks are looked at again, for each that is wanted at least.
const SECOND_LOOK: usize = 10;
/// How many are compared exactly, for each that is wanted.
const EXACT: usize = 2;

/// What the codes were made from and how far they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// The id of the truth.
    pub(crate) store: String,
    /// The identity of the embedder.
    pub(crate) embedder: String,
    /// How many numbers its vectors have.
    pub(crate) dimensions: usize,
    /// The `rev` of the last change that they hold.
    pub(crate) rev: i64,
}

/// The codes of a document's chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) rev: u64,
    /// The codes of the chunks, one behind the other.
    pub(super) words: Vec<u64>,
}

/// A chunk whose code is near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    /// The id of its document in the truth.
    pub(crate) document: u64,
    /// The `rev` of the document that it was taken from.
    pub(crate) rev: u64,
    /// Its position in the document.
    pub(crate) ordinal: u64,
}

/// The codes on disk.
pub(crate) struct Codes {
    sum: u64,
    stamp: Stamp,
    bytes: OwnedBytes,
    /// The document, its `rev` and the number of its first code, in order; last, the number of all codes.
    groups: Vec<(u64, u64, usize)>,
    total: usize,
    /// Where the codes begin.
    from: usize,
}

impl Codes {
    /// Opens the file in the index directory `dir`; none if there is none.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from being used, which making it again will mend.
    pub(super) fn open(dir: &Path) -> Result<Option<Codes>, Fault> {
        if !dir.join(FILE).is_file() {
            return Ok(None);
        }
        let directory = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
        let file = directory
            .open_read(Path::new(FILE))
            .map_err(tantivy::TantivyError::from)?;
        Codes::read(file.read_bytes()?).map(Some)
    }

    fn read(bytes: OwnedBytes) -> Result<Codes, Fault> {
        const SHORT: Fault = Fault::Value("a file of vectors that ends too soon");
        if !bytes.starts_with(&MAGIC) {
            return Err(Fault::Value("a file of vectors of another format"));
        }
        let long = |at: usize| -> Result<u64, Fault> {
            let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(SHORT)?;
            Ok(u64::from_le_bytes(*bytes))
        };
        let number = |at| usize::try_from(long(at)?).map_err(|_| SHORT);
        let sum = long(WORD)?;
        if bytes.get(UNSUMMED..).map(XxHash3_64::oneshot) != Some(sum) {
            return Err(Fault::Value("a damaged file of vectors"));
        }
        let mut at = UNSUMMED + WORD;
        let end = at.checked_add(number(UNSUMMED)?).ok_or(SHORT)?;
        let stamp: Stamp = serde_json::from_slice(bytes.get(at..end).ok_or(SHORT)?)?;
        at = end;
        let count = number(at)?;
        at += WORD;
        let mut groups = Vec::with_capacity(count.min(bytes.len() / GROUP));
        let mut total: usize = 0;
        for _ in 0..count {
            groups.push((long(at)?, long(at + WORD)?, total));
            total = total.checked_add(number(at + 2 * WORD)?).ok_or(SHORT)?;
            at += GROUP;
        }
        let length = total.checked_mul(width(stamp.dimensions) * WORD);
        if length.and_then(|length| length.checked_add(at)) != Some(bytes.len()) {
            return Err(SHORT);
        }
        Ok(Codes {
            sum,
            stamp,
            bytes,
            groups,
            total,
            from: at,
        })
    }

    /// What tells them from all others.
    pub(super) fn sum(&self) -> u64 {
        self.sum
    }

    /// What they were made from and how far they are.
    pub(crate) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// All groups, by document.
    pub(super) fn groups(&self) -> BTreeMap<u64, Group> {
        let groups = self.places().map(|(document, rev, codes)| {
            let (words, _) = codes.as_chunks();
            let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
            (document, Group { rev, words })
        });
        groups.collect()
    }

    /// Each document with its `rev` and its codes.
    fn places(&self) -> impl Iterator<Item = (u64, u64, &[u8])> {
        let ends = self.groups.iter().skip(1).map(|(.., first)| *first);
        let ends = ends.chain([self.total]);
        let code = width(self.stamp.dimensions) * WORD;
        self.groups
            .iter()
            .zip(ends)
            .map(move |((document, rev, first), end)| {
                let codes = &self.bytes[self.from + first * code..self.from + end * code];
                (*document, *rev, codes)
            })
    }

    /// Chunks whose vectors are probably the nearest to `query`, in `documents` if some are given: `limit` times [`EXACT`] of them, to be compared exactly.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        documents: Option<&HashSet<u64>>,
        limit: usize,
    ) -> Vec<Near> {
        let words = width(self.stamp.dimensions);
        let wanted = code(query);
        let (wanted, _) = wanted.as_slice().split_at(words);
        let within =
            |document: &u64| documents.is_none_or(|documents| documents.contains(document));
        let allowed = || self.places().filter(move |(document, ..)| within(document));

        // How many chunks differ in so many bits, and from that by how many a chunk may differ.
        let mut distances: Vec<u16> = Vec::new();
        let mut counts = vec![0_usize; words * 64 + 1];
        for (_, _, codes) in allowed() {
            for code in codes.chunks_exact(words * WORD) {
                let distance = difference(wanted, code);
                counts[usize::from(distance)] += 1;
                distances.push(distance);
            }
        }
        let mut room = limit * EXACT * SECOND_LOOK;
        let farthest = counts.iter().position(|count| {
            let full = *count >= room;
            room = room.saturating_sub(*count);
            full
        });
        let farthest = farthest.unwrap_or(counts.len()) as u16;

        let table = Table::new(query);
        let mut found: Vec<(f32, Near)> = Vec::new();
        let mut distances = distances.iter();
        for (document, rev, codes) in allowed() {
            for (ordinal, code) in (0..).zip(codes.chunks_exact(words * WORD)) {
                if distances
                    .next()
                    .is_some_and(|distance| *distance <= farthest)
                {
                    let near = Near {
                        document,
                        rev,
                        ordinal,
                    };
                    found.push((table.sum(code), near));
                }
            }
        }
        let order = |(a, left): &(f32, Near), (b, right): &(f32, Near)| {
            let place = |near: &Near| (near.document, near.ordinal);
            b.total_cmp(a).then_with(|| place(left).cmp(&place(right)))
        };
        let count = limit * EXACT;
        if found.len() > count {
            found.select_nth_unstable_by(count, order);
            found.truncate(count);
        }
        found.into_iter().map(|(_, near)| near).collect()
    }
}

/// Writes the file in the index directory `dir`, in place of what is there.
pub(super) fn write(dir: &Path, stamp: &Stamp, groups: &BTreeMap<u64, Group>) -> Result<(), Fault> {
    let mut json = serde_json::to_vec(stamp)?;
    json.resize(json.len().next_multiple_of(WORD), b' ');
    let words = width(stamp.dimensions);
    let mut bytes = vec![0; UNSUMMED];
    bytes.extend((json.len() as u64).to_le_bytes());
    bytes.extend(json);
    bytes.extend((groups.len() as u64).to_le_bytes());
    for (document, group) in groups {
        let numbers = [*document, group.rev, (group.words.len() / words) as u64];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    for word in groups.values().flat_map(|group| &group.words) {
        bytes.extend(word.to_le_bytes());
    }
    let sum = XxHash3_64::oneshot(&bytes[UNSUMMED..]);
    bytes[..WORD].copy_from_slice(&MAGIC);
    bytes[WORD..UNSUMMED].copy_from_slice(&sum.to_le_bytes());
    let directory = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
    Ok(directory.atomic_write(Path::new(FILE), &bytes)?)
}

/// The [sum](Codes::sum) of the codes in the index directory `dir`, if there are some, without reading them.
pub(super) fn sum_in(dir: &Path) -> Option<u64> {
    let mut bytes = [0; UNSUMMED];
    File::open(dir.join(FILE))
        .ok()?
        .read_exact(&mut bytes)
        .ok()?;
    let (words, _) = bytes.as_chunks();
    Some(u64::from_le_bytes(words[1]))
}

/// How many words a code takes.
fn width(dimensions: usize) -> usize {
    dimensions.div_ceil(64).max(1)
}

/// The signs of a vector's numbers.
pub(super) fn code<N: Copy + PartialOrd + Default>(numbers: &[N]) -> Vec<u64> {
    let mut words = vec![0; width(numbers.len())];
    for (at, number) in numbers.iter().enumerate() {
        words[at / 64] |= u64::from(*number > N::default()) << (at % 64);
    }
    words
}

/// In how many bits a code differs.
fn difference(wanted: &[u64], code: &[u8]) -> u16 {
    let (words, _) = code.as_chunks();
    let pairs = wanted.iter().zip(words);
    let bits = pairs.map(|(wanted, word)| (wanted ^ u64::from_le_bytes(*word)).count_ones());
    bits.sum::<u32>() as u16
}

/// The sum of a question's numbers under the signs of a code, from sums made beforehand for each byte that a code may have.
struct Table(Vec<[f32; 256]>);

impl Table {
    fn new(query: &[f32]) -> Table {
        let of_byte = |numbers: &[f32]| {
            let mut sums = [0.0; 256];
            for (byte, sum) in sums.iter_mut().enumerate() {
                let signed = numbers.iter().enumerate().map(|(bit, number)| {
                    if byte >> bit & 1 == 1 {
                        *number
                    } else {
                        -number
                    }
                });
                *sum = signed.sum();
            }
            sums
        };
        Table(query.chunks(8).map(of_byte).collect())
    }

    fn sum(&self, code: &[u8]) -> f32 {
        let sums = self.0.iter().zip(code);
        sums.map(|(sums, byte)| sums[usize::from(*byte)]).sum()
    }
}
