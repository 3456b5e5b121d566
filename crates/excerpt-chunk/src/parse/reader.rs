//! What the formats that are read line by line have in common.

use std::ops::Range;

use crate::day::Day;
use crate::document::{Document, DocumentInfo};
use crate::outline::{Kind, Outline, OutlineBuilder};
use crate::parse::limits::most_nodes;
use crate::parse::{Lines, body_start, front_matter, sections};

/// How many columns a tab extends to.
pub(super) const TAB: usize = 8;

/// The lines of a text, and the outline that is made of them.
pub(super) struct LineReader<'a> {
    pub(super) text: &'a str,
    pub(super) lines: Vec<Line>,
    pub(super) builder: OutlineBuilder<'a>,
    pub(super) info: DocumentInfo,
    days: Vec<(usize, Option<Day>)>,
    fallbacks: Vec<String>,
    most: usize,
}

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Where it begins.
    pub(super) start: usize,
    /// Where its text begins, after the indentation, or after the marker of the block it opens.
    pub(super) text: usize,
    /// Where its text ends, before white space and the line end.
    pub(super) end: usize,
    /// The column of its text.
    pub(super) indent: usize,
}

impl Line {
    pub(super) fn is_blank(&self) -> bool {
        self.text == self.end
    }
}

impl<'a> LineReader<'a> {
    /// A reader at the first line of `document` after its front matter, which is already a node.
    pub(super) fn new(document: &Document<'a>) -> Self {
        let (text, start) = (document.text(), body_start(document.text()));
        let mut reader = LineReader::without_lines(text, start);
        let mut body = start;
        if let Some(front) = front_matter::read(text, start) {
            reader.builder.leaf(Kind::FrontMatter, start..front.end);
            reader.info.metadata = front.fields;
            reader.fallbacks.extend(front.fault);
            body = front.end;
        }
        reader.lines = lines(text, body);
        reader
    }

    /// A reader at the first line of `document`, whose format knows no front matter.
    pub(super) fn from_start(document: &Document<'a>) -> Self {
        let (text, start) = (document.text(), body_start(document.text()));
        let mut reader = LineReader::without_lines(text, start);
        reader.lines = lines(text, start);
        reader
    }

    fn without_lines(text: &'a str, start: usize) -> Self {
        LineReader {
            text,
            lines: Vec::new(),
            builder: OutlineBuilder::new(text, start),
            info: DocumentInfo::default(),
            days: Vec::new(),
            fallbacks: Vec::new(),
            most: most_nodes(text),
        }
    }

    /// Whether there are as many nodes as there may be: a reader stops then.
    pub(super) fn is_full(&self) -> bool {
        self.builder.len() > self.most
    }

    /// The outline; of lines, if there were too many blocks for one of `format`.
    pub(super) fn finish(self, document: &Document<'_>, format: &str) -> Outline {
        if self.is_full() {
            return Lines::instead(document, "blocks", format);
        }
        let mut outline = self.builder.finish();
        outline.info = self.info;
        outline.days = self.days;
        outline.fallbacks = self.fallbacks;
        outline
    }

    /// Records the day that the text from a line on is from; `None` if that is not known.
    pub(super) fn day(&mut self, line: usize, day: Option<Day>) {
        let before = self.days.last().and_then(|(_, day)| *day);
        if before != day {
            self.info.dates.extend(day.map(|day| day.to_string()));
            self.days.push((self.end_before(line), day));
        }
    }

    /// The text of a line, without its indentation.
    pub(super) fn at(&self, line: usize) -> &'a str {
        let line = self.lines[line];
        &self.text[line.text..line.end]
    }

    /// The text of a line that is not indented; otherwise an empty text.
    pub(super) fn flush(&self, line: usize) -> &'a str {
        match self.is_flush(line) {
            true => self.at(line),
            false => "",
        }
    }

    /// A line from its start, without white space at its end.
    pub(super) fn written(&self, line: usize) -> &'a str {
        let line = self.lines[line];
        &self.text[line.start..line.end]
    }

    /// All of a line but its line end.
    pub(super) fn whole(&self, line: usize) -> &'a str {
        let span = self.lines[line].start..self.end_before(line + 1);
        self.text[span].trim_end_matches(['\n', '\r'])
    }

    pub(super) fn is_blank(&self, line: usize) -> bool {
        self.lines[line].is_blank()
    }

    /// Whether nothing stands before the text of a line.
    pub(super) fn is_flush(&self, line: usize) -> bool {
        self.lines[line].start == self.lines[line].text
    }

    /// Where the bytes of the lines before `line` end.
    pub(super) fn end_before(&self, line: usize) -> usize {
        self.lines
            .get(line)
            .map_or(self.text.len(), |line| line.start)
    }

    /// The bytes from the text of the first of some lines to the end of the last.
    pub(super) fn text_of(&self, lines: Range<usize>) -> Range<usize> {
        let lines = &self.lines[lines];
        match (lines.first(), lines.last()) {
            (Some(first), Some(last)) => first.text..last.end.max(first.text),
            _ => 0..0,
        }
    }

    /// The first line in `lines` that is not blank and not indented deeper than `indent`, or the
    /// end.
    pub(super) fn outdent(&self, lines: Range<usize>, indent: usize) -> usize {
        first_line(lines, |line| {
            !self.is_blank(line) && self.lines[line].indent <= indent
        })
    }

    /// The first blank line in `lines`, or the end.
    pub(super) fn blank(&self, lines: Range<usize>) -> usize {
        first_line(lines, |line| self.is_blank(line))
    }

    /// The first line in `lines` that has text, or the end.
    pub(super) fn first_text(&self, lines: Range<usize>) -> usize {
        first_line(lines, |line| !self.is_blank(line))
    }

    /// The first line in `lines` that does not go on with the line before, as the value of a field
    /// may, or the end.
    pub(super) fn unfolded(&self, lines: Range<usize>) -> usize {
        first_line(lines, |line| !self.written(line).starts_with([' ', '\t']))
    }

    /// The smallest column at which a line has text.
    pub(super) fn least_indent(&self, lines: Range<usize>) -> usize {
        let texts = self.lines[lines].iter().filter(|line| !line.is_blank());
        texts.map(|line| line.indent).min().unwrap_or(0)
    }

    /// Adds a block of some lines.
    pub(super) fn leaf(&mut self, kind: Kind, lines: Range<usize>) -> usize {
        let span = self.lines[lines.start].start..self.end_before(lines.end);
        self.builder.leaf(kind, span)
    }

    /// Adds a block of code in a language, which is empty if it is not known.
    pub(super) fn code(&mut self, lines: Range<usize>, language: &str) {
        let code = self.leaf(Kind::Code, lines);
        if !language.is_empty() {
            self.builder.label(code, language);
        }
    }

    /// Opens a block that begins at a line.
    pub(super) fn open(&mut self, kind: Kind, line: usize) -> usize {
        self.builder.open(kind, self.end_before(line))
    }

    /// Closes the innermost block, which ends before a line.
    pub(super) fn close(&mut self, line: usize) {
        self.builder.close(self.end_before(line));
    }

    /// Closes the innermost block, which ends at `end`. One without blocks in it is a paragraph.
    pub(super) fn close_container(&mut self, end: usize) {
        let node = self.builder.current_index();
        if self.builder.len() == node + 1 {
            self.builder.kind(node, Kind::Paragraph);
        }
        self.builder.close(end);
    }

    /// Opens a section of this level and adds its heading, which is some lines.
    pub(super) fn section(&mut self, level: u8, heading: Range<usize>, title: &str) {
        let (start, end) = (self.end_before(heading.start), self.end_before(heading.end));
        sections::open(&mut self.builder, level, start);
        sections::close_heading(&mut self.builder, &mut self.info, title, end);
    }
}

/// The first of some lines that is one of those meant, or the end.
pub(super) fn first_line(mut lines: Range<usize>, is_meant: impl Fn(usize) -> bool) -> usize {
    let end = lines.end;
    lines.find(|line| is_meant(*line)).unwrap_or(end)
}

fn lines(text: &str, start: usize) -> Vec<Line> {
    let mut at = start;
    let lines = text[start..].split_inclusive('\n').map(|line| {
        let begin = at;
        at += line.len();
        let written = line.trim_end();
        let mut indent = 0;
        let mut bytes = 0;
        for char in written.bytes() {
            match char {
                b' ' => indent += 1,
                b'\t' => indent += TAB - indent % TAB,
                _ => break,
            }
            bytes += 1;
        }
        Line {
            start: begin,
            text: begin + bytes,
            end: begin + written.len(),
            indent,
        }
    });
    lines.collect()
}
