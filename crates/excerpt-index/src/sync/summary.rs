//! The [`SourceSummary`] of a source, made from a list of its documents, or from the former one and
//! what has changed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use excerpt_chunk::Document;

use super::changed;
use super::plan::Plan;
use crate::analysis::{is_date, language};
use crate::model::{Domain, Newest, SourceId, SourceSummary, Topic};
use crate::store::catalog::Catalog;
use crate::store::ledger::Registered;
use crate::store::{Listed, StoreError};

/// How many domains, and how many topics, a summary names.
const NAMED: usize = 50;

/// How many of the newest documents a summary names.
const NEWEST: usize = 10;

/// Changes whenever the same documents may have another summary.
pub(super) const VERSION: u32 = 1;

/// The most documents for which a summary is revised. For more, it is made of all documents, which
/// is about as fast.
const MOST_REVISED: usize = 1_000;

/// How a sync makes the summary of a source.
pub(super) enum Description {
    /// It has one that still holds.
    Held,
    /// From the one it has and the documents that change.
    Revised(Box<Revising>),
    /// From all documents.
    Made,
}

/// A summary that is being revised.
pub(super) struct Revising {
    summary: SourceSummary,
    /// The paths where something may change, and those of the newest documents.
    paths: BTreeSet<String>,
    /// What was there before.
    before: Tally,
}

impl Description {
    /// Begins before anything changes; `known` is what is known of the source, and `plan` what a
    /// sync is about to do.
    pub(super) fn begin(
        catalog: &dyn Catalog,
        source: &SourceId,
        known: &Registered,
        plan: &Plan,
    ) -> Result<Description, StoreError> {
        // An earlier sync may have written and not come to its end.
        let was_complete = known.last_sync.is_some_and(|last| last.finished.is_some());
        let is_described = was_complete && known.has_summary && changed::has_same_summaries(known);
        let summary = match is_described {
            true if plan.is_empty() => return Ok(Description::Held),
            true if plan.size() <= MOST_REVISED => catalog.summary(source)?,
            _ => None,
        };
        let Some(summary) = summary else {
            return Ok(Description::Made);
        };
        let steps = plan.steps.iter().chain(&plan.suspects);
        let mut paths: BTreeSet<String> = steps.map(|step| step.path().to_string()).collect();
        paths.extend(summary.newest.iter().map(|newest| newest.path.clone()));
        let mut before = || {
            for id in &plan.removals {
                paths.extend(catalog.document(*id)?.map(|document| document.path));
            }
            tally_at(catalog, source, &paths)
        };
        Ok(match before() {
            Ok(before) => Description::Revised(Box::new(Revising {
                summary,
                paths,
                before,
            })),
            // The sync may be about to repair what is damaged.
            Err(_) => Description::Made,
        })
    }

    /// The new summary of a source that has as many documents now, if it needs one.
    pub(super) fn end(
        self,
        catalog: &dyn Catalog,
        source: &SourceId,
        documents: usize,
    ) -> Result<Option<SourceSummary>, StoreError> {
        let revised = match self {
            Description::Held => return Ok(None),
            Description::Made => None,
            Description::Revised(was) => {
                let after = tally_at(catalog, source, &was.paths)?;
                revised(was.summary, was.before, after)
            }
        };
        match revised.filter(|summary| summary.documents == documents) {
            Some(summary) => Ok(Some(summary)),
            None => Ok(Some(summary(catalog, source)?)),
        }
    }
}

/// The summary of a source, from a list of its documents.
fn summary(catalog: &dyn Catalog, source: &SourceId) -> Result<SourceSummary, StoreError> {
    let mut tally = Tally::default();
    catalog.each_listed(Some(source), "", None, &mut |listed| tally.add(&listed))?;
    Ok(tally.end())
}

/// A tally of the documents at some paths.
fn tally_at(
    catalog: &dyn Catalog,
    source: &SourceId,
    paths: &BTreeSet<String>,
) -> Result<Tally, StoreError> {
    let mut tally = Tally::default();
    for path in paths {
        // The document at a path comes before those under it.
        catalog.each_listed(Some(source), path, Some(1), &mut |listed| {
            if listed.path == *path {
                tally.add(&listed);
            }
        })?;
    }
    Ok(tally)
}

/// The summary of a source in which the documents of `after` are in place of those of `before`.
/// `None` if it might have to name what `summary` left out.
fn revised(mut summary: SourceSummary, before: Tally, after: Tally) -> Option<SourceSummary> {
    summary.documents = (summary.documents + after.documents).checked_sub(before.documents)?;
    summary.bytes = (summary.bytes + after.bytes).checked_sub(before.bytes)?;
    replace(&mut summary.languages, &before.languages, &after.languages)?;
    if before.domains != after.domains {
        if summary.domains.len() < summary.domains_total {
            return None;
        }
        let domains = summary.domains.drain(..);
        let mut domains = domains.map(|it| (it.name, it.documents)).collect();
        replace(&mut domains, &before.domains, &after.domains)?;
        set_domains(&mut summary, domains);
    }
    if before.topics != after.topics {
        if summary.topics.len() < summary.topics_total {
            return None;
        }
        let mut topics = std::mem::take(&mut summary.topics);
        topics.retain(|topic| !before.topics.contains(topic));
        topics.extend(after.topics);
        set_topics(&mut summary, topics);
    }
    // What it does not name is not newer than the last that it names.
    let is_known = match before.newest.get(NEWEST - 1) {
        Some(last) => after.newest.get(NEWEST - 1)?.order() <= last.order(),
        None => true,
    };
    let is_its = before
        .newest
        .iter()
        .map(|recent| &recent.newest)
        .eq(&summary.newest);
    summary.newest = newest(after.newest);
    (is_known && is_its).then_some(summary)
}

/// Replaces the counts of `before` by those of `after`; `None` if the former were not counted.
fn replace(
    counts: &mut BTreeMap<String, usize>,
    before: &BTreeMap<String, usize>,
    after: &BTreeMap<String, usize>,
) -> Option<()> {
    for (name, more) in after {
        *counts.entry(name.clone()).or_default() += more;
    }
    for (name, less) in before {
        let count = counts.get_mut(name)?;
        *count = count.checked_sub(*less)?;
    }
    counts.retain(|_, count| *count > 0);
    Some(())
}

/// What a summary says of some documents, with all domains and topics.
#[derive(Default)]
pub(super) struct Tally {
    documents: usize,
    bytes: u64,
    languages: BTreeMap<String, usize>,
    domains: BTreeMap<String, usize>,
    /// In the order in which they were added.
    topics: Vec<Topic>,
    newest: Vec<Recent>,
}

/// One of the newest documents.
struct Recent {
    modified_ns: i64,
    newest: Newest,
}

impl Recent {
    /// What the newest documents are ordered by: the newest comes first, then by path.
    fn order(&self) -> (Reverse<i64>, &str) {
        (Reverse(self.modified_ns), &self.newest.path)
    }
}

impl Tally {
    fn add(&mut self, listed: &Listed) {
        self.documents += 1;
        self.bytes += listed.stat.size;
        let language = language(&listed.path).unwrap_or(&listed.syntax);
        count(&mut self.languages, language);
        let document = Document::new("").with_path(&listed.path);
        if let Some(domain) = document.domain() {
            count(&mut self.domains, domain);
        }
        if let Some(heading) = &listed.first_heading
            && document.is_overview()
            && !is_date(heading)
        {
            self.topics.push(Topic {
                path: listed.path.clone(),
                heading: heading.clone(),
            });
        }
        let modified_ns = listed.stat.mtime_ns;
        let last = self.newest.get(NEWEST - 1);
        if last.is_none_or(|last| last.modified_ns <= modified_ns) {
            self.newest.push(Recent {
                modified_ns,
                newest: Newest {
                    path: listed.path.clone(),
                    title: listed.title.clone(),
                    modified: listed.stat.seconds(),
                },
            });
            self.newest.sort_by(|a, b| a.order().cmp(&b.order()));
            self.newest.truncate(NEWEST);
        }
    }

    /// The summary of the documents.
    fn end(self) -> SourceSummary {
        let mut summary = SourceSummary {
            documents: self.documents,
            bytes: self.bytes,
            languages: self.languages,
            ..SourceSummary::default()
        };
        set_domains(&mut summary, self.domains);
        set_topics(&mut summary, self.topics);
        summary.newest = newest(self.newest);
        summary
    }
}

fn newest(recent: Vec<Recent>) -> Vec<Newest> {
    recent.into_iter().map(|recent| recent.newest).collect()
}

fn count(counts: &mut BTreeMap<String, usize>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.to_string(), 1);
        }
    }
}

/// Sets the domains of a summary: those with the most documents, then by name.
fn set_domains(summary: &mut SourceSummary, domains: BTreeMap<String, usize>) {
    summary.domains_total = domains.len();
    let domains = domains.into_iter();
    summary.domains = domains
        .map(|(name, documents)| Domain { name, documents })
        .collect();
    summary
        .domains
        .sort_by_key(|domain| Reverse(domain.documents));
    summary.domains.truncate(NAMED);
}

/// Sets the topics of a summary: those nearest to the root, then by path.
fn set_topics(summary: &mut SourceSummary, mut topics: Vec<Topic>) {
    let order = |topic: &Topic| (topic.path.matches('/').count(), topic.path.clone());
    topics.sort_by_cached_key(order);
    summary.topics_total = topics.len();
    topics.truncate(NAMED);
    summary.topics = topics;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DocumentId, Stat};

    /// A document whose path and first heading are chosen by `random`, among few or among many.
    fn document(random: &mut fastrand::Rng, many: usize) -> Listed {
        let folder = random.usize(..many);
        let path = match random.usize(..5) {
            0 => format!("{folder}.md"),
            1 | 2 => format!("{folder}/README.md"),
            _ => format!("{folder}/deep/{}.rs", random.usize(..many)),
        };
        Listed {
            id: DocumentId(1),
            source: SourceId::from("/"),
            path,
            title: None,
            first_heading: Some(format!("About {}", random.usize(..3))),
            stat: Stat {
                size: random.u64(..100),
                mtime_ns: random.i64(0..60) * 400_000_000,
                ..Stat::default()
            },
            syntax: "text".to_string(),
        }
    }

    fn tally<'a>(documents: impl IntoIterator<Item = &'a Listed>) -> Tally {
        let mut tally = Tally::default();
        documents.into_iter().for_each(|listed| tally.add(listed));
        tally
    }

    #[test]
    fn a_revised_summary_is_that_of_all_documents() {
        for many in [3, 20, 70] {
            let mut random = fastrand::Rng::with_seed(many as u64);
            let mut documents: BTreeMap<String, Listed> = BTreeMap::new();
            let mut summary = SourceSummary::default();
            let (mut revisions, mut rounds) = (0, 0);
            while rounds < 2_000 {
                rounds += 1;
                let (mut before, mut after) = (Vec::new(), Vec::new());
                for _ in 0..random.usize(1..4) {
                    let document = document(&mut random, many);
                    let was = documents.remove(&document.path);
                    if before
                        .iter()
                        .chain(&after)
                        .any(|it: &Listed| it.path == document.path)
                    {
                        documents.extend(was.map(|was| (was.path.clone(), was)));
                        continue;
                    }
                    before.extend(was);
                    if random.bool() {
                        documents.insert(document.path.clone(), document.clone());
                        after.push(document);
                    }
                }
                let all = tally(documents.values()).end();
                for newest in &summary.newest {
                    let is_changed = |listed: &Listed| listed.path == newest.path;
                    if let Some(listed) = documents.get(&newest.path)
                        && !before.iter().chain(&after).any(is_changed)
                    {
                        before.push(listed.clone());
                        after.push(listed.clone());
                    }
                }
                let revised = revised(summary, tally(&before), tally(&after));
                revisions += usize::from(revised.is_some());
                assert_eq!(revised.unwrap_or_else(|| all.clone()), all);
                summary = all;
            }
            assert!(revisions * 4 > rounds, "{revisions} of {rounds} for {many}");
        }
    }
}
