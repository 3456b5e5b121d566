//! Delimiters: places where the text itself says that one entry ends and another begins. They are
//! added to the outline of the text's own format, so anything too large between two of them is
//! still split at paragraphs, rows and sentences.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::outline::{Kind, Outline};

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

/// Marks each match of `pattern` as a delimiter, except empty ones.
pub(crate) fn mark(outline: &mut Outline, text: &str, pattern: &Regex, which: Which) {
    outline.delimiters = matches(outline, text, pattern, which).collect();
    if outline.delimiters.is_empty() {
        let note = format!("the delimiter `{}` matches nothing", pattern.as_str());
        outline.fallbacks.push(note);
    }
}

fn matches<'a>(
    outline: &'a Outline,
    text: &'a str,
    pattern: &'a Regex,
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
    pattern.find_iter(text).filter_map(move |found| {
        while next
            .as_ref()
            .is_some_and(|(_, written)| written.end <= found.start())
        {
            next = closed.next();
        }
        let inside = next.as_ref().is_some_and(|(start, written)| {
            written.start <= found.start()
                || (*start <= found.start() && written.start < found.end())
        });
        let parts = !inside
            && found.start() >= body
            && !found.is_empty()
            && (which != Which::Apart || is_apart(text, found.range()));
        parts.then(|| found.range())
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
    mark.starts_with("```") || mark.starts_with("~~~")
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
pub(crate) fn without_underlines(outline: &Outline, text: &str, pattern: &Regex) -> Option<String> {
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
    for delimiter in matches(outline, text, pattern, Which::Asked) {
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
    pub(crate) pattern: Regex,
    /// The name for lines of this kind.
    pub(crate) name: &'static str,
    /// Whether the line belongs to the text after it; otherwise it only separates.
    pub(crate) opens: bool,
}

/// Compiled once: compiling takes longer than chunking most documents.
static RULE_LINES: LazyLock<Vec<RuleLine>> = LazyLock::new(|| {
    let lines = [
        (r"(?m)^---+[ \t]*\r?$", "lines of dashes", false),
        (r"(?m)^===+[ \t]*\r?$", "lines of equals signs", false),
        (r"(?m)^<a\s+name=", "HTML anchors", true),
        (r"(?m)^\*\*\*+[ \t]*\r?$", "lines of asterisks", false),
    ];
    let compiled = lines.into_iter().filter_map(|(pattern, name, opens)| {
        let pattern = Regex::new(pattern).ok()?;
        Some(RuleLine {
            pattern,
            name,
            opens,
        })
    });
    compiled.collect()
});

/// The first kind of line that separates the text at least `least` times, and how often it does.
pub(crate) fn rule_lines(
    outline: &Outline,
    text: &str,
    which: Which,
    least: usize,
) -> Option<(&'static RuleLine, usize)> {
    RULE_LINES.iter().find_map(|line| {
        let which = if line.opens {
            Which::Conventional
        } else {
            which
        };
        let count = matches(outline, text, &line.pattern, which).count();
        (count >= least).then_some((line, count))
    })
}
