//! Pages of a manual in roff, with the macros of man(7) or mdoc(7): sections and subsections, items
//! with their tags, displays and tables.
//!
//! A line that begins with a stop or an apostrophe is a request; all others are text.

use crate::document::{Document, Link, LinkKind};
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::accent::accented;
use crate::parse::limits::DEEPEST;
use crate::parse::reader::LineReader;
use crate::text::without_byte_order_mark;

/// In how many lines the head of a page is looked for, if its name is not one of a page.
const HEAD: usize = 400;

/// Requests that only define or set something.
const SETTINGS: [&str; 40] = [
    "TH", "Dd", "Dt", "Os", "ds", "as", "nr", "rm", "rr", "rn", "als", "tr", "ad", "na", "hy",
    "nh", "ll", "if", "ie", "el", "mso", "so", "de", "de1", "am", "ig", "ss", "ps", "lg", "pl",
    "fp", "ev", "do", "pc", "UC", "UF", "ta", "IX", "BS", "BE",
];

/// What is shown of macros of mdoc(7) in a title: their arguments.
const CALLED: [&str; 43] = [
    "Ad", "An", "Ap", "Aq", "Ar", "At", "Bq", "Brq", "Bsx", "Bx", "Cd", "Cm", "Dq", "Dv", "Dx",
    "Em", "Er", "Ev", "Fa", "Fn", "Ft", "Fx", "Ic", "Li", "Ms", "Nm", "No", "Ns", "Nx", "Op", "Ox",
    "Pa", "Pq", "Ql", "Qq", "Sq", "St", "Sx", "Sy", "Tn", "Ux", "Va", "Vt",
];

/// Parses pages of a manual in roff.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Man;

impl Parser for Man {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let base = LineReader::new(document);
        let head = head((0..base.lines.len()).map(|line| base.written(line)));
        let mut reader = Reader {
            base,
            head: head.unwrap_or(0),
            open: Vec::new(),
            deeper: 0,
            ends: true,
        };
        reader.blocks();
        reader.base.finish(document, "a manual page")
    }
}

struct Reader<'a> {
    base: LineReader<'a>,
    /// The line that names the page: all above it are settings.
    head: usize,
    open: Vec<Open>,
    /// How many lists and insets are open that have no node.
    deeper: usize,
    /// Whether the definition of a macro may still end: not after one that does not.
    ends: bool,
}

/// What is open around a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// A list with an item.
    Items,
    /// Text between `.RS` and `.RE`, and whether it has a node.
    Inset(bool),
    /// A list between `.Bl` and `.El`, and whether an item of it is open.
    List(bool),
    /// Text between `.Bd` and `.Ed`.
    Display,
}

/// What a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It is a comment, or empty.
    Comment,
    /// It begins a section of this level.
    Section(u8),
    /// It begins a paragraph.
    Paragraph,
    /// It begins an item.
    Item,
    ListStart,
    ListItem,
    ListEnd,
    InsetStart,
    InsetEnd,
    DisplayStart,
    DisplayEnd,
    /// It begins lines that are kept as they are, and is followed by one of these in the end.
    Literal(&'static [&'static str]),
    Table,
    Setting,
    /// It is text, or a request within text.
    Text,
}

impl<'a> Reader<'a> {
    /// The request in a line, and its arguments.
    fn request(&self, line: usize) -> Option<(&'a str, &'a str)> {
        request(self.base.written(line))
    }

    fn role(&self, line: usize) -> Role {
        let text = self.base.written(line);
        if is_comment(text) {
            return Role::Comment;
        }
        if line < self.head {
            return Role::Setting;
        }
        let Some((name, arguments)) = request(text) else {
            return match is_bracket(text) {
                true => Role::Setting,
                false => Role::Text,
            };
        };
        match name {
            "SH" | "Sh" => Role::Section(1),
            "SS" | "Ss" => Role::Section(2),
            "PP" | "P" | "LP" | "Pp" | "Sp" => Role::Paragraph,
            "TP" | "IP" | "HP" | "AP" => Role::Item,
            "Bl" => Role::ListStart,
            "It" => Role::ListItem,
            "El" => Role::ListEnd,
            "RS" => Role::InsetStart,
            "RE" => Role::InsetEnd,
            "Bd" => match arguments.contains("-literal") || arguments.contains("-unfilled") {
                true => Role::Literal(&["Ed"]),
                false => Role::DisplayStart,
            },
            "Ed" => Role::DisplayEnd,
            "nf" | "EX" => Role::Literal(&["fi", "EE"]),
            "Vb" => Role::Literal(&["Ve"]),
            "CS" => Role::Literal(&["CE"]),
            "DS" => Role::Literal(&["DE"]),
            "EQ" => Role::Literal(&["EN"]),
            "PS" => Role::Literal(&["PE"]),
            "TS" => Role::Table,
            name if SETTINGS.contains(&name) => Role::Setting,
            _ => Role::Text,
        }
    }

    fn blocks(&mut self) {
        let end = self.base.lines.len();
        let mut at = 0;
        while at < end && !self.base.is_full() {
            // Comments and the start of a paragraph belong to what follows.
            let mut from = None;
            while at < end {
                match self.role(at) {
                    Role::Paragraph => {
                        let start = *from.get_or_insert(at);
                        if !matches!(self.request(at), Some(("Pp" | "Sp", _)))
                            && self.open.last() == Some(&Open::Items)
                        {
                            self.close_last(start);
                        }
                    }
                    Role::Comment if self.base.is_blank(at) => {}
                    Role::Comment => {
                        from.get_or_insert(at);
                    }
                    _ => break,
                }
                at += 1;
            }
            let from = from.unwrap_or(at);
            if at == end {
                if from < end {
                    self.base.leaf(Kind::Definitions, from..end);
                }
                break;
            }
            at = self.block(from, at, end);
        }
        while !self.open.is_empty() {
            self.close_last(end);
        }
    }

    /// Reads the block at the line `at`, to which the lines from `from` belong, and returns the
    /// line after it.
    fn block(&mut self, from: usize, at: usize, end: usize) -> usize {
        match self.role(at) {
            Role::Section(level) => return self.heading(level, from, at, end),
            Role::Item => return self.item(from, at, end),
            Role::ListStart => self.begin(Open::List(false), Kind::List, from),
            Role::InsetStart => {
                let is_in_item = self.open.last() == Some(&Open::Items);
                if is_in_item && self.open.len() < DEEPEST {
                    self.open.push(Open::Inset(false));
                } else {
                    self.begin(Open::Inset(true), Kind::Quote, from);
                }
            }
            Role::DisplayStart => self.begin(Open::Display, Kind::Quote, from),
            Role::ListEnd => self.finish(at, |open| matches!(open, Open::List(_))),
            Role::InsetEnd => self.finish(at, |open| matches!(open, Open::Inset(_))),
            Role::DisplayEnd => self.finish(at, |open| open == Open::Display),
            Role::ListItem => return self.list_item(from, at, end),
            Role::Literal(ends) => return self.literal(Kind::Code, ends, from, at, end),
            Role::Table => return self.literal(Kind::Table, &["TE"], from, at, end),
            Role::Setting => return self.settings(from, at, end),
            _ => return self.paragraph(from, at, end),
        }
        at + 1
    }

    /// Opens a node that lasts until a request.
    fn begin(&mut self, open: Open, kind: Kind, from: usize) {
        if self.deeper > 0 || self.open.len() >= DEEPEST {
            self.deeper += 1;
            return;
        }
        self.base.open(kind, from);
        self.open.push(open);
    }

    /// Closes the last that is open of some kind, at a line that belongs to it.
    fn finish(&mut self, at: usize, is_meant: impl Fn(Open) -> bool) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let Some(found) = self.open.iter().rposition(|open| is_meant(*open)) else {
            return;
        };
        while self.open.len() > found {
            self.close_last(at + 1);
        }
    }

    /// Closes the last that is open, which ends before a line.
    fn close_last(&mut self, line: usize) {
        let end = self.base.end_before(line);
        let nodes = match self.open.pop() {
            Some(Open::Items | Open::List(true)) => 2,
            Some(Open::Display | Open::Inset(true) | Open::List(false)) => 1,
            Some(Open::Inset(false)) | None => 0,
        };
        for _ in 0..nodes {
            self.base.close_container(end);
        }
    }

    fn heading(&mut self, level: u8, from: usize, at: usize, end: usize) -> usize {
        while !self.open.is_empty() {
            self.close_last(from);
        }
        self.deeper = 0;
        let (name, arguments) = self.request(at).unwrap_or_default();
        let is_mdoc = name.ends_with('h') || name.ends_with('s');
        let mut title = shown(arguments, is_mdoc);
        let mut after = at + 1;
        if title.is_empty() && after < end && self.role(after) == Role::Text {
            title = match self.request(after) {
                Some((_, arguments)) => shown(arguments, is_mdoc),
                None => plain(self.base.at(after)),
            };
            after += 1;
        }
        // The entries of an index belong to the title, and so does what another device shows.
        let is_title = |(name, arguments): (&str, &str)| {
            name == "IX" || (name == "el" && arguments.starts_with(".S"))
        };
        while after < end && self.request(after).is_some_and(is_title) {
            after += 1;
        }
        self.base.section(level, from..after, &title);
        after
    }

    fn item(&mut self, from: usize, at: usize, end: usize) -> usize {
        let (name, arguments) = self.request(at).unwrap_or_default();
        let is_in_item = self.open.last() == Some(&Open::Items);
        // Without a tag, it goes on with the item.
        let has_tag = name != "IP" || !shown(arguments, false).trim().is_empty();
        if self.deeper > 0 || (is_in_item && !has_tag) {
            return self.paragraph(from, at, end);
        }
        if is_in_item {
            self.base.close(from);
        } else {
            self.base.open(Kind::List, from);
            self.open.push(Open::Items);
        }
        self.base.open(Kind::Item, from);
        self.paragraph(from, at, end)
    }

    fn list_item(&mut self, from: usize, at: usize, end: usize) -> usize {
        let found = self
            .open
            .iter()
            .rposition(|open| matches!(open, Open::List(_)));
        let Some(found) = found.filter(|_| self.deeper == 0) else {
            return self.paragraph(from, at, end);
        };
        while self.open.len() > found + 1 {
            self.close_last(from);
        }
        if self.open[found] == Open::List(true) {
            self.base.close(from);
        }
        self.open[found] = Open::List(true);
        self.base.open(Kind::Item, from);
        self.paragraph(from, at, end)
    }

    /// Reads lines that are kept as they are, up to one of the requests `ends` or a section.
    fn literal(&mut self, kind: Kind, ends: &[&str], from: usize, at: usize, end: usize) -> usize {
        let mut depth = 1;
        let mut after = at + 1;
        while after < end {
            if let Some((name, _)) = self.request(after) {
                if matches!(name, "SH" | "SS" | "Sh" | "Ss") {
                    break;
                }
                depth += usize::from(name == "Bd" && ends == ["Ed"]);
                if ends.contains(&name) {
                    depth -= 1;
                }
            }
            after += 1;
            if depth == 0 {
                break;
            }
        }
        self.base.leaf(kind, from..after);
        after
    }

    /// Reads requests that set something, and the definitions of macros.
    fn settings(&mut self, from: usize, at: usize, end: usize) -> usize {
        let mut after = at;
        while after < end {
            let line = after;
            match self.role(line) {
                Role::Setting => {}
                Role::Comment => {
                    after += 1;
                    continue;
                }
                _ if matches!(
                    self.request(line),
                    Some(("" | "br" | "sp" | "in" | "ti", _))
                ) => {}
                _ => break,
            }
            after += 1;
            match self.request(line) {
                Some(request) if self.ends && closing(request).is_some() => {
                    let own = closing(request);
                    let closes = |line: &usize| {
                        let name = self.request(*line).map(|(name, _)| name);
                        name.is_some_and(|name| name == "." || Some(name) == own)
                    };
                    match (after..end).find(closes) {
                        Some(close) => after = close + 1,
                        None => self.ends = false,
                    }
                }
                Some(("TH" | "Dt", arguments)) => self.page(arguments),
                Some(("so", file)) if !file.is_empty() => {
                    let line = self.base.lines[line];
                    self.base.info.links.push(Link {
                        target: file.into(),
                        kind: LinkKind::Plain,
                        bytes: line.start..line.end,
                    });
                }
                _ => {}
            }
        }
        let after = self.without_comments(at, after);
        self.base.leaf(Kind::Definitions, from..after);
        after
    }

    /// Keeps the name of the page.
    fn page(&mut self, arguments: &str) {
        let mut words = words(arguments).into_iter().map(|word| plain(&word));
        let Some(name) = words.next().filter(|name| !name.is_empty()) else {
            return;
        };
        let name = match name.chars().any(char::is_lowercase) {
            true => name,
            false => name.to_lowercase(),
        };
        let title = match words.next().filter(|section| !section.is_empty()) {
            Some(section) => format!("{name}({section})"),
            None => name,
        };
        self.base.info.title.get_or_insert(title.into());
    }

    fn paragraph(&mut self, from: usize, at: usize, end: usize) -> usize {
        let mut after = at + 1;
        while after < end {
            match self.role(after) {
                Role::Text => {}
                Role::Comment if !self.base.is_blank(after) => {}
                // A condition, or a setting, within the text.
                Role::Setting if !matches!(self.request(after), Some(("de" | "ig" | "so", _))) => {}
                _ => break,
            }
            after += 1;
        }
        let after = self.without_comments(at, after);
        self.base.leaf(Kind::Paragraph, from..after);
        after
    }

    /// The line after the last in `at + 1..after` that is no comment, since comments belong to what
    /// follows; or after the line `at`.
    fn without_comments(&self, at: usize, after: usize) -> usize {
        let text = (at + 1..after).rfind(|line| self.role(*line) != Role::Comment);
        text.unwrap_or(at) + 1
    }
}

/// Whether a document without the name of a format is a page of a manual: a request names the page,
/// and nothing but requests and comments come before it. In a file whose name ends in the number
/// of a section, such as `tool.1`, it is enough that the text begins with one.
pub(super) fn is_shown(document: &Document<'_>) -> bool {
    let text = without_byte_order_mark(document.text());
    let mut lines = text.lines();
    if !document.path().is_some_and(is_of_section) {
        return head(lines.take(HEAD)).is_some();
    }
    let first = lines.clone().find(|line| !line.trim_end().is_empty());
    first.is_some_and(|line| is_comment(line) || request(line).is_some()) && lines.any(names_page)
}

/// Whether a path ends in the number of a section of the manual: `tool.1`, `tool.3pm`.
fn is_of_section(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let mut chars = ending.chars();
        let is_section = matches!(chars.next(), Some('1'..='9'));
        !stem.is_empty() && is_section && chars.all(|char| char.is_ascii_alphabetic())
    })
}

/// Whether a line is the request that names a page.
fn names_page(line: &str) -> bool {
    let names =
        |(name, arguments): (&str, &str)| matches!(name, "TH" | "Dd") && !arguments.is_empty();
    request(line).is_some_and(names)
}

/// The first of some lines that names the page, if only requests, comments, and what belongs to
/// them come before it: the definitions of macros, and the text that a condition applies to.
fn head<'a>(lines: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut own = None;
    let mut depth = 0_usize;
    let mut goes_on = false;
    for (at, line) in lines.enumerate() {
        let line = line.trim_end();
        let request = request(line);
        if let Some(close) = own {
            own = own.filter(|_| !request.is_some_and(|(name, _)| name == "." || name == close));
            continue;
        }
        if names_page(line) {
            return Some(at);
        }
        if is_comment(line) {
            continue;
        }
        if request.is_none() && depth == 0 && !goes_on && !is_bracket(line) {
            return None;
        }
        own = request.and_then(closing);
        depth = (depth + line.matches(r"\{").count()).saturating_sub(line.matches(r"\}").count());
        goes_on = line.ends_with('\\');
    }
    None
}

/// The request that ends the lines after a request, if it defines a macro or leaves lines out.
fn closing<'a>((name, arguments): (&str, &'a str)) -> Option<&'a str> {
    let at = match name {
        "de" | "de1" | "dei" | "dei1" | "am" | "am1" | "ami" | "ami1" => 1,
        "ig" => 0,
        _ => return None,
    };
    let words = arguments.split_whitespace();
    let mut words = words.take_while(|word| !word.starts_with("\\\""));
    Some(words.nth(at).unwrap_or("."))
}

/// Whether a line begins or ends what a condition above it applies to.
fn is_bracket(line: &str) -> bool {
    line.starts_with(r"\{") || line.starts_with(r"\}")
}

/// The request in a line, and its arguments.
fn request(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(['.', '\''])?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let end = rest.find([' ', '\t', '\\', '\r']).unwrap_or(rest.len());
    let (name, arguments) = (&rest[..end], rest[end..].trim());
    // A title or a tag may depend on the device.
    if matches!(name, "ie" | "if")
        && let Some(inner) = arguments.strip_prefix("n .")
        && inner.starts_with(['S', 'I', 'T'])
        && let Some((inner, arguments)) = inner.split_once(' ')
        && matches!(inner, "SH" | "SS" | "IP" | "TP")
    {
        return Some((inner, arguments.trim()));
    }
    Some((name, arguments))
}

/// Whether a line is blank, or a comment.
fn is_comment(line: &str) -> bool {
    let rest = line.strip_prefix(['.', '\'']).unwrap_or(line).trim();
    rest.is_empty() || rest.starts_with("\\\"") || rest.starts_with("\\#")
}

/// The arguments of a request, without the quotes around them.
fn words(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = arguments.trim_start();
    while !rest.is_empty() {
        let mut word = String::new();
        if let Some(inside) = rest.strip_prefix('"') {
            rest = inside;
            loop {
                let close = rest.find('"').unwrap_or(rest.len());
                word.push_str(&rest[..close]);
                rest = rest.get(close + 1..).unwrap_or_default();
                match rest.strip_prefix('"') {
                    Some(after) => {
                        word.push('"');
                        rest = after;
                    }
                    None => break,
                }
            }
        } else {
            let bytes = rest.as_bytes();
            let mut end = 0;
            while end < bytes.len() && !matches!(bytes[end], b' ' | b'\t') {
                // A space may be escaped.
                end += 1 + usize::from(bytes[end] == b'\\');
            }
            let end = rest.ceil_char_boundary(end.min(rest.len()));
            word.push_str(&rest[..end]);
            if word.starts_with("\\\"") {
                break;
            }
            rest = &rest[end..];
        }
        words.push(word);
        rest = rest.trim_start();
    }
    words
}

/// The arguments of a request as a title shows them.
fn shown(arguments: &str, is_mdoc: bool) -> String {
    let mut title = String::new();
    let mut before = "";
    let words = words(arguments);
    for word in &words {
        if is_mdoc && (CALLED.contains(&&**word) || word == "Fl") {
            before = word;
            continue;
        }
        let is_mark = is_mdoc && matches!(&**word, "." | "," | ":" | ";" | ")" | "?" | "!");
        if !title.is_empty() && !is_mark && before != "Ns" {
            title.push(' ');
        }
        if before == "Fl" {
            title.push('-');
        }
        title.push_str(&plain(word));
        if before == "Fn" {
            title.push_str("()");
        }
        before = "";
    }
    title.trim().to_string()
}

/// A text without escapes.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        shown.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(escape) = rest.chars().next() else {
            return shown;
        };
        rest = &rest[escape.len_utf8()..];
        match escape {
            '"' | '#' => return shown,
            'f' | 'F' | 'm' | 'M' | 'n' | 'g' | 'k' | 'V' | 'Y' => {
                rest = name(rest).1;
            }
            '*' => {
                let (name, after) = name(rest);
                shown.push_str(match name {
                    "lq" => "“",
                    "rq" => "”",
                    "C+" => "C++",
                    "--" => "—",
                    _ => named(name).unwrap_or_default(),
                });
                rest = after;
            }
            's' => rest = after_size(rest),
            '(' | '[' => {
                let (name, after) = match escape {
                    '(' => name(&text[text.len() - rest.len() - 1..]),
                    _ => rest.split_once(']').unwrap_or((rest, "")),
                };
                if let Some(text) = named(name) {
                    shown.push_str(text);
                } else if let Some(char) = character(name) {
                    shown.push(char);
                }
                rest = after;
            }
            'v' | 'h' | 'w' | 'l' | 'L' | 'o' | 'D' | 'b' | 'X' | 'Z' | 'N' | 'x' | 'H' | 'S' => {
                let mark = rest.chars().next().unwrap_or('\'');
                let inside = &rest[mark.len_utf8().min(rest.len())..];
                rest = inside.split_once(mark).map_or("", |(_, after)| after);
            }
            ' ' | '~' | '0' | 't' => shown.push(' '),
            'e' | 'E' | '\\' => shown.push('\\'),
            '&' | '|' | '^' | '/' | ',' | '!' | '%' | ':' | 'c' | '{' | '}' | 'u' | 'd' | 'r'
            | 'p' | 'a' | ')' => {}
            other => shown.push(other),
        }
    }
    shown.push_str(rest);
    shown
}

/// The name at the start of the text: a character, or `(` with two of them, or `[` up to `]`.
fn name(text: &str) -> (&str, &str) {
    if let Some(inside) = text.strip_prefix('[') {
        return inside.split_once(']').unwrap_or((inside, ""));
    }
    let (inside, count) = match text.strip_prefix('(') {
        Some(inside) => (inside, 2),
        None => (text, 1),
    };
    let end = inside
        .char_indices()
        .nth(count)
        .map_or(inside.len(), |(end, _)| end);
    inside.split_at(end)
}

/// What follows the size at the start of the text.
fn after_size(text: &str) -> &str {
    let rest = text.trim_start_matches(['+', '-']);
    if rest.starts_with(['[', '(']) {
        return name(rest).1;
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_two = rest.len() == text.len() && rest.starts_with(['1', '2', '3']);
    &rest[digits.min(if is_two { 2 } else { 1 })..]
}

/// What stands for a character with a name.
fn named(name: &str) -> Option<&'static str> {
    Some(match name {
        "em" => "—",
        "en" => "–",
        "hy" | "mi" => "-",
        "bu" => "•",
        "aq" => "'",
        "dq" => "\"",
        "lq" => "“",
        "rq" => "”",
        "oq" => "‘",
        "cq" => "’",
        "ga" => "`",
        "ha" => "^",
        "ti" => "~",
        "rs" => "\\",
        "sl" => "/",
        "ba" => "|",
        "co" => "©",
        "rg" => "®",
        "tm" => "™",
        "->" => "→",
        "Fo" => "«",
        "Fc" => "»",
        "ss" => "ß",
        "ae" => "æ",
        "/o" => "ø",
        "/O" => "Ø",
        "oa" => "å",
        "oA" => "Å",
        "/l" => "ł",
        "/L" => "Ł",
        _ => return None,
    })
}

/// The character with a name that tells its accent or its number.
fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('u')
        && let Ok(number) = u32::from_str_radix(number, 16)
    {
        return char::from_u32(number);
    }
    let mut chars = name.chars();
    let (mark, letter) = (chars.next()?, chars.next()?);
    accented(mark, letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::drawn;

    #[test]
    fn titles_are_shown_without_escapes() {
        let title = |arguments| shown(arguments, false);
        assert_eq!(title("\"The \\fBrun\\fR command\""), "The run command");
        assert_eq!(title("git\\-like \\(em \\s-1TOOLS\\s0"), "git-like — TOOLS");
        assert_eq!(title("\"say \"\"no\"\"\" \\\" comment"), "say \"no\"");
        assert_eq!(title(""), "");
        assert_eq!(
            shown("The Ic run command with Fl x ,", true),
            "The run command with -x,"
        );
    }

    #[test]
    fn any_request_may_come_before_the_one_that_names_the_page() {
        let is_shown = |text: &str| is_shown(&Document::new(text));
        for before in [
            "",
            "'\\\" t\n.\\\" a comment\n",
            ".\\\" generated\n.de Sp\n.if t .sp\nText\n..\n",
            ".\\\" generated\n.if \\n(.H>23 .if \\n(.V>19 \\\n\\{\\\n.    ds A a\n.\\}\n.pc\n",
            ".ds CF configuration file\n",
            ".lf 1 stdin\n",
            ".hw Xt-Call\n.na\n",
            ".ie \"a\"b\" \\{\\\n. ftr V B\ntext\n.\\}\n",
            ".de XX YY\n.TH OTHER 1\n.YY\n.XX\n",
            ".ig ZZ\nText\n.ZZ\n\n.OWN macro\n",
        ] {
            assert!(is_shown(&format!("{before}.TH TOOL 1\n")), "{before}");
            assert!(is_shown(&format!("{before}.Dd today\n")), "{before}");
        }
        assert!(!is_shown(".env\n.git\n"));
        assert!(!is_shown("Text\n.TH TOOL 1\n"));
        assert!(!is_shown(".ds a b\nText\n.TH TOOL 1\n"));
        assert!(!is_shown(".ig\n.TH TOOL 1\n"));
        assert!(!is_shown(".TH\n"));
        assert!(!is_shown(""));
    }

    #[test]
    fn a_file_named_after_a_section_is_a_page_if_it_begins_with_a_request() {
        let shown = |path, text| is_shown(&Document::new(text).with_path(path));
        let page = "'\\\" t\n.OWN\ntext of a macro\n.TH TOOL 1\n";
        for path in ["tool.1", "man/tool.3pm", "a.b.8"] {
            assert!(shown(path, page), "{path}");
        }
        for path in ["tool.10", "tool.1.txt", ".1", "tool.x1"] {
            assert!(!shown(path, page), "{path}");
        }
        assert!(!shown("tool.1", "x = 1\n.TH TOOL 1\n"));
    }

    #[test]
    fn what_is_above_the_name_of_a_page_is_one_block() {
        let text = ".hw Xt-Call\n.ie n \\{\\\n. ftr V B\n.\\}\n.TH TOOL 1\n.SH NAME\ntool\n";
        let outline = Man.parse(&Document::new(text), 0);
        let head = &outline.nodes[1];
        assert_eq!(head.kind, Kind::Definitions);
        assert!(text[head.span.clone()].ends_with(".TH TOOL 1\n"));
    }

    #[test]
    fn blocks_of_man() {
        insta::assert_snapshot!(drawn(
            &Man,
            ".\\\" made by hand\n.TH TOOL 1 today\n.SH NAME\ntool \\- does it\n.SH OPTIONS\n.TP\n.B \\-a\nall\n.RS\n.PP\nmore\n.RE\n.TP\n.B \\-b\nboth\n.PP\nEnd.\n.\\\" note\n.SS Files\n.nf\na  b\n.fi\n.TS\na\tb\n.TE\n.so man1/x.1\n"
        ));
    }

    #[test]
    fn blocks_of_mdoc() {
        insta::assert_snapshot!(drawn(
            &Man,
            ".Dd today\n.Dt TOOL 1\n.Sh NAME\n.Nm tool\n.Sh OPTIONS\n.Bl -tag\n.It Fl a\nall\n.Bd -literal\nx\n.Ed\n.It Fl b\n.Bl -bullet\n.It\none\n.El\n.El\n.Pp\nEnd.\n"
        ));
    }
}
