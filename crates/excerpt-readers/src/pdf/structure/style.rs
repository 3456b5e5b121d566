//! What the text of a document looks like: [`Style`].

use std::collections::HashMap;

use crate::pdf::layout::Line;

/// How long a line of prose is, at least: a heading above lines of code is mostly shorter.
const PROSE: usize = 40;

/// What most of the text looks like.
#[derive(Debug)]
pub(super) struct Style {
    pub(super) size: f64,
    pub(super) is_bold: bool,
    pub(super) is_monospaced: bool,
}

impl Style {
    pub(super) fn of(pages: &[Vec<Line>]) -> Style {
        // The sizes of all lines, and of those that are not monospaced.
        let mut sizes: HashMap<i64, usize> = HashMap::new();
        let mut other_sizes: HashMap<i64, usize> = HashMap::new();
        let (mut all, mut bold, mut monospaced, mut prose) = (0, 0, 0, 0);
        for line in pages.iter().flatten() {
            let length = line.text.len();
            *sizes.entry(half_points(line.size)).or_default() += length;
            if !line.is_monospaced {
                *other_sizes.entry(half_points(line.size)).or_default() += length;
                prose += if length >= PROSE { length } else { 0 };
            }
            all += length;
            bold += if line.is_bold { length } else { 0 };
            monospaced += if line.is_monospaced { length } else { 0 };
        }
        // A manual may have more code than text, in smaller letters.
        if prose * 20 >= all {
            sizes = other_sizes;
        }
        let most = sizes.iter().max_by_key(|(size, count)| (**count, -**size));
        Style {
            size: most.map_or(10.0, |(size, _)| *size as f64 / 2.0).max(1.0),
            is_bold: bold * 2 > all,
            is_monospaced: monospaced * 2 > all,
        }
    }
}

pub(super) fn half_points(size: f64) -> i64 {
    (size * 2.0).round() as i64
}
