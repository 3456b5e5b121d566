//! Any bytes as any language, unchanged or with a piece of one of our samples inserted, and any
//! configuration: the chunks are verbatim, in order and within the limit, and nothing is lost. The
//! outline, at any detail, covers the whole text.
//!
//! A seed is 24 bytes, which specify everything but the text, and a text. `fuzz/seeds` generates
//! seeds from real files, whole, truncated and spliced:
//!
//! ```sh
//! scripts/corpus target/corpus
//! fuzz/seeds code target/seeds target/corpus ~/.cargo/registry/src
//! mkdir -p fuzz/corpus/code
//! ASAN_OPTIONS=detect_leaks=0 cargo +nightly fuzz run code fuzz/corpus/code target/seeds -- -max_len=20000 -len_control=0 -timeout=20 -rss_limit_mb=2048 -detect_leaks=0
//! ```
//!
//! Leaks are not detected: the scanner for SQL (`tree-sitter-sequel`) does not free the tag of a
//! dollar-quoted string.
//!
//! Findings become plain tests of the grammars.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use excerpt_chunk::{Document, Parser};
use excerpt_fuzz::{Options, check, chosen};
use excerpt_grammars::{Grammars, chunker, languages};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    options: Options,
    language: u8,
    detail: u16,
    sample: u8,
    from: u16,
    length: u16,
    at: u16,
    bytes: &'a [u8],
}

/// Our samples of all languages.
static SAMPLES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/excerpt-grammars/languages");
    let folders = std::fs::read_dir(folder).expect("the languages have folders");
    let mut paths: Vec<_> = folders
        .flat_map(|entry| std::fs::read_dir(entry.expect("it can be read").path()))
        .flatten()
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    paths.retain(|path| {
        let name = path.file_stem().unwrap_or_default();
        name.eq_ignore_ascii_case("sample")
            && path.extension().is_some_and(|ending| ending != "snap")
    });
    let texts = paths.into_iter().map(std::fs::read_to_string);
    texts.collect::<Result<_, _>>().expect("samples are text")
});

fuzz_target!(|input: Input<'_>| {
    let config = input.options.config();
    let Ok(chunker) = chunker(config.clone()) else {
        return;
    };
    let mut text = String::from_utf8_lossy(input.bytes).into_owned();
    if input.length > 0 {
        let sample = &SAMPLES[usize::from(input.sample) % SAMPLES.len()];
        let from = sample.floor_char_boundary(usize::from(input.from) % sample.len());
        let rest = &sample[from..];
        let piece = &rest[..rest.floor_char_boundary(usize::from(input.length))];
        let at = text.floor_char_boundary(usize::from(input.at) % (text.len() + 1));
        text.insert_str(at, piece);
    }
    let mut names: Vec<&str> = languages().collect();
    names.sort_unstable();
    let document = Document::new(&text).with_language(chosen(&names, input.language));
    let outline = Grammars.parse(&document, usize::from(input.detail));
    assert_eq!(outline.nodes()[0].span().end, text.len(), "the whole text");
    check(&text, &chunker.chunk(&document), &config);
});
