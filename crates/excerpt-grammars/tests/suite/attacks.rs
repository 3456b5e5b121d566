//! Texts that are meant to take much memory or time, in every language. The peak memory on top of
//! the text while it is split is measured and bounded.
//!
//! Each attack repeats one pattern. The tests use texts of 16 kB, and 256 kB for the first pattern
//! of each class. `EXCERPT_ATTACK_BYTES` sets another size for all of them,
//! `EXCERPT_ATTACK_LANGUAGE` one language, and `EXCERPT_ATTACK_REPORT` prints each measurement
//! (`cargo nextest run -p excerpt-grammars attacks --no-capture`).

use excerpt_chunk::{Document, Preset, Unit};
use excerpt_grammars::{chunker, languages};

use crate::usage::{Peak, processor_seconds};

/// The maximum memory for splitting on top of the text, in bytes.
const MOST: usize = 160_000_000;

/// The patterns, by class.
const ATTACKS: &[(&str, &[&str])] = &[
    (
        "assignments without a value",
        &["a=>", "a = ", "a := ", "a=="],
    ),
    (
        "literals that never close",
        &["%w(", "%{", "`${", "\"#{", "$((", "r#\"", "'''"],
    ),
    (
        "arguments of a type that never close",
        &["a<", "<<A", "A<B,", "a::<"],
    ),
    (
        "elements that never close",
        &["<div>", "<p>", "<a b", "<![CDATA[", "<x:y>", "<table><tr>"],
    ),
    ("elements that never opened", &["</div>", "</", "/>"]),
    (
        "comments that never close",
        &["/*", "<!--", "{-", "(*", "=begin\n", "--[["],
    ),
    ("here-documents", &["<<A\n", "<<~A, ", "<<<A\n"]),
    (
        "brackets that never close",
        &["(", "[", "{", "[[", "({[", "{{"],
    ),
    (
        "brackets that never opened",
        &[")", "]", "}", "};", "end ", "fi;"],
    ),
    (
        "brackets and commas",
        &["(,", "[,", "{,", "(a,", "{a:", "{\"a\":"],
    ),
    (
        "blocks in blocks",
        &[
            "if (a) {",
            "fn f() {",
            "class A {",
            "do ",
            "begin ",
            "for a in b {",
            "while (a) ",
        ],
    ),
    (
        "functions in functions",
        &[
            "((a) => ",
            "a => ",
            "\\a -> ",
            "|a| ",
            "function(",
            "lambda a: ",
        ],
    ),
    (
        "calls in calls",
        &["a(", "a.b(", "f x ", "a.", "a->", "a::", "a[", "!a("],
    ),
    (
        "operators",
        &[
            "/-", "+*", "a+", "a ** ", "!", "~", "a?b:", "a ? ", "&", "a and ",
        ],
    ),
    (
        "names and commas",
        &["a, ", "a b ", "a;", "a: ", "@a ", "#a ", "a\n", "a:\n"],
    ),
    (
        "cases",
        &[
            "case a:",
            "when a ",
            "elif a:\n",
            "else ",
            "else if ",
            "| A -> ",
        ],
    ),
    (
        "declarations",
        &[
            "let a ",
            "int a",
            "type A = ",
            "a: b",
            "public ",
            "unsigned ",
            "template<",
            "typedef ",
            "fun <T> ",
        ],
    ),
    (
        "directives",
        &[
            "#if a\n",
            "#define a\\\n",
            "#pragma ",
            "use a::{",
            "import a.",
            "@media a{",
        ],
    ),
    (
        "list items and keys",
        &[
            "- ", "? ", "- - a\n", "a: - ", "&a *a ", "[a]\n", "a.b.c=", "<<: *a\n",
        ],
    ),
    (
        "quotes and escapes",
        &["\"", "'", "`", "\\", "$", "\"\\", "'\"", "${", "\"$a"],
    ),
    (
        "blocks of Markdown",
        &[
            "-\n",
            "- a\n",
            "- - a\n",
            "- - - - - a\n",
            ">\n",
            "> - a\n",
            "1.\n",
            "# a\n",
            "***\n",
            "a\n\n",
            "[^1]: a\n",
            "[a]: b\n",
            "|a|\n|-|\n",
            "<a>\n\n",
            "```\n",
            "a\n=\n",
            "- [ ] a\n",
            "#\n",
            "*a _b ",
            "![a](b)",
            "`a` ",
        ],
    ),
    (
        "characters of odd kinds",
        &["\0", "\u{feff}", "\r", "é", "\u{2028}", "👩‍👩‍👧‍👦", "\u{301}"],
    ),
];

/// Lines nested by indentation as well.
fn stairs(size: usize) -> String {
    let mut text = String::new();
    let mut depth = 0;
    while text.len() < size {
        text += &" ".repeat(depth % 150);
        text += "if a:\n";
        depth += 1;
    }
    text
}

fn repeated(pattern: &str, size: usize) -> String {
    pattern.repeat(size / pattern.len())
}

const SMALL: usize = 16 << 10;
const LARGE: usize = 256 << 10;

/// The size that is set instead of those of the tests.
fn asked_for() -> Option<usize> {
    let size = std::env::var("EXCERPT_ATTACK_BYTES").ok()?;
    Some(size.parse().unwrap())
}

/// Splits `text` in every language, and as Markdown and prose.
#[expect(clippy::print_stdout, reason = "a report that was asked for")]
fn bounded(pattern: &str, text: &str) {
    let chunker = chunker(Preset::Auto.config(Unit::Tokens)).unwrap();
    let report = std::env::var_os("EXCERPT_ATTACK_REPORT").is_some();
    let only = std::env::var("EXCERPT_ATTACK_LANGUAGE").ok();
    let all = languages().chain(["markdown", "text"]);
    for language in all.filter(|language| only.as_deref().is_none_or(|only| only == *language)) {
        let peak = Peak::begin();
        let begun = processor_seconds();
        let document = match language {
            "markdown" => Document::new(text).with_path("a.md"),
            "text" => Document::new(text).with_path("a.txt"),
            language => Document::new(text).with_language(language),
        };
        let chunking = chunker.chunk(&document);
        let taken = peak.taken();
        let chunks = chunking.chunks.len();
        if report {
            let seconds = processor_seconds().unwrap_or(0.0) - begun.unwrap_or(0.0);
            let (size, taken) = (text.len(), taken.unwrap_or(0) as f64 / 1e6);
            println!(
                "{seconds:8.3} s {taken:8.1} MB {size:8} {language:12} {pattern:?} {chunks} {:?}",
                chunking.warnings.first()
            );
        }
        if let Some(taken) = taken {
            assert!(taken <= MOST, "{taken} bytes for {pattern:?} in {language}");
        }
    }
}

fn all_of(class: &str) {
    let (_, patterns) = ATTACKS.iter().find(|(name, _)| *name == class).unwrap();
    for pattern in *patterns {
        bounded(pattern, &repeated(pattern, asked_for().unwrap_or(SMALL)));
    }
    if asked_for().is_none() {
        bounded(patterns[0], &repeated(patterns[0], LARGE));
    }
}

/// A separate test for each class, so that they run in parallel.
macro_rules! attacks {
    ($($name:ident: $class:literal,)*) => {
        $(
            #[test]
            fn $name() {
                all_of($class);
            }
        )*

        #[test]
        fn every_class_is_a_test() {
            let tested = [$($class),*];
            let named: Vec<&str> = ATTACKS.iter().map(|(name, _)| *name).collect();
            assert_eq!(tested[..], named[..]);
        }
    };
}

attacks! {
    assignments_without_a_value: "assignments without a value",
    literals_that_never_close: "literals that never close",
    arguments_of_a_type_that_never_close: "arguments of a type that never close",
    elements_that_never_close: "elements that never close",
    elements_that_never_opened: "elements that never opened",
    comments_that_never_close: "comments that never close",
    here_documents: "here-documents",
    brackets_that_never_close: "brackets that never close",
    brackets_that_never_opened: "brackets that never opened",
    brackets_and_commas: "brackets and commas",
    blocks_in_blocks: "blocks in blocks",
    functions_in_functions: "functions in functions",
    calls_in_calls: "calls in calls",
    operators: "operators",
    names_and_commas: "names and commas",
    cases: "cases",
    declarations: "declarations",
    directives: "directives",
    list_items_and_keys: "list items and keys",
    quotes_and_escapes: "quotes and escapes",
    blocks_of_markdown: "blocks of Markdown",
    characters_of_odd_kinds: "characters of odd kinds",
}

#[test]
fn lines_nested_by_indentation() {
    bounded("stairs", &stairs(asked_for().unwrap_or(LARGE)));
}

/// A pattern that closes as often as it opens results in a tree as deep as the text is long.
#[test]
fn nests_that_close() {
    let size = asked_for().unwrap_or(SMALL);
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("{\"a\":", "}"),
        ("<div>", "</div>"),
        ("if (a) {", "}"),
        ("a(", ")"),
        ("<a>", "</a>"),
        ("begin ", "end "),
    ] {
        let depth = size / (open.len() + close.len());
        bounded(open, &(open.repeat(depth) + &close.repeat(depth)));
    }
}
