//! The best chunks of a keyword search, and how many there are: a [`Best`] gathers both in one pass over the matches.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::{DocId, Score, SegmentOrdinal, SegmentReader};

use super::lexical::{DOCUMENT, ORDINAL, REV};
use super::statistics::Part;

/// A chunk that matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The id of its document in the truth.
    pub(crate) document: u64,
    /// Its position in the document.
    pub(crate) ordinal: u64,
    /// The `rev` of the document that it was taken from.
    pub(crate) rev: u64,
    /// How well it matches.
    pub(crate) score: Score,
}

impl Candidate {
    /// Best first. What is equally good comes by document and ordinal, so that the order does not depend on tantivy's segments.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| (self.document, self.ordinal).cmp(&(other.document, other.ordinal)))
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The best, in order.
    pub(super) best: Vec<Candidate>,
    /// How many chunks match.
    pub(super) chunks: usize,
    /// The documents of all that match.
    pub(super) documents: Documents,
}

/// The ids of some documents.
pub(crate) type Documents = HashSet<u64, BuildHasherDefault<Spread>>;

/// Spreads numbers that we gave ourselves, in a tenth of the time of the hash that withstands those of an enemy (Knuth, volume 3, 6.4).
#[derive(Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Gathers the best `limit` chunks.
pub(super) struct Best {
    pub(super) limit: usize,
    /// The chunks that may be found; none for all. What lies elsewhere takes no one's place.
    pub(super) within: Option<Arc<Part>>,
}

impl Collector for Best {
    type Fruit = Found;
    type Child = BestOfSegment;

    fn for_segment(
        &self,
        ordinal: SegmentOrdinal,
        segment: &SegmentReader,
    ) -> tantivy::Result<BestOfSegment> {
        let fields = segment.fast_fields();
        Ok(BestOfSegment {
            limit: self.limit,
            within: self.within.clone().map(|part| (part, ordinal)),
            document: fields.u64(DOCUMENT)?,
            ordinal: fields.u64(ORDINAL)?,
            rev: fields.u64(REV)?,
            found: Found::default(),
            floor: Score::NEG_INFINITY,
            last: None,
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, fruits: Vec<Found>) -> tantivy::Result<Found> {
        let mut all = Found::default();
        for found in fruits {
            all.best.extend(found.best);
            all.chunks += found.chunks;
            all.documents.extend(found.documents);
        }
        all.best.sort_unstable_by(Candidate::order);
        all.best.truncate(self.limit);
        Ok(all)
    }
}

pub(super) struct BestOfSegment {
    limit: usize,
    /// What may be found, and which segment this is.
    within: Option<(Arc<Part>, SegmentOrdinal)>,
    document: Column<u64>,
    ordinal: Column<u64>,
    rev: Column<u64>,
    found: Found,
    /// The score under which a chunk cannot be among the best any more.
    floor: Score,
    /// The document of the last chunk.
    last: Option<u64>,
}

impl SegmentCollector for BestOfSegment {
    type Fruit = Found;

    fn collect(&mut self, doc: DocId, score: Score) {
        if let Some((part, segment)) = &self.within
            && !part.contains(*segment, doc)
        {
            return;
        }
        let document = self.document.first(doc).unwrap_or_default();
        // The chunks of a document mostly follow each other.
        if self.last != Some(document) {
            self.last = Some(document);
            self.found.documents.insert(document);
        }
        self.found.chunks += 1;
        if score < self.floor || self.limit == 0 {
            return;
        }
        self.found.best.push(Candidate {
            document,
            ordinal: self.ordinal.first(doc).unwrap_or_default(),
            rev: self.rev.first(doc).unwrap_or_default(),
            score,
        });
        // Cut back at twice the limit: each chunk is then compared a constant number of times.
        if self.found.best.len() >= self.limit * 2 {
            let (_, last, _) = self
                .found
                .best
                .select_nth_unstable_by(self.limit - 1, Candidate::order);
            self.floor = last.score;
            self.found.best.truncate(self.limit);
        }
    }

    fn harvest(self) -> Found {
        self.found
    }
}
