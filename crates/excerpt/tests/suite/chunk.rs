//! `excerpt chunk`.

use crate::fixture::Project;

const GUIDE: &str = "# Guide\n\nWhat this is.\n\n## Install\n\nRun the installer. It asks nothing.\n\n```sh\nmake install\n```\n\n## Use\n\nAsk a question:\n\n- in a shell\n- in a program\n";

#[test]
fn the_table_shows_each_cut() {
    let project = Project::new().file("guide.md", GUIDE);
    let run = project
        .run(&["chunk", "guide.md", "--strategy", "headers", "--min", "1"])
        .ok();
    insta::assert_snapshot!(run.stdout, @"");
}

#[test]
fn the_table_shows_warnings() {
    let project = Project::new().file("a.md", "# A\n\nx\n\n# B\n\nlonger text in this one\n");
    let run = project
        .run(&[
            "chunk",
            "a.md",
            "--strategy",
            "headers",
            "--levels",
            "1,2",
            "--max",
            "20",
            "--target",
            "20",
            "--min",
            "4",
            "--delimiter",
            "x",
        ])
        .ok();
    insta::assert_snapshot!(run.stdout, @"");
}

#[test]
fn jsonl_is_one_chunk_a_line() {
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
fn json_holds_every_document_of_a_folder() {
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
    insta::assert_snapshot!(run.stdout, @"");
}

#[test]
fn an_empty_file_has_no_chunk_and_is_no_error() {
    let project = Project::new().file("empty.md", "");
    let run = project.run(&["chunk", "empty.md"]).ok();
    insta::assert_snapshot!(run.stdout, @"");
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
fn what_is_no_text_is_cut_only_when_asked() {
    let project = Project::new().file("a.txt", b"caf\xe9 au lait");
    project
        .run(&["chunk", "a.txt"])
        .fails("excerpt: `a.txt` cannot be cut: not UTF-8; `--lossy` replaces what is not text");
    let chunks = project
        .run(&["chunk", "a.txt", "--lossy", "--format", "jsonl"])
        .ok()
        .json();
    assert_eq!(chunks[0]["text"], "caf\u{fffd} au lait");
}

#[test]
fn a_reader_that_closes_the_pipe_has_what_it_wanted() {
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
