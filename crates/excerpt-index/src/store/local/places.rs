//! The documents that a filter allows, and how well their versions match.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::Store;
use crate::analysis::{Fit, fit};
use crate::model::{DocumentId, Error, Filter, Note, SourceId, segments};
use crate::store::facet::{self, folded};
use crate::store::{Documents, Period, StoreError};

/// How many of the existing values are listed if the requested one does not exist.
const NAMED: usize = 12;

/// The part of the index that a filter allows.
pub(super) struct Places {
    pub(super) documents: Documents,
    /// How well the versions of these documents match the requested one; empty if none was
    /// requested.
    pub(super) fits: HashMap<DocumentId, Fit>,
    /// The requested values that no document has.
    pub(super) unmatched: Vec<Note>,
}

impl Places {
    /// `None` if the filter allows all.
    pub(super) fn of(store: &Store, filter: &Filter) -> Result<Option<Places>, StoreError> {
        let path = filter.path.as_deref().map(segments).unwrap_or_default();
        let sources = sources(store, filter)?;
        let mut narrowed = narrowed(store, filter)?;
        let mut fits = HashMap::new();
        if let Some(version) = &filter.version {
            let (fitting, others) = versions(store, version)?;
            fits = fitting;
            narrowed.push(Narrowed::Without(others));
        }
        // All sources without restrictions are the whole index.
        if sources.is_none() && path.is_empty() && narrowed.is_empty() {
            return Ok(None);
        }
        let there = documents_under(store, sources, &path)?;
        let allowed = there.iter();
        let allowed = allowed.filter(|id| narrowed.iter().all(|narrowed| narrowed.allows(**id)));
        let documents: Documents = allowed.copied().collect();
        let unmatched = match documents.is_empty() && !there.is_empty() {
            true => unmatched(store, filter, &there)?,
            false => Vec::new(),
        };
        if filter.version.is_some() {
            for document in &documents {
                fits.entry(*document).or_insert(Fit::Unknown);
            }
        }
        Ok(Some(Places {
            documents,
            fits,
            unmatched,
        }))
    }
}

/// One condition on documents.
enum Narrowed {
    To(HashSet<DocumentId>),
    Without(HashSet<DocumentId>),
}

impl Narrowed {
    fn allows(&self, document: DocumentId) -> bool {
        match self {
            Narrowed::To(documents) => documents.contains(&document),
            Narrowed::Without(documents) => !documents.contains(&document),
        }
    }
}

/// The documents of `sources`, or of all, at or below `path`.
fn documents_under(
    store: &Store,
    sources: Option<Vec<SourceId>>,
    path: &str,
) -> Result<Vec<DocumentId>, StoreError> {
    let sources = match sources {
        Some(sources) => sources,
        None => store
            .database
            .sources()?
            .iter()
            .map(|source| source.id.clone())
            .collect(),
    };
    let mut documents = Vec::new();
    for source in sources {
        documents.extend(store.database.documents_under(&source, path)?);
    }
    Ok(documents)
}

/// The ids of the sources to search; `None` for all.
fn sources(store: &Store, filter: &Filter) -> Result<Option<Vec<SourceId>>, StoreError> {
    let all = store.database.sources()?;
    let mut ids: Vec<SourceId> = all.iter().map(|source| source.id.clone()).collect();
    if !filter.sources.is_empty() {
        let rooted = filter.sources.iter();
        let rooted = rooted.map(|root| store.database.known_source(root.as_path().into()));
        let rooted: HashSet<SourceId> = rooted.collect::<Result<_, StoreError>>()?;
        ids.retain(|id| rooted.contains(id));
    }
    let mut named = HashSet::new();
    for name in &filter.collections {
        let found = all.iter().find(|source| source.name.as_ref() == Some(name));
        let unknown = || Error::UnknownCollection {
            name: name.clone(),
            names: all
                .iter()
                .filter_map(|source| source.name.clone())
                .collect(),
        };
        named.insert(found.ok_or_else(unknown)?.id.clone());
    }
    if !filter.collections.is_empty() {
        ids.retain(|id| named.contains(id));
    }
    Ok((ids.len() < all.len()).then_some(ids))
}

/// The requested facets that no document in `there` has, with existing values, and whether none is
/// dated in the requested period.
fn unmatched(
    store: &Store,
    filter: &Filter,
    there: &[DocumentId],
) -> Result<Vec<Note>, StoreError> {
    let there: HashSet<DocumentId> = there.iter().copied().collect();
    let mut notes = Vec::new();
    for (name, asked) in facet::asked(filter) {
        let mut counts: HashMap<String, usize> = HashMap::new();
        store.database.each_facet(name, |document, value| {
            if there.contains(&document) {
                *counts.entry(value.to_string()).or_default() += 1;
            }
        })?;
        if asked
            .iter()
            .any(|value| counts.contains_key(&folded(value)))
        {
            continue;
        }
        let mut known: Vec<(String, usize)> = counts.into_iter().collect();
        known.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then_with(|| a.cmp(b)));
        known.truncate(NAMED);
        notes.push(Note::Unmatched {
            filter: name.to_string(),
            asked: asked.to_vec(),
            known: known.into_iter().map(|(value, _)| value).collect(),
        });
    }
    if let Some(period) = Period::of(filter) {
        let any = Period {
            since: None,
            until: None,
        };
        let count = |period: &Period| -> Result<usize, StoreError> {
            let dated = store.database.dated(period)?;
            Ok(dated.iter().filter(|id| there.contains(id)).count())
        };
        if count(&period)? == 0 {
            notes.push(Note::Undated {
                documents: there.len(),
                dated: count(&any)?,
            });
        }
    }
    Ok(notes)
}

/// The conditions of the filter on the documents themselves.
fn narrowed(store: &Store, filter: &Filter) -> Result<Vec<Narrowed>, StoreError> {
    let mut all = Vec::new();
    for (name, values) in facet::asked(filter) {
        let values: Vec<String> = values.iter().map(|value| folded(value)).collect();
        all.push(Narrowed::To(store.database.with_facet(name, &values)?));
    }
    let (since, until) = (&filter.dated.0, &filter.dated.1);
    for (filter, day) in [("since", since), ("until", until)] {
        day.iter().try_for_each(|day| check_day(filter, day))?;
    }
    if let (Some(since), Some(until)) = (since, until)
        && since
            .bytes()
            .zip(until.bytes())
            .find(|(since, until)| since != until)
            .is_some_and(|(since, until)| since > until)
    {
        return Err(Error::Filter {
            filter: "since",
            found: since.clone(),
            expected: "a day that is not after `until`",
        }
        .into());
    }
    if let Some(period) = Period::of(filter) {
        let dated = store.database.dated(&period)?;
        all.push(Narrowed::To(dated.into_iter().collect()));
    }
    Ok(all)
}

/// How well each document with a version matches the requested one, and the documents about other
/// versions.
fn versions(
    store: &Store,
    asked: &str,
) -> Result<(HashMap<DocumentId, Fit>, HashSet<DocumentId>), StoreError> {
    if folded(asked).is_empty() {
        return Err(Error::Filter {
            filter: "version",
            found: asked.to_string(),
            expected: "one such as `3.12`",
        }
        .into());
    }
    let (mut fits, mut others) = (HashMap::new(), HashSet::new());
    store
        .database
        .each_facet(facet::VERSION, |document, version| {
            match fit([version].into_iter(), asked) {
                Some(found) => {
                    let best = fits.entry(document).or_insert(found);
                    *best = found.max(*best);
                }
                None => {
                    others.insert(document);
                }
            }
        })?;
    others.retain(|document| !fits.contains_key(document));
    Ok((fits, others))
}

/// Whether `day` has the form `YYYY-MM-DD`, or is a beginning of it with complete numbers.
fn check_day(filter: &'static str, day: &str) -> Result<(), Error> {
    let shaped = day
        .bytes()
        .zip("0000-00-00".bytes())
        .all(|(byte, shape)| match shape {
            b'-' => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    match matches!(day.len(), 4 | 7 | 10) && shaped && is_on_the_calendar(day) {
        true => Ok(()),
        false => Err(Error::Filter {
            filter,
            found: day.to_string(),
            expected: "YYYY-MM-DD, YYYY-MM, YYYY, or a day such as yesterday, 7d or last week",
        }),
    }
}

/// Whether a complete or partial date of that form exists.
fn is_on_the_calendar(day: &str) -> bool {
    let first = format!("{day}{}", &"0000-01-01"[day.len()..]);
    first.parse::<NaiveDate>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_may_be_a_month_or_a_year() {
        for day in ["2026", "2026-01", "2026-01-31", "2028-02-29"] {
            assert!(check_day("since", day).is_ok(), "{day}");
        }
        for day in [
            "",
            "26",
            "2026-1-1",
            "2026-01-",
            "2026-13",
            "2026-01-32",
            "2026-00-01",
            "2026-02-29",
            "2100-02-29",
            "yesterday",
        ] {
            let error = check_day("since", day).unwrap_err().to_string();
            assert!(error.contains("expected YYYY-MM-DD"), "{error}");
        }
    }
}
