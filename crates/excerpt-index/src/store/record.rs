//! What the database stores for a document, as a sync passes it on: a [`Record`] with its
//! [`ChunkRow`]s, in a [`Change`]. It is built from the chunks of the document, or from its
//! [`Twin`] in another source.

use std::collections::BTreeSet;
use std::ops::Range;

use excerpt_chunk::{Chunk, Chunking, Document, Hash, Kind, Strength, dates, embedded_text};
use serde::Serialize;
use serde_json::{Map, Value};

use super::compress::{Level, compressed};
use super::error::StoreError;
use super::facet;
use super::link::{LinkForm, LinkRow};
use crate::analysis::shared_labels;
use crate::model::{Attributes, DocumentId, Encoding, Provenance, Skip, SkipReason, Stat};
use crate::source::Extraction;

/// A change to the documents of a source.
#[derive(Debug)]
pub(crate) enum Change {
    /// The document is new or has changed.
    Put(Box<Record>),
    /// The text is unchanged, although the metadata of the file differs.
    Touch {
        id: DocumentId,
        stat: Stat,
        settled: bool,
        encoding: Encoding,
    },
    /// The document no longer exists.
    Remove { id: DocumentId },
}

/// What is known about a document besides its text and its settings.
pub(crate) struct Described<'a> {
    pub(crate) attributes: &'a Attributes,
    pub(crate) provenance: &'a Provenance,
    /// How a reader has extracted its text.
    pub(crate) extraction: Option<&'a Extraction>,
    /// The language of the document.
    pub(crate) language: Option<&'a str>,
}

/// A document with its chunks.
#[derive(Debug)]
pub(crate) struct Record {
    /// The id of the document that it replaces.
    pub(crate) id: Option<DocumentId>,
    pub(crate) path: String,
    pub(crate) stat: Stat,
    pub(crate) settled: bool,
    pub(crate) encoding: Encoding,
    pub(crate) hash: Hash,
    pub(crate) bytes: usize,
    pub(crate) zstd: Vec<u8>,
    pub(crate) title: Option<String>,
    pub(crate) first_heading: Option<String>,
    pub(crate) metadata: String,
    pub(crate) syntax: String,
    pub(crate) strategy: String,
    pub(crate) reason: String,
    pub(crate) warnings: String,
    pub(crate) identity: Hash,
    /// Its facets: names and values.
    pub(crate) facets: BTreeSet<(String, String)>,
    pub(crate) chunks: Vec<ChunkRow>,
    pub(crate) links: Vec<LinkRow>,
}

/// A stored chunk: a place in the text, and its other properties.
#[derive(Debug)]
pub(crate) struct ChunkRow {
    pub(crate) id: Hash,
    pub(crate) bytes: Range<usize>,
    pub(crate) lines: (usize, usize),
    pub(crate) overlap_start: Option<usize>,
    pub(crate) trail: String,
    pub(crate) sections: String,
    pub(crate) dates: String,
    pub(crate) defines: String,
    pub(crate) header: String,
    pub(crate) kind: String,
    pub(crate) name: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) tokens: usize,
    pub(crate) part: (usize, usize),
    pub(crate) strength: String,
    pub(crate) cut: String,
    pub(crate) hash: Hash,
    pub(crate) warnings: String,
    pub(crate) input: Hash,
}

impl Record {
    /// Builds the record of a document from its chunks, and compresses the text.
    pub(crate) fn new(
        document: &Document<'_>,
        chunking: &Chunking<'_>,
        hash: Hash,
        identity: Hash,
        known: &Described<'_>,
    ) -> Result<Self, StoreError> {
        let text = document.text();
        let info = &chunking.document;
        let attributes = known.attributes;
        let syntax = match (known.language, known.extraction) {
            (Some(_), None) => document.syntax(),
            _ => document.read_as(),
        };
        let syntax = word(&syntax)?;
        let chunks = chunking.chunks.iter();
        let chunks = chunks.map(|chunk| ChunkRow::new(chunk, text));
        let mut chunks = chunks.collect::<Result<Vec<_>, StoreError>>()?;
        // The attributes of a document are searchable even if it has no text.
        if chunks.is_empty() && *attributes != Attributes::default() {
            let title = info.title.as_deref().unwrap_or_default();
            chunks.push(ChunkRow::of_nothing(document, title)?);
        }
        let path = document.path().unwrap_or_default();
        let links = info.links.iter();
        let labels = shared_labels(document).into_iter();
        let language = known.language.unwrap_or(&syntax);
        let (metadata, facets) = facet::described(&info.metadata, known, language, &info.dates);
        Ok(Record {
            id: None,
            path: path.to_string(),
            stat: Stat::default(),
            settled: false,
            encoding: Encoding::default(),
            hash,
            bytes: text.len(),
            zstd: compressed(text.as_bytes(), Level::Small)?,
            title: info.title.as_deref().map(str::to_string),
            first_heading: info.first_heading.as_deref().map(str::to_string),
            facets,
            metadata: serde_json::to_string(&metadata)?,
            syntax,
            strategy: chunking.strategy.name().to_string(),
            reason: chunking.reason.clone(),
            warnings: serde_json::to_string(&chunking.warnings)?,
            identity,
            chunks,
            links: links
                .filter_map(|link| LinkRow::new(link, path))
                .chain(labels.map(|(start, label)| LinkRow::label(LinkForm::Anchor, label, start)))
                .collect(),
        })
    }

    /// Builds the record of a document from its twin, which has the same text. `None` if that
    /// cannot tell which dates are those of the document itself.
    pub(crate) fn of_twin(
        twin: Twin,
        text: &str,
        identity: Hash,
        known: &Described<'_>,
    ) -> Result<Option<Self>, StoreError> {
        // In place of a date of its own, a document has that of its last commit.
        let day = facet::commit_day(&twin.provenance).map(facet::folded);
        let is_of_commit = |date: &String| day.as_ref() == Some(date);
        let is_unclear = twin.dates.iter().any(is_of_commit);
        // Whether a document without text has a chunk depends on its attributes.
        let is_blank = twin.record.chunks.iter().all(|chunk| chunk.tokens == 0);
        if is_blank || (is_unclear && twin.provenance != *known.provenance) {
            return Ok(None);
        }
        let (metadata, facets) =
            facet::described(&twin.metadata, known, &twin.language, &twin.dates);
        Ok(Some(Record {
            bytes: text.len(),
            zstd: compressed(text.as_bytes(), Level::Small)?,
            metadata: serde_json::to_string(&metadata)?,
            facets,
            identity,
            ..*twin.record
        }))
    }
}

/// A document of another source at the same path, split with the same settings. If its text is the
/// same, too, so are its chunks.
#[derive(Debug)]
pub(crate) struct Twin {
    /// Its record, without the text, the metadata and the facets.
    pub(crate) record: Box<Record>,
    /// Its front matter.
    pub(crate) metadata: Map<String, Value>,
    pub(crate) provenance: Provenance,
    pub(crate) language: String,
    /// The days that it is found by.
    pub(crate) dates: Vec<String>,
}

impl ChunkRow {
    fn new(chunk: &Chunk<'_>, text: &str) -> Result<Self, StoreError> {
        Ok(ChunkRow {
            id: chunk.id,
            bytes: chunk.span.bytes.clone(),
            lines: chunk.span.lines,
            overlap_start: chunk.overlap.as_ref().map(|overlap| overlap.bytes.start),
            trail: serde_json::to_string(&chunk.context.trail)?,
            sections: serde_json::to_string(&chunk.sections)?,
            dates: serde_json::to_string(&chunk.dates)?,
            defines: serde_json::to_string(&chunk.defines)?,
            header: chunk.context.header.clone(),
            kind: word(&chunk.kind)?,
            name: chunk.name.as_deref().map(str::to_string),
            language: chunk.language.as_deref().map(str::to_string),
            tokens: chunk.size.total,
            part: (chunk.part.index, chunk.part.count),
            strength: word(&chunk.cut.strength)?,
            cut: chunk.cut.reason.clone(),
            hash: chunk.hash,
            warnings: serde_json::to_string(&chunk.warnings)?,
            input: Hash::of(chunk.embedded(text).as_bytes()),
        })
    }
}

impl ChunkRow {
    /// The chunk of a document without text.
    fn of_nothing(document: &Document<'_>, title: &str) -> Result<Self, StoreError> {
        let (text, path) = (document.text(), document.path().unwrap_or_default());
        let name = path.rsplit('/').next().unwrap_or_default();
        let dates: Vec<String> = dates(name).collect();
        let header = match title {
            "" => String::new(),
            title => format!("{title}\n\n"),
        };
        Ok(ChunkRow {
            id: Hash::of(format!("{path}\0{text}").as_bytes()),
            bytes: 0..text.len(),
            lines: (1, text.lines().count().max(1)),
            overlap_start: None,
            trail: "[]".to_string(),
            sections: "[]".to_string(),
            dates: serde_json::to_string(&dates)?,
            defines: "[]".to_string(),
            kind: word(&Kind::Document)?,
            name: None,
            language: None,
            tokens: 0,
            part: (1, 1),
            strength: word(&Strength::Start)?,
            cut: "start".to_string(),
            hash: Hash::of(text.as_bytes()),
            warnings: "[]".to_string(),
            input: Hash::of(embedded_text(&header, text).as_bytes()),
            header,
        })
    }
}

/// The JSON name of a plain enum value.
fn word(value: &impl Serialize) -> Result<String, StoreError> {
    match serde_json::to_value(value)? {
        Value::String(word) => Ok(word),
        _ => Err(StoreError::Value("a kind that is not a string")),
    }
}

/// What the database has stored for a document, as far as a sync compares it.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) id: DocumentId,
    pub(crate) path: String,
    pub(crate) stat: Stat,
    pub(crate) settled: bool,
    pub(crate) encoding: Encoding,
    pub(crate) hash: Hash,
    pub(crate) identity: Hash,
    /// If a reader has extracted its text, the [`Extraction::version`] and the
    /// [`Extraction::file`].
    pub(crate) extracted: Option<(String, Hash)>,
}

/// A stored skip. One that required reading the file has its metadata, so that it is read only
/// once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkipRow {
    pub(crate) skip: Skip,
    pub(crate) stat: Option<Stat>,
    pub(crate) settled: bool,
    /// What would have read it, as [`Extraction::version`] names it.
    pub(crate) reader: Option<String>,
}

impl SkipRow {
    /// Whether a file with this metadata, which `reader` would read, can be skipped again without
    /// reading it. The size limit, and the rules for secrets, may have changed.
    pub(crate) fn still_holds(&self, stat: Stat, reader: Option<&str>) -> bool {
        self.settled
            && self.stat == Some(stat)
            && self.reader.as_deref() == reader
            && !matches!(
                self.skip.reason,
                SkipReason::TooLarge | SkipReason::TooManyChunks | SkipReason::Secret
            )
    }
}
