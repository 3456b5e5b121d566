//! The names that a text gives to its own parts, for links to them: `.. _name:` in
//! reStructuredText, `[#name]` and `[[name]]` in AsciiDoc, `\label{name}` in LaTeX, `CUSTOM_ID` and
//! `ID` in Org, `id="name"` of an element of HTML.

use std::ops::Range;
use std::sync::LazyLock;

use excerpt_chunk::{Document, Kind, Node, Outline, Syntax};
use regex::Regex;

use super::sections::Section;

/// What names a part of a document, in each syntax. The first group that matches is the name.
const PATTERNS: &[(Syntax, &str)] = &[
    (
        Syntax::Rst,
        r"(?m)^[ \t]*\.\. _(?:`([^`\n]+)`|([^`:\n]+)):[ \t]*$|^[ \t]+:name:[ \t]*(\S.*?)[ \t]*$|(?:^|[\s(\[])_`([^`\n]+)`",
    ),
    (
        Syntax::AsciiDoc,
        r#"\[\[([\p{L}_:][^\],\n]*)(?:,[^\]\n]*)?\]\]|(?m:^)\[[^\]\n#"]*#([^\],.%\n]+)[^\]\n]*\]|\banchor:([^\[\s]+)\[|\[#([^\],.%\n]+)\]"#,
    ),
    (
        Syntax::Org,
        r"(?m)^[ \t]*:(?:CUSTOM_ID|custom_id|ID|id):[ \t]*(\S+)[ \t]*$|<<([^<>\n]+)>>|^[ \t]*#\+(?:NAME|name):[ \t]*(\S.*?)[ \t]*$",
    ),
    (Syntax::Latex, r"\\label\{([^{}\n]+)\}"),
    (
        Syntax::MediaWiki,
        r#"\{\{[Aa]nchor\|([^|{}\n]+)|<[A-Za-z]+[^<>\n]*\sid="([^"<>\n]+)""#,
    ),
    (
        Syntax::Markdown,
        r#"<[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*?)?\s(?:id|name)=["']([^"'<>\n]+)["']"#,
    ),
];

static COMPILED: LazyLock<Vec<(Syntax, Regex)>> = LazyLock::new(|| {
    let patterns = PATTERNS.iter();
    let compiled = patterns.map(|(syntax, pattern)| Some((*syntax, Regex::new(pattern).ok()?)));
    compiled.collect::<Option<_>>().unwrap_or_default()
});

/// A label as it is compared: in lower case, with one space between words.
pub(crate) fn label_name(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The formats in which a document may refer to the labels of another one.
const SHARED: [Syntax; 4] = [Syntax::Rst, Syntax::AsciiDoc, Syntax::Org, Syntax::Latex];

/// The labels of a document that others of its format may refer to, and where each is. What looks
/// like a label in a code block is one, too: whether it is, is decided when it is referred to.
pub(crate) fn shared_labels<'t>(document: &Document<'t>) -> Vec<(usize, &'t str)> {
    let syntax = document.read_as();
    let Some(pattern) = pattern(syntax).filter(|_| SHARED.contains(&syntax)) else {
        return Vec::new();
    };
    let found = pattern.captures_iter(document.text()).filter_map(|found| {
        let name = found.iter().skip(1).flatten().next()?;
        Some((name.start(), name.as_str().trim()))
    });
    found.collect()
}

fn pattern(syntax: Syntax) -> Option<&'static Regex> {
    let mut compiled = COMPILED.iter();
    let (_, pattern) = compiled.find(|(known, _)| *known == syntax)?;
    Some(pattern)
}

/// The parts of `document` that have such names, in the order of the names: a section if the name
/// belongs to its heading, otherwise a block. What looks like a name in a code block is none.
pub(super) fn anchors(document: &Document<'_>, outline: &Outline) -> Vec<Section> {
    let Some(pattern) = pattern(document.read_as()) else {
        return Vec::new();
    };
    let text = document.text();
    let found = pattern.captures_iter(text).filter_map(|found| {
        let name = found.iter().skip(1).flatten().next()?;
        let name = name.as_str().trim();
        Some(Section {
            title: name.to_string(),
            slug: name.to_string(),
            bytes: named(outline, text, found.get(0)?.start())?,
        })
    });
    found.collect()
}

/// A formula of LaTeX, which is a code block that may have a label.
static FORMULA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let environments = r"equation|align|alignat|flalign|gather|multline|eqnarray|algorithmic";
    let begins = format!(r"^\s*\\begin\{{(?:{environments})\*?\}}");
    Regex::new(&begins).ok()
});

/// The part that a name at the byte `at` belongs to; `None` in a code block.
fn named(outline: &Outline, text: &str, at: usize) -> Option<Range<usize>> {
    let nodes = outline.nodes();
    let index = nodes
        .partition_point(|node| node.span().start <= at)
        .checked_sub(1)?;
    let (index, block) = around(nodes, index);
    let has_text = |node: &&Node| !is_apart(node);
    let above = || nodes[..index].iter().rev().take(NEAR).find(has_text);
    let below = || nodes[index + 1..].iter().take(NEAR).find(has_text);
    match block.kind() {
        Kind::Code if !is_formula(&text[block.span()]) => None,
        Kind::Heading => Some(nodes[block.parent()].span()),
        // A line of its own names what it stands above, or the heading that it stands below.
        _ if is_apart(block) => match above() {
            Some(heading) if heading.kind() == Kind::Heading => {
                Some(nodes[heading.parent()].span())
            }
            _ => Some(below().unwrap_or(block).span()),
        },
        _ => Some(block.span()),
    }
}

fn is_formula(code: &str) -> bool {
    FORMULA
        .as_ref()
        .is_some_and(|formula| formula.is_match(code))
}

/// How many lines of names and settings there may be between a name and what it names.
const NEAR: usize = 16;

/// Whether a node consists of names and settings, and has no text of its own.
fn is_apart(node: &Node) -> bool {
    matches!(node.kind(), Kind::Definitions | Kind::FrontMatter)
}

/// The outermost block that the node at `index` is in, a list item rather than its list, with its
/// index.
fn around(nodes: &[Node], mut index: usize) -> (usize, &Node) {
    loop {
        let node = &nodes[index];
        let outer = &nodes[node.parent()];
        let is_outermost = matches!(
            outer.kind(),
            Kind::Document | Kind::Section | Kind::List | Kind::Item
        );
        if is_outermost || index == 0 {
            return (index, node);
        }
        index = node.parent();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in a text, each with the first and the last line of what it names.
    fn named_in(path: &str, text: &str) -> Vec<(String, String, String)> {
        let document = Document::new(text).with_path(path);
        let anchors = anchors(&document, &Outline::of(&document));
        let shown = anchors.into_iter().map(|anchor| {
            let lines = || text[anchor.bytes.clone()].trim().lines();
            let line = |line: Option<&str>| line.unwrap_or_default().to_string();
            (anchor.slug, line(lines().next()), line(lines().last()))
        });
        shown.collect()
    }

    fn check(path: &str, text: &str, expected: &[(&str, &str, &str)]) {
        let found = named_in(path, text);
        let found: Vec<_> = found.iter().map(|(a, b, c)| (&**a, &**b, &**c)).collect();
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn a_name_is_that_of_a_section_or_of_a_block() {
        check(
            "a.rst",
            ".. _top:\n\nTea\n===\n\nGreen.\n\n.. _brew water:\n\nBrew _`the leaves` in it.\n\n.. figure:: a.png\n   :name: cup\n\n   A cup.\n\nEnd.\n\n.. code::\n\n   .. _no:\n\n.. _b:\n\nB\n=\n\nLast.\n",
            &[
                ("top", ".. _top:", "   .. _no:"),
                (
                    "brew water",
                    "Brew _`the leaves` in it.",
                    "Brew _`the leaves` in it.",
                ),
                (
                    "the leaves",
                    "Brew _`the leaves` in it.",
                    "Brew _`the leaves` in it.",
                ),
                ("cup", ".. figure:: a.png", "   A cup."),
                ("b", ".. _b:", "Last."),
            ],
        );
        check(
            "a.adoc",
            "= Guide\n\n[#tea]\n== Tea\n\nGreen. [[leaf]]A leaf.\n\n[[cup,Cup]]\n.A cup\n----\n[[no]]\n----\n\n[quote#said]\n____\nSaid.\n____\n",
            &[
                ("tea", "[#tea]", "____"),
                ("leaf", "Green. [[leaf]]A leaf.", "Green. [[leaf]]A leaf."),
                ("said", "[quote#said]", "____"),
            ],
        );
        check(
            "a.org",
            "* Tea\n:PROPERTIES:\n:CUSTOM_ID: tea\n:END:\nGreen. <<leaf>>\n\n#+NAME: cup\n| a | b |\n",
            &[
                ("tea", "* Tea", "| a | b |"),
                ("leaf", "Green. <<leaf>>", "Green. <<leaf>>"),
                ("cup", "#+NAME: cup", "| a | b |"),
            ],
        );
        check(
            "a.tex",
            "\\section{Tea}\\label{sec:tea}\nGreen.\n\n\\begin{figure}\nx\n\\label{fig:cup}\n\\end{figure}\n\n\\begin{equation}\nq = 1 \\label{eq:heat}\n\\end{equation}\n\n\\begin{verbatim}\n\\label{no}\n\\end{verbatim}\n",
            &[
                (
                    "sec:tea",
                    "\\section{Tea}\\label{sec:tea}",
                    "\\end{verbatim}",
                ),
                ("fig:cup", "\\begin{figure}", "\\end{figure}"),
                ("eq:heat", "\\begin{equation}", "\\end{equation}"),
            ],
        );
        check(
            "a.md",
            "# Tea\n\n<a id=\"leaf\"></a>\nGreen.\n\n```html\n<p id=\"no\">\n```\n\n## <a name='cup'></a>Cup\n\nFull.\n",
            &[
                ("leaf", "<a id=\"leaf\"></a>", "Green."),
                ("cup", "## <a name='cup'></a>Cup", "Full."),
            ],
        );
    }
}
