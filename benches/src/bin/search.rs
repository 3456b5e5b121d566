//! Measures: the time of a warm search in process.
//!
//! Corpus: the files of a list, in an index in a folder that is created if it does not exist.
//! Questions are first sentences of the files (documentation and headings), sampled evenly; filters
//! are the folders of packages. Each question is searched by keywords, by vectors and by both,
//! everywhere and in its own folder, after a round to warm up; wall-clock and CPU time. No
//! randomness.
//!
//! Command: `cargo run --release --bin search LIST FOLDER`; a third argument names one kind of
//! search to run alone, for a profiler.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use excerpt_benches::{files, question, timed};
use excerpt_index::{
    Channels, Entries, Entry, Filter, Index, ListItem, OpenOptions, Provenance, Query, Ranking,
    Reading, Source, SourceId, Stat, StaticTable, SyncOptions, quiet,
};
use mimalloc::MiMalloc;
use serde_json::json;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The number of questions.
const QUESTIONS: usize = 200;
const ROUNDS: usize = 5;
const KINDS: [(&str, Channels); 3] = [
    ("keywords", Channels::Keywords),
    ("vectors", Channels::Vectors),
    ("both", Channels::Both),
];

fn main() {
    let files: Vec<(String, String)> = files()
        .into_iter()
        .map(|(path, text)| (path.to_string_lossy().trim_matches('/').to_string(), text))
        .collect();
    let folder = std::env::args()
        .nth(2)
        .expect("the second argument is a folder");
    let alone = std::env::args().nth(3);
    let questions = questions(&files);
    let folder = Path::new(&folder);
    let table = Arc::new(StaticTable::built_in().expect("the table is whole"));
    let index = Index::open(folder, OpenOptions::create()).expect("the index opens");
    let mut index = index.with_embedder(Some(table));
    if index.status().expect("it has a status").documents == 0 {
        let start = Instant::now();
        let source = Sources::new(files);
        let options = SyncOptions::default();
        index
            .sync_source(&source, &options, quiet)
            .expect("the index is made");
        println!(
            "{}",
            json!({ "work": "sync", "seconds": start.elapsed().as_secs() })
        );
    }
    let status = index.status().expect("it has a status");
    let size = json!({
        "documents": status.documents,
        "chunks": status.chunks,
        "megabytes": status.disk_bytes / 1_000_000,
        "questions": questions.len(),
        "rounds": ROUNDS,
    });
    println!("{size}");
    for (kind, channels) in KINDS {
        for filtered in [false, true] {
            let name = if filtered {
                format!("{kind} in a folder")
            } else {
                kind.to_string()
            };
            if alone.as_ref().is_some_and(|alone| *alone != name) {
                continue;
            }
            let [times, cpu_times, fastest] = times(&mut index, &questions, channels, filtered);
            let at = |times: &[Duration], share: f64| {
                let place = ((times.len() - 1) as f64 * share) as usize;
                (times[place].as_secs_f64() * 1e5).round() / 100.0
            };
            let line = json!({
                "search": name,
                "p50_milliseconds": at(&times, 0.5),
                "p95_milliseconds": at(&times, 0.95),
                "p50_cpu_milliseconds": at(&cpu_times, 0.5),
                "p95_cpu_milliseconds": at(&cpu_times, 0.95),
                "p50_fastest_milliseconds": at(&fastest, 0.5),
            });
            println!("{line}");
        }
    }
}

/// A question and its folder.
struct Question {
    text: String,
    folder: String,
}

/// First sentences, sampled evenly from all files that have one.
fn questions(files: &[(String, String)]) -> Vec<Question> {
    let all: Vec<Question> = files
        .iter()
        .filter_map(|(path, text)| {
            let (text, folder) = (question(text)?, package(path));
            Some(Question { text, folder })
        })
        .collect();
    let step = (all.len() / QUESTIONS).max(1);
    all.into_iter().step_by(step).take(QUESTIONS).collect()
}

/// The folder of a package: the one whose name ends with a version, or else that of the file.
fn package(path: &str) -> String {
    let ends = path.match_indices('/').map(|(end, _)| end);
    let mut folders: Vec<&str> = ends.map(|end| &path[..end]).collect();
    let has_version = |folder: &&&str| {
        let name = folder.rsplit('/').next().unwrap_or_default();
        let version = name.rsplit(['-', '@']).next().unwrap_or_default();
        version.contains('.') && version.starts_with(|c: char| c.is_ascii_digit())
    };
    match folders.iter().find(has_version) {
        Some(folder) => (*folder).to_string(),
        None => folders.pop().unwrap_or_default().to_string(),
    }
}

/// All wall-clock and CPU times, and the fastest round of each question, which is disturbed least
/// by other processes; sorted.
fn times(
    index: &mut Index,
    questions: &[Question],
    channels: Channels,
    filtered: bool,
) -> [Vec<Duration>; 3] {
    let mut ranking = Ranking::default();
    ranking.channels = channels;
    let fastest = vec![Duration::MAX; questions.len()];
    let mut times = [Vec::new(), Vec::new(), fastest];
    for round in 0..=ROUNDS {
        for (at, question) in questions.iter().enumerate() {
            let mut query = Query::new(&question.text).ranking(ranking.clone());
            if filtered {
                query = query.within(Filter::default().path(&question.folder));
            }
            let start = Instant::now();
            let (answer, cpu_time) = timed(|| index.search(&query));
            let time = start.elapsed();
            answer.expect("it answers");
            if round > 0 {
                times[0].push(time);
                times[1].push(cpu_time);
                times[2][at] = times[2][at].min(time);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort());
    times
}

/// The files of a list, by path.
struct Sources {
    id: SourceId,
    files: std::collections::BTreeMap<String, String>,
}

impl Sources {
    fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        Sources {
            id: "/".into(),
            files: files.into_iter().collect(),
        }
    }

    fn stat(text: &str) -> Stat {
        Stat {
            size: text.len() as u64,
            ..Stat::default()
        }
    }
}

impl Source for Sources {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn entries(&self) -> excerpt_index::Result<Entries<'_>> {
        let entries = self.files.iter().map(|(path, text)| {
            let (path, version) = (path.clone(), Sources::stat(text).into());
            Ok(ListItem::Document(Entry { path, version }))
        });
        Ok(Box::new(entries))
    }

    fn read(&self, entry: &Entry) -> Reading {
        match self.files.get(&entry.path) {
            Some(text) => Reading::Bytes {
                bytes: text.clone().into_bytes(),
                version: entry.version.clone(),
                provenance: Provenance::default(),
            },
            None => Reading::Gone,
        }
    }
}
