//! Days as people name them, in a flag (`last week`: [`Days`]) or inside a question
//! (`since 5 October`: [`AskedDays`]). `grammar.rs` finds them in the words (`words.rs`), and
//! `calendar.rs` computes them.

mod calendar;
mod grammar;
mod words;

use std::ops::Range;

use chrono::{Datelike as _, Local, NaiveDate};

use calendar::TimeUnit;
use grammar::Grammar;
pub(crate) use words::MONTHS;

/// A first and a last day, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    first: NaiveDate,
    last: NaiveDate,
}

/// The days that a question asks about: `since Monday`, `before March`, `on 5 October`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedDays {
    /// `None` for all days up to the last.
    first: Option<NaiveDate>,
    last: NaiveDate,
}

/// The current day of the user.
pub(crate) fn today() -> NaiveDate {
    Local::now().date_naive()
}

impl Days {
    /// The days that `text` names as a whole: `yesterday`, `7d`, `2w`, `last week`, `last 3 days`,
    /// `5 October`, `October 2026`. `None` for any other text, which includes dates such as
    /// `2026-10-05`.
    #[must_use]
    pub fn named(text: &str) -> Option<Days> {
        Days::named_on(text, today())
    }

    fn named_on(text: &str, today: NaiveDate) -> Option<Days> {
        let text = text.trim();
        if let Some(days) = ago(text, today) {
            return Some(days);
        }
        let words = &words::words(text);
        let (days, end) = Grammar { words, today }.single(0)?;
        let is_whole = words.first()?.bytes.start == 0
            && end == words.len()
            && words.last()?.bytes.end == text.len();
        (is_whole && !text.contains('-')).then_some(days)
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

    fn of(first: NaiveDate, last: NaiveDate) -> Option<Days> {
        (first <= last).then_some(Days { first, last })
    }

    fn year(year: i32) -> Option<Days> {
        TimeUnit::Year.ago(0, NaiveDate::from_ymd_opt(year, 1, 1)?)
    }
}

impl AskedDays {
    /// The days that a question asks about, and the bytes that say so: the first that it names.
    pub(crate) fn of(question: &str, today: NaiveDate) -> Option<(AskedDays, Range<usize>)> {
        let words = &words::words(question);
        let grammar = Grammar { words, today };
        let mut at = 0;
        while at < words.len() {
            match grammar.phrase(at) {
                Some((Some(days), end)) => {
                    return Some((days, words[at].bytes.start..words[end - 1].bytes.end));
                }
                Some((None, end)) => at = end,
                None => at += 1,
            }
        }
        None
    }

    fn has_any(&self) -> bool {
        self.first.is_none_or(|first| first <= self.last)
    }

    /// The first day, as `YYYY-MM-DD`; `None` for all days up to the last.
    pub(crate) fn first(self) -> Option<String> {
        self.first.map(|day| day.to_string())
    }

    /// The last day, as `YYYY-MM-DD`.
    pub(crate) fn last(self) -> String {
        self.last.to_string()
    }
}

impl From<Days> for AskedDays {
    fn from(days: Days) -> AskedDays {
        AskedDays {
            first: Some(days.first),
            last: days.last,
        }
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
    let unit = match unit {
        'd' => TimeUnit::Day,
        'w' => TimeUnit::Week,
        'm' => TimeUnit::Month,
        'y' => TimeUnit::Year,
        _ => return None,
    };
    let day = unit.before(count, today)?;
    // Dates are written with four digits of the year.
    (0..=9999).contains(&day.year()).then(|| Days::one(day))
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

    fn asked(days: AskedDays) -> String {
        let first = days.first().unwrap_or("..".to_string());
        format!("{first} {}", days.last())
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
            ("last 3 days", "2026-03-02 2026-03-04"),
            ("past month", "2026-02-05 2026-03-04"),
            ("day before yesterday", "2026-03-02 2026-03-02"),
            ("last weekend", "2026-02-28 2026-03-01"),
            ("last quarter", "2025-10-01 2025-12-31"),
            ("Q3 2025", "2025-07-01 2025-09-30"),
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
            "since Monday",
            "3 to 5 May",
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
            (
                "bugs since 2026-01",
                "2026-01-01 2026-03-04",
                "since 2026-01",
            ),
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
            let found = AskedDays::of(question, today());
            let found = found.map(|(days, bytes)| (asked(days), question[bytes].to_string()));
            assert_eq!(
                found,
                Some((days.to_string(), said.to_string())),
                "{question}"
            );
        }
    }

    #[test]
    fn longer_times_and_open_ones_are_found_in_a_question() {
        for (question, days, said) in [
            ("since Monday", "2026-03-02 2026-03-04", "since Monday"),
            ("since today", "2026-03-04 2026-03-04", "since today"),
            (
                "since last week",
                "2026-02-23 2026-03-04",
                "since last week",
            ),
            (
                "since 20 November",
                "2025-11-20 2026-03-04",
                "since 20 November",
            ),
            (
                "since the 20th of November",
                "2025-11-20 2026-03-04",
                "since the 20th of November",
            ),
            (
                "since the weekend",
                "2026-02-28 2026-03-04",
                "since the weekend",
            ),
            (
                "since March 2025",
                "2025-03-01 2026-03-04",
                "since March 2025",
            ),
            ("since 2024", "2024-01-01 2026-03-04", "since 2024"),
            (
                "news on or after 5 January",
                "2026-01-05 2026-03-04",
                "on or after 5 January",
            ),
            (
                "from Monday onwards",
                "2026-03-02 2026-03-04",
                "from Monday onwards",
            ),
            (
                "from 5 January on",
                "2026-01-05 2026-03-04",
                "from 5 January on",
            ),
            (
                "less than a week ago",
                "2026-02-23 2026-03-04",
                "less than a week ago",
            ),
            (
                "after 20 November",
                "2025-11-21 2026-03-04",
                "after 20 November",
            ),
            (
                "after Wednesday",
                "2026-02-26 2026-03-04",
                "after Wednesday",
            ),
            ("after march", "2025-04-01 2026-03-04", "after march"),
            (
                "newer than 5 January",
                "2026-01-06 2026-03-04",
                "newer than 5 January",
            ),
            ("before March", ".. 2026-02-28", "before March"),
            ("before yesterday", ".. 2026-03-02", "before yesterday"),
            ("before the weekend", ".. 2026-02-27", "before the weekend"),
            (
                "more than two weeks ago",
                ".. 2026-02-15",
                "more than two weeks ago",
            ),
            (
                "older than last month",
                ".. 2026-01-31",
                "older than last month",
            ),
            ("until Friday", ".. 2026-02-27", "until Friday"),
            ("up to 5 January", ".. 2026-01-05", "up to 5 January"),
            (
                "no later than 5 January",
                ".. 2026-01-05",
                "no later than 5 January",
            ),
            (
                "after 5 January and before 10 February",
                "2026-01-06 2026-02-09",
                "after 5 January and before 10 February",
            ),
            (
                "since 28 December until 3 January",
                "2025-12-28 2026-01-03",
                "since 28 December until 3 January",
            ),
            (
                "after 5 January but before the release",
                "2026-01-06 2026-03-04",
                "after 5 January",
            ),
            (
                "between 16 and 20 November",
                "2025-11-16 2025-11-20",
                "between 16 and 20 November",
            ),
            (
                "between November 16 and 20",
                "2025-11-16 2025-11-20",
                "between November 16 and 20",
            ),
            (
                "between November 16, 2024 and 20",
                "2024-11-16 2024-11-20",
                "between November 16, 2024 and 20",
            ),
            (
                "between 28 December and 3 January",
                "2025-12-28 2026-01-03",
                "between 28 December and 3 January",
            ),
            (
                "between March and May",
                "2025-03-01 2025-05-31",
                "between March and May",
            ),
            (
                "between may and june",
                "2025-05-01 2025-06-30",
                "between may and june",
            ),
            (
                "between 2025 and January 2026",
                "2025-01-01 2026-01-31",
                "between 2025 and January 2026",
            ),
            (
                "from 3 to 5 May",
                "2025-05-03 2025-05-05",
                "from 3 to 5 May",
            ),
            (
                "from November to February",
                "2025-11-01 2026-02-28",
                "from November to February",
            ),
            (
                "from Monday to yesterday",
                "2026-03-02 2026-03-03",
                "from Monday to yesterday",
            ),
            (
                "from 5 January to the release",
                "2026-01-05 2026-01-05",
                "5 January",
            ),
            (
                "3 to 5 May 2025",
                "2025-05-03 2025-05-05",
                "3 to 5 May 2025",
            ),
            ("3-5 May", "2025-05-03 2025-05-05", "3-5 May"),
            ("3–5 May", "2025-05-03 2025-05-05", "3–5 May"),
            (
                "May 3 to 5, 2025",
                "2025-05-03 2025-05-05",
                "May 3 to 5, 2025",
            ),
            ("March-May 2025", "2025-03-01 2025-05-31", "March-May 2025"),
            (
                "16 November 2024 to 3 December",
                "2024-11-16 2024-12-03",
                "16 November 2024 to 3 December",
            ),
            (
                "2026-01-05 – 2026-01-09",
                "2026-01-05 2026-01-09",
                "2026-01-05 – 2026-01-09",
            ),
            (
                "1.1.2026 to 15.1.2026",
                "2026-01-01 2026-01-15",
                "1.1.2026 to 15.1.2026",
            ),
            ("in the last 3 days", "2026-03-02 2026-03-04", "last 3 days"),
            ("past week", "2026-02-26 2026-03-04", "past week"),
            (
                "the past two months",
                "2026-01-05 2026-03-04",
                "past two months",
            ),
            (
                "last couple of weeks",
                "2026-02-19 2026-03-04",
                "last couple of weeks",
            ),
            ("last 24 hours", "2026-03-03 2026-03-04", "last 24 hours"),
            ("last weekend", "2026-02-28 2026-03-01", "last weekend"),
            ("this weekend", "2026-03-07 2026-03-08", "this weekend"),
            ("over the weekend", "2026-02-28 2026-03-01", "weekend"),
            (
                "the day before yesterday",
                "2026-03-02 2026-03-02",
                "day before yesterday",
            ),
            (
                "the week before last",
                "2026-02-16 2026-02-22",
                "week before last",
            ),
            (
                "two days before Monday",
                "2026-02-28 2026-03-01",
                "two days before Monday",
            ),
            (
                "3 days after 5 January",
                "2026-01-06 2026-01-08",
                "3 days after 5 January",
            ),
            (
                "the week of 6 January",
                "2026-01-05 2026-01-11",
                "week of 6 January",
            ),
            (
                "earlier this week",
                "2026-03-02 2026-03-04",
                "earlier this week",
            ),
            ("this morning", "2026-03-04 2026-03-04", "this morning"),
            ("last night", "2026-03-03 2026-03-03", "last night"),
            ("Q3 2025", "2025-07-01 2025-09-30", "Q3 2025"),
            ("plans in Q3", "2025-07-01 2025-09-30", "Q3"),
            (
                "last week of March 2025",
                "2025-03-01 2025-03-31",
                "March 2025",
            ),
            ("notes - 5 January", "2026-01-05 2026-01-05", "5 January"),
        ] {
            let found = AskedDays::of(question, today());
            let found = found.map(|(days, bytes)| (asked(days), question[bytes].to_string()));
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
            "between 3.9 and 3.11",
            "between 16 and 20 chunks",
            "between 3 and 5 may be enough",
            "between 2000 and 2100",
            "between Q1 and Q3",
            "between 5 March and the release",
            "between 9am and 5pm",
            "lines 16 to 20",
            "from 3 to 5",
            "5-10 chunks",
            "1-2 weeks ago",
            "1–2 weeks ago",
            "since 1.2",
            "since version 5",
            "since then",
            "seconds since 1970",
            "ms since 1970-01-01",
            "since 2027",
            "after save",
            "after the second release",
            "after 2000 requests",
            "after today",
            "after 5 January 2027",
            "before 2048",
            "before the 10th attempt",
            "the day before the release",
            "until further notice",
            "until today",
            "last 3 lines",
            "last 3 days of the trip",
            "last Monday of March",
            "last 0 days",
            "the last second",
            "the last days",
            "past participle",
            "half past ten",
            "go past week 3",
            "older than 30 days",
            "open on Monday to Friday",
            "Monday to Friday",
            "how may 5 threads wait",
            "line 5 may panic",
            "the value in may be null",
            "read before may be stale",
            "the last may be dropped",
            "call inc before dec",
            "from oct to dec",
            "May I search first",
            "since",
            "",
        ] {
            assert_eq!(AskedDays::of(question, today()), None, "{question}");
        }
    }
}
