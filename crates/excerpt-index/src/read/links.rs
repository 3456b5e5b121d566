//! Link resolution. A link is stored as written and resolved on request, so it leads to its target
//! as soon as that exists.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use excerpt_chunk::{Hash, LineIndex, Syntax};
use excerpt_readers::format_of;
use serde::Serialize;

use super::{ReadOptions, citation};
use crate::analysis::Sections;
use crate::model::{DocumentId, SourceId};
use crate::store::catalog::Catalog;
use crate::store::{LinkForm, LinkRow, StoreError, StoredDocument};

/// What a link may omit from the path of a document, in the order in which it is tried.
pub(crate) const ENDINGS: [&str; 6] = ["", ".md", ".rst", "/README.md", "/readme.md", "/index.md"];

/// The endings that a path in reStructuredText may omit.
const OF_DOCUMENTATION: [&str; 3] = ["", ".rst", ".md"];

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
    /// The path that it leads to, from the root of the source; the name in a wiki link, in lower
    /// case; or a label, as written.
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
    /// The section that it leads to, as written after `#`, or the label.
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
    /// The paths of the documents by the last parts of their [names](names_of); built when the
    /// first wiki link is met.
    names: Option<HashMap<String, Vec<String>>>,
    /// The documents whose texts and sections were read.
    opened: HashMap<DocumentId, Rc<LinkedText>>,
}

/// How many documents with their texts are kept for further links.
const KEPT: usize = 64;

/// A document whose text was read.
struct LinkedText {
    document: StoredDocument,
    text: String,
    sections: OnceCell<Sections>,
}

impl LinkedText {
    fn sections(&self) -> &Sections {
        self.sections
            .get_or_init(|| self.document.sections(&self.text))
    }

    /// The bytes of the part that a link of a form calls `name`.
    fn part(&self, form: LinkForm, name: &str) -> Option<Range<usize>> {
        let labelled = match form {
            LinkForm::Label => self.sections().labelled(name),
            _ => None,
        };
        let found = labelled.or_else(|| self.sections().find(name));
        found.map(|section| section.bytes.clone())
    }
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
            opened: HashMap::new(),
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
            if bytes.contains(&row.start) && row.form != LinkForm::Anchor {
                let line = index.line(row.start);
                links.outgoing.push(self.outgoing(document, row, line)?);
            }
        }
        let is_read = |start| bytes.contains(&start) || bytes.len() == text.len();
        for (id, rows) in self.candidates(document)? {
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
        if row.form == LinkForm::Label {
            link.target = row.section.clone().unwrap_or_default();
            link.section = None;
        }
        let Some(document) = self.document(from, &row)? else {
            return Ok(link);
        };
        let opened = self.opened(&document)?;
        let bytes = match &row.section {
            Some(name) => opened.part(row.form, name),
            None => Some(0..opened.text.len()),
        };
        link.is_dangling = bytes.is_none();
        if let Some(bytes) = bytes {
            let span = LineIndex::new(&opened.text).span(bytes.clone());
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
                .document(&from, &row)?
                .is_some_and(|document| document.id == to.id);
            if !leads_here {
                continue;
            }
            if !is_read(self.start(to, &row)?) {
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

    /// Where the part of a document begins that a link leads to. A link to a missing section still
    /// leads to the document.
    fn start(&mut self, to: &StoredDocument, row: &LinkRow) -> Result<usize, StoreError> {
        let found = match &row.section {
            Some(name) => self.opened(to)?.part(row.form, name),
            None => None,
        };
        Ok(found.map_or(0, |part| part.start))
    }

    /// The links that may lead to a document, by the document that contains them.
    fn candidates(
        &self,
        document: &StoredDocument,
    ) -> Result<HashMap<DocumentId, Vec<LinkRow>>, StoreError> {
        let path = &*document.path;
        let stems = ENDINGS.iter().filter_map(|ending| match *ending {
            "" => Some(path),
            // The path of the root folder is empty.
            ending if path == &ending[1..] => Some(""),
            ending => path.strip_suffix(ending),
        });
        let mut targets: Vec<(String, LinkForm)> = Vec::new();
        targets.extend(stems.map(|stem| (stem.to_string(), LinkForm::Path)));
        for ending in OF_DOCUMENTATION {
            let stem = path.strip_suffix(ending).unwrap_or_default();
            let inner = stem.match_indices('/').map(|(slash, _)| &stem[slash + 1..]);
            targets.extend(inner.map(|stem| (stem.to_string(), LinkForm::Path)));
        }
        for name in names_of(path) {
            let inner = name.match_indices('/').map(|(slash, _)| &name[slash + 1..]);
            let all = inner.chain([&*name]);
            targets.extend(all.map(|name| (name.to_string(), LinkForm::Name)));
        }
        let rows = self.catalog.links_of(document.id)?.into_iter();
        let labels = rows.filter(|row| row.form == LinkForm::Anchor);
        targets.extend(labels.map(|row| (row.target, LinkForm::Label)));
        targets.sort_unstable();
        targets.dedup();
        let mut candidates: HashMap<DocumentId, Vec<LinkRow>> = HashMap::new();
        for (target, form) in targets {
            for (document, row) in self.catalog.links_to(self.source, &target, form)? {
                candidates.entry(document).or_default().push(row);
            }
        }
        Ok(candidates)
    }

    /// The document that a link in `from` leads to.
    fn document(
        &mut self,
        from: &StoredDocument,
        row: &LinkRow,
    ) -> Result<Option<StoredDocument>, StoreError> {
        match row.form {
            LinkForm::Name => match self.named(&from.path, &row.target)? {
                Some(path) => self.at(&path),
                None => Ok(None),
            },
            LinkForm::Label => self.labelled(from, row),
            LinkForm::Path | LinkForm::Anchor => {
                for ending in ENDINGS {
                    let path = format!("{}{ending}", row.target);
                    let found = self.at(path.trim_start_matches('/'))?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                self.below(from, row)
            }
        }
    }

    /// The document to which the path of a link in `from` leads from a folder above that: in
    /// reStructuredText, the root of a documentation may be any of them.
    fn below(
        &self,
        from: &StoredDocument,
        row: &LinkRow,
    ) -> Result<Option<StoredDocument>, StoreError> {
        if from.syntax != "rst" {
            return Ok(None);
        }
        let folders = from.path.match_indices('/').rev();
        for (slash, _) in folders {
            for ending in OF_DOCUMENTATION {
                let path = format!("{}/{}{ending}", &from.path[..slash], row.target);
                let found = self.at(&path)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// The document with the label that a link in `from` names: itself, or else another one of its
    /// format, of several the nearest. A document may also be referred to by its own headings.
    fn labelled(
        &mut self,
        from: &StoredDocument,
        row: &LinkRow,
    ) -> Result<Option<StoredDocument>, StoreError> {
        let label = row.section.as_deref().unwrap_or_default();
        let own = self.opened(from)?;
        if own.sections().labelled(label).is_some() {
            return Ok(Some(from.clone()));
        }
        let anchors = self
            .catalog
            .links_to(self.source, &row.target, LinkForm::Anchor)?;
        let mut found: Option<StoredDocument> = None;
        for (id, _) in anchors {
            let document = self.catalog.document(id)?;
            let Some(document) = document.filter(|other| other.syntax == from.syntax) else {
                continue;
            };
            let is_nearer = found.as_ref().is_none_or(|best| {
                distance(&document.path, &from.path) < distance(&best.path, &from.path)
            });
            // What looks like a label in a code block is none.
            let is_candidate = is_nearer && self.options.reaches(&document.path);
            if is_candidate && self.opened(&document)?.sections().labelled(label).is_some() {
                found = Some(document);
            }
        }
        Ok(found.or_else(|| own.sections().find(label).map(|_| from.clone())))
    }

    /// The document at `path`.
    fn at(&self, path: &str) -> Result<Option<StoredDocument>, StoreError> {
        if !self.options.reaches(path) {
            return Ok(None);
        }
        Ok(self.catalog.documents_at(Some(self.source), path)?.pop())
    }

    /// The path that a wiki link in the document at `from` names: of several, one with this
    /// ending, or else in the format of `from` or in Markdown, or else in the same folder, or else
    /// the least deep one.
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
                    for name in names_of(path) {
                        let paths = names.entry(last(&name).to_string()).or_default();
                        paths.push(path.to_string());
                    }
                })?;
                none.insert(names)
            }
        };
        let found = names.get(last(name)).into_iter().flatten();
        let fitting = found.filter(|path| {
            let mut names = names_of(path).into_iter();
            names.any(|full| {
                let outer = full.strip_suffix(name);
                outer.is_some_and(|outer| outer.is_empty() || outer.ends_with('/'))
            })
        });
        let nearest = fitting.min_by_key(|path| {
            let ending = ending(path);
            let is_other = ending != "md" && ending != self::ending(from);
            let is_other = is_other && !path.to_lowercase().ends_with(name);
            (is_other, distance(path, from))
        });
        Ok(nearest.cloned())
    }

    /// A document with its text.
    fn opened(&mut self, document: &StoredDocument) -> Result<Rc<LinkedText>, StoreError> {
        if let Some(opened) = self.opened.get(&document.id) {
            return Ok(Rc::clone(opened));
        }
        if self.opened.len() >= KEPT {
            self.opened.clear();
        }
        let opened = Rc::new(LinkedText {
            document: document.clone(),
            text: self.catalog.text(document.text)?,
            sections: OnceCell::new(),
        });
        self.opened.insert(document.id, Rc::clone(&opened));
        Ok(opened)
    }
}

/// The names by which a wiki link may call the document at `path`, in lower case: its path without
/// `.md`; if it is of another format of text, with its ending and without; each also with spaces in
/// place of underscores, as a wiki writes its names.
fn names_of(path: &str) -> Vec<String> {
    let lower = path.to_lowercase();
    let ending = ending(&lower);
    let is_text = Syntax::of_path(&lower) != Syntax::Code || format_of(&lower).is_some();
    let stem = lower.strip_suffix(&format!(".{ending}"));
    let stem = stem
        .filter(|_| is_text && !ending.is_empty())
        .map(str::to_string);
    let mut names: Vec<String> = match ending {
        "md" => stem.into_iter().collect(),
        _ => stem.into_iter().chain([lower.clone()]).collect(),
    };
    let spaced = names.iter().map(|name| name.replace('_', " "));
    names.extend(spaced.collect::<Vec<_>>());
    names.sort_unstable();
    names.dedup();
    names
}

/// The ending of the file in a path, without its dot.
fn ending(path: &str) -> &str {
    last(path).rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// The last part of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How far the document at `path` is from the one at `from`: whether it is in another folder, and
/// how deep it is.
fn distance<'p>(path: &'p str, from: &str) -> (bool, usize, &'p str) {
    (
        folder(path) != folder(from),
        path.matches('/').count(),
        path,
    )
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
