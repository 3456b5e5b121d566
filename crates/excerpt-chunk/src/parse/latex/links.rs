//! The links of LaTeX: references to labels, also in formulas, and the files that commands include.

use std::ops::Range;

use crate::document::{Link, LinkKind};
use crate::outline::{Kind, Outline};
use crate::parse::latex::kinds::FORMULAS;
use crate::parse::latex::syntax::{after_command, command, gap, line_end, name, verb};
use crate::parse::paths::with_ending;

/// The commands whose argument is labels, separated by commas.
const REFERENCES: [&str; 19] = [
    "ref",
    "eqref",
    "pageref",
    "autoref",
    "nameref",
    "cref",
    "Cref",
    "cpageref",
    "Cpageref",
    "namecref",
    "labelcref",
    "vref",
    "Vref",
    "vpageref",
    "fref",
    "Fref",
    "subref",
    "thref",
    "zcref",
];

/// The commands whose argument is a file.
const INCLUDES: [&str; 4] = ["input", "include", "subfile", "subfileinclude"];

/// Adds the links in a text to its outline.
pub(super) fn add_links(outline: &mut Outline, text: &str) {
    let is_kept = |kind| matches!(kind, Kind::Code | Kind::FrontMatter);
    let kept = outline.nodes.iter().filter(|node| is_kept(node.kind()));
    let kept = kept.filter(|node| !is_formula(&text[node.span()]));
    let kept: Vec<Range<usize>> = kept.map(|node| node.span()).collect();
    let mut kept = kept.into_iter().peekable();
    let mut links = Vec::new();
    let mut at = outline.nodes[0].span().start;
    while let Some(found) = memchr::memchr2(b'\\', b'%', &text.as_bytes()[at..]) {
        at += found;
        while kept.next_if(|span| span.end <= at).is_some() {}
        if let Some(span) = kept.peek().filter(|span| span.contains(&at)) {
            at = span.end;
            continue;
        }
        if text.as_bytes()[at] == b'%' {
            at = line_end(text, at);
            continue;
        }
        let called = command(&text[at..]);
        let after = after_command(text, at, called);
        at = match called {
            "verb" | "lstinline" | "mintinline" => verb(text, after),
            "hyperref" => optional(text, after, &mut links).unwrap_or(after),
            _ if REFERENCES.contains(&called) => labels(text, after, &mut links).unwrap_or(after),
            _ if INCLUDES.contains(&called) => file(text, at, after, &mut links).unwrap_or(after),
            _ => after,
        };
    }
    outline.info.links = links;
}

/// Whether code is a formula, in which commands are meant.
fn is_formula(code: &str) -> bool {
    let environment = code.strip_prefix("\\begin{");
    let name = environment.and_then(|rest| rest.split_once('}'));
    match name {
        Some((name, _)) => FORMULAS.contains(&name.trim_end_matches('*')),
        None => true,
    }
}

/// Adds the references in the argument that follows a command.
fn labels(text: &str, after: usize, links: &mut Vec<Link>) -> Option<usize> {
    let starred = after + usize::from(text[after..].starts_with('*'));
    let (inside, end) = name(text, gap(text, starred))?;
    let start = end - 1 - inside.len();
    let mut at = start;
    for label in inside.split(',') {
        let bytes = at + label.len() - label.trim_start().len()..at + label.trim_end().len();
        at += label.len() + 1;
        let label = label.trim();
        // In the definition of a command, it is an argument of that.
        if !label.is_empty() && !label.contains(['\\', '#']) {
            links.push(Link {
                target: label.into(),
                kind: LinkKind::Label,
                bytes,
            });
        }
    }
    Some(end)
}

/// Adds the reference in `[label]`, which follows a command.
fn optional(text: &str, after: usize, links: &mut Vec<Link>) -> Option<usize> {
    let inside = text[after..].strip_prefix('[')?;
    let limit = inside.floor_char_boundary(200);
    let close = inside[..limit].find([']', '[', '\n', '\\', '#'])?;
    if !inside[close..].starts_with(']') || close == 0 {
        return None;
    }
    links.push(Link {
        target: inside[..close].trim().into(),
        kind: LinkKind::Label,
        bytes: after + 1..after + 1 + close,
    });
    Some(after + close + 2)
}

/// Adds the file that the command at `at` includes.
fn file(text: &str, at: usize, after: usize, links: &mut Vec<Link>) -> Option<usize> {
    let (file, end) = name(text, after)?;
    let file = file.trim();
    if !file.is_empty() && !file.contains(['\\', '#']) {
        links.push(Link {
            target: with_ending(file, "tex").into(),
            kind: LinkKind::Plain,
            bytes: at..end,
        });
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use crate::parse::latex::Latex;
    use crate::parse::{kinds_of_links, links_of};

    #[test]
    fn references_and_included_files_are_links_also_in_formulas() {
        let text = "\\documentclass{article}\n\\newcommand{\\fig}[1]{\\ref{#1}}\n\\input{macros}\n\\begin{document}\n\
            See \\ref{sec:tea}, \\cref*{a, b} % \\ref{no}\nand $x_{\\ref{in}}$ \\verb|\\ref{no}| \\hyperref[c]{C}.\n\n\
            \\begin{align}\nx &= y \\quad \\text{by \\eqref{eq:one}}\n\\end{align}\n\n\
            \\begin{verbatim}\n\\ref{no}\n\\end{verbatim}\n\\[ z \\ref{shown} \\]\n\
            \\begin{table}\n\\caption{As in \\ref{t}}\n\\end{table}\n\\include{b/c.d}\n\\end{document}\n";
        let found = links_of(&Latex, text);
        let found: Vec<_> = found.iter().map(|(to, by)| (&**to, &**by)).collect();
        let expected = [
            ("macros.tex", "\\input{macros}"),
            ("sec:tea", "sec:tea"),
            ("a", "a"),
            ("b", "b"),
            ("in", "in"),
            ("c", "c"),
            ("eq:one", "eq:one"),
            ("shown", "shown"),
            ("t", "t"),
            ("b/c.d", "\\include{b/c.d}"),
        ];
        assert_eq!(found, expected);
        let kinds = kinds_of_links(&Latex, "\\ref{a} \\input{b}\n");
        assert_eq!(kinds, ["label", "plain"]);
    }
}
