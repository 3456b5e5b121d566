//! [`Grammars`] is the entry point: the parser for all languages of this build. It turns a text
//! into a syntax tree, within bounds, and falls back to lines for anything that cannot be parsed.

use std::ops::Range;

use excerpt_chunk::{
    CodeParser, Detected, Document, Lines, Outline, OutlineBuilder, Parser, without_byte_order_mark,
};
use tree_sitter::Node;

use crate::bounded::{self, Parsed};
use crate::detect;
use crate::hazard;
use crate::modules::module_path;
use crate::table::Language;
use crate::walk::{Inner, Task, walk};

/// The largest text that is given to a grammar, in bytes.
const LARGEST: usize = 8 << 20;

/// The parser of source code and data.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grammars;

impl CodeParser for Grammars {
    fn detect(&self, document: &Document<'_>) -> Option<Detected> {
        detect::detect(document).map(|(language, by)| Detected {
            language: language.name,
            by,
        })
    }
}

impl Parser for Grammars {
    fn parse(&self, document: &Document<'_>, detail: usize) -> Outline {
        let Some((language, _)) = detect::detect(document) else {
            return Lines.parse(document, detail);
        };
        let mut outline = outline(language, document, detail).unwrap_or_else(|fault| {
            let mut outline = Lines.parse(document, detail);
            outline.set_language(language.name);
            outline.fall_back(fault.note(language.name));
            outline
        });
        if let Some(path) = document.path() {
            outline.set_module_path(module_path(language.name, path));
        }
        outline
    }
}

/// Why there is no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    TooLarge,
    TooMuchWork,
    Hazard,
    Unreadable,
}

impl Fault {
    fn note(self, language: &str) -> String {
        match self {
            Fault::TooLarge => format!("too large to be read as {language}: read as lines"),
            Fault::TooMuchWork => {
                format!("too much work to be read as {language}: read as lines")
            }
            Fault::Hazard => {
                format!("not safe to be read as {language}: read as lines")
            }
            Fault::Unreadable => format!("could not be read as {language}: read as lines"),
        }
    }
}

fn outline(language: &Language, document: &Document<'_>, detail: usize) -> Result<Outline, Fault> {
    let text = document.text();
    let tree = tree(language, document, None)?;
    let root = tree.root();
    if root.has_error() && unreadable(root) {
        return Err(Fault::Unreadable);
    }
    let start = text.len() - without_byte_order_mark(text).len();
    let mut builder = OutlineBuilder::new(text, start);
    builder.language(language.name);
    let inner = |name: &str, range: Range<usize>| {
        let language = Language::named(name)?;
        Some(Inner {
            tree: self::tree(language, document, Some(range)).ok()?,
            knowledge: &language.grammar().knowledge,
            line_comment: language.line_comment,
        })
    };
    let task = Task {
        text,
        start,
        detail,
        knowledge: &language.grammar().knowledge,
        line_comment: language.line_comment,
        inner: &inner,
    };
    walk(task, root, &mut builder);
    Ok(builder.finish())
}

/// How many levels of nested errors are searched for what could be parsed.
const ERRORS: usize = 4;

/// Whether less than half of the text could be parsed: at the top level, or in errors there.
fn unreadable(root: Node<'_>) -> bool {
    let mut good = 0;
    let mut all = 0;
    let mut depth = 0;
    let mut cursor = root.walk();
    let mut more = cursor.goto_first_child();
    let mut broken = vec![root.is_error()];
    while more {
        let node = cursor.node();
        let size = node.end_byte() - node.start_byte();
        if node.is_error() && depth < ERRORS && cursor.goto_first_child() {
            depth += 1;
            broken.push(true);
            continue;
        }
        if depth == 0 {
            all += size;
        }
        // In an error, words and brackets are what is left of the text that could not be parsed.
        let whole = node.child_count() > 0 || node.is_extra() || broken.last() == Some(&false);
        if whole && !node.is_error() {
            good += size;
        }
        while !cursor.goto_next_sibling() {
            if depth == 0 || !cursor.goto_parent() {
                more = false;
                break;
            }
            depth -= 1;
            broken.pop();
            if depth == 0 {
                all += cursor.node().end_byte() - cursor.node().start_byte();
            }
        }
    }
    good * 2 < all
}

/// The syntax tree of a document, or of a part of it.
fn tree(
    language: &Language,
    document: &Document<'_>,
    part: Option<Range<usize>>,
) -> Result<Parsed, Fault> {
    let text = document.text();
    let size = part.as_ref().map_or(text.len(), ExactSizeIterator::len);
    if size > LARGEST {
        return Err(Fault::TooLarge);
    }
    let grammar = language.grammar();
    let mut wary = grammar.knowledge.wary.iter();
    let hazard = hazard::signs(text) || wary.any(|wary| wary.of(text));
    if hazard {
        return Err(Fault::Hazard);
    }
    let range = part.map(|part| tree_sitter::Range {
        start_byte: part.start,
        end_byte: part.end,
        start_point: point(text, part.start),
        end_point: point(text, part.end),
    });
    bounded::parse(&grammar.table, document, range).ok_or(Fault::TooMuchWork)
}

/// The row and column of a byte, as counted by the parser.
fn point(text: &str, at: usize) -> tree_sitter::Point {
    let before = &text.as_bytes()[..at];
    let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    tree_sitter::Point {
        row: memchr::memchr_iter(b'\n', before).count(),
        column: at - line,
    }
}
