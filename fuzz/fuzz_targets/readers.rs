//! Any file of any format: it is read or refused, the text keeps to its limit, and the places are
//! in order.
//!
//! An input is a byte for the format and a file. For a format of office programs, the file is made
//! of parts between zero bytes, each with its name in the first line, since changes of a compressed
//! file rarely get further than its checksums.
//!
//! Commands: `fuzz/seeds readers SEEDS`, and `cargo +nightly fuzz run -O readers SEEDS --
//! -max_len=65536`. With a format in `EXCERPT_FORMAT`, such as `pdf`, only that one. Findings
//! become plain tests of the reader.
#![no_main]

#[path = "../../crates/excerpt-readers/tests/suite/office.rs"]
mod office;

use std::sync::LazyLock;

use excerpt_fuzz::chosen;
use excerpt_readers::{ReadLimits, format_of};
use libfuzzer_sys::fuzz_target;

/// The most text that is read.
const TEXT: usize = 1 << 20;

const ENDINGS: [&str; 11] = [
    "docx", "eml", "epub", "html", "ipynb", "odp", "ods", "odt", "pdf", "pptx", "xlsx",
];

/// The only format that is read, if one was chosen.
static ONLY: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("EXCERPT_FORMAT").ok());

fuzz_target!(|input: (u8, &[u8])| {
    let (format, bytes) = input;
    let ending = chosen(&ENDINGS, format);
    if ONLY.as_ref().is_some_and(|only| only != ending) {
        return;
    }
    let made;
    let bytes = match ending {
        "eml" | "html" | "ipynb" | "pdf" => bytes,
        _ => {
            made = office::file(ending, &parts(bytes));
            &made
        }
    };
    let reader = format_of(&format!("a.{ending}")).and_then(|format| format.reader);
    let mut limits = ReadLimits::default();
    limits.text = TEXT;
    let Some(Ok(document)) = reader.map(|reader| reader.read(bytes, &limits)) else {
        return;
    };
    assert!(document.text.len() <= TEXT);
    let starts: Vec<usize> = document.places.iter().map(|(at, _)| at).collect();
    assert!(starts.is_sorted());
    for start in starts {
        assert!(start < document.text.len() && document.text.is_char_boundary(start));
    }
});

/// The parts of a file, with their names.
fn parts(bytes: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let parts = text.split('\0').map(|part| {
        let (name, contents) = part.split_once('\n').unwrap_or((part, ""));
        (name.to_string(), contents.to_string())
    });
    let mut parts: Vec<(String, String)> = parts.collect();
    // An archive has each name once.
    parts.sort();
    parts.dedup_by(|a, b| a.0 == b.0);
    parts
}
