//! Logs: entries that begin at a line with a time or a level, and have any number of lines below.
//!
//! The form in which a log writes these is learned from its first lines. An entry is from the day
//! that its time says.

mod day;
mod form;

use std::ops::Range;

use crate::document::Document;
use crate::outline::{Kind, Outline};
use crate::parse::Parser;
use crate::parse::reader::{LineReader, first_line};

use day::day;
use form::{FORMS, Form, form};

/// How many lines with text are read to learn the form.
const LEARNED: usize = 4096;

/// How many lines with text show whether a text is a log, and how few are too few.
const SHOWN: Range<usize> = 4..200;

/// At least one of this many lines without indentation has the form of a log.
const SHARE: usize = 5;

/// A form is another one of the same log if it is at most this many times rarer than the first.
const RARER: usize = 8;

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
            // An entry with the time alone is from the day of the one before.
            if let Some(day) = day(reader.written(at)) {
                reader.day(at, Some(day));
            }
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
