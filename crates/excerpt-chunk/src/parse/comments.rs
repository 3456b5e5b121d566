//! Comments in source code: one that is too large for a chunk is read by the format in which it is
//! written, so that it is split between its sections, paragraphs and list items. Comments are in
//! Markdown unless their content shows another format; those of Python are in reStructuredText.

use std::ops::Range;

use crate::document::{Document, Syntax};
use crate::outline::{Graft, Kind, LineMap, Outline};
use crate::parse::formats::{Evidence, Format};
use crate::parse::{Markdown, Parser, ReStructuredText};

/// What opens and closes a comment of several lines, or a documentation string. The longer of two
/// that begin alike comes first.
const BLOCKS: &[(&str, &str)] = &[
    ("/**", "*/"),
    ("/*!", "*/"),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{-|", "-}"),
    ("{-", "-}"),
    ("(**", "*)"),
    ("(*", "*)"),
    ("--[[", "]]"),
    ("#=", "=#"),
    ("#|", "|#"),
    ("=begin", "=end"),
    ("\"\"\"", "\"\"\""),
    ("'''", "'''"),
];

/// What a line of a comment may begin with.
const MARKS: &[char] = &['/', '!', '#', '-', ';', '%', '*', '\'', '"', '|'];

/// Adds to `outline` what the comments that do not fit in a chunk consist of.
pub(crate) fn read(outline: &mut Outline, text: &str, fits: impl Fn(Range<usize>) -> bool) {
    let is_python = outline.language() == Some("python");
    let is_large = |index: usize| {
        let node = &outline.nodes[index];
        let is_whole = node.kind == Kind::Comment && node.end() == index + 1;
        is_whole && !fits(node.span.clone())
    };
    let comments = (1..outline.nodes.len()).filter(|index| is_large(*index));
    let grafts = comments.filter_map(|node| {
        let comment = Comment::read(text, outline.nodes[node].span.clone())?;
        let document = Document::new(&comment.text).with_syntax(Syntax::Text);
        let inner = match Format::of(&document) {
            (format, Evidence::Content) => format.parser.parse(&document, 0),
            _ if is_python => ReStructuredText.parse(&document, 0),
            _ => Markdown.parse(&document, 0),
        };
        Some(Graft {
            node,
            kind: Kind::Comment,
            lines: comment.map,
            outline: inner,
        })
    });
    let grafts = grafts.collect();
    outline.graft(grafts);
}

/// A comment without its marks and its indentation.
struct Comment {
    text: String,
    map: LineMap,
}

impl Comment {
    /// Reads the comment in `span`. `None` if its lines have no marks in common.
    fn read(text: &str, span: Range<usize>) -> Option<Self> {
        let mut lines = lines(text, span);
        let first = lines.iter().position(|line| !line.is_blank(text))?;
        let opening = opening(text[lines[first].text.clone()].trim_start());
        let block = BLOCKS.iter().find(|(open, _)| opening.starts_with(open));
        // The line that opens a block is indented and marked in its own way.
        let others = match block {
            Some((open, close)) => {
                let prefix = lines[first].text.end - opening.len() - lines[first].text.start;
                lines[first].text.start += prefix + open.len();
                if let Some(last) = lines.iter_mut().rfind(|line| !line.is_blank(text))
                    && let Some(written) = text[last.text.clone()].strip_suffix(close)
                {
                    last.text.end = last.text.start + written.trim_end().len();
                }
                let spaces = lines[first].indentation(text);
                lines[first].text.start += spaces;
                first + 1
            }
            None => 0,
        };
        let others = &mut lines[others..];
        let mark = match (block, common_mark(text, others)) {
            (None, "") => return None,
            (None, mark) => mark.len(),
            // A list in a string looks the same as lines with marks.
            (Some((open, _)), mark) if mark == "*" && !open.ends_with(['"', '\'']) => mark.len(),
            _ => 0,
        };
        if mark > 0 {
            without_mark(text, others, mark);
        }
        without_indentation(text, others);
        let mut comment = Comment {
            text: String::new(),
            map: LineMap::default(),
        };
        for Line { start, text: bytes } in lines {
            comment.map.line(comment.text.len(), start, bytes.start);
            comment.text.push_str(&text[bytes]);
            comment.text.push('\n');
        }
        Some(comment)
    }
}

/// The first line of a comment from its mark on: without the letters before a string, and without
/// the name of an attribute, as in `@doc ~S"""`.
fn opening(line: &str) -> &str {
    let of_attribute = line.strip_prefix('@').map(|attribute| {
        let name = attribute.trim_start_matches(|char: char| char.is_alphanumeric() || char == '_');
        let value = name.trim_start_matches([' ', '(']);
        value.trim_start_matches(['~', 's', 'S'])
    });
    let of_string = || line.trim_start_matches(['r', 'R', 'u', 'U']);
    of_attribute.unwrap_or_else(of_string)
}

/// A line of a comment.
struct Line {
    /// Where it begins.
    start: usize,
    /// Its text, without the white space at its end.
    text: Range<usize>,
}

impl Line {
    fn is_blank(&self, text: &str) -> bool {
        text[self.text.clone()].trim().is_empty()
    }

    /// The number of spaces and tabs that its text begins with.
    fn indentation(&self, text: &str) -> usize {
        let written = &text[self.text.clone()];
        written.len() - written.trim_start_matches([' ', '\t']).len()
    }
}

/// The lines in `span`, with their marks and indentation.
fn lines(text: &str, span: Range<usize>) -> Vec<Line> {
    let mut at = span.start;
    let lines = text[span].split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        Line {
            start,
            text: start..start + line.trim_end().len(),
        }
    });
    lines.collect()
}

/// The marks that all lines with text begin with, after their indentation.
fn common_mark<'a>(text: &'a str, lines: &[Line]) -> &'a str {
    let written = lines.iter().filter(|line| !line.is_blank(text));
    let mut marks = written.map(|line| {
        let written = &text[line.text.start + line.indentation(text)..line.text.end];
        let end = written.find(|char| !MARKS.contains(&char));
        &written[..end.unwrap_or(written.len())]
    });
    let first = marks.next().unwrap_or_default();
    marks.fold(first, |common, mark| {
        let same = common.bytes().zip(mark.bytes());
        &common[..same.take_while(|(one, other)| one == other).count()]
    })
}

/// Takes the indentation and a mark of `length` bytes from the text of each line.
fn without_mark(text: &str, lines: &mut [Line], length: usize) {
    for line in lines {
        let start = line.text.start + line.indentation(text) + length;
        line.text.start = start.min(line.text.end);
    }
}

/// Takes the indentation that all lines have from the text of each.
fn without_indentation(text: &str, lines: &mut [Line]) {
    let written = lines.iter().filter(|line| !line.is_blank(text));
    let common = written.map(|line| line.indentation(text)).min();
    for line in lines {
        let start = line.text.start + common.unwrap_or(0);
        line.text.start = start.min(line.text.end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::RngSeed;

    use super::*;

    /// What lines of comments consist of, and white space that is none of code.
    const PIECES: &[&str] = &[
        "/*", "*/", "/**", "//", "///", "*", "#", "--", "\"\"\"", "'''", "r", "<!--", "-->", "\n",
        "\r\n", "\r", " ", "\t", "\u{a0}", "\u{2003}", "\u{301}", "é", "a", "- b", "=====",
    ];

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 2_000,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(2026),
            ..ProptestConfig::default()
        })]

        #[test]
        fn every_place_of_a_comment_is_one_in_the_text(
            pieces in prop::collection::vec(select(PIECES), 0..40)
        ) {
            let text = pieces.concat();
            if let Some(comment) = Comment::read(&text, 0..text.len()) {
                let mut before = 0;
                for (at, char) in comment.text.char_indices() {
                    let place = comment.map.at(at);
                    prop_assert!(text.is_char_boundary(place) && place >= before);
                    let is_first = at == 0 || comment.text[..at].ends_with('\n');
                    prop_assert!(is_first || char == '\n' || text[place..].starts_with(char));
                    before = place;
                }
            }
        }
    }

    fn stripped(text: &str) -> String {
        Comment::read(text, 0..text.len()).unwrap().text
    }

    #[test]
    fn marks_and_indentation_are_taken_off() {
        for text in [
            "/// # A\n///\n/// - b\n///   c\n",
            "//! # A\n//!\n//! - b\n//!   c\n",
            "    # # A\n    #\n    # - b\n    #   c\n",
            "/**\n * # A\n *\n * - b\n *   c\n */\n",
            "/* # A\n *\n * - b\n *   c */\n",
            "/*\n  # A\n\n  - b\n    c\n*/",
            "    r\"\"\"# A\n\n    - b\n      c\n    \"\"\"\n",
            "  @doc \"\"\"\n  # A\n\n  - b\n    c\n  \"\"\"\n",
            "@moduledoc ~S'''\n# A\n\n- b\n  c\n'''\n",
            "<!-- # A\n\n  - b\n    c\n-->",
            "-- # A\n--\n-- - b\n--   c\n",
            ";;; # A\r\n;;;\r\n;;; - b\r\n;;;   c\r\n",
        ] {
            assert_eq!(stripped(text).trim(), "# A\n\n- b\n  c", "{text}");
        }
        assert_eq!(stripped("\"\"\"\n* a\n* b\n\"\"\""), "\n* a\n* b\n\n");
        assert_eq!(stripped("/***/"), "\n");
        assert!(Comment::read("REM a\nREM b\n", 0..12).is_none());
        assert!(Comment::read(" \n", 0..2).is_none());
    }

    #[test]
    fn a_place_in_the_text_is_one_in_the_comment() {
        let text = "/**\n * # A\n *\n * - b\n */\n";
        let comment = Comment::read(text, 0..text.len()).unwrap();
        let at = |part: &str| comment.map.at(comment.text.find(part).unwrap());
        assert_eq!(&text[at("# A")..], " * # A\n *\n * - b\n */\n");
        assert_eq!(&text[at("b")..], "b\n */\n");
    }
}
