//! The files of office programs: Office Open XML and OpenDocument. Both are archives of XML.
//!
//! `package.rs` and `open_document.rs` open a file and its parts, and `properties.rs` reads what it
//! says about itself. `blocks.rs` nests the paragraphs with levels and list marks that `block.rs`
//! describes; `kind.rs` knows the names of styles; `grid.rs` finds the tables in a sheet.

#[cfg(any(feature = "docx", feature = "odt", feature = "pptx"))]
mod block;
#[cfg(any(feature = "docx", feature = "odt", feature = "pptx"))]
mod blocks;
#[cfg(feature = "docx")]
mod docx;
#[cfg(feature = "xlsx")]
mod grid;
#[cfg(any(feature = "docx", feature = "odt"))]
mod kind;
#[cfg(any(feature = "docx", feature = "odt"))]
mod levels;
#[cfg(any(feature = "docx", feature = "odt", feature = "pptx"))]
mod link;
#[cfg(feature = "xlsx")]
mod ods;
#[cfg(feature = "odt")]
mod odt;
#[cfg(any(feature = "odt", feature = "xlsx"))]
mod open_document;
mod package;
#[cfg(feature = "pptx")]
mod pptx;
mod properties;
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
