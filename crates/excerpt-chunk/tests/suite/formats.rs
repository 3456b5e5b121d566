//! The guarantees of every chunking, for texts in each format.

use excerpt_chunk::{Chunker, Config, Document, Strategy};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use crate::cases::random_cases;
use crate::promises::{any_config, kept};

/// The name of a file in a format, and pieces with a meaning for its parser.
type Sample = (&'static str, &'static [&'static str]);

const FORMATS: [Sample; 2] = [
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
];

prop_compose! {
    /// A text of pieces that mean something in one format.
    fn any_text()(format in prop::sample::select(&FORMATS[..]))(
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

/// The chunks of a document of `max` characters at most.
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
    let plain: String = (0..200).map(|row| format!("{row},of {row}\n")).collect();
    let grid: String = (0..200)
        .map(|row| format!("| {row:<6} | {row:<6} |\n|        | more   |\n+--------+--------+\n"))
        .collect();
    let simple: String = (0..200).map(|row| format!("{row:<7} {row}\n")).collect();
    for (path, text, header) in [
        ("a.csv", format!("number,label\n{plain}"), "number,label"),
        ("a.csv", format!("number,label\n{csv}"), "number,label"),
        (
            "a.rst",
            format!("+--------+--------+\n| number | label  |\n+========+========+\n{grid}"),
            "| number | label  |",
        ),
        (
            "a.rst",
            format!("======= =======\nnumber  label\n======= =======\n{simple}======= =======\n"),
            "number  label",
        ),
    ] {
        let chunks = chunks(path, &text, 100);
        assert!(chunks.len() > 4, "{path}");
        for (context, text) in &chunks[1..] {
            assert!(context.contains(header), "{path}: {context:?} {text:?}");
            let last = text.lines().last().unwrap();
            let is_whole = last.ends_with(['"', '+', '=']) || !text.contains(['"', '+']);
            assert!(is_whole, "{path}: {text:?}");
        }
    }
}
