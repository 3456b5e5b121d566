//! [`Reader`]: reads documents, parts of them and chunks.

use std::ops::Range;

use excerpt_chunk::LineIndex;
use excerpt_readers::FilePlace;

use super::{
    ChunkPlace, Closest, DocumentText, Links, ReadOptions, Resolver, Target, citation, ids,
};
use crate::model::{Error, SourceId, segments};
use crate::store::catalog::Catalog;
use crate::store::{StoreError, StoredChunk, StoredDocument};

/// Reads from one state of an index.
pub(crate) struct Reader<'a> {
    catalog: &'a dyn Catalog,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(catalog: &'a dyn Catalog) -> Self {
        Reader { catalog }
    }
}

impl Reader<'_> {
    /// Reads one target.
    pub(crate) fn get(
        &self,
        target: &Target,
        options: &ReadOptions,
    ) -> Result<DocumentText, StoreError> {
        let document = match target {
            Target::Document { path }
            | Target::Lines { path, .. }
            | Target::Section { path, .. } => self.find(options, path)?,
            Target::Chunk { id } => return self.get_chunk(id, options),
        };
        let text = self.catalog.text(document.text)?;
        let bytes = match target {
            Target::Lines {
                first,
                column,
                last,
                ..
            } => line_bytes(&document, &text, (*first, *column), *last)?,
            Target::Section { section, .. } => section_bytes(&document, &text, section)?,
            Target::Document { .. } | Target::Chunk { .. } => 0..text.len(),
        };
        self.cut_out(document, &text, bytes, options)
    }

    /// Reads the chunk whose id starts with `id`.
    fn get_chunk(&self, id: &str, options: &ReadOptions) -> Result<DocumentText, StoreError> {
        let unknown = || Error::UnknownChunk { id: id.to_string() };
        let (from, to) = ids(id).ok_or_else(unknown)?;
        let mut found = self.catalog.chunks_between(from, to)?;
        found.retain(|(document, _)| options.holds(&document.source, &document.path));
        let (document, chunk) = match found.len() {
            0 => return Err(unknown().into()),
            1 => found.remove(0),
            _ => {
                let citation = |(document, chunk): &(StoredDocument, StoredChunk)| {
                    let place = document.place(chunk.bytes(), "", chunk.span.bytes.start);
                    citation(&document.path, &chunk.span, place.as_deref())
                };
                let error = Error::AmbiguousChunk {
                    id: id.to_string(),
                    citations: found.iter().map(citation).collect(),
                };
                return Err(error.into());
            }
        };
        let text = self.catalog.text(document.text)?;
        self.cut_out(document, &text, chunk.bytes(), options)
    }

    /// The text at `bytes` of a document.
    fn cut_out(
        &self,
        document: StoredDocument,
        text: &str,
        bytes: Range<usize>,
        options: &ReadOptions,
    ) -> Result<DocumentText, StoreError> {
        let chunks = self.catalog.chunks(document.id)?;
        let (bytes, chunks) = widened(chunks, bytes, options.neighbours);
        let links = self.links(&document, text, &bytes, options)?;
        let stat = document
            .stat
            .ok_or(StoreError::Value("damaged metadata of a file"))?;
        let index = LineIndex::new(text);
        let span = index.span(bytes.clone());
        let line = index.lines(span.lines.0, span.lines.0);
        let before = text.get(line.start..bytes.start).unwrap_or_default();
        let part = text.get(bytes.clone()).unwrap_or_default();
        Ok(DocumentText {
            place: document.place(bytes, part, span.bytes.start),
            citation: citation(&document.path, &span, None),
            source: document.source.path().into(),
            path: document.path,
            title: document.title,
            first_heading: document.first_heading,
            metadata: document.metadata,
            provenance: document.provenance,
            size: stat.size,
            modified: stat.seconds(),
            encoding: document.encoding,
            span,
            column: before.chars().count() + 1,
            lines_total: index.len(),
            extraction: document.extraction,
            text: part.to_string(),
            chunks: chunks.into_iter().map(ChunkPlace::from).collect(),
            links,
        })
    }

    /// The links of the `bytes` of a document, if they are wanted.
    fn links(
        &self,
        document: &StoredDocument,
        text: &str,
        bytes: &Range<usize>,
        options: &ReadOptions,
    ) -> Result<Option<Links>, StoreError> {
        if !options.links {
            return Ok(None);
        }
        let mut resolver = Resolver::new(self.catalog, &document.source, options);
        let mut links = resolver.links(document, text, bytes)?;
        links.keep(|path| options.reaches(path));
        Ok(Some(links))
    }

    /// Whether a document at `path` may be read.
    pub(crate) fn has(&self, path: &str, options: &ReadOptions) -> Result<bool, StoreError> {
        Ok(!self.readable(options, &segments(path))?.is_empty())
    }

    /// The documents at `path` that may be read, one of each source.
    fn readable(
        &self,
        options: &ReadOptions,
        path: &str,
    ) -> Result<Vec<StoredDocument>, StoreError> {
        let mut found = self.catalog.documents_at(None, path)?;
        found.retain(|document| options.holds(&document.source, &document.path));
        Ok(found)
    }

    /// The document at `path`, among those that may be read. Without the root of a source, only one
    /// source may have such a document.
    fn find(&self, options: &ReadOptions, path: &str) -> Result<StoredDocument, StoreError> {
        let path = segments(path);
        let mut found = self.readable(options, &path)?;
        match found.len() {
            0 => Err(self.unknown(options, path)?.into()),
            1 => Ok(found.remove(0)),
            _ => {
                let sources = found.into_iter();
                let sources = sources.map(|document| document.source.path().into());
                Err(Error::AmbiguousDocument {
                    path,
                    sources: sources.collect(),
                }
                .into())
            }
        }
    }

    /// Why a document was not found.
    fn unknown(&self, options: &ReadOptions, path: String) -> Result<Error, StoreError> {
        let source: Option<SourceId> = options.source.as_deref().map(SourceId::from);
        if options.reaches(&path)
            && let Some(skip) = self.catalog.skip_at(source.as_ref(), &path)?
        {
            return Ok(Error::Skipped { path, skip });
        }
        let mut closest = Closest::new(&path);
        self.catalog.each_path(source.as_ref(), &mut |known| {
            if options.reaches(known) {
                closest.offer(known);
            }
        })?;
        let closest = closest.found();
        Ok(Error::UnknownDocument { path, closest })
    }
}

/// The bytes from a line and column up to the end of the line `last`.
fn line_bytes(
    document: &StoredDocument,
    text: &str,
    (first, column): (usize, usize),
    last: usize,
) -> Result<Range<usize>, Error> {
    let index = LineIndex::new(text);
    if first == 0 || last < first || first > index.len() {
        return Err(Error::Lines {
            path: document.path.clone(),
            first,
            last,
            count: index.len(),
        });
    }
    let lines = index.lines(first, last);
    let line = &text[index.lines(first, first)];
    let before = line.char_indices().nth(column.saturating_sub(1));
    Ok(lines.start + before.map_or(line.len(), |(at, _)| at)..lines.end)
}

/// The bytes of a section.
fn section_bytes(
    document: &StoredDocument,
    text: &str,
    section: &str,
) -> Result<Range<usize>, Error> {
    if let Some(place) = FilePlace::parse(section)
        && let Some(bytes) = document.at_place(text, &place)
    {
        return Ok(bytes);
    }
    let sections = document.sections(text);
    match sections.find(section) {
        Some(section) => Ok(section.bytes.clone()),
        None => Err(Error::UnknownSection {
            closest: sections.closest(section),
            count: sections.len(),
            path: document.path.clone(),
            section: section.to_string(),
        }),
    }
}

/// The `bytes` together with the neighbouring chunks that are wanted, and the chunks that contain
/// some of it; between two chunks, the one before.
fn widened(
    chunks: Vec<StoredChunk>,
    mut bytes: Range<usize>,
    neighbours: Option<usize>,
) -> (Range<usize>, Vec<StoredChunk>) {
    let mut from = chunks.partition_point(|chunk| chunk.bytes().end <= bytes.start);
    let mut to = chunks.partition_point(|chunk| chunk.bytes().start < bytes.end);
    if let Some(neighbours) = neighbours.filter(|_| !chunks.is_empty()) {
        if from >= to {
            from = to.saturating_sub(1);
            to = from + 1;
        }
        from = from.saturating_sub(neighbours);
        to = to.saturating_add(neighbours).min(chunks.len());
        let (first, last) = (chunks[from].bytes(), chunks[to - 1].bytes());
        bytes = first.start.min(bytes.start)..last.end.max(bytes.end);
    }
    let chunks = chunks.into_iter().take(to).skip(from).collect();
    (bytes, chunks)
}
