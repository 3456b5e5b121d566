//! Markdown: CommonMark with task lists, footnotes and front matter. Headings follow
//! CommonMark: a `#` inside a fence is not a heading, an underlined line is. A heading at the
//! document's top level opens a section.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Tag, TagEnd};

use crate::document::{Document, DocumentInfo, Link, LinkKind};
use crate::outline::{Kind, Outline, OutlineBuilder};
use crate::parse::limits::most_nodes;
use crate::parse::{Lines, Parser, body_start, front_matter, sections};

/// The maximum length of a wiki link in bytes: it bounds the search for the end after every `[[`.
const LONGEST_WIKI_LINK: usize = 500;

/// How many lines the header of a table has: the titles, and the line below them.
const TABLE_HEADER: usize = 2;

/// Parses Markdown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Markdown;

impl Markdown {
    /// Where the text of a document begins, in bytes: behind its front matter and a byte order
    /// mark, if it has them.
    #[must_use]
    pub fn body(text: &str) -> usize {
        let start = body_start(text);
        front_matter::read(text, start).map_or(start, |front| front.end)
    }
}

impl Parser for Markdown {
    fn parse(&self, document: &Document<'_>, detail: usize) -> Outline {
        let text = document.text();
        let start = body_start(text);
        let front = front_matter::read(text, start);
        let mut reader = Reader {
            text,
            detail,
            builder: OutlineBuilder::new(text, start),
            lists: 0,
            shut: None,
            inline: 0,
            loose_text: false,
            title: None,
            info: DocumentInfo::default(),
        };
        let mut fallbacks = Vec::new();
        let body = front.as_ref().map_or(start, |front| front.end);
        if let Some(front) = front {
            reader.builder.leaf(Kind::FrontMatter, start..front.end);
            reader.info.metadata = front.fields;
            fallbacks.extend(front.fault);
        }
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_HEADING_ATTRIBUTES;
        let events = pulldown_cmark::Parser::new_ext(&text[body..], options).into_offset_iter();
        let most = most_nodes(text);
        for (event, range) in events {
            reader.event(event, body + range.start..body + range.end);
            if reader.builder.len() > most {
                return Lines::instead(document, "blocks", "Markdown");
            }
        }
        let mut outline = reader.finish();
        outline.fallbacks = fallbacks;
        outline
    }
}

/// Turns the events of the Markdown parser into nodes.
struct Reader<'a> {
    text: &'a str,
    /// How large an item may be without being opened.
    detail: usize,
    builder: OutlineBuilder<'a>,
    /// How many lists are open.
    lists: usize,
    /// The item that is being read and has no nodes of its own: an item of a nested list, of which
    /// a text may have thousands.
    shut: Option<Shut>,
    /// How many inline elements are open.
    inline: usize,
    /// Whether the innermost open node is a paragraph that has no event: the text of a tight list
    /// item.
    loose_text: bool,
    /// The text of the heading being read, once one is open.
    title: Option<String>,
    info: DocumentInfo,
}

struct Shut {
    item: Range<usize>,
    /// Whether a code block in it is open.
    in_code: bool,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            event if self.shut.is_some() => self.in_shut(event, range),
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::Rule => {
                self.end_loose_text(range.start);
                self.definitions(range.start);
                self.leaf(Kind::Rule, range);
            }
            Event::Html(_) => {}
            Event::Text(text) | Event::Code(text) => {
                self.text_at(&range);
                if self.text.as_bytes().get(range.start) == Some(&b'[') {
                    self.wiki_link(range.start);
                }
                if let Some(title) = &mut self.title {
                    title.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut self.title {
                    title.push(' ');
                }
            }
            _ => self.text_at(&range),
        }
    }

    /// Handles an event in an item without nodes: only its links are recorded.
    fn in_shut(&mut self, event: Event<'_>, range: Range<usize>) {
        let Some(shut) = &mut self.shut else {
            return;
        };
        match event {
            Event::End(TagEnd::Item) if range == shut.item => {
                self.shut = None;
                self.end(TagEnd::Item, &range);
            }
            Event::Start(Tag::CodeBlock(_)) => shut.in_code = true,
            Event::End(TagEnd::CodeBlock) => shut.in_code = false,
            Event::Start(tag) => self.link(&tag, &range),
            Event::Text(_)
                if !shut.in_code && self.text.as_bytes().get(range.start) == Some(&b'[') =>
            {
                self.wiki_link(range.start);
            }
            _ => {}
        }
    }

    /// Records the link in `tag`, if there is one.
    fn link(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        let (dest_url, kind) = match tag {
            Tag::Link { dest_url, .. } => (dest_url, LinkKind::Plain),
            Tag::Image { dest_url, .. } => (dest_url, LinkKind::Image),
            _ => return,
        };
        self.info.links.push(Link {
            target: dest_url.as_ref().into(),
            kind,
            bytes: range.clone(),
        });
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let kind = match &tag {
            Tag::Paragraph => Kind::Paragraph,
            Tag::Heading { level, .. } => return self.start_heading(*level as u8, range.start),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::CodeBlock(_) => Kind::Code,
            Tag::HtmlBlock => Kind::Html,
            Tag::List(_) => Kind::List,
            Tag::Item => Kind::Item,
            Tag::FootnoteDefinition(_) => Kind::Footnote,
            Tag::Table(_) => Kind::Table,
            // Rows and cells: a table is split at its lines.
            Tag::TableHead | Tag::TableRow | Tag::TableCell => return,
            _ => {
                self.link(&tag, &range);
                return self.start_inline(&range);
            }
        };
        self.end_loose_text(range.start);
        self.definitions(range.start);
        let node = self.builder.open_at_line(kind, range.start);
        if kind == Kind::Table {
            self.builder.header_lines(node, TABLE_HEADER);
            self.builder.cell_separator(node, b'|');
        }
        self.lists += usize::from(kind == Kind::List);
        if kind == Kind::Item && self.lists > 1 && range.len() <= self.detail {
            self.shut = Some(Shut {
                item: range,
                in_code: false,
            });
        }
        if let Tag::CodeBlock(CodeBlockKind::Fenced(info)) = tag {
            let language = info.split([' ', ',', '\t', '{']).next().unwrap_or_default();
            if !language.is_empty() {
                self.builder.label(node, language);
            }
        }
    }

    /// Records the wiki link at `start`, if there is one. The parser's own wiki links are not used:
    /// with them, `[[1]](target)` would lose its target.
    fn wiki_link(&mut self, start: usize) {
        if self.builder.current().kind == Kind::Code
            || self.text[..start].ends_with(['\\', '!', '['])
        {
            return;
        }
        let Some(rest) = self.text[start..].strip_prefix("[[") else {
            return;
        };
        let rest = &rest[..rest.floor_char_boundary(LONGEST_WIKI_LINK)];
        let inside = rest.split_once("]]").map(|(inside, behind)| {
            let is_text = behind.starts_with(['(', '[', ']']) || inside.contains(['[', ']', '\n']);
            (inside, is_text)
        });
        let Some((inside, false)) = inside else {
            return;
        };
        // In a table, the bar is written `\|`.
        let name = inside.split('|').next().unwrap_or_default();
        let name = name.trim_end_matches('\\').trim();
        if !name.is_empty() && !name.starts_with('^') {
            self.info.links.push(Link {
                target: name.into(),
                kind: LinkKind::Wiki,
                bytes: start..start + "[[]]".len() + inside.len(),
            });
        }
    }

    fn leaf(&mut self, kind: Kind, span: Range<usize>) {
        self.builder.open_at_line(kind, span.start);
        self.builder.close(span.end);
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Heading(_) => {
                let title = self.title.take().unwrap_or_default();
                sections::close_heading(&mut self.builder, &mut self.info, &title, range.end);
            }
            TagEnd::Paragraph
            | TagEnd::BlockQuote(_)
            | TagEnd::CodeBlock
            | TagEnd::HtmlBlock
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::FootnoteDefinition
            | TagEnd::Table => {
                self.lists -= usize::from(matches!(tag, TagEnd::List(_)));
                self.end_loose_text(range.end);
                self.builder.close(range.end);
            }
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell => {}
            _ => self.inline = self.inline.saturating_sub(1),
        }
    }

    fn start_heading(&mut self, level: u8, start: usize) {
        self.end_loose_text(start);
        self.definitions(start);
        self.title = Some(String::new());
        sections::open(&mut self.builder, level, start);
    }

    fn start_inline(&mut self, range: &Range<usize>) {
        self.text_at(range);
        self.inline += 1;
    }

    /// Inline content: in a tight list item it opens a paragraph of its own.
    fn text_at(&mut self, range: &Range<usize>) {
        let container = matches!(
            self.builder.current().kind,
            Kind::Item | Kind::Quote | Kind::Footnote
        );
        if container && self.inline == 0 {
            self.builder.open_at_line(Kind::Paragraph, range.start);
            self.loose_text = true;
        }
    }

    fn end_loose_text(&mut self, at: usize) {
        if self.loose_text {
            self.builder.close(at);
            self.loose_text = false;
        }
    }

    /// Link definitions have no event: any text between two top-level blocks is one.
    fn definitions(&mut self, before: usize) {
        if !matches!(self.builder.current().kind, Kind::Document | Kind::Section) {
            return;
        }
        let from = self.builder.closed_at();
        let between = self.text.get(from..before).unwrap_or_default();
        let blank = between.len() - between.trim_start().len();
        // A block's own indentation or marker may precede it on its line.
        if between[blank..].contains('\n') {
            self.leaf(Kind::Definitions, from + blank..before);
        }
    }

    fn finish(mut self) -> Outline {
        let end = self.text.len();
        self.end_loose_text(end);
        let from = self.builder.closed_at().min(end);
        if !self.text[from..].trim().is_empty() {
            let blank = self.text[from..].len() - self.text[from..].trim_start().len();
            self.leaf(Kind::Definitions, from + blank..end);
        }
        let mut outline = self.builder.finish();
        outline.info = self.info;
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn drawn(text: &str) -> String {
        parse::drawn(&Markdown, text)
    }

    #[test]
    fn sections_nest_by_level() {
        insta::assert_snapshot!(drawn("intro\n\n# A\n\n### B `c` *d*\n\ntext\n\n## E\nF\n=\n"), @r"
        Paragraph intro
        Section [A] # A
          Heading # A
          Section [B c d] ### B `c` *d*
            Heading ### B `c` *d*
            Paragraph text
          Section [E] ## E
            Heading ## E
        Section [F] F
          Heading F
        ");
    }

    #[test]
    fn a_hash_in_a_fence_is_no_heading() {
        insta::assert_snapshot!(drawn("```sh\n# not a heading\n```\n\n    # nor this\n"), @r"
        Code [sh] ```sh
        Code # nor this
        ");
    }

    #[test]
    fn tight_items_hold_a_paragraph_and_what_follows_it() {
        insta::assert_snapshot!(drawn("- one *b* c\n  - two\n  ```\n  x\n  ```\n- [ ] three\n"), @r"
        List - one *b* c
          Item - one *b* c
            Paragraph - one *b* c
            List - two
              Item - two
                Paragraph - two
            Code ```
          Item - [ ] three
            Paragraph - [ ] three
        ");
    }

    #[test]
    fn blocks_without_events_are_found() {
        insta::assert_snapshot!(drawn("[a]: /x\n[b]: /y\n\ntext [a]\n\n[c]: /z\n"), @r"
        Definitions [a]: /x
        Paragraph text [a]
        Definitions [c]: /z
        ");
    }

    #[test]
    fn front_matter_tables_footnotes_html_and_quotes_are_blocks() {
        insta::assert_snapshot!(drawn("---\na: 1\n---\n| h |\n|---|\n| c |\n\n[^1]: note\n\n<div>\nx\n</div>\n\n> q\n>\n> r\n\n***\n"), @r"
        FrontMatter ---
        Table | h |
        Footnote [^1]: note
          Paragraph [^1]: note
        Html <div>
        Quote > q
          Paragraph > q
          Paragraph > r
        Rule ***
        ");
    }

    #[test]
    fn a_heading_in_a_quote_opens_no_section() {
        insta::assert_snapshot!(drawn("> # q\n> text\n"), @r"
        Quote > # q
          Heading > # q
          Paragraph > text
        ");
    }

    #[cfg(feature = "front-matter")]
    #[test]
    fn the_document_says_what_it_is() {
        let text = "---\nkey: v\n---\n## 2026-01-31 first\n\n# Title\n\n[x](a.md#s) ![i](i.png)\n";
        let info = Markdown.parse(&Document::new(text), 0).info;
        assert_eq!(info.title.as_deref(), Some("Title"));
        assert_eq!(info.first_heading.as_deref(), Some("2026-01-31 first"));
        assert_eq!(info.dates, ["2026-01-31"]);
        assert_eq!(info.metadata["key"], "v");
        let targets: Vec<_> = info.links.iter().map(|link| &*link.target).collect();
        assert_eq!(targets, ["a.md#s", "i.png"]);
        assert_eq!(&text[info.links[0].bytes.clone()], "[x](a.md#s)");
    }

    #[test]
    fn wiki_links_are_links_but_in_code_and_before_a_target() {
        let text = "[[Tea]] and [[tea/Green|green]], `[[a]]`, \\[[b]], ![[c.png]], [[1]](d.md), [[e]\n]] [[]] [[[f]]]\n\n\
                    ```toml\n[[bench]]\n```\n\n| a |\n|---|\n| [[g\\|h]] |\n\n- [[#Water]]\n";
        let info = Markdown.parse(&Document::new(text), 0).info;
        let links = info.links.iter();
        let found: Vec<_> = links
            .map(|link| (link.kind, &*link.target, &text[link.bytes.clone()]))
            .collect();
        let wiki = LinkKind::Wiki;
        assert_eq!(
            found,
            [
                (wiki, "Tea", "[[Tea]]"),
                (wiki, "tea/Green", "[[tea/Green|green]]"),
                (LinkKind::Plain, "d.md", "[[1]](d.md)"),
                (wiki, "g", "[[g\\|h]]"),
                (wiki, "#Water", "[[#Water]]"),
            ]
        );
    }

    /// The blocks of the top level by their HTML names. Headings count, sections do not, and link
    /// definitions have none.
    fn top_blocks(text: &str) -> Vec<String> {
        let outline = Markdown.parse(&Document::new(text), 0);
        let nodes = &outline.nodes;
        let top = nodes[1..].iter().filter(|node| {
            let parent = nodes[node.parent()].kind;
            matches!(parent, Kind::Document | Kind::Section) && node.kind != Kind::Section
        });
        let named = top.filter_map(|node| {
            let numbered = || text[node.span.clone()].trim_start().as_bytes()[0].is_ascii_digit();
            Some(match node.kind {
                Kind::Definitions => return None,
                Kind::Heading => format!("h{}", node.level),
                Kind::Paragraph => "p".to_string(),
                Kind::List if numbered() => "ol".to_string(),
                Kind::List => "ul".to_string(),
                Kind::Quote => "blockquote".to_string(),
                Kind::Code => "pre".to_string(),
                Kind::Table => "table".to_string(),
                Kind::Rule => "hr".to_string(),
                kind => format!("{kind:?}"),
            })
        });
        named.collect()
    }

    /// Examples whose expected blocks, derived from the expected HTML, are not those of the source:
    /// how they begin, and why they differ.
    const EXCEPTIONS: [(&str, &str); 8] = [
        (
            "<table>",
            "raw HTML; named by its tag, here one HTML block or more",
        ),
        ("<pre language", "raw HTML; named by its tag"),
        ("<div id=\"foo\"\n*hi*", "raw HTML; its tag is not complete"),
        ("<div class\nfoo", "raw HTML; its tag is not complete"),
        ("<div *???", "raw HTML; its tag is not complete"),
        (
            "<strong> <title>",
            "raw HTML; the title's tag swallows the rest",
        ),
        (
            "> <div>\n> foo\n\nbar",
            "the tag in the quote swallows the paragraph behind it",
        ),
        (
            "[foo]: <bar>(baz)",
            "the tag in the first paragraph swallows the second",
        ),
    ];

    /// Needs the folder `markdown-spec` with the examples as JSON in `$EXCERPT_EVAL`; without it
    /// there is nothing to check.
    #[test]
    fn top_level_blocks_are_those_of_the_specifications() {
        let Some(folder) = std::env::var_os("EXCERPT_EVAL").map(std::path::PathBuf::from) else {
            eprintln!("skipped: EXCERPT_EVAL names no folder");
            return;
        };
        let mut differing = String::new();
        for name in ["commonmark.json", "gfm.json"] {
            let Ok(examples) = std::fs::read_to_string(folder.join("markdown-spec").join(name))
            else {
                eprintln!(
                    "skipped: there is no markdown-spec/{name} in {}",
                    folder.display()
                );
                return;
            };
            let examples: Vec<serde_json::Value> = serde_json::from_str(&examples).unwrap();
            for example in &examples {
                let text = example["markdown"].as_str().unwrap();
                let excepted = EXCEPTIONS.iter().any(|(start, _)| text.starts_with(start));
                let Some(expected) = example["top_blocks"].as_array().filter(|_| !excepted) else {
                    continue;
                };
                let found = top_blocks(text);
                if !expected.iter().eq(&found) {
                    let number = &example["example"];
                    let section = &example["section"];
                    differing += &format!(
                        "{name} {number} {section}: {text:?}\n  expected {expected:?}\n  found {found:?}\n"
                    );
                }
            }
            assert!(examples.len() > 600, "{name} is complete");
        }
        assert!(differing.is_empty(), "{differing}");
    }
}
