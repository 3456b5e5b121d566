//! Link resolution. A link is stored as written and resolved on request, so it leads to its target
//! as soon as that exists.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use excerpt_chunk::{Hash, LineIndex};
use serde::Serialize;

use super::{ReadOptions, citation};
use crate::analysis::Sections;
use crate::model::{DocumentId, SourceId};
use crate::store::catalog::Catalog;
use crate::store::{LinkRow, StoreError, StoredDocument};

/// What a link may omit from the path of a document, in the order in which it is tried.
pub(crate) const ENDINGS: [&str; 5] = ["", ".md", "/README.md", "/readme.md", "/index.md"];

/// The links of a document, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Links {
    /// Links in it to documents of the same source, in the order of the text.
    pub outgoing: Vec<Outgoing>,
    /// Links to it in other documents of the source, by path and place.
    pub incoming: Vec<Incoming>,
}

impl Links {
    /// Removes the targets of links, and the links that lead here, where `reaches` excludes the
    /// other document.
    pub(crate) fn keep(&mut self, reaches: impl Fn(&str) -> bool) {
        self.incoming.retain(|link| reaches(&link.path));
        for link in &mut self.outgoing {
            if link.path.as_ref().is_some_and(|path| !reaches(path)) {
                link.path = None;
                link.title = None;
                link.citation = None;
                link.chunk = None;
                link.is_dangling = true;
            }
        }
    }
}

/// A link in what was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Outgoing {
    /// The line on which it begins, from 1.
    pub line: usize,
    /// The path that it leads to, from the root of the source, or the name in a wiki link, in lower
    /// case.
    pub target: String,
    /// The part after `#`.
    pub section: Option<String>,
    /// The path of the document that it leads to; `None` while it does not exist.
    pub path: Option<String>,
    /// The document's title.
    pub title: Option<String>,
    /// The place to open: the section, or else the whole document.
    pub citation: Option<String>,
    /// The chunk with the heading of the section, or else the first chunk of the document.
    pub chunk: Option<Hash>,
    /// Whether the document or the section that it leads to does not exist.
    pub is_dangling: bool,
}

/// A link to what was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Incoming {
    /// The path of the document that contains it.
    pub path: String,
    /// That document's title.
    pub title: Option<String>,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// The section that it leads to, as written after `#`.
    pub section: Option<String>,
    /// The chunk that contains it.
    pub chunk: Option<Hash>,
}

/// Follows the links of one source.
pub(crate) struct Resolver<'a> {
    catalog: &'a dyn Catalog,
    source: &'a SourceId,
    /// What may be read: a link leads to nothing else.
    options: &'a ReadOptions,
    /// The paths of the documents by their names in lower case, without `.md`; built when the first
    /// wiki link is met.
    names: Option<HashMap<String, Vec<String>>>,
    /// The documents whose sections were read.
    sections: HashMap<DocumentId, Sections>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(
        catalog: &'a dyn Catalog,
        source: &'a SourceId,
        options: &'a ReadOptions,
    ) -> Self {
        Resolver {
            catalog,
            source,
            options,
            names: None,
            sections: HashMap::new(),
        }
    }

    /// The links of the `bytes` of a document, whose text is `text`.
    pub(crate) fn links(
        &mut self,
        document: &StoredDocument,
        text: &str,
        bytes: &Range<usize>,
    ) -> Result<Links, StoreError> {
        let index = LineIndex::new(text);
        let mut links = Links::default();
        for row in self.catalog.links_of(document.id)? {
            if bytes.contains(&row.start) {
                let line = index.line(row.start);
                links.outgoing.push(self.outgoing(document, row, line)?);
            }
        }
        let is_read = |start| bytes.contains(&start) || bytes.len() == text.len();
        for (id, rows) in self.candidates(&document.path)? {
            if id != document.id {
                self.incoming(document, id, rows, is_read, &mut links.incoming)?;
            }
        }
        links
            .incoming
            .sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        Ok(links)
    }

    fn outgoing(
        &mut self,
        from: &StoredDocument,
        row: LinkRow,
        line: usize,
    ) -> Result<Outgoing, StoreError> {
        let mut link = Outgoing {
            line,
            path: None,
            title: None,
            citation: None,
            chunk: None,
            is_dangling: true,
            target: row.target.clone(),
            section: row.section.clone(),
        };
        let Some(document) = self.document(&from.path, &row)? else {
            return Ok(link);
        };
        let text = self.catalog.text(document.text)?;
        let bytes = match &row.section {
            Some(name) => self.section(&document, &text, name),
            None => Some(0..text.len()),
        };
        link.is_dangling = bytes.is_none();
        if let Some(bytes) = bytes {
            let span = LineIndex::new(&text).span(bytes.clone());
            link.citation = Some(citation(&document.path, &span, None));
            link.chunk = self.catalog.chunk_at(document.id, bytes.start)?;
        }
        link.path = Some(document.path);
        link.title = document.title;
        Ok(link)
    }

    /// Adds those of the links in `rows`, all in the document `id`, that lead to the part of `to`
    /// that is read.
    fn incoming(
        &mut self,
        to: &StoredDocument,
        id: DocumentId,
        rows: Vec<LinkRow>,
        is_read: impl Fn(usize) -> bool,
        incoming: &mut Vec<Incoming>,
    ) -> Result<(), StoreError> {
        let Some(from) = self.catalog.document(id)? else {
            return Ok(());
        };
        let mut text = None;
        for row in rows {
            let leads_here = self
                .document(&from.path, &row)?
                .is_some_and(|document| document.id == to.id);
            if !leads_here {
                continue;
            }
            if !is_read(self.start(to, row.section.as_deref())?) {
                continue;
            }
            let text = match &mut text {
                Some(text) => text,
                None => text.insert(self.catalog.text(from.text)?),
            };
            incoming.push(Incoming {
                path: from.path.clone(),
                title: from.title.clone(),
                line: LineIndex::new(text).line(row.start),
                section: row.section,
                chunk: self.catalog.chunk_at(id, row.start)?,
            });
        }
        Ok(())
    }

    /// Where a section of a document begins. A link to a missing section still leads to the
    /// document.
    fn start(&mut self, to: &StoredDocument, section: Option<&str>) -> Result<usize, StoreError> {
        let section = match section {
            Some(name) => self.section(to, &self.catalog.text(to.text)?, name),
            None => None,
        };
        Ok(section.map_or(0, |section| section.start))
    }

    /// The links that may lead to the document at `path`, by the document that contains them.
    fn candidates(&self, path: &str) -> Result<HashMap<DocumentId, Vec<LinkRow>>, StoreError> {
        let stems = ENDINGS.iter().filter_map(|ending| match *ending {
            "" => Some(path),
            // The path of the root folder is empty.
            ending if path == &ending[1..] => Some(""),
            ending => path.strip_suffix(ending),
        });
        let lower = path.to_lowercase();
        let name = lower.strip_suffix(".md").unwrap_or(&lower);
        let inner = name.match_indices('/').map(|(slash, _)| &name[slash + 1..]);
        let named = inner.chain([name]).map(|name| (name, true));
        let mut candidates: HashMap<DocumentId, Vec<LinkRow>> = HashMap::new();
        for (target, wiki) in stems.map(|stem| (stem, false)).chain(named) {
            for (document, row) in self.catalog.links_to(self.source, target, wiki)? {
                candidates.entry(document).or_default().push(row);
            }
        }
        Ok(candidates)
    }

    /// The document that a link in the one at `from` leads to.
    fn document(
        &mut self,
        from: &str,
        row: &LinkRow,
    ) -> Result<Option<StoredDocument>, StoreError> {
        if row.wiki {
            return match self.named(from, &row.target)? {
                Some(path) => self.at(&path),
                None => Ok(None),
            };
        }
        for ending in ENDINGS {
            let path = format!("{}{ending}", row.target);
            let found = self.at(path.trim_start_matches('/'))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The document at `path`.
    fn at(&self, path: &str) -> Result<Option<StoredDocument>, StoreError> {
        if !self.options.reaches(path) {
            return Ok(None);
        }
        Ok(self.catalog.documents_at(Some(self.source), path)?.pop())
    }

    /// The path that a wiki link in the document at `from` names: of several, the one in the same
    /// folder, or else the least deep one.
    fn named(&mut self, from: &str, name: &str) -> Result<Option<String>, StoreError> {
        let names = match &mut self.names {
            Some(names) => names,
            none => {
                let mut names: HashMap<String, Vec<String>> = HashMap::new();
                let options = self.options;
                self.catalog.each_path(Some(self.source), &mut |path| {
                    if !options.reaches(path) {
                        return;
                    }
                    let lower = path.to_lowercase();
                    names
                        .entry(stem(&lower).to_string())
                        .or_default()
                        .push(path.to_string());
                })?;
                none.insert(names)
            }
        };
        let found = names.get(stem(name)).into_iter().flatten();
        let fitting = found.filter(|path| {
            let path = path.to_lowercase();
            let path = path.strip_suffix(".md").unwrap_or(&path);
            let outer = path.strip_suffix(name);
            outer.is_some_and(|outer| outer.is_empty() || outer.ends_with('/'))
        });
        let nearest = fitting.min_by_key(|path| {
            let is_elsewhere = folder(path) != folder(from);
            (is_elsewhere, path.matches('/').count(), *path)
        });
        Ok(nearest.cloned())
    }

    /// The bytes of a section of a document.
    fn section(
        &mut self,
        document: &StoredDocument,
        text: &str,
        name: &str,
    ) -> Option<Range<usize>> {
        let sections = match self.sections.entry(document.id) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(document.sections(text)),
        };
        sections.find(name).map(|section| section.bytes.clone())
    }
}

/// The name of a document, without `.md`.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
