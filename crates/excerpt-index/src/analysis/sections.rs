//! The sections of a document: what a heading starts; in source code, what has a name.
//!
//! A link names a heading by its *slug*, as on GitHub: in lower case, with `-` for each space,
//! without punctuation, and followed by a number if an earlier heading has the same slug. A text
//! may also give a name of its own to a section or a block ([`anchors`](super::anchors)).

use std::collections::HashMap;
use std::ops::Range;

use excerpt_chunk::{CodeParser as _, Document, Kind, Markdown, Node, Outline, Parser as _};
use excerpt_grammars::Grammars;
use excerpt_readers::slug;

use super::anchors::{anchors, label_name};

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// The heading, or the name.
    pub(crate) title: String,
    /// Its name in links; in source code the name itself.
    pub(crate) slug: String,
    /// The bytes of the section: from its heading to the next one of its level or above.
    pub(crate) bytes: Range<usize>,
}

/// The sections of a document, in order, and what else has a name in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sections {
    sections: Vec<Section>,
    /// The parts with a name of their own.
    anchors: Vec<Section>,
    /// The first anchor of each [label](label_name).
    labels: HashMap<String, usize>,
}

impl Sections {
    /// Finds the sections of a document that is not source code.
    pub(crate) fn of(document: &Document<'_>) -> Self {
        Sections::of_headings(document, &Outline::of(document))
    }

    /// Finds the sections in the text of a Markdown document.
    pub(crate) fn in_markdown(text: &str) -> Self {
        let document = Document::new(text);
        Sections::of_headings(&document, &Markdown.parse(&document, 0))
    }

    /// Finds the definitions in source code; none in a language without a grammar.
    pub(crate) fn of_code(document: &Document<'_>) -> Self {
        if Grammars.detect(document).is_none() {
            return Sections::default();
        }
        let outline = Grammars.parse(document, 0);
        let definitions = outline.definitions().iter();
        let sections = definitions.map(|definition| Section {
            title: definition.name.to_string(),
            slug: definition.name.to_string(),
            bytes: outline.nodes()[definition.node].span(),
        });
        // As a trail shows them: `impl Tea`, `fn brew`.
        let labelled = outline.nodes().iter().filter_map(|node| {
            let label = node.label()?;
            Some(Section {
                title: label.to_string(),
                slug: label.to_string(),
                bytes: node.span(),
            })
        });
        Sections {
            sections: sections.chain(labelled).collect(),
            ..Sections::default()
        }
    }

    fn of_headings(document: &Document<'_>, outline: &Outline) -> Self {
        let mut slugs = Slugs::default();
        let mut anchors = anchors(document, outline);
        let sections = outline.nodes().iter().filter_map(|node: &Node| {
            let title = node.label().filter(|_| node.kind() == Kind::Section)?;
            let named = |slug: String| Section {
                title: title.to_string(),
                slug,
                bytes: node.span(),
            };
            let mut names = own_names(&document.text()[node.span()]).map(str::to_string);
            let slug = names.next().unwrap_or_else(|| slugs.next(title));
            anchors.extend(names.map(named));
            Some(named(slug))
        });
        let sections = sections.collect();
        let mut labels = HashMap::new();
        for (at, anchor) in anchors.iter().enumerate() {
            labels.entry(label_name(&anchor.slug)).or_insert(at);
        }
        Sections {
            sections,
            anchors,
            labels,
        }
    }

    /// The sections, in the order of the text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.sections.len()
    }

    /// The part to which the text gives this name, compared as a [label](label_name).
    pub(crate) fn labelled(&self, name: &str) -> Option<&Section> {
        let at = self.labels.get(&label_name(name))?;
        self.anchors.get(*at)
    }

    /// The section or the part with this name: a slug, a heading, or a name that the text gives. In
    /// a wiki link, outer headings may precede it; in AsciiDoc and MediaWiki, underscores stand for
    /// spaces.
    pub(crate) fn find(&self, name: &str) -> Option<&Section> {
        let own = |name: &str| {
            let exact = self.sections.iter().find(|section| section.slug == name);
            exact.or_else(|| {
                let slug = slug(name);
                let mut sections = self.sections.iter();
                sections.find(|section| !slug.is_empty() && section.slug.to_lowercase() == slug)
            })
        };
        let inner = || name.rsplit_once('#').and_then(|(_, inner)| own(inner));
        let spaced = || own(name.replace('_', " ").trim());
        own(name)
            .or_else(|| self.labelled(name))
            .or_else(inner)
            .or_else(spaced)
    }

    /// The slug or the name most similar to `name`.
    pub(crate) fn closest(&self, name: &str) -> Option<String> {
        let named = || self.sections.iter().chain(&self.anchors);
        let slugs = || named().map(|section| &*section.slug);
        let wanted = slug(name);
        // A typo can turn a shorter name into anything.
        if wanted.chars().count() < 3 {
            return None;
        }
        let holding = slugs().find(|slug| slug.contains(&*wanted));
        let found = holding.or_else(|| excerpt_chunk::closest(&wanted, slugs()));
        found.map(str::to_string)
    }
}

/// The names that `{#name}` at its end gives to a heading: the first is that of the section.
fn own_names(section: &str) -> impl Iterator<Item = &str> {
    let heading = section.lines().next().unwrap_or_default();
    let attributes = heading.trim_end().strip_suffix('}');
    let attributes = attributes.and_then(|heading| heading.rsplit_once('{'));
    let words = attributes.map_or("", |(_, attributes)| attributes);
    let names = words.split_whitespace();
    let names = names.filter_map(|word| word.strip_prefix('#'));
    names.filter(|name| !name.is_empty())
}

/// The slugs already used in a document.
#[derive(Default)]
struct Slugs(HashMap<String, usize>);

impl Slugs {
    /// The slug of the next heading.
    fn next(&mut self, title: &str) -> String {
        let slug = slug(title);
        let Some(mut count) = self.0.get(&slug).copied() else {
            self.0.insert(slug.clone(), 0);
            return slug;
        };
        let numbered = loop {
            count += 1;
            let numbered = format!("{slug}-{count}");
            if !self.0.contains_key(&numbered) {
                break numbered;
            }
        };
        self.0.insert(slug, count);
        self.0.insert(numbered.clone(), 0);
        numbered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> Sections {
        Sections::in_markdown(text)
    }

    #[test]
    fn headings_have_the_slugs_that_links_use() {
        let text = "# What's `new`, in 2.0?\n\n## A & B\n\n## Änderung_x\n\n## A & B\n\n## A  B\n\n## Set {#own-name}\n";
        let sections = markdown(text);
        let slugs: Vec<_> = sections
            .sections
            .iter()
            .map(|section| &*section.slug)
            .collect();
        assert_eq!(
            slugs,
            [
                "whats-new-in-20",
                "a--b",
                "änderung_x",
                "a--b-1",
                "a--b-2",
                "own-name"
            ]
        );
    }

    #[test]
    fn a_section_is_found_by_slug_heading_and_last_heading_of_a_chain() {
        let text = "# Tea\n\n## How hot?\n\nHot.\n\n### Very\n\n## Time\n";
        let sections = markdown(text);
        let found = |name| {
            sections
                .find(name)
                .map(|section| &text[section.bytes.clone()])
        };
        let hot = Some("## How hot?\n\nHot.\n\n### Very\n\n");
        assert_eq!(found("how-hot"), hot);
        assert_eq!(found("How-Hot"), hot);
        assert_eq!(found("How hot?"), hot);
        assert_eq!(found("Tea#How hot?"), hot);
        assert_eq!(found("cold"), None);
        assert_eq!(found("?!"), None);
        assert_eq!(sections.closest("how-hod").unwrap(), "how-hot");
        assert_eq!(sections.closest("hot").unwrap(), "how-hot");
        assert_eq!(sections.closest("a quite different thing"), None);
    }

    #[test]
    fn many_equal_headings_are_numbered_in_no_time() {
        let mut slugs = Slugs::default();
        let last = (0..100_000).map(|_| slugs.next("Same")).last();
        assert_eq!(last.unwrap(), "same-99999");
    }
}
