//! PDF documents: the text of their pages in reading order.
//!
//! [`object`] reads the objects of the file, [`file`](mod@file) finds them by their numbers, and
//! [`page`] finds the pages. [`content`] runs the contents of a page, which puts pieces of text at
//! positions. [`layout`] sorts them into lines, column after column, and [`structure`] makes
//! headings, paragraphs, lists, tables and code of the lines of all pages.

mod cmap;
mod collections;
mod content;
mod crypt;
mod embedded;
mod file;
mod filter;
mod font;
mod glyphs;
mod layout;
mod matrix;
mod metadata;
mod object;
mod outline;
mod page;
mod piece;
mod structure;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::reader::{ExtractedText, FileReader, ReadError};
use content::Interpreter;
use file::File;
use object::Dict;
use page::pages;

/// Reads PDF documents.
#[derive(Debug)]
pub(crate) struct Pdf;

impl FileReader for Pdf {
    fn version(&self) -> u32 {
        5
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let file = File::open(bytes, limits)?;
        let catalog = file.value(&file.trailer, "Root")?;
        let none = Dict::default();
        let catalog = catalog.dict().unwrap_or(&none);
        let pages = pages(&file, catalog)?;
        if pages.is_empty() {
            return Err(ReadError::damaged("it has no pages"));
        }
        let mut interpreter = Interpreter::new(&file);
        let mut lines = Vec::with_capacity(pages.len());
        let mut length = 0;
        for page in &pages {
            let content = page.content(&file)?;
            let resources = file.get(&page.resources)?;
            let resources = resources.dict().unwrap_or(&none);
            let pieces =
                interpreter.pieces(content, resources, page.area, page.appearances(&file)?)?;
            length += pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
            limits.check_text(length)?;
            let of_page = layout::lines(pieces);
            file.take(of_page.len() * size_of::<layout::Line>())?;
            lines.push(of_page);
        }
        let numbers = pages.iter().enumerate();
        let numbers = numbers.filter_map(|(at, page)| Some((page.number?, at)));
        let numbers: HashMap<u32, usize> = numbers.collect();
        let outline = outline::read(&file, catalog, &numbers)?;
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&metadata::read(&file, catalog)?);
        structure::write(lines, &outline, &mut writer)?;
        match writer.finish() {
            Err(ReadError::NoText) if !is_complete(bytes) => {
                Err(ReadError::damaged("the end of the file is missing"))
            }
            finished => finished,
        }
    }
}

/// Whether a file has the mark at its end.
fn is_complete(bytes: &[u8]) -> bool {
    const MARK: &[u8] = b"%%EOF";
    /// How far before the end viewers look for it, in bytes.
    const NEAR: usize = 1024;
    let end = &bytes[bytes.len().saturating_sub(NEAR)..];
    end.windows(MARK.len()).any(|part| part == MARK)
}
