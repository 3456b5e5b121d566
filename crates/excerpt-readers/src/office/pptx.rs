//! PowerPoint presentations: ECMA-376, PresentationML.
//!
//! Each slide is a place. Its title is a heading, what stands in the list of a layout are items,
//! and the notes of the speaker follow. Numbers of slides, dates and footers are left out.

use std::collections::HashSet;

use crate::limits::ReadLimits;
use crate::markdown::{MarkdownWriter, one_line};
use crate::office::block::{Cell, Mark, OfficeBlock, Table};
use crate::office::blocks::Blocks;
use crate::office::link::link;
use crate::office::package::{Package, Relations, first_of};
use crate::place::FilePlace;
use crate::reader::{ExtractedText, FileReader, ReadError};
use crate::xml::{Element, Event, Xml};

/// Reads presentations.
#[derive(Debug)]
pub(crate) struct Pptx;

impl FileReader for Pptx {
    fn version(&self) -> u32 {
        1
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let mut package = Package::open(bytes, limits)?;
        let (main, text) = package.main_part("ppt/presentation.xml")?;
        let relations = package.relations(&main)?;
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&package.metadata()?);
        let mut blocks = Blocks::new(&mut writer);
        let slides = slides(&text, &relations, limits)?;
        for (at, name) in slides.iter().enumerate() {
            let Some(text) = package.part(name)? else {
                return Err(ReadError::damaged(format!("its part `{name}` is missing")));
            };
            let relations = package.relations(name)?;
            let mut slide = Slide::new(limits, &relations);
            slide.read(&text)?;
            let diagrams = std::mem::take(&mut slide.diagrams);
            for name in diagrams {
                if let Some(text) = package.part(&name)? {
                    slide.read_diagram(&text)?;
                }
            }
            let mut notes = Vec::new();
            if let Some(name) = first_of(&relations, "notesSlide")
                && let Some(text) = package.part(name)?
            {
                let relations = package.relations(name)?;
                let mut page = Slide::new(limits, &relations);
                page.is_notes = true;
                page.read(&text)?;
                notes = page.blocks;
            }
            blocks.end()?;
            blocks.writer.place(FilePlace::Slide(at + 1));
            if slide.title.is_none() && slide.blocks.is_empty() && notes.is_empty() {
                continue;
            }
            // A slide without a title would be a part of the slide before.
            let title = slide.title.unwrap_or_else(|| format!("Slide {}", at + 1));
            let level = match slide.is_cover && at == 0 {
                true => 1,
                false => 2,
            };
            blocks.push(OfficeBlock::Heading { level, title })?;
            for block in slide.blocks {
                blocks.push(block)?;
            }
            for (at, note) in notes.into_iter().enumerate() {
                blocks.push(match (at, note) {
                    (0, OfficeBlock::Paragraph(text) | OfficeBlock::Item { text, .. }) => {
                        OfficeBlock::Paragraph(format!("Notes: {text}"))
                    }
                    (_, note) => note,
                })?;
            }
        }
        blocks.end()?;
        writer.finish()
    }
}

/// The names of the slides, in their order.
fn slides(
    text: &str,
    relations: &Relations,
    limits: &ReadLimits<'_>,
) -> Result<Vec<String>, ReadError> {
    let mut xml = Xml::new(text, limits);
    let mut slides = Vec::new();
    let mut known = HashSet::new();
    while let Some(event) = xml.next()? {
        if let Event::Start(element) = event
            && element.name() == "sldId"
            && let Some(key) = element.prefixed("id")
            && let Some(relation) = relations.get(&key)
            && known.insert(&relation.target)
        {
            slides.push(relation.target.clone());
        }
    }
    Ok(slides)
}

/// What is on a slide.
struct Slide<'s> {
    limits: ReadLimits<'s>,
    relations: &'s Relations,
    title: Option<String>,
    /// Whether its title is that of a cover.
    is_cover: bool,
    blocks: Vec<OfficeBlock>,
    /// The parts with the texts of diagrams.
    diagrams: Vec<String>,
    /// Whether it is the page of the notes to a slide.
    is_notes: bool,
    shape: Shape,
    table: Option<(Table, Option<Cell>)>,
    paragraph: Option<Paragraph>,
    /// The next numbers of the lists in the shape, by their levels.
    numbers: Vec<Option<u64>>,
    choices: Vec<bool>,
    collected: usize,
}

/// What the text of a shape is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    #[default]
    Text,
    Title,
    Cover,
    Subtitle,
    /// The place of a layout for the contents: a list, unless it says otherwise.
    Body,
    /// The same on every slide.
    Repeated,
}

#[derive(Default)]
struct Paragraph {
    text: String,
    level: usize,
    /// What stands before it, if it says so itself.
    mark: Option<Option<Mark>>,
    link: Option<(usize, String)>,
}

impl<'s> Slide<'s> {
    fn new(limits: &ReadLimits<'s>, relations: &'s Relations) -> Self {
        Slide {
            limits: *limits,
            relations,
            title: None,
            is_cover: false,
            blocks: Vec::new(),
            diagrams: Vec::new(),
            is_notes: false,
            shape: Shape::Text,
            table: None,
            paragraph: None,
            numbers: Vec::new(),
            choices: Vec::new(),
            collected: 0,
        }
    }

    fn read(&mut self, text: &str) -> Result<(), ReadError> {
        let limits = self.limits;
        let mut xml = Xml::new(text, &limits);
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(element) => self.start(&mut xml, &element)?,
                Event::End(end) => self.end(end.name())?,
                Event::Text(_) => (),
            }
        }
        Ok(())
    }

    /// The texts in a diagram.
    fn read_diagram(&mut self, text: &str) -> Result<(), ReadError> {
        self.shape = Shape::Body;
        self.choices.clear();
        self.read(text)
    }

    fn start(&mut self, xml: &mut Xml<'_>, element: &Element<'_>) -> Result<(), ReadError> {
        match element.name() {
            "sp" => {
                self.shape = match self.is_notes {
                    true => Shape::Repeated,
                    false => Shape::Text,
                };
                self.numbers.clear();
            }
            "ph" => {
                let kind = element.get("type");
                self.shape = match (self.is_notes, kind.as_deref()) {
                    (true, Some("body")) => Shape::Text,
                    (true, _) | (_, Some("sldNum" | "dt" | "ftr" | "hdr")) => Shape::Repeated,
                    (_, Some("title")) => Shape::Title,
                    (_, Some("ctrTitle")) => Shape::Cover,
                    (_, Some("subTitle")) => Shape::Subtitle,
                    (_, Some("body" | "obj") | None) => Shape::Body,
                    _ => Shape::Text,
                };
            }
            "AlternateContent" => self.choices.push(false),
            "Choice" | "Fallback" => match self.choices.last_mut() {
                Some(is_taken) if *is_taken => return xml.skip(),
                Some(is_taken) => *is_taken = true,
                None => (),
            },
            "tbl" => self.table = Some((Table::default(), None)),
            "tr" => {
                if let Some((table, _)) = &mut self.table {
                    self.collected += 4;
                    table.open_row();
                }
            }
            "tc" => {
                if let Some((_, cell)) = &mut self.table {
                    let is_on =
                        |name: &str| matches!(element.get(name).as_deref(), Some("1" | "true"));
                    *cell = Some(Cell {
                        continues: is_on("vMerge"),
                        ..Cell::default()
                    });
                }
            }
            "p" => self.paragraph = Some(Paragraph::default()),
            "pPr" => return self.paragraph_properties(xml, element),
            // In a diagram, the whole text of a point has this name, too.
            "t" if self.paragraph.is_some() => {
                let text = xml.text()?;
                let is_shown = |c: &char| !matches!(c, '\u{ad}' | '\0');
                self.write(|to| {
                    for c in text.chars().filter(is_shown) {
                        // A line break, as old programs wrote it.
                        to.push(if c == '\u{b}' { '\n' } else { c });
                    }
                })?;
            }
            "br" => self.write(|to| to.push('\n'))?,
            "tab" => self.write(|to| to.push('\t'))?,
            "fld" if element.get("type").as_deref() == Some("slidenum") => return xml.skip(),
            "r" => {
                if let Some(paragraph) = &mut self.paragraph {
                    paragraph.link = None;
                }
            }
            "hlinkClick" => {
                let relation = element.prefixed("id");
                let relation = relation.and_then(|key| self.relations.get(&key));
                if let Some(relation) = relation.filter(|relation| relation.is_external)
                    && let Some(paragraph) = &mut self.paragraph
                {
                    paragraph.link = Some((paragraph.text.len(), relation.target.clone()));
                }
            }
            "relIds" => {
                let data = element.prefixed("dm");
                let data = data.and_then(|key| self.relations.get(&key));
                if let Some(data) = data
                    && self.diagrams.len() < 100
                {
                    self.diagrams.push(data.target.clone());
                }
            }
            "sup" => self.write(|to| to.push('^'))?,
            "sub" => self.write(|to| to.push('_'))?,
            "extLst" | "bodyPr" | "lstStyle" | "spPr" | "style" | "tblPr" | "tblGrid" | "tcPr"
            | "timing" | "transition" | "endParaRPr" | "ctrlPr" => return xml.skip(),
            _ => (),
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), ReadError> {
        match name {
            "AlternateContent" => drop(self.choices.pop()),
            "tbl" => {
                if let Some((table, _)) = self.table.take() {
                    self.blocks.push(OfficeBlock::Table(table));
                }
            }
            "tc" => {
                if let Some((table, cell)) = &mut self.table
                    && let Some(cell) = cell.take()
                {
                    self.collected += 8;
                    table.push(cell);
                }
            }
            "r" => {
                if let Some(paragraph) = &mut self.paragraph
                    && let Some((start, target)) = paragraph.link.take()
                {
                    link(&mut paragraph.text, start, &target);
                }
            }
            "num" => self.write(|to| to.push('/'))?,
            "p" => {
                if let Some(paragraph) = self.paragraph.take() {
                    self.end_paragraph(paragraph);
                }
            }
            _ => return Ok(()),
        }
        self.limits.check_text(self.collected)
    }

    fn write(&mut self, write: impl FnOnce(&mut String)) -> Result<(), ReadError> {
        let Some(paragraph) = &mut self.paragraph else {
            return Ok(());
        };
        write(&mut paragraph.text);
        self.limits.check_text(paragraph.text.len())
    }

    fn paragraph_properties(
        &mut self,
        xml: &mut Xml<'_>,
        element: &Element<'_>,
    ) -> Result<(), ReadError> {
        let level = element.number("lvl").unwrap_or(0).min(8) as usize;
        let mut mark = None;
        xml.within(&[], |element| match element.name() {
            "buNone" => mark = Some(None),
            "buChar" | "buBlip" => mark = Some(Some(Mark::Bullet)),
            "buAutoNum" => {
                let start = element.number("startAt").unwrap_or(1);
                mark = Some(Some(Mark::Number(start)));
            }
            _ => (),
        })?;
        if let Some(paragraph) = &mut self.paragraph {
            paragraph.level = level;
            paragraph.mark = mark;
        }
        Ok(())
    }

    fn end_paragraph(&mut self, paragraph: Paragraph) {
        let Paragraph {
            text, level, mark, ..
        } = paragraph;
        if text.trim().is_empty() {
            return;
        }
        if let Some((_, cell)) = &mut self.table {
            if let Some(cell) = cell {
                self.collected += text.len() + 16;
                cell.blocks.push(OfficeBlock::Paragraph(text));
            }
            return;
        }
        let mark = match (self.shape, mark) {
            (Shape::Repeated, _) => return,
            (Shape::Title | Shape::Cover, _) => {
                self.is_cover |= self.shape == Shape::Cover;
                self.collected += text.len();
                let text = one_line(&text);
                match &mut self.title {
                    Some(title) => {
                        title.push(' ');
                        title.push_str(&text);
                    }
                    None => self.title = Some(text),
                }
                return;
            }
            (_, Some(mark)) => mark,
            (Shape::Body, None) => Some(Mark::Bullet),
            (Shape::Text | Shape::Subtitle, None) => None,
        };
        self.numbers.resize(level + 1, None);
        let mark = match mark {
            Some(Mark::Number(start)) => {
                let next = self.numbers[level].unwrap_or(start);
                self.numbers[level] = Some(next.saturating_add(1));
                Some(Mark::Number(next))
            }
            mark => {
                self.numbers[level] = None;
                mark
            }
        };
        let block = match mark {
            Some(mark) => OfficeBlock::Item {
                depth: level,
                mark,
                text,
            },
            None => OfficeBlock::Paragraph(text),
        };
        self.collected += block.size();
        self.blocks.push(block);
    }
}
