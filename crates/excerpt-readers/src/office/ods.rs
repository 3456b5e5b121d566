//! OpenDocument spreadsheets, in an archive or as flat XML.

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::office::grid::{COLUMNS, Content, Grid};
use crate::office::open_document::File;
use crate::reader::{ExtractedText, FileReader, ReadError};
use crate::xml::{Element, Event, Xml};

/// Reads spreadsheets.
#[derive(Debug)]
pub(crate) struct Ods;

impl FileReader for Ods {
    fn version(&self) -> u32 {
        1
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let file = File::open(bytes, limits)?;
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&file.metadata);
        let mut xml = Xml::new(&file.content, limits);
        while let Some(event) = xml.next()? {
            let Event::Start(element) = event else {
                continue;
            };
            match element.name() {
                "table" => {
                    let name = element.get("name").unwrap_or_default();
                    let mut grid = Grid::new(&mut writer, limits, name);
                    read_sheet(&mut xml, &mut grid, limits)?;
                    grid.end()?;
                }
                "tracked-changes" | "automatic-styles" | "styles" | "master-styles" => {
                    xml.skip()?;
                }
                _ => (),
            }
        }
        writer.finish()
    }
}

/// A cell that is read, or several alike.
struct Cell {
    text: String,
    content: Content,
    /// The value that stands for the text.
    value: Option<String>,
    repeated: usize,
}

fn read_sheet(
    xml: &mut Xml<'_>,
    grid: &mut Grid<'_, '_>,
    limits: &ReadLimits<'_>,
) -> Result<(), ReadError> {
    let mut row = 1_usize;
    let mut repeated = 1_usize;
    let mut cells: Vec<Cell> = Vec::new();
    let mut cell = None;
    let mut size = 0;
    // Tables in cells are not read.
    while let Some(event) = xml.next()? {
        match event {
            Event::Start(element) => match element.name() {
                "table-row" => {
                    repeated = count(&element, "number-rows-repeated");
                    cells.clear();
                    size = 0;
                }
                "table-cell" | "covered-table-cell" => cell = Some(Cell::of(&element)),
                "p" => {
                    let text = xml.text()?;
                    if let Some(cell) = &mut cell {
                        if !cell.text.is_empty() {
                            cell.text.push('\n');
                        }
                        cell.text.push_str(&text);
                    }
                }
                "annotation" | "shapes" | "table" | "forms" => xml.skip()?,
                _ => (),
            },
            Event::End(end) => match end.name() {
                "table-cell" | "covered-table-cell" => {
                    if let Some(cell) = cell.take() {
                        size += cell.text.len() + 8;
                        limits.check_text(size)?;
                        cells.push(cell);
                    }
                }
                "table-row" => {
                    let is_empty = cells.iter().all(Cell::is_empty);
                    if !is_empty {
                        for number in row..row.saturating_add(repeated) {
                            push_row(&cells, number, grid)?;
                        }
                    }
                    row = row.saturating_add(repeated);
                }
                "table" => break,
                _ => (),
            },
            Event::Text(_) => (),
        }
    }
    Ok(())
}

fn push_row(cells: &[Cell], row: usize, grid: &mut Grid<'_, '_>) -> Result<(), ReadError> {
    let mut column = 1_usize;
    for cell in cells {
        let next = column.saturating_add(cell.repeated);
        if !cell.is_empty() {
            let text = cell.shown();
            if column > COLUMNS {
                return Err(ReadError::damaged(format!(
                    "it has a cell in column {column}, and a sheet has {COLUMNS} columns"
                )));
            }
            for column in column..next.min(COLUMNS + 1) {
                grid.push(row, column, text, cell.content)?;
            }
        }
        column = next;
    }
    Ok(())
}

impl Cell {
    fn of(element: &Element<'_>) -> Self {
        let kind = element.get("value-type");
        let value = match kind.as_deref() {
            Some("float") => element.get("value"),
            Some("date") => element.get("date-value").map(|date| {
                let day = date.strip_suffix("T00:00:00").unwrap_or(&date);
                day.replacen('T', " ", 1)
            }),
            Some("boolean") => element
                .get("boolean-value")
                .map(|value| value.to_uppercase()),
            _ => None,
        };
        let content = match kind.as_deref() {
            Some("string") | None => Content::Text,
            Some(_) => Content::Data,
        };
        Cell {
            text: String::new(),
            content,
            value,
            repeated: count(element, "number-columns-repeated"),
        }
    }

    fn shown(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.text)
    }

    fn is_empty(&self) -> bool {
        self.shown().trim().is_empty()
    }
}

fn count(element: &Element<'_>, name: &str) -> usize {
    let count = element.number(name).unwrap_or(1).max(1);
    usize::try_from(count).unwrap_or(usize::MAX)
}
