//! OpenDocument texts and presentations, in an archive or as flat XML.
//!
//! Headings and lists say what they are; styles say which lists are numbered, and which paragraphs
//! are titles or code. Each slide of a presentation is a place. Notes stand at the end of their
//! section; annotations, deleted text and the table of contents are left out.
//!
//! <https://docs.oasis-open.org/office/OpenDocument/v1.3/>

use std::collections::HashMap;

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::office::block::{Cell, Mark, NESTED_TABLES, OfficeBlock, Table, text_of};
use crate::office::blocks::Blocks;
use crate::office::kind::{BlockKind, kind_of};
use crate::office::levels::HeadingLevels;
use crate::office::link::link;
use crate::office::open_document::File;
use crate::place::FilePlace;
use crate::reader::{ExtractedText, FileReader, ReadError};
use crate::xml::{Element, Event, Xml};

/// How many styles that are based on each other are followed. They may form a cycle.
const CHAIN: usize = 20;

/// How many spaces, rows or cells may be repeated.
const REPEATED: u64 = 100;

/// Reads texts and presentations.
#[derive(Debug)]
pub(crate) struct Odt;

impl FileReader for Odt {
    fn version(&self) -> u32 {
        2
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let file = File::open(bytes, limits)?;
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&file.metadata);
        let mut styles = Styles::default();
        styles.read(&file.styles, limits)?;
        styles.read(&file.content, limits)?;
        let mut walk = Walk {
            limits: *limits,
            styles: &styles,
            blocks: Blocks::new(&mut writer),
            around: Vec::new(),
            paragraphs: Vec::new(),
            lists: Vec::new(),
            numbers: HashMap::new(),
            levels: HeadingLevels::default(),
            tables: 0,
            too_deep: 0,
            notes: 0,
            slides: 0,
            collected: 0,
        };
        let mut xml = Xml::new(&file.content, limits);
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(element) => walk.start(&mut xml, &element)?,
                Event::End(end) => walk.end(end.name())?,
                Event::Text(text) => walk.text(&text)?,
            }
        }
        walk.blocks.end()?;
        writer.finish()
    }
}

/// What styles say.
#[derive(Default)]
struct Styles {
    /// The name of a style, for people, and the one that it is based on.
    styles: HashMap<String, Style>,
    /// For each style of lists, where each of its levels begins; `None` for bullets.
    lists: HashMap<String, [Option<u64>; LEVELS]>,
}

#[derive(Default)]
struct Style {
    base: Option<String>,
    display: Option<String>,
}

/// How many levels a list has.
const LEVELS: usize = 10;

impl Styles {
    fn read(&mut self, text: &str, limits: &ReadLimits<'_>) -> Result<(), ReadError> {
        let mut xml = Xml::new(text, limits);
        let mut list = None;
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(element) => match element.name() {
                    "style" => {
                        if let Some(name) = element.key("name") {
                            let style = Style {
                                base: element.key("parent-style-name"),
                                display: element.key("display-name"),
                            };
                            self.styles.insert(name, style);
                        }
                    }
                    "list-style" => {
                        list = element.key("name").map(|name| (name, [None; LEVELS]));
                    }
                    "list-level-style-number" => {
                        let level = element.number("level").unwrap_or(1);
                        let format = element.get("num-format").unwrap_or_default();
                        if let Some((_, levels)) = &mut list
                            && let Some(level) = levels.get_mut((level as usize).saturating_sub(1))
                            && !format.is_empty()
                        {
                            *level = Some(element.number("start-value").unwrap_or(1));
                        }
                    }
                    "body" => break,
                    _ => (),
                },
                Event::End(end) if end.name() == "list-style" => self.lists.extend(list.take()),
                Event::End(_) | Event::Text(_) => (),
            }
        }
        Ok(())
    }

    /// What a paragraph with this style is.
    fn kind(&self, name: &str) -> Option<BlockKind> {
        self.chain(name).find_map(|(name, style)| {
            let display = style.and_then(|style| style.display.as_deref());
            kind_of(display.unwrap_or(&name.replace("_20_", " ")))
        })
    }

    /// A style, and those that it is based on.
    fn chain<'s>(&'s self, name: &'s str) -> impl Iterator<Item = (&'s str, Option<&'s Style>)> {
        let style = |name: &'s str| (name, self.styles.get(name));
        let next = move |(_, of): &(&'s str, Option<&'s Style>)| {
            of.and_then(|of| of.base.as_deref()).map(style)
        };
        std::iter::successors(Some(style(name)), next).take(CHAIN)
    }
}

/// The walk through the contents.
struct Walk<'w, 'l> {
    limits: ReadLimits<'l>,
    styles: &'w Styles,
    blocks: Blocks<'w, 'l>,
    around: Vec<Around>,
    paragraphs: Vec<Paragraph>,
    lists: Vec<List>,
    /// The next numbers of lists, by their styles.
    numbers: HashMap<String, u64>,
    levels: HeadingLevels,
    tables: usize,
    too_deep: usize,
    notes: usize,
    slides: usize,
    /// About how many bytes are in tables, boxes and notes.
    collected: usize,
}

enum Around {
    Table {
        table: Table,
        cell: Option<Cell>,
        repeated: u64,
    },
    /// A text box, with the lists around it.
    Box {
        blocks: Vec<OfficeBlock>,
        lists: Vec<List>,
    },
    Note {
        number: usize,
        blocks: Vec<OfficeBlock>,
        lists: Vec<List>,
    },
    /// A slide, and its title.
    Slide {
        title: Option<String>,
        blocks: Vec<OfficeBlock>,
    },
    /// The notes to a slide.
    SlideNotes {
        blocks: Vec<OfficeBlock>,
    },
    /// A frame that is the title of its slide.
    Title {
        blocks: Vec<OfficeBlock>,
    },
    Frame,
}

struct List {
    style: Option<String>,
    /// The number of its next item.
    next: Option<u64>,
    /// Whether nothing of its item was written.
    is_new: bool,
}

#[derive(Default)]
struct Paragraph {
    text: String,
    kind: Option<BlockKind>,
    links: Vec<(usize, String)>,
    boxes: Vec<OfficeBlock>,
    /// The notes in it, which stand below it.
    notes: Vec<OfficeBlock>,
}

impl Walk<'_, '_> {
    fn start(&mut self, xml: &mut Xml<'_>, element: &Element<'_>) -> Result<(), ReadError> {
        match element.name() {
            "automatic-styles" | "styles" | "master-styles" | "font-face-decls" | "meta"
            | "settings" | "scripts" | "tracked-changes" | "annotation" | "annotation-end"
            | "forms" | "ruby-text" | "title" | "desc" | "table-of-content"
            | "illustration-index" | "table-index" | "object-index" | "user-index"
            | "alphabetical-index" | "note-citation" | "binary-data" | "hidden-text" | "script"
            | "event-listeners" | "math" | "table-column" | "deletion" => return xml.skip(),
            "p" | "h" => {
                let style = element.key("style-name").unwrap_or_default();
                let kind = match element.name() {
                    "h" => {
                        let level = element.number("outline-level").unwrap_or(1).clamp(1, 9);
                        Some(BlockKind::Heading(level as usize))
                    }
                    _ => match self.styles.kind(&style) {
                        // A paragraph that only looks like a heading may be none.
                        Some(BlockKind::Heading(_)) => None,
                        kind => kind,
                    },
                };
                self.paragraphs.push(Paragraph {
                    kind,
                    ..Paragraph::default()
                });
            }
            "s" => {
                let count = element.number("c").unwrap_or(1).min(REPEATED);
                self.write(&" ".repeat(count as usize))?;
            }
            "tab" => self.write("\t")?,
            "line-break" => self.write("\n")?,
            "a" => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    // A link in a link is text.
                    let target = match paragraph.links.is_empty() {
                        true => element.get("href").unwrap_or_default(),
                        false => String::new(),
                    };
                    paragraph.links.push((paragraph.text.len(), target));
                }
            }
            "note" => {
                self.notes += 1;
                let number = self.notes;
                self.write(&format!("[^{number}]"))?;
                self.around.push(Around::Note {
                    number,
                    blocks: Vec::new(),
                    lists: std::mem::take(&mut self.lists),
                });
            }
            "text-box" => self.around.push(Around::Box {
                blocks: Vec::new(),
                lists: std::mem::take(&mut self.lists),
            }),
            "notes" => self.around.push(Around::SlideNotes { blocks: Vec::new() }),
            "page" => {
                self.slides += 1;
                self.blocks.end()?;
                self.blocks.writer.place(FilePlace::Slide(self.slides));
                self.around.push(Around::Slide {
                    title: None,
                    blocks: Vec::new(),
                });
            }
            "frame" => {
                let class = element.get("class");
                self.around.push(match class.as_deref() {
                    Some("title") if self.slides > 0 => Around::Title { blocks: Vec::new() },
                    Some("footer" | "date-time" | "page-number" | "header") => return xml.skip(),
                    _ => Around::Frame,
                });
            }
            "list" => self.open_list(element),
            "list-item" | "list-header" => {
                if let Some(list) = self.lists.last_mut() {
                    list.is_new = element.name() == "list-item";
                    if let (Some(start), Some(_)) = (element.number("start-value"), list.next) {
                        list.next = Some(start);
                    }
                }
            }
            "table" if self.tables >= NESTED_TABLES => self.too_deep += 1,
            "table" => {
                self.tables += 1;
                self.around.push(Around::Table {
                    table: Table::default(),
                    cell: None,
                    repeated: 1,
                });
            }
            "table-row" if self.too_deep == 0 => {
                if let Some(Around::Table { table, .. }) = self.around.last_mut() {
                    self.collected += 4;
                    table.open_row();
                }
            }
            "table-cell" | "covered-table-cell" if self.too_deep == 0 => {
                if let Some(Around::Table { cell, repeated, .. }) = self.around.last_mut() {
                    let count = element.number("number-columns-repeated").unwrap_or(1);
                    *repeated = count.clamp(1, REPEATED);
                    *cell = Some(Cell::default());
                }
            }
            _ => (),
        }
        Ok(())
    }

    fn open_list(&mut self, element: &Element<'_>) {
        let style = element.key("style-name");
        let style = style.or_else(|| self.lists.last()?.style.clone());
        let level = self.lists.len().min(LEVELS - 1);
        let levels = style
            .as_ref()
            .and_then(|style| self.styles.lists.get(style));
        let start = levels.and_then(|levels| levels[level]);
        let is_continued = level == 0
            && (element.get("continue-numbering").as_deref() == Some("true")
                || element.get("continue-list").is_some());
        let next = match (&style, start) {
            (Some(style), Some(start)) if is_continued => {
                Some(self.numbers.get(style).copied().unwrap_or(start))
            }
            _ => start,
        };
        self.lists.push(List {
            style,
            next,
            is_new: false,
        });
    }

    fn end(&mut self, name: &str) -> Result<(), ReadError> {
        match name {
            "p" | "h" => {
                if let Some(paragraph) = self.paragraphs.pop() {
                    self.end_paragraph(paragraph)?;
                }
            }
            "a" => {
                if let Some(paragraph) = self.paragraphs.last_mut()
                    && let Some((start, target)) = paragraph.links.pop()
                    && !target.starts_with('#')
                {
                    link(&mut paragraph.text, start, &target);
                }
            }
            "list" => {
                let list = self.lists.pop();
                if let Some(List {
                    style: Some(style),
                    next: Some(next),
                    ..
                }) = list
                    && self.lists.is_empty()
                {
                    self.numbers.insert(style, next);
                }
            }
            "note" | "text-box" | "notes" | "frame" | "page" => {
                if let Some(around) = self
                    .around
                    .pop_if(|around| !matches!(around, Around::Table { .. }))
                {
                    self.end_around(around)?;
                }
            }
            "table-cell" | "covered-table-cell" if self.too_deep == 0 => {
                if let Some(Around::Table {
                    table,
                    cell,
                    repeated,
                }) = self.around.last_mut()
                    && let Some(cell) = cell.take()
                {
                    if *repeated == 1 {
                        self.collected += 8;
                        table.push(cell);
                        return self.limits.check_text(self.collected);
                    }
                    let text = text_of(cell.blocks);
                    for _ in 0..*repeated {
                        self.collected += 8 + text.len();
                        self.limits.check_text(self.collected)?;
                        let blocks = match text.is_empty() {
                            true => Vec::new(),
                            false => vec![OfficeBlock::Paragraph(text.clone())],
                        };
                        table.push(Cell {
                            blocks,
                            ..Cell::default()
                        });
                    }
                }
            }
            "table" if self.too_deep > 0 => self.too_deep -= 1,
            "table" => {
                let table = self
                    .around
                    .pop_if(|around| matches!(around, Around::Table { .. }));
                if let Some(Around::Table { table, .. }) = table {
                    self.tables -= 1;
                    self.push(OfficeBlock::Table(table))?;
                }
            }
            _ => (),
        }
        Ok(())
    }

    fn end_around(&mut self, around: Around) -> Result<(), ReadError> {
        match around {
            Around::Box { blocks, lists } => {
                self.lists = lists;
                match self.paragraphs.last_mut() {
                    Some(paragraph) => {
                        paragraph.boxes.extend(blocks);
                        Ok(())
                    }
                    None => self.push_all(blocks),
                }
            }
            Around::Note {
                number,
                blocks,
                lists,
            } => {
                self.lists = lists;
                let text = text_of(blocks);
                let note = OfficeBlock::Note { number, text };
                match self.paragraphs.last_mut() {
                    Some(paragraph) => {
                        paragraph.notes.push(note);
                        Ok(())
                    }
                    None => self.blocks.push(note),
                }
            }
            Around::Title { blocks } => {
                let text = text_of(blocks);
                match self.around.last_mut() {
                    _ if text.is_empty() => Ok(()),
                    Some(Around::Slide { title, .. }) => {
                        *title = Some(text);
                        Ok(())
                    }
                    _ => self.push(OfficeBlock::Paragraph(text)),
                }
            }
            Around::Slide { title, blocks } => {
                if title.is_none() && blocks.is_empty() {
                    return Ok(());
                }
                // A slide without a title would be a part of the slide before.
                let title = title.unwrap_or_else(|| format!("Slide {}", self.slides));
                self.push(OfficeBlock::Heading { level: 2, title })?;
                self.push_all(blocks)?;
                self.blocks.end()
            }
            Around::SlideNotes { blocks } => {
                let text = text_of(blocks);
                match text.is_empty() {
                    true => Ok(()),
                    false => self.push(OfficeBlock::Paragraph(format!("Notes: {text}"))),
                }
            }
            Around::Frame | Around::Table { .. } => Ok(()),
        }
    }

    /// Text in which white space counts as one space, as in XML that is indented.
    fn text(&mut self, text: &str) -> Result<(), ReadError> {
        let Some(paragraph) = self.paragraphs.last_mut() else {
            return Ok(());
        };
        for c in text.chars() {
            match c {
                ' ' | '\t' | '\n' | '\r' => {
                    if !paragraph.text.is_empty() && !paragraph.text.ends_with([' ', '\n']) {
                        paragraph.text.push(' ');
                    }
                }
                '\0' | '\u{ad}' => (),
                c => paragraph.text.push(c),
            }
        }
        self.limits.check_text(paragraph.text.len())
    }

    /// Text as it is.
    fn write(&mut self, text: &str) -> Result<(), ReadError> {
        let Some(paragraph) = self.paragraphs.last_mut() else {
            return Ok(());
        };
        paragraph.text.push_str(text);
        self.limits.check_text(paragraph.text.len())
    }

    fn end_paragraph(&mut self, paragraph: Paragraph) -> Result<(), ReadError> {
        let Paragraph {
            text,
            kind,
            boxes,
            notes,
            ..
        } = paragraph;
        let is_empty = text.trim().is_empty();
        let block = match kind {
            Some(BlockKind::Contents) => None,
            Some(BlockKind::Code) => Some(OfficeBlock::Code(text)),
            _ if is_empty => None,
            Some(BlockKind::Title) if self.around.is_empty() && self.slides == 0 => {
                Some(OfficeBlock::Heading {
                    level: self.levels.title(),
                    title: text,
                })
            }
            Some(BlockKind::Heading(level)) => Some(OfficeBlock::Heading {
                level: self.levels.heading(level),
                title: text,
            }),
            _ if !self.lists.is_empty() => {
                let depth = self.lists.len() - 1;
                let mark = self.lists.last_mut().map_or(Mark::Bullet, List::mark);
                Some(OfficeBlock::Item { depth, mark, text })
            }
            Some(BlockKind::Quote) => Some(OfficeBlock::Quote(text)),
            _ => Some(OfficeBlock::Paragraph(text)),
        };
        if let Some(block) = block {
            self.push(block)?;
        }
        for note in notes {
            self.blocks.push(note)?;
        }
        self.push_all(boxes)
    }

    fn push(&mut self, block: OfficeBlock) -> Result<(), ReadError> {
        let is_frame = |around: &&mut Around| !matches!(around, Around::Frame);
        let size = block.size();
        match self.around.iter_mut().rev().find(is_frame) {
            Some(Around::Table {
                cell: Some(cell), ..
            }) => cell.blocks.push(block),
            Some(Around::Table { cell: None, .. }) => return Ok(()),
            Some(
                Around::Box { blocks, .. }
                | Around::Note { blocks, .. }
                | Around::Slide { blocks, .. }
                | Around::SlideNotes { blocks }
                | Around::Title { blocks },
            ) => blocks.push(block),
            Some(Around::Frame) | None => {
                self.collected = 0;
                return self.blocks.push(block);
            }
        }
        self.collected += size;
        self.limits.check_text(self.collected)
    }

    fn push_all(&mut self, blocks: Vec<OfficeBlock>) -> Result<(), ReadError> {
        blocks.into_iter().try_for_each(|block| self.push(block))
    }
}

impl List {
    /// How the next paragraph begins.
    fn mark(&mut self) -> Mark {
        match (std::mem::take(&mut self.is_new), &mut self.next) {
            (false, _) => Mark::None,
            (true, None) => Mark::Bullet,
            (true, Some(next)) => {
                let number = *next;
                *next = next.saturating_add(1);
                Mark::Number(number)
            }
        }
    }
}
