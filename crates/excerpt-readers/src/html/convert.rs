//! The blocks of a page, from the first to the last: [`HtmlConverter`].

use super::code;
use super::inline::{Inline, InlineLinks, inline_of};
use super::names::names_of_heading;
use super::page::{Page, Surroundings};
use super::table::Table;
use super::tree::{Attribute, Tag, holds};
use crate::limits::ReadLimits;
use crate::markdown::{MarkdownWriter, one_line};
use crate::place::slug;
use crate::reader::ReadError;

/// Writes the blocks of a page.
#[derive(Debug)]
pub(super) struct HtmlConverter<'p, 'w, 'a> {
    page: &'p Page,
    writer: &'w mut MarkdownWriter<'a>,
    limits: ReadLimits<'a>,
    inline: Inline,
    frames: Vec<Frame>,
    /// How many articles, sections and main elements are open.
    sections: usize,
    /// The level of the last heading.
    level: usize,
    options: Options,
    /// How many blocks were written.
    written: usize,
    /// The title that was written, until the first paragraph.
    title: Option<String>,
}

/// How a page is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) links: InlineLinks,
    /// The levels in the text of the headings of the levels 1 to 6.
    pub(crate) levels: [usize; 6],
    /// Whether headings have the names that links call them by.
    pub(crate) names: bool,
}

impl Options {
    /// Those of a page by itself.
    pub(crate) const PAGE: Options = Options {
        links: InlineLinks::All,
        levels: [1, 2, 3, 4, 5, 6],
        names: true,
    };

    /// The level in the text of a heading.
    fn level(&self, level: usize) -> usize {
        self.levels[level.clamp(1, 6) - 1]
    }
}

/// An element that is open.
#[derive(Debug)]
struct Frame {
    at: usize,
    end: usize,
    kind: ElementKind,
}

#[derive(Debug)]
enum ElementKind {
    Block,
    /// An article, a section or the main element.
    Section,
    Quote,
    List,
    Item,
    /// An item that is in no list.
    LoneItem,
    Terms(Terms),
}

/// A list of terms and what they mean.
#[derive(Debug)]
enum Terms {
    /// A list with an item for each term.
    List {
        is_in_item: bool,
        /// The terms of the item that have not been written.
        terms: Vec<String>,
    },
    /// The parts of a program, such as functions, each under a heading.
    Interface {
        /// The level of the heading around it.
        level: usize,
        is_described: bool,
    },
}

impl<'p, 'w, 'a> HtmlConverter<'p, 'w, 'a> {
    pub(super) fn new(
        page: &'p Page,
        writer: &'w mut MarkdownWriter<'a>,
        options: Options,
        limits: &ReadLimits<'a>,
    ) -> Self {
        HtmlConverter {
            page,
            writer,
            limits: *limits,
            inline: Inline::new(options.links),
            frames: Vec::new(),
            sections: 0,
            level: 0,
            options,
            written: 0,
            title: None,
        }
    }

    /// Writes what is in an element, or the whole page, without the title with which it begins if
    /// that was written. How many blocks were written.
    pub(super) fn write(
        mut self,
        main: Option<usize>,
        title: Option<&str>,
    ) -> Result<usize, ReadError> {
        self.title = title.map(one_line);
        let (mut at, end) = match main {
            Some(main) => (main, self.page.tree.nodes[main].end),
            None => (0, self.page.tree.nodes.len()),
        };
        if let Some(main) = main {
            self.sections += 1;
            if let Some(heading) = self.page.heading_before(main) {
                self.heading(heading, 1)?;
            }
        }
        let mut steps = 0_usize;
        while at < end {
            steps += 1;
            if steps.is_multiple_of(1 << 14) {
                self.limits.check()?;
            }
            self.close_before(at)?;
            at = self.node(at)?;
        }
        self.close_before(end)?;
        self.flush()?;
        Ok(self.written)
    }

    /// Ends what ends before a node.
    fn close_before(&mut self, at: usize) -> Result<(), ReadError> {
        while self.frames.last().is_some_and(|frame| frame.end <= at) {
            self.inline.close_before(at);
            self.flush()?;
            let Some(frame) = self.frames.pop() else {
                break;
            };
            match frame.kind {
                ElementKind::Block => (),
                ElementKind::Section => self.sections -= 1,
                ElementKind::Quote | ElementKind::List | ElementKind::Item => self.writer.close(),
                ElementKind::LoneItem => {
                    self.writer.close();
                    self.writer.close();
                }
                ElementKind::Terms(Terms::Interface { level, .. }) => self.level = level,
                ElementKind::Terms(Terms::List { is_in_item, terms }) => {
                    self.paragraph(&terms.join(", "))?;
                    if is_in_item {
                        self.writer.close();
                    }
                    self.writer.close();
                }
            }
        }
        self.inline.close_before(at);
        Ok(())
    }

    fn open(&mut self, at: usize, kind: ElementKind) {
        let end = self.page.tree.nodes[at].end;
        self.frames.push(Frame { at, end, kind });
    }

    /// Writes the text that has been read as a paragraph.
    fn flush(&mut self) -> Result<(), ReadError> {
        let text = self.inline.take();
        self.paragraph(&text)
    }

    fn paragraph(&mut self, text: &str) -> Result<(), ReadError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let title = self.title.take().filter(|_| self.written == 0);
        let is_title = |title: &String| one_line(text).trim_matches(['*', '_']) == title;
        if title.as_ref().is_some_and(is_title) {
            return Ok(());
        }
        self.written += 1;
        self.writer.paragraph(text)
    }

    /// Reads a node. The next node to read.
    fn node(&mut self, at: usize) -> Result<usize, ReadError> {
        use Tag::*;
        let page = self.page;
        let node = page.tree.nodes[at];
        let surroundings = match self.sections {
            0 => Surroundings::Page,
            _ => Surroundings::Text,
        };
        if page.is_left_out(at, surroundings) {
            self.inline.leave_out(page, at);
            return Ok(node.end);
        }
        let Some(tag) = node.tag else {
            return Ok(self.inline.node(page, at));
        };
        if !tag.is_block() {
            return Ok(self.inline.node(page, at));
        }
        self.flush()?;
        if let Some(level) = tag.level() {
            self.heading(at, level)?;
            return Ok(node.end);
        }
        match tag {
            Article | Section | Main => {
                self.sections += 1;
                self.open(at, ElementKind::Section);
            }
            Pre | Listing | Xmp | Plaintext => {
                self.code(at)?;
                return Ok(node.end);
            }
            Div if has_class(page, at, "fragment") => {
                self.code(at)?;
                return Ok(node.end);
            }
            // The title that Doxygen writes.
            Div if has_class(page, at, "headertitle") && node.holds & holds::HEADING == 0 => {
                self.heading(at, 1)?;
                return Ok(node.end);
            }
            Table | Div if tag == Table || has_class(page, at, "summary-table") => {
                if let Some(table) = self::Table::read(page, at, self.options.links) {
                    let options = self.options;
                    self.written += table.write(self.writer, |level| options.level(level))?;
                    return Ok(node.end);
                }
                self.open(at, ElementKind::Block);
            }
            Blockquote if !self.is_full() => {
                self.writer.open_quote();
                self.open(at, ElementKind::Quote);
            }
            // Cards with headings are no items of a list.
            Ul | Ol | Menu | Dir if node.holds & holds::HEADING == 0 => {
                let start = page.tree.attribute(at, Attribute::Start);
                let start = start
                    .and_then(|start| start.trim().parse().ok())
                    .unwrap_or(1);
                let start: u64 = start;
                self.writer
                    .open_list((tag == Ol).then_some(start.min(999_999_999)));
                self.open(at, ElementKind::List);
            }
            Li if node.holds & holds::HEADING == 0 => self.item(at),
            Dl => self.terms(at),
            Dt | Dd => return self.term(at, tag),
            _ => self.open(at, ElementKind::Block),
        }
        Ok(at + 1)
    }

    /// Whether quotes are nested so deeply that they are none.
    fn is_full(&self) -> bool {
        let is_quote = |frame: &&Frame| matches!(frame.kind, ElementKind::Quote);
        self.frames.iter().filter(is_quote).count() >= 3
    }

    fn heading(&mut self, at: usize, level: usize) -> Result<(), ReadError> {
        self.titled(at, self.options.level(level))
    }

    /// Writes an element as a heading, with the names that links call it by if its text does not
    /// tell them.
    fn titled(&mut self, at: usize, level: usize) -> Result<(), ReadError> {
        // Most links of a heading lead to itself.
        let title = one_line(&inline_of(self.page, at, InlineLinks::Outward));
        if title.is_empty() {
            return Ok(());
        }
        self.written += 1;
        self.level = level;
        let names = match self.options.names {
            true => names_of_heading(self.page, at),
            false => Vec::new(),
        };
        match &*names {
            [] => self.writer.heading(level, &title),
            [name] if *name == slug(&title) => self.writer.heading(level, &title),
            names => {
                let names = names.join(" #");
                self.writer.heading(level, &format!("{title} {{#{names}}}"))
            }
        }
    }

    fn code(&mut self, at: usize) -> Result<(), ReadError> {
        let around = self.frames.iter().rev().take(4).map(|frame| frame.at);
        let language = code::language(self.page, at, around);
        let code = code::code_of(self.page, at);
        if !code.trim().is_empty() {
            self.written += 1;
        }
        self.writer.code(language.as_deref(), &code)
    }

    fn item(&mut self, at: usize) {
        let around = self
            .frames
            .iter()
            .rev()
            .find(|frame| !matches!(frame.kind, ElementKind::Block));
        let kind = match around.map(|frame| &frame.kind) {
            Some(ElementKind::List) => ElementKind::Item,
            _ => {
                self.writer.open_list(None);
                ElementKind::LoneItem
            }
        };
        self.writer.open_item();
        self.open(at, kind);
    }

    fn terms(&mut self, at: usize) {
        let page = self.page;
        let terms = if is_interface(page, at) {
            Terms::Interface {
                level: self.level,
                is_described: true,
            }
        } else if page.tree.nodes[at].holds & holds::HEADING != 0 {
            return self.open(at, ElementKind::Block);
        } else {
            self.writer.open_list(None);
            Terms::List {
                is_in_item: false,
                terms: Vec::new(),
            }
        };
        self.open(at, ElementKind::Terms(terms));
    }

    /// Notes a term in the list of terms that is open, in an item.
    fn begin_term(&mut self, term: String) {
        let is_list = |frame: &&mut Frame| matches!(frame.kind, ElementKind::Terms(_));
        let Some(frame) = self.frames.iter_mut().rev().find(is_list) else {
            return;
        };
        if let ElementKind::Terms(Terms::List { is_in_item, terms }) = &mut frame.kind {
            if !term.is_empty() {
                terms.push(term);
            }
            if !std::mem::replace(is_in_item, true) {
                self.writer.open_item();
            }
        }
    }

    /// A term, or what it means.
    fn term(&mut self, at: usize, tag: Tag) -> Result<usize, ReadError> {
        let page = self.page;
        let links = self.options.links;
        let node = page.tree.nodes[at];
        let around = self.frames.iter_mut().rev();
        let mut around = around.skip_while(|frame| matches!(frame.kind, ElementKind::Block));
        let terms = match around.next() {
            Some(Frame {
                kind: ElementKind::Terms(terms),
                ..
            }) => terms,
            _ => {
                self.open(at, ElementKind::Block);
                return Ok(at + 1);
            }
        };
        let is_term = tag == Tag::Dt;
        match terms {
            Terms::Interface {
                level,
                is_described,
            } if is_term => {
                let level = *level + 1;
                let is_first = std::mem::replace(is_described, false);
                match is_first {
                    true => self.titled(at, level.min(6))?,
                    false => {
                        let term = one_line(&inline_of(page, at, InlineLinks::Outward));
                        self.paragraph(&term)?;
                    }
                }
                Ok(node.end)
            }
            Terms::Interface { is_described, .. } => {
                *is_described = true;
                self.open(at, ElementKind::Block);
                Ok(at + 1)
            }
            Terms::List { is_in_item, terms } if is_term => {
                let term = one_line(&inline_of(page, at, links));
                // Terms with one meaning are one item; entries of a list of contents are not.
                let is_joined = node.holds & holds::LINK == 0 && !terms.is_empty();
                if *is_in_item && !is_joined {
                    let before = std::mem::take(terms).join(", ");
                    *is_in_item = false;
                    self.paragraph(&before)?;
                    self.writer.close();
                }
                self.begin_term(term);
                Ok(node.end)
            }
            Terms::List { is_in_item, terms } => {
                if !*is_in_item {
                    *is_in_item = true;
                    self.writer.open_item();
                }
                let term = std::mem::take(terms).join(", ");
                let blocks = holds::BLOCK | holds::TABLE | holds::CODE;
                // A paragraph may be all that it contains.
                let is_short = node.holds & blocks == 0
                    || (node.holds & blocks == holds::BLOCK && is_paragraph(page, at));
                if is_short {
                    let meaning = one_line(&inline_of(page, at, links));
                    let is_ended = term.ends_with([':', '.', '?', '!', ';', '–', '—', '-']);
                    let between = match term.is_empty() || meaning.is_empty() {
                        true => "",
                        false if is_ended => " ",
                        false => ": ",
                    };
                    self.paragraph(&format!("{term}{between}{meaning}"))?;
                    return Ok(node.end);
                }
                self.paragraph(&term)?;
                self.open(at, ElementKind::Block);
                Ok(at + 1)
            }
        }
    }
}

fn has_class(page: &Page, at: usize, class: &str) -> bool {
    page.tree.classes(at).any(|known| known == class)
}

/// Whether a list of terms describes the parts of a program.
fn is_interface(page: &Page, at: usize) -> bool {
    const KINDS: &[&str] = &[
        "attribute",
        "class",
        "classmethod",
        "confval",
        "data",
        "describe",
        "directive",
        "envvar",
        "exception",
        "function",
        "macro",
        "member",
        "method",
        "module",
        "opcode",
        "option",
        "property",
        "staticmethod",
        "struct",
        "type",
    ];
    let tree = &page.tree;
    let is_kind = |class: &str| {
        let class = class
            .strip_prefix('c')
            .filter(|kind| KINDS.contains(kind))
            .unwrap_or(class);
        KINDS.contains(&class)
    };
    // The term after white space has the identifier of what it describes.
    let is_term = |at: &usize| {
        tree.nodes
            .get(*at)
            .is_some_and(|node| node.tag == Some(Tag::Dt))
    };
    let Some(term) = (at + 1..at + 4).find(is_term) else {
        return false;
    };
    tree.classes(term).any(|class| class == "sig")
        || (tree.classes(at).any(is_kind) && tree.attribute(term, Attribute::Id).is_some())
}

/// Whether an element contains one paragraph and nothing else.
fn is_paragraph(page: &Page, at: usize) -> bool {
    let end = page.tree.nodes[at].end;
    let mut paragraphs = 0;
    let mut next = at + 1;
    while next < end {
        let node = page.tree.nodes[next];
        match node.tag {
            None if page.tree.text(next).trim().is_empty() => (),
            Some(Tag::P) if node.holds & holds::BLOCK == 0 => paragraphs += 1,
            _ => return false,
        }
        next = node.end;
    }
    paragraphs == 1
}
