//! A [`TextBlock`]: lines that are one paragraph, item, table, heading, or piece of code.

use crate::pdf::layout::Line;

/// Lines that belong together.
#[derive(Debug)]
pub(super) struct TextBlock {
    pub(super) kind: TextKind,
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) size: f64,
    pub(super) is_bold: bool,
    pub(super) lines: usize,
    /// How many of its lines were ended on purpose.
    pub(super) broken: usize,
    /// Whether it ends with the number of a page, like a line of a table of contents.
    pub(super) counts: bool,
}

#[derive(Debug, PartialEq)]
pub(super) enum TextKind {
    Paragraph,
    /// With its number, or a bullet.
    Item(Option<u64>),
    Code,
    Table(Vec<Vec<String>>),
    Heading(usize),
}

impl TextBlock {
    pub(super) fn new(line: &Line, text: String) -> TextBlock {
        TextBlock {
            kind: TextKind::Paragraph,
            text,
            left: line.left,
            size: line.size,
            is_bold: line.is_bold,
            lines: 1,
            broken: 0,
            counts: line.ends_with_page(),
        }
    }
}
