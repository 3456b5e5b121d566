//! `excerpt serve`: the same answers over HTTP, kept up to date.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::mcp_client::Client;
use crate::serve_client::Server;

/// A folder with some documents.
fn kitchen() -> Project {
    Project::new()
        .file("docs/tea.md", "---\ntags: [drink]\n---\n# Tea\n\nGreen tea wants water of eighty degrees.\n\n## Black tea\n\nBlack tea wants boiling water, and takes [milk](milk.md).\n")
        .file("docs/milk.md", "# Milk\n\nMilk goes into black tea, after the water.\n")
        .file("docs/größe 1.md", "# Größe\n\nA cup holds two hundred millilitres of water.\n")
        .file("src/kettle.rs", "/// Boils water for tea.\npub fn boil_water(litres: f64) -> bool {\n    litres > 0.0\n}\n")
}

/// The places of hits, in their order.
fn places(hits: &Value) -> Vec<String> {
    let hits = hits.as_array().unwrap().iter();
    hits.map(|hit| {
        format!(
            "{} {}",
            hit["path"].as_str().unwrap(),
            hit["id"].as_str().unwrap()
        )
    })
    .collect()
}

#[test]
fn a_question_has_the_same_answer_everywhere() {
    let project = kitchen();
    project.run(&["sync"]).ok();
    let question = "how hot is the water for black tea";
    let shell = project
        .run(&["search", question, "--chunks", "--json", "-n", "4"])
        .ok();
    let expected = places(&shell.json().into());
    assert_eq!(expected.len(), 4);

    let mut agent = Client::new(&project, &[]);
    let arguments = json!({"query": question, "limit": 4, "format": "json"});
    let reply = agent.call("search", arguments.clone());
    assert_eq!(places(&reply.data["hits"]), expected, "MCP over stdio");

    let server = Server::ready(&project, &[]);
    let text = server.tool(&server.token, "search", &arguments);
    let reply: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(places(&reply["hits"]), expected, "MCP over HTTP");

    let encoded = question.replace(' ', "+");
    let target = format!("/v1/search?query={encoded}&limit=4&ranks=chunks");
    let reply = server.get(&target).ok();
    assert_eq!(places(&reply["hits"]), expected, "GET");
    let scores = |hits: &Value| -> Vec<Value> {
        hits.as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["score"].clone())
            .collect()
    };
    assert_eq!(scores(&reply["hits"]), scores(&shell.json().into()));

    let body = json!({"query": question, "limit": 4, "ranks": "chunks"});
    let reply = server.send("POST", "/v1/search", &body).ok();
    assert_eq!(places(&reply["hits"]), expected, "POST");

    // As the page asks: with the session that the link is exchanged for.
    let link = format!("/?token={}", server.token);
    let answer = server.ask(("GET", &link), "", &[], b"");
    assert_eq!(answer.status, 303);
    let place = answer.header("location").unwrap();
    let session = place.strip_prefix("/#session=").unwrap();
    let reply = server.get_as(session, &target).ok();
    assert_eq!(places(&reply["hits"]), expected, "the page");
}

#[test]
fn pages_of_an_answer_follow_each_other() {
    let project = (0..12).fold(Project::new(), |project, at| {
        project.file(
            &format!("{at}.md"),
            format!(
                "# Note {at}\n\nTea number {at} is {}.\n",
                "good ".repeat(at + 1)
            ),
        )
    });
    let server = Server::ready(&project, &[]);
    let whole = server
        .get("/v1/search?query=tea&limit=12&ranks=chunks")
        .ok();
    let whole = places(&whole["hits"]);
    assert_eq!(whole.len(), 12);
    let mut paged = Vec::new();
    let mut offset = 0;
    loop {
        let target = format!("/v1/search?query=tea&limit=5&ranks=chunks&offset={offset}");
        let page = server.get(&target).ok();
        let hits = page["hits"].as_array().unwrap();
        for (at, hit) in hits.iter().enumerate() {
            assert_eq!(hit["rank"], offset + at + 1);
        }
        paged.extend(places(&page["hits"]));
        offset += hits.len();
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(paged, whole);

    // Of documents, a page is as many as `limit` says, however many hits they have.
    let page = |offset: usize| {
        let target = format!("/v1/search?query=tea&limit=5&offset={offset}");
        server.get(&target).ok()
    };
    let documents = [0, 5, 10].map(|offset| places(&page(offset)["hits"]));
    assert_eq!(documents.concat().len(), 12);
}

#[test]
fn days_are_named_as_in_the_shell() {
    let project = Project::new()
        .file("old.md", "---\ndate: 2019-03-01\n---\n# Tea\n\nOld tea.\n")
        .file("new.md", "---\ndate: 2999-03-01\n---\n# Tea\n\nNew tea.\n");
    let server = Server::ready(&project, &[]);
    let found = |filter: &str| {
        let found = server.get(&format!("/v1/search?query=tea&{filter}")).ok();
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["path"].as_str().unwrap().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(found("since=7d"), ["new.md"]);
    assert_eq!(found("until=yesterday"), ["old.md"]);
    assert_eq!(found("since=2019&until=last+week"), ["old.md"]);
}

#[test]
fn documents_are_listed_and_read() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    let listed = server.get("/v1/documents").ok();
    assert_eq!(listed["total"], 4);
    let page = server.get("/v1/documents?limit=2&offset=3").ok();
    assert_eq!(page["documents"].as_array().unwrap().len(), 1);
    let listed = server.get("/v1/documents?path=docs&order=recent").ok();
    assert_eq!(listed["total"], 3);
    assert!(
        !listed
            .to_string()
            .contains(project.path("").to_str().unwrap())
    );

    let whole = server.get("/v1/documents/docs/tea.md").ok();
    let text = std::fs::read_to_string(project.path("docs/tea.md")).unwrap();
    assert_eq!(whole["text"], text);
    let odd = server.get("/v1/documents/docs/gr%C3%B6%C3%9Fe%201.md").ok();
    assert_eq!(odd["title"], "Größe");
    let lines = server.get("/v1/documents/docs/tea.md?lines=6-6").ok();
    assert_eq!(lines["text"], "Green tea wants water of eighty degrees.\n");
    let lines = server.get("/v1/documents/docs/tea.md:6-6").ok();
    assert_eq!(lines["text"], "Green tea wants water of eighty degrees.\n");
    let section = server
        .get("/v1/documents/docs/tea.md?section=black-tea&links=true")
        .ok();
    assert!(
        section["text"]
            .as_str()
            .unwrap()
            .starts_with("## Black tea")
    );
    assert_eq!(section["links"]["outgoing"][0]["path"], "docs/milk.md");
    let id = whole["chunks"][0]["id"].as_str().unwrap();
    let chunk = server.get(&format!("/v1/documents/{id}?neighbours=1")).ok();
    assert_eq!(chunk["path"], "docs/tea.md");

    let (detail, _) = server.get("/v1/documents/docs/taa.md").problem(404);
    assert!(detail.contains("did you mean `docs/tea.md`?"), "{detail}");
    let (_, field) = server
        .get("/v1/documents/docs/tea.md?lines=900")
        .problem(416);
    assert_eq!(field, "lines");
    let (_, field) = server.get("/v1/documents/docs/tea.md?lines=x").problem(422);
    assert_eq!(field, "lines");
    let folders = server.get("/v1/folders").ok();
    assert_eq!(folders["folders"].as_array().unwrap().len(), 3);
    let summary = server.get("/v1/summary").ok();
    assert_eq!(summary["documents"], 4);
    assert_eq!(summary["tags"], json!([["drink", 1]]));
}

#[test]
fn a_text_is_split_as_by_the_command() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    let text = std::fs::read_to_string(project.path("docs/tea.md")).unwrap();
    let flags = [
        "chunk",
        "docs/tea.md",
        "--format",
        "json",
        "--target",
        "20",
        "--max",
        "40",
        "--min",
        "1",
        "--strategy",
        "headers",
        "--overlap",
        "10%",
    ];
    let shell = project.run(&flags).ok().stdout;
    let settings =
        json!({"target": 20, "max": 40, "min": 1, "strategy": "headers", "overlap": "10%"});
    let mut by_text = settings.clone();
    by_text["text"] = text.into();
    by_text["name"] = "docs/tea.md".into();
    assert_eq!(server.send("POST", "/v1/chunk", &by_text).body, shell);
    let mut by_path = settings;
    by_path["path"] = "docs/tea.md".into();
    assert_eq!(server.send("POST", "/v1/chunk", &by_path).body, shell);

    let wrong = json!({"text": "a", "target": 10, "min": 20});
    let (_, field) = server.send("POST", "/v1/chunk", &wrong).problem(422);
    assert_eq!(field, "min");
    for wrong in [json!(null), json!(1)] {
        let body = json!({"text": "a", "": wrong, "max": null, "name": null});
        server.send("POST", "/v1/chunk", &body).problem(400);
        let body = json!({"chunking": {"": wrong, "max": null}});
        server
            .send("PATCH", "/v1/collections/tea", &body)
            .problem(400);
    }
    let unset = json!({"text": "a", "max": null, "name": null, "collections": null});
    server.send("POST", "/v1/chunk", &unset).ok();
    let wrong = json!({"text": "a", "targett": 10});
    let (detail, field) = server.send("POST", "/v1/chunk", &wrong).problem(400);
    assert_eq!(detail, "unknown field `targett`, did you mean `target`?");
    assert_eq!(field, "targett");
    let (_, field) = server.send("POST", "/v1/chunk", &json!({})).problem(400);
    assert_eq!(field, "text");
}

#[test]
fn collections_are_added_changed_and_removed() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    let body = json!({"text": "# Rice\n\nRice wants twice as much water.\n", "title": "Rice", "tags": ["grain"]});
    let added = server.send("POST", "/v1/collections", &body);
    assert_eq!(added.status, 201);
    let name = added.ok()["name"].as_str().unwrap().to_string();
    let found = server
        .get(&format!("/v1/search?query=rice&collections={name}"))
        .ok();
    assert_eq!(found["hits"][0]["collection"], *name);
    let (_, field) = server
        .send("POST", "/v1/collections", &json!({"path": "/etc"}))
        .problem(403);
    assert_eq!(field, "path");
    let (_, field) = server
        .send("POST", "/v1/collections", &json!({"texts": "x"}))
        .problem(400);
    assert_eq!(field, "texts");

    let target = format!("/v1/collections/{name}");
    let changed = server
        .send("PATCH", &target, &json!({"tags": ["cereal"]}))
        .ok();
    assert_eq!(changed["stored"], true);
    let found = server.get("/v1/search?query=rice&tags=cereal").ok();
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    let same = server
        .send("PATCH", &target, &json!({"tags": ["cereal"]}))
        .ok();
    assert_eq!(same["stored"], false);
    let text = "One sentence about rice. ".repeat(60);
    let long = json!({"text": text, "name": "long"});
    let chunks = server.send("POST", "/v1/collections", &long).ok()["chunks"].clone();
    let small = json!({"chunking": {"target": 60, "max": 80, "min": 10}});
    let split = server.send("PATCH", "/v1/collections/long", &small).ok();
    assert!(
        split["chunks"].as_u64() > chunks.as_u64(),
        "{split} after {chunks}"
    );
    assert_eq!(split["notes"], json!([]));
    let status = server.send("DELETE", "/v1/collections/long", &json!({}));
    assert_eq!(status.status, 204);
    let listed = server.get("/v1/collections").ok();
    assert_eq!(
        listed["collections"][0]["attributes"]["tags"],
        json!(["cereal"])
    );
    assert_eq!(server.send("DELETE", &target, &json!({})).status, 204);
    server.send("DELETE", &target, &json!({})).problem(404);
    assert_eq!(server.get("/v1/collections").ok()["collections"], json!([]));
}

#[test]
fn an_answer_without_hits_says_why() {
    let project = kitchen().file("photo.md", b"\x89PNG\r\n\x1a\n\0\0");
    let server = Server::ready(&project, &[]);
    let notes = |target: &str| {
        let notes = server.get(target).ok()["notes"].clone();
        let notes = notes.as_array().unwrap().iter();
        let notes = notes.map(|note| note.as_str().unwrap().to_string());
        notes.collect::<Vec<_>>().join("; ")
    };
    let low = notes("/v1/search?query=kettle&min_score=99");
    assert!(
        low.contains("no hit has a score of at least 99: the best one has "),
        "{low}"
    );
    let nothing = notes("/v1/search?query=zzyzx&channels=keywords");
    assert!(nothing.contains("not searched: 1 binary"), "{nothing}");
    let found = notes("/v1/search?query=kettle");
    assert!(!found.contains("not searched"), "{found}");
}

#[test]
fn an_answer_that_is_known_is_not_sent_again() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    let target = "/v1/search?query=tea";
    let first = server.get(target);
    let tag = first.header("etag").unwrap();
    // The same answer may be sent with and without compression.
    assert!(tag.starts_with("W/\""), "{tag}");
    let known = |server: &Server, tag: &str| {
        server.ask(
            ("GET", target),
            &server.token,
            &[("If-None-Match", tag)],
            b"",
        )
    };
    let again = known(&server, tag);
    assert_eq!((again.status, &*again.body), (304, ""));
    assert_eq!(known(&server, &tag[2..]).status, 304);
    assert_eq!(again.header("etag"), Some(tag));
    assert_eq!(known(&server, "\"other\"").status, 200);
    project.write("docs/new.md", "# New tea\n\nTea, tea and tea.\n");
    server.wait_until("the new document is found", |server| {
        known(server, tag).status == 200
    });
}

#[test]
fn what_changes_is_found_without_being_asked_for() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    let finds = |server: &Server, word: &str| {
        let found = server
            .get(&format!("/v1/search?query={word}&channels=keywords"))
            .ok();
        !found["hits"].as_array().unwrap().is_empty()
    };
    project.write("docs/deep/er/oolong.md", "# Oolong\n\nOolong tea.\n");
    server.wait_until("a new file is found", |server| finds(server, "oolong"));
    std::fs::remove_file(project.path("docs/deep/er/oolong.md")).unwrap();
    server.wait_until("a removed file is gone", |server| !finds(server, "oolong"));
    // The command line writes to the same index.
    project.run(&["sync"]).ok();
    project.write("docs/matcha.md", "# Matcha\n\nMatcha tea.\n");
    let found = project
        .run(&["search", "matcha", "--json", "--channels", "keywords"])
        .ok();
    assert_eq!(found.json().len(), 1);
    server.wait_until("it is found here, too", |server| finds(server, "matcha"));
}

#[test]
fn the_log_names_a_sync_that_fails_once() {
    let project = kitchen();
    project.run(&["add", "docs", "--name", "notes"]).ok();
    let server = Server::ready(&project, &["--library"]);
    let state = |server: &Server| {
        let status = server.get("/v1/status").ok();
        status["sources"][0]["state"].as_str().unwrap().to_string()
    };
    let away = project.path("away");
    std::fs::rename(project.path("docs"), &away).unwrap();
    for _ in 0..2 {
        server.send("POST", "/v1/sync", &json!({}));
        server.wait_until("the sync fails", |server| state(server) == "failed");
    }
    std::fs::rename(&away, project.path("docs")).unwrap();
    server.send("POST", "/v1/sync", &json!({}));
    server.wait_until("it succeeds", |server| state(server) == "current");
    let (_, log) = server.end();
    for message in ["a sync failed", "a sync that had failed has succeeded"] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(message)).collect();
        assert_eq!(lines.len(), 1, "{log}");
        assert!(lines[0].contains("\"source\":\"notes\""), "{log}");
    }
}

#[test]
fn the_status_of_a_part_counts_nothing_of_the_rest() {
    let project = Project::new()
        .file("private/photo.md", "a\0b")
        .file("notes/tea.md", "# Tea\n\nGreen.\n");
    project.run(&["sync", "."]).ok();
    let skipped = |server: &Server| server.get("/v1/status").ok()["sources"][0]["skipped"].clone();
    let part = Server::ready(&project, &["notes"]);
    assert_eq!(skipped(&part), json!({}));
    let whole = Server::ready(&project, &["."]);
    assert_eq!(skipped(&whole), json!({"binary": 1}));
}

#[test]
fn an_answer_waits_for_the_end_of_a_sync() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    for number in 5..20 {
        let text = format!("# Note {number}\n\nSomething about {number}.\n");
        project.write(&format!("docs/{number}.md"), &text);
        let synced = server.send("POST", "/v1/sync", &json!({"wait": 50}));
        assert_eq!(synced.status, 200, "{synced:?}");
        assert_eq!(synced.ok()["documents"], number, "{synced:?}");
        let source = synced.ok()["sources"][0].clone();
        assert_eq!(
            (&source["state"], &source["skipped"]),
            (&json!("current"), &json!({}))
        );
    }
    for wrong in [json!(-1), json!(51), json!("a")] {
        let answer = server.send("POST", "/v1/sync", &json!({"wait": wrong}));
        assert!([400, 422].contains(&answer.status), "{answer:?}");
    }
    // A source that cannot be synced is reported, and not waited for.
    let away = project.path("away");
    std::fs::rename(project.path("docs"), &away).unwrap();
    std::fs::write(project.path("docs"), "no folder").unwrap();
    let synced = server.send("POST", "/v1/sync", &json!({"wait": 50}));
    assert_eq!(synced.status, 200, "{synced:?}");
}

#[test]
fn events_tell_the_status() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    let mut stream = server.connected();
    let head = format!(
        "GET /v1/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.address, server.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = || {
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_string));
        serde_json::from_str::<Value>(&data.unwrap()).unwrap()
    };
    assert_eq!(next()["documents"], 4);
    project.write("docs/new.md", "# New\n\nNew.\n");
    while next()["documents"] != 5 {}
    let answer = server.send("POST", "/v1/sync", &json!({}));
    assert_eq!(answer.status, 202);
    let (_, field) = server
        .send("POST", "/v1/sync", &json!({"collections": ["x"]}))
        .problem(404);
    assert_eq!(field, "collections");
    // The stream ends with the server.
    let (code, _) = server.end();
    assert_eq!(code, Some(0));
    lines.for_each(drop);
}

#[test]
fn the_description_lists_every_address() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    let description = server.get("/v1/openapi.json").ok();
    assert_eq!(description["openapi"], "3.1.0");
    let paths = description["paths"].as_object().unwrap();
    for (path, operations) in paths {
        let path = path
            .replace("{target}", "docs/tea.md")
            .replace("{name}", "nothing");
        for method in operations.as_object().unwrap().keys() {
            if path == "/v1/events" {
                continue;
            }
            let method = method.to_uppercase();
            let answer = server.send(&method, &path, &json!({}));
            assert!(
                ![405, 500].contains(&answer.status),
                "{method} {path}: {answer:?}"
            );
            let unknown = server.send(&method, &format!("{path}?nothing=1"), &json!({}));
            if method == "GET" {
                let (_, field) = unknown.problem(400);
                assert_eq!(field, "nothing", "{path}");
            }
        }
    }
    let page = server.get("/v1/");
    assert!(page.body.contains("/v1/search"));
    let tag = [("If-None-Match", page.header("etag").unwrap())];
    let again = server.ask(("GET", "/v1/"), &server.token, &tag, b"");
    assert_eq!(again.status, 304);
    // Without a body, everything is synced.
    let started = server.ask(("POST", "/v1/sync"), &server.token, &[], b"");
    assert_eq!(started.status, 202, "{started:?}");
    let metrics = server.get("/metrics").body;
    assert!(
        metrics.contains("excerpt_documents{source=\"project\"} 4"),
        "{metrics}"
    );
    server.get("/v2").problem(404);
    for (method, target) in [("PUT", "/v1/status"), ("GET", "/mcp"), ("DELETE", "/mcp")] {
        server
            .ask((method, target), &server.token, &[], b"")
            .problem(405);
    }
}

#[test]
fn the_log_is_one_object_a_request_without_what_was_asked() {
    let project = kitchen();
    let server = Server::ready(&project, &[]);
    let id = [("X-Request-Id", "abc-123")];
    let answer = server.ask(("GET", "/v1/search?query=tea"), &server.token, &id, b"");
    assert_eq!(answer.header("x-request-id"), Some("abc-123"));
    let token = server.token.clone();
    let (code, log) = server.end();
    assert_eq!(code, Some(0));
    assert!(!log.contains(&token) && !log.contains("query"), "{log}");
    let lines: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let ours = lines
        .iter()
        .find(|line| line["span"]["id"] == "abc-123")
        .unwrap();
    assert_eq!(
        (&ours["status"], &ours["span"]["path"]),
        (&json!(200), &json!("/v1/search"))
    );
    assert_eq!(ours["span"]["token"], "owner");
    assert_eq!(ours.get("spans"), None);
}

#[test]
fn the_names_of_mcp_are_understood() {
    let project = Project::new().file("tea.md", "# Tea\n\nGreen tea.\n");
    let server = Server::ready(&project, &[]);
    let hits = |found: &Value| found["hits"].as_array().unwrap().len();
    let asked = "/v1/search?q=green&max_num_results=1&language=markdown";
    assert_eq!(hits(&server.get(asked).ok()), 1);
    let asked = json!({"question": "green", "lang": "markdown", "top_k": 1});
    assert_eq!(hits(&server.send("POST", "/v1/search", &asked).ok()), 1);
    let asked = json!({"query": "green", "language": "python"});
    assert_eq!(hits(&server.send("POST", "/v1/search", &asked).ok()), 0);
    let twice = json!({"query": "green", "q": "tea"});
    let (detail, _) = server.send("POST", "/v1/search", &twice).problem(400);
    assert_eq!(detail, "`query` is given twice, as `q`: omit one");
    let twice = server.get("/v1/search?query=green&q=tea").problem(400);
    assert_eq!(twice.0, detail);

    let split = |body: Value| server.send("POST", "/v1/chunk", &body).ok();
    let text = "# A\n\nOne two.\n\n# B\n\nThree four.\n";
    let flat = split(json!({"text": text, "name": "a.md", "strategy": "whole"}));
    let nested = json!({"content": text, "name": "a.md", "chunking": {"strategy": "whole"}});
    assert_eq!(split(nested), flat);
    let twice = json!({"text": text, "max": 900, "chunking": {"max": 800}});
    let (detail, _) = server.send("POST", "/v1/chunk", &twice).problem(400);
    assert_eq!(detail, "`max` is given twice: omit one");

    let added = json!({"content": "Black tea.\n", "title": "Black", "type": "doc"});
    server.send("POST", "/v1/collections", &added).ok();
}
