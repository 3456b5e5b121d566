//! The days that a text names in full: `2026-01-31`, `31 January 2026`, `Jan 31, 2026`, and what
//! mail and logs write, such as `31/Jan/2026` and `Sat Jan 31 03:04:05 2026`.

use std::fmt;
use std::ops::RangeInclusive;

const MONTHS: [&str; 12] = [
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

/// The most characters between the parts of a day.
const WIDEST_GAP: usize = 3;

/// The days that a text names in full, in numbers or by the English name of the month, each as
/// `YYYY-MM-DD`.
///
/// ```
/// use excerpt_chunk::dates;
///
/// let dates: Vec<_> = dates("From 31 January 2026 to 2026-02-03").collect();
/// assert_eq!(dates, ["2026-01-31", "2026-02-03"]);
/// ```
pub fn dates(text: &str) -> impl Iterator<Item = String> {
    Day::all_in(text).map(|(_, day)| day.to_string())
}

/// A day of the calendar, which is written `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Day {
    year: u16,
    month: u8,
    day: u8,
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Day { year, month, day } = self;
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Day {
    /// The day with these numbers, if there may be one.
    pub(crate) fn new(year: u32, month: u32, day: u32) -> Option<Day> {
        let is_real = (1..=12).contains(&month) && (1..=31).contains(&day);
        Some(Day {
            year: u16::try_from(year).ok()?,
            month: u8::try_from(month).ok().filter(|_| is_real)?,
            day: u8::try_from(day).ok()?,
        })
    }

    /// The days that a text names, with the byte at which each begins.
    pub(crate) fn all_in(text: &str) -> impl Iterator<Item = (usize, Day)> {
        // Most headings have no digit, and so no day.
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        let bytes = if has_digit { text.as_bytes() } else { &[] };
        let mut scanner = Scanner { bytes, at: 0 };
        std::iter::from_fn(move || scanner.next_day())
    }

    /// The first day that a text names.
    pub(crate) fn first_in(text: &str) -> Option<Day> {
        Day::all_in(text).next().map(|(_, day)| day)
    }
}

/// Reads the bytes of a text.
#[derive(Clone, Copy)]
struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Scanner<'t> {
    /// The next day, and where it begins.
    fn next_day(&mut self) -> Option<(usize, Day)> {
        while let Some(byte) = self.peek() {
            let start = self.at;
            let is_inside = start > 0 && self.bytes[start - 1].is_ascii_alphanumeric();
            let mut inner = *self;
            let day = match byte {
                b'0'..=b'9' => inner.in_numbers().or_else(|| {
                    inner = *self;
                    inner.day_first().filter(|_| !is_inside)
                }),
                b'a'..=b'z' | b'A'..=b'Z' => inner.month_first().filter(|_| !is_inside),
                _ => None,
            };
            if let Some(day) = day {
                self.at = inner.at;
                return Some((start, day));
            }
            match byte {
                b'0'..=b'9' => drop(self.digits()),
                b'a'..=b'z' | b'A'..=b'Z' => drop(self.letters()),
                _ => self.at += 1,
            }
        }
        None
    }

    /// `2026-01-31`, also with slashes or dots.
    fn in_numbers(&mut self) -> Option<Day> {
        let year = self.number(4..=4)?;
        let mark = self.peek().filter(|mark| b"-/.".contains(mark))?;
        let shortest = if mark == b'/' { 1 } else { 2 };
        self.at += 1;
        let month = self.number(shortest..=2)?;
        self.expect(mark)?;
        let day = self.number(shortest..=2)?;
        Day::new(year, month, day)
    }

    /// `31 January 2026`, `31st Jan 2026`, `31-Jan-2026`.
    fn day_first(&mut self) -> Option<Day> {
        let day = self.day()?;
        self.gap(b" -/.")?;
        let month = self.month()?;
        self.gap(b" ,-/.")?;
        Day::new(self.year()?, month, day)
    }

    /// `January 31, 2026`, `Jan 31 2026`, `Jan 31 03:04:05 UTC 2026`.
    fn month_first(&mut self) -> Option<Day> {
        let month = self.month()?;
        self.gap(b" -/.")?;
        let day = self.day()?;
        self.gap(b" ,-/.")?;
        let year = match self.year() {
            Some(year) => year,
            None => {
                self.clock()?;
                self.gap(b" ")?;
                if self.peek()?.is_ascii_uppercase() {
                    self.letters();
                    self.gap(b" ")?;
                }
                self.year()?
            }
        };
        Day::new(year, month, day)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next.then_some(())
    }

    fn run(&mut self, is_in: fn(&u8) -> bool) -> &'t [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| !is_in(byte));
        let run = &rest[..end.unwrap_or(rest.len())];
        self.at += run.len();
        run
    }

    fn digits(&mut self) -> &'t [u8] {
        self.run(u8::is_ascii_digit)
    }

    fn letters(&mut self) -> &'t [u8] {
        self.run(u8::is_ascii_alphabetic)
    }

    /// A number of so many digits, up to four.
    fn number(&mut self, lengths: RangeInclusive<usize>) -> Option<u32> {
        let digits = self.digits();
        let value = |value: u32, digit: &u8| value * 10 + u32::from(digit - b'0');
        let is_known = lengths.contains(&digits.len());
        is_known.then(|| digits.iter().fold(0, value))
    }

    /// A day of a month: `31`, `31st`.
    fn day(&mut self) -> Option<u32> {
        let day = self.number(1..=2)?;
        let before = self.at;
        if !matches!(self.letters(), b"st" | b"nd" | b"rd" | b"th") {
            self.at = before;
        }
        Some(day)
    }

    /// A month by its name: `January`, `Jan`, `Sept`.
    fn month(&mut self) -> Option<u32> {
        let name = self.letters();
        let first = name.get(..3)?;
        let begins = |month: &str| month.as_bytes()[..3].eq_ignore_ascii_case(first);
        let at = MONTHS.iter().position(|month| begins(month))?;
        let is_known = name.len() == 3
            || name.eq_ignore_ascii_case(MONTHS[at].as_bytes())
            || name.eq_ignore_ascii_case(b"sept");
        u32::try_from(at + 1).ok().filter(|_| is_known)
    }

    /// A year with four digits, of this century or those next to it. Otherwise nothing is read.
    fn year(&mut self) -> Option<u32> {
        let before = self.at;
        let year = self.number(4..=4);
        let year = year.filter(|year| (1900..2200).contains(year));
        if year.is_none() {
            self.at = before;
        }
        year
    }

    /// `03:04`, `03:04:05.678`.
    fn clock(&mut self) -> Option<()> {
        self.number(1..=2)?;
        self.expect(b':')?;
        self.run(|byte| byte.is_ascii_digit() || b":.,".contains(byte));
        Some(())
    }

    /// At least one of these characters, and not many.
    fn gap(&mut self, characters: &[u8]) -> Option<()> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| !characters.contains(byte));
        let length = end.unwrap_or(rest.len());
        self.at += length;
        (1..=WIDEST_GAP).contains(&length).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_found_in_every_form() {
        for text in [
            "2026-01-31",
            "On 2026/1/31.",
            "v2026.01.31",
            "20:00 2026-01-31T03:04:05Z",
            "漢2026-01-31漢",
            "Saturday, 31 January 2026",
            "31st January, 2026: tea",
            "January 31, 2026",
            "(Jan. 31st 2026)",
            "31-JAN-2026 03:04:05",
            "ann - jan [31/Jan/2026:03:04:05 +0000]",
            "Sat, 31 Jan 2026 03:04:05 +0000",
            "Sat Jan 31 03:04:05 2026 +0100",
            "Sat Jan 31 03:04:05.123456 CET 2026",
        ] {
            let day = Day::first_in(text).map(|day| day.to_string());
            assert_eq!(day.as_deref(), Some("2026-01-31"), "{text}");
        }
        let both = Day::all_in("é 2026-01-31 to Sept 1, 2026");
        let both: Vec<_> = both.map(|(at, day)| (at, day.to_string())).collect();
        let expected = [(3, "2026-01-31"), (17, "2026-09-01")];
        assert_eq!(both, expected.map(|(at, day)| (at, day.to_string())));
    }

    #[test]
    fn other_numbers_and_words_are_no_days() {
        for text in [
            "",
            "2026-13-01",
            "12026-01-31",
            "2026-01-311",
            "é-2-é",
            "2026-01",
            "1.2.2026",
            "January 2026",
            "31 January",
            "Jan 31 03:04:05 host 2026",
            "32 January 2026",
            "31 Janus 2026",
            "mar 12 1000",
            "may 5 items in 2026",
            "Smart 5 2026",
            "r31 Jan 2026",
            "31    Jan 2026",
        ] {
            assert_eq!(Day::first_in(text), None, "{text}");
        }
    }
}
