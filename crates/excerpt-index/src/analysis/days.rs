//! Days as people name them, in a flag (`last week`) or inside a question (`on 5 October`):
//! [`Days`].

use std::ops::Range;

use chrono::{Datelike as _, Local, Months, NaiveDate, TimeDelta, Weekday};

/// A first and a last day, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    first: NaiveDate,
    last: NaiveDate,
}

/// The current day of the user.
pub(crate) fn today() -> NaiveDate {
    Local::now().date_naive()
}

impl Days {
    /// The days that `text` names as a whole: `yesterday`, `7d`, `2w`, `last week`, `5 October`,
    /// `October 2026`. `None` for any other text, which includes dates such as `2026-10-05`.
    #[must_use]
    pub fn named(text: &str) -> Option<Days> {
        Days::named_on(text, today())
    }

    fn named_on(text: &str, today: NaiveDate) -> Option<Days> {
        let text = text.trim();
        if let Some(days) = ago(text, today) {
            return Some(days);
        }
        let (days, bytes) = Days::asked(text, today)?;
        let is_whole = bytes == (0..text.len()) && !text.contains('-');
        is_whole.then_some(days)
    }

    /// The days that a question asks about, and the bytes that say so: the first that it names.
    pub(crate) fn asked(question: &str, today: NaiveDate) -> Option<(Days, Range<usize>)> {
        let words = words(question);
        (0..words.len()).find_map(|at| {
            let (days, count) = named_at(&words, at, today)?;
            let bytes = words[at].1.start..words[at + count - 1].1.end;
            Some((days, bytes))
        })
    }

    /// The first day, as `YYYY-MM-DD`.
    #[must_use]
    pub fn first(self) -> String {
        self.first.to_string()
    }

    /// The last day, as `YYYY-MM-DD`.
    #[must_use]
    pub fn last(self) -> String {
        self.last.to_string()
    }

    fn one(day: NaiveDate) -> Days {
        Days {
            first: day,
            last: day,
        }
    }

    /// From `first` to the day before `next`.
    fn until(first: NaiveDate, next: NaiveDate) -> Option<Days> {
        let last = next.pred_opt()?;
        Some(Days { first, last })
    }

    fn month(year: i32, month: u32) -> Option<Days> {
        let first = NaiveDate::from_ymd_opt(year, month, 1)?;
        Days::until(first, first.checked_add_months(Months::new(1))?)
    }

    fn week(monday: NaiveDate) -> Option<Days> {
        Days::until(monday, monday.checked_add_signed(TimeDelta::weeks(1))?)
    }

    fn year(year: i32) -> Option<Days> {
        let first = NaiveDate::from_ymd_opt(year, 1, 1)?;
        Days::until(first, NaiveDate::from_ymd_opt(year.checked_add(1)?, 1, 1)?)
    }
}

/// The days from 1970 to a date written `YYYY-MM-DD`.
pub(crate) fn since_1970(date: &str) -> Option<i64> {
    let date: NaiveDate = date.parse().ok()?;
    Some(date.signed_duration_since(NaiveDate::default()).num_days())
}

/// The day that is so many days, weeks, months or years ago: `7d`.
fn ago(text: &str, today: NaiveDate) -> Option<Days> {
    let unit = text.chars().next_back()?.to_ascii_lowercase();
    let count: u32 = text[..text.len() - unit.len_utf8()].trim().parse().ok()?;
    let months = |count: u32| today.checked_sub_months(Months::new(count));
    let day = match unit {
        'd' => today.checked_sub_signed(TimeDelta::try_days(count.into())?)?,
        'w' => today.checked_sub_signed(TimeDelta::try_weeks(count.into())?)?,
        'm' => months(count)?,
        'y' => months(count.checked_mul(12)?)?,
        _ => return None,
    };
    // Dates are written with four digits of the year.
    (0..=9999).contains(&day.year()).then(|| Days::one(day))
}

/// A word in lower case, and its bytes.
type Word = (String, Range<usize>);

/// The words of a text. A date such as `2026-10-05` or `5.10.2026` is one.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_part).map(|at| rest + at) {
        let mut chars = text[start..].char_indices().peekable();
        let mut before = None;
        let end = std::iter::from_fn(|| {
            let (at, c) = chars.next()?;
            let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let is_between =
                c == '.' && is_digit(before) && is_digit(chars.peek().map(|(_, c)| *c));
            before = Some(c);
            (is_part(c) || is_between).then_some(start + at + c.len_utf8())
        });
        let end = end.last().unwrap_or(text.len());
        words.push((text[start..end].to_lowercase(), start..end));
        rest = end;
    }
    words
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
fn month_of(word: &str) -> Option<u32> {
    let is_named = |name: &&str| **name == *word || (word.len() == 3 && name.starts_with(word));
    let at = MONTHS.iter().position(is_named)?;
    u32::try_from(at + 1).ok()
}

fn weekday_of(word: &str) -> Option<Weekday> {
    // In full: `sun` and `sat` are words of their own.
    let day: Weekday = word.parse().ok()?;
    word.ends_with("day").then_some(day)
}

/// The day of a month: `5`, `5th`.
fn day_of(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_ordinal = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th");
    let day = digits
        .parse()
        .ok()
        .filter(|_| digits.len() <= 2 && is_ordinal)?;
    (1..=31).contains(&day).then_some(day)
}

fn year_of(word: &str) -> Option<i32> {
    let year = word.parse().ok().filter(|_| word.len() == 4)?;
    (1900..2200).contains(&year).then_some(year)
}

fn count_of(word: &str) -> Option<i64> {
    match word {
        "a" | "an" | "one" => Some(1),
        "two" => Some(2),
        "three" => Some(3),
        "four" => Some(4),
        word => word.parse().ok().filter(|count| (1..1000).contains(count)),
    }
}

/// The days that the words from `at` on name, and how many words that takes. A day or month without
/// a year is the last one so far.
fn named_at(words: &[Word], at: usize, today: NaiveDate) -> Option<(Days, usize)> {
    let word = |more: usize| words.get(at + more).map(|(word, _)| &**word);
    let before = at.checked_sub(1).map(|before| &*words[before].0);
    let first = word(0)?;
    let monday = today.week(Weekday::Mon).checked_first_day()?;
    if let Some(days) = iso(first).or_else(|| with_points(first)) {
        return Some((days, 1));
    }
    match first {
        "today" => return Some((Days::one(today), 1)),
        "yesterday" => return Some((Days::one(today.pred_opt()?), 1)),
        "this" => return Some((this(word(1)?, monday, today)?, 2)),
        "last" => return Some((last(word(1)?, monday, today)?, 2)),
        _ => {}
    }
    if let (Some(count), Some(unit), Some("ago")) = (count_of(first), word(1), word(2)) {
        return Some((some_time_ago(count, unit, monday, today)?, 3));
    }
    if let Some(day) = weekday_of(first) {
        if let Some((days, count)) = words
            .get(at + 1..)
            .and_then(|date| date_at(date, before, today))
        {
            return Some((days, 1 + count));
        }
        // Not in `Monday mornings`, where no certain one is meant.
        let is_meant = matches!(before, Some("on" | "since" | "of" | "from"));
        return Some((Days::one(latest(day, today).filter(|_| is_meant)?), 1));
    }
    date_at(&words[at..], before, today)
}

/// The days of `this week`, `this year` and the like. `monday` is that of the week of `today`.
fn this(unit: &str, monday: NaiveDate, today: NaiveDate) -> Option<Days> {
    match unit {
        "week" => Days::week(monday),
        "month" => Days::month(today.year(), today.month()),
        "year" => Days::year(today.year()),
        // `this may` and `this march` are no months.
        "may" | "march" => None,
        named => match weekday_of(named) {
            Some(day) => {
                let from_monday = i64::from(day.num_days_from_monday());
                let day = monday.checked_add_signed(TimeDelta::try_days(from_monday)?)?;
                Some(Days::one(day))
            }
            None => latest_month(month_of(named)?, today),
        },
    }
}

/// The days of `last week`, `last year` and the like. `monday` is that of the week of `today`.
fn last(unit: &str, monday: NaiveDate, today: NaiveDate) -> Option<Days> {
    match unit {
        "week" => Days::week(monday.checked_sub_signed(TimeDelta::weeks(1))?),
        "month" => {
            let before = today.checked_sub_months(Months::new(1))?;
            Days::month(before.year(), before.month())
        }
        "year" => Days::year(today.year() - 1),
        named => match weekday_of(named) {
            Some(day) => Some(Days::one(latest(day, today.pred_opt()?)?)),
            None => latest_month(month_of(named)?, today),
        },
    }
}

/// The days of the date that `words` begin with, and how many words it takes. `before` is the word
/// before them.
fn date_at(words: &[Word], before: Option<&str>, today: NaiveDate) -> Option<(Days, usize)> {
    let word = |at: usize| words.get(at).map(|(word, _)| &**word);
    let first = word(0)?;
    if let Some(day) = day_of(first) {
        let of = usize::from(word(1) == Some("of"));
        let month = month_of(word(1 + of)?)?;
        let year = word(2 + of).and_then(year_of);
        let count = 2 + of + usize::from(year.is_some());
        return Some((Days::one(date(year, month, day, today)?), count));
    }
    let month = month_of(first)?;
    if let Some(day) = word(1).and_then(day_of) {
        let year = word(2).and_then(year_of);
        let count = 2 + usize::from(year.is_some());
        return Some((Days::one(date(year, month, day, today)?), count));
    }
    if let Some(year) = word(1).and_then(year_of) {
        return Some((Days::month(year, month)?, 2));
    }
    // `may` and `march` are words of their own.
    let is_meant = matches!(before, Some("in" | "since" | "during"));
    Some((latest_month(month, today).filter(|_| is_meant)?, 1))
}

/// `2026-10-05` or `2026-10`.
fn iso(word: &str) -> Option<Days> {
    let mut parts = word.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next());
    let (year, month) = (
        year_of(year)?,
        month.parse().ok().filter(|_| month.len() == 2)?,
    );
    match (day, parts.next()) {
        (None, _) => Days::month(year, month),
        (Some(day), None) if day.len() == 2 => {
            NaiveDate::from_ymd_opt(year, month, day.parse().ok()?).map(Days::one)
        }
        _ => None,
    }
}

/// `5.10.2026`: where dates are written with points, the day comes first.
fn with_points(word: &str) -> Option<Days> {
    let mut parts = word.split('.');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let is_short = |part: &&str| part.len() <= 2;
    let month = Some(month).filter(is_short)?.parse().ok()?;
    let day = Some(day).filter(is_short)?.parse().ok()?;
    let is_whole = parts.all(str::is_empty);
    let day = NaiveDate::from_ymd_opt(year_of(year)?, month, day)?;
    is_whole.then(|| Days::one(day))
}

/// The last such weekday up to `until`.
fn latest(day: Weekday, until: NaiveDate) -> Option<NaiveDate> {
    let back = until.weekday().days_since(day);
    until.checked_sub_signed(TimeDelta::try_days(back.into())?)
}

/// The last such month that has begun.
fn latest_month(month: u32, today: NaiveDate) -> Option<Days> {
    let year = match month <= today.month() {
        true => today.year(),
        false => today.year() - 1,
    };
    Days::month(year, month)
}

/// A day of the named year, or the last such day so far.
fn date(year: Option<i32>, month: u32, day: u32, today: NaiveDate) -> Option<NaiveDate> {
    if let Some(year) = year {
        return NaiveDate::from_ymd_opt(year, month, day);
    }
    // 29 February may be some years back.
    let mut years =
        (0..8).filter_map(|back| NaiveDate::from_ymd_opt(today.year() - back, month, day));
    years.find(|day| *day <= today)
}

/// A day, or the week, month or year, that is so long ago.
fn some_time_ago(count: i64, unit: &str, monday: NaiveDate, today: NaiveDate) -> Option<Days> {
    let back = |count: i64| today.checked_sub_months(Months::new(u32::try_from(count).ok()?));
    match unit {
        "day" | "days" => {
            let day = today.checked_sub_signed(TimeDelta::try_days(count)?)?;
            Some(Days::one(day))
        }
        "week" | "weeks" => Days::week(monday.checked_sub_signed(TimeDelta::try_weeks(count)?)?),
        "month" | "months" => back(count).and_then(|day| Days::month(day.year(), day.month())),
        "year" | "years" => back(count * 12).and_then(|day| Days::year(day.year())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Wednesday.
    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 3, 4).unwrap()
    }

    fn shown(days: Days) -> String {
        format!("{} {}", days.first(), days.last())
    }

    #[test]
    fn days_are_named_in_a_flag() {
        for (text, days) in [
            ("today", "2026-03-04 2026-03-04"),
            ("Yesterday", "2026-03-03 2026-03-03"),
            ("this week", "2026-03-02 2026-03-08"),
            ("last week", "2026-02-23 2026-03-01"),
            ("last month", "2026-02-01 2026-02-28"),
            ("this year", "2026-01-01 2026-12-31"),
            ("last year", "2025-01-01 2025-12-31"),
            ("7d", "2026-02-25 2026-02-25"),
            ("2w", "2026-02-18 2026-02-18"),
            ("1m", "2026-02-04 2026-02-04"),
            ("1y", "2025-03-04 2025-03-04"),
            ("5 October", "2025-10-05 2025-10-05"),
            ("October 2024", "2024-10-01 2024-10-31"),
        ] {
            let named = Days::named_on(text, today()).map(shown);
            assert_eq!(named.as_deref(), Some(days), "{text}");
        }
        for text in [
            "",
            "d",
            "2026",
            "2026-03-04",
            "7x",
            "next week",
            "99999999999d",
            "4000000000y",
            "the week of 5 October",
            "é",
            "7é",
        ] {
            assert_eq!(Days::named_on(text, today()), None, "{text}");
        }
    }

    #[test]
    fn days_are_found_in_a_question() {
        for (question, days, said) in [
            (
                "what did we decide on 5 October?",
                "2025-10-05 2025-10-05",
                "5 October",
            ),
            (
                "the talk of the 1st of March 2026",
                "2026-03-01 2026-03-01",
                "1st of March 2026",
            ),
            (
                "March 5, 2024: who came",
                "2024-03-05 2024-03-05",
                "March 5, 2024",
            ),
            ("Mar 4 standup", "2026-03-04 2026-03-04", "Mar 4"),
            (
                "standup last Monday",
                "2026-03-02 2026-03-02",
                "last Monday",
            ),
            (
                "what I wrote on Wednesday",
                "2026-03-04 2026-03-04",
                "Wednesday",
            ),
            ("last Wednesday", "2026-02-25 2026-02-25", "last Wednesday"),
            ("this Friday", "2026-03-06 2026-03-06", "this Friday"),
            (
                "trips in October 2026",
                "2026-10-01 2026-10-31",
                "October 2026",
            ),
            ("trips in October", "2025-10-01 2025-10-31", "October"),
            ("trips in may", "2025-05-01 2025-05-31", "may"),
            ("bugs since 2026-01", "2026-01-01 2026-01-31", "2026-01"),
            ("notes of 2026-02-15", "2026-02-15 2026-02-15", "2026-02-15"),
            (
                "Notizen vom 15.2.2026.",
                "2026-02-15 2026-02-15",
                "15.2.2026",
            ),
            (
                "standup on Monday, 2 March",
                "2026-03-02 2026-03-02",
                "Monday, 2 March",
            ),
            (
                "what happened yesterday",
                "2026-03-03 2026-03-03",
                "yesterday",
            ),
            ("three days ago", "2026-03-01 2026-03-01", "three days ago"),
            ("2 weeks ago", "2026-02-16 2026-02-22", "2 weeks ago"),
            ("a month ago", "2026-02-01 2026-02-28", "a month ago"),
            (
                "born on 29 February",
                "2024-02-29 2024-02-29",
                "29 February",
            ),
        ] {
            let found = Days::asked(question, today());
            let found = found.map(|(days, bytes)| (shown(days), question[bytes].to_string()));
            assert_eq!(
                found,
                Some((days.to_string(), said.to_string())),
                "{question}"
            );
        }
    }

    #[test]
    fn other_questions_name_no_day() {
        for question in [
            "how may I set the limit",
            "march to the pier",
            "the second release",
            "version 5",
            "HTTP 404",
            "sun and sat",
            "Monday mornings",
            "in 2026",
            "2026-13-01",
            "version 31.13.2026",
            "address 10.1.2026.5",
            "2026-10-05-final",
            "why this may panic",
            "this march is long",
            "the last word",
            "this function",
            "",
        ] {
            assert_eq!(Days::asked(question, today()), None, "{question}");
        }
    }
}
