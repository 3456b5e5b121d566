//! The text of AsciiDoc, read block by block.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::document::Document;
use crate::outline::Kind;
use crate::parse::adornment::adornment;
use crate::parse::asciidoc::attributes::{BlockAttributes, is_attributes, style};
use crate::parse::asciidoc::header::add_header;
use crate::parse::asciidoc::line::{
    Fence, continued, entry, fence, goes_on, is_block_title, is_comment, is_directive, is_entry,
    is_media, is_rule, title_in_one_line,
};
use crate::parse::asciidoc::marker::{Marker, marker};
use crate::parse::asciidoc::table::table;
use crate::parse::asciidoc::title::plain;
use crate::parse::limits::DEEPEST;
use crate::parse::reader::{LineReader, first_line};

/// Styles of paragraphs whose text is kept as it is.
const LITERAL: [&str; 7] = [
    "source",
    "listing",
    "literal",
    "pass",
    "stem",
    "latexmath",
    "asciimath",
];

/// How many lines a comment between the attributes of a block and its text may have. What is longer
/// would take the room of the text.
const LONGEST_COMMENT: usize = 8;

/// Reads the lines of a text.
pub(super) struct Reader<'a> {
    pub(super) base: LineReader<'a>,
    /// The markers of the lists that the current line is in, outermost first.
    markers: Vec<Marker>,
    /// Whether there was no block yet: a title of level 1 is that of the document then.
    is_start: bool,
    /// Whether the current section is that of a discrete heading, which ends at the next heading.
    is_discrete: bool,
    /// The values of the attributes that are set so far, by name.
    values: HashMap<String, Cow<'a, str>>,
    /// What the attribute `leveloffset` adds to the levels of titles.
    offset: i8,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &Document<'a>) -> Self {
        Reader {
            base: LineReader::new(document),
            markers: Vec::new(),
            is_start: true,
            is_discrete: false,
            values: HashMap::new(),
            offset: 0,
        }
    }

    /// Reads the blocks in some lines, which are in no list.
    pub(super) fn blocks(&mut self, lines: Range<usize>, depth: usize) {
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
            self.set(at..set);
            self.base.leaf(Kind::Definitions, at..set);
            return set;
        }
        let (first, attributes) = self.attributes(at, end);
        if first == end {
            self.base.leaf(Kind::Definitions, at..end);
            return end;
        }
        if depth == 0 {
            let after = match attributes.is_discrete() {
                true => self.discrete(at, first, end),
                false => self.section(at, first, end, attributes),
            };
            if let Some(after) = after {
                return after;
            }
        }
        self.is_start = false;
        self.content(at, first, end, attributes, depth)
    }

    /// The line after a run of entries of attributes, comments and directives at a line.
    fn settings(&self, at: usize, end: usize) -> usize {
        let mut next = at;
        while next < end {
            let text = self.base.flush(next);
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

    /// Records the values of the attributes that some lines set.
    fn set(&mut self, mut lines: Range<usize>) {
        while let Some(line) = lines.next() {
            let text = self.base.flush(line);
            let after = continued(text);
            let Some((name, value)) = entry(after.unwrap_or(text)) else {
                continue;
            };
            let value = match after {
                Some(_) => Cow::Owned(self.whole(value, &mut lines)),
                None => Cow::Borrowed(value),
            };
            let unset = name.trim_matches('!');
            let is_unset = unset.len() < name.len();
            if unset.eq_ignore_ascii_case("leveloffset") {
                let value = if is_unset { "0" } else { &value };
                self.offset = offset(self.offset, value);
            }
            if is_unset {
                self.values.remove(&unset.to_lowercase());
            } else {
                self.values.insert(name.to_lowercase(), value);
            }
        }
    }

    /// The value of an attribute that goes on in the next of some lines.
    fn whole(&self, first: &str, lines: &mut Range<usize>) -> String {
        let mut value = first.to_string();
        for line in lines {
            let text = self.base.at(line);
            let after = continued(text);
            value.push(' ');
            value.push_str(after.unwrap_or(text).trim());
            if after.is_none() {
                break;
            }
        }
        value
    }

    /// The first line of a block whose attributes, anchors and title begin at a line, and what they
    /// say. There may be blank lines, comments and settings in between.
    fn attributes(&self, at: usize, end: usize) -> (usize, BlockAttributes<'a>) {
        let mut found = BlockAttributes::default();
        let mut next = at;
        while next < end {
            let text = self.base.flush(next);
            if is_attributes(text) {
                if let Some(list) = text.strip_prefix('[').filter(|list| !list.starts_with('[')) {
                    style(list, &mut found);
                }
                next += 1;
            } else if is_block_title(text) || (next > at && self.base.is_blank(next)) {
                next += 1;
            } else if next > at
                && matches!(fence(text), Some((Fence::Comment, _)))
                && let after = self.close_of(next, end, text)
                && after <= next + LONGEST_COMMENT
            {
                next = after;
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
        let first = self.base.flush(at);
        if let Some((level, title)) = title_in_one_line(first) {
            return Some((level, title, at + 1));
        }
        let under = (at + 1 < end).then(|| self.base.flush(at + 1))?;
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
    fn section(
        &mut self,
        from: usize,
        at: usize,
        end: usize,
        attributes: BlockAttributes<'a>,
    ) -> Option<usize> {
        let (level, title, after) = self.title(at, end)?;
        let is_header = level == 1 && self.is_start;
        self.is_start = false;
        self.end_discrete(from);
        self.set(from..at);
        if !is_header {
            let level = self.shifted(level);
            // A preface or an appendix is a chapter, also where it looks like a part.
            let is_chapter = level == 1 && !attributes.style.is_empty();
            let level = level + u8::from(is_chapter);
            let title = plain(title, &self.values);
            self.base.section(level, from..after, &title);
            return Some(after);
        }
        // The header of the document: attributes, an author and a revision.
        let mut next = self.settings(after, end);
        let mut said = Vec::new();
        for _ in 0..2 {
            let is_text = next < end && !self.base.is_blank(next);
            if is_text && title_in_one_line(self.base.flush(next)).is_none() {
                said.push(self.base.at(next));
                next = self.settings(next + 1, end);
            }
        }
        self.set(after..next);
        add_header(&mut self.base.info, &self.values, &said);
        let title = plain(title, &self.values);
        self.base.section(level, from..after, &title);
        if next > after {
            self.base.leaf(Kind::Definitions, after..next);
        }
        Some(next)
    }

    /// Reads a discrete heading at a line, as [`Reader::section`] reads a title. It does not change
    /// how the sections around it nest: what is below it, up to the next heading, is a section
    /// within the current one.
    fn discrete(&mut self, from: usize, at: usize, end: usize) -> Option<usize> {
        let (level, title, after) = self.title(at, end)?;
        self.is_start = false;
        self.end_discrete(from);
        self.set(from..at);
        let level = self.shifted(level);
        // The first level is that of the document.
        let inner = self.base.builder.current().level + 1;
        let title = plain(title, &self.values);
        self.base
            .section(level.max(inner).max(2), from..after, &title);
        self.is_discrete = true;
        Some(after)
    }

    /// The level of a title, given the one that its marks show.
    fn shifted(&self, level: u8) -> u8 {
        level.saturating_add_signed(self.offset).clamp(1, 6)
    }

    /// Ends the section of a discrete heading before a line.
    fn end_discrete(&mut self, line: usize) {
        if std::mem::take(&mut self.is_discrete) {
            self.base.close(line);
        }
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
        let text = self.base.flush(at);
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
        if attributes.style == "verse" {
            let after = self.literal_end(at, end);
            self.base.leaf(Kind::Quote, from..after);
            return after;
        }
        if depth < DEEPEST
            && let Some((marker, _)) = marker(self.base.at(at))
            && !self.markers.contains(&marker)
        {
            return self.list(marker, from, at, end, depth);
        }
        if self.base.lines[at].indent > 0 {
            let after = self.indented_end(at, end);
            self.base.code(from..after, attributes.language);
            return after;
        }
        let after = self.paragraph_end(at + 1, end);
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
        let after = self.literal_end(at, end);
        self.base.code(from..after, attributes.language);
        after
    }

    /// The line at which lines that are kept as they are end: also a delimiter may be among them.
    fn literal_end(&self, at: usize, end: usize) -> usize {
        first_line(at + 1..end, |line| {
            self.base.is_blank(line) || (!self.markers.is_empty() && self.base.flush(line) == "+")
        })
    }

    /// The line at which lines end that are kept as they are because the first one is indented. An
    /// item of a list that they are in ends them, but no other.
    fn indented_end(&self, at: usize, end: usize) -> usize {
        first_line(at + 1..end, |line| {
            let text = self.base.flush(line);
            let is_item = || {
                let marker = marker(self.base.at(line));
                marker.is_some_and(|(marker, _)| self.markers.contains(&marker))
            };
            self.base.is_blank(line)
                || is_attributes(text)
                || fence(text).is_some()
                || (!self.markers.is_empty() && (text == "+" || is_item()))
        })
    }

    /// The line at which a paragraph ends that has the lines before `at`.
    fn paragraph_end(&self, at: usize, end: usize) -> usize {
        let in_list = !self.markers.is_empty();
        first_line(at..end, |line| {
            if self.base.is_blank(line) {
                return true;
            }
            let text = self.base.flush(line);
            is_attributes(text)
                || fence(text).is_some()
                || (in_list && (text == "+" || marker(self.base.at(line)).is_some()))
        })
    }

    /// The line after the delimiter that closes the block opened at a line, or the end.
    fn close_of(&self, at: usize, end: usize, delimiter: &str) -> usize {
        let delimiter = match delimiter.starts_with("```") {
            true => "```",
            false => delimiter,
        };
        (at + 1..end)
            .find(|line| self.base.flush(*line) == delimiter)
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
        let after = self.close_of(at, end, self.base.flush(at));
        let fence = match (fence, attributes.style) {
            (Fence::Container, style) if LITERAL.contains(&style) => Fence::Code,
            (Fence::Container, "verse") => Fence::Verse,
            (_, "comment") => Fence::Comment,
            _ => fence,
        };
        match fence {
            Fence::Code | Fence::Raw => {
                let language = match language {
                    "" => attributes.language,
                    language => language,
                };
                self.base.code(from..after, language);
            }
            Fence::Comment => {
                self.base.leaf(Kind::Definitions, from..after);
            }
            Fence::Verse => {
                self.base.leaf(Kind::Quote, from..after);
            }
            Fence::Table => table(&mut self.base, from, at, after),
            Fence::Container => {
                self.base.open(Kind::Quote, from);
                // The lines of the delimiters belong to the first and the last block.
                let is_closed = after > at + 1 && self.base.flush(after - 1) == self.base.flush(at);
                let last = after - usize::from(is_closed);
                self.blocks(at + 1..last, depth + 1);
                self.base.close(after);
            }
        }
        after
    }

    /// Reads the list at a line, and returns the first line that belongs to none of its items. It
    /// is not blank.
    fn list(&mut self, own: Marker, from: usize, at: usize, end: usize, depth: usize) -> usize {
        self.base.open(Kind::List, from);
        self.markers.push(own);
        let mut next = self.item(from, at, end, depth);
        while next < end
            && !self.base.is_full()
            && marker(self.base.at(next)).is_some_and(|(found, _)| found == own)
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
        let mut has_text = marker(self.base.at(at)).is_none_or(|(_, has_text)| has_text);
        let mut next = self.paragraph_end(at + 1, end);
        has_text |= next > at + 1;
        self.base.leaf(Kind::Paragraph, from..next);
        while next < end && !self.base.is_full() {
            let after_blank = self.base.is_blank(next);
            next = self.base.first_text(next..end);
            if next == end {
                break;
            }
            if self.base.flush(next) == "+" {
                let first = next + 1;
                has_text = true;
                next = match first < end
                    && !self.base.is_blank(first)
                    && self.base.flush(first) != "+"
                {
                    true => self.block(first, end, depth + 1),
                    false => first,
                };
                continue;
            }
            if let Some((marker, _)) = marker(self.base.at(next)) {
                if self.markers.contains(&marker) {
                    break;
                }
                if depth + 1 < DEEPEST {
                    next = self.list(marker, next, next, end, depth + 1);
                    continue;
                }
            }
            let text = self.base.flush(next);
            let is_own = text.is_empty() || !has_text;
            if !after_blank || !is_own || is_attributes(text) || fence(text).is_some() {
                break;
            }
            let (kind, after) = match has_text {
                true => (Kind::Code, self.indented_end(next, end)),
                false => (Kind::Paragraph, self.paragraph_end(next + 1, end)),
            };
            self.base.leaf(kind, next..after);
            has_text = true;
            next = after;
        }
        self.base.close(next);
        next
    }
}

/// The offset of levels that `value` sets: one with a sign is added to the one `before`.
fn offset(before: i8, value: &str) -> i8 {
    match value.parse::<i8>() {
        Ok(change) if value.starts_with(['+', '-']) => before.saturating_add(change),
        Ok(offset) => offset,
        Err(_) => before,
    }
}
