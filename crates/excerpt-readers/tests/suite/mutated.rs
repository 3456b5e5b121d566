//! Files that are damaged in any way are read or refused, and keep to the limits.

use excerpt_readers::{ReadLimits, format_of};
use proptest::prelude::*;

use crate::spec::{file, samples};

/// What is put into a part in place of some of its text.
const SNIPPETS: &[&str] = &[
    "",
    "<",
    ">",
    "\"",
    "&#0;",
    "&#x10ffff;",
    "&a;",
    "\0",
    "\u{e4}\u{1f600}",
    "</w:p>",
    "<w:p>",
    "<w:tbl><w:tr><w:tc>",
    "</w:tc></w:tr></w:tbl>",
    "<w:txbxContent>",
    "<w:fldChar w:fldCharType='begin'/>",
    "<w:fldChar w:fldCharType='end'/>",
    "<table:table>",
    "<table:table-row table:number-rows-repeated='1000000000'>",
    "<text:list><text:list-item>",
    "<a:tbl><a:tr><a:tc>",
    "99999999999999999999",
    "-1",
    "1e308",
    "NaN",
];

fn is_kept(ending: &str, bytes: &[u8], limit: usize) -> Result<(), TestCaseError> {
    let format = format_of(&format!("a.{ending}")).unwrap();
    let mut limits = ReadLimits::default();
    limits.text = limit;
    if let Ok(document) = format.reader.unwrap().read(bytes, &limits) {
        let text = &document.text;
        prop_assert!(text.len() <= limit, "{} bytes", text.len());
        let mut last = None;
        for (at, _) in document.places.iter() {
            prop_assert!(last < Some(at));
            prop_assert!(at < text.len() && text.is_char_boundary(at));
            last = Some(at);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn mutated_parts_are_read_or_refused(
        sample in any::<prop::sample::Index>(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..30_usize, 0..SNIPPETS.len()),
            1..6,
        ),
        limit in prop_oneof![Just(1_usize << 20), 1..2_000_usize],
    ) {
        let samples = samples();
        let (ending, parts) = sample.get(&samples);
        let mut parts = parts.clone();
        for (part, at, length, snippet) in changes {
            let part = part.index(parts.len());
            let text = &mut parts[part].1;
            let floor = |mut at: usize| {
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let start = floor(at.index(text.len() + 1));
            let end = floor((start + length).min(text.len())).max(start);
            text.replace_range(start..end, SNIPPETS[snippet]);
        }
        is_kept(ending, &file(ending, &parts), limit)?;
    }

    #[test]
    fn mutated_files_are_read_or_refused(
        sample in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let samples = samples();
        let (ending, parts) = sample.get(&samples);
        let mut bytes = file(ending, parts);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        is_kept(ending, &bytes, 1 << 20)?;
    }
}

/// The text of a file with these parts, or the error.
#[cfg(any(feature = "docx", feature = "xlsx"))]
fn read(ending: &str, parts: &[(&str, &str)]) -> Result<String, String> {
    let parts: Vec<_> = parts
        .iter()
        .map(|(name, text)| (name.to_string(), text.to_string()))
        .collect();
    let reader = format_of(&format!("a.{ending}")).unwrap().reader.unwrap();
    let read = reader.read(&file(ending, &parts), &ReadLimits::default());
    read.map(|document| document.text)
        .map_err(|error| error.to_string())
}

#[test]
#[cfg(feature = "docx")]
fn a_hostile_word_document_stays_small() {
    let text = |body: &str| read("docx", &[("word/document.xml", body)]);
    // Tables in tables, up to the depth that is read at all.
    let depth = 300;
    let nested = format!(
        "{}<w:p><w:r><w:t>in</w:t></w:r></w:p>{}",
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc>".repeat(depth),
        "</w:tc></w:tr></w:tbl>".repeat(depth)
    );
    assert!(text(&nested).unwrap().len() < 10_000);
    let deep = "<w:p>".repeat(100_000);
    assert_eq!(
        text(&deep).unwrap_err(),
        "damaged: its XML is nested too deeply"
    );
    let cell = "<w:tc><w:tcPr><w:gridSpan w:val=\"99999999\"/></w:tcPr></w:tc>";
    let wide = format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", cell.repeat(100_000));
    assert!(text(&wide).unwrap_err().contains("exceeds the limit"));
    let fields = "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r></w:p>".repeat(10_000);
    let shown = text(&format!("{fields}<w:p><w:r><w:t>shown</w:t></w:r></w:p>"));
    assert_eq!(shown.as_deref(), Ok("shown\n"));
}

#[test]
#[cfg(feature = "docx")]
fn long_names_and_targets_are_not_copied() {
    let long = "x".repeat(1 << 20);
    let relation =
        format!("<Relationship Id='a' Type='x/hyperlink' Target='{long}' TargetMode='External'/>");
    let styles = format!(
        "<w:style w:styleId='A'><w:name w:val='{long}'/><w:basedOn w:val='{long}'/></w:style>"
    );
    let body = "<w:p><w:pPr><w:pStyle w:val='A'/></w:pPr><w:hyperlink r:id='a'><w:r><w:t>x</w:t>\
                </w:r></w:hyperlink></w:p>"
        .repeat(20_000);
    let parts = [
        ("word/_rels/document.xml.rels", &*relation),
        ("word/styles.xml", &styles),
        ("word/document.xml", &body),
    ];
    assert_eq!(read("docx", &parts).unwrap().len(), 3 * 20_000 - 1);
}

#[test]
#[cfg(feature = "docx")]
fn styles_in_a_circle_end() {
    let styles = "<w:style w:styleId='A'><w:name w:val='a'/><w:basedOn w:val='B'/></w:style>\
                  <w:style w:styleId='B'><w:name w:val='b'/><w:basedOn w:val='A'/></w:style>";
    let body = "<w:p><w:pPr><w:pStyle w:val='A'/></w:pPr><w:r><w:t>text</w:t></w:r></w:p>";
    let parts = [("word/styles.xml", styles), ("word/document.xml", body)];
    assert_eq!(read("docx", &parts).as_deref(), Ok("text\n"));
}

#[test]
#[cfg(feature = "xlsx")]
fn a_hostile_sheet_stays_small() {
    let book = ("xl/workbook.xml", "<sheet name='a' r:id='sheet1'/>");
    let strings = format!("<si><t>{}</t></si>", "x".repeat(1 << 20));
    let strings = ("xl/sharedStrings.xml", &*strings);
    let cells = "<row><c t='s'><v>0</v></c></row>".repeat(100_000);
    let error = read("xlsx", &[book, strings, ("xl/sheet1.xml", &cells)]).unwrap_err();
    assert!(error.contains("exceeds the limit"), "{error}");
    let beyond = "<row r='1'><c r='ZZZZ1'><v>1</v></c></row>";
    let error = read("xlsx", &[book, ("xl/sheet1.xml", beyond)]).unwrap_err();
    assert!(error.contains("16384 columns"), "{error}");
    // Each row is in another column: a table would have 5,000 times 5,000 cells.
    let diagonal: String = (1..5_000)
        .map(|at| {
            let filler = "<c/>".repeat(at);
            format!("<row>{filler}<c><v>1</v></c></row>")
        })
        .collect();
    let error = read("xlsx", &[book, ("xl/sheet1.xml", &diagonal)]).unwrap_err();
    assert!(error.contains("exceeds the limit"), "{error}");
}

#[test]
#[cfg(feature = "xlsx")]
fn repeated_rows_and_cells_stay_small() {
    let sheet = |rows: &str, cells: &str| {
        let content = format!(
            "<table:table><table:table-row table:number-rows-repeated='{rows}'>\
             <table:table-cell table:number-columns-repeated='{cells}'><text:p>x</text:p>\
             </table:table-cell></table:table-row></table:table>"
        );
        read("ods", &[("content.xml", &content)])
    };
    assert!(
        sheet("18446744073709551615", "2")
            .unwrap_err()
            .contains("exceeds the limit")
    );
    let empty = "<table:table><table:table-row table:number-rows-repeated='9999999999999'>\
                 <table:table-cell office:value-type='float' office:value=' '/>\
                 </table:table-row></table:table>";
    assert!(read("ods", &[("content.xml", empty)]).is_err());
    let beyond = "<table:table><table:table-row table:number-rows-repeated='9999999999999'>\
                  <table:table-cell table:number-columns-repeated='99999'/>\
                  <table:table-cell><text:p>x</text:p></table:table-cell>\
                  </table:table-row></table:table>";
    let error = read("ods", &[("content.xml", beyond)]).unwrap_err();
    assert!(error.contains("16384 columns"), "{error}");
    assert!(sheet("1", "18446744073709551615").unwrap().len() < 400_000);
}

#[test]
fn an_encrypted_document_is_protected() {
    let mut bytes = b"\xd0\xcf\x11\xe0".to_vec();
    bytes.resize(1024, 0);
    bytes.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    for ending in ["docx", "pptx", "xlsx"] {
        let format = format_of(&format!("a.{ending}")).unwrap();
        let Some(reader) = format.reader else {
            continue;
        };
        assert!(format.accepts(&bytes));
        let error = reader.read(&bytes, &ReadLimits::default()).unwrap_err();
        assert_eq!(error.to_string(), "protected with a password");
    }
}
