//! Measures: source code that is parsed by its grammar and split. There are three parts; each
//! result is a line of JSON:
//!
//! - `speed`: megabytes per CPU second on one thread, for each of Python, Rust and TypeScript:
//!   tree-sitter alone, excerpt up to the outline, excerpt up to the chunks, and text-splitter (its
//!   chunks as slices). All use the same grammars at the same versions. Rounds alternate, so that a
//!   disturbance affects all; the median round counts. `against_parse` is the speed relative to
//!   that of tree-sitter alone: the median over the rounds.
//! - `long`: one file of 10,000 lines and one of 2 MiB, for each of many languages: CPU
//!   milliseconds from text to chunks, and the peak memory on top of the text: ours, and that of
//!   the parser and its tree alone. Each runs in a separate process, so that none reuses memory of
//!   another. `first` is the first call, with the tables of the grammar still untouched, `median`
//!   that of the following calls.
//! - `parallel`: all files, on one thread and on as many as there are cores: seconds of wall-clock
//!   time. The machine must be idle.
//!
//! Corpus: the files of a list, read beforehand; `benches/sources` prints one for each language,
//! and they can be concatenated. The long files are our own samples of the languages, repeated. No
//! randomness.
//!
//! Command:
//! `for language in python rust typescript; do benches/sources $language /tmp/sources; done > /tmp/list && cargo run --release --bin code /tmp/list`;
//! a second argument names one part to run alone, a third one subject or language.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use excerpt_benches::{LIMIT, code_chunker, files, peak_memory, spread, timed};
use excerpt_chunk::{Document, Parser as _, Warning};
use excerpt_grammars::Grammars;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde_json::json;
use text_splitter::CodeSplitter;
use tree_sitter::{Language, Parser};

const ROUNDS: usize = 5;
/// The detail that the chunker passes to the parser of code: three quarters of the limit.
const DETAIL: usize = LIMIT * 3 / 4;
/// The argument of a process for one long file.
const ONE: &str = "one";
/// The argument of a process for the tree of one long file.
const TREE: &str = "tree";
const LINES: usize = 10_000;
const BYTES: usize = 2 << 20;

/// Each language with long files: its name, and the beginnings of lines that may occur only at the
/// top of a file, or once.
const LONG: [(&str, &[&str]); 26] = [
    ("rust", &[]),
    ("python", &[]),
    ("typescript", &[]),
    ("javascript", &[]),
    ("go", &["package "]),
    ("java", &["package ", "import "]),
    ("c", &[]),
    ("cpp", &[]),
    ("ruby", &[]),
    // After `?>` there is text until PHP begins again.
    ("php", &["declare(", "namespace "]),
    ("swift", &[]),
    // For a text in an annotation at the top level, the grammar scans everything that follows.
    ("kotlin", &["package ", "import ", "@Suppress"]),
    ("json", &[]),
    ("yaml", &[]),
    ("toml", &[]),
    ("html", &["<!DOCTYPE"]),
    ("csharp", &["using "]),
    ("bash", &[]),
    ("lua", &["return "]),
    ("scala", &["package "]),
    ("elixir", &[]),
    ("zig", &[]),
    ("sql", &[]),
    ("hcl", &[]),
    ("make", &[]),
    ("css", &[]),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (list, part, alone) = (arguments.next(), arguments.next(), arguments.next());
    if list.as_deref() == Some(ONE) {
        let language = part.expect("a language");
        return one(&language, alone.is_some());
    }
    if list.as_deref() == Some(TREE) {
        let language = part.expect("a language");
        return tree(&language, alone.is_some());
    }
    let wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    if wanted("speed") {
        speed(&files(), alone.as_deref());
    }
    if wanted("long") {
        let all = LONG.iter().map(|(language, _)| *language);
        for language in all.filter(|name| alone.as_deref().is_none_or(|alone| alone == *name)) {
            let program = std::env::current_exe().expect("a program has a path");
            for large in [&[][..], &["large"]] {
                for part in [TREE, ONE] {
                    let mut command = Command::new(&program);
                    let status = command.args([part, language]).args(large).status();
                    assert!(status.is_ok_and(|status| status.success()), "{language}");
                }
            }
        }
    }
    if wanted("parallel") {
        parallel(&files());
    }
}

type Cut<'a> = dyn Fn(&str, &str) -> usize + 'a;

fn speed(files: &[(PathBuf, String)], alone: Option<&str>) {
    let languages: [(&str, &str, Language); 3] = [
        ("python", "py", tree_sitter_python::LANGUAGE.into()),
        ("rust", "rs", tree_sitter_rust::LANGUAGE.into()),
        (
            "typescript",
            "ts",
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        ),
    ];
    let chunker = code_chunker();
    for (name, ending, language) in languages {
        let ends = |path: &Path| path.extension().is_some_and(|is| is == ending);
        let files: Vec<_> = files.iter().filter(|(path, _)| ends(path)).collect();
        let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
        if files.is_empty() {
            continue;
        }
        let mut parser = Parser::new();
        parser.set_language(&language).expect("the versions agree");
        let parser = RefCell::new(parser);
        let splitter = CodeSplitter::new(language, LIMIT).expect("the versions agree");
        let mut subjects: Vec<(&str, Box<Cut<'_>>)> = vec![
            (
                "tree-sitter alone",
                Box::new(|_, text| {
                    let tree = parser.borrow_mut().parse(text, None);
                    tree.expect("nothing stops it")
                        .root_node()
                        .descendant_count()
                }),
            ),
            (
                "excerpt, outline",
                Box::new(|path, text| {
                    let document = Document::new(text).with_path(path);
                    Grammars.parse(&document, DETAIL).nodes().len()
                }),
            ),
            (
                "excerpt",
                Box::new(|path, text| {
                    let document = Document::new(text).with_path(path);
                    chunker.chunk(&document).chunks.len()
                }),
            ),
            (
                "text-splitter",
                Box::new(|_, text| splitter.chunks(text).count()),
            ),
        ];
        subjects.retain(|(subject, _)| alone.is_none_or(|alone| alone == *subject));
        let mut times = vec![Vec::new(); subjects.len()];
        let mut pieces = vec![0; subjects.len()];
        for _ in 0..ROUNDS {
            for (index, (_, cut)) in subjects.iter().enumerate() {
                let (count, time) = timed(|| {
                    let counts = files.iter();
                    let counts = counts.map(|(path, text)| cut(path.to_str().unwrap_or(""), text));
                    counts.sum::<usize>()
                });
                times[index].push(time);
                pieces[index] = count;
            }
        }
        for (index, (subject, _)) in subjects.iter().enumerate() {
            let [median, slowest, fastest] =
                spread(&times[index]).map(|time| (bytes as f64 / 1e4 / time).round() / 100.0);
            let mut shares: Vec<f64> = times[0]
                .iter()
                .zip(&times[index])
                .map(|(parse, own)| parse.as_secs_f64() / own.as_secs_f64())
                .collect();
            shares.sort_by(f64::total_cmp);
            let line = json!({
                "part": "speed",
                "language": name,
                "subject": subject,
                "files": files.len(),
                "megabytes": bytes as f64 / 1e6,
                "rounds": ROUNDS,
                "pieces": pieces[index],
                "megabytes_per_cpu_second": median,
                "slowest_and_fastest_round": [slowest, fastest],
                "against_parse": alone.is_none().then(|| (shares[ROUNDS / 2] * 1000.0).round() / 1000.0),
            });
            println!("{line}");
        }
    }
}

/// Splits one long file repeatedly.
fn one(language: &str, large: bool) {
    let (path, text) = long(language, large);
    let chunker = code_chunker();
    let document = Document::new(&text).with_path(&path);
    peak_memory();
    let before = peak_memory();
    let (chunking, first) = timed(|| chunker.chunk(&document));
    let memory = peak_memory().saturating_sub(before);
    let fallbacks: Vec<_> = chunking
        .warnings
        .iter()
        .filter(|warning| matches!(warning, Warning::Fallback(_)))
        .collect();
    let times: Vec<_> = (0..ROUNDS)
        .map(|_| timed(|| chunker.chunk(&document).chunks.len()).1)
        .collect();
    let [median, slowest, fastest] = spread(&times).map(|time| (time * 10_000.0).round() / 10.0);
    let line = json!({
        "part": "long",
        "language": language,
        "lines": text.lines().count(),
        "bytes": text.len(),
        "chunks": chunking.chunks.len(),
        "fallbacks": fallbacks,
        "cpu_milliseconds": {
            "first": (first.as_secs_f64() * 10_000.0).round() / 10.0,
            "median": median,
            "slowest_and_fastest": [slowest, fastest],
        },
        "megabytes_beside_the_text": memory as f64 / 1e6,
    });
    println!("{line}");
}

/// Parses one long file and keeps its tree.
fn tree(language: &str, large: bool) {
    let (_, text) = long(language, large);
    let mut parser = Parser::new();
    let set = parser.set_language(&grammar(language));
    set.expect("the versions agree");
    peak_memory();
    let before = peak_memory();
    let tree = parser.parse(&text, None).expect("nothing stops it");
    let memory = peak_memory().saturating_sub(before);
    let line = json!({
        "part": "long, tree-sitter alone",
        "language": language,
        "bytes": text.len(),
        "nodes": tree.root_node().descendant_count(),
        "megabytes_beside_the_text": memory as f64 / 1e6,
    });
    println!("{line}");
}

/// The grammar of a language with long files.
fn grammar(language: &str) -> Language {
    match language {
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "javascript" => tree_sitter_javascript::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "ruby" => tree_sitter_ruby::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "swift" => tree_sitter_swift::LANGUAGE.into(),
        "kotlin" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "json" => tree_sitter_json::LANGUAGE.into(),
        "yaml" => tree_sitter_yaml::LANGUAGE.into(),
        "toml" => tree_sitter_toml_ng::LANGUAGE.into(),
        "html" => tree_sitter_html::LANGUAGE.into(),
        "csharp" => tree_sitter_c_sharp::LANGUAGE.into(),
        "bash" => tree_sitter_bash::LANGUAGE.into(),
        "lua" => tree_sitter_lua::LANGUAGE.into(),
        "scala" => tree_sitter_scala::LANGUAGE.into(),
        "elixir" => tree_sitter_elixir::LANGUAGE.into(),
        "zig" => tree_sitter_zig::LANGUAGE.into(),
        "sql" => tree_sitter_sequel::LANGUAGE.into(),
        "hcl" => tree_sitter_hcl::LANGUAGE.into(),
        "make" => tree_sitter_make::LANGUAGE.into(),
        "css" => tree_sitter_css::LANGUAGE.into(),
        other => panic!("{other} is listed without a grammar"),
    }
}

/// The sample of a language, repeated up to the number of lines or bytes, and a path for it.
fn long(language: &str, large: bool) -> (String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/excerpt-grammars/languages")
        .join(language);
    let entries = std::fs::read_dir(&folder).expect("a language has a folder");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let is_sample = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case("sample"))
            && path.extension().is_some_and(|ending| ending != "snap")
    };
    let path = paths.into_iter().find(is_sample).expect("it has a sample");
    let sample = std::fs::read_to_string(&path).expect("it can be read");
    let heads = LONG.iter().find(|(name, _)| *name == language);
    let heads = heads.map_or(&[][..], |(_, heads)| heads);
    let sample = without_broken(&sample);
    let further = sample
        .lines()
        .filter(|line| !heads.iter().any(|head| line.starts_with(head)));
    let further: String = further.flat_map(|line| [line, "\n"]).collect();
    // Two values in a row are not valid JSON.
    let (open, between, close) = match language {
        "json" => ("[\n", ",\n\n", "\n]\n"),
        _ => ("", "\n\n", ""),
    };
    let per_copy = further.lines().count() + 1;
    let copies = if large {
        BYTES.div_ceil(further.len() + between.len())
    } else {
        LINES.div_ceil(per_copy)
    };
    let mut text = format!("{open}{}", sample.trim_end());
    for _ in 1..copies {
        text += between;
        text += further.trim_end();
    }
    text += close;
    let path = path.to_str().unwrap_or_default().to_string();
    (path, text)
}

/// A sample without its intentionally broken item: long files are valid.
fn without_broken(sample: &str) -> String {
    let mut kept = String::new();
    let mut inside = None;
    for line in sample.lines() {
        let indent = line.len() - line.trim_start().len();
        if let Some(outer) = inside {
            let closes = ["}", "end"].contains(&line.trim());
            if indent > outer || line.trim().is_empty() || closes && indent == outer {
                if closes && indent == outer {
                    inside = None;
                }
                continue;
            }
            inside = None;
        }
        if line.to_lowercase().contains("broken") {
            inside = Some(indent);
            continue;
        }
        kept.extend([line, "\n"]);
    }
    kept
}

fn parallel(files: &[(PathBuf, String)]) {
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let chunker = code_chunker();
    let pools = [1, cores].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be started")
    });
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (pool, times) in pools.iter().zip(&mut times) {
            let start = Instant::now();
            let chunks: usize = pool.install(|| {
                let counts = files.par_iter().map(|(path, text)| {
                    let document = Document::new(text).with_path(path.to_str().unwrap_or(""));
                    chunker.chunk(&document).chunks.len()
                });
                counts.sum()
            });
            assert!(chunks > 0);
            times.push(start.elapsed());
        }
    }
    let [one, all] = [&times[0], &times[1]].map(|times| spread(times));
    let line = json!({
        "part": "parallel",
        "files": files.len(),
        "megabytes": bytes as f64 / 1e6,
        "rounds": ROUNDS,
        "threads": [1, cores],
        "seconds": [one[0], all[0]],
        "fastest_seconds": [one[2], all[2]],
        "times_one_thread": (one[0] / all[0] * 100.0).round() / 100.0,
        "times_one_thread_in_the_fastest": (one[2] / all[2] * 100.0).round() / 100.0,
    });
    println!("{line}");
}
