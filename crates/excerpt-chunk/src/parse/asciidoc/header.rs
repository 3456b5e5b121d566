//! What the header of a document says about it: an author, a revision, and attributes.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::document::DocumentInfo;
use crate::parse::header;

/// Adds what the attributes and the lines below the title say: the authors, and the revision.
pub(super) fn add_header(
    info: &mut DocumentInfo,
    values: &HashMap<String, Cow<'_, str>>,
    lines: &[&str],
) {
    let value = |name: &str| values.get(name).map(|value| &**value);
    let (authors, revision) = match lines {
        [first] if version(first).is_some() || is_day(first) => (None, Some(*first)),
        [first, second, ..] => (Some(*first), Some(*second)),
        [first] => (Some(*first), None),
        [] => (None, None),
    };
    let authors = value("authors").or(value("author")).or(authors);
    if let Some(authors) = authors {
        let names = authors.split(';');
        let names = names.map(|name| name.split('<').next().unwrap_or(name));
        header::add_values(info, "authors", names);
    }
    // `v1.0, 2026-01-31: what has changed`
    let stated = revision.map(|line| line.split_once(": ").map_or(line, |(before, _)| before));
    let (number, date) = match stated.and_then(|line| line.split_once(',')) {
        Some((number, date)) => (version(number), Some(date)),
        None => match stated.and_then(version) {
            Some(number) => (Some(number), None),
            None => (None, stated),
        },
    };
    if let Some(number) = value("revnumber").or(number) {
        header::add_text(info, "version", number.trim_start_matches('v'));
    }
    if let Some(date) = value("revdate").or(date) {
        header::add_date(info, date);
    }
    for name in ["keywords", "tags"] {
        let list = value(name).unwrap_or_default();
        header::add_values(info, name, list.split(','));
    }
    for (name, field) in [("description", "description"), ("lang", "language")] {
        header::add_text(info, field, value(name).unwrap_or_default());
    }
}

/// The number in `v1.0`.
fn version(text: &str) -> Option<&str> {
    let number = text.trim().strip_prefix('v')?;
    number
        .starts_with(|char: char| char.is_ascii_digit())
        .then_some(number)
}

fn is_day(line: &str) -> bool {
    line.starts_with(|char: char| char.is_ascii_digit())
}
