//! The language of texts that have neither an ending nor a name.

use std::collections::BTreeMap;
use std::path::Path;

use excerpt_chunk::{CodeParser, Document};
use excerpt_grammars::{Grammars, languages};

use crate::samples::sample;
use crate::sources::{files, files_below};

/// The language of a text without a name, by its content.
fn by_content(text: &str) -> Option<&'static str> {
    let detected = Grammars.detect(&Document::new(text))?;
    (detected.by == "by its content").then_some(detected.language)
}

/// The languages that must be known by their content.
const KNOWN: [&str; 9] = [
    "python",
    "rust",
    "go",
    "java",
    "typescript",
    "javascript",
    "c",
    "yaml",
    "toml",
];

/// The sample of a language, without a first line that names it.
fn nameless(language: &str) -> String {
    let (_, text) = sample(language);
    match text.split_once('\n') {
        Some((line, rest)) if line.starts_with("#!/") => rest.to_string(),
        _ => text,
    }
}

#[test]
fn samples_without_a_name_are_detected_by_their_content() {
    for language in languages() {
        let text = nameless(language);
        let found = by_content(&text);
        if KNOWN.contains(&language) {
            assert_eq!(found, Some(language));
            let windows = text.replace('\n', "\r\n");
            assert_eq!(by_content(&windows), Some(language));
        } else {
            let itself = [Some(language), None];
            assert!(itself.contains(&found), "{language}: {found:?}");
        }
    }
}

#[test]
fn a_short_source_text_is_detected_by_its_content() {
    let texts = [
        ("rust", "fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n"),
        (
            "rust",
            "use std::fmt;\n\n/// A point.\n#[derive(Debug)]\nstruct Point {\n    x: u8,\n}\n",
        ),
        ("python", "def add(a, b):\n    return a + b\n"),
        (
            "python",
            "import os\nfrom sys import argv\n\nfor name in argv:\n    print(os.stat(name))\n",
        ),
        (
            "python",
            "\"\"\"Says hello.\n\nTo everybody.\n\"\"\"\nclass Greeter:\n    pass\n",
        ),
        (
            "go",
            "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"a\")\n}\n",
        ),
        (
            "go",
            "func (s *Shelf) Put(book Book) int {\n\treturn 1\n}\n",
        ),
        (
            "java",
            "package library;\n\npublic class Shelf {\n    private int places;\n}\n",
        ),
        (
            "java",
            "/** Runs. */\npublic class Main {\n    public static void main(String[] args) {\n    }\n}\n",
        ),
        (
            "typescript",
            "interface Book {\n  title: string;\n}\n\nexport function lend(book: Book): void {}\n",
        ),
        (
            "typescript",
            "import { a } from \"./a\";\n\nexport const due = (days: number): Date => a(days);\n",
        ),
        (
            "c",
            "#include <stdio.h>\n\nint main(void)\n{\n    puts(\"a\");\n    return 0;\n}\n",
        ),
        (
            "c",
            "// Shelves.\n#include \"shelf.h\"\n\nstatic int places(struct shelf *shelf)\n{\n    return shelf->places;\n}\n",
        ),
        (
            "cpp",
            "#include <vector>\n\nint main() {\n    std::vector<int> a;\n}\n",
        ),
        (
            "yaml",
            "name: deploy\non:\n  push:\n    branches: [main]\njobs:\n  build:\n    steps:\n      - run: make\n",
        ),
        (
            "yaml",
            "- name: fetch\n  hosts: all\n  tasks:\n    - shell: |\n        make it\n        so\n",
        ),
        (
            "toml",
            "[package]\nname = \"shelf\"\nversion = \"1.0\"\n\n[dependencies]\na = { path = \"../a\" }\nb = [\n  \"c\",\n]\n",
        ),
        (
            "yaml",
            "# Two of them.\n---\nkind: Service\nmetadata:\n  name: a\n---\n# The second.\n\nkind: Pod\nmetadata:\n  name: b\n...\n",
        ),
        (
            "yaml",
            "---\nkind: Service\nmetadata:\n  name: a\n---\n# The second.\nkind: Pod\nmetadata:\n  name: b\n---\n",
        ),
        (
            "yaml",
            "kind: Service\nmetadata:\n  name: a\n---\nkind: Pod\n",
        ),
        ("json", "{\"a\": 1}\n"),
        ("html", "<!doctype html>\n<p>a\n"),
    ];
    for (language, text) in texts {
        assert_eq!(by_content(text), Some(language), "{text}");
        assert_eq!(
            Grammars
                .detect(&Document::new(text).with_path("scripts/thing"))
                .map(|found| found.language),
            Some(language)
        );
        let named = Document::new(text).with_path("notes.txt");
        assert_eq!(Grammars.detect(&named), None, "an ending decides");
    }
}

/// Texts that are not source code, but look a little like it.
const TRICKY: [&str; 49] = [
    "",
    "\n\n",
    "import duties rose again\n",
    "from here on, imports are free\nfrom now import nothing\n",
    "class of 1999:\n\nAnn, Bo and Cleo.\n",
    "def: short for definition\n",
    "package deal\n\nThe hotel and the flight.\n",
    "use the stairs;\nuse the door;\n",
    "type and press enter\n",
    "interface to the world {\n",
    "function follows form\n",
    "let it be;\nlet it go;\n",
    "const is a keyword\n",
    "public class in the town hall {free}\n",
    "struct, enum and trait are words of Rust.\n",
    "if you want:\nfor example:\nwhile we are here:\n",
    "return to sender\n",
    "# Title\n\nWords.\n\n## Part\n\nMore words.\n",
    "# Title\n\n    def f(x):\n        return x\n\nAs shown above, f returns x.\n",
    "# Use\n\n```rust\nfn main() {}\n```\n",
    "```python\nimport os\ndef f():\n    pass\n```\n",
    "We wrote this:\n\ndef f(x):\n    return x\n\nand it did not work. Then we tried\n\ndef g(x):\n    return f(x)\n\nwhich did.\n",
    "Notes on Go\n\npackage main\n\nfunc main() {\n}\n\nis the smallest program, they say.\n",
    "The header is\n\n#include <stdio.h>\n\nand the function is\n\nint main(void)\n",
    "2026-01-31 12:00:00 INFO server: started\n2026-01-31 12:00:01 ERROR disk: full\n",
    "INFO: started\nERROR: failed\nINFO: stopped\n",
    "[2026-01-31] started = true\n[2026-02-01] stopped = false\n",
    "name,age\nAnn,30\nBo,41\n",
    "a;b;c;\n1;2;3;\n4;5;6;\n",
    "Name: Ann\nPhone: 123\nTown: here\n",
    "From: ann@example.org\nTo: bo@example.org\nSubject: Re: the plan\n\nHello Bo,\n\nsee you.\n",
    "Groceries:\n- milk\n- eggs\n\nTodo:\n- call Bo\n",
    "Meeting:\n  We met at nine: everybody came.\n  Next: Monday.\n",
    "GET / HTTP/1.1\nHost: example.org\nAccept: */*\n",
    "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import b\nImportError: no b\n",
    "[x] buy milk\n[ ] call Bo\n",
    "[1] The first source = a book\n[2] The second = \"another\"\n",
    "[section]\nkey = some plain words\n",
    "x = 5\ny = 6\nz = x + y\n",
    "$ make\n$ make install\n",
    "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n import os\n+def f():\n+    pass\n",
    "PROCEDURE PUT-BOOK.\n    ADD 1 TO BOOKS.\n",
    "Copyright (c) nobody\n\nPermission is granted, free of charge, to any person;\nprovided that (a) nothing,\n(b) all of it.\n",
    "---\ntitle: A note\ntags: [a, b]\n---\n\nThe text of the note.\n",
    "---\ntitle: X\nmeta:\n  a: 1\n---\n# Notes\n\n- one\n- two\n",
    "---\ntitle: X\nmeta:\n  a: 1\n...\n\n## Notes\n",
    "---\ntitle: X\nmeta:\n  a: 1\n---\n- [ ] one\n- [x] two\n",
    "---\ntitle: X\nmeta:\n  a: 1\n---\nStatus: open\n\n# Notes\n\n- one\n",
    "---\ntitle: X\nmeta:\n  a: 1\n---\n- Ann: called\n- Bo: wrote\n",
];

#[test]
fn tricky_prose_markdown_logs_and_tables_are_no_source_text() {
    for text in TRICKY {
        assert_eq!(by_content(text), None, "{text}");
        let windows = text.replace('\n', "\r\n");
        assert_eq!(by_content(&windows), None, "{text}");
    }
}

#[test]
fn words_of_code_do_not_make_prose_source_text() {
    let text = "Before anything else, see what we had.\n\n".to_string();
    for language in KNOWN {
        let (_, code) = sample(language);
        let half = code.lines().take(12).collect::<Vec<_>>().join("\n");
        let quoted = format!("{text}{half}\n\n{}", text.repeat(3));
        assert_eq!(by_content(&quoted), None, "{language}");
        let indented = half
            .lines()
            .map(|line| format!("    {line}\n"))
            .collect::<String>();
        assert_eq!(by_content(&format!("{text}{indented}")), None, "{language}");
    }
}

/// Whether a file is prose by its ending or its name.
fn is_prose(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    match ending {
        Some(ending) => matches!(ending, "md" | "markdown" | "rst" | "txt" | "adoc"),
        None => matches!(
            name,
            "README"
                | "LICENSE"
                | "COPYING"
                | "CHANGES"
                | "CHANGELOG"
                | "AUTHORS"
                | "NOTICE"
                | "CONTRIBUTORS"
                | "HISTORY"
                | "NEWS"
                | "TODO"
                | "INSTALL"
        ),
    }
}

#[test]
fn five_hundred_prose_files_give_no_false_hit() {
    let mut paths = files();
    let named = ["EXCERPT_EVAL", "EXCERPT_SOURCES"].iter();
    let folders = named.filter_map(std::env::var_os).map(Into::into).collect();
    paths.extend(files_below(folders));
    let mut prose = 0;
    let mut hits = String::new();
    // What `pygments` keeps in `.txt` files there is source text and its tokens.
    let tokens = |path: &Path| path.to_string_lossy().contains("/tests/snippets/");
    for path in paths.iter().filter(|path| is_prose(path) && !tokens(path)) {
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        prose += 1;
        if let Some(language) = by_content(&text) {
            hits += &format!("{language}: {}\n", path.display());
        }
    }
    println!("{prose} prose files");
    assert!(hits.is_empty(), "{hits}");
    if std::env::var_os("EXCERPT_EVAL").is_none() {
        eprintln!("skipped: EXCERPT_EVAL names no folder with more prose");
        return;
    }
    assert!(prose >= 500, "{prose} prose files");
}

#[test]
fn sources_without_their_names_are_detected_or_left_alone() {
    let mut paths = files();
    if let Some(folder) = std::env::var_os("EXCERPT_SOURCES") {
        paths.splice(0..0, files_below(vec![folder.into()]));
    }
    let mut found: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut wrong = String::new();
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let named = Document::new(&text).with_path(path.to_str().unwrap());
        let Some(detected) = Grammars.detect(&named) else {
            continue;
        };
        let expected = detected.language;
        let [right, all] = found.entry(expected).or_default();
        // A few hundred files of a language say enough.
        if *all >= 400 || text.len() < 200 {
            continue;
        }
        *all += 1;
        match by_content(&text) {
            Some(language) if language == expected => *right += 1,
            // A header may be of either, and TypeScript without types is JavaScript.
            Some("c" | "cpp") if matches!(expected, "c" | "cpp") => *right += 1,
            Some("javascript") if matches!(expected, "typescript" | "tsx") => *right += 1,
            Some(language) => wrong += &format!("{language}, not {expected}: {}\n", path.display()),
            None => {}
        }
    }
    for (language, [right, all]) in &found {
        println!("{language}: {right} of {all}");
    }
    let count = wrong.lines().count();
    let all: usize = found.values().map(|[_, all]| all).sum();
    println!("{count} of {all} wrong\n{wrong}");
    assert!(count * 200 <= all, "{count} of {all} wrong:\n{wrong}");
    for language in KNOWN {
        if let Some([right, all]) = found.get(language).filter(|[_, all]| *all >= 50) {
            assert!(right * 2 > *all, "{language}: {right} of {all}");
        }
    }
}

#[test]
fn white_space_at_the_end_of_lines_changes_no_language() {
    for language in KNOWN {
        let text = nameless(language);
        for end in [" \n", " \t\n", "  \r\n"] {
            assert_eq!(by_content(&text.replace('\n', end)), Some(language));
        }
    }
    let text = "def add(a, b): \n    return a + b \n";
    assert_eq!(by_content(text), Some("python"));
}

#[test]
fn types_tell_typescript_from_javascript_whatever_ends_the_lines() {
    let texts = [
        "export function lend($book, $to) {\n  return $book;\n}\n",
        "export const $due = 3;\nexport const $late = 4;\n",
    ];
    for text in texts {
        assert_eq!(by_content(text), Some("javascript"), "{text}");
        assert_eq!(by_content(&text.replace('\n', " \r\n")), Some("javascript"));
    }
    let text = "export class Shelf {\n  places: number;\n}\n";
    for end in ["\n", " \n", "\r\n", " \t\r\n"] {
        let text = text.replace('\n', end);
        assert_eq!(by_content(&text), Some("typescript"), "{text:?}");
    }
}
