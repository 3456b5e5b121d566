//! Questions from source code: the first sentence of a definition's documentation comment leads to
//! the definition.

use std::collections::HashMap;
use std::ops::Range;

use excerpt_chunk::{Kind, Outline};

use super::candidate::{Candidate, Place, QuestionKind};
use super::edit::Edit;
use super::page::{Page, trimmed};
use super::text::{is_empty_word, is_fair, parts_of_name, plain, sentence_end, words};

/// The least number of bytes of a definition without its comment.
const LEAST: usize = 30;

/// A documentation comment.
#[derive(Debug, PartialEq, Eq)]
struct Comment {
    /// Its first paragraph, without the marks of a comment.
    paragraph: String,
    /// The bytes of all of it: whole lines, and several parts if attributes stand between them.
    parts: Vec<Range<usize>>,
}

/// A declaration or definition with a name that other files may repeat.
#[derive(Clone, Debug)]
pub(super) struct Twin {
    name: String,
    place: Place,
}

/// The shortest name that means the same in all files.
const SHORTEST: usize = 6;
/// The most places with the same name.
const TWINS: usize = 3;

/// What a document contributes.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) candidates: Vec<Candidate>,
    /// Its functions and types in C and C++, which are declared in one file and defined in another.
    pub(super) twins: Vec<Twin>,
}

/// The candidates in the document with this number.
pub(super) fn candidates(number: usize, page: &Page) -> Found {
    let Some(outline) = page.code() else {
        return Found::default();
    };
    Found {
        candidates: documented(number, page, &outline),
        twins: match matches!(&*page.language, "c" | "cpp") {
            true => twins(number, page, &outline),
            false => Vec::new(),
        },
    }
}

fn twins(number: usize, page: &Page, outline: &Outline) -> Vec<Twin> {
    let definitions = outline.definitions().iter().filter(|definition| {
        let kind = outline.nodes()[definition.node].kind();
        let is_macro = page.text[definition.signature.clone()].starts_with('#');
        definition.name.len() >= SHORTEST && !is_macro && kind != Kind::Constant
    });
    let twins = definitions.map(|definition| Twin {
        name: definition.name.to_string(),
        place: Place {
            page: number,
            bytes: Some(answer(&page.text, outline, definition.node)),
        },
    });
    twins.collect()
}

/// Adds to the answers of candidates in C and C++ the other places with the same name: a
/// declaration with a comment and the definition elsewhere are both what is asked for. A name that
/// occurs more often is ambiguous.
pub(super) fn add_twins(candidates: &mut Vec<Candidate>, twins: Vec<Twin>) {
    let mut places: HashMap<String, Vec<Place>> = HashMap::new();
    for Twin { name, place } in twins {
        places.entry(name).or_default().push(place);
    }
    let mut names: HashMap<(usize, usize), &str> = HashMap::new();
    for (name, places) in &places {
        for place in places {
            let start = place.bytes.as_ref().map_or(0, |bytes| bytes.start);
            names.insert((place.page, start), name);
        }
    }
    candidates.retain_mut(|candidate| {
        let own = &candidate.answers[0];
        let start = own.bytes.as_ref().map_or(0, |bytes| bytes.start);
        let Some(same) = names.get(&(own.page, start)).map(|name| &places[*name]) else {
            return true;
        };
        let others = same.iter().filter(|place| candidate.answers[0] != **place);
        let others: Vec<Place> = others.cloned().collect();
        candidate.answers.extend(others);
        candidate.answers.len() <= TWINS
    });
}

/// The bytes of a definition with its comments.
fn answer(text: &str, outline: &Outline, node: usize) -> Range<usize> {
    let span = outline.nodes()[node].span();
    trimmed(text, line_start(text, span.start)..span.end)
}

/// Whether a definition of one line is followed by another line of code: its comment may be about
/// the whole group.
fn begins_group(text: &str, definition: Range<usize>) -> bool {
    if text[definition.clone()].trim().contains('\n') {
        return false;
    }
    let after = text[definition.start..].trim_start();
    let next = after.lines().nth(1).unwrap_or_default().trim();
    let is_code = !next.is_empty()
        && !["}", ")", "end", "@", "["]
            .iter()
            .any(|end| next.starts_with(end));
    is_code && (matches!(opening(next), Opening::None) || next.starts_with("#define"))
}

fn documented(number: usize, page: &Page, outline: &Outline) -> Vec<Candidate> {
    let definitions = outline.definitions().iter();
    let candidates = definitions.filter_map(|definition| {
        let node = &outline.nodes()[definition.node];
        let kind = node.kind();
        // In scripts, comments above variables are remarks.
        let is_remark = matches!(&*page.language, "bash" | "make") && kind != Kind::Function;
        if !kind.is_code_definition() || is_remark {
            return None;
        }
        let span = node.span();
        let (text, signature) = (&*page.text, &definition.signature);
        let comment = match &*page.language {
            "python" => docstring(text, signature.end..span.end)?,
            language => above(
                text,
                line_start(text, span.start)..signature.start,
                language,
            )?,
        };
        if begins_group(text, signature.start..span.end) {
            return None;
        }
        let query = question(&comment.paragraph, &definition.name)?;
        let removed: usize = comment.parts.iter().map(ExactSizeIterator::len).sum();
        let answer = answer(text, outline, definition.node);
        if answer.len() < removed.min(answer.len()) + LEAST {
            return None;
        }
        Some(Candidate {
            kind: QuestionKind::Definition,
            query,
            language: page.language.clone(),
            is_title: false,
            answers: vec![Place {
                page: number,
                bytes: Some(answer),
            }],
            edits: (comment.parts.into_iter())
                .map(|part| (number, Edit::remove(part)))
                .collect(),
        })
    });
    candidates.collect()
}

/// The start of the line if only white space stands before `at` on it.
fn line_start(text: &str, at: usize) -> usize {
    let before = text[..at].trim_end_matches([' ', '\t']);
    match before.is_empty() || before.ends_with('\n') {
        true => before.len(),
        false => at,
    }
}

/// The question that a comment asks about the definition with this name.
fn question(paragraph: &str, name: &str) -> Option<String> {
    let sentence = plain(&paragraph[..sentence_end(paragraph)]);
    let query = without_name(&sentence, name);
    let parts = parts_of_name(name);
    let is_new = |word: &String| {
        let stem = word.trim_end_matches('s');
        let known =
            parts.contains(word) || parts.iter().any(|part| part.trim_end_matches('s') == stem);
        !known && !is_empty_word(word)
    };
    (is_fair(query) && words(query).any(|word| is_new(&word))).then(|| query.to_string())
}

/// A sentence without the name of its definition at the start, as in Go: `Draw draws tea`.
fn without_name<'s>(sentence: &'s str, name: &str) -> &'s str {
    let after = |text: &'s str| {
        let rest = text.strip_prefix(name)?;
        let following = rest.strip_prefix("()").unwrap_or(rest);
        let is_whole = !following.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        // A verb that is also the name: `Draw a pot of tea`.
        let objects = ["a", "an", "the", "this", "all", "any", "each"];
        let is_verb = following == rest
            && following
                .split_whitespace()
                .next()
                .is_some_and(|word| objects.contains(&word));
        (is_whole && !is_verb).then(|| following.trim_start_matches(|c: char| !c.is_alphanumeric()))
    };
    let articles = ["A ", "An ", "The "];
    let rest = articles
        .iter()
        .find_map(|article| sentence.strip_prefix(article));
    after(sentence)
        .or_else(|| rest.and_then(after))
        .unwrap_or(sentence)
}

/// The string at the start of the body of a definition in Python, whose text after the signature is
/// `rest`.
fn docstring(text: &str, rest: Range<usize>) -> Option<Comment> {
    let body = text[rest.clone()]
        .trim_start()
        .strip_prefix(':')?
        .trim_start();
    let start = rest.end - body.len();
    let string = body.trim_start_matches(['r', 'R', 'u', 'U']);
    let quotes = ["\"\"\"", "'''", "\"", "'"];
    let quote = quotes.into_iter().find(|quote| string.starts_with(quote))?;
    let inner = &string[quote.len()..];
    let length = inner.find(quote)?;
    let after = &inner[length + quote.len()..];
    // Something has to remain of the definition.
    if after.trim().is_empty() {
        return None;
    }
    let end = rest.end - after.len();
    let lines = inner[..length].lines().map(str::trim);
    Some(Comment {
        paragraph: first_paragraph(lines)?,
        parts: vec![whole_lines(text, start..end)],
    })
}

/// The bytes with the rest of their lines, if that is white space.
fn whole_lines(text: &str, bytes: Range<usize>) -> Range<usize> {
    let start = line_start(text, bytes.start);
    let after = text[bytes.end..].trim_start_matches([' ', '\t', '\r']);
    match after.strip_prefix('\n') {
        Some(rest) if start < bytes.start || text[..start].ends_with('\n') || start == 0 => {
            start..text.len() - rest.len()
        }
        _ => bytes,
    }
}

/// The comment in `region`, the text between the start of a definition and its first word, which
/// has only comments and attributes.
fn above(text: &str, region: Range<usize>, language: &str) -> Option<Comment> {
    let mut lines: Vec<String> = Vec::new();
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut end_of_block: Option<&str> = None;
    let mut was_blank = false;
    let mut is_documentation = false;
    let mut at = region.start;
    for line in text[region.clone()].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let (content, next) = match end_of_block {
            Some(end) => block_line(trimmed, end),
            None if trimmed.is_empty() => {
                was_blank = true;
                continue;
            }
            None => match opening(trimmed) {
                Opening::Line(content) => (content, None),
                Opening::Block(content, end) => block_line(content, end),
                Opening::None => continue,
            },
        };
        if end_of_block.is_none() {
            if was_blank {
                lines.clear();
                parts.clear();
            }
            was_blank = false;
            is_documentation = is_documentation_in(language, trimmed);
        }
        end_of_block = next;
        if !is_documentation {
            lines.clear();
            parts.clear();
            continue;
        }
        lines.push(without_marks(content).to_string());
        let part = match line.ends_with('\n') {
            true => start..at,
            false => start..start + line.trim_end().len(),
        };
        match parts.last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => parts.push(part),
        }
    }
    Some(Comment {
        paragraph: first_paragraph(lines.iter().map(|line| &**line))?,
        parts,
    })
}

/// How a line begins.
enum Opening<'l> {
    /// A comment up to the end of the line.
    Line(&'l str),
    /// A comment up to this end.
    Block(&'l str, &'static str),
    /// No comment.
    None,
}

fn opening(line: &str) -> Opening<'_> {
    const BLOCKS: [(&str, &str); 5] = [
        ("/*", "*/"),
        ("--[[", "]]"),
        ("<!--", "-->"),
        ("@doc \"\"\"", "\"\"\""),
        ("@doc ~S\"\"\"", "\"\"\""),
    ];
    for (open, end) in BLOCKS {
        if let Some(rest) = line.strip_prefix(open) {
            return Opening::Block(rest, end);
        }
    }
    let is_attribute = line.starts_with("#[") || line.starts_with("#!");
    let comment = ["//", "--", "#"]
        .into_iter()
        .find_map(|mark| line.strip_prefix(mark));
    match comment {
        Some(rest) if !is_attribute => Opening::Line(rest),
        _ => Opening::None,
    }
}

/// A line in a block comment, and the end of the block unless it is on the line.
fn block_line<'l>(line: &'l str, end: &'static str) -> (&'l str, Option<&'static str>) {
    match line.find(end) {
        Some(at) => (&line[..at], None),
        None => (line, Some(end)),
    }
}

/// Whether a comment that begins so documents what follows: where a language has a form for it,
/// other comments are remarks.
fn is_documentation_in(language: &str, opening: &str) -> bool {
    match language {
        "rust" | "zig" => opening.starts_with("///") || opening.starts_with("/**"),
        "javascript" | "typescript" | "tsx" => opening.starts_with("/**"),
        _ => true,
    }
}

/// The content of a line of a comment. A line of punctuation is a blank line.
fn without_marks(line: &str) -> &str {
    let content = line.trim_start_matches(['/', '*', '#', '-', '!', ';', '|', ' ', '\t']);
    match content.chars().any(char::is_alphanumeric) {
        true => content.trim_end(),
        false => "",
    }
}

/// The first paragraph of some lines, up to a blank line, a tag, a list or code.
fn first_paragraph<'l>(lines: impl Iterator<Item = &'l str>) -> Option<String> {
    const TOLD: [&str; 8] = [
        "@brief",
        "\\brief",
        "@description",
        "@summary",
        "@desc",
        "<summary>",
        "@short",
        "\\short",
    ];
    let mut paragraph = String::new();
    for line in lines.skip_while(|line| line.is_empty() || *line == "<summary>") {
        // `METHOD: draw` is a field of the comment; one at the start is left out.
        let field = line.split_once(": ").filter(|(field, _)| {
            field.len() > 2
                && field
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        });
        let line = match field {
            Some(("TODO" | "FIXME" | "XXX" | "HACK" | "NOTE" | "IDEA" | "MARK", _)) => return None,
            Some(_) if !paragraph.is_empty() => break,
            Some((_, rest)) => rest,
            None => line,
        };
        let is_told = TOLD.iter().any(|tag| line.starts_with(tag));
        let is_tag = line.starts_with(['@', '\\', ':', '>', '`', '<'])
            && !is_told
            && !line.starts_with("``");
        let is_named_part = line.ends_with(':') && !line.contains(' ');
        if line.is_empty()
            || (is_tag && !(paragraph.is_empty() && line.starts_with('`')))
            || is_named_part
        {
            break;
        }
        if !paragraph.is_empty() {
            paragraph.push('\n');
        }
        paragraph.push_str(line);
    }
    (!paragraph.is_empty()).then_some(paragraph)
}

#[cfg(test)]
mod tests {
    use super::super::edit::Edits;
    use super::*;

    /// The questions of a text, each with its answer after the edits.
    fn mined(path: &str, text: &str) -> Vec<(String, String)> {
        let page = Page::new(path.to_string(), text.to_string());
        let found = candidates(0, &page)
            .candidates
            .into_iter()
            .map(|candidate| {
                let edits = candidate.edits.into_iter().map(|(_, edit)| edit);
                let edits = Edits::new(edits.collect());
                let bytes = candidate.answers[0].bytes.clone().unwrap();
                let answer = edits.apply(text)[edits.span(&bytes)].to_string();
                (candidate.query, answer)
            });
        found.collect()
    }

    fn one(path: &str, text: &str) -> (String, String) {
        let mut found = mined(path, text);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        found.remove(0)
    }

    #[test]
    fn a_rust_comment_is_taken_out() {
        let text = "use a::b;\n\n/// Draws green tea at eighty degrees. Slowly.\n///\n/// # Panics\n///\n/// Never.\n#[must_use]\n// A remark.\npub fn brew(leaves: u8) -> u8 {\n    leaves + 1\n}\n";
        let (query, answer) = one("a.rs", &text.replace("// A remark.\n", ""));
        assert_eq!(query, "Draws green tea at eighty degrees.");
        assert_eq!(
            answer,
            "#[must_use]\npub fn brew(leaves: u8) -> u8 {\n    leaves + 1\n}"
        );
        assert_eq!(mined("a.rs", &text.replace("///", "//")), []);
    }

    #[test]
    fn a_docstring_is_taken_out() {
        let text = "import a\n\nclass Pot:\n    @cached\n    def brew(self, leaves):\n        \"\"\"Draw green tea\n        at eighty degrees.\n\n        :param leaves: the leaves\n        \"\"\"\n        return leaves + 1 - self.steam\n";
        let (query, answer) = one("a.py", text);
        assert_eq!(query, "Draw green tea at eighty degrees.");
        assert_eq!(
            answer,
            "@cached\n    def brew(self, leaves):\n        return leaves + 1 - self.steam"
        );
        let abstracted = "def brew(leaves):\n    \"\"\"Draw green tea at eighty degrees.\"\"\"\n";
        assert_eq!(mined("a.py", abstracted), []);
    }

    #[test]
    fn the_comment_above_asks_in_many_languages() {
        let body = "    int water = 80;\n    return water + leaves;\n}\n";
        for (path, text) in [
            ("a.go", format!("package a\n\n// brew draws green tea at\n// eighty degrees.\nfunc brew(leaves int) int {{\n{body}")),
            ("a.c", format!("#include \"a.h\"\n\n/*\n * Draws green tea at eighty\n * degrees.\n */\nint brew(int leaves) {{\n{body}")),
            ("a.js", format!("/**\n * Draws green tea at eighty degrees.\n * @param leaves the leaves\n */\nexport function brew(leaves) {{\n{body}")),
            ("A.java", format!("class A {{\n/** Draws green tea at eighty degrees. */\n@Hot\nint brew(int leaves) {{\n{body}}}\n")),
            ("a.cs", format!("class A {{\n/// <summary>\n/// Draws green tea at eighty degrees.\n/// </summary>\nint brew(int leaves) {{\n{body}}}\n")),
            ("a.lua", "local x = 1\n\n--- Draws green tea at eighty degrees.\nfunction brew(leaves)\n  local water = 80\n  return water + leaves\nend\n".to_string()),
            ("a.rb", "x = 1\n\n# Draws green tea at eighty degrees.\ndef brew(leaves)\n  water = 80\n  water + leaves\nend\n".to_string()),
            ("a.php", format!("<?php\n\n/**\n * Draws green tea at eighty degrees.\n */\nfunction brew($leaves) {{\n{body}")),
            ("a.ex", "defmodule Tea do\n  @doc \"\"\"\n  Draws green tea at eighty degrees.\n  \"\"\"\n  def brew(leaves) do\n    water = 80\n    water + leaves\n  end\nend\n".to_string()),
        ] {
            let (query, answer) = one(path, &text);
            let query = query.to_lowercase();
            assert_eq!(query, "draws green tea at eighty degrees.", "{path}");
            assert!(!answer.contains("eighty") && answer.contains("brew"), "{path}: {answer}");
        }
    }

    #[test]
    fn a_declaration_and_its_definition_are_one_answer() {
        let texts = [
            (
                "tea.h",
                "/* Draws green tea at eighty degrees. */\nint brew_tea(int leaves, int water);\n",
            ),
            (
                "tea.c",
                "int brew_tea(int leaves, int water) {\n    return leaves + water;\n}\n",
            ),
            (
                "pot.c",
                "int pour_tea(int leaves) {\n    return leaves;\n}\n",
            ),
        ];
        let (mut all, mut twins) = (Vec::new(), Vec::new());
        for (number, (path, text)) in texts.into_iter().enumerate() {
            let found = candidates(number, &Page::new(path.to_string(), text.to_string()));
            all.extend(found.candidates);
            twins.extend(found.twins);
        }
        add_twins(&mut all, twins);
        let pages: Vec<usize> = all[0].answers.iter().map(|place| place.page).collect();
        assert_eq!(pages, [0, 1]);
    }

    #[test]
    fn a_comment_above_a_group_is_no_question() {
        let text = "/* How hot the water is for tea. */\n#define WATER_FOR_GREEN_TEA 80\n#define WATER_FOR_BLACK_TEA 95\n";
        assert_eq!(mined("a.h", text), []);
        let apart = text.replace("80\n", "80\n\n");
        assert_eq!(one("a.h", &apart).1, "#define WATER_FOR_GREEN_TEA 80");
    }

    #[test]
    fn fields_of_a_comment_are_no_part_of_its_sentence() {
        let lines = ["CAPI3REF: Draw green tea", "METHOD: pot", "", "More."];
        let paragraph = first_paragraph(lines.into_iter());
        assert_eq!(paragraph.as_deref(), Some("Draw green tea"));
        assert_eq!(first_paragraph(["TODO: draw green tea"].into_iter()), None);
    }

    #[test]
    fn a_name_is_no_question() {
        for (name, sentence, query) in [
            ("getTeaPots", "Get the tea pot.", None),
            (
                "Pot",
                "A Pot is a vessel for tea.",
                Some("is a vessel for tea."),
            ),
            (
                "brew",
                "brew() - draws tea at noon",
                Some("draws tea at noon"),
            ),
            (
                "Draw",
                "Draw a pot of green tea",
                Some("Draw a pot of green tea"),
            ),
            ("brew", "See the pot of green tea.", None),
        ] {
            assert_eq!(question(sentence, name).as_deref(), query, "{sentence}");
        }
    }
}
