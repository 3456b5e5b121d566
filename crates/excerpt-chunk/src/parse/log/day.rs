//! The day that the time of an entry says.

use std::ops::Range;

use crate::day::Day;
use crate::parse::log::form::{FARTHEST, Form, form, without_colours};

/// How far a time is looked for in an entry that consists of named values, in bytes.
const LONGEST: usize = 4096;

/// The day of the entry that begins with a line; `None` if its time has no year, or may be read in
/// two ways.
pub(super) fn day(line: &str) -> Option<Day> {
    let near = &line[..line.floor_char_boundary(FARTHEST)];
    match form(line)? {
        Form::DateTime | Form::Date => at_number(near, year_first),
        Form::DayFirst => at_number(near, day_first),
        Form::Month => before_numbers(near),
        Form::Access => at_start(near.split_once('[').map_or(near, |(_, time)| time)),
        Form::Json | Form::Pairs => named(&line[..line.floor_char_boundary(LONGEST)]),
        _ => None,
    }
}

/// What is read where a text has the first number that may begin a date. The name of a service may
/// end in another one.
fn at_number(text: &str, read: fn(&str) -> Option<Day>) -> Option<Day> {
    let text = without_colours(text);
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let begins_date = |at: &usize| {
        let length = bytes[*at..].iter().take_while(|byte| byte.is_ascii_digit());
        let length = length.count();
        let mark = bytes.get(at + length).copied().unwrap_or_default();
        length == 8 || (length <= 4 && b"-/.".contains(&mark) && is_digit(at + length + 1))
    };
    let mut starts = (0..bytes.len()).filter(|at| is_digit(*at) && (*at == 0 || !is_digit(at - 1)));
    starts.find(begins_date).and_then(|at| read(&text[at..]))
}

/// `2026-01-31`, `20260131`.
fn year_first(text: &str) -> Option<Day> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 8 {
        let number = |range: Range<usize>| text[range].parse().ok();
        return Day::new(number(0..4)?, number(4..6)?, number(6..8)?);
    }
    at_start(text)
}

fn at_start(text: &str) -> Option<Day> {
    let first = Day::all_in(text).next();
    first.filter(|(at, _)| *at == 0).map(|(_, day)| day)
}

/// `Sat Jan 31 03:04:05 2026`, `31-Jan-2026`: the first number of the text is in it.
fn before_numbers(text: &str) -> Option<Day> {
    let text = without_colours(text);
    let number = text.find(|char: char| char.is_ascii_digit())?;
    let first = Day::all_in(text).next();
    first.filter(|(at, _)| *at <= number).map(|(_, day)| day)
}

/// `31.01.2026`, or with another mark if one of the numbers is no month.
fn day_first(text: &str) -> Option<Day> {
    let mark = text.find(|char: char| !char.is_ascii_digit())?;
    let is_dotted = text[mark..].starts_with('.');
    let mut parts = text.splitn(3, ['-', '/', '.']);
    let (one, other) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let rest = parts.next()?;
    let year = rest.get(..4)?.parse().ok()?;
    match is_dotted || one > 12 {
        true => Day::new(year, other, one),
        false if other > 12 => Day::new(year, one, other),
        false => None,
    }
}

/// The first day with a time: `"time":"2026-01-31T03:04:05Z"`.
fn named(text: &str) -> Option<Day> {
    let is_timed = |at: usize| {
        let rest = &text.as_bytes()[at + "2026-01-31".len()..];
        matches!(rest, [b'T' | b't' | b' ', digit, ..] if digit.is_ascii_digit())
    };
    let mut days = Day::all_in(text);
    let found = days.find(|(at, _)| text.len() > at + "2026-01-31".len() && is_timed(*at));
    found.map(|(_, day)| day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_an_entry_is_that_of_its_time() {
        for line in [
            "2026-01-31T03:04:05.678Z since 2020-01-01",
            "[2026/01/31 03:04:05] start",
            "20260131 03:04:05 since 2020-01-01",
            "INFO 2026-01-31 03:04:05 start",
            "\u{1b}[2m2026-01-31T03:04:05Z\u{1b}[0m INFO start",
            "web_1  | 2026-01-31 03:04:05 start",
            "web_1  | 31.01.2026 03:04:05 start",
            "2026-01-31: start",
            "31.01.2026 03:04:05 start",
            "1/31/2026, 3:04:05 PM start",
            "31/01/2026 03:04:05 start",
            "[Sat Jan 31 03:04:05.678 2026] [core:notice] start",
            "31-Jan-2026 03:04:05.678 INFO [main] start",
            "Jan 31, 2026 3:04:05 AM org.example.Main",
            "10.0.0.1 - jan [31/Jan/2026:03:04:05 +0000] \"GET /2020-01-01\"",
            "{\"level\":\"info\",\"of\":\"2020-01-01\",\"time\":\"2026-01-31T03:04:05Z\"}",
            "time=\"2026-01-31 03:04:05\" level=info",
        ] {
            let day = day(line).map(|day| day.to_string());
            assert_eq!(day.as_deref(), Some("2026-01-31"), "{line}");
        }
        for line in [
            "Jan 31 03:04:05 host app: since 2020-01-01",
            "1/2/2026, 3:04:05 PM start",
            "2026-1-2 03:04:05 since 2020-01-01",
            "03:04:05 [main] 2020-01-01",
            "[    0.000000] since 2020-01-01",
            "{\"on\": \"2020-01-01\"}",
            "WARNING:root:2020-01-01",
            "since 2020-01-01",
        ] {
            assert_eq!(day(line), None, "{line}");
        }
    }
}
