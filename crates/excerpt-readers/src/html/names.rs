//! The names by which links call the headings of a page.

use super::page::Page;
use super::tree::{Attribute, Tag};

/// How many names a heading may have.
const MOST: usize = 4;

/// The maximum length of a name in bytes.
const LONGEST: usize = 200;

/// The names of the heading in an element: its identifier, those of anchors in it, that of the
/// section or division that begins with it, and those of anchors before it, in this order. Names
/// that Markdown cannot hold are left out.
pub(super) fn names_of_heading(page: &Page, at: usize) -> Vec<&str> {
    let inside = at..page.tree.nodes[at].end;
    let inside = inside.filter_map(|at| name(page, at));
    let mut names: Vec<&str> = Vec::new();
    for name in inside.chain(names_before(page, at)) {
        if names.len() < MOST && can_be_written(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The identifier of an element.
fn name(page: &Page, at: usize) -> Option<&str> {
    let value = |attribute| page.tree.attribute(at, attribute).map(str::trim);
    let tag = page.tree.nodes[at].tag?;
    value(Attribute::Id).or_else(|| value(Attribute::Name).filter(|_| tag == Tag::A))
}

/// The names of what is directly before an element, with nothing to see in between: the section or
/// division around it, and anchors.
fn names_before(page: &Page, at: usize) -> impl Iterator<Item = &str> {
    let nodes = &page.tree.nodes;
    let (mut around, mut anchors) = (None, Vec::new());
    for before in (0..at).rev() {
        match nodes[before].tag {
            None if page.tree.text(before).trim().is_empty() => {}
            Some(Tag::Section | Tag::Article | Tag::Div) if nodes[before].end > at => {
                around = name(page, before);
                break;
            }
            Some(Tag::A | Tag::Span | Tag::P) if anchors.len() < MOST => {
                anchors.extend(name(page, before));
            }
            _ => break,
        }
    }
    around.into_iter().chain(anchors)
}

/// Whether `{#name}` behind a heading is read as a name.
fn can_be_written(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.:/+()[],!$&'~%@=".contains(c);
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_plain)
}
