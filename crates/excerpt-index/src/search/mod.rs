//! From a [`Query`] to an [`Answer`]: the words are taken apart (`query.rs`), the store gives candidates by words and by vectors, these become one
//! list (`fusion.rs`), other evidence has its say (`signals.rs`, as `ranking.rs` weighs it), what is left is grouped by document (`group.rs`) and looked
//! up, near-copies are folded (`copies.rs`), and each chunk gets the lines that answer best (`snippet.rs`) and is marked when it is probably no answer (`weak.rs`).

mod copies;
mod fusion;
mod group;
mod places;
mod query;
mod ranking;
mod signals;
mod snippet;
mod version;
mod weak;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use excerpt_chunk::Markdown;

use crate::embed::Embedder;
use crate::model::{AlsoIn, Answer, DocumentHits, Hit, Note, Query, Rank};
use crate::store::{
    self, Candidate, Candidates, Codes, Fault, Searched, Store, StoredDocument, Wanted,
};
use copies::Kept;
use fusion::{DEPTH, Found, Scale};
use group::Group;
use places::Places;
pub(crate) use places::segments;
pub(crate) use query::Phrase;
use query::Words;
use signals::Asked;
pub(crate) use signals::day_in;
use snippet::Marker;
use weak::Evidence;

pub use ranking::{Channels, Fusion, Ranking, Signals};

/// The highest limit that is honoured.
const MOST: usize = 1000;

/// How many chunks are looked at for each document wanted, at first. Most documents hold fewer that match.
const CHUNKS_PER_DOCUMENT: usize = 10;

/// How much the rarity of a word counts in a question's vector: its idf to this power. `models/static/README.md` has the measurements.
const RARITY: f32 = 0.3;
/// The least that a word counts, before the power.
const LEAST_RARITY: f32 = 0.02;

/// Answers a query from what the store holds.
pub(crate) fn search(
    store: &Store,
    embedder: Option<&dyn Embedder>,
    query: &Query,
) -> Result<Answer, Fault> {
    let start = Instant::now();
    let mut words = Words::of(&query.text)?;
    let _snapshot = store.truth.snapshot()?;
    let is_whole = store.is_whole()?;
    let places = Places::of(store, &query.filter)?;
    let documents = places.as_ref().map(|places| &places.documents);
    let keywords = store.lexical().map(|lexical| lexical.searched(documents));
    let keywords = keywords.transpose()?;
    let scattered = match &keywords {
        Some(keywords) => scattered(keywords, &mut words)?,
        None => None,
    };
    let documents_searched = match &places {
        Some(places) => places.documents.len(),
        None => store.followed()?,
    };
    let search = Search {
        store,
        embedder,
        query,
        places,
        keywords,
        words: &words,
        is_whole,
    };
    let mut answer = search.answer()?;
    answer.documents_searched = documents_searched;
    answer.notes.extend(scattered);
    answer.elapsed = start.elapsed();
    Ok(answer)
}

/// Gives up the phrases that no chunk holds together, and says so.
fn scattered(keywords: &Searched, words: &mut Words) -> Result<Option<Note>, Fault> {
    if words.phrases.is_empty() || !keywords.holding(&words.phrases)?.is_empty() {
        return Ok(None);
    }
    let phrases = std::mem::take(&mut words.phrases).into_iter();
    let phrases = phrases.map(|phrase| phrase.written).collect();
    Ok(Some(Note::Scattered(phrases)))
}

/// The question as a vector, and what it is compared with.
struct Question<'a> {
    codes: &'a Codes,
    numbers: Vec<f32>,
    floor: Option<f32>,
}

/// The chunks that hold the phrases of a query, by document and ordinal.
#[derive(Default)]
struct Phrases {
    /// Those that may be found; none when all may.
    wanted: Option<HashSet<(u64, u64)>>,
    /// Those that may not.
    excluded: Vec<HashSet<(u64, u64)>>,
}

impl Phrases {
    /// The documents that have a chunk that may be found, and are in `places`; none when the phrases say nothing of that.
    fn documents(&self, places: Option<&store::Documents>) -> Option<store::Documents> {
        let documents = self.wanted.as_ref()?.iter().map(|(document, _)| *document);
        let within = |id: &u64| places.is_none_or(|places| places.contains(id));
        Some(documents.filter(within).collect())
    }

    fn allow(&self, candidate: &Candidate) -> bool {
        let key = (candidate.document, candidate.ordinal);
        let wanted = self.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(&key))
            && !self.excluded.iter().any(|held| held.contains(&key))
    }
}

/// One search.
struct Search<'a> {
    store: &'a Store,
    embedder: Option<&'a dyn Embedder>,
    query: &'a Query,
    places: Option<Places>,
    /// The keyword index, as far as these places go.
    keywords: Option<Searched>,
    words: &'a Words,
    /// Whether all that a channel can name is in the truth.
    is_whole: bool,
}

impl Search<'_> {
    fn answer(&self) -> Result<Answer, Fault> {
        let mut answer = Answer::default();
        let weights = match &self.keywords {
            Some(keywords) => keywords.weights(&self.words.required)?,
            None => vec![None; self.words.required.len()],
        };
        answer.notes = match &self.places {
            Some(places) if places.documents.is_empty() => places.unmatched.clone(),
            _ => notes(self.words, &weights),
        };
        let chunks = self.keywords.as_ref().map_or(0, Searched::chunks);
        let question = self.question(&mut answer.notes)?;
        let limit = self.first_limit();
        let (candidates, nearest) = self.channels(question.as_ref(), limit)?;
        let (candidates, groups, found, documents) = self.ranked(candidates, limit, &nearest)?;
        answer.vectors = question.is_some();
        answer.chunks_total = candidates.chunks_total;
        answer.documents_total = candidates.documents_total;
        let mut lookup = Lookup {
            store: self.store,
            found,
            documents,
            marker: Marker::new(self.words, &weights, chunks),
            question,
            chunks,
        };
        answer.documents = lookup.documents(groups, self.query)?;
        Ok(answer)
    }

    /// The question as a vector; none when there are no vectors to ask, and why.
    fn question(&self, notes: &mut Vec<Note>) -> Result<Option<Question<'_>>, Fault> {
        if self.query.ranking.channels == Channels::Keywords || self.store.truth.rev()? == 0 {
            return Ok(None);
        }
        let without = |reason: String| Note::WithoutVectors { reason };
        let Some(embedder) = self.embedder else {
            notes.push(without("they are switched off".to_string()));
            return Ok(None);
        };
        let (codes, embedder, lag) = if let Some(codes) = self.store.codes(embedder) {
            let documents = self.store.truth.changed_count(codes.stamp().rev)?;
            let lag = (documents > 0).then_some(Note::VectorsBehind { documents });
            (codes, embedder, lag)
        } else if let Some((codes, former)) = self.store.former(embedder) {
            let next = self.store.vectors()?.next;
            let all = || self.store.truth.changed_count(0);
            let lag = Note::FormerVectors {
                embedder: former.identity().to_string(),
                documents: next.map_or_else(all, |next| Ok(next.behind))?,
                failure: self.store.truth.failure()?,
            };
            (codes, former, Some(lag))
        } else {
            let failure = self.store.truth.failure()?;
            notes.push(failure.map_or(Note::NoVectors, without));
            return Ok(None);
        };
        let numbers = match embedder.embed_query(&self.pieces()?) {
            Ok(numbers) => numbers,
            Err(error) => {
                notes.push(without(error.to_string()));
                return Ok(None);
            }
        };
        notes.extend(lag);
        Ok(Some(Question {
            codes,
            numbers,
            floor: embedder.floor(),
        }))
    }

    /// What both channels find: the best `limit` by words, and the nearest to the question.
    fn channels(
        &self,
        question: Option<&Question<'_>>,
        limit: usize,
    ) -> Result<(Candidates, Vec<Candidate>), Fault> {
        let depth = DEPTH.max(self.query.limit.min(MOST));
        let phrases = self.phrases()?;
        let documents = phrases.documents(self.documents());
        let candidates = match self.keywords() {
            Some(keywords) => keywords.candidates(&self.wanted(limit))?,
            None => Candidates::default(),
        };
        let mut nearest = match question {
            Some(Question { codes, numbers, .. }) => {
                let near = codes.nearest(numbers, documents.as_ref().or(self.documents()), depth);
                let embedder = &codes.stamp().embedder;
                self.store
                    .nearest(embedder, numbers, near, depth, self.is_whole)?
            }
            None => Vec::new(),
        };
        nearest.retain(|candidate| phrases.allow(candidate));
        Ok((candidates, nearest))
    }

    /// The chunks that the phrases of the query name.
    fn phrases(&self) -> Result<Phrases, Fault> {
        let Words {
            phrases, excluded, ..
        } = self.words;
        let Some(keywords) = &self.keywords else {
            return Ok(Phrases::default());
        };
        let excluded = excluded.iter();
        let excluded = excluded.map(|phrase| keywords.holding(std::slice::from_ref(phrase)));
        Ok(Phrases {
            wanted: match phrases.is_empty() {
                true => None,
                false => Some(keywords.holding(phrases)?),
            },
            excluded: excluded.collect::<Result<_, _>>()?,
        })
    }

    /// The query in pieces, each with what its word weighs by how rare it is in what is searched.
    fn pieces(&self) -> Result<Vec<(&str, f32)>, Fault> {
        let pieces = self.words.pieces.iter();
        let terms: Vec<String> = pieces.map(|(_, term)| term.clone()).collect();
        let rarities = match &self.keywords {
            Some(keywords) => keywords.rarities(&terms)?,
            None => vec![1.0; terms.len()],
        };
        let pieces = self.words.pieces.iter().zip(rarities);
        let weighed = pieces.map(|((bytes, _), rarity)| {
            let weight = rarity.max(LEAST_RARITY).powf(RARITY);
            (&self.words.text[bytes.clone()], weight)
        });
        Ok(weighed.collect())
    }

    /// How many chunks to ask for at first.
    fn first_limit(&self) -> usize {
        let wanted = self.query.limit.min(MOST);
        match self.query.rank {
            Rank::Documents => (wanted * CHUNKS_PER_DOCUMENT).max(DEPTH),
            Rank::Chunks => wanted.max(DEPTH),
        }
    }

    /// Asks for more and more chunks until they belong to as many documents as are wanted.
    fn ranked(
        &self,
        mut candidates: Candidates,
        mut limit: usize,
        nearest: &[Candidate],
    ) -> Result<(Candidates, Vec<Group>, Vec<Found>, Documents), Fault> {
        let query = self.query;
        let wanted = query.limit.min(MOST);
        let mut documents = Documents::default();
        loop {
            let found = self.found(&candidates, nearest, &mut documents)?;
            let groups = match query.rank {
                Rank::Documents => group::by_document(&found),
                Rank::Chunks => group::by_chunk(&found),
            };
            let exhausted = candidates.chunks.len() == candidates.chunks_total;
            let Some(keywords) = self
                .keywords()
                .filter(|_| groups.len() < wanted && !exhausted)
            else {
                return Ok((candidates, groups, found, documents));
            };
            limit *= 4;
            candidates = keywords.candidates(&self.wanted(limit))?;
        }
    }

    /// The keyword index, if it is to be asked.
    fn keywords(&self) -> Option<&Searched> {
        let asked = self.query.ranking.channels != Channels::Vectors;
        self.keywords.as_ref().filter(|_| asked)
    }

    /// The documents that may be found; none when all may.
    fn documents(&self) -> Option<&store::Documents> {
        self.places.as_ref().map(|places| &places.documents)
    }

    fn wanted(&self, limit: usize) -> Wanted<'_> {
        Wanted {
            required: &self.words.required,
            optional: &self.words.optional,
            names: &self.words.names,
            phrases: &self.words.phrases,
            excluded: &self.words.excluded,
            limit,
        }
    }

    /// The candidates of both channels with their scores, best first. What the truth no longer holds is left out: the keyword index or the vectors may
    /// be behind.
    fn found(
        &self,
        lexical: &Candidates,
        vectors: &[Candidate],
        documents: &mut Documents,
    ) -> Result<Vec<Found>, Fault> {
        let ranking = &self.query.ranking;
        let signals = &ranking.signals;
        let scales = (Scale::of_keywords(lexical), Scale::of_vectors(vectors));
        let mut all = Vec::new();
        let mut features = Vec::new();
        for mut found in fusion::united(lexical, vectors) {
            let place = (found.document, found.ordinal);
            let current = documents.current(self.store, &found)?;
            let own = match current {
                Some(_) => self.store.truth.features(place.0, place.1)?,
                None => None,
            };
            let (Some(document), Some(own)) = (current, own) else {
                match self.is_whole {
                    true => return Err(Fault::Torn),
                    false => continue,
                }
            };
            let share = match (ranking.channels, document.is_code()) {
                (Channels::Keywords, _) => 0.0,
                (Channels::Vectors, _) => 1.0,
                // Where no vector could be had, the words count in full.
                _ if vectors.is_empty() => 0.0,
                (Channels::Both, true) => ranking.vectors_in_code,
                (Channels::Both, false) => ranking.vectors_in_prose,
            };
            fusion::score(&mut found, scales.0, scales.1, share, ranking);
            all.push(found);
            features.push(own);
        }
        let before: Vec<f32> = all.iter().map(|found| found.score).collect();
        let mostly_code = self.store.truth.mostly_code(self.documents())?;
        let mut asked = Asked::new(self.words, mostly_code, today());
        let mut of_documents = HashMap::new();
        for (found, own) in all.iter_mut().zip(&features) {
            let Some(document) = documents.get(found.document) else {
                continue;
            };
            let fit = self.places.as_ref();
            let fit = fit.and_then(|places| places.fits.get(&found.document));
            let of_document = match of_documents.entry(found.document) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let mut factors = asked.of_document(document, signals);
                    factors.extend(fit.map(|fit| (fit.name(), fit.factor())));
                    entry.insert(factors)
                }
            };
            let of_chunk = asked.of_chunk(found, own, signals);
            for (name, factor) in of_chunk.iter().chain(&*of_document) {
                signals::apply(found, name, *factor);
            }
        }
        signals::cohere(&mut all, signals.coherence);
        if let Some(most) = signals.most_ranks.filter(|most| *most > 0) {
            signals::bound(&mut all, &before, most);
        }
        documents.sort(&mut all);
        if self.query.rank == Rank::Chunks {
            saturate(&mut all, documents, signals);
            documents.sort(&mut all);
        }
        Ok(all)
    }
}

/// Each better chunk of the same document takes from a chunk's score.
fn saturate(found: &mut [Found], documents: &Documents, signals: &Signals) {
    let mut seen: HashMap<u64, i32> = HashMap::new();
    for found in found {
        let factor = match documents.is_code(found.document) {
            true => signals.saturation_in_code,
            false => signals.saturation_in_prose,
        };
        let seen = seen.entry(found.document).or_default();
        if *seen > 0 && factor != 1.0 {
            signals::apply(found, "saturation", factor.powi(*seen));
        }
        *seen += 1;
    }
}

/// Today, in days since 1970.
fn today() -> f32 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    (now.unwrap_or_default().as_secs() / 86_400) as f32
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

/// The documents of the candidates, each looked up once.
#[derive(Default)]
struct Documents(HashMap<u64, Option<StoredDocument>>);

impl Documents {
    /// The document of a candidate. A channel that is behind knows an older state of it, and still is right that there is something to be found;
    /// one that is ahead of the truth is not.
    fn current(&mut self, store: &Store, found: &Found) -> Result<Option<&StoredDocument>, Fault> {
        let document = match self.0.entry(found.document) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let id = i64::try_from(found.document).ok();
                let document = id.map(|id| store.truth.document(id)).transpose()?.flatten();
                entry.insert(document)
            }
        };
        let document = document.as_ref();
        Ok(document.filter(|document| document.rev.unsigned_abs() >= found.rev))
    }

    fn get(&self, id: u64) -> Option<&StoredDocument> {
        self.0.get(&id)?.as_ref()
    }

    fn is_code(&self, id: u64) -> bool {
        self.get(id).is_some_and(StoredDocument::is_code)
    }

    /// Best first; what is equally good by its place, so that the order depends on nothing but the content.
    fn sort(&self, found: &mut [Found]) {
        let place = |found: &Found| {
            let document = self.get(found.document);
            let place = document.map(|document| (&*document.path, &*document.root));
            (place.unzip(), found.ordinal)
        };
        found.sort_by(|a, b| {
            let by_place = || {
                let ((left, left_root), left_ordinal) = place(a);
                let ((right, right_root), right_ordinal) = place(b);
                (left, left_ordinal, left_root).cmp(&(right, right_ordinal, right_root))
            };
            b.score.total_cmp(&a.score).then_with(by_place)
        });
    }
}

/// Looks up what is shown.
struct Lookup<'a> {
    store: &'a Store,
    found: Vec<Found>,
    documents: Documents,
    marker: Marker,
    question: Option<Question<'a>>,
    /// How many chunks were searched.
    chunks: u64,
}

impl Lookup<'_> {
    /// The best groups with their documents and chunks.
    fn documents(&mut self, groups: Vec<Group>, query: &Query) -> Result<Vec<DocumentHits>, Fault> {
        let mut documents: Vec<DocumentHits> = Vec::new();
        let mut kept = Kept::default();
        for group in groups {
            if documents.len() == query.limit.min(MOST) {
                break;
            }
            let Some(document) = self.documents.get(group.document).cloned() else {
                continue;
            };
            if places::asks_for_facets(&query.filter) {
                self.store.truth.check_facets(document.id)?;
            }
            let chunks = self.hits(&group, &document, query.per_document)?;
            let Some(best) = chunks.first() else {
                continue;
            };
            let repeated = match query.fold_copies {
                true => self.repeated(&mut kept, &document, &chunks)?,
                false => None,
            };
            if let Some(better) = repeated.and_then(|at| documents.get_mut(at)) {
                let part = copies::difference(&better.path, &document.path);
                better.also_in.push(AlsoIn {
                    part: part.filter(|part| !part.is_empty()).map(str::to_string),
                    lines: best.span.lines,
                    source: PathBuf::from(document.root),
                    collection: document.collection,
                    path: document.path,
                });
                continue;
            }
            documents.push(DocumentHits {
                rank: documents.len() + 1,
                source: PathBuf::from(document.root),
                collection: document.collection,
                path: document.path,
                title: document.title,
                first_heading: document.first_heading,
                metadata: document.metadata,
                encoding: document.encoding,
                score: group.score,
                chunks,
                also_in: Vec::new(),
            });
        }
        Ok(documents)
    }

    /// The position of the kept document that these chunks of a lower one repeat.
    fn repeated(
        &self,
        kept: &mut Kept,
        document: &StoredDocument,
        chunks: &[Hit],
    ) -> Result<Option<usize>, Fault> {
        let passages = chunks.iter().map(|hit| &*hit.text);
        let mut found = copies::Document::new(&document.path, document.text, passages);
        if document.is_code() {
            found = found.without_translations();
        }
        kept.repeated(found, &|hash| self.store.truth.text(hash))
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
            let found = &self.found[*index];
            let Some(chunk) = self.store.truth.chunk(document.id, found.ordinal)? else {
                continue;
            };
            let own = text
                .get(chunk.bytes())
                .ok_or(Fault::Value("a chunk outside its text"))?;
            let (first, last) = chunk.span.lines;
            let around = [
                document.title.as_deref().unwrap_or_default(),
                &document.path,
            ];
            let place = chunk
                .trail
                .iter()
                .chain(&chunk.sections)
                .map(|title| &**title);
            let around: Vec<&str> = around.into_iter().chain(place).collect();
            let body = match chunk.bytes().start {
                0 if document.is_markdown() => Markdown::body(own),
                _ => 0,
            };
            let (snippet, coverage) = self.marker.mark(own, body, first, &around);
            // The words stood here in an older state of the document.
            let is_old = found.rev < document.rev.unsigned_abs();
            if is_old && coverage == 0.0 && found.explanation.vectors.is_none() {
                continue;
            }
            let (cosine, floor) = match &self.question {
                Some(question) => {
                    let (embedder, numbers) = (&question.codes.stamp().embedder, &question.numbers);
                    let place = (found.document, found.ordinal);
                    let cosine = self.store.cosine(embedder, numbers, place.0, place.1)?;
                    (cosine, question.floor)
                }
                None => (None, None),
            };
            let keywords = found.explanation.keywords;
            let evidence = Evidence {
                coverage,
                emphasis: keywords.map_or(0.0, |keywords| keywords.score) / self.marker.weight(),
                cosine,
            };
            hits.push(Hit {
                rank: index + 1,
                coverage,
                cosine,
                weak: evidence.is_weak(self.chunks, floor),
                score: found.score,
                all_words: found.all_words,
                explanation: found.explanation.clone(),
                id: chunk.id,
                path: document.path.clone(),
                ordinal: chunk.ordinal,
                citation: format!("{}:{first}-{last}", document.path),
                snippet,
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
