//! From a [`Query`] to an [`Answer`]: the query is parsed (`query.rs`), words that are probably
//! misspelt are replaced (`spelling.rs`), the store lists candidates by words and by vectors, these
//! are merged into one list (`fusion.rs`), signals adjust the scores (`signals.rs`, weighted by
//! `model/ranking.rs`; `ranked.rs` does both), a model may reorder the best (`reorder.rs`), the
//! result is grouped by document (`group.rs`), its passages are read (`hits.rs`), near-copies are
//! folded (`copies.rs`), and each chunk gets the lines that answer best (`snippet.rs`) and is
//! marked when it is probably no answer (`weak.rs`).
//!
//! A store is asked three times: for a survey of what is searched, for candidates, and for
//! passages. When words are replaced, there is a second survey. When folded copies leave room for
//! others, the store is asked for their passages, too, and for more candidates only if those that
//! it has listed were not enough.

#[cfg(test)]
mod calls;
mod copies;
mod dates;
mod fusion;
mod group;
mod hits;
mod naming;
mod precise;
mod query;
mod ranked;
mod reorder;
mod signals;
mod snippet;
mod spelling;
mod weak;

use std::collections::HashSet;
use std::ops::Range;
use std::time::Instant;

use chrono::NaiveDate;

use crate::embed::Embedder;
use crate::model::{Answer, Channels, DocumentHits, DocumentId, Note, Query, Rank};
use crate::rerank::Reranker;
use crate::store::snapshot::{
    AskedWord, Enough, QueryVector, Shortlist, ShortlistRequest, Snapshot, Survey, SurveyRequest,
    VectorSupply,
};
use crate::store::{LexicalQuery, Period, StoreError};
use dates::AskedPeriod;
use fusion::{DEPTH, Scored};
use hits::Hits;
use precise::Narrower;
use query::{Words, beginning};
use ranked::Ranker;
use reorder::Reorder;
use snippet::Marker;

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

/// A query that was parsed.
pub(crate) struct ParsedQuery<'q> {
    query: &'q Query,
    words: Words,
    /// Whether misspelt words were replaced.
    is_respelled: bool,
    start: Instant,
}

impl<'q> ParsedQuery<'q> {
    /// Parses a query.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyQuery`](crate::Error::EmptyQuery) if it contains no word.
    pub(crate) fn of(query: &'q Query) -> Result<Self, StoreError> {
        Ok(ParsedQuery {
            query,
            start: Instant::now(),
            words: Words::of(&query.text)?,
            is_respelled: false,
        })
    }

    /// Answers it from a snapshot, which the filter of the query has narrowed, on the day `today`.
    pub(crate) fn answer(
        mut self,
        snapshot: &dyn Snapshot,
        embedder: Option<&dyn Embedder>,
        reranker: Option<&Reranker>,
        today: NaiveDate,
    ) -> Result<Answer, StoreError> {
        let query = self.query;
        let is_dated = query.ranking.signals.date > 0.0;
        let asked = is_dated.then(|| AskedPeriod::of(beginning(&query.text), today));
        let asked = asked.flatten();
        let mut survey = self.survey(snapshot, embedder, asked.as_ref())?;
        let asked = asked.filter(|_| survey.is_dated);
        let respelled = self.respell(&survey, asked.as_ref())?;
        if respelled.is_some() {
            survey = self.survey(snapshot, embedder, asked.as_ref())?;
        }

        let scattered = self.drop_scattered(&survey);
        let mut notes = match &survey.unmatched {
            Some(unmatched) => unmatched.clone(),
            None => word_notes(&self.words, &survey.weights, asked.as_ref()),
        };
        let vector = self.vector(&survey, embedder, &mut notes);
        let search = Search {
            snapshot,
            query,
            words: &self.words,
            asked: asked.as_ref(),
            survey: &survey,
            vector: vector.as_ref(),
            reranker,
            narrower: match query.ranking.precise {
                true => Narrower::new(&self.pieces(&survey)),
                false => None,
            },
            today,
        };
        let mut answer = search.answer(notes)?;
        answer.notes.extend(respelled);
        answer.notes.extend(scattered);
        answer.elapsed = self.start.elapsed();
        Ok(answer)
    }

    fn survey(
        &self,
        snapshot: &dyn Snapshot,
        embedder: Option<&dyn Embedder>,
        asked: Option<&AskedPeriod>,
    ) -> Result<Survey, StoreError> {
        let embedder = embedder.filter(|_| self.query.ranking.channels != Channels::Keywords);
        let pieces = self
            .words
            .pieces
            .iter()
            .filter(|_| embedder.is_some() || self.query.ranking.precise);
        let pieces: Vec<String> = pieces.map(|(_, term)| term.clone()).collect();
        let words: Vec<AskedWord<'_>> = self
            .words
            .written()
            .map(|(term, written)| AskedWord {
                term,
                written,
                edits: match self.is_respelled {
                    true => None,
                    false => spelling::edits(written),
                },
            })
            .collect();
        snapshot.survey(&SurveyRequest {
            words: &words,
            is_word: spelling::is_word,
            pieces: &pieces,
            phrases: &self.words.phrases,
            period: asked.map(|asked| &asked.period),
            embedder,
        })
    }

    /// Replaces words that do not occur by those that were probably meant, with a note.
    fn respell(
        &mut self,
        survey: &Survey,
        asked: Option<&AskedPeriod>,
    ) -> Result<Option<Note>, StoreError> {
        let words = self.words.written().zip(&self.words.places);
        let meant = words
            .zip(&survey.meant)
            .filter_map(|(((_, written), place), meant)| {
                let says_day = asked.is_some_and(|asked| asked.says(written));
                let meant = meant.as_ref().filter(|_| !says_day)?;
                Some((place.clone(), meant.to_lowercase()))
            });
        let meant: Vec<_> = meant.collect();
        if meant.is_empty() {
            return Ok(None);
        }
        let note = Note::Respelled(
            meant
                .iter()
                .map(|(place, meant)| (self.words.text[place.clone()].to_string(), meant.clone()))
                .collect(),
        );
        self.words = self.words.replacing(&meant)?;
        self.is_respelled = true;
        Ok(Some(note))
    }

    /// Drops the phrases if no chunk contains them together, with a note.
    fn drop_scattered(&mut self, survey: &Survey) -> Option<Note> {
        if survey.holds_phrases {
            return None;
        }
        let phrases = std::mem::take(&mut self.words.phrases).into_iter();
        let phrases = phrases.map(|phrase| phrase.written).collect();
        Some(Note::Scattered(phrases))
    }

    /// The vector of the question; `None` if there are no vectors to search, with the reason.
    fn vector(
        &self,
        survey: &Survey,
        embedder: Option<&dyn Embedder>,
        notes: &mut Vec<Note>,
    ) -> Option<QueryVector> {
        if self.query.ranking.channels == Channels::Keywords || survey.is_empty {
            return None;
        }
        let serving = serving(survey, embedder).map_err(|note| notes.push(note));
        let (embedder, lag) = serving.ok()?;
        if !embedder.knows_script_of(&self.words.text) {
            return None;
        }
        match embedder.embed_query(&self.pieces(survey)) {
            Ok(numbers) => {
                notes.extend(lag);
                Some(QueryVector {
                    embedder: embedder.identity().to_string(),
                    numbers,
                    floor: embedder.floor(),
                })
            }
            Err(error) => {
                notes.push(without(error.to_string()));
                None
            }
        }
    }

    /// The query in pieces, each with the weight of its word by its rarity in the searched
    /// documents.
    fn pieces(&self, survey: &Survey) -> Vec<(&str, f32)> {
        let pieces = self.words.pieces.iter().zip(&survey.rarities);
        let weighed = pieces.map(|((bytes, _), rarity)| {
            let weight = rarity.max(LEAST_RARITY).powf(RARITY);
            (&self.words.text[bytes.clone()], weight)
        });
        weighed.collect()
    }
}

/// The embedder whose vectors serve, and what they lack.
///
/// # Errors
///
/// The reason if there are no vectors to search.
fn serving<'a>(
    survey: &'a Survey,
    embedder: Option<&'a dyn Embedder>,
) -> Result<(&'a dyn Embedder, Option<Note>), Note> {
    let (Some(embedder), Some(supply)) = (embedder, &survey.vectors) else {
        return Err(without("they are switched off".to_string()));
    };
    match supply {
        VectorSupply::Current { behind } => {
            let documents = *behind;
            let lag = (documents > 0).then_some(Note::VectorsBehind { documents });
            Ok((embedder, lag))
        }
        VectorSupply::Former {
            embedder,
            documents,
            failure,
        } => {
            let lag = Note::FormerVectors {
                embedder: embedder.identity().to_string(),
                documents: *documents,
                failure: failure.clone(),
            };
            Ok((*embedder, Some(lag)))
        }
        VectorSupply::Missing { failure } => Err(failure.clone().map_or(Note::NoVectors, without)),
    }
}

fn without(reason: String) -> Note {
    Note::WithoutVectors { reason }
}

/// The notes about the words.
fn word_notes(words: &Words, weights: &[Option<f32>], asked: Option<&AskedPeriod>) -> Vec<Note> {
    let absent = words.places.iter().zip(weights);
    let absent = absent.filter(|(_, weight)| weight.is_none());
    // Parts of an identifier, and pairs of characters in scripts without spaces, are one word.
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (place, _) in absent {
        match runs.last_mut() {
            Some(last) if place.start <= last.end => last.end = place.end,
            _ => runs.push(place.clone()),
        }
    }
    let absent = runs.into_iter().map(|run| &words.text[run]);
    let absent = absent.filter(|word| asked.is_none_or(|asked| !asked.says(word)));
    let absent: Vec<String> = absent.map(str::to_string).collect();
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

/// One search.
struct Search<'a> {
    snapshot: &'a dyn Snapshot,
    query: &'a Query,
    words: &'a Words,
    /// The day that the question asks about, if any document has a date there.
    asked: Option<&'a AskedPeriod>,
    survey: &'a Survey,
    vector: Option<&'a QueryVector>,
    reranker: Option<&'a Reranker>,
    /// Finds the evidence in each hit, if only that is wanted.
    narrower: Option<Narrower>,
    /// The day of the search.
    today: NaiveDate,
}

/// What a search has found.
struct Found {
    /// The candidates.
    list: Shortlist,
    /// Their chunks, best first.
    chunks: Vec<Scored>,
    /// The best documents.
    documents: Vec<DocumentHits>,
    /// Why the model that should have reordered them did not.
    note: Option<Note>,
}

impl Search<'_> {
    fn answer(&self, notes: Vec<Note>) -> Result<Answer, StoreError> {
        let mut answer = Answer {
            notes,
            documents_searched: self.survey.documents,
            vectors: self.vector.is_some(),
            ..Answer::default()
        };
        let Found {
            list,
            chunks,
            documents,
            note,
        } = self.find()?;
        answer.documents = documents;
        answer.notes.extend(note);
        if !chunks.iter().any(|found| found.is_of_asked_day) {
            let is_dated = |note: &Note| matches!(note, Note::Dated { .. });
            answer.notes.retain(|note| !is_dated(note));
        }
        (answer.chunks_total, answer.documents_total) = self.totals(&list, &chunks);
        Ok(answer)
    }

    /// Asks for candidates until there are enough documents, or no others.
    fn find(&self) -> Result<Found, StoreError> {
        let ranker = self.ranker();
        let mut reorder = self.reorder();
        let mut hits = self.hits();
        let mut wanted = self.limit();
        loop {
            let list = self.snapshot.shortlist(&self.request(wanted))?;
            let reordered = reorder.as_mut().map(|reorder| (reorder, self.snapshot));
            let mut chunks = ranker.ranked(&list, reordered)?;
            let has_low = ranker.drop_low(&mut chunks);
            let groups = match self.query.rank {
                Rank::Documents => group::by_document(&chunks),
                Rank::Chunks => group::by_chunk(&chunks),
            };
            let documents = hits.of(self.snapshot, &list, &chunks, &groups)?;
            // What was folded leaves room for others.
            let is_full = documents.len() >= self.limit();
            if is_full || has_low || list.is_all || !self.query.fold_copies {
                return Ok(Found {
                    list,
                    chunks,
                    documents,
                    note: reorder.and_then(Reorder::note),
                });
            }
            wanted = (wanted * 2).max(groups.len() + self.limit());
        }
    }

    fn ranker(&self) -> Ranker<'_> {
        Ranker {
            query: self.query,
            words: self.words,
            weights: &self.survey.weights,
            asked: self.asked,
            is_mostly_code: self.survey.is_mostly_code,
            today: self.today,
        }
    }

    fn reorder(&self) -> Option<Reorder<'_>> {
        let reranker = self.reranker?;
        let wait = self.query.rerank_wait;
        Some(Reorder::new(reranker, &self.words.text, wait))
    }

    fn hits(&self) -> Hits<'_> {
        Hits {
            query: self.query,
            vector: self.vector,
            narrower: self.narrower.as_ref(),
            marker: Marker::new(
                self.words,
                &self.survey.weights,
                self.survey.chunks,
                self.asked,
            ),
            chunks: self.survey.chunks,
            limit: self.limit(),
        }
    }

    fn limit(&self) -> usize {
        self.query.limit.min(MOST)
    }

    /// The request for candidates of as many documents or chunks as are `wanted`.
    fn request(&self, wanted: usize) -> ShortlistRequest<'_> {
        let limit = self.limit();
        ShortlistRequest {
            words: LexicalQuery {
                required: &self.words.required,
                optional: &self.words.optional,
                names: &self.words.names,
                phrases: &self.words.phrases,
                excluded: &self.words.excluded,
                sequences: match self.query.ranking.signals.sequence == 1.0 {
                    true => &[],
                    false => &self.words.sequences,
                },
                weights: &self.query.ranking.fields,
                limit: match self.query.rank {
                    Rank::Documents => (limit * CHUNKS_PER_DOCUMENT).max(DEPTH),
                    Rank::Chunks => limit.max(DEPTH),
                },
            },
            by_words: self.query.ranking.channels != Channels::Vectors,
            vector: self.vector,
            nearest: match Period::of(&self.query.filter) {
                // Most chunks of a document may be of other days.
                Some(_) => MOST,
                None => DEPTH.max(limit),
            },
            nearest_of_period: DEPTH,
            period: self.asked.map(|asked| &asked.period),
            enough: match self.query.rank {
                Rank::Documents => Enough::Documents(wanted),
                Rank::Chunks => Enough::Chunks(wanted),
            },
        }
    }

    /// How many chunks contain any of the words, and how many documents they belong to.
    fn totals(&self, list: &Shortlist, found: &[Scored]) -> (usize, usize) {
        if Period::of(&self.query.filter).is_none() {
            return (list.by_words.chunks_total, list.by_words.documents_total);
        }
        // Words also occur in chunks of other days.
        let by_words = found.iter();
        let by_words = by_words.filter(|found| found.explanation.keywords.is_some());
        let documents: HashSet<DocumentId> =
            by_words.clone().map(|found| found.key.document).collect();
        (by_words.count(), documents.len())
    }
}
