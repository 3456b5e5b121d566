//! [`LocalSnapshot`]: what a search asks, answered from the database, the keyword index and the
//! codes of the vectors.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use excerpt_chunk::Hash;
use rusqlite::Transaction;

use super::Store;
use super::blocks::ChunkReader;
use super::codes::Codes;
use super::database::Database;
use super::keywords::Searched;
use super::places::Places;
use crate::analysis::Analyzer;
use crate::cores::beside;
use crate::embed::Embedder;
use crate::model::{ChunkKey, DocumentId, Filter, Revision};
use crate::store::facet;
use crate::store::snapshot::{
    AskedWord, PassageRequest, Passages, QueryVector, Shortlist, ShortlistRequest, Snapshot,
    StoredPassage, Survey, SurveyRequest, VectorSupply,
};
use crate::store::{
    ById, Candidate, Candidates, Documents, Features, LexicalQuery, Period, StoreError,
    StoredDocument,
};

/// By how much more chunks are listed when those so far are not enough.
const GROWTH: usize = 4;

/// With this many codes, both searches take longer than starting a thread for one of them.
const MANY_CODES: usize = 10_000;

/// With more words than this that do not occur, a question is in another language or about
/// something else: none of them is taken for a misspelt one, which would take long.
const MOST_UNKNOWN: usize = 4;

/// How many bytes of texts are kept while passages are read.
const MOST_KEPT: usize = 16 << 20;

/// The part of a [`Store`] that a filter allows, in the state of one moment.
pub(crate) struct LocalSnapshot<'a> {
    store: &'a Store,
    filter: &'a Filter,
    /// Whether everything that a derived file names is in the database.
    is_whole: bool,
    places: Option<Places>,
    /// The keyword index, restricted to these places.
    keywords: Option<Searched>,
    chunks: ChunkReader<'a>,
    /// The documents that have a date in the period that was asked for last.
    dated: RefCell<Option<(Period, Rc<Documents>)>>,
    /// While it lives, all queries see the same state of the database.
    _state: Transaction<'a>,
}

impl Store {
    /// The part of the current state that a filter allows.
    ///
    /// # Errors
    ///
    /// When the filter names a source or a collection that does not exist or is written wrongly,
    /// and when the engine fails.
    pub(crate) fn snapshot<'a>(
        &'a self,
        filter: &'a Filter,
    ) -> Result<LocalSnapshot<'a>, StoreError> {
        let state = self.database.snapshot()?;
        let is_whole = self.is_whole()?;
        let places = Places::of(self, filter)?;
        let documents = places.as_ref().map(|places| &places.documents);
        let keywords = self.lexical().map(|lexical| lexical.searched(documents));
        Ok(LocalSnapshot {
            store: self,
            filter,
            is_whole,
            keywords: keywords.transpose()?,
            places,
            chunks: ChunkReader::of(&self.database),
            dated: RefCell::default(),
            _state: state,
        })
    }
}

impl LocalSnapshot<'_> {
    /// The documents that may be found; `None` for all.
    fn documents(&self) -> Option<&Documents> {
        self.places.as_ref().map(|places| &places.documents)
    }

    /// The documents that may be found and have a date in a period.
    fn dated(&self, period: &Period) -> Result<Rc<Documents>, StoreError> {
        if let Some((known, dated)) = &*self.dated.borrow()
            && known == period
        {
            return Ok(Rc::clone(dated));
        }
        let mut dated = self.store.database.dated(period)?;
        if let Some(all) = self.documents() {
            dated.retain(|id| all.contains(id));
        }
        let dated = Rc::new(dated);
        *self.dated.borrow_mut() = Some((period.clone(), Rc::clone(&dated)));
        Ok(dated)
    }

    fn vectors(&self, embedder: &dyn Embedder) -> Result<VectorSupply, StoreError> {
        let (store, database) = (self.store, &self.store.database);
        if let Some(codes) = store.codes(embedder) {
            let behind = database.changed_count(codes.stamp().rev)?;
            return Ok(VectorSupply::Current { behind });
        }
        let failure = database.failure()?;
        let Some((_, former)) = store.former(embedder) else {
            return Ok(VectorSupply::Missing { failure });
        };
        let documents = match store.vectors()?.next {
            Some(next) => next.behind,
            None => database.changed_count(Revision::default())?,
        };
        Ok(VectorSupply::Former {
            embedder: former,
            documents,
            failure,
        })
    }

    /// The codes that `vector` can be compared with.
    fn codes(&self, vector: &QueryVector) -> Option<&Codes> {
        let codes = self.store.codes.as_ref();
        codes.filter(|codes| codes.stamp().embedder == vector.embedder)
    }

    /// The best chunks for the words of the question, and those of all `searches` that are nearest
    /// to its vector, without those that the phrases exclude. The latter are looked up. If there
    /// are many, both happen at once.
    fn found(
        &self,
        request: &ShortlistRequest<'_>,
        searches: &[VectorSearch<'_>],
        phrases: &Phrases,
        looked_up: &mut LookedUp,
    ) -> Result<(Candidates, Vec<Candidate>), StoreError> {
        let keywords = self.keywords.as_ref();
        let by_words = || by_words(keywords, request, &request.words);
        let compared = request.vector.and_then(|it| Some((it, self.codes(it)?)));
        let Some((vector, codes)) = compared else {
            return Ok((by_words()?, Vec::new()));
        };
        let mut nearest = || {
            let nearest = self.nearest(vector, codes, searches, phrases)?;
            // The words take longer.
            for candidate in &nearest {
                looked_up.current(self, candidate.key, candidate.rev)?;
            }
            Ok::<_, StoreError>(nearest)
        };
        let (by_words, nearest) = match request.by_words && codes.len() >= MANY_CODES {
            true => beside(by_words, nearest),
            false => (by_words(), nearest()),
        };
        Ok((by_words?, nearest?))
    }

    /// The chunks that each search finds nearest to `vector`, without those that the phrases
    /// exclude.
    fn nearest(
        &self,
        vector: &QueryVector,
        codes: &Codes,
        searches: &[VectorSearch<'_>],
        phrases: &Phrases,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut found: Vec<Candidate> = Vec::new();
        for search in searches {
            let near = codes.nearest(&vector.numbers, search.documents, search.limit);
            let known: HashSet<ChunkKey> = found.iter().map(|candidate| candidate.key).collect();
            let nearest = self
                .store
                .nearest(vector, &self.chunks, near, search.limit, self.is_whole)?
                .into_iter();
            found.extend(nearest.filter(|candidate| !known.contains(&candidate.key)));
        }
        found.retain(|candidate| phrases.allow(candidate.key));
        Ok(found)
    }

    /// The candidates with their documents, without those that the filter excludes by their own
    /// dates.
    fn detailed(
        &self,
        by_words: &Candidates,
        nearest: &[Candidate],
        looked_up: &mut LookedUp,
    ) -> Result<Shortlist, StoreError> {
        let mut list = Shortlist {
            by_words: by_words.clone(),
            nearest: nearest.to_vec(),
            features: ById::default(),
            documents: ById::default(),
            fits: ById::default(),
            is_all: by_words.chunks.len() == by_words.chunks_total,
        };
        if let Some(period) = Period::of(self.filter) {
            self.keep_dated(&mut list, &period, looked_up)?;
        }
        self.add_details(&mut list, looked_up)?;
        Ok(list)
    }

    /// Drops the candidates of other days than those of the filter. One that the database does not
    /// contain stays.
    fn keep_dated(
        &self,
        list: &mut Shortlist,
        period: &Period,
        looked_up: &mut LookedUp,
    ) -> Result<(), StoreError> {
        let mut is_dated = |candidate: &Candidate| {
            let found = looked_up.current(self, candidate.key, candidate.rev)?;
            Ok(found.is_none_or(|(document, own)| period.has(&document, &own)))
        };
        list.by_words = list.by_words.retaining(&mut is_dated)?;
        let nearest = Candidates {
            chunks: std::mem::take(&mut list.nearest),
            ..Candidates::default()
        };
        list.nearest = nearest.retaining(&mut is_dated)?.chunks;
        Ok(())
    }

    /// Adds the documents of the candidates, and what the signals need of each chunk.
    fn add_details(
        &self,
        list: &mut Shortlist,
        looked_up: &mut LookedUp,
    ) -> Result<(), StoreError> {
        for candidate in list.by_words.chunks.iter().chain(&list.nearest) {
            let key = candidate.key;
            if list.features.contains_key(&key) {
                continue;
            }
            let found = looked_up.current(self, key, candidate.rev)?;
            let Some((document, own)) = found else {
                match self.is_whole {
                    true => return Err(StoreError::Torn),
                    false => continue,
                }
            };
            list.features.insert(key, own);
            if let Entry::Vacant(entry) = list.documents.entry(key.document) {
                entry.insert(document);
                let fits = self.places.as_ref().map(|places| &places.fits);
                if let Some(fit) = fits.and_then(|fits| fits.get(&key.document)) {
                    list.fits.insert(key.document, *fit);
                }
            }
        }
        Ok(())
    }
}

impl LocalSnapshot<'_> {
    /// [`Survey::meant`].
    fn meant(
        &self,
        words: &[AskedWord<'_>],
        weights: &[Option<f32>],
        is_word: fn(&str) -> bool,
    ) -> Result<Vec<Option<String>>, StoreError> {
        let is_unknown =
            |word: &AskedWord<'_>, weight: &Option<f32>| weight.is_none() && word.edits.is_some();
        let pairs = words.iter().zip(weights);
        let unknown = pairs
            .clone()
            .filter(|(word, weight)| is_unknown(word, weight));
        let is_few = unknown.count() <= MOST_UNKNOWN;
        let Some(keywords) = self.keywords.as_ref().filter(|_| is_few) else {
            return Ok(vec![None; words.len()]);
        };
        let meant = pairs.map(|(word, weight)| match is_unknown(word, weight) {
            true => match keywords.parted(word)? {
                Some(parted) => Ok(Some(parted)),
                None => self.nearest_word(word, keywords, is_word),
            },
            false => Ok(None),
        });
        meant.collect()
    }

    /// The nearest word that occurs, or another of the same stem if [`SurveyRequest::is_word`].
    fn nearest_word(
        &self,
        word: &AskedWord<'_>,
        keywords: &Searched,
        is_word: fn(&str) -> bool,
    ) -> Result<Option<String>, StoreError> {
        /// How many terms are looked at: those that occur only with other endings are skipped.
        const TERMS: usize = 4;
        if word.edits.is_none_or(|edits| edits == 0) {
            return Ok(None);
        }
        for (term, words) in keywords.near_words(word.written)?.into_iter().take(TERMS) {
            let meant = match words.into_iter().find(|word| is_word(word)) {
                Some(meant) => Some(meant),
                None => self.nearest_form(&term, word, keywords)?,
            };
            if meant.is_some() {
                return Ok(meant);
            }
        }
        // Words of the Latin letters from `a` to `z` with one edit have been tried.
        if word.edits == Some(1) && word.written.is_ascii() {
            return Ok(None);
        }
        match keywords.nearest_term(word)? {
            Some(term) => self.nearest_form(&term, word, keywords),
            None => Ok(None),
        }
    }

    /// The form of a term that is nearest to a word, as it is written in the chunk that the term is
    /// best for. Stems are near more often than words: `loan` is not meant by `loaves`.
    fn nearest_form(
        &self,
        term: &String,
        word: &AskedWord<'_>,
        keywords: &Searched,
    ) -> Result<Option<String>, StoreError> {
        let Some(best) = keywords.best_for(term)? else {
            return Ok(None);
        };
        let mut looked_up = LookedUp::default();
        let Some((document, _)) = looked_up.current(self, best.key, best.rev)? else {
            return Ok(None);
        };
        let text = self.store.database.text(document.text)?;
        let passage = self.passage(best.key, &text, None)?;
        let meant = passage.and_then(|passage| nearest_form(&passage.text, term, word.written));
        let edits = word.edits.unwrap_or(0);
        Ok(meant.and_then(|(form, found)| (found <= edits.into()).then_some(form)))
    }

    /// A chunk with its part of the `text` of its document; `None` if it no longer exists.
    fn passage(
        &self,
        key: ChunkKey,
        text: &str,
        vector: Option<&QueryVector>,
    ) -> Result<Option<StoredPassage>, StoreError> {
        let Some(chunk) = self.chunks.chunk(key)? else {
            return Ok(None);
        };
        let own = text
            .get(chunk.bytes())
            .ok_or(StoreError::Value("a chunk outside its text"))?;
        let cosine = match vector {
            Some(vector) => self.store.cosine(vector, &self.chunks, key)?.flatten(),
            None => None,
        };
        Ok(Some(StoredPassage {
            text: own.to_string(),
            chunk,
            cosine,
        }))
    }
}

impl Snapshot for LocalSnapshot<'_> {
    fn survey(&self, request: &SurveyRequest<'_>) -> Result<Survey, StoreError> {
        let keywords = self.keywords.as_ref();
        let places = self.places.as_ref();
        let nothing = places.filter(|places| places.documents.is_empty());
        let weights = match keywords {
            Some(keywords) => keywords.weights(request.words)?,
            None => vec![None; request.words.len()],
        };
        Ok(Survey {
            documents: match self.documents() {
                Some(documents) => documents.len(),
                None => self.store.followed()?,
            },
            chunks: keywords.map_or(0, Searched::chunks),
            is_empty: self.store.database.rev()? == Revision::default(),
            unmatched: nothing.map(|places| places.unmatched.clone()),
            meant: self.meant(request.words, &weights, request.is_word)?,
            weights,
            rarities: match keywords {
                Some(keywords) => keywords.rarities(request.pieces)?,
                None => vec![1.0; request.pieces.len()],
            },
            holds_phrases: match keywords.filter(|_| !request.phrases.is_empty()) {
                Some(keywords) => !keywords.holding(request.phrases)?.is_empty(),
                None => true,
            },
            is_dated: match request.period {
                Some(period) => !self.dated(period)?.is_empty(),
                None => false,
            },
            is_mostly_code: self.store.database.is_mostly_code(self.documents())?,
            vectors: match request.embedder {
                Some(embedder) => Some(self.vectors(embedder)?),
                None => None,
            },
        })
    }

    fn shortlist(&self, request: &ShortlistRequest<'_>) -> Result<Shortlist, StoreError> {
        let phrases = match request.vector {
            Some(_) => Phrases::of(self.keywords.as_ref(), &request.words)?,
            None => Phrases::default(),
        };
        let held = phrases.documents(self.documents());
        let dated = request
            .period
            .map(|period| self.dated(period))
            .transpose()?;
        let mut searches = vec![VectorSearch {
            documents: held.as_ref().or(self.documents()),
            limit: request.nearest,
        }];
        searches.extend(dated.as_deref().map(|dated| VectorSearch {
            documents: Some(dated),
            limit: request.nearest_of_period,
        }));
        let mut looked_up = LookedUp::default();
        let (mut by_words, nearest) = self.found(request, &searches, &phrases, &mut looked_up)?;
        let mut words = request.words.clone();
        loop {
            let list = self.detailed(&by_words, &nearest, &mut looked_up)?;
            if list.is_all || list.holds(request.enough) {
                return Ok(list);
            }
            words.limit = by_words.chunks.len().max(request.words.limit) * GROWTH;
            by_words = self::by_words(self.keywords.as_ref(), request, &words)?;
        }
    }

    fn passages(&self, request: &PassageRequest<'_>) -> Result<Passages, StoreError> {
        let database = &self.store.database;
        let mut passages = Passages::default();
        let mut texts = Texts::default();
        for (document, keys) in request.chunks {
            if facet::is_asked_for(self.filter) {
                database.check_facets(document.id)?;
            }
            let text = texts.read(database, document.text)?;
            for key in keys {
                if let Some(passage) = self.passage(*key, text, request.vector)? {
                    passages.chunks.insert(*key, passage);
                }
            }
            if request.beginning > 0 {
                let end = text.floor_char_boundary(request.beginning);
                let beginning = || text[..end].to_string();
                let beginnings = passages.beginnings.entry(document.text);
                beginnings.or_insert_with(beginning);
            }
        }
        Ok(passages)
    }
}

/// Of the words of a text that have a term, the one that is nearest to `asked` whatever its case,
/// and by how many edits they differ.
fn nearest_form(text: &str, term: &String, asked: &str) -> Option<(String, usize)> {
    let asked = asked.to_lowercase();
    let analyzer = Analyzer::finding(std::iter::once(term));
    let mut terms = analyzer.terms(text);
    let mut nearest: Option<(String, usize)> = None;
    while let Some(found) = terms.advance() {
        if found.text != term {
            continue;
        }
        let form = text[found.bytes].to_lowercase();
        let edits = strsim::osa_distance(&asked, &form);
        if nearest.as_ref().is_none_or(|(_, least)| edits < *least) {
            nearest = Some((form, edits));
        }
    }
    nearest
}

/// The best chunks for `words`, if the request is for those.
fn by_words(
    keywords: Option<&Searched>,
    request: &ShortlistRequest<'_>,
    words: &LexicalQuery<'_>,
) -> Result<Candidates, StoreError> {
    let keywords = keywords.filter(|_| request.by_words);
    keywords.map_or(Ok(Candidates::default()), |it| it.candidates(words))
}

/// Texts that were read last, since several passages may be of the same one.
#[derive(Default)]
struct Texts {
    texts: HashMap<Hash, String>,
    bytes: usize,
}

impl Texts {
    fn read(&mut self, database: &Database, hash: Hash) -> Result<&str, StoreError> {
        if self.bytes > MOST_KEPT {
            *self = Texts::default();
        }
        Ok(match self.texts.entry(hash) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let text = database.text(hash)?;
                self.bytes += text.len();
                entry.insert(text)
            }
        })
    }
}

/// The document of a candidate, and what the signals need to know of the chunk.
type Details = (Rc<StoredDocument>, Rc<Features>);

/// The documents and chunks of candidates, each looked up once.
#[derive(Default)]
struct LookedUp {
    documents: ById<DocumentId, Option<Rc<StoredDocument>>>,
    chunks: ById<ChunkKey, Option<Rc<Features>>>,
}

impl LookedUp {
    /// A candidate that was found in the state `rev` of its document. A channel that is out of date
    /// knows an older state of the document, which is still worth showing; one that is ahead of the
    /// database does not.
    fn current(
        &mut self,
        snapshot: &LocalSnapshot<'_>,
        key: ChunkKey,
        rev: Revision,
    ) -> Result<Option<Details>, StoreError> {
        let document = match self.documents.entry(key.document) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let document = snapshot.store.database.document(key.document)?;
                entry.insert(document.map(Rc::new))
            }
        };
        let Some(document) = document.as_ref().filter(|document| document.rev >= rev) else {
            return Ok(None);
        };
        let own = match self.chunks.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(snapshot.chunks.features(key)?.map(Rc::new)),
        };
        Ok(own
            .as_ref()
            .map(|own| (Rc::clone(document), Rc::clone(own))))
    }
}

/// Where to look for the nearest chunks, and how many to list.
struct VectorSearch<'a> {
    /// `None` for all documents.
    documents: Option<&'a Documents>,
    limit: usize,
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
    fn of(keywords: Option<&Searched>, words: &LexicalQuery<'_>) -> Result<Phrases, StoreError> {
        let Some(keywords) = keywords else {
            return Ok(Phrases::default());
        };
        let excluded = words.excluded.iter();
        let excluded = excluded.map(|phrase| keywords.holding(std::slice::from_ref(phrase)));
        Ok(Phrases {
            wanted: match words.phrases.is_empty() {
                true => None,
                false => Some(keywords.holding(words.phrases)?),
            },
            excluded: excluded.collect::<Result<_, _>>()?,
        })
    }

    /// The documents among `places` with a chunk that may be found; `None` if the phrases do not
    /// restrict them.
    fn documents(&self, places: Option<&Documents>) -> Option<Documents> {
        let documents = self.wanted.as_ref()?.iter().map(|key| key.document);
        let within = |id: &DocumentId| places.is_none_or(|places| places.contains(id));
        Some(documents.filter(within).collect())
    }

    fn allow(&self, key: ChunkKey) -> bool {
        let wanted = self.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(&key))
            && !self.excluded.iter().any(|held| held.contains(&key))
    }
}
