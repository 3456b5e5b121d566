//! From the bytes of a file to its text, whatever they are: plain text in some encoding, or a file
//! that a reader reads.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[cfg(doc)]
use excerpt_chunk::Chunk;
use excerpt_chunk::{Chunking, Document, Hash, Syntax};
use excerpt_readers::{Choice, ChosenReader, ExtractedText, FilePlace, FilePlaces, ReadLimits};
use serde::{Deserialize, Serialize};

use super::added::without_added;
use super::decode::decode;
use crate::analysis::{Section, Sections};
use crate::fs::open::Refused;
use crate::model::{Encoding, Selection, Skip, SkipReason};

/// How long a reader may take for one file. A converter has a limit of its own.
const TIME: Duration = Duration::from_secs(20);

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
    /// What has read the file, for users: the name of its format, or a program.
    pub reader: String,
    /// Changes whenever the same file may give another text.
    pub version: String,
    /// The hash of the file.
    pub file: Hash,
    /// The format of the text, as [`Document::extracted_as`] takes it: its file tells another one.
    pub language: String,
    /// Where its parts are in the file: by its own places, or by its headings.
    pub places: FilePlaces,
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

    /// Sets the [`place`](Chunk::place) of each chunk of `document`, which has this text.
    pub fn place_chunks(&self, document: &Document<'_>, chunking: &mut Chunking<'_>) {
        let is_subtitles = self.extraction.is_none() && document.read_as() == Syntax::Subtitles;
        for chunk in &mut chunking.chunks {
            let (bytes, extraction) = (chunk.span.bytes.clone(), self.extraction.as_ref());
            let at = bytes.start;
            chunk.place = place(extraction, is_subtitles, bytes, chunk.text, at);
        }
    }

    /// The text as the document at `path`.
    #[must_use]
    pub fn document<'a>(&'a self, path: &'a str) -> Document<'a> {
        document(path, &self.text, self.extraction.as_ref())
    }
}

/// Where these bytes of a text, `part`, are in its file, of which the byte `at` matters most, as
/// the fragment of an address; `None` where the lines of the text tell it.
pub(crate) fn place(
    extraction: Option<&Extraction>,
    is_subtitles: bool,
    bytes: Range<usize>,
    part: &str,
    at: usize,
) -> Option<String> {
    let place = match extraction {
        Some(extraction) => extraction.places.cited(bytes, at)?,
        None if is_subtitles => FilePlaces::of_cues(part, bytes.start).cited(bytes, at)?,
        None => return None,
    };
    Some(place.to_string())
}

/// The text at `path`, which a reader may have extracted, as a document.
pub(crate) fn document<'a>(
    path: &'a str,
    text: &'a str,
    extraction: Option<&'a Extraction>,
) -> Document<'a> {
    let document = Document::new(text).with_path(path);
    match extraction {
        Some(extraction) => document.extracted_as(&extraction.language),
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
        if let Some(chosen) = choice.reader(&bytes) {
            let limits = ReadLimits::default().within(TIME).stopped_by(stop);
            let read = chosen.reader.read(&bytes, &limits);
            let read =
                read.map_err(|error| Skip::new(path, SkipReason::NotRead).with_detail(error))?;
            return Ok(extracted(read, &chosen, &bytes));
        }
        match choice {
            Choice::Missing(format) if format.has_signature(&bytes) => {
                let skip = Skip::new(path, SkipReason::NoReader);
                return Err(skip.with_detail(format.missing_reader()));
            }
            // It was allowed the size of a file that a reader reads.
            Choice::Reader(..) if bytes.len() as u64 > self.max_file_size() => {
                let (size, limit) = (bytes.len() as u64, self.max_file_size());
                let refused = Refused::TooLarge { size, limit }.skip(path);
                return Err(refused.unwrap_or_else(|| Skip::new(path, SkipReason::TooLarge)));
            }
            _ => (),
        }
        let (text, encoding) = decode(bytes).map_err(|reason| Skip::new(path, reason))?;
        Ok(FileText::plain(without_added(text), encoding))
    }
}

fn extracted(read: ExtractedText, by: &ChosenReader<'_>, bytes: &[u8]) -> FileText {
    let places = match read.places.is_empty() && read.language == "markdown" {
        true => headings(&read.text),
        false => read.places,
    };
    FileText {
        extraction: Some(Extraction {
            reader: by.name.to_string(),
            version: by.version.clone(),
            file: Hash::of(bytes),
            language: read.language.to_string(),
            places,
        }),
        text: read.text,
        encoding: Encoding::Extracted,
    }
}

/// The sections of a text as places, each up to the next heading.
fn headings(text: &str) -> FilePlaces {
    let mut places = FilePlaces::default();
    // The sections around, outermost first.
    let mut around: Vec<&Section> = Vec::new();
    let sections = Sections::in_markdown(text);
    for section in sections.iter() {
        around.retain(|outer| outer.bytes.end > section.bytes.start);
        around.push(section);
        // A heading of punctuation has no name.
        let mut inner = around.iter().rev();
        let named = inner.find(|section| !section.slug.is_empty());
        let slug = named.map_or_else(String::new, |section| section.slug.clone());
        places.push(section.bytes.start, FilePlace::Section(slug));
    }
    places
}
