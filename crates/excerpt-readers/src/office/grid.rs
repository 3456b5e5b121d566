//! The cells of a sheet on their way to Markdown: a [`Grid`] finds the tables among them.
//!
//! Rows that follow each other without an empty one are a block. Columns that are empty in all of
//! it are left out. Its first row is the header if it looks like one; otherwise the letters of the
//! columns are. Every row is a place.

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::place::{FilePlace, letters};
use crate::reader::ReadError;

/// The columns of a sheet, as many as Excel has.
pub(crate) const COLUMNS: usize = 16_384;

/// How many characters of the name of a sheet are kept; Excel allows 31.
const SHEET: usize = 255;

/// How many rows may be the title of a table.
const TITLES: usize = 5;

/// How long a name of a column is at most, in bytes. What is longer is text.
const NAME: usize = 200;

/// What a cell contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Text,
    /// A number, a date, a truth value: what stands below a header.
    Data,
}

/// Takes the cells of a sheet, row by row.
pub(crate) struct Grid<'w, 'l> {
    writer: &'w mut MarkdownWriter<'l>,
    limits: ReadLimits<'l>,
    sheet: String,
    /// Whether the name of the sheet was written.
    is_named: bool,
    /// The texts of the cells of the block.
    text: String,
    cells: Vec<Cell>,
    /// The last row of the block that has cells.
    last: usize,
}

/// A cell of the block: its text is that between the end of the cell before and its own.
#[derive(Clone, Copy)]
struct Cell {
    row: usize,
    column: u32,
    content: Content,
    end: usize,
}

impl<'w, 'l> Grid<'w, 'l> {
    pub(crate) fn new(
        writer: &'w mut MarkdownWriter<'l>,
        limits: &ReadLimits<'l>,
        mut sheet: String,
    ) -> Self {
        let end = sheet.char_indices().nth(SHEET);
        if let Some((end, _)) = end {
            sheet.truncate(end);
        }
        Grid {
            writer,
            limits: *limits,
            sheet,
            is_named: false,
            text: String::new(),
            cells: Vec::new(),
            last: 0,
        }
    }

    /// A cell, by its row and column from 1. Those of a row follow each other.
    pub(crate) fn push(
        &mut self,
        row: usize,
        column: usize,
        text: &str,
        content: Content,
    ) -> Result<(), ReadError> {
        let text = text.trim();
        if text.is_empty() || !(1..=COLUMNS).contains(&column) {
            return Ok(());
        }
        if row != self.last {
            if row != self.last + 1 {
                self.end()?;
            }
            self.last = row;
        }
        self.text.extend(text.chars().filter(|c| *c != '\0'));
        self.cells.push(Cell {
            row,
            column: column as u32,
            content,
            end: self.text.len(),
        });
        // Each cell has a bar and two spaces.
        self.limits
            .check_text(self.text.len() + 3 * self.cells.len())
    }

    /// Writes the block.
    pub(crate) fn end(&mut self) -> Result<(), ReadError> {
        let cells = std::mem::take(&mut self.cells);
        let text = std::mem::take(&mut self.text);
        if cells.is_empty() {
            return Ok(());
        }
        let block = GridBlock::new(&cells, &text);
        if !self.is_named
            && let Some(first) = block.rows.first()
        {
            self.is_named = true;
            let place = self.place(first, first.span());
            self.writer.place(place);
            self.writer.heading(2, &self.sheet)?;
        }
        let mut rows = block.rows.as_slice();
        if block.columns.len() > 1 {
            // Text that stands alone above a table is its title.
            for _ in 0..TITLES {
                let [first, rest @ ..] = rows else {
                    break;
                };
                let is_title = matches!(&*first.cells, [cell] if cell.content == Content::Text);
                if !is_title || rest.is_empty() {
                    break;
                }
                self.paragraph(first)?;
                rows = rest;
            }
        } else if !block.is_list() {
            return rows.iter().try_for_each(|row| self.paragraph(row));
        }
        self.table(rows)
    }

    fn paragraph(&mut self, row: &Row<'_>) -> Result<(), ReadError> {
        let place = self.place(row, row.span());
        self.writer.place(place);
        let texts: Vec<&str> = row.cells.iter().map(|cell| cell.text).collect();
        self.writer.paragraph(&texts.join(" "))
    }

    fn table(&mut self, rows: &[Row<'_>]) -> Result<(), ReadError> {
        let block = columns(rows);
        let (Some(first), Some(&left), Some(&right)) = (rows.first(), block.first(), block.last())
        else {
            return Ok(());
        };
        let filled = |row: &Row<'_>| {
            let mut cells = vec![String::new(); block.len()];
            for cell in &row.cells {
                if let Ok(at) = block.binary_search(&cell.column) {
                    cells[at] = cell.text.to_string();
                }
            }
            cells
        };
        let place = self.place(first, (left, right));
        self.writer.place(place);
        let rows = match is_header(rows) {
            true => {
                self.writer.open_table(&filled(first))?;
                &rows[1..]
            }
            false => {
                let names: Vec<String> = block.iter().map(|column| letters(*column)).collect();
                self.writer.open_table(&names)?;
                rows
            }
        };
        for row in rows {
            self.limits.check()?;
            let place = self.place(row, (left, right));
            self.writer.row_place(place);
            self.writer.row(&filled(row))?;
        }
        self.writer.close_table();
        Ok(())
    }

    fn place(&self, row: &Row<'_>, columns: (usize, usize)) -> FilePlace {
        FilePlace::Rows {
            sheet: self.sheet.clone(),
            columns,
            rows: (row.number, row.number),
        }
    }
}

/// Rows that follow each other.
struct GridBlock<'t> {
    rows: Vec<Row<'t>>,
    columns: Vec<usize>,
}

struct Row<'t> {
    number: usize,
    cells: Vec<Text<'t>>,
}

struct Text<'t> {
    column: usize,
    text: &'t str,
    content: Content,
}

impl Row<'_> {
    /// The first and the last column with text.
    fn span(&self) -> (usize, usize) {
        let columns = self.cells.iter().map(|cell| cell.column);
        let left = columns.clone().min().unwrap_or(1);
        (left, columns.max().unwrap_or(left))
    }
}

impl<'t> GridBlock<'t> {
    fn new(cells: &[Cell], text: &'t str) -> Self {
        let mut rows: Vec<Row<'t>> = Vec::new();
        let mut start = 0;
        for cell in cells {
            let text = Text {
                column: cell.column as usize,
                text: text.get(start..cell.end).unwrap_or_default(),
                content: cell.content,
            };
            start = cell.end;
            match rows.last_mut() {
                Some(row) if row.number == cell.row => row.cells.push(text),
                _ => rows.push(Row {
                    number: cell.row,
                    cells: vec![text],
                }),
            }
        }
        let columns = columns(&rows);
        GridBlock { rows, columns }
    }

    /// Whether its only column is a list with a header, not text.
    fn is_list(&self) -> bool {
        let mut below = self.rows.iter().skip(1).flat_map(|row| &row.cells);
        self.rows.len() > 1 && below.all(|cell| cell.content == Content::Data)
    }
}

/// The columns that are used in rows.
fn columns(rows: &[Row<'_>]) -> Vec<usize> {
    let cells = rows.iter().flat_map(|row| &row.cells);
    if cells.clone().take(COLUMNS).count() < COLUMNS {
        let mut columns: Vec<usize> = cells.map(|cell| cell.column).collect();
        columns.sort_unstable();
        columns.dedup();
        return columns;
    }
    let mut used = vec![false; COLUMNS + 1];
    for cell in cells {
        used[cell.column.min(COLUMNS)] = true;
    }
    let columns = used.iter().enumerate();
    columns
        .filter(|(_, used)| **used)
        .map(|(at, _)| at)
        .collect()
}

/// Whether the first row looks like the names of columns: short texts, all different, for at least
/// half of the columns.
fn is_header(rows: &[Row<'_>]) -> bool {
    let [first, below, ..] = rows else {
        return false;
    };
    let mut texts: Vec<&str> = first.cells.iter().map(|cell| cell.text).collect();
    let count = texts.len();
    texts.sort_unstable();
    texts.dedup();
    let are_names = first
        .cells
        .iter()
        .all(|cell| cell.content == Content::Text && cell.text.len() <= NAME);
    are_names && texts.len() * 2 > count && count * 2 >= below.cells.len()
}
