//! Emacs Org: headlines, drawers, blocks, lists and tables.
//!
//! A headline ends everything above it, also a block that is not closed. What closes a block is
//! looked up in an index of the lines that close one, which is made once.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::day::dates;
use crate::document::Document;
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::adornment::adornment;
use crate::parse::header;
use crate::parse::limits::DEEPEST;
use crate::parse::marks::{limited, unmarked};
use crate::parse::org_links::add_links;
use crate::parse::reader::{LineReader, first_line};
use crate::parse::sections;

/// Blocks whose text is kept as it is.
const LITERAL: [&str; 3] = ["src", "example", "export"];

/// Keywords that say something about the element after them.
const AFFILIATED: [&str; 8] = [
    "caption", "name", "header", "headers", "results", "plot", "tblname", "label",
];

/// Parses Org.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Org;

impl Parser for Org {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut reader = Reader {
            base: LineReader::new(document),
            headlines: Vec::new(),
            ends: HashMap::new(),
            states: ["TODO", "DONE"].into(),
        };
        reader.survey();
        reader.header();
        reader.sections();
        let mut outline = reader.base.finish(document, "Org");
        add_links(&mut outline, document.text());
        outline
    }
}

struct Reader<'a> {
    base: LineReader<'a>,
    /// The lines that are headlines.
    headlines: Vec<usize>,
    /// The lines that close blocks, by what they close.
    ends: HashMap<String, Vec<usize>>,
    /// The words before a title that say how far a task is.
    states: HashSet<&'a str>,
}

impl<'a> Reader<'a> {
    /// Finds the headlines, the lines that close blocks, and the states of tasks.
    fn survey(&mut self) {
        for at in 0..self.base.lines.len() {
            let text = self.base.at(at);
            match text.as_bytes().first() {
                Some(b'*') if self.base.is_flush(at) => {
                    let stars = text.len() - text.trim_start_matches('*').len();
                    let after = self.base.lines[at].start + stars;
                    if self.base.text.as_bytes().get(after) == Some(&b' ') {
                        self.headlines.push(at);
                    }
                }
                Some(b'#') => {
                    let Some((name, value)) = keyword(text) else {
                        if let Some(name) = block_name(text, "#+end_") {
                            self.ends.entry(name).or_default().push(at);
                        }
                        continue;
                    };
                    if name.eq_ignore_ascii_case("end") {
                        self.ends.entry(":".into()).or_default().push(at);
                    }
                    let names = ["todo", "seq_todo", "typ_todo"];
                    if names.iter().any(|todo| name.eq_ignore_ascii_case(todo)) {
                        let words = value.split_whitespace().filter(|word| *word != "|");
                        let words = words.map(|word| word.split('(').next().unwrap_or(word));
                        self.states.extend(words);
                    }
                }
                Some(b':') if text.eq_ignore_ascii_case(":end:") => {
                    self.ends.entry(":end:".into()).or_default().push(at);
                }
                Some(b'\\') => {
                    if let Some(name) = environment(text, "\\end{") {
                        let name = format!("\\{name}");
                        self.ends.entry(name).or_default().push(at);
                    }
                }
                _ => {}
            }
        }
    }

    /// Keeps what the settings above the first headline say about the document.
    fn header(&mut self) {
        let end = self.headlines.first().copied();
        let end = end.unwrap_or(self.base.lines.len());
        let all = (0..end).filter_map(|line| keyword(self.base.at(line)));
        let all: Vec<(String, &str)> = all
            .map(|(name, value)| (name.to_lowercase(), value))
            .collect();
        let values = |wanted: &str| {
            let of_name = all.iter().filter(move |(name, _)| name == wanted);
            of_name.map(|(_, value)| *value).collect::<Vec<&str>>()
        };
        let info = &mut self.base.info;
        let title = plain(&values("title").join(" "));
        if !title.is_empty() {
            info.title = Some(title.into());
        }
        header::add_values(info, "authors", values("author"));
        header::add_date(info, &values("date").join(" "));
        let keywords = values("keywords").join(",");
        header::add_values(info, "keywords", keywords.split(','));
        let tags = values("filetags").join(" ");
        header::add_values(info, "tags", tags.split([':', ' ', '\t']));
        header::add_text(info, "description", &values("description").join(" "));
        header::add_text(info, "language", &values("language").join(" "));
    }

    /// The line that closes what is opened at a line before it, if it is one before `end`.
    fn close_of(&self, name: &str, at: usize, end: usize) -> Option<usize> {
        let lines = self.ends.get(name)?;
        let next = lines.partition_point(|line| *line <= at);
        lines.get(next).copied().filter(|line| *line < end)
    }

    /// Reads the text above the first headline, and then section by section.
    fn sections(&mut self) {
        let all = self.base.lines.len();
        let headlines = std::mem::take(&mut self.headlines);
        let first = headlines.first().copied().unwrap_or(all);
        self.blocks(0..first, 0);
        for (index, at) in headlines.iter().copied().enumerate() {
            if self.base.is_full() {
                return;
            }
            let end = headlines.get(index + 1).copied().unwrap_or(all);
            let text = self.base.at(at);
            let title = text.trim_start_matches('*');
            let level = sections::level(text.len() - title.len() - 1);
            let title = self.title(title);
            self.base.section(level, at..at + 1, &title);
            let body = self.plan(at + 1, end);
            self.blocks(body..end, 0);
        }
    }

    /// The text of a headline without its state, its priority and its tags.
    fn title(&self, headline: &str) -> String {
        let mut title = headline.trim();
        let (word, rest) = title.split_once(' ').unwrap_or((title, ""));
        if self.states.contains(word) {
            title = rest.trim_start();
        }
        if let Some((priority, rest)) = title.strip_prefix("[#").and_then(|t| t.split_once(']'))
            && priority.chars().count() <= 2
        {
            title = rest.trim_start();
        }
        let space = title.rfind([' ', '\t']);
        let last = &title[space.map_or(0, |space| space + 1)..];
        let is_tag = |char: char| char.is_alphanumeric() || "_@#%:".contains(char);
        if last.len() > 2
            && last.starts_with(':')
            && last.ends_with(':')
            && last.chars().all(is_tag)
        {
            title = title[..title.len() - last.len()].trim_end();
        }
        plain(title)
    }

    /// Reads the dates and the properties below a headline, and returns the line after them.
    fn plan(&mut self, at: usize, end: usize) -> usize {
        let mut next = at;
        let names = ["SCHEDULED:", "DEADLINE:", "CLOSED:"];
        if next < end
            && names
                .iter()
                .any(|name| self.base.at(next).starts_with(name))
        {
            next += 1;
        }
        if next < end
            && self.base.at(next).eq_ignore_ascii_case(":properties:")
            && let Some(close) = self.close_of(":end:", next, end)
        {
            next = close + 1;
        }
        if next > at {
            self.base.leaf(Kind::Definitions, at..next);
        }
        next
    }

    /// Reads the elements in some lines, which contain no headline.
    fn blocks(&mut self, lines: Range<usize>, depth: usize) {
        let Range { start: mut at, end } = lines;
        if depth > DEEPEST {
            if self.base.first_text(at..end) < end {
                self.base.leaf(Kind::Paragraph, at..end);
            }
            return;
        }
        while at < end && !self.base.is_full() {
            at = match self.base.is_blank(at) {
                true => at + 1,
                false => self.block(at, end, depth),
            };
        }
    }

    /// Reads the element at a line that is not blank, and returns the line after it.
    fn block(&mut self, at: usize, end: usize, depth: usize) -> usize {
        let mut first = at;
        while first < end && is_affiliated(self.base.at(first)) {
            first += 1;
        }
        if first == end || self.base.is_blank(first) {
            self.base.leaf(Kind::Definitions, at..first);
            return first;
        }
        let text = self.base.at(first);
        match text.as_bytes()[0] {
            b'#' => {
                if let Some(after) = self.delimited(at, first, end, depth) {
                    return after;
                }
                if is_setting(text) {
                    return self.settings(at, first, end);
                }
            }
            b':' => {
                if let Some(close) = self.drawer_end(first, end) {
                    self.base.leaf(Kind::Definitions, at..close);
                    return close;
                }
                if is_fixed(text) {
                    let after = self.run(first, end, is_fixed);
                    self.base.leaf(Kind::Code, at..after);
                    return after;
                }
            }
            b'|' => return self.table(at, first, end),
            b'\\' => {
                if let Some(name) = environment(text, "\\begin{")
                    && let Some(close) = self.environment_end(&name, first, end)
                {
                    self.base.code(at..close, "latex");
                    return close;
                }
            }
            b'-' if is_rule(text) => {
                self.base.leaf(Kind::Rule, at..first + 1);
                return first + 1;
            }
            b'[' if self.is_footnote(first) => {
                let after = self.footnote_end(first, end);
                self.base.leaf(Kind::Footnote, at..after);
                return after;
            }
            _ => {}
        }
        if depth < DEEPEST && self.bullet(first).is_some() {
            return self.list(at, first, end, depth);
        }
        let ends = |line| self.base.is_blank(line) || self.opens(line, end);
        let after = first_line(first + 1..end, ends);
        self.base.leaf(Kind::Paragraph, at..after);
        after
    }

    /// Whether a line ends the paragraph before it.
    fn opens(&self, line: usize, end: usize) -> bool {
        let text = self.base.at(line);
        match text.as_bytes()[0] {
            b'#' => is_setting(text) || self.block_end(line, end).is_some(),
            b':' => is_fixed(text) || self.drawer_end(line, end).is_some(),
            b'|' => true,
            b'[' => self.is_footnote(line),
            b'\\' => environment(text, "\\begin{")
                .is_some_and(|name| self.environment_end(&name, line, end).is_some()),
            b'-' if is_rule(text) => true,
            _ => self.bullet(line).is_some(),
        }
    }

    /// The line after the lines from `at` on of which `is_one` is true.
    fn run(&self, at: usize, end: usize, is_one: fn(&str) -> bool) -> usize {
        first_line(at..end, |line| !is_one(self.base.at(line)))
    }

    /// Reads keywords and comments, one below the other.
    fn settings(&mut self, from: usize, at: usize, end: usize) -> usize {
        let mut next = at;
        while next < end {
            let text = self.base.at(next);
            if !is_setting(text)
                || is_affiliated(text)
                || (next > at && self.block_end(next, end).is_some())
            {
                break;
            }
            if let Some((name, value)) = keyword(text) {
                let info = &mut self.base.info;
                if name.eq_ignore_ascii_case("title") && info.title.is_none() && !value.is_empty() {
                    info.title = Some(plain(value).into());
                } else if name.eq_ignore_ascii_case("date") {
                    info.dates.extend(dates(value));
                }
            }
            next += 1;
        }
        self.base.leaf(Kind::Definitions, from..next);
        next
    }

    /// The name of the block that a line opens, and the line that closes it.
    fn block_end(&self, at: usize, end: usize) -> Option<(String, usize)> {
        let text = self.base.at(at);
        if let Some(name) = block_name(text, "#+begin_") {
            let close = self.close_of(&name, at, end)?;
            return Some((name, close));
        }
        let (name, _) = keyword(text)?;
        let is_dynamic = name.eq_ignore_ascii_case("begin");
        let close = is_dynamic.then(|| self.close_of(":", at, end))??;
        Some((String::new(), close))
    }

    /// Reads the block at a line.
    fn delimited(&mut self, from: usize, at: usize, end: usize, depth: usize) -> Option<usize> {
        let (name, close) = self.block_end(at, end)?;
        let after = close + 1;
        match &*name {
            "comment" => {
                self.base.leaf(Kind::Definitions, from..after);
            }
            literal if LITERAL.contains(&literal) => {
                let mut words = self.base.at(at).split_whitespace().skip(1);
                let language = words
                    .next()
                    .filter(|word| !word.starts_with([':', '-', '+']));
                self.base.code(from..after, language.unwrap_or_default());
            }
            "verse" => {
                self.base.leaf(Kind::Quote, from..after);
            }
            _ => {
                self.base.open(Kind::Quote, from);
                // The lines that open and close it belong to the first and the last element.
                self.blocks(at + 1..close, depth + 1);
                self.base.close(after);
            }
        }
        Some(after)
    }

    /// The line after the drawer that a line opens.
    fn drawer_end(&self, at: usize, end: usize) -> Option<usize> {
        let name = self.base.at(at).strip_prefix(':')?.strip_suffix(':')?;
        let named = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
        let is_drawer =
            !name.is_empty() && !name.eq_ignore_ascii_case("end") && name.chars().all(named);
        is_drawer.then(|| self.close_of(":end:", at, end).map(|close| close + 1))?
    }

    /// The line after the environment of LaTeX that a line opens.
    fn environment_end(&self, name: &str, at: usize, end: usize) -> Option<usize> {
        let name = format!("\\{name}");
        let close = self.close_of(&name, at, end)?;
        Some(close + 1)
    }

    /// Reads the table at a line, and the formulas below it.
    fn table(&mut self, from: usize, at: usize, end: usize) -> usize {
        let rows = self.run(at, end, |text| text.starts_with('|'));
        let is_formula = |text: &str| {
            let name = text.get(.."#+tblfm:".len());
            name.is_some_and(|name| name.eq_ignore_ascii_case("#+tblfm:"))
        };
        let after = self.run(rows, end, is_formula);
        let is_rule = |line: &usize| self.base.at(*line).starts_with("|-");
        let first = (at..rows).find(|line| !is_rule(line)).unwrap_or(rows);
        let rule = (first..rows).find(is_rule).filter(|rule| rule + 1 < rows);
        let table = self.base.leaf(Kind::Table, from..after);
        self.base.builder.cell_separator(table, b'|');
        if let Some(rule) = rule {
            self.base.builder.header_lines(table, rule + 1 - from);
        }
        after
    }

    fn is_footnote(&self, at: usize) -> bool {
        let label = self.base.at(at).strip_prefix("[fn:");
        let named = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
        let label = label.and_then(|label| label.split_once(']'));
        self.base.is_flush(at)
            && label.is_some_and(|(label, _)| !label.is_empty() && label.chars().all(named))
    }

    /// The line after the footnote at a line: it ends at the next one, or at two blank lines.
    fn footnote_end(&self, at: usize, end: usize) -> usize {
        first_line(at + 1..end, |line| {
            let two = line + 1 < end && self.base.is_blank(line) && self.base.is_blank(line + 1);
            two || self.is_footnote(line)
        })
    }

    /// The length of the mark of the item that a line opens, and whether the mark is a number.
    fn bullet(&self, at: usize) -> Option<(usize, bool)> {
        let text = self.base.at(at);
        let length = match text.as_bytes().first()? {
            b'-' | b'+' => 1,
            b'*' if !self.base.is_flush(at) => 1,
            b'0'..=b'9' => {
                let digits = text.bytes().take_while(u8::is_ascii_digit).count();
                let ends = matches!(text.as_bytes().get(digits), Some(b'.' | b')'));
                digits + usize::from(ends)
            }
            _ => return None,
        };
        let is_number = text.as_bytes()[0].is_ascii_digit();
        let has_mark = !is_number || text[..length].ends_with(['.', ')']);
        let rest = &text[length..];
        let ends = rest.is_empty() || rest.starts_with([' ', '\t']);
        (has_mark && ends).then_some((length, is_number))
    }

    /// Reads the list at a line: items with one indentation. Two blank lines end it.
    fn list(&mut self, from: usize, at: usize, end: usize, depth: usize) -> usize {
        self.base.open(Kind::List, from);
        let indent = self.base.lines[at].indent;
        let mut from = from;
        let mut next = at;
        loop {
            let (after, ends) = self.item_end(next, end, indent);
            self.base.open(Kind::Item, from);
            self.item(next, after, depth);
            self.base.close(after);
            next = after;
            from = after;
            let is_sibling =
                |next: usize| self.base.lines[next].indent == indent && self.bullet(next).is_some();
            if ends || next >= end || self.base.is_full() || !is_sibling(next) {
                break;
            }
        }
        self.base.close(next);
        next
    }

    /// Reads the text of an item, whose first line has its mark.
    fn item(&mut self, at: usize, after: usize, depth: usize) {
        let (length, _) = self.bullet(at).unwrap_or((0, false));
        let text = self.base.at(at);
        let space = text[length..].len() - text[length..].trim_start().len();
        let line = &mut self.base.lines[at];
        line.text += length + space;
        line.indent += length + space;
        if self.base.first_text(at..after) < after {
            self.blocks(at..after, depth + 1);
        } else {
            self.base.leaf(Kind::Paragraph, at..after);
        }
    }

    /// The line after an item, and whether the list ends there.
    fn item_end(&self, at: usize, end: usize, indent: usize) -> (usize, bool) {
        let mut next = at + 1;
        while next < end {
            if self.base.is_blank(next) {
                let text = self.base.first_text(next..end);
                if text == end || text >= next + 2 {
                    return (text, true);
                }
                next = text;
                continue;
            }
            if self.base.lines[next].indent <= indent {
                return (next, false);
            }
            // The text in a block may be indented less.
            let close = match self.base.at(next).as_bytes()[0] {
                b'#' => self.block_end(next, end).map(|(_, close)| close + 1),
                b':' => self.drawer_end(next, end),
                _ => None,
            };
            next = close.unwrap_or(next + 1);
        }
        (end, true)
    }
}

/// The name and the value of a keyword: `#+NAME: value`.
fn keyword(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("#+")?;
    let (name, value) = rest.split_once(':')?;
    let is_name = !name.is_empty() && !name.contains([' ', '\t']);
    // Options stand in brackets: `#+CAPTION[short]: long`.
    let name = name.split('[').next().unwrap_or(name);
    is_name.then_some((name, value.trim()))
}

/// Whether a line is a keyword of the element after it.
fn is_affiliated(text: &str) -> bool {
    keyword(text).is_some_and(|(name, _)| {
        let is_attribute = name
            .get(.."attr_".len())
            .is_some_and(|start| start.eq_ignore_ascii_case("attr_"));
        is_attribute
            || AFFILIATED
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Whether a line is a keyword or a comment.
fn is_setting(text: &str) -> bool {
    keyword(text).is_some() || text == "#" || text.starts_with("# ")
}

/// The name of a block in a line that opens or closes it, in lower case.
fn block_name(text: &str, mark: &str) -> Option<String> {
    let start = text.get(..mark.len())?;
    if !start.eq_ignore_ascii_case(mark) {
        return None;
    }
    let name = text[mark.len()..].split_whitespace().next()?;
    let name_ends = text[mark.len()..].starts_with(|char: char| !char.is_whitespace());
    name_ends.then(|| name.to_ascii_lowercase())
}

/// The name of the environment of LaTeX in a line that begins with `mark`.
fn environment(text: &str, mark: &str) -> Option<String> {
    let (name, _) = text.strip_prefix(mark)?.split_once('}')?;
    let named = |char: char| char.is_ascii_alphanumeric() || char == '*';
    (!name.is_empty() && name.chars().all(named)).then(|| name.to_string())
}

/// Whether a line is kept as it is: `: text`.
fn is_fixed(text: &str) -> bool {
    text == ":" || text.starts_with(": ")
}

fn is_rule(text: &str) -> bool {
    text.len() >= 5 && adornment(text) == Some(b'-')
}

/// A title without the marks of inline markup.
fn plain(title: &str) -> String {
    let mut shown = String::new();
    let mut rest = limited(title);
    while let Some((before, link)) = rest.split_once("[[") {
        let Some((inside, after)) = link.split_once("]]") else {
            break;
        };
        shown.push_str(before);
        shown.push_str(inside.split_once("][").map_or(inside, |(_, text)| text));
        rest = after;
    }
    shown.push_str(rest);
    unmarked(shown.trim(), &['*', '/', '=', '~', '_', '+'], false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::drawn;

    #[test]
    fn headlines_nest_by_their_stars() {
        insta::assert_snapshot!(drawn(
            &Org,
            "#+TITLE: Plans\n#+TODO: TODO NEXT(n) | DONE\n\nHello.\n* NEXT [#A] Buy *tea* :home:now:\nSCHEDULED: <2026-01-02 Fri>\n:PROPERTIES:\n:ID: x\n:END:\ntext\n** Deep\n#+BEGIN_SRC sh\nmake\n* Always one\n#+END_SRC\n*bold* text\n"
        ));
    }

    #[test]
    fn blocks_and_drawers_are_closed_by_their_own_lines() {
        insta::assert_snapshot!(drawn(
            &Org,
            "#+NAME: run\n#+begin_src python :results output\nprint()\n\n#+end_src\n#+BEGIN_QUOTE\na\n\n- b\n#+END_QUOTE\n#+BEGIN_EXAMPLE\nnever closed\n\n:LOGBOOK:\n- x\n:END:\n# a comment\n: fixed\n: too\n\\begin{align}\nx\n\n\\end{align}\n[fn:1] a note\n\non it\n\n\n-----\n#+BEGIN: clock\nx\n#+END:\n"
        ));
    }

    #[test]
    fn tables_and_lists_of_every_kind() {
        insta::assert_snapshot!(drawn(
            &Org,
            "#+CAPTION: Sizes\n| a | b |\n|---+---|\n| 1 | 2 |\n#+TBLFM: $2=$1\n\nwords\n- a\n  + b\n\n    more\n  + c\n    #+begin_src sh\nmake\n    #+end_src\n- term :: what\n1. one\n2) two\n\n\n * star\n  1 is no item\n"
        ));
    }

    #[test]
    fn a_title_is_shown_without_its_marks() {
        for (title, shown) in [
            ("The =run= *command*", "The run command"),
            (
                "On [[file:a.org][that page]] and [[b]]",
                "On that page and b",
            ),
            ("a / b [[", "a / b [["),
        ] {
            assert_eq!(plain(title), shown);
        }
    }
}
