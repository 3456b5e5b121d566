//! Word documents: ECMA-376, WordprocessingML.
//!
//! What a paragraph is, its style says: a heading, code, a quote. Numbers of lists and headings are
//! counted as Word counts them, since they are how people cite. Of tracked changes, the text is as
//! if they were accepted. Headers, footers, comments and the table of contents are left out; notes
//! stand at the end of their section, text boxes after their paragraph.

mod notes;
mod numbering;
mod styles;

use std::collections::HashMap;

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::office::block::{Cell, Mark, NESTED_TABLES, OfficeBlock, Table, text_of};
use crate::office::blocks::Blocks;
use crate::office::docx::notes::NoteNumbers;
use crate::office::docx::numbering::{Label, Numbered, Numbering};
use crate::office::docx::styles::Styles;
use crate::office::kind::BlockKind;
use crate::office::levels::HeadingLevels;
use crate::office::link::link;
use crate::office::package::{Package, Relations, first_of};
use crate::reader::{ExtractedText, FileReader, ReadError};
use crate::xml::{Element, Event, Xml};

/// Properties as they were before a tracked change.
const BEFORE_CHANGES: &[&str] = &["pPrChange", "rPrChange", "trPrChange", "tcPrChange"];

/// Reads Word documents.
#[derive(Debug)]
pub(crate) struct Docx;

impl FileReader for Docx {
    fn version(&self) -> u32 {
        3
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let mut package = Package::open(bytes, limits)?;
        let (main, text) = package.main_part("word/document.xml")?;
        let relations = package.relations(&main)?;
        let mut document = WordDocument {
            limits: *limits,
            styles: Styles::default(),
            numbering: Numbering::default(),
            notes: HashMap::new(),
            numbers: NoteNumbers::default(),
            levels: HeadingLevels::default(),
        };
        if let Some(styles) = optional(&mut package, &relations, "styles")? {
            document.styles = Styles::read(&styles, limits)?;
        }
        if let Some(numbering) = optional(&mut package, &relations, "numbering")? {
            document.numbering = Numbering::read(&numbering, limits)?;
        }
        for (kind, element) in [("footnotes", "footnote"), ("endnotes", "endnote")] {
            let Some(name) = first_of(&relations, kind) else {
                continue;
            };
            if let Some(text) = package.part(name)? {
                let relations = package.relations(name)?;
                document.read_notes(&text, &relations, element)?;
            }
        }
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&package.metadata()?);
        let mut blocks = Blocks::new(&mut writer);
        let mut walk = Walk::new(&mut document, &relations);
        let mut xml = Xml::new(&text, limits);
        while let Some(event) = xml.next()? {
            walk.event(&mut xml, event)?;
            for block in walk.finished.drain(..) {
                blocks.push(block)?;
            }
        }
        blocks.end()?;
        writer.finish()
    }
}

fn optional(
    package: &mut Package<'_>,
    relations: &Relations,
    kind: &str,
) -> Result<Option<String>, ReadError> {
    match first_of(relations, kind) {
        Some(name) => package.part(name),
        None => Ok(None),
    }
}

/// What the parts of a document share.
struct WordDocument<'l> {
    limits: ReadLimits<'l>,
    styles: Styles,
    numbering: Numbering,
    /// The texts of notes, by their kind and key.
    notes: HashMap<String, String>,
    numbers: NoteNumbers,
    levels: HeadingLevels,
}

impl WordDocument<'_> {
    fn read_notes(
        &mut self,
        text: &str,
        relations: &Relations,
        kind: &str,
    ) -> Result<(), ReadError> {
        let limits = self.limits;
        let mut xml = Xml::new(text, &limits);
        let mut key = None;
        let mut texts = Vec::new();
        let mut size = 0;
        let mut walk = Walk::new(self, relations);
        while let Some(event) = xml.next()? {
            match &event {
                Event::Start(element) if element.name() == kind => {
                    // Separators are notes, too.
                    let is_text = element.get("type").is_none_or(|kind| kind == "normal");
                    key = element.get("id").filter(|_| is_text);
                }
                Event::End(end) if end.name() == kind => {
                    let text = text_of(std::mem::take(&mut walk.finished));
                    size += text.len();
                    limits.check_text(size)?;
                    if let Some(key) = key.take() {
                        texts.push((format!("{kind} {key}"), text));
                    }
                }
                _ => walk.event(&mut xml, event)?,
            }
        }
        self.notes.extend(texts);
        Ok(())
    }
}

/// The walk through a part with paragraphs.
struct Walk<'d, 'l> {
    document: &'d mut WordDocument<'l>,
    relations: &'d Relations,
    /// Blocks that are in no table and no text box.
    finished: Vec<OfficeBlock>,
    /// The tables and text boxes around.
    around: Vec<Around>,
    /// How many tables are nested too deep to be tables.
    too_deep: usize,
    tables: usize,
    paragraphs: Vec<Paragraph>,
    /// The text of a paragraph whose end was deleted: the next one continues it.
    continued: String,
    fields: Vec<Field>,
    /// Whether a choice was taken, for each alternative content around.
    choices: Vec<bool>,
    /// Whether the content that follows is none: a prompt to write something, or the table of
    /// contents.
    is_prompt: bool,
    /// Whether the run is hidden.
    is_hidden: bool,
    /// Whether the run is raised, until it was written.
    is_raised: bool,
    /// About how many bytes are in tables and text boxes.
    collected: usize,
}

enum Around {
    Table {
        table: Table,
        cell: Option<Cell>,
        is_deleted: bool,
    },
    Box(Vec<OfficeBlock>),
}

#[derive(Default)]
struct Paragraph {
    text: String,
    style: Option<String>,
    number: Option<u64>,
    level: Option<u64>,
    outline: Option<u64>,
    /// Whether the next one continues it: its end was deleted, or it is a large first letter.
    continues: bool,
    /// Where links begin, and their targets.
    links: Vec<(usize, Option<String>)>,
    /// The text boxes that are anchored in it.
    boxes: Vec<OfficeBlock>,
}

/// A field: its instruction, and its result.
#[derive(Default)]
struct Field {
    instruction: String,
    is_result: bool,
    /// Where a link begins.
    start: Option<usize>,
}

impl<'d, 'l> Walk<'d, 'l> {
    fn new(document: &'d mut WordDocument<'l>, relations: &'d Relations) -> Self {
        Walk {
            document,
            relations,
            finished: Vec::new(),
            around: Vec::new(),
            too_deep: 0,
            tables: 0,
            paragraphs: Vec::new(),
            continued: String::new(),
            fields: Vec::new(),
            choices: Vec::new(),
            is_prompt: false,
            is_hidden: false,
            is_raised: false,
            collected: 0,
        }
    }

    fn event(&mut self, xml: &mut Xml<'_>, event: Event<'_>) -> Result<(), ReadError> {
        match event {
            Event::Start(element) => self.start(xml, &element),
            Event::End(end) => self.end(end.name()),
            Event::Text(_) => Ok(()),
        }
    }

    fn start(&mut self, xml: &mut Xml<'_>, element: &Element<'_>) -> Result<(), ReadError> {
        match element.name() {
            "p" => {
                let text = std::mem::take(&mut self.continued);
                self.paragraphs.push(Paragraph {
                    text,
                    ..Paragraph::default()
                });
            }
            "pPr" => return self.paragraph_properties(xml),
            "r" => {
                self.is_hidden = false;
                self.is_raised = false;
            }
            "rPr" => {
                let mut is_hidden = false;
                let mut is_raised = false;
                xml.within(BEFORE_CHANGES, |element| match element.name() {
                    "vanish" => is_hidden = element.is_on(),
                    "vertAlign" => {
                        is_raised = element.get("val").as_deref() == Some("superscript");
                    }
                    _ => (),
                })?;
                self.is_hidden = is_hidden;
                self.is_raised = is_raised;
            }
            "t" => {
                let text = xml.text()?;
                let is_shown = |c: &char| !matches!(c, '\u{ad}' | '\0');
                let is_raised = std::mem::take(&mut self.is_raised);
                self.write(|to| {
                    // 10 to the 6 is not 106.
                    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                    if is_raised && is_number && to.ends_with(|c: char| c.is_ascii_digit()) {
                        to.push('^');
                    }
                    to.extend(text.chars().filter(is_shown));
                })?;
            }
            "instrText" => {
                let text = xml.text()?;
                if let Some(field) = self.fields.last_mut() {
                    field.instruction.push_str(&text);
                }
            }
            "tab" | "ptab" => self.write(|to| to.push('\t'))?,
            "br" | "cr" => self.write(|to| to.push('\n'))?,
            "noBreakHyphen" => self.write(|to| to.push('-'))?,
            "sym" => {
                let symbol = element.get("char").and_then(|code| {
                    let code = u32::from_str_radix(&code, 16).ok()?;
                    char::from_u32(code)
                });
                let is_private = |c: &char| ('\u{e000}'..='\u{f8ff}').contains(c);
                if let Some(symbol) = symbol.filter(|c| !c.is_control() && !is_private(c)) {
                    self.write(|to| to.push(symbol))?;
                }
            }
            "hyperlink" => {
                let relation = element.prefixed("id");
                let relation = relation.and_then(|key| self.relations.get(&key));
                let target = relation.filter(|relation| relation.is_external);
                let target = target.map(|relation| match element.get("anchor") {
                    Some(anchor) => format!("{}#{anchor}", relation.target),
                    None => relation.target.clone(),
                });
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    // A link in a link is text.
                    let target = target.filter(|_| paragraph.links.is_empty());
                    paragraph.links.push((paragraph.text.len(), target));
                }
            }
            "fldChar" => self.field(element),
            "footnoteReference" => self.note("footnote", element)?,
            "endnoteReference" => self.note("endnote", element)?,
            "txbxContent" => self.around.push(Around::Box(Vec::new())),
            "AlternateContent" => self.choices.push(false),
            "Choice" | "Fallback" => match self.choices.last_mut() {
                Some(is_taken) if *is_taken => return xml.skip(),
                Some(is_taken) => *is_taken = true,
                None => (),
            },
            "tbl" if self.tables >= NESTED_TABLES => self.too_deep += 1,
            "tbl" => {
                self.tables += 1;
                self.around.push(Around::Table {
                    table: Table::default(),
                    cell: None,
                    is_deleted: false,
                });
            }
            "tr" if self.too_deep == 0 => {
                if let Some(Around::Table { table, .. }) = self.around.last_mut() {
                    self.collected += 4;
                    table.open_row();
                }
            }
            "trPr" if self.too_deep == 0 => return self.row_properties(xml),
            "tc" if self.too_deep == 0 => {
                if let Some(Around::Table { cell, .. }) = self.around.last_mut() {
                    *cell = Some(Cell::default());
                }
            }
            "tcPr" if self.too_deep == 0 => return self.cell_properties(xml),
            "sdtPr" => {
                let mut is_prompt = false;
                xml.within(BEFORE_CHANGES, |element| {
                    is_prompt |= match element.name() {
                        "showingPlcHdr" => element.is_on(),
                        "docPartGallery" => {
                            element.get("val").as_deref() == Some("Table of Contents")
                        }
                        _ => false,
                    };
                })?;
                self.is_prompt = is_prompt;
            }
            "sdtContent" if std::mem::take(&mut self.is_prompt) => return xml.skip(),
            // Mathematics.
            "sup" => self.write(|to| to.push('^'))?,
            "sub" => self.write(|to| to.push('_'))?,
            "rad" => self.write(|to| to.push('\u{221a}'))?,
            "del" | "moveFrom" | "delText" | "delInstrText" | "trPrChange" | "tcPrChange"
            | "tblPr" | "tblGrid" | "tblPrEx" | "sectPr" | "sdtEndPr" | "rt" | "rubyPr"
            | "ffData" | "ctrlPr" | "background" => return xml.skip(),
            _ => (),
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), ReadError> {
        match name {
            "p" => {
                if let Some(paragraph) = self.paragraphs.pop() {
                    self.end_paragraph(paragraph)?;
                }
            }
            "hyperlink" => {
                if let Some(paragraph) = self.paragraphs.last_mut()
                    && let Some((start, Some(target))) = paragraph.links.pop()
                {
                    link(&mut paragraph.text, start, &target);
                }
            }
            "txbxContent" => {
                if let Some(Around::Box(_)) = self.around.last()
                    && let Some(Around::Box(blocks)) = self.around.pop()
                {
                    match self.paragraphs.last_mut() {
                        Some(paragraph) => paragraph.boxes.extend(blocks),
                        None => self.push_all(blocks)?,
                    }
                }
            }
            "AlternateContent" => drop(self.choices.pop()),
            "tbl" if self.too_deep > 0 => self.too_deep -= 1,
            "tbl" => {
                if let Some(Around::Table { .. }) = self.around.last()
                    && let Some(Around::Table { table, .. }) = self.around.pop()
                {
                    self.tables -= 1;
                    self.push(OfficeBlock::Table(table))?;
                }
            }
            "tr" if self.too_deep == 0 => {
                if let Some(Around::Table {
                    table, is_deleted, ..
                }) = self.around.last_mut()
                    && std::mem::take(is_deleted)
                {
                    table.drop_row();
                }
            }
            "tc" if self.too_deep == 0 => {
                if let Some(Around::Table { table, cell, .. }) = self.around.last_mut()
                    && let Some(cell) = cell.take()
                {
                    self.collected += 4 + 4 * cell.span.min(256);
                    table.push(cell);
                }
                self.document.limits.check_text(self.collected)?;
            }
            "num" => self.write(|to| to.push('/'))?,
            _ => (),
        }
        Ok(())
    }

    /// Writes to the paragraph, unless what is written is hidden or the instruction of a field.
    fn write(&mut self, write: impl FnOnce(&mut String)) -> Result<(), ReadError> {
        let is_instruction = self.fields.iter().any(|field| !field.is_result);
        if self.is_hidden || is_instruction {
            return Ok(());
        }
        match self.paragraphs.last_mut() {
            Some(paragraph) => {
                write(&mut paragraph.text);
                self.document.limits.check_text(paragraph.text.len())
            }
            None => Ok(()),
        }
    }

    fn field(&mut self, element: &Element<'_>) {
        match element.get("fldCharType").as_deref() {
            // Real fields are nested a few levels deep.
            Some("begin") if self.fields.len() < 100 => self.fields.push(Field::default()),
            Some("separate") => {
                let start = self.paragraphs.last().map(|paragraph| paragraph.text.len());
                if let Some(field) = self.fields.last_mut() {
                    field.is_result = true;
                    field.start = start;
                }
            }
            Some("end") => {
                let Some(field) = self.fields.pop() else {
                    return;
                };
                if let (Some(start), Some(target), Some(paragraph)) = (
                    field.start,
                    link_target(&field.instruction),
                    self.paragraphs.last_mut(),
                ) {
                    link(&mut paragraph.text, start, &target);
                }
            }
            _ => (),
        }
    }

    fn note(&mut self, kind: &str, element: &Element<'_>) -> Result<(), ReadError> {
        let Some(key) = element.get("id") else {
            return Ok(());
        };
        let key = format!("{kind} {key}");
        if !self.document.notes.contains_key(&key) {
            return Ok(());
        }
        let (number, is_first) = self.document.numbers.number(key.clone());
        self.write(|to| to.push_str(&format!("[^{number}]")))?;
        if is_first && let Some(text) = self.document.notes.get_mut(&key) {
            let text = std::mem::take(text);
            self.finished.push(OfficeBlock::Note { number, text });
        }
        Ok(())
    }

    fn paragraph_properties(&mut self, xml: &mut Xml<'_>) -> Result<(), ReadError> {
        let mut spare = Paragraph::default();
        let paragraph = self.paragraphs.last_mut().unwrap_or(&mut spare);
        xml.within(BEFORE_CHANGES, |element| match element.name() {
            "pStyle" => paragraph.style = element.key("val"),
            "numId" => paragraph.number = element.number("val"),
            "ilvl" => paragraph.level = element.number("val"),
            "outlineLvl" => paragraph.outline = element.number("val"),
            "del" | "moveFrom" => paragraph.continues = true,
            // A large first letter is a paragraph of its own.
            "framePr" => {
                let cap = element.get("dropCap");
                paragraph.continues |= cap.is_some_and(|cap| cap != "none");
            }
            _ => (),
        })
    }

    fn row_properties(&mut self, xml: &mut Xml<'_>) -> Result<(), ReadError> {
        let mut skipped = 0;
        let mut is_removed = false;
        xml.within(BEFORE_CHANGES, |element| match element.name() {
            "gridBefore" => skipped = element.number("val").unwrap_or(0).min(256) as usize,
            "del" => is_removed = true,
            _ => (),
        })?;
        if let Some(Around::Table {
            table, is_deleted, ..
        }) = self.around.last_mut()
        {
            *is_deleted = is_removed;
            if skipped > 0 {
                self.collected += 4 * skipped;
                table.skip_columns(skipped);
            }
        }
        self.document.limits.check_text(self.collected)
    }

    fn cell_properties(&mut self, xml: &mut Xml<'_>) -> Result<(), ReadError> {
        let mut spare = Cell::default();
        let cell = match self.around.last_mut() {
            Some(Around::Table {
                cell: Some(cell), ..
            }) => cell,
            _ => &mut spare,
        };
        xml.within(BEFORE_CHANGES, |element| match element.name() {
            "gridSpan" => cell.span = element.number("val").unwrap_or(1).min(256) as usize,
            "vMerge" => cell.continues = element.get("val").is_none_or(|val| val != "restart"),
            _ => (),
        })
    }

    fn end_paragraph(&mut self, mut paragraph: Paragraph) -> Result<(), ReadError> {
        // An instruction ends with its paragraph, or a lost end would hide the rest.
        self.fields.retain(|field| field.is_result);
        for field in &mut self.fields {
            field.start = field.start.map(|_| 0);
        }
        while let Some((start, target)) = paragraph.links.pop() {
            if let Some(target) = target {
                link(&mut paragraph.text, start, &target);
            }
        }
        let boxes = std::mem::take(&mut paragraph.boxes);
        match paragraph.continues {
            true => self.continued = paragraph.text,
            false => {
                if let Some(block) = self.block(paragraph) {
                    self.push(block)?;
                }
            }
        }
        self.push_all(boxes)
    }

    /// What a paragraph is.
    fn block(&mut self, paragraph: Paragraph) -> Option<OfficeBlock> {
        let document = &mut *self.document;
        let role = document.styles.role(paragraph.style.as_deref());
        let kind = match (paragraph.outline, role.kind) {
            (_, Some(BlockKind::Contents)) => return None,
            (Some(level @ 0..=8), None) => Some(BlockKind::Heading(level as usize + 1)),
            (_, kind) => kind,
        };
        let numbered = match (paragraph.number, role.numbered) {
            (Some(0), _) => None,
            (Some(number), style) => Some(Numbered {
                number,
                level: paragraph
                    .level
                    .or(style.map(|style| style.level))
                    .unwrap_or(0),
            }),
            (None, Some(style)) => Some(Numbered {
                number: style.number,
                level: paragraph.level.unwrap_or(style.level),
            }),
            (None, None) => None,
        };
        let label = numbered.and_then(|numbered| document.numbering.next(numbered));
        let text = paragraph.text;
        if text.trim().is_empty() && !matches!(kind, Some(BlockKind::Code)) {
            return None;
        }
        let depth = numbered.map_or(0, |numbered| numbered.level.min(8) as usize);
        Some(match (kind, label) {
            (Some(BlockKind::Code), _) => OfficeBlock::Code(text),
            (Some(BlockKind::Title), _) if self.around.is_empty() => OfficeBlock::Heading {
                level: document.levels.title(),
                title: text,
            },
            (Some(BlockKind::Heading(level)), label) => OfficeBlock::Heading {
                level: document.levels.heading(level),
                title: match label {
                    Some(Label::Number(number)) => format!("{number}. {text}"),
                    Some(Label::Text(label)) => format!("{label} {text}"),
                    Some(Label::Bullet) | None => text,
                },
            },
            (_, Some(Label::Bullet)) => OfficeBlock::Item {
                depth,
                mark: Mark::Bullet,
                text,
            },
            (_, Some(Label::Number(number))) => OfficeBlock::Item {
                depth,
                mark: Mark::Number(number),
                text,
            },
            (_, Some(Label::Text(label))) => OfficeBlock::Item {
                depth,
                mark: Mark::Bullet,
                text: format!("{label} {text}"),
            },
            (Some(BlockKind::Quote), None) => OfficeBlock::Quote(text),
            (_, None) => OfficeBlock::Paragraph(text),
        })
    }

    fn push(&mut self, block: OfficeBlock) -> Result<(), ReadError> {
        let size = block.size();
        match self.around.last_mut() {
            Some(Around::Table {
                cell: Some(cell), ..
            }) => cell.blocks.push(block),
            // Between cells there is no text.
            Some(Around::Table { cell: None, .. }) => return Ok(()),
            Some(Around::Box(blocks)) => blocks.push(block),
            None => {
                self.finished.push(block);
                self.collected = 0;
                return Ok(());
            }
        }
        self.collected += size;
        self.document.limits.check_text(self.collected)
    }

    fn push_all(&mut self, blocks: Vec<OfficeBlock>) -> Result<(), ReadError> {
        blocks.into_iter().try_for_each(|block| self.push(block))
    }
}

/// The address in the instruction of a field that is a link.
fn link_target(instruction: &str) -> Option<String> {
    let rest = instruction.trim().strip_prefix("HYPERLINK")?.trim_start();
    // Places in the document itself have the switch `\l` first.
    let target = rest.strip_prefix('"')?.split('"').next()?;
    (!target.is_empty()).then(|| target.to_string())
}
