//! A server started by `excerpt serve`, and requests to it. They are written by hand, byte for
//! byte, because many of them are ones that no client library sends.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fixture::Project;

/// Longer than any answer takes, even on a slow machine: a test that waits this long has failed.
const FOREVER: Duration = Duration::from_secs(120);

/// A running server.
pub(crate) struct Server {
    pub(crate) child: Child,
    /// The address with the port.
    pub(crate) address: String,
    /// The token of the user who runs it; empty with `--no-token`.
    pub(crate) token: String,
    log: Mutex<Option<std::thread::JoinHandle<String>>>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }

    /// The body of a successful answer.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        serde_json::from_str(&self.body).unwrap()
    }

    /// The problem of an answer with this status: what is wrong, and the first field that is.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16) -> (String, String) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        let problem: Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], "about:blank");
        assert!(problem["title"].is_string());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        (
            text(&problem["detail"]),
            text(&problem["errors"][0]["field"]),
        )
    }
}

impl Server {
    /// A server of the project's folder, with these arguments besides.
    pub(crate) fn start(project: &Project, args: &[&str]) -> Server {
        let mut all = vec!["serve", "--log", "json"];
        if !args.contains(&"--listen") {
            all.extend(["--listen", "127.0.0.1:0"]);
        }
        all.extend(args);
        let mut child = project.command(&all).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut errors = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut log = String::new();
            let _ = errors.read_to_string(&mut log);
            log
        });
        let first = lines.next().map(Result::unwrap);
        let Some(first) = first else {
            panic!("{}", log.join().unwrap());
        };
        let page = lines.next().unwrap().unwrap();
        let rest: Vec<String> = lines.take(2).map(Result::unwrap).collect();
        assert!(
            rest[0].contains("/v1") && rest[1].contains("/mcp"),
            "{rest:?}"
        );
        let address = first
            .rsplit('/')
            .next()
            .unwrap()
            .replace("0.0.0.0", "127.0.0.1");
        let token = page.split_once("token=").map(|(_, token)| token);
        Server {
            child,
            address,
            token: token.unwrap_or_default().to_string(),
            log: Mutex::new(Some(log)),
        }
    }

    /// A server that has indexed everything.
    pub(crate) fn ready(project: &Project, args: &[&str]) -> Server {
        let server = Server::start(project, args);
        server.wait_until("everything is indexed", |server| server.is_current());
        server
    }

    /// Whether all sources are up to date.
    pub(crate) fn is_current(&self) -> bool {
        let status = self.get("/v1/status").ok();
        let sources = status["sources"].as_array().unwrap();
        sources.iter().all(|source| source["state"] == "current")
    }

    /// Waits until something is so.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn(&Server) -> bool) {
        let end = Instant::now() + FOREVER;
        while !is_so(self) {
            assert!(Instant::now() < end, "{what}: not in time");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A connection.
    pub(crate) fn connected(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(FOREVER)).unwrap();
        stream
    }

    /// Sends bytes, and reads all answers until the server closes the connection.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connected();
        // The server may refuse the request before all of it was sent.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Makes a request with the token `token`, if it is not empty.
    pub(crate) fn ask(
        &self,
        (method, target): (&str, &str),
        token: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut head = format!("{method} {target} HTTP/1.1\r\nConnection: close\r\n");
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            let _ = write!(head, "Host: {}\r\n", self.address);
        }
        if !token.is_empty() {
            let _ = write!(head, "Authorization: Bearer {token}\r\n");
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if !body.is_empty() {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        let bytes = [head.as_bytes(), b"\r\n", body].concat();
        parsed(&self.raw(&bytes))
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        self.get_as(&self.token, target)
    }

    pub(crate) fn get_as(&self, token: &str, target: &str) -> Answer {
        self.ask(("GET", target), token, &[], b"")
    }

    pub(crate) fn send(&self, method: &str, target: &str, body: &Value) -> Answer {
        self.send_as(&self.token, method, target, body)
    }

    pub(crate) fn send_as(&self, token: &str, method: &str, target: &str, body: &Value) -> Answer {
        let kind = [("Content-Type", "application/json")];
        self.ask((method, target), token, &kind, body.to_string().as_bytes())
    }

    /// Calls a tool over MCP, without a handshake, and returns the text of its answer.
    pub(crate) fn tool(&self, token: &str, name: &str, arguments: &Value) -> String {
        let message = serde_json::json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": name,
                "arguments": arguments,
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        });
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        let answer = self.ask(
            ("POST", "/mcp"),
            token,
            &headers,
            message.to_string().as_bytes(),
        );
        let body = answer.body.trim();
        let body = body
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("data: "))
            .unwrap_or(body);
        let value: Value = serde_json::from_str(body).unwrap_or_default();
        match value["result"]["content"][0]["text"].as_str() {
            Some(text) => text.to_string(),
            None => answer.body,
        }
    }

    /// Tells the server to end, and returns its exit code and its log.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        let code = self.child.wait().unwrap().code();
        let log = self.log.lock().unwrap().take().unwrap();
        (code, log.join().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer from its bytes.
#[track_caller]
pub(crate) fn parsed(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let status = status.and_then(|status| status.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: Vec<_> = headers
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    let is_chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    Answer {
        status: status.unwrap_or_else(|| panic!("no answer: `{text}`")),
        headers,
        body: match is_chunked {
            true => unchunked(body),
            false => body.to_string(),
        },
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole += rest.get(..size).unwrap_or(rest);
        body = rest.get(size + 2..).unwrap_or_default();
    }
    whole
}
