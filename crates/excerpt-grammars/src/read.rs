//! [`Grammars`] is the door: the parser of all languages of this build. Here a text becomes a syntax tree, within bounds, and what cannot be read
//! falls back to lines.

use std::cell::{Cell, RefCell};
use std::ops::{ControlFlow, Range};

use excerpt_chunk::{CodeParser, Detected, Document, Lines, Outline, OutlineBuilder, Parser};
use tree_sitter::{Node, ParseOptions, Tree};

use crate::detect;
use crate::hazard;
use crate::table::Language;
use crate::walk::{Inner, Task, walk};

/// The largest text that is given to a grammar, in bytes.
const LARGEST: usize = 8 << 20;
/// How often the parser may report progress: so often, and once more for each so many bytes that it has reached. A report stands for a hundred
/// steps. Of 7,000 real files none needs more than one for 16 bytes at any place; what needs more is made to be slow, or in
/// another language.
const REPORTS: usize = 200;
const BYTES_A_REPORT: usize = 8;
/// The text is given out in parts of this many bytes, and each part so often, and so many parts more: what looks for an end that is not
/// there looks through the whole text again and again.
const PART: usize = 4 << 10;
const READS: usize = 200;
const READS_A_PART: usize = 24;

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
        outline(language, document.text(), detail).unwrap_or_else(|fault| {
            let mut outline = Lines.parse(document, detail);
            outline.set_language(language.name);
            outline.fall_back(fault.note(language.name));
            outline
        })
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
            Fault::Unreadable => format!("no {language} could be read: read as lines"),
        }
    }
}

fn outline(language: &Language, text: &str, detail: usize) -> Result<Outline, Fault> {
    let tree = tree(language, text, None)?;
    let root = tree.root_node();
    if root.has_error() && unreadable(root) {
        return Err(Fault::Unreadable);
    }
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut builder = OutlineBuilder::new(text, start);
    builder.language(language.name);
    let inner = |name: &str, range: Range<usize>| {
        let language = Language::named(name)?;
        Some(Inner {
            tree: self::tree(language, text, Some(range)).ok()?,
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

/// How deep errors in errors are looked into for what could be read.
const ERRORS: usize = 4;

/// Whether less than half of the text is in what could be read: at the top, or in errors there.
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
        // In an error, words and brackets are what is left of what could not be read.
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

thread_local! {
    /// The parser of this thread: making one costs more than reading a small file.
    static PARSER: RefCell<tree_sitter::Parser> = RefCell::new(tree_sitter::Parser::new());
}

/// The syntax tree of `text`, or of a part of it.
fn tree(language: &Language, text: &str, part: Option<Range<usize>>) -> Result<Tree, Fault> {
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
    PARSER.with_borrow_mut(|parser| {
        let set = parser.set_language(&grammar.table);
        set.map_err(|_| Fault::Unreadable)?;
        let ranges = part.map(|part| tree_sitter::Range {
            start_byte: part.start,
            end_byte: part.end,
            start_point: point(text, part.start),
            end_point: point(text, part.end),
        });
        let set = parser.set_included_ranges(ranges.as_slice());
        set.map_err(|_| Fault::Unreadable)?;
        let stopped = Cell::new(false);
        let mut reports = 0;
        let mut reached = 0;
        let mut progress = |state: &tree_sitter::ParseState| {
            reports += 1;
            reached = reached.max(state.current_byte_offset());
            if reports > REPORTS + reached / BYTES_A_REPORT {
                stopped.set(true);
            }
            match stopped.get() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let bytes = text.as_bytes();
        let mut reads = READS + bytes.len() / PART * READS_A_PART;
        let mut read = |offset: usize, _| {
            reads = reads.saturating_sub(1);
            if reads == 0 {
                stopped.set(true);
                return &[][..];
            }
            let end = bytes.len().min(offset.saturating_add(PART));
            bytes.get(offset..end).unwrap_or_default()
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        let tree = tree.filter(|_| !stopped.get());
        parser.reset();
        tree.ok_or(Fault::TooMuchWork)
    })
}

/// The row and column of a byte, as the parser counts them.
fn point(text: &str, at: usize) -> tree_sitter::Point {
    let before = &text.as_bytes()[..at];
    let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    tree_sitter::Point {
        row: memchr::memchr_iter(b'\n', before).count(),
        column: at - line,
    }
}
