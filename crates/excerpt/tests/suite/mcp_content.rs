//! How `excerpt mcp` describes the content in its instructions and tools, in the first session with
//! a folder and later.

use std::fs::File;

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::mcp_client::Client;

const CHANGED: &str = "notifications/tools/list_changed";

fn kitchen() -> Project {
    Project::new()
        .file("README.md", "# Kitchen notes\n\nOn drinks.\n")
        .file("tea/green.md", "# Green tea\n\nEighty degrees.\n")
        .file("tea/README.md", "# All about tea\n")
}

/// The metadata of each request in the newest revision.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// The description of `search` in the list of tools.
fn description(client: &mut Client, params: Value) -> String {
    let listed = client.request("tools/list", params);
    let tools = listed["result"]["tools"].as_array().unwrap();
    let search = tools.iter().find(|tool| tool["name"] == "search").unwrap();
    search["description"].as_str().unwrap().to_string()
}

/// Lists the tools until the description of `search` contains `what`: a document is found a little
/// before the sync that adds it ends.
fn until_described(client: &mut Client, what: &str) {
    let described = (0..100_000).map(|_| description(client, json!({})));
    assert!(described.into_iter().any(|text| text.contains(what)));
}

/// Waits for the next notification `method`.
fn told(client: &mut Client, method: &str) -> Value {
    loop {
        let message = client.next();
        if message["method"] == method {
            return message;
        }
    }
}

#[test]
fn the_first_session_gets_a_description_of_the_content() {
    let what = "It holds 3 documents (markdown); folders: \"tea\" 2; topics: \"Kitchen notes\", \"All about tea\".";
    // The wait for the first sync is bounded: on a busy machine, not every server is in time.
    let is_in_time = |newest: bool| {
        let project = kitchen();
        let mut client = match newest {
            true => Client::silent(&project, &[]),
            false => Client::new(&project, &[]),
        };
        if newest {
            client.welcome =
                client.request("server/discover", json!({"_meta": meta()}))["result"].clone();
        }
        let instructions = client.welcome["instructions"].as_str().unwrap().to_string();
        assert!(
            instructions.contains(what) || !instructions.contains("It holds"),
            "{instructions}"
        );
        let params = match newest {
            true => json!({"_meta": meta()}),
            false => json!({}),
        };
        let described = description(&mut client, params);
        assert!(
            described.contains(what) || !described.contains("It holds"),
            "{described}"
        );
        assert_eq!(client.end(), (Some(0), String::new()));
        instructions.contains(what) && described.contains(what)
    };
    for newest in [false, true] {
        assert!((0..50).any(|_| is_in_time(newest)));
    }
}

/// The folder `notes`, never indexed, and an index that is locked by another writer as long as the
/// returned file is open.
fn held() -> (Project, String, File) {
    let project = Project::new()
        .file("other/a.md", "# Other\n")
        .file("notes/README.md", "# Kitchen notes\n\nOn drinks.\n")
        .file("notes/tea/green.md", "# Green tea\n\nEighty degrees.\n");
    let index = project.data().join("shared");
    let named = index.display().to_string();
    project.run(&["sync", "other", "--index", &named]).ok();
    let lock = File::options().write(true).open(index.join("lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    (project, named, lock)
}

#[test]
fn a_later_description_is_announced() {
    let (project, index, lock) = held();
    let mut client = Client::new(&project, &["notes", "--index", &index]);
    assert_eq!(client.welcome["capabilities"]["tools"]["listChanged"], true);
    let before = client.welcome["instructions"].as_str().unwrap();
    assert!(!before.contains("It holds"), "{before}");
    let before = description(&mut client, json!({}));
    assert!(!before.contains("It holds"), "{before}");
    drop(lock);
    told(&mut client, CHANGED);
    let what = description(&mut client, json!({}));
    assert!(
        what.contains("It holds 2 documents")
            && what.contains("folders: \"tea\" 1; topics: \"Kitchen notes\"."),
        "{what}"
    );

    // A new document is counted on request; a new folder is announced.
    project.write("notes/tea/black.md", "# Black tea\n\nBoiling water.\n");
    client.until("search", &json!({"query": "boiling"}), |reply| {
        reply.data["hits"][0]["path"] == "tea/black.md"
    });
    until_described(&mut client, "It holds 3 documents");
    assert!(client.told.iter().all(|told| told["method"] != CHANGED));
    project.write("notes/milk/oat.md", "# Oat milk\n\nSoaked oats.\n");
    client.until("search", &json!({"query": "soaked oats"}), |reply| {
        reply.data["hits"][0]["path"] == "milk/oat.md"
    });
    if client.told.iter().all(|told| told["method"] != CHANGED) {
        told(&mut client, CHANGED);
    }
    until_described(&mut client, "folders: \"tea\" 2, \"milk\" 1;");
    assert_eq!(client.end(), (Some(0), String::new()));
}

#[test]
fn without_a_handshake_it_is_announced_to_subscriptions() {
    let (project, index, lock) = held();
    let mut client = Client::silent(&project, &["notes", "--index", &index]);
    let listen = |what: Value| json!({"notifications": what, "_meta": meta()});
    let mine = client.post(
        "subscriptions/listen",
        listen(json!({"toolsListChanged": true, "promptsListChanged": true})),
    );
    let begun = told(&mut client, "notifications/subscriptions/acknowledged");
    assert_eq!(
        begun["params"]["notifications"],
        json!({"toolsListChanged": true}),
        "{begun}"
    );
    // A subscription to nothing is accepted and gets no notifications.
    client.post(
        "subscriptions/listen",
        listen(json!({"resourcesListChanged": true})),
    );
    told(&mut client, "notifications/subscriptions/acknowledged");
    let before = description(&mut client, json!({"_meta": meta()}));
    assert!(!before.contains("It holds"), "{before}");
    drop(lock);
    let changed = told(&mut client, CHANGED);
    assert_eq!(
        changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], mine,
        "{changed}"
    );
    let what = description(&mut client, json!({"_meta": meta()}));
    assert!(what.contains("topics: \"Kitchen notes\"."), "{what}");
    // Both subscriptions are still open when the input ends.
    assert_eq!(client.end(), (Some(0), String::new()));
}

#[test]
fn a_date_is_not_a_topic() {
    let project = Project::new()
        .file("README.md", "# 2026-11-22\n")
        .file("days/2026-11-21.md", "# Saturday, 21 November 2026\n")
        .file("days/2026-11-22.md", "Text.\n")
        .file("days/garden.md", "# The garden\n");
    project.run(&["sync"]).ok();
    let client = Client::new(&project, &["--sync", "never"]);
    let told = client.welcome["instructions"].as_str().unwrap();
    assert!(
        told.contains("It holds 4 documents")
            && told.contains("folders: \"days\" 3; among them: \"The garden\"."),
        "{told}"
    );
}

#[test]
fn the_folders_of_a_summary_are_paths_of_a_search() {
    let project = Project::new()
        .file("domains/family/swim.md", "# Swimming\n\nTea after it.\n")
        .file("domains/work/pay.md", "# Pay\n\nTea is paid.\n")
        .file("work/plan.md", "# Plan\n\nTea is planned.\n")
        .file("notes/domains/x.md", "# Notes\n\nTea is noted.\n");
    let mut client = Client::new(&project, &["--sync", "always"]);
    let summary = client.call("list", json!({"what": "summary"})).ok();
    let mut entries = summary.data["entries"].as_array().unwrap().iter();
    let folders = entries.find(|entry| entry["what"] == "folders");
    let folders = &folders.unwrap_or_else(|| panic!("{}", summary.data))["value"];
    let expected = json!([
        ["domains/family", 1],
        ["domains/work", 1],
        ["notes", 1],
        ["work", 1]
    ]);
    assert_eq!(*folders, expected);
    for folder in folders.as_array().unwrap() {
        let asked = json!({"query": "tea", "path": folder[0]});
        let found = client.call("search", asked).ok();
        assert_eq!(found.data["hits"].as_array().unwrap().len(), 1);
    }
}
