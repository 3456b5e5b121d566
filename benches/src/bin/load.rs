//! Measures: the time of answers while another process writes, and whether any answer is
//! inconsistent.
//!
//! Corpus: generated, 400 documents of about ten chunks; each chunk names the version of its
//! document. One process repeatedly writes a new version of a tenth of the documents and syncs;
//! eight others each open the index once and search it, alternating between keywords and both
//! channels. An answer is inconsistent if the chunks of one document name several versions.
//! Wall-clock time. No randomness.
//!
//! Command: `cargo run --release --bin load [SECONDS]`, by default a minute; prints one line of
//! JSON.

use std::collections::BTreeSet;
use std::fs;
use std::io::BufRead as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use excerpt_index::{Answer, Channels, Index, OpenOptions, Query, Ranking, SyncOptions, quiet};
use serde_json::json;

const READERS: usize = 8;
const DOCUMENTS: usize = 400;
/// The number of documents that are written before each sync.
const WRITTEN: usize = DOCUMENTS / 10;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [role, folder, seconds] if role == "reader" => read(Path::new(folder), length(seconds)),
        [] => load(Duration::from_secs(60)),
        [seconds] => load(length(seconds)),
        _ => panic!("the one argument is a number of seconds"),
    }
}

fn length(seconds: &str) -> Duration {
    Duration::from_secs(seconds.parse().expect("a number of seconds"))
}

fn write(folder: &Path, document: usize, version: usize) {
    let parts = (0..10).map(|part| {
        let line = format!("The kettle {document} of version{version} sings in part {part}. ");
        format!("## Part {part}\n\n{}\n\n", line.repeat(12))
    });
    let text = format!("# Kettle {document}\n\n{}", parts.collect::<String>());
    fs::write(folder.join(format!("{document}.md")), text).expect("a document is written");
}

fn load(time: Duration) {
    let dir = tempfile::tempdir().expect("a folder");
    let (texts, folder) = (dir.path().join("texts"), dir.path().join("index"));
    fs::create_dir(&texts).expect("a folder");
    (0..DOCUMENTS).for_each(|document| write(&texts, document, 0));
    let mut index = Index::open(&folder, OpenOptions::create()).expect("the index opens");
    let options = SyncOptions::default();
    index.sync(&texts, &options, quiet).expect("it is synced");

    let own = std::env::current_exe().expect("a program");
    let reader = |_| -> Child {
        Command::new(&own)
            .arg("reader")
            .arg(&folder)
            .arg(time.as_secs().to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a reader starts")
    };
    let readers: Vec<Child> = (0..READERS).map(reader).collect();
    let started = Instant::now();
    let mut syncs = Vec::new();
    let mut waits = 0;
    for version in 1.. {
        if started.elapsed() >= time {
            break;
        }
        let first = (version * WRITTEN) % DOCUMENTS;
        (first..first + WRITTEN).for_each(|document| write(&texts, document, version));
        let begun = Instant::now();
        // A reader that updates the keyword index holds the lock meanwhile.
        while let Err(error) = index.sync(&texts, &options, quiet) {
            assert!(
                matches!(error, excerpt_index::Error::Locked { .. }),
                "{error}"
            );
            waits += 1;
        }
        syncs.push(begun.elapsed().as_secs_f64());
    }

    let (mut times, mut torn, mut failed) = (Vec::new(), 0, 0);
    for mut reader in readers {
        let lines = std::io::BufReader::new(reader.stdout.take().expect("it is piped")).lines();
        for line in lines.map(|line| line.expect("a line")) {
            match &*line {
                "torn" => torn += 1,
                "failed" => failed += 1,
                seconds => times.push(seconds.parse::<f64>().expect("seconds")),
            }
        }
        assert!(reader.wait().expect("it ends").success());
    }
    times.sort_by(f64::total_cmp);
    syncs.sort_by(f64::total_cmp);
    let line = json!({
        "bench": "load",
        "seconds": time.as_secs(),
        "readers": READERS,
        "documents": DOCUMENTS,
        "answers": times.len(),
        "torn": torn,
        "failed": failed,
        "answer_ms": { "p50": at(&times, 0.5) * 1e3, "p99": at(&times, 0.99) * 1e3, "most": at(&times, 1.0) * 1e3 },
        "syncs": syncs.len(),
        "syncs_that_met_the_lock": waits,
        "sync_ms": { "p50": at(&syncs, 0.5) * 1e3, "p99": at(&syncs, 0.99) * 1e3 },
    });
    println!("{line}");
}

/// The quantile `share` of the sorted `times`.
fn at(times: &[f64], share: f64) -> f64 {
    let last = times.len().saturating_sub(1);
    times
        .get((last as f64 * share) as usize)
        .copied()
        .unwrap_or_default()
}

/// Searches, and prints the time of each answer and any error in it.
fn read(folder: &Path, time: Duration) {
    let mut keywords = Ranking::default();
    keywords.channels = Channels::Keywords;
    let query = || Query::new("which kettle sings").limit(20).per_document(10);
    let queries = [query().ranking(keywords), query()];
    let index = Index::open(folder, OpenOptions::default()).expect("the index opens");
    let started = Instant::now();
    let mut lines = String::new();
    for query in queries.iter().cycle() {
        if started.elapsed() >= time {
            break;
        }
        let begun = Instant::now();
        let answer = index.search(query);
        lines += &format!("{}\n", begun.elapsed().as_secs_f64());
        match answer {
            Ok(answer) if is_torn(&answer) => lines += "torn\n",
            Ok(_) => {}
            Err(_) => lines += "failed\n",
        }
    }
    print!("{lines}");
}

fn is_torn(answer: &Answer) -> bool {
    answer.documents.iter().any(|document| {
        let words = document
            .chunks
            .iter()
            .flat_map(|hit| hit.text.split_whitespace());
        let versions: BTreeSet<&str> = words.filter(|word| word.starts_with("version")).collect();
        versions.len() > 1
    })
}
