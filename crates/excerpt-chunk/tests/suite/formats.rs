//! The guarantees of every chunking, for texts in each format.

use excerpt_chunk::{Chunker, Config, Document, Strategy};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use crate::cases::random_cases;
use crate::promises::{any_config, kept};

/// The name of a file in a format, and pieces with a meaning for its parser.
type Sample = (&'static str, &'static [&'static str]);

const FORMATS: &[Sample] = &[
    (
        "a.rst",
        &[
            "Title\n=====\n\n",
            "=====\nAbove\n=====\n",
            "Two\n---\n",
            "Short\n~~\n",
            ".. note::\n\n   ",
            ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n",
            ".. _label:\n\n",
            ".. _label: https://example.org\n",
            ".. [1] note\n",
            ".. a comment\n   in two lines\n",
            "..\n",
            "Like this::\n\n    literal\n\n      deeper\n",
            "Quoted::\n\n> one\n> two\n",
            ">>> 1 + 1\n2\n",
            "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n",
            "+---+\n",
            "=== ===\n a   b\n=== ===\n 1   2\n=== ===\n\n",
            "=== ===\n",
            ":field: value\n",
            ":role:`text`: more\n",
            "-a  option\n",
            "--long=x\n    description\n",
            "* item\n",
            "  * nested\n",
            "#. numbered\n",
            "iv) roman\n",
            "term\n    definition\n",
            "| line block\n",
            "----\n",
            "\tindented by a tab\n",
            "see :doc:`there <a/b>` and :ref:`here`\n",
        ],
    ),
    (
        "a.adoc",
        &[
            "= Document\nAnn Author\n:toc:\n\n",
            "== Section\n\n",
            "=== Deep ===\n",
            "# Mark\n\n",
            "Two lines\n~~~~~~~~~\n\n",
            "[[anchor]]\n",
            "[discrete]\n",
            "[source,rust]\n",
            "[verse]\n",
            "[cols=\"1,2*\",options=\"header\"]\n",
            ".Title\n",
            ":name: value \\\n",
            "// comment\n",
            "include::other.adoc[]\n",
            "ifdef::x[]\n",
            "----\n",
            "....\n",
            "```js\n",
            "```\n",
            "++++\n",
            "////\n",
            "====\n",
            "****\n",
            "____\n",
            "--\n",
            "|===\n",
            ",===\n",
            "!===\n",
            "|a |b\n",
            "2.3+|spanned\n",
            "|a\n\n",
            "* item\n",
            "** nested\n",
            ". one\n",
            "  .. two\n",
            "1. first\n",
            "<1> called\n",
            "term:: what\n",
            "term;;\n\n",
            "+\n",
            "\n  literal\n",
            "'''\n",
            "NOTE: this\n",
            "image::a.png[]\n",
            "see xref:a.adoc#b[c], <<d.adoc#,e>> and link:f[\n",
        ],
    ),
    (
        "a.org",
        &[
            "#+TITLE: Title\n",
            "#+TODO: TODO NEXT | DONE\n",
            "#+CAPTION: Caption\n",
            "* TODO [#A] Headline :tag:\n",
            "*** Deep\n",
            "******** Deeper\n",
            "SCHEDULED: <2026-01-02 Fri>\n",
            ":PROPERTIES:\n:ID: x\n:END:\n",
            ":LOGBOOK:\n",
            ":END:\n",
            "#+BEGIN_SRC sh\n",
            "#+END_SRC\n",
            "#+begin_quote\n",
            "#+end_quote\n",
            "#+BEGIN: clock\n",
            "#+END:\n",
            "\\begin{align}\n",
            "\\end{align}\n",
            "- item\n",
            "  + nested\n",
            " * star\n",
            "1. one\n",
            "2) two\n",
            "- term :: what\n",
            "| a | b |\n",
            "|---+---|\n",
            "#+TBLFM: $1=2\n",
            ": fixed\n",
            "# comment\n",
            "[fn:1] note\n",
            "-----\n",
            "\tindented by a tab\n",
            "see [[file:a.org::*b][c]] and [[d\n",
        ],
    ),
    (
        "a.csv",
        &[
            "name,size\n",
            "1,2\n",
            "\"a\nb\",c\n",
            "\"say \"\"no\"\"\"\n",
            "pipe 5\",1\n",
            ",\"",
            ";",
            "\t",
            "\r\n",
        ],
    ),
    (
        "a.log",
        &[
            "2026-01-02 03:04:05,678 ERROR no\n",
            "2026-01-02T03:04:05Z yes\n",
            "Jan  2 03:04:05 host app: ",
            "[INFO] start\n",
            "10.0.0.1 - - [02/Jan/2026:03:04:05 +0000] \"GET /\"\n",
            "\u{1b}[2m03:04:05",
            "\u{1b}[",
            "<34>1 ",
            "{\"a\": 1}\n",
            "{\n  \"a\": 1\n}\n",
            "Traceback (most recent call last):\n  File \"a\"\nKeyError: 1\n",
            "\tat a.b(c:1)\nCaused by: x\n",
            "[    0.12] up\n",
            "1767323045 ",
        ],
    ),
    (
        "a.vtt",
        &[
            "WEBVTT\n\n",
            "00:01.000 --> 00:02.000 align:start\n",
            "00:00:01,000 --> 00:00:02,500\nHello.\n\n",
            "12\n",
            "NOTE a\nb\n\n",
            "STYLE\n::cue {}\n\n",
            "REGION\nid:a\n\n",
            "-->",
            "- Who?\n",
        ],
    ),
    (
        "a.mbox",
        &[
            "From ann Fri Jan  2 03:04:05 2026\n",
            "Subject: One\n\ttwo\n",
            "Subject: =?utf-8?q?=C3=A9?= =?utf-8?b?w6k=?=\n",
            "Content-Type: multipart/mixed; boundary=\"b; c\"\n\n",
            "Content-Type: multipart/mixed;\n boundary=d\n\n",
            "Content-Type: message/rfc822\n\n",
            "Content-Type: text/html\n\n<p>a</p>\n",
            "Content-Transfer-Encoding: base64\n\nAAAA\n",
            "--b; c\n",
            "--d\n",
            "--d--\n",
            "> quoted\n",
            "-- \nAnn\n",
        ],
    ),
    (
        "a.diff",
        &[
            "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n",
            "commit 0123456789012345678901234567890123456789\nAuthor: A\n\n    Title\n\n",
            "Subject: [PATCH] One\n two\n\nText.\n---\n",
            "diff --git a/x b/x\n",
            "diff --git \"a/\\303\\251\" \"b/\\303\\251\"\n",
            "diff -r old/c new/c\n1,2c1\n< a\n---\n> b\n",
            "rename from a\nrename to b\n",
            "--- a/x\n+++ b/x\n",
            "--- /dev/null\n",
            "+++ b/y\t2026-01-02\n",
            "@@ -1,2 +1,2 @@ head\n a\n-b\n+c\n",
            "@@ -1,99999999999999999999 +1 @@\n",
            "@@ -0,0 +1 @@\n+a\n",
            "@@@ -1 -1 +1 @@@\n++a\n",
            "*** a\n--- b\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
            "Index: x\n=====\n",
            "GIT binary patch\nliteral 4\nLcmZabc\n\n",
            "\\ No newline at end of file\n",
        ],
    ),
    (
        "a.txt",
        &[
            "\n\nTitle\n=====\n\n",
            "\n\nTwo\n---\n",
            "=======\n Above\n=======\n",
            "\n\n1. Scope\n\n",
            "\n\n1.1 Terms\n\n",
            "\n\n2 Rules\n\n",
            "\n\nIN CAPITALS\n\n",
            "                         CENTRED\n\n",
            "Some words,\nin two lines.\n\n",
            "\n---\n\n",
            "1. An item.\n",
            "\u{c}",
        ],
    ),
    (
        "a.tex",
        &[
            "\\documentclass{article}\n",
            "\\begin{document}\n",
            "\\end{document}\n",
            "\\title[s]{The \\emph{title}}\n",
            "\\section{One}\\label{one}\n",
            "\\section*{Caf\\'e \\LaTeX{} and $x$}\n",
            "\\chapter[short]{Long\ntitle}\n",
            "\\subsection{",
            "\\paragraph{Run in} text ",
            "\\begin{itemize}\n",
            "\\item[tag] ",
            "\\end{itemize}\n",
            "\\begin{quote} ",
            "\\end{quote} ",
            "\\begin{steps}\\item x\\end{steps}\n",
            "\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n",
            "\\begin{verbatim}",
            "\\begin{lstlisting}[language=Python]\nx = 1\n\\end{lstlisting}\n",
            "\\begin{minted}{rust}\nlet x;\n\\end{minted}\n",
            "\\begin{tabular}{ll} a & b \\\\ \\end{tabular}\n",
            "\\begin{tabular}",
            "\\end{tabular}",
            "$$ x $$\n",
            "$",
            "$$",
            "\\[ x \\]",
            "\\[",
            "% comment\n",
            "%",
            "\\%",
            "\\verb|%|",
            "\\newcommand{\\x}[1]{\\section{#1}}\n",
            "\\iffalse\n\\section{no}\n\\fi\n",
            "\\input{part}\n",
            "{",
            "}",
            "\\",
        ],
    ),
    (
        "a.wiki",
        &[
            "= Top =\n",
            "== A ''slanted'' [[page|link]] ==\n",
            "=== Deep === <!-- note -->\n",
            "=====\n",
            "{| class=\"x\"\n|+ caption\n! a\n! b\n|-\n| 1\n| 2\n|-\n| 3 || 4\n|}\n",
            "{|\n",
            "|}\n",
            "|-\n",
            "| cell\n",
            "* item\n",
            "** nested\n",
            "*# other\n",
            "# number\n",
            "; term : text\n",
            ": indented\n",
            "{{box\n| a = 1\n}}\n",
            "{{one}}",
            "{{",
            "}}",
            "{{{p|}}}",
            "<pre>\n== no ==\n</pre>\n",
            "<syntaxhighlight lang=\"python\">\nx = 1\n</syntaxhighlight>\n",
            "<nowiki>",
            "</nowiki>",
            "<!--",
            "-->",
            "----\n",
            " kept\n",
            "[[File:a.png|thumb|a [[b]]]]",
            "[https://example.org text]",
            "[[",
            "]]",
            "#REDIRECT [[There]]\n",
        ],
    ),
    (
        "a.man",
        &[
            ".\\\" comment\n",
            ".TH TOOL 1 today\n",
            ".Dd today\n.Dt TOOL 1\n.Os\n",
            ".SH NAME\n",
            ".SH\nnext line\n",
            ".SS \"Sub \\fBbold\\fP\\-x\"\n",
            ".Sh DESCRIPTION\n",
            ".Ss The Ic run command\n",
            ".PP\n",
            ".TP\n.B \\-a\nall\n",
            ".IP \\(bu 2\n",
            ".IP\n",
            ".HP\n",
            ".RS 4\n",
            ".RE\n",
            ".Bl -tag\n",
            ".It Fl a\n",
            ".El\n",
            ".Bd -literal\n",
            ".Bd -ragged\n",
            ".Ed\n",
            ".nf\n",
            ".fi\n",
            ".EX\nx = 1\n.EE\n",
            ".TS\na\tb\n.TE\n",
            ".de XX\n",
            "..\n",
            ".so man3/x.3\n",
            ".ie n .SS a\n.el .SS b\n",
            "\\",
            "\\[",
            "\"",
        ],
    ),
];

prop_compose! {
    /// A text of pieces that mean something in one format.
    fn any_text()(format in prop::sample::select(FORMATS))(
        path in Just(format.0),
        pieces in prop::collection::vec(prop_oneof![
            3 => "[a-z]{1,12}",
            4 => prop::sample::select(format.1).prop_map(str::to_string),
            1 => Just("\n".to_string()),
            1 => Just("    ".to_string()),
            1 => "\\PC{0,20}",
        ], 0..60),
    ) -> (&'static str, String) {
        (path, pieces.concat())
    }
}

proptest! {
    #![proptest_config(random_cases(1500))]

    #[test]
    fn guarantees_hold_in_every_format((path, text) in any_text(), config in any_config()) {
        kept(&Document::new(&text).with_path(path), &config);
    }
}

/// The chunks of a document of `max` tokens at most.
fn chunks(path: &str, text: &str, max: usize) -> Vec<(String, String)> {
    let config = Config {
        strategy: Strategy::Auto,
        max,
        target: max * 3 / 4,
        min: 1,
        ..Config::default()
    };
    let chunking = Chunker::new(config).unwrap();
    let chunking = chunking.chunk(&Document::new(text).with_path(path));
    let chunks = chunking.chunks.iter();
    let parts = chunks.map(|chunk| (chunk.context.header.clone(), chunk.text.to_string()));
    parts.collect()
}

#[test]
fn every_part_of_a_table_has_its_header() {
    let csv: String = (0..200)
        .map(|row| format!("{row},\"of\n{row}\"\n"))
        .collect();
    let plain: String = (0..200).map(|row| format!("{row},of {row}!\n")).collect();
    let grid: String = (0..200)
        .map(|row| format!("| {row:<6} | {row:<6} |\n|        | more   |\n+--------+--------+\n"))
        .collect();
    let simple: String = (0..200).map(|row| format!("{row:<7} {row}!\n")).collect();
    let pipes: String = (0..200).map(|row| format!("|{row} |of {row}!\n")).collect();
    let cells: String = (0..200)
        .map(|row| format!("|{row}\n|of \"{row}\"\n\n"))
        .collect();
    let bars: String = (0..200)
        .map(|row| format!("| {row} | of {row} |\n"))
        .collect();
    for (path, text, header, end) in [
        (
            "a.csv",
            format!("number,label\n{plain}"),
            "number,label",
            '!',
        ),
        ("a.csv", format!("number,label\n{csv}"), "number,label", '"'),
        (
            "a.rst",
            format!("+--------+--------+\n| number | label  |\n+========+========+\n{grid}"),
            "| number | label  |",
            '+',
        ),
        (
            "a.rst",
            format!("======= =======\nnumber  label\n======= =======\n{simple}======= =======\n"),
            "number  label",
            '!',
        ),
        (
            "a.adoc",
            format!("|===\n|number |label\n\n{pipes}|===\n"),
            "|number |label",
            '!',
        ),
        (
            "a.adoc",
            format!("[%header,cols=2]\n|===\n|number\n|label\n\n{cells}|===\n"),
            "|number\n|label",
            '"',
        ),
        (
            "a.org",
            format!("| number | label |\n|--------+-------|\n{bars}"),
            "| number | label |",
            '|',
        ),
    ] {
        let chunks = chunks(path, &text, 100);
        assert!(chunks.len() > 4, "{path}");
        for (context, _) in &chunks[1..] {
            assert!(context.contains(header), "{path}: {context:?}");
        }
        for (_, text) in &chunks[..chunks.len() - 1] {
            // A row is split nowhere: the last line of each part is one that ends a row.
            let last = text.lines().last().unwrap();
            assert!(last.ends_with(end), "{path}: {text:?}");
        }
    }
}

/// How many pieces of a text, each of which fits, are whole in one of its chunks.
fn whole(path: &str, pieces: &[String], max: usize) -> usize {
    let chunks = chunks(path, &pieces.concat(), max);
    assert!(chunks.len() > 4, "{path}");
    let is_whole = |piece: &&String| chunks.iter().any(|(_, text)| text.contains(piece.trim()));
    pieces.iter().filter(is_whole).count()
}

#[test]
fn an_entry_of_a_log_is_whole() {
    let entries: Vec<_> = (10..60)
        .map(|minute| {
            let trace = "java.io.IOException: no\n\tat a.b(c:1)\nCaused by: d\n\tat e.f(g:2)\n";
            let trace = if minute % 3 == 0 { trace } else { "" };
            format!("2026-01-02 03:{minute}:05 ERROR Request {minute} failed.\n{trace}")
        })
        .collect();
    assert_eq!(whole("a.log", &entries, 50), entries.len());
}

#[test]
fn a_cue_is_whole() {
    let cues: Vec<_> = (10..60)
        .map(|minute| {
            format!(
                "{minute}\n00:{minute}:01,000 --> 00:{minute}:04,000\nThis is said.\nAnd this, too.\n\n"
            )
        })
        .collect();
    assert_eq!(whole("a.srt", &cues, 40), cues.len());
}

#[test]
fn a_hunk_is_whole_and_its_file_is_known() {
    let hunks: Vec<_> = (1..40)
        .map(|line| format!("@@ -{line},2 +{line},2 @@ fn a()\n a\n-b {line}.\n+c {line}.\n"))
        .collect();
    let head = "diff --git a/src/x.rs b/src/x.rs\n--- a/src/x.rs\n+++ b/src/x.rs\n".to_string();
    let pieces: Vec<_> = std::iter::once(head).chain(hunks).collect();
    assert_eq!(whole("a.patch", &pieces, 50), pieces.len());
    for (context, _) in chunks("a.patch", &pieces.concat(), 50) {
        assert!(context.contains("src/x.rs"), "{context}");
    }
}

#[test]
fn a_part_of_mail_has_its_subject() {
    let text: String = (0..20)
        .map(|part| format!("Paragraph {part} has a few words.\n\n> Quoted {part}.\n\n"))
        .collect();
    let message = format!("From: a@example.org\nSubject: Lunch tomorrow\n\n{text}");
    let chunks = chunks("a.eml", &message, 50);
    assert!(chunks.len() > 4);
    for (context, _) in &chunks[1..] {
        assert!(context.contains("Lunch tomorrow"), "{context}");
    }
}

#[test]
fn a_page_of_a_manual_is_known_by_its_content() {
    let options: String = (0..20)
        .map(|option| format!(".TP\n.B \\-\\-option{option}\nDoes something else.\n"))
        .collect();
    let page = format!(".TH TOOL 1\n.SH NAME\ntool \\- is an example\n.SH OPTIONS\n{options}");
    let chunked = chunks("share/tool.1", &page, 60);
    let options: Vec<_> = chunked
        .iter()
        .filter(|(_, text)| text.starts_with(".TP"))
        .collect();
    assert!(options.len() > 2, "{chunked:?}");
    assert!(options.len() + 2 >= chunked.len(), "{chunked:?}");
    for (context, text) in options {
        assert!(context.contains("OPTIONS"), "{context:?} {text:?}");
    }
    let code = chunks("share/tool.1", &format!("x = 1\n{page}"), 60);
    assert!(code.iter().all(|(context, _)| !context.contains("OPTIONS")));
}
