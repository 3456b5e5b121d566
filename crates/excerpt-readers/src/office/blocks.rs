//! The blocks of an office document on their way to Markdown: [`Blocks`].
//!
//! Office documents have no nested lists, only paragraphs with a level; code is a row of
//! paragraphs; tables are layout, too. Blocks are written one after the other, and what belongs
//! together is put together here.

use std::collections::HashMap;

use crate::markdown::{MarkdownWriter, one_line};
use crate::reader::ReadError;

/// How deep tables are nested; what is deeper belongs to the cell around it.
pub(crate) const NESTED_TABLES: usize = 8;

/// How many columns a cell may span; Word has 63 columns.
const SPAN: usize = 256;

/// How long the text of a cell may be that is repeated in the rows over which it is merged.
const REPEATED: usize = 80;

/// How long the target of a link is, in bytes. A longer one is left out.
const TARGET: usize = 4_000;

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
    rows: Vec<Vec<Cell>>,
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

    /// Takes the row back that was begun last.
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
    fn is_frame(&self) -> bool {
        self.rows.iter().all(|row| row.len() <= 1)
    }

    /// The texts of its cells, without rows and columns that are empty.
    fn into_rows(self) -> Vec<Vec<String>> {
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
                // Of a deeper item whose text was elsewhere, the item around it goes on.
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

/// Makes the text from `start` a link.
pub(crate) fn link(text: &mut String, start: usize, target: &str) {
    let Some(inner) = text.get(start..) else {
        return;
    };
    let label = inner.trim();
    let target = target.trim();
    if target.len() > TARGET
        || label.is_empty()
        || target.is_empty()
        || target == label
        || target.contains(['\n', '\r'])
    {
        return;
    }
    let before = &inner[..inner.len() - inner.trim_start().len()];
    let after = &inner[inner.trim_end().len()..];
    let is_simple = !target.contains([' ', '(', ')', '<', '>']);
    let link = match is_simple {
        true => format!("{before}[{label}]({target}){after}"),
        false => {
            let target = target.replace(['<', '>'], "");
            format!("{before}[{label}](<{target}>){after}")
        }
    };
    text.truncate(start);
    text.push_str(&link);
}

/// What paragraphs of a style are.
pub(crate) enum BlockKind {
    Heading(usize),
    Title,
    Code,
    Quote,
    /// An entry of the table of contents.
    Contents,
}

/// What the name of a style says, in any case, with spaces or not.
pub(crate) fn kind_of(name: &str) -> Option<BlockKind> {
    /// What programs call a heading in the languages of their users.
    const HEADINGS: &[&str] = &[
        "heading",
        "\u{fc}berschrift",
        "berschrift",
        "titre",
        "t\u{ed}tulo",
        "titulo",
        "titolo",
        "kop",
        "rubrik",
        "overskrift",
        "nag\u{142}\u{f3}wek",
        "otsikko",
        "nadpis",
        "c\u{ed}msor",
        "ba\u{15f}l\u{131}k",
        "\u{437}\u{430}\u{433}\u{43e}\u{43b}\u{43e}\u{432}\u{43e}\u{43a}",
        "\u{6807}\u{9898}",
        "\u{6a19}\u{984c}",
        "\u{898b}\u{51fa}\u{3057}",
        "\u{c81c}\u{baa9}",
    ];
    let name: String = name
        .to_lowercase()
        .chars()
        .filter(|c| !matches!(c, ' ' | '_' | '-'))
        .collect();
    match &*name {
        "title" => return Some(BlockKind::Title),
        "sourcecode" | "htmlpreformatted" | "preformattedtext" | "code" | "codeblock" | "macro"
        | "macrotext" | "verbatim" | "listing" => return Some(BlockKind::Code),
        "quote" | "intensequote" | "blocktext" | "blockquote" | "quotations" => {
            return Some(BlockKind::Quote);
        }
        _ => (),
    }
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let level = &name[word.len()..];
    let level: usize = level.parse().ok().filter(|level| (1..=9).contains(level))?;
    match word {
        "toc" | "contents" => Some(BlockKind::Contents),
        word if HEADINGS.contains(&word) => Some(BlockKind::Heading(level)),
        _ => None,
    }
}

/// Marks the headings below a title: one level deeper, if the title comes first.
#[derive(Debug, Default)]
pub(crate) struct ListLevels {
    has_title: bool,
    has_heading: bool,
}

impl ListLevels {
    /// The level of a title. Only one that comes before all headings is above them.
    pub(crate) fn title(&mut self) -> usize {
        self.has_title |= !self.has_heading;
        1
    }

    pub(crate) fn heading(&mut self, level: usize) -> usize {
        self.has_heading = true;
        level + usize::from(self.has_title)
    }
}

/// What notes are called by the parts of a document, numbered in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    numbers: HashMap<String, usize>,
}

impl Notes {
    /// The number of a note, and whether it is met for the first time.
    pub(crate) fn number(&mut self, key: String) -> (usize, bool) {
        let next = self.numbers.len() + 1;
        let number = *self.numbers.entry(key).or_insert(next);
        (number, number == next)
    }
}
