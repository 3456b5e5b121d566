//! What a format says about a document in a header of its own: fields as front matter has them,
//! which take precedence. The names are those that readers of other files use: `authors`, `date`,
//! `keywords` and so on.

use serde_json::Value;

use crate::day::dates;
use crate::document::DocumentInfo;

/// The maximum length of a value in bytes. Longer ones are text.
const LONGEST: usize = 1000;

/// Adds a field with a text, unless it is there already.
pub(super) fn add_text(info: &mut DocumentInfo, name: &str, text: &str) {
    let text = spaced(text);
    if !text.is_empty() && text.len() <= LONGEST && !info.metadata.contains_key(name) {
        info.metadata.insert(name.to_string(), text.into());
    }
}

/// Adds a field with the day that a text names, or else with the text.
pub(super) fn add_date(info: &mut DocumentInfo, text: &str) {
    let day = dates(text).next();
    add_text(info, "date", day.as_deref().unwrap_or(text));
}

/// Adds values to a list, which front matter with the same field replaces.
pub(super) fn add_values<'t>(
    info: &mut DocumentInfo,
    name: &str,
    values: impl IntoIterator<Item = &'t str>,
) {
    let values = values.into_iter().map(spaced);
    let values = values.filter(|value| !value.is_empty() && value.len() <= LONGEST);
    let values: Vec<Value> = values.map(Value::from).collect();
    if !values.is_empty() && !info.metadata.contains_key(name) {
        info.metadata.insert(name.to_string(), values.into());
    }
}

/// The text in one line.
fn spaced(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::document::{Document, DocumentInfo};
    use crate::outline::Outline;

    fn info(path: &str, text: &str) -> DocumentInfo {
        let document = Document::new(text).with_path(path);
        let mut info = Outline::of(&document).info().clone();
        info.complete(&document);
        info
    }

    fn check(path: &str, text: &str, expected: Value) {
        assert_eq!(Value::from(info(path, text).metadata), expected, "{path}");
    }

    #[test]
    fn the_settings_above_the_headlines_of_org_are_metadata() {
        let text = "#+TITLE: Green\n#+title: tea\n#+AUTHOR: Ann Lee\n#+AUTHOR: Bo\n#+DATE: <2026-01-31 Sat>\n#+KEYWORDS: leaves, hot water\n\
            #+FILETAGS: :tea:home:\n#+DESCRIPTION: How to brew.\n#+STARTUP: overview\n\n* One\n#+AUTHOR: no\n";
        check(
            "a.org",
            text,
            json!({
                "authors": ["Ann Lee", "Bo"],
                "date": "2026-01-31",
                "keywords": ["leaves", "hot water"],
                "tags": ["tea", "home"],
                "description": "How to brew.",
            }),
        );
        let info = info("a.org", text);
        assert_eq!(info.title.as_deref(), Some("Green tea"));
        assert_eq!(info.dates, ["2026-01-31"]);
    }

    #[test]
    fn the_fields_below_the_title_of_restructured_text_are_metadata() {
        let text = "===\nTea\n===\n\n.. a comment\n\n:Author: Ann Lee\n:Date: $Date: 2026-01-31 10:00:00 $\n:Version: 1.10\n:Keywords: leaves, hot\n   water\n:orphan:\n:param x: no\n\nText.\n\n:Status: no\n";
        check(
            "a.rst",
            text,
            json!({
                "authors": ["Ann Lee"],
                "date": "2026-01-31",
                "version": "1.10",
                "keywords": ["leaves", "hot water"],
            }),
        );
        check(
            "b.rst",
            ":Authors: Ann Lee; Bo Day\n:tags: a, b\n\nText\n",
            json!({"authors": ["Ann Lee", "Bo Day"], "tags": ["a", "b"]}),
        );
        check("c.rst", "Tea\n===\n\nText.\n\n:Author: no\n", json!({}));
    }

    #[test]
    fn the_header_of_asciidoc_is_metadata() {
        check(
            "a.adoc",
            "= Tea\nAnn B. Lee <ann@example.org>; Bo Day\nv1.10, 2026-01-31: brewed\n:keywords: leaves, hot water\n:description: How to brew.\n:toc:\n\nText.\n\n:keywords: no\n",
            json!({
                "authors": ["Ann B. Lee", "Bo Day"],
                "version": "1.10",
                "date": "2026-01-31",
                "keywords": ["leaves", "hot water"],
                "description": "How to brew.",
            }),
        );
        check(
            "b.adoc",
            ":author: Ann Lee\n= Tea\n:revdate: 31 January 2026\n:revnumber: 2\n\nText.\n",
            json!({"authors": ["Ann Lee"], "date": "2026-01-31", "version": "2"}),
        );
        check(
            "c.adoc",
            "= Tea\n2026-01-31\n\nText.\n",
            json!({"date": "2026-01-31"}),
        );
        check("d.adoc", "= Tea\n\nAnn Lee\n", json!({}));
        // A value in several lines, with a break, and in the old form.
        check(
            "e.adoc",
            "= Tea\n:description: How to \\\n  brew + \\\nit.\n:keywords: leaves, +\n hot water\n:lang: en\n",
            json!({
                "description": "How to brew it.",
                "keywords": ["leaves", "hot water"],
                "language": "en",
            }),
        );
        let long = "tea ".repeat(100);
        check(
            "f.adoc",
            &format!("= Tea\n:description: {long}\n"),
            json!({"description": long.trim()}),
        );
    }

    #[test]
    fn author_and_date_of_latex_are_metadata() {
        check(
            "a.tex",
            "\\documentclass{article}\n\\author{Ann Lee\\thanks{of \\emph{tea}}\\\\ House of tea \\and Bo~Day}\n\\date{2026-01-31}\n\\begin{document}\n\
            \\keywords{leaves, hot water}\n\\maketitle\nText.\n\\end{document}\n",
            json!({
                "authors": ["Ann Lee", "Bo Day"],
                "date": "2026-01-31",
                "keywords": ["leaves", "hot water"],
            }),
        );
        check(
            "b.tex",
            "\\author[1]{Ann Lee}\n\\author[2]{Bo Day}\n\\date{\\today}\n\\section{One}\n% \\author{no}\n",
            json!({"authors": ["Ann Lee", "Bo Day"]}),
        );
    }

    #[cfg(feature = "front-matter")]
    #[test]
    fn front_matter_takes_precedence() {
        check(
            "a.org",
            "---\nauthors: [Cy]\n---\n#+AUTHOR: Ann\n#+DATE: 2026-01-31\n",
            json!({"authors": ["Cy"], "date": "2026-01-31"}),
        );
    }
}
