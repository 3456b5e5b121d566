//! [`FileReader`]: from the bytes of a file to a text with places.

use std::fmt;

use crate::limits::ReadLimits;
use crate::place::FilePlaces;

/// Reads the files of one format.
pub trait FileReader: fmt::Debug + Send + Sync {
    /// Changes whenever the same file gives a different text or different places.
    fn version(&self) -> u32;

    /// The text of a file.
    ///
    /// # Errors
    ///
    /// When the file is damaged or protected, or exceeds the limits.
    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError>;
}

/// The text of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractedText {
    /// The text, with what the file says about itself as front matter.
    pub text: String,
    /// The language that the text is in, as the chunker takes it: `markdown`, `mail`, or `text` for
    /// what shows by itself what it is, such as the output of a converter.
    pub language: &'static str,
    /// Where its parts are in the file. Empty for a format that has no places but its headings.
    pub places: FilePlaces,
}

/// Why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is not what its name or its first bytes promise, or parts of it are missing.
    #[error("damaged: {0}")]
    Damaged(String),
    /// It is of a kind that is not read.
    #[error("{0}")]
    Unsupported(&'static str),
    /// It can be read with a password only.
    #[error("protected with a password")]
    Protected,
    /// It has no text, such as a PDF that consists of scanned pages.
    #[error("it contains only images, or nothing")]
    NoText,
    /// It exceeds a limit.
    #[error("its {what} exceeds the limit of {limit} bytes")]
    TooLarge {
        /// What exceeds it: `text`, `unpacked contents`.
        what: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// A converter failed.
    #[error("`{program}` failed: {message}")]
    Converter {
        /// The program.
        program: String,
        /// What it reports.
        message: String,
    },
    /// It takes too long to read.
    #[error("reading it takes too long")]
    TooSlow,
    /// The text is no longer needed.
    #[error("reading it was stopped")]
    Stopped,
}

impl ReadError {
    /// A damaged file, and what is wrong with it.
    pub(crate) fn damaged(why: impl fmt::Display) -> Self {
        ReadError::Damaged(why.to_string())
    }
}
