//! The titles of sections as they are shown.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::parse::marks::{entity, hidden, limited, revealed, unmarked};

/// The longest value of an attribute that may stand in a title, in bytes.
const LONGEST_VALUE: usize = 200;

/// Attributes that are always set.
const SET: [(&str, &str); 30] = [
    ("amp", "&"),
    ("apos", "'"),
    ("asterisk", "*"),
    ("backslash", "\\"),
    ("backtick", "`"),
    ("blank", ""),
    ("caret", "^"),
    ("cpp", "C++"),
    ("cxx", "C++"),
    ("deg", "°"),
    ("empty", ""),
    ("endsb", "]"),
    ("gt", ">"),
    ("ldquo", "“"),
    ("lsquo", "‘"),
    ("lt", "<"),
    ("nbsp", " "),
    ("plus", "+"),
    ("pp", "++"),
    ("quot", "\""),
    ("rdquo", "”"),
    ("rsquo", "’"),
    ("sp", " "),
    ("startsb", "["),
    ("tilde", "~"),
    ("two-colons", "::"),
    ("two-semicolons", ";;"),
    ("vbar", "|"),
    ("wj", ""),
    ("zwsp", ""),
];

/// Macros whose text is shown.
const SHOWN: [&str; 11] = [
    "link:",
    "xref:",
    "mailto:",
    "http://",
    "https://",
    "pass:",
    "kbd:",
    "btn:",
    "footnote:",
    "image:",
    "icon:",
];

/// A title without the marks of inline markup, with the values of attributes.
pub(super) fn plain(title: &str, values: &HashMap<String, Cow<'_, str>>) -> String {
    let mut shown = String::new();
    let mut rest = limited(title);
    while let Some(at) = rest.find(['[', '<', '(']) {
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
        } else if let Some((term, after)) = index_term(inside) {
            // A term that is escaped is shown as it is written.
            if shown.ends_with('\\') {
                shown.pop();
                shown.push_str(&inside[..inside.len() - after.len()]);
            } else {
                shown.push_str(&term);
            }
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
                        ("footnote:" | "icon:", _) => {}
                        ("image:", text) => {
                            let described = text.split(',').next().unwrap_or(text);
                            if !described.contains('=') {
                                shown.push_str(described.trim_matches('"'));
                            }
                        }
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
    let shown = substituted(shown.trim(), values);
    revealed(&unmarked(&shown, &['*', '_', '`', '#', '+'], true))
}

/// What is shown of the term of the index that a text begins with, and what is after it: the term
/// of `((term))`, and nothing of `(((term, its part)))`.
fn index_term(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix("((")?;
    // The last two of several parentheses close it.
    let closes = |at: &usize| {
        let after = inside[*at..].strip_prefix("))");
        after.is_some_and(|after| !after.starts_with(')'))
    };
    let parentheses = inside.match_indices(')').map(|(at, _)| at);
    let close = parentheses.filter(|at| *at > 0).find(closes)?;
    let (term, after) = (&inside[..close], &inside[close + 2..]);
    let shown = match (term.strip_prefix('('), term.strip_suffix(')')) {
        (Some(_), Some(_)) => String::new(),
        (Some(inner), None) => format!("({}", referring(inner)),
        (None, Some(inner)) => format!("{})", referring(inner)),
        (None, None) => referring(term).to_string(),
    };
    Some((shown, after))
}

/// A term of the index without the terms that it refers to: `term >> other`.
fn referring(term: &str) -> &str {
    let term = term.split_once(" >> ").map_or(term, |(term, _)| term);
    term.split_once(" &> ").map_or(term, |(term, _)| term)
}

/// A title with the values of attributes for their names, `{name}`, and the characters that are
/// written as `&name;`. What a backslash stands before is no mark.
fn substituted<'t>(title: &'t str, values: &HashMap<String, Cow<'_, str>>) -> Cow<'t, str> {
    if !title.contains(['{', '\\', '&']) {
        return title.into();
    }
    let mut shown = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(at) = rest.find(['{', '\\', '&']) {
        let (before, mark) = rest.split_at(at);
        shown.push_str(before);
        rest = &mark[1..];
        if mark.starts_with('&') {
            let (text, length) = entity(mark).unwrap_or(("&", 1));
            shown.extend(text.chars().map(hidden));
            rest = &mark[length..];
            continue;
        }
        if mark.starts_with('{') {
            let value = rest.split_once('}').and_then(|(name, after)| {
                let name = name.to_lowercase();
                let set = SET.iter().find(|(known, _)| *known == name);
                let value = values.get(&name).map(|value| &**value);
                let value = value.filter(|value| value.len() <= LONGEST_VALUE);
                Some((value.or(set.map(|(_, value)| *value))?, after))
            });
            match value {
                Some((value, after)) => {
                    // The value is shown as it is.
                    shown.extend(value.chars().map(hidden));
                    rest = after;
                }
                None => shown.push('{'),
            }
            continue;
        }
        // A mark may be written twice.
        let escaped = rest.chars().next().filter(|char| "{*_`#+".contains(*char));
        match escaped {
            Some(char) => {
                let after = rest.trim_start_matches(char);
                let count = rest.len() - after.len();
                shown.extend(std::iter::repeat_n(hidden(char), count));
                rest = after;
            }
            None => shown.push('\\'),
        }
    }
    shown.push_str(rest);
    shown.into()
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
            ("HAL Tools(((HAL Tools)))", "HAL Tools"),
            ("Pins (((motion (HAL pins))))and more", "Pins and more"),
            ("The ((*HAL* pins)) and ((a >> b))", "The HAL pins and a"),
            (
                "See (((a, b)) so) and ((c) f(x)",
                "See (a, b so) and ((c) f(x)",
            ),
            (r"Not \((hidden)) (at all)", "Not ((hidden)) (at all)"),
            ("Twice footnote:[or more]", "Twice"),
            ("image:a.svg[Logo,30] Tea icon:cup[]", "Logo Tea"),
            (r"\*, \** and \{name}", "*, ** and {name}"),
            ("Tea &amp; &lt;Milk> & so", "Tea & <Milk> & so"),
            ("{Name} in {cpp}, {other}", "*Tea* in C++, {other}"),
        ] {
            let values = HashMap::from([("name".to_string(), "*Tea*".into())]);
            assert_eq!(plain(title, &values), shown);
        }
    }
}
