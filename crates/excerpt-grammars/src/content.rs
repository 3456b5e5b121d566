//! Detects the language of a text without a name from the text alone. Prose must never pass for
//! source code, so a language needs two kinds of evidence: lines that occur in no prose, and hardly
//! any unindented line that it could not have.

use std::collections::HashSet;
use std::sync::LazyLock;

use excerpt_chunk::is_fence;
use regex::{Regex, RegexSet};

/// How much of a text is looked at, in bytes.
const LOOKED_AT: usize = 64 << 10;
/// How much the lines of a text that occur in no prose must weigh together.
const ENOUGH: usize = 3;
/// How often a line of one pattern counts.
const AT_MOST: usize = 2;
/// How many unindented lines must be explained for each one that is not.
const EXPLAINED: usize = 10;

/// A language that looks like `base`, but has lines that match `line`.
struct Dialect {
    language: &'static str,
    base: &'static str,
    line: &'static str,
}

/// What the text of a language looks like. Patterns are matched with single lines.
struct Look {
    language: &'static str,
    /// The start of a comment that ends with its line.
    line_comment: &'static str,
    /// The marks around a comment or a text of several lines.
    blocks: &'static [(&'static str, &'static str)],
    /// Patterns that prose never or rarely contains, with weights.
    marks: &'static [(usize, &'static str)],
    /// The start or the end of other lines.
    others: &'static [&'static str],
    /// What occurs in a similar language alone.
    never: &'static [&'static str],
    /// Languages that differ from this one only in such lines.
    dialects: &'static [Dialect],
}

/// The lines of languages with braces and semicolons.
const BRACES: &str = r"^[\])}>]|[;{}(\[,]$|^(else|case|default|catch|finally)\b|^#";
const C_COMMENT: (&str, &str) = ("/*", "*/");

const LOOKS: &[Look] = &[
    Look {
        language: "rust",
        line_comment: "//",
        blocks: &[C_COMMENT],
        marks: &[
            (
                3,
                r#"^(pub(\([a-z: ]+\))? )?(const |async |unsafe |extern "C" )*fn [a-z_][a-z0-9_]*(<.*>)?\((.*\)( -> .+)?( where .*)?( \{.*)?|.*[,(])?$"#,
            ),
            (3, r"^(unsafe )?impl(<.*>)? [A-Za-z&(].*\{\}?$"),
            (
                3,
                r"^pub(\([a-z: ]+\))? (struct|enum|trait|union|mod|const|static|type) [A-Za-z_][A-Za-z0-9_]*.*[{};(]$",
            ),
            (3, r"^(pub )?use [a-z_][a-z0-9_]*::.+[;{,]$"),
            (3, r"^#!?\[[a-z_:]+(\(.*\))?\]$"),
            (3, r"^macro_rules! [a-z_]+ [{(]$"),
            (3, r"^extern crate [a-z_0-9]+;$"),
            (
                1,
                r"^(struct|enum|trait|mod) [A-Za-z_][A-Za-z0-9_]*.*[{};]$",
            ),
            (1, r"^let (mut )?[a-z_].* = .+;$"),
            (1, r"^(const|static) [A-Z_0-9]+: .+;$"),
        ],
        others: &[BRACES, "^where$"],
        never: &[r"@import\("],
        dialects: &[],
    },
    Look {
        language: "python",
        line_comment: "#",
        blocks: &[(r#"""""#, r#"""""#), ("'''", "'''")],
        marks: &[
            (
                3,
                r"^(async )?def [A-Za-z_][A-Za-z0-9_]*\((.*\).*:.*|.*[(,])?$",
            ),
            (3, r"^class [A-Za-z_][A-Za-z0-9_]*(\(.*\))?:( *#.*)?$"),
            (3, r"^if __name__ == "),
            (
                2,
                r"^from [A-Za-z0-9_.]+ import [A-Za-z0-9_*(][A-Za-z0-9_, ()*]*( *#.*)?$",
            ),
            (1, r"^import [a-z_][A-Za-z0-9_.]*( as [a-z_]+)?$"),
            (1, r"^print\(.*\)$"),
            (1, r"^@[a-z_][A-Za-z0-9_.]*(\(.*\)?)?$"),
        ],
        others: &[
            r"^(if|for|while|with|try|except|elif|else|finally|match)\b.*:( *#.*)?$",
            r"^[A-Za-z_][A-Za-z0-9_.]*(\[.+\])?(, [A-Za-z_][A-Za-z0-9_.]*)*(: .+)? [-+*/|&]?= ?.",
            r"^[A-Za-z_][A-Za-z0-9_.]*\(",
            r#"^([rbfRBF]?["']|[)\]}])"#,
            r"^(return|raise|pass|assert|del|global|yield|await|import|from)\b",
        ],
        never: &[
            "^end$",
            r"^(var|let|const|val|func|fun|function|local|object|using|namespace) |^\{$",
        ],
        dialects: &[],
    },
    Look {
        language: "go",
        line_comment: "//",
        blocks: &[C_COMMENT],
        marks: &[
            (2, r"^package [a-z][a-z0-9_]*$"),
            (
                3,
                r"^func \([a-z_][A-Za-z0-9_]* \*?[A-Za-z_]\w*(\[.*\])?\) [A-Za-z]\w*\(",
            ),
            (
                3,
                r"^func [A-Za-z]\w*\([a-z]\w*(, [a-z]\w*)* [*\[\]A-Za-z0-9_.]+[^:>]*\{\}?$",
            ),
            (1, r"^func [A-Za-z]\w*(\[.+\])?\([^:>]*(\{|,|\(|\})$"),
            (3, r"^type [A-Za-z]\w*(\[.*\])? (struct|interface) ?\{\}?$"),
            (2, r"^import \($"),
            (1, r#"^import ([a-z_.]+ )?"[^"]+"$"#),
            (1, r"^(var|const) (\(|[A-Za-z]\w* .*)$"),
            (1, r"^\t+[a-z]\w*(, [a-z_]\w*)* := "),
        ],
        others: &[BRACES, "^type "],
        never: &["^(import Foundation|import UIKit)"],
        dialects: &[],
    },
    Look {
        language: "java",
        line_comment: "//",
        blocks: &[C_COMMENT],
        marks: &[
            (2, r"^package [a-z]\w*(\.\w+)*;$"),
            (2, r"^import (static )?[a-z]\w*(\.[A-Za-z0-9_*]+)+;$"),
            (
                2,
                r"^public (abstract |final |sealed |static )*(class|interface|enum|record|@interface) [A-Z]\w*.*[{)}]?$",
            ),
            (
                1,
                r"^(abstract |final )*(class|interface|enum|record) [A-Z]\w*.*\{\}?$",
            ),
            (3, r"\bpublic static void main\(String"),
            (2, r"\bSystem\.(out|err)\.print"),
            (
                2,
                r"^\s*@(Override|Test|Autowired|Inject|Deprecated|SuppressWarnings)\b",
            ),
            (
                1,
                r"^\s+(public|private|protected) (static |final |abstract |synchronized )*[A-Za-z0-9_<>\[\], .?]+ \w+\(.*[{,(;]$",
            ),
            (
                1,
                r"^\s+(private|protected) (static |final )*[A-Za-z0-9_<>\[\]]+ \w+( = .*)?;$",
            ),
        ],
        others: &[BRACES, "^@", "^(public|private|protected) "],
        never: &[
            "^(using|namespace|module|extension) ",
            r"^import (std\.|[A-Z][A-Za-z]*$)",
            r"\b(func|fun|def) [a-z`<]|^\s*(public |private |static |override |lazy )*(let|val) ",
            r"\{ get;",
            r"^\s+(public |private |protected |internal |static |readonly )*(string|bool|decimal|object)\b[?\[\]]* \w+",
        ],
        dialects: &[],
    },
    Look {
        language: "javascript",
        line_comment: "//",
        blocks: &[C_COMMENT],
        marks: &[
            (
                3,
                r#"^import (type )?[A-Za-z_$*{][A-Za-z0-9_$*{}, ]* from ["'][^"']+["'];?$"#,
            ),
            (2, r"^import (type )?\{$"),
            (
                3,
                r#"^(const|let|var) [A-Za-z0-9_$\{\}, ]+ = require\(["']"#,
            ),
            (3, r"^module\.exports\b"),
            (
                3,
                r"^export (default )?(async )?function\*? ?[A-Za-z0-9_$]*[(<]",
            ),
            (3, r"^export (default )?(abstract )?class [A-Za-z_$].*\{$"),
            (3, r"^export (declare )?(const|let|var) [A-Za-z_$\[{].* = "),
            (
                3,
                r"^export (declare )?((const )?enum|interface) [A-Za-z_].*\{$",
            ),
            (3, r"^export (declare )?type [A-Za-z_]\w*(<.*>)? ="),
            (3, r#"^export (\*|\{.*\}) from ["']"#),
            (
                2,
                r"^(async )?function\*? [A-Za-z_$][A-Za-z0-9_$]*(<.*>)?\([A-Za-z_{\[].*\).*\{$",
            ),
            (1, r"^(async )?function\*? [A-Za-z_$][A-Za-z0-9_$]*\(\) \{$"),
            (
                1,
                r"^(const|let) [A-Za-z_$][A-Za-z0-9_$]*(: .+)? = .*[;{(\[]$",
            ),
            (2, r"^(const|let) [A-Za-z_$][A-Za-z0-9_$]*(: .+)? = .*=> "),
            (2, r"\bconsole\.(log|error)\("),
            (
                2,
                r"^(declare )?interface [A-Z]\w*(<.*>)?( extends .+)? \{\}?$",
            ),
            (2, r"^(declare )?type [A-Z]\w*(<.*>)? ="),
            (2, r"^(const|let) [A-Za-z_$]\w*: .+ ="),
            (
                3,
                r"^(async )?function [A-Za-z_$]\w*(<.*>)?\(.*\w\??: [A-Za-z\[{(].*\{$",
            ),
            (
                1,
                r"^\s+[A-Za-z_]\w*\??: (string|number|boolean|unknown|void|any)(\[\])?[;,]?$",
            ),
            (1, r"^(abstract )?class [A-Z]\w*.*\{$"),
        ],
        others: &[
            BRACES,
            r"^['\x22]use strict['\x22]",
            "^@",
            "^(export|import|return|type) ",
        ],
        never: &[
            r"!$",
            r"^(type|input|schema|scalar|union|extend|package|module|struct|fn|def|local|namespace|using) ?[A-Za-z_]*( implements .*)?[{;]?$",
            "^(public|private|protected) ",
            r"^import [a-z.]+;$",
            r"^(fi|done|then)$",
            r"@import\(",
            r"^(pub |async )*fn [a-z]|^(pub )?(mod|use) ",
        ],
        dialects: &[
            Dialect {
                language: "typescript",
                base: "javascript",
                line: r"^(export )?(declare )?(interface [A-Z]|type [A-Z]\w*(<.*>)? =|(const |declare )?enum [A-Z])|\): [A-Za-z][A-Za-z0-9_<>\[\]| .]* (\{|=>)|^(export )?(const|let) [A-Za-z_$]\w*: |^import type |\(([A-Za-z_]\w*: [^,)]+, )*[A-Za-z_]\w*\??: (string|number|boolean|unknown|any|[A-Z])|^\s+(private|public|protected|readonly) |^\s+[A-Za-z_]\w*\??: (string|number|boolean|unknown|void|any)(\[\])?;?$| as const\b",
            },
            Dialect {
                language: "tsx",
                base: "typescript",
                line: r"^\s*(return )?\(?</?[A-Za-z][A-Za-z0-9_.]*( .*)?/?>$|^\s*/>|</[A-Za-z.]+>",
            },
        ],
    },
    Look {
        language: "c",
        line_comment: "//",
        blocks: &[C_COMMENT],
        marks: &[
            (2, r#"^#\s*include\s*[<"][A-Za-z0-9_./+-]+[>"]"#),
            (
                1,
                r"^#\s*(define [A-Za-z_]\w*|ifdef \w+|ifndef \w+|endif|pragma once)",
            ),
            (3, r"^int main\("),
            (
                2,
                r"^(static |extern |inline |const |unsigned )*(void|int|char|double|float|long|short|size_t|bool|u?int[0-9]+_t|struct [a-z_]\w*)[ *]+[a-z_]\w*\(.*[{,;)(]?$",
            ),
            (2, r"^typedef (struct|enum|union|[a-z_]\w*).*[{;]$"),
            (
                1,
                r"^(static |const |extern )*(struct|union|enum) [a-z_]\w* \{$",
            ),
        ],
        others: &[
            BRACES,
            r"^[a-z_]\w*:$",
            r"^(static|extern|inline|const|struct|union|enum|unsigned|void|int|char) ",
            r"\)$",
            r"\\$",
        ],
        never: &[
            "^#import ",
            "^@(interface|implementation|import|end|protocol)",
            r"^#version ",
            "^import ",
            "^use ",
        ],
        dialects: &[Dialect {
            language: "cpp",
            base: "c",
            line: r"\bstd::|^#\s*include\s*<[a-z_]+>|^(template ?<|namespace [a-z_]|using [a-z]|class [A-Za-z_]\w*( final)?( : .*)? ?\{?$)|^\s*(public|private|protected):|\bnullptr\b|\bconstexpr\b|^\w[\w:<>*& ]* [A-Z]\w*::~?\w+\(",
        }],
    },
];

/// A look with its patterns compiled.
struct Compiled {
    look: &'static Look,
    /// The marks, for the whole text.
    anywhere: RegexSet,
    marks: RegexSet,
    others: RegexSet,
    never: RegexSet,
    dialects: Vec<(&'static Dialect, Regex)>,
}

/// Compiled once, when the first text without a name is seen.
static COMPILED: LazyLock<Vec<Compiled>> =
    LazyLock::new(|| LOOKS.iter().filter_map(compiled).collect());

fn compiled(look: &'static Look) -> Option<Compiled> {
    let marks = || look.marks.iter().map(|(_, mark)| *mark);
    let dialects = look
        .dialects
        .iter()
        .map(|dialect| Some((dialect, Regex::new(dialect.line).ok()?)));
    Some(Compiled {
        look,
        anywhere: RegexSet::new(marks().map(|mark| format!("(?m){mark}"))).ok()?,
        marks: RegexSet::new(marks()).ok()?,
        others: RegexSet::new(look.others).ok()?,
        never: RegexSet::new(look.never).ok()?,
        dialects: dialects.collect::<Option<_>>()?,
    })
}

/// The language of source code or configuration whose text leaves no doubt.
pub(crate) fn language(text: &str) -> Option<&'static str> {
    // Often only a name is known, and compiling the patterns takes tens of milliseconds.
    if text.is_empty() {
        return None;
    }
    let head = match text.len() > LOOKED_AT {
        false => text,
        true => {
            let head = &text[..text.floor_char_boundary(LOOKED_AT)];
            &head[..head.rfind('\n')? + 1]
        }
    };
    // Markdown may contain anything between its fences.
    if head.lines().any(|line| is_fence(line.trim_start())) {
        return None;
    }
    let head = &without_trailing_space(head);
    let scored = COMPILED
        .iter()
        .filter_map(|look| Some((look.score(head)?, look)));
    let mut best: Vec<(usize, &Compiled)> = scored.collect();
    best.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    match &best[..] {
        [(one, look), rest @ ..] if rest.first().is_none_or(|(other, _)| other < one) => {
            Some(look.dialect(head))
        }
        [_, ..] => None,
        [] if toml(head) => Some("toml"),
        [] if yaml(head) => Some("yaml"),
        [] => None,
    }
}

/// The lines of `text` without white space at their end, which no pattern expects.
fn without_trailing_space(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    for line in text.lines() {
        bare.push_str(line.trim_end());
        bare.push('\n');
    }
    bare
}

impl Compiled {
    /// How much the marks in `text` weigh; `None` if that is not enough, or if the text has lines
    /// that the language does not explain.
    fn score(&self, text: &str) -> Option<usize> {
        let weights = |index: usize| self.look.marks[index].0;
        let possible: usize = self.anywhere.matches(text).into_iter().map(weights).sum();
        if possible * AT_MOST < ENOUGH {
            return None;
        }
        let mut counts = vec![0; self.look.marks.len()];
        let (mut explained, mut unexplained) = (0, 0);
        let mut closing = None;
        for line in text.lines() {
            if let Some(mark) = closing {
                closing = (!line.contains(mark)).then_some(mark);
                continue;
            }
            let inner = line.trim_start();
            if inner.is_empty() || inner.starts_with(self.look.line_comment) && !self.is_mark(line)
            {
                continue;
            }
            if self.never.is_match(line) {
                return None;
            }
            let marks = self.marks.matches(line);
            for mark in &marks {
                counts[mark] += 1;
            }
            closing = self.opens(line);
            let begins_block = self
                .look
                .blocks
                .iter()
                .any(|(open, _)| inner.starts_with(open));
            if line.len() > inner.len() || begins_block {
                continue;
            }
            match marks.matched_any() || self.others.is_match(line) {
                true => explained += 1,
                false => unexplained += 1,
            }
        }
        let counted = counts.iter().enumerate();
        let score: usize = counted
            .map(|(index, count)| weights(index) * AT_MOST.min(*count))
            .sum();
        (score >= ENOUGH && unexplained * EXPLAINED <= explained).then_some(score)
    }

    /// Whether a line that starts like a comment is code: in C, `#include` starts with `#`.
    fn is_mark(&self, line: &str) -> bool {
        self.marks.is_match(line)
    }

    /// What closes the comment or text that `line` leaves open.
    fn opens(&self, line: &str) -> Option<&'static str> {
        self.look.blocks.iter().find_map(|(open, close)| {
            let (_, mut rest) = line.split_once(open)?;
            loop {
                rest = match rest.split_once(close) {
                    Some((_, rest)) => rest,
                    None => return Some(*close),
                };
                rest = rest.split_once(open)?.1;
            }
        })
    }

    fn dialect(&self, text: &str) -> &'static str {
        let mut language = self.look.language;
        for (dialect, pattern) in &self.dialects {
            let mut lines = text.lines();
            if dialect.base == language && lines.any(|line| pattern.is_match(line)) {
                language = dialect.language;
            }
        }
        language
    }
}

/// Whether the lines are those of TOML: there is a table, and values are written as TOML does.
fn toml(text: &str) -> bool {
    let (mut tables, mut values, mut faults) = (0, 0, 0);
    let mut depth = 0;
    let mut long = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(mark) = long {
            long = (!line.contains(mark)).then_some(mark);
            continue;
        }
        if line.starts_with('#') {
            continue;
        }
        let bare = without_strings(line);
        let brackets = |text: &str| -> i32 {
            let signs = text.chars().map(|char| match char {
                '[' | '{' => 1,
                ']' | '}' => -1,
                _ => 0,
            });
            signs.sum()
        };
        if depth > 0 {
            depth += brackets(&bare);
            continue;
        }
        if line.starts_with('[') {
            let name = line.split('#').next().unwrap_or_default().trim();
            let name = name.trim_start_matches('[').trim_end_matches(']');
            let plain = |char: char| char.is_ascii_alphanumeric() || "_-.\"' ".contains(char);
            let spaced = !name.contains(['"', '\'']) && name.contains(' ');
            if name.is_empty() || spaced || !name.chars().all(plain) || brackets(&bare) != 0 {
                faults += 1;
            } else {
                tables += 1;
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            faults += 1;
            continue;
        };
        let key = key.trim();
        let value = value.trim();
        let plain = |char: char| char.is_ascii_alphanumeric() || "_-.\"'".contains(char);
        let named = key.starts_with(['"', '\'']) || key.chars().all(plain);
        if key.is_empty() || !named || !is_toml_value(value) {
            faults += 1;
            continue;
        }
        for mark in [r#"""""#, "'''"] {
            if value.starts_with(mark) && !value[3..].contains(mark) {
                long = Some(mark);
            }
        }
        depth = brackets(without_strings(value).as_str()).max(0);
        values += 1;
    }
    tables > 0 && values > 0 && faults * EXPLAINED <= tables + values
}

fn is_toml_value(value: &str) -> bool {
    let word = value.split(['#', ' ', ',']).next().unwrap_or_default();
    let number = word.starts_with(|char: char| char.is_ascii_digit() || "+-".contains(char))
        && word.chars().any(|char| char.is_ascii_digit())
        && word
            .chars()
            .all(|char| char.is_ascii_hexdigit() || "+-_.:xobTZ".contains(char));
    number
        || value.starts_with(['"', '\'', '[', '{'])
        || matches!(word, "true" | "false" | "inf" | "nan")
}

/// `line` up to a comment, without what is in quotes.
fn without_strings(line: &str) -> String {
    let mut quote = None;
    let mut bare = String::new();
    for char in line.chars() {
        match quote {
            Some(open) => quote = (char != open).then_some(open),
            None if matches!(char, '"' | '\'') => quote = Some(char),
            None if char == '#' => break,
            None => bare.push(char),
        }
    }
    bare
}

/// Whether every line is one of YAML, and a document in the text is a nested mapping. Headings and
/// lists after front matter look like YAML, too: in a text that begins like one with front matter,
/// hardly any document may be something else.
fn yaml(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let (mut nested, mut others) = (0, 0);
    for document in lines.split(|line| matches!(*line, "---" | "...")) {
        match yaml_document(document) {
            None => return false,
            Some(true) => nested += 1,
            Some(false) if document.iter().all(|line| line.is_empty()) => {}
            Some(false) => others += 1,
        }
    }
    let front_matter = lines.first() == Some(&"---");
    nested > 0 && (!front_matter || others * EXPLAINED <= nested)
}

/// Whether the lines of a YAML document are a nested mapping: a list of `name: value` lines may be
/// anything. `None` if a line is not one of YAML.
fn yaml_document(lines: &[&str]) -> Option<bool> {
    let mut keys = 0;
    let mut nested = false;
    let mut top = HashSet::new();
    // The indentation of the key whose value may follow on deeper lines, and whether that is text.
    let mut parent: Option<usize> = None;
    let mut block: Option<usize> = None;
    // The column of the first key of a list item.
    let mut item: Option<usize> = None;
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        let inner = line.trim_start_matches(' ');
        let indent = line.len() - inner.len();
        let inner = inner.trim_end();
        if block.is_some_and(|key| indent > key) {
            continue;
        }
        block = None;
        if inner.starts_with('#') || inner.starts_with("%YAML") {
            continue;
        }
        let content = inner.trim_start_matches("- ");
        let column = indent + inner.len() - content.len();
        let listed = column > indent;
        let Some((key, value)) = yaml_key(content) else {
            let scalar = listed || inner == "-";
            let closes = inner.starts_with([']', '}']);
            let goes_on = parent.is_some_and(|key| indent > key) && !inner.contains(": ");
            if !(closes || scalar && !content.contains(": ") || goes_on && !inner.starts_with('-'))
            {
                return None;
            }
            item = None;
            continue;
        };
        if !is_yaml_value(value) || (column == 0 && !top.insert(key.to_string())) {
            return None;
        }
        nested |=
            parent.is_some_and(|key| column > key && !listed) || item == Some(column) && !listed;
        item = if listed {
            Some(column)
        } else {
            item.filter(|open| *open == column)
        };
        keys += 1;
        let text = value.split(" #").next().unwrap_or_default().trim();
        if matches!(text, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
            block = Some(column);
        }
        parent = (text.is_empty() || text.starts_with(['&', '!', '[', '{', '"', '\'']))
            .then_some(column);
    }
    Some(nested && keys >= 3)
}

/// The key and the value of a line of a mapping.
fn yaml_key(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = match line.strip_prefix(['"', '\'']) {
        Some(quoted) => {
            let (key, rest) = quoted.split_once(['"', '\''])?;
            (key, rest.trim_start())
        }
        None => {
            let plain = |char: char| char.is_ascii_alphanumeric() || "_-./$<".contains(char);
            let end = line.find(|char| !plain(char))?;
            (&line[..end], &line[end..])
        }
    };
    let value = rest.strip_prefix(':')?;
    let apart = value.is_empty() || value.starts_with(' ');
    (apart && !key.is_empty()).then_some((key, value.trim()))
}

/// Whether YAML allows `value` after a key: plain text contains no further key.
fn is_yaml_value(value: &str) -> bool {
    let quoted = value.starts_with(['"', '\'', '[', '{', '&', '*', '!', '|', '>']);
    quoted || !(value.contains(": ") || value.ends_with(':') || value.starts_with(['%', '@', '`']))
}
