//! Any bytes and any configuration: the chunks are verbatim, in order and within the limit, and
//! nothing is lost.
//!
//! Command: `cargo +nightly fuzz run chunk -- -max_len=4096`. Findings become plain tests of the
//! chunker.
#![no_main]

use arbitrary::Arbitrary;
use excerpt_chunk::{Chunker, Document};
use excerpt_fuzz::{Options, check, chosen};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    options: Options,
    path: u8,
    bytes: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let config = input.options.config();
    let Ok(chunker) = Chunker::new(config.clone()) else {
        return;
    };
    let text = String::from_utf8_lossy(input.bytes);
    let document = Document::new(&text);
    let paths = [
        None,
        Some("a.md"),
        Some("a/long/path/to/some/notes.txt"),
        Some("a.rs"),
    ];
    let document = match chosen(&paths, input.path) {
        Some(path) => document.with_path(path),
        None => document,
    };
    check(&text, &chunker.chunk(&document), &config);
});
