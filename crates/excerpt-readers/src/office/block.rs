//! A block of an office document: [`OfficeBlock`], and the [`Table`] that it can be.

use crate::markdown::one_line;

/// How deep tables are nested; what is deeper belongs to the cell around it.
pub(crate) const NESTED_TABLES: usize = 8;

/// How many columns a cell may span; Word has 63 columns.
const SPAN: usize = 256;

/// How long the text of a cell may be that is repeated in the rows over which it is merged.
const REPEATED: usize = 80;

/// A block of a document.
#[derive(Debug)]
pub(crate) enum OfficeBlock {
    Heading {
        level: usize,
        title: String,
    },
    Paragraph(String),
    Quote(String),
    Code(String),
    /// A paragraph of a list.
    Item {
        /// From 0.
        depth: usize,
        mark: Mark,
        text: String,
    },
    Table(Table),
    /// A note that the text before it refers to as `[^number]`.
    Note {
        number: usize,
        text: String,
    },
}

/// How a paragraph of a list begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Bullet,
    Number(u64),
    /// It continues the item before it.
    None,
}

impl OfficeBlock {
    /// The text alone, as in a cell.
    fn into_text(self) -> String {
        match self {
            OfficeBlock::Heading { title: text, .. }
            | OfficeBlock::Paragraph(text)
            | OfficeBlock::Quote(text)
            | OfficeBlock::Code(text) => text,
            OfficeBlock::Item { mark, text, .. } => match mark {
                Mark::Number(number) => format!("{number}. {text}"),
                Mark::Bullet | Mark::None => text,
            },
            OfficeBlock::Table(table) => {
                let rows = table.rows.into_iter().flatten();
                joined(rows.map(|cell| joined(cell.blocks.into_iter().map(OfficeBlock::into_text))))
            }
            OfficeBlock::Note { number, text } => format!("[^{number}]: {text}"),
        }
    }

    /// About how many bytes it takes, without those of a table, which are counted as they come.
    pub(crate) fn size(&self) -> usize {
        16 + match self {
            OfficeBlock::Heading { title: text, .. }
            | OfficeBlock::Paragraph(text)
            | OfficeBlock::Quote(text)
            | OfficeBlock::Code(text)
            | OfficeBlock::Item { text, .. }
            | OfficeBlock::Note { text, .. } => text.len(),
            OfficeBlock::Table(_) => 0,
        }
    }
}

/// The text of blocks in one line.
pub(crate) fn text_of(blocks: Vec<OfficeBlock>) -> String {
    one_line(&joined(blocks.into_iter().map(OfficeBlock::into_text)))
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut joined = String::new();
    for text in texts.filter(|text| !text.trim().is_empty()) {
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(&text);
    }
    joined
}

/// A table.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) blocks: Vec<OfficeBlock>,
    /// How many columns it takes.
    pub(crate) span: usize,
    /// Whether it is merged with the cell above it.
    pub(crate) continues: bool,
}

impl Default for Cell {
    fn default() -> Self {
        Cell {
            blocks: Vec::new(),
            span: 1,
            continues: false,
        }
    }
}

impl Table {
    /// Begins a row.
    pub(crate) fn open_row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// Leaves the first columns of the row empty.
    pub(crate) fn skip_columns(&mut self, count: usize) {
        if let Some(row) = self.rows.last_mut() {
            row.extend(std::iter::repeat_with(Cell::default).take(count.min(SPAN)));
        }
    }

    /// Removes the row that was begun last.
    pub(crate) fn drop_row(&mut self) {
        self.rows.pop();
    }

    /// Adds a cell to the row.
    pub(crate) fn push(&mut self, mut cell: Cell) {
        cell.span = cell.span.clamp(1, SPAN);
        match self.rows.last_mut() {
            Some(row) => row.push(cell),
            None => self.rows.push(vec![cell]),
        }
    }

    /// Whether it is a frame around text, not a table.
    pub(super) fn is_frame(&self) -> bool {
        self.rows.iter().all(|row| row.len() <= 1)
    }

    /// The texts of its cells, without rows and columns that are empty.
    pub(super) fn into_rows(self) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = Vec::with_capacity(self.rows.len());
        for cells in self.rows {
            let mut row = Vec::with_capacity(cells.len());
            for cell in cells {
                let text = match cell.continues {
                    true => {
                        let above = rows.last().and_then(|above| above.get(row.len()));
                        above
                            .filter(|above| above.len() <= REPEATED)
                            .cloned()
                            .unwrap_or_default()
                    }
                    false => joined(cell.blocks.into_iter().map(OfficeBlock::into_text)),
                };
                row.push(text);
                row.extend(std::iter::repeat_n(String::new(), cell.span - 1));
            }
            if row.iter().any(|text| !text.trim().is_empty()) {
                rows.push(row);
            }
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut used = vec![false; columns];
        for row in &rows {
            for (used, text) in used.iter_mut().zip(row) {
                *used |= !text.trim().is_empty();
            }
        }
        for row in &mut rows {
            let mut used = used.iter();
            row.retain(|_| used.next().copied().unwrap_or_default());
        }
        rows
    }
}
