//! A client of `excerpt mcp`: JSON-RPC, one message per line, to the real binary.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::Project;

/// Longer than any answer takes, even on a slow machine: a test that waits this long has failed.
const FOREVER: Duration = Duration::from_secs(120);

/// A server and its messages.
pub(crate) struct Client {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last: u64,
    /// The answer to `initialize`.
    pub(crate) welcome: Value,
    /// The notifications received so far.
    pub(crate) told: Vec<Value>,
}

/// The answer of a tool, in the form that a call requests, or in both forms if each was requested.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The text for a model, with the mark of the server's lines as `@`.
    pub(crate) text: String,
    /// The same text unchanged.
    pub(crate) sent: String,
    /// The JSON for a program.
    pub(crate) data: Value,
    pub(crate) is_error: bool,
}

impl Client {
    /// A server in the project's folder, after the handshake.
    pub(crate) fn new(project: &Project, args: &[&str]) -> Self {
        let mut client = Client::silent(project, args);
        client.welcome = client.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        )["result"]
            .clone();
        client.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    /// A server that has not received any message.
    pub(crate) fn silent(project: &Project, args: &[&str]) -> Self {
        let args: Vec<&str> = ["mcp"].into_iter().chain(args.iter().copied()).collect();
        let mut child = project
            .command(&args)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Client {
            input: child.stdin.take(),
            child,
            lines,
            last: 0,
            welcome: Value::Null,
            told: Vec::new(),
        }
    }

    /// Sends bytes and a line end.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.bytes(line.as_bytes());
    }

    /// Sends a request without waiting for its answer, and returns its id.
    pub(crate) fn post(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&message.to_string());
        id
    }

    /// The next line of the server, which must be a message.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(FOREVER).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
            if message.get("method").is_some() {
                self.told.push(message);
            }
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    /// Calls a tool. Unless the arguments specify a form, a tool that only reads is called for both
    /// forms of its answer, and one that writes for JSON.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        if arguments.get("format").is_some() {
            return self.call_once(tool, arguments);
        }
        let mut asked = arguments.clone();
        asked["format"] = "json".into();
        let told = self.call_once(tool, asked);
        if tool == "note" || (tool == "add" && arguments["preview"] != true) {
            return told;
        }
        let text = self.call_once(tool, arguments);
        Reply {
            data: told.data,
            is_error: told.is_error || text.is_error,
            ..text
        }
    }

    fn call_once(&mut self, tool: &str, arguments: Value) -> Reply {
        Reply::of(&self.request("tools/call", json!({"name": tool, "arguments": arguments})))
    }

    /// Repeats a call until the answer is as expected, since background work takes some time.
    pub(crate) fn until(
        &mut self,
        tool: &str,
        arguments: &Value,
        is_right: impl Fn(&Reply) -> bool,
    ) -> Reply {
        let begin = Instant::now();
        loop {
            let reply = self.call(tool, arguments.clone());
            if is_right(&reply) {
                return reply;
            }
            assert!(begin.elapsed() < FOREVER, "{reply:?}");
            std::thread::yield_now();
        }
    }

    /// The offered tools.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let listed = self.request("tools/list", json!({}));
        listed["result"]["tools"].as_array().unwrap().clone()
    }

    /// Closes the input, and returns the exit code and standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let code = self.child.wait().unwrap().code();
        let mut said = String::new();
        let mut errors = self.child.stderr.take().unwrap();
        errors.read_to_string(&mut said).unwrap();
        (code, said)
    }
}

/// The mark of an answer that quotes documents: its first word.
pub(crate) fn mark(text: &str) -> Option<&str> {
    let mark = text.split(' ').next()?;
    let digits = mark.strip_prefix('@')?;
    (digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(mark)
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failed test must not leave a process running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    fn of(message: &Value) -> Self {
        let result = &message["result"];
        assert!(result.is_object(), "{message}");
        let content = result["content"].as_array().unwrap();
        assert_eq!(content.len(), 1);
        assert!(result.get("structuredContent").is_none());
        let sent = content[0]["text"].as_str().unwrap().to_string();
        Reply {
            text: match mark(&sent) {
                Some(mark) => sent.replace(mark, "@"),
                None => sent.clone(),
            },
            data: serde_json::from_str(&sent).unwrap_or_default(),
            is_error: result["isError"] == true,
            sent,
        }
    }

    /// Checks that the call succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(!self.is_error, "{}", self.text);
        self
    }

    /// Checks that the call failed with this message.
    #[track_caller]
    pub(crate) fn fails(self, message: &str) {
        assert_eq!((&*self.text, self.is_error), (message, true));
    }

    /// One field of each hit.
    pub(crate) fn hits(&self, field: &str) -> Vec<Value> {
        let hits = self.data["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit[field].clone()).collect()
    }
}
