//! Blocks: the lines of a page that belong together.

use super::mark::item;
use super::shape::{Between, Shape};
use super::style::Style;
use super::table::table;
use super::text_block::{TextBlock, TextKind};
use super::words::Words;
use crate::pdf::layout::Line;

/// The blocks of a page.
pub(super) fn blocks(lines: &[Line], style: &Style, words: &Words) -> Vec<TextBlock> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let rest = lines.get(at + 1..).unwrap_or_default();
        let length = 1 + rest.iter().take_while(|line| !line.begins_part).count();
        let part = lines.get(at..at + length).unwrap_or_default();
        blocks_of_part(part, style, words, &mut blocks);
        at += length;
    }
    blocks
}

fn blocks_of_part(lines: &[Line], style: &Style, words: &Words, blocks: &mut Vec<TextBlock>) {
    let shape = Shape::of(lines);
    let mut at = 0;
    // Up to which line there is no table: each line is looked at once.
    let mut without_table = 0;
    let mut table_at = |at: usize| {
        if at < without_table {
            return None;
        }
        let (rows, length) = table(lines.get(at..).unwrap_or_default());
        if rows.is_none() {
            without_table = at + length;
        }
        rows.map(|rows| (rows, length))
    };
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at..).unwrap_or_default();
        if let Some((rows, length)) = table_at(at) {
            let mut block = TextBlock::new(line, String::new());
            block.kind = TextKind::Table(rows);
            blocks.push(block);
            at += length;
            continue;
        }
        let length = shape.code_lines(lines, at, style);
        if length > 0 {
            blocks.push(code(rest.get(..length).unwrap_or_default(), &shape));
            at += length;
            continue;
        }
        let (mark, text) = item(&line.text);
        let mut block = TextBlock::new(line, plain(text));
        if let Some(number) = mark {
            block.kind = TextKind::Item(number);
        }
        at += 1;
        while let (Some(before), Some(next)) = (lines.get(at - 1), lines.get(at)) {
            if shape.code_lines(lines, at, style) > 0
                || block.text.len() > 1 << 14
                || table_at(at).is_some()
            {
                break;
            }
            match shape.between(before, next, &block) {
                Between::Break => break,
                Between::Line => {
                    block.broken += 1;
                    words.join(&mut block.text, &plain(&next.text), true);
                }
                Between::Join => words.join(&mut block.text, &plain(&next.text), false),
            }
            block.counts = next.ends_with_page();
            block.is_bold &= next.is_bold;
            block.size = block.size.min(next.size);
            block.lines += 1;
            at += 1;
        }
        blocks.push(block);
    }
}

/// Code with its indentation.
fn code(lines: &[Line], shape: &Shape) -> TextBlock {
    let left = lines.iter().map(|line| line.left).fold(f64::MAX, f64::min);
    let mut text = String::new();
    let mut before: Option<&Line> = None;
    for line in lines {
        if let Some(before) = before
            && before.baseline - line.baseline > 1.6 * shape.leading.min(1.5 * line.size)
        {
            text.push('\n');
        }
        let width = (line.right - line.left) / line.text.chars().count().max(1) as f64;
        let indent = (line.left - left) / width.max(0.2 * line.size);
        text.extend(std::iter::repeat_n(
            ' ',
            indent.round().clamp(0.0, 80.0) as usize,
        ));
        text.push_str(&line.text);
        text.push('\n');
        before = Some(line);
    }
    let mut block = lines.first().map_or_else(
        || TextBlock::new(&Line::default(), String::new()),
        |line| TextBlock::new(line, text),
    );
    block.kind = TextKind::Code;
    block
}

/// The text of a line with single spaces, and without rows of dots.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        let is_dot = |word: &str| word.chars().all(|c| matches!(c, '.' | '·' | '…' | '․'));
        if is_dot(word) {
            let mut dots = word.chars().count();
            while let Some(next) = words.next_if(|next| is_dot(next)) {
                dots += next.chars().count();
            }
            match dots {
                0..4 => plain.extend(std::iter::repeat_n('.', dots)),
                _ => plain.push('…'),
            }
            continue;
        }
        match word.find("....") {
            Some(at) => {
                let (before, after) = word.split_at(at);
                plain.push_str(before);
                plain.push('…');
                plain.push_str(after.trim_start_matches('.'));
            }
            None => plain.push_str(word),
        }
    }
    plain
}
