//! From a [`Query`] to an [`Answer`]: the words are taken apart (`query.rs`), the store gives candidates, these are grouped by
//! document (`group.rs`) and looked up, and each gets the lines that answer best (`snippet.rs`).

mod group;
mod query;
mod snippet;

use std::path::PathBuf;
use std::time::Instant;

use crate::error::Error;
use crate::model::{Answer, DocumentHits, Filter, Hit, Note, Query, Rank};
use crate::store::{Candidates, Fault, Lexical, Store, StoredDocument, Wanted, place};
use group::Group;
use query::Words;
use snippet::Marker;

/// The highest limit that is honoured.
const MOST: usize = 1000;

/// How many chunks are looked at for each document wanted, at first, and how many at least. Most documents hold fewer that match.
const CHUNKS_PER_DOCUMENT: usize = 10;
const LEAST_CHUNKS: usize = 100;

/// Answers a query from what the store holds.
pub(crate) fn search(store: &Store, query: &Query) -> Result<Answer, Fault> {
    let start = Instant::now();
    let words = Words::of(&query.text)?;
    let places = places(store, &query.filter)?;
    let mut answer = Answer {
        documents: Vec::new(),
        documents_total: 0,
        chunks_total: 0,
        elapsed: start.elapsed(),
        notes: Vec::new(),
    };
    if let Some(lexical) = store.lexical() {
        let weights = lexical.weights(&words.required)?;
        answer.notes = notes(&words, &weights);
        let (candidates, groups) = candidates(lexical, query, &words, places.as_deref())?;
        answer.chunks_total = candidates.chunks_total;
        answer.documents_total = candidates.documents_total;
        let marker = Marker::new(&words, &weights);
        answer.documents = Lookup {
            store,
            candidates,
            marker,
        }
        .documents(groups, query)?;
    }
    answer.elapsed = start.elapsed();
    Ok(answer)
}

/// What is to be said of the words.
fn notes(words: &Words, weights: &[Option<f32>]) -> Vec<Note> {
    let absent = words
        .written
        .iter()
        .zip(weights)
        .filter(|(_, weight)| weight.is_none());
    let absent: Vec<String> = absent.map(|(word, _)| word.clone()).collect();
    let absent = (!absent.is_empty()).then_some(Note::Absent(absent));
    let shortened = words.shortened.then_some(Note::Shortened {
        words: words.required.len(),
    });
    absent.into_iter().chain(shortened).collect()
}

/// The places that a filter allows; none when it allows all.
fn places(store: &Store, filter: &Filter) -> Result<Option<Vec<String>>, Fault> {
    let path = filter.path.as_deref().map(segments).unwrap_or_default();
    let sources = store.truth.sources()?;
    let named: Vec<i64> = match &filter.source {
        None if path.is_empty() => return Ok(None),
        None => sources.iter().map(|(id, ..)| *id).collect(),
        Some(root) => {
            let source = sources
                .iter()
                .find(|(_, known, _)| root.as_os_str() == &**known);
            let unknown = || Error::UnknownSource {
                path: root.clone(),
                sources: sources.iter().map(|(_, root, _)| root.into()).collect(),
            };
            vec![source.ok_or_else(unknown)?.0]
        }
    };
    Ok(Some(
        named
            .into_iter()
            .map(|source| place(source, &path))
            .collect(),
    ))
}

/// A path as documents have it: `./docs//guide/` is `docs/guide`.
pub(crate) fn segments(path: &str) -> String {
    let segments = path
        .split('/')
        .filter(|segment| !matches!(*segment, "" | "."));
    segments.collect::<Vec<_>>().join("/")
}

/// Asks for more and more chunks until they belong to as many documents as are wanted.
fn candidates(
    lexical: &Lexical,
    query: &Query,
    words: &Words,
    places: Option<&[String]>,
) -> Result<(Candidates, Vec<Group>), Fault> {
    let documents = query.limit.min(MOST);
    let mut limit = match query.rank {
        Rank::Documents => (documents * CHUNKS_PER_DOCUMENT).max(LEAST_CHUNKS),
        Rank::Chunks => documents.max(LEAST_CHUNKS),
    };
    loop {
        let candidates = lexical.candidates(&Wanted {
            required: &words.required,
            optional: &words.optional,
            names: &words.names,
            places,
            limit,
        })?;
        let groups = match query.rank {
            Rank::Documents => group::by_document(&candidates),
            Rank::Chunks => group::by_chunk(&candidates),
        };
        let exhausted = candidates.chunks.len() == candidates.chunks_total;
        if groups.len() >= documents || exhausted {
            return Ok((candidates, groups));
        }
        limit *= 4;
    }
}

/// Looks candidates up in the truth.
struct Lookup<'a> {
    store: &'a Store,
    candidates: Candidates,
    marker: Marker,
}

impl Lookup<'_> {
    /// The best groups with their documents and chunks. What the truth no longer holds, or holds in another state, is left out:
    /// the keyword index may be behind.
    fn documents(mut self, groups: Vec<Group>, query: &Query) -> Result<Vec<DocumentHits>, Fault> {
        let limit = query.limit.min(MOST);
        let mut found: Vec<(Group, StoredDocument)> = Vec::new();
        for group in groups {
            // One more look among equals: which of them come first depends on their paths.
            if found.len() >= limit && found.last().is_none_or(|(last, _)| !last.ties(&group)) {
                break;
            }
            if let Some(document) = self.current(&group)? {
                found.push((group, document));
            }
        }
        found.sort_by(|(a, left), (b, right)| {
            let by_place =
                || (&left.path, a.ordinal, &left.root).cmp(&(&right.path, b.ordinal, &right.root));
            a.order(b).then_with(by_place)
        });
        let mut documents = Vec::new();
        for (group, document) in found.into_iter().take(limit) {
            let chunks = self.hits(&group, &document, query.per_document)?;
            documents.push(DocumentHits {
                rank: documents.len() + 1,
                source: PathBuf::from(document.root),
                path: document.path,
                title: document.title,
                first_heading: document.first_heading,
                metadata: document.metadata,
                score: group.score,
                chunks,
            });
        }
        Ok(documents)
    }

    /// The document of a group, if it still is what the keyword index knows.
    fn current(&self, group: &Group) -> Result<Option<StoredDocument>, Fault> {
        let Ok(id) = i64::try_from(group.document) else {
            return Ok(None);
        };
        let document = self.store.truth.document(id)?;
        Ok(document.filter(|document| document.rev.unsigned_abs() == group.rev))
    }

    fn hits(
        &mut self,
        group: &Group,
        document: &StoredDocument,
        limit: usize,
    ) -> Result<Vec<Hit>, Fault> {
        let text = self.store.truth.text(document.text)?;
        let mut hits = Vec::new();
        for index in group.chunks.iter().take(limit.max(1)) {
            let candidate = self.candidates.chunks[*index];
            let Some(chunk) = self.store.truth.chunk(document.id, candidate.ordinal)? else {
                continue;
            };
            let own = text
                .get(chunk.bytes())
                .ok_or(Fault::Value("a chunk outside its text"))?;
            let (first, last) = chunk.span.lines;
            hits.push(Hit {
                rank: index + 1,
                score: candidate.score,
                all_words: *index < self.candidates.complete,
                id: chunk.id,
                path: document.path.clone(),
                ordinal: chunk.ordinal,
                citation: format!("{}:{first}-{last}", document.path),
                snippet: self.marker.snippet(own, first),
                text: own.to_string(),
                span: chunk.span,
                trail: chunk.trail,
                sections: chunk.sections,
                defines: chunk.defines,
                kind: chunk.kind,
                language: chunk.language,
                tokens: chunk.tokens,
            });
        }
        Ok(hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_be_written_in_several_ways() {
        assert_eq!(segments("./docs//guide/"), "docs/guide");
        assert_eq!(segments("."), "");
        assert_eq!(segments("a.md"), "a.md");
    }
}
