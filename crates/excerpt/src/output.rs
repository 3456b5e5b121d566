//! What goes to the terminal or a pipe. Results go to standard output, everything else to standard error; colour only to a terminal. Text
//! that came from outside is escaped for a terminal and left alone for a pipe.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use owo_colors::{OwoColorize, Style};
use unicode_width::UnicodeWidthChar;

/// The version of the JSON that commands print.
pub(crate) const SCHEMA: u32 = 1;

/// Standard output.
pub(crate) struct Output {
    stream: BufWriter<StdoutLock<'static>>,
    terminal: bool,
    colour: bool,
}

impl Output {
    /// Takes standard output.
    pub(crate) fn new() -> Self {
        let terminal = io::stdout().is_terminal();
        Output {
            stream: BufWriter::new(io::stdout().lock()),
            terminal,
            colour: terminal && std::env::var_os("NO_COLOR").is_none(),
        }
    }

    /// How many columns a line may take: those of the terminal, without one 100.
    pub(crate) fn width(&self) -> usize {
        match terminal_size::terminal_size() {
            Some((width, _)) if self.terminal => usize::from(width.0).max(40),
            _ => 100,
        }
    }

    /// `text` in `style`, on a terminal.
    pub(crate) fn styled(&self, text: &str, style: Style) -> String {
        let text = self.safe(text);
        match self.colour {
            true => text.style(style).to_string(),
            false => text.into_owned(),
        }
    }

    /// `text` made to stand out: bold on a terminal, else between `**`.
    pub(crate) fn emphasised(&self, text: &str) -> String {
        match self.colour {
            true => self.safe(text).bold().yellow().to_string(),
            false => format!("**{}**", self.safe(text)),
        }
    }

    /// Text from outside, such that a terminal takes no orders from it.
    pub(crate) fn safe<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.terminal {
            true => sanitised(text),
            false => Cow::Borrowed(text),
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.stream, "{line}")
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.stream, value)?;
        self.stream.write_all(b"\n")
    }

    /// Writes text as it is.
    pub(crate) fn raw(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text.as_bytes())
    }

    /// Where raw text is written piece by piece.
    pub(crate) fn stream(&mut self) -> &mut impl Write {
        &mut self.stream
    }

    /// Hands over what was written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Names trouble on standard error.
pub(crate) fn complain(message: &str) {
    say(&format!("excerpt: {message}"));
}

/// Says something on standard error that is no result.
pub(crate) fn say(message: &str) {
    let message = match io::stderr().is_terminal() {
        true => sanitised(message),
        false => Cow::Borrowed(message),
    };
    // With standard error gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{message}");
}

/// Control characters, but for line ends and tabs, shown as `\u{…}`.
fn sanitised(text: &str) -> Cow<'_, str> {
    let kept = |char: char| !char.is_control() || matches!(char, '\n' | '\t');
    if text.chars().all(kept) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|char| match kept(char) {
        true => char.to_string(),
        false => char.escape_unicode().to_string(),
    });
    Cow::Owned(shown.collect())
}

/// The columns that `text` takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// `text` in exactly `width` columns: filled with spaces, or its end, the part that says most of a path or trail, after a `…`.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let taken = columns(text);
    if taken <= width {
        return format!("{text}{}", " ".repeat(width - taken));
    }
    let mut start = text.len();
    let mut used = 1;
    for (offset, char) in text.char_indices().rev() {
        let next = used + char.width().unwrap_or(0);
        if next > width {
            break;
        }
        start = offset;
        used = next;
    }
    format!("…{}{}", &text[start..], " ".repeat(width - used))
}

/// A number with commas between its thousands.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 chunk`, `2 chunks`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// A time in seconds since 1970, as the time that has passed since.
pub(crate) fn ago(seconds: i64) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_secs() as i64);
    let passed = usize::try_from(now - seconds).unwrap_or(0);
    match passed {
        0..60 => "just now".to_string(),
        60..3600 => format!("{} ago", counted(passed / 60, "minute")),
        3600..86_400 => format!("{} ago", counted(passed / 3600, "hour")),
        _ => format!("{} ago", counted(passed / 86_400, "day")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_takes_no_orders_from_text() {
        assert_eq!(sanitised("a\x1b[2Jb\tc\n"), "a\\u{1b}[2Jb\tc\n");
        assert_eq!(sanitised("né"), "né");
    }

    #[test]
    fn text_is_fitted_by_columns() {
        assert_eq!(fitted("ab", 4), "ab  ");
        assert_eq!(fitted("abcdef", 4), "…def");
        assert_eq!(fitted("漢字漢字", 4), "…字 ");
        assert_eq!(columns("漢a"), 3);
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
        assert_eq!(counted(1, "chunk"), "1 chunk");
    }
}
