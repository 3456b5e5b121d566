//! The links of reStructuredText: roles and references in its texts, and directives that name
//! files.

use std::collections::HashMap;
use std::ops::Range;

use crate::document::{Link, LinkKind};
use crate::outline::Outline;
use crate::parse::texts::texts;

/// The roles that name a label.
const LABELS: [&str; 3] = ["ref", "numref", "std:ref"];

/// The roles that name a document.
const DOCUMENTS: [&str; 2] = ["doc", "std:doc"];

/// The targets that a text gives to names: `.. _name: target`.
#[derive(Default)]
pub(super) struct Targets(HashMap<String, String>);

impl Targets {
    /// Adds the one in explicit markup without its dots: `_name: target`.
    pub(super) fn add(&mut self, markup: &str) {
        let named = markup
            .strip_prefix('_')
            .and_then(|rest| match rest.strip_prefix('`') {
                Some(quoted) => quoted.split_once("`:"),
                None => rest.split_once(": "),
            });
        if let Some((name, target)) = named
            && !target.trim().is_empty()
        {
            self.0.insert(known(name), target.trim().to_string());
        }
    }

    /// What a reference leads to: the target of this name, or the section of this title.
    fn of(&self, name: &str) -> String {
        match self.0.get(&known(name)) {
            Some(target) => target.clone(),
            None => format!("#{name}"),
        }
    }
}

/// A name as it is compared.
fn known(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Adds the links in the texts of an outline to those of its directives.
pub(super) fn add_links(outline: &mut Outline, text: &str, targets: &Targets) {
    let mut links = std::mem::take(&mut outline.info.links);
    for span in texts(outline) {
        in_text(text, span, targets, &mut links);
    }
    links.sort_by_key(|link| link.bytes.start);
    outline.info.links = links;
}

fn in_text(text: &str, span: Range<usize>, targets: &Targets, links: &mut Vec<Link>) {
    let part = &text[..span.end];
    let mut at = span.start;
    while let Some(open) = memchr::memchr(b'`', &part.as_bytes()[at..]) {
        let open = at + open;
        if part[open..].starts_with("``") {
            let close = part[open + 2..].find("``");
            at = close.map_or(span.end, |close| open + 2 + close + 2);
            continue;
        }
        let Some(close) = memchr::memchr(b'`', &part.as_bytes()[open + 1..]) else {
            return;
        };
        let close = open + 1 + close;
        at = close + 1;
        let inside = &part[open + 1..close];
        let role = role(&part[span.start..open]);
        let (kind, target) = match role {
            Some(role) if LABELS.contains(&role) => (LinkKind::Label, target(inside).to_string()),
            Some(role) if DOCUMENTS.contains(&role) => (LinkKind::Plain, target(inside).into()),
            // Without a name, it refers to the next target without one.
            None if part[at..].starts_with('_') && !part[at..].starts_with("__") => {
                (LinkKind::Plain, referred(inside, targets))
            }
            _ => continue,
        };
        if target.is_empty() || target == "#" {
            continue;
        }
        let (start, end) = match role {
            Some(role) => (open - role.len() - 2, at),
            None => (open, at + 1),
        };
        links.push(Link {
            target: target
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .into(),
            kind,
            bytes: start..end,
        });
    }
}

/// The role whose text begins after `before`.
fn role(before: &str) -> Option<&str> {
    let named = before.strip_suffix(':')?;
    let is_in_name = |char: char| char.is_ascii_alphanumeric() || "-_.+:".contains(char);
    let name = &named[named.trim_end_matches(is_in_name).len()..];
    name.strip_prefix(':').filter(|name| !name.is_empty())
}

/// The target in the text of a role: `title <target>`, or all of it.
fn target(inside: &str) -> &str {
    given(inside).unwrap_or(inside).trim()
}

/// The target in `title <target>`, unless a backslash makes it text.
fn given(inside: &str) -> Option<&str> {
    let (before, rest) = inside.rsplit_once('<')?;
    let is_apart = before.is_empty() || before.ends_with(char::is_whitespace);
    rest.strip_suffix('>').filter(|_| is_apart)
}

/// What a reference leads to: to what it names, or what it is the name of.
fn referred(inside: &str, targets: &Targets) -> String {
    match given(inside).map(str::trim) {
        Some(target) => match target.strip_suffix('_') {
            Some(name) => targets.of(name.trim_matches('`')),
            None => target.to_string(),
        },
        None => targets.of(&inside.replace('\\', "")),
    }
}

/// The file in the line of a directive that includes it.
pub(super) fn included<'t>(name: &str, arguments: &'t str) -> Option<&'t str> {
    let path = arguments.trim();
    // Those in angle brackets are docutils' own.
    let is_path = !path.is_empty() && !path.starts_with('<');
    (matches!(name, "include" | "literalinclude") && is_path).then_some(path)
}

/// The document in a line of a table of contents.
pub(super) fn entry(line: &str) -> Option<&str> {
    let target = target(line);
    let is_one = !target.is_empty() && target != "self" && !target.contains(['*', '?', '[']);
    is_one.then_some(target)
}

#[cfg(test)]
mod tests {
    use crate::parse::{ReStructuredText, kinds_of_links, links_of};

    fn links(text: &str) -> Vec<(String, String)> {
        links_of(&ReStructuredText, text)
    }

    #[test]
    fn roles_and_references_are_links() {
        let text = "Tea\n===\n\nSee :ref:`how hot <heat>`, :std:ref:`leaf`, :doc:`a\n<b/c>`, `How to\nbrew`_, ``:ref:`no` ``, :class:`no`.\n\n\
            ==========  ====\n:ref:`row`  a\n==========  ====\n\n.. note:: :numref:`cup`\n\n   `x <y.html>`_ `z <Tea_>`_ `site`_ `one`__ `\\<a>`_\n\n\
            .. code::\n\n   :ref:`no`\n\n.. _site: https://example.org\n";
        let expected = [
            ("heat", ":ref:`how hot <heat>`"),
            ("leaf", ":std:ref:`leaf`"),
            ("b/c", ":doc:`a\n<b/c>`"),
            ("#How to brew", "`How to\nbrew`_"),
            ("row", ":ref:`row`"),
            ("cup", ":numref:`cup`"),
            ("y.html", "`x <y.html>`_"),
            ("#Tea", "`z <Tea_>`_"),
            ("https://example.org", "`site`_"),
            ("#<a>", "`\\<a>`_"),
        ];
        let found = links(text);
        let found: Vec<_> = found.iter().map(|(to, by)| (&**to, &**by)).collect();
        assert_eq!(found, expected);
        let kinds = kinds_of_links(&ReStructuredText, ":ref:`a` :doc:`b` `c`_\n");
        assert_eq!(kinds, ["label", "plain", "plain"]);
    }

    #[test]
    fn entries_of_contents_and_included_files_are_links() {
        let text = "A\n=\n\n.. toctree::\n   :maxdepth: 2\n   :glob:\n\n   b/c\n   Title <d>\n   e/*\n   self\n\n\
            .. include:: ../f.txt\n.. include:: <isonum.txt>\n\n- .. literalinclude:: g.py\n     :lines: 2\n";
        let found = links(text);
        let found: Vec<_> = found.iter().map(|(to, by)| (&**to, &**by)).collect();
        let expected = [
            ("b/c", "b/c"),
            ("d", "Title <d>"),
            ("../f.txt", ".. include:: ../f.txt"),
            ("g.py", ".. literalinclude:: g.py"),
        ];
        assert_eq!(found, expected);
    }
}
