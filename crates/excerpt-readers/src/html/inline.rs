//! The text of a block: [`Inline`] collapses white space as browsers do, and writes links and code
//! as Markdown does.

use super::page::{Page, Surroundings};
use super::tree::{Attribute, Tag, holds};

/// How long an address of a link may be. Longer ones are data.
const ADDRESS: usize = 1_000;

/// Which links are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InlineLinks {
    /// All that lead anywhere.
    All,
    /// Those that lead out of the file.
    Outward,
}

/// The text of a block that is being read.
#[derive(Debug)]
pub(super) struct Inline {
    text: String,
    /// Whether white space is before what comes next.
    is_spaced: bool,
    frames: Vec<Frame>,
    links: InlineLinks,
}

/// An element that is open.
#[derive(Debug)]
struct Frame {
    /// The node after it.
    end: usize,
    /// Where its text begins; `None` if the block ended in it.
    start: Option<usize>,
    kind: InlineKind,
}

#[derive(Debug)]
enum InlineKind {
    /// A link and its address.
    Link(String),
    Code {
        /// The address, if all of it is one link.
        link: Option<(usize, usize, String)>,
    },
    /// What ends with this text.
    Closed(&'static str),
}

impl Inline {
    pub(super) fn new(links: InlineLinks) -> Self {
        Inline {
            text: String::new(),
            is_spaced: false,
            frames: Vec::new(),
            links,
        }
    }

    /// The text up to here. What is open goes on in the next block.
    pub(super) fn take(&mut self) -> String {
        for frame in &mut self.frames {
            frame.start = None;
        }
        self.is_spaced = false;
        std::mem::take(&mut self.text)
    }

    /// White space.
    pub(super) fn space(&mut self) {
        self.is_spaced = true;
    }

    /// A node that is left out.
    pub(super) fn leave_out(&mut self, page: &Page, at: usize) {
        if page.tree.nodes[at].tag.is_some_and(Tag::is_replaced) {
            self.space();
        }
    }

    /// A text. White space is one space, and what is not seen is left out.
    pub(super) fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let is_end = |c: char| c.is_whitespace() || is_unseen(c);
            let end = rest.find(is_end).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if end == 0 {
                self.is_spaced |= c.is_whitespace();
                rest = &after[c.len_utf8()..];
                continue;
            }
            self.word(word);
            rest = after;
        }
    }

    fn word(&mut self, word: &str) {
        if self.is_spaced && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        self.is_spaced = false;
        self.text.push_str(word);
    }

    /// A new line.
    fn line(&mut self) {
        self.is_spaced = false;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Ends what ends before a node.
    pub(super) fn close_before(&mut self, at: usize) {
        while self.frames.last().is_some_and(|frame| frame.end <= at) {
            if let Some(frame) = self.frames.pop() {
                self.close(frame);
            }
        }
    }

    fn close(&mut self, frame: Frame) {
        let Some(start) = frame.start else {
            return;
        };
        match frame.kind {
            InlineKind::Closed(text) => self.text.push_str(text),
            InlineKind::Link(href) => {
                let start = self.begin(start);
                let text = self.text[start..].trim_end();
                let around = self.frames.last_mut().map(|frame| &mut frame.kind);
                if let Some(InlineKind::Code { link }) = around {
                    *link = Some((start, start + text.len(), href));
                    return;
                }
                let linked = linked(text, &href);
                self.replace(start, &linked);
            }
            InlineKind::Code { link } => {
                let start = self.begin(start);
                let code = self.text[start..].trim_end();
                let link = link.filter(|(from, to, _)| (*from, *to) == (start, start + code.len()));
                let mut marked = marked(code);
                if let Some((_, _, href)) = link {
                    marked = linked(&marked, &href);
                }
                // Two codes without anything between them are one.
                let mut start = start;
                let before = &self.text[..start];
                if marked.starts_with('`') && before.ends_with('`') {
                    match marked.starts_with("``") || before.ends_with("``") {
                        true => marked.insert(0, ' '),
                        false => {
                            start -= 1;
                            marked.remove(0);
                        }
                    }
                }
                self.replace(start, &marked);
            }
        }
    }

    /// Another text in place of the one from `start` on. A new line at its end stays.
    fn replace(&mut self, start: usize, text: &str) {
        let is_line = self.text[start..].ends_with('\n');
        self.text.truncate(start);
        self.text.push_str(text);
        if is_line {
            self.line();
        }
    }

    /// Where the text from `start` on begins after white space.
    fn begin(&self, start: usize) -> usize {
        let text = &self.text[start.min(self.text.len())..];
        self.text.len() - text.trim_start().len()
    }

    fn open(&mut self, end: usize, kind: InlineKind) {
        let start = Some(self.text.len());
        self.frames.push(Frame { end, start, kind });
    }

    /// A node that is part of a block. The next node to read.
    pub(super) fn node(&mut self, page: &Page, at: usize) -> usize {
        let tree = &page.tree;
        let node = tree.nodes[at];
        let Some(tag) = node.tag else {
            self.push(tree.text(at));
            return at + 1;
        };
        let is_code = |frame: &Frame| matches!(frame.kind, InlineKind::Code { .. });
        let is_in_code = self.frames.iter().any(is_code);
        let end = node.end;
        match tag {
            Tag::Br if is_in_code => self.space(),
            Tag::Br => self.line(),
            Tag::Img => {
                let alt = tree.attribute(at, Attribute::Alt).unwrap_or_default();
                if is_description(alt) {
                    self.push(alt);
                }
            }
            Tag::A => {
                // A link in a link ends it.
                for frame in &mut self.frames {
                    if matches!(frame.kind, InlineKind::Link(_)) {
                        frame.start = None;
                    }
                }
                let href = tree.attribute(at, Attribute::Href).unwrap_or_default();
                if let Some(href) = address(href, self.links) {
                    self.open(end, InlineKind::Link(href));
                }
            }
            Tag::Code | Tag::Tt | Tag::Kbd | Tag::Samp if !is_in_code => {
                self.open(end, InlineKind::Code { link: None });
            }
            Tag::Q => {
                self.push("“");
                self.open(end, InlineKind::Closed("”"));
            }
            Tag::Sup if !is_in_code && self.is_power(page, at) => self.text.push('^'),
            Tag::Math => {
                if let Some(formula) = formula(page, at) {
                    self.push(&formula);
                    return end;
                }
            }
            _ => (),
        }
        at + 1
    }

    /// Whether a raised text would become part of the number before it.
    fn is_power(&self, page: &Page, at: usize) -> bool {
        let is_number = |c: char| c.is_ascii_alphanumeric() || c == ')';
        if self.is_spaced || !self.text.ends_with(is_number) {
            return false;
        }
        let node = page.tree.nodes[at];
        if node.holds & holds::LINK != 0 || node.end - at > 4 {
            return false;
        }
        let text = page.tree.raw_text(at);
        let text = text.trim_start_matches(['-', '−', '+']);
        let is_letter = text.len() == 1 && text.starts_with(|c: char| c.is_ascii_alphabetic());
        is_letter || !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
    }
}

/// The text of an element in one block.
pub(super) fn inline_of(page: &Page, at: usize, links: InlineLinks) -> String {
    let mut inline = Inline::new(links);
    let end = page.tree.nodes[at].end;
    let mut next = match page.tree.nodes[at].tag {
        Some(_) => at + 1,
        None => at,
    };
    let mut blocks: Vec<usize> = Vec::new();
    while next < end {
        inline.close_before(next);
        while blocks.last().is_some_and(|end| *end <= next) {
            blocks.pop();
            inline.space();
        }
        if page.is_left_out(next, Surroundings::Text) {
            inline.leave_out(page, next);
            next = page.tree.nodes[next].end;
            continue;
        }
        let node = page.tree.nodes[next];
        if node.tag.is_some_and(Tag::is_block) {
            inline.space();
            blocks.push(node.end);
            next += 1;
            continue;
        }
        next = inline.node(page, next);
    }
    inline.close_before(end);
    inline.take()
}

/// Characters that are not seen: soft hyphens, marks of width zero, controls.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}') || c.is_control()
}

/// Whether the text in place of an image describes it.
fn is_description(alt: &str) -> bool {
    let alt = alt.trim();
    let is_file = !alt.contains(char::is_whitespace)
        && alt.rsplit_once('.').is_some_and(|(_, ending)| {
            let known = [
                "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "ico", "tif",
            ];
            known.iter().any(|known| known.eq_ignore_ascii_case(ending))
        });
    let is_kind = ["", "icon", "image", "img", "logo", "photo"]
        .iter()
        .any(|kind| kind.eq_ignore_ascii_case(alt));
    !is_file && !is_kind && !alt.starts_with("data:")
}

/// The address of a link as Markdown writes it; `None` if it leads nowhere.
fn address(href: &str, links: InlineLinks) -> Option<String> {
    let href = href.trim();
    let scheme = href.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let scheme = scheme.filter(|scheme| scheme.chars().all(is_scheme));
    let scheme = scheme.map(str::to_ascii_lowercase);
    let leads_nowhere = match scheme.as_deref() {
        Some("javascript" | "data" | "vbscript" | "about" | "blob") => true,
        Some(_) => false,
        None => links == InlineLinks::Outward && !href.starts_with("//"),
    };
    if leads_nowhere || href.is_empty() || href == "#" || href.len() > ADDRESS {
        return None;
    }
    let mut depth = 0_usize;
    let is_balanced = href.chars().all(|c| match c {
        '(' => {
            depth += 1;
            true
        }
        ')' => {
            let is_open = depth > 0;
            depth = depth.saturating_sub(1);
            is_open
        }
        _ => true,
    }) && depth == 0;
    let mut address = String::with_capacity(href.len());
    for c in href.chars() {
        match c {
            '(' if !is_balanced => address.push_str("%28"),
            ')' if !is_balanced => address.push_str("%29"),
            '<' => address.push_str("%3C"),
            '>' => address.push_str("%3E"),
            '|' => address.push_str("%7C"),
            ' ' => address.push_str("%20"),
            c if c.is_whitespace() || is_unseen(c) => (),
            c => address.push(c),
        }
    }
    Some(address)
}

/// A text with its link.
fn linked(text: &str, href: &str) -> String {
    let is_address = text == href || href.strip_prefix("mailto:") == Some(text);
    if text.is_empty() || is_address {
        return text.to_string();
    }
    let mut depth = 0_i32;
    let mut is_balanced = true;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => (),
        }
        is_balanced &= depth >= 0;
    }
    match is_balanced && depth == 0 {
        true => format!("[{text}]({href})"),
        false => {
            let text = text.replace('[', "\\[").replace(']', "\\]");
            format!("[{text}]({href})")
        }
    }
}

/// Code in a line.
pub(super) fn marked(code: &str) -> String {
    if code.is_empty() {
        return String::new();
    }
    let code = code.replace('\n', " ");
    let longest = crate::markdown::longest_run(&code, '`');
    let fence = "`".repeat(if longest == 0 { 1 } else { longest + 1 });
    match code.starts_with('`') || code.ends_with('`') {
        true => format!("{fence} {code} {fence}"),
        false => format!("{fence}{code}{fence}"),
    }
}

/// A formula as TeX, if the page has it.
fn formula(page: &Page, at: usize) -> Option<String> {
    let tree = &page.tree;
    let mut inside = at..tree.nodes[at].end;
    let is_tex = |at: &usize| {
        let encoding = tree.attribute(*at, Attribute::Encoding).unwrap_or_default();
        tree.nodes[*at].tag == Some(Tag::Annotation) && encoding.to_lowercase().contains("tex")
    };
    let tex = inside.find(is_tex).map(|at| tree.raw_text(at));
    let tex = tex.or_else(|| tree.attribute(at, Attribute::Alttext).map(str::to_string))?;
    let tex = crate::markdown::one_line(&tex);
    (!tex.is_empty()).then(|| format!("${tex}$"))
}
