//! Output to the terminal or a pipe. Results go to standard output, everything else to standard
//! error. Hidden characters (`visible.rs`) in text from outside are escaped on a terminal. In a
//! pipe, text is unchanged except for color, if that is enabled.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::Path;
use std::sync::OnceLock;

use clap::ValueEnum;
use excerpt_index::{DateFrom, plain_error};
use excerpt_service::now;
use excerpt_service::text::address::escaped_json;
use excerpt_service::text::counted;
use excerpt_service::text::visible::{characters, has_hidden};
use owo_colors::{OwoColorize, Style};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use unicode_width::UnicodeWidthChar;

/// The version of the JSON that commands print.
pub(crate) const SCHEMA: u32 = 1;

/// The JSON around documents that were split.
pub(crate) mod split {
    use super::SCHEMA;

    /// What comes before the first document.
    pub(crate) fn begin() -> String {
        format!("{{\"schema\":{SCHEMA},\"documents\":[\n")
    }

    /// What comes after each document.
    pub(crate) const END_OF_DOCUMENT: &[u8] = b"\n";
    /// What comes after all of them.
    pub(crate) const END: &[u8] = b"]}\n";
}

/// The note about an answer without a good match.
pub(crate) const ONLY_WEAK: &str = "only weak matches: probably nothing here answers this";

/// When results have color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set, and anywhere with `CLICOLOR_FORCE`.
    #[default]
    Auto,
    Always,
    Never,
}

/// The choice for the whole run.
static COLOR: OnceLock<Color> = OnceLock::new();

impl Color {
    /// Sets the choice for the whole run. Only the first call has an effect.
    pub(crate) fn choose(self) {
        COLOR.get_or_init(|| self);
    }

    fn is_wanted(terminal: bool) -> bool {
        match COLOR.get().copied().unwrap_or_default() {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if anstyle_query::no_color() => false,
            Color::Auto if anstyle_query::clicolor_force() => true,
            Color::Auto => {
                terminal
                    && anstyle_query::clicolor() != Some(false)
                    && anstyle_query::term_supports_color()
            }
        }
    }
}

/// The characters of a path that are escaped in the URL of a file.
const ADDRESS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Standard output, or a part of it that is written later.
pub(crate) struct Output<W = BufWriter<StdoutLock<'static>>> {
    stream: W,
    form: OutputForm,
}

/// What standard output shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputForm {
    terminal: bool,
    color: bool,
    links: bool,
}

impl OutputForm {
    /// Whether it is shown on a terminal.
    pub(crate) fn is_terminal(self) -> bool {
        self.terminal
    }

    /// A part of the output, to be written with [`Output::raw`].
    pub(crate) fn part(self) -> Output<Vec<u8>> {
        Output {
            stream: Vec::new(),
            form: self,
        }
    }
}

impl Output {
    /// Locks standard output.
    pub(crate) fn new() -> Self {
        let terminal = io::stdout().is_terminal();
        Output {
            stream: BufWriter::new(io::stdout().lock()),
            form: OutputForm {
                terminal,
                color: Color::is_wanted(terminal),
                links: terminal && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout),
            },
        }
    }
}

impl Output<Vec<u8>> {
    /// What was written.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.stream
    }
}

impl<W: Write> Output<W> {
    /// What it shows.
    pub(crate) fn form(&self) -> OutputForm {
        self.form
    }

    /// The columns of the terminal; `None` without a terminal, where lines are not wrapped.
    pub(crate) fn columns(&self) -> Option<usize> {
        let size = self
            .form
            .terminal
            .then(terminal_size::terminal_size)
            .flatten();
        size.map(|(width, _)| usize::from(width.0).max(40))
    }

    /// The maximum width of a table: that of the terminal, or 100 without one.
    pub(crate) fn width(&self) -> usize {
        self.columns().unwrap_or(100)
    }

    /// `shown` as a link to `file`, on a terminal that supports links.
    pub(crate) fn linked(&self, shown: &str, file: &Path) -> String {
        match file.to_str().filter(|_| file.is_absolute()) {
            Some(path) => {
                let address = utf8_percent_encode(path, ADDRESS);
                self.linked_to(shown, &format!("file://{address}"))
            }
            None => shown.to_string(),
        }
    }

    /// `shown` as a link to an address, on a terminal that supports links.
    pub(crate) fn linked_to(&self, shown: &str, address: &str) -> String {
        match self.form.links {
            true => format!("\x1b]8;;{address}\x1b\\{shown}\x1b]8;;\x1b\\"),
            false => shown.to_string(),
        }
    }

    /// `text`, kept on one line, in `style` if colors are on.
    pub(crate) fn styled(&self, text: &str, style: Style) -> String {
        let text = self.safe(text);
        match self.form.color {
            true => text.style(style).to_string(),
            false => text.into_owned(),
        }
    }

    /// A match in a text from outside, in bold if colors are on.
    pub(crate) fn highlighted(&self, text: &str) -> String {
        let text = self.safe_text(text);
        match self.form.color {
            true => text.bold().yellow().to_string(),
            false => text.into_owned(),
        }
    }

    /// A name or a line from outside: on a terminal, hidden characters and line ends are escaped.
    pub(crate) fn safe<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.form.terminal {
            true => escaped(text, Ends::Escaped),
            false => Cow::Borrowed(text),
        }
    }

    /// A text of several lines from outside: on a terminal, hidden characters are escaped, except
    /// for line ends and tabs.
    pub(crate) fn safe_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.form.terminal {
            true => escaped(text, Ends::Kept),
            false => Cow::Borrowed(text),
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.stream, "{line}")
    }

    /// Writes a value as one line of JSON; on a terminal, hidden characters as `\uXXXX`.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        match self.form.terminal {
            true => {
                let json = serde_json::to_string(value)?;
                self.stream.write_all(escaped_json(&json).as_bytes())?;
            }
            false => serde_json::to_writer(&mut self.stream, value)?,
        }
        self.stream.write_all(b"\n")
    }

    /// Writes text unchanged.
    pub(crate) fn raw(&mut self, text: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(text.as_ref())
    }

    /// The stream, to write raw text piece by piece.
    pub(crate) fn stream(&mut self) -> &mut impl Write {
        &mut self.stream
    }

    /// Flushes the stream.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Prints an error on standard error.
pub(crate) fn complain(message: &str) {
    say(&format!("excerpt: {message}"));
}

/// Prints a message on standard error.
pub(crate) fn say(message: &str) {
    let message = match io::stderr().is_terminal() {
        true => Cow::Owned(for_terminal(message)),
        false => Cow::Borrowed(message),
    };
    // Nothing can be reported when standard error is closed.
    let _ = writeln!(io::stderr(), "{message}");
}

/// A message for a terminal, with hidden characters escaped. All lines but the first are indented:
/// a name in the message may contain line ends, and no part of it may look like another message.
fn for_terminal(message: &str) -> String {
    escaped(message, Ends::Kept).replace('\n', "\n  ")
}

/// What happens to line ends and tabs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Kept,
    Escaped,
}

/// `text` with its hidden characters as `\u{…}`.
fn escaped(text: &str, ends: Ends) -> Cow<'_, str> {
    if !has_hidden(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for (at, char, is_hidden) in characters(text) {
        match char {
            '\n' | '\t' if ends == Ends::Kept => shown.push(char),
            // `\r\n` becomes `\n`.
            '\r' if ends == Ends::Kept && text[at..].starts_with("\r\n") => {}
            _ if is_hidden => shown.extend(char.escape_unicode()),
            _ => shown.push(char),
        }
    }
    Cow::Owned(shown)
}

/// The arguments of the program with hidden characters escaped; `None` if they contain none.
pub(crate) fn escaped_arguments() -> Option<Vec<String>> {
    let arguments: Vec<String> = crate::invocation::started()
        .arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let is_meant = arguments.iter().any(|argument| has_hidden(argument));
    is_meant.then(|| {
        let shown = arguments.iter();
        shown
            .map(|argument| escaped(argument, Ends::Escaped).into_owned())
            .collect()
    })
}

/// The width of `text` in columns.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// `text` in exactly `width` columns: padded with spaces, or its end after a `…`, which is the most
/// specific part of a path or trail.
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

/// `text` in at most `width` columns: if it is longer, its beginning and a `…`.
pub(crate) fn cut_off(text: &str, width: usize) -> Cow<'_, str> {
    if columns(text) <= width {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let fits = |char: &char| {
        used += char.width().unwrap_or(0);
        used <= width
    };
    let kept: String = text.chars().take_while(fits).collect();
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// Where the date of a change is from.
pub(crate) fn date_of(from: DateFrom) -> &'static str {
    match from {
        DateFrom::Commit => "commit",
        DateFrom::Document => "its date",
        _ => "file",
    }
}

/// An error with its causes, those of the operating system without their numbers.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    let causes = error
        .chain()
        .map(|cause| match cause.downcast_ref::<io::Error>() {
            Some(error) => plain_error(error),
            None => cause.to_string(),
        });
    causes.collect::<Vec<_>>().join(": ")
}

/// The time that has passed since a time in seconds since 1970.
pub(crate) fn ago(seconds: i64) -> String {
    let passed = usize::try_from(now() - seconds).unwrap_or(0);
    match passed {
        0..60 => "just now".to_string(),
        60..3600 => format!("{} ago", counted(passed / 60, "minute")),
        3600..86_400 => format!("{} ago", counted(passed / 3600, "hour")),
        _ => format!("{} ago", counted(passed / 86_400, "day")),
    }
}

/// How long from now a time in seconds since 1970 is.
pub(crate) fn ahead(seconds: i64) -> String {
    match usize::try_from(seconds - now()).unwrap_or(0) {
        0..60 => "in less than a minute".to_string(),
        left @ 60..7_200 => format!("in {}", counted(left.div_ceil(60), "minute")),
        left @ 7_200..172_800 => format!("in {}", counted(left.div_ceil(3_600), "hour")),
        left => format!("in {}", counted(left.div_ceil(86_400), "day")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_in_text_are_escaped_on_a_terminal() {
        assert_eq!(escaped("a\x1b[2Jb\tc\n", Ends::Kept), "a\\u{1b}[2Jb\tc\n");
        assert_eq!(escaped("a\tb\nc", Ends::Escaped), "a\\u{9}b\\u{a}c");
        assert_eq!(escaped("a\r\nb\rc", Ends::Kept), "a\nb\\u{d}c");
        assert_eq!(escaped("a\r\n", Ends::Escaped), "a\\u{d}\\u{a}");
        assert_eq!(
            escaped("\u{202e}dm.\u{9b}1m\u{e0041}", Ends::Kept),
            "\\u{202e}dm.\\u{9b}1m\\u{e0041}"
        );
        assert_eq!(escaped("né\n", Ends::Kept), "né\n");
    }

    #[test]
    fn an_error_of_the_system_has_no_number() {
        let error = anyhow::Error::from(io::Error::from_raw_os_error(2));
        let shown = with_causes(&error.context("cannot read `a`"));
        assert!(shown.starts_with("cannot read `a`: "), "{shown}");
        assert!(!shown.contains("os error"), "{shown}");
    }

    #[test]
    fn a_name_cannot_look_like_a_message() {
        assert_eq!(
            for_terminal("no `a\nexcerpt: all is well\r`"),
            "no `a\n  excerpt: all is well\\u{d}`"
        );
    }

    #[test]
    fn text_is_fitted_to_columns() {
        assert_eq!(fitted("ab", 4), "ab  ");
        assert_eq!(fitted("abcdef", 4), "…def");
        assert_eq!(fitted("漢字漢字", 4), "…字 ");
        assert_eq!(cut_off("abcd", 4), "abcd");
        assert_eq!(cut_off("ab cdef", 4), "ab…");
        assert_eq!(cut_off("漢字漢字", 4), "漢…");
        assert_eq!(columns("漢a"), 3);
    }
}
