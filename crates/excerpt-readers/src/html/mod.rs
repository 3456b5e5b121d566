//! Web pages.
//!
//! A page is read as browsers read it, except that nothing is built that would not be text: its
//! [`tree`] is a list of nodes. [`page`] finds the main text and leaves out what is around it, and
//! [`convert`] writes it block by block.

mod code;
mod convert;
mod encoding;
mod inline;
mod names;
mod page;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use convert::Options;
pub(crate) use encoding::decode;
#[cfg(feature = "epub")]
pub(crate) use inline::InlineLinks;
pub(crate) use template::is_page;

use convert::HtmlConverter;
use page::Page;
use tree::Tree;

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::metadata::Metadata;
use crate::reader::{ExtractedText, FileReader, ReadError};

/// Reads web pages.
#[derive(Debug)]
pub(crate) struct Html;

impl FileReader for Html {
    fn version(&self) -> u32 {
        2
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let page = ParsedPage::parse(bytes, limits)?;
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(page.metadata());
        match page.write(&mut writer, None, Options::PAGE, limits)? {
            0 => Err(ReadError::NoText),
            _ => writer.finish(),
        }
    }
}

/// A page that can be written.
#[derive(Debug)]
pub(crate) struct ParsedPage(Page);

impl ParsedPage {
    /// The page in a file.
    pub(crate) fn parse(bytes: &[u8], limits: &ReadLimits<'_>) -> Result<Self, ReadError> {
        let tree = Tree::parse(&decode(bytes), limits)?;
        Ok(ParsedPage(Page::new(tree, limits)?))
    }

    /// What the page says about itself.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.0.metadata
    }

    /// Whether there is any text.
    pub(crate) fn has_text(&self) -> bool {
        self.0.has_text()
    }

    /// Whether there are headings of the levels 1 to 6.
    pub(crate) fn headings(&self) -> [bool; 6] {
        let tags = self.0.tree.nodes.iter().filter_map(|node| node.tag);
        let mut headings = [false; 6];
        for level in tags.filter_map(tree::Tag::level) {
            headings[level - 1] = true;
        }
        headings
    }

    /// Writes the main text, without the title with which it begins if that was written. How many
    /// blocks were written.
    pub(crate) fn write<'a>(
        &self,
        writer: &mut MarkdownWriter<'a>,
        title: Option<&str>,
        options: Options,
        limits: &ReadLimits<'a>,
    ) -> Result<usize, ReadError> {
        let main = self.0.main;
        let written = HtmlConverter::new(&self.0, writer, options, limits).write(main, title)?;
        if written > 0 || main.is_none() {
            return Ok(written);
        }
        HtmlConverter::new(&self.0, writer, options, limits).write(None, title)
    }
}
