//! The titles of sections as they are shown.

use crate::parse::marks::{limited, unmarked};

/// Macros whose text is shown.
const SHOWN: [&str; 9] = [
    "link:",
    "xref:",
    "mailto:",
    "http://",
    "https://",
    "pass:",
    "kbd:",
    "btn:",
    "footnote:",
];

/// A title without the marks of inline markup.
pub(super) fn plain(title: &str) -> String {
    let mut shown = String::new();
    let mut rest = limited(title);
    while let Some(at) = rest.find(['[', '<']) {
        let (before, inside) = rest.split_at(at);
        shown.push_str(before);
        rest = &inside[1..];
        if let Some(anchor) = inside.strip_prefix("[[")
            && let Some((_, after)) = anchor.split_once("]]")
        {
            rest = after;
        } else if let Some(reference) = inside.strip_prefix("<<")
            && let Some((inside, after)) = reference.split_once(">>")
        {
            let text = inside.split_once(',').map_or(inside, |(_, text)| text);
            shown.push_str(text.trim());
            rest = after;
        } else if let Some((text, after)) = inside[1..].split_once(']')
            && inside.starts_with('[')
        {
            let word = shown
                .rfind(char::is_whitespace)
                .map_or(0, |space| space + 1);
            let word = shown.ceil_char_boundary(word);
            let macros = SHOWN
                .iter()
                .filter_map(|name| Some((shown[word..].find(name)?, name)));
            match macros.min_by_key(|(at, _)| *at) {
                Some((at, name)) => {
                    let target = shown.split_off(word + at);
                    let target = &target[name.len()..];
                    match (*name, text) {
                        ("footnote:", _) => {}
                        (_, "") => shown.push_str(target),
                        (_, text) => shown.push_str(text.trim_end_matches('^')),
                    }
                    rest = after;
                }
                // A role, and the text that it is for.
                None if after.starts_with(['#', '*', '_', '`']) => rest = after,
                None => shown.push('['),
            }
        } else {
            shown.push_str(&inside[..1]);
        }
    }
    shown.push_str(rest);
    unmarked(shown.trim(), &['*', '_', '`', '#', '+'], true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_shown_without_its_marks() {
        for (title, shown) in [
            ("The *bold* `run` command", "The bold run command"),
            ("See link:a.adoc[the page^] [[here]]", "See the page"),
            ("<<a,An *a*>> and xref:b#[B]", "An a and B"),
            ("[.red]#Red# array[0]", "Red array[0]"),
            ("a < b << c [", "a < b << c ["),
            ("Twice footnote:[or more]", "Twice"),
        ] {
            assert_eq!(plain(title), shown);
        }
    }
}
