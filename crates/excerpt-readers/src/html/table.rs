//! Tables: [`Table`] finds out which are tables of data, and writes them with their header.

use std::borrow::Cow;

use super::inline::{Inline, InlineLinks, inline_of};
use super::page::{Page, Surroundings};
use super::tree::{Attribute, Tag, holds};
use crate::markdown::{MarkdownWriter, one_line};
use crate::reader::ReadError;

/// How many columns a table has at most. Cells beyond them are part of the last one.
const COLUMNS: usize = 100;

/// How many rows the header of a table has at most.
const HEADERS: usize = 4;

/// How many rows a cell may span.
const SPAN: usize = 1_000;

/// How long a text may be, in bytes, that is repeated in each row which its cell spans.
const REPEATED: usize = 80;

/// How many cells the rows of a table may have that are written although the page does not have
/// them: missing ones, and those that a cell goes on in. Larger tables may have four such cells for
/// each of their own.
const FILLED: usize = 1 << 16;

/// How much text the cells of a table of data may have, in bytes, if nothing says that it is one.
const CELL: u32 = 1_500;

/// A table of data.
#[derive(Debug)]
pub(super) struct Table {
    parts: Vec<TablePart>,
}

/// A part of a table, from top to bottom.
#[derive(Debug)]
enum TablePart {
    Rows(Vec<Row>),
    Heading(usize, String),
    Text(String),
    /// What a program declares, spread over cells.
    Code(String),
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<Cell>,
    /// Whether it is in the head of the table.
    is_head: bool,
}

#[derive(Debug)]
struct Cell {
    text: String,
    columns: usize,
    rows: usize,
    is_header: bool,
}

impl Table {
    /// The table at a node; `None` if it only arranges what is in it.
    pub(super) fn read(page: &Page, at: usize, links: InlineLinks) -> Option<Table> {
        let tree = &page.tree;
        let held = tree.nodes[at].holds;
        let role = tree.attribute(at, Attribute::Role);
        if matches!(role, Some("presentation" | "none")) || held & holds::TABLE != 0 {
            return None;
        }
        let is_declaration = tree.classes(at).any(|class| class == "memname");
        if tree.nodes[at].tag == Some(Tag::Div) {
            return Self::read_grid(page, at, links);
        }
        let shape = Shape::of(page, at);
        let is_data = held & holds::HEADER != 0 || is_declaration;
        // A note with its title and an image is no table either.
        let is_note = shape.rows <= 2 && shape.cells <= 3 && !is_declaration;
        let is_arranged = shape.columns < 2
            || is_note
            || (!is_data && (held & holds::CODE != 0 || shape.longest > CELL || shape.rows < 2));
        if is_arranged {
            return None;
        }
        let mut reading = TableReading {
            page,
            links,
            parts: Vec::new(),
            rows: Vec::new(),
            inline: Inline::new(links),
        };
        reading.read(at);
        let mut parts = reading.parts;
        if is_declaration {
            let cells = parts.into_iter().flat_map(|part| match part {
                TablePart::Rows(rows) => rows.into_iter().flat_map(|row| row.cells).collect(),
                _ => Vec::new(),
            });
            let texts: Vec<_> = cells.map(|cell| cell.text).collect();
            parts = vec![TablePart::Code(one_line(&texts.join(" ")))];
        }
        Some(Table { parts })
    }

    /// The table that Javadoc writes: elements that follow each other, the first of each row with
    /// a class of its own.
    fn read_grid(page: &Page, at: usize, links: InlineLinks) -> Option<Table> {
        let tree = &page.tree;
        let end = tree.nodes[at].end;
        let mut rows: Vec<Row> = Vec::new();
        let mut next = at + 1;
        while next < end {
            let node = tree.nodes[next];
            let has_class = |name: &str| tree.classes(next).any(|class| class == name);
            if node.tag == Some(Tag::Div) {
                let is_header = has_class("table-header");
                if has_class("col-first") || rows.is_empty() {
                    rows.push(Row {
                        cells: Vec::new(),
                        is_head: is_header,
                    });
                }
                if let Some(row) = rows.last_mut() {
                    row.cells.push(Cell {
                        text: one_line(&inline_of(page, next, links)),
                        columns: 1,
                        rows: 1,
                        is_header,
                    });
                }
            } else if !tree.text(next).trim().is_empty() {
                return None;
            }
            next = node.end;
        }
        let is_grid = rows.iter().any(|row| row.cells.len() > 1);
        is_grid.then(|| Table {
            parts: vec![TablePart::Rows(rows)],
        })
    }

    /// Writes the table. How many blocks were written.
    pub(super) fn write(
        self,
        writer: &mut MarkdownWriter<'_>,
        level: impl Fn(usize) -> usize,
    ) -> Result<usize, ReadError> {
        let mut written = 0;
        for part in self.parts {
            match part {
                TablePart::Heading(at, title) => writer.heading(level(at), &title)?,
                TablePart::Text(text) => writer.paragraph(&text)?,
                TablePart::Code(code) => writer.code(None, &code)?,
                TablePart::Rows(rows) => write_rows(&rows, writer)?,
            }
            written += 1;
        }
        Ok(written)
    }
}

/// The size of a table.
#[derive(Debug, Default)]
struct Shape {
    rows: usize,
    cells: usize,
    /// How many cells the longest row has.
    columns: usize,
    /// How much text the cell with the most text has.
    longest: u32,
}

impl Shape {
    fn of(page: &Page, at: usize) -> Shape {
        let mut shape = Shape::default();
        let mut columns = 0;
        let mut next = at + 1;
        while next < page.tree.nodes[at].end {
            let node = page.tree.nodes[next];
            if page.is_left_out(next, Surroundings::Text) {
                next = node.end;
                continue;
            }
            match node.tag {
                Some(Tag::Tr) => {
                    shape.rows += 1;
                    columns = 0;
                }
                Some(Tag::Td | Tag::Th) => {
                    columns += 1;
                    shape.cells += 1;
                    shape.columns = shape.columns.max(columns);
                    shape.longest = shape.longest.max(page.length(next));
                    next = node.end;
                    continue;
                }
                _ => (),
            }
            next += 1;
        }
        shape
    }
}

/// Reads a table.
struct TableReading<'p> {
    page: &'p Page,
    links: InlineLinks,
    parts: Vec<TablePart>,
    rows: Vec<Row>,
    /// Text that is in no cell.
    inline: Inline,
}

impl TableReading<'_> {
    fn read(&mut self, at: usize) {
        let page = self.page;
        let tree = &page.tree;
        let end = tree.nodes[at].end;
        let mut head = 0;
        let mut next = at + 1;
        while next < end {
            self.inline.close_before(next);
            let node = tree.nodes[next];
            if page.is_left_out(next, Surroundings::Text) {
                next = node.end;
                continue;
            }
            match node.tag {
                Some(Tag::Thead) => head = node.end,
                Some(Tag::Tr) => {
                    self.rows.push(Row {
                        cells: Vec::new(),
                        is_head: next < head,
                    });
                }
                // A cell with a heading is the title of what follows.
                Some(Tag::Td | Tag::Th) if node.holds & holds::HEADING == 0 => {
                    self.cell(next, node.tag == Some(Tag::Th));
                    next = node.end;
                    continue;
                }
                Some(Tag::Caption) => {
                    let caption = one_line(&inline_of(page, next, self.links));
                    self.text();
                    if !caption.is_empty() {
                        self.parts.push(TablePart::Text(caption));
                    }
                    next = node.end;
                    continue;
                }
                Some(tag) if tag.is_block() => {
                    self.inline.space();
                    if let Some(level) = tag.level() {
                        let title = one_line(&inline_of(page, next, self.links));
                        self.text();
                        self.end_rows();
                        if !title.is_empty() {
                            self.parts.push(TablePart::Heading(level, title));
                        }
                        next = node.end;
                        continue;
                    }
                }
                _ => {
                    next = self.inline.node(page, next);
                    continue;
                }
            }
            next += 1;
        }
        self.inline.close_before(end);
        self.text();
        self.end_rows();
    }

    fn cell(&mut self, at: usize, is_header: bool) {
        let tree = &self.page.tree;
        let span = |name, most: usize| {
            let span = tree.attribute(at, name).unwrap_or_default().trim();
            let digits = span.len() - span.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let span = match span[..digits].parse::<usize>() {
                Ok(span) => span,
                // Too many digits are a large number.
                Err(_) if digits > 0 => most,
                Err(_) => 1,
            };
            span.clamp(1, most)
        };
        let cell = Cell {
            text: one_line(&inline_of(self.page, at, self.links)),
            columns: span(Attribute::Colspan, COLUMNS),
            rows: span(Attribute::Rowspan, SPAN),
            is_header,
        };
        if self.rows.is_empty() {
            self.rows.push(Row::default());
        }
        if let Some(row) = self.rows.last_mut() {
            row.cells.push(cell);
        }
    }

    /// Ends a text that is in no cell.
    fn text(&mut self) {
        let text = one_line(&self.inline.take());
        if !text.is_empty() {
            self.end_rows();
            self.parts.push(TablePart::Text(text));
        }
    }

    fn end_rows(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.retain(|row| row.cells.iter().any(|cell| !cell.text.is_empty()));
        if !rows.is_empty() {
            self.parts.push(TablePart::Rows(rows));
        }
    }
}

/// Writes rows as a table, with the first ones as its header if they are one.
fn write_rows(rows: &[Row], writer: &mut MarkdownWriter<'_>) -> Result<(), ReadError> {
    let is_header = |row: &&Row| row.is_head || row.cells.iter().all(|cell| cell.is_header);
    let headers = match rows.iter().take_while(is_header).count() {
        headers if headers < rows.len() => headers.min(HEADERS),
        // A table of headers only has names of columns if there is something under them.
        _ => usize::from(rows.len() > 1),
    };
    let width = width(rows);
    let cells: usize = rows.iter().map(|row| row.cells.len()).sum();
    let is_filled = rows.len() * width <= FILLED + 5 * cells;
    let grid = || Grid::new(rows, width, is_filled);
    let mut is_used = vec![false; width];
    for row in grid() {
        for (is_used, text) in is_used.iter_mut().zip(&row) {
            *is_used |= !text.is_empty();
        }
    }
    let mut rows = grid().map(|row| {
        let used = row
            .into_iter()
            .zip(&is_used)
            .filter(|(_, is_used)| **is_used);
        used.map(|(text, _)| text.into_owned()).collect::<Vec<_>>()
    });
    let columns = is_used.iter().filter(|is_used| **is_used).count();
    if columns == 1 {
        return rows.flatten().try_for_each(|text| writer.paragraph(&text));
    }
    let mut header = vec![String::new(); columns];
    for row in rows.by_ref().take(headers) {
        for (title, text) in header.iter_mut().zip(row) {
            if !text.is_empty() && *title != text {
                if !title.is_empty() {
                    title.push(' ');
                }
                title.push_str(&text);
            }
        }
    }
    writer.open_table(&header)?;
    for row in rows {
        match is_filled {
            true => writer.row(&row)?,
            false => writer.short_row(&row)?,
        }
    }
    writer.close_table();
    Ok(())
}

/// The rows of a table with a text for each column.
struct Grid<'t> {
    rows: std::slice::Iter<'t, Row>,
    width: usize,
    /// Whether rows have more than their own cells.
    is_filled: bool,
    /// What cells of rows before go on with, by column: the text, and in how many rows.
    spanned: Vec<(&'t str, usize)>,
}

impl<'t> Grid<'t> {
    fn new(rows: &'t [Row], width: usize, is_filled: bool) -> Self {
        Grid {
            rows: rows.iter(),
            width,
            is_filled,
            spanned: vec![("", 0); width],
        }
    }

    /// The text that a cell of a row before has in this column.
    fn spanned(&mut self, column: usize) -> Option<&'t str> {
        let (text, rows) = self.spanned.get_mut(column).filter(|(_, rows)| *rows > 0)?;
        *rows -= 1;
        Some(*text)
    }
}

impl<'t> Iterator for Grid<'t> {
    type Item = Vec<Cow<'t, str>>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        let mut texts: Vec<Cow<'t, str>> = Vec::new();
        for (at, cell) in row.cells.iter().enumerate() {
            while let Some(text) = self.spanned(texts.len()) {
                texts.push(Cow::Borrowed(text));
            }
            let free = self.width - texts.len();
            if free == 0 {
                if let Some(last) = texts.last_mut().map(Cow::to_mut) {
                    last.push(' ');
                    last.push_str(&cell.text);
                }
                continue;
            }
            if !self.is_filled {
                texts.push(Cow::Borrowed(&cell.text));
                continue;
            }
            let left = row.cells.len() - at - 1;
            let columns = cell.columns.min(free.saturating_sub(left).max(1));
            let repeated = match cell.text.len() <= REPEATED {
                true => &*cell.text,
                false => "",
            };
            for column in 0..columns {
                let (text, repeated) = match column {
                    0 => (&*cell.text, repeated),
                    _ => ("", ""),
                };
                self.spanned[texts.len()] = (repeated, cell.rows - 1);
                texts.push(Cow::Borrowed(text));
            }
        }
        while self.is_filled && texts.len() < self.width {
            let text = self.spanned(texts.len()).unwrap_or_default();
            texts.push(Cow::Borrowed(text));
        }
        Some(texts)
    }
}

/// How many columns rows have. What spans columns does not make any.
fn width(rows: &[Row]) -> usize {
    let mut width = 1;
    // In how many further rows cells go on, and how many they are.
    let mut ending = vec![0_usize; SPAN + 1];
    let mut going_on = 0_usize;
    for (at, row) in rows.iter().enumerate() {
        going_on -= std::mem::take(&mut ending[at % (SPAN + 1)]);
        width = width.max(going_on + row.cells.len());
        for cell in row.cells.iter().filter(|cell| cell.rows > 1) {
            ending[(at + cell.rows) % (SPAN + 1)] += 1;
            going_on += 1;
        }
    }
    width.min(COLUMNS)
}
