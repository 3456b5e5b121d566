//! Chunks that match: how the keyword index is asked, and the list of candidates.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::StoreError;
use crate::analysis::Phrase;
use crate::model::{ChunkKey, DocumentId, FieldWeights, Revision};

/// What to search for.
#[derive(Clone, Debug)]
pub(crate) struct LexicalQuery<'a> {
    /// Terms that a chunk with every word contains.
    pub(crate) required: &'a [String],
    /// Terms that only add to the score: identifiers as a whole.
    pub(crate) optional: &'a [String],
    /// [Names](crate::analysis::name) whose definitions rank above their uses.
    pub(crate) names: &'a [String],
    /// Phrases that a chunk must contain.
    pub(crate) phrases: &'a [Phrase],
    /// What a chunk must not contain.
    pub(crate) excluded: &'a [Phrase],
    /// Words of the question in sequence: see [`Candidates::in_sequence`].
    pub(crate) sequences: &'a [Phrase],
    /// What a word counts for in each field.
    pub(crate) weights: &'a FieldWeights,
    /// How many chunks to return.
    pub(crate) limit: usize,
}

/// The result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// The best chunks that contain every required term, then the best of the others.
    pub(crate) chunks: Vec<Candidate>,
    /// How many of them contain every required term.
    pub(crate) complete: usize,
    /// The chunks that contain any of the sequences in their text, with the share of the sequences
    /// that they contain.
    pub(crate) in_sequence: ById<ChunkKey, f32>,
    /// How many chunks contain any term.
    pub(crate) chunks_total: usize,
    /// How many documents they belong to.
    pub(crate) documents_total: usize,
}

impl Candidates {
    /// Those that pass a test.
    pub(crate) fn retaining(
        &self,
        passes: &mut dyn FnMut(&Candidate) -> Result<bool, StoreError>,
    ) -> Result<Self, StoreError> {
        let mut kept = Candidates {
            chunks: Vec::new(),
            complete: 0,
            ..self.clone()
        };
        for (place, candidate) in self.chunks.iter().enumerate() {
            if passes(candidate)? {
                kept.chunks.push(*candidate);
                kept.complete += usize::from(place < self.complete);
            }
        }
        Ok(kept)
    }
}

/// A chunk that matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) key: ChunkKey,
    /// The hash of its document's path.
    pub(crate) path_hash: u64,
    /// The state of the document that it was taken from.
    pub(crate) rev: Revision,
    /// How well it matches.
    pub(crate) score: f32,
}

impl Candidate {
    /// Best first. Ties are broken by path and ordinal: tantivy's segments and the ids of documents
    /// depend on the order of past changes. Only chunks at the same place of different sources
    /// compare as equal.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| {
            (self.path_hash, self.key.ordinal).cmp(&(other.path_hash, other.key.ordinal))
        })
    }
}

/// The ids of some documents.
pub(crate) type Documents = HashSet<DocumentId, BuildHasherDefault<Spread>>;

/// Values by the id of a document or the key of a chunk.
pub(crate) type ById<K, V> = HashMap<K, V, BuildHasherDefault<Spread>>;

/// Hashes numbers that excerpt assigns itself, in a tenth of the time of a hash that resists
/// deliberate collisions (Knuth, volume 3, 6.4).
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

/// The idf of BM25 for a term that occurs in `holding` of `chunks` chunks.
pub(crate) fn idf(chunks: u64, holding: u64) -> f32 {
    let (chunks, holding) = (chunks as f32, holding as f32);
    (1.0 + (chunks - holding + 0.5) / (holding + 0.5)).ln()
}
