//! Reads files that are not plain text.
//!
//! A [`FileReader`] turns the bytes of a file into an [`ExtractedText`]: its text, as Markdown in
//! most formats, which is split, stored and cited like any other, and [`FilePlaces`], which say
//! where each part of the text is in the file: on which page, in which cell. What the file says
//! about itself, such as its title and its date, is the front matter of the text.
//!
//! [`format_of`] finds the [`FileFormat`] of a file by its name and its first bytes. Each format is
//! a feature of this crate; without it, the format is still known, and has no reader.
//!
//! Files come from anywhere. A reader takes no more memory than [`ReadLimits`] allow, and time that
//! is linear in the size of the file; what it does not understand is a [`ReadError`], never a
//! panic.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "default"),
    allow(dead_code, reason = "few readers use little of what all share")
)]

#[cfg(feature = "archive")]
mod archive;
mod converter;
#[cfg(feature = "epub")]
mod epub;
mod format;
#[cfg(feature = "html")]
mod html;
mod limits;
#[cfg(feature = "mail")]
mod mail;
mod markdown;
mod metadata;
#[cfg(feature = "notebook")]
mod notebook;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "pdf")]
mod pdf;
mod place;
mod reader;
mod readers;
#[cfg(any(feature = "epub", feature = "office"))]
mod xml;

pub use converter::{Converter, ConverterError};
pub use format::{FileFormat, format_of};
pub use limits::ReadLimits;
pub use place::{FilePlace, FilePlaces, slug};
pub use reader::{ExtractedText, FileReader, ReadError};
pub use readers::{Choice, ChosenReader, Readers};
