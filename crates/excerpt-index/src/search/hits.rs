//! The best groups with their documents and passages, without copies.

use std::collections::HashMap;

use excerpt_chunk::{Hash, Markdown};

use super::copies::{self, COMPARED, Compared, Shown};
use super::fusion::Scored;
use super::group::Group;
use super::precise::Narrower;
use super::snippet::{Marked, Marker, Surroundings, begins_with};
use super::weak::Evidence;
use crate::analysis::is_latin;
use crate::model::{AlsoIn, ChunkKey, DocumentHits, Hit, Query};
use crate::read::citation;
use crate::store::snapshot::{
    PassageRequest, Passages, QueryVector, Shortlist, Snapshot, StoredPassage,
};
use crate::store::{StoreError, StoredChunk, StoredDocument};

/// How many documents are read for each that is missing when folded copies have left room for
/// others, and how many at most: a copy that is read is not shown.
const FURTHER: usize = 8;
const MOST_FURTHER: usize = 256;

/// Turns groups of chunks into the documents of an answer.
pub(super) struct Hits<'a> {
    pub(super) query: &'a Query,
    pub(super) vector: Option<&'a QueryVector>,
    /// Finds the evidence in each hit, if only that is wanted.
    pub(super) narrower: Option<&'a Narrower>,
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
        let mut kept = KeptDocuments::new(self.query.fold_copies);
        let mut rest = groups;
        let mut count = self.limit;
        while kept.documents.len() < self.limit && !rest.is_empty() {
            let (next, later) = rest.split_at(count.min(rest.len()));
            let mut passages = self.read(snapshot, list, found, next)?;
            kept.beginnings.extend(passages.beginnings.drain());
            for group in next {
                if kept.documents.len() == self.limit {
                    break;
                }
                if let Some((document, chunks)) = self.hits(list, found, group, &mut passages) {
                    let repeated = kept.repeated(document, &chunks);
                    let chunks = self.narrowed(document, chunks);
                    kept.add(document, group.score, chunks, repeated);
                }
            }
            rest = later;
            count = ((self.limit - kept.documents.len()) * FURTHER).min(MOST_FURTHER);
        }
        Ok(kept.documents)
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
            Some((&**document, keys.collect()))
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

    /// The document of a group and its hits; `None` if there are none.
    fn hits<'l>(
        &mut self,
        list: &'l Shortlist,
        found: &[Scored],
        group: &Group,
        passages: &mut Passages,
    ) -> Option<(&'l StoredDocument, Vec<Hit>)> {
        let document = list.documents.get(&group.document)?;
        let mut hits = Vec::new();
        for index in self.shown(group) {
            let scored = &found[*index];
            let passage = passages.chunks.remove(&scored.key);
            hits.extend(passage.and_then(|passage| self.hit(*index, scored, document, passage)));
        }
        (!hits.is_empty()).then_some((document, hits))
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
        let Marked {
            snippet,
            coverage,
            evidence,
        } = self.mark(document, &chunk, &text, found.is_of_asked_day);
        let is_old = found.rev < document.rev;
        if is_old && coverage == 0.0 && found.explanation.vectors.is_none() {
            return None;
        }
        let evidence = chunk.span.bytes.start + evidence;
        let place = document.place(chunk.bytes(), &text, evidence);
        Some(Hit {
            rank: index + 1,
            coverage,
            cosine,
            weak: self.is_weak(found, coverage, cosine),
            score: found.score,
            all_words: found.all_words,
            explanation: found.explanation.clone(),
            id: chunk.id,
            path: document.path.clone(),
            ordinal: chunk.ordinal,
            citation: citation(&document.path, &chunk.span, place.as_deref()),
            place,
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

    /// Only the evidence in each hit, if only that is wanted.
    fn narrowed(&mut self, document: &StoredDocument, mut hits: Vec<Hit>) -> Vec<Hit> {
        let Some(narrower) = self.narrower else {
            return hits;
        };
        let around = Surroundings::default();
        for hit in &mut hits {
            let body = body(document, hit.span.bytes.start, &hit.text);
            let text = &hit.text[body..];
            let found = narrower.narrow(&document.path, text, &mut self.marker);
            let bytes = body + found.bytes.start..body + found.bytes.end;
            let lines = |text: &str| text.matches('\n').count();
            let first = hit.span.lines.0 + lines(&hit.text[..bytes.start]);
            let evidence = hit.text[bytes.clone()].to_string();
            let last = first + lines(evidence.trim_end_matches('\n'));
            let marked = self.marker.mark(&evidence, 0, first, &around);
            hit.snippet = marked.snippet;
            hit.span.lines = (first, last);
            hit.span.bytes = hit.span.bytes.start + bytes.start..hit.span.bytes.start + bytes.end;
            let bytes = hit.span.bytes.clone();
            let at = bytes.start + marked.evidence;
            hit.place = document.place(bytes, &evidence, at);
            hit.citation = citation(&document.path, &hit.span, hit.place.as_deref());
            hit.trail = found.trail_within(&hit.trail);
            hit.sections = found.sections;
            hit.tokens = found.tokens;
            hit.text = evidence;
        }
        hits
    }

    /// What answers best in a chunk, with its titles around it.
    fn mark(
        &mut self,
        document: &StoredDocument,
        chunk: &StoredChunk,
        text: &str,
        is_of_asked_day: bool,
    ) -> Marked {
        let body = body(document, chunk.span.bytes.start, text);
        let (mut shown, mut others) = (Vec::new(), vec![&*document.path]);
        shown.extend(document.title.as_deref());
        shown.extend(chunk.trail.iter().map(|title| &**title));
        // Without headings around it, that of the first section is shown.
        let mut sections = chunk.sections.iter().map(|title| &**title);
        let is_shown = |title: &&str| chunk.trail.is_empty() && begins_with(&text[body..], title);
        match sections.next() {
            Some(title) if is_shown(&title) => shown.push(title),
            first => others.extend(first),
        }
        others.extend(sections);
        let around = Surroundings {
            shown,
            others,
            is_of_asked_day,
        };
        self.marker.mark(text, body, chunk.span.lines.0, &around)
    }

    /// Whether a chunk is probably no answer.
    fn is_weak(&self, found: &Scored, coverage: f32, cosine: Option<f32>) -> bool {
        let keywords = found.explanation.keywords;
        let evidence = Evidence {
            coverage,
            emphasis: keywords.map_or(0.0, |keywords| keywords.score) / self.marker.weight(),
            cosine,
            is_latin: is_latin(&self.query.text),
        };
        let floor = self.vector.and_then(|vector| vector.floor);
        // What is of the day that was asked about is an answer, whatever its words.
        !found.is_of_asked_day && evidence.is_weak(self.chunks, floor)
    }
}

/// Where the text of a chunk begins that is no front matter, of one from the byte `start` on.
fn body(document: &StoredDocument, start: usize, text: &str) -> usize {
    match start {
        0 if document.is_markdown() => Markdown::body(text),
        _ => 0,
    }
}

/// The documents of an answer so far, best first.
struct KeptDocuments {
    documents: Vec<DocumentHits>,
    /// Whether copies are folded into the documents that they repeat.
    folds: bool,
    shown: Shown,
    /// The beginnings of texts.
    beginnings: HashMap<Hash, String>,
}

impl KeptDocuments {
    fn new(folds: bool) -> Self {
        KeptDocuments {
            documents: Vec::new(),
            folds,
            shown: Shown::default(),
            beginnings: HashMap::new(),
        }
    }

    /// Adds a document, or only its place if it repeats the better one at a position.
    fn add(
        &mut self,
        document: &StoredDocument,
        score: f32,
        chunks: Vec<Hit>,
        repeated: Option<usize>,
    ) {
        let hits = DocumentHits {
            rank: self.documents.len() + 1,
            source: document.source.path().into(),
            collection: document.collection.clone(),
            path: document.path.clone(),
            title: document.title.clone(),
            first_heading: document.first_heading.clone(),
            metadata: document.metadata.clone(),
            provenance: document.provenance.clone(),
            encoding: document.encoding,
            stat: document.stat,
            score,
            chunks,
            also_in: Vec::new(),
        };
        match repeated.and_then(|at| self.documents.get_mut(at)) {
            Some(better) => better.also_in.push(also_in(better, &hits)),
            None => self.documents.push(hits),
        }
    }

    /// The position of the document that these chunks of a lower one repeat, if copies are folded.
    fn repeated(&mut self, document: &StoredDocument, chunks: &[Hit]) -> Option<usize> {
        if !self.folds {
            return None;
        }
        let passages = chunks.iter().map(|hit| &*hit.text);
        let mut found = Compared::new(&document.path, document.text, passages);
        if document.is_code() {
            found = found.without_translations();
        }
        self.shown.repeated(found, &self.beginnings)
    }
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
