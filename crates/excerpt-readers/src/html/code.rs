//! Blocks of code: what is in them, and in which language.

use super::page::{Page, Surroundings};
use super::tree::{Attribute, Tag};

/// Languages that a class names without saying that it does.
const LANGUAGES: &[&str] = &[
    "asm",
    "bash",
    "c",
    "c++",
    "clojure",
    "console",
    "cpp",
    "cs",
    "csharp",
    "css",
    "cython",
    "dart",
    "diff",
    "docker",
    "dockerfile",
    "elixir",
    "erlang",
    "go",
    "graphql",
    "groovy",
    "haskell",
    "html",
    "http",
    "ini",
    "java",
    "javascript",
    "js",
    "json",
    "jsx",
    "julia",
    "kotlin",
    "latex",
    "lisp",
    "lua",
    "make",
    "makefile",
    "markdown",
    "nginx",
    "objc",
    "ocaml",
    "perl",
    "php",
    "powershell",
    "python",
    "python3",
    "r",
    "ruby",
    "rust",
    "scala",
    "scheme",
    "shell",
    "sh",
    "sql",
    "swift",
    "tcl",
    "toml",
    "ts",
    "tsx",
    "typescript",
    "vim",
    "xml",
    "yaml",
    "zig",
];

/// What a class has before the name of a language.
const PREFIXES: &[&str] = &[
    "language-",
    "lang-",
    "highlight-source-",
    "highlight-text-",
    "highlight-",
    "src-",
    "code-",
    "brush:",
];

/// The language of a block of code, by its classes, those of the code in it, and those around it.
pub(super) fn language(
    page: &Page,
    at: usize,
    around: impl Iterator<Item = usize>,
) -> Option<String> {
    let tree = &page.tree;
    let inside = (at + 1..at + 3).find(|inside| {
        tree.nodes
            .get(*inside)
            .is_some_and(|node| node.tag == Some(Tag::Code))
    });
    let own = inside.into_iter().chain([at]);
    own.chain(around).find_map(|at| {
        let named = tree.attribute(at, Attribute::DataLang);
        let named = named.or(tree.attribute(at, Attribute::DataLanguage));
        let named = named.and_then(word);
        let classes = || tree.classes(at);
        let prefixed = |class: &str| {
            let name = PREFIXES
                .iter()
                .find_map(|prefix| class.strip_prefix(prefix))?;
            word(name)
        };
        let named = named.or_else(|| classes().find_map(prefixed));
        named.or_else(|| {
            let known = |class: &&str| {
                LANGUAGES
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(class))
            };
            let is_code = matches!(tree.nodes[at].tag, Some(Tag::Pre | Tag::Code));
            let is_source = is_code || classes().any(|class| class == "sourceCode");
            let class = classes().find(known).filter(|_| is_source)?;
            word(class)
        })
    })
}

/// The name of a language as a fence has it.
fn word(name: &str) -> Option<String> {
    let name = name.trim().trim_end_matches(';').to_ascii_lowercase();
    let is_word = |c: char| c.is_ascii_alphanumeric() || "+#-_.".contains(c);
    let is_name = (1..=24).contains(&name.len()) && name.chars().all(is_word);
    let is_none = matches!(
        &*name,
        "default"
            | "none"
            | "plain"
            | "plaintext"
            | "nohighlight"
            | "notranslate"
            | "block"
            | "wrapper"
            | "container"
            | "source"
            | "snippet"
            | "example"
            | "unknown"
            | "auto"
    );
    (is_name && !is_none).then_some(name)
}

/// The lines of a block of code.
pub(super) fn code_of(page: &Page, at: usize) -> String {
    let tree = &page.tree;
    let end = tree.nodes[at].end;
    let mut code = String::new();
    let mut blocks: Vec<usize> = Vec::new();
    let mut next = at + 1;
    // A block begins and ends a line.
    let line = |code: &mut String| {
        if !code.is_empty() && !code.ends_with('\n') {
            code.push('\n');
        }
    };
    // Between two of them, there is only the layout of the page.
    let mut is_between = false;
    while next < end {
        while blocks.last().is_some_and(|end| *end <= next) {
            blocks.pop();
            line(&mut code);
            is_between = true;
        }
        let node = tree.nodes[next];
        if page.is_left_out(next, Surroundings::Text) {
            next = node.end;
            continue;
        }
        match node.tag {
            None if is_between && tree.text(next).trim().is_empty() => (),
            None => {
                let seen = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
                let text = tree.text(next).chars().filter(seen);
                code.extend(text.map(|c| if c == '\u{a0}' { ' ' } else { c }));
            }
            Some(Tag::Br) => code.push('\n'),
            Some(tag) if tag.is_block() => {
                line(&mut code);
                blocks.push(node.end);
            }
            Some(_) => (),
        }
        is_between &= node.tag.is_none() && tree.text(next).trim().is_empty();
        next += 1;
    }
    code
}
