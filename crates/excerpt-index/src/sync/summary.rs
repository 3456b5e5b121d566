//! The [`SourceSummary`] of a source, made from a list of its documents.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use excerpt_chunk::Document;

use crate::analysis::{is_date, language};
use crate::model::{Domain, Newest, SourceId, SourceSummary, Topic};
use crate::store::catalog::Catalog;
use crate::store::{Listed, StoreError};

/// How many domains, and how many topics, a summary names.
const NAMED: usize = 50;

/// How many of the newest documents a summary names.
const NEWEST: usize = 10;

/// The summary of a source, from a list of its documents.
pub(super) fn summary(
    catalog: &dyn Catalog,
    source: &SourceId,
) -> Result<SourceSummary, StoreError> {
    let mut summary = Summarizer::default();
    catalog.each_listed(Some(source), "", None, &mut |listed| summary.add(listed))?;
    Ok(summary.end())
}

/// Makes a summary, document by document.
#[derive(Default)]
struct Summarizer {
    summary: SourceSummary,
    domains: BTreeMap<String, usize>,
    /// The newest documents so far and a few more, in no order.
    newest: Vec<Listed>,
}

impl Summarizer {
    /// Adds the next document, in the order of paths.
    fn add(&mut self, listed: Listed) {
        let summary = &mut self.summary;
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
            *self.domains.entry(domain.to_string()).or_default() += 1;
        }
        if let Some(heading) = &listed.first_heading
            && document.is_overview()
            && !is_date(heading)
        {
            summary.topics.push(Topic {
                path: listed.path.clone(),
                heading: heading.clone(),
            });
        }
        self.newest.push(listed);
        if self.newest.len() > 2 * NEWEST {
            self.keep_newest();
        }
    }

    /// Drops all but the newest, which are in order then.
    fn keep_newest(&mut self) {
        self.newest.sort_by(|a, b| {
            let by_time = b.stat.mtime_ns.cmp(&a.stat.mtime_ns);
            by_time.then_with(|| a.path.cmp(&b.path))
        });
        self.newest.truncate(NEWEST);
    }

    /// The summary of all documents that were added.
    fn end(mut self) -> SourceSummary {
        self.keep_newest();
        let mut summary = self.summary;
        summary.domains_total = self.domains.len();
        let domains = self.domains.into_iter();
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
        let newest = self.newest.into_iter();
        summary.newest = newest
            .map(|listed| Newest {
                path: listed.path,
                title: listed.title,
                modified: listed.stat.seconds(),
            })
            .collect();
        summary
    }
}
