//! Questions from links: the words of a link in documentation lead to its target.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use excerpt_chunk::LinkKind;

use super::candidate::{Candidate, Place, QuestionKind};
use super::edit::Edit;
use super::page::{Heading, Page, is_legal};
use super::text::{is_empty_word, plain, words};
use crate::analysis::Sections;
use crate::read::ENDINGS;
use crate::store::{LinkForm, LinkRow, joined};

/// What stands in the place of a link's words.
const HERE: &str = "here";
/// The most words of a question.
const MOST: usize = 20;

/// What a path of reStructuredText may omit.
const RESTRUCTURED: [&str; 6] = ["", ".rst", ".txt", ".md", "/index.rst", "/index.txt"];

/// Words that say that there is a link and not where it leads.
const GENERIC: [&str; 57] = [
    "above",
    "api",
    "article",
    "back",
    "below",
    "chapter",
    "check",
    "click",
    "contents",
    "covered",
    "described",
    "details",
    "discussed",
    "doc",
    "docs",
    "documentation",
    "documented",
    "example",
    "examples",
    "explained",
    "file",
    "find",
    "folder",
    "full",
    "further",
    "guide",
    "here",
    "home",
    "info",
    "information",
    "issue",
    "learn",
    "link",
    "list",
    "manual",
    "mentioned",
    "module",
    "next",
    "out",
    "over",
    "page",
    "part",
    "previous",
    "read",
    "reading",
    "readme",
    "reference",
    "related",
    "section",
    "see",
    "separately",
    "source",
    "table",
    "top",
    "tutorial",
    "under",
    "website",
];

/// A link as it is written.
struct Written {
    /// The bytes of its words.
    words: Range<usize>,
    target: LinkTarget,
}

enum LinkTarget {
    /// A path or the name of a note, and perhaps a section.
    Row(LinkRow),
    /// A path of reStructuredText.
    Document(String),
    /// A label of reStructuredText.
    Label(String),
}

/// Where a link leads: a section with its title, or a whole document.
struct Found {
    place: Place,
    title: String,
}

/// The candidates in all documents.
pub(super) fn candidates(pages: &[Page]) -> Vec<Candidate> {
    let folder = Folder::new(pages);
    let mut found = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        for link in written(page) {
            let Some(target) = folder.find(number, &link.target) else {
                continue;
            };
            let query = plain(&page.text[link.words.clone()]);
            let path = &pages[target.place.page].path;
            if !is_fair(&query, path) || is_own(&target.place, number, &link.words) {
                continue;
            }
            let edit = Edit {
                start: link.words.start,
                end: link.words.end,
                with: HERE,
            };
            found.push(Candidate {
                kind: QuestionKind::Link,
                is_title: is_title(&query, &target.title),
                query,
                language: pages[target.place.page].language.clone(),
                answers: vec![target.place],
                edits: vec![(number, edit)],
            });
        }
    }
    found
}

/// Whether a link stands in what it leads to.
fn is_own(place: &Place, page: usize, link: &Range<usize>) -> bool {
    let inside = |bytes: &Range<usize>| bytes.contains(&link.start);
    place.page == page && place.bytes.as_ref().is_none_or(inside)
}

fn is_fair(query: &str, path: &str) -> bool {
    let count = query.split_whitespace().count();
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    // With the folder, which is the name of a README.
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    let of_name: HashSet<String> = words(&name).chain(words(folder)).collect();
    let is_told = |word: &String| {
        !is_empty_word(word) && !GENERIC.contains(&&**word) && word.chars().any(char::is_alphabetic)
    };
    let contents: HashSet<String> = words(query).filter(is_told).collect();
    (2..=MOST).contains(&count)
        && contents.len() >= 2
        && !query.contains("://")
        && !query.contains('/')
        && !is_legal(path)
        && !contents.is_subset(&of_name)
        && !query.to_lowercase().contains(&*name)
}

/// Whether the words of a link are a title, apart from articles and the like.
fn is_title(query: &str, title: &str) -> bool {
    let of = |text: &str| -> HashSet<String> {
        let words = words(text).filter(|word| !is_empty_word(word));
        words
            .map(|word| word.trim_end_matches('s').to_string())
            .collect()
    };
    of(query) == of(title)
}

/// The links of a document that have words of their own.
fn written(page: &Page) -> Vec<Written> {
    match page.is_restructured() {
        true => restructured(page),
        false => markdown(page),
    }
}

fn markdown(page: &Page) -> Vec<Written> {
    let links = page.links();
    let found = links.iter().filter_map(|link| {
        if link.kind == LinkKind::Image {
            return None;
        }
        let row = LinkRow::new(link, &page.path)?;
        let text = page.text.get(link.bytes.clone())?;
        let words = match link.kind {
            LinkKind::Wiki => {
                let bar = text.find('|')? + 1;
                bar..text.find("]]")?
            }
            _ => label(text)?,
        };
        let start = link.bytes.start;
        (!words.is_empty()).then(|| Written {
            words: start + words.start..start + words.end,
            target: LinkTarget::Row(row),
        })
    });
    found.collect()
}

/// The bytes between the brackets at the start of a link.
fn label(link: &str) -> Option<Range<usize>> {
    let mut depth = 0;
    let mut is_escaped = false;
    for (at, byte) in link.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(1..at);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The links of reStructuredText: `:ref:`, `:doc:` and paths, if they have words.
fn restructured(page: &Page) -> Vec<Written> {
    let text = &*page.text;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('`').map(|open| at + open) {
        let start = open + 1;
        let Some(end) = text[start..].find('`').map(|end| start + end) else {
            break;
        };
        at = end + 1;
        if end == start {
            // A literal: it ends at the next pair.
            at = text[at..].find("``").map_or(text.len(), |end| at + end + 2);
            continue;
        }
        let Some((words, target)) = text[start..end]
            .strip_suffix('>')
            .and_then(|inner| inner.rsplit_once('<'))
        else {
            continue;
        };
        let role = text[..open]
            .ends_with(':')
            .then(|| text[..open - 1].rsplit(':').next());
        let target = target.trim();
        let target = match role.flatten() {
            Some("ref") => LinkTarget::Label(label_name(target)),
            Some("doc") => LinkTarget::Document(target.to_string()),
            None if text[at..].starts_with('_') && !target.contains(':') => {
                LinkTarget::Document(target.to_string())
            }
            _ => continue,
        };
        let words = start..start + words.trim_end().len();
        if !words.is_empty() {
            found.push(Written { words, target });
        }
    }
    found
}

/// A label as it is compared: in lower case, with one space between words.
fn label_name(label: &str) -> String {
    let lower = label.trim_matches('`').to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.join(" ")
}

/// Where the documents and sections are.
struct Folder<'p> {
    pages: &'p [Page],
    paths: HashMap<&'p str, usize>,
    /// The documents by their names in lower case, without `.md`, the least deep one first.
    names: HashMap<String, usize>,
    labels: HashMap<String, Option<(usize, Heading)>>,
    sections: HashMap<usize, Sections>,
    titles: HashMap<usize, String>,
}

impl<'p> Folder<'p> {
    fn new(pages: &'p [Page]) -> Self {
        let mut folder = Folder {
            pages,
            paths: HashMap::new(),
            names: HashMap::new(),
            labels: HashMap::new(),
            sections: HashMap::new(),
            titles: HashMap::new(),
        };
        let mut by_depth: Vec<usize> = (0..pages.len()).collect();
        by_depth.sort_by_key(|number| pages[*number].path.matches('/').count());
        for number in by_depth {
            let name = pages[number].path.to_lowercase();
            let name = name.strip_suffix(".md").unwrap_or(&name);
            let last = name.rsplit('/').next().unwrap_or(name);
            folder.names.entry(last.to_string()).or_insert(number);
        }
        for (number, page) in pages.iter().enumerate() {
            folder.paths.insert(&page.path, number);
            let headings = page.headings();
            if let Some(first) = headings.first() {
                folder.titles.insert(number, first.title.clone());
            }
            if page.is_restructured() {
                folder.add_labels(number, &headings);
            }
            if page.is_markdown() {
                let sections = Sections::in_markdown(&page.text);
                folder.sections.insert(number, sections);
            }
        }
        folder
    }

    /// Adds the labels above titles, with which their sections begin. A label that occurs twice
    /// leads nowhere.
    fn add_labels(&mut self, number: usize, headings: &[Heading]) {
        let text = &self.pages[number].text;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            at += line.len();
            let label = line.trim_end().strip_prefix(".. _");
            let Some(label) = label.and_then(|label| label.strip_suffix(':')) else {
                continue;
            };
            let start = at - line.len();
            let heading = headings
                .iter()
                .rfind(|heading| heading.bytes.start <= start);
            let heading = heading.filter(|heading| {
                let mut above = text[heading.bytes.start..start].lines();
                above.all(|line| line.trim().is_empty() || line.starts_with(".."))
            });
            let found = heading.map(|heading| (number, heading.clone()));
            self.labels
                .entry(label_name(label))
                .and_modify(|known| *known = None)
                .or_insert(found);
        }
    }

    /// What a link in the document `from` leads to.
    fn find(&self, from: usize, target: &LinkTarget) -> Option<Found> {
        match target {
            LinkTarget::Row(row) => {
                let page = match row.form {
                    LinkForm::Name => *self.names.get(row.target.rsplit('/').next()?)?,
                    _ => self.at(&row.target, &ENDINGS)?,
                };
                let Some(name) = &row.section else {
                    return Some(self.whole(page));
                };
                let section = self.sections.get(&page)?.find(name)?;
                Some(Found {
                    place: Place {
                        page,
                        bytes: Some(super::page::trimmed(
                            &self.pages[page].text,
                            section.bytes.clone(),
                        )),
                    },
                    title: section.title.clone(),
                })
            }
            LinkTarget::Document(path) => {
                let own = &self.pages[from].path;
                let path = path.split('#').next().unwrap_or_default();
                let relative = path.trim_start_matches('/');
                let folders = own.match_indices('/').map(|(slash, _)| &own[..slash]);
                let mut folders: Vec<&str> = std::iter::once("").chain(folders).collect();
                // A path from the root of the documentation, which is any of these folders.
                match path.starts_with('/') {
                    true => {}
                    false => folders = folders.split_off(folders.len() - 1),
                }
                let found = folders.iter().rev().find_map(|folder| {
                    let path = joined(folder, relative)?;
                    self.at(&path, &RESTRUCTURED)
                });
                found.map(|page| self.whole(page))
            }
            LinkTarget::Label(label) => {
                let (page, heading) = self.labels.get(label)?.as_ref()?;
                Some(Found {
                    place: Place {
                        page: *page,
                        bytes: Some(super::page::trimmed(
                            &self.pages[*page].text,
                            heading.bytes.clone(),
                        )),
                    },
                    title: heading.title.clone(),
                })
            }
        }
    }

    fn at(&self, path: &str, endings: &[&str]) -> Option<usize> {
        let mut paths = endings.iter().map(|ending| format!("{path}{ending}"));
        paths.find_map(|path| self.paths.get(path.trim_start_matches('/')).copied())
    }

    fn whole(&self, page: usize) -> Found {
        Found {
            place: Place { page, bytes: None },
            title: self.titles.get(&page).cloned().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mined(files: &[(&str, &str)]) -> Vec<(String, String, bool)> {
        let pages = files.iter();
        let pages: Vec<Page> = pages
            .map(|(path, text)| Page::new((*path).to_string(), (*text).to_string()))
            .collect();
        let found = candidates(&pages).into_iter().map(|candidate| {
            let place = &candidate.answers[0];
            let page = &pages[place.page];
            let answer = match &place.bytes {
                Some(bytes) => format!("{}: {}", page.path, &page.text[bytes.clone()]),
                None => page.path.clone(),
            };
            (candidate.query, answer, candidate.is_title)
        });
        found.collect()
    }

    #[test]
    fn the_words_of_a_link_lead_to_its_target() {
        let tea = "# Tea\n\nSee [how *hot* water gets](water.md#heat), [the water page](water.md), [read more here](water.md), [Boiling water](water.md), [MIT license text](LICENSE.md), [the best tea](#tea) and [a site](https://example.org/a).\n";
        let water = "# Boiling water\n\nSource.\n\n## Heat\n\nEighty degrees.\n";
        let found = mined(&[
            ("tea.md", tea),
            ("water.md", water),
            ("LICENSE.md", "# A\n"),
        ]);
        assert_eq!(
            found,
            [
                (
                    "how hot water gets".into(),
                    "water.md: ## Heat\n\nEighty degrees.".into(),
                    false
                ),
                ("Boiling water".into(), "water.md".into(), true),
            ]
        );
    }

    #[test]
    fn roles_lead_to_labels_and_documents() {
        let tea = "Tea\n===\n\nSee :ref:`how hot water gets <heat>`, :doc:`all kinds of boiling </guide/water>`, :doc:`water` and ``:ref:`no such link at all <heat>` ``.\n";
        let water = "Water\n=====\n\nSource.\n\n.. _heat:\n\nHeat\n----\n\nEighty degrees.\n";
        let found = mined(&[("docs/tea.rst", tea), ("docs/guide/water.rst", water)]);
        assert_eq!(
            found,
            [
                (
                    "how hot water gets".into(),
                    "docs/guide/water.rst: .. _heat:\n\nHeat\n----\n\nEighty degrees.".into(),
                    false
                ),
                (
                    "all kinds of boiling".into(),
                    "docs/guide/water.rst".into(),
                    false
                ),
            ]
        );
    }
}
