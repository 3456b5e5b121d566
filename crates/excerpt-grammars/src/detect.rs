//! Detects the language of a document: from its given language, its name, its extension, its first
//! line, its modeline and its content, in that order. A language is detected only when it is
//! certain: anything else is text.

use excerpt_chunk::{Document, Syntax, file_ending, without_byte_order_mark};

use crate::content;
use crate::table::{CONTESTED, LANGUAGES, Language};

/// How many lines at the start and at the end may contain a modeline.
const MODELINES: usize = 5;
/// The maximum length of such a line, in bytes.
const LONGEST_MODELINE: usize = 400;
/// How much of a text is searched for the marks of one of two languages, in bytes.
const LOOKED_AT: usize = 64 << 10;

/// The names of the languages of this build.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.name)
}

/// The language of `document`, and how it was detected.
pub(crate) fn detect(document: &Document<'_>) -> Option<(&'static Language, &'static str)> {
    if let Some(named) = document.language() {
        return Language::named(named.trim()).map(|language| (language, "as named"));
    }
    if document.syntax() == Syntax::Markdown {
        return None;
    }
    let text = without_byte_order_mark(document.text());
    let mut ending = None;
    if let Some(path) = document.path() {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if let Some(language) = by_name(name) {
            return Some((language, "by its name"));
        }
        ending = file_ending(path);
        if let Some(ending) = ending {
            if let Some(language) = by_ending(ending, text) {
                return Some((language, "by its ending"));
            }
            if Syntax::of_path(path) != Syntax::Code {
                return None;
            }
        }
    }
    if let Some(language) = by_first_line(text) {
        return Some((language, "by its first line"));
    }
    if let Some(language) = by_modeline(text) {
        return Some((language, "by its modeline"));
    }
    if ending.is_none()
        && let Some(language) = by_content(text)
    {
        return Some((language, "by its content"));
    }
    None
}

fn by_name(name: &str) -> Option<&'static Language> {
    let mut languages = LANGUAGES.iter();
    let exact = languages.find(|language| language.files.contains(&name));
    // `Dockerfile.dev`, but not `Dockerfile.md`.
    exact.or_else(|| {
        let (stem, ending) = name.split_once('.')?;
        let container = matches!(stem, "Dockerfile" | "Containerfile") && !ending.contains('.');
        let known = by_ending(ending, "").is_some() || Syntax::of_path(name) != Syntax::Code;
        (container && !known).then(|| Language::named("dockerfile"))?
    })
}

fn by_ending(ending: &str, text: &str) -> Option<&'static Language> {
    let ending = ending.to_ascii_lowercase();
    let mut languages = LANGUAGES.iter();
    let language = languages.find(|language| language.endings.contains(&&*ending))?;
    let mut contested = CONTESTED.iter();
    let other =
        contested.find(|contested| contested.ending == ending && shown(contested.marks, text));
    let other = other.and_then(|other| Language::named(other.language));
    Some(other.unwrap_or(language))
}

/// Whether a line of `text` begins with one of the marks.
fn shown(marks: &[&str], text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let mut lines = text.lines().map(str::trim_start);
    lines.any(|line| marks.iter().any(|mark| line.starts_with(mark)))
}

/// The language of the program named after `#!`.
fn by_first_line(text: &str) -> Option<&'static Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let line = &line[..line.floor_char_boundary(LONGEST_MODELINE)];
    let mut words = line.split_whitespace();
    let mut program = words.next()?;
    if program.ends_with("/env") || program == "env" {
        // `env -S NAME=value program` runs `program`.
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.rsplit('/').next()?;
    let version = |character: char| character.is_ascii_digit() || matches!(character, '.' | '-');
    let bare = program.trim_end_matches(version);
    let mut languages = LANGUAGES.iter();
    languages.find(|language| {
        let known = language.interpreters;
        known.contains(&program) || known.contains(&bare)
    })
}

/// The language named in a line for an editor: `vim: set ft=rust:` or `-*- mode: rust -*-`.
fn by_modeline(text: &str) -> Option<&'static Language> {
    let first = text.lines().take(MODELINES);
    let last = text.trim_end().rsplit('\n').take(MODELINES);
    let mut lines = first
        .chain(last)
        .filter(|line| line.len() <= LONGEST_MODELINE);
    lines.find_map(|line| Language::named(vim(line).or_else(|| emacs(line))?))
}

fn vim(line: &str) -> Option<&str> {
    let starts = ["vim:", "vi:", "ex:"];
    let options = starts.iter().find_map(|start| {
        let (before, options) = line.split_once(start)?;
        // The word is separate, and after the start of a comment.
        before
            .is_empty()
            .then_some(options)
            .or_else(|| before.ends_with([' ', '\t']).then_some(options))
    })?;
    let mut options = options.split([' ', '\t', ':', ',']);
    options.find_map(|option| {
        let (key, value) = option.split_once('=')?;
        matches!(key, "ft" | "filetype" | "syn" | "syntax").then_some(value.trim())
    })
}

fn emacs(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("-*-")?;
    let (inner, _) = rest.split_once("-*-")?;
    if !inner.contains(':') {
        return Some(inner.trim());
    }
    inner.split(';').find_map(|part| {
        let (key, value) = part.split_once(':')?;
        key.trim()
            .eq_ignore_ascii_case("mode")
            .then_some(value.trim())
    })
}

/// The language whose beginning, or whose lines, no prose has.
fn by_content(text: &str) -> Option<&'static Language> {
    let text = text.trim();
    let starts = |start: &str| {
        let head = text.get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    let name = if starts("<!doctype html") || starts("<html") {
        "html"
    } else if starts("<?php") {
        "php"
    } else if json(text) {
        "json"
    } else {
        content::language(text)?
    };
    Language::named(name)
}

/// Whether `text` begins and ends like an object or an array of objects.
fn json(text: &str) -> bool {
    let object = |text: &str| {
        let Some(rest) = text.strip_prefix('{') else {
            return false;
        };
        let Some(rest) = rest.trim_start().strip_prefix('"') else {
            return false;
        };
        let key = rest.split_once('"');
        key.is_some_and(|(key, rest)| !key.contains('\n') && rest.trim_start().starts_with(':'))
    };
    match text.strip_prefix('[') {
        Some(rest) => text.ends_with(']') && object(rest.trim_start()),
        None => text.ends_with('}') && object(text),
    }
}

#[cfg(all(test, feature = "rust"))]
mod tests {
    use super::*;

    #[cfg(feature = "all")]
    fn found(path: Option<&str>, text: &str) -> Option<(&'static str, &'static str)> {
        let document = Document::new(text);
        let document = path.map_or(document, |path| document.with_path(path));
        detect(&document).map(|(language, by)| (language.name, by))
    }

    #[test]
    #[cfg(feature = "all")]
    fn names_and_endings_tell() {
        let ending = |path| found(Some(path), "").map(|(language, _)| language);
        assert_eq!(found(Some("src/a.rs"), ""), Some(("rust", "by its ending")));
        assert_eq!(found(Some("Makefile"), ""), Some(("make", "by its name")));
        assert_eq!(ending("a.D.TS"), Some("typescript"));
        assert_eq!(ending("a.d.mts"), Some("typescript"));
        assert_eq!(ending("a.tsx"), Some("tsx"));
        assert_eq!(ending("rules.mk"), Some("make"));
        assert_eq!(ending("a/Dockerfile.dev"), Some("dockerfile"));
        assert_eq!(ending("a/Dockerfile.md"), None);
        assert_eq!(ending("Cargo.lock"), Some("toml"));
        assert_eq!(ending("yarn.lock"), None);
        assert_eq!(ending(".bashrc"), Some("bash"));
        assert_eq!(ending("x/Gemfile"), Some("ruby"));
        assert_eq!(ending("README.md"), None);
        assert_eq!(ending("notes.txt"), None);
        assert_eq!(ending("LICENSE"), None);
    }

    #[test]
    #[cfg(feature = "all")]
    fn a_header_is_cpp_if_it_shows() {
        let header = |text| found(Some("a.h"), text).map(|(language, _)| language);
        assert_eq!(header("int f(void);\n"), Some("c"));
        assert_eq!(header("#pragma once\nnamespace a {\n}\n"), Some("cpp"));
        assert_eq!(header("template <class T>\nT f();\n"), Some("cpp"));
    }

    #[test]
    #[cfg(feature = "all")]
    fn the_first_line_names_the_program() {
        let line = |text| found(Some("bin/run"), text);
        let by = "by its first line";
        assert_eq!(line("#!/usr/bin/env -S python3 -u\n"), Some(("python", by)));
        assert_eq!(line("#!/bin/sh\n"), Some(("bash", by)));
        assert_eq!(line("#! /usr/local/bin/ruby2.7 -w\n"), Some(("ruby", by)));
        assert_eq!(line("#!/usr/bin/env A=b node\n"), Some(("javascript", by)));
        assert_eq!(line("#!/usr/bin/env\n"), None);
        assert_eq!(line("#!/usr/bin/awk\n"), None);
    }

    #[test]
    #[cfg(feature = "all")]
    fn a_modeline_names_the_language() {
        let by = "by its modeline";
        assert_eq!(
            found(None, "x\n# vim: set ft=python ts=4:\n"),
            Some(("python", by))
        );
        assert_eq!(found(None, "// vi:syntax=go\n"), Some(("go", by)));
        assert_eq!(
            found(None, "; -*- mode: Ruby; x: y -*-\n"),
            Some(("ruby", by))
        );
        assert_eq!(found(None, "# -*- sh -*-\n"), Some(("bash", by)));
        assert_eq!(found(None, "we use vim: it has ft\n"), None);
        assert_eq!(found(None, "# -*- coding: utf-8 -*-\n"), None);
    }

    #[test]
    #[cfg(feature = "all")]
    fn content_tells_only_what_is_sure() {
        let by = "by its content";
        assert_eq!(found(None, " {\n \"a\": 1}\n"), Some(("json", by)));
        assert_eq!(found(Some("data"), "[{\"a\": 1}]"), Some(("json", by)));
        assert_eq!(found(None, "<!DOCTYPE HTML>\n"), Some(("html", by)));
        assert_eq!(found(None, "<?php echo 1;"), Some(("php", by)));
        for prose in [
            "",
            "[1] a note",
            "{name}, hello",
            "class of 1999",
            "import duties rose",
            "<?xml version=\"1.0\"?>",
            "[a]: b",
            "{ \"quoted\" words }",
        ] {
            assert_eq!(found(None, prose), None, "{prose}");
        }
        assert_eq!(found(Some("a.unknown"), "{\"a\": 1}"), None);
    }

    #[test]
    #[cfg(feature = "rust")]
    fn a_given_name_is_the_language_or_there_is_none() {
        let named = |name| {
            detect(&Document::new("").with_path("a.py").with_language(name))
                .map(|found| found.0.name)
        };
        assert_eq!(named("RS"), Some("rust"));
        assert_eq!(named("klingon"), None);
    }
}
