//! Code blocks in Markdown that must be split are split by the grammar of their language.

use excerpt_chunk::{Chunker, Chunking, Config, Document, Kind};
use excerpt_grammars::{chunker, languages};
use proptest::prelude::*;

use crate::cases::random_cases;
use crate::kept::kept;
use crate::samples::sample;

fn small() -> Chunker {
    let config = Config {
        target: 150,
        max: 150,
        min: 20,
        ..Config::default()
    };
    chunker(config).unwrap()
}

fn function(name: &str, statements: usize) -> String {
    let body: String = (0..statements)
        .map(|at| format!("    let value_{at} = compute({at});\n"))
        .collect();
    format!("/// Does {name}.\nfn {name}() {{\n{body}}}\n")
}

/// A guide with a code block of functions, and its chunks.
fn guide(indent: &str, before: &str, functions: &[String]) -> (String, String) {
    let code = functions.join("\n");
    let fenced: String = format!("```rust\n{code}```\n")
        .lines()
        .map(|line| format!("{indent}{line}\n"))
        .collect();
    let text = format!("# Guide\n\n## Use\n\n{before}{fenced}\nWhat follows.\n");
    (text, code)
}

/// How many functions are split between chunks.
fn parted(functions: &[String], chunking: &Chunking<'_>) -> usize {
    let whole = |function: &&String| {
        let mut texts = chunking.chunks.iter().map(|chunk| chunk.text);
        texts.any(|text| text.contains(function.trim_end()))
    };
    functions.len() - functions.iter().filter(whole).count()
}

#[test]
fn a_code_block_is_split_between_its_functions() {
    let names = ["one", "two", "three", "four", "five", "six", "seven"];
    let functions: Vec<String> = names.iter().map(|name| function(name, 9)).collect();
    let (text, _) = guide("", "All functions:\n\n", &functions);
    let chunking = kept(&small(), &Document::new(&text).with_path("guide.md"));
    assert!(chunking.chunks.len() > 2);
    assert_eq!(parted(&functions, &chunking), 0);
    let inside: Vec<_> = chunking.chunks[1..chunking.chunks.len() - 1]
        .iter()
        .collect();
    for chunk in &inside {
        assert_eq!(chunk.language.as_deref(), Some("rust"));
        assert_eq!(chunk.cut.reason, "before a function");
        assert!(chunk.context.trail.iter().any(|label| &**label == "Use"));
    }
    let mut names = chunking
        .chunks
        .iter()
        .filter_map(|chunk| chunk.name.as_deref());
    assert!(names.any(|name| name == "two"));
    assert!(
        chunking
            .chunks
            .iter()
            .all(|chunk| !chunk.text.starts_with("```\n")),
        "the closing fence is not left alone"
    );
}

#[test]
fn a_function_larger_than_a_chunk_carries_its_signature() {
    let functions = [function("start", 2), function("run", 60)];
    let (text, _) = guide("", "", &functions);
    let chunking = kept(&small(), &Document::new(&text).with_path("guide.md"));
    let goes_on: Vec<_> = chunking
        .chunks
        .iter()
        .filter(|chunk| chunk.context.signature.is_some())
        .collect();
    assert!(goes_on.len() >= 2);
    for chunk in goes_on {
        assert_eq!(chunk.context.signature.as_deref(), Some("fn run()"));
        assert!(chunk.part.index > 1);
        // The last one goes on past the end of the function.
        if chunk.text.ends_with("What follows.") {
            continue;
        }
        assert_eq!(chunk.name.as_deref(), Some("run"));
        let trail: Vec<&str> = chunk.context.trail.iter().map(|label| &**label).collect();
        assert_eq!(trail, ["Guide", "Use", "fn run"]);
    }
}

#[test]
fn a_code_block_in_a_list_is_split_as_well() {
    let functions: Vec<String> = ["one", "two", "three", "four", "five", "six"]
        .iter()
        .map(|name| function(name, 9))
        .collect();
    let (text, _) = guide("  ", "- All functions:\n\n", &functions);
    let indented: Vec<String> = functions
        .iter()
        .map(|function| function.trim_end().replace('\n', "\n  "))
        .collect();
    let chunking = kept(&small(), &Document::new(&text).with_path("guide.md"));
    assert_eq!(parted(&indented, &chunking), 0);
}

#[test]
fn unparsable_code_is_split_at_lines_without_a_note() {
    let functions: Vec<String> = ["one", "two", "three"]
        .iter()
        .map(|name| function(name, 20))
        .collect();
    let (text, _) = guide("", "", &functions);
    for other in [
        text.replace("```rust", "```"),
        text.replace("```rust", "```nolanguage"),
        text.lines().map(|line| format!("> {line}\n")).collect(),
        text.replace("fn ", "((( [[[ ").replace("let ", "))) {{{ "),
    ] {
        let chunking = kept(&small(), &Document::new(&other).with_path("guide.md"));
        assert!(chunking.chunks.len() > 2);
        assert!(chunking.warnings.is_empty());
        let kinds: Vec<Kind> = chunking.chunks.iter().map(|chunk| chunk.kind).collect();
        assert!(!kinds.contains(&Kind::Function), "{kinds:?}");
    }
}

#[test]
fn a_code_block_that_fits_is_one_piece_and_names_nothing() {
    let (text, _) = guide("", "", &[function("one", 2), function("two", 2)]);
    let chunking = kept(&small(), &Document::new(&text).with_path("guide.md"));
    let fence = chunking.chunks.iter();
    let fence: Vec<_> = fence.filter(|chunk| chunk.text.contains("fn ")).collect();
    assert_eq!(fence.len(), 1);
    let mut sections = chunking.chunks.iter().flat_map(|chunk| &chunk.sections);
    assert!(!sections.any(|name| name.starts_with("fn ")));
}

#[test]
fn headings_in_a_code_block_are_not_headings_of_the_document() {
    let page: String = (0..40)
        .map(|at| format!("<h1>Part {at}</h1>\n<p>What part {at} says.</p>\n"))
        .collect();
    let text = format!("# Guide\n\n```html\n<html><body>\n{page}</body></html>\n```\n");
    let chunking = kept(&small(), &Document::new(&text).with_path("guide.md"));
    assert!(chunking.chunks.len() > 3);
    for chunk in &chunking.chunks[1..] {
        assert!(
            !chunk.cut.reason.starts_with("heading"),
            "{}",
            chunk.cut.reason
        );
    }
}

proptest! {
    #![proptest_config(random_cases(200))]

    #[test]
    fn code_blocks_of_anything_keep_the_guarantees(
        language in any::<prop::sample::Index>(),
        end in any::<usize>(),
        indent in prop::sample::select(&["", "  ", "> ", "- ", "\t"][..]),
        fence in prop::sample::select(&["```", "~~~~", "``` "][..]),
        closed in any::<bool>(),
        max in 30..300usize,
    ) {
        let all: Vec<&str> = languages().collect();
        let language = *language.get(&all);
        let (_, code) = sample(language);
        let code = &code[..code.floor_char_boundary(end % (code.len() + 1))];
        let closing = if closed { fence } else { "" };
        let fenced: String = format!("{fence}{language}\n{code}\n{closing}\n")
            .lines()
            .map(|line| format!("{indent}{line}\n"))
            .collect();
        let text = format!("# One\n\n{fenced}\n\ntext\n\n{fenced}");
        let config = Config {
            target: max,
            max,
            min: max / 10,
            ..Config::default()
        };
        kept(&chunker(config).unwrap(), &Document::new(&text).with_path("a.md"));
    }
}
