//! Tables: lines whose cells stand in columns.

use crate::pdf::layout::{Cell, Line};

/// The rows of a table, if there is one, and how many lines were looked at.
pub(super) fn table(lines: &[Line]) -> (Option<Vec<Vec<String>>>, usize) {
    let (columns, length) = columns_of_table(lines);
    let lines = lines.get(..length).unwrap_or_default();
    (rows_of_table(lines, &columns), length)
}

/// The columns of the lines that can be a table, and how many lines these are.
fn columns_of_table(lines: &[Line]) -> (Vec<(f64, f64)>, usize) {
    const MOST_COLUMNS: usize = 40;
    const MOST_SINGLE: usize = 8;
    let mut columns: Vec<(f64, f64)> = Vec::new();
    let (mut length, mut singles) = (0, 0);
    let mut before: Option<&Line> = None;
    for line in lines {
        if let Some(before) = before {
            let step = before.baseline - line.baseline;
            let size = before.size.max(line.size);
            let is_other = line.is_monospaced != before.is_monospaced;
            if !(0.0..=3.0 * size).contains(&step) || is_other {
                break;
            }
        }
        // A single cell goes on with one of a column but the first.
        let is_single = line.cells.len() < 2;
        let is_inside = columns.iter().skip(1).any(|(left, right)| {
            line.left > left - line.size && line.right < right + 4.0 * line.size
        });
        singles = if is_single { singles + 1 } else { 0 };
        if is_single && !is_inside || singles > MOST_SINGLE || line.cells.len() > MOST_COLUMNS {
            break;
        }
        let merged = merged(&columns, &line.cells);
        // Cells that would join two columns belong to another table, or to none.
        if merged.len() < columns.len().max(2) || merged.len() > MOST_COLUMNS {
            break;
        }
        columns = merged;
        length += 1;
        before = Some(line);
    }
    (columns, length)
}

fn rows_of_table(lines: &[Line], columns: &[(f64, f64)]) -> Option<Vec<Vec<String>>> {
    const FEWEST: usize = 3;
    let full = lines.iter().filter(|line| line.cells.len() > 1).count();
    if full < FEWEST || lines.iter().any(|line| line.has_leader()) {
        return None;
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines {
        if line.cells.len() > 1 || rows.is_empty() {
            rows.push(vec![String::new(); columns.len()]);
        }
        let row = rows.last_mut()?;
        for (at, cell) in line.cells.iter().enumerate() {
            let end = line
                .cells
                .get(at + 1)
                .map_or(line.text.len(), |next| next.start);
            let text = line.text.get(cell.start..end).unwrap_or_default().trim();
            let is_here =
                |(left, right): &(f64, f64)| cell.left >= left - 0.1 && cell.right <= right + 0.1;
            let column = columns.iter().position(is_here);
            if let Some(slot) = column.and_then(|column| row.get_mut(column)) {
                if !slot.is_empty() {
                    slot.push(' ');
                }
                slot.push_str(text);
            }
        }
    }
    // The parts of a formula stand side by side, too.
    let filled = rows.iter().flatten().filter(|cell| !cell.is_empty());
    let count = filled.clone().count();
    let said = |cell: &String| cell.chars().filter(|c| c.is_alphanumeric()).count();
    let chars: usize = filled.map(said).sum();
    let is_text = 2 * count > rows.len() * columns.len() && chars >= 2 * count;
    is_text.then_some(rows)
}

/// The columns with these cells: what overlaps is one column.
fn merged(columns: &[(f64, f64)], cells: &[Cell]) -> Vec<(f64, f64)> {
    let cells = cells.iter().map(|cell| (cell.left, cell.right));
    let mut all: Vec<(f64, f64)> = columns.iter().copied().chain(cells).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged: Vec<(f64, f64)> = Vec::new();
    for (left, right) in all {
        match merged.last_mut() {
            Some(last) if left < last.1 => last.1 = last.1.max(right),
            _ => merged.push((left, right)),
        }
    }
    merged
}
