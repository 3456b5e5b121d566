//! The tools of `excerpt mcp` that write.

use serde_json::json;

use crate::fixture::Project;
use crate::mcp_client::Client;

fn names(client: &mut Client) -> Vec<String> {
    let tools = client.tools();
    let names = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_string());
    names.collect()
}

#[test]
fn writing_is_offered_where_it_can_be_seen() {
    let project = Project::new()
        .file("docs/a.md", "# A\n")
        .file("b.md", "# B\n")
        .repository();
    project.run(&["add", "docs", "--name", "docs"]).ok();
    let reading = ["search", "get", "list", "chunk"];
    for (args, writing) in [
        (&[][..], &[][..]),
        (&["--allow-write"], &["add", "note"]),
        (&["--allow-write", "--under", "docs"], &["note"]),
        (&["--allow-write", "docs"], &["note"]),
        (&["--allow-write", "--library"], &["add"]),
        (&["--allow-write", "-c", "docs"], &["note"]),
        (&["--allow-write", "b.md"], &[]),
    ] {
        let mut client = Client::new(&project, args);
        let expected: Vec<&str> = reading.iter().chain(writing).copied().collect();
        assert_eq!(names(&mut client), expected, "{args:?}");
    }
}

#[test]
fn a_note_is_kept_and_found_at_once() {
    let project = Project::new().file("a.md", "# A\n");
    let mut client = Client::new(&project, &["--allow-write"]);
    let note = json!({"title": "Kettle: bought", "content": "The kettle hums quietly.\n", "tags": ["kitchen"]});
    let kept = client.call("note", note.clone()).ok();
    assert_eq!(kept.data["searchable"], true, "{}", kept.text);
    let path = kept.data["path"].as_str().unwrap().to_string();
    assert!(
        path.starts_with("inbox/20") && path.ends_with("-kettle-bought.md"),
        "{path}"
    );
    let found = client
        .call(
            "search",
            json!({"query": "kettle hums", "tags": ["kitchen"]}),
        )
        .ok();
    assert_eq!(found.hits("path"), [&*path]);
    let text = std::fs::read_to_string(project.path(&path)).unwrap();
    assert!(
        text.starts_with("---\ntitle: \"Kettle: bought\"\ndate: 20"),
        "{text}"
    );
    assert!(
        text.ends_with("tags: [\"kitchen\"]\n---\n\nThe kettle hums quietly.\n"),
        "{text}"
    );

    let again = client.call("note", note).ok();
    assert_eq!(
        again.data["path"].as_str().unwrap(),
        path.replace(".md", "-2.md")
    );
    assert_eq!(std::fs::read_to_string(project.path(&path)).unwrap(), text);
    let named = json!({"title": "T", "content": "x", "path": "trips/rome.md"});
    assert_eq!(
        client.call("note", named.clone()).ok().data["path"],
        "inbox/trips/rome.md"
    );
    assert_eq!(
        client.call("note", named).ok().data["path"],
        "inbox/trips/rome-2.md"
    );
    client
        .call("note", json!({"title": " \n", "content": "x"}))
        .fails("`title` is empty, expected a few words");
}

#[test]
fn a_note_stays_inside() {
    let project = Project::new().file("a.md", "# A\n");
    let outside = tempfile::TempDir::new().unwrap();
    let mut client = Client::new(&project, &["--allow-write"]);
    for path in [
        "../x.md",
        "..",
        "/tmp/x.md",
        "a/../../x.md",
        "..\\x.md",
        "a\0b",
    ] {
        let reply = client.call("note", json!({"title": "T", "content": "x", "path": path}));
        assert!(
            reply.is_error && reply.text.contains("is not a path in the inbox"),
            "{path}: {}",
            reply.text
        );
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path(), project.path("inbox")).unwrap();
        for path in ["", "deep", "x.md"] {
            let reply = client.call("note", json!({"title": "T", "content": "x", "path": path}));
            reply.fails("the inbox does not lie inside of what is served: `inbox`");
        }
        std::fs::remove_file(project.path("inbox")).unwrap();
        std::fs::create_dir(project.path("inbox")).unwrap();
        std::os::unix::fs::symlink(outside.path(), project.path("inbox/deep")).unwrap();
        assert!(
            client
                .call(
                    "note",
                    json!({"title": "T", "content": "x", "path": "deep/er"})
                )
                .is_error
        );
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    drop(client);
    project.run(&["mcp", "--allow-write", "--inbox", "../out"]).fails(
        "excerpt: `../out` cannot be the inbox: name a folder by its path inside of what is served",
    );
    project.run(&["mcp", "--under", "nothing"]).fails(
        "excerpt: there is no `nothing` in what is served: name a folder by its path from there",
    );
    project.run(&["mcp", "--under", "../out"]).fails(
        "excerpt: `../out` is no folder inside of what is served: name one by its path from there",
    );
}

#[test]
fn a_text_is_shown_added_and_found_at_once() {
    let project = Project::new().file("a.md", "# A\n\nNothing here.\n");
    let mut client = Client::new(&project, &["--allow-write"]);
    let text = "# Brew\n\n## Water\n\nEighty degrees.\n\n## Leaves\n\nTwo spoons of leaves.\n";
    let mut given = json!({
        "content": text, "type": "doc", "title": "Brewing", "versions": ["2.x"], "tags": ["tea"],
        "chunking": {"strategy": "headers", "max_size": 100, "min_size": 1}, "preview": true,
    });
    let preview = client.call("add", given.clone()).ok();
    assert_eq!(
        (&preview.data["stored"], &preview.data["chunks"]),
        (&json!(false), &json!(3)),
        "{}",
        preview.text
    );
    let none = client.call("list", json!({"what": "collections"})).ok();
    assert_eq!(none.data["total"], 0);
    given["preview"] = json!(false);
    let added = client.call("add", given).ok();
    assert_eq!(
        (&added.data["collection"], &added.data["chunks"]),
        (&json!("Brewing"), &json!(3))
    );
    let found = client
        .call(
            "search",
            json!({"query": "spoons of leaves", "tags": "tea", "version": "2.1"}),
        )
        .ok();
    assert!(
        found
            .hits("collection")
            .iter()
            .all(|name| name == "Brewing")
    );
    assert!(found.text.contains("Two spoons of leaves."));
    // Exactly what was shown.
    let chunks = preview.data["preview"][0]["chunks"].as_array().unwrap();
    assert!(
        chunks
            .iter()
            .any(|chunk| chunk["text"] == found.hits("text")[0])
    );
    let path = found.hits("path")[0].clone();
    let read = client
        .call("get", json!({"targets": [path], "collection": "Brewing"}))
        .ok();
    assert_eq!(read.data["items"][0]["text"], text);
    let read = client.request(
        "resources/read",
        json!({"uri": "excerpt://Brewing/Brewing.md"}),
    );
    assert_eq!(read["result"]["contents"][0]["text"], text);
}

#[test]
fn only_what_is_allowed_is_added() {
    let project = Project::new()
        .file("in/a.md", "# A\n\nAlpha.\n")
        .file("in/.env", "KEY=1\n")
        .file(".hidden/b.md", "# B\n");
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("b.md"), "# B\n\nBeta.\n").unwrap();
    let there = outside.path().join("b.md").display().to_string();
    let mut client = Client::new(&project, &["--allow-write"]);
    let refused = |client: &mut Client, path: &str| {
        let reply = client.call("add", json!({"path": path}));
        assert!(
            reply.is_error && reply.text.starts_with("there is no `"),
            "{path}: {}",
            reply.text
        );
    };
    for path in [
        &*there,
        "../b.md",
        "/etc/passwd",
        "in/../../b.md",
        "file:///etc/passwd",
        "nothing.md",
        "in/.env",
        ".hidden",
        ".hidden/b.md",
    ] {
        refused(&mut client, path);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path(), project.path("in/link")).unwrap();
        refused(&mut client, "in/link/b.md");
    }
    drop(client);
    let root = outside.path().display().to_string();
    let mut client = Client::new(
        &project,
        &["--library", "--allow-write", "--allow-root", &root],
    );
    refused(&mut client, &project.path("in/a.md").display().to_string());
    let added = client
        .call("add", json!({"path": there, "name": "beta"}))
        .ok();
    assert_eq!(added.data["documents"], 1);
    assert_eq!(
        client
            .call("search", json!({"query": "beta"}))
            .ok()
            .hits("collection"),
        ["beta"]
    );
    drop(client);
    let mut client = Client::new(&project, &["--library", "--allow-write"]);
    let reply = client.call("add", json!({"path": there}));
    assert!(
        reply.is_error && reply.text.contains("--allow-root"),
        "{}",
        reply.text
    );
}
