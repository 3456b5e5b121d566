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
fn writing_is_offered_where_the_result_is_visible() {
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
        .fails("`title` is empty: give a few words");
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
            reply.fails("the inbox is outside the served folder: `inbox`");
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
        "excerpt: `../out` cannot be the inbox: give the path of a folder inside the served folder",
    );
    project
        .run(&["mcp", "--under", "nothing"])
        .fails("excerpt: no `nothing` inside what is served: give the path of a folder from there");
    project
        .run(&["mcp", "--under", "../out"])
        .fails("excerpt: `../out` is not a folder inside what is served: give its path from there");
}

#[test]
fn a_text_is_previewed_added_and_found_at_once() {
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
    // The same as in the preview.
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
fn only_allowed_paths_are_added() {
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
            reply.is_error
                && reply
                    .text
                    .contains("is not a file or folder in the folders that may be read"),
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

#[cfg(unix)]
#[test]
fn a_note_is_not_written_through_a_link_in_place_of_the_served_folder() {
    use std::os::unix::fs::symlink;
    const LINK: &str =
        "the served folder is a symbolic link or reached through one: notes are not written there";
    let project = Project::new()
        .file("docs/a.md", "# A\n")
        .file("open/b.md", "# B\n")
        .repository();
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("c.md"), "# C\n").unwrap();
    symlink(outside.path(), project.path("pub")).unwrap();
    symlink(project.path("docs"), project.path("within")).unwrap();
    let note = json!({"title": "T", "content": "x", "path": "deep/x.md"});
    for under in ["pub", "within"] {
        let mut client = Client::new(&project, &["--under", under, "--allow-write"]);
        client.call("note", note.clone()).fails(LINK);
    }
    let mut client = Client::new(&project, &["--under", "open", "--allow-write"]);
    let kept = client.call("note", note.clone()).ok();
    assert_eq!(kept.data["path"], "open/inbox/deep/x.md");
    std::fs::rename(project.path("open"), project.path("moved")).unwrap();
    symlink(outside.path(), project.path("open")).unwrap();
    client.call("note", note).fails(LINK);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    assert!(!project.path("docs/inbox").exists());
}

#[cfg(unix)]
#[test]
fn an_inbox_may_be_a_link_to_a_folder_inside() {
    use std::os::unix::fs::symlink;
    let project = Project::new().file("docs/deep/a.md", "# A\n");
    symlink(project.path("docs"), project.path("inbox")).unwrap();
    let mut client = Client::new(&project, &["--allow-write"]);
    for (path, expected) in [
        ("x.md", "docs/x.md"),
        ("deep/y.md", "docs/deep/y.md"),
        ("new/deep/z.md", "docs/new/deep/z.md"),
    ] {
        let note = json!({"title": "T", "content": "x", "path": path});
        let kept = client.call("note", note).ok();
        assert_eq!(kept.data["path"], expected);
        assert!(project.path(expected).is_file());
    }
    symlink("/nowhere", project.path("docs/gone")).unwrap();
    let note = json!({"title": "T", "content": "x", "path": "gone/x.md"});
    client
        .call("note", note)
        .fails("the inbox is outside the served folder: `inbox`");
}

#[test]
fn the_path_of_a_note_is_accepted_as_listed() {
    let project = Project::new()
        .file("docs/a.md", "# A\n")
        .file("b.md", "# B\n")
        .repository();
    let mut client = Client::new(&project, &["--allow-write"]);
    let note = |path: &str| json!({"title": "T", "content": "x", "path": path});
    for (path, expected) in [
        ("inbox/foo.md", "inbox/foo.md"),
        ("./inbox//trips/rome.md", "inbox/trips/rome.md"),
        ("inboxes/a.md", "inbox/inboxes/a.md"),
        ("v1.2/a.md", "inbox/v1.2/a.md"),
        ("b.MD", "inbox/b.md"),
    ] {
        assert_eq!(
            client.call("note", note(path)).ok().data["path"],
            expected,
            "{path}"
        );
    }
    let kept = client.call("note", note("inbox/v1.3")).ok();
    assert!(
        kept.data["path"]
            .as_str()
            .unwrap()
            .starts_with("inbox/v1.3/20")
    );
    for path in ["x.txt", "deep/x.sh", "x.md.exe"] {
        let reply = client.call("note", note(path));
        assert!(
            reply.is_error && reply.text.contains("a note is a Markdown file"),
            "{path}: {}",
            reply.text
        );
    }
    for path in [".x.md", ".git/x.md", "inbox/.hidden", ".md"] {
        let reply = client.call("note", note(path));
        assert!(
            reply.is_error && reply.text.contains("starts with a dot"),
            "{path}: {}",
            reply.text
        );
    }
    drop(client);
    let mut client = Client::new(&project, &["--allow-write", "--under", "docs"]);
    let listed = client.call("note", note("docs/inbox/foo.md")).ok();
    assert_eq!(listed.data["path"], "docs/inbox/foo.md");
    let short = client.call("note", note("inbox/bar.md")).ok();
    assert_eq!(short.data["path"], "docs/inbox/bar.md");
}

#[test]
fn a_note_that_cannot_be_indexed_is_not_written() {
    let project = Project::new().file("a.md", "# A\n");
    let mut client = Client::new(&project, &["--allow-write"]);
    let note = |content: String| json!({"title": "T", "content": content});
    client
        .call("note", note("a\0b".to_string()))
        .fails("`content` contains a NUL byte: remove it");
    let reply = client.call("note", note("word ".repeat(500_000)));
    assert!(
        reply.is_error
            && reply
                .text
                .ends_with("a file of more than 2,097,152 is not indexed: write several notes"),
        "{}",
        reply.text
    );
    assert!(!project.path("inbox").exists());
}

#[test]
fn the_name_of_a_collection_is_not_changed() {
    let project = Project::new()
        .file("in/a.md", "# A\n\nAlpha.\n")
        .file("in/b.md", "# B\n\nBeta.\n")
        .repository();
    let mut client = Client::new(&project, &["--allow-write"]);
    for what in ["content", "path"] {
        for (name, expected) in [
            (
                "../evil",
                "`../evil` cannot be a collection's name: try `evil`",
            ),
            ("a/b", "`a/b` cannot be a collection's name: try `a-b`"),
            (".", "`.` cannot be a collection's name: try `collection`"),
            (
                "",
                "`name` is empty, expected the name of a collection: omit it to have one chosen",
            ),
        ] {
            for is_preview in [true, false] {
                let call = json!({what: "in/a.md", "name": name, "preview": is_preview});
                client.call("add", call).fails(expected);
            }
        }
    }
    let added = client
        .call("add", json!({"path": "in/a.md", "name": "alpha"}))
        .ok();
    assert_eq!(added.data["collection"], "alpha");
    let taken = "collection `alpha` already exists: choose another `name`";
    client
        .call("add", json!({"path": "in/b.md", "name": "alpha"}))
        .fails(taken);
    client
        .call("add", json!({"content": "# C\n", "name": "alpha"}))
        .fails(taken);
    client
        .call("add", json!({"path": "in/a.md", "name": "other"}))
        .fails(
            "this file or folder is already the collection `alpha`: search it with `collection`, or set `replace`",
        );
}

#[test]
fn the_same_text_is_added_once() {
    let project = Project::new().file("a.md", "# A\n");
    let mut client = Client::new(&project, &["--allow-write"]);
    let text = |content: &str| json!({"content": content, "title": "Brewing"});
    let mut added = |given| client.call("add", given).ok();
    assert_eq!(added(text("# One\n")).data["collection"], "Brewing");
    let again = added(text("# One\n"));
    assert_eq!(
        (
            &again.data["collection"],
            &again.data["stored"],
            &again.data["chunks"]
        ),
        (&json!("Brewing"), &json!(false), &json!(1))
    );
    let again = added(json!({"content": "# One\n", "title": "Brewing", "format": "text"}));
    assert_eq!(
        again.text,
        "`Brewing` already has this text; nothing was added; search it with `collection`\n"
    );
    assert_eq!(added(text("# Two\n")).data["collection"], "Brewing-2");
    let tagged = added(json!({"content": "# Two\n", "title": "Brewing", "tags": "[\"tea\"]"}));
    assert_eq!(tagged.data["collection"], "Brewing-2");
    let kept =
        "its type, versions, tags and chunking stay as they are: to change them, set `replace`";
    assert_eq!(tagged.data["notes"], json!([kept]));
    let all = client.call("list", json!({"what": "collections"})).ok();
    assert_eq!(all.data["total"], 2);
}

#[test]
fn a_preview_rejects_what_adding_rejects() {
    let project = Project::new()
        .file("in/a.md", "# A\n\nAlpha.\n")
        .file("in/b.md", "# B\n\nBeta.\n");
    let mut client = Client::new(&project, &["--allow-write"]);
    client
        .call("add", json!({"path": "in/a.md", "name": "alpha"}))
        .ok();
    client
        .call("add", json!({"content": "# One\n", "title": "Brewing"}))
        .ok();
    for mut given in [
        json!({"path": "in/b.md", "name": "alpha"}),
        json!({"path": "in/a.md", "name": "other"}),
        json!({"path": "in/a.md"}),
        json!({"content": "# C\n", "name": "alpha"}),
    ] {
        let refused = client.call("add", given.clone());
        assert!(refused.is_error, "{}", refused.text);
        given["preview"] = json!(true);
        client.call("add", given).fails(&refused.text);
    }
    // A text with a new title gets a new name; the same text does not.
    let mut shown = |content: &str| {
        let given = json!({"content": content, "title": "Brewing", "preview": true});
        client.call("add", given).ok()
    };
    let other = shown("# Two\n");
    assert_eq!(
        (&other.data["collection"], &other.data["notes"]),
        (&json!("Brewing-2"), &json!([]))
    );
    let same = shown("# One\n");
    assert_eq!(
        (&same.data["collection"], &same.data["notes"]),
        (
            &json!("Brewing"),
            &json!(["`Brewing` already has this text: nothing would be added"])
        )
    );
    let added = json!({"content": "# Two\n", "title": "Brewing"});
    let added = client.call("add", added).ok();
    assert_eq!(added.data["collection"], "Brewing-2");
}

#[test]
fn a_text_that_cannot_be_indexed_is_rejected() {
    let project = Project::new().file("a.md", "# A\n");
    let mut client = Client::new(&project, &["--allow-write"]);
    for (content, told) in [
        (
            "zulu word ".repeat(300_000),
            "the text takes 3,000,000 bytes",
        ),
        ("a\0b".to_string(), "contains a NUL byte"),
    ] {
        for preview in [true, false] {
            let given = json!({"content": content, "name": "huge", "preview": preview});
            let refused = client.call("add", given);
            assert!(
                refused.is_error && refused.text.contains(told),
                "{}",
                refused.text
            );
        }
    }
    let added = json!({"content": "Zulu.", "name": "huge"});
    assert_eq!(client.call("add", added).ok().data["collection"], "huge");
}

#[test]
fn an_agent_replaces_a_collection() {
    let project = Project::new()
        .file("in/a.md", "# A\n\nAlpha.\n")
        .file("in/drafts/b.md", "# B\n\nAlpha, too.\n");
    project
        .run(&["add", "in", "--name", "alpha", "--ignore", "drafts/"])
        .ok();
    let root = project.path("").display().to_string();
    let mut client = Client::new(
        &project,
        &["--library", "--allow-write", "--allow-root", &root],
    );
    // What the owner leaves out stays out.
    let again = json!({"path": "in", "name": "alpha", "tags": ["new"], "replace": true});
    let mut preview = again.clone();
    preview["preview"] = true.into();
    assert_eq!(client.call("add", preview).ok().data["documents"], 1);
    let added = client.call("add", again).ok();
    assert_eq!(
        (&added.data["documents"], &added.data["chunks"]),
        (&json!(1), &json!(1))
    );
    let found = client
        .call("search", json!({"query": "alpha", "tags": "new"}))
        .ok();
    assert_eq!(found.hits("path"), ["a.md"]);
    let text = |content: &str| json!({"content": content, "title": "Brewing", "replace": true});
    for content in ["# One\n\nZulu.\n", "# Two\n\nZulu again.\n"] {
        let added = client.call("add", text(content)).ok();
        assert_eq!(added.data["collection"], "Brewing");
    }
    let found = client.call("search", json!({"query": "zulu"})).ok();
    let texts = found.hits("text");
    assert_eq!(texts[0], "# Two\n\nZulu again.");
    assert!(!texts.contains(&"# One\n\nZulu.".into()), "{texts:?}");
    let named = json!({"content": "x", "name": "alpha", "replace": true});
    client
        .call("add", named)
        .fails("collection `alpha` already exists: choose another `name`");
}
