//! From the lines of all pages to headings, paragraphs, lists, tables and code.

use std::collections::{HashMap, HashSet};

use super::layout::{Cell, Line};
use super::outline::OutlineEntry;
use crate::markdown::{MarkdownWriter, one_line};
use crate::place::FilePlace;
use crate::reader::ReadError;

/// How much larger than the text a heading is, at least.
const LARGER: f64 = 1.13;

/// How long a heading is, at most.
const LONGEST_HEADING: usize = 200;

/// Lines that belong together.
#[derive(Debug)]
struct TextBlock {
    kind: TextKind,
    text: String,
    left: f64,
    size: f64,
    is_bold: bool,
    lines: usize,
    /// How many of its lines were ended on purpose.
    broken: usize,
    /// Whether it ends with the number of a page, like a line of a table of contents.
    counts: bool,
}

#[derive(Debug, PartialEq)]
enum TextKind {
    Paragraph,
    /// With its number, or a bullet.
    Item(Option<u64>),
    Code,
    Table(Vec<Vec<String>>),
    Heading(usize),
}

/// Writes all pages.
pub(super) fn write(
    mut pages: Vec<Vec<Line>>,
    outline: &[OutlineEntry],
    writer: &mut MarkdownWriter<'_>,
) -> Result<(), ReadError> {
    remove_running(&mut pages);
    let style = Style::of(&pages);
    let words = Words::of(&pages);
    let pages = pages
        .into_iter()
        .map(|lines| blocks(&lines, &style, &words));
    let mut pages: Vec<Vec<TextBlock>> = pages.collect();
    find_headings(&mut pages, &style, outline);
    for (at, blocks) in pages.iter().enumerate() {
        if !blocks.is_empty() {
            writer.place(FilePlace::Page(at + 1));
            write_page(blocks, writer)?;
        }
    }
    Ok(())
}

fn write_page(blocks: &[TextBlock], writer: &mut MarkdownWriter<'_>) -> Result<(), ReadError> {
    // Where the items of the open lists begin.
    let mut lists: Vec<f64> = Vec::new();
    let close = |lists: &mut Vec<f64>, writer: &mut MarkdownWriter<'_>| {
        if lists.pop().is_some() {
            writer.close();
            writer.close();
        }
    };
    for block in blocks {
        if let TextKind::Item(number) = block.kind {
            while lists
                .last()
                .is_some_and(|left| block.left < left - 0.5 * block.size)
            {
                close(&mut lists, writer);
            }
            if lists
                .last()
                .is_some_and(|left| block.left < left + 0.8 * block.size)
            {
                close(&mut lists, writer);
            }
            lists.push(block.left);
            writer.open_list(number);
            writer.open_item();
            writer.paragraph(&block.text)?;
            continue;
        }
        while !lists.is_empty() {
            close(&mut lists, writer);
        }
        match &block.kind {
            TextKind::Heading(level) => writer.heading(*level, &block.text)?,
            TextKind::Code => writer.code(None, &block.text)?,
            TextKind::Table(rows) => {
                if let Some((header, rows)) = rows.split_first() {
                    writer.open_table(header)?;
                    for row in rows {
                        writer.row(row)?;
                    }
                    writer.close_table();
                }
            }
            _ => writer.paragraph(&block.text)?,
        }
    }
    while !lists.is_empty() {
        close(&mut lists, writer);
    }
    Ok(())
}

/// How far the lines of a text usually are from each other, in the size of its letters.
const LEADING: f64 = 1.2;

/// How much farther from the text a header or a footer is than its lines from each other.
const APART: f64 = 1.4;

/// Removes headers and footers: lines at the top or the bottom that repeat from page to page, or
/// that count the pages.
fn remove_running(pages: &mut [Vec<Line>]) {
    if pages.len() < 3 {
        return;
    }
    // By what they say and where they are: on how many pages.
    let mut repeated: HashMap<(String, i64), usize> = HashMap::new();
    // By the difference to the number of the page and where they are.
    let mut counted: HashMap<(i64, i64), usize> = HashMap::new();
    let place = |line: &Line| (line.baseline / 4.0).round() as i64;
    for (at, lines) in pages.iter().enumerate() {
        for edge in edges(lines) {
            let line = &lines[edge];
            *repeated
                .entry((line.text.clone(), place(line)))
                .or_default() += 1;
            for number in page_numbers(&line.text) {
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
            let is_counted = page_numbers(&line.text).into_iter().any(|number| {
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

/// What most of the text looks like.
#[derive(Debug)]
struct Style {
    size: f64,
    is_bold: bool,
    is_monospaced: bool,
}

impl Style {
    fn of(pages: &[Vec<Line>]) -> Style {
        let mut sizes: HashMap<i64, usize> = HashMap::new();
        let (mut all, mut bold, mut monospaced) = (0, 0, 0);
        for line in pages.iter().flatten() {
            let length = line.text.len();
            *sizes.entry(half_points(line.size)).or_default() += length;
            all += length;
            bold += if line.is_bold { length } else { 0 };
            monospaced += if line.is_monospaced { length } else { 0 };
        }
        let most = sizes.iter().max_by_key(|(size, count)| (**count, -**size));
        Style {
            size: most.map_or(10.0, |(size, _)| *size as f64 / 2.0).max(1.0),
            is_bold: bold * 2 > all,
            is_monospaced: monospaced * 2 > all,
        }
    }
}

fn half_points(size: f64) -> i64 {
    (size * 2.0).round() as i64
}

/// The words of the document, to tell the hyphen of a word from the one at the end of a line.
#[derive(Debug)]
struct Words(HashSet<Box<str>>);

impl Words {
    fn of(pages: &[Vec<Line>]) -> Words {
        let mut words = HashSet::new();
        for line in pages.iter().flatten() {
            let parts = line.text.split(|c: char| !c.is_alphanumeric() && c != '-');
            for word in parts.map(|word| word.trim_matches('-')) {
                if word.len() > 3 && !words.contains(word) {
                    words.insert(Box::from(word));
                }
            }
        }
        Words(words)
    }

    /// Adds a line to a paragraph.
    fn join(&self, text: &mut String, line: &str, is_kept_apart: bool) {
        let Some(last) = text.chars().next_back() else {
            text.push_str(line);
            return;
        };
        let first = line.chars().next().unwrap_or(' ');
        let before = text.trim_end_matches(['-', '\u{2010}']);
        let is_hyphen = matches!(last, '-' | '\u{2010}')
            && text.len() - before.len() == last.len_utf8()
            && before.chars().next_back().is_some_and(char::is_alphabetic);
        if is_hyphen && first.is_lowercase() {
            let is_part = |c: char| !c.is_alphanumeric() && c != '-';
            let start = before.rsplit(is_part).next().unwrap_or_default();
            let end = line.split(is_part).next().unwrap_or_default();
            let is_compound = !self.0.contains(format!("{start}{end}").as_str())
                && self.0.contains(format!("{start}-{end}").as_str());
            if !is_compound {
                text.truncate(text.len() - last.len_utf8());
            }
        } else if is_hyphen && first.is_alphanumeric() {
            // A name such as `Jean-Paul`.
        } else if is_kept_apart {
            text.push('\n');
        } else if !(is_wide(last) && is_wide(first)) {
            text.push(' ');
        }
        text.push_str(line);
    }
}

/// Whether the character belongs to a script without spaces between words.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// The blocks of a page.
fn blocks(lines: &[Line], style: &Style, words: &Words) -> Vec<TextBlock> {
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
            block.counts = ends_with_page(next);
            block.is_bold &= next.is_bold;
            block.size = block.size.min(next.size);
            block.lines += 1;
            at += 1;
        }
        blocks.push(block);
    }
}

impl TextBlock {
    fn new(line: &Line, text: String) -> TextBlock {
        TextBlock {
            kind: TextKind::Paragraph,
            text,
            left: line.left,
            size: line.size,
            is_bold: line.is_bold,
            lines: 1,
            broken: 0,
            counts: ends_with_page(line),
        }
    }
}

/// Whether the line has a row of dots, up to the number of a page.
fn has_leader(text: &str) -> bool {
    text.contains("....") || text.contains(". . . .")
}

/// Whether the last of several cells is a number.
fn ends_with_page(line: &Line) -> bool {
    let last = line.cells.last().filter(|cell| cell.start > 0);
    let last = last.and_then(|cell| line.text.get(cell.start..));
    last.is_some_and(|last| last.trim().bytes().all(|byte| byte.is_ascii_digit()))
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

/// How the lines of a part stand.
#[derive(Debug)]
struct Shape {
    left: f64,
    right: f64,
    /// The usual distance of two lines.
    leading: f64,
}

/// What is between two lines.
#[derive(Debug, PartialEq)]
enum Between {
    /// Another block begins.
    Break,
    /// The line was ended on purpose.
    Line,
    /// The text goes on.
    Join,
}

impl Shape {
    fn of(lines: &[Line]) -> Shape {
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
    /// others is a word of theirs, such as an address.
    fn code_lines(&self, lines: &[Line], at: usize, style: &Style) -> usize {
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

    fn between(&self, before: &Line, next: &Line, block: &TextBlock) -> Between {
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
        // The next word had had room on the line.
        let is_short = room > word + size;
        let ends = before
            .text
            .ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：']);
        if is_other_size
            || before.is_monospaced != next.is_monospaced
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
                || has_leader(&before.text) =>
            {
                Between::Line
            }
            _ => Between::Join,
        }
    }
}

/// The mark of an item, a number or a bullet, and the text after it.
fn item(text: &str) -> (Option<Option<u64>>, &str) {
    const BULLETS: [char; 22] = [
        '•', '◦', '▪', '▫', '●', '○', '■', '□', '‣', '⁃', '∙', '·', '❖', '➢', '➤', '✓', '✔', '◆',
        '◇', '▶', '►', '◾',
    ];
    const DASHES: [char; 5] = ['-', '–', '—', '*', '∗'];
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if BULLETS.contains(&c) => {
            let rest = chars.as_str().trim_start();
            match rest.chars().any(char::is_alphanumeric) {
                true => (Some(None), rest),
                false => (None, text),
            }
        }
        Some(c) if DASHES.contains(&c) => match chars.as_str().strip_prefix(' ') {
            Some(rest) if rest.starts_with(char::is_alphanumeric) => {
                (Some(None), rest.trim_start())
            }
            _ => (None, text),
        },
        Some('0'..='9') => {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = text.get(..text.len() - rest.len()).unwrap_or_default();
            let after = rest
                .strip_prefix(['.', ')'])
                .and_then(|rest| rest.strip_prefix(' '));
            match (digits.len() <= 3, digits.parse(), after) {
                (true, Ok(number), Some(after)) if after.chars().any(char::is_alphabetic) => {
                    (Some(Some(number)), after.trim_start())
                }
                _ => (None, text),
            }
        }
        _ => (None, text),
    }
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

/// The rows of a table, if there is one, and how many lines were looked at.
fn table(lines: &[Line]) -> (Option<Vec<Vec<String>>>, usize) {
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
    if full < FEWEST || lines.iter().any(|line| has_leader(&line.text)) {
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

/// Makes headings of paragraphs that the outline has, or that are larger than the text.
fn find_headings(pages: &mut [Vec<TextBlock>], style: &Style, outline: &[OutlineEntry]) {
    let matched = match_outline(pages, outline);
    // Which level the headings of a look have, by the outline.
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
    let mut sizes: Vec<i64> = Vec::new();
    for block in pages
        .iter()
        .flatten()
        .filter(|block| style.is_heading(block))
    {
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
            if !style.is_heading(block) {
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

impl Style {
    fn is_heading(&self, block: &TextBlock) -> bool {
        let is_text = matches!(block.kind, TextKind::Paragraph | TextKind::Item(Some(_)));
        let letters = block.text.chars().filter(|c| c.is_alphabetic()).count();
        let length = block.text.chars().count();
        if !is_text
            || block.counts
            || letters < 2
            || letters * 3 < length
            || length > LONGEST_HEADING
            || block.lines > 4
        {
            return false;
        }
        let is_large = block.size >= LARGER * self.size;
        let is_small = block.size < 0.95 * self.size;
        let ends = block
            .text
            .ends_with(['.', ',', ';', ':', '-', '。', '，', '…']);
        let is_bold = block.is_bold
            && !self.is_bold
            && !is_small
            && !ends
            && block.lines <= 2
            && length <= 120;
        (is_large || is_bold) && !block.text.contains('…')
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
