//! From the pieces of a page to its lines in reading order.
//!
//! A page is split where a gap goes down between two columns of text; each part is split again.
//! The gap of a table does not count: what stands side by side there is short. What is left is
//! sorted into lines, from top to bottom.

use super::piece::Piece;

/// How often a page is split. A page that needs more is no text, or hostile.
const MOST_SPLITS: usize = 32;

/// How many pieces are looked at for a gap.
const MOST_PIECES: usize = 50_000;

/// How many places for a gap are tried.
const MOST_GAPS: usize = 16;

/// A line of text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) baseline: f64,
    /// The size of most of its letters.
    pub(super) size: f64,
    pub(super) is_bold: bool,
    pub(super) is_monospaced: bool,
    /// Whether it is the first one of a column or another part of the page.
    pub(super) begins_part: bool,
    /// What is separated by wide gaps.
    pub(super) cells: Vec<Cell>,
}

/// A part of a line that stands for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cell {
    /// Where it begins in the text.
    pub(super) start: usize,
    pub(super) left: f64,
    pub(super) right: f64,
}

impl Line {
    /// Whether it has a row of dots, up to the number of a page.
    pub(super) fn has_leader(&self) -> bool {
        self.text.contains("....") || self.text.contains(". . . .")
    }

    /// Whether the last of several cells is a number.
    pub(super) fn ends_with_page(&self) -> bool {
        let last = self.cells.last().filter(|cell| cell.start > 0);
        let last = last.and_then(|cell| self.text.get(cell.start..));
        last.is_some_and(|last| last.trim().bytes().all(|byte| byte.is_ascii_digit()))
    }
}

/// The lines of a page, in reading order.
pub(super) fn lines(pieces: Vec<Piece>) -> Vec<Line> {
    let mut angles: Vec<(i16, usize)> = Vec::new();
    for piece in &pieces {
        // Slightly turned pages of scanners are straight.
        let angle = straight(piece.angle);
        match angles.iter_mut().find(|(known, _)| *known == angle) {
            Some((_, count)) => *count += piece.text.len(),
            None => angles.push((angle, piece.text.len())),
        }
    }
    angles.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut lines = Vec::new();
    for (angle, _) in &angles {
        let of_angle = pieces
            .iter()
            .filter(|piece| straight(piece.angle) == *angle);
        let mut parts = vec![of_angle.collect::<Vec<_>>()];
        let mut splits = 0;
        while let Some(part) = parts.pop() {
            let split = match splits < MOST_SPLITS {
                true => columns(&part),
                false => None,
            };
            match split {
                Some(split) => {
                    splits += 1;
                    parts.extend(split.into_iter().rev().filter(|part| !part.is_empty()));
                }
                None => lines.append(&mut lines_of(part)),
            }
        }
    }
    lines
}

fn straight(angle: i16) -> i16 {
    match angle {
        -3..=3 => 0,
        87..=93 => 90,
        -93..=-87 => -90,
        177.. | ..=-177 => 180,
        angle => angle,
    }
}

/// What is above, left of, right of and below a gap between two columns.
fn columns<'p>(pieces: &[&'p Piece]) -> Option<[Vec<&'p Piece>; 4]> {
    if !(8..=MOST_PIECES).contains(&pieces.len()) {
        return None;
    }
    let mut sorted = pieces.to_vec();
    sorted.sort_by(|a, b| b.baseline.total_cmp(&a.baseline));
    // Columns begin where many pieces begin.
    let mut starts: Vec<f64> = pieces.iter().map(|piece| piece.left).collect();
    starts.sort_by(f64::total_cmp);
    let mut gaps: Vec<(f64, usize)> = Vec::new();
    for start in starts {
        match gaps.last_mut() {
            Some((first, count)) if start - *first < 3.0 => *count += 1,
            _ => gaps.push((start, 1)),
        }
    }
    gaps.retain(|(_, count)| *count >= 3);
    gaps.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    gaps.truncate(MOST_GAPS);
    let mut best: Option<(f64, std::ops::Range<usize>, f64)> = None;
    for (gap, _) in &gaps {
        let gap = gap - 0.5;
        let mut start = 0;
        for at in 0..=sorted.len() {
            let crosses = sorted
                .get(at)
                .is_none_or(|piece| piece.left < gap && piece.right > gap + 1.5);
            if crosses {
                let run = sorted.get(start..at).unwrap_or_default();
                if let Some(score) = score(run, gap)
                    && best.as_ref().is_none_or(|(_, _, other)| score > *other)
                {
                    best = Some((gap, start..at, score));
                }
                start = at + 1;
            }
        }
    }
    let (gap, run, _) = best?;
    let (above, rest) = sorted.split_at(run.start);
    let (inside, below) = rest.split_at(run.len());
    let (left, right) = inside.iter().partition(|piece| piece.left < gap);
    Some([above.to_vec(), left, right, below.to_vec()])
}

/// How much of text there is on both sides of a gap; `None` if they are no columns.
fn score(pieces: &[&Piece], gap: f64) -> Option<f64> {
    let sides = [true, false].map(|is_left| {
        let mut side = Side::default();
        for piece in pieces.iter().filter(|piece| (piece.left < gap) == is_left) {
            side.add(piece);
        }
        side
    });
    let [left, right] = &sides;
    let fewest = left.lines.min(right.lines);
    let shortest = left.average().min(right.average());
    let is_text = fewest >= 4 && shortest >= 15.0 || fewest >= 20 && shortest >= 9.0;
    // Columns stand side by side.
    let common = left.top.min(right.top) - left.bottom.max(right.bottom);
    let is_beside = common > 0.3 * (left.top - left.bottom).min(right.top - right.bottom);
    (is_text && is_beside).then(|| fewest as f64 * shortest.min(40.0))
}

/// The text on one side of a gap.
struct Side {
    lines: usize,
    pieces: usize,
    chars: usize,
    top: f64,
    bottom: f64,
    last: f64,
}

impl Default for Side {
    fn default() -> Self {
        Side {
            lines: 0,
            pieces: 0,
            chars: 0,
            top: f64::MIN,
            bottom: f64::MAX,
            last: f64::MAX,
        }
    }
}

impl Side {
    fn add(&mut self, piece: &Piece) {
        self.pieces += 1;
        // An ideograph says as much as some letters.
        let wide = piece
            .text
            .chars()
            .filter(|c| ('\u{3000}'..'\u{fb00}').contains(c))
            .count();
        self.chars += piece.text.len().saturating_sub(3 * wide) + 2 * wide;
        if (self.last - piece.baseline).abs() > 0.5 * piece.size {
            self.lines += 1;
            self.last = piece.baseline;
        }
        self.top = self.top.max(piece.baseline);
        self.bottom = self.bottom.min(piece.baseline);
    }

    fn average(&self) -> f64 {
        self.chars as f64 / self.pieces.max(1) as f64
    }
}

/// A line while its pieces are collected.
struct Row<'p> {
    pieces: Vec<&'p Piece>,
    baseline: f64,
    size: f64,
}

fn lines_of(mut pieces: Vec<&Piece>) -> Vec<Line> {
    pieces.sort_by(|a, b| b.baseline.total_cmp(&a.baseline));
    let mut rows: Vec<Row<'_>> = Vec::new();
    for piece in pieces {
        let recent = rows.len().saturating_sub(4);
        let fits = |row: &&mut Row<'_>| {
            let extent = |baseline: f64, size: f64| (baseline - 0.2 * size, baseline + 0.75 * size);
            let (bottom, top) = extent(row.baseline, row.size);
            let (low, high) = extent(piece.baseline, piece.size);
            let common = top.min(high) - bottom.max(low);
            common > 0.5 * (top - bottom).min(high - low)
        };
        let found = rows
            .get_mut(recent..)
            .unwrap_or_default()
            .iter_mut()
            .rev()
            .find(fits);
        match found {
            Some(row) => {
                row.pieces.push(piece);
                if piece.size > row.size * 1.01 {
                    row.size = piece.size;
                    row.baseline = piece.baseline;
                }
            }
            None => rows.push(Row {
                pieces: vec![piece],
                baseline: piece.baseline,
                size: piece.size,
            }),
        }
    }
    rows.sort_by(|a, b| b.baseline.total_cmp(&a.baseline));
    let mut lines: Vec<Line> = rows.into_iter().map(line).collect();
    lines.retain(|line| !line.text.is_empty());
    if let Some(first) = lines.first_mut() {
        first.begins_part = true;
    }
    lines
}

fn line(mut row: Row<'_>) -> Line {
    row.pieces.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut line = Line {
        baseline: row.baseline,
        left: row.pieces.first().map_or(0.0, |piece| piece.left),
        right: f64::MIN,
        is_bold: true,
        is_monospaced: true,
        ..Line::default()
    };
    let mut sizes: Vec<(f64, usize)> = Vec::new();
    let mut before: Option<&Piece> = None;
    for piece in row.pieces {
        if let Some(before) = before {
            let is_same =
                before.text == piece.text && (before.left - piece.left).abs() < 0.2 * piece.size;
            if is_same {
                continue;
            }
            let size = before.size.max(piece.size);
            let gap = piece.left - before.right;
            if line.is_monospaced && piece.is_monospaced && gap > size {
                // As many spaces as there is room for.
                let width =
                    (before.right - before.left) / before.text.chars().count().max(1) as f64;
                let spaces = (gap / width.max(0.1 * size)).round().clamp(1.0, 60.0) as usize;
                line.text.extend(std::iter::repeat_n(' ', spaces));
            } else if gap > 0.13 * size && !line.text.ends_with(' ') {
                line.text.push(' ');
            }
            if gap > 1.2 * size {
                line.cells.push(Cell {
                    start: line.text.len(),
                    left: piece.left,
                    right: piece.right,
                });
            }
        } else {
            line.cells.push(Cell {
                start: 0,
                left: piece.left,
                right: piece.right,
            });
        }
        line.text.push_str(&piece.text);
        if let Some(cell) = line.cells.last_mut() {
            cell.right = cell.right.max(piece.right);
        }
        line.right = line.right.max(piece.right);
        line.is_bold &= piece.is_bold;
        line.is_monospaced &= piece.is_monospaced;
        let count = piece.text.chars().count();
        match sizes
            .iter()
            .position(|(size, _)| (size - piece.size).abs() < 0.1)
        {
            Some(at) => sizes[at].1 += count,
            None if sizes.len() < 16 => sizes.push((piece.size, count)),
            None => (),
        }
        before = Some(piece);
    }
    line.size = sizes
        .iter()
        .max_by_key(|(_, count)| *count)
        .map_or(1.0, |(size, _)| *size);
    if let Some(logical) = logical(&line.text) {
        line.text = logical;
        line.cells.truncate(1);
    }
    let end = line.text.trim_end().len();
    line.text.truncate(end);
    line
}

/// A line of a script that is written from right to left, in reading order. On the page, its
/// characters were found from left to right.
fn logical(text: &str) -> Option<String> {
    let is_rtl = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}');
    let rtl = text.chars().filter(|c| is_rtl(*c)).count();
    if rtl == 0 || rtl * 2 < text.chars().filter(|c| c.is_alphabetic()).count() {
        return None;
    }
    let mut reversed: Vec<char> = text.chars().rev().collect();
    for c in &mut reversed {
        *c = match *c {
            '(' => ')',
            ')' => '(',
            '[' => ']',
            ']' => '[',
            c => c,
        };
    }
    // Numbers and words of other scripts go from left to right.
    let mut at = 0;
    while at < reversed.len() {
        let is_ltr = |c: &char| c.is_alphanumeric() && !is_rtl(*c);
        let run = reversed[at..]
            .iter()
            .take_while(|c| is_ltr(c) || ".,:/-+".contains(**c));
        let mut end = at + run.count();
        while end > at && !is_ltr(&reversed[end - 1]) {
            end -= 1;
        }
        reversed[at..end].reverse();
        at = end.max(at + 1);
    }
    Some(reversed.into_iter().collect())
}
