//! The best groups with their documents and passages, without copies.

use std::collections::HashMap;

use excerpt_chunk::{Hash, Markdown};

use super::copies::{self, COMPARED, Compared, Shown};
use super::fusion::Scored;
use super::group::Group;
use super::snippet::Marker;
use super::weak::Evidence;
use crate::model::{AlsoIn, ChunkKey, DocumentHits, Hit, Query};
use crate::store::snapshot::{
    PassageRequest, Passages, QueryVector, Shortlist, Snapshot, StoredPassage,
};
use crate::store::{StoreError, StoredDocument};

/// How many documents are read for each that is missing when folded copies have left room for
/// others, and how many at most: a copy that is read is not shown.
const FURTHER: usize = 8;
const MOST_FURTHER: usize = 256;

/// Turns groups of chunks into the documents of an answer.
pub(super) struct Hits<'a> {
    pub(super) query: &'a Query,
    pub(super) vector: Option<&'a QueryVector>,
    pub(super) marker: Marker,
    /// The number of searched chunks.
    pub(super) chunks: u64,
    /// The maximum number of documents.
    pub(super) limit: usize,
}

impl Hits<'_> {
    /// The best documents, at most as many as the limit. `found` are the chunks of the groups.
    pub(super) fn of(
        &mut self,
        snapshot: &dyn Snapshot,
        list: &Shortlist,
        found: &[Scored],
        groups: &[Group],
    ) -> Result<Vec<DocumentHits>, StoreError> {
        let mut documents: Vec<DocumentHits> = Vec::new();
        let mut kept = Shown::default();
        let mut beginnings = HashMap::new();
        let mut rest = groups;
        let mut count = self.limit;
        while documents.len() < self.limit && !rest.is_empty() {
            let (next, later) = rest.split_at(count.min(rest.len()));
            let mut passages = self.read(snapshot, list, found, next)?;
            beginnings.extend(passages.beginnings.drain());
            for group in next {
                if documents.len() == self.limit {
                    break;
                }
                let Some(document) = list.documents.get(&group.document) else {
                    continue;
                };
                let chunks = self.hits(found, group, document, &mut passages);
                if chunks.is_empty() {
                    continue;
                }
                let hits = DocumentHits {
                    rank: documents.len() + 1,
                    source: document.source.path().into(),
                    collection: document.collection.clone(),
                    path: document.path.clone(),
                    title: document.title.clone(),
                    first_heading: document.first_heading.clone(),
                    metadata: document.metadata.clone(),
                    encoding: document.encoding,
                    score: group.score,
                    chunks,
                    also_in: Vec::new(),
                };
                let repeated = match self.query.fold_copies {
                    true => repeated(&mut kept, document, &hits.chunks, &beginnings),
                    false => None,
                };
                match repeated.and_then(|at| documents.get_mut(at)) {
                    Some(better) => better.also_in.push(also_in(better, &hits)),
                    None => documents.push(hits),
                }
            }
            rest = later;
            count = ((self.limit - documents.len()) * FURTHER).min(MOST_FURTHER);
        }
        Ok(documents)
    }

    /// The passages of some groups.
    fn read(
        &self,
        snapshot: &dyn Snapshot,
        list: &Shortlist,
        found: &[Scored],
        groups: &[Group],
    ) -> Result<Passages, StoreError> {
        let chunks = groups.iter().filter_map(|group| {
            let document = list.documents.get(&group.document)?;
            let keys = self.shown(group).iter().map(|index| found[*index].key);
            Some((document, keys.collect()))
        });
        let chunks: Vec<(&StoredDocument, Vec<ChunkKey>)> = chunks.collect();
        snapshot.passages(&PassageRequest {
            chunks: &chunks,
            vector: self.vector,
            beginning: match self.query.fold_copies {
                true => COMPARED,
                false => 0,
            },
        })
    }

    /// The chunks of a group that are shown, as positions among all.
    fn shown<'g>(&self, group: &'g Group) -> &'g [usize] {
        let count = self.query.per_document.max(1).min(group.chunks.len());
        &group.chunks[..count]
    }

    fn hits(
        &mut self,
        found: &[Scored],
        group: &Group,
        document: &StoredDocument,
        passages: &mut Passages,
    ) -> Vec<Hit> {
        let mut hits = Vec::new();
        for index in self.shown(group) {
            let scored = &found[*index];
            let passage = passages.chunks.remove(&scored.key);
            hits.extend(passage.and_then(|passage| self.hit(*index, scored, document, passage)));
        }
        hits
    }

    /// The hit of a passage; `None` if it was found in an older state of its document, by words
    /// that it no longer contains.
    fn hit(
        &mut self,
        index: usize,
        found: &Scored,
        document: &StoredDocument,
        passage: StoredPassage,
    ) -> Option<Hit> {
        let StoredPassage {
            chunk,
            text,
            cosine,
        } = passage;
        let (first, last) = chunk.span.lines;
        let titles = chunk.trail.iter().chain(&chunk.sections);
        let around: Vec<&str> = [
            document.title.as_deref().unwrap_or_default(),
            &document.path,
        ]
        .into_iter()
        .chain(titles.map(|title| &**title))
        .collect();
        let body = match chunk.span.bytes.start {
            0 if document.is_markdown() => Markdown::body(&text),
            _ => 0,
        };
        let (snippet, coverage) = self.marker.mark(&text, body, first, &around);
        let is_old = found.rev < document.rev;
        if is_old && coverage == 0.0 && found.explanation.vectors.is_none() {
            return None;
        }
        let keywords = found.explanation.keywords;
        let evidence = Evidence {
            coverage,
            emphasis: keywords.map_or(0.0, |keywords| keywords.score) / self.marker.weight(),
            cosine,
        };
        let floor = self.vector.and_then(|vector| vector.floor);
        Some(Hit {
            rank: index + 1,
            coverage,
            cosine,
            // What is of the day that was asked about is an answer, whatever its words.
            weak: !found.is_of_asked_day && evidence.is_weak(self.chunks, floor),
            score: found.score,
            all_words: found.all_words,
            explanation: found.explanation.clone(),
            id: chunk.id,
            path: document.path.clone(),
            ordinal: chunk.ordinal,
            citation: format!("{}:{first}-{last}", document.path),
            snippet,
            text,
            span: chunk.span,
            trail: chunk.trail,
            sections: chunk.sections,
            defines: chunk.defines,
            kind: chunk.kind,
            language: chunk.language,
            tokens: chunk.tokens,
        })
    }
}

/// The position of the kept document that these chunks of a lower one repeat.
fn repeated(
    kept: &mut Shown,
    document: &StoredDocument,
    chunks: &[Hit],
    beginnings: &HashMap<Hash, String>,
) -> Option<usize> {
    let passages = chunks.iter().map(|hit| &*hit.text);
    let mut found = Compared::new(&document.path, document.text, passages);
    if document.is_code() {
        found = found.without_translations();
    }
    kept.repeated(found, beginnings)
}

/// The place of a document that repeats a better one.
fn also_in(better: &DocumentHits, copy: &DocumentHits) -> AlsoIn {
    let part = copies::difference(&better.path, &copy.path);
    AlsoIn {
        part: part.filter(|part| !part.is_empty()).map(str::to_string),
        lines: copy.chunks.first().map_or((1, 1), |best| best.span.lines),
        source: copy.source.clone(),
        collection: copy.collection.clone(),
        path: copy.path.clone(),
    }
}
