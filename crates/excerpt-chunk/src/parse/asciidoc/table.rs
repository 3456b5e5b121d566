//! Tables: how one is written, and where its rows begin.

use std::collections::VecDeque;

use crate::outline::Kind;
use crate::parse::asciidoc::attributes::{is_attributes, value};
use crate::parse::reader::LineReader;

/// The most rows that a cell of a table is taken to span.
const MOST_SPANNED: usize = 100;

/// The most columns that a table is taken to have.
const MOST_COLUMNS: usize = 1000;

/// Reads the table at a line, row by row: of an attribute list or a title above it, the line
/// that opens it and its header, the first row is made.
pub(super) fn table(base: &mut LineReader<'_>, from: usize, at: usize, after: usize) {
    let last = match after > at + 1 && base.flush(after - 1) == base.flush(at) {
        true => after - 1,
        false => after,
    };
    let mut format = TableFormat::of(base.flush(at));
    for line in from..at {
        format.read(base.flush(line));
    }
    let first = base.first_text(at + 1..last);
    let is_implicit = first == at + 1 && first + 1 < last && base.is_blank(first + 1);
    let mut rows = match format.is_separated {
        true => separated_rows(base, first, last),
        false => rows(base, first, last, &format),
    };
    let has_header = format.has_header.unwrap_or(is_implicit);
    let table = base.open(Kind::Table, from);
    base.builder.header_lines(table, 1);
    // The first row is always a header: that of a table without one has no text.
    let start = usize::from(has_header).min(rows.len());
    rows.push(after);
    base.leaf(Kind::Row, from..rows[start]);
    for index in start..rows.len() - 1 {
        if base.is_full() {
            break;
        }
        base.leaf(Kind::Row, rows[index]..rows[index + 1]);
    }
    base.close(after);
}

/// The first lines of the rows whose cells begin with a separator.
fn rows(base: &LineReader<'_>, first: usize, last: usize, format: &TableFormat) -> Vec<usize> {
    let mut rows = Vec::new();
    let mut columns = format.columns;
    let mut filled = 0;
    // Whether the current row has a cell yet that is not one of a row above.
    let mut is_begun = false;
    // How many columns of the rows to come are taken by cells of rows above.
    let mut taken: VecDeque<usize> = VecDeque::new();
    for line in first..last {
        let mut cells = Cells::new(base.at(line), format.separator).peekable();
        if !is_begun && cells.peek().is_some_and(|cell| cell.is_first) {
            rows.push(line);
        }
        for cell in cells {
            is_begun = true;
            filled += cell.columns;
            for below in 0..cell.rows - 1 {
                if taken.len() <= below {
                    taken.push_back(0);
                }
                taken[below] += cell.columns;
            }
            while columns > 0 && filled >= columns {
                filled = filled - columns + taken.pop_front().unwrap_or(0);
                is_begun = false;
            }
        }
        if columns == 0 && is_begun {
            columns = filled.min(MOST_COLUMNS);
            filled = taken.pop_front().unwrap_or(0);
            is_begun = false;
        }
    }
    rows
}

/// The first lines of the rows of a table with a row a line, whose values may be quoted.
fn separated_rows(base: &LineReader<'_>, first: usize, last: usize) -> Vec<usize> {
    let mut rows = Vec::new();
    let mut is_quoted = false;
    for line in first..last {
        if !is_quoted && !base.is_blank(line) {
            rows.push(line);
        }
        let quotes = base.at(line).bytes().filter(|byte| *byte == b'"').count();
        is_quoted ^= quotes % 2 == 1;
    }
    rows
}

/// How a table is written.
struct TableFormat {
    separator: char,
    /// The number of columns, or 0 if the first line tells.
    columns: usize,
    has_header: Option<bool>,
    /// Whether every line is a row.
    is_separated: bool,
}

impl TableFormat {
    /// The format of a table with this delimiter.
    fn of(delimiter: &str) -> Self {
        let separator = delimiter.chars().next().unwrap_or('|');
        TableFormat {
            separator,
            columns: 0,
            has_header: None,
            is_separated: matches!(separator, ',' | ':'),
        }
    }

    /// Reads a list of attributes.
    fn read(&mut self, attributes: &str) {
        if !is_attributes(attributes) {
            return;
        }
        if attributes.contains("noheader") {
            self.has_header = Some(false);
        } else if attributes.contains("header") {
            self.has_header = Some(true);
        }
        self.is_separated |= ["csv", "tsv", "dsv"]
            .iter()
            .any(|name| value(attributes, "format") == Some(name));
        if let Some(separator) = value(attributes, "separator").and_then(|text| text.chars().next())
        {
            self.separator = separator;
        }
        if let Some(columns) = value(attributes, "cols") {
            let by = match columns.contains(',') {
                true => ',',
                false => ';',
            };
            let count = |column: &str| match column.split_once('*') {
                Some((count, _)) => count.trim().parse().unwrap_or(1),
                None => 1_usize,
            };
            // A number alone is how many there are.
            if let Ok(count) = columns.trim().parse::<usize>() {
                self.columns = count.min(MOST_COLUMNS);
                return;
            }
            let columns = columns.split(by).map(count);
            self.columns = columns
                .fold(0, |all: usize, count| all.saturating_add(count))
                .min(MOST_COLUMNS);
        }
    }
}

/// The cells that begin in a line.
struct Cells<'a> {
    text: &'a str,
    separator: char,
    at: usize,
}

/// A cell, and how many columns and rows it takes.
struct Cell {
    columns: usize,
    rows: usize,
    /// Whether nothing stands before it.
    is_first: bool,
}

impl<'a> Cells<'a> {
    fn new(text: &'a str, separator: char) -> Self {
        Cells {
            text,
            separator,
            at: 0,
        }
    }
}

impl Iterator for Cells<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        let rest = &self.text[self.at..];
        let escaped = |at: usize| rest[..at].ends_with('\\');
        let mut found = rest.match_indices(self.separator).map(|(at, _)| at);
        let found = found.find(|at| !escaped(*at))?;
        let before = &rest[..found];
        let word = before.rsplit([' ', '\t']).next().unwrap_or(before);
        let (columns, rows) = spanned(word);
        let is_first = self.at == 0 && before.len() == word.len() && is_cell_format(word);
        self.at += found + self.separator.len_utf8();
        Some(Cell {
            columns,
            rows,
            is_first,
        })
    }
}

/// Whether a word before a separator can say how a cell is written: `2.3+^.>s`.
fn is_cell_format(word: &str) -> bool {
    let is_format = |byte: u8| byte.is_ascii_digit() || b".+*<>^adehlmsv".contains(&byte);
    word.len() <= 16 && word.bytes().all(is_format)
}

/// The columns and rows of a cell with this format: `2+`, `.3+`, `2.3+` or `3*`.
fn spanned(word: &str) -> (usize, usize) {
    let number = |text: &str| text.parse::<usize>().unwrap_or(1).clamp(1, MOST_SPANNED);
    if !is_cell_format(word) {
        return (1, 1);
    }
    if let Some((count, _)) = word.split_once('*') {
        return (number(count), 1);
    }
    let Some((count, _)) = word.split_once('+') else {
        return (1, 1);
    };
    match count.split_once('.') {
        Some((columns, rows)) => (number(columns), number(rows)),
        None => (number(count), 1),
    }
}
