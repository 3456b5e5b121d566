//! Who may reach a server: tokens, hosts, origins; and what each token shows.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::serve_client::{Answer, Server};

/// A word that occurs only where a token does not reach, and parts of paths and names of there.
const SECRET: [&str; 7] = [
    "quetzalcoatl",
    "offices",
    "Payroll",
    "recipes",
    "leeks",
    "familyx",
    "soup",
];

/// A repository of notes with two domains, and a collection besides.
fn brain() -> Project {
    let project = Project::new()
        .file("domains/family/people.md", "---\ntags: [people]\n---\n# People\n\nAnna likes green tea. See [salary](../work/salary.md).\n")
        .file("domains/family/school.md", "# School\n\nThe school year begins in August.\n")
        .file("domains/familyx/near.md", "# Near\n\nA quetzalcoatl, nearly family.\n")
        .file("domains/work/salary.md", "---\ntags: [Payroll]\n---\n# Payroll\n\nThe quetzalcoatl is green. Anna likes tea at work. See [people](../family/people.md).\n")
        .file("domains/work/offices.rs", "/// The quetzalcoatl of offices.\npub fn offices() {}\n")
        .file("README.md", "# Brain\n\nEverything, quetzalcoatl too.\n");
    let other = project.path("").parent().unwrap().join("recipes");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("soup.md"), "# Soup\n\nSoup of leeks and tea.\n").unwrap();
    let root = project.path("");
    project
        .run(&["add", root.to_str().unwrap(), "--name", "brain"])
        .ok();
    project
        .run(&["add", other.to_str().unwrap(), "--name", "recipes"])
        .ok();
    project
}

fn token(project: &Project, args: &[&str]) -> String {
    let mut all = vec!["token", "add"];
    all.extend(args);
    project.run(&all).ok().stdout.trim().to_string()
}

/// Whether an answer shows nothing of where the token does not reach.
#[track_caller]
fn shows_nothing(what: &str, answer: &str, asked: &str) {
    let asked = percent_encoding::percent_decode_str(asked).decode_utf8_lossy();
    for secret in SECRET {
        // What was asked is repeated in some errors.
        if !asked.contains(secret) {
            assert!(
                !answer.contains(secret),
                "{what} shows `{secret}`: {answer}"
            );
        }
    }
}

#[test]
fn every_request_needs_a_token() {
    let project = brain();
    let server = Server::ready(&project, &["--library"]);
    let description = server.get("/v1/openapi.json").ok();
    let mut targets: Vec<(String, String)> = Vec::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        let path = path
            .replace("{target}", "README.md")
            .replace("{name}", "brain");
        let methods = operations.as_object().unwrap().keys();
        targets.extend(methods.map(|method| (method.to_uppercase(), path.clone())));
    }
    targets.extend(
        ["/v1", "/v1/", "/v1/openapi.json", "/mcp"]
            .map(|path| ("GET".to_string(), path.to_string())),
    );
    targets.push(("POST".to_string(), "/mcp".to_string()));
    assert!(targets.len() > 20);
    let wrong = format!("{}x", server.token);
    let short = &server.token[..server.token.len() - 1];
    for (method, path) in &targets {
        for bad in ["", "x", "excerpt_", &wrong, short] {
            let answer = server.send_as(bad, method, path, &json!({}));
            let (detail, _) = answer.problem(401);
            assert!(detail.contains("token"), "{method} {path} {bad}: {detail}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
    }
    for header in ["Basic eDp4", "Bearer", "bearer ", "Token x"] {
        let answer = server.ask(("GET", "/v1/status"), "", &[("Authorization", header)], b"");
        answer.problem(401);
    }
    let twice = format!("Bearer {}", server.token);
    let answer = server.ask(
        ("GET", "/v1/status"),
        &server.token,
        &[("Authorization", &twice)],
        b"",
    );
    answer.problem(401);
    let answer = server.ask(
        ("GET", "/v1/status"),
        "",
        &[("Authorization", &twice.replace("Bearer", "bearer"))],
        b"",
    );
    answer.ok();
}

#[test]
fn a_token_in_an_address_is_refused() {
    let project = brain();
    let server = Server::ready(&project, &["--library"]);
    for name in ["token", "access_token", "Token", "to%6ben", "api_key"] {
        let target = format!("/v1/status?{name}={}", server.token);
        server.get_as("", &target).problem(400);
        server.get(&target).problem(400);
    }
    // That of the page is exchanged at once, and the rest of the address stays.
    let target = format!("/?q=tea&token={}&view=search", server.token);
    let answer = server.get_as("", &target);
    assert_eq!(answer.status, 303);
    let place = answer.header("location").unwrap();
    assert!(place.starts_with("/?q=tea&view=search#session="), "{place}");
    assert!(!place.contains(&server.token));
    let cookie = answer.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly")
            && cookie.contains("SameSite")
            && !cookie.contains(&server.token)
    );
    let cookie = cookie.split(';').next().unwrap();
    let shell = server.ask(("GET", "/?q=tea"), "", &[("Cookie", cookie)], b"");
    assert_eq!(shell.status, 200);
    // The cookie admits to the page and to nothing else.
    server
        .ask(("GET", "/v1/status"), "", &[("Cookie", cookie)], b"")
        .problem(401);
    // A browser can show the description, which says nothing of what is served.
    for target in ["/v1", "/v1/openapi.json"] {
        let signed_in = server.ask(("GET", target), "", &[("Cookie", cookie)], b"");
        assert_eq!(signed_in.status, 200);
        let with_token = format!("{target}?token={}", server.token);
        server
            .ask(("GET", &with_token), "", &[("Cookie", cookie)], b"")
            .problem(400);
        server.get_as("", target).problem(401);
    }
    let value = cookie.split_once('=').unwrap().1;
    server.get_as(value, "/v1/status").problem(401);
    for (target, sent) in [("/", ""), ("/?token=x", ""), ("/", "excerpt_1=x")] {
        let answer = server.ask(("GET", target), "", &[("Cookie", sent)], b"");
        assert_eq!(answer.status, 401, "{target}");
        assert!(answer.body.contains("<form"));
    }
    server.get_as("", "/assets/app.js").problem(401);
    let form = format!("token={}", server.token);
    let answer = server.ask(
        ("POST", "/session"),
        "",
        &[("Content-Type", "application/x-www-form-urlencoded")],
        form.as_bytes(),
    );
    assert_eq!(answer.status, 303);
    assert!(!answer.header("set-cookie").unwrap().contains("Secure"));

    // Behind a proxy that encrypts, the cookie is for encrypted connections alone.
    let headers = [("X-Forwarded-Proto", "https")];
    let answer = server.ask(("GET", &target), "", &headers, b"");
    assert!(answer.header("set-cookie").unwrap().ends_with("; Secure"));
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let project = brain();
    let server = Server::ready(&project, &["--library", "--allow-host", "notes.example"]);
    let ask =
        |headers: &[(&str, &str)]| server.ask(("GET", "/v1/status"), &server.token, headers, b"");
    let port = server.address.rsplit(':').next().unwrap();
    for host in [
        format!("localhost:{port}"),
        "notes.example".to_string(),
        format!("[::1]:{port}"),
    ] {
        assert_eq!(ask(&[("Host", &host)]).status, 200, "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:7700",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "notes.example.evil",
        "x@127.0.0.1",
        "",
    ] {
        let answer = ask(&[("Host", host)]);
        assert!([400, 421].contains(&answer.status), "{host}: {answer:?}");
    }
    let address = &*server.address;
    assert!(
        server
            .raw(
                format!(
                    "GET /v1/status HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\r\n",
                    server.token
                )
                .as_bytes()
            )
            .contains(" 400 ")
    );
    let two = ask(&[("Host", address), ("Host", "evil.example")]);
    assert_eq!(two.status, 400);
    let absolute = server.ask(
        ("GET", "http://evil.example/v1/status"),
        &server.token,
        &[],
        b"",
    );
    assert_eq!(absolute.status, 400);
    let own = format!("http://{address}");
    assert_eq!(ask(&[("Origin", &own)]).status, 200);
    for origin in [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        "file://",
        "http://localhost",
        "",
    ] {
        let answer = ask(&[("Origin", origin)]);
        answer.problem(403);
    }
    ask(&[
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "no-cors"),
    ])
    .problem(403);
    ask(&[("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "cors")]).problem(403);
    assert_eq!(ask(&[("Sec-Fetch-Site", "same-origin")]).status, 200);
    let server = Server::start(&project, &["--library", "--no-token"]);
    server
        .ask(
            ("GET", "/v1/status"),
            "",
            &[("Origin", "http://evil.example")],
            b"",
        )
        .problem(403);
    server
        .ask(("GET", "/v1/status"), "", &[("Host", "evil.example")], b"")
        .problem(421);
    server.ask(("GET", "/v1/status"), "", &[], b"").ok();
}

#[test]
fn a_server_that_others_can_reach_needs_a_file_of_tokens() {
    let project = brain();
    project.run(&["serve", "--listen", "0.0.0.0:0"]).fails("excerpt: `0.0.0.0:0` can be reached from other machines: name a file with tokens, `--tokens FILE`, as `excerpt token add --tokens FILE` makes it");
    project.run(&["serve", "--listen", "0.0.0.0:0", "--no-token"]).fails("excerpt: `--no-token` is only for this machine: listen on 127.0.0.1, or create tokens with `excerpt token add`");
    let file = project.path("../tokens.json");
    let file = file.to_str().unwrap();
    let made = token(&project, &["a", "--tokens", file]);
    let server = Server::ready(
        &project,
        &["--library", "--listen", "0.0.0.0:0", "--tokens", file],
    );
    server.get_as(&made, "/v1/status").ok();
    // Tokens of the other file are not known here.
    let other = token(&project, &["b"]);
    server.get_as(&other, "/v1/status").problem(401);
}

#[test]
fn tokens_are_listed_revoked_and_expire() {
    let project = brain();
    let server = Server::ready(&project, &["--library"]);
    let made = token(
        &project,
        &[
            "phone",
            "--collection",
            "brain",
            "--under",
            "domains/family",
            "--expires",
            "30d",
        ],
    );
    let listed = project.run(&["token", "list", "--json"]).ok();
    let listed = &listed.json()[0];
    assert_eq!(
        (&listed["name"], &listed["under"]),
        (&json!("phone"), &json!("domains/family"))
    );
    assert_eq!(listed["collections"], json!(["brain"]));
    let end = listed["expires"].as_i64().unwrap() - listed["created"].as_i64().unwrap();
    assert_eq!(end, 30 * 24 * 60 * 60);
    assert!(!project.run(&["token", "list"]).ok().stdout.contains(&made));
    server.get_as(&made, "/v1/status").ok();
    let page = server.get_as("", &format!("/?token={made}"));
    let session = page
        .header("location")
        .unwrap()
        .strip_prefix("/#session=")
        .unwrap()
        .to_string();
    server.get_as(&session, "/v1/status").ok();
    let forged = session.replace('a', "b");
    if forged != session {
        server.get_as(&forged, "/v1/status").problem(401);
    }
    project.run(&["token", "revoke", "phone"]).ok();
    server.get_as(&made, "/v1/status").problem(401);
    server.get_as(&session, "/v1/status").problem(401);
    project
        .run(&["token", "revoke", "phone"])
        .fails("excerpt: no token `phone`");
    project
        .run(&["token", "add", "x", "--expires", "soon"])
        .stderr
        .contains("soon");
    project
        .run(&["token", "add", "x", "--collection", "nothing"])
        .stderr
        .contains("nothing");
    project
        .run(&["token", "add", "x", "--under", "../y"])
        .fails("excerpt: `../y` is not a folder inside what is served: give its path from there");
}

#[test]
fn reading_and_writing_are_apart() {
    let project = brain();
    let server = Server::ready(&project, &["--library"]);
    let reader = token(&project, &["reader"]);
    let writer = token(&project, &["writer", "--write"]);
    let part = token(&project, &["part", "--write", "--collection", "brain"]);
    let text = json!({"text": "# A\n\nText.\n", "name": "a"});
    for (method, path, body) in [
        ("POST", "/v1/collections", &text),
        ("PATCH", "/v1/collections/brain", &json!({"tags": ["x"]})),
        ("DELETE", "/v1/collections/brain", &json!({})),
        ("POST", "/v1/sync", &json!({})),
    ] {
        let (detail, _) = server.send_as(&reader, method, path, body).problem(403);
        assert!(detail.contains("--write"), "{detail}");
    }
    assert!(
        server
            .tool(&reader, "add", &json!({"content": "x", "name": "x"}))
            .contains("not available")
    );
    assert_eq!(
        server
            .send_as(&writer, "POST", "/v1/collections", &text)
            .status,
        201
    );
    // A token for a part adds nothing, and changes only that.
    server
        .send_as(
            &part,
            "POST",
            "/v1/collections",
            &json!({"text": "b", "name": "b"}),
        )
        .problem(403);
    server
        .send_as(&part, "DELETE", "/v1/collections/recipes", &json!({}))
        .problem(404);
    server
        .send_as(&part, "DELETE", "/v1/collections/a", &json!({}))
        .problem(404);
    server
        .send_as(
            &part,
            "POST",
            "/v1/sync",
            &json!({"collections": ["recipes"]}),
        )
        .problem(404);
    server
        .send_as(
            &part,
            "PATCH",
            "/v1/collections/brain",
            &json!({"tags": ["x"]}),
        )
        .ok();
    assert_eq!(
        server.get("/v1/collections").ok()["collections"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let under = token(
        &project,
        &[
            "under",
            "--write",
            "--collection",
            "brain",
            "--under",
            "domains/family",
        ],
    );
    server
        .send_as(&under, "DELETE", "/v1/collections/brain", &json!({}))
        .problem(403);
    let note = server.tool(
        &under,
        "note",
        &json!({"title": "Tea", "content": "Anna wants oolong.\n"}),
    );
    assert!(note.starts_with("saved as "), "{note}");
    assert!(project.path("domains/family/inbox").is_dir());
}

/// Paths that lead out of `domains/family`, or look as if they did.
fn paths() -> Vec<String> {
    let mut paths: Vec<String> = [
        "domains/work/salary.md",
        "domains/work",
        "domains",
        "domains/familyx/near.md",
        "domains/familyx",
        "domains/famil",
        "README.md",
        "../work/salary.md",
        "domains/family/../work/salary.md",
        "domains/family/./../work/salary.md",
        "domains/family/people.md/../../work/salary.md",
        "domains/family//../work/salary.md",
        "domains//work//salary.md",
        "./domains/work/salary.md",
        "/domains/work/salary.md",
        "//domains/work/salary.md",
        "/etc/passwd",
        "..",
        "../..",
        ".",
        "",
        "domains/WORK/salary.md",
        "Domains/work/salary.md",
        "domains\\work\\salary.md",
        "domains/family\\..\\work\\salary.md",
        "brain: domains/work/salary.md",
        "brain › domains/work/salary.md",
        "excerpt://brain/domains/work/salary.md",
        "excerpt://brain/domains/family/../work/salary.md",
        "excerpt://recipes/soup.md",
        "recipes: soup.md",
        "soup.md",
        "domains/work/salary.md:1-3",
        "domains/work/salary.md#payroll",
        "domains/work/*",
        "domains/*/salary.md",
        "**",
        "domains/work/salary.md\u{0}",
        "domains/family/people.md\u{0}/../../work/salary.md",
        "domains/family\u{2215}..\u{2215}work/salary.md",
        "domains/work/salary.md ",
        " domains/work/salary.md",
        "~/domains/work/salary.md",
        "file:///domains/work/salary.md",
        "domains/family/people.md/../salary.md",
        "domains/work/offices.rs",
        "domains/work/offices.rs#offices",
    ]
    .map(str::to_string)
    .to_vec();
    let encoded: Vec<String> = paths
        .iter()
        .flat_map(|path| {
            let once = path.replace("../", "%2e%2e%2f").replace('/', "%2f");
            [
                once.clone(),
                once.replace('%', "%25"),
                path.replace("..", "%252e%252e"),
            ]
        })
        .collect();
    paths.extend(encoded);
    paths
}

/// Text as a part of an address.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

#[test]
fn a_token_for_a_folder_sees_nothing_else() {
    let project = brain();
    let server = Server::ready(&project, &["--library"]);
    let whole = server
        .get("/v1/search?query=quetzalcoatl+salary&ranks=chunks&limit=20")
        .ok();
    let ids: Vec<String> = whole["hits"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|hit| !hit["path"].as_str().unwrap().contains("family/"))
        .map(|hit| hit["id"].as_str().unwrap().to_string())
        .collect();
    assert!(ids.len() >= 3, "{whole}");
    let mut targets = paths();
    targets.extend(ids.clone());
    targets.extend(ids.iter().map(|id| id[..12].to_string()));
    let tokens = [
        token(
            &project,
            &["a", "--collection", "brain", "--under", "domains/family"],
        ),
        token(
            &project,
            &[
                "b",
                "--collection",
                "brain",
                "--under",
                "domains/family/",
                "--write",
            ],
        ),
        token(&project, &["c", "--under", "./domains/family"]),
    ];
    let mut tried = 0;
    let own: HashSet<String> = ["domains/family/people.md", "domains/family/school.md"]
        .map(str::to_string)
        .into();
    for made in &tokens {
        let check = |what: &str, answer: &Answer, asked: &str| {
            assert_ne!(answer.status, 500, "{what}: {answer:?}");
            shows_nothing(what, &answer.body, asked);
            for (name, value) in &answer.headers {
                shows_nothing(&format!("{what}: header {name}"), value, asked);
            }
        };
        for target in &targets {
            let part = encoded(target);
            let raw = target.replace([' ', '\0'], "%20");
            for address in [
                format!("/v1/documents/{part}"),
                format!("/v1/documents/{}", part.replace("%2F", "/")),
                format!("/v1/documents/{part}?neighbours=9&links=true"),
                format!("/v1/documents?path={part}"),
                format!("/v1/folders?path={part}"),
                format!("/v1/summary?path={part}"),
                format!("/v1/search?query=tea+quetzalcoatl&path={part}&explain=true"),
                format!("/assets/{part}"),
            ] {
                check(&address, &server.get_as(made, &address), &address);
                tried += 1;
            }
            if raw.is_ascii() {
                let address = format!("/v1/documents/{raw}");
                check(&address, &server.get_as(made, &address), &address);
                tried += 1;
            }
            let body = json!({"path": target, "max": 50, "target": 50, "min": 1});
            check(
                "chunk",
                &server.send_as(made, "POST", "/v1/chunk", &body),
                target,
            );
            tried += 1;
            for (tool, arguments) in [
                (
                    "get",
                    json!({"targets": [target], "links": true, "format": "json"}),
                ),
                ("list", json!({"what": "documents", "path": target})),
                (
                    "search",
                    json!({"query": "tea quetzalcoatl", "path": target, "weak": true}),
                ),
                ("chunk", json!({"path": target})),
            ] {
                let asked = format!("{tool} {arguments} {target}");
                shows_nothing(&asked, &server.tool(made, tool, &arguments), &asked);
                tried += 1;
            }
        }
        for address in [
            "/v1/status",
            "/v1/sync",
            "/v1/collections",
            "/v1/documents",
            "/v1/documents?order=recent",
            "/v1/folders",
            "/v1/summary",
            "/v1/search?query=quetzalcoatl&limit=50",
            "/v1/search?query=Payroll&tags=nothing",
            "/v1/search?query=x&languages=nothing",
            "/v1/search?query=tea&fields=a%3Db",
            "/v1/search?query=x&kinds=nothing",
            "/v1/search?query=green&collections=nothing",
            "/v1/search?query=anna&collections=recipes",
            "/v1/documents/domains/family/salari.md",
            "/v1/documents/domains/family/people.md?links=true",
            "/metrics",
            "/health",
            "/v1/openapi.json",
            "/v1",
        ] {
            check(address, &server.get_as(made, address), address);
            tried += 1;
        }
        for what in ["documents", "folders", "recent", "collections", "summary"] {
            let said = server.tool(made, "list", &json!({"what": what, "format": "json"}));
            shows_nothing(&format!("list {what}"), &said, "");
            tried += 1;
        }
        let listed = server.get_as(made, "/v1/documents").ok();
        let listed = listed["documents"].as_array().unwrap().iter();
        let listed: HashSet<String> = listed
            .map(|it| it["path"].as_str().unwrap().to_string())
            .collect();
        assert_eq!(listed, own);
        for name in ["recipes", "nothing"] {
            let target = format!("/v1/search?query=tea&collections={name}");
            let answer = server.get_as(made, &target);
            answer.problem(404);
            for list in ["documents", "folders", "summary"] {
                let target = format!("/v1/{list}?collections={name}");
                server.get_as(made, &target).problem(404);
            }
            let body = json!({"path": "domains/family/people.md", "collections": [name]});
            server
                .send_as(made, "POST", "/v1/chunk", &body)
                .problem(404);
        }
        let status = server.get_as(made, "/v1/status").ok();
        assert_eq!(status["documents"], 2, "{status}");
    }
    assert!(tried > 1_000, "{tried}");
}

#[test]
fn a_token_for_a_folder_changes_nothing_else() {
    let project = brain();
    let writer = token(&project, &["w", "--write", "--under", "domains/family"]);
    let server = Server::ready(&project, &["--library"]);
    for at in 0..100 {
        project.write(&format!("domains/work/{at}.md"), format!("# Work {at}\n"));
    }
    server.wait_until("all are there", |server| {
        server.get("/v1/documents").ok()["total"] == 107
    });
    std::fs::rename(project.path("domains/work"), project.path("../away")).unwrap();
    for body in [json!({"accept_removals": true}), json!({"retry": true})] {
        let answer = server.send_as(&writer, "POST", "/v1/sync", &body);
        answer.problem(403);
    }
    assert_eq!(
        server
            .send_as(&writer, "POST", "/v1/sync", &json!({}))
            .status,
        202
    );
    server.wait_until("the status reports it", |server| {
        server.get("/v1/status").body.contains("no longer exist")
    });
    assert_eq!(server.get("/v1/documents").ok()["total"], 107);
}

#[test]
fn links_lead_to_what_a_token_sees() {
    let project = brain();
    project.write("domains/family/wiki.md", "# Wiki\n\nSee [[only]].\n");
    project.write("domains/family/sub/only.md", "# Only\n\nText.\n");
    let part = token(
        &project,
        &["a", "--collection", "brain", "--under", "domains/family"],
    );
    let server = Server::start(&project, &["--library"]);
    let targets = [
        "/v1/documents/domains/family/wiki.md?links=true",
        "/v1/documents/domains/family/sub/only.md?links=true",
    ];
    server.wait_until("the new notes are found", |server| {
        targets
            .iter()
            .all(|target| server.get(target).status == 200)
    });
    let read = || targets.map(|target| server.get_as(&part, target).ok()["links"].clone());
    let before = read();
    assert_eq!(
        before[0]["outgoing"][0]["path"],
        "domains/family/sub/only.md"
    );
    project.write("domains/work/only.md", "# Only\n\nAnother.\n");
    server.wait_until("the other is found", |server| {
        server.get("/v1/documents/domains/work/only.md").status == 200
    });
    assert_eq!(read(), before);
}

#[test]
fn scores_are_those_of_the_part_alone() {
    let project = brain();
    let alone = Project::new()
        .file(
            "domains/family/people.md",
            std::fs::read(project.path("domains/family/people.md")).unwrap(),
        )
        .file(
            "domains/family/school.md",
            std::fs::read(project.path("domains/family/school.md")).unwrap(),
        );
    let root = alone.path("");
    alone
        .run(&["add", root.to_str().unwrap(), "--name", "brain"])
        .ok();
    let part = token(
        &project,
        &["a", "--collection", "brain", "--under", "domains/family"],
    );
    let server = Server::ready(&project, &["--library"]);
    let other = Server::ready(&alone, &["--library"]);
    for question in [
        "green+tea",
        "school+year",
        "anna",
        "when+does+school+begin",
        "quetzalcoatl",
    ] {
        let target = format!("/v1/search?query={question}&ranks=chunks&limit=20&explain=true");
        let plain = |answer: Answer| {
            let mut answer: Value = answer.ok();
            // What the file system says of the files is not the same.
            answer["notes"] = json!([]);
            for hit in answer["hits"].as_array_mut().unwrap() {
                hit["document"]["provenance"] = Value::Null;
            }
            answer
        };
        let (here, there) = (server.get_as(&part, &target), other.get(&target));
        assert_eq!(plain(here), plain(there), "{question}");
    }
}

#[test]
fn the_events_and_the_tags_of_a_part_say_nothing_of_the_rest() {
    let project = brain();
    let server = Server::ready(&project, &["--library"]);
    let part = token(
        &project,
        &["a", "--collection", "brain", "--under", "domains/family"],
    );
    let targets = [
        "/v1/status",
        "/v1/search?query=tea",
        "/v1/documents",
        "/v1/summary",
    ];
    let tags = || {
        targets.map(|target| {
            let answer = server.get_as(&part, target);
            (answer.header("etag").map(str::to_string), answer.body)
        })
    };
    let before = tags();
    project.write(
        "domains/work/new.md",
        "# New\n\nMore tea for the quetzalcoatl.\n",
    );
    server.wait_until("the new document is found", |server| {
        server.get("/v1/documents").ok()["total"] == 8
    });
    assert_eq!(tags(), before);
}

#[test]
fn a_token_for_a_folder_is_given_the_names_of_its_collections() {
    let project = brain();
    let server = Server::ready(&project, &["--library"]);
    let family = token(&project, &["family", "--under", "domains/family"]);
    for name in ["nothing", "recipes"] {
        let address = format!("/v1/search?query=tea&collections={name}");
        let (detail, _) = server.get_as(&family, &address).problem(404);
        assert_eq!(detail, format!("no collection `{name}`: there are `brain`"));
        let arguments = json!({"query": "tea", "collection": [name]});
        let text = server.tool(&family, "search", &arguments);
        assert!(
            text.contains(&format!("no collection `{name}`, only `brain`")),
            "{text}"
        );
    }
}
