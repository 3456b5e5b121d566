//! Runs the manual of the formats: each file in `tests/spec/` is prose with examples, and every
//! example is a test.
//!
//! An example is one or more blocks with contents of a file, the Markdown that the file is read as
//! and, if it has any, its places with the first line of each. A block with a name after its
//! language is a part of an archive; the parts of office documents get an element around them, and
//! what every such file has besides. Of a PDF, the parts are the contents of its pages.
//! `EXCERPT_SPEC=write` writes what is read into the files.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use excerpt_readers::{ExtractedText, FileFormat, FileReader, ReadLimits, format_of};

/// The files of an office program have parts that no example shows.
const OFFICE: [&str; 6] = ["docx", "odp", "ods", "odt", "pptx", "xlsx"];

#[test]
fn the_manual_is_true() {
    let is_written = std::env::var_os("EXCERPT_SPEC").is_some_and(|value| value == "write");
    let mut failures = String::new();
    let mut count = 0;
    for Chapter {
        ending,
        path,
        format,
        reader,
        examples,
    } in manual()
    {
        // What each block of results is in fact, in the order of the file.
        let mut results: Vec<(Range<usize>, String)> = Vec::new();
        for example in examples {
            count += 1;
            let bytes = file(&ending, &example.parts);
            let line = example.text.lines.start;
            // An example of HTML is a part of a page.
            if ending != "html" && !format.accepts(&bytes) {
                let _ = writeln!(failures, "{ending}.md:{line}: the file is not read\n");
            }
            let read = reader.read(&bytes, &ReadLimits::default());
            let read = read.unwrap_or_else(|error| ExtractedText {
                text: format!("error: {error}"),
                ..ExtractedText::default()
            });
            let text = read.text.trim_end().to_string();
            let expected = [
                (Some(&example.text), text),
                (example.places.as_ref(), places(&read)),
            ];
            for (expected, actual) in expected {
                let Some(expected) = expected else { continue };
                if expected.contents.trim_end() != actual && !is_written {
                    let line = expected.lines.start;
                    let _ = writeln!(failures, "{ending}.md:{line}:\n{actual}\n");
                }
                results.push((expected.lines.clone(), actual));
            }
        }
        if is_written {
            write(&path, results);
        }
    }
    assert!(failures.is_empty(), "read otherwise:\n\n{failures}");
    assert!(count > 0, "no format is read");
}

/// Writes results in place of lines of a manual.
fn write(path: &Path, results: Vec<(Range<usize>, String)>) {
    let manual = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<&str> = manual.lines().collect();
    for (range, result) in results.iter().rev() {
        lines.splice(range.clone(), result.lines());
    }
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
}

/// Each place, and the first line of its text.
fn places(document: &ExtractedText) -> String {
    let places = document.places.iter().map(|(at, place)| {
        let line = document.text[at..].lines().next().unwrap_or_default();
        format!("{place}: {line}")
    });
    places.collect::<Vec<_>>().join("\n")
}

/// The files of all examples: the endings of their names, and their parts.
pub(crate) fn samples() -> Vec<(String, Vec<(String, String)>)> {
    let samples = manual().into_iter().flat_map(|chapter| {
        let parts = chapter.examples.into_iter().map(|example| example.parts);
        parts.map(move |parts| (chapter.ending.clone(), parts))
    });
    samples.collect()
}

/// The manual of a format.
struct Chapter {
    /// The ending of its files.
    ending: String,
    path: PathBuf,
    format: &'static FileFormat,
    reader: &'static dyn FileReader,
    examples: Vec<Example>,
}

/// The examples of each format that this build reads.
fn manual() -> Vec<Chapter> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec");
    let paths = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = paths.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = paths.into_iter().filter_map(|path| {
        let ending = path.file_stem().unwrap().to_str().unwrap().to_string();
        let format = format_of(&format!("file.{ending}")).unwrap();
        let examples = examples(&std::fs::read_to_string(&path).unwrap());
        assert!(!examples.is_empty(), "{} has no examples", path.display());
        Some(Chapter {
            ending,
            path,
            format,
            reader: format.reader?,
            examples,
        })
    });
    read.collect()
}

/// The contents of a file, and what they are read as.
#[derive(Clone, Debug, Default)]
struct Example {
    /// The names and the contents of its parts; without a name, it is the file.
    parts: Vec<(String, String)>,
    text: Expected,
    places: Option<Expected>,
}

/// A block with a result.
#[derive(Clone, Debug, Default)]
struct Expected {
    contents: String,
    /// Its lines in the manual, from 0.
    lines: Range<usize>,
}

/// The file with these parts.
pub(crate) fn file(ending: &str, parts: &[(String, String)]) -> Vec<u8> {
    match parts {
        [(name, contents)] if name.is_empty() => contents.clone().into_bytes(),
        parts if ending == "pdf" => crate::pdf::file(parts),
        parts if OFFICE.contains(&ending) => crate::office::file(ending, parts),
        parts => archive(parts),
    }
}

fn examples(manual: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut parts = Vec::new();
    let mut lines = manual.lines().enumerate();
    while let Some((line, start)) = lines.next() {
        let info = start.trim_start_matches('`');
        let fence = &start[..start.len() - info.len()];
        if fence.len() < 3 {
            continue;
        }
        let block = lines.by_ref().map(|(_, line)| line);
        let block: Vec<_> = block.take_while(|line| *line != fence).collect();
        let contents = block.join("\n");
        let first = line + 1;
        let expected = |contents| Expected {
            contents,
            lines: first..first + block.len(),
        };
        match info.split_once(' ') {
            Some((_, name)) => parts.push((name.to_string(), contents)),
            None if matches!(info, "markdown" | "mail") => examples.push(Example {
                parts: std::mem::take(&mut parts),
                text: expected(contents),
                places: None,
            }),
            None if info == "places" => {
                examples.last_mut().unwrap().places = Some(expected(contents));
            }
            None => parts.push((String::new(), contents)),
        }
    }
    examples
}

/// An archive with these parts.
fn archive(parts: &[(String, String)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in parts {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(name.as_str(), options).unwrap();
        writer.write_all(contents.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
