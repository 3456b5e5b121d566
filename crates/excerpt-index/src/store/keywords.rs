//! The keyword index as one search sees it: the chunks of some documents, or of all, in the state of one moment.

use std::collections::HashSet;

use tantivy::query::{
    Bm25StatisticsProvider as _, BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery,
    Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use super::collect::{Best, Candidate, Documents, Found};
use super::fault::Fault;
use super::guard::guarded;
use super::lexical::Fields;
use super::statistics::Statistics;
use crate::search::Phrase;

/// How much a word counts in a chunk's text, in its title and trail, in the titles and names inside it, and in its path. What says something of the
/// whole document stands beside each of its chunks, and so says half as much of one.
const BOOSTS: [f32; 4] = [1.0, 0.5, 1.0, 0.5];

/// How much a name counts where it is defined: beside the other fields, which hold it too.
const DEFINITION: f32 = 2.0;

/// How many chunks with a phrase are known at once.
const MOST_HELD: usize = 1 << 20;

/// What to search for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    /// Terms that a chunk with every word holds.
    pub(crate) required: &'a [String],
    /// Terms that only add to the score: identifiers as a whole.
    pub(crate) optional: &'a [String],
    /// [Names](super::analysis::name) whose definitions rank above their uses.
    pub(crate) names: &'a [String],
    /// What a chunk must hold, word behind word.
    pub(crate) phrases: &'a [Phrase],
    /// What a chunk must not hold.
    pub(crate) excluded: &'a [Phrase],
    /// How many chunks are wanted.
    pub(crate) limit: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// The best chunks that hold every required term, then the best of the others.
    pub(crate) chunks: Vec<Candidate>,
    /// How many of them hold every required term.
    pub(crate) complete: usize,
    /// How many chunks hold any term.
    pub(crate) chunks_total: usize,
    /// How many documents these belong to.
    pub(crate) documents_total: usize,
}

/// What is searched: see the module.
pub(crate) struct Searched {
    fields: Fields,
    statistics: Statistics,
}

impl Searched {
    /// The chunks of `documents`; of all when none are given.
    pub(super) fn of(
        searcher: Searcher,
        fields: Fields,
        documents: Option<&Documents>,
    ) -> Result<Searched, Fault> {
        guarded(|| {
            Ok(Searched {
                fields,
                statistics: Statistics::of(searcher, documents)?,
            })
        })
    }

    /// The best `limit` of the chunks that a query finds.
    fn best(&self, query: &dyn Query, limit: usize) -> tantivy::Result<Found> {
        let statistics = &self.statistics;
        let best = Best {
            limit,
            within: statistics.part().cloned(),
        };
        statistics
            .searcher()
            .search_with_statistics_provider(query, &best, statistics)
    }

    /// The best chunks for what is wanted.
    ///
    /// Two searches: for the chunks that hold every required term, and for those that hold any. The scores of both are BM25
    /// over all terms, so that they can be compared; which of the two a chunk comes from is told apart from its score.
    pub(crate) fn candidates(&self, wanted: &Wanted<'_>) -> Result<Candidates, Fault> {
        guarded(|| self.find(wanted))
    }

    fn find(&self, wanted: &Wanted<'_>) -> Result<Candidates, Fault> {
        let any = self.best(&self.any_query(wanted), wanted.limit)?;
        if wanted.required.len() < 2 {
            return Ok(Candidates {
                complete: any.best.len(),
                chunks_total: any.chunks,
                documents_total: any.documents.len(),
                chunks: any.best,
            });
        }
        let all = self.best(&self.all_query(wanted), wanted.limit)?;
        let complete = all.best.len();
        let mut chunks = all.best;
        let key = |candidate: &Candidate| (candidate.document, candidate.ordinal);
        let first: HashSet<_> = chunks.iter().map(key).collect();
        // When `all` had more than the limit, the rest of `any` may be complete as well, but is not reached.
        let rest = any
            .best
            .into_iter()
            .filter(|candidate| !first.contains(&key(candidate)));
        chunks.extend(rest.take(wanted.limit - complete));
        Ok(Candidates {
            chunks,
            complete,
            chunks_total: any.chunks,
            documents_total: any.documents.len(),
        })
    }

    /// How rare each term is in the texts (the idf of BM25), and none for a term that is nowhere.
    pub(crate) fn weights(&self, terms: &[String]) -> Result<Vec<Option<f32>>, Fault> {
        let total = self.statistics.chunks() as f32;
        let weight = |term: &String| {
            let count = |field| self.frequency(field, term);
            let text = count(self.fields.text)?;
            let elsewhere = count(self.fields.place)? + count(self.fields.path)?;
            let present = text + elsewhere > 0;
            let frequency = text as f32;
            Ok(present.then(|| (1.0 + (total - frequency + 0.5) / (frequency + 0.5)).ln()))
        };
        guarded(|| terms.iter().map(weight).collect())
    }

    /// How rare each term is in the texts, against a term that is in one chunk alone: from 0 for one that is everywhere to 1.
    pub(crate) fn rarities(&self, terms: &[String]) -> Result<Vec<f32>, Fault> {
        let total = self.statistics.chunks() as f32;
        let rarity = |term: &String| {
            let count = self.frequency(self.fields.text, term)? as f32;
            let idf = ((total + 1.0) / (count + 0.5)).ln();
            Ok((idf / (total + 1.0).ln().max(1.0)).clamp(0.0, 1.0))
        };
        guarded(|| terms.iter().map(rarity).collect())
    }

    fn frequency(&self, field: Field, term: &str) -> Result<u64, Fault> {
        Ok(self
            .statistics
            .doc_freq(&Term::from_field_text(field, term))?)
    }

    fn any_query(&self, wanted: &Wanted<'_>) -> BooleanQuery {
        let terms = wanted.required.iter().chain(wanted.optional);
        // Side by side, not word by word: tantivy joins plain terms faster than what is joined already.
        let words = terms.flat_map(|term| self.in_fields(term));
        let words = words.chain(self.definitions(wanted)).collect();
        self.limited(BooleanQuery::new(words), wanted)
    }

    fn all_query(&self, wanted: &Wanted<'_>) -> BooleanQuery {
        let required = wanted
            .required
            .iter()
            .map(|term| (Occur::Must, self.word_query(term)));
        let optional = wanted
            .optional
            .iter()
            .map(|term| (Occur::Should, self.word_query(term)));
        let words = required.chain(optional).chain(self.definitions(wanted));
        self.limited(BooleanQuery::new(words.collect()), wanted)
    }

    /// The definitions of the names. As all else by BM25: a name that much defines says little.
    fn definitions(&self, wanted: &Wanted<'_>) -> impl Iterator<Item = (Occur, Box<dyn Query>)> {
        wanted.names.iter().map(|name| {
            let term = Term::from_field_text(self.fields.defines, name);
            let query: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
            let boosted: Box<dyn Query> = Box::new(BoostQuery::new(query, DEFINITION));
            (Occur::Should, boosted)
        })
    }

    /// A term in any field.
    fn word_query(&self, term: &str) -> Box<dyn Query> {
        Box::new(BooleanQuery::new(self.in_fields(term).collect()))
    }

    /// A term in each field.
    fn in_fields(&self, term: &str) -> impl Iterator<Item = (Occur, Box<dyn Query>)> {
        let fields = self.fields.of_words().into_iter().zip(BOOSTS);
        fields.map(move |(field, boost)| {
            let term = Term::from_field_text(field, term);
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            let boosted: Box<dyn Query> = Box::new(BoostQuery::new(Box::new(query), boost));
            (Occur::Should, boosted)
        })
    }

    /// `query` with the phrases and without what is excluded.
    fn limited(&self, query: BooleanQuery, wanted: &Wanted<'_>) -> BooleanQuery {
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
        clauses.push((Occur::Must, Box::new(query)));
        BooleanQuery::new(clauses)
    }

    /// A phrase in one of the fields.
    fn phrase_query(&self, phrase: &Phrase) -> Box<dyn Query> {
        let of_field = |field| -> Box<dyn Query> {
            let terms = phrase.terms.iter();
            let mut terms: Vec<(usize, Term)> = terms
                .map(|(position, term)| (*position, Term::from_field_text(field, term)))
                .collect();
            match terms.len() {
                1 => Box::new(TermQuery::new(terms.remove(0).1, IndexRecordOption::Basic)),
                _ => Box::new(PhraseQuery::new_with_offset(terms)),
            }
        };
        let fields = self.fields.of_words().into_iter();
        let fields = fields.map(|field| (Occur::Should, of_field(field)));
        Box::new(BooleanQuery::new(fields.collect()))
    }

    /// The chunks that hold every phrase, by document and ordinal.
    pub(crate) fn holding(&self, phrases: &[Phrase]) -> Result<HashSet<(u64, u64)>, Fault> {
        let clauses = phrases
            .iter()
            .map(|phrase| (Occur::Must, self.phrase_query(phrase)));
        let query = BooleanQuery::new(clauses.collect());
        let found = guarded(|| Ok(self.best(&query, MOST_HELD)?.best))?;
        Ok(found
            .into_iter()
            .map(|candidate| (candidate.document, candidate.ordinal))
            .collect())
    }
}
