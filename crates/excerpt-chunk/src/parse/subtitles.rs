//! Subtitles in the formats SubRip and WebVTT: cues, each with its times, between blank lines.

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::reader::LineReader;

/// Reads subtitles. A cue is its number or name, its times and its text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Subtitles;

impl Parser for Subtitles {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut reader = LineReader::from_start(document);
        let all = reader.lines.len();
        let mut at = reader.first_text(0..all);
        let mut format = Format::SubRip;
        if at < all && is_block(reader.at(at), "WEBVTT") {
            format = Format::WebVtt;
            let after = next(&reader, format, at + 1..all);
            reader.leaf(Kind::Definitions, at..after);
            at = after;
        }
        let mut is_in_list = false;
        while at < all && !reader.is_full() {
            let (kind, label) = block(&reader, at, all);
            if is_in_list && kind != Kind::Item {
                reader.close(at);
                is_in_list = false;
            } else if !is_in_list && kind == Kind::Item {
                reader.open(Kind::List, at);
                is_in_list = true;
            }
            // The times may stand below a number.
            let times = cue(&reader, at, all).unwrap_or(at);
            let after = next(&reader, format, times + 1..all);
            let leaf = reader.leaf(kind, at..after);
            if let Some(label) = label {
                reader.builder.label(leaf, label);
            }
            at = after;
        }
        let mut outline = reader.finish(document, "subtitles");
        outline.terms.items = "cues";
        outline
    }
}

/// Which of the two formats it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    SubRip,
    WebVtt,
}

/// What the block at a line is, with the language of a style sheet.
fn block(reader: &LineReader<'_>, at: usize, end: usize) -> (Kind, Option<&'static str>) {
    if cue(reader, at, end).is_some() {
        return (Kind::Item, None);
    }
    match reader.at(at) {
        text if is_block(text, "STYLE") => (Kind::Code, Some("css")),
        text if is_block(text, "REGION") => (Kind::Definitions, None),
        _ => (Kind::Paragraph, None),
    }
}

/// The line with the times of the cue that begins at a line, if one does.
fn cue(reader: &LineReader<'_>, at: usize, end: usize) -> Option<usize> {
    if is_times(reader.at(at)) {
        return Some(at);
    }
    let has_name = at + 1 < end && !reader.is_blank(at) && is_times(reader.at(at + 1));
    has_name.then_some(at + 1)
}

/// The first line in `lines` that begins a cue or another block, or the end. A blank line in the
/// text of a cue does not end it. In WebVTT, a line with an arrow ends a cue or another block, and
/// the line above is its name only after a blank line; in SubRip, it may be its number.
fn next(reader: &LineReader<'_>, format: Format, lines: Range<usize>) -> usize {
    let end = lines.end;
    for line in lines {
        if reader.is_blank(line) {
            continue;
        }
        let text = reader.at(line);
        let is_webvtt = format == Format::WebVtt;
        if is_times(text) || (is_webvtt && text.contains("-->")) {
            return line;
        }
        let is_after_blank = reader.is_blank(line - 1);
        let is_number = !is_webvtt && text.bytes().all(|byte| byte.is_ascii_digit());
        if (is_after_blank || is_number) && cue(reader, line, end).is_some() {
            return line;
        }
        let names = ["NOTE", "STYLE", "REGION"];
        if is_after_blank && names.iter().any(|name| is_block(text, name)) {
            return line;
        }
    }
    end
}

/// Whether a line is `name`, alone or with a text after it.
fn is_block(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Whether a line has the times of a cue: `00:01:02,345 --> 00:01:04,000`.
pub(super) fn is_times(text: &str) -> bool {
    let begins = text.starts_with(|char: char| char.is_ascii_digit() || char == '-');
    let Some((from, to)) = begins.then(|| text.split_once("-->")).flatten() else {
        return false;
    };
    is_time(from.trim()) && to.split_whitespace().next().is_some_and(is_time)
}

fn is_time(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_digit() || b":.,-".contains(&byte);
    text.bytes().all(is_part) && text.matches(':').count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> Vec<(Kind, &str)> {
        let outline = Subtitles.parse(&Document::new(text), 0);
        let nodes = outline.nodes[1..].iter();
        let leaves = nodes.filter(|node| node.kind != Kind::List);
        leaves
            .map(|node| (node.kind, text[node.span.clone()].trim_end()))
            .collect()
    }

    #[test]
    fn a_cue_is_one_item() {
        let text = "1\n00:00:01,000 --> 00:00:02,500\nHello.\n\nStill here.\n\n2\n00:00:03,000 --> 00:00:04,000\n42\n3\n00:00:05,000 --> 00:00:06,000 X1:40\n- Bye.\n";
        let found = drawn(text);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|(kind, _)| *kind == Kind::Item));
        assert!(found[0].1.ends_with("Still here."));
        assert!(found[1].1.ends_with("\n42"));
    }

    #[test]
    fn a_cue_of_webvtt_ends_at_a_line_with_an_arrow() {
        let text = "WEBVTT\n\n00:01.000 --> 00:02.000\nThey were\n1984\n00:03.000 --> 00:04.000\nBooks.\n\n7\n00:05.000 --> 00:06.000\nSeven.\nfrom --> to\nlost\n";
        let found: Vec<_> = drawn(text).into_iter().skip(1).collect();
        let expected = [
            (Kind::Item, "00:01.000 --> 00:02.000\nThey were\n1984"),
            (Kind::Item, "00:03.000 --> 00:04.000\nBooks."),
            (Kind::Item, "7\n00:05.000 --> 00:06.000\nSeven."),
            (Kind::Paragraph, "from --> to\nlost"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_blocks_of_webvtt_are_known() {
        let text = "WEBVTT - Talk\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE\nOf the\nauthor.\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hello.\n\nNOTE end\n\n00:03.000 --> 00:04.000\nBye.\n";
        let kinds: Vec<_> = drawn(text).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(
            kinds,
            [
                Kind::Definitions,
                Kind::Code,
                Kind::Definitions,
                Kind::Paragraph,
                Kind::Item,
                Kind::Paragraph,
                Kind::Item
            ]
        );
    }
}
