//! From the bytes of a file to its text, whatever they are: plain text in some encoding, or a file
//! that a reader reads.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use excerpt_chunk::{Chunk, Chunking, Document, Hash};
use excerpt_readers::{Choice, ExtractedText, FilePlaces, ReadError, ReadLimits};
use serde::{Deserialize, Serialize};

use super::added::without_added;
use super::decode::decode;
use crate::model::{Encoding, Selection, Skip, SkipReason};

/// The text of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileText {
    /// The text, in UTF-8.
    pub text: String,
    /// How the file holds it.
    pub encoding: Encoding,
    /// How a reader has extracted it; `None` for plain text.
    pub extraction: Option<Extraction>,
}

/// How a reader has extracted a text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Extraction {
    /// The format of the file, or the program that has converted it, for users.
    pub by: String,
    /// Changes whenever the same file may give another text.
    pub reader: String,
    /// The hash of the file.
    pub file: Hash,
    /// The format of the text, as [`Document::with_language`] takes it: its file tells another one.
    pub language: String,
    /// Where its parts are in the file.
    pub places: FilePlaces,
}

impl Extraction {
    /// Where these bytes of the text are in its file, as the fragment of an address; the byte `at`
    /// matters most.
    ///
    /// A format without places of its own has headings: the innermost one around them, or the
    /// first one in them.
    #[must_use]
    pub fn place(
        &self,
        (bytes, at): (Range<usize>, usize),
        trail: &[impl AsRef<str>],
        sections: &[impl AsRef<str>],
    ) -> Option<String> {
        let heading = || {
            let around = trail.last().map(AsRef::as_ref);
            around.or(sections.first().map(AsRef::as_ref))
        };
        match self.places.is_empty() {
            true => heading().map(str::to_string),
            false => self.places.around(bytes, at).map(|place| place.to_string()),
        }
    }
}

impl FileText {
    /// Plain text.
    #[must_use]
    pub fn plain(text: String, encoding: Encoding) -> Self {
        FileText {
            text,
            encoding,
            extraction: None,
        }
    }

    /// The [place](Extraction::place) of each chunk; empty for plain text.
    #[must_use]
    pub fn places(&self, chunking: &Chunking<'_>) -> Vec<Option<String>> {
        match self.extraction {
            Some(_) => chunking
                .chunks
                .iter()
                .map(|chunk| self.place(chunk))
                .collect(),
            None => Vec::new(),
        }
    }

    /// The [place](Extraction::place) of a chunk; `None` where its lines tell it.
    #[must_use]
    pub fn place(&self, chunk: &Chunk<'_>) -> Option<String> {
        let extraction = self.extraction.as_ref()?;
        let bytes = chunk.span.bytes.clone();
        extraction.place(
            (bytes.clone(), bytes.start),
            &chunk.context.trail,
            &chunk.sections,
        )
    }

    /// The text as the document at `path`.
    #[must_use]
    pub fn document<'a>(&'a self, path: &'a str) -> Document<'a> {
        document(path, &self.text, self.extraction.as_ref())
    }
}

/// The text at `path`, which a reader may have extracted, as a document.
pub(crate) fn document<'a>(
    path: &'a str,
    text: &'a str,
    extraction: Option<&'a Extraction>,
) -> Document<'a> {
    let document = Document::new(text).with_path(path);
    match extraction {
        Some(extraction) => document.with_language(&extraction.language),
        None => document,
    }
}

impl Selection {
    /// The text in the bytes of the file at `path`, or the reason for which it is skipped.
    ///
    /// # Errors
    ///
    /// The skip.
    pub fn text(&self, path: &str, bytes: Vec<u8>) -> Result<FileText, Skip> {
        self.text_until(path, bytes, &AtomicBool::new(false))
    }

    /// The same, unless `stop` is set first.
    pub(crate) fn text_until(
        &self,
        path: &str,
        bytes: Vec<u8>,
        stop: &AtomicBool,
    ) -> Result<FileText, Skip> {
        let text = self.any_text(path, bytes, stop)?;
        match self.withholds(path, &text.text) {
            Some(secret) => Err(Skip::new(path, SkipReason::Secret).with_detail(secret)),
            None => Ok(text),
        }
    }

    /// The text, with a secret in it or not.
    fn any_text(&self, path: &str, bytes: Vec<u8>, stop: &AtomicBool) -> Result<FileText, Skip> {
        let choice = self.readers.choose(path);
        if let (Some(reader), Some(version)) = (choice.reader(&bytes), choice.version()) {
            let limits = ReadLimits::default().stopped_by(stop);
            let read = reader.read(&bytes, &limits);
            let read = read.map_err(|error| not_read(path, &error))?;
            return Ok(extracted(read, &choice, version, &bytes));
        }
        if let Choice::Missing(format) = choice
            && format.is_certain(&bytes)
        {
            return Err(Skip::new(path, SkipReason::NoReader).with_detail(format.wanted()));
        }
        let (text, encoding) = decode(bytes).map_err(|reason| Skip::new(path, reason))?;
        Ok(FileText::plain(without_added(text), encoding))
    }
}

fn extracted(read: ExtractedText, by: &Choice<'_>, reader: String, bytes: &[u8]) -> FileText {
    let language = match read.is_markdown {
        true => "markdown",
        // What it is then, its content shows.
        false => "text",
    };
    FileText {
        extraction: Some(Extraction {
            by: by.name().unwrap_or_default().to_string(),
            reader,
            file: Hash::of(bytes),
            language: language.to_string(),
            places: read.places,
        }),
        text: read.text,
        encoding: Encoding::Extracted,
    }
}

fn not_read(path: &str, error: &ReadError) -> Skip {
    Skip::new(path, SkipReason::NotRead).with_detail(error)
}
