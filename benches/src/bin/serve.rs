//! Measures `excerpt serve`: searches over HTTP compared with the same ones in process, requests a
//! second of 32 clients, and an hour of mixed load.
//!
//! Corpus: the documents in a folder, synced before into the index that is named. Questions are
//! first sentences of its files (documentation and headings), sampled evenly.
//!
//! - `search` and `clients`: all questions are asked in process, by the service that the server
//!   uses, and then over one connection, in several rounds after one to warm up. Then 32
//!   connections ask as fast as they are answered, in several rounds between rounds of one thread
//!   in process. The clients are a thread of this process and run on the same cores. Wall-clock
//!   time.
//! - `load`: 1,000 connections stay open; each asks, reads or lists, then pauses for 2 to 18
//!   seconds. A writer replaces documents meanwhile, whose paragraphs each name their version: an
//!   answer is torn if one document is of several versions. Memory is that of the server that no
//!   file backs (`RssAnon`). Pauses are random, with a seed.
//!
//! Command: `cargo run --release --bin serve PROGRAM FOLDER INDEX [SECONDS]`; with a number of
//! seconds, the load alone. Prints a line of JSON for each figure.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use excerpt_benches::question;
use excerpt_service::{
    CollectionChoice, EmbeddingChoice, Engine, IndexChoice, IndexTarget, Scope, ScopeBounds,
    SearchRequest, ServiceError, SyncMode,
};
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use mimalloc::MiMalloc;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::sleep;

/// That of the program, so that only HTTP differs.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The number of questions, and how often each is asked.
const QUESTIONS: usize = 200;
const ROUNDS: usize = 3;
/// The number of clients that ask without a pause, and for how long.
const CLIENTS: usize = 32;
const STRETCH: Duration = Duration::from_secs(8);
const STRETCHES: usize = 3;
/// The number of connections of the mixed load, and the range of their pauses in milliseconds.
const CONNECTIONS: usize = 1_000;
const PAUSES: std::ops::Range<u64> = 2_000..18_000;
/// The number of documents that the writer replaces, of their paragraphs, and its pause.
const WRITTEN: usize = 20;
const PARAGRAPHS: usize = 60;
const WRITER_PAUSE: Duration = Duration::from_secs(3);
/// The pause between two looks at the memory.
const LOOK: Duration = Duration::from_secs(30);

/// The folder of the documents that the writer replaces.
const FOLDER: &str = "bench-serve";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, folder, index, rest @ ..] = &*arguments else {
        panic!("the arguments are PROGRAM FOLDER INDEX [SECONDS]");
    };
    let (folder, index) = (Path::new(folder), Path::new(index));
    let questions = questions(folder);
    let server = Served::start(program, folder, index);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let tasks = LocalSet::new();
    match rest.first() {
        Some(seconds) => {
            let time = Duration::from_secs(seconds.parse().expect("a number of seconds"));
            let written = folder.join(FOLDER);
            tasks.block_on(&runtime, load(&server, &written, questions, time));
            std::fs::remove_dir_all(written).expect("what was written is removed");
        }
        None => {
            let process = InProcess::open(folder, index);
            tasks.block_on(&runtime, compare(&server, &process, &questions));
        }
    }
}

/// First sentences, sampled evenly from all files that have one.
fn questions(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).expect("a folder that can be read");
        for entry in entries.flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => files.push(path),
            }
        }
    }
    files.sort();
    let texts = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok());
    let all: Vec<String> = texts.filter_map(|text| question(&text)).collect();
    let step = (all.len() / QUESTIONS).max(1);
    all.into_iter().step_by(step).take(QUESTIONS).collect()
}

/// The service in this process.
struct InProcess {
    engine: Engine,
    scope: Arc<Scope>,
}

impl InProcess {
    fn open(folder: &Path, index: &Path) -> InProcess {
        let collections = CollectionChoice::default();
        let embedding = EmbeddingChoice::default();
        let index = IndexChoice {
            folder: Some(index.to_path_buf()),
        };
        let target = IndexTarget::of(folder, &collections, &index, &embedding)
            .expect("a folder with an index");
        let bounds = ScopeBounds {
            collections: &collections,
            under: None,
            roots: &[],
            embedding: &embedding,
        };
        let scope = Arc::new(Scope::of(&target, &bounds).expect("a scope"));
        let engine = Engine::start(target, Arc::clone(&scope), SyncMode::Never).expect("a thread");
        InProcess { engine, scope }
    }

    /// Asks, and writes the answer as JSON as the server does.
    fn ask(&self, question: &str) -> Vec<u8> {
        let request = SearchRequest {
            query: question.to_string(),
            ..SearchRequest::default()
        };
        let answer = self.engine.answer_here::<_, ServiceError>(|index| {
            let reply = self.scope.search(index, &request)?;
            let results = reply.results(&request, &*self.scope, Vec::new());
            Ok(serde_json::to_vec(&results).expect("the results can be written"))
        });
        answer.expect("an answer")
    }
}

/// A server that was started, and ends with this value.
struct Served {
    child: Child,
    address: Address,
}

/// Where a server is, and the token for it.
#[derive(Clone)]
struct Address {
    host: String,
    token: String,
}

impl Served {
    fn start(program: &str, folder: &Path, index: &Path) -> Served {
        let mut child = Command::new(program)
            .arg("serve")
            .arg(folder)
            .arg("--index")
            .arg(index)
            .args([
                "--listen",
                "127.0.0.1:0",
                "--rate",
                "1000000",
                "--log",
                "off",
            ])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut line = || output.next().expect("a line").expect("a line of text");
        let (first, second) = (line(), line());
        let host = first.rsplit("//").next().expect("an address").to_string();
        let token = second.rsplit("token=").next().expect("a token").to_string();
        let address = Address { host, token };
        Served { child, address }
    }

    /// The memory that no file backs, in megabytes (Linux; 0 elsewhere).
    fn memory(&self) -> usize {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
        kilobytes.unwrap_or(0) / 1024
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that one request at a time is made on, without anything in between.
struct PlainClient {
    stream: std::net::TcpStream,
    address: Address,
}

impl PlainClient {
    fn connect(address: &Address) -> PlainClient {
        let stream = std::net::TcpStream::connect(&address.host).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        PlainClient {
            stream,
            address: address.clone(),
        }
    }

    fn ask(&mut self, question: &str) -> Vec<u8> {
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            search_path(question),
            self.address.host,
            self.address.token
        );
        self.stream
            .write_all(request.as_bytes())
            .expect("it is sent");
        let (mut answer, mut part) = (Vec::new(), [0; 1 << 16]);
        let end = |answer: &[u8]| {
            let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
            let text = String::from_utf8_lossy(&answer[..head]).to_ascii_lowercase();
            let length = text
                .split("content-length: ")
                .nth(1)?
                .split("\r\n")
                .next()?;
            let length: usize = length.parse().ok()?;
            (answer.len() >= head + length).then_some(head)
        };
        loop {
            let count = self.stream.read(&mut part).expect("an answer");
            assert!(count > 0, "the connection has ended");
            answer.extend(&part[..count]);
            if let Some(head) = end(&answer) {
                assert!(answer.starts_with(b"HTTP/1.1 200"), "no good answer");
                return answer.split_off(head);
            }
        }
    }
}

/// One of many connections.
struct Client {
    sender: SendRequest<Full<Bytes>>,
    address: Address,
}

impl Client {
    async fn connect(address: &Address) -> Client {
        let stream = TcpStream::connect(&address.host)
            .await
            .expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("a handshake");
        tokio::task::spawn_local(connection);
        Client {
            sender,
            address: address.clone(),
        }
    }

    /// The status and the body; `None` if the connection has ended.
    async fn get(&mut self, path: &str) -> Option<(u16, Bytes)> {
        self.sender.ready().await.ok()?;
        let request = Request::get(path)
            .header("Host", &self.address.host)
            .header("Authorization", format!("Bearer {}", self.address.token))
            .body(Full::default())
            .expect("a request");
        let answer = self.sender.send_request(request).await.ok()?;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.ok()?;
        Some((status, body.to_bytes()))
    }

    async fn ask(&mut self, question: &str) -> Bytes {
        let answer = self.get(&search_path(question)).await;
        let (status, body) = answer.expect("an answer");
        assert_eq!(status, 200, "{body:?}");
        body
    }
}

fn search_path(question: &str) -> String {
    let encoded = question.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    format!("/v1/search?query={}", encoded.collect::<String>())
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}

/// The time at `share` of the sorted times.
fn at(times: &mut [Duration], share: f64) -> f64 {
    times.sort();
    milliseconds(times[((times.len() - 1) as f64 * share) as usize])
}

async fn compare(server: &Served, process: &InProcess, questions: &[String]) {
    let mut plain = PlainClient::connect(&server.address);
    let (mut inside, mut over, mut same) = (Vec::new(), Vec::new(), 0);
    for round in 0..=ROUNDS {
        let mut answers = Vec::new();
        for question in questions {
            let begun = Instant::now();
            answers.push(process.ask(question));
            inside.push(begun.elapsed());
        }
        for (question, answer) in questions.iter().zip(answers) {
            let begun = Instant::now();
            let body = plain.ask(question);
            over.push(begun.elapsed());
            same += usize::from(answer == body);
        }
        if round == 0 {
            (inside, over, same) = (Vec::new(), Vec::new(), 0);
        }
    }
    let count = inside.len();
    println!(
        "{}",
        json!({
            "figure": "search", "questions": count, "same": same,
            "p50_in_process": at(&mut inside, 0.5), "p95_in_process": at(&mut inside, 0.95),
            "p50_over_http": at(&mut over, 0.5), "p95_over_http": at(&mut over, 0.95),
        })
    );
    for _ in 0..STRETCHES {
        let begun = Instant::now();
        let mut asked = 0;
        for question in questions.iter().cycle() {
            process.ask(question);
            asked += 1;
            if begun.elapsed() > STRETCH {
                break;
            }
        }
        let alone = f64::from(asked) / begun.elapsed().as_secs_f64();
        let (mut times, took) = clients(server, questions).await;
        let together = times.len() as f64 / took.as_secs_f64();
        println!(
            "{}",
            json!({
                "figure": "clients", "clients": CLIENTS,
                "requests_a_second_in_process": alone.round(),
                "requests_a_second_over_http": together.round(),
                "ratio": (together / alone * 100.0).round() / 100.0,
                "p50": at(&mut times, 0.5), "p99": at(&mut times, 0.99),
            })
        );
    }
}

/// The times of the answers to clients that ask without a pause.
async fn clients(server: &Served, questions: &[String]) -> (Vec<Duration>, Duration) {
    let questions: Rc<[String]> = questions.into();
    let begun = Instant::now();
    let mut tasks = Vec::new();
    for first in 0..CLIENTS {
        let mut client = Client::connect(&server.address).await;
        let questions = Rc::clone(&questions);
        tasks.push(tokio::task::spawn_local(async move {
            let mut times = Vec::new();
            for at in (first * 7..).take_while(|_| begun.elapsed() < STRETCH) {
                let asked = Instant::now();
                client.ask(&questions[at % questions.len()]).await;
                times.push(asked.elapsed());
            }
            times
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.expect("a client"));
    }
    (times, begun.elapsed())
}

/// What the connections of the load have seen.
#[derive(Default)]
struct Seen {
    times: Vec<Duration>,
    /// Connections that had ended while they were idle, and were opened again.
    reconnected: usize,
    /// Answers that were errors, or none.
    errors: Vec<String>,
    /// Answers of several versions of a document, and all answers with one that is replaced.
    torn: usize,
    of_written: usize,
}

type Shared<T> = Rc<RefCell<T>>;

async fn load(server: &Served, written: &Path, questions: Vec<String>, time: Duration) {
    std::fs::create_dir_all(written).expect("a folder for what is written");
    let end = Instant::now() + time;
    let seen = Shared::<Seen>::default();
    let questions: Rc<[String]> = questions.into();
    let mut tasks = Vec::new();
    for number in 0..CONNECTIONS {
        let work = ask_and_pause(
            server.address.clone(),
            Rc::clone(&questions),
            Rc::clone(&seen),
            fastrand::Rng::with_seed(number as u64),
            end,
        );
        tasks.push(tokio::task::spawn_local(work));
    }
    let (versions, memory) = tokio::join!(write(written, end), look(server, &seen, end));
    for task in tasks {
        task.await.expect("a client");
    }
    let mut seen = seen.borrow_mut();
    println!(
        "{}",
        json!({
            "figure": "load", "connections": CONNECTIONS, "seconds": time.as_secs(),
            "answers": seen.times.len(), "errors": seen.errors.len(),
            "first_errors": seen.errors.iter().take(5).collect::<Vec<_>>(),
            "torn": seen.torn, "of_written": seen.of_written,
            "reconnected": seen.reconnected, "versions_written": versions,
            "p50": at(&mut seen.times, 0.5), "p99": at(&mut seen.times, 0.99),
            "slowest": at(&mut seen.times, 1.0), "megabytes": memory,
        })
    );
}

/// A connection of the load.
async fn ask_and_pause(
    address: Address,
    questions: Rc<[String]>,
    seen: Shared<Seen>,
    mut random: fastrand::Rng,
    end: Instant,
) {
    let mut client = Client::connect(&address).await;
    loop {
        sleep(Duration::from_millis(random.u64(PAUSES))).await;
        if Instant::now() > end {
            return;
        }
        let document = random.usize(0..WRITTEN);
        let path = match random.u8(0..100) {
            0..60 => search_path(&questions[random.usize(0..questions.len())]),
            60..75 => search_path(&format!("lighthouse keeper of island {document}")),
            75..90 => format!("/v1/documents/{FOLDER}/{document}.md"),
            90..97 => "/v1/documents?limit=20".to_string(),
            _ => "/v1/status".to_string(),
        };
        if client.sender.is_closed() {
            client = Client::connect(&address).await;
            seen.borrow_mut().reconnected += 1;
        }
        let asked = Instant::now();
        let answer = client.get(&path).await;
        let mut seen = seen.borrow_mut();
        seen.times.push(asked.elapsed());
        let is_of_written = path.contains(FOLDER);
        match answer {
            Some((200, body)) => seen.check(&body),
            // The writer has not begun yet.
            Some((404, _)) if is_of_written && seen.of_written == 0 => {}
            Some((status, body)) => {
                let body = String::from_utf8_lossy(&body);
                seen.errors.push(format!("{path}: {status} {body}"));
            }
            None => seen.errors.push(format!("{path}: no answer")),
        }
    }
}

impl Seen {
    /// Checks that each document of an answer is of one version.
    fn check(&mut self, body: &[u8]) {
        let body = String::from_utf8_lossy(body);
        // Each paragraph says `island-N-version-V`.
        let mut versions: HashMap<&str, HashSet<&str>> = HashMap::new();
        for place in body.split("island-").skip(1) {
            let Some((document, rest)) = place.split_once("-version-") else {
                continue;
            };
            let digits = rest.find(|c: char| !c.is_ascii_digit());
            let version = &rest[..digits.unwrap_or(rest.len())];
            versions.entry(document).or_default().insert(version);
        }
        self.of_written += usize::from(!versions.is_empty());
        let is_torn = versions.values().any(|versions| versions.len() > 1);
        self.torn += usize::from(is_torn);
    }
}

/// Replaces documents until `end`; returns the number of versions.
async fn write(folder: &Path, end: Instant) -> usize {
    let mut random = fastrand::Rng::with_seed(7);
    let mut version = 0;
    while Instant::now() < end {
        let all = 0..WRITTEN;
        let replaced = if version == 0 { all } else { 0..4 };
        for document in replaced {
            let document = match version {
                0 => document,
                _ => random.usize(0..WRITTEN),
            };
            let mut text = format!("# The island {document}\n");
            for paragraph in 0..PARAGRAPHS {
                text += &format!(
                    "\n## Night {paragraph}\n\nThe lighthouse keeper of island {document} noted the weather in the log: island-{document}-version-{version}.\n"
                );
            }
            let part = folder.join(format!("{document}.part"));
            let whole = folder.join(format!("{document}.md"));
            std::fs::write(&part, text).expect("a written document");
            std::fs::rename(part, whole).expect("a replaced document");
        }
        version += 1;
        sleep(WRITER_PAUSE).await;
    }
    version
}

/// The memory of the server at each look, in megabytes.
async fn look(server: &Served, seen: &Shared<Seen>, end: Instant) -> Vec<usize> {
    let mut memory = Vec::new();
    while Instant::now() + LOOK < end {
        sleep(LOOK).await;
        memory.push(server.memory());
        let seen = seen.borrow();
        eprintln!(
            "{} answers, {} errors, {} torn, {} MB",
            seen.times.len(),
            seen.errors.len(),
            seen.torn,
            memory.last().unwrap_or(&0)
        );
    }
    memory
}
