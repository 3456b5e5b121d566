//! The promises over real files of every language: the sources of our dependencies, and those of the packages below the folder that
//! `EXCERPT_SOURCES` names (`scripts/corpus` fetches them). Nothing of them is kept.

use std::collections::BTreeMap;
use std::path::Path;

use excerpt_chunk::{
    Chunker, CodeParser, Config, ContextParts, Document, Parser, Preset, Strategy, Unit, Warning,
};
use excerpt_grammars::{Grammars, chunker, languages};

use crate::kept::kept;
use crate::sources::{files, files_below};

/// How many bytes of each language are read, and how many of one file at most.
const ENOUGH: usize = 1_000_000;
const LARGEST: usize = 200_000;

/// The configurations that every file is cut by.
fn chunkers() -> Vec<Chunker> {
    let chars = |max: usize| Config {
        strategy: Strategy::Code,
        context: ContextParts::NONE,
        target: max,
        max,
        min: max / 10,
        ..Preset::Code.config(Unit::Chars)
    };
    let configs = [chars(1_600), chars(400), Preset::Code.config(Unit::Tokens)];
    configs.map(|config| chunker(config).unwrap()).into()
}

/// What was read of a language.
#[derive(Default)]
struct Read {
    files: usize,
    bytes: usize,
    /// Files without a tree.
    fallen: usize,
    /// Definitions at the top that fit, by all configurations.
    whole: usize,
}

#[test]
fn promises_hold_for_real_files_of_every_language() {
    let mut paths = files();
    let named = std::env::var_os("EXCERPT_SOURCES");
    if let Some(folder) = &named {
        // First what is there for a language that the others have little of.
        paths.splice(0..0, files_below(vec![Path::new(folder).to_path_buf()]));
    }
    let chunkers = chunkers();
    let mut read: BTreeMap<&str, Read> = BTreeMap::new();
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let document = Document::new(&text).with_path(path.to_str().unwrap());
        let Some(language) = Grammars.detect(&document).map(|found| found.language) else {
            continue;
        };
        let read = read.entry(language).or_default();
        if text.len() > LARGEST || read.bytes > ENOUGH {
            continue;
        }
        read.files += 1;
        read.bytes += text.len();
        for chunker in &chunkers {
            let (whole, fallen) = nothing_that_fits_is_cut(chunker, &document);
            read.whole += whole;
            read.fallen += usize::from(fallen);
        }
    }
    for language in languages() {
        let Some(read) = read.get(language) else {
            assert!(named.is_none(), "no file of {language}");
            eprintln!("skipped {language}: EXCERPT_SOURCES names no folder with a file of it");
            continue;
        };
        let Read {
            files,
            bytes,
            fallen,
            whole,
        } = read;
        println!("{language}: {files} files, {bytes} bytes, {whole} items, {fallen} as lines");
        assert!(fallen * 2 <= files * chunkers.len(), "{language} is read");
    }
}

/// Cuts `document`, checks the promises, and that each definition at the top that fits lies in one chunk. Returns how many these are, and
/// whether the document was read as lines.
fn nothing_that_fits_is_cut(chunker: &Chunker, document: &Document<'_>) -> (usize, bool) {
    let path = document.path().unwrap();
    let chunking = kept(chunker, document);
    let fallen = |warning: &Warning| matches!(warning, Warning::Fallback(_));
    if chunking.warnings.iter().any(fallen) {
        return (0, true);
    }
    let config = chunker.config();
    // The context takes a quarter of the limit at most.
    let room = match config.context == ContextParts::NONE {
        true => config.max,
        false => config.max - config.max / 4,
    };
    let outline = Grammars.parse(document, config.max);
    let mut whole = 0;
    for definition in outline.definitions() {
        let node = &outline.nodes()[definition.node];
        if node.parent() != 0 || definition.node == 0 {
            continue;
        }
        let text = &document.text()[node.span()];
        let start = node.span().start + (text.len() - text.trim_start().len());
        let text = text.trim();
        if config.unit.measure(text) > room {
            continue;
        }
        let in_one = chunking.chunks.iter().any(|chunk| {
            chunk.span.bytes.start <= start && start + text.len() <= chunk.span.bytes.end
        });
        assert!(
            in_one,
            "{path}: {} {} at {start} fits into {room} and is cut:\n{text}",
            node.kind(),
            definition.name
        );
        whole += 1;
    }
    (whole, false)
}
