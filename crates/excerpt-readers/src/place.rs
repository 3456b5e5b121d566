//! Where the parts of a text are in the file that it was read from: [`FilePlaces`].

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

/// A part of a file, from 1 where it is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilePlace {
    /// A page of a document: `page=12`.
    Page(usize),
    /// A slide of a presentation: `slide=3`.
    Slide(usize),
    /// A cell of a notebook: `cell-7`.
    Cell(usize),
    /// A message of a mailbox: `message-7`.
    Message(usize),
    /// A time in a recording, in seconds: `t=00:01:05`.
    Time(usize),
    /// A section of a document that has no pages, as links name its heading: `how-it-works`.
    Section(String),
    /// Rows of a sheet: `Prices!A1:D40`.
    Rows {
        /// The name of the sheet.
        sheet: String,
        /// The first and the last column.
        columns: (usize, usize),
        /// The first and the last row.
        rows: (usize, usize),
    },
}

/// As the fragment of an address: what follows the `#`.
impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilePlace::Page(number) => write!(f, "page={number}"),
            FilePlace::Slide(number) => write!(f, "slide={number}"),
            FilePlace::Cell(number) => write!(f, "cell-{number}"),
            FilePlace::Message(number) => write!(f, "message-{number}"),
            FilePlace::Time(seconds) => {
                let (minutes, seconds) = (seconds / 60, seconds % 60);
                write!(f, "t={:02}:{:02}:{seconds:02}", minutes / 60, minutes % 60)
            }
            FilePlace::Section(slug) => f.write_str(slug),
            FilePlace::Rows {
                sheet,
                columns: (left, right),
                rows: (first, last),
            } => {
                let (left, right) = (letters(*left), letters(*right));
                write!(f, "{sheet}!{left}{first}:{right}{last}")
            }
        }
    }
}

/// The seconds of a time such as `01:05` or `1:01:05.250`.
fn seconds(time: &str) -> Option<usize> {
    let whole = time.split(['.', ',']).next().unwrap_or(time);
    let parts: Vec<&str> = whole.split(':').collect();
    let add = |total: usize, part: &&str| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        let part: usize = part.parse().ok().filter(|_| is_number)?;
        total.checked_mul(60)?.checked_add(part)
    };
    (parts.len() <= 3).then(|| parts.iter().try_fold(0, add))?
}

/// The slug of a heading, as GitHub makes it: the name that links call it by, without the number of
/// a second one of the same text.
#[must_use]
pub fn slug(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_') || is_combining_mark(*c);
    let lower = title.trim().chars().flat_map(char::to_lowercase);
    let dashed = lower.map(|c| if c == ' ' { '-' } else { c });
    dashed.filter(kept).collect()
}

/// The letters of a column: `A`, `Z`, `AA`.
pub(crate) fn letters(mut column: usize) -> String {
    let mut letters = Vec::new();
    while column > 0 {
        column -= 1;
        letters.insert(0, b'A' + (column % 26) as u8);
        column /= 26;
    }
    letters.into_iter().map(char::from).collect()
}

/// The number of a column with these letters.
pub(crate) fn column(letters: &str) -> Option<usize> {
    let digit = |letter: u8| match letter.to_ascii_uppercase() {
        letter @ b'A'..=b'Z' => Some(usize::from(letter - b'A') + 1),
        _ => None,
    };
    letters.bytes().try_fold(0_usize, |number, letter| {
        number.checked_mul(26)?.checked_add(digit(letter)?)
    })
}

impl FilePlace {
    /// The place that a fragment names; `None` for a section, which its headings tell.
    #[must_use]
    pub fn parse(fragment: &str) -> Option<FilePlace> {
        let number = |prefix: &str| {
            let number = fragment.strip_prefix(prefix)?.parse().ok()?;
            (number > 0).then_some(number)
        };
        let cell = |cell: &str| {
            let digits = cell.find(|c: char| c.is_ascii_digit())?;
            let column = column(&cell[..digits])?;
            Some((column, cell[digits..].parse().ok()?))
        };
        let rows = || {
            let (sheet, cells) = fragment.rsplit_once('!')?;
            let (from, to) = cells.split_once(':').unwrap_or((cells, cells));
            let ((left, first), (right, last)) = (cell(from)?, cell(to)?);
            Some(FilePlace::Rows {
                sheet: sheet.trim_matches('\'').to_string(),
                columns: (left, right),
                rows: (first, last),
            })
        };
        let page = number("page=").map(FilePlace::Page);
        let page = page.or_else(|| number("slide=").map(FilePlace::Slide));
        let time = || seconds(fragment.strip_prefix("t=")?).map(FilePlace::Time);
        page.or_else(|| number("cell-").map(FilePlace::Cell))
            .or_else(|| number("message-").map(FilePlace::Message))
            .or_else(time)
            .or_else(rows)
    }

    /// The one that follows it, if it names one page, cell or row.
    fn next(&self) -> Option<FilePlace> {
        Some(match self {
            FilePlace::Page(number) => FilePlace::Page(number.checked_add(1)?),
            FilePlace::Slide(number) => FilePlace::Slide(number.checked_add(1)?),
            FilePlace::Cell(number) => FilePlace::Cell(number.checked_add(1)?),
            FilePlace::Message(number) => FilePlace::Message(number.checked_add(1)?),
            FilePlace::Rows {
                sheet,
                columns,
                rows: (first, last),
            } if first == last => FilePlace::Rows {
                sheet: sheet.clone(),
                columns: *columns,
                rows: (first.checked_add(1)?, last.checked_add(1)?),
            },
            FilePlace::Rows { .. } | FilePlace::Section(_) | FilePlace::Time(_) => return None,
        })
    }

    /// What is here and at the `others` that follow in one direction, up to the first that one
    /// place cannot name with it.
    fn joined_to_all<'p>(&self, others: impl Iterator<Item = &'p FilePlace>) -> FilePlace {
        let mut place = self.clone();
        for other in others {
            match place.joined(other) {
                Some(joined) => place = joined,
                None => break,
            }
        }
        place
    }

    /// What is both here and at `other`, if one place can name it.
    fn joined(&self, other: &FilePlace) -> Option<FilePlace> {
        match (self, other) {
            (
                FilePlace::Rows {
                    sheet,
                    columns: (left, right),
                    rows: (first, last),
                },
                FilePlace::Rows {
                    sheet: other,
                    columns,
                    rows,
                },
            ) if sheet == other => Some(FilePlace::Rows {
                sheet: sheet.clone(),
                columns: (*left.min(&columns.0), *right.max(&columns.1)),
                rows: (*first.min(&rows.0), *last.max(&rows.1)),
            }),
            _ => None,
        }
    }

    /// Whether `wanted` names this place or a part of it.
    fn is_part_of(&self, wanted: &FilePlace) -> bool {
        match (self, wanted) {
            (
                FilePlace::Rows { sheet, rows, .. },
                FilePlace::Rows {
                    sheet: other,
                    rows: wanted,
                    ..
                },
            ) => sheet == other && rows.0 <= wanted.1 && wanted.0 <= rows.1,
            _ => self == wanted,
        }
    }
}

/// The places of a text: each begins where the one before it ends.
///
/// Stored as runs: where one begins, its first place, and how far it is from each place of the run
/// to the next, as `[[0,"page=1",[2048,1999]]]` for three pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(into = "Vec<Run>", try_from = "Vec<Run>")]
pub struct FilePlaces(Vec<(usize, FilePlace)>);

/// Places that follow each other in the file as in the text.
#[derive(Deserialize, Serialize)]
struct Run(usize, String, Vec<usize>);

impl From<FilePlaces> for Vec<Run> {
    fn from(places: FilePlaces) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        let mut last: Option<(usize, FilePlace)> = None;
        for (at, place) in places.0 {
            let follows = |(_, last): &(usize, FilePlace)| last.next().as_ref() == Some(&place);
            match (last.as_ref().filter(|last| follows(last)), runs.last_mut()) {
                (Some((before, _)), Some(run)) => run.2.push(at - before),
                _ => runs.push(Run(at, place.to_string(), Vec::new())),
            }
            last = Some((at, place));
        }
        runs
    }
}

impl TryFrom<Vec<Run>> for FilePlaces {
    type Error = &'static str;

    fn try_from(runs: Vec<Run>) -> Result<Self, Self::Error> {
        const INVALID: &str = "invalid places";
        let mut places: Vec<(usize, FilePlace)> = Vec::new();
        for Run(mut at, first, distances) in runs {
            let mut place = FilePlace::parse(&first).unwrap_or(FilePlace::Section(first));
            for distance in distances {
                let next = place.next().ok_or(INVALID)?;
                places.push((at, std::mem::replace(&mut place, next)));
                at = at.checked_add(distance).ok_or(INVALID)?;
            }
            places.push((at, place));
        }
        match places.is_sorted_by_key(|(at, _)| *at) {
            true => Ok(FilePlaces(places)),
            false => Err(INVALID),
        }
    }
}

impl FilePlaces {
    /// The times of the cues in a text of subtitles, or a part of one that begins at the byte
    /// `start`. A cue begins with its number or its name, if it has one.
    #[must_use]
    pub fn of_cues(text: &str, start: usize) -> Self {
        let mut places = FilePlaces::default();
        let mut at = start;
        // Where the line before begins, unless it is blank.
        let mut before = None;
        for line in text.split_inclusive('\n') {
            if let Some((from, _)) = line.split_once("-->")
                && let Some(seconds) = seconds(from.trim())
            {
                places.push(before.unwrap_or(at), FilePlace::Time(seconds));
            }
            before = (!line.trim().is_empty()).then_some(at);
            at += line.len();
        }
        places
    }

    /// What follows the byte `at` of the text is at `place`, up to the next one. Places are added
    /// in the order of the text.
    pub fn push(&mut self, at: usize, place: FilePlace) {
        debug_assert!(self.0.last().is_none_or(|(before, _)| *before <= at));
        match self.0.last_mut() {
            // A place without any text.
            Some(last) if last.0 == at => last.1 = place,
            Some((_, last)) if *last == place => (),
            _ => self.0.push((at, place)),
        }
    }

    /// The places of the text without its first `bytes`.
    #[must_use]
    pub fn without_prefix(self, bytes: usize) -> Self {
        let ended = self
            .0
            .partition_point(|(at, _)| *at <= bytes)
            .saturating_sub(1);
        let left = self.0.into_iter().skip(ended);
        FilePlaces(
            left.map(|(at, place)| (at.saturating_sub(bytes), place))
                .collect(),
        )
    }

    /// Leaves out the places at the end of a text of `length` bytes that have no part of it.
    pub(crate) fn trim_to(&mut self, length: usize) {
        while self.0.pop_if(|(at, _)| *at >= length).is_some() {}
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each place with the byte of the text at which it begins.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &FilePlace)> {
        self.0.iter().map(|(at, place)| (*at, place))
    }

    /// Where the passage at these bytes is in the file, of which the byte `at` matters most: the
    /// place of that byte or, on a sheet, all rows of the passage that are on the same one. What
    /// precedes the first place, such as front matter, is cited by that.
    #[must_use]
    pub fn cited(&self, bytes: Range<usize>, at: usize) -> Option<FilePlace> {
        let begun = |at| self.0.partition_point(|(start, _)| *start <= at);
        let (first, at) = (begun(bytes.start).saturating_sub(1), begun(at));
        let at = at.saturating_sub(1).max(first);
        let place = &self.0.get(at).filter(|(at, _)| *at < bytes.end)?.1;
        let before = self.0[first..at].iter().rev();
        let after = self.0[at + 1..].iter();
        let after = after.take_while(|(start, _)| *start < bytes.end);
        let place = place.joined_to_all(before.map(|(_, place)| place));
        let place = place.joined_to_all(after.map(|(_, place)| place));
        // A heading without a name names no place.
        Some(place).filter(|place| *place != FilePlace::Section(String::new()))
    }

    /// The bytes of a text of `length` bytes at a place, all rows of a sheet that are in it, or
    /// what is said at a time.
    #[must_use]
    pub fn find(&self, wanted: &FilePlace, length: usize) -> Option<Range<usize>> {
        if let FilePlace::Time(wanted) = wanted {
            let has_begun = |(_, place): &(usize, FilePlace)| matches!(place, FilePlace::Time(time) if time <= wanted);
            let last = self.0.iter().rposition(has_begun)?;
            let end = self.0.get(last + 1);
            return Some(self.0[last].0..end.map_or(length, |(at, _)| *at));
        }
        let is_wanted = |(_, place): &(usize, FilePlace)| place.is_part_of(wanted);
        let first = self.0.iter().position(is_wanted)?;
        let count = self.0[first..].iter().take_while(|place| is_wanted(place));
        let end = self.0.get(first + count.count());
        Some(self.0[first].0..end.map_or(length, |(at, _)| *at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(columns: (usize, usize), rows: (usize, usize)) -> FilePlace {
        FilePlace::Rows {
            sheet: "Prices".into(),
            columns,
            rows,
        }
    }

    #[test]
    fn a_time_finds_the_cue_that_has_begun() {
        let text =
            "1\n00:00:01,000 --> 00:00:02,000\nTea?\n\n2\n00:01:05,500 --> 00:01:07,000\nYes.\n";
        let places = FilePlaces::of_cues(text, 0);
        let said = |time| {
            let found = places.find(&FilePlace::Time(time), text.len());
            found.map(|bytes| text[bytes].lines().nth(2).unwrap())
        };
        assert_eq!(said(0), None);
        assert_eq!(said(64), Some("Tea?"));
        assert_eq!(said(66), Some("Yes."));
        let second = text.find("Yes").unwrap();
        let cited = places.cited(0..text.len(), second).unwrap();
        assert_eq!(cited.to_string(), "t=00:01:05");
        let part = FilePlaces::of_cues(&text[second - 33..], second - 33);
        assert_eq!(
            part.cited(second..second + 1, second),
            Some(FilePlace::Time(65))
        );
    }

    #[test]
    fn a_place_is_written_and_read_as_a_fragment() {
        for (place, fragment) in [
            (FilePlace::Page(12), "page=12"),
            (FilePlace::Slide(3), "slide=3"),
            (FilePlace::Cell(7), "cell-7"),
            (FilePlace::Message(7), "message-7"),
            (FilePlace::Time(3665), "t=01:01:05"),
            (rows((1, 4), (1, 40)), "Prices!A1:D40"),
            (rows((26, 703), (2, 2)), "Prices!Z2:AAA2"),
        ] {
            assert_eq!(place.to_string(), fragment);
            assert_eq!(FilePlace::parse(fragment), Some(place));
        }
        assert_eq!(FilePlace::parse("t=1:05.9"), Some(FilePlace::Time(65)));
        assert_eq!(FilePlace::parse("t=65"), Some(FilePlace::Time(65)));
        assert_eq!(FilePlace::parse("Prices!A3"), Some(rows((1, 1), (3, 3))));
        for other in [
            "page=0",
            "page=x",
            "t=",
            "t=1:+2",
            "t=1:2:3:4",
            "how-it-works",
            "cell-",
            "Prices!",
            "a!1:2:3",
        ] {
            assert_eq!(FilePlace::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_range_is_where_it_begins_and_rows_are_joined() {
        let mut pages = FilePlaces::default();
        pages.push(10, FilePlace::Page(1));
        pages.push(20, FilePlace::Page(2));
        assert_eq!(pages.cited(0..5, 0), None);
        assert_eq!(pages.cited(0..15, 2), Some(FilePlace::Page(1)));
        assert_eq!(pages.cited(0..35, 22), Some(FilePlace::Page(2)));
        assert_eq!(pages.cited(12..40, 12), Some(FilePlace::Page(1)));
        assert_eq!(pages.cited(20..40, 39), Some(FilePlace::Page(2)));
        assert_eq!(pages.find(&FilePlace::Page(1), 50), Some(10..20));
        assert_eq!(pages.find(&FilePlace::Page(2), 50), Some(20..50));
        assert_eq!(pages.find(&FilePlace::Page(3), 50), None);

        let mut sheet = FilePlaces::default();
        for row in 1..=4 {
            sheet.push(row * 10, rows((1, 3), (row, row)));
        }
        for at in [15, 25, 30] {
            assert_eq!(sheet.cited(15..31, at), Some(rows((1, 3), (1, 3))));
        }
        let found = sheet.find(&rows((1, 1), (2, 3)), 50);
        assert_eq!(found, Some(20..40));
    }

    #[test]
    fn rows_on_another_sheet_of_the_same_passage_are_cited_by_that_one() {
        let stock = |rows| FilePlace::Rows {
            sheet: "Stock".into(),
            columns: (2, 3),
            rows,
        };
        let mut sheets = FilePlaces::default();
        sheets.push(0, rows((1, 2), (1, 1)));
        sheets.push(10, rows((1, 2), (2, 2)));
        sheets.push(20, stock((4, 4)));
        sheets.push(30, stock((5, 5)));
        sheets.push(40, FilePlace::Page(1));
        let cited = |at| sheets.cited(5..50, at).unwrap();
        for at in [5, 12, 19] {
            assert_eq!(cited(at), rows((1, 2), (1, 2)));
        }
        for at in [20, 35] {
            assert_eq!(cited(at), stock((4, 5)));
        }
        assert_eq!(cited(45), FilePlace::Page(1));
    }

    #[test]
    fn places_are_stored_as_runs() {
        let mut places = FilePlaces::default();
        for (at, place) in [
            (0, FilePlace::Page(1)),
            (20, FilePlace::Page(2)),
            (25, FilePlace::Page(4)),
            (30, rows((1, 3), (7, 7))),
            (40, rows((1, 3), (8, 8))),
            (50, rows((1, 4), (9, 9))),
            (60, FilePlace::Section("the-end".into())),
        ] {
            places.push(at, place);
        }
        let stored = serde_json::to_string(&places).unwrap();
        assert_eq!(
            stored,
            r#"[[0,"page=1",[20]],[25,"page=4",[]],[30,"Prices!A7:C7",[10]],[50,"Prices!A9:D9",[]],[60,"the-end",[]]]"#
        );
        assert_eq!(serde_json::from_str::<FilePlaces>(&stored).unwrap(), places);
        for damaged in [
            r#"[[0,"page",[9]]]"#,
            r#"[[9,"page=1",[]],[0,"page=3",[]]]"#,
            r#"[[0,"page=1",[18446744073709551615,1]]]"#,
        ] {
            assert!(
                serde_json::from_str::<FilePlaces>(damaged).is_err(),
                "{damaged}"
            );
        }
    }
}
