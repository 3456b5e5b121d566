//! Tests of whole files, which they build themselves.

#[path = "../../tests/suite/pdf_maker.rs"]
mod pdf_maker;

use proptest::prelude::*;

use pdf_maker::PdfMaker as Maker;

use super::Pdf;
use super::crypt::tests::encrypted_with_nothing;
use crate::format::format_of;
use crate::limits::ReadLimits;
use crate::place::FilePlace;
use crate::reader::{ExtractedText, FileReader, ReadError};

fn read(bytes: &[u8]) -> Result<ExtractedText, ReadError> {
    Pdf.read(bytes, &ReadLimits::default())
}

fn text(maker: &Maker) -> String {
    read(&maker.bytes()).unwrap().text
}

/// A line of text at a position.
fn line(font: &str, size: u32, x: u32, y: u32, text: &str) -> String {
    format!("BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// Lines below each other.
fn lines(x: u32, y: u32, texts: &[&str]) -> String {
    let lines = texts.iter().zip(0..);
    lines
        .map(|(text, at)| line("F", 10, x, y - 12 * at, text))
        .collect()
}

#[test]
fn pages_have_headings_paragraphs_and_places() {
    let first = [
        line("F", 20, 50, 740, "On rivers"),
        lines(
            50,
            700,
            &[
                "Water runs down the hills in small streams and gath-",
                "ers in a river, which brings it to the sea. The sea is",
                "well-known.",
            ],
        ),
        line("B", 10, 50, 640, "Springs"),
        lines(
            50,
            620,
            &[
                "A spring is where it comes out of the ground and where",
                "each river has its beginning.",
            ],
        ),
    ]
    .concat();
    let second = lines(50, 700, &["The second page has text, too."]);
    let document = read(&Maker::pages(&[&first, &second]).bytes()).unwrap();
    assert_eq!(
        document.text,
        "# On rivers\n\nWater runs down the hills in small streams and gathers in a river, which \
        brings it to the sea. The sea is well-known.\n\n## Springs\n\nA spring is where it comes \
        out of the ground and where each river has its beginning.\n\nThe second page has text, too.\n"
    );
    let at = document.text.find("The second").unwrap();
    let places: Vec<_> = document.places.iter().collect();
    assert_eq!(
        places,
        [(0, &FilePlace::Page(1)), (at, &FilePlace::Page(2))]
    );
}

#[test]
fn columns_are_read_one_after_the_other() {
    let left = [
        "the left column has lines that",
        "are as long as it is and that",
        "go on down to the end of the",
        "page where the right one begins",
        "with its first line",
    ];
    let right = [
        "and the right column has them",
        "as well so that nobody reads",
        "across the gap between them as",
        "if the two were one wide line",
        "which they are not.",
    ];
    let content = [
        line("F", 10, 50, 760, "A line above both columns goes from the left edge of the page up to the right edge of it."),
        lines(50, 700, &left),
        lines(320, 700, &right),
    ]
    .concat();
    let text = text(&Maker::pages(&[&content]));
    let expected = format!("{}\n{}\n", left.join(" "), right.join(" "));
    let plain = text
        .split_once("\n\n")
        .unwrap()
        .1
        .split_whitespace()
        .collect::<Vec<_>>();
    assert_eq!(plain, expected.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn lists_and_tables_are_kept() {
    let content = [
        lines(50, 700, &["\\225 one item", "\\225 another item"]),
        line("F", 10, 50, 640, "Name"),
        line("F", 10, 200, 640, "Length"),
        line("F", 10, 50, 628, "Rhine"),
        line("F", 10, 200, 628, "1230"),
        line("F", 10, 50, 616, "Elbe"),
        line("F", 10, 200, 616, "1094"),
    ]
    .concat();
    assert_eq!(
        text(&Maker::pages(&[&content])),
        "- one item\n- another item\n\n| Name | Length |\n| --- | --- |\n| Rhine | 1230 |\n| Elbe | 1094 |\n"
    );
}

#[test]
fn an_item_with_a_smaller_bullet_goes_on_over_its_lines() {
    let item =
        |y: u32, text: &str| format!("BT /F 9 Tf 50 {y} Td (\\225 ) Tj /F 10 Tf ({text}) Tj ET\n");
    let content = [
        item(700, "The first of them is so long that it takes two lines"),
        line("F", 10, 56, 688, "before the second one begins."),
        item(670, "The second one takes as many lines as the first did"),
        line("F", 10, 56, 658, "and ends here."),
    ]
    .concat();
    assert_eq!(
        text(&Maker::pages(&[&content])),
        "- The first of them is so long that it takes two lines before the second one begins.\n\
         - The second one takes as many lines as the first did and ends here.\n"
    );
}

#[test]
fn a_line_of_smaller_code_stays_in_its_paragraph() {
    let content = [
        lines(
            50,
            700,
            &["The settings are read from the first of these files"],
        ),
        line(
            "F",
            9,
            50,
            688,
            "/etc/river/levels.conf, /usr/share/river/levels.default.conf",
        ),
        lines(
            50,
            676,
            &[
                "and whatever is in none of them has the value that the",
                "table above says.",
            ],
        ),
    ]
    .concat();
    assert_eq!(
        text(&Maker::pages(&[&content])),
        "The settings are read from the first of these files \
         /etc/river/levels.conf, /usr/share/river/levels.default.conf and whatever is in none of \
         them has the value that the table above says.\n"
    );
}

#[test]
fn headers_footers_and_numbers_of_pages_are_left_out() {
    let contents: Vec<String> = (1..=5)
        .map(|page| {
            [
                line("F", 9, 50, 770, "The book of rivers"),
                line("F", 10, 50, 700, &format!("Text of page {page} is here.")),
                line("F", 9, 300, 30, &page.to_string()),
            ]
            .concat()
        })
        .collect();
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let text = text(&Maker::pages(&contents));
    assert!(!text.contains("book"), "{text}");
    assert!(
        text.starts_with("Text of page 1 is here.\n\nText of page 2"),
        "{text}"
    );
}

#[test]
fn lines_that_repeat_within_a_text_stay() {
    let pages = |lines: &dyn Fn(u32) -> Vec<String>| {
        let contents = (1..=5).map(|page| {
            let lines = (0..).zip(lines(page));
            let lines = lines.map(|(at, text)| line("F", 12, 50, 740 - 16 * at, &text));
            lines.collect::<String>()
        });
        let contents: Vec<String> = contents.collect();
        let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
        text(&Maker::pages(&contents))
    };
    let record = |page: u32| {
        vec![
            "Patient record".to_string(),
            format!("Name: Person {page}"),
            format!("Pressure: 11{page}"),
            "Allergies: none".to_string(),
            format!("Next visit: {page} May"),
        ]
    };
    let text = pages(&record);
    for line in (1..=5).flat_map(record) {
        assert!(text.contains(&line), "{line} is missing: {text}");
    }
    let certificate = |page: u32| {
        vec![
            "Certificate of quality".to_string(),
            "This certifies the wombat.".to_string(),
            format!("Batch {page}"),
        ]
    };
    assert_eq!(pages(&certificate).matches("Batch").count(), 5);
}

#[test]
fn the_outline_gives_the_levels() {
    let content = [
        line("B", 12, 50, 740, "First"),
        line("F", 10, 50, 700, "Text."),
        line("B", 11, 50, 660, "1.1 Second"),
        line("F", 10, 50, 620, "More text."),
    ]
    .concat();
    let mut maker = Maker::pages(&[&content]);
    maker.replace(1, ">>", "/Outlines 7 0 R>>");
    maker.add("<</First 8 0 R>>");
    maker.add("<</Title(First)/Dest[5 0 R/Fit]/First 9 0 R/Next 8 0 R>>");
    maker.add("<</Title(Second)/A<</S/GoTo/D[5 0 R/Fit]>>/Next 9 0 R>>");
    assert_eq!(
        text(&maker),
        "# First\n\nText.\n\n## 1.1 Second\n\nMore text.\n"
    );
}

#[test]
fn what_is_bold_is_no_heading_if_the_outline_has_others() {
    let content = [
        line("B", 14, 50, 740, "First"),
        lines(50, 700, &["The text is longer than what is bold in it."]),
        line("B", 10, 50, 660, "A remark"),
        line("F", 10, 50, 620, "More text."),
        line("B", 14, 50, 580, "Second"),
        line("F", 10, 50, 540, "More text."),
    ]
    .concat();
    let mut maker = Maker::pages(&[&content]);
    assert!(text(&maker).contains("## A remark\n"));
    maker.replace(1, ">>", "/Outlines 7 0 R>>");
    maker.add("<</First 8 0 R>>");
    maker.add("<</Title(First)/Dest[5 0 R/Fit]/Next 9 0 R>>");
    maker.add("<</Title(Second)/Dest[5 0 R/Fit]>>");
    let text = text(&maker);
    assert_eq!(text.matches("# ").count(), 2, "{text}");
    assert!(text.contains("\n\nA remark\n\n"), "{text}");
}

#[test]
fn captions_and_labels_are_no_headings() {
    let page = |title: &str| {
        [
            line("B", 10, 50, 740, title),
            lines(50, 700, &["The text is longer than what is bold in it."]),
            line("B", 10, 50, 660, "Note"),
            line("F", 10, 50, 620, "More text."),
            line("B", 10, 50, 580, "Table 4.3. Tides"),
            line("F", 10, 50, 540, "More text."),
            line("B", 14, 50, 500, "Figure A-1: The quay"),
            line("F", 10, 50, 460, &format!("More text of {title}.")),
        ]
        .concat()
    };
    let pages = ["One", "Two", "Three", "Four"].map(page);
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let found = text(&Maker::pages(&pages));
    for title in ["# One\n", "# Two\n", "# Three\n", "# Four\n"] {
        assert!(found.contains(title), "{found}");
    }
    assert_eq!(found.matches("# ").count(), 4, "{found}");
    // A word that is seldom a label may be a heading.
    let found = text(&Maker::pages(&pages[..2]));
    assert_eq!(found.matches("# ").count(), 4, "{found}");
}

#[test]
fn text_that_is_larger_than_most_of_the_code_is_no_heading() {
    let code: String = (0..30)
        .map(|at| {
            line(
                "M",
                8,
                50,
                600 - 10 * at,
                "let tide = quay.tide(hour, minute, second);",
            )
        })
        .collect();
    let content = [
        line("F", 14, 50, 740, "On tides"),
        line(
            "F",
            10,
            50,
            700,
            "The height of the water depends on the time as in",
        ),
        line("F", 10, 50, 688, "this code, which is longer than the text"),
        code,
    ]
    .concat();
    let mut maker = Maker::pages(&[&content]);
    maker.replace(2, "9999 0 R", "7 0 R");
    maker.add("<</Type/Font/Subtype/Type1/BaseFont/Courier>>");
    let found = text(&maker);
    assert_eq!(found.matches("# ").count(), 1, "{found}");
    assert!(found.starts_with("# On tides\n\nThe height"), "{found}");
}

#[test]
fn a_long_sentence_in_large_letters_is_no_heading() {
    let content = |title: &str| {
        let text = ["Some text in the usual size, which is longer than what is large above."; 3];
        [line("F", 14, 50, 740, title), lines(50, 700, &text)].concat()
    };
    let title = "What the harbour was like before the first steamer came to the quay";
    let found = |title: &str| text(&Maker::pages(&[&content(title)])).starts_with("# ");
    assert!(found(title));
    assert!(found("The quay."));
    assert!(!found(&format!("{title}.")));
}

#[test]
fn what_the_file_says_about_itself_is_front_matter() {
    let mut maker = Maker::pages(&[&line("F", 10, 50, 700, "Text.")]);
    maker.add("<</Title(On \\(all\\) rivers)/Author(Ada; Ben)/CreationDate(D:20240506120000Z)/Keywords(water, sea)>>");
    maker.trailer = "/Info 7 0 R".into();
    assert_eq!(
        text(&maker),
        "---\ntitle: \"On (all) rivers\"\nauthors: [\"Ada\", \"Ben\"]\ndate: \"2024-05-06\"\nkeywords: [\"water\", \"sea\"]\n---\n\nText.\n"
    );
}

#[test]
fn forms_marks_and_maps_of_fonts_are_followed() {
    let content = "/X Do /Span <</ActualText(whole)>> BDC BT /F 10 Tf 50 600 Td (wh) Tj (xx) Tj ET EMC \
        /Artifact <</Type/Pagination>> BDC BT /F 10 Tf 50 20 Td (footer) Tj ET EMC \
        BT /M 10 Tf 50 500 Td <00010002> Tj ET BI /W 1 ID \x01 EI";
    let mut maker = Maker::pages(&[content]);
    maker.replace(2, "9999 0 R>>", "8 0 R>>/XObject<</X 7 0 R>>");
    maker.stream(
        "/Type/XObject/Subtype/Form/Matrix[1 0 0 1 50 0]",
        b"BT /F 10 Tf 0 700 Td (in a form) Tj ET /X Do",
    );
    maker.add("<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 9 0 R/DescendantFonts[<</W[1[500 500]]>>]>>");
    maker.stream("", b"1 beginbfrange <0001> <0002> <00DF> endbfrange");
    assert_eq!(text(&maker), "in a form\n\nwhole\n\nßà\n");
}

#[test]
fn the_values_of_fields_are_read() {
    let mut maker = Maker::pages(&[&line("F", 10, 50, 700, "Name:")]);
    maker.replace(5, "/Parent", "/Annots[7 0 R]/Parent");
    maker.add("<</Subtype/Widget/Rect[90 695 200 715]/AP<</N 8 0 R>>>>");
    maker.stream(
        "/Subtype/Form/BBox[0 0 110 20]",
        b"BT /F 10 Tf 2 5 Td (Ada) Tj ET",
    );
    assert_eq!(text(&maker), "Name: Ada\n");
}

#[test]
fn a_file_without_text_is_told_apart() {
    let image = Maker::pages(&["q 100 0 0 100 0 0 cm /Im Do Q"]);
    assert_eq!(read(&image.bytes()), Err(ReadError::NoText));
    let bytes = image.bytes();
    let end = bytes.windows(5).rposition(|part| part == b"%%EOF").unwrap();
    let cut_off = read(&bytes[..end]);
    let missing = ReadError::damaged("the end of the file is missing");
    assert_eq!(cut_off, Err(missing));
    for bytes in [
        &b""[..],
        b"%PDF-1.4\n",
        b"no file at all",
        b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj",
    ] {
        assert!(
            matches!(read(bytes), Err(ReadError::Damaged(_))),
            "{bytes:?}"
        );
    }
}

#[test]
fn an_empty_password_opens_a_file_and_another_one_does_not() {
    let content = line("F", 10, 50, 700, "Secret text.");
    let mut maker = Maker::pages(&[&content]);
    let (dict, encrypted) = encrypted_with_nothing(content.as_bytes(), (6, 0));
    maker.objects.pop();
    maker.stream("", &encrypted);
    maker.add(&dict);
    maker.trailer = "/Encrypt 7 0 R/ID[<00><00>]".into();
    assert_eq!(text(&maker), "Secret text.\n");
    maker.replace(7, "/P -4", "/P -8");
    assert_eq!(read(&maker.bytes()), Err(ReadError::Protected));
}

#[test]
fn a_file_without_its_table_is_read_all_the_same() {
    let maker = Maker::pages(&[&line("F", 10, 50, 700, "Text.")]);
    let bytes = maker.bytes();
    let cut = String::from_utf8(bytes.clone()).unwrap();
    let cut = &cut[..cut.find("xref").unwrap()];
    assert_eq!(read(cut.as_bytes()).unwrap().text, "Text.\n");
    // All places in the table are wrong by one.
    let moved = [b"%PDF-1.7\n%\n", &bytes[9..]].concat();
    assert_eq!(read(&moved).unwrap().text, "Text.\n");
    // Bytes before the file.
    let after = [b"junk\n", &bytes[..]].concat();
    assert_eq!(read(&after).unwrap().text, "Text.\n");
    let format = format_of("a.pdf").unwrap();
    assert!(format.accepts(&after) && !format.accepts(&[0; 4096]));
}

#[test]
fn objects_can_be_in_streams() {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Kids[3 0 R]>>",
        "<</Type/Page/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>",
        "<</Subtype/Type1/BaseFont/Times-Roman>>",
    ];
    let (mut index, mut body) = (String::new(), String::new());
    for (at, object) in objects.iter().enumerate() {
        index.push_str(&format!("{} {} ", at + 1, body.len()));
        body.push_str(object);
    }
    let content = "BT /F 10 Tf 50 500 Td (Packed.) Tj ET";
    let mut file = format!(
        "%PDF-1.7\n5 0 obj<</Length {}>>stream\n{content}\nendstream endobj\n",
        content.len()
    );
    let at = file.len();
    let packed = format!("{index}{body}");
    file.push_str(&format!(
        "6 0 obj<</Type/ObjStm/N 4/First {}/Length {}>>stream\n{packed}\nendstream endobj\n",
        index.len(),
        packed.len()
    ));
    let start = file.len();
    let rows: String = [[1, 0, 9, 0], [1, 0, at, 0]]
        .iter()
        .map(|row| {
            row.iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        })
        .collect();
    let packed: String = (0..4).map(|at| format!("020006{at:02x}")).collect();
    file.push_str(&format!(
        "7 0 obj<</Type/XRef/W[1 2 1]/Index[1 6]/Root 1 0 R/Filter/ASCIIHexDecode/Length {}>>stream\n{packed}{rows}>\nendstream endobj\nstartxref\n{start}\n%%EOF",
        packed.len() + rows.len() + 1
    ));
    assert_eq!(read(file.as_bytes()).unwrap().text, "Packed.\n");
    // The same without the table.
    let cut = &file[..start];
    assert_eq!(read(cut.as_bytes()).unwrap().text, "Packed.\n");
}

#[test]
fn loops_end() {
    let content = line("F", 10, 50, 700, "Text.");
    // Of pages, of forms, of references, and of lengths.
    let mut maker = Maker::pages(&[&(content.clone() + "/X Do")]);
    maker.replace(2, "/Kids[", "/Kids[2 0 R 7 0 R ");
    maker.replace(2, "/Font<<", "/XObject<</X 8 0 R>>/Font<<");
    maker.add("<</Type/Pages/Kids[2 0 R 7 0 R]>>");
    maker.stream("/Subtype/Form", b"/X Do (a) Tj /X Do");
    maker.add("9 0 R");
    maker.replace(6, "/Length 43", "/Length 9 0 R");
    assert_eq!(text(&maker), "Text.a\n");
    let looped = maker.bytes();
    let start = looped
        .windows(5)
        .position(|window| window == b"xref\n")
        .unwrap();
    let table = String::from_utf8(looped).unwrap();
    let table = table.replace("/Root", &format!("/Prev {start}/XRefStm {start}/Root"));
    assert_eq!(read(table.as_bytes()).unwrap().text, "Text.a\n");
}

#[test]
fn forms_in_forms_cost_no_more_than_the_limits() {
    let mut maker = Maker::pages(&["/X0 Do"]);
    let forms: String = (0..10).map(|at| format!("/X{at} {} 0 R", 7 + at)).collect();
    maker.replace(2, "/Font<<", &format!("/XObject<<{forms}>>/Font<<"));
    for at in 1..=10 {
        maker.stream(
            "/Subtype/Form",
            format!("/X{at} Do ").repeat(1000).as_bytes(),
        );
    }
    let limits = ReadLimits {
        unpacked: 1 << 20,
        ..ReadLimits::default()
    };
    let error = Pdf.read(&maker.bytes(), &limits).unwrap_err();
    assert!(
        matches!(error, ReadError::TooLarge { .. } | ReadError::NoText),
        "{error}"
    );
}

#[test]
fn forms_that_show_each_other_are_shown_a_number_of_times() {
    let after = line("F", 10, 50, 600, "After.");
    let mut maker = Maker::pages(&[&(line("F", 10, 50, 700, "Before.") + "/X0 Do " + &after)]);
    let forms: String = (0..=9).map(|at| format!("/X{at} {} 0 R", 7 + at)).collect();
    maker.replace(2, "/Font<<", &format!("/XObject<<{forms}>>/Font<<"));
    for at in 1..=9 {
        maker.stream("/Subtype/Form", format!("/X{at} Do ").repeat(10).as_bytes());
    }
    maker.stream("/Subtype/Form", b"BT /F 10 Tf 50 650 Td (x) Tj ET");
    let text = text(&maker);
    // The last form would be shown 10^9 times; what is at the same place counts once.
    assert_eq!(text, "Before.\n\nx\n\nAfter.\n");
}

#[test]
fn a_bomb_is_not_unpacked() {
    use std::io::Write as _;
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![b' '; 64 << 20]).unwrap();
    let bomb = packer.finish().unwrap();
    let limits = ReadLimits {
        unpacked: 1 << 20,
        ..ReadLimits::default()
    };
    let too_large = |error| matches!(error, ReadError::TooLarge { limit, .. } if limit == 1 << 20);
    let mut content = Maker::pages(&[""]);
    content.objects.pop();
    content.stream("/Filter/FlateDecode", &bomb);
    assert!(too_large(Pdf.read(&content.bytes(), &limits).unwrap_err()));
    // As an object stream of a file without a table.
    let mut maker = Maker::pages(&[""]);
    maker.stream("/Type/ObjStm/N 1/First 0/Filter/FlateDecode", &bomb);
    let bytes = maker.bytes();
    let end = bytes
        .windows(5)
        .position(|window| window == b"xref\n")
        .unwrap();
    assert!(too_large(Pdf.read(&bytes[..end], &limits).unwrap_err()));
}

#[test]
fn numbers_that_are_too_large_do_no_harm() {
    for (from, to) in [
        ("50 700 Td", "1e30 99999999999999999999999999 Td"),
        ("10 Tf", "99999999999999999999999 Tf"),
        ("10 Tf", "0 Tf"),
        ("BT", "0 0 0 0 0 0 cm BT"),
        ("BT", "q q q q Q Q Q Q Q Q Q EMC EMC BT"),
    ] {
        let content = line("F", 10, 50, 700, "Text.") + "BT /F 9 Tf 9 9 Td (end) Tj ET";
        let maker = Maker::pages(&[&content.replacen(from, to, 1)]);
        let _ = read(&maker.bytes());
    }
    let nested = "[".repeat(200_000) + "BT /F 10 Tf 50 500 Td (after) Tj ET";
    let _ = read(&Maker::pages(&[&nested]).bytes());
    let nested = format!("%PDF-1.4\n1 0 obj{}", "<</A".repeat(100_000));
    assert!(read(nested.as_bytes()).is_err());
    let table = "%PDF-1.4\nxref\n0 4294967295\n0000000000 65535 f \ntrailer<<>>startxref 9";
    assert!(read(table.as_bytes()).is_err());
}

#[test]
fn spaced_letters_are_one_word() {
    let spaced = |shown: &str| format!("BT /F 10 Tf 4 Tc 1 0 0 1 50 700 Tm {shown} ET");
    for shown in [
        "(CHAPTER ONE) Tj",
        // Without a space, and each letter by itself, of which the last is spaced no more.
        "[(CHAPTER) -300 (ONE)] TJ",
        "(CHAPTE) Tj 0 Tc (R) Tj 4 Tc ( ON) Tj 0 Tc (E) Tj",
    ] {
        let read = text(&Maker::pages(&[&spaced(shown)]));
        assert!(read.contains("CHAPTER ONE"), "{shown}: {read}");
    }
    // Cells, and the end of a word with the beginning of the next.
    for (spacing, shown, expected) in [(9, "123", "1 2 3"), (3, "RO", "R O")] {
        let content = format!("BT /F 10 Tf {spacing} Tc 50 700 Td ({shown}) Tj ET");
        let read = text(&Maker::pages(&[&content]));
        assert!(read.contains(expected), "{read}");
    }
}

/// Files to change.
fn samples() -> Vec<Vec<u8>> {
    let content = lines(
        50,
        700,
        &["one line of text", "another line", "\\225 an item"],
    ) + "/X Do";
    let mut maker = Maker::pages(&[&content, &content, &content]);
    maker.replace(2, "/Font<<", "/XObject<</X 11 0 R>>/Font<<");
    maker.replace(2, "9999 0 R", "12 0 R");
    maker.stream(
        "/Subtype/Form",
        b"BT /M 10 Tf 1 0 0 1 50 500 Tm [<0001> -300 <0002>] TJ ET",
    );
    maker.add("<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 13 0 R/DescendantFonts[<</W[1[500 500]]/CIDSystemInfo<</Ordering(Japan1)>>>>]>>");
    maker.stream("", b"begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0001> <0002> <00DF> endbfrange");
    maker.add("<</First 15 0 R>>");
    maker.add("<</Title(an item)/Dest[5 0 R]/Next 15 0 R>>");
    maker.replace(1, ">>", "/Outlines 14 0 R>>");
    let bytes = maker.bytes();
    let cut = bytes
        .windows(5)
        .position(|window| window == b"xref\n")
        .unwrap();
    vec![bytes.clone(), bytes[..cut].to_vec()]
}

proptest! {
    #[test]
    fn changed_files_are_read_or_not_but_nothing_else(
        sample in 0..2_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..6_u8, any::<u8>(), 1..40_usize), 1..12),
    ) {
        let mut bytes = samples().swap_remove(sample);
        for (at, kind, byte, length) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let part = bytes[at..end].to_vec();
                    let to = usize::from(byte) * bytes.len() / 256;
                    drop(bytes.splice(to..to, part));
                }
                3 => bytes[at] = b"0123456789-.<>[]()/%R"[usize::from(byte) % 21],
                4 => drop(bytes.splice(at..at, *b" 99999999999 ")),
                _ => bytes.truncate(at.max(bytes.len() / 2)),
            }
        }
        let limits = ReadLimits { text: 4096, unpacked: 1 << 20, ..ReadLimits::default() };
        if let Ok(document) = Pdf.read(&bytes, &limits) {
            prop_assert!(document.text.len() <= limits.text);
            let mut before = 0;
            for (at, _) in document.places.iter() {
                prop_assert!(before <= at && at < document.text.len());
                prop_assert!(document.text.is_char_boundary(at));
                before = at;
            }
        }
    }
}
