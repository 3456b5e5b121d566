//! Facets, which documents are filtered by: derived from the front matter and from the attributes
//! given when the document was added.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Described;
use crate::model::{Attributes, Filter, Provenance};
use crate::source::Extraction;

/// The facets that combine several fields. Any other field of the front matter is a facet under its
/// own name.
pub(crate) const TAG: &str = "tag";
pub(crate) const KIND: &str = "type";
pub(crate) const VERSION: &str = "version";
pub(crate) const LANGUAGE: &str = "language";
pub(crate) const DATE: &str = "date";

/// The fields of the front matter for each of the first three.
const TAGS: [&str; 3] = ["tags", "tag", "keywords"];
const KINDS: [&str; 2] = ["type", "kind"];
const VERSIONS: [&str; 2] = ["versions", "version"];

/// The field of the stored metadata for what the source of a document knows about it. No front
/// matter has this key: its keys are words.
const PROVENANCE: &str = "@source";

/// The field of a provenance with the time of the last commit, in RFC 3339.
pub(crate) const COMMITTED: &str = "committed";

/// The field of the stored metadata for how a reader has extracted the text.
const EXTRACTION: &str = "@extraction";

/// The field of the stored metadata for the front matter as it is, if attributes were added to it.
const OWN: &str = "@own";

/// Longer values are text, not something to filter by.
const LONGEST: usize = 200;

/// The front matter combined with the given attributes, which take precedence. Tags and versions
/// are added to existing ones.
fn merged(metadata: &Map<String, Value>, attributes: &Attributes) -> Map<String, Value> {
    let mut merged = metadata.clone();
    if let Some(kind) = &attributes.kind {
        merged.insert(KIND.to_string(), kind.clone().into());
    }
    if let Some(title) = &attributes.title {
        merged.insert("title".to_string(), title.clone().into());
    }
    let lists = [
        (&TAGS[..], &attributes.tags),
        (&VERSIONS, &attributes.versions),
    ];
    for (names, added) in lists {
        if added.is_empty() {
            continue;
        }
        let own = names.iter().flat_map(|name| values(metadata.get(*name)));
        let mut all: Vec<String> = Vec::new();
        for value in added.iter().cloned().chain(own) {
            if !all.contains(&value) {
                all.push(value);
            }
        }
        merged.insert(names[0].to_string(), all.into());
    }
    merged
}

/// The metadata of a document as it is stored, and its facets, from its front matter, its language,
/// its own dates, and what is `known` besides.
pub(super) fn described(
    front_matter: &Map<String, Value>,
    known: &Described<'_>,
    language: &str,
    dates: &[String],
) -> (Map<String, Value>, BTreeSet<(String, String)>) {
    let mut metadata = merged(front_matter, known.attributes);
    let facets = facets(&metadata, known.provenance, language, dates);
    let is_own = metadata == *front_matter;
    for key in [OWN, PROVENANCE, EXTRACTION] {
        metadata.remove(key);
    }
    if !is_own {
        metadata.insert(OWN.to_string(), front_matter.clone().into());
    }
    if !known.provenance.is_empty() {
        metadata.insert(PROVENANCE.to_string(), known.provenance.clone().into());
    }
    if let Some(extraction) = known
        .extraction
        .and_then(|it| serde_json::to_value(it).ok())
    {
        metadata.insert(EXTRACTION.to_string(), extraction);
    }
    (metadata, facets)
}

/// What the stored metadata of a document consists of.
pub(crate) struct StoredMetadata {
    /// The front matter with the attributes.
    pub(crate) merged: Map<String, Value>,
    /// The front matter alone, if it differs.
    pub(crate) own: Option<Map<String, Value>>,
    pub(crate) provenance: Provenance,
    /// How a reader has extracted the text.
    pub(crate) extraction: Option<Extraction>,
}

impl StoredMetadata {
    /// The metadata in the JSON of a document.
    pub(crate) fn of_json(json: &str) -> serde_json::Result<Self> {
        let mut metadata: Map<String, Value> = serde_json::from_str(json)?;
        let mut take = |key| match metadata.remove(key) {
            Some(Value::Object(taken)) => Some(taken),
            _ => None,
        };
        Ok(StoredMetadata {
            own: take(OWN),
            provenance: take(PROVENANCE).unwrap_or_default(),
            extraction: take(EXTRACTION).and_then(|it| serde_json::from_value(it.into()).ok()),
            merged: metadata,
        })
    }
}

/// The day of the last commit of a document, in UTC.
pub(super) fn commit_day(provenance: &Provenance) -> Option<&str> {
    provenance.get(COMMITTED)?.as_str()?.get(..10)
}

/// The facets of a document with this metadata, each once. Its front matter takes precedence over
/// its provenance, and its own dates over that of its last commit.
fn facets(
    metadata: &Map<String, Value>,
    provenance: &Provenance,
    language: &str,
    dates: &[String],
) -> BTreeSet<(String, String)> {
    let mut facets = BTreeSet::new();
    let mut add = |name: &str, value: &str| {
        let value = folded(value);
        if !value.is_empty() && value.len() <= LONGEST {
            facets.insert((name.to_string(), value));
        }
    };
    let others = provenance.iter();
    let others = others.filter(|(name, _)| !metadata.contains_key(*name));
    for (name, value) in metadata.iter().chain(others) {
        let named = match &**name {
            name if TAGS.contains(&name) => TAG,
            name if KINDS.contains(&name) => KIND,
            name if VERSIONS.contains(&name) => VERSION,
            // The language comes from the file, and the date from more than this field.
            LANGUAGE | DATE => continue,
            name => name,
        };
        for value in values(Some(value)) {
            add(named, &value);
        }
    }
    add(LANGUAGE, language);
    for date in dates {
        add(DATE, date);
    }
    if dates.is_empty()
        && let Some(day) = commit_day(provenance)
    {
        add(DATE, day);
    }
    facets
}

/// A value as it is compared: without surrounding white space, ignoring case.
pub(crate) fn folded(value: &str) -> String {
    value.trim().to_lowercase()
}

/// The values of a field: those of a list or of comma-separated text; none of an object.
fn values(field: Option<&Value>) -> Vec<String> {
    match field {
        Some(Value::Array(list)) => list.iter().filter_map(scalar).collect(),
        Some(Value::String(text)) => {
            let parts = text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty());
            parts.map(str::to_string).collect()
        }
        Some(value) => scalar(value).into_iter().collect(),
        None => Vec::new(),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(database) => Some(database.to_string()),
        _ => None,
    }
}

/// The facets in a filter, each with the values of which a document must have one.
pub(crate) fn asked(filter: &Filter) -> Vec<(&str, &[String])> {
    let tags = filter.tags.iter();
    let tags = tags.map(|tag| (TAG, std::slice::from_ref(tag)));
    let several = [(KIND, &filter.kinds), (LANGUAGE, &filter.languages)];
    let several = several.into_iter().filter(|(_, values)| !values.is_empty());
    let several = several.map(|(name, values)| (name, &**values));
    let fields = filter.fields.iter();
    let fields = fields.map(|(name, value)| (&**name, std::slice::from_ref(value)));
    tags.chain(several).chain(fields).collect()
}

/// Whether a filter selects documents by facets.
pub(crate) fn is_asked_for(filter: &Filter) -> bool {
    let is_dated = filter.dated.0.is_some() || filter.dated.1.is_some();
    !asked(filter).is_empty() || is_dated || filter.version.is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn what_is_said_goes_before_the_front_matter_and_lists_are_joined() {
        let own = object(json!({"type": "note", "tags": "a, b", "version": 3, "owner": "x"}));
        let attributes = Attributes {
            kind: Some("doc".to_string()),
            title: Some("T".to_string()),
            versions: vec!["3.12".to_string()],
            tags: vec!["b".to_string(), "c".to_string()],
        };
        let merged = merged(&own, &attributes);
        assert_eq!(
            Value::from(merged),
            json!({"type": "doc", "title": "T", "tags": ["b", "c", "a"], "version": 3, "versions": ["3.12", "3"], "owner": "x"})
        );
    }

    #[test]
    fn facets_are_folded_and_each_is_there_once() {
        let metadata = object(json!({
            "tags": ["Api", "api ", ""], "keywords": "Web, CSS", "type": "Doc", "versions": [3.12, "3.x"],
            "draft": true, "nested": {"a": 1}, "date": "2026-01-31", "language": "de"
        }));
        let facets = facets(
            &metadata,
            &Provenance::default(),
            "markdown",
            &["2026-01-31".to_string()],
        );
        let facets: Vec<String> = facets
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(
            facets,
            [
                "date=2026-01-31",
                "draft=true",
                "language=markdown",
                "tag=api",
                "tag=css",
                "tag=web",
                "type=doc",
                "version=3.12",
                "version=3.x"
            ]
        );
    }
}
