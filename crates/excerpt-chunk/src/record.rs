//! A chunk as a flat row: a [`ChunkRecord`] owns everything that is known of a chunk, in columns of
//! plain types.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chunk::{Chunk, Chunking};

/// A chunk with its place, as one flat row for tables, other languages and the network.
///
/// Each field is a string, a whole number, or a list of strings, and its name is that of a column.
/// Only an [`Option`] may be null. [`Chunking::records`] makes the rows of a document.
///
/// ```
/// use excerpt_chunk::{ChunkRecord, Chunker, Document};
///
/// let source = "# Guide\n\nRun the installer.\n";
/// let chunking = Chunker::default().chunk(&Document::new(source).with_path("guide.md"));
/// let rows: Vec<ChunkRecord> = chunking.records(source).collect();
/// assert_eq!((rows[0].start_byte, rows[0].end_byte), (0, 27));
/// assert_eq!(rows[0].embedded(), "guide.md\nGuide\n# Guide\n\nRun the installer.");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChunkRecord {
    /// [`Chunk::id`], as 32 hexadecimal digits.
    pub id: String,
    /// [`Chunk::hash`], as 32 hexadecimal digits.
    pub hash: String,
    /// The path of the document.
    pub path: Option<String>,
    /// The title of the document.
    pub title: Option<String>,
    /// The position among the document's chunks, from 0.
    pub ordinal: u64,
    /// Which [part](Chunk::part) it is of what was split because of its size, from 1.
    pub part: u64,
    /// How many parts there are.
    pub parts: u64,
    /// The first byte of the chunk in the text of the document, from 0.
    pub start_byte: u64,
    /// The byte after its last one.
    pub end_byte: u64,
    /// The first character (Unicode scalar value) of the chunk, from 0.
    pub start_char: u64,
    /// The character after its last one.
    pub end_char: u64,
    /// The first line, from 1.
    pub start_line: u64,
    /// The last line, included.
    pub end_line: u64,
    /// [`Chunk::place`].
    pub place: Option<String>,
    /// The headings or scopes around the chunk, outermost first.
    pub trail: Vec<String>,
    /// [`Chunk::sections`].
    pub sections: Vec<String>,
    /// [`Chunk::defines`].
    pub defines: Vec<String>,
    /// The modules that the chunk is part of, in source code.
    pub modules: Vec<String>,
    /// The imports that the chunk uses, in source code.
    pub imports: Vec<String>,
    /// [`Chunk::dates`], each `YYYY-MM-DD`.
    pub dates: Vec<String>,
    /// [`Chunk::kind`]: `section`, `function` and so on.
    pub kind: String,
    /// The name of the definition, in source code.
    pub name: Option<String>,
    /// The language, for source code.
    pub language: Option<String>,
    /// The signature of the definition that the chunk continues, in source code.
    pub signature: Option<String>,
    /// What the sizes count: [`Chunking::unit`].
    pub unit: String,
    /// The size of header, overlap and text together, in `unit`.
    pub size: u64,
    /// The size of the text.
    pub text_size: u64,
    /// The size of the header.
    pub header_size: u64,
    /// The size of the overlap.
    pub overlap_size: u64,
    /// How natural the split before the chunk is: `heading`, `sentence` and so on.
    pub cut: String,
    /// The same in words.
    pub cut_reason: String,
    /// The warnings about the chunk, in words.
    pub warnings: Vec<String>,
    /// The text embedded in front of the chunk; empty, or ends with a line end.
    pub header: String,
    /// The text before the chunk that is repeated in front of it.
    pub overlap: String,
    /// The text, byte for byte that of the document.
    pub text: String,
}

impl ChunkRecord {
    /// The text to embed: header, overlap and text, as from [`Chunk::embedded`].
    #[must_use]
    pub fn embedded(&self) -> String {
        [&*self.header, &*self.overlap, &*self.text].concat()
    }
}

impl Chunking<'_> {
    /// The chunks as owned rows. `source` is the text of the document; from another text, the
    /// overlap and the characters are wrong.
    pub fn records<'s>(&'s self, source: &'s str) -> impl Iterator<Item = ChunkRecord> + 's {
        let places = self.chunks.iter().zip(self.chars(source));
        places.map(move |(chunk, chars)| self.record(chunk, source, chars))
    }

    /// A chunk as an owned row. `chars` are its [characters](Chunking::chars) in the text of the
    /// document, `source`.
    #[must_use]
    pub fn record(&self, chunk: &Chunk<'_>, source: &str, chars: Range<usize>) -> ChunkRecord {
        let (context, sizes) = (&chunk.context, chunk.size);
        let overlap = chunk.overlap.as_ref();
        let overlap = overlap.and_then(|overlap| source.get(overlap.bytes.clone()));
        let text = |text: &Option<Arc<str>>| text.as_deref().map(str::to_string);
        ChunkRecord {
            id: chunk.id.to_string(),
            hash: chunk.hash.to_string(),
            path: text(&context.path),
            title: text(&context.title),
            ordinal: chunk.ordinal as u64,
            part: chunk.part.index as u64,
            parts: chunk.part.count as u64,
            start_byte: chunk.span.bytes.start as u64,
            end_byte: chunk.span.bytes.end as u64,
            start_char: chars.start as u64,
            end_char: chars.end as u64,
            start_line: chunk.span.lines.0 as u64,
            end_line: chunk.span.lines.1 as u64,
            place: chunk.place.clone(),
            trail: strings(&context.trail),
            sections: strings(&chunk.sections),
            defines: strings(&chunk.defines),
            modules: strings(&context.module_path),
            imports: strings(&context.imports),
            dates: chunk.dates.clone(),
            kind: PlainName(chunk.kind).to_string(),
            name: text(&chunk.name),
            language: text(&chunk.language),
            signature: text(&context.signature),
            unit: self.unit.clone(),
            size: sizes.total as u64,
            text_size: sizes.text as u64,
            header_size: sizes.context as u64,
            overlap_size: sizes.overlap as u64,
            cut: PlainName(chunk.cut.strength).to_string(),
            cut_reason: chunk.cut.reason.clone(),
            warnings: strings(&chunk.warnings),
            header: context.header.clone(),
            overlap: overlap.unwrap_or_default().to_string(),
            text: chunk.text.to_string(),
        }
    }
}

fn strings(list: &[impl ToString]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

/// The name of a plain enum value such as a [`Kind`](crate::Kind), as it is in JSON.
///
/// ```
/// assert_eq!(excerpt_chunk::PlainName(excerpt_chunk::Kind::Section).to_string(), "section");
/// ```
pub struct PlainName<T>(pub T);

impl<T: Serialize> fmt::Display for PlainName<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::chunker::Chunker;
    use crate::config::Overlap;
    use crate::document::Document;
    use crate::preset::Preset;
    use crate::size::Unit;

    const SOURCE: &str = "# Täe 漢字 2026-01-31\n\nGreen and black. White, too. Yellow is rare. Dark is old 😀. Red is no tea. It is a bush. The leaves are steeped. Water must be hot. Milk is added. Sugar is not.\n";

    fn records() -> Vec<ChunkRecord> {
        let chunker = Chunker::new(crate::Config {
            target: 80,
            max: 110,
            min: 5,
            overlap: Overlap::Size(30),
            ..Preset::Auto.config(Unit::Chars)
        });
        let document = Document::new(SOURCE)
            .with_path("food/tea.md")
            .with_title("Tea");
        let chunking = chunker.unwrap().chunk(&document);
        let records: Vec<_> = chunking.records(SOURCE).collect();
        let overlaps = records.iter().filter(|row| !row.overlap.is_empty()).count();
        assert!(
            records.len() > 2 && overlaps > 0,
            "{overlaps} of {records:#?}"
        );
        for (row, chunk) in records.iter().zip(&chunking.chunks) {
            assert_eq!(row.embedded(), chunk.embedded(SOURCE));
        }
        records
    }

    #[test]
    fn every_column_has_a_plain_type() {
        for row in records() {
            let Ok(Value::Object(columns)) = serde_json::to_value(&row) else {
                panic!("not an object");
            };
            for (name, value) in columns {
                let plain = match &value {
                    Value::Null | Value::String(_) => true,
                    Value::Number(number) => number.is_u64(),
                    Value::Array(list) => list.iter().all(Value::is_string),
                    _ => false,
                };
                assert!(plain, "{name}: {value}");
            }
        }
    }

    #[test]
    fn a_row_is_read_as_it_is_written() {
        for row in records() {
            let json = serde_json::to_string(&row).unwrap();
            assert_eq!(serde_json::from_str::<ChunkRecord>(&json).unwrap(), row);
        }
    }

    #[test]
    fn the_places_of_a_row_lead_to_its_text() {
        let chars: Vec<char> = SOURCE.chars().collect();
        for row in records() {
            let (start, end) = (row.start_byte as usize, row.end_byte as usize);
            assert_eq!(&SOURCE[start..end], row.text);
            let (start, end) = (row.start_char as usize, row.end_char as usize);
            assert_eq!(chars[start..end].iter().collect::<String>(), row.text);
        }
    }

    #[test]
    fn a_row_says_what_the_chunk_says() {
        let row = records().pop().unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(&row).unwrap(), @r#"
        {
          "id": "a7bd9f7a7e9d2aa20fd50858aae527fd",
          "hash": "6bc1a3ac5b5050a3664f47108b346392",
          "path": "food/tea.md",
          "title": "Tea",
          "ordinal": 2,
          "part": 3,
          "parts": 3,
          "start_byte": 142,
          "end_byte": 189,
          "start_char": 134,
          "end_char": 181,
          "start_line": 3,
          "end_line": 3,
          "place": null,
          "trail": [
            "Täe 漢字 2026-01-31"
          ],
          "sections": [],
          "defines": [],
          "modules": [],
          "imports": [],
          "dates": [
            "2026-01-31"
          ],
          "kind": "paragraph",
          "name": null,
          "language": null,
          "signature": null,
          "unit": "chars",
          "size": 89,
          "text_size": 47,
          "header_size": 18,
          "overlap_size": 24,
          "cut": "sentence",
          "cut_reason": "between sentences",
          "warnings": [
            "context shortened"
          ],
          "header": "Täe 漢字 2026-01-31\n",
          "overlap": "The leaves are steeped. ",
          "text": "Water must be hot. Milk is added. Sugar is not."
        }
        "#);
    }
}
