//! Which part of a page is its text: [`Page`] finds the main text, and leaves out navigation and
//! what is not shown.

use super::tree::{Attribute, Tag, Tree, holds};
use crate::limits::ReadLimits;
use crate::markdown::one_line;
use crate::metadata::Metadata;
use crate::reader::ReadError;

/// A page, and what of it is text.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) tree: Tree,
    /// Whether a node and what is in it are never text.
    dropped: Vec<bool>,
    /// How much text is before each node.
    sums: Vec<Sums>,
    /// The element with the main text; `None` for the whole page.
    pub(super) main: Option<usize>,
    /// The first heading.
    heading: Option<usize>,
    pub(super) metadata: Metadata,
}

/// An amount of text in bytes, without white space.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    text: u32,
    /// How much of it is in links.
    links: u32,
    /// How much of it is in links within the page.
    local: u32,
}

/// Roles of what is around the text.
const ROLES: &[&str] = &[
    "banner",
    "contentinfo",
    "dialog",
    "doc-toc",
    "menu",
    "menubar",
    "navigation",
    "search",
    "toolbar",
];

/// Classes and identifiers of what is never text, with any number of links.
const NEVER: &[&str] = &[
    "anchorjs-link",
    "breadcrumb",
    "breadcrumbs",
    "contents-heading",
    "gutter",
    "hash-link",
    "headeranchor",
    "headerlink",
    "hideme",
    "lineno",
    "linenodiv",
    "linenos",
    "linenumber",
    "linenumbers",
    "line-number",
    "line-numbers",
    "mw-editsection",
    "mw-jump-link",
    "navfooter",
    "navheader",
    "navpath",
    "out-of-band",
    "nav-path",
    "nav-panel",
    "permalink",
    "react-code-size-details-in-header",
    "rouge-gutter",
    "screen-reader-text",
    "side-nav",
    "skip-link",
    "skip-nav",
    "skip-to-content",
    "skiplink",
    "skipnav",
    "sphinxsidebar",
    "sr-only",
    "srclink",
    "sub-logo-container",
    "test-arrow",
    "toctitle",
    "ttc",
    "viewcode-back",
    "viewcode-link",
    "visually-hidden",
    "visuallyhidden",
];

/// Classes and identifiers of what is no text if there is little of it.
const NAVIGATION: &[&str] = &["navbar", "navigation", "toplang", "bottomlang"];

/// Parts of classes and identifiers of what is no text if it consists of links for the most part.
const LINKS: &[&str] = &[
    "bottomlang",
    "breadcrumb",
    "edit-",
    "editlink",
    "footer",
    "header",
    "jump",
    "language",
    "menu",
    "nav",
    "next",
    "pager",
    "pagination",
    "prev",
    "related",
    "share",
    "sidebar",
    "skip",
    "social",
    "toolbar",
    "topbar",
    "toplang",
    "version",
];

/// Classes and identifiers of a list of the sections of a page.
const CONTENTS: &[&str] = &[
    "contents",
    "local-toc",
    "localtoc",
    "table-of-contents",
    "toc",
];

/// Identifiers and classes of the main text.
const MAINS: &[&str] = &[
    "article-body",
    "article-content",
    "body",
    "bodycontent",
    "content",
    "contentcontainer",
    "contents",
    "doc-content",
    "document",
    "documentwrapper",
    "entry-content",
    "main",
    "main-content",
    "maincontent",
    "markdown-body",
    "md-content",
    "mw-content-text",
    "page-content",
    "post-content",
    "rst-content",
];

impl Page {
    /// What of a page is text.
    pub(super) fn new(tree: Tree, limits: &ReadLimits<'_>) -> Result<Page, ReadError> {
        let count = tree.nodes.len();
        let mut page = Page {
            tree,
            dropped: vec![false; count],
            sums: Vec::with_capacity(count + 1),
            main: None,
            heading: None,
            metadata: Metadata::default(),
        };
        page.measure(limits)?;
        page.main = page.find_main();
        Ok(page)
    }

    /// Finds what is never text, what the page says about itself, and how much text there is.
    fn measure(&mut self, limits: &ReadLimits<'_>) -> Result<(), ReadError> {
        let mut sums = Sums::default();
        // Where what is left out, and the links around a node, end.
        let mut dropped = 0;
        let (mut link, mut local) = (0, 0);
        let mut is_titled = false;
        for at in 0..self.tree.nodes.len() {
            if at.is_multiple_of(1 << 16) {
                limits.check()?;
            }
            self.sums.push(sums);
            let node = self.tree.nodes[at];
            match node.tag {
                None if at >= dropped => {
                    let is_text = |byte: &u8| !byte.is_ascii_whitespace();
                    let text = self.tree.text(at).bytes().filter(is_text).count();
                    let text = u32::try_from(text).unwrap_or(u32::MAX);
                    sums.text = sums.text.saturating_add(text);
                    if at < link {
                        sums.links = sums.links.saturating_add(text);
                    }
                    if at < local {
                        sums.local = sums.local.saturating_add(text);
                    }
                }
                None => (),
                Some(tag) => {
                    if matches!(tag, Tag::Title | Tag::Meta | Tag::Html) {
                        // A drawing may have a title, too.
                        if tag != Tag::Title || !is_titled {
                            self.note(at, tag);
                        }
                        is_titled |= tag == Tag::Title;
                    }
                    if at < dropped {
                        continue;
                    }
                    if self.is_never_text(at, tag) {
                        self.dropped[at] = true;
                        dropped = node.end;
                    } else if tag.level().is_some() {
                        self.heading = self.heading.or(Some(at));
                    } else if tag == Tag::A
                        && let Some(href) = self.tree.attribute(at, Attribute::Href)
                    {
                        link = link.max(node.end);
                        if href.trim_start().starts_with('#') {
                            local = local.max(node.end);
                        }
                    }
                }
            }
        }
        self.sums.push(sums);
        Ok(())
    }

    /// Something that the page says about itself.
    fn note(&mut self, at: usize, tag: Tag) {
        let filled = |text: &str| {
            let text = one_line(text);
            (!text.is_empty()).then_some(text)
        };
        let metadata = &mut self.metadata;
        let value = |name| self.tree.attribute(at, name);
        match tag {
            Tag::Title => metadata.title = filled(&self.tree.raw_text(at)),
            Tag::Html => {
                let language = value(Attribute::Lang).or(value(Attribute::XmlLang));
                let is_tag = |c: char| c.is_ascii_alphanumeric() || c == '-';
                let language = language.and_then(filled);
                metadata.language =
                    metadata.language.take().or(language
                        .filter(|language| language.len() < 32 && language.chars().all(is_tag)));
            }
            _ => {
                let name = value(Attribute::Name).or(value(Attribute::Property));
                let name = name.or(value(Attribute::Itemprop)).unwrap_or_default();
                let Some(content) = value(Attribute::Content).and_then(filled) else {
                    return;
                };
                match &*name.to_ascii_lowercase() {
                    "author" | "dc.creator" | "dcterms.creator" | "citation_author"
                        if !metadata.authors.contains(&content) && metadata.authors.len() < 100 =>
                    {
                        metadata.authors.push(content);
                    }
                    "description" => metadata.description = Some(content),
                    "og:description" | "dc.description" | "dcterms.description"
                        if metadata.description.is_none() =>
                    {
                        metadata.description = Some(content);
                    }
                    "keywords" if metadata.keywords.is_empty() => {
                        let words = content.split([',', ';']).filter_map(filled);
                        metadata.keywords = words.take(50).collect();
                    }
                    "date"
                    | "dc.date"
                    | "dcterms.date"
                    | "dcterms.created"
                    | "citation_date"
                    | "article:published_time"
                    | "datepublished"
                    | "last-modified"
                        if metadata.date.is_none() =>
                    {
                        metadata.date = Some(content);
                    }
                    _ => (),
                }
            }
        }
    }

    /// Whether an element is never text.
    fn is_never_text(&self, at: usize, tag: Tag) -> bool {
        use Tag::*;
        if matches!(
            tag,
            Script
                | Style
                | Template
                | Svg
                | Head
                | Title
                | Noscript
                | Nav
                | Search
                | Select
                | Datalist
                | Button
                | Textarea
                | Input
                | Canvas
                | Audio
                | Video
                | Iframe
                | Noembed
        ) {
            return true;
        }
        if !self.tree.has_attributes(at) {
            return tag == Dialog;
        }
        let value = |name| self.tree.attribute(at, name);
        let role = value(Attribute::Role).unwrap_or_default();
        if ROLES.contains(&role) || (tag == Dialog && value(Attribute::Open).is_none()) {
            return true;
        }
        // One of several tabs is hidden until it is chosen.
        if role != "tabpanel" && self.is_hidden(at) {
            return true;
        }
        let never = |name: &str| NEVER.iter().any(|never| never.eq_ignore_ascii_case(name));
        if self.names(at).any(never) {
            return true;
        }
        tag == A && self.is_anchor(at)
    }

    fn is_hidden(&self, at: usize) -> bool {
        let value = |name| self.tree.attribute(at, name);
        let style = value(Attribute::Style).unwrap_or_default();
        let is_styled = style.len() < 1000 && style.contains(['d', 'v']) && {
            let style: String = style.split_ascii_whitespace().collect();
            let style = style.to_ascii_lowercase();
            style.contains("display:none") || style.contains("visibility:hidden")
        };
        is_styled
            || value(Attribute::Hidden).is_some()
            || value(Attribute::AriaHidden) == Some("true")
    }

    /// Whether a link is a mark that leads to itself.
    fn is_anchor(&self, at: usize) -> bool {
        let end = self.tree.nodes[at].end;
        if end - at > 6 || self.tree.attribute(at, Attribute::Href).is_none() {
            return false;
        }
        let text: String = (at..end).map(|at| self.tree.text(at)).collect();
        let is_mark = |c: char| {
            c.is_whitespace() || matches!(c, '¶' | '#' | '§' | '🔗' | '⚓' | '∞' | '\u{200b}')
        };
        let href = self.tree.attribute(at, Attribute::Href).unwrap_or_default();
        let is_top = href.starts_with('#')
            && ["top", "back to top", "return to top", "↑", "^"]
                .contains(&&*text.trim().to_lowercase());
        is_top
            || text.chars().all(is_mark) && text.chars().any(|c| !c.is_whitespace())
            || (self.names(at).any(|name| name == "anchor" || name == "src")
                && matches!(text.trim(), "" | "source" | "Source" | "src" | "[src]"))
    }

    /// The classes and the identifier of an element.
    fn names(&self, at: usize) -> impl Iterator<Item = &str> {
        let id = self.tree.attribute(at, Attribute::Id);
        self.tree.classes(at).chain(id)
    }

    /// How much text is in an element.
    fn amount(&self, at: usize) -> Sums {
        let (from, to) = (self.sums[at], self.sums[self.tree.nodes[at].end]);
        Sums {
            text: to.text - from.text,
            links: to.links - from.links,
            local: to.local - from.local,
        }
    }

    /// How much text is in an element, in bytes without white space.
    pub(super) fn length(&self, at: usize) -> u32 {
        self.amount(at).text
    }

    /// Whether there is any text.
    pub(super) fn has_text(&self) -> bool {
        self.sums.last().is_some_and(|sums| sums.text > 0)
    }

    /// Whether more than half of the text of an element is in links.
    pub(super) fn is_links(&self, at: usize) -> bool {
        let amount = self.amount(at);
        amount.links > amount.text / 2
    }

    /// The element with the main text.
    fn find_main(&self) -> Option<usize> {
        // The one with the most text of each rank: what says that it is the main text, an article,
        // and what is usually called so.
        let mut best: [Option<(u32, usize)>; 3] = [None; 3];
        let mut at = 0;
        while let Some(node) = self.tree.nodes.get(at) {
            if self.dropped[at] {
                at = node.end;
                continue;
            }
            if let Some(tag) = node.tag
                && let Some(rank) = self.rank(at, tag)
            {
                let length = self.length(at);
                best[rank] = match best[rank] {
                    // What is in it has nearly all of it without what is around the text.
                    Some((longest, outer))
                        if at < self.tree.nodes[outer].end && length >= longest / 10 * 9 =>
                    {
                        Some((longest, at))
                    }
                    Some((longest, _)) if length <= longest => best[rank],
                    _ => Some((length, at)),
                };
            }
            at += 1;
        }
        let all = self.sums.last().map_or(0, |sums| sums.text);
        let parts = [10, 2, 2];
        let enough = best.into_iter().zip(parts).filter_map(|(best, part)| {
            best.filter(|(length, _)| *length > 0 && *length >= all / part)
        });
        enough.map(|(_, at)| at).next()
    }

    fn rank(&self, at: usize, tag: Tag) -> Option<usize> {
        if tag == Tag::Main || self.tree.attribute(at, Attribute::Role) == Some("main") {
            return Some(0);
        }
        if tag == Tag::Article {
            return Some(1);
        }
        let is_container = matches!(tag, Tag::Div | Tag::Section | Tag::Td);
        let is_main = |name: &str| MAINS.iter().any(|main| main.eq_ignore_ascii_case(name));
        (is_container && self.tree.has_attributes(at) && self.names(at).any(is_main)).then_some(2)
    }

    /// Whether an element is not part of the text.
    pub(super) fn is_left_out(&self, at: usize, surroundings: Surroundings) -> bool {
        if self.dropped[at] {
            return true;
        }
        let node = self.tree.nodes[at];
        let Some(tag) = node.tag else {
            return false;
        };
        let is_around = surroundings == Surroundings::Page;
        match tag {
            Tag::Footer => return is_around || self.is_links(at),
            Tag::Header if is_around => {
                return node.holds & holds::TITLE == 0 || self.is_links(at);
            }
            Tag::Aside => return is_around && !self.is_note(at) || self.is_links(at),
            _ => (),
        }
        if node.holds & holds::LINK == 0 {
            return false;
        }
        let amount = self.amount(at);
        // A list of links before the first heading leads elsewhere.
        if is_around && matches!(tag, Tag::Ul | Tag::Ol) {
            let is_before = self.heading.is_some_and(|heading| node.end <= heading);
            return is_before && amount.links > amount.text / 10 * 9;
        }
        if !self.tree.has_attributes(at) {
            return false;
        }
        let navigation = |name: &str| NAVIGATION.contains(&name);
        if amount.text < 500 && tag.is_block() && self.names(at).any(navigation) {
            return true;
        }
        if !self.is_links(at) {
            return false;
        }
        let is_local = amount.local > amount.text / 2;
        let contents = |name: &str| {
            CONTENTS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name))
        };
        if is_local && self.names(at).any(contents) {
            return true;
        }
        let is_text = matches!(tag, Tag::A | Tag::Body | Tag::Main | Tag::Article)
            || node.holds & holds::HEADING != 0
            || tag.level().is_some();
        let links = |name: &str| {
            let name = name.to_ascii_lowercase();
            LINKS.iter().any(|part| name.contains(part))
        };
        // Much text is no navigation, whatever it is called.
        !is_text && amount.text < 2_000 && tag.is_block() && self.names(at).any(links)
    }

    /// Whether an element is a note on the text.
    fn is_note(&self, at: usize) -> bool {
        let role = self.tree.attribute(at, Attribute::Role).unwrap_or_default();
        let kind = self
            .tree
            .attribute(at, Attribute::EpubType)
            .unwrap_or_default();
        let names = [
            "note",
            "warning",
            "tip",
            "caution",
            "important",
            "danger",
            "admonition",
        ];
        let is_note = |name: &str| names.iter().any(|note| name.contains(note));
        role.contains("note") || kind.contains("note") || self.names(at).any(is_note)
    }

    /// The heading of the page, if it is before the main text instead of in it.
    pub(super) fn heading_before(&self, main: usize) -> Option<usize> {
        if self.tree.nodes[main].holds & holds::TITLE != 0 {
            return None;
        }
        let nodes = self.tree.nodes.get(..main)?;
        let is_heading = |at: &usize| {
            nodes[*at].tag == Some(Tag::H1) && !self.dropped[*at] && !self.is_links(*at)
        };
        (0..main).rev().find(is_heading)
    }
}

/// What is around an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surroundings {
    /// The page itself, with all that is around the text.
    Page,
    /// The main text, or an article or a section of it.
    Text,
}
