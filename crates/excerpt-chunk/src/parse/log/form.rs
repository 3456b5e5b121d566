//! How a line of a log begins: with a time, a level or other signs of an entry.

/// The maximum distance of a date from the start of its line, for logs that begin with addresses.
pub(super) const FARTHEST: usize = 256;

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

/// How a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
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

pub(super) const FORMS: [Form; 14] = [
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

/// The form in which a line begins, if it is one of a log's.
pub(super) fn form(line: &str) -> Option<Form> {
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
pub(super) fn without_colours(mut text: &str) -> &str {
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
}
