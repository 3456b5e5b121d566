//! What the beginning of a text shows whose name says nothing: text from a pipe, or a file without
//! an ending. Each format asks for signs that no Markdown and no prose begins with.

use crate::parse::asciidoc::title_in_one_line;
use crate::parse::mail::is_field;
use crate::parse::subtitles::is_times;
use crate::text::{is_fence, without_byte_order_mark};

/// How much of a text is looked at, in bytes.
const SAMPLE: usize = 1 << 14;

/// The fewest digits of the hash of a commit.
const SHORTEST_HASH: usize = 7;

/// The lines at the beginning of a text, without those before the first that is not blank.
fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    let text = without_byte_order_mark(text);
    let sample = &text[..text.floor_char_boundary(SAMPLE)];
    let lines = sample.lines().map(str::trim_end);
    lines.skip_while(|line| line.is_empty())
}

/// The first line that is not blank, and whether one of the lines below it is as asked for.
fn begins(text: &str, first: fn(&str) -> bool, below: fn(&str) -> bool) -> bool {
    let mut lines = lines(text);
    lines.next().is_some_and(first) && lines.any(below)
}

/// Whether a text is a diff: it begins with the names of two files, or it is a commit with a diff.
pub(super) fn is_diff(text: &str) -> bool {
    let mut head = lines(text);
    let mut next = || head.next().unwrap_or_default();
    let (first, second, third) = (next(), next(), next());
    let is_unified = |old: &str, new: &str| old.starts_with("--- ") && new.starts_with("+++ ");
    let is_git = |line: &str| line.starts_with("diff --git ");
    (is_unified(first, second) && third.starts_with("@@ -"))
        || (first.starts_with("diff -") && (is_git(first) || is_unified(second, third)))
        || (first.starts_with("Index: ") && second.starts_with("======"))
        || (is_commit(first) && head.any(is_git))
}

/// Whether a line begins a commit: `commit 0a1b…`, or `From 0a1b… Mon Sep 17 00:00:00 2001`.
fn is_commit(line: &str) -> bool {
    let mut words = line.split(' ');
    let is_first = matches!(words.next(), Some("commit" | "From"));
    is_first
        && words.next().is_some_and(|hash| {
            hash.len() >= SHORTEST_HASH && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

/// Whether a text has subtitles: it names the format, or begins with a number and times.
pub(super) fn is_subtitles(text: &str) -> bool {
    let is_name = |line: &str| line == "WEBVTT" || line.starts_with("WEBVTT ");
    let mut head = lines(text);
    let is_number = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit());
    begins(text, is_name, is_times)
        || (head.next().is_some_and(is_number) && head.next().is_some_and(is_times))
}

/// Whether a text is LaTeX: only comments and commands come before its class or its beginning.
pub(super) fn is_latex(text: &str) -> bool {
    let mut lines = lines(text).skip_while(|line| {
        let names_class = line.starts_with("\\documentclass");
        !names_class && (line.is_empty() || line.starts_with(['%', '\\']) && !is_body(line))
    });
    lines.next().is_some_and(|line| {
        let class = line.strip_prefix("\\documentclass");
        is_body(line) || class.is_some_and(|class| class.starts_with(['{', '[']))
    })
}

fn is_body(line: &str) -> bool {
    line.starts_with("\\begin{document}")
}

/// Whether a text is a message of mail: a header with a sender, an address, and more.
pub(super) fn is_mail(text: &str) -> bool {
    const OTHERS: [&str; 3] = ["subject", "date", "message-id"];
    let header = lines(text).take_while(|line| !line.is_empty());
    let is_header = |line: &str| is_field(line) || line.starts_with([' ', '\t']);
    if !header.clone().all(is_header) {
        return false;
    }
    let fields = header.filter_map(|line| line.split_once(':'));
    let (mut is_from, mut others) = (false, 0);
    for (name, value) in fields {
        is_from |= name.eq_ignore_ascii_case("from") && value.contains('@');
        others += usize::from(OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other)));
    }
    is_from && others >= 2
}

/// Whether a text is Org: it begins with a keyword for the document, or with a headline, and
/// headlines have properties, times or states.
pub(super) fn is_org(text: &str) -> bool {
    const KEYWORDS: [&str; 9] = [
        "title", "author", "date", "options", "startup", "filetags", "language", "todo", "property",
    ];
    let is_keyword = |line: &str| {
        let keyword = line
            .strip_prefix("#+")
            .and_then(|line| line.split_once(':'));
        let is = |name: &str| {
            KEYWORDS
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
        };
        keyword.is_some_and(|(name, _)| is(name))
    };
    let is_headline =
        |line: &str| line.trim_start_matches('*').starts_with(' ') && line.starts_with('*');
    let is_sign = |line: &str| {
        let plan = ["SCHEDULED: <", "DEADLINE: <", "CLOSED: ["];
        let state = ["** TODO ", "** DONE "];
        line.trim() == ":PROPERTIES:"
            || plan.iter().any(|plan| line.trim_start().starts_with(plan))
            || state.iter().any(|state| line.starts_with(state))
    };
    lines(text).next().is_some_and(is_keyword) || begins(text, is_headline, is_sign)
}

/// Whether a text is AsciiDoc: it begins with a title, which only comments and attributes come
/// before, and has sections or attributes below it. Typst has the same titles.
pub(super) fn is_asciidoc(text: &str) -> bool {
    let is_before = |line: &&str| line.is_empty() || line.starts_with("//") || is_entry(line);
    let mut lines = lines(text).skip_while(is_before);
    let is_title = lines.next().is_some_and(|line| title_at(line) == Some(1));
    let is_typst = |line: &str| {
        let words = ["#set ", "#let ", "#show ", "#import "];
        words.iter().any(|word| line.starts_with(word))
    };
    is_title
        && !lines
            .clone()
            .any(|line| is_typst(line) || is_markdown(line))
        && lines.any(|line| title_at(line) == Some(2) || is_entry(line))
}

/// The level of a title whose marks are only before it.
fn title_at(line: &str) -> Option<u8> {
    let is_title = line.starts_with('=') && !line.ends_with('=');
    title_in_one_line(line)
        .filter(|_| is_title)
        .map(|(level, _)| level)
}

/// Whether a line sets an attribute: `:name:`, `:name: value`.
fn is_entry(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|line| line.split_once(':'));
    name.is_some_and(|(name, value)| {
        let is_name = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '!');
        !name.is_empty()
            && name.chars().all(is_name)
            && (value.is_empty() || value.starts_with(' '))
    })
}

/// Whether a text is MediaWiki: it has headings between equal marks, and links or templates.
pub(super) fn is_mediawiki(text: &str) -> bool {
    let lines = lines(text);
    let is_heading = |line: &str| {
        let marks = line.len() - line.trim_start_matches('=').len();
        let title = line.trim_matches('=');
        let after = line.len() - line.trim_end_matches('=').len();
        (2..=6).contains(&marks) && marks == after && title.contains(char::is_alphanumeric)
    };
    let is_link = |line: &str| {
        let inside = line
            .split_once("[[")
            .and_then(|(_, rest)| rest.split_once("]]"));
        // An anchor of AsciiDoc, or a condition in a shell.
        let is_anchor = line.starts_with("[[") && line.ends_with("]]");
        let is_name = |name: &str| !name.is_empty() && !name.starts_with([' ', '"', '$']);
        !is_anchor && inside.is_some_and(|(name, _)| is_name(name))
    };
    let is_template = |line: &str| line.starts_with("{{") && !line.starts_with("{{ ");
    lines.clone().any(is_heading)
        && lines.clone().any(|line| is_link(line) || is_template(line))
        && !lines.clone().any(is_markdown)
}

/// Whether a line has the marks of Markdown alone: a fence or a heading.
fn is_markdown(line: &str) -> bool {
    is_fence(line) || line.trim_start_matches('#').starts_with(' ') && line.starts_with("##")
}

#[cfg(test)]
mod tests {
    use crate::document::{Document, Syntax};

    #[test]
    fn a_beginning_shows_the_format() {
        for (text, expected) in [
            (
                "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n",
                Syntax::Diff,
            ),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", Syntax::Diff),
            ("diff -u a b\n--- a\n+++ b\n@@ -1 +1 @@\n", Syntax::Diff),
            ("Index: a.c\n==========\n--- a.c\n", Syntax::Diff),
            (
                "commit 0123456789abcdef\nAuthor: A\n\n    Tea\n\ndiff --git a/x b/x\n",
                Syntax::Diff,
            ),
            (
                "From 0123456789abcdef Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\n\ndiff --git a/x b/x\n",
                Syntax::Diff,
            ),
            (
                "\u{feff}WEBVTT\n\n00:01.000 --> 00:02.000\nTea.\n",
                Syntax::Subtitles,
            ),
            (
                "1\n00:00:01,000 --> 00:00:02,000\nTea.\n",
                Syntax::Subtitles,
            ),
            (
                "% A comment\n\\PassOptionsToPackage{a}{b}\n\\documentclass[a4paper]{article}\n",
                Syntax::Latex,
            ),
            ("\\begin{document}\nTea.\n", Syntax::Latex),
            (
                "From: Ann <ann@example.org>\nSubject: Tea\nDate: Fri, 2 Jan 2026 03:04:05 +0000\n\nHow?\n",
                Syntax::Mail,
            ),
            (
                "Message-ID: <1@a>\nReceived: by b\n\tfrom c\nSubject: Tea\nFrom: a@b\n\nHow?\n",
                Syntax::Mail,
            ),
            (
                "From ada at example.org Fri Jan  2 03:04:05 2026\nSubject: Tea\n\nHow?\n",
                Syntax::Mail,
            ),
            ("#+TITLE: Tea\n\nGreen.\n", Syntax::Org),
            ("* Tea\n:PROPERTIES:\n:ID: 1\n:END:\n", Syntax::Org),
            ("* Tea\n** TODO Boil\n", Syntax::Org),
            ("* Tea\n  SCHEDULED: <2026-01-02>\n", Syntax::Org),
            ("= Tea\nAnn Author\n:toc:\n\nGreen.\n", Syntax::AsciiDoc),
            (
                "// A comment\n:toc:\n\n= Tea\n\nGreen.\n\n== Cups\n",
                Syntax::AsciiDoc,
            ),
            (
                "'''Tea''' is a [[drink]].\n\n== Sorts ==\n\nGreen.\n",
                Syntax::MediaWiki,
            ),
            ("{{Infobox}}\nTea.\n\n== Sorts ==\n", Syntax::MediaWiki),
            (".TH TEA 1\n.SH NAME\ntea\n", Syntax::Man),
            (".Dd January 2, 2026\n.Dt TEA 1\n", Syntax::Man),
        ] {
            assert_eq!(Document::new(text).read_as(), expected, "{text}");
            assert_eq!(
                Document::new(text).with_path("a/tea").read_as(),
                expected,
                "{text}"
            );
            // A message in a Maildir, whose name ends in a host.
            let in_maildir = "new/1700000000.M2P3.mail.example.pl";
            let named = Document::new(text).with_path(in_maildir);
            assert_eq!(named.read_as(), expected, "{text}");
            let markdown = Document::new(text).with_path("tea.md");
            assert_eq!(markdown.read_as(), Syntax::Markdown, "{text}");
        }
    }

    #[test]
    fn what_is_near_a_beginning_is_text() {
        for text in [
            "",
            "See this:\n\n```diff\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n```\n",
            "--- a\n+++ b\nand so on\n",
            "---\ntitle: Tea\n---\n\n# Tea\n",
            "commit messages\n\nare short.\n",
            "commit 0123456789abcdef\nis the one that broke it.\n",
            "WEBVTT is a format of subtitles.\n",
            "1\n2\n3\n",
            "1\n00:00:01,000 and on\n",
            "\\documentclass is a command of LaTeX.\n",
            "Write \\begin{document} first.\n",
            "From: Ann\nSubject: Tea\n\nA memo.\n",
            "From: ann@example.org\nTo: bob@example.org\n\nTea.\n",
            "Subject: Tea\nDate: today\n\nGreen.\n",
            "Name: Tea\nFrom: a@b.c is what it says\nand no more: no\nSubject\n",
            "#+1 from me\n",
            "* Tea\n* TODO Boil\n* DONE Drink\n",
            "* Tea\n  * green\n  * black\n",
            "= Tea\n\nGreen.\n",
            "= Tea =\n\nGreen.\n\n= Cups =\n",
            "= Tea\n#set page(width: 1cm)\n== Cups\n",
            "= Tea\n\n## Cups\n\n== Saucers\n",
            "== Sorts ==\n\nGreen.\n",
            "== Run ==\n\nif [[ -f tea ]]; then\n",
            "[[drink]] and [[cup]]\n",
            "# Tea\n\nA [[drink]].\n\n## Cups\n\n== Sorts ==\n",
        ] {
            let read_as = Document::new(text).read_as();
            assert_eq!(read_as, Syntax::Text, "{text}");
        }
    }

    #[test]
    fn a_name_with_an_ending_is_believed() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n";
        for (path, expected) in [("x.txt", Syntax::Text), ("x.log", Syntax::Log)] {
            assert_eq!(Document::new(diff).with_path(path).read_as(), expected);
        }
        let text = Document::new(diff).with_language("text");
        assert_eq!(text.read_as(), Syntax::Text);
    }
}
