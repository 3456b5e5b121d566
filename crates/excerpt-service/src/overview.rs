//! What some sources contain, as a summary for models and users.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use excerpt_index::{Index, ListOptions, is_date};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::error::ServiceResult;
use crate::scope::VisibleSource;

/// The maximum number of titles of a source.
const TITLES: usize = 8;

/// The maximum number of tags.
const TAGS: usize = 100;

/// How many documents are searched for useful titles: daily notes are titled by date, which says
/// nothing about them.
const LOOKED_AT: usize = 100;

/// What some sources contain.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Overview {
    /// How many documents there are.
    pub documents: usize,
    /// The languages with their counts, the most frequent first.
    #[schemars(schema_with = "counted")]
    pub languages: Vec<(String, usize)>,
    /// The top-level folders with their counts, the largest first; in place of a folder `domains`,
    /// those in it. A search takes them as its path.
    #[schemars(schema_with = "counted")]
    pub folders: Vec<(String, usize)>,
    /// The tags of the documents with their counts, the most frequent first, at most 100.
    #[schemars(schema_with = "counted")]
    pub tags: Vec<(String, usize)>,
    /// The headings that the documents are about.
    pub topics: Vec<String>,
    /// The titles of some documents, if no topics are known.
    pub titles: Vec<String>,
    /// The names of the collections.
    pub collections: Vec<String>,
}

/// The name of a folder whose folders count as those at the top.
const DOMAINS: &str = "domains";

/// The folders directly inside `below`, and that folder itself under an empty name, each with the
/// number of documents below it.
fn folders_in(index: &Index, seen: &VisibleSource, below: &str) -> Option<Vec<(String, usize)>> {
    let options = ListOptions::default().source(&seen.root).path(below);
    let folders = index.folders(&options).ok()?.into_iter();
    let folders = folders.filter_map(|folder| {
        let rest = folder.path.strip_prefix(below).unwrap_or_default();
        let name = rest.trim_start_matches('/');
        let is_inside = folder.path == below || !(name.is_empty() || name.contains('/'));
        is_inside.then(|| (name.to_string(), folder.documents_under))
    });
    Some(folders.collect())
}

/// Names with their counts, as pairs.
fn counted(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 2, "maxItems": 2}
    })
}

impl Overview {
    /// What is known of the sources, below a path inside them.
    pub fn of(index: &Index, sources: &[VisibleSource], below: &str) -> Overview {
        let mut content = Overview::default();
        for seen in sources {
            content.add(index, seen, below);
        }
        if content.topics.is_empty() {
            for seen in sources {
                content.add_titles(index, seen, below);
            }
        }
        for counts in [&mut content.languages, &mut content.folders] {
            counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        }
        content
    }

    /// Adds the tags of the documents, which takes a look at each.
    pub(crate) fn add_tags(
        &mut self,
        index: &Index,
        sources: &[VisibleSource],
        below: &str,
    ) -> ServiceResult<()> {
        let mut counts = BTreeMap::<String, usize>::new();
        for seen in sources {
            let options = ListOptions::default().source(&seen.root).path(below);
            for (tag, count) in index.tags(&options)? {
                *counts.entry(tag).or_default() += count;
            }
        }
        self.tags = counts.into_iter().collect();
        self.tags.sort_by_key(|(_, count)| Reverse(*count));
        self.tags.truncate(TAGS);
        Ok(())
    }

    fn add(&mut self, index: &Index, seen: &VisibleSource, below: &str) -> Option<()> {
        if let Some(name) = seen.collection_name() {
            self.collections.push(name.to_string());
        }
        let summary = index.summary(&seen.root).ok()??;
        // The summary describes the whole source; for a part of it, the list of folders is used.
        // The topics are the most important ones of the whole.
        if !below.is_empty() {
            return self.add_folders(index, seen, below);
        }
        let topics = summary.topics.iter().map(|topic| topic.heading.clone());
        self.topics.extend(topics);
        self.documents += summary.documents;
        for (language, count) in summary.languages {
            match self
                .languages
                .iter_mut()
                .find(|(name, _)| *name == language)
            {
                Some((_, known)) => *known += count,
                None => self.languages.push((language, count)),
            }
        }
        // A domain may be a folder at the top or one in `domains`, or both.
        let inside = folders_in(index, seen, DOMAINS).unwrap_or_default();
        for domain in summary.domains {
            let inside = inside.iter().find(|(name, _)| *name == domain.name);
            let inside = inside.map_or(0, |(_, documents)| *documents);
            let paths = [
                (format!("{DOMAINS}/{}", domain.name), inside),
                (domain.name, domain.documents.saturating_sub(inside)),
            ];
            let paths = paths.into_iter().filter(|(_, documents)| *documents > 0);
            self.folders.extend(paths);
        }
        Some(())
    }

    /// Adds the documents and folders of a source below a folder of it.
    fn add_folders(&mut self, index: &Index, seen: &VisibleSource, below: &str) -> Option<()> {
        for (name, documents) in folders_in(index, seen, below)? {
            match name.is_empty() {
                true => self.documents += documents,
                false => self.folders.push((name, documents)),
            }
        }
        Some(())
    }

    fn add_titles(&mut self, index: &Index, seen: &VisibleSource, below: &str) -> Option<()> {
        let options = ListOptions::default()
            .source(&seen.root)
            .path(below)
            .limit(LOOKED_AT);
        let documents = index.documents(&options).ok()?.into_iter();
        let titles = documents.filter_map(|document| {
            let stem = Path::new(&document.path).file_stem()?;
            let is_said = match &document.title {
                Some(title) => !is_date(title),
                None => !is_date(&stem.to_string_lossy()),
            };
            is_said.then(|| document.title.unwrap_or(document.path))
        });
        self.titles.extend(titles.take(TITLES));
        Some(())
    }
}
