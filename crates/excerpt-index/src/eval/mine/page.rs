//! The documents of a folder as they are mined: a [`Page`] has its text, its language and, if it is
//! documentation, its [`Heading`]s.

use std::ops::Range;

use excerpt_chunk::{
    CodeParser as _, Document, Kind, Link, Markdown, Outline, Parser, ReStructuredText, Syntax,
};
use excerpt_grammars::Grammars;

/// A document.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) language: String,
}

/// A section of documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) title: String,
    /// The whole section, from its heading on.
    pub(super) bytes: Range<usize>,
    /// Where its own text ends: at the next heading, whatever its level.
    pub(super) own_end: usize,
    /// The paragraph directly below the heading, if there is one.
    pub(super) lead: Option<Range<usize>>,
}

impl Page {
    /// The document at `path` with this text.
    pub(super) fn new(path: String, text: String) -> Self {
        let document = Document::new(&text).with_path(&path);
        let language = match Grammars.detect(&document) {
            Some(detected) => detected.language.to_string(),
            None => match document.read_as() {
                Syntax::Markdown => "markdown".to_string(),
                Syntax::Rst => "rst".to_string(),
                Syntax::Text => "text".to_string(),
                _ => "other".to_string(),
            },
        };
        Page {
            path,
            text,
            language,
        }
    }

    fn document(&self) -> Document<'_> {
        Document::new(&self.text).with_path(&self.path)
    }

    pub(super) fn is_markdown(&self) -> bool {
        self.language == "markdown"
    }

    pub(super) fn is_restructured(&self) -> bool {
        self.language == "rst"
    }

    /// The outline of source code; `None` for anything else.
    pub(super) fn code(&self) -> Option<Outline> {
        let document = self.document();
        Grammars
            .detect(&document)
            .map(|_| Grammars.parse(&document, 0))
    }

    /// The sections of documentation, in order.
    pub(super) fn headings(&self) -> Vec<Heading> {
        match &*self.language {
            "markdown" => self.headings_of(&Markdown),
            "rst" => self.headings_of(&ReStructuredText),
            _ => Vec::new(),
        }
    }

    /// The links of Markdown.
    pub(super) fn links(&self) -> Vec<Link> {
        match self.is_markdown() {
            true => Markdown.parse(&self.document(), 0).info().links.clone(),
            false => Vec::new(),
        }
    }

    fn headings_of(&self, parser: &dyn Parser) -> Vec<Heading> {
        let outline = parser.parse(&self.document(), 0);
        let nodes = outline.nodes();
        let sections = (0..nodes.len()).filter(|at| nodes[*at].kind() == Kind::Section);
        let sections: Vec<usize> = sections.collect();
        let headings = sections.iter().enumerate().map(|(number, &at)| {
            let bytes = nodes[at].span();
            let next = sections
                .get(number + 1)
                .map(|next| nodes[*next].span().start);
            let lead = nodes
                .get(at + 2)
                .filter(|node| node.kind() == Kind::Paragraph && node.parent() == at);
            Heading {
                title: nodes[at].label().unwrap_or_default().to_string(),
                own_end: next.unwrap_or(bytes.end).min(bytes.end),
                lead: lead.map(|node| trimmed(&self.text, node.span())),
                bytes,
            }
        });
        headings.collect()
    }
}

/// Whether a document is a licence, whose name answers every question about it.
pub(super) fn is_legal(path: &str) -> bool {
    const NAMES: [&str; 6] = [
        "license",
        "licence",
        "copying",
        "notice",
        "copyright",
        "unlicense",
    ];
    is_named(path, &NAMES)
}

/// Whether a document lists what changed, where each sentence is about something else.
pub(super) fn is_log(path: &str) -> bool {
    is_named(
        path,
        &["changelog", "changes", "history", "news", "release"],
    )
}

fn is_named(path: &str, names: &[&str]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    names.iter().any(|start| name.starts_with(start))
}

/// The bytes without white space around them.
pub(super) fn trimmed(text: &str, bytes: Range<usize>) -> Range<usize> {
    let part = &text[bytes.clone()];
    let start = bytes.start + (part.len() - part.trim_start().len());
    start..(bytes.start + part.trim_end().len()).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_markdown_section_has_its_lead() {
        let text = "# Tea\n\nDraw it. Drink it.\n\n## Pot\n\n- A pot\n";
        let page = Page::new("a.md".to_string(), text.to_string());
        let headings = page.headings();
        assert_eq!(headings[0].title, "Tea");
        assert_eq!(
            &text[headings[0].lead.clone().unwrap()],
            "Draw it. Drink it."
        );
        assert_eq!(
            &text[..headings[0].own_end],
            "# Tea\n\nDraw it. Drink it.\n\n"
        );
        assert_eq!(headings[0].bytes, 0..text.len());
        assert_eq!(headings[1].lead, None);
    }

    #[test]
    fn a_restructured_section_ends_at_the_next_of_its_level() {
        let text =
            "===\nTea\n===\n\nDraw it.\nDrink it.\n\nPot\n---\n\n* A pot\n\nCup\n---\n\nA cup.\n";
        let page = Page::new("a.rst".to_string(), text.to_string());
        let headings = page.headings();
        let parts: Vec<&str> = headings.iter().map(|it| &text[it.bytes.clone()]).collect();
        assert_eq!(
            parts,
            [text, "Pot\n---\n\n* A pot\n\n", "Cup\n---\n\nA cup.\n"]
        );
        let lead = |at: usize| headings[at].lead.clone().map(|lead| &text[lead]);
        assert_eq!(
            [lead(0), lead(1), lead(2)],
            [Some("Draw it.\nDrink it."), None, Some("A cup.")]
        );
        assert_eq!(
            &text[..headings[0].own_end],
            &text[..text.find("Pot").unwrap()]
        );
    }
}
