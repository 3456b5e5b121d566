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
        dates_of(document, chunk).any(|date| self.contains(date))
    }
}

/// The dates of a chunk: those in the name of its file and in the headings around and inside it. If
/// no heading has one, that of the front matter, too. If there is none at all, the day of the last
/// commit of its document.
pub(crate) fn dates_of<'d>(
    document: &'d StoredDocument,
    chunk: &'d Features,
) -> impl Iterator<Item = &'d str> {
    let name = document.path.rsplit('/').next().unwrap_or_default();
    let headings = chunk.trail.iter().chain(&chunk.sections);
    let mut headings = headings.flat_map(|heading| dates(heading)).peekable();
    let field = match headings.peek() {
        None => document.metadata.get("date").and_then(Value::as_str),
        Some(_) => None,
    };
    let outer = field.into_iter().flat_map(dates);
    let mut own = dates(name).chain(headings).chain(outer).peekable();
    let committed = match own.peek() {
        None => commit_day(&document.provenance),
        Some(_) => None,
    };
    own.chain(committed)
}
