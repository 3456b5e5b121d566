//! The text of LaTeX, read command by command.

use std::ops::Range;

use crate::document::Document;
use crate::outline::Kind;
use crate::parse::header;
use crate::parse::latex::blocks::Blocks;
use crate::parse::latex::ranks::{self, Ranks, rank};
use crate::parse::latex::syntax::{
    LONGEST_ARGUMENT, after_command, balanced, command, definition, gap, line_end, space,
    uncommented, verb,
};
use crate::parse::latex::title::plain;
use crate::parse::sections;

/// The maximum length of a formula in bytes.
const LONGEST_FORMULA: usize = 20_000;

/// The commands that say something about the document.
const SAID: [&str; 4] = ["title", "author", "date", "keywords"];

/// Reads a text from its start to its end.
pub(super) struct Reader<'a> {
    pub(super) blocks: Blocks<'a>,
    /// The ranks of sections that the levels are counted by.
    ranks: Ranks,
    /// Those that were found.
    pub(super) found: Ranks,
    authors: Vec<String>,
}

impl<'a> Reader<'a> {
    /// A reader of `document`, whose sections are of these ranks.
    pub(super) fn new(document: &Document<'a>, ranks: Ranks) -> Self {
        Reader {
            blocks: Blocks::new(document),
            ranks,
            found: Ranks::default(),
            authors: Vec::new(),
        }
    }

    pub(super) fn document(&mut self) {
        let text = self.blocks.text;
        let start = match self.blocks.base.lines.first() {
            Some(line) => line.start,
            None => return,
        };
        let body = preamble(&text[start..]).map_or(start, |end| start + end);
        self.preamble(start..body);
        self.body(body);
        let authors = self.authors.iter().map(|author| &**author);
        header::add_values(&mut self.blocks.base.info, "authors", authors);
    }

    /// Reads what is above the text: settings, in blocks between blank lines.
    fn preamble(&mut self, span: Range<usize>) {
        let text = self.blocks.text;
        let mut from = None;
        for index in 0..self.blocks.base.lines.len() {
            let line = self.blocks.base.lines[index];
            if line.start >= span.end || self.blocks.base.is_full() {
                break;
            }
            match from {
                Some(start) if line.is_blank() => {
                    self.blocks
                        .base
                        .builder
                        .leaf(Kind::Definitions, start..line.start);
                    from = None;
                }
                None if !line.is_blank() => from = Some(line.start),
                _ => {}
            }
        }
        if let Some(start) = from {
            self.blocks
                .base
                .builder
                .leaf(Kind::Definitions, start..span.end);
        }
        let mut at = span.start;
        while let Some(found) = memchr::memchr2(b'\\', b'%', &text.as_bytes()[at..span.end]) {
            at += found;
            if text.as_bytes()[at] == b'%' {
                at = line_end(text, at);
                continue;
            }
            let name = command(&text[at..]);
            if SAID.contains(&name) {
                self.said(name, at + 1 + name.len());
            }
            at = after_command(text, at, name);
        }
    }

    /// Reads the text from `at` on.
    fn body(&mut self, mut at: usize) {
        let text = self.blocks.text;
        let bytes = text.as_bytes();
        let is_special = |byte: &u8| matches!(byte, b'\\' | b'%' | b'$' | b'\n');
        while at < bytes.len() && !self.blocks.base.is_full() {
            let next = bytes[at..].iter().position(is_special);
            let next = next.map_or(bytes.len(), |next| at + next);
            if self.blocks.paragraph.is_none() {
                let shown = text[at..next].trim_start();
                if !shown.is_empty() {
                    self.blocks.paragraph = Some(next - shown.len());
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
                        self.blocks.end_paragraph(at);
                        at += blank;
                    }
                }
                Some(b'%') => {
                    self.blocks.begin_paragraph(at);
                    // The end of the line is part of the comment, and not of a blank line.
                    at = line_end(text, at) - 1;
                    at = match bytes.get(at) {
                        Some(b'\n') => at,
                        _ => bytes.len(),
                    };
                }
                Some(b'$') => at = self.dollar(at),
                Some(_) => at = self.command(at),
            }
        }
        self.blocks.end_paragraph(bytes.len());
        self.blocks.close_all(bytes.len());
    }

    /// Reads a formula that begins with `$`.
    fn dollar(&mut self, at: usize) -> usize {
        let text = self.blocks.text;
        let bytes = text.as_bytes();
        if bytes.get(at + 1) == Some(&b'$') {
            let end = self.blocks.closings.after(text, "$$", at + 2);
            return match end.filter(|end| end - at <= LONGEST_FORMULA) {
                Some(end) if self.blocks.begins_line(at) => self.blocks.kept(Kind::Code, at, end),
                Some(end) => {
                    self.blocks.begin_paragraph(at);
                    end
                }
                None => {
                    self.blocks.begin_paragraph(at);
                    at + 2
                }
            };
        }
        self.blocks.begin_paragraph(at);
        let limit = bytes.len().min(at + LONGEST_ARGUMENT);
        let mut inside = at + 1;
        while let Some(found) = memchr::memchr3(b'$', b'\\', b'\n', &bytes[inside..limit]) {
            inside += found;
            match bytes[inside] {
                b'$' => return inside + 1,
                b'\\' => inside = text.ceil_char_boundary((inside + 2).min(limit)),
                _ => {
                    let rest = text[inside + 1..].trim_start_matches([' ', '\t', '\r']);
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
        let text = self.blocks.text;
        let name = command(&text[at..]);
        let after = after_command(text, at, name);
        match name {
            "" if text[at..].starts_with("\\[") => {
                let end = self.blocks.closings.after(text, "\\]", at + 2);
                if let Some(end) = end.filter(|end| end - at <= LONGEST_FORMULA) {
                    if self.blocks.begins_line(at) {
                        return self.blocks.kept(Kind::Code, at, end);
                    }
                    self.blocks.begin_paragraph(at);
                    return end;
                }
            }
            "begin" => {
                if let Some(end) = self.blocks.begin(at, after) {
                    return end;
                }
            }
            "end" => {
                if let Some(end) = self.blocks.end(after) {
                    return end;
                }
            }
            "item" | "bibitem" => {
                if let Some(end) = self.blocks.item(at, after) {
                    return end;
                }
            }
            "verb" | "lstinline" | "mintinline" => {
                self.blocks.begin_paragraph(at);
                return verb(text, after);
            }
            "iffalse" if self.blocks.begins_line(at) => {
                if let Some(end) = self.blocks.closings.after(text, "\\fi", after) {
                    return self.blocks.kept(Kind::Definitions, at, end);
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
                self.blocks.begin_paragraph(at);
                return definition(text, after);
            }
            "titleformat" | "titlespacing" | "let" | "sectionfont" | "pretocmd" | "apptocmd"
            | "patchcmd" => {
                self.blocks.begin_paragraph(at);
                let rest = text[after..].trim_start_matches(['*', '{', ' ']);
                let next = text.len() - rest.len();
                if rest.starts_with('\\') {
                    return after_command(text, next, command(rest));
                }
            }
            _ if SAID.contains(&name) => self.said(name, after),
            _ => {
                if let Some(rank) = rank(name)
                    && let Some(end) = self.section(rank, at, after)
                {
                    return end;
                }
            }
        }
        self.blocks.begin_paragraph(at);
        after
    }

    /// Reads a section whose command ends at `after`.
    fn section(&mut self, rank: usize, at: usize, after: usize) -> Option<usize> {
        let text = self.blocks.text;
        let rest = text[after..].strip_prefix('*');
        let mut end = text.len() - rest.map_or(text.len() - after, str::len);
        end = gap(text, end);
        if text[end..].starts_with('[') {
            end = gap(text, balanced(text, end, LONGEST_ARGUMENT)?);
        }
        if !text[end..].starts_with('{') {
            return None;
        }
        let close = balanced(text, end, LONGEST_ARGUMENT)?;
        let title = plain(&text[end + 1..close - 1]);
        let mut start = at;
        let mut end = close;
        // Targets that Pandoc writes around its titles belong to them.
        if let Some(from) = self.blocks.paragraph
            && at - from < LONGEST_ARGUMENT
            && text[from..at].starts_with("\\hypertarget{")
            && text[from..at].matches('\n').count() < 2
        {
            self.blocks.paragraph = None;
            start = from;
        }
        loop {
            let next = space(text, end);
            let name = command(&text[next..]);
            let argument = space(text, next + 1 + name.len());
            if matches!(name, "label" | "index") && text[argument..].starts_with('{') {
                match balanced(text, argument, LONGEST_ARGUMENT) {
                    Some(close) => end = close,
                    None => break,
                }
            } else if start < at && text[next..].starts_with('}') {
                end = next + 1;
                break;
            } else {
                break;
            }
        }
        self.blocks.end_paragraph(start);
        self.blocks.close_all(start);
        self.found[rank] = true;
        let level = ranks::level(self.ranks, rank);
        sections::open(&mut self.blocks.base.builder, level, start);
        sections::close_heading(
            &mut self.blocks.base.builder,
            &mut self.blocks.base.info,
            &title,
            end,
        );
        Some(end)
    }

    /// Keeps what a command that ends at `after` says about the document.
    fn said(&mut self, name: &str, after: usize) {
        let Some(said) = self.argument(after) else {
            return;
        };
        let info = &mut self.blocks.base.info;
        match name {
            "title" if info.title.is_none() => {
                let title = plain(said);
                info.title = (!title.is_empty()).then(|| title.into());
            }
            "author" => self.authors.extend(authors(said)),
            "date" if !said.contains('\\') => header::add_date(info, said),
            "keywords" => {
                let keywords = said.replace("\\sep", ",").replace("\\and", ",");
                let keywords = keywords.split([',', ';']).map(plain);
                let keywords: Vec<String> = keywords.collect();
                header::add_values(info, "keywords", keywords.iter().map(|word| &**word));
            }
            _ => {}
        }
    }

    /// The argument in braces of a command that ends at `after`, which may have options.
    fn argument(&self, after: usize) -> Option<&'a str> {
        let text = self.blocks.text;
        let mut at = space(text, after);
        if text[at..].starts_with('[')
            && let Some(end) = balanced(text, at, LONGEST_ARGUMENT)
        {
            at = space(text, end);
        }
        if !text[at..].starts_with('{') {
            return None;
        }
        let end = balanced(text, at, LONGEST_ARGUMENT)?;
        Some(&text[at + 1..end - 1])
    }
}

/// The names in the argument of `\author`: what follows on other lines is where they work.
fn authors(said: &str) -> Vec<String> {
    let mut said = said.to_string();
    for apart in [
        "\\thanks",
        "\\footnote",
        "\\inst",
        "\\orcidlink",
        "\\textsuperscript",
    ] {
        while let Some(at) = said.find(apart) {
            let open = at + apart.len();
            let is_open = said[open..].starts_with('{');
            let end = balanced(&said, open, LONGEST_ARGUMENT).filter(|_| is_open);
            said.replace_range(at..end.unwrap_or(open), "");
        }
    }
    for and in ["\\And", "\\AND"] {
        said = said.replace(and, "\\and");
    }
    let names = said.split("\\and").map(|author| {
        let name = author.split("\\\\").next().unwrap_or(author);
        plain(name)
    });
    names.collect()
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
