//! What is read from a store: sources, documents and chunks without their texts.

use std::borrow::Cow;
use std::ops::Range;

use excerpt_chunk::{Document, Hash, Span, embedded_text};
use excerpt_readers::{FilePlace, FilePlaces};
use serde_json::{Map, Value};

use crate::analysis::Sections;
use crate::model::{DocumentId, Encoding, LastSync, Provenance, Revision, SourceId, Stat};
use crate::source::{self, Extraction};

/// The syntaxes of records, which are no prose: a table, a log, changes.
pub(crate) const RECORDS: [&str; 3] = ["csv", "log", "diff"];

/// A stored chunk without its text.
#[derive(Clone, Debug)]
pub(crate) struct StoredChunk {
    pub(crate) ordinal: usize,
    pub(crate) id: Hash,
    pub(crate) span: Span,
    pub(crate) trail: Vec<String>,
    pub(crate) sections: Vec<String>,
    pub(crate) defines: Vec<String>,
    pub(crate) kind: String,
    pub(crate) language: Option<String>,
    pub(crate) tokens: usize,
    /// Where the embedded text starts: at the overlap, if there is one.
    pub(crate) embedded_from: usize,
    pub(crate) header: String,
    /// The hash of its embedded text.
    pub(crate) input: Hash,
}

/// The properties of a chunk that affect its rank.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    pub(crate) defines: Vec<String>,
    /// The headings around it, outermost first.
    pub(crate) trail: Vec<String>,
    /// The headings inside it.
    pub(crate) sections: Vec<String>,
    /// The dates in the name of its file and in these headings, and those that its text is from.
    pub(crate) dates: Vec<String>,
}

impl StoredChunk {
    /// The bytes of the chunk in its document's text.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.span.bytes.clone()
    }

    /// Its embedded text, from its document's text.
    pub(crate) fn embedded<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        let own = text.get(self.embedded_from..self.span.bytes.end)?;
        Some(embedded_text(&self.header, own))
    }
}

/// A stored document without its text.
#[derive(Clone, Debug)]
pub(crate) struct StoredDocument {
    pub(crate) id: DocumentId,
    pub(crate) source: SourceId,
    /// The name of the collection, if the source is one.
    pub(crate) collection: Option<String>,
    pub(crate) path: String,
    pub(crate) title: Option<String>,
    pub(crate) first_heading: Option<String>,
    pub(crate) metadata: Map<String, Value>,
    /// What its source knows about it.
    pub(crate) provenance: Provenance,
    pub(crate) syntax: String,
    pub(crate) encoding: Encoding,
    /// How a reader has extracted its text; `None` for plain text.
    pub(crate) extraction: Option<Extraction>,
    pub(crate) text: Hash,
    pub(crate) rev: Revision,
    /// The metadata that its file had when it was indexed; `None` if what is stored is damaged.
    pub(crate) stat: Option<Stat>,
}

impl StoredDocument {
    /// The document with its text, to be parsed again.
    pub(crate) fn with_text<'a>(&'a self, text: &'a str) -> Document<'a> {
        source::document(&self.path, text, self.extraction.as_ref())
    }

    /// Where these bytes of its text, `part`, are in its file, of which the byte `at` matters most;
    /// `None` where the lines of the text tell it.
    pub(crate) fn place(&self, bytes: Range<usize>, part: &str, at: usize) -> Option<String> {
        let extraction = self.extraction.as_ref();
        source::place(extraction, self.is_subtitles(), bytes, part, at)
    }

    /// The bytes of its text at a place of its file.
    pub(crate) fn at_place(&self, text: &str, place: &FilePlace) -> Option<Range<usize>> {
        match &self.extraction {
            Some(extraction) => extraction.places.find(place, text.len()),
            None if self.is_subtitles() => FilePlaces::of_cues(text, 0).find(place, text.len()),
            None => None,
        }
    }

    /// Its sections; in source code, its definitions.
    pub(crate) fn sections(&self, text: &str) -> Sections {
        let document = self.with_text(text);
        match self.is_code() {
            true => Sections::of_code(&document),
            false => Sections::of(&document),
        }
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.syntax == "markdown"
    }

    /// Whether it is what is said in a recording, with the times.
    fn is_subtitles(&self) -> bool {
        self.syntax == "subtitles"
    }

    /// Whether it is records, and no prose: a table, a log, changes.
    pub(crate) fn is_records(&self) -> bool {
        RECORDS.contains(&&*self.syntax)
    }

    /// Whether it is source code.
    pub(crate) fn is_code(&self) -> bool {
        self.syntax == "code"
    }
}

/// A stored source.
#[derive(Clone, Debug)]
pub(crate) struct StoredSource {
    pub(crate) id: SourceId,
    /// The name of the collection, if it is one.
    pub(crate) name: Option<String>,
    pub(crate) last_sync: Option<LastSync>,
}

/// Counts over the documents of a source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) documents: usize,
    pub(crate) chunks: usize,
}

/// A document in a list.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) id: DocumentId,
    pub(crate) source: SourceId,
    pub(crate) path: String,
    pub(crate) title: Option<String>,
    pub(crate) first_heading: Option<String>,
    pub(crate) stat: Stat,
    pub(crate) syntax: String,
}
