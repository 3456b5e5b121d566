//! Logs: entries that begin at a line with a time or a level, and have any number of lines below.
//!
//! The form in which a log writes these is learned from its first lines.

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::reader::{LineReader, first_line};

/// How many lines with text are read to learn the form.
const LEARNED: usize = 4096;

/// How many lines with text show whether a text is a log, and how few are too few.
const SHOWN: Range<usize> = 4..200;

/// At least one of this many lines without indentation has the form of a log.
const SHARE: usize = 5;

/// A form is another one of the same log if it is at most this many times rarer than the first.
const RARER: usize = 8;

/// The maximum distance of a date from the start of its line, for logs that begin with addresses.
const FARTHEST: usize = 256;

const LEVELS: [&str; 22] = [
    "trace",
    "debug",
    "info",
    "information",
    "notice",
    "warn",
    "warning",
    "error",
    "err",
    "fatal",
    "critical",
    "crit",
    "severe",
    "alert",
    "emerg",
    "panic",
    "fine",
    "finer",
    "finest",
    "config",
    "verbose",
    "log",
];

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Reads a log. An entry goes on at lines without the time or the level that its entries begin
/// with: the trace of a stack, wrapped text, data. If no common form is found,
/// indented lines continue an entry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Log;

impl Parser for Log {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut reader = LineReader::from_start(document);
        let entries = learned(&reader);
        let all = reader.lines.len();
        let first = next_entry(&reader, entries, 0..all);
        if reader.first_text(0..first) < first {
            reader.leaf(Kind::Paragraph, 0..first);
        }
        if first < all {
            reader.open(Kind::List, first);
        }
        let mut at = first;
        while at < all && !reader.is_full() {
            let after = next_entry(&reader, entries, at + 1..all);
            reader.leaf(Kind::Item, at..after);
            at = after;
        }
        let mut outline = reader.finish(document, "a log");
        outline.terms.items = "entries";
        outline
    }
}

/// Whether a text is a log: of its lines without indentation, a third or more begin with a time of
/// one form. The others may be wrapped, or belong to traces.
pub(crate) fn is_shown(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut counts = [0_usize; FORMS.len()];
    let mut unindented = 0;
    for line in lines.take(SHOWN.end) {
        unindented += usize::from(!line.starts_with([' ', '\t']));
        if let Some(form) = form(line.trim_end()) {
            counts[form as usize] += 1;
        }
    }
    // A date alone, a pair or a level begins lines of other texts, too.
    let is_clear = |form: &&Form| !matches!(form, Form::Date | Form::Pairs | Form::Level);
    let clear = FORMS.iter().filter(is_clear);
    let most = clear.map(|form| counts[*form as usize]).max().unwrap_or(0);
    most >= SHOWN.start && most * 3 >= unindented
}

/// How the entries of a log begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogEntries {
    /// In one of these forms, a bit each.
    Forms(u32),
    /// At a line without indentation.
    Unindented,
    /// At every line: there is hardly one without indentation.
    EveryLine,
}

/// How a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `2026-01-02T03:04:05`, also with slashes or without marks.
    DateTime,
    /// `2026-01-02`
    Date,
    /// `02.01.2026 03:04:05`
    DayFirst,
    /// `01-02 03:04:05`
    NoYear,
    /// `Jan  2 03:04:05`, `Fri Jan 2 03:04:05 2026`, `02-Jan-2026 03:04:05`
    Month,
    /// `10.0.0.1 - - [02/Jan/2026:03:04:05 +0000]`
    Access,
    /// `I0102 03:04:05`
    Letter,
    /// `I/Tag( 131):`
    Tag,
    /// `03:04:05`
    Clock,
    /// `1767323045.123`
    Epoch,
    /// `[   12.345678]`
    Uptime,
    /// `{"time": …}`
    Json,
    /// `time=… level=…`
    Pairs,
    /// `WARNING:`
    Level,
}

const FORMS: [Form; 14] = [
    Form::DateTime,
    Form::Date,
    Form::DayFirst,
    Form::NoYear,
    Form::Month,
    Form::Access,
    Form::Letter,
    Form::Tag,
    Form::Clock,
    Form::Epoch,
    Form::Uptime,
    Form::Json,
    Form::Pairs,
    Form::Level,
];

/// How the entries of a log begin, from its first lines.
fn learned(reader: &LineReader<'_>) -> LogEntries {
    let mut counts = [0_usize; FORMS.len()];
    let (mut read, mut unindented) = (0_usize, 0_usize);
    let texts = (0..reader.lines.len()).filter(|line| !reader.is_blank(*line));
    for line in texts.take(LEARNED) {
        read += 1;
        unindented += usize::from(reader.lines[line].indent == 0);
        if let Some(form) = form(reader.written(line)) {
            counts[form as usize] += 1;
        }
    }
    // A level may stand before any text; a time is no accident.
    let times = counts[..Form::Level as usize].iter().max().copied();
    let times = times.unwrap_or(0);
    let is_enough = |count: usize| count >= 2 && count * SHARE >= unindented;
    let mut forms = 0;
    for form in FORMS {
        let count = counts[form as usize];
        let rival = match form {
            Form::Level => count.max(times) / 2,
            _ => times / RARER,
        };
        let most = match form {
            Form::Level => count.max(times),
            _ => times,
        };
        if is_enough(most) && count >= 2 && count > rival {
            forms |= 1 << form as u32;
        }
    }
    match forms {
        0 if unindented * SHARE < read => LogEntries::EveryLine,
        0 => LogEntries::Unindented,
        forms => LogEntries::Forms(forms),
    }
}

/// The first line in `lines` that begins an entry, or the end.
fn next_entry(reader: &LineReader<'_>, entries: LogEntries, lines: Range<usize>) -> usize {
    let end = lines.end;
    match entries {
        LogEntries::EveryLine => return reader.first_text(lines),
        LogEntries::Forms(forms) => {
            return first_line(lines, |line| {
                let form = form(reader.written(line));
                form.is_some_and(|form| forms & (1 << form as u32) != 0)
            });
        }
        LogEntries::Unindented => {}
    }
    let mut is_traced = lines.start > 0 && is_trace(reader.at(lines.start - 1));
    for line in lines {
        if reader.is_blank(line) || reader.lines[line].indent > 0 {
            continue;
        }
        let text = reader.at(line);
        if is_trace(text) {
            is_traced = true;
        } else if std::mem::take(&mut is_traced) {
            // The last line of a trace is the error itself.
        } else if !goes_on(text) {
            return line;
        }
    }
    end
}

/// Whether a line begins the trace of a stack, whose last line is not indented.
fn is_trace(text: &str) -> bool {
    text.starts_with("Traceback (")
}

/// Whether a line without indentation belongs to the one before.
fn goes_on(text: &str) -> bool {
    text.starts_with([')', ']', '}'])
        || text.starts_with("at ")
        || text.starts_with("Caused by:")
        || text.starts_with("During handling of the above")
        || text.starts_with("The above exception")
}

/// The form in which a line begins, if it is one of a log's.
fn form(line: &str) -> Option<Form> {
    let text = without_colours(line);
    let text = match text.as_bytes().first()? {
        b'<' => without_priority(text),
        b'{' => return text.starts_with("{\"").then_some(Form::Json),
        b' ' | b'\t' => return None,
        _ => text,
    };
    if let Some(form) = time(text) {
        return Some(form);
    }
    if let Some(rest) = level(text) {
        let rest = without_colours(rest).trim_start_matches([' ', ':', '-', '|', '\t', ']']);
        return Some(time(rest).unwrap_or(Form::Level));
    }
    if is_pairs(text) {
        return Some(Form::Pairs);
    }
    if is_tag(text) {
        return Some(Form::Tag);
    }
    // The name of a service or an address, and a date.
    let near = &text.as_bytes()[..text.len().min(FARTHEST)];
    let mark = memchr::memchr2(b'[', b'|', near)?;
    let (before, after) = (text[..mark].trim_end(), &text[mark + 1..]);
    if near[mark] == b'|' {
        let is_name = !before.is_empty() && !before.contains(char::is_whitespace);
        return time(after.trim_start()).filter(|_| is_name);
    }
    let words = before.split_whitespace().count();
    ((3..=6).contains(&words) && access_date(after)).then_some(Form::Access)
}

/// The text after the codes for the colours of a terminal.
fn without_colours(mut text: &str) -> &str {
    while let Some(code) = text.strip_prefix("\u{1b}[") {
        let rest = code.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';');
        match rest.strip_prefix('m') {
            Some(rest) => text = rest,
            None => break,
        }
    }
    text
}

/// The text after the priority and the version of a line of syslog: `<34>1 `.
fn without_priority(text: &str) -> &str {
    let number = text[1..].trim_start_matches(|char: char| char.is_ascii_digit());
    match number.strip_prefix('>') {
        Some(rest) => rest.strip_prefix("1 ").unwrap_or(rest),
        None => text,
    }
}

/// The text after the level that it begins with.
fn level(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['[', '(', '<']);
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = (&text[..length], &text[length..]);
    let is_level = LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level));
    // A sentence may begin with one of these words.
    let is_marked = rest.starts_with([':', ']', ')', '>', '|', '\t', '\u{1b}']);
    let is_loud = word.bytes().all(|byte| byte.is_ascii_uppercase())
        && (rest.is_empty() || rest.starts_with(' '));
    (is_level && (is_marked || is_loud)).then_some(rest)
}

/// Whether a line begins with the name of a time or a level, and its value.
fn is_pairs(text: &str) -> bool {
    const NAMES: [&str; 6] = ["time", "ts", "t", "timestamp", "level", "lvl"];
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    text[length..].starts_with('=') && NAMES.contains(&&text[..length])
}

/// Whether a line begins with a level, a name and the number of a process, as on Android.
fn is_tag(text: &str) -> bool {
    let tag = text.strip_prefix(['V', 'D', 'I', 'W', 'E', 'F', 'A']);
    let tag = tag.and_then(|rest| rest.strip_prefix('/')?.split_once('('));
    tag.is_some_and(|(name, rest)| {
        let rest = rest.trim_start_matches(' ').as_bytes();
        let number = digits(rest);
        !name.is_empty() && name.len() < FARTHEST && number > 0 && rest[number..].starts_with(b"):")
    })
}

/// The form of the time that a text begins with.
fn time(text: &str) -> Option<Form> {
    let open = text.trim_start_matches(['[', '(', '"']);
    let is_open = open.len() < text.len();
    let bytes = if is_open {
        open.trim_start().as_bytes()
    } else {
        open.as_bytes()
    };
    let first = *bytes.first()?;
    if first.is_ascii_digit() {
        return number_time(bytes, is_open);
    }
    if !first.is_ascii_alphabetic() {
        return None;
    }
    if b"IWEFDCV".contains(&first) && digits(&bytes[1..]) == 4 {
        let is_letter = bytes.get(5) == Some(&b' ') && is_clock(&bytes[6..]);
        return is_letter.then_some(Form::Letter);
    }
    let mut rest = bytes;
    if is_name(rest, &DAYS) {
        rest = skip(rest, u8::is_ascii_alphabetic);
        rest = skip(rest, |byte| matches!(byte, b' ' | b','));
    }
    if is_name(rest, &MONTHS) {
        rest = skip(rest, u8::is_ascii_alphabetic);
        rest = skip(rest, |byte| *byte == b' ');
        let day = digits(rest);
        let rest = year(&rest[day..]);
        return ((1..=2).contains(&day) && is_clock(rest)).then_some(Form::Month);
    }
    // `Fri, 02 Jan 2026 03:04:05`
    (rest.len() < bytes.len() && is_day_month(rest)).then_some(Form::Month)
}

/// The form of the time that begins with a digit.
fn number_time(bytes: &[u8], is_open: bool) -> Option<Form> {
    let first = digits(bytes);
    let mark = bytes.get(first).copied().unwrap_or(b' ');
    let rest = &bytes[(first + 1).min(bytes.len())..];
    if is_open && mark == b'.' && is_uptime(rest) {
        return Some(Form::Uptime);
    }
    match (first, mark) {
        (4, b'-' | b'/' | b'.') => {
            let month = digits(rest);
            let rest = rest.get(month..)?;
            let (&same, rest) = rest.split_first()?;
            let day = digits(rest);
            if same != mark || !(1..=2).contains(&month) || !(1..=2).contains(&day) {
                return None;
            }
            let rest = &rest[day..];
            match rest.split_first() {
                Some((b'T' | b't' | b' ' | b'_' | b'-' | b':' | b',', time))
                    if is_clock(skip(time, |byte| *byte == b' ')) =>
                {
                    Some(Form::DateTime)
                }
                Some((byte, _)) if byte.is_ascii_alphanumeric() || *byte == mark => None,
                _ => Some(Form::Date),
            }
        }
        (8, b'T' | b' ' | b'-' | b'_') => {
            let compact = digits(rest);
            (is_clock(rest) || compact == 6 || compact == 9).then_some(Form::DateTime)
        }
        (6, b' ') => is_clock(skip(rest, |byte| *byte == b' ')).then_some(Form::NoYear),
        (1..=2, b':') if is_clock(bytes) => Some(Form::Clock),
        (1..=2, b'/') if is_name(rest, &MONTHS) => access_date_bytes(bytes).then_some(Form::Access),
        (1..=2, b'-' | b' ') if is_name(rest, &MONTHS) => {
            is_day_month(bytes).then_some(Form::Month)
        }
        (1..=2, b'-' | b'/' | b'.') => {
            let other = digits(rest);
            let rest = rest.get(other..)?;
            let (&next, rest) = rest.split_first()?;
            if next == b' ' {
                let is_date = (1..=2).contains(&other) && mark != b'.';
                return (is_date && is_clock(rest)).then_some(Form::NoYear);
            }
            let year = digits(rest);
            let time = skip(&rest[year..], |byte| {
                matches!(byte, b' ' | b',' | b'-' | b'T')
            });
            let is_date = next == mark && matches!(year, 2 | 4) && is_clock(time);
            is_date.then_some(Form::DayFirst)
        }
        (10 | 13 | 16 | 19, _) if !mark.is_ascii_alphanumeric() => Some(Form::Epoch),
        _ => None,
    }
}

/// Whether the fraction of some seconds ends with a bracket: `345678]`.
fn is_uptime(fraction: &[u8]) -> bool {
    let length = digits(fraction);
    length > 0 && fraction.get(length) == Some(&b']')
}

/// Whether a text begins with `02 Jan 2026 03:04:05`, or with dashes.
fn is_day_month(bytes: &[u8]) -> bool {
    let day = digits(bytes);
    let rest = skip(&bytes[day..], |byte| matches!(byte, b' ' | b'-'));
    (1..=2).contains(&day)
        && is_name(rest, &MONTHS)
        && is_clock(year(skip(rest, u8::is_ascii_alphabetic)))
}

/// What follows a year, or the text if there is none.
fn year(bytes: &[u8]) -> &[u8] {
    let between = |byte: &u8| matches!(byte, b' ' | b',' | b'-');
    let rest = skip(bytes, between);
    match digits(rest) {
        4 => skip(&rest[4..], between),
        _ => rest,
    }
}

fn access_date(text: &str) -> bool {
    access_date_bytes(text.as_bytes())
}

/// Whether a text begins with `02/Jan/2026:03:04:05`.
fn access_date_bytes(bytes: &[u8]) -> bool {
    let date = |bytes: &[u8]| -> Option<bool> {
        let rest = bytes.get(digits(bytes)..)?.strip_prefix(b"/")?;
        let named = is_name(rest, &MONTHS);
        let rest = skip(rest, u8::is_ascii_alphabetic).strip_prefix(b"/")?;
        let rest = rest.get(digits(rest)..)?;
        let time = skip(rest, |byte| matches!(byte, b' ' | b':'));
        Some(named && is_clock(time))
    };
    date(bytes).unwrap_or(false)
}

/// Whether a text begins with hours, minutes and seconds, or with hours and minutes alone.
fn is_clock(bytes: &[u8]) -> bool {
    let hours = digits(bytes);
    let rest = &bytes[hours..];
    (1..=2).contains(&hours)
        && rest.first() == Some(&b':')
        && digits(&rest[1..]) == 2
        && rest
            .get(3)
            .is_none_or(|byte| !byte.is_ascii_alphabetic() || matches!(byte, b'Z' | b'z'))
}

/// How many digits a text begins with.
fn digits(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

fn skip(bytes: &[u8], skipped: impl Fn(&u8) -> bool) -> &[u8] {
    let count = bytes.iter().take_while(|byte| skipped(byte)).count();
    &bytes[count..]
}

/// Whether a text begins with one of these names of three letters, or with a longer form of it.
fn is_name(bytes: &[u8], names: &[&str]) -> bool {
    let start = bytes.get(..3);
    start.is_some_and(|start| {
        names
            .iter()
            .any(|name| start.eq_ignore_ascii_case(name.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<&str> {
        let outline = Log.parse(&Document::new(text), 0);
        let leaves = outline.nodes.iter().filter(|node| node.kind != Kind::List);
        leaves
            .skip(1)
            .map(|node| &text[node.span.clone()])
            .collect()
    }

    #[test]
    fn every_usual_time_is_known() {
        for (line, expected) in [
            ("2026-01-02T03:04:05.678Z start", Form::DateTime),
            ("2026-01-02 03:04:05,678 INFO start", Form::DateTime),
            ("[2026-01-02 03:04:05] start", Form::DateTime),
            ("2026/01/02 03:04:05 start", Form::DateTime),
            ("20260102 03:04:05 start", Form::DateTime),
            ("INFO 2026-01-02 03:04:05 start", Form::DateTime),
            (
                "\u{1b}[2m2026-01-02T03:04:05Z\u{1b}[0m INFO start",
                Form::DateTime,
            ),
            ("<34>1 2026-01-02T03:04:05Z host app", Form::DateTime),
            ("web_1  | 2026-01-02 03:04:05 start", Form::DateTime),
            ("2026-01-02: start", Form::Date),
            ("02.01.2026 03:04:05 start", Form::DayFirst),
            ("1/2/2026, 3:04:05 PM start", Form::DayFirst),
            ("01-02 03:04:05.678  123  456 I Tag: start", Form::NoYear),
            ("Jan  2 03:04:05 host app[1]: start", Form::Month),
            ("<34>Jan  2 03:04:05 host app: start", Form::Month),
            (
                "[Fri Jan 02 03:04:05.678 2026] [core:notice] start",
                Form::Month,
            ),
            ("02-Jan-2026 03:04:05.678 INFO [main] start", Form::Month),
            ("Jan 02, 2026 3:04:05 AM org.example.Main", Form::Month),
            (
                "10.0.0.1 - - [02/Jan/2026:03:04:05 +0000] \"GET /\"",
                Form::Access,
            ),
            ("I0102 03:04:05.678 1 main.cc:1] start", Form::Letter),
            ("03:04:05.678 [main] start", Form::Clock),
            ("1767323045.678 start", Form::Epoch),
            ("[    0.000000] Linux version", Form::Uptime),
            ("{\"time\": 1}", Form::Json),
            ("time=\"2026-01-02T03:04:05Z\" level=info", Form::Pairs),
            ("[INFO] start", Form::Level),
            ("WARNING:root:start", Form::Level),
        ] {
            assert_eq!(form(line), Some(expected), "{line}");
        }
        for line in [
            "",
            "Caused by: x",
            "  at a.b(c:1)",
            "Error while reading",
            "12 files",
            "March was",
            "1.2.3",
        ] {
            assert_eq!(form(line), None, "{line}");
        }
    }

    #[test]
    fn what_has_no_time_belongs_to_the_entry_before() {
        let text = "Started by hand\n\
            2026-01-02 03:04:05 ERROR no\nTraceback (most recent call last):\n  File \"a\"\nKeyError: 1\n\n\
            2026-01-02 03:04:06 INFO data\n{\n  \"a\": 1\n}\nERROR: see above\n\
            2026-01-02 03:04:07 INFO end\n";
        let found = entries(text);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[0], "Started by hand\n");
        assert!(found[1].ends_with("KeyError: 1\n\n"));
        assert!(found[2].ends_with("ERROR: see above\n"));
    }

    #[test]
    fn without_a_form_indented_lines_go_on() {
        let text = "step one\n  more\nstep two\nTraceback (most recent call last):\n  File\nKeyError: 1\n\nstep three\n{\n  a\n}\n";
        let found = entries(text);
        let first: Vec<_> = found
            .iter()
            .map(|entry| entry.lines().next().unwrap())
            .collect();
        assert_eq!(first, ["step one", "step two", "step three", "{"]);
    }

    #[test]
    fn where_all_lines_are_indented_each_is_an_entry() {
        let text = "   Compiling a\n   Compiling b\n\n    Finished c\n".repeat(2);
        assert_eq!(entries(&text).len(), 6);
    }

    #[test]
    fn a_log_may_have_two_forms() {
        let text = "Jan  2 03:04:05 a: x\n2026-01-02 03:04:05 y\n".repeat(3);
        assert_eq!(entries(&text).len(), 6);
    }
}
