//! `excerpt.toml`: the user's own and the project's, and what is rejected in either.

use serde_json::json;

use crate::endpoint::{Endpoint, table};
use crate::fixture::Project;
use crate::mcp_client::Client;

fn tea() -> Project {
    Project::new()
        .file(
            "green.md",
            "# Green tea\n\nThe water should have 80 degrees.\n",
        )
        .file("black.md", "# Black tea\n\nBoiling water, four minutes.\n")
}

/// Checks the message of a search with this file as the project's.
#[track_caller]
fn refused(file: &str, message: &str) {
    let project = tea().file("excerpt.toml", file);
    project.run(&["search", "tea"]).fails(message);
}

#[test]
fn a_project_sets_how_its_documents_are_ranked() {
    let project = tea();
    let all_words = |project: &Project| -> f64 {
        let hit = &project.run(&["search", "tea water", "--json"]).ok().json()[0];
        let signals = hit["explanation"]["signals"].as_array().unwrap().iter();
        let named = signals.filter(|signal| signal["name"] == "all words");
        named.map(|signal| signal["factor"].as_f64().unwrap()).sum()
    };
    assert!((all_words(&project) - 1.3).abs() < 1e-6);
    project.write("excerpt.toml", "[search.signals]\nall_words = 2\n");
    assert!((all_words(&project) - 2.0).abs() < 1e-6);
    project.write("excerpt.toml", "[search]\nchannels = \"keywords\"\n");
    let run = project.run(&["search", "tea"]).ok();
    assert!(
        run.stderr.trim_end().ends_with("keywords"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_project_overrides_its_user_field_by_field() {
    let project = tea()
        .own_file("[search]\nfusion = \"rrf\"\n[search.signals]\nall_words = 3.0\ntest = 0.5\n[chunking]\ntarget = 300\n")
        .file("excerpt.toml", "[search.signals]\nall_words = 2.0\n");
    let hit = &project.run(&["search", "tea water", "--json"]).ok().json()[0];
    let score = hit["score"].as_f64().unwrap();
    assert!(score < 0.1, "rrf of the user's: {score}");
    assert_eq!(hit["explanation"]["signals"][0]["factor"], 2.0);
    let report = project.run(&["doctor", "--json"]);
    let files = &report.json()[0]["configuration"];
    assert_eq!(files[0]["owner"], "user");
    assert_eq!(
        files[0]["sets"],
        serde_json::json!([
            "chunking.target",
            "search.fusion",
            "search.signals.all_words",
            "search.signals.test"
        ])
    );
    assert_eq!(files[1]["owner"], "project");
    assert_eq!(
        files[1]["sets"],
        serde_json::json!(["search.signals.all_words"])
    );
}

#[test]
fn an_error_is_shown_with_its_position() {
    refused(
        "[search]\nfuson = \"rrf\"\n",
        "excerpt: [folder]/project/excerpt.toml:2:1: unknown field `fuson` in `[search]`, did you mean `fusion`?\n2 | fuson = \"rrf\"\n  | ^^^^^",
    );
    refused(
        "[search.signals]\ntests = 0.5\n",
        "excerpt: [folder]/project/excerpt.toml:2:1: unknown field `tests` in `[search.signals]`, did you mean `test`?\n2 | tests = 0.5\n  | ^^^^^",
    );
    refused(
        "[search]\nfusion = \"sum\"\n",
        "excerpt: [folder]/project/excerpt.toml:2:10: `fusion` is `\"sum\"`, expected one of convex, rrf\n2 | fusion = \"sum\"\n  |          ^^^^^",
    );
    refused(
        "[search]\nvectors_in_prose = \"much\"\n",
        "excerpt: [folder]/project/excerpt.toml:2:20: `vectors_in_prose` is `\"much\"`, expected a number\n2 | vectors_in_prose = \"much\"\n  |                    ^^^^^^",
    );
    refused(
        "[search]\nvectors_in_prose = 1.5\n",
        "excerpt: [folder]/project/excerpt.toml:2:1: `vectors_in_prose` is `1.5`, expected a share from 0 to 1\n2 | vectors_in_prose = 1.5\n  | ^^^^^^^^^^^^^^^^",
    );
    refused(
        "[search.signals]\ntest = 0\n",
        "excerpt: [folder]/project/excerpt.toml:2:1: `test` is `0`, expected a factor from 0.01 to 10\n2 | test = 0\n  | ^^^^",
    );
    refused(
        "[search.signals]\nneighbours = 2\n",
        "excerpt: [folder]/project/excerpt.toml:2:1: `neighbours` is `2`, expected a share from 0 to 1\n2 | neighbours = 2\n  | ^^^^^^^^^^",
    );
    refused(
        "[search.signals]\nhalf_life = inf\n",
        "excerpt: [folder]/project/excerpt.toml:2:13: `half_life` is `inf`, expected a number\n2 | half_life = inf\n  |             ^^^",
    );
    refused(
        "[files]\nmax_file_size = -1\n",
        "excerpt: [folder]/project/excerpt.toml:2:17: `max_file_size` is `-1`, expected a whole number from 0 to 1099511627776\n2 | max_file_size = -1\n  |                 ^^",
    );
    refused(
        "search = 3\n",
        "excerpt: [folder]/project/excerpt.toml:1:1: `search` is not a table, expected `[search]`\n1 | search = 3\n  | ^^^^^^",
    );
    refused(
        "[searches]\n",
        "excerpt: [folder]/project/excerpt.toml:1:2: unknown table `searches`, did you mean `search`?\n1 | [searches]\n  |  ^^^^^^^^",
    );
    refused(
        "[search]\nsignals = 3\n",
        "excerpt: [folder]/project/excerpt.toml:2:11: `signals` is `3`, expected a table\n2 | signals = 3\n  |           ^",
    );
}

#[test]
fn a_project_does_not_choose_where_texts_are_sent() {
    const WHY: &str = "only `provider = \"built-in\"` or `\"none\"`: its author would choose where your texts and questions are sent; to use it, set it in `[folder]/config/excerpt/excerpt.toml`";
    let endpoint = Endpoint::new();
    refused(
        "[embedding]\nprovider = \"http\"\n",
        &format!(
            "excerpt: [folder]/project/excerpt.toml:2:1: a project's file cannot set `provider`, {WHY}\n2 | provider = \"http\"\n  | ^^^^^^^^"
        ),
    );
    // Nor can it change the address, model or key that the user has chosen.
    for line in [
        "url = \"http://127.0.0.1:1/v1\"",
        "model = \"other\"",
        "key_variable = \"SECRET\"",
    ] {
        let file = format!("[embedding]\n{line}\n");
        let project = tea()
            .own_file(&endpoint.table())
            .file("excerpt.toml", &file);
        let name = line.split(' ').next().unwrap();
        let carets = "^".repeat(name.len());
        for command in [&["search", "tea"][..], &["sync"], &["status"]] {
            project.run(command).fails(&format!(
                "excerpt: [folder]/project/excerpt.toml:2:1: a project's file cannot set `{name}`, {WHY}\n2 | {line}\n  | {carets}"
            ));
        }
    }
    assert!(endpoint.asked().is_empty());
}

#[cfg(feature = "onnx")]
#[test]
fn a_project_does_not_choose_what_the_machine_runs() {
    const WHY: &str = "only `provider = \"built-in\"` or `\"none\"`: its author would choose which model your machine runs; to use it, set it in `[folder]/config/excerpt/excerpt.toml`";
    for line in [
        "provider = \"onnx\"",
        "path = \"model\"",
        "pooling = \"cls\"",
    ] {
        let name = line.split(' ').next().unwrap();
        let carets = "^".repeat(name.len());
        refused(
            &format!("[embedding]\n{line}\n"),
            &format!(
                "excerpt: [folder]/project/excerpt.toml:2:1: a project's file cannot set `{name}`, {WHY}\n2 | {line}\n  | {carets}"
            ),
        );
    }
}

#[cfg(feature = "onnx")]
#[test]
fn an_invalid_model_is_reported_with_its_position() {
    let cases = [
        (
            "[embedding]\nprovider = \"onnx\"\n",
            "2:1: `path` is missing, expected the folder of a model next to `provider = \"onnx\"`\n2 | provider = \"onnx\"\n  | ^^^^^^^^",
        ),
        (
            "[embedding]\npath = \"model\"\n",
            "2:1: `path` is set without a `provider`, expected `provider = \"onnx\"` next to it\n2 | path = \"model\"\n  | ^^^^",
        ),
        (
            "[embedding]\nprovider = \"onnx\"\npath = \"model\"\npooling = \"max\"\n",
            "4:11: `pooling` is `\"max\"`, expected one of mean, cls\n4 | pooling = \"max\"\n  |           ^^^^^",
        ),
        (
            "[embedding]\nprovider = \"onnx\"\npath = \"model\"\nmax_input = 9000\n",
            "4:1: invalid value `9000` for the embedder setting `max_input`, expected a number from 16 to 8192\n4 | max_input = 9000\n  | ^^^^^^^^^",
        ),
    ];
    for (file, message) in cases {
        let project = tea().own_file(file);
        project.run(&["search", "tea"]).fails(&format!(
            "excerpt: [folder]/config/excerpt/excerpt.toml:{message}"
        ));
    }
}

#[cfg(feature = "onnx")]
#[test]
fn a_model_that_cannot_be_loaded_is_an_error_and_a_finding() {
    const REASON: &str = "cannot use the model in `[folder]/config/excerpt/models/mine`: there is no such folder or file: expected the folder of a model";
    let project = tea().own_file("[embedding]\nprovider = \"onnx\"\npath = \"models/mine\"\n");
    for command in [&["search", "tea"][..], &["sync"]] {
        project.run(command).fails(&format!("excerpt: {REASON}"));
    }
    let run = project.run(&["doctor"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains(&format!("- {REASON}\n")),
        "{}",
        run.stdout
    );
}

/// The folder of a real model; without one, a test is skipped.
#[cfg(feature = "onnx")]
#[expect(clippy::print_stderr, reason = "a test says why it is skipped")]
fn model_on_disk() -> Option<String> {
    let model = std::env::var("EXCERPT_MINILM").ok();
    if model.is_none() {
        eprintln!(
            "skipped: EXCERPT_MINILM names no folder that models/minilm/export.py has written"
        );
    }
    model
}

#[cfg(feature = "onnx")]
#[test]
fn a_model_on_disk_embeds_documents_and_questions() {
    let Some(model) = model_on_disk() else {
        return;
    };
    let project = tea().own_file(&format!(
        "[embedding]\nprovider = \"onnx\"\npath = '{model}'\n"
    ));
    project.run(&["sync"]).ok();
    let run = project.run(&["search", "how hot", "--json"]).ok();
    assert_eq!(run.json()[0]["source_path"], "green.md");
    let run = project.run(&["search", "how hot"]).ok();
    assert!(
        run.stderr.contains("keywords and vectors"),
        "{}",
        run.stderr
    );
    let report = &project.run(&["doctor", "--json"]).ok().json()[0];
    assert_eq!(report["embedder"]["provider"], "onnx");
    assert_eq!(report["embedder"]["path"], model);
    assert_eq!(report["embedder"]["dimensions"], 384);
}

#[cfg(feature = "onnx")]
#[test]
fn a_model_on_disk_reorders_hits_as_far_as_the_answer_waits() {
    let Some(model) = model_on_disk() else {
        return;
    };
    let project = tea().own_file(&format!(
        "[rerank]\nprovider = \"onnx\"\npath = '{model}'\n"
    ));
    project.run(&["sync"]).ok();
    let search = |wait| project.run(&["search", "hot water", "--explain", "--wait", wait]);
    let run = search("0").ok();
    let note = "note: the hits were not reranked: the answer did not wait for the model\n";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    assert!(!run.stdout.contains("rerank"), "{}", run.stdout);
    let run = search("3600").ok();
    assert!(run.stdout.contains("rerank"), "{}", run.stdout);
    assert!(!run.stderr.contains("reranked"), "{}", run.stderr);
    let report = &project.run(&["doctor", "--json"]).ok().json()[0];
    assert_eq!(report["reranker"]["provider"], "onnx");
    assert_eq!(report["reranker"]["candidates"], 30);
    let config = project.run(&["status", "--config"]).ok();
    assert!(config.stdout.contains("rerank.share"), "{}", config.stdout);
}

#[test]
fn a_model_for_reordering_is_the_users_choice() {
    let cases = [
        (
            "share = 2\nprovider = \"http\"\nurl = \"http://localhost\"\nmodel = \"m\"\n",
            "2:1: `share` is `2`, expected a share from 0 to less than 1",
        ),
        (
            "url = \"http://localhost\"\n",
            "2:1: `url` is set without a `provider`, expected `provider = \"onnx\"` or `\"http\"` next to it",
        ),
        (
            "provider = \"http\"\nurl = \"http://localhost\"\n",
            "2:1: `model` is missing, expected the name of a model next to `provider = \"http\"`",
        ),
        (
            "wait = 10.5\nprovider = \"http\"\nurl = \"http://localhost\"\nmodel = \"m\"\n",
            "2:1: `wait` is `10.5`, expected a number of seconds up to 10",
        ),
    ];
    for (table, message) in cases {
        let project = tea().own_file(&format!("[rerank]\n{table}"));
        let said = project.run(&["search", "tea"]).stderr;
        let message = format!("excerpt.toml:{message}\n");
        assert!(said.contains(&message), "{said}");
    }
    let project = tea().own_file(
        "[rerank]\nprovider = \"http\"\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\nwait = 10\n",
    );
    let run = project.run(&["search", "tea"]).ok();
    let note = "note: the hits were not reranked: nothing is listening at `http://127.0.0.1:1/v1/rerank`: start the server, or correct the url\n";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    project.write(
        "excerpt.toml",
        "[rerank]\nshare = 0.5\nprovider = \"none\"\n",
    );
    let run = project.run(&["search", "tea"]).ok();
    assert!(!run.stderr.contains("reranked"), "{}", run.stderr);
    project.write("excerpt.toml", "[rerank]\nurl = \"http://elsewhere\"\n");
    let run = project.run(&["search", "tea"]);
    assert!(
        run.stderr.contains("a project's file cannot set `url`, only `share` and `provider = \"none\"`: its author would choose where your texts and questions are sent"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_user_chooses_an_endpoint_and_a_project_may_decline() {
    let endpoint = Endpoint::new();
    let project = tea().own_file(&endpoint.table());
    let run = project.run(&["search", "tea"]).ok();
    assert!(
        run.stderr.trim_end().ends_with("keywords and vectors"),
        "{}",
        run.stderr
    );
    let asked = endpoint.asked();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(asked.contains(&"tea".to_string()));
    project.write("excerpt.toml", "[embedding]\nprovider = \"none\"\n");
    let run = project.run(&["search", "tea water"]).ok();
    assert!(
        run.stderr
            .ends_with("keywords\nnote: the vectors were not used: they are switched off\n"),
        "{}",
        run.stderr
    );
    assert_eq!(endpoint.asked().len(), 3);
}

#[test]
fn a_file_with_an_endpoint_is_named_by_flag_or_variable() {
    let endpoint = Endpoint::new();
    let project = tea().own_file("[embedding]\nprovider = \"none\"\n");
    let folder = project.settings();
    std::fs::write(folder.join("mine.toml"), endpoint.table()).unwrap();
    let named = folder.join("mine.toml");
    project
        .run(&[
            "search",
            "tea",
            "--embedding-config",
            named.to_str().unwrap(),
        ])
        .ok();
    assert_eq!(endpoint.asked().len(), 3);
    let output = project
        .command(&["search", "tea water"])
        .env("EXCERPT_EMBEDDING_CONFIG", &named)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(endpoint.asked().len(), 4);
    project
        .run(&["search", "tea", "--embedding-config", "nowhere.toml"])
        .fails("excerpt: `nowhere.toml` does not exist: name a file with a table `[embedding]`");
}

#[test]
fn an_invalid_endpoint_is_reported_with_its_position() {
    let cases = [
        (
            "[embedding]\nprovider = \"http\"\nmodel = \"m\"\ndimensions = 3\n",
            "2:1: `url` is missing, expected the address of an endpoint next to `provider = \"http\"`\n2 | provider = \"http\"\n  | ^^^^^^^^",
        ),
        (
            "[embedding]\nurl = \"http://localhost/v1\"\n",
            "2:1: `url` is set without a `provider`, expected `provider = \"http\"` next to it\n2 | url = \"http://localhost/v1\"\n  | ^^^",
        ),
        (
            "[embedding]\nprovider = \"openai\"\n",
            "2:12: `provider` is `\"openai\"`, expected one of built-in, http, onnx, none\n2 | provider = \"openai\"\n  |            ^^^^^^^^",
        ),
        (
            "[embedding]\nprovider = \"http\"\nmodel = \"m\"\ndimensions = 0\nurl = \"http://localhost/v1\"\n",
            "4:1: invalid value `0` for the embedder setting `dimensions`, expected a number from 1 to 65536\n4 | dimensions = 0\n  | ^^^^^^^^^^",
        ),
        (
            "[embedding]\nprovider = \"http\"\nmodel = \"m\"\ndimensions = 3\nurl = \"http://me:secret@localhost/v1\"\n",
            "5:1: invalid value `http://localhost/v1` for the embedder setting `url`, expected a url without a password (use `key_variable` for a key)\n5 | url = \"http://me:secret@localhost/v1\"\n  | ^^^",
        ),
        (
            "[embedding]\nprovider = \"http\"\nmodel = \"m\"\ndimensions = 3\nurl = \"http://localhost/v1\"\ntimeout = -3\n",
            "6:1: `timeout` is `-3.0`, expected a number of seconds up to 3600\n6 | timeout = -3\n  | ^^^^^^^",
        ),
        (
            "[embedding]\nprovider = \"http\"\nmodel = \"m\"\ndimensions = 3\nurl = \"http://localhost/v1\"\nretry = 3\n",
            "6:1: unknown field `retry` in `[embedding]`, did you mean `retries`?\n6 | retry = 3\n  | ^^^^^",
        ),
    ];
    for (file, message) in cases {
        let project = tea().own_file(file);
        project.run(&["search", "tea"]).fails(&format!(
            "excerpt: [folder]/config/excerpt/excerpt.toml:{message}"
        ));
    }
}

#[test]
fn without_an_answer_of_the_endpoint_keywords_are_searched() {
    // A port that is not in use.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let project = tea().own_file(&table(&format!("http://127.0.0.1:{port}/v1")));
    let run = project.run(&["sync"]).ok();
    assert!(run.stdout.contains("\nwithout vectors: "), "{}", run.stdout);
    let run = project.run(&["search", "tea"]).ok();
    assert!(run.stdout.contains("green.md"), "{}", run.stdout);
    assert!(
        run.stderr.contains("note: the vectors were not used: "),
        "{}",
        run.stderr
    );
    // Nothing retries in the background.
    let mut search = project.command(&["search", "tea"]);
    let run = project.outcome(search.env("EXCERPT_BACKGROUND", "1")).ok();
    assert!(
        run.stderr.contains(
            "note: all files can be found by keywords; run `excerpt sync` to index the rest\n"
        ),
        "{}",
        run.stderr
    );
    let run = project.run(&["status"]).ok();
    assert!(
        run.stdout.contains("the last sync computed none: "),
        "{}",
        run.stdout
    );
    let run = project.run(&["doctor"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("things need attention"),
        "{}",
        run.stdout
    );
}

/// The number of documents that a sync of a project finds, and its standard error.
fn synced(project: &Project) -> (usize, String) {
    let run = project.run(&["sync", "--json"]).ok();
    let listed = run.json()[0]["listed"].as_u64().unwrap();
    (usize::try_from(listed).unwrap(), run.stderr)
}

#[test]
fn a_project_lowers_limits_and_never_raises_them() {
    let limit = |bytes: usize| format!("[files]\nmax_file_size = {bytes}\n");
    let project = tea().file("large.md", "water ".repeat(100));
    project.write("excerpt.toml", limit(500));
    assert_eq!(synced(&project), (3, String::new()));
    let project = project.own_file(&limit(100));
    let note = "note: [folder]/project/excerpt.toml:2:1: `max_file_size` is 500, above your limit of 100, which a project's file can only lower: 100 applies; to raise it, set it in `[folder]/config/excerpt/excerpt.toml`\n2 | max_file_size = 500\n  | ^^^^^^^^^^^^^\n";
    assert_eq!(synced(&project), (3, note.to_string()));
    let settings = project.run(&["status", "--config"]).ok().stdout;
    let line = settings.lines().find(|line| line.contains("max_file_size"));
    let line = line.unwrap();
    assert!(
        line.contains("= 100  ") && line.ends_with("[folder]/config/excerpt/excerpt.toml"),
        "{line}"
    );
    let project = project.own_file(&limit(1000));
    assert_eq!(synced(&project), (3, String::new()));
    project.write("excerpt.toml", "");
    assert_eq!(synced(&project), (4, String::new()));
}

#[test]
fn a_project_does_not_raise_the_default_limit() {
    let project = tea().file("excerpt.toml", "[files]\nmax_file_size = 1000000000\n");
    let (_, note) = synced(&project);
    assert!(
        note.contains("`max_file_size` is 1000000000, above your limit of 2097152"),
        "{note}"
    );
    let run = project.run(&["doctor"]);
    assert!(
        run.stdout.contains("above your limit of 2097152"),
        "{run:?}"
    );
}

#[test]
fn what_the_user_ignores_stays_ignored_whatever_a_project_ignores() {
    let project = tea().own_file("[files]\nignore = [\"green.md\"]\n").file(
        "excerpt.toml",
        "[files]\nignore = [\"!green.md\", \"black.md\"]\n",
    );
    let (listed, _) = synced(&project);
    assert_eq!(listed, 1, "excerpt.toml alone");
}

#[test]
fn tables_of_other_tools_are_answered_with_ours() {
    refused(
        "[memory.chunking]\ntokens = 400\n",
        "excerpt: [folder]/project/excerpt.toml:1:2: unknown table `memory.chunking`, did you mean `[chunking]`?\n1 | [memory.chunking]\n  |  ^^^^^^",
    );
    refused(
        "[chunking]\ntokens = 400\noverlap = 80\npreserveHeaders = true\n[search]\nmax_num_results = 5\n",
        "excerpt: [folder]/project/excerpt.toml:6:1: unknown field `max_num_results` in `[search]`, set the number of results for each search: `--limit`, or `limit` in MCP\n6 | max_num_results = 5\n  | ^^^^^^^^^^^^^^^",
    );
    refused(
        "max_chunk_size = 300\n",
        "excerpt: [folder]/project/excerpt.toml:1:1: unknown field `max_chunk_size`, did you mean `max` in `[chunking]`?\n1 | max_chunk_size = 300\n  | ^^^^^^^^^^^^^^",
    );
}

#[test]
fn every_unknown_table_or_field_is_an_error_with_its_line() {
    for (table, line) in [
        ("chunking", 2),
        ("files", 2),
        ("search", 2),
        ("search.signals", 2),
        ("embedding", 2),
        ("chunking.deeper", 1),
        ("files.deeper", 1),
        ("watch", 1),
    ] {
        let project = tea().file("excerpt.toml", format!("[{table}]\nbogus_field = 1\n"));
        for command in [
            &["search", "tea"][..],
            &["chunk", "green.md"],
            &["chunk", "-"],
        ] {
            let run = project.run(command);
            let place = format!("[folder]/project/excerpt.toml:{line}:");
            assert_eq!(run.code, Some(2), "{table}: {command:?}");
            assert!(
                run.stderr.contains(&place) && run.stderr.contains("unknown "),
                "{table}: {}",
                run.stderr
            );
        }
    }
    // Also in a file of which only one table counts.
    let project = tea();
    project.write(
        "mine.toml",
        "[embedding]\nprovider = \"none\"\n[search]\nbogus = 1\n",
    );
    let run = project.run(&["search", "tea", "--embedding-config", "mine.toml"]);
    assert!(
        run.stderr
            .contains("mine.toml:4:1: unknown field `bogus` in `[search]`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_ranking_is_chosen_by_name_or_comes_with_the_preset() {
    let project = Project::new()
        .file("projects/README.md", "# Overview\n\nWhat we build.\n")
        .file(
            "notes/list.md",
            "# List\n\nProjects, projects and projects.\n",
        );
    let first = |args: &[&str]| {
        let args = [&["search", "projects", "--files"], args].concat();
        let run = project.run(&args).ok();
        run.stdout.lines().next().unwrap().to_string()
    };
    let shown = |name: &str| {
        let run = project.run(&["status", "--config"]).ok();
        let mut lines = run.stdout.lines().filter_map(|line| line.split_once(" = "));
        let (_, value) = lines.find(|(setting, _)| setting.trim() == name).unwrap();
        value.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(first(&[]), "notes/list.md");
    assert_eq!(first(&["--ranking", "docs"]), "projects/README.md");
    assert_eq!(shown("search.preset"), "\"default\" default");
    project.write("excerpt.toml", "[chunking]\npreset = \"docs\"\n");
    assert_eq!(first(&[]), "projects/README.md");
    assert_eq!(shown("search.preset"), "\"docs\" preset docs");
    assert_eq!(shown("search.fusion"), "\"rrf\" ranking docs");
    assert_eq!(shown("search.signals.index_document"), "1.25 ranking docs");
    let named = "[chunking]\npreset = \"docs\"\n[search]\npreset = \"default\"\n";
    project.write("excerpt.toml", named);
    assert_eq!(first(&[]), "notes/list.md");
    let changed =
        "[search]\npreset = \"docs\"\nvectors_in_prose = 0.5\n[search.signals]\ntest = 0.5\n";
    project.write("excerpt.toml", changed);
    assert!(shown("search.preset").starts_with("\"docs\" [folder]"));
    assert!(shown("search.vectors_in_prose").starts_with("0.5 [folder]"));
    assert_eq!(shown("search.vectors_in_code"), "0.6 ranking docs");
    assert_eq!(shown("search.signals.path_word"), "1.15 ranking docs");
    project.run(&["add", "projects", "--preset", "docs"]).ok();
    let run = project.run(&["status", "--config", "-c", "projects"]).ok();
    assert!(run.stdout.contains("ranking docs"), "{}", run.stdout);
}

#[test]
fn the_settings_of_a_collection_are_those_of_its_searches() {
    let project = Project::new().file("in/a.md", "# Tea\n").file(
        "in/excerpt.toml",
        "[chunking]\ntarget = 300\n[search]\nfusion = \"rrf\"\n",
    );
    project.run(&["add", "in"]).ok();
    let shown = |args: &[&str]| {
        let run = project.run(&[&["status", "--config"], args].concat()).ok();
        let line = |name: &str| {
            let mut lines = run.stdout.lines().filter_map(|line| line.split_once(" = "));
            let (_, value) = lines.find(|(setting, _)| setting.trim() == name).unwrap();
            value.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        (line("search.fusion"), line("chunking.target"))
    };
    let target = "300 [folder]/project/in/excerpt.toml".to_string();
    let (fusion, of_folder) = shown(&["in"]);
    assert_eq!(fusion, "\"rrf\" [folder]/project/in/excerpt.toml");
    assert_eq!(of_folder, target);
    assert_eq!(
        shown(&["-c", "in"]),
        ("\"convex\" default".to_string(), target)
    );
}

#[test]
fn a_running_server_ranks_as_the_command_does() {
    let project = Project::new()
        .file("docs/a.md", "# Tea\n\nGreen tea.\n")
        .file("docs/b.md", "# Water\n\nWater for tea.\n");
    project.run(&["add", "docs"]).ok();
    let scores = |client: &mut Client| {
        let asked = json!({"query": "green tea", "format": "json"});
        let hits = client.call("search", asked).ok().hits("score");
        let args = ["search", "green tea", "--chunks", "--json", "-c", "docs"];
        let lines = project.run(&args).ok().json();
        let own: Vec<_> = lines.iter().map(|line| line["score"].clone()).collect();
        (hits, own)
    };
    let mut client = Client::new(&project, &["-c", "docs", "--sync", "always"]);
    let (before, own) = scores(&mut client);
    assert_eq!(before, own);
    project.run(&["edit", "docs", "--preset", "docs"]).ok();
    let (after, own) = scores(&mut client);
    assert_eq!(after, own);
    assert_ne!(after, before);
    drop(client);
    // Likewise the file of a served folder. While it is invalid, the ranking of the start applies.
    let toml = |text: &str| project.write("docs/excerpt.toml", text);
    let mut client = Client::new(&project, &["docs", "--sync", "never"]);
    let first = |client: &mut Client| {
        let asked = json!({"query": "green tea", "format": "json"});
        client.call("search", asked).ok().hits("score")[0].as_f64()
    };
    project.run(&["sync", "docs"]).ok();
    let convex = first(&mut client);
    toml("[search]\nfusion = \"rrf\"\n");
    assert!(first(&mut client) < Some(0.1) && convex > Some(0.1));
    toml("[search]\nfusion = \"none\"\n");
    assert_eq!(first(&mut client), convex);
}

#[test]
fn a_file_with_settings_below_what_is_indexed_is_named_as_unused() {
    let project = Project::new()
        .file("docs/excerpt.toml", "[chunking]\npreset = \"docs\"\n")
        .file("docs/api/a.md", "# Tea\n\nGreen tea.\n");
    project.run(&["sync"]).ok();
    let unused = "`[folder]/project/docs/excerpt.toml` is not used: the index covers `[folder]/project`, whose settings apply; move them there, or add this folder as a collection";
    for args in [
        &["chunk", "docs/api/a.md"][..],
        &["search", "tea", "docs"],
        &["sync", "docs"],
        &["status", "docs/api", "--config"],
    ] {
        let run = project.run(args).ok();
        assert!(run.stderr.contains(unused), "{args:?}: {}", run.stderr);
    }
    let run = project.run(&["doctor", "docs"]);
    let told = run.stdout.clone() + &run.stderr;
    assert!(told.contains(unused), "{told}");
    let run = project.run(&["sync"]).ok();
    assert!(!run.stderr.contains("not used"), "{}", run.stderr);
}
