//! The guarantees on real files of every language: the sources of our dependencies, and of the
//! packages in the folder `EXCERPT_SOURCES` (`scripts/corpus` fetches them). None of them is
//! stored.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use excerpt_chunk::{
    Chunker, CodeParser, Config, ContextParts, Document, Kind, Outline, Parser, Preset, Sizer as _,
    Strategy, Unit, Warning,
};
use excerpt_grammars::{Grammars, chunker, languages};
use proptest::prelude::*;

use crate::cases::random_cases;
use crate::kept::kept;
use crate::outlines;
use crate::sources::{files, files_below};

/// The number of bytes read in each language, and the maximum size of a file.
const ENOUGH: usize = 1_000_000;
const LARGEST: usize = 200_000;

/// The minimum number of files, bytes, and items that fit, for each language in `EXCERPT_SOURCES`,
/// for a meaningful test.
const FILES: usize = 10;
const BYTES: usize = 50_000;
const ITEMS: usize = 300;
/// The minimum number of bytes for languages with short or few files.
const SCARCE: [(&str, usize); 3] = [
    ("dockerfile", 12_000),
    ("elixir", 25_000),
    ("scala", 12_000),
];

/// The configurations with which every file is split.
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

/// The path, text and language of each file that has one.
fn sources() -> impl Iterator<Item = (String, String, &'static str)> {
    let mut paths = files();
    if let Some(folder) = std::env::var_os("EXCERPT_SOURCES") {
        // First the packages that are there for a rare language.
        paths.splice(0..0, files_below(vec![folder.into()]));
    }
    paths.into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        let path = path.to_str()?;
        let language = Grammars
            .detect(&Document::new(&text).with_path(path))?
            .language;
        Some((path.to_string(), text, language))
    })
}

/// What was read in a language.
#[derive(Default)]
struct Read {
    files: usize,
    bytes: usize,
    /// Files without a tree.
    fallen: usize,
    /// Items that fit, over all configurations.
    whole: usize,
}

#[test]
fn guarantees_hold_for_real_files_of_every_language() {
    let named = std::env::var_os("EXCERPT_SOURCES");
    let chunkers = chunkers();
    let mut read: BTreeMap<&str, Read> = BTreeMap::new();
    for (path, text, language) in sources() {
        let document = Document::new(&text).with_path(&path);
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
        let Read {
            files,
            bytes,
            fallen,
            whole,
        } = read.remove(language).unwrap_or_default();
        println!("{language}: {files} files, {bytes} bytes, {whole} items, {fallen} as lines");
        let scarce = SCARCE.iter().find(|(scarce, _)| *scarce == language);
        let least = scarce.map_or(BYTES, |(_, bytes)| *bytes);
        let enough = files >= FILES && bytes >= least && whole >= ITEMS;
        if named.is_none() && !enough {
            eprintln!("skipped {language}: EXCERPT_SOURCES names no folder with files of it");
            continue;
        }
        assert!(
            enough,
            "{language}: {files} files of {bytes} bytes with {whole} items are too few: did `scripts/corpus` leave a package out?"
        );
        assert!(fallen * 10 <= files * chunkers.len(), "{language} is read");
    }
}

/// Splits `document`, and checks the guarantees and that each item that fits is in one chunk.
/// Returns the number of these items, and whether the document was read as lines.
fn nothing_that_fits_is_cut(chunker: &Chunker, document: &Document<'_>) -> (usize, bool) {
    let path = document.path().unwrap();
    let chunking = kept(chunker, document);
    let fallen = |warning: &Warning| matches!(warning, Warning::Fallback(_));
    if chunking.warnings.iter().any(fallen) {
        return (0, true);
    }
    let config = chunker.config();
    // The context takes at most a quarter of the limit.
    let room = match config.context == ContextParts::NONE {
        true => config.max,
        false => config.max - config.max / 4,
    };
    let outline = Grammars.parse(document, config.max);
    let mut whole = 0;
    for item in items(&outline) {
        let node = &outline.nodes()[item];
        let text = &document.text()[node.span()];
        let start = node.span().start + (text.len() - text.trim_start().len());
        let text = text.trim();
        if text.is_empty() || config.unit.size(text).unwrap() > room {
            continue;
        }
        let in_one = chunking.chunks.iter().any(|chunk| {
            chunk.span.bytes.start <= start && start + text.len() <= chunk.span.bytes.end
        });
        assert!(
            in_one,
            "{path}: the {} {} at {start} fits into {room} and is cut:\n{text}",
            node.kind(),
            node.label().unwrap_or_default()
        );
        whole += 1;
    }
    (whole, false)
}

/// The items of a document: the nodes at the top level or directly in a section. In source code
/// these are definitions, imports, comments and statements; in data, keys and elements; in HTML,
/// the content of the body; in a container file, instructions.
fn items(outline: &Outline) -> Vec<usize> {
    let nodes = outline.nodes();
    let mut open = vec![false; nodes.len()];
    open[0] = true;
    let mut items = Vec::new();
    for (index, node) in nodes.iter().enumerate().skip(1) {
        if !open[node.parent()] {
            continue;
        }
        match node.kind() {
            Kind::Section => open[index] = true,
            _ => items.push(index),
        }
    }
    items
}

/// Some files of each language, of at most 20,000 bytes.
static SOME: LazyLock<Vec<(&'static str, String)>> = LazyLock::new(|| {
    let mut some: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (_, text, language) in sources() {
        let texts = some.entry(language).or_default();
        if text.len() <= 20_000 && texts.len() < 20 {
            texts.push(text);
        }
    }
    let some = some.into_iter();
    some.flat_map(|(language, texts)| texts.into_iter().map(move |text| (language, text)))
        .collect()
});

proptest! {
    #![proptest_config(random_cases(300))]

    #[test]
    fn guarantees_hold_for_truncated_and_spliced_files(
        file in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        cuts in prop::array::uniform4(any::<prop::sample::Index>()),
        detail in 0..600usize,
    ) {
        let (language, text) = file.get(&SOME);
        let (_, other) = other.get(&SOME);
        let place = |text: &str, cut: usize| {
            text.floor_char_boundary(cuts[cut].index(text.len() + 1))
        };
        let (from, to) = (place(other, 2), place(other, 3));
        let spliced = [
            &text[..place(text, 0)],
            &other[from.min(to)..from.max(to)],
            &text[place(text, 1)..],
        ];
        for text in [spliced[0], spliced[1], &spliced.concat()] {
            let document = Document::new(text).with_language(language);
            outlines::kept(&document, detail);
            for chunker in chunkers() {
                kept(&chunker, &document);
            }
        }
    }
}
