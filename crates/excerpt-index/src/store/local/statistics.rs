//! The statistics of BM25: how many chunks there are, how long they are, and how many of them
//! contain a term. Where only some documents are searched, they are counted as if there were no
//! others: a score depends on what is searched, and reveals nothing about the rest.
//!
//! tantivy's own statistics include deleted chunks until a merge drops them, and a merge only
//! estimates the lengths that remain, so an answer would depend on the history of an index. Here
//! deleted chunks are subtracted, and lengths are summed as the index rounds them for each chunk.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::SegmentId;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{BitSet, DocId, DocSet, Searcher, SegmentOrdinal, SegmentReader, TERMINATED, Term};

use super::lexical::DOCUMENT;
use crate::model::DocumentId;
use crate::store::Documents;

/// A term must have this many times more postings than there are chunks for the chunks to be looked
/// up in the postings: a lookup costs more than a step.
const LOOK: usize = 8;

/// Some chunks, by segment.
pub(super) struct Subset(Vec<Chunks>);

/// Some chunks of a segment.
struct Chunks {
    /// In order.
    ids: Vec<DocId>,
    set: BitSet,
}

impl Subset {
    /// Those of some documents.
    pub(super) fn of(searcher: &Searcher, documents: &Documents) -> tantivy::Result<Subset> {
        let segments = searcher.segment_readers().iter();
        let chunks = segments.map(|segment| Chunks::of(segment, documents));
        Ok(Subset(chunks.collect::<tantivy::Result<_>>()?))
    }

    /// Those that are deleted but not yet dropped by a merge.
    fn deleted(searcher: &Searcher) -> Subset {
        Subset(
            searcher
                .segment_readers()
                .iter()
                .map(Chunks::deleted)
                .collect(),
        )
    }

    /// Whether a chunk of a segment is among them.
    pub(super) fn contains(&self, segment: SegmentOrdinal, chunk: DocId) -> bool {
        let chunks = self.0.get(segment as usize);
        chunks.is_some_and(|chunks| chunks.set.contains(chunk))
    }

    /// Each segment with its chunks.
    fn segments<'a>(
        &'a self,
        searcher: &'a Searcher,
    ) -> impl Iterator<Item = (&'a SegmentReader, &'a Chunks)> {
        searcher.segment_readers().iter().zip(&self.0)
    }
}

impl Chunks {
    fn deleted(segment: &SegmentReader) -> Chunks {
        let mut deleted = Chunks {
            ids: Vec::new(),
            set: BitSet::with_max_value(segment.max_doc()),
        };
        if let Some(alive) = segment.alive_bitset() {
            let mut next = 0;
            for chunk in alive.iter_alive().chain([segment.max_doc()]) {
                deleted.ids.extend(next..chunk);
                next = chunk + 1;
            }
            for chunk in &deleted.ids {
                deleted.set.insert(*chunk);
            }
        }
        deleted
    }

    fn of(segment: &SegmentReader, documents: &Documents) -> tantivy::Result<Chunks> {
        let column = segment.fast_fields().u64(DOCUMENT)?;
        let mut ids = Vec::new();
        let mut set = BitSet::with_max_value(segment.max_doc());
        // The chunks of a document are mostly consecutive.
        let (mut last, mut is_within) = (None, false);
        for chunk in segment.doc_ids_alive() {
            let document = column.first(chunk);
            if document != last {
                last = document;
                is_within =
                    document.is_some_and(|document| documents.contains(&DocumentId(document)));
            }
            if is_within {
                ids.push(chunk);
                set.insert(chunk);
            }
        }
        Ok(Chunks { ids, set })
    }

    /// How many of them contain a term.
    fn holding(&self, segment: &SegmentReader, term: &Term) -> tantivy::Result<u64> {
        if self.ids.is_empty() {
            return Ok(0);
        }
        let index = segment.inverted_index(term.field())?;
        let Some(mut places) = index.read_postings(term, IndexRecordOption::Basic)? else {
            return Ok(0);
        };
        let mut count = 0;
        if places.size_hint() as usize > self.ids.len() * LOOK {
            for chunk in &self.ids {
                if places.doc() < *chunk {
                    places.seek(*chunk);
                }
                count += u64::from(places.doc() == *chunk);
            }
            return Ok(count);
        }
        while places.doc() != TERMINATED {
            count += u64::from(self.set.contains(places.doc()));
            places.advance();
        }
        Ok(count)
    }

    /// How many words one of their fields has in total.
    fn length(&self, lengths: &FieldNormReader) -> u64 {
        let lengths = self.ids.iter().map(|chunk| lengths.fieldnorm(*chunk));
        lengths.map(u64::from).sum()
    }
}

/// Counts so far.
struct Known<K>(Mutex<HashMap<K, u64>>);

impl<K> Default for Known<K> {
    fn default() -> Self {
        Known(Mutex::default())
    }
}

impl<K: Clone + Eq + Hash> Known<K> {
    /// The count of `key`, which `count` returns the first time.
    fn get(&self, key: &K, count: impl FnOnce() -> tantivy::Result<u64>) -> tantivy::Result<u64> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(key) {
            return Ok(*known);
        }
        let count = count()?;
        known().insert(key.clone(), count);
        Ok(count)
    }
}

/// What is counted once for one state of the index, whatever is searched in it.
#[derive(Clone, Default)]
pub(super) struct Counts(Arc<CountsOfState>);

#[derive(Default)]
struct CountsOfState {
    /// How many words the fields of whole segments have.
    lengths: Known<(SegmentId, Field)>,
    deleted: OnceLock<Subset>,
}

impl Counts {
    /// The length of a field in all chunks of a segment, whether they are deleted or not.
    fn length(&self, segment: &SegmentReader, field: Field) -> tantivy::Result<u64> {
        let key = (segment.segment_id(), field);
        self.0.lengths.get(&key, || length_of_all(segment, field))
    }

    /// The chunks that are deleted but not yet dropped by a merge.
    fn deleted(&self, searcher: &Searcher) -> &Subset {
        self.0.deleted.get_or_init(|| Subset::deleted(searcher))
    }
}

/// The statistics of what is searched.
pub(super) struct Statistics {
    searcher: Searcher,
    /// Those of the state that `searcher` sees.
    of_state: Counts,
    /// The searched chunks; `None` for all.
    part: Option<Arc<Subset>>,
    chunks: u64,
    /// The counts so far: each is needed several times.
    lengths: Known<Field>,
    frequencies: Known<Term>,
}

impl Statistics {
    /// Those of `documents`, or of all documents.
    pub(super) fn of(
        searcher: Searcher,
        of_state: Counts,
        documents: Option<&Documents>,
    ) -> tantivy::Result<Self> {
        let part = documents.map(|documents| Subset::of(&searcher, documents));
        let part = part.transpose()?.map(Arc::new);
        let chunks = match &part {
            Some(part) => part.0.iter().map(|chunks| chunks.ids.len() as u64).sum(),
            None => searcher.num_docs(),
        };
        Ok(Statistics {
            searcher,
            of_state,
            part,
            chunks,
            lengths: Known::default(),
            frequencies: Known::default(),
        })
    }

    pub(super) fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// The searched chunks; `None` for all.
    pub(super) fn part(&self) -> Option<&Arc<Subset>> {
        self.part.as_ref()
    }

    /// How many chunks there are.
    pub(super) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Each segment with its deleted chunks.
    fn deleted(&self) -> impl Iterator<Item = (&SegmentReader, &Chunks)> {
        let deleted = self.of_state.deleted(&self.searcher);
        deleted.segments(&self.searcher)
    }

    fn count_length(&self, field: Field) -> tantivy::Result<u64> {
        // Where lengths are not stored, all are equally long.
        if !self
            .searcher
            .schema()
            .get_field_entry(field)
            .has_fieldnorms()
        {
            return Ok(self.chunks);
        }
        let mut total = 0;
        if let Some(part) = &self.part {
            for (segment, chunks) in part.segments(&self.searcher) {
                total += chunks.length(&segment.get_fieldnorms_reader(field)?);
            }
            return Ok(total);
        }
        // Deleted chunks do not count.
        for (segment, deleted) in self.deleted() {
            total += self.of_state.length(segment, field)?;
            total -= deleted.length(&segment.get_fieldnorms_reader(field)?);
        }
        Ok(total)
    }

    fn count(&self, term: &Term) -> tantivy::Result<u64> {
        let mut total = 0;
        if let Some(part) = &self.part {
            for (segment, chunks) in part.segments(&self.searcher) {
                total += chunks.holding(segment, term)?;
            }
            return Ok(total);
        }
        for (segment, deleted) in self.deleted() {
            let all = segment.inverted_index(term.field())?.doc_freq(term)?;
            total += u64::from(all) - deleted.holding(segment, term)?;
        }
        Ok(total)
    }
}

/// How many words a field of all chunks of a segment has. The index stores each length as a byte;
/// the bytes are counted in place, at a third of the cost of reading each length.
fn length_of_all(segment: &SegmentReader, field: Field) -> tantivy::Result<u64> {
    let lengths = segment.fieldnorms_readers().get_inner_file();
    let Some(lengths) = lengths.open_read(field) else {
        return Ok(0);
    };
    let mut counts = [0_u64; 256];
    for length in lengths.read_bytes()?.iter() {
        counts[usize::from(*length)] += 1;
    }
    let lengths = (0..=u8::MAX).map(FieldNormReader::id_to_fieldnorm);
    let total = counts.iter().zip(lengths);
    Ok(total.map(|(count, length)| count * u64::from(length)).sum())
}

impl Bm25StatisticsProvider for Statistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.lengths.get(&field, || self.count_length(field))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.chunks)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        self.frequencies.get(term, || self.count(term))
    }
}
