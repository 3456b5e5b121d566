//! Runs the manual of the formats: each file in `tests/spec/` is prose with examples, and every
//! example is a test.
//!
//! An example is one or more blocks with contents of a file, the Markdown that the file is read as
//! and, if it has any, its places with the first line of each. A block with a name after its
//! language is a part of an archive; the parts of office documents get an element around them, and
//! what every such file has besides.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::Path;

use excerpt_readers::{ExtractedText, FileReader, ReadLimits, format_of};

/// The files of an office program have parts that no example shows.
const OFFICE: [&str; 6] = ["docx", "odp", "ods", "odt", "pptx", "xlsx"];

#[test]
fn the_manual_is_true() {
    let mut failures = String::new();
    let mut count = 0;
    for (ending, reader, examples) in manual() {
        for example in examples {
            count += 1;
            let read = reader.read(&file(&ending, &example.parts), &ReadLimits::default());
            let read = read.unwrap_or_else(|error| ExtractedText {
                text: format!("error: {error}"),
                ..ExtractedText::default()
            });
            for (expected, actual) in [
                (Some(&example.text), read.text.trim_end().to_string()),
                (example.places.as_ref(), places(&read)),
            ] {
                if expected.is_some_and(|expected| *expected != actual) {
                    let _ = writeln!(failures, "{ending}.md:{}:\n{actual}\n", example.line);
                }
            }
        }
    }
    assert!(failures.is_empty(), "read otherwise:\n\n{failures}");
    assert!(count > 0, "no format is read");
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
    let samples = manual().into_iter().flat_map(|(ending, _, examples)| {
        let parts = examples.into_iter().map(|example| example.parts);
        parts.map(move |parts| (ending.clone(), parts))
    });
    samples.collect()
}

/// The examples of each format that this build reads.
fn manual() -> Vec<(String, &'static dyn FileReader, Vec<Example>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec");
    let paths = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = paths.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = paths.iter().filter_map(|path| {
        let ending = path.file_stem().unwrap().to_str().unwrap();
        let format = format_of(&format!("file.{ending}")).unwrap();
        let examples = examples(&std::fs::read_to_string(path).unwrap());
        assert!(!examples.is_empty(), "{} has no examples", path.display());
        Some((ending.to_string(), format.reader?, examples))
    });
    read.collect()
}

/// The contents of a file, and what they are read as.
#[derive(Clone, Debug, Default)]
struct Example {
    /// The line of the manual at which its text begins.
    line: usize,
    /// The names and the contents of its parts; without a name, it is the file.
    parts: Vec<(String, String)>,
    text: String,
    places: Option<String>,
}

/// The file with these parts.
pub(crate) fn file(ending: &str, parts: &[(String, String)]) -> Vec<u8> {
    match parts {
        [(name, contents)] if name.is_empty() => contents.clone().into_bytes(),
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
        match info.split_once(' ') {
            Some((_, name)) => parts.push((name.to_string(), contents)),
            None if matches!(info, "markdown" | "mail") => examples.push(Example {
                line: line + 1,
                parts: std::mem::take(&mut parts),
                text: contents.trim_end().to_string(),
                places: None,
            }),
            None if info == "places" => examples.last_mut().unwrap().places = Some(contents),
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
