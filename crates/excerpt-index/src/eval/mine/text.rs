//! The text of a question: the first sentence of a paragraph, without markup, and whether it can be
//! understood alone.

use std::collections::HashSet;

/// A longer sentence is not a question, in bytes.
const LONGEST: usize = 600;
/// The least and the most words of a question.
const WORDS: std::ops::RangeInclusive<usize> = 3..=50;

/// Words after which a full stop does not end a sentence.
const ABBREVIATIONS: [&str; 14] = [
    "e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "mr", "mrs", "dr", "no", "approx", "resp", "incl",
];

/// Words that say nothing about a subject.
const EMPTY: [&str; 62] = [
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "did", "do", "does", "for", "from", "given", "had", "has", "have", "how", "if", "in", "into",
    "is", "it", "its", "may", "more", "must", "new", "not", "of", "on", "one", "or", "our",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "these",
    "this", "to", "was", "we", "when", "where", "which", "will", "with", "you", "your",
];

/// Whether a word says nothing about a subject.
pub(super) fn is_empty_word(word: &str) -> bool {
    EMPTY.contains(&word)
}

/// The words of a text, in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// The parts of an identifier, in lower case: `parse`, `http`, `url` for `parseHTTPUrl`.
pub(super) fn parts_of_name(name: &str) -> HashSet<String> {
    let mut parts = HashSet::new();
    let mut part = String::new();
    let mut characters = name.chars().peekable();
    let mut before = ' ';
    while let Some(c) = characters.next() {
        let next_is_lower = characters.peek().is_some_and(|next| next.is_lowercase());
        let begins = c.is_uppercase() && (!before.is_uppercase() || next_is_lower);
        if begins || !c.is_alphanumeric() {
            parts.insert(std::mem::take(&mut part));
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
        before = c;
    }
    parts.insert(part);
    parts.insert(name.to_lowercase());
    parts.remove("");
    parts
}

/// Where the first sentence of a paragraph ends, after its full stop.
pub(super) fn sentence_end(text: &str) -> usize {
    let mut is_code = false;
    for (at, c) in text.char_indices() {
        match c {
            '`' => is_code = !is_code,
            '。' | '！' | '？' if !is_code => return at + c.len_utf8(),
            '.' | '!' | '?' if !is_code => {
                let closing = |c: char| matches!(c, '"' | '\'' | ')' | '*' | '_' | '`' | '”');
                let rest = text[at + 1..].trim_start_matches(closing);
                let end = text.len() - rest.len();
                let next = rest.chars().find(|c| !c.is_whitespace());
                let is_apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
                let last = text[..at]
                    .rsplit(|c: char| c.is_whitespace() || c == '(')
                    .next();
                let last = last.unwrap_or_default().to_lowercase();
                let is_short = c == '.' && ABBREVIATIONS.contains(&&*last);
                if is_apart && !is_short && next.is_none_or(|next| !next.is_lowercase()) {
                    return end;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// A sentence in Markdown, reStructuredText or the markup of a documentation comment without the
/// markup, on one line. Empty if it is too long.
pub(super) fn plain(text: &str) -> String {
    if text.len() > LONGEST {
        return String::new();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let skipped = match c {
            '!' if after.starts_with('[') => after.find(')').map(|end| end + 2),
            ']' if after.starts_with('(') => after.find(')').map(|end| end + 2),
            ']' if after.starts_with('[') => after.find(']').map(|end| end + 2),
            '[' | ']' | '*' => Some(1),
            '{' if after.starts_with('@') => after.find([' ', '}']).map(|end| end + 1),
            '}' => Some(1),
            '<' => tag(rest, &mut out),
            ':' => role(rest),
            '`' => Some(code(rest, &mut out)),
            '\\' | '@' if !out.ends_with(char::is_alphanumeric) => Some(command(rest)),
            '&' if after.starts_with("nbsp;") => Some(6),
            _ => None,
        };
        match skipped {
            Some(bytes) => rest = &rest[bytes..],
            None => {
                out.push(c);
                rest = after;
            }
        }
    }
    let words: Vec<&str> = out.split_whitespace().map(without_emphasis).collect();
    words.join(" ")
}

/// A word without the underscores that emphasize it.
fn without_emphasis(word: &str) -> &str {
    let inner = word
        .strip_prefix('_')
        .and_then(|word| word.strip_suffix('_'));
    inner
        .filter(|inner| !inner.is_empty() && !inner.starts_with('_'))
        .unwrap_or(word)
}

/// The length of an HTML tag at the start of `text`; the name that it refers to is added to `out`.
fn tag(text: &str, out: &mut String) -> Option<usize> {
    let end = text.find('>')?;
    let inner = &text[1..end];
    let name = inner.trim_start_matches('/');
    let is_tag = name.starts_with(|c: char| c.is_ascii_lowercase()) && !inner.contains(['<', '\n']);
    let attributes = ["cref=\"", "langword=\"", "name=\""].into_iter();
    let mut named =
        attributes.filter_map(|attribute| inner.split_once(attribute)?.1.split('"').next());
    if is_tag && inner.ends_with('/') {
        out.push_str(named.next().unwrap_or_default());
    }
    is_tag.then_some(end + 1)
}

/// The length of `:role:` before a backtick.
fn role(text: &str) -> Option<usize> {
    let end = text.find('`')?;
    let role = text[1..end].strip_suffix(':')?;
    let is_role = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '+');
    role.chars().all(is_role).then_some(end)
}

/// The length of code, or of text with a role, at the start of `text`, whose words are added to
/// `out`.
fn code(text: &str, out: &mut String) -> usize {
    let rest = text.trim_start_matches('`');
    let marks = &text[..text.len() - rest.len()];
    let Some(end) = rest.find(marks) else {
        return marks.len();
    };
    let inner = &rest[..end];
    let words = match inner
        .strip_suffix('>')
        .and_then(|inner| inner.rsplit_once('<'))
    {
        Some((words, _)) if !words.trim().is_empty() && words.ends_with(char::is_whitespace) => {
            words
        }
        _ => inner.trim_start_matches(['~', '!']),
    };
    out.push_str(words);
    let length = 2 * marks.len() + end;
    match text[length..].starts_with('_') {
        true => length + 1,
        false => length,
    }
}

/// The length of what a command of a documentation comment leaves out: `\brief`, `@c`.
fn command(text: &str) -> usize {
    const OMITTED: [&str; 12] = [
        "brief",
        "short",
        "summary",
        "description",
        "desc",
        "c",
        "p",
        "a",
        "e",
        "b",
        "ref",
        "em",
    ];
    let rest = &text[1..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
    let name = &rest[..end.unwrap_or(rest.len())];
    1 + if OMITTED.contains(&name) {
        name.len()
    } else {
        0
    }
}

/// Whether a text reads like a sentence that can be a question: prose of some words, not code, not
/// a list of names, no mere reference to something else.
pub(super) fn is_fair(question: &str) -> bool {
    let count = question.split_whitespace().count();
    let letters = question
        .chars()
        .filter(|c| c.is_alphabetic() || *c == ' ')
        .count();
    let all = question.chars().count();
    let contents: HashSet<String> = words(question)
        .filter(|word| !is_empty_word(word) && word.chars().any(char::is_alphabetic))
        .collect();
    // A text without spaces between its words is counted by its characters.
    let is_long = WORDS.contains(&count) || (count < 3 && all >= 10 && !question.is_ascii());
    is_long
        && letters * 10 >= all * 8
        && (contents.len() >= 2 || !question.is_ascii())
        && !["://", " = ", "==", "<>", "();"]
            .iter()
            .any(|code| question.contains(code))
        && !question.ends_with(':')
        && !is_reference(question)
}

/// Whether a sentence only refers to something else, or is a remark to the authors.
fn is_reference(question: &str) -> bool {
    const STARTS: [&str; 37] = [
        "def",
        "see",
        "same",
        "like",
        "alias",
        "ditto",
        "equivalent",
        "deprecated",
        "todo",
        "fixme",
        "xxx",
        "hack",
        "note",
        "copyright",
        "licensed",
        "spdx",
        "inherits",
        "inherited",
        "overrides",
        "override",
        "overridden",
        "noqa",
        "eslint",
        "pylint",
        "nolint",
        "autogenerated",
        "generated",
        "reserved",
        "similar",
        "safety",
        "pragma",
        "mark",
        "region",
        "idea",
        "copied",
        "or",
        "and",
    ];
    let lower = question.to_lowercase();
    let first = words(question).next().unwrap_or_default();
    let phrases = [
        "all rights reserved",
        "do not edit",
        "inheritdoc",
        "copyright (c)",
    ];
    STARTS.contains(&&*first) || phrases.iter().any(|phrase| lower.contains(phrase))
}

/// Whether a sentence of running text depends on what comes before it, or leads to what comes after
/// it.
pub(super) fn is_dependent(sentence: &str) -> bool {
    const POINTERS: [&str; 34] = [
        "it",
        "they",
        "these",
        "those",
        "that",
        "this",
        "such",
        "here",
        "there",
        "then",
        "also",
        "however",
        "but",
        "and",
        "so",
        "he",
        "she",
        "both",
        "thus",
        "therefore",
        "instead",
        "otherwise",
        "again",
        "finally",
        "similarly",
        "another",
        "its",
        "now",
        "next",
        "lastly",
        "still",
        "yet",
        "even",
        "or",
    ];
    // `This section explains …` is about itself.
    const SELF: [&str; 12] = [
        "section", "page", "guide", "document", "chapter", "tutorial", "article", "module",
        "package", "library", "project", "crate",
    ];
    let mut each = words(sentence);
    let (first, second) = (
        each.next().unwrap_or_default(),
        each.next().unwrap_or_default(),
    );
    let is_self = first == "this" && SELF.contains(&&*second);
    let leads = words(sentence).any(|word| {
        matches!(
            &*word,
            "following" | "below" | "above" | "previous" | "preceding" | "earlier"
        )
    });
    leads || (POINTERS.contains(&&*first) && !is_self)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_its_full_stop() {
        for (text, sentence) in [
            ("Draws tea. Slowly.", "Draws tea."),
            (
                "Draws tea, e.g. green tea. Slowly.",
                "Draws tea, e.g. green tea.",
            ),
            (
                "Draws `a.b. C` well (as words.) More",
                "Draws `a.b. C` well (as words.)",
            ),
            ("Version 1.2 of\nthe pot", "Version 1.2 of\nthe pot"),
            ("The file. gitignore", "The file. gitignore"),
            ("茶を淹れる。次に飲む。", "茶を淹れる。"),
        ] {
            assert_eq!(&text[..sentence_end(text)], sentence);
        }
    }

    #[test]
    fn markup_is_no_part_of_a_question() {
        for (text, words) in [
            (
                "Draws [green *tea*](tea.md) in a `Pot`.",
                "Draws green tea in a Pot.",
            ),
            (
                "Draws :ref:`green tea <tea>` with ``a_b``",
                "Draws green tea with a_b",
            ),
            (
                "<summary>Draws {@link Tea} in a</summary> pot",
                "Draws Tea in a pot",
            ),
            (
                "\\brief Draws a `Vec<Tea>` of @c Tea",
                "Draws a Vec<Tea> of Tea",
            ),
            ("![badge](a.svg) Tea\n  at noon", "Tea at noon"),
            ("a ` b [ c ] d < e", "a b c d < e"),
        ] {
            assert_eq!(plain(text), words);
        }
    }

    #[test]
    fn names_have_parts() {
        let mut parts: Vec<String> = parts_of_name("parseHTTPUrl_v2").into_iter().collect();
        parts.sort_unstable();
        assert_eq!(parts, ["http", "parse", "parsehttpurl_v2", "url", "v2"]);
    }

    #[test]
    fn only_sentences_are_questions() {
        for fair in ["Draws tea in a pot.", "This page explains how tea is drawn"] {
            assert!(is_fair(fair) && !is_dependent(fair), "{fair}");
        }
        for unfair in [
            "Tea.",
            "It is the",
            "See the pot of tea",
            "let a = b; c(d) + e[f]; {g}",
            "The teas are as words here:",
        ] {
            assert!(!is_fair(unfair), "{unfair}");
        }
        assert!(is_dependent("This is good tea"));
        assert!(is_dependent("Use one of the following pots"));
    }
}
