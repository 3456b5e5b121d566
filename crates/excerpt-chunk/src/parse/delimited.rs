//! Delimiters: places where the text itself says that one entry ends and another begins. They are
//! added to the outline of the text's own format, so anything too large between two of them is
//! still split at paragraphs, rows and sentences.

use std::ops::Range;

use memchr::memchr_iter;

use crate::delimiter::Delimiter;
use crate::outline::{Kind, Outline};
use crate::text::is_fence;

/// Which matches of a pattern are delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// All but those in fences, tables and front matter: the pattern was asked for.
    Asked,
    /// Those outside of code, tables, headings and front matter: the pattern is a convention.
    Conventional,
    /// Of these, only lines between blank lines. In plain text, a line of punctuation next to text
    /// is more likely the underline of a heading, or a mark around a block.
    Apart,
}

/// Marks each match of the configured `delimiter`, except empty ones.
pub(crate) fn mark_asked(outline: &mut Outline, text: &str, delimiter: &Delimiter) {
    let found = delimiter.find_iter(text);
    outline.delimiters = delimiters(outline, text, found, Which::Asked).collect();
    if outline.delimiters.is_empty() {
        let note = format!("the delimiter `{}` matches nothing", delimiter.as_str());
        outline.fallbacks.push(note);
    }
}

/// Marks each line of one kind that separates parts.
pub(crate) fn mark_rule_lines(outline: &mut Outline, text: &str, line: &RuleLine, which: Which) {
    outline.delimiters = delimiters(outline, text, line.find_iter(text), which).collect();
}

/// Those of the ranges `found` that are delimiters, in order.
fn delimiters<'a>(
    outline: &'a Outline,
    text: &'a str,
    found: impl Iterator<Item = Range<usize>> + 'a,
    which: Which,
) -> impl Iterator<Item = Range<usize>> + 'a {
    // Source code read as lines consists of blocks of code.
    let source = outline.nodes.len() > 1
        && outline.nodes[1..]
            .iter()
            .all(|node| node.kind == Kind::Code && node.label.is_none());
    let closed = outline.nodes.iter().filter(move |node| match node.kind {
        Kind::Code if which == Which::Asked => is_fenced(&text[node.span.clone()]),
        Kind::Code => !source,
        Kind::Heading => which != Which::Asked,
        Kind::Table | Kind::FrontMatter => true,
        _ => false,
    });
    let mut closed = closed.map(|node| (node.span.start, written(text, &node.span)));
    let mut next = closed.next();
    let body = outline.nodes[0].span.start;
    found.filter(move |found| {
        while next
            .as_ref()
            .is_some_and(|(_, written)| written.end <= found.start)
        {
            next = closed.next();
        }
        let inside = next.as_ref().is_some_and(|(start, written)| {
            written.start <= found.start || (*start <= found.start && written.start < found.end)
        });
        !inside
            && found.start >= body
            && !found.is_empty()
            && (which != Which::Apart || is_apart(text, found.clone()))
    })
}

/// The bytes of a block without the blank lines around it, which are not part of it.
fn written(text: &str, block: &Range<usize>) -> Range<usize> {
    let part = &text[block.clone()];
    let start = block.end - part.trim_start().len();
    start..start.max(block.start + part.trim_end().len())
}

/// Whether a block of code is written between fences.
fn is_fenced(block: &str) -> bool {
    let mark = block.trim_start_matches(['\n', '\r', ' ', '\t', '>']);
    is_fence(mark)
}

/// Whether the lines before and after those of `range` are blank, or do not exist.
fn is_apart(text: &str, range: Range<usize>) -> bool {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let before = before.rsplit('\n').nth(1).unwrap_or_default();
    let after = after.split('\n').nth(1).unwrap_or_default();
    before.trim().is_empty() && after.trim().is_empty()
}

/// The text without the underlines of headings that are delimiters: they are blank lines. `None`
/// if there are none.
pub(crate) fn without_underlines(
    outline: &Outline,
    text: &str,
    delimiter: &Delimiter,
) -> Option<String> {
    let headings = outline.nodes.iter();
    let headings = headings.filter(|node| node.kind == Kind::Heading);
    let mut headings = headings.filter_map(|node| {
        let end = node.span.start + text[node.span.clone()].trim_end().len();
        let line = memchr::memrchr(b'\n', &text.as_bytes()[node.span.start..end])?;
        let line = node.span.start + line + 1..end;
        let underline = &text[line.clone()];
        let drawn = underline
            .trim_matches([' ', '\t', '=', '-', '>'])
            .is_empty();
        drawn.then_some(line)
    });
    let mut next = headings.next();
    let mut bare = text.to_string();
    let mut found = false;
    for delimiter in delimiters(outline, text, delimiter.find_iter(text), Which::Asked) {
        while next
            .as_ref()
            .is_some_and(|line| line.end <= delimiter.start)
        {
            next = headings.next();
        }
        let Some(line) = next.take_if(|line| line.start <= delimiter.start) else {
            continue;
        };
        next = headings.next();
        let marks = text[line.clone()].replace(['=', '-'], " ");
        bare.replace_range(line, &marks);
        found = true;
    }
    found.then_some(bare)
}

/// A kind of line that conventionally separates parts of a text.
pub(crate) struct RuleLine {
    form: Form,
    /// The name for lines of this kind.
    pub(crate) name: &'static str,
    /// Whether the line belongs to the text after it; otherwise it only separates.
    pub(crate) opens: bool,
}

/// What a rule line looks like.
#[derive(Clone, Copy)]
enum Form {
    /// At least three of this character, and nothing else but white space after them.
    Drawn(u8),
    /// Begins with an HTML anchor.
    Anchor,
}

const RULE_LINES: [RuleLine; 4] = [
    RuleLine {
        form: Form::Drawn(b'-'),
        name: "lines of dashes",
        opens: false,
    },
    RuleLine {
        form: Form::Drawn(b'='),
        name: "lines of equals signs",
        opens: false,
    },
    RuleLine {
        form: Form::Anchor,
        name: "HTML anchors",
        opens: true,
    },
    RuleLine {
        form: Form::Drawn(b'*'),
        name: "lines of asterisks",
        opens: false,
    },
];

impl RuleLine {
    /// The lines of this kind in `text` without their line ends; of an anchor, its beginning.
    fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let form = self.form;
        let after = memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
        let starts = std::iter::once(0).chain(after);
        starts.filter_map(move |start| {
            let length = match form {
                Form::Drawn(mark) => drawn(&text[start..], mark),
                Form::Anchor => anchor(&text[start..]),
            };
            Some(start..start + length?)
        })
    }
}

/// Whether a line is of one of the kinds that are drawn.
pub(crate) fn is_rule_line(line: &str) -> bool {
    RULE_LINES.iter().any(|rule| match rule.form {
        Form::Drawn(mark) => drawn(line, mark).is_some(),
        Form::Anchor => false,
    })
}

/// The length of the line that `text` begins with, if it is drawn with `mark`.
fn drawn(text: &str, mark: u8) -> Option<usize> {
    let marks = text.bytes().take_while(|byte| *byte == mark).count();
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let drawn = marks + text.bytes().skip(marks).take_while(blank).count();
    let rest = &text[drawn..];
    let end = usize::from(rest.starts_with('\r'));
    let ends = rest[end..].is_empty() || rest[end..].starts_with('\n');
    (marks >= 3 && ends).then_some(drawn + end)
}

/// The length of `<a name=` at the start of `text`.
fn anchor(text: &str) -> Option<usize> {
    let attribute = text.strip_prefix("<a")?;
    let named = attribute.trim_start();
    let spaced = named.len() < attribute.len();
    let value = named.strip_prefix("name=").filter(|_| spaced)?;
    Some(text.len() - value.len())
}

/// The first kind of line that separates the text at least `least` times, which of these lines do,
/// and how many there are. An anchor is no mark around text, so it need not be apart from it.
pub(crate) fn rule_lines(
    outline: &Outline,
    text: &str,
    which: Which,
    least: usize,
) -> Option<(&'static RuleLine, Which, usize)> {
    RULE_LINES.iter().find_map(|line| {
        let which = if line.opens {
            Which::Conventional
        } else {
            which
        };
        let count = delimiters(outline, text, line.find_iter(text), which).count();
        (count >= least).then_some((line, which, count))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rule_lines_are_those_of_their_patterns(
            text in "([-=*]{1,4}|[ \\t]|\r|\n|\r\n|x|<a|name=|\u{3000}){0,40}",
        ) {
            let patterns = [
                r"(?m)^---+[ \t]*\r?$",
                r"(?m)^===+[ \t]*\r?$",
                r"(?m)^<a\s+name=",
                r"(?m)^\*\*\*+[ \t]*\r?$",
            ];
            for (line, pattern) in RULE_LINES.iter().zip(patterns) {
                let pattern = regex::Regex::new(pattern).unwrap();
                let expected: Vec<_> = pattern.find_iter(&text).map(|found| found.range()).collect();
                let found: Vec<_> = line.find_iter(&text).collect();
                prop_assert_eq!(found, expected, "{}", line.name);
            }
        }
    }
}
