//! The text of a file as Markdown: a [`MarkdownWriter`] takes its blocks one after the other.
//!
//! Only what would change the structure is escaped: a character that begins a block at the start of
//! a line, and a bar in a table. The text stays as readable as it was.

use std::borrow::Cow;

use crate::limits::ReadLimits;
use crate::metadata::Metadata;
use crate::place::{FilePlace, FilePlaces};
use crate::reader::{ExtractedText, ReadError};

/// How deep lists and quotes are nested in the text; deeper ones stay at this depth.
const DEEPEST: usize = 12;

/// Writes the blocks of a file as Markdown.
#[derive(Debug)]
pub(crate) struct MarkdownWriter<'a> {
    text: String,
    /// How much of the text is front matter.
    front_matter: usize,
    places: FilePlaces,
    limits: ReadLimits<'a>,
    containers: Vec<Container>,
    /// How many containers were opened beyond [`DEEPEST`].
    too_deep: usize,
    /// Whether a table is being written, and how many columns it has.
    columns: Option<usize>,
}

/// What a block is in.
#[derive(Clone, Debug)]
enum Container {
    Quote,
    List {
        /// The number of the next item; `None` for a bullet.
        next: Option<u64>,
        /// Whether it has an item.
        is_begun: bool,
    },
    Item {
        /// Its mark, until something was written after it.
        mark: Option<String>,
        width: usize,
        /// Whether it may follow a paragraph without an empty line: a list that begins with another
        /// number than 1 would be part of it.
        is_close: bool,
    },
}

impl<'a> MarkdownWriter<'a> {
    /// An empty text that keeps to `limits`.
    pub(crate) fn new(limits: &ReadLimits<'a>) -> Self {
        MarkdownWriter {
            text: String::new(),
            front_matter: 0,
            places: FilePlaces::default(),
            limits: *limits,
            containers: Vec::new(),
            too_deep: 0,
            columns: None,
        }
    }

    /// What the file says about itself. It comes first.
    pub(crate) fn front_matter(&mut self, metadata: &Metadata) {
        debug_assert!(self.text.is_empty());
        self.text = metadata.front_matter();
        self.front_matter = self.text.len();
    }

    /// Whether nothing was written, no front matter either.
    #[cfg(feature = "notebook")]
    pub(crate) fn is_at_start(&self) -> bool {
        self.text.is_empty()
    }

    /// What follows is at `place`.
    pub(crate) fn place(&mut self, place: FilePlace) {
        self.separate();
        self.places.push(self.text.len(), place);
    }

    /// A heading of a level from 1; levels below 6 are 6.
    pub(crate) fn heading(&mut self, level: usize, title: &str) -> Result<(), ReadError> {
        let title = one_line(title);
        if title.is_empty() {
            return Ok(());
        }
        let marks = "#".repeat(level.clamp(1, 6));
        self.block(&format!("{marks} {title}"))
    }

    /// A paragraph. Its lines stay lines; it ends at an empty one.
    pub(crate) fn paragraph(&mut self, inline: &str) -> Result<(), ReadError> {
        let mut lines = String::with_capacity(inline.len());
        for line in inline.lines().map(str::trim) {
            match (line.is_empty(), lines.is_empty()) {
                (true, _) => continue,
                (false, true) => (),
                (false, false) => lines.push('\n'),
            }
            lines.push_str(&escaped(line));
        }
        match lines.is_empty() {
            true => Ok(()),
            false => self.block(&lines),
        }
    }

    /// A block of code or other text that is kept as it is.
    pub(crate) fn code(&mut self, language: Option<&str>, code: &str) -> Result<(), ReadError> {
        let code = code.trim_end();
        if code.trim_start().is_empty() {
            return Ok(());
        }
        let code = code.trim_start_matches(['\r', '\n']);
        let longest = longest_run(code, '`');
        let fence = "`".repeat((longest + 1).max(3));
        let language = language.unwrap_or_default();
        self.block(&format!("{fence}{language}\n{code}\n{fence}"))
    }

    /// Blocks that are Markdown already.
    pub(crate) fn markdown(&mut self, markdown: &str) -> Result<(), ReadError> {
        let blocks = markdown.trim_end().trim_start_matches(['\r', '\n']);
        match blocks.trim().is_empty() {
            true => Ok(()),
            false => self.block(blocks),
        }
    }

    /// What follows is a quote, up to [`MarkdownWriter::close`].
    pub(crate) fn open_quote(&mut self) {
        self.open(Container::Quote);
    }

    /// What follows are items of a list, up to [`MarkdownWriter::close`]: numbered from `start`, or
    /// with bullets.
    pub(crate) fn open_list(&mut self, start: Option<u64>) {
        self.open(Container::List {
            next: start,
            is_begun: false,
        });
    }

    /// What follows is an item of the list, up to [`MarkdownWriter::close`].
    pub(crate) fn open_item(&mut self) {
        let (mut mark, mut is_close) = ("- ".to_string(), true);
        if let Some(Container::List { next, is_begun }) = self.containers.last_mut() {
            if let Some(number) = next {
                mark = format!("{number}. ");
                is_close = *is_begun || *number == 1;
                *number = number.saturating_add(1).min(999_999_999);
            }
            *is_begun = true;
        }
        self.open(Container::Item {
            width: mark.len(),
            mark: Some(mark),
            is_close,
        });
    }

    fn open(&mut self, container: Container) {
        match self.containers.len() < DEEPEST && self.too_deep == 0 {
            true => self.containers.push(container),
            false => self.too_deep += 1,
        }
    }

    /// Ends the quote, the list or the item that was opened last.
    pub(crate) fn close(&mut self) {
        match self.too_deep {
            0 => drop(self.containers.pop()),
            _ => self.too_deep -= 1,
        }
    }

    /// Begins a table with these names of columns. Rows follow, and nothing else before
    /// [`MarkdownWriter::close_table`].
    pub(crate) fn open_table(&mut self, header: &[String]) -> Result<(), ReadError> {
        let columns = header.len().max(1);
        let rule = "| --- ".repeat(columns);
        let header = row(header, columns);
        self.block(&format!("{header}\n{rule}|"))?;
        self.columns = Some(columns);
        Ok(())
    }

    /// A row of the table. Cells that are too many are left out, missing ones are empty.
    pub(crate) fn row(&mut self, cells: &[String]) -> Result<(), ReadError> {
        let row = row(cells, self.columns.unwrap_or(cells.len()).max(1));
        self.line(&row)
    }

    /// A row of the table that ends with its last cell: the others are empty.
    pub(crate) fn short_row(&mut self, cells: &[String]) -> Result<(), ReadError> {
        self.line(&row(cells, cells.len().max(1)))
    }

    /// The rows that follow, up to the next place, are at `place`.
    pub(crate) fn row_place(&mut self, place: FilePlace) {
        self.places.push(self.text.len(), place);
    }

    /// Ends the table.
    pub(crate) fn close_table(&mut self) {
        self.columns = None;
    }

    /// The text, and where its parts are.
    ///
    /// # Errors
    ///
    /// [`ReadError::NoText`] if nothing was written.
    pub(crate) fn finish(mut self) -> Result<ExtractedText, ReadError> {
        if self.is_empty() {
            return Err(ReadError::NoText);
        }
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        self.text.push('\n');
        self.places.trim_to(self.text.len());
        Ok(ExtractedText {
            text: self.text,
            language: "markdown",
            places: self.places,
        })
    }

    /// Whether nothing was written besides front matter.
    pub(crate) fn is_empty(&self) -> bool {
        self.text[self.front_matter..].trim().is_empty()
    }

    /// Writes a block, with an empty line before it.
    fn block(&mut self, block: &str) -> Result<(), ReadError> {
        self.limits.check()?;
        self.separate();
        for line in block.split('\n') {
            self.line(line.strip_suffix('\r').unwrap_or(line))?;
        }
        Ok(())
    }

    /// An empty line, unless there is one or an item has just begun.
    fn separate(&mut self) {
        let is_begun = |container: &Container| {
            matches!(
                container,
                Container::Item {
                    mark: Some(_),
                    is_close: true,
                    ..
                }
            )
        };
        let begins_item = self.containers.last().is_some_and(is_begun);
        if self.text.is_empty() || self.text.ends_with("\n\n") || (begins_item && self.is_in_list())
        {
            return;
        }
        self.text.push('\n');
    }

    /// Whether the line before belongs to the same list, whose items follow each other closely.
    fn is_in_list(&self) -> bool {
        let last = self.text.trim_end().rsplit('\n').next().unwrap_or_default();
        let last = last.trim_start_matches([' ', '>']);
        let after_digits = last.trim_start_matches(|c: char| c.is_ascii_digit());
        last.starts_with("- ")
            || (after_digits.len() < last.len() && after_digits.starts_with(". "))
    }

    fn line(&mut self, line: &str) -> Result<(), ReadError> {
        let start = self.text.len();
        for container in &mut self.containers {
            match container {
                Container::Quote => self.text.push_str("> "),
                Container::List { .. } => (),
                Container::Item { mark, width, .. } => match mark.take() {
                    Some(mark) => self.text.push_str(&mark),
                    None => self.text.extend(std::iter::repeat_n(' ', *width)),
                },
            }
        }
        self.text.push_str(line);
        if line.is_empty() {
            let end = self.text[start..].trim_end().len();
            self.text.truncate(start + end);
        }
        self.text.push('\n');
        self.limits.check_text(self.text.len())
    }
}

/// A row of a table.
fn row(cells: &[String], columns: usize) -> String {
    let mut row = String::new();
    for at in 0..columns {
        let cell = cells.get(at).map_or("", String::as_str);
        row.push_str("| ");
        for (at, word) in cell.split_whitespace().enumerate() {
            if at > 0 {
                row.push(' ');
            }
            row.push_str(&word.replace('|', "\\|"));
        }
        row.push(' ');
    }
    row.push('|');
    row
}

/// The text in one line.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The length of the longest run of a character.
pub(crate) fn longest_run(text: &str, of: char) -> usize {
    let runs = text.split(|c| c != of).map(str::len);
    runs.max().unwrap_or(0)
}

/// A line of a paragraph that begins no other block.
fn escaped(line: &str) -> Cow<'_, str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - rest.len();
    let is_mark = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let begins = match line.as_bytes() {
        [b'#', ..] => is_mark(line.trim_start_matches('#')),
        [b'>' | b'|', ..] => true,
        // A tag or a comment begins a block; an address in brackets does not.
        [b'<', next, ..] => {
            matches!(next, b'!' | b'?' | b'/') || next.is_ascii_alphabetic() && !is_autolink(line)
        }
        [b'-' | b'+' | b'*', ..] => is_mark(&line[1..]) || is_line_of(line, line.as_bytes()[0]),
        [b'=' | b'_', ..] => is_line_of(line, line.as_bytes()[0]),
        [b'`', ..] => line.starts_with("```"),
        [b'~', ..] => line.starts_with("~~~"),
        [b'[', ..] => line
            .split_once(']')
            .is_some_and(|(_, after)| after.starts_with(':')),
        _ => false,
    };
    let is_number =
        (1..=9).contains(&digits) && rest.starts_with(['.', ')']) && is_mark(&rest[1..]);
    match (begins, is_number) {
        (true, _) => Cow::Owned(format!("\\{line}")),
        (_, true) => Cow::Owned(format!("{}\\{rest}", &line[..digits])),
        _ => Cow::Borrowed(line),
    }
}

/// Whether the line consists of one character, and spaces.
fn is_line_of(line: &str, of: u8) -> bool {
    line.bytes().all(|byte| byte == of || byte == b' ')
}

fn is_autolink(line: &str) -> bool {
    let name = line[1..]
        .split([':', '@', '>', ' '])
        .next()
        .unwrap_or_default();
    line[1 + name.len()..].starts_with([':', '@'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut MarkdownWriter<'_>) -> Result<(), ReadError>) -> String {
        let mut writer = MarkdownWriter::new(&ReadLimits::default());
        write(&mut writer).unwrap();
        writer.finish().unwrap().text
    }

    #[test]
    fn blocks_are_separated_and_lists_are_tight() {
        let text = written(|to| {
            to.heading(2, "A\n title")?;
            to.paragraph("one\n\n  two ")?;
            to.open_list(Some(9));
            for item in ["first", "second"] {
                to.open_item();
                to.paragraph(item)?;
                to.close();
            }
            to.open_item();
            to.paragraph("third")?;
            to.code(Some("rust"), "let a = 1;\n\nlet b = 2;\n")?;
            to.open_list(None);
            to.open_item();
            to.paragraph("inner")?;
            to.close();
            to.close();
            to.close();
            to.close();
            to.open_quote();
            to.paragraph("said")?;
            to.paragraph("twice")?;
            to.close();
            to.paragraph("end")
        });
        assert_eq!(
            text,
            "## A title\n\none\ntwo\n\n9. first\n10. second\n11. third\n\n    ```rust\n    let a = 1;\n\n    let b = 2;\n    ```\n\n    - inner\n\n> said\n\n> twice\n\nend\n"
        );
    }

    #[test]
    fn a_list_in_an_item_is_not_part_of_its_paragraph() {
        let text = written(|to| {
            to.open_list(None);
            to.open_item();
            for start in [1, 3] {
                to.paragraph("before")?;
                to.open_list(Some(start));
                for item in ["one", "two"] {
                    to.open_item();
                    to.paragraph(item)?;
                    to.close();
                }
                to.close();
            }
            Ok(())
        });
        assert_eq!(
            text,
            "- before\n  1. one\n  2. two\n\n  before\n\n  3. one\n  4. two\n"
        );
    }

    #[test]
    fn a_table_keeps_its_columns() {
        let cells = |cells: &[&str]| {
            cells
                .iter()
                .map(|cell| cell.to_string())
                .collect::<Vec<_>>()
        };
        let text = written(|to| {
            to.open_table(&cells(&["a|b", "c\nd"]))?;
            to.row(&cells(&["1"]))?;
            to.row(&cells(&["1", "2", "3"]))?;
            to.close_table();
            to.paragraph("end")
        });
        assert_eq!(
            text,
            "| a\\|b | c d |\n| --- | --- |\n| 1 |  |\n| 1 | 2 |\n\nend\n"
        );
    }

    #[test]
    fn a_place_without_text_is_left_out() {
        let mut writer = MarkdownWriter::new(&ReadLimits::default());
        writer.place(FilePlace::Page(1));
        writer.paragraph("one").unwrap();
        writer.place(FilePlace::Page(2));
        let document = writer.finish().unwrap();
        let places: Vec<_> = document.places.iter().collect();
        assert_eq!(places, [(0, &FilePlace::Page(1))]);
    }

    #[test]
    fn a_line_that_would_begin_another_block_is_escaped() {
        for (line, kept) in [
            ("# no", "\\# no"),
            ("#no", "#no"),
            ("- no", "\\- no"),
            ("-5 degrees", "-5 degrees"),
            ("---", "\\---"),
            ("===", "\\==="),
            ("1. no", "1\\. no"),
            ("1.5 is", "1.5 is"),
            ("2024) no", "2024\\) no"),
            ("<div>", "\\<div>"),
            ("<https://a.example>", "<https://a.example>"),
            ("< 5", "< 5"),
            ("[a]: b", "\\[a]: b"),
            ("[a](b) [c]: d", "[a](b) [c]: d"),
            ("snake_case and *stars*", "snake_case and *stars*"),
            ("> no", "\\> no"),
            ("```", "\\```"),
        ] {
            assert_eq!(escaped(line), kept);
        }
    }

    #[test]
    fn a_text_keeps_to_its_limit() {
        let limits = ReadLimits {
            text: 100,
            ..ReadLimits::default()
        };
        let mut writer = MarkdownWriter::new(&limits);
        let error = (0..100).find_map(|_| writer.paragraph("ten bytes!").err());
        let limit = ReadError::TooLarge {
            what: "text",
            limit: 100,
        };
        assert_eq!(error, Some(limit));
        assert_eq!(
            MarkdownWriter::new(&limits).finish(),
            Err(ReadError::NoText)
        );
    }

    #[test]
    fn however_deep_lists_are_nested_the_text_is_not() {
        let text = written(|to| {
            for _ in 0..10_000 {
                to.open_list(None);
                to.open_item();
            }
            to.paragraph("deep")?;
            for _ in 0..20_000 {
                to.close();
            }
            to.paragraph("end")
        });
        assert_eq!(text, "- - - - - - deep\n\nend\n");
    }
}
