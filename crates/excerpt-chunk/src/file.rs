//! The chunking part of a configuration file: the table `[chunking]` of a TOML text, read so that
//! every error has its place.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::alias;
use crate::chunker::Chunker;
use crate::fields::checked;
use crate::settings::Settings;
use crate::span::LineIndex;
use crate::toml_value::json;

/// The name of the table.
const TABLE: &str = "chunking";

/// Reads the table `[chunking]` of the TOML text `text`. Without that table, nothing is set. Other
/// tables are ignored.
///
/// ```
/// use excerpt_chunk::{Preset, settings_from_toml};
///
/// let said = settings_from_toml("[chunking]\npreset = \"memory\"\nminChunkTokens = 30\n").unwrap();
/// assert_eq!((said.preset, said.min), (Some(Preset::Memory), Some(30)));
///
/// let error = settings_from_toml("[chunking]\nmin = 900\n").unwrap_err();
/// assert_eq!(error.to_string(), "2:1: `min` is `900`, expected a size below `target` (400)\n2 | min = 900\n  | ^^^");
/// ```
///
/// # Errors
///
/// [`FileError`] with line, column and the line itself, for invalid TOML, an unknown field, a value
/// of the wrong type, and a contradiction between fields.
pub fn settings_from_toml(text: &str) -> Result<Settings, FileError> {
    let document = DeTable::parse(text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        FileError::new(text, place, error.message().to_string())
    })?;
    let Some((name, table)) = document.get_ref().get_key_value(TABLE) else {
        return Ok(Settings::default());
    };
    let DeValue::Table(table) = table.get_ref() else {
        let message = format!("`{TABLE}` is not a table, expected `[{TABLE}]`");
        return Err(FileError::new(text, name.span(), message));
    };
    let mut values = Map::new();
    let mut places = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in keys {
        let complain = |message: String| FileError::new(text, key.span(), message);
        let fields = alias::fields("[chunking]", key.get_ref(), json(text, value, whole));
        for (field, value) in fields.map_err(complain)? {
            alias::note(&mut names, field, key.get_ref()).map_err(complain)?;
            let value = checked(field, key.get_ref(), value).map_err(|message| {
                let place = value_place(table, key.get_ref());
                FileError::new(text, place, message)
            })?;
            places.insert(field, key.span());
            values.insert(field.to_string(), value);
        }
    }
    let settings = Settings::deserialize(Value::Object(values));
    let settings =
        settings.map_err(|error| FileError::new(text, name.span(), error.to_string()))?;
    if let Err(error) = Chunker::new(settings.config()) {
        let place = places.get(error.field).cloned();
        return Err(FileError::new(
            text,
            place.unwrap_or(name.span()),
            error.to_string(),
        ));
    }
    Ok(settings)
}

fn value_place(table: &DeTable<'_>, key: &str) -> Range<usize> {
    table.get(key).map_or(0..0, Spanned::span)
}

/// A whole number, which may have underscores between its digits.
fn whole(written: &str) -> Option<Number> {
    let number: Option<i64> = written.replace('_', "").parse().ok();
    number.map(Number::from)
}

/// An error in a configuration file, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The line's text.
    text: String,
    /// How many characters are underlined.
    width: usize,
}

impl FileError {
    /// An error at the bytes `place` of `text`.
    ///
    /// # Panics
    ///
    /// When `place` is not a range of bytes in the text.
    #[must_use]
    pub fn new(text: &str, place: Range<usize>, message: String) -> Self {
        let index = LineIndex::new(text);
        let line = index.line(place.start);
        let bytes = index.lines(line, line);
        let shown = text[bytes.clone()].trim_end();
        let before = text[bytes.start..place.start].chars().count();
        let meant = text[place.start..place.end.min(bytes.start + shown.len()).max(place.start)]
            .chars()
            .count();
        FileError {
            line,
            column: before + 1,
            message,
            text: shown.to_string(),
            width: meant.max(1),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let before = " ".repeat(self.column - 1);
        writeln!(f, "{number}:{}: {}", self.column, self.message)?;
        writeln!(f, "{number} | {}", self.text)?;
        write!(f, "{margin} | {before}{}", "^".repeat(self.width))
    }
}

impl std::error::Error for FileError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        settings_from_toml(text).unwrap_err().to_string()
    }

    #[test]
    fn other_tables_are_passed_over() {
        let settings = settings_from_toml("[search]\nlimit = 3\n").unwrap();
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let text = "[chunking]\nmax = 1_000\noverlap = \"15%\"\nlevels = [2, 3]\natomic = \"keep\"\ninclude_delimiter = true\ncontext = \"path,trail\"\n";
        let settings = settings_from_toml(text).unwrap();
        assert_eq!(settings.max, Some(1000));
        assert_eq!(settings.levels, "2,3".parse().ok());
        assert_eq!(settings.context, "path,trail".parse().ok());
    }

    #[test]
    fn what_is_no_toml_is_shown() {
        insta::assert_snapshot!(error("[chunking]\nmax = = 3\n"), @r"
        2:7: extra `=`, expected nothing
        2 | max = = 3
          |       ^
        ");
    }

    #[test]
    fn two_names_of_one_field_are_shown() {
        insta::assert_snapshot!(error("[chunking]\noverlap = \"15%\"\nfixed_overlap = 3\n"), @r"
        3:1: `overlap` is given twice, as `overlap` and `fixed_overlap`
        3 | fixed_overlap = 3
          | ^^^^^^^^^^^^^
        ");
    }

    #[test]
    fn a_field_that_is_not_known_is_shown() {
        insta::assert_snapshot!(error("[chunking]\n\n  maxx = 3\n"), @r"
        3:3: unknown field `maxx` in `[chunking]`, did you mean `max`?
        3 |   maxx = 3
          |   ^^^^
        ");
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_shown() {
        insta::assert_snapshot!(error("[chunking]\nmax = \"large\"\n"), @r#"
        2:7: `max` is `"large"`, expected a whole number from 0
        2 | max = "large"
          |       ^^^^^^^
        "#);
        insta::assert_snapshot!(error("[chunking]\nheader_split_levels = [0]\n"), @r"
        2:23: `levels` is `0`, expected heading levels from 1 to 6, such as `2,3`
        2 | header_split_levels = [0]
          |                       ^^^
        ");
        insta::assert_snapshot!(error("[chunking]\nstrategy = \"best\"\n"), @r#"
        2:12: `strategy` is `best`, expected one of auto, markdown, headers, delimiter, fixed, code, whole, naive
        2 | strategy = "best"
          |            ^^^^^^
        "#);
        insta::assert_snapshot!(error("chunking = 3\n"), @r"
        1:1: `chunking` is not a table, expected `[chunking]`
        1 | chunking = 3
          | ^^^^^^^^
        ");
    }

    #[test]
    fn a_contradiction_is_shown_where_it_is_written() {
        insta::assert_snapshot!(error("[chunking]\ndelimiter_pattern = \"(\"\n"), @r#"
        2:1: `delimiter` is `(`, expected a regular expression: unclosed group
        2 | delimiter_pattern = "("
          | ^^^^^^^^^^^^^^^^^
        "#);
        insta::assert_snapshot!(error("[chunking]\nmax_chunk_size = 200\nfixed_overlap = 300\n"), @r"
        3:1: `overlap` is `300`, expected a size below `target` (200)
        3 | fixed_overlap = 300
          | ^^^^^^^^^^^^^
        ");
    }
}
