//! Runs the examples of office documents in `tests/spec/`: the parts of a file, its text, and its
//! places with the first line of each.

use std::io::{Cursor, Write as _};
use std::path::Path;

use excerpt_readers::{Limits, ReadDocument, format_of};
use zip::write::SimpleFileOptions;

/// A fenced block of an example.
struct Fence<'t> {
    info: &'t str,
    text: String,
}

fn fences(manual: &str) -> Vec<Fence<'_>> {
    let mut fences = Vec::new();
    let mut lines = manual.lines();
    while let Some(line) = lines.next() {
        let info = line.trim_start_matches('`');
        let marks = &line[..line.len() - info.len()];
        if marks.len() >= 3 {
            let text = lines.by_ref().take_while(|line| *line != marks);
            let text: Vec<_> = text.collect();
            let text = text.join("\n");
            fences.push(Fence { info, text });
        }
    }
    fences
}

/// What files of a format refer to, besides what an example adds.
fn relations(ending: &str) -> Vec<(&'static str, String)> {
    let relation = |(key, kind, target): (&str, &str, &str)| {
        format!("<Relationship Id='{key}' Type='http://a.example/{kind}' Target='{target}'/>")
    };
    let part = |main: &str, folder: &'static str, parts: &[(&str, &str, &str)]| {
        let main = relation(("main", "officeDocument", main));
        let parts = parts.iter().copied().map(relation).collect();
        vec![("_rels/.rels", main), (folder, parts)]
    };
    match ending {
        "docx" => part(
            "word/document.xml",
            "word/_rels/document.xml.rels",
            &[
                ("styles", "styles", "styles.xml"),
                ("numbering", "numbering", "numbering.xml"),
                ("footnotes", "footnotes", "footnotes.xml"),
            ],
        ),
        "pptx" => part(
            "ppt/presentation.xml",
            "ppt/_rels/presentation.xml.rels",
            &[
                ("slide1", "slide", "slides/slide1.xml"),
                ("slide2", "slide", "slides/slide2.xml"),
            ],
        ),
        "xlsx" => part(
            "xl/workbook.xml",
            "xl/_rels/workbook.xml.rels",
            &[
                ("sheet1", "worksheet", "sheet1.xml"),
                ("sheet2", "worksheet", "sheet2.xml"),
                ("strings", "sharedStrings", "sharedStrings.xml"),
                ("styles", "styles", "styles.xml"),
            ],
        ),
        _ => Vec::new(),
    }
}

/// The file with these parts. Each gets an element around it.
pub(crate) fn file(ending: &str, parts: &[(impl AsRef<str>, String)]) -> Vec<u8> {
    let parts = parts
        .iter()
        .map(|(name, text)| (name.as_ref(), text.clone()));
    let mut parts: Vec<(&str, String)> = parts.collect();
    for (name, usual) in relations(ending) {
        match parts.iter_mut().find(|(part, _)| *part == name) {
            Some((_, text)) => text.push_str(&usual),
            None => parts.push((name, usual)),
        }
    }
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        write!(writer, "<root>{text}</root>").unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(ending: &str, parts: &[(&str, String)]) -> ReadDocument {
    let format = format_of(&format!("a.{ending}")).unwrap();
    let bytes = file(ending, parts);
    assert!(format.accepts(&bytes));
    format
        .reader
        .unwrap()
        .read(&bytes, &Limits::default())
        .unwrap()
}

/// Each place, and the first line of its text.
fn places(document: &ReadDocument) -> String {
    let places = document.places.iter().map(|(at, place)| {
        let line = document.text[at..].lines().next().unwrap_or_default();
        format!("{place}: {line}")
    });
    places.collect::<Vec<_>>().join("\n")
}

/// The formats with examples that this build reads.
fn endings() -> impl Iterator<Item = &'static str> {
    let endings = [
        ("docx", cfg!(feature = "docx")),
        ("odt", cfg!(feature = "odt")),
        ("odp", cfg!(feature = "odt")),
        ("pptx", cfg!(feature = "pptx")),
        ("xlsx", cfg!(feature = "xlsx")),
        ("ods", cfg!(feature = "xlsx")),
    ];
    let endings = endings.into_iter().filter(|(_, is_read)| *is_read);
    endings.map(|(ending, _)| ending)
}

fn manual(ending: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec");
    std::fs::read_to_string(folder.join(format!("{ending}.md"))).unwrap()
}

/// The files of all examples: the endings of their names, and their parts.
pub(crate) fn samples() -> Vec<(&'static str, Vec<(String, String)>)> {
    let mut samples = Vec::new();
    for ending in endings() {
        let manual = manual(ending);
        let mut parts = Vec::new();
        for fence in fences(&manual) {
            match fence.info.split_once(' ') {
                Some(("xml", name)) => parts.push((name.to_string(), fence.text)),
                _ if fence.info == "markdown" => samples.push((ending, std::mem::take(&mut parts))),
                _ => (),
            }
        }
    }
    samples
}

#[test]
fn the_examples_are_true() {
    let mut wrong = String::new();
    for ending in endings() {
        let manual = manual(ending);
        let mut parts = Vec::new();
        let mut examples = 0;
        let mut document = ReadDocument::default();
        for fence in fences(&manual) {
            let actual = match fence.info.split_once(' ') {
                Some(("xml", name)) => {
                    if !document.text.is_empty() {
                        document = ReadDocument::default();
                        parts.clear();
                    }
                    parts.push((name, fence.text));
                    continue;
                }
                None if fence.info == "places" => places(&document),
                _ => {
                    examples += 1;
                    document = read(ending, &parts);
                    document.text.trim_end().to_string()
                }
            };
            if actual != fence.text {
                wrong.push_str(&format!(
                    "--- {ending} {examples} {}\n{}\n--- is\n{actual}\n",
                    fence.info, fence.text
                ));
            }
        }
        assert!(examples > 0, "{ending}.md has no examples");
    }
    assert!(wrong.is_empty(), "{wrong}");
}
