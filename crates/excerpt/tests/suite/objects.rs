//! Object stores as collections and as destinations of a mirror: with servers of other makes, and
//! with one that answers what no store should.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::fixture::{Project, Run};

/// How many objects a page of a listing has.
const PAGE: usize = 40;

/// What a store does in place of what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The second page of a listing is this.
    SecondPage(&'static str),
    /// The second page is cut off.
    TornPage,
    /// A listing is answered with this status.
    Listing(u16),
    /// An object is answered with this status and body.
    Object(u16, &'static str),
}

#[derive(Debug)]
struct State {
    objects: BTreeMap<String, String>,
    fault: Fault,
    /// How many pages and objects were asked for.
    pages: usize,
    reads: usize,
    /// How many objects were written.
    writes: usize,
}

impl State {
    /// Writes or removes an object. Returns the status and the tag.
    fn write(&mut self, request: &str, sent: Vec<u8>, creates: bool) -> (u16, Option<String>) {
        let mut words = request.split(' ');
        let (method, target) = (words.next(), words.next().unwrap_or_default());
        let key = target.strip_prefix("/notes/").unwrap_or_default();
        if method == Some("DELETE") {
            self.objects.remove(key);
            return (204, None);
        }
        if creates && self.objects.contains_key(key) {
            return (412, None);
        }
        let text = String::from_utf8(sent).unwrap();
        let tag = tag_of(&text);
        self.writes += 1;
        self.objects.insert(key.to_string(), text);
        (200, Some(tag))
    }
}

/// A bucket on this machine, until the test ends.
struct Bucket {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Bucket {
    fn with(objects: impl IntoIterator<Item = (String, String)>) -> Bucket {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            objects: objects.into_iter().collect(),
            fault: Fault::None,
            pages: 0,
            reads: 0,
            writes: 0,
        }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || answer(stream.unwrap(), &state));
            }
        });
        Bucket { url, state }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    /// How many pages and objects were asked for since this was last called.
    fn asked(&self) -> (usize, usize) {
        let mut state = self.state.lock().unwrap();
        (
            std::mem::take(&mut state.pages),
            std::mem::take(&mut state.reads),
        )
    }
}

/// Answers one request. The client may have gone away.
fn answer(stream: TcpStream, state: &Mutex<State>) {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    let _ = stream.read_line(&mut request);
    let mut line = String::new();
    let (mut length, mut creates) = (0, false);
    while stream.read_line(&mut line).unwrap_or(0) > 2 {
        let header = line.trim_end().to_ascii_lowercase();
        creates |= header == "if-none-match: *";
        if let Some(value) = header.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        line.clear();
    }
    let mut sent = vec![0; length];
    stream.read_exact(&mut sent).unwrap();
    let mut state = state.lock().unwrap();
    let target = request.split(' ').nth(1).unwrap_or_default();
    let fault = state.fault.clone();
    let written = match request.split(' ').next().unwrap_or_default() {
        "PUT" | "DELETE" => Some(state.write(&request, sent, creates)),
        _ => None,
    };
    let (status, tag, body, sent) = match target.split_once("list-type=2") {
        _ if written.is_some() => {
            let (status, tag) = written.unwrap_or_default();
            (status, tag, String::new(), 1.0)
        }
        Some(_) => {
            state.pages += 1;
            let page = page(&state.objects, target);
            let is_second = target.contains("continuation-token");
            match fault {
                Fault::Listing(status) => (
                    status,
                    None,
                    "<Error><Code>Odd</Code></Error>".to_string(),
                    1.0,
                ),
                Fault::SecondPage(body) if is_second => (200, None, body.to_string(), 1.0),
                Fault::TornPage if is_second => (200, None, page, 0.5),
                _ => (200, None, page, 1.0),
            }
        }
        None => {
            state.reads += 1;
            let key = target.strip_prefix("/notes/").unwrap_or_default();
            match (fault, state.objects.get(key)) {
                (Fault::Object(status, body), _) => (status, None, body.to_string(), 1.0),
                (_, Some(text)) => (200, Some(tag_of(text)), text.clone(), 1.0),
                (_, None) => (
                    404,
                    None,
                    "<Error><Code>NoSuchKey</Code></Error>".to_string(),
                    1.0,
                ),
            }
        }
    };
    drop(state);
    let tag = tag.map_or(String::new(), |tag| format!("etag: {tag}\r\n"));
    let head = format!(
        "HTTP/1.1 {status} X\r\n{tag}last-modified: Fri, 20 Nov 2026 10:00:00 GMT\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let bytes = (head + &body).into_bytes();
    let whole = bytes.len() as f64;
    let _ = stream
        .get_mut()
        .write_all(&bytes[..(whole * sent) as usize]);
}

fn tag_of(text: &str) -> String {
    let sum: u64 = text.bytes().fold(7, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    format!("\"{sum:x}\"")
}

/// The page of a listing that begins after the key in the request.
fn page(objects: &BTreeMap<String, String>, target: &str) -> String {
    let after = target
        .split(['?', '&'])
        .find_map(|part| part.strip_prefix("continuation-token="));
    let mut rest = objects
        .iter()
        .filter(|(key, _)| after.is_none_or(|after| &***key > after));
    let listed: Vec<_> = rest.by_ref().take(PAGE).collect();
    let mut page = "<ListBucketResult>".to_string();
    for (key, text) in &listed {
        let (tag, size) = (tag_of(text).replace('"', "&quot;"), text.len());
        let _ = write!(
            page,
            "<Contents><Key>{key}</Key><LastModified>2026-11-20T10:00:00.000Z</LastModified><ETag>{tag}</ETag><Size>{size}</Size></Contents>"
        );
    }
    let more = rest.next().is_some();
    if let Some((last, _)) = listed.last().filter(|_| more) {
        let _ = write!(
            page,
            "<NextContinuationToken>{last}</NextContinuationToken>"
        );
    }
    let _ = write!(page, "<IsTruncated>{more}</IsTruncated></ListBucketResult>");
    page
}

/// Runs a command with the credentials of a test.
fn run(project: &Project, url: &str, args: &[&str]) -> Run {
    let mut command = project.command(args);
    command.envs([
        ("AWS_ACCESS_KEY_ID", "S3RVER"),
        ("AWS_SECRET_ACCESS_KEY", "S3RVER"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ENDPOINT_URL_S3", url),
    ]);
    project.outcome(&mut command)
}

fn json(project: &Project, url: &str, args: &[&str]) -> Value {
    let run = run(project, url, &[args, &["--json"]].concat()).ok();
    serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap()
}

fn notes(count: usize) -> Vec<(String, String)> {
    let notes = (0..count).map(|number| {
        let text = format!("# Note {number}\n\nIt is about {number}.\n");
        (format!("{number:03}.md"), text)
    });
    notes.collect()
}

#[test]
fn a_listing_is_enough_to_see_that_nothing_has_changed() {
    let (project, bucket) = (Project::new(), Bucket::with(notes(100)));
    let added = json(&project, &bucket.url, &["add", "s3://notes"]);
    assert_eq!(
        (&added["added"], &added["read"]),
        (&100.into(), &100.into())
    );
    bucket.asked();
    let same = json(&project, &bucket.url, &["sync", "-c", "notes"]);
    assert_eq!(
        (&same["unchanged"], &same["read"]),
        (&100.into(), &0.into())
    );
    assert_eq!(bucket.asked(), (3, 0));
    bucket.change(|state| {
        state.objects.remove("007.md");
        state
            .objects
            .insert("008.md".to_string(), "# Boat\n\nRed sails.\n".to_string());
        state
            .objects
            .insert("new.md".to_string(), "# New\n".to_string());
    });
    let changed = json(&project, &bucket.url, &["sync", "-c", "notes"]);
    let counts = ["added", "changed", "removed", "read"].map(|name| changed[name].clone());
    assert_eq!(counts, [1, 1, 1, 2].map(Value::from));
    let hit = json(
        &project,
        &bucket.url,
        &["search", "red sails", "-c", "notes"],
    );
    assert_eq!(hit["source_path"], "008.md");
}

#[test]
fn whatever_a_store_answers_no_document_is_lost() {
    let (project, bucket) = (Project::new(), Bucket::with(notes(100)));
    let sync = ["sync", "-c", "notes"];
    json(&project, &bucket.url, &["add", "s3://notes"]);
    for fault in [
        Fault::SecondPage("<html><body>please sign in</body></html>"),
        Fault::SecondPage("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"),
        Fault::SecondPage(""),
        Fault::SecondPage("{}"),
        Fault::TornPage,
        Fault::Listing(400),
        Fault::Listing(403),
        Fault::Listing(404),
    ] {
        bucket.change(|state| state.fault = fault.clone());
        let run = run(&project, &bucket.url, &sync);
        assert_eq!(run.code, Some(2), "{fault:?}: {run:?}");
        assert_eq!(
            run.stderr.trim_end().lines().count(),
            1,
            "{fault:?}: {}",
            run.stderr
        );
        assert!(!run.stderr.contains('<'), "{fault:?}: {}", run.stderr);
        let status = json(&project, &bucket.url, &["status", "-c", "notes"]);
        assert_eq!(status["documents"], 100, "{fault:?}");
        let remote = &status["remotes"][0];
        assert!(remote["failure"].is_string(), "{fault:?}: {remote}");
    }
    // Objects that were listed, differ, and cannot be read stay as they were.
    for fault in [
        Fault::Object(403, ""),
        Fault::Object(200, "<html><body>please sign in</body></html>"),
        Fault::Object(404, "<Error><Code>NoSuchBucket</Code></Error>"),
        Fault::Object(404, "<Error><Code>NoSuchKey</Code></Error>"),
    ] {
        bucket.change(|state| {
            state.fault = fault.clone();
            for text in state.objects.values_mut() {
                text.push_str("More.\n");
            }
        });
        run(&project, &bucket.url, &sync).ok();
        let status = json(&project, &bucket.url, &["status", "-c", "notes"]);
        assert_eq!(status["documents"], 100, "{fault:?}");
    }
    bucket.change(|state| state.fault = Fault::None);
    let later = json(&project, &bucket.url, &sync);
    assert_eq!(later["changed"], 100);
    let status = json(&project, &bucket.url, &["status", "-c", "notes"]);
    assert!(status["remotes"][0]["failure"].is_null(), "{status}");
}

#[test]
fn a_key_that_cannot_be_used_is_skipped_and_named() {
    let odd = [
        "a//b.md",
        "../up.md",
        "./here.md",
        "bell&#7;.md",
        "/lead.md",
        "folder/",
    ];
    let odd = odd.map(|key| (key.to_string(), "# Odd\n".to_string()));
    let (project, bucket) = (
        Project::new(),
        Bucket::with(notes(3).into_iter().chain(odd)),
    );
    let added = json(&project, &bucket.url, &["add", "s3://notes"]);
    assert_eq!(
        (&added["added"], &added["skipped"]["unusable_key"]),
        (&3.into(), &6.into())
    );
    let skips = run(&project, &bucket.url, &["status", "-c", "notes", "--skips"])
        .ok()
        .stdout;
    for shown in [
        "a/%2F/b.md",
        "%2E%2E/up.md",
        "%2E/here.md",
        "bell%07.md",
        "%2F/lead.md",
        "folder/%2F",
        "unusable key (a part of its key is empty)",
        "unusable key (its key has a control character)",
    ] {
        assert!(skips.contains(shown), "{shown}: {skips}");
    }
}

#[test]
fn a_page_of_nothing_but_such_keys_is_the_last_one() {
    let mut objects = notes(PAGE);
    objects.push(("z//odd.md".to_string(), "# Odd\n".to_string()));
    let (project, bucket) = (Project::new(), Bucket::with(objects));
    let added = json(&project, &bucket.url, &["add", "s3://notes"]);
    assert_eq!(
        (&added["added"], &added["skipped"]["unusable_key"]),
        (&PAGE.into(), &1.into())
    );
}

#[test]
fn what_was_never_reached_is_not_added() {
    let (project, bucket) = (Project::new(), Bucket::with(notes(100)));
    bucket.change(|state| state.fault = Fault::TornPage);
    let run_of = |args: &[&str]| run(&project, &bucket.url, args);
    assert_eq!(run_of(&["add", "s3://notes"]).code, Some(2));
    assert!(!run_of(&["list"]).stdout.contains("notes"));
    let mut command = project.command(&["add", "s3://notes"]);
    command.env("AWS_EC2_METADATA_DISABLED", "true");
    let run = project.outcome(&mut command);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("credentials"), "{}", run.stderr);
}

#[test]
fn a_mirror_writes_again_what_is_missing_and_reports_what_was_changed() {
    let project = Project::new()
        .file("a.md", "# A\n\nTea.\n")
        .file("b.md", "# B\n\nMilk.\n")
        .file("c.md", "# C\n\nRice.\n");
    let bucket = Bucket::with([]);
    let notes = project.path("");
    let run_of = |args: &[&str]| run(&project, &bucket.url, args);
    run_of(&["add", notes.to_str().unwrap(), "--name", "own"]).ok();
    let mirror = ["mirror", "-c", "own", "s3://notes/x"];
    let counts = |run: &Run| run.stdout.lines().next().unwrap_or_default().to_string();
    let first = run_of(&mirror).ok();
    assert!(counts(&first).contains(": 3 written"), "{first:?}");
    bucket.asked();
    bucket.change(|state| state.writes = 0);
    let second = run_of(&mirror).ok();
    assert!(counts(&second).contains(": 3 unchanged"), "{second:?}");
    // The manifest is read, and nothing is written.
    assert_eq!(bucket.asked(), (1, 1));
    bucket.change(|state| {
        assert_eq!(state.writes, 0);
        state.objects.remove("x/a.md");
        let other = "# B\n\nCoal.\n".to_string();
        state.objects.insert("x/b.md".to_string(), other);
        let theirs = "# Theirs\n".to_string();
        state.objects.insert("x/theirs.md".to_string(), theirs);
    });
    let third = run_of(&mirror);
    assert_eq!(third.code, Some(1), "{third:?}");
    assert!(
        counts(&third).contains(": 1 written, 1 unchanged"),
        "{third:?}"
    );
    assert!(
        third
            .stdout
            .contains("skipped b.md: modified since the last mirror"),
        "{third:?}"
    );
    bucket.change(|state| state.fault = Fault::Listing(403));
    let fourth = run_of(&mirror);
    assert_eq!(fourth.code, Some(2), "{fourth:?}");
    assert!(
        fourth
            .stderr
            .contains("cannot mirror to `s3://notes/x#endpoint="),
        "{fourth:?}"
    );
    bucket.change(|state| state.fault = Fault::None);
    let last = run_of(&[&mirror[..], &["--overwrite"]].concat()).ok();
    assert!(
        counts(&last).contains(": 1 written, 2 unchanged"),
        "{last:?}"
    );
    bucket.change(|state| {
        assert_eq!(state.objects["x/a.md"], "# A\n\nTea.\n");
        assert_eq!(state.objects["x/b.md"], "# B\n\nMilk.\n");
        assert_eq!(state.objects["x/theirs.md"], "# Theirs\n");
    });
}

/// A server of another make, which ends with the test.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    /// Those that `EXCERPT_S3_SERVERS` names: see `tests/objects`.
    #[expect(
        clippy::print_stderr,
        reason = "anyone who runs the tests sees what they leave out"
    )]
    fn all() -> Vec<Server> {
        let commands = std::env::var("EXCERPT_S3_SERVERS").unwrap_or_default();
        if commands.is_empty() {
            eprintln!("skipped: EXCERPT_S3_SERVERS names no servers of S3");
            return Vec::new();
        }
        let servers = commands.split("\n\n").map(|command| {
            let mut words = command.lines();
            let mut server = Command::new(words.next().unwrap());
            server
                .args(words)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null());
            let mut process = server.spawn().unwrap();
            let mut url = String::new();
            BufReader::new(process.stdout.take().unwrap())
                .read_line(&mut url)
                .unwrap();
            Server {
                process,
                url: url.trim().to_string(),
            }
        });
        servers.collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[test]
fn notes_go_to_a_store_and_come_back_the_same() {
    for server in Server::all() {
        let project = Project::new()
            .file(
                "domains/family/swim.md",
                "# Swim team\n\nOwen's first 50 free.\n",
            )
            .file("domains/café.md", "# Café\n\nTea and cake.\n")
            .file("inbox/clip.md", "---\ntitle: Clip\n---\nA clipped text.\n");
        let notes = project.path("");
        let url = &*server.url;
        run(
            &project,
            url,
            &["add", notes.to_str().unwrap(), "--name", "own"],
        )
        .ok();
        let mirror = ["mirror", "-c", "own", "s3://notes/brain", "--front-matter"];
        let first = json(&project, url, &mirror);
        assert_eq!(
            (&first["written"], &first["unchanged"]),
            (&3.into(), &0.into()),
            "{url}"
        );
        let second = json(&project, url, &mirror);
        assert_eq!(
            (&second["written"], &second["unchanged"]),
            (&0.into(), &3.into()),
            "{url}"
        );

        run(
            &project,
            url,
            &["add", "s3://notes/brain", "--name", "copy"],
        )
        .ok();
        let hit = json(
            &project,
            url,
            &[
                "search",
                "tea and cake",
                "-c",
                "copy",
                "--field",
                "title=Café",
            ],
        );
        assert_eq!(hit["text"], "# Café\n\nTea and cake.", "{url}");
        assert!(
            hit["citation"].as_str().unwrap().ends_with("café.md:1-3"),
            "{hit}"
        );
        let same = json(&project, url, &["sync", "-c", "copy"]);
        assert_eq!(
            (&same["unchanged"], &same["read"]),
            (&3.into(), &0.into()),
            "{url}"
        );

        project.write("domains/café.md", "# Café\n\nCoffee.\n");
        std::fs::remove_file(project.path("inbox/clip.md")).unwrap();
        let third = json(&project, url, &mirror);
        assert_eq!(
            (&third["written"], &third["removed"]),
            (&1.into(), &1.into()),
            "{url}"
        );
        let changed = json(&project, url, &["sync", "-c", "copy"]);
        let counts = ["changed", "removed", "read"].map(|name| changed[name].clone());
        assert_eq!(counts, [1, 1, 1].map(Value::from), "{url}");

        // Another place for the same, and a bucket that does not exist.
        let run = run(
            &project,
            url,
            &["mirror", "-c", "copy", "s3://notes/brain/inside"],
        );
        assert!(
            run.stderr.contains("is inside the collection"),
            "{url}: {}",
            run.stderr
        );
        let run = self::run(&project, url, &["mirror", "-c", "own", "s3://nowhere/x"]);
        assert_eq!(run.code, Some(2), "{url}");
        assert_eq!(run.stderr.lines().count(), 1, "{url}: {}", run.stderr);
    }
}
