//! Runs the manuals: Markdown files whose examples are tests. The tests of `excerpt-grammars`
//! include this file, too.
//!
//! An example is three fenced blocks in a row: `toml` with settings (the table `[chunking]`), an
//! input whose info string has its path after the language (`md people.md`), and `chunks` with the
//! result: the strategy, its reason and the notes about the document, then one line per chunk:
//! `first-last  trail`, with the overlap (`+"…"`), the definition (`= function`), the sections
//! inside, the part, the signature it is under, the imports it uses, and the warnings. With the
//! info string `chunks context`, the lines of its context follow; with `chunks reasons`, the reason
//! for the split before it ends the line. `EXCERPT_SPEC=write` writes the results into the files.

use std::fmt::Write as _;
use std::path::Path;

use excerpt_chunk::{Chunk, Chunker, Config, Document, Kind, settings_from_toml};

use crate::kept::kept;

/// A fenced block of a spec file: its info string and the bytes of its content.
struct Fence {
    info: String,
    content: std::ops::Range<usize>,
}

fn fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<(String, String, usize)> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let mark = line.trim_start_matches(['`', '~']);
        let mark = &line[..line.len() - mark.len()];
        match &open {
            Some((opened, info, start)) if line.trim_end() == opened => {
                fences.push(Fence {
                    info: info.clone(),
                    content: *start..offset,
                });
                open = None;
            }
            None if mark.len() >= 3 => {
                let info = line[mark.len()..].trim().to_string();
                open = Some((mark.to_string(), info, offset + line.len()));
            }
            _ => {}
        }
        offset += line.len();
    }
    fences
}

fn described(chunk: &Chunk<'_>, text: &str) -> String {
    let (first, last) = chunk.span.lines;
    let mut line = format!("{first}-{last}");
    if let Some(overlap) = &chunk.overlap {
        let shown = text[overlap.bytes.clone()].trim();
        write!(line, "  +{shown:?}").unwrap();
    }
    let place = match chunk.context.trail.is_empty() {
        true => format!("({})", chunk.kind),
        false => chunk.breadcrumb(),
    };
    write!(line, "  {place}").unwrap();
    if chunk.name.is_some() {
        write!(line, "  = {}", chunk.kind).unwrap();
    }
    if !chunk.sections.is_empty() {
        write!(line, "  [{}]", chunk.sections.join(", ")).unwrap();
    }
    if chunk.kind == Kind::Overview {
        line += "  overview";
    }
    if chunk.part.count > 1 {
        write!(line, "  part {}/{}", chunk.part.index, chunk.part.count).unwrap();
    }
    if let Some(lead) = &chunk.context.lead {
        write!(
            line,
            "  under {:?}",
            lead.lines().next().unwrap_or_default()
        )
        .unwrap();
    }
    if let Some(signature) = &chunk.context.signature {
        let words: Vec<&str> = signature.split_whitespace().collect();
        write!(line, "  under {:?}", words.join(" ")).unwrap();
    }
    if !chunk.context.imports.is_empty() {
        write!(line, "  imports {:?}", chunk.context.imports).unwrap();
    }
    for warning in &chunk.warnings {
        write!(line, "  ! {warning}").unwrap();
    }
    line
}

/// Runs the examples of one file. Returns the current text of the file, the text with the actual
/// results, and the number of examples.
fn run(path: &Path, chunker: fn(Config) -> Chunker) -> (String, String, usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let fences = fences(&text);
    let mut written = String::new();
    let mut end = 0;
    let mut examples = 0;
    for example in fences.windows(3) {
        let [settings, input, chunks] = example else {
            unreachable!()
        };
        if !chunks.info.starts_with("chunks") {
            continue;
        }
        let place = path.display();
        assert_eq!(settings.info, "toml", "{place}: an example needs settings");
        examples += 1;
        let settings = &text[settings.content.clone()];
        let config = settings_from_toml(settings)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
            .config();
        let source = &text[input.content.clone()];
        let name = input.info.split_once(' ').map_or("", |(_, name)| name);
        let document = Document::new(source).with_path(name);
        let chunking = kept(&chunker(config), &document);
        let mut expected = format!("{} ({})", chunking.strategy, chunking.reason);
        for warning in &chunking.warnings {
            write!(expected, "  ! {warning}").unwrap();
        }
        expected.push('\n');
        for chunk in &chunking.chunks {
            expected += &described(chunk, source);
            if chunks.info.ends_with("reasons") {
                write!(expected, "  : {}", chunk.cut.reason).unwrap();
            }
            expected.push('\n');
            if chunks.info.ends_with("context") {
                let header = chunk.context.header.lines();
                expected.extend(header.map(|line| format!("    {line}\n")));
            }
        }
        written += &text[end..chunks.content.start];
        written += &expected;
        end = chunks.content.end;
    }
    written += &text[end..];
    (text, written, examples)
}

/// Runs the examples of all files in `folder`, and returns their number.
pub(crate) fn examples_are_true(folder: &Path, chunker: fn(Config) -> Chunker) -> usize {
    let mut examples = 0;
    let mut wrong = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap();
    for entry in entries {
        let path = entry.unwrap().path();
        let (text, written, count) = run(&path, chunker);
        examples += count;
        if text != written {
            if std::env::var_os("EXCERPT_SPEC").is_some_and(|value| value == "write") {
                std::fs::write(&path, written).unwrap();
            } else {
                wrong.push(format!(
                    "{}:\n{}",
                    path.display(),
                    difference(&text, &written)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    examples
}

/// The lines that occur in only one of the two.
fn difference(expected: &str, found: &str) -> String {
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    let (expected, found) = (lines(expected), lines(found));
    let missing = expected
        .iter()
        .filter(|line| !found.contains(line))
        .map(|line| format!("- {line}"));
    let surplus = found
        .iter()
        .filter(|line| !expected.contains(line))
        .map(|line| format!("+ {line}"));
    missing.chain(surplus).collect::<Vec<_>>().join("\n")
}
