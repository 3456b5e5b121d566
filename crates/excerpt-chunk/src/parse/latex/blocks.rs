//! The blocks that are made of a text: the paragraph that is read, and the environments around it.

use memchr::memmem::{self, Finder};

use crate::document::Document;
use crate::outline::Kind;
use crate::parse::closings::Closings;
use crate::parse::latex::kinds::{BARE, KEPT, LISTS};
use crate::parse::latex::syntax::{LONGEST_ARGUMENT, balanced, name};
use crate::parse::limits::DEEPEST;
use crate::parse::reader::LineReader;

/// The most tables of one name that are looked for in a table.
const MOST_INNER: usize = 24;

/// How many environments may be open at all.
const MOST_OPEN: usize = 64;

/// The blocks of a text, as they are read.
pub(super) struct Blocks<'a> {
    pub(super) base: LineReader<'a>,
    pub(super) text: &'a str,
    /// Where the paragraph begins that is being read.
    pub(super) paragraph: Option<usize>,
    pub(super) closings: Closings,
    open: Vec<Open<'a>>,
    /// How many of those have nodes.
    nodes: usize,
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

impl<'a> Blocks<'a> {
    pub(super) fn new(document: &Document<'a>) -> Self {
        let base = LineReader::new(document);
        Blocks {
            text: base.text,
            base,
            paragraph: None,
            closings: Closings::default(),
            open: Vec::new(),
            nodes: 0,
        }
    }

    pub(super) fn begin_paragraph(&mut self, at: usize) {
        self.paragraph.get_or_insert(at);
    }

    pub(super) fn end_paragraph(&mut self, end: usize) {
        if let Some(start) = self.paragraph.take() {
            self.base.builder.leaf(Kind::Paragraph, start..end);
        }
    }

    /// Whether only white space is before `at` on its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    /// A block of the text from `at` to `end`, and what is on the last line with it.
    pub(super) fn kept(&mut self, kind: Kind, at: usize, end: usize) -> usize {
        self.end_paragraph(at);
        let node = self.base.builder.leaf(kind, at..end);
        if kind == Kind::Code
            && let Some(language) = language(&self.text[at..end])
        {
            self.base.builder.label(node, language.to_lowercase());
        }
        end
    }

    /// Closes the nodes of all environments: a section ends them.
    pub(super) fn close_all(&mut self, end: usize) {
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
    pub(super) fn begin(&mut self, at: usize, after: usize) -> Option<usize> {
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
    pub(super) fn end(&mut self, after: usize) -> Option<usize> {
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
    pub(super) fn item(&mut self, at: usize, after: usize) -> Option<usize> {
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
