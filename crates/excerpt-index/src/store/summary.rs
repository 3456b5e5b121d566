//! [`SourceSummary`]: what a source is about, for a reader who does not know it. It is built and
//! stored at the end of a sync that changed something.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use excerpt_chunk::Document;

use crate::analysis::{is_date, language};
use crate::model::{Domain, Newest, SourceId, SourceSummary, Topic};
use crate::store::{Database, Order, StoreError};

/// How many domains, and how many topics, a summary names.
const NAMED: usize = 50;

/// How many of the newest documents a summary names.
const NEWEST: usize = 10;

impl SourceSummary {
    /// Rebuilds and stores the summary of a source, if the source has changed since.
    pub(crate) fn keep(database: &Database, source: &SourceId) -> Result<(), StoreError> {
        if database.summary_is_due(source)? {
            let summary = SourceSummary::of(database, source)?;
            database.set_summary(source, &serde_json::to_string(&summary)?)?;
        }
        Ok(())
    }

    /// The stored summary of a source.
    pub(crate) fn kept(database: &Database, source: &SourceId) -> Result<Option<Self>, StoreError> {
        match database.summary(source)? {
            Some(json) => Ok(Some(serde_json::from_str(&json)?)),
            None => Ok(None),
        }
    }

    fn of(database: &Database, source: &SourceId) -> Result<Self, StoreError> {
        let mut summary = SourceSummary::default();
        let mut domains: BTreeMap<String, usize> = BTreeMap::new();
        database.each_listed(Some(source), "", Order::Path, None, |listed| {
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
                && !is_date(&heading)
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
        database.each_listed(Some(source), "", Order::Recent, Some(NEWEST), |listed| {
            summary.newest.push(Newest {
                path: listed.path,
                title: listed.title,
                modified: listed.stat.seconds(),
            });
        })?;
        Ok(summary)
    }
}
