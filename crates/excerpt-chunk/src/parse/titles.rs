//! The headings that people draw in plain text: underlined titles, numbered titles, and titles in
//! capitals.

use std::collections::HashMap;
use std::ops::Range;

use crate::parse::adornment::adornment;
use crate::parse::delimited::is_rule_line;
use crate::parse::limits::most_nodes;
use crate::parse::sections;

/// The maximum length of a title in characters.
const LONGEST: usize = 100;
const LONGEST_NUMBERED: usize = 72;
const LONGEST_CAPITALS: usize = 60;

/// The marks with which a line below a title is drawn.
const MARKS: &[u8] = b"=-~^#*_+";

/// How deep numbers nest.
const DEEPEST_NUMBER: usize = 6;

/// How many times a text in capitals stands in a document that is no title of it.
const REPEATED: usize = 3;

/// How many lines of text there are for each heading, at least: one for a title that is underlined,
/// which is hardly meant as anything else.
const TEXT: usize = 2;

/// How many bytes of a longer line count as one, since a paragraph may be written without line
/// ends.
const WIDTH: usize = 80;

/// How far apart the numbers of two consecutive titles may be.
const FARTHEST: u16 = 5;

/// The column around which a title is centred, and how far from it the middle of one may be.
const CENTRE: usize = 36;
const OFF_CENTRE: usize = 12;
const LEAST_INDENT: usize = 8;

/// A heading in plain text.
pub(super) struct Title {
    /// The lines of the heading, with the lines drawn above and below its title.
    pub(super) span: Range<usize>,
    /// The bytes of the title alone.
    pub(super) title: Range<usize>,
    /// The level, from 1.
    pub(super) level: u8,
}

/// A line that may be a heading.
struct Candidate {
    span: Range<usize>,
    title: Range<usize>,
    style: Style,
    number: Number,
    /// Whether there is text between it and the next one.
    has_text: bool,
}

/// What a heading looks like. Those that look alike are of the same level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// A line of this mark below the title, and above it, too.
    Drawn(u8, bool),
    /// A number in front of the title: the depth of the number tells the level.
    Numbered,
    Capitals,
}

/// The number of a title, 0 where it is not so deep.
type Number = [u16; DEEPEST_NUMBER];

fn depth(number: &Number) -> usize {
    number
        .iter()
        .rposition(|part| *part > 0)
        .map_or(1, |last| last + 1)
}

/// The headings in `text` from `start` on, in order. None unless there are several, with text below
/// them.
pub(super) fn titles(text: &str, start: usize) -> Vec<Title> {
    let (mut found, lines) = candidates(text, start);
    if lines.shouted > lines.texts / 2 {
        found.retain(|title| title.style != Style::Capitals);
    }
    drop_repeated(&mut found, text);
    keep_numbers(&mut found);
    let most = most_nodes(text) / 4;
    let count = found.len();
    let is_drawn = |title: &&Candidate| matches!(title.style, Style::Drawn(..));
    let drawn = found.iter().filter(is_drawn).count();
    let least = drawn + (count - drawn) * TEXT;
    let is_likely = count >= 2 && count <= most && lines.texts >= least;
    // Lines of punctuation that stand alone part a text as well.
    if !is_likely || (lines.rules >= 3 && lines.rules >= count) {
        return Vec::new();
    }
    levelled(found)
}

/// Gives each heading its level: styles nest in the order in which they appear, and numbers by
/// their depth below the shallowest one.
fn levelled(found: Vec<Candidate>) -> Vec<Title> {
    let numbers = found.iter().filter(|title| title.style == Style::Numbered);
    let depths = numbers.map(|title| depth(&title.number));
    let (first, deepest) = depths.fold((DEEPEST_NUMBER, 1), |(first, deepest), depth| {
        (first.min(depth), deepest.max(depth))
    });
    let mut levels: Vec<(Style, usize)> = Vec::new();
    let mut next = 1;
    let titles = found.into_iter().map(|found| {
        let known = levels.iter().find(|(style, _)| *style == found.style);
        let level = known.map(|(_, level)| *level).unwrap_or_else(|| {
            let level = next;
            levels.push((found.style, level));
            next += match found.style {
                Style::Numbered => deepest - first + 1,
                _ => 1,
            };
            level
        });
        let level = match found.style {
            Style::Numbered => level + depth(&found.number) - first,
            _ => level,
        };
        Title {
            span: found.span,
            title: found.title,
            level: sections::level(level - 1),
        }
    });
    titles.collect()
}

/// Drops what is written in capitals again and again: an answer, a statement, a mark of a page.
fn drop_repeated(found: &mut Vec<Candidate>, text: &str) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for title in found.iter().filter(|title| title.style == Style::Capitals) {
        *counts.entry(&text[title.title.clone()]).or_default() += 1;
    }
    found.retain(|title| {
        let count = counts.get(&text[title.title.clone()]).copied();
        title.style != Style::Capitals || count.unwrap_or(0) < REPEATED
    });
}

/// Keeps the numbered titles that have text below them and whose numbers increase: the items of a
/// list and of a table of contents are none. Below other text the numbers may start again, as for
/// each release in a list of changes.
fn keep_numbers(found: &mut Vec<Candidate>) {
    let follows = |at: usize| match found.get(at + 1) {
        _ if found[at].has_text => true,
        None => false,
        // Another style is below it, or a deeper number.
        Some(next) => {
            next.style != Style::Numbered || depth(&next.number) > depth(&found[at].number)
        }
    };
    // Whether deeper numbers are below a title, as they are in the numbers before it.
    let mut deeper = vec![false; found.len()];
    let mut below = false;
    for (at, title) in found.iter().enumerate().rev() {
        if title.style == Style::Numbered {
            deeper[at] = below;
            below = depth(&title.number) > 1;
        }
    }
    let mut last: Option<Number> = None;
    let mut is_nested = false;
    let mut kept = vec![false; found.len()];
    // Where the current numbers start, and whether one of their titles has text.
    let (mut start, mut has_text) = (0, false);
    for (at, title) in found.iter().enumerate() {
        if title.style != Style::Numbered {
            kept[at] = true;
            continue;
        }
        let is_first = title.number[0] <= 1 && depth(&title.number) == 1;
        let above = at.checked_sub(1).map(|above| &found[above]);
        let is_below_text =
            above.is_none_or(|above| above.has_text || above.style != Style::Numbered);
        let starts_again = is_first && (is_below_text || !has_text) && (deeper[at] || !is_nested);
        let is_next = match last {
            None => title.number[0] <= 1,
            Some(last) => title.number > last && title.number[0] <= last[0] + FARTHEST,
        };
        if !follows(at) || !(is_next || starts_again) {
            continue;
        }
        if !is_next {
            if !has_text {
                // A table of contents.
                for above in start..at {
                    kept[above] &= found[above].style != Style::Numbered;
                }
            }
            (start, has_text, is_nested) = (at, false, false);
        }
        kept[at] = true;
        last = Some(title.number);
        has_text |= title.has_text;
        is_nested |= depth(&title.number) > 1;
    }
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(false));
    let numbers = found.iter().filter(|title| title.style == Style::Numbered);
    if numbers.count() < 2 {
        found.retain(|title| title.style != Style::Numbered);
    }
}

/// What kinds of lines a text has, besides its headings. A long line counts as several.
#[derive(Default)]
struct Counts {
    texts: usize,
    /// Those in capitals.
    shouted: usize,
    /// Lines of punctuation between blank lines.
    rules: usize,
}

/// The lines that may be headings.
fn candidates(text: &str, start: usize) -> (Vec<Candidate>, Counts) {
    let mut found: Vec<Candidate> = Vec::new();
    let mut lines = Counts::default();
    let mut at = start;
    let mut is_after_blank = true;
    while at < text.len() {
        let line = line_at(text, at);
        if line.text.is_empty() {
            is_after_blank = true;
            at = line.after;
            continue;
        }
        let candidate = std::mem::take(&mut is_after_blank)
            .then(|| candidate(text, at, &line))
            .flatten();
        if let Some(candidate) = candidate {
            at = candidate.span.end;
            // What is below a line that is drawn needs no blank line.
            is_after_blank = matches!(candidate.style, Style::Drawn(..));
            found.push(candidate);
            continue;
        }
        let is_alone = || line_at(text, line.after).text.is_empty();
        if is_rule_line(line.text) && is_alone() {
            lines.rules += 1;
        } else {
            let count = line.text.len().div_ceil(WIDTH);
            lines.texts += count;
            if is_shouted(line.text) {
                lines.shouted += count;
            }
            if let Some(last) = found.last_mut() {
                last.has_text = true;
            }
        }
        at = line.after;
    }
    (found, lines)
}

/// A line without the white space around it.
struct LineAt<'a> {
    text: &'a str,
    indent: usize,
    start: usize,
    /// Where the next line begins.
    after: usize,
}

fn line_at(text: &str, at: usize) -> LineAt<'_> {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    let line = &text[at..end];
    let written = line.trim_start();
    let indent = line.len() - written.len();
    LineAt {
        text: written.trim_end(),
        indent,
        start: at + indent,
        after: (end + 1).min(text.len()),
    }
}

/// The heading that begins at a line below a blank one, if it may be one.
fn candidate(text: &str, at: usize, line: &LineAt<'_>) -> Option<Candidate> {
    let made = |title: &LineAt<'_>, end: usize, style: Style, number: Number| Candidate {
        span: at..end,
        title: title.start..title.start + title.text.len(),
        style,
        number,
        has_text: false,
    };
    let next = line_at(text, line.after);
    if let Some(mark) = drawn(line.text) {
        let under = line_at(text, next.after);
        // Four marks are around a block of AsciiDoc.
        let is_title = under.text == line.text
            && line.text.len() != 4
            && next.text.chars().count() <= line.text.len() + 2
            && is_titular(next.text, LONGEST);
        return is_title.then(|| {
            made(
                &next,
                under.after,
                Style::Drawn(mark, true),
                [0; DEEPEST_NUMBER],
            )
        });
    }
    if let Some(mark) = drawn(next.text) {
        let is_title = is_as_long(next.text, line.text)
            && line.indent.abs_diff(next.indent) <= 1
            && is_titular(line.text, LONGEST);
        return is_title.then(|| {
            made(
                line,
                next.after,
                Style::Drawn(mark, false),
                [0; DEEPEST_NUMBER],
            )
        });
    }
    if !next.text.is_empty() {
        return None;
    }
    if let Some((number, rest)) = numbered(line.text) {
        let begins = rest.starts_with(|char: char| {
            (char.is_alphabetic() && !char.is_lowercase()) || matches!(char, '"' | '`' | '\'')
        });
        let is_title = begins
            && (line.indent == 0 || (depth(&number) > 1 && line.indent <= LEAST_INDENT))
            && is_titular(rest, LONGEST_NUMBERED)
            && !rest.ends_with(':')
            && !rest.contains("...")
            && !rest.contains(". .");
        return is_title.then(|| made(line, line.after, Style::Numbered, number));
    }
    let middle = line.indent + line.text.len() / 2;
    let is_centred = line.indent >= LEAST_INDENT && middle.abs_diff(CENTRE) <= OFF_CENTRE;
    let is_title = (line.indent == 0 || is_centred)
        && is_titular(line.text, LONGEST_CAPITALS)
        && line
            .text
            .starts_with(|char: char| char.is_alphanumeric() || "\"'([".contains(char))
        && is_shouted(line.text);
    is_title.then(|| made(line, line.after, Style::Capitals, [0; DEEPEST_NUMBER]))
}

/// The mark of a line that is drawn with one.
fn drawn(line: &str) -> Option<u8> {
    adornment(line).filter(|mark| line.len() >= 3 && MARKS.contains(mark))
}

/// Whether a line that is drawn is about as long as the title above it.
fn is_as_long(drawn: &str, title: &str) -> bool {
    let (width, drawn) = (title.chars().count(), drawn.len());
    width.abs_diff(drawn) <= (drawn / 4).max(2)
}

/// Whether a line underlines a title above it, which is not the text that introduces a block.
pub(super) fn is_underline(title: &str, line: &str) -> bool {
    /// Fences are often shorter.
    const SHORTEST: usize = 4;
    let (title, line) = (title.trim(), line.trim());
    line.len() >= SHORTEST
        && drawn(line).is_some()
        && is_as_long(line, title)
        && is_titular(title, LONGEST)
        && !title.ends_with(':')
}

/// Whether a line is short, has letters or digits, and does not end like a sentence.
fn is_titular(line: &str, longest: usize) -> bool {
    line.len() <= longest * 4
        && line.chars().count() <= longest
        && !line.ends_with(['.', ',', ';', '|', '!'])
        && !line.starts_with(['|', '+', '<', '{'])
        && line.contains(char::is_alphanumeric)
        // The header of a table has gaps between its columns.
        && !line.contains("  ")
        && !line.contains('\t')
}

/// Whether a line is in capitals.
fn is_shouted(line: &str) -> bool {
    let (mut letters, mut others) = (0_usize, 0_usize);
    for char in line.chars() {
        if char.is_uppercase() {
            letters += 1;
        } else if char.is_alphabetic() || matches!(char, '=' | '{' | '}' | '<' | '>' | '|' | '\\') {
            return false;
        } else if !char.is_whitespace() {
            others += 1;
        }
    }
    letters >= 2 && letters >= others
}

/// The number in front of a title, and the title: `1.2 Title`, `1. Title`.
fn numbered(line: &str) -> Option<(Number, &str)> {
    let mut number = [0; DEEPEST_NUMBER];
    let mut rest = line;
    let mut depth = 0;
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 && depth > 0 {
            break;
        }
        if !(1..=3).contains(&digits) || depth == DEEPEST_NUMBER {
            return None;
        }
        number[depth] = rest[..digits].parse().ok()?;
        depth += 1;
        rest = &rest[digits..];
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None => break,
        }
    }
    let title = rest.trim_start();
    (title.len() < rest.len() && !title.is_empty()).then_some((number, title))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(u8, &str)> {
        let titles = titles(text, 0).into_iter();
        titles
            .map(|title| (title.level, &text[title.title]))
            .collect()
    }

    const BODY: &str = "Some words\nin two lines.\n\nAnd more.\n\n";

    #[test]
    fn underlined_titles_nest_in_the_order_of_their_marks() {
        let text = format!(
            "=====\nGuide\n=====\n\n{BODY}Start\n-----\n{BODY}Deep one\n~~~~~~~~\n\n{BODY}End\n----\n\n{BODY}"
        );
        let expected = [(1, "Guide"), (2, "Start"), (3, "Deep one"), (2, "End")];
        assert_eq!(shown(&text), expected);
        let windows = text.replace('\n', "\r\n");
        assert_eq!(shown(&windows), expected);
    }

    #[test]
    fn a_paragraph_of_one_line_is_as_much_text_as_one_of_many() {
        let body = "Some words without a line end, as editors wrap them. ".repeat(3);
        let text = format!("Start\n=====\n\n{body}\n\nMiddle\n======\n\n{body}\n");
        assert_eq!(shown(&text), [(1, "Start"), (1, "Middle")]);
        let numbered = text
            .replace("Start\n=====", "1. A")
            .replace("Middle\n======", "2. B");
        assert_eq!(shown(&numbered), [(1, "1. A"), (1, "2. B")]);
        let short = numbered.replace(&body, "Some words.");
        assert_eq!(shown(&short), []);
    }

    #[test]
    fn an_underlined_title_needs_one_line_of_text() {
        let text =
            "Tools\n=====\n\nOne line.\n\nParts\n=====\n\nFirst part\n----------\n\nTwo\nlines.\n";
        assert_eq!(shown(text).len(), 3);
        assert_eq!(shown("A one\n-----\n\nA two\n-----\n\nText.\n"), []);
    }

    #[test]
    fn numbered_titles_nest_by_their_numbers() {
        let contents = "1. Scope\n\n1.1 Terms\n\n2. Rules\n\n";
        let text = format!(
            "{contents}1. Scope\n\n{BODY}1.1 Terms\n\n{BODY}2. Rules\n\n2.1. First rule\n\n{BODY}APPENDIX A\n\n{BODY}"
        );
        let expected = [
            (1, "1. Scope"),
            (2, "1.1 Terms"),
            (1, "2. Rules"),
            (2, "2.1. First rule"),
            (3, "APPENDIX A"),
        ];
        assert_eq!(shown(&text), expected);
    }

    #[test]
    fn numbers_start_again_below_other_text() {
        let release = format!("Changes.\n\n1. In the shell\n\n{BODY}2. In the editor\n\n{BODY}");
        let expected = [(1, "1. In the shell"), (1, "2. In the editor")].repeat(3);
        assert_eq!(shown(&release.repeat(3)), expected);
        // The steps in a part of numbers that nest.
        let steps = format!("1. Open it\n\n{BODY}2. Close it\n\n{BODY}");
        let text = format!(
            "1. Scope\n\n{BODY}1.1 Terms\n\n{BODY}{steps}2. Rules\n\n{BODY}2.1 More\n\n{BODY}"
        );
        assert!(!shown(&text).contains(&(1, "1. Open it")), "{text}");
    }

    #[test]
    fn capitals_alone_are_titles() {
        let text =
            format!("NAME\n\n{BODY}SEE ALSO\n\n{BODY}                    THE END OF IT\n\n{BODY}");
        let expected = [(1, "NAME"), (1, "SEE ALSO"), (1, "THE END OF IT")];
        assert_eq!(shown(&text), expected);
    }

    #[test]
    fn what_only_looks_like_a_title_is_none() {
        for text in [
            // One alone.
            format!("Title\n=====\n\n{BODY}{BODY}"),
            // A list.
            format!("{BODY}1. Open the door\n\n2. Go in\n\n3. Close it\n\n{BODY}"),
            format!("{BODY}1. It is open.\n\n{BODY}2. It is shut.\n\n{BODY}"),
            // Sentences in capitals.
            format!("DO NOT OPEN.\n\n{BODY}NO, REALLY.\n\n{BODY}"),
            "STOP\n\nALL OF IT\n\nIS LOUD\n\nAND\n\nLONG AND LOUD\nIN LINES\n".to_string(),
            // Comments.
            format!("{BODY}# COMBINING MARK\n\n{BODY}# EOF\n\n{BODY}"),
            // Rules between parts.
            format!("ONE\n\n{BODY}---\n\n{BODY}---\n\nTWO\n\n{BODY}---\n\n{BODY}"),
            // Blocks of AsciiDoc, and tables.
            format!("----\nmake\n----\n\n{BODY}").repeat(3),
            format!("| A |\n-----\n| b |\n\n{BODY}").repeat(3),
            // Numbers that do not increase.
            format!("1986 was warm\n\n{BODY}3 Apples\n\n{BODY}2 Pears\n\n{BODY}"),
        ] {
            assert_eq!(shown(&text), [], "{text}");
        }
    }
}
