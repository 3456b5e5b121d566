//! Any file of any format: it is read or refused, the text keeps to its limit, and the places are
//! in order.
//!
//! Command: `cargo +nightly fuzz run readers -- -max_len=65536`. Findings become plain tests of the
//! reader.
#![no_main]

use excerpt_fuzz::chosen;
use excerpt_readers::{ReadLimits, format_of};
use libfuzzer_sys::fuzz_target;

/// The most text that is read.
const TEXT: usize = 1 << 20;

fuzz_target!(|input: (u8, &[u8])| {
    let (format, bytes) = input;
    let endings = [
        "docx", "epub", "html", "ipynb", "odp", "ods", "odt", "pdf", "pptx", "xlsx",
    ];
    let ending = chosen(&endings, format);
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
