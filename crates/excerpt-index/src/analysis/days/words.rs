//! The words of a question, and what a single one of them names.

use std::ops::Range;

use chrono::Weekday;

use super::calendar::TimeUnit;

/// A word of a question.
#[derive(Debug)]
pub(super) struct Word {
    /// In lower case; [`DASH`] for a dash.
    pub(super) text: String,
    pub(super) bytes: Range<usize>,
    /// Whether it begins with a capital letter.
    pub(super) is_capital: bool,
    /// Whether the question, or a part of its sentence, ends after it.
    pub(super) is_last: bool,
}

/// The text of a dash between two words.
pub(super) const DASH: &str = "-";

/// The words of a text. A date such as `2026-10-05` or `5.10.2026` is one; `3-5` and `March-May`
/// are three, and so is `3–5`.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_part).map(|at| rest + at) {
        let end = end_of_word(text, start);
        let written = &text[start..end];
        let after = text[end..]
            .find(is_part)
            .map_or("", |at| &text[end..][..at]);
        let is_last =
            end + after.len() == text.len() || after.contains(['.', ',', ';', ':', '?', '!']);
        let word = |bytes: Range<usize>, is_last| Word {
            text: match &text[bytes.clone()] {
                "–" | "—" => DASH.to_string(),
                written => written.to_lowercase(),
            },
            is_capital: text[bytes.clone()].starts_with(char::is_uppercase),
            bytes,
            is_last,
        };
        match written.split_once('-').filter(|ends| are_ends(*ends)) {
            Some((first, last)) => {
                let dash = start + first.len();
                words.push(word(start..dash, false));
                words.push(word(dash..dash + 1, false));
                words.push(word(end - last.len()..end, is_last));
            }
            None => words.push(word(start..end, is_last)),
        }
        rest = end;
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || is_dash(c)
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '–' | '—')
}

/// Where the word ends that begins at `start`.
fn end_of_word(text: &str, start: usize) -> usize {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut chars = text[start..].char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        let is_between = c == '.' && is_digit(before) && is_digit(after);
        let is_long_dash = |c: Option<char>| c.is_some_and(|c| is_dash(c) && c != '-');
        let is_apart = before.is_some() && (is_long_dash(Some(c)) || is_long_dash(before));
        if is_apart || !(is_part(c) || is_between) {
            return start + at;
        }
        before = Some(c);
    }
    text.len()
}

/// Whether two words with a hyphen between them are the ends of a range.
fn are_ends((first, last): (&str, &str)) -> bool {
    let (first, last) = (first.to_lowercase(), last.to_lowercase());
    let both = |is: fn(&str) -> bool| is(&first) && is(&last);
    both(|word| day_of(word).is_some())
        || both(|word| month_of(word).is_some())
        || both(|word| weekday_of(word).is_some())
}

/// The English names of the months.
pub(crate) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The month that a word names, in full or by its first three letters.
pub(super) fn month_of(word: &str) -> Option<u32> {
    let is_named = |name: &&str| **name == *word || (word.len() == 3 && name.starts_with(word));
    let at = MONTHS.iter().position(is_named)?;
    u32::try_from(at + 1).ok()
}

pub(super) fn weekday_of(word: &str) -> Option<Weekday> {
    // In full: `sun` and `sat` are words of their own.
    let day: Weekday = word.parse().ok()?;
    word.ends_with("day").then_some(day)
}

/// The day of a month: `5`, `5th`.
pub(super) fn day_of(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_ordinal = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th");
    let day = digits
        .parse()
        .ok()
        .filter(|_| digits.len() <= 2 && is_ordinal)?;
    (1..=31).contains(&day).then_some(day)
}

pub(super) fn year_of(word: &str) -> Option<i32> {
    let year = word.parse().ok().filter(|_| word.len() == 4)?;
    (1900..2200).contains(&year).then_some(year)
}

/// The quarter of a year: `q3`.
pub(super) fn quarter_of(word: &str) -> Option<u32> {
    let quarter = word.strip_prefix('q')?.parse().ok()?;
    (1..=4).contains(&quarter).then_some(quarter)
}

pub(super) fn count_of(word: &str) -> Option<u32> {
    const NAMES: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let named = NAMES.iter().position(|name| *name == word);
    match (word, named) {
        ("a" | "an", _) => Some(1),
        (_, Some(at)) => u32::try_from(at + 1).ok(),
        _ => word.parse().ok().filter(|count| (1..1000).contains(count)),
    }
}

pub(super) fn unit_of(word: &str) -> Option<TimeUnit> {
    Some(match word {
        "hour" | "hours" => TimeUnit::Hour,
        "day" | "days" => TimeUnit::Day,
        "week" | "weeks" => TimeUnit::Week,
        "month" | "months" => TimeUnit::Month,
        "quarter" | "quarters" => TimeUnit::Quarter,
        "year" | "years" => TimeUnit::Year,
        _ => return None,
    })
}
