//! `excerpt eval`.

use std::collections::BTreeSet;
use std::path::Path;

use excerpt_index::eval::QuestionSet;

use crate::fixture::Project;

/// Notes in `notes/`, and a set of four questions next to them. The scope of each question leaves
/// no choice to the ranking; that of the last does not contain its answer.
fn tea() -> Project {
    let questions = [
        r#"{"id": "green", "query": "how hot is the water for green tea", "scope": "green.md", "category": "water", "relevant": [{"path": "green.md", "text": "The water should have 80 degrees."}]}"#,
        r#"{"id": "black", "query": "black tea minutes", "category": "time", "relevant": [{"path": "black.md"}]}"#,
        r#"{"id": "herbs", "query": "herbs", "scope": "more/", "category": "time", "relevant": [{"path": "more/herbs.md", "start_line": 3}]}"#,
        r#"{"id": "milk", "query": "tea with milk", "scope": "more", "relevant": [{"path": "black.md", "text": "four minutes"}]}"#,
    ];
    Project::new()
        .file(
            "notes/green.md",
            "# Green tea\n\nThe water should have 80 degrees.\n\nTwo minutes are enough.\n",
        )
        .file(
            "notes/black.md",
            "# Black tea\n\nBoiling water, four minutes.\n",
        )
        .file("notes/more/herbs.md", "# Herbs\n\nChamomile helps.\n")
        .file("questions/queries.jsonl", questions.join("\n"))
}

/// Long sections on different topics.
fn long() -> Project {
    let section = |thing: &str| {
        format!(
            "## {thing}\n\n{}",
            format!("The {thing} stands in the garden and is watered. ").repeat(30)
        )
    };
    let things = ["rose", "tulip", "fern", "moss"];
    let text: Vec<String> = things.iter().map(|thing| section(thing)).collect();
    let questions = things.iter().map(|thing| {
        format!(
            r###"{{"query": "{thing}", "relevant": [{{"path": "a.md", "text": "## {thing}"}}]}}"###
        )
    });
    Project::new()
        .file("notes/a.md", format!("# Garden\n\n{}\n", text.join("\n\n")))
        .file(
            "questions/queries.jsonl",
            questions.collect::<Vec<_>>().join("\n"),
        )
}

const EVAL: [&str; 4] = ["eval", "questions", "--corpus", "notes"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    EVAL.iter().chain(more).copied().collect()
}

#[test]
fn measures_are_shown_with_their_intervals() {
    let run = tea().run(&with(&["--by", "category"])).ok();
    insta::assert_snapshot!(run.stdout, @r"
    questions · 4 questions · 3 documents in 3 chunks, mean size 16
      measure         mean  95 % interval   questions
      recall@1       0.750  0.250 to 1.000          4
      recall@5       0.750  0.250 to 1.000          4
      recall@10      0.750  0.250 to 1.000          4
      recall@20      0.750  0.250 to 1.000          4
      ndcg@10        0.750  0.250 to 1.000          4
      mrr@10         0.750  0.250 to 1.000          4
      accuracy@1     0.750  0.250 to 1.000          4
      files@5        0.750  0.250 to 1.000          4
      coverage@5     0.667  0.000 to 1.000          3
      precision@5    0.368  0.000 to 0.640          3
      iou@5          0.368  0.000 to 0.640          3
      coverage@8000  0.667  0.000 to 1.000          3
      kept@1         0.750  0.250 to 1.000          4

      category  questions  ndcg@10  95 % interval   recall@5  mrr@10  coverage@8000
      (none)            1    0.000  0.000 to 0.000     0.000   0.000          0.000
      time              2    1.000  1.000 to 1.000     1.000   1.000          1.000
      water             1    1.000  1.000 to 1.000     1.000   1.000          1.000

    1 question has its answer below the best 10 chunks, or not at all; `--misses` lists them
    ");
    assert_eq!(run.stderr, "");
}

#[test]
fn misses_are_listed() {
    let run = tea().run(&with(&["--misses"])).ok();
    let list: Vec<&str> = run.stdout.lines().rev().take(4).collect();
    insta::assert_snapshot!(list.into_iter().rev().collect::<Vec<_>>().join("\n"), @r"
      rank  missed
         –  milk: tea with milk

    1 question has its answer below the best 10 chunks, or not at all
    ");
}

#[test]
fn documents_are_in_the_folder_of_the_set_by_default() {
    let project = Project::new().file("set/corpus/a.md", "# Tea\n").file(
        "set/queries.jsonl",
        r#"{"query": "tea", "relevant": [{"path": "a.md"}]}"#,
    );
    let run = project.run(&["eval", "set"]).ok();
    assert!(
        run.stdout
            .starts_with("set · 1 question · 1 document in 1 chunk, ")
    );
    assert!(
        run.stdout
            .ends_with("\n\nevery question has an answer among the best 10 chunks\n")
    );
}

/// A folder with a question from a comment and one from a section.
fn minable() -> Project {
    let text = "Iron pots are heavier, and copper needs care. ".repeat(8);
    Project::new()
        .file(
            "tea/pots.md",
            format!("# Pots\n\nA pot of clay keeps tea warm for an hour. {text}\n"),
        )
        .file(
            "tea/brew.rs",
            "/// Draws leaves until nobody can wait.\npub fn brew(leaves: u8) -> u8 {\n    leaves\n}\n",
        )
        .file("tea/.env", "A=1\n")
}

#[test]
fn a_set_is_mined_from_a_folder() {
    let project = minable();
    let run = project.run(&["eval", "mine", "tea", "--out", "set"]).ok();
    insta::assert_snapshot!(run.stdout, @r"
    tea · 2 questions · 2 documents
      definition      1  rust 1
      section         1  markdown 1
      skipped: 1 may contain secrets
      without questions from commits: no history of git was found

    next: excerpt eval set
    ");
    let run = project.run(&["eval", "set"]).ok();
    assert!(run.stdout.starts_with("set · 2 questions · 2 documents"));
    let run = project
        .run(&[
            "eval", "mine", "tea", "--out", "other", "--name", "x", "--limit", "1", "--json",
        ])
        .ok();
    let mined: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        mined,
        serde_json::json!({
            "schema": 1, "name": "x", "files": 2, "skipped": {"may contain secrets": 1},
            "has_history": false,
            "questions": {"definition": {"rust": 1}, "section": {"markdown": 1}},
        })
    );
}

#[test]
fn what_cannot_be_mined_is_an_error() {
    let project = minable();
    let cases = [
        (
            "none",
            "set",
            "excerpt: `none` does not exist: give a folder with documents or source code",
        ),
        (
            "tea/pots.md",
            "set",
            "excerpt: `tea/pots.md` is not a folder: give a folder with documents or source code",
        ),
        (
            "tea",
            "tea",
            "excerpt: `tea` is not empty: name a folder that does not exist yet",
        ),
        (
            "tea",
            "tea/set",
            "excerpt: `tea/set` is inside `tea`, whose documents would then include the questions: name a folder outside of it",
        ),
    ];
    for (folder, out, message) in cases {
        project
            .run(&["eval", "mine", folder, "--out", out])
            .fails(message);
    }
    assert_eq!(project.run(&["eval", "mine", "tea"]).code, Some(2));
    let none = ["eval", "mine", "tea", "--out", "none", "--limit", "0"];
    assert_eq!(project.run(&none).code, Some(2));
}

#[test]
fn a_question_without_an_answer_should_find_only_weak_matches() {
    let project = tea();
    project.write(
        "questions/queries.jsonl",
        [
            r#"{"query": "water for green tea", "relevant": [{"path": "green.md"}]}"#,
            r#"{"query": "train tickets to Vienna", "relevant": []}"#,
            r#"{"query": "black tea", "relevant": []}"#,
        ]
        .join("\n"),
    );
    let run = project.run(&with(&["--misses"])).ok();
    let lines: Vec<&str> = run.stdout.lines().rev().take(4).collect();
    insta::assert_snapshot!(lines.into_iter().rev().collect::<Vec<_>>().join("\n"), @r"
      kept@1      1.000  1.000 to 1.000          1
      weak@1      0.500  0.000 to 1.000          2

    every question that has an answer has one among the best 10 chunks
    ");
    let report = &project.run(&with(&["--json"])).ok().json()[0];
    assert_eq!(
        report["questions"][1]["scores"],
        serde_json::json!({"weak@1": 1.0})
    );
}

#[test]
fn questions_among_the_documents_are_not_searched() {
    let project = Project::new()
        .file("tea.md", "# Tea\n\nGreen or black.\n")
        .file(
            "eval/queries.jsonl",
            r#"{"query": "what does a samovar cost", "relevant": [{"path": "tea.md"}]}"#,
        )
        .file("eval/before.json", "what does a samovar cost");
    let report = &project
        .run(&["eval", "eval", "--corpus", ".", "--json"])
        .ok()
        .json()[0];
    assert_eq!(report["documents"], 1);
}

#[test]
fn json_is_the_whole_report() {
    let run = tea().run(&with(&["--json", "--target", "300"])).ok();
    let [report] = &run.json()[..] else {
        panic!("{}", run.stdout)
    };
    assert_eq!(report["schema"], 1);
    assert_eq!(report["set"], "questions");
    assert_eq!(report["rule"], "half");
    assert_eq!(report["chunking"]["target"], 300);
    assert_eq!(report["documents"], 3);
    assert_eq!(report["measures"]["recall@5"]["mean"], 0.75);
    assert_eq!(report["measures"]["coverage@5"]["count"], 3);
    let green = &report["questions"][0];
    assert_eq!(green["id"], "green");
    assert_eq!(green["category"], "water");
    assert_eq!(green["rank"], 1);
    assert_eq!(green["scores"]["ndcg@10"], 1.0);
}

#[test]
fn a_question_may_be_limited_to_a_folder() {
    let project = tea();
    project.write(
        "questions/queries.jsonl",
        r#"{"query": "tea minutes herbs", "scope": "more/", "relevant": [{"path": "more/herbs.md"}]}"#,
    );
    let report = &project.run(&with(&["--json"])).ok().json()[0];
    assert_eq!(report["questions"][0]["rank"], 1);
}

#[test]
fn the_rule_decides_when_a_chunk_is_an_answer() {
    let project = long();
    project.write(
        "questions/queries.jsonl",
        r#"{"query": "rose", "relevant": [{"path": "a.md", "start_line": 3, "end_line": 17}]}"#,
    );
    let score = |rule: &str| {
        let report = project
            .run(&with(&["--json", "--target", "50", "--rule", rule]))
            .ok();
        report.json()[0]["measures"]["recall@1"]["mean"].clone()
    };
    assert_eq!(score("any"), 1.0);
    let run = project.run(&with(&["--rule", "any"])).ok();
    assert!(
        run.stdout
            .lines()
            .next()
            .unwrap()
            .ends_with(" · any shared character is enough")
    );
}

#[test]
fn answers_in_skipped_documents_are_reported() {
    let project = tea()
        .file("notes/cup.png", "x")
        .file("notes/big.txt", "x".repeat(3 << 20));
    project.write(
        "questions/queries.jsonl",
        concat!(
            r#"{"query": "black tea", "relevant": [{"path": "black.md"}, {"path": "big.txt"}]}"#,
            "\n",
            r#"{"id": "cup", "query": "cup", "relevant": [{"path": "cup.png"}]}"#,
        ),
    );
    let run = project.run(&EVAL).ok();
    assert_eq!(
        run.stderr,
        "note: an answer to `black tea` is not indexed: `big.txt` (too large: 3145728 bytes, the limit is 2097152)\n\
         note: an answer to `cup` is not indexed: `cup.png` (binary)\n"
    );
    assert!(
        run.stdout
            .starts_with("questions · 1 question · 3 documents in 3 chunks, ")
    );
    let report = &project.run(&with(&["--json"])).ok().json()[0];
    assert_eq!(report["left_out"][1]["reason"], "binary");
    project.write(
        "questions/queries.jsonl",
        r#"{"query": "cup", "relevant": [{"path": "cup.png"}]}"#,
    );
    project.run(&EVAL).fails("excerpt: every answer in `questions/queries.jsonl` is in a document that is not indexed, such as `cup.png` (binary)");
}

#[test]
fn a_sweep_tries_every_combination() {
    let run = long()
        .run(&with(&["--sweep", "max=400,500", "overlap=0,20"]))
        .ok();
    insta::assert_snapshot!(run.stdout, @r"
    questions · 4 questions · 1 document
         max  overlap  chunks  size  ndcg@10  95 % interval   recall@5  coverage@8000
      *  400        0       4   353    1.000  1.000 to 1.000     1.000          1.000
         400       20       4   353    1.000  1.000 to 1.000     1.000          1.000
         500        0       4   353    1.000  1.000 to 1.000     1.000          1.000
         500       20       4   353    1.000  1.000 to 1.000     1.000          1.000

      combination         ndcg@10                                          to the best  95 % interval
      max=400 overlap=0   ██████████████████████████  best
      max=400 overlap=20  ██████████████████████████  no clear difference       +0.000  +0.000 to +0.000
      max=500 overlap=0   ██████████████████████████  no clear difference       +0.000  +0.000 to +0.000
      max=500 overlap=20  ██████████████████████████  no clear difference       +0.000  +0.000 to +0.000
    ");
    let run = long()
        .run(&with(&[
            "--sweep",
            "max=60,400",
            "search.channels=keywords",
        ]))
        .ok();
    assert!(run.stdout.contains("\n  *  400  "), "{}", run.stdout);
    let run = long().run(&with(&["--json", "--sweep", "max=60,400"])).ok();
    let reports = run.json();
    assert_eq!(reports.len(), 2);
    assert_eq!(reports[0]["sweep"]["max"], "60");
    assert_eq!(reports[0]["chunking"]["max"], 60);
    assert!(reports[0]["chunks"].as_u64() > reports[1]["chunks"].as_u64());
}

#[test]
fn a_project_sets_the_base_of_a_sweep() {
    let project = long().file("notes/excerpt.toml", "[chunking]\nstrategy = \"headers\"\n");
    let run = project
        .run(&with(&["--json", "--sweep", "max=500,600"]))
        .ok();
    for report in run.json() {
        assert_eq!(report["chunking"]["strategy"], "headers");
    }
}

#[test]
fn an_invalid_sweep_is_an_error_before_it_begins() {
    let cases = [
        (
            "targett=1",
            "excerpt: --sweep targett=1: unknown field `targett` in `[chunking]`, did you mean `target`?",
        ),
        (
            "min=10,500",
            "excerpt: --sweep min=500: `min` is `500`, expected a size below `target` (400)",
        ),
        (
            "target=60,60",
            "excerpt: --sweep: `target=60` and `target=60` result in the same settings: name each field and value once",
        ),
    ];
    for (axis, message) in cases {
        long().run(&with(&["--sweep", axis])).fails(message);
    }
    let run = long().run(&with(&["--sweep", "colour=red"]));
    insta::assert_snapshot!(run.stderr, @r"
    excerpt: --sweep colour=red: unknown field `colour` in `[chunking]`, expected one of preset, strategy, unit, target, max, min, overlap, levels, delimiter, include_delimiter, atomic, context, complete_sentences, continuation_marker, overview, per_entry
    ");
    let run = long().run(&with(&["--sweep", "target"]));
    insta::assert_snapshot!(run.stderr, @r"
    error: invalid value 'target' for '--sweep <FIELD=VALUES>...': expected a field and its values, such as target=128,256,400

    For more information, try '--help'.
    ");
}

/// A report of four questions, the first two of which have these scores.
fn report(scores: [f64; 2], more: &str) -> String {
    let question = |id: &str, query: &str, score: f64| {
        format!(
            r#"{{"id": "{id}", "query": "{query}", "rank": 1, "scores": {{"ndcg@10": {score}, "recall@5": 1.0}}}}"#
        )
    };
    let questions = [
        question("1", "tea", scores[0]),
        question("2", "milk", scores[1]),
        question("3", more, 1.0),
    ];
    format!(
        r#"{{"schema": 1, "set": "tea", "rule": "half", "documents": 1, "chunks": 2, "mean_size": 30.0, "questions": [{}], "left_out": []}}"#,
        questions.join(", ")
    )
}

#[test]
fn two_reports_are_compared_question_by_question() {
    let project = Project::new()
        .file("a.json", report([0.5, 0.4], "sugar"))
        .file("b.json", report([0.7, 0.5], "lemon"));
    let run = project.run(&["eval", "--compare", "a.json", "b.json"]).ok();
    insta::assert_snapshot!(run.stdout, @r"
    A a.json · B b.json
    2 questions in common
      measure       A      B   B - A  95 % interval
      recall@5  1.000  1.000  +0.000  +0.000 to +0.000
      ndcg@10   0.450  0.600  +0.150  +0.100 to +0.200  better
    ");
    insta::assert_snapshot!(run.stderr, @r"
    note: 1 question only in A, ignored: 3
    note: 1 question only in B, ignored: 3
    ");
    let run = project
        .run(&["eval", "--json", "--compare", "a.json", "b.json"])
        .ok();
    let value = &run.json()[0];
    assert_eq!(value["common"], 2);
    assert_eq!(value["only_second"][0], "3");
    assert_eq!(value["measures"]["recall@5"]["gain"]["mean"], 0.0);
}

#[test]
fn what_json_prints_can_be_compared() {
    let project = tea();
    for (file, target) in [("a.json", "400"), ("b.json", "60")] {
        let report = project
            .run(&with(&["--json", "--target", target]))
            .ok()
            .stdout;
        project.write(file, report);
    }
    let run = project.run(&["eval", "--compare", "a.json", "b.json"]).ok();
    assert!(
        run.stdout
            .starts_with("A a.json · B b.json\n4 questions in common\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn reports_that_cannot_be_compared_are_an_error() {
    let good = report([0.5, 0.4], "sugar");
    let project = Project::new()
        .file("a.json", &good)
        .file("sweep.json", format!("{good}\n{good}\n"))
        .file("any.json", good.replace("half", "any"))
        .file(
            "other.json",
            good.replace("\"query\": \"", "\"query\": \"no "),
        )
        .file("form.json", good.replace("\"schema\": 1", "\"schema\": 2"))
        .file("notes.md", "# Notes\n")
        .file("empty.json", "")
        .file("foreign.json", "{\"schema\": 1}");
    let cases = [
        (
            "nowhere.json",
            "excerpt: cannot read `nowhere.json`: no such file or directory",
        ),
        (
            "notes.md",
            "excerpt: `notes.md` is not a report: `excerpt eval SET --json` prints one",
        ),
        (
            "empty.json",
            "excerpt: `empty.json` is not a report: `excerpt eval SET --json` prints one",
        ),
        (
            "foreign.json",
            "excerpt: `foreign.json` is not a report: `excerpt eval SET --json` prints one",
        ),
        (
            "form.json",
            "excerpt: `form.json` has schema 2, expected 1: print the report again",
        ),
        (
            "sweep.json",
            "excerpt: `sweep.json` contains 2 reports, one per line: put the one to compare into a separate file",
        ),
        (
            "any.json",
            "excerpt: `a.json` and `any.json` were scored by different rules: use one `--rule`",
        ),
        (
            "other.json",
            "excerpt: `a.json` and `other.json` have no question in common",
        ),
    ];
    for (file, message) in cases {
        project
            .run(&["eval", "--compare", "a.json", file])
            .fails(message);
    }
}

#[test]
fn contradicting_flags_are_an_error() {
    let project = tea();
    let run = project.run(&[
        "eval",
        "--compare",
        "a.json",
        "b.json",
        "--sweep",
        "target=1",
    ]);
    insta::assert_snapshot!(run.stderr, @r"
    error: the argument '--compare <A> <B>' cannot be used with '--sweep <FIELD=VALUES>...'

    Usage: excerpt eval --compare <A> <B> [SET]

    For more information, try '--help'.
    ");
    assert_eq!(run.code, Some(2));
    assert_eq!(
        project
            .run(&["eval", "questions", "--compare", "a.json", "b.json"])
            .code,
        Some(2)
    );
    assert_eq!(project.run(&["eval"]).code, Some(2));
    project.run(&["eval", "--compare", "a.json", "b.json", "--target", "3"]).fails(
        "excerpt: `--compare` reads two reports and splits nothing: remove the chunking options",
    );
}

#[test]
fn an_invalid_set_is_an_error() {
    let project = tea()
        .file("empty/queries.jsonl", "\n")
        .file("alone/queries.jsonl", "{}")
        .file("bad/queries.jsonl", "{\"query\": \"tea\"")
        .file(
            "far/queries.jsonl",
            r#"{"query": "tea", "relevant": [{"path": "green.md", "start_line": 90}]}"#,
        )
        .file(
            "lost/queries.jsonl",
            r#"{"query": "tea", "relevant": [{"path": "grene.md"}]}"#,
        )
        .file(
            "gone/queries.jsonl",
            r#"{"query": "tea", "relevant": [{"path": "green.md", "text": "coffee"}]}"#,
        );
    let cases = [
        (
            "nowhere",
            "`nowhere/queries.jsonl` does not exist: a question set is a folder with this file, one question per line",
        ),
        (
            "notes/green.md",
            "`notes/green.md` is a file: give the folder that contains it",
        ),
        (
            "notes",
            "`notes/queries.jsonl` does not exist: a question set is a folder with this file, one question per line",
        ),
        (
            "empty",
            "`empty/queries.jsonl` contains no questions: write one per line, such as {\"query\": \"how long does tea draw\", \"relevant\": [{\"path\": \"tea.md\"}]}",
        ),
        ("alone", "alone/queries.jsonl:1: missing field `query`"),
        (
            "bad",
            "bad/queries.jsonl:1: invalid JSON: EOF while parsing an object at column 15",
        ),
        (
            "far",
            "far/queries.jsonl:1: `green.md` has 5 lines, but the answer is given as 90 to 90",
        ),
        (
            "lost",
            "lost/queries.jsonl:1: there is no document `grene.md` in `[folder]/project/notes`, did you mean `green.md`?",
        ),
        (
            "gone",
            "gone/queries.jsonl:1: `green.md` does not contain the text `coffee`",
        ),
    ];
    for (set, message) in cases {
        let run = project.run(&["eval", set, "--corpus", "notes"]);
        run.fails(&format!("excerpt: {message}"));
    }
    project.run(&["eval", "questions"]).fails("excerpt: the folder `[folder]/project/questions/corpus` does not exist: give the one with the documents as `--corpus`");
    project
        .run(&["eval", "questions", "--corpus", "teas"])
        .fails("excerpt: the folder `teas` does not exist: give the one with the documents as `--corpus`");
    project.run(&["eval", "questions", "--corpus", "questions"]).fails("excerpt: `questions` contains both questions and documents: move the questions into a folder of their own, which is then excluded");
}

#[test]
fn no_temporary_files_remain() {
    let project = tea();
    let temporary = project.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let output = project
        .command(&EVAL)
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(std::fs::read_dir(temporary).unwrap().count(), 0);
    assert!(!project.data().exists());
}

/// The questions about this repository.
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../eval/excerpt");

#[test]
fn our_own_questions_find_their_answers_in_the_repository() {
    let own = Path::new(OWN);
    let repository = own.ancestors().nth(2).unwrap();
    let set = QuestionSet::read(own, Some(repository)).unwrap();
    let unanswerable = set.questions.iter();
    let unanswerable = unanswerable.filter(|question| question.answers.is_empty());
    let unanswerable = unanswerable.count();
    assert!(unanswerable >= 60 && set.questions.len() - unanswerable >= 60);
    assert_eq!(set.left_out, []);
    let categories = set
        .questions
        .iter()
        .map(|question| question.category.as_deref().unwrap());
    let categories: BTreeSet<&str> = categories.collect();
    assert_eq!(
        Vec::from_iter(categories),
        [
            "code",
            "everyday",
            "not offered",
            "other software",
            "paraphrase",
            "prose",
            "symbol"
        ]
    );
}
