//! [`Summary`]: what a source is about, for a reader who does not know it. It is built and stored
//! at the end of a sync that changed something.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use excerpt_chunk::Document;
use serde::{Deserialize, Serialize};

use crate::days::MONTHS;
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
    /// How many documents there are of each language, or of each syntax for those without a
    /// language.
    pub languages: BTreeMap<String, usize>,
    /// The top-level folders, those with the most documents first, at most 50.
    pub domains: Vec<Domain>,
    /// How many top-level folders there are.
    pub domains_total: usize,
    /// The first headings of READMEs and index files, those nearest to the root first, at most 50,
    /// without those that [`is_date`].
    pub topics: Vec<Topic>,
    /// How many such headings there are.
    pub topics_total: usize,
    /// The most recently changed documents, at most 10.
    pub newest: Vec<Newest>,
}

/// A top-level folder; under a folder called `domains`, each of its subfolders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// How many documents are under it.
    pub documents: usize,
}

/// The topic that a README or an index file names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Topic {
    /// Its path inside the source.
    pub path: String,
    /// Its first heading.
    pub heading: String,
}

/// A recently changed document.
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
    /// Rebuilds and stores the summary of a source, if the source has changed since.
    pub(crate) fn keep(truth: &Truth, source: i64) -> Result<(), Fault> {
        if truth.summary_is_due(source)? {
            let summary = Summary::of(truth, source)?;
            truth.set_summary(source, &serde_json::to_string(&summary)?)?;
        }
        Ok(())
    }

    /// The stored summary of a source.
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

/// Whether a heading or title is only a day, week, month or year, as in daily notes: in digits with
/// the full year, or with the English name of a month.
#[must_use]
pub fn is_date(text: &str) -> bool {
    const DAYS: [&str; 7] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let (mut has_number, mut has_year, mut has_month) = (false, false, false);
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        // In full, or abbreviated: `sept`, `tues`.
        let is_one = |names: &[&str]| {
            let is_short = (3..=5).contains(&word.len());
            let mut names = names.iter();
            names.any(|name| *name == word || (is_short && name.starts_with(&*word)))
        };
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        match (digits, &word[digits..]) {
            (1.., "" | "st" | "nd" | "rd" | "th") => {
                has_number = true;
                let is_of_now = word.starts_with("19") || word.starts_with("20");
                has_year |= is_of_now && matches!(digits, 4 | 8);
            }
            (0, "of" | "the" | "week") => {}
            (0, _) if is_one(&MONTHS) => has_month = true,
            (0, _) if is_one(&DAYS) || is_part(&word) => {}
            _ => return false,
        }
    }
    has_year || (has_month && has_number)
}

/// Whether a word is the number of a week or a quarter, such as `w47` or `q4`.
fn is_part(word: &str) -> bool {
    let number = word.strip_prefix(['w', 'q']);
    number.is_some_and(|number| number.parse::<u8>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn a_date_is_no_topic() {
        for date in [
            "2026-11-22",
            "2026/11",
            "20261122",
            "2026",
            "22.11.2026",
            "22 November 2026",
            "November 22nd, 2026",
            "Sunday, the 22nd of November",
            "Sun 22 Nov 2026",
            "2026-W47",
            "Week 47, 2026",
            "Q4 2026",
        ] {
            assert!(is_date(date), "{date}");
        }
        for topic in [
            "",
            "Tea",
            "1.4.0",
            "42",
            "May",
            "Version 2026.1",
            "Plans for 2026",
            "2026-11-22: a walk",
            "The Week",
            "Marching 2026",
            "3D 2026",
            "Monday",
            "語 2026",
        ] {
            assert!(!is_date(topic), "{topic}");
        }
    }
}
