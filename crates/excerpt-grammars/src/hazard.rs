//! Texts that must not be given to a grammar: they are made to be slow, or nest deeper than the
//! grammar's scanner can record. They are read as lines.

/// How often the sign may change in a run of only signs and white space. The parser's error
/// recovery takes time in proportion to the depth of the expression before it, and nested signs are
/// deep: 20,000 times `/-` take a minute and more. Real code has at most a few hundred, in pictures
/// in comments.
const MOST_SIGNS: usize = 1_000;

/// How deep lines may be nested by indentation and the markers before their text. The scanners of
/// Python and YAML keep their depths in 1,024 bytes; beyond that, an assertion in the parser ends
/// the process.
const DEEPEST_LINES: usize = 200;

/// The limits of here-documents in one text: how long a name may be, how many may begin on a line,
/// and how many may be nested. The scanner of Ruby, too, keeps their names in 1,024 bytes.
const LONGEST_NAME: usize = 60;
const MOST_ON_A_LINE: usize = 12;
const MOST_INSIDE: usize = 12;

/// How deep HTML elements may be nested. Browsers stop at 512; pages written by people stay below
/// 100.
const DEEPEST_ELEMENTS: usize = 256;

/// Elements without an end tag, as the scanner knows them. This and what follows is from
/// <https://github.com/tree-sitter/tree-sitter-html/blob/v0.23.2/src/tag.h>.
const VOID_ELEMENTS: [&str; 23] = [
    "area", "base", "basefont", "bgsound", "br", "col", "command", "embed", "frame", "hr", "image",
    "img", "input", "isindex", "keygen", "link", "menuitem", "meta", "nextid", "param", "source",
    "track", "wbr",
];

/// Elements that the beginning of certain others ends. `option` is none of them.
const ENDED_BY: [(&[&str], &[&str]); 7] = [
    (&["li"], &["li"]),
    (&["dt", "dd"], &["dt", "dd"]),
    (
        &["p"],
        &[
            "address",
            "article",
            "aside",
            "blockquote",
            "details",
            "div",
            "dl",
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
            "main",
            "nav",
            "ol",
            "p",
            "pre",
            "section",
        ],
    ),
    (&["rb", "rt", "rp"], &["rb", "rt", "rp"]),
    (&["optgroup"], &["optgroup"]),
    (&["tr"], &["tr"]),
    (&["td", "th"], &["td", "th", "tr"]),
];

/// The element that every other one ends except for this one.
const COLUMNS: (&str, &str) = ("colgroup", "col");

/// How many rows a scanner can count in 16 bits.
const MOST_ROWS: usize = i16::MAX as usize;

/// An input that the scanner of a grammar cannot handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wary {
    /// Deeply nested lines.
    Depths,
    /// Many here-documents at once.
    Documents,
    /// More lines than the scanner of YAML can count: after that it takes everything for one key.
    Rows,
    /// A character beyond Latin after a brace: the scanner of shells looks it up in a table of 256.
    Braces,
    /// Nested elements: the scanner of HTML visits all open elements at each token.
    Elements,
}

impl Wary {
    /// Whether `text` contains it.
    pub(crate) fn of(self, text: &str) -> bool {
        match self {
            Wary::Depths => deep_lines(text),
            Wary::Documents => here_documents(text),
            Wary::Rows => memchr::memchr_iter(b'\n', text.as_bytes()).count() > MOST_ROWS,
            Wary::Braces => beyond_braces(text),
            Wary::Elements => deep_elements(text),
        }
    }
}

/// The runs of at least `least` bytes that are all `part` of one. Reads only few of the bytes: no
/// run fits between two probes.
fn runs(text: &str, least: usize, part: fn(u8) -> bool) -> impl Iterator<Item = &[u8]> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let probe = at;
            at += least;
            if !part(bytes[probe]) {
                continue;
            }
            let before = bytes[..probe].iter().rev().take(least);
            let start = probe - before.take_while(|byte| part(**byte)).count();
            let behind = bytes[probe..].iter().take_while(|byte| part(**byte));
            let end = probe + behind.count();
            at = at.max(end);
            if end - start >= least {
                return Some(&bytes[start..end]);
            }
        }
        None
    })
}

/// Whether signs are nested more than a parser can handle.
pub(crate) fn signs(text: &str) -> bool {
    let sign = |byte: u8| {
        let other = matches!(
            byte,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'"' | b'_'
        );
        byte.is_ascii_whitespace() || (byte.is_ascii_punctuation() && !other)
    };
    runs(text, MOST_SIGNS, sign).any(|run| {
        let mut last = 0;
        let signs = run.iter().filter(|byte| !byte.is_ascii_whitespace());
        let changes = signs.filter(|byte| std::mem::replace(&mut last, **byte) != **byte);
        changes.count() > MOST_SIGNS
    })
}

/// Whether lines are nested too deep for a scanner that keeps their depths.
fn deep_lines(text: &str) -> bool {
    // Each depth takes at least one byte before the text of its line.
    let margin = |byte: u8| matches!(byte, b' ' | b'\t' | b'-' | b'?' | b':');
    runs(text, DEEPEST_LINES, margin).next().is_some() && deepest(text) > DEEPEST_LINES
}

/// The maximum depth of lines.
fn deepest(text: &str) -> usize {
    let mut deepest = 0;
    let mut depths: Vec<usize> = Vec::new();
    for line in text.split(['\n', '\r']) {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let rest = &line[indent..];
        if rest.is_empty() {
            continue;
        }
        while depths.last().is_some_and(|depth| *depth >= indent) {
            depths.pop();
        }
        depths.push(indent);
        let marker = |byte: &u8| matches!(byte, b'-' | b'?' | b':' | b' ' | b'\t');
        let markers = rest.bytes().take_while(marker);
        let pairs = markers.zip(rest.bytes().skip(1));
        let spaced = pairs.filter(|pair| matches!(pair, (b'-' | b'?' | b':', b' ' | b'\t')));
        deepest = deepest.max(depths.len() + spaced.count());
    }
    deepest
}

/// Whether there are more here-documents at once than a scanner can keep.
fn here_documents(text: &str) -> bool {
    let mut inside = 0;
    for line in text.lines() {
        let mut on_line = 0;
        let nested = line.contains("#{");
        for (at, _) in line.match_indices("<<") {
            let name = line[at + 2..].trim_start_matches(['~', '-', '"', '\'', '`']);
            let length = name
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 128);
            let length = length.count();
            if length == 0 {
                continue;
            }
            on_line += 1;
            inside += usize::from(nested);
            if length > LONGEST_NAME || on_line > MOST_ON_A_LINE || inside > MOST_INSIDE {
                return true;
            }
        }
    }
    false
}

/// Whether a character beyond Latin comes after a brace, ignoring digits and dots.
fn beyond_braces(text: &str) -> bool {
    let mut braces = memchr::memchr_iter(b'{', text.as_bytes());
    let mut seen = 0;
    braces.any(|brace| {
        // Digits are read once, however many braces come before them.
        if brace < seen {
            return false;
        }
        let digits = |character: char| character.is_ascii_digit() || character == '.';
        let rest = text[brace + 1..].trim_start_matches(digits);
        seen = text.len() - rest.len();
        rest.starts_with(|character| character > '\u{ff}')
    })
}

/// Whether more elements are open at once than a scanner should visit.
fn deep_elements(text: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let tag = &text[at + 1..];
        let closes = tag.starts_with('/');
        let tag = &tag[usize::from(closes)..];
        let letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | ':');
        let name = &tag[..tag.find(|c| !letter(c)).unwrap_or(tag.len())];
        if name.is_empty() {
            continue;
        }
        let is = |known: &&str| known.eq_ignore_ascii_case(name);
        if closes {
            if let Some(opened) = open.iter().rposition(is) {
                open.truncate(opened);
            }
            continue;
        }
        while open.pop_if(|last| !can_contain(last, name)).is_some() {}
        if VOID_ELEMENTS.iter().any(is) {
            continue;
        }
        open.push(name);
        if open.len() > DEEPEST_ELEMENTS {
            return true;
        }
    }
    false
}

/// Whether the element `child` may begin in `parent` without ending it.
fn can_contain(parent: &str, child: &str) -> bool {
    let is_in = |names: &[&str], name: &str| names.iter().any(|it| it.eq_ignore_ascii_case(name));
    if parent.eq_ignore_ascii_case(COLUMNS.0) {
        return child.eq_ignore_ascii_case(COLUMNS.1);
    }
    let ended_by = ENDED_BY.iter().find(|(ended, _)| is_in(ended, parent));
    ended_by.is_none_or(|(_, by)| !is_in(by, child))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_no_hazard() {
        let code = "// ------------------------------------------------------------\n".repeat(40);
        assert!(!signs(&code) && !deep_lines(&code) && !here_documents(&code));
        let list = "a:\n  - - b\n    - c: d\n".repeat(300);
        assert!(!signs(&list) && !deep_lines(&list));
        assert!(!here_documents("run(<<~A, <<~B)\n  a\nA\n  b\nB\n"));
    }

    #[test]
    fn pages_are_no_hazard() {
        let deep = |text: &str| Wary::Elements.of(text);
        for flat in [
            "<p>a",
            "<li>a",
            "<dt>a<dd>b",
            "<br>",
            "<IMG src=a>",
            "<b>a</b>",
            "</b>",
            "a < b",
        ] {
            assert!(!deep(&flat.repeat(1_000)), "{flat}");
        }
        let table = "<table><tr><td>a<td>b<tr><td>c</table>";
        assert!(!deep(&table.repeat(1_000)));
        let nested = |depth: usize| "<div>".repeat(depth) + &"</DIV>".repeat(depth);
        assert!(!deep(&nested(256).repeat(2)) && deep(&nested(257)));
        assert!(deep(&"<x:y>".repeat(1_000)) && deep(&"<<A ".repeat(1_000)));
        let options = |end: &str| {
            format!(
                "<select>{}</select>",
                format!("<option>a{end}\n").repeat(257)
            )
        };
        assert!(deep(&options("")) && !deep(&options("</option>")));
    }

    #[test]
    fn an_element_that_is_ended_by_another_does_not_nest() {
        let deep = |text: &str| Wary::Elements.of(text);
        let ends = |parent: &str, child: &str| {
            let text = format!("<{parent}>a<{child}>b</{child}>").repeat(300);
            assert!(!deep(&text), "{parent} {child}");
        };
        for (ended, by) in ENDED_BY {
            for parent in ended {
                by.iter().for_each(|child| ends(parent, child));
                assert!(deep(&format!("<{parent}><b>").repeat(129)), "{parent}");
                assert!(
                    deep(&format!("<{parent}><div><ul>").repeat(129)),
                    "{parent}"
                );
            }
        }
        ends("colgroup", "div");
        ends("colgroup", "td");
        for void in VOID_ELEMENTS {
            assert!(!deep(&format!("<{void}>").repeat(300)), "{void}");
        }
        // A row ends the cell and the row before it.
        assert!(!deep(&"<tr><td>a".repeat(300)));
    }

    /// The tables are those of the scanner, whose tree shows which element contains another.
    #[cfg(feature = "html")]
    #[test]
    fn the_scanner_nests_the_same_elements() {
        let mut parser = tree_sitter::Parser::new();
        parser
            .set_language(&tree_sitter_html::LANGUAGE.into())
            .unwrap();
        let mut is_nested = |parent: &str, child: &str| {
            let end = match VOID_ELEMENTS.contains(&child) {
                true => String::new(),
                false => format!("b</{child}>"),
            };
            let before = format!("<div><{parent}>a<");
            let text = format!("{before}{child}>{end}</div>");
            let tree = parser.parse(&text, None).unwrap();
            let at = before.len();
            let mut node = tree.root_node().descendant_for_byte_range(at, at + 1);
            let mut elements = 0;
            while let Some(inner) = node {
                elements += usize::from(inner.kind() == "element");
                node = inner.parent();
            }
            elements == 3
        };
        let tables = ENDED_BY
            .iter()
            .flat_map(|(ended, by)| ended.iter().chain(*by));
        let others = ["colgroup", "option", "select", "span", "ul", "x-a"];
        let names: Vec<&str> = tables.copied().chain(others).collect();
        for parent in names.iter().filter(|name| !VOID_ELEMENTS.contains(name)) {
            for child in names.iter().chain(&VOID_ELEMENTS) {
                let expected = can_contain(parent, child);
                assert_eq!(is_nested(parent, child), expected, "{parent} {child}");
            }
        }
        for void in VOID_ELEMENTS {
            assert!(!is_nested(void, "b"), "{void}");
        }
    }

    #[test]
    fn what_is_made_to_be_slow_or_deep_is_one() {
        assert!(signs(&"/-".repeat(600)));
        assert!(signs(&format!(
            "{}{}",
            "a".repeat(777),
            "/ -".repeat(1_200)
        )));
        assert!(deep_lines(&"- ".repeat(300)));
        let stairs: String = (0..300)
            .map(|depth| format!("{}a:\n", " ".repeat(depth)))
            .collect();
        assert!(deep_lines(&stairs));
        assert!(Wary::Braces.of("a {1..漢}") && !Wary::Braces.of("{ 漢 } {é}"));
        assert!(here_documents(&"<<A,".repeat(20)));
        assert!(here_documents(&format!("<<{}\n", "A".repeat(100))));
        assert!(here_documents(&"x = \"#{<<A\n".repeat(20)));
    }
}
