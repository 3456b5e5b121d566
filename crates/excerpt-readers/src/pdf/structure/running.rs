//! Running lines: the headers and footers of pages, which are no part of the text.

use std::collections::{HashMap, HashSet};

use crate::pdf::layout::Line;

/// How far the lines of a text usually are from each other, in the size of its letters.
const LEADING: f64 = 1.2;

/// How much farther from the text a header or a footer is than its lines from each other.
const APART: f64 = 1.4;

/// How much larger than the text the type of a title is: a number in it counts no pages.
const LARGER: f64 = 1.2;

/// Removes headers and footers: lines at the top or the bottom that repeat from page to page, or
/// that count the pages.
pub(super) fn remove_running(pages: &mut [Vec<Line>]) {
    if pages.len() < 3 {
        return;
    }
    // On how many pages a text is at a place.
    let mut repeated: HashMap<(String, i64), usize> = HashMap::new();
    // On how many pages a number with this difference to that of the page is at a place.
    let mut counted: HashMap<(i64, i64), usize> = HashMap::new();
    let place = |line: &Line| (line.baseline / 4.0).round() as i64;
    let mut sizes: Vec<f64> = pages.iter().flatten().map(|line| line.size).collect();
    sizes.sort_by(f64::total_cmp);
    let usual = sizes.get(sizes.len() / 2).copied().unwrap_or_default();
    let page_numbers = |line: &Line| match line.size > usual * LARGER {
        true => Vec::new(),
        false => page_numbers(&line.text),
    };
    for (at, lines) in pages.iter().enumerate() {
        for edge in edges(lines) {
            let line = &lines[edge];
            *repeated
                .entry((line.text.clone(), place(line)))
                .or_default() += 1;
            for number in page_numbers(line) {
                *counted
                    .entry((number - at as i64, place(line)))
                    .or_default() += 1;
            }
        }
    }
    let near = |place: i64| [place - 1, place, place + 1];
    for (at, lines) in pages.iter_mut().enumerate() {
        let mut running = HashSet::new();
        for edge in edges(lines) {
            let line = &lines[edge];
            let text = line.text.clone();
            let sum = |counts: &dyn Fn(i64) -> usize| {
                near(place(line)).into_iter().map(counts).sum::<usize>()
            };
            let is_repeated =
                sum(&|place| repeated.get(&(text.clone(), place)).copied().unwrap_or(0)) >= 3;
            let is_counted = page_numbers(line).into_iter().any(|number| {
                let difference = number - at as i64;
                sum(&|place| counted.get(&(difference, place)).copied().unwrap_or(0)) >= 3
            });
            if is_repeated || is_counted {
                running.insert(edge);
            }
        }
        let outer = outer(lines, &running);
        let mut at = 0;
        let mut begins = false;
        lines.retain_mut(|line| {
            let is_kept = !outer.contains(&at);
            at += 1;
            begins |= line.begins_part;
            if is_kept {
                line.begins_part |= std::mem::take(&mut begins);
            }
            is_kept
        });
    }
}

/// The lines of those that are `running` which a gap separates from the text: what follows closely
/// belongs to it, even if it repeats.
fn outer(lines: &[Line], running: &HashSet<usize>) -> HashSet<usize> {
    let order = heights(lines);
    let is_running = |at: &&usize| running.contains(at);
    let top = order.iter().take_while(is_running).count();
    let bottom = order[top..].iter().rev().take_while(is_running).count();
    let body = &order[top..order.len() - bottom];
    if body.is_empty() {
        // Nothing else is on the page: a header and a footer, or a text that repeats.
        return match order.len() {
            0..=2 => order.into_iter().collect(),
            _ => HashSet::new(),
        };
    }
    let gap = |at: usize| lines[order[at - 1]].baseline - lines[order[at]].baseline;
    let mut gaps: Vec<f64> = (top + 1..top + body.len()).map(gap).collect();
    gaps.retain(|gap| *gap > 1.0);
    gaps.sort_by(f64::total_cmp);
    let usual = gaps.get(gaps.len() / 2).copied();
    let usual = usual.unwrap_or(lines[body[0]].size * LEADING);
    let is_apart = |at: &usize| gap(*at) > usual * APART;
    let first = (1..=top).rev().find(is_apart).unwrap_or(0);
    let last = (order.len() - bottom..order.len()).find(is_apart);
    let last = last.unwrap_or(order.len());
    order[..first]
        .iter()
        .chain(&order[last..])
        .copied()
        .collect()
}

/// The lines from the top to the bottom.
fn heights(lines: &[Line]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| lines[*b].baseline.total_cmp(&lines[*a].baseline));
    order
}

/// The lines at the top and at the bottom.
fn edges(lines: &[Line]) -> Vec<usize> {
    let order = heights(lines);
    let top = order.iter().take(3);
    let bottom = order
        .iter()
        .rev()
        .take(3.min(order.len().saturating_sub(3)));
    top.chain(bottom).copied().collect()
}

/// The numbers that can count the pages, in digits or in Roman ones: of a short line all, of a
/// longer one the first and the last word.
fn page_numbers(text: &str) -> Vec<i64> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let number = |word: &&str| match word.len() {
        1..6 => word.parse().ok().or_else(|| roman(word)),
        _ => None,
    };
    match &words[..] {
        [first, .., last] if words.len() > 5 => {
            [first, last].into_iter().filter_map(number).collect()
        }
        words => words.iter().filter_map(number).collect(),
    }
}

fn roman(word: &str) -> Option<i64> {
    let value = |c: char| match c.to_ascii_lowercase() {
        'i' => Some(1),
        'v' => Some(5),
        'x' => Some(10),
        'l' => Some(50),
        'c' => Some(100),
        _ => None,
    };
    let values: Vec<i64> = word.chars().map(value).collect::<Option<_>>()?;
    let after = values.iter().skip(1).chain([&0]);
    let signed = values.iter().zip(after);
    Some(
        signed
            .map(|(value, next)| if value < next { -value } else { *value })
            .sum(),
    )
}
