//! Jupyter notebooks, of the formats 3 and 4: each cell is a place.
//!
//! Cells of Markdown are kept as they are, code is a block in the language of the notebook, and the
//! text of outputs follows it, up to a bound. Images, HTML and widgets are left out.
//!
//! <https://nbformat.readthedocs.io/en/latest/format_description.html>

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use crate::limits::ReadLimits;
use crate::markdown::MarkdownWriter;
use crate::metadata::Metadata;
use crate::place::FilePlace;
use crate::reader::{ExtractedText, FileReader, ReadError};

/// How many characters of the outputs of a cell are kept, from the beginning: what is longer is
/// data, or progress.
const OUTPUT: usize = 2_000;

/// Reads notebooks.
#[derive(Debug)]
pub(crate) struct Notebook;

impl FileReader for Notebook {
    fn version(&self) -> u32 {
        1
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let file: Result<File, _> = serde_json::from_slice(bytes);
        // Python writes half of a surrogate pair as it is, which is no valid text.
        let file = file.or_else(|_| serde_json::from_slice(&without_halves(bytes)));
        let file = file.map_err(ReadError::damaged)?;
        let mut cells = file.cells;
        let worksheets = file.worksheets.into_iter();
        cells.extend(worksheets.flat_map(|worksheet| worksheet.cells));
        let language = file.metadata.language();
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&Metadata {
            title: file.metadata.title,
            authors: file
                .metadata
                .authors
                .into_iter()
                .map(|author| author.name)
                .collect(),
            ..Metadata::default()
        });
        for (at, cell) in cells.iter().enumerate() {
            writer.place(FilePlace::Cell(at + 1));
            cell.write(language.as_deref(), &mut writer)?;
        }
        writer.finish()
    }
}

/// JSON with a replacement for each half of a surrogate pair that has no other half. The length
/// stays.
fn without_halves(json: &[u8]) -> Vec<u8> {
    let unit = |at: usize| {
        let escape = json
            .get(at..at + 6)
            .filter(|escape| escape.starts_with(b"\\u"))?;
        u16::from_str_radix(str::from_utf8(&escape[2..]).ok()?, 16).ok()
    };
    let mut whole = json.to_vec();
    let mut at = 0;
    while at < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                whole[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (Some(_), _) => 6,
            // Another escape, such as that of a backslash.
            (None, _) => 2,
        };
    }
    whole
}

/// A value, or its default in place of one of another type: a program has written what it should
/// not have, and the text is there nevertheless.
fn if_right<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Any<T> {
        Right(T),
        Wrong(IgnoredAny),
    }
    Ok(match Any::deserialize(from)? {
        Any::Right(value) => value,
        Any::Wrong(IgnoredAny) => T::default(),
    })
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    cells: Vec<Cell>,
    /// Those of the format 3.
    #[serde(default)]
    worksheets: Vec<Worksheet>,
    #[serde(default, deserialize_with = "if_right")]
    metadata: FileMetadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FileMetadata {
    #[serde(deserialize_with = "if_right")]
    title: Option<String>,
    #[serde(deserialize_with = "if_right")]
    authors: Vec<Author>,
    #[serde(deserialize_with = "if_right")]
    kernelspec: Kernel,
    #[serde(deserialize_with = "if_right")]
    language_info: LanguageInfo,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Author {
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

impl FileMetadata {
    /// The language of the code, as a fence names it.
    fn language(&self) -> Option<String> {
        let name = self.language_info.name.as_ref();
        let name = name.or(self.kernelspec.language.as_ref())?;
        let name = name.trim().to_lowercase();
        let is_word = |c: char| c.is_alphanumeric() || "+#-_.".contains(c);
        (!name.is_empty() && name.chars().all(is_word)).then_some(name)
    }
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Cell {
    cell_type: String,
    source: CellText,
    /// The code, and its language, in the format 3.
    input: CellText,
    #[serde(deserialize_with = "if_right")]
    language: Option<String>,
    /// The level of a heading in the format 3.
    #[serde(deserialize_with = "if_right")]
    level: Option<usize>,
    #[serde(deserialize_with = "if_right")]
    outputs: Vec<Output>,
}

impl Cell {
    fn write(
        &self,
        language: Option<&str>,
        writer: &mut MarkdownWriter<'_>,
    ) -> Result<(), ReadError> {
        let source = match self.source.is_empty() {
            true => &self.input,
            false => &self.source,
        };
        match &*self.cell_type {
            "markdown" => writer.markdown(&closed(without_images(&source.text()))),
            "heading" => writer.heading(self.level.unwrap_or(1), &source.text()),
            "raw" => writer.code(None, &source.text()),
            _ => {
                let language = self.language.as_deref().or(language);
                writer.code(language, &source.text())?;
                self.write_outputs(writer)
            }
        }
    }

    /// The text of all outputs as one block.
    fn write_outputs(&self, writer: &mut MarkdownWriter<'_>) -> Result<(), ReadError> {
        let mut text = String::new();
        for output in &self.outputs {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&output.text());
        }
        let text = without_escapes(&text);
        let end = text.char_indices().nth(OUTPUT);
        let kept = match end {
            Some((end, _)) => {
                let kept = &text[..end];
                let line = kept.rfind('\n').unwrap_or(end);
                Cow::Owned(format!("{}\n…", &kept[..line]))
            }
            None => text,
        };
        writer.code(Some("text"), &kept)
    }
}

/// A text, or its lines.
#[derive(Deserialize)]
#[serde(untagged)]
enum CellText {
    Whole(String),
    Lines(Vec<String>),
    Other(IgnoredAny),
}

impl Default for CellText {
    fn default() -> Self {
        CellText::Whole(String::new())
    }
}

impl CellText {
    fn is_empty(&self) -> bool {
        match self {
            CellText::Whole(text) => text.is_empty(),
            CellText::Lines(lines) => lines.iter().all(String::is_empty),
            CellText::Other(_) => true,
        }
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            CellText::Whole(text) => Cow::Borrowed(text),
            CellText::Lines(lines) => Cow::Owned(lines.concat()),
            CellText::Other(_) => Cow::Borrowed(""),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Output {
    /// Of a stream; in the format 3, of a result, too.
    text: CellText,
    /// Of a result.
    #[serde(deserialize_with = "if_right")]
    data: Data,
    /// Of an error.
    ename: Option<String>,
    evalue: Option<String>,
}

/// A result in some media types.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    #[serde(rename = "text/plain")]
    plain: Option<CellText>,
}

impl Output {
    fn text(&self) -> Cow<'_, str> {
        if let (Some(name), Some(value)) = (&self.ename, &self.evalue) {
            return Cow::Owned(format!("{name}: {value}"));
        }
        self.data.plain.as_ref().unwrap_or(&self.text).text()
    }
}

/// Markdown whose last code block ends with it: it must not go on in the next cell.
fn closed(markdown: Cow<'_, str>) -> Cow<'_, str> {
    let mut open: Option<&str> = None;
    for line in markdown.lines() {
        let line = line.trim_start();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let Some(mark) = mark else { continue };
        let rest = line.trim_start_matches(mark);
        let fence = &line[..line.len() - rest.len()];
        match open {
            Some(opened) if fence.starts_with(opened) && rest.trim().is_empty() => open = None,
            None if fence.len() >= 3 && !(mark == '`' && rest.contains('`')) => open = Some(fence),
            _ => (),
        }
    }
    match open {
        Some(fence) => Cow::Owned(format!("{}\n{fence}", markdown.trim_end())),
        None => markdown,
    }
}

/// Markdown without images whose contents are in the text itself.
fn without_images(markdown: &str) -> Cow<'_, str> {
    const EMBEDDED: &str = "data:image/";
    if !markdown.contains(EMBEDDED) {
        return Cow::Borrowed(markdown);
    }
    let is_encoded = |c: char| c.is_ascii_alphanumeric() || "+/=;,%:.-".contains(c);
    let mut kept = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find(EMBEDDED) {
        kept.push_str(&rest[..at]);
        rest = rest[at..].trim_start_matches(is_encoded);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Text without the escape sequences of a terminal, and of a line that was written over and over,
/// as by a progress bar, the last state.
fn without_escapes(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for line in text.split('\n') {
        let line = line.trim_end_matches('\r');
        let line = line.rsplit('\r').next().unwrap_or_default();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\u{1b}' => skip_escape(&mut chars),
                c if is_plain(c) => kept.push(c),
                _ => (),
            }
        }
        kept.push('\n');
    }
    kept.pop();
    Cow::Owned(kept)
}

/// The rest of an escape sequence: ECMA-48, 5.4.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if chars.next_if_eq(&'[').is_some() {
        while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    }
    chars.next_if(|c| matches!(c, '@'..='~'));
}
