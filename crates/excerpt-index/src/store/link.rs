//! The stored links of a document: those to documents of the same source. The target of a link is
//! resolved as far as the document's own path determines it; whether the target exists is checked
//! when the link is read.

use excerpt_chunk::{Link, LinkKind};
use percent_encoding::percent_decode_str;

/// A stored link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkRow {
    /// The byte of the document where it starts.
    pub(crate) start: usize,
    /// The path from the root of the source, or the name in a wiki link, in lower case and without
    /// `.md`.
    pub(crate) target: String,
    /// The part after `#`.
    pub(crate) section: Option<String>,
    /// Whether `target` is the name in a wiki link.
    pub(crate) wiki: bool,
}

impl LinkRow {
    /// The row of a link in the document at `path`; `None` for images and for links out of the
    /// source.
    pub(crate) fn new(link: &Link, path: &str) -> Option<Self> {
        let (target, section) = match link.target.split_once('#') {
            Some((target, section)) => (target, Some(section).filter(|it| !it.is_empty())),
            None => (&*link.target, None),
        };
        if target.is_empty() && section.is_none() {
            return None;
        }
        let row = |target: String, section: Option<String>, wiki| LinkRow {
            start: link.bytes.start,
            target,
            section,
            wiki,
        };
        match link.kind {
            LinkKind::Wiki if !target.is_empty() && !target.starts_with("..") => {
                let name = target.trim().to_lowercase();
                let name = name.trim_start_matches("./").trim_start_matches('/');
                let name = name.strip_suffix(".md").unwrap_or(name);
                let section = section.map(str::to_string);
                (!name.is_empty()).then(|| row(name.to_string(), section, true))
            }
            LinkKind::Plain | LinkKind::Wiki if !is_address(target) => {
                let section = section.map(decoded);
                let target = target.split('?').next().unwrap_or_default();
                let target = match target.is_empty() {
                    true => path.to_string(),
                    false => resolved(&decoded(target), path)?,
                };
                Some(row(target, section, false))
            }
            _ => None,
        }
    }
}

/// Whether a target starts with a scheme or names another host.
fn is_address(target: &str) -> bool {
    let scheme = target.split(['/', '?']).next().unwrap_or_default();
    let is_scheme = scheme.split_once(':').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    is_scheme || target.starts_with("//")
}

/// Decodes `%20` and the like; unchanged, if the result is not text.
fn decoded(text: &str) -> String {
    match percent_decode_str(text).decode_utf8() {
        Ok(decoded) => decoded.into_owned(),
        Err(_) => text.to_string(),
    }
}

/// The path from the root of the source for `target`, as written in the document at `path`; `None`
/// when it is above the root.
fn resolved(target: &str, path: &str) -> Option<String> {
    let folder = match target.starts_with('/') {
        true => "",
        false => path.rsplit_once('/').map_or("", |(folder, _)| folder),
    };
    joined(folder, target)
}

/// A relative path in a folder; `None` if it is above the root.
pub(crate) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            segment => segments.push(segment),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a link in `docs/guide/tea.md` leads: `wiki: target # section`.
    fn kept(kind: LinkKind, target: &str) -> Option<String> {
        let link = Link {
            target: target.into(),
            kind,
            bytes: 0..1,
        };
        LinkRow::new(&link, "docs/guide/tea.md").map(|row| {
            let section = row.section.map(|section| format!("#{section}"));
            let wiki = if row.wiki { "wiki: " } else { "" };
            format!("{wiki}{}{}", row.target, section.unwrap_or_default())
        })
    }

    #[test]
    fn a_path_is_resolved_inside_the_source() {
        let kept = |target| kept(LinkKind::Plain, target);
        for (target, expected) in [
            ("black.md", "docs/guide/black.md"),
            ("./a//b.md", "docs/guide/a/b.md"),
            ("../ranking.md#the-weights", "docs/ranking.md#the-weights"),
            ("../../README.md", "README.md"),
            ("/src/", "src"),
            ("..", "docs"),
            ("/", ""),
            ("#water", "docs/guide/tea.md#water"),
            ("my%20tea.md#sp%C3%A4t", "docs/guide/my tea.md#spät"),
            ("a.md?plain=1#l", "docs/guide/a.md#l"),
            ("100%.md", "docs/guide/100%.md"),
            ("a/b:c.md", "docs/guide/a/b:c.md"),
        ] {
            assert_eq!(kept(target).as_deref(), Some(expected), "{target}");
        }
    }

    #[test]
    fn what_leads_out_of_the_source_is_not_kept() {
        for target in [
            "https://example.org/a.md",
            "mailto:me@example.org",
            "//example.org/a",
            "../../../a.md",
            "/../a.md",
            "",
            "#",
        ] {
            assert_eq!(kept(LinkKind::Plain, target), None, "{target}");
        }
        assert_eq!(kept(LinkKind::Image, "a.png"), None);
    }

    #[test]
    fn a_wiki_link_keeps_its_name() {
        let kept = |target| kept(LinkKind::Wiki, target);
        assert_eq!(
            kept("Green Tea.md#How hot").unwrap(),
            "wiki: green tea#How hot"
        );
        assert_eq!(kept("/tea/green").unwrap(), "wiki: tea/green");
        assert_eq!(kept("#Water").unwrap(), "docs/guide/tea.md#Water");
        assert_eq!(kept("../black").unwrap(), "docs/black");
    }
}
