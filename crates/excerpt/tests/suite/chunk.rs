//! `excerpt chunk`.

use crate::fixture::Project;

const GUIDE: &str = "# Guide\n\nWhat this is.\n\n## Install\n\nRun the installer. It asks nothing.\n\n```sh\nmake install\n```\n\n## Use\n\nAsk a question:\n\n- in a shell\n- in a program\n";

#[test]
fn the_table_shows_each_split() {
    let project = Project::new().file("guide.md", GUIDE);
    let run = project
        .run(&["chunk", "guide.md", "--strategy", "headers", "--min", "1"])
        .ok();
    insta::assert_snapshot!(run.stdout, @r"
    guide.md · 37 tokens · headers (as configured)
       #  tokens  lines  trail                                          starts at
       0       9  1-3    Guide                                          start
       1      24  5-11   Guide > Install                                heading 2
       2      18  13-18  Guide > Use                                    heading 2
    3 chunks · mean 17 · 9–24 · nothing over the limit · nothing lost
    ");
}

#[test]
fn the_table_shows_warnings() {
    let text = "# A\n\nx\n\n## B\n\n```\nthis block is longer than the limit\nand kept whole all the same\n```\n";
    let project = Project::new().file("a.md", text);
    let args = [
        "chunk",
        "a.md",
        "--strategy",
        "markdown",
        "--levels",
        "1,2",
        "--max",
        "12",
        "--min",
        "4",
        "--atomic",
        "keep",
    ];
    let run = project.run(&args).ok();
    insta::assert_snapshot!(run.stdout, @r"
    a.md · 21 tokens · markdown (as configured)
       #  tokens  lines  trail                                          starts at
       0       3  1-3    A                                              start  ! undersized
       1      22  5-10   A > B                                          heading 2  ! oversized: a code block kept whole
    2 chunks · mean 12 · 3–22 · 1 over the limit · 1 under min · nothing lost
    ");
}

#[test]
fn a_delimiter_left_out_is_counted() {
    let project = Project::new();
    let run = project
        .run_with(
            &["chunk", "-", "--delimiter", "^%%$", "--min", "0"],
            b"One.\n%%\nTwo.\n%%\nThree.\n",
        )
        .ok();
    insta::assert_snapshot!(run.stdout, @r"
    (standard input) · 5 tokens · delimiter (as configured)
       #  tokens  lines  trail                                          starts at
       0       1  1-1    (paragraph)                                    start
       1       1  3-3    (paragraph)                                    delimiter
       2       1  5-5    (paragraph)                                    delimiter
    3 chunks · mean 1 · 1–1 · nothing over the limit · 4 bytes of delimiters left out
    ");
}

#[test]
fn jsonl_is_one_chunk_per_line() {
    let project = Project::new();
    let args = [
        "chunk",
        "-",
        "--name",
        "x.md",
        "--unit",
        "chars",
        "--target",
        "60",
        "--max",
        "60",
        "--overlap",
        "0",
        "--context",
        "none",
        "--format",
        "jsonl",
    ];
    let run = project.run_with(&args, GUIDE.as_bytes()).ok();
    let chunks = run.json();
    assert!(chunks.len() > 2);
    for chunk in &chunks {
        let bytes = chunk["span"]["bytes"].as_array().unwrap();
        let [start, end] = [&bytes[0], &bytes[1]].map(|at| at.as_u64().unwrap() as usize);
        assert_eq!(chunk["text"], GUIDE[start..end]);
        assert!(chunk["span"]["lines"][0].as_u64().unwrap() >= 1);
        assert_eq!(chunk["context"]["path"], "x.md");
        assert!(chunk["context"]["trail"].is_array());
        assert!(chunk["tokens"]["total"].as_u64().unwrap() <= 60);
        assert_eq!(chunk["tokens"]["context"], 0);
        for field in ["kind", "part", "warnings", "id", "hash"] {
            assert!(!chunk[field].is_null(), "{field}");
        }
    }
}

#[test]
fn json_contains_every_document_of_a_folder() {
    let project = Project::new()
        .file("a.md", "# A\n")
        .file("sub/b.txt", "b\n")
        .file(".env", "KEY=1\n");
    let run = project.run(&["chunk", ".", "--format", "json"]).ok();
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["schema"], 1);
    let documents = value["documents"].as_array().unwrap();
    let paths: Vec<_> = documents.iter().map(|document| &document["path"]).collect();
    assert_eq!(paths, ["a.md", "sub/b.txt"]);
    assert_eq!(documents[0]["document"]["title"], "A");
    assert_eq!(
        run.stderr,
        "skipped 1 file or folder that an index would skip too\n"
    );
    let short = project.run(&["chunk", ".", "--json"]).ok();
    assert_eq!(short.stdout, run.stdout);
}

#[test]
fn text_shows_each_chunk() {
    let project = Project::new();
    let run = project
        .run_with(
            &[
                "chunk", "-", "--format", "text", "--max", "10", "--target", "10", "--min", "0",
            ],
            b"One sentence is here. Another one is there.\n",
        )
        .ok();
    insta::assert_snapshot!(run.stdout, @r"
    ── 0 · 5 tokens · (paragraph)  part 1/2
    One sentence is here.
    ── 1 · 5 tokens · (paragraph)  part 2/2
    Another one is there.
    ");
}

#[test]
fn an_empty_file_has_no_chunks_and_is_not_an_error() {
    let project = Project::new().file("empty.md", "");
    let run = project.run(&["chunk", "empty.md"]).ok();
    insta::assert_snapshot!(run.stdout, @r"
    empty.md · 0 tokens · whole (detected: 0 tokens, under twice `min` (50))
    no chunks: there is no text
    ");
    assert_eq!(
        project
            .run(&["chunk", "empty.md", "--format", "jsonl"])
            .ok()
            .stdout,
        ""
    );
}

#[test]
fn utf16_with_a_mark_is_read() {
    let bytes: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("né 漢\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let project = Project::new().file("a.txt", bytes);
    let chunks = project
        .run(&["chunk", "a.txt", "--format", "jsonl"])
        .ok()
        .json();
    assert_eq!(chunks[0]["text"], "né 漢");
}

#[test]
fn invalid_utf8_is_split_only_with_lossy() {
    let project = Project::new().file("a.txt", b"caf\x81 au lait");
    project
        .run(&["chunk", "a.txt"])
        .fails("excerpt: `a.txt` cannot be split: not UTF-8; `--lossy` replaces invalid bytes");
    let chunks = project
        .run(&["chunk", "a.txt", "--lossy", "--format", "jsonl"])
        .ok()
        .json();
    assert_eq!(chunks[0]["text"], "caf\u{fffd} au lait");
}

#[test]
fn a_reader_that_closes_the_pipe_is_not_an_error() {
    let project = Project::new().file("a.md", "# H\n\nSome text.\n\n".repeat(20_000));
    let mut child = project
        .command(&["chunk", "a.md", "--format", "jsonl"])
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_encoding_of_a_file_is_printed_with_its_spans() {
    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(
            "# Tee\n\nGrüner Tee.\n"
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        )
        .collect();
    let project = Project::new().file("a.md", "# Tea\n").file("b.md", wide);
    for (path, encoding) in [("a.md", "utf-8"), ("b.md", "utf-16le")] {
        let run = project.run(&["chunk", path, "--format", "json"]).ok();
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(json["documents"][0]["encoding"], encoding);
        project.run(&["sync"]).ok();
        let read = &project.run(&["get", path, "--json"]).ok().json()[0];
        assert_eq!(read["encoding"], encoding);
    }
    let hit = &project.run(&["search", "grüner", "--json"]).ok().json()[0];
    assert_eq!(hit["document"]["encoding"], "utf-16le");
}

#[test]
fn json_has_a_summary() {
    let text = "# A\n\n".to_string() + &"Tea grows on hills. ".repeat(100);
    let project = Project::new().file("a.md", text);
    let run = project
        .run(&["chunk", "a.md", "--max", "100", "--format", "json"])
        .ok();
    let cut: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let (document, summary) = (&cut["documents"][0], &cut["documents"][0]["summary"]);
    let sizes = document["chunks"].as_array().unwrap().iter();
    let sizes: Vec<u64> = sizes
        .map(|chunk| chunk["tokens"]["total"].as_u64().unwrap())
        .collect();
    assert_eq!(summary["chunks"], sizes.len());
    assert_eq!(summary["smallest"], *sizes.iter().min().unwrap());
    assert_eq!(summary["largest"], *sizes.iter().max().unwrap());
    assert_eq!(
        summary["mean"],
        sizes.iter().sum::<u64>() / sizes.len() as u64
    );
    assert_eq!(
        (&summary["oversized"], &summary["undersized"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn the_outline_lists_every_block() {
    let text = "# T\n\nText.\n\n- a\n- b\n\n```rust\nfn a() {}\n```\n";
    let project = Project::new().file("o.md", text);
    let run = project
        .run(&["chunk", "o.md", "--format", "outline-json"])
        .ok();
    let blocks = run.json();
    let types: Vec<&str> = blocks
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["heading", "paragraph", "list", "code"]);
    assert_eq!(
        (&blocks[0]["level"], &blocks[0]["lines"]),
        (&1.into(), &serde_json::json!([1, 1]))
    );
    assert_eq!(
        (&blocks[3]["language"], &blocks[3]["lines"]),
        (&"rust".into(), &serde_json::json!([8, 10]))
    );
    let shown = project
        .run(&["chunk", "o.md", "--format", "outline"])
        .ok()
        .stdout;
    assert_eq!(shown.lines().count(), 5, "{shown}");
}

/// Two cells of Markdown that give a chunk each.
const NOTEBOOK: &str = r##"{
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": "# Tea\n\nGreen tea is steeped for two minutes."},
        {"cell_type": "markdown", "metadata": {}, "source": "# Milk\n\nFresh milk keeps for three days."}
    ],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5
}"##;

#[test]
fn each_chunk_of_a_file_that_is_no_text_has_its_place() {
    const SMALL: [&str; 4] = ["--max", "20", "--min", "1"];
    let project = Project::new()
        .file("notes.ipynb", NOTEBOOK)
        .file("talk.srt", "1\n00:01:05,000 --> 00:01:07,000\nTea?\n")
        .file("a.md", "# A\n");
    let run = |form: &str, file: &str| {
        let args = [&["chunk", file, "--format", form], &SMALL[..]].concat();
        project.run(&args).ok()
    };
    let places = |chunks: &[serde_json::Value]| -> Vec<String> {
        let places = chunks.iter().map(|chunk| chunk["place"].to_string());
        places.collect()
    };
    let lines = run("jsonl", "notes.ipynb").json();
    assert_eq!(places(&lines), ["\"cell-1\"", "\"cell-2\""]);
    let json = run("json", "notes.ipynb").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let document = &json["documents"][0];
    let chunks = document["chunks"].as_array().unwrap();
    assert_eq!(places(chunks), ["\"cell-1\"", "\"cell-2\""]);
    assert!(document.get("places").is_none());
    let lines = run("jsonl", "talk.srt").json();
    assert_eq!(places(&lines), ["\"t=00:01:05\""]);
    assert!(run("jsonl", "a.md").json()[0].get("place").is_none());
    let page = run("html", "notes.ipynb").stdout;
    assert!(page.contains("<dt>Place</dt><dd><bdi>cell-2</bdi></dd>"));
}
