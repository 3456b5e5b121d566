//! From a [`Query`] to an [`Answer`]: the query is parsed (`query.rs`), the store returns
//! candidates by words and by vectors, these are merged into one list (`fusion.rs`), signals adjust
//! the scores (`signals.rs`, weighted by `ranking.rs`), the result is grouped by document
//! (`group.rs`) and looked up, near-copies are folded (`copies.rs`), and each chunk gets the lines
//! that answer best (`snippet.rs`) and is marked when it is probably no answer (`weak.rs`).

mod copies;
mod dates;
mod fusion;
mod group;
mod places;
mod query;
mod signals;
mod snippet;
mod version;
mod weak;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::time::Instant;

use chrono::NaiveDate;
use excerpt_chunk::Markdown;

use crate::embed::Embedder;
use crate::model::{
    AlsoIn, Answer, Channels, ChunkKey, DocumentHits, DocumentId, Hit, Note, Query, Rank, Revision,
    Signals,
};
use crate::store::{
    self, Candidate, Candidates, Codes, Features, LexicalQuery, Searched, Store, StoreError,
    StoredDocument,
};
use copies::Shown;
use dates::Period;
use fusion::{DEPTH, Scale, Scored};
use group::Group;
use places::Places;
use query::Words;
use signals::SignalInput;
use snippet::Marker;
use weak::Evidence;

/// The maximum limit of a query.
const MOST: usize = 1000;

/// How many chunks are requested at first for each requested document. Most documents have fewer
/// that match.
const CHUNKS_PER_DOCUMENT: usize = 10;

/// The exponent of a word's idf as its weight in the vector of a question.
/// `models/static/README.md` has the measurements.
const RARITY: f32 = 0.3;
/// The minimum weight of a word, before the power.
const LEAST_RARITY: f32 = 0.02;

/// Answers a query from the store, on the day `today`.
pub(crate) fn search(
    store: &Store,
    embedder: Option<&dyn Embedder>,
    query: &Query,
    today: NaiveDate,
) -> Result<Answer, StoreError> {
    let start = Instant::now();
    let mut words = Words::of(&query.text)?;
    let _snapshot = store.database.snapshot()?;
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
    let asked = match query.ranking.signals.date > 0.0 {
        true => dates::AskedPeriod::of(&query.text, today, store, documents)?,
        false => None,
    };
    let search = Search {
        within: Period::of(&query.filter),
        asked,
        store,
        embedder,
        query,
        places,
        keywords,
        words: &words,
        is_whole,
        today,
    };
    let mut answer = search.answer()?;
    answer.documents_searched = documents_searched;
    answer.notes.extend(scattered);
    answer.elapsed = start.elapsed();
    Ok(answer)
}

/// Drops phrases that no chunk contains together, and adds a note.
fn scattered(keywords: &Searched, words: &mut Words) -> Result<Option<Note>, StoreError> {
    if words.phrases.is_empty() || !keywords.holding(&words.phrases)?.is_empty() {
        return Ok(None);
    }
    let phrases = std::mem::take(&mut words.phrases).into_iter();
    let phrases = phrases.map(|phrase| phrase.written).collect();
    Ok(Some(Note::Scattered(phrases)))
}

/// The vector of the question, and the vectors that it is compared with.
struct QueryVector<'a> {
    codes: &'a Codes,
    numbers: Vec<f32>,
    floor: Option<f32>,
}

/// The chunks that contain the phrases of a query.
#[derive(Default)]
struct Phrases {
    /// The chunks that may be found; `None` for all.
    wanted: Option<HashSet<ChunkKey>>,
    /// The chunks that may not be found.
    excluded: Vec<HashSet<ChunkKey>>,
}

impl Phrases {
    /// The documents in `places` with a chunk that may be found; `None` if the phrases do not
    /// restrict them.
    fn documents(&self, places: Option<&store::Documents>) -> Option<store::Documents> {
        let documents = self.wanted.as_ref()?.iter().map(|key| key.document);
        let within = |id: &DocumentId| places.is_none_or(|places| places.contains(id));
        Some(documents.filter(within).collect())
    }

    fn allow(&self, candidate: &Candidate) -> bool {
        let key = candidate.key;
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
    /// When chunks must be dated, by the filter.
    within: Option<Period>,
    /// The day that the query asks about.
    asked: Option<dates::AskedPeriod>,
    /// The keyword index, restricted to these places.
    keywords: Option<Searched>,
    words: &'a Words,
    /// Whether everything that a channel can return is in the database.
    is_whole: bool,
    /// The day of the search.
    today: NaiveDate,
}

impl Search<'_> {
    fn answer(&self) -> Result<Answer, StoreError> {
        let mut answer = Answer::default();
        let weights = match &self.keywords {
            Some(keywords) => keywords.weights(&self.words.required)?,
            None => vec![None; self.words.required.len()],
        };
        answer.notes = match &self.places {
            Some(places) if places.documents.is_empty() => places.unmatched.clone(),
            _ => notes(self.words, &weights, self.asked.as_ref()),
        };
        let chunks = self.keywords.as_ref().map_or(0, Searched::chunks);
        let question = self.question(&mut answer.notes)?;
        answer.vectors = question.is_some();
        let limit = self.first_limit();
        let (mut candidates, nearest) = self.channels(question.as_ref(), limit)?;
        let mut wanted = self.query.limit.min(MOST);
        let mut lookup = Lookup {
            store: self.store,
            found: Vec::new(),
            documents: Documents::default(),
            marker: Marker::new(self.words, &weights, chunks),
            question,
            chunks,
        };
        loop {
            let (groups, is_all) = self.ranked(&mut candidates, wanted, &nearest, &mut lookup)?;
            let count = groups.len();
            answer.documents = lookup.documents(groups, self.query)?;
            // What was folded leaves room for others.
            if is_all || !self.query.fold_copies || answer.documents.len() >= self.query.limit {
                break;
            }
            wanted = count + self.query.limit;
        }
        let of_asked_day = lookup.found.iter().any(|found| found.is_of_asked_day);
        if !of_asked_day {
            let dated = |note: &Note| matches!(note, Note::Dated { .. });
            answer.notes.retain(|note| !dated(note));
        }
        answer.chunks_total = candidates.chunks_total;
        answer.documents_total = candidates.documents_total;
        if self.within.is_some() {
            // Words also occur in chunks of other days.
            let by_words = lookup.found.iter();
            let by_words = by_words.filter(|found| found.explanation.keywords.is_some());
            answer.chunks_total = by_words.clone().count();
            let documents: HashSet<DocumentId> = by_words.map(|found| found.key.document).collect();
            answer.documents_total = documents.len();
        }
        Ok(answer)
    }

    /// The vector of the question; `None` if there are no vectors to search, with the reason.
    fn question(&self, notes: &mut Vec<Note>) -> Result<Option<QueryVector<'_>>, StoreError> {
        if self.query.ranking.channels == Channels::Keywords
            || self.store.database.rev()? == Revision::default()
        {
            return Ok(None);
        }
        let without = |reason: String| Note::WithoutVectors { reason };
        let Some(embedder) = self.embedder else {
            notes.push(without("they are switched off".to_string()));
            return Ok(None);
        };
        let (codes, embedder, lag) = if let Some(codes) = self.store.codes(embedder) {
            let documents = self.store.database.changed_count(codes.stamp().rev)?;
            let lag = (documents > 0).then_some(Note::VectorsBehind { documents });
            (codes, embedder, lag)
        } else if let Some((codes, former)) = self.store.former(embedder) {
            let next = self.store.vectors()?.next;
            let all = || self.store.database.changed_count(Revision::default());
            let lag = Note::FormerVectors {
                embedder: former.identity().to_string(),
                documents: next.map_or_else(all, |next| Ok(next.behind))?,
                failure: self.store.database.failure()?,
            };
            (codes, former, Some(lag))
        } else {
            let failure = self.store.database.failure()?;
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
        Ok(Some(QueryVector {
            codes,
            numbers,
            floor: embedder.floor(),
        }))
    }

    /// The candidates of both channels: the best `limit` by words, and the nearest to the question.
    fn channels(
        &self,
        question: Option<&QueryVector<'_>>,
        limit: usize,
    ) -> Result<(Candidates, Vec<Candidate>), StoreError> {
        let depth = match &self.within {
            // Most chunks of a document may be of other days.
            Some(_) => MOST,
            None => DEPTH.max(self.query.limit.min(MOST)),
        };
        let phrases = self.phrases()?;
        let documents = phrases.documents(self.documents());
        let candidates = match self.keywords() {
            Some(keywords) => keywords.candidates(&self.wanted(limit))?,
            None => Candidates::default(),
        };
        let mut nearest = match question {
            Some(QueryVector { codes, numbers, .. }) => {
                let near = codes.nearest(numbers, documents.as_ref().or(self.documents()), depth);
                let embedder = &codes.stamp().embedder;
                let nearest = |near, depth| {
                    (self.store).nearest(embedder, numbers, near, depth, self.is_whole)
                };
                let mut found = nearest(near, depth)?;
                if let Some(asked) = &self.asked {
                    let near = codes.nearest(numbers, Some(&asked.documents), DEPTH);
                    let known: HashSet<_> = found.iter().map(|candidate| candidate.key).collect();
                    let mut more = nearest(near, DEPTH)?;
                    more.retain(|candidate| !known.contains(&candidate.key));
                    found.extend(more);
                }
                found
            }
            None => Vec::new(),
        };
        nearest.retain(|candidate| phrases.allow(candidate));
        Ok((candidates, nearest))
    }

    /// The chunks with the phrases of the query.
    fn phrases(&self) -> Result<Phrases, StoreError> {
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

    /// The query in pieces, each with the weight of its word by its rarity in the searched
    /// documents.
    fn pieces(&self) -> Result<Vec<(&str, f32)>, StoreError> {
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

    /// How many chunks to request at first.
    fn first_limit(&self) -> usize {
        let wanted = self.query.limit.min(MOST);
        match self.query.rank {
            Rank::Documents => (wanted * CHUNKS_PER_DOCUMENT).max(DEPTH),
            Rank::Chunks => wanted.max(DEPTH),
        }
    }

    /// Requests more and more chunks until they belong to as many documents as `wanted`. Returns
    /// their groups, and whether there are no more.
    fn ranked(
        &self,
        candidates: &mut Candidates,
        wanted: usize,
        nearest: &[Candidate],
        lookup: &mut Lookup<'_>,
    ) -> Result<(Vec<Group>, bool), StoreError> {
        loop {
            lookup.found = self.found(candidates, nearest, &mut lookup.documents)?;
            let groups = match self.query.rank {
                Rank::Documents => group::by_document(&lookup.found),
                Rank::Chunks => group::by_chunk(&lookup.found),
            };
            let is_all = candidates.chunks.len() == candidates.chunks_total;
            let Some(keywords) = self.keywords().filter(|_| !is_all) else {
                return Ok((groups, true));
            };
            if groups.len() >= wanted {
                return Ok((groups, false));
            }
            let limit = candidates.chunks.len().max(self.first_limit()) * 4;
            *candidates = keywords.candidates(&self.wanted(limit))?;
        }
    }

    /// The keyword index, if it is to be searched.
    fn keywords(&self) -> Option<&Searched> {
        let asked = self.query.ranking.channels != Channels::Vectors;
        self.keywords.as_ref().filter(|_| asked)
    }

    /// The documents that may be found; `None` for all.
    fn documents(&self) -> Option<&store::Documents> {
        self.places.as_ref().map(|places| &places.documents)
    }

    fn wanted(&self, limit: usize) -> LexicalQuery<'_> {
        LexicalQuery {
            required: &self.words.required,
            optional: &self.words.optional,
            names: &self.words.names,
            phrases: &self.words.phrases,
            excluded: &self.words.excluded,
            limit,
        }
    }

    /// Whether a candidate is dated in the period that the filter requires. One that the database
    /// does not contain is judged later.
    fn is_dated(
        &self,
        candidate: &Candidate,
        period: &Period,
        documents: &mut Documents,
    ) -> Result<bool, StoreError> {
        let key = candidate.key;
        let Some(document) = documents.current(self.store, key.document, candidate.rev)? else {
            return Ok(true);
        };
        let own = self.store.database.features(key)?;
        Ok(own.is_none_or(|own| period.has(document, &own)))
    }

    /// The candidates of both channels with their scores, best first, without those that the
    /// database no longer contains: the keyword index or the vectors may be out of date.
    fn found(
        &self,
        lexical: &Candidates,
        vectors: &[Candidate],
        documents: &mut Documents,
    ) -> Result<Vec<Scored>, StoreError> {
        let signals = &self.query.ranking.signals;
        let (mut all, features) = self.fused(lexical, vectors, documents)?;
        let before: Vec<f32> = all.iter().map(|found| found.score).collect();
        self.apply_signals(&mut all, &features, documents)?;
        if let Some(most) = signals.most_ranks.filter(|most| *most > 0) {
            signals::bound(&mut all, &before, most);
        }
        documents.sort(&mut all);
        if self.query.rank == Rank::Chunks {
            saturate(&mut all, documents, signals);
            documents.sort(&mut all);
        }
        if self.asked.is_some() {
            signals::favour(&mut all, signals.date);
            documents.sort(&mut all);
        }
        Ok(all)
    }

    /// The candidates of both channels with their scores from words and vectors, each with what
    /// its signals need.
    fn fused(
        &self,
        lexical: &Candidates,
        vectors: &[Candidate],
        documents: &mut Documents,
    ) -> Result<(Vec<Scored>, Vec<Features>), StoreError> {
        let ranking = &self.query.ranking;
        let (lexical, vectors) = match &self.within {
            Some(period) => {
                let mut is_dated =
                    |candidate: &Candidate| self.is_dated(candidate, period, documents);
                let lexical = lexical.retaining(&mut is_dated)?;
                (lexical, retaining(vectors, &mut is_dated)?)
            }
            None => (lexical.clone(), vectors.to_vec()),
        };
        let scales = (Scale::of_keywords(&lexical), Scale::of_vectors(&vectors));
        let (mut all, mut features) = (Vec::new(), Vec::new());
        for mut found in fusion::united(&lexical, &vectors) {
            let current = documents.current(self.store, found.key.document, found.rev)?;
            let own = match current {
                Some(_) => self.store.database.features(found.key)?,
                None => None,
            };
            let (Some(document), Some(own)) = (current, own) else {
                match self.is_whole {
                    true => return Err(StoreError::Torn),
                    false => continue,
                }
            };
            let share = match (ranking.channels, document.is_code()) {
                (Channels::Keywords, _) => 0.0,
                (Channels::Vectors, _) => 1.0,
                // Without a vector, the words count in full.
                _ if vectors.is_empty() => 0.0,
                (Channels::Both, true) => ranking.vectors_in_code,
                (Channels::Both, false) => ranking.vectors_in_prose,
            };
            fusion::score(&mut found, scales.0, scales.1, share, ranking);
            all.push(found);
            features.push(own);
        }
        Ok((all, features))
    }

    /// Multiplies the scores by the signals of the chunks and of their documents.
    fn apply_signals(
        &self,
        all: &mut [Scored],
        features: &[Features],
        documents: &Documents,
    ) -> Result<(), StoreError> {
        let signals = &self.query.ranking.signals;
        let mostly_code = self.store.database.mostly_code(self.documents())?;
        let mut input = SignalInput::new(self.words, mostly_code, self.today);
        let mut of_documents = HashMap::new();
        for (found, own) in all.iter_mut().zip(features) {
            let Some(document) = documents.get(found.key.document) else {
                continue;
            };
            let fit = self.places.as_ref();
            let fit = fit.and_then(|places| places.fits.get(&found.key.document));
            let of_document = match of_documents.entry(found.key.document) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let mut factors = input.of_document(document, signals);
                    factors.extend(fit.map(|fit| (fit.name(), fit.factor())));
                    entry.insert(factors)
                }
            };
            let of_chunk = input.of_chunk(found, own, document, signals);
            let period = self.asked.as_ref().map(|asked| &asked.period);
            found.is_of_asked_day = period.is_some_and(|period| period.has(document, own));
            for (name, factor) in of_chunk.iter().chain(&*of_document) {
                signals::apply(found, name, *factor);
            }
        }
        signals::cohere(all, signals.coherence);
        Ok(())
    }
}

/// The candidates that pass a test.
fn retaining(
    candidates: &[Candidate],
    passes: &mut dyn FnMut(&Candidate) -> Result<bool, StoreError>,
) -> Result<Vec<Candidate>, StoreError> {
    let mut kept = Vec::new();
    for candidate in candidates {
        if passes(candidate)? {
            kept.push(*candidate);
        }
    }
    Ok(kept)
}

/// Each better chunk of the same document lowers a chunk's score.
fn saturate(found: &mut [Scored], documents: &Documents, signals: &Signals) {
    let mut seen: HashMap<DocumentId, i32> = HashMap::new();
    for found in found {
        let factor = match documents.is_code(found.key.document) {
            true => signals.saturation_in_code,
            false => signals.saturation_in_prose,
        };
        let seen = seen.entry(found.key.document).or_default();
        if *seen > 0 && factor != 1.0 {
            signals::apply(found, "saturation", factor.powi(*seen));
        }
        *seen += 1;
    }
}

/// The notes about the words.
fn notes(words: &Words, weights: &[Option<f32>], asked: Option<&dates::AskedPeriod>) -> Vec<Note> {
    let absent = words
        .written
        .iter()
        .zip(weights)
        .filter(|(_, weight)| weight.is_none())
        .filter(|(word, _)| asked.is_none_or(|asked| !asked.says(word)));
    let absent: Vec<String> = absent.map(|(word, _)| word.clone()).collect();
    let absent = (!absent.is_empty()).then_some(Note::Absent(absent));
    let shortened = words.shortened.then_some(Note::Shortened {
        words: words.required.len(),
    });
    let dated = asked.map(|asked| Note::Dated {
        said: asked.said.clone(),
        days: (asked.days.first(), asked.days.last()),
    });
    dated.into_iter().chain(absent).chain(shortened).collect()
}

/// The documents of the candidates, each looked up once.
#[derive(Default)]
struct Documents(HashMap<DocumentId, Option<StoredDocument>>);

impl Documents {
    /// The document of a candidate. A channel that is out of date knows an older state of the
    /// document, which is still worth showing; one that is ahead of the database does not.
    fn current(
        &mut self,
        store: &Store,
        id: DocumentId,
        rev: Revision,
    ) -> Result<Option<&StoredDocument>, StoreError> {
        let document = match self.0.entry(id) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let document = store.database.document(id)?;
                entry.insert(document)
            }
        };
        let document = document.as_ref();
        Ok(document.filter(|document| document.rev >= rev))
    }

    fn get(&self, id: DocumentId) -> Option<&StoredDocument> {
        self.0.get(&id)?.as_ref()
    }

    fn is_code(&self, id: DocumentId) -> bool {
        self.get(id).is_some_and(StoredDocument::is_code)
    }

    /// Best first, and equal scores by place, so that the order depends only on the content.
    fn sort(&self, found: &mut [Scored]) {
        let place = |found: &Scored| {
            let document = self.get(found.key.document);
            let place = document.map(|document| (&*document.path, document.source.as_str()));
            (place.unzip(), found.key.ordinal)
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

/// Looks up what the answer shows.
struct Lookup<'a> {
    store: &'a Store,
    found: Vec<Scored>,
    documents: Documents,
    marker: Marker,
    question: Option<QueryVector<'a>>,
    /// The number of searched chunks.
    chunks: u64,
}

impl Lookup<'_> {
    /// The best groups with their documents and chunks.
    fn documents(
        &mut self,
        groups: Vec<Group>,
        query: &Query,
    ) -> Result<Vec<DocumentHits>, StoreError> {
        let mut documents: Vec<DocumentHits> = Vec::new();
        let mut kept = Shown::default();
        for group in groups {
            if documents.len() == query.limit.min(MOST) {
                break;
            }
            let Some(document) = self.documents.get(group.document).cloned() else {
                continue;
            };
            if places::asks_for_facets(&query.filter) {
                self.store.database.check_facets(document.id)?;
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
                    source: document.source.path().into(),
                    collection: document.collection,
                    path: document.path,
                });
                continue;
            }
            documents.push(DocumentHits {
                rank: documents.len() + 1,
                source: document.source.path().into(),
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
        kept: &mut Shown,
        document: &StoredDocument,
        chunks: &[Hit],
    ) -> Result<Option<usize>, StoreError> {
        let passages = chunks.iter().map(|hit| &*hit.text);
        let mut found = copies::Compared::new(&document.path, document.text, passages);
        if document.is_code() {
            found = found.without_translations();
        }
        kept.repeated(found, &|hash| self.store.database.text(hash))
    }

    fn hits(
        &mut self,
        group: &Group,
        document: &StoredDocument,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let text = self.store.database.text(document.text)?;
        let mut hits = Vec::new();
        for index in group.chunks.iter().take(limit.max(1)) {
            let found = &self.found[*index];
            let Some(chunk) = self.store.database.chunk(found.key)? else {
                continue;
            };
            let own = text
                .get(chunk.bytes())
                .ok_or(StoreError::Value("a chunk outside its text"))?;
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
            // The words were here in an older state of the document.
            let is_old = found.rev < document.rev;
            if is_old && coverage == 0.0 && found.explanation.vectors.is_none() {
                continue;
            }
            let (cosine, floor) = match &self.question {
                Some(question) => {
                    let (embedder, numbers) = (&question.codes.stamp().embedder, &question.numbers);
                    let cosine = self.store.cosine(embedder, numbers, found.key)?;
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
