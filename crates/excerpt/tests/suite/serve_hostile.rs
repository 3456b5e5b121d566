//! Requests that no client should send, and clients that take more than they may.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::fixture::Project;
use crate::serve_client::{Server, parsed};

fn notes() -> Project {
    Project::new().file("a.md", "# Tea\n\nTea wants water.\n")
}

#[test]
fn json_that_is_none_is_refused_and_says_why() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let kind = [("Content-Type", "application/json")];
    let post = |body: &[u8]| server.ask(("POST", "/v1/search"), &server.token, &kind, body);
    for body in [
        "",
        "{",
        "nonsense",
        "{\"query\":\"tea\"} x",
        "{\"query\":\"tea\"",
        "\u{feff}{}",
        "{\"query\":\"\\ud800\"}",
        "[1]",
        "null",
        "\"x\"",
        "1",
    ] {
        let answer = post(body.as_bytes());
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
    }
    let deep = |levels: usize| {
        let (lists, objects) = ("[".repeat(levels), "{\"a\":".repeat(levels));
        let (ends, object_ends) = ("]".repeat(levels), "}".repeat(levels));
        [
            format!("{{\"query\":{lists}{ends}}}"),
            format!("{{\"fields\":{objects}1{object_ends}}}"),
        ]
    };
    for body in deep(10_000) {
        post(body.as_bytes()).problem(400);
    }
    for body in deep(100_000) {
        let target = ("POST", "/v1/chunk");
        let answer = server.ask(target, &server.token, &kind, body.as_bytes());
        answer.problem(400);
        // A search has no use for a body of this size.
        post(body.as_bytes()).problem(413);
    }
    let (detail, field) = post(b"{\"query\":\"tea\",\"topk\":3}").problem(400);
    assert!(detail.contains("unknown field `topk`"), "{detail}");
    assert_eq!(field, "topk");
    let (_, field) = post(b"{\"query\":1}").problem(400);
    assert_eq!(field, "query");
    let (_, field) = post(b"{\"query\":\"x\",\"limit\":0}").problem(400);
    assert_eq!(field, "limit");
    let (_, field) = post(b"{\"query\":\"x\",\"wait\":10.5}").problem(400);
    assert_eq!(field, "wait");
    let (_, field) = post(b"{\"query\":\"x\",\"tags\":[\"a\",1]}").problem(400);
    assert_eq!(field, "tags[1]");
    let (_, field) = post(b"{\"query\":\"x\",\"fields\":{\"a\":[1]}}").problem(400);
    assert_eq!(field, "fields");
    let (_, field) = post(b"{\"query\":\"x\",\"since\":\"soon\"}").problem(422);
    assert_eq!(field, "since");
    let answer = server.ask(
        ("POST", "/v1/search"),
        &server.token,
        &[("Content-Type", "text/plain")],
        b"{}",
    );
    answer.problem(415);
    let duplicate = post(b"{\"query\":\"a\",\"query\":\"b\"}");
    duplicate.problem(400);
}

#[test]
fn what_is_wrong_is_named_and_not_repeated_at_length() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    for (target, length) in [
        ("/v1/chunk", 500_000),
        ("/v1/sync", 500_000),
        ("/v1/collections", 500_000),
        ("/v1/search", 500_000),
        ("/v1/search", 4_000),
    ] {
        let long = "\u{1}x".repeat(length);
        let wrong = [
            json!({"text": "a", &*long: 1}),
            json!({"collections": [&long]}),
            json!({"text": "a", "chunking": {&*long: 1}, "strategy": &long}),
            json!({"path": &long, "kind": &long, "fields": {&*long: [1]}}),
        ];
        for body in wrong {
            let answer = server.send("POST", target, &body);
            assert!((400..500).contains(&answer.status), "{target}");
            assert!(
                answer.body.len() < 20_000,
                "{target}: {}",
                answer.body.len()
            );
        }
    }
    let (_, field) = server.get("/v1/search?query=tea&min_share=2").problem(422);
    assert_eq!(field, "min_share");
    let (_, field) = server.get("/v1/search?query=tea&a+mapping=1").problem(400);
    assert_eq!(field, "a mapping");
    let said = [
        ("query=tea&limit=abc", "`limit`: expected a whole number"),
        (
            "query=tea&offset=99999999999999999999",
            "`offset`: the number is too large",
        ),
        ("query=a&query=b", "`query`: it is given several times"),
    ];
    for (query, words) in said {
        let (detail, _) = server.get(&format!("/v1/search?{query}")).problem(400);
        assert_eq!(detail, words);
    }
    let kind = [("Content-Type", "application/json")];
    for target in ["/v1/search", "/mcp"] {
        let answer = server.ask(
            ("POST", target),
            &server.token,
            &kind,
            b"{\"query\":\"tea\"",
        );
        let (detail, _) = answer.problem(400);
        assert_eq!(detail, "the body is not JSON: EOF while parsing an object");
    }
}

#[test]
fn a_body_without_end_is_cut_off() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let mut stream = server.connected();
    let head = format!(
        "POST /v1/chunk HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.address, server.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let piece = format!("100000\r\n{}\r\n", "x".repeat(1 << 20));
    let mut sent = 0;
    // A gigabyte, of which the server reads only a little.
    while sent < 1_024 && stream.write_all(piece.as_bytes()).is_ok() {
        sent += 1;
    }
    assert!(sent < 200, "{sent} MiB were read");
    let declared = server.ask(
        ("POST", "/v1/chunk"),
        &server.token,
        &[
            ("Content-Type", "application/json"),
            ("Content-Length", "1073741824"),
        ],
        b"",
    );
    assert!([400, 413].contains(&declared.status), "{declared:?}");
    server.get("/v1/status").ok();
}

#[test]
fn a_client_that_sends_too_much_learns_it() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let body = vec![b' '; 20 << 20];
    for target in ["/v1/chunk", "/v1/search", "/mcp", "/hooks/none"] {
        let mut stream = server.connected();
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nX-Hub-Signature-256: sha256=00\r\nContent-Length: {}\r\n\r\n",
            server.address,
            server.token,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // All of it is taken, although it is too large.
        stream.write_all(&body).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413", "{target}");
    }
}

#[test]
fn large_bodies_are_read_a_few_at_a_time() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let body = "x".repeat(6 << 20);
    let streams: Vec<_> = (0..40)
        .map(|_| {
            let mut stream = server.connected();
            let head = format!(
                "POST /hooks/none HTTP/1.1\r\nHost: {}\r\nX-Hub-Signature-256: sha256=00\r\nContent-Length: {}\r\n\r\n",
                server.address,
                body.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.set_nonblocking(true).unwrap();
            // As much as the server takes without reading it.
            let _ = stream.write(&body.as_bytes()[..1 << 20]);
            stream
        })
        .collect();
    server.get("/v1/search?query=tea").ok();
    #[cfg(target_os = "linux")]
    {
        let path = format!("/proc/{}/status", server.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let resident = status
            .lines()
            .find(|line| line.starts_with("VmRSS"))
            .unwrap();
        let resident: usize = resident.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(resident < 200_000, "{resident} kB");
    }
    drop(streams);
}

#[test]
fn a_small_request_does_not_get_an_endless_answer() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let marker = json!({"text": "hello world. ".repeat(1_000), "unit": "chars", "target": 2, "max": 2, "min": 0, "continuation_marker": "x".repeat(100_000)});
    let (_, field) = server.send("POST", "/v1/chunk", &marker).problem(422);
    assert_eq!(field, "continuation_marker");
    let many =
        json!({"text": "a b ".repeat(500_000), "unit": "chars", "target": 1, "max": 1, "min": 0});
    let (_, field) = server.send("POST", "/v1/chunk", &many).problem(422);
    assert_eq!(field, "target");
    let long = json!({"text": "a b ".repeat(2_000_000)});
    let (_, field) = server.send("POST", "/v1/chunk", &long).problem(422);
    assert_eq!(field, "text");
}

#[test]
fn lengths_and_encodings_that_contradict_each_other_smuggle_nothing() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let (host, token) = (&server.address, &server.token);
    let inner =
        format!("GET /v1/status HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n");
    let begin = format!(
        "POST /v1/search HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    );
    let body = "{\"query\":\"tea\"}";
    for headers in [
        format!(
            "Content-Length: {}\r\nTransfer-Encoding: chunked\r\n",
            body.len()
        ),
        format!(
            "Transfer-Encoding: chunked\r\nContent-Length: {}\r\n",
            body.len() + inner.len()
        ),
        format!(
            "Content-Length: {}\r\nContent-Length: {}\r\n",
            body.len(),
            body.len() + inner.len()
        ),
        format!("Content-Length: {}, {}\r\n", body.len(), body.len() + 5),
        "Content-Length: +15\r\n".to_string(),
        "Content-Length: 0x0f\r\n".to_string(),
        "Content-Length: -1\r\n".to_string(),
        "Content-Length: 15 15\r\n".to_string(),
        "Transfer-Encoding: xchunked\r\n".to_string(),
        "Transfer-Encoding: identity\r\n".to_string(),
        "Transfer-Encoding: chunked, identity\r\n".to_string(),
        "Transfer-Encoding : chunked\r\n".to_string(),
        "Transfer-Encoding:\tchunked\r\nTransfer-Encoding: identity\r\n".to_string(),
        " Transfer-Encoding: chunked\r\n".to_string(),
        "X: a\r\n\tTransfer-Encoding: chunked\r\n".to_string(),
        "X: a\nTransfer-Encoding: chunked\r\n".to_string(),
    ] {
        let sent = format!("{begin}{headers}\r\n0\r\n\r\n{inner}");
        let mut stream = server.connected();
        stream.write_all(sent.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        // One request was made as far as the client said; a proxy may think the same.
        let first = answer.split("HTTP/1.1 ").nth(1).unwrap_or_default();
        let is_refused = first.is_empty() || first.starts_with('4') || first.starts_with('5');
        assert!(is_refused, "{headers}: {answer}");
        let others = answer.matches("\"version\"").count();
        assert_eq!(others, 0, "{headers}: {answer}");
    }
}

#[test]
fn paths_and_headers_of_all_shapes_are_answered() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let long = "a/".repeat(4_000);
    for path in [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/assets/../../../Cargo.toml",
        "/assets/%2e%2e/mod.rs",
        "/assets/..%2fmod.rs",
        "/assets/..\\mod.rs",
        "/assets//etc/passwd",
        "/assets/%00",
        "/assets/index.html%00.js",
        "/v1/../v1/status/..",
        "/v1//status",
        "//v1/status",
        "/v1/status/",
        "/v1/status;x",
        "/%76%31/status",
        "/v1/documents/%ff%fe",
        "/v1/documents/%",
        "/v1/documents/%2",
        "/v1/documents/%zz",
        "/v1/collections/..",
        "/v1/collections/%2e%2e",
        "/hooks/../v1/status",
        "/hooks/%2e%2e",
        "*",
        "/v1/documents/?lines=1",
        &format!("/{long}"),
    ] {
        let answer = server.get(path);
        assert!(answer.status < 500, "{path}: {answer:?}");
        assert!(
            !answer.body.contains("root:") && !answer.body.contains("include_bytes"),
            "{path}: {answer:?}"
        );
    }
    for (name, value) in [
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Original-Url", "/v1/collections"),
        ("X-Rewrite-Url", "/metrics"),
        ("X-Http-Method-Override", "DELETE"),
        ("If-None-Match", "*,\"\",W/"),
        ("Range", "bytes=0-18446744073709551615"),
        ("Accept-Encoding", "gzip;q=0, *;q=0.5, ,,,"),
        ("Cookie", "=;;=;excerpt"),
        ("X-Request-Id", "a b<script>"),
        ("Expect", "100-continue"),
    ] {
        let answer = server.ask(("GET", "/v1/status"), &server.token, &[(name, value)], b"");
        assert!(
            [200, 304, 417].contains(&answer.status),
            "{name}: {answer:?}"
        );
        assert!(
            !answer
                .headers
                .iter()
                .any(|(_, value)| value.contains("<script>")),
            "{name}"
        );
    }
    let many: String = (0..500).map(|at| format!("X-{at}: y\r\n")).collect();
    let answer = parsed(&server.raw(format!("GET / HTTP/1.1\r\n{many}\r\n").as_bytes()));
    assert_eq!(answer.status, 431);
    let answer =
        parsed(&server.raw(format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(100_000)).as_bytes()));
    assert!([414, 431].contains(&answer.status), "{answer:?}");
    for bytes in [
        &b"\x00\x01\x02\x03"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let answer = server.raw(bytes);
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
            "{answer}"
        );
    }
    server.get("/v1/status").ok();
}

#[test]
fn slow_and_silent_clients_do_not_keep_others_from_being_answered() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let mut held = Vec::new();
    for at in 0..500 {
        let Ok(mut stream) = std::net::TcpStream::connect(&server.address) else {
            break;
        };
        let begun: &[u8] = match at % 3 {
            0 => b"",
            1 => b"GET /v1/status HTTP/1.1\r\nHost: 127",
            _ => b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
        };
        stream.write_all(begun).unwrap();
        held.push(stream);
    }
    let begun = Instant::now();
    server.get("/v1/search?query=tea").ok();
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    assert!(held.len() > 100);
}

#[cfg(unix)]
#[test]
fn ten_thousand_connections_keep_nobody_out() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let files = getrlimit(Resource::Nofile).maximum;
    let most = Rlimit {
        current: files,
        maximum: files,
    };
    setrlimit(Resource::Nofile, most).unwrap();
    let files = usize::try_from(files.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let project = notes();
    let server = Server::ready(&project, &[]);
    // A client that has shown its token keeps its connection.
    let mut kept = server.connected();
    let request = format!(
        "GET /v1/search?query=tea HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.address, server.token
    );
    let mut ask = || {
        kept.write_all(request.as_bytes()).unwrap();
        let mut answer = [0; 12];
        kept.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200");
        answered_whole(&mut kept);
    };
    ask();
    let mut held = Vec::new();
    for at in 0..10_000.min(files.saturating_sub(200)) {
        let mut stream = server.connected();
        if at % 2 == 0 {
            // One that had to give way may be gone already.
            let _ = stream.write_all(b"GET /v1/status HTTP/1.1\r\nHost: 127");
        }
        held.push(stream);
        if at % 1_000 == 0 {
            ask();
        }
    }
    assert!(held.len() > 500, "{}", held.len());
    let begun = Instant::now();
    server.get("/v1/search?query=tea").ok();
    // Connections end after longer when nothing has arrived on them.
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
}

/// Reads the rest of an answer whose status line was read.
fn answered_whole(stream: &mut std::net::TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap();
    let length = length.split("\r\n").next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
}

#[test]
fn a_client_that_goes_away_stops_nothing() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    for _ in 0..200 {
        let mut stream = server.connected();
        let head = format!(
            "GET /v1/search?query=tea HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            server.address, server.token
        );
        stream.write_all(head.as_bytes()).unwrap();
        drop(stream);
    }
    server.get("/v1/search?query=tea").ok();
    server.wait_until("no request is left", |server| {
        let metrics = server.get("/metrics").body;
        // The request for the metrics is one.
        metrics.contains("excerpt_http_requests_running 1\n")
    });
}

#[test]
fn too_many_requests_are_told_to_wait() {
    let project = notes();
    let server = Server::ready(&project, &["--rate", "50"]);
    let answers: Vec<_> = (0..200).map(|_| server.get("/health")).collect();
    let refused = answers.iter().find(|answer| answer.status == 429);
    let refused = refused.expect("200 requests at once are too many");
    refused.problem(429);
    assert_eq!(refused.header("retry-after"), Some("1"));
    // Another token is not affected.
    let other = project.run(&["token", "add", "b"]).ok().stdout;
    server.get_as(other.trim(), "/health").ok();
}

#[test]
fn an_index_that_is_removed_or_damaged_while_serving_is_no_end() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let indexes = project.data().join("excerpt/indexes");
    for entry in std::fs::read_dir(&indexes).unwrap() {
        let _ = std::fs::remove_dir_all(entry.unwrap().path());
    }
    let answer = server.get("/v1/search?query=tea");
    assert!([200, 503].contains(&answer.status), "{answer:?}");
    project.write("b.md", "# Milk\n\nMilk.\n");
    server.wait_until("it was made again", |server| {
        let answer = server.get("/v1/search?query=milk");
        answer.status == 200 && answer.body.contains("b.md")
    });
    let (code, _) = server.end();
    assert_eq!(code, Some(0));
}

#[test]
fn a_server_that_is_told_to_end_under_load_answers_what_it_has() {
    let project = notes();
    let server = Server::ready(&project, &[]);
    let (address, token) = (server.address.clone(), server.token.clone());
    let load = std::thread::spawn(move || {
        let mut whole = 0;
        loop {
            let Ok(mut stream) = std::net::TcpStream::connect(&address) else {
                return whole;
            };
            let head = format!(
                "GET /v1/search?query=tea HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
            );
            if stream.write_all(head.as_bytes()).is_err() {
                return whole;
            }
            let mut text = String::new();
            if stream.read_to_string(&mut text).is_err() || text.is_empty() {
                return whole;
            }
            assert_eq!(parsed(&text).ok()["hits"][0]["path"], "a.md");
            whole += 1;
        }
    });
    server.wait_until("some were answered", |server| {
        server.get("/metrics").body.contains("route=\"/v1/search\"")
    });
    let (code, _) = server.end();
    assert_eq!(code, Some(0));
    assert!(load.join().unwrap() > 0);
}

#[test]
fn a_hostile_document_is_only_text() {
    let project = notes().file(
        "evil.md",
        "# <script>alert(1)</script>\n\nevil <img src=x onerror=alert(1)> \u{202e}gpj.exe [x](javascript:alert(1))\n\ndata: evil\n\nevent: status\n",
    );
    let server = Server::ready(&project, &[]);
    let answer = server.get("/v1/search?query=evil");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert!(
        answer
            .header("content-security-policy")
            .unwrap()
            .starts_with("default-src 'none'")
    );
    let hit = &answer.ok()["hits"][0];
    assert!(hit["text"].as_str().unwrap().contains("<img src=x"));
    let answer = server.send("POST", "/v1/chunk", &json!({"path": "evil.md"}));
    answer.ok();
}

#[test]
fn a_target_that_is_too_long_is_refused_shortly() {
    let project = Project::new().file("tea.md", "# Tea\n\nGreen tea.\n");
    let server = Server::ready(&project, &[]);
    for target in ["#".repeat(64_000), "sub/".repeat(16_000)] {
        const WHY: &str = "a target of 64,000 bytes, expected at most 8,192";
        let text = server.tool(&server.token, "get", &json!({"targets": [target]}));
        assert!(text.contains(WHY) && text.len() < 2_000, "{text}");
        let run = project.run(&["get", &target]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(WHY), "{}", run.stderr);
    }
    let target = format!("tea.md%23{}", "a".repeat(9_000));
    let (detail, field) = server.get(&format!("/v1/documents/{target}")).problem(422);
    assert!(detail.starts_with("a target of 9,007 bytes"), "{detail}");
    assert_eq!(field, "target");
}
