//! Which reader a file has: [`Readers`], those of this build and the converters of the user.

use std::sync::Arc;

use crate::converter::Converter;
use crate::format::{FileFormat, format_of, formats};
use crate::limits::ReadLimits;
use crate::reader::{ExtractedText, FileReader, ReadError};

/// What reads files that are not plain text: the converters of the user, then the readers of this
/// build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readers(Arc<[Converter]>);

/// How a file is read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Choice<'a> {
    /// It is plain text, as far as its name tells.
    Text,
    /// A converter of the user's reads it.
    Converter(&'a Converter),
    /// A reader reads it, if its contents are of this format.
    Reader(&'static FileFormat, &'static dyn FileReader),
    /// Nothing in this build reads its format.
    Missing(&'static FileFormat),
}

impl Readers {
    /// The readers of this build, and before them these converters: the first one whose pattern
    /// matches reads a file.
    #[must_use]
    pub fn with(converters: Vec<Converter>) -> Self {
        Readers(converters.into())
    }

    /// Whether there are no converters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Changes whenever any file may be read otherwise: with the converters, and with the formats
    /// and readers of this build.
    #[must_use]
    pub fn version(&self) -> String {
        let converters = self
            .0
            .iter()
            .map(|converter| Choice::Converter(converter).version());
        let formats = formats().map(|format| match format.reader {
            Some(reader) => Choice::Reader(format, reader).version(),
            None => Some(format.name.to_string()),
        });
        let versions: Vec<String> = converters.chain(formats).flatten().collect();
        versions.join("\0")
    }

    /// How the file at `path` is read, by its name.
    #[must_use]
    pub fn choose(&self, path: &str) -> Choice<'_> {
        if let Some(converter) = self.0.iter().find(|converter| converter.reads(path)) {
            return Choice::Converter(converter);
        }
        match format_of(path) {
            None => Choice::Text,
            Some(format) => match format.reader {
                Some(reader) => Choice::Reader(format, reader),
                None => Choice::Missing(format),
            },
        }
    }
}

impl<'a> Choice<'a> {
    /// What reads a file with these contents; `None` if it is plain text, or nothing reads it.
    #[must_use]
    pub fn reader(&self, bytes: &[u8]) -> Option<ChosenReader<'a>> {
        let (reader, name): (&dyn FileReader, _) = match *self {
            Choice::Converter(converter) => (converter, converter.program()),
            Choice::Reader(format, reader) if format.accepts(bytes) => (reader, format.name),
            _ => return None,
        };
        Some(ChosenReader {
            reader,
            name,
            version: self.version()?,
        })
    }

    /// Changes whenever the same file may give another text; `None` without a reader.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        match self {
            Choice::Converter(converter) => Some(converter.identity()),
            Choice::Reader(format, reader) => Some(format!("{} {}", format.name, reader.version())),
            Choice::Text | Choice::Missing(_) => None,
        }
    }
}

/// What reads a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChosenReader<'a> {
    /// The reader.
    pub reader: &'a dyn FileReader,
    /// What it is called for users: the name of a format, or a program.
    pub name: &'a str,
    /// Changes whenever the same file may give another text.
    pub version: String,
}

impl FileReader for Converter {
    fn version(&self) -> u32 {
        1
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        self.convert(bytes, limits)
    }
}
