//! The stored links of a document: those to documents of the same source, and the labels that it
//! gives to its parts for such links. The target of a link is resolved as far as the document's own
//! path determines it; whether the target exists is checked when the link is read.

use excerpt_chunk::{Link, LinkKind};
use percent_encoding::percent_decode_str;

use crate::analysis::label_name;

/// A stored link, or a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkRow {
    /// The byte of the document where it starts.
    pub(crate) start: usize,
    /// The path from the root of the source, the name in a wiki link, in lower case and without
    /// `.md`, or a [label](label_name).
    pub(crate) target: String,
    /// The part after `#`, or the label as written.
    pub(crate) section: Option<String>,
    /// What `target` is.
    pub(crate) form: LinkForm,
}

/// What the target of a stored link is. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LinkForm {
    /// A path.
    Path = 0,
    /// The name in a wiki link.
    Name = 1,
    /// A label of this document or another one of its format.
    Label = 2,
    /// A label that the document gives to a part of itself. It is no link, but what links of the
    /// form [`Label`](LinkForm::Label) lead to.
    Anchor = 3,
}

impl LinkForm {
    /// The form with this number.
    pub(crate) fn of(number: i64) -> Option<Self> {
        let forms = [
            LinkForm::Path,
            LinkForm::Name,
            LinkForm::Label,
            LinkForm::Anchor,
        ];
        forms.into_iter().find(|form| *form as i64 == number)
    }
}

impl LinkRow {
    /// The row of a label, or of a link to it.
    pub(crate) fn label(form: LinkForm, label: &str, start: usize) -> Self {
        LinkRow {
            start,
            target: label_name(label),
            section: Some(label.to_string()),
            form,
        }
    }

    /// The row of a link in the document at `path`; `None` for images and for links out of the
    /// source.
    pub(crate) fn new(link: &Link, path: &str) -> Option<Self> {
        if link.kind == LinkKind::Label {
            return Some(LinkRow::label(
                LinkForm::Label,
                &link.target,
                link.bytes.start,
            ));
        }
        let (target, section) = match link.target.split_once('#') {
            Some((target, section)) => (target, Some(section).filter(|it| !it.is_empty())),
            None => (&*link.target, None),
        };
        if target.is_empty() && section.is_none() {
            return None;
        }
        let row = |target: String, section: Option<String>, form| LinkRow {
            start: link.bytes.start,
            target,
            section,
            form,
        };
        match link.kind {
            LinkKind::Wiki if !target.is_empty() && !target.starts_with("..") => {
                let name = target.trim().to_lowercase();
                let name = name.trim_start_matches("./").trim_start_matches('/');
                let name = name.strip_suffix(".md").unwrap_or(name);
                let section = section.map(str::to_string);
                (!name.is_empty()).then(|| row(name.to_string(), section, LinkForm::Name))
            }
            LinkKind::Plain | LinkKind::Wiki if !is_address(target) => {
                let section = section.map(decoded);
                let target = target.split('?').next().unwrap_or_default();
                let target = match target.is_empty() {
                    true => path.to_string(),
                    false => resolved(&decoded(target), path)?,
                };
                Some(row(target, section, LinkForm::Path))
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
            let form = match row.form {
                LinkForm::Path => "",
                LinkForm::Name => "wiki: ",
                LinkForm::Label | LinkForm::Anchor => "label: ",
            };
            format!("{form}{}{}", row.target, section.unwrap_or_default())
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

    #[test]
    fn a_label_is_kept_as_compared_and_as_written() {
        let kept = kept(LinkKind::Label, "Sec:How  hot").unwrap();
        assert_eq!(kept, "label: sec:how hot#Sec:How  hot");
    }
}
