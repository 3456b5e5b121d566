//! The blocks of an office document on their way to Markdown: [`Blocks`].
//!
//! Office documents have no nested lists, only paragraphs with a level; code is a row of
//! paragraphs; tables are layout, too. Blocks are written one after the other, and what belongs
//! together is put together here.

use crate::markdown::{MarkdownWriter, one_line};
use crate::office::block::{Mark, OfficeBlock, Table};
use crate::reader::ReadError;

/// Writes blocks, and puts lists, code and notes together.
pub(crate) struct Blocks<'w, 'l> {
    pub(crate) writer: &'w mut MarkdownWriter<'l>,
    lists: Vec<List>,
    code: String,
    notes: Vec<(usize, String)>,
}

/// A list whose last item is still open.
struct List {
    depth: usize,
    /// The number that its next item gets; `None` for bullets.
    next: Option<u64>,
}

impl<'w, 'l> Blocks<'w, 'l> {
    pub(crate) fn new(writer: &'w mut MarkdownWriter<'l>) -> Self {
        Blocks {
            writer,
            lists: Vec::new(),
            code: String::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, block: OfficeBlock) -> Result<(), ReadError> {
        if let OfficeBlock::Code(code) = block {
            self.close_lists(0);
            self.code.push_str(&code);
            self.code.push('\n');
            return Ok(());
        }
        self.end_code()?;
        match block {
            OfficeBlock::Item { depth, mark, text } => return self.item(depth, mark, &text),
            // The lists go on after an empty paragraph.
            OfficeBlock::Paragraph(text) | OfficeBlock::Quote(text) if text.trim().is_empty() => {
                return Ok(());
            }
            OfficeBlock::Note { number, text } => {
                self.notes.push((number, text));
                return Ok(());
            }
            _ => (),
        }
        self.close_lists(0);
        match block {
            OfficeBlock::Heading { level, title } => {
                self.end_notes()?;
                self.writer.heading(level, &title)
            }
            OfficeBlock::Paragraph(text) => self.writer.paragraph(&text),
            OfficeBlock::Quote(text) => {
                self.writer.open_quote();
                self.writer.paragraph(&text)?;
                self.writer.close();
                Ok(())
            }
            OfficeBlock::Table(table) => self.table(table),
            OfficeBlock::Code(_) | OfficeBlock::Item { .. } | OfficeBlock::Note { .. } => Ok(()),
        }
    }

    fn item(&mut self, depth: usize, mark: Mark, text: &str) -> Result<(), ReadError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.close_lists(depth + 1);
        let number = match mark {
            Mark::Bullet => None,
            Mark::Number(number) => Some(number.min(999_999_999)),
            Mark::None => {
                // If no item is open at this depth, the one around it continues.
                return self.writer.paragraph(text);
            }
        };
        if self
            .lists
            .last()
            .is_some_and(|list| list.depth == depth && list.next != number)
        {
            self.close_lists(depth);
        }
        match self.lists.last_mut() {
            Some(list) if list.depth == depth => {
                self.writer.close();
                list.next = number.map(|number| number + 1);
            }
            _ => {
                self.writer.open_list(number);
                let next = number.map(|number| number + 1);
                self.lists.push(List { depth, next });
            }
        }
        self.writer.open_item();
        self.writer.paragraph(text)
    }

    /// Closes the lists that are as deep as this, or deeper.
    fn close_lists(&mut self, depth: usize) {
        while self.lists.pop_if(|list| list.depth >= depth).is_some() {
            self.writer.close();
            self.writer.close();
        }
    }

    fn table(&mut self, table: Table) -> Result<(), ReadError> {
        if table.is_frame() {
            for cell in table.rows.into_iter().flatten() {
                for block in cell.blocks {
                    self.push(block)?;
                }
                // Lists of different cells are different.
                self.close_lists(0);
            }
            return Ok(());
        }
        let mut rows = table.into_rows().into_iter();
        let columns = rows.as_slice().iter().map(Vec::len).max().unwrap_or(0);
        let Some(mut header) = rows.next() else {
            return Ok(());
        };
        header.resize(columns, String::new());
        self.writer.open_table(&header)?;
        for row in rows {
            self.writer.row(&row)?;
        }
        self.writer.close_table();
        Ok(())
    }

    fn end_code(&mut self) -> Result<(), ReadError> {
        if self.code.is_empty() {
            return Ok(());
        }
        let code = std::mem::take(&mut self.code);
        self.writer.code(None, &code)
    }

    fn end_notes(&mut self) -> Result<(), ReadError> {
        for (number, text) in std::mem::take(&mut self.notes) {
            let text = one_line(&text);
            if !text.is_empty() {
                self.writer.markdown(&format!("[^{number}]: {text}"))?;
            }
        }
        Ok(())
    }

    /// Writes what was put together. The notes of a section stand at its end.
    pub(crate) fn end(&mut self) -> Result<(), ReadError> {
        self.end_code()?;
        self.close_lists(0);
        self.end_notes()
    }
}
