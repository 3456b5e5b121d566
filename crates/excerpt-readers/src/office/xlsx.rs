//! Excel workbooks: ECMA-376, SpreadsheetML.
//!
//! Values are those that were computed last, dates and percentages are written as such, and hidden
//! sheets are read, too. Only cells with contents take memory, wherever they are.

mod number;

use std::collections::{HashMap, HashSet};

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::office::grid::{COLUMNS, Content, Grid};
use crate::office::package::{Package, Relations, first_of};
use crate::office::xlsx::number::{Epoch, NumberFormat};
use crate::place::column;
use crate::reader::{ExtractedText, FileReader, ReadError};
use crate::xml::{Element, Event, Xml};

/// Reads workbooks.
#[derive(Debug)]
pub(crate) struct Xlsx;

impl FileReader for Xlsx {
    fn version(&self) -> u32 {
        1
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let mut package = Package::open(bytes, limits)?;
        let (main, text) = package.main_part("xl/workbook.xml")?;
        let relations = package.relations(&main)?;
        let (epoch, sheets) = sheets(&text, &relations, limits)?;
        let mut book = Book {
            epoch,
            texts: Texts::default(),
            formats: Vec::new(),
        };
        if let Some(name) = first_of(&relations, "sharedStrings")
            && let Some(text) = package.part(name)?
        {
            book.texts = Texts::read(&text, limits)?;
        }
        if let Some(name) = first_of(&relations, "styles")
            && let Some(text) = package.part(name)?
        {
            book.formats = formats(&text, limits)?;
        }
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&package.metadata()?);
        for (sheet, part) in sheets {
            let Some(text) = package.part(&part)? else {
                return Err(ReadError::damaged(format!("its part `{part}` is missing")));
            };
            let mut grid = Grid::new(&mut writer, limits, sheet);
            book.read_sheet(&text, &mut grid, limits)?;
            grid.end()?;
        }
        writer.finish()
    }
}

/// Where the days of the workbook begin, and the names of its sheets with their parts.
fn sheets(
    text: &str,
    relations: &Relations,
    limits: &ReadLimits<'_>,
) -> Result<(Epoch, Vec<(String, String)>), ReadError> {
    let mut xml = Xml::new(text, limits);
    let mut epoch = Epoch::Day1900;
    let mut sheets = Vec::new();
    let mut known = HashSet::new();
    while let Some(event) = xml.next()? {
        let Event::Start(element) = event else {
            continue;
        };
        match element.name() {
            "workbookPr" => {
                if matches!(element.get("date1904").as_deref(), Some("1" | "true")) {
                    epoch = Epoch::Day1904;
                }
            }
            "sheet" => {
                let relation = element.prefixed("id");
                let relation = relation.and_then(|key| relations.get(&key));
                // Others are charts and macros.
                if let Some(relation) = relation.filter(|relation| relation.kind == "worksheet")
                    && known.insert(&relation.target)
                {
                    let name = element.get("name").unwrap_or_default();
                    sheets.push((name, relation.target.clone()));
                }
            }
            _ => (),
        }
    }
    Ok((epoch, sheets))
}

/// Texts that several cells share.
#[derive(Default)]
struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    fn read(text: &str, limits: &ReadLimits<'_>) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text, limits);
        let mut texts = Texts::default();
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(element) => match element.name() {
                    "t" => texts.text.push_str(&unescaped(xml.text()?)),
                    // How the text is pronounced.
                    "rPh" | "phoneticPr" => xml.skip()?,
                    _ => (),
                },
                Event::End(end) if end.name() == "si" => texts.ends.push(texts.text.len()),
                Event::End(_) | Event::Text(_) => (),
            }
        }
        Ok(texts)
    }

    fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = match at.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..end)
    }
}

/// Text in which `_x000D_` and the like are characters: ECMA-376, part 1, 22.9.2.19.
fn unescaped(text: String) -> String {
    if !text.contains("_x") {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find("_x") {
        plain.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6);
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = code.filter(|_| rest.as_bytes().get(at + 6) == Some(&b'_'));
        match code.and_then(|code| u32::from_str_radix(code, 16).ok()) {
            Some(code) => {
                plain.extend(char::from_u32(code).filter(|c| *c != '\r'));
                rest = &rest[at + 7..];
            }
            None => {
                plain.push_str("_x");
                rest = &rest[at + 2..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The format of each style of cells.
fn formats(text: &str, limits: &ReadLimits<'_>) -> Result<Vec<NumberFormat>, ReadError> {
    let mut xml = Xml::new(text, limits);
    let mut own = HashMap::new();
    let mut formats = Vec::new();
    let mut is_cells = false;
    while let Some(event) = xml.next()? {
        match event {
            Event::Start(element) => match element.name() {
                "numFmt" => {
                    if let (Some(key), Some(code)) =
                        (element.number("numFmtId"), element.get("formatCode"))
                    {
                        own.insert(key, NumberFormat::of_code(&code));
                    }
                }
                "cellXfs" => is_cells = true,
                "xf" if is_cells => {
                    let key = element.number("numFmtId").unwrap_or(0);
                    let format = own.get(&key).copied();
                    formats.push(format.unwrap_or_else(|| NumberFormat::of_number(key)));
                }
                "dxfs" => xml.skip()?,
                _ => (),
            },
            Event::End(end) if end.name() == "cellXfs" => is_cells = false,
            Event::End(_) | Event::Text(_) => (),
        }
    }
    Ok(formats)
}

/// What the sheets of a workbook share.
struct Book {
    epoch: Epoch,
    texts: Texts,
    formats: Vec<NumberFormat>,
}

/// A cell that is read.
#[derive(Default)]
struct Cell {
    kind: String,
    style: usize,
    value: Option<String>,
    formula: Option<String>,
    text: String,
}

impl Book {
    fn read_sheet(
        &self,
        text: &str,
        grid: &mut Grid<'_, '_>,
        limits: &ReadLimits<'_>,
    ) -> Result<(), ReadError> {
        let mut xml = Xml::new(text, limits);
        let (mut row, mut column) = (0_usize, 0_usize);
        let mut cell = Cell::default();
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(element) => match element.name() {
                    "row" => {
                        let number = element.number("r").unwrap_or(row as u64 + 1);
                        row = number.min(u64::from(u32::MAX)) as usize;
                        column = 0;
                    }
                    "c" => {
                        column = match element.get("r").as_deref().and_then(position) {
                            Some((at, in_row)) => {
                                row = in_row;
                                at
                            }
                            None => column + 1,
                        };
                        cell = Cell::of(&element);
                    }
                    "v" => cell.value = Some(xml.text()?),
                    "f" => cell.formula = Some(xml.text()?),
                    "t" => cell.text.push_str(&unescaped(xml.text()?)),
                    "rPh"
                    | "extLst"
                    | "sheetViews"
                    | "cols"
                    | "conditionalFormatting"
                    | "dataValidations"
                    | "headerFooter"
                    | "oleObjects"
                    | "controls" => {
                        xml.skip()?;
                    }
                    _ => (),
                },
                Event::End(end) if end.name() == "c" => {
                    let cell = std::mem::take(&mut cell);
                    self.push(cell, row, column, grid)?;
                }
                Event::End(end) if end.name() == "sheetData" => break,
                Event::End(_) | Event::Text(_) => (),
            }
        }
        Ok(())
    }

    fn push(
        &self,
        cell: Cell,
        row: usize,
        column: usize,
        grid: &mut Grid<'_, '_>,
    ) -> Result<(), ReadError> {
        if column > COLUMNS {
            return Err(ReadError::damaged(format!(
                "it has a cell in column {column}, and a sheet has {COLUMNS} columns"
            )));
        }
        if cell.kind == "inlineStr" {
            return grid.push(row, column, &cell.text, Content::Text);
        }
        let value = cell.value.unwrap_or_default();
        let value = value.trim();
        if value.is_empty() {
            // It was never computed.
            return match cell.formula {
                Some(formula) if !formula.trim().is_empty() => {
                    grid.push(row, column, &format!("={}", formula.trim()), Content::Data)
                }
                _ => Ok(()),
            };
        }
        match &*cell.kind {
            "s" => {
                let text = value.parse().ok().and_then(|at| self.texts.get(at));
                match text {
                    Some(text) => grid.push(row, column, text, Content::Text),
                    None => Err(ReadError::damaged(
                        "a cell refers to a missing shared string",
                    )),
                }
            }
            "str" => {
                let text = unescaped(value.to_string());
                let content = match cell.formula {
                    Some(_) => Content::Data,
                    None => Content::Text,
                };
                grid.push(row, column, &text, content)
            }
            "b" => {
                let value = match value {
                    "1" | "true" => "TRUE",
                    _ => "FALSE",
                };
                grid.push(row, column, value, Content::Data)
            }
            "e" => grid.push(row, column, value, Content::Data),
            "d" => {
                let day = value.strip_suffix("T00:00:00").unwrap_or(value);
                grid.push(row, column, day, Content::Data)
            }
            _ => {
                let format = self.formats.get(cell.style).copied().unwrap_or_default();
                let text = match value.parse::<f64>() {
                    Ok(number) => format.write(number, self.epoch),
                    Err(_) => value.to_string(),
                };
                grid.push(row, column, &text, Content::Data)
            }
        }
    }
}

impl Cell {
    fn of(element: &Element<'_>) -> Self {
        Cell {
            kind: element.get("t").unwrap_or_default(),
            style: element.number("s").unwrap_or(0) as usize,
            ..Cell::default()
        }
    }
}

/// The column and the row that `B12` names.
fn position(name: &str) -> Option<(usize, usize)> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let column = column(name.get(..digits)?)?;
    let row: u32 = name.get(digits..)?.parse().ok()?;
    (column > 0 && row > 0).then_some((column, row as usize))
}
