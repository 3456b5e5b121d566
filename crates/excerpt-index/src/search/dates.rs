//! The dates of chunks: within a period that a filter gives, or that the question names.

use std::collections::HashSet;

use chrono::NaiveDate;
use excerpt_chunk::dates;
use serde_json::Value;

use crate::analysis::days::Days;
use crate::model::{DocumentId, Filter};
use crate::store::facet::DATE;
use crate::store::{Documents, Features, Store, StoreError, StoredDocument};

/// From a first to a last day, month or year, both included; without one of them, all before or
/// after. Written as in [`Filter::dated`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Period {
    since: Option<String>,
    until: Option<String>,
}

impl Period {
    /// The period of a filter, if it has one.
    pub(super) fn of(filter: &Filter) -> Option<Period> {
        let (since, until) = filter.dated.clone();
        (since.is_some() || until.is_some()).then_some(Period { since, until })
    }

    fn contains(&self, date: &str) -> bool {
        let after = self.since.as_ref().is_none_or(|since| date >= &**since);
        // Up to the end of a month or year that is named as a whole.
        let before = |until: &String| date.get(..until.len()) <= Some(until);
        after && self.until.as_ref().is_none_or(before)
    }

    /// The documents with a date in it.
    pub(super) fn documents(&self, store: &Store) -> Result<HashSet<DocumentId>, StoreError> {
        let mut dated = HashSet::new();
        store.database.each_facet(DATE, |document, date| {
            if self.contains(date) {
                dated.insert(document);
            }
        })?;
        Ok(dated)
    }

    /// Whether a chunk has a date in it.
    pub(super) fn has(&self, document: &StoredDocument, chunk: &Features) -> bool {
        dates_of(document, chunk).any(|date| self.contains(date))
    }
}

/// The dates of a chunk: those in the name of its file and in the headings around and inside it. If
/// no heading has one, that of the front matter, too.
pub(super) fn dates_of<'d>(
    document: &'d StoredDocument,
    chunk: &'d Features,
) -> impl Iterator<Item = &'d str> {
    let name = document.path.rsplit('/').next().unwrap_or_default();
    let mut headings = dates(&chunk.headings).peekable();
    let field = match headings.peek() {
        None => document.metadata.get("date").and_then(Value::as_str),
        Some(_) => None,
    };
    let outer = field.into_iter().flat_map(dates);
    dates(name).chain(headings).chain(outer)
}

/// What a question asks about a day.
pub(super) struct AskedPeriod {
    pub(super) days: Days,
    pub(super) period: Period,
    /// The words that say so.
    pub(super) said: String,
    /// The documents with a date in the period.
    pub(super) documents: Documents,
}

impl AskedPeriod {
    /// `None` if the question names no day, or no document among `places` has a date there.
    pub(super) fn of(
        question: &str,
        today: NaiveDate,
        store: &Store,
        places: Option<&Documents>,
    ) -> Result<Option<AskedPeriod>, StoreError> {
        let Some((days, bytes)) = Days::asked(question, today) else {
            return Ok(None);
        };
        let period = Period {
            since: Some(days.first()),
            until: Some(days.last()),
        };
        let dated = period.documents(store)?.into_iter();
        let within = |id: &DocumentId| places.is_none_or(|places| places.contains(id));
        let documents: Documents = dated.filter(within).collect();
        let is_any = !documents.is_empty();
        Ok(is_any.then(|| AskedPeriod {
            days,
            period,
            said: question[bytes].to_string(),
            documents,
        }))
    }

    /// Whether the word, as it was written, says which day is meant.
    pub(super) fn says(&self, word: &str) -> bool {
        let mut said = self.said.split(|c: char| !c.is_alphanumeric());
        said.any(|said| said.eq_ignore_ascii_case(word))
    }
}
