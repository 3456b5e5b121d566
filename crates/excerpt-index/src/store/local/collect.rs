//! The best chunks of a keyword search and their number: [`Best`] collects both in one pass over
//! the matches. [`Holding`] collects all matches without scores.

use std::cmp::Ordering;
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::{BitSet, DocId, Score, SegmentOrdinal, SegmentReader};
use twox_hash::XxHash3_64;

use super::any_of::on_grid;
use super::lexical::{DOCUMENT, ORDINAL, PATH_HASH, REV};
use super::statistics::Subset;
use crate::model::{ChunkKey, DocumentId, Revision};
use crate::store::Candidate;

/// A hash of a document's path that breaks ties the same way in every index with the same content.
/// It has 32 bits because it is stored with every chunk; a collision only makes two chunks compare
/// as equal.
pub(super) fn path_hash(path: &str) -> u64 {
    XxHash3_64::oneshot(path.as_bytes()) >> 32
}

/// Truncates `list` to its best `limit` items, in no order, but keeps all that compare as equal to
/// the last of these: otherwise the input order would decide which of them stay. Returns the last
/// one when something was dropped.
pub(super) fn keep_best<T: Copy>(
    list: &mut Vec<T>,
    limit: usize,
    order: impl Fn(&T, &T) -> Ordering,
) -> Option<T> {
    if list.len() <= limit {
        return None;
    }
    let Some(last) = limit.checked_sub(1) else {
        list.clear();
        return None;
    };
    let (_, last, rest) = list.select_nth_unstable_by(last, &order);
    let last = *last;
    let ties = rest.iter().filter(|item| order(item, &last).is_eq());
    let ties: Vec<T> = ties.copied().collect();
    list.truncate(limit);
    list.extend(ties);
    Some(last)
}

/// How many values of a column are read at a time.
const AT_ONCE: usize = 64;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// The best of the complete chunks; in order, once the segments are merged.
    pub(super) complete: Vec<Candidate>,
    /// The best of the others, likewise.
    pub(super) others: Vec<Candidate>,
    /// How many chunks match.
    pub(super) chunks: usize,
    /// The documents that these are of.
    pub(super) documents: Distinct,
}

/// Collects the best `limit` chunks of the complete ones, and of the others.
pub(super) struct Best {
    pub(super) limit: usize,
    /// The complete chunks, by segment; `None` for all.
    pub(super) complete: Option<Arc<Vec<BitSet>>>,
    /// The chunks that may match; `None` for all. Others do not displace any of them.
    pub(super) within: Option<Arc<Subset>>,
}

impl Collector for Best {
    type Fruit = Collected;
    type Child = BestOfSegment;

    fn for_segment(
        &self,
        ordinal: SegmentOrdinal,
        segment: &SegmentReader,
    ) -> tantivy::Result<BestOfSegment> {
        let fields = segment.fast_fields();
        Ok(BestOfSegment {
            segment: ordinal,
            within: self.within.clone(),
            is_complete: self.complete.clone(),
            document: fields.u64(DOCUMENT)?,
            path_hash: fields.u64(PATH_HASH)?,
            ordinal: fields.u64(ORDINAL)?,
            rev: fields.u64(REV)?,
            complete: Leaders::new(self.limit),
            others: Leaders::new(self.limit),
            chunks: 0,
            matching: Vec::with_capacity(AT_ONCE),
            documents: Distinct::of(segment.max_doc()),
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, fruits: Vec<Collected>) -> tantivy::Result<Collected> {
        let mut all = Collected::default();
        for found in fruits {
            all.complete.extend(found.complete);
            all.others.extend(found.others);
            all.chunks += found.chunks;
            all.documents.add(found.documents);
        }
        for best in [&mut all.complete, &mut all.others] {
            keep_best(best, self.limit, Candidate::order);
            best.sort_unstable_by(Candidate::order);
        }
        Ok(all)
    }
}

/// The best chunks so far.
struct Leaders {
    limit: usize,
    best: Vec<Candidate>,
    /// The score below which a chunk can no longer be among the best.
    floor: Score,
    /// The number of chunks at which the worse ones are dropped.
    full: usize,
}

impl Leaders {
    fn new(limit: usize) -> Self {
        Leaders {
            limit,
            best: Vec::new(),
            floor: match limit {
                0 => Score::INFINITY,
                _ => Score::NEG_INFINITY,
            },
            full: 2 * limit,
        }
    }

    /// Adds a chunk with this score, unless it cannot be among the best.
    fn offer(&mut self, score: Score, candidate: impl FnOnce() -> Candidate) {
        if score < self.floor {
            return;
        }
        self.best.push(candidate());
        // Truncated at twice the final size, so each chunk is compared a constant number of times.
        if self.best.len() >= self.full {
            if let Some(last) = keep_best(&mut self.best, self.limit, Candidate::order) {
                self.floor = last.score;
            }
            self.full = 2 * self.best.len().max(self.limit);
        }
    }
}

/// Different documents, to be counted. There may be one for each chunk of the index, and a bit for
/// each is faster than a set of them.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    /// A bit for each id below a limit.
    bits: Vec<u64>,
    limit: u64,
    /// The others, any number of times.
    others: Vec<DocumentId>,
}

impl Distinct {
    /// Those of a segment with as many `chunks`, for each of which there may be a word of bits.
    fn of(chunks: DocId) -> Self {
        Distinct {
            limit: u64::from(chunks) * 64,
            ..Distinct::default()
        }
    }

    fn insert(&mut self, document: DocumentId) {
        let id = document.0;
        if id >= self.limit {
            // The chunks of a document are mostly consecutive.
            if self.others.last() != Some(&document) {
                self.others.push(document);
            }
            return;
        }
        let word = (id / 64) as usize;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (id % 64);
    }

    fn add(&mut self, other: Distinct) {
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        for (bits, others) in self.bits.iter_mut().zip(other.bits) {
            *bits |= others;
        }
        self.others.extend(other.others);
    }

    /// How many there are.
    pub(super) fn count(mut self) -> usize {
        self.others.sort_unstable();
        self.others.dedup();
        // Another segment may have a bit for one of them.
        let has_bit = |id: &DocumentId| {
            let word = usize::try_from(id.0 / 64).ok();
            let word = word.and_then(|word| self.bits.get(word));
            word.is_some_and(|bits| bits >> (id.0 % 64) & 1 == 1)
        };
        let others = self.others.iter().filter(|id| !has_bit(id)).count();
        let bits = self.bits.iter().map(|bits| bits.count_ones() as usize);
        bits.sum::<usize>() + others
    }
}

pub(super) struct BestOfSegment {
    segment: SegmentOrdinal,
    within: Option<Arc<Subset>>,
    is_complete: Option<Arc<Vec<BitSet>>>,
    document: Column<u64>,
    path_hash: Column<u64>,
    ordinal: Column<u64>,
    rev: Column<u64>,
    complete: Leaders,
    others: Leaders,
    chunks: usize,
    /// The last chunks, the documents of which are still to be added.
    matching: Vec<DocId>,
    documents: Distinct,
}

impl BestOfSegment {
    /// Adds the documents of the last chunks.
    fn add_documents(&mut self) {
        let mut documents = [None; AT_ONCE];
        let documents = &mut documents[..self.matching.len()];
        self.document.first_vals(&self.matching, documents);
        self.matching.clear();
        for document in documents {
            let document = DocumentId(document.unwrap_or_default());
            self.documents.insert(document);
        }
    }
}

impl SegmentCollector for BestOfSegment {
    type Fruit = Collected;

    fn collect(&mut self, doc: DocId, score: Score) {
        if let Some(part) = &self.within
            && !part.contains(self.segment, doc)
        {
            return;
        }
        self.matching.push(doc);
        if self.matching.len() == AT_ONCE {
            self.add_documents();
        }
        self.chunks += 1;
        let score = on_grid(score) as Score;
        let is_complete = self.is_complete.as_ref().is_none_or(|complete| {
            let complete = complete.get(self.segment as usize);
            complete.is_some_and(|complete| complete.contains(doc))
        });
        let leaders = match is_complete {
            true => &mut self.complete,
            false => &mut self.others,
        };
        leaders.offer(score, || Candidate {
            key: ChunkKey {
                document: DocumentId(self.document.first(doc).unwrap_or_default()),
                ordinal: self.ordinal.first(doc).unwrap_or_default(),
            },
            path_hash: self.path_hash.first(doc).unwrap_or_default(),
            rev: Revision(self.rev.first(doc).unwrap_or_default()),
            score,
        });
    }

    fn harvest(mut self) -> Collected {
        self.add_documents();
        Collected {
            complete: self.complete.best,
            others: self.others.best,
            chunks: self.chunks,
            documents: self.documents,
        }
    }
}

/// Collects all matching chunks, by segment.
pub(super) struct Holding;

impl Collector for Holding {
    type Fruit = Vec<BitSet>;
    type Child = HoldingOfSegment;

    fn for_segment(
        &self,
        _: SegmentOrdinal,
        segment: &SegmentReader,
    ) -> tantivy::Result<HoldingOfSegment> {
        Ok(HoldingOfSegment(BitSet::with_max_value(segment.max_doc())))
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<BitSet>) -> tantivy::Result<Vec<BitSet>> {
        Ok(segments)
    }
}

pub(super) struct HoldingOfSegment(BitSet);

impl SegmentCollector for HoldingOfSegment {
    type Fruit = BitSet;

    fn collect(&mut self, doc: DocId, _: Score) {
        self.0.insert(doc);
    }

    fn harvest(self) -> BitSet {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_counts_once() {
        let mut all = Distinct::default();
        let segments: [(DocId, &[u64]); 4] = [
            (2, &[1, 64, 64, 128, 128]),
            (1, &[63, 64, 1 << 40]),
            (3, &[1, 128, 191]),
            (0, &[191, 1 << 40, 7]),
        ];
        for (chunks, ids) in segments {
            let mut some = Distinct::of(chunks);
            ids.iter().for_each(|id| some.insert(DocumentId(*id)));
            all.add(some);
        }
        assert_eq!(all.count(), 7);
    }

    #[test]
    fn what_is_equal_to_the_last_of_the_best_stays_with_it() {
        let by_tens = |a: &u32, b: &u32| (a / 10).cmp(&(b / 10));
        let kept = |limit: usize| {
            let mut list = vec![25, 31, 12, 22, 21, 48];
            let last = keep_best(&mut list, limit, by_tens);
            list.sort_unstable();
            (list, last.map(|last| last / 10))
        };
        assert_eq!(kept(0), (vec![], None));
        assert_eq!(kept(1), (vec![12], Some(1)));
        for limit in 2..5 {
            assert_eq!(kept(limit), (vec![12, 21, 22, 25], Some(2)), "{limit}");
        }
        assert_eq!(kept(5), (vec![12, 21, 22, 25, 31], Some(3)));
        assert_eq!(kept(6), (vec![12, 21, 22, 25, 31, 48], None));
    }
}
