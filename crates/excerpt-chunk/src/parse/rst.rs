//! reStructuredText: sections by the order in which the styles of their underlines appear, as
//! docutils nests them; directives, literal blocks, lists, fields and footnotes.
//!
//! A block is known by its first line, and what is indented below a line belongs to it.

use std::ops::Range;

use crate::document::{Document, Link, LinkKind};
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::adornment::adornment;
use crate::parse::limits::DEEPEST;
use crate::parse::marks::{GAP, hidden, limited, revealed, unmarked};
use crate::parse::reader::{LineReader, TAB, first_line};
use crate::parse::rst_fields::add_fields;
use crate::parse::rst_links::{Targets, add_links, entry, included};
use crate::parse::sections;

/// An underline shorter than its title is one only from this length on, as in docutils.
const SURE_UNDERLINE: usize = 4;

/// Directives whose text is kept as it is.
const LITERAL: [&str; 18] = [
    "code",
    "code-block",
    "sourcecode",
    "parsed-literal",
    "literalinclude",
    "highlight",
    "math",
    "productionlist",
    "doctest",
    "testcode",
    "testoutput",
    "testsetup",
    "ipython",
    "jupyter-execute",
    "raw",
    "graphviz",
    "prompt",
    "console",
];

/// Directives that are tables.
const TABLES: [&str; 3] = ["table", "list-table", "csv-table"];

/// Directives that only name or set something.
const SETTINGS: [&str; 16] = [
    "toctree",
    "index",
    "contents",
    "include",
    "image",
    "meta",
    "module",
    "currentmodule",
    "default-domain",
    "role",
    "default-role",
    "sectionauthor",
    "moduleauthor",
    "tabularcolumns",
    "sectnum",
    "title",
];

/// Directives that may stand above a title without showing anything.
const ABOVE: [&str; 9] = [
    "index",
    "rst-class",
    "class",
    "role",
    "default-role",
    "currentmodule",
    "highlight",
    "meta",
    "tabularcolumns",
];

/// How many lines of a comment, with blank ones below it, may belong to the title after it. What is
/// longer would take the room of the text that is to stand below the title.
const LONGEST_ABOVE: usize = 6;

/// Parses reStructuredText.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReStructuredText;

impl Parser for ReStructuredText {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut reader = Reader {
            base: LineReader::new(document),
            styles: Vec::new(),
            holds: false,
            targets: Targets::default(),
        };
        reader.blocks(0..reader.base.lines.len(), 0, 0);
        let mut outline = reader.base.finish(document, "reStructuredText");
        add_links(&mut outline, document.text(), &reader.targets);
        add_fields(&mut outline, document.text());
        outline
    }
}

struct Reader<'a> {
    base: LineReader<'a>,
    /// The styles of titles, by level: the character, and whether there is a line above, too.
    styles: Vec<(char, bool)>,
    /// Whether a label was read that belongs to the next block.
    holds: bool,
    /// What the names of addresses and files stand for.
    targets: Targets,
}

impl<'a> Reader<'a> {
    /// Reads the blocks in some lines, whose text begins at the column `indent`.
    fn blocks(&mut self, lines: Range<usize>, indent: usize, depth: usize) {
        let Range { start: mut at, end } = lines;
        if depth > DEEPEST {
            if self.base.first_text(at..end) < end {
                self.base.leaf(Kind::Paragraph, at..end);
            }
            return;
        }
        let mut list: Option<Marker> = None;
        while at < end && !self.base.is_full() {
            if self.base.is_blank(at) {
                at += 1;
                continue;
            }
            let is_held = std::mem::take(&mut self.holds);
            let marker = self.marker(at, end, indent);
            if list.is_some() && marker != list {
                self.base.close(at);
                list = None;
            }
            let first = self.base.builder.len();
            if let Some(marker) = marker {
                if list.is_none() {
                    self.base.open(Kind::List, at);
                    list = Some(marker);
                }
                at = self.item(marker, at, end, indent, depth);
            } else {
                at = self.block(at, end, indent, depth);
            }
            if is_held && first < self.base.builder.len() {
                self.base.builder.glue(first);
            }
        }
        if list.is_some() {
            self.base.close(end);
        }
    }

    /// Reads the block at a line that is not blank and opens no item, and returns the line after
    /// it.
    fn block(&mut self, at: usize, end: usize, indent: usize, depth: usize) -> usize {
        if self.base.lines[at].indent > indent {
            return self.quote(at, end, indent, depth);
        }
        if depth == 0
            && let Some(after) = self.title(at, at, end)
        {
            return after;
        }
        let text = self.base.at(at);
        if text == ".." || text.starts_with(".. ") {
            return self.explicit(at, end, indent, depth);
        }
        if text.starts_with("__ ") {
            self.base.leaf(Kind::Definitions, at..at + 1);
            return at + 1;
        }
        if is_adornment(text)
            && text.len() >= SURE_UNDERLINE
            && (at + 1 == end || self.base.is_blank(at + 1))
        {
            self.base.leaf(Kind::Rule, at..at + 1);
            return at + 1;
        }
        if text.starts_with(">>>") {
            let after = self.base.blank(at..end);
            self.base.code(at..after, "pycon");
            return after;
        }
        if let Some(after) = self
            .grid_table(at, end)
            .or_else(|| self.simple_table(at, end))
        {
            return after;
        }
        self.paragraph(at, end, indent)
    }

    fn quote(&mut self, at: usize, end: usize, indent: usize, depth: usize) -> usize {
        let after = self.base.outdent(at..end, indent);
        self.base.open(Kind::Quote, at);
        let inner = self.base.least_indent(at..after);
        self.blocks(at..after, inner, depth + 1);
        self.base.close(after);
        after
    }

    /// Reads the title of a section at a line, and returns the line after it. The section begins at
    /// the line `from`: the labels before a title belong to it.
    fn title(&mut self, from: usize, at: usize, end: usize) -> Option<usize> {
        let first = self.base.at(at);
        let below = |line: usize| (line < end).then(|| self.base.at(line));
        let (title, style, after) = if is_adornment(first) {
            let (title, under) = (below(at + 1)?, below(at + 2)?);
            let closes = under == first && !title.is_empty();
            // A shorter line above a title is not its.
            if !closes || (width(title) > first.len() && first.len() < SURE_UNDERLINE) {
                return None;
            }
            (title, (first.chars().next()?, true), at + 3)
        } else {
            let under = below(at + 1)?;
            let is_under = self.base.lines[at + 1].indent == 0
                && is_adornment(under)
                && (width(first) <= under.len() || under.len() >= SURE_UNDERLINE);
            if !is_under || self.base.lines[at].indent > 0 {
                return None;
            }
            (first, (under.chars().next()?, false), at + 2)
        };
        let level = match self.styles.iter().position(|known| *known == style) {
            Some(level) => level,
            None => {
                self.styles.push(style);
                self.styles.len() - 1
            }
        };
        let level = sections::level(level);
        self.base.section(level, from..after, &plain(title));
        Some(after)
    }

    /// Reads explicit markup: a directive, a footnote, a label or a comment.
    fn explicit(&mut self, at: usize, end: usize, indent: usize, depth: usize) -> usize {
        let after = self.explicit_end(at, end, indent);
        let text = self.base.at(at).trim_start_matches('.').trim_start();
        if text.starts_with('[') {
            self.base.leaf(Kind::Footnote, at..after);
            return after;
        }
        if depth == 0
            && let Some(after) = self.above_title(at, end)
        {
            return after;
        }
        if text.starts_with('_') {
            self.targets.add(text);
            self.holds |= is_label(text);
            self.base.leaf(Kind::Definitions, at..after);
            return after;
        }
        self.files(at..after);
        match directive(text) {
            Some((name, arguments)) if LITERAL.contains(&name) => {
                let language = arguments
                    .split_whitespace()
                    .next()
                    .filter(|_| name.contains("code"));
                self.base.code(at..after, language.unwrap_or_default());
            }
            Some(("list-table", _)) => self.list_table(at, after, indent),
            Some((name, _)) if TABLES.contains(&name) => {
                let head = self.base.blank(at..after) - at;
                let head = head + usize::from(name == "csv-table") * self.header_rows(at, after);
                let table = self.base.leaf(Kind::Table, at..after);
                self.base.builder.header_lines(table, head);
            }
            // What is substituted for a name is written on its line.
            Some((name, _)) if !SETTINGS.contains(&name) && !text.starts_with('|') => {
                self.container(at, after, depth);
            }
            _ => {
                self.base.leaf(Kind::Definitions, at..after);
            }
        }
        after
    }

    /// The line after explicit markup: what is indented below belongs to it. A label ends at a
    /// blank line, and so does a comment without text.
    fn explicit_end(&self, at: usize, end: usize, indent: usize) -> usize {
        let text = self.base.at(at).trim_start_matches('.').trim_start();
        let is_short = text.starts_with('_')
            || (text.is_empty() && at + 1 < end && self.base.is_blank(at + 1));
        first_line(at + 1..end, |line| match self.base.is_blank(line) {
            true => is_short,
            false => self.base.lines[line].indent <= indent,
        })
    }

    /// Reads labels, comments and settings with the title below them, to whose section they belong,
    /// and returns the line after it. Without a title below, they are one block.
    fn above_title(&mut self, at: usize, end: usize) -> Option<usize> {
        let mut next = at;
        let mut last = at;
        while next < end && self.base.lines[next].indent == 0 && self.is_above(next) {
            last = next;
            next = self.base.first_text(self.explicit_end(next, end, 0)..end);
        }
        if next == at {
            return None;
        }
        if next < end
            && let Some(after) = self.title(at, next, end)
        {
            return Some(after);
        }
        let text = self.base.at(last).trim_start_matches('.').trim_start();
        self.holds |= is_label(text);
        let after = self.explicit_end(last, end, 0);
        self.base.leaf(Kind::Definitions, at..after);
        Some(after)
    }

    /// Whether a line is a label, a short comment or a setting, which may stand above a title.
    fn is_above(&self, at: usize) -> bool {
        let line = self.base.at(at);
        if line != ".." && !line.starts_with(".. ") {
            return false;
        }
        let text = line.trim_start_matches('.').trim_start();
        match directive(text) {
            // With text in it, `class` describes a class of a program.
            Some(("class", _)) if self.has_text(at) => false,
            Some((name, _)) => ABOVE.contains(&name) && !text.starts_with('|'),
            None if text.starts_with('_') => is_label(text),
            None => {
                let end = (at + 1 + LONGEST_ABOVE).min(self.base.lines.len());
                !text.starts_with(['[', '|'])
                    && (text.is_empty() || self.base.outdent(at + 1..end, 0) < end)
            }
        }
    }

    /// Whether a directive has text below a blank line.
    fn has_text(&self, at: usize) -> bool {
        let after = self.base.outdent(at + 1..self.base.lines.len(), 0);
        let head = self.base.blank(at..after);
        self.base.first_text(head..after) < after
    }

    /// Reads a table whose rows are the items of a list.
    fn list_table(&mut self, at: usize, after: usize, indent: usize) {
        let is_item = |line: &usize| {
            let text = self.base.at(*line);
            self.base.lines[*line].indent > indent && (text == "*" || text.starts_with("* "))
        };
        let column = (at + 1..after)
            .find(is_item)
            .map(|line| self.base.lines[line].indent);
        let is_row = |line: &usize| is_item(line) && Some(self.base.lines[*line].indent) == column;
        let rows: Vec<usize> = (at + 1..after).filter(is_row).collect();
        let header = self
            .header_rows(at, after)
            .min(rows.len().saturating_sub(1));
        let table = self.base.open(Kind::Table, at);
        self.base.builder.header_lines(table, 1);
        let mut first = at;
        // The directive and the rows of its header are the first row.
        for row in rows.into_iter().skip(header) {
            self.base.leaf(Kind::Row, first..row);
            first = row;
        }
        self.base.leaf(Kind::Row, first..after);
        self.base.close(after);
    }

    /// How many rows the header of a table has, as its directive says.
    fn header_rows(&self, at: usize, after: usize) -> usize {
        let options = at + 1..self.base.blank(at..after);
        let rows = options
            .into_iter()
            .find_map(|line| self.base.at(line).strip_prefix(":header-rows:"));
        rows.and_then(|rows| rows.trim().parse().ok()).unwrap_or(0)
    }

    /// Reads a directive whose text has blocks: its first lines, up to a blank one, are its head.
    fn container(&mut self, at: usize, after: usize, depth: usize) {
        self.base.open(Kind::Quote, at);
        let head = self.base.blank(at..after);
        self.base.leaf(Kind::Paragraph, at..head);
        if self.base.first_text(head..after) < after {
            let inner = self.base.least_indent(head..after);
            self.blocks(head..after, inner, depth + 1);
        }
        self.base.close(after);
    }

    /// Reads the grid table at a line, row by row, and returns the line after it.
    fn grid_table(&mut self, at: usize, end: usize) -> Option<usize> {
        if !is_grid_border(self.base.at(at)) {
            return None;
        }
        let is_row = |line| self.base.at(line).starts_with(['|', '+']);
        let after = first_line(at + 1..end, |line| !is_row(line));
        if after <= at + 2 {
            return None;
        }
        let is_double = |line: &usize| {
            let text = self.base.at(*line);
            is_grid_border(text) && text.contains('=')
        };
        let head = (at + 1..after - 1).find(is_double);
        let table = self.base.open(Kind::Table, at);
        self.base
            .builder
            .header_lines(table, usize::from(head.is_some()));
        let mut first = at;
        for line in at + 1..after {
            let text = self.base.at(line);
            // Above the header's border, every line is of the header.
            let ends_row = text.starts_with('+') && head.is_none_or(|head| line >= head);
            if ends_row && line + 1 < after {
                self.base.leaf(Kind::Row, first..line + 1);
                first = line + 1;
            }
        }
        self.base.leaf(Kind::Row, first..after);
        self.base.close(after);
        Some(after)
    }

    /// Reads the simple table at a line, and returns the line after it.
    fn simple_table(&mut self, at: usize, end: usize) -> Option<usize> {
        if !is_simple_border(self.base.at(at)) {
            return None;
        }
        // It ends at the second border below the first, or at the first that a blank line follows.
        let mut head = 0;
        for line in at + 1..end {
            let text = self.base.at(line);
            if !text.starts_with('=') || !text.bytes().all(|byte| matches!(byte, b'=' | b' ')) {
                continue;
            }
            if head > 0 || line + 1 == end || self.base.is_blank(line + 1) {
                let table = self.base.leaf(Kind::Table, at..line + 1);
                self.base.builder.header_lines(table, head);
                return Some(line + 1);
            }
            head = line + 1 - at;
        }
        None
    }

    /// Reads a paragraph, and the literal block that it introduces.
    fn paragraph(&mut self, at: usize, end: usize, indent: usize) -> usize {
        let after = first_line(at..end, |line| {
            self.base.is_blank(line) || (line > at && self.base.lines[line].indent > indent)
        });
        self.base.leaf(Kind::Paragraph, at..after);
        if !self.base.at(after - 1).ends_with("::") {
            return after;
        }
        let literal = self.base.first_text(after..end);
        if literal == end {
            return after;
        }
        let line = self.base.lines[literal];
        let code = if line.indent > indent {
            self.base.outdent(literal..end, indent)
        } else {
            // Quoted by a character at the start of each line.
            let Some(mark) = self
                .base
                .at(literal)
                .chars()
                .next()
                .filter(char::is_ascii_punctuation)
            else {
                return after;
            };
            first_line(literal..end, |line| !self.base.at(line).starts_with(mark))
        };
        self.base.leaf(Kind::Code, literal..code);
        code
    }

    /// What kind of item a line opens, if any.
    fn marker(&self, at: usize, end: usize, indent: usize) -> Option<Marker> {
        let line = self.base.lines[at];
        if line.indent > indent {
            return None;
        }
        let text = self.base.at(at);
        let first = text.chars().next()?;
        let rest = &text[first.len_utf8()..];
        if matches!(first, '*' | '-' | '+' | '•' | '‣' | '⁃')
            && (rest.is_empty() || rest.starts_with([' ', '\t']))
        {
            return Some(Marker::Bullet(first));
        }
        if first == ':' && field(text).is_some() {
            return Some(Marker::Field);
        }
        let next = (at + 1 < end && !self.base.is_blank(at + 1)).then(|| self.base.lines[at + 1]);
        let is_deeper = next.is_some_and(|next| next.indent > indent);
        if enumerator(text).is_some() {
            let goes_on =
                next.is_none_or(|_| is_deeper || enumerator(self.base.at(at + 1)).is_some());
            return goes_on.then_some(Marker::Number);
        }
        if is_option(text) && (is_deeper || text.contains("  ")) {
            return Some(Marker::Option);
        }
        let is_term = is_deeper
            && !text.starts_with("..")
            && !text.starts_with(">>>")
            && !text.ends_with("::")
            && !is_adornment(text)
            && !is_simple_border(text)
            && !is_grid_border(text);
        is_term.then_some(Marker::Term)
    }

    /// Reads an item, and returns the line after it.
    fn item(
        &mut self,
        marker: Marker,
        at: usize,
        end: usize,
        indent: usize,
        depth: usize,
    ) -> usize {
        let after = self.base.outdent(at + 1..end, indent);
        self.base.open(Kind::Item, at);
        let text = self.base.at(at);
        let length = match marker {
            Marker::Bullet(mark) => mark.len_utf8(),
            Marker::Number => enumerator(text).unwrap_or(0),
            Marker::Field => field(text).unwrap_or(0),
            Marker::Option | Marker::Term => 0,
        };
        if length == 0 {
            self.base.leaf(Kind::Paragraph, at..at + 1);
            if self.base.first_text(at + 1..after) < after {
                let inner = self.base.least_indent(at + 1..after);
                self.blocks(at + 1..after, inner, depth + 1);
            }
        } else {
            let rest = text[length..].len() - text[length..].trim_start().len();
            let space = &text[length..length + rest];
            let line = &mut self.base.lines[at];
            line.text += length + rest;
            line.indent = space
                .chars()
                .fold(line.indent + length, |column, c| match c {
                    '\t' => (column / TAB + 1) * TAB,
                    _ => column + 1,
                });
            let own = self.base.lines[at].indent;
            // What follows may be indented less than the text after the marker.
            let below = match self.base.first_text(at + 1..after) {
                next if next < after => self.base.least_indent(next..after),
                _ => own,
            };
            let inner = if self.base.lines[at].is_blank() {
                below
            } else {
                own.min(below)
            };
            self.base.lines[at].indent = inner;
            self.blocks(at..after, inner, depth + 1);
        }
        self.base.close(after);
        after
    }

    /// Records the files that the directive in some lines names.
    fn files(&mut self, lines: Range<usize>) {
        let text = self.base.at(lines.start).trim_start_matches('.');
        let Some((name, arguments)) = directive(text.trim_start()) else {
            return;
        };
        if name == "toctree" {
            let first = self.base.blank(lines.clone());
            for line in first..lines.end {
                if let Some(target) = entry(self.base.at(line)) {
                    self.file(line, target);
                }
            }
        } else if let Some(path) = included(name, arguments) {
            self.file(lines.start, path);
        }
    }

    /// Records the link to a file in a line.
    fn file(&mut self, line: usize, target: &str) {
        self.base.info.links.push(Link {
            target: target.into(),
            kind: LinkKind::Plain,
            bytes: self.base.text_of(line..line + 1),
        });
    }
}

/// Whether a text without the name of a format is reStructuredText: it has explicit markup, and a
/// title.
pub(super) fn is_shown(text: &str) -> bool {
    let mut has_markup = false;
    let mut has_title = false;
    let mut before = "";
    for line in text.lines() {
        let line = line.trim_end();
        // A fence, or a heading of Markdown.
        if !has_markup
            && (line.starts_with("```") || line.starts_with("# ") || line.starts_with("## "))
        {
            return false;
        }
        if let Some(markup) = line.strip_prefix(".. ") {
            let markup = markup.trim_start();
            has_markup |=
                directive(markup).is_some() || (markup.starts_with('_') && line.ends_with(':'));
        }
        has_title |= line.len() >= SURE_UNDERLINE
            && is_adornment(line)
            && !before.is_empty()
            && !before.starts_with([' ', '\t'])
            && width(before) <= line.len();
        if has_markup && has_title {
            return true;
        }
        before = line;
    }
    false
}

/// What opens an item. Items of one kind, one after the other, are a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Bullet(char),
    Number,
    Field,
    Option,
    Term,
}

/// Whether explicit markup is a label, and no address for a name.
fn is_label(text: &str) -> bool {
    text.starts_with('_') && text.ends_with(':') && text.len() > 2
}

/// Whether a line consists of one punctuation character, repeated.
fn is_adornment(text: &str) -> bool {
    adornment(text).is_some_and(|mark| mark.is_ascii_punctuation())
}

/// Whether a line is the border of a simple table: `===  ===`.
fn is_simple_border(text: &str) -> bool {
    let is_drawn = text.starts_with('=') && text.bytes().all(|byte| matches!(byte, b'=' | b' '));
    is_drawn && text.trim_end().contains(' ')
}

/// Whether a line is the border of a grid table: `+---+---+`.
fn is_grid_border(text: &str) -> bool {
    text.len() > 2
        && text.starts_with('+')
        && text.ends_with('+')
        && text.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'='))
}

/// The columns of a title, at least: wide characters take two.
fn width(text: &str) -> usize {
    text.chars()
        .map(|char| if u32::from(char) >= 0x1100 { 2 } else { 1 })
        .sum()
}

/// The name of the directive and what follows on its line.
fn directive(text: &str) -> Option<(&str, &str)> {
    let text = match text.strip_prefix('|') {
        Some(rest) => rest.split_once('|')?.1.trim_start(),
        None => text,
    };
    let (name, arguments) = text.split_once("::")?;
    let named = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | ':' | '.' | '+');
    let ends = arguments.is_empty() || arguments.starts_with(' ');
    (ends && !name.is_empty() && name.chars().all(named)).then_some((name, arguments))
}

/// The length of the marker of an enumerated item.
fn enumerator(text: &str) -> Option<usize> {
    let open = usize::from(text.starts_with('('));
    let rest = &text[open..];
    let length = rest.find([')', '.'])?;
    let value = &rest[..length];
    let is_number =
        !value.is_empty() && value.len() <= 4 && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_roman = !value.is_empty()
        && value.len() <= 6
        && value.bytes().all(|byte| b"ivxlcmIVXLCM".contains(&byte));
    let is_letter = value.len() == 1 && value.as_bytes()[0].is_ascii_alphabetic();
    let after = &rest[length + 1..];
    let ends = after.is_empty() || after.starts_with([' ', '\t']);
    (ends
        && (open == 0 || rest.as_bytes()[length] == b')')
        && (is_number || is_roman || is_letter || value == "#"))
        .then_some(open + length + 1)
}

/// The length of the name of a field, with its colons.
pub(super) fn field(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(':')?;
    if rest.starts_with([':', ' ', '`']) {
        return None;
    }
    for (at, _) in rest.match_indices(':') {
        let end = at + 1;
        match rest[end..].chars().next() {
            None | Some(' ' | '\t') => return Some(end + 1),
            // A role, and the text that it is for.
            Some('`') => return None,
            Some(_) => {}
        }
    }
    None
}

/// Whether a line begins with an option of a command.
fn is_option(text: &str) -> bool {
    let name = text.trim_start_matches(['-', '/']);
    let marks = text.len() - name.len();
    (1..=2).contains(&marks) && name.starts_with(|char: char| char.is_ascii_alphanumeric())
}

/// A title without the marks of inline markup.
fn plain(title: &str) -> String {
    let title = unescaped(limited(title));
    let mut shown = String::with_capacity(title.len());
    let mut rest = &*title;
    while let Some(at) = rest.find('`') {
        let (before, inside) = rest.split_at(at);
        if let Some(literal) = inside.strip_prefix("``") {
            shown.push_str(&referred(&unmarked(before, &['*'], true)));
            let (text, after) = literal.split_once("``").unwrap_or((literal, ""));
            shown.push_str(text);
            rest = after;
            continue;
        }
        let role = role(before);
        let before = &before[..before.len() - role];
        // The text is a target within the title.
        let target = before.strip_suffix('_').filter(|before| can_begin(before));
        let before = target.unwrap_or(before);
        shown.push_str(&referred(&unmarked(before, &['*'], true)));
        let (text, after) = inside[1..].split_once('`').unwrap_or((&inside[1..], ""));
        let linked = text.rsplit_once(" <").filter(|(_, to)| to.ends_with('>'));
        shown.push_str(linked.map_or(text, |(text, _)| text));
        let after = after.trim_start_matches('_');
        rest = match role {
            0 => &after[role_after(after)..],
            _ => after,
        };
    }
    shown.push_str(&referred(&unmarked(rest, &['*'], true)));
    revealed(&shown)
}

/// Whether a character may be part of the name of a role or a reference.
fn is_in_name(char: char) -> bool {
    char.is_alphanumeric() || "-_.+:".contains(char)
}

/// The length of the name of a role at the end of a text, with its colons: `:class:`.
fn role(before: &str) -> usize {
    let name = &before[before.trim_end_matches(is_in_name).len()..];
    let is_role = name.len() > 2 && name.starts_with(':') && name.ends_with(':');
    if is_role { name.len() } else { 0 }
}

/// The length of the name of a role at the start of a text, with its colons.
fn role_after(after: &str) -> usize {
    let name = &after[..after.find(|char| !is_in_name(char)).unwrap_or(after.len())];
    match name.rfind(':') {
        Some(last) if last > 1 && name.starts_with(':') => last + 1,
        _ => 0,
    }
}

/// A title whose escaped characters are hidden. An escaped space is not shown. In a literal nothing
/// is escaped.
fn unescaped(title: &str) -> String {
    let mut shown = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(at) = rest.find(['\\', '`']) {
        let (before, mark) = rest.split_at(at);
        shown.push_str(before);
        let literal = mark.strip_prefix("``").and_then(|inside| inside.find("``"));
        let length = match (literal, mark[1..].chars().next()) {
            (Some(length), _) => {
                shown.push_str(&mark[..length + 4]);
                length + 4
            }
            (None, Some(escaped)) if mark.starts_with('\\') => {
                shown.push(match escaped.is_whitespace() {
                    true => GAP,
                    false => hidden(escaped),
                });
                1 + escaped.len_utf8()
            }
            _ => {
                shown.push_str(&mark[..1]);
                1
            }
        };
        rest = &mark[length..];
    }
    shown.push_str(rest);
    shown
}

/// A text without the marks of references: `name_`, `[label]_` and `|name|`. The number of a
/// footnote is left out.
fn referred(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['_', '[', '|']) {
        let (before, mark) = rest.split_at(at);
        shown.push_str(before);
        rest = &mark[1..];
        if mark.starts_with('_') {
            let after = rest.strip_prefix('_').unwrap_or(rest);
            let (before, name) = shown.split_at(shown.trim_end_matches(is_in_name).len());
            let mut words = name.split(|char: char| !char.is_alphanumeric());
            if words.all(|word| !word.is_empty()) && can_begin(before) && can_end(after) {
                rest = after;
                continue;
            }
        } else if can_begin(&shown)
            && let Some((text, after)) = label(mark)
        {
            shown.push_str(text);
            rest = after;
            continue;
        }
        shown.push_str(&mark[..1]);
    }
    shown.push_str(rest);
    shown
}

/// What is shown of the label or the name that a text begins with, and what is after it.
fn label(text: &str) -> Option<(&str, &str)> {
    let is_label = text.starts_with('[');
    let (name, after) = text[1..].split_once(if is_label { ']' } else { '|' })?;
    let rest = after.trim_start_matches('_');
    let is_name = !name.is_empty() && name.trim().len() == name.len() && can_end(rest);
    if !is_name || (is_label && rest.len() == after.len()) {
        return None;
    }
    let is_note = is_label && name.starts_with(|char: char| "#*0123456789".contains(char));
    Some((if is_note { "" } else { name }, rest))
}

/// Whether inline markup may begin after a text.
fn can_begin(before: &str) -> bool {
    let last = before.chars().next_back();
    last.is_none_or(|char| char.is_whitespace() || char == GAP || "'\"([{<-/:".contains(char))
}

/// Whether inline markup may end before a text.
fn can_end(after: &str) -> bool {
    let next = after.chars().next();
    next.is_none_or(|char| char.is_whitespace() || char == GAP || "'\")]}>-/:.,;!?".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::drawn;

    #[test]
    fn sections_nest_in_the_order_of_their_underlines() {
        insta::assert_snapshot!(drawn(
            &ReStructuredText,
            "=====\nGuide\n=====\n\nOne\n---\n\na\n\nDeep\n~~~~\n\nTwo\n---\nb\n"
        ));
    }

    #[test]
    fn a_label_belongs_to_the_title_after_it() {
        insta::assert_snapshot!(drawn(
            &ReStructuredText,
            "A\n=\n\ntext\n\n.. _one:\n.. _two:\n\nB\n=\n\n.. _three:\n\ntext\n"
        ));
    }

    #[test]
    fn what_is_indented_belongs_to_what_is_above() {
        insta::assert_snapshot!(drawn(
            &ReStructuredText,
            "Try::\n\n    $ run\n\n    $ stop\n\n.. code-block:: python\n   :linenos:\n\n   x = 1\n\n.. note::\n\n   One.\n\n   - a\n\n     b\n   - c\n\nEnd.\n"
        ));
    }

    #[test]
    fn tables_and_lists_of_every_kind() {
        insta::assert_snapshot!(drawn(
            &ReStructuredText,
            "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n\n===  ===\na    b\n===  ===\n1    2\n\n3    4\n===  ===\n\n:name: x\n:other: y\n\n1. one\n2. two\n\nterm\n  what it is\n\n-a  all\n-b  both\n\n>>> 1\n1\n\nA. Einstein was\nhere\n\n----\n\n.. [1] note\n.. a comment\n"
        ));
    }

    #[test]
    fn a_grid_without_a_double_line_has_no_header() {
        let grid = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n";
        let parsed = |text: &str| ReStructuredText.parse(&Document::new(text), 0);
        assert!(parsed(grid).is_header(2));
        assert!(!parsed(&grid.replace('=', "-")).is_header(2));
    }

    #[test]
    fn a_tab_may_follow_the_mark_of_an_item() {
        let spaces = "*       one\n        more\n\n*       two\n\n1.      first\n        more\n";
        let tabs = spaces.replace("        ", "\t").replace("*       ", "*\t");
        let tabs = tabs.replace("1.      ", "1.\t");
        let kinds = |text: &str| {
            let outline = ReStructuredText.parse(&Document::new(text), 0);
            let kinds = outline.nodes.iter().map(|node| node.kind);
            kinds.collect::<Vec<_>>()
        };
        assert_eq!(kinds(&tabs), kinds(spaces));
        assert!(!kinds(&tabs).contains(&Kind::Quote));
    }

    #[test]
    fn what_shows_nothing_belongs_to_the_title_below_and_an_address_does_not() {
        insta::assert_snapshot!(drawn(
            &ReStructuredText,
            "A\n=\n\nSee x_.\n\n.. _x: https://example.org\n\nB\n=\n\ntext\n\n.. index:: c\n.. _c:\n\n.. a comment\n\nC\n=\n\n.. _p:\n\nParagraph.\n\n.. |v| replace:: 1\n"
        ));
    }

    #[test]
    fn a_described_class_and_a_long_comment_are_above_a_title_and_not_of_it() {
        insta::assert_snapshot!(drawn(
            &ReStructuredText,
            ".. class:: special\n\nA\n=\n\n.. class:: Boat(name)\n\n   Floats.\n\n.. _b:\n\nB\n=\n\n.. one\n   two\n   three\n   four\n   five\n   six\n   seven\n\n.. _c:\n\nC\n=\n"
        ));
    }

    #[test]
    fn what_is_indented_below_a_label_is_a_quote() {
        insta::assert_snapshot!(drawn(
            &ReStructuredText,
            ".. _a:\n\n  One.\n\n..\n\n  Two.\n\nB\n=\n\n - See c_.\n\n   .. _c:\n      https://example.org\n\n     Three.\n\n.. comment\n\n   on\n"
        ));
    }

    #[test]
    fn a_table_may_be_a_list() {
        insta::assert_snapshot!(drawn(
            &ReStructuredText,
            ".. list-table:: Tides\n   :header-rows: 1\n\n   * - place\n     - when\n   * - Quay\n     - at dawn\n\n       or later\n   * - Mole\n     - at noon\n"
        ));
    }

    #[test]
    fn a_title_is_shown_without_its_marks() {
        let shown = |title| plain(title);
        assert_eq!(shown("The ``run`` command"), "The run command");
        assert_eq!(
            shown(":class:`Flask` and `docs <https://x.org>`_"),
            "Flask and docs"
        );
        assert_eq!(
            shown("**Bold** and *leaning* title"),
            "Bold and leaning title"
        );
        assert_eq!(shown("2**10 and ``**kwargs``"), "2**10 and **kwargs");
        assert_eq!(shown("In :py:mod:`a.b` (:c:`d`)"), "In a.b (d)");
        assert_eq!(
            shown("The `git`:cmd: stuff, `b`:py:c:."),
            "The git stuff, b."
        );
        assert_eq!(shown("`a`: text: more"), "a: text: more");
        assert_eq!(shown("_`Command Line` and a _`b`"), "Command Line and a b");
        assert_eq!(shown("Signal::``sent``"), "Signal::sent");
        assert_eq!(shown("No ``page: <name>``"), "No page: <name>");
        assert_eq!(shown(r"\*args, in\_ and a\ *b*"), "*args, in_ and ab");
        assert_eq!(shown("Try Boats_, `Tea time`__!"), "Try Boats, Tea time!");
        assert_eq!(shown("See [Tides]_ or [#]_"), "See Tides or ");
        assert_eq!(shown("|name| |one two|_"), "name one two");
        assert_eq!(
            shown("__init__ of a_b, a[0] | b"),
            "__init__ of a_b, a[0] | b"
        );
    }
}
