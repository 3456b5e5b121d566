//! How lines stand to each other: the [`Shape`] of a part of a page, and what is [`Between`] two
//! lines.

use std::collections::HashMap;

use super::mark::item;
use super::style::Style;
use super::text_block::{TextBlock, TextKind};
use crate::pdf::layout::Line;

/// How the lines of a part stand.
#[derive(Debug)]
pub(super) struct Shape {
    left: f64,
    right: f64,
    /// The usual distance of two lines.
    pub(super) leading: f64,
}

/// What is between two lines.
#[derive(Debug, PartialEq)]
pub(super) enum Between {
    /// Another block begins.
    Break,
    /// The line was ended on purpose.
    Line,
    /// The text goes on.
    Join,
}

impl Shape {
    pub(super) fn of(lines: &[Line]) -> Shape {
        let mut steps: Vec<f64> = Vec::new();
        let mut lefts: HashMap<i64, usize> = HashMap::new();
        for pair in lines.windows(2) {
            let step = pair[0].baseline - pair[1].baseline;
            if step > 0.0 && step < 3.0 * pair[0].size {
                steps.push(step);
            }
        }
        for line in lines {
            *lefts.entry(line.left.round() as i64).or_default() += 1;
        }
        steps.sort_by(f64::total_cmp);
        let size = lines.first().map_or(10.0, |line| line.size);
        let leading = steps.get(steps.len() / 2).copied().unwrap_or(1.2 * size);
        // The leftmost of the places where many lines begin.
        let most = lefts.values().copied().max().unwrap_or(0);
        let often = lefts.iter().filter(|(_, count)| **count * 3 >= most);
        Shape {
            left: often.map(|(left, _)| *left).min().unwrap_or(0) as f64,
            right: lines.iter().map(|line| line.right).fold(f64::MIN, f64::max),
            leading,
        }
    }

    /// How many lines of code begin at a line: several, or one with space around it. One line among
    /// others is a part of their text, such as an address.
    pub(super) fn code_lines(&self, lines: &[Line], at: usize, style: &Style) -> usize {
        let is_code = |line: &&Line| line.is_monospaced && !style.is_monospaced;
        let rest = lines.get(at..).unwrap_or_default();
        let first = rest.first().filter(is_code);
        let Some(first) = first else { return 0 };
        match rest.get(1).filter(is_code) {
            Some(_) => rest.iter().take_while(is_code).count(),
            None => {
                let before = at.checked_sub(1).and_then(|before| lines.get(before));
                let is_apart = |above: Option<&Line>, below: Option<&Line>| match (above, below) {
                    (Some(above), Some(below)) => {
                        let step = above.baseline - below.baseline;
                        !(0.0..=1.15 * self.leading.min(1.5 * first.size)).contains(&step)
                    }
                    _ => true,
                };
                usize::from(is_apart(before, Some(first)) && is_apart(Some(first), rest.get(1)))
            }
        }
    }

    pub(super) fn between(&self, before: &Line, next: &Line, block: &TextBlock) -> Between {
        let size = before.size.max(next.size);
        let step = before.baseline - next.baseline;
        let is_other_size = before.size.min(next.size) < 0.92 * size;
        let usual = (1.25 * self.leading).max(self.leading + 0.2 * size);
        // Larger letters, as of a heading, are further apart than the lines around them.
        let most = usual.max(1.4 * before.size.min(next.size)).min(2.4 * size);
        if step < -0.2 * size || step > most {
            return Between::Break;
        }
        let room = self.right - before.right;
        let first_word = next.text.split(' ').next().unwrap_or_default();
        let word = first_word.chars().count() as f64 * 0.5 * next.size;
        // The next word would have fitted on the line.
        let is_short = room > word + size;
        let ends = before
            .text
            .ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：']);
        // A line that is mostly code, such as a long path, within a paragraph.
        let is_within = !is_short
            && !ends
            && before.size.min(next.size) > 0.85 * size
            && (step - self.leading).abs() < 0.1 * self.leading;
        let is_other = is_other_size || before.is_monospaced != next.is_monospaced;
        if (is_other && !is_within)
            || (before.is_bold != next.is_bold && (is_short || step > 1.1 * self.leading))
        {
            return Between::Break;
        }
        match item(&next.text).0 {
            Some(None) => return Between::Break,
            Some(Some(number)) => {
                let follows =
                    matches!(block.kind, TextKind::Item(Some(before)) if before + 1 == number);
                if follows || is_short || ends {
                    return Between::Break;
                }
            }
            None => (),
        }
        let has_hyphen = before.text.ends_with('-') && next.text.starts_with(char::is_lowercase);
        if has_hyphen || (!is_short && !ends && next.text.starts_with(char::is_lowercase)) {
            return Between::Join;
        }
        let is_item = matches!(block.kind, TextKind::Item(_));
        let center = |line: &Line| (line.left + line.right) / 2.0;
        let is_centered = (center(before) - center(next)).abs() < 0.3 * size
            && (before.left - next.left).abs() > 0.3 * size;
        if !is_centered {
            let indent = next.left - before.left;
            let is_indented =
                indent > 0.8 * size && indent < 5.0 * size && block.lines > usize::from(is_item);
            let was_flush = before.left < self.left + 0.5 * size || block.lines > 1;
            if is_indented && was_flush && (!is_item || ends) {
                return Between::Break;
            }
            // Back out of an item or of a hanging paragraph.
            if is_item
                && next.left < block.left + 0.3 * size
                && (ends || is_short || block.lines > 1)
            {
                return Between::Break;
            }
            if indent < -0.8 * size
                && block.lines > 1
                && next.left <= block.left + 0.1 * size
                && ends
            {
                return Between::Break;
            }
        }
        let is_list = block.broken > 1 && block.broken + 1 == block.lines;
        match (is_short, ends) {
            (true, true) => Between::Break,
            (true, false) => Between::Line,
            _ if is_list
                || before.cells.len() > 1
                || next.cells.len() > 1
                || before.has_leader() =>
            {
                Between::Line
            }
            _ => Between::Join,
        }
    }
}
