//! MediaWiki: sections, tables with rows, nested lists, templates, and text that is kept as it is.
//!
//! One pass finds what may span lines: templates, comments and the tags whose text is no markup.
//! Lines that one of these joins are read as one.

use std::ops::Range;

use memchr::memmem;

use crate::document::{Document, Link, LinkKind};
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::closings::Closings;
use crate::parse::limits::DEEPEST;
use crate::parse::marks::entity;
use crate::parse::reader::LineReader;

/// The maximum length of a template or a comment in bytes: two braces further apart are no pair.
const LONGEST: usize = 1 << 16;

/// The maximum length of a link in bytes.
const LONGEST_LINK: usize = 2000;

/// The maximum length of a tag in bytes.
const LONGEST_TAG: usize = 500;

/// How many bytes of a title are read.
const LONGEST_TITLE: usize = 2000;

/// The tags whose text is no markup.
const TAGS: [&str; 14] = [
    "nowiki",
    "pre",
    "syntaxhighlight",
    "source",
    "math",
    "chem",
    "score",
    "timeline",
    "hiero",
    "graph",
    "templatedata",
    "templatestyles",
    "imagemap",
    "mapframe",
];

/// Parses MediaWiki.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MediaWiki;

impl Parser for MediaWiki {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut base = LineReader::new(document);
        let start = base
            .lines
            .first()
            .map_or(base.text.len(), |line| line.start);
        let marks = marks(base.text, start);
        base.info.links = marks.links;
        let mut reader = Reader {
            after: joined(&base, &marks.held),
            base,
            held: marks.held,
            tables: Vec::new(),
        };
        reader.tables();
        reader.blocks();
        reader.base.finish(document, "MediaWiki")
    }
}

struct Reader<'a> {
    base: LineReader<'a>,
    /// What may span lines, in order, disjoint.
    held: Vec<Range<usize>>,
    /// For each line, the line after those that are joined to it.
    after: Vec<usize>,
    /// The lines of the outermost tables, in order.
    tables: Vec<Range<usize>>,
}

impl<'a> Reader<'a> {
    /// The text of a line and those joined to it, from the start of the line.
    fn written(&self, line: usize) -> &'a str {
        let last = self.base.lines[self.after[line] - 1];
        &self.base.text[self.base.lines[line].start..last.end]
    }

    /// Whether what is held at the start of a line's text ends where the line, and those joined to
    /// it, end.
    fn is_held(&self, line: usize) -> bool {
        let (start, end) = (
            self.base.lines[line].text,
            self.base.lines[self.after[line] - 1].end,
        );
        let found = self.held.binary_search_by_key(&start, |held| held.start);
        found.is_ok_and(|found| self.held[found].end >= end)
    }

    /// Finds the tables.
    fn tables(&mut self) {
        let mut open = Vec::new();
        let mut line = 0;
        while line < self.after.len() {
            let text = self.base.at(line).trim_start_matches([':', ' ']);
            if text.starts_with("{|") && !text.starts_with("{|}") {
                open.push(line);
            } else if text.starts_with("|}")
                && !text.starts_with("|}}")
                && let Some(start) = open.pop()
            {
                while self.tables.last().is_some_and(|inner| inner.start > start) {
                    self.tables.pop();
                }
                self.tables.push(start..self.after[line]);
            }
            line = self.after[line];
        }
    }

    fn table_at(&self, line: usize) -> Option<Range<usize>> {
        let found = self.tables.binary_search_by_key(&line, |table| table.start);
        Some(self.tables[found.ok()?].clone())
    }

    fn blocks(&mut self) {
        let end = self.base.lines.len();
        let mut at = 0;
        while at < end && !self.base.is_full() {
            at = match self.base.is_blank(at) {
                true => at + 1,
                false => self.block(at, end),
            };
        }
    }

    /// Reads the block at a line, and returns the line after it.
    fn block(&mut self, at: usize, end: usize) -> usize {
        let after = self.after[at];
        match self.role(at) {
            Role::Heading => {
                if let Some((level, title)) = heading(self.written(at)) {
                    self.base.section(level, at..after, &plain(title));
                }
                after
            }
            Role::Rule => {
                self.base.leaf(Kind::Rule, at..after);
                after
            }
            Role::Html => {
                self.base.leaf(Kind::Html, at..after);
                after
            }
            Role::Code => {
                let language = language(self.base.at(at)).unwrap_or_default();
                self.base.code(at..after, &language.to_lowercase());
                after
            }
            Role::Table(table) => self.table(table),
            Role::Item => self.list(at, end),
            Role::Kept => {
                let after = self.run(at, end, |role| *role == Role::Kept);
                self.base.leaf(Kind::Code, at..after);
                after
            }
            Role::Text => {
                let after = self.run(at, end, |role| *role == Role::Text);
                self.base.leaf(Kind::Paragraph, at..after);
                after
            }
        }
    }

    /// The line after the last one from `at` on that is not blank and has the role.
    fn run(&self, at: usize, end: usize, has_role: impl Fn(&Role) -> bool) -> usize {
        let mut after = self.after[at];
        while after < end && !self.base.is_blank(after) && has_role(&self.role(after)) {
            after = self.after[after];
        }
        after
    }

    /// What a line that is not blank is.
    fn role(&self, line: usize) -> Role {
        let text = self.base.at(line);
        let is_indented = self.base.lines[line].indent > 0;
        let joins = self.after[line] > line + 1;
        match text.as_bytes()[0] {
            b'=' | b'<' if !is_indented && heading(self.written(line)).is_some() => Role::Heading,
            b'-' if !is_indented && text.starts_with("----") => Role::Rule,
            b'{' | b':' if self.table_at(line).is_some() => match self.table_at(line) {
                Some(table) => Role::Table(table),
                None => Role::Text,
            },
            b'{' if text.starts_with("{{") && joins && self.is_held(line) => Role::Html,
            b'#' if text[1..]
                .get(..8)
                .is_some_and(|word| word.eq_ignore_ascii_case("redirect")) =>
            {
                Role::Text
            }
            b'*' | b'#' | b';' | b':' if !is_indented => Role::Item,
            b'<' if text.starts_with("<!--") && self.is_held(line) => Role::Html,
            b'<' => match tag(text) {
                Some(tag) if (joins || tag != "nowiki") && self.is_held(line) => Role::Code,
                _ => Role::Text,
            },
            first => match is_indented && !matches!(first, b'{' | b'|' | b'!' | b'[' | b'}') {
                true => Role::Kept,
                false => Role::Text,
            },
        }
    }

    /// Reads a table row by row: what is above the second line of `|-`, or the first below cells,
    /// is its header, if a cell of it is one.
    fn table(&mut self, lines: Range<usize>) -> usize {
        let Range { start, end } = lines;
        let table = self.base.open(Kind::Table, start);
        let mut first = start;
        let mut has_cells = false;
        let mut depth = 0_usize;
        let mut line = self.after[start];
        while line < end {
            let text = self.base.at(line);
            if text.starts_with("{|") {
                depth += 1;
            } else if text.starts_with("|}") && !text.starts_with("|}}") {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && text.starts_with("|-") {
                if has_cells {
                    self.base.leaf(Kind::Row, first..line);
                    first = line;
                }
                has_cells = false;
            } else if depth == 0 && text.starts_with(['|', '!']) && !text.starts_with("|+") {
                has_cells = true;
                if first == start && text.starts_with('!') {
                    self.base.builder.header_lines(table, 1);
                }
            }
            line = self.after[line];
        }
        self.base.leaf(Kind::Row, first..end);
        self.base.close(end);
        end
    }

    fn list(&mut self, at: usize, end: usize) -> usize {
        let after = self.run(at, end, |role| *role == Role::Item);
        let mut entries = Vec::new();
        let mut line = at;
        while line < after {
            let text = self.base.at(line);
            let marks = text
                .bytes()
                .take_while(|byte| b"*#;:".contains(byte))
                .count();
            entries.push((line, &text[..marks]));
            line = self.after[line];
        }
        self.items(&entries, 0);
        after
    }

    /// Adds the lists of some lines, each with its marks, of which `depth` are read already.
    fn items(&mut self, entries: &[(usize, &str)], depth: usize) {
        let kind = |marks: &str| match marks.as_bytes().get(depth) {
            Some(b';') => Some(b':'),
            mark => mark.copied(),
        };
        let open = |reader: &mut Self, kind: Kind, at: usize| {
            let (line, _) = entries[at];
            reader.base.open(kind, line);
        };
        let close = |reader: &mut Self, at: usize| {
            let (line, _) = entries[at - 1];
            reader.base.close(reader.after[line]);
        };
        let mut at = 0;
        let mut list = None;
        while at < entries.len() && !self.base.is_full() {
            let own = kind(entries[at].1);
            if list.is_some() && list != own {
                close(self, at);
                list = None;
            }
            if list.is_none() {
                open(self, Kind::List, at);
                list = own;
            }
            open(self, Kind::Item, at);
            let is_inner =
                |(_, marks): &&(usize, &str)| marks.len() > depth + 1 && kind(marks) == own;
            let after = at + 1 + entries[at + 1..].iter().take_while(is_inner).count();
            let mut inner = at;
            if entries[at].1.len() <= depth + 1 {
                let (line, _) = entries[at];
                self.base.leaf(Kind::Paragraph, line..self.after[line]);
                inner += 1;
            }
            if inner < after && depth < DEEPEST {
                self.items(&entries[inner..after], depth + 1);
            } else if inner < after {
                let ((first, _), (last, _)) = (entries[inner], entries[after - 1]);
                self.base.leaf(Kind::Paragraph, first..self.after[last]);
            }
            close(self, after);
            at = after;
        }
        if list.is_some() {
            close(self, at.max(1));
        }
    }
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Role {
    Heading,
    Rule,
    /// A template or a comment that stands alone.
    Html,
    /// A tag whose text is kept as it is.
    Code,
    Table(Range<usize>),
    Item,
    /// A line that is kept as it is, since it begins with a space.
    Kept,
    Text,
}

/// What is found in a text regardless of its lines.
struct Marks {
    /// Templates, comments and the text of tags that is no markup, in order, disjoint.
    held: Vec<Range<usize>>,
    links: Vec<Link>,
}

/// Finds what may span lines, and the links.
fn marks(text: &str, start: usize) -> Marks {
    let bytes = text.as_bytes();
    let mut held: Vec<Range<usize>> = Vec::new();
    let mut links = Vec::new();
    // Where braces and brackets are open, and how many braces.
    let mut braces: Vec<(usize, usize)> = Vec::new();
    let mut brackets: Vec<usize> = Vec::new();
    let mut closings = Closings::default();
    let run = |at: usize| {
        let rest = &bytes[at..];
        rest.iter().take_while(|byte| **byte == rest[0]).count()
    };
    let mut at = start;
    while at < bytes.len() {
        let step = match bytes[at] {
            b'<' => match held_end(text, at, &mut closings) {
                Some(end) => {
                    held.push(at..end);
                    end - at
                }
                None => 1,
            },
            b'{' => {
                let count = run(at);
                if count > 1 {
                    braces.push((at, count));
                }
                count
            }
            b'}' => {
                let count = run(at);
                let mut left = count;
                while left > 1
                    && let Some((from, open)) = braces.last_mut()
                {
                    let pair = if *open > 2 && left > 2 { 3 } else { 2 };
                    *open -= pair;
                    left -= pair;
                    let span = *from..at + count - left;
                    if *open < 2 {
                        braces.pop();
                        if span.len() <= LONGEST {
                            while held.last().is_some_and(|inner| inner.start >= span.start) {
                                held.pop();
                            }
                            held.push(span);
                        }
                    }
                }
                count
            }
            b'[' if bytes.get(at + 1) == Some(&b'[') => {
                brackets.push(at);
                2
            }
            b'[' => {
                links.extend(external(text, at));
                1
            }
            b']' if bytes.get(at + 1) == Some(&b']') => {
                if let Some(from) = brackets.pop()
                    && at - from <= LONGEST_LINK
                {
                    links.extend(internal(text, from..at + 2));
                }
                2
            }
            _ => 1,
        };
        at += step;
    }
    links.sort_by_key(|link| link.bytes.start);
    Marks { held, links }
}

/// The link `[[target|text]]` at `span`.
fn internal(text: &str, span: Range<usize>) -> Option<Link> {
    let inside = &text[span.start + 2..span.end - 2];
    let target = inside[..inside.find('|').unwrap_or(inside.len())].trim();
    let is_target = !target.is_empty() && !target.contains(['[', ']', '{', '}', '\n', '<']);
    let space = target.split(':').next().unwrap_or_default().trim();
    let is_image = target.contains(':')
        && (space.eq_ignore_ascii_case("file") || space.eq_ignore_ascii_case("image"));
    // Underscores stand for spaces. After a colon, a link only leads to a file or a category.
    let name = target.trim_start_matches(':').replace('_', " ");
    is_target.then(|| Link {
        target: name.into(),
        kind: match is_image {
            true => LinkKind::Image,
            false => LinkKind::Wiki,
        },
        bytes: span,
    })
}

/// The link `[address text]` at `at`.
fn external(text: &str, at: usize) -> Option<Link> {
    let rest = &text[at + 1..];
    let schemes = ["https://", "http://", "//", "mailto:", "ftp://"];
    if !schemes.iter().any(|scheme| rest.starts_with(scheme)) {
        return None;
    }
    let close = rest.find([']', '[', '\n'])?;
    let inside = rest[..close].split_whitespace().next()?;
    rest[close..].starts_with(']').then(|| Link {
        target: inside.into(),
        kind: LinkKind::Plain,
        bytes: at..at + close + 2,
    })
}

/// The end of the comment, or of the tag whose text is no markup, that begins at `at`.
fn held_end(text: &str, at: usize, closings: &mut Closings) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with("<!--") {
        return closings.after(text, "-->", at + 4);
    }
    let name = tag(rest)?;
    let open = at + tag_end(&text.as_bytes()[at..])?;
    if text.as_bytes()[open - 1] == b'/' {
        return None;
    }
    let from = open + 1;
    let close = closings.next(name, from, || {
        memmem::find_iter(&text.as_bytes()[from..], b"</")
            .map(|found| from + found)
            .find(|found| {
                let rest = &text.as_bytes()[found + 2..];
                let is_name = |rest: &[u8]| rest.eq_ignore_ascii_case(name.as_bytes());
                rest.get(..name.len()).is_some_and(is_name)
            })
    })?;
    Some(close + tag_end(&text.as_bytes()[close..])? + 1)
}

/// Where the tag at the start of a text ends, with `>`.
fn tag_end(text: &[u8]) -> Option<usize> {
    let text = &text[..text.len().min(LONGEST_TAG)];
    let end = memchr::memchr2(b'>', b'\n', text)?;
    (text[end] == b'>').then_some(end)
}

/// The name of the tag at the start of a text, if its text is no markup.
fn tag(text: &str) -> Option<&'static str> {
    let rest = text.strip_prefix('<')?;
    let length = rest
        .bytes()
        .take_while(u8::is_ascii_alphabetic)
        .take(20)
        .count();
    let is_end = matches!(
        rest.as_bytes().get(length),
        Some(b'>' | b' ' | b'/' | b'\t')
    );
    let name = &rest[..length];
    let mut tags = TAGS.iter().filter(|_| is_end);
    tags.find(|known| known.eq_ignore_ascii_case(name)).copied()
}

/// The language that a tag names: `lang="x"`.
fn language(tag: &str) -> Option<&str> {
    let attributes = &tag[..tag.find('>')?];
    let (_, value) = attributes.split_once("lang")?;
    let value = value.trim_start().strip_prefix('=')?;
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find(['"', '\'', ' ', '/']).unwrap_or(value.len());
    Some(&value[..end]).filter(|language| !language.is_empty())
}

/// For each line, the line after those that are joined to it by what is held.
fn joined(base: &LineReader<'_>, held: &[Range<usize>]) -> Vec<usize> {
    let count = base.lines.len();
    let mut after: Vec<usize> = (1..=count).collect();
    let mut held = held.iter().peekable();
    let mut line = 0;
    while line < count {
        let mut last = line;
        while let Some(span) = held.peek() {
            if span.start >= base.end_before(last + 1) {
                break;
            }
            while last + 1 < count && span.end > base.end_before(last + 1) {
                last += 1;
            }
            held.next();
        }
        after[line] = last + 1;
        line = last + 1;
    }
    after
}

/// The level and the text of the title in a line.
fn heading(line: &str) -> Option<(u8, &str)> {
    let mut text = line.trim_end();
    // Comments may follow.
    while let Some(rest) = text.strip_suffix("-->") {
        text = rest[..rest.rfind("<!--")?].trim_end();
    }
    if text.starts_with('<') {
        return html_heading(text);
    }
    if !text.ends_with('=') || text.contains('\n') {
        return None;
    }
    let count =
        |bytes: &mut dyn Iterator<Item = u8>| bytes.take_while(|byte| *byte == b'=').count();
    let open = count(&mut text.bytes());
    let level = match open == text.len() {
        true => (open.checked_sub(1)?) / 2,
        false => open.min(count(&mut text.bytes().rev())),
    };
    let level = level.min(6);
    let number = u8::try_from(level).ok().filter(|level| *level > 0)?;
    Some((number, &text[level..text.len() - level]))
}

/// The level and the text of a title in the tags of one, such as `<h2 id="a">Title</h2>`.
fn html_heading(text: &str) -> Option<(u8, &str)> {
    let (tag, level) = (text.get(..2)?, text.get(2..3)?);
    let level: u8 = level.parse().ok()?;
    let (attributes, title) = text[3..].split_once('>')?;
    let is_tag = attributes.is_empty() || attributes.starts_with([' ', '\t']);
    let close = title.len().checked_sub("</h2>".len())?;
    let is_closed = title
        .get(close..)?
        .eq_ignore_ascii_case(&format!("</h{level}>"));
    let is_heading = tag.eq_ignore_ascii_case("<h") && (1..=6).contains(&level);
    (is_heading && is_tag && is_closed).then_some((level, &title[..close]))
}

/// A title without markup.
fn plain(title: &str) -> String {
    let title = &title[..title.floor_char_boundary(LONGEST_TITLE)];
    let mut shown = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(at) = rest.find(['\'', '[', '<', '{', '&']) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        let inside = &rest[1..];
        let step = match rest.as_bytes()[0] {
            b'\'' => {
                let count = rest.bytes().take_while(|byte| *byte == b'\'').count();
                if matches!(count, 1 | 4) {
                    shown.push('\'');
                }
                count
            }
            b'[' if inside.starts_with('[') => match inside.find("]]") {
                Some(close) => {
                    let link = &inside[1..close];
                    let text = link.rsplit('|').next().unwrap_or(link);
                    shown.push_str(&text.replace("''", ""));
                    close + 3
                }
                None => 2,
            },
            b'[' => match (external(rest, 0), inside.find(']')) {
                (Some(_), Some(close)) => {
                    let text = inside[..close].split_once(' ').map_or("", |(_, text)| text);
                    shown.push_str(text);
                    close + 2
                }
                _ => {
                    shown.push('[');
                    1
                }
            },
            b'{' if inside.starts_with('{') => match inside.find("}}") {
                Some(close) => {
                    let template = &inside[1..close];
                    let text = template
                        .rsplit('|')
                        .next()
                        .filter(|_| template.contains('|'));
                    let is_anchor = template.to_ascii_lowercase().starts_with("anchor");
                    shown.push_str(text.filter(|_| !is_anchor).unwrap_or_default());
                    close + 3
                }
                None => 2,
            },
            b'<' if inside.starts_with("ref") || inside.starts_with("!--") => {
                let close = ["</ref>", "/>", "-->"]
                    .iter()
                    .filter_map(|close| Some(rest.find(close)? + close.len()))
                    .min();
                close.unwrap_or(rest.len())
            }
            b'<' if inside.starts_with(|char: char| char.is_ascii_alphabetic() || char == '/') => {
                rest.find('>').map_or(rest.len(), |close| close + 1)
            }
            b'&' => {
                let (text, length) = entity(rest).unwrap_or(("&", 1));
                shown.push_str(text);
                length
            }
            _ => {
                shown.push_str(&rest[..1]);
                1
            }
        };
        rest = &rest[step..];
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::drawn;

    #[test]
    fn titles_are_shown_without_markup() {
        assert_eq!(
            plain("The ''long'' [[way|road]] to '''it'''"),
            "The long road to it"
        );
        assert_eq!(
            plain("[https://example.org site]&nbsp;<b>x</b><ref>no</ref>"),
            "site x"
        );
        assert_eq!(heading("== a == b == <!-- c -->"), Some((2, " a == b ")));
        assert_eq!(heading("== a"), None);
        assert_eq!(
            heading("<H3 id=\"x\">a <b>b</b></h3> <!-- c -->"),
            Some((3, "a <b>b</b>"))
        );
        for text in [
            "<h2>a",
            "<h2>a</h3>",
            "<h7>a</h7>",
            "<hr>a</hr>",
            "<h2é>a</h2>",
            "<h",
            "<é",
        ] {
            assert_eq!(heading(text), None, "{text}");
        }
    }

    #[test]
    fn a_first_row_of_values_is_no_header() {
        let parsed = |text: &str| MediaWiki.parse(&Document::new(text), 0);
        assert!(parsed("{|\n! x\n! y\n|-\n| 1\n|}\n").is_header(2));
        assert!(!parsed("{|\n| x\n| y\n|-\n| 1\n|}\n").is_header(2));
    }

    #[test]
    fn blocks_of_every_kind() {
        insta::assert_snapshot!(drawn(
            &MediaWiki,
            "{{box\n| a = {{b}}\n\n== no ==\n}}\nText with {{a\n|b}} goes on.\n== One ==\n* a\n** b\n* c\n# d\n\n{|\n! x\n! y\n|-\n| 1\n| 2\n|-\n| 3\n| 4\n|}\n kept\n  as is\n<syntaxhighlight lang=\"Python\">\n== no ==\n</syntaxhighlight>\n----\n=== Two ===\n<!-- a\n== no == -->\n[[Page|text]]\n"
        ));
    }
}
