//! Definitions as chunks, and what a chunk of source code knows of where it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use excerpt_chunk::{
    Chunk, Chunker, Config, ContextParts, Document, Kind, Outline, Parser, Preset, Settings, Unit,
    Warning,
};
use excerpt_grammars::{Grammars, chunker};

use crate::kept::kept;
use crate::sources::{files, files_below};

const SHELF: &str = "//! Shelves.

use std::collections::BTreeMap;
use std::fmt;

mod labels;
mod rooms;

/// How many books a shelf takes.
const PLACES: usize = 40;

/// A shelf of books, by their titles.
#[derive(Debug)]
pub struct Shelf {
    books: BTreeMap<String, u32>,
}

impl Shelf {
    /// How many titles there are.
    pub fn titles(&self) -> usize {
        self.books.len()
    }
}

/// Says hello.
fn hello() {}
";

fn units() -> Chunker {
    chunker(Preset::Units.config(Unit::Tokens)).unwrap()
}

/// What a chunk is, with its name and the first line of its text.
fn described(chunk: &Chunk<'_>) -> String {
    let name = chunk.name.as_deref().unwrap_or("-");
    let line = chunk.text.lines().next().unwrap_or_default();
    format!("{} {name}: {line}", chunk.kind)
}

#[test]
fn each_top_level_definition_that_fits_is_a_chunk_with_its_kind_name_and_comments() {
    let document = Document::new(SHELF).with_path("crates/library-core/src/shelf.rs");
    let chunking = kept(&units(), &document);
    let found: Vec<String> = chunking.chunks.iter().map(described).collect();
    assert_eq!(
        found,
        [
            "comment -: //! Shelves.",
            "import -: use std::collections::BTreeMap;",
            "block -: mod labels;",
            "constant PLACES: /// How many books a shelf takes.",
            "struct Shelf: /// A shelf of books, by their titles.",
            "implementation Shelf: impl Shelf {",
            "function hello: /// Says hello.",
        ]
    );
}

#[test]
fn per_entry_makes_units_with_any_preset() {
    let settings = Settings {
        per_entry: Some(true),
        preset: "code".parse().ok(),
        ..Settings::default()
    };
    assert_eq!(settings.config(), Preset::Units.config(Unit::Tokens));
    let document = Document::new(SHELF).with_path("src/shelf.rs");
    let auto = Config {
        per_entry: true,
        ..Config::default()
    };
    let auto = chunker(auto).unwrap();
    assert_eq!(kept(&auto, &document).chunks.len(), 7);
}

#[test]
fn a_module_that_does_not_fit_is_split_into_its_definitions() {
    let functions: String = (0..90)
        .map(|at| {
            format!("    /// Says {at}.\n    fn say_{at}() -> usize {{\n        {at}\n    }}\n\n")
        })
        .collect();
    let text = format!("use std::fmt;\n\nmod sayings {{\n    use super::*;\n\n{functions}}}\n");
    let chunking = kept(&units(), &Document::new(&text).with_path("src/lib.rs"));
    let functions = chunking.chunks.iter();
    let functions = functions.filter(|chunk| chunk.kind == Kind::Function);
    assert_eq!(functions.count(), 90);
    let last = chunking.chunks.last().unwrap();
    assert_eq!(&*last.context.module_path, ["sayings".into()]);
}

#[test]
fn imports_are_a_chunk_of_their_own_in_every_language() {
    let texts = [
        (
            "a.py",
            "import os\nimport sys\n\n\ndef a():\n    return os\n\n\ndef b():\n    return sys\n",
        ),
        (
            "a.go",
            "package a\n\nimport \"fmt\"\n\nfunc A() { fmt.Println() }\n\nfunc B() {}\n",
        ),
        (
            "a.ts",
            "import { a } from \"./a\";\n\nexport function b() {\n  return a;\n}\n\nclass C {}\n",
        ),
        (
            "A.java",
            "package a;\n\nimport a.B;\n\nclass A {}\n\nclass C {}\n",
        ),
    ];
    for (path, text) in texts {
        let chunking = kept(&units(), &Document::new(text).with_path(path));
        let imports = chunking.chunks.iter();
        let mut imports = imports.filter(|chunk| chunk.text.contains("import"));
        assert_eq!(imports.next().unwrap().kind, Kind::Import, "{path}");
        assert!(imports.next().is_none());
        let named = chunking.chunks.iter().filter(|chunk| chunk.name.is_some());
        assert_eq!(named.count(), 2, "{path}");
    }
}

#[test]
fn the_context_has_the_module_path() {
    let path = "crates/library-core/src/models.rs";
    let document = Document::new(SHELF).with_path(path);
    for chunk in units().chunk(&document).chunks {
        assert_eq!(
            &*chunk.context.module_path,
            ["library_core".into(), "models".into()]
        );
    }
    let nested = "mod a {\n    mod b {\n        fn c() {}\n    }\n}\n";
    let config = Config {
        target: 20,
        max: 20,
        min: 1,
        context: ContextParts::NONE,
        ..Preset::Code.config(Unit::Chars)
    };
    let document = Document::new(nested).with_path("src/x.rs");
    let chunking = kept(&chunker(config).unwrap(), &document);
    let inner = chunking
        .chunks
        .iter()
        .find(|chunk| chunk.name.as_deref() == Some("c"));
    assert_eq!(
        &*inner.unwrap().context.module_path,
        ["x".into(), "a".into(), "b".into()]
    );
    let data = Document::new("{\"a\": 1}").with_path("src/x.json");
    assert_eq!(units().chunk(&data).chunks[0].context.module_path, []);
}

/// All of our own sources, then those of others.
fn sources() -> impl Iterator<Item = (PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut paths = files_below(vec![crates.to_path_buf()]);
    if let Some(folder) = std::env::var_os("EXCERPT_SOURCES") {
        paths.extend(files_below(vec![folder.into()]));
    }
    paths.extend(files());
    paths.into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        (text.len() <= 100_000).then_some((path, text))
    })
}

/// The chunkers that the sources are split with.
fn chunkers() -> Vec<Chunker> {
    let small = Config {
        target: 100,
        max: 100,
        min: 12,
        ..Preset::Code.config(Unit::Tokens)
    };
    let presets = [Preset::Auto, Preset::Code, Preset::Units];
    let presets = presets.map(|preset| preset.config(Unit::Tokens));
    let configs = presets.into_iter().chain([small]);
    configs.map(|config| chunker(config).unwrap()).collect()
}

/// The name of the innermost definition inside which a chunk begins at `start`.
fn around(document: &Document<'_>, outline: &Outline, start: usize) -> Option<String> {
    let nodes = outline.nodes();
    let mut inside = outline.definitions().iter().filter(|found| {
        let span = nodes[found.node].span();
        found.signature.start < start
            && span.end > start
            && !document.text()[start..span.end].trim().is_empty()
    });
    inside.next_back().map(|found| found.name.to_string())
}

#[test]
fn a_chunk_that_begins_inside_a_definition_has_it_in_its_context() {
    let chunkers = chunkers();
    let mut bytes: BTreeMap<String, usize> = BTreeMap::new();
    let (mut inside, mut all) = (0, 0);
    let mut lacking = String::new();
    for (path, text) in sources() {
        let document = Document::new(&text).with_path(path.to_str().unwrap());
        let own = path.starts_with(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
        for chunker in &chunkers {
            let chunking = chunker.chunk(&document);
            let Some(language) = chunking
                .chunks
                .iter()
                .find_map(|chunk| chunk.language.clone())
            else {
                break;
            };
            if chunking.strategy.name() != "code" {
                continue;
            }
            let read = bytes.entry(language.to_string()).or_default();
            *read += text.len();
            if !own && *read > 250_000 {
                break;
            }
            let outline = Grammars.parse(&document, chunker.config().max * 3);
            for chunk in &chunking.chunks {
                all += 1;
                let continues =
                    chunk.context.signature.is_some() || !chunk.context.trail.is_empty();
                let start = chunk.span.bytes.start;
                let Some(name) = around(&document, &outline, start) else {
                    continue;
                };
                inside += 1;
                let signature = chunk.context.signature.as_deref().unwrap_or_default();
                let known = chunk
                    .context
                    .trail
                    .iter()
                    .any(|label| label.contains(&*name));
                if !continues || !(known || signature.contains(&*name)) {
                    lacking += &format!(
                        "{}:{:?} lacks {name}: {:?}\n",
                        path.display(),
                        chunk.span.lines,
                        (&chunk.context, chunk.kind, &chunk.sections)
                    );
                }
            }
        }
    }
    println!("{inside} of {all} chunks begin inside a definition");
    assert!(
        lacking.is_empty(),
        "{} of {inside}:\n{lacking}",
        lacking.lines().count()
    );
}

#[test]
fn the_reason_for_a_split_names_what_was_found() {
    let body: String = (0..12).map(|at| format!("        work({at});\n")).collect();
    let text = format!(
        "use std::fmt;\n\nmod inner;\n\nimpl Shelf {{\n    fn one(&self) {{\n{body}    }}\n\n    // Two.\n    fn two(&self) {{\n{body}\n{body}    }}\n}}\n\nstruct Shelf;\n"
    );
    let config = Config {
        target: 300,
        max: 300,
        min: 10,
        context: ContextParts::NONE,
        ..Preset::Units.config(Unit::Chars)
    };
    let document = Document::new(&text).with_path("a.rs");
    let chunking = kept(&chunker(config).unwrap(), &document);
    let reasons: Vec<&str> = chunking
        .chunks
        .iter()
        .map(|chunk| &*chunk.cut.reason)
        .collect();
    assert_eq!(
        reasons,
        [
            "start",
            "at a statement",
            "before an implementation",
            "before a method",
            "at a statement",
            "before a struct",
        ]
    );
}

#[test]
fn no_split_of_source_code_is_before_a_document_and_no_header_repeats_itself() {
    let chunkers = chunkers();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (path, text) in sources().take(1_500) {
        let document = Document::new(&text).with_path(path.to_str().unwrap());
        for chunker in &chunkers {
            for chunk in chunker.chunk(&document).chunks {
                *seen.entry(chunk.cut.reason.clone()).or_default() += 1;
                let at = || format!("{}:{}", path.display(), chunk.span.lines.0);
                assert!(!chunk.cut.reason.contains("document"), "{}", at());
                if chunk.language.is_none() {
                    continue;
                }
                let mut lines: Vec<&str> = chunk.context.header.lines().collect();
                let count = lines.len();
                lines.sort_unstable();
                lines.dedup();
                assert_eq!(lines.len(), count, "{}: {}", at(), chunk.context.header);
                let last = chunk.context.trail.last();
                let signature = chunk.context.signature.as_deref();
                let named = chunk.context.header.lines().any(|line| {
                    signature != Some(line)
                        && last.is_some_and(|last| {
                            line == &**last || line.ends_with(&format!("> {last}"))
                        })
                });
                let signed = chunk
                    .name
                    .as_deref()
                    .zip(chunk.context.signature.as_deref());
                let twice = signed.is_some_and(|(name, signature)| {
                    named
                        && signature.contains(name)
                        && chunk.context.header.contains(signature)
                        && last.is_some_and(|last| last.contains(name))
                        && chunk.sections.is_empty()
                });
                assert!(!twice, "{}: {}", at(), chunk.context.header);
            }
        }
    }
    println!("{seen:#?}");
}

#[test]
fn the_block_list_of_source_code_has_its_definitions() {
    let document = Document::new(SHELF).with_path("src/shelf.rs");
    let blocks = units().outline(&document).blocks(SHELF);
    let found = blocks.iter().map(|block| {
        assert_eq!(block.language.as_deref(), Some("rust"));
        assert_eq!(block.level, None);
        let name = block.name.as_deref().unwrap_or("-");
        format!("{} {name} {:?}", block.kind, block.lines)
    });
    let found: Vec<String> = found.collect();
    assert_eq!(
        found[4..],
        [
            "constant const PLACES (9, 10)",
            "struct struct Shelf (12, 16)",
            "implementation impl Shelf (18, 23)",
            "method fn titles (19, 22)",
            "function fn hello (25, 26)",
        ]
    );
}

/// A long function outside of all others, and the second chunk of it.
fn second_part(context: ContextParts) -> Vec<String> {
    let body: String = (0..300).map(|at| format!("    print({at})\n")).collect();
    let text = format!("def main():\n{body}");
    let config = Config {
        context,
        ..Preset::Resources.config(Unit::Tokens)
    };
    let document = Document::new(&text).with_path("run.py");
    let chunking = kept(&chunker(config).unwrap(), &document);
    let header = &chunking.chunks[1].context.header;
    header.lines().map(str::to_string).collect()
}

#[test]
fn a_later_part_of_a_top_level_function_has_the_continuation_marker() {
    let header = second_part(ContextParts::DEFAULT);
    assert_eq!(header, ["run.py", "def main() [continued...]"]);
    let header = second_part(ContextParts::LEAD);
    assert_eq!(header, ["def main() [continued...]"]);
    let header = second_part(ContextParts::PATH);
    assert_eq!(header, ["run.py", "[continued...]"]);
    let header = second_part(ContextParts::NONE);
    assert!(header.is_empty(), "{header:?}");
}

#[test]
fn a_marker_without_room_is_dropped() {
    let text = format!("fn main() {{\n{}}}\n", "    a();\n".repeat(40));
    for max in 1..80 {
        let config = Config {
            target: max,
            max,
            min: 0,
            context: ContextParts::ALL,
            continuation_marker: Some("[continued...]".to_string()),
            ..Preset::Code.config(Unit::Chars)
        };
        kept(
            &chunker(config).unwrap(),
            &Document::new(&text).with_path("a.rs"),
        );
    }
}

/// A documented definition between two others, in three languages.
fn documented(comments: usize, statements: usize) -> [(&'static str, String); 3] {
    let lines = |count: usize, line: &str| -> String {
        (0..count)
            .map(|at| line.replace('#', &at.to_string()) + "\n")
            .collect()
    };
    let rust = format!(
        "/// Before.\nfn before() {{}}\n\n{}#[inline]\nfn documented() {{\n{}}}\n\nfn after() {{}}\n",
        lines(comments, "/// The comment in line #."),
        lines(statements, "    call(\"some words in line #\");")
    );
    let java = format!(
        "class A {{\n    void before() {{}}\n\n    /**\n{}     */\n    @Used\n    void documented() {{\n{}    }}\n\n    void after() {{}}\n}}\n",
        lines(comments, "     * The comment in line #."),
        lines(statements, "        call(\"line #\");")
    );
    let python = lines(comments, "; The comment in line #.").replace(';', "#");
    let python = format!(
        "def before():\n    pass\n\n\n{python}@cached\ndef documented():\n{}\n\ndef after():\n    pass\n",
        lines(statements, "    call(\"some words in line #\")")
    );
    [("a.rs", rust), ("A.java", java), ("a.py", python)]
}

/// The chunks of at most 440 characters.
fn small_chunks<'a>(preset: Preset, path: &'a str, text: &'a str) -> Vec<Chunk<'a>> {
    let config = Config {
        target: 440,
        max: 440,
        min: 50,
        ..preset.config(Unit::Chars)
    };
    let document = Document::new(text).with_path(path);
    kept(&chunker(config).unwrap(), &document).chunks
}

#[test]
fn a_comment_that_does_not_fit_with_its_definition_belongs_to_no_other() {
    let mut parted = 0;
    for comments in 1..40 {
        for (path, text) in documented(comments, 9) {
            for preset in [Preset::Auto, Preset::Code, Preset::Units] {
                let chunks = small_chunks(preset, path, &text);
                let comments = chunks.iter().filter(|chunk| {
                    chunk.text.contains("The comment") && !chunk.text.contains("documented()")
                });
                for chunk in comments {
                    parted += 1;
                    let all = format!("{path} {preset:?}\n{}", chunk.text);
                    assert!(!chunk.text.contains("before"), "{all}");
                    assert_eq!(chunk.name.as_deref(), Some("documented"), "{all}");
                    let trail = chunk.breadcrumb();
                    assert!(trail.ends_with("documented"), "{trail}: {all}");
                    let signature = chunk.context.signature.as_deref().unwrap();
                    assert!(signature.ends_with("documented()"), "{signature}: {all}");
                    let short = chunk.warnings.contains(&Warning::ContextShortened);
                    assert!(
                        short || chunk.context.header.contains("documented()"),
                        "{all}"
                    );
                }
            }
        }
    }
    assert!(parted > 200, "{parted}");
}

#[test]
fn a_small_comment_that_does_not_fit_with_its_definition_belongs_to_no_other() {
    let body = "    call();\n".repeat(130);
    let text = format!("fn a() {{}}\n\n/// Calls.\nfn documented() {{\n{body}}}\n");
    for room in 0..40 {
        let config = Config {
            target: text.len() - room,
            max: text.len() - room,
            min: 1,
            context: ContextParts::NONE,
            ..Preset::Code.config(Unit::Chars)
        };
        let chunking = kept(
            &chunker(config).unwrap(),
            &Document::new(&text).with_path("a.rs"),
        );
        let with = chunking
            .chunks
            .iter()
            .find(|chunk| chunk.text.contains("/// Calls."));
        let with = with.unwrap();
        let whole = with.text.contains("fn documented()");
        assert!(whole || with.text == "/// Calls.", "{room}: {}", with.text);
    }
}

#[test]
fn an_entry_of_json_lines_that_does_not_fit_is_split_before_its_keys() {
    let value = "A gull sat on the buoy, and the water rose. ".repeat(4);
    let entry = format!("{{\"a\": {value:?}, \"b\": {value:?}, \"c\": {value:?}}}\n");
    let config = Config {
        max: 70,
        target: 70,
        ..Preset::Auto.config(Unit::Tokens)
    };
    let text = entry.repeat(2);
    let document = Document::new(&text).with_path("log.jsonl");
    let chunking = kept(&chunker(config).unwrap(), &document);
    let reasons = chunking.chunks.iter().map(|chunk| &*chunk.cut.reason);
    let reasons: Vec<_> = reasons.skip(1).collect();
    let keys = ["before a key", "before a key"];
    assert_eq!(reasons, [&keys[..], &["before an element"], &keys].concat());
}
