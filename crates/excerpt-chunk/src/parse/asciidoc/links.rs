//! The links to other files in a text.

use std::ops::Range;

use crate::document::{Link, LinkKind};
use crate::parse::paths::{has_ending, with_ending};
use crate::parse::reader::LineReader;

/// Records the links to other files in some lines.
pub(super) fn links(base: &mut LineReader<'_>, lines: Range<usize>) {
    let span = base.text_of(lines);
    let (start, text) = (span.start, &base.text[span]);
    let mut at = 0;
    // Without these, nothing is searched for again.
    let (mut has_bracket, mut has_angles) = (true, true);
    while let Some(found) = memchr::memchr2(b':', b'<', &text.as_bytes()[at..]) {
        let mark = at + found;
        at = mark + 1;
        if text[mark..].starts_with("<<") {
            let close = has_angles.then(|| text[at + 1..].find(">>")).flatten();
            let Some(close) = close else {
                has_angles = false;
                continue;
            };
            let inside = &text[at + 1..at + 1 + close];
            let target = inside.split(',').next().unwrap_or(inside).trim();
            at += close + 3;
            link(base, target, true, start + mark..start + at);
            continue;
        }
        let before = &text[..mark];
        let (name, is_page) = match () {
            () if before.ends_with("xref") => ("xref", true),
            () if before.ends_with("link") => ("link", false),
            () => continue,
        };
        let is_mark = |char: char| char == '[' || char.is_whitespace();
        let length = text[at..].find(is_mark).unwrap_or(text.len() - at);
        let target = &text[at..at + length];
        at += length;
        if !text[at..].starts_with('[') || !has_bracket {
            continue;
        }
        let Some(close) = text[at..].find(']') else {
            has_bracket = false;
            continue;
        };
        at += close + 1;
        link(base, target, is_page, start + mark - name.len()..start + at);
    }
}

/// Records a link, unless it is one within the document. The target of one to a `page` may lack
/// its ending.
fn link(base: &mut LineReader<'_>, target: &str, is_page: bool, bytes: Range<usize>) {
    let target = target.trim_matches('+');
    let (path, section) = match target.find('#') {
        Some(hash) => target.split_at(hash),
        None => (target, ""),
    };
    if path.is_empty() || (is_page && section.is_empty() && !has_ending(path)) {
        return;
    }
    let target = match is_page {
        true => format!("{}{section}", with_ending(path, "adoc")),
        false => target.to_string(),
    };
    base.info.links.push(Link {
        target: target.into(),
        kind: LinkKind::Plain,
        bytes,
    });
}
