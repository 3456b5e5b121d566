//! Jupyter notebooks, of the formats 3 and 4: each cell is a place.
//!
//! Cells of Markdown are kept as they are. Code is a block in its language: that of the notebook,
//! or the one that the cell names. The text of outputs follows it, up to a bound: what is Markdown,
//! HTML or LaTeX as such, the rest as it was printed. Images and widgets are left out.
//!
//! <https://nbformat.readthedocs.io/en/latest/format_description.html>

mod blocks;
mod language;
mod output;
mod terminal;

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::metadata::Metadata;
use crate::place::FilePlace;
use crate::reader::{ExtractedText, FileReader, ReadError};

use blocks::{closed, without_images};
use language::{Named, known, named};

/// How many authors are named.
const AUTHORS: usize = 100;

/// Reads notebooks.
#[derive(Debug)]
pub(crate) struct Notebook;

impl FileReader for Notebook {
    fn version(&self) -> u32 {
        3
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let json = without_halves(bytes);
        let file: File<'_> = serde_json::from_slice(&json).map_err(ReadError::damaged)?;
        let language = file.metadata.language();
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&Metadata {
            authors: file.metadata.authors()?,
            title: file.metadata.title,
            ..Metadata::default()
        });
        let mut count = 0;
        let mut write = |cell: &RawValue| {
            limits.check()?;
            count += 1;
            writer.place(FilePlace::Cell(count));
            parsed::<Cell<'_>>(cell)?.write(language.as_deref(), &mut writer, limits)
        };
        each(file.cells, &mut write)?;
        each(file.worksheets, &mut |worksheet| {
            each(parsed::<Worksheet<'_>>(worksheet)?.cells, &mut write)
        })?;
        writer.finish()
    }
}

/// JSON with a replacement for each half of a surrogate pair that has no other half: Python writes
/// it as it is, which is no valid text. The length stays.
fn without_halves(json: &[u8]) -> Cow<'_, [u8]> {
    let unit = |at: usize| {
        let escape = json
            .get(at..at + 6)
            .filter(|escape| escape.starts_with(b"\\u"))?;
        u16::from_str_radix(str::from_utf8(&escape[2..]).ok()?, 16).ok()
    };
    let mut whole = Cow::Borrowed(json);
    let mut at = 0;
    while at < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                whole.to_mut()[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (Some(_), _) => 6,
            // Another escape, such as that of a backslash.
            (None, _) => 2,
        };
    }
    whole
}

/// Passes each element of an array on. One is in memory at a time: an empty element takes two
/// bytes of a file, and many more as a value.
fn each<'j>(
    array: Option<&'j RawValue>,
    take: &mut dyn FnMut(&'j RawValue) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    struct Elements<'f, 'j> {
        take: &'f mut dyn FnMut(&'j RawValue) -> Result<(), ReadError>,
        failed: &'f mut Option<ReadError>,
    }

    impl<'j> Visitor<'j> for Elements<'_, 'j> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'j>>(self, mut elements: A) -> Result<(), A::Error> {
            while let Some(element) = elements.next_element()? {
                if let Err(error) = (self.take)(element) {
                    *self.failed = Some(error);
                    return Err(A::Error::custom("an element cannot be read"));
                }
            }
            Ok(())
        }
    }

    let Some(array) = array else {
        return Ok(());
    };
    let mut failed = None;
    let elements = Elements {
        take,
        failed: &mut failed,
    };
    let read = serde_json::Deserializer::from_str(array.get()).deserialize_seq(elements);
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, read) => read.map_err(ReadError::damaged),
    }
}

/// What a part of the file says.
fn parsed<'j, T: Deserialize<'j>>(value: &'j RawValue) -> Result<T, ReadError> {
    serde_json::from_str(value.get()).map_err(ReadError::damaged)
}

/// A value, or its default in place of one of another type: a program has written what it should
/// not have, and the text is there nevertheless.
fn if_right<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    let value = <&RawValue>::deserialize(from)?;
    Ok(serde_json::from_str(value.get()).unwrap_or_default())
}

/// The parts of a file; its cells are read one by one.
#[derive(Deserialize)]
struct File<'j> {
    #[serde(borrow, default)]
    cells: Option<&'j RawValue>,
    /// Those of the format 3.
    #[serde(borrow, default)]
    worksheets: Option<&'j RawValue>,
    #[serde(borrow, default, deserialize_with = "if_right")]
    metadata: FileMetadata<'j>,
}

#[derive(Deserialize)]
struct Worksheet<'j> {
    #[serde(borrow, default)]
    cells: Option<&'j RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FileMetadata<'j> {
    #[serde(deserialize_with = "if_right")]
    title: Option<String>,
    #[serde(borrow)]
    authors: Option<&'j RawValue>,
    #[serde(deserialize_with = "if_right")]
    kernelspec: Kernel,
    #[serde(deserialize_with = "if_right")]
    language_info: LanguageInfo,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Author {
    #[serde(deserialize_with = "if_right")]
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Kernel {
    language: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LanguageInfo {
    name: Option<String>,
}

impl FileMetadata<'_> {
    /// The language of the code, as a fence names it.
    fn language(&self) -> Option<String> {
        let name = self.language_info.name.as_ref();
        word(name.or(self.kernelspec.language.as_ref())?)
    }

    /// The names of the first authors.
    fn authors(&self) -> Result<Vec<String>, ReadError> {
        let mut names = Vec::new();
        each(array(self.authors), &mut |author| {
            if names.len() < AUTHORS
                && let Ok(author) = parsed::<Author>(author)
                && !author.name.is_empty()
            {
                names.push(author.name);
            }
            Ok(())
        })?;
        Ok(names)
    }
}

/// The name of a language as a fence has it, if it is a word.
fn word(name: &str) -> Option<String> {
    let name = name.trim().to_lowercase();
    let is_part = |c: char| c.is_alphanumeric() || "+#-_.".contains(c);
    (!name.is_empty() && name.chars().all(is_part)).then_some(name)
}

/// The value, if it is an array.
fn array(value: Option<&RawValue>) -> Option<&RawValue> {
    value.filter(|value| value.get().starts_with('['))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Cell<'j> {
    #[serde(borrow)]
    cell_type: Cow<'j, str>,
    #[serde(borrow)]
    source: Option<&'j RawValue>,
    /// The code, and its language, in the format 3.
    #[serde(borrow)]
    input: Option<&'j RawValue>,
    #[serde(deserialize_with = "if_right")]
    language: Option<String>,
    /// The level of a heading in the format 3.
    #[serde(deserialize_with = "if_right")]
    level: Option<usize>,
    #[serde(deserialize_with = "if_right")]
    metadata: CellMetadata,
    #[serde(borrow)]
    outputs: Option<&'j RawValue>,
}

impl Cell<'_> {
    /// The language of the code in this cell of a notebook in `language`.
    fn code_language(&self, source: &str, language: Option<&str>) -> Option<String> {
        let metadata = &self.metadata;
        let own = [
            &self.language,
            &metadata.vscode.language,
            &metadata.polyglot_notebook.language,
            &metadata.dotnet_interactive.language,
        ];
        match named(source) {
            Named::Language(language) => Some(language),
            Named::Text => None,
            Named::Nothing => {
                let own = own.into_iter().flatten().next();
                let own = own.and_then(|own| known(own).or_else(|| word(own)));
                own.or_else(|| language.map(str::to_string))
            }
        }
    }

    fn write(
        &self,
        language: Option<&str>,
        writer: &mut MarkdownWriter<'_>,
        limits: &ReadLimits<'_>,
    ) -> Result<(), ReadError> {
        let mut source = text(self.source)?;
        if source.is_empty() {
            source = text(self.input)?;
        }
        match &*self.cell_type {
            "markdown" => writer.markdown(&closed(without_images(&source))),
            "heading" => writer.heading(self.level.unwrap_or(1), &source),
            "raw" if writer.is_at_start() && is_front_matter(&source) => writer.markdown(&source),
            "raw" => writer.code(None, &source),
            _ => {
                let language = self.code_language(&source, language);
                writer.code(language.as_deref(), &source)?;
                output::write(self.outputs, writer, limits)
            }
        }
    }
}

/// Whether a cell is front matter, as programs that publish notebooks take it from the first one.
fn is_front_matter(cell: &str) -> bool {
    let lines = cell.trim().strip_prefix("---\n");
    lines.is_some_and(|lines| lines.ends_with("\n---") && !lines.contains("\n---\n"))
}

/// The language of a cell, as programs for notebooks of several languages keep it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CellMetadata {
    #[serde(deserialize_with = "if_right")]
    vscode: CodeLanguage,
    #[serde(deserialize_with = "if_right")]
    polyglot_notebook: CodeLanguage,
    #[serde(deserialize_with = "if_right")]
    dotnet_interactive: CodeLanguage,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CodeLanguage {
    #[serde(alias = "languageId", alias = "kernelName")]
    language: Option<String>,
}

/// A text that is written as one or as its lines; empty if it is something else.
fn text(value: Option<&RawValue>) -> Result<String, ReadError> {
    let one = |value: &RawValue| serde_json::from_str::<String>(value.get());
    let Some(lines) = array(value) else {
        return Ok(value.and_then(|value| one(value).ok()).unwrap_or_default());
    };
    let mut all = String::new();
    each(Some(lines), &mut |line| {
        all.push_str(&one(line).unwrap_or_default());
        Ok(())
    })?;
    Ok(all)
}
