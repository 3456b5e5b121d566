//! Mail: one message, or the messages of a mailbox. A message is a section: its header is the
//! heading, its subject the title.

use std::borrow::Cow;
use std::ops::Range;

use crate::day::Day;
use crate::document::Document;
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::encoded::decoded;
use crate::parse::reader::{LineReader, first_line};

/// How deep the parts of a message may be nested; the boundaries of deeper ones are text.
const DEEPEST_PART: usize = 24;

/// The maximum number of lines in a signature.
const LONGEST_SIGNATURE: usize = 20;

/// The maximum length of a value that is decoded or searched, in bytes.
const LONGEST_VALUE: usize = 4096;

/// Reads mail: a message with its parts, or a mailbox.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mail;

impl Parser for Mail {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut reader = Reader {
            base: LineReader::from_start(document),
            boundaries: Vec::new(),
        };
        let all = reader.base.lines.len();
        let first = reader.base.first_text(0..all);
        if first < all && reader.begins_message(first) {
            let mut at = first;
            while at < all && !reader.base.is_full() {
                let after = first_line(at + 1..all, |line| reader.begins_message(line));
                reader.message(at..after);
                at = after;
            }
        } else {
            reader.message(first..all);
        }
        let mut outline = reader.base.finish(document, "mail");
        outline.terms.sections = &["message"];
        outline
    }
}

/// Whether a text is a mailbox: it begins with the line before a message and a field of a header.
pub(crate) fn is_shown(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.find(|line| !line.trim().is_empty());
    let field = lines.next().unwrap_or_default();
    first.is_some_and(|line| is_envelope(line) && has_time(line)) && is_field(field)
}

struct Reader<'a> {
    base: LineReader<'a>,
    /// The boundaries of the parts around a line, outermost first.
    boundaries: Vec<&'a str>,
}

/// What a header says about the text below it.
#[derive(Default)]
struct Header<'a> {
    subject: Option<Cow<'a, str>>,
    /// The type of the content, in lower case.
    content: String,
    boundary: Option<&'a str>,
    is_base64: bool,
    /// The day on which it was sent, or arrived.
    day: Option<Day>,
}

/// How the text of a part is read.
enum Body {
    Prose,
    Html,
    /// Kept as it is: a name for it, if it has one.
    Code(Option<String>),
    /// A message with a header of its own.
    Message,
}

impl<'a> Reader<'a> {
    /// Whether the message of a mailbox begins at a line.
    fn begins_message(&self, line: usize) -> bool {
        let all = self.base.lines.len();
        let text = self.base.written(line);
        is_envelope(text)
            && (line == 0 || self.base.is_blank(line - 1))
            && (has_time(text) || (line + 1 < all && is_field(self.base.written(line + 1))))
    }

    /// Reads a message.
    fn message(&mut self, lines: Range<usize>) {
        self.boundaries.clear();
        let head = self.header_end(lines.clone());
        let mut body = Body::Prose;
        if head > lines.start {
            let header = self.header(lines.start..head);
            self.base.day(lines.start, header.day);
            let title = header.subject.as_deref().unwrap_or_default();
            self.base.section(1, lines.start..head, title);
            body = self.body(&header);
        }
        self.parts(head..lines.end, body);
    }

    /// Where the header that begins at the first of some lines ends.
    fn header_end(&self, lines: Range<usize>) -> usize {
        let first = lines.start;
        let goes_on = |line| {
            let text = self.base.written(line);
            let is_folded = text.starts_with([' ', '\t']) && !self.base.is_blank(line);
            (line > first && is_folded)
                || is_field(text)
                || (line == first && self.begins_message(line))
                || text.starts_with(">From ")
        };
        first_line(lines, |line| !goes_on(line))
    }

    /// Reads the fields of a header that matter here.
    fn header(&self, lines: Range<usize>) -> Header<'a> {
        let first = self.base.written(lines.start);
        let mut header = Header {
            day: is_envelope(first).then(|| Day::first_in(first)).flatten(),
            ..Header::default()
        };
        for line in lines.clone() {
            let Some((name, value)) = self.base.written(line).split_once(':') else {
                continue;
            };
            let is = |other: &str| name.eq_ignore_ascii_case(other);
            if is("date") {
                header.day = Day::first_in(value).or(header.day);
                continue;
            }
            if !is("subject") && !is("content-type") && !is("content-transfer-encoding") {
                continue;
            }
            let after = self.base.unfolded(line + 1..lines.end);
            let start = self.base.lines[line].end - value.len();
            let end = self.base.lines[after - 1].end.max(start);
            let end = end.min(start + LONGEST_VALUE);
            let value = &self.base.text[start..self.base.text.floor_char_boundary(end)];
            if is("subject") {
                header.subject.get_or_insert_with(|| decoded(value));
            } else if is("content-type") {
                let content = value.split(';').next().unwrap_or_default().trim();
                header.content = content.to_ascii_lowercase();
                header.boundary = parameter(value, "boundary");
            } else {
                header.is_base64 = value.trim().eq_ignore_ascii_case("base64");
            }
        }
        header
    }

    /// How to read what is below a header.
    fn body(&mut self, header: &Header<'a>) -> Body {
        let (kind, name) = header.content.split_once('/').unwrap_or_default();
        if kind == "multipart" {
            if let Some(boundary) = header.boundary
                && self.boundaries.len() < DEEPEST_PART
            {
                self.boundaries.push(boundary);
            }
            return Body::Prose;
        }
        if header.is_base64 {
            return Body::Code(None);
        }
        match (kind, name) {
            ("message", "rfc822" | "global") => Body::Message,
            ("text", "html") => Body::Html,
            ("text", name) if name.starts_with("x-") => Body::Code(Some(name[2..].to_string())),
            ("" | "text" | "message", _) => Body::Prose,
            _ => Body::Code(None),
        }
    }

    /// Reads the text below a header, and the parts in it.
    fn parts(&mut self, lines: Range<usize>, mut body: Body) {
        let Range { start: mut at, end } = lines;
        while at < end && !self.base.is_full() {
            if matches!(body, Body::Message) {
                body = Body::Prose;
                let text = self.base.first_text(at..end);
                if text < end && self.boundary(text).is_none() {
                    let head = self.header_end(text..end);
                    if head > text {
                        body = self.head(text..head);
                    }
                    at = head;
                }
                continue;
            }
            let after = first_line(at..end, |line| self.boundary(line).is_some());
            let text = self.base.first_text(at..after);
            self.blocks(text..after, body);
            body = Body::Prose;
            at = after;
            let Some((level, is_last)) = (at < end).then(|| self.boundary(at)).flatten() else {
                continue;
            };
            self.boundaries.truncate(level + usize::from(!is_last));
            if is_last {
                // The mark at the end has no header.
                self.base.leaf(Kind::Rule, at..at + 1);
                at += 1;
            } else {
                let head = self.header_end(at + 1..end);
                body = self.head(at..head);
                at = head;
            }
        }
    }

    /// Reads the header of a part. It belongs to the text below it.
    fn head(&mut self, lines: Range<usize>) -> Body {
        let header = self.header(lines.clone());
        self.base.leaf(Kind::Heading, lines);
        self.body(&header)
    }

    /// Which boundary a line is, and whether it is the last one of its parts.
    fn boundary(&self, line: usize) -> Option<(usize, bool)> {
        let mark = self.base.written(line).strip_prefix("--")?;
        let mut boundaries = self.boundaries.iter().enumerate().rev();
        boundaries.find_map(|(level, boundary)| {
            let rest = mark.strip_prefix(boundary)?;
            match rest.trim() {
                "" => Some((level, false)),
                "--" => Some((level, true)),
                _ => None,
            }
        })
    }

    /// Reads the text of a part.
    fn blocks(&mut self, lines: Range<usize>, body: Body) {
        let Range { start: mut at, end } = lines;
        if at == end {
            return;
        }
        if let Body::Code(name) = body {
            let code = self.base.leaf(Kind::Code, at..end);
            if let Some(name) = name {
                self.base.builder.label(code, name);
            }
            return;
        }
        let is_html = matches!(body, Body::Html);
        while at < end && !self.base.is_full() {
            at = self.base.first_text(at..end);
            if at == end {
                break;
            }
            if is_html {
                let after = self.base.blank(at..end);
                self.base.leaf(Kind::Html, at..after);
                at = after;
                continue;
            }
            if self.begins_signature(at, end) {
                self.base.leaf(Kind::Paragraph, at..end);
                break;
            }
            let is_quoted = |line| self.base.written(line).starts_with('>');
            let (kind, after) = if is_quoted(at) {
                (Kind::Quote, first_line(at..end, |line| !is_quoted(line)))
            } else {
                let ends = |line| {
                    self.base.is_blank(line) || is_quoted(line) || self.begins_signature(line, end)
                };
                (Kind::Paragraph, first_line(at + 1..end, ends))
            };
            self.base.leaf(kind, at..after);
            at = after;
        }
    }

    /// Whether a line is the mark above a signature.
    fn begins_signature(&self, line: usize, end: usize) -> bool {
        self.base.written(line) == "--" && end - line <= LONGEST_SIGNATURE
    }
}

/// Whether a line is the first one of a message in a mailbox.
fn is_envelope(line: &str) -> bool {
    line.starts_with("From ")
}

/// Whether a line has a time such as `03:04`, as that before a message has.
fn has_time(line: &str) -> bool {
    let is_time =
        |part: &[u8]| part[2] == b':' && [0, 1, 3, 4].iter().all(|at| part[*at].is_ascii_digit());
    line.as_bytes().windows(5).any(is_time)
}

/// Whether a line is a field of a header.
pub(super) fn is_field(line: &str) -> bool {
    let length = line
        .bytes()
        .take_while(|byte| byte.is_ascii_graphic() && *byte != b':')
        .count();
    length > 0
        && line[length..]
            .trim_start_matches([' ', '\t'])
            .starts_with(':')
}

/// The value of a parameter of a field: `name=value` or `name="value"`.
fn parameter<'a>(field: &'a str, name: &str) -> Option<&'a str> {
    let starts = memchr::memchr_iter(b';', field.as_bytes()).map(|at| at + 1);
    starts.into_iter().find_map(|start| {
        let (found, value) = field[start..].split_once('=')?;
        if !found.trim().eq_ignore_ascii_case(name) {
            return None;
        }
        let value = value.trim_start();
        let value = match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next()?,
            None => value.split([';', ' ', '\t', '\r', '\n']).next()?,
        };
        let value = value.trim_end();
        (!value.is_empty()).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::listed;

    #[test]
    fn a_message_is_a_section() {
        insta::assert_snapshot!(listed(
            &Mail,
            "From: Ann <ann@example.org>\nSubject: Lunch\n\ttomorrow\n\nHi,\nat noon?\n\nOn Monday, Bob wrote:\n> When?\n>\n> Bob\nSee above.\n\n-- \nAnn\n"
        ));
    }

    #[test]
    fn each_message_of_a_mailbox_is_a_section() {
        insta::assert_snapshot!(listed(
            &Mail,
            "From ann Fri Jan  2 03:04:05 2026\nSubject: One\n\nText.\n\nFrom here on, no more.\n>From there.\n\nFrom now.\n\nFrom bob Fri Jan  2 03:04:06 2026\nTo: ann\nSubject: =?utf-8?q?Two_=C3=A9?=\n =?utf-8?b?w6k=?= three\n\nMore.\n"
        ));
    }

    #[test]
    fn a_text_that_begins_like_a_sentence_is_no_mailbox() {
        let outline = Mail.parse(&Document::new("From here on, it is safe.\n\nText.\n"), 0);
        let mut kinds = outline.nodes.iter().map(|node| node.kind);
        assert!(kinds.all(|kind| !matches!(kind, Kind::Section | Kind::Heading)));
    }

    #[test]
    fn a_part_keeps_its_header() {
        insta::assert_snapshot!(listed(
            &Mail,
            "Subject: Parts\nContent-Type: multipart/mixed;\n boundary=\"a; b\"\n\nFor old programs.\n\n--a; b\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\nPlain.\n\n--c\nContent-Type: text/html\n\n<p>Rich.</p>\n\n--c--\n\n--a; b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA\nBBBB\n\n--a; b\nContent-Type: message/rfc822\n\nSubject: Inner\n\nInside.\n--a; b--\nAfter.\n"
        ));
    }
}
