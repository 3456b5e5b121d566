//! The links in a text: to other files, to parts of this one or of others by their labels, and to
//! files that it includes.

use std::ops::Range;

use crate::document::{Link, LinkKind};
use crate::outline::Outline;
use crate::parse::asciidoc::line::is_directive;
use crate::parse::paths::{has_ending, with_ending};
use crate::parse::texts::texts;

/// The maximum length of a reference between angles in bytes.
const LONGEST: usize = 300;

/// Adds the links in a text to its outline.
pub(super) fn add_links(outline: &mut Outline, text: &str) {
    let mut links = Vec::new();
    for span in texts(outline) {
        in_text(text, span, &mut links);
    }
    let start = outline.nodes[0].span().start;
    // Also lines of code include files.
    includes(text, start, &mut links);
    links.sort_by_key(|link| link.bytes.start);
    outline.info.links = links;
}

fn in_text(all: &str, span: Range<usize>, links: &mut Vec<Link>) {
    let (start, text) = (span.start, &all[span]);
    let mut at = 0;
    // Without one, nothing is searched for again.
    let mut has_bracket = true;
    while let Some(found) = memchr::memchr2(b':', b'<', &text.as_bytes()[at..]) {
        let mark = at + found;
        at = mark + 1;
        if text[mark..].starts_with("<<") {
            let limit = text.floor_char_boundary(at + 1 + LONGEST);
            let Some(close) = text[at + 1..limit].find(">>") else {
                continue;
            };
            let inside = &text[at + 1..at + 1 + close];
            let target = inside.split(',').next().unwrap_or(inside);
            if !begins_target(target) || is_escaped(text, mark) {
                continue;
            }
            at += close + 3;
            links.extend(link(target.trim(), true, start + mark..start + at));
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
        if !is_escaped(text, mark - name.len()) {
            links.extend(link(target, is_page, start + mark - name.len()..start + at));
        }
    }
}

/// Whether what is at `at` is text because of the backslash before it.
fn is_escaped(text: &str, at: usize) -> bool {
    text[..at].ends_with('\\')
}

/// Whether a reference may begin so.
fn begins_target(target: &str) -> bool {
    let first = target.chars().next();
    let begins = first.is_some_and(|char| char.is_alphanumeric() || "_#/.:".contains(char));
    begins && !target.contains(['\n', '<'])
}

/// The link to a target. That of one to a `page` may lack its ending, or be a label.
fn link(target: &str, is_page: bool, bytes: Range<usize>) -> Option<Link> {
    let target = target.trim_matches('+');
    let (path, section) = match target.find('#') {
        Some(hash) => target.split_at(hash),
        None => (target, ""),
    };
    let is_label = path.is_empty() || (is_page && section.is_empty() && !has_ending(path));
    let (kind, target) = match (is_label, is_page) {
        (true, _) => (LinkKind::Label, target.trim_start_matches('#').to_string()),
        (false, true) => (
            LinkKind::Plain,
            format!("{}{section}", with_ending(path, "adoc")),
        ),
        (false, false) => (LinkKind::Plain, target.to_string()),
    };
    let is_target = !target.is_empty() && !target.contains('{');
    is_target.then(|| Link {
        target: target.into(),
        kind,
        bytes,
    })
}

/// Adds the files that a text includes.
fn includes(text: &str, start: usize, links: &mut Vec<Link>) {
    for mark in memchr::memmem::find_iter(&text.as_bytes()[start..], "include::") {
        let mark = start + mark;
        if mark > start && !text[..mark].ends_with('\n') {
            continue;
        }
        let line = text[mark..].lines().next().unwrap_or_default().trim_end();
        let Some((path, _)) = line["include::".len()..].split_once('[') else {
            continue;
        };
        if is_directive(line) && !path.is_empty() && !path.contains('{') {
            links.push(Link {
                target: path.into(),
                kind: LinkKind::Plain,
                bytes: mark..mark + line.len(),
            });
        }
    }
}
