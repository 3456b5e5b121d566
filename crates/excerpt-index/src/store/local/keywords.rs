//! The keyword index in one search: the chunks of some documents, or of all, in the state of one
//! moment.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use tantivy::query::{
    Bm25StatisticsProvider as _, BooleanQuery, BoostQuery, ConstScoreQuery, FuzzyTermQuery, Occur,
    PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{BitSet, Searcher, Term};

use super::any_of::AnyOf;
use super::collect::{Best, Collected, Holding, keep_best};
use super::guard::guarded;
use super::lexical::Fields;
use super::respelling;
use super::statistics::{Counts, Statistics};
use crate::analysis::{Analyzer, Phrase, Purpose};
use crate::model::{ChunkKey, FieldWeights};
use crate::store::StoreError;
use crate::store::snapshot::AskedWord;
use crate::store::{ById, Candidate, Candidates, Documents, LexicalQuery, idf};

/// How many chunks with a phrase are collected at once.
const MOST_HELD: usize = 1 << 20;

/// The searched chunks: see the module.
pub(crate) struct Searched {
    fields: Fields,
    statistics: Statistics,
}

impl Searched {
    /// The chunks of `documents`, or of all documents.
    pub(super) fn of(
        searcher: Searcher,
        fields: Fields,
        counts: Counts,
        documents: Option<&Documents>,
    ) -> Result<Searched, StoreError> {
        guarded(|| {
            Ok(Searched {
                fields,
                statistics: Statistics::of(searcher, counts, documents)?,
            })
        })
    }

    /// The best `limit` chunks for a query: of those that are `complete` (all, if `None`), and of
    /// the others.
    fn best(
        &self,
        query: &dyn Query,
        limit: usize,
        complete: Option<Vec<BitSet>>,
    ) -> tantivy::Result<Collected> {
        let statistics = &self.statistics;
        let best = Best {
            limit,
            complete: complete.map(Arc::new),
            within: statistics.part().cloned(),
        };
        statistics
            .searcher()
            .search_with_statistics_provider(query, &best, statistics)
    }

    /// The best chunks for a request.
    ///
    /// Runs two searches: one finds the chunks that contain every required term, the other scores
    /// all that contain any, with BM25 over all terms. So every chunk gets its score from the same
    /// sum, whether it contains every term or not.
    pub(crate) fn candidates(&self, wanted: &LexicalQuery<'_>) -> Result<Candidates, StoreError> {
        guarded(|| self.find(wanted))
    }

    fn find(&self, wanted: &LexicalQuery<'_>) -> Result<Candidates, StoreError> {
        let complete = match wanted.required.len() < 2 {
            true => None,
            false => {
                let query = self.all_query(wanted);
                Some(self.statistics.searcher().search(&query, &Holding)?)
            }
        };
        let found = self.best(&*self.any_query(wanted), wanted.limit, complete)?;
        let in_sequence = self.in_sequence(wanted)?;
        let (mut chunks, mut others) = (found.complete, found.others);
        let complete = chunks.len();
        let room = wanted.limit.saturating_sub(complete);
        keep_best(&mut others, room, Candidate::order);
        chunks.extend(others);
        Ok(Candidates {
            chunks,
            complete,
            in_sequence,
            chunks_total: found.chunks,
            documents_total: found.documents.count(),
        })
    }

    /// [`Candidates::in_sequence`]: each sequence counts one in a search of its own.
    fn in_sequence(&self, wanted: &LexicalQuery<'_>) -> tantivy::Result<ById<ChunkKey, f32>> {
        if wanted.sequences.is_empty() {
            return Ok(ById::default());
        }
        let sequences = wanted.sequences.iter().map(|sequence| {
            let found = Self::in_field(self.fields.text, sequence);
            let counted: Box<dyn Query> = Box::new(ConstScoreQuery::new(found, 1.0));
            counted
        });
        let query = AnyOf(sequences.collect());
        let found = self.best(&query, wanted.limit, None)?.complete.into_iter();
        let count = wanted.sequences.len() as f32;
        Ok(found
            .map(|found| (found.key, found.score / count))
            .collect())
    }

    /// How many chunks are searched.
    pub(crate) fn chunks(&self) -> u64 {
        self.statistics.chunks()
    }

    /// How rare each term is in the texts (the idf of BM25); `None` for a term that does not occur.
    pub(crate) fn weights(&self, words: &[AskedWord<'_>]) -> Result<Vec<Option<f32>>, StoreError> {
        let weight = |word: &AskedWord<'_>| {
            let count = |field| self.frequency(field, word.term);
            let text = count(self.fields.text)?;
            let elsewhere = count(self.fields.place)? + count(self.fields.path)?;
            let present = text + elsewhere > 0;
            Ok(present.then(|| idf(self.chunks(), text)))
        };
        guarded(|| words.iter().map(weight).collect())
    }

    /// The terms of the searched texts that words with one edit of `written` have, each with these
    /// words, the most frequent first.
    pub(crate) fn near_words(
        &self,
        written: &str,
    ) -> Result<Vec<(String, BTreeSet<String>)>, StoreError> {
        guarded(|| {
            let mut near = respelling::near_stems(written);
            self.retain_known(&mut near)?;
            let near = near.into_iter().map(|(term, words)| {
                let count = self.frequency(self.fields.text, &term)?;
                Ok::<_, StoreError>((count, term, words))
            });
            let mut near: Vec<_> = near.collect::<Result<_, _>>()?;
            near.retain(|(count, ..)| *count > 0);
            near.sort_by_key(|(count, ..)| Reverse(*count));
            let near = near.into_iter();
            Ok(near.map(|(_, term, words)| (term, words)).collect())
        })
    }

    /// Drops what is no term of any text, searched or not.
    fn retain_known<T>(&self, terms: &mut BTreeMap<String, T>) -> tantivy::Result<()> {
        let segments = self.statistics.searcher().segment_readers().iter();
        let indexes = segments.map(|segment| segment.inverted_index(self.fields.text));
        let indexes: Vec<_> = indexes.collect::<tantivy::Result<_>>()?;
        let mut failure = None;
        terms.retain(|term, _| {
            let known = indexes.iter().map(|index| index.terms().term_ord(term));
            let known = known.collect::<std::io::Result<Vec<_>>>();
            match known {
                Ok(known) => known.iter().any(Option::is_some),
                Err(error) => {
                    failure = Some(error);
                    false
                }
            }
        });
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// The term of the texts that is nearest to that of `word`; of equally near ones, the most
    /// frequent. `None` if more than `word.edits` letters differ.
    pub(crate) fn nearest_term(&self, word: &AskedWord<'_>) -> Result<Option<String>, StoreError> {
        guarded(|| {
            for edits in 1..=word.edits.unwrap_or(0) {
                let near = self.near_terms(word.term, edits)?;
                if let Some(term) = self.most_frequent(near)? {
                    return Ok(Some(term));
                }
            }
            Ok(None)
        })
    }

    /// The chunk that a term is best for.
    pub(crate) fn best_for(&self, term: &str) -> Result<Option<Candidate>, StoreError> {
        guarded(|| {
            let query = Term::from_field_text(self.fields.text, term);
            let query = TermQuery::new(query, IndexRecordOption::WithFreqs);
            Ok(self.best(&query, 1, None)?.complete.first().copied())
        })
    }

    /// A word as the two words that it consists of, with a blank between them, if they occur in
    /// sequence; the parts that do so in most chunks.
    pub(crate) fn parted(&self, word: &AskedWord<'_>) -> Result<Option<String>, StoreError> {
        const SHORTEST: [usize; 2] = [3, 2];
        let mut best = (0, None);
        for (at, _) in word.written.char_indices().skip(SHORTEST[0]) {
            let (first, second) = word.written.split_at(at);
            if second.chars().count() < SHORTEST[1] {
                break;
            }
            let mut terms = Vec::new();
            for part in [first, second] {
                let analyzer = Analyzer::new(Purpose::Query);
                let mut part = analyzer.terms(part);
                while let Some(term) = part.advance() {
                    terms.push((terms.len(), term.text.to_string()));
                }
            }
            let written = format!("{first} {second}");
            let phrase = Phrase { written, terms };
            let mut counts = phrase.terms.iter();
            let is_there = counts.try_fold(true, |all, (_, term)| {
                Ok::<_, StoreError>(all && self.frequency(self.fields.text, term)? > 0)
            })?;
            if !is_there || phrase.terms.len() != SHORTEST.len() {
                continue;
            }
            let found = guarded(|| Ok(self.best(&*self.phrase_query(&phrase), 1, None)?.chunks))?;
            if found > best.0 {
                best = (found, Some(phrase.written));
            }
        }
        Ok(best.1)
    }

    /// The terms in any text, searched or not, with the same first letter as `term` and at most so
    /// many edits (Levenshtein distance, where a swap of two letters counts once).
    fn near_terms(&self, term: &str, edits: u8) -> tantivy::Result<BTreeSet<String>> {
        let query = Term::from_field_text(self.fields.text, term);
        let query = FuzzyTermQuery::new(query, edits, true);
        let mut terms = BTreeSet::new();
        for segment in self.statistics.searcher().segment_readers() {
            let index = segment.inverted_index(self.fields.text)?;
            let mut near = index.terms().search(query.automaton()?).into_stream()?;
            while near.advance() {
                let near = std::str::from_utf8(near.key()).unwrap_or_default();
                if near.chars().next() == term.chars().next() {
                    terms.insert(near.to_string());
                }
            }
        }
        Ok(terms)
    }

    /// The most frequent of some terms in the searched texts; `None` if none occurs.
    fn most_frequent(&self, terms: BTreeSet<String>) -> Result<Option<String>, StoreError> {
        let mut most = (0, None);
        for term in terms {
            let count = self.frequency(self.fields.text, &term)?;
            if count > most.0 {
                most = (count, Some(term));
            }
        }
        Ok(most.1)
    }

    /// How rare each term is in the texts, relative to a term in a single chunk: from 0 for a term
    /// that is everywhere to 1.
    pub(crate) fn rarities(&self, terms: &[String]) -> Result<Vec<f32>, StoreError> {
        let total = self.statistics.chunks() as f32;
        let rarity = |term: &String| {
            let count = self.frequency(self.fields.text, term)? as f32;
            let idf = ((total + 1.0) / (count + 0.5)).ln();
            Ok((idf / (total + 1.0).ln().max(1.0)).clamp(0.0, 1.0))
        };
        guarded(|| terms.iter().map(rarity).collect())
    }

    fn frequency(&self, field: Field, term: &str) -> Result<u64, StoreError> {
        Ok(self
            .statistics
            .doc_freq(&Term::from_field_text(field, term))?)
    }

    /// Matches chunks with any term, with their scores.
    fn any_query(&self, wanted: &LexicalQuery<'_>) -> Box<dyn Query> {
        let terms = wanted.required.iter().chain(wanted.optional);
        // All terms in one list, not grouped by word: tantivy combines plain terms faster than
        // nested queries.
        let words = terms.flat_map(|term| self.in_fields(term, wanted.weights));
        let words = words.chain(self.definitions(wanted)).collect();
        self.limited(Box::new(AnyOf(words)), wanted)
    }

    /// Matches chunks with every required term, in any field.
    fn all_query(&self, wanted: &LexicalQuery<'_>) -> BooleanQuery {
        let words = wanted.required.iter().map(|term| {
            let word: Box<dyn Query> =
                Box::new(AnyOf(self.in_fields(term, wanted.weights).collect()));
            (Occur::Must, word)
        });
        BooleanQuery::new(words.collect())
    }

    /// The definitions of the names, scored with BM25 like everything else: a name with many
    /// definitions says little.
    fn definitions(&self, wanted: &LexicalQuery<'_>) -> impl Iterator<Item = Box<dyn Query>> {
        let weight = wanted.weights.defined / wanted.names.len().max(1) as f32;
        wanted.names.iter().map(move |name| {
            let term = Term::from_field_text(self.fields.defines, name);
            let query: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
            let boosted: Box<dyn Query> = Box::new(BoostQuery::new(query, weight));
            boosted
        })
    }

    /// A term in each field.
    fn in_fields(
        &self,
        term: &str,
        weights: &FieldWeights,
    ) -> impl Iterator<Item = Box<dyn Query>> {
        let weights = [weights.text, weights.headings, weights.names, weights.path];
        let fields = self.fields.of_words().into_iter().zip(weights);
        fields.map(move |(field, boost)| {
            let term = Term::from_field_text(field, term);
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            let boosted: Box<dyn Query> = Box::new(BoostQuery::new(Box::new(query), boost));
            boosted
        })
    }

    /// `query`, with the phrases required and the exclusions applied.
    fn limited(&self, query: Box<dyn Query>, wanted: &LexicalQuery<'_>) -> Box<dyn Query> {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut limit = |occur, query: Box<dyn Query>| {
            clauses.push((occur, Box::new(ConstScoreQuery::new(query, 0.0))));
        };
        for phrase in wanted.phrases {
            limit(Occur::Must, self.phrase_query(phrase));
        }
        for phrase in wanted.excluded {
            limit(Occur::MustNot, self.phrase_query(phrase));
        }
        if clauses.is_empty() {
            return query;
        }
        clauses.push((Occur::Must, query));
        Box::new(BooleanQuery::new(clauses))
    }

    /// A phrase in one of the fields.
    fn phrase_query(&self, phrase: &Phrase) -> Box<dyn Query> {
        let fields = self.fields.of_words().into_iter();
        let fields = fields.map(|field| (Occur::Should, Self::in_field(field, phrase)));
        Box::new(BooleanQuery::new(fields.collect()))
    }

    fn in_field(field: Field, phrase: &Phrase) -> Box<dyn Query> {
        let terms = phrase.terms.iter();
        let mut terms: Vec<(usize, Term)> = terms
            .map(|(position, term)| (*position, Term::from_field_text(field, term)))
            .collect();
        match terms.len() {
            1 => Box::new(TermQuery::new(terms.remove(0).1, IndexRecordOption::Basic)),
            _ => Box::new(PhraseQuery::new_with_offset(terms)),
        }
    }

    /// The chunks that contain every phrase.
    pub(crate) fn holding(&self, phrases: &[Phrase]) -> Result<HashSet<ChunkKey>, StoreError> {
        let clauses = phrases
            .iter()
            .map(|phrase| (Occur::Must, self.phrase_query(phrase)));
        let query = BooleanQuery::new(clauses.collect());
        let found = guarded(|| Ok(self.best(&query, MOST_HELD, None)?.complete))?;
        Ok(found.into_iter().map(|candidate| candidate.key).collect())
    }
}
