//! Delimiters: places where the text itself says that one entry ends and another begins. They are
//! added to the outline of the text's own format, so anything too large between two of them is
//! still split at paragraphs, rows and sentences.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::outline::{Kind, Outline};

/// Marks each match of `pattern` as a delimiter, except empty matches and those inside a code
/// block, a table, a heading or the front matter.
pub(crate) fn mark(outline: &mut Outline, text: &str, pattern: &Regex) {
    outline.delimiters = matches(outline, text, pattern).collect();
    if outline.delimiters.is_empty() {
        let note = format!("the delimiter `{}` matches nothing", pattern.as_str());
        outline.fallbacks.push(note);
    }
}

fn matches<'a>(
    outline: &'a Outline,
    text: &'a str,
    pattern: &'a Regex,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut closed = outline.nodes.iter().filter(|node| {
        matches!(
            node.kind,
            Kind::Code | Kind::Table | Kind::Heading | Kind::FrontMatter
        )
    });
    let mut next = closed.next();
    let source = outline
        .nodes
        .get(1)
        .is_some_and(|node| node.kind == Kind::Code && node.label.is_none());
    let source = source
        && outline
            .nodes
            .iter()
            .skip(1)
            .all(|node| node.kind == Kind::Code);
    let body = outline.nodes[0].span.start;
    pattern.find_iter(text).filter_map(move |found| {
        while next.is_some_and(|node| node.span.end <= found.start()) {
            next = closed.next();
        }
        let inside = !source && next.is_some_and(|node| node.span.start <= found.start());
        let parts = !inside && found.start() >= body && !found.is_empty();
        parts.then(|| found.range())
    })
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
    least: usize,
) -> Option<(&'static RuleLine, usize)> {
    RULE_LINES.iter().find_map(|line| {
        let count = matches(outline, text, &line.pattern).count();
        (count >= least).then_some((line, count))
    })
}
