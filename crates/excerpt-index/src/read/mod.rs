//! Reading from an index: a [`Target`] is a document, some lines or a section of it, or a chunk. It
//! is read as one continuous [`DocumentText`], with its neighbours and its [`Links`] on request.

mod links;
mod section;
mod target;

use std::path::PathBuf;

use excerpt_chunk::{Hash, LineIndex, Span};
use serde::Serialize;
use serde_json::{Map, Value};

pub use links::{Incoming, Links, Outgoing};
pub use target::Target;

use crate::error::{Error, Result};
use crate::index::Index;
use crate::model::Encoding;
use crate::search::segments;
use crate::store::{StoredChunk, StoredDocument};
use links::Resolver;
use section::Sections;

/// How targets are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The root of the source of the targets; without it, only one source may have such a document.
    /// Default: none.
    pub source: Option<PathBuf>,
    /// A path inside the source, compared by whole segments: everything outside of it is treated as
    /// not indexed. Default: none.
    pub under: Option<String>,
    /// How many chunks to add before and after those that contain the target; with 0, only these,
    /// but whole. Default: none, only the target itself.
    pub neighbours: Option<usize>,
    /// Whether to resolve the links in what is read and the links to it. Default: no.
    pub links: bool,
}

impl ReadOptions {
    /// Sets the root of the source of the targets.
    #[must_use]
    pub fn source(self, root: impl Into<PathBuf>) -> Self {
        ReadOptions {
            source: Some(root.into()),
            ..self
        }
    }

    /// Sets the document or folder that reading is limited to.
    #[must_use]
    pub fn under(self, path: impl Into<String>) -> Self {
        ReadOptions {
            under: Some(path.into()),
            ..self
        }
    }

    /// Sets how many chunks to add before and after.
    #[must_use]
    pub fn neighbours(self, neighbours: usize) -> Self {
        ReadOptions {
            neighbours: Some(neighbours),
            ..self
        }
    }

    /// Requests the links.
    #[must_use]
    pub fn links(self) -> Self {
        ReadOptions {
            links: true,
            ..self
        }
    }

    /// Whether a document may be read.
    pub(crate) fn holds(&self, root: &str, path: &str) -> bool {
        let here = self.source.as_deref();
        here.is_none_or(|here| here.as_os_str() == root) && self.reaches(path)
    }

    /// Whether the path is at or under the one that reading is limited to.
    pub(crate) fn reaches(&self, path: &str) -> bool {
        let Some(under) = self.under.as_deref().map(segments) else {
            return true;
        };
        let rest = path.strip_prefix(&*under);
        rest.is_some_and(|rest| under.is_empty() || rest.is_empty() || rest.starts_with('/'))
    }
}

/// The text of a document, or a part of it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DocumentText {
    /// The root of its source.
    pub source: PathBuf,
    /// Its path inside the source.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// Its first heading.
    pub first_heading: Option<String>,
    /// Its front matter.
    pub metadata: Map<String, Value>,
    /// The size of its file in bytes, when it was indexed.
    pub size: u64,
    /// When its file was last changed, in seconds since 1970, as of when it was indexed.
    pub modified: i64,
    /// The encoding of its file; `span` refers to the text in UTF-8.
    pub encoding: Encoding,
    /// The place to open: `path:first-last`.
    pub citation: String,
    /// The place of `text` in the document.
    pub span: Span,
    /// The character of its first line where `text` starts, from 1.
    #[serde(skip)]
    pub column: usize,
    /// How many lines the whole document has.
    pub lines_total: usize,
    /// The text, byte for byte.
    pub text: String,
    /// The chunks that contain some of the text, in order.
    pub chunks: Vec<ChunkPlace>,
    /// The links, if requested.
    pub links: Option<Links>,
}

/// The place of a chunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChunkPlace {
    /// The id of the chunk.
    pub id: Hash,
    /// The position among the document's chunks, from 0.
    pub ordinal: usize,
    /// The place in the document.
    pub span: Span,
    /// The headings or scopes that enclose the chunk, outermost first.
    pub trail: Vec<String>,
}

impl Index {
    /// Reads several targets from one state of the index. An error in one does not affect the
    /// others.
    pub fn read(&self, targets: &[Target], options: &ReadOptions) -> Vec<Result<DocumentText>> {
        // Without a snapshot nothing can be read either, and each target reports that.
        let _snapshot = self.store.truth.snapshot().ok();
        let read = targets.iter().map(|target| self.get_one(target, options));
        read.collect()
    }

    /// Reads one target.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDocument`] and [`Error::UnknownSection`] with a suggestion,
    /// [`Error::AmbiguousDocument`], [`Error::UnknownChunk`], [`Error::AmbiguousChunk`], or
    /// [`Error::Lines`] when the document ends before the first line.
    pub fn get(&self, target: &Target, options: &ReadOptions) -> Result<DocumentText> {
        let _snapshot = self.store.truth.snapshot().map_err(self.at())?;
        self.get_one(target, options)
    }

    fn get_one(&self, target: &Target, options: &ReadOptions) -> Result<DocumentText> {
        let document = match target {
            Target::Document { path }
            | Target::Lines { path, .. }
            | Target::Section { path, .. } => self.find(options, path)?,
            Target::Chunk { id } => return self.get_chunk(id, options),
        };
        let text = self.store.truth.text(document.text).map_err(self.at())?;
        let bytes = match target {
            Target::Lines {
                first,
                column,
                last,
                ..
            } => {
                let index = LineIndex::new(&text);
                if *first == 0 || last < first || *first > index.len() {
                    return Err(Error::Lines {
                        path: document.path,
                        first: *first,
                        last: *last,
                        count: index.len(),
                    });
                }
                let lines = index.lines(*first, *last);
                let line = &text[index.lines(*first, *first)];
                let before = line.char_indices().nth(column.saturating_sub(1));
                lines.start + before.map_or(line.len(), |(at, _)| at)..lines.end
            }
            Target::Section { section, .. } => {
                let sections = Sections::of(&document, &text);
                match sections.find(section) {
                    Some(section) => section.bytes.clone(),
                    None => {
                        return Err(Error::UnknownSection {
                            closest: sections.closest(section),
                            count: sections.len(),
                            path: document.path,
                            section: section.clone(),
                        });
                    }
                }
            }
            Target::Document { .. } | Target::Chunk { .. } => 0..text.len(),
        };
        self.cut_out(document, &text, bytes, options)
    }

    /// Reads the chunk whose id starts with `id`.
    fn get_chunk(&self, id: &str, options: &ReadOptions) -> Result<DocumentText> {
        let unknown = || Error::UnknownChunk { id: id.to_string() };
        let (from, to) = target::ids(id).ok_or_else(unknown)?;
        let truth = &self.store.truth;
        let mut found = Vec::new();
        for (document, ordinal) in truth.chunks_between(from, to).map_err(self.at())? {
            let document = truth.document(document).map_err(self.at())?;
            let wanted = document.filter(|document| options.holds(&document.root, &document.path));
            let Some(document) = wanted else { continue };
            let chunk = truth.chunk(document.id, ordinal).map_err(self.at())?;
            found.extend(chunk.map(|chunk| (document, chunk)));
        }
        let (document, chunk) = match found.len() {
            0 => return Err(unknown()),
            1 => found.remove(0),
            _ => {
                let citation = |(document, chunk): &(StoredDocument, StoredChunk)| {
                    citation(&document.path, &chunk.span)
                };
                return Err(Error::AmbiguousChunk {
                    id: id.to_string(),
                    citations: found.iter().map(citation).collect(),
                });
            }
        };
        let text = truth.text(document.text).map_err(self.at())?;
        self.cut_out(document, &text, chunk.bytes(), options)
    }

    /// The text at `bytes` of a document.
    fn cut_out(
        &self,
        document: StoredDocument,
        text: &str,
        bytes: std::ops::Range<usize>,
        options: &ReadOptions,
    ) -> Result<DocumentText> {
        let chunks = self.store.truth.chunks(document.id).map_err(self.at())?;
        // The chunks that contain some of it; between two chunks, the one before.
        let mut from = chunks.partition_point(|chunk| chunk.bytes().end <= bytes.start);
        let mut to = chunks.partition_point(|chunk| chunk.bytes().start < bytes.end);
        let mut bytes = bytes;
        if let Some(neighbours) = options.neighbours.filter(|_| !chunks.is_empty()) {
            if from >= to {
                from = to.saturating_sub(1);
                to = from + 1;
            }
            from = from.saturating_sub(neighbours);
            to = to.saturating_add(neighbours).min(chunks.len());
            let (first, last) = (chunks[from].bytes(), chunks[to - 1].bytes());
            bytes = first.start.min(bytes.start)..last.end.max(bytes.end);
        }
        let links = match options.links {
            true => {
                let mut resolver = Resolver::new(&self.store.truth, document.source);
                let links = resolver.links(&document, text, &bytes);
                let mut links = links.map_err(self.at())?;
                links.keep(|path| options.reaches(path));
                Some(links)
            }
            false => None,
        };
        let stat = self.store.truth.stat(document.id).map_err(self.at())?;
        let index = LineIndex::new(text);
        let span = index.span(bytes.clone());
        let line = index.lines(span.lines.0, span.lines.0);
        let before = text.get(line.start..bytes.start).unwrap_or_default();
        let chunks = chunks.into_iter().take(to).skip(from);
        Ok(DocumentText {
            citation: citation(&document.path, &span),
            source: PathBuf::from(document.root),
            path: document.path,
            title: document.title,
            first_heading: document.first_heading,
            metadata: document.metadata,
            size: stat.size,
            modified: stat.seconds(),
            encoding: document.encoding,
            span,
            column: before.chars().count() + 1,
            lines_total: index.len(),
            text: text.get(bytes).unwrap_or_default().to_string(),
            chunks: chunks.map(ChunkPlace::from).collect(),
            links,
        })
    }
}

impl From<StoredChunk> for ChunkPlace {
    fn from(chunk: StoredChunk) -> Self {
        ChunkPlace {
            id: chunk.id,
            ordinal: chunk.ordinal,
            span: chunk.span,
            trail: chunk.trail,
        }
    }
}

/// The place to open.
fn citation(path: &str, span: &Span) -> String {
    let (first, last) = span.lines;
    format!("{path}:{first}-{last}")
}
