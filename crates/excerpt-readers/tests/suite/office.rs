//! Office documents from the parts that matter: an example has no need of what every file has.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;

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
