//! Plain prose: paragraphs separated by blank lines, in sections if headings are drawn in it.

use crate::document::{Document, DocumentInfo};
use crate::outline::{Kind, Outline, OutlineBuilder};
use crate::parse::{Parser, body_start, sections, titles};

/// How much of a text shows whether it is prose, in bytes.
const SAMPLE: usize = 1 << 12;

/// How much of it there must be, in bytes: less is one chunk anyway.
const FEWEST: usize = 200;

/// How many words a line of prose has, at least.
const WORDS: usize = 4;

/// Reads a text as paragraphs. If it has several headings as people draw them in plain text, such
/// as underlined, numbered or in capitals, the paragraphs are in sections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prose;

impl Parser for Prose {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let text = document.text();
        let start = body_start(text);
        let mut builder = OutlineBuilder::new(text, start);
        let mut info = DocumentInfo::default();
        let mut at = start;
        let paragraphs = |builder: &mut OutlineBuilder<'_>, start: usize, end: usize| {
            for block in blocks(&text[..end], start, |_| true) {
                builder.leaf(Kind::Paragraph, block);
            }
        };
        for title in titles::titles(text, start) {
            if !text[at..title.span.start].trim().is_empty() {
                paragraphs(&mut builder, at, title.span.start);
            }
            at = title.span.end;
            sections::open(&mut builder, title.level, title.span.start);
            sections::close_heading(&mut builder, &mut info, &text[title.title], at);
        }
        if at == start || !text[at..].trim().is_empty() {
            paragraphs(&mut builder, at, text.len());
        }
        let mut outline = builder.finish();
        outline.info = info;
        outline
    }
}

/// Whether a text whose name says nothing is mostly prose: lines of words, few of which end like
/// those of source code.
pub(super) fn is_shown(text: &str) -> bool {
    let sample = &text[..text.floor_char_boundary(SAMPLE)];
    let (mut all, mut prose, mut lines, mut code) = (0, 0, 0, 0);
    for line in sample
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        all += line.len();
        lines += 1;
        if line.ends_with(['{', '}', ';']) || line.ends_with("*/") || line.ends_with("-->") {
            code += 1;
        } else if is_wording(line) {
            prose += line.len();
        }
    }
    all >= FEWEST && prose >= all / 3 * 2 && code * 16 <= lines
}

/// Whether a line begins with a letter or a digit and consists of several words, most of which are
/// nothing but letters and not in capitals.
fn is_wording(line: &str) -> bool {
    if !line.starts_with(|char: char| char.is_alphanumeric() || matches!(char, '(' | '“')) {
        return false;
    }
    let (mut words, mut plain) = (0, 0);
    for word in line.split_whitespace() {
        let word = word.trim_start_matches(['(', '"', '\'']);
        let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']);
        words += 1;
        let is_letter = |char: char| char.is_alphabetic() || matches!(char, '\'' | '’' | '-');
        let is_short = word.chars().nth(1).is_none();
        let is_loud = !is_short && word.ends_with(char::is_uppercase);
        plain += usize::from(!word.is_empty() && !is_loud && word.chars().all(is_letter));
    }
    words >= WORDS && plain * 4 >= words * 3
}

/// The runs of lines separated by blank lines, if `parts` accepts the line after the blank ones.
pub(super) fn blocks(
    text: &str,
    start: usize,
    parts: impl Fn(&str) -> bool,
) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let mut block = start;
    let mut offset = start;
    let mut after_blank = false;
    let mut empty = true;
    for line in text[start..].split_inclusive('\n') {
        if line.trim().is_empty() {
            after_blank = true;
        } else {
            if after_blank && !empty && parts(line) {
                blocks.push(block..offset);
                block = offset;
            }
            after_blank = false;
            empty = false;
        }
        offset += line.len();
    }
    blocks.push(block..offset);
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_part_paragraphs() {
        let outline = Prose.parse(&Document::new("\n\na\nb\n \t\nc\n"), 0);
        let spans: Vec<_> = outline.nodes[1..]
            .iter()
            .map(|node| node.span.clone())
            .collect();
        assert_eq!(spans, [0..9, 9..11]);
    }
}
