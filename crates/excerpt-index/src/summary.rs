//! [`Summary`]: what a source is about, for somebody who sees it for the first time. It is made at the end of a sync that changed something, and kept.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use excerpt_chunk::Document;
use serde::{Deserialize, Serialize};

use crate::list::language;
use crate::store::{Fault, Order, Truth};

/// How many domains, and how many topics, a summary names.
const NAMED: usize = 50;

/// How many of the newest documents a summary names.
const NEWEST: usize = 10;

/// What a source is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Summary {
    /// How many documents it has.
    pub documents: usize,
    /// The size of their files in bytes.
    pub bytes: u64,
    /// How many documents there are of each language, or of each syntax where there is none.
    pub languages: BTreeMap<String, usize>,
    /// The top folders, those with the most documents first, at most 50.
    pub domains: Vec<Domain>,
    /// How many top folders there are.
    pub domains_total: usize,
    /// The first headings of READMEs and index files, those on top first, at most 50.
    pub topics: Vec<Topic>,
    /// How many such headings there are.
    pub topics_total: usize,
    /// The documents that were changed last, at most 10.
    pub newest: Vec<Newest>,
}

/// A top folder; below a folder called `domains`, one of those in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// How many documents lie under it.
    pub documents: usize,
}

/// What a README or an index file says that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Topic {
    /// Its path inside the source.
    pub path: String,
    /// Its first heading.
    pub heading: String,
}

/// A document that was changed lately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Newest {
    /// Its path inside the source.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// When its file was last changed, in seconds since 1970.
    pub modified: i64,
}

impl Summary {
    /// Makes the summary of a source anew and keeps it, if the source has changed since.
    pub(crate) fn keep(truth: &Truth, source: i64) -> Result<(), Fault> {
        if truth.summary_is_due(source)? {
            let summary = Summary::of(truth, source)?;
            truth.set_summary(source, &serde_json::to_string(&summary)?)?;
        }
        Ok(())
    }

    /// The summary that is kept of a source.
    pub(crate) fn kept(truth: &Truth, source: i64) -> Result<Option<Self>, Fault> {
        match truth.summary(source)? {
            Some(json) => Ok(Some(serde_json::from_str(&json)?)),
            None => Ok(None),
        }
    }

    fn of(truth: &Truth, source: i64) -> Result<Self, Fault> {
        let mut summary = Summary::default();
        let mut domains: BTreeMap<String, usize> = BTreeMap::new();
        truth.each_listed(Some(source), "", Order::Path, None, |listed| {
            summary.documents += 1;
            summary.bytes += listed.stat.size;
            let language = language(&listed.path).unwrap_or(&listed.syntax);
            match summary.languages.get_mut(language) {
                Some(count) => *count += 1,
                None => {
                    summary.languages.insert(language.to_string(), 1);
                }
            }
            let document = Document::new("").with_path(&listed.path);
            if let Some(domain) = document.domain() {
                *domains.entry(domain.to_string()).or_default() += 1;
            }
            if let Some(heading) = listed.first_heading
                && document.is_overview()
            {
                let path = listed.path;
                summary.topics.push(Topic { path, heading });
            }
        })?;
        summary.domains_total = domains.len();
        let domains = domains.into_iter();
        summary.domains = domains
            .map(|(name, documents)| Domain { name, documents })
            .collect();
        summary
            .domains
            .sort_by_key(|domain| Reverse(domain.documents));
        summary.domains.truncate(NAMED);
        summary.topics_total = summary.topics.len();
        summary
            .topics
            .sort_by_key(|topic| topic.path.matches('/').count());
        summary.topics.truncate(NAMED);
        truth.each_listed(Some(source), "", Order::Recent, Some(NEWEST), |listed| {
            summary.newest.push(Newest {
                path: listed.path,
                title: listed.title,
                modified: listed.stat.seconds(),
            });
        })?;
        Ok(summary)
    }
}
