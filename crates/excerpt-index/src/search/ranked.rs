//! The [`Shortlist`] of a store, ranked: the scores of both channels are merged (`fusion.rs`) and
//! multiplied by the signals (`signals.rs`); a model may reorder the best (`reorder.rs`).

use std::collections::hash_map::Entry;

use chrono::NaiveDate;

use super::dates::AskedPeriod;
use super::fusion::{self, Scale, Scored};
use super::query::Words;
use super::reorder::Reorder;
use super::signals::{self, SignalInput};
use crate::model::{Channels, DocumentId, Query, Rank, Signals};
use crate::store::snapshot::{Shortlist, Snapshot};
use crate::store::{ById, Features, StoreError, StoredDocument};

/// What the rank of a chunk depends on besides the chunk.
pub(super) struct Ranker<'a> {
    pub(super) query: &'a Query,
    pub(super) words: &'a Words,
    /// How rare each of its terms is, as in a [survey](crate::store::snapshot::Survey::weights).
    pub(super) weights: &'a [Option<f32>],
    /// The day that the question asks about.
    pub(super) asked: Option<&'a AskedPeriod>,
    /// Whether there is more source code than prose in the searched documents.
    pub(super) is_mostly_code: bool,
    /// The day of the search.
    pub(super) today: NaiveDate,
}

impl Ranker<'_> {
    /// The chunks of a list with their scores, best first.
    pub(super) fn ranked(
        &self,
        list: &Shortlist,
        reorder: Option<(&mut Reorder<'_>, &dyn Snapshot)>,
    ) -> Result<Vec<Scored>, StoreError> {
        let signals = &self.query.ranking.signals;
        let mut all = self.fused(list);
        signals::add_neighbours(&mut all, signals.neighbours);
        self.apply_signals(&mut all, list);
        sort(&mut all, list);
        signals::cohere(&mut all, |found| match is_code(list, found) {
            true => signals.coherence_in_code,
            false => signals.coherence_in_prose,
        });
        if self.query.rank == Rank::Chunks {
            saturate(&mut all, list, signals);
        }
        sort(&mut all, list);
        if let Some((reorder, snapshot)) = reorder {
            reorder.apply(snapshot, list, &mut all)?;
            sort(&mut all, list);
        }
        if self.asked.is_some() {
            signals::favour(&mut all, signals.date);
            sort(&mut all, list);
        }
        Ok(all)
    }

    /// Drops the chunks whose share of the best score is below what was asked for. Returns whether
    /// there were any: then nothing that ranks lower can be wanted, either.
    pub(super) fn drop_low(&self, ranked: &mut Vec<Scored>) -> bool {
        let best = ranked.first().map_or(0.0, |found| found.score);
        let least = best * self.query.ranking.min_share;
        let kept = ranked.partition_point(|found| found.score >= least);
        let has_low = kept < ranked.len();
        ranked.truncate(kept);
        has_low
    }

    /// The chunks with their scores from words and vectors, without those that are no longer in the
    /// index.
    fn fused(&self, list: &Shortlist) -> Vec<Scored> {
        let ranking = &self.query.ranking;
        let (by_words, nearest) = (&list.by_words, &list.nearest);
        let scales = (Scale::of_keywords(by_words), Scale::of_vectors(nearest));
        let mut all = fusion::united(by_words, nearest);
        all.retain(|found| list.features.contains_key(&found.key));
        for found in &mut all {
            let is_code = is_code(list, found);
            let share = match ranking.channels {
                Channels::Keywords => 0.0,
                Channels::Vectors => 1.0,
                // Without a vector, the words count in full.
                Channels::Both if nearest.is_empty() => 0.0,
                Channels::Both if is_code => ranking.vectors_in_code,
                Channels::Both => ranking.vectors_in_prose,
            };
            fusion::score(found, scales.0, scales.1, share, ranking);
        }
        all
    }

    /// Multiplies the scores by the signals of the chunks and of their documents.
    fn apply_signals(&self, all: &mut [Scored], list: &Shortlist) {
        let signals = &self.query.ranking.signals;
        let mut input = SignalInput::new(self.words, self.weights, self.is_mostly_code, self.today);
        input.find_members(all.iter().filter_map(|found| details(list, found)));
        let mut of_documents = ById::default();
        for found in all.iter_mut() {
            let Some((document, own)) = details(list, found) else {
                continue;
            };
            let of_document = match of_documents.entry(document.id) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let fit = list.fits.get(&document.id);
                    let mut factors = input.of_document(document, signals);
                    factors.extend(fit.map(|fit| (fit.name(), fit.factor())));
                    entry.insert(factors)
                }
            };
            let of_chunk = input.of_chunk(found, own, document, signals);
            let period = self.asked.map(|asked| &asked.period);
            found.is_of_asked_day = period.is_some_and(|period| period.has(document, own));
            for (name, factor) in of_chunk.iter().chain(&*of_document) {
                signals::apply(found, name, *factor);
            }
        }
    }
}

fn details<'l>(list: &'l Shortlist, found: &Scored) -> Option<(&'l StoredDocument, &'l Features)> {
    let document = list.documents.get(&found.key.document)?;
    Some((document, list.features.get(&found.key)?))
}

fn is_code(list: &Shortlist, found: &Scored) -> bool {
    let document = list.documents.get(&found.key.document);
    document.is_some_and(|document| document.is_code())
}

/// Best first, and equal scores by place, so that the order depends only on the content.
fn sort(found: &mut [Scored], list: &Shortlist) {
    let place = |found: &Scored| {
        let document = list.documents.get(&found.key.document);
        let place = document.map(|document| (&*document.path, document.source.as_str()));
        (place.unzip(), found.key.ordinal)
    };
    found.sort_by(|a, b| {
        let by_place = || {
            let ((left, left_source), left_ordinal) = place(a);
            let ((right, right_source), right_ordinal) = place(b);
            (left, left_ordinal, left_source).cmp(&(right, right_ordinal, right_source))
        };
        b.score.total_cmp(&a.score).then_with(by_place)
    });
}

/// Each better chunk of the same document lowers a chunk's score.
fn saturate(found: &mut [Scored], list: &Shortlist, signals: &Signals) {
    let mut seen: ById<DocumentId, i32> = ById::default();
    for found in found {
        let factor = match is_code(list, found) {
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
