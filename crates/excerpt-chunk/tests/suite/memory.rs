//! The success criteria of the preset `memory`, on the memory files in `tests/memory/`. A bench
//! measures its speed; `tests/spec/memory.md` has small examples.
//!
//! Blocks are found in the events of the Markdown parser, not in the outline that is split.

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use excerpt_chunk::{
    Chunking, Config, Document, Kind, Preset, Strategy, Strength, Unit, Warning, settings_from_toml,
};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use crate::corpus::{collect, dependency_files};
use crate::promises::kept;

/// A curated file, a daily note, and a file of people.
fn memory_files() -> [Document<'static>; 3] {
    [
        Document::new(include_str!("../memory/MEMORY.md")).with_path("MEMORY.md"),
        Document::new(include_str!("../memory/2026-01-31.md")).with_path("memory/2026-01-31.md"),
        Document::new(include_str!("../memory/people.md")).with_path("people.md"),
    ]
}

fn memory() -> Config {
    Preset::Memory.config(Unit::Tokens)
}

/// The preset with further settings in TOML.
fn memory_with(settings: &str) -> Config {
    let settings = format!("[chunking]\npreset = \"memory\"\n{settings}");
    settings_from_toml(&settings).unwrap().config()
}

/// The blocks of a text that the criteria are about, without the white space around them.
#[derive(Default)]
struct Blocks {
    headings: Vec<Range<usize>>,
    code: Vec<Range<usize>>,
    tables: Vec<Range<usize>>,
    paragraphs: Vec<Range<usize>>,
    html: Vec<Range<usize>>,
}

impl Blocks {
    fn of(text: &str) -> Self {
        let body = body_start(text);
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
        let mut blocks = Blocks::default();
        let mut depth = 0;
        for (event, range) in Parser::new_ext(&text[body..], options).into_offset_iter() {
            let range = trimmed(text, body + range.start..body + range.end);
            match event {
                // A heading in a quote or an item does not begin a section.
                Event::Start(Tag::Heading { .. }) if depth == 0 => blocks.headings.push(range),
                Event::Start(Tag::CodeBlock(_)) => blocks.code.push(range),
                Event::Start(Tag::Table(_)) => blocks.tables.push(range),
                Event::Start(Tag::Paragraph) => blocks.paragraphs.push(range),
                Event::Start(Tag::HtmlBlock) => blocks.html.push(range),
                Event::Start(Tag::BlockQuote(_) | Tag::Item | Tag::FootnoteDefinition(_)) => {
                    depth += 1;
                }
                Event::End(TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::FootnoteDefinition) => {
                    depth -= 1;
                }
                _ => {}
            }
        }
        blocks
    }
}

/// Where the Markdown begins, after front matter.
fn body_start(text: &str) -> usize {
    let fences = ["---\n", "+++\n"];
    let Some(fence) = fences.into_iter().find(|fence| text.starts_with(fence)) else {
        return 0;
    };
    let end = text[4..].find(&format!("\n{fence}"));
    end.map_or(0, |end| 4 + end + 1 + fence.len())
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let start = range.end - text[range.clone()].trim_start().len();
    start..start + text[start..range.end].trim_end().len()
}

/// The chunks that contain some of `block`.
fn holders(chunking: &Chunking<'_>, block: &Range<usize>) -> Vec<usize> {
    let own = chunking.chunks.iter().map(|chunk| &chunk.span.bytes);
    let holding = own
        .enumerate()
        .filter(|(_, own)| own.start < block.end && block.start < own.end);
    holding.map(|(chunk, _)| chunk).collect()
}

#[track_caller]
fn whole(text: &str, chunking: &Chunking<'_>, blocks: &[Range<usize>]) {
    for block in blocks {
        let holders = holders(chunking, block);
        assert_eq!(holders.len(), 1, "split:\n{}", &text[block.clone()]);
    }
}

#[track_caller]
fn headings_lead(text: &str, chunking: &Chunking<'_>, headings: &[Range<usize>]) {
    for heading in headings {
        let holder = holders(chunking, heading)[0];
        let start = chunking.chunks[holder].span.bytes.start;
        // A heading may follow one without content.
        let before = headings
            .iter()
            .rev()
            .filter(|other| other.end <= heading.start);
        let mut at = heading.start;
        for other in before.take_while(|other| other.start >= start) {
            assert_eq!(
                text[other.end..at].trim(),
                "",
                "before {:?}",
                &text[heading.clone()]
            );
            at = other.start;
        }
        assert_eq!(
            text[start..at].trim(),
            "",
            "before {:?}",
            &text[heading.clone()]
        );
    }
}

#[track_caller]
fn paragraphs_intact(text: &str, chunking: &Chunking<'_>, config: &Config, blocks: &Blocks) {
    for paragraph in &blocks.paragraphs {
        let holders = holders(chunking, paragraph);
        let text = &text[paragraph.clone()];
        // Counted in characters, four to a token: a size in tokens is rounded down.
        assert_eq!(config.unit, Unit::Tokens);
        let sizes = holders.iter().map(|holder| {
            let header = &chunking.chunks[*holder].context.header;
            header.chars().count() + text.chars().count()
        });
        let size = sizes.max().unwrap_or(0);
        assert!(
            holders.len() == 1 || size > 4 * config.max,
            "{size} characters with their context, split:\n{text}"
        );
    }
}

/// The characters that end a sentence, and those that begin a line of a list in a paragraph.
static SENTENCE_END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"[.!?…。！？．]["'”’)\]*_`>»」』）】]*\s*$"#).unwrap());
static MARKED_LINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^([|•>]|[-*+][ \t]|\d+[.)][ \t])").unwrap());

#[track_caller]
fn sentences_whole(text: &str, chunking: &Chunking<'_>, blocks: &Blocks) {
    for chunk in &chunking.chunks {
        let cut = chunk.span.bytes.start;
        let inside = |block: &Range<usize>| block.start < cut && cut < block.end;
        // Front matter and HTML do not consist of sentences.
        if cut < body_start(text) || blocks.html.iter().any(inside) {
            continue;
        }
        let line_start = text[..cut].trim_end_matches([' ', '\t']).ends_with('\n') || cut == 0;
        let marked = line_start && MARKED_LINE.is_match(&text[cut..]);
        let between = line_start && !blocks.paragraphs.iter().any(inside);
        assert!(
            between || marked || SENTENCE_END.is_match(&text[..cut]),
            "a sentence cut, {}, before:\n{}",
            chunk.cut.reason,
            chunk.text
        );
    }
}

#[track_caller]
fn only_what_is_kept_whole_exceeds_the_limit(chunking: &Chunking<'_>, config: &Config) {
    for chunk in &chunking.chunks {
        let reason = chunk.warnings.iter().find_map(|warning| match warning {
            Warning::Oversized { reason } => Some(*reason),
            _ => None,
        });
        let kept = [
            "a code block kept whole",
            "a table kept whole",
            "a sentence kept whole",
        ];
        match reason {
            Some(reason) => assert!(kept.contains(&reason), "{reason}"),
            None => assert!(chunk.size.total <= config.max, "{:?}", chunk.size),
        }
    }
}

/// Checks everything that applies to any memory file.
fn invariants(document: &Document<'_>, config: &Config) {
    let text = document.text();
    let chunking = kept(document, config);
    let blocks = Blocks::of(text);
    whole(text, &chunking, &blocks.code);
    whole(text, &chunking, &blocks.tables);
    headings_lead(text, &chunking, &blocks.headings);
    paragraphs_intact(text, &chunking, config, &blocks);
    sentences_whole(text, &chunking, &blocks);
    only_what_is_kept_whole_exceeds_the_limit(&chunking, config);
}

#[test]
fn criterion_1_code_blocks_are_never_split() {
    let mut code = 0;
    let mut oversized = 0;
    for document in memory_files() {
        let chunking = kept(&document, &memory());
        let blocks = Blocks::of(document.text());
        whole(document.text(), &chunking, &blocks.code);
        code += blocks.code.len();
        oversized += chunking.summary().oversized;
    }
    assert_eq!((code, oversized), (3, 1), "one is larger than the limit");
}

#[test]
fn criterion_2_headings_start_or_lead_chunks() {
    let counts = memory_files().map(|document| {
        let chunking = kept(&document, &memory());
        let blocks = Blocks::of(document.text());
        headings_lead(document.text(), &chunking, &blocks.headings);
        blocks.headings.len()
    });
    assert_eq!(counts, [8, 7, 14]);
}

#[test]
fn criterion_3_paragraphs_stay_intact_unless_too_large() {
    let mut split = 0;
    for document in memory_files() {
        let chunking = kept(&document, &memory());
        let blocks = Blocks::of(document.text());
        paragraphs_intact(document.text(), &chunking, &memory(), &blocks);
        sentences_whole(document.text(), &chunking, &blocks);
        let holders = blocks
            .paragraphs
            .iter()
            .map(|block| holders(&chunking, block));
        split += holders.filter(|holders| holders.len() > 1).count();
    }
    assert_eq!(split, 1, "one is larger than the limit");
}

#[test]
fn criterion_5_a_flag_selects_the_previous_packer() {
    for overlap in [0, 20, 80] {
        let config = memory_with(&format!(
            "semantic = false\noverlap = {overlap}\ncontext = \"none\""
        ));
        assert_eq!(config.strategy, Strategy::Naive);
        for document in memory_files() {
            let chunking = kept(&document, &config);
            let text = document.text();
            let chunks = chunking.chunks.iter().map(|chunk| {
                let start = chunk.overlap.as_ref().unwrap_or(&chunk.span).bytes.start;
                text[start..chunk.span.bytes.end].trim().to_string()
            });
            let chunks: Vec<_> = chunks.collect();
            assert_eq!(chunks, packed_before(text, 400, overlap));
        }
    }
}

/// The packer that the preset replaces: lines are collected up to the limit, at four characters per
/// token, and the last of them are repeated.
fn packed_before(text: &str, tokens: usize, overlap: usize) -> Vec<String> {
    let size = |line: &str| line.chars().count() + 1;
    let mut chunks = Vec::new();
    let mut gathered: Vec<&str> = Vec::new();
    for line in text.split('\n') {
        let so_far: usize = gathered.iter().map(|line| size(line)).sum();
        if so_far + size(line) > tokens * 4 && !gathered.is_empty() {
            chunks.push(gathered.join("\n").trim().to_string());
            let mut carried = 0;
            let mut first = gathered.len();
            while first > 0 && carried < overlap * 4 {
                first -= 1;
                carried += size(gathered[first]);
            }
            gathered.drain(..first);
        }
        gathered.push(line);
    }
    chunks.push(gathered.join("\n").trim().to_string());
    chunks
}

#[test]
fn criterion_6_memory_files_have_the_guarantees_of_the_preset() {
    for settings in [
        "",
        "overlap = 0",
        "per_entry = true",
        "tokens = 60\nmin_chunk_tokens = 5\noverlap = 15",
        "preserve_headers = false",
    ] {
        for document in memory_files() {
            invariants(&document, &memory_with(settings));
        }
    }
}

#[test]
fn criterion_6_memory_files_of_the_folder_in_excerpt_corpus_have_them_too() {
    let Some(folder) = std::env::var_os("EXCERPT_CORPUS") else {
        eprintln!("skipped: EXCERPT_CORPUS names no folder of memory files");
        return;
    };
    let mut files = Vec::new();
    collect(Path::new(&folder), &["md"], &mut files);
    assert!(!files.is_empty(), "no Markdown in {}", folder.display());
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        let document = Document::new(&text).with_path(file.to_str().unwrap());
        invariants(&document, &memory());
    }
}

#[test]
fn each_person_is_a_chunk() {
    let [.., people] = memory_files();
    let chunking = kept(&people, &memory());
    let names = chunking.chunks.iter().map(|chunk| chunk.breadcrumb());
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "People",
            "People > Nadia Marchetti",
            "People > Nadia Marchetti > Family",
            "People > Tomas",
            "People > Martin (with the moustache)",
            "People > Martin (the tall one)",
            "People > Martin (the one who sings)",
            "People > Joséphine Aubert",
            "People > 渡辺 さくら",
            "People > Dr. Okafor",
            "People > Pavel",
            "People > Pavel > What he has lent us",
            "People > Pavel > What we have lent him",
            "People > Nobody in particular",
        ]
    );
}

#[test]
fn every_chunk_of_a_daily_note_has_its_date() {
    let [_, daily, _] = memory_files();
    let chunking = kept(&daily, &memory());
    assert!(chunking.chunks.len() > 5);
    for chunk in &chunking.chunks {
        assert_eq!(chunk.dates, ["2026-01-31"], "{}", chunk.text);
    }
}

#[test]
fn a_block_knows_its_kind_and_its_language() {
    let [curated, daily, _] = memory_files();
    let kinds = |document: &Document<'_>| {
        let chunks = kept(
            document,
            &memory_with("tokens = 60\nmin_chunk_tokens = 5\noverlap = 0"),
        )
        .chunks;
        let kinds = chunks
            .into_iter()
            .map(|chunk| (chunk.kind, chunk.language.map(|l| l.to_string())));
        kinds.collect::<Vec<_>>()
    };
    let (curated, daily) = (kinds(&curated), kinds(&daily));
    assert!(
        curated.contains(&(Kind::Code, Some("python".to_string()))),
        "{curated:?}"
    );
    assert!(
        daily.contains(&(Kind::Code, Some("typescript".to_string()))),
        "{daily:?}"
    );
    for kind in [Kind::Table, Kind::Paragraph, Kind::Item] {
        assert!(
            curated.iter().chain(&daily).any(|(of, _)| *of == kind),
            "{kind}"
        );
    }
}

/// A text of about 150 tokens: two of them make a chunk, three do not.
fn sentences(of: &str) -> String {
    let sentence = format!("The {of} was written down on the day it was seen. ");
    sentence.repeat(600 / sentence.len()).trim_end().to_string()
}

#[test]
fn the_stronger_of_two_boundaries_is_split() {
    let (a, b, c) = (sentences("wren"), sentences("lark"), sentences("rook"));
    let cases = [
        (Strength::Rule, format!("{a}\n\n---\n\n{b}\n\n{c}\n"), 1),
        (Strength::Rule, format!("{a}\n\n{b}\n\n---\n\n{c}\n"), 2),
        (Strength::Block, format!("{a}\n\n- {b}\n- {c}\n"), 1),
        (Strength::Block, format!("- {a}\n- {b}\n\n{c}\n"), 2),
        (Strength::Block, format!("{a}\n\n```\n{b}\n```\n\n{c}\n"), 1),
        (Strength::Block, format!("```\n{a}\n```\n\n{b}\n\n{c}\n"), 2),
        (Strength::Block, format!("```\n{a}\n```\n{b}\n\n{c}\n"), 2),
        (Strength::Item, format!("- {a}\n- {b} {c}\n"), 1),
        (Strength::Item, format!("- {a} {b}\n- {c}\n"), 2),
        (Strength::Code, format!("```\n{a}\n```\n\n{b} {c}\n"), 1),
    ];
    let config = memory_with("overlap = 0");
    for (strength, text, place) in cases {
        let document = Document::new(&text).with_path("birds.md");
        let chunks = kept(&document, &config).chunks;
        let cuts: Vec<_> = chunks[1..].iter().map(|chunk| chunk.cut.strength).collect();
        assert_eq!(cuts, [strength], "{text}");
        let birds = ["wren", "lark", "rook"].map(|bird| chunks[0].text.contains(bird));
        assert_eq!(birds, [true, place == 2, false], "{text}");
    }
}

#[test]
fn a_sentence_over_the_limit_is_kept_whole() {
    let long = "which nobody had expected, ".repeat(70);
    let text =
        format!("# Notes\n\nIt rained. The river rose, {long}and stayed. Then the sun came out.\n");
    let chunking = kept(&Document::new(&text).with_path("notes.md"), &memory());
    let chunks: Vec<_> = chunking
        .chunks
        .iter()
        .filter(|chunk| chunk.text.contains("nobody"))
        .collect();
    assert_eq!(chunks.len(), 1);
    assert!(chunks[0].text.contains("The river rose") && chunks[0].text.contains("and stayed."));
    let reason = "a sentence kept whole";
    assert!(chunks[0].warnings.contains(&Warning::Oversized { reason }));
}

#[test]
fn criterion_6_the_markdown_of_the_dependencies_has_them_too() {
    let mut checked = 0;
    for file in dependency_files(&["md"]) {
        let Ok(text) = std::fs::read_to_string(&file) else {
            continue;
        };
        if text.len() < 200_000 {
            invariants(&Document::new(&text).with_path("notes.md"), &memory());
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} files");
}
