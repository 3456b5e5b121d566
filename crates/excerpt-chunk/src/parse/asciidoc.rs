//! AsciiDoc: sections by their titles, delimited blocks, tables and lists, as Asciidoctor reads
//! them.
//!
//! A block is known by its first line. The lines of attributes, anchors and a title above it belong
//! to it. Text is never looked at again for a delimiter: a block that is not closed takes the rest
//! of what it is in.

use std::collections::VecDeque;
use std::ops::Range;

use crate::document::{Document, Link, LinkKind};
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::adornment::adornment;
use crate::parse::limits::DEEPEST;
use crate::parse::marks::{limited, unmarked};
use crate::parse::paths::{has_ending, with_ending};
use crate::parse::reader::{LineReader, first_line};

/// The most rows that a cell of a table is taken to span.
const MOST_SPANNED: usize = 100;

/// The most columns that a table is taken to have.
const MOST_COLUMNS: usize = 1000;

/// Styles of paragraphs whose text is kept as it is.
const LITERAL: [&str; 6] = [
    "source",
    "listing",
    "literal",
    "stem",
    "latexmath",
    "asciimath",
];

/// Parses AsciiDoc.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsciiDoc;

impl Parser for AsciiDoc {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut reader = Reader {
            base: LineReader::new(document),
            markers: Vec::new(),
            is_start: true,
        };
        reader.blocks(0..reader.base.lines.len(), 0);
        reader.base.finish(document, "AsciiDoc")
    }
}

struct Reader<'a> {
    base: LineReader<'a>,
    /// The markers of the lists that the current line is in, outermost first.
    markers: Vec<Marker>,
    /// Whether there was no block yet: a title of level 1 is that of the document then.
    is_start: bool,
}

/// What opens an item. Items of one kind, one after the other, are a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    /// `*`, `**` or `-`.
    Bullet(char, usize),
    /// `.` or `..`.
    Dots(usize),
    Digit,
    Letter {
        is_upper: bool,
    },
    Roman {
        is_upper: bool,
    },
    Callout,
    /// `term::`, with this mark.
    Term(char, usize),
}

/// What a delimiter opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fence {
    Code,
    Raw,
    Comment,
    Container,
    Verse,
    Table,
}

/// What the lines above a block say about it.
#[derive(Clone, Copy, Default)]
struct BlockAttributes<'a> {
    style: &'a str,
    language: &'a str,
}

impl BlockAttributes<'_> {
    fn is_discrete(&self) -> bool {
        matches!(self.style, "discrete" | "float")
    }
}

impl<'a> Reader<'a> {
    /// The text of a line that is not indented; otherwise an empty text.
    fn flush(&self, line: usize) -> &'a str {
        match self.base.is_flush(line) {
            true => self.base.at(line),
            false => "",
        }
    }

    /// Reads the blocks in some lines, which are in no list.
    fn blocks(&mut self, lines: Range<usize>, depth: usize) {
        let Range { start: mut at, end } = lines;
        if depth > DEEPEST {
            if self.base.first_text(at..end) < end {
                self.base.leaf(Kind::Paragraph, at..end);
            }
            return;
        }
        let markers = std::mem::take(&mut self.markers);
        while at < end && !self.base.is_full() {
            at = match self.base.is_blank(at) {
                true => at + 1,
                false => self.block(at, end, depth),
            };
        }
        self.markers = markers;
    }

    /// Reads the block at a line that is not blank, and returns the line after it.
    fn block(&mut self, at: usize, end: usize, depth: usize) -> usize {
        let set = self.settings(at, end);
        if set > at {
            self.base.leaf(Kind::Definitions, at..set);
            return set;
        }
        let (first, attributes) = self.attributes(at, end);
        if first == end {
            self.base.leaf(Kind::Definitions, at..end);
            return end;
        }
        if depth == 0
            && !attributes.is_discrete()
            && let Some(after) = self.section(at, first, end)
        {
            return after;
        }
        self.is_start = false;
        self.content(at, first, end, attributes, depth)
    }

    /// The line after a run of entries of attributes, comments and directives at a line.
    fn settings(&self, at: usize, end: usize) -> usize {
        let mut next = at;
        while next < end {
            let text = self.flush(next);
            if is_entry(text) {
                while next + 1 < end && goes_on(self.base.at(next)) {
                    next += 1;
                }
            } else if !is_comment(text) && !is_directive(text) {
                break;
            }
            next += 1;
        }
        next.min(end)
    }

    /// The first line of a block whose attributes, anchors and title begin at a line, and what they
    /// say. There may be blank lines, comments and settings in between.
    fn attributes(&self, at: usize, end: usize) -> (usize, BlockAttributes<'a>) {
        let mut found = BlockAttributes::default();
        let mut next = at;
        while next < end {
            let text = self.flush(next);
            if is_attributes(text) {
                if let Some(list) = text.strip_prefix('[').filter(|list| !list.starts_with('[')) {
                    style(list, &mut found);
                }
                next += 1;
            } else if is_block_title(text) || (next > at && self.base.is_blank(next)) {
                next += 1;
            } else if next > at && matches!(fence(text), Some((Fence::Comment, _))) {
                next = self.close_of(next, end, text);
            } else {
                match self.settings(next, end) {
                    after if next > at && after > next => next = after,
                    _ => break,
                }
            }
        }
        (next, found)
    }

    /// The level and the text of the title of a section at a line, and the line after it.
    fn title(&self, at: usize, end: usize) -> Option<(u8, &'a str, usize)> {
        let first = self.flush(at);
        if let Some((level, title)) = title_in_one_line(first) {
            return Some((level, title, at + 1));
        }
        let under = (at + 1 < end).then(|| self.flush(at + 1))?;
        let level = match under.bytes().next()? {
            b'=' => 1,
            b'-' => 2,
            b'~' => 3,
            b'^' => 4,
            b'+' => 5,
            _ => return None,
        };
        let first = self.base.written(at);
        let is_title = adornment(under).is_some()
            && !first.starts_with('.')
            && first.chars().any(char::is_alphanumeric)
            && first.chars().count().abs_diff(under.len()) < 2;
        is_title.then_some((level, first, at + 2))
    }

    /// Reads the title of a section at a line, and returns the line after it. The section begins at
    /// the line `from`: the attributes above the title belong to it.
    fn section(&mut self, from: usize, at: usize, end: usize) -> Option<usize> {
        let (level, title, after) = self.title(at, end)?;
        let is_header = level == 1 && self.is_start;
        self.is_start = false;
        self.base.section(level, from..after, &plain(title));
        if !is_header {
            return Some(after);
        }
        // The header of the document: attributes, an author and a revision.
        let mut next = self.settings(after, end);
        for _ in 0..2 {
            if next < end && !self.base.is_blank(next) {
                next = self.settings(next + 1, end);
            }
        }
        if next > after {
            self.base.leaf(Kind::Definitions, after..next);
        }
        Some(next)
    }

    /// Reads the block whose text is at the line `at`, and whose attributes begin at `from`.
    fn content(
        &mut self,
        from: usize,
        at: usize,
        end: usize,
        attributes: BlockAttributes<'a>,
        depth: usize,
    ) -> usize {
        if attributes.is_discrete()
            && let Some((level, _, after)) = self.title(at, end)
        {
            let heading = self.base.leaf(Kind::Heading, from..after);
            self.base.builder.level(heading, level);
            return after;
        }
        let text = self.flush(at);
        if let Some((fence, language)) = fence(text) {
            return self.fenced(fence, language, (from, at, end), attributes, depth);
        }
        if is_rule(text) {
            self.base.leaf(Kind::Rule, from..at + 1);
            return at + 1;
        }
        if is_media(text) {
            self.base.leaf(Kind::Paragraph, from..at + 1);
            return at + 1;
        }
        if LITERAL.contains(&attributes.style) {
            return self.literal(from, at, end, attributes);
        }
        if depth < DEEPEST
            && let Some((marker, _)) = self.marker(at)
            && !self.markers.contains(&marker)
        {
            return self.list(marker, from, at, end, depth);
        }
        if self.base.lines[at].indent > 0 {
            return self.literal(from, at, end, attributes);
        }
        let after = self.paragraph_end(at + 1, end);
        self.links(at..after);
        let kind = match text.starts_with("> ") {
            true => Kind::Quote,
            false => Kind::Paragraph,
        };
        self.base.leaf(kind, from..after);
        after
    }

    /// Reads lines up to a blank one as code.
    fn literal(
        &mut self,
        from: usize,
        at: usize,
        end: usize,
        attributes: BlockAttributes<'a>,
    ) -> usize {
        let after = first_line(at + 1..end, |line| {
            self.base.is_blank(line) || (!self.markers.is_empty() && self.flush(line) == "+")
        });
        let code = self.base.leaf(Kind::Code, from..after);
        if !attributes.language.is_empty() {
            self.base.builder.label(code, attributes.language);
        }
        after
    }

    /// The line at which a paragraph ends that has the lines before `at`.
    fn paragraph_end(&self, at: usize, end: usize) -> usize {
        let in_list = !self.markers.is_empty();
        first_line(at..end, |line| {
            if self.base.is_blank(line) {
                return true;
            }
            let text = self.flush(line);
            is_attributes(text)
                || fence(text).is_some()
                || (in_list && (text == "+" || self.marker(line).is_some()))
        })
    }

    /// The line after the delimiter that closes the block opened at a line, or the end.
    fn close_of(&self, at: usize, end: usize, delimiter: &str) -> usize {
        let delimiter = match delimiter.starts_with("```") {
            true => "```",
            false => delimiter,
        };
        (at + 1..end)
            .find(|line| self.flush(*line) == delimiter)
            .map_or(end, |close| close + 1)
    }

    /// Reads the delimited block at a line.
    fn fenced(
        &mut self,
        fence: Fence,
        language: &'a str,
        (from, at, end): (usize, usize, usize),
        attributes: BlockAttributes<'a>,
        depth: usize,
    ) -> usize {
        let after = self.close_of(at, end, self.flush(at));
        let fence = match (fence, attributes.style) {
            (Fence::Container, style) if LITERAL.contains(&style) => Fence::Code,
            (Fence::Container, "verse") => Fence::Verse,
            (_, "comment") => Fence::Comment,
            _ => fence,
        };
        match fence {
            Fence::Code | Fence::Raw => {
                let code = self.base.leaf(Kind::Code, from..after);
                let language = match language {
                    "" => attributes.language,
                    language => language,
                };
                if !language.is_empty() {
                    self.base.builder.label(code, language);
                }
            }
            Fence::Comment => {
                self.base.leaf(Kind::Definitions, from..after);
            }
            Fence::Verse => {
                self.base.leaf(Kind::Quote, from..after);
            }
            Fence::Table => self.table(from, at, after),
            Fence::Container => {
                self.base.open(Kind::Quote, from);
                // The lines of the delimiters belong to the first and the last block.
                let is_closed = after > at + 1 && self.flush(after - 1) == self.flush(at);
                let last = after - usize::from(is_closed);
                self.blocks(at + 1..last, depth + 1);
                self.base.close(after);
            }
        }
        after
    }

    /// Reads the list at a line, and returns the first line that belongs to none of its items. It
    /// is not blank.
    fn list(&mut self, marker: Marker, from: usize, at: usize, end: usize, depth: usize) -> usize {
        self.base.open(Kind::List, from);
        self.markers.push(marker);
        let mut next = self.item(from, at, end, depth);
        while next < end
            && !self.base.is_full()
            && self.marker(next).is_some_and(|(found, _)| found == marker)
        {
            next = self.item(next, next, end, depth);
        }
        self.markers.pop();
        self.base.close(next);
        next
    }

    /// Reads an item with what is attached to it, and returns the line after it and after the blank
    /// lines that follow.
    fn item(&mut self, from: usize, at: usize, end: usize, depth: usize) -> usize {
        self.base.open(Kind::Item, from);
        let mut has_text = self.marker(at).is_none_or(|(_, has_text)| has_text);
        let mut next = self.paragraph_end(at + 1, end);
        has_text |= next > at + 1;
        self.links(at..next);
        self.base.leaf(Kind::Paragraph, from..next);
        while next < end && !self.base.is_full() {
            let after_blank = self.base.is_blank(next);
            next = self.base.first_text(next..end);
            if next == end {
                break;
            }
            if self.flush(next) == "+" {
                let first = next + 1;
                has_text = true;
                next = match first < end && !self.base.is_blank(first) && self.flush(first) != "+" {
                    true => self.block(first, end, depth + 1),
                    false => first,
                };
                continue;
            }
            if let Some((marker, _)) = self.marker(next) {
                if self.markers.contains(&marker) {
                    break;
                }
                if depth + 1 < DEEPEST {
                    next = self.list(marker, next, next, end, depth + 1);
                    continue;
                }
            }
            let text = self.flush(next);
            let is_own = text.is_empty() || !has_text;
            if !after_blank || !is_own || is_attributes(text) || fence(text).is_some() {
                break;
            }
            let after = self.paragraph_end(next + 1, end);
            self.links(next..after);
            let kind = match has_text {
                true => Kind::Code,
                false => Kind::Paragraph,
            };
            self.base.leaf(kind, next..after);
            has_text = true;
            next = after;
        }
        self.base.close(next);
        next
    }

    /// What kind of item a line opens, if any, and whether it has text on this line.
    fn marker(&self, line: usize) -> Option<(Marker, bool)> {
        let text = self.base.at(line);
        let first = text.chars().next()?;
        let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        if !rest.is_empty() {
            let bare = word.strip_suffix('.').unwrap_or_default();
            let numeral = word.strip_suffix(')').unwrap_or_default();
            let is_numeral = |digits: &str| {
                !numeral.is_empty() && numeral.chars().all(|char| digits.contains(char))
            };
            let is_callout = word
                .strip_prefix('<')
                .and_then(|word| word.strip_suffix('>'));
            let is_number =
                |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            let marker = match first {
                '*' => adornment(word).map(|_| Marker::Bullet('*', word.len())),
                '-' | '•' => (word.len() == first.len_utf8()).then_some(Marker::Bullet(first, 1)),
                '.' => adornment(word).map(|_| Marker::Dots(word.len())),
                '<' => is_callout
                    .is_some_and(|word| word == "." || is_number(word))
                    .then_some(Marker::Callout),
                _ if is_number(bare) => Some(Marker::Digit),
                _ if bare.len() == 1 && first.is_ascii_alphabetic() => Some(Marker::Letter {
                    is_upper: first.is_ascii_uppercase(),
                }),
                _ if is_numeral("ivx") => Some(Marker::Roman { is_upper: false }),
                _ if is_numeral("IVX") => Some(Marker::Roman { is_upper: true }),
                _ => None,
            };
            if let Some(marker) = marker {
                return Some((marker, true));
            }
        }
        term(text)
    }

    /// Reads the table at a line, row by row: of an attribute list or a title above it, the line
    /// that opens it and its header, the first row is made.
    fn table(&mut self, from: usize, at: usize, after: usize) {
        let last = match after > at + 1 && self.flush(after - 1) == self.flush(at) {
            true => after - 1,
            false => after,
        };
        let mut format = TableFormat::of(self.flush(at));
        for line in from..at {
            format.read(self.flush(line));
        }
        let first = self.base.first_text(at + 1..last);
        let is_implicit = first == at + 1 && first + 1 < last && self.base.is_blank(first + 1);
        let mut rows = match format.is_separated {
            true => self.separated_rows(first, last),
            false => self.rows(first, last, &format),
        };
        let has_header = format.has_header.unwrap_or(is_implicit);
        self.base.open(Kind::Table, from);
        // The first row is always a header: that of a table without one has no text.
        let start = usize::from(has_header).min(rows.len());
        rows.push(after);
        self.base.leaf(Kind::Row, from..rows[start]);
        for index in start..rows.len() - 1 {
            if self.base.is_full() {
                break;
            }
            self.base.leaf(Kind::Row, rows[index]..rows[index + 1]);
        }
        self.base.close(after);
    }

    /// The first lines of the rows whose cells begin with a separator.
    fn rows(&self, first: usize, last: usize, format: &TableFormat) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut columns = format.columns;
        let mut filled = 0;
        // Whether the current row has a cell yet that is not one of a row above.
        let mut is_begun = false;
        // How many columns of the rows to come are taken by cells of rows above.
        let mut taken: VecDeque<usize> = VecDeque::new();
        for line in first..last {
            let mut cells = Cells::new(self.base.at(line), format.separator).peekable();
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
    fn separated_rows(&self, first: usize, last: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut is_quoted = false;
        for line in first..last {
            if !is_quoted && !self.base.is_blank(line) {
                rows.push(line);
            }
            let quotes = self
                .base
                .at(line)
                .bytes()
                .filter(|byte| *byte == b'"')
                .count();
            is_quoted ^= quotes % 2 == 1;
        }
        rows
    }

    /// Records the links to other files in some lines.
    fn links(&mut self, lines: Range<usize>) {
        let span = self.base.text_of(lines);
        let (start, text) = (span.start, &self.base.text[span]);
        let mut at = 0;
        // Without these, nothing is searched for again.
        let (mut has_bracket, mut has_angles) = (true, true);
        while let Some(found) = memchr::memchr2(b':', b'<', &text.as_bytes()[at..]) {
            let mark = at + found;
            at = mark + 1;
            if text[mark..].starts_with("<<") {
                let close = has_angles.then(|| text[at + 1..].find(">>")).flatten();
                let Some(close) = close else {
                    has_angles = false;
                    continue;
                };
                let inside = &text[at + 1..at + 1 + close];
                let target = inside.split(',').next().unwrap_or(inside).trim();
                at += close + 3;
                self.link(target, true, start + mark..start + at);
                continue;
            }
            let before = &text[..mark];
            let (name, is_page) = match () {
                () if before.ends_with("xref") => ("xref", true),
                () if before.ends_with("link") => ("link", false),
                () => continue,
            };
            let is_mark = |char: char| char == '[' || char.is_whitespace();
            let length = text[at..].find(is_mark).unwrap_or(text.len() - at);
            let target = &text[at..at + length];
            at += length;
            if !text[at..].starts_with('[') || !has_bracket {
                continue;
            }
            let Some(close) = text[at..].find(']') else {
                has_bracket = false;
                continue;
            };
            at += close + 1;
            self.link(target, is_page, start + mark - name.len()..start + at);
        }
    }

    /// Records a link, unless it is one within the document. The target of one to a `page` may lack
    /// its ending.
    fn link(&mut self, target: &str, is_page: bool, bytes: Range<usize>) {
        let target = target.trim_matches('+');
        let (path, section) = match target.find('#') {
            Some(hash) => target.split_at(hash),
            None => (target, ""),
        };
        if path.is_empty() || (is_page && section.is_empty() && !has_ending(path)) {
            return;
        }
        let target = match is_page {
            true => format!("{}{section}", with_ending(path, "adoc")),
            false => target.to_string(),
        };
        self.base.info.links.push(Link {
            target: target.into(),
            kind: LinkKind::Plain,
            bytes,
        });
    }
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

/// The value of a named attribute in a list.
fn value<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let found = attributes.match_indices(name).find(|(at, _)| {
        attributes[at + name.len()..].trim_start().starts_with('=')
            && !attributes[..*at].ends_with(|char: char| char.is_alphanumeric())
    })?;
    let rest = attributes[found.0 + name.len()..].trim_start();
    let rest = rest[1..].trim_start();
    Some(match rest.chars().next()? {
        quote @ ('"' | '\'') => rest[1..].split(quote).next()?,
        _ => rest.split([',', ']']).next()?.trim(),
    })
}

/// Reads the style and the language in a list of attributes, after its opening bracket.
fn style<'a>(list: &'a str, found: &mut BlockAttributes<'a>) {
    let list = list.strip_suffix(']').unwrap_or(list);
    let mut values = list.split(',').map(str::trim);
    let first = values.next().unwrap_or_default();
    if first.contains('=') {
        return;
    }
    let name = first.split(['.', '#', '%']).next().unwrap_or(first).trim();
    let second = values.next().unwrap_or_default().trim_matches(['"', '\'']);
    let is_source = name == "source" || (first.is_empty() && !second.is_empty());
    if !name.is_empty() || is_source {
        found.style = if is_source { "source" } else { name };
    }
    if is_source {
        let named = value(list, "language").or_else(|| value(list, "lang"));
        let language = match second.contains('=') {
            true => "",
            false => second.split('%').next().unwrap_or(second),
        };
        found.language = named.unwrap_or(language);
    }
}

/// The level and the title, if a line is a title: `== Title`, or `== Title ==`.
fn title_in_one_line(text: &str) -> Option<(u8, &str)> {
    let mark = text
        .chars()
        .next()
        .filter(|mark| matches!(mark, '=' | '#'))?;
    let title = text.trim_start_matches(mark);
    let level = text.len() - title.len();
    if level > 6 || !title.starts_with([' ', '\t']) {
        return None;
    }
    let title = title.trim();
    let bare = title.strip_suffix(&text[..level]).unwrap_or(title);
    let title = match bare.ends_with([' ', '\t']) {
        true => bare.trim_end(),
        false => title,
    };
    let level = u8::try_from(level).ok()?;
    (!title.is_empty()).then_some((level, title))
}

/// What a line opens that is a delimiter, and the language that it names.
fn fence(text: &str) -> Option<(Fence, &str)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let opens = match first {
        b'-' if text == "--" => Fence::Container,
        b'`' => {
            let language = text.strip_prefix("```")?;
            let is_name = |char: char| !char.is_whitespace() && char != '`';
            return language
                .chars()
                .all(is_name)
                .then_some((Fence::Code, language));
        }
        b'|' | b',' | b':' | b'!' => {
            let drawn = &text[1..];
            let is_table = drawn.len() >= 3 && adornment(drawn) == Some(b'=');
            return is_table.then_some((Fence::Table, ""));
        }
        b'-' | b'.' => Fence::Code,
        b'=' | b'*' | b'_' => Fence::Container,
        b'+' => Fence::Raw,
        b'/' => Fence::Comment,
        _ => return None,
    };
    (text == "--" || (bytes.len() >= 4 && adornment(text).is_some())).then_some((opens, ""))
}

/// Whether a line is a list of attributes or an anchor.
fn is_attributes(text: &str) -> bool {
    let inside = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let Some(inside) = inside else {
        return false;
    };
    match inside.chars().next() {
        None => true,
        Some('[') => {
            let id = inside[1..].strip_suffix(']');
            id.is_some_and(|id| {
                let id = id.split(',').next().unwrap_or(id);
                let opens = |char: char| char.is_alphabetic() || matches!(char, '_' | ':');
                let goes_on =
                    |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | ':' | '.');
                id.is_empty() || (id.starts_with(opens) && id.chars().all(goes_on))
            })
        }
        Some(first) => first.is_alphanumeric() || "_.#%{,\"'".contains(first),
    }
}

/// Whether a line is the title of a block: `.Title`.
fn is_block_title(text: &str) -> bool {
    let Some(title) = text.strip_prefix('.') else {
        return false;
    };
    let title = title.strip_prefix('.').unwrap_or(title);
    title.starts_with(|char: char| !matches!(char, ' ' | '\t' | '.'))
}

/// Whether a line sets an attribute: `:name: value`.
fn is_entry(text: &str) -> bool {
    let Some(name) = text.strip_prefix(':') else {
        return false;
    };
    let name = name.strip_prefix('!').unwrap_or(name);
    if !name.starts_with(|char: char| char.is_alphanumeric() || char == '_') {
        return false;
    }
    let value = name.split_once(':').map(|(_, value)| value);
    value.is_some_and(|value| value.is_empty() || value.starts_with([' ', '\t']))
}

/// Whether the value of an attribute goes on in the next line.
fn goes_on(text: &str) -> bool {
    text.ends_with(" \\") || text.ends_with(" +")
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") && !text.starts_with("///")
}

/// Whether a line includes a file, or is a condition.
fn is_directive(text: &str) -> bool {
    let names = ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::"];
    text.ends_with(']') && names.iter().any(|name| text.starts_with(name))
}

/// Whether a line is a thematic break or a page break.
fn is_rule(text: &str) -> bool {
    let mut marks = text.bytes().filter(|byte| *byte != b' ');
    match text.as_bytes() {
        [b'\'', b'\'', b'\'', ..] | [b'<', b'<', b'<', ..] => adornment(text).is_some(),
        [first @ (b'-' | b'*' | b'_'), ..] => {
            text.len() <= 9
                && text.bytes().filter(|byte| byte == first).count() == 3
                && marks.all(|byte| byte == *first)
        }
        _ => false,
    }
}

/// Whether a line is an image, a video or a recording.
fn is_media(text: &str) -> bool {
    let names = ["image::", "video::", "audio::", "toc::"];
    text.ends_with(']') && names.iter().any(|name| text.starts_with(name))
}

/// The marker of an item of a description list: `term:: text`, and whether there is text.
fn term(text: &str) -> Option<(Marker, bool)> {
    if is_comment(text) || text.starts_with("//") {
        return None;
    }
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b':', b';', bytes.get(at..)?) {
        let start = at + found;
        let mark = bytes[start];
        let count = bytes[start..]
            .iter()
            .take_while(|byte| **byte == mark)
            .count();
        let end = start + count;
        let rest = &text[end..];
        if count >= 2 && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
            let most = if mark == b':' { 4 } else { 2 };
            return Some((
                Marker::Term(char::from(mark), count.min(most)),
                !rest.is_empty(),
            ));
        }
        at = end;
    }
    None
}

/// Macros whose text is shown.
const SHOWN: [&str; 9] = [
    "link:",
    "xref:",
    "mailto:",
    "http://",
    "https://",
    "pass:",
    "kbd:",
    "btn:",
    "footnote:",
];

/// A title without the marks of inline markup.
fn plain(title: &str) -> String {
    let mut shown = String::new();
    let mut rest = limited(title);
    while let Some(at) = rest.find(['[', '<']) {
        let (before, inside) = rest.split_at(at);
        shown.push_str(before);
        rest = &inside[1..];
        if let Some(anchor) = inside.strip_prefix("[[")
            && let Some((_, after)) = anchor.split_once("]]")
        {
            rest = after;
        } else if let Some(reference) = inside.strip_prefix("<<")
            && let Some((inside, after)) = reference.split_once(">>")
        {
            let text = inside.split_once(',').map_or(inside, |(_, text)| text);
            shown.push_str(text.trim());
            rest = after;
        } else if let Some((text, after)) = inside[1..].split_once(']')
            && inside.starts_with('[')
        {
            let word = shown
                .rfind(char::is_whitespace)
                .map_or(0, |space| space + 1);
            let word = shown.ceil_char_boundary(word);
            let macros = SHOWN
                .iter()
                .filter_map(|name| Some((shown[word..].find(name)?, name)));
            match macros.min_by_key(|(at, _)| *at) {
                Some((at, name)) => {
                    let target = shown.split_off(word + at);
                    let target = &target[name.len()..];
                    match (*name, text) {
                        ("footnote:", _) => {}
                        (_, "") => shown.push_str(target),
                        (_, text) => shown.push_str(text.trim_end_matches('^')),
                    }
                    rest = after;
                }
                // A role, and the text that it is for.
                None if after.starts_with(['#', '*', '_', '`']) => rest = after,
                None => shown.push('['),
            }
        } else {
            shown.push_str(&inside[..1]);
        }
    }
    shown.push_str(rest);
    unmarked(shown.trim(), &['*', '_', '`', '#', '+'], true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{drawn, links_of};

    #[test]
    fn sections_nest_by_their_marks() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "= Guide\nAnn Author\n:toc:\n\nHello.\n\n== One ==\n\na\n\n=== Deep\n\nUnder it\n~~~~~~~~\n\nx\n\nTwo\n---\nb\n== no title\n"
        ));
    }

    #[test]
    fn what_stands_above_a_block_belongs_to_it() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "== A\n\ntext\n\n[[one]]\n// why\n\n.Not shown\n[#two]\n== B\n\n[discrete]\n=== Aside\n\n.Run it\n[source,sh]\n----\nmake\n\n== no title\n----\n\n[,rust]\n....\nx\n....\n\n```js\nx\n```\n"
        ));
    }

    #[test]
    fn containers_have_blocks_and_an_open_one_goes_on_to_the_end() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "====\na\n\n--\nb\n\n* c\n--\n====\n\n[verse]\n____\nx\n\ny\n____\n\n////\nout\n////\n\n****\n----\nnever closed\n\n****\nlast\n\n----\nx\n\n== no title\n"
        ));
    }

    #[test]
    fn lists_of_every_kind() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "* a\n** b\n+\nmore\n+\n----\ncode\n----\n* c\n\n  literal\n\n. one\n.. two\n\n- x\n\nAfter.\n\nterm::\n\n  what it is\nother:: is\n<1> call\n\n1. first\na. second\ni) third\n\nNOTE: a b\n* no item\n"
        ));
    }

    #[test]
    fn tables_have_rows_that_begin_with_a_line() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            ".Sizes\n|===\n|a |b\n\n|1 |2\n|3\n|4\n\n.2+|5 |6\n|7\n2+|8\n|===\n\n[cols=\"1,1\"]\n|===\n|a\n|b\n\n|c\n|d\n|===\n\n,===\na,\"b\nc\"\nd,e\n,===\n"
        ));
    }

    #[test]
    fn a_title_is_shown_without_its_marks() {
        for (title, shown) in [
            ("The *bold* `run` command", "The bold run command"),
            ("See link:a.adoc[the page^] [[here]]", "See the page"),
            ("<<a,An *a*>> and xref:b#[B]", "An a and B"),
            ("[.red]#Red# array[0]", "Red array[0]"),
            ("a < b << c [", "a < b << c ["),
            ("Twice footnote:[or more]", "Twice"),
        ] {
            assert_eq!(plain(title), shown);
        }
    }

    #[test]
    fn links_to_other_files_are_recorded() {
        let text = "See xref:a/b.adoc#c[that], <<d.adoc#,d>>, <<here>>, xref:e#f[], link:g.pdf[g].\n\n* link:h[h] link:i xref:j[\n";
        let links = links_of(&AsciiDoc, text);
        let links: Vec<_> = links.iter().map(|(to, by)| (&**to, &**by)).collect();
        assert_eq!(
            links,
            [
                ("a/b.adoc#c", "xref:a/b.adoc#c[that]"),
                ("d.adoc#", "<<d.adoc#,d>>"),
                ("e.adoc#f", "xref:e#f[]"),
                ("g.pdf", "link:g.pdf[g]"),
                ("h", "link:h[h]"),
            ]
        );
    }
}
