//! Hostile clients: no message makes the server crash or hang.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;

use crate::fixture::Project;
use crate::mcp_client::Client;

fn project() -> Project {
    let project = Project::new().file("a.md", "# Tea\n\nGreen tea.\n");
    project.run(&["sync"]).ok();
    project
}

/// Checks that the server still answers.
fn lives(client: &mut Client) {
    let found = client.call("search", json!({"query": "green tea"})).ok();
    assert_eq!(found.hits("path"), ["a.md"]);
}

#[test]
fn no_line_ends_the_server() {
    let project = project();
    let mut client = Client::new(&project, &["--sync", "never"]);
    let call = |query: &str| {
        json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "search", "arguments": {"query": query}}}).to_string()
    };
    let invalid = [call("tea").as_bytes(), b"\xff\xfe\xc3"].concat();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let lines: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\0".to_vec(),
        b"no json".to_vec(),
        b"{}".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        br#"{"jsonrpc":"2.0"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":null,"method":"tools/call"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":[1]}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":7}}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":"c","method":"nothing/of/that"}"#.to_vec(),
        br#"{"jsonrpc":"2.0","id":"d","result":{}}"#.to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#.to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#.to_vec(),
        invalid,
        b"\xff\xff\xff".to_vec(),
        deep.clone().into_bytes(),
        format!(r#"{{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{{"name":"search","arguments":{deep}}}}}"#).into_bytes(),
        call("\0").into_bytes(),
        call("a\0b\u{1b}[2J").into_bytes(),
        call(&"tea ".repeat(250_000)).into_bytes(),
        call(&"t".repeat(1_000_000)).into_bytes(),
        call(&"\"".repeat(10_000)).into_bytes(),
    ];
    for line in &lines {
        client.bytes(line);
        lives(&mut client);
    }
    let big = "x".repeat(1_000_000);
    for (tool, arguments) in [
        ("get", json!({"targets": [big]})),
        ("list", json!({"what": big})),
        ("search", json!({"query": "tea", "path": big})),
        ("chunk", json!({"text": big, "name": "a.rs"})),
    ] {
        client.call(tool, arguments);
        lives(&mut client);
    }
    let (code, said) = client.end();
    assert_eq!((code, &*said), (Some(0), ""));
}

#[test]
fn a_message_that_is_too_long_is_an_error_under_its_id() {
    let project = project();
    let mut client = Client::new(&project, &["--sync", "never"]);
    let told = json!({"code": -32600, "message": "message too long: it exceeds 4,194,304 bytes"});
    let long = "x".repeat(17 * 1024 * 1024);
    for (line, id) in [
        (
            format!(r#"{{"jsonrpc":"2.0","id":"a","method":"ping","params":{{"x":"{long}"}}}}"#),
            json!("a"),
        ),
        (
            format!(
                r#"{{"jsonrpc":"2.0","method":"ping","params":{{"id":1,"x":"{long}"}},"id":77}}"#
            ),
            json!(77),
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{{"id":1,"x":"{long}"}}}}"#),
            json!(null),
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"ping"}}"#),
            json!(null),
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":5,"result":"{long}"}}"#),
            json!(null),
        ),
        (long, json!(null)),
    ] {
        client.line(&line);
        let answer = client.next();
        assert_eq!((&answer["id"], &answer["error"]), (&id, &told));
        lives(&mut client);
    }
    assert_eq!(client.end(), (Some(0), String::new()));
}

#[test]
fn an_invalid_message_is_an_error_under_its_id() {
    let project = project();
    for begins in [true, false] {
        let mut client = match begins {
            true => Client::new(&project, &["--sync", "never"]),
            false => Client::silent(&project, &["--sync", "never"]),
        };
        for (line, id, code, message) in [
            ("hello", json!(null), -32700, "not JSON: expected value"),
            (
                r#"{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"\ud800"}}"#,
                json!("s"),
                -32700,
                "not JSON: unexpected end of hex escape",
            ),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"ping""#,
                json!(3),
                -32700,
                "not JSON: EOF while parsing an object",
            ),
            (
                r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#,
                json!(4),
                -32600,
                "not a JSON-RPC 2.0 message",
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                json!(null),
                -32600,
                "not a JSON-RPC 2.0 message",
            ),
            ("[]", json!(null), -32600, "not a JSON-RPC 2.0 message"),
        ] {
            client.line(line);
            let answer = client.next();
            let error = &answer["error"];
            let said = error["message"].as_str().unwrap();
            // The message ends with the position of the error.
            let said = said.split(" at line ").next().unwrap();
            assert_eq!(
                (&answer["id"], &error["code"]),
                (&id, &json!(code)),
                "{line}"
            );
            assert_eq!(said, message);
        }
        // Neither an empty line nor a notification, even an invalid or unknown one, is answered.
        for line in [
            "",
            "  ",
            r#"{"jsonrpc":"2.0","method":"$/unknown"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        ] {
            client.line(line);
        }
        if begins {
            let id = client.post("ping", json!({}));
            assert_eq!(client.next()["id"], id);
        }
    }
}

#[test]
fn messages_before_the_handshake_do_no_harm() {
    let project = project();
    let mut client = Client::silent(&project, &["--sync", "never"]);
    client.line("hello");
    client.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.line(r#"{"jsonrpc":"2.0","id":"x","result":{}}"#);
    let early = client.request("tools/list", json!({}));
    assert!(early["error"].is_object());
    client.line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let begun = client.request(
        "initialize",
        json!({"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    );
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25");
    lives(&mut client);
    assert_eq!(client.end(), (Some(0), String::new()));
}

#[test]
fn ten_thousand_requests_are_answered() {
    let project = project();
    let mut client = Client::new(&project, &["--sync", "never"]);
    let mut input = String::new();
    for number in 0..10_000 {
        let message = match number % 100 {
            0 => {
                json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "tea"}}})
            }
            _ => json!({"jsonrpc": "2.0", "id": number, "method": "ping"}),
        };
        input += &message.to_string();
        input.push('\n');
    }
    // The client's reader thread reads the answers meanwhile.
    client.line(input.trim_end());
    let mut answered = vec![false; 10_000];
    for _ in 0..10_000 {
        let message = client.next();
        let id = usize::try_from(message["id"].as_u64().unwrap()).unwrap();
        assert!(message["result"].is_object() && !answered[id], "{message}");
        answered[id] = true;
    }
    assert_eq!(client.end(), (Some(0), String::new()));
}

#[test]
fn a_client_that_disconnects_is_not_waited_for() {
    let project = project();
    // At once, before its first message.
    assert_eq!(
        Client::silent(&project, &[]).end(),
        (Some(0), String::new())
    );
    // In the middle of answers, which are not read.
    let mut child = project
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "tea"}}});
    // The server may have exited before everything is written.
    let _ = writeln!(input, "{begin}\n{call}\n{call}");
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // With a request in progress and an incomplete line.
    let mut client = Client::new(&project, &[]);
    client.post(
        "tools/call",
        json!({"name": "search", "arguments": {"query": "tea"}}),
    );
    client.bytes(br#"{"jsonrpc":"2.0","id":7,"#);
    assert_eq!(client.end(), (Some(0), String::new()));
}
