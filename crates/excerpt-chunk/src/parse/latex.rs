//! LaTeX: sections by the commands that occur, environments, lists with their items, displayed
//! mathematics, and text that is kept as it is.
//!
//! The text is read command by command, without expanding any. What only TeX could know, such as
//! the commands that a document defines, is text.

use std::ops::Range;

use memchr::memmem::{self, Finder};

use crate::document::{Document, Link, LinkKind};
use crate::outline::{Kind, Outline};
use crate::parse::accent::accented;
use crate::parse::closings::Closings;
use crate::parse::limits::DEEPEST;
use crate::parse::paths::with_ending;
use crate::parse::reader::LineReader;
use crate::parse::{Parser, sections};

/// The most tables of one name that are looked for in a table.
const MOST_INNER: usize = 24;

/// How many environments may be open at all.
const MOST_OPEN: usize = 64;

/// The maximum length of an argument in bytes.
const LONGEST_ARGUMENT: usize = 1000;

/// The maximum length of the definition of a command in bytes.
const LONGEST_DEFINITION: usize = 2000;

/// The maximum length of a formula in bytes.
const LONGEST_FORMULA: usize = 20_000;

/// The commands of sections, the outermost first; those of one rank have one level.
const SECTIONS: [&[&str]; 7] = [
    &["part", "addpart"],
    &["chapter", "addchap"],
    &["section", "addsec"],
    &["subsection"],
    &["subsubsection"],
    &["paragraph"],
    &["subparagraph"],
];

/// Environments whose text is no markup, and what they are.
const KEPT: [(&str, Kind); 53] = [
    ("verbatim", Kind::Code),
    ("verbatim*", Kind::Code),
    ("Verbatim", Kind::Code),
    ("BVerbatim", Kind::Code),
    ("LVerbatim", Kind::Code),
    ("SaveVerbatim", Kind::Code),
    ("VerbatimOut", Kind::Code),
    ("sphinxVerbatim", Kind::Code),
    ("lstlisting", Kind::Code),
    ("minted", Kind::Code),
    ("alltt", Kind::Code),
    ("listing", Kind::Code),
    ("Highlighting", Kind::Code),
    ("LTXexample", Kind::Code),
    ("tcblisting", Kind::Code),
    ("dispListing", Kind::Code),
    ("filecontents", Kind::Code),
    ("filecontents*", Kind::Code),
    ("macrocode", Kind::Code),
    ("comment", Kind::Definitions),
    ("equation", Kind::Code),
    ("equation*", Kind::Code),
    ("align", Kind::Code),
    ("align*", Kind::Code),
    ("alignat", Kind::Code),
    ("alignat*", Kind::Code),
    ("flalign", Kind::Code),
    ("flalign*", Kind::Code),
    ("gather", Kind::Code),
    ("gather*", Kind::Code),
    ("multline", Kind::Code),
    ("multline*", Kind::Code),
    ("eqnarray", Kind::Code),
    ("eqnarray*", Kind::Code),
    ("math", Kind::Code),
    ("displaymath", Kind::Code),
    ("tikzpicture", Kind::Code),
    ("picture", Kind::Code),
    ("algorithmic", Kind::Code),
    ("table", Kind::Table),
    ("table*", Kind::Table),
    ("tabular", Kind::Table),
    ("tabular*", Kind::Table),
    ("tabularx", Kind::Table),
    ("tabulary", Kind::Table),
    ("tabu", Kind::Table),
    ("tblr", Kind::Table),
    ("longtable", Kind::Table),
    ("longtable*", Kind::Table),
    ("longtblr", Kind::Table),
    ("sidewaystable", Kind::Table),
    ("supertabular", Kind::Table),
    ("tabbing", Kind::Table),
];

/// Environments that are lists.
const LISTS: [&str; 15] = [
    "itemize",
    "enumerate",
    "description",
    "list",
    "trivlist",
    "labeling",
    "compactitem",
    "compactenum",
    "compactdesc",
    "asparaitem",
    "asparaenum",
    "inparaenum",
    "thebibliography",
    "questions",
    "parts",
];

/// Environments within formulas, and the one that is the document.
const BARE: [&str; 16] = [
    "document",
    "array",
    "matrix",
    "pmatrix",
    "bmatrix",
    "Bmatrix",
    "vmatrix",
    "Vmatrix",
    "smallmatrix",
    "cases",
    "split",
    "aligned",
    "alignedat",
    "gathered",
    "subarray",
    "dcases",
];

/// Parses LaTeX.
#[derive(Clone, Copy, Debug, Default)]
pub struct Latex;

impl Parser for Latex {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        // Which levels there are is certain only after reading.
        let mut ranks = likely_ranks(document.text());
        let mut reader = Reader::new(document, ranks);
        reader.document();
        if reader.found != ranks && !reader.base.is_full() {
            ranks = reader.found;
            reader = Reader::new(document, ranks);
            reader.document();
        }
        reader.base.finish(document, "LaTeX")
    }
}

struct Reader<'a> {
    base: LineReader<'a>,
    text: &'a str,
    /// The ranks of sections that the levels are counted by.
    ranks: [bool; SECTIONS.len()],
    /// Those that were found.
    found: [bool; SECTIONS.len()],
    /// Where the paragraph begins that is being read.
    paragraph: Option<usize>,
    open: Vec<Open<'a>>,
    /// How many of those have nodes.
    nodes: usize,
    closings: Closings,
}

/// An environment that is open.
#[derive(Clone, Copy, Debug)]
struct Open<'a> {
    name: &'a str,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// It has no node.
    Bare,
    Container,
    /// A list, and whether an item of it is open.
    List(bool),
}

impl<'a> Reader<'a> {
    fn new(document: &Document<'a>, ranks: [bool; SECTIONS.len()]) -> Self {
        let base = LineReader::new(document);
        Reader {
            text: base.text,
            base,
            ranks,
            found: [false; SECTIONS.len()],
            paragraph: None,
            open: Vec::new(),
            nodes: 0,
            closings: Closings::default(),
        }
    }

    fn document(&mut self) {
        let start = match self.base.lines.first() {
            Some(line) => line.start,
            None => return,
        };
        let body = preamble(&self.text[start..]).map_or(start, |end| start + end);
        self.preamble(start..body);
        self.body(body);
    }

    /// Reads what is above the text: settings, in blocks between blank lines.
    fn preamble(&mut self, span: Range<usize>) {
        let mut from = None;
        for index in 0..self.base.lines.len() {
            let line = self.base.lines[index];
            if line.start >= span.end || self.base.is_full() {
                break;
            }
            match from {
                Some(start) if line.is_blank() => {
                    self.base.builder.leaf(Kind::Definitions, start..line.start);
                    from = None;
                }
                None if !line.is_blank() => from = Some(line.start),
                _ => {}
            }
        }
        if let Some(start) = from {
            self.base.builder.leaf(Kind::Definitions, start..span.end);
        }
        let mut at = span.start;
        while let Some(found) = memchr::memchr2(b'\\', b'%', &self.text.as_bytes()[at..span.end]) {
            at += found;
            if self.text.as_bytes()[at] == b'%' {
                at = self.line_end(at);
                continue;
            }
            let name = command(&self.text[at..]);
            match name {
                "title" => self.title(at + 1 + name.len()),
                "input" | "include" => self.link(at, name.len()),
                _ => {}
            }
            at = self.after_command(at, name);
        }
    }

    /// The start of the next line.
    fn line_end(&self, at: usize) -> usize {
        let newline = memchr::memchr(b'\n', &self.text.as_bytes()[at..]);
        newline.map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// What follows the command at `at`, which is at least one character.
    fn after_command(&self, at: usize, name: &str) -> usize {
        match name.is_empty() {
            true => self.text.ceil_char_boundary((at + 2).min(self.text.len())),
            false => at + 1 + name.len(),
        }
    }

    /// Reads the text from `at` on.
    fn body(&mut self, mut at: usize) {
        let text = self.text;
        let bytes = text.as_bytes();
        let is_special = |byte: &u8| matches!(byte, b'\\' | b'%' | b'$' | b'\n');
        while at < bytes.len() && !self.base.is_full() {
            let next = bytes[at..].iter().position(is_special);
            let next = next.map_or(bytes.len(), |next| at + next);
            if self.paragraph.is_none() {
                let shown = text[at..next].trim_start();
                if !shown.is_empty() {
                    self.paragraph = Some(next - shown.len());
                }
            }
            at = next;
            match bytes.get(at) {
                None => break,
                Some(b'\n') => {
                    at += 1;
                    let blank =
                        text[at..].len() - text[at..].trim_start_matches([' ', '\t', '\r']).len();
                    if matches!(bytes.get(at + blank), Some(b'\n')) {
                        self.end_paragraph(at);
                        at += blank;
                    }
                }
                Some(b'%') => {
                    self.begin_paragraph(at);
                    // The end of the line is part of the comment, and not of a blank line.
                    at = self.line_end(at) - 1;
                    at = match bytes.get(at) {
                        Some(b'\n') => at,
                        _ => bytes.len(),
                    };
                }
                Some(b'$') => at = self.dollar(at),
                Some(_) => at = self.command(at),
            }
        }
        self.end_paragraph(bytes.len());
        self.close_all(bytes.len());
    }

    fn begin_paragraph(&mut self, at: usize) {
        self.paragraph.get_or_insert(at);
    }

    fn end_paragraph(&mut self, end: usize) {
        if let Some(start) = self.paragraph.take() {
            self.base.builder.leaf(Kind::Paragraph, start..end);
        }
    }

    /// Whether only white space is before `at` on its line.
    fn begins_line(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    /// A block of the text from `at` to `end`, and what is on the last line with it.
    fn kept(&mut self, kind: Kind, at: usize, end: usize) -> usize {
        self.end_paragraph(at);
        let node = self.base.builder.leaf(kind, at..end);
        if kind == Kind::Code
            && let Some(language) = language(&self.text[at..end])
        {
            self.base.builder.label(node, language.to_lowercase());
        }
        end
    }

    /// Reads a formula that begins with `$`.
    fn dollar(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        if bytes.get(at + 1) == Some(&b'$') {
            let end = self.closings.after(self.text, "$$", at + 2);
            return match end.filter(|end| end - at <= LONGEST_FORMULA) {
                Some(end) if self.begins_line(at) => self.kept(Kind::Code, at, end),
                Some(end) => {
                    self.begin_paragraph(at);
                    end
                }
                None => {
                    self.begin_paragraph(at);
                    at + 2
                }
            };
        }
        self.begin_paragraph(at);
        let limit = bytes.len().min(at + LONGEST_ARGUMENT);
        let mut inside = at + 1;
        while let Some(found) = memchr::memchr3(b'$', b'\\', b'\n', &bytes[inside..limit]) {
            inside += found;
            match bytes[inside] {
                b'$' => return inside + 1,
                b'\\' => inside = self.text.ceil_char_boundary((inside + 2).min(limit)),
                _ => {
                    let rest = self.text[inside + 1..].trim_start_matches([' ', '\t', '\r']);
                    if rest.starts_with('\n') {
                        break;
                    }
                    inside += 1;
                }
            }
        }
        at + 1
    }

    /// Reads the command at `at`, and returns what follows it.
    fn command(&mut self, at: usize) -> usize {
        let name = command(&self.text[at..]);
        let after = self.after_command(at, name);
        match name {
            "" if self.text[at..].starts_with("\\[") => {
                let end = self.closings.after(self.text, "\\]", at + 2);
                if let Some(end) = end.filter(|end| end - at <= LONGEST_FORMULA) {
                    if self.begins_line(at) {
                        return self.kept(Kind::Code, at, end);
                    }
                    self.begin_paragraph(at);
                    return end;
                }
            }
            "begin" => {
                if let Some(end) = self.begin(at, after) {
                    return end;
                }
            }
            "end" => {
                if let Some(end) = self.end(after) {
                    return end;
                }
            }
            "item" | "bibitem" => {
                if let Some(end) = self.item(at, after) {
                    return end;
                }
            }
            "verb" | "lstinline" | "mintinline" => {
                self.begin_paragraph(at);
                return self.verb(after);
            }
            "iffalse" if self.begins_line(at) => {
                if let Some(end) = self.closings.after(self.text, "\\fi", after) {
                    return self.kept(Kind::Definitions, at, end);
                }
            }
            "newcommand"
            | "renewcommand"
            | "providecommand"
            | "DeclareRobustCommand"
            | "newenvironment"
            | "renewenvironment"
            | "def"
            | "gdef"
            | "edef"
            | "xdef" => {
                self.begin_paragraph(at);
                return self.definition(after);
            }
            "titleformat" | "titlespacing" | "let" | "sectionfont" | "pretocmd" | "apptocmd"
            | "patchcmd" => {
                self.begin_paragraph(at);
                let rest = self.text[after..].trim_start_matches(['*', '{', ' ']);
                let next = self.text.len() - rest.len();
                if rest.starts_with('\\') {
                    return self.after_command(next, command(rest));
                }
            }
            "title" => self.title(after),
            "input" | "include" | "subfile" => self.link(at, name.len()),
            _ => {
                if let Some(rank) = rank(name)
                    && let Some(end) = self.section(rank, at, after)
                {
                    return end;
                }
            }
        }
        self.begin_paragraph(at);
        after
    }

    /// Reads a section whose command ends at `after`.
    fn section(&mut self, rank: usize, at: usize, after: usize) -> Option<usize> {
        let rest = self.text[after..].strip_prefix('*');
        let mut end = self.text.len() - rest.map_or(self.text.len() - after, str::len);
        end = self.gap(end);
        if self.text[end..].starts_with('[') {
            end = self.gap(balanced(self.text, end, LONGEST_ARGUMENT)?);
        }
        if !self.text[end..].starts_with('{') {
            return None;
        }
        let close = balanced(self.text, end, LONGEST_ARGUMENT)?;
        let title = plain(&self.text[end + 1..close - 1]);
        let mut start = at;
        let mut end = close;
        // Targets that Pandoc writes around its titles belong to them.
        if let Some(from) = self.paragraph
            && at - from < LONGEST_ARGUMENT
            && self.text[from..at].starts_with("\\hypertarget{")
            && self.text[from..at].matches('\n').count() < 2
        {
            self.paragraph = None;
            start = from;
        }
        loop {
            let next = space(self.text, end);
            let name = command(&self.text[next..]);
            let argument = space(self.text, next + 1 + name.len());
            if matches!(name, "label" | "index") && self.text[argument..].starts_with('{') {
                match balanced(self.text, argument, LONGEST_ARGUMENT) {
                    Some(close) => end = close,
                    None => break,
                }
            } else if start < at && self.text[next..].starts_with('}') {
                end = next + 1;
                break;
            } else {
                break;
            }
        }
        self.end_paragraph(start);
        self.close_all(start);
        self.found[rank] = true;
        let level = self.ranks[..=rank]
            .iter()
            .filter(|is_there| **is_there)
            .count();
        let level = u8::try_from(level).unwrap_or(6).clamp(1, 6);
        sections::open(&mut self.base.builder, level, start);
        sections::close_heading(&mut self.base.builder, &mut self.base.info, &title, end);
        Some(end)
    }

    /// What follows white space, and a comment at the end of a line.
    fn gap(&self, at: usize) -> usize {
        let next = space(self.text, at);
        match self.text[next..].starts_with('%') {
            true => space(self.text, self.line_end(next)),
            false => next,
        }
    }

    /// Closes the nodes of all environments: a section ends them.
    fn close_all(&mut self, end: usize) {
        if self.nodes == 0 {
            return;
        }
        for index in (0..self.open.len()).rev() {
            self.close(index, end);
        }
    }

    fn close(&mut self, index: usize, end: usize) {
        let count = match self.open[index].shape {
            Shape::Bare => return,
            Shape::Container | Shape::List(false) => 1,
            Shape::List(true) => 2,
        };
        for _ in 0..count {
            self.base.close_container(end);
        }
        self.open[index].shape = Shape::Bare;
        self.nodes -= 1;
    }

    /// Reads the start of an environment, whose command ends at `after`.
    fn begin(&mut self, at: usize, after: usize) -> Option<usize> {
        let (name, end) = name(self.text, after)?;
        if let Some((known, kind)) = KEPT.iter().find(|(known, _)| *known == name) {
            if let Some(close) = self.environment(known, *kind, end) {
                let is_inline = *kind == Kind::Table && !self.begins_line(at);
                if is_inline {
                    self.begin_paragraph(at);
                    return Some(close);
                }
                return Some(self.kept(*kind, at, close));
            }
            return None;
        }
        if self.open.len() >= MOST_OPEN {
            return None;
        }
        let mut shape = Shape::Bare;
        let is_list = LISTS.contains(&name);
        let may_nest = self.nodes < DEEPEST && !BARE.contains(&name);
        if may_nest && (is_list || self.begins_line(at)) {
            self.end_paragraph(at);
            self.nodes += 1;
            if is_list {
                self.base.builder.open(Kind::List, at);
                shape = Shape::List(false);
            } else {
                self.base.builder.open(Kind::Quote, at);
                self.paragraph = Some(at);
                shape = Shape::Container;
            }
        } else {
            self.begin_paragraph(at);
        }
        self.open.push(Open { name, shape });
        Some(end)
    }

    /// The end of an environment whose text is kept.
    fn environment(&mut self, name: &'static str, kind: Kind, from: usize) -> Option<usize> {
        let mut end = self.environment_end(name, from)?;
        // Tables may be in tables.
        if kind == Kind::Table {
            let begin = format!("\\begin{{{name}}}");
            let inner = Finder::new(&begin);
            let mut at = from;
            let mut tries = 0;
            while let Some(found) = inner.find(&self.text.as_bytes()[at..end]) {
                tries += 1;
                let outer = self.environment_end(name, end);
                match outer.filter(|_| tries < MOST_INNER) {
                    Some(outer) => {
                        at += found + begin.len();
                        end = outer;
                    }
                    None => break,
                }
            }
        }
        Some(end)
    }

    /// What follows the next end of the environment `name` from `from` on.
    fn environment_end(&mut self, name: &'static str, from: usize) -> Option<usize> {
        let text = self.text;
        let start = self.closings.next(name, from, || {
            let mark = format!("\\end{{{name}}}");
            memmem::find(&text.as_bytes()[from..], mark.as_bytes()).map(|found| from + found)
        });
        start.map(|start| start + "\\end{}".len() + name.len())
    }

    /// Reads the end of an environment, whose command ends at `after`.
    fn end(&mut self, after: usize) -> Option<usize> {
        let (name, end) = name(self.text, after)?;
        if name == "document" {
            self.end_paragraph(end);
            self.close_all(end);
            let rest = self.text[end..].trim_start();
            if !rest.is_empty() {
                let start = self.text.len() - rest.len();
                self.base
                    .builder
                    .leaf(Kind::Definitions, start..self.text.len());
            }
            return Some(self.text.len());
        }
        let found = self.open.iter().rposition(|open| open.name == name)?;
        if self.open[found].shape == Shape::Bare {
            // What is open within it may be meant to end later.
            self.open.remove(found);
            return None;
        }
        if self.paragraph.is_some() {
            self.end_paragraph(end);
        }
        for index in (found..self.open.len()).rev() {
            self.close(index, end);
        }
        self.open.truncate(found);
        Some(end)
    }

    /// Reads the start of an item.
    fn item(&mut self, at: usize, after: usize) -> Option<usize> {
        let index = self
            .open
            .iter()
            .rposition(|open| open.shape != Shape::Bare)?;
        if self.open[index].shape == Shape::Container {
            // A list by its contents: nothing but its beginning is before the first item.
            let node = self.base.builder.current_index();
            let start = self.base.builder.current().span.start;
            let is_first = self.base.builder.len() == node + 1
                && !self.text[start..at].trim_end().contains('\n');
            if !is_first {
                return None;
            }
            self.paragraph = None;
            self.base.builder.kind(node, Kind::List);
            self.open[index].shape = Shape::List(false);
        }
        self.end_paragraph(at);
        if self.open[index].shape == Shape::List(true) {
            self.base.builder.close(at);
        }
        self.open[index].shape = Shape::List(true);
        self.base.builder.open(Kind::Item, at);
        self.paragraph = Some(at);
        Some(after)
    }

    /// What follows text between two equal characters, on one line.
    fn verb(&self, after: usize) -> usize {
        let rest = self.text[after..].trim_start_matches('*');
        let at = self.text.len() - rest.len();
        let Some(mark) = rest.chars().next() else {
            return after;
        };
        if mark.is_alphanumeric() || mark.is_whitespace() || matches!(mark, '[' | '{') {
            return after;
        }
        let inside = &rest[mark.len_utf8()..];
        let limit = inside.floor_char_boundary(LONGEST_ARGUMENT);
        let line = inside[..limit].lines().next().unwrap_or_default();
        match line.find(mark) {
            Some(close) => at + close + 2 * mark.len_utf8(),
            None => after,
        }
    }

    /// What follows the definition of a command: its name, options and text.
    fn definition(&self, after: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = after;
        let mut has_name = false;
        let limit = bytes.len().min(after + LONGEST_DEFINITION);
        while at < limit {
            match bytes[at] {
                b'*' | b' ' | b'\t' => at += 1,
                b'\\' if !has_name => {
                    at = self.after_command(at, command(&self.text[at..]));
                    has_name = true;
                }
                b'#' | b'0'..=b'9' => at += 1,
                b'{' | b'[' => match balanced(self.text, at, LONGEST_DEFINITION) {
                    Some(end) => {
                        at = end;
                        has_name = true;
                    }
                    None => return at,
                },
                b'\n' if matches!(bytes.get(at + 1), Some(b'{' | b'[')) => at += 1,
                _ => return at,
            }
        }
        at
    }

    /// Keeps the title of the document, whose command ends at `after`.
    fn title(&mut self, after: usize) {
        let mut at = space(self.text, after);
        if self.text[at..].starts_with('[')
            && let Some(end) = balanced(self.text, at, LONGEST_ARGUMENT)
        {
            at = space(self.text, end);
        }
        if self.base.info.title.is_some() || !self.text[at..].starts_with('{') {
            return;
        }
        if let Some(end) = balanced(self.text, at, LONGEST_ARGUMENT) {
            let title = plain(&self.text[at + 1..end - 1]);
            if !title.is_empty() {
                self.base.info.title = Some(title.into());
            }
        }
    }

    /// Records the file that a command includes.
    fn link(&mut self, at: usize, length: usize) {
        let Some((file, end)) = name(self.text, at + 1 + length) else {
            return;
        };
        let file = file.trim();
        if file.is_empty() || file.contains(['\\', '#', '\n']) {
            return;
        }
        self.base.info.links.push(Link {
            target: with_ending(file, "tex").into(),
            kind: LinkKind::Plain,
            bytes: at..end,
        });
    }
}

/// The ranks of the sections that a text seems to have.
fn likely_ranks(text: &str) -> [bool; SECTIONS.len()] {
    let mut ranks = [false; SECTIONS.len()];
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'\\', b'%', &text.as_bytes()[at..]) {
        at += found;
        if text.as_bytes()[at] == b'%' {
            at += memchr::memchr(b'\n', &text.as_bytes()[at..]).unwrap_or(text.len() - at);
            continue;
        }
        let name = command(&text[at..]);
        at = text.ceil_char_boundary((at + 1 + name.len().max(1)).min(text.len()));
        if text[at..].starts_with(['{', '*', '['])
            && let Some(rank) = rank(name)
        {
            ranks[rank] = true;
        }
    }
    ranks
}

/// The rank of the sections that a command begins.
fn rank(command: &str) -> Option<usize> {
    if !command.starts_with(['p', 'c', 's', 'a']) {
        return None;
    }
    SECTIONS.iter().position(|names| names.contains(&command))
}

/// Where the preamble ends, if the text has one: after `\begin{document}`.
fn preamble(text: &str) -> Option<usize> {
    let class =
        uncommented(text, "\\documentclass").or_else(|| uncommented(text, "\\documentstyle"))?;
    if text[..class].contains("\\begin{verbatim") {
        return None;
    }
    let mark = "\\begin{document}";
    Some(class + uncommented(&text[class..], mark)? + mark.len())
}

/// Where `mark` stands outside of a comment.
fn uncommented(text: &str, mark: &str) -> Option<usize> {
    memmem::find_iter(text.as_bytes(), mark).find(|found| {
        let line = &text
            [memchr::memrchr(b'\n', &text.as_bytes()[..*found]).map_or(0, |at| at + 1)..*found];
        line.len() < LONGEST_ARGUMENT && !line.replace("\\%", "").contains('%')
    })
}

/// The name of the command at the start of a text; empty if it is one character.
fn command(text: &str) -> &str {
    let Some(rest) = text.strip_prefix('\\') else {
        return "";
    };
    let letters = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'@';
    let length = rest.bytes().take(80).take_while(letters).count();
    &rest[..length]
}

/// The argument at `at`, which is a name, and what follows it.
fn name(text: &str, at: usize) -> Option<(&str, usize)> {
    let at = space(text, at);
    let inside = text[at..].strip_prefix('{')?;
    let limit = inside.floor_char_boundary(200);
    let close = inside[..limit].find(['}', '{', '\n'])?;
    inside[close..]
        .starts_with('}')
        .then(|| (&inside[..close], at + close + 2))
}

/// What follows white space, and at most one end of a line, from `at` on.
fn space(text: &str, at: usize) -> usize {
    let mut lines = 0;
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    for (index, byte) in rest.iter().enumerate() {
        match byte {
            b' ' | b'\t' | b'\r' => {}
            b'\n' if lines == 0 => lines = 1,
            b'\n' => return at,
            _ => return at + index,
        }
    }
    text.len()
}

/// What follows the argument that begins with a brace or a bracket at `at`.
fn balanced(text: &str, at: usize, longest: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(at + longest);
    let is_option = bytes.get(at) == Some(&b'[');
    let mut depth = 0_usize;
    let mut next = at;
    while next < limit {
        match bytes[next] {
            b'\\' => next += 1,
            b'%' => {
                next += memchr::memchr(b'\n', &bytes[next..limit])?;
            }
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && !is_option {
                    return Some(next + 1);
                }
            }
            b']' if is_option && depth == 0 => return Some(next + 1),
            _ => {}
        }
        next += 1;
    }
    None
}

/// The language of a listing.
fn language(listing: &str) -> Option<&str> {
    let head = &listing[..listing.floor_char_boundary(LONGEST_ARGUMENT)];
    if let Some(rest) = head.strip_prefix("\\begin{minted}") {
        let at = match rest.starts_with('[') {
            true => balanced(rest, 0, LONGEST_ARGUMENT)?,
            false => 0,
        };
        return Some(name(rest, at)?.0.trim()).filter(|name| !name.is_empty());
    }
    let rest = head.strip_prefix("\\begin{lstlisting}")?;
    let options = rest.strip_prefix('[')?;
    let options = &options[..options.find(['\n', ']']).unwrap_or(options.len())];
    let (_, value) = options.split_once("language")?;
    let value = value
        .trim_start()
        .strip_prefix('=')?
        .trim_start_matches(['{', ' ']);
    // A dialect may come before the name.
    let value = match value.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?.1,
        None => value,
    };
    let end = value.find([',', ']', '}']).unwrap_or(value.len());
    Some(value[..end].trim()).filter(|name| !name.is_empty())
}

/// A title without commands.
fn plain(title: &str) -> String {
    let mut shown = String::with_capacity(title.len());
    let bytes = title.as_bytes();
    let argument = |at: usize| {
        let at = space(title, at);
        match bytes.get(at) {
            Some(b'{' | b'[') => balanced(title, at, LONGEST_ARGUMENT / 2),
            _ => None,
        }
    };
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'}' => at += 1,
            b'~' => {
                shown.push(' ');
                at += 1;
            }
            b'\n' | b'\r' | b'\t' => {
                shown.push(' ');
                at += 1;
            }
            b'%' => {
                at += memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |end| end + 1);
            }
            b'$' => {
                let close =
                    memchr::memchr(b'$', &bytes[at + 1..]).map_or(bytes.len(), |end| at + end + 2);
                shown.push_str(&title[at..close]);
                at = close;
            }
            b'`' if title[at..].starts_with("``") => {
                shown.push('“');
                at += 2;
            }
            b'\'' if title[at..].starts_with("''") => {
                shown.push('”');
                at += 2;
            }
            b'\\' => {
                let name = command(&title[at..]);
                let mut after = at + 1 + name.len();
                match name {
                    "" => {
                        let char = title[after..].chars().next().unwrap_or(' ');
                        after += char.len_utf8().min(title.len() - after);
                        if matches!(char, '\'' | '`' | '^' | '"' | '~') {
                            after = accent(title, after, char, &mut shown);
                        } else if matches!(char, '\\' | ' ' | ',' | ';' | ':') {
                            shown.push(' ');
                            // A new line may have a distance.
                            if char == '\\'
                                && bytes.get(after) == Some(&b'[')
                                && let Some(end) = argument(after)
                            {
                                after = end;
                            }
                        } else if !matches!(char, '/' | '-' | '!' | '(' | ')') {
                            shown.push(char);
                        }
                    }
                    "c" | "v" | "r" => {
                        let mark = match name {
                            "c" => ',',
                            "r" => 'o',
                            _ => 'v',
                        };
                        after = accent(title, space(title, after), mark, &mut shown);
                    }
                    // What they have as arguments is no part of the title.
                    "label" | "index" | "footnote" | "thanks" | "cite" | "citep" | "citet"
                    | "ref" | "footnotemark" | "color" | "hspace" | "vspace" | "protect"
                    | "href" | "textcolor" | "texorpdfstring" | "raisebox" | "eqref"
                    | "pageref" => {
                        if let Some(end) = argument(after).filter(|_| name != "protect") {
                            after = end;
                            // The first one was only an option.
                            if bytes[end - 1] == b']'
                                && let Some(end) = argument(end)
                            {
                                after = end;
                            }
                        }
                        if name == "protect" {
                            after = space(title, after);
                        }
                    }
                    "verb" => {
                        let mark = title[after..].chars().next();
                        let inside = after + mark.map_or(0, char::len_utf8);
                        let close = mark.and_then(|mark| title[inside..].find(mark));
                        if let (Some(close), Some(mark)) = (close, mark) {
                            shown.push_str(&title[inside..inside + close]);
                            after = inside + close + mark.len_utf8();
                        }
                    }
                    _ => {
                        let letters = letters(name);
                        shown.push_str(letters.unwrap_or_default());
                        // An option is not shown.
                        if bytes.get(after) == Some(&b'[')
                            && let Some(end) = argument(after)
                        {
                            after = end;
                        }
                        let next = space(title, after);
                        if bytes.get(next) != Some(&b'{') || letters.is_none() {
                            after = next;
                        }
                    }
                }
                at = after;
            }
            _ => {
                let end = title[at..].find(|char: char| "{}~\n\r\t%$`'\\".contains(char));
                let end = end.map_or(bytes.len(), |end| at + end).max(at + 1);
                shown.push_str(&title[at..end]);
                at = end;
            }
        }
    }
    let mut words = shown.split_whitespace();
    let mut joined = words.next().unwrap_or_default().to_string();
    for word in words {
        joined.push(' ');
        joined.push_str(word);
    }
    joined
}

/// Adds the letter at `at` with an accent, and returns what follows it.
fn accent(title: &str, at: usize, mark: char, shown: &mut String) -> usize {
    let rest = &title[at..];
    let inside = rest.trim_start_matches(['{', '\\']);
    let mark = if mark == '"' { ':' } else { mark };
    let Some(letter) = inside.chars().next() else {
        return at;
    };
    shown.push(accented(mark, letter).unwrap_or(letter));
    title.len() - inside.len() + letter.len_utf8()
}

/// What a command without arguments shows.
fn letters(name: &str) -> Option<&'static str> {
    Some(match name {
        "LaTeX" => "LaTeX",
        "LaTeXe" => "LaTeX2e",
        "TeX" => "TeX",
        "BibTeX" => "BibTeX",
        "XeTeX" => "XeTeX",
        "XeLaTeX" => "XeLaTeX",
        "LuaTeX" => "LuaTeX",
        "LuaLaTeX" => "LuaLaTeX",
        "ldots" | "dots" | "textellipsis" => "…",
        "textbackslash" => "\\",
        "textasciitilde" => "~",
        "textunderscore" => "_",
        "textless" => "<",
        "textgreater" => ">",
        "textbar" => "|",
        "textquotesingle" => "'",
        "textquotedbl" => "\"",
        "textasciigrave" => "`",
        "textasciicircum" => "^",
        "textendash" => "–",
        "textemdash" => "—",
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "i",
        "S" => "§",
        "copyright" => "©",
        "quad" | "qquad" | "newline" | "space" | "linebreak" => " ",
        "guillemotleft" | "og" => "«",
        "guillemotright" | "fg" => "»",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::drawn;

    #[test]
    fn titles_are_shown_without_commands() {
        assert_eq!(
            plain("The \\emph{long}~way to \\LaTeX{} \\& more"),
            "The long way to LaTeX & more"
        );
        assert_eq!(plain("Caf\\'e \\\"{u}ber $x_1$"), "Café über $x_1$");
        assert_eq!(
            plain("A\\footnote{no} \\texorpdfstring{$a$}{b}\\label{x}"),
            "A b"
        );
        assert_eq!(plain("``So'' \\textbf{it} is\\\\now"), "“So” it is now");
    }

    #[test]
    fn sections_and_environments() {
        insta::assert_snapshot!(drawn(
            &Latex,
            "\\documentclass{article}\n\\title{A guide}\n\n\\usepackage{x}\n\\begin{document}\n\\section{One}\\label{one}\nText.\n\n% \\section{no}\n\\subsubsection*{Deep\nand long} More.\n\\begin{itemize}\n\\item a\n\n  b\n\\item c\n\\begin{enumerate}\\item d\\end{enumerate}\n\\end{itemize}\n\\begin{quote}\nSaid.\n\n\\[ x \\]\n\\end{quote}\n\\begin{lstlisting}[language=Python]\n\\section{no}\n\\end{lstlisting}\n\\begin{table}\n\\begin{tabular}{l}a\\end{tabular}\n\\end{table}\n\\section{Two}\nEnd.\n\\end{document}\nrest\n"
        ));
    }
}
