//! The dates of chunks, and the [`Period`] that they are compared with.

use excerpt_chunk::dates;
use serde_json::Value;

use super::facet::commit_day;
use super::{Features, StoredDocument};
use crate::model::Filter;

/// From a first to a last day, month or year, both included; without one of them, all before or
/// after. Written as in [`Filter::dated`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) since: Option<String>,
    pub(crate) until: Option<String>,
}

impl Period {
    /// The period of a filter, if it has one.
    pub(crate) fn of(filter: &Filter) -> Option<Period> {
        let (since, until) = filter.dated.clone();
        (since.is_some() || until.is_some()).then_some(Period { since, until })
    }

    /// Whether a date is in it.
    pub(crate) fn contains(&self, date: &str) -> bool {
        let after = self.since.as_ref().is_none_or(|since| date >= &**since);
        // Up to the end of a month or year that is named as a whole.
        let before = |until: &String| date.get(..until.len()) <= Some(until);
        after && self.until.as_ref().is_none_or(before)
    }

    /// Whether a chunk has a date in it.
    pub(crate) fn has(&self, document: &StoredDocument, chunk: &Features) -> bool {
        let own = dates_of(document, chunk);
        own.iter().any(|date| self.contains(date))
    }
}

/// The dates of a chunk: those in the name of its file and in the headings around and inside it,
/// and those of its mails, commits or entries of a log. If only the name has one, that of the front
/// matter, too. If there is none at all, the day of the last commit of its document.
pub(crate) fn dates_of(document: &StoredDocument, chunk: &Features) -> Vec<String> {
    let mut own = chunk.dates.clone();
    let name = document.path.rsplit('/').next().unwrap_or_default();
    let is_named = |date: &String| dates(name).any(|named| named == *date);
    if own.iter().all(is_named) {
        let field = document.metadata.get("date").and_then(Value::as_str);
        own.extend(field.into_iter().flat_map(dates));
    }
    if own.is_empty() {
        own.extend(commit_day(&document.provenance).map(str::to_string));
    }
    own
}
