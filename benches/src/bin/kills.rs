//! Measures: how often a process that is killed while it writes leaves an index that is neither in
//! its old nor in its new state.
//!
//! Corpus: generated, 24 documents in the folder that is synced and 6 in each of 3 folders that are
//! added as collections. Each round picks one kind of work with a seeded generator (sync of changed
//! files, sync with other settings, add, remove, rebuild), starts the program, and kills it
//! (SIGKILL) after a random part of the time that this kind of work last took. Then the index must
//! open, be consistent and contain each document in its old or new state, the list of collections
//! must be the old or the new one, and the same command must complete it to the fingerprint of a
//! new index.
//!
//! Command:
//! `cargo run --release --bin kills -- --program ../target/release/excerpt [--kills 500] [--seed 1]`;
//! prints one line of JSON, and stops at the first round that fails, with a message.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use excerpt_index::{Collection, Error, Index, OpenOptions, ReadOptions, Target};
use serde_json::json;

const FILES: usize = 24;
const COLLECTIONS: usize = 3;
const FILES_OF_COLLECTION: usize = 6;

const WORK: [&str; 5] = ["sync", "recut", "add", "remove", "rebuild"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut program, mut kills, mut seed) = (PathBuf::from("excerpt"), 500, 1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().expect("each option has a value");
        match &*name {
            "--program" => program = fs::canonicalize(value).expect("the program is there"),
            "--kills" => kills = value.parse().expect("a number of kills"),
            "--seed" => seed = value.parse().expect("a number"),
            _ => panic!("`{name}` is no option: give --program, --kills or --seed"),
        }
    }
    eprintln!("seed {seed}");
    let started = Instant::now();
    let mut bench = Bench::new(program, seed);
    while bench.killed.values().sum::<usize>() < kills {
        bench.round();
    }
    let report = json!({
        "seed": seed,
        "rounds": bench.rounds,
        "killed": bench.killed,
        "right": bench.killed.values().sum::<usize>(),
        "seconds": started.elapsed().as_secs(),
    });
    println!("{report}");
}

struct Bench {
    dir: tempfile::TempDir,
    program: PathBuf,
    random: fastrand::Rng,
    rounds: usize,
    /// How often each kind of work was killed while it ran.
    killed: BTreeMap<&'static str, usize>,
    /// The last duration of each kind of work.
    times: BTreeMap<&'static str, Duration>,
    /// The collections of the index.
    added: BTreeSet<usize>,
    /// The documents of the index, by path.
    held: BTreeMap<PathBuf, String>,
}

impl Bench {
    fn new(program: PathBuf, seed: u64) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let mut bench = Bench {
            dir,
            program,
            random: fastrand::Rng::with_seed(seed),
            rounds: 0,
            killed: WORK.map(|work| (work, 0)).into(),
            times: BTreeMap::new(),
            added: BTreeSet::new(),
            held: BTreeMap::new(),
        };
        for file in 0..FILES {
            bench.write(&format!("texts/{}/{file}.md", file % 5), file);
        }
        for collection in 0..COLLECTIONS {
            for file in 0..FILES_OF_COLLECTION {
                bench.write(&format!("more{collection}/{file}.md"), file);
            }
        }
        let index = bench.path("index");
        bench.complete("sync", None, &index);
        bench.held = bench.documents();
        bench
    }

    fn path(&self, path: &str) -> PathBuf {
        let dir = self.dir.path().canonicalize().expect("it is there");
        dir.join(path)
    }

    fn write(&mut self, path: &str, number: usize) {
        let version = self.random.u32(..);
        let line = format!("Paragraph of file {number} in version{version}, to search for.\n\n");
        let text = format!("# File {number}\n\n{}", line.repeat(15 + number));
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The documents that the index should contain.
    fn documents(&self) -> BTreeMap<PathBuf, String> {
        let mut roots = vec![self.path("texts")];
        roots.extend(
            self.added
                .iter()
                .map(|added| self.path(&format!("more{added}"))),
        );
        let mut documents = BTreeMap::new();
        while let Some(folder) = roots.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                match path.extension().is_some_and(|end| end == "md") {
                    true => drop(documents.insert(path.clone(), read(&path))),
                    false if path.is_dir() => roots.push(path),
                    false => {}
                }
            }
        }
        documents
    }

    /// The command for a kind of work.
    fn command(&self, work: &str, collection: Option<usize>, index: &Path) -> Command {
        let texts = self.path("texts");
        let mut command = Command::new(&self.program);
        match (work, collection) {
            ("add", Some(added)) => {
                let root = self.path(&format!("more{added}"));
                command.arg("add").arg(root).args(["--name", &name(added)])
            }
            ("remove", Some(added)) => command.args(["remove", &name(added)]),
            ("sync", Some(added)) => command.args(["sync", "--collection", &name(added)]),
            ("rebuild", _) => command.args(["doctor", "--rebuild"]).arg(texts),
            _ => command.arg("sync").arg(texts),
        };
        command
            .arg("--index")
            .arg(index)
            .current_dir(self.dir.path())
            .env_remove("EXCERPT_INDEX")
            .env("EXCERPT_BACKGROUND", "0")
            .env("HOME", self.dir.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_DATA_HOME", self.path("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a kind of work to completion.
    fn complete(&self, work: &str, collection: Option<usize>, index: &Path) {
        let output = self.command(work, collection, index).output();
        let output = output.expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{work}: {said}");
    }

    fn round(&mut self) {
        self.rounds += 1;
        let index = self.path("index");
        let mut work = WORK[self.random.usize(..WORK.len())];
        let mut collection = None;
        let before = self.added.clone();
        match work {
            "sync" | "rebuild" => {
                for file in 0..FILES {
                    let path = format!("texts/{}/{file}.md", file % 5);
                    match self.random.u8(..10) {
                        0..3 => self.write(&path, file),
                        3 => drop(fs::remove_file(self.path(&path))),
                        _ => {}
                    }
                }
            }
            "recut" => {
                let file = format!("[chunking]\ntarget = {}\n", self.random.u32(80..400));
                fs::write(self.path("texts/excerpt.toml"), file).expect("a file");
            }
            _ => {
                let number = self.random.usize(..COLLECTIONS);
                collection = Some(number);
                work = match self.added.remove(&number) {
                    true => "remove",
                    false => {
                        self.added.insert(number);
                        "add"
                    }
                };
            }
        }
        let after = self.documents();
        if self.kill(work, collection, &index) {
            *self.killed.entry(work).or_default() += 1;
        }
        self.look(&index, &before, &after, work);
        self.go_on(work, collection, &index);
        self.compare(&index, work);
        self.held = after;
    }

    /// Starts a kind of work and kills it at a random moment. Returns whether it was still running.
    fn kill(&mut self, work: &'static str, collection: Option<usize>, index: &Path) -> bool {
        let whole = self.times.get(work).copied();
        let whole = whole.unwrap_or(Duration::from_millis(200));
        let moment = whole.mul_f64(self.random.f64() * 1.05);
        let begun = Instant::now();
        let mut child = self
            .command(work, collection, index)
            .spawn()
            .expect("the program runs");
        while begun.elapsed() < moment && child.try_wait().expect("it is a child").is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        let is_over = child.try_wait().expect("it is a child").is_some();
        if !is_over {
            child.kill().expect("it is a child");
        }
        let output = child.wait_with_output().expect("it is a child");
        if is_over {
            self.times.insert(work, begun.elapsed());
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{work}: {said}");
        } else {
            // If it never completes, it takes longer than estimated.
            self.times.insert(work, whole.mul_f64(1.01));
        }
        !is_over
    }

    /// Checks that everything is in its old or its new state.
    fn look(
        &self,
        dir: &Path,
        before: &BTreeSet<usize>,
        after: &BTreeMap<PathBuf, String>,
        work: &str,
    ) {
        let index = Index::open(dir, OpenOptions::default());
        let index = index.unwrap_or_else(|error| panic!("{work}: {error}"));
        let check = index
            .check()
            .unwrap_or_else(|error| panic!("{work}: {error}"));
        assert!(check.is_sound(), "{work}: {check:?}");
        let listed = Collection::all_in(dir).expect("the list can be read");
        let listed: BTreeSet<String> = listed.into_iter().map(|known| known.name).collect();
        let names = |added: &BTreeSet<usize>| added.iter().map(|it| name(*it)).collect();
        assert!(
            listed == names(before) || listed == names(&self.added),
            "{work}: {listed:?}"
        );
        let paths: BTreeSet<&PathBuf> = self.held.keys().chain(after.keys()).collect();
        for path in paths {
            let roots = index.roots().expect("the roots can be read");
            let Some(root) = roots.iter().find(|root| path.starts_with(root)) else {
                assert!(!self.held.contains_key(path) || !after.contains_key(path));
                continue;
            };
            let inside = path.strip_prefix(root).expect("it is inside");
            let target = Target::document(inside.to_str().expect("it is text"));
            let text = match index.get(&target, &ReadOptions::default().source(root)) {
                Err(Error::UnknownDocument { .. }) => None,
                read => Some(read.unwrap_or_else(|error| panic!("{work}: {error}")).text),
            };
            let allowed = [self.held.get(path), after.get(path)];
            assert!(
                allowed.contains(&text.as_ref()),
                "{work}: {} is neither old nor new",
                path.display()
            );
        }
    }

    /// Repeats the interrupted work.
    fn go_on(&self, work: &str, collection: Option<usize>, index: &Path) {
        let Some(number) = collection else {
            return self.complete(work, None, index);
        };
        let listed = Collection::all_in(index).expect("the list can be read");
        let is_listed = listed.iter().any(|known| known.name == name(number));
        match work {
            "add" if is_listed => self.complete("sync", collection, index),
            "remove" if !is_listed => {}
            work => self.complete(work, collection, index),
        }
    }

    /// Compares the index with a new one.
    fn compare(&self, dir: &Path, work: &str) {
        let fresh = self.path("fresh");
        let _ = fs::remove_dir_all(&fresh);
        self.complete("sync", None, &fresh);
        for added in &self.added {
            self.complete("add", Some(*added), &fresh);
        }
        let fingerprint = |dir: &Path| {
            let index = Index::open(dir, OpenOptions::default()).expect("the index opens");
            index.fingerprint().expect("it can be read")
        };
        // The other sources are updated, too, as by any later sync.
        self.complete("sync", None, dir);
        assert_eq!(fingerprint(dir), fingerprint(&fresh), "{work}");
    }
}

fn name(collection: usize) -> String {
    format!("collection{collection}")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file that can be read")
}
