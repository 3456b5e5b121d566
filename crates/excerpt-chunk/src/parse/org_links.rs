//! The links of Org: to files, addresses, headlines, targets and ids, and the files that a text
//! includes.

use std::ops::Range;

use crate::document::{Link, LinkKind};
use crate::outline::Outline;
use crate::parse::texts::texts;

/// Adds the links in a text to its outline.
pub(super) fn add_links(outline: &mut Outline, text: &str) {
    let mut links = Vec::new();
    for span in texts(outline) {
        in_text(text, span, &mut links);
    }
    let start = outline.nodes[0].span().start;
    includes(text, start, &mut links);
    links.sort_by_key(|link| link.bytes.start);
    outline.info.links = links;
}

fn in_text(all: &str, span: Range<usize>, links: &mut Vec<Link>) {
    let (start, text) = (span.start, &all[span]);
    let mut at = 0;
    while let Some(found) = text[at..].find("[[") {
        let open = at + found;
        let Some(close) = text[open..].find("]]") else {
            return;
        };
        at = open + close + 2;
        // A mark that is not closed before the next one is none.
        let open = open + text[open..at].rfind("[[").unwrap_or(0);
        let inside = &text[open + 2..at - 2];
        let target = inside.split("][").next().unwrap_or(inside);
        let words: Vec<&str> = target.split_whitespace().collect();
        if let Some((kind, target)) = leads_to(&words.join(" ")) {
            links.push(Link {
                target: target.into(),
                kind,
                bytes: start + open..start + at,
            });
        }
    }
}

/// What a target stands for; `None` for what is no file, address or part of a text.
fn leads_to(target: &str) -> Option<(LinkKind, String)> {
    if let Some(id) = target.strip_prefix("id:") {
        let id = id.split("::").next().unwrap_or(id).trim();
        return (!id.is_empty()).then(|| (LinkKind::Label, id.to_string()));
    }
    let file = target.strip_prefix("file:");
    let file = file.or_else(|| begins_path(target).then_some(target));
    if let Some(file) = file {
        let parts = file.split_once("::").filter(|_| !file.contains("://"));
        let (path, place) = parts.unwrap_or((file, ""));
        let section = section(place).unwrap_or_default();
        return (!path.is_empty()).then(|| (LinkKind::Plain, format!("{path}{section}")));
    }
    // Of another kind, such as `mailto:`, or a line of code: `(name)`.
    let is_other = target.starts_with('(') || scheme(target);
    if is_other {
        return None;
    }
    section(target).map(|section| (LinkKind::Plain, section))
}

/// The section that a place in a file names: a headline `*Title`, an id `#id`, or a target; `None`
/// for a line or a pattern.
fn section(place: &str) -> Option<String> {
    let name = place.trim_start_matches(['*', '#']).trim();
    let is_line = name.bytes().all(|byte| byte.is_ascii_digit());
    let is_pattern = name.starts_with('/') && name.ends_with('/');
    (!is_line && !is_pattern).then(|| format!("#{name}"))
}

/// Whether a target begins as one of a kind, such as `mailto:`.
fn scheme(target: &str) -> bool {
    let name = target.split_once(':').map_or("", |(name, _)| name);
    name.len() > 1
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Whether the target of a link is a path or an address, rather than a place in the document.
fn begins_path(target: &str) -> bool {
    let begins = ["./", "../", "/", "http://", "https://"];
    begins.iter().any(|begin| target.starts_with(begin))
}

/// Adds the files that a text includes: `#+INCLUDE: "path" src rust`.
fn includes(text: &str, start: usize, links: &mut Vec<Link>) {
    const NAME: &str = "#+include:";
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let begin = at;
        at += line.len();
        if !line.trim_start().starts_with("#+") {
            continue;
        }
        let written = line.trim();
        let begin = begin + line.len() - line.trim_start().len();
        let named = written
            .get(..NAME.len())
            .filter(|name| name.eq_ignore_ascii_case(NAME));
        let Some(value) = named.map(|_| written[NAME.len()..].trim_start()) else {
            continue;
        };
        let file = match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => value.split_whitespace().next(),
        };
        if let Some((kind, target)) = file.and_then(|file| leads_to(&format!("file:{file}"))) {
            links.push(Link {
                target: target.into(),
                kind,
                bytes: begin..begin + written.len(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::org::Org;
    use crate::parse::{kinds_of_links, links_of};

    #[test]
    fn links_to_files_sections_and_ids_are_recorded() {
        let text = "#+INCLUDE: \"./top.org::*Intro\" :lines 1-2\n* See [[file:a.org::*Top][a]]\n[[Top]] [[./b.org]] [[ [[https://example.org][site]]\n\
            | [[file:c.org::12]] |\n\n[[id:ab-12][that]] [[#own]] [[*How\nhot]] [[mailto:a@b.c]] [[(no)]] [[file:d.org::#e]]\n\n\
            #+begin_src sh\n[[ $no ]]\n#+end_src\n#+include: f.txt\n";
        let links = links_of(&Org, text);
        let links: Vec<_> = links.iter().map(|(to, by)| (&**to, &**by)).collect();
        assert_eq!(
            links,
            [
                (
                    "./top.org#Intro",
                    "#+INCLUDE: \"./top.org::*Intro\" :lines 1-2"
                ),
                ("a.org#Top", "[[file:a.org::*Top][a]]"),
                ("#Top", "[[Top]]"),
                ("./b.org", "[[./b.org]]"),
                ("https://example.org", "[[https://example.org][site]]"),
                ("c.org", "[[file:c.org::12]]"),
                ("ab-12", "[[id:ab-12][that]]"),
                ("#own", "[[#own]]"),
                ("#How hot", "[[*How\nhot]]"),
                ("d.org#e", "[[file:d.org::#e]]"),
                ("f.txt", "#+include: f.txt"),
            ]
        );
        let kinds = kinds_of_links(&Org, "[[id:a]] [[b]]\n");
        assert_eq!(kinds, ["label", "plain"]);
    }
}
