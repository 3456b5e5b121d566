//! Reading documents, parts of them and chunks.

use excerpt_chunk::LineIndex;

use super::Index;
use super::open::OpenIndex;
use crate::model::{Error, Result, segments};
use crate::read::{
    ChunkPlace, Closest, DocumentText, ReadOptions, Resolver, Sections, Target, citation, ids,
};
use crate::store::{StoredChunk, StoredDocument};

impl Index {
    /// Reads several targets from one state of the index. An error in one does not affect the
    /// others.
    pub fn read(&self, targets: &[Target], options: &ReadOptions) -> Vec<Result<DocumentText>> {
        let read = self.current(|open| Ok(open.read(targets, options)));
        read.unwrap_or_else(|_| {
            let targets = targets.iter();
            targets.map(|target| self.get(target, options)).collect()
        })
    }

    /// Reads one target.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDocument`] and [`Error::UnknownSection`] with a suggestion,
    /// [`Error::AmbiguousDocument`], [`Error::UnknownChunk`], [`Error::AmbiguousChunk`], or
    /// [`Error::Lines`] when the document ends before the first line.
    pub fn get(&self, target: &Target, options: &ReadOptions) -> Result<DocumentText> {
        self.current(|open| open.get(target, options))
    }
}

impl OpenIndex {
    fn read(&self, targets: &[Target], options: &ReadOptions) -> Vec<Result<DocumentText>> {
        // Without a snapshot nothing can be read either, and each target reports that.
        let _snapshot = self.store.database.snapshot().ok();
        let read = targets.iter().map(|target| self.get_one(target, options));
        read.collect()
    }

    fn get(&self, target: &Target, options: &ReadOptions) -> Result<DocumentText> {
        let _snapshot = self.store.database.snapshot().map_err(self.at())?;
        self.get_one(target, options)
    }

    fn get_one(&self, target: &Target, options: &ReadOptions) -> Result<DocumentText> {
        let document = match target {
            Target::Document { path }
            | Target::Lines { path, .. }
            | Target::Section { path, .. } => self.find(options, path)?,
            Target::Chunk { id } => return self.get_chunk(id, options),
        };
        let text = self.store.database.text(document.text).map_err(self.at())?;
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
        let (from, to) = ids(id).ok_or_else(unknown)?;
        let database = &self.store.database;
        let mut found = Vec::new();
        for key in database.chunks_between(from, to).map_err(self.at())? {
            let document = database.document(key.document).map_err(self.at())?;
            let wanted =
                document.filter(|document| options.holds(&document.source, &document.path));
            let Some(document) = wanted else { continue };
            let chunk = database.chunk(key).map_err(self.at())?;
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
        let text = database.text(document.text).map_err(self.at())?;
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
        let chunks = self.store.database.chunks(document.id).map_err(self.at())?;
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
                let mut resolver = Resolver::new(&self.store.database, &document.source);
                let links = resolver.links(&document, text, &bytes);
                let mut links = links.map_err(self.at())?;
                links.keep(|path| options.reaches(path));
                Some(links)
            }
            false => None,
        };
        let stat = self.store.database.stat(document.id).map_err(self.at())?;
        let index = LineIndex::new(text);
        let span = index.span(bytes.clone());
        let line = index.lines(span.lines.0, span.lines.0);
        let before = text.get(line.start..bytes.start).unwrap_or_default();
        let chunks = chunks.into_iter().take(to).skip(from);
        Ok(DocumentText {
            citation: citation(&document.path, &span),
            source: document.source.path().into(),
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

    /// The document at `path`, among those that may be read. Without the root of a source, only one
    /// source may have such a document.
    pub(crate) fn find(&self, options: &ReadOptions, path: &str) -> Result<StoredDocument> {
        let path = segments(path);
        let mut found = self.store.database.documents_at(&path).map_err(self.at())?;
        found.retain(|document| options.holds(&document.source, &document.path));
        match found.len() {
            0 => Err(self.unknown(options, path)?),
            1 => Ok(found.remove(0)),
            _ => Err(Error::AmbiguousDocument {
                path,
                sources: found
                    .into_iter()
                    .map(|document| document.source.path().into())
                    .collect(),
            }),
        }
    }

    /// Why a document was not found.
    fn unknown(&self, options: &ReadOptions, path: String) -> Result<Error> {
        let source = options.source.as_deref();
        let id = match source.map(|root| self.source(root)).transpose() {
            Ok(id) => id,
            Err(unknown) => return Ok(unknown),
        };
        if options.reaches(&path)
            && let Some(skip) = self
                .store
                .database
                .skip_at(id.as_ref(), &path)
                .map_err(self.at())?
        {
            return Ok(Error::Skipped { path, skip });
        }
        let mut closest = Closest::new(&path);
        self.store
            .database
            .each_path(id.as_ref(), |known| {
                if options.reaches(known) {
                    closest.offer(known);
                }
            })
            .map_err(self.at())?;
        let closest = closest.found();
        Ok(Error::UnknownDocument { path, closest })
    }
}
