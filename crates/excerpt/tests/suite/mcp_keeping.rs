//! How `excerpt mcp` updates its index: it answers first and checks for changes afterwards.

use std::ops::ControlFlow;

use excerpt_index::{Index, OpenOptions, Progress, Stage, SyncOptions};
use serde_json::json;

use crate::fixture::Project;
use crate::mcp_client::Client;

#[test]
fn the_first_search_waits_for_something_to_search() {
    let project = Project::new().file("a.md", "# Tea\n\nGreen tea.\n");
    let mut client = Client::new(&project, &[]);
    let found = client.call("search", json!({"query": "green tea"})).ok();
    assert_eq!(found.hits("path"), ["a.md"]);
    assert_eq!(client.end(), (Some(0), String::new()));
}

#[test]
fn a_change_is_found_a_moment_later() {
    let project = Project::new().file("a.md", "# Tea\n\nGreen tea.\n");
    let mut client = Client::new(&project, &[]);
    client.call("search", json!({"query": "tea"})).ok();
    project.write("b.md", "# Milk\n\nOat milk.\n");
    let query = json!({"query": "oat milk"});
    client.until("search", &query, |reply| {
        reply.data["hits"][0]["path"] == "b.md"
    });
    project.write("a.md", "# Tea\n\nGreen tea, and much more of it.\n");
    client.until("search", &json!({"query": "green"}), |reply| {
        reply.text.contains("much more") && reply.data["notes"] == json!([])
    });
}

#[test]
fn after_a_change_of_settings_the_old_state_answers_until_the_new_one_is_complete() {
    let text = format!(
        "# Tea\n\n{}",
        "Green tea is served in the garden.\n\n".repeat(40)
    );
    let project = Project::new().file("a.md", text);
    project.run(&["sync"]).ok();
    project.write("excerpt.toml", "[chunking]\ntarget = 60\nmax = 80\n");
    let mut client = Client::new(&project, &["--sync", "never"]);
    let chunks = |client: &mut Client| {
        let listed = client.call("list", json!({"what": "documents"})).ok();
        let entries = listed.data["entries"].as_array().unwrap().clone();
        let entry = entries.into_iter().find(|entry| entry["path"] == "a.md");
        entry.unwrap()["chunks"].as_u64().unwrap()
    };
    let before = chunks(&mut client);
    let mut keeper = Client::new(&project, &[]);
    let query = json!({"query": "green garden"});
    assert!(
        !keeper
            .call("search", query.clone())
            .ok()
            .hits("path")
            .is_empty()
    );
    // The server that updates the index updates it for the other one, too.
    client.until("search", &query, |reply| {
        reply.data["hits"][0]["text"].as_str().unwrap().len() < 400
    });
    assert!(chunks(&mut client) > before);
}

#[test]
fn an_interrupted_sync_is_reported() {
    let project = Project::new().file("a.md", "# Tea\n\nGreen tea.\n");
    project.run(&["sync"]).ok();
    let folder = std::fs::read_dir(project.data().join("excerpt/indexes")).unwrap();
    let index = folder.map(|entry| entry.unwrap().path()).next().unwrap();
    project.write("a.md", "# Tea\n\nGreen tea, and black.\n");
    let mut library = Index::open(&index, OpenOptions::default()).unwrap();
    let root = project.path("").canonicalize().unwrap();
    let broken_off = |progress: Progress| match progress.stage {
        Stage::List => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let report = library.sync(&root, &SyncOptions::default(), broken_off);
    assert!(!report.unwrap().complete);
    drop(library);
    let mut client = Client::new(&project, &["--sync", "never"]);
    let found = client.call("search", json!({"query": "green tea"})).ok();
    assert_eq!(
        found.data["notes"],
        json!([
            "the index is incomplete because the last sync was interrupted: run `excerpt sync`"
        ])
    );
}

#[test]
fn with_always_the_check_is_before_the_answer() {
    let project = Project::new().file("a.md", "# Tea\n");
    let mut client = Client::new(&project, &["--sync", "always"]);
    client.call("search", json!({"query": "tea"})).ok();
    project.write("b.md", "# Milk\n\nOat milk.\n");
    assert_eq!(
        client
            .call("search", json!({"query": "oat"}))
            .ok()
            .hits("path")[0],
        "b.md"
    );
}

#[test]
fn with_never_a_missing_index_is_named() {
    let project = Project::new().file("a.md", "# Tea\n");
    let mut client = Client::new(&project, &["--sync", "never"]);
    assert!(client.welcome["serverInfo"]["name"] == "excerpt");
    for (tool, arguments) in [
        ("search", json!({"query": "tea"})),
        ("get", json!({"targets": ["a.md"]})),
        ("list", json!({"what": "documents"})),
    ] {
        let reply = client.call(tool, arguments);
        assert!(
            reply.is_error && reply.text.contains("run `excerpt sync`"),
            "{}",
            reply.text
        );
    }
    // It answers as soon as there is an index.
    project.run(&["sync"]).ok();
    assert_eq!(
        client
            .call("search", json!({"query": "tea"}))
            .ok()
            .hits("path"),
        ["a.md"]
    );
    project.write("a.md", "# Tea\n\nMore of it.\n");
    let found = client.call("search", json!({"query": "tea"})).ok();
    assert_eq!(
        found.data["notes"],
        json!(["`a.md` was changed after it had been indexed: run `excerpt sync`"])
    );
    std::fs::remove_file(project.path("a.md")).unwrap();
    let read = client.call("get", json!({"targets": ["a.md"]})).ok();
    assert!(
        read.text.contains("`a.md` is no longer there"),
        "{}",
        read.text
    );
}

#[test]
fn a_waiting_client_gets_progress_and_can_cancel() {
    let project = Project::new();
    for number in 0..3000 {
        let text = format!(
            "# Note {number}\n\n{}",
            "Tea is served in the garden. ".repeat(60)
        );
        project.write(&format!("{}/{number}.md", number % 20), text);
    }
    let mut client = Client::new(&project, &[]);
    let call = |token: &str| json!({"name": "search", "arguments": {"query": "garden"}, "_meta": {"progressToken": token}});
    // A cancelled request gets no answer, and the server continues.
    let gone = client.post("tools/call", call("gone"));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": gone}});
    client.line(&cancel.to_string());
    let ping = client.request("ping", json!({}));
    assert_eq!(ping["result"], json!({}));
    let id = client.post("tools/call", call("mine"));
    let answer = client.answer(id);
    let told = client.told.iter().map(|told| &told["params"]);
    let mine: Vec<f64> = told
        .filter(|told| told["progressToken"] == "mine")
        .map(|told| told["progress"].as_f64().unwrap())
        .collect();
    assert!(mine.is_sorted_by(|a, b| a < b), "{mine:?}");
    // It answers in time or not, and in the end everything is indexed.
    assert!(answer["result"].is_object(), "{answer}");
    let all = json!({"what": "documents", "limit": 1});
    client.until("list", &all, |reply| reply.data["total"] == 3000);
    let query = json!({"query": "garden"});
    client.until("search", &query, |reply| reply.data["notes"] == json!([]));
}

#[test]
fn the_end_of_the_input_ends_a_first_sync() {
    let project = Project::new();
    for number in 0..2000 {
        project.write(
            &format!("{number}.md"),
            format!("# Note {number}\n\n{}", "Tea. ".repeat(500)),
        );
    }
    let client = Client::new(&project, &[]);
    assert_eq!(client.end(), (Some(0), String::new()));
    // The partial index is consistent, and the next sync continues from there.
    project.run(&["sync"]).ok();
    project.run(&["doctor"]).ok();
}

#[test]
fn while_another_process_writes_it_answers_from_the_current_state() {
    let project = Project::new().file("a.md", "# Tea\n\nGreen tea.\n");
    project.run(&["sync"]).ok();
    let mut writer = project.command(&["sync", "--watch"]).spawn().unwrap();
    let mut client = Client::new(&project, &[]);
    for _ in 0..20 {
        let found = client.call("search", json!({"query": "green tea"})).ok();
        assert_eq!(found.hits("path"), ["a.md"]);
    }
    writer.kill().unwrap();
    writer.wait().unwrap();
}
