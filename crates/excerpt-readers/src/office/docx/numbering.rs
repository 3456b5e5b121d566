//! The numbering of a Word document: what stands before a paragraph of a list, or a heading.

use std::collections::HashMap;

use crate::limits::ReadLimits;
use crate::reader::ReadError;
use crate::xml::{Event, Xml};

/// How many levels a list has.
const LEVELS: usize = 9;

/// Which list a paragraph belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbered {
    pub(crate) number: u64,
    pub(crate) level: u64,
}

/// What stands before a paragraph.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Bullet,
    /// A plain number, such as `3.`.
    Number(u64),
    /// Anything else, such as `(a)` or `3.2`.
    Text(String),
}

/// The lists, and how far each has been counted.
#[derive(Default)]
pub(crate) struct Numbering {
    schemes: HashMap<u64, Scheme>,
    lists: HashMap<u64, List>,
    /// What the style of a list calls its scheme.
    styles: HashMap<String, u64>,
    counts: HashMap<u64, [Option<u64>; LEVELS]>,
}

/// How the levels of lists are numbered.
#[derive(Clone, Default)]
struct Scheme {
    levels: [Level; LEVELS],
    /// It is that of a style.
    style: Option<String>,
}

#[derive(Clone, Default)]
struct Level {
    start: Option<u64>,
    format: Option<String>,
    /// The text, with `%1` for the number of the first level.
    text: Option<String>,
    /// Whether the numbers of other levels are decimal in it.
    is_legal: bool,
}

#[derive(Default)]
struct List {
    scheme: u64,
    levels: HashMap<usize, Level>,
    starts: HashMap<usize, u64>,
    is_used: bool,
}

impl Numbering {
    pub(crate) fn read(text: &str, limits: &ReadLimits<'_>) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text, limits);
        let mut numbering = Numbering::default();
        let mut scheme = (0, Scheme::default());
        let mut list = (0, List::default());
        let mut is_in_list = false;
        // The level that is described, and the one that is overridden.
        let mut at = 0_usize;
        let mut over = 0_usize;
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(element) => {
                    let value = || element.key("val");
                    let number = element.number("val");
                    let level = match is_in_list {
                        true => list.1.levels.get_mut(&at),
                        false => scheme.1.levels.get_mut(at),
                    };
                    match (element.name(), level) {
                        ("abstractNum", _) => {
                            let key = element.number("abstractNumId").unwrap_or(0);
                            scheme = (key, Scheme::default());
                        }
                        ("num", _) => {
                            list = (element.number("numId").unwrap_or(0), List::default());
                            is_in_list = true;
                        }
                        ("abstractNumId", _) => list.1.scheme = number.unwrap_or(0),
                        ("numStyleLink", _) => scheme.1.style = value(),
                        ("styleLink", _) => {
                            if let Some(style) = value() {
                                numbering.styles.insert(style, scheme.0);
                            }
                        }
                        ("lvlOverride", _) => over = level_of(element.number("ilvl")),
                        ("startOverride", _) => {
                            list.1.starts.insert(over, number.unwrap_or(1));
                        }
                        ("lvl", _) => {
                            at = level_of(element.number("ilvl"));
                            if is_in_list {
                                list.1.levels.insert(at, Level::default());
                            }
                        }
                        ("start", Some(level)) => level.start = number,
                        ("numFmt", Some(level)) => level.format = value(),
                        ("lvlText", Some(level)) => level.text = value(),
                        ("isLgl", Some(level)) => level.is_legal = element.is_on(),
                        ("pPr" | "rPr" | "Fallback", _) => xml.skip()?,
                        _ => (),
                    }
                }
                Event::End(end) => match end.name() {
                    "abstractNum" => {
                        let (key, scheme) = std::mem::take(&mut scheme);
                        numbering.schemes.insert(key, scheme);
                    }
                    "num" => {
                        let (key, list) = std::mem::take(&mut list);
                        numbering.lists.insert(key, list);
                        is_in_list = false;
                    }
                    _ => (),
                },
                Event::Text(_) => (),
            }
        }
        Ok(numbering)
    }

    /// What stands before the next paragraph of a list; `None` if nothing does.
    pub(crate) fn next(&mut self, numbered: Numbered) -> Option<Label> {
        let list = self.lists.get_mut(&numbered.number)?;
        let mut key = list.scheme;
        let mut scheme = self.schemes.get(&key)?;
        if let Some(style) = &scheme.style {
            key = *self.styles.get(style)?;
            scheme = self.schemes.get(&key)?;
        }
        let at = level_of(Some(numbered.level));
        let level = |at: usize| list.levels.get(&at).unwrap_or(&scheme.levels[at]);
        let start = |at: usize| level(at).start.unwrap_or(1);

        let counts = self.counts.entry(key).or_default();
        if !list.is_used {
            for (at, start) in &list.starts {
                counts[*at] = start.checked_sub(1);
            }
        }
        for (above, count) in counts.iter_mut().enumerate().take(at) {
            count.get_or_insert_with(|| start(above));
        }
        counts[at] = Some(match counts[at] {
            Some(count) => count.saturating_add(1),
            None => list
                .starts
                .get(&at)
                .copied()
                .filter(|_| !list.is_used)
                .unwrap_or_else(|| start(at)),
        });
        counts[at + 1..].fill(None);

        // A style such as `List Bullet 2` has its level from its name, and a scheme with one level.
        let is_described = |at: &usize| level(*at).format.is_some() || level(*at).text.is_some();
        let shown = (0..=at).rev().find(is_described).unwrap_or(at);
        let described = level(shown);
        let text = described.text.clone().unwrap_or_default();
        let label = match described.format.as_deref().unwrap_or("decimal") {
            "bullet" => Some(Label::Bullet),
            "none" if !text.contains(|c: char| c.is_alphanumeric()) => None,
            "decimal" if is_plain(&text, shown) => Some(Label::Number(counts[at].unwrap_or(1))),
            _ => {
                let is_legal = described.is_legal;
                let label = filled(&text, |other| {
                    let count = counts[other].unwrap_or_else(|| start(other));
                    let format = level(other).format.as_deref();
                    let format = match is_legal {
                        true => "decimal",
                        false => format.unwrap_or("decimal"),
                    };
                    written(count, format)
                });
                (!label.trim().is_empty()).then(|| Label::Text(label.trim().to_string()))
            }
        };
        list.is_used = true;
        label
    }
}

fn level_of(number: Option<u64>) -> usize {
    number.unwrap_or(0).min(LEVELS as u64 - 1) as usize
}

/// Whether a text is the number of its level alone: `%1.`.
fn is_plain(text: &str, at: usize) -> bool {
    let number = format!("%{}", at + 1);
    text.is_empty() || text == number || text.strip_prefix(&number) == Some(".")
}

/// The text with the numbers of levels.
fn filled(text: &str, number: impl Fn(usize) -> String) -> String {
    let mut filled = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let level = match c {
            '%' => chars.peek().and_then(|digit| digit.to_digit(10)),
            _ => None,
        };
        match level {
            Some(level @ 1..=9) => {
                chars.next();
                filled.push_str(&number(level as usize - 1));
            }
            _ => filled.push(c),
        }
    }
    filled
}

/// A number in one of the formats of Word.
fn written(count: u64, format: &str) -> String {
    match format {
        "lowerLetter" => letters(count),
        "upperLetter" => letters(count).to_uppercase(),
        "lowerRoman" => roman(count).to_lowercase(),
        "upperRoman" => roman(count),
        "decimalZero" => format!("{count:02}"),
        "none" | "bullet" => String::new(),
        _ => count.to_string(),
    }
}

/// `a` to `z`, then `aa` to `zz`, `aaa` to `zzz`.
fn letters(count: u64) -> String {
    match count {
        1..=260 => {
            let letter = b'a' + ((count - 1) % 26) as u8;
            let times = (count - 1) / 26 + 1;
            std::iter::repeat_n(char::from(letter), times as usize).collect()
        }
        _ => count.to_string(),
    }
}

fn roman(count: u64) -> String {
    const DIGITS: [(u64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&count) {
        return count.to_string();
    }
    let mut rest = count;
    let mut roman = String::new();
    for (value, digit) in DIGITS {
        while rest >= value {
            rest -= value;
            roman.push_str(digit);
        }
    }
    roman
}
