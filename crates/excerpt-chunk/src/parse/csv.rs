//! CSV and TSV: one table, whose first row is its header.

use std::collections::BTreeMap;

use crate::document::Document;
use crate::outline::{Kind, Outline, OutlineBuilder};
use crate::parse::limits::most_nodes;
use crate::parse::{Lines, Parser, body_start};
use crate::split;

/// After this many quotes that are never closed, quotes mean nothing: each costs a search up to the
/// end of the text.
const MOST_UNCLOSED: usize = 8;

/// What may separate values.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How many rows show what separates values, and how many values there are.
const SAMPLE: usize = 64;

/// Reads values separated by commas, semicolons or tabs. A row is a line, or several if a quoted
/// value contains line ends. In a text without line feeds, rows end at carriage returns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Csv;

impl Parser for Csv {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let text = document.text();
        let start = body_start(text);
        let separator = separator(&text[start..]);
        let mut builder = OutlineBuilder::new(text, start);
        let mut at = start + preamble(&text[start..], separator);
        if at > start {
            builder.leaf(Kind::Paragraph, start..at);
        }
        let head = usize::from(has_names(&text[at..]));
        let most = most_nodes(text);
        let mut rows = Rows::of(text, at);
        let is_plain = |row: &str| !row.trim_end_matches(['\n', '\r']).contains('\n');
        if rows.end == b'\n' && rows.all(is_plain) {
            // The packer splits a table at its lines.
            let table = builder.leaf(Kind::Table, at..text.len());
            builder.header_lines(table, head);
            builder.cell_separator(table, separator);
            return builder.finish();
        }
        let table = builder.open(Kind::Table, at);
        builder.header_lines(table, head);
        builder.cell_separator(table, separator);
        for row in Rows::of(text, at) {
            if builder.len() > most {
                return Lines::instead(document, "rows", "CSV");
            }
            builder.leaf(Kind::Row, at..at + row.len());
            at += row.len();
        }
        builder.close(text.len());
        builder.finish()
    }
}

/// The first rows of a text that have values, at most [`SAMPLE`]: where each is.
fn sample(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let rows = Rows::of(text, 0).scan(0, |end, row| {
        let start = std::mem::replace(end, *end + row.len());
        Some((start, row))
    });
    rows.filter(|(_, row)| !row.trim().is_empty() && !is_above(row))
        .take(SAMPLE)
}

/// Whether a line above the names is a comment or a setting.
fn is_above(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("sep=")
}

/// How many of `widths` are the most frequent one that is not 1, and that width.
fn usual(widths: impl Iterator<Item = usize>) -> (usize, usize) {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for width in widths.filter(|width| *width > 1) {
        *counts.entry(width).or_default() += 1;
    }
    let counts = counts.into_iter().map(|(width, count)| (count, width));
    counts.max().unwrap_or((0, 1))
}

/// How many values a row has, up to the last one that is not empty: a program may write as many
/// separators in each row.
fn width(row: &str, separator: u8) -> usize {
    let (mut count, mut width) = (0, 0);
    let row = row.trim_end_matches(['\n', '\r']);
    split::cells(row, 0..row.len(), separator, |cell| {
        count += 1;
        let value = row[cell].trim_end_matches(char::from(separator));
        if !value.trim().is_empty() {
            width = count;
        }
    });
    width
}

/// The character that separates the values: the one that divides most rows into as many as the
/// others, and into the most.
fn separator(text: &str) -> u8 {
    let named = text
        .strip_prefix("sep=")
        .and_then(|rest| rest.bytes().next());
    let found = SEPARATORS.into_iter().rev().max_by_key(|separator| {
        let (count, width) = usual(sample(text).map(|(_, row)| width(row, *separator)));
        count * count * (width - 1)
    });
    named.or(found).unwrap_or(SEPARATORS[0])
}

/// Where the table begins in a text: below comments and settings, and below rows that are about it,
/// as in the exports of a bank. They have fewer values than most rows.
fn preamble(text: &str, separator: u8) -> usize {
    /// The least number of rows that are a table.
    const FEWEST: usize = 3;
    let widths = || sample(text).map(|(start, row)| (start, width(row, separator)));
    let (count, usual) = usual(widths().map(|(_, width)| width));
    let first = widths().find(|(_, width)| *width >= usual);
    let after = first.map_or(0, |(start, _)| {
        widths().filter(|(at, _)| *at >= start).count()
    });
    match first {
        Some((start, width)) if width == usual && count >= FEWEST && count * 2 > after => start,
        _ => widths().next().map_or(0, |(start, _)| start),
    }
}

/// Whether the first row of a table has the names of its columns, and not values: only numbers and
/// times, or one where the row below has one, too. A year may be the name of a column.
fn has_names(table: &str) -> bool {
    let mut lines = table.split(char::from(row_end(table)));
    let mut next = || lines.find(|line| !line.trim().is_empty());
    let (first, below) = (next().unwrap_or_default(), next().unwrap_or_default());
    let is_number = |value: &str| {
        let value = value.trim().trim_matches('"');
        value.bytes().any(|byte| byte.is_ascii_digit())
            && value
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b".-+:eE/TZ ".contains(&byte))
    };
    let values = |line| str::split(line, [',', ';', '\t']);
    let is_year = |value: &str| value.trim().trim_matches('"').len() == 4;
    let is_value =
        |(name, below): (&str, &str)| is_number(name) && !is_year(name) && is_number(below);
    let is_row = values(first).count() > 1
        && (values(first).all(is_number) || values(first).zip(values(below)).any(is_value));
    !is_row
}

/// The character at which the rows of a text end: a line feed, after which a search for one ends
/// soon, or a carriage return.
fn row_end(text: &str) -> u8 {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(_) => b'\n',
        None if text.contains('\r') => b'\r',
        None => b'\n',
    }
}

/// The rows of a text, each with the line end after it.
struct Rows<'a> {
    text: &'a str,
    at: usize,
    /// The last character of a row.
    end: u8,
    /// How many quotes were never closed.
    unclosed: usize,
}

impl<'a> Rows<'a> {
    fn of(text: &'a str, at: usize) -> Self {
        Rows {
            text,
            at,
            end: row_end(&text[at..]),
            unclosed: 0,
        }
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let mut is_quoted = false;
        let mut closed = None;
        let mut end = rest.len();
        for at in memchr::memchr2_iter(b'"', self.end, rest.as_bytes()) {
            match rest.as_bytes()[at] {
                b'"' if is_quoted => {
                    is_quoted = false;
                    closed = Some(at);
                }
                // A quote within a value is one of its characters; two stand for one.
                b'"' => {
                    let before = rest[..at].bytes().next_back();
                    let opens = before.is_none_or(|byte| SEPARATORS.contains(&byte));
                    let is_second = at > 0 && closed == Some(at - 1);
                    is_quoted = (opens || is_second) && self.unclosed < MOST_UNCLOSED;
                }
                _ if is_quoted => {}
                _ => {
                    end = at + 1;
                    break;
                }
            }
        }
        if is_quoted {
            // The quote is never closed: it is a character of its line.
            self.unclosed += 1;
            end = memchr::memchr(self.end, rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        }
        self.at += end;
        Some(&rest[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<&str> {
        Rows::of(text, 0).collect()
    }

    #[test]
    fn a_row_ends_at_a_line_end_outside_of_quotes() {
        assert_eq!(rows("a,b\n1,2\n"), ["a,b\n", "1,2\n"]);
        assert_eq!(rows("a,\"x\ny\"\n1,2"), ["a,\"x\ny\"\n", "1,2"]);
        assert_eq!(
            rows("a,\"say \"\"no\n\"\"\"\n1"),
            ["a,\"say \"\"no\n\"\"\"\n", "1"]
        );
    }

    #[test]
    fn without_line_feeds_a_row_ends_at_a_carriage_return() {
        assert_eq!(rows("a,b\r1,2\r"), ["a,b\r", "1,2\r"]);
        assert_eq!(rows("a,\"x\ry\"\r1,2"), ["a,\"x\ry\"\r", "1,2"]);
        assert_eq!(rows("a,\"open\rb,c\r"), ["a,\"open\r", "b,c\r"]);
        assert_eq!(rows("a,b\r\n1\r,2\n"), ["a,b\r\n", "1\r,2\n"]);
        let text = "sep=;\rname;size\rone;1\rtwo;2\r";
        let outline = Csv.parse(&Document::new(text), 0);
        let rows = outline.nodes.iter().filter(|node| node.kind == Kind::Row);
        let rows: Vec<_> = rows.map(|row| &text[row.span.clone()]).collect();
        assert_eq!(rows, ["name;size\r", "one;1\r", "two;2\r"]);
        assert!(outline.is_header(3) && !outline.is_header(4));
        assert!(!has_names("1,2\r3,4\r"));
    }

    #[test]
    fn a_quote_that_opens_no_value_is_a_character() {
        assert_eq!(
            rows("pipe 5\",1\npipe 6\",2\n"),
            ["pipe 5\",1\n", "pipe 6\",2\n"]
        );
        assert_eq!(rows("a,\"open\nb,c\n"), ["a,\"open\n", "b,c\n"]);
        assert_eq!(rows("24\"\",a\n\"b\",c\n"), ["24\"\",a\n", "\"b\",c\n"]);
    }

    #[test]
    fn numbers_and_times_are_no_names() {
        assert!(has_names("a,b\n1,2\n"));
        assert!(!has_names("1,2.5,2026-01-02\n2,3,4\n"));
        assert!(!has_names(
            "2026-03-04T21:00:00Z,0.35,ok\n2026-03-04T22:00:00Z,0.4,ok\n"
        ));
        assert!(has_names("city,2019,2020\nYork,3,4\n"));
        assert!(has_names("T,E,Z\n1,2,3\n"));
        assert!(has_names("alone\n1\n"));
    }

    #[test]
    fn the_rows_tell_what_separates_values() {
        assert_eq!(separator("a,b\n1,\"2;3;4;5\"\n"), b',');
        assert_eq!(separator("# by, hand\na;b;c\n1;1,5;2,5\n1;3,5;4\n"), b';');
        assert_eq!(separator("sep=;\na,b\n"), b';');
        assert_eq!(separator("a\tb\n"), b'\t');
        assert_eq!(separator("alone\n"), b',');
    }

    #[test]
    fn what_is_above_the_table_is_no_part_of_it() {
        let table = "day;shop;sum\n01.02.;Quay;3,50\n02.02.;Mole;4\n03.02.;;5\n";
        for above in [
            "",
            "Account;DE12\n\n",
            "Sales of the year\nAccount:;DE12;\n;;\n",
        ] {
            let text = format!("{above}{table}");
            assert_eq!(preamble(&text, b';'), above.len(), "{above}");
        }
        // Rows of many widths are no table with something above it.
        assert_eq!(preamble("a;b\nc;d;e\nf;g\nh;i;j\nk;l\n", b';'), 0);
        let outline = Csv.parse(
            &Document::new("Account:;DE12\n\na;b;c\n\"1\n\";2;3\n4;5;6\n7;8;9\n"),
            0,
        );
        let kinds: Vec<_> = outline.nodes.iter().map(|node| node.kind).collect();
        let [document, above, table, row] =
            [Kind::Document, Kind::Paragraph, Kind::Table, Kind::Row];
        assert_eq!(kinds, [document, above, table, row, row, row, row]);
    }

    #[test]
    fn comments_and_settings_are_above_the_table() {
        for rows in ["\"1\n\";2\n", "\"1\n\";2\n3;4\n5;6\n"] {
            let text = format!("# by hand\nsep=;\n\na;b\n{rows}");
            let outline = Csv.parse(&Document::new(&text), 0);
            let table = &outline.nodes[2];
            assert_eq!((table.kind, table.header_lines), (Kind::Table, 1));
            assert!(text[table.span.clone()].starts_with("a;b\n"));
            assert!(outline.is_header(3));
            assert_eq!(&text[outline.nodes[3].span.clone()], "a;b\n");
        }
    }

    #[test]
    fn the_first_row_is_the_header_of_the_table() {
        let outline = Csv.parse(&Document::new("a,b\n1,2\n"), 0);
        assert_eq!(
            (outline.nodes[1].kind, outline.nodes[1].header_lines),
            (Kind::Table, 1)
        );
        let outline = Csv.parse(&Document::new("a,b\n\"1\n\",2\n3,4\n"), 0);
        assert!(outline.is_header(2) && !outline.is_header(3));
        assert_eq!(outline.nodes.len(), 5);
    }
}
