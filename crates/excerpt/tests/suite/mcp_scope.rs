//! Nothing outside of what is served can be read in any way.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::mcp_client::Client;

/// A word that occurs only in the files outside.
const SECRET: &str = "quetzalcoatl";

/// A repository whose folder `docs` is served.
fn project() -> Project {
    project_with(SECRET)
}

/// The same with another word in the files outside.
fn project_with(secret: &str) -> Project {
    let project = Project::new()
        .repository()
        .file("docs/open.md", "# Open\n\nSee [hidden](../private/secret.md), [two](../docs2/secret.md) and [[secret]].\n")
        .file("docs/sub/inner.md", "# Inner\n\nText.\n")
        .file("private/secret.md", format!("# Title {secret}\n\nThe word is {secret}. See [open](../docs/open.md).\n"))
        .file("docs2/secret.md", format!("# Two {secret}\n\nAnother {secret}.\n"))
        .file("docsecret.md", format!("# Three {secret}\n"))
        .file("docs/.env", format!("KEY={secret}\n"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(project.path("private"), project.path("docs/link")).unwrap();
        std::os::unix::fs::symlink(
            project.path("private/secret.md"),
            project.path("docs/file.md"),
        )
        .unwrap();
    }
    project.run(&["sync"]).ok();
    project
}

/// Targets outside of `docs`.
fn hostile(project: &Project) -> Vec<String> {
    let mut paths: Vec<String> = [
        "../private/secret.md",
        "../private",
        "..",
        "../",
        "../.",
        "./../private/secret.md",
        "sub/../../private/secret.md",
        "sub/../../docs2/secret.md",
        "docs/../private/secret.md",
        "../docs/../private/secret.md",
        "../docs2/secret.md",
        "../docsecret.md",
        "private/secret.md",
        "docs2/secret.md",
        "docsecret.md",
        "../docs2",
        "2/secret.md",
        "ecret.md",
        "/private/secret.md",
        "//private/secret.md",
        "..\\private\\secret.md",
        "\\..\\private\\secret.md",
        "%2e%2e/private/secret.md",
        "%2e%2e%2fprivate%2fsecret.md",
        "..%2fprivate%2fsecret.md",
        "..%5cprivate%5csecret.md",
        "%252e%252e/private/secret.md",
        "..%c0%afprivate/secret.md",
        "....//private/secret.md",
        "..././private/secret.md",
        ".../private/secret.md",
        "../PRIVATE/SECRET.md",
        "../Private/secret.md",
        "PRIVATE/secret.md",
        "DOCS/../private/secret.md",
        "link/secret.md",
        "link",
        "link/../private/secret.md",
        "file.md",
        ".env",
        "./.env",
        "sub/../.env",
        "sub/../file.md",
        "secret.md",
        "secret",
        "**/secret.md",
        "*",
        "{private,docs}/secret.md",
        "~/secret.md",
        "$HOME/secret.md",
        "file://private/secret.md",
        "file:///etc/passwd",
        "/etc/passwd",
        "/proc/self/environ",
        "../../../../../../etc/passwd",
        "excerpt://private/secret.md",
        "open.md/../../private/secret.md",
        "open.md\0/../../private/secret.md",
        "\u{2025}/private/secret.md",
        "..\u{2215}private\u{2215}secret.md",
        " ../private/secret.md",
        "../private/secret.md ",
        "../private/secret.md#title",
        "../private/secret.md:1-3",
        "private/secret.md:1",
        ".git/config",
        "../.git/config",
        "",
        ".",
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    for inside in [
        "private/secret.md",
        "docs2/secret.md",
        "docs/../private/secret.md",
        "docs/.env",
        "docs/link/secret.md",
    ] {
        let path = project.path(inside).display().to_string();
        paths.push(format!("file://{path}"));
        paths.push(path);
    }
    paths
}

/// Whether a text contains something from outside.
fn leaks(text: &str) -> bool {
    text.to_lowercase().contains(SECRET)
}

#[test]
fn nothing_outside_is_read_by_any_tool() {
    let project = project();
    // The same folder, served in two ways.
    for args in [
        &["docs", "--allow-write", "--sync", "never"][..],
        &["--under", "docs", "--allow-write", "--sync", "never"],
    ] {
        let mut client = Client::new(&project, args);
        let is_under = args[0] == "--under";
        let mut paths = hostile(&project);
        assert!(paths.len() >= 50);
        if is_under {
            // Here `docs` is the name of the served folder.
            paths.extend(paths.clone().iter().map(|path| format!("docs/{path}")));
        }
        let root = project
            .path("")
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        for path in &paths {
            let mut answers = vec![
                client.call(
                    "search",
                    json!({"query": "word title another text open", "path": path}),
                ),
                client.call("search", json!({"query": SECRET, "path": path})),
                client.call(
                    "get",
                    json!({"targets": [path], "links": true, "neighbours": 2}),
                ),
                client.call("get", json!({"targets": [format!("{path}:1-2")]})),
                client.call("get", json!({"targets": [format!("{path}#title")]})),
                client.call("list", json!({"what": "documents", "path": path})),
                client.call("list", json!({"what": "folders", "path": path})),
                client.call("list", json!({"what": "recent", "path": path})),
                client.call("chunk", json!({"path": path})),
            ];
            for name in ["docs", &root, "private", "..", "%2e%2e", ""] {
                for encoded in [path.clone(), path.replace('.', "%2e").replace('/', "%2F")] {
                    let read = client.request(
                        "resources/read",
                        json!({"uri": format!("excerpt://{name}/{encoded}")}),
                    );
                    assert!(!leaks(&read.to_string()), "{name} {path:?}: {read}");
                }
            }
            let read = client.request("resources/read", json!({"uri": path}));
            assert!(!leaks(&read.to_string()), "{path:?}: {read}");
            for answer in answers.drain(..) {
                let told = match path.len() > 3 {
                    true => answer.text.replace(path.as_str(), ""),
                    false => answer.text.clone(),
                };
                // The answer may repeat the request.
                let told = told.replace(&format!("`{SECRET}`"), "");
                assert!(!leaks(&told), "{path:?}: {told}");
                let data = answer.data.to_string();
                let data = data.replace(&json!(path).to_string(), "");
                let data = data.replace(&format!("`{SECRET}`"), "");
                assert!(!leaks(&data), "{path:?}: {data}");
                assert!(
                    !told.contains("private/secret")
                        || path.contains("private")
                        || told.contains("open.md"),
                    "{path:?}: {told}"
                );
            }
        }
        assert_eq!(client.end().0, Some(0));
    }
}

/// The files of a folder except those in the inbox; links are not followed.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() == "inbox" => {}
            true => files.extend(self::files(&entry.path())),
            false => files.push(entry.path()),
        }
    }
    files.sort();
    files
}

#[test]
fn no_note_is_written_outside() {
    let project = project();
    let above = project.path("").parent().unwrap().to_path_buf();
    let data = project.data();
    let kept = || -> Vec<PathBuf> {
        let all = files(&above).into_iter();
        all.filter(|file| !file.starts_with(&data)).collect()
    };
    let before = kept();
    let mut client = Client::new(&project, &["docs", "--allow-write"]);
    for path in hostile(&project) {
        let kept = client.call("note", json!({"title": "n", "content": "c", "path": path}));
        if !kept.is_error {
            let path = kept.data["path"].as_str().unwrap();
            assert!(path.starts_with("inbox/"), "{path}");
            assert!(project.path("docs").join(path).is_file(), "{path}");
        }
    }
    assert_eq!(kept(), before);
}

#[test]
fn scores_do_not_reveal_words_outside() {
    let (guessed, other) = (project(), project_with("something"));
    let serve = |project: &Project| Client::new(project, &["docs", "--sync", "never"]);
    let (mut guessed, mut other) = (serve(&guessed), serve(&other));
    for query in [
        SECRET.to_string(),
        format!("open {SECRET}"),
        format!("\"the word is {SECRET}\" text"),
        format!("text -{SECRET}"),
    ] {
        let asked = json!({"query": query, "limit": 20});
        let found = guessed.call("search", asked.clone());
        let expected = other.call("search", asked);
        assert_eq!(found.text, expected.text, "{query}");
        assert_eq!(found.data, expected.data, "{query}");
    }
    let absent = guessed.call("search", json!({"query": format!("open {SECRET}")}));
    let note = format!("not found: `{SECRET}`");
    assert!(absent.ok().text.contains(&note), "an own answer says it");
}

#[test]
fn no_note_or_error_reveals_anything_outside() {
    let project = project();
    let mut everywhere = Client::new(&project, &["--sync", "never"]);
    let outside = everywhere
        .call("get", json!({"targets": ["private/secret.md"]}))
        .ok();
    assert!(leaks(&outside.text));
    let found = everywhere
        .call("search", json!({"query": "secret", "path": "private"}))
        .ok();
    let id = found.hits("id")[0].as_str().unwrap().to_string();
    let mut client = Client::new(&project, &["docs", "--sync", "never"]);

    // A chunk by its id, complete or abbreviated.
    for id in [&id, &id[..8], &id[..4]] {
        assert!(client.call("get", json!({"targets": [id]})).is_error);
    }
    // Link targets.
    let read = client
        .call("get", json!({"targets": ["open.md"], "links": true}))
        .ok();
    assert!(
        !leaks(&read.text) && !leaks(&read.data.to_string()),
        "{}",
        read.text
    );
    assert_eq!(read.data["items"][0]["links"]["incoming"], json!([]));
    for link in read.data["items"][0]["links"]["outgoing"]
        .as_array()
        .unwrap()
    {
        assert_eq!(
            (&link["path"], &link["title"]),
            (&Value::Null, &Value::Null)
        );
    }
    // Suggestions.
    let close = client.call("get", json!({"targets": ["secrets.md"]}));
    assert_eq!(
        close.text,
        "@ error `secrets.md`: `secrets.md` was not found: `list` and `search` show what exists\n@ end\n"
    );
    // Counts.
    let listed = client.call("list", json!({"what": "documents"})).ok();
    assert_eq!(listed.data["total"], 2);
    let resources = client.request("resources/list", json!({}))["result"]["resources"].clone();
    assert_eq!(resources.as_array().unwrap().len(), 2);
}

#[test]
fn everything_inside_can_be_read_by_every_tool() {
    let project = project();
    for (args, path, name) in [
        (&["docs"][..], "sub/inner.md", "docs"),
        (&["--under", "docs"], "docs/sub/inner.md", "project"),
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["--sync", "never"]).collect();
        let mut client = Client::new(&project, &args);
        let found = client.call("search", json!({"query": "inner text"})).ok();
        assert_eq!(found.hits("path")[0], path);
        let folder = path.rsplit_once('/').unwrap().0;
        let narrow = client
            .call("search", json!({"query": "inner text", "path": folder}))
            .ok();
        assert_eq!(narrow.hits("path"), [path]);
        let absolute = project.path("docs/sub/inner.md").canonicalize().unwrap();
        for given in [
            path.to_string(),
            format!("./{path}"),
            absolute.display().to_string(),
        ] {
            let read = client.call("get", json!({"targets": [given]})).ok();
            assert!(read.text.contains("# Inner"), "{}", read.text);
        }
        let listed = client
            .call("list", json!({"what": "documents", "path": folder}))
            .ok();
        assert_eq!(listed.data["entries"][0]["path"], path);
        client.call("chunk", json!({"path": path})).ok();
        let read = client.request(
            "resources/read",
            json!({"uri": format!("excerpt://{name}/{path}")}),
        );
        assert_eq!(
            read["result"]["contents"][0]["text"], "# Inner\n\nText.\n",
            "{read}"
        );
    }
}

#[test]
fn one_collection_sees_nothing_of_another() {
    let project = Project::new()
        .file("a/tea.md", "# Tea\n\nGreen tea.\n")
        .file("a/deep/x.md", "# Deep\n\nDeep tea.\n")
        .file(
            "b/tea.md",
            format!("# Tea {SECRET}\n\nBlack tea {SECRET}.\n"),
        );
    project.run(&["add", "a", "--name", "one"]).ok();
    project.run(&["add", "b", "--name", "two"]).ok();
    let mut all = Client::new(&project, &["--library", "--sync", "never"]);
    assert_eq!(
        all.call("search", json!({"query": "tea"}))
            .ok()
            .hits("path")
            .len(),
        3
    );
    let both = all.call("get", json!({"targets": ["tea.md"]}));
    assert!(
        both.text
            .contains("is in `one` and `two`: name the `collection`"),
        "{}",
        both.text
    );
    all.call("get", json!({"targets": ["tea.md"], "collection": "two"}))
        .ok();
    let mut client = Client::new(&project, &["-c", "one", "--sync", "never"]);
    let found = client.call("search", json!({"query": "tea black"})).ok();
    assert!(found.hits("collection").iter().all(|name| name == "one"));
    for answer in [
        client.call("search", json!({"query": "tea", "collection": "two"})),
        client.call("get", json!({"targets": ["tea.md"], "collection": "two"})),
        client.call("list", json!({"what": "documents", "collection": "two"})),
        client.call("chunk", json!({"path": "tea.md", "collection": "two"})),
    ] {
        answer.fails("no collection `two`, only `one`");
    }
    let collections = client.call("list", json!({"what": "collections"})).ok();
    assert_eq!(collections.data["total"], 1);
    let read = client.request("resources/read", json!({"uri": "excerpt://two/tea.md"}));
    assert!(read["error"].is_object());
    let mut deep = Client::new(
        &project,
        &["-c", "one", "--under", "deep", "--sync", "never"],
    );
    assert_eq!(
        deep.call("search", json!({"query": "tea"}))
            .ok()
            .hits("path"),
        ["deep/x.md"]
    );
    assert!(deep.call("get", json!({"targets": ["tea.md"]})).is_error);
}

#[test]
fn an_index_that_folders_share_shows_nothing_of_the_others() {
    let project = Project::new()
        .file("one/tea.md", "# Tea\n\nGreen tea.\n")
        .file("two/milk.md", "# Milk\n\nFresh milk.\n");
    let index = project.data().join("shared").display().to_string();
    let two = project.path("two").display().to_string();
    project.run(&["sync", "one", "--index", &index]).ok();
    project
        .run(&["add", &two, "--name", "second", "--index", &index])
        .ok();
    let at_index = ["one", "--sync", "never", "--index", &index];
    let mut client = Client::new(&project, &at_index);
    let found = client.call("search", json!({"query": "milk"})).ok();
    assert!(found.hits("path").is_empty() || found.hits("path") == ["tea.md"]);
    assert!(!found.text.contains("milk.md"), "{}", found.text);
    let listed = client.call("list", json!({"what": "collections"})).ok();
    assert!(!listed.text.contains("second"), "{}", listed.text);
    assert!(client.call("get", json!({"targets": ["milk.md"]})).is_error);
    let named = client.call("search", json!({"query": "milk", "collection": "second"}));
    assert!(named.is_error, "{}", named.text);
    // A server that is allowed to read it shows it.
    let mut client = Client::new(&project, &[&at_index[..], &["--allow-root", &two]].concat());
    let found = client.call("search", json!({"query": "milk"})).ok();
    assert_eq!(found.hits("collection")[0], "second");
}

#[test]
fn several_collections_can_be_named() {
    let mut project = Project::new();
    for name in ["one", "two", "three"] {
        project = project.file(&format!("{name}/tea.md"), format!("# Tea {name}\n"));
    }
    for name in ["one", "two", "three"] {
        project.run(&["add", name]).ok();
    }
    let mut client = Client::new(&project, &["--library", "--sync", "never"]);
    let mut found = |named: Value| {
        let found = client
            .call("search", json!({"query": "tea", "collection": named}))
            .ok();
        let listed = client
            .call("list", json!({"what": "documents", "collection": named}))
            .ok();
        let names = |all: Vec<Value>| {
            let names = all.iter().map(|name| name.as_str().unwrap().to_string());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        let entries = listed.data["entries"].as_array().unwrap().iter();
        let listed = names(entries.map(|entry| entry["collection"].clone()).collect());
        assert_eq!(listed, names(found.hits("collection")));
        listed
    };
    assert_eq!(found(json!("one")), ["one"]);
    assert_eq!(found(json!(["two"])), ["two"]);
    assert_eq!(found(json!(["one", "two"])), ["one", "two"]);
    assert_eq!(found(json!("[\"one\", \"three\"]")), ["one", "three"]);
    assert_eq!(found(json!([])), ["one", "three", "two"]);
    let of_two = json!({"targets": ["tea.md"], "collections": ["one", "three"]});
    client.call("get", of_two).fails(
        "@ error `tea.md`: `tea.md` is in `one` and `three`: name the `collection`\n@ end\n",
    );
    for (tool, rest) in [
        ("search", json!({"query": "tea"})),
        ("list", json!({"what": "folders"})),
        ("get", json!({"targets": ["tea.md"]})),
    ] {
        let mut call = rest;
        call["collection"] = json!(["one", "four"]);
        client
            .call(tool, call)
            .fails("no collection `four`, only `one`, `three`, `two`");
    }
}

#[test]
fn a_part_that_no_collection_has_is_an_error() {
    let project = Project::new()
        .file("one/deep/tea.md", "# Tea\n")
        .file("two/milk.md", "# Milk\n");
    project.run(&["add", "one"]).ok();
    project.run(&["add", "two"]).ok();
    let refused = "excerpt: no `nope` inside what is served: give the path of a folder from there";
    for args in [
        &["mcp", "--library", "--under", "nope"][..],
        &["mcp", "-c", "one", "--under", "nope"],
        &["mcp", "one", "--under", "nope"],
    ] {
        project.run(args).fails(refused);
    }
    project
        .run(&["mcp", "-c", "two", "--under", "deep"])
        .fails(&refused.replace("nope", "deep"));
    let mut client = Client::new(&project, &["--library", "--under", "deep"]);
    let found = client.call("search", json!({"query": "tea"})).ok();
    assert_eq!(found.hits("path"), ["deep/tea.md"]);
    drop(client);
    // A folder that cannot be read at the moment is known from the index.
    std::fs::remove_dir_all(project.path("one")).unwrap();
    let args = ["--library", "--under", "deep", "--sync", "never"];
    let mut client = Client::new(&project, &args);
    let found = client.call("search", json!({"query": "tea"})).ok();
    assert_eq!(found.hits("path"), ["deep/tea.md"]);
}

#[test]
fn an_invalid_configuration_is_reported_and_not_shown() {
    let project = project();
    let mut client = Client::new(&project, &["docs", "--allow-write", "--sync", "always"]);
    client.call("search", json!({"query": "open"})).ok();
    project.write("excerpt.toml", format!("[files]\n{SECRET} = 1\n"));
    for (tool, asked) in [
        ("search", json!({"query": "open"})),
        ("list", json!({})),
        ("get", json!({"targets": ["open.md"]})),
        ("chunk", json!({"path": "open.md"})),
        ("note", json!({"title": "n", "content": "c"})),
    ] {
        let told = client.call(tool, asked);
        assert!(
            told.text.contains("an `excerpt.toml` is invalid"),
            "{tool}: {}",
            told.text
        );
        assert!(
            !leaks(&told.text) && !leaks(&told.data.to_string()),
            "{}",
            told.text
        );
        let folder = project.path("").display().to_string();
        assert!(!told.text.contains(&folder), "{}", told.text);
    }
}

#[cfg(unix)]
#[test]
fn a_replacement_of_the_served_folder_is_not_read() {
    let outside = Project::new().file("open.md", format!("# Open {SECRET}\n"));
    let project = Project::new().file("tea/open.md", "# Open\n\nGreen tea.\n");
    project.run(&["add", "tea", "--name", "teas"]).ok();
    project.run(&["sync", "tea"]).ok();
    for args in [
        ["tea", "--sync", "always"].as_slice(),
        &["-c", "teas", "--sync", "always"],
        &["tea", "--sync", "never", "--allow-write"],
    ] {
        let mut client = Client::new(&project, args);
        // Writes are serialized: after these, the check at the start is over.
        for _ in 0..3 {
            client.call("search", json!({"query": "tea"})).ok();
        }
        let (folder, moved) = (project.path("tea"), project.path("moved"));
        std::fs::rename(&folder, &moved).unwrap();
        std::os::unix::fs::symlink(outside.path(""), &folder).unwrap();
        for (tool, asked) in [
            ("search", json!({"query": "open"})),
            ("get", json!({"targets": ["open.md"]})),
            ("chunk", json!({"path": "open.md"})),
            ("add", json!({"path": "open.md", "preview": true})),
        ] {
            let told = client.call(tool, asked);
            assert!(!leaks(&told.text), "{tool}: {}", told.text);
        }
        std::fs::remove_file(&folder).unwrap();
        std::fs::rename(&moved, &folder).unwrap();
    }
}

#[test]
fn a_path_that_does_not_exist_is_not_an_empty_folder() {
    let project = project();
    let mut client = Client::new(&project, &["docs", "--sync", "never"]);
    for what in ["documents", "folders", "recent"] {
        let listed = client.call("list", json!({"what": what, "path": "subb"}));
        listed.fails("nothing at that `path`: omit it to list everything");
    }
}
