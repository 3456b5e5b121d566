//! The files of office programs: Office Open XML and OpenDocument. Both are archives of XML.
//!
//! `package.rs` opens the archive and its parts, and `blocks.rs` turns
//! paragraphs with levels and list marks into nested blocks; `grid.rs` finds the tables in a sheet.

#[cfg(any(feature = "docx", feature = "odt", feature = "pptx"))]
mod blocks;
#[cfg(feature = "docx")]
mod docx;
#[cfg(feature = "xlsx")]
mod grid;
#[cfg(feature = "xlsx")]
mod ods;
#[cfg(feature = "odt")]
mod odt;
#[cfg(any(feature = "odt", feature = "xlsx"))]
mod open_document;
mod package;
#[cfg(feature = "pptx")]
mod pptx;
#[cfg(feature = "xlsx")]
mod xlsx;

#[cfg(feature = "docx")]
pub(crate) use docx::Docx;
#[cfg(feature = "xlsx")]
pub(crate) use ods::Ods;
#[cfg(feature = "odt")]
pub(crate) use odt::Odt;
#[cfg(feature = "pptx")]
pub(crate) use pptx::Pptx;
#[cfg(feature = "xlsx")]
pub(crate) use xlsx::Xlsx;
