//! Headings: the blocks that the outline of the document names, and those that look like one.

use std::collections::{HashMap, HashSet};

use super::style::{Style, half_points};
use super::text_block::{TextBlock, TextKind};
use crate::markdown::one_line;
use crate::pdf::outline::OutlineEntry;

/// How much larger than the text a heading is, at least.
const LARGER: f64 = 1.13;

/// How long a heading is, at most.
const LONGEST_HEADING: usize = 200;

/// How long a heading that ends like a sentence is, at most.
const LONGEST_SENTENCE: usize = 60;

/// On how many pages a bold word stands that is a label, such as `Note`, and no heading.
const LABELLED: usize = 4;

/// What a block looks like that may be a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// Larger than the text.
    Large,
    /// Bold, and as large as the text.
    Bold,
}

/// Makes headings of paragraphs that the outline has, or that are larger than the text or bold. If
/// most of the outline is found, what is bold must look like one of its headings.
pub(super) fn find_headings(pages: &mut [Vec<TextBlock>], style: &Style, outline: &[OutlineEntry]) {
    let matched = match_outline(pages, outline);
    // How often the outline gives each level to headings that look the same.
    let mut levels: HashMap<(i64, bool), HashMap<usize, usize>> = HashMap::new();
    for ((page, block), level) in &matched {
        if let Some(block) = pages.get(*page).and_then(|blocks| blocks.get(*block)) {
            let look = (half_points(block.size), block.is_bold);
            *levels.entry(look).or_default().entry(*level).or_default() += 1;
        }
    }
    let level_of = |look: (i64, bool)| {
        let counts = levels.get(&look)?;
        counts
            .iter()
            .max_by_key(|(level, count)| (**count, usize::MAX - **level))
            .map(|(level, _)| *level)
    };
    let is_complete = matched.len() >= 2 && matched.len() * 4 >= outline.len() * 3;
    let labels = labels(pages, style);
    let is_heading = |block: &TextBlock| match look(block, style) {
        Some(Look::Large) => true,
        Some(Look::Bold) => {
            !labels.contains(label(&block.text))
                && (!is_complete || level_of((half_points(block.size), block.is_bold)).is_some())
        }
        None => false,
    };
    let mut sizes: Vec<i64> = Vec::new();
    for block in pages.iter().flatten().filter(|block| is_heading(block)) {
        sizes.push(half_points(block.size));
    }
    sizes.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
    sizes.dedup_by(|size, larger| *size as f64 > *larger as f64 * 0.95);
    let largest = matched
        .keys()
        .filter_map(|(page, block)| pages.get(*page)?.get(*block))
        .map(|block| half_points(block.size))
        .max();
    let deepest = matched.values().copied().max();
    for (page, blocks) in pages.iter_mut().enumerate() {
        for (at, block) in blocks.iter_mut().enumerate() {
            if let Some(level) = matched.get(&(page, at)) {
                block.kind = TextKind::Heading(*level);
                block.text = one_line(&block.text);
                continue;
            }
            if !is_heading(block) {
                continue;
            }
            let size = half_points(block.size);
            let level = match (largest, deepest) {
                (Some(largest), _) if size > largest => 1,
                (Some(_), Some(deepest)) => match level_of((size, block.is_bold)) {
                    Some(level) => level,
                    None => deepest.min(5) + 1,
                },
                _ => {
                    let rank = sizes
                        .iter()
                        .position(|other| size as f64 > *other as f64 * 0.95);
                    rank.unwrap_or(sizes.len()) + 1
                }
            };
            if let TextKind::Item(Some(number)) = block.kind {
                block.text = format!("{number}. {}", block.text);
            }
            block.kind = TextKind::Heading(level.min(6));
            block.text = one_line(&block.text);
        }
    }
}

/// The single words that are bold on many pages.
fn labels(pages: &[Vec<TextBlock>], style: &Style) -> HashSet<String> {
    // On how many pages each is, and the last of them.
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for (page, blocks) in pages.iter().enumerate() {
        for block in blocks {
            let word = label(&block.text);
            if word.contains(char::is_whitespace) || look(block, style) != Some(Look::Bold) {
                continue;
            }
            let (count, last) = counts.entry(word).or_insert((0, usize::MAX));
            *count += usize::from(std::mem::replace(last, page) != page);
        }
    }
    let labels = counts.iter().filter(|(_, (count, _))| *count >= LABELLED);
    labels.map(|(word, _)| (*word).to_string()).collect()
}

/// A label without the marks after it.
fn label(text: &str) -> &str {
    text.trim_end_matches(|char: char| !char.is_alphanumeric())
}

/// Whether a text is the caption of a table or a figure: `Table 4.3. Tides`.
fn is_caption(text: &str) -> bool {
    const NAMES: [&str; 6] = ["Table", "Figure", "Fig.", "Listing", "Tabelle", "Abbildung"];
    let mut words = text.split_whitespace();
    let (name, number) = (words.next(), words.next().unwrap_or_default());
    let digits = number.strip_prefix(|char: char| char.is_ascii_uppercase());
    let is_numbered = digits.unwrap_or(number).starts_with(|char: char| {
        char.is_ascii_digit() || (digits.is_some() && ".-".contains(char))
    });
    match name {
        // An example has a heading as often as a caption.
        Some("Example") => is_numbered && number.ends_with(['.', ':']),
        Some(name) => is_numbered && NAMES.contains(&name),
        None => false,
    }
}

/// What a block looks like, if it may be a heading.
fn look(block: &TextBlock, style: &Style) -> Option<Look> {
    let is_text = matches!(block.kind, TextKind::Paragraph | TextKind::Item(Some(_)));
    let letters = block.text.chars().filter(|c| c.is_alphabetic()).count();
    let length = block.text.chars().count();
    if !is_text
        || block.counts
        || letters < 2
        || letters * 3 < length
        || length > LONGEST_HEADING
        || block.lines > 4
        || block.text.contains('…')
        || is_caption(&block.text)
    {
        return None;
    }
    let is_sentence = length > LONGEST_SENTENCE && block.text.ends_with(['.', ',', ':', ';']);
    let is_large = block.size >= LARGER * style.size && !is_sentence;
    let is_small = block.size < 0.95 * style.size;
    let ends = block
        .text
        .ends_with(['.', ',', ';', ':', '-', '。', '，', '…']);
    let is_bold =
        block.is_bold && !style.is_bold && !is_small && !ends && block.lines <= 2 && length <= 120;
    match (is_large, is_bold) {
        (true, _) => Some(Look::Large),
        (false, true) => Some(Look::Bold),
        (false, false) => None,
    }
}

/// The blocks that the entries of the outline name, with their levels.
fn match_outline(
    pages: &[Vec<TextBlock>],
    outline: &[OutlineEntry],
) -> HashMap<(usize, usize), usize> {
    let mut matched = HashMap::new();
    let mut by_text: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (page, blocks) in pages.iter().enumerate() {
        for (at, block) in blocks.iter().enumerate() {
            let is_text = matches!(block.kind, TextKind::Paragraph | TextKind::Item(_));
            if is_text && block.text.len() <= 2 * LONGEST_HEADING {
                let key = key(&block.text);
                if !key.is_empty() {
                    by_text.entry(key).or_default().push((page, at));
                }
            }
        }
    }
    let mut last = (0, 0);
    for entry in outline {
        let wanted = key(&entry.title);
        let Some(found) = by_text.get(&wanted) else {
            continue;
        };
        let place = match entry.page {
            // On this page, or on the next one.
            Some(page) => {
                let at = found.partition_point(|(at, _)| *at < page);
                found
                    .get(at)
                    .filter(|(at, _)| *at <= page.saturating_add(1))
            }
            None => found.get(found.partition_point(|place| *place < last)),
        };
        if let Some(place) = place {
            last = *place;
            matched.entry(*place).or_insert(entry.level.min(6));
        }
    }
    matched
}

/// The letters of a title, without its number.
fn key(title: &str) -> String {
    let title = title.trim_start_matches(|c: char| !c.is_alphabetic());
    let lower = title
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase);
    let key: String = lower.collect();
    for word in ["chapter", "appendix", "part", "section"] {
        if let Some(rest) = key.strip_prefix(word)
            && rest.starts_with(|c: char| c.is_ascii_digit())
        {
            return rest
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .to_string();
        }
    }
    key
}
